//! The wait check reports registers that are used while the load to them is under way, whatever value they hold.

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::bus::Access;
use gcn::exec::Order;
use gcn::sanitizer::{Registers, Space, Unordered, Wanted};
use machine::Machine;
use machine::memory::Raced;

const WAITS: Wanted = Wanted { waits: true, ..Wanted::NOTHING };

/// What is told: the register, and the instructions with how the second one uses it.
fn told(machine: &mut Machine, text: &str) -> Vec<(String, String, String, Access)> {
    let before =
        "v_lshlrev_b32 v4, 2, v0\nv_mov_b32 v5, s1\nv_add_co_u32 v6, vcc, s0, v4\nv_addc_co_u32 v7, vcc, v5, 0, vcc";
    let lines = machine::lines(&format!("{before}\n{text}\ns_endpgm"));
    let (_, strays, raced) = machine.check_group_for(WAITS, 1, &lines, Order::round_robin());
    assert_eq!(strays, []);
    let one = |Raced { address, unordered, by: [first, second], .. }: Raced| {
        assert_eq!((unordered, first.space, first.wave), (Unordered::Begun, second.space, second.wave));
        let file = match first.space {
            Space::Register(Registers::Scalar) => "s",
            Space::Register(Registers::Vector) => "v",
            Space::Register(Registers::Accumulation) => "a",
            other => panic!("{other:?}"),
        };
        assert_eq!(first.lane.is_none(), file == "s");
        (format!("{file}{address}"), first.instruction, second.instruction, second.access)
    };
    raced.into_iter().map(one).collect()
}

macro_rules! machine {
    () => {{
        let Some(machine) = Machine::new() else {
            test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
        };
        machine
    }};
}

/// Loads, what waits for them, and uses.
const LOADS: [(&str, &str, &str, &str); 7] = [
    ("v1", "global_load_dword v1, v4, s[0:1]", "s_waitcnt vmcnt(0)", "v_add_u32_e32 v2, 1, v1"),
    ("v3", "buffer_load_dwordx4 v[0:3], off, s[8:11], 0", "s_waitcnt vmcnt(0)", "global_store_dword v4, v3, s[0:1]"),
    ("v1", "flat_load_dword v1, v[6:7]", "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v2, v1"),
    ("v1", "ds_read_b32 v1, v4", "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v2, v1"),
    ("v1", "ds_add_rtn_u32 v1, v4, v0", "s_waitcnt lgkmcnt(0)", "ds_write_b32 v1, v0"),
    ("s5", "s_load_dwordx2 s[4:5], s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "s_add_u32 s6, s5, 1"),
    ("s4", "s_load_dword s4, s[0:1], 0x0", "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v1, s4"),
];

#[test]
fn a_register_that_is_used_before_the_wait_is_told() {
    let mut machine = machine!();
    let before = "s_mov_b32 s8, s0\ns_mov_b32 s9, s1\ns_mov_b32 s10, -1\ns_mov_b32 s11, 0x27000";
    for (register, load, wait, used) in LOADS {
        let with = |wait: &str| format!("{before}\n{load}\n{wait}\n{used}\ns_waitcnt 0");
        let expected = (register.to_owned(), load.to_owned(), used.to_owned(), Access::Read);
        assert_eq!(told(&mut machine, &with("s_nop 0")), std::slice::from_ref(&expected), "{load}");
        assert_eq!(told(&mut machine, &with(wait)), [], "{load}");
        // A wait for the other counter waits for it no more than none does, but that FLAT may be to LDS.
        let other = if wait.contains("vmcnt") { "s_waitcnt lgkmcnt(0)" } else { "s_waitcnt vmcnt(0)" };
        let expected = if load.starts_with("flat") { vec![] } else { vec![expected] };
        assert_eq!(told(&mut machine, &with(other)), expected, "{load}");
    }
}

/// The load comes later and is what stays. Loads that come in order may be to the same register.
#[test]
fn a_register_that_is_overwritten_before_the_wait_is_told() {
    let mut machine = machine!();
    let load = "global_load_dword v1, v4, s[0:1]";
    for (next, is_told) in [
        ("v_mov_b32_e32 v1, 0", true),
        ("ds_read_b32 v1, v4", true),
        ("global_load_dword v1, v4, s[0:1] offset:4", false),
        ("v_mov_b32_e32 v2, 0", false),
    ] {
        let expected = ("v1".to_owned(), load.to_owned(), next.to_owned(), Access::Write);
        let expected = if is_told { vec![expected] } else { vec![] };
        assert_eq!(told(&mut machine, &format!("{load}\n{next}\ns_waitcnt 0")), expected, "{next}");
    }
    let twice = "s_load_dword s4, s[0:1], 0x0\ns_load_dword s4, s[0:1], 0x4\ns_waitcnt lgkmcnt(0)";
    assert_eq!(told(&mut machine, twice).len(), 1, "scalar loads come in any order");
}

/// The counters say how many of the newest are left. Of scalar loads nobody knows which.
#[test]
fn counters_wait_for_the_oldest() {
    let mut machine = machine!();
    let vector = "global_load_dword v1, v4, s[0:1]\nglobal_load_dword v2, v4, s[0:1] offset:4\nglobal_store_dword v4, v0, s[0:1]";
    let of = |machine: &mut Machine, loads: &str, wait: &str, uses: &str| {
        let all = told(machine, &format!("{loads}\ns_waitcnt {wait}\n{uses}\ns_waitcnt 0"));
        all.into_iter().map(|(register, ..)| register).collect::<Vec<_>>()
    };
    let uses = "v_mov_b32 v5, v1\nv_mov_b32 v5, v2";
    for (wait, expected) in
        [("vmcnt(3)", &["v1", "v2"][..]), ("vmcnt(2)", &["v2"]), ("vmcnt(1)", &[]), ("lgkmcnt(0)", &["v1", "v2"])]
    {
        assert_eq!(of(&mut machine, vector, wait, uses), expected, "{wait}");
    }
    let local = "ds_read_b32 v1, v4\nds_read_b32 v2, v4";
    assert_eq!(of(&mut machine, local, "lgkmcnt(1)", uses), ["v2"]);
    let scalar = "s_load_dword s4, s[0:1], 0x0\nds_read_b32 v1, v4";
    assert_eq!(of(&mut machine, scalar, "lgkmcnt(1)", "s_mov_b32 s6, s4\nv_mov_b32 v5, v1"), ["s4", "v1"]);
    // More than can be under way.
    let many = "global_load_dword v1, v4, s[0:1]\n".to_owned() + &"global_load_dword v2, v4, s[0:1]\n".repeat(63);
    assert_eq!(of(&mut machine, &many, "lgkmcnt(0)", uses), ["v2"]);
}

/// Lanes that were off when it began are not loaded.
#[test]
fn lanes_that_are_not_loaded_may_be_used() {
    let mut machine = machine!();
    let half = "s_mov_b64 s[8:9], exec\ns_mov_b32 exec_hi, 0\nglobal_load_dword v1, v4, s[0:1]";
    let other = "s_not_b64 exec, exec\nv_mov_b32 v1, 7\nv_mov_b32 v2, v1";
    let both = "s_mov_b64 exec, s[8:9]\nv_mov_b32_e32 v3, v1";
    assert_eq!(
        told(&mut machine, &format!("{half}\n{other}\ns_mov_b64 exec, s[8:9]\ns_waitcnt 0\nv_mov_b32 v3, v1")),
        []
    );
    let all = told(&mut machine, &format!("{half}\n{other}\n{both}\ns_waitcnt 0"));
    assert_eq!(all.iter().map(|(.., used, _)| used.as_str()).collect::<Vec<_>>(), ["v_mov_b32_e32 v3, v1"]);
}

/// Each load is told once, and nothing if nobody wants it.
#[test]
fn it_is_told_once_and_if_it_is_wanted() {
    let mut machine = machine!();
    let twice = "ds_read_b32 v1, v4\nv_mov_b32 v2, v1\nv_mov_b32 v3, v1\ns_endpgm";
    assert_eq!(told(&mut machine, twice).len(), 1);
    let lines = machine::lines(&format!("v_mov_b32 v4, 0\n{twice}"));
    let (.., raced) = machine.check_group_for(Wanted::USUAL, 1, &lines, Order::round_robin());
    assert_eq!(raced, []);
}
