//! What an instruction is about to access, lane by lane, before it is executed.

pub(crate) mod global;
pub(crate) mod global_operands;
pub(crate) mod lane_stride;
pub(crate) mod lds;
pub(crate) mod lds_operands;
pub(crate) mod scratch_operands;
