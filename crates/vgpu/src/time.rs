//! The host's clocks.

fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec to write to.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The host's raw monotonic time, in nanoseconds.
pub fn monotonic_raw_ns() -> u64 {
    nanoseconds(libc::CLOCK_MONOTONIC_RAW)
}

/// Time since the host booted, suspend included, in nanoseconds.
pub fn boottime_ns() -> u64 {
    nanoseconds(libc::CLOCK_BOOTTIME)
}
