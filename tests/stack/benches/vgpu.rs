//! What the virtual GPU costs a program: the way of an empty kernel there and back, dispatches a second, copies, and
//! CPU time when idle. Next to each, in the same run, what the host takes for the like without a GPU.
#[path = "submission/empty.rs"]
mod empty;
#[path = "../../../crates/rocm-interop/examples/aql_saxpy/hsa.rs"]
mod hsa;
#[path = "submission/hip.rs"]
#[expect(dead_code, reason = "bursts are the submission benchmark's")]
mod launch;

use std::ffi::c_void;
use std::hint::black_box;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use aql::{KernelDispatch, MultiProducer, Signal};
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput, measurement::WallTime};
use hip_sys::{hipError_t, hipMemcpyKind};
use hsa_sys::hsa_queue_type_t;
use rocm_interop::Libraries;

/// Packets in flight when dispatches are counted.
const BATCH: u64 = 256;
/// Bytes of a copy: more than the processor's caches hold.
const COPY: usize = 64 << 20;
/// An idle engine has gone to sleep for long after this time.
const QUIET: Duration = Duration::from_millis(30);

fn main() {
    let before = idle_cpu_time();
    let gpu = hsa::Gpu::first().expect("a GPU");
    let libraries = Libraries::load().expect("libraries");
    let done = gpu.signal(0).expect("a signal");
    let dispatch = empty::dispatch(&gpu);
    // The barrier bit of `Control::SYSTEM` makes it the last.
    let last = dispatch.with_completion(Signal::new(done.handle).expect("a signal"));
    let queue = gpu.queue(1024, hsa_queue_type_t::HSA_QUEUE_TYPE_MULTI).expect("a queue");
    // SAFETY: a queue of ROCr that lives as long as the process, submitted to by this ring only.
    let ring = unsafe { aql::Ring::from_amd_queue(queue.cast()) }.expect("a queue of AMD's");
    let producer = ring.multi_producer().expect("a queue for several producers");
    let launcher = launch::Launcher::new(&libraries);

    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .configure_from_args();
    let run = |count: u64| {
        // SAFETY: a live signal, which nobody waits for yet.
        unsafe { libraries.hsa.hsa_signal_store_screlease(done, 1) }.expect("libhsa");
        submit(&producer, &dispatch, count - 1);
        submit(&producer, &last, 1);
        wait(&libraries, done);
    };

    // SAFETY: as above.
    unsafe { libraries.hsa.hsa_signal_store_screlease(done, 1) }.expect("libhsa");
    submit(&producer, &last, 1);
    gpu.wait(done).expect("the kernel runs");

    let mut group = criterion.benchmark_group("round trip");
    group.bench_function("empty kernel in an AQL queue", |b| b.iter(|| run(1)));
    group.bench_function("empty kernel by HIP", |b| {
        b.iter(|| {
            launcher.launch();
            launcher.synchronize();
        });
    });
    group.bench_function("empty kernel in an AQL queue after 30 ms of quiet", |b| {
        b.iter_custom(|times| (0..times).map(|_| after_quiet(|| run(1))).sum());
    });
    with_another_thread(|round_trip| {
        group.bench_function("reference another thread", |b| b.iter(|| round_trip(1)));
    });
    with_another_thread(|round_trip| {
        group.bench_function("reference another thread after 30 ms of quiet", |b| {
            b.iter_custom(|times| (0..times).map(|_| after_quiet(|| round_trip(1))).sum());
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("256 at a time");
    group.throughput(Throughput::Elements(BATCH));
    group.bench_function("empty kernels in an AQL queue", |b| b.iter(|| run(BATCH)));
    with_another_thread(|round_trip| {
        group.bench_function("reference messages to another thread", |b| b.iter(|| round_trip(BATCH)));
    });
    group.finish();

    copies(&mut criterion, &libraries);
    criterion.final_summary();

    println!("\nCPU time in an idle second: {before:?} before the device was opened, {:?} with it", idle_cpu_time());
}

/// Submits a dispatch of `empty`, whose kernel, arguments and signal last as long as the process.
fn submit(producer: &MultiProducer<'_, aql::MmioDoorbell>, dispatch: &KernelDispatch, count: u64) {
    for _ in 0..count {
        // SAFETY: the kernel touches no memory, and what the packet names lasts.
        unsafe { producer.try_submit(black_box(dispatch)) }.expect("room for a batch");
    }
}

/// Waits as programs mostly do: ROCr looks for a while, then sleeps until the GPU's interrupt.
fn wait(libraries: &Libraries, signal: hsa_sys::hsa_signal_t) {
    use hsa_sys::{hsa_signal_condition_t as Condition, hsa_wait_state_t as State};
    let (equal, blocked) = (Condition::HSA_SIGNAL_CONDITION_EQ, State::HSA_WAIT_STATE_BLOCKED);
    // SAFETY: a live signal.
    let value = unsafe { libraries.hsa.hsa_signal_wait_scacquire(signal, equal, 0, u64::MAX, blocked) };
    assert_eq!(value.expect("libhsa"), 0);
}

fn after_quiet(run: impl FnOnce()) -> Duration {
    std::thread::sleep(QUIET);
    let started = Instant::now();
    run();
    started.elapsed()
}

/// Calls `body` with a function that sends as many messages to another thread and waits for its answer to the last.
fn with_another_thread(body: impl FnOnce(&dyn Fn(u64))) {
    let (request, requests) = sync_channel::<bool>(BATCH as usize);
    let (answer, answers) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for last in requests {
                if last {
                    answer.send(()).expect("somebody waits");
                }
            }
        });
        body(&move |count| {
            (1..=count).for_each(|i| request.send(i == count).expect("the thread lives"));
            answers.recv().expect("the thread lives");
        });
    });
}

/// Copies of HIP, and of memory to memory by the processor.
fn copies(criterion: &mut Criterion, libraries: &Libraries) {
    let hip = &libraries.hip;
    let (mut device, mut pinned): (*mut c_void, *mut c_void) = Default::default();
    let mut pageable = vec![1u8; COPY];
    let other = vec![2u8; COPY];
    // SAFETY: outputs of the types asked for.
    unsafe {
        ok(hip.hipMalloc(&mut device, COPY));
        ok(hip.hipHostMalloc(&mut pinned, COPY, 0));
        ok(hip.hipMemset(device, 0, COPY));
        ok(hip.hipMemset(pinned, 0, COPY));
    }
    let pageable = pageable.as_mut_ptr().cast::<c_void>();
    let (to_device, to_host) = (hipMemcpyKind::hipMemcpyHostToDevice, hipMemcpyKind::hipMemcpyDeviceToHost);
    for (name, kind) in [("64 MiB to the device", to_device), ("64 MiB to the host", to_host)] {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(COPY as u64)).sampling_mode(SamplingMode::Flat).sample_size(10);
        for (function, host) in [("pageable", pageable), ("pinned", pinned)] {
            let (to, from) = if kind == to_device { (device, host) } else { (host, device) };
            // SAFETY: both have that many bytes.
            measure(&mut group, function, || ok(unsafe { hip.hipMemcpy(to, from, COPY, kind) }));
        }
        // SAFETY: both have that many bytes and do not overlap.
        measure(&mut group, "reference memcpy", || unsafe {
            std::ptr::copy_nonoverlapping(black_box(other.as_ptr()), black_box(pageable.cast()), COPY);
        });
        group.finish();
    }
}

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut run: impl FnMut()) {
    group.bench_function(name, |b| b.iter(&mut run));
}

fn ok(code: Result<hipError_t, hip_sys::LoadError>) {
    assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
}

/// CPU time that all threads of this process take in a second in which it does nothing.
fn idle_cpu_time() -> Duration {
    // What was done before may take a moment to end.
    std::thread::sleep(Duration::from_millis(300));
    let before = cpu_time();
    std::thread::sleep(Duration::from_secs(1));
    cpu_time() - before
}

fn cpu_time() -> Duration {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(usage.tv_sec as u64, usage.tv_nsec as u32)
}
