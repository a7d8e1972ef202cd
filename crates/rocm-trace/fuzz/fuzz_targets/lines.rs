//! Any lines as a device's trace, a runtime's log or a recording.
#![no_main]

#[path = "../../tests/support/untrusted.rs"]
#[allow(dead_code, reason = "of both targets")]
mod untrusted;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| untrusted::lines(bytes));
