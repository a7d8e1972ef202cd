//! Hand-overs that the GPU waits for, until it is known how each wait ended, and which buffers hang on them.
//!
//! A wait that ended without its flag spoils the buffer that was handed over, and what is computed from it. Whoever
//! asks for such a buffer is told, once for each, whoever else asks for what; buffers that hang on no such wait are
//! nobody else's to be told of.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;

use crate::error::Api;
use crate::session::Core;
use crate::session::failures::Accesses;
use crate::{Error, Result};

/// One hand-over's place in the flags' memory. Both words have the number of the hand-over, which grows, as places are
/// used again.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Place {
    /// The last one whose flag was raised.
    pub(crate) raised: AtomicU64,
    /// Twice the last one whose wait ended, and 1 if that was without its flag.
    pub(crate) ended: AtomicU64,
}

impl Place {
    /// Whether both kernels of hand-over number `turn` are over. A wait may have ended without its flag, which is
    /// raised later all the same.
    pub(crate) fn is_over(&self, turn: u64) -> bool {
        self.ended.load(Ordering::SeqCst) / 2 >= turn && self.raised.load(Ordering::SeqCst) >= turn
    }
}

/// Of a session.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// How many `Flags` are not given back yet.
    flags: usize,
    /// Waits that have not ended, and those that ended late and were not told to everybody yet, in the order of their
    /// launches.
    waits: BTreeMap<u64, Wait>,
    /// Number of the next.
    next: u64,
    /// Buffers, by their addresses, and the waits that they hang on. Those that ended in time are not in `waits` any
    /// more.
    behind: BTreeMap<u64, SmallVec<[u64; 4]>>,
    /// A wait ended late, so the other side may still work on what has its turn. Never unset.
    overtaken: bool,
}

#[derive(Debug)]
struct Wait {
    api: Api,
    limit: Duration,
    /// Number of the hand-over, and its place, which is there until `given_back`.
    turn: u64,
    place: *const Place,
    late: bool,
    reported: bool,
}

// SAFETY: the place is only read, atomically, and is no thread's own.
unsafe impl Send for Wait {}

impl State {
    /// Looks how waits have ended.
    fn look(&mut self) {
        let overtaken = &mut self.overtaken;
        self.waits.retain(|_, wait| {
            if wait.late {
                return true;
            }
            // SAFETY: it is there as long as the wait is not known to have ended.
            let ended = unsafe { &(*wait.place).ended }.load(Ordering::SeqCst);
            if ended / 2 < wait.turn {
                return true;
            }
            wait.late = ended % 2 != 0;
            *overtaken |= wait.late;
            wait.late
        });
    }

    /// Forgets waits that everybody was told of.
    fn forget(&mut self) {
        let behind = &self.behind;
        self.waits.retain(|number, wait| !wait.late || !wait.reported || behind.values().any(|on| on.contains(number)));
    }
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    /// There are flags more.
    pub(crate) fn made(&self) {
        self.lock().flags += 1;
    }

    /// A wait for hand-over number `turn` of the buffer at `address` is to be launched. Gives its number, for
    /// [`not_launched`](Turns::not_launched).
    ///
    /// # Safety
    /// `place` is there until [`given_back`](Turns::given_back).
    pub(crate) unsafe fn begin(&self, api: Api, limit: Duration, turn: u64, place: *const Place, address: u64) -> u64 {
        let mut state = self.lock();
        state.look();
        let number = state.next;
        state.next += 1;
        state.waits.insert(number, Wait { api, limit, turn, place, late: false, reported: false });
        let State { waits, behind, .. } = &mut *state;
        let on = behind.entry(address).or_default();
        on.retain(|number| waits.contains_key(number));
        on.push(number);
        number
    }

    /// The wait was not launched after all.
    pub(crate) fn not_launched(&self, number: u64) {
        self.lock().waits.remove(&number);
    }

    /// Work was launched that was given these buffers: what it writes hangs on what the others hang on.
    pub(crate) fn launched(&self, given: &Accesses) {
        let mut state = self.lock();
        if state.behind.is_empty() {
            return;
        }
        let State { waits, behind, .. } = &mut *state;
        let mut on: SmallVec<[u64; 4]> =
            given.iter().filter_map(|(address, _)| behind.get(address)).flatten().copied().collect();
        on.retain(|number| waits.contains_key(number));
        on.sort_unstable();
        on.dedup();
        for (address, _) in given.iter().filter(|(_, written)| *written) {
            if on.is_empty() {
                behind.remove(address);
            } else {
                behind.insert(*address, on.clone());
            }
        }
    }

    /// Takes what these buffers hang on that ended late: the first of it. For work that was waited for.
    fn take(&self, buffers: &[u64]) -> Option<(Api, Duration)> {
        let mut state = self.lock();
        if state.behind.is_empty() {
            return None;
        }
        state.look();
        let mut first: Option<u64> = None;
        for address in buffers {
            let State { waits, behind, .. } = &mut *state;
            let Some(on) = behind.get(address) else { continue };
            let late = on.iter().filter(|number| waits.get(number).is_some_and(|wait| wait.late)).min().copied();
            if late.is_none() {
                continue;
            }
            first = first.into_iter().chain(late).min();
            // All that it hangs on: who is told knows of no results in it.
            for number in behind.remove(address).into_iter().flatten() {
                waits.entry(number).and_modify(|wait| wait.reported = true);
            }
        }
        let reported = first.and_then(|number| state.waits.get(&number)).map(|wait| (wait.api, wait.limit));
        if reported.is_some() {
            state.forget();
        }
        reported
    }

    /// Takes all late waits of `api` that no call has reported: the time limit of the first. Buffers that hang on them
    /// report theirs all the same.
    fn take_all(&self, api: Api) -> Option<Duration> {
        let mut state = self.lock();
        state.look();
        let mut limit = None;
        for wait in state.waits.values_mut().filter(|wait| wait.api == api && wait.late && !wait.reported) {
            wait.reported = true;
            limit.get_or_insert(wait.limit);
        }
        state.forget();
        limit
    }

    /// The buffer at this address goes.
    pub(crate) fn disown(&self, address: u64) {
        let mut state = self.lock();
        if state.behind.remove(&address).is_some() {
            state.forget();
        }
    }

    /// The places that `is_own` says are given back. Their waits have ended; one that never began, since OpenCL failed
    /// at it, has no end to tell of.
    pub(crate) fn given_back(&self, is_own: impl Fn(*const Place) -> bool) {
        let mut state = self.lock();
        state.look();
        state.waits.retain(|_, wait| wait.late || !is_own(wait.place));
        state.flags -= 1;
    }
}

impl Core {
    /// Whether hand-overs were left to the GPU.
    pub(crate) fn has_flags(&self) -> bool {
        self.turns.lock().flags != 0
    }

    /// Whether the GPU has given up waiting for a flag, so that work of both sides may use a buffer at once. Asked
    /// behind a wait for one side.
    pub(crate) fn is_overtaken(&self) -> bool {
        let mut state = self.turns.lock();
        state.look();
        state.overtaken
    }

    /// Tells of waits of the GPU that ended without their flags and that these buffers hang on, in what was waited for:
    /// the caller returns it.
    pub(crate) fn report_late_of(&self, buffers: &[u64]) -> Result<()> {
        self.turns.take(buffers).map_or(Ok(()), |(api, limit)| Err(Error::TimedOut { api, limit }))
    }

    /// The same of all waits of `api` that nobody was told of.
    pub(crate) fn report_late(&self, api: Api) -> Result<()> {
        self.turns.take_all(api).map_or(Ok(()), |limit| Err(Error::TimedOut { api, limit }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use smallvec::smallvec;

    use super::{Place, Turns};
    use crate::error::Api;

    const A: u64 = 0x1000;
    const B: u64 = 0x2000;
    const C: u64 = 0x3000;
    const LIMIT: Duration = Duration::from_secs(1);
    const LATE: Option<(Api, Duration)> = Some((Api::Hip, LIMIT));

    fn begin(turns: &Turns, turn: u64, place: &Place, address: u64) {
        // SAFETY: the places outlive the waits.
        unsafe { turns.begin(Api::Hip, LIMIT, turn, place, address) };
    }

    #[test]
    fn each_buffer_is_told_of_its_own_waits_and_what_is_computed_from_it_too() {
        let (turns, places) = (Turns::default(), [Place::default(), Place::default()]);
        turns.made();
        begin(&turns, 1, &places[0], A);
        begin(&turns, 2, &places[1], B);
        turns.launched(&smallvec![(A, false), (C, true)]);
        assert_eq!(turns.take(&[A]), None, "not ended");
        places[0].ended.store(3, Ordering::SeqCst);
        places[1].ended.store(4, Ordering::SeqCst);
        assert_eq!(
            (turns.take(&[B]), turns.take_all(Api::OpenCl), turns.take_all(Api::Hip)),
            (None, None, Some(LIMIT))
        );
        assert_eq!((turns.take_all(Api::Hip), turns.take(&[B, A]), turns.take(&[A])), (None, LATE, None));
        turns.given_back(|place| places.as_ptr_range().contains(&place));
        assert_eq!((turns.take(&[C]), turns.take(&[C])), (LATE, None), "also when the flags are gone");
        assert!(turns.lock().waits.is_empty() && turns.lock().behind.keys().eq([&B]));
    }

    #[test]
    fn a_place_is_used_again_when_both_kernels_are_over() {
        let place = Place::default();
        let over = |raised: u64, ended: u64| {
            place.raised.store(raised, Ordering::SeqCst);
            place.ended.store(ended, Ordering::SeqCst);
            place.is_over(7)
        };
        assert!(over(7, 14) && over(7, 15) && over(1031, 2062));
        assert!(!over(0, 0) && !over(7, 0) && !over(7, 13) && !over(0, 14));
        assert!(!over(0, 15), "its flag is raised later, and would overwrite the next one's");
    }

    #[test]
    fn a_late_wait_outlives_its_buffer() {
        let (turns, place) = (Turns::default(), Place::default());
        turns.made();
        begin(&turns, 7, &place, A);
        place.ended.store(15, Ordering::SeqCst);
        turns.disown(A);
        assert_eq!((turns.take(&[A]), turns.take_all(Api::Hip), turns.take_all(Api::Hip)), (None, Some(LIMIT), None));
        assert!(turns.lock().waits.is_empty());
    }

    #[test]
    fn what_is_computed_from_others_alone_hangs_on_them_alone() {
        let (turns, places) = (Turns::default(), [Place::default(), Place::default()]);
        begin(&turns, 1, &places[0], A);
        // SAFETY: it outlives the wait.
        let number = unsafe { turns.begin(Api::Hip, LIMIT, 2, &places[1], B) };
        turns.launched(&smallvec![(A, false), (B, true)]);
        places[1].ended.store(5, Ordering::SeqCst);
        turns.not_launched(number);
        places[0].ended.store(2, Ordering::SeqCst);
        assert_eq!(turns.take(&[A, B]), None);
    }
}
