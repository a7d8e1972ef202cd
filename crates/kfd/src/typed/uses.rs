//! Which submitted work uses the memory of a buffer.

use std::ops::Deref;
use std::sync::{Arc, Mutex};

use smallvec::SmallVec;

use crate::Ticket;
use crate::driver::lock;
use crate::raw::Memory;

/// The memory of buffers, with the work that was submitted with it.
#[derive(Debug)]
pub(crate) struct UsedMemory {
    memory: Memory,
    pub uses: Uses,
}

impl UsedMemory {
    /// Memory that no work uses yet.
    pub fn new(memory: Memory) -> Arc<UsedMemory> {
        Arc::new(UsedMemory { memory, uses: Uses::default() })
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

/// The last work of a queue that uses the memory.
#[derive(Debug)]
struct Use {
    any: Ticket,
    writing: Option<Ticket>,
}

impl Uses {
    /// Notes a piece of work that was submitted.
    #[inline]
    pub fn note(&self, ticket: &Ticket, writes: bool) {
        let mut uses = lock(&self.0);
        match uses.iter_mut().find_map(|one| one.any.follow(ticket).then_some(&mut one.writing)) {
            Some(Some(writing)) if writes => _ = writing.follow(ticket),
            Some(writing) if writes => *writing = Some(ticket.clone()),
            Some(_) => {}
            None => {
                uses.retain(|one| !one.any.is_over());
                uses.push(Use { any: ticket.clone(), writing: writes.then(|| ticket.clone()) });
            }
        }
    }

    /// Whether work that writes may still run.
    pub fn any_writes(&self) -> bool {
        self.any_of(|one| one.writing.as_ref())
    }

    /// Whether work may still run.
    pub fn any(&self) -> bool {
        self.any_of(|one| Some(&one.any))
    }

    /// Whether such work of a queue may not be over. The lock is not held while a queue is asked that may have to count first: others submit
    /// meanwhile.
    fn any_of(&self, work: fn(&Use) -> Option<&Ticket>) -> bool {
        loop {
            let first = lock(&self.0).iter().filter_map(work).find(|ticket| !ticket.is_over()).cloned();
            match first {
                None => return false,
                Some(ticket) if !ticket.is_over_now() => return true,
                // It is over, so another one is found next, if any.
                Some(_) => {}
            }
        }
    }
}
