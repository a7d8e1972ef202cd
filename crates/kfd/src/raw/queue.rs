//! Compute queues, by packets.

mod waits;

use aql::{BarrierAnd, Control, IndirectBuffer, Packet, PacketType, Pm4Ib, Scope};

use super::submitted::Submitted;
use crate::error::COMPUTE;
use crate::family::INVALIDATE_CACHES;
use crate::queues::compute::layout::Sizes;
use crate::queues::compute::{COMMANDS_OFFSET, Hardware};
use crate::queues::device::Gpu;
use crate::queues::progress::{Link, QueueState, done};
use crate::queues::wait::until;
use crate::{Device, Error, QueueOptions, Result, Signal, Ticket, Wait};

/// A compute (AQL) queue that is given packets.
///
/// Packets are begun in their order; one with the barrier bit waits until all before it are done. What they read and write is visible to others as their fences say.
/// A queue belongs to one thread at a time, and can be sent to others. Dropping it ends what still runs in it. When something in it goes wrong, it stops, and
/// the others go on ([`Error::Stopped`]).
///
/// # Waiting
/// [`wait_for`](Self::wait_for) is a barrier-AND packet. [`wait_for_value`](Self::wait_for_value) and [`wait_for_work`](Self::wait_for_work) are AMD's
/// barrier-value packet, which AMD's runtime uses on gfx90a and gfx94x only: whether the firmware of a gfx908 has it, only hardware can tell. One without it stops
/// the queue with [`QueueError::Packet`](crate::QueueError::Packet). [`Node::queues_wait_for_values`](crate::Node::queues_wait_for_values) answers for a GPU.
///
/// # Example
/// Two kernels that may run side by side, and what comes behind both:
/// ```no_run
/// use aql::{Control, Geometry, Kernarg, KernelDispatch, Scope};
/// use kfd::raw::Queue;
/// use kfd::{Buffer, Kernel, Placement, Wait};
/// # fn example(gpu: kfd::Device, left: &Kernel, right: &Kernel, arguments: [Kernarg; 2]) -> Result<(), Box<dyn std::error::Error>> {
/// let mut queue = Queue::new(gpu)?;
/// let grid = Geometry::covering([1 << 20], [256])?;
/// let beside = Control { barrier: false, acquire: Scope::Agent, release: Scope::Agent };
/// let packet = |kernel: &Kernel, arguments| KernelDispatch::new(kernel.object(), grid).with_kernarg(arguments).with_control(beside);
/// // SAFETY: both kernels were compiled for these arguments and need no private memory; what these lead to lasts until the work is done.
/// let ticket = unsafe { queue.submit(&[packet(left, arguments[0]).into(), packet(right, arguments[1]).into()]) }?;
/// std::thread::spawn(move || ticket.wait(Wait::FOREVER)).join().expect("no panic")?;
/// # Ok(()) }
/// ```
pub struct Queue {
    /// What gets new packets.
    hardware: Hardware,
    /// Those with less scratch memory that it continues and that are not known to be done, in their order.
    replaced: Vec<Hardware>,
    pub(crate) submitted: Submitted,
    gpu: &'static Gpu,
    /// Interrupts the host when the queue reaches a packet that a sleeping thread put there.
    wake: Signal,
    /// Such packets submitted.
    wakes: u64,
    /// Some of it was not destroyed, and may still run.
    leaked: bool,
    /// Nothing is given to it any more.
    ended: bool,
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
        let wake = Signal::new(device, 0)?;
        let hardware = Hardware::new(gpu, &options, &sizes, &state)?;
        gpu.process.add_queue(state.clone());
        Ok(Queue {
            hardware,
            replaced: Vec::new(),
            submitted: Submitted::new(state),
            gpu,
            wake,
            wakes: 0,
            leaked: false,
            ended: false,
            options,
            sizes,
            code_seen: 0,
        })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        Device(self.gpu)
    }

    /// Device address of its `amd_queue_t`, which some kernels are given. It changes with [`get_private_bytes`](Self::get_private_bytes).
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

    /// Submits the packets as one piece of work, all or none of them: it is done when they are, and what was submitted before. Makes no system call and
    /// allocates nothing. What was loaded by [`Module`](crate::Module) before can be run.
    ///
    /// The queue counts work by the last packet's completion signal, if that has none, the barrier bit and a release fence of system scope; else by a packet
    /// of its own behind it. So what a [`Ticket`] says is done, the host sees.
    ///
    /// Which signals the packets wait for and complete is not looked at: [`submit_with`](Self::submit_with) is told, or waits for them do not end when the
    /// queue stops or is dropped.
    ///
    /// # Safety
    /// Until the work is [over](Ticket::is_over): whatever the packets name (kernels, arguments, signals, commands) is what the packet processor takes it for,
    /// and lasts; kernels touch only memory that they may, and nothing else accesses that memory in a way that is a data race with them. What packets without
    /// the barrier bit do side by side is none either. A kernel has the private memory that it needs, by [`get_private_bytes`](Self::get_private_bytes).
    ///
    /// # Errors
    /// [`Error::Value`] for more packets than the ring can hold; [`Error::QueueFull`], [`Error::Stopped`], [`Error::Lost`], [`Error::Forked`]. Nothing was
    /// submitted then.
    pub unsafe fn submit(&mut self, packets: &[Packet]) -> Result<Ticket> {
        // SAFETY: the caller's promise.
        unsafe { self.submit_with(packets, &[]) }
    }

    /// As [`submit`](Self::submit), and says which signals the packets complete and wait for. The signals are kept until the work is done. A wait for one that
    /// is to be completed ends with an error when it never will be, and so does a wait for the work when a signal that it waits for never will have its value.
    ///
    /// # Safety
    /// As of [`submit`](Self::submit).
    ///
    /// # Errors
    /// As of [`submit`](Self::submit); [`Error::Abandoned`] for a signal to be waited for that a dropped queue was to complete, until it is set.
    pub unsafe fn submit_with(&mut self, packets: &[Packet], links: &[Link<'_>]) -> Result<Ticket> {
        self.begin()?;
        links.iter().try_for_each(Link::check)?;
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

    /// Waits until the work is done, and everything that was submitted to the queue before it. Unlike [`Ticket::wait`] a thread that sleeps is woken by the
    /// GPU.
    ///
    /// # Errors
    /// [`Error::OtherQueue`], else as of [`Ticket::wait`].
    pub fn wait(&mut self, ticket: &Ticket, wait: Wait) -> Result<()> {
        if !ticket.is_of(self.submitted.state.id) {
            return Err(Error::OtherQueue);
        }
        self.wait_until(ticket.number() + 1, wait)
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    /// As of [`Ticket::wait`].
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.submitted.count(), wait)
    }

    /// Waits until the older half of the work is done, which makes room for more. With [`Wait::Poll`] it makes no system call in the first five seconds.
    ///
    /// # Errors
    /// As of [`Ticket::wait`].
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.submitted.half(), wait)
    }

    /// The names of the kernels that were submitted and are not known to be done, in their order, each once: after a fault or a stop those that it may have been. The
    /// driver does not say which. Kernels of a [`Module`](crate::Module) that was dropped have no name. Empty in a child of a fork.
    pub fn unfinished_kernels(&self) -> Vec<String> {
        self.submitted.state.unfinished_kernels()
    }

    /// Makes sure that kernels which are submitted next have so much private (scratch) memory a work-item, at most 131056 bytes: if there is less, another
    /// queue of the driver continues this one behind all that was submitted, on the GPU, and waits for nothing here. The old one keeps its memory until it is done.
    ///
    /// # Errors
    /// [`Error::Value`], [`Error::Request`] when there is not enough memory, [`Error::QueueFull`], [`Error::Stopped`], [`Error::Lost`], [`Error::Forked`].
    pub fn get_private_bytes(&mut self, bytes: u32) -> Result<()> {
        self.begin()?;
        if self.has_scratch(bytes) { Ok(()) } else { self.get_scratch(bytes) }
    }
}

impl Queue {
    /// Before another piece of work: whether there can be one.
    #[inline]
    pub(crate) fn begin(&mut self) -> Result<()> {
        self.gpu.check_usable()?;
        if let Some(error) = self.submitted.state.error() {
            return Err(self.submitted.state.stopped(error));
        }
        if !self.replaced.is_empty() {
            self.let_go_of_replaced();
        }
        self.submitted.settle();
        Ok(())
    }

    /// Submits packets as one piece of work. Returns its number.
    ///
    /// # Safety
    /// As of [`submit`](Self::submit).
    #[inline]
    pub(crate) unsafe fn hand_over(&mut self, packets: &[Packet], links: &[Link<'_>]) -> Result<u64> {
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

    /// Waits until `count` pieces of work are done.
    pub(crate) fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()> {
        let Queue { hardware: Hardware { producer, .. }, submitted, wake, wakes, gpu, .. } = self;
        let state = submitted.state.clone();
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
        self.submitted.settle();
        self.let_go_of_replaced();
        Ok(())
    }

    /// Whether so many packets fit now. One slot stays free for a packet that wakes a thread.
    #[inline]
    fn has_room(&self, packets: u64) -> bool {
        self.hardware.producer.in_flight().saturating_add(packets) < self.hardware.producer.capacity()
    }

    /// Refuses so many packets if there is no room for them.
    pub(crate) fn need_room(&self, packets: u64) -> Result<()> {
        if packets >= self.hardware.producer.capacity() {
            return Err(Error::Value {
                subject: "a number of packets",
                value: packets,
                expected: "less than the ring's number",
            });
        }
        if self.has_room(packets) { Ok(()) } else { Err(self.full()) }
    }

    #[cold]
    pub(crate) fn full(&self) -> Error {
        Error::QueueFull { queue: COMPUTE, capacity: self.hardware.producer.capacity() }
    }

    /// Whether every kernel has `private_bytes` of scratch memory a work-item.
    #[inline]
    pub(crate) fn has_scratch(&self, private_bytes: u32) -> bool {
        u64::from(private_bytes) <= self.hardware.private_bytes()
    }

    /// Gets so much, as [`get_private_bytes`](Self::get_private_bytes) says.
    ///
    /// Memory, place and size are not changed in the `amd_queue_t` of a queue that runs: firmware reads them when the queue is connected (a comment
    /// in ROCr's `AqlQueue::AsyncReclaimMainScratch`). ROCr writes them while the queue is suspended, or while the packet processor has stopped at a
    /// packet and asks by `queue_inactive_signal` (`AqlQueue::HandleInsufficientScratch`), for which it has a thread.
    #[cold]
    pub(crate) fn get_scratch(&mut self, private_bytes: u32) -> Result<()> {
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
    fn let_go_of_replaced(&mut self) {
        while !self.replaced.is_empty() && self.replaced.get(1).unwrap_or(&self.hardware).has_begun() {
            // Whether this ends well is said in the log. It has nothing to do any more.
            self.leaked |= self.replaced.remove(0).end(self.gpu).is_err();
        }
    }

    /// Empties the instruction caches before the next packet: they may hold what was at the address of code loaded since the last one. The acquire fence of
    /// a packet does not reach them.
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

/// Whether a packet's completion means that all before it are done too, and that the host sees what they wrote. Of AMD's own packets nothing says that each
/// completes a signal.
#[inline]
fn can_count(packet: &Packet) -> bool {
    const LAST: Control = Control { barrier: true, acquire: Scope::None, release: Scope::System };
    is_hsas_with(packet, LAST) && packet.completion_signal() == 0
}

/// Whether it is one of HSA's packets with the barrier bit and fences of system scope where `control` has these.
#[inline]
pub(super) fn is_hsas_with(packet: &Packet, control: Control) -> bool {
    let is_hsas =
        matches!(packet.packet_type(), PacketType::KernelDispatch | PacketType::BarrierAnd | PacketType::BarrierOr);
    // Of the scope's two bits a packet has that of system scope alone, or the other.
    let wanted = control.header(PacketType::VendorSpecific);
    is_hsas && packet.header() & wanted == wanted
}

impl Queue {
    /// Ends it, if it has not been. Whether nothing of it runs any more; in a child of a fork nothing did.
    pub(crate) fn end(&mut self) -> bool {
        if self.gpu.driver.is_forked() {
            return true;
        }
        if !std::mem::replace(&mut self.ended, true) {
            self.destroy();
        }
        self.submitted.state.has_ended()
    }

    fn destroy(&mut self) {
        // The last first, which waits for the one before it. Their signals are kept until nothing runs that completes them.
        let running = std::iter::once(&mut self.hardware).chain(self.replaced.iter_mut().rev());
        let not_ended = running.filter_map(|hardware| hardware.end(self.gpu).err()).count();
        if not_ended != 0 {
            // Nothing that any of them uses is given back.
            self.replaced.iter_mut().chain([&mut self.hardware]).for_each(Hardware::forget);
            self.submitted.forget();
            self.wake.forget();
            return;
        }
        self.submitted.abandon();
        if !self.leaked {
            self.gpu.process.remove_queue(&self.submitted.state);
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.end();
    }
}
