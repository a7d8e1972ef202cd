//! Work that was submitted, as a value that any thread can ask.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::queues::progress::QueueState;
use crate::queues::wait::{Wait, until};
use crate::{Error, Result, Signal};

/// Work that was submitted, for whoever is to know when it is done: it can be copied, sent to other threads and asked
/// there, and borrows nothing. [`Queue::ticket`](crate::Queue::ticket) and the like give one, and so does each
/// submission to [`raw`](crate::raw) queues.
#[doc(alias = "fence")]
#[doc(alias = "event")]
#[doc(alias = "hipEvent_t")]
#[derive(Clone)]
pub struct Ticket {
    queue: Arc<QueueState>,
    number: u64,
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ticket").field("queue", &self.queue.id).field("number", &self.number).finish_non_exhaustive()
    }
}

impl Ticket {
    pub(crate) fn new(queue: &Arc<QueueState>, number: u64) -> Ticket {
        Ticket { queue: queue.clone(), number }
    }

    /// Whether the work is done. Makes no system call. What the work wrote is then visible.
    pub fn is_done(&self) -> bool {
        self.queue.done() > self.number
    }

    /// Whether nothing of the work runs, or will: it is done, or its queue was dropped. Memory that only this work uses
    /// may be given to others then. Of a queue that stopped, waves that were begun may still run until it is dropped.
    /// Makes no system call.
    pub fn is_over(&self) -> bool {
        self.queue.is_over(self.number + 1)
    }

    /// Whether it has to be waited for: not if it is done.
    ///
    /// # Errors
    /// [`Error::Abandoned`] if it never will be.
    pub(crate) fn is_to_come(&self) -> Result<bool> {
        // In this order: what is done between both questions is over too.
        let over = self.is_over();
        match self.is_done() {
            true => Ok(false),
            false if over => Err(Error::Abandoned),
            false => Ok(true),
        }
    }

    /// Makes this the later of the two if both are of one queue, and says whether they are.
    #[inline]
    fn advance_to(&mut self, other: &Ticket) -> bool {
        let same = self.is_of(other.queue.id);
        if same {
            self.number = self.number.max(other.number);
        }
        same
    }

    /// Waits until the work is done, and everything that was submitted to its queue before it. The buffers are the
    /// host's then, as far as they are in no other work.
    ///
    /// A thread that sleeps is not woken by the work itself, and looks again when as much time has passed as it has
    /// waited so far, and after half a second at most. [`Queue::wait`](crate::Queue::wait) and a [`Signal`] with an
    /// interrupt are woken.
    ///
    /// # Errors
    /// As of [`Queue::wait`](crate::Queue::wait).
    pub fn wait(&self, wait: Wait) -> Result<()> {
        let trouble = || self.queue.trouble(self.number + 1);
        let no_event = std::iter::once(0);
        until(self.queue.gpu(), wait, "work of a queue", no_event, || Ok(()), || self.is_done(), trouble)
    }

    /// Whether it is of the queue with this number.
    #[inline]
    pub(crate) fn is_of(&self, queue: u64) -> bool {
        self.queue.id == queue
    }

    /// The number of its work in the queue, from 0 on.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Makes it that of a later piece of work.
    #[inline]
    pub(crate) fn set_number(&mut self, number: u64) {
        self.number = number;
    }

    /// As [`is_over`](Self::is_over), for who may know already by a signal that the last of the work completes itself.
    pub(crate) fn is_over_now(&self) -> bool {
        self.queue.is_over_now(self.number + 1)
    }

    /// What counts the work of its queue down from 0.
    pub(crate) fn counter(&self) -> &Signal {
        &self.queue.counter
    }
}

/// The last ticket of each of several queues: whether all the work that was inserted is done.
///
/// A queue's work is done in order, so that one ticket stands for all before it. For memory, a graph, or whatever else
/// is used by work of several queues: insert a ticket after each submission.
///
/// ```no_run
/// use kfd::{Ticket, Tickets, Wait};
/// # fn example(first: Ticket, second: Ticket) -> kfd::Result<()> {
/// let mut users = Tickets::new();
/// users.insert(&first);
/// users.insert(&second);
/// users.wait(Wait::FOREVER)?;
/// assert!(users.are_over());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tickets(SmallVec<[Ticket; Tickets::USUAL_QUEUES]>);

impl Tickets {
    /// Queues for which there is room without allocating.
    const USUAL_QUEUES: usize = 2;

    /// No tickets.
    pub fn new() -> Tickets {
        Tickets::default()
    }

    /// Makes room for the tickets of so many queues, for which [`insert`](Self::insert) then allocates nothing. There
    /// is room for those of two from the start.
    pub fn reserve(&mut self, queues: usize) {
        self.0.reserve(queues.saturating_sub(self.0.len()));
    }

    /// Adds a ticket. It replaces an earlier one of the same queue. Those that are [done](Ticket::is_done) may be
    /// forgotten.
    #[inline]
    pub fn insert(&mut self, ticket: &Ticket) {
        if !self.0.iter_mut().any(|last| last.advance_to(ticket)) {
            self.0.retain(|last| !last.is_done());
            self.0.push(ticket.clone());
        }
    }

    /// Whether all the work is done: see [`Ticket::is_done`].
    pub fn are_done(&self) -> bool {
        self.0.iter().all(Ticket::is_done)
    }

    /// Whether nothing of the work runs, or will: see [`Ticket::is_over`].
    pub fn are_over(&self) -> bool {
        self.0.iter().all(Ticket::is_over)
    }

    /// Waits until all the work is done, for each queue as long as `wait` says.
    ///
    /// # Errors
    /// As of [`Ticket::wait`], of the first queue that has one.
    pub fn wait(&self, wait: Wait) -> Result<()> {
        self.0.iter().try_for_each(|ticket| ticket.wait(wait))
    }

    /// Forgets all of them. The room is kept.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The first whose work is not over.
    pub(crate) fn first_not_over(&self) -> Option<&Ticket> {
        self.0.iter().find(|ticket| !ticket.is_over())
    }
}
