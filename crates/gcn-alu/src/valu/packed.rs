//! Packed operations: one on each half of a register.

use crate::fp::{add, first_nan, fma, max, min, mul};
use crate::valu::f16::limited;
use crate::valu::int16::{add_i16, add_u16, mad_i16, mad_u16, sub_i16, sub_u16};
use crate::valu::*;

kernels! {
    VPkFmaF32 @hot |e, a: F32x2, b: F32x2, c: F32x2| -> F32x2 {
        both(|i| {
            let (a, b, c) = (a.0[i], b.0[i], c.0[i]);
            first_nan(a, first_nan(b, first_nan(c, fma(e, a, b, c))))
        })
    }
    VPkMulF32 @hot |e, a: F32x2, b: F32x2| -> F32x2 { both(|i| first_nan(a.0[i], mul(e, a.0[i], b.0[i]))) }
    VPkAddF32 @hot |e, a: F32x2, b: F32x2| -> F32x2 { both(|i| first_nan(a.0[i], add(e, a.0[i], b.0[i]))) }
    // What `op_sel` selects of the second source is in its low register here too.
    VPkMovB32 @hot |e, a: Int32x2, b: Int32x2| -> Int32x2 { Int32x2([a.0[0], b.0[0]]) }
    VPkAddU16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { unsigned([a, b], |[a, b]| add_u16(e, a, b)) }
    VPkSubU16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { unsigned([a, b], |[a, b]| sub_u16(e, a, b)) }
    VPkMulLoU16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { unsigned([a, b], |[a, b]| a.wrapping_mul(b)) }
    VPkMadU16 |e, a: Int16x2, b: Int16x2, c: Int16x2| -> Int16x2 { unsigned([a, b, c], |[a, b, c]| mad_u16(e, a, b, c)) }
    VPkMinU16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { unsigned([a, b], |[a, b]| a.min(b)) }
    VPkMaxU16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { unsigned([a, b], |[a, b]| a.max(b)) }
    VPkLshlrevB16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { unsigned([a, b], |[a, b]| b << (a & 15)) }
    VPkLshrrevB16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { unsigned([a, b], |[a, b]| b >> (a & 15)) }
    VPkAshrrevI16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { signed([a, b], |[a, b]| b >> (a & 15)) }
    VPkAddI16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { signed([a, b], |[a, b]| add_i16(e, a, b)) }
    VPkSubI16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { signed([a, b], |[a, b]| sub_i16(e, a, b)) }
    VPkMadI16 |e, a: Int16x2, b: Int16x2, c: Int16x2| -> Int16x2 { signed([a, b, c], |[a, b, c]| mad_i16(e, a, b, c)) }
    VPkMinI16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { signed([a, b], |[a, b]| a.min(b)) }
    VPkMaxI16 |e, a: Int16x2, b: Int16x2| -> Int16x2 { signed([a, b], |[a, b]| a.max(b)) }

    VPkAddF16 @hot @half_add |e, a: F16x2, b: F16x2| -> F16x2 { float([a, b], |[a, b]| limited(e, add(e, a, b))) }
    VPkMulF16 @hot @half_mul |e, a: F16x2, b: F16x2| -> F16x2 { float([a, b], |[a, b]| limited(e, mul(e, a, b))) }
    VPkFmaF16 @hot @half_fma |e, a: F16x2, b: F16x2, c: F16x2| -> F16x2 { float([a, b, c], |[a, b, c]| limited(e, fma(e, a, b, c))) }
    VPkFmacF16 @accumulate @half_fma |e, a: F16x2, b: F16x2, c: F16x2| -> F16x2 {
        float([a, b, c], |[a, b, c]| limited(e, fma(e, a, b, c)))
    }
    VPkMinF16 @hot |e, a: F16x2, b: F16x2| -> F16x2 { float([a, b], |[a, b]| min(e, a, b)) }
    VPkMaxF16 @hot |e, a: F16x2, b: F16x2| -> F16x2 { float([a, b], |[a, b]| max(e, a, b)) }
}

/// Two results. Of several NaN the first one is named, as the compiler has the factors of each half in an order of its
/// own.
#[inline(always)]
fn both(operation: impl Fn(usize) -> f32) -> F32x2 {
    F32x2([operation(0), operation(1)])
}

#[inline(always)]
fn unsigned<const N: usize>(sources: [Int16x2; N], operation: impl Fn([u16; N]) -> u16) -> Int16x2 {
    Int16x2(halves(sources, 0, |source, shift| (source.0 >> shift) as u16, operation))
}

#[inline(always)]
fn signed<const N: usize>(sources: [Int16x2; N], operation: impl Fn([i16; N]) -> i16) -> Int16x2 {
    Int16x2(halves(sources, 0, |source, shift| (source.0 >> shift) as i16, |halves| operation(halves) as u16))
}

#[inline(always)]
fn float<const N: usize>(sources: [F16x2; N], operation: impl Fn([F16; N]) -> F16) -> F16x2 {
    F16x2(halves(sources, F16(0), |source, shift| F16((source.0 >> shift) as u16), |halves| operation(halves).0))
}

/// The operation on low halves, which `half` shifts down by 0, and on high ones. By loops: `map` of an array is a lot
/// of code, and this has hundreds of copies.
#[inline(always)]
fn halves<S: Copy, T: Copy, const N: usize>(
    sources: [S; N],
    zero: T,
    half: impl Fn(S, u32) -> T,
    operation: impl Fn([T; N]) -> u16,
) -> u32 {
    let mut result = 0;
    for shift in [0, 16] {
        let mut halves = [zero; N];
        for i in 0..N {
            halves[i] = half(sources[i], shift);
        }
        result |= u32::from(operation(halves)) << shift;
    }
    result
}
