//! Which bytes of a block are free.

use std::collections::BTreeMap;

/// The free ranges of a block: where each begins, and its bytes. No two touch.
#[derive(Debug)]
pub struct Ranges {
    free: BTreeMap<u64, u64>,
    bytes: u64,
    free_bytes: u64,
}

impl Ranges {
    /// All of `bytes` are free.
    pub fn new(bytes: u64) -> Ranges {
        Ranges { free: BTreeMap::from([(0, bytes)]), bytes, free_bytes: bytes }
    }

    /// Takes `bytes`, more than 0, at a multiple of `align`, a power of two, out of the smallest range that has them.
    pub fn take(&mut self, bytes: u64, align: u64) -> Option<u64> {
        let fits = |(start, length): (&u64, &u64)| {
            let at = start.checked_next_multiple_of(align)?;
            let end = at.checked_add(bytes)?;
            (end <= start + length).then_some((*length, *start, at))
        };
        let (length, start, at) = self.free.iter().filter_map(fits).min()?;
        self.free.remove(&start);
        if at > start {
            self.free.insert(start, at - start);
        }
        let end = start + length;
        if at + bytes < end {
            self.free.insert(at + bytes, end - at - bytes);
        }
        self.free_bytes -= bytes;
        Some(at)
    }

    /// Takes back what [`take`](Self::take) gave.
    pub fn give_back(&mut self, at: u64, bytes: u64) {
        self.free_bytes += bytes;
        let (mut start, mut length) = (at, bytes);
        if let Some((before, its)) = self.free.range(..at).next_back().map(|(before, its)| (*before, *its))
            && before + its == at
        {
            self.free.remove(&before);
            (start, length) = (before, its + bytes);
        }
        if let Some(its) = self.free.remove(&(at + bytes)) {
            length += its;
        }
        self.free.insert(start, length);
    }

    pub fn free_bytes(&self) -> u64 {
        self.free_bytes
    }

    /// The largest range that is free.
    pub fn largest(&self) -> u64 {
        self.free.values().copied().max().unwrap_or(0)
    }

    /// Whether all of it is free.
    pub fn is_unused(&self) -> bool {
        self.free_bytes == self.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BYTES: u64 = 4096;

    proptest! {
        #[test]
        fn what_is_taken_does_not_overlap_and_comes_back(
            steps in prop::collection::vec((any::<bool>(), 1u64..900, 0u32..9, any::<prop::sample::Index>()), 1..80)
        ) {
            let mut ranges = Ranges::new(BYTES);
            let mut taken: Vec<(u64, u64)> = Vec::new();
            for (gives, bytes, align, which) in steps {
                if gives && !taken.is_empty() {
                    let (at, bytes) = taken.swap_remove(which.index(taken.len()));
                    ranges.give_back(at, bytes);
                } else if let Some(at) = ranges.take(bytes, 1 << align) {
                    prop_assert!(at.is_multiple_of(1 << align) && at + bytes <= BYTES);
                    prop_assert!(taken.iter().all(|(other, its)| at + bytes <= *other || other + its <= at));
                    taken.push((at, bytes));
                } else {
                    // There was none: no gap between what is taken has so many at such a place.
                    let mut all = taken.clone();
                    all.sort_unstable();
                    all.push((BYTES, 0));
                    let mut end = 0_u64;
                    for (start, its) in all {
                        prop_assert!(end.next_multiple_of(1 << align) + bytes > start);
                        end = start + its;
                    }
                }
                let used: u64 = taken.iter().map(|(_, bytes)| bytes).sum();
                prop_assert_eq!(ranges.free_bytes(), BYTES - used);
                prop_assert!(ranges.largest() <= ranges.free_bytes());
            }
            taken.drain(..).for_each(|(at, bytes)| ranges.give_back(at, bytes));
            prop_assert!(ranges.is_unused() && ranges.largest() == BYTES);
        }
    }
}
