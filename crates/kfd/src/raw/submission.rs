//! A submission as a value, and the room in a queue that submissions take.

use crate::queues::progress::SignalLink;

/// Packets for a [`Queue`](super::Queue), or commands for an [`SdmaQueue`](super::SdmaQueue), that are submitted
/// together: one piece of work, with the signals that it completes and waits for.
///
/// Queues do not look into packets and commands. [`with_links`](Self::with_links) says which signals these complete and
/// wait for. The queue then keeps the signals until the work is done. A wait for a signal that is to be completed ends
/// with an error when it never will be, and so does a wait for the work when a signal that it waits for never has its
/// value. Without links such waits do not end when the queue stops or is dropped.
///
/// A slice, array or vector of packets or commands is a submission without links.
///
/// # Example
/// A kernel that waits for a signal and completes another:
/// ```no_run
/// use aql::{BarrierAnd, Condition, Control, KernelDispatch};
/// use kfd::raw::{SignalLink, Queue, Submission};
/// use kfd::{Signal, Ticket};
/// # fn example(queue: &mut Queue, kernel: KernelDispatch, before: &Signal, after: &Signal) -> kfd::Result<Ticket> {
/// let barrier = BarrierAnd::new([Some(before.handle()), None, None, None, None]).with_control(Control::SYSTEM);
/// let packets = [barrier.into(), kernel.with_completion(after.handle()).into()];
/// let links = [SignalLink::awaits(before, Condition::Eq, 0), SignalLink::completes(after)];
/// // SAFETY: the queue keeps the signals; what the kernel needs and accesses lasts until the work is done.
/// unsafe { queue.submit(Submission::new(&packets).with_links(&links)) }
/// # }
/// ```
#[must_use = "nothing runs before it is submitted"]
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a, T> {
    pub(crate) items: &'a [T],
    pub(crate) links: &'a [SignalLink<'a>],
}

impl<'a, T> Submission<'a, T> {
    /// These packets or commands, without links. None are a piece of work that is done when everything before it is.
    #[inline]
    pub const fn new(items: &'a [T]) -> Submission<'a, T> {
        Submission { items, links: &[] }
    }

    /// Replaces the signals that the packets or commands complete and wait for.
    #[inline]
    pub const fn with_links(mut self, links: &'a [SignalLink<'a>]) -> Submission<'a, T> {
        self.links = links;
        self
    }
}

impl<'a, T> From<&'a [T]> for Submission<'a, T> {
    #[inline]
    fn from(items: &'a [T]) -> Submission<'a, T> {
        Submission::new(items)
    }
}

impl<'a, T, const N: usize> From<&'a [T; N]> for Submission<'a, T> {
    #[inline]
    fn from(items: &'a [T; N]) -> Submission<'a, T> {
        Submission::new(items)
    }
}

impl<'a, T> From<&'a Vec<T>> for Submission<'a, T> {
    #[inline]
    fn from(items: &'a Vec<T>) -> Submission<'a, T> {
        Submission::new(items)
    }
}

/// The room that several submissions to one queue take together, at most. For whoever submits to several queues and
/// wants all of it or nothing: [`Queue::check_room`](super::Queue::check_room),
/// [`SdmaQueue::check_room`](super::SdmaQueue::check_room).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Submissions.
    pub submissions: u64,
    /// Waits for other work, for a value of a signal, or for signals: each for up to five signals in a
    /// [`Queue`](super::Queue), for one in an [`SdmaQueue`](super::SdmaQueue).
    pub waits: u64,
    /// All packets of the submissions, or the dwords of all their commands
    /// ([`Command::dwords`](super::Command::dwords)).
    pub items: u64,
}
