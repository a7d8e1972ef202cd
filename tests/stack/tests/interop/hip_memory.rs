//! M3: memory of hipMalloc in OpenCL's kernels.
use std::time::Duration;

use rocm_interop::memory::Place;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::sys::Api;
use rocm_interop::{Buffer, Session};
use stack_tests::{hip_version, on_vgpu, run_tests};

use crate::hand_over::{Gate, after, telling, when_it_waits};
use crate::{N, assert_same, both_sides, session};

/// Each item takes its neighbour's value, late, so that a kernel that does not wait for the one before it takes an old
/// one.
const OPENCL: &str = "kernel void shift(global uint *to, global const uint *from, uint rounds) {
    uint i = get_global_id(0), n = get_global_size(0), x = from[(i + 1) % n];
    for (uint k = 0; k < rounds; k++) x = x * 1664525u + 1013904223u;
    to[i] = x;
}";
const ROUNDS: u32 = 2_000;
const KERNELS: usize = 6;

fn want(start: &[u32]) -> Vec<u32> {
    let step = |(a, c): (u32, u32), _| (a.wrapping_mul(1664525), c.wrapping_mul(1664525).wrapping_add(1013904223));
    let (a, c) = (0..KERNELS as u32 * ROUNDS).fold((1, 0), step);
    (0..N).map(|i| start[(i + KERNELS) % N].wrapping_mul(a).wrapping_add(c)).collect()
}

fn start() -> Vec<u32> {
    (0..N as u32).collect()
}

/// Kernels of one queue, each of which needs what the one before it wrote, by `launch`.
fn chain(session: &Session) -> Vec<u32> {
    let shift = OpenClProgram::build(session, OPENCL, "").expect("program").kernel("shift").expect("kernel");
    let memory = || session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    let (mut from, mut to) = (memory(), memory());
    from.write(&start()).expect("write");
    for _ in 0..KERNELS {
        // SAFETY: one work-item an element.
        unsafe { shift.launch(&[N], Some(&[64]), &[(&to).into(), (&from).into(), ROUNDS.into()]) }.expect("launch");
        std::mem::swap(&mut from, &mut to);
    }
    let mut end = vec![0; N];
    from.read(&mut end).expect("read");
    end
}

/// The same by OpenCL's own functions, as its documentation for SVM would have it, without anything between the
/// kernels.
fn raw_chain(session: &Session) -> Vec<u32> {
    let cl = cl_sys::Cl::load().expect("OpenCL");
    let shift = OpenClProgram::build(session, OPENCL, "").expect("program").kernel("shift").expect("kernel");
    let memory = || session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    let (mut from, mut to) = (memory(), memory());
    from.write(&start()).expect("write");
    let pointer = |buffer: &Buffer<u32, _>| std::ptr::with_exposed_provenance_mut(buffer.address() as usize);
    let (none, global, local, rounds) = (std::ptr::null(), [N], [64], ROUNDS);
    for _ in 0..KERNELS {
        // SAFETY: what the kernel declares; one work-item an element.
        let codes = unsafe {
            [
                cl.clSetKernelArgSVMPointer(shift.raw(), 0, pointer(&to)),
                cl.clSetKernelArgSVMPointer(shift.raw(), 1, pointer(&from)),
                cl.clSetKernelArg(shift.raw(), 2, 4, (&raw const rounds).cast()),
                cl.clEnqueueNDRangeKernel(
                    session.queue(),
                    shift.raw(),
                    1,
                    std::ptr::null(),
                    global.as_ptr(),
                    local.as_ptr(),
                    0,
                    none,
                    std::ptr::null_mut(),
                ),
            ]
        };
        codes.into_iter().for_each(|code| assert_eq!(code.expect("OpenCL"), cl_sys::CL_SUCCESS));
        std::mem::swap(&mut from, &mut to);
    }
    let mut end = vec![0; N];
    from.read(&mut end).expect("read");
    end
}

#[test]
fn m3_hips_memory_is_used_by_opencl() {
    needs_amd_opencl!();
    let session = session();
    let buffer = session.allocate_hip::<u32>(N).expect("allocate");
    assert_eq!(buffer.residency().place, Place::Gpu(session.device().pci()));
    both_sides(&session, buffer.into_opencl().expect("hand-over")).expect("both sides");
}

/// Run alone and, under other schedules, by [`m3_kernels_follow_each_other_under_any_schedule`].
#[test]
fn m3_kernels_on_hips_memory_follow_each_other() {
    needs_amd_opencl!();
    assert_same(&chain(&session()), &want(&start()));
}

/// What the flush behind each kernel is for. OpenCL 6.4 has barriers between all kernels of a code object that LLVM 18
/// or newer linked.
#[test]
fn m3_kernels_overlap_on_memory_that_opencl_does_not_know() {
    needs_amd_opencl!();
    let overlap = raw_chain(&session()) != want(&start());
    match hip_version() {
        (5, 7) => assert!(overlap, "OpenCL 5.7.1 orders them by itself now"),
        version if version >= (6, 4) => assert!(!overlap),
        (major, minor) => test_skip::skip!("whether OpenCL orders them is not known of ROCm {major}.{minor}"),
    }
}

#[test]
fn m3_kernels_follow_each_other_under_any_schedule() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    for seed in ["1", "2", "3"] {
        let mut command = on_vgpu(&["--schedule", seed], std::env::current_exe().expect("this test"));
        let test = "hip_memory::m3_kernels_on_hips_memory_follow_each_other";
        run_tests(&mut command, &[test], Duration::from_secs(120));
    }
}

/// OpenCL is still to work on the buffer when the host overwrites it, by HIP's copy, which OpenCL knows nothing of.
#[test]
fn m3_the_host_writes_behind_opencls_work() {
    needs_amd_opencl!();
    let late = telling();
    let hips = || late.session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    for at in [0, N / 2] {
        let mut buffer = hips();
        buffer.write(&start()).expect("write");
        let gate = Gate::new(&late.session);
        late.opencl(&buffer);
        let write = || buffer.write_at(at, &vec![7; N - at]).expect("write");
        when_it_waits(Api::OpenCl, move || gate.open(), write);
        let mut end = vec![0; N];
        buffer.read(&mut end).expect("read");
        assert_same(&end, &[&after(1)[..at], &vec![7; N - at]].concat());
    }
}

/// OpenCL is still to write to memory that is dropped. It is nobody else's before.
#[test]
fn m3_what_is_dropped_is_no_other_sessions_before_opencl_is_done() {
    needs_amd_opencl!();
    if crate::ran_alone("hip_memory::m3_what_is_dropped_is_no_other_sessions_before_opencl_is_done", &[]) {
        return;
    }
    let (late, other) = (telling(), session());
    let dropped = late.session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    let address = dropped.address();
    let gate = Gate::new(&late.session);
    late.opencl(&dropped);
    let next = when_it_waits(
        Api::OpenCl,
        move || gate.open(),
        || {
            drop(dropped);
            let next = other.allocate_hip::<u32>(N).expect("allocate");
            assert_eq!(next.address(), address, "the same memory, or the test shows nothing");
            let mut next = next.into_opencl().expect("hand-over");
            next.write(&[7; N]).expect("write");
            next
        },
    );
    late.session.finish().expect("done");
    let mut end = vec![0; N];
    next.read(&mut end).expect("read");
    assert_same(&end, &[7; N]);
}

/// Adds late, so that a kernel that does not wait for the one before it loses what that adds.
const ADD: &str = "kernel void add(global uint *x, uint rounds) {
    uint i = get_global_id(0), before = x[i], y = before;
    for (uint k = 0; k < rounds; k++) y = y * 1664525u + 1013904223u;
    x[i] = before + 1 + (y == 1 && rounds == 0);
}";

/// Run alone and, under other schedules, by [`kernels_of_several_threads_follow_each_other_under_any_schedule`].
#[test]
fn kernels_of_several_threads_follow_each_other() {
    needs_amd_opencl!();
    const THREADS: u32 = 4;
    const LAUNCHES: u32 = 400;
    let session = session();
    let program = OpenClProgram::build(&session, ADD, "").expect("program");
    let mut buffer = session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    buffer.write(&start()).expect("write");
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let (add, buffer) = (program.kernel("add").expect("kernel"), &buffer);
            scope.spawn(move || {
                for _ in 0..LAUNCHES {
                    // SAFETY: one work-item an element.
                    unsafe { add.launch(&[N], Some(&[64]), &[buffer.into(), 5.into()]) }.expect("launch");
                }
            });
        }
    });
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_same(&end, &start().iter().map(|x| x + THREADS * LAUNCHES).collect::<Vec<_>>());
}

#[test]
fn kernels_of_several_threads_follow_each_other_under_any_schedule() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    for seed in ["1", "2", "3"] {
        let mut command = on_vgpu(&["--schedule", seed], std::env::current_exe().expect("this test"));
        let test = "hip_memory::kernels_of_several_threads_follow_each_other";
        run_tests(&mut command, &[test], Duration::from_secs(120));
    }
}
