//! Copies by the copy engines.

use std::sync::atomic::{AtomicU64, Ordering};

use aql::{Doorbell, MmioDoorbell};
use bytemuck::Pod;
use kfd_sys::*;

use crate::driver::PAGE;
use crate::driver::request;
use crate::memory::{Memory, Placement};
use crate::queues::compute::{destroy, destroy_unfinished};
use crate::queues::device::Gpu;
use crate::queues::progress::{Link, QueueState, done};
use crate::queues::sdma::{
    packet,
    ring::{self, Ring},
};
use crate::queues::wait::{Wait, until};
use crate::typed::buffer::word;
use crate::typed::in_flight::{InFlight, KeepAlive};
use crate::{Buffer, Device, Error, Pending, Result, Signal, Ticket, family};

/// Bytes of the ring: as AMD's runtime has it, and enough for a copy of more than 100 GiB.
const RING_BYTES: usize = 1 << 20;
/// Pieces of work at a time.
const WORKS: usize = 1024;
/// Bytes at the end of the ring that only the packets of [`SdmaQueue::wake_up`] use.
const RESERVED_BYTES: u64 = 512;
const _: () = assert!((SIGNAL_DWORDS + ring::MOST_PADDING) * 4 <= RESERVED_BYTES);
/// Dwords of [`SdmaQueue::put_signal`], at most.
const SIGNAL_DWORDS: u64 = 8 + 4 + 2;

/// Which copy engine a queue is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One of those for PCIe and the GPU's own memory, which the driver chooses.
    #[default]
    Any,
    /// One of those for xGMI, between GPUs.
    Xgmi,
    /// The one of this number, PCIe engines first (from version 1.17 of the driver's interface on).
    Number(u32),
}

/// A queue of a copy engine (SDMA). Its copies run one after the other, beside the kernels.
///
/// Dropping it ends what still runs in it.
pub struct SdmaQueue {
    pub(crate) in_flight: InFlight,
    gpu: &'static Gpu,
    id: u32,
    /// In `ring_memory`.
    ring: Ring,
    ring_memory: Memory,
    /// A page with both pointers.
    pointers: Memory,
    doorbell: MmioDoorbell,
    wake: Signal,
    wakes: u64,
}

impl std::fmt::Debug for SdmaQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SdmaQueue").field("gpu", &self.gpu.id()).field("id", &self.id).finish_non_exhaustive()
    }
}

/// Where the pointers are in their page.
const WRITE_POINTER: usize = 0;
const READ_POINTER: usize = 64;

impl SdmaQueue {
    /// A queue of this engine of the device.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an engine by number before version 1.17, and where its atomic operations, by which it counts, do not reach the
    /// host ([`Node::has_host_atomics`](crate::Node::has_host_atomics)); [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn new(device: Device, engine: Engine) -> Result<SdmaQueue> {
        /// `KFD_IOCTL_MINOR_VERSION` of the kernel that added KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID.
        const BY_NUMBER: u32 = 17;
        let gpu = device.0;
        gpu.check_usable()?;
        if !gpu.node().has_host_atomics() {
            let why = "the way to the host lets no atomic operations of PCI Express through (HSA_IOLINK_FLAGS_NO_ATOMICS_64_BIT), by which \
                       engines count; use Queue::copy or a Copier";
            return Err(Error::Unsupported { what: "a copy engine", why: why.into() });
        }
        let (queue_type, sdma_engine_id) = match engine {
            Engine::Any => (KFD_IOC_QUEUE_TYPE_SDMA, 0),
            Engine::Xgmi => (KFD_IOC_QUEUE_TYPE_SDMA_XGMI, 0),
            Engine::Number(number) if gpu.driver.minor() >= BY_NUMBER => (KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, number),
            Engine::Number(_) => {
                let why = format!(
                    "the driver's interface is 1.{}, engines have numbers from 1.{BY_NUMBER} on",
                    gpu.driver.minor()
                );
                return Err(Error::Unsupported { what: "a copy engine by number", why });
            }
        };
        let mut ring_memory = Memory::new(gpu, RING_BYTES, Placement::HOST.with_executable(true))?;
        let least = family::least_submission(gpu.node().gfx_version());
        // SAFETY: the queue has the memory as long as this, and nobody else writes it.
        let ring = unsafe { Ring::new(ring_memory.host()?.cast(), RING_BYTES as u64, least) };
        let mut pointers = Memory::new(gpu, PAGE, Placement::HOST)?;
        let host = pointers.host()?;
        for offset in [WRITE_POINTER, READ_POINTER] {
            // SAFETY: inside the page, aligned, and nobody else has it yet.
            unsafe { host.add(offset).cast::<u64>().write(0) };
        }
        let in_flight = InFlight::new(QueueState::new(gpu, None)?, WORKS);
        let wake = Signal::new(device, 0)?;
        let mut args = kfd_ioctl_create_queue_args {
            ring_base_address: ring_memory.address(),
            write_pointer_address: pointers.address() + WRITE_POINTER as u64,
            read_pointer_address: pointers.address() + READ_POINTER as u64,
            ring_size: RING_BYTES as u32,
            gpu_id: gpu.id(),
            queue_type,
            queue_percentage: KFD_MAX_QUEUE_PERCENTAGE,
            // As AMD's runtime: copies come first.
            queue_priority: KFD_MAX_QUEUE_PRIORITY,
            sdma_engine_id,
            ..Default::default()
        };
        request!(gpu.driver, AMDKFD_IOC_CREATE_QUEUE, amdkfd_ioc_create_queue, "a copy queue", &mut args)?;
        let register = match gpu.doorbell(args.doorbell_offset) {
            Ok(register) => register,
            Err(error) => {
                let forget = || [&mut ring_memory, &mut pointers].into_iter().for_each(Memory::forget);
                destroy_unfinished(gpu, args.queue_id, forget);
                return Err(error);
            }
        };
        // SAFETY: the driver maps the register for as long as the queue is there.
        let doorbell = unsafe { MmioDoorbell::new(register) };
        gpu.process.add_queue(in_flight.state.clone());
        let id = args.queue_id;
        Ok(SdmaQueue { in_flight, gpu, id, ring, ring_memory, pointers, doorbell, wake, wakes: 0 })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        Device(self.gpu)
    }

    /// Copies `count` values. The buffers may be of any device or the host, if they are mapped to the queue's device.
    ///
    /// # Errors
    /// [`Error::Range`], [`Error::OtherDevice`], [`Error::QueueFull`], [`Error::Lost`], [`Error::Forked`]. Nothing was submitted then.
    pub fn copy<'b, T: Pod>(
        &mut self,
        from: &'b Buffer<T>,
        from_index: usize,
        to: &'b mut Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Pending<'b>> {
        self.copy_and_count(from, from_index, to, to_index, count, None)
    }

    /// As [`copy`](Self::copy); `progress` is set to the number of parts that the engine makes of it, and decremented when each is done.
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
        self.copy_and_count(from, from_index, to, to_index, count, Some(progress))
    }

    fn copy_and_count<'b, T: Pod>(
        &mut self,
        from: &'b Buffer<T>,
        from_index: usize,
        to: &'b mut Buffer<T>,
        to_index: usize,
        count: usize,
        progress: Option<&Signal>,
    ) -> Result<Pending<'b>> {
        let (source, bytes) = from.bytes_at(from_index, count)?;
        let (target, _) = to.bytes_at(to_index, count)?;
        self.stage()?;
        from.memory().check_mapped(self.gpu)?;
        to.memory().check_mapped(self.gpu)?;
        let parts = bytes.div_ceil(packet::CHUNK);
        let each = 7 + if progress.is_some() { 8 } else { 0 };
        self.need_room(parts * each)?;
        self.in_flight.staged.extend([KeepAlive::read(from.memory()), KeepAlive::write(to.memory())]);
        if let Some(progress) = progress {
            progress.check_fork()?;
            progress.store(parts as i64);
            self.in_flight.staged_links.push((progress.clone(), Link::Completes));
        }
        let mut at = 0;
        while at < bytes {
            let part = packet::CHUNK.min(bytes - at);
            self.ring.put(&packet::copy(source + at, target + at, part));
            if let Some(progress) = progress {
                self.ring.put(&packet::decrement(progress.value_address()));
            }
            at += part;
        }
        Ok(self.finish())
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
        self.stage()?;
        to.memory().check_mapped(self.gpu)?;
        self.need_room(bytes.div_ceil(packet::CHUNK) * 5)?;
        self.in_flight.staged.push(KeepAlive::write(to.memory()));
        let mut at = 0;
        while at < bytes {
            let part = packet::CHUNK.min(bytes - at);
            self.ring.put(&packet::fill(target + at, word(value), part));
            at += part;
        }
        Ok(self.finish())
    }

    /// Makes the queue wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the engine may go on before ([`Node::engines_wait`](crate::Node::engines_wait)), as on gfx908; wait on the
    /// host there ([`Signal::wait`]), or use a [`Copier`](crate::Copier). Otherwise as of [`Queue::wait_for`](crate::Queue::wait_for).
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        self.stage()?;
        signals.iter().try_for_each(|signal| signal.check_awaitable())?;
        if !self.gpu.node().engines_wait() {
            let why = "the copy engines of gfx90x except gfx90a may go on although the value that they wait for is not there yet \
                       (POLL_REGMEM); call Signal::wait before you submit the copy, or use a Copier";
            return Err(Error::Unsupported { what: "a copy engine that waits for signals", why: why.into() });
        }
        self.need_room(signals.len() as u64 * 12)?;
        for signal in signals {
            self.in_flight.staged_links.push(((*signal).clone(), Link::Awaits));
            // The engine compares 32 bits: the upper half is 0 before the lower, when a value counts down to 0.
            self.ring.put(&packet::wait_for_zero(signal.value_address() + 4));
            self.ring.put(&packet::wait_for_zero(signal.value_address()));
        }
        _ = self.finish();
        Ok(())
    }

    /// Decrements the signal when everything that was submitted before is done.
    ///
    /// # Errors
    /// As of [`wait_for`](Self::wait_for).
    pub fn signal(&mut self, signal: &Signal) -> Result<()> {
        self.stage()?;
        signal.check_fork()?;
        self.need_room(SIGNAL_DWORDS)?;
        self.in_flight.staged_links.push((signal.clone(), Link::Completes));
        self.put_signal(signal);
        _ = self.finish();
        Ok(())
    }

    /// Waits until the work is done, and everything that was submitted before it.
    ///
    /// # Errors
    /// As of [`Queue::wait`](crate::Queue::wait).
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
    /// As of [`Queue::wait`](crate::Queue::wait).
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.in_flight.submitted(), wait)
    }

    /// Waits until the older half of the work is done, which makes room for more.
    ///
    /// # Errors
    /// As of [`Queue::wait`](crate::Queue::wait).
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.wait_until(self.in_flight.half(), wait)
    }

    fn wait_until(&mut self, count: u64, wait: Wait) -> Result<()> {
        let state = self.in_flight.state.clone();
        let trouble = || state.trouble(count);
        let (gpu, event) = (self.gpu, self.wake.event().id);
        let wake_up = || {
            self.wake_up();
            Ok(())
        };
        until(gpu, wait, "work of a copy queue", [event].into_iter(), wake_up, || state.done() >= count, trouble)?;
        self.in_flight.retire();
        Ok(())
    }

    /// Makes the engine interrupt the host when it has done what is in the ring now; once at a time.
    fn wake_up(&mut self) {
        if done(&self.wake) == self.wakes {
            self.wakes += 1;
            let wake = self.wake.clone();
            self.put_signal(&wake);
            self.ring_doorbell();
        }
    }

    fn stage(&mut self) -> Result<()> {
        self.gpu.check_usable()?;
        self.in_flight.unstage();
        // Each time: whoever waited by a signal or a ticket has not asked the queue, and may want the memory.
        self.in_flight.retire();
        Ok(())
    }

    /// Refuses packets of so many dwords, with those that end a piece of work and with padding, if there is no room for them.
    fn need_room(&self, dwords: u64) -> Result<()> {
        const EMPTY: u64 = RING_BYTES as u64 - RESERVED_BYTES;
        let needed = (dwords + 8 + ring::MOST_PADDING) * 4;
        if needed > EMPTY {
            let (what, must) =
                ("what a piece of work takes in the ring of a copy queue, in bytes", "less than 1 MiB: divide it");
            return Err(Error::Value { what, value: needed, must });
        }
        let used = self.ring.written().saturating_sub(self.pointer(READ_POINTER).load(Ordering::Acquire));
        let fits = needed <= EMPTY.saturating_sub(used) && self.in_flight.has_room();
        if fits { Ok(()) } else { Err(Error::QueueFull { queue: "copy queue", capacity: WORKS as u64 }) }
    }

    /// Decrements a signal, and interrupts for it if it has an event.
    fn put_signal(&mut self, signal: &Signal) {
        self.ring.put(&packet::decrement(signal.value_address()));
        let event = signal.event();
        if event.id != 0 {
            self.ring.put(&packet::fence(event.mailbox, event.id));
            self.ring.put(&packet::trap(event.id));
        }
    }

    /// Ends a piece of work and hands it to the engine.
    fn finish<'b>(&mut self) -> Pending<'b> {
        let counter = self.in_flight.state.counter.value_address();
        self.ring.put(&packet::decrement(counter));
        // What the host wrote through a BAR before is copied, and copied over.
        self.gpu.driver.publish_host_writes();
        let number = self.in_flight.note(0);
        self.ring_doorbell();
        Pending::new(&self.in_flight, number)
    }

    fn ring_doorbell(&mut self) {
        let end = self.ring.submit();
        // Release: the engine that reads the pointer finds the packets. It counts bytes.
        self.pointer(WRITE_POINTER).store(end, Ordering::Release);
        self.doorbell.ring(end);
    }

    fn pointer(&self, offset: usize) -> &AtomicU64 {
        let address = self.pointers.address() as usize + offset;
        // SAFETY: in the page with the pointers, which is mapped as long as the queue lives, aligned; the engine changes it atomically.
        unsafe { &*std::ptr::with_exposed_provenance(address) }
    }
}

impl Drop for SdmaQueue {
    fn drop(&mut self) {
        if self.gpu.driver.is_forked() {
            return;
        }
        match destroy(self.gpu, self.id) {
            Ok(()) => {
                self.in_flight.abandon();
                self.gpu.process.remove_queue(&self.in_flight.state);
            }
            Err(error) => {
                // It may still run: nothing that it uses may be given back.
                self.in_flight.forget();
                self.wake.forget();
                [&mut self.ring_memory, &mut self.pointers].into_iter().for_each(Memory::forget);
                tracing::error!(%error, queue = self.id, "a copy queue was not destroyed");
            }
        }
    }
}
