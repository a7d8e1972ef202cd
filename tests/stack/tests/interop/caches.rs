//! The same results with caches that keep old data for as long as they may.
use std::time::Duration;

use stack_tests::{on_vgpu, run_tests};

/// These tests, one after another, in a process of their own on a GPU with caches. (Beside each other, one's fences
/// could do for another.)
#[track_caller]
pub fn with_any_caches(tests: &[&str]) {
    for seed in ["1", "2", "3"] {
        let mut command = on_vgpu(&["--caches", seed], std::env::current_exe().expect("this test"));
        run_tests(command.arg("--test-threads=1"), tests, Duration::from_secs(300));
    }
}

#[test]
fn y1_hand_over_carries_every_write_with_any_caches() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    with_any_caches(&["y1_hand_over_carries_every_write"]);
}

#[test]
fn y2_hand_over_later_carries_every_write_with_any_caches() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    with_any_caches(&["hand_over::y2_hand_over_later_carries_every_write"]);
}

#[test]
fn y3_flags_carry_every_write_with_any_caches() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    with_any_caches(&["flags::y3_flags_carry_every_write"]);
}

#[test]
fn m3_kernels_follow_each_other_with_any_caches() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    with_any_caches(&["hip_memory::m3_kernels_on_hips_memory_follow_each_other"]);
}

#[test]
fn m6_host_memory_is_shared_with_any_caches() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    // `m6_the_gpu_uses_host_memory_where_it_is` starts GPUs of its own, without caches.
    with_any_caches(&[
        "host::m6_fine_grained_svm_is_shared_on_the_host",
        "host::m6_managed_memory_is_shared_on_the_host",
        "host::m6_pages_of_the_program_are_shared_where_they_are",
    ]);
}
