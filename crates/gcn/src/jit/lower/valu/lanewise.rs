//! A vector instruction that is compiled, and how its sources are read.

use crate::jit::live::Live;
use crate::jit::lower::valu::dpp::Row;
use crate::jit::lower::valu::operand::Change;
use crate::jit::lower::valu::patterns::Operation;
use crate::jit::lower::valu::result::Place;
use crate::jit::lower::valu::ty::Shift;
use crate::jit::x64::assembler::Rm;
use crate::jit::x64::avx512::*;
use crate::jit::x64::source::Source;
use crate::jit::x64::strip::{Strip, TEMPORARY};

/// A vector instruction that is compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanewise {
    pub operation: Operation,
    /// The vector register that is written, if any.
    pub to: Option<u16>,
    pub sources: [Source; 3],
    pub changes: [Change; 3],
    /// Of packed ones: the sources of the second result.
    pub second: Option<([Source; 3], [Change; 3])>,
    /// Of DPP: what is done to the first source and to the mask of lanes.
    pub row: Option<Row>,
    pub place: Place,
    pub mask_in: Option<u8>,
    pub mask_out: Option<u8>,
    /// A pair of scalar registers: where a lane that is enabled has its bit there, the instruction is executed by
    /// itself.
    pub unless: Option<u8>,
}

impl Lanewise {
    /// The same, but for its mask of carries if that is not `live` behind it.
    pub fn without_dead(self, live: Live) -> Lanewise {
        let may_lack =
            matches!(self.operation, Operation::AddCarry { .. } | Operation::SubBorrow { .. } | Operation::MadWide);
        let mask_out = self.mask_out.filter(|pair| !may_lack || live.has_pair(*pair));
        Lanewise { mask_out, ..self }
    }

    /// The same, left to the run loop where a lane that is enabled scales its quotient back. `None` if it never does.
    pub fn without_scaling_back(self) -> Option<Lanewise> {
        let Operation::DivFmas = self.operation else { return None };
        Some(Lanewise { operation: Operation::Fma, mask_in: None, unless: self.mask_in, ..self })
    }

    /// Pairs of scalar registers that are masks.
    pub fn masks(&self) -> impl Iterator<Item = u8> {
        self.mask_in.into_iter().chain(self.mask_out)
    }

    /// Scalar registers that are numbers; some are in the next register too.
    pub fn scalars(&self) -> impl Iterator<Item = u8> {
        let second = self.second.into_iter().flat_map(|(sources, _)| sources);
        self.sources.into_iter().chain(second).filter_map(|source| match source {
            Source::Scalar(index) => Some(index),
            _ => None,
        })
    }

    /// Source `i` as the host's last operand. What is changed is in `temporary`.
    pub fn rm(&self, i: usize, lanes: &mut Strip, temporary: u8) -> Rm {
        let change = self.changes[i];
        if change == Change::NONE {
            return lanes.rm(self.sources[i]);
        }
        let Change { moved, left, right, signed, widens, keep, flip } = change;
        let [.., last] = TEMPORARY;
        let mut register = if moved { last } else { lanes.in_register(self.sources[i], temporary) };
        for (shift, by) in [(Shift::Left, left), (if signed { Shift::Signed } else { Shift::Right }, right)] {
            if by != 0 {
                lanes.all(SHIFT_BY, shift.digit(), temporary, Rm::Register(register), Some(by));
                register = temporary;
            }
        }
        if widens {
            lanes.all(STORE_SHORTS, register, 0, Rm::Register(temporary), None);
            lanes.all(WIDEN, temporary, 0, Rm::Register(temporary), None);
            register = temporary;
        }
        if keep != !0 {
            lanes.all(AND, temporary, register, Rm::Constant(keep), None);
            register = temporary;
        }
        if flip != 0 {
            lanes.all(XOR, temporary, register, Rm::Constant(flip), None);
            register = temporary;
        }
        Rm::Register(register)
    }

    /// As [`Lanewise::rm`], in a register.
    pub fn register(&self, i: usize, lanes: &mut Strip, temporary: u8) -> u8 {
        if self.changes[i] == Change::NONE {
            return lanes.in_register(self.sources[i], temporary);
        }
        match self.rm(i, lanes, temporary) {
            Rm::Register(register) => register,
            _ => temporary,
        }
    }

    /// All three in registers, of which none may be changed.
    pub fn registers(&self, lanes: &mut Strip) -> [u8; 3] {
        let [t0, t1, t2, ..] = TEMPORARY;
        [self.register(0, lanes, t0), self.register(1, lanes, t1), self.register(2, lanes, t2)]
    }

    /// As [`Lanewise::rm`], in `temporary`, where it may be changed.
    pub fn copy(&self, i: usize, lanes: &mut Strip, temporary: u8) {
        let register = self.register(i, lanes, temporary);
        if register != temporary {
            lanes.all(LOAD, temporary, 0, Rm::Register(register), None);
        }
    }
}
