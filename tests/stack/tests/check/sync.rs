//! Barriers that not all come to, and what a program does to packets that run.

use serde_json::{Value, json};
use stack_tests::hip_version;

use super::{findings, findings_of, has, is_in};

#[track_caller]
fn is_in_sync(lines: &Value, text: &str) {
    is_in("sync.hip", include_str!("../../programs/sync.hip"), lines, text);
}

/// The one finding of a case of `sync.hip`.
#[track_caller]
fn finding(options: &[&str], case: &str, values: usize) -> (Value, String) {
    let (mut list, text) = findings_of(options, "sync", case, values);
    assert_eq!(list.len(), 1, "{list:#?}");
    (list.remove(0), text)
}

#[test]
fn programs_that_wait_rightly_are_left_alone() {
    stack_tests::needs_vgpu!();
    for (case, values) in
        [("exchange", 256), ("half", 256), ("early", 128), ("arguments", 1), ("reused", 1), ("destroyed", 1)]
    {
        assert_eq!(findings("sync", case, values), [] as [Value; 0], "{case}");
    }
}

#[test]
fn waves_at_different_barriers_are_found() {
    stack_tests::needs_vgpu!();
    if hip_version() < (5, 7) {
        test_skip::skip!("the compiler of HIP 5.2 makes one barrier of the two");
    }
    let (finding, text) = finding(&[], "exchange_without", 256);
    has(
        &finding,
        json!({ "finding": "barrier", "why": "other-barrier", "count": 1, "instruction": "s_barrier",
                "kernel": "void exchange<false>(int const*, int*)", "workgroup": [0, 0, 0] }),
    );
    has(&finding["other"], json!({ "instruction": "s_barrier" }));
    // Which of them comes first in the code is the compiler's choice.
    let waves = [&finding["wave"], &finding["other"]["wave"]];
    assert!(waves == [&json!(0), &json!(1)] || waves == [&json!(1), &json!(0)], "{finding:#}");
    let both = [finding["lines"].as_array(), finding["other"]["lines"].as_array()];
    let lines: Vec<Value> = both.into_iter().flatten().flatten().cloned().collect();
    is_in_sync(&lines.clone().into(), "// barrier of the first wave");
    is_in_sync(&lines.into(), "// barrier of the others");
    assert!(text.contains("check: waves of a work-group meet at different barriers, by kernel"), "{text}");
}

#[test]
fn work_items_that_skip_a_barrier_are_found() {
    stack_tests::needs_vgpu!();
    let (finding, text) = finding(&[], "half_without", 256);
    has(&finding, json!({ "finding": "barrier", "why": "lanes-off", "count": 4, "instruction": "s_barrier" }));
    has(&finding["other"], json!({ "wave": finding["wave"], "lane": 32 }));
    is_in_sync(&finding["lines"], "// barrier of half");
    is_in_sync(&finding["other"]["lines"], "// store of half");
    assert!(text.contains("check: barrier that not all work-items of a wave come to, by kernel"), "{text}");
}

/// It works on hardware, and is told only to who asks.
#[test]
fn waves_that_end_before_a_barrier_are_found_if_asked_for() {
    stack_tests::needs_vgpu!();
    let (finding, text) = finding(&["--only", "exit"], "early", 128);
    has(
        &finding,
        json!({ "finding": "ended-before-barrier", "why": "ended", "count": 1, "instruction": "s_barrier", "wave": 0 }),
    );
    has(&finding["other"], json!({ "instruction": "s_endpgm", "wave": 2 }));
    is_in_sync(&finding["lines"], "// barrier of early");
    assert!(text.contains("check: barrier that a wave does not come to, as it has ended, by kernel"), "{text}");
    assert_eq!(findings_of(&["--only", "exit"], "sync", "exchange", 256).0, [] as [Value; 0]);
}

#[test]
fn arguments_that_change_while_a_kernel_runs_are_found() {
    stack_tests::needs_vgpu!();
    let (finding, text) = finding(&[], "arguments_early", 1);
    has(
        &finding,
        json!({ "finding": "kernarg-changed", "kernel": "wait(Shared*, int)", "offset": 8, "before": 5, "after": 6 }),
    );
    assert!(text.contains("check: arguments were changed before the kernel ended, 1 time"), "{text}");
    assert!(text.contains(": kernel wait(Shared*, int)\n"), "{text}");
    assert!(text.contains("    8 bytes into "), "{text}");
}

#[test]
fn signals_that_are_used_again_too_early_are_found() {
    stack_tests::needs_vgpu!();
    let (finding, text) = finding(&[], "reused_early", 1);
    has(&finding, json!({ "finding": "signal-reused", "kernel": "wait(Shared*, int)", "value": 1, "count": 1 }));
    has(&finding["other"], json!({ "kernel": "wait(Shared*, int)", "queue": finding["queue"] }));
    let packets = [&finding["packet"], &finding["other"]["packet"]];
    assert!(packets == [&json!(0), &json!(1)] || packets == [&json!(1), &json!(0)], "{finding:#}");
    assert!(text.contains("check: completion signal used again before its packet was over, 1 time"), "{text}");
}

#[test]
fn signals_that_are_destroyed_too_early_are_found() {
    stack_tests::needs_vgpu!();
    let (finding, text) = finding(&[], "destroyed_early", 1);
    has(&finding, json!({ "finding": "signal-destroyed", "kernel": "wait(Shared*, int)", "packet": 0, "count": 1 }));
    let stack = finding["freed"]["stack"].as_array().expect("a list");
    let lines: Vec<Value> =
        stack.iter().flat_map(|frame| frame["lines"].as_array().cloned().unwrap_or_default()).collect();
    is_in_sync(&lines.into(), "// too early");
    assert_eq!(finding["freed"]["by"], "hsa_signal_destroy", "{finding:#}");
    assert!(text.contains("check: completion signal destroyed before its packet was over, 1 time"), "{text}");
}
