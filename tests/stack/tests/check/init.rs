//! `vgpu check --only init`: loads of device memory and of private memory that nobody wrote.

use serde_json::{Value, json};

use super::{findings, findings_of, has, is_by, is_in};

/// Numbers in the buffers of `uninitialized.hip`, and work-items of its work-groups.
const N: u64 = 1000;
const GROUP: u64 = 128;

#[track_caller]
fn init(program: &str, case: &str, values: usize) -> Vec<Value> {
    findings_of(&["--only", "init"], program, case, values).0
}

/// The one finding of a case.
#[track_caller]
fn one(case: &str, values: usize, line: &str) -> Value {
    let mut list = init("uninitialized", case, values);
    assert_eq!(list.len(), 1, "{list:#?}");
    is_in("uninitialized.hip", include_str!("../../programs/uninitialized.hip"), &list[0]["lines"], line);
    list.remove(0)
}

/// Whoever writes: copies from pageable and from page-locked memory, few bytes and many, within the device; fills;
/// kernels; the host. And bytes that nobody writes, beside others.
#[test]
fn programs_that_load_what_somebody_wrote_are_left_alone() {
    stack_tests::needs_vgpu!();
    for (case, values) in [
        ("copied", 3 * (1 + 3 + 1000 + (1 << 20))),
        ("set", 1001),
        ("stored", 1000),
        ("by_host", 2000),
        ("parts", 1000),
        ("reused", 4000),
        ("tail", 1000),
        ("own", 128),
    ] {
        assert_eq!(init("uninitialized", case, values), [] as [Value; 0], "{case}");
    }
    assert_eq!(findings_of(&["--only", "memory,init"], "uninitialized", "reused", 4000).0, [] as [Value; 0]);
    for (case, values) in [("reused_without", 3000), ("tail_without", 900), ("accumulator", 1), ("own_without", 128)] {
        assert_eq!(findings("uninitialized", case, values), [] as [Value; 0], "not wanted: {case}");
    }
}

/// By SDMA or a kernel, which the device sees. HIP 5.2 stores so few itself: of these one value in 256 is the same as
/// what nobody has written.
#[test]
fn single_bytes_that_were_copied_are_left_alone() {
    stack_tests::needs_vgpu!();
    if stack_tests::hip_version() < (5, 7) {
        test_skip::skip!("HIP 5.2 has the host store what is copied of so few bytes, which the device does not see");
    }
    assert_eq!(init("uninitialized", "single_bytes", 20), [] as [Value; 0]);
}

#[test]
fn loads_of_device_memory_that_nobody_wrote_are_found() {
    stack_tests::needs_vgpu!();
    let tail = one("tail_without", 900, "// load of twice");
    has(
        &tail,
        json!({ "finding": "uninitialized", "access": "read", "count": 2, "kernel": "twice(int const*, int*, int)",
                "global_id": [N - 100, 0, 0], "allocation_bytes": 4 * N, "offset": 4 * (N - 100) }),
    );
    is_by(&tail["allocated"], "hipMalloc");
    let waves = N.div_ceil(64);
    let reused = one("reused_without", 3000, "// load of twice");
    has(&reused, json!({ "finding": "uninitialized", "count": waves, "offset": 0 }));
    let sum = one("accumulator", 1, "// sum of all");
    has(
        &sum,
        json!({ "finding": "uninitialized", "access": "atomic", "count": 1, "allocation_bytes": 4, "offset": 0 }),
    );
}

#[test]
fn loads_of_private_memory_that_nobody_wrote_are_found() {
    stack_tests::needs_vgpu!();
    let own = one("own_without", 128, "// load of add_own");
    // 50 numbers in each of two waves.
    has(
        &own,
        json!({ "finding": "scratch-uninitialized", "access": "read", "count": 50 * GROUP / 64,
                "kernel": "add_own(int const*, int*, int)", "work_item": [0, 0, 0] }),
    );
}

#[test]
fn opencl_is_looked_at_like_hip() {
    stack_tests::needs_vgpu!();
    stack_tests::needs_amd_opencl!();
    assert_eq!(init("uninitialized_opencl", "right", 5 * 1024), [] as [Value; 0]);
    let tail = init("uninitialized_opencl", "tail_without", 924);
    assert_eq!(tail.len(), 1, "{tail:#?}");
    has(
        &tail[0],
        json!({ "finding": "uninitialized", "access": "read", "kernel": "twice", "global_id": [924, 0, 0], "offset": 4 * 924 }),
    );
    assert_eq!(tail[0]["allocated"]["by"], "clCreateBuffer", "{tail:#?}");
}
