//! Coalesced accesses: all lanes within one memory window, handled in rows of lanes.

use crate::interp::vmem::addresses::Addresses;
use crate::machine::bus::Access;
use crate::machine::memory::{Fault, Host, Memory, OfLane};
use gcn_alu::simd::{ROW, Vectored, vectored};
use gcn_alu::wave::LANES;
use std::hint::black_box;

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
    looked: Looked,
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
    /// Finds one window for all lanes with one check in a loop without branches. `None` if the lanes are not in one
    /// window. `bytes` is the size of a lane's access to each of `registers` registers. Rows are runs of lanes with
    /// `SIZE` bytes each, side by side.
    #[inline(always)]
    pub fn find<const SIZE: u64>(
        addresses: &'a Addresses,
        memory: &mut Memory,
        access: Access,
        registers: usize,
        bytes: u64,
    ) -> Result<Option<Coalesced<'a>>, Fault> {
        let mask = addresses.mask[0];
        if mask == 0 || addresses.mask != [mask; 4] {
            return Ok(None);
        }
        let lowest = mask.trailing_zeros() as usize;
        memory.find(addresses.at[lowest], 1, access).map_err(|fault| fault.of_lane(lowest))?;
        let (start, length, host) = memory.newest();
        let extent = u64::from(addresses.stride) * (registers as u64 - 1) + bytes;
        let Some(limit) = length.checked_sub(extent) else { return Ok(None) };
        // The bytes of a misaligned access are not side by side where dwords are not.
        let misaligned = if addresses.stride == 4 { 0 } else { 3 & (bytes - 1) };
        let at = &addresses.at;
        let looked = vectored(Look::<SIZE> { at, mask, start, limit, misaligned });
        Ok(looked.inside.then_some(Coalesced { at, mask, start, host, looked }))
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

    /// How the lanes of row `row` access memory.
    #[inline(always)]
    pub fn row(&self, row: usize) -> Row {
        Row::of(self.looked.consecutive >> row & 1 != 0, self.looked.same >> row & 1 != 0)
    }
}

/// What [`Look`] finds; small enough for registers.
#[derive(Clone, Copy, Default)]
struct Looked {
    /// The accesses of all lanes of the mask start at most `limit` bytes behind `start`, with no bit of `misaligned` in
    /// their addresses.
    inside: bool,
    /// Rows that access `SIZE` bytes a lane, side by side: a bit each.
    consecutive: u32,
    /// Rows whose lanes all access the same.
    same: u32,
}

/// Looks where the lanes of a mask access `SIZE` bytes each.
struct Look<'a, const SIZE: u64> {
    at: &'a [u64; LANES],
    mask: u64,
    start: u64,
    limit: u64,
    misaligned: u64,
}

impl<const SIZE: u64> Vectored for Look<'_, SIZE> {
    type Out = Looked;
    #[inline(always)]
    fn run(self) -> Looked {
        let mut outside = 0;
        if self.mask == u64::MAX {
            for at in self.at {
                outside |= u64::from(at.wrapping_sub(self.start) > self.limit) | at & self.misaligned;
            }
        } else {
            for (i, at) in self.at.iter().enumerate() {
                let enabled = (self.mask >> i & 1).wrapping_neg();
                outside |= (u64::from(at.wrapping_sub(self.start) > self.limit) | at & self.misaligned) & enabled;
            }
        }
        if outside != 0 {
            return Looked::default();
        }
        let mut looked = Looked { inside: true, consecutive: 0, same: 0 };
        // Otherwise the compiler makes vectors of the rows, and gathers their lanes.
        let count = black_box(LANES / ROW);
        for (row, at) in self.at.as_chunks::<ROW>().0.iter().enumerate().take(count) {
            let (mut apart, mut differs) = (0, 0);
            for (i, lane) in at.iter().enumerate() {
                let distance = lane.wrapping_sub(at[0]);
                apart |= distance ^ (SIZE * i as u64);
                differs |= distance;
            }
            looked.consecutive |= u32::from(apart == 0) << row;
            looked.same |= u32::from(differs == 0) << row;
        }
        looked
    }
}
