//! Accesses of a work-group's waves to LDS that nothing orders, whatever the order was that they were made in.
//!
//! Each wave has a vector clock: what it knows to be done of itself and of the others. A barrier of the work-group, which all waves pass at once, tells each of them all that was
//! waited for in front of it (AMDGPUUsage, "Memory Model": a release at work-group scope waits with `s_waitcnt lgkmcnt(0)`).
//! An atomic that returns a value tells what those waves had done that made atomics on the same dword before, as counters and locks in LDS rely on; one that returns
//! nothing only adds to that. For each dword the last accesses are kept, of each kind those of two waves. A new access that conflicts with one of them is a race if
//! its wave does not know that one to be done. (Flanagan and Freund: FastTrack, PLDI 2009, with waves for threads.)
//!
//! Clocks never go back, from one work-group to the next either. So what is kept need not be cleared: all of it is known to be done.

use super::atomic_loads;
use crate::bus::{Access, Checks, MemoryFault, Race, Racer, Space, Unordered};
use crate::inst::{Format, Inst};
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

/// Waves of the largest work-group.
const WAVES: usize = 16;

/// Clock from which on everything starts anew, between two work-groups.
const LATE: u32 = 1 << 31;

/// What a lane does to bytes of LDS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touch {
    /// Offset in LDS of the first byte.
    pub address: u32,
    /// How many.
    pub bytes: u8,
    pub lane: u8,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Load,
    Store,
    Atomic {
        /// Whether the wave gets what was there before.
        returns: bool,
    },
}

impl Touch {
    /// It as what is told.
    pub fn fault(&self) -> MemoryFault {
        MemoryFault { address: self.address.into(), access: self.kind.access(), protection: false }
    }
}

impl Kind {
    pub fn access(self) -> Access {
        match self {
            Kind::Load => Access::Read,
            Kind::Store => Access::Write,
            Kind::Atomic { .. } => Access::Atomic,
        }
    }
}

type Clock = [u32; WAVES];

/// An access to a dword; none if its clock is 0.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Its wave's own clock.
    clock: u32,
    /// Index of the instruction.
    site: u16,
    wave: u8,
    lane: u8,
    /// Which bytes of the dword, a bit each.
    bytes: u8,
}

/// The last accesses of two waves, the newer first.
#[derive(Clone, Copy, Default)]
struct Two([Seen; 2]);

impl Two {
    /// From the clock `since` on nobody knows a part of what its wave did.
    fn push(&mut self, new: Seen, since: u32) {
        let [newer, older] = &mut self.0;
        if newer.wave != new.wave {
            std::mem::swap(newer, older);
        }
        let same = newer.wave == new.wave && newer.clock >= since;
        *newer = Seen { bytes: new.bytes | if same { newer.bytes } else { 0 }, ..new };
    }
}

#[derive(Clone, Copy, Default)]
struct Dword {
    loads: Two,
    stores: Two,
    atomics: Two,
    /// What was stored last.
    stored: u32,
}

impl Dword {
    /// An access that `new`, which leaves `content`, races with, of those that its wave does not know to be done. Not one that is `allowed` after all.
    fn conflict(
        &self,
        new: Seen,
        kind: Kind,
        content: u32,
        known: &Clock,
        allowed: impl Fn(&Seen) -> bool,
    ) -> Option<Seen> {
        // Two that store the same leave the same, whoever is the last.
        let harmless = |old: &Seen| kind == Kind::Store && (content ^ self.stored) & bits(old.bytes & new.bytes) == 0;
        let stores = self.stores.0.into_iter().filter(|old| !harmless(old));
        let loads = self.loads.0.into_iter().filter(|_| kind != Kind::Load);
        let atomics = self.atomics.0.into_iter().filter(|_| !matches!(kind, Kind::Atomic { .. }));
        stores.chain(loads).chain(atomics).find(|old| {
            old.wave != new.wave
                && old.bytes & new.bytes != 0
                && old.clock > known[usize::from(old.wave) % WAVES]
                && !allowed(old)
        })
    }

    fn push(&mut self, new: Seen, kind: Kind, content: u32, since: u32) {
        match kind {
            Kind::Load => self.loads.push(new, since),
            Kind::Store => {
                self.stores.push(new, since);
                self.stored = content;
            }
            Kind::Atomic { .. } => self.atomics.push(new, since),
        }
    }
}

/// An instruction that accessed LDS.
struct Site {
    pc: u64,
    instruction: Inst,
    access: Access,
    /// Whether it is a load that is atomic in the source, once somebody asked.
    is_atomic: OnceCell<bool>,
}

impl Site {
    fn is_atomic_load(&self, checks: &dyn Checks) -> bool {
        let look = || atomic_loads::is_atomic(self.pc, &self.instruction, checks);
        self.access == Access::Read && *self.is_atomic.get_or_init(look)
    }
}

/// The accesses of a work-group.
#[derive(Default)]
pub(crate) struct Races {
    dwords: Vec<Dword>,
    /// What each wave knows of each.
    clocks: [Clock; WAVES],
    /// The highest.
    now: u32,
    /// It when all waves passed the last barrier.
    passed: u32,
    /// Each wave's own when others last learned of it.
    since: Clock,
    /// Each wave's own until which its accesses are waited for, if it has made others since.
    waited: [Option<u32>; WAVES],
    /// What those know who made atomics on a dword, or arrived at the barrier of a cooperative launch.
    given: HashMap<u32, Clock>,
    sites: Vec<Site>,
    by_pc: HashMap<(u64, u8), u16>,
    /// Sites that the instruction in hand was told to race with.
    told: Vec<u16>,
    workgroup: [u32; 3],
}

/// Where [`Races::given`] has what goes with global wave sync: no offset in LDS.
const SYNC: u32 = u32::MAX;

impl Races {
    /// A work-group with so many bytes of LDS begins.
    pub fn start(&mut self, workgroup: [u32; 3], bytes: usize) {
        if self.now >= LATE {
            *self = Races::default();
        }
        let dwords = bytes.div_ceil(4);
        if self.dwords.len() < dwords {
            self.dwords.resize(dwords, Dword::default());
        }
        self.workgroup = workgroup;
        self.sites.clear();
        self.by_pc.clear();
        self.waited = [None; WAVES];
        self.barrier();
    }

    /// All waves pass a barrier.
    pub fn barrier(&mut self) {
        self.given.clear();
        let done: Clock = std::array::from_fn(|wave| self.waited[wave].unwrap_or(self.now));
        for (wave, clock) in self.clocks.iter_mut().enumerate() {
            raise(clock, &done);
            clock[wave] = self.now + 1;
        }
        self.passed = self.now;
        self.now += 1;
        self.since = [self.now; WAVES];
    }

    /// `wave` waits for its accesses. A wait for some of them is taken for one for all.
    pub fn wait(&mut self, wave: u32) {
        let wave = wave as usize % WAVES;
        if self.waited[wave].take().is_some() {
            self.clocks[wave][wave] += 1;
            self.now = self.now.max(self.clocks[wave][wave]);
        }
    }

    /// `wave` tells what it has done to those that will take it at `at`.
    fn give(&mut self, wave: usize, at: u32) {
        let given = self.given.entry(at).or_default();
        raise(given, &self.clocks[wave]);
    }

    fn take(&mut self, wave: usize, at: u32) {
        let Some(given) = self.given.get(&at) else { return };
        raise(&mut self.clocks[wave], given);
    }

    /// What `wave` does from now on was not done yet when it gave.
    fn go_on(&mut self, wave: usize) {
        self.clocks[wave][wave] += 1;
        self.now = self.now.max(self.clocks[wave][wave]);
        self.since[wave] = self.clocks[wave][wave];
    }

    /// `wave` arrives where all waves of the grid wait for each other.
    pub fn arrive(&mut self, wave: u32) {
        let wave = wave as usize % WAVES;
        self.give(wave, SYNC);
        self.go_on(wave);
    }

    /// All waves of the grid have arrived, and `wave` goes on.
    pub fn leave(&mut self, wave: u32) {
        self.take(wave as usize % WAVES, SYNC);
    }

    /// Adds what the instruction at `pc` did, of which `lds` is the outcome, and tells whom it races with.
    pub fn add(&mut self, wave: u32, pc: u64, instruction: &Inst, touches: &[Touch], lds: &[u8], checks: &dyn Checks) {
        let number = wave as usize % WAVES;
        let atomics = || touches.iter().filter(|touch| matches!(touch.kind, Kind::Atomic { .. }));
        for touch in atomics().filter(|touch| touch.kind == Kind::Atomic { returns: true }) {
            self.take(number, touch.address & !3);
        }
        self.told.clear();
        for touch in touches {
            let access = touch.kind.access();
            let Some(site) = self.site(pc, instruction, access) else { continue };
            // What is outside is told as such.
            let Some(end) = touch.address.checked_add(touch.bytes.into()).filter(|end| *end as usize <= lds.len())
            else {
                continue;
            };
            for at in touch.address / 4..end.div_ceil(4) {
                let Some(dword) = self.dwords.get_mut(at as usize) else { break };
                let clock = &self.clocks[number];
                let bytes = mask(at, touch.address, end);
                let new = Seen { clock: clock[number], site, wave: number as u8, lane: touch.lane, bytes };
                // The last dword may be a part.
                let content = std::array::from_fn(|i| lds.get(at as usize * 4 + i).copied().unwrap_or(0));
                let content = u32::from_le_bytes(content);
                let by = |number: u16| self.sites.get(usize::from(number)).filter(|site| site.is_atomic_load(checks));
                // Whoever waits by loads takes what was done before the stores that it waits for.
                let waited_for = Cell::new(0u32);
                let conflict = dword.conflict(new, touch.kind, content, clock, |old| {
                    let waits = by(site).is_some();
                    waited_for.set(waited_for.get() | u32::from(waits) << old.wave);
                    waits || by(old.site).is_some()
                });
                dword.push(new, touch.kind, content, self.since[number]);
                if waited_for.get() != 0 {
                    self.take(number, touch.address & !3);
                    (0..WAVES).filter(|other| waited_for.get() >> other & 1 != 0).for_each(|other| {
                        let given = self.clocks[other];
                        raise(&mut self.clocks[number], &given);
                        self.go_on(other);
                    });
                }
                let Some(old) = conflict.filter(|old| !self.told.contains(&old.site)) else { continue };
                self.told.push(old.site);
                let Some(Site { pc: first, instruction: text, access: did, .. }) =
                    self.sites.get(usize::from(old.site))
                else {
                    continue;
                };
                let workgroup = self.workgroup;
                let (old_wave, old_lane) = (old.wave.into(), Some(old.lane));
                checks.race(&Race {
                    space: Space::Lds { bytes: lds.len() as u32 },
                    address: u64::from(at * 4 + (old.bytes & bytes).trailing_zeros()),
                    unordered: if old.clock <= self.passed { Unordered::Unwaited } else { Unordered::Waves },
                    first: Racer {
                        pc: *first,
                        instruction: text,
                        workgroup,
                        wave: old_wave,
                        lane: old_lane,
                        access: *did,
                    },
                    second: Racer { pc, instruction, workgroup, wave, lane: Some(touch.lane), access },
                });
            }
        }
        // Loads to LDS are counted as those of vector memory are.
        if matches!(instruction.format, Format::Ds | Format::Flat) && !touches.is_empty() {
            self.waited[number].get_or_insert(self.clocks[number][number] - 1);
        }
        for touch in atomics() {
            self.give(number, touch.address & !3);
        }
        if atomics().next().is_some() {
            self.go_on(number);
        }
    }

    /// The number of an instruction. `None` where a work-group has more of them than are counted.
    fn site(&mut self, pc: u64, instruction: &Inst, access: Access) -> Option<u16> {
        if let Some(&known) = self.by_pc.get(&(pc, access as u8)) {
            return Some(known);
        }
        let number = u16::try_from(self.sites.len()).ok()?;
        self.sites.push(Site { pc, instruction: *instruction, access, is_atomic: OnceCell::new() });
        self.by_pc.insert((pc, access as u8), number);
        Some(number)
    }
}

/// Adds `more` to what is known.
fn raise(known: &mut Clock, more: &Clock) {
    known.iter_mut().zip(more).for_each(|(known, more)| *known = (*more).max(*known));
}

/// Which bytes of a dword are from `start` to `end`, a bit each.
fn mask(dword: u32, start: u32, end: u32) -> u8 {
    let first = start.saturating_sub(dword * 4);
    let behind = (end - dword * 4).min(4);
    ((1u8 << behind) - 1) & (0xf << first)
}

/// The bits of those bytes.
pub(crate) fn bits(bytes: u8) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| if bytes >> i & 1 != 0 { 0xff } else { 0 }))
}
