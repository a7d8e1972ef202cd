//! The ring of packets that producers and the packet processor share.

use core::fmt;
use core::ops::Range;

use crate::packet::Body;
use crate::sync::{AtomicU32, AtomicU64, Ordering, UnsafeCell};
use crate::{Doorbell, MultiProducer, Packet, PacketType, SingleProducer};

/// Place of one packet. 64 bytes laid out like a packet; a queue's memory may be cast to a slice of slots.
#[repr(C, align(64))]
pub struct Slot {
    /// Header and the 16 bits after it. The packet belongs to the producer while the type is `INVALID`, else to the
    /// packet processor.
    pub(crate) head: AtomicU32,
    pub(crate) body: UnsafeCell<Body>,
}

#[cfg(not(aql_loom))]
const _: () = assert!(size_of::<Slot>() == crate::PACKET_BYTES && align_of::<Slot>() == crate::PACKET_BYTES);

// SAFETY: `body` is accessed by one side at a time: by the producer that reserved the slot until its release store of
// `head`, then by the consumer that acquired `head` until its release store of the read index (see `write` and
// `Consumer::take`).
unsafe impl Sync for Slot {}

impl Slot {
    /// Header of an empty slot.
    pub(crate) const EMPTY: u32 = PacketType::Invalid as u32;

    /// An empty slot.
    #[cfg(not(aql_loom))]
    pub const fn empty() -> Slot {
        Slot { head: AtomicU32::new(Slot::EMPTY), body: UnsafeCell::new(Body([0; 15])) }
    }

    /// An empty slot.
    #[cfg(aql_loom)]
    pub fn empty() -> Slot {
        Slot { head: AtomicU32::new(Slot::EMPTY), body: UnsafeCell::new(Body([0; 15])) }
    }
}

/// Why packets were not submitted. No slot was taken: the queue is as before.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubmitError {
    /// Not enough free slots now. Try again when the packet processor has consumed some.
    Full {
        /// Slots in the ring.
        capacity: u64,
        /// Slots that were free.
        free: u64,
    },
    /// More packets than the ring has slots: splitting is the only way.
    BatchTooLarge {
        /// Slots in the ring.
        capacity: u64,
        /// Packets in the batch.
        packets: usize,
    },
    /// No working queue has these indices: the read index is ahead of the write index or goes back, more packets are in
    /// flight than there are slots, or ids would go past 64 bits. Something else than producers and packet processor
    /// wrote them.
    Indices {
        /// The write index, in packets.
        write: u64,
        /// The read index, in packets.
        read: u64,
    },
}

impl fmt::Display for SubmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SubmitError::Full { capacity, free } => write!(
                f,
                "queue full: {free} of {capacity} slots free; submit again when the packet processor has consumed some"
            ),
            SubmitError::BatchTooLarge { capacity, packets } => {
                write!(f, "a batch of {packets} packets cannot fit a queue of {capacity}; submit it in parts")
            }
            SubmitError::Indices { write, read } => write!(
                f,
                "the queue is broken: no queue has write index {write:#x} and read index {read:#x}; use another queue"
            ),
        }
    }
}

impl core::error::Error for SubmitError {}

crate::debug_is_display!(SubmitError);

/// A queue that no ring can be made of.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RingError {
    /// The number of slots is not a power of two.
    Size {
        /// Slots.
        slots: usize,
    },
    /// The queue was created for one producer (`HSA_QUEUE_TYPE_SINGLE`).
    SingleProducerQueue,
    /// A field of the runtime's queue has a value that cannot be used.
    Queue {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// What it must be.
        expected: &'static str,
    },
}

impl fmt::Display for RingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RingError::Size { slots } => write!(f, "a ring has a power of two of slots, not {slots}"),
            RingError::SingleProducerQueue => f.write_str(
                "the queue was created with HSA_QUEUE_TYPE_SINGLE; create it with HSA_QUEUE_TYPE_MULTI for several producers",
            ),
            RingError::Queue { field, value, expected } => write!(f, "{field} of the queue is {value:#x}, must be {expected}"),
        }
    }
}

impl core::error::Error for RingError {}

crate::debug_is_display!(RingError);

/// A queue's ring, indices and doorbell. Becomes a [`SingleProducer`] or a [`MultiProducer`], which submit.
///
/// All three can be sent to another thread if the doorbell can, and a [`MultiProducer`] can be shared by threads if the
/// doorbell can.
pub struct Ring<'q, D> {
    pub(crate) slots: &'q [Slot],
    /// Slots minus one. Kept: recomputing it from the slice costs a bounds check per packet.
    mask: u64,
    pub(crate) write_index: &'q AtomicU64,
    pub(crate) read_index: &'q AtomicU64,
    pub(crate) doorbell: D,
    /// Set for a queue that its creator promised to feed from one thread at a time.
    pub(crate) single_only: bool,
}

impl<D> fmt::Debug for Ring<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").field("slots", &self.slots.len()).finish_non_exhaustive()
    }
}

impl<'q, D: Doorbell> Ring<'q, D> {
    /// A ring over this memory. For a queue of AMD's runtime use [`Ring::from_amd_queue`]; for memory of one's own,
    /// [`SoftQueue::split`](crate::SoftQueue::split) is safe.
    ///
    /// # Safety
    /// Nobody else writes packets into `slots` or moves `write_index`, and the packet processor keeps HSA's protocol:
    /// it reads a slot only while its type is not `INVALID`, then makes it `INVALID`, and only after that moves
    /// `read_index` past it. Every slot that is free now has the type `INVALID` (zeroed memory has not: 0 is
    /// `VENDOR_SPECIFIC`), and the two indices say which are free.
    ///
    /// `slots` is ordinary (write-back) memory. In write-combining memory, which a GPU's own is to the host, the header
    /// may arrive before the rest of the packet: release ordering is not for such memory.
    ///
    /// The packet processor goes on reading the memory after `'q`. Whoever gives the memory back stops it before.
    ///
    /// Nothing is promised here about packets: whoever submits one answers for what it names
    /// ([`SingleProducer::try_submit`]). So the ring, or a producer made of it, can be handed to other code.
    ///
    /// # An owner of the memory
    /// A queue that owns its memory (mapped from a driver, for instance) can lend producers by a function that takes
    /// `&mut self`: each starts where the last one stopped. Or it keeps one in a field. References made from raw
    /// pointers have any lifetime, so the field is of `Ring<'static, D>` or its producer; then these promises are the
    /// owner's: it is dropped before the memory, and stays inside. A [`MultiProducer`] may be lent as `&`. A
    /// [`SingleProducer`] may not be lent as `&mut`: safe code could swap those of two queues.
    ///
    /// # Errors
    /// [`RingError::Size`] when the number of slots is not a power of two.
    pub unsafe fn new(
        slots: &'q [Slot],
        write_index: &'q AtomicU64,
        read_index: &'q AtomicU64,
        doorbell: D,
    ) -> Result<Ring<'q, D>, RingError> {
        if !slots.len().is_power_of_two() {
            return Err(RingError::Size { slots: slots.len() });
        }
        Ok(Ring { slots, mask: slots.len() as u64 - 1, write_index, read_index, doorbell, single_only: false })
    }

    /// For submitting from one thread at a time: no read-modify-write, and the read index is looked at only when the
    /// ring seems full.
    pub fn single_producer(self) -> SingleProducer<'q, D> {
        SingleProducer::new(self)
    }

    /// For submitting from many threads.
    ///
    /// # Errors
    /// [`RingError::SingleProducerQueue`]
    pub fn multi_producer(self) -> Result<MultiProducer<'q, D>, RingError> {
        if self.single_only { Err(RingError::SingleProducerQueue) } else { Ok(MultiProducer::new(self)) }
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.mask + 1
    }

    /// What one of the producers is told that finds less than it wants between these indices, which it read while they
    /// stood still.
    #[cold]
    pub(crate) fn refusal(&self, write: u64, read: u64) -> SubmitError {
        let capacity = self.capacity();
        match write.checked_sub(read) {
            Some(in_flight) if in_flight <= capacity => SubmitError::Full { capacity, free: capacity - in_flight },
            _ => SubmitError::Indices { write, read },
        }
    }

    /// `packets` as an index distance, if they can fit at all.
    pub(crate) fn batch_len(&self, packets: usize) -> Result<u64, SubmitError> {
        let len = packets as u64;
        if len > self.capacity() {
            return Err(SubmitError::BatchTooLarge { capacity: self.capacity(), packets });
        }
        Ok(len)
    }

    /// Hands packet `id` to the packet processor.
    ///
    /// # Safety
    /// The caller reserved `id`: it is below the write index it advanced or will advance, the slot was seen free
    /// through the read index, and nobody else writes it.
    #[inline]
    pub(crate) unsafe fn write(&self, id: u64, packet: &Packet) {
        // SAFETY: masked with slots - 1.
        let slot = unsafe { self.slots.get_unchecked((id & self.mask) as usize) };
        // SAFETY: the slot is this producer's alone by the contract above.
        slot.body.with_mut(|body| unsafe { body.write(packet.body) });
        // Release: the body is complete before the type stops being INVALID. Counterpart: the packet processor's
        // acquiring load of the header (`Consumer::take` here; on the GPU the command processor's fetch of the slot).
        // Header and setup go in one 32-bit store so that no valid type is ever seen with an old setup.
        slot.head.store(packet.head, Ordering::Release);
    }

    /// Hands packets to the packet processor, in order, as those with these ids.
    ///
    /// # Safety
    /// As of [`write`](Self::write), for each.
    #[inline]
    pub(crate) unsafe fn write_all(&self, ids: Range<u64>, packets: &[Packet]) {
        for (id, packet) in ids.zip(packets) {
            // SAFETY: the caller's promise.
            unsafe { self.write(id, packet) };
        }
    }
}
