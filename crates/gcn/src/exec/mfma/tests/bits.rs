//! Any bits, with every instruction set of this processor, against sums in the order of K, an element at a time.

use super::*;
use crate::exec::float::f16_to_f32;

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

fn levels() -> impl Iterator<Item = Simd> {
    [Simd::Baseline, Simd::Avx2, Simd::Avx512].into_iter().filter(|&level| level <= simd())
}

fn same_f32(got: u32, expected: u32) -> bool {
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

/// Runs `shape` with C in the accumulation registers from `c` on and D from `d` on, A and B as the operands say.
fn check(shape: (Op, Type, usize, usize, usize), seed: u64, [a, b, c, d]: [Operand; 4], level: Simd) {
    let (op, ty, size, k, blocks) = shape;
    let mut wave = Bits(seed).wave();
    let before = Bits(seed).wave();
    let inst = Inst {
        op,
        format: Format::Vop3p,
        target: Target::Gfx90a,
        len: 8,
        dst: [d, Operand::None],
        src: [a, b, c, Operand::None],
        mods: Mods::Mfma { cbsz: 0, abid: 0, blgp: 0 },
    };
    lower_for(&inst, level).expect("an MFMA operation")(&mut wave, &inst);
    let [a, b, c, d] = [a, b, c, d].map(|operand| vector_index(operand).unwrap_or(0));
    let mut expected = Bits(seed).wave();
    for block in 0..blocks {
        for row in 0..size {
            for column in 0..size {
                let (register, lane) = accumulator(size, block, row, column);
                expected.vgpr[d + register].0[lane] =
                    (0..k).fold(before.vgpr[c + register].0[lane], |sum, position| {
                        let a = element(&before, a, shape, block, row, position);
                        multiply_add(ty, a, element(&before, b, shape, block, column, position), sum)
                    });
            }
        }
    }
    for (index, (got, expected)) in wave.vgpr.iter().zip(expected.vgpr.iter()).enumerate() {
        for (lane, (&got, &expected)) in got.0.iter().zip(&expected.0).enumerate() {
            let same = if ty == Type::I8 { got == expected } else { same_f32(got, expected) };
            assert!(same, "{} {level:?} register {index} lane {lane}: {got:#x}, expected {expected:#x}", op.mnemonic());
        }
    }
}

/// A register operand of as many registers as the shape's sums have.
fn sums(shape: (Op, Type, usize, usize, usize), first: u8) -> Operand {
    Operand::Agpr { first, count: (shape.2 * shape.2 * shape.4 / LANES) as u8 }
}

#[test]
fn sums_are_those_of_single_elements() {
    let (a, b) = (Operand::Vgpr { first: 0, count: 2 }, Operand::Vgpr { first: 8, count: 2 });
    for level in levels() {
        for (number, shape) in ALL.into_iter().enumerate() {
            for seed in 0..8 {
                check(shape, 100 * number as u64 + seed, [a, b, sums(shape, 0), sums(shape, 0)], level);
            }
        }
    }
}

#[test]
fn all_sources_are_read_before_a_register_is_written() {
    for level in levels() {
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
        for level in levels() {
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
