//! Sets of packets that an observer knows to have completed.

use std::collections::{BTreeMap, BTreeSet};

/// A packet of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Packet {
    /// Number of the queue in the process, never used twice.
    pub queue: u32,
    /// The number in the queue, from 0.
    pub number: u64,
}

/// Of a queue whose packets need not end in order, how many are known besides those that all are before them. Beyond
/// that those between count as known too.
const APART: usize = 64;

/// Of one queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Part {
    /// All packets below this one.
    below: u64,
    /// And these, which are above.
    apart: BTreeSet<u64>,
}

impl Part {
    /// Adds all below this one. What is known right behind them needs no mention of its own then.
    fn raise(&mut self, below: u64) {
        self.below = self.below.max(below);
        self.apart = self.apart.split_off(&self.below);
        while self.apart.remove(&self.below) {
            self.below += 1;
        }
    }

    fn add(&mut self, number: u64) {
        if number >= self.below {
            self.apart.insert(number);
            self.raise(0);
        }
        if self.apart.len() > APART
            && let Some(first) = self.apart.first().copied()
        {
            self.raise(first);
        }
    }
}

/// Happens-before knowledge about all queues: a vector clock with queues as threads and packets as clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known(BTreeMap<u32, Part>);

impl Known {
    /// Nothing.
    pub const NONE: Known = Known(BTreeMap::new());

    /// Whether `packet` is known to be over.
    pub fn includes(&self, packet: Packet) -> bool {
        let part = self.0.get(&packet.queue);
        part.is_some_and(|part| packet.number < part.below || part.apart.contains(&packet.number))
    }

    /// Adds a completed packet.
    pub fn add(&mut self, packet: Packet) {
        self.0.entry(packet.queue).or_default().add(packet.number);
    }

    /// Adds all that is known there.
    pub fn join(&mut self, more: &Known) {
        for (&queue, more) in &more.0 {
            let part = self.0.entry(queue).or_default();
            part.raise(more.below);
            more.apart.iter().for_each(|&number| part.add(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(queue: u32, number: u64) -> Packet {
        Packet { queue, number }
    }

    #[test]
    fn packets_that_end_out_of_order_are_known_one_by_one() {
        let mut known = Known::NONE;
        [0, 2, 3].into_iter().for_each(|number| known.add(packet(1, number)));
        let of = |known: &Known| (0..5).map(|number| known.includes(packet(1, number))).collect::<Vec<_>>();
        assert_eq!(of(&known), [true, false, true, true, false]);
        assert!(!known.includes(packet(2, 0)));
        let mut more = Known::NONE;
        [0, 1].into_iter().for_each(|number| more.add(packet(1, number)));
        more.add(packet(2, 0));
        known.join(&more);
        assert_eq!(of(&known), [true, true, true, true, false]);
        assert!(known.includes(packet(2, 0)));
        let mut all = Known::NONE;
        (0..4).for_each(|number| all.add(packet(1, number)));
        all.add(packet(2, 0));
        assert_eq!(known, all, "it is kept as short as it can be");
    }

    #[test]
    fn of_many_that_are_apart_the_first_ones_are_taken_together() {
        let mut known = Known::NONE;
        (1..=APART as u64).for_each(|k| known.add(packet(1, 2 * k)));
        assert!(!known.includes(packet(1, 0)));
        known.add(packet(1, 1000));
        assert!(known.includes(packet(1, 0)) && known.includes(packet(1, 1)) && !known.includes(packet(1, 3)));
    }
}
