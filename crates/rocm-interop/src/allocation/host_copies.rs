//! Copies between the host and memory of any kind, each by the API that made it, beside the session's work.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::Ordering;

use cl_sys::{cl_bool, cl_command_queue, cl_event, cl_int, cl_mem_flags};
use hip_sys::{hipMemcpyKind, hipStream_t};

use crate::allocation::{Allocation, Owner};
use crate::apis::call::{call, first, present};
use crate::error::Api;
use crate::session::copies::Direction;
use crate::session::event::Event;
use crate::session::failures::Accesses;
use crate::session::times::Work;
use crate::session::{Place, Residency};
use crate::{Error, Result};

/// So often a read is made beside the work of other threads before it comes between theirs.
const ATTEMPTS: u32 = 3;

/// A copy between bytes on the host and those of memory, `offset` bytes behind its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostCopy {
    direction: Direction,
    host: *mut c_void,
    offset: usize,
    bytes: usize,
}

impl HostCopy {
    /// From the host.
    pub(crate) fn up(offset: usize, from: &[u8]) -> HostCopy {
        HostCopy { direction: Direction::Up, host: from.as_ptr().cast_mut().cast(), offset, bytes: from.len() }
    }

    /// To the host.
    pub(crate) fn down(offset: usize, to: &mut [u8]) -> HostCopy {
        HostCopy { direction: Direction::Down, host: to.as_mut_ptr().cast(), offset, bytes: to.len() }
    }
}

impl Allocation {
    /// Copies from the host to `offset` bytes behind the start, after `side`'s work that may use it, and waits for it.
    /// It is `side`'s turn, and nothing is launched on it meanwhile.
    ///
    /// # Safety
    /// `data` fits there.
    pub(crate) unsafe fn write(&self, side: Api, offset: usize, data: &[u8]) -> Result<()> {
        let core = &self.core;
        // In the session's queue the copy comes behind the work on this memory, but also behind that on others.
        let in_queue = side == Api::OpenCl && self.is_opencls() && !self.is_beside();
        if !in_queue || core.has_flags() {
            self.finish_uses(side)?;
        }
        let earlier = if in_queue { core.next_command() } else { 0 };
        // SAFETY: the caller's promise.
        unsafe { self.copy_on(if in_queue { Some(core.queue) } else { None }, HostCopy::up(offset, data)) }?;
        core.settle(earlier)
    }

    /// Copies from `offset` bytes behind the start to the host, and waits for it. What it copies is there at one
    /// moment: all of `side`'s work that was launched before and may use it, and none in part. It is `side`'s turn.
    ///
    /// # Safety
    /// There are that many bytes.
    pub(crate) unsafe fn read(&self, side: Api, offset: usize, data: &mut [u8]) -> Result<()> {
        let core = &self.core;
        if core.has_flags() {
            self.finish_uses(side)?;
        }
        let copy = HostCopy::down(offset, data);
        if side == Api::OpenCl && self.is_opencls() && !self.is_beside() {
            // SAFETY: the caller's promise.
            return unsafe { self.read_in_queue(copy) };
        }
        // Others may launch meanwhile, on this memory too.
        for _ in 0..ATTEMPTS {
            let launched = self.launched(side);
            self.wait_for_uses_of(side)?;
            // SAFETY: the caller's promise.
            unsafe { self.copy_on(None, copy) }?;
            if !self.may_be_used_since(side, launched) {
                return Ok(());
            }
        }
        if side == Api::Hip {
            // HIP's launches wait for this one, as they wait for each other.
            let _order = core.launching_hip.lock();
            core.wait(Api::Hip)?;
            // SAFETY: the caller's promise.
            return unsafe { self.copy_on(None, copy) };
        }
        // SAFETY: the caller's promise.
        unsafe { if self.is_opencls() { self.read_in_queue(copy) } else { self.read_by_kernel(copy) } }
    }

    /// What `side` has launched: for OpenCL the number of its next command, for HIP that of the last work that was
    /// given this memory.
    fn launched(&self, side: Api) -> u64 {
        if side != Api::Hip {
            return self.core.launched();
        }
        // Work is counted by who launches it, behind the launch.
        let _all_is_counted = self.core.launching_hip.lock();
        self.in_stream.load(Ordering::Relaxed)
    }

    fn may_be_used_since(&self, side: Api, launched: u64) -> bool {
        match side {
            Api::Hip => self.launched(side) != launched,
            _ => self.core.may_be_used_from(launched, &self.addresses()),
        }
    }

    /// Whether a copy in a queue of its own is over earlier than one in the session's: behind the last command that may
    /// use it come others.
    fn is_beside(&self) -> bool {
        !self.core.shares_queue() && self.unused_from() < self.core.next_command()
    }

    /// Between kernels in the session's queue, which OpenCL keeps apart from the copy.
    ///
    /// # Safety
    /// As of `copy_on`; OpenCL knows this memory.
    unsafe fn read_in_queue(&self, copy: HostCopy) -> Result<()> {
        let earlier = self.core.next_command();
        // SAFETY: the caller's promise.
        unsafe { self.copy_on(Some(self.core.queue), copy) }?;
        self.core.settle(earlier)
    }

    /// The same where OpenCL does not know the memory and others launch on it all the time: the copy is a command of
    /// the queue among theirs, which holds up nobody.
    ///
    /// # Safety
    /// As of `copy_on`; the copy goes down.
    unsafe fn read_by_kernel(&self, copy: HostCopy) -> Result<()> {
        let (core, bytes) = (&self.core, copy.bytes);
        // OpenCL has no memory of 0 bytes.
        if bytes == 0 {
            return Ok(());
        }
        let flags = cl_sys::CL_MEM_READ_WRITE | cl_mem_flags::from(cl_sys::CL_MEM_SVM_FINE_GRAIN_BUFFER);
        // SAFETY: the session's context.
        let svm = present::<cl_int, _, _>(unsafe { core.libraries.cl.clSVMAlloc(core.context, flags, bytes, 0) })?;
        if svm.is_null() {
            return Err(Error::NoMemory { call: "clSVMAlloc", bytes });
        }
        let address = svm.expose_provenance() as u64;
        let residency = Residency { place: Place::Host, base: address, bytes };
        let copied = Allocation::of(core, Owner::Svm, address, bytes, residency);
        // SAFETY: as large as the data, and there until it was waited for, as this is; OpenCL keeps its own copy apart
        // from the kernel.
        unsafe {
            let given = Accesses::from_slice(&[(self.address, false), (address, true)]);
            core.enqueue_copy(given, self.address + copy.offset as u64, address, bytes)?;
            copied.read_in_queue(HostCopy { offset: 0, ..copy })?;
        }
        core.settle(core.next_command())?;
        match core.report(Api::OpenCl, &[address]) {
            Ok(()) => Ok(()),
            // What is missing here is missing in the copy too, and told once.
            Err(error) => self.report(Api::OpenCl).and(Err(error)),
        }
    }

    /// Copies, in `queue` if there is one and OpenCL knows the memory, and waits for it. No work uses the memory
    /// meanwhile, but for that of `queue`.
    ///
    /// # Safety
    /// The bytes of `copy` are allocated on both sides, and nobody else uses those of the host.
    pub(crate) unsafe fn copy_on(&self, queue: Option<cl_command_queue>, copy: HostCopy) -> Result<()> {
        if !self.is_opencls() {
            // SAFETY: the caller's promise.
            return unsafe { self.copy_unknown(copy) };
        }
        let queue = queue.map_or_else(|| self.core.copy_queue(copy.direction), Ok)?;
        if self.core.limits.wait().is_some() {
            // SAFETY: the caller's promise.
            return unsafe { self.copy_within_limit(queue, copy) };
        }
        // SAFETY: the caller's promise; the copy is over when the call returns.
        let event = unsafe { self.enqueue_host_copy(queue, cl_sys::CL_TRUE, copy) }?;
        self.core.ended(event)
    }

    /// By memory of its own on the host, which is left to the copy if that does not end.
    ///
    /// # Safety
    /// As of `copy_on`.
    unsafe fn copy_within_limit(&self, queue: cl_command_queue, copy: HostCopy) -> Result<()> {
        let mut own = vec![0u8; copy.bytes];
        if let Direction::Up = copy.direction {
            // SAFETY: the caller's promise.
            unsafe { copy.host.cast::<u8>().copy_to_nonoverlapping(own.as_mut_ptr(), copy.bytes) };
        }
        // SAFETY: the caller's promise, and as many bytes that stay until the copy is over.
        let event = unsafe {
            self.enqueue_host_copy(queue, cl_sys::CL_FALSE, HostCopy { host: own.as_mut_ptr().cast(), ..copy })
        }?;
        let flushed = self.core.flush(queue);
        match self.core.wait_for_command(event, Accesses::from_slice(&[(self.address, true)])) {
            Ok(ended) => first([ended, flushed])?,
            Err(error) => {
                std::mem::forget(own);
                return first([Err(error), flushed]);
            }
        }
        if let Direction::Down = copy.direction {
            // SAFETY: the caller's promise.
            unsafe { copy.host.cast::<u8>().copy_from_nonoverlapping(own.as_ptr(), copy.bytes) };
        }
        Ok(())
    }

    /// Begins to copy beside the session's work and copies the other way: the copy's event, which can be waited for
    /// also if something failed behind it. No work uses the memory meanwhile.
    ///
    /// # Safety
    /// As of `copy_on`; all of it stays until the event was waited for.
    pub(crate) unsafe fn begin_copy(&self, copy: HostCopy) -> Result<(Event, Result<()>)> {
        let core = &self.core;
        if self.is_opencls() {
            let queue = core.copy_queue(copy.direction)?;
            // SAFETY: the caller's promise.
            let event = unsafe { self.enqueue_host_copy(queue, cl_sys::CL_FALSE, copy) }?;
            // OpenCL need not begin before it is flushed.
            let flushed = core.flush(queue);
            return Ok((Event::of_command(core, event), flushed));
        }
        if !self.is_copied_by_hip() || copy.bytes == 0 {
            // SAFETY: the caller's promise.
            unsafe { self.copy_unknown(copy) }?;
            return Ok((Event::of_command(core, null_mut()), Ok(())));
        }
        core.check_abandoned(Api::Hip)?;
        let stream = core.copy_stream(copy.direction)?;
        let (to, from, kind) = self.ends(copy);
        // SAFETY: the caller's promise; a stream of the session's.
        let enqueue = || unsafe { call!(core.libraries.hip, hipMemcpyAsync(to, from, copy.bytes, kind, stream)) };
        core.on_stream(stream, || Work::Copy, enqueue)?;
        Ok(Event::of_copies(core, stream))
    }

    /// Whether HIP has a copy of such memory that is not waited for.
    fn is_copied_by_hip(&self) -> bool {
        matches!(self.owner, Owner::Hip | Owner::External(_) | Owner::Opened)
    }

    /// Where it copies to and from, as HIP has it.
    fn ends(&self, copy: HostCopy) -> (*mut c_void, *const c_void, hipMemcpyKind) {
        let here = self.at(copy.offset);
        match copy.direction {
            Direction::Up => (here, copy.host, hipMemcpyKind::hipMemcpyHostToDevice),
            Direction::Down => (copy.host, here, hipMemcpyKind::hipMemcpyDeviceToHost),
        }
    }

    /// Copies on `queue` from or to memory that OpenCL knows, and gives the copy's event; null if there is nothing to
    /// copy.
    ///
    /// # Safety
    /// As of `copy_on`. Unless `blocking`, all of it stays until the copy is done.
    unsafe fn enqueue_host_copy(&self, queue: cl_command_queue, blocking: cl_bool, copy: HostCopy) -> Result<cl_event> {
        self.core.check_abandoned(Api::OpenCl)?;
        let mut event = null_mut();
        let HostCopy { direction, host, offset, bytes } = copy;
        // OpenCL has no copies of 0 bytes.
        if bytes == 0 {
            return Ok(event);
        }
        let cl = &self.core.libraries.cl;
        // SAFETY: the caller's promise.
        unsafe {
            match (&self.owner, direction) {
                (&(Owner::Mem(mem) | Owner::Pages(mem, _)), Direction::Up) => {
                    call!(cl, clEnqueueWriteBuffer(queue, mem, blocking, offset, bytes, host, 0, null(), &mut event))
                }
                (&(Owner::Mem(mem) | Owner::Pages(mem, _)), Direction::Down) => {
                    call!(cl, clEnqueueReadBuffer(queue, mem, blocking, offset, bytes, host, 0, null(), &mut event))
                }
                _ => {
                    let (to, from, _) = self.ends(copy);
                    call!(cl, clEnqueueSVMMemcpy(queue, blocking, to, from, bytes, 0, null(), &mut event))
                }
            }
        }?;
        Ok(event)
    }

    /// Copies from or to memory that OpenCL does not know, and waits for it.
    ///
    /// # Safety
    /// As of `copy_on`.
    unsafe fn copy_unknown(&self, copy: HostCopy) -> Result<()> {
        self.core.check_abandoned(Api::OpenCl)?;
        if copy.bytes == 0 {
            return Ok(());
        }
        let (to, from, kind) = self.ends(copy);
        // SAFETY: the caller's promise.
        unsafe {
            match &self.owner {
                Owner::Lent(made_by) => made_by.copy_on(None, copy),
                Owner::Shared(made_by) => made_by.copy_on(None, copy),
                Owner::Mapped(_) => call!(self.core.libraries.hsa, hsa_memory_copy(to, from, copy.bytes)),
                _ => self.hip_copy(self.core.copy_stream(copy.direction)?, to, from, copy.bytes, kind),
            }
        }
    }

    /// HIP's own copy, waited for.
    ///
    /// # Safety
    /// `bytes` bytes are allocated on both sides; the stream is the session's.
    unsafe fn hip_copy(
        &self,
        stream: hipStream_t,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
        kind: hipMemcpyKind,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        let copy = || unsafe { call!(self.core.libraries.hip, hipMemcpyWithStream(to, from, bytes, kind, stream)) };
        self.core.on_stream(stream, || Work::Copy, copy)?;
        if !self.core.clock.is_on() {
            return Ok(());
        }
        // The copy has ended, but not yet the event behind it, which has its time and which nobody else waits for.
        // SAFETY: a stream of the session's.
        unsafe { call!(self.core.libraries.hip, hipStreamSynchronize(stream)) }
    }
}
