//! How long work took, for who asks for it; and what is told to `tracing` of waits, hand-overs and flushes.

use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cl_sys::{Cl, cl_command_queue, cl_command_type, cl_event, cl_ulong};
use hip_sys::{hipEvent_t, hipStream_t};
use parking_lot::Mutex;

use crate::apis::call::{call, first};
use crate::error::Api;
use crate::session::Core;
use crate::session::enqueued::status;
use crate::{Error, Result};

/// What took its [`Time`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Work {
    /// A kernel, by its name; those of [`Flags`](crate::hand_over::Flags) are `raise` and `await_flag`.
    Kernel(Arc<str>),
    /// A copy, also one that a kernel of this crate's makes.
    Copy,
    /// A fill by OpenCL's or HIP's own function.
    Fill,
    /// What a call of one of HIP's libraries enqueued, by the name that [`RawHip::timed`](crate::hip::RawHip::timed)
    /// was given.
    Library(Arc<str>),
    /// A hand-over that the host waited for: how long it did.
    HandOver,
}

/// How long one piece of work took: on the GPU, or for a [hand-over](Work::HandOver) on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Time {
    /// What it was.
    pub work: Work,
    /// Whose work it was, or was waited for.
    pub api: Api,
    /// OpenCL's times are from the start of the command to its end (`CL_PROFILING_COMMAND_START` and `_END`). HIP's are
    /// between two of its events, one before and one behind the work, and so contain what the GPU does between packets.
    pub took: Duration,
}

/// What [`Session::take_times`](crate::Session::take_times) gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Times {
    /// Of each API in the order in which the work ended.
    pub all: Vec<Time>,
    /// How many are missing here, as nobody took them in time.
    pub lost: u64,
}

/// Most times that are kept until somebody takes them.
const MAX_KEPT_TIMES: usize = 1 << 16;
/// Most timed commands of the HIP stream that are under way at once.
const MAX_TIMED_ON_STREAM: usize = 4096;

/// Of a session.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    on: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    ended: VecDeque<Time>,
    lost: u64,
    /// In the order of the stream.
    on_stream: VecDeque<OnStream>,
    /// Why a time is missing: the first since they were taken last.
    failed: Option<Error>,
    /// HIP's events that nobody uses at present; unlike those of hand-overs, they have times.
    pool: Vec<hipEvent_t>,
}

#[derive(Debug)]
struct OnStream {
    work: Work,
    start: hipEvent_t,
    end: hipEvent_t,
}

// SAFETY: HIP's events belong to a device, not to a thread, and its functions that take one are thread-safe.
unsafe impl Send for State {}

impl State {
    fn note(&mut self, time: Time) {
        if self.ended.len() == MAX_KEPT_TIMES {
            self.ended.pop_front();
            self.lost += 1;
        }
        self.ended.push_back(time);
    }

    /// The work itself is enqueued, and goes on without.
    fn fail(&mut self, error: Error) {
        self.lost += 1;
        self.failed.get_or_insert(error);
    }
}

impl Clock {
    pub(crate) fn set(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }
}

impl Core {
    /// What has ended and was not taken yet. Waits for nothing.
    pub(crate) fn take_times(&self) -> Result<Times> {
        self.look_at_commands()?;
        self.select_device()?;
        let mut state = self.clock.state.lock();
        self.look_at_stream(&mut state)?;
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        Ok(Times { all: state.ended.drain(..).collect(), lost: std::mem::take(&mut state.lost) })
    }

    /// Of a command of OpenCL's that has ended, if it did so well. `work` of none is what OpenCL says of it.
    pub(crate) fn note_command(&self, event: cl_event, work: Option<Work>) {
        let cl = &self.libraries.cl;
        let time = || -> Result<Option<Time>> {
            if status(cl, event)? < cl_sys::CL_COMPLETE {
                return Ok(None);
            }
            let work = match work {
                Some(work) => work,
                None => match info::<cl_command_type>(cl, event, cl_sys::CL_EVENT_COMMAND_TYPE)? {
                    cl_sys::CL_COMMAND_BARRIER | cl_sys::CL_COMMAND_MARKER => return Ok(None),
                    cl_sys::CL_COMMAND_FILL_BUFFER | cl_sys::CL_COMMAND_SVM_MEMFILL => Work::Fill,
                    _ => Work::Copy,
                },
            };
            let start = profile(cl, event, cl_sys::CL_PROFILING_COMMAND_START)?;
            let end = profile(cl, event, cl_sys::CL_PROFILING_COMMAND_END)?;
            Ok(Some(Time { work, api: Api::OpenCl, took: Duration::from_nanos(end.saturating_sub(start)) }))
        };
        match time() {
            Ok(Some(time)) => self.clock.state.lock().note(time),
            Ok(None) => {}
            Err(error) => self.no_time(error),
        }
    }

    /// Told by the next who takes times.
    pub(crate) fn no_time(&self, error: Error) {
        self.clock.state.lock().fail(error);
    }

    /// Makes `call` enqueue work on `stream`, one of the session's and of this thread's current device, and notes how
    /// long it takes if somebody asks for it.
    pub(crate) fn on_stream<R>(
        &self,
        stream: hipStream_t,
        work: impl FnOnce() -> Work,
        call: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        if !self.clock.is_on() {
            return call();
        }
        let start = self.record_time(stream);
        let outcome = call();
        let mut state = self.clock.state.lock();
        if outcome.is_err() {
            state.pool.extend(start.ok());
            return outcome;
        }
        match (start, self.record_time_in(stream, &mut state)) {
            (Ok(start), Ok(end)) => {
                if state.on_stream.len() == MAX_TIMED_ON_STREAM
                    && let Err(error) = self.look_at_stream(&mut state)
                {
                    state.fail(error);
                }
                if state.on_stream.len() == MAX_TIMED_ON_STREAM
                    && let Some(oldest) = state.on_stream.pop_front()
                {
                    state.lost += 1;
                    state.pool.extend([oldest.start, oldest.end]);
                }
                state.on_stream.push_back(OnStream { work: work(), start, end });
            }
            (start, end) => {
                for event in [start, end] {
                    match event {
                        Ok(event) => state.pool.push(event),
                        Err(error) => state.fail(error),
                    }
                }
            }
        }
        outcome
    }

    fn record_time(&self, stream: hipStream_t) -> Result<hipEvent_t> {
        self.record_time_in(stream, &mut self.clock.state.lock())
    }

    fn record_time_in(&self, stream: hipStream_t, state: &mut State) -> Result<hipEvent_t> {
        let hip = &self.libraries.hip;
        let mut event = state.pool.pop().unwrap_or(null_mut());
        if event.is_null() {
            // SAFETY: writes one handle.
            unsafe { call!(hip, hipEventCreateWithFlags(&mut event, hip_sys::hipEventDefault)) }?;
        }
        // SAFETY: the session's stream, and an event of its device that nobody else uses.
        let recorded = unsafe { call!(hip, hipEventRecord(event, stream)) };
        recorded.map(|()| event).inspect_err(|_| state.pool.push(event))
    }

    /// Notes the times of HIP's work that has ended.
    fn look_at_stream(&self, state: &mut State) -> Result<()> {
        while let Some(oldest) = state.on_stream.front() {
            if !self.is_recorded_reached(oldest.end)? {
                break;
            }
            let asked = self.time_between(oldest.start, oldest.end);
            let Some(OnStream { work, start, end }) = state.on_stream.pop_front() else { break };
            state.pool.extend([start, end]);
            state.note(Time { work, api: Api::Hip, took: asked? });
        }
        Ok(())
    }

    /// Of the GPU, between two events of its that have times, and are reached.
    pub(crate) fn time_between(&self, start: hipEvent_t, end: hipEvent_t) -> Result<Duration> {
        let mut milliseconds = 0f32;
        // SAFETY: live events of one device.
        unsafe { call!(self.libraries.hip, hipEventElapsedTime(&mut milliseconds, start, end)) }?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3).unwrap_or(Duration::MAX))
    }

    /// Gives back HIP's events.
    pub(crate) fn forget_times(&mut self) -> Result<()> {
        let state = self.clock.state.get_mut();
        let on_stream = std::mem::take(&mut state.on_stream).into_iter().flat_map(|work| [work.start, work.end]);
        let events: Vec<hipEvent_t> = std::mem::take(&mut state.pool).into_iter().chain(on_stream).collect();
        let mut outcome = Ok(());
        for event in events {
            // SAFETY: made by `record_time_in`, used by nobody any more.
            outcome = first([outcome, unsafe { call!(self.libraries.hip, hipEventDestroy(event)) }]);
        }
        outcome
    }

    /// Waits by `wait` for `api`'s work, and tells `tracing`; notes how long it took, if it is a hand-over.
    pub(crate) fn waiting<R>(&self, subject: &'static str, api: Api, wait: impl FnOnce() -> Result<R>) -> Result<R> {
        let logs = tracing::enabled!(tracing::Level::DEBUG);
        let timed = subject == HAND_OVER && self.clock.is_on();
        if !logs && !timed {
            return wait();
        }
        let start = Instant::now();
        let outcome = wait();
        let took = start.elapsed();
        if logs {
            tracing::debug!(%api, ?took, ended = outcome.is_ok(), "{subject}");
        }
        if timed && outcome.is_ok() {
            self.clock.state.lock().note(Time { work: Work::HandOver, api, took });
        }
        outcome
    }

    /// Makes OpenCL begin with what is in `queue`, of the session's: it need not before.
    pub(crate) fn flush(&self, queue: cl_command_queue) -> Result<()> {
        tracing::trace!(?queue, "flush");
        // SAFETY: a live queue.
        unsafe { call!(self.libraries.cl, clFlush(queue)) }
    }
}

/// What [`Core::waiting`] says of a hand-over that the host waits for, and takes the time of.
pub(crate) const HAND_OVER: &str = "hand-over";

/// An attribute of a live event that is a number.
fn info<T: Default>(cl: &Cl, event: cl_event, info: u32) -> Result<T> {
    let mut value = T::default();
    let to = (&raw mut value).cast();
    // SAFETY: room for the attribute, whose size OpenCL checks.
    unsafe { call!(cl, clGetEventInfo(event, info, size_of::<T>(), to, null_mut())) }?;
    Ok(value)
}

/// Nanoseconds of the device's clock.
fn profile(cl: &Cl, event: cl_event, info: u32) -> Result<cl_ulong> {
    let mut value: cl_ulong = 0;
    let to = (&raw mut value).cast();
    // SAFETY: a live event, and room for the attribute.
    unsafe { call!(cl, clGetEventProfilingInfo(event, info, size_of::<cl_ulong>(), to, null_mut())) }?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{MAX_KEPT_TIMES, State, Time, Work};
    use crate::Error;
    use crate::error::Api;

    #[test]
    fn of_too_many_times_the_oldest_are_lost() {
        let mut state = State::default();
        for nanos in 0..MAX_KEPT_TIMES as u64 + 3 {
            state.note(Time { work: Work::Copy, api: Api::Hip, took: Duration::from_nanos(nanos) });
        }
        assert_eq!((state.ended.len(), state.lost), (MAX_KEPT_TIMES, 3));
        let kept: Vec<_> = state.ended.iter().map(|time| time.took.as_nanos()).collect();
        assert_eq!(kept, (3..MAX_KEPT_TIMES as u128 + 3).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_reason_for_a_missing_time_is_told() {
        let mut state = State::default();
        for reason in ["first", "second"] {
            state.fail(Error::Argument { subject: "time", reason: reason.to_owned() });
        }
        let message = state.failed.expect("a reason").to_string();
        assert_eq!((message.as_str(), state.lost), ("time: first", 2));
    }
}
