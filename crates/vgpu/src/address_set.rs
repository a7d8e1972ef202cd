//! Sets of page addresses with a fast membership test, made at every change of the program's mappings.
//!
//! Allocators change memory with their own locks held, for which a thread may wait that has one of the device's. So a
//! look takes no lock, allocates nothing and makes no system call.

use crate::backing::PAGE;
use crate::locks::lock;
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, MutexGuard};

/// Ranges of a set: as many as the kernel lets a process have mappings (`DEFAULT_MAX_MAP_COUNT`), unless an
/// administrator raised it.
const MOST: usize = 1 << 16;

/// A set of pages, as a sequence lock: a reader whose look met a change looks again.
pub struct AddressSet {
    /// Odd while they change.
    version: AtomicU64,
    length: AtomicUsize,
    /// First address and the address behind the last, in order and without overlap.
    entries: [[AtomicU64; 2]; MOST],
    /// Held by who changes them.
    writer: Mutex<()>,
}

impl AddressSet {
    /// An empty set for a static: it is too large for a thread's stack.
    pub const fn empty() -> AddressSet {
        AddressSet {
            version: AtomicU64::new(0),
            length: AtomicUsize::new(0),
            entries: [const { [AtomicU64::new(0), AtomicU64::new(0)] }; MOST],
            writer: Mutex::new(()),
        }
    }

    /// An empty set.
    pub fn boxed() -> Box<AddressSet> {
        let layout = Layout::new::<AddressSet>();
        // SAFETY: it has a size.
        let zeroed = unsafe { alloc_zeroed(layout) };
        if zeroed.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: memory of the allocator's for one, of which all zero is an empty one, as `empty` makes it.
        unsafe { Box::from_raw(zeroed.cast()) }
    }

    fn entry(&self, index: usize) -> Range<u64> {
        let [start, end] = &self.entries[index];
        start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed)
    }

    fn set(&self, index: usize, range: Range<u64>) {
        let [start, end] = &self.entries[index];
        start.store(range.start, Ordering::Relaxed);
        end.store(range.end, Ordering::Relaxed);
    }

    /// The first of `length` entries that ends behind `address`, or `length`.
    fn search(&self, length: usize, address: u64) -> usize {
        let (mut from, mut to) = (0, length);
        while from < to {
            let middle = from.midpoint(to);
            if self.entry(middle).end > address { to = middle } else { from = middle + 1 }
        }
        from
    }

    /// Whether some of the `size` bytes at `start` is in the set.
    pub fn overlaps(&self, start: u64, size: u64) -> bool {
        pages(start, size).is_some_and(|range| self.overlaps_range(&range))
    }

    /// Whether anything is in the set.
    pub fn any(&self) -> bool {
        self.length.load(Ordering::Relaxed) != 0
    }

    /// Adds the `size` bytes at `start`; false if there are too many ranges. What the kernel refuses is in no set.
    pub fn add(&self, start: u64, size: u64) -> bool {
        pages(start, size).is_none_or(|range| self.replace(range, true))
    }

    /// Removes the `size` bytes at `start`.
    pub fn remove(&self, start: u64, size: u64) {
        if let Some(range) = pages(start, size).filter(|range| self.overlaps_range(range)) {
            self.replace(range, false);
        }
    }

    /// Removes everything.
    pub fn clear(&self) {
        self.replace(0..u64::MAX, false);
    }

    /// Lets nothing change until it is dropped.
    pub fn lock(&self) -> MutexGuard<'_, ()> {
        lock(&self.writer)
    }

    fn overlaps_range(&self, range: &Range<u64>) -> bool {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let length = self.length.load(Ordering::Relaxed);
            let found = self.search(length, range.start);
            let overlaps = found < length && self.entry(found).start < range.end;
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                return overlaps;
            }
            std::thread::yield_now();
        }
    }

    /// Puts `range` in or takes it out, whatever it was; false, and nothing changes, if there is no room.
    fn replace(&self, range: Range<u64>, within: bool) -> bool {
        let _writer = self.lock();
        let length = self.length.load(Ordering::Relaxed);
        let first = self.search(length, range.start);
        let behind = (first..length).find(|index| self.entry(*index).start >= range.end).unwrap_or(length);
        let overlapped = (first < behind).then(|| self.entry(first).start..self.entry(behind - 1).end);
        // What is left of the entries at both ends stays.
        let before = overlapped.clone().map(|all| all.start..range.start);
        let after = overlapped.map(|all| range.end..all.end);
        let new = [before, within.then_some(range), after].map(|range| range.filter(|range| !range.is_empty()));
        let rest = first + new.iter().flatten().count();
        if rest + (length - behind) > MOST {
            return false;
        }
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        let moved = |index: usize| self.set(rest + index, self.entry(behind + index));
        if rest < behind {
            (0..length - behind).for_each(moved);
        } else if rest > behind {
            (0..length - behind).rev().for_each(moved);
        }
        new.into_iter().flatten().enumerate().for_each(|(index, range)| self.set(first + index, range));
        self.length.store(rest + (length - behind), Ordering::Relaxed);
        self.version.store(version + 2, Ordering::Release);
        true
    }
}

impl std::fmt::Debug for AddressSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AddressSet").field("ranges", &self.length).finish_non_exhaustive()
    }
}

/// The pages of which the kernel takes `size` bytes at `start` to be; `None` if it refuses them.
fn pages(start: u64, size: u64) -> Option<Range<u64>> {
    let end = start.checked_add(size.checked_next_multiple_of(PAGE)?)?;
    (size != 0 && start.is_multiple_of(PAGE)).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn sets_have_the_pages_that_were_added_last() {
        let set = AddressSet::boxed();
        let mut model = [false; 64];
        let mut random = 1u64;
        for _ in 0..2000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let start = random >> 33 & 63;
            let end = (start + 1 + (random >> 43 & 7)).min(64);
            let mapped = random >> 60 & 1 == 0;
            set.replace(start..end, mapped);
            model[start as usize..end as usize].fill(mapped);
            for at in 0..64 {
                assert_eq!(set.overlaps_range(&(at..at + 1)), model[at as usize]);
            }
            let length = set.length.load(Ordering::Relaxed);
            assert!((1..length).all(|index| set.entry(index - 1).end <= set.entry(index).start));
            assert!((0..length).all(|index| !set.entry(index).is_empty()));
        }
    }

    #[test]
    fn a_look_meets_no_change_half_done() {
        let set = &*AddressSet::boxed();
        let done = &AtomicBool::new(false);
        set.replace(1000..1001, true);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..20_000 {
                    // Moves the entry that stays.
                    set.replace(10..11, true);
                    set.replace(20..21, true);
                    set.replace(0..30, false);
                }
                done.store(true, Ordering::Relaxed);
            });
            while !done.load(Ordering::Relaxed) {
                assert!(set.overlaps_range(&(1000..1001)) && !set.overlaps_range(&(30..1000)));
            }
        });
    }

    #[test]
    fn pages_are_those_of_the_kernel() {
        assert_eq!(pages(PAGE, 1), Some(PAGE..2 * PAGE));
        assert_eq!((pages(PAGE, 0), pages(1, PAGE), pages(PAGE, u64::MAX)), (None, None, None));
    }
}
