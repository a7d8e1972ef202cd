//! From a decoded ALU instruction to the function that executes it.

use super::wave::Wave;
use super::{salu, valu};
use crate::inst::{Inst, Operand, Special};

/// Executes one instruction on a wave. The program counter is not its business.
pub type AluFn = fn(&mut Wave, &Inst);

/// The function that executes `inst`; `None` if it is not an ALU instruction.
///
/// Called once per decoded instruction: what the operands and modifiers allow to skip is decided here.
///
/// LDS direct reads and the exiting wave id belong to pixel shaders: instructions that read them are not executed.
pub fn alu(inst: &Inst) -> Option<AluFn> {
    let graphics = |source: &Operand| {
        matches!(source, Operand::Special { reg: Special::LdsDirect | Special::PopsExitingWaveId, .. })
    };
    if inst.src.iter().any(graphics) {
        return None;
    }
    salu::lower(inst).or_else(|| valu::lower(inst))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::example;
