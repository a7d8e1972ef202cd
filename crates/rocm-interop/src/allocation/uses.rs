//! What work may use memory, and the waits for it.
//!
//! OpenCL's commands are known by what they were given, and each has an event. HIP has none for each kernel, so of its
//! work the memory knows the number of the last that may use it, and whoever waits for that waits for the whole stream.

use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::Result;
use crate::allocation::{Allocation, Owner};
use crate::error::Api;
use crate::session::Core;

/// Above all numbers.
const UNKNOWN: u64 = u64::MAX;

impl Allocation {
    /// The address is somebody's to pass on.
    pub(crate) fn give_address(&self) -> u64 {
        self.address_given.store(true, Ordering::Relaxed);
        self.address
    }

    /// The stream's work of this number may use it.
    pub(crate) fn used_in_stream(&self, number: u64) {
        self.in_stream.fetch_max(number, Ordering::Relaxed);
    }

    /// So may work of the stream until HIP's turn ends, as a library of HIP's has the address.
    pub(crate) fn used_by_library(&self) {
        self.used_in_stream(UNKNOWN);
    }

    /// No library of HIP's has the address any more; of the stream's work, what comes behind this number does not use
    /// it.
    pub(crate) fn unused_in_stream_behind(&self, number: u64) {
        self.in_stream.fetch_min(number, Ordering::Relaxed);
    }

    /// Number behind the last command of the session's queue that may use it.
    pub(crate) fn unused_from(&self) -> u64 {
        if self.is_used_unseen() {
            return self.core.launched();
        }
        self.core.unused_from(&self.addresses())
    }

    /// Whether work of the stream that was not waited for may use it.
    pub(crate) fn may_be_used_in_stream(&self) -> bool {
        let number = if self.is_used_unseen() { UNKNOWN } else { self.in_stream.load(Ordering::Relaxed) };
        self.core.shares_stream() || self.core.in_stream.may_run(number)
    }

    /// Whether work may use it that was not given it as an argument.
    fn is_used_unseen(&self) -> bool {
        // The same bytes may be imported at another address too.
        self.address_given.load(Ordering::Relaxed) || self.is_imported()
    }

    /// What commands that use its bytes were given is at one of these: views of one buffer object and of parts of it
    /// are in one allocation.
    pub(super) fn addresses(&self) -> Range<u64> {
        let (base, bytes) = match self.owner {
            Owner::Mem(_) => (self.residency.base, self.residency.bytes),
            _ => (self.address, self.bytes),
        };
        base..base + bytes as u64
    }

    /// Waits for what may use it of `side`'s work: of the session's queue up to the last such command, of its stream
    /// for all if there is some.
    pub(crate) fn wait_for_uses_of(&self, side: Api) -> Result<()> {
        if side != Api::Hip {
            return self.core.finish_before(self.unused_from());
        }
        if self.may_be_used_in_stream() { self.core.wait(Api::Hip) } else { Ok(()) }
    }

    /// Waits for the work of either side that may use it, whoever's turn it is; nobody has it any more.
    pub(crate) fn wait_for_uses(&self) -> Result<()> {
        self.core.check_abandoned(Api::Hip)?;
        self.wait_for_uses_of(Api::Hip)?;
        self.wait_for_uses_of(Api::OpenCl)?;
        self.unused_in_stream_behind(0);
        Ok(())
    }

    /// Waits for what may use it of `side`'s work, whose turn ends, and tells what is missing here.
    pub(crate) fn end_turn(&self, side: Api) -> Result<()> {
        self.wait_for_uses_of(side)?;
        self.report(side)?;
        if side == Api::Hip {
            self.unused_in_stream_behind(0);
        }
        Ok(())
    }

    /// The same for those who use it by other means than the queue and the stream, whether the turn ends or not: from
    /// the first time on that the GPU gave up waiting for a flag, the other side's work is waited for too, which such a
    /// wait does not hold back.
    pub(crate) fn finish_uses(&self, side: Api) -> Result<()> {
        self.wait_for_uses_of(side)?;
        self.report(side)?;
        self.finish_overtaken(side)
    }

    /// When `side`'s work that may use it has ended: waits for the other side's, which a wait for a flag does not hold
    /// back once the GPU gave it up.
    pub(crate) fn finish_overtaken(&self, side: Api) -> Result<()> {
        let other = if side == Api::Hip { Api::OpenCl } else { Api::Hip };
        // It stays set: others than who was told have not waited yet.
        if self.core.is_overtaken() {
            self.wait_for_uses_of(other)?;
        }
        self.report(other)
    }

    /// Tells what is missing here, in what was waited for of `side`'s: the caller returns it.
    pub(crate) fn report(&self, side: Api) -> Result<()> {
        self.core.report(side, &[self.address])
    }
}

impl Core {
    /// Behind a launch on the stream, or a call that enqueues there: its work, of this number, may use these.
    pub(crate) fn launched_in_stream<'m>(&self, used: impl IntoIterator<Item = &'m Allocation>) -> u64 {
        let number = self.in_stream.launched();
        used.into_iter().for_each(|memory| memory.used_in_stream(number));
        number
    }
}
