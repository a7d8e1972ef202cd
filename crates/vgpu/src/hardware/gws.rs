//! Global wave sync (GWS): barriers and semaphores for waves of different work-groups.

use crate::locks::lock;
use std::sync::{Mutex, MutexGuard};

#[derive(Debug, Default)]
struct Resource {
    /// Of a barrier: waves that still wait before one opens it. Of a semaphore: waves that may pass.
    count: u32,
    /// How often all that waited were let through.
    generation: u64,
}

/// The 64 resources of a GPU. All methods may be called from any thread.
#[derive(Debug)]
pub struct GlobalWaveSync {
    resources: [Mutex<Resource>; 64],
}

impl Default for GlobalWaveSync {
    fn default() -> GlobalWaveSync {
        GlobalWaveSync { resources: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl GlobalWaveSync {
    fn get(&self, resource: u32) -> MutexGuard<'_, Resource> {
        lock(&self.resources[resource as usize % 64])
    }

    /// The next `count` waves that arrive at a barrier wait for one more; as many may pass a semaphore.
    pub fn init(&self, resource: u32, count: u32) {
        self.get(resource).count = count;
    }

    /// A wave arrives. `None` if it opens the barrier, which then counts `count` again; else a ticket.
    pub fn arrive(&self, resource: u32, count: u32) -> Option<u64> {
        let mut barrier = self.get(resource);
        if barrier.count > 0 {
            barrier.count -= 1;
            return Some(barrier.generation);
        }
        barrier.count = count;
        barrier.generation += 1;
        None
    }

    /// Lets `count` more waves pass.
    pub fn release(&self, resource: u32, count: u32) {
        let mut semaphore = self.get(resource);
        semaphore.count = semaphore.count.saturating_add(count);
    }

    /// Lets all waves pass that wait.
    pub fn release_all(&self, resource: u32) {
        self.get(resource).generation += 1;
    }

    /// A wave passes if it may.
    ///
    /// # Errors
    /// The ticket to try again with, if it must wait.
    pub fn pass(&self, resource: u32, ticket: Option<u64>) -> Result<(), u64> {
        let mut semaphore = self.get(resource);
        if ticket.is_some_and(|ticket| ticket != semaphore.generation) {
            return Ok(());
        }
        semaphore.count = semaphore.count.checked_sub(1).ok_or(semaphore.generation)?;
        Ok(())
    }

    /// Whether the barrier has opened since the ticket was given.
    pub fn open(&self, resource: u32, ticket: u64) -> bool {
        self.get(resource).generation != ticket
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

    #[test]
    fn as_many_pass_a_semaphore_as_were_let() {
        let sync = GlobalWaveSync::default();
        sync.init(63, 1);
        assert_eq!(sync.pass(63, None), Ok(()));
        let ticket = sync.pass(63, None).unwrap_err();
        assert_eq!(sync.pass(63, Some(ticket)), Err(ticket));
        sync.release(63, 2);
        assert_eq!(
            [sync.pass(63, Some(ticket)), sync.pass(63, None), sync.pass(63, None)],
            [Ok(()), Ok(()), Err(ticket)]
        );
        // Who waits passes; who comes later waits.
        sync.release_all(63);
        assert_eq!(sync.pass(63, Some(ticket)), Ok(()));
        assert!(sync.pass(63, None).is_err());
    }
}
