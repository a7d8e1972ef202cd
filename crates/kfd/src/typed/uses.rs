//! Which submitted work uses the memory of a buffer.

use std::ops::Deref;
use std::sync::{Arc, Mutex};

use crate::driver::lock;
use crate::raw::Memory;
use crate::{Ticket, Tickets};

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

/// The work that uses some memory.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<Users>);

#[derive(Debug, Default)]
struct Users {
    any: Tickets,
    writing: Tickets,
}

impl Uses {
    /// Notes a piece of work that was submitted.
    #[inline]
    pub fn note(&self, ticket: &Ticket, writes: bool) {
        let mut users = lock(&self.0);
        users.any.insert(ticket);
        if writes {
            users.writing.insert(ticket);
        }
    }

    /// Whether work that writes may still run.
    pub fn any_writes(&self) -> bool {
        self.any_of(|users| &users.writing)
    }

    /// Whether work may still run.
    pub fn any(&self) -> bool {
        self.any_of(|users| &users.any)
    }

    /// Whether such work of a queue may not be over. The lock is not held while a queue is asked that may have to count
    /// first: others submit meanwhile.
    fn any_of(&self, work: fn(&Users) -> &Tickets) -> bool {
        loop {
            let first = work(&lock(&self.0)).first_not_over().cloned();
            match first {
                None => return false,
                Some(ticket) if !ticket.is_over_now() => return true,
                // It is over, so another one is found next, if any.
                Some(_) => {}
            }
        }
    }
}
