//! The program's allocations with byte-exact bounds, and those that it freed recently.

use super::pieces::Pieces;
use crate::backing::PAGE;
use gcn::bus::Window;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of freed memory that stay mapped, so that who uses it is found.
const KEPT: u64 = 256 << 20;

/// Bytes from an allocation at which an access is not meant for it: what an index of 32 bits to a `float` or `int`
/// reaches.
const FAR: u64 = 16 << 30;

/// Return addresses on the host's stack, the innermost first.
pub type Stack = Arc<[u64]>;

/// Memory that a program asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Device address.
    pub start: u64,
    /// Bytes that were asked for.
    pub size: u64,
    /// The granularity of the size: a page, or a byte for a [piece](super::pieces). The rest of the last unit contains
    /// nothing else.
    pub unit: u64,
    /// The call stack of the allocation.
    pub allocated: Stack,
    /// The call stack of the free, if the allocation was freed.
    pub freed: Option<Stack>,
    /// The memory began as [poison](super::poison), which remains where it is not written.
    pub poisoned: bool,
    /// The functions that may free it.
    pub heap: Heap,
}

/// The HIP functions that may free an allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Heap {
    /// The functions for device memory.
    Device,
    /// The functions for pinned host memory.
    Host,
    /// Not known.
    #[default]
    Any,
}

impl Allocation {
    /// One past its last byte.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.size)
    }

    /// Where its last page ends. Nothing else is in that page.
    fn pages_end(&self) -> u64 {
        self.end().checked_next_multiple_of(self.unit).unwrap_or(u64::MAX)
    }

    /// How far `address` is from it.
    pub fn distance(&self, address: u64) -> u64 {
        match self.start <= address {
            true => address.saturating_sub(self.end()),
            false => self.start - address,
        }
    }

    /// Whether it is freed and has this address in its pages.
    pub fn freed_at(&self, address: u64) -> bool {
        self.freed.is_some() && (self.start..self.pages_end()).contains(&address)
    }
}

/// The allocations of a process.
#[derive(Debug)]
pub struct Allocations {
    /// By address. They do not overlap.
    known: BTreeMap<u64, Allocation>,
    /// Those that are freed and still mapped for the GPUs, the oldest first.
    freed: VecDeque<u64>,
    freed_bytes: u64,
    /// Those that are freed and not mapped any more, by address, until something else is there.
    gone: BTreeMap<u64, Allocation>,
    /// Addresses of freed memory that the host does not give out again: sizes by start.
    reserved: BTreeMap<u64, u64>,
    /// Dwords that were written, though they hold their poison.
    written: BTreeSet<u64>,
    /// What the program's own allocators give out of them.
    pieces: Pieces,
}

impl Allocations {
    /// None.
    pub const fn new() -> Allocations {
        Allocations {
            known: BTreeMap::new(),
            freed: VecDeque::new(),
            freed_bytes: 0,
            gone: BTreeMap::new(),
            reserved: BTreeMap::new(),
            written: BTreeSet::new(),
            pieces: Pieces::new(),
        }
    }

    /// The program got `size` bytes at `start`, which hold their poison or do not. What was known to be there is gone.
    pub fn add(&mut self, start: u64, size: u64, allocated: Stack, poisoned: bool, heap: Heap) {
        let new = Allocation { start, size, unit: PAGE, allocated, freed: None, poisoned, heap };
        let end = new.pages_end();
        while let Some((&old, _)) = self.known.range(..end).next_back().filter(|(_, old)| old.pages_end() > start) {
            self.forget(old);
        }
        while let Some((&old, _)) = self.gone.range(..end).next_back().filter(|(_, old)| old.pages_end() > start) {
            self.gone.remove(&old);
        }
        self.known.insert(start, new);
    }

    /// The program frees the memory at `start`. Returns whether it is an allocation that was not freed yet.
    pub fn free(&mut self, start: u64, freed: Stack) -> bool {
        let Some(allocation) = self.known.get_mut(&start).filter(|known| known.freed.is_none()) else { return false };
        allocation.freed = Some(freed);
        self.freed_bytes += allocation.size;
        self.freed.push_back(start);
        true
    }

    /// Undoes a free of the memory at `start`, which failed.
    pub fn not_freed(&mut self, start: u64) {
        if let Some(allocation) = self.known.get_mut(&start)
            && allocation.freed.take().is_some()
        {
            self.freed_bytes -= allocation.size;
            self.freed.retain(|&freed| freed != start);
        }
    }

    /// Returns the oldest freed ranges that exceed the limit of mapped freed memory. The caller must unmap their pages
    /// from the GPUs.
    pub fn take_over(&mut self) -> Vec<Range<u64>> {
        let mut over = Vec::new();
        while self.freed_bytes > KEPT
            && let Some(&oldest) = self.freed.front()
        {
            over.extend(self.take_mapped(oldest));
        }
        over
    }

    /// All that is freed and still mapped, as [`Allocations::take_over`].
    pub fn take_freed(&mut self) -> Vec<Range<u64>> {
        let freed: Vec<u64> = self.freed.iter().copied().collect();
        freed.into_iter().filter_map(|start| self.take_mapped(start)).collect()
    }

    /// Freed and still mapped ranges in `range`, as [`Allocations::take_over`].
    pub fn take_freed_in(&mut self, range: &Range<u64>) -> Vec<Range<u64>> {
        let is_there = |start: &u64| {
            self.known.get(start).is_some_and(|freed| freed.start < range.end && freed.pages_end() > range.start)
        };
        let freed: Vec<u64> = self.freed.iter().copied().filter(is_there).collect();
        freed.into_iter().filter_map(|start| self.take_mapped(start)).collect()
    }

    fn take_mapped(&mut self, start: u64) -> Option<Range<u64>> {
        /// So many are remembered of which nothing is mapped.
        const GONE: usize = 1 << 14;
        let old = self.known.get(&start)?.clone();
        self.forget(start);
        let pages = old.start..old.pages_end();
        if self.gone.len() == GONE {
            self.gone.pop_first();
        }
        self.gone.insert(start, old);
        Some(pages)
    }

    /// The host does not give out the `size` bytes at `start` again, which are freed.
    pub fn reserve(&mut self, start: u64, size: u64) {
        self.reserved.insert(start, size);
    }

    /// Removes the reservation at `start` and returns its size.
    pub fn take_reserved(&mut self, start: u64) -> Option<u64> {
        self.reserved.remove(&start)
    }

    /// The freed allocation that contained `address`, if it is still recorded.
    pub fn freed_around(&self, address: u64) -> Option<&Allocation> {
        [&self.known, &self.gone].into_iter().find_map(|known| {
            let (_, freed) = known.range(..=address).next_back()?;
            (freed.freed.is_some() && (address == freed.start || address < freed.end())).then_some(freed)
        })
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Allocations::new();
    }

    /// Removes the record of the allocation at `start`.
    pub fn forget(&mut self, start: u64) {
        let Some(old) = self.known.remove(&start) else { return };
        self.written.retain(|dword| !(old.start..old.pages_end()).contains(dword));
        self.pieces.forget(old.start..old.end());
        if old.freed.is_some() {
            self.freed.retain(|&freed| freed != start);
            self.freed_bytes -= old.size;
        }
    }

    /// Records that the program's allocator hands out `size` bytes at `start`, which are or are not poisoned. Returns
    /// whether all of them are in an allocation.
    pub fn add_piece(&mut self, start: u64, size: u64, allocated: Stack, poisoned: bool) -> bool {
        if !self.has(start, size) {
            return false;
        }
        self.written.retain(|dword| !(start..start + size).contains(dword));
        self.pieces.add(start, size, allocated, poisoned);
        true
    }

    /// Records that the allocator takes the piece at `start` back. Returns whether the piece existed.
    pub fn free_piece(&mut self, start: u64, freed: Stack) -> bool {
        self.pieces.free(start, freed)
    }

    /// Waves synchronise by plain accesses to the `size` bytes at `start`. Whether all of them are in an allocation.
    pub fn add_flag(&mut self, start: u64, size: u64) -> bool {
        let has_it = self.has(start, size);
        if has_it {
            self.pieces.add_flag(start, size);
        }
        has_it
    }

    /// The flags that begin in `range`.
    pub fn flags(&self, range: Range<u64>) -> Vec<Range<u64>> {
        self.pieces.flags(range)
    }

    /// Whether an allocation has all of this.
    fn has(&self, start: u64, size: u64) -> bool {
        let end = start.checked_add(size);
        size > 0 && self.around(start).is_some_and(|whole| end.is_some_and(|end| end <= whole.end()))
    }

    /// Somebody has written bytes of the dword at `address`, and they are those of its poison.
    pub fn wrote_poison(&mut self, address: u64) {
        self.written.insert(address);
    }

    /// Whether the dword at `address` is uninitialised, that is, holds its poison.
    pub fn is_unwritten(&self, address: u64) -> bool {
        let around = self.known.range(..=address).next_back().map(|(_, allocation)| allocation);
        let around = around.filter(|whole| address < whole.end());
        let around = around.map(|whole| self.pieces.nearest(whole, address).unwrap_or(whole));
        around.is_some_and(|at| at.poisoned && (at.start..at.end()).contains(&address))
            && !self.written.contains(&address)
    }

    /// The allocation that begins at `start`, if it is not freed.
    pub fn at(&self, start: u64) -> Option<&Allocation> {
        self.known.get(&start).filter(|allocation| allocation.freed.is_none())
    }

    /// Allocations that are not freed.
    pub fn live(&self) -> impl Iterator<Item = &Allocation> {
        self.known.values().filter(|allocation| allocation.freed.is_none())
    }

    /// The part of `window`, which is mapped, around `address` that a program may access. `None` if it may not access
    /// `address`.
    pub fn clip(&self, window: Window, address: u64) -> Option<Window> {
        let below = self.known.range(..=address).next_back().map(|(_, allocation)| allocation);
        let above = self.known.range(address.saturating_add(1)..).next().map(|(&start, _)| start);
        let (start, end) = match below {
            Some(whole) if address < whole.end() && whole.freed.is_none() => {
                let at = self.pieces.nearest(whole, address).unwrap_or(whole);
                if at.distance(address) > 0 || address >= at.end() || at.freed.is_some() {
                    return None;
                }
                (at.start, at.end())
            }
            Some(at) if address < at.pages_end() => return None,
            // Memory that nobody told of.
            other => (other.map_or(0, Allocation::pages_end), above.unwrap_or(u64::MAX)),
        };
        let start = start.max(window.start);
        let host = window.host.wrapping_add((start - window.start) as usize);
        Some(Window { start, end: end.min(window.end), host, ..window })
    }

    /// The allocation that has `address`, and is not freed.
    pub fn around(&self, address: u64) -> Option<&Allocation> {
        let below = self.known.range(..=address).next_back().map(|(_, allocation)| allocation);
        below.filter(|at| address < at.end() && at.freed.is_none())
    }

    /// The allocation, or the piece of one, that an access to `address` was probably meant for: the one that has it,
    /// else the one that ends or begins closest to it, if that is within reach of an index of 32 bits.
    pub fn nearest(&self, address: u64) -> Option<&Allocation> {
        let below = self.known.range(..=address).next_back().map(|(_, allocation)| allocation);
        let above = self.known.range(address.saturating_add(1)..).next().map(|(_, allocation)| allocation);
        let distance = |at: &&Allocation| at.distance(address);
        let nearest = below.into_iter().chain(above).min_by_key(distance).filter(|nearest| distance(nearest) < FAR)?;
        let is_alive = nearest.freed.is_none();
        Some(self.pieces.nearest(nearest, address).filter(|_| is_alive).unwrap_or(nearest))
    }
}

impl Default for Allocations {
    fn default() -> Allocations {
        Allocations::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 0x10_0000;

    fn nobody() -> Stack {
        Arc::new([])
    }

    fn window(start: u64, end: u64) -> Window {
        Window { start, end, host: std::ptr::without_provenance_mut(start as usize + 8), writable: true }
    }

    /// Start and end of what may be accessed around `address`, of `mapped`.
    fn clipped(allocations: &Allocations, mapped: (u64, u64), address: u64) -> Option<(u64, u64)> {
        let window = allocations.clip(window(mapped.0, mapped.1), address)?;
        assert_eq!(window.host.addr() as u64, window.start + 8);
        Some((window.start, window.end))
    }

    #[test]
    fn the_rest_of_the_last_page_is_outside() {
        let mut allocations = Allocations::new();
        allocations.add(BASE, 5000, nobody(), false, Heap::Any);
        let of = |address| clipped(&allocations, (BASE, BASE + 0x2000), address);
        assert_eq!(of(BASE), Some((BASE, BASE + 5000)));
        assert_eq!(of(BASE + 4999), Some((BASE, BASE + 5000)));
        assert_eq!(of(BASE + 5000), None);
        assert_eq!(of(BASE + 0x1fff), None);
    }

    #[test]
    fn what_nobody_told_of_may_be_accessed_up_to_the_next_allocation() {
        let mut allocations = Allocations::new();
        allocations.add(BASE, 16, nobody(), false, Heap::Any);
        allocations.add(BASE + 0x4000, 16, nobody(), false, Heap::Any);
        let of = |address| clipped(&allocations, (BASE - 0x1000, BASE + 0x8000), address);
        assert_eq!(of(BASE - 1), Some((BASE - 0x1000, BASE)));
        assert_eq!(of(BASE + 0x1000), Some((BASE + 0x1000, BASE + 0x4000)));
        assert_eq!(of(BASE + 0x5000), Some((BASE + 0x5000, BASE + 0x8000)));
    }

    #[test]
    fn freed_memory_stays_as_freed_until_there_is_more_of_it() {
        let mut allocations = Allocations::new();
        let half = KEPT / 2;
        let at = |n: u64| BASE + n * 2 * KEPT;
        let pages = |n: u64| at(n)..at(n) + half;
        (0..4).for_each(|n| allocations.add(at(n), half, nobody(), false, Heap::Any));
        for n in [0, 1] {
            assert!(allocations.free(at(n), nobody()));
            assert_eq!(allocations.take_over(), [] as [Range<u64>; 0]);
        }
        assert_eq!(clipped(&allocations, (at(0), at(0) + half), at(0)), None);
        assert!(allocations.free(at(2), nobody()));
        assert_eq!(allocations.take_over(), [pages(0)]);
        assert_eq!(clipped(&allocations, (at(0), at(0) + half), at(0)), Some((at(0), at(0) + half)), "forgotten");
        assert_eq!(allocations.live().map(|live| live.start).collect::<Vec<_>>(), [at(3)]);
        assert_eq!(allocations.take_freed_in(&(at(1) + 1..at(2))), [pages(1)]);
        assert_eq!(allocations.take_freed(), [pages(2)]);
        assert_eq!(allocations.take_freed(), [] as [Range<u64>; 0]);
        // One that is larger than all that is kept.
        allocations.add(at(5), KEPT + 1, nobody(), false, Heap::Any);
        assert!(allocations.free(at(5), nobody()));
        let whole = at(5)..at(5) + KEPT + PAGE;
        assert_eq!(allocations.take_over(), [whole]);
    }

    #[test]
    fn what_was_freed_is_known_until_something_else_is_there() {
        let mut allocations = Allocations::new();
        let freed_around = |allocations: &Allocations, at| allocations.freed_around(at).map(|freed| freed.start);
        assert!(!allocations.free(BASE, nobody()));
        allocations.add(BASE, 16, nobody(), false, Heap::Any);
        assert!(!allocations.free(BASE + 8, nobody()), "no allocation begins there");
        assert_eq!(freed_around(&allocations, BASE), None);
        assert!(allocations.free(BASE, nobody()));
        assert!(!allocations.free(BASE, nobody()), "twice");
        assert_eq!([0, 15, 16].map(|at| freed_around(&allocations, BASE + at)), [Some(BASE), Some(BASE), None]);
        // It stays so when it is not mapped any more.
        let page = BASE..BASE + PAGE;
        assert_eq!(allocations.take_freed(), [page]);
        assert_eq!([0, 15, 16].map(|at| freed_around(&allocations, BASE + at)), [Some(BASE), Some(BASE), None]);
        allocations.add(BASE - PAGE, PAGE + 1, nobody(), false, Heap::Any);
        assert_eq!(freed_around(&allocations, BASE), None);
        // The runtime refused.
        assert!(allocations.free(BASE - PAGE, nobody()));
        allocations.not_freed(BASE - PAGE);
        assert_eq!((allocations.at(BASE - PAGE).is_some(), allocations.freed_bytes), (true, 0));
        assert!(allocations.free(BASE - PAGE, nobody()));
    }

    #[test]
    fn a_new_allocation_takes_the_place_of_what_was_known_there() {
        let mut allocations = Allocations::new();
        allocations.add(BASE, 0x1800, nobody(), false, Heap::Any);
        allocations.add(BASE + 0x2000, 16, nobody(), false, Heap::Any);
        allocations.add(BASE + 0x3000, 16, nobody(), false, Heap::Any);
        allocations.free(BASE + 0x2000, nobody());
        allocations.add(BASE + 0x1000, 0x1001, nobody(), false, Heap::Any);
        assert_eq!(allocations.known.keys().copied().collect::<Vec<_>>(), [BASE + 0x1000, BASE + 0x3000]);
        assert_eq!((allocations.freed.len(), allocations.freed_bytes), (0, 0));
    }

    #[test]
    fn the_nearest_is_the_one_that_was_meant() {
        let mut allocations = Allocations::new();
        allocations.add(BASE, 100, nobody(), false, Heap::Any);
        allocations.add(BASE + 0x4000, 16, nobody(), false, Heap::Any);
        let start = |address| allocations.nearest(address).map(|at| at.start);
        for (address, nearest) in [
            (BASE - 8, BASE),
            (BASE + 50, BASE),
            (BASE + 104, BASE),
            (BASE + 0x1800, BASE),
            (BASE + 0x3ffc, BASE + 0x4000),
            (BASE + 0x4000 + FAR, BASE + 0x4000),
        ] {
            assert_eq!(start(address), Some(nearest), "{address:#x}");
        }
        assert_eq!(start(BASE + 0x4010 + FAR), None);
        assert_eq!(Allocations::new().nearest(BASE), None);
    }

    #[test]
    fn what_holds_its_poison_is_unwritten_unless_somebody_wrote_that() {
        let mut allocations = Allocations::new();
        allocations.add(BASE, 0x1002, nobody(), true, Heap::Any);
        allocations.add(BASE + 0x4000, 16, nobody(), false, Heap::Any);
        for (address, unwritten) in
            [(BASE - 4, false), (BASE, true), (BASE + 0x1000, true), (BASE + 0x1004, false), (BASE + 0x4000, false)]
        {
            assert_eq!(allocations.is_unwritten(address), unwritten, "{address:#x}");
        }
        allocations.wrote_poison(BASE + 8);
        assert_eq!([BASE + 4, BASE + 8, BASE + 12].map(|at| allocations.is_unwritten(at)), [true, false, true]);
        allocations.forget(BASE);
        assert!(!allocations.is_unwritten(BASE));
        allocations.add(BASE, 16, nobody(), true, Heap::Any);
        assert!(allocations.is_unwritten(BASE + 8), "that was before");
    }
}
