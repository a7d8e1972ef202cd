//! Dot products of packed small numbers, added to an accumulator.

use crate::fp::{f16_to_f32, flush, fma};
use crate::valu::int32::{saturated_i32, saturated_u32};
use crate::valu::*;

kernels! {
    VDot2F32F16 |e, a: F16x2, b: F16x2, c: f32| -> f32 { dot_f16(e, a, b, c) }
    VDot2cF32F16 @accumulate |e, a: F16x2, b: F16x2, c: f32| -> f32 { dot_f16(e, a, b, c) }
    VDot2I32I16 |e, a: Int16x2, b: Int16x2, c: i32| -> i32 { signed::<E, 16>(e, a.0, b.0, c) }
    VDot2cI32I16 @accumulate |e, a: Int16x2, b: Int16x2, c: i32| -> i32 { signed::<E, 16>(e, a.0, b.0, c) }
    VDot2U32U16 |e, a: Int16x2, b: Int16x2, c: u32| -> u32 { unsigned::<E, 16>(e, a.0, b.0, c) }
    VDot4I32I8 |e, a: u32, b: u32, c: i32| -> i32 { signed::<E, 8>(e, a, b, c) }
    VDot4cI32I8 @accumulate |e, a: u32, b: u32, c: i32| -> i32 { signed::<E, 8>(e, a, b, c) }
    VDot4U32U8 |e, a: u32, b: u32, c: u32| -> u32 { unsigned::<E, 8>(e, a, b, c) }
    VDot8I32I4 |e, a: u32, b: u32, c: i32| -> i32 { signed::<E, 4>(e, a, b, c) }
    VDot8cI32I4 @accumulate |e, a: u32, b: u32, c: i32| -> i32 { signed::<E, 4>(e, a, b, c) }
    VDot8U32U4 |e, a: u32, b: u32, c: u32| -> u32 { unsigned::<E, 4>(e, a, b, c) }
}

/// Whether `inst` is a `v_dot2c_f32_f16` with sign modifiers. LLVM's assembler accepts them, but no manual states which
/// half a bit applies to.
pub fn is_undefined(inst: &Inst) -> bool {
    let signs = match inst.mods {
        Mods::Vop3 { neg, abs, .. } | Mods::Dpp { neg, abs, .. } => neg | abs,
        _ => 0,
    };
    inst.op == Op::VDot2cF32F16 && signs & 3 != 0
}

/// The products are exact in f32; each sum rounds. A denormal addend is zero whatever the mode says (LLVM:
/// `performFMACombine`), and then no sum is denormal: products of halves are 0 or 2^-48 at least.
#[inline(always)]
fn dot_f16<E: Env>(e: E, a: F16x2, b: F16x2, c: f32) -> f32 {
    let low = |v: F16x2| f16_to_f32(v.0 as u16);
    let high = |v: F16x2| f16_to_f32((v.0 >> 16) as u16);
    fma(e, high(a), high(b), fma(e, low(a), low(b), flush(c)))
}

#[inline(always)]
fn signed<E: Env, const BITS: u32>(e: E, a: u32, b: u32, c: i32) -> i32 {
    let element = |v: u32, n: u32| i64::from((v << (32 - BITS - n)) as i32 >> (32 - BITS));
    let sum = (0..32 / BITS).fold(i64::from(c), |sum, n| sum + element(a, n * BITS) * element(b, n * BITS));
    if e.saturate() { saturated_i32(sum) } else { sum as i32 }
}

#[inline(always)]
fn unsigned<E: Env, const BITS: u32>(e: E, a: u32, b: u32, c: u32) -> u32 {
    let element = |v: u32, n: u32| u64::from(v << (32 - BITS - n) >> (32 - BITS));
    let sum = (0..32 / BITS).fold(u64::from(c), |sum, n| sum + element(a, n * BITS) * element(b, n * BITS));
    if e.saturate() { saturated_u32(sum) } else { sum as u32 }
}
