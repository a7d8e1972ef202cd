//! The device's clocks, all derived from the host's `CLOCK_MONOTONIC_RAW` so that they agree with each other.

use crate::time::monotonic_raw_ns;

/// Frequency of the constant counter (`s_memrealtime`, timestamps in signals and of SDMA), in Hz.
pub const GPU_CLOCK_HZ: u64 = 100_000_000;

/// The device's constant counter: ticks of [`GPU_CLOCK_HZ`].
pub fn gpu_ticks() -> u64 {
    monotonic_raw_ns() / (1_000_000_000 / GPU_CLOCK_HZ)
}

/// Ticks of a clock of `mhz` in `ns` nanoseconds.
pub fn ticks(ns: u64, mhz: u32) -> u64 {
    // Not `ns * mhz / 1000`, which has more than 64 bits after months of uptime.
    ns / 1000 * u64::from(mhz) + ns % 1000 * u64::from(mhz) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_for_years() {
        const YEAR: u64 = 365 * 24 * 3600 * 1_000_000_000;
        assert_eq!(ticks(1999, 1502), 3002);
        assert_eq!(u128::from(ticks(100 * YEAR + 1999, 1502)), u128::from(100 * YEAR + 1999) * 1502 / 1000);
    }
}
