//! A hand-over that is under way.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::allocation::Allocation;
use crate::hand_over::Shared;
use crate::session::event::{Event, Signal};
use crate::{Refused, Result};

/// What is on its way to the other side: it arrives when the work before the hand-over is done. Nobody has the turn
/// until then.
///
/// Comes from [`Buffer::into_hip_later`](crate::Buffer::into_hip_later) and
/// [`Buffer::into_opencl_later`](crate::Buffer::into_opencl_later), which do not wait. [`wait`](HandOver::wait) does,
/// in the calling thread; `.await` is woken by a callback of the API whose work it is.
///
/// It cannot be used yet, by neither side:
/// ```compile_fail,E0277
/// # use rocm_interop::{Buffer, OpenCl, Result};
/// # use rocm_interop::hip::HipKernel;
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
pub struct HandOver<V> {
    event: Event,
    value: V,
    /// What the value is views of: whose turn it is, a future does not know.
    into_memory: fn(V, &mut Vec<Allocation>),
}

impl<V> HandOver<V> {
    pub(crate) fn new<Side>(event: Event, value: V) -> HandOver<V>
    where
        V: Shared<Side>,
    {
        HandOver { event, value, into_memory: V::into_memory }
    }

    /// Whether [`wait`](HandOver::wait) would return at once. Asks the API, and does not wait.
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call)
    pub fn is_ready(&self) -> Result<bool> {
        self.event.is_reached()
    }

    /// Waits until the work is done; then it is the other side's turn.
    ///
    /// # Errors
    /// [`Error::Failed`](crate::Error::Failed) if work with these buffers failed,
    /// [`Error::TimedOut`](crate::Error::TimedOut) if some ran too early, [`Error::Call`](crate::Error::Call) if the
    /// wait failed; with this hand-over. To wait once more is to accept what is there.
    pub fn wait(mut self) -> Result<V, Refused<Self>> {
        match self.event.wait() {
            Ok(()) => Ok(self.value),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// [`wait`](HandOver::wait) for `limit` at most, whatever the session's own
    /// [limit](crate::Session::set_wait_limit).
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use rocm_interop::{Buffer, Error, Hip, OpenCl};
    /// fn in_time(buffer: Buffer<f32, OpenCl>) -> Result<Option<Buffer<f32, Hip>>, Error> {
    ///     match buffer.into_hip_later()?.wait_within(Duration::from_secs(1)) {
    ///         Ok(on_hip) => Ok(Some(on_hip)),
    ///         Err(refused) => match refused.into_parts() {
    ///             (Error::StillRunning { .. }, pending) => {
    ///                 eprintln!("one second more");
    ///                 Ok(pending.wait_within(Duration::from_secs(1)).ok())
    ///             }
    ///             (error, _) => Err(error),
    ///         },
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::StillRunning`](crate::Error::StillRunning), or as [`wait`](HandOver::wait); with this hand-over.
    pub fn wait_within(mut self, limit: Duration) -> Result<V, Refused<Self>> {
        match self.event.wait_within(Some(limit)) {
            Ok(()) => Ok(self.value),
            Err(error) => Err(Refused::new(error, self)),
        }
    }
}

impl<V> IntoFuture for HandOver<V> {
    type Output = Result<V, Refused<HandOver<V>>>;
    type IntoFuture = WhenReady<V>;

    fn into_future(self) -> WhenReady<V> {
        WhenReady { pending: Some(self), signal: None }
    }
}

/// The future of a [`HandOver`], which resolves to what [`HandOver::wait`] returns.
///
/// When it is polled first, it registers a callback: `clSetEventCallback`, or `hipLaunchHostFunc`, for which HIP holds
/// up what is enqueued later. The callback wakes the task from a thread of the API's, so a `Waker` must neither call
/// OpenCL or HIP nor wait for anything when it is woken, nor drop what holds buffers of the session; those of common
/// executors do none of it. A panic of it ends in the callback and is logged by `tracing`; the hand-over is over all
/// the same.
///
/// Dropping it cancels the hand-over, and waits for nothing: it drops its `Waker` at once, and leaves the buffers to a
/// thread of its own, which waits for the work and frees them.
///
/// An API that has lost its GPU may never call. [`HandOver::wait`] returns its error then.
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct WhenReady<V> {
    /// Until it has resolved.
    pending: Option<HandOver<V>>,
    /// From the first poll on.
    signal: Option<Arc<Signal>>,
}

/// Whoever asks no more is not held by the API, which calls when it is done, or never; nor held up, as the thread of an
/// executor has others to serve.
impl<V> Drop for WhenReady<V> {
    fn drop(&mut self) {
        if let Some(signal) = &self.signal {
            signal.forget_waker();
        }
        let Some(HandOver { event, value, into_memory }) = self.pending.take() else { return };
        let mut memory = Vec::new();
        into_memory(value, &mut memory);
        let cancelled = (event, memory);
        let spawned = std::thread::Builder::new().name("cancelled".to_owned()).spawn(move || drop(cancelled));
        if let Err(error) = spawned {
            // It was dropped here then.
            tracing::warn!(%error, "no thread for a cancelled hand-over: its work was waited for");
        }
    }
}

/// Nothing in it is pinned.
impl<V> Unpin for WhenReady<V> {}

impl<V> Future for WhenReady<V> {
    type Output = Result<V, Refused<HandOver<V>>>;

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
