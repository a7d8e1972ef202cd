//! Y1 and Y2: what a hand-over waits for, and who waits.
use std::ffi::c_void;
use std::future::{Future, IntoFuture};
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Receiver, channel};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use cl_sys::{Cl, cl_event};
use rocm_interop::{Api, Buffer, Code, Error, Hip, HipKernel, HipModule, OpenCl, OpenClKernel, OpenClProgram, Session};
use stack_tests::{block_on, on_vgpu, run_tests};

use crate::{N, assert_same, session};

/// Late enough for the other side to begin first, if nobody waits.
const ROUNDS: u32 = 20_000;
const OPENCL: &str = "kernel void late(global uint *b, uint rounds) {
    uint x = b[get_global_id(0)];
    for (uint i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
    b[get_global_id(0)] = x;
}";
const HIP: &str = "extern \"C\" __global__ void late(unsigned *b, unsigned rounds) {
    unsigned x = b[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
    b[blockIdx.x * blockDim.x + threadIdx.x] = x;
}";

/// The same kernel in both languages.
pub struct Late {
    pub session: Session,
    opencl: OpenClKernel,
    hip: HipKernel,
}

impl Late {
    pub fn new() -> Late {
        let session = session();
        let (program, module) = (OpenClProgram::build(&session, OPENCL, ""), HipModule::build(&session, HIP));
        let opencl = program.expect("program").kernel("late").expect("kernel");
        let hip = module.expect("module").kernel("late").expect("kernel");
        Late { session, opencl, hip }
    }

    pub fn buffer(&self) -> Buffer<u32, OpenCl> {
        let mut buffer = self.session.allocate(N).expect("allocate");
        buffer.write(&start()).expect("write");
        buffer
    }

    pub fn opencl(&self, buffer: &Buffer<u32, OpenCl>) {
        // SAFETY: one work-item an element.
        unsafe { self.opencl.launch(&[N], Some(&[64]), &[buffer.into(), ROUNDS.into()]) }.expect("launch");
    }

    pub fn hip(&self, buffer: &Buffer<u32, Hip>) {
        // SAFETY: one work-item an element.
        unsafe { self.hip.launch((N / 64) as u32, 64, 0, &[buffer.into(), ROUNDS.into()]) }.expect("launch");
    }
}

pub fn start() -> Vec<u32> {
    (0..N as u32).collect()
}

/// What so many of the kernels make of it.
pub fn after(kernels: u32) -> Vec<u32> {
    // That many steps at once: x becomes a * x + c.
    let step = |(a, c): (u32, u32), _| (a.wrapping_mul(1664525), c.wrapping_mul(1664525).wrapping_add(1013904223));
    let (a, c) = (0..kernels * ROUNDS).fold((1, 0), step);
    start().iter().map(|x| x.wrapping_mul(a).wrapping_add(c)).collect()
}

/// The buffer has been through so many of the kernels.
#[track_caller]
pub fn assert_late(buffer: &Buffer<u32, OpenCl>, kernels: u32) {
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_same(&end, &after(kernels));
}

/// This test in a process of its own, under other schedules of the device.
#[track_caller]
pub fn under_any_schedule(test: &str) {
    for seed in ["1", "2", "3"] {
        let mut command = on_vgpu(&["--schedule", seed], std::env::current_exe().expect("this test"));
        run_tests(&mut command, &[test], Duration::from_secs(120));
    }
}

/// Holds up the session's OpenCL queue until it is opened.
pub struct Gate(Cl, cl_event);

// SAFETY: OpenCL's events may be used by any thread.
unsafe impl Send for Gate {}

impl Gate {
    pub fn new(session: &Session) -> Gate {
        let (cl, mut code) = (Cl::load().expect("OpenCL"), 0);
        // SAFETY: the context lives.
        let event = unsafe { cl.clCreateUserEvent(session.context(), &mut code) }.expect("clCreateUserEvent");
        assert_eq!(code, cl_sys::CL_SUCCESS);
        // SAFETY: the queue lives, and the event was made above.
        let code = unsafe { cl.clEnqueueBarrierWithWaitList(session.queue(), 1, &event, null_mut()) };
        assert_eq!(code.expect("clEnqueueBarrierWithWaitList"), cl_sys::CL_SUCCESS);
        Gate(cl, event)
    }

    fn open_soon(self) -> std::thread::JoinHandle<()> {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            self.open();
        })
    }

    pub fn open(self) {
        // SAFETY: made by `new`, completed and released once.
        let codes =
            unsafe { [self.0.clSetUserEventStatus(self.1, cl_sys::CL_COMPLETE), self.0.clReleaseEvent(self.1)] };
        codes.into_iter().for_each(|code| assert_eq!(code.expect("OpenCL"), cl_sys::CL_SUCCESS));
    }
}

unsafe extern "C" fn receive(data: *mut c_void) {
    // SAFETY: `hold_up` gave it away.
    let held = unsafe { Box::from_raw(data.cast::<Receiver<()>>()) };
    _ = held.recv();
}

/// Holds up the session's HIP stream until what it returns is dropped.
pub fn hold_up(session: &Session) -> impl Drop + use<> {
    let (open, held) = channel::<()>();
    let hip = hip_sys::Hip::load().expect("HIP");
    // SAFETY: the stream lives, and the function takes such data.
    let code = unsafe { hip.hipLaunchHostFunc(session.stream(), Some(receive), Box::into_raw(Box::new(held)).cast()) };
    assert_eq!(code.expect("hipLaunchHostFunc"), hip_sys::hipError_t::hipSuccess);
    struct Open(Option<std::sync::mpsc::Sender<()>>);
    impl Drop for Open {
        fn drop(&mut self) {
            self.0 = None;
        }
    }
    Open(Some(open))
}

/// A queue without anybody's commands is not asked, and one that somebody else has is.
#[test]
fn y1_hand_over_waits_for_what_raw_handles_enqueued() {
    needs_amd_opencl!();
    let late = Late::new();
    let buffer = late.buffer();
    // As in somebody else's code, which has the queue from before.
    let gate = Gate::new(&late.session);
    late.opencl(&buffer);
    let opened = gate.open_soon();
    let on_hip = buffer.into_hip().expect("hand-over");
    late.hip(&on_hip);
    let buffer = on_hip.into_opencl().expect("hand-over");
    opened.join().expect("opened");
    let cl = Cl::load().expect("OpenCL");
    let module = HipModule::build(&late.session, crate::HIP).expect("module");
    let triple = module.kernel("triple").expect("kernel");
    let pattern = 7u32;
    let pointer = std::ptr::with_exposed_provenance_mut(buffer.address() as usize);
    let (queue, gate) = (late.session.queue(), Gate::new(&late.session));
    // SAFETY: the whole buffer, which is OpenCL's.
    let code =
        unsafe { cl.clEnqueueSVMMemFill(queue, pointer, (&raw const pattern).cast(), 4, 4 * N, 0, null(), null_mut()) };
    assert_eq!(code.expect("clEnqueueSVMMemFill"), cl_sys::CL_SUCCESS);
    let opened = gate.open_soon();
    let on_hip = buffer.into_hip().expect("hand-over");
    // SAFETY: one work-item an element.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&on_hip).into()]) }.expect("launch");
    opened.join().expect("opened");
    let mut end = vec![0; N];
    on_hip.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_same(&end, &[21; N]);
}

/// OpenCL refuses this kernel when its own thread submits it, long after it was enqueued; `clFinish` succeeds.
#[test]
fn y1_work_that_failed_later_is_told_once() {
    needs_amd_opencl!();
    let late = Late::new();
    let (buffer, other) = (late.buffer(), late.session.allocate_hip::<u32>(N).expect("allocate"));
    let cl = Cl::load().expect("OpenCL");
    let pointers = [other.address()];
    let info = cl_sys::CL_KERNEL_EXEC_INFO_SVM_PTRS;
    // SAFETY: a live kernel that nobody launches; it is to name memory of OpenCL's.
    let code =
        unsafe { cl.clSetKernelExecInfo(late.opencl.raw(), info, size_of_val(&pointers), pointers.as_ptr().cast()) };
    assert_eq!(code.expect("clSetKernelExecInfo"), cl_sys::CL_SUCCESS);
    let told = |error: &Error| {
        let Error::Failed { code } = error else { panic!("{error}") };
        assert_eq!(code.api(), Api::OpenCl);
        assert!(matches!(code, Code::OpenCl(status) if *status < 0), "{code:?}");
        let name = code.name().expect("of OpenCL's");
        assert!(
            error.to_string().starts_with(&format!("OpenCL: work that was enqueued earlier ended with {name}; ")),
            "{error}"
        );
    };
    late.opencl(&buffer);
    let (error, buffer) = buffer.into_hip().expect_err("it failed").into_parts();
    told(&error);
    late.opencl(&buffer);
    let (error, pending) = buffer.into_hip_later().expect("a marker").wait().expect_err("it failed").into_parts();
    told(&error);
    let buffer = pending.wait().expect("told once").into_opencl().expect("hand-over");
    late.opencl(&buffer);
    told(&buffer.read(&mut [0; N]).expect_err("it failed"));
    assert_late(&buffer, 0);
    // More than are kept.
    (0..100).for_each(|_| late.opencl(&buffer));
    told(&late.session.finish().expect_err("they failed"));
    late.session.finish().expect("told once");
    buffer.close().expect("it is not leaked");
}

/// Alone and under other schedules.
#[test]
fn y2_hand_over_later_carries_every_write() {
    needs_amd_opencl!();
    let late = Late::new();
    let mut buffer = late.buffer();
    for _ in 0..3 {
        late.opencl(&buffer);
        let on_hip = buffer.into_hip_later().expect("hand-over").wait().expect("wait");
        late.hip(&on_hip);
        buffer = on_hip.into_opencl_later().expect("hand-over").wait().expect("wait");
    }
    assert_late(&buffer, 6);
}

#[test]
fn y2_hand_over_later_carries_every_write_under_any_schedule() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    under_any_schedule("hand_over::y2_hand_over_later_carries_every_write");
}

/// The work cannot go on before the hand-over has returned.
#[test]
fn y2_hand_over_later_does_not_block_its_caller() {
    needs_amd_opencl!();
    let late = Late::new();
    let buffer = late.buffer();
    let gate = Gate::new(&late.session);
    late.opencl(&buffer);
    let pending = buffer.into_hip_later().expect("hand-over");
    assert!(!pending.is_ready().expect("asked"), "the gate is shut");
    gate.open();
    let on_hip = pending.wait().expect("wait");
    let held = hold_up(&late.session);
    late.hip(&on_hip);
    let pending = on_hip.into_opencl_later().expect("hand-over");
    assert!(!pending.is_ready().expect("asked"), "the stream is held up");
    drop(held);
    while !pending.is_ready().expect("asked") {
        std::thread::yield_now();
    }
    assert_late(&pending.wait().expect("wait"), 2);
}

/// Work that comes behind the hand-over is another's.
#[test]
fn y2_hand_over_later_waits_for_what_was_before_it() {
    needs_amd_opencl!();
    let late = Late::new();
    let (first, second) = (late.buffer(), late.buffer());
    late.opencl(&first);
    let pending = first.into_hip_later().expect("hand-over");
    let gate = Gate::new(&late.session);
    late.opencl(&second);
    let on_hip = pending.wait().expect("while the gate is shut");
    late.hip(&on_hip);
    let pending = on_hip.into_opencl_later().expect("hand-over");
    let held = hold_up(&late.session);
    let first = pending.wait().expect("while the stream is held up");
    drop(held);
    gate.open();
    assert_late(&first, 2);
    assert_late(&second, 1);
}

/// Two buffers on their way at once, on one thread that sleeps until a callback wakes it.
#[test]
fn y2_a_task_is_woken_when_the_other_side_is_done() {
    needs_amd_opencl!();
    let late = Late::new();
    let task = async |rounds: u32| {
        let mut buffer = late.buffer();
        for _ in 0..rounds {
            late.opencl(&buffer);
            let on_hip = buffer.into_hip_later().expect("hand-over").await.expect("wait");
            late.hip(&on_hip);
            buffer = on_hip.into_opencl_later().expect("hand-over").await.expect("wait");
        }
        assert_late(&buffer, 2 * rounds);
    };
    let mut tasks = [Some(Box::pin(task(3))), Some(Box::pin(task(2)))];
    block_on(std::future::poll_fn(|context| {
        for place in &mut tasks {
            if place.as_mut().is_some_and(|task| task.as_mut().poll(context).is_ready()) {
                *place = None;
            }
        }
        if tasks.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
    }));
    // Nobody asks any more when they are woken.
    let buffer = late.buffer();
    late.opencl(&buffer);
    let mut forgotten = Box::pin(buffer.into_hip_later().expect("hand-over").into_future());
    _ = forgotten.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    drop(forgotten);
    late.session.finish().expect("finish");
}
