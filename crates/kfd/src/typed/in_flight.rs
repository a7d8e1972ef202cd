//! What a queue was given and is not done with.

use std::sync::Arc;

use crate::Signal;
use crate::queues::module::Code;
use crate::queues::progress::{Link, QueueState};
use crate::typed::uses::UsedMemory;

/// Something that submitted work needs until it is done.
#[derive(Debug)]
pub(crate) enum KeepAlive {
    /// Memory that the work reads, or also writes.
    Memory { memory: Arc<UsedMemory>, writes: bool },
    /// The code that runs.
    Code { _code: Arc<Code> },
}

impl KeepAlive {
    pub fn read(memory: &Arc<UsedMemory>) -> KeepAlive {
        KeepAlive::Memory { memory: memory.clone(), writes: false }
    }

    pub fn write(memory: &Arc<UsedMemory>) -> KeepAlive {
        KeepAlive::Memory { memory: memory.clone(), writes: true }
    }
}

#[derive(Debug, Default)]
struct Slot {
    keep: Vec<KeepAlive>,
    /// How far the arguments of this piece of work reach in the ring of arguments.
    arguments_end: u64,
}

/// Pieces of work in the order in which they were submitted, which is that in which they are done. The queue counts them in a signal.
/// The table is made once; taking work in and out allocates nothing, unless a piece has more to keep than any before in its place.
#[derive(Debug)]
pub(crate) struct InFlight {
    /// How far the queue is.
    pub state: Arc<QueueState>,
    slots: Box<[Slot]>,
    submitted: u64,
    retired: u64,
    /// Up to here the ring of arguments is free.
    arguments_free: u64,
    /// What the piece of work that is being put together needs.
    pub staged: Vec<KeepAlive>,
    /// The signals that it waits for and completes.
    pub staged_links: Vec<(Signal, Link)>,
    /// The queue's state has signals of work that was not retired.
    linked: bool,
}

/// What most pieces of work keep at most.
const USUAL_KEEPS: usize = 8;

impl InFlight {
    /// For at most `capacity` pieces of work at a time, a power of two.
    pub fn new(state: Arc<QueueState>, capacity: usize) -> InFlight {
        let slot = || Slot { keep: Vec::with_capacity(USUAL_KEEPS), arguments_end: 0 };
        InFlight {
            state,
            slots: std::iter::repeat_with(slot).take(capacity).collect(),
            submitted: 0,
            retired: 0,
            arguments_free: 0,
            staged: Vec::with_capacity(USUAL_KEEPS),
            staged_links: Vec::with_capacity(USUAL_KEEPS),
            linked: false,
        }
    }

    /// Pieces of work that are done.
    #[inline]
    pub fn done(&self) -> u64 {
        self.state.done()
    }

    /// Pieces of work that were submitted.
    pub fn submitted(&self) -> u64 {
        self.submitted
    }

    /// How many are done when the older half of those in flight are.
    pub fn half(&self) -> u64 {
        let done = self.done();
        done + (self.submitted - done).div_ceil(2)
    }

    /// Up to where the ring of arguments is free.
    pub fn arguments_free(&self) -> u64 {
        self.arguments_free
    }

    /// Whether another piece of work can be noted.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.submitted - self.retired < self.slots.len() as u64
    }

    /// Lets go of what work that is done needed.
    pub fn retire(&mut self) {
        let done = self.done();
        while self.retired < done {
            let slot = &mut self.slots[self.retired as usize & (self.slots.len() - 1)];
            slot.keep.clear();
            self.arguments_free = self.arguments_free.max(slot.arguments_end);
            self.retired += 1;
        }
        if self.linked {
            self.linked = self.state.unlink(done);
        }
    }

    /// Begins with another piece of work; what was staged was not submitted.
    #[inline]
    pub fn unstage(&mut self) {
        self.staged.clear();
        self.staged_links.clear();
    }

    /// Notes the piece of work that was just submitted, which needs what is staged. Returns its number.
    #[inline]
    pub fn note(&mut self, arguments_end: u64) -> u64 {
        let number = self.submitted;
        for keep in &self.staged {
            if let KeepAlive::Memory { memory, writes } = keep {
                memory.uses.note(&self.state, number, *writes);
            }
        }
        if !self.staged_links.is_empty() {
            self.state.link(number, &mut self.staged_links);
            self.linked = true;
        }
        let slot = &mut self.slots[number as usize & (self.slots.len() - 1)];
        slot.arguments_end = arguments_end;
        // The emptied list that was there serves the next one.
        std::mem::swap(&mut slot.keep, &mut self.staged);
        self.submitted += 1;
        number
    }

    /// After the queue was destroyed: nothing runs any more, and what was not done never will be.
    pub fn abandon(&mut self) {
        self.retire();
        self.state.end();
        if self.retired < self.submitted {
            self.state.wake_waiters();
        }
        self.slots.iter_mut().for_each(|slot| slot.keep.clear());
    }

    /// Never lets go of anything: the queue could not be destroyed.
    pub fn forget(&mut self) {
        for slot in &mut self.slots {
            std::mem::forget(std::mem::take(&mut slot.keep));
        }
        std::mem::forget(self.state.clone());
    }
}
