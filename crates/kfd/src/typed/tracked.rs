//! A raw queue of either kind, with what its work keeps alive.

use crate::raw::{RawQueue, Submitted};
use crate::typed::in_flight::InFlight;
use crate::typed::queue::Pending;
use crate::{Result, Ticket, Wait};

/// What the typed queues have in common.
#[derive(Debug)]
pub(crate) struct Tracked<Q: RawQueue> {
    pub raw: Q,
    pub in_flight: InFlight,
}

impl<Q: RawQueue> Tracked<Q> {
    /// A new queue, with at most `capacity` pieces of work at a time, a power of two.
    pub fn new(raw: Q, capacity: usize) -> Tracked<Q> {
        let in_flight = InFlight::new(raw.submitted().ticket(0), capacity);
        Tracked { raw, in_flight }
    }

    #[inline]
    pub fn submitted(&self) -> &Submitted {
        self.raw.submitted()
    }

    /// Begins to put a piece of work together.
    #[inline]
    pub fn begin(&mut self) -> Result<()> {
        self.raw.begin()?;
        self.in_flight.unstage();
        // Each time: whoever waited by a signal or a ticket has not asked the queue, and may want the memory.
        self.retire();
        Ok(())
    }

    /// Refuses a piece of work for which there is no room in the table.
    #[inline]
    pub fn check_room(&self) -> Result<()> {
        if self.in_flight.has_room(self.submitted().count()) { Ok(()) } else { Err(self.raw.full()) }
    }

    /// Submits a piece of work that needs no memory, if any.
    pub fn submit_without_memory(&mut self, submit: impl FnOnce(&mut Q) -> Result<()>) -> Result<()> {
        self.begin()?;
        self.check_room()?;
        let before = self.submitted().count();
        submit(&mut self.raw)?;
        if self.submitted().count() != before {
            self.in_flight.note(before, 0);
        }
        Ok(())
    }

    /// The piece of work of this number.
    pub fn pending<'b>(&self, number: u64) -> Pending<'b> {
        Pending::of(self.submitted().queue(), number)
    }

    pub fn is_done(&self, pending: &Pending<'_>) -> bool {
        pending.number_in(self.submitted()).is_ok_and(|number| self.submitted().done() > number)
    }

    pub fn ticket(&self, pending: &Pending<'_>) -> Result<Ticket> {
        Ok(self.submitted().ticket(pending.number_in(self.submitted())?))
    }

    pub fn wait(&mut self, pending: &Pending<'_>, wait: Wait) -> Result<()> {
        let number = pending.number_in(self.submitted())?;
        self.wait_until(number + 1, wait)
    }

    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.submitted().count(), wait)
    }

    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.submitted().half(), wait)
    }

    /// Waits until `count` pieces of work are done, and lets go of what they needed.
    fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()> {
        self.raw.wait_until(count, wait)?;
        self.retire();
        Ok(())
    }

    /// Lets go of what work that is done needed.
    #[inline]
    pub fn retire(&mut self) {
        self.in_flight.retire(self.raw.submitted().done());
    }
}

impl<Q: RawQueue> Drop for Tracked<Q> {
    fn drop(&mut self) {
        if !self.raw.end() {
            // Nothing that it uses is given back.
            self.in_flight.forget();
        }
    }
}
