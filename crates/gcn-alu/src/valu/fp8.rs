//! Conversions to and from FP8 and BF8.

use crate::fp::{Narrow, f32_to_fp8, fp8_to_f32};
use crate::valu::*;

kernels! {
    VCvtF32Fp8 |e, a: u32| -> f32 { fp8_to_f32::<3>(a as u8) }
    VCvtF32Bf8 |e, a: u32| -> f32 { fp8_to_f32::<2>(a as u8) }
    VCvtPkF32Fp8 |e, a: u32| -> F32x2 { F32x2([fp8_to_f32::<3>(a as u8), fp8_to_f32::<3>((a >> 8) as u8)]) }
    VCvtPkF32Bf8 |e, a: u32| -> F32x2 { F32x2([fp8_to_f32::<2>(a as u8), fp8_to_f32::<2>((a >> 8) as u8)]) }
    VCvtPkFp8F32 @keep_half |e, a: f32, b: f32| -> u16 { u16::from_le_bytes([nearest::<3, _>(e, a), nearest::<3, _>(e, b)]) }
    VCvtPkBf8F32 @keep_half |e, a: f32, b: f32| -> u16 { u16::from_le_bytes([nearest::<2, _>(e, a), nearest::<2, _>(e, b)]) }
    VCvtSrFp8F32 |e, a: f32, b: u32| -> u8 { f32_to_fp8::<3>(a, Narrow::Stochastic(b), e.mode().fp16_ovfl()) }
    VCvtSrBf8F32 |e, a: f32, b: u32| -> u8 { f32_to_fp8::<2>(a, Narrow::Stochastic(b), e.mode().fp16_ovfl()) }
}

/// Whatever rounding the mode has.
#[inline(always)]
fn nearest<const M: u32, E: Env>(e: E, value: f32) -> u8 {
    f32_to_fp8::<M>(value, Narrow::Nearest, e.mode().fp16_ovfl())
}
