//! Arithmetic on numbers around the borders that it has.

use crate::jit::tests::*;
use gcn_alu::fp::F16;
use gcn_alu::simd::{Simd, simd};

impl Random {
    /// Sign, exponent and fraction of a number with an exponent field of so many bits, which are special now and then.
    /// The exponent is near the borders of steps of a division.
    fn parts(&mut self, exponent_bits: u32, fraction_bits: u32) -> u64 {
        let bias = (1i64 << (exponent_bits - 1)) - 1;
        let highest = 2 * bias + 1;
        let exponent = match self.below(8) {
            0 => 0,
            1 => highest,
            2 => 1 + i64::from(self.below(3)),
            3 => highest - 1 - i64::from(self.below(3)),
            // Around one, and the borders of quotients and of tiny numbers.
            4 => bias + i64::from(self.below(5)) - 2,
            5 => bias + (bias + 1) / 4 * (i64::from(self.below(7)) - 3) + i64::from(self.below(5)) - 2,
            6 => i64::from(fraction_bits) + i64::from(self.below(5)) - 2,
            _ => (self.next() % (highest as u64 + 1)) as i64,
        };
        let fraction = match self.below(4) {
            0 => 0,
            1 => 1 << self.below(fraction_bits.into()),
            2 => self.next() >> self.below(64),
            _ => self.next(),
        } & ((1 << fraction_bits) - 1);
        let sign = self.next() & 1;
        sign << (exponent_bits + fraction_bits) | (exponent.clamp(0, highest) as u64) << fraction_bits | fraction
    }

    /// Three sources of f32 or f64: some are others of them, or as far from them as decides something.
    fn sources(&mut self, [exponent_bits, fraction_bits]: [u32; 2]) -> [u64; 3] {
        let mut sources = [0u64; 3];
        for i in 0..3 {
            sources[i] = match self.below(6) {
                0 if i > 0 => sources[i - 1],
                1 if i > 1 => sources[i - 2],
                2 if i > 0 => {
                    let borders = if fraction_bits == 52 { [1022, 768, 969] } else { [126, 96, 103] };
                    let by = (borders[usize::from(self.below(3))] + u64::from(self.below(3)) - 1) << fraction_bits;
                    let by = if self.chance(2) { by } else { by.wrapping_neg() };
                    sources[i - 1].wrapping_add(by) & (u64::MAX >> (63 - exponent_bits - fraction_bits))
                }
                _ => self.parts(exponent_bits, fraction_bits),
            };
        }
        sources
    }

    /// Three sources of f16: some sums nearly are zero, or nearly in the middle between two numbers.
    fn halves(&mut self) -> [u64; 3] {
        let mut half = || F16(self.parts(5, 10) as u16);
        let [a, b, mut c] = [half(), half(), half()];
        let product = a.to_f32() * b.to_f32();
        match self.below(3) {
            0 => c = F16(F16::from_f32(product).0 ^ 0x8000),
            // Half a unit of the last place of the other one.
            1 => c = F16::from_f32(product * 2f32.powi(11 - i32::from(self.below(23)))),
            _ => {}
        }
        [a, b, c].map(|half| half.0.into())
    }
}

/// Those that need AVX-512: with AVX2 alone they are executed by themselves.
const ONLY_WITH_AVX512: &[Op] = &[
    Op::VDivFixupF64,
    Op::VDivScaleF64,
    Op::VFmaF16,
    Op::VFmaLegacyF16,
    Op::VLdexpF64,
    Op::VMaxF64,
    Op::VMinF64,
    Op::VPkFmaF16,
];

fn is_encoded(op: Op) -> bool {
    simd() == Simd::Avx512 || !ONLY_WITH_AVX512.contains(&op)
}

/// An operation by itself, with sources in one register or two each.
fn same_numbers(op: Op, mode: Mode, registers: usize, mut sources: impl FnMut(&mut Random) -> [u64; 3]) {
    const FIRST: usize = 8;
    let mut random = Random(7);
    for round in 0..600 {
        let mut before = Wave { mode, ..random.wave() };
        for lane in 0..64 {
            for (value, first) in sources(&mut random).into_iter().zip((FIRST..).step_by(registers)) {
                before.vgpr[first].0[lane] = value as u32;
                if registers == 2 {
                    before.vgpr[first + 1].0[lane] = (value >> 32) as u32;
                }
            }
        }
        if random.chance(2) {
            before.set_exec(u64::MAX);
        }
        // Of a quotient that is not scaled.
        if random.chance(2) {
            before.set_vcc(0);
        }
        let nth = |n: u8, count: u8| Operand::Vgpr { first: FIRST as u8 + n * registers as u8, count };
        let mut inst = gcn_isa::inst::Inst::example(op);
        for (n, source) in (0..).zip(&mut inst.src) {
            if let Operand::Vgpr { count, .. } = *source {
                *source = nth(n, count);
            }
        }
        if let Operand::Vgpr { count, .. } = inst.dst[0] {
            // Also a source.
            inst.dst[0] = nth(random.below(4), count);
        }
        if let Operand::Sgpr { .. } = inst.dst[1] {
            inst.dst[1] = Operand::Special { reg: Special::VccLo, count: 2 };
        }
        // Integers have no signs.
        if !matches!(op, Op::VCvtF64I32 | Op::VCvtF64U32) && random.chance(3) {
            let [neg, mut abs, op_sel, op_sel_hi] = std::array::from_fn(|_| random.below(8));
            inst.mods = if op.info().format == Format::Vop3p {
                Mods::Vop3p { op_sel, op_sel_hi, neg_lo: neg, neg_hi: abs, clamp: false }
            } else {
                // The mask is where it would be.
                abs *= u8::from(inst.dst[1] == Operand::None);
                Mods::Vop3 { neg, abs, clamp: false, omod: 0, op_sel: 0 }
            };
        }
        assert_eq!(compile(&inst, mode == FLUSHING).is_some(), is_encoded(op), "{inst}");
        if !is_encoded(op) {
            return;
        }
        let slots = slots(&[inst, gcn_isa::inst::Inst::example(Op::VMovB32)]);
        let (mut wave, mut expected, mut left) = (copy(&before), copy(&before), 2);
        assert_eq!((run_regions(&slots, &mut wave, &mut left), left), (2, 0));
        slots.iter().for_each(|slot| single(slot, &mut expected));
        if let Some(what) = difference(&wave, &expected) {
            let lanes: Vec<_> = (FIRST..FIRST + 3 * registers).map(|register| before.vgpr[register].0).collect();
            let (exec, vcc) = (before.exec(), before.vcc());
            panic!("round {round}, EXEC {exec:#x}, VCC {vcc:#x}: {what}\n{inst}\n{lanes:#x?}");
        }
    }
}

#[test]
fn steps_of_divisions_are_those_of_single_instructions() {
    skip_unless_available!();
    use Op::*;
    for op in [VDivScaleF32, VDivFmasF32, VDivFixupF32, VRsqF32, VExpF32] {
        for mode in [USUAL, FLUSHING] {
            same_numbers(op, mode, 1, |random| random.sources([8, 23]));
        }
    }
    for mode in [USUAL, FLUSHING] {
        // As far as powers of two are numbers, and a little farther.
        same_numbers(VExpF32, mode, 1, |random| {
            [(random.next() as i32 as f32 * 2f32.powi(-23)).to_bits().into(), 0, 0]
        });
    }
    // The other mode has no f64.
    for op in [VDivScaleF64, VDivFmasF64, VDivFixupF64, VRcpF64, VSqrtF64, VRsqF64] {
        same_numbers(op, USUAL, 2, |random| random.sources([11, 52]));
    }
}

#[test]
fn sums_and_products_of_f16_are_those_of_single_instructions() {
    skip_unless_available!();
    use Op::*;
    for op in [VAddF16, VSubF16, VSubrevF16, VMulF16, VFmaF16, VFmaLegacyF16] {
        for mode in [USUAL, FLUSHING] {
            same_numbers(op, mode, 1, Random::halves);
        }
    }
    for op in [VPkAddF16, VPkMulF16, VPkFmaF16] {
        for mode in [USUAL, FLUSHING] {
            same_numbers(op, mode, 1, |random| {
                let [low, high] = [random.halves(), random.halves()];
                std::array::from_fn(|i| low[i] | high[i] << 16)
            });
        }
    }
}

#[test]
fn other_arithmetic_of_f64_is_that_of_single_instructions() {
    skip_unless_available!();
    use Op::*;
    for op in [VMinF64, VMaxF64, VRndneF64, VFloorF64, VCeilF64, VTruncF64, VCvtF32F64] {
        same_numbers(op, USUAL, 2, |random| random.sources([11, 52]));
    }
    same_numbers(VCmpClassF64, USUAL, 2, |random| {
        let [value, ..] = random.sources([11, 52]);
        [value, 1 << random.below(12) | 1 << random.below(12), 0]
    });
    for op in [VCvtF64F32, VCvtF64I32, VCvtF64U32] {
        same_numbers(op, USUAL, 1, |random| random.sources([8, 23]));
    }
    same_numbers(VLdexpF64, USUAL, 2, |random| {
        let [value, ..] = random.sources([11, 52]);
        // As far as from the least number to the largest, and farther.
        let exponent = random.next() as i32 >> random.below(32);
        [value, exponent as u32 as u64, 0]
    });
}

#[test]
fn classes_of_f32_are_those_of_single_instructions() {
    skip_unless_available!();
    for mode in [USUAL, FLUSHING] {
        same_numbers(Op::VCmpClassF32, mode, 1, |random| {
            let [value, ..] = random.sources([8, 23]);
            [value, 1 << random.below(12) | 1 << random.below(12), 0]
        });
    }
}
