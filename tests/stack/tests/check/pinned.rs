//! What the host itself does to pinned memory beside copies.
use super::{findings_of, has, is_by, is_in};
use serde_json::{Value, json};

/// Numbers that `pinned.hip` works on.
const N: usize = 1 << 16;
/// Of a copy of less than a page.
const SMALL: usize = 16;

#[track_caller]
fn findings(case: &str, values: usize) -> (Vec<Value>, String) {
    findings_of(&["--only", "stream"], "pinned", case, values)
}

#[track_caller]
fn is_in_source(lines: &Value, text: &str) {
    is_in("pinned.hip", include_str!("../../programs/pinned.hip"), lines, text);
}

/// The lines of a stack's frames.
fn lines(who: &Value) -> Value {
    let stack = who["stack"].as_array().expect("a list");
    stack.iter().flat_map(|frame| frame["lines"].as_array().cloned().unwrap_or_default()).collect()
}

#[test]
fn a_host_that_waits_for_its_copies_is_left_alone() {
    stack_tests::needs_vgpu!();
    for (case, values) in [
        ("loaded_stream", N),
        ("loaded_event", N),
        ("loaded_event_query", N),
        ("loaded_stream_query", N),
        ("loaded_device", N),
        ("loaded_copy", N),
        ("loaded_callback", N),
        ("few", SMALL),
        ("behind_kernel", N),
        ("stored", 1),
        ("changed", N),
        ("by_library", N),
        ("by_kernel_of_host", 2 * SMALL),
        ("by_thread", N),
        ("turns", N),
        ("threads", 1),
    ] {
        assert_eq!(findings(case, values).0, [] as [Value; 0], "{case}");
    }
}

/// It may do what it likes to other parts, before it lets the copy begin, and when something else has told it that the
/// copy is over.
#[test]
fn a_host_that_need_not_wait_is_left_alone() {
    stack_tests::needs_vgpu!();
    for (case, values) in [("parts", 26124), ("before", 2 * N), ("flags", 2 * N), ("freed", 8), ("forked", N + 1)] {
        assert_eq!(findings(case, values).0, [] as [Value; 0], "{case}");
    }
}

#[test]
fn a_host_that_does_not_wait_for_a_copy_is_found_with_both() {
    stack_tests::needs_vgpu!();
    for (case, access, other, line) in [
        ("loaded_without", "read", "write", "// load of loaded"),
        ("few_without", "read", "write", "// load of few"),
        ("behind_kernel_without", "read", "write", "// load of behind_kernel"),
        ("stored_without", "write", "write", "// store of stored"),
        ("changed_without", "write", "read", "// store of changed"),
        ("by_library_without", "read", "write", "// load of by_library"),
        ("by_thread_without", "read", "write", "// load of by_thread"),
    ] {
        let (all, said) = findings(case, 0);
        if said.contains("(userfaultfd)") {
            test_skip::skip!("this process may not stop its own threads (userfaultfd)");
        }
        assert_eq!(all.len(), 1, "{case}: {all:#?}");
        let finding = &all[0];
        has(
            finding,
            json!({ "finding": "host-race", "access": access, "other": { "access": other, "lines": [] }, "count": 1,
                    "allocation_bytes": 4 * N }),
        );
        is_in_source(&finding["lines"], line);
        is_by(&finding["allocated"], "hipHostMalloc");
        is_in_source(&lines(&finding["allocated"]), "// of Memory");
        is_by(&finding["copied"], "hipMemcpyAsync");
        if case == "loaded_without" {
            is_in_source(&lines(&finding["copied"]), "// of loaded");
        }
    }
}

/// `write` from it, and `read` into it.
#[test]
fn what_the_hosts_kernel_does_for_it_is_found_too() {
    stack_tests::needs_vgpu!();
    let (all, said) = findings("by_kernel_of_host_without", SMALL);
    if said.contains("(userfaultfd)") {
        test_skip::skip!("this process may not stop its own threads (userfaultfd)");
    }
    let accesses: Vec<&Value> = all.iter().map(|finding| &finding["access"]).collect();
    assert_eq!(accesses, ["read", "write"], "{all:#?}");
}
