//! `vgpu check`, on programs of HIP and OpenCL that access what they did not ask for, and on ones that do not.
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use stack_tests::{check_case, checked, hip_program, hip_version, run_any, work_folder};

const LIMIT: Duration = Duration::from_secs(120);
/// Work-items of a work-group in `stray.hip`.
const GROUP: u64 = 128;
/// Bytes of its buffers: a thousand numbers.
const BYTES: u64 = 4000;

/// Runs a case of a program, which must compute so many values all the same, and gives what was found.
#[track_caller]
fn findings(program: &str, case: &str, values: usize) -> Vec<Value> {
    let json = work_folder().join(format!("findings-{program}-{case}-{}.json", std::process::id()));
    let file = json.to_str().expect("the target folder's name is UTF-8");
    let finished = run_any(checked(&["--json", file], hip_program(program)).arg(case), LIMIT);
    let text = std::fs::read_to_string(&json).unwrap_or_else(|error| panic!("{error}: {finished:?}"));
    std::fs::remove_file(&json).expect("it was just written");
    check_case(case, values, &finished.stdout);
    let all: Value = serde_json::from_str(&text).expect("it is JSON");
    let list = all["findings"].as_array().expect("a list").clone();
    let status = i32::from(!list.is_empty());
    assert_eq!(finished.status.code(), Some(status), "{finished:?}");
    let said = match list.len() {
        0 => "check: nothing was found".to_owned(),
        1 => "check: 1 finding".to_owned(),
        count => format!("check: {count} findings"),
    };
    assert!(finished.stderr.contains(&said), "{finished:?}");
    list
}

/// The one finding of a case.
#[track_caller]
fn finding(program: &str, case: &str, values: usize) -> Value {
    let mut list = findings(program, case, values);
    assert_eq!(list.len(), 1, "{list:#?}");
    list.remove(0)
}

/// Checks that fields have these values.
#[track_caller]
fn has(finding: &Value, expected: Value) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&finding[name], value, "{name} of {finding:#}");
    }
}

/// Checks that this says that HIP's `function` did it. From HIP 6 on that is no function with a name.
#[track_caller]
fn is_by(who: &Value, function: &str) {
    let by = who["by"].as_str().unwrap_or_default();
    let is_it = if hip_version() < (6, 0) { by == function } else { by.starts_with("libamdhip64.so") };
    assert!(is_it, "not {function}: {who:#}");
}

/// Checks that one of these lines is the one in `stray.hip` that has `text`.
#[track_caller]
fn is_at(lines: &Value, text: &str) {
    let source = include_str!("../programs/stray.hip");
    let number = 1 + source.lines().position(|line| line.contains(text)).expect("the source has it");
    let is_it =
        |line: &Value| line["file"].as_str().is_some_and(|file| file.ends_with("stray.hip")) && line["line"] == number;
    assert!(lines.as_array().expect("a list").iter().any(is_it), "not line {number}: {lines:#}");
}

#[test]
fn programs_that_are_right_are_left_alone() {
    stack_tests::needs_vgpu!();
    assert_eq!(findings("stray", "right", 1000), [] as [Value; 0]);
}

#[test]
fn a_load_behind_the_end_is_found_with_line_and_work_item() {
    stack_tests::needs_vgpu!();
    let finding = finding("stray", "load", 999);
    // Each of three launches.
    has(
        &finding,
        json!({ "finding": "out-of-bounds", "access": "read", "count": 3, "kernel": "shift(int const*, int*, int)",
                "symbol": "_Z5shiftPKiPii", "workgroup": [7, 0, 0], "work_item": [999 % GROUP, 0, 0], "global_id": [999, 0, 0],
                "wave": 1, "lane": 39, "allocation_bytes": BYTES, "bytes_behind": 0 }),
    );
    is_at(&finding["lines"], "// line of shift");
    assert!(finding["instruction"].as_str().is_some_and(|text| text.contains("_load_dword ")), "{finding:#}");
    assert!(finding["place"].as_str().is_some_and(|place| place.starts_with("_Z5shiftPKiPii+0x")), "{finding:#}");
    // Who allocated it: the first buffer of `load`.
    is_by(&finding["allocated"], "hipMalloc");
    let stack = finding["allocated"]["stack"].as_array().expect("a list");
    let lines: Vec<Value> =
        stack.iter().flat_map(|frame| frame["lines"].as_array().cloned().unwrap_or_default()).collect();
    is_at(&lines.into(), "Buffer<int> in(numbers(N)), out(N); // of load");
}

#[test]
fn a_store_behind_the_end_is_found() {
    stack_tests::needs_vgpu!();
    let finding = finding("stray", "store", 1000);
    has(
        &finding,
        json!({ "finding": "out-of-bounds", "access": "write", "count": 1, "kernel": "fill(int*, int)",
                "global_id": [1000, 0, 0], "lane": 40, "allocation_bytes": BYTES, "bytes_behind": 0 }),
    );
    is_at(&finding["lines"], "// line of fill");
}

#[test]
fn atomics_behind_the_end_are_found_and_none_is_done_twice() {
    stack_tests::needs_vgpu!();
    let finding = finding("stray", "atomic", 1);
    // A finding in each of two waves of three work-groups.
    has(
        &finding,
        json!({ "finding": "out-of-bounds", "access": "atomic", "count": 6, "kernel": "count(int*, int)", "lane": 1,
                "allocation_bytes": BYTES, "bytes_behind": 0 }),
    );
    is_at(&finding["lines"], "// line of count");
}

#[test]
fn freed_memory_is_found_with_who_freed_it() {
    stack_tests::needs_vgpu!();
    let finding = finding("stray", "freed", 1000);
    has(
        &finding,
        json!({ "finding": "use-after-free", "access": "read", "kernel": "shift(int const*, int*, int)",
                "allocation_bytes": BYTES + 4, "offset": 4 }),
    );
    is_by(&finding["allocated"], "hipMalloc");
    is_by(&finding["freed"], "hipFree");
}

#[test]
fn memory_of_the_host_has_bounds_too() {
    stack_tests::needs_vgpu!();
    let finding = finding("stray", "host", 999);
    has(&finding, json!({ "finding": "out-of-bounds", "access": "read", "global_id": [999, 0, 0], "bytes_behind": 0 }));
    is_by(&finding["allocated"], "hipHostMalloc");
}

/// Where nothing is mapped, the program ends as it does without checks, and what was nearest is told.
#[test]
fn a_memory_fault_is_a_finding() {
    stack_tests::needs_vgpu!();
    let json = work_folder().join(format!("findings-far-{}.json", std::process::id()));
    let file = json.to_str().expect("the target folder's name is UTF-8");
    let finished = run_any(checked(&["--json", file], hip_program("stray")).arg("far"), LIMIT);
    let text = std::fs::read_to_string(&json).expect("it was written");
    std::fs::remove_file(&json).expect("it was just written");
    let all: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!((finished.status.code(), all["findings"].as_array().map(Vec::len)), (Some(1), Some(1)), "{finished:?}");
    has(
        &all["findings"][0],
        json!({ "finding": "memory-fault", "access": "atomic", "kernel": "count(int*, int)",
                "allocation_bytes": BYTES, "bytes_behind": 4096 - BYTES }),
    );
}

#[test]
fn opencl_kernels_are_checked_like_those_of_hip() {
    stack_tests::needs_vgpu!();
    stack_tests::needs_amd_opencl!();
    assert_eq!(findings("stray_opencl", "right", 1000), [] as [Value; 0]);
    let load = finding("stray_opencl", "load", 999);
    has(
        &load,
        json!({ "finding": "out-of-bounds", "access": "read", "kernel": "shift", "global_id": [999, 0, 0], "work_item": [199, 0, 0],
                "allocation_bytes": BYTES, "bytes_behind": 0 }),
    );
    // AMD's OpenCL compiles without debug information, whatever it is asked for: the place in the code has to do.
    assert!(load["place"].as_str().is_some_and(|place| place.starts_with("shift+0x")), "{load:#}");
    assert_eq!(load["allocated"]["by"], "clCreateBuffer", "{load:#}");
    let atomic = finding("stray_opencl", "atomic", 1000);
    has(&atomic, json!({ "finding": "out-of-bounds", "access": "atomic", "kernel": "count", "bytes_behind": 0 }));
}

/// All processes of a program are looked at, and its own status is that of `vgpu check` where nothing is found.
#[test]
fn children_are_checked_and_the_programs_status_is_kept() {
    stack_tests::needs_vgpu!();
    let program = hip_program("stray");
    let sh = |script: &str| {
        let mut command: Command = checked(&[], "sh");
        command.args(["-c", script]).arg(&program);
        run_any(&mut command, LIMIT)
    };
    let twice = sh("$0 load && $0 store; exit 7");
    assert_eq!(twice.status.code(), Some(1), "{twice:?}");
    assert!(twice.stderr.contains("check: 2 findings"), "{twice:?}");
    let right = sh("$0 right; exit 7");
    assert_eq!(right.status.code(), Some(7), "{right:?}");
    assert_eq!(sh("kill -USR1 $$").status.code(), Some(128 + 10));
}
