//! Commands of the session's OpenCL queue that were accepted and not waited for yet.

use std::collections::VecDeque;
use std::ops::Range;
use std::ptr::{null, null_mut};
use std::time::Duration;

use cl_sys::{Cl, cl_command_queue, cl_event, cl_int};
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;

use crate::apis::call::{Status, call, first, log};
use crate::error::{Api, Code};
use crate::session::Core;
use crate::session::failures::{Accesses, EVERYTHING, Failures};
use crate::session::times::Work;
use crate::{Error, Result};

/// Most commands that are kept before the oldest are asked whether they are done.
const MAX_UNCHECKED: usize = 64;

/// Their events, in the order of the queue. The queue's own wait would not tell which of them failed.
#[derive(Debug, Default)]
pub(crate) struct Enqueued {
    /// Held while a command is enqueued, with what keeps it apart from those before and behind it; never over a wait.
    order: Mutex<()>,
    events: Mutex<Events>,
}

#[derive(Debug, Default)]
struct Events {
    /// Number of the first of `kept`, counted from the session's first command.
    first: u64,
    kept: VecDeque<Command>,
    /// The commands before this number are done, and how they ended is noted.
    done: u64,
    /// Threads that wait for some of `kept`, which stay as long as there is one.
    waiting: usize,
    failures: Failures,
}

#[derive(Debug)]
struct Command {
    event: cl_event,
    given: Accesses,
    /// Its time is to be noted; inside, as what, or as what OpenCL says.
    timed: Option<Option<Work>>,
}

impl Command {
    fn is_given(&self, addresses: &Range<u64>) -> bool {
        self.given.iter().any(|(given, _)| *given == EVERYTHING || addresses.contains(given))
    }
}

// SAFETY: OpenCL's events may be used by any thread; its functions that take one are thread-safe.
unsafe impl Send for Events {}

impl Enqueued {
    /// Runs `use_it` with what nobody was told of yet.
    pub(crate) fn failures<R>(&self, use_it: impl FnOnce(&mut Failures) -> R) -> R {
        use_it(&mut self.lock().failures)
    }

    fn lock(&self) -> MutexGuard<'_, Events> {
        self.events.lock()
    }
}

impl Events {
    /// That of the last command before number `end`, unless it is known to have ended.
    fn last_before(&self, end: u64) -> Option<cl_event> {
        let index = end.checked_sub(self.first + 1)?;
        self.kept.get(index as usize).map(|command| command.event)
    }

    /// Gives back the events of the commands that are done, unless somebody waits for one.
    fn forget(&mut self, core: &Core) -> Result<()> {
        let (cl, mut outcome) = (&core.libraries.cl, Ok(()));
        while self.waiting == 0 && self.first < self.done {
            let Some(command) = self.kept.pop_front() else { break };
            self.first += 1;
            if let Some(work) = command.timed {
                core.note_command(command.event, work);
            }
            // SAFETY: `enqueue` got it, and nobody uses it.
            outcome = first([outcome, unsafe { call!(cl, clReleaseEvent(command.event)) }]);
        }
        outcome
    }

    /// Notes how the commands before number `end` ended. If none failed, nothing is asked.
    fn note(&mut self, cl: &Cl, end: u64, some_failed: bool) -> Result<()> {
        let start = self.done.max(self.first);
        for (number, command) in (start..end).zip(self.kept.range((start - self.first) as usize..)) {
            let status = if some_failed { status(cl, command.event)? } else { cl_sys::CL_COMPLETE };
            self.failures.ended(number, status, &command.given);
            self.done = number + 1;
        }
        Ok(())
    }

    /// Makes room without waiting.
    fn shrink(&mut self, core: &Core) {
        let cl = &core.libraries.cl;
        while self.waiting == 0
            && self.kept.len() >= MAX_UNCHECKED
            && let Some(oldest) = self.kept.front()
        {
            match status(cl, oldest.event) {
                Ok(status) if status <= cl_sys::CL_COMPLETE => {
                    // The status makes nothing visible (see `settle`), this does; it returns at once, with an error if
                    // the command failed. SAFETY: a live event.
                    _ = unsafe { cl.clWaitForEvents(1, &oldest.event) };
                    if self.done <= self.first {
                        self.failures.ended(self.first, status, &oldest.given);
                        self.done = self.first + 1;
                    }
                    log(self.forget(core));
                }
                Ok(_) => return,
                Err(error) => return log(Err(error)),
            }
        }
    }
}

impl Core {
    /// Makes `call` enqueue a command on the session's queue and store its event, which is kept until it was waited
    /// for.
    pub(crate) fn enqueue(&self, given: Accesses, call: impl FnOnce(*mut cl_event) -> Result<()>) -> Result<()> {
        self.enqueue_as(|| None, given, call)
    }

    /// The same; its time is one of `work`, or of what OpenCL says it is.
    pub(crate) fn enqueue_as(
        &self,
        work: impl FnOnce() -> Option<Work>,
        given: Accesses,
        call: impl FnOnce(*mut cl_event) -> Result<()>,
    ) -> Result<()> {
        self.check_abandoned(Api::OpenCl)?;
        let mut event = null_mut();
        let _order = self.between_commands();
        let outcome = call(&mut event);
        // There is one if the command was accepted, whatever failed behind it.
        if !event.is_null() {
            self.turns.launched(&given);
            let mut events = self.enqueued.lock();
            let timed = self.clock.is_on().then(work);
            events.kept.push_back(Command { event, given, timed });
            events.shrink(self);
        }
        outcome
    }

    /// Behind a command that another thread is just enqueueing.
    fn between_commands(&self) -> MutexGuard<'_, ()> {
        self.enqueued.order.lock()
    }

    /// Number of the command that comes next; all before it are kept, or known to be done.
    pub(crate) fn launched(&self) -> u64 {
        let _all_are_kept = self.between_commands();
        self.next_command()
    }

    /// Whether a command from number `start` on may have been given a buffer at one of these addresses.
    pub(crate) fn may_be_used_from(&self, start: u64, addresses: &Range<u64>) -> bool {
        let _all_are_kept = self.between_commands();
        let events = self.enqueued.lock();
        // Of those that are done and not kept any more, nobody knows.
        let kept = start.checked_sub(events.first).filter(|skipped| *skipped <= events.kept.len() as u64);
        kept.is_none_or(|skipped| {
            let mut later = events.kept.range(skipped as usize..);
            later.any(|command| command.is_given(addresses))
        })
    }

    /// Number of the command that comes next.
    pub(crate) fn next_command(&self) -> u64 {
        let events = self.enqueued.lock();
        events.first + events.kept.len() as u64
    }

    /// Number behind the last command that was given a buffer at one of these addresses, of those that are not known to
    /// be done.
    pub(crate) fn unused_from(&self, addresses: &Range<u64>) -> u64 {
        let events = self.enqueued.lock();
        let last = events.kept.iter().rposition(|command| command.is_given(addresses));
        events.first + last.map_or(0, |last| last as u64 + 1)
    }

    /// Whether the session's commands before number `end` have ended. Asks the last of them, as they end in their
    /// order.
    pub(crate) fn are_ended_before(&self, end: u64) -> Result<bool> {
        let events = self.enqueued.lock();
        let last = events.last_before(end);
        last.map_or(Ok(true), |last| Ok(status(&self.libraries.cl, last)? <= cl_sys::CL_COMPLETE))
    }

    /// Runs `use_it` with the event of the last of the session's commands before number `end`, unless that is known to
    /// have ended. It lives as long as that runs, or the command.
    pub(crate) fn with_event_before<R>(&self, end: u64, use_it: impl FnOnce(Option<cl_event>) -> R) -> R {
        let last = {
            let mut events = self.enqueued.lock();
            events.waiting += 1;
            events.last_before(end)
        };
        let outcome = use_it(last);
        let mut events = self.enqueued.lock();
        events.waiting -= 1;
        log(events.forget(self));
        outcome
    }

    /// Waits for the session's commands before number `end`, and notes how they ended. What they wrote is there for
    /// everybody afterwards: by OpenCL's specification, this wait is a synchronization point, and the status of an
    /// event is not.
    pub(crate) fn settle(&self, end: u64) -> Result<()> {
        let cl = &self.libraries.cl;
        let (waited, until): (SmallVec<[cl_event; 8]>, u64) = {
            let mut events = self.enqueued.lock();
            let count = end.saturating_sub(events.first).min(events.kept.len() as u64);
            if count == 0 {
                return Ok(());
            }
            events.waiting += 1;
            let waited = events.kept.range(..count as usize).map(|command| command.event);
            (waited.collect(), events.first + count)
        };
        let reached = match self.limits.wait() {
            Some(limit) => self.are_ended_within(&waited, limit),
            None => self.check_abandoned(Api::OpenCl),
        };
        let wait = || {
            // SAFETY: live events of one context, kept while `waiting` counts this.
            unsafe { call!(cl, clWaitForEvents(waited.len() as u32, waited.as_ptr())) }
        };
        let outcome = reached.and_then(|()| self.waiting("wait for commands", Api::OpenCl, wait));
        let mut events = self.enqueued.lock();
        events.waiting -= 1;
        let noted = match outcome {
            Ok(()) => events.note(cl, until, false),
            // All have ended, some of them by an error.
            Err(Error::Call { code: Code::OpenCl(cl_sys::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST), .. }) => {
                events.note(cl, until, true)
            }
            Err(error) => Err(error),
        };
        log(events.forget(self));
        noted
    }

    /// Waits for commands of one queue, which end in their order.
    fn are_ended_within(&self, events: &[cl_event], limit: Duration) -> Result<()> {
        let mut left = events;
        self.poll(Api::OpenCl, limit, || {
            while let [event, behind @ ..] = left {
                if status(&self.libraries.cl, *event)? > cl_sys::CL_COMPLETE {
                    return Ok(false);
                }
                left = behind;
            }
            Ok(true)
        })
    }

    /// Waits for a command of any queue of the session's that is not kept, and gives up its event. Null is none. How it
    /// ended is inside. If the wait fails it is kept, so that who gives back what it was given waits for it.
    pub(crate) fn wait_for_command(&self, event: cl_event, given: Accesses) -> Result<Result<()>> {
        if event.is_null() {
            return Ok(Ok(()));
        }
        let cl = &self.libraries.cl;
        let reached = match self.limits.wait() {
            Some(limit) => self.are_ended_within(&[event], limit),
            None => self.check_abandoned(Api::OpenCl),
        };
        // SAFETY: a live event.
        let waited = reached.and_then(|()| unsafe { call!(cl, clWaitForEvents(1, &event)) });
        match waited {
            Err(error) if !status(cl, event).is_ok_and(|status| status < cl_sys::CL_COMPLETE) => {
                self.enqueued.lock().kept.push_back(Command { event, given, timed: None });
                Err(error)
            }
            // The wait returns an error too if the command failed, which its status tells.
            _ => Ok(self.ended(event)),
        }
    }

    /// Waits for what is in `queue`, of the session's, now.
    pub(crate) fn finish_queue_within(&self, queue: cl_command_queue, limit: Duration) -> Result<()> {
        let (cl, mut marker) = (&self.libraries.cl, null_mut());
        // SAFETY: a live queue, and nothing to wait for: the marker waits for what comes before it.
        unsafe { call!(cl, clEnqueueMarkerWithWaitList(queue, 0, null(), &mut marker)) }?;
        let flushed = self.flush(queue);
        let ended = flushed.and_then(|()| self.are_ended_within(&[marker], limit)).and_then(|()| {
            // SAFETY: a live event.
            unsafe { call!(cl, clWaitForEvents(1, &marker)) }
        });
        // SAFETY: made above, used by nobody any more.
        log(unsafe { call!(cl, clReleaseEvent(marker)) });
        ended
    }

    /// The error to return for these buffers: of results that are missing there, or of waits on which they depend and
    /// that ended without their flags. Covers the work of `side` that was waited for.
    pub(crate) fn report(&self, side: Api, buffers: &[u64]) -> Result<()> {
        self.report_missing(buffers)?;
        self.report_late_of(buffers)?;
        // What OpenCL did before a flag is done if HIP's work behind it is, but nobody has asked yet how it ended.
        // Unless the GPU gave up waiting for the flag.
        if side == Api::Hip && self.has_flags() && !self.is_overtaken() {
            self.settle(buffers.iter().map(|address| self.unused_from(&(*address..*address + 1))).max().unwrap_or(0))?;
            self.report_missing(buffers)?;
        }
        Ok(())
    }

    /// The first part of [`report`](Self::report).
    pub(crate) fn report_missing(&self, buffers: &[u64]) -> Result<()> {
        self.enqueued.failures(|failures| failures.take(buffers)).map_or(Ok(()), failed)
    }

    /// The error to return for all of OpenCL's work that was waited for, if no call has returned it yet.
    pub(crate) fn report_all(&self) -> Result<()> {
        let failure = self.enqueued.failures(Failures::take_all);
        failure.map_or(Ok(()), failed).and_then(|()| self.report_late(Api::OpenCl))
    }

    /// What cannot be returned, in a destructor: how work ended stays for who asks, and the rest is logged.
    pub(crate) fn keep(&self, error: Error) {
        match error {
            Error::Failed { code: Code::OpenCl(status) } => {
                self.enqueued.failures(|failures| failures.note_unassigned(status))
            }
            error => log(Err(error)),
        }
    }

    /// Gives up the event of a command that was waited for, and tells if it failed: the call that blocks for it does
    /// not. Null is none.
    pub(crate) fn ended(&self, event: cl_event) -> Result<()> {
        if event.is_null() {
            return Ok(());
        }
        let cl = &self.libraries.cl;
        if self.clock.is_on() {
            self.note_command(event, None);
        }
        let outcome =
            status(cl, event).and_then(|status| if status < cl_sys::CL_COMPLETE { failed(status) } else { Ok(()) });
        // SAFETY: the caller's, used by nobody any more.
        log(unsafe { call!(cl, clReleaseEvent(event)) });
        outcome
    }

    /// Gives back the events of the commands that nobody waited for.
    pub(crate) fn forget_commands(&mut self) -> Result<()> {
        let mut events = std::mem::take(self.enqueued.events.get_mut());
        events.done = u64::MAX;
        events.forget(self)
    }

    /// Notes the times of kept commands that have ended.
    pub(crate) fn look_at_commands(&self) -> Result<()> {
        let mut events = self.enqueued.lock();
        for command in events.kept.iter_mut().filter(|command| command.timed.is_some()) {
            // They end in the order of the queue.
            if status(&self.libraries.cl, command.event)? > cl_sys::CL_COMPLETE {
                break;
            }
            if let Some(work) = command.timed.take() {
                self.note_command(command.event, work);
            }
        }
        Ok(())
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
