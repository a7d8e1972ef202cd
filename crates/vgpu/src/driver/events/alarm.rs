//! A sleep that signals end as they end a system call of the driver.

use crate::descriptors::Descriptor;
use crate::errno::Errno;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A timer that one thread sleeps on and others let go off early.
///
/// Reading a timer is one of the calls which the kernel restarts after a signal handler that was installed with `SA_RESTART`, and ends with
/// `EINTR` after others, whatever the time limit. A wait on a futex with a time limit always ends with `EINTR`.
#[derive(Debug)]
pub struct Alarm {
    timer: Descriptor,
    /// It was set and has not gone off since, as far as its sleeper knows. So it may yet go off when nobody expects it; a sleep that ends too early is
    /// no harm.
    set: AtomicBool,
}

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
        Ok(Alarm { timer: Descriptor::new(unsafe { OwnedFd::from_raw_fd(fd) }), set: AtomicBool::new(false) })
    }

    /// Lets it go off after `time`, or only when it is rung. That it was rung before is forgotten, perhaps.
    pub fn set(&self, time: Option<Duration>) {
        if !self.set.swap(time.is_some(), Ordering::Relaxed) && time.is_none() {
            return;
        }
        // A timer of 0 is off.
        let time = time.map_or(Duration::ZERO, |time| time.max(Duration::from_nanos(1)));
        let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let at = libc::timespec { tv_sec: time.as_secs() as libc::time_t, tv_nsec: time.subsec_nanos().into() };
        let setting = libc::itimerspec { it_interval: none, it_value: at };
        // SAFETY: a valid setting; the old one is not asked for.
        unsafe { libc::timerfd_settime(self.timer.as_raw_fd(), 0, &setting, std::ptr::null_mut()) };
    }

    /// Lets it go off now.
    pub fn ring(&self) {
        self.set(Some(Duration::ZERO));
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
        self.set.store(false, Ordering::Relaxed);
        Ok(())
    }
}
