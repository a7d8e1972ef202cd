//! Every request to the driver made to fail at each of its calls: an error that names it, nothing leaked, and the next
//! try works.
use std::collections::BTreeMap;
use std::fs;

use kfd_tests::everything::{everything, left};
use kfd_tests::{again, inside, needs_vgpu, text_of};

#[test]
fn one_round() {
    if inside() {
        everything().unwrap();
    }
}

/// The same, three times: what fails must not matter to the next.
#[test]
fn three_rounds() {
    if !inside() {
        return;
    }
    for round in 0..3 {
        match everything() {
            Ok(()) => println!("round {round}: right"),
            Err(error) => println!("round {round}: {error}"),
        }
    }
    println!("left: {}", left());
}

/// Requests that give something back. What the driver does not take back stays: it says so in the log, and the
/// process's end frees it.
const GIVING_BACK: [&str; 3] = ["FREE_MEMORY_OF_GPU", "UNMAP_MEMORY_FROM_GPU", "DESTROY_QUEUE"];

/// Requests that are made more or less often, depending on how fast the machine is: the first one comes in every run.
const AS_TIME_GOES: [&str; 2] = ["WAIT_EVENTS", "GET_CLOCK_COUNTERS"];

#[test]
fn a5_every_request_fails_at_each_of_its_calls() {
    needs_vgpu!();
    let trace = std::env::temp_dir().join(format!("kfd-tests-{}.trace", std::process::id()));
    let traced = again(&["--trace", trace.to_str().expect("a plain path")], "one_round");
    assert!(traced.status.success(), "{}", text_of(&traced));
    let requests = calls(&fs::read_to_string(&trace).expect("vgpu wrote it"));
    fs::remove_file(&trace).expect("it is there");
    assert!(requests.len() >= 19 && requests.values().sum::<u32>() >= 80, "{requests:?}");
    let said = |text: &str| text.lines().find_map(|line| line.strip_prefix("left: ").map(str::to_owned));
    let undisturbed = text_of(&again(&[], "three_rounds"));
    let expected = said(&undisturbed).unwrap_or_else(|| panic!("{undisturbed}"));
    for (name, count) in &requests {
        let count = if AS_TIME_GOES.contains(&name.as_str()) { 1 } else { *count };
        let mut unnoticed = 0;
        for call in 1..=count {
            let fault = format!("ioctl:{name}:{call}=ENOMEM");
            let output = again(&["--faults", &fault], "three_rounds");
            let text = text_of(&output);
            assert!(output.status.success() && !text.contains("panicked"), "{fault}: {}\n{text}", output.status);
            let rounds: Vec<_> =
                text.lines().filter_map(|line| line.split_once("round ").map(|(_, round)| round)).collect();
            let failed: Vec<_> = rounds.iter().filter(|round| !round.ends_with(": right")).collect();
            if GIVING_BACK.contains(&name.as_str()) {
                assert!(failed.len() <= 1, "{fault}: {text}");
                continue;
            }
            assert!(failed.len() <= 1 && rounds.len() == 3, "{fault}: {text}");
            for error in &failed {
                let named = error.contains(&format!("AMDKFD_IOC_{name}")) && error.contains("ENOMEM");
                assert!(named, "{fault}: {error}");
            }
            unnoticed += u32::from(failed.is_empty());
            let allowed = match name.as_str() {
                // Scratch memory that is not to be had is tried again in a smaller size, once in the program. Without
                // the page of registers code goes to host memory.
                "ALLOC_MEMORY_OF_GPU" => 2,
                "MAP_MEMORY_TO_GPU" => 1,
                _ => 0,
            };
            assert!(unnoticed <= allowed, "{fault} went unnoticed: {text}");
            assert_eq!(said(&text).as_ref(), Some(&expected), "{fault}: {text}");
        }
    }
}

/// How often each request was made.
fn calls(trace: &str) -> BTreeMap<String, u32> {
    let mut calls = BTreeMap::new();
    for line in trace.lines().filter(|line| line.contains("\"ioctl\"")) {
        let name = line.split_once("\"name\":\"").and_then(|(_, rest)| rest.split_once('"'));
        let Some((name, _)) = name else { continue };
        *calls.entry(name.trim_start_matches("AMDKFD_IOC_").to_owned()).or_default() += 1;
    }
    calls
}
