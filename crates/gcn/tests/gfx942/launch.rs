//! Initial state of a wave on gfx942: ids, the base of private memory, its die, and arguments in registers.

#[path = "../support/launch.rs"]
mod packet;

use crate::NO_LLVM;
use crate::machine::lines;
use crate::machine::memory::Memory;
use crate::support::{assemble, has_llvm};
use gcn::exec::{Code, Launch, LaunchError, LaunchParameters, Order, Outcome, Place, Scratch, View, Workgroup};
use gcn::target::Target;
use packet::one_wave;

const BASE: u64 = 0x7000_0001_0000;
const ARGUMENTS: u64 = BASE + 0x1000;
const SCRATCH: u64 = BASE + 0x2000;
const BYTES: usize = 0x8000;

fn content(target: Target, code: &str) -> Vec<u8> {
    let mut content: Vec<u8> =
        assemble(target, &lines(code)).into_iter().flat_map(|code| code.expect("assembles")).collect();
    content.resize(BYTES, 0);
    for i in 0..64u32 {
        content[(ARGUMENTS - BASE) as usize + 4 * i as usize..][..4].copy_from_slice(&(1000 + i).to_le_bytes());
    }
    content
}

/// The descriptor with these words: `COMPUTE_PGM_RSRC1`, `COMPUTE_PGM_RSRC2`, properties, KERNARG_PRELOAD_SPEC.
fn parameters(rsrc: [u32; 2], properties: u16, preload: u16) -> LaunchParameters {
    let mut parameters = one_wave(BASE);
    let descriptor = &mut parameters.descriptor;
    // ACCUM_OFFSET.
    descriptor[44] = 7;
    descriptor[48..52].copy_from_slice(&(rsrc[0] | 7).to_le_bytes());
    descriptor[52..56].copy_from_slice(&rsrc[1].to_le_bytes());
    descriptor[56..58].copy_from_slice(&properties.to_le_bytes());
    descriptor[58..60].copy_from_slice(&preload.to_le_bytes());
    parameters.packet[40..48].copy_from_slice(&ARGUMENTS.to_le_bytes());
    parameters
}

fn run(memory: &Memory, code: &Code, launch: &Launch, slot: u32, place: Option<Place>) -> Workgroup {
    let mut group = Workgroup::new();
    group.start(launch, [0; 3], slot);
    place.into_iter().for_each(|place| group.place(place));
    assert_eq!(group.run(&mut View::new(memory, code), 1000, &mut Order::round_robin()), Outcome::Done);
    group
}

#[test]
fn private_memory_has_a_base_and_scratch_has_two_addresses() {
    if !has_llvm() {
        test_skip::skip!("{NO_LLVM}");
    }
    // s20 is 8; the offsets of the lanes are 16.
    let text = "s_mov_b32 s20, 8
        v_mov_b32 v1, 16
        v_add_u32 v2, 100, v0
        v_add_u32 v3, 200, v0
        v_add_u32 v4, 300, v0
        v_add_u32 v5, 400, v0
        scratch_store_dword v1, v2, s20 offset:4
        scratch_store_dword v1, v3, off offset:4
        scratch_store_dword off, v4, s20 offset:4
        scratch_store_dword off, v5, off offset:4
        s_mov_b32 m0, 0
        scratch_load_lds_dword v1, s20 offset:4
        scratch_load_dword v6, v1, s20 offset:4
        s_endpgm";
    let memory = Memory::new(BASE, &content(Target::Gfx942, text));
    let code = Code::new(Target::Gfx942);
    // ENABLE_PRIVATE_SEGMENT and a work-group id, which is not behind an offset of private memory.
    let mut parameters = parameters([0, 1 | 1 << 7], 0, 0);
    parameters.packet[24] = 64;
    parameters.packet[28..32].copy_from_slice(&1024u32.to_le_bytes());
    parameters.scratch = Scratch { base: SCRATCH, bytes: 0x3000 };
    let launch = Launch::new(&parameters, &code).expect("valid");
    let group = run(&memory, &code, &launch, 1, None);
    let wave = &group.waves()[0];
    assert_eq!(wave.sgpr[102..104], [(SCRATCH + 4096) as u32, (SCRATCH >> 32) as u32]);
    assert_eq!(wave.sgpr[..2], [0, 0], "the work-group's id, and no offset of private memory behind it");
    assert_eq!(wave.vgpr[6].0[7], 107);
    let bytes = memory.into_bytes();
    for (offset, first) in [(28, 100), (20, 200), (12, 300), (4, 400)] {
        for lane in 0..64usize {
            let at = (SCRATCH - BASE) as usize + 4096 + offset * 64 + lane * 4;
            let word = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
            assert_eq!(word, first + lane as u32, "offset {offset} of lane {lane}");
        }
    }
}

#[test]
fn registers_for_private_memory_are_refused() {
    let code = Code::new(Target::Gfx942);
    for properties in [1 << 0, 1 << 5] {
        let error = Launch::new(&parameters([0, 16 << 1], properties, 0), &code).expect_err("refused");
        assert!(matches!(error, LaunchError::Descriptor(text) if text.contains("architected flat scratch")), "{error}");
    }
}

#[test]
fn a_wave_knows_its_die() {
    if !has_llvm() {
        test_skip::skip!("{NO_LLVM}");
    }
    let text = "s_getreg_b32 s18, hwreg(HW_REG_XCC_ID)\ns_getreg_b32 s19, hwreg(HW_REG_XCC_ID, 0, 4)\ns_getreg_b32 s20, hwreg(HW_REG_HW_ID, 13, 2)\ns_endpgm";
    let memory = Memory::new(BASE, &content(Target::Gfx942, text));
    let code = Code::new(Target::Gfx942);
    let launch = Launch::new(&parameters([0, 0], 0, 0), &code).expect("valid");
    for (place, expected) in [(None, [0, 0, 0]), (Some(Place { xcc: 5, engine: 3, ..Place::FIRST }), [5, 5, 3])] {
        assert_eq!(run(&memory, &code, &launch, 0, place).waves()[0].sgpr[18..21], expected);
    }
}

#[test]
fn ids_of_work_items_share_a_register() {
    let code = Code::new(Target::Gfx942);
    let mut parameters = parameters([0, 2 << 11], 0, 0);
    parameters.packet[4..10].copy_from_slice(&[4, 0, 4, 0, 4, 0]);
    parameters.packet[12..24].copy_from_slice(&[4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0]);
    let mut group = Workgroup::new();
    group.start(&Launch::new(&parameters, &code).expect("valid"), [0; 3], 0);
    let expected = std::array::from_fn(|lane| (lane & 3 | (lane >> 2 & 3) << 10 | (lane >> 4) << 20) as u32);
    assert_eq!(group.waves()[0].vgpr[0].0, expected);
}

/// With and without the device's help a kernel has its arguments in the same registers.
#[test]
fn arguments_are_loaded_before_or_by_the_kernel() {
    if !has_llvm() {
        test_skip::skip!("{NO_LLVM}");
    }
    // What compilers put before the entry, 256 bytes long; s16 tells which way was taken.
    let prologue = format!(
        "s_load_dwordx4 s[4:7], s[2:3], 0x8
        s_mov_b32 s16, 1
        s_branch 59\n{}s_nop 0\ns_endpgm",
        "s_nop 0\n".repeat(59)
    );
    for target in [Target::Gfx90a, Target::Gfx942] {
        let content = content(target, &prologue);
        let memory = Memory::new(BASE, &content);
        let code = Code::new(target);
        // KERNARG_SEGMENT_PTR and the queue; four dwords from the third on; eight user SGPRs.
        let parameters = parameters([0, 8 << 1], 1 << 2 | 1 << 3, 4 | 2 << 7);
        let launch = Launch::new(&parameters, &code).expect("valid");
        let late = run(&memory, &code, &launch, 0, None);
        let (address, bytes) = launch.preloaded_arguments().expect("four dwords");
        assert_eq!((address, bytes), (ARGUMENTS + 8, 16));
        let early = launch.with_preloaded_arguments(&content[(address - BASE) as usize..][..bytes]);
        assert_eq!((early.entry, early.preloaded_arguments()), (BASE + 256, None));
        let early = run(&memory, &code, &early, 0, None);
        assert_eq!(early.waves()[0].sgpr[4..8], [1002, 1003, 1004, 1005]);
        assert_eq!(late.waves()[0].sgpr[4..8], [1002, 1003, 1004, 1005]);
        assert_eq!((early.waves()[0].sgpr[16], late.waves()[0].sgpr[16]), (0, 1));
    }
    // gfx908 has none, and takes no notice.
    let launch = Launch::new(&parameters([0, 8 << 1], 1 << 3, 4), &Code::new(Target::Gfx908)).expect("valid");
    assert_eq!((launch.entry, launch.preloaded_arguments()), (BASE, None));
    assert_eq!(launch.with_preloaded_arguments(&[1; 64]).entry, BASE);
}

#[test]
fn more_arguments_than_there_are_registers_for_are_an_error() {
    let code = Code::new(Target::Gfx942);
    let launch = |preload, user: u32| Launch::new(&parameters([0, user << 1], 1 << 3, preload), &code);
    assert_eq!(launch(14, 16).expect("valid").preloaded_arguments(), Some((ARGUMENTS, 56)));
    for (preload, user) in [(15, 16), (4, 5)] {
        assert!(matches!(launch(preload, user), Err(LaunchError::Descriptor(_))), "{preload}, {user}");
    }
}
