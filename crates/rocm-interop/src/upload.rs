//! Filling a buffer while others are computed on.

use std::mem::ManuallyDrop;

use crate::call::{call, log};
use crate::{Buffer, Element, OpenCl, Result, Session};

/// A buffer that data is on the way to, beside the session's queue. Nobody has the turn until [`wait`](Upload::wait).
///
/// Owns the data too, so that it stays where it is until it was read, also if the value is forgotten:
/// ```compile_fail,E0382
/// # use rocm_interop::{Buffer, OpenCl, Result};
/// fn use_both(buffer: Buffer<'_, f32, OpenCl>, mut data: Vec<f32>) -> Result<()> {
///     let upload = buffer.upload(data)?;
///     data[0] = 1.0; // being read
///     upload.wait().map(drop)
/// }
/// ```
#[derive(Debug)]
#[must_use = "dropping it waits and frees the buffer"]
pub struct Upload<'s, T: Element> {
    /// Both are taken out once, in `wait` or `drop`.
    buffer: ManuallyDrop<Buffer<'s, T, OpenCl>>,
    data: ManuallyDrop<Vec<T>>,
}

impl<'s, T: Element> Buffer<'s, T, OpenCl> {
    /// Begins to copy `data` from the host to the start of the buffer, on a queue of its own: kernels that are launched meanwhile, on other
    /// buffers, run beside the copy. Waits for earlier work of the session's queue, which may use the buffer.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) if it does not fit, [`Error::Call`](crate::Error::Call); buffer and data are dropped
    /// then.
    pub fn upload(self, data: Vec<T>) -> Result<Upload<'s, T>> {
        self.fits(data.len())?;
        let session = self.session();
        session.finish()?;
        let queue = session.transfer_queue()?;
        // From here on the copy may run, so errors have to wait for it too.
        let upload = Upload { buffer: ManuallyDrop::new(self), data: ManuallyDrop::new(data) };
        // SAFETY: both sides are of this size, and `upload` owns them until the copy is done.
        unsafe { upload.buffer.enqueue_write(queue, cl_sys::CL_FALSE, &upload.data) }?;
        // SAFETY: a live queue. OpenCL need not begin before it is flushed.
        unsafe { call!(session.libraries.cl, clFlush(queue)) }?;
        Ok(upload)
    }
}

impl<'s, T: Element> Upload<'s, T> {
    /// Waits until the data is there. Returns the data too, for its memory to be used again.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call); buffer and data are dropped then.
    pub fn wait(self) -> Result<(Buffer<'s, T, OpenCl>, Vec<T>)> {
        finish(self.buffer.session())?;
        let mut this = ManuallyDrop::new(self);
        // SAFETY: taken once; `drop` does not run.
        Ok(unsafe { (ManuallyDrop::take(&mut this.buffer), ManuallyDrop::take(&mut this.data)) })
    }
}

fn finish(session: &Session) -> Result<()> {
    let queue = session.transfer_queue()?;
    // SAFETY: the queue lives as long as the session.
    unsafe { call!(session.libraries.cl, clFinish(queue)) }
}

impl<T: Element> Drop for Upload<'_, T> {
    fn drop(&mut self) {
        let done = finish(self.buffer.session());
        if done.is_ok() {
            // SAFETY: taken once; nothing copies any more.
            unsafe {
                ManuallyDrop::drop(&mut self.buffer);
                ManuallyDrop::drop(&mut self.data);
            }
        }
        // Otherwise the copy may still run, so both are left to it.
        log(done);
    }
}
