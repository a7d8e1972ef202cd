//! Rings: what the consumer gets, full queues, batches, many producers.
#![cfg(not(loom))]

use std::collections::BTreeSet;
use std::mem::offset_of;
use std::ops::{ControlFlow, Deref, Range};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use aql::*;

fn numbered(n: u64) -> Packet {
    AgentDispatch::new(0x8000, [n, !n, n << 7, 1]).into()
}

fn number(bytes: &[u8; 64]) -> u64 {
    match Decoded::from_bytes(bytes) {
        Ok(Decoded::AgentDispatch(packet)) => {
            let [n, not, shifted, one] = packet.args();
            assert_eq!((not, shifted, one), (!n, n << 7, 1), "a torn packet");
            n
        }
        other => panic!("{other:?}"),
    }
}

/// Submits packet `n` with one producer.
fn submit_alone<D: Doorbell>(producer: &mut SingleProducer<'_, D>, n: u64) -> Result<u64, SubmitError> {
    // SAFETY: four numbers for an agent; the packet names nothing.
    unsafe { producer.try_submit(&numbered(n)) }
}

/// Submits packet `n` as one producer of many.
fn submit<D: Doorbell>(producer: &MultiProducer<'_, D>, n: u64) -> Result<u64, SubmitError> {
    // SAFETY: as above.
    unsafe { producer.try_submit(&numbered(n)) }
}

/// Submits these packets as one producer of many.
fn submit_all<D: Doorbell>(producer: &MultiProducer<'_, D>, packets: &[Packet]) -> Result<Range<u64>, SubmitError> {
    // SAFETY: as above, each.
    unsafe { producer.try_submit_all(packets) }
}

/// Seen in a published crate: the write index moved before the check, so a refused packet left a slot that nobody ever filled.
#[test]
fn a_full_queue_consumes_no_slot() {
    let mut queue = SoftQueue::<4>::new();
    let rings = AtomicU64::new(0);
    let (ring, mut gpu) = queue.split(|_| _ = rings.fetch_add(1, Ordering::Relaxed)).expect("split");
    let producer = ring.multi_producer().expect("multi");
    for n in 0..4 {
        assert_eq!(submit(&producer, n), Ok(n));
    }
    for _ in 0..3 {
        assert_eq!(submit(&producer, 99), Err(SubmitError::Full { capacity: 4, free: 0 }));
    }
    assert_eq!(rings.load(Ordering::Relaxed), 4, "no doorbell for a refused packet");
    assert_eq!(number(&gpu.take().expect("packet 0").1), 0);
    assert_eq!(submit(&producer, 4), Ok(4), "the next id, not one lost to the refusals");
    assert_eq!((1..5).map(|_| number(&gpu.take().expect("no gap").1)).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(gpu.take().is_none());
}

#[test]
fn a_full_queue_consumes_no_slot_with_one_producer() {
    let mut queue = SoftQueue::<2>::new();
    let (ring, mut gpu) = queue.split(|_| ()).expect("split");
    let mut producer = ring.single_producer();
    // SAFETY: the packets name nothing.
    assert_eq!(unsafe { producer.try_submit_all(&[numbered(0), numbered(1)]) }, Ok(0..2));
    assert_eq!(submit_alone(&mut producer, 9), Err(SubmitError::Full { capacity: 2, free: 0 }));
    gpu.take().expect("packet 0");
    // SAFETY: as above.
    let error = unsafe { producer.try_submit_all(&[numbered(9), numbered(9)]) }.expect_err("one slot is not two");
    assert_eq!(error, SubmitError::Full { capacity: 2, free: 1 });
    assert_eq!(submit_alone(&mut producer, 2), Ok(2));
    assert_eq!([number(&gpu.take().expect("1").1), number(&gpu.take().expect("2").1)], [1, 2]);
    assert!(gpu.take().is_none());
}

/// Seen in a published crate: its queue for several producers asked the runtime for `HSA_QUEUE_TYPE_SINGLE`.
#[test]
fn several_producers_on_a_single_producer_queue_are_refused() {
    let queue = FakeAmdQueue::new(1, -1);
    assert_eq!(queue.ring().expect("ring").multi_producer().err(), Some(RingError::SingleProducerQueue));
    queue.ring().expect("ring").single_producer();
    FakeAmdQueue::new(0, -1).ring().expect("ring").multi_producer().expect("HSA_QUEUE_TYPE_MULTI");
}

#[test]
fn a_batch_rings_once_and_fits_or_fails() {
    let mut queue = SoftQueue::<8>::new();
    let doorbell = std::sync::Mutex::new(Vec::new());
    let (ring, mut gpu) = queue.split(|id| doorbell.lock().expect("lock").push(id)).expect("split");
    let producer = ring.multi_producer().expect("multi");
    let batch: Vec<_> = (0..5).map(numbered).collect();
    assert_eq!(submit_all(&producer, &batch), Ok(0..5));
    assert_eq!(submit_all(&producer, &[]), Ok(5..5));
    assert_eq!(submit_all(&producer, &batch), Err(SubmitError::Full { capacity: 8, free: 3 }));
    let nine = [numbered(0); 9];
    assert_eq!(submit_all(&producer, &nine), Err(SubmitError::BatchTooLarge { capacity: 8, packets: 9 }));
    assert_eq!(*doorbell.lock().expect("lock"), [4]);
    assert_eq!(std::iter::from_fn(|| gpu.take()).map(|(_, bytes)| number(&bytes)).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}

#[test]
fn waiting_is_the_callers_choice() {
    let mut queue = SoftQueue::<1>::new();
    let (ring, gpu) = queue.split(|_| ()).expect("split");
    let gpu = std::cell::RefCell::new(gpu);
    let mut producer = ring.single_producer();
    // SAFETY: the packets name nothing, here and below.
    assert_eq!(unsafe { producer.submit(&numbered(0), || panic!("not full")) }, Ok(0));
    // SAFETY: as above.
    assert!(unsafe { producer.submit(&numbered(1), || ControlFlow::Break(())) }.is_err());
    let taken = || {
        gpu.borrow_mut().take();
        ControlFlow::Continue(())
    };
    // SAFETY: as above.
    assert_eq!(unsafe { producer.submit(&numbered(1), taken) }, Ok(1));
}

#[test]
fn a_ring_of_no_power_of_two_is_refused() {
    assert_eq!(SoftQueue::<3>::new().split(|_| ()).err(), Some(RingError::Size { slots: 3 }));
    assert_eq!(SoftQueue::<0>::new().split(|_| ()).err(), Some(RingError::Size { slots: 0 }));
}

#[test]
fn many_producers_lose_and_tear_nothing() {
    const PRODUCERS: u64 = 4;
    let each: u64 = if cfg!(miri) { 20 } else { 20_000 };
    let mut queue = SoftQueue::<16>::new();
    let (ring, mut gpu) = queue.split(|_| ()).expect("split");
    let producer = ring.multi_producer().expect("multi");
    let mut seen = BTreeSet::new();
    std::thread::scope(|scope| {
        for thread in 0..PRODUCERS {
            let producer = &producer;
            scope.spawn(move || {
                for n in 0..each {
                    let packet = numbered(thread * each + n);
                    let wait = || {
                        std::thread::yield_now();
                        ControlFlow::Continue(())
                    };
                    // SAFETY: the packet names nothing.
                    unsafe { producer.submit(&packet, wait) }.expect("waits for ever");
                }
            });
        }
        let mut last = vec![None; PRODUCERS as usize];
        while seen.len() < (PRODUCERS * each) as usize {
            let Some((_, bytes)) = gpu.take() else {
                std::thread::yield_now();
                continue;
            };
            let n = number(&bytes);
            let thread = (n / each) as usize;
            assert!(last[thread] < Some(n), "order within a thread");
            last[thread] = Some(n);
            assert!(seen.insert(n), "twice");
        }
    });
    assert_eq!(gpu.take(), None);
    assert_eq!(producer.in_flight(), 0);
}

/// An `amd_queue_t`, its `amd_signal_t`, ring and doorbell, laid out by the offsets of AMD's headers. Addresses in it are integers, as in
/// the runtime's: under Miri they are pointers only to who takes them for exposed.
#[repr(C, align(64))]
struct AmdMemory {
    queue: [AtomicU64; 32],
    signal: [AtomicU64; 8],
    slots: [Slot; 4],
    doorbell: AtomicU64,
}

/// The runtime's side: memory behind a raw pointer.
struct FakeAmdQueue(NonNull<AmdMemory>);

impl FakeAmdQueue {
    fn new(queue_type: u64, signal_kind: i64) -> FakeAmdQueue {
        let memory = Box::new(AmdMemory {
            queue: Default::default(),
            signal: Default::default(),
            slots: std::array::from_fn(|_| Slot::empty()),
            doorbell: AtomicU64::new(u64::MAX),
        });
        let fake = FakeAmdQueue(NonNull::from(Box::leak(memory)));
        let address = fake.0.as_ptr().expose_provenance();
        let address_of = |offset: usize| (address + offset) as u64;
        fake.queue[0].store(queue_type, Ordering::Relaxed);
        fake.queue[1].store(address_of(offset_of!(AmdMemory, slots)), Ordering::Relaxed);
        fake.queue[2].store(address_of(offset_of!(AmdMemory, signal)), Ordering::Relaxed);
        fake.queue[3].store(4, Ordering::Relaxed);
        fake.signal[0].store(signal_kind as u64, Ordering::Relaxed);
        fake.signal[1].store(address_of(offset_of!(AmdMemory, doorbell)), Ordering::Relaxed);
        fake
    }

    fn ring(&self) -> Result<Ring<'_, MmioDoorbell>, RingError> {
        // SAFETY: a raw pointer to all of a queue laid out like the runtime's, alive as long as the borrow; the tests keep one producer.
        unsafe { Ring::from_amd_queue(self.0.cast()) }
    }
}

impl Deref for FakeAmdQueue {
    type Target = AmdMemory;

    fn deref(&self) -> &AmdMemory {
        // SAFETY: alive until drop, and made of atomics and slots.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for FakeAmdQueue {
    fn drop(&mut self) {
        // SAFETY: from `Box::leak`; rings borrow the queue, so none is left.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

#[test]
fn submits_into_an_amd_queue() {
    let queue = FakeAmdQueue::new(0, -1);
    let producer = queue.ring().expect("ring").multi_producer().expect("multi");
    assert_eq!(submit(&producer, 7), Ok(0));
    assert_eq!(submit(&producer, 8), Ok(1));
    assert_eq!(queue.queue[7].load(Ordering::Relaxed), 2, "write_dispatch_id at 0x38");
    assert_eq!(queue.doorbell.load(Ordering::Relaxed), 1, "id of the last packet");
    // SAFETY: slots are 64 bytes of initialised memory, and nobody writes now.
    let bytes = unsafe { std::slice::from_raw_parts((&raw const queue.slots).cast::<[u8; 64]>(), 4) };
    assert_eq!((number(&bytes[0]), number(&bytes[1]), bytes[2][0]), (7, 8, PacketType::Invalid as u8));
    queue.queue[16].store(2, Ordering::Release); // read_dispatch_id at 0x80
    assert_eq!(producer.in_flight(), 0);
}

#[test]
fn unusable_queues_are_errors() {
    let legacy = FakeAmdQueue::new(0, -2).ring().expect_err("gfx8 doorbell");
    assert!(legacy.to_string().contains("AMD_SIGNAL_KIND_DOORBELL"), "{legacy}");
    let refused = |change: &dyn Fn(&FakeAmdQueue)| {
        let queue = FakeAmdQueue::new(0, -1);
        change(&queue);
        queue.ring().expect_err("refused").to_string()
    };
    let broken = |word: usize, value: u64| refused(&|fake| fake.queue[word].store(value, Ordering::Relaxed));
    assert_eq!(broken(1, 0), "base_address of the queue is 0x0, must be not null and aligned to 64 bytes");
    assert_eq!(broken(1, 0x1020), "base_address of the queue is 0x1020, must be not null and aligned to 64 bytes");
    assert_eq!(broken(2, 0), "doorbell_signal of the queue is 0x0, must be an amd_signal_t");
    assert_eq!(broken(2, 0x1020), "doorbell_signal of the queue is 0x1020, must be an amd_signal_t");
    assert_eq!(broken(3, 5), "a ring has a power of two of slots, not 5");
    assert_eq!(broken(3, 0), "a ring has a power of two of slots, not 0");
    for doorbell in [0, 0x1004] {
        let error = refused(&|fake| fake.signal[1].store(doorbell, Ordering::Relaxed));
        assert!(error.starts_with(&format!("hardware_doorbell_ptr of the queue is {doorbell:#x}, must be")), "{error}");
    }
}
