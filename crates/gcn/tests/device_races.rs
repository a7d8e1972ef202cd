//! The race check reports unordered accesses of two waves to device memory, in one work-group or in two, in whichever
//! order they are executed.

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::exec::Compile;
use gcn::sanitizer::Unordered;
use gcn::target::Target;
use machine::Machine;
use machine::memory::Raced;

const GROUPS: u32 = 3;
const WAVES: u16 = 2;

/// Before each case: v1 is the work-group, v2 the work-item of the grid, v3 four times that, v4 four times the
/// work-item 64 further on, of all, v5 0, v6 1, v7 the bytes at which the flags are, and VCC and s\[4:5\] are whether
/// it is the first work-group.
const BEFORE: &str = "v_mov_b32 v1, s2
    v_lshlrev_b32 v2, 7, v1
    v_add_u32 v2, v2, v0
    v_lshlrev_b32 v3, 2, v2
    v_add_u32 v4, 0x100, v3
    v_cmp_gt_u32 vcc, 0x600, v4
    v_cndmask_b32 v4, 0, v4, vcc
    v_mov_b32 v5, 0
    v_mov_b32 v6, 1
    v_mov_b32 v7, 0x700
    s_cmp_eq_u32 s2, 0
    s_cselect_b64 s[4:5], -1, 0
    s_cselect_b64 vcc, -1, 0";

/// Numbers that look random.
fn mixed(mut state: u64) -> impl FnMut() -> u64 {
    move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state >> 33
    }
}

/// Which instructions race, and why, without who was first: work-groups one behind the other, and in fifty other
/// orders. What is told in any order must be told of in the first.
fn races(machine: &mut Machine, lines: &str) -> Vec<([String; 2], Unordered)> {
    let lines = machine::lines(&format!("{BEFORE}\n{lines}\ns_endpgm"));
    let mut of = |compile, next: &mut dyn FnMut(usize) -> (usize, u64)| {
        let raced = machine.check_grid(compile, GROUPS, WAVES, &lines, next);
        let mut all: Vec<([String; 2], Unordered)> = raced
            .into_iter()
            .map(|Raced { by, unordered, groups, .. }| {
                assert_eq!(groups[0] == groups[1], unordered == Unordered::Waves);
                assert_ne!((groups[0], by[0].wave), (groups[1], by[1].wave));
                let mut texts = by.map(|by| by.instruction);
                texts.sort();
                (texts, unordered)
            })
            .collect();
        all.sort_by_key(|(texts, unordered)| (texts.clone(), *unordered as u8));
        all.dedup();
        all
    };
    let [in_turn, compiled] = [Compile::Never, Compile::After(0)].map(|compile| of(compile, &mut |_| (0, 100_000)));
    assert_eq!(in_turn, compiled, "{lines:?}");
    for seed in 0..50 {
        let mut random = mixed(seed);
        let compile = if seed % 2 == 0 { Compile::Never } else { Compile::After(0) };
        let mixed = of(compile, &mut |count| (random() as usize % count, 1 + random() % 9));
        assert!(mixed.iter().all(|race| in_turn.contains(race)), "seed {seed}: {mixed:?}, not {in_turn:?}: {lines:?}");
    }
    in_turn
}

struct Case {
    what: &'static str,
    wrong: &'static str,
    by: [&'static str; 2],
    unordered: Unordered,
    right: &'static str,
}

/// Lines that race, by which pair and why, and the same with their cure, which do not.
const CASES: &[Case] = &[
    Case {
        what: "a load of what another wave of the work-group stores",
        wrong: "v_xor_b32 v4, 0x100, v3
            global_store_dword v3, v2, s[0:1]
            global_load_dword v10, v4, s[0:1]",
        by: ["global_load_dword v10, v4, s[0:1]", "global_store_dword v3, v2, s[0:1]"],
        unordered: Unordered::Waves,
        right: "v_xor_b32 v4, 0x100, v3
            global_store_dword v3, v2, s[0:1]
            s_barrier
            global_load_dword v10, v4, s[0:1]",
    },
    Case {
        what: "a load of what another work-group stores",
        wrong: "global_store_dword v3, v2, s[0:1]
            s_barrier
            global_load_dword v10, v4, s[0:1]",
        by: ["global_load_dword v10, v4, s[0:1]", "global_store_dword v3, v2, s[0:1]"],
        unordered: Unordered::Groups,
        right: "global_store_dword v3, v2, s[0:1]
            s_barrier
            v_xor_b32 v4, 0x100, v3
            global_load_dword v10, v4, s[0:1]",
    },
    Case {
        what: "stores of different values to one place",
        wrong: "global_store_dword v5, v1, s[0:1]",
        by: ["global_store_dword v5, v1, s[0:1]", "global_store_dword v5, v1, s[0:1]"],
        unordered: Unordered::Groups,
        right: "global_store_dword v5, v6, s[0:1]",
    },
    Case {
        what: "a short beside another, which is one too long",
        wrong: "v_lshlrev_b32 v8, 1, v1
            global_store_dword v8, v1, s[0:1]",
        by: ["global_store_dword v8, v1, s[0:1]", "global_store_dword v8, v1, s[0:1]"],
        unordered: Unordered::Groups,
        right: "v_lshlrev_b32 v8, 1, v1
            global_store_short v8, v1, s[0:1]",
    },
    Case {
        what: "a count by a load and a store",
        wrong: "global_load_dword v10, v5, s[0:1]
            v_add_u32 v10, v10, v6
            global_store_dword v5, v10, s[0:1]",
        by: ["global_load_dword v10, v5, s[0:1]", "global_store_dword v5, v10, s[0:1]"],
        unordered: Unordered::Groups,
        right: "global_atomic_add v5, v6, s[0:1]",
    },
    Case {
        what: "a plain load of what another work-group adds to",
        wrong: "global_load_dword v10, v5, s[0:1]
            global_atomic_add v5, v6, s[0:1]",
        by: ["global_atomic_add v5, v6, s[0:1]", "global_load_dword v10, v5, s[0:1]"],
        unordered: Unordered::Groups,
        right: "global_load_dword v10, v5, s[0:1] glc
            global_atomic_add v5, v6, s[0:1]",
    },
    Case {
        what: "the same, but for the load that compilers put in front of a compare-and-swap",
        wrong: "global_load_dword v10, v5, s[0:1]
            global_atomic_umax v5, v6, s[0:1]",
        by: ["global_atomic_umax v5, v6, s[0:1]", "global_load_dword v10, v5, s[0:1]"],
        unordered: Unordered::Groups,
        right: "global_load_dword v11, v5, s[0:1]
            v_add_u32 v10, v11, v6
            global_atomic_cmpswap v5, v[10:11], s[0:1]",
    },
    Case {
        what: "a uniform load of what another work-group stores, but for what it loads besides",
        wrong: "s_load_dwordx4 s[8:11], s[0:1], 0x0
            s_mov_b64 exec, s[4:5]
            global_store_dword v5, v6, s[0:1] offset:8",
        by: ["global_store_dword v5, v6, s[0:1] offset:8", "s_load_dwordx4 s[8:11], s[0:1], 0x0"],
        unordered: Unordered::Groups,
        right: "s_load_dwordx4 s[8:11], s[0:1], 0x0
            s_mov_b64 exec, s[4:5]
            global_store_dword v5, v6, s[0:1] offset:12",
    },
];

/// A store by the first wave, a wait, a flag that is raised by `raise` and seen by `see`, what empties the L1, and a
/// load by the other work-groups. There are no branches: who is not concerned has no lanes.
fn handed_over(wait: &str, raise: &str, see: &str, invalidate: &str) -> String {
    format!(
        "v_cmp_gt_u32 vcc, 64, v2
        s_mov_b64 exec, vcc
        global_store_dword v3, v2, s[0:1]
        {wait}
        {raise}
        s_mov_b64 exec, -1
        {see}
        s_waitcnt vmcnt(0)
        {invalidate}
        v_cmp_eq_u32 vcc, 64, v9
        s_andn2_b64 exec, vcc, s[4:5]
        v_and_b32 v8, 0xfc, v3
        global_load_dword v10, v8, s[0:1]"
    )
}

const WAIT: &str = "s_waitcnt vmcnt(0)";
const STORE: &str = "global_store_dword v3, v2, s[0:1]";
const LOAD: &str = "global_load_dword v10, v8, s[0:1]";

#[test]
fn races_are_told_in_whichever_order_waves_run_and_what_is_ordered_is_not() {
    let Some(mut machine) = Machine::new() else { return };
    for Case { what, wrong, by, unordered, right } in CASES {
        let expected = (by.map(str::to_owned), *unordered);
        let told = races(&mut machine, wrong);
        assert!(told.contains(&expected), "{what}: {told:?}");
        assert_eq!(races(&mut machine, right), [], "{what}");
    }
}

/// By an atomic or a store, seen by an atomic or a load past the L1, as compilers for each chip make them.
#[test]
fn flags_order_work_groups_if_stores_are_waited_for_and_the_l1_is_emptied() {
    for (target, invalidate, past_l1) in [
        (Target::Gfx908, "buffer_wbinvl1_vol", "glc"),
        (Target::Gfx90a, "buffer_wbinvl1_vol", "glc"),
        (Target::Gfx942, "buffer_inv sc1", "sc1"),
    ] {
        let Some(mut machine) = Machine::of(target) else { return };
        let returns = if target == Target::Gfx942 { "sc0" } else { "glc" };
        let add = "global_atomic_add v7, v6, s[0:1]";
        let store = "v_mov_b32 v9, 64\nglobal_store_dword v7, v9, s[0:1]";
        let atomic = format!("global_atomic_or v9, v7, v5, s[0:1] {returns}");
        let load = format!("global_load_dword v9, v7, s[0:1] {past_l1}");
        for (raise, see) in [(add, &atomic), (add, &load), (store, &load), (store, &atomic)] {
            let mut told = |wait, invalidate| races(&mut machine, &handed_over(wait, raise, see, invalidate));
            let race = |unordered| [([LOAD.to_owned(), STORE.to_owned()], unordered)];
            assert_eq!(told(WAIT, invalidate), [], "{target:?}, {raise}, {see}");
            assert_eq!(told("", invalidate), race(Unordered::Groups), "{target:?}, {raise}, {see}");
            assert_eq!(told(WAIT, ""), race(Unordered::Stale), "{target:?}, {raise}, {see}");
            // A sum, by atomics, that is loaded as a whole.
            let sum = handed_over(WAIT, raise, see, invalidate).replace(STORE, "global_atomic_add v3, v2, s[0:1]");
            assert_eq!(races(&mut machine, &sum), [], "{target:?}, {raise}, {see}");
        }
        // A load past the L1 needs no empty one.
        let all = handed_over(WAIT, add, &atomic, "").replace(LOAD, &format!("{LOAD} {past_l1}"));
        assert_eq!(races(&mut machine, &all), [], "{target:?}");
    }
}

/// The last work-group knows of the first by the one between them.
#[test]
fn what_a_work_group_was_given_it_gives() {
    let Some(mut machine) = Machine::new() else { return };
    // Each raises its own flag once it has seen that of the one before it; the first one has no such.
    let chain = |see: &str, raise: &str| {
        format!(
            "v_lshlrev_b32 v8, 2, v1
            v_mov_b32 v9, 0x80
            s_mov_b64 exec, s[4:5]
            global_store_dword v3, v2, s[0:1]
            s_waitcnt vmcnt(0)
            s_barrier
            global_store_dword v8, v9, s[0:1] offset:1792
            s_not_b64 exec, s[4:5]
            {see}
            s_waitcnt vmcnt(0)
            buffer_wbinvl1_vol
            v_cmp_eq_u32 vcc, 0x80, v9
            s_mov_b64 exec, vcc
            {raise}
            v_cmp_eq_u32 vcc, 2, v1
            s_and_b64 exec, exec, vcc
            v_and_b32 v8, 0x1fc, v3
            {LOAD}"
        )
    };
    let (see, raise) =
        ("global_load_dword v9, v8, s[0:1] offset:1788 glc", "global_store_dword v8, v9, s[0:1] offset:1792");
    assert_eq!(races(&mut machine, &chain(see, raise)), []);
    let race = ([LOAD.to_owned(), STORE.to_owned()], Unordered::Groups);
    assert_eq!(races(&mut machine, &chain("", raise)), [race]);
}

/// Atomics in LDS order the waves of a work-group in device memory too.
#[test]
fn waves_that_wait_by_lds_are_ordered() {
    let Some(mut machine) = Machine::new() else { return };
    let lines = |see: &str| {
        format!(
            "v_xor_b32 v4, 0x100, v3
            {STORE}
            ds_add_u32 v5, v6
            {see}
            v_cmp_eq_u32 vcc, 0x80, v9
            s_mov_b64 exec, vcc
            v_mov_b32 v8, v4
            {LOAD}"
        )
    };
    assert_eq!(races(&mut machine, &lines("ds_add_rtn_u32 v9, v5, v5")), []);
    let race = ([LOAD.to_owned(), STORE.to_owned()], Unordered::Waves);
    assert_eq!(races(&mut machine, &lines("v_mov_b32 v9, 0x80")), [race]);
}

/// The first wave of a work-group stores, and raises a flag by a plain store. The other one loads behind a look at the
/// flag: in a loop that only waits, which is atomic in the source, or once.
#[test]
fn loops_that_wait_within_a_work_group_are_ordered() {
    let Some(mut machine) = Machine::new() else { return };
    let lines = |again: &str| {
        format!(
            "v_lshlrev_b32 v8, 2, v1
            v_xor_b32 v4, 0x100, v3
            v_readfirstlane_b32 s10, v0
            s_cmp_lg_u32 s10, 0
            s_cbranch_scc1 6
            {STORE}
            s_waitcnt vmcnt(0)
            global_store_dword v8, v6, s[0:1] offset:1792
            s_endpgm
            global_load_dword v9, v8, s[0:1] offset:1792
            s_waitcnt vmcnt(0)
            v_readfirstlane_b32 s10, v9
            s_cmp_lg_u32 s10, 1
            {again}
            v_mov_b32 v8, v4
            {LOAD}"
        )
    };
    assert_eq!(races(&mut machine, &lines("s_cbranch_scc1 65530")), []);
    let told = races(&mut machine, &lines("s_nop 0"));
    let race = ([LOAD.to_owned(), STORE.to_owned()], Unordered::Waves);
    assert!(told.len() == 2 && told.contains(&race), "{told:?}");
}

/// Of the whole table, as of one dword, if the program says so.
#[test]
fn plain_loads_of_what_the_program_calls_flags_are_not_told() {
    let Some(mut machine) = Machine::new() else { return };
    let lines = "global_load_dword v10, v5, s[0:1] offset:8
        global_atomic_add v5, v6, s[0:1] offset:8";
    assert_eq!(races(&mut machine, lines).len(), 1);
    let at = |dword: u64| machine::DATA + 4 * dword;
    for (flags, told) in [(at(2)..at(3), 0), (at(0)..at(8), 0), (at(3)..at(4), 1), (at(0)..at(2), 1)] {
        machine.flags = vec![flags.clone()];
        assert_eq!(races(&mut machine, lines).len(), told, "{flags:?}");
    }
}
