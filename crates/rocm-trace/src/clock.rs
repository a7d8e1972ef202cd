//! The clock of events: the processor's time stamp counter if the kernel trusts it, otherwise `CLOCK_MONOTONIC_RAW`,
//! which the driver and the virtual GPU's trace use.
//!
//! The counter (`rdtsc`) costs a third of a call of `clock_gettime`, and a launch reads the clock some 17 times. The
//! kernel computes `CLOCK_MONOTONIC_RAW` from the counter by one factor that never changes, so two moments at which
//! both were read turn one into the other.

use rustix::fs::{Mode, OFlags};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the counter is the clock of this process's events.
static COUNTER: AtomicBool = AtomicBool::new(false);

/// Chooses the clock, before anything is recorded.
pub fn choose() {
    COUNTER.store(kernel_trusts_the_counter(), Ordering::Relaxed);
}

/// The kernel watches the counter: one that stops, or differs from processor to processor, is not its clock source.
fn kernel_trusts_the_counter() -> bool {
    const SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let Ok(file) = rustix::fs::open(SOURCE, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else { return false };
    let mut name = [0; 16];
    rustix::io::read(&file, &mut name).is_ok_and(|bytes| name[..bytes] == *b"tsc\n")
}

/// Whether the counter was chosen.
#[inline]
pub fn is_counter() -> bool {
    COUNTER.load(Ordering::Relaxed)
}

/// The clock of events, in ticks of its own.
#[inline]
pub fn now() -> u64 {
    ticks(is_counter())
}

#[inline]
fn ticks(counter: bool) -> u64 {
    if counter {
        // SAFETY: all processors of x86-64 have it.
        unsafe { core::arch::x86_64::_rdtsc() }
    } else {
        clock(libc::CLOCK_MONOTONIC_RAW)
    }
}

/// A clock of the kernel in nanoseconds.
fn clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Readings of all clocks at one moment.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The clock of events.
    pub ticks: u64,
    /// `CLOCK_MONOTONIC_RAW` in nanoseconds.
    pub raw_ns: u64,
    /// `CLOCK_MONOTONIC` in nanoseconds, the clock of AMD's log.
    pub monotonic_ns: u64,
    /// `CLOCK_REALTIME` in nanoseconds.
    pub real_ns: u64,
}

impl Moment {
    /// This moment, for events that have the counter's times or those of `CLOCK_MONOTONIC_RAW`.
    pub fn now(counter: bool) -> Moment {
        let raw = || clock(libc::CLOCK_MONOTONIC_RAW);
        let (ticks, raw_ns) = if counter {
            at_once(|| ticks(counter), raw)
        } else {
            // One clock, so that times of events stay as they are.
            let now = raw();
            (now, now)
        };
        let at_that_time = |id| {
            let (later, shown) = at_once(raw, || clock(id));
            shown.wrapping_sub(later.wrapping_sub(raw_ns))
        };
        Moment {
            ticks,
            raw_ns,
            monotonic_ns: at_that_time(libc::CLOCK_MONOTONIC),
            real_ns: at_that_time(libc::CLOCK_REALTIME),
        }
    }
}

/// What two clocks show at once: of some tries, the one during which the least time passed. In the others the thread
/// had to wait.
fn at_once(mut first: impl FnMut() -> u64, mut second: impl FnMut() -> u64) -> (u64, u64) {
    const TRIES: usize = 8;
    let tries = [(); TRIES].map(|()| {
        let (before, shown, after) = (first(), second(), first());
        let passed = after.saturating_sub(before);
        (passed, before + passed / 2, shown)
    });
    let [mut best, ..] = tries;
    for other in tries {
        if other.0 < best.0 {
            best = other;
        }
    }
    (best.1, best.2)
}

/// Converts times between two clocks that run at a constant ratio, from two moments at which both were read.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    from: (u64, u64),
    to: (u64, u64),
}

impl Scale {
    /// From two moments, each by the first clock and by the second. If no time passed between them, the clocks are
    /// taken to run at equal speed.
    pub fn new(from: (u64, u64), to: (u64, u64)) -> Scale {
        let even = (from.0.wrapping_add(1), from.1.wrapping_add(1));
        Scale { from, to: if to.0 > from.0 && to.1 > from.1 { to } else { even } }
    }

    /// The second clock's time for one of the first clock, also before and after both moments.
    pub fn convert(&self, time: u64) -> u64 {
        let passed = i128::from(time) - i128::from(self.from.0);
        let of = |from: u64, to: u64| i128::from(to.wrapping_sub(from).max(1));
        let scaled = passed.saturating_mul(of(self.from.1, self.to.1)) / of(self.from.0, self.to.0);
        u64::try_from(i128::from(self.from.1).saturating_add(scaled)).unwrap_or(if passed < 0 { 0 } else { u64::MAX })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clocks_are_read_with_the_least_time_between() {
        // The thread waits in all tries but the third, and there for 10.
        let gaps = [900, 500, 10, 400, 70, 800, 90, 700];
        let time = std::cell::Cell::new(1000_u64);
        let calls = std::cell::Cell::new(0);
        let first = || {
            let call = calls.replace(calls.get() + 1);
            time.set(time.get() + if call % 2 == 1 { gaps[call / 2] / 2 } else { 1 });
            time.get()
        };
        let second = || {
            time.set(time.get() + gaps[calls.get() / 2] / 2);
            time.get() + 1_000_000
        };
        let (own, other) = at_once(first, second);
        assert_eq!(other - own, 1_000_000);
        assert_eq!(own, 1000 + 1 + 900 + 1 + 500 + 1 + 5);
    }

    #[test]
    fn moments_are_in_order_and_of_one_time() {
        for counter in [false, true] {
            let before = clock(libc::CLOCK_MONOTONIC_RAW);
            let (first, second) = (Moment::now(counter), Moment::now(counter));
            let after = clock(libc::CLOCK_MONOTONIC_RAW);
            assert!(first.ticks <= second.ticks && before <= first.raw_ns && second.raw_ns <= after);
            assert!(counter || (first.ticks, second.ticks) == (first.raw_ns, second.raw_ns));
        }
    }

    #[test]
    fn a_scale_goes_through_both_moments_and_past_them() {
        let scale = Scale::new((1000, 50), (4000, 1050));
        assert_eq!([1000, 4000, 2500, 7000, 970].map(|time| scale.convert(time)), [50, 1050, 550, 2050, 40]);
        assert_eq!(scale.convert(0), 0);
        assert_eq!(Scale::new((0, 0), (1, u64::MAX)).convert(u64::MAX), u64::MAX);
        // No time passed, or the moments are nonsense.
        for to in [(1000, 50), (900, 60), (u64::MAX, 0)] {
            assert_eq!(Scale::new((1000, 50), to).convert(1007), 57);
        }
        assert_eq!(Scale::new((u64::MAX, u64::MAX), (0, 0)).convert(3), 3);
    }
}
