//! The other side of a ring, in software: for agent queues, emulators and tests.

use core::fmt;

use crate::ring::Slot;
use crate::sync::{AtomicU64, Ordering};
use crate::{Doorbell, PACKET_BYTES, Packet, PacketType, Ring, RingError};

/// A queue's memory, owned: `N` slots and both indices.
pub struct SoftQueue<const N: usize> {
    slots: [Slot; N],
    write_index: AtomicU64,
    read_index: AtomicU64,
}

impl<const N: usize> fmt::Debug for SoftQueue<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SoftQueue").field("slots", &N).finish_non_exhaustive()
    }
}

impl<const N: usize> Default for SoftQueue<N> {
    fn default() -> Self {
        SoftQueue::new()
    }
}

impl<const N: usize> SoftQueue<N> {
    /// An empty queue.
    pub fn new() -> Self {
        SoftQueue {
            slots: core::array::from_fn(|_| Slot::empty()),
            write_index: AtomicU64::new(0),
            read_index: AtomicU64::new(0),
        }
    }

    /// Both ends. The exclusive borrow makes sure that there is one of each.
    ///
    /// # Errors
    /// [`RingError::Size`] when `N` is not a power of two.
    pub fn split<D: Doorbell>(&mut self, doorbell: D) -> Result<(Ring<'_, D>, Consumer<'_>), RingError> {
        let SoftQueue { slots, write_index, read_index } = self;
        let consumer = Consumer { slots, next: read_index.load(Ordering::Relaxed), read_index };
        // SAFETY: the only ring over this memory while the borrow lasts, and `Consumer` keeps the protocol.
        let ring = unsafe { Ring::new(slots, write_index, read_index, doorbell) }?;
        Ok((ring, consumer))
    }
}

/// Takes packets out of a ring, as a packet processor does.
pub struct Consumer<'q> {
    slots: &'q [Slot],
    next: u64,
    read_index: &'q AtomicU64,
}

impl fmt::Debug for Consumer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Consumer<'_> {
    /// The next packet's id and bytes (little-endian fields), if it is there; does not wait. Its slot is free for
    /// producers afterwards.
    pub fn take(&mut self) -> Option<(u64, [u8; PACKET_BYTES])> {
        let id = self.next;
        let slot = &self.slots[id as usize & (self.slots.len() - 1)];
        // Acquire: with a valid type comes the whole body. Counterpart: the producer's release store of the header in
        // `Ring::write`.
        let head = slot.head.load(Ordering::Acquire);
        if head as u8 == PacketType::Invalid as u8 {
            return None;
        }
        // SAFETY: a valid type gives the slot to the consumer until it moves the read index.
        let body = slot.body.with(|body| unsafe { body.read() });
        // Relaxed: the release store below publishes it.
        slot.head.store(Slot::EMPTY, Ordering::Relaxed);
        self.next = id + 1;
        // Release: body read and type INVALID before a producer may write the slot again. Counterpart: the producers'
        // acquiring loads of the read index in `reserve`.
        self.read_index.store(self.next, Ordering::Release);
        Some((id, Packet { head, body }.to_bytes()))
    }
}
