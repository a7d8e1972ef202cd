//! The part that queues of both kinds share: submitted and completed work, waits of the host, and the end of a queue.

use std::sync::Arc;

use crate::queues::device::Gpu;
use crate::queues::progress::{QueueState, SignalLink, done};
use crate::queues::wait::until;
use crate::{Device, Error, Result, Signal, Ticket, Wait};

/// Pieces of work in the order in which they were submitted, which is that in which they are done. The queue counts
/// them in a signal.
#[derive(Debug)]
pub(crate) struct Submitted {
    pub state: Arc<QueueState>,
    count: u64,
    /// The queue's state has signals of work that is not known to be done.
    linked: bool,
    /// Interrupts the host when the queue reaches what a sleeping thread put there.
    wake: Signal,
    /// How often one did.
    wakes: u64,
    /// The queue was ended.
    ended: bool,
}

impl Submitted {
    /// Of a new queue.
    pub fn new(state: Arc<QueueState>) -> Result<Submitted> {
        let wake = Signal::new(Device(state.gpu()), 0)?;
        Ok(Submitted { state, count: 0, linked: false, wake, wakes: 0, ended: false })
    }

    pub fn gpu(&self) -> &'static Gpu {
        self.state.gpu()
    }

    /// The number of the queue in this process.
    #[inline]
    pub fn queue(&self) -> u64 {
        self.state.id
    }

    /// Pieces of work that are done.
    #[inline]
    pub fn done(&self) -> u64 {
        self.state.done()
    }

    /// Pieces of work that were submitted.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether some of them are not done.
    pub fn is_busy(&self) -> bool {
        self.done() < self.count
    }

    /// How many are done when the older half of those in flight are.
    pub fn half(&self) -> u64 {
        let done = self.done();
        done + (self.count - done).div_ceil(2)
    }

    /// That of a piece of work.
    pub fn ticket(&self, number: u64) -> Ticket {
        Ticket::new(&self.state, number)
    }

    /// How many are done when that of this ticket is.
    ///
    /// # Errors
    /// [`Error::OtherQueue`]
    pub fn count_with(&self, ticket: &Ticket) -> Result<u64> {
        if ticket.is_of(self.state.id) { Ok(ticket.number() + 1) } else { Err(Error::OtherQueue) }
    }

    /// Lets go of the signals of work that is done.
    #[inline]
    pub fn settle(&mut self) {
        if self.linked {
            self.linked = self.state.unlink(self.state.done());
        }
    }

    /// Notes the piece of work that was just submitted, and keeps its signals. Returns its number.
    #[inline]
    pub fn note(&mut self, links: &[SignalLink<'_>]) -> u64 {
        let number = self.count;
        if !links.is_empty() {
            self.state.link(number, links);
            self.linked = true;
        }
        self.count += 1;
        self.state.note_submitted(self.count);
        number
    }

    /// Waits until `count` pieces of work are done. `put_wake` puts something behind all of them that completes the
    /// signal, if there is room.
    pub fn wait_until(&mut self, count: u64, wait: Wait, mut put_wake: impl FnMut(&Signal) -> bool) -> Result<()> {
        let Submitted { state, wake, wakes, .. } = self;
        let event = std::iter::once(wake.event().id);
        let wake_up = || {
            // One at a time.
            if done(wake) == *wakes && put_wake(wake) {
                *wakes += 1;
            }
            Ok(())
        };
        let trouble = || state.trouble(count);
        until(state.gpu(), wait, "work of a queue", event, wake_up, || state.done() >= count, trouble)?;
        self.settle();
        Ok(())
    }

    /// Ends the queue by `destroy`, if it has not been. That says whether nothing of it runs any more, and none of the
    /// driver's queues that it had is left. Returns whether nothing of it runs; in a child of a fork nothing did.
    pub fn end(&mut self, destroy: impl FnOnce() -> Ended) -> bool {
        let gpu = self.gpu();
        if gpu.driver.is_forked() {
            return true;
        }
        if !std::mem::replace(&mut self.ended, true) {
            match destroy() {
                Ended::Running => {
                    // Its signals are never let go of.
                    std::mem::forget(self.state.clone());
                    self.wake.forget();
                }
                Ended::Stopped { leaked } => {
                    // What was not done never will be.
                    self.settle();
                    self.state.end();
                    if self.is_busy() {
                        self.state.abandon();
                    }
                    if !leaked {
                        gpu.process.remove_queue(&self.state);
                    }
                }
            }
        }
        self.state.has_ended()
    }
}

/// What came of destroying a queue.
pub(crate) enum Ended {
    /// The driver refused: it may still run, and nothing that it uses may be given back.
    Running,
    /// Nothing of it runs.
    Stopped {
        /// An earlier queue of the driver that it had was not destroyed.
        leaked: bool,
    },
}

/// What the queues of both kinds do for the typed layer above.
pub(crate) trait RawQueue {
    fn submitted(&self) -> &Submitted;
    /// Before another piece of work: whether there can be one.
    fn begin(&mut self) -> Result<()>;
    /// Waits until `count` pieces of work are done.
    fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()>;
    /// The error for no room.
    fn full(&self) -> Error;
    /// Ends it, if it has not been. Whether nothing of it runs any more; in a child of a fork nothing did.
    fn end(&mut self) -> bool;
}
