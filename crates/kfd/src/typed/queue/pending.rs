//! Work that was submitted.

use std::marker::PhantomData;

use crate::raw::Submitted;
use crate::{Error, Result};

/// Work that was submitted. It borrows its buffers until its last use, which is to wait for it; dropping it does not
/// end the work.
///
/// Who keeps work in a struct beside its buffers takes its [`Ticket`](crate::Ticket)
/// ([`Queue::ticket`](crate::Queue::ticket)), which borrows nothing:
/// ```no_run
/// # use kfd::*;
/// struct Upload {
///     values: Buffer<f32>,
///     done: Ticket,
/// }
///
/// fn upload(queue: &mut SdmaQueue, from: &Buffer<f32>, mut values: Buffer<f32>) -> Result<Upload> {
///     let work = queue.copy(from, 0, &mut values, 0, from.len())?;
///     let done = queue.ticket(&work)?;
///     Ok(Upload { values, done })
/// }
/// ```
/// The buffer refuses slices until the work is done, whoever knows of it.
#[derive(Debug)]
#[must_use = "buffers are the host's again when the work has been waited for"]
pub struct Pending<'b> {
    /// The number of its queue in this process.
    queue: u64,
    number: u64,
    buffers: PhantomData<&'b mut ()>,
}

impl Pending<'_> {
    /// That of this number in the queue of that number.
    pub(crate) fn of<'b>(queue: u64, number: u64) -> Pending<'b> {
        Pending { queue, number, buffers: PhantomData }
    }

    /// The number of the piece of work among those of its queue.
    pub(crate) fn number_in(&self, submitted: &Submitted) -> Result<u64> {
        if self.queue == submitted.queue() { Ok(self.number) } else { Err(Error::OtherQueue) }
    }
}
