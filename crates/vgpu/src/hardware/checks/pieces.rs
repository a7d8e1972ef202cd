//! Annotations (`vgpu-check.h`): the pieces that a program's own allocator hands out of an allocation, and the places
//! where its waves synchronise by plain accesses.

use super::allocations::{Allocation, Heap, Stack};
use std::collections::BTreeMap;
use std::ops::Range;

/// The pieces of a process by address, without overlap. A freed piece stays until its place is handed out again.
#[derive(Debug, Default)]
pub struct Pieces {
    known: BTreeMap<u64, Allocation>,
    /// Starts and ends of flags.
    flags: BTreeMap<u64, u64>,
}

impl Pieces {
    /// None.
    pub const fn new() -> Pieces {
        Pieces { known: BTreeMap::new(), flags: BTreeMap::new() }
    }

    /// Adds a piece of `size` bytes at `start`, poisoned or not. Pieces that were there before are removed.
    pub fn add(&mut self, start: u64, size: u64, allocated: Stack, poisoned: bool) {
        self.forget(start..start.saturating_add(size));
        let piece = Allocation { start, size, unit: 1, allocated, freed: None, poisoned, heap: Heap::Any };
        self.known.insert(start, piece);
    }

    /// Frees the piece at `start`. Returns whether it existed.
    pub fn free(&mut self, start: u64, freed: Stack) -> bool {
        let Some(piece) = self.known.get_mut(&start).filter(|piece| piece.freed.is_none()) else { return false };
        piece.freed = Some(freed);
        let range = piece.start..piece.end();
        self.flags.retain(|flag, _| !range.contains(flag));
        true
    }

    /// Declares memory by which waves synchronise.
    pub fn add_flag(&mut self, start: u64, size: u64) {
        self.flags.insert(start, start.saturating_add(size));
    }

    /// The flags that begin in `range`.
    pub fn flags(&self, range: Range<u64>) -> Vec<Range<u64>> {
        self.flags.range(range).map(|(&start, &end)| start..end).collect()
    }

    /// There are no pieces here any more, nor flags.
    pub fn forget(&mut self, range: Range<u64>) {
        let overlaps = |start: u64, end: u64| start < range.end && end > range.start;
        self.known.retain(|_, piece| !overlaps(piece.start, piece.end()));
        self.flags.retain(|&start, end| !overlaps(start, *end));
    }

    /// The piece of `whole` that contains `address` or is nearest to it. `None` if it has no pieces, so that all of it
    /// is the program's.
    pub fn nearest(&self, whole: &Allocation, address: u64) -> Option<&Allocation> {
        let end = whole.end();
        let middle = address.saturating_add(1).clamp(whole.start, end);
        let below = self.known.range(whole.start..middle).next_back();
        let above = self.known.range(middle..end).next();
        below.into_iter().chain(above).map(|(_, piece)| piece).min_by_key(|piece| piece.distance(address))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Allocations;
    use super::*;
    use gcn::bus::Window;
    use std::sync::Arc;

    const BASE: u64 = 0x10_0000;

    fn nobody() -> Stack {
        Arc::new([])
    }

    #[test]
    fn of_an_allocation_with_pieces_only_these_may_be_accessed() {
        let mut allocations = Allocations::new();
        allocations.add(BASE, 0x2000, nobody(), false, Heap::Any);
        let mapped =
            Window { start: BASE, end: BASE + 0x2000, host: std::ptr::without_provenance_mut(8), writable: true };
        let of = |allocations: &Allocations, address| {
            let window = allocations.clip(mapped, address)?;
            assert_eq!(window.host.addr() as u64, window.start - BASE + 8);
            Some((window.start, window.end))
        };
        assert!(allocations.add_piece(BASE + 0x10, 100, nobody(), true));
        assert!(allocations.add_piece(BASE + 0x80, 0x1000, nobody(), false));
        assert!(!allocations.add_piece(BASE + 0x1fff, 2, nobody(), false), "half of it is outside");
        assert!(!allocations.add_piece(BASE + 0x4000, 2, nobody(), false));
        let first = Some((BASE + 0x10, BASE + 0x74));
        for (offset, expected) in [
            (0x0f, None),
            (0x10, first),
            (0x73, first),
            (0x74, None),
            (0x7f, None),
            (0x80, Some((BASE + 0x80, BASE + 0x1080))),
            (0x1080, None),
        ] {
            assert_eq!(of(&allocations, BASE + offset), expected, "{offset:#x}");
        }
        let nearest = |allocations: &Allocations, offset| allocations.nearest(BASE + offset).map(|at| at.start - BASE);
        assert_eq!(
            [0, 0x74, 0x7f, 0x1fff, 0x2010].map(|offset| nearest(&allocations, offset)),
            [Some(0x10), Some(0x10), Some(0x80), Some(0x80), Some(0x80)]
        );
        assert_eq!([0x10, 0x70, 0x74, 0x80].map(|at| allocations.is_unwritten(BASE + at)), [true, true, false, false]);
        // What is taken back is nobody's until it is given out again.
        assert!(allocations.free_piece(BASE + 0x10, nobody()));
        assert!(!allocations.free_piece(BASE + 0x10, nobody()), "twice");
        assert!(!allocations.free_piece(BASE + 0x14, nobody()), "no piece begins there");
        assert_eq!(of(&allocations, BASE + 0x10), None);
        assert!(allocations.nearest(BASE + 0x10).is_some_and(|at| at.freed_at(BASE + 0x10)));
        assert!(!allocations.nearest(BASE + 0x74).is_some_and(|at| at.freed_at(BASE + 0x74)), "behind it");
        assert!(allocations.add_piece(BASE + 0x20, 0x20, nobody(), false));
        assert_eq!(of(&allocations, BASE + 0x10), None);
        assert_eq!(of(&allocations, BASE + 0x20), Some((BASE + 0x20, BASE + 0x40)));
        // All of it goes with the allocation.
        allocations.free(BASE, nobody());
        assert!(allocations.nearest(BASE + 0x20).is_some_and(|at| at.size == 0x2000 && at.freed_at(BASE + 0x20)));
        allocations.add(BASE, 0x2000, nobody(), false, Heap::Any);
        assert_eq!(of(&allocations, BASE), Some((BASE, BASE + 0x2000)));
    }

    #[test]
    fn flags_go_with_what_they_are_in() {
        let mut allocations = Allocations::new();
        allocations.add(BASE, 0x2000, nobody(), false, Heap::Any);
        assert!(allocations.add_flag(BASE + 8, 8));
        assert!(!allocations.add_flag(BASE + 0x1ffc, 8));
        let flags = allocations.flags(BASE..BASE + 0x1000);
        assert_eq!((flags.len(), flags[0].clone()), (1, BASE + 8..BASE + 16));
        allocations.add_piece(BASE, 64, nobody(), false);
        assert_eq!(allocations.flags(BASE..BASE + 0x1000), [] as [Range<u64>; 0], "of a piece that is new");
        allocations.add_flag(BASE + 8, 4);
        allocations.free_piece(BASE, nobody());
        assert_eq!(allocations.flags(BASE..BASE + 0x1000), [] as [Range<u64>; 0]);
        allocations.add_flag(BASE + 0x1000, 4);
        allocations.forget(BASE);
        assert_eq!(allocations.flags(BASE..BASE + 0x2000), [] as [Range<u64>; 0]);
    }
}
