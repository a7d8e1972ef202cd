//! Classes of numbers.

use crate::jit::lower::valu::fp::Floats;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::valu::predicate::{ABOVE, BELOW, EQUAL};
use crate::jit::x64::assembler::Rm;
use crate::jit::x64::avx512::*;
use crate::jit::x64::source::Source;
use crate::jit::x64::strip::{SCRATCH_MASK, Strip, TEMPORARY};

/// Whether the second source has the bit of the first one's class. By integers, as denormals are such in every mode.
pub(super) fn class(this: &Lanewise, lanes: &mut Strip, floats: Floats) {
    let [t0, t1, t2, t3, ..] = TEMPORARY;
    // The least normal number, infinity, and the first quiet NaN.
    let (value, [normal, infinity, quiet]) = match floats {
        Floats::Single => (this.register(0, lanes, t0), [0x0080_0000, 0x7f80_0000, 0x7fc0_0000]),
        Floats::Double => (high_half(this, lanes, t0), [0x0010_0000, 0x7ff0_0000, 0x7ff8_0000]),
    };
    let classes = this.rm(1, lanes, t1);
    lanes.all(AND, t2, value, Rm::Constant(u32::MAX >> 1), None);
    let number = lanes.in_register(Source::Constant(8), t3);
    for (predicate, border, class) in [(BELOW, normal, 7), (EQUAL, 0, 6), (EQUAL, infinity, 9)] {
        lanes.all(COMPARE_U, SCRATCH_MASK, t2, Rm::Constant(border), Some(predicate));
        lanes.code.vector(BLEND, number, SCRATCH_MASK, number, Rm::Constant(class), None);
    }
    // Those of negative numbers are 5 to 2.
    lanes.all(COMPARE_I, SCRATCH_MASK, value, Rm::Constant(0), Some(BELOW));
    lanes.code.vector(XOR, number, SCRATCH_MASK, number, Rm::Constant(15), None);
    lanes.code.vector(SUB, number, SCRATCH_MASK, number, Rm::Constant(4), None);
    lanes.all(COMPARE_U, SCRATCH_MASK, t2, Rm::Constant(infinity), Some(ABOVE));
    lanes.code.vector(BLEND, number, SCRATCH_MASK, number, Rm::Constant(1), None);
    lanes.code.vector(COMPARE_U, SCRATCH_MASK, SCRATCH_MASK, t2, Rm::Constant(quiet), Some(BELOW));
    lanes.code.vector(BLEND, number, SCRATCH_MASK, number, Rm::Constant(0), None);
    let one = lanes.in_register(Source::Constant(1), t2);
    lanes.all(SHIFT_LEFT, t2, one, Rm::Register(number), None);
    let mask = lanes.new_mask(this.mask_out.unwrap_or(0));
    lanes.enabled(TEST, mask, t2, classes, None);
}

/// The high half of a source of 64 bits with its sign, whose last bit is set if the low one has any: of the same class.
fn high_half(this: &Lanewise, lanes: &mut Strip, to: u8) -> u8 {
    let low = this.sources[0];
    let high = Lanewise { sources: [low.next().unwrap_or(low); 3], ..*this };
    high.copy(0, lanes, to);
    let [_, temporary, ..] = TEMPORARY;
    let low = lanes.in_register(low, temporary);
    lanes.all(TEST, SCRATCH_MASK, low, Rm::Register(low), None);
    lanes.code.vector(OR, to, SCRATCH_MASK, to, Rm::Constant(1), None);
    to
}
