//! Compute queues.

mod arguments;
mod pending;

use aql::{BarrierAnd, Control, IndirectBuffer, Packet, Pm4Ib};

use crate::error::COMPUTE;
use crate::queues::compute::layout::Sizes;
use crate::queues::compute::{COMMANDS_OFFSET, Hardware, INVALIDATE_CACHES};
use crate::queues::device::Gpu;
use crate::queues::progress::{Link, QueueState, done};
use crate::queues::wait::{Wait, until};
use crate::typed::in_flight::InFlight;
use crate::typed::launch::LaunchArguments;
use crate::{Device, Error, QueueOptions, Result, Signal, Ticket};
use arguments::Arguments;
pub(crate) use arguments::MOST_ALIGN;
pub use pending::Pending;

/// A compute (AQL) queue of a device. Its packets run one after the other.
///
/// It belongs to one thread at a time, and can be sent to others. Dropping it ends what still runs in it; waits for signals that it was to complete
/// then end with [`Error::Abandoned`]. When something in it goes wrong, it stops, and the others go on ([`Error::Stopped`]).
pub struct Queue {
    /// What gets new packets.
    hardware: Hardware,
    /// Those with less scratch memory that it continues and that are not known to be done, in their order.
    replaced: Vec<Hardware>,
    pub(crate) in_flight: InFlight,
    pub(crate) arguments: Arguments,
    /// What the launch that is being put together was given.
    pub(crate) launch_arguments: LaunchArguments,
    gpu: &'static Gpu,
    /// Interrupts the host when the queue reaches a packet that a sleeping thread put there.
    wake: Signal,
    /// Such packets submitted.
    wakes: u64,
    /// Some of it was not destroyed, and may still run.
    leaked: bool,
    options: QueueOptions,
    sizes: Sizes,
    /// Which code the instruction caches are known not to hide.
    code_seen: u64,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("gpu", &self.gpu.id()).field("id", &self.hardware.id).finish_non_exhaustive()
    }
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
    /// [`Error::Value`] for options that cannot be, [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn with(device: Device, options: QueueOptions) -> Result<Queue> {
        options.check()?;
        let gpu = device.0;
        gpu.check_usable()?;
        let sizes = Sizes::of(gpu.node())?;
        let state = QueueState::of_kernels(gpu)?;
        let in_flight = InFlight::new(state.clone(), options.packets as usize);
        let arguments = Arguments::new(gpu, options.argument_bytes)?;
        let wake = Signal::new(device, 0)?;
        let hardware = Hardware::new(gpu, &options, &sizes, &state)?;
        gpu.process.add_queue(state);
        Ok(Queue {
            hardware,
            replaced: Vec::new(),
            in_flight,
            arguments,
            launch_arguments: LaunchArguments::new(),
            gpu,
            wake,
            wakes: 0,
            leaked: false,
            options,
            sizes,
            code_seen: 0,
        })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        Device(self.gpu)
    }

    /// Changes its priority, 0 to 15.
    ///
    /// # Errors
    /// [`Error::Value`], [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn set_priority(&mut self, priority: u32) -> Result<()> {
        let options = self.options.clone().with_priority(priority);
        options.check()?;
        self.gpu.check_usable()?;
        self.all_hardware().try_for_each(|hardware| hardware.set_priority(self.gpu, priority))?;
        self.options = options;
        Ok(())
    }

    /// Changes which compute units its kernels may run on; see [`QueueOptions::with_cu_mask`].
    ///
    /// # Errors
    /// [`Error::Value`], [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn set_cu_mask(&mut self, mask: &[u32]) -> Result<()> {
        let options = self.options.clone().with_cu_mask(mask);
        options.check()?;
        self.gpu.check_usable()?;
        if mask.is_empty() {
            let units = self.gpu.node().compute_units();
            self.apply_cu_mask(&vec![u32::MAX; units.div_ceil(32) as usize])?;
        } else {
            self.apply_cu_mask(mask)?;
        }
        self.options = options;
        Ok(())
    }

    fn apply_cu_mask(&self, mask: &[u32]) -> Result<()> {
        self.all_hardware().try_for_each(|hardware| hardware.set_cu_mask(self.gpu, mask))
    }

    /// What may still run something of it, in order.
    fn all_hardware(&self) -> impl Iterator<Item = &Hardware> {
        self.replaced.iter().chain([&self.hardware])
    }

    /// Makes the queue wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// [`Error::Abandoned`] for a signal that a dropped queue was to complete, until it is set; [`Error::QueueFull`], [`Error::Stopped`],
    /// [`Error::Lost`], [`Error::Forked`].
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        signals.iter().try_for_each(|signal| signal.check_awaitable())?;
        for five in signals.chunks(5) {
            self.stage()?;
            let handle = |index: usize| five.get(index).map(|signal| signal.handle());
            let packet = BarrierAnd::new(std::array::from_fn(handle));
            let links = five.iter().map(|signal| ((*signal).clone(), Link::Awaits));
            self.in_flight.staged_links.extend(links);
            self.submit_staged(&[self.counted(packet).into()], None)?;
        }
        Ok(())
    }

    /// Decrements the signal when everything that was submitted before is done.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for).
    pub fn signal(&mut self, signal: &Signal) -> Result<()> {
        self.stage()?;
        signal.check_fork()?;
        let packet = BarrierAnd::NOP.with_control(Control::SYSTEM).with_completion(signal.handle());
        self.in_flight.staged_links.push((signal.clone(), Link::Completes));
        self.submit_staged(&[packet.into(), self.counted(BarrierAnd::NOP).into()], None)?;
        Ok(())
    }

    /// Submits packets as they are. The work is all of them, and what was submitted before.
    ///
    /// Which signals they wait for and complete is not looked at. A wait for a signal that only such a packet completes does not end when the queue stops
    /// or is dropped: wait for the work, by the queue or a [`Ticket`], or use [`signal`](Self::signal).
    ///
    /// # Safety
    /// Whatever the packets name (kernels, arguments, signals, commands) is what the packet processor takes it for and lasts until it is done
    /// with them; their kernels touch only memory that they may.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for); [`Error::Value`] for more packets than the ring can hold.
    pub unsafe fn submit<'b>(&mut self, packets: &[Packet]) -> Result<Pending<'b>> {
        self.stage()?;
        // Besides them one counts, one may empty caches, and one may wake a thread.
        let most = self.hardware.producer.capacity() - 3;
        if packets.len() as u64 > most {
            let must = "at most the ring's number less three";
            return Err(Error::Value { what: "a number of packets", value: packets.len() as u64, must });
        }
        self.has_room(packets.len() as u64 + 2)?;
        self.invalidate_stale_code()?;
        self.gpu.driver.publish_host_writes();
        // SAFETY: the caller's promise.
        unsafe { self.hardware.producer.try_submit_all(packets) }?;
        let number = self.submit_staged(&[self.counted(BarrierAnd::NOP).into()], None)?;
        Ok(Pending::new(&self.in_flight, number))
    }

    /// Waits until the work is done, and everything that was submitted before it.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::OtherQueue`], [`Error::Forked`], [`Error::Request`]. [`Error::Stopped`] and [`Error::Lost`] when the queue or its
    /// device cannot go on, [`Error::Abandoned`] when a queue was dropped that is to complete a signal which it waits for; both also for queues
    /// on which it depends. The work may then not be done, and slices of its buffers stay refused until it is.
    pub fn wait(&mut self, pending: &Pending<'_>, wait: Wait) -> Result<()> {
        let number = pending.number_in(&self.in_flight)?;
        self.wait_until(number + 1, wait)
    }

    /// Whether the work is done. Makes no system call.
    pub fn is_done(&self, pending: &Pending<'_>) -> bool {
        pending.number_in(&self.in_flight).is_ok_and(|number| self.in_flight.done() > number)
    }

    /// The work without its borrow, for other threads to ask and wait for.
    ///
    /// # Errors
    /// [`Error::OtherQueue`]
    pub fn ticket(&self, pending: &Pending<'_>) -> Result<Ticket> {
        pending.ticket_in(&self.in_flight)
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.in_flight.submitted(), wait)
    }

    /// Waits until the older half of the work is done, which makes room for more. With [`Wait::Poll`] it makes no system call in the first five seconds.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.in_flight.half(), wait)
    }

    /// Waits until `count` pieces of work are done, and lets go of what they needed.
    fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()> {
        let Queue { hardware: Hardware { producer, .. }, in_flight, wake, wakes, gpu, .. } = self;
        let state = in_flight.state.clone();
        let trouble = || state.trouble(count);
        let event = wake.event().id;
        let wake_up = || {
            // One at a time; it comes behind all that is waited for here.
            if done(wake) == *wakes {
                let packet = BarrierAnd::NOP.with_control(Control::SYSTEM).with_completion(wake.handle());
                // SAFETY: the signal lives as long as the queue. There is room, as submissions leave one slot free.
                if unsafe { producer.try_submit(&packet) }.is_ok() {
                    *wakes += 1;
                }
            }
            Ok(())
        };
        until(gpu, wait, "work of a queue", [event].into_iter(), wake_up, || state.done() >= count, trouble)?;
        self.in_flight.retire();
        self.let_go_of_replaced();
        Ok(())
    }

    /// Begins to put a piece of work together.
    #[inline]
    pub(crate) fn stage(&mut self) -> Result<()> {
        self.gpu.check_usable()?;
        if let Some(error) = self.in_flight.state.error() {
            return Err(Error::Stopped { error });
        }
        if !self.replaced.is_empty() {
            self.let_go_of_replaced();
        }
        self.in_flight.unstage();
        // Each time: whoever waited by a signal or a ticket has not asked the queue, and may want the memory.
        self.in_flight.retire();
        Ok(())
    }

    /// Makes `packet` the last of a piece of work.
    fn counted(&self, packet: BarrierAnd) -> BarrierAnd {
        packet.with_control(Control::SYSTEM).with_completion(self.in_flight.state.counter.handle())
    }

    /// Submits what is staged as `packets`, the last of which counts.
    #[inline]
    pub(crate) fn submit_staged(&mut self, packets: &[Packet], arguments_end: Option<u64>) -> Result<u64> {
        self.has_room(packets.len() as u64)?;
        self.gpu.driver.publish_host_writes();
        // SAFETY: all that the packets name is staged, and so kept until they are done.
        unsafe { self.hardware.producer.try_submit_all(packets) }?;
        let end = arguments_end.unwrap_or(self.arguments.end());
        Ok(self.in_flight.note(end))
    }

    /// Refuses packets for which there is no room. One slot stays free for a packet that wakes a thread.
    #[inline]
    fn has_room(&self, packets: u64) -> Result<()> {
        let capacity = self.hardware.producer.capacity();
        let room = self.in_flight.has_room() && self.hardware.producer.in_flight() + packets < capacity;
        if room { Ok(()) } else { Err(self.full()) }
    }

    #[cold]
    pub(crate) fn full(&self) -> Error {
        Error::QueueFull { queue: COMPUTE, capacity: self.hardware.producer.capacity() }
    }
}

impl Queue {
    /// Whether every launch has `private_bytes` of scratch memory a work-item.
    #[inline]
    pub(crate) fn has_scratch(&self, private_bytes: u32) -> bool {
        u64::from(private_bytes) <= self.hardware.private_bytes()
    }

    /// Gets so much: another queue of the driver continues this one behind all that was submitted, on the GPU, and waits for nothing here. The old
    /// one keeps its scratch memory until it is done.
    ///
    /// Memory, place and size are not changed in the `amd_queue_t` of a queue that runs: nothing says when the packet processor reads them. ROCr
    /// writes them only while it stands at a packet and asks by `queue_inactive_signal` (`AqlQueue::HandleInsufficientScratch`), for which it has a
    /// thread.
    #[cold]
    pub(crate) fn get_scratch(&mut self, private_bytes: u32) -> Result<()> {
        let options = self.options.clone().with_private_bytes(private_bytes);
        options.check()?;
        let mut larger = Hardware::new(self.gpu, &options, &self.sizes, &self.in_flight.state)?;
        if let Err(error) = larger.continue_from(self.gpu, &mut self.hardware) {
            self.leaked |= larger.end(self.gpu).is_err();
            return Err(error);
        }
        self.options = options;
        self.replaced.push(std::mem::replace(&mut self.hardware, larger));
        Ok(())
    }

    /// Destroys what was replaced and is done.
    #[cold]
    fn let_go_of_replaced(&mut self) {
        while !self.replaced.is_empty() && self.replaced.get(1).unwrap_or(&self.hardware).has_begun() {
            // Whether this ends well is said in the log. It has nothing to do any more.
            self.leaked |= self.replaced.remove(0).end(self.gpu).is_err();
        }
    }

    /// Makes sure that code which was loaded since the last call is not hidden by the instruction caches.
    pub(crate) fn invalidate_stale_code(&mut self) -> Result<()> {
        let loaded = self.gpu.code_loaded();
        if self.code_seen != loaded {
            self.invalidate_instruction_caches()?;
            self.code_seen = loaded;
        }
        Ok(())
    }

    /// Empties the instruction caches before the next packet: they may hold what was at the address of new code before. The acquire fence of
    /// a packet does not reach them.
    fn invalidate_instruction_caches(&mut self) -> Result<()> {
        self.has_room(1)?;
        let address = self.address() + COMMANDS_OFFSET as u64;
        let refused = || Error::Value { what: "an address of commands", value: address, must: "aligned to 4 bytes" };
        let commands = IndirectBuffer::new(address).map_err(|_| refused())?;
        let packet =
            Pm4Ib::new(commands, INVALIDATE_CACHES.len() as u32).map_err(|_| refused())?.with_control(Control::SYSTEM);
        // SAFETY: the commands are in the queue's own memory.
        unsafe { self.hardware.producer.try_submit(&packet) }?;
        Ok(())
    }

    /// Device address of its `amd_queue_t`.
    pub(crate) fn address(&self) -> u64 {
        self.hardware.memory.queue.address()
    }

    pub(crate) fn gpu(&self) -> &'static Gpu {
        self.gpu
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.gpu.driver.is_forked() {
            return;
        }
        // The last first, which waits for the one before it. Their signals are kept until nothing runs that completes them.
        let running = std::iter::once(&mut self.hardware).chain(self.replaced.iter_mut().rev());
        let not_ended = running.filter_map(|hardware| hardware.end(self.gpu).err()).count();
        if not_ended != 0 {
            // Nothing that any of them uses is given back.
            self.replaced.iter_mut().chain([&mut self.hardware]).for_each(Hardware::forget);
            self.in_flight.forget();
            self.wake.forget();
            self.arguments.memory().forget();
            return;
        }
        self.in_flight.abandon();
        if !self.leaked {
            self.gpu.process.remove_queue(&self.in_flight.state);
        }
    }
}
