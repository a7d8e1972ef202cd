//! Any bytes: decode does not panic, and what it accepts prints and lies within the bytes.
//!
//! `cargo +nightly fuzz run decode` in `crates/gcn`.
#![no_main]

use std::fmt::Write;

use gcn::decode::decode;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut text = String::new();
    match decode(bytes) {
        Ok(inst) => {
            assert!(matches!(inst.len, 4 | 8 | 12) && usize::from(inst.len) <= bytes.len());
            write!(text, "{inst}").expect("a string");
            // Nothing behind the instruction matters.
            assert_eq!(decode(&bytes[..usize::from(inst.len)]), Ok(inst));
        }
        Err(error) => write!(text, "{error}").expect("a string"),
    }
    assert!(!text.is_empty());
});
