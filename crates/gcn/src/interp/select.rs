//! Maps a decoded instruction to the function that executes it.

use crate::interp::{buffer, control, ds, flat, image, lds_direct, smem};
use crate::machine::context::Step;
use gcn_alu::select;
use gcn_isa::inst::{Format, Inst};

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
    core.map(Step::Core).or_else(|| select(inst).map(Step::Alu))
}

#[cfg(test)]
mod tests;
