//! f16: conversions exhaustively, arithmetic against `rustc_apfloat` in every mode, packed and mixed forms.

use crate::fp::{f16_to_f32, f32_to_f16};
use crate::valu::tests::*;
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

const ROUNDS: [Round; 4] = [Round::NearestTiesToEven, Round::TowardPositive, Round::TowardNegative, Round::TowardZero];

fn half(bits: u16) -> Half {
    Half::from_bits(u128::from(bits))
}

fn to_half(value: f32, round: Round) -> u16 {
    let mut loses = false;
    let half: Half = Single::from_bits(u128::from(value.to_bits())).convert_r(round, &mut loses).value;
    half.to_bits() as u16
}

fn is_nan(bits: u16) -> bool {
    bits & 0x7fff > 0x7c00
}

fn assert_same(got: u16, expected: u16, what: &str) {
    assert!(got == expected || is_nan(got) && is_nan(expected), "{what}: {got:#06x}, expected {expected:#06x}");
}

#[test]
fn every_half_widens_exactly_and_comes_back() {
    for bits in 0..=u16::MAX {
        let mut loses = false;
        let single: Single = half(bits).convert(&mut loses).value;
        let wide = f16_to_f32(bits);
        if is_nan(bits) {
            assert!(wide.is_nan());
            assert_eq!(f32_to_f16(wide), bits | 0x200);
        } else {
            assert_eq!(u128::from(wide.to_bits()), single.to_bits(), "{bits:#x}");
            assert_eq!(f32_to_f16(wide), bits);
        }
    }
}

#[test]
fn narrowing_rounds_as_the_mode_says() {
    let mut random = Random(30);
    for n in 0..4000u32 {
        // Around every sixteenth half: the value, the midpoint to the next one, and their neighbours; and random bits.
        let low = f16_to_f32(((n * 16) & 0x7bff) as u16);
        let middle = (f64::from(low) + f64::from(f16_to_f32(((n * 16) & 0x7bff) as u16 + 1))) as f32 / 2.0;
        let src = Lanes(std::array::from_fn(|lane| {
            let bits = match lane {
                0..8 => low.to_bits().wrapping_add(lane as u32 / 2).wrapping_sub(2),
                8..16 => middle.to_bits().wrapping_add(lane as u32 / 2).wrapping_sub(6),
                _ => random.next() as u32 & 0x8fff_ffff | 0x3000_0000,
            };
            bits ^ (lane as u32 & 1) << 31
        }));
        let round = n % 4;
        let mut w = wave(1);
        w.mode = Mode(0x3f0 | round << 2);
        let got = compute(&mut w, Op::VCvtF16F32, Mods::None, &[src]);
        let rtz = compute(&mut w, Op::VCvtPkrtzF16F32, Mods::None, &[src, src]);
        for lane in 0..64 {
            let x = f32::from_bits(src.0[lane]);
            assert_same(got.0[lane] as u16, to_half(x, ROUNDS[round as usize]), &format!("{x:e} round {round}"));
            assert_same(rtz.0[lane] as u16, to_half(x, Round::TowardZero), &format!("{x:e} to zero"));
            assert_eq!(rtz.0[lane] >> 16, rtz.0[lane] & 0xffff);
        }
    }
}

#[test]
fn arithmetic() {
    let mut random = Random(31);
    for n in 0..400u32 {
        let round = n % 4;
        let r = ROUNDS[round as usize];
        let mut w = wave(1);
        w.mode = Mode(0x3f0 | round << 2);
        let src: [Lanes; 3] = std::array::from_fn(|_| {
            // Any bits, and exponents near one: sums that cancel and products on rounding borders.
            let near = random.next() & 1 == 0;
            Lanes(random.lanes().0.map(|x| if near { x & 0x87ff_87ff | 0x3800_3800 } else { x }))
        });
        type Reference = fn([Half; 3], Round) -> Half;
        let table: [(Op, Reference); 5] = [
            (Op::VAddF16, |[a, b, _], r| a.add_r(b, r).value),
            (Op::VSubF16, |[a, b, _], r| a.sub_r(b, r).value),
            (Op::VMulF16, |[a, b, _], r| a.mul_r(b, r).value),
            (Op::VFmaF16, |[a, b, c], r| a.mul_add_r(b, c, r).value),
            (Op::VFmaLegacyF16, |[a, b, c], r| a.mul_add_r(b, c, r).value),
        ];
        for (op, f) in table {
            let got = compute(&mut w, op, Mods::None, &src);
            for lane in 0..64 {
                let halves = src.map(|s| half(s.0[lane] as u16));
                let expected = f(halves, r).to_bits() as u16;
                assert_same(got.0[lane] as u16, expected, &format!("{op:?} {halves:?} round {round}"));
            }
        }
        let packed: [(Op, Reference); 3] = [
            (Op::VPkAddF16, |[a, b, _], r| a.add_r(b, r).value),
            (Op::VPkMulF16, |[a, b, _], r| a.mul_r(b, r).value),
            (Op::VPkFmaF16, |[a, b, c], r| a.mul_add_r(b, c, r).value),
        ];
        for (op, f) in packed {
            let bits = random.next() as u32;
            let field = |n: u32| (bits >> (3 * n) & 7) as u8;
            let (op_sel, op_sel_hi, neg_lo, neg_hi) = (field(0), field(1), field(2), field(3));
            let mods = Mods::Vop3p { op_sel, op_sel_hi, neg_lo, neg_hi, clamp: false };
            let got = compute(&mut w, op, mods, &src);
            for lane in 0..64 {
                let result = |sel: u8, neg: u8| {
                    let halves = std::array::from_fn(|n| {
                        let value = src[n].0[lane] >> (16 * (sel >> n & 1)) & 0xffff;
                        half(value as u16 ^ u16::from(neg >> n & 1) << 15)
                    });
                    f(halves, r).to_bits() as u16
                };
                assert_same(got.0[lane] as u16, result(op_sel, neg_lo), &format!("{op:?} low"));
                assert_same((got.0[lane] >> 16) as u16, result(op_sel_hi, neg_hi), &format!("{op:?} high"));
            }
        }
    }
}

#[test]
fn high_halves_are_zeroed_kept_or_chosen() {
    let mut w = wave(1);
    let old = w.vgpr[10].0[0];
    let one = Lanes([0x4000_3c00; 64]);
    let plain = compute(&mut w, Op::VAddF16, Mods::None, &[one, one]).0[0];
    assert_eq!(plain, 0x4000, "zeroed");
    w.vgpr[10].0[0] = old;
    let kept = compute(&mut w, Op::VFmaF16, Mods::None, &[one, one, one]).0[0];
    assert_eq!(kept, old & 0xffff_0000 | 0x4000, "kept");
    // 2 * 1 + 2 = 4 into the high half.
    let op_sel = |op_sel| Mods::Vop3 { neg: 0, abs: 0, clamp: false, omod: 0, op_sel };
    let high = compute(&mut w, Op::VFmaF16, op_sel(0b1101), &[one, one, one]).0[0];
    assert_eq!(high, 0x4400_4000, "chosen");
}

#[test]
fn mixed_precision() {
    let mods = |op_sel, op_sel_hi, neg_lo, neg_hi| Mods::Vop3p { op_sel, op_sel_hi, neg_lo, neg_hi, clamp: false };
    let mut w = wave(1);
    // Source 0: halves 1.5 (low) and -2 (high); source 1: 3.0f; source 2: 0.25f.
    let src = [Lanes([0xc000_3e00; 64]), Lanes([3f32.to_bits(); 64]), Lanes([0.25f32.to_bits(); 64])];
    let f = |w: &mut Wave, m| f32::from_bits(compute(w, Op::VFmaMixF32, m, &src).0[9]);
    assert_eq!(f(&mut w, mods(0, 1, 0, 0)), 4.75);
    assert_eq!(f(&mut w, mods(1, 1, 0, 0)), -5.75);
    assert_eq!(f(&mut w, mods(1, 1, 0, 1)), 6.25, "neg_hi is the absolute value");
    assert_eq!(f(&mut w, mods(1, 1, 1, 1)), -5.75);
    assert_eq!(f(&mut w, mods(0, 1, 4, 0)), 4.25);
    w.vgpr[10] = Lanes([0x1234_5678; 64]);
    assert_eq!(compute(&mut w, Op::VFmaMixloF16, mods(0, 1, 0, 0), &src).0[9], 0x1234_44c0);
    assert_eq!(compute(&mut w, Op::VFmaMixhiF16, mods(0, 1, 0, 0), &src).0[9], 0x44c0_44c0);
}

#[test]
fn dot_product_of_halves() {
    // 1 * 3 + 2 * 4 + 0.5
    let src = [Lanes([0x4000_3c00; 64]), Lanes([0x4400_4200; 64]), Lanes([0.5f32.to_bits(); 64])];
    let mods = Mods::Vop3p { op_sel: 0, op_sel_hi: 7, neg_lo: 0, neg_hi: 0, clamp: false };
    assert_eq!(f32::from_bits(compute(&mut wave(1), Op::VDot2F32F16, mods, &src).0[0]), 11.5);
    let mut w = wave(1);
    w.vgpr[10] = src[2];
    assert_eq!(f32::from_bits(compute(&mut w, Op::VDot2cF32F16, Mods::None, &src[..2]).0[0]), 11.5);
}

/// The addend is an f32 that counts as zero if it is denormal, in every mode; denormal halves count as they are.
#[test]
fn dot_product_of_halves_with_denormals() {
    let zero = Lanes::ZERO;
    let mods = |clamp| Mods::Vop3p { op_sel: 0, op_sel_hi: 7, neg_lo: 0, neg_hi: 0, clamp };
    for mode in [0x3f0, 0x3c0, 0x3f3] {
        for (addend, expected) in [(1, 0), (0x7f_ffff, 0), (0x80_0000, 0x80_0000), (0x3f80_0000, 0x3f80_0000)] {
            let addend = Lanes([addend; 64]);
            let mut w = wave(1);
            w.mode = Mode(mode);
            for clamp in [false, true] {
                let got = compute(&mut w, Op::VDot2F32F16, mods(clamp), &[zero, zero, addend]);
                assert_eq!(got.0[5], expected, "{:#x}, mode {mode:#x}", addend.0[5]);
            }
            w.vgpr[10] = addend;
            let got = compute(&mut w, Op::VDot2cF32F16, Mods::None, &[zero, zero]);
            assert_eq!(got.0[5], expected, "accumulated {:#x}, mode {mode:#x}", addend.0[5]);
        }
        // 2^-24 * 1 + 2^-24 * 2, plus a denormal.
        let mut w = wave(1);
        w.mode = Mode(mode);
        let src = [Lanes([0x0001_0001; 64]), Lanes([0x4000_3c00; 64]), Lanes([0x8000_0001; 64])];
        assert_eq!(f32::from_bits(compute(&mut w, Op::VDot2F32F16, mods(false), &src).0[5]), 3.0 * 2f32.powi(-24));
    }
}
