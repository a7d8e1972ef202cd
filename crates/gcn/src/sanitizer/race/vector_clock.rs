//! Happens-before knowledge of a wave about other work-groups (a compressed vector clock), for race detection.
//!
//! A grid may have thousands of work-groups, of which each may know all before it. Mostly they run the same code and
//! have done the same when they say so: what is known of neighbours that are alike is kept once.

use std::cmp::Ordering;
use std::ops::Deref;
use std::sync::Arc;

/// Waves of the largest work-group.
pub(crate) const WAVES: usize = 16;

/// What is done of each wave of a work-group: all until its clock was this.
pub(crate) type Clock = [u16; WAVES];

/// Raises each wave's to the other's.
pub(crate) fn raise(clock: &mut Clock, other: &Clock) {
    clock.iter_mut().zip(other).for_each(|(clock, other)| *clock = (*other).max(*clock));
}

/// Runs of work-groups that are kept. Where there would be more, all is known: a race may be missed, and none is told
/// that is none.
const RUNS: usize = 64;

/// Work-groups of which the same is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: u32,
    last: u32,
    clock: Clock,
}

/// What is known of work-groups, by their numbers in the grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// In order; they do not overlap.
    runs: Vec<Run>,
    all: bool,
}

impl Known {
    /// This of one work-group.
    pub fn of(group: u32, clock: Clock) -> Known {
        Known { runs: vec![Run { first: group, last: group, clock }], all: false }
    }

    /// The known clock of `group`.
    pub fn get(&self, group: u32) -> Clock {
        if self.all {
            return [u16::MAX; WAVES];
        }
        let at = self.runs.partition_point(|run| run.last < group);
        self.runs.get(at).filter(|run| run.first <= group).map_or([0; WAVES], |run| run.clock)
    }

    /// Whether all that `other` has is known.
    pub fn includes(&self, other: &Known) -> bool {
        self.all || !other.all && other.runs.iter().all(|run| self.covers(run.first, run.last, &run.clock))
    }

    /// Whether all that `other` has of work-groups other than `group` is known.
    pub fn includes_others(&self, other: &Known, group: u32) -> bool {
        let covers = |run: &Run| {
            if !(run.first..=run.last).contains(&group) {
                return self.covers(run.first, run.last, &run.clock);
            }
            (run.first == group || self.covers(run.first, group - 1, &run.clock))
                && (run.last == group || self.covers(group + 1, run.last, &run.clock))
        };
        self.all || !other.all && other.runs.iter().all(covers)
    }

    fn covers(&self, first: u32, last: u32, clock: &Clock) -> bool {
        let mut next = first;
        let at = self.runs.partition_point(|own| own.last < first);
        for own in &self.runs[at..] {
            if own.first > next || own.clock.iter().zip(clock).any(|(own, other)| own < other) {
                return false;
            }
            if own.last >= last {
                return true;
            }
            next = own.last + 1;
        }
        false
    }

    /// Both.
    pub fn with(&self, other: &Known) -> Known {
        if self.all || other.all {
            return Known { runs: Vec::new(), all: true };
        }
        let mut both = Known { runs: Vec::with_capacity(self.runs.len() + other.runs.len()), all: false };
        let (mut ones, mut others) = (self.runs.iter().copied(), other.runs.iter().copied());
        let (mut one, mut other) = (ones.next(), others.next());
        while let (Some(a), Some(b)) = (one, other) {
            // What comes first, as far as it is only one's or both's.
            let (first, last) = match a.first.cmp(&b.first) {
                Ordering::Less => (a, a.last.min(b.first - 1)),
                Ordering::Greater => (b, b.last.min(a.first - 1)),
                Ordering::Equal => {
                    let mut clock = a.clock;
                    raise(&mut clock, &b.clock);
                    (Run { clock, ..a }, a.last.min(b.last))
                }
            };
            both.push(Run { last, ..first });
            for (run, runs) in [(&mut one, &mut ones), (&mut other, &mut others)] {
                match run {
                    Some(run) if run.last > last => run.first = run.first.max(last + 1),
                    Some(_) => *run = runs.next(),
                    None => {}
                }
            }
        }
        one.into_iter().chain(ones).chain(other).chain(others).for_each(|run| both.push(run));
        both.all = both.runs.len() > RUNS;
        if both.all {
            both.runs.clear();
        }
        both
    }

    /// Adds a run behind all others.
    fn push(&mut self, run: Run) {
        match self.runs.last_mut() {
            _ if run.clock == [0; WAVES] => {}
            Some(before) if before.clock == run.clock && before.last + 1 == run.first => before.last = run.last,
            _ => self.runs.push(run),
        }
    }
}

/// What several know. Most work-groups begin and end with nothing, which takes no allocation.
#[derive(Clone, Default)]
pub(crate) struct Shared(Option<Arc<Known>>);

impl Shared {
    pub fn new(known: Known) -> Shared {
        Shared(Some(Arc::new(known)))
    }

    /// Adds `more`.
    pub fn join(&mut self, more: &Shared) {
        let is_same = match (&self.0, &more.0) {
            (Some(all), Some(more)) => Arc::ptr_eq(all, more),
            (_, more) => more.is_none(),
        };
        if !is_same && !self.includes(more) {
            *self = Shared::new(self.with(more));
        }
    }
}

impl Deref for Shared {
    type Target = Known;

    fn deref(&self) -> &Known {
        static NOTHING: Known = Known { runs: Vec::new(), all: false };
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(wave: usize, value: u16) -> Clock {
        std::array::from_fn(|i| if i == wave { value } else { 0 })
    }

    #[test]
    fn neighbours_that_are_alike_are_one_run() {
        let mut known = Known::default();
        for group in (0..1000).chain(2000..3000) {
            known = known.with(&Known::of(group, clock(0, 3)));
        }
        assert_eq!(known.runs.len(), 2);
        assert_eq!(known.get(999), clock(0, 3));
        assert_eq!(known.get(1000), [0; WAVES]);
        known = known.with(&Known::of(500, clock(1, 2)));
        assert_eq!(known.runs.len(), 4);
        assert_eq!((known.get(500)[0], known.get(500)[1], known.get(501)[1]), (3, 2, 0));
    }

    #[test]
    fn what_is_included_adds_nothing() {
        let of = |groups: std::ops::Range<u32>, value| {
            groups.map(|group| Known::of(group, clock(0, value))).fold(Known::default(), |all, one| all.with(&one))
        };
        let (few, many) = (of(10..20, 1), of(0..30, 2));
        assert!(many.includes(&few) && !few.includes(&many) && few.includes(&Known::default()));
        assert_eq!(many.with(&few), many);
        assert!(few.includes_others(&of(9..20, 1), 9) && few.includes_others(&of(15..21, 1), 20));
        assert!(!few.includes_others(&of(8..20, 1), 9) && few.includes_others(&Known::of(15, clock(0, 9)), 15));
        assert!(!few.includes(&of(19..21, 1)) && !few.includes(&of(9..11, 1)));
        let apart = of(0..10, 1).with(&of(11..20, 2));
        assert!(!apart.includes(&of(9..12, 1)) && apart.includes(&of(12..20, 2)));
    }

    #[test]
    fn what_two_know_is_the_later_of_each() {
        let mut state: u64 = 1;
        let mut random = move |count: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % count
        };
        for _ in 0..500 {
            let mut of = || {
                let mut known = Known::default();
                let mut first = 0;
                for _ in 0..random(6) {
                    first += random(5) as u32;
                    let last = first + random(7) as u32;
                    known.push(Run { first, last, clock: clock(random(2) as usize, 1 + random(3) as u16) });
                    first = last + 1;
                }
                known
            };
            let (one, other) = (of(), of());
            let both = one.with(&other);
            for group in 0..80 {
                let mut clock = one.get(group);
                raise(&mut clock, &other.get(group));
                assert_eq!(both.get(group), clock, "{group} of {one:?} and {other:?}");
            }
            // As few as can be, in order.
            let may_follow = |two: &[Run]| {
                two[0].last < two[1].first && !(two[0].last + 1 == two[1].first && two[0].clock == two[1].clock)
            };
            assert!(both.runs.windows(2).all(may_follow), "{both:?}");
            assert_eq!(both, other.with(&one));
        }
    }

    #[test]
    fn more_runs_than_are_kept_know_all() {
        let mut known = Known::default();
        for group in 0..=RUNS as u32 {
            assert!(!known.all);
            known = known.with(&Known::of(2 * group, clock(0, 1)));
        }
        assert!(known.includes(&Known::of(77_777, [9; WAVES])) && !Known::default().includes(&known));
    }
}
