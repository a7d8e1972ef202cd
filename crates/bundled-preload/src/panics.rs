//! Ends the process when a function that C calls panics, because a panic must not unwind into C.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `call` returns; none if it panics. The panic's message is on standard error by then.
pub fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    // What the call has changed stays as it is at the panic, as does the state behind locks whose poison is ignored.
    catch_unwind(AssertUnwindSafe(call)).ok()
}
