//! The interpreter: one module for each kind of instruction. [`select`] chooses the function of an instruction when
//! code is decoded.

pub(crate) mod atomic;
pub(crate) mod buffer;
pub(crate) mod control;
pub(crate) mod data_format;
pub(crate) mod ds;
pub(crate) mod flat;
pub(crate) mod gpr_index;
pub(crate) mod gws;
pub(crate) mod image;
pub(crate) mod lds_direct;
pub(crate) mod replay;
pub(crate) mod select;
pub(crate) mod smem;
pub(crate) mod vmem;
