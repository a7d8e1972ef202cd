//! Whose a finding is: what kernels of AMD's runtime do is told, and no failure of the program's.

use serde_json::{Value, json};
use stack_tests::{check_case, checked, hip_program, hip_version, run_any, work_folder};

use super::{LIMIT, finding, findings_of, has};

/// Runs a case and gives what is written, both as JSON and as SARIF, and what was said with which status.
#[track_caller]
fn all(options: &[&str], case: &str, values: usize) -> (Value, Value, String, i32) {
    let file = |kind: &str| {
        let path = work_folder().join(format!("runtime-{case}-{}.{kind}", std::process::id()));
        path.to_str().expect("the target folder's name is UTF-8").to_owned()
    };
    let (json, sarif) = (file("json"), file("sarif"));
    let options = [&["--json", &json, "--sarif", &sarif], options].concat();
    let finished = run_any(checked(&options, hip_program("device_malloc")).arg(case), LIMIT);
    check_case(case, values, &finished.stdout);
    let read = |path: &str| {
        let text = std::fs::read_to_string(path).expect("it was written");
        std::fs::remove_file(path).expect("it was just written");
        serde_json::from_str::<Value>(&text).expect("it is JSON")
    };
    (read(&json), read(&sarif), finished.stderr, finished.status.code().expect("an exit status"))
}

/// The kernel that HIP 5.7 has for it stores zeros by all of its waves, and then a word by one of them, without a
/// barrier between: `__ockl_dm_init_v1`.
#[test]
fn races_of_the_runtimes_own_kernel_are_told_and_no_failure() {
    stack_tests::needs_vgpu!();
    if hip_version() < (5, 7) {
        test_skip::skip!("the runtime of HIP 5.2 makes no heap for kernels");
    }
    let (json, sarif, said, status) = all(&[], "heap", 64);
    let found = json["findings"].as_array().expect("a list");
    assert_eq!(status, 0, "{said}");
    if hip_version() >= (6, 0) {
        assert_eq!(*found, [] as [Value; 0]);
        return;
    }
    assert_eq!(found.len(), 2, "{json:#}");
    for one in found {
        has(
            one,
            json!({ "finding": "device-race", "kernel": "__amd_rocclr_initHeap", "whose": "runtime", "count": 1 }),
        );
    }
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2, "{sarif:#}");
    for result in results {
        has(result, json!({ "ruleId": "device-race", "level": "note", "properties": { "whose": "runtime" } }));
    }
    assert_eq!(said.matches("in a kernel of AMD's runtime, which the program cannot change").count(), 2, "{said}");
    assert!(said.contains("check: nothing was found in the program; 2 findings in kernels of AMD's runtime"), "{said}");
    let (json, _, said, status) = all(&["--fail-on-runtime"], "heap", 64);
    assert_eq!((status, json["findings"].as_array().map(Vec::len)), (1, Some(2)), "{said}");
    assert!(said.contains("check: 2 findings\n"), "{said}");
}

/// A name does not make a kernel AMD's, and who has AMD fill memory orders that.
#[test]
fn what_the_program_does_is_the_programs() {
    stack_tests::needs_vgpu!();
    let named = finding("device_malloc", "named", 1);
    has(&named, json!({ "finding": "race", "kernel": "__amd_rocclr_mine", "whose": "program" }));
    let cleared = findings_of(&["--only", "stream"], "streams", "cleared_without", 0).0;
    let is_amds = |kernel: &Value| kernel.as_str().is_some_and(|kernel| kernel.starts_with("__amd_rocclr_fillBuffer"));
    assert!(cleared.iter().any(|race| is_amds(&race["kernel"]) || is_amds(&race["other"]["kernel"])), "{cleared:#?}");
    cleared.iter().for_each(|race| has(race, json!({ "finding": "dispatch-race", "whose": "program" })));
}

/// Who looks at nothing has found nothing out. A child's kernels count.
#[test]
fn a_program_that_ran_no_kernel_is_told_so() {
    stack_tests::needs_vgpu!();
    let json = work_folder().join(format!("kernels-{}.json", std::process::id()));
    let sarif = json.with_extension("sarif");
    let names = [&json, &sarif].map(|path| path.to_str().expect("the target folder's name is UTF-8"));
    let options = ["--json", names[0], "--sarif", names[1]];
    let check = |program: &str, arguments: &[&str]| {
        let finished = run_any(checked(&options, program).args(arguments), LIMIT);
        let read = |path| serde_json::from_str::<Value>(&std::fs::read_to_string(path).expect("it was written"));
        (finished, read(&json).expect("it is JSON"), read(&sarif).expect("it is JSON"))
    };
    for (program, why) in
        [("true", "no process opened /dev/kfd"), ("rocminfo", "/dev/kfd was opened, but no queue on a GPU")]
    {
        let (finished, json, sarif) = check(program, &[]);
        let text = format!("no kernel ran, so nothing was looked at: {why}");
        assert_eq!(finished.status.code(), Some(3), "{finished:?}");
        assert!(finished.stderr.contains(&format!("check: {text}\n")), "{finished:?}");
        assert!(!finished.stderr.contains("nothing was found"), "{finished:?}");
        assert_eq!(json, json!({ "findings": [], "ran_kernels": false, "unfinished_kernels": null }));
        let notes = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(*notes, json!([{ "level": "warning", "message": { "text": text } }]), "{sarif:#}");
    }
    let stray = hip_program("stray");
    let (finished, json, sarif) = check("sh", &["-c", "true; \"$0\" right; true", stray.to_str().expect("UTF-8")]);
    assert_eq!(finished.status.code(), Some(0), "{finished:?}");
    assert!(finished.stderr.contains("check: nothing was found\n"), "{finished:?}");
    assert_eq!(json, json!({ "findings": [], "ran_kernels": true, "unfinished_kernels": null }));
    assert_eq!(sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"], json!([]), "{sarif:#}");
    names.into_iter().for_each(|path| std::fs::remove_file(path).expect("it was written"));
}
