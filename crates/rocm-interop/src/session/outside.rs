//! Events of other code: this session's work waits for theirs, and theirs for this session's.

use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::Duration;

use cl_sys::cl_event;
use hip_sys::hipEvent_t;

use crate::apis::call::{Release, call, close, first, log};
use crate::error::Api;
use crate::session::Core;
use crate::session::failures::{Accesses, EVERYTHING};
use crate::{Error, Result, Session};

/// An event of OpenCL's, of [`Session::queue_event`]: it ends with all that was in the session's queue then. Threads
/// can share it.
#[derive(Debug)]
pub struct OpenClEvent {
    core: Arc<Core>,
    event: cl_event,
}

// SAFETY: OpenCL's events may be used by any thread; its functions that take one are thread-safe.
unsafe impl Send for OpenClEvent {}
// SAFETY: as above.
unsafe impl Sync for OpenClEvent {}

/// An event of HIP's, of [`Session::stream_event`] or [`Session::timed_stream_event`]: it ends with all that was in the
/// session's stream then. Threads can share it.
#[derive(Debug)]
pub struct HipEvent {
    core: Arc<Core>,
    event: hipEvent_t,
    timed: bool,
}

// SAFETY: HIP's events belong to a device, not to a thread, and its functions that take one are thread-safe.
unsafe impl Send for HipEvent {}
// SAFETY: as above.
unsafe impl Sync for HipEvent {}

impl Session {
    /// What is launched on the session's OpenCL queue from now on begins when these events have ended: of other queues
    /// of the same context, an out-of-order one too, or of `clCreateUserEvent`. Returns at once. The hand-overs behind
    /// it wait for them too.
    ///
    /// If one ends by an error, the wait ends too, and [`finish`](Session::finish) tells of it: no buffer of the
    /// session's misses anything, as far as this crate knows.
    ///
    /// ```
    /// # use rocm_interop::{Buffer, Hip, OpenCl, Refused, Result, Session};
    /// # use rocm_interop::opencl::OpenClKernel;
    /// # use rocm_interop::sys::cl_sys::cl_event;
    /// # fn f(session: &Session, kernel: &OpenClKernel, view: Buffer<f32, OpenCl>, written: cl_event) -> Result<Buffer<f32, Hip>> {
    /// // SAFETY: of a command of this context that writes to what `view` shows; it is released later.
    /// unsafe { session.queue_waits_for(&[written]) }?;
    /// // SAFETY: one work-item an element.
    /// unsafe { kernel.launch(&[view.len()], None, &[(&view).into()]) }?;
    /// view.into_hip().map_err(Refused::into_error)
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for a null event, [`Error::Call`] (`CL_INVALID_CONTEXT` for one of another context),
    /// [`Error::Abandoned`].
    ///
    /// # Safety
    /// The events are live ones of this OpenCL. They may be released when this has returned.
    #[doc(alias = "clEnqueueBarrierWithWaitList")]
    pub unsafe fn queue_waits_for(&self, events: &[cl_event]) -> Result<()> {
        // A barrier for no event is one for all that came before.
        if !some(events.iter().map(|event| event.is_null()))? {
            return Ok(());
        }
        let (core, count) = (&self.0, events.len() as u32);
        // What these events are of may use any buffer.
        core.enqueue(Accesses::from_slice(&[(EVERYTHING, false)]), |event| {
            // SAFETY: the session's queue, and the caller's events.
            unsafe {
                call!(core.libraries.cl, clEnqueueBarrierWithWaitList(core.queue, count, events.as_ptr(), event))
            }?;
            core.flush(core.queue)
        })
    }

    /// What is launched on the session's stream from now on begins when these events of HIP's have ended, as they were
    /// recorded last, in any stream of any GPU. Returns at once. The hand-overs behind it wait for them too.
    ///
    /// # Errors
    /// [`Error::Argument`] for a null event, [`Error::Call`], [`Error::Abandoned`].
    ///
    /// # Safety
    /// The events are live ones of this HIP. They may be destroyed when this has returned.
    #[doc(alias = "hipStreamWaitEvent")]
    pub unsafe fn stream_waits_for(&self, events: &[hipEvent_t]) -> Result<()> {
        let core = &self.0;
        if !some(events.iter().map(|event| event.is_null()))? {
            return Ok(());
        }
        core.check_abandoned(Api::Hip)?;
        core.select_device()?;
        events.iter().try_for_each(|event| {
            // SAFETY: the session's stream, and the caller's event; no flags.
            unsafe { call!(core.libraries.hip, hipStreamWaitEvent(core.stream, *event, 0)) }?;
            // What the event is of may use any buffer.
            core.in_stream.launched_on_anything();
            Ok(())
        })
    }

    /// An event that ends with all that is in the session's OpenCL queue now, for wait lists of other queues of its
    /// [context](Session::context). The queue is flushed, so that those who wait for it need not.
    ///
    /// # Errors
    /// [`Error::Call`], [`Error::Abandoned`].
    #[doc(alias = "clEnqueueMarkerWithWaitList")]
    pub fn queue_event(&self) -> Result<OpenClEvent> {
        let (core, mut event) = (&self.0, null_mut());
        core.check_abandoned(Api::OpenCl)?;
        // SAFETY: the session's queue, and nothing to wait for: the marker waits for what comes before it.
        unsafe { call!(core.libraries.cl, clEnqueueMarkerWithWaitList(core.queue, 0, null(), &mut event)) }?;
        let event = OpenClEvent { core: Arc::clone(core), event };
        core.flush(core.queue)?;
        Ok(event)
    }

    /// An event that ends with all that is in the session's stream now, for `hipStreamWaitEvent` of other streams. It
    /// has no time.
    ///
    /// # Errors
    /// [`Error::Call`], [`Error::Abandoned`].
    #[doc(alias = "hipEventRecord")]
    pub fn stream_event(&self) -> Result<HipEvent> {
        self.event_in_stream(false)
    }

    /// The same, with a time, for [`HipEvent::since`]: of what is between two places of the stream, whoever enqueued
    /// it.
    ///
    /// ```no_run
    /// # use rocm_interop::{Result, Session};
    /// # fn work() {}
    /// # fn f(session: &Session) -> Result<()> {
    /// let start = session.timed_stream_event()?;
    /// work(); // launches, calls of libraries
    /// let end = session.timed_stream_event()?;
    /// session.synchronize()?;
    /// println!("{:?}", end.since(&start)?); // Some(12.3ms)
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// As of [`stream_event`](Session::stream_event).
    pub fn timed_stream_event(&self) -> Result<HipEvent> {
        self.event_in_stream(true)
    }

    fn event_in_stream(&self, timed: bool) -> Result<HipEvent> {
        let core = &self.0;
        core.check_abandoned(Api::Hip)?;
        Ok(HipEvent { core: Arc::clone(core), event: core.record_event(core.stream, timed)?, timed })
    }
}

/// Whether there are any; none of them may be null.
fn some(mut are_null: impl ExactSizeIterator<Item = bool>) -> Result<bool> {
    let count = are_null.len();
    match are_null.position(|is_null| is_null) {
        Some(index) => Err(Error::Argument { subject: "events", reason: format!("number {index} of {count} is null") }),
        None => Ok(count > 0),
    }
}

impl OpenClEvent {
    /// OpenCL's handle; it stays this value's. A command that waits for it holds it itself; `clRetainEvent` does for
    /// others.
    pub fn raw(&self) -> cl_event {
        self.event
    }

    /// Releases the event. Dropping does too, but can only log an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn close(mut self) -> Result<()> {
        let core = Arc::clone(&self.core);
        let released = self.release();
        drop(self);
        first([released, close(core)])
    }
}

impl Release for OpenClEvent {
    fn release(&mut self) -> Result<()> {
        let event = std::mem::replace(&mut self.event, null_mut());
        if event.is_null() {
            return Ok(());
        }
        // SAFETY: made by `queue_event`.
        unsafe { call!(self.core.libraries.cl, clReleaseEvent(event)) }
    }
}

impl Drop for OpenClEvent {
    fn drop(&mut self) {
        log(self.release());
    }
}

impl HipEvent {
    /// HIP's handle; it stays this value's, and the session uses it again when this is dropped. What waits for it by
    /// then still does.
    pub fn raw(&self) -> hipEvent_t {
        self.event
    }

    /// How long the GPU took from `earlier` to this event; zero if that is the later one. `None` while one of them has
    /// not ended: asks HIP, and does not wait.
    ///
    /// # Errors
    /// [`Error::Argument`] if one of them has no time (of [`Session::stream_event`]), or they are of two GPUs;
    /// [`Error::Call`].
    pub fn since(&self, earlier: &HipEvent) -> Result<Option<Duration>> {
        let refuse = |reason: &str| Err(Error::Argument { subject: "events", reason: reason.to_owned() });
        if !self.timed || !earlier.timed {
            return refuse("have no time; make both by `Session::timed_stream_event`");
        }
        if self.core.device.pci() != earlier.core.device.pci() {
            return refuse("are of two GPUs, whose clocks have nothing in common");
        }
        if !self.core.is_recorded_reached(earlier.event)? || !self.core.is_recorded_reached(self.event)? {
            return Ok(None);
        }
        self.core.time_between(earlier.event, self.event).map(Some)
    }
}

impl Drop for HipEvent {
    fn drop(&mut self) {
        self.core.give_back_recorded(self.event, self.timed);
    }
}
