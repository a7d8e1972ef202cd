//! Filling a buffer while others are computed on.

use std::mem::ManuallyDrop;

use bytemuck::Pod;

use crate::call::{call, log};
use crate::session::Core;
use crate::{Buffer, OpenCl, Refused, Result};

/// A buffer and what was to be copied to it.
type WithData<T> = (Buffer<T, OpenCl>, Vec<T>);

/// A buffer that data is on the way to, beside the session's queue. Nobody has the turn until [`wait`](Upload::wait).
///
/// Owns the data too, so that it stays where it is until it was read, also if the value is forgotten:
/// ```compile_fail,E0382
/// # use rocm_interop::{Buffer, OpenCl, Result};
/// fn use_both(buffer: Buffer<f32, OpenCl>, mut data: Vec<f32>) -> Result<()> {
///     let upload = buffer.upload(data)?;
///     data[0] = 1.0; // being read
///     upload.wait()?;
///     Ok(())
/// }
/// ```
#[derive(Debug)]
#[must_use = "dropping it waits and frees the buffer"]
pub struct Upload<T: Pod> {
    /// Both are taken out once, in `into_parts` or `drop`.
    buffer: ManuallyDrop<Buffer<T, OpenCl>>,
    data: ManuallyDrop<Vec<T>>,
}

impl<T: Pod> Buffer<T, OpenCl> {
    /// Begins to copy `data` from the host to the start of the buffer, on a queue of its own: kernels that are launched meanwhile, on other
    /// buffers, run beside the copy. Waits for earlier work of the session's queue, which may use the buffer.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) if it does not fit, [`Error::Call`](crate::Error::Call); with the buffer and the data.
    /// [`Error::Leaked`](crate::Error::Leaked) if the copy began and cannot be waited for: then the data stays where it is and the vector
    /// is empty, and the buffer's memory is never freed.
    pub fn upload(self, data: Vec<T>) -> Result<Upload<T>, Refused<WithData<T>>> {
        let core = self.memory.core();
        let ready = self.fits(data.len()).and_then(|()| core.finish()).and_then(|()| core.transfer_queue());
        let queue = match ready {
            Ok(queue) => queue,
            Err(error) => return Err(Refused::new(error, (self, data))),
        };
        // From here on the copy may run, so errors have to wait for it too.
        let upload = Upload { buffer: ManuallyDrop::new(self), data: ManuallyDrop::new(data) };
        let bytes = bytemuck::cast_slice(&upload.data);
        // SAFETY: both sides are of this size, and `upload` owns them until the copy is done.
        let begun = unsafe { upload.buffer.memory.enqueue_write(queue, cl_sys::CL_FALSE, 0, bytes) };
        // SAFETY: a live queue. OpenCL need not begin before it is flushed.
        let begun = begun.and_then(|()| unsafe { call!(upload.core().libraries.cl, clFlush(queue)) });
        let Err(error) = begun else { return Ok(upload) };
        let done = upload.core().finish_transfers();
        let (mut buffer, mut data) = upload.into_parts();
        let error = match done {
            Ok(()) => error,
            Err(wait) => {
                log(Err(error));
                std::mem::forget(std::mem::take(&mut data));
                buffer.memory.leak(wait)
            }
        };
        Err(Refused::new(error, (buffer, data)))
    }
}

impl<T: Pod> Upload<T> {
    /// Waits until the data is there. Returns the data too, for its memory to be used again.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call), with this upload, which may still run.
    pub fn wait(self) -> Result<WithData<T>, Refused<Self>> {
        match self.core().finish_transfers() {
            Ok(()) => Ok(self.into_parts()),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    fn core(&self) -> &Core {
        self.buffer.memory.core()
    }

    fn into_parts(self) -> WithData<T> {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: taken once; `drop` does not run.
        unsafe { (ManuallyDrop::take(&mut this.buffer), ManuallyDrop::take(&mut this.data)) }
    }
}

impl<T: Pod> Drop for Upload<T> {
    fn drop(&mut self) {
        let done = self.core().finish_transfers();
        // SAFETY: taken once, here, as `into_parts` does not run it.
        let mut buffer = unsafe { ManuallyDrop::take(&mut self.buffer) };
        match done {
            // SAFETY: as above; nothing copies any more.
            Ok(()) => unsafe { ManuallyDrop::drop(&mut self.data) },
            // Otherwise the copy may still run, so both are left to it.
            Err(error) => log(Err(buffer.memory.leak(error))),
        }
    }
}
