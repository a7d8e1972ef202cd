//! HIP's external semaphores by the preloaded library `hip-external-semaphores`, as programs in C meet them. The
//! program is `programs/external_semaphores.c`.
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use stack_tests::{
    Stack, check_case, external_semaphores_library, hip_program, hip_version, instructions, needs_vgpu, on_vgpu,
    preload, run, stack, work_folder,
};

const PROGRAM: &str = "external_semaphores";
const LIMIT: Duration = Duration::from_secs(300);
/// Numbers that a turn of the program computes.
const N: usize = 1 << 16;

macro_rules! needs_hip_5_7 {
    () => {
        if stack() == Stack::Native {
            test_skip::skip!("the library is for HIP 5.7 and newer");
        }
    };
}

/// Loads the library in front of the program, behind the virtual GPU.
fn preloaded(command: &mut Command) -> &mut Command {
    preload(command, Path::new(&external_semaphores_library()))
}

#[test]
fn m15_streams_wait_for_timelines_and_signal_them() {
    needs_hip_5_7!();
    let output = run(preloaded(Command::new(hip_program(PROGRAM)).arg("timeline")), LIMIT);
    check_case("timeline", 10 * (3 + N) + 1, &output);
    let output = run(Command::new(hip_program(PROGRAM)).arg("without"), LIMIT);
    check_case("without", 1, &output);
}

#[test]
fn m15_each_signal_of_a_binary_semaphore_is_taken_once() {
    needs_hip_5_7!();
    let output = run(preloaded(Command::new(hip_program(PROGRAM)).arg("binary")), LIMIT);
    check_case("binary", 10 * (2 + N) + 1, &output);
}

#[test]
fn m15_several_semaphores_are_waited_for_and_signaled_by_one_call() {
    needs_hip_5_7!();
    let output = run(preloaded(Command::new(hip_program(PROGRAM)).arg("several")), LIMIT);
    check_case("several", 4 + N, &output);
}

/// The host sees memory only, not the GPU's caches: a signal comes after they were written back, and what is read
/// behind a wait must not be old.
#[test]
fn m15_turns_are_right_with_caches() {
    needs_hip_5_7!();
    needs_vgpu!();
    for seed in ["1", "2", "3"] {
        let mut program = on_vgpu(&["--caches", seed], hip_program(PROGRAM));
        // Behind the virtual GPU's library, which `vgpu run` puts in front.
        let output = run(preloaded(program.arg("turns")), LIMIT);
        check_case("turns", 4 * (1 + N), &output);
    }
}

#[test]
fn m15_five_streams_wait_at_once() {
    needs_hip_5_7!();
    let output = run(preloaded(Command::new(hip_program(PROGRAM)).arg("streams")), LIMIT);
    check_case("streams", 1 + 5 * (1 + 2 * N), &output);
    let mut program = Command::new(hip_program(PROGRAM));
    let output = run(preloaded(program.arg("chain")).env("GPU_MAX_HW_QUEUES", "8"), LIMIT);
    check_case("chain", 2 + N / 5 * 5, &output);
}

#[test]
fn m15_functions_are_found_by_handle_and_by_hips_own_lookup() {
    needs_hip_5_7!();
    let ways = if hip_version() < (6, 0) { 1 } else { 2 };
    let output = run(preloaded(Command::new(hip_program(PROGRAM)).arg("looked_up")), LIMIT);
    check_case("looked_up", ways * 4 + 3, &output);
}

/// Kernels are launched as without the library, to the instruction.
#[test]
fn m15_other_functions_cost_nothing_more() {
    needs_hip_5_7!();
    let of = |command: &mut Command| instructions(command.arg("cost"), LIMIT);
    let before = of(&mut Command::new(hip_program(PROGRAM)));
    let with = of(preloaded(&mut Command::new(hip_program(PROGRAM))));
    assert_eq!(before.len(), 2, "{before:?}");
    assert_eq!(with, before);
}

#[test]
fn m15_what_is_wrong_is_refused_by_hips_codes_and_logged() {
    needs_hip_5_7!();
    let log = work_folder().join("external-semaphores.log");
    _ = fs::remove_file(&log);
    let mut program = Command::new(hip_program(PROGRAM));
    let output = run(preloaded(program.arg("errors")).env("HIP_EXTERNAL_SEMAPHORES_LOG", &log), LIMIT);
    // HIP 7 does not know a stream that is gone.
    check_case("errors", if hip_version() < (7, 0) { 30 } else { 26 }, &output);
    let log = fs::read_to_string(log).expect("the log");
    for said in ["is no sync object that a render node takes", "a timeline", "which Linux has not"] {
        assert!(log.contains(said), "no `{said}`:\n{log}");
    }
}
