//! Submitting packets.

use core::fmt;
use core::ops::{ControlFlow, Range};

use crate::sync::Ordering;
use crate::{Doorbell, Packet, Ring, SubmitError};

/// Submits from one thread at a time.
pub struct SingleProducer<'q, D> {
    ring: Ring<'q, D>,
    /// Next packet id; the write index follows it.
    next: u64,
    /// Read index as last seen: never ahead of the real one.
    read: u64,
}

impl<D> fmt::Debug for SingleProducer<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SingleProducer").field("ring", &self.ring).field("next", &self.next).finish_non_exhaustive()
    }
}

impl<'q, D: Doorbell> SingleProducer<'q, D> {
    pub(crate) fn new(ring: Ring<'q, D>) -> Self {
        // Relaxed: only producers move the write index, and this is the only one.
        let next = ring.write_index.load(Ordering::Relaxed);
        // Acquire: as in `reserve`.
        let read = ring.read_index.load(Ordering::Acquire);
        SingleProducer { ring, next, read }
    }

    /// Submits a packet and rings the doorbell. Returns the packet's id.
    ///
    /// # Errors
    /// [`SubmitError::Full`]; nothing has changed then.
    #[inline]
    pub fn try_submit(&mut self, packet: &impl AsRef<Packet>) -> Result<u64, SubmitError> {
        let id = self.reserve(1)?;
        // SAFETY: `reserve` found slot `id` free, and this is the only producer.
        unsafe { self.ring.write(id, packet.as_ref()) };
        self.publish(id + 1);
        Ok(id)
    }

    /// Submits all packets or none, in order, with one doorbell. Returns their ids.
    ///
    /// # Errors
    /// [`SubmitError`]; nothing has changed then.
    pub fn try_submit_all(&mut self, packets: &[Packet]) -> Result<Range<u64>, SubmitError> {
        let len = self.ring.batch_len(packets.len())?;
        let first = self.reserve(len)?;
        if len == 0 {
            return Ok(first..first);
        }
        for (id, packet) in (first..).zip(packets) {
            // SAFETY: `reserve` found slots first..first + len free, and this is the only producer.
            unsafe { self.ring.write(id, packet) };
        }
        self.publish(first + len);
        Ok(first..first + len)
    }

    /// Submits a packet; while the queue is full calls `on_full`, which waits in its own way or gives up with `Break`.
    ///
    /// # Errors
    /// [`SubmitError::Full`] after `Break`.
    pub fn submit(
        &mut self,
        packet: &impl AsRef<Packet>,
        mut on_full: impl FnMut() -> ControlFlow<()>,
    ) -> Result<u64, SubmitError> {
        loop {
            match self.try_submit(packet) {
                Err(error) if on_full().is_break() => return Err(error),
                Err(_) => {}
                submitted => return submitted,
            }
        }
    }

    /// Packets submitted and not yet taken by the packet processor.
    pub fn in_flight(&self) -> u64 {
        self.next.wrapping_sub(self.ring.read_index.load(Ordering::Relaxed))
    }

    /// Slots in the ring.
    pub fn capacity(&self) -> u64 {
        self.ring.capacity()
    }

    #[inline]
    fn reserve(&mut self, len: u64) -> Result<u64, SubmitError> {
        if self.next.wrapping_sub(self.read) + len > self.ring.capacity() {
            self.refresh(len)?;
        }
        Ok(self.next)
    }

    #[cold]
    fn refresh(&mut self, len: u64) -> Result<(), SubmitError> {
        // Acquire: the packet processor is done with every slot below. Counterpart: its release store of the read index
        // (`Consumer::take` here; the command processor's write of read_dispatch_id).
        self.read = self.ring.read_index.load(Ordering::Acquire);
        let capacity = self.ring.capacity();
        let free = capacity.saturating_sub(self.next.wrapping_sub(self.read));
        if len > free { Err(SubmitError::Full { capacity, free }) } else { Ok(()) }
    }

    #[inline]
    fn publish(&mut self, next: u64) {
        self.next = next;
        // Release: who reads the write index finds the packets below it. Counterpart: the packet processor's load of the write index,
        // which on AMD may happen before the doorbell arrives.
        self.ring.write_index.store(next, Ordering::Release);
        self.ring.doorbell.ring(next - 1);
    }
}

/// Submits from any number of threads through a shared reference.
pub struct MultiProducer<'q, D> {
    ring: Ring<'q, D>,
}

impl<D> fmt::Debug for MultiProducer<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MultiProducer").field("ring", &self.ring).finish()
    }
}

impl<'q, D: Doorbell> MultiProducer<'q, D> {
    pub(crate) fn new(ring: Ring<'q, D>) -> Self {
        MultiProducer { ring }
    }

    /// Submits a packet and rings the doorbell. Returns the packet's id.
    ///
    /// # Errors
    /// [`SubmitError::Full`]; no slot was taken then.
    #[inline]
    pub fn try_submit(&self, packet: &impl AsRef<Packet>) -> Result<u64, SubmitError> {
        let id = self.reserve(1)?;
        // SAFETY: `reserve` gave slot `id` to this call alone.
        unsafe { self.ring.write(id, packet.as_ref()) };
        self.ring.doorbell.ring(id);
        Ok(id)
    }

    /// Submits all packets or none, contiguous and in order, with one doorbell. Returns their ids.
    ///
    /// # Errors
    /// [`SubmitError`]; no slot was taken then.
    pub fn try_submit_all(&self, packets: &[Packet]) -> Result<Range<u64>, SubmitError> {
        let len = self.ring.batch_len(packets.len())?;
        if len == 0 {
            let next = self.ring.write_index.load(Ordering::Relaxed);
            return Ok(next..next);
        }
        let first = self.reserve(len)?;
        for (id, packet) in (first..).zip(packets) {
            // SAFETY: `reserve` gave slots first..first + len to this call alone.
            unsafe { self.ring.write(id, packet) };
        }
        self.ring.doorbell.ring(first + len - 1);
        Ok(first..first + len)
    }

    /// Submits a packet; while the queue is full calls `on_full`, which waits in its own way or gives up with `Break`.
    ///
    /// # Errors
    /// [`SubmitError::Full`] after `Break`.
    pub fn submit(
        &self,
        packet: &impl AsRef<Packet>,
        mut on_full: impl FnMut() -> ControlFlow<()>,
    ) -> Result<u64, SubmitError> {
        loop {
            match self.try_submit(packet) {
                Err(error) if on_full().is_break() => return Err(error),
                Err(_) => {}
                submitted => return submitted,
            }
        }
    }

    /// Packets reserved and not yet taken by the packet processor, at some moment during the call.
    pub fn in_flight(&self) -> u64 {
        // Read index first: it only grows towards the write index, so the difference cannot be negative.
        let read = self.ring.read_index.load(Ordering::Acquire);
        self.ring.write_index.load(Ordering::Relaxed).wrapping_sub(read)
    }

    /// Slots in the ring.
    pub fn capacity(&self) -> u64 {
        self.ring.capacity()
    }

    /// Takes `len` slots, or none. An unconditional add would be quicker under contention, but a full queue would then own a slot that
    /// nobody fills, and the packet processor would wait there for ever.
    #[inline]
    fn reserve(&self, len: u64) -> Result<u64, SubmitError> {
        let capacity = self.ring.capacity();
        // Acquire: the packet processor is done with every slot below. Counterpart: its release store of the read index
        // (`Consumer::take` here; the command processor's write of read_dispatch_id). Loaded before the write index, so that it can only
        // be too small, which errs towards full.
        let mut read = self.ring.read_index.load(Ordering::Acquire);
        // Relaxed: the write index guards nothing but itself; packets are published by their headers.
        let mut write = self.ring.write_index.load(Ordering::Relaxed);
        loop {
            if write.wrapping_sub(read) + len > capacity {
                // Full, or others moved the indices on since they were read: believe it only when the read index stands still.
                let again = self.ring.read_index.load(Ordering::Acquire);
                if again == read {
                    return Err(SubmitError::Full {
                        capacity,
                        free: capacity.saturating_sub(write.wrapping_sub(read)),
                    });
                }
                read = again;
                write = self.ring.write_index.load(Ordering::Relaxed);
                continue;
            }
            match self.ring.write_index.compare_exchange_weak(write, write + len, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(id) => return Ok(id),
                Err(moved) => write = moved,
            }
        }
    }
}
