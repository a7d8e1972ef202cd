//! The last instructions of the waves of a work-group, to print with a finding (`vgpu check --replay`).

use crate::locks::lock;
use std::collections::VecDeque;
use std::sync::Mutex;

/// How many are kept of each wave: the other access of a race may be long ago.
const KEPT: usize = 1 << 14;

/// How many are told with an access, of which the last is the access.
const TOLD: usize = 16;

/// Addresses of instructions, by wave, the newest last.
#[derive(Default)]
pub struct Trails(Mutex<Vec<VecDeque<u64>>>);

impl Trails {
    /// `wave` executes the instruction at `pc`.
    pub fn step(&self, wave: u32, pc: u64) {
        let mut waves = lock(&self.0);
        let wave = wave as usize;
        if waves.len() <= wave {
            waves.resize_with(wave + 1, VecDeque::new);
        }
        if waves[wave].len() == KEPT {
            waves[wave].pop_front();
        }
        waves[wave].push_back(pc);
    }

    /// The last instructions of `wave` up to its latest execution of the instruction at `pc`. Empty if they were not
    /// kept.
    pub fn until(&self, wave: u32, pc: u64) -> Vec<u64> {
        let waves = lock(&self.0);
        let Some(steps) = waves.get(wave as usize) else { return Vec::new() };
        let Some(last) = steps.iter().rposition(|step| *step == pc) else { return Vec::new() };
        steps.range((last + 1).saturating_sub(TOLD)..=last).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_ends_with_the_access() {
        let trails = Trails::default();
        for round in 0..2 {
            (0..100).for_each(|step| trails.step(1, 0x1000 * round + 4 * step));
        }
        assert_eq!(trails.until(1, 0x1000 + 4 * 20), (5..=20).map(|step| 0x1000 + 4 * step).collect::<Vec<_>>());
        assert_eq!(trails.until(1, 4 * 3), [0, 4, 8, 12]);
        assert_eq!(trails.until(1, 0x5000), []);
        assert_eq!((trails.until(0, 0), trails.until(2, 0)), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_is_long_ago_is_not_kept() {
        let trails = Trails::default();
        (0..KEPT as u64 + 10).for_each(|step| trails.step(0, step));
        assert_eq!(trails.until(0, 9), []);
        assert_eq!(trails.until(0, 10), [10]);
    }
}
