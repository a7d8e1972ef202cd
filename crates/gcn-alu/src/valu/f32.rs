//! f32 arithmetic.

use crate::fp::{
    Float, add, ceil, floor, fma, fract, input, ldexp, mad, max, med3, min, mul, mul_legacy, output, rndne, sub, trunc,
};
use crate::valu::*;

kernels! {
    VAddF32 @hot |e, a: f32, b: f32| -> f32 { add(e, a, b) }
    VSubF32 @hot |e, a: f32, b: f32| -> f32 { sub(e, a, b) }
    VSubrevF32 @hot |e, a: f32, b: f32| -> f32 { sub(e, b, a) }
    VMulF32 @hot |e, a: f32, b: f32| -> f32 { mul(e, a, b) }
    VMulLegacyF32 |e, a: f32, b: f32| -> f32 { mul_legacy(e, a, b) }
    VMulLegacyF32E64 |e, a: f32, b: f32| -> f32 { mul_legacy(e, a, b) }
    VFmaF32 @hot |e, a: f32, b: f32, c: f32| -> f32 { fma(e, a, b, c) }
    VFmacF32 @hot @accumulate |e, a: f32, b: f32, c: f32| -> f32 { fma(e, a, b, c) }
    VMadF32 @hot |e, a: f32, b: f32, c: f32| -> f32 { mad(e, a, b, c) }
    VMacF32 @hot @accumulate |e, a: f32, b: f32, c: f32| -> f32 { mad(e, a, b, c) }
    // The assembler writes the constant where the sum `a * b + c` has it.
    VMadmkF32 @hot |e, a: f32, b: f32, c: f32| -> f32 { mad(e, a, b, c) }
    VMadakF32 @hot |e, a: f32, b: f32, c: f32| -> f32 { mad(e, a, b, c) }
    VFmamkF32 @hot |e, a: f32, b: f32, c: f32| -> f32 { fma(e, a, b, c) }
    VFmaakF32 @hot |e, a: f32, b: f32, c: f32| -> f32 { fma(e, a, b, c) }
    VMadLegacyF32 |e, a: f32, b: f32, c: f32| -> f32 {
        let (a, b) = (fp::flush(a), fp::flush(b));
        if a == 0.0 || b == 0.0 { mad(e, 0.0, 0.0, c) } else { mad(e, a, b, c) }
    }

    VMinF32 @hot |e, a: f32, b: f32| -> f32 { min(e, a, b) }
    VMaxF32 @hot |e, a: f32, b: f32| -> f32 { max(e, a, b) }
    VMin3F32 |e, a: f32, b: f32, c: f32| -> f32 { min(e, min(e, a, b), c) }
    VMax3F32 |e, a: f32, b: f32, c: f32| -> f32 { max(e, max(e, a, b), c) }
    VMed3F32 |e, a: f32, b: f32, c: f32| -> f32 { med3(e, a, b, c) }

    VFloorF32 @hot |e, a: f32| -> f32 { floor(e, a) }
    VCeilF32 |e, a: f32| -> f32 { ceil(e, a) }
    VTruncF32 @hot |e, a: f32| -> f32 { trunc(e, a) }
    VRndneF32 @hot |e, a: f32| -> f32 { rndne(e, a) }
    VFractF32 |e, a: f32| -> f32 { fract(e, a) }
    VLdexpF32 |e, a: f32, b: i32| -> f32 { ldexp(e, a, b) }
    VFrexpExpI32F32 |e, a: f32| -> i32 { frexp_exp(f64::from(input(e, a))) }
    VFrexpMantF32 |e, a: f32| -> f32 { output(e, frexp_mant(f64::from(input(e, a))) as f32) }

    VCubeidF32 |e, a: f32, b: f32, c: f32| -> f32 { cube(e, a, b, c).face }
    VCubescF32 |e, a: f32, b: f32, c: f32| -> f32 { cube(e, a, b, c).s }
    VCubetcF32 |e, a: f32, b: f32, c: f32| -> f32 { cube(e, a, b, c).t }
    VCubemaF32 |e, a: f32, b: f32, c: f32| -> f32 { cube(e, a, b, c).major }
}

/// Exponent of `value` as a fraction in \[0.5, 1) times a power of two; 0 for what has none.
pub fn frexp_exp(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    let (bits, adjust) = normal(value);
    (bits >> 52 & 0x7ff) as i32 - 1022 + adjust
}

/// The fraction of `frexp`; zero, infinity and NaN are unchanged.
pub fn frexp_mant(value: f64) -> f64 {
    if value.is_nan() {
        return value.quiet();
    }
    if value == 0.0 || value.is_infinite() {
        return value;
    }
    f64::from_bits(normal(value).0 & !(0x7ff << 52) | 1022 << 52)
}

/// Bits of a normal number and the power of two that makes it `value` again.
fn normal(value: f64) -> (u64, i32) {
    if value.is_denormal() { ((value * 2f64.powi(64)).to_bits(), -64) } else { (value.to_bits(), 0) }
}

/// A direction on the faces of a cube.
struct Cube {
    face: f32,
    s: f32,
    t: f32,
    /// Twice the major coordinate.
    major: f32,
}

fn cube<E: Env>(e: E, x: f32, y: f32, z: f32) -> Cube {
    let (x, y, z) = (input(e, x), input(e, y), input(e, z));
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, s, t, major) = if az >= ax && az >= ay {
        if z < 0.0 { (5.0, -x, -y, z) } else { (4.0, x, -y, z) }
    } else if ay >= ax {
        if y < 0.0 { (3.0, x, -z, y) } else { (2.0, x, z, y) }
    } else if x < 0.0 {
        (1.0, z, -y, x)
    } else {
        (0.0, -z, -y, x)
    };
    Cube { face, s, t, major: mul(e, 2.0, major) }
}
