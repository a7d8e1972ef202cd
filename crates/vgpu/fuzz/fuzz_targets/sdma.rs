//! Any dwords in the ring of an SDMA queue.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vgpu::hardware::engine::untrusted::sdma(bytes));
