//! Whatever another process sends: an error, or a descriptor and bytes that are inside it.
#![no_main]

#[path = "../../tests/support/untrusted.rs"]
mod untrusted;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| untrusted::receive(bytes));
