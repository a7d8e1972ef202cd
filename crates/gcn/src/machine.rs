//! What instructions work on besides the registers of their wave: memory, LDS, and the device around a work-group.

pub mod bus;
pub(crate) mod context;
pub(crate) mod exit_mask;
pub(crate) mod memory;
pub(crate) mod segments;
