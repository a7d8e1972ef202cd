//! The device's clocks, all derived from the host's `CLOCK_MONOTONIC_RAW` so that they agree with each other.

/// Frequency of the constant counter (`s_memrealtime`, timestamps in signals and of SDMA), in Hz.
pub const GPU_CLOCK_HZ: u64 = 100_000_000;

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

/// The device's constant counter: ticks of [`GPU_CLOCK_HZ`].
pub fn gpu_ticks() -> u64 {
    monotonic_raw_ns() / (1_000_000_000 / GPU_CLOCK_HZ)
}
