//! Shadow memory of LDS: the last accesses to each dword.

use crate::sanitizer::race::lds::{Clock, WAVES};
use crate::sanitizer::trace::lds::Kind;
use std::ops::Range;

/// An access to a dword; none if its clock is 0. From the highest bit: its wave's own clock, the index of the
/// instruction, the wave, the lane, and which bytes of the dword, a bit each.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Seen(u64);

impl Seen {
    pub fn new(clock: u32, site: u16, wave: usize, lane: u8, bytes: u8) -> Seen {
        let by = (wave as u64) << 10 | u64::from(lane) << 4 | u64::from(bytes);
        Seen(u64::from(clock) << 32 | u64::from(site) << 16 | by)
    }

    pub fn clock(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub fn site(self) -> u16 {
        (self.0 >> 16) as u16
    }

    pub fn wave(self) -> usize {
        (self.0 >> 10) as usize % WAVES
    }

    pub fn lane(self) -> u8 {
        (self.0 >> 4) as u8 & 63
    }

    pub fn bytes(self) -> u8 {
        self.0 as u8 & 15
    }

    /// The same by a lane so many further on.
    fn of_lane(self, further: usize) -> Seen {
        Seen(self.0 + ((further as u64) << 4))
    }

    fn is_of(self, other: Seen) -> bool {
        (self.0 ^ other.0) >> 10 & (WAVES as u64 - 1) == 0
    }
}

/// What a wave knows to be done.
#[derive(Default)]
pub(super) struct Known {
    /// Of each wave; of itself all.
    clock: Clock,
    /// The lowest of that.
    lowest: u32,
}

impl Known {
    pub fn new(clock: &Clock, wave: usize) -> Known {
        let mut clock = *clock;
        clock[wave] = u32::MAX;
        Known { clock, lowest: clock.into_iter().fold(u32::MAX, u32::min) }
    }
}

/// Of each dword the last accesses of two waves, the newer first.
#[derive(Default)]
struct Two([Vec<Seen>; 2]);

impl Two {
    fn of(&self, at: usize) -> [Seen; 2] {
        [self.0[0][at], self.0[1][at]]
    }

    /// From the clock `since` on nobody knows a part of what its wave did.
    #[inline]
    fn push(&mut self, at: usize, new: Seen, since: u32) {
        let [newer, older] = self.of(at);
        let before = if newer.is_of(new) { newer } else { older };
        let is_same = before.is_of(new) && before.clock() >= since;
        let bytes = if is_same { u64::from(before.bytes()) } else { 0 };
        (self.0[0][at], self.0[1][at]) = (Seen(new.0 | bytes), if newer.is_of(new) { older } else { newer });
    }

    /// Adds an access to whole dwords: of `step` lanes further on to each.
    #[inline]
    fn push_run(&mut self, dwords: Range<usize>, new: Seen, step: usize) {
        let [newer, older] = &mut self.0;
        for (n, (newer, older)) in newer[dwords.clone()].iter_mut().zip(&mut older[dwords]).enumerate() {
            let new = new.of_lane(n * step);
            *older = if newer.is_of(new) { *older } else { *newer };
            *newer = new;
        }
    }

    /// Those that `known` does not have.
    fn unknown(&self, at: usize, known: &Known) -> bool {
        self.of(at).iter().any(|old| old.clock() > known.clock[old.wave()])
    }
}

/// The last accesses to each dword, of each kind.
#[derive(Default)]
pub(super) struct Dwords {
    loads: Two,
    stores: Two,
    atomics: Two,
    /// The highest clock of loads, and of the others.
    loaded: Vec<u32>,
    written: Vec<u32>,
    /// What was stored last.
    stored: Vec<u32>,
}

impl Dwords {
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// Grows the shadow to at least `count` dwords.
    pub fn grow(&mut self, count: usize) {
        if self.len() < count {
            let Dwords { loads, stores, atomics, loaded, written, stored } = self;
            [loads, stores, atomics].into_iter().flat_map(|two| &mut two.0).for_each(|all| all.resize(count, Seen(0)));
            [loaded, written, stored].into_iter().for_each(|all| all.resize(count, 0));
        }
    }

    /// Adds an access to whole dwords, which left `content` there if it is a store: of the same lane to all, or of the
    /// next one to each. Does nothing if a wave made one to them of which `known` may have no part.
    #[inline]
    pub fn add_run(
        &mut self,
        dwords: Range<usize>,
        new: Seen,
        next_lane: bool,
        kind: Kind,
        content: &[u8],
        known: &Known,
    ) -> bool {
        let is_known = |clocks: &[u32]| clocks.iter().fold(false, |above, clock| above | (*clock > known.lowest));
        if is_known(&self.written[dwords.clone()]) || kind != Kind::Load && is_known(&self.loaded[dwords.clone()]) {
            return false;
        }
        let clocks = if kind == Kind::Load { &mut self.loaded } else { &mut self.written };
        clocks[dwords.clone()].iter_mut().for_each(|clock| *clock = new.clock().max(*clock));
        if kind == Kind::Store {
            let content = content.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
            self.stored[dwords.clone()].iter_mut().zip(content).for_each(|(to, content)| *to = content);
        }
        self.of_kind(kind).push_run(dwords, new, usize::from(next_lane));
        true
    }

    /// Records an access to a dword. No other wave has synchronised with this one since its clock `since`, so that its
    /// accesses from then on are merged.
    pub fn push(&mut self, at: usize, new: Seen, kind: Kind, content: u32, since: u32) {
        let clock = if kind == Kind::Load { &mut self.loaded[at] } else { &mut self.written[at] };
        *clock = new.clock().max(*clock);
        if kind == Kind::Store {
            self.stored[at] = content;
        }
        self.of_kind(kind).push(at, new, since);
    }

    fn of_kind(&mut self, kind: Kind) -> &mut Two {
        match kind {
            Kind::Load => &mut self.loads,
            Kind::Store => &mut self.stores,
            Kind::Atomic { .. } => &mut self.atomics,
        }
    }

    /// Whether there may be an access that [`Dwords::conflict`] gives.
    #[inline]
    pub fn may_conflict(&self, at: usize, kind: Kind, known: &Known) -> bool {
        if self.written[at] <= known.lowest && (kind == Kind::Load || self.loaded[at] <= known.lowest) {
            return false;
        }
        self.stores.unknown(at, known)
            || kind != Kind::Load && self.loads.unknown(at, known)
            || !matches!(kind, Kind::Atomic { .. }) && self.atomics.unknown(at, known)
    }

    /// A recorded access that races with `new`, which leaves `content`: one that its wave does not know to have
    /// completed, and that is not `allowed`.
    pub fn conflict(
        &self,
        at: usize,
        new: Seen,
        kind: Kind,
        content: u32,
        known: &Known,
        allowed: impl Fn(&Seen) -> bool,
    ) -> Option<Seen> {
        // Two that store the same leave the same, whoever is the last.
        let differs = |old: &Seen| (content ^ self.stored[at]) & bits(old.bytes() & new.bytes()) != 0;
        let stores = self.stores.of(at).into_iter().filter(|old| kind != Kind::Store || differs(old));
        let loads = self.loads.of(at).into_iter().filter(|_| kind != Kind::Load);
        let atomics = self.atomics.of(at).into_iter().filter(|_| !matches!(kind, Kind::Atomic { .. }));
        let is_unknown = |old: &Seen| old.clock() > known.clock[old.wave()];
        let mut all = stores.chain(loads).chain(atomics);
        all.find(|old| is_unknown(old) && old.bytes() & new.bytes() != 0 && !allowed(old))
    }
}

/// The bits of those bytes.
pub(crate) fn bits(bytes: u8) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| if bytes >> i & 1 != 0 { 0xff } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitizer::report::poison;

    const COUNT: usize = 64;

    fn content(dwords: &Dwords) -> Vec<[u64; 9]> {
        let Dwords { loads, stores, atomics, loaded, written, stored } = dwords;
        let of = |at: usize| {
            let [[a, b], [c, d], [e, f]] = [loads, stores, atomics].map(|two| two.of(at).map(|seen| seen.0));
            [a, b, c, d, e, f, loaded[at].into(), written[at].into(), stored[at].into()]
        };
        (0..COUNT).map(of).collect()
    }

    /// Runs of dwords, of one lane and of lanes side by side, and the same one by one.
    #[test]
    fn a_run_is_what_its_dwords_are_one_by_one() {
        let (mut refused, mut conflicts) = (0, 0);
        for seed in 0..200u64 {
            let [mut runs, mut single] = [Dwords::default(), Dwords::default()];
            [&mut runs, &mut single].into_iter().for_each(|dwords| dwords.grow(COUNT));
            let mut clocks = [[1; WAVES]; WAVES];
            for step in 0..200u64 {
                let random = |n: u64| poison(4 * (10_000 * seed + 10 * step + n)) as usize;
                let wave = random(0) % 4;
                if random(1) % 8 == 0 {
                    // A barrier, or something that tells one wave of another.
                    let now = clocks.iter().flatten().max().copied().unwrap_or(0);
                    match random(2) % 2 {
                        0 => clocks.iter_mut().for_each(|clock| *clock = [now; WAVES]),
                        _ => clocks[wave][random(3) % 4] = now,
                    }
                    (0..WAVES).for_each(|wave| clocks[wave][wave] = now + 1);
                }
                let kind = [Kind::Load, Kind::Store, Kind::Atomic { returns: true }][random(4) % 3];
                let (next_lane, lane) = (random(5) % 2 == 0, random(6) as u8 % 48);
                let start = random(7) % (COUNT - 16);
                let dwords = start..start + if next_lane { 16 } else { 1 + random(8) % 4 };
                let stored: Vec<u8> =
                    dwords.clone().flat_map(|at| poison(4 * (at as u64 + step)).to_le_bytes()).collect();
                let known = Known::new(&clocks[wave], wave);
                let new = Seen::new(clocks[wave][wave], step as u16, wave, lane, 15);
                let may_conflict = dwords.clone().any(|at| single.may_conflict(at, kind, &known));
                let is_added = runs.add_run(dwords.clone(), new, next_lane, kind, &stored, &known);
                assert!(!(is_added && may_conflict), "seed {seed}, step {step}");
                refused += u32::from(!is_added);
                conflicts += u32::from(may_conflict);
                for (n, at) in dwords.enumerate() {
                    let new = if next_lane { new.of_lane(n) } else { new };
                    let content = u32::from_le_bytes(stored[4 * n..4 * n + 4].try_into().unwrap());
                    let found = single.conflict(at, new, kind, content, &known, |_| false);
                    assert!(found.is_none() || single.may_conflict(at, kind, &known), "seed {seed}, step {step}");
                    single.push(at, new, kind, content, 0);
                    if !is_added {
                        runs.push(at, new, kind, content, 0);
                    }
                }
                assert_eq!(content(&runs), content(&single), "seed {seed}, step {step}");
            }
        }
        assert!(refused < 30_000 && conflicts > 1000 && refused > conflicts, "{refused}, {conflicts}");
    }
}
