//! Nanoseconds that a thread needs to submit one dispatch of an empty kernel: by `aql`, by the functions of libhsa-runtime64, by
//! `hipModuleLaunchKernel`, and by a plain loop of the same stores and fence (the bound).
//!
//! Bound, `aql` and libhsa submit to one queue of ROCr. A barrier packet holds its packet processor while a burst is submitted, so what
//! the GPU takes to consume is not in the figures. HIP's queue is its own and cannot be held: its bursts are short and the clock
//! stands while they are worked off, but the GPU begins during the burst.
#[path = "../../crates/rocm-interop/examples/aql_saxpy/hsa.rs"]
mod hsa;
#[path = "submission/hip.rs"]
mod launch;
#[path = "submission/queue.rs"]
mod queue;

use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aql::{Control, Geometry, Kernarg, KernelDispatch, KernelObject, Signal};
use criterion::{Criterion, SamplingMode};
use hsa_sys::hsa_queue_type_t;
use queue::{Held, Raw, SLOTS};
use rocm_interop::Libraries;

const EMPTY: &str = "extern \"C\" __global__ void empty() {}";

fn main() {
    let gpu = hsa::Gpu::first().expect("a GPU");
    let libraries = Libraries::load().expect("libraries");
    let kernel = gpu.load(EMPTY, "empty").expect("an empty kernel");
    let arguments = gpu.allocate::<u8>(256).expect("memory").as_ptr().expose_provenance() as u64;
    let dispatch =
        KernelDispatch::new(KernelObject::new(kernel.object).expect("aligned"), Geometry::one(64, 64).expect("valid"))
            .with_kernarg(Kernarg::new(arguments).expect("aligned"))
            .with_private_segment(kernel.private_segment)
            .with_group_segment(kernel.group_segment)
            .with_control(Control::SYSTEM);

    let queue = gpu.queue(SLOTS, hsa_queue_type_t::HSA_QUEUE_TYPE_MULTI).expect("a queue");
    let held = Held::new(&libraries.hsa, queue, gpu.signal(1).expect("a signal"));
    let done = gpu.signal(1).expect("a signal");
    let only = held.queue.ring().multi_producer().expect("a queue for several producers");
    only.try_submit(&dispatch.with_completion(Signal::new(done.handle).expect("a signal"))).expect("an empty queue");
    gpu.wait(done).expect("the kernel runs");

    let launcher = launch::Launcher::new(&libraries, EMPTY, "empty");
    // Short: every packet timed costs the software GPU a thousand times as long.
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(20))
        .measurement_time(Duration::from_millis(60))
        .sample_size(20)
        .configure_from_args();
    for threads in [1, 2, 4] {
        measure(&mut criterion, &held, &dispatch, threads, &launcher);
    }
    criterion.final_summary();
}

fn measure(
    criterion: &mut Criterion,
    held: &Held<'_>,
    dispatch: &KernelDispatch,
    threads: u64,
    launcher: &launch::Launcher<'_>,
) {
    let name = if threads == 1 { "1 producer".to_owned() } else { format!("{threads} producers") };
    let mut group = criterion.benchmark_group(name);
    // Samples of one length, so that all have whole bursts.
    group.sampling_mode(SamplingMode::Flat);
    let (queue, hsa) = (held.queue, held.hsa);
    let raw = Raw::new(queue);
    group.bench_function("bound", |b| {
        b.iter_custom(|packets| {
            held.time(threads, packets, || {
                || {
                    let id = if threads == 1 {
                        let id = raw.write_index.load(Ordering::Relaxed);
                        raw.write_index.store(id + 1, Ordering::Release);
                        id
                    } else {
                        raw.write_index.fetch_add(1, Ordering::Relaxed)
                    };
                    raw.submit(id, black_box(dispatch).as_ref());
                }
            })
        });
    });
    let producer = queue.ring().multi_producer().expect("a queue for several producers");
    group.bench_function("aql multi", |b| {
        b.iter_custom(|packets| {
            held.time(threads, packets, || {
                || {
                    producer.try_submit(black_box(dispatch)).expect("room for a burst");
                }
            })
        });
    });
    group.bench_function("reference libhsa-runtime64", |b| {
        b.iter_custom(|packets| {
            held.time(threads, packets, || {
                || {
                    // SAFETY: a live queue and its doorbell.
                    let id = unsafe { hsa.hsa_queue_add_write_index_screlease(queue.handle(), 1) }.expect("libhsa");
                    queue.store(id, black_box(dispatch).as_ref());
                    // SAFETY: as above.
                    unsafe { hsa.hsa_signal_store_screlease(queue.handle().doorbell_signal, id as i64) }
                        .expect("libhsa");
                }
            })
        });
    });
    if threads == 1 {
        group.bench_function("aql single", |b| {
            b.iter_custom(|packets| {
                held.time(1, packets, || {
                    let mut producer = queue.ring().single_producer();
                    move || {
                        producer.try_submit(black_box(dispatch)).expect("room for a burst");
                    }
                })
            });
        });
        group.bench_function("reference hipModuleLaunchKernel", |b| b.iter_custom(|n| launcher.time(n)));
    }
    group.finish();
}
