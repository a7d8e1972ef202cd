//! Panics in functions that C calls: they must not unwind into C.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of `call`, or `None` if it panics. The panic's message is already on standard error.
pub fn caught<T>(call: impl FnOnce() -> T) -> Option<T> {
    // What the call has changed stays as it is at the panic, as does the state behind locks whose poison is ignored.
    catch_unwind(AssertUnwindSafe(call)).ok()
}
