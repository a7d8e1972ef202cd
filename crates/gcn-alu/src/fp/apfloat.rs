//! f64 arithmetic in any rounding mode, computed by `rustc_apfloat`.

use crate::fp::Round;
use rustc_apfloat::ieee::{Double, Quad, Single};
use rustc_apfloat::{Float as _, FloatConvert as _, Round as ApRound, Status};

fn direction(round: Round) -> ApRound {
    match round {
        Round::Nearest => ApRound::NearestTiesToEven,
        Round::Up => ApRound::TowardPositive,
        Round::Down => ApRound::TowardNegative,
        Round::Zero => ApRound::TowardZero,
    }
}

fn ap(value: f64) -> Double {
    Double::from_bits(u128::from(value.to_bits()))
}

fn host(value: Double) -> f64 {
    f64::from_bits(value.to_bits() as u64)
}

#[inline(never)]
pub fn add(a: f64, b: f64, round: Round) -> f64 {
    host(ap(a).add_r(ap(b), direction(round)).value)
}

#[inline(never)]
pub fn mul(a: f64, b: f64, round: Round) -> f64 {
    host(ap(a).mul_r(ap(b), direction(round)).value)
}

#[inline(never)]
pub fn fma(a: f64, b: f64, c: f64, round: Round) -> f64 {
    host(ap(a).mul_add_r(ap(b), ap(c), direction(round)).value)
}

#[inline(never)]
pub fn scale(a: f64, exponent: i32, round: Round) -> f64 {
    // Beyond this every result is zero or infinite; apfloat's own arithmetic must not overflow.
    host(ap(a).scalbn_r(exponent.clamp(-5000, 5000), direction(round)))
}

/// `(a * b + c) * scale`, its last bit set if that is inexact: rounding it to a shorter format is as good as rounding
/// the exact value. `scale` is a power of two.
fn fma_scaled(a: f64, b: f64, c: f64, scale: f64) -> Quad {
    let mut loses = false;
    let mut quad = |v: f64| -> Quad { Double::from_bits(u128::from(v.to_bits())).convert(&mut loses).value };
    let (a, b, c, scale) = (quad(a), quad(b), quad(c), quad(scale));
    let sum = a.mul_add_r(b, c, ApRound::TowardZero);
    let sticky = u128::from(sum.status.contains(Status::INEXACT));
    (Quad::from_bits(sum.value.to_bits() | sticky) * scale).value
}

/// `(a * b + c) * scale`, rounded once.
pub fn fma_scaled_f64(a: f64, b: f64, c: f64, scale: f64, round: Round) -> f64 {
    let mut loses = false;
    let double: Double = fma_scaled(a, b, c, scale).convert_r(direction(round), &mut loses).value;
    f64::from_bits(double.to_bits() as u64)
}

/// As [`fma_scaled_f64`].
pub fn fma_scaled_f32(a: f32, b: f32, c: f32, scale: f64, round: Round) -> f32 {
    let mut loses = false;
    let sum = fma_scaled(f64::from(a), f64::from(b), f64::from(c), scale);
    let single: Single = sum.convert_r(direction(round), &mut loses).value;
    f32::from_bits(single.to_bits() as u32)
}
