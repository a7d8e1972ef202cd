//! The LDS accesses of an instruction, lane by lane.

use crate::machine::bus::{Access, MemoryFault};
use gcn_alu::wave::LANES;
use std::ops::Range;

/// What a lane does to bytes of LDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    /// Offset in LDS of the first byte.
    pub address: u32,
    /// How many.
    pub bytes: u8,
    pub lane: u8,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    Store,
    Atomic {
        /// Whether the wave gets what was there before.
        returns: bool,
    },
}

impl Touch {
    /// The access as a fault, for a finding.
    pub fn fault(&self) -> MemoryFault {
        MemoryFault { address: self.address.into(), access: self.kind.access(), protection: false }
    }
}

impl Kind {
    pub fn access(self) -> Access {
        match self {
            Kind::Load => Access::Read,
            Kind::Store => Access::Write,
            Kind::Atomic { .. } => Access::Atomic,
        }
    }
}

/// What an instruction does to LDS: two accesses of each lane at most, of as many bytes.
pub(crate) struct Touches {
    rows: [Row; 2],
    count: usize,
    bytes: u8,
}

/// An access of each lane.
pub(crate) struct Row {
    /// Offsets in LDS of the first bytes. Lanes that do nothing have that of another one.
    pub addresses: [u32; LANES],
    /// The lanes that do something: one at least.
    pub lanes: u64,
    pub kind: Kind,
}

impl Touches {
    pub fn new(bytes: u8) -> Touches {
        const NONE: Row = Row { addresses: [0; LANES], lanes: 0, kind: Kind::Load };
        Touches { rows: [NONE; 2], count: 0, bytes }
    }

    /// Adds an access of these lanes, if there are any.
    #[inline]
    pub fn push(&mut self, kind: Kind, lanes: u64, address: impl Fn(usize) -> u32) {
        if lanes == 0 {
            return;
        }
        let Some(row) = self.rows.get_mut(self.count) else { return };
        self.count += 1;
        (row.lanes, row.kind) = (lanes, kind);
        for (lane, to) in row.addresses.iter_mut().enumerate() {
            *to = address(lane);
        }
        if lanes != u64::MAX {
            let other = row.addresses[lanes.trailing_zeros() as usize];
            for (lane, address) in row.addresses.iter_mut().enumerate() {
                *address = if lanes >> lane & 1 != 0 { *address } else { other };
            }
        }
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows[..self.count]
    }

    /// The bytes of each access.
    pub fn bytes(&self) -> u8 {
        self.bytes
    }

    /// The accesses, lane by lane.
    pub fn all(&self) -> impl Iterator<Item = Touch> {
        let lanes = (0..LANES as u8).flat_map(|lane| self.rows().iter().map(move |row| (lane, row)));
        lanes.filter(|(lane, row)| row.lanes >> lane & 1 != 0).map(|(lane, row)| row.touch(lane, self.bytes))
    }

    pub fn are_atomic(&self) -> bool {
        self.rows().iter().any(|row| matches!(row.kind, Kind::Atomic { .. }))
    }

    /// The first access outside `size` bytes of LDS, of the lowest lane.
    pub fn outside(&self, size: u32) -> Option<Touch> {
        let last = size.checked_sub(self.bytes.into());
        if last.is_some_and(|last| self.rows().iter().all(|row| row.is_up_to(last))) {
            return None;
        }
        self.all().find(|touch| last.is_none_or(|last| touch.address > last))
    }
}

impl Row {
    /// Whether no offset is higher.
    fn is_up_to(&self, highest: u32) -> bool {
        // All bits of any of them are no less than the highest of them.
        self.addresses.iter().fold(0, |all, at| all | at) <= highest || self.addresses.iter().all(|at| *at <= highest)
    }

    /// From the first byte that a lane accesses to the last.
    pub fn span(&self, bytes: u8) -> Range<usize> {
        // Apart, so that each is done by vectors.
        let first = self.addresses.iter().fold(u32::MAX, |first, &at| first.min(at));
        let last = self.addresses.iter().fold(0, |last: u32, &at| last.max(at));
        first as usize..last as usize + usize::from(bytes)
    }

    /// Calls `with` for each place that the row accesses: the first lane, the offset, and the number of lanes from that
    /// one on whose accesses of `bytes` bytes are side by side. Lanes that repeat an earlier lane's access are skipped
    /// where this is cheap to see.
    #[inline]
    pub fn each_run(&self, bytes: u8, mut with: impl FnMut(u8, u32, u8)) {
        const QUARTER: usize = LANES / 4;
        let quarters = self.addresses.as_chunks::<QUARTER>().0;
        for (number, quarter) in quarters.iter().enumerate() {
            let (first, active) = ((number * QUARTER) as u8, (self.lanes >> (number * QUARTER)) as u16);
            let start = quarter[0];
            if active == u16::MAX {
                if number > 0 && self.lanes == u64::MAX && *quarter == quarters[number - 1] {
                    continue;
                }
                let are_apart = |by: u32| {
                    let differs = |(n, at): (u32, &u32)| at ^ start.wrapping_add(n * by);
                    (0..).zip(quarter).fold(0, |all, lane| all | differs(lane)) == 0
                };
                if are_apart(0) {
                    with(first, start, 1);
                    continue;
                }
                if start <= quarter[QUARTER - 1] && are_apart(bytes.into()) {
                    with(first, start, QUARTER as u8);
                    continue;
                }
            }
            let mut last = None;
            for (lane, &address) in (0..).zip(quarter) {
                if active >> lane & 1 != 0 && last != Some(address) {
                    last = Some(address);
                    with(first + lane, address, 1);
                }
            }
        }
    }

    pub fn touch(&self, lane: u8, bytes: u8) -> Touch {
        Touch { address: self.addresses[usize::from(lane) % LANES], bytes, lane, kind: self.kind }
    }
}

/// The lowest of these lanes, or the first one of all.
pub(crate) fn lowest(lanes: u64) -> u64 {
    1 << (lanes.trailing_zeros() % LANES as u32)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::sanitizer::report::poison;

    /// Accesses of all shapes that are looked at by quarters, among them lanes that do nothing. `seed` makes them.
    pub(crate) fn example(seed: u64, kind: Kind) -> Touches {
        let random = |n: u64| poison(4 * (1000 * seed + n));
        let bytes = [1, 2, 4, 4, 8, 12, 16][random(0) as usize % 7];
        let mut touches = Touches::new(bytes);
        for row in 0..1 + u64::from(random(1) % 2) {
            let random = |n| random(2 + row * 100 + n);
            let quarters = (0..4).map(|quarter| (u64::from(random(1) >> quarter & 1) * 0xffff) << (16 * quarter)).sum();
            let lanes = match random(0) % 4 {
                0 => u64::from(random(1)) << 32 | u64::from(random(2)),
                1 => quarters,
                _ => u64::MAX,
            };
            let shapes: [u32; 4] = std::array::from_fn(|quarter| random(3) >> (2 * quarter) & 3);
            let start = random(4) % 512;
            let step = if random(5) % 4 == 0 { 4 } else { u32::from(bytes) };
            let start = if random(6) % 4 == 0 { start } else { start & !3 };
            touches.push(kind, lanes, |lane| {
                let (lane, quarter) = (lane as u32, lane / 16);
                match shapes[quarter] {
                    0 => start,
                    1 => start + lane % 16 * step,
                    2 => start + lane * step,
                    _ => random(10 + u64::from(lane)) % 1024,
                }
            });
        }
        touches
    }

    #[test]
    fn runs_are_all_that_a_row_accesses() {
        let mut side_by_side = 0;
        for seed in 0..2000 {
            let touches = example(seed, Kind::Load);
            for row in touches.rows() {
                let active = |lane: u8| row.lanes >> lane & 1 != 0;
                let mut places: Vec<u32> =
                    (0..64).filter(|&lane| active(lane)).map(|lane| row.touch(lane, 0).address).collect();
                let mut found = Vec::new();
                row.each_run(touches.bytes(), |lane, address, lanes| {
                    side_by_side += u32::from(lanes > 1);
                    for n in 0..lanes {
                        assert!(active(lane + n), "seed {seed}");
                        assert_eq!(row.touch(lane + n, 0).address, address + u32::from(n) * u32::from(touches.bytes()));
                        found.push(row.touch(lane + n, 0).address);
                    }
                });
                let span = row.span(touches.bytes());
                places.sort_unstable();
                assert_eq!(
                    [span.start, span.end - usize::from(touches.bytes())],
                    [places[0], places[places.len() - 1]].map(|at| at as usize)
                );
                places.dedup();
                found.sort_unstable();
                found.dedup();
                assert_eq!(found, places, "seed {seed}");
            }
        }
        assert!(side_by_side > 500, "{side_by_side}");
    }

    #[test]
    fn what_is_outside_is_the_lowest_lane_that_is() {
        let mut outside = 0;
        for seed in 0..2000 {
            let (touches, size) = (example(seed, Kind::Load), poison(4 * seed) % 2500);
            let first = touches.all().find(|touch| touch.address + u32::from(touch.bytes) > size);
            assert_eq!(touches.outside(size), first, "seed {seed}");
            outside += u32::from(first.is_some());
        }
        assert!((500..1500).contains(&outside), "{outside}");
    }
}
