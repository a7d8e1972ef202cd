//! One value that owns a queue's memory and submits to it, as a driver client's queue does. Under Miri these are tests
//! of [`Ring::new`]'s contract: no reference into the memory may be used, or be protected, when it goes.
#![cfg(not(aql_loom))]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aql::*;

const SLOTS: usize = 8;

/// What a driver maps: pages for the ring, the indices and a doorbell, known by address only.
struct Mapping(NonNull<u8>);

/// Where things are in the mapping, in bytes.
const WRITE_INDEX: usize = SLOTS * PACKET_BYTES;
const READ_INDEX: usize = WRITE_INDEX + 64;
const DOORBELL: usize = READ_INDEX + 64;
const LAYOUT: Layout = match Layout::from_size_align(4096, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("a page"),
};

impl Mapping {
    fn new() -> Mapping {
        // SAFETY: not 0 bytes.
        let start = NonNull::new(unsafe { alloc(LAYOUT) }).unwrap_or_else(|| handle_alloc_error(LAYOUT));
        // SAFETY: fresh memory that is large enough; zeroed first, as a driver's is.
        unsafe {
            start.write_bytes(0, LAYOUT.size());
            for slot in 0..SLOTS {
                start.cast::<Slot>().add(slot).write(Slot::empty());
            }
        }
        Mapping(start)
    }

    /// # Safety
    /// `'q` is over, or what was made of the ring is not used any more, when the mapping goes. One ring at a time.
    unsafe fn ring<'q, D: Doorbell>(&self, doorbell: D) -> Ring<'q, D> {
        // SAFETY: all are inside the mapping and aligned; nobody else writes them, and slots are empty or held by a
        // packet.
        unsafe {
            let slots = std::slice::from_raw_parts(self.0.cast::<Slot>().as_ptr(), SLOTS);
            let write_index = AtomicU64::from_ptr(self.0.add(WRITE_INDEX).cast().as_ptr());
            let read_index = AtomicU64::from_ptr(self.0.add(READ_INDEX).cast().as_ptr());
            Ring::new(slots, write_index, read_index, doorbell).expect("8 slots")
        }
    }

    fn doorbell(&self) -> MmioDoorbell {
        // SAFETY: inside the mapping and aligned; rung by one thread at a time.
        unsafe { MmioDoorbell::new(self.0.add(DOORBELL).cast()) }
    }

    fn word(&self, offset: usize) -> u64 {
        // SAFETY: inside the mapping; the test's only thread then.
        unsafe { self.0.add(offset).cast::<u64>().read() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: from `alloc`.
        unsafe { dealloc(self.0.as_ptr(), LAYOUT) };
    }
}

// SAFETY: memory that any thread may use; it is accessed by the ring's atomics.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

fn packet() -> BarrierAnd {
    BarrierAnd::new([None; 5])
}

/// A queue that lends a producer: the borrow says how long, and nothing refers to itself.
struct Lending(Mapping);

impl Lending {
    fn producer(&mut self) -> SingleProducer<'_, MmioDoorbell> {
        // SAFETY: the exclusive borrow lasts as long as the producer.
        unsafe { self.0.ring(self.0.doorbell()) }.single_producer()
    }
}

#[test]
fn a_queue_lends_producers_one_after_another() {
    let mut queue = Lending(Mapping::new());
    for id in 0..3 {
        let mut producer = queue.producer();
        // SAFETY: the packet names nothing.
        assert_eq!(unsafe { producer.try_submit(&packet()) }, Ok(id), "each goes on where the last one stopped");
    }
    assert_eq!((queue.0.word(WRITE_INDEX), queue.0.word(DOORBELL)), (3, 2));
    std::thread::spawn(move || drop(queue)).join().expect("drop");
}

/// A queue that keeps the producer of many, for all who share the queue.
struct Shared {
    /// Before the memory, so that it is dropped first. The doorbell is a function: several threads may not store to one
    /// word as they do to a register.
    producer: MultiProducer<'static, fn(u64)>,
    memory: Mapping,
}

/// The highest id that a doorbell of [`Shared`] got.
static RUNG: AtomicU64 = AtomicU64::new(0);

impl Shared {
    fn new() -> Shared {
        let memory = Mapping::new();
        // SAFETY: the producer is dropped before the memory, and lent by shared reference only, so that nobody can take
        // it out.
        let ring = unsafe { memory.ring((|id| _ = RUNG.fetch_max(id, Ordering::Relaxed)) as fn(u64)) };
        Shared { producer: ring.multi_producer().expect("for many"), memory }
    }

    /// Gives the memory back in a call that has the whole value as its argument.
    fn close(self) -> (u64, u64) {
        let indices = (self.memory.word(WRITE_INDEX), self.memory.word(READ_INDEX));
        drop(self);
        indices
    }
}

#[test]
fn a_queue_keeps_the_producer_that_threads_share() {
    let queue = Arc::new(Shared::new());
    let threads = [(); 2].map(|()| {
        let queue = Arc::clone(&queue);
        std::thread::spawn(move || {
            for _ in 0..3 {
                // SAFETY: the packet names nothing.
                unsafe { queue.producer.try_submit(&packet()) }.expect("room for six");
            }
        })
    });
    for thread in threads {
        thread.join().expect("a producer");
    }
    assert_eq!((queue.producer.in_flight(), RUNG.load(Ordering::Relaxed)), (6, 5));
    let queue = Arc::into_inner(queue).expect("the threads are done");
    assert_eq!(queue.close(), (6, 0));
}
