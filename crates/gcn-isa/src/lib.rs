//! The gfx9 instruction set of AMD GPUs, decoded and printed as LLVM does: gfx908 (MI100), gfx90a (MI210, MI250) and gfx942 (MI300X).
//!
//! Nothing is executed here; the crate `gcn` does that.
pub mod decode;
mod disasm;
mod format;
#[rustfmt::skip]
pub mod inst;
pub mod op;
pub mod target;
pub mod waitcnt;
