//! The steps of a division that compilers build around a reciprocal.
//!
//! What numbers mostly are is looked at first; the code for others is jumped over where no lane has any. It changes
//! nothing but registers and masks that it is called with, and those that hold nothing from one instruction to the
//! next.

use crate::jit::lower::valu::fp::{Class, Floats, Steps};
use crate::jit::lower::valu::predicate::*;
use crate::jit::x64::assembler::{ALL, Code, RAX, Rm, Rounding, ZERO};
use crate::jit::x64::avx512::*;
use crate::jit::x64::strip::SCRATCH_MASK;

/// One more mask register that holds nothing from one instruction to the next. As the mask of an instruction it would
/// disable nothing.
const OTHER: u8 = 0;

/// Exponents that decide how `v_div_scale` scales.
struct Exponents {
    /// If those of numerator and denominator are at least the one and below the other, nothing is scaled.
    usual: [i32; 2],
    /// Of the least normal number.
    least: i32,
    /// Quotients at least this many powers of two away from one are near the limit.
    far: f64,
    /// Numerators below are tiny.
    tiny: i32,
    /// Of what is scaled by.
    scale: i32,
}

const SINGLE: Exponents = Exponents { usual: [-48, 47], least: -126, far: 96.0, tiny: -103, scale: 64 };
const DOUBLE: Exponents = Exponents { usual: [-384, 383], least: -1022, far: 768.0, tiny: -969, scale: 128 };

/// Registers of the host.
pub struct Scaling {
    pub value: u8,
    pub den: u8,
    pub num: u8,
    pub result: u8,
    /// What of the quotient has to be scaled back: a mask.
    pub back: u8,
    pub free: [u8; 2],
}

/// `v_div_scale`.
pub fn scale(code: &mut Code, floats: Floats, Scaling { value, den, num, result, back, free: [x, y] }: Scaling) {
    let Exponents { usual: [low, high], least, far, tiny, scale } =
        if floats == Floats::Single { SINGLE } else { DOUBLE };
    let power = |exponent| floats.number(2f64.powi(exponent));
    let [up, down] = [power(scale), power(-scale)];
    let mut steps = Steps { code, floats };
    let register = Rm::Register;
    steps.bits(AND, x, ALL, num, floats.magnitude());
    steps.bits(AND, y, ALL, den, floats.magnitude());
    steps.bits(MIN_U, result, ALL, x, register(y));
    steps.compare_bits(SCRATCH_MASK, ALL, result, power(low), BELOW);
    steps.bits(MAX_U, result, ALL, x, register(y));
    steps.compare_bits(OTHER, ALL, result, power(high), NOT_BELOW);
    steps.bits(LOAD, result, ALL, 0, register(value));
    // Nothing to scale back, if the code behind does not run.
    steps.code.copy_mask(back, SCRATCH_MASK);
    steps.code.test_masks(SCRATCH_MASK, OTHER);
    let usual = steps.code.jump(ZERO);

    // A tiny numerator.
    steps.compare_bits(SCRATCH_MASK, ALL, x, power(tiny), BELOW);
    steps.arithmetic(MUL_F, result, SCRATCH_MASK, value, up);
    // Where both are finite: a reciprocal that is denormal, then a quotient that is.
    steps.compare_bits(back, ALL, x, floats.number(f64::INFINITY), BELOW);
    steps.compare_bits(back, back, y, floats.number(f64::INFINITY), BELOW);
    steps.compare_bits(SCRATCH_MASK, back, y, power(-least), ABOVE);
    steps.code.copy_mask(OTHER, SCRATCH_MASK);
    steps.arithmetic(MUL_F, x, ALL, x, power(-least));
    steps.compare(back, back, x, register(y), LESS);
    steps.bits(LOAD, result, back, 0, register(value));
    steps.compare(SCRATCH_MASK, back, value, register(num), EQUAL);
    steps.arithmetic(MUL_F, result, SCRATCH_MASK, value, up);
    steps.code.copy_mask(SCRATCH_MASK, OTHER);
    steps.arithmetic(MUL_F, result, SCRATCH_MASK, value, down);
    // Where both are, only the denominator is scaled.
    steps.code.and_masks(SCRATCH_MASK, SCRATCH_MASK, back);
    steps.compare(SCRATCH_MASK, SCRATCH_MASK, value, register(den), NOT_EQUAL);
    steps.bits(LOAD, result, SCRATCH_MASK, 0, register(value));
    // A denormal denominator, whose quotients are normal.
    steps.classify(SCRATCH_MASK, ALL, den, Class::Denormal);
    steps.arithmetic(MUL_F, result, SCRATCH_MASK, value, up);
    // A quotient that is far from one. Infinities and NaN count as 2^1024.
    for (from, to) in [(num, x), (den, y)] {
        steps.bits(EXPONENT_F, to, ALL, 0, register(from));
        steps.arithmetic(MIN_F, to, ALL, to, floats.number(1024.0));
    }
    steps.arithmetic(SUB_F, x, ALL, x, register(y));
    steps.compare(SCRATCH_MASK, ALL, x, floats.number(far), AT_LEAST);
    steps.code.or_masks(back, back, SCRATCH_MASK);
    steps.bits(LOAD, result, SCRATCH_MASK, 0, register(value));
    steps.compare(SCRATCH_MASK, SCRATCH_MASK, value, register(den), EQUAL);
    steps.arithmetic(MUL_F, result, SCRATCH_MASK, value, up);
    // Zero in either place.
    for zero in [num, den] {
        steps.classify(SCRATCH_MASK, ALL, zero, Class::Zero);
        steps.bits(BLEND, result, SCRATCH_MASK, result, floats.nan());
        steps.compare(back, back, zero, floats.number(0.0), NOT_EQUAL);
    }
    steps.code.land(usual);
}

/// The quotient `a` of `c / b`, or what IEEE says where the operands are special.
pub fn fixup(code: &mut Code, floats: Floats, [a, b, c]: [u8; 3], result: u8, [x, y]: [u8; 2]) {
    let mut steps = Steps { code, floats };
    let register = Rm::Register;
    let infinity = floats.number(f64::INFINITY);
    // The first source where the last one has bits, else what is there.
    const REPLACE: u8 = 0xd8;
    steps.bits(XOR, result, ALL, b, register(c));
    steps.code.vector(floats.bits(LOGIC), result, ALL, a, floats.magnitude(), Some(REPLACE));
    steps.classify(SCRATCH_MASK, ALL, b, Class::Special);
    steps.classify(OTHER, ALL, c, Class::Special);
    steps.code.or_masks(SCRATCH_MASK, SCRATCH_MASK, OTHER);
    steps.classify(OTHER, ALL, a, Class::Nan);
    steps.code.test_masks(SCRATCH_MASK, OTHER);
    let usual = steps.code.jump(ZERO);

    // From what decides least to what decides most. Out of range on the way: the operands tell which way.
    steps.code.copy_mask(SCRATCH_MASK, OTHER);
    steps.bits(AND, result, SCRATCH_MASK, result, floats.sign());
    steps.bits(EXPONENT_F, x, ALL, 0, register(c));
    steps.bits(EXPONENT_F, y, ALL, 0, register(b));
    steps.compare(SCRATCH_MASK, SCRATCH_MASK, x, register(y), GREATER);
    steps.bits(OR, result, SCRATCH_MASK, result, infinity);
    for (of_b, of_c, is_infinite) in [(Class::Infinite, Class::Zero, false), (Class::Zero, Class::Infinite, true)] {
        steps.classify(SCRATCH_MASK, ALL, b, of_b);
        steps.classify(OTHER, ALL, c, of_c);
        steps.code.or_masks(SCRATCH_MASK, SCRATCH_MASK, OTHER);
        steps.bits(AND, result, SCRATCH_MASK, result, floats.sign());
        if is_infinite {
            steps.bits(OR, result, SCRATCH_MASK, result, infinity);
        }
    }
    for both in [Class::Zero, Class::Infinite] {
        steps.classify(SCRATCH_MASK, ALL, b, both);
        steps.classify(SCRATCH_MASK, SCRATCH_MASK, c, both);
        steps.bits(BLEND, result, SCRATCH_MASK, result, floats.negative_nan());
    }
    for source in [b, c] {
        steps.classify(SCRATCH_MASK, ALL, source, Class::Nan);
        steps.bits(OR, result, SCRATCH_MASK, source, floats.quiet());
    }
    steps.code.land(usual);
}

/// `v_div_fmas_f32`: `a * b + c`, and where `back` is set that scaled back by 2^64 or 2^-64, rounded once. `back` is
/// [`SCRATCH_MASK`].
pub fn fmas(code: &mut Code, [a, b, c]: [u8; 3], result: u8, [x, y, z]: [u8; 3]) {
    let register = Rm::Register;
    code.vector(LOAD, result, ALL, 0, register(c), None);
    code.vector(FMA_F, result, ALL, a, register(b), None);
    // NaN is not scaled.
    code.vector(COMPARE_F, SCRATCH_MASK, SCRATCH_MASK, result, register(result), Some(ORDERED));
    code.test_masks(SCRATCH_MASK, SCRATCH_MASK);
    let none = code.jump(ZERO);
    code.mask_to_register(RAX, SCRATCH_MASK);
    for half in 0..2 {
        let widen = |code: &mut Code, from: u8, to: u8| {
            code.vector(EXTRACT_HALF, from, ALL, 0, register(to), Some(half));
            code.vector(FLOAT_TO_DOUBLE, to, ALL, 0, register(to), None);
        };
        // The product is exact.
        widen(code, a, x);
        widen(code, b, y);
        code.vector(MUL_D, x, ALL, x, register(y), None);
        widen(code, c, y);
        // Rounded again it is as good as exact.
        code.vector(ADD_D, z, ALL, x, Rm::Rounded(y, Rounding::Up), None);
        code.vector(ADD_D, x, ALL, x, Rm::Rounded(y, Rounding::Down), None);
        Steps { code, floats: Floats::Double }.odd(x, z);
        // What was scaled down is far above one, what was scaled up far below.
        code.vector(MUL_D, y, ALL, y, register(y), None);
        code.vector(COMPARE_D, SCRATCH_MASK, ALL, y, Rm::Wide(4f64.to_bits()), Some(AT_LEAST));
        code.vector(MUL_D, x, ALL, x, Rm::Wide(2f64.powi(-64).to_bits()), None);
        code.vector(MUL_D, x, SCRATCH_MASK, x, Rm::Wide(2f64.powi(128).to_bits()), None);
        code.vector(DOUBLE_TO_FLOAT, x, ALL, 0, register(x), None);
        code.register_to_mask(SCRATCH_MASK, RAX);
        code.vector(INSERT_ROW, result, SCRATCH_MASK, result, register(x), Some(half));
    }
    code.land(none);
}
