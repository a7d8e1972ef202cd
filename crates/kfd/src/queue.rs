//! Compute queues.

mod arguments;
mod create;
mod layout;
mod options;
mod pending;

use std::sync::Arc;

use aql::{BarrierAnd, Control, IndirectBuffer, MmioDoorbell, Packet, Pm4Ib, SingleProducer};
use kfd_sys::*;

use crate::device::Gpu;
use crate::driver::{lock, request};
use crate::error::COMPUTE;
use crate::fault::QueueError;
use crate::in_flight::{InFlight, Keep, done};
use crate::launch::Given;
use crate::memory::Memory;
use crate::wait::{Wait, until};
use crate::{Device, Error, Result, Signal};
use arguments::Arguments;
pub(crate) use arguments::MOST_ALIGN;
use create::{COMMANDS_OFFSET, EMPTY_CACHES, NO_QUEUE, QueueMemory, create, scratch};
pub(crate) use create::{destroy, destroy_unfinished};
use layout::{Scratch, Sizes};
pub use options::QueueOptions;
pub use pending::Pending;

/// What a device knows of a queue.
#[derive(Debug)]
pub(crate) struct QueueState {
    /// Gets an error of the queue; SDMA queues have none.
    pub inactive: Option<Signal>,
}

impl QueueState {
    pub fn error(&self) -> Option<QueueError> {
        match self.inactive.as_ref()?.value() {
            0 => None,
            bits => Some(QueueError::from_bits(bits as u64)),
        }
    }
}

/// A compute (AQL) queue of a device. Its packets run one after the other.
///
/// It belongs to one thread at a time, and can be sent to others. Dropping it ends what still runs in it; signals that it was to complete
/// then end their waits with [`Error::Abandoned`].
pub struct Queue {
    /// Before the memory that it points to.
    producer: SingleProducer<'static, MmioDoorbell>,
    pub(crate) in_flight: InFlight,
    pub(crate) arguments: Arguments,
    /// What the launch that is being put together was given.
    pub(crate) given: Given,
    gpu: &'static Gpu,
    state: Arc<QueueState>,
    /// Interrupts the host when the queue reaches a packet that a sleeping thread put there.
    wake: Signal,
    /// Such packets submitted.
    wakes: u64,
    /// [`NO_QUEUE`] once it was destroyed, or could not be.
    id: u32,
    /// It was not destroyed: it may still run.
    leaked: bool,
    options: QueueOptions,
    sizes: Sizes,
    memory: QueueMemory,
    scratch: (Scratch, Option<Memory>),
    /// Which code the instruction caches are known not to hide.
    code_seen: u64,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("gpu", &self.gpu.id()).field("id", &self.id).finish_non_exhaustive()
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
        let inactive = Signal::polled(device, 0)?;
        // One event for the errors of all queues: every wait is for it.
        inactive.raises(lock(&gpu.driver.events).process().queue);
        let mut memory = QueueMemory::new(gpu, &options, &sizes)?;
        let mut scratch = scratch(gpu, options.private_bytes)?;
        let in_flight = InFlight::new(device, options.packets as usize)?;
        let arguments = Arguments::new(gpu, options.argument_bytes)?;
        let wake = Signal::new(device, 0)?;
        let state = Arc::new(QueueState { inactive: Some(inactive) });
        let (id, producer) = create(gpu, &options, &sizes, &mut memory, &mut scratch, &state)?;
        gpu.add_queue(state.clone());
        let queue = Queue {
            producer,
            in_flight,
            arguments,
            given: Given::new(),
            gpu,
            state,
            wake,
            wakes: 0,
            id,
            leaked: false,
            options,
            sizes,
            memory,
            scratch,
            code_seen: 0,
        };
        queue.keep_cu_mask()?;
        Ok(queue)
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
        let mut args = kfd_ioctl_update_queue_args {
            ring_base_address: self.memory.ring.address(),
            queue_id: self.id,
            ring_size: self.memory.ring.bytes() as u32,
            queue_percentage: KFD_MAX_QUEUE_PERCENTAGE,
            queue_priority: priority,
        };
        let what = "a queue's priority";
        request!(self.gpu.driver, AMDKFD_IOC_UPDATE_QUEUE, amdkfd_ioc_update_queue, what, &mut args)?;
        self.options = options;
        Ok(())
    }

    /// Changes which compute units its kernels may run on; see [`QueueOptions::with_cu_mask`].
    ///
    /// # Errors
    /// [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn set_cu_mask(&mut self, mask: &[u32]) -> Result<()> {
        self.gpu.check_usable()?;
        if mask.is_empty() {
            let units = self.gpu.node().compute_units();
            self.apply_cu_mask(&vec![u32::MAX; units.div_ceil(32) as usize])?;
        } else {
            self.apply_cu_mask(mask)?;
        }
        self.options.cu_mask = mask.to_vec();
        Ok(())
    }

    /// Gives the mask to the driver's new queue, which runs everywhere.
    fn keep_cu_mask(&self) -> Result<()> {
        if self.options.cu_mask.is_empty() { Ok(()) } else { self.apply_cu_mask(&self.options.cu_mask) }
    }

    fn apply_cu_mask(&self, mask: &[u32]) -> Result<()> {
        let mut args = kfd_ioctl_set_cu_mask_args {
            queue_id: self.id,
            num_cu_mask: mask.len() as u32 * 32,
            cu_mask_ptr: mask.as_ptr().expose_provenance() as u64,
        };
        request!(self.gpu.driver, AMDKFD_IOC_SET_CU_MASK, amdkfd_ioc_set_cu_mask, "a queue's compute units", &mut args)
    }

    /// Makes the queue wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// [`Error::QueueFull`], [`Error::Lost`], [`Error::Forked`].
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        signals.iter().try_for_each(|signal| signal.check_fork())?;
        for five in signals.chunks(5) {
            self.stage()?;
            let handle = |index: usize| five.get(index).map(|signal| signal.handle());
            let packet = BarrierAnd::new(std::array::from_fn(handle));
            let keeps = five.iter().map(|signal| Keep::Awaits { _signal: (*signal).clone() });
            self.in_flight.staged.extend(keeps);
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
        self.in_flight.staged.push(Keep::Completes(signal.clone()));
        self.submit_staged(&[packet.into(), self.counted(BarrierAnd::NOP).into()], None)?;
        Ok(())
    }

    /// Submits packets as they are. The work is all of them, and what was submitted before.
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
        let most = self.producer.capacity() - 3;
        if packets.len() as u64 > most {
            let must = "at most the ring's number less three";
            return Err(Error::Value { what: "a number of packets", value: packets.len() as u64, must });
        }
        self.has_room(packets.len() as u64 + 2)?;
        self.see_new_code()?;
        self.gpu.driver.publish_host_writes();
        // SAFETY: the caller's promise.
        unsafe { self.producer.try_submit_all(packets) }?;
        let number = self.submit_staged(&[self.counted(BarrierAnd::NOP).into()], None)?;
        Ok(Pending::new(&self.in_flight, number))
    }

    /// Waits until the work is done, and everything that was submitted before it.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`], [`Error::OtherQueue`], [`Error::Forked`], [`Error::Request`]. The work is then not known to be
    /// done, and slices of its buffers stay refused.
    pub fn wait(&mut self, pending: &Pending<'_>, wait: Wait) -> Result<()> {
        let number = pending.number_in(&self.in_flight)?;
        self.wait_until(number + 1, wait)
    }

    /// Whether the work is done. Makes no system call.
    pub fn is_done(&self, pending: &Pending<'_>) -> bool {
        pending.number_in(&self.in_flight).is_ok_and(|number| self.in_flight.done() > number)
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.in_flight.submitted(), wait)
    }

    /// Waits until the older half of the work is done, which makes room for more. With [`Wait::Poll`] it makes no system call.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait).
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.in_flight.half(), wait)
    }

    /// Waits until `count` pieces of work are done, and lets go of what they needed.
    fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()> {
        let Queue { producer, in_flight, wake, wakes, gpu, .. } = self;
        let counter = in_flight.counter.clone();
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
        until(gpu, wait, "work of a queue", [event].into_iter(), wake_up, || done(&counter) >= count)?;
        self.in_flight.retire();
        Ok(())
    }

    /// Begins to put a piece of work together.
    #[inline]
    pub(crate) fn stage(&mut self) -> Result<()> {
        self.gpu.driver.check_fork()?;
        if self.gpu.is_lost() || self.state.error().is_some() {
            self.gpu.check_queues()?;
        }
        if self.id == NO_QUEUE {
            return Err(Error::Abandoned);
        }
        self.in_flight.staged.clear();
        if !self.in_flight.has_room() {
            self.in_flight.retire();
        }
        Ok(())
    }

    /// Makes `packet` the last of a piece of work.
    fn counted(&self, packet: BarrierAnd) -> BarrierAnd {
        packet.with_control(Control::SYSTEM).with_completion(self.in_flight.counter.handle())
    }

    /// Submits what is staged as `packets`, the last of which counts.
    #[inline]
    pub(crate) fn submit_staged(&mut self, packets: &[Packet], arguments_end: Option<u64>) -> Result<u64> {
        self.has_room(packets.len() as u64)?;
        self.gpu.driver.publish_host_writes();
        // SAFETY: all that the packets name is staged, and so kept until they are done.
        unsafe { self.producer.try_submit_all(packets) }?;
        let end = arguments_end.unwrap_or(self.arguments.end());
        Ok(self.in_flight.note(end))
    }

    /// Refuses packets for which there is no room. One slot stays free for a packet that wakes a thread.
    #[inline]
    fn has_room(&self, packets: u64) -> Result<()> {
        let capacity = self.producer.capacity();
        let room = self.in_flight.has_room() && self.producer.in_flight() + packets < capacity;
        if room { Ok(()) } else { Err(self.full()) }
    }

    #[cold]
    pub(crate) fn full(&self) -> Error {
        Error::QueueFull { queue: COMPUTE, capacity: self.producer.capacity() }
    }
}

impl Queue {
    /// Makes sure that every launch has `private_bytes` of scratch memory a work-item. If that is more than there is, the queue has to
    /// become idle and is made anew: the packet processor reads how much there is when a queue is put on the GPU.
    pub(crate) fn need_scratch(&mut self, private_bytes: u32) -> Result<()> {
        if u64::from(private_bytes) <= self.scratch.0.private_bytes() {
            return Ok(());
        }
        let options = self.options.clone().with_private_bytes(private_bytes);
        options.check()?;
        self.wait_idle(Wait::FOREVER)?;
        let mut larger = scratch(self.gpu, private_bytes)?;
        self.end()?;
        (self.id, self.producer) = create(self.gpu, &options, &self.sizes, &mut self.memory, &mut larger, &self.state)?;
        self.options = options;
        // The old memory is given back here, when no queue has it any more.
        self.scratch = larger;
        // Packets that were to wake somebody are over, whether they ran or not.
        self.wakes = done(&self.wake);
        if let Err(error) = self.keep_cu_mask() {
            // Nothing may run where it must not. Whether this ends well is said in the log, and the queue is gone in any case.
            _ = self.end();
            return Err(error);
        }
        Ok(())
    }

    /// Makes sure that code which was loaded since the last call is not hidden by the instruction caches.
    pub(crate) fn see_new_code(&mut self) -> Result<()> {
        let loaded = self.gpu.code_loaded.load(std::sync::atomic::Ordering::Acquire);
        if self.code_seen != loaded {
            self.empty_instruction_caches()?;
            self.code_seen = loaded;
        }
        Ok(())
    }

    /// Empties the instruction caches before the next packet: they may hold what was at the address of new code before. The acquire fence of
    /// a packet does not reach them.
    fn empty_instruction_caches(&mut self) -> Result<()> {
        self.has_room(1)?;
        let address = self.memory.queue.address() + COMMANDS_OFFSET as u64;
        let refused = || Error::Value { what: "an address of commands", value: address, must: "aligned to 4 bytes" };
        let commands = IndirectBuffer::new(address).map_err(|_| refused())?;
        let packet =
            Pm4Ib::new(commands, EMPTY_CACHES.len() as u32).map_err(|_| refused())?.with_control(Control::SYSTEM);
        // SAFETY: the commands are in the queue's own memory.
        unsafe { self.producer.try_submit(&packet) }?;
        Ok(())
    }

    /// Device address of its `amd_queue_t`.
    pub(crate) fn address(&self) -> u64 {
        self.memory.queue.address()
    }

    pub(crate) fn gpu(&self) -> &'static Gpu {
        self.gpu
    }

    /// Destroys it, if it is there. What was not destroyed may still run: nothing that it uses is given back then, and the device does not
    /// recover.
    fn end(&mut self) -> Result<()> {
        let id = std::mem::replace(&mut self.id, NO_QUEUE);
        if id == NO_QUEUE {
            return Ok(());
        }
        destroy(self.gpu, id).inspect_err(|error| {
            self.leaked = true;
            self.in_flight.forget();
            self.wake.forget();
            self.memory.forget();
            self.arguments.memory().forget();
            self.scratch.1.iter_mut().for_each(Memory::forget);
            tracing::error!(%error, queue = id, "a queue was not destroyed");
        })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.gpu.driver.is_forked() {
            return;
        }
        if !self.leaked && self.end().is_ok() {
            self.in_flight.abandon();
            self.gpu.remove_queue(&self.state);
        }
    }
}
