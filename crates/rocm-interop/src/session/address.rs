//! The addresses of buffer objects in kernels, for which OpenCL has no query.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};

use cl_sys::{cl_command_queue, cl_event, cl_int, cl_kernel, cl_mem, cl_mem_flags};

use crate::apis::call::{call, first, present};
use crate::session::Core;
use crate::session::copies::Direction;
use crate::session::failures::Accesses;
use crate::session::helper_kernel::HelperKernel;
use crate::{Error, Result};

pub(crate) fn kernel() -> HelperKernel {
    HelperKernel::new(c"kernel void address_of(global char *b, global ulong *out) { *out = (ulong)b; }", c"address_of")
}

impl Core {
    /// What a kernel gets as the address of `mem`, a live buffer of the session's context. A kernel reports it, in a
    /// queue for copies, so that nothing in the session's is waited for.
    pub(crate) fn address_of(&self, mem: cl_mem) -> Result<u64> {
        let (cl, queue) = (&self.libraries.cl, self.copy_queue(Direction::Up)?);
        let kernel = self.address.get(self)?;
        // The host's own memory, which the kernel writes to in place.
        let flags = cl_sys::CL_MEM_READ_WRITE | cl_mem_flags::from(cl_sys::CL_MEM_SVM_FINE_GRAIN_BUFFER);
        let bytes = size_of::<u64>();
        // SAFETY: the session's context.
        let result =
            present::<cl_int, _, _>(unsafe { cl.clSVMAlloc(self.context, flags, bytes, 0) })?.cast::<AtomicU64>();
        if result.is_null() {
            return Err(Error::NoMemory { call: "clSVMAlloc", bytes });
        }
        let (ended, flushed) = match self.enqueue_address_kernel(kernel.raw(), mem, result, queue) {
            Ok(computed) => {
                // SAFETY: the session's queue. Without it OpenCL need not begin before somebody waits.
                let flushed = unsafe { call!(cl, clFlush(queue)) };
                (self.wait_for_command(computed, Accesses::new()), flushed)
            }
            Err(error) => (Ok(Ok(())), Err(error)),
        };
        let ended = match ended {
            Ok(ended) => ended,
            // The kernel may still write there.
            Err(error) => return first([Err(error), flushed]).map(|()| 0),
        };
        // SAFETY: allocated above, of that size and aligned, and used by nobody else any more.
        let address = unsafe { &*result }.load(Ordering::Acquire);
        // SAFETY: as above.
        let freed = present::<cl_int, _, _>(unsafe { cl.clSVMFree(self.context, result.cast()) });
        first([ended, flushed, freed]).map(|()| address)
    }

    fn enqueue_address_kernel(
        &self,
        kernel: cl_kernel,
        mem: cl_mem,
        result: *mut AtomicU64,
        queue: cl_command_queue,
    ) -> Result<cl_event> {
        let (cl, none, one, mut computed) = (&self.libraries.cl, null(), 1, null_mut());
        // SAFETY: arguments as the kernel declares, a queue of the session's, and a size for one dimension.
        unsafe {
            call!(cl, clSetKernelArg(kernel, 0, size_of::<cl_mem>(), (&raw const mem).cast()))?;
            call!(cl, clSetKernelArgSVMPointer(kernel, 1, result.cast()))?;
            call!(cl, clEnqueueNDRangeKernel(queue, kernel, 1, null(), &one, null(), 0, none, &mut computed))?;
        }
        Ok(computed)
    }
}
