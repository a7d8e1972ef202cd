//! Rings: what the consumer gets, full queues, batches, many producers.
#![cfg(not(aql_loom))]

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

/// Seen in a published crate: the write index moved before the check, so a refused packet left a slot that nobody ever
/// filled.
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
fn producers_know_their_queue() {
    let mut queue = SoftQueue::<4>::new();
    let (ring, mut gpu) = queue.split(|_| ()).expect("split");
    assert_eq!(format!("{ring:?} {gpu:?}"), "Ring { slots: 4, .. } Consumer { next: 0, .. }");
    let mut producer = ring.single_producer();
    submit_alone(&mut producer, 0).expect("room");
    submit_alone(&mut producer, 1).expect("room");
    assert_eq!((producer.capacity(), producer.in_flight()), (4, 2));
    assert_eq!(format!("{producer:?}"), "SingleProducer { ring: Ring { slots: 4, .. }, next: 2, .. }");
    assert_eq!(number(&gpu.take().expect("packet 0").1), 0);
    assert_eq!(producer.in_flight(), 1);

    let mut queue = SoftQueue::<4>::default();
    assert_eq!(format!("{queue:?}"), "SoftQueue { slots: 4, .. }");
    let (ring, mut gpu) = queue.split(|_| ()).expect("split");
    let producer = ring.multi_producer().expect("multi");
    submit_all(&producer, &[0, 1].map(numbered)).expect("room");
    assert_eq!((producer.capacity(), producer.in_flight()), (4, 2));
    assert_eq!(format!("{producer:?}"), "MultiProducer { ring: Ring { slots: 4, .. } }");
    assert_eq!(gpu.take().expect("packet 0").0, 0);
    assert_eq!(producer.in_flight(), 1);
}

#[test]
fn errors_say_what_to_do() {
    let full = SubmitError::Full { capacity: 4, free: 1 }.to_string();
    assert_eq!(full, "queue full: 1 of 4 slots free; submit again when the packet processor has consumed some");
    let batch = SubmitError::BatchTooLarge { capacity: 4, packets: 5 }.to_string();
    assert_eq!(batch, "a batch of 5 packets cannot fit a queue of 4; submit it in parts");
    let single = RingError::SingleProducerQueue.to_string();
    assert!(single.contains("create it with HSA_QUEUE_TYPE_MULTI"), "{single}");
}

#[test]
fn a_ring_of_no_power_of_two_is_refused() {
    assert_eq!(SoftQueue::<3>::new().split(|_| ()).err(), Some(RingError::Size { slots: 3 }));
    assert_eq!(SoftQueue::<0>::new().split(|_| ()).err(), Some(RingError::Size { slots: 0 }));
}

/// A queue whose indices the test sets, as a broken device may.
struct Memory {
    slots: [Slot; 4],
    write: AtomicU64,
    read: AtomicU64,
    doorbell: AtomicU64,
}

impl Memory {
    const QUIET: u64 = 0xdead;

    fn new(write: u64, read: u64) -> Memory {
        Memory {
            slots: std::array::from_fn(|_| Slot::empty()),
            write: AtomicU64::new(write),
            read: AtomicU64::new(read),
            doorbell: AtomicU64::new(Memory::QUIET),
        }
    }

    fn ring(&self) -> Ring<'_, impl Doorbell + '_> {
        let doorbell = |id| self.doorbell.store(id, Ordering::Relaxed);
        // SAFETY: the memory is ordinary, its slots are empty, and no packet processor reads it. The tests keep one
        // producer at a time.
        unsafe { Ring::new(&self.slots, &self.write, &self.read, doorbell) }.expect("four slots")
    }

    /// The slots that hold a packet.
    fn filled(&self) -> Vec<usize> {
        // SAFETY: slots are 64 bytes of initialised memory, and nobody writes now.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const self.slots).cast::<[u8; 64]>(), 4) };
        (0..4).filter(|&slot| bytes[slot][0] != PacketType::Invalid as u8).collect()
    }

    /// Every way to submit is refused for these indices, and nothing is changed.
    fn refuses(&self, what: impl Fn() -> [Result<u64, SubmitError>; 3]) {
        let (write, read) = (self.write.load(Ordering::Relaxed), self.read.load(Ordering::Relaxed));
        let filled = self.filled();
        assert_eq!(what(), [Err(SubmitError::Indices { write, read }); 3]);
        assert_eq!(self.write.load(Ordering::Relaxed), write, "the write index was moved");
        assert_eq!(self.filled(), filled, "a packet was written");
        assert_eq!(self.doorbell.load(Ordering::Relaxed), Memory::QUIET, "the doorbell was rung");
    }

    fn refuses_one_producer(&self) {
        self.refuses(|| {
            let mut producer = self.ring().single_producer();
            // SAFETY: the packets name nothing.
            unsafe {
                [
                    producer.try_submit(&numbered(0)),
                    producer.try_submit_all(&[numbered(0), numbered(1)]).map(|ids| ids.start),
                    producer.submit(&numbered(0), || panic!("waiting does not help")),
                ]
            }
        });
    }

    fn refuses_many_producers(&self) {
        self.refuses(|| {
            let producer = self.ring().multi_producer().expect("multi");
            // SAFETY: the packets name nothing.
            unsafe {
                [
                    producer.try_submit(&numbered(0)),
                    producer.try_submit_all(&[numbered(0), numbered(1)]).map(|ids| ids.start),
                    producer.submit(&numbered(0), || panic!("waiting does not help")),
                ]
            }
        });
    }
}

#[test]
fn indices_of_no_working_queue_are_an_error() {
    const MAX: u64 = u64::MAX;
    let broken = [
        (0, 1),
        (2, 3),
        (2, 1 << 63),
        (2, MAX - 1),
        (2, MAX),
        (9, 4),
        (1 << 63, 4),
        (MAX, 3),
        (MAX - 1, MAX),
        (MAX, MAX),
    ];
    for (write, read) in broken {
        let memory = Memory::new(write, read);
        memory.refuses_one_producer();
        memory.refuses_many_producers();
    }
    let error = SubmitError::Indices { write: 2, read: 3 }.to_string();
    assert_eq!(error, "the queue is broken: no queue has write index 0x2 and read index 0x3; use another queue");
}

#[test]
fn a_read_index_that_breaks_later_is_an_error_until_it_is_mended() {
    let memory = Memory::new(0, 0);
    let mut producer = memory.ring().single_producer();
    for id in 0..4 {
        assert_eq!(submit_alone(&mut producer, id), Ok(id));
    }
    memory.read.store(5, Ordering::Relaxed);
    assert_eq!(submit_alone(&mut producer, 4), Err(SubmitError::Indices { write: 4, read: 5 }));
    assert_eq!(producer.in_flight(), 0, "as many as the packet processor says");
    memory.read.store(1, Ordering::Relaxed);
    assert_eq!(submit_alone(&mut producer, 4), Ok(4));
    assert_eq!(submit_alone(&mut producer, 5), Err(SubmitError::Full { capacity: 4, free: 0 }));

    let memory = Memory::new(0, 0);
    let producer = memory.ring().multi_producer().expect("multi");
    for id in 0..4 {
        assert_eq!(submit(&producer, id), Ok(id));
    }
    memory.read.store(5, Ordering::Relaxed);
    assert_eq!(submit(&producer, 4), Err(SubmitError::Indices { write: 4, read: 5 }));
    assert_eq!(producer.in_flight(), 0, "as many as the packet processor says");
    memory.read.store(2, Ordering::Relaxed);
    assert_eq!(submit(&producer, 4), Ok(4));
    // Going back is noticed when the slots that were known to be free are used up.
    memory.read.store(1, Ordering::Relaxed);
    assert_eq!(submit(&producer, 5), Ok(5));
    assert_eq!(submit(&producer, 6), Err(SubmitError::Indices { write: 6, read: 1 }));
    assert_eq!(producer.in_flight(), 4, "not more than there are slots");
    assert_eq!(memory.write.load(Ordering::Relaxed), 6);
}

/// Nothing wraps: the last packets get their ids, and there is an end.
#[test]
fn ids_end_with_64_bits() {
    const START: u64 = u64::MAX - 3;
    let four = [0, 1, 2, 3].map(numbered);

    let memory = Memory::new(START, START);
    let mut producer = memory.ring().single_producer();
    // SAFETY: the packets name nothing.
    assert_eq!(unsafe { producer.try_submit_all(&four) }, Err(SubmitError::Indices { write: START, read: START }));
    // SAFETY: as above.
    assert_eq!(unsafe { producer.try_submit_all(&four[..3]) }, Ok(START..u64::MAX));
    assert_eq!(submit_alone(&mut producer, 3), Err(SubmitError::Indices { write: u64::MAX, read: START }));
    assert_eq!((memory.filled(), memory.doorbell.load(Ordering::Relaxed)), (vec![0, 1, 2], u64::MAX - 1));

    let memory = Memory::new(START, START);
    let producer = memory.ring().multi_producer().expect("multi");
    assert_eq!(submit_all(&producer, &four), Err(SubmitError::Indices { write: START, read: START }));
    assert_eq!(submit_all(&producer, &four[..3]), Ok(START..u64::MAX));
    assert_eq!(submit(&producer, 3), Err(SubmitError::Indices { write: u64::MAX, read: START }));
    assert_eq!((memory.filled(), memory.doorbell.load(Ordering::Relaxed)), (vec![0, 1, 2], u64::MAX - 1));
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

/// An `amd_queue_t`, its `amd_signal_t`, ring and doorbell, laid out by the offsets of AMD's headers. Addresses in it
/// are integers, as in the runtime's: under Miri they are pointers only to who takes them for exposed.
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
        // SAFETY: a raw pointer to all of a queue laid out like the runtime's, alive as long as the borrow; the tests
        // keep one producer.
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

/// Seen in a private client: a doubled reserved field made the packet 72 bytes, and every second packet was refused.
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
