//! Race detection in LDS between the waves of a work-group. A race is found whichever access was executed first.
//!
//! Each wave has a vector clock: what it knows to be done of itself and of the others. A barrier of the work-group,
//! which all waves pass at once, tells each of them all that was waited for in front of it (AMDGPUUsage, "Memory
//! Model": a release at work-group scope waits with `s_waitcnt lgkmcnt(0)`). An atomic that returns a value tells what
//! those waves had done that made atomics on the same dword before, as counters and locks in LDS rely on; one that
//! returns nothing only adds to that. For each dword the last accesses are kept, of each kind those of two waves. A new
//! access that conflicts with one of them is a race if its wave does not know that one to be done. (Flanagan and
//! Freund: FastTrack, PLDI 2009, with waves for threads.)
//!
//! Clocks never go back, from one work-group to the next either. So what is kept need not be cleared: all of it is
//! known to be done.

use crate::machine::bus::Access;
use crate::sanitizer::race::implied_atomic;
use crate::sanitizer::report::{Checks, Race, Racer, Space, Unordered};
use crate::sanitizer::trace::lds::{Kind, Touch, Touches};
use gcn_isa::inst::{Format, Inst};
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

mod shadow;

use crate::sanitizer::race::lds::shadow::{Dwords, Known, Seen};

pub(crate) use crate::sanitizer::race::lds::shadow::bits;

/// Waves of the largest work-group.
const WAVES: usize = 16;

/// How many instructions are found without a search.
const RECENT: usize = 32;

/// Clock from which on everything starts anew, between two work-groups.
const LATE: u32 = 1 << 31;

type Clock = [u32; WAVES];

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
        let look = || implied_atomic::is_atomic(self.pc, &self.instruction, checks);
        self.access == Access::Read && *self.is_atomic.get_or_init(look)
    }
}

/// What those know who made atomics on a dword since the barrier in front of which the clocks were `since`.
#[derive(Clone, Copy, Default)]
struct Given {
    since: u32,
    clock: Clock,
}

impl Given {
    fn add(&mut self, since: u32, clock: &Clock) {
        if self.since != since {
            *self = Given { since, clock: [0; WAVES] };
        }
        raise(&mut self.clock, clock);
    }
}

/// The accesses of a work-group.
#[derive(Default)]
pub(crate) struct Races {
    dwords: Dwords,
    /// What the wave knows whose instruction is in hand.
    known: Known,
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
    /// By the dword, up to the last one with atomics.
    given: Vec<Given>,
    /// What those know who arrived at the barrier of a cooperative launch.
    arrived: Given,
    sites: Vec<Site>,
    by_pc: HashMap<(u64, u8), u16>,
    /// Some of them, by the low bits of the dword.
    recent: [Option<(u64, Access, u16)>; RECENT],
    /// Sites that the instruction in hand was told to race with.
    told: Vec<u16>,
    workgroup: [u32; 3],
}

impl Races {
    /// Starts a work-group with `bytes` bytes of LDS.
    pub fn start(&mut self, workgroup: [u32; 3], bytes: usize) {
        if self.now >= LATE {
            *self = Races::default();
        }
        self.dwords.grow(bytes.div_ceil(4));
        self.workgroup = workgroup;
        self.sites.clear();
        self.by_pc.clear();
        self.recent = [None; RECENT];
        self.waited = [None; WAVES];
        self.barrier();
    }

    /// All waves pass a barrier.
    pub fn barrier(&mut self) {
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

    /// `wave` tells what it has done to those that will take it at `address`.
    fn give(&mut self, wave: usize, address: u32) {
        let at = address as usize / 4;
        // What is outside is told as such.
        if at >= self.dwords.len() {
            return;
        }
        if self.given.len() <= at {
            self.given.resize(at + 1, Given::default());
        }
        self.given[at].add(self.passed, &self.clocks[wave]);
    }

    fn take(&mut self, wave: usize, address: u32) {
        let given = self.given.get(address as usize / 4).filter(|given| given.since == self.passed);
        given.iter().for_each(|given| raise(&mut self.clocks[wave], &given.clock));
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
        self.arrived.add(self.passed, &self.clocks[wave]);
        self.go_on(wave);
    }

    /// All waves of the grid have arrived, and `wave` continues.
    pub fn leave(&mut self, wave: u32) {
        if self.arrived.since == self.passed {
            raise(&mut self.clocks[wave as usize % WAVES], &self.arrived.clock);
        }
    }

    /// Records the accesses of the instruction at `pc`, with `lds` as its result, and reports races.
    pub fn add(&mut self, wave: u32, pc: u64, instruction: &Inst, touches: &Touches, lds: &[u8], checks: &dyn Checks) {
        let number = wave as usize % WAVES;
        let are_atomic = touches.are_atomic();
        if are_atomic {
            let takes = |touch: &Touch| touch.kind == Kind::Atomic { returns: true };
            touches.all().filter(takes).for_each(|touch| self.take(number, touch.address));
        }
        self.told.clear();
        for row in touches.rows() {
            let Some(site) = self.site(pc, instruction, row.kind.access()) else { continue };
            self.known = Known::new(&self.clocks[number], number);
            let by = At { wave, pc, instruction, site, kind: row.kind, bytes: touches.bytes(), lds, checks };
            row.each_run(by.bytes, |lane, address, lanes| self.add_run(&by, lane, address, lanes));
        }
        // Loads to LDS are counted as those of vector memory are.
        if matches!(instruction.format, Format::Ds | Format::Flat) && !touches.rows().is_empty() {
            self.waited[number].get_or_insert(self.clocks[number][number] - 1);
        }
        if are_atomic {
            let is_atomic = |touch: &Touch| matches!(touch.kind, Kind::Atomic { .. });
            touches.all().filter(is_atomic).for_each(|touch| self.give(number, touch.address));
            self.go_on(number);
        }
    }

    /// Adds what so many lanes did side by side, `lane` at `address`.
    fn add_run(&mut self, by: &At, lane: u8, address: u32, lanes: u8) {
        let number = by.wave as usize % WAVES;
        let bytes = u32::from(by.bytes);
        let range = address as usize..address as usize + usize::from(lanes) * usize::from(by.bytes);
        let are_whole = address.is_multiple_of(4) && bytes.is_multiple_of(4) && (lanes == 1 || bytes == 4);
        if are_whole && let Some(content) = by.lds.get(range.clone()) {
            let new = Seen::new(self.clocks[number][number], by.site, number, lane, 15);
            let dwords = range.start / 4..range.end / 4;
            if self.dwords.add_run(dwords, new, lanes > 1, by.kind, content, &self.known) {
                return;
            }
        }
        (0..lanes).for_each(|n| self.add_lane(by, lane + n, address + u32::from(n) * bytes));
    }

    /// Adds what a lane did at `address`, and tells whom it races with.
    fn add_lane(&mut self, by: &At, lane: u8, address: u32) {
        let number = by.wave as usize % WAVES;
        // What is outside is told as such.
        let end = address.checked_add(by.bytes.into()).filter(|end| *end as usize <= by.lds.len());
        let Some(end) = end else { return };
        for at in address / 4..end.div_ceil(4) {
            let new = Seen::new(self.clocks[number][number], by.site, number, lane, mask(at, address, end));
            let content = if by.kind == Kind::Store { dword_of(by.lds, at) } else { 0 };
            if self.dwords.may_conflict(at as usize, by.kind, &self.known) {
                self.compare(by, at, new, content);
                self.known = Known::new(&self.clocks[number], number);
            }
            self.dwords.push(at as usize, new, by.kind, content, self.since[number]);
        }
    }

    /// Tells whom `new`, an access to the dword `at`, races with. If its wave waits by loads, or another one did, for
    /// what conflicts with it, it learns of that.
    #[cold]
    fn compare(&mut self, by: &At, at: u32, new: Seen, content: u32) {
        let At { wave, pc, instruction, kind, lds, checks, .. } = *by;
        let number = new.wave();
        let atomic_load = |number: u16| self.sites.get(usize::from(number)).filter(|site| site.is_atomic_load(checks));
        // Whoever waits by loads takes what was done before the stores that it waits for.
        let waited_for = Cell::new(0u32);
        let conflict = self.dwords.conflict(at as usize, new, kind, content, &self.known, |old| {
            let waits = atomic_load(new.site()).is_some();
            waited_for.set(waited_for.get() | u32::from(waits) << old.wave());
            waits || atomic_load(old.site()).is_some()
        });
        if waited_for.get() != 0 {
            self.take(number, at * 4);
            (0..WAVES).filter(|other| waited_for.get() >> other & 1 != 0).for_each(|other| {
                let given = self.clocks[other];
                raise(&mut self.clocks[number], &given);
                self.go_on(other);
            });
        }
        let Some(old) = conflict.filter(|old| !self.told.contains(&old.site())) else { return };
        self.told.push(old.site());
        let Some(Site { pc: first, instruction: text, access: did, .. }) = self.sites.get(usize::from(old.site()))
        else {
            return;
        };
        let workgroup = self.workgroup;
        checks.race(&Race {
            space: Space::Lds { bytes: lds.len() as u32 },
            address: u64::from(at * 4 + (old.bytes() & new.bytes()).trailing_zeros()),
            unordered: if old.clock() <= self.passed { Unordered::Unwaited } else { Unordered::Waves },
            first: Racer {
                pc: *first,
                instruction: text,
                workgroup,
                wave: old.wave() as u32,
                lane: Some(old.lane()),
                access: *did,
            },
            second: Racer { pc, instruction, workgroup, wave, lane: Some(new.lane()), access: kind.access() },
        });
    }

    /// The number of an instruction. `None` where a work-group has more of them than are counted.
    fn site(&mut self, pc: u64, instruction: &Inst, access: Access) -> Option<u16> {
        let slot = (pc / 4) as usize % RECENT;
        if let Some((of, by, number)) = self.recent[slot]
            && (of, by) == (pc, access)
        {
            return Some(number);
        }
        let number = match self.by_pc.entry((pc, access as u8)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let number = u16::try_from(self.sites.len()).ok()?;
                self.sites.push(Site { pc, instruction: *instruction, access, is_atomic: OnceCell::new() });
                *new.insert(number)
            }
        };
        self.recent[slot] = Some((pc, access, number));
        Some(number)
    }
}

/// An instruction that accesses LDS, and who executes it.
struct At<'a> {
    wave: u32,
    pc: u64,
    instruction: &'a Inst,
    /// Number of the instruction, for what it does here.
    site: u16,
    kind: Kind,
    /// Of each access.
    bytes: u8,
    /// All of it, as the instruction left it.
    lds: &'a [u8],
    checks: &'a dyn Checks,
}

/// The dword `at`, of which the last may be a part.
fn dword_of(lds: &[u8], at: u32) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| lds.get(at as usize * 4 + i).copied().unwrap_or(0)))
}

/// Adds `more` to what is known.
fn raise(known: &mut Clock, more: &Clock) {
    known.iter_mut().zip(more).for_each(|(known, more)| *known = (*more).max(*known));
}

/// Which bytes of a dword are from `start` to `end`, a bit each.
#[inline]
fn mask(dword: u32, start: u32, end: u32) -> u8 {
    if (start | end) & 3 == 0 {
        return 15;
    }
    let first = start.saturating_sub(dword * 4);
    let behind = (end - dword * 4).min(4);
    ((1u8 << behind) - 1) & (0xf << first)
}
