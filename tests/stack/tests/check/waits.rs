//! Waits (`s_waitcnt`) that are missing between a load and the use of its register, and between LDS and a barrier.

use serde_json::{Value, json};

use super::{findings_of, has, is_in};

/// Work-items of the work-group in `waits.hip`.
const GROUP: usize = 128;
const WAITS: [&str; 2] = ["--only", "wait,race"];

#[track_caller]
fn is_in_waits(lines: &Value, text: &str) {
    is_in("waits.hip", include_str!("../../programs/waits.hip"), lines, text);
}

/// The one finding of a case of `waits.hip`.
#[track_caller]
fn finding(case: &str) -> (Value, String) {
    let (mut list, text) = findings_of(&WAITS, "waits", case, GROUP);
    assert_eq!(list.len(), 1, "{list:#?}");
    (list.remove(0), text)
}

#[test]
fn programs_that_wait_for_loads_are_left_alone() {
    stack_tests::needs_vgpu!();
    for (program, case, values) in [("waits", "next", GROUP), ("waits", "reverse", GROUP), ("sync", "exchange", 256)] {
        assert_eq!(findings_of(&WAITS, program, case, values).0, [] as [Value; 0], "{case}");
    }
}

#[test]
fn a_register_that_is_used_without_a_wait_is_found() {
    stack_tests::needs_vgpu!();
    let (finding, text) = finding("next_without");
    has(&finding, json!({ "finding": "missing-wait", "access": "read", "why": "not-waited-for", "count": 2 }));
    has(&finding["other"], json!({ "access": "read", "wave": finding["wave"], "lane": 0 }));
    is_in_waits(&finding["lines"], "// load of next");
    is_in_waits(&finding["other"]["lines"], "// use of next");
    let register = finding["register"].as_str().expect("it has a name");
    assert!(finding["instruction"].as_str().expect("a text").contains(&format!("global_load_dword {register}, ")));
    assert!(
        text.contains(&format!("check: {register} is used before the load to it is waited for, by kernel")),
        "{text}"
    );
    // Only who asks for it is told.
    assert_eq!(findings_of(&["--only", "race,sync"], "waits", "next_without", GROUP).0, [] as [Value; 0]);
}

#[test]
fn a_store_to_lds_that_a_barrier_does_not_wait_for_is_found() {
    stack_tests::needs_vgpu!();
    let (finding, text) = finding("reverse_without");
    has(&finding, json!({ "finding": "race", "why": "no-wait", "access": "write" }));
    has(&finding["other"], json!({ "access": "read" }));
    is_in_waits(&finding["lines"], "// store of reverse");
    is_in_waits(&finding["other"]["lines"], "// load of reverse");
    assert!(text.contains("of two waves, and a barrier between them, but no wait in front of it"), "{text}");
}
