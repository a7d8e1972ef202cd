//! Threads of the program that sleep until the device changes a signal.

use std::sync::atomic::{AtomicU32, Ordering};

/// How often the device has changed a signal.
static CHANGES: AtomicU32 = AtomicU32::new(0);
static SLEEPERS: AtomicU32 = AtomicU32::new(0);

const WAKE: libc::c_int = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
const WAIT: libc::c_int = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;

/// Longest time between two looks. Waves change signals too, and so do the program and other processes, of which nobody
/// is told here.
static LONGEST: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };

/// A signal was changed: every sleeper checks its own.
pub fn wake() {
    // Here a change is counted and then sleepers are looked for, there it is the other way round: one side sees the
    // other.
    CHANGES.fetch_add(1, Ordering::SeqCst);
    if SLEEPERS.load(Ordering::SeqCst) != 0 {
        // SAFETY: the word is there for ever.
        unsafe { libc::syscall(libc::SYS_futex, CHANGES.as_ptr(), WAKE, i32::MAX) };
    }
}

/// Sleeps until `look` finds something, which it is asked for whenever a signal was changed. `None` once `is_over`.
pub fn sleep<T>(mut look: impl FnMut() -> Option<T>, is_over: impl Fn() -> bool) -> Option<T> {
    SLEEPERS.fetch_add(1, Ordering::SeqCst);
    let found = loop {
        let changes = CHANGES.load(Ordering::SeqCst);
        let found = look();
        if found.is_some() || is_over() {
            break found;
        }
        // SAFETY: the word and the time are there for ever. Why it returns does not matter.
        unsafe { libc::syscall(libc::SYS_futex, CHANGES.as_ptr(), WAIT, changes, &raw const LONGEST) };
    };
    SLEEPERS.fetch_sub(1, Ordering::SeqCst);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_sleeper_sees_each_change_of_its_own() {
        let signal = AtomicU32::new(0);
        std::thread::scope(|scope| {
            let sleepers: Vec<_> = (1..=3)
                .map(|wanted| {
                    let signal = &signal;
                    scope.spawn(move || {
                        sleep(|| Some(signal.load(Ordering::SeqCst)).filter(|now| *now >= wanted), || false)
                    })
                })
                .collect();
            for value in 1..=3 {
                while SLEEPERS.load(Ordering::SeqCst) == 0 {
                    std::thread::yield_now();
                }
                signal.store(value, Ordering::SeqCst);
                wake();
            }
            for (sleeper, wanted) in sleepers.into_iter().zip(1..) {
                assert!(sleeper.join().unwrap().is_some_and(|seen| seen >= wanted));
            }
        });
    }

    #[test]
    fn a_sleep_ends_with_its_time_though_nobody_wakes() {
        let start = Instant::now();
        let limit = Duration::from_millis(3);
        assert_eq!(sleep(|| None::<()>, || start.elapsed() >= limit), None);
        assert!(start.elapsed() >= limit);
    }
}
