//! What a program says of itself by `vgpu-check.h`: pieces of an allocation, and flags.
use super::{LIMIT, finding, findings, findings_of, has, is_in};
use serde_json::{Value, json};
use stack_tests::{check_case, hip_program, run};
use std::process::Command;

#[track_caller]
fn is_in_source(lines: &Value, text: &str) {
    is_in("pieces.hip", include_str!("../../programs/pieces.hip"), lines, text);
}

/// Checks that one of the lines of the host is in this function.
#[track_caller]
fn is_by(who: &Value, function: &str) {
    let frames = who["stack"].as_array().expect("a list").iter();
    let mut lines = frames.flat_map(|frame| frame["lines"].as_array().into_iter().flatten());
    assert!(lines.any(|line| line["function"] == function), "not {function}: {who:#}");
}

/// Bytes of the piece.
const BYTES: u64 = 400;

#[test]
fn a_pool_that_is_right_is_left_alone() {
    stack_tests::needs_vgpu!();
    for only in ["memory,race", "init"] {
        assert_eq!(findings_of(&["--only", only], "pieces", "right", 1).0, [] as [Value; 0], "{only}");
    }
    // What it says makes no difference without `vgpu check`.
    check_case("right", 1, &run(Command::new(hip_program("pieces")).arg("right"), LIMIT));
}

#[test]
fn a_store_behind_a_piece_is_found() {
    stack_tests::needs_vgpu!();
    let finding = finding("pieces", "overflow", 1);
    has(
        &finding,
        json!({ "finding": "out-of-bounds", "access": "write", "work_item": [100, 0, 0], "allocation_bytes": BYTES, "bytes_behind": 0 }),
    );
    is_in_source(&finding["lines"], "// line of fill");
    is_by(&finding["allocated"], "Pool::take(int)");
}

#[test]
fn a_piece_that_was_taken_back_is_found() {
    stack_tests::needs_vgpu!();
    let finding = finding("pieces", "used_late", 1);
    has(&finding, json!({ "finding": "use-after-free", "access": "read", "allocation_bytes": BYTES, "offset": 0 }));
    is_in_source(&finding["lines"], "// line of sum");
    is_by(&finding["freed"], "Pool::give_back(int*)");
}

#[test]
fn what_nobody_wrote_of_a_piece_is_found_each_time_it_is_given_out() {
    stack_tests::needs_vgpu!();
    for (case, item, offset) in [("unwritten", 99, 396), ("again", 0, 0)] {
        let (all, _) = findings_of(&["--only", "init"], "pieces", case, 1);
        assert_eq!(all.len(), 1, "{case}: {all:#?}");
        has(
            &all[0],
            json!({ "finding": "uninitialized", "work_item": [item, 0, 0], "allocation_bytes": BYTES, "offset": offset }),
        );
        is_in_source(&all[0]["lines"], "// line of sum");
    }
}

#[test]
fn flags_that_are_plain_accesses_order_if_the_program_says_so() {
    stack_tests::needs_vgpu!();
    assert_eq!(findings("pieces", "flag", 1), [] as [Value; 0]);
    let without = findings("pieces", "flag_without", 1);
    assert!(without.iter().all(|finding| finding["finding"] == "device-race"), "{without:#?}");
    assert_eq!(without.len(), 2, "of the flag and of the data: {without:#?}");
}
