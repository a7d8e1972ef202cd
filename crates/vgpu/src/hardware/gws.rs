//! Global wave sync: barriers that waves of different work-groups meet at.

use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
struct Barrier {
    /// Waves that still wait before one opens the barrier.
    count: u32,
    /// How often it has opened.
    generation: u64,
}

/// The 64 resources of a GPU. All methods may be called from any thread.
#[derive(Debug)]
pub struct GlobalWaveSync {
    barriers: [Mutex<Barrier>; 64],
}

impl Default for GlobalWaveSync {
    fn default() -> GlobalWaveSync {
        GlobalWaveSync { barriers: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl GlobalWaveSync {
    fn barrier(&self, resource: u32) -> MutexGuard<'_, Barrier> {
        self.barriers[resource as usize % 64].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next `count` waves that arrive wait for one more.
    pub fn init(&self, resource: u32, count: u32) {
        self.barrier(resource).count = count;
    }

    /// A wave arrives. `None` if it opens the barrier, which then counts `count` again; else a ticket.
    pub fn arrive(&self, resource: u32, count: u32) -> Option<u64> {
        let mut barrier = self.barrier(resource);
        if barrier.count > 0 {
            barrier.count -= 1;
            return Some(barrier.generation);
        }
        barrier.count = count;
        barrier.generation += 1;
        None
    }

    /// Whether the barrier has opened since the ticket was given.
    pub fn open(&self, resource: u32, ticket: u64) -> bool {
        self.barrier(resource).generation != ticket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_wave_opens_the_barrier_each_time() {
        let sync = GlobalWaveSync::default();
        sync.init(5, 2);
        for _ in 0..3 {
            let first = sync.arrive(5, 2).unwrap();
            let second = sync.arrive(5, 2).unwrap();
            assert!(!sync.open(5, first) && !sync.open(5, second));
            assert_eq!(sync.arrive(5, 2), None);
            assert!(sync.open(5, first) && sync.open(5, second));
        }
    }
}
