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
    /// Read index as last seen, at first the least it can be: never ahead of the real one.
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
        let read = next.wrapping_sub(ring.capacity());
        SingleProducer { ring, next, read }
    }

    /// Submits a packet and rings the doorbell. Returns the packet's id.
    ///
    /// # Safety
    /// From now on, and until it is done with the packet, the packet processor uses what the packet names: a kernel and
    /// its arguments, signals, commands, a return address. So each of them is what the packet calls it, can be used by
    /// this packet processor, and lasts and is left alone that long. The kernel gets the arguments and the private and
    /// group segments that it was compiled for; it, or the commands, touch only memory that they may, and no other code
    /// touches that memory at the same time in a way that is a data race.
    ///
    /// A packet that names nothing, such as a barrier without signals, has nothing to promise.
    ///
    /// # Errors
    /// [`SubmitError::Full`] or [`SubmitError::Indices`]; nothing has changed then.
    #[inline]
    pub unsafe fn try_submit(&mut self, packet: &impl AsRef<Packet>) -> Result<u64, SubmitError> {
        let packet = packet.as_ref();
        let ids = self.reserve(1)?;
        // SAFETY: `reserve` found the slot free, and this is the only producer.
        unsafe { self.ring.write(ids.start, packet) };
        self.publish(ids.end);
        Ok(ids.start)
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
        let ids = self.reserve(len)?;
        // SAFETY: `reserve` found these slots free, and this is the only producer.
        unsafe { self.ring.write_all(ids.clone(), packets) };
        if !ids.is_empty() {
            self.publish(ids.end);
        }
        Ok(ids)
    }

    /// As [`try_submit_all`](Self::try_submit_all), with one packet more behind them.
    ///
    /// # Safety
    /// Each packet as in [`try_submit`](Self::try_submit).
    ///
    /// # Errors
    /// [`SubmitError`]; nothing has changed then.
    pub unsafe fn try_submit_all_and(&mut self, packets: &[Packet], last: &Packet) -> Result<Range<u64>, SubmitError> {
        let len = self.ring.batch_len(packets.len().saturating_add(1))?;
        let ids = self.reserve(len)?;
        // SAFETY: `reserve` found these slots free, and this is the only producer.
        unsafe {
            self.ring.write_all(ids.start..ids.end - 1, packets);
            self.ring.write(ids.end - 1, last);
        }
        self.publish(ids.end);
        Ok(ids)
    }

    /// Submits a packet; while the queue is full calls `on_full`, which waits in its own way or gives up with `Break`.
    ///
    /// # Safety
    /// As of [`try_submit`](Self::try_submit).
    ///
    /// # Errors
    /// [`SubmitError::Full`] after `Break`; [`SubmitError::Indices`] at once, without a call of `on_full`.
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
        self.next.saturating_sub(self.ring.read_index.load(Ordering::Relaxed))
    }

    /// Slots in the ring.
    pub fn capacity(&self) -> u64 {
        self.ring.capacity()
    }

    /// The ids of `len` packets (at most the capacity), whose slots are free.
    #[inline]
    fn reserve(&mut self, len: u64) -> Result<Range<u64>, SubmitError> {
        if self.next.wrapping_sub(self.read) > self.ring.capacity() - len {
            self.refresh(len)?;
        }
        match self.next.checked_add(len) {
            Some(end) => Ok(self.next..end),
            None => Err(SubmitError::Indices { write: self.next, read: self.read }),
        }
    }

    #[cold]
    fn refresh(&mut self, len: u64) -> Result<(), SubmitError> {
        // Acquire: the packet processor is done with every slot below. Counterpart: its release store of the read index
        // (`Consumer::take` here; the command processor's write of read_dispatch_id).
        let read = self.ring.read_index.load(Ordering::Acquire);
        match self.next.checked_sub(read) {
            Some(in_flight) if in_flight <= self.ring.capacity() - len => {
                self.read = read;
                Ok(())
            }
            _ => Err(self.ring.refusal(self.next, read)),
        }
    }

    #[inline]
    fn publish(&mut self, next: u64) {
        self.next = next;
        // Release: who reads the write index finds the packets below it. Counterpart: the packet processor's load of
        // the write index, which on AMD may happen before the doorbell arrives.
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
            Err(SubmitError::Full { .. }) if on_full().is_continue() => {}
            outcome => return outcome,
        }
    }
}

/// Submits from any number of threads through a shared reference: made by [`Ring::multi_producer`].
pub struct MultiProducer<'q, D> {
    ring: Ring<'q, D>,
    /// Read index as some producer last saw it, at first the least it can be: never ahead of the real one. Kept,
    /// because the packet processor writes the real one after every packet, so that loading it costs a cache miss.
    read: AtomicU64,
}

impl<D> fmt::Debug for MultiProducer<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MultiProducer").field("ring", &self.ring).finish()
    }
}

impl<'q, D: Doorbell> MultiProducer<'q, D> {
    pub(crate) fn new(ring: Ring<'q, D>) -> Self {
        // Relaxed: `reserve` looks again.
        let write = ring.write_index.load(Ordering::Relaxed);
        MultiProducer { read: AtomicU64::new(write.wrapping_sub(ring.capacity())), ring }
    }

    /// Submits a packet and rings the doorbell. Returns the packet's id.
    ///
    /// # Safety
    /// As of [`SingleProducer::try_submit`].
    ///
    /// # Errors
    /// [`SubmitError::Full`] or [`SubmitError::Indices`]; no slot was taken then.
    #[inline]
    pub unsafe fn try_submit(&self, packet: &impl AsRef<Packet>) -> Result<u64, SubmitError> {
        // Before there is a slot that has to be filled: the conversion is the caller's, and may panic.
        let packet = packet.as_ref();
        let id = self.reserve(1)?.start;
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
        let ids = self.reserve(len)?;
        // SAFETY: `reserve` gave these slots to this call alone.
        unsafe { self.ring.write_all(ids.clone(), packets) };
        self.ring.doorbell.ring(ids.end - 1);
        Ok(ids)
    }

    /// Submits a packet; while the queue is full calls `on_full`, which waits in its own way or gives up with `Break`.
    ///
    /// # Safety
    /// As of [`SingleProducer::try_submit`].
    ///
    /// # Errors
    /// [`SubmitError::Full`] after `Break`; [`SubmitError::Indices`] at once, without a call of `on_full`.
    pub unsafe fn submit(
        &self,
        packet: &impl AsRef<Packet>,
        on_full: impl FnMut() -> ControlFlow<()>,
    ) -> Result<u64, SubmitError> {
        // SAFETY: the caller's promise.
        until_there_is_room(|| unsafe { self.try_submit(packet) }, on_full)
    }

    /// Packets reserved and not yet taken by the packet processor; while others submit, at least as many as there were
    /// at some moment of the call.
    pub fn in_flight(&self) -> u64 {
        // Read index first, and Acquire so that it stays first: it only grows towards the write index. Both may go on
        // between the loads, which can only make the difference too large.
        let read = self.ring.read_index.load(Ordering::Acquire);
        self.ring.write_index.load(Ordering::Relaxed).saturating_sub(read).min(self.capacity())
    }

    /// Slots in the ring.
    pub fn capacity(&self) -> u64 {
        self.ring.capacity()
    }

    /// Takes `len` slots (at most the capacity), or none. An unconditional add would never have to be repeated, but a
    /// full queue would then own a slot that nobody fills, and the packet processor would wait there for ever.
    #[inline]
    fn reserve(&self, len: u64) -> Result<Range<u64>, SubmitError> {
        let most_in_flight = self.ring.capacity() - len;
        // Acquire: the packet processor is done with every slot below. Counterpart: the release store in `refresh`, of
        // a value that the storing producer acquired. Loaded before the write index, so that it is never ahead of it: a
        // read index that others moved meanwhile would make a ring with room look broken.
        let mut read = self.read.load(Ordering::Acquire);
        // Acquire: with the write index comes the read index that made room for it, so that one loaded later is at most
        // a ring behind. Counterpart: the exchange below. Packets are published by their headers, not by this.
        let mut write = self.ring.write_index.load(Ordering::Acquire);
        loop {
            if write.wrapping_sub(read) > most_in_flight {
                (write, read) = self.refresh(write, read)?;
                continue;
            }
            let end = write.checked_add(len).ok_or(SubmitError::Indices { write, read })?;
            match self.ring.write_index.compare_exchange_weak(write, end, Ordering::Release, Ordering::Acquire) {
                Ok(first) => return Ok(first..end),
                Err(moved) => write = moved,
            }
        }
    }

    /// Write and read index now, if the read index went on since it was `seen`, before `write` was loaded. Full or
    /// broken is believed only when it did not: then the two were true at the same time.
    #[cold]
    fn refresh(&self, write: u64, seen: u64) -> Result<(u64, u64), SubmitError> {
        // Acquire: the packet processor is done with every slot below. Counterpart: its release store of the read index
        // (`Consumer::take` here; the command processor's write of read_dispatch_id).
        let read = self.ring.read_index.load(Ordering::Acquire);
        // Wrapping: what is seen at first may be below 0. A read index that goes back, which no working queue has, must
        // not keep this going.
        if read.wrapping_sub(seen).cast_signed() <= 0 {
            return Err(self.ring.refusal(write, read));
        }
        // Loaded after the read index, so not behind it: who published those packets had reserved them before.
        // Acquire: as in `reserve`.
        let write = self.ring.write_index.load(Ordering::Acquire);
        if read > write {
            return Err(SubmitError::Indices { write, read });
        }
        // Release: hands on what was acquired. Counterpart: the load in `reserve`. A store that is late may replace a
        // newer value by an older one, which only makes somebody come here again.
        self.read.store(read, Ordering::Release);
        Ok((write, read))
    }
}

#[cfg(all(test, aql_loom))]
mod tests {
    use loom::thread;

    use super::*;
    use crate::ring::Slot;
    use crate::{BarrierAnd, SoftQueue};

    /// Like a packet processor that sees the write index before its doorbell.
    #[test]
    fn who_reads_the_write_index_finds_the_packets_below_it() {
        loom::model(|| {
            let queue: &'static mut SoftQueue<2> = Box::leak(Box::new(SoftQueue::new()));
            let (ring, _) = queue.split(|_| ()).expect("split");
            let (slots, write_index) = (ring.slots, ring.write_index);
            let mut producer = ring.single_producer();
            let packets = [BarrierAnd::new([None; 5]).into(); 2];
            // SAFETY: the packets name nothing.
            let thread = thread::spawn(move || unsafe { producer.try_submit_all(&packets) });
            let written = write_index.load(Ordering::Acquire);
            for slot in &slots[..written as usize] {
                // Relaxed: it is the write index that has to bring the packet.
                assert_ne!(slot.head.load(Ordering::Relaxed), Slot::EMPTY, "below write index {written}");
            }
            thread.join().expect("producer").expect("an empty ring");
        });
    }
}
