//! The pieces of work that a queue was given: how many, and which signals they have.

use std::sync::Arc;

use crate::Ticket;
use crate::queues::progress::{Link, QueueState};

/// Pieces of work in the order in which they were submitted, which is that in which they are done. The queue counts them in a signal.
#[derive(Debug)]
pub(crate) struct Submitted {
    pub state: Arc<QueueState>,
    count: u64,
    /// The queue's state has signals of work that is not known to be done.
    linked: bool,
}

impl Submitted {
    /// Of a new queue.
    pub fn new(state: Arc<QueueState>) -> Submitted {
        Submitted { state, count: 0, linked: false }
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

    /// Lets go of the signals of work that is done.
    #[inline]
    pub fn settle(&mut self) {
        if self.linked {
            self.linked = self.state.unlink(self.state.done());
        }
    }

    /// Notes the piece of work that was just submitted, and keeps its signals. Returns its number.
    #[inline]
    pub fn note(&mut self, links: &[Link<'_>]) -> u64 {
        let number = self.count;
        if !links.is_empty() {
            self.state.link(number, links);
            self.linked = true;
        }
        self.count += 1;
        self.state.note_submitted(self.count);
        number
    }

    /// After the queue was destroyed: nothing runs any more, and what was not done never will be.
    pub fn abandon(&mut self) {
        self.settle();
        self.state.end();
        if self.done() < self.count {
            self.state.abandon();
        }
    }

    /// Never lets go of the signals: the queue could not be destroyed.
    pub fn forget(&mut self) {
        std::mem::forget(self.state.clone());
    }
}
