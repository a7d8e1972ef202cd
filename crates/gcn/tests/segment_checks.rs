//! The bounds check reports accesses behind a kernel's arguments, and those outside a work-item's private memory.

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::bus::Access;
use gcn::sanitizer::Space;
use gcn::target::Target;
use machine::memory::Told;
use machine::{BASE, DATA, Machine};

/// Bytes of the arguments.
const KERNARG: u32 = 24;
/// Bytes of private memory of a work-item.
const PRIVATE: u32 = 16;

/// Before each case: v4 is 12 in lanes 0 to 39 and 16 in the others, v5 the upper half of addresses in private memory,
/// v\[6:7\] the arguments' address, v8 1.
const BEFORE: &str = "v_and_b32 v2, 63, v0
    v_mov_b32 v4, 12
    v_mov_b32 v5, 16
    v_cmp_lt_u32 vcc, 39, v2
    v_cndmask_b32 v4, v4, v5, vcc
    v_mov_b32 v5, 0x20000
    v_mov_b32 v6, s4
    v_mov_b32 v7, s5
    v_mov_b32 v8, 1";
/// What kernels do first where chips do not.
const SET_UP: &str = "s_add_u32 flat_scratch_lo, s6, s8
    s_addc_u32 flat_scratch_hi, s7, 0";

fn all(set_up: &str, lines: &str) -> Vec<String> {
    machine::lines(&format!("{set_up}\n{BEFORE}\n{lines}\ns_endpgm"))
}

/// What two waves are told of: by the last instruction before the end, each of `waves`.
fn check(machine: &mut Machine, lines: &[String], waves: &[u32], kind: (Option<u8>, Space, u64, Access)) {
    let (last, before) = lines[..lines.len() - 1].split_last().expect("there are some");
    let pc = BASE + machine.length(before);
    let (lane, space, address, access) = kind;
    let told = |&wave| Told { pc, instruction: last.clone(), wave, lane, space, address, access };
    let expected: Vec<Told> = waves.iter().map(told).collect();
    assert_eq!(machine.check_segments(2, KERNARG, PRIVATE, lines), expected, "{last}");
}

/// Loads of the first argument that is not there, by which lane. In front of the last is what it needs.
const BEHIND: &[(&str, Option<u8>)] = &[
    ("s_load_dword s10, s[4:5], 0x18", None),
    ("s_load_dwordx2 s[4:5], s[4:5], 0x18", None),
    ("s_mov_b32 s11, 24\ns_load_dword s10, s[4:5], s11", None),
    ("global_load_dword v10, v4, s[4:5] offset:8", Some(40)),
    ("global_load_dwordx2 v[6:7], v[6:7], off offset:24", Some(0)),
    ("s_mov_b32 exec_lo, 0x80\nflat_load_ubyte v10, v[6:7] offset:24", Some(7)),
];

#[test]
fn loads_behind_the_arguments_are_told() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let space = Space::Kernarg { start: DATA, bytes: KERNARG };
    for &(lines, lane) in BEHIND {
        let lines = all(SET_UP, lines);
        check(&mut machine, &lines, &[0, 1], (lane, space, DATA + u64::from(KERNARG), Access::Read));
        assert_eq!(machine.check_segments(2, 0, PRIVATE, &lines), [], "of no known size: {lines:?}");
    }
}

/// The last argument, wide loads that begin in it, what is before the arguments and far behind them, other pointers,
/// and stores.
#[test]
fn other_loads_around_the_arguments_are_left_alone() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = all(
        SET_UP,
        "s_load_dword s10, s[4:5], 0x14
        s_load_dwordx4 s[12:15], s[4:5], 0x10
        s_load_dwordx2 s[12:13], s[4:5], 0x14
        s_load_dword s10, s[4:5], -0x4
        s_load_dword s10, s[4:5], 0x1018
        s_add_u32 s12, s4, 8
        s_mov_b32 s13, s5
        s_load_dword s10, s[12:13], 0x10
        global_load_dword v10, v4, s[4:5] offset:4
        global_load_dword v10, v4, s[12:13] offset:8
        global_load_dword v10, v[6:7], off offset:20
        v_add_u32 v6, 4, v6
        flat_load_dword v10, v[6:7] offset:20
        global_store_dword v4, v8, s[4:5] offset:8",
    );
    assert_eq!(machine.check_segments(2, KERNARG, PRIVATE, &lines), []);
}

/// Accesses of which lanes are outside, from which lane on, at which offset.
const OUTSIDE: &[(&str, u8, u64, Access)] = &[
    ("buffer_load_dword v10, off, s[0:3], s8 offset:16", 0, 16, Access::Read),
    ("buffer_load_ubyte v10, v4, s[0:3], s8 offen", 40, 16, Access::Read),
    ("buffer_store_dword v0, v4, s[0:3], s8 offen", 40, 16, Access::Write),
    ("buffer_store_dwordx2 v[0:1], off, s[0:3], s8 offset:12", 0, 16, Access::Write),
    ("buffer_atomic_add v8, v4, s[0:3], s8 offen", 40, 16, Access::Atomic),
    // As newer compilers do.
    (
        "s_add_u32 s0, s0, s8\ns_addc_u32 s1, s1, 0\nbuffer_load_dword v10, off, s[0:3], 0 offset:20",
        0,
        20,
        Access::Read,
    ),
    ("flat_load_dword v10, v[4:5]", 40, 16, Access::Read),
    ("flat_load_dwordx3 v[4:6], v[4:5]", 0, 16, Access::Read),
    ("flat_store_short v[4:5], v0 offset:2", 40, 18, Access::Write),
    ("flat_atomic_add v10, v[4:5], v8 glc", 40, 16, Access::Atomic),
    ("scratch_load_dword v10, v4, off", 40, 16, Access::Read),
    ("s_mov_b32 s9, 4\nscratch_store_dword off, v0, s9 offset:12", 0, 16, Access::Write),
];

#[test]
fn accesses_outside_of_private_memory_are_told() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let space = Space::Private { bytes: PRIVATE };
    for &(lines, lane, address, access) in OUTSIDE {
        check(&mut machine, &all(SET_UP, lines), &[0, 1], (Some(lane), space, address, access));
    }
    // The work-group is in the second slot. By its offset, and by none, waves use what is another's.
    let mut of = |soffset: &str| -> Vec<(u32, u64)> {
        let lines = all(SET_UP, &format!("s_mov_b32 s9, {soffset}\nbuffer_load_dword v10, off, s[0:3], s9 offset:4"));
        machine.check_segments(2, KERNARG, PRIVATE, &lines).iter().map(|told| (told.wave, told.address)).collect()
    };
    assert_eq!(of("0x800"), [(1, 0xffff_fff4)]);
    assert_eq!(of("0"), [(0, 0xffff_ffe4), (1, 0xffff_ffd4)]);
}

/// The last bytes, lanes that are off, and other memory by the same instructions.
#[test]
fn other_accesses_around_private_memory_are_left_alone() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = all(
        SET_UP,
        "buffer_load_dword v10, off, s[0:3], s8 offset:12
        buffer_store_dwordx2 v[0:1], off, s[0:3], s8 offset:8
        s_mov_b32 s9, 0
        scratch_load_dwordx4 v[10:13], off, s9
        global_load_dword v10, v[6:7], off
        flat_load_dword v10, v[6:7]
        s_mov_b32 s12, s6
        s_mov_b32 s13, s7
        s_mov_b32 s14, -1
        s_mov_b32 s15, 0x24fac
        buffer_load_dword v10, v4, s[12:15], s8 offen offset:64
        s_mov_b32 exec_lo, 0xffff
        s_mov_b32 exec_hi, 0
        buffer_load_dword v10, v4, s[0:3], s8 offen
        flat_load_dword v10, v[4:5]
        scratch_load_dword v10, v4, off",
    );
    assert_eq!(machine.check_segments(2, KERNARG, PRIVATE, &lines), []);
}

/// Where the chip has set FLAT_SCRATCH itself.
#[test]
fn so_they_are_on_gfx942() {
    let Some(mut machine) = Machine::of(Target::Gfx942) else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let private = Space::Private { bytes: PRIVATE };
    let arguments = Space::Kernarg { start: DATA, bytes: KERNARG };
    let behind = DATA + u64::from(KERNARG);
    for (lines, kind) in [
        ("scratch_load_dword v10, v4, off", (Some(40), private, 16, Access::Read)),
        ("flat_store_dwordx2 v[4:5], v[0:1]", (Some(0), private, 16, Access::Write)),
        ("s_load_dword s10, s[4:5], 0x18", (None, arguments, behind, Access::Read)),
        ("global_load_dword v10, v4, s[4:5] offset:8", (Some(40), arguments, behind, Access::Read)),
    ] {
        check(&mut machine, &all("", lines), &[0, 1], kind);
    }
}
