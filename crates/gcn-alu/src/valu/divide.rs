//! Helper operations for divisions that compilers build from `v_rcp`, and for the argument reduction of trigonometric
//! functions.

use crate::fp::{Float, first_nan, fma, input, output};
use crate::valu::*;

kernels! {
    VDivScaleF32 |e, a: f32, b: f32, c: f32| -> (f32, bool) { scale(e, a, b, c, f64::from, F32) }
    VDivScaleF64 |e, a: f64, b: f64, c: f64| -> (f64, bool) { scale(e, a, b, c, |x| x, F64) }
    VDivFmasF32 @vcc |e, a: f32, b: f32, c: WithVcc<f32>| -> f32 {
        fmas(e, a, b, c, 64, fp::fma_scaled_f32)
    }
    VDivFmasF64 @vcc |e, a: f64, b: f64, c: WithVcc<f64>| -> f64 {
        fmas(e, a, b, c, 128, fp::fma_scaled_f64)
    }
    VDivFixupF32 |e, a: f32, b: f32, c: f32| -> f32 { fixup(e, a, b, c) }
    VDivFixupF64 |e, a: f64, b: f64, c: f64| -> f64 { fixup(e, a, b, c) }
    VDivFixupF16 @keep_half |e, a: F16, b: F16, c: F16| -> F16 { fixup(e, a, b, c) }
    VDivFixupLegacyF16 |e, a: F16, b: F16, c: F16| -> F16 { fixup(e, a, b, c) }
    VTrigPreopF64 |e, a: f64, b: u32| -> f64 { if a.is_nan() { a.quiet() } else { output(e, two_over_pi_segment(a, b)) } }
}

/// What `v_div_scale` depends on in each format.
#[derive(Clone, Copy)]
struct Format {
    /// Smallest normal exponent (of a fraction in \[1, 2)).
    least: i32,
    /// Quotients at least this many powers of two away from one are near the limit.
    far: i32,
    /// Numerators with an exponent up to this are tiny.
    tiny: i32,
    /// Power of two to scale by.
    scale: i32,
    /// The exponents have to be looked for in the bits below the exponent field: f64 denormals, which f32 ones are not
    /// as f64.
    denormals: bool,
}

const F32: Format = Format { least: -126, far: 96, tiny: 23 - 127, scale: 64, denormals: false };
const F64: Format = Format { least: -1022, far: 768, tiny: 53 - 1023, scale: 128, denormals: true };

/// `value` (numerator or denominator, whichever this is) scaled so that no step of the division leaves the range, and
/// whether the quotient has to be scaled back.
#[inline(always)]
fn scale<E: Env, F: Float>(e: E, value: F, den: F, num: F, widen: impl Fn(F) -> f64, format: Format) -> (F, bool) {
    let (value, den, num) = (input(e, value), input(e, den), input(e, num));
    let up = output(e, value.host_mul(F::from_f64(2f64.powi(format.scale))));
    let down = output(e, value.host_mul(F::from_f64(2f64.powi(-format.scale))));
    let (n_exp, n_fraction) = parts(widen(num), format);
    let (d_exp, d_fraction) = parts(widen(den), format);
    let special = num.is_nan() || num.is_infinite() || den.is_nan() || den.is_infinite();
    let zero = den == F::ZERO || num == F::ZERO;
    // Exponents of 1 / den and num / den.
    let reciprocal_denormal = !special && -d_exp - i32::from(d_fraction > 0) < format.least;
    let quotient_denormal = !special && n_exp - d_exp - i32::from(n_fraction < d_fraction) < format.least;
    let quotient_far = n_exp - d_exp >= format.far;
    let up_if = |condition: bool| if condition { up } else { value };
    let mut result = (up_if(n_exp <= format.tiny), false);
    result = if quotient_denormal { (up_if(value == num), true) } else { result };
    result = if reciprocal_denormal { (down, false) } else { result };
    result =
        if reciprocal_denormal && quotient_denormal { (if value == den { down } else { value }, true) } else { result };
    result = if den.is_denormal() { (up, false) } else { result };
    result = if quotient_far { (up_if(value == den), true) } else { result };
    if zero { (F::from_f64(f64::NAN), false) } else { result }
}

/// Exponent of a fraction in \[1, 2), and the bits of that fraction below the 1.
#[inline(always)]
fn parts(value: f64, format: Format) -> (i32, u64) {
    let bits = value.to_bits() & (u64::MAX >> 1);
    let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    if format.denormals && exponent == 0 {
        let shift = fraction.leading_zeros().min(63) as i32 - 11;
        return (-1022 - shift, fraction << shift & ((1 << 52) - 1));
    }
    (exponent - 1023, fraction)
}

/// Power of two of `value` as a fraction in \[1, 2).
fn exponent(value: f64) -> i32 {
    crate::valu::f32::frexp_exp(value) - 1
}

/// `(a * b + c)` times a power of two, rounded once.
type Scaled<F> = fn(F, F, F, f64, fp::Round) -> F;

/// Multiply-add; in the lanes of VCC scaled back by `2^+-scale`, rounded once.
fn fmas<E: Env, F: Float>(e: E, a: F, b: F, c: WithVcc<F>, scale: i32, scaled: Scaled<F>) -> F {
    let WithVcc(c, vcc) = c;
    let (a, b, c) = (input(e, a), input(e, b), input(e, c));
    let sum = first_nan(a, first_nan(b, first_nan(c, fma(e, a, b, c))));
    // Scaling makes no NaN.
    if !vcc || sum.is_nan() {
        return sum;
    }
    // A quotient that was scaled down is far above one, one that was scaled up far below.
    let exponent = if c.absolute().to_f64() >= 2.0 { scale } else { -scale };
    output(e, scaled(a, b, c, 2f64.powi(exponent), F::control(e.mode()).round))
}

/// The quotient `a` of `c / b`, or what IEEE says where the operands are special.
fn fixup<E: Env, F: Float>(e: E, a: F, b: F, c: F) -> F {
    let (b, c) = (input(e, b), input(e, c));
    let negative = b.is_negative() != c.is_negative();
    let signed = |value: F| if negative { value.absolute().negate() } else { value.absolute() };
    let infinity = F::from_f64(f64::INFINITY);
    let zero_or_infinite = |x: F| x == F::ZERO || x.is_infinite();
    if c.is_nan() {
        c.quiet()
    } else if b.is_nan() {
        b.quiet()
    } else if zero_or_infinite(b) && zero_or_infinite(c) && b.is_infinite() == c.is_infinite() {
        F::from_f64(f64::NAN).absolute().negate()
    } else if b == F::ZERO || c.is_infinite() {
        signed(infinity)
    } else if b.is_infinite() || c == F::ZERO {
        signed(F::ZERO)
    } else if a.is_nan() {
        // Out of range on the way; the operands tell which way.
        signed(if exponent(c.to_f64()) > exponent(b.to_f64()) { infinity } else { F::ZERO })
    } else {
        output(e, signed(a))
    }
}

/// The first 1216 bits of 2/pi, most significant first.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
];

/// `v_trig_preop_f64`: 53 bits of 2/pi, from the `segment`th 53 bits on that matter for `value`, as a number of that
/// weight.
fn two_over_pi_segment(value: f64, segment: u32) -> f64 {
    let biased = (value.to_bits() >> 52 & 0x7ff) as i32;
    let shift = (segment & 31) as i32 * 53 + (biased - 1077).max(0);
    let bit = |n: i32| {
        let word = TWO_OVER_PI.get((n / 64) as usize).copied().unwrap_or(0);
        // The table that the hardware has ends after 1201 bits.
        if n <= 1200 { word >> (63 - n % 64) & 1 } else { 0 }
    };
    let bits = (shift..shift + 53).fold(0, |all, n| all << 1 | bit(n));
    let exponent = -53 - shift + if biased >= 1968 { 128 } else { 0 };
    (bits as f64).soft_scale(exponent, fp::Round::Nearest)
}
