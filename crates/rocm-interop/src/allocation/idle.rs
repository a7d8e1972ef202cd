//! Memory that comes back to a pool instead of being given back.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::allocation::{Allocation, Owner};
use crate::error::Api;
use crate::session::Core;
use crate::{Error, Result};

/// What is in a pool and not in use by the program; the GPU may still use it.
#[derive(Debug, Default)]
pub(crate) struct IdleList(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// That which came back first is first.
    memory: VecDeque<Allocation>,
    counts: Counts,
}

/// Since the pool was made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Allocations that the pool has, in use or not.
    pub(crate) allocated: usize,
    pub(crate) idle: usize,
    pub(crate) taken: u64,
    pub(crate) reused: u64,
    pub(crate) waited: u64,
}

/// What a pool gives.
pub(crate) enum Given<'i> {
    Used(Allocation),
    /// There is room for one more.
    New(Room<'i>),
    None,
}

/// Room for one more in a pool, which is counted already. It is given up when dropped, unless it was
/// [filled](Room::fill): who makes memory may fail, and panic.
pub(crate) struct Room<'i> {
    idle: &'i Arc<IdleList>,
    filled: bool,
}

impl Room<'_> {
    /// `memory` is of the pool from now on.
    ///
    /// # Errors
    /// [`Error::Argument`] if it cannot be: it is not `session`'s, or of a pool already, to which it goes back.
    pub(crate) fn fill(mut self, session: &Arc<Core>, memory: &mut Allocation) -> Result<()> {
        memory.check_session(session)?;
        if memory.home.is_some() {
            let reason = "is of another pool, to which it goes back".to_owned();
            return Err(Error::Argument { subject: "buffer", reason });
        }
        memory.home = Some(Arc::downgrade(self.idle));
        self.filled = true;
        Ok(())
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        if !self.filled {
            let counts = &mut self.idle.0.lock().counts;
            counts.allocated -= 1;
            counts.taken -= 1;
        }
    }
}

impl IdleList {
    pub(crate) fn counts(&self) -> Counts {
        let state = self.0.lock();
        Counts { idle: state.memory.len(), ..state.counts }
    }

    /// Memory that no work uses any more; where the GPU still uses all, new memory if there are fewer than `limit`,
    /// else the oldest, which is waited for.
    pub(crate) fn take(self: &Arc<IdleList>, limit: usize) -> Result<Given<'_>> {
        let mut state = self.0.lock();
        let mut unused = None;
        for (index, memory) in state.memory.iter().enumerate() {
            if memory.is_unused()? {
                unused = Some(index);
                break;
            }
        }
        if unused.is_none() && state.counts.allocated < limit {
            state.counts.allocated += 1;
            state.counts.taken += 1;
            return Ok(Given::New(Room { idle: self, filled: false }));
        }
        let Some(memory) = state.memory.remove(unused.unwrap_or(0)) else { return Ok(Given::None) };
        // Others may take and give back meanwhile.
        drop(state);
        let waited = memory.wait_for_uses();
        let mut state = self.0.lock();
        if let Err(error) = waited {
            state.memory.push_front(memory);
            return Err(error);
        }
        state.counts.taken += 1;
        state.counts.reused += 1;
        state.counts.waited += u64::from(unused.is_none());
        Ok(Given::Used(memory.renewed()))
    }

    /// One has left for good.
    pub(crate) fn lost(&self) {
        self.0.lock().counts.allocated -= 1;
    }
}

impl Allocation {
    /// It is given back instead, as others have it too.
    pub(crate) fn leave_home(&self) {
        self.made_by().exported.store(true, Ordering::Relaxed);
    }

    /// Goes there, and waits for nothing. Whether there is one.
    pub(super) fn go_home(&mut self) -> bool {
        let Some(home) = self.home.as_ref().and_then(Weak::upgrade) else { return false };
        if *self.exported.get_mut() {
            self.home = None;
            home.lost();
            return false;
        }
        // Of this one, nothing is left to give back then.
        let owner = std::mem::replace(&mut self.owner, Owner::Hip);
        self.released = true;
        let mut back = Allocation::of(&self.core, owner, self.address, self.bytes, self.residency);
        back.home = self.home.take();
        *back.address_given.get_mut() = *self.address_given.get_mut();
        *back.in_stream.get_mut() = *self.in_stream.get_mut();
        home.0.lock().memory.push_back(back);
        true
    }

    /// Whether it is known that no work uses it any more. Waits for nothing.
    fn is_unused(&self) -> Result<bool> {
        self.core.check_abandoned(Api::OpenCl)?;
        if self.core.shares_queue() || self.may_be_used_in_stream() {
            return Ok(false);
        }
        self.core.are_ended_before(self.unused_from())
    }

    /// For the next user: nobody has its address, and nobody is told of what its last user did. Nobody works on it.
    fn renewed(mut self) -> Allocation {
        self.disown();
        *self.address_given.get_mut() = false;
        self
    }
}
