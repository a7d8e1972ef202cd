//! Fills and copies that the GPU makes of memory, on the turn of either API.

use crate::allocation::{Allocation, Owner};
use crate::apis::call::call;
use crate::error::Api;
use crate::session::by_address::PATTERN;
use crate::session::failures::Accesses;
use crate::session::times::Work;
use crate::{Error, Result};

impl Allocation {
    /// Enqueues copies of `pattern` for `bytes` bytes, a multiple of it, from `offset` bytes behind the start on. Waits
    /// for nothing.
    ///
    /// # Safety
    /// There are that many bytes. It is `side`'s turn.
    pub(crate) unsafe fn enqueue_fill(&self, side: Api, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        let (core, size) = (&self.core, pattern.len());
        if side == Api::Hip {
            // SAFETY: the caller's promise.
            return unsafe { self.enqueue_hip_fill(offset, bytes, pattern) };
        }
        if size > PATTERN {
            let reason = format!("are of {size} bytes, and a fill has {PATTERN} at most; use a kernel");
            return Err(Error::Argument { subject: "elements", reason });
        }
        let given = Accesses::from_slice(&[(self.address, true)]);
        let (cl, queue, from, none) = (&core.libraries.cl, core.queue, pattern.as_ptr().cast(), std::ptr::null());
        // OpenCL's own fills are of 1, 2, 4, and so on, to 128 bytes, and begin at a multiple of that.
        let aligned = size.is_power_of_two() && offset.is_multiple_of(size);
        // SAFETY: the caller's promise; OpenCL copies the pattern.
        unsafe {
            match self.owner {
                Owner::Svm if aligned => core.enqueue(given, |event| {
                    call!(cl, clEnqueueSVMMemFill(queue, self.at(offset), from, size, bytes, 0, none, event))
                }),
                Owner::Mem(mem) | Owner::Pages(mem, _) if aligned => core.enqueue(given, |event| {
                    call!(cl, clEnqueueFillBuffer(queue, mem, from, size, offset, bytes, 0, none, event))
                }),
                _ => core.enqueue_fill(given, self.address + offset as u64, bytes, pattern),
            }
        }
    }

    /// Enqueues a copy of `bytes` bytes from `from`, behind its start by the first offset, to this memory. Waits for
    /// nothing.
    ///
    /// # Safety
    /// There are that many bytes in both, and they do not overlap. It is `side`'s turn of both, which are of one
    /// session.
    pub(crate) unsafe fn enqueue_copy_from(
        &self,
        side: Api,
        from: &Allocation,
        [from_offset, offset]: [usize; 2],
        bytes: usize,
    ) -> Result<()> {
        let core = &self.core;
        if side == Api::Hip {
            // SAFETY: the caller's promise.
            return unsafe { self.enqueue_hip_copy(from, [from_offset, offset], bytes) };
        }
        let given = Accesses::from_slice(&[(from.address, false), (self.address, true)]);
        let (cl, queue, none) = (&core.libraries.cl, core.queue, std::ptr::null());
        // SAFETY: the caller's promise.
        unsafe {
            match (&from.owner, &self.owner) {
                (Owner::Svm, Owner::Svm) => core.enqueue(given, |event| {
                    let (from, to) = (from.at(from_offset), self.at(offset));
                    call!(cl, clEnqueueSVMMemcpy(queue, cl_sys::CL_FALSE, to, from, bytes, 0, none, event))
                }),
                (&(Owner::Mem(from) | Owner::Pages(from, _)), &(Owner::Mem(to) | Owner::Pages(to, _))) => core
                    .enqueue(given, |event| {
                        call!(cl, clEnqueueCopyBuffer(queue, from, to, from_offset, offset, bytes, 0, none, event))
                    }),
                _ => core.enqueue_copy(given, from.address + from_offset as u64, self.address + offset as u64, bytes),
            }
        }
    }

    /// HIP copies and fills what it knows as a GPU's memory, and would take any other address for the host's.
    fn check_hip_knows(&self) -> Result<()> {
        if self.is_hips() {
            return Ok(());
        }
        let reason = "is not memory of `hipMalloc`, which alone HIP copies and fills on a GPU; hand it to OpenCL first"
            .to_owned();
        Err(Error::Argument { subject: "buffer", reason })
    }

    /// # Safety
    /// As of `enqueue_fill`.
    unsafe fn enqueue_hip_fill(&self, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        self.check_hip_knows()?;
        let core = &self.core;
        core.check_abandoned(Api::Hip)?;
        core.select_device()?;
        let (hip, stream, to) = (&core.libraries.hip, core.stream, self.at(offset));
        let _order = core.launching_hip.lock();
        let fill = || {
            // SAFETY: the caller's promise; the stream is the session's.
            unsafe {
                match *pattern {
                    [byte] => call!(hip, hipMemsetD8Async(to, byte, bytes, stream)),
                    [a, b] => call!(hip, hipMemsetD16Async(to, u16::from_ne_bytes([a, b]), bytes / 2, stream)),
                    [a, b, c, d] => {
                        call!(hip, hipMemsetD32Async(to, i32::from_ne_bytes([a, b, c, d]), bytes / 4, stream))
                    }
                    _ => {
                        let size = pattern.len();
                        let reason = format!(
                            "are of {size} bytes, and HIP fills with 1, 2 or 4; hand the buffer to OpenCL first"
                        );
                        Err(Error::Argument { subject: "elements", reason })
                    }
                }
            }
        };
        core.on_stream(core.stream, || Work::Fill, fill)?;
        core.turns.launched(&Accesses::from_slice(&[(self.address, true)]));
        core.launched_in_stream([self]);
        Ok(())
    }

    /// # Safety
    /// As of `enqueue_copy_from`.
    unsafe fn enqueue_hip_copy(
        &self,
        from: &Allocation,
        [from_offset, offset]: [usize; 2],
        bytes: usize,
    ) -> Result<()> {
        self.check_hip_knows()?;
        from.check_hip_knows()?;
        let core = &self.core;
        core.check_abandoned(Api::Hip)?;
        core.select_device()?;
        let (to, from_at) = (self.at(offset), from.at(from_offset));
        let _order = core.launching_hip.lock();
        // SAFETY: the caller's promise; the stream is the session's.
        let copy = || unsafe { call!(core.libraries.hip, hipMemcpyDtoDAsync(to, from_at, bytes, core.stream)) };
        core.on_stream(core.stream, || Work::Copy, copy)?;
        core.turns.launched(&Accesses::from_slice(&[(from.address, false), (self.address, true)]));
        core.launched_in_stream([from, self]);
        Ok(())
    }
}
