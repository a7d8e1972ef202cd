//! The example `receiver` as a test, and the same program with raw calls between OpenCL and HIP in place of
//! `rocm-interop`'s.
#[path = "receiver/raw.rs"]
mod raw;
#[path = "../../../crates/rocm-interop/examples/receiver.rs"]
#[expect(dead_code, reason = "main and its options are the example's")]
mod receiver;

use std::time::Duration;

use stack_tests::{on_vgpu, run_tests};

const BATCHES: u64 = 24;

#[test]
fn an_opencl_program_receives_and_hip_and_rocblas_compute() {
    stack_tests::needs_amd_opencl!();
    stack_tests::needs_code!("rocBLAS");
    let worst = receiver::run::<receiver::Glue>(BATCHES).expect("every value is right");
    assert!(worst > 0.0, "something was compared");
}

#[test]
fn an_opencl_program_receives_and_hip_and_rocblas_compute_under_schedules_and_caches() {
    stack_tests::needs_amd_opencl!();
    stack_tests::needs_code!("rocBLAS");
    stack_tests::needs_vgpu!();
    for options in [["--schedule", "1"], ["--caches", "1"]] {
        let mut command = on_vgpu(&options, std::env::current_exe().expect("this test"));
        let test = "an_opencl_program_receives_and_hip_and_rocblas_compute";
        run_tests(&mut command, &[test], Duration::from_secs(600));
    }
}

/// The reference: it computes the same, and takes more than twice as many lines.
#[test]
fn raw_calls_compute_the_same_in_twice_the_lines() {
    stack_tests::needs_amd_opencl!();
    stack_tests::needs_code!("rocBLAS");
    receiver::run::<raw::Raw>(BATCHES).expect("every value is right");
    let [ours, raw] =
        [include_str!("../../../crates/rocm-interop/examples/receiver/glue.rs"), include_str!("receiver/raw.rs")]
            .map(|text| text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count());
    println!("lines without comments: {ours} with rocm-interop, {raw} with raw calls");
    assert!(2 * ours <= raw, "{ours} of {raw}");
}
