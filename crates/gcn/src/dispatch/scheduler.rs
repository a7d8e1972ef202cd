//! Chooses the wave that runs next, and for how many instructions.

/// Scheduling of the waves of a work-group.
///
/// The default is round robin with long turns, short ones right after a barrier: all waves leave it before the first of
/// them has anything from memory, as on hardware, where programs rely on it (RCCL 2.13 does). [`Order::seeded`] draws
/// waves and turns from a seed, so that a race can be found, and found again: the same seed gives the same interleaving
/// of one work-group's waves, and [`Order::for_turns`] the beginning of it.
#[derive(Clone, Debug)]
pub struct Order {
    /// State of the generator; `None` is round robin.
    random: Option<u64>,
    /// Turns that are drawn. Behind them it is round robin.
    drawn: u64,
}

/// Instructions that a wave runs before the next one, in the default order.
const TURN: u64 = 4096;

impl Default for Order {
    fn default() -> Order {
        Order::round_robin()
    }
}

impl Order {
    /// Waves in turn.
    pub fn round_robin() -> Order {
        Order { random: None, drawn: 0 }
    }

    /// Random waves for random turns of 1 to 256 instructions, with short turns as likely as long ones, from `seed`.
    pub fn seeded(seed: u64) -> Order {
        Order { random: Some(seed), drawn: u64::MAX }
    }

    /// The same order for `turns` turns, and round robin afterwards.
    pub fn for_turns(self, turns: u64) -> Order {
        Order { random: self.random.filter(|_| turns > 0), drawn: turns }
    }

    /// Turns that are still to be drawn.
    pub fn turns_left(&self) -> u64 {
        self.drawn
    }

    /// Whether no wave gets past its first wait for vector memory after a barrier before all others got that far.
    pub(crate) fn leaves_barriers_together(&self) -> bool {
        self.random.is_none()
    }

    /// The next wave among `count` (not zero) after `last`, and the instructions that it may run.
    pub(crate) fn next(&mut self, last: usize, count: usize) -> (usize, u64) {
        match &mut self.random {
            // A division takes longer than all else here.
            None => (if last + 1 < count { last + 1 } else { 0 }, TURN),
            Some(state) => {
                // SplitMix64.
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^= z >> 31;
                self.drawn -= 1;
                if self.drawn == 0 {
                    self.random = None;
                }
                ((z >> 32) as usize % count, 1 + ((z & 0xff) >> (z >> 8 & 7)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_for_some_turns_is_the_same_as_far_as_it_goes() {
        let (mut all, mut some) = (Order::seeded(7), Order::seeded(7).for_turns(3));
        for left in (0..3).rev() {
            assert!(!some.leaves_barriers_together());
            assert_eq!(some.next(0, 5), all.next(0, 5));
            assert_eq!(some.turns_left(), left);
        }
        assert!(some.leaves_barriers_together() && !all.leaves_barriers_together());
        assert_eq!([some.next(0, 5), some.next(4, 5)], [(1, TURN), (0, TURN)]);
        assert_eq!(Order::seeded(7).for_turns(0).next(1, 5), (2, TURN));
    }
}
