//! What a compute queue waits for on the GPU, and what it signals.

use aql::{BarrierAnd, BarrierValue, Condition, Control, Packet};

use super::Queue;
use crate::queues::progress::Link;
use crate::{Result, Signal, Ticket};

impl Queue {
    /// Makes the queue wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// [`Error::Abandoned`](crate::Error::Abandoned) for a signal that a dropped queue was to complete, until it is set; [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Stopped`](crate::Error::Stopped),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        signals.iter().try_for_each(|signal| signal.check_awaitable(Condition::Eq, 0))?;
        for five in signals.chunks(Queue::SIGNALS) {
            let handle = |index: usize| five.get(index).map(|signal| signal.handle());
            let packet = BarrierAnd::new(std::array::from_fn(handle)).with_control(Control::SYSTEM);
            self.put_with(packet.into(), five.iter().map(|signal| (*signal, Link::Awaits(Condition::Eq, 0))))?;
        }
        Ok(())
    }

    /// Makes the queue wait until the signal's value compares so with `value`, before whatever is submitted next: `Condition::Gte` for at least this value.
    ///
    /// Completion signals of packets only count down. Values that go up are set by the host ([`Signal::set`]), by kernels and engines
    /// ([`Signal::value_address`]).
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for).
    pub fn wait_for_value(&mut self, signal: &Signal, condition: Condition, value: i64) -> Result<()> {
        signal.check_awaitable(condition, value)?;
        let packet = BarrierValue::new(signal.handle(), condition, value).with_control(Control::SYSTEM);
        self.put_with(packet.into(), [(signal, Link::Awaits(condition, value))].into_iter())
    }

    /// Makes the queue wait until work of another queue is done, before whatever is submitted next. The other may be of any kind and device.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Abandoned`](crate::Error::Abandoned) when the other queue was dropped before the work was done.
    pub fn wait_for_work(&mut self, ticket: &Ticket) -> Result<()> {
        let counter = ticket.counter();
        counter.check_fork()?;
        if ticket.is_of(self.submitted.state.id) || !ticket.is_to_come()? {
            return Ok(());
        }
        // It counts down from 0.
        let below = (ticket.number() as i64).wrapping_neg();
        let packet = BarrierValue::new(counter.handle(), Condition::Lt, below).with_control(Control::SYSTEM);
        self.put_with(packet.into(), [(counter, Link::AwaitsWork(ticket.number()))].into_iter())
    }

    /// Decrements the signal when everything that was submitted before is done.
    ///
    /// # Errors
    /// [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Stopped`](crate::Error::Stopped), [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn signal(&mut self, signal: &Signal) -> Result<()> {
        signal.check_fork()?;
        let packet = BarrierAnd::NOP.with_control(Control::SYSTEM).with_completion(signal.handle());
        self.put_with(packet.into(), [(signal, Link::Completes)].into_iter())
    }

    /// Submits a packet that names nothing but these signals.
    fn put_with<'a>(&mut self, packet: Packet, links: impl Iterator<Item = (&'a Signal, Link)>) -> Result<()> {
        self.begin()?;
        links.for_each(|(signal, link)| self.submitted.link(signal, link));
        // SAFETY: the queue keeps the signals until the packet is done.
        unsafe { self.hand_over(&[packet]) }.inspect_err(|_| self.submitted.unlink())?;
        Ok(())
    }
}
