//! A memory fault reports instruction, wave, lane, address and access, for each way in which lanes access memory.

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::bus::{Access, MemoryFault};
use gcn::exec::Exception;
use machine::{BASE, END, Machine};

/// Lines that fault at the last of them but `s_endpgm`.
struct Case {
    name: &'static str,
    lines: &'static [&'static str],
    /// As `raise` and the assembler know it, if it is not the line.
    text: &'static str,
    lane: Option<u8>,
    address: u64,
    access: Access,
}

/// Page-aligned, mapped by nobody.
const NOWHERE: u64 = 0x7000_0000;

/// Before each case: v2 is the lane, v[4:5] the last dword but 32 lanes from the end.
const BEFORE: &[&str] =
    &["v_and_b32 v2, 63, v0", "v_lshlrev_b32 v3, 2, v2", "v_add_u32 v4, 0x13f80, v3", "v_mov_b32 v5, 0"];

const CASES: &[Case] = &[
    Case {
        name: "lanes at equal distances, of which the first is in memory",
        lines: &["global_store_dword v[4:5], v2, off"],
        text: "global_store_dword v[4:5], v2, off",
        lane: Some(32),
        address: END,
        access: Access::Write,
    },
    Case {
        name: "lanes at equal distances, of which none is",
        lines: &["v_add_u32 v4, 0x6ffec080, v4", "global_load_dword v8, v[4:5], off"],
        text: "global_load_dword v8, v[4:5], off",
        lane: Some(0),
        address: NOWHERE,
        access: Access::Read,
    },
    Case {
        name: "the same by a 32-bit offset to a scalar base",
        lines: &["s_mov_b32 s4, 0x6ffec080", "s_mov_b32 s5, 0", "global_load_dwordx2 v[8:9], v4, s[4:5]"],
        text: "global_load_dwordx2 v[8:9], v4, s[4:5]",
        lane: Some(0),
        address: NOWHERE,
        access: Access::Read,
    },
    Case {
        name: "one lane of all",
        lines: &[
            "v_mov_b32 v4, 0x10800",
            "v_mov_b32 v6, 0x70000000",
            "v_cmp_eq_u32 vcc, 37, v2",
            "v_cndmask_b32 v4, v4, v6, vcc",
            "global_load_ubyte v8, v[4:5], off",
        ],
        text: "global_load_ubyte v8, v[4:5], off",
        lane: Some(37),
        address: NOWHERE,
        access: Access::Read,
    },
    Case {
        name: "the lowest of those that are enabled",
        lines: &[
            "v_mov_b32 v4, 0x70000000",
            "s_mov_b32 exec_lo, 0x50",
            "s_mov_b32 exec_hi, 1",
            "flat_store_short v[4:5], v2",
        ],
        text: "flat_store_short v[4:5], v2",
        lane: Some(4),
        address: NOWHERE,
        access: Access::Write,
    },
    Case {
        name: "a lane of the upper half alone",
        lines: &[
            "v_mov_b32 v4, 0x70000000",
            "s_mov_b32 exec_lo, 0",
            "s_brev_b32 exec_hi, 1",
            "global_load_dwordx4 v[8:11], v[4:5], off",
        ],
        text: "global_load_dwordx4 v[8:11], v[4:5], off",
        lane: Some(63),
        address: NOWHERE,
        access: Access::Read,
    },
    Case {
        name: "an atomic",
        lines: &["global_atomic_add v8, v[4:5], v2, off glc"],
        text: "global_atomic_add v8, v[4:5], v2, off glc",
        lane: Some(32),
        address: END,
        access: Access::Atomic,
    },
    Case {
        name: "a buffer",
        lines: &[
            "s_mov_b32 s4, 0x10000",
            "s_mov_b32 s5, 0",
            "s_mov_b32 s6, -1",
            "s_mov_b32 s7, 0x27000",
            "v_add_u32 v4, 0xffff0000, v4",
            "buffer_load_dword v8, v4, s[4:7], 0 offen",
        ],
        text: "buffer_load_dword v8, v4, s[4:7], 0 offen",
        lane: Some(32),
        address: END,
        access: Access::Read,
    },
    Case {
        name: "a scalar load, which is the wave's",
        lines: &["s_mov_b32 s4, 0x70000000", "s_mov_b32 s5, 0", "s_load_dwordx2 s[8:9], s[4:5], 0x0"],
        text: "s_load_dwordx2 s[8:9], s[4:5], 0x0",
        lane: None,
        address: NOWHERE,
        access: Access::Read,
    },
];

#[test]
fn each_way_names_instruction_and_lane() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    for Case { name, lines, text, lane, address, access } in CASES {
        let all = [BEFORE, lines, &["s_endpgm"]].concat().into_iter().map(str::to_owned).collect::<Vec<_>>();
        let before = machine.length(&all[..all.len() - 2]);
        let fault = MemoryFault { address: *address, access: *access, protection: false };
        let expected =
            Exception::MemoryFault { pc: BASE + before, instruction: Some((*text).to_owned()), lane: *lane, fault };
        assert_eq!(machine.raise(1, &all), [(expected.clone(), 0), (expected, 0)], "{name}");
    }
}

/// The third of four waves stores beyond the end.
#[test]
fn the_wave_is_the_one_that_faults() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = [
        "v_mov_b32 v4, 0x10800",
        "v_mov_b32 v6, 0x70000000",
        "v_cmp_eq_u32 vcc, 0x85, v0",
        "v_cndmask_b32 v4, v4, v6, vcc",
        "v_mov_b32 v5, 0",
        "global_store_dword v[4:5], v0, off",
        "s_endpgm",
    ];
    for (exception, wave) in machine.raise(4, &lines.map(str::to_owned)) {
        let Exception::MemoryFault { lane, ref fault, .. } = exception else { panic!("{exception:?}") };
        assert_eq!((wave, lane, fault.address), (2, Some(5), NOWHERE));
        assert_eq!(
            exception.to_string(),
            format!(
                "memory fault at 0x70000000 (Write) by global_store_dword v[4:5], v0, off at {:#x}, lane 5",
                BASE + 32
            )
        );
    }
}

#[test]
fn what_cannot_be_fetched_has_no_text() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = ["s_mov_b32 s4, 0x70000000", "s_mov_b32 s5, 0", "s_setpc_b64 s[4:5]"];
    let fault = MemoryFault { address: NOWHERE, access: Access::Execute, protection: false };
    let expected = Exception::MemoryFault { pc: NOWHERE, instruction: None, lane: None, fault };
    let text = expected.to_string();
    assert_eq!(format!("{expected:?}"), text);
    assert_eq!(machine.raise(1, &lines.map(str::to_owned)), [(expected.clone(), 0), (expected, 0)]);
    assert_eq!(text, "memory fault at 0x70000000 (Execute) by the instruction at 0x70000000");
}
