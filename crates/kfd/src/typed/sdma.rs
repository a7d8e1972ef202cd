//! Copies by the copy engines.

use bytemuck::Pod;

use crate::queues::device::Gpu;
use crate::queues::progress::{Link, QueueState, done};
use crate::queues::sdma::hardware::{Engine, Hardware, RING_BYTES};
use crate::queues::sdma::{packet, ring};
use crate::queues::wait::{Wait, until};
use crate::typed::buffer::word;
use crate::typed::in_flight::{InFlight, KeepAlive};
use crate::{Buffer, Device, Error, Pending, Result, Signal, Ticket};

/// Pieces of work at a time.
const WORKS: usize = 1024;
/// Bytes at the end of the ring that only the packets of [`SdmaQueue::wake_up`] use.
const RESERVED_BYTES: u64 = 512;
const _: () = assert!((SIGNAL_DWORDS + ring::MOST_PADDING) * 4 <= RESERVED_BYTES);
/// Dwords of [`SdmaQueue::put_signal`], at most.
const SIGNAL_DWORDS: u64 = 8 + 4 + 2;

/// A queue of a copy engine (SDMA). Its copies run one after the other, beside the kernels.
///
/// Dropping it ends what still runs in it.
pub struct SdmaQueue {
    pub(crate) in_flight: InFlight,
    gpu: &'static Gpu,
    hardware: Hardware,
    wake: Signal,
    wakes: u64,
}

impl std::fmt::Debug for SdmaQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SdmaQueue").field("gpu", &self.gpu.id()).field("id", &self.hardware.id).finish_non_exhaustive()
    }
}

impl SdmaQueue {
    /// A queue of this engine of the device.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an engine by number before version 1.17, and where its atomic operations, by which it counts, do not reach the
    /// host ([`Node::has_host_atomics`](crate::Node::has_host_atomics)); [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn new(device: Device, engine: Engine) -> Result<SdmaQueue> {
        let gpu = device.0;
        gpu.check_usable()?;
        let queue_type = engine.queue_type(gpu)?;
        let in_flight = InFlight::new(QueueState::of_copies(gpu)?, WORKS);
        let wake = Signal::new(device, 0)?;
        let hardware = Hardware::new(gpu, queue_type)?;
        gpu.process.add_queue(in_flight.state.clone());
        Ok(SdmaQueue { in_flight, gpu, hardware, wake, wakes: 0 })
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
            self.hardware.put(&packet::copy(source + at, target + at, part));
            if let Some(progress) = progress {
                self.hardware.put(&packet::decrement(progress.value_address()));
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
            self.hardware.put(&packet::fill(target + at, word(value), part));
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
            self.hardware.put(&packet::wait_for_zero(signal.value_address() + 4));
            self.hardware.put(&packet::wait_for_zero(signal.value_address()));
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
            self.hardware.submit();
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
        let fits = needed <= EMPTY.saturating_sub(self.hardware.used_bytes()) && self.in_flight.has_room();
        if fits { Ok(()) } else { Err(Error::QueueFull { queue: "copy queue", capacity: WORKS as u64 }) }
    }

    /// Decrements a signal, and interrupts for it if it has an event.
    fn put_signal(&mut self, signal: &Signal) {
        self.hardware.put(&packet::decrement(signal.value_address()));
        let event = signal.event();
        if event.id != 0 {
            self.hardware.put(&packet::fence(event.mailbox, event.id));
            self.hardware.put(&packet::trap(event.id));
        }
    }

    /// Ends a piece of work and hands it to the engine.
    fn finish<'b>(&mut self) -> Pending<'b> {
        let counter = self.in_flight.state.counter.value_address();
        self.hardware.put(&packet::decrement(counter));
        // What the host wrote through a BAR before is copied, and copied over.
        self.gpu.driver.publish_host_writes();
        let number = self.in_flight.note(0);
        self.hardware.submit();
        Pending::new(&self.in_flight, number)
    }
}

impl Drop for SdmaQueue {
    fn drop(&mut self) {
        if self.gpu.driver.is_forked() {
            return;
        }
        match self.hardware.end(self.gpu) {
            Ok(()) => {
                self.in_flight.abandon();
                self.gpu.process.remove_queue(&self.in_flight.state);
            }
            Err(_) => {
                // It may still run: nothing that it uses may be given back.
                self.in_flight.forget();
                self.wake.forget();
            }
        }
    }
}
