//! Arithmetic of gfx9's scalar, vector and matrix instructions, on the registers of a wave.
//!
//! Internal to the crate `gcn`, which re-exports what others use: nothing here is promised to stay. It is a crate of
//! its own because it is two thirds of the machine code, which so is compiled once for a program and for the tests of
//! what stands above.
//!
//! From below upwards: [`wave`], the registers; [`simd`] and [`fp`], how the host computes; then one module for each
//! kind of instruction. [`select`] gives the function that executes an instruction.
#![allow(missing_docs, reason = "internal to gcn")]
pub mod fp;
mod mfma;
mod salu;
pub mod simd;
pub mod valu;
pub mod wave;

use gcn_isa::inst::{Inst, Operand, Special};
use wave::AluFn;

/// The function that executes `inst`; `None` if it is not an ALU instruction.
///
/// Called once per decoded instruction: what the operands and modifiers allow to skip is decided here.
///
/// A source in LDS takes more than the wave. The exiting wave id belongs to pixel shaders: instructions that read it
/// are not executed.
pub fn select(inst: &Inst) -> Option<AluFn> {
    let other = |source: &Operand| {
        matches!(source, Operand::Special { reg: Special::LdsDirect | Special::PopsExitingWaveId, .. })
    };
    if inst.src.iter().any(other) {
        return None;
    }
    salu::lower(inst).or_else(|| valu::lower(inst)).or_else(|| mfma::lower(inst))
}
