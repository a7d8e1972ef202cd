//! Results of minima, maxima, medians and quotients with NaN operands.

use crate::valu::tests::*;

const QUIET: u32 = 0x7fc0_0123;
const SIGNALING: u32 = 0x7f80_0456;
const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;

/// f32 values as f16 ones that mean the same.
fn half(bits: u32) -> u32 {
    match bits {
        QUIET => 0x7e45,
        SIGNALING => 0x7c56,
        ONE => 0x3c00,
        TWO => 0x4000,
        _ => bits,
    }
}

fn check(ieee: bool, sources: [u32; 3], f32_ops: [(Op, u32); 3]) {
    let mode = Mode(0x1f0 | u32::from(ieee) << 9);
    let quiet = |bits: u32| if bits == SIGNALING { SIGNALING | 0x40_0000 } else { bits };
    for (op, expected) in f32_ops {
        let mut w = wave(1);
        w.mode = mode;
        let got = compute(&mut w, op, Mods::None, &sources.map(|s| Lanes([s; 64]))).0[3];
        assert_eq!(got, quiet(expected), "{op:?}({sources:x?}), IEEE {ieee}");
        let op = match op {
            Op::VMin3F32 => Op::VMin3F16,
            Op::VMax3F32 => Op::VMax3F16,
            _ => Op::VMed3F16,
        };
        let mut w = wave(1);
        w.mode = mode;
        let got = compute(&mut w, op, Mods::None, &sources.map(|s| Lanes([half(s); 64]))).0[3] & 0xffff;
        let expected = if expected == SIGNALING { half(SIGNALING) | 0x200 } else { half(expected) };
        assert_eq!(got, expected, "{op:?}({sources:x?}), IEEE {ieee}");
    }
}

/// The manual: "min3 is min(min(S0, S1), S2)", and med3 of a NaN is min3. In IEEE mode a signaling NaN makes a
/// two-source minimum a quiet NaN, which the next one drops: so only the third source's gets through. LLVM's
/// AMDGPUInstCombineIntrinsic.cpp has the same table for `fmed3`.
#[test]
fn of_three() {
    for ieee in [false, true] {
        for nan in [QUIET, SIGNALING] {
            let lost = ieee && nan == SIGNALING;
            let ops = |min, max, med| [(Op::VMin3F32, min), (Op::VMax3F32, max), (Op::VMed3F32, med)];
            // The quiet NaN of the first two gives way to the third source.
            let of_first = if lost { ops(TWO, TWO, TWO) } else { ops(ONE, TWO, ONE) };
            check(ieee, [nan, ONE, TWO], of_first);
            check(ieee, [ONE, nan, TWO], of_first);
            let of_last = if lost { ops(SIGNALING, SIGNALING, SIGNALING) } else { ops(ONE, TWO, ONE) };
            check(ieee, [ONE, TWO, nan], of_last);
            check(ieee, [nan, nan, ONE], ops(ONE, ONE, ONE));
        }
        check(ieee, [QUIET, QUIET, QUIET], [(Op::VMin3F32, QUIET), (Op::VMax3F32, QUIET), (Op::VMed3F32, QUIET)]);
    }
}

/// `V_DIV_FIXUP`: the manual's table, in its order. Sources are the quotient, the denominator, the numerator.
#[test]
fn fixed_quotients() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    // Numerator, denominator, what becomes of the quotient -7.
    for (numerator, denominator, expected) in [
        (nan, 1.0, nan),
        (1.0, nan, nan),
        (0.0, 0.0, nan),
        (-0.0, 0.0, nan),
        (inf, -inf, nan),
        (1.0, 0.0, inf),
        (1.0, -0.0, -inf),
        (-inf, 3.0, -inf),
        (1.0, -inf, -0.0),
        (-0.0, 5.0, -0.0),
        (0.0, -5.0, -0.0),
        (3.0, 2.0, 7.0),
        (-3.0, 2.0, -7.0),
        (-3.0, -2.0, 7.0),
    ] {
        let sources = [-7.0, denominator, numerator].map(|x: f64| [x.to_bits(); 64]);
        let wide = f64::from_bits(compute64(&mut wave(1), Op::VDivFixupF64, &sources)[0]);
        let sources = [-7.0, denominator, numerator].map(|x: f64| Lanes([(x as f32).to_bits(); 64]));
        let single = f32::from_bits(compute(&mut wave(1), Op::VDivFixupF32, Mods::None, &sources).0[0]);
        let to_half = |x: f64| Lanes([u32::from(crate::fp::f32_to_f16(x as f32)); 64]);
        let sources = [-7.0, denominator, numerator].map(to_half);
        let half = compute(&mut wave(1), Op::VDivFixupF16, Mods::None, &sources).0[0] as u16;
        let half = crate::fp::f16_to_f32(half);
        for got in [wide, f64::from(single), f64::from(half)] {
            let same = got == expected && got.is_sign_negative() == expected.is_sign_negative();
            assert!(
                same || got.is_nan() && expected.is_nan(),
                "{numerator} / {denominator}: {got}, expected {expected}"
            );
        }
    }
}
