//! Conversions between number formats.

use crate::fp::{Control, Float, Round, f16_to_f32, flush, input, narrow_f16, narrow_f32, output};
use crate::valu::*;

kernels! {
    VCvtF32I32 @hot |e, a: i32| -> f32 { from_integer(e, f64::from(a)) }
    VCvtF32U32 @hot |e, a: u32| -> f32 { from_integer(e, f64::from(a)) }
    VCvtI32F32 @hot |e, a: f32| -> i32 { a as i32 }
    VCvtU32F32 @hot |e, a: f32| -> u32 { a as u32 }
    VCvtRpiI32F32 |e, a: f32| -> i32 { (f64::from(input(e, a)) + 0.5).floor() as i32 }
    VCvtFlrI32F32 |e, a: f32| -> i32 { input(e, a).floor() as i32 }
    VCvtF32Ubyte0 |e, a: u32| -> f32 { (a & 0xff) as f32 }
    VCvtF32Ubyte1 |e, a: u32| -> f32 { (a >> 8 & 0xff) as f32 }
    VCvtF32Ubyte2 |e, a: u32| -> f32 { (a >> 16 & 0xff) as f32 }
    VCvtF32Ubyte3 |e, a: u32| -> f32 { (a >> 24) as f32 }
    // A signed nibble in units of 1/16.
    VCvtOffF32I4 |e, a: u32| -> f32 { ((a << 28) as i32 >> 28) as f32 / 16.0 }

    VCvtF64I32 |e, a: i32| -> f64 { f64::from(a) }
    VCvtF64U32 |e, a: u32| -> f64 { f64::from(a) }
    VCvtI32F64 |e, a: f64| -> i32 { a as i32 }
    VCvtU32F64 |e, a: f64| -> u32 { a as u32 }
    VCvtF64F32 |e, a: f32| -> f64 { f64::from(input(e, a)) }
    VCvtF32F64 |e, a: f64| -> f32 {
        let a = input(e, a);
        output(e, if E::NEAREST { a as f32 } else { narrow_f32(a, f32::control(e.mode()).round) })
    }

    VCvtF16F32 @hot |e, a: f32| -> F16 { to_half(e, a) }
    VCvtF32F16 @hot |e, a: F16| -> f32 { input(e, a).to_f32().quiet_if_nan() }
    VCvtF16U16 |e, a: u16| -> F16 { to_half(e, f32::from(a)) }
    VCvtF16I16 |e, a: i16| -> F16 { to_half(e, f32::from(a)) }
    VCvtU16F16 |e, a: F16| -> u16 { a.to_f32() as u16 }
    VCvtI16F16 |e, a: F16| -> i16 { a.to_f32() as i16 }
    VCvtNormI16F16 |e, a: F16| -> i16 { snorm(input(e, a).to_f32()) }
    VCvtNormU16F16 |e, a: F16| -> u16 { unorm(input(e, a).to_f32()) }

    VCvtPkrtzF16F32 @hot |e, a: f32, b: f32| -> F16x2 {
        F16x2(u32::from(to_half_towards_zero(e, a)) | u32::from(to_half_towards_zero(e, b)) << 16)
    }
    VCvtPknormI16F32 |e, a: f32, b: f32| -> u32 { pair(snorm(input(e, a)) as u16, snorm(input(e, b)) as u16) }
    VCvtPknormU16F32 |e, a: f32, b: f32| -> u32 { pair(unorm(input(e, a)), unorm(input(e, b))) }
    VCvtPknormI16F16 |e, a: F16, b: F16| -> u32 {
        pair(snorm(input(e, a).to_f32()) as u16, snorm(input(e, b).to_f32()) as u16)
    }
    VCvtPknormU16F16 |e, a: F16, b: F16| -> u32 { pair(unorm(input(e, a).to_f32()), unorm(input(e, b).to_f32())) }
    VCvtPkU16U32 |e, a: u32, b: u32| -> u32 { pair(a.min(0xffff) as u16, b.min(0xffff) as u16) }
    VCvtPkI16I32 |e, a: i32, b: i32| -> u32 {
        pair(a.clamp(-0x8000, 0x7fff) as u16, b.clamp(-0x8000, 0x7fff) as u16)
    }
    VCvtPkU8F32 |e, a: f32, b: u32, c: u32| -> u32 { replace_byte(to_byte(e, a), b, c) }
    VCvtPkaccumU8F32 @accumulate |e, a: f32, b: u32, c: u32| -> u32 { replace_byte(to_byte(e, a), b, c) }
    VSatPkU8I16 |e, a: u32| -> u16 {
        let byte = |v: u32| (v as i16).clamp(0, 255) as u16;
        byte(a) | byte(a >> 16) << 8
    }
}

trait QuietIfNan {
    fn quiet_if_nan(self) -> Self;
}

impl QuietIfNan for f32 {
    #[inline(always)]
    fn quiet_if_nan(self) -> f32 {
        if self.is_nan() { self.quiet() } else { self }
    }
}

/// An integer that f64 holds exactly, as f32.
#[inline(always)]
fn from_integer<E: Env>(e: E, value: f64) -> f32 {
    if E::NEAREST { value as f32 } else { narrow_f32(value, f32::control(e.mode()).round) }
}

/// f32 to f16 in the mode's f16 rounding.
#[inline(always)]
pub fn to_half<E: Env>(e: E, value: f32) -> F16 {
    if E::NATIVE {
        return F16::from_f32(value);
    }
    let value = input(e, value);
    let Control { round, .. } = F16::control(e.mode());
    let half = if E::NEAREST { F16::from_f32(value) } else { narrow_f16(f64::from(value), round) };
    let half = output(e, half);
    if e.mode().fp16_ovfl() && half.is_infinite() && value.is_finite() { F16(half.0 - 1) } else { half }
}

/// f32 to f16 bits, towards zero whatever the mode says.
#[inline(always)]
fn to_half_towards_zero<E: Env>(e: E, value: f32) -> u16 {
    let value = input(e, value);
    let nearest = fp::f32_to_f16(value);
    let too_far = f16_to_f32(nearest).abs() > value.abs();
    let half = nearest - u16::from(too_far);
    if E::NATIVE { half } else { output(e, F16(half)).0 }
}

/// NaN becomes 0. The product is exact in f64, so that it is rounded once.
fn snorm(value: f32) -> i16 {
    (f64::from(value.clamp(-1.0, 1.0)) * 32767.0).round_ties_even() as i16
}

fn unorm(value: f32) -> u16 {
    (f64::from(value.clamp(0.0, 1.0)) * 65535.0).round_ties_even() as u16
}

/// A float as a byte, rounded as the mode says, saturated.
fn to_byte<E: Env>(e: E, value: f32) -> u8 {
    let value = flush(value);
    let whole = match f32::control(e.mode()).round {
        Round::Nearest => value.round_ties_even(),
        Round::Up => value.ceil(),
        Round::Down => value.floor(),
        Round::Zero => value.trunc(),
    };
    whole as u8
}

/// `word` with its byte `index` replaced.
fn replace_byte(byte: u8, index: u32, word: u32) -> u32 {
    let shift = 8 * (index & 3);
    word & !(0xff << shift) | u32::from(byte) << shift
}

fn pair(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}
