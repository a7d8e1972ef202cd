//! What the code of several operations shares.

use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::valu::predicate::BELOW;
use crate::jit::x64::assembler::Rm;
use crate::jit::x64::avx512::*;
use crate::jit::x64::strip::{SCRATCH_MASK, Strip};

/// An instruction that gives a result, without where to: its first source, its last one, and an immediate.
pub(super) type Last = (Vector, u8, Rm, Option<u8>);

/// Makes denormals zeros with their signs.
pub(super) fn flush(lanes: &mut Strip, register: u8) {
    // Zeros too: where the host takes denormals for zero, it says that they are.
    const ZERO_OR_DENORMAL: u8 = 0x26;
    lanes.all(CLASS_F, SCRATCH_MASK, 0, Rm::Register(register), Some(ZERO_OR_DENORMAL));
    lanes.code.vector(AND, register, SCRATCH_MASK, register, Rm::Constant(1 << 31), None);
}

/// To `to` a sum, which comes with its first part, plus 1 where `carry` is set. Without a mask of the instruction both
/// may be the same register. The mask of the instruction, if it has one, has where either sum is too large.
pub(super) fn add_carry(this: &Lanewise, lanes: &mut Strip, (sum, first): (u8, u8), carry: u8, to: u8) {
    lanes.code.add_carry(to, sum, carry);
    let Some(pair) = this.mask_out else { return };
    lanes.enabled(COMPARE_U, SCRATCH_MASK, sum, Rm::Register(first), Some(BELOW));
    let mask = lanes.new_mask(pair);
    lanes.enabled(COMPARE_U, mask, to, Rm::Register(sum), Some(BELOW));
    lanes.code.or_masks(mask, mask, SCRATCH_MASK);
}
