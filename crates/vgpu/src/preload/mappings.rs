//! Where this process has devices mapped: the host's kernel takes these for ordinary memory, and would do with them what Linux refuses for a
//! device's.
//!
//! Allocators ask at each `madvise` and `munmap`, with their own locks held. So a look takes no lock, allocates nothing and makes no system call.

use crate::backing::PAGE;
use crate::driver::user;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Mappings that are known: as many as the kernel lets a process have (`DEFAULT_MAX_MAP_COUNT`), unless an administrator raised it.
const MOST: usize = 1 << 16;

/// Addresses that are mapped, as a sequence lock: a reader whose look met a change looks again.
struct Table {
    /// Odd while they change.
    version: AtomicU64,
    length: AtomicUsize,
    /// First address and the address behind the last, in order and without overlap.
    entries: [[AtomicU64; 2]; MOST],
    /// Held by who changes them.
    writer: Mutex<()>,
}

static TABLE: Table = Table::new();

impl Table {
    const fn new() -> Table {
        Table {
            version: AtomicU64::new(0),
            length: AtomicUsize::new(0),
            entries: [const { [AtomicU64::new(0), AtomicU64::new(0)] }; MOST],
            writer: Mutex::new(()),
        }
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

    fn overlaps(&self, range: &Range<u64>) -> bool {
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

    /// Makes `range` mapped or not, whatever it was.
    fn replace(&self, range: Range<u64>, mapped: bool) {
        let _writer = self.lock();
        let length = self.length.load(Ordering::Relaxed);
        let first = self.search(length, range.start);
        let behind = (first..length).find(|index| self.entry(*index).start >= range.end).unwrap_or(length);
        let overlapped = (first < behind).then(|| self.entry(first).start..self.entry(behind - 1).end);
        // What is left of the entries at both ends stays.
        let before = overlapped.clone().map(|all| all.start..range.start);
        let after = overlapped.map(|all| range.end..all.end);
        let new = [before, mapped.then_some(range), after].map(|range| range.filter(|range| !range.is_empty()));
        let rest = first + new.iter().flatten().count();
        if rest + (length - behind) > MOST {
            return;
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
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pages of which the kernel takes `size` bytes at `start` to be; `None` if it refuses them.
fn pages(start: u64, size: u64) -> Option<Range<u64>> {
    let end = start.checked_add(size.checked_next_multiple_of(PAGE)?)?;
    (size != 0 && start.is_multiple_of(PAGE)).then_some(start..end)
}

/// Whether some of the `size` bytes at `start` is a mapping of a device.
pub(super) fn overlaps(start: u64, size: u64) -> bool {
    pages(start, size).is_some_and(|range| TABLE.overlaps(&range))
}

/// Whether any device is mapped.
pub(super) fn any() -> bool {
    TABLE.length.load(Ordering::Relaxed) != 0
}

/// A device is mapped there.
pub(super) fn add(start: u64, size: u64) {
    pages(start, size).into_iter().for_each(|range| TABLE.replace(range, true));
}

/// Whatever was mapped there is no more.
pub(super) fn remove(start: u64, size: u64) {
    pages(start, size).filter(|range| TABLE.overlaps(range)).into_iter().for_each(|range| TABLE.replace(range, false));
}

/// Lets nothing change until it is dropped.
pub(super) fn lock() -> MutexGuard<'static, ()> {
    TABLE.lock()
}

/// In a forked child, where those are not that a child does not get.
pub(super) fn look_again_in_child() {
    if !any() {
        return;
    }
    TABLE.replace(0..u64::MAX, false);
    user::device_ranges().into_iter().for_each(|range| TABLE.replace(range.start..range.end, true));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn table() -> Box<Table> {
        // SAFETY: all zero is an empty table, as `Table::new` makes it, which is too large for a thread's stack.
        unsafe { Box::new_zeroed().assume_init() }
    }

    #[test]
    fn mappings_are_the_pages_that_were_added_last() {
        let table = table();
        let mut model = [false; 64];
        let mut random = 1u64;
        for _ in 0..2000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let start = random >> 33 & 63;
            let end = (start + 1 + (random >> 43 & 7)).min(64);
            let mapped = random >> 60 & 1 == 0;
            table.replace(start..end, mapped);
            model[start as usize..end as usize].fill(mapped);
            for at in 0..64 {
                assert_eq!(table.overlaps(&(at..at + 1)), model[at as usize]);
            }
            let length = table.length.load(Ordering::Relaxed);
            assert!((1..length).all(|index| table.entry(index - 1).end <= table.entry(index).start));
            assert!((0..length).all(|index| !table.entry(index).is_empty()));
        }
    }

    #[test]
    fn a_look_meets_no_change_half_done() {
        let (table, done) = (&*table(), &AtomicBool::new(false));
        table.replace(1000..1001, true);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..20_000 {
                    // Moves the entry that stays.
                    table.replace(10..11, true);
                    table.replace(20..21, true);
                    table.replace(0..30, false);
                }
                done.store(true, Ordering::Relaxed);
            });
            while !done.load(Ordering::Relaxed) {
                assert!(table.overlaps(&(1000..1001)) && !table.overlaps(&(30..1000)));
            }
        });
    }

    #[test]
    fn pages_are_those_of_the_kernel() {
        assert_eq!(pages(PAGE, 1), Some(PAGE..2 * PAGE));
        assert_eq!((pages(PAGE, 0), pages(1, PAGE), pages(PAGE, u64::MAX)), (None, None, None));
    }
}
