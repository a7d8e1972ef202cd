//! Vectorisable f16 arithmetic in f32. No result is rounded twice, because 24 >= 2 * 11 + 2 bits.

use crate::fp::{Control, Float, Round, control_f16_f64, first_nan, rounding};
use crate::wave::Mode;

/// An IEEE binary16 value, by its bits.
#[derive(Clone, Copy, Debug)]
pub struct F16(pub u16);

/// 2^112: what an f16 exponent field lacks as an f32 one.
const REBIAS: f32 = f32::from_bits((127 + 112) << 23);

/// Exact. A signaling NaN stays one.
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    let bits = u32::from(bits);
    let magnitude = bits & 0x7fff;
    // Multiplying gives denormals their exponent for free; infinities and NaNs want the top exponent instead.
    let finite = (f32::from_bits(magnitude << 13) * REBIAS).to_bits();
    let special = magnitude << 13 | 0x7f80_0000;
    let value = if magnitude >= 0x7c00 { special } else { finite };
    f32::from_bits(value | (bits & 0x8000) << 16)
}

/// To nearest even. NaN payloads keep their top bits, quiet.
#[inline(always)]
pub fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // Results below the smallest normal: adding 0.5 lets the host's adder round at 2^-24, the unit of f16 denormals.
    let tiny = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_add(0xfff + odd).wrapping_sub(112 << 23) >> 13;
    let nan = 0x7e00 | magnitude >> 13 & 0x3ff;
    let mut half = if magnitude < 0x3880_0000 { tiny } else { normal };
    half = if magnitude >= 0x477f_f000 { 0x7c00 } else { half };
    half = if magnitude > 0x7f80_0000 { nan } else { half };
    (half | bits >> 16 & 0x8000) as u16
}

/// `a * b + c` of halves, rounded to odd so that the rounding to f16 sees what this one dropped. The product is exact.
/// Of several NaN the first one.
#[inline(always)]
pub fn fma_odd(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let added = sum - product;
    let lost = (product - (sum - added)) + (c - added);
    let bits = sum.to_bits();
    let step = if (lost > 0.0) == (sum > 0.0) { 1 } else { u32::MAX };
    let inexact = lost.abs() > 0.0;
    let odd = f32::from_bits(if inexact && bits & 1 == 0 { bits.wrapping_add(step) } else { bits });
    first_nan(a, first_nan(b, first_nan(c, odd)))
}

/// bfloat16 is the top half of an f32.
#[inline(always)]
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// To nearest even. NaN payloads keep their top bits, quiet.
pub fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if value.is_nan() {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

impl F16 {
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f16_to_f32(self.0)
    }

    /// To nearest even.
    #[inline(always)]
    pub fn from_f32(value: f32) -> F16 {
        F16(f32_to_f16(value))
    }
}

impl PartialEq for F16 {
    #[inline(always)]
    fn eq(&self, other: &F16) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for F16 {
    #[inline(always)]
    fn partial_cmp(&self, other: &F16) -> Option<std::cmp::Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
    #[inline(always)]
    fn lt(&self, other: &F16) -> bool {
        self.to_f32() < other.to_f32()
    }
    #[inline(always)]
    fn le(&self, other: &F16) -> bool {
        self.to_f32() <= other.to_f32()
    }
    #[inline(always)]
    fn gt(&self, other: &F16) -> bool {
        self.to_f32() > other.to_f32()
    }
    #[inline(always)]
    fn ge(&self, other: &F16) -> bool {
        self.to_f32() >= other.to_f32()
    }
}

impl Float for F16 {
    const ZERO: F16 = F16(0);
    const ONE: F16 = F16(0x3c00);
    const BELOW_ONE: F16 = F16(0x3bff);
    fn control(mode: Mode) -> Control {
        control_f16_f64(mode)
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self.to_f32())
    }
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        rounding::f64_to_f16(value)
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.0 & 0x7fff > 0x7c00
    }
    #[inline(always)]
    fn is_signaling(self) -> bool {
        self.is_nan() && self.0 & 0x200 == 0
    }
    #[inline(always)]
    fn is_denormal(self) -> bool {
        (self.0 & 0x7fff).wrapping_sub(1) < 0x3ff
    }
    #[inline(always)]
    fn is_negative(self) -> bool {
        self.0 & 0x8000 != 0
    }
    #[inline(always)]
    fn is_infinite(self) -> bool {
        self.0 & 0x7fff == 0x7c00
    }
    #[inline(always)]
    fn quiet(self) -> Self {
        F16(self.0 | 0x200)
    }
    #[inline(always)]
    fn signed_zero(self) -> Self {
        F16(self.0 & 0x8000)
    }
    #[inline(always)]
    fn negate(self) -> Self {
        F16(self.0 ^ 0x8000)
    }
    #[inline(always)]
    fn absolute(self) -> Self {
        F16(self.0 & 0x7fff)
    }
    #[inline(always)]
    fn host_add(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() + other.to_f32())
    }
    #[inline(always)]
    fn host_mul(self, other: Self) -> Self {
        F16::from_f32(self.to_f32() * other.to_f32())
    }
    #[inline(always)]
    fn host_fma(self, factor: Self, addend: Self) -> Self {
        F16::from_f32(fma_odd(self.to_f32(), factor.to_f32(), addend.to_f32()))
    }
    #[inline(always)]
    fn host_floor(self) -> Self {
        F16::from_f32(self.to_f32().floor())
    }
    #[inline(always)]
    fn host_ceil(self) -> Self {
        F16::from_f32(self.to_f32().ceil())
    }
    #[inline(always)]
    fn host_trunc(self) -> Self {
        F16::from_f32(self.to_f32().trunc())
    }
    #[inline(always)]
    fn host_rndne(self) -> Self {
        F16::from_f32(self.to_f32().round_ties_even())
    }
    /// By the order of the bits, in which magnitudes of negative numbers count down.
    #[inline(always)]
    fn below(self, other: Self) -> bool {
        let key = |half: F16| {
            let bits = i32::from(half.0 as i16);
            bits ^ (bits >> 15 & 0x7fff)
        };
        key(self) < key(other)
    }
    #[inline(always)]
    fn soft_add(self, other: Self, round: Round) -> Self {
        rounding::f16::add(self, other, round)
    }
    #[inline(always)]
    fn soft_mul(self, other: Self, round: Round) -> Self {
        rounding::f16::mul(self, other, round)
    }
    #[inline(always)]
    fn soft_fma(self, factor: Self, addend: Self, round: Round) -> Self {
        rounding::f16::fma(self, factor, addend, round)
    }
    #[inline(always)]
    fn host_scale(self, exponent: i32) -> Self {
        F16::from_f64(self.to_f64() * crate::fp::power_of_two(exponent.clamp(-100, 100)))
    }
    #[inline(always)]
    fn soft_scale(self, exponent: i32, round: Round) -> Self {
        rounding::f16::scale(self, exponent, round)
    }
}
