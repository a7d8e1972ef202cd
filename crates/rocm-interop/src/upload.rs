//! Filling a buffer while others are computed on.

use bytemuck::Pod;

use crate::call::{call, log};
use crate::mark::Mark;
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
    copy: Mark,
    /// Taken when the copy is over.
    parts: Option<WithData<T>>,
}

impl<T: Pod> Buffer<T, OpenCl> {
    /// Begins to copy `data` from the host to the start of the buffer, on a queue of its own: kernels of either API that use other buffers run
    /// beside the copy, whether they were launched before or are launched meanwhile. Those that were given this buffer are waited for first; if
    /// [`Session::queue`](crate::Session::queue) or [`Session::from_raw`](crate::Session::from_raw) shared the queue with others, all that is in it.
    ///
    /// A kernel that got the buffer's address in another way than as an argument, in a struct, say, is the caller's to wait for.
    ///
    /// Memory that OpenCL does not know (of `allocate_hip` or `import`, or another session's) is copied to before this returns.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) if it does not fit, [`Error::Failed`](crate::Error::Failed) if earlier work with the buffer failed,
    /// [`Error::TimedOut`](crate::Error::TimedOut) if some ran too early, [`Error::Call`](crate::Error::Call); with the buffer and the data. [`Error::Leaked`](crate::Error::Leaked) if the copy began and cannot be
    /// waited for: then the data stays where it is and the vector is empty, and the buffer's memory is never freed.
    pub fn upload(mut self, mut data: Vec<T>) -> Result<Upload<T>, Refused<WithData<T>>> {
        let ready = self.fits(data.len()).and_then(|()| self.memory.finish_uses());
        // SAFETY: it fits. From here on both stay until the copy was waited for, or for ever.
        let begun = ready.and_then(|()| self.memory.core().transfer_queue()).and_then(|queue| unsafe {
            let event = self.memory.begin_write(queue, bytemuck::cast_slice(&data))?;
            Ok((queue, Mark::of_command(self.memory.core(), event)))
        });
        let (queue, mut copy) = match begun {
            Ok(begun) => begun,
            Err(error) => return Err(Refused::new(error, (self, data))),
        };
        // SAFETY: a live queue. OpenCL need not begin before it is flushed.
        let Err(error) = (unsafe { call!(self.memory.core().libraries.cl, clFlush(queue)) }) else {
            return Ok(Upload { copy, parts: Some((self, data)) });
        };
        let error = match copy.wait() {
            Err(wait) if !wait.is_of_work_that_ended() => {
                log(Err(error));
                std::mem::forget(std::mem::take(&mut data));
                self.memory.leak(wait)
            }
            _ => error,
        };
        Err(Refused::new(error, (self, data)))
    }
}

impl<T: Pod> Upload<T> {
    /// Waits until the data is there. Returns the data too, for its memory to be used again.
    ///
    /// # Errors
    /// With this upload: [`Error::Call`](crate::Error::Call) if the wait failed, so that it may still run; [`Error::Failed`](crate::Error::Failed)
    /// if the copy did. To wait once more then is to accept what is in the buffer.
    pub fn wait(mut self) -> Result<WithData<T>, Refused<Self>> {
        match self.copy.wait() {
            Ok(()) => Ok(self.parts.take().expect("it is taken here and in `drop` only")),
            Err(error) => Err(Refused::new(error, self)),
        }
    }
}

impl<T: Pod> Drop for Upload<T> {
    fn drop(&mut self) {
        let Some((mut buffer, data)) = self.parts.take() else { return };
        match self.copy.wait() {
            Err(error) if !error.is_of_work_that_ended() => {
                // The copy may still run, so both are left to it.
                std::mem::forget(data);
                log(Err(buffer.memory.leak(error)));
            }
            // The buffer is gone.
            Err(error) => buffer.memory.core().keep(error),
            Ok(()) => {}
        }
    }
}
