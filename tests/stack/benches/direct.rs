//! `kfd` next to AMD's runtimes, each doing the same in the same run: what a launch and a dependency take of the
//! submitting thread, how soon a result is noticed, how long a process takes to its first result, and copies to the
//! GPU's memory.
//!
//! Launches and dependencies are held back on the GPU while they are timed, so what the GPU takes is not in their
//! figures. It is in all others.
#[path = "direct/by_hip.rs"]
mod by_hip;
#[path = "direct/by_kfd.rs"]
mod by_kfd;
#[path = "direct/by_rocr.rs"]
mod by_rocr;
#[path = "direct/child.rs"]
mod child;
#[path = "submission/empty.rs"]
#[expect(dead_code, reason = "the kernel here has arguments")]
mod empty;
#[path = "submission/hip.rs"]
#[expect(dead_code, reason = "the kernel here has arguments")]
mod hip;
#[path = "../../../crates/rocm-interop/examples/aql_saxpy/hsa.rs"]
#[expect(dead_code, reason = "waits are timed here")]
mod hsa;
#[path = "submission/queue.rs"]
#[expect(dead_code, reason = "the bounds are the submission benchmark's")]
mod queue;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use rocm_interop::Libraries;

/// Work-items of the kernel, and values of its buffers: one work-group.
const ITEMS: usize = 256;
/// What a queue has room for: kfd's holds 1024 packets.
const BURST: u64 = 512;
/// After this time a thread that waits no longer looks, but sleeps: ROCr and `kfd` look for 200 us.
const ASLEEP: Duration = Duration::from_millis(3);
const SIZES: [(&str, usize); 3] = [("4 KiB", 4 << 10), ("1 MiB", 1 << 20), ("256 MiB", 256 << 20)];

/// The kernel of `kfd`'s examples, for hiprtc.
const SAXPY: &str = "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}";

/// Small enough that sums of as many as are added here are exact.
fn x(i: usize) -> f32 {
    (i % 4) as f32
}

/// Bytes that are told apart from those of memory that nobody wrote.
fn pattern(i: usize) -> u8 {
    (i % 251) as u8 + 1
}

fn main() {
    match child::task().as_deref() {
        None => measure(),
        Some("nothing") => {}
        Some("first by HIP") => by_hip::first_result(&child::input()),
        Some(task) => by_kfd::run(task),
    }
}

fn measure() {
    let gpu = hsa::Gpu::first().expect("a GPU");
    let libraries = Libraries::load().expect("libraries");
    let streams = by_hip::Streams::new(&libraries);
    let rocr = by_rocr::Saxpy::new(&gpu, &libraries.hsa);
    // Short: what is timed takes the software GPU much longer.
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(20))
        .measurement_time(Duration::from_millis(60))
        .sample_size(10)
        .configure_from_args();

    let mut group = criterion.benchmark_group("direct launch of 4 arguments");
    group.sampling_mode(SamplingMode::Flat);
    child::bench(&mut group, "kfd", "launch");
    child::bench(&mut group, "kfd, replayed", "replayed");
    group.bench_function("aql in a queue of ROCr", |b| b.iter_custom(|count| rocr.launches(count)));
    group.bench_function("reference hipModuleLaunchKernel", |b| b.iter_custom(|count| streams.launches(count)));
    group.finish();

    let mut group = criterion.benchmark_group("direct dependency of two queues");
    group.sampling_mode(SamplingMode::Flat);
    child::bench(&mut group, "kfd", "dependency");
    child::bench(&mut group, "kfd by ticket", "edge");
    group.bench_function("reference HIP event", |b| b.iter_custom(|count| streams.dependencies(count)));
    group.finish();

    let mut group = criterion.benchmark_group("direct kernel there and back, polling");
    group.sampling_mode(SamplingMode::Flat);
    child::bench(&mut group, "kfd", "polling");
    group.bench_function("reference hsa_signal_wait_scacquire", |b| b.iter_custom(|count| rocr.polling(count)));
    group.finish();

    let mut group = criterion.benchmark_group("direct kernel and wake of a sleeping thread");
    group.sampling_mode(SamplingMode::Flat);
    child::bench(&mut group, "kfd", "asleep");
    group.bench_function("reference hsa_signal_wait_scacquire", |b| b.iter_custom(|count| rocr.asleep(count)));
    group.finish();

    let mut group = criterion.benchmark_group("direct first result of a process");
    group.sampling_mode(SamplingMode::Flat);
    let whole = |task: &'static str, input: &[u8], count| (0..count).map(|_| child::whole(task, input)).sum();
    group.bench_function("kfd", |b| b.iter_custom(|count| whole("first", &[], count)));
    group.bench_function("reference HIP", |b| b.iter_custom(|count| whole("first by HIP", &streams.code, count)));
    group.bench_function("reference a process that does nothing", |b| {
        b.iter_custom(|count| whole("nothing", &[], count));
    });
    group.finish();

    for (name, bytes) in SIZES {
        copies(&mut criterion, &libraries, name, bytes);
    }
    criterion.final_summary();
}

/// Copies to the GPU's memory from memory that it reads in place, and of memory to memory by the processor.
fn copies(criterion: &mut Criterion, libraries: &Libraries, name: &str, bytes: usize) {
    let mut group = criterion.benchmark_group(format!("direct copy of {name}"));
    group.throughput(Throughput::Bytes(bytes as u64)).sampling_mode(SamplingMode::Flat);
    for by in ["engine", "kernel"] {
        child::bench(&mut group, &format!("kfd by {by}"), &format!("{by} {bytes}"));
        child::bench(&mut group, &format!("kfd by {by}, polling"), &format!("{by} {bytes} polling"));
    }
    child::bench(&mut group, "kfd by address", &format!("address {bytes}"));
    let mut copies = None;
    group.bench_function("reference hipMemcpy", |b| {
        let copies = copies.get_or_insert_with(|| by_hip::Copies::new(&libraries.hip, bytes));
        b.iter(|| copies.copy());
    });
    drop(copies);
    let from: Vec<u8> = (0..bytes).map(pattern).collect();
    let mut to = vec![0u8; bytes];
    group.bench_function("reference memcpy", |b| b.iter(|| black_box(&mut to).copy_from_slice(black_box(&from))));
    group.finish();
}
