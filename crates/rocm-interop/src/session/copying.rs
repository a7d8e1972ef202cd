//! Copies of memory that OpenCL does not know, which OpenCL's queue makes: by a kernel, that comes between the kernels before and behind it.

use std::ptr::{null, null_mut};

use cl_sys::cl_kernel;
use parking_lot::Mutex;

use crate::Result;
use crate::apis::call::{call, create, log};
use crate::session::Core;
use crate::session::undelivered::Accesses;

const SOURCE: &std::ffi::CStr = c"
kernel void copy(ulong from, global uchar *to, ulong bytes) {
    for (ulong i = get_global_id(0); i < bytes; i += get_global_size(0)) to[i] = ((global const uchar *)from)[i];
}";

/// Work-items, each of which copies one byte of so many.
const ITEMS: usize = 1 << 16;

/// The kernel, null until it is first needed. Held while it is given arguments and enqueued.
#[derive(Debug)]
pub(crate) struct Copying(Mutex<Kernel>);

#[derive(Debug)]
struct Kernel(cl_kernel);

// SAFETY: OpenCL's kernels may be used by any thread, but not given arguments by two at a time, which the lock sees to.
unsafe impl Send for Kernel {}

impl Default for Copying {
    fn default() -> Copying {
        Copying(Mutex::new(Kernel(null_mut())))
    }
}

impl Core {
    /// Enqueues a copy of `bytes` bytes at `from`, in the buffer at the address `buffer`, to SVM at `to`. Waits for nothing.
    ///
    /// # Safety
    /// There are that many bytes at both, until the copy is done.
    pub(crate) unsafe fn enqueue_copy(&self, buffer: u64, from: u64, to: u64, bytes: usize) -> Result<()> {
        let cl = &self.libraries.cl;
        let mut kernel = self.copying.0.lock();
        if kernel.0.is_null() {
            kernel.0 = self.copy_kernel()?;
        }
        let (bytes, word) = (bytes as u64, size_of::<u64>());
        let (items, none) = (&ITEMS, null());
        // SAFETY: what the kernel declares, given by one thread at a time.
        unsafe {
            call!(cl, clSetKernelArg(kernel.0, 0, word, (&raw const from).cast()))?;
            call!(cl, clSetKernelArgSVMPointer(kernel.0, 1, std::ptr::with_exposed_provenance(to as usize)))?;
            call!(cl, clSetKernelArg(kernel.0, 2, word, (&raw const bytes).cast()))?;
        }
        let given = Accesses::from_slice(&[(buffer, false), (to, true)]);
        self.enqueue(given, |event| {
            // SAFETY: the session's queue, a size for one dimension, and a kernel with its arguments. The memory is the caller's promise.
            unsafe {
                call!(cl, clEnqueueNDRangeKernel(self.queue, kernel.0, 1, null(), items, null(), 0, none, event))?;
                // Those behind it may write there, which OpenCL does not see.
                call!(cl, clFlush(self.queue))
            }
        })
    }

    fn copy_kernel(&self) -> Result<cl_kernel> {
        let (cl, device) = (&self.libraries.cl, self.device.opencl());
        let mut text = SOURCE.as_ptr();
        // SAFETY: one string that ends in 0, and the context's own device. The kernel holds the program.
        unsafe {
            let program = create!(cl, clCreateProgramWithSource(self.context, 1, &raw mut text, null()))?;
            let kernel = call!(cl, clBuildProgram(program, 1, &device, c"".as_ptr(), None, null_mut()))
                .and_then(|()| create!(cl, clCreateKernel(program, c"copy".as_ptr())));
            log(call!(cl, clReleaseProgram(program)));
            kernel
        }
    }

    /// Gives the kernel back.
    pub(crate) fn forget_copying(&mut self) -> Result<()> {
        let kernel = std::mem::take(&mut self.copying).0.into_inner().0;
        if kernel.is_null() {
            return Ok(());
        }
        // SAFETY: made by `copy_kernel`, and used by nobody any more.
        unsafe { call!(self.libraries.cl, clReleaseKernel(kernel)) }
    }
}
