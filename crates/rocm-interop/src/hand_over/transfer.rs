//! Filling a buffer, or reading it, while others are computed on.

use std::fmt;
use std::time::Duration;

use bytemuck::Pod;

use crate::allocation::HostCopy;
use crate::apis::call::log;
use crate::buffer::Turn;
use crate::hand_over::data::HostData;
use crate::session::event::Event;
use crate::{Buffer, OpenCl, Refused, Result};

/// A buffer that data is on the way to or from, beside the session's queue and stream. Nobody has the turn until
/// [`wait`](Transfer::wait), who had it before has it then.
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
pub struct Transfer<T: Pod, Side = OpenCl, D: HostData<T> = Vec<T>> {
    copy: Event,
    /// Taken when the copy is over.
    parts: Option<(Buffer<T, Side>, D)>,
}

impl<T: Pod, Side: Turn> Buffer<T, Side> {
    /// Begins to copy `data`, a `Vec` or [`Staging`](crate::transfer::Staging), from the host to the start of the
    /// buffer, on a queue of its own: kernels of either API that use other buffers run beside the copy, whether they
    /// were launched before or are launched meanwhile, and so do [downloads](Buffer::download). Work that was given
    /// this buffer is waited for first: OpenCL's up to its last kernel; on HIP's turn all of the stream, if some of its
    /// work got the buffer and was not waited for. If [`Session::queue`](crate::Session::queue),
    /// [`Session::stream`](crate::Session::stream) or [`Session::from_raw`](crate::Session::from_raw) shared the queue
    /// or stream with others, all that is in it.
    ///
    /// A kernel may get the buffer's address in another way than as an argument, in a struct, say: if somebody asked
    /// for its [`address`](Buffer::address), all of the side's work is waited for.
    ///
    /// The API that made the memory copies it. Imports by HSA's runtime, and another session's memory, are copied to
    /// before this returns.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) if it does not fit, [`Error::Failed`](crate::Error::Failed) if
    /// earlier work with the buffer failed, [`Error::TimedOut`](crate::Error::TimedOut) if some ran too early,
    /// [`Error::Call`](crate::Error::Call); with the buffer and the data. [`Error::Leaked`](crate::Error::Leaked) if
    /// the copy began and cannot be waited for: then the data stays where it is and the vector is empty, and the
    /// buffer's memory is never freed.
    #[doc(alias = "clEnqueueWriteBuffer")]
    #[doc(alias = "hipMemcpyAsync")]
    pub fn upload<D: HostData<T>>(self, data: D) -> Result<Transfer<T, Side, D>, Refused<(Self, D)>> {
        self.upload_at(0, data)
    }

    /// The same, to the element `at` and those behind.
    ///
    /// # Errors
    /// As of [`upload`](Buffer::upload).
    pub fn upload_at<D: HostData<T>>(self, at: usize, data: D) -> Result<Transfer<T, Side, D>, Refused<(Self, D)>> {
        self.begin(at, data, |offset, data| HostCopy::up(offset, data))
    }

    /// Begins to copy from the start of the buffer to `data` on the host, as many elements as that has. All else is as
    /// with [`upload`](Buffer::upload): work that was given this buffer is waited for, and other work runs beside the
    /// copy.
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
    #[doc(alias = "clEnqueueReadBuffer")]
    #[doc(alias = "hipMemcpyAsync")]
    pub fn download<D: HostData<T>>(self, data: D) -> Result<Transfer<T, Side, D>, Refused<(Self, D)>> {
        self.download_at(0, data)
    }

    /// The same, from the element `at` on.
    ///
    /// # Errors
    /// As of [`upload`](Buffer::upload).
    pub fn download_at<D: HostData<T>>(self, at: usize, data: D) -> Result<Transfer<T, Side, D>, Refused<(Self, D)>> {
        self.begin(at, data, HostCopy::down)
    }

    /// `copy` is given an offset in bytes and the data.
    fn begin<D: HostData<T>>(
        mut self,
        at: usize,
        mut data: D,
        copy: impl FnOnce(usize, &mut [u8]) -> HostCopy,
    ) -> Result<Transfer<T, Side, D>, Refused<(Self, D)>> {
        let ready = self.fits(at, data.elements().len()).and_then(|()| self.memory.finish_uses(Side::API));
        let begun = ready.and_then(|()| {
            let copy = copy(at * size_of::<T>(), bytemuck::cast_slice_mut(data.elements()));
            // SAFETY: it fits, and data and memory stay until the copy's event, or for ever.
            unsafe { self.memory.begin_copy(copy) }
        });
        let (mut copy, begun) = match begun {
            Ok(begun) => begun,
            Err(error) => return Err(Refused::new(error, (self, data))),
        };
        let Err(error) = begun else {
            return Ok(Transfer { copy, parts: Some((self, data)) });
        };
        let error = match copy.wait() {
            Err(wait) if !wait.is_of_work_that_ended() => {
                log(Err(error));
                data.leave();
                self.memory.leak(wait)
            }
            _ => error,
        };
        Err(Refused::new(error, (self, data)))
    }
}

impl<T: Pod, Side, D: HostData<T>> Transfer<T, Side, D> {
    /// Whether [`wait`](Transfer::wait) would return at once. Asks the API, and does not wait.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call)
    pub fn is_ready(&self) -> Result<bool> {
        self.copy.is_reached()
    }

    /// Waits until the data is there. Returns the buffer and the data.
    ///
    /// # Errors
    /// With this transfer: [`Error::Call`](crate::Error::Call) if the wait failed, so that it may still run;
    /// [`Error::Failed`](crate::Error::Failed) if the copy did. To wait once more then is to accept what is there.
    pub fn wait(mut self) -> Result<(Buffer<T, Side>, D), Refused<Self>> {
        match self.copy.wait() {
            Ok(()) => Ok(self.parts.take().expect("it is taken by waits and in `drop` only")),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// [`wait`](Transfer::wait) for `limit` at most, whatever the session's own
    /// [limit](crate::Session::set_wait_limit).
    ///
    /// # Errors
    /// [`Error::StillRunning`](crate::Error::StillRunning), or as [`wait`](Transfer::wait); with this transfer.
    pub fn wait_within(mut self, limit: Duration) -> Result<(Buffer<T, Side>, D), Refused<Self>> {
        match self.copy.wait_within(Some(limit)) {
            Ok(()) => Ok(self.parts.take().expect("it is taken by waits and in `drop` only")),
            Err(error) => Err(Refused::new(error, self)),
        }
    }
}

/// Without the data, which may be written meanwhile.
impl<T: Pod, Side, D: HostData<T>> fmt::Debug for Transfer<T, Side, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer").field("copy", &self.copy).finish_non_exhaustive()
    }
}

impl<T: Pod, Side, D: HostData<T>> Drop for Transfer<T, Side, D> {
    fn drop(&mut self) {
        let Some((mut buffer, mut data)) = self.parts.take() else { return };
        match self.copy.wait() {
            Err(error) if !error.is_of_work_that_ended() => {
                // The copy may still run, so both are left to it.
                data.leave();
                log(Err(buffer.memory.leak(error)));
            }
            // The buffer is gone.
            Err(error) => buffer.memory.core().keep(error),
            Ok(()) => {}
        }
    }
}
