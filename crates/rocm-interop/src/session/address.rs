//! The addresses of buffer objects in kernels, for which OpenCL has no query.

use std::ptr::{null, null_mut};

use cl_sys::{cl_command_queue, cl_kernel, cl_mem};

use crate::Result;
use crate::apis::call::{call, create, first, log};
use crate::session::Core;
use crate::session::own_kernel::OwnKernel;
use crate::session::undelivered::Accesses;

pub(crate) fn kernel() -> OwnKernel {
    OwnKernel::new(c"kernel void address_of(global char *b, global ulong *out) { *out = (ulong)b; }", c"address_of")
}

impl Core {
    /// What a kernel gets as the address of `mem`, a live buffer of the session's context: told by a kernel, in the queue for transfers, so that nothing in the session's is waited for.
    pub(crate) fn address_of(&self, mem: cl_mem) -> Result<u64> {
        let (cl, queue) = (&self.libraries.cl, self.transfer_queue()?);
        let kernel = self.address.get(self)?;
        // SAFETY: 8 bytes of the session's context, released below.
        let out = unsafe { create!(cl, clCreateBuffer(self.context, cl_sys::CL_MEM_WRITE_ONLY, 8, null_mut())) }?;
        let told = self.told_address(kernel.raw(), mem, out, queue);
        // SAFETY: made above; the commands hold it.
        let released = unsafe { call!(cl, clReleaseMemObject(out)) };
        match told {
            Ok(address) => released.map(|()| address),
            Err(error) => {
                log(released);
                Err(error)
            }
        }
    }

    fn told_address(&self, kernel: cl_kernel, mem: cl_mem, out: cl_mem, queue: cl_command_queue) -> Result<u64> {
        let (cl, pointer, none, one) = (&self.libraries.cl, size_of::<cl_mem>(), null(), 1);
        let (mut address, mut computed, mut read) = (0u64, null_mut(), null_mut());
        // SAFETY: arguments are two buffer objects as the kernel declares.
        unsafe {
            call!(cl, clSetKernelArg(kernel, 0, pointer, (&raw const mem).cast()))?;
            call!(cl, clSetKernelArg(kernel, 1, pointer, (&raw const out).cast()))?;
        }
        // SAFETY: a queue of the session's, a size for one dimension, and a kernel with its arguments.
        unsafe { call!(cl, clEnqueueNDRangeKernel(queue, kernel, 1, null(), &one, null(), 0, none, &mut computed)) }?;
        // SAFETY: as above. Without it OpenCL need not begin before somebody waits.
        let flushed = unsafe { call!(cl, clFlush(queue)) };
        // Also after an error: the caller may give up what the kernel was given.
        first([self.wait_for_command(computed, Accesses::new()), flushed])?;
        let (to, blocking) = ((&raw mut address).cast(), cl_sys::CL_TRUE);
        // SAFETY: 8 bytes on both sides; the copy is over when the call returns.
        unsafe { call!(cl, clEnqueueReadBuffer(queue, out, blocking, 0, 8, to, 0, none, &mut read)) }?;
        self.ended(read).map(|()| address)
    }
}
