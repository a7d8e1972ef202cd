//! Which submitted work uses the memory of a buffer.

use std::ops::Deref;
use std::sync::{Arc, Mutex};

use smallvec::SmallVec;

use crate::Device;
use crate::driver::lock;
use crate::memory::Memory;
use crate::queues::progress::QueueState;

/// The memory of buffers, with the work that was submitted with it.
#[derive(Debug)]
pub(crate) struct UsedMemory {
    memory: Memory,
    /// Whose memory it is.
    pub device: Device,
    pub uses: Uses,
}

impl UsedMemory {
    /// Memory that no work uses yet.
    pub fn new(device: Device, memory: Memory) -> Arc<UsedMemory> {
        Arc::new(UsedMemory { memory, device, uses: Uses::default() })
    }
}

impl Deref for UsedMemory {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

/// Queues for which memory keeps its uses without allocating.
const USUAL_QUEUES: usize = 2;

/// The work that uses some memory.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<SmallVec<[Use; USUAL_QUEUES]>>);

/// How many pieces of work of a queue must be done until none uses the memory.
#[derive(Debug)]
struct Use {
    queue: Arc<QueueState>,
    any: u64,
    writing: u64,
}

impl Uses {
    /// Notes a piece of work that was submitted.
    #[inline]
    pub fn note(&self, queue: &Arc<QueueState>, number: u64, writes: bool) {
        let mut uses = lock(&self.0);
        let count = number + 1;
        let writing = if writes { count } else { 0 };
        match uses.iter_mut().find(|one| Arc::ptr_eq(&one.queue, queue)) {
            Some(one) => {
                one.any = count;
                one.writing = one.writing.max(writing);
            }
            None => {
                uses.retain(|one| !one.queue.is_over(one.any));
                uses.push(Use { queue: queue.clone(), any: count, writing });
            }
        }
    }

    /// Whether work that writes may still run.
    pub fn any_writes(&self) -> bool {
        self.any_of(|one| one.writing)
    }

    /// Whether work may still run.
    pub fn any(&self) -> bool {
        self.any_of(|one| one.any)
    }

    /// Whether so much of a queue's work may not be over. The lock is not held while a queue is asked that may have to count first: others submit
    /// meanwhile.
    fn any_of(&self, count: fn(&Use) -> u64) -> bool {
        loop {
            let unfinished = |one: &&Use| !one.queue.is_over(count(one));
            let first = lock(&self.0).iter().find(unfinished).map(|one| (one.queue.clone(), count(one)));
            match first {
                None => return false,
                Some((queue, count)) if !queue.is_over_now(count) => return true,
                // It is over, so another one is found next, if any.
                Some(_) => {}
            }
        }
    }
}
