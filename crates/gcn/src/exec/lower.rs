//! From a decoded instruction to the function that executes it.

use super::machine::Step;
pub use super::wave::AluFn;
use super::{buffer, control, ds, flat, image, lds_direct, mfma, salu, smem, valu};
use crate::inst::{Format, Inst, Operand, Special};

/// The function that executes `inst`; `None` if it is not an ALU instruction.
///
/// Called once per decoded instruction: what the operands and modifiers allow to skip is decided here.
///
/// A source in LDS takes more than the wave. The exiting wave id belongs to pixel shaders: instructions that read it are not executed.
pub fn alu(inst: &Inst) -> Option<AluFn> {
    let other = |source: &Operand| {
        matches!(source, Operand::Special { reg: Special::LdsDirect | Special::PopsExitingWaveId, .. })
    };
    if inst.src.iter().any(other) {
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
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p => lds_direct::lower(inst),
        _ => None,
    };
    core.map(Step::Core).or_else(|| alu(inst).map(Step::Alu))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::example;
