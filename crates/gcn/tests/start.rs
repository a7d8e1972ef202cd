//! The initial registers of a wave.
//!
//! The words are what llvm-mc makes of the comments.

#[path = "support/launch.rs"]
mod launch;
#[path = "support/memory.rs"]
mod memory;

use gcn::bus::{Access, Bus, MemoryFault, Window};
use gcn::exec::{Code, Launch, LaunchParameters, Order, Outcome, View, Workgroup};
use gcn::target::Target;
use launch::one_wave;
use memory::Memory;

const BASE: u64 = 0x7000_0001_0000;
const KERNEL: [u32; 4] = [
    0xb892_f801, // s_getreg_b32 s18, hwreg(HW_REG_MODE)
    0xb893_f80f, // s_getreg_b32 s19, hwreg(HW_REG_SH_MEM_BASES)
    0xbf81_0000, // s_endpgm
    0xbf81_0000, // s_endpgm
];

struct Device(Memory);

// SAFETY: all windows are those of the memory.
unsafe impl Bus for Device {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        self.0.window(address, access)
    }

    fn realtime(&self) -> u64 {
        1
    }

    fn memtime(&self) -> u64 {
        2
    }

    fn interrupt(&self, _: u32, _: bool) {}
}

/// The SGPRs at the end of one wave of a kernel with these words of its descriptor (`COMPUTE_PGM_RSRC1`,
/// `COMPUTE_PGM_RSRC2`).
fn sgprs(rsrc: [u32; 2], user: Option<[u32; 16]>) -> Vec<u32> {
    let content: Vec<u8> = KERNEL.iter().flat_map(|word| word.to_le_bytes()).collect();
    let device = Device(Memory::new(BASE, &content));
    let mut descriptor = [0; 64];
    descriptor[48..52].copy_from_slice(&rsrc[0].to_le_bytes());
    descriptor[52..56].copy_from_slice(&rsrc[1].to_le_bytes());
    let parameters =
        LaunchParameters { descriptor, shared_base: 0x1234 << 48, private_base: 0x5678 << 48, ..one_wave(BASE) };
    let code = Code::new(Target::Gfx908);
    let mut launch = Launch::new(&parameters, &code).expect("valid");
    if let Some(user) = user {
        launch = launch.with_user_sgprs(user);
    }
    let mut group = Workgroup::new();
    group.start(&launch, [0; 3], 0);
    assert_eq!(group.run(&mut View::new(&device, &code), 1000, &mut Order::round_robin()), Outcome::Done);
    group.waves()[0].sgpr[..32].to_vec()
}

/// LLVM's AMDGPUUsage, "Kernel Descriptor": which bits of the descriptor become which of MODE.
#[test]
fn mode_is_the_descriptors() {
    for (rsrc, mode) in [
        ([0, 0], 0),
        // FLOAT_MODE.
        ([0xa5 << 12, 0], 0xa5),
        // DX10_CLAMP, IEEE_MODE, FP16_OVFL.
        ([1 << 21, 0], 1 << 8),
        ([1 << 23, 0], 1 << 9),
        ([1 << 26, 0], 1 << 23),
        // The exceptions that are enabled.
        ([0, 0x55 << 24], 0x55 << 12),
        ([0xa5 << 12 | 1 << 21 | 1 << 23 | 1 << 26, 0x2a << 24], 0xa5 | 1 << 8 | 1 << 9 | 1 << 23 | 0x2a << 12),
    ] {
        assert_eq!(sgprs(rsrc, None)[18], mode, "{rsrc:x?}");
    }
}

#[test]
fn apertures_are_the_launchs() {
    assert_eq!(sgprs([0, 0], None)[19], 0x1234_5678);
}

#[test]
fn user_sgprs_are_those_that_were_given() {
    let user = std::array::from_fn(|i| 100 + i as u32);
    // USER_SGPR_COUNT.
    assert_eq!(sgprs([0, 16 << 1], Some(user))[..16], user);
}

/// Registers hold zeros, though what ran before wrote to one that no instruction of it names.
#[test]
fn registers_that_were_written_relative_to_m0_are_zeros_again() {
    const WRITES_V7: [u32; 6] = [
        0xbe80_0087, // s_mov_b32 s0, 7
        0xbf11_0800, // s_set_gpr_idx_on s0, gpr_idx(DST)
        0x7e00_02f2, // v_mov_b32_e32 v0, 1.0
        0xbf9c_0000, // s_set_gpr_idx_off
        0xbf81_0000, // s_endpgm
        0xbf81_0000, // s_endpgm
    ];
    let content: Vec<u8> = WRITES_V7.iter().flat_map(|word| word.to_le_bytes()).collect();
    let device = Device(Memory::new(BASE, &content));
    // Eight vector registers.
    let mut descriptor = [0; 64];
    descriptor[48] = 1;
    let code = Code::new(Target::Gfx908);
    let launch = Launch::new(&LaunchParameters { descriptor, ..one_wave(BASE) }, &code).expect("valid");
    let mut group = Workgroup::new();
    group.start(&launch, [0; 3], 0);
    assert_eq!(group.run(&mut View::new(&device, &code), 1000, &mut Order::round_robin()), Outcome::Done);
    assert_eq!(group.waves()[0].vgpr[7].0, [0x3f80_0000; 64]);
    group.start(&launch, [0; 3], 0);
    assert_eq!(group.waves()[0].vgpr[7].0, [0; 64]);
}
