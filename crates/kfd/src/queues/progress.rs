//! Progress of queues, and the dependencies between them that make a wait end with an error.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use aql::Condition;

use crate::driver::lock;
use crate::fault::{Fault, QueueError};
use crate::queues::compute::RingContents;
use crate::queues::device::{Gpu, Process};
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
    links: Mutex<VecDeque<Linked>>,
    /// Pieces of work that were submitted.
    submitted: AtomicU64,
    /// The rings that its work is in, the oldest first; a ring's memory lasts while it is here.
    pub rings: Mutex<Vec<RingContents>>,
}

/// A signal of a piece of work.
#[derive(Clone, Debug)]
struct Linked {
    number: u64,
    signal: Signal,
    kind: Kind,
    /// [`Signal::times_set_again`] when the work was submitted.
    set_again: u64,
}

/// What a [`Submission`](crate::raw::Submission) does with a signal: completes it, or waits for a value of it.
#[derive(Clone, Copy, Debug)]
pub struct SignalLink<'a> {
    pub(crate) signal: &'a Signal,
    kind: Kind,
}

impl<'a> SignalLink<'a> {
    /// The work completes the signal.
    pub fn completes(signal: &'a Signal) -> SignalLink<'a> {
        SignalLink { signal, kind: Kind::Completes }
    }

    /// The work waits until the signal's value compares so with `value`.
    pub fn awaits(signal: &'a Signal, condition: Condition, value: i64) -> SignalLink<'a> {
        SignalLink { signal, kind: Kind::Awaits(condition, value) }
    }

    /// The work waits until a queue has done the piece of work of this number. `counter` is that queue's.
    pub(crate) fn awaits_work(counter: &'a Signal, number: u64) -> SignalLink<'a> {
        SignalLink { signal: counter, kind: Kind::AwaitsWork(number) }
    }

    /// Refuses a signal whose value will never compare so, and one of a parent process.
    pub(crate) fn check(&self) -> Result<()> {
        match self.kind {
            Kind::Awaits(condition, value) => self.signal.check_awaitable(condition, value),
            Kind::AwaitsWork(_) | Kind::Completes => self.signal.check_fork(),
        }
    }
}

/// What a piece of work, which the queue has a number for, does with a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Waits until its value compares so with this one.
    Awaits(Condition, i64),
    /// Waits until the queue whose counter it is has done the piece of work of this number.
    AwaitsWork(u64),
    Completes,
}

impl Linked {
    /// Whether it is not waited for, or not any more.
    fn is_met(&self) -> bool {
        match self.kind {
            Kind::Awaits(condition, value) => self.signal.holds(condition, value),
            Kind::AwaitsWork(number) => done(&self.signal) > number,
            Kind::Completes => true,
        }
    }
}

/// Signals of a queue's work for which there is room without allocating.
const USUAL_LINKS: usize = 1024;
/// How long counting a piece of work may take whose own signal was completed before. It is the next packet.
const COUNT_TIMEOUT: Duration = Duration::from_secs(1);

impl QueueState {
    /// Of a new compute queue.
    pub fn of_kernels(gpu: &'static Gpu) -> Result<Arc<QueueState>> {
        let inactive = Signal::polled(Device(gpu), 0)?;
        // One event for the errors of all queues: every wait is for it.
        inactive.raises(lock(&gpu.process.events).process().queue);
        QueueState::new(gpu, Some(inactive))
    }

    /// Of a new queue of a copy engine.
    pub fn of_copies(gpu: &'static Gpu) -> Result<Arc<QueueState>> {
        QueueState::new(gpu, None)
    }

    fn new(gpu: &'static Gpu, inactive: Option<Signal>) -> Result<Arc<QueueState>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let counter = Signal::polled(Device(gpu), 0)?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (ended, links) = (AtomicBool::new(false), Mutex::new(VecDeque::with_capacity(USUAL_LINKS)));
        let (submitted, rings) = (AtomicU64::new(0), Mutex::default());
        Ok(Arc::new(QueueState { id, gpu, inactive, counter, ended, links, submitted, rings }))
    }

    pub fn gpu(&self) -> &'static Gpu {
        self.gpu
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

    pub fn is_forked(&self) -> bool {
        self.gpu.driver.is_forked()
    }

    /// Notes how many pieces of work were submitted.
    #[inline]
    pub fn note_submitted(&self, count: u64) {
        self.submitted.store(count, Ordering::Relaxed);
    }

    /// The names of the kernels that were submitted and are not known to be done, in their order, each once.
    pub fn unfinished_kernels(&self) -> Vec<String> {
        let mut names = Vec::new();
        if self.is_forked() {
            return names;
        }
        let counter = self.counter.handle().get();
        // Each piece of work ends with the packet that counts it.
        let mut left = self.submitted.load(Ordering::Relaxed).saturating_sub(self.done());
        let rings = lock(&self.rings);
        // SAFETY: the ring is in the list, which is locked.
        let packets = rings.iter().rev().flat_map(|ring| unsafe { ring.latest_packets() });
        for (kernel, completion) in packets {
            if completion == counter {
                if left == 0 {
                    break;
                }
                left -= 1;
            }
            names.extend(self.gpu.kernel_at(kernel).filter(|name| !names.contains(name)));
        }
        names.reverse();
        names
    }

    /// The error of a queue that stopped.
    #[cold]
    pub fn stopped(&self, error: QueueError) -> Error {
        Error::Stopped { error, kernels: self.unfinished_kernels() }
    }

    /// Notes, and keeps, the signals of a piece of work that was submitted.
    pub fn link(&self, number: u64, links: &[SignalLink<'_>]) {
        let linked = |link: &SignalLink<'_>| Linked {
            number,
            signal: link.signal.clone(),
            kind: link.kind,
            set_again: link.signal.times_set_again(),
        };
        lock(&self.links).extend(links.iter().map(linked));
    }

    /// Lets go of the signals of the first `done` pieces of work. Whether there are others.
    pub fn unlink(&self, done: u64) -> bool {
        let mut links = lock(&self.links);
        while links.front().is_some_and(|linked| linked.number < done) {
            links.pop_front();
        }
        !links.is_empty()
    }

    /// Notes that the queue was destroyed. What was not done before never will be.
    pub fn end(&self) {
        // Release: what its work did is visible to who sees it.
        self.ended.store(true, Ordering::Release);
        for linked in lock(&self.links).drain(..) {
            if linked.kind == Kind::Completes {
                linked.signal.abandon();
            }
        }
    }

    /// Whether it was destroyed.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Its work was not all done when it was destroyed: tells those that wait for it, here or on a GPU.
    pub fn abandon(&self) {
        self.counter.abandon();
        self.gpu.process.wake_sleepers();
    }

    /// Why the first `count` pieces of work will never be done, if so.
    pub fn trouble(&self, count: u64) -> Option<Trouble> {
        let process = self.gpu.process;
        self.own_trouble().or_else(|| {
            process.find_trouble(|queues| {
                let own = queues.iter().position(|queue| queue.id == self.id)?;
                Dependencies::of(queues).trouble(vec![(own, count)])
            })
        })
    }

    fn own_trouble(&self) -> Option<Trouble> {
        if let Some(error) = self.error() {
            return Some(Trouble::Stopped(error, self.unfinished_kernels()));
        }
        if self.ended.load(Ordering::Acquire) {
            return Some(Trouble::Dropped);
        }
        self.gpu.fault().map(Trouble::Lost)
    }

    fn is_troubled(&self) -> bool {
        self.error().is_some() || self.ended.load(Ordering::Acquire) || self.gpu.fault().is_some()
    }

    /// Whether nothing of its first `count` pieces of work runs, or will.
    pub fn is_over(&self, count: u64) -> bool {
        self.done() >= count || self.ended.load(Ordering::Acquire)
    }

    /// The same for who may know already that the work is done, by a signal that the last of it completes itself: that
    /// is 0 a packet before the work is counted, and may be set again by then. The signal is no proof, as anybody may
    /// set it.
    pub fn is_over_now(&self, count: u64) -> bool {
        if self.is_over(count) {
            return true;
        }
        let own = |Linked { number, signal, kind, set_again }: &Linked| {
            let completed = || signal.value() == 0 || signal.times_set_again() != *set_again;
            number + 1 == count && *kind == Kind::Completes && completed()
        };
        if !lock(&self.links).iter().any(own) {
            return false;
        }
        let start = Instant::now();
        while start.elapsed() < COUNT_TIMEOUT && self.error().is_none() {
            if self.is_over(count) {
                return true;
            }
            std::hint::spin_loop();
        }
        self.is_over(count)
    }
}

/// Why work will never be done: what happened to its queue, or to one that it waits for.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    Dropped,
    /// With the kernels that were not done.
    Stopped(QueueError, Vec<String>),
    Lost(Fault),
}

impl From<Trouble> for Error {
    fn from(trouble: Trouble) -> Error {
        match trouble {
            Trouble::Dropped => Error::Abandoned,
            Trouble::Stopped(error, kernels) => Error::Stopped { error, kernels },
            Trouble::Lost(fault) => Error::Lost { fault },
        }
    }
}

/// Why what is to complete the signal never will, if so.
pub(crate) fn trouble_of_signal(process: &Process, signal: &Signal) -> Option<Trouble> {
    process.find_trouble(|queues| {
        if signal.is_abandoned() {
            return Some(Trouble::Dropped);
        }
        let dependencies = Dependencies::of(queues);
        let completing = dependencies.completing(signal).collect();
        dependencies.trouble(completing)
    })
}

/// Which work waits for which: what the links of all queues say at one moment. Made once for a question, as there may
/// be thousands.
struct Dependencies<'a> {
    queues: &'a [Arc<QueueState>],
    /// Of each queue, the signals that work waits for which is not done, in order.
    awaited: Vec<Vec<Linked>>,
    /// By a signal's handle, each queue with such work that completes it, and how many pieces of work are done when the
    /// last of that is.
    completing: HashMap<aql::Signal, Vec<(usize, u64)>>,
}

impl Dependencies<'_> {
    fn of(queues: &[Arc<QueueState>]) -> Dependencies<'_> {
        let mut completing: HashMap<aql::Signal, Vec<(usize, u64)>> = HashMap::new();
        let mut awaited = Vec::with_capacity(queues.len());
        for (index, queue) in queues.iter().enumerate() {
            let done = queue.done();
            let mut awaited_here = Vec::new();
            for linked in lock(&queue.links).iter().filter(|linked| linked.number >= done) {
                if linked.kind != Kind::Completes {
                    if !linked.is_met() {
                        awaited_here.push(linked.clone());
                    }
                    continue;
                }
                let count = linked.number + 1;
                let by = completing.entry(linked.signal.handle()).or_default();
                match by.last_mut() {
                    Some((last, last_count)) if *last == index => *last_count = count,
                    _ => by.push((index, count)),
                }
            }
            awaited.push(awaited_here);
        }
        Dependencies { queues, awaited, completing }
    }

    /// The work, as a queue's place and its first pieces, that completes the signal.
    fn completing(&self, signal: &Signal) -> impl Iterator<Item = (usize, u64)> + use<'_> {
        self.completing.get(&signal.handle()).into_iter().flatten().copied()
    }

    /// Why some of this work, or of what it waits for, will never be done. Queues may wait for each other.
    fn trouble(&self, mut work: Vec<(usize, u64)>) -> Option<Trouble> {
        let mut looked_at = vec![0; self.queues.len()];
        while let Some((index, count)) = work.pop() {
            let (queue, from) = (&self.queues[index], looked_at[index]);
            if from >= count || queue.done() >= count {
                continue;
            }
            if let Some(trouble) = queue.own_trouble() {
                return Some(trouble);
            }
            looked_at[index] = count;
            let of_count = |count| self.awaited[index].partition_point(|linked| linked.number < count);
            for linked in &self.awaited[index][of_count(from)..of_count(count)] {
                let Linked { signal, kind, .. } = linked;
                if linked.is_met() {
                    continue;
                }
                if signal.is_abandoned() {
                    return Some(Trouble::Dropped);
                }
                if let Kind::AwaitsWork(number) = kind {
                    let other = self.queues.iter().position(|queue| queue.counter.handle() == signal.handle());
                    work.extend(other.map(|other| (other, number + 1)));
                }
                work.extend(self.completing(signal));
            }
        }
        None
    }
}

impl Process {
    /// What `find` finds among all queues. Mostly there is nothing to be found, which is seen at once.
    fn find_trouble(&self, find: impl FnOnce(&[Arc<QueueState>]) -> Option<Trouble>) -> Option<Trouble> {
        let queues = lock(&self.queues);
        let any = self.abandoned.load(Ordering::Acquire) != 0 || queues.iter().any(|queue| queue.is_troubled());
        if any { find(&queues) } else { None }
    }

    pub fn add_queue(&self, queue: Arc<QueueState>) {
        lock(&self.queues).push(queue);
    }

    pub fn remove_queue(&self, queue: &Arc<QueueState>) {
        lock(&self.queues).retain(|other| !Arc::ptr_eq(other, queue));
    }
}

/// Pieces of work that are done, by the signal that counts them.
#[inline]
pub(crate) fn done(counter: &Signal) -> u64 {
    counter.value().wrapping_neg() as u64
}
