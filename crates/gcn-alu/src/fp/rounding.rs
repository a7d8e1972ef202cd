//! Vectorisable f32 and f16 arithmetic in any rounding mode, computed in f64.
//!
//! A sum or product of such values that is exact in f64, or rounded to odd there, has on its way to the shorter format
//! the same neighbours on the same sides as the exact result: f64 has more than two bits beyond twice theirs.

use crate::fp::{F16, Round, power_of_two};

/// What to add to the bits of the result that is `nearest` to `exact` so that it is the one that `round` asks for.
#[inline(always)]
fn correction(exact: f64, nearest: f64, round: Round) -> i32 {
    let negative = exact.is_sign_negative();
    let outwards = (round == Round::Up && !negative) | (round == Round::Down && negative);
    let inwards = (round != Round::Nearest) & !outwards;
    let (short, long) = (nearest.abs() < exact.abs(), nearest.abs() > exact.abs());
    i32::from(outwards & short) - i32::from(inwards & long)
}

/// `value` as f32.
#[inline(always)]
pub fn narrow_f32(value: f64, round: Round) -> f32 {
    let nearest = value as f32;
    let correction = correction(value, f64::from(nearest), round);
    f32::from_bits(nearest.to_bits().wrapping_add_signed(correction))
}

/// `value` as f16.
#[inline(always)]
pub fn narrow_f16(value: f64, round: Round) -> F16 {
    let nearest = f64_to_f16(value);
    let correction = correction(value, f64::from(nearest.to_f32()), round);
    F16(nearest.0.wrapping_add_signed(correction as i16))
}

/// `value` as the nearest f16.
#[inline(always)]
pub fn f64_to_f16(value: f64) -> F16 {
    // Through f32 rounded to odd, so that the second rounding sees everything the first one dropped.
    let nearest = value as f32;
    let back = f64::from(nearest);
    // One step towards zero where the conversion rounded away from it, then the sticky bit.
    let away = back.abs() > value.abs();
    let inexact = back != value && !value.is_nan();
    let truncated = nearest.to_bits() - u32::from(inexact & away);
    F16::from_f32(f32::from_bits(truncated | u32::from(inexact)))
}

/// `a + b` rounded to odd. The sign of an exact zero is that of `round`.
#[inline(always)]
fn sum(a: f64, b: f64, round: Round) -> f64 {
    let sum = a + b;
    let added = sum - a;
    let lost = (a - (sum - added)) + (b - added);
    let bits = sum.to_bits();
    let step = if (lost > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
    let inexact = lost.abs() > 0.0;
    let odd = f64::from_bits(if inexact && bits & 1 == 0 { bits.wrapping_add(step) } else { bits });
    let negative_zero = round == Round::Down && sum == 0.0 && (a.is_sign_negative() || b.is_sign_negative());
    if negative_zero { -0.0 } else { odd }
}

macro_rules! directed {
    ($name:ident, $float:ty, $narrow:ident, $exponent:literal, |$v:ident| $widen:expr) => {
        #[allow(non_camel_case_types, reason = "named as the type")]
        pub mod $name {
            use super::*;

            #[inline(always)]
            fn wide($v: $float) -> f64 {
                $widen
            }

            #[inline(always)]
            pub fn add(a: $float, b: $float, round: Round) -> $float {
                $narrow(sum(wide(a), wide(b), round), round)
            }

            #[inline(always)]
            pub fn mul(a: $float, b: $float, round: Round) -> $float {
                $narrow(wide(a) * wide(b), round)
            }

            #[inline(always)]
            pub fn fma(a: $float, b: $float, c: $float, round: Round) -> $float {
                $narrow(sum(wide(a) * wide(b), wide(c), round), round)
            }

            #[inline(always)]
            pub fn scale(a: $float, exponent: i32, round: Round) -> $float {
                // Exact in f64 for every exponent that leaves anything.
                $narrow(wide(a) * power_of_two(exponent.clamp(-$exponent, $exponent)), round)
            }
        }
    };
}

directed!(f16, F16, narrow_f16, 100, |v| f64::from(v.to_f32()));
directed!(f32, f32, narrow_f32, 400, |v| f64::from(v));
