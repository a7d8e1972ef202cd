//! Some of the programs of `cargo xtask verdicts`, which say themselves what is to be told of them.
use super::LIMIT;
use serde_json::Value;
use stack_tests::{checked, hip_program, hip_version, run, run_any, work_folder};
use std::process::Command;

/// Of each suite some cases with a fault, and some without.
const CASES: &[(&str, &[&str])] = &[
    (
        "verdict_graphs",
        &[
            "push-item-nothing-int-random",
            "push-item-atomicBug-int-star",
            "push-item-atomicBug-int-pairs",
            "pull-group-syncBug-int-star",
            "worklist-wave-boundsBug-int-star",
        ],
    ),
    ("verdict_loops", &["parts_of_a_dword", "parts_of_a_dword-faulty", "running_sums", "running_sums-faulty"]),
    ("verdict_litmus", &["message-groups-swap-agent-agent-agent", "message-groups-store-agent-agent-plain"]),
    ("verdict_samples", &["free-later", "free-and-allocate", "written-stored", "written-part"]),
];

/// What `--list` says of a case: what was planted, and the findings that tell it.
fn truth<'a>(list: &'a str, case: &str) -> (&'a str, &'a str) {
    let mut lines = list.lines().filter_map(|line| line.split_once('\t'));
    let (_, rest) = lines.find(|(name, _)| *name == case).unwrap_or_else(|| panic!("no case {case}"));
    rest.split_once('\t').expect("three fields")
}

#[test]
fn programs_of_which_it_is_known_get_their_verdicts() {
    stack_tests::needs_vgpu!();
    if hip_version() < (5, 7) {
        test_skip::skip!("the programs need a compiler of C++17, which that of HIP 5.2 is not by itself");
    }
    let json = work_folder().join(format!("verdicts-{}.json", std::process::id()));
    let file = json.to_str().expect("the target folder's name is UTF-8");
    for (program, cases) in CASES {
        let program = hip_program(program);
        let list = run(Command::new(&program).arg("--list"), LIMIT);
        for case in *cases {
            let (planted, expected) = truth(&list, case);
            let options = ["--only", "memory,race,init,leak", "--json", file];
            let finished = run_any(checked(&options, &program).arg(case), LIMIT);
            let text = std::fs::read_to_string(&json).unwrap_or_else(|error| panic!("{error}: {finished:?}"));
            std::fs::remove_file(&json).expect("it was just written");
            let all: Value = serde_json::from_str(&text).expect("it is JSON");
            let list = all["findings"].as_array().expect("a list");
            let told: Vec<&str> = list.iter().filter_map(|finding| finding["finding"].as_str()).collect();
            if expected == "nothing" {
                assert_eq!((told, finished.status.code()), (vec![], Some(0)), "{case} ({planted}): {finished:?}");
            } else {
                let is_told = told.iter().any(|finding| expected.split(',').any(|name| name == *finding));
                assert!(is_told, "{case} ({planted}): {finished:?}");
            }
        }
    }
}
