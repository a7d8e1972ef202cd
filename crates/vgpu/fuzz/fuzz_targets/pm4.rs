//! Any dwords in the ring of a PM4 queue.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| vgpu::hardware::engine::untrusted::pm4(bytes));
