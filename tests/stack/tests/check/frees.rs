//! Memory that is freed twice, from inside, or by the function of another heap; and what calls return about memory that
//! is free.

use serde_json::{Value, json};
use stack_tests::{checked, hip_program, hip_version, on_vgpu, run_any, work_folder};

use super::{LIMIT, finding, findings, has, is_by, is_in};

const SOURCE: &str = include_str!("../../programs/frees.hip");
/// Bytes of an allocation of `frees.hip`.
const BYTES: u64 = 4 << 20;

/// Checks that the lines of a call are those with `text`.
#[track_caller]
fn is_at(call: &Value, text: &str) {
    let frames = call["stack"].as_array().expect("a list").iter();
    let lines: Vec<Value> = frames.flat_map(|frame| frame["lines"].as_array().cloned().unwrap_or_default()).collect();
    is_in("frees.hip", SOURCE, &lines.into(), text);
}

#[test]
fn what_is_freed_as_it_was_allocated_is_no_finding() {
    stack_tests::needs_vgpu!();
    assert_eq!(findings("frees", "right", 1), [] as [Value; 0]);
}

#[test]
fn a_second_free_is_found_with_the_first_one() {
    stack_tests::needs_vgpu!();
    for (case, function, bytes) in [
        ("twice", "hipFree", BYTES),
        ("large", "hipFree", 512 * BYTES),
        ("by_pointer", "hipFree", BYTES),
        ("by_hsa", "hsa_amd_memory_pool_free", BYTES),
    ] {
        let found = finding("frees", case, 1);
        has(
            &found,
            json!({ "finding": "double-free", "function": function, "count": 1, "allocation_bytes": bytes, "offset": 0 }),
        );
        assert_ne!(found["result"], 0, "{found:#}");
        is_by(&found["called"], function);
        let second = match case {
            "twice" => "// second",
            "large" => "// second of large",
            "by_pointer" => "// second by pointer",
            _ => "// second by HSA",
        };
        is_in("frees.hip", SOURCE, &found["lines"], second);
        is_at(&found["called"], second);
        if case == "twice" {
            is_at(&found["freed"], "// first");
            is_by(&found["freed"], "hipFree");
            is_at(&found["allocated"], "// device memory");
            is_by(&found["allocated"], "hipMalloc");
        }
    }
}

#[test]
fn a_free_from_inside_is_found() {
    stack_tests::needs_vgpu!();
    let found = finding("frees", "inside", 1);
    has(
        &found,
        json!({ "finding": "invalid-free", "function": "hipFree", "result": 0, "offset": 256, "allocation_bytes": BYTES }),
    );
    is_at(&found["called"], "// inside");
    is_at(&found["allocated"], "// device memory");
}

#[test]
fn a_free_by_the_function_of_another_heap_is_found() {
    stack_tests::needs_vgpu!();
    let found = findings("frees", "by_other", 2);
    assert_eq!(found.len(), 2, "{found:#?}");
    for (found, (function, heap, by, allocated)) in found.iter().zip([
        ("hipHostFree", "device", "// device memory by the host's function", "// device memory"),
        ("hipFree", "host", "// memory of the host by the device's function", "// memory of the host"),
    ]) {
        has(found, json!({ "finding": "mismatched-free", "function": function, "heap": heap, "result": 0 }));
        is_at(&found["called"], by);
        is_at(&found["allocated"], allocated);
    }
}

/// What a library answers is its own, whoever looks.
#[test]
fn calls_return_the_same_with_and_without_a_check() {
    stack_tests::needs_vgpu!();
    if hip_version() < (5, 7) {
        test_skip::skip!("ROCr 5.2 aborts when it is asked about memory that is free");
    }
    let program = hip_program("frees");
    let plain = run_any(on_vgpu(&[], &program).arg("codes"), LIMIT);
    assert!(plain.status.success(), "{plain:?}");
    let codes = plain.stdout.lines().filter(|line| line.starts_with("code ")).count();
    assert!(codes == 73, "{codes}: {plain:?}");
    for kinds in ["memory", "memory,race,sync,stream", "memory,leak", "init"] {
        let looked_at = run_any(checked(&["--only", kinds], &program).arg("codes"), LIMIT);
        assert_eq!(looked_at.stdout, plain.stdout, "{kinds}: {looked_at:?}");
    }
}

/// The three kinds have rules, with the lines of the call.
#[test]
fn sarif_has_the_line_of_the_call() {
    stack_tests::needs_vgpu!();
    let file = work_folder().join(format!("frees-{}.sarif", std::process::id()));
    let name = file.to_str().expect("the target folder's name is UTF-8");
    run_any(checked(&["--sarif", name], hip_program("frees")).arg("twice"), LIMIT);
    let text = std::fs::read_to_string(&file).expect("it was written");
    std::fs::remove_file(&file).expect("it was just written");
    let sarif: Value = serde_json::from_str(&text).expect("it is JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "double-free", "{sarif:#}");
    let line = 1 + SOURCE.lines().position(|line| line.contains("// second")).expect("the source has it");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        *place,
        json!({ "artifactLocation": { "uri": "programs/frees.hip" }, "region": { "startLine": line } }),
        "{sarif:#}"
    );
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("a list");
    for kind in ["double-free", "invalid-free", "mismatched-free"] {
        assert!(rules.iter().any(|rule| rule["id"] == kind), "{kind}");
    }
}
