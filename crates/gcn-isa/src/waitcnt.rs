//! The counters in the operand of `s_waitcnt`.

use crate::inst::{Inst, Operand};

/// The highest count of vector memory: no wait for it.
pub const ALL_VMCNT: u32 = 63;

/// The highest count of LDS, scalar memory and messages: no wait for them.
pub const ALL_LGKMCNT: u32 = 15;

/// How many instructions of vector memory, and of LDS, scalar memory and messages, may be left when an `s_waitcnt`
/// ends.
pub fn left(inst: &Inst) -> [u32; 2] {
    let counts = inst.src.iter().chain(&inst.dst).find_map(|operand| match operand {
        Operand::Imm(counts) => Some(*counts as u32),
        _ => None,
    });
    counts.map_or([0; 2], |counts| [counts & 15 | counts >> 10 & 0x30, counts >> 8 & 15])
}
