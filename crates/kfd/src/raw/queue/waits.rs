//! Barriers of a compute queue: waits for signals and for other work, and signals to complete.

use aql::{BarrierAnd, BarrierValue, Condition, Control, Packet};

use smallvec::SmallVec;

use super::Queue;
use crate::queues::progress::SignalLink;
use crate::raw::submitted::RawQueue;
use crate::{Result, Signal, Ticket};

impl Queue {
    /// Makes the queue wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// [`Error::Abandoned`](crate::Error::Abandoned) for a signal that a dropped queue was to complete, until it is
    /// set; [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Stopped`](crate::Error::Stopped),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        signals.iter().try_for_each(|signal| signal.check_awaitable(Condition::Eq, 0))?;
        for five in signals.chunks(Queue::SIGNALS) {
            let handle = |index: usize| five.get(index).map(|signal| signal.handle());
            let packet = BarrierAnd::new(std::array::from_fn(handle)).with_control(Control::SYSTEM);
            let links: SmallVec<[SignalLink<'_>; Queue::SIGNALS]> =
                five.iter().map(|signal| SignalLink::awaits(signal, Condition::Eq, 0)).collect();
            self.put_with(packet.into(), &links)?;
        }
        Ok(())
    }

    /// Makes the queue wait until the signal's value compares so with `value`, before whatever is submitted next:
    /// `Condition::Gte` for at least this value.
    ///
    /// Completion signals of packets only count down. Values that go up are set by the host ([`Signal::set`]), by
    /// kernels and engines ([`Signal::value_address`]).
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for).
    pub fn wait_for_value(&mut self, signal: &Signal, condition: Condition, value: i64) -> Result<()> {
        signal.check_awaitable(condition, value)?;
        let packet = BarrierValue::new(signal.handle(), condition, value).with_control(Control::SYSTEM);
        self.put_with(packet.into(), &[SignalLink::awaits(signal, condition, value)])
    }

    /// Makes the queue wait until the work is done, before whatever is submitted next, which then sees what the work
    /// stored, whatever its own fences are. The work may be of another queue, of any kind and device, or of this one.
    ///
    /// A barrier-value packet, if the work is another queue's and not done: see [waiting](Self#waiting).
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Abandoned`](crate::Error::Abandoned) when the other queue was
    /// dropped before the work was done.
    pub fn wait_for_work(&mut self, ticket: &Ticket) -> Result<()> {
        if self.put_wait_for_work(ticket)? {
            return Ok(());
        }
        self.put_with(BarrierAnd::NOP.with_control(Control::SYSTEM).into(), &[])
    }

    /// Orders whatever is submitted next behind the work, and no more: for packets that begin with the barrier bit and
    /// an acquire fence of system scope themselves. Takes a packet only if the work is another queue's and not done.
    /// [`wait_for_work`](Self::wait_for_work) is for all others.
    ///
    /// # Errors
    /// As of [`wait_for_work`](Self::wait_for_work).
    pub fn order_after(&mut self, ticket: &Ticket) -> Result<()> {
        self.put_wait_for_work(ticket).map(drop)
    }

    /// Submits the packet that waits for another queue's work, if that is not done. Whether there was one.
    fn put_wait_for_work(&mut self, ticket: &Ticket) -> Result<bool> {
        let counter = ticket.counter();
        counter.check_fork()?;
        if ticket.is_of(self.submitted.state.id) || !ticket.is_to_come()? {
            return Ok(false);
        }
        // It counts down from 0.
        let below = (ticket.number() as i64).wrapping_neg();
        let packet = BarrierValue::new(counter.handle(), Condition::Lt, below).with_control(Control::SYSTEM);
        self.put_with(packet.into(), &[SignalLink::awaits_work(counter, ticket.number())])?;
        Ok(true)
    }

    /// Decrements the signal when everything that was submitted before is done.
    ///
    /// # Errors
    /// [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Stopped`](crate::Error::Stopped),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn signal(&mut self, signal: &Signal) -> Result<()> {
        signal.check_fork()?;
        let packet = BarrierAnd::NOP.with_control(Control::SYSTEM).with_completion(signal.handle());
        self.put_with(packet.into(), &[SignalLink::completes(signal)])
    }

    /// Submits a packet that names nothing but these signals.
    fn put_with(&mut self, packet: Packet, links: &[SignalLink<'_>]) -> Result<()> {
        self.begin()?;
        // SAFETY: the queue keeps the signals until the packet is done.
        unsafe { self.hand_over(&[packet], links) }.map(drop)
    }
}
