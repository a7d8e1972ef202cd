//! Copies between the host and memory of any kind, each by the API that made it, beside the session's work.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use cl_sys::{cl_bool, cl_command_queue, cl_event, cl_int, cl_mem_flags};
use hip_sys::{hipMemcpyKind, hipStream_t};

use crate::apis::call::{call, first, present};
use crate::memory::{Memory, Owner};
use crate::session::copies::Direction;
use crate::session::event::Event;
use crate::session::times::Work;
use crate::session::undelivered::Accesses;
use crate::{Api, Error, Place, Residency, Result};

/// So often a read is made beside the work of other threads before it comes between theirs.
const ATTEMPTS: u32 = 3;

impl Memory {
    /// Copies from the host to `offset` bytes behind the start, after `side`'s work that may use it, and waits for it. It is `side`'s turn, and nothing is launched on it meanwhile.
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
        unsafe { self.write_on(if in_queue { Some(core.queue) } else { None }, offset, data) }?;
        core.settle(earlier)
    }

    /// Copies, and waits for it. No work uses the memory meanwhile, but for that of `queue`, if there is one.
    ///
    /// # Safety
    /// As of `write`.
    pub(crate) unsafe fn write_on(&self, queue: Option<cl_command_queue>, offset: usize, data: &[u8]) -> Result<()> {
        if !self.is_opencls() {
            // SAFETY: the caller's promise.
            return unsafe { self.write_unknown(offset, data) };
        }
        let queue = queue.map_or_else(|| self.core.copy_queue(Direction::Up), Ok)?;
        if self.core.limits.wait().is_some() {
            // SAFETY: the caller's promise.
            let enqueue = |data: &mut [u8]| unsafe { self.enqueue_write(queue, cl_sys::CL_FALSE, offset, data) };
            return self.copy_within_limit(queue, data.to_vec(), enqueue).map(drop);
        }
        // SAFETY: the caller's promise; the copy is over when the call returns.
        let event = unsafe { self.enqueue_write(queue, cl_sys::CL_TRUE, offset, data) }?;
        self.core.ended(event)
    }

    /// Copies from `offset` bytes behind the start to the host, and waits for it. What it copies is there at one moment: all of `side`'s work that was launched before and may use it, and none in part. It is `side`'s
    /// turn.
    ///
    /// # Safety
    /// There are that many bytes.
    pub(crate) unsafe fn read(&self, side: Api, offset: usize, data: &mut [u8]) -> Result<()> {
        let core = &self.core;
        if core.has_flags() {
            self.finish_uses(side)?;
        }
        if side == Api::OpenCl && self.is_opencls() && !self.is_beside() {
            // SAFETY: the caller's promise.
            return unsafe { self.read_in_queue(offset, data) };
        }
        // Others may launch meanwhile, on this memory too.
        for _ in 0..ATTEMPTS {
            let launched = self.launched(side);
            self.wait_for_uses_of(side)?;
            // SAFETY: the caller's promise.
            unsafe { self.read_on(None, offset, data) }?;
            if !self.may_be_used_since(side, launched) {
                return Ok(());
            }
        }
        if side == Api::Hip {
            // HIP's launches wait for this one, as they wait for each other.
            let _order = core.launching_hip.lock();
            core.wait(Api::Hip)?;
            // SAFETY: the caller's promise.
            return unsafe { self.read_on(None, offset, data) };
        }
        if self.is_opencls() {
            // SAFETY: the caller's promise.
            return unsafe { self.read_in_queue(offset, data) };
        }
        self.read_by_kernel(offset, data)
    }

    /// What `side` has launched: for OpenCL the number of its next command, for HIP that of the last work that was given this memory.
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

    /// Whether a copy in a queue of its own is over earlier than one in the session's: behind the last command that may use it come others.
    fn is_beside(&self) -> bool {
        !self.core.shares_queue() && self.unused_from() < self.core.next_command()
    }

    /// Between kernels in the session's queue, which OpenCL keeps apart from the copy.
    ///
    /// # Safety
    /// As of `read`.
    unsafe fn read_in_queue(&self, offset: usize, data: &mut [u8]) -> Result<()> {
        let earlier = self.core.next_command();
        // SAFETY: the caller's promise.
        unsafe { self.read_on(Some(self.core.queue), offset, data) }?;
        self.core.settle(earlier)
    }

    /// Copies, in `queue` if there is one and OpenCL knows the memory, and waits for it.
    ///
    /// # Safety
    /// As of `read`.
    pub(crate) unsafe fn read_on(&self, queue: Option<cl_command_queue>, offset: usize, data: &mut [u8]) -> Result<()> {
        if !self.is_opencls() {
            // SAFETY: the caller's promise.
            return unsafe { self.read_unknown(offset, data) };
        }
        let queue = queue.map_or_else(|| self.core.copy_queue(Direction::Down), Ok)?;
        if self.core.limits.wait().is_some() {
            // SAFETY: the caller's promise.
            let enqueue = |data: &mut [u8]| unsafe { self.enqueue_read(queue, cl_sys::CL_FALSE, offset, data) };
            data.copy_from_slice(&self.copy_within_limit(queue, vec![0; data.len()], enqueue)?);
            return Ok(());
        }
        // SAFETY: the caller's promise; the copy is over when the call returns.
        let event = unsafe { self.enqueue_read(queue, cl_sys::CL_TRUE, offset, data) }?;
        self.core.ended(event)
    }

    /// Begins to copy from the host to `offset` bytes behind the start, beside the session's work and copies the other way: the copy's event, which can be waited for also if something failed behind it. No
    /// work uses the memory meanwhile.
    ///
    /// # Safety
    /// `data` fits there, and both stay until the event was waited for.
    pub(crate) unsafe fn begin_write(&self, offset: usize, data: &[u8]) -> Result<(Event, Result<()>)> {
        if self.is_opencls() {
            let queue = self.core.copy_queue(Direction::Up)?;
            // SAFETY: the caller's promise.
            let event = unsafe { self.enqueue_write(queue, cl_sys::CL_FALSE, offset, data) }?;
            return Ok(self.begun(event, queue));
        }
        if !self.is_copied_by_hip() || data.is_empty() {
            // SAFETY: the caller's promise.
            unsafe { self.write_unknown(offset, data) }?;
            return Ok((Event::of_command(&self.core, std::ptr::null_mut()), Ok(())));
        }
        let (kind, direction) = (hipMemcpyKind::hipMemcpyHostToDevice, Direction::Up);
        // SAFETY: the caller's promise.
        unsafe { self.begin_hip_copy(direction, self.at(offset), data.as_ptr().cast(), data.len(), kind) }
    }

    /// The same in the other direction.
    ///
    /// # Safety
    /// As of `begin_write`.
    pub(crate) unsafe fn begin_read(&self, offset: usize, data: &mut [u8]) -> Result<(Event, Result<()>)> {
        if self.is_opencls() {
            let queue = self.core.copy_queue(Direction::Down)?;
            // SAFETY: the caller's promise.
            let event = unsafe { self.enqueue_read(queue, cl_sys::CL_FALSE, offset, data) }?;
            return Ok(self.begun(event, queue));
        }
        if !self.is_copied_by_hip() || data.is_empty() {
            // SAFETY: the caller's promise.
            unsafe { self.read_unknown(offset, data) }?;
            return Ok((Event::of_command(&self.core, std::ptr::null_mut()), Ok(())));
        }
        let (kind, direction) = (hipMemcpyKind::hipMemcpyDeviceToHost, Direction::Down);
        // SAFETY: the caller's promise.
        unsafe { self.begin_hip_copy(direction, data.as_mut_ptr().cast(), self.at(offset), data.len(), kind) }
    }

    fn begun(&self, event: cl_event, queue: cl_command_queue) -> (Event, Result<()>) {
        // OpenCL need not begin before it is flushed.
        let flushed = self.core.flush(queue);
        (Event::of_command(&self.core, event), flushed)
    }

    /// # Safety
    /// `bytes` bytes are allocated on both sides, and stay until the event was waited for.
    unsafe fn begin_hip_copy(
        &self,
        direction: Direction,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
        kind: hipMemcpyKind,
    ) -> Result<(Event, Result<()>)> {
        let core = &self.core;
        core.check_abandoned(Api::Hip)?;
        let stream = core.copy_stream(direction)?;
        // SAFETY: the caller's promise; a stream of the session's.
        let copy = || unsafe { call!(core.libraries.hip, hipMemcpyAsync(to, from, bytes, kind, stream)) };
        core.on_stream(stream, || Work::Copy, copy)?;
        Ok(Event::of_copies(core, stream))
    }

    /// Whether HIP has a copy of such memory that is not waited for.
    fn is_copied_by_hip(&self) -> bool {
        matches!(self.owner, Owner::Hip | Owner::External(_) | Owner::Opened)
    }

    /// Copies on `queue` from the host to `offset` bytes behind the start of memory that OpenCL knows, and gives the copy's event; null if there is nothing to copy.
    ///
    /// # Safety
    /// `data` fits there. Unless `blocking`, it and this stay until the copy is done.
    unsafe fn enqueue_write(
        &self,
        queue: cl_command_queue,
        blocking: cl_bool,
        offset: usize,
        data: &[u8],
    ) -> Result<cl_event> {
        self.core.check_abandoned(Api::OpenCl)?;
        let mut event = std::ptr::null_mut();
        // OpenCL has no copies of 0 bytes.
        if data.is_empty() {
            return Ok(event);
        }
        let cl = &self.core.libraries.cl;
        let (from, to, bytes, none) = (data.as_ptr().cast(), self.at(offset), data.len(), std::ptr::null());
        // SAFETY: the caller's promise.
        unsafe {
            match self.owner {
                Owner::Mem(mem) | Owner::Pages(mem, _) => {
                    call!(cl, clEnqueueWriteBuffer(queue, mem, blocking, offset, bytes, from, 0, none, &mut event))
                }
                _ => call!(cl, clEnqueueSVMMemcpy(queue, blocking, to, from, bytes, 0, none, &mut event)),
            }
        }?;
        Ok(event)
    }

    /// The same in the other direction.
    ///
    /// # Safety
    /// There are that many bytes. Unless `blocking`, `data` and this stay until the copy is done.
    unsafe fn enqueue_read(
        &self,
        queue: cl_command_queue,
        blocking: cl_bool,
        offset: usize,
        data: &mut [u8],
    ) -> Result<cl_event> {
        self.core.check_abandoned(Api::OpenCl)?;
        let mut event = std::ptr::null_mut();
        if data.is_empty() {
            return Ok(event);
        }
        let cl = &self.core.libraries.cl;
        let (to, from, bytes, none) = (data.as_mut_ptr().cast(), self.at(offset), data.len(), std::ptr::null());
        // SAFETY: the caller's promise.
        unsafe {
            match self.owner {
                Owner::Mem(mem) | Owner::Pages(mem, _) => {
                    call!(cl, clEnqueueReadBuffer(queue, mem, blocking, offset, bytes, to, 0, none, &mut event))
                }
                _ => call!(cl, clEnqueueSVMMemcpy(queue, blocking, to, from, bytes, 0, none, &mut event)),
            }
        }?;
        Ok(event)
    }

    /// Copies from the host to memory that OpenCL does not know, and waits for it.
    ///
    /// # Safety
    /// `data` fits there.
    unsafe fn write_unknown(&self, offset: usize, data: &[u8]) -> Result<()> {
        self.core.check_abandoned(Api::OpenCl)?;
        if data.is_empty() {
            return Ok(());
        }
        let (to, from, bytes) = (self.at(offset), data.as_ptr().cast::<c_void>(), data.len());
        // SAFETY: the caller's promise.
        unsafe {
            match &self.owner {
                Owner::Lent(made_by) => made_by.write_on(None, offset, data),
                Owner::Shared(made_by) => made_by.write_on(None, offset, data),
                Owner::Mapped(_) => call!(self.core.libraries.hsa, hsa_memory_copy(to, from, bytes)),
                _ => {
                    let stream = self.core.copy_stream(Direction::Up)?;
                    self.hip_copy(stream, to, from, bytes, hipMemcpyKind::hipMemcpyHostToDevice)
                }
            }
        }
    }

    /// The same in the other direction.
    ///
    /// # Safety
    /// There are that many bytes.
    unsafe fn read_unknown(&self, offset: usize, data: &mut [u8]) -> Result<()> {
        self.core.check_abandoned(Api::OpenCl)?;
        if data.is_empty() {
            return Ok(());
        }
        let (to, from, bytes) = (data.as_mut_ptr().cast::<c_void>(), self.at(offset), data.len());
        // SAFETY: the caller's promise.
        unsafe {
            match &self.owner {
                Owner::Lent(made_by) => made_by.read_on(None, offset, data),
                Owner::Shared(made_by) => made_by.read_on(None, offset, data),
                Owner::Mapped(_) => call!(self.core.libraries.hsa, hsa_memory_copy(to, from, bytes)),
                _ => {
                    let stream = self.core.copy_stream(Direction::Down)?;
                    self.hip_copy(stream, to, from, bytes, hipMemcpyKind::hipMemcpyDeviceToHost)
                }
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

    /// Waits for the copy that `enqueue` begins on `queue`, from or to `data`, which is left to it if it does not end.
    fn copy_within_limit(
        &self,
        queue: cl_command_queue,
        mut data: Vec<u8>,
        enqueue: impl FnOnce(&mut [u8]) -> Result<cl_event>,
    ) -> Result<Vec<u8>> {
        let copy = enqueue(&mut data)?;
        let flushed = self.core.flush(queue);
        let ended = self.core.wait_for_command(copy, Accesses::from_slice(&[(self.address, true)]));
        match ended {
            Ok(ended) => first([ended, flushed]).map(|()| data),
            Err(error) => {
                std::mem::forget(data);
                first([Err(error), flushed]).map(|()| Vec::new())
            }
        }
    }

    /// The same where OpenCL does not know the memory and others launch on it all the time: the copy is a command of the queue among theirs, which holds up nobody.
    fn read_by_kernel(&self, offset: usize, data: &mut [u8]) -> Result<()> {
        // OpenCL has no memory of 0 bytes.
        if data.is_empty() {
            return Ok(());
        }
        let core = &self.core;
        let flags = cl_sys::CL_MEM_READ_WRITE | cl_mem_flags::from(cl_sys::CL_MEM_SVM_FINE_GRAIN_BUFFER);
        // SAFETY: the session's context.
        let svm = present::<cl_int, _, _>(unsafe { core.libraries.cl.clSVMAlloc(core.context, flags, data.len(), 0) })?;
        if svm.is_null() {
            return Err(Error::NoMemory { call: "clSVMAlloc", bytes: data.len() });
        }
        let (address, bytes) = (svm.expose_provenance() as u64, data.len());
        let residency = Residency { place: Place::Host, base: address, bytes };
        let copied = Memory::of(core, Owner::Svm, address, bytes, residency);
        // SAFETY: as large as the data, and there until it was waited for, as this is; OpenCL keeps its own copy apart from the kernel.
        unsafe {
            let given = Accesses::from_slice(&[(self.address, false), (address, true)]);
            core.enqueue_copy(given, self.address + offset as u64, address, bytes)?;
            copied.read_in_queue(0, data)?;
        }
        core.settle(core.next_command())?;
        match core.tell(Api::OpenCl, &[address]) {
            Ok(()) => Ok(()),
            // What is missing here is missing in the copy too, and told once.
            Err(error) => self.tell(Api::OpenCl).and(Err(error)),
        }
    }
}
