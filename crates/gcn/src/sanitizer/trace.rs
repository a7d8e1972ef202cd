//! Computes the accesses of each lane before an instruction is executed.

pub(crate) mod global;
pub(crate) mod global_operands;
pub(crate) mod lane_stride;
pub(crate) mod lds;
pub(crate) mod lds_operands;
pub(crate) mod scratch_operands;
