//! Copies and fills that OpenCL's queue makes of memory which OpenCL does not know, or whose elements it has no fill
//! for: by kernels, that get addresses.

use std::ffi::c_void;
use std::ptr::null;

use cl_sys::cl_kernel;

use crate::Result;
use crate::apis::call::call;
use crate::session::Core;
use crate::session::failures::Accesses;
use crate::session::helper_kernel::HelperKernel;

pub(crate) fn copy_kernel() -> HelperKernel {
    HelperKernel::new(
        c"
kernel void copy(global const uchar *from, global uchar *to, ulong bytes) {
    size_t i = get_global_id(0), all = get_global_size(0);
    if ((((ulong)from | (ulong)to | bytes) & 15) == 0) {
        for (; i < bytes / 16; i += all) ((global uint4 *)to)[i] = ((global const uint4 *)from)[i];
    } else {
        for (; i < bytes; i += all) to[i] = from[i];
    }
}",
        c"copy",
    )
}

/// Most bytes of an element.
pub(crate) const PATTERN: usize = 128;

pub(crate) fn fill_kernel() -> HelperKernel {
    HelperKernel::new(
        c"
struct pattern { uchar bytes[128]; };
kernel void fill(global uchar *to, ulong bytes, struct pattern pattern, uint size) {
    for (size_t i = get_global_id(0); i < bytes; i += get_global_size(0)) to[i] = pattern.bytes[i % size];
}",
        c"fill",
    )
}

/// Also of what is no SVM: AMD's OpenCL gives it to the kernel as it is.
fn pointer(address: u64) -> *const c_void {
    std::ptr::with_exposed_provenance(address as usize)
}

/// Work-items, each of which writes one piece of so many.
const ITEMS: usize = 1 << 16;

impl Core {
    /// Enqueues a copy. Waits for nothing.
    ///
    /// # Safety
    /// There are that many bytes at both, in the buffers of `given`, until the copy is done.
    pub(crate) unsafe fn enqueue_copy(&self, given: Accesses, from: u64, to: u64, bytes: usize) -> Result<()> {
        let (cl, copy, bytes, word) = (&self.libraries.cl, self.copy.get(self)?, bytes as u64, size_of::<u64>());
        // SAFETY: what the kernel declares, given by one thread at a time.
        unsafe {
            call!(cl, clSetKernelArgSVMPointer(copy.raw(), 0, pointer(from)))?;
            call!(cl, clSetKernelArgSVMPointer(copy.raw(), 1, pointer(to)))?;
            call!(cl, clSetKernelArg(copy.raw(), 2, word, (&raw const bytes).cast()))?;
            self.enqueue_by_address(given, copy.raw())
        }
    }

    /// Enqueues a fill with `pattern`, of [`PATTERN`] bytes at most, from its start on. Waits for nothing.
    ///
    /// # Safety
    /// There are that many bytes, in the buffer of `given`, until it is done.
    pub(crate) unsafe fn enqueue_fill(&self, given: Accesses, to: u64, bytes: usize, pattern: &[u8]) -> Result<()> {
        let (cl, fill, bytes, word) = (&self.libraries.cl, self.fill.get(self)?, bytes as u64, size_of::<u64>());
        let (size, mut padded) = (pattern.len() as u32, [0u8; PATTERN]);
        padded[..pattern.len()].copy_from_slice(pattern);
        // SAFETY: what the kernel declares, given by one thread at a time.
        unsafe {
            call!(cl, clSetKernelArgSVMPointer(fill.raw(), 0, pointer(to)))?;
            call!(cl, clSetKernelArg(fill.raw(), 1, word, (&raw const bytes).cast()))?;
            call!(cl, clSetKernelArg(fill.raw(), 2, PATTERN, padded.as_ptr().cast()))?;
            call!(cl, clSetKernelArg(fill.raw(), 3, size_of::<u32>(), (&raw const size).cast()))?;
            self.enqueue_by_address(given, fill.raw())
        }
    }

    /// OpenCL sees what such a kernel uses only if it is SVM, so it is kept apart from those before and behind it.
    ///
    /// # Safety
    /// The kernel has its arguments, to which the memory of `given` belongs.
    unsafe fn enqueue_by_address(&self, given: Accesses, kernel: cl_kernel) -> Result<()> {
        let (cl, none) = (&self.libraries.cl, null());
        self.enqueue(given, |event| {
            // SAFETY: the session's queue, and a size for one dimension; the rest is the caller's promise.
            unsafe {
                self.flush(self.queue)?;
                call!(cl, clEnqueueNDRangeKernel(self.queue, kernel, 1, null(), &ITEMS, null(), 0, none, event))?;
                self.flush(self.queue)
            }
        })
    }
}
