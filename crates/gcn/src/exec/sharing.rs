//! What a work-group's waves do to device memory that nothing orders, with each other and with other work-groups, whatever the order was that it was done in.
//!
//! As `races` does for LDS, by vector clocks; but of other work-groups a wave knows only what it was given ([`Known`]), and who accessed a dword last is kept for the
//! dispatch ([`Shadow`]). A wave's clock goes on where something is ordered: what it did until then can be known without what comes after.
//!
//! - A barrier orders the waves of a work-group. They share a compute unit, so it need not wait for stores (AMDGPUUsage, "Memory Model gfx90a").
//! - A dword that is accessed by an atomic, or by a load that sees what other compute units have stored, is a flag. Atomics and stores to it give what the wave and those
//!   before it have done; of its own stores only those that it has waited for. Loads of it, and atomics that return, take that.
//! - Loads by the L1 may find there what was before, until it is emptied.

use super::known::{Clock, Known, WAVES, raise};
use super::memory::Host;
use super::races;
use super::shadow::{By, Dword, Given, Page, Seen, Shadow, Site, are_together};
use super::touch::{Part, Touch};
use super::wave::Wave;
use crate::bus::{Access, Checks, Race, Racer, Space, Unordered};
use crate::inst::{Format, Inst};
use std::collections::HashMap;
use std::sync::Arc;

/// What a wave has done, and what it knows.
#[derive(Clone, Default)]
struct Member {
    clock: u16,
    /// Its stores until then are done.
    waited: u16,
    /// What it did until then may be known to others.
    given: u16,
    /// It has stored, and not waited since.
    stores: bool,
    /// Instructions of vector memory since its last store.
    behind: u32,
    /// Of its work-group's waves.
    own: Clock,
    /// Of other work-groups, for loads by the L1.
    known: Arc<Known>,
    /// And for what goes past it.
    seen: Arc<Known>,
}

/// A work-group whose waves access device memory.
#[derive(Default)]
pub(crate) struct Sharing {
    /// Its number in the grid.
    group: u32,
    /// How many there are in each direction.
    groups: [u32; 3],
    /// A clock has no value left, or the number is too high: nothing is looked at any more.
    lost: bool,
    members: [Member; WAVES],
    /// What those know who have made atomics on an address in LDS.
    local: HashMap<u32, (Clock, Arc<Known>)>,
    /// What the instruction in hand was told to race with.
    told: Vec<u16>,
    /// For the next [`Touch`].
    parts: Vec<Part>,
}

/// What an instruction needs besides its work-group.
pub(crate) struct At<'a> {
    pub wave: &'a Wave,
    pub inst: &'a Inst,
    pub shadow: &'a Shadow,
    pub checks: &'a dyn Checks,
}

impl At<'_> {
    fn number(&self) -> usize {
        self.wave.index as usize % WAVES
    }

    fn pc(&self) -> u64 {
        self.wave.pc.wrapping_sub(self.inst.len.into())
    }
}

impl Sharing {
    /// Work-group `id` of so many begins.
    pub fn start(&mut self, id: [u32; 3], groups: [u32; 3]) {
        let [x, y, z] = id.map(u64::from);
        let number = x + u64::from(groups[0]) * (y + u64::from(groups[1]) * z);
        self.lost = number >> Seen::GROUP_BITS != 0;
        (self.group, self.groups) = (number as u32, groups);
        self.members = std::array::from_fn(|_| Member { clock: 1, ..Member::default() });
        self.local.clear();
    }

    /// An empty list for a [`Touch`], whose allocation was used before.
    pub fn parts(&mut self) -> Vec<Part> {
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        parts
    }

    /// All waves pass a barrier.
    pub fn barrier(&mut self) {
        let mut all = Member::default();
        for (number, member) in self.members.iter().enumerate() {
            raise(&mut all.own, &member.own);
            all.own[number] = all.own[number].max(member.clock);
            all.clock = all.clock.max(member.clock);
            join(&mut all.known, &member.known);
            join(&mut all.seen, &member.seen);
        }
        let Some(clock) = all.clock.checked_add(1) else {
            self.lost = true;
            return;
        };
        self.local.clear();
        for member in &mut self.members {
            (member.clock, member.own) = (clock, all.own);
            (member.known, member.seen) = (Arc::clone(&all.known), Arc::clone(&all.seen));
        }
    }

    /// A wave waits until at most so many of its instructions of vector memory are left.
    pub fn wait(&mut self, number: u32, left: u32) {
        let member = &mut self.members[number as usize % WAVES];
        if left <= member.behind || !member.stores {
            (member.waited, member.stores) = (member.clock, false);
        }
    }

    /// The L1 of the work-group's compute unit is emptied.
    pub fn invalidate(&mut self) {
        self.members.iter_mut().for_each(|member| member.known = Arc::clone(&member.seen));
    }

    /// What the wave gives.
    fn given(&mut self, number: usize) -> Given {
        let member = &mut self.members[number];
        member.given = member.clock;
        let mut own = member.own;
        own[number] = if member.stores { member.waited } else { member.clock };
        let known = member.seen.with(&Known::of(self.group, own));
        own[number] = member.clock;
        Given { known, group: self.group, own }
    }

    fn take(&mut self, number: usize, given: &Given, shadow: &Shadow) {
        let member = &mut self.members[number];
        if given.group == self.group {
            raise(&mut member.own, &given.own);
        }
        raise(&mut member.own, &given.known.get(self.group));
        if !member.seen.includes_others(&given.known, self.group) {
            member.seen = Arc::new(member.seen.with(&given.known));
            shadow.note_taken(self.group, member.clock, &member.seen);
        }
    }

    /// A wave arrives where all waves of the grid wait for each other.
    pub fn arrive(&mut self, number: u32, shadow: &Shadow) {
        let number = number as usize % WAVES;
        // Its stores are done where it goes on.
        self.members[number].stores = false;
        shadow.arrive(self.given(number));
    }

    /// All waves of the grid have arrived, and this one goes on.
    pub fn leave(&mut self, number: u32, shadow: &Shadow) {
        let number = number as usize % WAVES;
        if let Some(given) = shadow.arrived() {
            self.take(number, &given, shadow);
        }
        let member = &mut self.members[number];
        member.known = Arc::clone(&member.seen);
    }

    /// A wave has made these accesses to LDS, of which atomics order device memory too.
    pub fn add_local(&mut self, number: u32, touches: &[races::Touch]) {
        let number = number as usize % WAVES;
        for touch in touches {
            let races::Kind::Atomic { returns } = touch.kind else { continue };
            let member = &mut self.members[number];
            let (own, seen) = self.local.entry(touch.address & !3).or_default();
            if returns {
                raise(&mut member.own, own);
                join(&mut member.seen, seen);
            }
            raise(own, &member.own);
            own[number] = member.clock;
            join(seen, &member.seen);
            member.given = member.clock;
        }
    }

    /// What the instruction is about to do. Adds stores, and what it gives: others may know of it as soon as it is done.
    pub fn before(&mut self, at: &At, touch: &Touch) {
        if touch.access != Access::Read {
            self.add(at, touch, When::Before);
        }
    }

    /// The same instruction is done. Adds loads, and what it takes.
    pub fn after(&mut self, at: &At, touch: Touch) {
        let member = &mut self.members[at.number()];
        match touch.access {
            Access::Write => member.behind = 0,
            _ if at.inst.format != Format::Smem => member.behind += 1,
            _ => {}
        }
        if touch.access == Access::Read || touch.takes {
            self.add(at, &touch, When::After);
        }
        self.parts = touch.parts;
    }

    fn add(&mut self, at: &At, touch: &Touch, when: When) {
        if self.lost {
            return;
        }
        let Some(site) = at.shadow.site(at.pc(), at.inst, touch.access) else { return };
        let number = at.number();
        let member = &mut self.members[number];
        let is_plain = touch.access == Access::Write || touch.access == Access::Read && !touch.takes;
        if is_plain && (member.clock <= member.given || touch.access == Access::Write && member.clock <= member.waited)
        {
            let Some(clock) = member.clock.checked_add(1) else {
                self.lost = true;
                return;
            };
            member.clock = clock;
        }
        member.stores |= touch.access == Access::Write;
        let by = By { site, lane: 0, bytes: 0 };
        let new = Seen::new(self.group, number as u32, member.clock, by);
        let mut step = Step { at, touch, when, number, new, given: None, late: None, taken: None };
        self.told.clear();
        let mut next = 0;
        while let Some(first) = touch.parts.get(next) {
            let mut shard = at.shadow.shard(first.address);
            let together = |part: &&Part| are_together(part.address, first.address);
            let end = next + touch.parts[next..].iter().take_while(together).count();
            if let Some(page) = shard.page(first.address, at.checks) {
                (next..end).for_each(|index| self.add_part(&mut step, page, index));
            }
            next = end;
        }
    }

    #[inline]
    fn add_part(&mut self, step: &mut Step, page: &mut Page, index: usize) {
        let Part { address, bytes, lane } = step.touch.parts[index];
        let Some(dword) = page.dword(address) else { return };
        if !dword.is_flag() {
            if step.touch.access != Access::Atomic && !step.touch.takes {
                let new = step.new.with(lane, bytes);
                if let Some(old) = self.add_plain(step, dword, address, new) {
                    self.tell(step, index, old);
                }
                return;
            }
            if let Some(store) = page.set_flag(address) {
                page.give(address, &step.late(store));
            }
        }
        match step.when {
            When::Before => {
                let given = step.given.get_or_insert_with(|| Arc::new(self.given(step.number)));
                page.give(address, given);
            }
            When::After => {
                let Some(given) = page.given(address) else { return };
                if step.taken.as_ref().is_none_or(|taken| !Arc::ptr_eq(taken, given)) {
                    self.take(step.number, given, step.at.shadow);
                    step.taken = Some(Arc::clone(given));
                }
            }
        }
    }

    /// Adds a plain access to a dword. Gives one that it conflicts with.
    #[inline]
    fn add_plain(&self, step: &Step, dword: &mut Dword, address: u64, new: Seen) -> Option<Seen> {
        let conflicts = |old: &Seen| old.overlaps(new) && !self.is_done(step, *old);
        let Dword { store, load } = *dword;
        if step.touch.access == Access::Write {
            dword.set_store(new);
            return Some(store).filter(conflicts).or(Some(load).filter(conflicts));
        }
        // Of loads that nothing orders one is kept, of every other dword the first: a wave that stores may have made one of them.
        let is_kept = address & 4 == 0 && !load.is_none() && !load.is_of(new) && !self.is_done(step, load);
        if !is_kept {
            dword.set_load(new);
        }
        Some(store).filter(conflicts)
    }

    /// Whether the wave knows an access of another to be done.
    fn is_done(&self, step: &Step, old: Seen) -> bool {
        let member = &self.members[step.number];
        if old.group() == self.group {
            return old.clock() <= member.own[old.wave()];
        }
        let known = if step.touch.access == Access::Read { &member.known } else { &member.seen };
        old.clock() <= known.get(old.group())[old.wave()]
    }

    #[cold]
    fn tell(&mut self, step: &Step, index: usize, old: Seen) {
        let By { site, lane, bytes } = old.by();
        let (part, At { wave, inst, shadow, checks }) = (step.touch.parts[index], step.at);
        if self.told.contains(&site) || step.changes_nothing(index) {
            return;
        }
        let Some(Site { pc, instruction, access }) = shadow.site_of(site) else { return };
        let is_scalar = |inst: &Inst| inst.format == Format::Smem;
        // Scalar loads of bytes are made ones of dwords.
        if is_scalar(&instruction) && part.bytes != 15 || is_scalar(inst) && bytes != 15 {
            return;
        }
        self.told.push(site);
        let unordered = match old.group() == self.group {
            true => Unordered::Waves,
            false if old.clock() <= self.members[step.number].seen.get(old.group())[old.wave()] => Unordered::Stale,
            false => Unordered::Groups,
        };
        let lane_of = |inst: &Inst, lane| (!is_scalar(inst)).then_some(lane);
        let group = |number: u32| {
            let [x, y, _] = self.groups.map(|count| count.max(1));
            [number % x, number / x % y, number / x / y]
        };
        checks.race(&Race {
            space: Space::Device,
            address: part.address + u64::from((bytes & part.bytes).trailing_zeros()),
            unordered,
            first: Racer {
                pc,
                instruction: &instruction,
                workgroup: group(old.group()),
                wave: old.wave() as u32,
                lane: lane_of(&instruction, lane),
                access,
            },
            second: Racer {
                pc: step.at.pc(),
                instruction: inst,
                workgroup: group(self.group),
                wave: wave.index,
                lane: lane_of(inst, part.lane),
                access: step.touch.access,
            },
        });
    }
}

/// When an instruction's accesses are added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Before,
    After,
}

/// An instruction while its dwords are gone through.
struct Step<'a> {
    at: &'a At<'a>,
    touch: &'a Touch,
    when: When,
    /// Of the wave.
    number: usize,
    /// The access, without lane and bytes.
    new: Seen,
    /// What the wave gives, once it is asked for.
    given: Option<Arc<Given>>,
    /// What goes with the last store that turned out to be one to a flag.
    late: Option<(Seen, Arc<Given>)>,
    /// What it was given last.
    taken: Option<Arc<Given>>,
}

impl Step<'_> {
    fn late(&mut self, store: Seen) -> Arc<Given> {
        match &self.late {
            Some((known, given)) if known.is_of(store) && known.clock() == store.clock() => Arc::clone(given),
            _ => {
                let given = Arc::new(self.at.shadow.given_with(store));
                self.late = Some((store, Arc::clone(&given)));
                given
            }
        }
    }

    /// Whether it is a store of what is there already: whoever comes first, the outcome is the same.
    fn changes_nothing(&self, index: usize) -> bool {
        let Part { address, bytes, .. } = self.touch.parts[index];
        if self.touch.access != Access::Write {
            return false;
        }
        let Ok(window) = self.at.checks.mapped(address, Access::Read) else { return false };
        if window.end.wrapping_sub(address) < 4 {
            return false;
        }
        let content = Host::new(&window, address).read32(0);
        self.touch
            .stored(self.at.wave, self.at.inst, index)
            .is_some_and(|value| (content ^ value) & races::bits(bytes) == 0)
    }
}

/// Adds `more` to `known`.
fn join(known: &mut Arc<Known>, more: &Arc<Known>) {
    if !Arc::ptr_eq(known, more) && !known.includes(more) {
        *known = Arc::new(known.with(more));
    }
}
