//! `vgpu check`, on programs of HIP and OpenCL that access what they did not ask for, and on ones that do not.
#[path = "check/device_races.rs"]
mod device_races;
#[path = "check/frees.rs"]
mod frees;
#[path = "check/init.rs"]
mod init;
#[path = "check/leaks.rs"]
mod leaks;
#[path = "check/names.rs"]
mod names;
#[path = "check/pieces.rs"]
mod pieces;
#[path = "check/pinned.rs"]
mod pinned;
#[path = "check/runtime.rs"]
mod runtime;
#[path = "check/streams.rs"]
mod streams;
#[path = "check/sync.rs"]
mod sync;
#[path = "check/verdicts.rs"]
mod verdicts;
#[path = "check/waits.rs"]
mod waits;

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use stack_tests::{check_case, checked, hip_program, run_any, work_folder};

const LIMIT: Duration = Duration::from_secs(120);
/// Work-items of a work-group in `stray.hip`.
const GROUP: u64 = 128;
/// Bytes of its buffers: a thousand numbers.
const BYTES: u64 = 4000;

/// Runs a case of a program, which must compute so many values all the same, and gives what was found.
#[track_caller]
fn findings(program: &str, case: &str, values: usize) -> Vec<Value> {
    findings_of(&[], program, case, values).0
}

/// As [`findings`], with these options; and what was on standard error.
#[track_caller]
fn findings_of(options: &[&str], program: &str, case: &str, values: usize) -> (Vec<Value>, String) {
    let json = work_folder().join(format!("findings-{program}-{case}-{}.json", std::process::id()));
    let file = json.to_str().expect("the target folder's name is UTF-8");
    let options = [&["--json", file], options].concat();
    let finished = run_any(checked(&options, hip_program(program)).arg(case), LIMIT);
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
    (list, finished.stderr)
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

/// Checks that this says that HIP's `function` did it.
#[track_caller]
fn is_by(who: &Value, function: &str) {
    assert_eq!(who["by"], function, "{who:#}");
}

/// Checks that one of these lines is the one in `stray.hip` that has `text`.
#[track_caller]
fn is_at(lines: &Value, text: &str) {
    is_in("stray.hip", include_str!("../programs/stray.hip"), lines, text);
}

/// As [`is_at`], in `races.hip`.
#[track_caller]
fn is_in_races(lines: &Value, text: &str) {
    is_in("races.hip", include_str!("../programs/races.hip"), lines, text);
}

#[track_caller]
fn is_in(name: &str, source: &str, lines: &Value, text: &str) {
    let number = 1 + source.lines().position(|line| line.contains(text)).expect("the source has it");
    let is_it = |line: &Value| line["file"].as_str().is_some_and(|file| file.ends_with(name)) && line["line"] == number;
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
    let twice = sh("\"$0\" load && \"$0\" store; exit 7");
    assert_eq!(twice.status.code(), Some(1), "{twice:?}");
    assert!(twice.stderr.contains("check: 2 findings"), "{twice:?}");
    let right = sh("\"$0\" right; exit 7");
    assert_eq!(right.status.code(), Some(7), "{right:?}");
    assert_eq!(sh("kill -USR1 $$").status.code(), Some(128 + 10));
}

/// Work-items and work-groups of `races.hip`.
const RACERS: u64 = 256;
const GROUPS: u64 = 3;

#[test]
fn programs_whose_barriers_are_right_have_no_races() {
    stack_tests::needs_vgpu!();
    let whole = RACERS * GROUPS;
    for (case, values) in [("reverse", whole), ("sum", GROUPS), ("histogram", 64), ("synced", 2 * GROUPS)] {
        assert_eq!(findings("races", case, values as usize), [] as [Value; 0], "{case}");
    }
}

#[test]
fn a_race_in_lds_is_found_with_both_lines_and_work_items() {
    stack_tests::needs_vgpu!();
    let finding = finding("races", "reverse_without", 1);
    has(&finding, json!({ "finding": "race", "access": "write", "kernel": "void reverse<false>(int*)" }));
    let other = &finding["other"];
    has(other, json!({ "access": "read" }));
    is_in_races(&finding["lines"], "// store of reverse");
    is_in_races(&other["lines"], "// load of reverse");
    for (by, text) in [(&finding, "ds_write_b32"), (other, "ds_read_b32")] {
        assert!(by["instruction"].as_str().is_some_and(|instruction| instruction.starts_with(text)), "{by:#}");
        assert!(by["place"].as_str().is_some_and(|place| place.starts_with("_Z7reverseILb0EEvPi+0x")), "{by:#}");
    }
    // They are opposite to each other, and the place is that of the one that stores.
    let item = |of: &Value| of["work_item"][0].as_u64().expect("a number");
    assert_eq!(item(&finding) + item(other), RACERS - 1, "{finding:#}");
    assert_eq!(finding["address"], format!("{:#x}", 4 * item(&finding)), "{finding:#}");
    // Each of four waves stores what the one that is opposite loads; which of both comes later, and finds it, does not
    // matter.
    assert_eq!(finding["count"], GROUPS * 4, "{finding:#}");
}

/// In the usual order the first wave comes first, and its atomic orders them.
#[test]
fn a_race_of_some_orders_is_found_by_a_seed_and_shown_again_with_what_led_to_it() {
    const GROUPS: usize = 32;
    stack_tests::needs_vgpu!();
    let of = |options: &[&str]| findings_of(&[&["--only", "race"], options].concat(), "races", "first_come", GROUPS);
    assert_eq!(of(&[]).0, [] as [Value; 0]);
    let (found, said) = of(&["--seeds", "20"]);
    assert_eq!(found.len(), 1, "{found:#?}");
    is_in_races(&found[0]["lines"], "// store of first_come");
    is_in_races(&found[0]["other"]["lines"], "// load of first_come");
    assert_eq!((&found[0]["trail"], &found[0]["other"]["trail"]), (&Value::Null, &Value::Null));
    let seed = said.split("--replay ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a seed");
    // Fewer turns in its order are enough, and some are needed.
    let least = said.rsplit("--replay ").next().and_then(|rest| rest.split_whitespace().next()).expect("a schedule");
    let turns = least.strip_prefix(seed).and_then(|rest| rest.strip_prefix(':')).and_then(|turns| turns.parse().ok());
    assert!(turns.is_some_and(|turns: u64| turns > 0), "{said}");
    let (same, _) = of(&["--replay", least]);
    assert_eq!(same.len(), 1, "{same:#?}");
    let places = |finding: &Value| [finding["place"].clone(), finding["other"]["place"].clone()];
    assert_eq!(places(&same[0]), places(&found[0]));
    let (again, said) = of(&["--replay", seed]);
    assert_eq!(again.len(), 1, "{again:#?}");
    assert_eq!(said.matches(" executed:\n").count(), 2, "{said}");
    for (by, before) in [(&again[0], &found[0]), (&again[0]["other"], &found[0]["other"])] {
        has(by, json!({ "place": before["place"], "instruction": before["instruction"] }));
        let trail = by["trail"].as_array().expect("a list");
        assert!((2..=16).contains(&trail.len()), "{by:#}");
        // It ends with the access.
        let last = trail.last().expect("some");
        has(last, json!({ "place": by["place"], "instruction": by["instruction"], "lines": by["lines"] }));
    }
    // The load comes behind the wave's own atomic.
    let trail = again[0]["other"]["trail"].as_array().expect("a list");
    let is_atomic = |step: &Value| step["instruction"].as_str().is_some_and(|text| text.starts_with("ds_add_rtn_u32"));
    assert!(trail.iter().any(is_atomic), "{trail:#?}");
}

#[test]
fn races_between_rounds_and_with_atomics_are_found() {
    stack_tests::needs_vgpu!();
    let sum = findings("races", "sum_without", 1);
    assert!(!sum.is_empty());
    for finding in &sum {
        has(finding, json!({ "finding": "race", "kernel": "void sum<false>(int const*, int*)" }));
        is_in_races(&finding["lines"], "// round of sum");
        is_in_races(&finding["other"]["lines"], "// round of sum");
    }
    let histogram = finding("races", "histogram_without", 64);
    has(&histogram, json!({ "finding": "race", "access": "write", "other": histogram["other"] }));
    assert_eq!(histogram["other"]["access"], "atomic", "{histogram:#}");
    is_in_races(&histogram["lines"], "// zeros of histogram");
    is_in_races(&histogram["other"]["lines"], "// count of histogram");
}

#[test]
fn loads_outside_of_lds_are_found() {
    stack_tests::needs_vgpu!();
    assert_eq!(findings("races", "sized", RACERS as usize - 1), [] as [Value; 0]);
    let finding = finding("races", "sized_without", RACERS as usize - 1);
    has(
        &finding,
        json!({ "finding": "lds-out-of-bounds", "access": "read", "count": 1, "kernel": "shifted(int const*, int*)",
                "work_item": [RACERS - 1, 0, 0], "wave": 3, "lane": 63, "lds_bytes": 4 * RACERS, "bytes_behind": 0,
                "address": format!("{:#x}", 4 * RACERS) }),
    );
    is_in_races(&finding["lines"], "// load of shifted");
}

/// As [`is_at`], in `unwritten.hip`.
#[track_caller]
fn is_in_unwritten(lines: &Value, text: &str) {
    is_in("unwritten.hip", include_str!("../programs/unwritten.hip"), lines, text);
}

/// Padding in structures and between rows is no finding, and without the kind nothing is.
#[test]
fn programs_that_load_what_they_wrote_are_left_alone() {
    stack_tests::needs_vgpu!();
    for (case, values) in [("sum", 3), ("histogram", 64), ("padded", 768), ("transpose", 384)] {
        assert_eq!(
            findings_of(&["--only", "memory,race,init"], "unwritten", case, values).0,
            [] as [Value; 0],
            "{case}"
        );
    }
    for case in [("sum_without", 3), ("histogram_without", 64)] {
        assert_eq!(findings("unwritten", case.0, case.1), [] as [Value; 0], "{case:?}");
    }
}

#[test]
fn loads_of_lds_that_nobody_wrote_are_found() {
    stack_tests::needs_vgpu!();
    let of = |case, values| findings_of(&["--only", "init"], "unwritten", case, values).0;
    let sum = of("sum_without", 3);
    assert_eq!(sum.len(), 1, "{sum:#?}");
    // In each of three work-groups, by the work-items whose partner is the 100th or behind it.
    has(
        &sum[0],
        json!({ "finding": "lds-uninitialized", "access": "read", "count": 3,
                "kernel": "void sum<false>(int const*, int*, int)", "work_item": [36, 0, 0], "address": "0x190" }),
    );
    is_in_unwritten(&sum[0]["lines"], "// load of sum");
    let histogram = of("histogram_without", 64);
    let count = histogram.iter().find(|finding| finding["access"] == "atomic").expect("a count");
    has(count, json!({ "finding": "lds-uninitialized", "count": 6 }));
    is_in_unwritten(&count["lines"], "// count of histogram");
}

/// As [`is_at`], in `segments.hip`.
#[track_caller]
fn is_in_segments(lines: &Value, text: &str) {
    is_in("segments.hip", include_str!("../programs/segments.hip"), lines, text);
}

/// Work-items of `segments.hip`.
const ITEMS: usize = 64;

#[test]
fn programs_that_use_their_own_arguments_and_private_memory_are_left_alone() {
    stack_tests::needs_vgpu!();
    for (case, values) in [("argument", ITEMS), ("private", 2 * ITEMS), ("pointer", 2 * ITEMS)] {
        assert_eq!(findings("segments", case, values), [] as [Value; 0], "{case}");
    }
}

#[test]
fn loads_behind_a_kernels_arguments_are_found() {
    stack_tests::needs_vgpu!();
    for (case, instruction) in [("scalar", "s_load_dword "), ("vector", "global_load_dword ")] {
        let finding = finding("segments", case, ITEMS);
        has(
            &finding,
            json!({ "finding": "kernarg-out-of-bounds", "access": "read", "count": 1, "kernel": "argument(int*, int, int)" }),
        );
        is_in_segments(&finding["lines"], &format!("// {case}"));
        assert!(finding["instruction"].as_str().is_some_and(|text| text.starts_with(instruction)), "{finding:#}");
        // The scalar load is the wave's.
        assert_eq!(finding["lane"], if case == "vector" { json!(0) } else { Value::Null }, "{finding:#}");
        let number = |name: &str| finding[name].as_u64().expect("a number");
        assert!(number("kernarg_bytes") >= 16, "{finding:#}");
        assert_eq!(number("kernarg_bytes") + number("bytes_behind"), 1024, "{finding:#}");
    }
}

#[test]
fn accesses_outside_of_private_memory_are_found() {
    stack_tests::needs_vgpu!();
    for (case, kernel, text) in [
        ("private_outside", "sum(int const*, int*, int)", "// load of sum"),
        ("pointer_outside", "pointer(int const*, int*, int)", "// load of element"),
    ] {
        let finding = finding("segments", case, ITEMS);
        has(
            &finding,
            json!({ "finding": "scratch-out-of-bounds", "access": "read", "count": 1, "kernel": kernel, "lane": 0, "work_item": [0, 0, 0] }),
        );
        is_in_segments(&finding["lines"], text);
        let number = |name: &str| finding[name].as_u64().expect("a number");
        // 200 numbers, of which the one with index 250 is asked for, and what compilers put beside them.
        assert!((800..1000).contains(&number("scratch_bytes")), "{finding:#}");
        assert!((1000..1200).contains(&(number("scratch_bytes") + number("bytes_behind"))), "{finding:#}");
    }
    assert_eq!(findings_of(&["--only", "race"], "segments", "private_outside", ITEMS).0, [] as [Value; 0]);
}

/// The lines of both accesses, and the whole text.
#[test]
fn sarif_has_both_lines_of_a_race() {
    stack_tests::needs_vgpu!();
    let file = work_folder().join(format!("findings-{}.sarif", std::process::id()));
    let name = file.to_str().expect("the target folder's name is UTF-8");
    let (found, said) = findings_of(&["--sarif", name], "races", "reverse_without", 1);
    let text = std::fs::read_to_string(&file).expect("it was written");
    std::fs::remove_file(&file).expect("it was just written");
    let sarif: Value = serde_json::from_str(&text).expect("it is JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!((results.len(), found.len()), (1, 1), "{sarif:#}");
    has(&results[0], json!({ "ruleId": "race", "level": "error", "occurrenceCount": found[0]["count"] }));
    let source = include_str!("../programs/races.hip");
    for (location, text) in [("locations", "// store of reverse"), ("relatedLocations", "// load of reverse")] {
        let line = 1 + source.lines().position(|line| line.contains(text)).expect("the source has it");
        // The tests run in `tests/stack`.
        let place = json!({ "artifactLocation": { "uri": "programs/races.hip" }, "region": { "startLine": line } });
        assert_eq!(results[0][location][0]["physicalLocation"], place, "{sarif:#}");
    }
    let message = results[0]["message"]["text"].as_str().expect("a text");
    assert!(said.contains(message), "{message}");
}

/// What is not asked for is neither told nor a failure, and lines of a file that suppress nothing are told.
#[test]
fn findings_can_be_left_out_by_kind_and_by_a_file() {
    stack_tests::needs_vgpu!();
    let of = |options: &[&str]| findings_of(options, "races", "reverse_without", 1);
    assert_eq!(of(&["--only", "memory"]).0, [] as [Value; 0]);
    assert_eq!(of(&["--only", "race"]).0.len(), 1);
    let file = work_folder().join(format!("suppressions-{}", std::process::id()));
    let name = file.to_str().expect("the target folder's name is UTF-8");
    let with = |text: &str| {
        std::fs::write(&file, text).expect("the target folder is writable");
        of(&["--suppress", name])
    };
    let (left, said) = with("# known\nrace kernel=void reverse<*\nrace kernel=sum* line=*/races.hip:*\n");
    assert_eq!(left, [] as [Value; 0]);
    let unused = format!("nothing was found that {name}:3 suppresses: race kernel=sum* line=*/races.hip:*");
    assert!(said.contains(&unused) && !said.contains(&format!("{name}:2 ")), "{said}");
    // The other access's line, the symbol.
    let source = include_str!("../programs/races.hip");
    let line = 1 + source.lines().position(|line| line.contains("// load of reverse")).expect("it is there");
    assert_eq!(with(&format!("* line=*/races.hip:{line}\n")).0, [] as [Value; 0]);
    assert_eq!(with("race kernel=_Z7reverseILb0E*\n").0, [] as [Value; 0]);
    assert_eq!(with("out-of-bounds kernel=*\nrace line=*/stray.hip:*\n").0.len(), 1);
    std::fs::write(&file, "race\n").expect("the target folder is writable");
    let refused = run_any(checked(&["--suppress", name], hip_program("races")).arg("reverse"), LIMIT);
    assert_eq!(refused.status.code(), Some(125), "{refused:?}");
    assert!(refused.stderr.contains("line 1") && refused.stdout.is_empty(), "{refused:?}");
    std::fs::remove_file(&file).expect("it was just written");
}
