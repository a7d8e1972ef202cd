//! Any bytes are either refused with an error, or are a code object that can be loaded and whose kernels can be
//! launched.
#![no_main]

#[path = "../../tests/support/untrusted.rs"]
mod untrusted;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| untrusted::code_object(bytes));
