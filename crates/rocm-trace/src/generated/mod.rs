//! What `cargo xtask bindgen` writes about each API, from the same declarations as the bindings.

/// OpenCL.
#[rustfmt::skip]
pub mod cl_sys;
/// HIP and hiprtc.
#[rustfmt::skip]
pub mod hip_sys;
/// HSA.
#[rustfmt::skip]
pub mod hsa_sys;
/// The driver's requests.
#[rustfmt::skip]
pub mod kfd_sys;
