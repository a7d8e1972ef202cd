//! MODE bits that change vector instructions: register operands relative to M0, and VSKIP.

use gcn_alu::wave::Wave;
use gcn_isa::inst::{Format, Inst, Operand};

/// Runs a vector instruction in one of these modes. `false`: the mode does not concern it, run it as always.
#[cold]
pub(crate) fn run(wave: &mut Wave, inst: &Inst) -> bool {
    use Format::*;
    let alu = matches!(inst.format, Vop1 | Vop2 | Vopc | Vop3 | Vop3p | Vintrp);
    let vector = alu || matches!(inst.format, Ds | Flat | Global | Scratch | Mubuf | Mtbuf | Mimg | Exp);
    if wave.mode.vskip() && vector {
        return true;
    }
    if !wave.mode.gpr_idx_en() || !alu {
        return false;
    }
    let m0 = wave.m0();
    let index = (m0 & 0xff) as u8;
    let mut moved = *inst;
    // Adds M0 to the register; false if it then is past the wave's last one (AMD's ISA manuals, "Out-of-Range
    // behavior").
    let shift = |operand: &mut Operand| {
        let Operand::Vgpr { first, count } = operand else { return true };
        let end = usize::from(*first) + usize::from(index) + usize::from(*count);
        *first = first.wrapping_add(index);
        end <= wave.vector_registers
    };
    // M0[12], [13], [14]: sources 0 to 2; M0[15]: destination. Instead of a source that is not there register 0 is
    // taken; without a destination nothing happens.
    for (i, source) in moved.src.iter_mut().take(3).enumerate() {
        if m0 >> (12 + i) & 1 != 0
            && !shift(source)
            && let Operand::Vgpr { first, .. } = source
        {
            *first = 0;
        }
    }
    if m0 >> 15 & 1 != 0 && !moved.dst.iter_mut().all(shift) {
        return true;
    }
    match gcn_alu::select(&moved) {
        Some(run) => {
            wave.touch([wave.vector_registers, 0]);
            run(wave, &moved);
            true
        }
        None => false,
    }
}
