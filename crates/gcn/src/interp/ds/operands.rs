//! Address offsets and result registers of DS instructions.

use gcn_alu::wave::{LANES, Wave};
use gcn_isa::inst::{Inst, Mods};

/// How many accesses an instruction with two offsets makes: equal ones ask for one, of the first data (AMD's ISA
/// manuals, "Double Address Instructions").
pub(crate) fn accesses(inst: &Inst) -> usize {
    let (offset0, offset1) = offsets(inst);
    if offset0 == offset1 { 1 } else { 2 }
}

pub(crate) fn offsets(inst: &Inst) -> (u32, u32) {
    match inst.mods {
        Mods::Ds { offset0, offset1, .. } => (u32::from(offset0), u32::from(offset1)),
        _ => (0, 0),
    }
}

#[inline(always)]
pub(crate) fn write_active(wave: &mut Wave, first: usize, values: &[u32; LANES]) {
    let exec = wave.exec();
    if exec == u64::MAX {
        wave.vgpr[first].0 = *values;
        return;
    }
    for (i, lane) in wave.vgpr[first].0.iter_mut().enumerate() {
        if exec >> i & 1 != 0 {
            *lane = values[i];
        }
    }
}
