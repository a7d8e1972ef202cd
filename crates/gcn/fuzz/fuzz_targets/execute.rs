//! A work-group that executes any code ends in an outcome.
#![no_main]
#![allow(dead_code, reason = "each target uses a part of what they share")]

#[path = "../../tests/support/untrusted.rs"]
mod untrusted;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| untrusted::execute(bytes));
