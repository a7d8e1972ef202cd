//! A decoder, disassembler and software executor for the gfx9 instruction set of AMD GPUs: gfx908 (MI100), gfx90a
//! (MI210, MI250) and gfx942 (MI300X).
//!
//! It depends on no driver and starts no threads. Memory, clocks and messages come through the trait [`bus::Bus`].
//!
//! - [`target`], [`op`], [`inst`], [`decode`]: the instruction set, of the crate `gcn-isa`. The `Display` of an
//!   instruction is its disassembly.
//! - [`exec`]: runs the waves of a dispatch, one work-group at a time.
//! - [`bus`]: the interface of a wave to the device, which the caller implements.
//! - [`sanitizer`]: findings for a device that checks accesses.
//!
//! Each folder imports only those below it (`xtask/tests/storeys.rs` holds it). From the lowest upwards: `machine`, the
//! state that instructions use besides wave registers; `interp`, which executes single instructions; `jit`, compiled
//! code; `sanitizer`, which checks the waves' accesses; `dispatch`, which combines them. Registers, and the arithmetic
//! of scalar, vector and matrix instructions, are the crate `gcn-alu`.
//!
//! # Example
//! ```
//! use gcn::decode::{DecodeError, decode};
//! use gcn::op::Op;
//! use gcn::target::Target;
//!
//! # fn main() -> Result<(), DecodeError> {
//! let inst = decode(Target::Gfx908, &[0x00, 0x00, 0xcb, 0xd1, 0x01, 0x05, 0x0c, 0x24])?;
//! assert_eq!((inst.op, inst.len), (Op::VFmaF32, 8));
//! assert_eq!(inst.to_string(), "v_fma_f32 v0, -v1, s2, v3");
//! # Ok(()) }
//! ```
pub use gcn_isa::{decode, inst, op, target};
pub use machine::bus;

mod dispatch;
pub mod exec;
mod interp;
mod jit;
mod machine;
pub mod sanitizer;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
