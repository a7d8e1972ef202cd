//! Strided accesses, the most frequent kind: a constant distance between the addresses of neighbouring lanes.

use crate::machine::bus::Access;
use crate::machine::memory::{Fault, Host, Memory, OfLane};
use gcn_alu::simd::{Vectored, vectored};
use gcn_alu::wave::LANES;

/// Whether the low halves of all lanes' offsets have `step` between them, and their high ones are the same.
struct Even<'a> {
    low: &'a [u32; LANES],
    high: Option<&'a [u32; LANES]>,
    step: u32,
}

impl Vectored for Even<'_> {
    type Out = bool;
    #[inline(always)]
    fn run(self) -> bool {
        let mut differs = 0;
        for (i, low) in self.low.iter().enumerate() {
            differs |= low.wrapping_sub(self.low[0]) ^ self.step.wrapping_mul(i as u32);
        }
        if let Some(halves) = self.high {
            for high in halves {
                differs |= high ^ halves[0];
            }
        }
        differs == 0
    }
}

/// All lanes' addresses, as the first one and the distance from each lane to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub start: u64,
    pub step: u32,
}

impl Run {
    /// The addresses `base` plus an offset for each lane, if they form a run with the same high half (if any) in all
    /// lanes.
    #[inline(always)]
    pub fn of(base: u64, low: &[u32; LANES], high: Option<&[u32; LANES]>) -> Option<Run> {
        let (start, step) = (low[0], low[1].wrapping_sub(low[0]));
        let base = base.wrapping_add(high.map_or(0, |high| u64::from(high[0]) << 32));
        let last = u64::from(start) + u64::from(step) * (LANES as u64 - 1);
        (last <= u64::from(u32::MAX) && vectored(Even { low, high, step }))
            .then_some(Run { start: base.wrapping_add(u64::from(start)), step })
    }

    /// The last lane's address.
    #[inline(always)]
    pub fn last(self) -> u64 {
        self.start.wrapping_add(u64::from(self.step) * (LANES as u64 - 1))
    }

    /// The host memory of `bytes` in each lane, if it is one piece.
    #[inline(always)]
    pub fn find(self, memory: &mut Memory, bytes: u64, access: Access) -> Result<Option<Host>, Fault> {
        let length = u64::from(self.step) * (LANES as u64 - 1) + bytes;
        memory.find(self.start, length, access).map_err(|fault| fault.of_lane(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(of: impl Fn(u32) -> u32) -> [u32; LANES] {
        std::array::from_fn(|i| of(i as u32))
    }

    #[test]
    fn runs_start_at_the_base_plus_the_first_offset() {
        for step in [0, 1, 4, 260, 1 << 20] {
            let run = Run::of(0x7000_0000_0000, &lanes(|i| 100 + i * step), Some(&[2; LANES]));
            assert_eq!(run, Some(Run { start: 0x7002_0000_0064, step }));
            assert_eq!(run.map(Run::last), Some(0x7002_0000_0064 + 63 * u64::from(step)));
        }
        assert_eq!(Run::of(u64::MAX, &lanes(|i| 8 * i + 5), None), Some(Run { start: 4, step: 8 }));
    }

    #[test]
    fn an_overflow_of_the_low_half_is_no_run() {
        // The carry would be in the high half, which is the same in all lanes here.
        let highest = u32::MAX - 63 * 4;
        assert_eq!(Run::of(0, &lanes(|i| highest + 4 * i), None), Some(Run { start: u64::from(highest), step: 4 }));
        assert_eq!(Run::of(0, &lanes(|i| (highest + 1).wrapping_add(4 * i)), None), None);
        assert_eq!(Run::of(0, &lanes(|i| 1000 - 4 * i), Some(&[9; LANES])), None);
    }

    #[test]
    fn one_lane_elsewhere_is_no_run() {
        for lane in 0..LANES {
            let (mut low, mut high) = (lanes(|i| 4 * i), [7; LANES]);
            high[lane] ^= 0x8000_0000;
            assert_eq!(Run::of(0, &low, Some(&high)), None, "high half of lane {lane}");
            low[lane] ^= 0x4000_0000;
            assert_eq!(Run::of(0, &low, None), None, "low half of lane {lane}");
        }
    }
}
