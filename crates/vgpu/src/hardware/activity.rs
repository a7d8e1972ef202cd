//! The utilisation of a GPU: counters in shared memory, for other processes.

use crate::backing::{Backing, PAGE};
use crate::errno::Errno;
use crate::locks::lock;
use crate::time::monotonic_raw_ns;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The average of how busy a GPU is forgets what was longer ago than this, in nanoseconds: AMD does not say what its
/// firmware takes.
const MEMORY: f64 = 250e6;
/// Times are in units of 16 ns, so that years fit.
const TIME_UNIT: u32 = 4;
const TIME_BITS: u32 = 52;
const TIME: u64 = (1 << TIME_BITS) - 1;
const BUSY: u64 = 1 << 63;
/// The average, from 0 to this, is between the time and the highest bit.
const WHOLE: f64 = 2047.0;

/// The activity of one GPU for one process. Any process may read the numbers at any time.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Activity {
    /// Whether waves run, since when, and how long they ran on average before: one word, so that it is never seen half
    /// changed.
    busy: AtomicU64,
    waves: AtomicU64,
    sdma: AtomicU64,
}

impl Activity {
    /// The share of the last time in which waves ran, 0 to 1.
    pub fn busy(&self) -> f64 {
        self.busy_at(monotonic_raw_ns())
    }

    fn busy_at(&self, now: u64) -> f64 {
        let word = self.busy.load(Ordering::Relaxed);
        let elapsed = (now >> TIME_UNIT).wrapping_sub(word & TIME) & TIME;
        // It changed after `now`.
        let elapsed = if elapsed > TIME / 2 { 0 } else { elapsed << TIME_UNIT };
        let average = ((word & !BUSY) >> TIME_BITS) as f64 / WHOLE;
        after(average, word & BUSY != 0, elapsed)
    }

    /// Waves that are on the compute units.
    pub fn waves(&self) -> u64 {
        self.waves.load(Ordering::Relaxed)
    }

    /// Time that SDMA engines have worked, in nanoseconds.
    pub fn sdma_ns(&self) -> u64 {
        self.sdma.load(Ordering::Relaxed)
    }

    /// Waves come to the compute units.
    pub fn add_waves(&self, waves: u32) {
        self.waves.fetch_add(waves.into(), Ordering::Relaxed);
    }

    /// Waves leave the compute units.
    pub fn remove_waves(&self, waves: u32) {
        self.waves.fetch_sub(waves.into(), Ordering::Relaxed);
    }

    /// Adds the time that an SDMA engine worked, in nanoseconds.
    pub fn add_sdma(&self, ns: u64) {
        self.sdma.fetch_add(ns, Ordering::Relaxed);
    }

    /// Nothing was ever done.
    pub fn reset(&self) {
        [&self.busy, &self.waves, &self.sdma].into_iter().for_each(|number| number.store(0, Ordering::Relaxed));
    }
}

/// The average `ns` nanoseconds later, if the GPU was busy meanwhile or not.
fn after(average: f64, busy: bool, ns: u64) -> f64 {
    let to = if busy { 1.0 } else { 0.0 };
    to + (average - to) * (-(ns as f64) / MEMORY).exp()
}

/// Keeps the average of how busy a GPU is, in more digits than it shows.
#[derive(Debug, Default)]
struct Meter {
    average: f64,
    /// How many have begun and not ended.
    users: u32,
    since: u64,
}

impl Meter {
    fn set(&mut self, users: u32, now: u64, shown: &Activity) {
        let average = after(self.average, self.users > 0, now.saturating_sub(self.since));
        *self = Meter { average, users, since: now };
        let busy = users > 0;
        let digits = ((average * WHOLE) as u64) << TIME_BITS;
        let word = digits | (now >> TIME_UNIT & TIME) | if busy { BUSY } else { 0 };
        shown.busy.store(word, Ordering::Relaxed);
    }
}

/// An [`Activity`] in a memory file, with the bookkeeping of this process, which alone changes it.
#[derive(Debug)]
pub struct Shown {
    memory: Arc<Backing>,
    offset: usize,
    meter: Mutex<Meter>,
}

impl Shown {
    /// An activity in private memory, which no other process sees.
    ///
    /// # Errors
    /// What the host says.
    pub fn alone() -> Result<Shown, Errno> {
        Ok(Shown::at(Arc::new(Backing::new(c"vgpu-activity", PAGE)?), 0))
    }

    /// The one `offset` bytes from the start of `memory`.
    ///
    /// # Panics
    /// If it is not in the memory, or not aligned.
    pub fn at(memory: Arc<Backing>, offset: usize) -> Shown {
        assert!(offset.is_multiple_of(align_of::<Activity>()), "activities are aligned");
        assert!((offset + size_of::<Activity>()) as u64 <= memory.size(), "activities are in the memory");
        Shown { memory, offset, meter: Mutex::default() }
    }

    /// Waves begin to run. Goes with an [`Shown::end`].
    pub fn begin(&self) {
        let mut meter = lock(&self.meter);
        let users = meter.users + 1;
        meter.set(users, monotonic_raw_ns(), self);
    }

    /// The waves of a [`Shown::begin`] have ended.
    pub fn end(&self) {
        let mut meter = lock(&self.meter);
        let users = meter.users.saturating_sub(1);
        meter.set(users, monotonic_raw_ns(), self);
    }
}

impl Deref for Shown {
    type Target = Activity;

    fn deref(&self) -> &Activity {
        // SAFETY: in the mapping, which lives as long as `self`, and aligned, as `at` checked; any bytes are atomic
        // integers.
        unsafe { &*self.memory.host().add(self.offset).cast::<Activity>() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const START: u64 = 1 << 45;

    #[test]
    fn the_average_follows_what_the_gpu_does() {
        let (mut meter, shown) = (Meter::default(), Activity::default());
        assert_eq!(shown.busy_at(START), 0.0);
        meter.set(1, START, &shown);
        assert!(shown.busy_at(START) < 0.01);
        assert!((0.62..0.64).contains(&shown.busy_at(START + 250 * MS)), "{}", shown.busy_at(START + 250 * MS));
        assert!(shown.busy_at(START + 2000 * MS) > 0.99);
        meter.set(0, START + 2000 * MS, &shown);
        assert!(shown.busy_at(START + 2000 * MS) > 0.99);
        assert!((0.36..0.38).contains(&shown.busy_at(START + 2250 * MS)));
        assert!(shown.busy_at(START + 5000 * MS) < 0.01);
        // Who looked before it changed.
        assert!(shown.busy_at(START + 1999 * MS) > 0.99);
    }

    /// A third of the time, in portions too short to show one by one.
    #[test]
    fn short_work_counts() {
        let (mut meter, shown) = (Meter::default(), Activity::default());
        let mut now = START;
        for _ in 0..500_000 {
            meter.set(1, now, &shown);
            meter.set(0, now + 1000, &shown);
            now += 3000;
        }
        assert!((0.32..0.345).contains(&shown.busy_at(now)), "{}", shown.busy_at(now));
    }
}
