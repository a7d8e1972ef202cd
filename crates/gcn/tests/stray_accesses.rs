//! A device that checks accesses reports those that it refuses though the memory is mapped, and waves continue as
//! without the check; also where the device gets the memory only when it is accessed (XNACK).

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::bus::{Access, MemoryFault};
use gcn::exec::Exception;
use gcn::sanitizer::Space;
use machine::memory::Told;
use machine::{BASE, Machine};

/// Where that ends which waves may access: not at a multiple of what vector and wide scalar instructions access.
const LIMIT: u64 = BASE + 0x1404;

/// Before each case: v2 is the lane, v3 four times that, v[4:5] the last dword but 31 lanes from the limit on, v[8:9] 1.
const BEFORE: &[&str] = &[
    "v_mov_b32 v2, v0",
    "v_lshlrev_b32 v3, 2, v0",
    "v_add_u32 v4, 0x11384, v3",
    "v_mov_b32 v5, 0",
    "v_mov_b32 v8, 1",
    "v_mov_b32 v9, 0",
];
/// Behind each case: what is in v[20:23] is in memory.
const AFTER: &[&str] = &["v_lshlrev_b32 v3, 4, v0", "global_store_dwordx4 v3, v[20:23], s[0:1]", "s_endpgm"];
/// A buffer resource of all memory, of texels of four dwords.
const BUFFER: &[&str] = &["s_mov_b32 s4, 0", "s_mov_b32 s5, 0", "s_mov_b32 s6, -1", "s_mov_b32 s7, 0x74fac"];

/// Lines of which one, `text` as it is disassembled, makes a stray access.
struct Case {
    name: &'static str,
    lines: &'static [&'static [&'static str]],
    text: &'static str,
    lane: Option<u8>,
    address: u64,
    access: Access,
}

const CASES: &[Case] = &[
    Case {
        name: "lanes at equal distances",
        lines: &[&["global_load_dword v20, v[4:5], off"]],
        text: "global_load_dword v20, v[4:5], off",
        lane: Some(32),
        address: LIMIT,
        access: Access::Read,
    },
    Case {
        name: "a load to the registers of its address",
        lines: &[&["global_load_dwordx2 v[4:5], v[4:5], off", "v_mov_b32 v20, v4", "v_mov_b32 v21, v5"]],
        text: "global_load_dwordx2 v[4:5], v[4:5], off",
        lane: Some(31),
        address: LIMIT,
        access: Access::Read,
    },
    Case {
        name: "the same by texels, lane by lane",
        lines: &[
            BUFFER,
            &["buffer_load_format_xyzw v[4:7], v4, s[4:7], 0 offen"],
            &["v_mov_b32 v20, v4", "v_mov_b32 v21, v5", "v_mov_b32 v22, v6", "v_mov_b32 v23, v7"],
        ],
        text: "buffer_load_format_xyzw v[4:7], v4, s[4:7], 0 offen",
        lane: Some(29),
        address: LIMIT,
        access: Access::Read,
    },
    Case {
        name: "a part of a register, by a lane that is not enabled at first",
        lines: &[&["s_mov_b32 exec_lo, 0", "global_load_short_d16_hi v20, v[4:5], off", "s_mov_b32 exec_lo, -1"]],
        text: "global_load_short_d16_hi v20, v[4:5], off",
        lane: Some(32),
        address: LIMIT,
        access: Access::Read,
    },
    Case {
        name: "a store",
        lines: &[&["global_store_dwordx2 v[4:5], v[2:3], off"]],
        text: "global_store_dwordx2 v[4:5], v[2:3], off",
        lane: Some(31),
        address: LIMIT,
        access: Access::Write,
    },
    Case {
        name: "an atomic, each second lane of which strays",
        lines: &[&[
            "v_and_b32 v4, 1, v2",
            "v_lshlrev_b32 v4, 2, v4",
            "v_add_u32 v4, 0x11400, v4",
            "global_atomic_add v20, v[4:5], v8, off glc",
        ]],
        text: "global_atomic_add v20, v[4:5], v8, off glc",
        lane: Some(1),
        address: LIMIT,
        access: Access::Atomic,
    },
    Case {
        name: "a wide atomic across the limit, to the registers of its address",
        lines: &[&[
            "v_lshlrev_b32 v4, 3, v2",
            "v_add_u32 v4, 0x11380, v4",
            "flat_atomic_add_x2 v[4:5], v[4:5], v[8:9] glc",
            "v_mov_b32 v20, v4",
            "v_mov_b32 v21, v5",
        ]],
        text: "flat_atomic_add_x2 v[4:5], v[4:5], v[8:9] glc",
        lane: Some(16),
        address: LIMIT - 4,
        access: Access::Atomic,
    },
    Case {
        name: "an atomic of which other lanes go to LDS, all to one place",
        lines: &[
            &["v_and_b32 v6, 1, v2", "v_cmp_eq_u32 vcc, 1, v6", "v_mov_b32 v6, 0x10000"],
            &["v_cndmask_b32 v5, v5, v6, vcc", "v_mov_b32 v6, 64", "v_cndmask_b32 v4, v4, v6, vcc"],
            &["flat_atomic_add v20, v[4:5], v8 glc", "ds_read_b32 v21, v6"],
        ],
        text: "flat_atomic_add v20, v[4:5], v8 glc",
        lane: Some(32),
        address: LIMIT,
        access: Access::Atomic,
    },
    Case {
        name: "a scalar load",
        lines: &[&["s_mov_b32 s4, 0x11400", "s_mov_b32 s5, 0", "s_load_dword s8, s[4:5], 0x4", "v_mov_b32 v20, s8"]],
        text: "s_load_dword s8, s[4:5], 0x4",
        lane: None,
        address: LIMIT,
        access: Access::Read,
    },
    Case {
        name: "a scalar load that begins inside, and is not aligned to its size",
        lines: &[&[
            "s_mov_b32 s4, 0x11400",
            "s_mov_b32 s5, 0",
            "s_load_dwordx4 s[4:7], s[4:5], -0x4",
            "v_mov_b32 v20, s4",
            "v_mov_b32 v21, s6",
        ]],
        text: "s_load_dwordx4 s[4:7], s[4:5], -0x4",
        lane: None,
        address: LIMIT,
        access: Access::Read,
    },
];

fn all(lines: &[&[&str]]) -> Vec<String> {
    [&[BEFORE][..], lines, &[AFTER]].concat().concat().into_iter().map(str::to_owned).collect()
}

/// Other bytes at each address.
fn data() -> Vec<u8> {
    (0..0x3000u32).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

#[test]
fn each_way_is_told_once_and_changes_nothing() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let data = data();
    for Case { name, lines, text, lane, address, access } in CASES {
        let lines = all(lines);
        let at = lines.iter().position(|line| line == text).expect("one of the lines");
        let pc = BASE + machine.length(&lines[..at]);
        let told = Told {
            pc,
            instruction: (*text).to_owned(),
            wave: 0,
            lane: *lane,
            space: Space::Device,
            address: *address,
            access: *access,
        };
        let [(unchecked, nothing), windows, lines] = machine.stray(&lines, &data, LIMIT);
        assert_eq!(nothing, []);
        assert_ne!(unchecked[0x1000..0x1400], data[..0x400], "{name}: it computed nothing");
        assert_eq!(windows.1, std::slice::from_ref(&told), "{name}");
        assert_eq!(lines.1, [told], "{name}: in lines");
        assert!(windows.0 == unchecked && lines.0 == unchecked, "{name}: other results");
    }
}

/// As on a device that has the memory from the start, whatever of an instruction was done before the access that had to
/// wait.
#[test]
fn each_way_is_done_again_when_the_memory_is_there() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let data = data();
    for Case { name, lines, text, lane, address, access } in CASES {
        let lines = all(lines);
        let at = lines.iter().position(|line| line == text).expect("one of the lines");
        let first = Exception::MemoryFault {
            pc: BASE + machine.length(&lines[..at]),
            instruction: Some((*text).to_owned()),
            lane: *lane,
            fault: MemoryFault { address: *address, access: *access, protection: false },
        };
        let [(whole, instructions, none), windows, in_lines] = machine.replay(&lines, &data, LIMIT);
        assert_eq!(none, []);
        assert_eq!(windows.2.first(), Some(&first), "{name}");
        for (how, (memory, executed, faults)) in [("windows", windows), ("lines", in_lines)] {
            // A line is there as soon as its first dword is.
            assert!(!faults.is_empty(), "{name}: {how}");
            assert!(memory == whole, "{name}: {how}: other results");
            assert_eq!(executed, instructions, "{name}: {how}: each instruction counts once");
        }
    }
}

/// It is told each time: what was found once does not count for what comes next.
#[test]
fn the_next_instruction_strays_too() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = all(&[&["global_load_dword v20, v[4:5], off", "global_load_dword v21, v[4:5], off"]]);
    let [_, (_, windows), (_, in_lines)] = machine.stray(&lines, &data(), LIMIT);
    assert_eq!((windows.len(), in_lines.len()), (2, 2));
    assert_eq!(windows[1].instruction, "global_load_dword v21, v[4:5], off");
}

/// Compilers load more than they need where that cannot fault.
#[test]
fn aligned_scalar_loads_may_read_ahead() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = all(&[&[
        "s_mov_b32 s4, 0x11400",
        "s_mov_b32 s5, 0",
        "s_load_dwordx4 s[4:7], s[4:5], 0x0",
        "v_mov_b32 v20, s4",
        "v_mov_b32 v21, s7",
    ]]);
    let [(unchecked, _), (windows, told), (in_lines, told_in_lines)] = machine.stray(&lines, &data(), LIMIT);
    assert_eq!((told, told_in_lines), (vec![], vec![]));
    assert!(windows == unchecked && in_lines == unchecked);
}
