//! The device-memory accesses of an instruction, for race detection.

use crate::machine::bus::Access;
use crate::sanitizer::race::shadow::{Unit, until_next_block};
use gcn_alu::wave::{Wave, vector_index};
use gcn_isa::inst::{Format, Inst};
use std::ops::Range;

/// Bytes of a dword.
pub(crate) const DWORD: u32 = 4;

/// What lanes do to a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Device address of the dword.
    pub address: u64,
    /// The accessed bytes of the dword, one bit each.
    pub bytes: u8,
    pub lane: u8,
}

/// Bytes of a block that lie side by side, and that lanes one behind the other access: most waves have a few runs, not
/// a place for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Device address of the first byte.
    pub start: u64,
    pub bytes: u32,
    /// The lane that accesses the first one.
    pub lane: u8,
    /// Bytes of the lane's access that are in the block before.
    pub before: u32,
}

impl Run {
    /// The dwords in a `range` of its bytes, of which each lane has `unit`. A dword has a part for each lane, and for
    /// each of the lane's own dwords.
    #[inline]
    pub fn parts(self, unit: Unit, range: Range<u32>) -> impl Iterator<Item = Part> {
        let mut next = range.start;
        // Those of a lane that are in one of its dwords.
        let piece = unit.bytes().min(DWORD);
        std::iter::from_fn(move || {
            if next >= range.end {
                return None;
            }
            let at = self.start.wrapping_add(next.into());
            let (skipped, place) = unit.of(self.before + next);
            let first = at as u32 % DWORD;
            let count = (DWORD - first).min(piece - (place & (piece - 1))).min(range.end - next);
            next += count;
            let bytes = ((1u8 << count) - 1) << first;
            Some(Part { address: at & !u64::from(DWORD - 1), bytes, lane: self.lane + skipped })
        })
    }
}

/// What an instruction is about to do to device memory.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub access: Access,
    /// Whether it acquires: an atomic returns the old value, and a load sees stores of other compute units.
    pub takes: bool,
    /// The unit of each lane in a run.
    pub unit: Unit,
    /// In the order of the lanes.
    pub runs: Vec<Run>,
}

impl Touch {
    /// Adds the run of `bytes` bytes from `start` on: one for each block that it is in.
    pub fn push(&mut self, start: u64, bytes: u32, lane: usize) {
        let (mut start, mut left, mut place) = (start, bytes, 0);
        while left != 0 {
            let bytes = left.min(until_next_block(start));
            let (skipped, before) = self.unit.of(place);
            self.runs.push(Run { start, bytes, lane: lane as u8 + skipped, before });
            (start, left, place) = (start.wrapping_add(bytes.into()), left - bytes, place + bytes);
        }
    }

    /// All parts, in the order of the lanes.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        self.runs.iter().flat_map(|run| run.parts(self.unit, 0..run.bytes))
    }

    /// Whether each lane accesses bytes after those of the lane before.
    pub fn ascends(&self) -> bool {
        self.runs.is_sorted_by(|a, b| a.start < b.start && b.start - a.start >= a.bytes.into())
    }

    /// The value that a store is about to write to `part`, within the bytes that it writes.
    pub fn stored(&self, wave: &Wave, inst: &Inst, part: Part) -> Option<u32> {
        let Part { address, bytes, lane } = part;
        let data = if inst.format == Format::Mubuf { inst.src[0] } else { inst.src[1] };
        let first = vector_index(data)?;
        let start = self.parts().find(|part| part.lane == lane)?;
        let begin = start.address + u64::from(start.bytes.trailing_zeros());
        // A register for each dword from the first byte on.
        let register = |offset: u64| Some(wave.vgpr.get(first + (offset / 4) as usize)?.0[usize::from(lane)]);
        let high = if inst.op.mnemonic().ends_with("_d16_hi") { 2 } else { 0 };
        (0..4).filter(|i| bytes >> i & 1 != 0).try_fold(0, |all, i| {
            let offset = (address + i).checked_sub(begin)?;
            let byte = register(offset)? >> (8 * ((offset + high) % 4)) & 0xff;
            Some(all | byte << (8 * i))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(unit: u32) -> Touch {
        Touch { access: Access::Write, takes: false, unit: Unit::new(unit), runs: Vec::new() }
    }

    #[test]
    fn a_run_has_the_parts_of_its_lanes() {
        let of = |unit, start, lanes: u32| {
            let mut touch = touch(unit);
            touch.push(start, unit * lanes, 5);
            touch.parts().map(|part| (part.address, part.bytes, part.lane)).collect::<Vec<_>>()
        };
        assert_eq!(of(4, 0x2000, 2), [(0x2000, 15, 5), (0x2004, 15, 6)]);
        assert_eq!(of(1, 0x2003, 3), [(0x2000, 8, 5), (0x2004, 1, 6), (0x2004, 2, 7)]);
        assert_eq!(of(2, 0x2001, 2), [(0x2000, 6, 5), (0x2000, 8, 6), (0x2004, 1, 6)]);
        // Across blocks too.
        assert_eq!(
            of(8, 0x1ffa, 2),
            [(0x1ff8, 12, 5), (0x1ffc, 3, 5), (0x1ffc, 12, 5), (0x2000, 3, 5), (0x2000, 12, 6), (0x2004, 3, 6)]
                .into_iter()
                .chain([(0x2004, 12, 6), (0x2008, 3, 6)])
                .collect::<Vec<_>>()
        );
        assert_eq!(of(12, 0x1ff8, 1), [(0x1ff8, 15, 5), (0x1ffc, 15, 5), (0x2000, 15, 5)]);
    }

    #[test]
    fn lanes_that_share_a_byte_do_not_ascend() {
        let mut touch = touch(2);
        touch.push(0x1000, 8, 0);
        touch.push(0x1008, 2, 4);
        assert!(touch.ascends());
        touch.push(0x1009, 2, 5);
        assert!(!touch.ascends());
    }
}
