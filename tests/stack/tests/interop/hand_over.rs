//! Y1 and Y2: what a hand-over waits for, and who waits.
use std::cell::Cell;
use std::ffi::c_void;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::ptr::{NonNull, null, null_mut};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use cl_sys::{Cl, cl_command_queue, cl_event, cl_int};
use hip_sys::{Hiprtc, hipError_t, hipStream_t};
use hsa_sys::Hsa;
use rocm_interop::hand_over::{Flags, Shared, WhenReady};
use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::sys::{Api, Code};
use rocm_interop::{Buffer, Error, Hip, Libraries, OpenCl, Refused, Session};
use stack_tests::{block_on, on_vgpu, run_tests};

use crate::{N, assert_same, open_with, real_opencl, session, some_mem};

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
        Late::of(session())
    }

    pub fn of(session: Session) -> Late {
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

/// A kernel that OpenCL refuses when its own thread submits it, long after it was enqueued; `clFinish` succeeds.
pub struct Broken {
    kernel: OpenClKernel,
    /// It names this memory, which is none of OpenCL's.
    _other: Buffer<u32, Hip>,
}

impl Broken {
    /// [`Late`]'s.
    pub fn late(session: &Session) -> Broken {
        Broken::of(session, OpenClProgram::build(session, OPENCL, "").expect("program").kernel("late").expect("kernel"))
    }

    fn of(session: &Session, kernel: OpenClKernel) -> Broken {
        let other = session.allocate_hip::<u32>(N).expect("allocate");
        let (cl, pointers, info) =
            (Cl::load().expect("OpenCL"), [other.address()], cl_sys::CL_KERNEL_EXEC_INFO_SVM_PTRS);
        // SAFETY: a live kernel that nobody launches.
        let code =
            unsafe { cl.clSetKernelExecInfo(kernel.raw(), info, size_of_val(&pointers), pointers.as_ptr().cast()) };
        assert_eq!(code.expect("clSetKernelExecInfo"), cl_sys::CL_SUCCESS);
        Broken { kernel, _other: other }
    }

    pub fn launch(&self, buffer: &Buffer<u32, OpenCl>) {
        // SAFETY: one work-item an element.
        unsafe { self.kernel.launch(&[N], Some(&[64]), &[buffer.into(), ROUNDS.into()]) }.expect("launch");
    }
}

/// It is of OpenCL's work that failed later.
#[track_caller]
pub fn assert_failed(error: &Error) {
    let Error::Failed { code } = error else { panic!("{error}") };
    assert_eq!(code.api(), Api::OpenCl);
    assert!(matches!(code, Code::OpenCl(status) if *status < 0), "{code:?}");
    let name = code.name().expect("of OpenCL's");
    assert!(
        error.to_string().starts_with(&format!("OpenCL: work that was enqueued earlier ended with {name}; ")),
        "{error}"
    );
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

/// Holds up the session's OpenCL queue until it is opened, or dropped.
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

    pub fn open(self) {}
}

impl Drop for Gate {
    fn drop(&mut self) {
        // SAFETY: made by `new`, completed and released once.
        let codes =
            unsafe { [self.0.clSetUserEventStatus(self.1, cl_sys::CL_COMPLETE), self.0.clReleaseEvent(self.1)] };
        codes.into_iter().for_each(|code| assert_eq!(code.expect("OpenCL"), cl_sys::CL_SUCCESS));
    }
}

/// Until OpenCL's thread has submitted all that was enqueued before.
pub fn wait_until_submitted(session: &Session) {
    let (cl, mut marker) = (Cl::load().expect("OpenCL"), null_mut());
    // SAFETY: the queue lives.
    let code = unsafe { cl.clEnqueueMarkerWithWaitList(session.queue(), 0, null(), &mut marker) };
    assert_eq!(code.expect("clEnqueueMarkerWithWaitList"), cl_sys::CL_SUCCESS);
    // SAFETY: the queue lives.
    assert_eq!(unsafe { cl.clFlush(session.queue()) }.expect("clFlush"), cl_sys::CL_SUCCESS);
    let (started, mut status) = (Instant::now(), cl_sys::CL_QUEUED as cl_int);
    // The queue is in order: a marker is submitted after the commands before it.
    while status > cl_sys::CL_SUBMITTED as cl_int {
        assert!(started.elapsed() < Duration::from_secs(300), "OpenCL submits nothing");
        std::thread::yield_now();
        let (name, size) = (cl_sys::CL_EVENT_COMMAND_EXECUTION_STATUS, size_of_val(&status));
        // SAFETY: the marker's event lives, and the place is as long as is said.
        let code = unsafe { cl.clGetEventInfo(marker, name, size, (&raw mut status).cast(), null_mut()) };
        assert_eq!(code.expect("clGetEventInfo"), cl_sys::CL_SUCCESS);
    }
    // SAFETY: made above, released once.
    assert_eq!(unsafe { cl.clReleaseEvent(marker) }.expect("clReleaseEvent"), cl_sys::CL_SUCCESS);
}

thread_local! {
    /// Told once that this thread waits for all of this side's work.
    pub static WAITS: Cell<Option<(Api, Sender<()>)>> = const { Cell::new(None) };
}

fn waits_for(side: Api) {
    match WAITS.take() {
        // Whoever does not listen any more does not need it.
        Some((of, waits)) if of == side => _ = waits.send(()),
        other => WAITS.set(other),
    }
}

unsafe extern "C" fn finish(queue: cl_command_queue) -> cl_int {
    waits_for(Api::OpenCl);
    // SAFETY: the caller's queue.
    unsafe { real_opencl().clFinish(queue) }.expect("OpenCL")
}

fn real_hip() -> &'static hip_sys::Hip {
    static REAL: OnceLock<hip_sys::Hip> = OnceLock::new();
    REAL.get_or_init(|| hip_sys::Hip::load().expect("HIP"))
}

unsafe extern "C" fn synchronize(stream: hipStream_t) -> hipError_t {
    waits_for(Api::Hip);
    // SAFETY: the caller's stream.
    unsafe { real_hip().hipStreamSynchronize(stream) }.expect("HIP")
}

/// On libraries that tell [`WAITS`]: of OpenCL's side where others have the queue too.
pub fn telling() -> Late {
    // SAFETY: the libraries' own functions, and two of the same types.
    let (cl, hip) = unsafe {
        let cl = Cl::from_resolver("OpenCL", |name| match name {
            "clFinish" => NonNull::new(finish as *mut c_void),
            _ => real_opencl().address(name),
        });
        let hip = hip_sys::Hip::from_resolver("HIP", |name| match name {
            "hipStreamSynchronize" => NonNull::new(synchronize as *mut c_void),
            _ => real_hip().address(name),
        });
        (cl, hip)
    };
    let (rtc, hsa) = (Hiprtc::load().expect("hiprtc"), Hsa::load().expect("HSA"));
    Late::of(open_with(Arc::new(Libraries::new(cl, hip, rtc, hsa).expect("libraries"))).expect("session"))
}

/// Does `then` when `work` waits for all of `side`'s work; behind it, if it does not.
pub fn when_it_waits<R>(side: Api, then: impl FnOnce() + Send, work: impl FnOnce() -> R) -> R {
    let (waits, waiting) = channel();
    std::thread::scope(|threads| {
        threads.spawn(move || {
            _ = waiting.recv();
            then();
        });
        WAITS.set(Some((side, waits)));
        let result = work();
        WAITS.set(None);
        result
    })
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
    let late = telling();
    let buffer = late.buffer();
    // As in somebody else's code, which has the queue from before.
    let gate = Gate::new(&late.session);
    late.opencl(&buffer);
    let hand_over = |buffer: Buffer<u32, OpenCl>| buffer.into_hip().expect("hand-over");
    let on_hip = when_it_waits(Api::OpenCl, move || gate.open(), || hand_over(buffer));
    late.hip(&on_hip);
    let buffer = on_hip.into_opencl().expect("hand-over");
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
    let on_hip = when_it_waits(Api::OpenCl, move || gate.open(), || hand_over(buffer));
    // SAFETY: one work-item an element.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&on_hip).into()]) }.expect("launch");
    let mut end = vec![0; N];
    on_hip.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_same(&end, &[21; N]);
}

#[test]
fn y1_work_that_failed_later_is_told_once() {
    needs_amd_opencl!();
    let late = Late::new();
    let (buffer, broken) = (late.buffer(), Broken::late(&late.session));
    broken.launch(&buffer);
    let (error, buffer) = buffer.into_hip().expect_err("it failed").into_parts();
    assert_failed(&error);
    broken.launch(&buffer);
    let (error, pending) = buffer.into_hip_later().expect("a marker").wait().expect_err("it failed").into_parts();
    assert_failed(&error);
    let buffer = pending.wait().expect("told once").into_opencl().expect("hand-over");
    broken.launch(&buffer);
    assert_failed(&buffer.read(&mut [0; N]).expect_err("it failed"));
    assert_late(&buffer, 0);
    // More than are kept.
    (0..100).for_each(|_| broken.launch(&buffer));
    assert_failed(&late.session.finish().expect_err("they failed"));
    late.session.finish().expect("told once");
    assert_failed(&buffer.close().expect_err("the buffer's own"));
}

/// Who waits for everything, in another thread, hears of all failures as one, and the buffers' users hear of their own.
#[test]
fn y1_who_waits_for_all_takes_no_failure_from_its_buffer() {
    needs_amd_opencl!();
    let late = Late::new();
    let (broken, [first, second, good]) = (Broken::late(&late.session), [(); 3].map(|()| late.buffer()));
    broken.launch(&first);
    broken.launch(&second);
    late.opencl(&good);
    std::thread::scope(|threads| {
        let told = threads.spawn(|| [late.session.finish(), late.session.finish()]).join().expect("asked");
        assert_failed(told[0].as_ref().expect_err("they failed"));
        assert!(told[1].is_ok(), "told once: {told:?}");
    });
    assert_late(&good, 1);
    assert_failed(&first.read(&mut [0; N]).expect_err("its own"));
    let (error, second) = second.into_hip().expect_err("its own").into_parts();
    assert_failed(&error);
    assert_late(&first, 0);
    assert_late(&second, 0);
}

/// Others' waits see its end too, and none of them is told.
#[test]
fn y1_a_failure_is_told_to_nobody_else() {
    needs_amd_opencl!();
    let late = Late::new();
    let (mut buffer, broken) = (late.buffer(), Broken::late(&late.session));
    let cl = Cl::load().expect("OpenCL");
    let mem = some_mem(&late.session, &cl, cl_sys::CL_MEM_READ_WRITE);
    let waits: [(&str, &dyn Fn()); 8] = [
        ("a buffer is dropped", &|| drop(late.buffer())),
        ("a buffer is closed", &|| late.buffer().close().expect("close")),
        ("a buffer is handed over", &|| {
            let other = late.buffer();
            late.opencl(&other);
            let on_hip = other.into_hip().expect("hand-over");
            assert_late(&on_hip.into_opencl().expect("hand-over"), 1);
        }),
        ("a buffer is handed over later", &|| {
            let other = late.buffer();
            late.opencl(&other);
            let on_hip = other.into_hip_later().expect("hand-over").wait().expect("wait");
            assert_late(&on_hip.into_opencl_later().expect("hand-over").wait().expect("wait"), 1);
        }),
        ("a hand-over is dropped", &|| drop(late.buffer().into_hip_later().expect("hand-over"))),
        ("flags are dropped", &|| drop(Flags::new(&late.session, Duration::from_secs(3600)).expect("flags"))),
        ("a module is dropped", &|| drop(HipModule::build(&late.session, HIP).expect("module"))),
        // SAFETY: made above, used through the view only.
        ("an object is viewed", &|| drop(unsafe { late.session.view::<u32>(mem) }.expect("view"))),
    ];
    for (what, wait) in waits {
        broken.launch(&buffer);
        wait();
        let (error, back) =
            buffer.into_hip().map(drop).map_or_else(Refused::into_parts, |()| panic!("{what}: it is lost"));
        assert_failed(&error);
        buffer = back;
    }
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
    assert_late(&buffer, 0);

    // As `?` drops it where a function returns `Error`.
    let other = late.buffer();
    late.opencl(&other);
    let refused = |other: Buffer<u32, OpenCl>| -> Result<(), Error> {
        broken.launch(&other);
        Ok(other.into_hip().map(drop)?)
    };
    broken.launch(&buffer);
    assert_failed(&refused(other).expect_err("its own"));
    assert_failed(&buffer.read(&mut [0; N]).expect_err("its own"));
    late.session.finish().expect("both were told");

    // Nobody has the buffer any more.
    let other = late.buffer();
    broken.launch(&buffer);
    drop(buffer);
    assert_late(&other, 0);
    assert_failed(&late.session.finish().expect_err("it failed"));
    late.session.finish().expect("told once");
}

/// Each buffer that the kernel was to write hears of it, and what was computed from that; what it reads is as it was.
#[test]
fn y1_a_failure_follows_what_is_missing() {
    needs_amd_opencl!();
    let late = Late::new();
    let source =
        "kernel void copy(global const uint *from, global uint *to) { to[get_global_id(0)] = from[get_global_id(0)]; }";
    let program = OpenClProgram::build(&late.session, source, "").expect("program");
    let copy = program.kernel("copy").expect("kernel");
    let broken = Broken::of(&late.session, program.kernel("copy").expect("kernel"));
    let launch = |kernel: &OpenClKernel, from: &Buffer<u32, OpenCl>, to: &Buffer<u32, OpenCl>| {
        // SAFETY: one work-item an element.
        unsafe { kernel.launch(&[N], Some(&[64]), &[from.into(), to.into()]) }.expect("launch");
    };
    let [table, between, end, apart] = [(); 4].map(|()| late.buffer());
    launch(&broken.kernel, &table, &between);
    launch(&copy, &between, &end);
    launch(&copy, &table, &apart);
    drop(between);
    assert_late(&table, 0);
    assert_late(&apart, 0);
    assert_failed(&end.read(&mut [0; N]).expect_err("computed from what is missing"));
    late.session.finish().expect("told once");
    launch(&copy, &table, &end);
    assert_late(&end, 0);

    // Also if somebody was told of it for another buffer.
    let [between, other] = [(); 2].map(|()| late.buffer());
    launch(&broken.kernel, &table, &between);
    launch(&copy, &between, &other);
    assert_failed(&other.read(&mut [0; N]).expect_err("computed from what is missing"));
    launch(&copy, &between, &end);
    assert_failed(&end.read(&mut [0; N]).expect_err("computed from what is missing still"));
    assert_failed(&between.read(&mut [0; N]).expect_err("its own"));
    launch(&copy, &between, &end);
    assert_late(&end, 0);
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
    // Nobody asks any more when they would be woken.
    let buffer = late.buffer();
    late.opencl(&buffer);
    let mut forgotten = Box::pin(buffer.into_hip_later().expect("hand-over").into_future());
    _ = forgotten.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    drop(forgotten);
    late.session.finish().expect("finish");
}

/// The API calls when the work is done; a task that does not wait for that is not held till then.
#[test]
fn y2_a_future_that_is_dropped_lets_go_of_its_waker() {
    needs_amd_opencl!();
    struct Nobody;
    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }
    let late = Late::new();
    let task = Arc::new(Nobody);
    let waker = Waker::from(Arc::clone(&task));
    let polled = |future: WhenReady<_>| {
        let mut future = Box::pin(future);
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(Arc::strong_count(&task), 3, "the API's, the waker and this");
        future
    };
    let buffer = late.buffer();
    let gate = Gate::new(&late.session);
    let forgotten = polled(buffer.into_hip_later().expect("hand-over").into_future());
    // It waits for the buffer's work, but the gate is shut.
    let dropped = std::thread::spawn(|| drop(forgotten));
    let since = Instant::now();
    while Arc::strong_count(&task) != 2 {
        assert!(since.elapsed() < Duration::from_secs(60), "the API keeps the waker");
        std::thread::yield_now();
    }
    gate.open();
    dropped.join().expect("dropped");
    drop(waker);
    assert_eq!(Arc::strong_count(&task), 1);
}

/// A waker that panics, as of an executor that shuts down, does so in a callback of the API's: it ends there, and the
/// hand-over is over all the same.
#[test]
fn y2_a_waker_that_panics_ends_nothing() {
    needs_amd_opencl!();
    // Should it fail, it ends the process; and what threads of the APIs log is heard by one listener for all.
    if crate::ran_alone("hand_over::y2_a_waker_that_panics_ends_nothing", &[]) {
        return;
    }
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("the executor is gone");
        }
    }
    let errors = crate::failures::Errors::default();
    tracing::subscriber::set_global_default(errors.clone()).expect("the only listener");
    /// Polls it first while `held` holds up its work.
    fn arrived<V, W>(pending: rocm_interop::hand_over::HandOver<V>, held: W) -> V {
        let mut future = pending.into_future();
        let waker = Waker::from(Arc::new(Panics));
        assert!(Pin::new(&mut future).poll(&mut Context::from_waker(&waker)).is_pending());
        drop(held);
        let since = Instant::now();
        loop {
            match Pin::new(&mut future).poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(arrived) => break arrived.map_err(|_| "refused").expect("its work has ended"),
                Poll::Pending => assert!(since.elapsed() < Duration::from_secs(60), "it never arrives"),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let late = Late::new();
    let (buffer, gate) = (late.buffer(), Gate::new(&late.session));
    late.opencl(&buffer);
    let on_hip = arrived(buffer.into_hip_later().expect("begun"), gate);
    let held = hold_up(&late.session);
    late.hip(&on_hip);
    let buffer = arrived(on_hip.into_opencl_later().expect("begun"), held);
    assert_late(&buffer, 2);
    // By threads of the APIs.
    let (mut logged, since) = (Vec::new(), Instant::now());
    while logged.len() < 2 && since.elapsed() < Duration::from_secs(60) {
        logged.extend(errors.take());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(logged, ["the waker of a hand-over panicked: the executor is gone"; 2]);
}

/// Buffers in tuples, arrays and a `Vec`, in each other, are handed over as one.
#[test]
fn y1_many_buffers_are_handed_over_as_one() {
    needs_amd_opencl!();
    let late = Late::new();
    let buffers = (late.buffer(), [late.buffer(), late.buffer()], vec![late.buffer()], (late.buffer(), late.buffer()));
    for buffer in [&buffers.0, &buffers.1[0], &buffers.1[1], &buffers.2[0], &buffers.3.0, &buffers.3.1] {
        late.opencl(buffer);
    }
    let buffers = buffers.into_hip().expect("hand-over");
    for buffer in [&buffers.0, &buffers.1[1], &buffers.2[0], &buffers.3.1] {
        late.hip(buffer);
    }
    let (one, [two, three], four, (five, six)) = buffers.into_opencl().expect("hand-over");
    for buffer in [&one, &three, &four[0], &six] {
        assert_late(buffer, 2);
    }
    [&two, &five].into_iter().for_each(|buffer| assert_late(buffer, 1));
    let triple = (one, two, three);
    late.opencl(&triple.0);
    let triple = triple.into_hip_later().expect("begun").wait().expect("wait");
    late.hip(&triple.1);
    let (one, two, three) = triple.into_opencl_later().expect("begun").wait().expect("wait");
    [(&one, 3), (&two, 2), (&three, 2)].into_iter().for_each(|(buffer, kernels)| assert_late(buffer, kernels));
    assert!(Vec::<Buffer<u32, OpenCl>>::new().into_hip().expect("nothing to wait for").is_empty());
    let error = Vec::<Buffer<u32, OpenCl>>::new().into_hip_later().map(drop).expect_err("nothing").into_error();
    assert!(error.to_string().contains("buffers: are none"), "{error}");
}

/// All or none: where one fails, all are OpenCL's still, each failure is told, and what did not fail has its data.
#[test]
fn y1_of_many_buffers_all_are_handed_over_or_none() {
    needs_amd_opencl!();
    let late = Late::new();
    let (good, broken) = (late.buffer(), Broken::late(&late.session));
    let [one, other] = [late.buffer(), late.buffer()];
    late.opencl(&good);
    broken.launch(&one);
    broken.launch(&other);
    let (error, buffers) = [good, one, other].into_hip().expect_err("two fail").into_parts();
    assert_failed(&error);
    let (error, buffers) = buffers.into_hip().expect_err("of the other").into_parts();
    assert_failed(&error);
    let [good, one, other] = buffers.into_hip().expect("all are told").into_opencl().expect("hand-over");
    assert_late(&good, 1);
    [&one, &other].into_iter().for_each(|buffer| assert_late(buffer, 0));

    let elsewhere = session().allocate::<u32>(N).expect("allocate");
    let (error, (good, elsewhere)) = (good, elsewhere).into_hip().expect_err("two sessions").into_parts();
    assert!(error.to_string().contains("buffers: are of two sessions"), "{error}");
    let (error, (good, elsewhere)) = (good, elsewhere).into_hip_later().expect_err("two sessions").into_parts();
    assert!(error.to_string().contains("buffers: are of two sessions"), "{error}");
    late.opencl(&good);
    assert_late(&good, 2);
    drop(elsewhere);
}

/// OpenCL keeps no write behind a kernel on memory that it does not know.
#[test]
fn y1_a_write_comes_behind_a_kernel_on_memory_that_opencl_does_not_know() {
    needs_amd_opencl!();
    let late = Late::new();
    let mut buffer = late.session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    buffer.write(&start()).expect("write");
    for at in [5, 6] {
        late.opencl(&buffer);
        buffer.write_at(at, &[7]).expect("write");
    }
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    let step = |x: u32| (0..ROUNDS).fold(x, |x, _| x.wrapping_mul(1664525).wrapping_add(1013904223));
    let mut want = after(2);
    (want[5], want[6]) = (step(7), 7);
    assert_same(&end, &want);
}
