//! Detects loads of uninitialised memory.

pub(crate) mod check;
pub(crate) mod poison;
pub(crate) mod shadow_bits;
