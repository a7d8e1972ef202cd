//! Decoding any bytes does not panic; a decoded instruction can be printed and ends within the bytes.
#![no_main]
#![allow(dead_code, reason = "each target uses a part of what they share")]

#[path = "../../tests/support/untrusted.rs"]
mod untrusted;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| untrusted::decode(bytes));
