//! Keep-alive table of a typed queue: memory, code and values that submitted work needs until it is done.

use std::any::Any;
use std::sync::Arc;

use crate::Ticket;
use crate::raw::Code;
use crate::typed::uses::UsedMemory;

/// Something that submitted work needs until it is done.
#[derive(Debug)]
pub(crate) enum KeepAlive {
    /// Memory that the work reads, or also writes.
    Memory { memory: Arc<UsedMemory>, writes: bool },
    /// The code that runs.
    Code { _code: Arc<Code> },
    /// What the program gave.
    Other { _other: Arc<dyn Any + Send + Sync> },
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

/// What the pieces of work of a queue need, in the order in which they were submitted, which is that in which they are
/// done. The table is made once; taking work in and out allocates nothing, unless a piece has more to keep than any
/// before in its place.
#[derive(Debug)]
pub(crate) struct InFlight {
    /// That of the last piece of work.
    last: Ticket,
    slots: Box<[Slot]>,
    retired: u64,
    /// Up to here the ring of arguments is free.
    arguments_free: u64,
    /// What the piece of work that is being put together needs.
    pub staged: Vec<KeepAlive>,
}

/// What most pieces of work keep at most.
const USUAL_KEEPS: usize = 8;

impl InFlight {
    /// For at most `capacity` pieces of work at a time, a power of two. `first` is the ticket of the queue's first.
    pub fn new(first: Ticket, capacity: usize) -> InFlight {
        let slot = || Slot { keep: Vec::with_capacity(USUAL_KEEPS), arguments_end: 0 };
        InFlight {
            last: first,
            slots: std::iter::repeat_with(slot).take(capacity).collect(),
            retired: 0,
            arguments_free: 0,
            staged: Vec::with_capacity(USUAL_KEEPS),
        }
    }

    /// Up to where the ring of arguments is free.
    pub fn arguments_free(&self) -> u64 {
        self.arguments_free
    }

    /// Whether another piece of work can be noted besides those that were `submitted`.
    #[inline]
    pub fn has_room(&self, submitted: u64) -> bool {
        submitted - self.retired < self.slots.len() as u64
    }

    /// Lets go of what the first `done` pieces of work needed.
    pub fn retire(&mut self, done: u64) {
        while self.retired < done {
            let slot = &mut self.slots[self.retired as usize & (self.slots.len() - 1)];
            slot.keep.clear();
            self.arguments_free = self.arguments_free.max(slot.arguments_end);
            self.retired += 1;
        }
    }

    /// Begins with another piece of work; what was staged was not submitted.
    #[inline]
    pub fn unstage(&mut self) {
        self.staged.clear();
    }

    /// Notes the piece of work of this number, which was just submitted and needs what is staged.
    #[inline]
    pub fn note(&mut self, number: u64, arguments_end: u64) {
        self.last.set_number(number);
        for keep in &self.staged {
            if let KeepAlive::Memory { memory, writes } = keep {
                memory.uses.note(&self.last, *writes);
            }
        }
        let slot = &mut self.slots[number as usize & (self.slots.len() - 1)];
        slot.arguments_end = arguments_end;
        // The emptied list that was there serves the next one.
        std::mem::swap(&mut slot.keep, &mut self.staged);
    }

    /// Never lets go of anything: the queue could not be destroyed.
    pub fn forget(&mut self) {
        for slot in &mut self.slots {
            std::mem::forget(std::mem::take(&mut slot.keep));
        }
    }
}
