//! Which wave runs next, and for how long.

/// Scheduling of the waves of a work-group.
///
/// The default is round robin with long turns, short ones right after a barrier: all waves leave it before the first of them has
/// anything from memory, as on hardware, where programs rely on it (RCCL 2.13 does). [`Order::seeded`] draws waves and turns from a
/// seed, so that a race can be found, and found again: the same seed gives the same interleaving of one work-group's waves.
#[derive(Clone, Debug)]
pub struct Order {
    /// State of the generator; `None` is round robin.
    random: Option<u64>,
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
        Order { random: None }
    }

    /// Random waves for random turns of 1 to 256 instructions, short ones as likely as long ones, from `seed`.
    pub fn seeded(seed: u64) -> Order {
        Order { random: Some(seed) }
    }

    /// Whether no wave gets past its first wait for vector memory after a barrier before all others got that far.
    pub(crate) fn leaves_barriers_together(&self) -> bool {
        self.random.is_none()
    }

    /// The next wave among `count` (not zero) after `last`, and the instructions that it may run.
    pub(crate) fn next(&mut self, last: usize, count: usize) -> (usize, u64) {
        match &mut self.random {
            None => ((last + 1) % count, TURN),
            Some(state) => {
                // SplitMix64.
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^= z >> 31;
                ((z >> 32) as usize % count, 1 + ((z & 0xff) >> (z >> 8 & 7)))
            }
        }
    }
}
