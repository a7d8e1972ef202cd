//! What becomes of a result.

use crate::jit::lower::valu::ty::Shift;
use crate::jit::x64::assembler::Rm;
use crate::jit::x64::avx512::*;
use crate::jit::x64::strip::Strip;
use gcn_isa::inst::DstUnused;

/// What is done to a result, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Denormals become zeros with their signs.
    pub flushes: bool,
    /// Numbers become those between 0 and 1, NaN 0.
    pub clamps: bool,
    /// It becomes an f16.
    pub narrows: bool,
    /// Its low bits go to this part of the register, by the rules of SDWA.
    pub shift: u8,
    pub width: u8,
    pub unused: DstUnused,
}

/// A product with it flushes what is denormal, where the host takes such sources for zero.
pub const ONE: Rm = Rm::Constant(1f32.to_bits());

/// Of [`LOGIC`]: the first source where the last one has bits, else what is there.
const REPLACE: u8 = 0xd8;

impl Place {
    /// Whether the result is all of a register as it is, but for denormals.
    pub fn is_whole(self) -> bool {
        !self.clamps && !self.narrows && self.width == 32
    }

    /// Flushes, clamps and narrows a result.
    pub fn change(self, lanes: &mut Strip, value: u8) {
        if self.flushes {
            lanes.all(MUL_F, value, value, ONE, None);
        }
        if self.clamps {
            // Of a NaN and a number the host takes the last, and of zeros too.
            lanes.all(MAX_F, value, value, Rm::Constant(0), None);
            lanes.all(MIN_F, value, value, ONE, None);
        }
        if self.narrows {
            lanes.all(NARROW, value, 0, Rm::Register(value), Some(TO_NEAREST));
            lanes.all(extension(2, false), value, 0, Rm::Register(value), None);
        }
    }

    /// Writes a result, in a register that may change, to vector register `to` of the wave.
    pub fn write(self, lanes: &mut Strip, value: u8, to: u16) {
        self.change(lanes, value);
        let Place { shift, width, unused, .. } = self;
        let unused = if width == 32 { DstUnused::Pad } else { unused };
        let above = 32 - width;
        let mut shift_by = |shift: Shift, by: u8| {
            if by != 0 {
                lanes.all(SHIFT_BY, shift.digit(), value, Rm::Register(value), Some(by));
            }
        };
        match unused {
            DstUnused::Pad => {
                shift_by(Shift::Left, above);
                shift_by(Shift::Right, above - shift);
            }
            DstUnused::Sext => {
                shift_by(Shift::Left, above);
                shift_by(Shift::Signed, above);
                shift_by(Shift::Left, shift);
            }
            DstUnused::Preserve => shift_by(Shift::Left, shift),
        }
        if unused == DstUnused::Preserve {
            let field = ((1 << width) - 1) << shift;
            lanes.change(to, LOGIC, value, Rm::Constant(field), Some(REPLACE));
        } else {
            lanes.write(to, LOAD, 0, Rm::Register(value), None);
        }
    }
}
