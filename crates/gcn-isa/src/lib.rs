//! A decoder and disassembler for the gfx9 instruction set of AMD GPUs: gfx908 (MI100), gfx90a (MI210, MI250) and
//! gfx942 (MI300X). Text is as LLVM prints it.
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

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
