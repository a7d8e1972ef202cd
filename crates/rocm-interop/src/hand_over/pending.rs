//! A hand-over that is under way.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::session::event::{Event, Signal};
use crate::{Refused, Result};

/// What is on its way to the other side: it arrives when the work before the hand-over is done. Nobody has the turn until then.
///
/// Comes from [`Buffer::into_hip_later`](crate::Buffer::into_hip_later) and [`Buffer::into_opencl_later`](crate::Buffer::into_opencl_later),
/// which do not wait. [`wait`](Pending::wait) does, in the calling thread; `.await` is woken by a callback of the API whose work it is.
///
/// It cannot be used yet, by neither side:
/// ```compile_fail,E0277
/// # use rocm_interop::{Buffer, HipKernel, OpenCl, Result};
/// fn too_early(buffer: Buffer<f32, OpenCl>, kernel: &HipKernel) -> Result<()> {
///     let pending = buffer.into_hip_later()?;
///     unsafe { kernel.launch(1, 64, 0, &[(&pending).into()]) }
/// }
/// ```
/// ```compile_fail,E0382
/// # use rocm_interop::{Buffer, OpenCl, Result};
/// fn after_all(buffer: Buffer<f32, OpenCl>, out: &mut [f32]) -> Result<()> {
///     let pending = buffer.into_hip_later()?;
///     buffer.read(out)
/// }
/// ```
/// A task gives way to others while it waits:
/// ```
/// # use rocm_interop::{Buffer, Hip, OpenCl, Result};
/// async fn there_and_back(buffer: Buffer<f32, OpenCl>, work: impl AsyncFn(&Buffer<f32, Hip>) -> Result<()>) -> Result<Buffer<f32, OpenCl>> {
///     let on_hip = buffer.into_hip_later()?.await?;
///     work(&on_hip).await?;
///     Ok(on_hip.into_opencl_later()?.await?)
/// }
/// ```
#[derive(Debug)]
#[must_use = "dropping it waits and frees the buffer"]
pub struct Pending<V> {
    event: Event,
    value: V,
}

impl<V> Pending<V> {
    pub(crate) fn new(event: Event, value: V) -> Pending<V> {
        Pending { event, value }
    }

    /// Whether [`wait`](Pending::wait) would return at once. Asks the API, and does not wait.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call)
    pub fn is_ready(&self) -> Result<bool> {
        self.event.is_reached()
    }

    /// Waits until the work is done; then it is the other side's turn.
    ///
    /// # Errors
    /// [`Error::Failed`](crate::Error::Failed) if work with these buffers failed, [`Error::TimedOut`](crate::Error::TimedOut) if some ran too early,
    /// [`Error::Call`](crate::Error::Call) if the wait failed; with this hand-over.
    /// To wait once more is to accept what is there.
    pub fn wait(mut self) -> Result<V, Refused<Self>> {
        match self.event.wait() {
            Ok(()) => Ok(self.value),
            Err(error) => Err(Refused::new(error, self)),
        }
    }
}

impl<V> IntoFuture for Pending<V> {
    type Output = Result<V, Refused<Pending<V>>>;
    type IntoFuture = WhenReady<V>;

    fn into_future(self) -> WhenReady<V> {
        WhenReady { pending: Some(self), signal: None }
    }
}

/// The future of a [`Pending`], which resolves to what [`Pending::wait`] returns.
///
/// When it is polled first, it registers a callback: `clSetEventCallback`, or `hipLaunchHostFunc`, for which HIP holds up what is enqueued later.
/// The callback wakes the task from a thread of the API's, so a `Waker` must neither call OpenCL or HIP nor wait for anything when it is woken, nor drop what holds buffers of the
/// session; those of common executors do none of it. A future that is dropped drops its `Waker` at once.
///
/// An API that has lost its GPU may never call. [`Pending::wait`] returns its error then.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct WhenReady<V> {
    /// Until it has resolved.
    pending: Option<Pending<V>>,
    /// From the first poll on.
    signal: Option<Arc<Signal>>,
}

/// Whoever asks no more is not held by the API, which calls when it is done, or never.
impl<V> Drop for WhenReady<V> {
    fn drop(&mut self) {
        if let Some(signal) = &self.signal {
            signal.forget_waker();
        }
    }
}

/// Nothing in it is pinned.
impl<V> Unpin for WhenReady<V> {}

impl<V> Future for WhenReady<V> {
    type Output = Result<V, Refused<Pending<V>>>;

    /// # Panics
    /// If it has resolved before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let pending = self.pending.take().expect("a future is not polled after it has resolved");
        let signal = match self.signal.take() {
            Some(signal) => signal,
            None => {
                let signal = Arc::<Signal>::default();
                if let Err(error) = pending.event.signal(Arc::clone(&signal)) {
                    return Poll::Ready(Err(Refused::new(error, pending)));
                }
                signal
            }
        };
        if signal.poll(context.waker()) {
            return Poll::Ready(pending.wait());
        }
        (self.pending, self.signal) = (Some(pending), Some(signal));
        Poll::Pending
    }
}
