//! Any records can be written in all formats.
#![no_main]

#[path = "../../tests/support/untrusted.rs"]
#[allow(dead_code, reason = "of both targets")]
mod untrusted;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| untrusted::records(bytes));
