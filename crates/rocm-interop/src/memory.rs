//! Memory and its owner: who made the bytes, and how they are given back.

use std::ffi::c_void;
use std::sync::Arc;

use cl_sys::{cl_bool, cl_command_queue, cl_kernel, cl_mem};
use hip_sys::hipMemcpyKind;

use crate::call::{Release, call, first, log, present};
use crate::session::Core;
use crate::{Error, Libraries, Place, Residency, Result};

/// What has to be given back at the end, and by which API.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Owner {
    /// From clSVMAlloc.
    Svm,
    /// A buffer object, retained once for this view.
    Mem(cl_mem),
    /// From hipMalloc.
    Hip,
}

/// Bytes at one address for both APIs, given back when dropped.
#[derive(Debug)]
pub(crate) struct Memory {
    core: Arc<Core>,
    owner: Owner,
    address: u64,
    bytes: usize,
    residency: Residency,
    /// Given back already, or never to be.
    released: bool,
}

// SAFETY: OpenCL's buffer objects and SVM are not bound to a thread.
unsafe impl Send for Memory {}
// SAFETY: as above; nothing here changes by a shared reference.
unsafe impl Sync for Memory {}

impl Memory {
    /// Takes `bytes` bytes at `address`; gives them back if they are not the GPU's.
    pub(crate) fn new(core: &Arc<Core>, owner: Owner, address: u64, bytes: usize) -> Result<Memory> {
        let residency = Residency { place: Place::Gpu(core.device.pci()), base: address, bytes };
        let mut memory = Memory { core: Arc::clone(core), owner, address, bytes, residency, released: false };
        memory.residency = core.residency(address, bytes)?;
        Ok(memory)
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Refuses it where another session than `core` works.
    pub(crate) fn check_session(&self, core: &Arc<Core>) -> Result<()> {
        if Arc::ptr_eq(&self.core, core) {
            return Ok(());
        }
        let reason = "is of another session, but its hand-over waits for its own session's queue and stream only: use it with what was \
                      made with its own session"
            .to_owned();
        Err(Error::Argument { what: "buffer", reason })
    }

    /// In both APIs' kernels.
    pub(crate) fn address(&self) -> &u64 {
        &self.address
    }

    pub(crate) fn residency(&self) -> Residency {
        self.residency
    }

    /// Whether OpenCL knows it, and so keeps kernels apart that are given it.
    pub(crate) fn is_opencls(&self) -> bool {
        match self.owner {
            Owner::Svm | Owner::Mem(_) => true,
            Owner::Hip => false,
        }
    }

    fn pointer(&self) -> *mut c_void {
        self.at(0)
    }

    /// The address `offset` bytes behind the start.
    fn at(&self, offset: usize) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.address as usize + offset)
    }

    /// Copies from the host to `offset` bytes behind the start. HIP's memory is filled when this returns; no work of OpenCL's uses it meanwhile.
    ///
    /// # Safety
    /// `data` fits there. Unless `blocking`, it and this stay until the queue is done.
    pub(crate) unsafe fn enqueue_write(
        &self,
        queue: cl_command_queue,
        blocking: cl_bool,
        offset: usize,
        data: &[u8],
    ) -> Result<()> {
        // OpenCL has no copies of 0 bytes.
        if data.is_empty() {
            return Ok(());
        }
        let cl = &self.core.libraries.cl;
        let (from, to, bytes) = (data.as_ptr().cast::<c_void>(), self.at(offset), data.len());
        let (none, event) = (std::ptr::null(), std::ptr::null_mut());
        // SAFETY: the caller's promise.
        unsafe {
            match self.owner {
                Owner::Svm => {
                    call!(cl, clEnqueueSVMMemcpy(queue, blocking, to, from, bytes, 0, none, event))
                }
                Owner::Mem(mem) => {
                    call!(cl, clEnqueueWriteBuffer(queue, mem, blocking, offset, bytes, from, 0, none, event))
                }
                Owner::Hip => self.copy(to, from, bytes, hipMemcpyKind::hipMemcpyHostToDevice),
            }
        }
    }

    /// Copies from `offset` bytes behind the start to the host, and waits for it.
    ///
    /// # Safety
    /// There are that many bytes.
    pub(crate) unsafe fn read(&self, offset: usize, data: &mut [u8]) -> Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        let (cl, queue) = (&self.core.libraries.cl, self.core.queue);
        let (to, from, bytes) = (data.as_mut_ptr().cast::<c_void>(), self.at(offset), data.len());
        let (none, event, blocking) = (std::ptr::null(), std::ptr::null_mut(), cl_sys::CL_TRUE);
        // SAFETY: it fits, and the call blocks until `data` was written.
        unsafe {
            match self.owner {
                Owner::Svm => call!(cl, clEnqueueSVMMemcpy(queue, blocking, to, from, bytes, 0, none, event)),
                Owner::Mem(mem) => {
                    call!(cl, clEnqueueReadBuffer(queue, mem, blocking, offset, bytes, to, 0, none, event))
                }
                Owner::Hip => {
                    self.core.finish().and_then(|()| self.copy(to, from, bytes, hipMemcpyKind::hipMemcpyDeviceToHost))
                }
            }
        }
    }

    /// HIP's own copy, waited for.
    ///
    /// # Safety
    /// `bytes` bytes are allocated on both sides.
    unsafe fn copy(&self, to: *mut c_void, from: *const c_void, bytes: usize, kind: hipMemcpyKind) -> Result<()> {
        self.core.select_device()?;
        // SAFETY: the caller's promise; the stream is the session's.
        unsafe { call!(self.core.libraries.hip, hipMemcpyWithStream(to, from, bytes, kind, self.core.stream)) }
    }

    /// Makes it argument `index` of a kernel of the same context, to which no other thread gives arguments meanwhile.
    pub(crate) fn set_argument(&self, kernel: cl_kernel, index: u32) -> Result<()> {
        let cl = &self.core.libraries.cl;
        // SAFETY: pointer or object of the kernel's context.
        unsafe {
            match self.owner {
                Owner::Svm | Owner::Hip => call!(cl, clSetKernelArgSVMPointer(kernel, index, self.pointer())),
                Owner::Mem(mem) => {
                    call!(cl, clSetKernelArg(kernel, index, size_of::<cl_mem>(), (&raw const mem).cast()))
                }
            }
        }
    }

    /// Never gives it back, since what was submitted may use it for ever.
    pub(crate) fn leak(&mut self, reason: Error) -> Error {
        self.released = true;
        let what = format!("memory of {} bytes at {:#x}", self.bytes, self.address);
        Error::Leaked { what, reason: Box::new(reason) }
    }
}

impl Release for Memory {
    fn release(&mut self) -> Result<()> {
        if self.released {
            return Ok(());
        }
        // Both sides: work that was submitted may still use the memory.
        if let Err(error) = first([self.core.synchronize(), self.core.finish()]) {
            return Err(self.leak(error));
        }
        self.released = true;
        let Libraries { cl, hip, .. } = &*self.core.libraries;
        let context = self.core.context;
        // SAFETY: allocated or retained for this value, given back once.
        unsafe {
            match self.owner {
                Owner::Svm => present::<cl_sys::cl_int, _, _>(cl.clSVMFree(context, self.pointer())),
                Owner::Mem(mem) => call!(cl, clReleaseMemObject(mem)),
                Owner::Hip => call!(hip, hipFree(self.pointer())),
            }
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        log(self.release());
    }
}
