//! Aligned sums, on every vector instruction set of this processor, against the same steps in exact integers, one
//! element at a time.

use crate::mfma::tests::bits::{check_on, same_f32, sum_of, sums};
use crate::mfma::tests::*;

/// A format of factors.
#[derive(Clone, Copy)]
pub struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
    /// No infinities, and one NaN, in place of negative zero.
    fnuz: bool,
    /// How many products are added at once.
    group: usize,
    /// Even and odd ones apart.
    apart: bool,
}

const fn ieee(exponent_bits: u32, fraction_bits: u32, group: usize) -> Format {
    Format { exponent_bits, fraction_bits, fnuz: false, group, apart: false }
}

const fn byte(exponent_bits: u32) -> Format {
    Format { exponent_bits, fraction_bits: 7 - exponent_bits, fnuz: true, group: 16, apart: true }
}

pub const F16: Format = ieee(5, 10, 8);
pub const BF16: Format = ieee(8, 7, 8);
/// Of what is left of an f32.
const XF32: Format = ieee(8, 10, 4);
const FP8: Format = byte(4);
const BF8: Format = byte(5);

/// A number as it is written: `significand * 2^(exponent - fraction bits)`.
#[derive(Clone, Copy)]
enum Factor {
    Special(f64),
    Finite { significand: i128, exponent: i32, fraction: i32 },
}

impl Format {
    fn factor(self, bits: u32) -> Factor {
        let Format { exponent_bits: e, fraction_bits: f, .. } = self;
        let (negative, field) = (bits >> (e + f) & 1 != 0, bits >> f & ((1 << e) - 1));
        let fraction = i128::from(bits & ((1 << f) - 1));
        let highest = !self.fnuz && field == (1 << e) - 1;
        if highest && fraction != 0 || self.fnuz && bits & 0xff == 0x80 {
            return Factor::Special(f64::NAN);
        }
        if highest {
            return Factor::Special(if negative { f64::NEG_INFINITY } else { f64::INFINITY });
        }
        let bias = (1 << (e - 1)) - if self.fnuz { 0 } else { 1 };
        let magnitude = if field == 0 { fraction } else { fraction + (1 << f) };
        Factor::Finite {
            significand: if negative { -magnitude } else { magnitude },
            exponent: field.max(1) as i32 - bias,
            fraction: f as i32,
        }
    }
}

fn value(factor: Factor) -> f64 {
    match factor {
        Factor::Special(value) => value,
        Factor::Finite { significand, exponent, fraction } => significand as f64 * f64::powi(2.0, exponent - fraction),
    }
}

/// `significand * 2^exponent` in units of 2^unit, rounded down.
fn down(significand: i128, exponent: i32, unit: i32) -> i128 {
    if exponent >= unit { significand << (exponent - unit) } else { significand >> (unit - exponent).min(126) }
}

/// The exponent and the sum, in units of 2^-24 below it, of products. There is none of zeros.
fn cut(pairs: &[[Factor; 2]]) -> Option<(i32, i128)> {
    let products: Vec<_> = pairs
        .iter()
        .filter_map(|&[a, b]| match (a, b) {
            (
                Factor::Finite { significand: a, exponent: x, fraction: f },
                Factor::Finite { significand: b, exponent: y, fraction: g },
            ) if a * b != 0 => Some((a * b, x + y, f + g)),
            _ => None,
        })
        .collect();
    let largest = products.iter().map(|product| product.1).max()?;
    let toward_zero = |&(product, exponent, fraction): &(i128, i32, i32)| {
        product.signum() * down(product.abs(), exponent - fraction, largest - 24)
    };
    Some((largest, products.iter().map(toward_zero).sum()))
}

fn group_sum(apart: bool, pairs: &[[Factor; 2]], c: f32) -> f32 {
    let infinite = pairs.iter().map(|pair| value(pair[0]) * value(pair[1]));
    let infinite = infinite.map(|p| if p.abs() >= f64::powi(2.0, 128) { f64::INFINITY.copysign(p) } else { p });
    let infinite: Vec<_> = infinite.chain([f64::from(c)]).filter(|term| !term.is_finite()).collect();
    if !infinite.is_empty() {
        return infinite.iter().sum::<f64>() as f32;
    }
    let every_second = |first: usize| cut(&pairs[first..].iter().copied().step_by(2).collect::<Vec<_>>());
    let products = match apart {
        false => cut(pairs),
        true => match (every_second(0), every_second(1)) {
            (Some((even, a)), Some((odd, b))) => {
                let unit = even.max(odd) - 24;
                Some((even.max(odd), down(a, even - 24, unit) + down(b, odd - 24, unit)))
            }
            (one, other) => one.or(other),
        },
    };
    let (field, fraction) = (c.to_bits() >> 23 & 0xff, i128::from(c.to_bits() & 0x7f_ffff));
    let magnitude = if field == 0 { fraction } else { fraction + (1 << 23) };
    let (c_exponent, c) = (field.max(1) as i32 - 127, if c < 0.0 { -magnitude } else { magnitude });
    let largest = products.map_or(c_exponent, |(exponent, _)| exponent.max(c_exponent));
    let products = products.map_or(0, |(exponent, sum)| down(sum, exponent - 24, largest - 32));
    let c = if apart && c_exponent < largest - 25 { 0 } else { down(c, c_exponent - 23, largest - 24) };
    let total = products + (c << 8);
    let exponent = (total.unsigned_abs().max(1).ilog2() as i32 + largest - 32).max(-126);
    let total = down(total, largest - 32, exponent - 31);
    (total as f64 * f64::powi(2.0, exponent - 31)) as f32
}

/// The element of D, of the elements of A and B along K.
pub fn sum_of_groups(a: Format, b: Format, pairs: &[(u32, u32)], c: u32) -> u32 {
    let pairs: Vec<_> = pairs.iter().map(|&(x, y)| [a.factor(x), b.factor(y)]).collect();
    pairs.chunks(a.group).fold(f32::from_bits(c), |sum, pairs| group_sum(a.apart, pairs, sum)).to_bits()
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as u32) % limit
    }
}

/// Numbers whose exponents are in a range, so that some products are far below others, and few other bits.
struct Numbers {
    random: Random,
    format: Format,
    lowest: u32,
    range: u32,
}

impl Numbers {
    fn new(seed: u64, format: Format) -> Numbers {
        let mut random = Random(seed);
        let all = (1 << format.exponent_bits) - 1;
        let range = 1 + random.below(all.min(40));
        let lowest = random.below(all - range + 1);
        Numbers { random, format, lowest, range }
    }

    fn next(&mut self) -> u32 {
        let Format { exponent_bits: e, fraction_bits: f, .. } = self.format;
        let random = &mut self.random;
        let (any, sign) = (random.below(1 << (e + f)), random.below(2) << (e + f));
        match random.below(64) {
            0 => sign,
            1 => sign | any,
            2 => sign | any & ((1 << f) - 1),
            // Powers of two.
            3..=20 => sign | (self.lowest + random.below(self.range)) << f,
            _ => sign | (self.lowest + random.below(self.range)) << f | any & ((1 << f) - 1),
        }
    }

    /// C, about as large as a product or far below.
    fn addend(&mut self) -> u32 {
        let bias = 1 << (self.format.exponent_bits - 1);
        let exponent = 2 * (self.lowest as i32 - bias) + self.random.below(2 * self.range + 60) as i32 - 40;
        let field = (exponent + 127).clamp(0, 254) as u32;
        let random = &mut self.random;
        let (any, sign) = (random.below(1 << 31), random.below(2) << 31);
        match random.below(64) {
            0 => sign,
            1 => sign | any,
            2..=20 => sign | field << 23,
            _ => sign | field << 23 | any & 0x7f_ffff,
        }
    }
}

const A_AND_B: [Operand; 2] = [Operand::Vgpr { first: 0, count: 2 }, Operand::Vgpr { first: 8, count: 2 }];

#[test]
fn a_gfx942_adds_halves_in_groups() {
    let [a, b] = A_AND_B;
    for level in Simd::usable() {
        for shape in ALL.into_iter().filter(|shape| matches!(shape.1, Type::F16 | Type::Bf16x4)) {
            for seed in 0..40 {
                let wave = || {
                    let mut numbers = Numbers::new(seed, if shape.1 == Type::F16 { F16 } else { BF16 });
                    let mut wave = Wave::default();
                    for register in [0, 1, 8, 9] {
                        wave.vgpr[register].0.fill_with(|| numbers.next() | numbers.next() << 16);
                    }
                    wave.vgpr[ACCUMULATION..ACCUMULATION + 32]
                        .iter_mut()
                        .for_each(|register| register.0.fill_with(|| numbers.addend()));
                    wave
                };
                check_on(Target::Gfx942, shape, wave, [a, b, sums(shape, 0), sums(shape, 0)], level);
            }
        }
    }
}

#[test]
fn narrow_elements_are_added_in_groups() {
    for (op, size, k, a, b) in [
        (Op::VMfmaF3216x16x8Xf32, 16, 8, XF32, XF32),
        (Op::VMfmaF3232x32x4Xf32, 32, 4, XF32, XF32),
        (Op::VMfmaF3216x16x32Fp8Fp8, 16, 32, FP8, FP8),
        (Op::VMfmaF3216x16x32Fp8Bf8, 16, 32, FP8, BF8),
        (Op::VMfmaF3216x16x32Bf8Fp8, 16, 32, BF8, FP8),
        (Op::VMfmaF3216x16x32Bf8Bf8, 16, 32, BF8, BF8),
        (Op::VMfmaF3232x32x16Fp8Fp8, 32, 16, FP8, FP8),
        (Op::VMfmaF3232x32x16Fp8Bf8, 32, 16, FP8, BF8),
        (Op::VMfmaF3232x32x16Bf8Fp8, 32, 16, BF8, FP8),
        (Op::VMfmaF3232x32x16Bf8Bf8, 32, 16, BF8, BF8),
    ] {
        for seed in 0..60 {
            let (mut of_a, mut of_b) = (Numbers::new(seed, a), Numbers::new(seed + 1000, b));
            let mut wave = Wave::default();
            for (first, numbers, cut) in [(0, &mut of_a, 7), (8, &mut of_b, 9)] {
                for register in &mut wave.vgpr[first..first + 2] {
                    register.0.fill_with(|| match numbers.format.fnuz {
                        true => (0..4).fold(0, |word, _| word << 8 | numbers.next()),
                        // Bits that do not count.
                        false => numbers.next() << 13 | cut,
                    });
                }
            }
            let registers = size * size / LANES;
            wave.vgpr[16..16 + registers].iter_mut().for_each(|sum| sum.0.fill_with(|| of_b.addend()));
            let before = wave.vgpr.to_vec();
            let [low, high] = A_AND_B;
            let d = Operand::Vgpr { first: 16, count: registers as u8 };
            let inst = Inst {
                op,
                format: gcn_isa::inst::Format::Vop3p,
                target: Target::Gfx942,
                len: 8,
                dst: [d, Operand::None],
                src: [low, high, d, Operand::None],
                mods: Mods::Mfma { cbsz: 0, abid: 0, blgp: 0 },
            };
            lower(&inst).expect("an MFMA operation")(&mut wave, &inst);
            let count = k * size / LANES;
            let element = |first: usize, format: Format, line: usize, place: usize| {
                let (lane, n) = (line + size * (place / count), place % count);
                match format.fnuz {
                    true => before[first + n / 4].0[lane] >> (n % 4 * 8) & 0xff,
                    false => before[first + n].0[lane] >> 13,
                }
            };
            for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
                let pairs: Vec<_> =
                    (0..k).map(|place| (element(0, a, row, place), element(8, b, column, place))).collect();
                let (register, lane) = accumulator(size, 0, row, column);
                let (got, c) = (wave.vgpr[16 + register].0[lane], before[16 + register].0[lane]);
                let expected = sum_of_groups(a, b, &pairs, c);
                assert!(
                    same_f32(got, expected),
                    "{} seed {seed} row {row} column {column}: {got:#x}, expected {expected:#x}",
                    op.mnemonic()
                );
            }
        }
    }
}

/// The bits of an f16 that is a power of two, or 0.
fn f16(value: f32) -> u16 {
    if value == 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    (bits >> 16 & 0x8000 | ((bits >> 23 & 0xff) - 112) << 10) as u16
}

#[test]
fn chips_add_halves_differently() {
    let power = |exponent: i32| f32::powi(2.0, exponent);
    let all = |a: [f32; 4], b: [f32; 4], c: f32| {
        [Target::Gfx908, Target::Gfx90a, Target::Gfx942]
            .map(|target| sum_of(target, Op::VMfmaF324x4x4f16, a.map(f16), b.map(f16), c.to_bits()))
    };
    // What is far below the first product is lost before that is gone, or some of it.
    let (a, b) = ([-power(13), -0.5, -0.25, -0.125], [power(10), 1.0, 1.0, 1.0]);
    assert_eq!(all(a, b, power(23)), [0xbf60_0000, 0, 0xbf00_0000]);
    // A sum that does not fit an f32 by itself.
    let (a, c) = ([power(12), 1.0, 0.0, 0.0], 1.0);
    assert_eq!(all(a, a, c), [0x4b80_0000, 0x4b80_0000, 0x4b80_0001]);
    // A C below 0 is rounded down, however small it is.
    let a = [power(12), 0.0, 0.0, 0.0];
    assert_eq!(all(a, a, -power(-10)), [0x4b80_0000, 0x4b80_0000, 0x4b7f_ffff]);
    assert_eq!(all(a, a, power(-10)), [0x4b80_0000; 3]);
    // So is a sum far below C, here to one that is half way between two f32.
    let a = [1.0, power(-10), 0.0, 0.0];
    assert_eq!(all(a, a, power(24)), [0x4b80_0000, 0x4b80_0001, 0x4b80_0000]);
}
