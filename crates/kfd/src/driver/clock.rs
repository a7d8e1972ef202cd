//! The GPU's clock in nanoseconds of the host's.

use std::time::{Duration, Instant};

use kfd_sys::*;

use super::{OpenGpu, lock, request};
use crate::{Error, Result};

/// When a dispatch ran, as time of `CLOCK_MONOTONIC_RAW`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DispatchTime {
    /// Its first wave began.
    pub start: Duration,
    /// Its last wave ended.
    pub end: Duration,
}

/// Both clocks at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    ticks: u64,
    nanoseconds: u64,
}

/// Pairs of readings of both clocks, the first and the latest. The rate between them is exact over a long time, so it
/// holds for the drift of the two; the nominal rate of the GPU's clock is not needed.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    first: Option<Sample>,
    latest: Option<Sample>,
}

/// Two readings less far apart than this give no good rate: a reading is some hundred nanoseconds off.
const SHORTEST_BASE: u64 = 10_000_000;

impl Clock {
    /// Takes a reading in.
    fn add(&mut self, sample: Sample) {
        if self.first.is_none() {
            self.first = Some(sample);
        }
        self.latest = Some(sample);
    }

    /// The host's time at `ticks`; `None` if readings have to be taken first.
    fn nanoseconds(&self, ticks: u64) -> Option<u64> {
        let (first, latest) = (self.first?, self.latest?);
        let base = latest.nanoseconds.checked_sub(first.nanoseconds)?;
        let base_ticks = latest.ticks.checked_sub(first.ticks)?;
        if base < SHORTEST_BASE || base_ticks == 0 || ticks > latest.ticks {
            return None;
        }
        // From the latest reading backwards, or for what is longer ago, from the first on: the rate is that of both.
        let back = u128::from(latest.ticks - ticks) * u128::from(base) / u128::from(base_ticks);
        Some(latest.nanoseconds.saturating_sub(u64::try_from(back).unwrap_or(u64::MAX)))
    }
}

impl OpenGpu {
    /// The time of `CLOCK_MONOTONIC_RAW` at a count of the GPU's clock.
    pub fn monotonic_raw(&self, ticks: u64) -> Result<Duration> {
        /// Readings until one is late enough: the first few make the base.
        const READINGS: u32 = 16;
        // The lock may have been held when the process forked.
        self.driver.check_fork()?;
        let mut clock = lock(&self.clock);
        for _ in 0..READINGS {
            if let Some(nanoseconds) = clock.nanoseconds(ticks) {
                return Ok(Duration::from_nanos(nanoseconds));
            }
            if clock.first.is_some() {
                std::thread::sleep(Duration::from_nanos(SHORTEST_BASE / 4));
            }
            clock.add(self.sample()?);
        }
        Err(Error::Value { subject: "a time stamp", value: ticks, expected: "of the past, by the GPU's clock" })
    }

    /// Takes the first reading, so that later ones are far from it.
    pub fn start_clock(&self) -> Result<()> {
        let mut clock = lock(&self.clock);
        if clock.first.is_none() {
            clock.add(self.sample()?);
        }
        Ok(())
    }

    fn sample(&self) -> Result<Sample> {
        /// What a reading takes when nothing comes between.
        const UNDISTURBED: Duration = Duration::from_micros(20);
        const TRIES: u32 = 4;
        let mut best = (Duration::MAX, Sample { ticks: 0, nanoseconds: 0 });
        for _ in 0..TRIES {
            let mut args = kfd_ioctl_get_clock_counters_args { gpu_id: self.id(), ..Default::default() };
            let subject = "both clocks";
            let start = Instant::now();
            request!(self.driver, AMDKFD_IOC_GET_CLOCK_COUNTERS, amdkfd_ioc_get_clock_counters, subject, &mut args)?;
            let took = start.elapsed();
            // `cpu_clock_counter` is ktime_get_raw_ns() of Linux: CLOCK_MONOTONIC_RAW. It was read as long after the
            // other at most.
            let sample = Sample { ticks: args.gpu_clock_counter, nanoseconds: args.cpu_clock_counter };
            if took < best.0 {
                best = (took, sample);
            }
            if took <= UNDISTURBED {
                break;
            }
        }
        Ok(best.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_drifts_is_followed() {
        let mut clock = Clock::default();
        assert_eq!(clock.nanoseconds(5), None);
        clock.add(Sample { ticks: 1_000, nanoseconds: 7_000 });
        assert_eq!(clock.nanoseconds(1_000), None, "one reading has no rate");
        // 100 MHz that runs 50 ppm fast, over 100 s.
        clock.add(Sample { ticks: 1_000 + 10_000_500_000, nanoseconds: 7_000 + 100_000_000_000 });
        assert_eq!(clock.nanoseconds(1_000 + 10_000_500_000), Some(100_000_007_000));
        assert_eq!(clock.nanoseconds(1_000 + 5_000_250_000), Some(50_000_007_000));
        assert_eq!(clock.nanoseconds(1_000), Some(7_000));
        assert_eq!(clock.nanoseconds(u64::MAX), None, "after the latest reading: another is needed");
    }
}
