//! Accesses of a wave that are all in one window, by rows of lanes.

use super::Addresses;
use crate::bus::Access;
use crate::exec::memory::{Fault, Host, Memory, OfLane};
use crate::exec::piece::Piece;
use crate::exec::simd::ROW;
use crate::exec::wave::LANES;

/// All lanes of a row.
pub(crate) const FULL_ROW: u64 = (1 << ROW) - 1;

/// The accesses of a wave that are all in one window.
pub(super) struct Coalesced<'a> {
    at: &'a [u64; LANES],
    /// The lanes that access memory.
    mask: u64,
    /// Device and host address of the window.
    start: u64,
    pub host: Host,
}

/// How the lanes of a row access memory.
pub(crate) enum Row {
    /// Side by side.
    Consecutive,
    /// All the same.
    Same,
    Other,
}

impl Row {
    #[inline(always)]
    pub fn of(consecutive: bool, same: bool) -> Row {
        match (consecutive, same) {
            (true, _) => Row::Consecutive,
            (_, true) => Row::Same,
            _ => Row::Other,
        }
    }
}

impl<'a> Coalesced<'a> {
    /// One check per wave, in a loop without branches, instead of one per lane. `None` if they are not in one window.
    #[inline(always)]
    pub fn find<P: Piece, const N: usize>(
        addresses: &'a Addresses,
        memory: &mut Memory,
        access: Access,
    ) -> Result<Option<Coalesced<'a>>, Fault> {
        let mask = addresses.mask[0];
        if mask == 0 || addresses.mask != [mask; 4] {
            return Ok(None);
        }
        let lowest = mask.trailing_zeros() as usize;
        memory.find(addresses.at[lowest], 1, access).map_err(|fault| fault.of_lane(lowest))?;
        let (start, length, host) = memory.newest();
        let extent = u64::from(addresses.stride) * (N as u64 - 1) + P::BYTES;
        let Some(limit) = length.checked_sub(extent) else { return Ok(None) };
        // The bytes of a misaligned access are not side by side where dwords are not.
        let misaligned = if addresses.stride == 4 { 0 } else { 3 & (P::BYTES - 1) };
        let mut outside = 0;
        for (i, at) in addresses.at.iter().enumerate() {
            let enabled = (mask >> i & 1).wrapping_neg();
            outside |= (u64::from(at.wrapping_sub(start) > limit) | at & misaligned) & enabled;
        }
        Ok((outside == 0).then_some(Coalesced { at: &addresses.at, mask, start, host }))
    }

    /// Offset of a lane in the window.
    #[inline(always)]
    pub fn offset(&self, lane: usize) -> usize {
        self.at[lane].wrapping_sub(self.start) as usize
    }

    /// The lanes of row `row` that access memory.
    #[inline(always)]
    pub fn enabled(&self, row: usize) -> u64 {
        (self.mask >> (ROW * row)) & FULL_ROW
    }

    /// How the lanes of row `row` access `size` bytes each.
    #[inline(always)]
    pub fn row(&self, row: usize, size: usize) -> Row {
        let at: &[u64; ROW] = self.at[ROW * row..].first_chunk().unwrap_or(&[0; ROW]);
        let (mut apart, mut differs) = (0, 0);
        for (i, lane) in at.iter().enumerate() {
            let distance = lane.wrapping_sub(at[0]);
            apart |= distance ^ (size * i) as u64;
            differs |= distance;
        }
        Row::of(apart == 0, differs == 0)
    }
}
