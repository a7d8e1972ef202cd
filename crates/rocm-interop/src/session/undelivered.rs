//! Undelivered failures: how work of the GPU ended that did not succeed, until a call returns it.
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
pub(crate) struct Undelivered {
    /// Buffers, by their addresses, where results are missing.
    missing: BTreeMap<u64, Failure>,
    /// Status of the first command that failed and has no entry there: it was given no buffer, or those are gone.
    nobodys: Option<cl_int>,
}

/// A command that failed.
#[derive(Clone, Copy, Debug)]
struct Failure {
    number: u64,
    status: cl_int,
    /// Somebody heard of it, for another buffer or for all. The buffer's own user is told all the same, and so are
    /// those of what is computed from it.
    told: bool,
}

impl Undelivered {
    /// Notes how a command ended, after those before it. What it was to write is missing if it failed, and also if
    /// something is missing that it was to read.
    pub(crate) fn ended(&mut self, number: u64, status: cl_int, given: &Accesses) {
        let failure = if status < cl_sys::CL_COMPLETE {
            Some(Failure { number, status, told: false })
        } else {
            let missing = given.iter().filter_map(|(address, _)| self.missing.get(address));
            missing.min_by_key(|failure| (failure.told, failure.number)).copied()
        };
        let Some(failure) = failure else { return };
        let mut noted = failure.number != number;
        for (address, _) in given.iter().filter(|(_, written)| *written) {
            let first = self.missing.entry(*address).or_insert(failure);
            if first.told && !failure.told {
                *first = failure;
            }
            noted = true;
        }
        if !noted {
            self.nobodys(status);
        }
    }

    /// Notes a failure that is of no buffer.
    pub(crate) fn nobodys(&mut self, status: cl_int) {
        self.nobodys.get_or_insert(status);
    }

    /// Takes what was missing in these buffers: the status of what failed first.
    pub(crate) fn take(&mut self, buffers: &[u64]) -> Option<cl_int> {
        let mut first: Option<Failure> = None;
        for address in buffers {
            let Some(failure) = self.missing.remove(address) else { continue };
            for other in self.missing.values_mut() {
                other.told |= other.number == failure.number;
            }
            if first.is_none_or(|first| failure.number < first.number) {
                first = Some(failure);
            }
        }
        first.map(|failure| failure.status)
    }

    /// Takes all failures that nobody was told of: the status of one. Buffers where results are missing are told all
    /// the same.
    pub(crate) fn take_all(&mut self) -> Option<cl_int> {
        let mut first: Option<Failure> = None;
        for failure in self.missing.values_mut().filter(|failure| !failure.told) {
            failure.told = true;
            if first.is_none_or(|first| failure.number < first.number) {
                first = Some(*failure);
            }
        }
        self.nobodys.take().or(first.map(|failure| failure.status))
    }

    /// The buffer at this address goes. If nobody was told of what is missing there, and nobody else will be, it is
    /// nobody's.
    pub(crate) fn disown(&mut self, address: u64) {
        if let Some(failure) = self.missing.remove(&address)
            && !failure.told
            && self.missing.values().all(|other| other.number != failure.number)
        {
            self.nobodys(failure.status);
        }
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::Undelivered;

    const A: u64 = 0x1000;
    const B: u64 = 0x2000;
    const C: u64 = 0x3000;

    #[test]
    fn a_failure_is_told_once_for_each_buffer_and_to_no_other() {
        let mut undelivered = Undelivered::default();
        undelivered.ended(0, -5, &smallvec![(A, true), (B, true)]);
        undelivered.ended(1, 0, &smallvec![(C, true)]);
        undelivered.ended(2, -6, &smallvec![(A, true)]);
        assert_eq!(undelivered.take(&[C]), None);
        assert_eq!((undelivered.take(&[A]), undelivered.take(&[A])), (Some(-5), None), "the first");
        assert_eq!(undelivered.take_all(), None, "somebody was told");
        assert_eq!((undelivered.take(&[C, B]), undelivered.take(&[B])), (Some(-5), None));
        undelivered.ended(3, -7, &smallvec![(B, true)]);
        undelivered.ended(4, -8, &smallvec![(A, true)]);
        assert_eq!((undelivered.take(&[A, B]), undelivered.take_all()), (Some(-7), None), "what failed first");
    }

    #[test]
    fn what_is_computed_from_missing_results_is_missing_too() {
        let mut undelivered = Undelivered::default();
        undelivered.ended(0, -5, &smallvec![(A, true), (C, false)]);
        undelivered.ended(1, 0, &smallvec![(C, false)]);
        undelivered.ended(2, 0, &smallvec![(A, false), (B, true)]);
        assert_eq!((undelivered.take(&[C]), undelivered.take(&[B])), (None, Some(-5)), "C is not written");
        undelivered.ended(3, 0, &smallvec![(A, false), (B, true)]);
        assert_eq!(
            (undelivered.take(&[B]), undelivered.take_all()),
            (Some(-5), None),
            "A is as it was, whoever was told"
        );
        undelivered.ended(4, -6, &smallvec![(A, true)]);
        assert_eq!(undelivered.take_all(), Some(-6), "of what failed since");
        assert_eq!((undelivered.take(&[A]), undelivered.take(&[A])), (Some(-6), None));
        undelivered.ended(5, 0, &smallvec![(A, false), (B, true)]);
        assert_eq!(undelivered.take(&[B]), None, "who was told of A itself has it as it is");
    }

    #[test]
    fn who_asks_for_all_takes_nothing_from_the_buffers() {
        let mut undelivered = Undelivered::default();
        undelivered.ended(0, -5, &smallvec![(A, true)]);
        undelivered.ended(1, -6, &smallvec![(B, true)]);
        assert_eq!((undelivered.take_all(), undelivered.take_all()), (Some(-5), None), "told as one");
        undelivered.ended(2, 0, &smallvec![(B, false), (C, true)]);
        assert_eq!(
            (undelivered.take_all(), undelivered.take(&[C]), undelivered.take(&[B])),
            (None, Some(-6), Some(-6))
        );
        undelivered.ended(3, -7, &smallvec![(A, true), (B, true)]);
        assert_eq!(
            (undelivered.take(&[A]), undelivered.take(&[B])),
            (Some(-7), Some(-7)),
            "the newer one, which nobody was told of"
        );
        undelivered.ended(4, -8, &smallvec![(A, true)]);
        assert_eq!(undelivered.take_all(), Some(-8));
        undelivered.disown(A);
        assert_eq!((undelivered.take(&[A]), undelivered.take_all()), (None, None), "another buffer has the address");
    }

    #[test]
    fn a_failure_outlives_its_buffers() {
        let mut undelivered = Undelivered::default();
        undelivered.ended(0, -5, &smallvec![(A, true)]);
        undelivered.ended(1, 0, &smallvec![(A, false), (B, true)]);
        undelivered.disown(A);
        assert_eq!((undelivered.take(&[B]), undelivered.take_all()), (Some(-5), None), "B stands for it");
        undelivered.ended(2, -6, &smallvec![(A, true)]);
        undelivered.disown(A);
        undelivered.ended(3, -7, &smallvec![(B, true)]);
        assert_eq!((undelivered.take(&[A]), undelivered.take_all(), undelivered.take_all()), (None, Some(-6), None));
        undelivered.ended(4, -8, &smallvec![]);
        undelivered.ended(5, -9, &smallvec![(A, false)]);
        assert_eq!(
            (undelivered.take(&[A]), undelivered.take_all(), undelivered.take_all()),
            (None, Some(-8), None),
            "told as one"
        );
        undelivered.ended(6, -9, &smallvec![(A, true), (B, true)]);
        assert_eq!(undelivered.take(&[B]), Some(-9));
        undelivered.disown(A);
        assert_eq!(undelivered.take_all(), None, "somebody was told");
    }
}
