//! f16 arithmetic, one value per register.

use crate::fp::{
    Float, add, ceil, floor, fma, fract, input, ldexp, mad, max, med3, min, mul, output, rndne, sub, trunc,
};
use crate::valu::convert::to_half;
use crate::valu::f32::{frexp_exp, frexp_mant};
use crate::valu::*;

kernels! {
    VAddF16 @half_add |e, a: F16, b: F16| -> F16 { limited(e, add(e, a, b)) }
    VSubF16 @half_sub |e, a: F16, b: F16| -> F16 { limited(e, sub(e, a, b)) }
    VSubrevF16 @half_subrev |e, a: F16, b: F16| -> F16 { limited(e, sub(e, b, a)) }
    VMulF16 @half_mul |e, a: F16, b: F16| -> F16 { limited(e, mul(e, a, b)) }
    VFmaF16 @keep_half @half_fma |e, a: F16, b: F16, c: F16| -> F16 { limited(e, fma(e, a, b, c)) }
    VFmaLegacyF16 @half_fma |e, a: F16, b: F16, c: F16| -> F16 { limited(e, fma(e, a, b, c)) }
    VMadF16 @keep_half |e, a: F16, b: F16, c: F16| -> F16 { limited(e, mad(e, a, b, c)) }
    VMadLegacyF16 |e, a: F16, b: F16, c: F16| -> F16 { limited(e, mad(e, a, b, c)) }
    VMacF16 @accumulate @keep_half |e, a: F16, b: F16, c: F16| -> F16 { limited(e, mad(e, a, b, c)) }
    VMadmkF16 @keep_half |e, a: F16, b: F16, c: F16| -> F16 { limited(e, mad(e, a, b, c)) }
    VMadakF16 @keep_half |e, a: F16, b: F16, c: F16| -> F16 { limited(e, mad(e, a, b, c)) }

    VMinF16 |e, a: F16, b: F16| -> F16 { min(e, a, b) }
    VMaxF16 |e, a: F16, b: F16| -> F16 { max(e, a, b) }
    VMin3F16 @keep_half |e, a: F16, b: F16, c: F16| -> F16 { min(e, min(e, a, b), c) }
    VMax3F16 @keep_half |e, a: F16, b: F16, c: F16| -> F16 { max(e, max(e, a, b), c) }
    VMed3F16 @keep_half |e, a: F16, b: F16, c: F16| -> F16 { med3(e, a, b, c) }

    VFloorF16 |e, a: F16| -> F16 { floor(e, a) }
    VCeilF16 |e, a: F16| -> F16 { ceil(e, a) }
    VTruncF16 |e, a: F16| -> F16 { trunc(e, a) }
    VRndneF16 |e, a: F16| -> F16 { rndne(e, a) }
    VFractF16 |e, a: F16| -> F16 { fract(e, a) }
    VLdexpF16 |e, a: F16, b: i16| -> F16 { limited(e, ldexp(e, a, i32::from(b))) }
    VFrexpExpI16F16 |e, a: F16| -> i16 { frexp_exp(input(e, a).to_f64()) as i16 }
    VFrexpMantF16 |e, a: F16| -> F16 { output(e, F16::from_f64(frexp_mant(input(e, a).to_f64()))) }

    // Two halves side by side, as they are (denormals flushed if the mode says so).
    VPackB32F16 |e, a: F16, b: F16| -> u32 {
        u32::from(output(e, input(e, a)).0) | u32::from(output(e, input(e, b)).0) << 16
    }

    VFmaMixF32 |e, a: Mix, b: Mix, c: Mix| -> f32 { fma(e, a.0, b.0, c.0) }
    VFmaMixloF16 @keep_half |e, a: Mix, b: Mix, c: Mix| -> F16 { to_half(e, fma(e, a.0, b.0, c.0)) }
    VFmaMixhiF16 @high_half |e, a: Mix, b: Mix, c: Mix| -> F16 { to_half(e, fma(e, a.0, b.0, c.0)) }
}

/// FP16_OVFL: an overflow gives the largest finite value. (An infinite source should stay infinite, which this function
/// cannot distinguish; it matters only in that mode.)
#[inline(always)]
pub fn limited<E: Env>(e: E, value: F16) -> F16 {
    if e.mode().fp16_ovfl() && value.is_infinite() { F16(value.0 - 1) } else { value }
}
