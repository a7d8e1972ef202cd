//! Which memory this process has of the driver, and had: to say of a fault's address whose it is.

use std::collections::{BTreeMap, VecDeque};

use super::range::GUARD;
use crate::fault::{Allocation, FaultPlace};

/// Those that were given back, of which so many are remembered.
const REMEMBERED: usize = 1024;

/// All allocations of a process.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    /// By their first address.
    live: BTreeMap<u64, Known>,
    /// The latest last.
    freed: VecDeque<(u64, Known)>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    bytes: u64,
    memory: &'static str,
}

impl Allocations {
    pub fn add(&mut self, address: u64, bytes: u64, memory: &'static str) {
        self.live.insert(address, Known { bytes, memory });
    }

    /// It was given back.
    pub fn remove(&mut self, address: u64) {
        if let Some(known) = self.live.remove(&address) {
            if self.freed.len() == REMEMBERED {
                self.freed.pop_front();
            }
            self.freed.push_back((address, known));
        }
    }

    /// Whose the address is: of one that is there, or else of the one that was given back last.
    pub fn at(&self, address: u64) -> Option<Allocation> {
        let is = |start: u64, known: Known, place| {
            let end = start + known.bytes;
            let place = match place {
                FaultPlace::Inside if address >= end => FaultPlace::Guard,
                place => place,
            };
            let within = address >= start && address < end + GUARD as u64;
            let allocation = Allocation { address: start, bytes: known.bytes, memory: known.memory, place };
            (within && (place != FaultPlace::Freed || address < end)).then_some(allocation)
        };
        let live = self.live.range(..=address).next_back();
        live.and_then(|(start, known)| is(*start, *known, FaultPlace::Inside))
            .or_else(|| self.freed.iter().rev().find_map(|(start, known)| is(*start, *known, FaultPlace::Freed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_what_is_there_or_of_what_was_there_last() {
        let mut all = Allocations::default();
        let seen = |all: &Allocations, address| all.at(address).map(|found| (found.address, found.bytes, found.place));
        all.add(0x10000, 0x2000, "VRAM");
        all.add(0x20000, 0x1000, "host memory");
        assert_eq!(seen(&all, 0xffff), None);
        assert_eq!(seen(&all, 0x11fff), Some((0x10000, 0x2000, FaultPlace::Inside)));
        assert_eq!(seen(&all, 0x12000), Some((0x10000, 0x2000, FaultPlace::Guard)));
        assert_eq!(seen(&all, 0x13000), None);
        all.remove(0x10000);
        all.remove(0x777);
        assert_eq!(seen(&all, 0x10000), Some((0x10000, 0x2000, FaultPlace::Freed)));
        assert_eq!(seen(&all, 0x12000), None, "its guard is no more");
        // Another one at the same place, and that one freed in turn.
        all.add(0x11000, 0x1000, "VRAM");
        assert_eq!(seen(&all, 0x11000), Some((0x11000, 0x1000, FaultPlace::Inside)));
        assert_eq!(seen(&all, 0x10000), Some((0x10000, 0x2000, FaultPlace::Freed)));
        all.remove(0x11000);
        assert_eq!(seen(&all, 0x11000), Some((0x11000, 0x1000, FaultPlace::Freed)));
        // The oldest are forgotten.
        for at in 0..REMEMBERED as u64 {
            all.add(1 << 40 | at << 20, 0x1000, "VRAM");
            all.remove(1 << 40 | at << 20);
        }
        assert_eq!(seen(&all, 0x11000), None);
        assert_eq!(all.at(0x20fff).map(|found| found.memory), Some("host memory"));
    }
}
