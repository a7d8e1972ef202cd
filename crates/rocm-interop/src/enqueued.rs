//! Commands of the session's OpenCL queue that were accepted and not waited for yet.

use std::collections::VecDeque;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cl_sys::{Cl, cl_event, cl_int};
use smallvec::SmallVec;

use crate::call::{Status, call, first, log};
use crate::session::Core;
use crate::{Api, Code, Error, Result};

/// So many are kept before the oldest are asked whether they are done.
const MOST: usize = 64;

/// Their events, in the order of the queue. The queue's own wait would not tell which of them failed.
#[derive(Debug, Default)]
pub(crate) struct Enqueued(Mutex<Events>);

#[derive(Debug, Default)]
struct Events {
    /// Number of the first of `kept`, counted from the session's first command.
    first: u64,
    kept: VecDeque<cl_event>,
    /// The commands before this number are done.
    done: u64,
    /// Threads that wait for some of `kept`, which stay as long as there is one.
    waiting: usize,
    /// Status of a command that failed and is not kept any more.
    failed: Option<cl_int>,
}

// SAFETY: OpenCL's events may be used by any thread; its functions that take one are thread-safe.
unsafe impl Send for Events {}

impl Enqueued {
    fn lock(&self) -> MutexGuard<'_, Events> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Events {
    /// Gives back the events of the commands that are done, unless somebody waits for one.
    fn forget(&mut self, cl: &Cl) -> Result<()> {
        let mut outcome = Ok(());
        while self.waiting == 0 && self.first < self.done {
            let Some(event) = self.kept.pop_front() else { break };
            self.first += 1;
            // SAFETY: `enqueue` got it, and nobody uses it.
            outcome = first([outcome, unsafe { call!(cl, clReleaseEvent(event)) }]);
        }
        outcome
    }

    /// Makes room without waiting.
    fn shrink(&mut self, cl: &Cl) {
        while self.waiting == 0
            && self.kept.len() >= MOST
            && let Some(&oldest) = self.kept.front()
        {
            match status(cl, oldest) {
                Ok(status) if status <= cl_sys::CL_COMPLETE => {
                    if status < cl_sys::CL_COMPLETE {
                        self.failed.get_or_insert(status);
                    }
                    self.done = self.done.max(self.first + 1);
                    log(self.forget(cl));
                }
                Ok(_) => return,
                Err(error) => return log(Err(error)),
            }
        }
    }
}

impl Core {
    /// Makes `call` enqueue a command on the session's queue and store its event, which is kept until it was waited for. Returns the command's number.
    pub(crate) fn enqueue(&self, call: impl FnOnce(*mut cl_event) -> Result<()>) -> Result<u64> {
        let mut event = null_mut();
        // Held meanwhile, so that the events are in the order of the queue.
        let mut events = self.enqueued.lock();
        call(&mut event)?;
        let number = events.first + events.kept.len() as u64;
        events.kept.push_back(event);
        events.shrink(&self.libraries.cl);
        Ok(number)
    }

    /// Number of the command that comes next.
    pub(crate) fn next_command(&self) -> u64 {
        let events = self.enqueued.lock();
        events.first + events.kept.len() as u64
    }

    /// Waits for the session's commands before number `end`. What they wrote is there for everybody afterwards: by OpenCL's specification,
    /// this wait is a synchronization point, and the status of an event is not.
    pub(crate) fn settle(&self, end: u64) -> Result<()> {
        let cl = &self.libraries.cl;
        let (waited, until): (SmallVec<[cl_event; 8]>, u64) = {
            let mut events = self.enqueued.lock();
            let count = end.saturating_sub(events.first).min(events.kept.len() as u64);
            if count == 0 {
                let failed = events.failed.take().map_or(Ok(()), failed);
                return first([failed, self.late(Api::OpenCl)]);
            }
            events.waiting += 1;
            (events.kept.range(..count as usize).copied().collect(), events.first + count)
        };
        // SAFETY: live events of one context, kept while `waiting` counts this.
        let mut outcome = unsafe { call!(cl, clWaitForEvents(waited.len() as u32, waited.as_ptr())) };
        let mut done = outcome.is_ok();
        if let Err(Error::Call { code: Code::OpenCl(cl_sys::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), .. }) =
            outcome
        {
            // All have ended, some of them by an error.
            done = true;
            for &event in &waited {
                match status(cl, event) {
                    Ok(status) if status < cl_sys::CL_COMPLETE => outcome = failed(status),
                    Ok(_) => continue,
                    Err(error) => outcome = Err(error),
                }
                break;
            }
        }
        let mut events = self.enqueued.lock();
        events.waiting -= 1;
        if done {
            events.done = events.done.max(until);
        }
        log(events.forget(cl));
        if !done {
            return outcome;
        }
        let before = events.failed.take().map_or(Ok(()), failed);
        drop(events);
        first([before, outcome, self.late(Api::OpenCl)])
    }

    /// Gives up the event of a command that was waited for, and tells if it failed: the call that blocks for it does not. Null is none.
    pub(crate) fn ended(&self, event: cl_event) -> Result<()> {
        if event.is_null() {
            return Ok(());
        }
        let cl = &self.libraries.cl;
        let told =
            status(cl, event).and_then(|status| if status < cl_sys::CL_COMPLETE { failed(status) } else { Ok(()) });
        // SAFETY: the caller's, used by nobody any more.
        log(unsafe { call!(cl, clReleaseEvent(event)) });
        told
    }

    /// Gives back the events of the commands that nobody waited for.
    pub(crate) fn forget_commands(&mut self) -> Result<()> {
        let events = self.enqueued.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        events.done = u64::MAX;
        events.forget(&self.libraries.cl)
    }
}

fn failed(status: cl_int) -> Result<()> {
    Err(Error::Failed { code: status.code() })
}

/// How far the command of a live event is: above `CL_COMPLETE` before its end, below after a failure.
pub(crate) fn status(cl: &Cl, event: cl_event) -> Result<cl_int> {
    let mut status: cl_int = 0;
    let (info, to) = (cl_sys::CL_EVENT_COMMAND_EXECUTION_STATUS, (&raw mut status).cast());
    // SAFETY: a live event, and room for the attribute.
    unsafe { call!(cl, clGetEventInfo(event, info, size_of::<cl_int>(), to, null_mut())) }?;
    Ok(status)
}
