//! Races between kernels, and with copies, of streams and queues.
use super::{findings_of, has, is_by, is_in};
use serde_json::{Value, json};
use stack_tests::hip_version;

/// Numbers that `streams.hip` works on.
const N: usize = 1 << 16;

#[track_caller]
fn races(program: &str, case: &str, values: usize) -> Vec<Value> {
    findings_of(&["--only", "stream"], program, case, values).0
}

#[track_caller]
fn is_in_source(lines: &Value, text: &str) {
    is_in("streams.hip", include_str!("../../programs/streams.hip"), lines, text);
}

#[test]
fn streams_that_wait_for_each_other_have_no_races() {
    stack_tests::needs_vgpu!();
    for (case, values) in [
        ("kernels", N),
        ("kernels_device", N),
        ("kernels_stream", N),
        ("kernels_event", N),
        ("kernels_event_query", N),
        ("kernels_stream_query", N),
        ("kernels_callback", N),
        ("overwritten", N),
        ("copied", N),
        ("copied_stream", N),
        ("cleared", N),
        ("uploaded", N),
        ("null_stream", N),
        ("harmless", 9),
        ("graph", N),
        ("turns", N),
        ("pipeline", N),
    ] {
        assert_eq!(races("streams", case, values), [] as [Value; 0], "{case}");
    }
}

/// Which of the two comes first does not matter.
#[test]
fn a_kernel_that_does_not_wait_for_another_streams_is_found_with_both() {
    stack_tests::needs_vgpu!();
    for case in ["kernels_without", "overwritten_without"] {
        let all = races("streams", case, 0);
        assert_eq!(all.len(), 1, "{case}: {all:#?}");
        let finding = &all[0];
        has(
            finding,
            json!({ "finding": "dispatch-race", "why": "no-wait", "count": 1, "allocation_bytes": 4 * N, "offset": 0 }),
        );
        is_by(&finding["allocated"], "hipMalloc");
        let other = &finding["other"];
        let (store, load) = if finding["access"] == "write" { (finding, other) } else { (other, finding) };
        has(store, json!({ "access": "write", "kernel": "fill(int*, int)", "symbol": "_Z4fillPii" }));
        has(load, json!({ "access": "read", "kernel": "add(int const*, int*)" }));
        is_in_source(&store["lines"], "// store of fill");
        is_in_source(&load["lines"], "// load of add");
        assert_ne!(store["queue"], load["queue"], "{finding:#}");
        assert!(store["packet"].is_u64() && load["packet"].is_u64(), "{finding:#}");
    }
    for (options, found) in [(&[][..], 1), (&["--only", "memory,race,sync"], 0)] {
        assert_eq!(findings_of(options, "streams", "kernels_without", 0).0.len(), found, "{options:?}");
    }
}

/// Once for each kernel that ends behind others that it does not wait for, of however many.
#[test]
fn kernels_that_do_not_wait_again_and_again_are_one_finding() {
    stack_tests::needs_vgpu!();
    let all = races("streams", "repeated_without", 0);
    assert_eq!(all.len(), 1, "{all:#?}");
    let count = all[0]["count"].as_u64();
    // Behind the first of one stream, at least all of the other.
    assert!(count.is_some_and(|count| (4..8).contains(&count)), "{all:#?}");
}

#[test]
fn copies_that_do_not_wait_for_a_kernel_are_found() {
    stack_tests::needs_vgpu!();
    for (case, kernel, accesses) in [
        ("copied_without", "fill(int*, int)", ["write", "read"]),
        ("cleared_without", "fill(int*, int)", ["write", "write"]),
        ("uploaded_without", "add(int const*, int*)", ["read", "write"]),
    ] {
        let all = races("streams", case, 0);
        let is_it = |one: &Value, other: &Value| {
            one["kernel"] == kernel && one["access"] == accesses[0] && other["access"] == accesses[1]
        };
        let found = all.iter().any(|finding| {
            let other = &finding["other"];
            finding["finding"] == "dispatch-race" && (is_it(finding, other) || is_it(other, finding))
        });
        assert!(found, "{case}: {all:#?}");
    }
}

/// Whether the runtime has seen by luck that something is over does not matter, nor which engine does the copies.
#[test]
fn a_wait_that_a_pipeline_lacks_is_found_each_time() {
    stack_tests::needs_vgpu!();
    for (case, kernels, copys) in
        [("pipeline_without_upload", "read", "write"), ("pipeline_without_compute", "write", "read")]
    {
        for round in 0..5 {
            let all = races("streams", case, 0);
            assert_eq!(all.len(), 1, "{case}, round {round}: {all:#?}");
            let finding = &all[0];
            has(finding, json!({ "finding": "dispatch-race", "kernel": "add(int const*, int*)", "access": kernels }));
            has(&finding["other"], json!({ "access": copys }));
            is_in_source(&finding["lines"], "// load of add");
        }
    }
}

#[test]
fn the_null_stream_does_not_wait_for_one_that_is_apart() {
    stack_tests::needs_vgpu!();
    let all = races("streams", "null_stream_without", 0);
    assert!(!all.is_empty() && all.iter().all(|finding| finding["finding"] == "dispatch-race"), "{all:#?}");
}

#[test]
fn queues_of_opencl_are_looked_at_like_streams() {
    stack_tests::needs_vgpu!();
    stack_tests::needs_amd_opencl!();
    for case in ["event", "finish", "wait"] {
        assert_eq!(races("queues_opencl", case, N), [] as [Value; 0], "{case}");
    }
    // Later versions have no queues that are out of order.
    for case in ["out_of_order", "barrier"].into_iter().filter(|_| hip_version() < (6, 0)) {
        assert_eq!(races("queues_opencl", case, N), [] as [Value; 0], "{case}");
    }
    let all = races("queues_opencl", "without", 0);
    assert_eq!(all.len(), 1, "{all:#?}");
    // Which of the two code objects is first in memory is luck.
    let (one, other) = (&all[0], &all[0]["other"]);
    let (store, load) = if one["access"] == "write" { (one, other) } else { (other, one) };
    has(one, json!({ "finding": "dispatch-race", "why": "no-wait" }));
    has(store, json!({ "access": "write", "kernel": "fill" }));
    has(load, json!({ "access": "read", "kernel": "add" }));
}

/// By HSA alone: which waits of the host, and of copies, order what comes behind them.
#[test]
fn copies_of_hsa_are_looked_at_like_those_of_streams() {
    stack_tests::needs_vgpu!();
    const OTHERS: usize = 1;
    for (case, values) in [
        ("wait", N),
        ("group", N + OTHERS),
        ("group_relaxed", N + OTHERS),
        ("dependency", N),
        // The dependency is over by then, of which the host has seen nothing.
        ("over", N),
    ] {
        assert_eq!(races("copies_hsa", case, values), [] as [Value; 0], "{case}");
    }
    // Earlier versions have no such wait.
    for case in ["all", "all_unseen"].into_iter().filter(|_| hip_version() >= (6, 4)) {
        assert_eq!(races("copies_hsa", case, N + OTHERS), [] as [Value; 0], "{case}");
    }
    let all = races("copies_hsa", "without", 0);
    assert_eq!(all.len(), 1, "{all:#?}");
    let (one, other) = (&all[0], &all[0]["other"]);
    has(one, json!({ "finding": "dispatch-race", "why": "no-wait", "count": 1, "allocation_bytes": 4 * N }));
    let accesses = [&one["access"], &other["access"]];
    assert!(accesses == ["write", "read"] || accesses == ["read", "write"], "{one:#}");
    assert_ne!(one["queue"], other["queue"], "{one:#}");
}
