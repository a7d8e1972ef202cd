//! Shadow memory of device memory: the last accesses to each dword by all waves of a dispatch.

mod cell;
mod page;
mod page_table;

use crate::machine::bus::Access;
use crate::sanitizer::allocations::Allocations;
pub(crate) use crate::sanitizer::race::shadow::cell::{By, Dword, Seen};
pub(crate) use crate::sanitizer::race::shadow::page::{Block, LINE, Line, Page, Place, Row};
use crate::sanitizer::race::shadow::page_table::Tables;
use crate::sanitizer::race::vector_clock::{Clock, Known, Shared, raise};
pub(crate) use crate::sanitizer::trace::lane_stride::Unit;
use gcn_isa::inst::Inst;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// Bytes of memory whose accesses are kept together.
const PAGE: u64 = 4096;
/// Bytes of them that are locked together, as several threads run work-groups of a dispatch.
const BLOCK: u64 = 1024;

/// What those know who have made atomics on a flag, or stored to it.
#[derive(Clone)]
pub(crate) struct Given {
    /// The clocks that were released, for waves of other work-groups.
    pub known: Known,
    /// The work-group that gave last.
    pub group: u32,
    /// The clock of `group` that was released, for its own waves.
    pub own: Clock,
}

impl Given {
    /// Adds what comes after it.
    fn add(&mut self, new: &Given) {
        let own = std::mem::replace(&mut self.own, new.own);
        if self.group == new.group {
            raise(&mut self.own, &own);
        }
        (self.known, self.group) = (self.known.with(&new.known), new.group);
    }
}

/// The first address of the page that has this one.
pub(crate) fn page_of(address: u64) -> u64 {
    address / PAGE * PAGE
}

/// Bytes from `address` to the end of its block.
pub(crate) fn until_next_block(address: u64) -> u32 {
    (BLOCK - address % BLOCK) as u32
}

/// Whether two addresses are in the same block.
pub(crate) fn are_together(a: u64, b: u64) -> bool {
    a / BLOCK == b / BLOCK
}

/// An instruction that accesses device memory.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub pc: u64,
    pub instruction: Inst,
    pub access: Access,
}

#[derive(Default)]
struct Sites {
    all: Vec<Site>,
    by_pc: HashMap<u64, u16>,
}

/// What a wave knew from its clock's value on.
type Taken = (u16, Shared);

/// How many of them are kept of a work-group.
const TAKEN: usize = 32;

/// Shadow memory of a dispatch, for race detection in device memory. It ends with the dispatch, because later packets
/// see all of its accesses.
///
/// A line of 64 bytes takes 40 bytes from its first access on, with the others of its page of 4 KiB, and 256 more once
/// waves do not access all of it; a flag some 60 more, with 2 KiB for those of its KiB.
pub struct Shadow {
    pages: Tables,
    sites: RwLock<Sites>,
    /// What waves have been given, by the number of their work-group, of those that were given something.
    taken: Mutex<HashMap<u32, Vec<Taken>>>,
    /// Where all waves of the grid wait for each other.
    sync: Mutex<Option<Given>>,
    /// A wave has taken from memory that is not looked at.
    takes_unseen: AtomicBool,
}

impl std::fmt::Debug for Shadow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shadow").finish_non_exhaustive()
    }
}

impl Default for Shadow {
    fn default() -> Shadow {
        Shadow::new()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shadow {
    /// An empty shadow.
    pub fn new() -> Shadow {
        Shadow {
            pages: Tables::default(),
            sites: RwLock::default(),
            taken: Mutex::default(),
            sync: Mutex::default(),
            takes_unseen: AtomicBool::new(false),
        }
    }

    /// The page at `address`, if any of it is the program's.
    #[inline]
    pub(crate) fn page(&self, address: u64, allocations: &dyn Allocations) -> Option<&Page> {
        self.pages.page(address, allocations)
    }

    /// Reads what is kept of these addresses, so that the host's caches get it all at once: behind locks they do so one
    /// by one.
    pub(crate) fn fetch(&self, mut addresses: impl Iterator<Item = u64>) {
        loop {
            // First where it is, so that the loop of the reads has nothing else in it.
            let mut dwords = [None; 64];
            let mut count = 0;
            for (dword, address) in dwords.iter_mut().zip(&mut addresses) {
                *dword = self.pages.get(address).and_then(|page| Some(page.as_ref()?.first_of(address)));
                count += 1;
            }
            let reads = dwords.iter().flatten().map(|dword| dword.load(Ordering::Relaxed));
            std::hint::black_box(reads.fold(0, |all, seen| all ^ seen));
            if count < dwords.len() {
                return;
            }
        }
    }

    /// The number of an instruction. `None` where a dispatch has more of them than are counted.
    pub(crate) fn site(&self, pc: u64, instruction: &Inst, access: Access) -> Option<u16> {
        let known = self.sites.read().unwrap_or_else(PoisonError::into_inner).by_pc.get(&pc).copied();
        if known.is_some() {
            return known;
        }
        let mut sites = self.sites.write().unwrap_or_else(PoisonError::into_inner);
        if sites.all.len() >> Seen::SITE_BITS != 0 {
            return None;
        }
        let number = sites.all.len() as u16;
        let new = *sites.by_pc.entry(pc).or_insert(number);
        if new == number {
            sites.all.push(Site { pc, instruction: *instruction, access });
        }
        Some(new)
    }

    /// A wave has taken from memory that is not looked at: nobody knows what it was given.
    pub(crate) fn take_unseen(&self) {
        self.takes_unseen.store(true, Ordering::Relaxed);
    }

    /// Whether one has.
    pub(crate) fn takes_unseen(&self) -> bool {
        self.takes_unseen.load(Ordering::Relaxed)
    }

    /// All instructions so far, by their numbers.
    pub(crate) fn sites(&self) -> Vec<Site> {
        self.sites.read().unwrap_or_else(PoisonError::into_inner).all.clone()
    }

    /// The pages that were accessed, with their addresses, in order.
    pub(crate) fn each_page(&self, with: impl FnMut(u64, &Page)) {
        self.pages.each(with);
    }

    /// The instruction with this number.
    pub(crate) fn site_of(&self, number: u16) -> Option<Site> {
        let sites = self.sites.read().unwrap_or_else(PoisonError::into_inner);
        sites.all.get(usize::from(number)).copied()
    }

    /// A wave of `group` knows all of `seen` from `clock` on.
    pub(crate) fn note_taken(&self, group: u32, clock: u16, seen: &Shared) {
        let mut taken = lock(&self.taken);
        let all = taken.entry(group).or_default();
        all.push((clock, seen.clone()));
        if all.len() > TAKEN {
            // The next one is taken to have been known as early.
            all[1].0 = all[0].0;
            all.remove(0);
        }
    }

    /// What was given with a store that was made before anybody knew that it is one to a flag. It is not known which
    /// other waves of the work-group were ordered before it: all are taken as done until its clock.
    pub(crate) fn given_with(&self, store: Seen) -> Given {
        let (group, clock) = (store.group(), store.clock());
        let mut own = [clock - 1; crate::sanitizer::race::vector_clock::WAVES];
        let known = Known::of(group, own);
        own[store.wave()] = clock;
        let before = lock(&self.taken).get(&group).and_then(|all| {
            let last = all.iter().rev().find(|(at, _)| *at <= clock);
            last.map(|(_, seen)| seen.clone())
        });
        Given { known: before.map_or(known.clone(), |before| before.with(&known)), group, own }
    }

    /// A wave arrives where all waves of the grid wait for each other.
    pub(crate) fn arrive(&self, given: Given) {
        let mut sync = lock(&self.sync);
        match &mut *sync {
            Some(all) => all.add(&given),
            None => *sync = Some(given),
        }
    }

    /// What those know that have arrived there.
    pub(crate) fn arrived(&self) -> Option<Given> {
        lock(&self.sync).clone()
    }
}
