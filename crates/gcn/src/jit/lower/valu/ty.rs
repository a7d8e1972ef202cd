//! What operands are, and which way shifts go.

use crate::jit::x64::avx512::{SHIFT_LEFT, SHIFT_RIGHT, SHIFT_SIGNED, Vector};

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

#[derive(Clone, Copy, Debug)]
pub(crate) enum Shift {
    Left,
    Right,
    Signed,
}

impl Shift {
    pub fn variable(self) -> Vector {
        match self {
            Shift::Left => SHIFT_LEFT,
            Shift::Right => SHIFT_RIGHT,
            Shift::Signed => SHIFT_SIGNED,
        }
    }

    /// What `SHIFT_BY` has in the place of a register.
    pub fn digit(self) -> u8 {
        match self {
            Shift::Left => 6,
            Shift::Right => 2,
            Shift::Signed => 4,
        }
    }
}
