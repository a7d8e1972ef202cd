//! Checks an instruction's accesses dword by dword against the shadow memory, and updates it.

use crate::machine::bus::{Access, Path, Reached};
use crate::machine::memory::Host;
use crate::sanitizer::race::global::{At, Sharing};
use crate::sanitizer::race::shadow::{Block, By, Dword, Given, LINE, Place, Row, Seen, Site, are_together, page_of};
use crate::sanitizer::race::{implied_atomic, lds};
use crate::sanitizer::report::{Race, Racer, Space, Unordered};
use crate::sanitizer::trace::global::{DWORD, Part, Run, Touch};
use gcn_isa::inst::{Format, Inst};
use std::ops::Range;
use std::sync::Arc;

/// Runs of an instruction from which on it is worth it to look at once where those are that are far from each other.
const MANY: usize = 8;

impl Sharing {
    /// Adds what an instruction does: to each dword, and to what its wave gives or is given.
    pub(super) fn add(&mut self, at: &At, touch: &Touch, when: When) {
        if self.lost {
            return;
        }
        let Some(site) = self.site(at, touch.access) else { return };
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
        if touch.runs.len() >= MANY {
            let far = touch.runs.windows(2).filter(|two| !are_together(two[0].start, two[1].start));
            at.shadow.fetch(far.map(|two| two[1].start));
        }
        let mut next = 0;
        while let Some(first) = touch.runs.get(next) {
            let together = |run: &&Run| are_together(run.start, first.start);
            let end = next + touch.runs[next..].iter().take_while(together).count();
            if let Some(page) = at.shadow.page(first.start, at.checks) {
                let mut block = page.lock(first.start);
                touch.runs[next..end].iter().for_each(|run| self.add_run(&mut step, &mut block, *run));
            } else if touch.takes {
                at.shadow.take_unseen();
            }
            next = end;
        }
    }

    /// Adds a run: by lines where it can be, else by dwords.
    #[inline]
    fn add_run(&mut self, step: &mut Step, block: &mut Block, run: Run) {
        let mut next = 0;
        if step.is_plain() && run.bytes >= LINE {
            next = (run.start.next_multiple_of(LINE.into()) - run.start) as u32;
            self.add_parts(step, block, run, 0..next);
            while next + LINE <= run.bytes {
                if !self.add_line(step, block, run, next) {
                    self.add_parts(step, block, run, next..next + LINE);
                }
                next += LINE;
            }
        }
        self.add_parts(step, block, run, next..run.bytes);
    }

    fn add_parts(&mut self, step: &mut Step, block: &mut Block, run: Run, range: Range<u32>) {
        run.parts(step.touch.unit, range).for_each(|part| self.add_part(step, block, part));
    }

    /// Adds a plain access to the line at byte `line` of a run, if one was to all of it until now, and they do not
    /// conflict. Gives whether it did. The outcome is as [`Sharing::add_plain`] has it for each dword.
    #[inline]
    fn add_line(&self, step: &Step, block: &mut Block, run: Run, line: u32) -> bool {
        let address = run.start + u64::from(line);
        let Some(mut rows) = block.rows(address) else { return false };
        let Some(new) = Row::new(step.new, run.lane, step.touch.unit, run.before + line) else { return false };
        let is_open = |old: Row| {
            let old = old.seen();
            !old.is_none() && !old.is_of(step.new) && !self.is_done(step, old)
        };
        if is_open(rows.store) {
            return false;
        }
        if step.touch.access == Access::Write {
            if rows.loads.into_iter().any(is_open) {
                return false;
            }
            rows.store = new;
        } else {
            if !is_open(rows.loads[0]) {
                rows.loads[0] = new;
            }
            rows.loads[1] = new;
        }
        block.set_rows(address, rows);
        true
    }

    #[inline]
    fn add_part(&mut self, step: &mut Step, block: &mut Block, part: Part) {
        let Part { address, bytes, lane } = part;
        let Some(place) = block.place(address) else { return };
        let mut dword = place.get();
        if !step.is_plain() || dword.is_flag() {
            return self.add_to_flag(step, block, part, place);
        }
        let conflict = self.add_plain(step, &mut dword, address, step.new.with(lane, bytes));
        place.set(dword);
        if let Some(old) = conflict {
            self.tell(step, part, old);
        }
    }

    /// Adds any access to a flag, or one that makes a dword one.
    #[inline(never)]
    fn add_to_flag(&mut self, step: &mut Step, block: &mut Block, part: Part, place: &Place) {
        let Part { address, bytes, lane } = part;
        let mut dword = place.get();
        let new = step.new.with(lane, bytes);
        if !dword.is_flag()
            && let Some(store) = dword.set_flag()
        {
            block.give(address, &step.late(store));
        }
        if let Some(old) = self.atomic_beside(step, &dword, address, new) {
            self.tell(step, part, old);
        }
        dword.add_to_flag(new, step.touch.access, step.when == When::After);
        place.set(dword);
        match step.when {
            When::Before => {
                let given = step.given.get_or_insert_with(|| Arc::new(self.given(step.number)));
                block.give(address, given);
            }
            When::After => {
                let Some(given) = block.given(address) else { return };
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
        // Of loads that nothing orders one is kept, of every other dword the first: a wave that stores may have made
        // one of them.
        let is_kept = address & 4 == 0 && !load.is_none() && !load.is_of(new) && !self.is_done(step, load);
        if !is_kept {
            dword.set_load(new);
        }
        Some(store).filter(conflicts)
    }

    /// The atomic of another work-group that a plain load of a flag races with: an atomic load of a scope that has both
    /// in it is no plain one in the code. Within a work-group it is.
    ///
    /// None that is a compare-and-swap: in front of their loops compilers load what is there. Nor where the program
    /// says that it synchronises by plain accesses.
    fn atomic_beside(&self, step: &Step, dword: &Dword, address: u64, new: Seen) -> Option<Seen> {
        let (old, At { inst, shadow, checks, .. }) = (dword.store, step.at);
        let member = &self.members[step.number];
        if step.touch.access != Access::Read
            || step.touch.takes
            || old.group() == self.group
            || !old.overlaps(new)
            || old.clock() <= member.seen.get(old.group())[old.wave()]
        {
            return None;
        }
        let Site { access, instruction, .. } = shadow.site_of(old.by().site)?;
        let is_atomic = access == Access::Atomic && !implied_atomic::is_compare_and_swap(instruction.op);
        let is_told = is_atomic
            && !implied_atomic::is_atomic(step.at.pc(), inst, *checks)
            && !checks.flags(page_of(address)..address + u64::from(DWORD)).iter().any(|flag| flag.end > address);
        is_told.then_some(old)
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

    /// Whether one of two accesses of the work-group's waves is a load that is atomic in the source, though not in the
    /// code. If it is the later one, it takes what was given with the store.
    #[cold]
    fn waits(&mut self, step: &Step, old: Seen, first: &Site) -> bool {
        let At { inst, shadow, checks, .. } = *step.at;
        if first.access == Access::Read && implied_atomic::is_atomic(first.pc, &first.instruction, checks) {
            return true;
        }
        let waits = step.touch.access == Access::Read && implied_atomic::is_atomic(step.at.pc(), inst, checks);
        if waits {
            self.take(step.number, &shadow.given_with(old), shadow);
        }
        waits
    }

    #[cold]
    fn tell(&mut self, step: &Step, part: Part, old: Seen) {
        let By { site, lane, bytes } = old.by();
        let At { wave, inst, shadow, checks, .. } = step.at;
        if self.told.contains(&site) || step.changes_nothing(part) {
            return;
        }
        let Some(Site { pc, instruction, access }) = shadow.site_of(site) else { return };
        let is_scalar = |inst: &Inst| inst.format == Format::Smem;
        // Scalar loads of bytes are made ones of dwords.
        if is_scalar(&instruction) && part.bytes != 15 || is_scalar(inst) && bytes != 15 {
            return;
        }
        if old.group() == self.group && self.waits(step, old, &Site { pc, instruction, access }) {
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
pub(super) enum When {
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
    /// Whether it neither gives nor takes.
    fn is_plain(&self) -> bool {
        self.touch.access != Access::Atomic && !self.touch.takes
    }

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
    fn changes_nothing(&self, part: Part) -> bool {
        let Part { address, bytes, .. } = part;
        if self.touch.access != Access::Write {
            return false;
        }
        let Ok(window) = self.at.checks.mapped(address, Access::Read) else { return false };
        if window.end.wrapping_sub(address) < 4 {
            return false;
        }
        let line = self.at.caches.map(|caches| caches.reach(address, 4, Access::Read, Path::Coherent));
        let content = match line {
            Some(Ok(Reached::Line(host))) => Host::of_line(host),
            _ => Host::new(&window, address),
        };
        let content = content.read32(0);
        self.touch
            .stored(self.at.wave, self.at.inst, part)
            .is_some_and(|value| (content ^ value) & lds::bits(bytes) == 0)
    }
}
