//! How long work took, and what is told of it to `tracing`.
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::sys::Api;
use rocm_interop::times::{Time, Work};
use rocm_interop::{Buffer, Device, Error, Libraries, OpenCl, Session};

use crate::shims::{self, Counts};
use crate::{N, Sides, session};

/// One loop is a millionfold longer than the other, so that its time is the longer one even where a
/// busy host lets the device's threads wait in the middle of the short one.
const OPENCL: &str = "kernel void turns(global uint *x, uint n) {
    uint v = x[get_global_id(0)];
    for (uint i = 0; i < n; i++) v = v * 1664525u + 1013904223u;
    x[get_global_id(0)] = v;
}";
const HIP: &str = "extern \"C\" __global__ void turns(unsigned *x, unsigned n) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, v = x[at];
    for (unsigned i = 0; i < n; i++) v = v * 1664525u + 1013904223u;
    x[at] = v;
}";
const SHORT: u32 = 10;
const LONG: u32 = 10_000_000;

/// What `turns` makes of `x`: the powers of the generator by squaring, for all turns one by one would
/// take the host longer than the device.
fn turned(mut x: u32, mut turns: u32) -> u32 {
    let (mut factor, mut summand) = (1664525u32, 1013904223u32);
    while turns != 0 {
        if turns & 1 == 1 {
            x = x.wrapping_mul(factor).wrapping_add(summand);
        }
        summand = factor.wrapping_mul(summand).wrapping_add(summand);
        factor = factor.wrapping_mul(factor);
        turns >>= 1;
    }
    x
}

fn timed_with(libraries: Libraries) -> Session {
    let libraries = Arc::new(libraries);
    let devices = Device::all(&libraries).expect("devices");
    Session::open_timed(devices.first().expect("a GPU")).expect("session")
}

fn timed() -> Session {
    timed_with(Libraries::load().expect("libraries"))
}

fn of(times: &[Time], api: Api, work: &Work) -> Vec<Duration> {
    times.iter().filter(|time| time.api == api && time.work == *work).map(|time| time.took).collect()
}

#[test]
fn kernels_copies_and_hand_overs_have_their_times() {
    needs_amd_opencl!();
    let session = timed();
    let program = OpenClProgram::build(&session, OPENCL, "").expect("program");
    let module = HipModule::build(&session, HIP).expect("module");
    let (opencl, hip) = (program.kernel("turns").expect("kernel"), module.kernel("turns").expect("kernel"));
    let mut buffer: Buffer<u32, OpenCl> = session.allocate(64).expect("allocate");
    buffer.write(&[0; 64]).expect("write");
    // The first launch of HIP's has the loading of the code in its time, some milliseconds.
    let buffer = buffer.into_hip().expect("hand-over");
    // SAFETY: one work-item an element.
    unsafe { hip.launch(1, 64, 0, &[(&buffer).into(), 0u32.into()]) }.expect("launch");
    let buffer = buffer.into_opencl().expect("hand-over");
    assert!(session.take_times().expect("times").all.is_empty(), "nobody asked");
    session.record_times(true).expect("a queue with times");
    let start = Instant::now();
    let (buffer, data) = buffer.upload(vec![1; 64]).expect("upload").wait().expect("upload");
    let mut buffer = buffer;
    buffer.fill(7).expect("fill");
    for turns in [SHORT, LONG] {
        // SAFETY: one work-item an element.
        unsafe { opencl.launch(&[64], None, &[(&buffer).into(), turns.into()]) }.expect("launch");
    }
    let on_hip = buffer.into_hip().expect("hand-over");
    for turns in [SHORT, LONG] {
        // SAFETY: as above.
        unsafe { hip.launch(1, 64, 0, &[(&on_hip).into(), turns.into()]) }.expect("launch");
    }
    let buffer = on_hip.into_opencl_later().expect("hand-over").wait().expect("hand-over");
    let mut end = data;
    buffer.read(&mut end).expect("read");
    let all = start.elapsed();
    assert_eq!(end, [turned(7, 2 * (SHORT + LONG)); 64]);
    session.record_times(false).expect("off");
    buffer.read(&mut end).expect("read");

    let times = session.take_times().expect("times");
    assert_eq!(times.lost, 0);
    let turns = Work::Kernel("turns".into());
    for api in [Api::OpenCl, Api::Hip] {
        let took = of(&times.all, api, &turns);
        assert!(took.len() == 2 && took[0] > Duration::ZERO && took[1] > took[0], "{api}: {took:?}");
    }
    let [copies, fills] = [Work::Copy, Work::Fill].map(|work| of(&times.all, Api::OpenCl, &work));
    assert_eq!((copies.len(), fills.len()), (2, 1), "{times:?}");
    let hand_overs = [Api::OpenCl, Api::Hip].map(|api| of(&times.all, api, &Work::HandOver));
    assert_eq!(hand_overs.each_ref().map(Vec::len), [1, 1], "{times:?}");
    assert!(times.all.iter().all(|time| time.took <= all), "{times:?} in {all:?}");
    // The host waited for the long kernels, which were launched just before.
    assert!(hand_overs.iter().all(|took| took[0] > of(&times.all, Api::Hip, &turns)[0]), "{times:?}");
    assert!(session.take_times().expect("times").all.is_empty(), "they are taken");
    session.close().expect("close");
}

#[test]
fn hips_copies_and_fills_have_times_too() {
    needs_amd_opencl!();
    let session = timed();
    let (mut from, mut to) =
        (session.allocate_hip::<u32>(N).expect("allocate"), session.allocate_hip::<u32>(N).expect("allocate"));
    session.record_times(true).expect("a queue with times");
    from.fill(9).expect("fill");
    to.copy_from(0, &from.slice(..).expect("all")).expect("copy");
    session.synchronize().expect("hipStreamSynchronize");
    let times = session.take_times().expect("times").all;
    let works: Vec<_> = times.iter().map(|time| (time.api, time.work.clone())).collect();
    assert_eq!(works, [(Api::Hip, Work::Fill), (Api::Hip, Work::Copy)]);
    let buffer = to.into_opencl().expect("hand-over");
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_eq!(end, [9; N]);
    // HIP copies what is HIP's, for OpenCL too. The copy's own event may not be reached yet.
    session.synchronize().expect("hipStreamSynchronize");
    let times = session.take_times().expect("times").all;
    assert_eq!(of(&times, Api::Hip, &Work::Copy).len(), 1, "{times:?}");
}

/// What raw calls and libraries of HIP's enqueue, by name; a panic goes through, and takes no event along.
#[test]
fn calls_of_hips_libraries_have_times() {
    needs_amd_opencl!();
    let session = timed();
    let module = HipModule::build(&session, HIP).expect("module");
    let turns = module.kernel("turns").expect("kernel");
    let mut x = session.allocate_hip::<u32>(64).expect("allocate");
    let launch = |x: &Buffer<u32, rocm_interop::Hip>, n: u32| {
        // SAFETY: one work-item an element.
        unsafe { turns.launch(1, 64, 0, &[x.into(), n.into()]) }.expect("launch");
    };
    x.write(&[1; 64]).expect("write");
    // With the loading of the code.
    launch(&x, 0);
    session.synchronize().expect("synchronize");
    let (raw, hip) = (session.raw_hip().expect("raw"), hip_sys::Hip::load().expect("HIP"));
    let fill = |x: &mut Buffer<u32, rocm_interop::Hip>| {
        let to = raw.pointer_mut(x).expect("pointer");
        // SAFETY: as many elements, on the session's stream.
        let code =
            unsafe { hip.hipMemsetD32Async(to.expose_provenance() as *mut std::ffi::c_void, 9, 64, raw.stream()) };
        code.expect("HIP")
    };
    assert_eq!(raw.timed("off", || fill(&mut x)).expect("it's off"), hip_sys::hipError_t::hipSuccess);
    session.record_times(true).expect("a queue with times");
    assert_eq!(raw.timed("fill", || fill(&mut x)).expect("timed"), hip_sys::hipError_t::hipSuccess);
    session.record_times(false).expect("off");
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| raw.timed("panics", || panic!("mine"))));
    assert_eq!(panicked.expect_err("a panic").downcast_ref::<&str>(), Some(&"mine"));
    session.record_times(true).expect("a queue with times");
    for n in [SHORT, LONG] {
        raw.timed("turns", || launch(&x, n)).expect("timed");
    }
    session.synchronize().expect("synchronize");
    let times = session.take_times().expect("times").all;
    let library = |name: &str| of(&times, Api::Hip, &Work::Library(name.into()));
    let took = library("turns");
    assert!(library("fill").len() == 1 && took.len() == 2 && took[1] > took[0], "{times:?}");
    let kernels = of(&times, Api::Hip, &Work::Kernel("turns".into()));
    assert!(kernels.len() == 2 && kernels.iter().zip(&took).all(|(inside, around)| inside <= around), "{times:?}");
    assert_eq!(times.len(), 5, "{times:?}");
    let mut end = [0; 64];
    x.read(&mut end).expect("read");
    assert_eq!(end, [turned(9, SHORT + LONG); 64]);
    session.abandon();
    assert!(matches!(raw.timed("given up", || 1), Err(Error::Abandoned { .. })));
    // It was idle, so that HIP's frees of others have nothing to wait for.
    let other = crate::session();
    let of_others = other.allocate_hip::<u32>(64).expect("allocate");
    of_others.close().expect("it is freed, not leaked");
}

/// Between two places of the stream.
#[test]
fn events_of_hips_have_times() {
    needs_amd_opencl!();
    // What holds up a stream would hold up others' in HIP.
    if crate::ran_alone("times::events_of_hips_have_times", &[]) {
        return;
    }
    let session = session();
    let module = HipModule::build(&session, HIP).expect("module");
    let turns = module.kernel("turns").expect("kernel");
    let x = session.allocate::<u32>(64).expect("allocate").into_hip().expect("hand-over");
    let launch = |n: u32| {
        // SAFETY: one work-item an element.
        unsafe { turns.launch(1, 64, 0, &[(&x).into(), n.into()]) }.expect("launch");
        session.timed_stream_event().expect("event")
    };
    launch(0);
    let start = session.timed_stream_event().expect("event");
    let (short, held) = (launch(SHORT), crate::hand_over::hold_up(&session));
    let long = launch(LONG);
    assert_eq!(long.since(&short).expect("asked"), None, "it is held up");
    drop(held);
    session.synchronize().expect("synchronize");
    let of_long = long.since(&short).expect("asked").expect("ended");
    let of_both = long.since(&start).expect("asked").expect("ended");
    let of_short = short.since(&start).expect("asked").expect("ended");
    assert!(of_both >= of_long && of_long > of_short, "{of_short:?}, {of_long:?}, {of_both:?}");
    assert_eq!(start.since(&long).expect("asked"), Some(Duration::ZERO), "the other way round");
    let without = session.stream_event().expect("event");
    let error = without.since(&start).expect_err("no time").to_string();
    assert!(error.contains("events: have no time; make both by `Session::timed_stream_event`"), "{error}");
    // Each goes back to those of its kind.
    drop((start, short, long, without));
    let [start, end] = [(); 2].map(|()| session.timed_stream_event().expect("event"));
    session.synchronize().expect("synchronize");
    assert!(end.since(&start).expect("with a time").is_some());
}

#[test]
fn a_queue_without_times_is_named_with_what_to_do() {
    needs_amd_opencl!();
    let session = session();
    let error = session.record_times(true).expect_err("an ordinary queue").to_string();
    assert!(error.contains("OpenCL queue: notes no times") && error.contains("Session::open_timed"), "{error}");
    session.record_times(false).expect("it is off");
    let owner = timed();
    // SAFETY: handles of the owner, which outlives the guest.
    let guest =
        unsafe { Session::from_raw(owner.device().libraries(), owner.context(), owner.queue(), owner.stream()) }
            .expect("guest");
    guest.record_times(true).expect("the queue has CL_QUEUE_PROFILING_ENABLE");
    Sides::new(&guest).expect("kernels").run(guest.allocate(N).expect("allocate")).expect("both sides");
    guest.finish().expect("finish");
    let times = guest.take_times().expect("times").all;
    for (api, name, launches) in [(Api::OpenCl, "add", 3), (Api::Hip, "triple", 2)] {
        assert_eq!(of(&times, api, &Work::Kernel(name.into())).len(), launches, "{times:?}");
    }
}

/// What nobody takes does not grow without end.
#[test]
fn times_that_nobody_takes_are_lost_and_counted() {
    needs_amd_opencl!();
    const LAUNCHES: usize = 5000;
    let session = timed();
    let sides = Sides::new(&session).expect("kernels");
    session.record_times(true).expect("a queue with times");
    let buffer = session.allocate::<u32>(64).expect("allocate").into_hip().expect("hand-over");
    let module = HipModule::build(&session, "extern \"C\" __global__ void none() {}").expect("module");
    let none = module.kernel("none").expect("kernel");
    for _ in 0..LAUNCHES {
        // SAFETY: it does nothing.
        unsafe { none.launch(1, 1, 0, &[]) }.expect("launch");
    }
    session.synchronize().expect("hipStreamSynchronize");
    let times = session.take_times().expect("times");
    let took = of(&times.all, Api::Hip, &Work::Kernel("none".into())).len();
    // At most so many are under way at a time.
    assert!(took >= 4096 && took + times.lost as usize == LAUNCHES, "{took} and {}", times.lost);
    drop((buffer, sides));
}

/// Calls that are made by a launch on each side and both hand-overs.
fn calls(session: &Session) -> Counts {
    let program = OpenClProgram::build(session, OPENCL, "").expect("program");
    let module = HipModule::build(session, HIP).expect("module");
    let (opencl, hip) = (program.kernel("turns").expect("kernel"), module.kernel("turns").expect("kernel"));
    let buffer: Buffer<u32, OpenCl> = session.allocate(64).expect("allocate");
    shims::start([]);
    // SAFETY: one work-item an element.
    unsafe { opencl.launch(&[64], None, &[(&buffer).into(), 1.into()]) }.expect("launch");
    let on_hip = buffer.into_hip().expect("hand-over");
    // SAFETY: as above.
    unsafe { hip.launch(1, 64, 0, &[(&on_hip).into(), 1.into()]) }.expect("launch");
    let buffer = on_hip.into_opencl().expect("hand-over");
    let counts = shims::counts();
    drop(buffer);
    counts
}

#[test]
fn times_that_nobody_asks_for_cost_no_call() {
    needs_amd_opencl!();
    if crate::ran_alone("times::times_that_nobody_asks_for_cost_no_call", &[]) {
        return;
    }
    let plain = crate::open_with(Arc::new(shims::libraries().expect("libraries"))).expect("session");
    let timed = timed_with(shims::libraries().expect("libraries"));
    let made = |counts: Counts| -> Vec<(&'static str, usize)> {
        counts.into_iter().map(|(name, count)| (name, count.made)).collect()
    };
    let without = made(calls(&plain));
    assert_eq!(
        without,
        [
            ("clEnqueueNDRangeKernel", 1),
            ("clReleaseEvent", 1),
            ("clSetKernelArg", 1),
            ("clSetKernelArgSVMPointer", 1),
            ("clWaitForEvents", 1),
            ("hipModuleLaunchKernel", 1),
            ("hipSetDevice", 2),
            ("hipStreamSynchronize", 1),
        ]
    );
    assert_eq!(made(calls(&timed)), without, "while it is off");
    timed.record_times(true).expect("a queue with times");
    let with: Counts = calls(&timed);
    assert_eq!(["clGetEventProfilingInfo", "hipEventRecord"].map(|name| with[name].made), [2, 2]);
}

/// Writes down what is told.
struct Listener(Mutex<String>);

struct Field<'s>(&'s mut String);

impl tracing::field::Visit for Field<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).expect("a string");
    }
}

impl tracing::Subscriber for &'static Listener {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("rocm_interop")
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = event.metadata().level().to_string();
        event.record(&mut Field(&mut line));
        let mut all = self.0.lock().expect("no panic");
        *all += &line;
        all.push('\n');
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn waits_allocations_hand_overs_and_flushes_are_told() {
    needs_amd_opencl!();
    // Where threads meet a place that tells for the first time, just as a listener begins, it may never be heard.
    if crate::ran_alone("times::waits_allocations_hand_overs_and_flushes_are_told", &[]) {
        return;
    }
    static LISTENER: Listener = Listener(Mutex::new(String::new()));
    tracing::subscriber::with_default(&LISTENER, || {
        let session = session();
        let sides = Sides::new(&session).expect("kernels");
        let buffer = session.allocate::<u32>(N).expect("allocate");
        let address = buffer.address();
        LISTENER.0.lock().expect("no panic").push_str(&format!("at {address}\n"));
        sides.run(buffer).expect("both sides");
    });
    let told = LISTENER.0.lock().expect("no panic").clone();
    let address = told.lines().find_map(|line| line.strip_prefix("at ")).expect("a line").to_owned();
    let has = |words: &[&str]| told.lines().any(|line| words.iter().all(|word| line.contains(word)));
    let bytes = format!("bytes={}", 4 * N);
    for words in [
        &["DEBUG", "message=allocated or taken", &format!("address={address}"), &bytes, "GPU"][..],
        &["DEBUG", "message=given back", &format!("address={address}")],
        &["DEBUG", "message=hand-over", "api=OpenCL", "took=", "ended=true"],
        &["DEBUG", "message=hand-over", "api=HIP", "took="],
        &["DEBUG", "message=wait for all work", "api=HIP"],
        &["DEBUG", "message=wait for commands", "api=OpenCL"],
        &["DEBUG", "message=wait for a command", "api=OpenCL"],
        &["TRACE", "message=flush", "queue=0x"],
    ] {
        assert!(has(words), "{words:?} in {told}");
    }
}
