//! Conversions to normalised and packed integers, against exact rational arithmetic.

use crate::fp::f16_to_f32;
use crate::valu::tests::*;

/// `value * scale` limited to `least..=scale` and rounded to nearest even, in integers throughout. NaN is 0.
fn normalised(value: f32, scale: i128, least: i128) -> i128 {
    if value.is_nan() {
        return 0;
    }
    if value.abs() >= 1.0 {
        return if value > 0.0 { scale } else { least };
    }
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 0xff) as i32, i128::from(bits & 0x7f_ffff));
    let (fraction, exponent) = if exponent == 0 { (fraction, -149) } else { (fraction | 1 << 23, exponent - 150) };
    // fraction * scale / 2^shift; far below half a unit from 2^100 on.
    let shift = (-exponent).min(100) as u32;
    let product = fraction * scale;
    let (whole, rest) = (product >> shift, product & ((1 << shift) - 1));
    let half = 1i128 << (shift - 1);
    let rounded = whole + i128::from(rest > half || rest == half && whole & 1 != 0);
    if value > 0.0 { rounded } else { (-rounded).max(least) }
}

/// "D = {(snorm)S1, (snorm)S0}", 32767 times the value; unorm is 65535 times.
#[test]
fn normalised_integers() {
    let mut random = Random(60);
    for round in 0..400u32 {
        // Around the midpoints between two results, where rounding decides; and anything.
        let src: [Lanes; 2] = std::array::from_fn(|_| {
            Lanes(std::array::from_fn(|lane| {
                let r = random.next();
                let scale = if round & 1 == 0 { 32767.0 } else { 65535.0 };
                let middle = ((r % 65535) as f64 + 0.5) / scale;
                let near = (middle as f32).to_bits().wrapping_add((r >> 32) as u32 % 5).wrapping_sub(2);
                match lane % 4 {
                    0 => r as u32,
                    1 => near | 1 << 31,
                    2 => [f32::NAN, 1.0, -1.0, 0.0, -0.0, f32::INFINITY, 1e-30][r as usize % 7].to_bits(),
                    _ => near,
                }
            }))
        });
        let i = compute(&mut wave(1), Op::VCvtPknormI16F32, Mods::None, &src);
        let u = compute(&mut wave(1), Op::VCvtPknormU16F32, Mods::None, &src);
        for lane in 0..64 {
            let values = src.map(|s| f32::from_bits(s.0[lane]));
            let pair = |[low, high]: [i128; 2]| low as u16 as u32 | (high as u16 as u32) << 16;
            assert_eq!(i.0[lane], pair(values.map(|v| normalised(v, 32767, -32767))), "snorm of {values:?}");
            assert_eq!(u.0[lane], pair(values.map(|v| normalised(v, 65535, 0))), "unorm of {values:?}");
        }
    }
    for first in (0..=u16::MAX).step_by(64) {
        let src = Lanes(std::array::from_fn(|lane| u32::from(first) + lane as u32));
        let of = |op| compute(&mut wave(1), op, Mods::None, &[src, src]);
        let (i, u) = (of(Op::VCvtNormI16F16), of(Op::VCvtNormU16F16));
        let (pairs_i, pairs_u) = (of(Op::VCvtPknormI16F16), of(Op::VCvtPknormU16F16));
        for lane in 0..64 {
            let value = f16_to_f32(src.0[lane] as u16);
            let (signed, unsigned) = (normalised(value, 32767, -32767) as u16, normalised(value, 65535, 0) as u16);
            assert_eq!((i.0[lane] as u16, u.0[lane] as u16), (signed, unsigned), "{value}");
            let twice = |half: u16| u32::from(half) * 0x1_0001;
            assert_eq!((pairs_i.0[lane], pairs_u.0[lane]), (twice(signed), twice(unsigned)), "{value}");
        }
    }
}

/// Every half to and from integers: towards zero, saturated, NaN is 0.
#[test]
fn halves_and_integers() {
    for first in (0..=u16::MAX).step_by(64) {
        let src = Lanes(std::array::from_fn(|lane| u32::from(first) + lane as u32));
        let of = |op| compute(&mut wave(1), op, Mods::None, &[src]);
        let (i, u) = (of(Op::VCvtI16F16), of(Op::VCvtU16F16));
        let (from_i, from_u) = (of(Op::VCvtF16I16), of(Op::VCvtF16U16));
        for lane in 0..64 {
            let bits = src.0[lane] as u16;
            let value = f64::from(f16_to_f32(bits));
            let whole = if value.is_nan() { 0.0 } else { value.trunc() };
            assert_eq!(i.0[lane] as u16 as i16, whole.clamp(-32768.0, 32767.0) as i16, "{value} as i16");
            assert_eq!(u.0[lane] as u16, whole.clamp(0.0, 65535.0) as u16, "{value} as u16");
            // The nearest half is no further away than half a unit.
            for (integer, half) in [(f64::from(bits as i16), from_i.0[lane]), (f64::from(bits), from_u.0[lane])] {
                let half = f64::from(f16_to_f32(half as u16));
                let unit = 2f64.powi((integer.abs().max(1.0).log2().floor() as i32 - 10).max(-24));
                let close = (half - integer).abs() <= unit / 2.0 || integer >= 65520.0 && half == f64::INFINITY;
                assert!(close, "{integer} as f16 is {half}");
            }
        }
    }
}

/// "D.u = ((flt32_to_uint8(S0.f) & 0xff) << (8 * S1.u[1:0])) | (S2.u & ~(0xff << (8 * S1.u[1:0])))"
#[test]
fn bytes_of_floats() {
    let mut random = Random(61);
    for round in 0..100u32 {
        let values: [f32; 64] = std::array::from_fn(|_| match random.next() % 8 {
            0 => f32::NAN,
            1 => random.next() as i32 as f32,
            2 => (random.next() % 300) as f32 + 0.5,
            _ => (random.next() % 3000) as f32 / 8.0 - 50.0,
        });
        let src = [Lanes(values.map(f32::to_bits)), random.lanes(), random.lanes()];
        let mut w = wave(1);
        w.mode = Mode(0x3f0 | (round % 4));
        let got = compute(&mut w, Op::VCvtPkU8F32, Mods::None, &src);
        // The accumulating form has its third source in the destination.
        w.vgpr[10] = src[2];
        let accumulated = compute(&mut w, Op::VCvtPkaccumU8F32, Mods::None, &src[..2]);
        for lane in 0..64 {
            let value = f64::from(values[lane]);
            let rounded = match round % 4 {
                0 => value.round_ties_even(),
                1 => value.ceil(),
                2 => value.floor(),
                _ => value.trunc(),
            };
            let byte = if value.is_nan() { 0 } else { rounded.clamp(0.0, 255.0) as u8 };
            let mut bytes = src[2].0[lane].to_le_bytes();
            bytes[src[1].0[lane] as usize % 4] = byte;
            assert_eq!(got.0[lane].to_le_bytes(), bytes, "{value} in mode {}", round % 4);
            assert_eq!(accumulated.0[lane].to_le_bytes(), bytes, "{value} accumulated");
        }
    }
    // Two signed halves saturated to bytes.
    let src = random.lanes();
    let got = compute(&mut wave(1), Op::VSatPkU8I16, Mods::None, &[src]);
    for lane in 0..64 {
        let byte = |half: u32| i32::from(half as u16 as i16).clamp(0, 255) as u32;
        assert_eq!(got.0[lane] & 0xffff, byte(src.0[lane]) | byte(src.0[lane] >> 16) << 8);
    }
}
