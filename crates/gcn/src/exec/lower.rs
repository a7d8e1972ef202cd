//! From a decoded instruction to the function that executes it.

use super::machine::Step;
pub use super::wave::AluFn;
use super::{buffer, control, ds, flat, image, mfma, salu, smem, valu};
use crate::inst::{Format, Inst, Operand, Special};

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
    salu::lower(inst).or_else(|| valu::lower(inst)).or_else(|| mfma::lower(inst))
}

/// What executes `inst`; `None` if nothing does.
pub(crate) fn lower(inst: &Inst) -> Option<Step> {
    let core = match inst.format {
        Format::Smem => smem::lower(inst),
        Format::Ds => ds::lower(inst),
        Format::Flat | Format::Global | Format::Scratch => flat::lower(inst),
        Format::Mubuf | Format::Mtbuf => buffer::lower(inst),
        Format::Mimg => image::lower(inst),
        Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk | Format::Sopp => control::lower(inst),
        _ => None,
    };
    core.map(Step::Core).or_else(|| alu(inst).map(Step::Alu))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::example;
