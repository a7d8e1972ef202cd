//! Failures of GPU work that no call has returned yet.
//!
//! Every wait notes it here, whoever waits and why. Only what returns it to a caller takes it, so a wait of a
//! destructor, or one for another buffer, loses nothing.

use std::collections::BTreeMap;

use cl_sys::cl_int;
use smallvec::SmallVec;

/// Addresses of the buffers that are asked about as one.
pub(crate) type Addresses = SmallVec<[u64; 2]>;

/// What a command of OpenCL's was given: addresses of buffers, and whether it may write there.
pub(crate) type Accesses = SmallVec<[(u64, bool); 8]>;

/// In place of an address: all buffers.
pub(crate) const EVERYTHING: u64 = u64::MAX;

/// One entry for a living buffer at most, and one for the session.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// Buffers, by their addresses, where results are missing.
    missing: BTreeMap<u64, Failure>,
    /// Status of the first command that failed and has no entry there: it was given no buffer, or those are gone.
    unassigned: Option<cl_int>,
}

/// A command that failed.
#[derive(Clone, Copy, Debug)]
struct Failure {
    number: u64,
    status: cl_int,
    /// A call returned it, for another buffer or for all. Users of the buffer itself get it all the same, and so do
    /// users of what is computed from it.
    reported: bool,
}

impl Failures {
    /// Notes how a command ended, after those before it. What it was to write is missing if it failed, and also if
    /// something is missing that it was to read.
    pub(crate) fn ended(&mut self, number: u64, status: cl_int, given: &Accesses) {
        let failure = if status < cl_sys::CL_COMPLETE {
            Some(Failure { number, status, reported: false })
        } else {
            let missing = given.iter().filter_map(|(address, _)| self.missing.get(address));
            missing.min_by_key(|failure| (failure.reported, failure.number)).copied()
        };
        let Some(failure) = failure else { return };
        let mut noted = failure.number != number;
        for (address, _) in given.iter().filter(|(_, written)| *written) {
            let first = self.missing.entry(*address).or_insert(failure);
            if first.reported && !failure.reported {
                *first = failure;
            }
            noted = true;
        }
        if !noted {
            self.note_unassigned(status);
        }
    }

    /// Notes a failure that is of no buffer.
    pub(crate) fn note_unassigned(&mut self, status: cl_int) {
        self.unassigned.get_or_insert(status);
    }

    /// Takes what was missing in these buffers: the status of what failed first.
    pub(crate) fn take(&mut self, buffers: &[u64]) -> Option<cl_int> {
        let mut first: Option<Failure> = None;
        for address in buffers {
            let Some(failure) = self.missing.remove(address) else { continue };
            for other in self.missing.values_mut() {
                other.reported |= other.number == failure.number;
            }
            if first.is_none_or(|first| failure.number < first.number) {
                first = Some(failure);
            }
        }
        first.map(|failure| failure.status)
    }

    /// Takes all failures that no call has returned: the status of one. Later calls for the buffers where results are
    /// missing return theirs all the same.
    pub(crate) fn take_all(&mut self) -> Option<cl_int> {
        let mut first: Option<Failure> = None;
        for failure in self.missing.values_mut().filter(|failure| !failure.reported) {
            failure.reported = true;
            if first.is_none_or(|first| failure.number < first.number) {
                first = Some(*failure);
            }
        }
        self.unassigned.take().or(first.map(|failure| failure.status))
    }

    /// The buffer at this address goes. A failure there that no call has returned, and that no other buffer has, is
    /// kept for the session.
    pub(crate) fn disown(&mut self, address: u64) {
        if let Some(failure) = self.missing.remove(&address)
            && !failure.reported
            && self.missing.values().all(|other| other.number != failure.number)
        {
            self.note_unassigned(failure.status);
        }
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::Failures;

    const A: u64 = 0x1000;
    const B: u64 = 0x2000;
    const C: u64 = 0x3000;

    #[test]
    fn a_failure_is_reported_once_for_each_buffer_and_to_no_other() {
        let mut failures = Failures::default();
        failures.ended(0, -5, &smallvec![(A, true), (B, true)]);
        failures.ended(1, 0, &smallvec![(C, true)]);
        failures.ended(2, -6, &smallvec![(A, true)]);
        assert_eq!(failures.take(&[C]), None);
        assert_eq!((failures.take(&[A]), failures.take(&[A])), (Some(-5), None), "the first");
        assert_eq!(failures.take_all(), None, "somebody got it");
        assert_eq!((failures.take(&[C, B]), failures.take(&[B])), (Some(-5), None));
        failures.ended(3, -7, &smallvec![(B, true)]);
        failures.ended(4, -8, &smallvec![(A, true)]);
        assert_eq!((failures.take(&[A, B]), failures.take_all()), (Some(-7), None), "what failed first");
    }

    #[test]
    fn what_is_computed_from_missing_results_is_missing_too() {
        let mut failures = Failures::default();
        failures.ended(0, -5, &smallvec![(A, true), (C, false)]);
        failures.ended(1, 0, &smallvec![(C, false)]);
        failures.ended(2, 0, &smallvec![(A, false), (B, true)]);
        assert_eq!((failures.take(&[C]), failures.take(&[B])), (None, Some(-5)), "C is not written");
        failures.ended(3, 0, &smallvec![(A, false), (B, true)]);
        assert_eq!((failures.take(&[B]), failures.take_all()), (Some(-5), None), "A is as it was, whoever got it");
        failures.ended(4, -6, &smallvec![(A, true)]);
        assert_eq!(failures.take_all(), Some(-6), "of what failed since");
        assert_eq!((failures.take(&[A]), failures.take(&[A])), (Some(-6), None));
        failures.ended(5, 0, &smallvec![(A, false), (B, true)]);
        assert_eq!(failures.take(&[B]), None, "whoever asked for A itself has it as it is");
    }

    #[test]
    fn who_asks_for_all_takes_nothing_from_the_buffers() {
        let mut failures = Failures::default();
        failures.ended(0, -5, &smallvec![(A, true)]);
        failures.ended(1, -6, &smallvec![(B, true)]);
        assert_eq!((failures.take_all(), failures.take_all()), (Some(-5), None), "reported as one");
        failures.ended(2, 0, &smallvec![(B, false), (C, true)]);
        assert_eq!((failures.take_all(), failures.take(&[C]), failures.take(&[B])), (None, Some(-6), Some(-6)));
        failures.ended(3, -7, &smallvec![(A, true), (B, true)]);
        assert_eq!((failures.take(&[A]), failures.take(&[B])), (Some(-7), Some(-7)), "the newer one, which nobody got");
        failures.ended(4, -8, &smallvec![(A, true)]);
        assert_eq!(failures.take_all(), Some(-8));
        failures.disown(A);
        assert_eq!((failures.take(&[A]), failures.take_all()), (None, None), "another buffer has the address");
    }

    #[test]
    fn a_failure_outlives_its_buffers() {
        let mut failures = Failures::default();
        failures.ended(0, -5, &smallvec![(A, true)]);
        failures.ended(1, 0, &smallvec![(A, false), (B, true)]);
        failures.disown(A);
        assert_eq!((failures.take(&[B]), failures.take_all()), (Some(-5), None), "B stands for it");
        failures.ended(2, -6, &smallvec![(A, true)]);
        failures.disown(A);
        failures.ended(3, -7, &smallvec![(B, true)]);
        assert_eq!((failures.take(&[A]), failures.take_all(), failures.take_all()), (None, Some(-6), None));
        failures.ended(4, -8, &smallvec![]);
        failures.ended(5, -9, &smallvec![(A, false)]);
        assert_eq!(
            (failures.take(&[A]), failures.take_all(), failures.take_all()),
            (None, Some(-8), None),
            "reported as one"
        );
        failures.ended(6, -9, &smallvec![(A, true), (B, true)]);
        assert_eq!(failures.take(&[B]), Some(-9));
        failures.disown(A);
        assert_eq!(failures.take_all(), None, "somebody got it");
    }
}
