//! Submitting packets.

use core::fmt;
use core::ops::{ControlFlow, Range};

use crate::sync::{AtomicU64, Ordering};
use crate::{Doorbell, Packet, Ring, SubmitError};

/// Submits from one thread at a time: made by [`Ring::single_producer`].
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
    /// # Safety
    /// From now on, and until it is done with the packet, the packet processor uses what the packet names: a kernel and its arguments,
    /// signals, commands, a return address. So each of them is what the packet calls it, can be used by this packet processor, and
    /// lasts and is left alone that long. The kernel gets the arguments and the private and group segments that it was
    /// compiled for; it, or the commands, touch only memory that they may, and no other code touches that memory at the same time in a way
    /// that is a data race.
    ///
    /// A packet that names nothing, such as a barrier without signals, has nothing to promise.
    ///
    /// # Errors
    /// [`SubmitError::Full`]; nothing has changed then.
    #[inline]
    pub unsafe fn try_submit(&mut self, packet: &impl AsRef<Packet>) -> Result<u64, SubmitError> {
        let packet = packet.as_ref();
        let id = self.reserve(1)?;
        // SAFETY: `reserve` found slot `id` free, and this is the only producer.
        unsafe { self.ring.write(id, packet) };
        self.publish(id + 1);
        Ok(id)
    }

    /// Submits all packets or none, in order, with one doorbell. Returns their ids.
    ///
    /// # Safety
    /// Each packet as in [`try_submit`](Self::try_submit).
    ///
    /// # Errors
    /// [`SubmitError`]; nothing has changed then.
    pub unsafe fn try_submit_all(&mut self, packets: &[Packet]) -> Result<Range<u64>, SubmitError> {
        let len = self.ring.batch_len(packets.len())?;
        let first = self.reserve(len)?;
        // SAFETY: `reserve` found slots first..first + len free, and this is the only producer.
        unsafe { self.ring.write_all(first, packets) };
        if len != 0 {
            self.publish(first + len);
        }
        Ok(first..first + len)
    }

    /// Submits a packet; while the queue is full calls `on_full`, which waits in its own way or gives up with `Break`.
    ///
    /// # Safety
    /// As of [`try_submit`](Self::try_submit).
    ///
    /// # Errors
    /// [`SubmitError::Full`] after `Break`.
    pub unsafe fn submit(
        &mut self,
        packet: &impl AsRef<Packet>,
        on_full: impl FnMut() -> ControlFlow<()>,
    ) -> Result<u64, SubmitError> {
        // SAFETY: the caller's promise.
        until_there_is_room(|| unsafe { self.try_submit(packet) }, on_full)
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

fn until_there_is_room(
    mut submit: impl FnMut() -> Result<u64, SubmitError>,
    mut on_full: impl FnMut() -> ControlFlow<()>,
) -> Result<u64, SubmitError> {
    loop {
        match submit() {
            Err(error) if on_full().is_break() => return Err(error),
            Err(_) => {}
            submitted => return submitted,
        }
    }
}

/// Submits from any number of threads through a shared reference: made by [`Ring::multi_producer`].
pub struct MultiProducer<'q, D> {
    ring: Ring<'q, D>,
    /// Read index as some producer last saw it: never ahead of the real one. Kept, because the packet processor writes the real one
    /// after every packet, so that loading it costs a cache miss.
    read: AtomicU64,
}

impl<D> fmt::Debug for MultiProducer<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MultiProducer").field("ring", &self.ring).finish()
    }
}

impl<'q, D: Doorbell> MultiProducer<'q, D> {
    pub(crate) fn new(ring: Ring<'q, D>) -> Self {
        // Acquire: as in `refresh`.
        let read = AtomicU64::new(ring.read_index.load(Ordering::Acquire));
        MultiProducer { ring, read }
    }

    /// Submits a packet and rings the doorbell. Returns the packet's id.
    ///
    /// # Safety
    /// As of [`SingleProducer::try_submit`].
    ///
    /// # Errors
    /// [`SubmitError::Full`]; no slot was taken then.
    #[inline]
    pub unsafe fn try_submit(&self, packet: &impl AsRef<Packet>) -> Result<u64, SubmitError> {
        // Before there is a slot that has to be filled: the conversion is the caller's, and may panic.
        let packet = packet.as_ref();
        let id = self.reserve(1)?;
        // SAFETY: `reserve` gave slot `id` to this call alone.
        unsafe { self.ring.write(id, packet) };
        self.ring.doorbell.ring(id);
        Ok(id)
    }

    /// Submits all packets or none, contiguous and in order, with one doorbell. Returns their ids.
    ///
    /// # Safety
    /// Each packet as in [`SingleProducer::try_submit`].
    ///
    /// # Errors
    /// [`SubmitError`]; no slot was taken then.
    pub unsafe fn try_submit_all(&self, packets: &[Packet]) -> Result<Range<u64>, SubmitError> {
        let len = self.ring.batch_len(packets.len())?;
        if len == 0 {
            let next = self.ring.write_index.load(Ordering::Relaxed);
            return Ok(next..next);
        }
        let first = self.reserve(len)?;
        // SAFETY: `reserve` gave slots first..first + len to this call alone.
        unsafe { self.ring.write_all(first, packets) };
        self.ring.doorbell.ring(first + len - 1);
        Ok(first..first + len)
    }

    /// Submits a packet; while the queue is full calls `on_full`, which waits in its own way or gives up with `Break`.
    ///
    /// # Safety
    /// As of [`SingleProducer::try_submit`].
    ///
    /// # Errors
    /// [`SubmitError::Full`] after `Break`.
    pub unsafe fn submit(
        &self,
        packet: &impl AsRef<Packet>,
        on_full: impl FnMut() -> ControlFlow<()>,
    ) -> Result<u64, SubmitError> {
        // SAFETY: the caller's promise.
        until_there_is_room(|| unsafe { self.try_submit(packet) }, on_full)
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

    /// Takes `len` slots (at most the capacity), or none. An unconditional add would never have to be repeated, but a full queue would
    /// then own a slot that nobody fills, and the packet processor would wait there for ever.
    #[inline]
    fn reserve(&self, len: u64) -> Result<u64, SubmitError> {
        let most_in_flight = self.ring.capacity() - len;
        // Acquire: the packet processor is done with every slot below. Counterpart: the release store in `refresh`, of a value that the
        // storing producer acquired. Loaded before the write index, so that it can only be too small, which errs towards full.
        let mut read = self.read.load(Ordering::Acquire);
        // Relaxed: the write index guards nothing but itself; packets are published by their headers.
        let mut write = self.ring.write_index.load(Ordering::Relaxed);
        loop {
            if write.wrapping_sub(read) > most_in_flight {
                read = self.refresh(write, read)?;
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

    /// The read index now, if it is not what it was: full is believed only when it stands still.
    #[cold]
    fn refresh(&self, write: u64, seen: u64) -> Result<u64, SubmitError> {
        // Acquire: the packet processor is done with every slot below. Counterpart: its release store of the read index
        // (`Consumer::take` here; the command processor's write of read_dispatch_id).
        let read = self.ring.read_index.load(Ordering::Acquire);
        if read == seen {
            let capacity = self.ring.capacity();
            return Err(SubmitError::Full { capacity, free: capacity.saturating_sub(write.wrapping_sub(read)) });
        }
        // Release: hands on what was acquired. Counterpart: the load in `reserve`. A store that is late may replace a newer value by an
        // older one, which only makes somebody come here again.
        self.read.store(read, Ordering::Release);
        Ok(read)
    }
}
