//! Launching kernels.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use aql::Geometry;
use bytemuck::Pod;
use smallvec::SmallVec;

use crate::code::{self, Arg, Segments, Service};
use crate::raw::{MAX_ALIGN, RawQueue, SignalLink};
use crate::typed::in_flight::KeepAlive;
use crate::typed::uses::UsedMemory;
use crate::{Buffer, Error, Kernel, Pending, Queue, Result, Signal};

/// Arguments for which a launch has room without allocating.
const USUAL_ARGUMENTS: usize = 24;
/// Bytes of structures among them for which it has.
const USUAL_BYTES: usize = 1024;
/// Services for which it has.
const USUAL_SERVICES: usize = 4;

/// What a launch was given so far. It is the queue's, so that a launch, which moves with each argument, is small, and
/// to be used again.
#[derive(Debug)]
pub(crate) struct LaunchArguments {
    arguments: Vec<Argument>,
    /// Those of arguments that are bytes.
    bytes: Vec<u8>,
    services: Vec<(Service, u64)>,
    /// The first mistake.
    error: Option<Error>,
}

#[derive(Debug)]
enum Argument {
    Value(Arg<'static>),
    Bytes(Range<usize>),
}

impl LaunchArguments {
    pub fn new() -> LaunchArguments {
        LaunchArguments {
            arguments: Vec::with_capacity(USUAL_ARGUMENTS),
            bytes: Vec::with_capacity(USUAL_BYTES),
            services: Vec::with_capacity(USUAL_SERVICES),
            error: None,
        }
    }

    fn clear(&mut self) {
        self.arguments.clear();
        self.bytes.clear();
        self.services.clear();
        self.error = None;
    }

    #[inline]
    fn push(&mut self, argument: Arg<'_>) {
        let argument = argument.into_static().map(Argument::Value).unwrap_or_else(|bytes| {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(bytes);
            Argument::Bytes(start..self.bytes.len())
        });
        self.arguments.push(argument);
    }

    #[inline]
    fn arguments(&self) -> SmallVec<[Arg<'_>; USUAL_ARGUMENTS]> {
        // Not `collect`, of which a launch would be a fifth.
        let mut all = SmallVec::new();
        for argument in &self.arguments {
            all.push(match argument {
                Argument::Value(value) => *value,
                Argument::Bytes(range) => Arg::bytes(&self.bytes[range.clone()]),
            });
        }
        all
    }
}

/// A launch that is being put together: arguments in the order of the kernel's source, then [`submit`](Self::submit).
///
/// What is wrong with an argument is told by `submit`.
#[must_use = "nothing runs before submit"]
#[derive(Debug)]
pub struct Launch<'q, 'b> {
    queue: &'q mut Queue,
    kernel: &'q Kernel,
    geometry: Geometry,
    global_offset: [u64; 3],
    dynamic_group_bytes: u32,
    stack_bytes: Option<u32>,
    completes: Option<Signal>,
    buffers: PhantomData<&'b mut ()>,
}

impl Queue {
    /// Begins a launch of `kernel`.
    ///
    /// # Errors
    /// [`Error::OtherDevice`] for a kernel of another device, [`Error::Stopped`], [`Error::Lost`], [`Error::Forked`].
    #[inline]
    pub fn launch<'q, 'b>(&'q mut self, kernel: &'q Kernel, geometry: Geometry) -> Result<Launch<'q, 'b>> {
        if !std::ptr::eq(kernel.code.gpu(), self.gpu()) {
            return Err(Error::OtherDevice("the kernel"));
        }
        self.tracked.begin()?;
        self.launch_arguments.clear();
        self.tracked.in_flight.staged.push(KeepAlive::Code { _code: kernel.code.clone() });
        Ok(Launch {
            queue: self,
            kernel,
            geometry,
            global_offset: [0; 3],
            dynamic_group_bytes: 0,
            stack_bytes: None,
            completes: None,
            buffers: PhantomData,
        })
    }
}

impl<'b> Launch<'_, 'b> {
    /// A buffer that the kernel only reads.
    pub fn buffer<T: Pod>(self, buffer: &'b Buffer<T>) -> Self {
        self.address_of(buffer, KeepAlive::read)
    }

    /// A buffer that the kernel may write.
    pub fn buffer_mut<T: Pod>(self, buffer: &'b mut Buffer<T>) -> Self {
        self.address_of(buffer, KeepAlive::write)
    }

    /// A buffer from value number `from` on, which the kernel only reads.
    pub fn buffer_from<T: Pod>(self, buffer: &'b Buffer<T>, from: usize) -> Self {
        self.address_from(buffer, from, KeepAlive::read)
    }

    /// A buffer from value number `from` on, which the kernel may write.
    pub fn buffer_mut_from<T: Pod>(self, buffer: &'b mut Buffer<T>, from: usize) -> Self {
        self.address_from(buffer, from, KeepAlive::write)
    }

    /// A buffer that others have too, such as one in an [`Arc`], and that the kernel may write.
    ///
    /// # Safety
    /// While the work is not over, nobody has a slice of the buffer ([`Buffer::host`]) that was asked for before this
    /// call, and no other work conflicts with it. Slices asked for afterwards are refused until it is done.
    pub unsafe fn buffer_shared<T: Pod>(self, buffer: &'b Buffer<T>) -> Self {
        self.address_of(buffer, KeepAlive::write)
    }

    /// Keeps this alive until the kernel is done: what an address in the arguments ([`Arg::pointer`]) leads to.
    pub fn keep(self, owner: Arc<dyn Any + Send + Sync>) -> Self {
        self.queue.tracked.in_flight.staged.push(KeepAlive::Other { _other: owner });
        self
    }

    pub(crate) fn address_of<T: Pod>(self, buffer: &Buffer<T>, keep: fn(&Arc<UsedMemory>) -> KeepAlive) -> Self {
        self.address_in(buffer.memory(), buffer.address(), keep)
    }

    fn address_from<T: Pod>(self, buffer: &Buffer<T>, from: usize, keep: fn(&Arc<UsedMemory>) -> KeepAlive) -> Self {
        let address = buffer.bytes_at(from, 0).map(|(address, _)| address).unwrap_or_else(|error| {
            self.queue.launch_arguments.error.get_or_insert(error);
            0
        });
        self.address_in(buffer.memory(), address, keep)
    }

    fn address_in(self, memory: &Arc<UsedMemory>, address: u64, keep: fn(&Arc<UsedMemory>) -> KeepAlive) -> Self {
        if let Err(error) = memory.check_mapped(self.queue.device()) {
            self.queue.launch_arguments.error.get_or_insert(error);
        }
        self.queue.tracked.in_flight.staged.push(keep(memory));
        self.argument(Arg::pointer(address))
    }

    /// A number, or a structure by its bytes, or memory of a work-group ([`Arg::local`]).
    ///
    /// What an address given here ([`Arg::pointer`]) leads to is not kept but by [`keep`](Self::keep).
    #[inline]
    pub fn argument(self, argument: impl Into<Arg<'b>>) -> Self {
        self.queue.launch_arguments.push(argument.into());
        self
    }

    /// What OpenCL's `get_global_offset` gives, in work-items; 0 without this.
    pub fn global_offset(mut self, offset: [u64; 3]) -> Self {
        self.global_offset = offset;
        self
    }

    /// Memory of each work-group on top of what the kernel itself has, in bytes: `extern __shared__` of HIP.
    pub fn dynamic_group_bytes(mut self, bytes: u32) -> Self {
        self.dynamic_group_bytes = bytes;
        self
    }

    /// Stack of a work-item in bytes, for kernels whose need the compiler does not know.
    pub fn stack_bytes(mut self, bytes: u32) -> Self {
        self.stack_bytes = Some(bytes);
        self
    }

    /// The address of something that the kernel needs from a runtime ([`Kernel::needs`](code::Kernel::needs)); 0 if it
    /// is known that the kernel does not use it. The queue's own address ([`Service::QueuePointer`]) is there without
    /// this.
    ///
    /// As other addresses it is not kept: see [`submit`](Self::submit).
    pub fn service(self, service: Service, address: u64) -> Self {
        self.queue.launch_arguments.services.push((service, address));
        self
    }

    /// Decrements the signal when the kernel is done, and notes there when it ran. A launch has one such signal;
    /// [`Queue::signal`] behind it decrements others.
    pub fn completes(mut self, signal: &Signal) -> Self {
        if self.completes.is_some() {
            let (subject, expected) =
                ("the number of signals that a launch completes", "at most 1; Queue::signal completes others");
            self.queue.launch_arguments.error.get_or_insert(Error::Value { subject, value: 2, expected });
        }
        self.completes = Some(signal.clone());
        self
    }

    /// Submits it, and never waits. Allocates nothing and makes no system call, unless the queue has to get more
    /// scratch memory: then another queue of the driver, with more of it, continues this one, which is let go when it
    /// is done. [`launch`](Queue::launch) frees buffers that were dropped and that finished work of the queue used.
    ///
    /// Code, buffers and signals last until the kernel is done, whatever happens to the values here.
    ///
    /// # Safety
    /// The kernel accesses no memory but its buffers, what it allocates itself, and what addresses in its arguments,
    /// services and buffers lead to; of that, it writes only buffers given as mutable and memory that is not the host's
    /// while it runs. Memory behind addresses lasts until it is done.
    ///
    /// # Errors
    /// [`Error::Launch`] for arguments or a grid that do not fit the kernel, [`Error::OtherDevice`],
    /// [`Error::QueueFull`], [`Error::Stopped`], [`Error::Lost`], [`Error::Forked`]; [`Error::Request`] when there is
    /// not enough scratch memory. Nothing was submitted then.
    pub unsafe fn submit(self) -> Result<Pending<'b>> {
        let queue = self.queue.tracked.submitted().queue();
        // SAFETY: the caller's promise.
        let number = unsafe { self.submit_number() }?;
        Ok(Pending::of(queue, number))
    }

    /// As [`submit`](Self::submit). Returns the number of the work.
    ///
    /// # Safety
    /// As of [`submit`](Self::submit).
    #[inline]
    pub(crate) unsafe fn submit_number(mut self) -> Result<u64> {
        if let Some(error) = self.queue.launch_arguments.error.take() {
            return Err(error);
        }
        let mut prepared = self.prepare()?;
        if !self.queue.tracked.raw.has_scratch(prepared.segments.private_bytes) {
            self.queue.tracked.raw.grow_scratch(prepared.segments.private_bytes)?;
            // It has another `amd_queue_t` now, whose address the kernel may be given.
            prepared = self.prepare()?;
        }
        let Prepared { address, end, segments } = prepared;
        let queue = &mut *self.queue;
        let dispatch = self.kernel.packet(self.geometry, address, segments)?;
        let completes = self.completes.as_ref().map(SignalLink::completes);
        completes.as_ref().map_or(Ok(()), SignalLink::check)?;
        let dispatch = match &self.completes {
            None => dispatch,
            Some(signal) => dispatch.with_completion(signal.handle()),
        };
        let number = queue.submit_staged(&[dispatch.into()], completes.as_slice(), end)?;
        queue.arguments.take(end);
        Ok(number)
    }
}

/// Arguments that were checked and written.
struct Prepared {
    /// Device address of the arguments.
    address: u64,
    /// Where they end in the ring of arguments.
    end: u64,
    segments: Segments,
}

impl Launch<'_, '_> {
    /// Checks the launch and writes its arguments to the place where they go next.
    #[inline]
    fn prepare(&mut self) -> Result<Prepared> {
        let queue = &mut *self.queue;
        let described = &self.kernel.described;
        let bytes = described.kernarg_bytes().max(1) as usize;
        let arguments = queue.launch_arguments.arguments();
        let mut launch = code::Launch::new(self.geometry, &arguments)
            .with_global_offset(self.global_offset)
            .with_dynamic_group_bytes(self.dynamic_group_bytes)
            .with_limits(queue.gpu().limits)
            .with_service(Service::QueuePointer, queue.tracked.raw.address());
        for (service, address) in &queue.launch_arguments.services {
            launch = launch.with_service(*service, *address);
        }
        if let Some(bytes) = self.stack_bytes {
            launch = launch.with_stack_bytes(bytes);
        }
        if bytes > queue.arguments.capacity() {
            let value = bytes as u64;
            return Err(Error::Value {
                subject: "the size of a kernel's arguments",
                value,
                expected: "at most the queue's memory for them",
            });
        }
        let align = u64::from(described.kernarg_align());
        if align > MAX_ALIGN {
            let subject = "the alignment of a kernel's arguments";
            return Err(Error::Value { subject, value: align, expected: "at most 4096 bytes" });
        }
        if queue.arguments.place(bytes, align, queue.tracked.in_flight.arguments_free()).is_none() {
            // A child of a fork has no place at all, and takes no locks.
            queue.gpu().check_usable()?;
            queue.tracked.retire();
        }
        let Some(place) = queue.arguments.place(bytes, align, queue.tracked.in_flight.arguments_free()) else {
            return Err(queue.tracked.raw.full());
        };
        let segments = described.prepare(&launch, queue.arguments.host(place)?)?;
        Ok(Prepared { address: queue.arguments.address(place), end: place.end, segments })
    }
}

impl Drop for Launch<'_, '_> {
    fn drop(&mut self) {
        // What was not submitted is not used.
        self.queue.tracked.in_flight.unstage();
    }
}
