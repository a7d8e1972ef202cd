//! Kernel arguments in memory that is used again when the kernels are done.

mod memory;

use std::collections::VecDeque;

use aql::KernelDispatch;

use crate::code::{Launch, Segments};
use crate::{Device, Error, Kernel, Result, Ticket, Wait};
pub(crate) use memory::{ArgumentMemory, MAX_ALIGN, Place};

/// A ring of memory for kernel arguments: places are taken in order, and taken again when the work that used them is
/// [over](Ticket::is_over).
///
/// First places are taken, by [`launch`](Self::launch) with a kernel's arguments in them, or by [`place`](Self::place).
/// Then the packets are submitted, and [`used_by`](Self::used_by) says by which work. A place that is not said to be
/// used by anything is kept until then, or until [`discard`](Self::discard). Arguments of work that is not over are
/// never overwritten: when the ring has come round to them it is full, which is an error and never a wait. The work may
/// be of any queues; places are free in the order in which they were taken, so that what is over has to wait for what
/// was taken before it.
///
/// Nothing here makes a system call or allocates but [`new`](Self::new), and [`wait_for_room`](Self::wait_for_room)
/// with [`Wait::Sleep`]. A ring belongs to one thread at a time, and can be sent to others. One that is dropped under
/// work keeps its memory for ever.
///
/// # Example
/// ```no_run
/// use kfd::aql::Geometry;
/// use kfd::code::{Arg, Launch};
/// use kfd::raw::{ArgumentRing, Queue};
/// use kfd::{Error, Kernel, Wait};
/// # fn example(gpu: kfd::Device, scale: &Kernel, values: u64) -> Result<(), Box<dyn std::error::Error>> {
/// let mut ring = ArgumentRing::new(gpu, 1 << 16)?;
/// let mut queue = Queue::new(gpu)?;
/// for step in 0..10_000 {
///     let arguments = [Arg::pointer(values), (step as f32).into()];
///     let launch = Launch::new(Geometry::covering([1 << 20], [256])?, &arguments);
///     let (packet, _) = loop {
///         match ring.launch(scale, &launch) {
///             Err(Error::QueueFull { .. }) => ring.wait_for_room(Wait::FOREVER)?,
///             taken => break taken?,
///         }
///     };
///     // SAFETY: the kernel needs no private memory, and accesses what its argument leads to, which lasts.
///     let ticket = unsafe { queue.submit(&[packet.into()]) }?;
///     ring.used_by(&ticket);
/// }
/// queue.wait_idle(Wait::FOREVER)?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct ArgumentRing {
    memory: ArgumentMemory,
    device: Device,
    /// Work that is not known to be over, and where the places end that were taken for it, in the order of the places.
    /// Never longer than [`WORKS`](Self::WORKS).
    in_use: VecDeque<(Ticket, u64)>,
    /// Where the last of these end. Places behind it are of no work yet.
    marked: u64,
    /// Up to here the ring is free.
    free: u64,
}

impl ArgumentRing {
    /// Pieces of work for which it keeps places at a time.
    pub const WORKS: usize = 1024;

    /// An empty ring of so many bytes of the host's memory, rounded up to pages, for kernels of this device.
    ///
    /// # Errors
    /// As of [`Memory::new`](super::Memory::new).
    pub fn new(device: Device, bytes: usize) -> Result<ArgumentRing> {
        let in_use = VecDeque::with_capacity(ArgumentRing::WORKS);
        Ok(ArgumentRing { memory: ArgumentMemory::new(device, bytes)?, device, in_use, marked: 0, free: 0 })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Takes a place for a kernel's arguments, and checks and writes them there: see [`Kernel::prepare`].
    ///
    /// # Errors
    /// [`Error::Launch`] for arguments or a grid that do not fit the kernel, [`Error::OtherDevice`], and as of
    /// [`place`](Self::place). Nothing was taken then.
    pub fn launch(&mut self, kernel: &Kernel, launch: &Launch<'_>) -> Result<(KernelDispatch, Segments)> {
        if kernel.device() != self.device {
            return Err(Error::OtherDevice("the kernel"));
        }
        let described = kernel.description();
        let place = self.find(described.kernarg_bytes() as usize, described.kernarg_align() as usize)?;
        let address = self.memory.address(place);
        let prepared = kernel.prepare(launch, address, self.memory.host(place)?)?;
        self.memory.take(place.end);
        Ok(prepared)
    }

    /// Takes a place of `bytes` for arguments at a multiple of `align`, a power of two up to 4096. Returns its address
    /// on the device and its bytes as the host sees them. What is in it first is not defined.
    ///
    /// # Errors
    /// [`Error::QueueFull`] when the memory, or [`WORKS`](Self::WORKS) pieces of work, are in use; [`Error::Value`] for
    /// more bytes than the ring has and for other alignments; [`Error::Forked`].
    pub fn place(&mut self, bytes: usize, align: usize) -> Result<(u64, &mut [u8])> {
        let place = self.find(bytes, align)?;
        self.memory.take(place.end);
        Ok((self.memory.address(place), self.memory.host(place)?))
    }

    /// Says that all places that were taken since this was last said, or discarded, are used by this work.
    pub fn used_by(&mut self, ticket: &Ticket) {
        if self.memory.end() != self.marked {
            self.marked = self.memory.end();
            self.in_use.push_back((ticket.clone(), self.marked));
        }
    }

    /// Gives the places back that were taken since [`used_by`](Self::used_by) was last called: nothing was submitted
    /// that uses them.
    pub fn discard(&mut self) {
        self.memory.take(self.marked);
    }

    /// Waits until the oldest work in the ring is over, which makes room for more. Returns at once if there is none.
    ///
    /// # Errors
    /// As of [`Ticket::wait`]. Places of a queue that stopped are free when it is dropped.
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.device.0.driver.check_fork()?;
        if let Some((oldest, _)) = self.in_use.front().filter(|(oldest, _)| !oldest.is_over()) {
            oldest.wait(wait)?;
        }
        self.collect();
        Ok(())
    }

    /// A place that is not taken yet.
    fn find(&mut self, bytes: usize, align: usize) -> Result<Place> {
        self.device.0.driver.check_fork()?;
        let refuse = |subject, value: usize, expected| Err(Error::Value { subject, value: value as u64, expected });
        if !align.is_power_of_two() || align as u64 > MAX_ALIGN {
            return refuse("the alignment of a kernel's arguments", align, "a power of two up to 4096");
        }
        if bytes > self.memory.capacity() {
            return refuse("the size of a kernel's arguments", bytes, "at most the ring's bytes");
        }
        let (bytes, align) = (bytes.max(1), align as u64);
        if self.in_use.len() == ArgumentRing::WORKS || self.memory.place(bytes, align, self.free).is_none() {
            self.collect();
        }
        let full = || Error::QueueFull { queue: "ring of arguments", capacity: ArgumentRing::WORKS as u64 };
        if self.in_use.len() == ArgumentRing::WORKS {
            return Err(full());
        }
        self.memory.place(bytes, align, self.free).ok_or_else(full)
    }

    /// Frees the places of work that is over.
    fn collect(&mut self) {
        while let Some((_, end)) = self.in_use.front().filter(|(ticket, _)| ticket.is_over()) {
            self.free = *end;
            self.in_use.pop_front();
        }
    }
}

impl Drop for ArgumentRing {
    fn drop(&mut self) {
        if self.device.0.driver.is_forked() {
            return;
        }
        self.collect();
        if !self.in_use.is_empty() {
            let bytes = self.memory.capacity();
            tracing::warn!(bytes, "a ring of arguments was dropped while work used it: its memory is kept for ever");
            self.memory.memory().forget();
        }
    }
}
