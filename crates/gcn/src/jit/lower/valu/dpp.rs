//! DPP inside of rows of 16 lanes, which are the quarters of a wave.

use crate::jit::x64::assembler::{RAX, Rm};
use crate::jit::x64::avx512::*;
use crate::jit::x64::strip::{EXEC, SCRATCH_MASK, Strip, TEMPORARY};
use gcn_alu::valu::{OUT_OF_RANGE, dpp_source};
use gcn_isa::inst::Mods;
use once_cell::race::OnceBox;

/// Where each lane gets its first source from, and which lanes are written.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    lanes: &'static [u32; 16],
    row_mask: u8,
    bank_mask: u8,
    /// Lanes without a source are written too, with 0 as theirs.
    bound_ctrl: bool,
}

/// There is no such lane in the row.
const NONE: u32 = 16;

/// The lane of the row that each lane gets, by DPP control.
fn rows() -> &'static [[u32; 16]] {
    static ALL: OnceBox<Vec<[u32; 16]>> = OnceBox::new();
    let source = |ctrl, lane| match dpp_source(ctrl, lane) {
        OUT_OF_RANGE => NONE,
        source => source.into(),
    };
    ALL.get_or_init(|| Box::new((0..0x160).map(|ctrl| std::array::from_fn(|lane| source(ctrl, lane))).collect()))
}

impl Row {
    /// `None` if it is none, or lanes of other rows are sources.
    pub fn of(mods: Mods) -> Option<Row> {
        let Mods::Dpp { ctrl, row_mask, bank_mask, bound_ctrl, .. } = mods else { return None };
        let is_inside =
            matches!(ctrl, 0..=0xff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x140 | 0x141 | 0x150..=0x15f);
        let lanes = rows().get(usize::from(ctrl)).filter(|_| is_inside)?;
        Some(Row { lanes, row_mask, bank_mask, bound_ctrl })
    }

    /// Moves lanes of a register to the last temporary one, and makes the mask of lanes that are enabled that of lanes
    /// that are written.
    pub fn begin(self, lanes: &mut Strip, register: u8, quarter: u8) {
        let [from, .., to] = TEMPORARY;
        let bits = |set: &dyn Fn(usize) -> bool| (0..16).fold(0, |mask, lane| mask | u64::from(set(lane)) << lane);
        let exists = bits(&|lane| self.lanes[lane] != NONE);
        let is_row = self.row_mask >> quarter & 1 != 0;
        let selected = bits(&|lane| is_row && self.bank_mask >> (lane / 4) & 1 != 0);
        // Lanes have a source if theirs is enabled.
        lanes.all(LOAD_UNALIGNED, from, 0, Rm::Table(self.lanes), None);
        lanes.all(MASK_TO_D, to, 0, Rm::Register(EXEC), None);
        lanes.all(PERMUTE, to, from, Rm::Register(to), None);
        lanes.code.constant(RAX, exists);
        lanes.code.register_to_mask(SCRATCH_MASK, RAX);
        lanes.code.vector(TEST, SCRATCH_MASK, SCRATCH_MASK, to, Rm::Register(to), None);
        lanes.all(XOR, to, to, Rm::Register(to), None);
        lanes.code.vector(PERMUTE, to, SCRATCH_MASK, from, Rm::Register(register), None);
        if !self.bound_ctrl {
            lanes.code.and_masks(EXEC, EXEC, SCRATCH_MASK);
        }
        if selected != 0xffff {
            lanes.code.constant(RAX, selected);
            lanes.code.register_to_mask(SCRATCH_MASK, RAX);
            lanes.code.and_masks(EXEC, EXEC, SCRATCH_MASK);
        }
    }
}
