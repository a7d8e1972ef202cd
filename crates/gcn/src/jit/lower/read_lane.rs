//! Moves between a lane and a scalar register, as machine code.

use crate::jit::lower::salu::Source;
use crate::jit::x64::assembler::{Code, RAX, RCX, SGPR};
use gcn_alu::wave::{reg, scalar_index};
use gcn_isa::inst::{Inst, Mods, Operand};
use gcn_isa::op::Op;

/// A move that is compiled.
pub(crate) struct LaneMove {
    vector: u8,
    lane: Lane,
    way: Way,
}

enum Lane {
    /// The first one that is enabled; the first of all if none is.
    FirstEnabled,
    /// The low six bits of a number.
    Number(Source),
}

enum Way {
    ToScalar(usize),
    FromScalar(Source),
}

impl LaneMove {
    /// `None` if `inst` is not compiled.
    pub fn of(inst: &Inst) -> Option<LaneMove> {
        if !matches!(inst.mods, Mods::None | Mods::Vop3 { neg: 0, abs: 0, clamp: false, omod: 0, op_sel: 0 }) {
            return None;
        }
        let vector = |operand| if let Operand::Vgpr { first, .. } = operand { Some(first) } else { None };
        let number = || Source::of(inst.src[1], false).map(Lane::Number);
        Some(match inst.op {
            Op::VReadfirstlaneB32 => LaneMove {
                vector: vector(inst.src[0])?,
                lane: Lane::FirstEnabled,
                way: Way::ToScalar(scalar_index(inst.dst[0])?),
            },
            Op::VReadlaneB32 => LaneMove {
                vector: vector(inst.src[0])?,
                lane: number()?,
                way: Way::ToScalar(scalar_index(inst.dst[0])?),
            },
            Op::VWritelaneB32 => LaneMove {
                vector: vector(inst.dst[0])?,
                lane: number()?,
                way: Way::FromScalar(Source::of(inst.src[0], false)?),
            },
            _ => return None,
        })
    }

    /// Appends the code.
    pub fn emit(&self, code: &mut Code) {
        match self.lane {
            Lane::FirstEnabled => {
                code.scalar(true, &[0x8b], RCX, SGPR, 4 * reg::EXEC as i32);
                // 64 of none.
                code.trailing_zeros(RCX);
            }
            Lane::Number(number) => number.load(code, false, RCX),
        }
        // and ecx, 63
        code.raw(&[0x83, 0xe0 | RCX, 63]);
        let register = 256 * i32::from(self.vector);
        match self.way {
            Way::ToScalar(to) => {
                code.lane(&[0x8b], RAX, register);
                code.scalar(false, &[0x89], RAX, SGPR, 4 * to as i32);
            }
            Way::FromScalar(value) => {
                value.load(code, false, RAX);
                code.lane(&[0x89], RAX, register);
            }
        }
    }
}
