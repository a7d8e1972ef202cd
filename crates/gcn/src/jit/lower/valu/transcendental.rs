//! Roots and powers, by f64.

use crate::jit::lower::valu::emit_ctx::flush;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::valu::predicate::{GREATER, LESS};
use crate::jit::x64::assembler::{ALL, Code, Rm};
use crate::jit::x64::avx512::Vector;
use crate::jit::x64::avx512::*;
use crate::jit::x64::strip::{SCRATCH_MASK, Strip, TEMPORARY};
use gcn_alu::fp::{FARTHEST, SERIES};

/// Reciprocals, roots, or both of half a strip's f64, one behind the other.
pub(super) fn roots(code: &mut Code, instructions: &[Vector], value: u8, one: u8) {
    code.vector(BROADCAST_Q, one, ALL, 0, Rm::Wide(1f64.to_bits()), None);
    for &instruction in instructions {
        let first = if instruction == DIV_D { one } else { 0 };
        code.vector(instruction, value, ALL, first, Rm::Register(value), None);
    }
}

/// The reciprocal of a root of f32, in the first temporary register.
pub(super) fn reciprocal_root(this: &Lanewise, lanes: &mut Strip) {
    let [value, high, one, ..] = TEMPORARY;
    this.copy(0, lanes, value);
    flush(lanes, value);
    // No result is denormal.
    in_halves(lanes, value, high, |lanes, half| roots(lanes.code, &[SQRT_D, DIV_D], half, one));
}

/// Two to the power of an f32, in the first temporary register, by the steps of
/// [`power_of_two_near`](gcn_alu::fp::power_of_two_near).
pub(super) fn power(this: &Lanewise, lanes: &mut Strip) {
    const TO_NEAREST_EVEN: u8 = 8;
    let [value, high, whole, sum, ..] = TEMPORARY;
    this.copy(0, lanes, value);
    flush(lanes, value);
    for (predicate, farthest) in [(GREATER, FARTHEST), (LESS, -FARTHEST)] {
        let farthest = Rm::Constant(farthest.to_bits());
        lanes.all(COMPARE_F, SCRATCH_MASK, value, farthest, Some(predicate));
        lanes.code.vector(BLEND, value, SCRATCH_MASK, value, farthest, None);
    }
    in_halves(lanes, value, high, |lanes, half| {
        lanes.all(ROUND_D, whole, 0, Rm::Register(half), Some(TO_NEAREST_EVEN));
        lanes.all(SUB_D, half, half, Rm::Register(whole), None);
        let [first @ .., last] = SERIES.map(|coefficient| Rm::Wide(coefficient.to_bits()));
        lanes.all(BROADCAST_Q, sum, 0, last, None);
        first.into_iter().rev().for_each(|coefficient| lanes.all(FMA_BY_D, sum, half, coefficient, None));
        lanes.code.scale_near(half, sum, whole);
    });
    flush(lanes, value);
}

/// What is done to a strip's floats as f64, half of them at a time. The upper half is in `high` meanwhile.
fn in_halves(lanes: &mut Strip, register: u8, high: u8, each: impl Fn(&mut Strip, u8)) {
    lanes.all(EXTRACT_HALF, register, 0, Rm::Register(high), Some(1));
    for half in [register, high] {
        lanes.all(FLOAT_TO_DOUBLE, half, 0, Rm::Register(half), None);
        each(lanes, half);
        lanes.all(DOUBLE_TO_FLOAT, half, 0, Rm::Register(half), None);
    }
    lanes.all(INSERT_ROW, register, register, Rm::Register(high), Some(1));
}
