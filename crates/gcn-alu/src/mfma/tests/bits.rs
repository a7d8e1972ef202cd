//! Random bits, on every vector instruction set of this processor, against sums in the order of K of single elements.

use crate::fp::f16_to_f32;
use crate::mfma::tests::sum_aligned;
use crate::mfma::tests::sum_aligned::sum_of_groups;
use crate::mfma::tests::*;

/// Bits that are likely to show a difference, and any others.
struct Bits(u64);

impl Bits {
    fn next(&mut self) -> u32 {
        const SPECIAL: [u32; 16] = [
            0,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x0000_0001,
            0x807f_ffff,
            0x0080_0000,
            0x7f7f_ffff,
            0x3c00_bc00,
            0x7c00_fc00,
            0x0001_83ff,
            0x7fff_7fff,
            0x807f_7f80,
            0xffff_ffff,
        ];
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let bits = (self.0 >> 32) as u32;
        match bits >> 28 {
            0 => SPECIAL[bits as usize % 16],
            // Near 1 in all types of 16 and 32 bits, so that sums round rather than overflow.
            1..=11 => 0x3f00_3f00 | bits & 0x80ff_80ff,
            _ => bits,
        }
    }

    /// A wave with such bits in all its vector registers.
    fn wave(&mut self) -> Wave {
        let mut wave = Wave::default();
        wave.vgpr.iter_mut().for_each(|register| register.0.iter_mut().for_each(|lane| *lane = self.next()));
        wave
    }
}

pub fn same_f32(got: u32, expected: u32) -> bool {
    got == expected || f32::from_bits(got).is_nan() && f32::from_bits(expected).is_nan()
}

/// Element `position` along K of a row or column `line` of a block, from registers that begin at `first`.
fn element(
    wave: &Wave,
    first: usize,
    shape: (Op, Type, usize, usize, usize),
    block: usize,
    line: usize,
    position: usize,
) -> u32 {
    let (_, ty, size, k, _) = shape;
    let lane = line + size * (position / ty.pack() + k / ty.pack() * block);
    let width = ty.encode(0).1;
    let bit = position % ty.pack() * width;
    wave.vgpr[first + bit / 32].0[lane] >> (bit % 32)
}

fn multiply_add(ty: Type, a: u32, b: u32, sum: u32) -> u32 {
    let wide = |bits: u32| match ty {
        Type::F16 => f16_to_f32(bits as u16),
        Type::Bf16 | Type::Bf16x4 => f32::from_bits(bits << 16),
        _ => f32::from_bits(bits),
    };
    match ty {
        Type::I8 => (i32::from(a as i8) * i32::from(b as i8)).wrapping_add(sum as i32) as u32,
        _ => wide(a).mul_add(wide(b), f32::from_bits(sum)).to_bits(),
    }
}

/// The sum of the four or two products, as MMA-Sim has it of gfx90a, in numbers that are not flushed by themselves.
fn add_flushed(ty: Type, pairs: &[(u32, u32)], sum: f32) -> f32 {
    let wide = |bits: u32| match ty {
        Type::F16 if bits & 0x7c00 == 0 => 0.0,
        Type::F16 => f64::from(f16_to_f32(bits as u16)),
        _ if bits & 0x7f80 == 0 => 0.0,
        _ => f64::from(f32::from_bits(bits << 16)),
    };
    // f64 has room for each product, and for the exact sum of two f32 unless they are too far apart to matter.
    let flush = |exact: f64| match exact as f32 {
        denormal if denormal.is_subnormal() => 0f32.copysign(denormal),
        other => other,
    };
    let products: Vec<f32> = pairs.iter().map(|&(a, b)| flush(wide(a) * wide(b))).collect();
    let mut sums = products;
    while sums.len() > 1 {
        sums = sums.chunks(2).map(|pair| flush_sum(pair[0], pair[1])).collect();
    }
    flush_sum(sum, sums[0])
}

fn flush_sum(a: f32, b: f32) -> f32 {
    let sum = a + b;
    if sum.is_subnormal() { 0f32.copysign(sum) } else { sum }
}

/// The element of D of a chip.
fn expected_sum(target: Target, ty: Type, pairs: &[(u32, u32)], c: u32) -> u32 {
    if target == Target::Gfx90a && matches!(ty, Type::F16 | Type::Bf16 | Type::Bf16x4) {
        let c = if c & 0x7f80_0000 == 0 { 0.0 } else { f32::from_bits(c) };
        return pairs.chunks(ty.pack()).fold(c, |sum, pairs| add_flushed(ty, pairs, sum)).to_bits();
    }
    match (target, ty) {
        (Target::Gfx942, Type::F16) => sum_of_groups(sum_aligned::F16, sum_aligned::F16, pairs, c),
        (Target::Gfx942, Type::Bf16 | Type::Bf16x4) => sum_of_groups(sum_aligned::BF16, sum_aligned::BF16, pairs, c),
        _ => pairs.iter().fold(c, |sum, &(a, b)| multiply_add(ty, a, b, sum)),
    }
}

/// Runs `shape` with C in the accumulation registers from `c` on and D from `d` on, A and B as the operands say.
fn check(shape: (Op, Type, usize, usize, usize), seed: u64, operands: [Operand; 4], level: Simd) {
    for &target in Target::ALL {
        check_on(target, shape, || Bits(seed).wave(), operands, level);
    }
}

/// Runs `shape` on a wave as `wave` gives it.
pub fn check_on(
    target: Target,
    shape: (Op, Type, usize, usize, usize),
    wave: impl Fn() -> Wave,
    [a, b, c, d]: [Operand; 4],
    level: Simd,
) {
    let (op, ty, size, k, blocks) = shape;
    let (before, mut expected) = (wave(), wave());
    let mut wave = wave();
    let inst = Inst {
        op,
        format: Format::Vop3p,
        target,
        len: 8,
        dst: [d, Operand::None],
        src: [a, b, c, Operand::None],
        mods: Mods::Mfma { cbsz: 0, abid: 0, blgp: 0 },
    };
    lower_for(&inst, level).expect("an MFMA operation")(&mut wave, &inst);
    let [a, b, c, d] = [a, b, c, d].map(|operand| vector_index(operand).unwrap_or(0));
    for block in 0..blocks {
        for row in 0..size {
            for column in 0..size {
                let (register, lane) = accumulator(size, block, row, column);
                let pairs = (0..k).map(|position| {
                    let a = element(&before, a, shape, block, row, position);
                    (a, element(&before, b, shape, block, column, position))
                });
                let c = before.vgpr[c + register].0[lane];
                expected.vgpr[d + register].0[lane] = expected_sum(target, ty, &pairs.collect::<Vec<_>>(), c);
            }
        }
    }
    for (index, (got, expected)) in wave.vgpr.iter().zip(expected.vgpr.iter()).enumerate() {
        for (lane, (&got, &expected)) in got.0.iter().zip(&expected.0).enumerate() {
            let same = if ty == Type::I8 { got == expected } else { same_f32(got, expected) };
            assert!(
                same,
                "{target:?} {} {level:?} register {index} lane {lane}: {got:#x}, expected {expected:#x}",
                op.mnemonic()
            );
        }
    }
}

/// A register operand of as many registers as the shape's sums have.
pub fn sums(shape: (Op, Type, usize, usize, usize), first: u8) -> Operand {
    Operand::Agpr { first, count: (shape.2 * shape.2 * shape.4 / LANES) as u8 }
}

#[test]
fn sums_are_those_of_single_elements() {
    let (a, b) = (Operand::Vgpr { first: 0, count: 2 }, Operand::Vgpr { first: 8, count: 2 });
    for level in Simd::usable() {
        for (number, shape) in ALL.into_iter().enumerate() {
            for seed in 0..8 {
                check(shape, 100 * number as u64 + seed, [a, b, sums(shape, 0), sums(shape, 0)], level);
            }
        }
    }
}

#[test]
fn all_sources_are_read_before_a_register_is_written() {
    for level in Simd::usable() {
        for (number, shape) in ALL.into_iter().enumerate() {
            let inside = |first| Operand::Agpr { first, count: 2 };
            // The sums go one register up, one down, and A and B lie among them.
            check(shape, number as u64, [inside(20), inside(22), sums(shape, 20), sums(shape, 21)], level);
            check(shape, number as u64, [inside(20), inside(22), sums(shape, 21), sums(shape, 20)], level);
        }
    }
}

#[test]
fn sums_of_doubles_are_those_of_single_elements() {
    for (op, size, registers) in [(Op::VMfmaF6416x16x4f64, 16, 8), (Op::VMfmaF644x4x4f64, 4, 2)] {
        for level in Simd::usable() {
            for seed in 0..20 {
                let mut wave = Bits(seed).wave();
                let before = Bits(seed).wave();
                let [a, b, d] = [0, 2, 8].map(|first| Operand::Vgpr { first, count: registers });
                let inst = Inst {
                    op,
                    format: Format::Vop3p,
                    target: Target::Gfx90a,
                    len: 8,
                    dst: [d, Operand::None],
                    src: [a, b, d, Operand::None],
                    mods: Mods::Mfma { cbsz: 0, abid: 0, blgp: 0 },
                };
                lower_for(&inst, level).expect("an MFMA operation")(&mut wave, &inst);
                let double = |wave: &Wave, first: usize, lane: usize| {
                    f64::from_bits(u64::from(wave.vgpr[first].0[lane]) | u64::from(wave.vgpr[first + 1].0[lane]) << 32)
                };
                for (row, lane, pair) in (0..16)
                    .flat_map(|row| (0..16).map(move |column| (row, column)))
                    .filter(|(row, column)| size == 16 || row / 4 == column / 4)
                    .map(|(row, column)| (row, column + 16 * (row % 4), if size == 16 { row / 4 } else { 0 }))
                {
                    let expected = (0..4).fold(double(&before, 8 + 2 * pair, lane), |sum, k| {
                        double(&before, 0, row + 16 * k).mul_add(double(&before, 2, lane % 16 + 16 * k), sum)
                    });
                    let got = double(&wave, 8 + 2 * pair, lane);
                    assert!(
                        got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
                        "{} {level:?} row {row} lane {lane}: {got:e}, expected {expected:e}",
                        op.mnemonic()
                    );
                }
            }
        }
    }
}

/// Bits of the sum of `v_mfma_f32_4x4x4*`, whose lanes all have these elements and `c`.
pub fn sum_of(target: Target, op: Op, a: [u16; 4], b: [u16; 4], c: u32) -> u32 {
    let mut wave = Wave::default();
    let words = |elements: [u16; 4]| [0, 2].map(|k| u32::from(elements[k]) | u32::from(elements[k + 1]) << 16);
    for (first, words) in [(0, words(a)), (2, words(b))] {
        words.iter().enumerate().for_each(|(part, word)| wave.vgpr[first + part] = Lanes([*word; LANES]));
    }
    (8..12).for_each(|register| wave.vgpr[register] = Lanes([c; LANES]));
    let [a, b, d] = [(0, 2), (2, 2), (8, 4)].map(|(first, count)| Operand::Vgpr { first, count });
    let inst = Inst {
        op,
        format: Format::Vop3p,
        target,
        len: 8,
        dst: [d, Operand::None],
        src: [a, b, d, Operand::None],
        mods: Mods::Mfma { cbsz: 0, abid: 0, blgp: 0 },
    };
    lower(&inst).expect("an MFMA operation")(&mut wave, &inst);
    assert!((8..12).all(|register| wave.vgpr[register].0 == [wave.vgpr[8].0[0]; LANES]));
    wave.vgpr[8].0[0]
}

#[test]
fn a_gfx90a_knows_no_denormals_of_halves() {
    const ONE: u16 = 0x3c00;
    let f16 = |target, a, b, c| sum_of(target, Op::VMfmaF324x4x4f16, a, b, c);
    let both = |a, b, c| [Target::Gfx908, Target::Gfx90a].map(|target| f16(target, a, b, c));
    let power = |exponent: i32| f32::powi(2.0, exponent).to_bits();
    // The smallest and the largest denormal, and the smallest number that is none.
    assert_eq!(both([1, 0, 0, 0], [ONE, 0, 0, 0], 0), [power(-24), 0]);
    assert_eq!(both([0, 0, ONE, 0], [0, 0, 0x83ff, 0], 0), [(-1023.0 * f32::powi(2.0, -24)).to_bits(), 0]);
    assert_eq!(both([0x400, 0, 0, 0], [ONE, 0, 0, 0], 0), [power(-14); 2]);
    // C, too, of which nothing stays, not even the sign.
    assert_eq!(both([0; 4], [0; 4], 0x8000_0001), [0x8000_0001, 0]);
    assert_eq!(both([0; 4], [0; 4], 0x0080_0000), [0x0080_0000; 2]);
    // bf16: a product of two that are none, and a sum that is.
    let bf16 = |a, b, c| sum_of(Target::Gfx90a, Op::VMfmaF324x4x4bf161k, a, b, c);
    let number = |exponent: i32| (power(exponent) >> 16) as u16;
    assert_eq!(bf16([number(-70), 0, 0, 0], [number(-70), 0, 0, 0], 0), 0);
    assert_eq!(bf16([number(-63), 0, 0, 0], [number(-63), 0, 0, 0], 0), power(-126));
    let smallest = [number(-63), 0, 0, 0];
    assert_eq!(bf16(smallest, smallest, f32::to_bits(-1.5 * f32::MIN_POSITIVE)), 0x8000_0000);
    assert_eq!(bf16([1, 0, 0, 0], [number(0), 0, 0, 0], 0), 0);
    // Products, sums of two and sums of four that are denormals, though what they would add up to is none.
    let (half, third) = (number(-64), (f32::to_bits(-1.5 * f32::powi(2.0, -63)) >> 16) as u16);
    let ones = [number(-63); 4];
    assert_eq!(bf16([half, half, 0, 0], ones, 0), 0);
    assert_eq!(bf16([number(-63), third, number(-63), third], ones, 0), 0);
    let below = f32::to_bits(-1.5 * f32::MIN_POSITIVE);
    assert_eq!(bf16([number(-63), 0, third, 0], ones, below), below);
}

#[test]
fn a_gfx90a_adds_products_by_pairs() {
    // 1 + 2^-24 rounds to 1, and 2^-24 twice is 2^-23, which counts.
    let (one, small) = (0x3c00, 0x0c00);
    let sum = |target| sum_of(target, Op::VMfmaF324x4x4f16, [one, small, small, small], [one, small, small, small], 0);
    assert_eq!(sum(Target::Gfx90a), f32::to_bits(1.0 + f32::powi(2.0, -23)));
    assert_eq!(sum(Target::Gfx908), f32::to_bits(1.0));
}
