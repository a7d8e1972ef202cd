//! An event in the session's queue or stream: it is reached when the work before it is done.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::sync::mpsc::{Sender, TryRecvError, channel};
use std::task::Waker;
use std::time::Duration;

use cl_sys::{cl_event, cl_int};
use hip_sys::{hipError_t, hipEvent_t, hipStream_t};
use parking_lot::Mutex;

use crate::apis::call::{Status, call, check, first, log, present};
use crate::error::Api;
use crate::session::Core;
use crate::session::enqueued::status;
use crate::session::failures::Addresses;
use crate::session::times::HAND_OVER;
use crate::{Error, Result};

/// HIP's events, made when there is none left and used again; those without and those with a time.
#[derive(Debug, Default)]
pub(crate) struct EventPool([Mutex<Vec<hipEvent_t>>; 2]);

// SAFETY: HIP's events belong to a device, not to a thread, and its functions that take one are thread-safe.
unsafe impl Send for EventPool {}
// SAFETY: as above.
unsafe impl Sync for EventPool {}

/// Of OpenCL or HIP, behind work that is to be waited for.
#[derive(Debug)]
pub(crate) struct Event {
    core: Arc<Core>,
    place: Place,
    /// The buffers that are waited for.
    buffers: Addresses,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Behind the session's commands before this number; of a queue that others have too, a marker there, else null.
    Queue(cl_event, u64),
    /// The end of one command of OpenCL's, in any queue.
    Command(cl_event),
    /// In HIP's stream, and the number of the session's last work before it. Null if there is nothing to wait for.
    Stream(hipEvent_t, u64),
    /// In a stream for copies. Null if it could not be recorded: all of the stream is waited for.
    Copy(hipEvent_t, hipStream_t),
    /// It was waited for.
    Reached,
}

// SAFETY: the events of both APIs may be used by any thread.
unsafe impl Send for Event {}
// SAFETY: as above; nothing changes by a shared reference.
unsafe impl Sync for Event {}

impl Event {
    /// Behind the commands of the session's queue before number `end`; if others have the queue too, behind all that is
    /// in it.
    pub(crate) fn in_queue(core: &Arc<Core>, mut end: u64, buffers: Addresses) -> Result<Event> {
        core.check_abandoned(Api::OpenCl)?;
        let mut marker = null_mut();
        if core.shares_queue() {
            end = core.next_command();
            let (cl, queue) = (&core.libraries.cl, core.queue);
            // SAFETY: the session's queue, and nothing to wait for: the marker waits for what comes before it.
            unsafe { call!(cl, clEnqueueMarkerWithWaitList(queue, 0, null(), &mut marker)) }?;
        }
        let event = Event { core: Arc::clone(core), place: Place::Queue(marker, end), buffers };
        // OpenCL need not begin before it is flushed.
        if !event.is_reached()? {
            core.flush(core.queue)?;
        }
        Ok(event)
    }

    /// The end of the command that has this event, which it takes. Null is of one that is done.
    pub(crate) fn of_command(core: &Arc<Core>, event: cl_event) -> Event {
        let place = if event.is_null() { Place::Reached } else { Place::Command(event) };
        Event { core: Arc::clone(core), place, buffers: Addresses::new() }
    }

    /// Behind the copies that are in `stream`, one of the session's for copies; and whether HIP could record it. It can
    /// be waited for in any case.
    pub(crate) fn of_copies(core: &Arc<Core>, stream: hipStream_t) -> (Event, Result<()>) {
        let (event, recorded) = match core.record(stream) {
            Ok(event) => (event, Ok(())),
            Err(error) => (null_mut(), Err(error)),
        };
        let place = Place::Copy(event, stream);
        (Event { core: Arc::clone(core), place, buffers: Addresses::new() }, recorded)
    }

    /// Behind all that is in the session's stream, of which the last work has this number; reached already if there is
    /// none to wait for.
    pub(crate) fn in_stream(core: &Arc<Core>, last: Option<u64>, buffers: Addresses) -> Result<Event> {
        core.check_abandoned(Api::Hip)?;
        let event = if last.is_some() { core.record(core.stream)? } else { null_mut() };
        Ok(Event { core: Arc::clone(core), place: Place::Stream(event, last.unwrap_or(0)), buffers })
    }

    /// Whether waiting would return at once.
    pub(crate) fn is_reached(&self) -> Result<bool> {
        match self.place {
            Place::Queue(marker, end) if marker.is_null() => self.core.are_ended_before(end),
            Place::Queue(event, _) | Place::Command(event) => {
                Ok(status(&self.core.libraries.cl, event)? <= cl_sys::CL_COMPLETE)
            }
            Place::Stream(event, _) => Ok(event.is_null() || self.core.is_recorded_reached(event)?),
            // Without an event, nobody knows before a wait.
            Place::Copy(event, _) => Ok(!event.is_null() && self.core.is_recorded_reached(event)?),
            Place::Reached => Ok(true),
        }
    }

    /// Waits, and tells what is missing in the buffers: the caller returns it.
    pub(crate) fn wait(&mut self) -> Result<()> {
        self.wait_within(self.core.limits.wait())
    }

    /// The same, for `limit` at most.
    pub(crate) fn wait_within(&mut self, limit: Option<Duration>) -> Result<()> {
        let api = match self.place {
            Place::Queue(..) | Place::Command(_) => Api::OpenCl,
            Place::Stream(..) | Place::Copy(..) => Api::Hip,
            Place::Reached => return Ok(()),
        };
        let subject = if matches!(self.place, Place::Command(_)) { "wait for a command" } else { HAND_OVER };
        let core = Arc::clone(&self.core);
        core.waiting(subject, api, || self.wait_untold(api, limit))
    }

    fn wait_untold(&mut self, api: Api, limit: Option<Duration>) -> Result<()> {
        match limit {
            Some(limit) => self.core.poll(api, limit, || self.is_reached())?,
            None => self.core.check_abandoned(api)?,
        }
        match self.place {
            Place::Queue(marker, end) => {
                let ended = if marker.is_null() { Ok(()) } else { self.wait_for(marker)? };
                self.core.settle(end)?;
                self.forget();
                ended.and_then(|()| self.core.report(Api::OpenCl, &self.buffers))
            }
            Place::Command(event) => {
                let ended = self.wait_for(event)?;
                if self.core.clock.is_on() {
                    self.core.note_command(event, None);
                }
                self.forget();
                ended
            }
            Place::Stream(event, last) => {
                if !event.is_null() {
                    // SAFETY: a live event.
                    unsafe { call!(self.core.libraries.hip, hipEventSynchronize(event)) }?;
                    self.core.in_stream.ended(last);
                }
                self.forget();
                self.core.report(Api::Hip, &self.buffers)
            }
            Place::Copy(event, stream) => {
                let hip = &self.core.libraries.hip;
                // SAFETY: a live event of the stream, and a stream of the session's.
                unsafe {
                    if event.is_null() {
                        call!(hip, hipStreamSynchronize(stream))
                    } else {
                        call!(hip, hipEventSynchronize(event))
                    }
                }?;
                self.forget();
                Ok(())
            }
            Place::Reached => Ok(()),
        }
    }

    /// Waits for an event of OpenCL's. How its command ended is inside.
    fn wait_for(&self, event: cl_event) -> Result<Result<()>> {
        let cl = &self.core.libraries.cl;
        // SAFETY: a live event.
        let Err(error) = (unsafe { call!(cl, clWaitForEvents(1, &event)) }) else { return Ok(Ok(())) };
        match status(cl, event) {
            // The command itself failed: there is nothing to wait for any more.
            Ok(status) if status < cl_sys::CL_COMPLETE => Ok(Err(Error::Failed { code: status.code() })),
            _ => Err(error),
        }
    }

    /// Wakes `signal` from a thread of the API's when it is reached: now, if it is. In a stream, work that is enqueued
    /// between the event and this is waited for too.
    pub(crate) fn signal(&self, signal: Arc<Signal>) -> Result<()> {
        let to = Arc::into_raw(signal);
        let data = to.cast_mut().cast();
        let now = || {
            // SAFETY: once, here.
            unsafe { reached(data) };
            Ok(())
        };
        let at_end_of = |event: cl_event| {
            let cl = &self.core.libraries.cl;
            // SAFETY: a live event, and a function that takes such data once.
            unsafe { call!(cl, clSetEventCallback(event, cl_sys::CL_COMPLETE, Some(reached_in_queue), data)) }
        };
        let outcome = match self.place {
            Place::Queue(marker, end) if marker.is_null() => {
                self.core.with_event_before(end, |last| last.map_or_else(now, at_end_of))
            }
            Place::Queue(event, _) | Place::Command(event) => at_end_of(event),
            Place::Stream(event, _) if event.is_null() => now(),
            Place::Stream(..) | Place::Copy(..) => {
                let (hip, stream) = match self.place {
                    Place::Copy(_, stream) => (&self.core.libraries.hip, stream),
                    _ => (&self.core.libraries.hip, self.core.stream),
                };
                // SAFETY: as above, with a stream of the session's.
                self.core
                    .select_device()
                    .and_then(|()| unsafe { call!(hip, hipLaunchHostFunc(stream, Some(reached), data)) })
            }
            Place::Reached => now(),
        };
        if outcome.is_err() {
            // SAFETY: made above; nobody calls.
            drop(unsafe { Arc::from_raw(to) });
        }
        outcome
    }

    fn forget(&mut self) {
        match std::mem::replace(&mut self.place, Place::Reached) {
            Place::Queue(marker, _) if marker.is_null() => {}
            Place::Queue(event, _) | Place::Command(event) => {
                // SAFETY: made by `in_queue` or taken by `of_command`, used by nobody any more.
                log(unsafe { call!(self.core.libraries.cl, clReleaseEvent(event)) })
            }
            Place::Stream(event, _) if event.is_null() => {}
            Place::Copy(event, _) if event.is_null() => {}
            Place::Stream(event, _) | Place::Copy(event, _) => {
                self.core.give_back_event(event);
            }
            Place::Reached => {}
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.forget();
    }
}

impl Core {
    /// Gives back HIP's events.
    pub(crate) fn forget_event_pool(&mut self) -> Result<()> {
        let mut outcome = Ok(());
        for event in self.event_pool.0.each_mut().into_iter().flat_map(|pool| std::mem::take(pool.get_mut())) {
            // SAFETY: made by `record_event`, used by nobody any more.
            outcome = first([outcome, unsafe { call!(self.libraries.hip, hipEventDestroy(event)) }]);
        }
        outcome
    }

    /// Waits until HIP has let go of what the stream's work was given; the work itself was waited for.
    ///
    /// A wait for a stream looks at the GPU's signal. A thread of HIP's looks at it too, and then gives up the commands
    /// with their references to memory, in their order and calling back where that was asked for: behind the call,
    /// those before it are gone.
    pub(crate) fn wait_for_hips_thread(&self) -> Result<()> {
        self.select_device()?;
        let (gone, wait) = channel::<()>();
        let data = Box::into_raw(Box::new(gone)).cast();
        // SAFETY: the session's stream, and a function that takes such data once.
        let outcome = unsafe { call!(self.libraries.hip, hipLaunchHostFunc(self.stream, Some(let_go), data)) };
        if outcome.is_err() {
            // SAFETY: made above; nobody calls.
            unsafe { let_go(data) };
        }
        // It sends nothing: it goes.
        let let_go = || Ok(!matches!(wait.try_recv(), Err(TryRecvError::Empty)));
        match self.limits.wait() {
            Some(limit) => first([outcome, self.poll(Api::Hip, limit, let_go)]),
            None => {
                _ = wait.recv();
                outcome
            }
        }
    }

    /// Waits for what is in `stream`, of the session's, now.
    pub(crate) fn finish_stream_within(&self, stream: hipStream_t, limit: Duration) -> Result<()> {
        let event = self.record(stream)?;
        let ended = self.poll(Api::Hip, limit, || self.is_recorded_reached(event)).and_then(|()| {
            // SAFETY: a live event.
            unsafe { call!(self.libraries.hip, hipEventSynchronize(event)) }
        });
        self.give_back_event(event);
        ended
    }

    /// Of `record`; its user uses it no more.
    pub(crate) fn give_back_event(&self, event: hipEvent_t) {
        self.give_back_recorded(event, false);
    }

    /// Of `record_event` with the same `timed`.
    pub(crate) fn give_back_recorded(&self, event: hipEvent_t, timed: bool) {
        self.event_pool.0[usize::from(timed)].lock().push(event);
    }

    /// An event of HIP's without a time, behind what is in `stream`, of the session's, now; its user's until it is in
    /// the pool again.
    pub(crate) fn record(&self, stream: hipStream_t) -> Result<hipEvent_t> {
        self.record_event(stream, false)
    }

    /// The same, with a time or without.
    pub(crate) fn record_event(&self, stream: hipStream_t, timed: bool) -> Result<hipEvent_t> {
        self.select_device()?;
        let hip = &self.libraries.hip;
        let mut event = self.event_pool.0[usize::from(timed)].lock().pop().unwrap_or(null_mut());
        if event.is_null() {
            // Others than this GPU's kernels may be next, so its caches are written back. Waits spin shortly, then
            // block.
            let untimed = if timed { 0 } else { hip_sys::hipEventDisableTiming };
            let flags = hip_sys::hipEventReleaseToSystem | hip_sys::hipEventBlockingSync | untimed;
            // SAFETY: writes one handle.
            unsafe { call!(hip, hipEventCreateWithFlags(&mut event, flags)) }?;
        }
        // SAFETY: the session's stream, and an event of its device that nobody else uses.
        let recorded = unsafe { call!(hip, hipEventRecord(event, stream)) };
        recorded.map(|()| event).inspect_err(|_| self.give_back_recorded(event, timed))
    }

    pub(crate) fn is_recorded_reached(&self, event: hipEvent_t) -> Result<bool> {
        // SAFETY: a live event.
        match present::<hipError_t, _, _>(unsafe { self.libraries.hip.hipEventQuery(event) })? {
            hipError_t::hipErrorNotReady => {
                self.libraries.forget_hips_error();
                Ok(false)
            }
            code => check::<_, std::convert::Infallible>("hipEventQuery", Ok(code)).map(|()| true),
        }
    }
}

/// # Safety
/// `data` is the sender of `wait_for_hips_thread`, and passed once.
unsafe extern "C" fn let_go(data: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(data.cast::<Sender<()>>()) });
}

/// Told once that an event is reached.
#[derive(Debug, Default)]
pub(crate) struct Signal(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    reached: bool,
    waker: Option<Waker>,
}

impl Signal {
    /// Whether it is; if not, `waker` is woken when it is.
    pub(crate) fn poll(&self, waker: &Waker) -> bool {
        // Cloned before the lock is taken, and the one before it dropped when the lock is free again: both are somebody
        // else's code.
        let mut waker = Some(waker.clone());
        let mut state = self.0.lock();
        if !state.reached {
            std::mem::swap(&mut state.waker, &mut waker);
        }
        state.reached
    }

    /// Nobody is to be woken any more.
    pub(crate) fn forget_waker(&self) {
        // Dropped when the lock is free again, as it is somebody else's code.
        let _waker = self.0.lock().waker.take();
    }
}

unsafe extern "C" fn reached_in_queue(_: cl_event, _: cl_int, data: *mut c_void) {
    // SAFETY: as registered.
    unsafe { reached(data) }
}

/// Called by a thread of the API's, which must neither be held up nor unwind: a panic of the waker ends here.
///
/// # Safety
/// `data` is of `Arc::into_raw`, and passed once.
unsafe extern "C" fn reached(data: *mut c_void) {
    // SAFETY: the caller's promise.
    let signal = unsafe { Arc::from_raw(data.cast::<Signal>()) };
    let waker = {
        let mut state = signal.0.lock();
        state.reached = true;
        state.waker.take()
    };
    if let Some(waker) = waker {
        contain("the waker of a hand-over", || waker.wake());
    }
}

/// Runs code of the user's where a panic would end the process: between frames of an API's. The hand-over is over all
/// the same, so that of its panic nobody is to be told but the log.
fn contain(subject: &str, users: impl FnOnce()) {
    let Err(panic) = catch_unwind(AssertUnwindSafe(users)) else { return };
    // Who logs, and what the panic carries, is the user's too.
    let logged = catch_unwind(AssertUnwindSafe(|| {
        let message = panic.downcast_ref::<&str>().copied();
        let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        tracing::error!("{subject} panicked: {message}");
        drop(panic);
    }));
    if let Err(another) = logged {
        std::mem::forget(another);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::{Wake, Waker};

    use super::{Signal, reached};

    /// Counts how often it is dropped while nobody has the signal locked.
    struct Task(Arc<Signal>, Arc<AtomicU32>);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {}
    }

    impl Drop for Task {
        fn drop(&mut self) {
            self.1.fetch_add(self.0.0.try_lock().is_some().into(), Ordering::SeqCst);
        }
    }

    /// It may drop buffers, which wait for the API's thread, which waits for the lock.
    #[test]
    fn wakers_are_dropped_when_the_lock_is_free() {
        let (signal, free) = (Arc::<Signal>::default(), Arc::<AtomicU32>::default());
        let poll = || signal.poll(&Waker::from(Arc::new(Task(Arc::clone(&signal), Arc::clone(&free)))));
        assert!(!poll() && !poll());
        assert_eq!(free.load(Ordering::SeqCst), 1, "the first");
        signal.forget_waker();
        assert_eq!(free.load(Ordering::SeqCst), 2, "the second");
    }

    /// Panics when it is woken, with what panics when it is dropped.
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic_any(Panics)
        }
    }
    impl Drop for Panics {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("dropped");
            }
        }
    }

    /// Out of a function of C's, a panic ends the process.
    #[test]
    fn a_waker_that_panics_stays_inside_the_callback() {
        let signal = Arc::<Signal>::default();
        assert!(!signal.poll(&Waker::from(Arc::new(Panics))));
        // SAFETY: of `Arc::into_raw`, once.
        unsafe { reached(Arc::into_raw(Arc::clone(&signal)).cast_mut().cast()) };
        assert!(signal.poll(Waker::noop()), "it is reached all the same");
    }
}
