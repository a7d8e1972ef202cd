//! A queue of ROCr, held so that only the producers' side of a submission is timed.
use std::ptr::NonNull;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aql::{BarrierAnd, MmioDoorbell, MultiProducer, Packet, Ring, Signal};
use hsa_sys::{Hsa, hsa_queue_t, hsa_signal_t};

/// Packets the queue holds.
pub const SLOTS: u32 = 16384;
/// Packets of a burst: the burst, and the barrier before it, fit in the queue.
const BURST: u64 = 8192;

/// A queue that several threads submit to, by the pointer that ROCr returned. It lives as long as the process.
#[derive(Clone, Copy)]
pub struct Queue(NonNull<hsa_queue_t>);

// SAFETY: HSA's queue functions may be called from any thread, and packets are stored into slots that one thread
// reserved.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

/// A queue, and a signal that stops its packet processor at a barrier packet.
pub struct Held<'g> {
    pub hsa: &'g Hsa,
    pub queue: Queue,
    gate: hsa_signal_t,
    producer: MultiProducer<'static, MmioDoorbell>,
}

impl<'g> Held<'g> {
    /// Takes a queue of [`SLOTS`] packets for several producers, and a signal of value 1.
    pub fn new(hsa: &'g Hsa, queue: NonNull<hsa_queue_t>, gate: hsa_signal_t) -> Self {
        let producer = Queue(queue).ring().multi_producer().expect("a queue for several producers");
        Held { hsa, queue: Queue(queue), gate, producer }
    }

    /// Time that `threads` threads take to submit `packets` packets in all. `producer` makes each thread's function
    /// that submits `batch` of them.
    ///
    /// The packet processor waits at a barrier during a burst and runs with the clock stopped. Bursts are whole; the
    /// time is scaled.
    pub fn time<F: FnMut()>(
        &self,
        threads: u64,
        packets: u64,
        batch: u64,
        producer: impl Fn() -> F + Sync,
    ) -> Duration {
        let share = packets.div_ceil(threads).next_multiple_of(batch).min(BURST / threads);
        let bursts = packets.div_ceil(share * threads);
        let spent: Duration = (0..bursts).map(|_| self.burst(threads, share, batch, &producer)).sum();
        spent.mul_f64(packets as f64 / (bursts * share * threads) as f64)
    }

    fn burst<F: FnMut()>(&self, threads: u64, share: u64, batch: u64, producer: &(impl Fn() -> F + Sync)) -> Duration {
        let gate = Signal::new(self.gate.handle).expect("a signal");
        let hold = BarrierAnd::new([Some(gate), None, None, None, None]);
        // SAFETY: a live signal.
        unsafe { self.producer.try_submit(&hold) }.expect("an empty queue");
        let start = Barrier::new(threads as usize);
        let run = || {
            let mut submit = producer();
            start.wait();
            let started = Instant::now();
            for _ in 0..share / batch {
                submit();
            }
            (started, Instant::now())
        };
        let times: Vec<(Instant, Instant)> = if threads == 1 {
            vec![run()]
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
                workers.into_iter().map(|worker| worker.join().expect("a producer")).collect()
            })
        };
        // From the first packet to the last, whichever threads they are of.
        let started = times.iter().map(|&(started, _)| started).min().expect("at least one producer");
        let spent = times.iter().map(|&(_, ended)| ended).max().expect("at least one producer") - started;
        assert_eq!(self.producer.in_flight(), share * threads + 1, "the barrier did not hold the burst");
        self.open();
        spent
    }

    /// Lets the packet processor run until the queue is empty, and closes the gate again.
    fn open(&self) {
        // SAFETY: a live signal.
        unsafe { self.hsa.hsa_signal_store_screlease(self.gate, 0) }.expect("hsa_signal_store_screlease");
        let started = Instant::now();
        while self.producer.in_flight() != 0 {
            assert!(started.elapsed() < Duration::from_secs(30), "the queue does not drain");
            std::thread::sleep(Duration::from_micros(100));
        }
        // SAFETY: as above.
        unsafe { self.hsa.hsa_signal_store_screlease(self.gate, 1) }.expect("hsa_signal_store_screlease");
    }
}

impl Queue {
    /// `aql`'s view of the queue.
    pub fn ring(self) -> Ring<'static, MmioDoorbell> {
        // SAFETY: a queue of ROCr that lives as long as the process. Several rings of it exist, but they submit one
        // after another.
        unsafe { Ring::from_amd_queue(self.0.cast()) }.expect("a queue of AMD's runtime")
    }

    /// What HSA's functions take.
    pub fn handle(self) -> *mut hsa_queue_t {
        self.0.as_ptr()
    }

    /// The signal that stands for the doorbell.
    #[inline]
    pub fn doorbell(self) -> hsa_signal_t {
        // SAFETY: a live queue.
        unsafe { (*self.handle()).doorbell_signal }
    }

    /// Stores a packet the way HSA asks for: 60 bytes, then header and setup with release ordering.
    #[inline]
    pub fn store(self, id: u64, packet: &Packet) {
        // SAFETY: a live queue.
        let slots = unsafe { (*self.handle()).base_address }.cast::<Packet>();
        let slot = slots.wrapping_add(id as usize & (SLOTS as usize - 1)).cast::<u32>();
        let source = std::ptr::from_ref(packet).cast::<u32>();
        // SAFETY: slot and packet are 64 bytes; each id is written by one thread, into a slot that is free.
        unsafe {
            std::ptr::copy_nonoverlapping(source.add(1), slot.add(1), 15);
            AtomicU32::from_ptr(slot).store(*source, Ordering::Release);
        }
    }
}

/// The addresses that a loop without any library stores to.
#[derive(Clone, Copy)]
pub struct Raw {
    queue: Queue,
    pub write_index: &'static AtomicU64,
    doorbell: &'static AtomicU64,
}

impl Raw {
    pub fn new(queue: Queue) -> Self {
        let signal = std::ptr::with_exposed_provenance::<*mut u64>(queue.doorbell().handle as usize);
        // SAFETY: amd_queue_t has write_dispatch_id at 0x38, amd_signal_t has hardware_doorbell_ptr at 8, mapped while
        // the queue lives; `aql` checked the queue.
        unsafe {
            let write_index = AtomicU64::from_ptr(queue.handle().byte_add(0x38).cast());
            Raw { queue, write_index, doorbell: AtomicU64::from_ptr(*signal.add(1)) }
        }
    }

    /// Packets from `first` on, what `published` does, fence and doorbell.
    #[inline]
    pub fn submit(&self, first: u64, packets: &[Packet], published: impl FnOnce()) {
        for (id, packet) in (first..).zip(packets) {
            self.queue.store(id, packet);
        }
        published();
        #[cfg(target_arch = "x86_64")]
        // SAFETY: no operands.
        unsafe {
            std::arch::asm!("sfence", options(nostack, preserves_flags));
        }
        self.doorbell.store(first + packets.len() as u64 - 1, Ordering::Relaxed);
    }
}
