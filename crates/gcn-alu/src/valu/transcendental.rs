//! Reciprocals, roots, logarithms, powers of two, sine and cosine.
//!
//! The hardware's results are within about one unit in the last place; these are the correctly rounded ones (double
//! precision on the way to f32 and f16). The f32 operations treat denormals as zero whatever the mode says, as
//! compilers expect of them; sine and cosine follow the mode.

use crate::fp::{Float, flush, input, output, power_of_two_near};
use crate::valu::*;

kernels! {
    VRcpF32 @hot |e, a: f32| -> f32 { flush(1.0 / flush(a)) }
    VRcpIflagF32 @hot |e, a: f32| -> f32 { flush(1.0 / flush(a)) }
    VRsqF32 |e, a: f32| -> f32 { flush((1.0 / f64::from(flush(a)).sqrt()) as f32) }
    VSqrtF32 @hot |e, a: f32| -> f32 { flush(a).sqrt() }
    VExpF32 @hot |e, a: f32| -> f32 { flush(power_of_two_near(flush(a)) as f32) }
    VExpLegacyF32 |e, a: f32| -> f32 { flush(power_of_two_near(flush(a)) as f32) }
    VLogF32 |e, a: f32| -> f32 { f64::from(flush(a)).log2() as f32 }
    VLogLegacyF32 |e, a: f32| -> f32 { f64::from(flush(a)).log2() as f32 }
    VSinF32 |e, a: f32| -> f32 { output(e, turn(f64::from(input(e, a)), f64::sin) as f32) }
    VCosF32 |e, a: f32| -> f32 { output(e, turn(f64::from(input(e, a)), f64::cos) as f32) }

    VRcpF16 |e, a: F16| -> F16 { half(e, a, |a| 1.0 / a) }
    VRsqF16 |e, a: F16| -> F16 { half(e, a, |a| 1.0 / a.sqrt()) }
    VSqrtF16 |e, a: F16| -> F16 { half(e, a, f64::sqrt) }
    VExpF16 |e, a: F16| -> F16 { half(e, a, f64::exp2) }
    VLogF16 |e, a: F16| -> F16 { half(e, a, f64::log2) }
    VSinF16 |e, a: F16| -> F16 { half(e, a, |a| turn(a, f64::sin)) }
    VCosF16 |e, a: F16| -> F16 { half(e, a, |a| turn(a, f64::cos)) }

    VRcpF64 |e, a: f64| -> f64 { output(e, 1.0 / input(e, a)) }
    VRsqF64 |e, a: f64| -> f64 { output(e, 1.0 / input(e, a).sqrt()) }
    VSqrtF64 |e, a: f64| -> f64 { output(e, input(e, a).sqrt()) }
}

#[inline(always)]
fn half<E: Env>(e: E, value: F16, operation: impl Fn(f64) -> f64) -> F16 {
    output(e, F16::from_f64(operation(input(e, value).to_f64())))
}

/// Sine or cosine of an angle in revolutions, an f32 or f16. Any number of them: the limit of 256 is one of devices
/// before gfx9 (LLVM's `FeatureTrigReducedRange`).
#[inline(always)]
fn turn(revolutions: f64, operation: impl Fn(f64) -> f64) -> f64 {
    // Whole revolutions go first, exactly. Quarters are exact as well. Without any the sign of a zero stays. The rest
    // of an infinity is a NaN.
    let whole = revolutions.round_ties_even();
    let part = if whole == 0.0 { revolutions } else { revolutions - whole };
    let value = operation(part * std::f64::consts::TAU);
    if (part * 4.0).fract() == 0.0 { value.round() } else { value }
}
