//! Waiting for GPUs, by looking or by sleeping.

use std::time::{Duration, Instant};

use crate::queues::device::Gpu;
use crate::queues::events::Sleeper;
use crate::queues::progress::Trouble;
use crate::{Error, Result};

/// How a thread waits, and how long at most. [`Duration::MAX`] is for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Looks all the time: the soonest to notice, at the price of a core. Makes no system call but one each five
    /// seconds, and when the time is over: the driver tells of a fault of the GPU only when it is asked.
    Poll(Duration),
    /// Looks for 200 microseconds, then sleeps until an interrupt of the GPU. Where none is to come, it looks again
    /// when as much time has passed as it has waited so far.
    Sleep(Duration),
}

/// How long a thread looks before it sleeps: as long as it takes, about, to fall asleep and be woken, so that looking
/// in vain at most doubles what a wait costs. ROCr looks for as long (`kMaxElapsed` of `interrupt_signal.cpp`).
const POLL_BEFORE_SLEEP: Duration = Duration::from_micros(200);
/// How long a thread that does not sleep goes without asking the driver for faults.
const FAULT_CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// How often is looked between two looks at the clock.
const POLLS_PER_CLOCK_READ: u32 = 256;

impl Wait {
    /// Sleeping, without end.
    pub const FOREVER: Wait = Wait::Sleep(Duration::MAX);

    fn limit(self) -> Duration {
        match self {
            Wait::Poll(limit) | Wait::Sleep(limit) => limit,
        }
    }
}

/// Waits for `done`. `events` are raised when it may have become true (0 where none is); `before_sleep` is called
/// before each sleep. `trouble` says why that will never be.
///
/// # Errors
/// [`Error::Timeout`], [`Error::Lost`], [`Error::Forked`], [`Error::Request`], the trouble, and what `before_sleep`
/// returns.
pub(crate) fn until(
    gpu: &'static Gpu,
    wait: Wait,
    subject: &'static str,
    events: impl Iterator<Item = u32> + Clone,
    mut before_sleep: impl FnMut() -> Result<()>,
    mut done: impl FnMut() -> bool,
    trouble: impl Fn() -> Option<Trouble>,
) -> Result<()> {
    gpu.driver.check_fork()?;
    for _ in 0..POLLS_PER_CLOCK_READ {
        if done() {
            return Ok(());
        }
        std::hint::spin_loop();
    }
    let start = Instant::now();
    // None is for ever.
    let deadline = start.checked_add(wait.limit());
    let left = || deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
    let mut ask = FAULT_CHECK_INTERVAL;
    loop {
        for _ in 0..POLLS_PER_CLOCK_READ {
            if done() {
                return Ok(());
            }
            std::hint::spin_loop();
        }
        gpu.check_usable()?;
        if let Some(trouble) = trouble() {
            return if done() { Ok(()) } else { Err(trouble.into()) };
        }
        if start.elapsed() >= ask {
            // Noted at the GPU, which is looked at next.
            Sleeper::new(gpu.process, std::iter::empty()).sleep(Duration::ZERO)?;
            ask = start.elapsed() + FAULT_CHECK_INTERVAL;
        }
        if left().is_zero() || matches!(wait, Wait::Sleep(_)) && start.elapsed() >= POLL_BEFORE_SLEEP {
            break;
        }
    }
    // Without an interrupt a thread is late by as much as it has waited, at most.
    let woken = events.clone().all(|id| id != 0);
    let mut sleeper = Sleeper::new(gpu.process, events);
    loop {
        let left = left();
        if !left.is_zero() {
            before_sleep()?;
        }
        // With no time left it is a question: has there been a fault?
        sleeper.sleep(if woken { left } else { left.min(start.elapsed()) })?;
        if done() {
            return Ok(());
        }
        gpu.check_usable()?;
        if let Some(trouble) = trouble() {
            return if done() { Ok(()) } else { Err(trouble.into()) };
        }
        if left.is_zero() {
            return Err(Error::Timeout { subject, after: start.elapsed() });
        }
    }
}
