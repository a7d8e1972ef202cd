//! Arithmetic in any rounding mode, by `rustc_apfloat`.

use super::{F16, Round};
use rustc_apfloat::ieee::{Double, Half, Quad, Single};
use rustc_apfloat::{Float as _, FloatConvert as _, Round as ApRound, Status};

fn direction(round: Round) -> ApRound {
    match round {
        Round::Nearest => ApRound::NearestTiesToEven,
        Round::Up => ApRound::TowardPositive,
        Round::Down => ApRound::TowardNegative,
        Round::Zero => ApRound::TowardZero,
    }
}

macro_rules! soft {
    ($name:ident, $host:ty, $ap:ty, |$v:ident| $to:expr, |$b:ident| $from:expr) => {
        #[allow(non_camel_case_types)]
        pub(super) mod $name {
            use super::*;

            fn ap($v: $host) -> $ap {
                <$ap>::from_bits($to)
            }

            fn host(value: $ap) -> $host {
                let $b = value.to_bits();
                $from
            }

            #[inline(never)]
            pub(in super::super) fn add(a: $host, b: $host, round: Round) -> $host {
                host(ap(a).add_r(ap(b), direction(round)).value)
            }

            #[inline(never)]
            pub(in super::super) fn mul(a: $host, b: $host, round: Round) -> $host {
                host(ap(a).mul_r(ap(b), direction(round)).value)
            }

            #[inline(never)]
            pub(in super::super) fn fma(a: $host, b: $host, c: $host, round: Round) -> $host {
                host(ap(a).mul_add_r(ap(b), ap(c), direction(round)).value)
            }

            #[inline(never)]
            pub(in super::super) fn scale(a: $host, exponent: i32, round: Round) -> $host {
                // Beyond this every result is zero or infinite; apfloat's own arithmetic must not overflow.
                host(ap(a).scalbn_r(exponent.clamp(-5000, 5000), direction(round)))
            }
        }
    };
}

soft!(f16, F16, Half, |v| u128::from(v.0), |b| F16(b as u16));
soft!(f32, f32, Single, |v| u128::from(v.to_bits()), |b| f32::from_bits(b as u32));
soft!(f64, f64, Double, |v| u128::from(v.to_bits()), |b| f64::from_bits(b as u64));

/// `value` as f32 in any rounding mode.
pub(crate) fn f64_to_f32_rounded(value: f64, round: Round) -> f32 {
    if round == Round::Nearest {
        return value as f32;
    }
    let mut loses = false;
    let single: Single = Double::from_bits(u128::from(value.to_bits())).convert_r(direction(round), &mut loses).value;
    f32::from_bits(single.to_bits() as u32)
}

/// `value` as f32, inexact results with their last bit set: rounding that again to a shorter format is as good as rounding `value`.
#[inline(always)]
pub(super) fn f64_to_f32_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    // One step towards zero where the conversion rounded away from it, then the sticky bit.
    let away = back.abs() > value.abs();
    let inexact = back != value && !value.is_nan();
    let truncated = bits - u32::from(inexact & away);
    f32::from_bits(truncated | u32::from(inexact))
}

/// `value` as f16 in any rounding mode.
pub(crate) fn f32_to_f16_rounded(value: f32, round: Round) -> F16 {
    let mut loses = false;
    let half: Half = Single::from_bits(u128::from(value.to_bits())).convert_r(direction(round), &mut loses).value;
    F16(half.to_bits() as u16)
}

/// `(a * b + c) * scale`, its last bit set if that is inexact: rounding it to a shorter format is as good as rounding the exact
/// value. `scale` is a power of two.
fn fma_scaled(a: f64, b: f64, c: f64, scale: f64) -> Quad {
    let mut loses = false;
    let mut quad = |v: f64| -> Quad { Double::from_bits(u128::from(v.to_bits())).convert(&mut loses).value };
    let (a, b, c, scale) = (quad(a), quad(b), quad(c), quad(scale));
    let sum = a.mul_add_r(b, c, ApRound::TowardZero);
    let sticky = u128::from(sum.status.contains(Status::INEXACT));
    (Quad::from_bits(sum.value.to_bits() | sticky) * scale).value
}

/// `(a * b + c) * scale`, rounded once.
pub(crate) fn fma_scaled_f64(a: f64, b: f64, c: f64, scale: f64, round: Round) -> f64 {
    let mut loses = false;
    let double: Double = fma_scaled(a, b, c, scale).convert_r(direction(round), &mut loses).value;
    f64::from_bits(double.to_bits() as u64)
}

/// As [`fma_scaled_f64`].
pub(crate) fn fma_scaled_f32(a: f32, b: f32, c: f32, scale: f64, round: Round) -> f32 {
    let mut loses = false;
    let sum = fma_scaled(f64::from(a), f64::from(b), f64::from(c), scale);
    let single: Single = sum.convert_r(direction(round), &mut loses).value;
    f32::from_bits(single.to_bits() as u32)
}
