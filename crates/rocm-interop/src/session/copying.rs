//! Copies of memory that OpenCL does not know, which OpenCL's queue makes: by a kernel, that comes between the kernels before and behind it.

use std::ptr::null;

use crate::Result;
use crate::apis::call::call;
use crate::session::Core;
use crate::session::own_kernel::OwnKernel;
use crate::session::undelivered::Accesses;

pub(crate) fn kernel() -> OwnKernel {
    OwnKernel::new(
        c"
kernel void copy(ulong from, global uchar *to, ulong bytes) {
    for (ulong i = get_global_id(0); i < bytes; i += get_global_size(0)) to[i] = ((global const uchar *)from)[i];
}",
        c"copy",
    )
}

/// Work-items, each of which copies one byte of so many.
const ITEMS: usize = 1 << 16;

impl Core {
    /// Enqueues a copy of `bytes` bytes at `from`, in the buffer at the address `buffer`, to SVM at `to`. Waits for nothing.
    ///
    /// # Safety
    /// There are that many bytes at both, until the copy is done.
    pub(crate) unsafe fn enqueue_copy(&self, buffer: u64, from: u64, to: u64, bytes: usize) -> Result<()> {
        let cl = &self.libraries.cl;
        let copy = self.copying.get(self)?;
        let (bytes, word) = (bytes as u64, size_of::<u64>());
        let (items, none) = (&ITEMS, null());
        // SAFETY: what the kernel declares, given by one thread at a time.
        unsafe {
            call!(cl, clSetKernelArg(copy.raw(), 0, word, (&raw const from).cast()))?;
            call!(cl, clSetKernelArgSVMPointer(copy.raw(), 1, std::ptr::with_exposed_provenance(to as usize)))?;
            call!(cl, clSetKernelArg(copy.raw(), 2, word, (&raw const bytes).cast()))?;
        }
        let given = Accesses::from_slice(&[(buffer, false), (to, true)]);
        self.enqueue(given, |event| {
            // SAFETY: the session's queue, a size for one dimension, and a kernel with its arguments. The memory is the caller's promise.
            unsafe {
                call!(cl, clEnqueueNDRangeKernel(self.queue, copy.raw(), 1, null(), items, null(), 0, none, event))?;
                // Those behind it may write there, which OpenCL does not see.
                call!(cl, clFlush(self.queue))
            }
        })
    }
}
