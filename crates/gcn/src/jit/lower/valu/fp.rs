//! Code that is the same for f32 and f64.

use crate::jit::lower::valu::predicate::DIFFERENT;
use crate::jit::x64::assembler::{ALL, Code, Rm};
use crate::jit::x64::avx512::Vector;
use crate::jit::x64::avx512::*;
use crate::jit::x64::strip::SCRATCH_MASK;

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floats {
    Single,
    Double,
}

/// Which numbers [`CLASS_F`] looks for. Where the host takes denormals for zero, they are zeros here too.
#[derive(Clone, Copy)]
pub enum Class {
    Zero = 0x06,
    Infinite = 0x18,
    Denormal = 0x20,
    Nan = 0x81,
    /// Zero, infinite or NaN.
    Special = 0x9f,
}

impl Floats {
    fn pick(self, single: u32, double: u64) -> Rm {
        match self {
            Floats::Single => Rm::Constant(single),
            Floats::Double => Rm::Wide(double),
        }
    }

    /// A number that both types have.
    pub fn number(self, value: f64) -> Rm {
        self.pick((value as f32).to_bits(), value.to_bits())
    }

    /// All bits but the sign.
    pub fn magnitude(self) -> Rm {
        self.pick(u32::MAX >> 1, u64::MAX >> 1)
    }

    pub fn sign(self) -> Rm {
        self.pick(1 << 31, 1 << 63)
    }

    /// The bit that a quiet NaN has.
    pub fn quiet(self) -> Rm {
        self.pick(1 << 22, 1 << 51)
    }

    pub fn nan(self) -> Rm {
        self.pick(0x7fc0_0000, 0x7ff8 << 48)
    }

    pub fn negative_nan(self) -> Rm {
        self.pick(0xffc0_0000, 0xfff8 << 48)
    }

    /// An instruction for bits, as that for elements of 32 bits.
    pub fn bits(self, Vector(map, prefix, opcode, _): Vector) -> Vector {
        Vector(map, prefix, opcode, self == Floats::Double)
    }

    /// Arithmetic, as that of f32.
    pub fn arithmetic(self, Vector(map, prefix, opcode, _): Vector) -> Vector {
        match self {
            Floats::Single => Vector(map, prefix, opcode, false),
            Floats::Double => Vector(map, 1, opcode, true),
        }
    }
}

/// Machine code in the making, for numbers of one type. Instructions are named as those of f32; each has the mask of
/// elements that it is for.
pub struct Steps<'a> {
    pub code: &'a mut Code,
    pub floats: Floats,
}

impl Steps<'_> {
    pub fn bits(&mut self, instruction: Vector, to: u8, mask: u8, first: u8, rm: Rm) {
        self.code.vector(self.floats.bits(instruction), to, mask, first, rm, None);
    }

    pub fn arithmetic(&mut self, instruction: Vector, to: u8, mask: u8, first: u8, rm: Rm) {
        self.code.vector(self.floats.arithmetic(instruction), to, mask, first, rm, None);
    }

    /// Which numbers are of a class, to a mask register.
    pub fn classify(&mut self, to: u8, mask: u8, value: u8, class: Class) {
        self.code.vector(self.floats.bits(CLASS_F), to, mask, 0, Rm::Register(value), Some(class as u8));
    }

    /// Compares numbers.
    pub fn compare(&mut self, to: u8, mask: u8, first: u8, rm: Rm, predicate: u8) {
        self.code.vector(self.floats.arithmetic(COMPARE_F), to, mask, first, rm, Some(predicate));
    }

    /// Makes of a result that was rounded up and down, in two registers, one in the first that is cut off, and whose
    /// last bit is set if anything was.
    pub fn odd(&mut self, to: u8, other: u8) {
        self.compare(SCRATCH_MASK, ALL, to, Rm::Register(other), DIFFERENT);
        // Of two neighbours the one that is nearer to zero.
        self.bits(MIN_U, to, ALL, to, Rm::Register(other));
        let last = self.floats.pick(1, 1);
        self.bits(OR, to, SCRATCH_MASK, to, last);
    }

    /// Compares them as integers without sign.
    pub fn compare_bits(&mut self, to: u8, mask: u8, first: u8, rm: Rm, predicate: u8) {
        self.code.vector(self.floats.bits(COMPARE_U), to, mask, first, rm, Some(predicate));
    }
}
