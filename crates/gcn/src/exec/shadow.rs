//! Who accessed which dword of device memory last, of all waves of a dispatch.

mod page;

use super::known::{Clock, Known, Shared, raise};
use crate::bus::{Access, Checks};
use crate::inst::Inst;
pub(crate) use page::{LINE, Line, Page, Row};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// Bytes of memory whose accesses are kept together.
const PAGE: u64 = 4096;
/// Parts that are locked apart, as several threads run work-groups of a dispatch.
const SHARDS: u64 = 64;

/// An access to a dword: 0 if there was none.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen(u64);

impl Seen {
    /// Bits of the number of a work-group. Those of higher numbers are not looked at.
    pub const GROUP_BITS: u32 = 20;
    /// Bits of the number of an instruction.
    const SITE_BITS: u32 = 12;

    pub fn new(group: u32, wave: u32, clock: u16, by: By) -> Seen {
        let By { site, lane, bytes } = by;
        let fields = u64::from(clock) << 24 | u64::from(lane) << 18 | u64::from(bytes) << 14 | u64::from(site) << 2;
        Seen(u64::from(group) << 44 | u64::from(wave & 15) << 40 | fields)
    }

    pub fn is_none(self) -> bool {
        self.0 & !(Seen::FLAG | Seen::TAKEN) == 0
    }

    pub fn group(self) -> u32 {
        (self.0 >> 44) as u32
    }

    pub fn wave(self) -> usize {
        (self.0 >> 40 & 15) as usize
    }

    pub fn clock(self) -> u16 {
        (self.0 >> 24) as u16
    }

    pub fn by(self) -> By {
        By {
            site: (self.0 >> 2) as u16 & ((1 << Seen::SITE_BITS) - 1),
            lane: (self.0 >> 18) as u8 & 63,
            bytes: (self.0 >> 14) as u8 & 15,
        }
    }

    /// The same by this lane, to these bytes.
    pub fn with(self, lane: u8, bytes: u8) -> Seen {
        Seen(self.0 | u64::from(lane) << 18 | u64::from(bytes) << 14)
    }

    /// All of it, to compare.
    #[cfg(test)]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The same without lane and bytes.
    fn without(self) -> Seen {
        Seen(self.0 & !(0x3ff << 14))
    }

    /// Whether it is another wave's, to a byte that `other` is to.
    #[inline]
    pub fn overlaps(self, other: Seen) -> bool {
        !self.is_none() && !self.is_of(other) && (self.0 & other.0) >> 14 & 15 != 0
    }

    /// Whether it is of the same wave.
    pub fn is_of(self, other: Seen) -> bool {
        (self.0 ^ other.0) >> 40 == 0
    }

    /// With the bytes of an earlier one, if that is of the same wave, and nothing came between that others might know.
    fn with_bytes(self, old: Seen) -> Seen {
        let is_same = (self.0 ^ old.0) >> 24 == 0;
        if is_same { Seen(self.0 | old.0 & 15 << 14) } else { self }
    }

    /// With the last store: the dword is a flag.
    const FLAG: u64 = 1;
    /// With it: somebody got what was there.
    const TAKEN: u64 = 2;
}

/// Who made an access, in its wave, and to what.
#[derive(Clone, Copy)]
pub(crate) struct By {
    /// Number of the instruction.
    pub site: u16,
    pub lane: u8,
    /// Bytes of the dword, a bit each.
    pub bytes: u8,
}

/// The last accesses to a dword.
#[derive(Clone, Copy, Default)]
pub(crate) struct Dword {
    pub store: Seen,
    pub load: Seen,
}

impl Dword {
    /// One that is a flag.
    const A_FLAG: Dword = Dword { store: Seen(Seen::FLAG), load: Seen(0) };

    /// Whether waves have made atomics on it, or loads that see what other compute units have stored.
    pub fn is_flag(&self) -> bool {
        self.store.0 & Seen::FLAG != 0
    }

    /// Whether somebody was given something by the flag.
    pub fn is_taken(&self) -> bool {
        self.store.0 & Seen::TAKEN != 0
    }

    /// Adds an access to a flag, for what looks at the dispatch as a whole.
    pub fn add_to_flag(&mut self, new: Seen, access: Access, takes: bool) {
        let marks = self.store.0 & Seen::TAKEN | Seen::FLAG | if takes { Seen::TAKEN } else { 0 };
        let store = if access == Access::Read { self.store } else { new };
        self.store = Seen(store.0 | marks);
        if access == Access::Read {
            self.load = new;
        }
    }

    pub fn set_store(&mut self, new: Seen) {
        self.store = new.with_bytes(self.store);
    }

    pub fn set_load(&mut self, new: Seen) {
        self.load = new.with_bytes(self.load);
    }
}

/// What those know who have made atomics on a flag, or stored to it.
#[derive(Clone)]
pub(crate) struct Given {
    /// What is done for waves of other work-groups.
    pub known: Known,
    /// The work-group that gave last.
    pub group: u32,
    /// What is done of it for its own waves.
    pub own: Clock,
}

impl Given {
    fn with(&self, new: &Given) -> Given {
        let mut own = new.own;
        if self.group == new.group {
            raise(&mut own, &self.own);
        }
        Given { known: self.known.with(&new.known), group: new.group, own }
    }
}

/// By numbers of pages, or of dwords in one: the hash is not for what a stranger chooses.
type PageMap<T> = HashMap<u64, T, BuildHasherDefault<Multiplied>>;

/// A number times another, with the bits that many others have a part in where a table looks first.
#[derive(Default)]
struct Multiplied(u64);

impl Hasher for Multiplied {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

/// A page's, once somebody asked: none if nothing in it is the program's.
#[derive(Default)]
pub(crate) struct Shard(PageMap<Option<Page>>);

impl Shard {
    #[inline]
    pub fn page(&mut self, address: u64, checks: &dyn Checks) -> Option<&mut Page> {
        self.0.entry(address / PAGE).or_insert_with(|| Page::new(address, checks)).as_mut()
    }
}

/// The first address of the page that has this one.
pub(crate) fn page_of(address: u64) -> u64 {
    address / PAGE * PAGE
}

/// Bytes from `address` to the end of its page.
pub(crate) fn until_next_page(address: u64) -> u32 {
    (PAGE - address % PAGE) as u32
}

/// Whether two addresses are in the same page.
pub(crate) fn are_together(a: u64, b: u64) -> bool {
    a / PAGE == b / PAGE
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

/// What the waves of a dispatch did to device memory, for a device that looks for races there. It goes with its dispatch: what comes after sees all that the dispatch did.
///
/// A line of 64 bytes takes 32 bytes from its first access on, with the others of its page of 4 KiB, and 256 more once waves do not access all of it; a flag some 60 more.
pub struct Shadow {
    shards: Vec<Mutex<Shard>>,
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
    /// Nothing is done yet.
    pub fn new() -> Shadow {
        Shadow {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            sites: RwLock::default(),
            taken: Mutex::default(),
            sync: Mutex::default(),
            takes_unseen: AtomicBool::new(false),
        }
    }

    pub(crate) fn shard(&self, address: u64) -> MutexGuard<'_, Shard> {
        lock(&self.shards[(address / PAGE % SHARDS) as usize])
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

    /// The pages that were accessed, with their addresses, in no order.
    pub(crate) fn each_page(&self, mut with: impl FnMut(u64, &Page)) {
        for shard in &self.shards {
            let shard = lock(shard);
            let pages = shard.0.iter().filter_map(|(number, page)| Some((number * PAGE, page.as_ref()?)));
            pages.for_each(|(address, page)| with(address, page));
        }
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

    /// What was given with a store that was made before anybody knew that it is one to a flag. It is not known which other waves of the work-group were ordered before it:
    /// all are taken as done until its clock.
    pub(crate) fn given_with(&self, store: Seen) -> Given {
        let (group, clock) = (store.group(), store.clock());
        let mut own = [clock - 1; super::known::WAVES];
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
        *sync = Some(match &*sync {
            Some(all) => all.with(&given),
            None => given,
        });
    }

    /// What those know that have arrived there.
    pub(crate) fn arrived(&self) -> Option<Given> {
        lock(&self.sync).clone()
    }
}
