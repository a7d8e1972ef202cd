//! Accuracy of reciprocals, roots, powers of two, logarithms, sine and cosine. All f16 arguments are within 0.51 units
//! in the last place, which the ISA manual states for f16; f64 is within one unit, where the manual allows 2^29.

use crate::fp::f16_to_f32;
use crate::valu::tests::*;
use rustc_apfloat::ieee::{Double, Quad};
use rustc_apfloat::{Float, FloatConvert};
use std::f64::consts::{LN_2, PI};

fn value(bits: u16) -> f64 {
    f64::from(f16_to_f32(bits))
}

/// The distance between halves around `x`.
fn unit(x: f64) -> f64 {
    let exponent = if x == 0.0 { -14.0 } else { x.abs().log2().floor().max(-14.0) };
    2f64.powi(exponent as i32 - 10)
}

/// Sine of `turns` revolutions, in the first octant only.
fn sine(turns: f64) -> f64 {
    if !turns.is_finite() {
        return f64::NAN;
    }
    let t = turns.rem_euclid(1.0);
    match (t * 8.0) as u32 {
        0 => (2.0 * PI * t).sin(),
        1 | 2 => (2.0 * PI * (t - 0.25)).cos(),
        3 | 4 => -(2.0 * PI * (t - 0.5)).sin(),
        5 | 6 => -(2.0 * PI * (t - 0.75)).cos(),
        _ => (2.0 * PI * (t - 1.0)).sin(),
    }
}

fn cosine(turns: f64) -> f64 {
    sine(turns % 1.0 + 0.25)
}

/// Any number of revolutions, which f32 has with fractions up to 2^23. Values are those of AMD's CDNA manuals ("full
/// range input is supported, denormals are supported") where these name any.
#[test]
fn sine_and_cosine_of_f32() {
    let of = |op, mode, x: f32| {
        let mut w = wave(1);
        w.mode = Mode(mode);
        f32::from_bits(compute(&mut w, op, Mods::None, &[Lanes([x.to_bits(); 64])]).0[0])
    };
    for x in [256.25, 257.0, 1000.125, -4097.75, 8_388_607.5, 2f32.powi(22) + 0.25, -3e30, f32::MIN, f32::MAX] {
        for (op, reference) in [(Op::VSinF32, sine as fn(f64) -> f64), (Op::VCosF32, cosine)] {
            let (got, expected) = (f64::from(of(op, 0x3f0, x)), reference(f64::from(x)));
            assert!((got - expected).abs() <= 2f64.powi(-24), "{op:?}({x:e}) = {got:e}, expected {expected:e}");
        }
    }
    let exact = |op, mode, x: f32, expected: f32| {
        assert_eq!(of(op, mode, x).to_bits(), expected.to_bits(), "{op:?}({x:e}), mode {mode:#x}");
    };
    exact(Op::VSinF32, 0x3f0, f32::MIN, 0.0);
    exact(Op::VSinF32, 0x3f0, -0.0, -0.0);
    exact(Op::VSinF32, 0x3f0, 0.0, 0.0);
    exact(Op::VSinF32, 0x3f0, 0.25, 1.0);
    exact(Op::VCosF32, 0x3f0, f32::MIN, 1.0);
    exact(Op::VCosF32, 0x3f0, -0.0, 1.0);
    exact(Op::VCosF32, 0x3f0, 0.25, 0.0);
    // Denormals, in the source and the result: kept, flushed in sources, in results.
    let (tiny, product) = (1e-40f32, (f64::from(1e-40f32) * 2.0 * PI) as f32);
    exact(Op::VSinF32, 0x3f0, -tiny, -product);
    exact(Op::VSinF32, 0x3e0, -tiny, -0.0);
    exact(Op::VSinF32, 0x3d0, -tiny, -0.0);
    exact(Op::VSinF32, 0x3d0, f32::MIN_POSITIVE / 2.0, (f64::from(f32::MIN_POSITIVE) * PI) as f32);
}

#[test]
fn every_half() {
    type Reference = fn(f64) -> f64;
    let operations: [(Op, Reference); 7] = [
        (Op::VRcpF16, |x| x.powi(-1)),
        (Op::VSqrtF16, |x| {
            if x < 0.0 {
                f64::NAN
            } else if x == 0.0 {
                x
            } else {
                x.powf(0.5)
            }
        }),
        (Op::VRsqF16, |x| {
            if x < 0.0 {
                f64::NAN
            } else if x == 0.0 {
                x.powi(-1)
            } else {
                x.powf(-0.5)
            }
        }),
        (Op::VExpF16, |x| (x * LN_2).exp()),
        (Op::VLogF16, |x| x.ln() / LN_2),
        (Op::VSinF16, sine),
        (Op::VCosF16, cosine),
    ];
    // Denormals kept, and flushed in sources and results.
    for mode in [0x3f0, 0x330] {
        let flush = |x: f64| if mode == 0x330 && x.abs() < 2f64.powi(-14) { 0f64.copysign(x) } else { x };
        for first in (0..=u16::MAX).step_by(64) {
            let source = Lanes(std::array::from_fn(|lane| u32::from(first) + lane as u32));
            for (op, reference) in operations {
                let mut w = wave(1);
                w.mode = Mode(mode);
                let got = compute(&mut w, op, Mods::None, &[source]);
                for lane in 0..64 {
                    let x = value(source.0[lane] as u16);
                    let (got, exact) = (value(got.0[lane] as u16), reference(flush(x)));
                    let expected = if exact.abs() >= 65520.0 { f64::INFINITY.copysign(exact) } else { exact };
                    let close = got == expected
                        || got.is_nan() && expected.is_nan()
                        || (got - expected).abs() <= 0.51 * unit(expected)
                        || got == 0.0 && flush(expected) == 0.0;
                    assert!(close, "{op:?}({x:e}) = {got:e}, expected {expected:e}, mode {mode:#x}");
                }
            }
        }
    }
}

#[test]
fn signs_of_zero_and_infinity() {
    let (zero, negative, infinity, quiet) = (0, 0x8000, 0x7c00, 0x7e00);
    for (op, x, expected) in [
        (Op::VRcpF16, zero, infinity),
        (Op::VRcpF16, negative, 0xfc00),
        (Op::VRcpF16, 0xfc00, negative),
        (Op::VSqrtF16, negative, negative),
        (Op::VRsqF16, negative, 0xfc00),
        (Op::VRsqF16, infinity, zero),
        (Op::VExpF16, 0xfc00, zero),
        (Op::VExpF16, negative, 0x3c00),
        (Op::VLogF16, negative, 0xfc00),
        (Op::VLogF16, infinity, infinity),
        (Op::VLogF16, 0x3c00, zero),
    ] {
        let got = compute(&mut wave(1), op, Mods::None, &[Lanes([x; 64])]).0[0];
        assert_eq!(got, expected, "{op:?}({x:#x})");
    }
    for (op, x) in [
        (Op::VSqrtF16, 0xbc00),
        (Op::VRsqF16, 0xbc00),
        (Op::VLogF16, 0xbc00),
        (Op::VSinF16, infinity),
        (Op::VCosF16, infinity),
    ] {
        let got = compute(&mut wave(1), op, Mods::None, &[Lanes([x; 64])]).0[0];
        assert_eq!(got & 0x7e00, quiet, "{op:?}({x:#x})");
    }
}

/// Exact enough: products of two doubles fit into a quad.
fn quad(x: f64) -> Quad {
    Double::from_bits(u128::from(x.to_bits())).convert(&mut false).value
}

fn double(x: Quad) -> f64 {
    let double: Double = x.convert(&mut false).value;
    f64::from_bits(double.to_bits() as u64)
}

#[test]
fn doubles() {
    let mut random = Random(51);
    for _ in 0..200 {
        let x: [u64; 64] = std::array::from_fn(|_| {
            let bits = random.next();
            // Exponents whose results are normal numbers.
            bits & 0x000f_ffff_ffff_ffff | (64 + (bits >> 52) % 1900) << 52
        });
        let of = |op| compute64(&mut wave(1), op, &[x]).map(f64::from_bits);
        let (reciprocal, root, inverse_root) = (of(Op::VRcpF64), of(Op::VSqrtF64), of(Op::VRsqF64));
        for lane in 0..64 {
            let one = quad(1.0);
            let x = quad(f64::from_bits(x[lane]));
            // Relative errors of the products: a unit in the last place is at most 2^-52.
            let product = |a: Quad, b: Quad| (a * b).value;
            let error = |value: Quad| double((value - one).value).abs();
            let unit = 2f64.powi(-52);
            assert!(error(product(x, quad(reciprocal[lane]))) <= unit, "1 / {x:?} = {:e}", reciprocal[lane]);
            let squared = product(quad(root[lane]), quad(root[lane]));
            assert!(error((squared / x).value) <= 2.0 * unit, "sqrt({x:?}) = {:e}", root[lane]);
            let squared = product(quad(inverse_root[lane]), quad(inverse_root[lane]));
            assert!(error(product(squared, x)) <= 2.0 * unit, "1 / sqrt({x:?}) = {:e}", inverse_root[lane]);
        }
    }
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (op, x, expected) in [
        (Op::VRcpF64, -0.0, -inf),
        (Op::VRcpF64, -inf, -0.0),
        (Op::VRcpF64, nan, nan),
        (Op::VSqrtF64, -0.0, -0.0),
        (Op::VSqrtF64, -1.0, nan),
        (Op::VSqrtF64, inf, inf),
        (Op::VRsqF64, 0.0, inf),
        (Op::VRsqF64, -0.0, -inf),
        (Op::VRsqF64, inf, 0.0),
        (Op::VRsqF64, -1.0, nan),
    ] {
        let got = f64::from_bits(compute64(&mut wave(1), op, &[[x.to_bits(); 64]])[0]);
        assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(), "{op:?}({x}) = {got}");
    }
}
