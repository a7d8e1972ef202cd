//! Races in device memory.
use super::{findings, findings_of, has, is_by, is_in};
use serde_json::{Value, json};

/// Work-items of a work-group of `device_races.hip`, and work-groups.
const GROUP: usize = 256;
const GROUPS: usize = 8;

#[track_caller]
fn is_in_source(lines: &Value, text: &str) {
    is_in("device_races.hip", include_str!("../../programs/device_races.hip"), lines, text);
}

#[test]
fn programs_whose_work_groups_are_ordered_have_no_races_in_device_memory() {
    stack_tests::needs_vgpu!();
    let whole = GROUP * GROUPS;
    for (case, values) in [
        ("reverse", whole),
        ("first", GROUPS + 1),
        ("histogram", 64),
        ("smooth", whole),
        ("last", 1),
        ("chain", GROUPS),
        ("rotate", whole),
        ("lock", 2),
        ("highest", 1),
        ("odd_one", whole / 64),
    ] {
        let others = [&["--schedule", "1"][..], &["--schedule", "2", "--caches", "2"]];
        for options in [&[][..]].into_iter().chain(others) {
            let options = [&["--only", "race"], options].concat();
            assert_eq!(findings_of(&options, "device_races", case, values).0, [] as [Value; 0], "{case}");
        }
    }
}

/// Each case, what it checks, and of one of its findings: why, the line of the store, and that of the other access.
#[test]
fn races_in_device_memory_are_found_with_both_lines() {
    stack_tests::needs_vgpu!();
    for (case, values, why, store, other) in [
        ("reverse_without", 1, "no-barrier", "// store of reverse", "// load of reverse"),
        ("first_without", 1, "no-order", "// store of first", "// store of first"),
        ("histogram_without", 1, "no-barrier", "// count of histogram", "// count of histogram"),
        ("smooth_without", 1, "no-order", "// store of smooth", "// load of smooth"),
        ("last_without_release", 1, "no-order", "// store of a part", "// load of the parts"),
        ("last_without_acquire", 1, "no-acquire", "// store of a part", "// load of the parts"),
        ("chain_without_release", GROUPS, "no-order", "// store of chain", "// load of chain"),
        ("chain_without_acquire", GROUPS, "no-acquire", "// store of chain", "// load of chain"),
        ("rotate_without", 1, "no-order", "// round of rotate", "// round of rotate"),
        ("lock_without", 2, "no-order", "// count of locked", "// count of locked"),
        ("odd_one_without", 1, "same-instruction", "// store of odd one", "// store of odd one"),
    ] {
        let all = findings("device_races", case, values);
        assert!(all.iter().all(|finding| finding["finding"] == "device-race"), "{case}: {all:#?}");
        let finding = all.iter().find(|finding| finding["why"] == why).unwrap_or_else(|| panic!("{case}: {all:#?}"));
        // Of two stores the first.
        let (by_store, by_other) = match finding["access"] == "write" {
            true => (finding, &finding["other"]),
            false => (&finding["other"], finding),
        };
        assert_eq!(by_store["access"], "write", "{case}: {finding:#}");
        is_in_source(&by_store["lines"], store);
        is_in_source(&by_other["lines"], other);
    }
}

#[test]
fn a_plain_load_beside_the_atomics_of_other_work_groups_is_told() {
    stack_tests::needs_vgpu!();
    let all = findings("device_races", "highest_without", 1);
    assert_eq!(all.len(), 1, "{all:#?}");
    has(&all[0], json!({ "finding": "device-race", "why": "no-order", "access": "read" }));
    has(&all[0]["other"], json!({ "access": "atomic" }));
    is_in_source(&all[0]["lines"], "// look of highest");
    is_in_source(&all[0]["other"]["lines"], "// rise of highest");
}

#[test]
fn a_race_of_two_work_groups_is_told_with_both_and_the_allocation() {
    stack_tests::needs_vgpu!();
    let all = findings("device_races", "smooth_without", 1);
    assert_eq!(all.len(), 1, "{all:#?}");
    let finding = &all[0];
    // The last work-item of a work-group loads what the first of the next one stores.
    has(
        finding,
        json!({ "finding": "device-race", "access": "read", "kernel": "void smooth<false>(int const*, int*)", "count": GROUPS - 1,
                "work_item": [GROUP - 1, 0, 0], "wave": 3, "lane": 63, "allocation_bytes": 4 * (GROUP * GROUPS + 1) }),
    );
    has(&finding["other"], json!({ "access": "write", "work_item": [0, 0, 0], "wave": 0, "lane": 0 }));
    let number = |value: &Value| value.as_u64().expect("a number");
    let [loads, stores] = [finding, &finding["other"]].map(|of| number(&of["workgroup"][0]));
    assert_eq!(loads + 1, stores, "{finding:#}");
    assert_eq!(number(&finding["offset"]), stores * GROUP as u64 * 4, "{finding:#}");
    is_by(&finding["allocated"], "hipMalloc");
    assert_eq!(findings_of(&["--only", "memory"], "device_races", "smooth_without", 1).0, [] as [Value; 0]);
}
