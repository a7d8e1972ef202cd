//! The lead thread while there is no work.

use super::queue::Progress;
use crate::descriptors::Descriptor;
use crate::errno::Errno;
use crate::hardware::doorbells::{Doorbells, Protection};
use crate::trace;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// How long it looks without a pause after activity. With one CPU it gives way to the program at every look.
pub const SPIN: Duration = Duration::from_micros(60);
/// How long it looks where the last store was stopped so soon after activity that looking for so long had found it. A
/// program that works for a moment between its kernels does the like again, and each store that is stopped costs it,
/// and this thread, two changes of threads.
const HOT: Duration = Duration::from_micros(240);
/// What it takes at most, of that, until this thread is awake.
const AWAKENING: Duration = Duration::from_micros(60);
/// How long it looks for a store that it has let through before it stops stores again. The thread that stores may have
/// to wait for a CPU that others have, also this thread, which gives way to it at every look. Stopped again before it
/// has stored, it would have to be woken again.
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
/// Where doorbells cannot be noticed: longest sleep, which is what the first doorbell of a program that was quiet may
/// have to wait if no call announces it.
pub const LONGEST: Duration = Duration::from_millis(20);

/// Where every doorbell is watched: time between looks for packets that wait for one.
const UNRUNG: Duration = Duration::from_millis(100);

/// Ends the lead thread's sleep.
#[derive(Debug)]
pub struct Wake {
    woken: AtomicBool,
    hinted: AtomicBool,
    sleep: AtomicU8,
    /// An eventfd, to be waited for together with doorbells.
    event: Descriptor,
}

/// It does not sleep.
const AWAKE: u8 = 0;
/// It sleeps between two looks, so what it waits for may be there already.
const BETWEEN_LOOKS: u8 = 1;
/// It sleeps until it is told of work.
const TOLD: u8 = 2;

/// What ended a sleep. Nothing may have but its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ended {
    /// Somebody woke it.
    woken: bool,
    /// The other descriptor is readable.
    other: bool,
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
        let no = || AtomicBool::new(false);
        Ok(Wake { woken: no(), hinted: no(), sleep: AtomicU8::new(AWAKE), event })
    }

    /// Ends a sleep, or the next one. Cheap if no thread sleeps.
    pub fn up(&self) {
        self.woken.store(true, Ordering::SeqCst);
        if self.sleep.load(Ordering::SeqCst) != AWAKE {
            self.ring();
        }
    }

    /// Ends a sleep between two polls, or the next one. A sleep that ends only with work continues.
    pub fn hint(&self) {
        self.hinted.store(true, Ordering::SeqCst);
        if self.sleep.load(Ordering::SeqCst) == BETWEEN_LOOKS {
            self.ring();
        }
    }

    fn ring(&self) {
        let one = 1u64;
        // SAFETY: eight bytes, as an eventfd takes. It cannot be full.
        unsafe { libc::write(self.event.as_raw_fd(), (&raw const one).cast(), 8) };
    }

    /// Sleeps until woken, until `other` is readable, or for `limit`. With a limit, hints wake it too.
    fn sleep(&self, limit: Option<Duration>, other: Option<RawFd>) -> Ended {
        let may_be_there = limit.is_some();
        self.sleep.store(if may_be_there { BETWEEN_LOOKS } else { TOLD }, Ordering::SeqCst);
        let readable = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut files = [readable(self.event.as_raw_fd()), readable(other.unwrap_or(-1))];
        // Whoever sets one of them after this sees that it sleeps.
        if !(self.woken.load(Ordering::SeqCst) || may_be_there && self.hinted.load(Ordering::SeqCst)) {
            let time = limit.map(|limit| libc::timespec {
                tv_sec: limit.as_secs() as libc::time_t,
                tv_nsec: limit.subsec_nanos().into(),
            });
            let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
            // SAFETY: both files are in the array, and the time is valid or null.
            unsafe { libc::ppoll(files.as_mut_ptr(), 2, time, std::ptr::null()) };
        }
        self.sleep.store(AWAKE, Ordering::SeqCst);
        let [rung, other] = files.map(|file| file.revents & libc::POLLIN != 0);
        // Who rings may be late. That ends the next sleep too early, which is no harm.
        if rung {
            let mut count = 0u64;
            // SAFETY: eight bytes, as an eventfd gives; it does not block.
            unsafe { libc::read(self.event.as_raw_fd(), (&raw mut count).cast(), 8) };
        }
        let hinted = self.hinted.swap(false, Ordering::SeqCst) && may_be_there;
        Ended { woken: self.woken.swap(false, Ordering::SeqCst) || hinted, other }
    }
}

/// How long there has been nothing to do.
pub struct Idle {
    active: Instant,
    next: Duration,
    single_cpu: bool,
    /// How long it looks without a pause: [`SPIN`] or [`HOT`].
    spin: Duration,
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
        Idle { active: Instant::now(), next: SHORTEST, single_cpu, spin: SPIN, expects_store: false }
    }

    /// What to do after there was nothing to do for the time `quiet`.
    fn pause(&self, quiet: Duration) -> Pause {
        match (quiet < self.spin, self.expects_store && quiet < ARRIVAL) {
            (true, false) if !self.single_cpu => Pause::Spin,
            (false, false) => Pause::Sleep,
            _ => Pause::GiveWay,
        }
    }

    /// How long it looks from now on, after a store was stopped when there had been nothing to do for the time `quiet`.
    fn after_stop(&self, quiet: Duration) -> Duration {
        // With one CPU the program needs it to come to its next store.
        if quiet < HOT - AWAKENING && !self.single_cpu { HOT } else { SPIN }
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
            Pause::Sleep => (self.expects_store, self.spin) = (false, SPIN),
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
        let ended = wake.sleep(limit, watched);
        if doorbells.lift() && ended.other {
            self.spin = self.after_stop(self.active.elapsed());
            self.active = Instant::now();
            self.next = SHORTEST;
            self.expects_store = true;
        } else if ended.woken {
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

    #[test]
    fn stores_that_come_soon_are_looked_for_and_not_stopped_again() {
        let soon = HOT - AWAKENING - Duration::from_nanos(1);
        for (single_cpu, stopped, spin) in [(false, soon, HOT), (false, HOT, SPIN), (true, soon, SPIN)] {
            assert_eq!(Idle { single_cpu, ..Idle::new() }.after_stop(stopped), spin, "{single_cpu} {stopped:?}");
        }
        for (spin, quiet, pause) in [(SPIN, soon, Pause::Sleep), (HOT, soon, Pause::Spin), (HOT, HOT, Pause::Sleep)] {
            let idle = Idle { single_cpu: false, spin, ..Idle::new() };
            assert_eq!(idle.pause(quiet), pause, "{spin:?} {quiet:?}");
        }
    }
    const FOR_EVER: Option<Duration> = Some(Duration::from_secs(3600));

    #[test]
    fn a_sleep_between_looks_ends_by_a_hint_or_a_call() {
        let wake = Wake::new().unwrap();
        for end in [Wake::hint, Wake::up] {
            end(&wake);
            assert_eq!(wake.sleep(FOR_EVER, None), Ended { woken: true, other: false });
            assert_eq!(wake.sleep(Some(Duration::ZERO), None), Ended { woken: false, other: false });
            std::thread::scope(|scope| {
                let sleeper = scope.spawn(|| wake.sleep(FOR_EVER, None));
                while wake.sleep.load(Ordering::SeqCst) != BETWEEN_LOOKS {
                    std::thread::yield_now();
                }
                end(&wake);
                assert!(sleeper.join().unwrap().woken);
            });
        }
    }

    #[test]
    fn a_sleep_that_ends_when_there_is_work_takes_no_hints() {
        let (wake, doorbell) = (Wake::new().unwrap(), Wake::new().unwrap());
        let watched = Some(doorbell.event.as_raw_fd());
        wake.hint();
        doorbell.ring();
        assert_eq!(wake.sleep(None, watched), Ended { woken: false, other: true });
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| wake.sleep(None, None));
            while wake.sleep.load(Ordering::SeqCst) != TOLD {
                std::thread::yield_now();
            }
            wake.hint();
            let mut count = 0u64;
            // SAFETY: eight bytes, as an eventfd gives; it does not block.
            let read = unsafe { libc::read(wake.event.as_raw_fd(), (&raw mut count).cast(), 8) };
            assert_eq!((read, count), (-1, 0), "nothing was written");
            wake.up();
            assert_eq!(sleeper.join().unwrap(), Ended { woken: true, other: false });
        });
    }
}
