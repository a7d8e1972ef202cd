//! Work that was submitted.

use std::marker::PhantomData;

use crate::typed::in_flight::InFlight;
use crate::{Error, Result, Ticket};

/// Work that was submitted. It borrows its buffers until its last use, which is to wait for it; dropping it does not end the work.
#[derive(Debug)]
#[must_use = "buffers are the host's again when the work has been waited for"]
pub struct Pending<'b> {
    /// The number of its queue in this process.
    queue: u64,
    number: u64,
    buffers: PhantomData<&'b mut ()>,
}

impl Pending<'_> {
    pub(crate) fn new<'b>(in_flight: &InFlight, number: u64) -> Pending<'b> {
        Pending { queue: in_flight.state.id, number, buffers: PhantomData }
    }

    /// The number of the piece of work in `in_flight`.
    pub(crate) fn number_in(&self, in_flight: &InFlight) -> Result<u64> {
        if self.queue == in_flight.state.id { Ok(self.number) } else { Err(Error::OtherQueue) }
    }

    /// The same for whoever asks.
    pub(crate) fn ticket_in(&self, in_flight: &InFlight) -> Result<Ticket> {
        Ok(Ticket::new(&in_flight.state, self.number_in(in_flight)?))
    }
}
