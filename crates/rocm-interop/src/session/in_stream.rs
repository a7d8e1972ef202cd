//! The work of the session's HIP stream, by number: what was launched, and up to where the host has waited for it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers begin at 1.
#[derive(Debug, Default)]
pub(crate) struct InStream {
    launched: AtomicU64,
    /// The last one that may use any memory.
    on_anything: AtomicU64,
    done: AtomicU64,
}

impl InStream {
    /// Counts work that is in the stream by now: its number. Who waits for the stream up to that waits for it.
    pub(crate) fn launched(&self) -> u64 {
        self.launched.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Counts work that may use any memory.
    pub(crate) fn launched_on_anything(&self) {
        let number = self.launched();
        self.on_anything.fetch_max(number, Ordering::SeqCst);
    }

    /// Number of the last work; it and all before is in the stream.
    pub(crate) fn last(&self) -> u64 {
        self.launched.load(Ordering::SeqCst)
    }

    /// What is in the stream up to this number was waited for.
    pub(crate) fn ended(&self, number: u64) {
        self.done.fetch_max(number, Ordering::SeqCst);
    }

    /// Whether work up to this number, or on anything, may still run.
    pub(crate) fn may_run(&self, number: u64) -> bool {
        number.max(self.on_anything.load(Ordering::SeqCst)) > self.done.load(Ordering::SeqCst)
    }
}
