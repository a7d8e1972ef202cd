//! Sources of vector instructions, and what their modifiers do to them.

use crate::jit::lower::valu::ty::Type;
use crate::jit::x64::source::Source;
use gcn_alu::wave::{inline_f16, inline_f32, inline_f64, scalar_index, vector_index};
use gcn_isa::inst::{Operand, Sel};

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
