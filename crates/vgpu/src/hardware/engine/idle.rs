//! What the lead thread does when there is nothing to do.

use super::queue::Progress;
use crate::descriptors::Descriptor;
use crate::errno::Errno;
use crate::hardware::doorbells::{Doorbells, Protection};
use crate::trace;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long it looks without a pause after activity. With one CPU it gives way to the program at every look.
pub const SPIN: Duration = Duration::from_micros(60);
/// How long it looks for a store that it has let through before it stops stores again. The thread that stores may have to wait for a CPU that others
/// have, also this thread, which gives way to it at every look. Stopped again before it has stored, it would have to be woken again.
const ARRIVAL: Duration = Duration::from_millis(5);
/// First sleep between looks.
const SHORTEST: Duration = Duration::from_micros(20);
/// From here on, protecting the doorbells for a sleep takes less time than it saves.
const WATCHED: Duration = Duration::from_micros(100);
/// Longest sleep while a packet waits for memory to change.
pub const LONGEST_WAITING: Duration = Duration::from_millis(1);
/// Where doorbells cannot be noticed: longest sleep within [`RECENT`] of activity.
const LONGEST_RECENT: Duration = Duration::from_millis(1);
/// How long a program that was active is likely to be active again.
const RECENT: Duration = Duration::from_millis(200);
/// Where doorbells cannot be noticed: longest sleep, which is what the first doorbell of a program that was quiet may have to wait if
/// no call announces it.
pub const LONGEST: Duration = Duration::from_millis(20);

/// Where every doorbell is watched: time between looks for packets that wait for one.
const UNRUNG: Duration = Duration::from_millis(100);

/// Ends the lead thread's sleep.
#[derive(Debug)]
pub struct Wake {
    woken: AtomicBool,
    sleeping: AtomicBool,
    /// An eventfd, to be waited for together with doorbells.
    event: Descriptor,
}

impl Wake {
    /// Nobody sleeps.
    ///
    /// # Errors
    /// What the host says when there are too many open files.
    pub fn new() -> Result<Wake, Errno> {
        // SAFETY: plain system call.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(Errno::last());
        }
        // SAFETY: `fd` is new and ours.
        let event = Descriptor::new(unsafe { OwnedFd::from_raw_fd(fd) });
        Ok(Wake { woken: AtomicBool::new(false), sleeping: AtomicBool::new(false), event })
    }

    /// Ends a sleep, or the next one. Cheap while nobody sleeps.
    pub fn up(&self) {
        self.woken.store(true, Ordering::SeqCst);
        if self.sleeping.load(Ordering::SeqCst) {
            let one = 1u64;
            // SAFETY: eight bytes, as an eventfd takes. It cannot be full.
            unsafe { libc::write(self.event.as_raw_fd(), (&raw const one).cast(), 8) };
        }
    }

    /// Sleeps until woken, until `other` is readable, or for `limit`. Returns whether it was woken.
    fn sleep(&self, limit: Option<Duration>, other: Option<RawFd>) -> bool {
        self.sleeping.store(true, Ordering::SeqCst);
        // Whoever sets `woken` after this sees `sleeping`.
        if !self.woken.load(Ordering::SeqCst) {
            let readable = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            let mut files = [readable(self.event.as_raw_fd()), readable(other.unwrap_or(-1))];
            let time = limit.map(|limit| libc::timespec {
                tv_sec: limit.as_secs() as libc::time_t,
                tv_nsec: limit.subsec_nanos().into(),
            });
            let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
            // SAFETY: both files are in the array, and the time is valid or null.
            unsafe { libc::ppoll(files.as_mut_ptr(), 2, time, std::ptr::null()) };
        }
        self.sleeping.store(false, Ordering::SeqCst);
        let mut count = 0u64;
        // SAFETY: eight bytes, as an eventfd gives; it does not block.
        unsafe { libc::read(self.event.as_raw_fd(), (&raw mut count).cast(), 8) };
        self.woken.swap(false, Ordering::SeqCst)
    }
}

/// How long there has been nothing to do.
pub struct Idle {
    active: Instant,
    next: Duration,
    single_cpu: bool,
    /// A store was let through, and nothing came of it yet.
    expects_store: bool,
}

/// What to do when there is nothing to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    /// Look again at once.
    Spin,
    /// Look again as soon as no other thread wants this CPU.
    GiveWay,
    /// Sleep.
    Sleep,
}

impl Idle {
    /// Active until now.
    pub fn new() -> Idle {
        let single_cpu = std::thread::available_parallelism().is_ok_and(|n| n.get() == 1);
        Idle { active: Instant::now(), next: SHORTEST, single_cpu, expects_store: false }
    }

    /// What to do after there was nothing to do for the time `quiet`.
    fn pause(&self, quiet: Duration) -> Pause {
        match (quiet < SPIN, self.expects_store && quiet < ARRIVAL) {
            (true, false) if !self.single_cpu => Pause::Spin,
            (false, false) => Pause::Sleep,
            _ => Pause::GiveWay,
        }
    }

    /// Waits as long as fits the last step's result. `no_queue`: only [`Wake::up`] can bring work.
    pub fn after(&mut self, progress: Progress, no_queue: bool, wake: &Wake, doorbells: &Doorbells) {
        if progress == Progress::Made {
            doorbells.lift();
            self.active = Instant::now();
            self.next = SHORTEST;
            self.expects_store = false;
            return;
        }
        // What waits now may be what the store brought.
        self.expects_store &= progress == Progress::Idle;
        if no_queue {
            doorbells.lift();
            wake.sleep(None, doorbells.stopped());
            self.active = Instant::now();
            return;
        }
        let quiet = self.active.elapsed();
        match self.pause(quiet) {
            Pause::Spin => return std::hint::spin_loop(),
            Pause::GiveWay => return std::thread::yield_now(),
            Pause::Sleep => self.expects_store = false,
        }
        // Helpers may have written lines since the last sleep.
        trace::flush();
        let protection = match progress {
            Progress::Waiting if self.next < WATCHED => Protection::None,
            _ => doorbells.protect(),
        };
        let watched = match protection {
            // One may have rung since the last look.
            Protection::New => return,
            Protection::Watched(file) => Some(file),
            Protection::None => None,
        };
        let limit = match progress {
            Progress::Waiting => Some(self.next.min(LONGEST_WAITING)),
            _ if watched.is_some() => doorbells.stopped().map(|_| UNRUNG),
            _ if quiet < RECENT => Some(self.next.min(LONGEST_RECENT)),
            _ => Some(self.next.min(LONGEST)),
        };
        let woken = wake.sleep(limit, watched);
        if doorbells.lift() {
            self.active = Instant::now();
            self.next = SHORTEST;
            self.expects_store = true;
        } else if woken {
            self.next = SHORTEST;
        } else {
            self.next = (self.next * 2).min(LONGEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_was_let_through_has_time_to_come() {
        let long = SPIN + Duration::from_micros(1);
        for (single_cpu, expects_store, quiet, pause) in [
            (false, false, Duration::ZERO, Pause::Spin),
            (true, false, Duration::ZERO, Pause::GiveWay),
            (false, true, Duration::ZERO, Pause::GiveWay),
            (false, true, long, Pause::GiveWay),
            (false, false, long, Pause::Sleep),
            (true, false, long, Pause::Sleep),
            (false, true, ARRIVAL, Pause::Sleep),
        ] {
            let idle = Idle { single_cpu, expects_store, ..Idle::new() };
            assert_eq!(idle.pause(quiet), pause, "{single_cpu} {expects_store} {quiet:?}");
        }
    }
}
