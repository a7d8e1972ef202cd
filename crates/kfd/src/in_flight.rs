//! What a queue was given and is not done with.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::memory::Memory;
use crate::module::Code;
use crate::{Device, Result, Signal};

/// Something that submitted work needs until it is done.
#[derive(Debug)]
pub(crate) enum Keep {
    /// Memory that the work reads.
    Read { _memory: Arc<Memory> },
    /// Memory that the work writes.
    Write { _memory: Writing },
    /// A signal that the work waits for.
    Awaits { _signal: Signal },
    /// A signal that the work completes.
    Completes(Signal),
    /// The code that runs.
    Code { _code: Arc<Code> },
}

/// A reference to memory that is being written.
#[derive(Debug)]
pub(crate) struct Writing(Arc<Memory>);

impl Keep {
    pub fn read(memory: &Arc<Memory>) -> Keep {
        Keep::Read { _memory: memory.clone() }
    }

    pub fn write(memory: &Arc<Memory>) -> Keep {
        // Relaxed: the exclusive borrow of the buffer orders it before any look of the host.
        memory.writers.fetch_add(1, Ordering::Relaxed);
        Keep::Write { _memory: Writing(memory.clone()) }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        // Release: the work was seen to be done before. Counterpart: `Buffer::host`.
        self.0.writers.fetch_sub(1, Ordering::Release);
    }
}

#[derive(Debug, Default)]
struct Slot {
    keep: Vec<Keep>,
    /// How far the arguments of this piece of work reach in the ring of arguments.
    arguments_end: u64,
}

/// Pieces of work in the order in which they were submitted, which is that in which they are done. The queue counts them in a signal.
/// The table is made once; taking work in and out allocates nothing, unless a piece has more to keep than any before in its place.
#[derive(Debug)]
pub(crate) struct InFlight {
    /// Tells queues apart, also those of different times: no other has it in this process.
    pub id: u64,
    /// Starts at 0 and is decremented for every piece of work.
    pub counter: Signal,
    slots: Box<[Slot]>,
    submitted: u64,
    retired: u64,
    /// Up to here the ring of arguments is free.
    arguments_free: u64,
    /// What the piece of work that is being put together needs.
    pub staged: Vec<Keep>,
}

/// What most pieces of work keep at most.
const USUAL_KEEPS: usize = 8;

impl InFlight {
    /// For at most `capacity` pieces of work at a time, a power of two.
    pub fn new(device: Device, capacity: usize) -> Result<InFlight> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let slot = || Slot { keep: Vec::with_capacity(USUAL_KEEPS), arguments_end: 0 };
        Ok(InFlight {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            counter: Signal::polled(device, 0)?,
            slots: std::iter::repeat_with(slot).take(capacity).collect(),
            submitted: 0,
            retired: 0,
            arguments_free: 0,
            staged: Vec::with_capacity(USUAL_KEEPS),
        })
    }

    /// Pieces of work that are done.
    #[inline]
    pub fn done(&self) -> u64 {
        done(&self.counter)
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
    }

    /// Notes the piece of work that was just submitted, which needs what is staged. Returns its number.
    #[inline]
    pub fn note(&mut self, arguments_end: u64) -> u64 {
        let number = self.submitted;
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
        for slot in &mut self.slots {
            for keep in slot.keep.drain(..) {
                if let Keep::Completes(signal) = keep {
                    signal.abandon();
                }
            }
        }
    }

    /// Never lets go of anything: the queue could not be destroyed.
    pub fn forget(&mut self) {
        for slot in &mut self.slots {
            std::mem::forget(std::mem::take(&mut slot.keep));
        }
        self.counter.forget();
    }
}

/// Pieces of work that are done, by the signal that counts them.
#[inline]
pub(crate) fn done(counter: &Signal) -> u64 {
    counter.value().wrapping_neg() as u64
}
