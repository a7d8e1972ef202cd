//! How far queues are, which every thread may ask.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use crate::device::Gpu;
use crate::driver::lock;
use crate::fault::QueueError;
use crate::wait::{Wait, until};
use crate::{Device, Error, Result, Signal};

/// What can be asked of a queue while a thread uses it, and when it is gone.
#[derive(Debug)]
pub(crate) struct QueueState {
    /// Tells queues apart, also those of different times: no other has it in this process.
    pub id: u64,
    gpu: &'static Gpu,
    /// Gets an error of the queue; SDMA queues have none.
    pub inactive: Option<Signal>,
    /// Starts at 0 and is decremented for every piece of work that is done.
    pub counter: Signal,
    /// It was destroyed, and nothing of it runs.
    ended: AtomicBool,
    /// The signals of work that is not known to be done, in order.
    links: Mutex<VecDeque<(u64, Signal, Link)>>,
}

/// What a piece of work, which the queue has a number for, does with a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Awaits,
    Completes,
}

/// Signals of a queue's work for which there is room without allocating.
const USUAL_LINKS: usize = 1024;
/// How long counting a piece of work may take whose own signal was completed before. It is the next packet.
const COUNTING: Duration = Duration::from_secs(1);

impl QueueState {
    /// Of a new queue.
    pub fn new(gpu: &'static Gpu, inactive: Option<Signal>) -> Result<Arc<QueueState>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let counter = Signal::polled(Device(gpu), 0)?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (ended, links) = (AtomicBool::new(false), Mutex::new(VecDeque::with_capacity(USUAL_LINKS)));
        Ok(Arc::new(QueueState { id, gpu, inactive, counter, ended, links }))
    }

    pub fn error(&self) -> Option<QueueError> {
        match self.inactive.as_ref()?.value() {
            0 => None,
            bits => Some(QueueError::from_bits(bits as u64)),
        }
    }

    /// Pieces of work that are done.
    #[inline]
    pub fn done(&self) -> u64 {
        done(&self.counter)
    }

    /// Notes, and keeps, the signals of a piece of work that was submitted.
    pub fn link(&self, number: u64, signals: &mut Vec<(Signal, Link)>) {
        lock(&self.links).extend(signals.drain(..).map(|(signal, link)| (number, signal, link)));
    }

    /// Lets go of the signals of the first `done` pieces of work. Whether there are others.
    pub fn unlink(&self, done: u64) -> bool {
        let mut links = lock(&self.links);
        while links.front().is_some_and(|(number, ..)| *number < done) {
            links.pop_front();
        }
        !links.is_empty()
    }

    /// Notes that the queue was destroyed. What was not done before never will be.
    pub fn end(&self) {
        // Release: what its work did is visible to who sees it.
        self.ended.store(true, Ordering::Release);
        for (_, signal, link) in lock(&self.links).drain(..) {
            if link == Link::Completes {
                signal.abandon();
            }
        }
    }

    /// Whether nothing of its first `count` pieces of work runs, or will.
    fn is_over(&self, count: u64) -> bool {
        self.done() >= count || self.ended.load(Ordering::Acquire)
    }

    /// The same for who may know already that the work is done, by a signal that the last of it completes itself: that is 0 a packet before the
    /// work is counted. The signal is no proof, as anybody may set it.
    fn is_over_now(&self, count: u64) -> bool {
        if self.is_over(count) {
            return true;
        }
        let own = |(number, signal, link): &(u64, Signal, Link)| {
            number + 1 == count && *link == Link::Completes && signal.value() == 0
        };
        if !lock(&self.links).iter().any(own) {
            return false;
        }
        let start = Instant::now();
        while start.elapsed() < COUNTING && self.error().is_none() {
            if self.is_over(count) {
                return true;
            }
            std::hint::spin_loop();
        }
        self.is_over(count)
    }
}

/// Pieces of work that are done, by the signal that counts them.
#[inline]
pub(crate) fn done(counter: &Signal) -> u64 {
    counter.value().wrapping_neg() as u64
}

/// Work that was submitted, for whoever is to know when it is done: it can be copied, sent to other threads and asked there, and borrows nothing.
/// Of [`Queue::ticket`](crate::Queue::ticket) and the like.
#[derive(Clone, Debug)]
pub struct Ticket {
    queue: Arc<QueueState>,
    number: u64,
}

impl Ticket {
    pub(crate) fn new(queue: &Arc<QueueState>, number: u64) -> Ticket {
        Ticket { queue: queue.clone(), number }
    }

    /// Whether the work is done. Makes no system call. What the work wrote is then visible.
    pub fn is_done(&self) -> bool {
        self.queue.done() > self.number
    }

    /// Waits until the work is done, and everything that was submitted to its queue before it. The buffers are the host's then, as far as they are in
    /// no other work.
    ///
    /// A thread that sleeps is not woken by the work itself, and looks again when as much time has passed as it has waited so far, and after half a
    /// second at most. [`Queue::wait`](crate::Queue::wait) and a [`Signal`] with an interrupt are woken.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`], [`Error::Abandoned`] when its queue was dropped before, [`Error::Forked`], [`Error::Request`].
    pub fn wait(&self, wait: Wait) -> Result<()> {
        let over = || self.queue.is_over(self.number + 1);
        until(self.queue.gpu, wait, "work of a queue", std::iter::once(0), || Ok(()), over)?;
        if self.is_done() { Ok(()) } else { Err(Error::Abandoned) }
    }
}

/// Queues for which memory keeps its uses without allocating.
const USUAL_QUEUES: usize = 2;

/// The work that uses some memory.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<SmallVec<[Use; USUAL_QUEUES]>>);

/// How many pieces of work of a queue must be done until none uses the memory.
#[derive(Debug)]
struct Use {
    queue: Arc<QueueState>,
    any: u64,
    writing: u64,
}

impl Uses {
    /// Notes a piece of work that was submitted.
    #[inline]
    pub fn note(&self, queue: &Arc<QueueState>, number: u64, writes: bool) {
        let mut uses = lock(&self.0);
        let count = number + 1;
        let writing = if writes { count } else { 0 };
        match uses.iter_mut().find(|one| Arc::ptr_eq(&one.queue, queue)) {
            Some(one) => {
                one.any = count;
                one.writing = one.writing.max(writing);
            }
            None => {
                uses.retain(|one| !one.queue.is_over(one.any));
                uses.push(Use { queue: queue.clone(), any: count, writing });
            }
        }
    }

    /// Whether work that writes may still run.
    pub fn any_writes(&self) -> bool {
        lock(&self.0).iter().any(|one| !one.queue.is_over_now(one.writing))
    }

    /// Whether work may still run.
    pub fn any(&self) -> bool {
        lock(&self.0).iter().any(|one| !one.queue.is_over_now(one.any))
    }
}
