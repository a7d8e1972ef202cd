//! Compute queues.

mod pending;

use crate::raw::{self, ArgumentMemory, Gpu, Link};
use crate::typed::in_flight::InFlight;
use crate::typed::launch::LaunchArguments;
use crate::{Device, QueueOptions, Result, Signal, Ticket, Wait};
use aql::{Condition, Packet};
pub use pending::Pending;

/// A compute (AQL) queue of a device. Its packets run one after the other.
///
/// It belongs to one thread at a time, and can be sent to others. Dropping it ends what still runs in it; waits for signals that it was to complete
/// then end with [`Error::Abandoned`](crate::Error::Abandoned). When something in it goes wrong, it stops, and the others go on ([`Error::Stopped`](crate::Error::Stopped)).
#[derive(Debug)]
pub struct Queue {
    pub(crate) raw: raw::Queue,
    pub(crate) in_flight: InFlight,
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
    /// [`Error::Value`](crate::Error::Value) for options that cannot be, [`Error::Request`](crate::Error::Request), [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn with(device: Device, options: QueueOptions) -> Result<Queue> {
        options.check()?;
        let arguments = ArgumentMemory::new(device, options.argument_bytes)?;
        let packets = options.packets as usize;
        let raw = raw::Queue::with(device, options)?;
        let in_flight = InFlight::new(raw.submitted.ticket(0), packets);
        Ok(Queue { raw, in_flight, arguments, launch_arguments: LaunchArguments::new() })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        self.raw.device()
    }

    /// Changes its priority, 0 to 15.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value), [`Error::Request`](crate::Error::Request), [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn set_priority(&mut self, priority: u32) -> Result<()> {
        self.raw.set_priority(priority)
    }

    /// Changes which compute units its kernels may run on; see [`QueueOptions::with_cu_mask`].
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value), [`Error::Request`](crate::Error::Request), [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn set_cu_mask(&mut self, mask: &[u32]) -> Result<()> {
        self.raw.set_cu_mask(mask)
    }

    /// Makes the queue wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// [`Error::Abandoned`](crate::Error::Abandoned) for a signal that a dropped queue was to complete, until it is set; [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Stopped`](crate::Error::Stopped),
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        signals.iter().try_for_each(|signal| signal.check_awaitable(Condition::Eq, 0))?;
        signals.chunks(raw::Queue::SIGNALS).try_for_each(|some| self.submit_raw(|raw| raw.wait_for(some)))
    }

    /// Makes the queue wait until the signal's value compares so with `value`, before whatever is submitted next: see [`raw::Queue::wait_for_value`].
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for).
    pub fn wait_for_value(&mut self, signal: &Signal, condition: Condition, value: i64) -> Result<()> {
        self.submit_raw(|raw| raw.wait_for_value(signal, condition, value))
    }

    /// Makes the queue wait until the work is done, before whatever is submitted next: see [`raw::Queue::wait_for_work`].
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Abandoned`](crate::Error::Abandoned) when the other queue was dropped before the work was done.
    pub fn wait_for_work(&mut self, ticket: &Ticket) -> Result<()> {
        self.submit_raw(|raw| raw.wait_for_work(ticket))
    }

    /// Decrements the signal when everything that was submitted before is done.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for).
    pub fn signal(&mut self, signal: &Signal) -> Result<()> {
        self.submit_raw(|raw| raw.signal(signal))
    }

    /// Submits packets as they are. The work is all of them, and what was submitted before.
    ///
    /// Which signals they wait for and complete is not looked at. A wait for a signal that only such a packet completes does not end when the queue stops
    /// or is dropped: wait for the work, by the queue or a [`Ticket`], use [`signal`](Self::signal), or say so by
    /// [`raw::Queue::submit_with`].
    ///
    /// # Safety
    /// Whatever the packets name (kernels, arguments, signals, commands) is what the packet processor takes it for and lasts until it is done
    /// with them; their kernels touch only memory that they may.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Value`](crate::Error::Value) for more packets than the ring can hold.
    pub unsafe fn submit<'b>(&mut self, packets: &[Packet]) -> Result<Pending<'b>> {
        // SAFETY: the caller's promise.
        self.submit_raw(|raw| unsafe { raw.submit(packets) }.map(drop))?;
        Ok(Pending::new(&self.raw.submitted, self.raw.submitted.count() - 1))
    }

    /// Waits until the work is done, and everything that was submitted before it.
    ///
    /// # Errors
    /// [`Error::Timeout`](crate::Error::Timeout), [`Error::OtherQueue`](crate::Error::OtherQueue), [`Error::Forked`](crate::Error::Forked), [`Error::Request`](crate::Error::Request). [`Error::Stopped`](crate::Error::Stopped) and [`Error::Lost`](crate::Error::Lost) when the queue or its
    /// device cannot go on, [`Error::Abandoned`](crate::Error::Abandoned) when a queue was dropped that is to complete a signal which it waits for; both also for queues
    /// on which it depends. The work may then not be done, and slices of its buffers stay refused until it is.
    pub fn wait(&mut self, pending: &Pending<'_>, wait: Wait) -> Result<()> {
        let number = pending.number_in(&self.raw.submitted)?;
        self.wait_until(number + 1, wait)
    }

    /// Whether the work is done. Makes no system call.
    pub fn is_done(&self, pending: &Pending<'_>) -> bool {
        pending.number_in(&self.raw.submitted).is_ok_and(|number| self.raw.submitted.done() > number)
    }

    /// The work without its borrow, for other threads to ask and wait for.
    ///
    /// # Errors
    /// [`Error::OtherQueue`](crate::Error::OtherQueue)
    pub fn ticket(&self, pending: &Pending<'_>) -> Result<Ticket> {
        pending.ticket_in(&self.raw.submitted)
    }

    /// The names of the kernels that were submitted and are not known to be done: see [`raw::Queue::unfinished_kernels`](crate::raw::Queue::unfinished_kernels).
    pub fn unfinished_kernels(&self) -> Vec<String> {
        self.raw.unfinished_kernels()
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.raw.submitted.count(), wait)
    }

    /// Waits until the older half of the work is done, which makes room for more. With [`Wait::Poll`] it makes no system call in the first five seconds.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.raw.submitted.half(), wait)
    }

    /// Waits until `count` pieces of work are done, and lets go of what they needed.
    fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()> {
        self.raw.wait_until(count, wait)?;
        self.retire();
        Ok(())
    }

    /// Lets go of what work that is done needed.
    #[inline]
    pub(crate) fn retire(&mut self) {
        self.in_flight.retire(self.raw.submitted.done());
    }

    /// Begins to put a piece of work together.
    #[inline]
    pub(crate) fn stage(&mut self) -> Result<()> {
        self.raw.begin()?;
        self.in_flight.unstage();
        // Each time: whoever waited by a signal or a ticket has not asked the queue, and may want the memory.
        self.retire();
        Ok(())
    }

    /// Submits a piece of work that needs no memory, if any.
    fn submit_raw(&mut self, submit: impl FnOnce(&mut raw::Queue) -> Result<()>) -> Result<()> {
        self.stage()?;
        self.has_room()?;
        let before = self.raw.submitted.count();
        submit(&mut self.raw)?;
        if self.raw.submitted.count() != before {
            self.in_flight.note(before, self.arguments.end());
        }
        Ok(())
    }

    /// Submits what is staged as these packets, with arguments that end there in their ring. Returns the number of the work.
    #[inline]
    pub(crate) fn submit_staged(&mut self, packets: &[Packet], links: &[Link<'_>], arguments_end: u64) -> Result<u64> {
        self.has_room()?;
        // SAFETY: all that the packets name is staged, and so kept until they are done.
        let number = unsafe { self.raw.hand_over(packets, links) }?;
        self.in_flight.note(number, arguments_end);
        Ok(number)
    }

    /// Refuses a piece of work for which there is no room in the table.
    #[inline]
    fn has_room(&self) -> Result<()> {
        if self.in_flight.has_room(self.raw.submitted.count()) { Ok(()) } else { Err(self.raw.full()) }
    }

    pub(crate) fn gpu(&self) -> &'static Gpu {
        self.raw.gpu()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if !self.raw.end() {
            // Nothing that it uses is given back.
            self.in_flight.forget();
            self.arguments.memory().forget();
        }
    }
}
