//! Runs Rust tests on AMD GPUs: a cargo runner for the target `amdgcn-amd-amdhsa`, and the test harness on the GPU.
//!
//! A crate for the GPU depends on this one, without default features, under the name `test`, which `#[test]` looks for:
//!
//! ```toml
//! [dev-dependencies]
//! test = { package = "kfd-runner", default-features = false }
//! ```
//!
//! The root of the crate has the compiler's list of tests, which the harness's kernel calls:
//!
//! ```text
//! #![no_std]
//! #![no_main]
//! #![cfg_attr(test, feature(abi_gpu_kernel, custom_test_frameworks))]
//! #![cfg_attr(test, reexport_test_harness_main = "test_main")]
//!
//! #[cfg(test)]
//! test::harness!(test_main);
//!
//! #[test]
//! fn sums() {
//!     assert_eq!((1..=10).sum::<u32>(), 55);
//! }
//! ```
//!
//! `cargo test` then makes a code object, and the program `kfd-runner` launches it: each test is a work-group of one
//! work-item. A test fails if it panics, returns an error, or stops its queue; `#[should_panic]` and `#[ignore]` are
//! heeded, `#[bench]` does not compile. The crate has the panic handler, and `memcmp`, which `core` needs. Everything
//! but [`report`] exists on that target only.
//!
//! # Allocations
//! With the feature `alloc` there is a global allocator. Each test has 1 MiB; what it gives back is not used again.
//! Where that is not enough, an allocation fails.
#![no_std]
#![cfg_attr(target_arch = "amdgpu", feature(stdarch_amdgpu))]

pub mod report;

#[cfg(target_arch = "amdgpu")]
mod harness;
#[cfg(target_arch = "amdgpu")]
pub use harness::*;
