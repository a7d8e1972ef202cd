//! Compute queues.

mod pending;

use crate::raw::{self, ArgumentMemory, Gpu, RawQueue, SignalLink};
use crate::typed::launch::LaunchArguments;
use crate::typed::tracked::Tracked;
use crate::{Device, QueueOptions, Result, Signal, Ticket, Wait};
use aql::{Condition, Packet};
pub use pending::Pending;

/// A compute (AQL) queue of a device. Its packets run one after the other.
///
/// It belongs to one thread at a time, and can be sent to others. Dropping it ends what still runs in it; waits for
/// signals that it was to complete then end with [`Error::Abandoned`](crate::Error::Abandoned). When something in it
/// goes wrong, it stops, and the others go on ([`Error::Stopped`](crate::Error::Stopped)).
#[doc(alias = "hsa_queue_t")]
#[doc(alias = "hipStream_t")]
#[derive(Debug)]
pub struct Queue {
    pub(crate) tracked: Tracked<raw::Queue>,
    pub(crate) arguments: ArgumentMemory,
    /// What the launch that is being put together was given.
    pub(crate) launch_arguments: LaunchArguments,
}

impl Queue {
    /// A queue with the default options.
    ///
    /// # Errors
    /// As of [`with`](Self::with).
    pub fn new(device: Device) -> Result<Queue> {
        Queue::with(device, QueueOptions::default())
    }

    /// A queue with these options.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) for options that cannot be, [`Error::Request`](crate::Error::Request),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn with(device: Device, options: QueueOptions) -> Result<Queue> {
        options.check()?;
        let arguments = ArgumentMemory::new(device, options.argument_bytes)?;
        let packets = options.packets as usize;
        let tracked = Tracked::new(raw::Queue::with(device, options)?, packets);
        Ok(Queue { tracked, arguments, launch_arguments: LaunchArguments::new() })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        self.tracked.raw.device()
    }

    /// Changes its priority, 0 to 15.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value), [`Error::Request`](crate::Error::Request),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn set_priority(&mut self, priority: u32) -> Result<()> {
        self.tracked.raw.set_priority(priority)
    }

    /// Changes which compute units its kernels may run on; see [`QueueOptions::with_cu_mask`].
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value), [`Error::Request`](crate::Error::Request),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn set_cu_mask(&mut self, mask: &[u32]) -> Result<()> {
        self.tracked.raw.set_cu_mask(mask)
    }

    /// Makes the queue wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// [`Error::Abandoned`](crate::Error::Abandoned) for a signal that a dropped queue was to complete, until it is
    /// set; [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Stopped`](crate::Error::Stopped),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        signals.iter().try_for_each(|signal| signal.check_awaitable(Condition::Eq, 0))?;
        signals
            .chunks(raw::Queue::SIGNALS)
            .try_for_each(|some| self.tracked.submit_without_memory(|raw| raw.wait_for(some)))
    }

    /// Makes the queue wait until the signal's value compares so with `value`, before whatever is submitted next: see
    /// [`raw::Queue::wait_for_value`].
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for).
    pub fn wait_for_value(&mut self, signal: &Signal, condition: Condition, value: i64) -> Result<()> {
        self.tracked.submit_without_memory(|raw| raw.wait_for_value(signal, condition, value))
    }

    /// Makes the queue wait until the work is done, before whatever is submitted next: see
    /// [`raw::Queue::wait_for_work`].
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Abandoned`](crate::Error::Abandoned) when the other queue was
    /// dropped before the work was done.
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

    /// Submits packets as they are. The work is all of them, and what was submitted before.
    ///
    /// Which signals they wait for and complete is not looked at. A wait for a signal that only such a packet completes
    /// does not end when the queue stops or is dropped: wait for the work, by the queue or a [`Ticket`], use
    /// [`signal`](Self::signal), or submit to a [`raw::Queue`] with
    /// [`raw::Submission::with_links`].
    ///
    /// # Safety
    /// Whatever the packets name (kernels, arguments, signals, commands) is what the packet processor takes it for and
    /// lasts until it is done with them; their kernels touch only memory that they may.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Value`](crate::Error::Value) for more packets than the ring can
    /// hold.
    pub unsafe fn submit<'b>(&mut self, packets: &[Packet]) -> Result<Pending<'b>> {
        // SAFETY: the caller's promise.
        self.tracked.submit_without_memory(|raw| unsafe { raw.submit(packets) }.map(drop))?;
        Ok(self.tracked.pending(self.tracked.submitted().count() - 1))
    }

    /// Waits until the work is done, and everything that was submitted before it.
    ///
    /// # Errors
    /// [`Error::Timeout`](crate::Error::Timeout), [`Error::OtherQueue`](crate::Error::OtherQueue),
    /// [`Error::Forked`](crate::Error::Forked), [`Error::Request`](crate::Error::Request).
    /// [`Error::Stopped`](crate::Error::Stopped) and [`Error::Lost`](crate::Error::Lost) when the queue or its device
    /// cannot go on, [`Error::Abandoned`](crate::Error::Abandoned) when a queue was dropped that is to complete a
    /// signal which it waits for; both also for queues on which it depends. The work may then not be done, and slices
    /// of its buffers stay refused until it is.
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

    /// The names of the kernels that were submitted and are not known to be done: see
    /// [`raw::Queue::unfinished_kernels`](crate::raw::Queue::unfinished_kernels).
    pub fn unfinished_kernels(&self) -> Vec<String> {
        self.tracked.raw.unfinished_kernels()
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.tracked.wait_idle(wait)
    }

    /// Waits until the older half of the work is done, which makes room for more. With [`Wait::Poll`] it makes no
    /// system call in the first five seconds.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.tracked.wait_for_room(wait)
    }

    /// Submits what is staged as these packets, with arguments that end there in their ring. Returns the number of the
    /// work.
    #[inline]
    pub(crate) fn submit_staged(
        &mut self,
        packets: &[Packet],
        links: &[SignalLink<'_>],
        arguments_end: u64,
    ) -> Result<u64> {
        self.tracked.check_room()?;
        // SAFETY: all that the packets name is staged, and so kept until they are done.
        let number = unsafe { self.tracked.raw.hand_over(packets, links) }?;
        self.tracked.in_flight.note(number, arguments_end);
        Ok(number)
    }

    pub(crate) fn gpu(&self) -> &'static Gpu {
        self.tracked.raw.gpu()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if !self.tracked.raw.end() {
            // A kernel may still read them.
            self.arguments.memory().forget();
        }
    }
}
