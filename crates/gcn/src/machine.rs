//! State that instructions use besides wave registers: memory, LDS, and the device.

pub mod bus;
pub(crate) mod context;
pub(crate) mod exit_mask;
pub(crate) mod memory;
pub(crate) mod segments;
