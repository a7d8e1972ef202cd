//! Nanoseconds a packet for 1, 2 and 4 producers, next to the bounds: plain loops of the same stores and fence,
//! of one producer, and of many, who share the write index and so need an atomic addition.
//!
//! `read_index` is moved between rounds by the bench itself, so that neither side waits for a consumer. The doorbell is
//! ordinary memory: what a register behind PCIe costs on top is the same for both.

use std::hint::black_box;
use std::ptr::NonNull;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aql::*;
use criterion::{Criterion, criterion_group, criterion_main};

const SLOTS: usize = 4096;

#[repr(align(128))]
struct Line<T>(T);

struct Memory {
    slots: Box<[Slot]>,
    write: Line<AtomicU64>,
    read: Line<AtomicU64>,
    /// A page that is not Rust's, as a register is not.
    doorbell: &'static AtomicU64,
}

impl Memory {
    fn new() -> Memory {
        Memory {
            slots: (0..SLOTS).map(|_| Slot::empty()).collect(),
            write: Line(AtomicU64::new(0)),
            read: Line(AtomicU64::new(0)),
            doorbell: page(),
        }
    }

    fn ring(&self) -> Ring<'_, MmioDoorbell> {
        let register = NonNull::from(self.doorbell).cast();
        // SAFETY: aligned, writable, mapped for ever, and never read.
        let doorbell = unsafe { MmioDoorbell::new(register) };
        // SAFETY: the bench keeps one ring at a time and lets it reuse slots only between rounds.
        unsafe { Ring::new(&self.slots, &self.write.0, &self.read.0, doorbell) }.expect("a power of two")
    }

    fn drain(&self) {
        self.read.0.store(self.write.0.load(Ordering::Relaxed), Ordering::Release);
    }
}

fn page() -> &'static AtomicU64 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new page, wherever there is room.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, kind, -1, 0) };
    assert_ne!(page, libc::MAP_FAILED);
    // SAFETY: mapped for ever.
    unsafe { AtomicU64::from_ptr(page.cast()) }
}

fn packet(n: u64) -> KernelDispatch {
    KernelDispatch::new(KernelObject::new(0x1040).expect("aligned"), Geometry::one(256, 64).expect("valid"))
        .with_kernarg(Kernarg::new(0x1000 + (n & 0xff) * 16).expect("aligned"))
        .with_control(Control::SYSTEM)
}

/// A bound's store of one packet: 60 bytes, then the header, what `published` does, the fence and the doorbell.
#[inline]
fn raw_submit(memory: &Memory, id: u64, packet: &Packet, published: impl FnOnce()) {
    let slot = memory.slots.as_ptr().wrapping_add(id as usize & (SLOTS - 1)).cast::<u32>().cast_mut();
    let source = std::ptr::from_ref(packet).cast::<u32>();
    // SAFETY: slot and packet are 64 bytes; each id is written by one thread; the header goes last.
    unsafe {
        std::ptr::copy_nonoverlapping(source.add(1), slot.add(1), 15);
        (*slot.cast::<AtomicU32>()).store(*source, Ordering::Release);
    }
    published();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: no operands.
    unsafe {
        std::arch::asm!("sfence", options(nostack, preserves_flags));
    }
    memory.doorbell.store(id, Ordering::Relaxed);
}

/// `threads` threads, each calling `submit` for its share of `packets`, in rounds of one ring.
fn rounds(memory: &Memory, threads: u64, packets: u64, submit: impl Fn(u64) + Sync) -> Duration {
    let share = SLOTS as u64 / threads;
    let count = packets.div_ceil(share * threads);
    let barrier = Barrier::new(threads as usize);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..count {
                    if barrier.wait().is_leader() {
                        memory.drain();
                    }
                    barrier.wait();
                    for n in 0..share {
                        submit(n);
                    }
                }
            });
        }
    });
    // The rounds run a whole number of rings; scale to what was asked.
    started.elapsed().mul_f64(packets as f64 / (count * share * threads) as f64)
}

fn one(c: &mut Criterion) {
    let mut group = c.benchmark_group("1 producer");
    let memory = Memory::new();
    group.bench_function("reference bound of one", |b| {
        b.iter_custom(|packets| {
            memory.drain();
            let started = Instant::now();
            let mut next = memory.write.0.load(Ordering::Relaxed);
            for n in 0..packets {
                next += 1;
                let publish = || memory.write.0.store(next, Ordering::Release);
                raw_submit(&memory, next - 1, black_box(packet(n).as_ref()), publish);
            }
            started.elapsed()
        });
    });
    group.bench_function("reference bound of many", |b| {
        b.iter_custom(|packets| {
            memory.drain();
            let started = Instant::now();
            for n in 0..packets {
                let id = memory.write.0.fetch_add(1, Ordering::Relaxed);
                raw_submit(&memory, id, black_box(packet(n).as_ref()), || ());
            }
            started.elapsed()
        });
    });
    group.bench_function("aql single", |b| {
        memory.drain();
        let mut producer = memory.ring().single_producer();
        b.iter_custom(|packets| {
            let started = Instant::now();
            for n in 0..packets {
                if (n as usize).is_multiple_of(SLOTS / 2) {
                    memory.drain();
                }
                // SAFETY: nobody follows the packet's addresses.
                unsafe { producer.try_submit(black_box(&packet(n))) }.expect("drained");
            }
            started.elapsed()
        });
    });
    group.bench_function("aql multi", |b| {
        memory.drain();
        let producer = memory.ring().multi_producer().expect("multi");
        b.iter_custom(|packets| {
            let started = Instant::now();
            for n in 0..packets {
                if (n as usize).is_multiple_of(SLOTS / 2) {
                    memory.drain();
                }
                // SAFETY: nobody follows the packet's addresses.
                unsafe { producer.try_submit(black_box(&packet(n))) }.expect("drained");
            }
            started.elapsed()
        });
    });
    group.finish();
}

fn several(c: &mut Criterion) {
    for threads in [2u64, 4] {
        let mut group = c.benchmark_group(format!("{threads} producers"));
        let memory = Memory::new();
        group.bench_function("reference bound of many", |b| {
            b.iter_custom(|packets| {
                rounds(&memory, threads, packets, |n| {
                    let id = memory.write.0.fetch_add(1, Ordering::Relaxed);
                    raw_submit(&memory, id, black_box(packet(n).as_ref()), || ());
                })
            });
        });
        memory.drain();
        let producer = memory.ring().multi_producer().expect("multi");
        group.bench_function("aql multi", |b| {
            b.iter_custom(|packets| {
                rounds(&memory, threads, packets, |n| {
                    // SAFETY: as above.
                    unsafe { producer.try_submit(black_box(&packet(n))) }.expect("a ring a round");
                })
            });
        });
        group.finish();
    }
}

mod groups {
    #![allow(missing_docs, reason = "criterion's macro makes a public function")]
    use super::*;
    criterion_group! {
        name = benches;
        config = Criterion::default().measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(500)).sample_size(30);
        targets = one, several
    }
}
use groups::benches;
criterion_main!(benches);
