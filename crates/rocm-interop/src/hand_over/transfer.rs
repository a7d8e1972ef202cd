//! Filling a buffer, or reading it, while others are computed on.

use std::fmt;
use std::time::Duration;

use bytemuck::Pod;
use cl_sys::{cl_command_queue, cl_event};

use crate::apis::call::log;
use crate::memory::Memory;
use crate::session::event::Event;
use crate::{Buffer, OpenCl, Refused, Result};

/// A buffer and what is to be copied to it, or is to get what is in it.
type WithData<T> = (Buffer<T, OpenCl>, Vec<T>);

/// A buffer that data is on the way to or from, beside the session's queue. Nobody has the turn until [`wait`](Transfer::wait).
///
/// Owns the data too, so that it stays where it is until the copy is over, also if the value is forgotten:
/// ```compile_fail,E0382
/// # use rocm_interop::{Buffer, OpenCl, Result};
/// fn use_both(buffer: Buffer<f32, OpenCl>, mut data: Vec<f32>) -> Result<()> {
///     let upload = buffer.upload(data)?;
///     data[0] = 1.0; // being read
///     upload.wait()?;
///     Ok(())
/// }
/// ```
#[must_use = "dropping it waits and frees the buffer"]
pub struct Transfer<T: Pod> {
    copy: Event,
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
    pub fn upload(self, data: Vec<T>) -> Result<Transfer<T>, Refused<WithData<T>>> {
        // SAFETY: `begin` sees to it that it fits and stays.
        self.begin(data, |memory, queue, data| unsafe { memory.enqueue_write(queue, cl_sys::CL_FALSE, 0, data) })
    }

    /// Begins to copy from the start of the buffer to `data` on the host, as many elements as that has. All else is as with [`upload`](Buffer::upload): the kernels
    /// that were given this buffer are waited for, and others run beside the copy.
    ///
    /// ```
    /// # use rocm_interop::{Buffer, OpenCl, Result};
    /// fn overlap(done: Buffer<f32, OpenCl>, compute_the_next: impl FnOnce() -> Result<()>) -> Result<Vec<f32>> {
    ///     let results = vec![0.0; done.len()];
    ///     let download = done.download(results)?;
    ///     compute_the_next()?;
    ///     let (_done, results) = download.wait()?;
    ///     Ok(results)
    /// }
    /// ```
    ///
    /// # Errors
    /// As of [`upload`](Buffer::upload).
    pub fn download(self, data: Vec<T>) -> Result<Transfer<T>, Refused<WithData<T>>> {
        // SAFETY: `begin` sees to it that it fits and stays.
        self.begin(data, |memory, queue, data| unsafe { memory.enqueue_read(queue, cl_sys::CL_FALSE, 0, data) })
    }

    /// `copy` is given as many bytes of `data` as the buffer has, or fewer; they and the memory stay until the copy's event, or for ever.
    fn begin(
        mut self,
        mut data: Vec<T>,
        copy: impl FnOnce(&Memory, cl_command_queue, &mut [u8]) -> Result<cl_event>,
    ) -> Result<Transfer<T>, Refused<WithData<T>>> {
        let ready = self.fits(0, data.len()).and_then(|()| self.memory.finish_uses());
        let begun = ready.and_then(|()| self.memory.core().transfer_queue()).and_then(|queue| {
            let event = copy(&self.memory, queue, bytemuck::cast_slice_mut(&mut data))?;
            Ok((queue, Event::of_command(self.memory.core(), event)))
        });
        let (queue, mut copy) = match begun {
            Ok(begun) => begun,
            Err(error) => return Err(Refused::new(error, (self, data))),
        };
        let Err(error) = self.memory.core().flush(queue) else {
            return Ok(Transfer { copy, parts: Some((self, data)) });
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

impl<T: Pod> Transfer<T> {
    /// Whether [`wait`](Transfer::wait) would return at once. Asks OpenCL, and does not wait.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call)
    pub fn is_ready(&self) -> Result<bool> {
        self.copy.is_reached()
    }

    /// Waits until the data is there. Returns the buffer and the vector.
    ///
    /// # Errors
    /// With this transfer: [`Error::Call`](crate::Error::Call) if the wait failed, so that it may still run; [`Error::Failed`](crate::Error::Failed)
    /// if the copy did. To wait once more then is to accept what is there.
    pub fn wait(mut self) -> Result<WithData<T>, Refused<Self>> {
        match self.copy.wait() {
            Ok(()) => Ok(self.parts.take().expect("it is taken by waits and in `drop` only")),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// [`wait`](Transfer::wait) for `limit` at most, whatever the session's own [limit](crate::Session::set_wait_limit).
    ///
    /// # Errors
    /// [`Error::StillRunning`](crate::Error::StillRunning), or as [`wait`](Transfer::wait); with this transfer.
    pub fn wait_within(mut self, limit: Duration) -> Result<WithData<T>, Refused<Self>> {
        match self.copy.wait_within(Some(limit)) {
            Ok(()) => Ok(self.parts.take().expect("it is taken by waits and in `drop` only")),
            Err(error) => Err(Refused::new(error, self)),
        }
    }
}

/// Without the data, which may be written meanwhile.
impl<T: Pod> fmt::Debug for Transfer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer").field("copy", &self.copy).finish_non_exhaustive()
    }
}

impl<T: Pod> Drop for Transfer<T> {
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
