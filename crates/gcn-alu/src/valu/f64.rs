//! f64 arithmetic.

use crate::fp::{add, ceil, floor, fma, fract, input, ldexp, max, min, mul, output, rndne, trunc};
use crate::valu::f32::{frexp_exp, frexp_mant};
use crate::valu::*;

kernels! {
    VAddF64 @hot |e, a: f64, b: f64| -> f64 { add(e, a, b) }
    VMulF64 @hot |e, a: f64, b: f64| -> f64 { mul(e, a, b) }
    VFmaF64 @hot |e, a: f64, b: f64, c: f64| -> f64 { fma(e, a, b, c) }
    VFmacF64 @hot @accumulate |e, a: f64, b: f64, c: f64| -> f64 { fma(e, a, b, c) }
    VMinF64 |e, a: f64, b: f64| -> f64 { min(e, a, b) }
    VMaxF64 |e, a: f64, b: f64| -> f64 { max(e, a, b) }
    VFloorF64 |e, a: f64| -> f64 { floor(e, a) }
    VCeilF64 |e, a: f64| -> f64 { ceil(e, a) }
    VTruncF64 |e, a: f64| -> f64 { trunc(e, a) }
    VRndneF64 |e, a: f64| -> f64 { rndne(e, a) }
    VFractF64 |e, a: f64| -> f64 { fract(e, a) }
    VLdexpF64 |e, a: f64, b: i32| -> f64 { ldexp(e, a, b) }
    VFrexpExpI32F64 |e, a: f64| -> i32 { frexp_exp(input(e, a)) }
    VFrexpMantF64 |e, a: f64| -> f64 { output(e, frexp_mant(input(e, a))) }
}
