//! What kernels and places are called, and what is told of kernels that nobody waits for.
use super::{LIMIT, findings, findings_of, has};
use serde_json::{Value, json};
use stack_tests::{checked, hip_program, hip_version, run_any, work_folder};

#[test]
fn kernels_without_names_of_cpp_are_called_as_they_are() {
    stack_tests::needs_vgpu!();
    let all = findings("names", "c_names", 0);
    let names: Vec<&str> = all.iter().map(|finding| finding["kernel"].as_str().expect("it has a name")).collect();
    assert_eq!(names, ["f", "i", "d", "v", "x", "b", "Sa", "a1"]);
    assert!(all.iter().all(|finding| finding["symbol"] == finding["kernel"]), "{all:#?}");
}

/// Also what runs on another GPU than the one that ended last, and it can be suppressed by its name.
#[test]
fn kernels_of_two_gpus_have_names() {
    stack_tests::needs_vgpu!();
    let options = ["--gpus", "2", "--only", "stream"];
    let (all, _) = findings_of(&options, "names", "two_gpus", 0);
    assert_eq!(all.len(), 1, "{all:#?}");
    let (one, other) = (&all[0], &all[0]["other"]);
    let (store, load) = if one["access"] == "write" { (one, other) } else { (other, one) };
    has(store, json!({ "access": "write", "kernel": "writer(int*)", "symbol": "_Z6writerPi", "gpu": 0 }));
    has(load, json!({ "access": "read", "kernel": "reader(int const*, int*)", "symbol": "_Z6readerPKiPi", "gpu": 1 }));
    for (side, kernel) in [(store, "_Z6writerPi+0x"), (load, "_Z6readerPKiPi+0x")] {
        assert!(side["place"].as_str().is_some_and(|place| place.starts_with(kernel)), "{side:#}");
    }
    let list = work_folder().join(format!("names-{}.suppress", std::process::id()));
    std::fs::write(&list, "dispatch-race kernel=writer(*\n").expect("the target folder is writable");
    let options = [&options[..], &["--suppress", list.to_str().expect("its name is UTF-8")]].concat();
    assert_eq!(findings_of(&options, "names", "two_gpus", 0).0, [] as [Value; 0]);
    std::fs::remove_file(&list).expect("it was just written");
}

#[test]
fn a_place_in_a_function_is_the_same_in_each_run() {
    stack_tests::needs_vgpu!();
    let place = || {
        let all = findings("names", "function", 0);
        assert_eq!(all.len(), 1, "{all:#?}");
        has(&all[0], json!({ "finding": "out-of-bounds", "kernel": "calls(int*, int)" }));
        all[0]["place"].as_str().expect("it has a place").to_owned()
    };
    let first = place();
    // The compiler of HIP 5.2 inlines the function though it is not to.
    let function = if hip_version() < (5, 7) { "_Z5callsPii+0x" } else { "_ZL12store_behindPii+0x" };
    assert!(first.starts_with(function), "{first}");
    assert_eq!(place(), first);
}

#[test]
fn a_kernel_that_nobody_waits_for_is_looked_at_when_the_program_ends() {
    stack_tests::needs_vgpu!();
    let all = findings("names", "unfinished", 0);
    assert_eq!(all.len(), 1, "{all:#?}");
    let kernel = "late(int*, long long)";
    has(&all[0], json!({ "finding": "out-of-bounds", "kernel": kernel, "access": "write" }));
}

/// From 6.4 on HIP waits itself when the program ends, for however long.
#[test]
fn a_kernel_that_does_not_complete_is_told() {
    stack_tests::needs_vgpu!();
    if hip_version() >= (6, 0) {
        let (all, said) = findings_of(&["--at-exit", "1"], "names", "unfinished_for_long", 0);
        assert_eq!(all.len(), 1, "{all:#?}");
        assert!(!said.contains("not completed"), "{said}");
        return;
    }
    let folder = work_folder();
    let files = ["json", "sarif"].map(|kind| folder.join(format!("unfinished-{}.{kind}", std::process::id())));
    let [json, sarif] = files.each_ref().map(|file| file.to_str().expect("its name is UTF-8"));
    let options = ["--at-exit", "1", "--json", json, "--sarif", sarif];
    let finished = run_any(checked(&options, hip_program("names")).arg("unfinished_for_long"), LIMIT);
    let said = "1 kernel had not completed when the program ended, and nothing is known of it";
    assert_eq!(finished.status.code(), Some(1), "{finished:?}");
    assert!(finished.stderr.contains(said), "{finished:?}");
    assert!(finished.stderr.contains("check: nothing was found in what completed"), "{finished:?}");
    let [report, results] = files.map(|file| {
        let text = std::fs::read_to_string(&file).expect("it was written");
        std::fs::remove_file(&file).expect("it was just read");
        serde_json::from_str::<Value>(&text).expect("it is JSON")
    });
    assert_eq!(report, json!({ "findings": [], "ran_kernels": true, "unfinished_kernels": 1 }));
    let invocation = &results["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false, "{results:#}");
    assert_eq!(invocation["toolExecutionNotifications"][0]["message"]["text"], said, "{results:#}");
}
