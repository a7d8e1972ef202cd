//! Translates instructions to machine code, one module for each kind.

pub(crate) mod read_lane;
pub(crate) mod salu;
pub(crate) mod smem;
pub(crate) mod valu;
pub(crate) mod vmem;
