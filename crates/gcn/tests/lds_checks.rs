//! The LDS checks report accesses out of bounds and unordered accesses of different waves, in whichever order they are
//! executed.

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::bus::Access;
use gcn::exec::Order;
use gcn::sanitizer::{Space, Storage, Unordered, Wanted};
use machine::Machine;
use machine::memory::{Raced, Told};

/// Before each case: v1 is the wave, v2 the lane, v3 four times the work-item, v4 four times the work-item 64 further
/// on, of 256, v5 0, v6 1.
const BEFORE: &str = "v_lshrrev_b32 v1, 6, v0
    v_and_b32 v2, 63, v0
    v_lshlrev_b32 v3, 2, v0
    v_add_u32 v4, 0x100, v3
    v_and_b32 v4, 0x3ff, v4
    v_mov_b32 v5, 0
    v_mov_b32 v6, 1";

fn all(lines: &str) -> Vec<String> {
    machine::lines(&format!("{BEFORE}\n{lines}\ns_endpgm"))
}

/// Runs lines as a work-group of four waves, in turn and in fifty other orders. What is told of must be the same in
/// all: pairs of instructions, without who was first.
fn pairs(machine: &mut Machine, lines: &str) -> Vec<[String; 2]> {
    let lines = all(lines);
    let mut pairs_of = |order| {
        let (_, told, raced) = machine.check_group(4, &lines, order);
        assert_eq!(told, [], "{lines:?}");
        let mut pairs: Vec<[String; 2]> = raced
            .into_iter()
            .map(|Raced { by, .. }| {
                assert_ne!(by[0].wave, by[1].wave, "{by:?}");
                assert!(by.iter().any(|by| by.access == Access::Write) || by[0].access != by[1].access, "{by:?}");
                let mut texts = by.map(|by| by.instruction);
                texts.sort();
                texts
            })
            .collect();
        pairs.sort();
        pairs.dedup();
        pairs
    };
    let in_turn = pairs_of(Order::round_robin());
    for seed in 0..50 {
        assert_eq!(pairs_of(Order::seeded(seed)), in_turn, "seed {seed}");
    }
    in_turn
}

/// Lines that race, by which pair, and the same with their cure, which do not.
const CASES: &[(&str, &str, [&str; 2], &str)] = &[
    (
        "a load in front of an atomic, of which compilers make a loop of compare-and-swap where the chip has none",
        "ds_read_b32 v10, v5
         ds_max_rtn_u32 v12, v5, v0",
        ["ds_max_rtn_u32 v12, v5, v0", "ds_read_b32 v10, v5"],
        "ds_read_b32 v10, v5
         v_add_u32 v11, v10, v6
         ds_cmpst_rtn_b32 v12, v5, v10, v11",
    ),
    (
        "a load in front of an atomic, in a loop that looks at several places",
        "s_mov_b32 s9, 0
         v_lshlrev_b32 v8, 0, v5
         ds_read_b32 v10, v8
         s_waitcnt lgkmcnt(0)
         s_add_u32 s9, s9, 1
         s_cmp_lt_u32 s9, 2
         s_cbranch_scc1 65529
         ds_max_rtn_u32 v12, v8, v0",
        ["ds_max_rtn_u32 v12, v8, v0", "ds_read_b32 v10, v8"],
        "s_mov_b32 s9, 0
         v_lshlrev_b32 v8, 0, v5
         ds_read_b32 v10, v8
         s_waitcnt lgkmcnt(0)
         s_add_u32 s9, s9, 1
         s_cmp_lt_u32 s9, 2
         s_cbranch_scc1 65529
         ds_cmpst_rtn_b32 v12, v8, v10, v1",
    ),
    (
        "a load of what another wave stores",
        "ds_write_b32 v3, v0
         ds_read_b32 v10, v4",
        ["ds_read_b32 v10, v4", "ds_write_b32 v3, v0"],
        "ds_write_b32 v3, v0
         s_waitcnt lgkmcnt(0)
         s_barrier
         ds_read_b32 v10, v4",
    ),
    (
        "the next round's store before all have loaded",
        "ds_write_b32 v3, v0
         s_waitcnt lgkmcnt(0)
         s_barrier
         ds_read_b32 v10, v4
         ds_write_b32 v3, v10 offset:0",
        ["ds_read_b32 v10, v4", "ds_write_b32 v3, v10"],
        "ds_write_b32 v3, v0
         s_waitcnt lgkmcnt(0)
         s_barrier
         ds_read_b32 v10, v4
         s_waitcnt lgkmcnt(0)
         s_barrier
         ds_write_b32 v3, v10 offset:0",
    ),
    (
        "stores of different values to one place",
        "ds_write_b32 v5, v1",
        ["ds_write_b32 v5, v1", "ds_write_b32 v5, v1"],
        "ds_write_b32 v5, v6",
    ),
    (
        "a load next to atomics",
        "ds_add_u32 v5, v6
         ds_read_b32 v10, v5",
        ["ds_add_u32 v5, v6", "ds_read_b32 v10, v5"],
        "ds_add_u32 v5, v6
         s_waitcnt lgkmcnt(0)
         s_barrier
         ds_read_b32 v10, v5",
    ),
    (
        "the second of two places",
        "ds_write_b32 v3, v0
         ds_read2st64_b32 v[10:11], v3 offset0:8 offset1:1",
        ["ds_read2st64_b32 v[10:11], v3 offset0:8 offset1:1", "ds_write_b32 v3, v0"],
        "ds_write_b32 v3, v0
         ds_read2st64_b32 v[10:11], v3 offset0:8 offset1:0",
    ),
    (
        "one byte of sixteen",
        "v_lshlrev_b32 v7, 4, v0
         ds_write_b128 v7, v[0:3]
         v_add_u32 v7, 15, v7
         v_add_u32 v7, 0x400, v7
         ds_read_u8 v10, v7",
        ["ds_read_u8 v10, v7", "ds_write_b128 v7, v[0:3]"],
        "v_lshlrev_b32 v7, 4, v0
         ds_write_b128 v7, v[0:3]
         v_add_u32 v7, 15, v7
         ds_read_u8 v10, v7",
    ),
    (
        "by addresses that are flat",
        "ds_write_b32 v3, v0
         v_mov_b32 v8, v4
         v_mov_b32 v9, 0x10000
         flat_load_dword v10, v[8:9]",
        ["ds_write_b32 v3, v0", "flat_load_dword v10, v[8:9]"],
        "ds_write_b32 v3, v0
         v_mov_b32 v8, v3
         v_mov_b32 v9, 0x10000
         flat_load_dword v10, v[8:9]",
    ),
    (
        "a load from memory to LDS",
        "s_mov_b32 m0, 0
         s_mov_b32 s4, 0x11000
         s_mov_b32 s5, 0
         s_mov_b32 s6, -1
         s_mov_b32 s7, 0x24fac
         ds_read_b32 v10, v3
         buffer_load_dword v3, s[4:7], 0 offen lds",
        ["buffer_load_dword v3, s[4:7], 0 offen lds", "ds_read_b32 v10, v3"],
        "s_mov_b32 m0, 0
         s_mov_b32 s4, 0x11000
         s_mov_b32 s5, 0
         s_mov_b32 s6, -1
         s_mov_b32 s7, 0x24fac
         ds_read_b32 v10, v3
         s_waitcnt lgkmcnt(0)
         s_barrier
         v_cmp_gt_u32 vcc, 64, v0
         s_and_b64 exec, exec, vcc
         buffer_load_dword v3, s[4:7], 0 offen lds",
    ),
];

#[test]
fn each_race_is_told_in_every_order_and_its_cure_is_quiet() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    for (name, lines, pair, cure) in CASES {
        let found = pairs(&mut machine, lines);
        assert!(found.contains(&pair.map(str::to_owned)), "{name}: {found:#?}");
        assert_eq!(pairs(&mut machine, cure), [] as [[String; 2]; 0], "{name}: the cure");
    }
}

/// A barrier orders what is waited for in front of it, stores and loads. A wave that has ended has waited.
#[test]
fn what_is_not_waited_for_in_front_of_a_barrier_is_told() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    for (access, next, before) in [
        ("ds_write_b32 v3, v0", "ds_read_b32 v10, v4", ""),
        ("ds_read_b32 v10, v3", "ds_write_b32 v4, v0", "ds_write_b32 v3, v0\ns_waitcnt lgkmcnt(0)\ns_barrier"),
    ] {
        let with = |wait: &str| all(&format!("{before}\n{access}\n{wait}\ns_barrier\n{next}\ns_waitcnt lgkmcnt(0)"));
        for wait in ["s_waitcnt lgkmcnt(0)", "s_waitcnt 0", "s_waitcnt lgkmcnt(0)\nv_mov_b32 v11, v10"] {
            assert_eq!(machine.check_group(4, &with(wait), Order::round_robin()).2, [], "{access}: {wait}");
        }
        for wait in ["s_nop 0", "s_waitcnt vmcnt(0)"] {
            for order in (0..10).map(Order::seeded) {
                let (.., raced) = machine.check_group(4, &with(wait), order);
                assert!(!raced.is_empty(), "{access}: {wait}");
                for Raced { unordered, by, .. } in raced {
                    let pair = by.map(|by| by.instruction);
                    assert_eq!((unordered, pair), (Unordered::Unwaited, [access, next].map(str::to_owned)), "{wait}");
                }
            }
        }
        // A second barrier, behind a wait, orders it.
        let later = with("s_barrier\ns_waitcnt lgkmcnt(0)");
        assert_eq!(machine.check_group(4, &later, Order::round_robin()).2, [], "{access}");
    }
}

/// The whole of what is told of one: the store of wave 0's last lane, and the load of wave 3's, which wraps around.
#[test]
fn a_race_says_who_did_what_where() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = all("v_cmp_eq_u32 vcc, 63, v2
         s_and_b64 exec, exec, vcc
         ds_write_b32 v3, v0
         ds_read_b32 v10, v4");
    let at = |machine: &mut Machine, text: &str| {
        let line = lines.iter().position(|line| line == text).expect("one of the lines");
        machine::BASE + machine.length(&lines[..line])
    };
    let told = |machine: &mut Machine, text: &str, wave, access| Told {
        pc: at(machine, text),
        instruction: text.to_owned(),
        wave,
        lane: Some(63),
        space: Space::Lds { bytes: 65536 },
        address: 252,
        access,
    };
    let store = told(&mut machine, "ds_write_b32 v3, v0", 0, Access::Write);
    let load = told(&mut machine, "ds_read_b32 v10, v4", 3, Access::Read);
    let (_, outside, raced) = machine.check_group(4, &lines, Order::round_robin());
    assert_eq!(outside, []);
    let of_these: Vec<&Raced> = raced.iter().filter(|raced| raced.address == 252).collect();
    assert_eq!(of_these, [&Raced { address: 252, unordered: Unordered::Waves, groups: [0, 0], by: [store, load] }]);
}

/// A counter by atomics that return, as the barriers of parts of a work-group are: each wave stores, counts itself,
/// waits for four and loads what another stored. The values are those of the others, and nothing is told. So do plain
/// loads in a loop that only waits: they are atomic in the source. In a loop that loads something else too, all is a
/// race.
#[test]
fn atomics_that_return_order_what_is_around_them() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = |count: &str, look: &str, back: u32| {
        all(&format!(
            "v_mov_b32 v20, 0x8000
             ds_write_b32 v3, v0
             s_mov_b64 s[8:9], exec
             s_mov_b64 exec, 1
             {count}
             s_sleep 1
             {look}
             v_readfirstlane_b32 s10, v11
             s_cmp_lt_u32 s10, 4
             s_cbranch_scc1 {back}
             s_mov_b64 exec, s[8:9]
             ds_read_b32 v10, v4
             global_store_dword v3, v10, s[0:1]"
        ))
    };
    let by_atomics = lines("ds_add_rtn_u32 v11, v20, v6", "ds_add_rtn_u32 v11, v20, v5", 65530);
    let by_waiting = lines("ds_add_u32 v20, v6", "ds_read_b32 v11, v20", 65530);
    let by_loads = lines("ds_add_u32 v20, v6", "ds_read_b32 v11, v20\nds_read_b32 v12, v3", 65528);
    let expected: Vec<u32> = (0..256).map(|item| (item + 64) % 256).collect();
    for seed in 0..20 {
        for lines in [&by_atomics, &by_waiting] {
            let (heap, told, raced) = machine.check_group(4, lines, Order::seeded(seed));
            assert_eq!((&heap[..256], told, raced), (&expected[..], vec![], vec![]), "seed {seed}");
        }
        let (heap, told, raced) = machine.check_group(4, &by_loads, Order::seeded(seed));
        assert_eq!((&heap[..256], told), (&expected[..], vec![]), "seed {seed}");
        assert!(raced.iter().any(|raced| raced.address == 0x8000), "seed {seed}: the counter");
        assert!(raced.iter().any(|raced| raced.address < 0x400), "seed {seed}: the values");
    }
}

/// A wave that has ended is behind all barriers that come, and one wave alone races with nobody.
#[test]
fn waves_that_have_ended_and_groups_of_one_wave() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    // Wave 0 ends behind its store.
    let ends = |between: &str| {
        format!(
            "v_readfirstlane_b32 s10, v1
             ds_write_b32 v3, v0
             s_cmp_eq_u32 s10, 0
             s_cbranch_scc1 {}
             {between}
             v_and_b32 v7, 0xff, v3
             ds_read_b32 v10, v7",
            if between.is_empty() { 4 } else { 5 }
        )
    };
    assert_eq!(pairs(&mut machine, &ends("s_barrier")), [] as [[String; 2]; 0]);
    assert_eq!(pairs(&mut machine, &ends("")), [["ds_read_b32 v10, v7", "ds_write_b32 v3, v0"].map(str::to_owned)]);
    let lines = all("ds_write_b32 v3, v0\nds_read_b32 v10, v5\nds_write_b32 v3, v10");
    let (_, told, raced) = machine.check_group(1, &lines, Order::round_robin());
    assert_eq!((told, raced), (vec![], vec![]));
}

/// Instructions whose lanes 40 and up are outside of the 64 KiB, or the first of them, with what is told.
const OUTSIDE: &[(&str, &str, u8, u64, Access)] = &[
    ("v_add_u32 v3, 0xff60, v3", "ds_read_b32 v10, v3", 40, 0x10000, Access::Read),
    ("v_add_u32 v3, 0xff60, v3", "ds_write_b32 v3, v0", 40, 0x10000, Access::Write),
    ("v_add_u32 v3, 0xff60, v3", "ds_add_u32 v3, v6", 40, 0x10000, Access::Atomic),
    ("v_add_u32 v3, 0xff5c, v3", "ds_write_b64 v3, v[0:1]", 40, 0x10000, Access::Write),
    ("v_add_u32 v3, 0xff60, v0", "ds_write_b8 v3, v0 offset:120", 40, 0x10000, Access::Write),
    ("v_mov_b32 v7, 0xfffc", "ds_read2_b32 v[10:11], v7 offset1:1", 0, 0x10000, Access::Read),
    ("v_mov_b32 v7, -4", "ds_read_b32 v10, v7", 0, 0xffff_fffc, Access::Read),
    ("s_mov_b32 m0, 0xff60", "ds_write_addtid_b32 v0", 40, 0x10000, Access::Write),
];

#[test]
fn accesses_outside_of_lds_are_told_with_their_lane() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    for (before, text, lane, address, access) in OUTSIDE {
        let lines = all(&format!("{before}\n{text}"));
        let pc = machine::BASE + machine.length(&lines[..lines.len() - 2]);
        let (_, told, raced) = machine.check_group(1, &lines, Order::round_robin());
        let expected = Told {
            pc,
            instruction: (*text).to_owned(),
            wave: 0,
            lane: Some(*lane),
            space: Space::Lds { bytes: 65536 },
            address: *address,
            access: *access,
        };
        assert_eq!((told, raced), (vec![expected], vec![]), "{text}");
    }
}

/// Loads and atomics where nobody has written, with what is told of the last line: the first lane that found nothing.
/// Behind it what was missing.
const UNWRITTEN: &[(&str, u8, u64, Access, &str)] = &[
    ("ds_read_b32 v10, v3", 0, 0, Access::Read, "ds_write_b32 v3, v0"),
    (
        "v_cmp_gt_u32 vcc, 40, v2
         s_and_saveexec_b64 s[2:3], vcc
         ds_write_b32 v3, v0
         s_mov_b64 exec, s[2:3]
         ds_read_b32 v10, v3",
        40,
        160,
        Access::Read,
        "ds_write_b32 v3, v0",
    ),
    ("ds_add_u32 v5, v6", 0, 0, Access::Atomic, "ds_write_b32 v5, v5"),
    ("ds_add_rtn_u32 v10, v5, v6", 0, 0, Access::Atomic, "ds_write_b32 v5, v5"),
    ("ds_write_b8 v0, v0\nds_read_u8 v10, v0 offset:1", 63, 64, Access::Read, "ds_write_b8 v0, v0 offset:1"),
    (
        "ds_write_b32 v3, v0\nds_read2st64_b32 v[10:11], v3 offset1:1",
        0,
        256,
        Access::Read,
        "ds_write_b32 v3, v0 offset:256",
    ),
    (
        "ds_write_b32 v3, v0\nv_mov_b32 v8, v3\nv_mov_b32 v9, 0x10000\nflat_load_dwordx2 v[10:11], v[8:9] offset:256",
        0,
        256,
        Access::Read,
        "ds_write_b32 v3, v0 offset:256",
    ),
    (
        "s_mov_b32 m0, 0x200\nds_read_addtid_b32 v10",
        0,
        512,
        Access::Read,
        "s_mov_b32 m0, 0x200\nds_write_addtid_b32 v0",
    ),
];

/// Lines that load nothing but what is written, or besides what is beside it.
const WRITTEN: &[&str] = &[
    // A number and a byte, and the three behind it.
    "v_lshlrev_b32 v7, 3, v0\nds_write_b32 v7, v0\nds_write_b8 v7, v0 offset:4\nds_read_b64 v[10:11], v7",
    // Numbers of four and eight bytes, with what is between them.
    "v_lshlrev_b32 v7, 4, v0\nds_write_b32 v7, v0\nds_write_b64 v7, v[0:1] offset:8\nds_read_b128 v[10:13], v7
     ds_read2_b32 v[10:11], v7 offset1:1",
    // The tail of a vector, from one word of bits to the next.
    "v_mov_b32 v7, 0x3c\nds_write_b32 v7, v0\nds_read_b128 v[10:13], v7",
    "ds_write_b32 v5, v5\nds_add_u32 v5, v6\nds_read_b32 v10, v5",
    // All that there is.
    "v_mov_b32 v7, 0xfff8\nds_write_b64 v7, v[0:1]\nds_read_b64 v[10:11], v7",
    // What is outside is another finding, and a permutation uses no LDS.
    "v_mov_b32 v7, -4\nds_read_b32 v10, v7\nds_bpermute_b32 v10, v3, v0",
    "s_mov_b32 m0, 0\nbuffer_load_dword v3, s[4:7], 0 offen lds\nv_lshlrev_b32 v7, 2, v2\nds_read_b32 v10, v7",
];

#[test]
fn loads_where_no_wave_has_written_are_told() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let wanted = Wanted { unwritten: true, ..Wanted::NOTHING };
    // The resource of the load to LDS.
    let resource = "s_mov_b32 s4, 0x11000\ns_mov_b32 s5, 0\ns_mov_b32 s6, -1\ns_mov_b32 s7, 0x24fac";
    for (text, lane, address, access, cure) in UNWRITTEN {
        let lines = all(text);
        let (last, before) = lines[..lines.len() - 1].split_last().expect("there are some");
        let (_, told, _) = machine.check_group_for(wanted, 1, &lines, Order::round_robin());
        let expected = Told {
            pc: machine::BASE + machine.length(before),
            instruction: last.clone(),
            wave: 0,
            lane: Some(*lane),
            space: Space::Unwritten(Storage::Lds),
            address: *address,
            access: *access,
        };
        assert_eq!(told, [expected], "{text}");
        let (_, told, _) = machine.check_group_for(wanted, 1, &all(&format!("{cure}\n{text}")), Order::round_robin());
        assert_eq!(told, [], "{text} behind {cure}");
    }
    for text in WRITTEN {
        let lines = all(&format!("{resource}\n{text}"));
        let (_, told, _) = machine.check_group_for(wanted, 2, &lines, Order::round_robin());
        assert_eq!(told, [], "{text}");
    }
    // What another wave wrote is written, and it is told once for each time that a wave loads.
    let others = all("v_cmp_gt_u32 vcc, 64, v0
         s_and_saveexec_b64 s[2:3], vcc
         ds_write_b32 v3, v0
         s_mov_b64 exec, s[2:3]
         s_barrier
         ds_read_b32 v10, v4
         ds_read_b32 v10, v4");
    let (_, told, _) = machine.check_group_for(wanted, 4, &others, Order::round_robin());
    let mut waves: Vec<u32> = told.iter().map(|told| told.wave).collect();
    waves.sort_unstable();
    assert_eq!(waves, [0, 0, 1, 1, 2, 2], "wave 3 loads what wave 0 stored");
}

/// Loads are told up to where they are behind stores, be all of LDS written then or not, and find what was stored.
#[test]
fn loads_are_told_until_all_is_written() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let wanted = Wanted { unwritten: true, ..Wanted::NOTHING };
    // Four waves store a KiB each time. In front of the stores nothing is there.
    let lines = all("v_mov_b32 v7, v3
        s_movk_i32 s2, 64
        ds_read_b32 v10, v7
        ds_write_b32 v7, v7
        v_add_u32 v7, 0x400, v7
        s_sub_u32 s2, s2, 1
        s_cmp_lg_u32 s2, 0
        s_cbranch_scc1 65527
        s_barrier
        v_mov_b32 v7, v3
        v_mov_b32 v11, 0
        s_movk_i32 s2, 64
        ds_read_b32 v10, v7
        v_add_u32 v11, v11, v10
        v_add_u32 v7, 0x400, v7
        s_sub_u32 s2, s2, 1
        s_cmp_lg_u32 s2, 0
        s_cbranch_scc1 65528
        global_store_dword v3, v11, s[0:1]");
    let (heap, told, _) = machine.check_group_for(wanted, 4, &lines, Order::round_robin());
    assert_eq!(told.len(), 4 * 64);
    assert!(told.iter().all(|told| told.instruction == "ds_read_b32 v10, v7" && told.lane == Some(0)), "{told:?}");
    for (item, sum) in (0..256).zip(heap) {
        assert_eq!(sum, (0..64).map(|pass| 4 * item + 0x400 * pass).sum::<u32>(), "item {item}");
    }
}

/// A work-group begins with nothing written, whatever the one before it wrote.
#[test]
fn what_an_earlier_work_group_wrote_is_not_written() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let wanted = Wanted { unwritten: true, ..Wanted::NOTHING };
    let lines = all("ds_read_b32 v10, v3\nds_write_b32 v3, v0");
    let counts = machine.check_groups_for(wanted, 2, &lines).map(|told| told.len());
    assert_eq!(counts, [2, 2]);
}

/// What is not wanted is not told, and what is computed stays the same.
#[test]
fn only_what_is_wanted_is_told() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = all("ds_write_b32 v3, v0
         ds_read_b32 v10, v4
         v_mov_b32 v7, -4
         ds_read_b32 v11, v7
         v_lshlrev_b32 v3, 2, v0
         global_store_dword v3, v0, s[0:1]");
    let mut of = |strays, races| {
        machine.check_group_for(Wanted { strays, races, ..Wanted::USUAL }, 4, &lines, Order::round_robin())
    };
    let (heap, told, raced) = of(true, true);
    assert_eq!((heap[255], told.len()), (255, 4), "once for each wave");
    assert!(!raced.is_empty());
    assert_eq!(of(true, false), (heap, told.clone(), vec![]));
    assert_eq!(of(false, true), (heap, vec![], raced));
    assert_eq!(of(false, false), (heap, vec![], vec![]));
}

/// A device that follows waves is told each instruction in front of it, whatever it is, and the same one again in each
/// round of a loop.
#[test]
fn waves_are_followed_instruction_by_instruction() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let lines = machine::lines(
        "s_mov_b32 s2, 2
         v_mov_b32 v1, v0
         ds_write_b32 v1, v0
         s_sub_u32 s2, s2, 1
         s_cmp_lg_u32 s2, 0
         s_cbranch_scc1 65531
         s_endpgm",
    );
    let (steps, executed) = machine.follow(2, &lines);
    // `ds_write_b32` has eight bytes; the branch goes back to it.
    let once = [0, 4, 8, 16, 20, 24, 8, 16, 20, 24, 28];
    for wave in 0..2 {
        let own: Vec<u64> = steps.iter().filter(|(of, _)| *of == wave).map(|(_, at)| *at).collect();
        assert_eq!(own, once, "wave {wave}");
    }
    assert_eq!(steps.len() as u64, executed);
}
