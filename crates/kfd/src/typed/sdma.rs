//! Copies by the copy engines.

use bytemuck::Pod;

use crate::raw::{self, Atomic, CHUNK, Command, SignalLink};
use crate::typed::buffer::{Places, word};
use crate::typed::in_flight::KeepAlive;
use crate::typed::tracked::Tracked;
use crate::{Buffer, Device, Engine, Pending, Result, Signal, Ticket, Wait};

/// A queue of a copy engine (SDMA). Its copies run one after the other, beside the kernels.
///
/// Dropping it ends what still runs in it.
#[derive(Debug)]
pub struct SdmaQueue {
    pub(crate) tracked: Tracked<raw::SdmaQueue>,
}

impl SdmaQueue {
    /// A queue of this engine of the device.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) for an engine by number before version 1.17, and where its
    /// atomic operations, by which it counts, do not reach the host
    /// ([`Node::has_host_atomics`](crate::Node::has_host_atomics)); [`Error::Request`](crate::Error::Request),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn new(device: Device, engine: Engine) -> Result<SdmaQueue> {
        let raw = raw::SdmaQueue::new(device, engine)?;
        Ok(SdmaQueue { tracked: Tracked::new(raw, raw::SdmaQueue::WORKS) })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        self.tracked.raw.device()
    }

    /// Copies `count` values. The buffers may be of any device or the host, if they are mapped to the queue's device.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range), [`Error::OtherDevice`](crate::Error::OtherDevice),
    /// [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Lost`](crate::Error::Lost),
    /// [`Error::Forked`](crate::Error::Forked). Nothing was submitted then.
    pub fn copy<'b, T: Pod>(
        &mut self,
        from: &'b Buffer<T>,
        from_index: usize,
        to: &'b mut Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Pending<'b>> {
        let number = self.copy_values(from, from_index, to, to_index, count, None)?;
        Ok(self.tracked.pending(number))
    }

    /// As [`copy`](Self::copy); `progress` is set to the number of parts that the engine makes of it, and decremented
    /// when each is done.
    ///
    /// # Errors
    /// As of [`copy`](Self::copy).
    pub fn copy_with_progress<'b, T: Pod>(
        &mut self,
        from: &'b Buffer<T>,
        from_index: usize,
        to: &'b mut Buffer<T>,
        to_index: usize,
        count: usize,
        progress: &Signal,
    ) -> Result<Pending<'b>> {
        let number = self.copy_values(from, from_index, to, to_index, count, Some(progress))?;
        Ok(self.tracked.pending(number))
    }

    /// Copies `count` values to another place of the same buffer. The two places must not overlap.
    ///
    /// # Errors
    /// As of [`copy`](Self::copy); [`Error::Value`](crate::Error::Value) for places that overlap.
    pub fn copy_within<'b, T: Pod>(
        &mut self,
        buffer: &'b mut Buffer<T>,
        from_index: usize,
        to_index: usize,
        count: usize,
    ) -> Result<Pending<'b>> {
        let number = self.copy_values(buffer, from_index, buffer, to_index, count, None)?;
        Ok(self.tracked.pending(number))
    }

    /// As [`copy`](Self::copy), into a buffer that others have too: see
    /// [`Queue::copy_shared`](crate::Queue::copy_shared).
    ///
    /// # Safety
    /// As of [`Queue::copy_shared`](crate::Queue::copy_shared).
    ///
    /// # Errors
    /// As of [`copy`](Self::copy); [`Error::Value`](crate::Error::Value) for places of one buffer that overlap.
    pub unsafe fn copy_shared<T: Pod>(
        &mut self,
        from: &Buffer<T>,
        from_index: usize,
        to: &Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Ticket> {
        let number = self.copy_values(from, from_index, to, to_index, count, None)?;
        Ok(self.tracked.submitted().ticket(number))
    }

    /// Returns the number of the work.
    fn copy_values<T: Pod>(
        &mut self,
        from: &Buffer<T>,
        from_index: usize,
        to: &Buffer<T>,
        to_index: usize,
        count: usize,
        progress: Option<&Signal>,
    ) -> Result<u64> {
        let Places { source, target, bytes } = Places::of(from, from_index, to, to_index, count)?;
        self.begin()?;
        from.memory().check_mapped(self.device())?;
        to.memory().check_mapped(self.device())?;
        self.tracked.in_flight.staged.extend([KeepAlive::read(from.memory()), KeepAlive::write(to.memory())]);
        let Some(progress) = progress else {
            return self.finish([Command::Copy { from: source, to: target, bytes }].into_iter(), &[]);
        };
        let completes = SignalLink::completes(progress);
        completes.check()?;
        let parts = bytes.div_ceil(CHUNK);
        let part = move |part: u64| {
            let (at, last) = (part * CHUNK, Atomic::Add);
            let copy = Command::Copy { from: source + at, to: target + at, bytes: CHUNK.min(bytes - at) };
            [copy, Command::Atomic { at: progress.value_address(), operation: last, value: u64::MAX }]
        };
        let commands = (0..parts).flat_map(part);
        self.tracked.raw.room_for(commands.clone())?;
        progress.store(parts as i64);
        self.finish(commands, &[completes])
    }

    /// Sets `count` values of 4 bytes to `value`. Values of other sizes or alignments do not compile.
    ///
    /// # Errors
    /// As of [`copy`](Self::copy).
    pub fn fill<'b, T: Pod>(
        &mut self,
        to: &'b mut Buffer<T>,
        index: usize,
        count: usize,
        value: T,
    ) -> Result<Pending<'b>> {
        let (target, bytes) = to.bytes_at(index, count)?;
        self.begin()?;
        to.memory().check_mapped(self.device())?;
        self.tracked.in_flight.staged.push(KeepAlive::write(to.memory()));
        let number = self.finish([Command::Fill { to: target, value: word(value), bytes }].into_iter(), &[])?;
        Ok(self.tracked.pending(number))
    }

    /// Makes the queue wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the engine may go on before
    /// ([`Node::engines_wait`](crate::Node::engines_wait)), as on gfx908; wait on the host there ([`Signal::wait`]), or
    /// use a [`Copier`](crate::Copier). Otherwise as of [`Queue::wait_for`](crate::Queue::wait_for).
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        self.tracked.submit_without_memory(|raw| raw.wait_for(signals))
    }

    /// Makes the queue wait until the signal's value is `least` or more: see [`raw::SdmaQueue::wait_for_value`].
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Value`](crate::Error::Value).
    pub fn wait_for_value(&mut self, signal: &Signal, least: i64) -> Result<()> {
        self.tracked.submit_without_memory(|raw| raw.wait_for_value(signal, least))
    }

    /// Makes the queue wait until work of another queue is done, before whatever is submitted next.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Abandoned`](crate::Error::Abandoned).
    pub fn wait_for_work(&mut self, ticket: &Ticket) -> Result<()> {
        self.tracked.submit_without_memory(|raw| raw.wait_for_work(ticket))
    }

    /// Decrements the signal when everything that was submitted before is done.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for).
    pub fn signal(&mut self, signal: &Signal) -> Result<()> {
        self.tracked.submit_without_memory(|raw| raw.signal(signal))
    }

    /// Waits until the work is done, and everything that was submitted before it.
    ///
    /// # Errors
    /// As of [`Queue::wait`](crate::Queue::wait).
    pub fn wait(&mut self, pending: &Pending<'_>, wait: Wait) -> Result<()> {
        self.tracked.wait(pending, wait)
    }

    /// Whether the work is done. Makes no system call.
    pub fn is_done(&self, pending: &Pending<'_>) -> bool {
        self.tracked.is_done(pending)
    }

    /// The work without its borrow, for other threads to ask and wait for.
    ///
    /// # Errors
    /// [`Error::OtherQueue`](crate::Error::OtherQueue)
    pub fn ticket(&self, pending: &Pending<'_>) -> Result<Ticket> {
        self.tracked.ticket(pending)
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    /// As of [`Queue::wait`](crate::Queue::wait).
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.tracked.wait_idle(wait)
    }

    /// Waits until the older half of the work is done, which makes room for more.
    ///
    /// # Errors
    /// As of [`Queue::wait`](crate::Queue::wait).
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.tracked.wait_for_room(wait)
    }

    fn begin(&mut self) -> Result<()> {
        self.tracked.begin()?;
        self.tracked.check_room()
    }

    /// Submits a piece of work that needs what is staged. Returns its number.
    fn finish(&mut self, commands: impl Iterator<Item = Command> + Clone, links: &[SignalLink<'_>]) -> Result<u64> {
        let number = self.tracked.raw.hand_over(commands, links)?;
        self.tracked.in_flight.note(number, 0);
        Ok(number)
    }
}
