//! A sleep that signals interrupt as they interrupt a system call.

use crate::descriptors::Descriptor;
use crate::errno::Errno;
use crate::locks::lock;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A timer that one thread sleeps on and others let go off early.
///
/// Reading a timer is one of the calls which the kernel restarts after a signal handler that was installed with
/// `SA_RESTART`, and ends with `EINTR` after others, whatever the time limit. A wait on a futex with a time limit
/// always ends with `EINTR`.
///
/// A sleep that ends too early is no harm. So the timer stays as it is where it goes off soon enough and not much too
/// soon, and whenever it has gone off it is set for [`LONGEST`] later. AMD's thunk waits for so long if it is to wait
/// for ever: then only what rings makes a system call.
#[derive(Debug)]
pub struct Alarm {
    timer: Descriptor,
    /// When it goes off, or went off last. `None`: it was never set.
    at: Mutex<Option<Instant>>,
}

/// The longest limit that a wait can have, but for none at all.
pub const LONGEST: Duration = Duration::from_millis(0x7fff_ffff);

impl Alarm {
    /// An alarm that is not set.
    ///
    /// # Errors
    /// What the host says when there are too many open files.
    pub fn new() -> Result<Alarm, Errno> {
        // SAFETY: plain system call.
        let fd = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_CLOEXEC) };
        if fd < 0 {
            return Err(Errno::last());
        }
        // SAFETY: `fd` is new and ours.
        Ok(Alarm { timer: Descriptor::new(unsafe { OwnedFd::from_raw_fd(fd) }), at: Mutex::new(None) })
    }

    /// Lets it go off after `time` or earlier, or only when it is rung.
    pub fn set(&self, time: Option<Duration>) {
        let Some(time) = time else { return };
        let now = Instant::now();
        if !lock(&self.at).is_some_and(|at| (time / 2..=time).contains(&left(at, now))) {
            self.go_off(time, now);
        }
    }

    /// Lets it go off now.
    pub fn ring(&self) {
        self.go_off(Duration::ZERO, Instant::now());
    }

    fn go_off(&self, time: Duration, now: Instant) {
        *lock(&self.at) = Some(now + time);
        let setting = libc::itimerspec { it_interval: timespec(LONGEST), it_value: timespec(time) };
        // SAFETY: a valid setting; the old one is not asked for.
        unsafe { libc::timerfd_settime(self.timer.as_raw_fd(), 0, &setting, std::ptr::null_mut()) };
    }

    /// Sleeps until it goes off.
    ///
    /// # Errors
    /// `EINTR` if a signal handler without `SA_RESTART` ran.
    pub fn sleep(&self) -> Result<(), Errno> {
        let mut count = 0u64;
        // SAFETY: eight bytes, as a timer gives.
        if unsafe { libc::read(self.timer.as_raw_fd(), (&raw mut count).cast(), 8) } < 0 {
            return Err(Errno::last());
        }
        Ok(())
    }
}

/// How long it is from `now` until a timer goes off that was set for `at`.
fn left(at: Instant, now: Instant) -> Duration {
    match at.checked_duration_since(now) {
        Some(left) if !left.is_zero() => left,
        _ => LONGEST.saturating_sub(now - at),
    }
}

/// A time for a timer, of which 0 is off.
fn timespec(time: Duration) -> libc::timespec {
    let time = time.max(Duration::from_nanos(1));
    libc::timespec { tv_sec: time.as_secs() as libc::time_t, tv_nsec: time.subsec_nanos().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When it goes off next, from now.
    fn next(alarm: &Alarm) -> Duration {
        let mut setting = std::mem::MaybeUninit::<libc::itimerspec>::uninit();
        // SAFETY: it is written before it is read.
        let setting = unsafe {
            assert_eq!(libc::timerfd_gettime(alarm.timer.as_raw_fd(), setting.as_mut_ptr()), 0);
            setting.assume_init()
        };
        Duration::new(setting.it_value.tv_sec as u64, setting.it_value.tv_nsec as u32)
    }

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn it_is_set_only_if_it_would_go_off_too_late_or_much_too_soon() {
        let alarm = Alarm::new().unwrap();
        alarm.set(None);
        assert_eq!(next(&alarm), Duration::ZERO, "never");
        for (limit, at_most) in [
            (seconds(10_000), seconds(10_000)),
            (seconds(15_000), seconds(10_000)),
            (seconds(9_000), seconds(9_000)),
            (seconds(30_000), seconds(30_000)),
        ] {
            alarm.set(Some(limit));
            // The test does not take so long.
            assert!((at_most - seconds(1_000)..=at_most).contains(&next(&alarm)), "{limit:?}: {:?}", next(&alarm));
        }
    }

    #[test]
    fn what_has_gone_off_is_set_for_the_longest_wait() {
        let alarm = Alarm::new().unwrap();
        alarm.ring();
        alarm.sleep().unwrap();
        let before = next(&alarm);
        assert!((LONGEST - seconds(1_000)..=LONGEST).contains(&before), "{before:?}");
        alarm.set(Some(LONGEST));
        assert!(next(&alarm) <= before, "it was set anew");
        let (at, now) = (Instant::now(), Instant::now() + seconds(7));
        assert_eq!(left(at + seconds(9), at), seconds(9));
        assert_eq!(left(at, at), LONGEST);
        assert!(left(at, now) <= LONGEST - seconds(7));
        assert_eq!(left(at, at + LONGEST + seconds(1)), Duration::ZERO);
    }
}
