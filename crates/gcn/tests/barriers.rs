//! The barrier check reports waves that wait at different barriers or end instead, and lanes that were off.

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::exec::Order;
use gcn::sanitizer::{Space, Unordered, Wanted};
use machine::Machine;
use machine::memory::Raced;

const WAVES: u16 = 3;
const BARRIERS: Wanted = Wanted { barriers: true, ..Wanted::NOTHING };
const ENDED: Wanted = Wanted { ended: true, ..Wanted::NOTHING };

/// An instruction, its wave and its lane.
type By = (String, u32, Option<u8>);

/// What is told, in round robin and in twenty other orders: always the same.
fn told(machine: &mut Machine, wanted: Wanted, text: &str) -> Vec<(Unordered, [By; 2])> {
    // s6 is the wave, v4 four times the work-item.
    let before = "v_lshlrev_b32 v4, 2, v0\nv_readfirstlane_b32 s6, v0\ns_lshr_b32 s6, s6, 6";
    let lines = machine::lines(&format!("{before}\n{text}\ns_endpgm"));
    let mut of = |order| {
        let (_, strays, raced) = machine.check_group_for(wanted, WAVES, &lines, order);
        assert_eq!(strays, []);
        let all = raced.into_iter().map(|Raced { by, unordered, .. }| {
            assert!(by.iter().all(|by| by.space == Space::Barrier));
            (unordered, by.map(|by| (by.instruction, by.wave, by.lane)))
        });
        all.collect::<Vec<_>>()
    };
    let first = of(Order::round_robin());
    for seed in 0..20 {
        // Who is told of first depends on the order, of several.
        let mut other = of(Order::seeded(seed));
        other.sort_by_key(|(_, [first, _])| first.1);
        let mut first = first.clone();
        first.sort_by_key(|(_, [first, _])| first.1);
        assert_eq!(other, first, "seed {seed}: {text}");
    }
    first
}

fn by(instruction: &str, wave: u32, lane: Option<u8>) -> By {
    (instruction.to_owned(), wave, lane)
}

macro_rules! machine {
    () => {{
        let Some(machine) = Machine::new() else {
            test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
        };
        machine
    }};
}

/// The last wave takes another way to a barrier.
const ELSEWHERE: &str = "s_cmp_eq_u32 s6, 2
    s_cbranch_scc1 2
    s_barrier
    s_branch 1
    s_barrier
    v_mov_b32 v5, 1";

#[test]
fn waves_that_meet_at_different_barriers_are_told() {
    let mut machine = machine!();
    let expected = [(Unordered::Elsewhere, [by("s_barrier", 0, None), by("s_barrier", 2, None)])];
    assert_eq!(told(&mut machine, BARRIERS, ELSEWHERE), expected);
    assert_eq!(told(&mut machine, ENDED, ELSEWHERE), []);
    // All at one, by different ways, and in a loop.
    let one = "s_cmp_eq_u32 s6, 2
        s_cbranch_scc1 1
        v_mov_b32 v5, 1
        s_barrier
        s_mov_b32 s7, 3
        s_barrier
        s_sub_u32 s7, s7, 1
        s_cmp_lg_u32 s7, 0
        s_cbranch_scc1 -4";
    assert_eq!(told(&mut machine, BARRIERS, one), []);
}

/// Waves that end are counted no longer, and are told if that is wanted: once for each barrier behind.
#[test]
fn waves_that_end_in_front_of_a_barrier_are_told() {
    let mut machine = machine!();
    let early = "s_cmp_eq_u32 s6, 1
        s_cbranch_scc0 1
        s_endpgm
        s_barrier
        s_barrier";
    let one = (Unordered::Ended, [by("s_barrier", 0, None), by("s_endpgm", 1, None)]);
    assert_eq!(told(&mut machine, ENDED, early), [one.clone(), one]);
    assert_eq!(told(&mut machine, BARRIERS, early), []);
    // One is left, which waits for none.
    let alone = "s_cmp_eq_u32 s6, 1
        s_cbranch_scc1 1
        s_endpgm
        s_barrier";
    let expected = [(Unordered::Ended, [by("s_barrier", 1, None), by("s_endpgm", 0, None)])];
    assert_eq!(told(&mut machine, ENDED, alone), expected);
    let behind = "s_barrier
        s_cmp_eq_u32 s6, 1
        s_cbranch_scc1 1
        s_endpgm";
    assert_eq!(told(&mut machine, ENDED, behind), []);
}

/// Lanes that are off at a barrier and do something later. Those that do nothing any more may have ended.
#[test]
fn lanes_that_skip_a_barrier_are_told() {
    let mut machine = machine!();
    let half = "s_mov_b64 s[8:9], exec\ns_mov_b32 exec_lo, 0xffff00ff\ns_barrier\ns_mov_b64 exec, s[8:9]";
    for behind in ["s_barrier", "global_store_dword v4, v0, s[0:1]"] {
        let expected = [0, 1, 2].map(|wave| (Unordered::Off, [by("s_barrier", wave, None), by(behind, wave, Some(8))]));
        let told = told(&mut machine, BARRIERS, &format!("{half}\n{behind}\n{behind}"));
        assert_eq!(told, expected, "once for each wave");
    }
    for right in [
        // All lanes.
        "s_barrier\ns_mov_b32 exec_lo, 0xffff00ff\nglobal_store_dword v4, v0, s[0:1]\ns_mov_b32 exec_lo, -1\ns_barrier",
        // Those that are off have ended.
        "s_mov_b32 exec_lo, 0xffff00ff\ns_barrier\nglobal_store_dword v4, v0, s[0:1]\ns_barrier\ns_mov_b64 exec, -1",
        // What compilers do with all lanes.
        "s_mov_b64 s[8:9], exec\ns_mov_b32 exec_lo, 0xff\ns_barrier\ns_mov_b64 exec, -1\nv_mov_b32 v5, 1\ns_mov_b32 exec_lo, 0xff\ns_barrier",
        // A barrier that no lane comes to.
        "s_mov_b64 exec, 0\ns_barrier\ns_mov_b64 exec, -1\ns_barrier",
    ] {
        assert_eq!(told(&mut machine, BARRIERS, right), [], "{right}");
    }
}

/// A work-group of one wave waits for none.
#[test]
fn a_wave_alone_is_left_alone() {
    let mut machine = machine!();
    let lines = machine::lines("s_mov_b64 exec, 1\ns_barrier\ns_mov_b64 exec, -1\ns_barrier\ns_endpgm");
    let (.., raced) = machine.check_group_for(BARRIERS, 1, &lines, Order::round_robin());
    assert_eq!(raced, []);
}
