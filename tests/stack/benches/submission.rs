//! Nanoseconds that a thread needs to submit one dispatch of an empty kernel: by `aql`, by the functions of
//! libhsa-runtime64, by `hipModuleLaunchKernel`, and by plain loops of the same stores and fence: the bound of one
//! producer, and the bound of many, who share the write index and so need an atomic addition.
//!
//! Bounds, `aql` and libhsa submit to one queue of ROCr. A barrier packet holds its packet processor while a burst is
//! submitted, so what the GPU takes to consume is not in the figures. HIP's queue is its own: a kernel that waits for
//! the host holds it back.
#[path = "submission/empty.rs"]
mod empty;
#[path = "../../../crates/rocm-interop/examples/aql_saxpy/hsa.rs"]
mod hsa;
#[path = "submission/hip.rs"]
mod launch;
#[path = "submission/queue.rs"]
mod queue;

use std::hint::black_box;
use std::slice::from_ref;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aql::{KernelDispatch, Packet, Signal};
use criterion::{Criterion, SamplingMode};
use hsa_sys::hsa_queue_type_t;
use queue::{Held, Raw, SLOTS};
use rocm_interop::Libraries;

fn main() {
    let gpu = hsa::Gpu::first().expect("a GPU");
    let libraries = Libraries::load().expect("libraries");
    let dispatch = empty::dispatch(&gpu);

    let queue = gpu.queue(SLOTS, hsa_queue_type_t::HSA_QUEUE_TYPE_MULTI).expect("a queue");
    let held = Held::new(&libraries.hsa, queue, gpu.signal(1).expect("a signal"));
    let done = gpu.signal(1).expect("a signal");
    let only = held.queue.ring().multi_producer().expect("a queue for several producers");
    let first = dispatch.with_completion(Signal::new(done.handle).expect("a signal"));
    // SAFETY: the kernel touches no memory; it, its arguments and the signal last as long as the process.
    unsafe { only.try_submit(&first) }.expect("an empty queue");
    gpu.wait(done).expect("the kernel runs");

    let launcher = launch::Launcher::new(&libraries);
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

/// Packets of a batch that gets one doorbell.
const BATCH: usize = 16;

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
    let packets = [Packet::from(*dispatch); BATCH];
    let producer = queue.ring().multi_producer().expect("a queue for several producers");

    // Each bound does what the row after it cannot leave out, in the same order, and nothing else: no check for a full
    // queue.
    group.bench_function("reference bound of many", |b| {
        b.iter_custom(|packets| {
            held.time(threads, packets, 1, || {
                || {
                    raw.submit(
                        raw.write_index.fetch_add(1, Ordering::Relaxed),
                        from_ref(black_box(dispatch).as_ref()),
                        || (),
                    )
                }
            })
        });
    });
    group.bench_function("aql multi", |b| {
        b.iter_custom(|packets| {
            held.time(threads, packets, 1, || {
                || {
                    // SAFETY: as in `main`.
                    unsafe { producer.try_submit(black_box(dispatch)) }.expect("room for a burst");
                }
            })
        });
    });
    group.bench_function(format!("reference bound of many, batches of {BATCH}"), |b| {
        b.iter_custom(|count| {
            held.time(threads, count, BATCH as u64, || {
                || raw.submit(raw.write_index.fetch_add(BATCH as u64, Ordering::Relaxed), black_box(&packets), || ())
            })
        });
    });
    group.bench_function(format!("aql multi, batches of {BATCH}"), |b| {
        b.iter_custom(|count| {
            held.time(threads, count, BATCH as u64, || {
                || {
                    // SAFETY: as in `main`.
                    unsafe { producer.try_submit_all(black_box(&packets)) }.expect("room for a burst");
                }
            })
        });
    });
    group.bench_function("reference libhsa-runtime64", |b| {
        b.iter_custom(|packets| {
            held.time(threads, packets, 1, || {
                || {
                    // SAFETY: a live queue and its doorbell.
                    let id = unsafe { hsa.hsa_queue_add_write_index_screlease(queue.handle(), 1) }.expect("libhsa");
                    queue.store(id, black_box(dispatch).as_ref());
                    // SAFETY: as above.
                    unsafe { hsa.hsa_signal_store_screlease(queue.doorbell(), id as i64) }.expect("libhsa");
                }
            })
        });
    });
    if threads == 1 {
        group.bench_function("reference bound of one", |b| {
            b.iter_custom(|packets| {
                held.time(1, packets, 1, || {
                    let mut next = raw.write_index.load(Ordering::Relaxed);
                    move || {
                        next += 1;
                        let publish = || raw.write_index.store(next, Ordering::Release);
                        raw.submit(next - 1, from_ref(black_box(dispatch).as_ref()), publish);
                    }
                })
            });
        });
        group.bench_function("aql single", |b| {
            b.iter_custom(|packets| {
                held.time(1, packets, 1, || {
                    let mut producer = queue.ring().single_producer();
                    move || {
                        // SAFETY: as in `main`.
                        unsafe { producer.try_submit(black_box(dispatch)) }.expect("room for a burst");
                    }
                })
            });
        });
        group.bench_function(format!("aql single, batches of {BATCH}"), |b| {
            b.iter_custom(|count| {
                held.time(1, count, BATCH as u64, || {
                    let mut producer = queue.ring().single_producer();
                    move || {
                        // SAFETY: as in `main`.
                        unsafe { producer.try_submit_all(black_box(&packets)) }.expect("room for a burst");
                    }
                })
            });
        });
        group.bench_function("reference hipModuleLaunchKernel", |b| b.iter_custom(|n| launcher.time(n)));
    }
    group.finish();
}
