//! What the lead thread does when there is nothing to do.

use super::queue::Progress;
use crate::trace;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long it looks without a pause after activity. With one CPU it gives way to the program at every look.
pub const SPIN: Duration = Duration::from_micros(60);
/// First sleep.
const SHORTEST: Duration = Duration::from_micros(20);
/// Longest sleep while a packet waits for memory to change.
pub const LONGEST_WAITING: Duration = Duration::from_millis(1);
/// Longest sleep within [`RECENT`] of activity.
const LONGEST_RECENT: Duration = Duration::from_millis(1);
/// How long a program that was active is likely to be active again.
const RECENT: Duration = Duration::from_millis(200);
/// Longest sleep: what the first doorbell of a program that was quiet may have to wait, if no call announces it.
pub const LONGEST: Duration = Duration::from_millis(20);

/// Ends the lead thread's sleep.
#[derive(Debug, Default)]
pub struct Wake {
    woken: Mutex<bool>,
    sleeping: AtomicBool,
    changed: Condvar,
}

impl Wake {
    /// Nobody sleeps.
    pub fn new() -> Wake {
        Wake::default()
    }

    /// Ends a sleep, or the next one. Cheap while nobody sleeps.
    pub fn up(&self) {
        *self.woken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        if self.sleeping.load(Ordering::Acquire) {
            self.changed.notify_one();
        }
    }

    /// Sleeps until woken, or for `limit`. Returns whether it was woken.
    fn sleep(&self, limit: Option<Duration>) -> bool {
        let mut woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleeping.store(true, Ordering::Release);
        while !*woken {
            woken = match limit {
                None => self.changed.wait(woken).unwrap_or_else(PoisonError::into_inner),
                Some(limit) => self.changed.wait_timeout(woken, limit).unwrap_or_else(PoisonError::into_inner).0,
            };
            if limit.is_some() {
                break;
            }
        }
        self.sleeping.store(false, Ordering::Release);
        std::mem::take(&mut *woken)
    }
}

/// How long there has been nothing to do.
pub struct Idle {
    active: Instant,
    next: Duration,
    single_cpu: bool,
}

impl Idle {
    /// Active until now.
    pub fn new() -> Idle {
        let single_cpu = std::thread::available_parallelism().is_ok_and(|n| n.get() == 1);
        Idle { active: Instant::now(), next: SHORTEST, single_cpu }
    }

    /// Waits as long as fits the last step's result. `no_queue`: only [`Wake::up`] can bring work.
    pub fn after(&mut self, progress: Progress, no_queue: bool, wake: &Wake) {
        if progress == Progress::Made {
            self.active = Instant::now();
            self.next = SHORTEST;
            return;
        }
        if no_queue {
            wake.sleep(None);
            self.active = Instant::now();
            return;
        }
        let quiet = self.active.elapsed();
        if quiet < SPIN {
            if self.single_cpu {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
            return;
        }
        if self.next == SHORTEST {
            trace::flush();
        }
        let longest = match progress {
            Progress::Waiting => LONGEST_WAITING,
            _ if quiet < RECENT => LONGEST_RECENT,
            _ => LONGEST,
        };
        if wake.sleep(Some(self.next.min(longest))) {
            self.next = SHORTEST;
        } else {
            self.next = (self.next * 2).min(LONGEST);
        }
    }
}
