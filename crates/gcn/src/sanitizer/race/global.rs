//! Race detection in device memory, within a work-group and between work-groups. A race is found whichever access was
//! executed first.
//!
//! As `races` does for LDS, by vector clocks; but of other work-groups a wave knows only what it was given ([`Known`]),
//! and who accessed a dword last is kept for the dispatch ([`Shadow`]). A wave's clock goes on where something is
//! ordered: what it did until then can be known without what comes after.
//!
//! - A barrier orders the waves of a work-group. They share a compute unit, so it need not wait for stores
//!   (AMDGPUUsage, "Memory Model gfx90a").
//! - A dword that is accessed by an atomic, or by a load that sees what other compute units have stored, is a flag.
//!   Atomics and stores to it give what the wave and those before it have done; of its own stores only those that it
//!   has waited for. Loads of it, and atomics that return, take that.
//! - Loads by the L1 may find there what was before, until it is emptied.

mod check;
#[cfg(test)]
mod tests;

use crate::machine::bus::{Access, Caches};
use crate::sanitizer::race::global::check::When;
use crate::sanitizer::race::shadow::{Given, Seen, Shadow};
use crate::sanitizer::race::vector_clock::{Clock, Known, Shared, WAVES, raise};
use crate::sanitizer::report::Checks;
use crate::sanitizer::trace::global::{Run, Touch};
use crate::sanitizer::trace::lds::{Kind, Touch as LdsTouch};
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Format, Inst};
use std::collections::HashMap;

/// Instructions of which a work-group keeps the numbers.
const SITES: usize = 32;

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
    known: Shared,
    /// And for what goes past it.
    seen: Shared,
}

/// A work-group whose waves access device memory.
#[derive(Default)]
pub(crate) struct Sharing {
    /// The number in the grid.
    group: u32,
    /// How many there are in each direction.
    groups: [u32; 3],
    /// A clock has no value left, or the number is too high: nothing is looked at any more.
    lost: bool,
    members: [Member; WAVES],
    /// What those know who have made atomics on an address in LDS.
    local: HashMap<u32, (Clock, Shared)>,
    /// What the instruction in hand was told to race with.
    told: Vec<u16>,
    /// For the next [`Touch`].
    runs: Vec<Run>,
    /// Numbers of instructions that were asked for, by a part of their addresses.
    sites: [Option<(u64, u16)>; SITES],
}

/// What an instruction needs besides its work-group.
pub(crate) struct At<'a> {
    pub wave: &'a Wave,
    pub inst: &'a Inst,
    pub shadow: &'a Shadow,
    pub checks: &'a dyn Checks,
    /// The cache model. With it, a stored value may be visible in one cache only.
    pub caches: Option<&'a dyn Caches>,
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
    /// Starts work-group `id` of `groups`.
    pub fn start(&mut self, id: [u32; 3], groups: [u32; 3]) {
        let [x, y, z] = id.map(u64::from);
        let number = x + u64::from(groups[0]) * (y + u64::from(groups[1]) * z);
        self.lost = number >> Seen::GROUP_BITS != 0;
        (self.group, self.groups) = (number as u32, groups);
        self.members = std::array::from_fn(|_| Member { clock: 1, ..Member::default() });
        self.local.clear();
        self.sites = [None; SITES];
    }

    /// The number of an instruction, as [`Shadow::site`] has it.
    fn site(&mut self, at: &At, access: Access) -> Option<u16> {
        let pc = at.pc();
        // They are of whole dwords.
        let kept = &mut self.sites[(pc / 4) as usize % SITES];
        match *kept {
            Some((of, site)) if of == pc => Some(site),
            _ => {
                let site = at.shadow.site(pc, at.inst, access)?;
                *kept = Some((pc, site));
                Some(site)
            }
        }
    }

    /// An empty list for a [`Touch`], whose allocation was used before.
    pub fn runs(&mut self) -> Vec<Run> {
        let mut runs = std::mem::take(&mut self.runs);
        runs.clear();
        runs
    }

    /// All waves pass a barrier.
    pub fn barrier(&mut self) {
        let mut all = Member::default();
        for (number, member) in self.members.iter().enumerate() {
            raise(&mut all.own, &member.own);
            all.own[number] = all.own[number].max(member.clock);
            all.clock = all.clock.max(member.clock);
            all.known.join(&member.known);
            all.seen.join(&member.seen);
        }
        let Some(clock) = all.clock.checked_add(1) else {
            self.lost = true;
            return;
        };
        self.local.clear();
        for member in &mut self.members {
            (member.clock, member.own) = (clock, all.own);
            (member.known, member.seen) = (all.known.clone(), all.seen.clone());
        }
    }

    /// A wave waits until at most `left` of its vector-memory instructions are in flight.
    pub fn wait(&mut self, number: u32, left: u32) {
        let member = &mut self.members[number as usize % WAVES];
        if left <= member.behind || !member.stores {
            (member.waited, member.stores) = (member.clock, false);
        }
    }

    /// The L1 of the work-group's compute unit is emptied.
    pub fn invalidate(&mut self) {
        self.members.iter_mut().for_each(|member| member.known = member.seen.clone());
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
            member.seen = Shared::new(member.seen.with(&given.known));
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

    /// All waves of the grid have arrived, and this one continues.
    pub fn leave(&mut self, number: u32, shadow: &Shadow) {
        let number = number as usize % WAVES;
        if let Some(given) = shadow.arrived() {
            self.take(number, &given, shadow);
        }
        let member = &mut self.members[number];
        member.known = member.seen.clone();
    }

    /// A wave has made these accesses to LDS, of which atomics order device memory too.
    pub fn add_local(&mut self, number: u32, touches: &[LdsTouch]) {
        let number = number as usize % WAVES;
        for touch in touches {
            let Kind::Atomic { returns } = touch.kind else { continue };
            let member = &mut self.members[number];
            let (own, seen) = self.local.entry(touch.address & !3).or_default();
            if returns {
                raise(&mut member.own, own);
                member.seen.join(seen);
            }
            raise(own, &member.own);
            own[number] = member.clock;
            seen.join(&member.seen);
            member.given = member.clock;
        }
    }

    /// Records stores and releases before an instruction is executed, because other waves may see them as soon as it
    /// is.
    pub fn before(&mut self, at: &At, touch: &Touch) {
        if touch.access != Access::Read {
            self.add(at, touch, When::Before);
        }
    }

    /// Records loads and acquires after an instruction was executed.
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
        self.runs = touch.runs;
    }
}
