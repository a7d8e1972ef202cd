//! Queues of copy engines, by address.

use aql::Condition;
use smallvec::SmallVec;

use super::command::Command;
use super::submission::{Room, Submission};
use super::submitted::{Ended, RawQueue, Submitted};
use crate::queues::device::Gpu;
use crate::queues::progress::{QueueState, SignalLink};
use crate::queues::sdma::hardware::{Hardware, RING_BYTES};
use crate::queues::sdma::packet::{self, Poll};
use crate::queues::sdma::ring;
use crate::{Device, Engine, Error, Result, Signal, Ticket, Wait};

/// Bytes at the end of the ring that only the packets that wake a thread use.
const RESERVED_BYTES: u64 = 512;
const _: () = assert!((SIGNAL_DWORDS + ring::MAX_PADDING) * 4 <= RESERVED_BYTES);
/// Signals for which a wait has room without allocating.
const USUAL_SIGNALS: usize = 8;
/// Dwords of [`put_signal`], at most.
const SIGNAL_DWORDS: u64 = 8 + 4 + 2;
/// Dwords that a piece of work takes in the ring besides its commands: that which counts it, and padding.
const DWORDS_OF_WORK: u64 = 8 + ring::MAX_PADDING;
/// Dwords of a wait for a signal or for other work: two POLL_REGMEM.
const DWORDS_OF_WAIT: u64 = 12;

/// A queue of a copy engine (SDMA) that is given commands by address. Its pieces of work are done one after the other,
/// beside kernels.
///
/// It belongs to one thread at a time, and can be sent to others. Dropping it ends what still runs in it.
///
/// # Waiting
/// The engines of gfx90x but gfx90a, so of gfx908, do not wait: their POLL_REGMEM may end before the value is there.
/// There [`wait_for`](Self::wait_for) and its like are [`Error::Unsupported`], and who depends on others waits on the
/// host ([`Ticket::wait`], [`Signal::wait`]) before it submits, or copies by a kernel in a
/// [`raw::Queue`](super::Queue), which waits on the GPU. The engines of gfx90a and gfx94x wait.
/// [`Node::engines_wait`](crate::Node::engines_wait) tells which they are. All engines count, fence and signal, and
/// every queue can wait for their work.
///
/// # Example
/// Copies within one allocation, stamps when that was done, and counts a value up:
/// ```no_run
/// use kfd::raw::{Atomic, Command, SdmaQueue};
/// use kfd::{Buffer, Engine, Placement, Wait};
/// # fn example(gpu: kfd::Device) -> kfd::Result<()> {
/// let memory = Buffer::<u64>::new(gpu, 1024, Placement::HOST)?;
/// let (start, half) = (memory.address(), memory.address() + 4096);
/// let mut queue = SdmaQueue::new(gpu, Engine::Any)?;
/// // SAFETY: all of it is in the buffer, which lasts until the work is done and of which nobody has a slice.
/// let ticket = unsafe {
///     queue.submit(&[
///         Command::Copy { from: start, to: half, bytes: 4080 },
///         Command::Timestamp { to: half + 4080 },
///         Command::Atomic { at: half + 4088, operation: Atomic::Add, value: 1 },
///     ])
/// }?;
/// ticket.wait(Wait::FOREVER)?;
/// println!("done at {:?}", gpu.time(memory.host()?[1022])?);
/// # Ok(()) }
/// ```
pub struct SdmaQueue {
    submitted: Submitted,
    gpu: &'static Gpu,
    hardware: Hardware,
}

impl std::fmt::Debug for SdmaQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SdmaQueue").field("gpu", &self.gpu.id()).field("id", &self.hardware.id).finish_non_exhaustive()
    }
}

impl SdmaQueue {
    /// Pieces of work that it holds at a time.
    pub const WORKS: usize = 1024;

    /// A queue of this engine of the device.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an engine by number before version 1.17 of the driver's interface, and where its
    /// atomic operations, by which it counts, do not reach the host
    /// ([`Node::has_host_atomics`](crate::Node::has_host_atomics)); [`Error::Request`], [`Error::Lost`],
    /// [`Error::Forked`].
    pub fn new(device: Device, engine: Engine) -> Result<SdmaQueue> {
        let gpu = device.0;
        gpu.check_usable()?;
        let queue_type = engine.queue_type(gpu)?;
        let submitted = Submitted::new(QueueState::of_copies(gpu)?)?;
        let hardware = Hardware::new(gpu, queue_type)?;
        gpu.process.add_queue(submitted.state.clone());
        Ok(SdmaQueue { submitted, gpu, hardware })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        Device(self.gpu)
    }

    /// Submits the commands as one piece of work, all or none of them. Makes no system call and allocates nothing. A
    /// list of commands can be submitted again and again, with whatever was changed in it meanwhile.
    ///
    /// # Safety
    /// From now on until the work is [over](Ticket::is_over): the ranges that are read and written are mapped to the
    /// queue's device, and nothing else accesses them in a way that is a data race with it. If one command needs the
    /// result of another, they are ordered as [`Command`] says.
    ///
    /// # Errors
    /// [`Error::Value`] for a command that engines do not do, or more commands than ever fit the ring;
    /// [`Error::Abandoned`] for a link to a signal that a dropped queue was to complete, until it is set;
    /// [`Error::QueueFull`], [`Error::Lost`], [`Error::Forked`]. Nothing was submitted then.
    pub unsafe fn submit<'a>(&mut self, submission: impl Into<Submission<'a, Command>>) -> Result<Ticket> {
        let Submission { items: commands, links } = submission.into();
        self.begin()?;
        links.iter().try_for_each(SignalLink::check)?;
        commands.iter().try_for_each(Command::check)?;
        let number = self.hand_over(commands.iter().copied(), links)?;
        Ok(self.submitted.ticket(number))
    }

    /// Makes the queue wait until all the signals are 0, before whatever is submitted next. They change on their way to
    /// 0 only.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the engine may go on before, [as on gfx908](Self#waiting). [`Error::Abandoned`] for
    /// a signal that a dropped queue was to complete, until it is set; [`Error::QueueFull`], [`Error::Lost`],
    /// [`Error::Forked`].
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        self.begin()?;
        signals.iter().try_for_each(|signal| signal.check_awaitable(Condition::Eq, 0))?;
        self.check_waits()?;
        self.need_room(signals.len() as u64 * DWORDS_OF_WAIT)?;
        let links: SmallVec<[SignalLink<'_>; USUAL_SIGNALS]> =
            signals.iter().map(|signal| SignalLink::awaits(signal, Condition::Eq, 0)).collect();
        for signal in signals {
            // The engine compares 32 bits: the upper half is 0 before the lower, when a value counts down to 0.
            self.hardware.put(&packet::poll(signal.value_address() + 4, Poll::Equal, 0));
            self.hardware.put(&packet::poll(signal.value_address(), Poll::Equal, 0));
        }
        self.finish(&links);
        Ok(())
    }

    /// Makes the queue wait until the signal's value is `least` or more, before whatever is submitted next. Engines
    /// compare 32 bits without a sign, so the value must never be outside 0 to 2^32 - 1 meanwhile.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Value`] if `least` is outside of that.
    pub fn wait_for_value(&mut self, signal: &Signal, least: i64) -> Result<()> {
        self.begin()?;
        let Ok(bits) = u32::try_from(least) else {
            let (subject, expected) = ("the value that a copy engine is to wait for", "0 to 2^32 - 1");
            return Err(Error::Value { subject, value: least.cast_unsigned(), expected });
        };
        signal.check_awaitable(Condition::Gte, least)?;
        self.check_waits()?;
        self.need_room(6)?;
        self.hardware.put(&packet::poll(signal.value_address(), Poll::AtLeast, bits));
        self.finish(&[SignalLink::awaits(signal, Condition::Gte, least)]);
        Ok(())
    }

    /// Makes the queue wait until work of another queue is done, before whatever is submitted next. The other may be of
    /// any kind and device.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Abandoned`] when the other queue was dropped before the work was
    /// done. [`Error::Unsupported`] for the 2^32nd piece of work of a queue and those after it.
    pub fn wait_for_work(&mut self, ticket: &Ticket) -> Result<()> {
        self.begin()?;
        let counter = ticket.counter();
        counter.check_fork()?;
        if ticket.is_of(self.submitted.state.id) || !ticket.is_to_come()? {
            return Ok(());
        }
        self.check_waits()?;
        // Counters go down from 0: the upper half is all ones behind the first piece of work.
        let Ok(count @ 1..=u32::MAX) = u32::try_from(ticket.number().saturating_add(1)) else {
            let why = "engines compare 32 bits; use another queue for the work".into();
            return Err(Error::Unsupported { subject: "a copy engine that waits for the 2^32nd piece of work", why });
        };
        self.need_room(DWORDS_OF_WAIT)?;
        self.hardware.put(&packet::poll(counter.value_address() + 4, Poll::NotEqual, 0));
        self.hardware.put(&packet::poll(counter.value_address(), Poll::AtMost, count.wrapping_neg()));
        self.finish(&[SignalLink::awaits_work(counter, ticket.number())]);
        Ok(())
    }

    /// Decrements the signal when everything that was submitted before is done, and interrupts the host for it.
    ///
    /// # Errors
    /// [`Error::QueueFull`], [`Error::Lost`], [`Error::Forked`].
    pub fn signal(&mut self, signal: &Signal) -> Result<()> {
        self.begin()?;
        signal.check_fork()?;
        self.need_room(SIGNAL_DWORDS)?;
        put_signal(&mut self.hardware, signal);
        self.finish(&[SignalLink::completes(signal)]);
        Ok(())
    }

    /// Waits until the work is done, and everything that was submitted to the queue before it. Unlike [`Ticket::wait`]
    /// a thread that sleeps is woken by the engine.
    ///
    /// # Errors
    /// [`Error::OtherQueue`], else as of [`Ticket::wait`].
    pub fn wait(&mut self, ticket: &Ticket, wait: Wait) -> Result<()> {
        self.wait_until(self.submitted.count_with(ticket)?, wait)
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    /// As of [`Ticket::wait`].
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.submitted.count(), wait)
    }

    /// Waits until the older half of the work is done, which makes room for more.
    ///
    /// # Errors
    /// As of [`Ticket::wait`].
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.submitted.half(), wait)
    }

    /// Whether all of this fits now, to be submitted by nobody else. For whoever submits to several queues: all of it
    /// or nothing.
    ///
    /// # Errors
    /// [`Error::QueueFull`] if it does not; [`Error::Value`] if it never will; [`Error::Lost`], [`Error::Forked`].
    pub fn check_room(&mut self, room: Room) -> Result<()> {
        self.begin()?;
        let Room { submissions, waits, items } = room;
        let works = submissions.saturating_add(waits);
        let dwords = items
            .saturating_add(waits.saturating_mul(DWORDS_OF_WAIT))
            .saturating_add(works.saturating_mul(DWORDS_OF_WORK));
        self.need_room_for(works, dwords)
    }
}

impl RawQueue for SdmaQueue {
    fn submitted(&self) -> &Submitted {
        &self.submitted
    }

    fn begin(&mut self) -> Result<()> {
        self.gpu.check_usable()?;
        self.submitted.settle();
        Ok(())
    }

    fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()> {
        let hardware = &mut self.hardware;
        let put_wake = |wake: &Signal| {
            // The end of the ring is kept free for it.
            put_signal(hardware, wake);
            hardware.submit();
            true
        };
        self.submitted.wait_until(count, wait, put_wake)
    }

    fn full(&self) -> Error {
        Error::QueueFull { queue: "copy queue", capacity: SdmaQueue::WORKS as u64 }
    }

    fn end(&mut self) -> bool {
        let SdmaQueue { submitted, gpu, hardware } = self;
        submitted.end(|| match hardware.end(gpu) {
            Ok(()) => Ended::Stopped { leaked: false },
            Err(_) => Ended::Running,
        })
    }
}

impl SdmaQueue {
    /// Refuses these commands if there is no room for them.
    pub(crate) fn room_for(&self, commands: impl Iterator<Item = Command>) -> Result<()> {
        let dwords = commands.fold(0, |sum: u64, command| sum.saturating_add(command.dwords()));
        self.need_room(dwords)
    }

    /// Submits commands that engines do, as one piece of work. Returns its number.
    pub(crate) fn hand_over(
        &mut self,
        commands: impl Iterator<Item = Command> + Clone,
        links: &[SignalLink<'_>],
    ) -> Result<u64> {
        self.room_for(commands.clone())?;
        commands.for_each(|command| command.packets(|packet| self.hardware.put(packet)));
        Ok(self.finish(links))
    }

    fn check_waits(&self) -> Result<()> {
        if self.gpu.node().engines_wait() {
            return Ok(());
        }
        let why = "the copy engines of gfx90x except gfx90a may go on although the value that they wait for is not there yet \
                   (POLL_REGMEM); call Signal::wait before you submit the copy, or use a Copier";
        Err(Error::Unsupported { subject: "a copy engine that waits for signals", why: why.into() })
    }

    /// Refuses a piece of work with packets of so many dwords if there is no room for it.
    fn need_room(&self, dwords: u64) -> Result<()> {
        self.need_room_for(1, dwords.saturating_add(DWORDS_OF_WORK))
    }

    /// Refuses so many pieces of work of so many dwords, with those that end each, if there is no room for all of them.
    fn need_room_for(&self, more: u64, dwords: u64) -> Result<()> {
        const EMPTY: u64 = RING_BYTES as u64 - RESERVED_BYTES;
        let needed = dwords.saturating_mul(4);
        if needed > EMPTY {
            let (subject, expected) =
                ("what a piece of work takes in the ring of a copy queue, in bytes", "less than 1 MiB: divide it");
            return Err(Error::Value { subject, value: needed, expected });
        }
        if more > SdmaQueue::WORKS as u64 {
            let (subject, expected) = ("a number of pieces of work", "at most 1024");
            return Err(Error::Value { subject, value: more, expected });
        }
        let works = self.submitted.count() - self.submitted.done();
        let fits =
            needed <= EMPTY.saturating_sub(self.hardware.used_bytes()) && works + more <= SdmaQueue::WORKS as u64;
        if fits { Ok(()) } else { Err(self.full()) }
    }

    /// Ends a piece of work and hands it to the engine. Returns its number.
    fn finish(&mut self, links: &[SignalLink<'_>]) -> u64 {
        let counter = self.submitted.state.counter.value_address();
        self.hardware.put(&packet::decrement(counter));
        // What the host wrote through a BAR before is copied, and copied over.
        self.gpu.driver.publish_host_writes();
        let number = self.submitted.note(links);
        self.hardware.submit();
        number
    }
}

/// Decrements a signal, and interrupts for it if it has an event.
fn put_signal(hardware: &mut Hardware, signal: &Signal) {
    hardware.put(&packet::decrement(signal.value_address()));
    let event = signal.event();
    if event.id != 0 {
        hardware.put(&packet::fence(event.mailbox, event.id));
        hardware.put(&packet::trap(event.id));
    }
}

impl Drop for SdmaQueue {
    fn drop(&mut self) {
        self.end();
    }
}
