//! Sources of vector instructions, and what their modifiers do to them.

use crate::jit::lower::valu::Lanewise;
use crate::jit::lower::valu::patterns::Shift;
use crate::jit::x64::assembler::Rm;
use crate::jit::x64::strip::operations::*;
use crate::jit::x64::strip::{Quarter, TEMPORARY};
use gcn_alu::wave::{inline_f16, inline_f32, inline_f64, scalar_index, vector_index};
use gcn_isa::inst::{Operand, Sel};

/// A source: the first register, if it has 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A vector register, accumulation registers behind the others.
    Vector(u16),
    /// A scalar register.
    Scalar(u8),
    Constant(u32),
    /// A constant of 64 bits.
    Wide(u64),
}

/// What a source or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Integer,
    Float,
    /// An f16 in half a register.
    Half,
    /// Two f16 in one register.
    PackedHalf,
    /// A float, or an f16 that is widened to one.
    Mix,
    /// Two floats in two registers.
    PackedFloat,
    /// Two dwords in two registers.
    PackedWord,
    /// An f64 in two registers.
    Double,
    /// An integer in two registers.
    Wide,
}

impl Type {
    /// Whether `clamp` limits it to what is between 0 and 1. (Of an f64 that is not compiled.)
    pub fn is_float(self) -> bool {
        matches!(self, Type::Float | Type::PackedFloat) || self.is_half()
    }

    /// Whether it is computed with as f32, in half a register.
    pub fn is_half(self) -> bool {
        matches!(self, Type::Half | Type::PackedHalf)
    }
}

impl Source {
    /// `None` of what is none.
    pub fn of(operand: Operand, ty: Type) -> Option<Source> {
        match ty {
            Type::Double => Source::of_double(operand),
            Type::Half | Type::PackedHalf => match operand {
                Operand::Float(code) => Some(Source::Constant(inline_f16(code).into())),
                other => Source::of_word(other),
            },
            _ => Source::of_word(operand),
        }
    }

    fn of_word(operand: Operand) -> Option<Source> {
        if let Some(index) = vector_index(operand) {
            return Some(Source::Vector(index as u16));
        }
        if let Some(index) = scalar_index(operand) {
            return Some(Source::Scalar(index as u8));
        }
        Some(Source::Constant(match operand {
            Operand::Int(value) => i32::from(value) as u32,
            Operand::Float(code) => inline_f32(code),
            Operand::Literal(value) => value,
            _ => return None,
        }))
    }

    fn of_double(operand: Operand) -> Option<Source> {
        Some(Source::Wide(match operand {
            Operand::Int(value) => i64::from(value) as u64,
            Operand::Float(code) => inline_f64(code),
            Operand::Literal(high) => u64::from(high) << 32,
            register => {
                return Source::of_word(register).filter(|source| match source {
                    Source::Scalar(index) => index.is_multiple_of(2),
                    _ => true,
                });
            }
        }))
    }

    /// The register behind it.
    pub fn next(self) -> Option<Source> {
        match self {
            Source::Vector(index) => Some(Source::Vector(index + 1)),
            Source::Scalar(index) if index < 127 => Some(Source::Scalar(index + 1)),
            _ => None,
        }
    }
}

/// What is done to a source when it is read, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// It was moved between lanes, to the last temporary register.
    pub moved: bool,
    /// Part of a register: distances of shifts to the left, then to the right, and whether its sign goes on above.
    pub left: u8,
    pub right: u8,
    pub signed: bool,
    /// The low half is an f16, and becomes an f32.
    pub widens: bool,
    /// Of the sign: what is kept, then what is flipped.
    pub keep: u32,
    pub flip: u32,
}

impl Change {
    pub const NONE: Change =
        Change { moved: false, left: 0, right: 0, signed: false, widens: false, keep: !0, flip: 0 };

    /// What every source of the type has.
    pub fn of(ty: Type) -> Change {
        Change { widens: ty.is_half(), ..Change::NONE }
    }

    /// Of the high half, if that is `chosen`.
    pub fn high(self, chosen: bool) -> Change {
        if chosen { Change { right: 16, ..self } } else { self }
    }

    /// Absolute, then negated.
    pub fn signs(self, neg: bool, abs: bool) -> Change {
        Change { keep: !(u32::from(abs) << 31), flip: u32::from(neg) << 31, ..self }
    }

    /// What SDWA selects.
    pub fn selected(self, sel: Sel, signed: bool) -> Change {
        let (shift, width) = sel.bits();
        let left = 32 - shift - width;
        Change { left, right: 32 - width, signed, ..self }
    }
}

impl Lanewise {
    /// Source `i` as the host's last operand. What is changed is in `temporary`.
    pub fn rm(&self, i: usize, lanes: &mut Quarter, temporary: u8) -> Rm {
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
    pub fn register(&self, i: usize, lanes: &mut Quarter, temporary: u8) -> u8 {
        if self.changes[i] == Change::NONE {
            return lanes.in_register(self.sources[i], temporary);
        }
        match self.rm(i, lanes, temporary) {
            Rm::Register(register) => register,
            _ => temporary,
        }
    }

    /// All three in registers, of which none may be changed.
    pub fn registers(&self, lanes: &mut Quarter) -> [u8; 3] {
        let [t0, t1, t2, ..] = TEMPORARY;
        [self.register(0, lanes, t0), self.register(1, lanes, t1), self.register(2, lanes, t2)]
    }

    /// As [`Lanewise::rm`], in `temporary`, where it may be changed.
    pub fn copy(&self, i: usize, lanes: &mut Quarter, temporary: u8) {
        let register = self.register(i, lanes, temporary);
        if register != temporary {
            lanes.all(LOAD, temporary, 0, Rm::Register(register), None);
        }
    }
}
