//! Compute queues, by packets.

mod waits;

use aql::{BarrierAnd, Control, IndirectBuffer, Packet, Pm4Ib, Scope};

use super::submission::{Room, Submission};
use super::submitted::{Ended, RawQueue, Submitted};
use crate::error::COMPUTE;
use crate::family::INVALIDATE_CACHES;
use crate::queues::compute::layout::Sizes;
use crate::queues::compute::{COMMANDS_OFFSET, Hardware};
use crate::queues::device::Gpu;
use crate::queues::progress::{QueueState, SignalLink};
use crate::{Device, Error, QueueOptions, Result, Signal, Ticket, Wait};

/// A compute (AQL) queue that is given packets.
///
/// Packets are begun in their order; one with the barrier bit waits until all before it are done. What they read and
/// write is visible to others as their fences say. A queue belongs to one thread at a time, and can be sent to others.
/// Dropping it ends what still runs in it. When something in it goes wrong, it stops, and the others go on
/// ([`Error::Stopped`]).
///
/// # Waiting
/// [`wait_for`](Self::wait_for) is a barrier-AND packet. [`wait_for_value`](Self::wait_for_value) and
/// [`wait_for_work`](Self::wait_for_work) are AMD's barrier-value packet, which AMD's runtime uses on gfx90a and gfx94x
/// only: whether the firmware of a gfx908 has it, only hardware can tell. One without it stops the queue with
/// [`QueueError::Packet`](crate::QueueError::Packet).
/// [`Node::queues_wait_for_values`](crate::Node::queues_wait_for_values) answers for a GPU.
///
/// # Example
/// Two kernels that may run side by side, and what comes behind both:
/// ```no_run
/// use aql::{Control, Geometry, Kernarg, KernelDispatch, Scope};
/// use kfd::raw::Queue;
/// use kfd::{Buffer, Kernel, Placement, Wait};
/// # type Error = Box<dyn std::error::Error>;
/// # fn example(gpu: kfd::Device, left: &Kernel, right: &Kernel, arguments: [Kernarg; 2]) -> Result<(), Error> {
/// let mut queue = Queue::new(gpu)?;
/// let grid = Geometry::covering([1 << 20], [256])?;
/// let beside = Control { barrier: false, acquire: Scope::Agent, release: Scope::Agent };
/// let packet = |kernel: &Kernel, arguments| {
///     KernelDispatch::new(kernel.object(), grid).with_kernarg(arguments).with_control(beside)
/// };
/// // SAFETY: both kernels were compiled for these arguments and need no private memory; what these lead to lasts
/// // until the work is done.
/// let ticket = unsafe { queue.submit(&[packet(left, arguments[0]).into(), packet(right, arguments[1]).into()]) }?;
/// std::thread::spawn(move || ticket.wait(Wait::FOREVER)).join().expect("no panic")?;
/// # Ok(()) }
/// ```
#[doc(alias = "hsa_queue_t")]
#[doc(alias = "amd_queue_t")]
#[doc(alias = "stream")]
pub struct Queue {
    /// What gets new packets.
    hardware: Hardware,
    /// Those with less scratch memory that it continues and that are not known to be done, in their order.
    replaced: Vec<Hardware>,
    submitted: Submitted,
    gpu: &'static Gpu,
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
    /// Signals that one packet waits for.
    pub(crate) const SIGNALS: usize = 5;

    /// A queue with the default options.
    ///
    /// # Errors
    /// As of [`with`](Self::with).
    #[doc(alias = "hsa_queue_create")]
    #[doc(alias = "AMDKFD_IOC_CREATE_QUEUE")]
    pub fn new(device: Device) -> Result<Queue> {
        Queue::with(device, QueueOptions::default())
    }

    /// A queue with these options; those for arguments mean nothing here.
    ///
    /// # Errors
    /// [`Error::Value`] for options that cannot be, [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn with(device: Device, options: QueueOptions) -> Result<Queue> {
        options.check()?;
        let gpu = device.0;
        gpu.check_usable()?;
        let sizes = Sizes::of(gpu.node(), gpu.family())?;
        let state = QueueState::of_kernels(gpu)?;
        let submitted = Submitted::new(state.clone())?;
        let hardware = Hardware::new(gpu, &options, &sizes, &state)?;
        gpu.process.add_queue(state);
        Ok(Queue { hardware, replaced: Vec::new(), submitted, gpu, leaked: false, options, sizes, code_seen: 0 })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        Device(self.gpu)
    }

    /// Device address of its `amd_queue_t`, which some kernels are given. It changes with
    /// [`reserve_private_bytes`](Self::reserve_private_bytes).
    pub fn address(&self) -> u64 {
        self.hardware.memory.queue.address()
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

    /// Submits the packets as one piece of work, all or none of them: it is done when they are, and what was submitted
    /// before. Makes no system call and allocates nothing, but for more links in flight than there ever were. What was
    /// loaded by [`Module`](crate::Module) before can be run.
    ///
    /// The queue counts work by the last packet's completion signal, if that has none, the barrier bit and a release
    /// fence of system scope; else by a packet of its own behind it. So what a [`Ticket`] says is done, the host sees.
    ///
    /// # Safety
    /// Until the work is [over](Ticket::is_over): whatever the packets name (kernels, arguments, signals, commands) is
    /// what the packet processor takes it for, and lasts; kernels touch only memory that they may, and nothing else
    /// accesses that memory in a way that is a data race with them. What packets without the barrier bit do side by
    /// side is none either. A kernel has the private memory that it needs, by
    /// [`reserve_private_bytes`](Self::reserve_private_bytes).
    ///
    /// # Errors
    /// [`Error::Value`] for more packets than the ring can hold; [`Error::Abandoned`] for a link to a signal that a
    /// dropped queue was to complete, until it is set; [`Error::QueueFull`], [`Error::Stopped`], [`Error::Lost`],
    /// [`Error::Forked`]. Nothing was submitted then.
    #[inline]
    pub unsafe fn submit<'a>(&mut self, submission: impl Into<Submission<'a, Packet>>) -> Result<Ticket> {
        let Submission { items: packets, links } = submission.into();
        self.begin()?;
        links.iter().try_for_each(SignalLink::check)?;
        // Besides them one counts, one may empty caches, and one may wake a thread.
        let most = self.hardware.producer.capacity() - 3;
        if packets.len() as u64 > most {
            let expected = "at most the ring's number less three";
            return Err(Error::Value { subject: "a number of packets", value: packets.len() as u64, expected });
        }
        // SAFETY: the caller's promise.
        let number = unsafe { self.hand_over(packets, links) }?;
        Ok(self.submitted.ticket(number))
    }

    /// Waits until the work is done, and everything that was submitted to the queue before it. Unlike [`Ticket::wait`]
    /// a thread that sleeps is woken by the GPU.
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

    /// Waits until the older half of the work is done, which makes room for more. With [`Wait::Poll`] it makes no
    /// system call in the first five seconds.
    ///
    /// # Errors
    /// As of [`Ticket::wait`].
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.submitted.half(), wait)
    }

    /// The names of the kernels that were submitted and are not known to be done, in their order, each once: after a
    /// fault or a stop those that it may have been. The driver does not say which. Kernels of a
    /// [`Module`](crate::Module) that was dropped have no name. Empty in a child of a fork.
    pub fn unfinished_kernels(&self) -> Vec<String> {
        self.submitted.state.unfinished_kernels()
    }

    /// Makes sure that kernels which are submitted next have so much private (scratch) memory a work-item, at most
    /// 131056 bytes: if there is less, another queue of the driver continues this one behind all that was submitted, on
    /// the GPU, and waits for nothing here. The old one keeps its memory until it is done.
    ///
    /// # Errors
    /// [`Error::Value`], [`Error::Request`] when there is not enough memory, [`Error::QueueFull`], [`Error::Stopped`],
    /// [`Error::Lost`], [`Error::Forked`].
    pub fn reserve_private_bytes(&mut self, bytes: u32) -> Result<()> {
        self.begin()?;
        if self.has_scratch(bytes) { Ok(()) } else { self.grow_scratch(bytes) }
    }

    /// Whether all of this fits now, to be submitted by nobody else. For whoever submits to several queues: all of it
    /// or nothing.
    ///
    /// # Errors
    /// [`Error::QueueFull`] if it does not; [`Error::Value`] if it never will; [`Error::Stopped`], [`Error::Lost`],
    /// [`Error::Forked`].
    pub fn check_room(&mut self, room: Room) -> Result<()> {
        /// Besides its own packets one counts a piece of work, and one may empty caches.
        const BESIDES: u64 = 2;
        /// Itself, one that counts it, and one may empty caches.
        const OF_A_WAIT: u64 = 3;
        self.begin()?;
        let Room { submissions, waits, items } = room;
        let packets =
            items.saturating_add(submissions.saturating_mul(BESIDES)).saturating_add(waits.saturating_mul(OF_A_WAIT));
        if packets >= self.hardware.producer.capacity() {
            let expected = "less than the ring's number";
            return Err(Error::Value { subject: "a number of packets", value: packets, expected });
        }
        if self.has_room(packets) { Ok(()) } else { Err(self.full()) }
    }
}

impl RawQueue for Queue {
    #[inline]
    fn submitted(&self) -> &Submitted {
        &self.submitted
    }

    #[inline]
    fn begin(&mut self) -> Result<()> {
        self.gpu.check_usable()?;
        if let Some(error) = self.submitted.state.error() {
            return Err(self.submitted.state.stopped(error));
        }
        if !self.replaced.is_empty() {
            self.destroy_replaced();
        }
        self.submitted.settle();
        Ok(())
    }

    fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()> {
        let producer = &mut self.hardware.producer;
        let put_wake = |wake: &Signal| {
            let packet = BarrierAnd::NOP.with_control(Control::SYSTEM).with_completion(wake.handle());
            // SAFETY: the signal lives as long as the queue. There is room, as submissions leave one slot free.
            unsafe { producer.try_submit(&packet) }.is_ok()
        };
        self.submitted.wait_until(count, wait, put_wake)?;
        self.destroy_replaced();
        Ok(())
    }

    #[cold]
    fn full(&self) -> Error {
        Error::QueueFull { queue: COMPUTE, capacity: self.hardware.producer.capacity() }
    }

    fn end(&mut self) -> bool {
        let Queue { hardware, replaced, submitted, gpu, leaked, .. } = self;
        submitted.end(|| {
            // The last first, which waits for the one before it. Their signals are kept until nothing runs that
            // completes them.
            let running = std::iter::once(&mut *hardware).chain(replaced.iter_mut().rev());
            if running.filter_map(|hardware| hardware.end(gpu).err()).count() == 0 {
                return Ended::Stopped { leaked: *leaked };
            }
            // Nothing that any of them uses is given back.
            replaced.iter_mut().chain([hardware]).for_each(Hardware::forget);
            Ended::Running
        })
    }
}

impl Queue {
    /// Submits packets as one piece of work. Returns its number.
    ///
    /// # Safety
    /// As of [`submit`](Self::submit).
    #[inline]
    pub(crate) unsafe fn hand_over(&mut self, packets: &[Packet], links: &[SignalLink<'_>]) -> Result<u64> {
        let (before, last) = match packets.split_last() {
            Some((last, before)) if can_count(last) => (before, *last),
            _ => (packets, BarrierAnd::NOP.with_control(Control::SYSTEM).into()),
        };
        let last = last.with_completion(self.submitted.state.counter.handle());
        let loaded = self.gpu.code_loaded();
        let stale = self.code_seen != loaded;
        if !self.has_room(before.len() as u64 + 1 + u64::from(stale)) {
            return Err(self.full());
        }
        if stale {
            self.invalidate_instruction_caches()?;
            self.code_seen = loaded;
        }
        self.gpu.driver.publish_host_writes();
        // SAFETY: the caller's promise; the queue has its counter.
        unsafe { self.hardware.producer.try_submit_all_and(before, &last) }?;
        Ok(self.submitted.note(links))
    }

    /// Whether so many packets fit now. One slot stays free for a packet that wakes a thread.
    #[inline]
    fn has_room(&self, packets: u64) -> bool {
        self.hardware.producer.in_flight().saturating_add(packets) < self.hardware.producer.capacity()
    }

    /// Whether every kernel has `private_bytes` of scratch memory a work-item.
    #[inline]
    pub(crate) fn has_scratch(&self, private_bytes: u32) -> bool {
        u64::from(private_bytes) <= self.hardware.private_bytes()
    }

    /// Gets so much scratch memory, as [`reserve_private_bytes`](Self::reserve_private_bytes) says.
    ///
    /// Memory, place and size are not changed in the `amd_queue_t` of a queue that runs: firmware reads them when the
    /// queue is connected (a comment in ROCr's `AqlQueue::AsyncReclaimMainScratch`). ROCr writes them while the queue
    /// is suspended, or while the packet processor has stopped at a packet and asks by `queue_inactive_signal`
    /// (`AqlQueue::HandleInsufficientScratch`), for which it has a thread.
    #[cold]
    pub(crate) fn grow_scratch(&mut self, private_bytes: u32) -> Result<()> {
        let options = self.options.clone().with_private_bytes(private_bytes);
        options.check()?;
        let mut larger = Hardware::new(self.gpu, &options, &self.sizes, &self.submitted.state)?;
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
    fn destroy_replaced(&mut self) {
        while !self.replaced.is_empty() && self.replaced.get(1).unwrap_or(&self.hardware).has_begun() {
            // Whether this ends well is said in the log. It has nothing to do any more.
            self.leaked |= self.replaced.remove(0).end(self.gpu).is_err();
        }
    }

    /// Empties the instruction caches before the next packet: they may hold what was at the address of code loaded
    /// since the last one. The acquire fence of a packet does not reach them.
    #[cold]
    fn invalidate_instruction_caches(&mut self) -> Result<()> {
        let address = self.address() + COMMANDS_OFFSET as u64;
        let refused =
            || Error::Value { subject: "an address of commands", value: address, expected: "aligned to 4 bytes" };
        let commands = IndirectBuffer::new(address).map_err(|_| refused())?;
        let packet =
            Pm4Ib::new(commands, INVALIDATE_CACHES.len() as u32).map_err(|_| refused())?.with_control(Control::SYSTEM);
        // SAFETY: the commands are in the queue's own memory.
        unsafe { self.hardware.producer.try_submit(&packet) }?;
        Ok(())
    }

    pub(crate) fn gpu(&self) -> &'static Gpu {
        self.gpu
    }
}

/// Whether a packet's completion means that all before it are done too, and that the host sees what they wrote. Of
/// AMD's own packets nothing says that each completes a signal.
#[inline]
fn can_count(packet: &Packet) -> bool {
    const LAST: Control = Control { barrier: true, acquire: Scope::None, release: Scope::System };
    packet.has_at_least(LAST) && packet.completion_signal() == 0
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.end();
    }
}
