//! What `vgpu run` offers besides a GPU, seen by AMD's runtime: several GPUs, faults on demand, traces, schedules.
use std::collections::HashMap;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use stack_tests::{
    Finished, TraceFile, assert_fault_reported, check_case, hip_program, hip_program_for, hip_version, on_vgpu, run,
    run_any,
};

const LIMIT: Duration = Duration::from_secs(120);
const SIGKILL: i32 = 9;

fn command(options: &[&str], program: &str, case: &str) -> Command {
    let mut command = on_vgpu(options, hip_program(program));
    command.arg(case);
    command
}

/// The vector addition with `faults` on demand.
fn with_faults(faults: &str) -> Finished {
    run_any(&mut command(&["--faults", faults], "compute", "vector_add"), LIMIT)
}

#[test]
fn two_gpus_use_each_others_memory() {
    stack_tests::needs_vgpu!();
    check_case("peer", 200_004, &run(&mut command(&["--gpus", "2"], "several", "peer"), LIMIT));
}

#[test]
fn gpus_of_two_models_use_each_others_memory() {
    stack_tests::needs_vgpu!();
    let program = hip_program_for("several", &["gfx908", "gfx90a"]);
    check_case("peer", 200_004, &run(on_vgpu(&["--gpu=mi100,mi210"], program).arg("peer"), LIMIT));
}

/// 100,001 values on each of eight, three things that each is, and how many there are.
#[test]
fn partitions_of_a_card_compute_and_use_each_others_memory() {
    stack_tests::needs_vgpu!();
    if hip_version() < (5, 7) {
        test_skip::skip!("ROCr 5.2 knows no gfx942");
    }
    let program = hip_program_for("several", &["gfx942"]);
    let output = run(on_vgpu(&["--gpu=mi300x:cpx"], program).arg("partitions"), LIMIT);
    check_case("partitions", 1 + 8 * (100_001 + 3), &output);
}

#[test]
fn two_processes_share_memory() {
    stack_tests::needs_vgpu!();
    check_case("ipc", 100_002, &run(&mut command(&[], "several", "ipc"), LIMIT));
}

/// On a GPU of its own: programs that share one see what the others take and give back.
#[test]
fn memory_accounting() {
    stack_tests::needs_vgpu!();
    check_case("accounting", 4, &run(&mut command(&[], "memory", "accounting"), LIMIT));
}

/// Checks that the program ended itself because HIP returned this error from hipMalloc.
#[track_caller]
fn allocation_failed(finished: &Finished, error: &str) {
    assert_eq!(finished.status.code(), Some(2), "{finished:?}");
    assert!(finished.stderr.contains(&format!("hipMalloc((void **)&data, n * sizeof(T)): {error}")), "{finished:?}");
}

#[test]
fn every_allocation_fails() {
    stack_tests::needs_vgpu!();
    // Without the memory for its own structures, HIP has no context on the device.
    let finished = with_faults("ioctl:ALLOC_MEMORY_OF_GPU:*=ENOMEM");
    let error = if hip_version().0 == 6 { "hipErrorNoDevice" } else { "hipErrorInvalidDevice" };
    allocation_failed(&finished, error);
}

#[test]
fn little_memory() {
    stack_tests::needs_vgpu!();
    allocation_failed(&with_faults("vram=1M"), "hipErrorOutOfMemory");
}

#[test]
fn a_queue_error_reaches_the_runtime() {
    stack_tests::needs_vgpu!();
    // Bit 5 of the error signal: the packet processor met an invalid packet.
    let finished = with_faults("queue-error@dispatch:1=0x20");
    let message = "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT";
    assert_fault_reported(&finished, message, "hipErrorLaunchFailure");
    assert!(finished.stderr.contains(message), "{finished:?}");
}

#[test]
fn a_memory_fault_reaches_the_runtime() {
    stack_tests::needs_vgpu!();
    let trace = TraceFile::new("memory-fault");
    let options = [&["--faults", "memory-fault@dispatch:1"], &trace.options()[..]].concat();
    let finished = run_any(&mut command(&options, "compute", "vector_add"), LIMIT);
    assert_fault_reported(&finished, "Memory access fault by GPU node-1", "hipErrorIllegalAddress");
    // The trace was written before the runtime heard of it.
    let text = trace.read();
    let interrupt = r#""event":"interrupt","source":"memory_fault","address":"0x0""#;
    assert!(text.lines().any(|line| line.contains(interrupt)), "{text}");
}

#[test]
fn a_hang_hangs_until_the_program_is_killed() {
    stack_tests::needs_vgpu!();
    // The runtime waits for the dispatch for as long as it is let.
    let mut child = command(&["--faults", "hang@dispatch:1"], "compute", "vector_add").spawn().expect("vgpu starts");
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(3) {
        assert_eq!(child.try_wait().expect("a child can be waited for"), None, "it ended");
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().expect("a child can be killed");
    assert_eq!(child.wait().expect("a child can be waited for").signal(), Some(SIGKILL));
}

#[test]
fn the_trace_shows_the_kernel_that_hangs_while_it_does() {
    stack_tests::needs_vgpu!();
    let trace = TraceFile::new("endless");
    let mut child = command(&trace.options(), "runtime", "endless").spawn().expect("vgpu starts");
    let started = Instant::now();
    let dispatched = |line: &str| line.contains(r#""event":"dispatch""#) && line.contains(r#""grid":[192, 1, 1]"#);
    let shown = || trace.read().lines().any(dispatched);
    while !shown() && started.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(20));
    }
    let shown = shown();
    child.kill().expect("a child can be killed");
    assert_eq!(child.wait().expect("a child can be waited for").signal(), Some(SIGKILL));
    assert!(shown, "no dispatch in the trace");
}

#[test]
fn schedules_do_not_change_results() {
    stack_tests::needs_vgpu!();
    for seed in ["1", "2", "3", "4", "5"] {
        let runtime = |case| command(&["--schedule", seed], "runtime", case);
        for (case, values) in [("streams", 12_004), ("events", 100_001)] {
            check_case(case, values, &run(&mut runtime(case), LIMIT));
        }
    }
}

/// Neither do old lines in caches: AMD's runtime releases and acquires what it must.
#[test]
fn caches_do_not_change_results() {
    stack_tests::needs_vgpu!();
    for seed in ["1", "2", "3", "4", "5"] {
        let runtime = |case| command(&["--caches", seed], "runtime", case);
        for (case, values) in [("streams", 12_004), ("events", 100_001)] {
            check_case(case, values, &run(&mut runtime(case), LIMIT));
        }
    }
}

/// The lines of the trace that a program leaves, which must succeed with `case`.
fn traced(program: &str, case: &str, values: usize, environment: &[(&str, &str)]) -> String {
    let trace = TraceFile::new(case);
    let mut command = command(&trace.options(), program, case);
    check_case(case, values, &run(command.envs(environment.iter().copied()), LIMIT));
    trace.read()
}

/// ROCr gives large private memory to one dispatch only and takes it back when the queue says that this is over.
#[test]
fn private_memory_for_one_dispatch_is_given_back() {
    stack_tests::needs_vgpu!();
    if hip_version() < (5, 7) {
        test_skip::skip!("ROCr 5.2 keeps private memory");
    }
    // All private memory is large.
    let text = traced("compute", "scratch", 1500, &[("HSA_SCRATCH_SINGLE_LIMIT", "1")]);
    // SCRATCH_RECLAIM in the queue's error signal, set by the GPU.
    let reclaimed = text.lines().filter(|line| line.contains(r#""event":"signal""#) && line.contains(r#""value":512"#));
    assert!(reclaimed.count() > 0, "{text}");
}

#[test]
fn copies_by_kernels_are_named_in_the_trace() {
    stack_tests::needs_vgpu!();
    let copies = |text: &str| text.lines().filter(|line| line.contains(r#""kernel":"ROCr: copy"#)).count();
    // With SDMA, ROCr copies at most code by a kernel.
    let with = copies(&traced("memory", "copies", 1_780_742, &[]));
    let without = copies(&traced("memory", "copies", 1_780_742, &[("HSA_ENABLE_SDMA", "0")]));
    assert!(with < without, "{with} copies by kernels with SDMA, {without} without");
}

#[test]
fn a_trace_of_a_vector_addition() {
    stack_tests::needs_vgpu!();
    let text = traced("compute", "vector_add", 100_003, &[]);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}")))
        .collect();
    let mut last = HashMap::new();
    for line in &lines {
        let time = line["ns"].as_u64().unwrap_or_else(|| panic!("no time: {line}"));
        let thread = line["tid"].as_u64().unwrap_or_else(|| panic!("no thread: {line}"));
        let before = last.insert(thread, time);
        assert!(before.is_none_or(|before| before <= time), "time goes back: {line}");
    }
    let events = |name: &str| -> Vec<&Value> { lines.iter().filter(|line| line["event"] == name).collect() };

    let allocations: Vec<&Value> =
        events("ioctl").into_iter().filter(|line| line["name"] == "ALLOC_MEMORY_OF_GPU").collect();
    assert!(!allocations.is_empty(), "no allocation in\n{text}");
    for allocation in allocations {
        let arguments = allocation["args"].as_str().unwrap_or_default();
        assert!(arguments.contains("size: ") && arguments.contains("flags: "), "{allocation}");
        assert_eq!(allocation["result"], 0, "{allocation}");
    }
    assert!(!events("doorbell").is_empty(), "no doorbell in\n{text}");
    // 100003 items in work-groups of 256; the grid is whole work-groups.
    let addition = events("dispatch").into_iter().find(|dispatch| dispatch["grid"][0] == 391 * 256);
    let addition = addition.unwrap_or_else(|| panic!("no dispatch of the addition in\n{text}"));
    assert_eq!(addition["workgroup"], serde_json::json!([256, 1, 1]));
    assert_eq!(addition["waves_per_workgroup"], 4);
    let ended = events("dispatch_end").into_iter().find(|end| end["dispatch"] == addition["dispatch"]);
    assert!(ended.is_some_and(|end| end["instructions"].as_u64() > Some(0)), "no end of {addition} in\n{text}");
    assert!(!events("sdma").is_empty(), "no SDMA packet in\n{text}");
}
