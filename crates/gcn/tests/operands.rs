//! The registers, and their lanes, that an instruction reads.
//!
//! The words are what llvm-mc makes of the comments.

#[path = "support/launch.rs"]
mod launch;
#[path = "support/memory.rs"]
mod memory;

use std::sync::Mutex;

use gcn::bus::{Access, Bus, MemoryFault, Window};
use gcn::exec::{Code, Launch, Order, Outcome, View, Workgroup};
use gcn::target::Target;
use launch::one_wave;
use memory::Memory;

const BASE: u64 = 0x7000_0001_0000;
/// Where kernels find a value.
const VALUE: usize = 0x40;

struct Device {
    memory: Memory,
    /// The resource and the value of each `ds_gws_init`.
    inits: Mutex<Vec<(u32, u32)>>,
}

// SAFETY: all windows are those of the memory.
unsafe impl Bus for Device {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        self.memory.window(address, access)
    }

    fn realtime(&self) -> u64 {
        1
    }

    fn memtime(&self) -> u64 {
        2
    }

    fn interrupt(&self, _: u32, _: bool) {}

    fn gws_init(&self, resource: u32, value: u32) -> bool {
        self.inits.lock().unwrap().push((resource, value));
        true
    }
}

/// The device and the first SGPRs after one wave of this kernel, which finds `value`.
fn run(kernel: &[u32], value: u32) -> (Device, Vec<u32>) {
    let mut content = vec![0; VALUE + 8];
    content[VALUE..][..4].copy_from_slice(&value.to_le_bytes());
    for (to, word) in content[..VALUE].chunks_exact_mut(4).zip(kernel) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    let device = Device { memory: Memory::new(BASE, &content), inits: Mutex::default() };
    let code = Code::new(Target::Gfx908);
    let parameters = one_wave(BASE);
    let mut group = Workgroup::new();
    group.start(&Launch::new(&parameters, &code).expect("valid"), [0; 3], 0);
    assert_eq!(group.run(&mut View::new(&device, &code), 1000, &mut Order::round_robin()), Outcome::Done);
    let sgprs = group.waves()[0].sgpr[..8].to_vec();
    (device, sgprs)
}

#[test]
fn global_wave_sync_takes_the_first_active_lane() {
    let kernel = [
        0xbefc_00ff,
        0x0007_0000, // s_mov_b32 m0, 0x70000
        0x7e02_0289, // v_mov_b32 v1, 9
        0xbefe_01a0, // s_mov_b64 exec, 32
        0x7e02_0285, // v_mov_b32 v1, 5
        0xd933_0002,
        0x0000_0001, // ds_gws_init v1 offset:2 gds
        0xbf81_0000, // s_endpgm
    ];
    assert_eq!(*run(&kernel, 0).0.inits.lock().unwrap(), [(7 + 2, 5)]);
}

/// The new value is in the first register, the one to compare with in the second.
#[test]
fn a_scalar_exchange_compares_with_the_second_register() {
    let kernel = [
        0xbe82_00ff,
        0x0001_0040, // s_mov_b32 s2, 0x10040
        0xbe83_00ff,
        0x0000_7000, // s_mov_b32 s3, 0x7000
        0xbe84_00ff,
        0x0000_004d, // s_mov_b32 s4, 77
        0xbe85_00ff,
        0x0000_5555, // s_mov_b32 s5, 0x5555
        0xc207_0101,
        0x0000_0000, // s_atomic_cmpswap s[4:5], s[2:3], 0x0 glc
        0xbf8c_c07f, // s_waitcnt lgkmcnt(0)
        0xbf81_0000, // s_endpgm
    ];
    for (before, after) in [(0x5555, 77), (0x5554, 0x5554)] {
        let (device, sgprs) = run(&kernel, before);
        let bytes = device.memory.into_bytes();
        assert_eq!(bytes[VALUE..][..4], u32::to_le_bytes(after), "{before:#x}");
        assert_eq!(sgprs[4..6], [before, 0x5555]);
    }
}
