//! State of `vgpu check` for a process, beyond its page tables: the program's allocations, and the findings.
//!
//! The driver sees whole pages. What was asked for is known to AMD's runtime, and `preload::rocr` hears of it.

pub mod allocations;
pub mod code;
pub mod findings;
pub mod frees;
pub mod kinds;
pub mod leaks;
pub mod order;
pub mod overlaps;
pub mod pieces;
pub mod pinned;
pub mod poison;
pub mod signals;

pub use allocations::Allocations;

use crate::locks::{lock, read, write};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

static ALLOCATIONS: RwLock<Allocations> = RwLock::new(Allocations::new());

/// The allocations of this process, on whichever GPU: all have them at the addresses that the host has.
pub fn allocations() -> RwLockReadGuard<'static, Allocations> {
    read(&ALLOCATIONS)
}

/// As [`allocations()`], to change them.
pub fn allocations_mut() -> RwLockWriteGuard<'static, Allocations> {
    write(&ALLOCATIONS)
}

/// Keeps all of this still during a fork. It is below all other locks.
pub struct ForkGuard {
    pinned: MutexGuard<'static, pinned::State>,
    allocations: RwLockWriteGuard<'static, Allocations>,
    loaded: MutexGuard<'static, Vec<code::Loaded>>,
    found: MutexGuard<'static, Option<HashMap<findings::Place, findings::Count>>>,
    leaks: MutexGuard<'static, Option<leaks::Record>>,
    order: MutexGuard<'static, Option<order::Order>>,
    overlaps: MutexGuard<'static, overlaps::Records>,
    held: MutexGuard<'static, BTreeMap<u64, Vec<Arc<signals::Packet>>>>,
}

/// Begins to keep it still.
pub fn lock_for_fork() -> ForkGuard {
    ForkGuard {
        // First: who has it takes the others.
        pinned: lock(&pinned::STATE),
        allocations: allocations_mut(),
        loaded: lock(&code::LOADED),
        found: lock(&findings::KNOWN),
        leaks: lock(&leaks::RECORD),
        order: lock(&order::ORDER),
        overlaps: lock(&overlaps::RECORDS),
        held: lock(&signals::HELD),
    }
}

impl ForkGuard {
    /// Discards the parent's state in a forked child, which has none of the parent's memory.
    pub fn forget_in_child(&mut self) {
        *self.pinned = pinned::State::default();
        self.allocations.clear();
        self.loaded.clear();
        *self.found = None;
        *self.leaks = None;
        *self.order = None;
        *self.overlaps = overlaps::Records::default();
        self.held.clear();
    }
}
