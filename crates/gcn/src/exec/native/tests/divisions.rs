//! The steps of divisions on numbers around the borders that they look at.

use super::*;

impl Random {
    /// Sign, exponent and fraction of a number with an exponent field of so many bits, which are special now and then. The exponent is near the borders of steps of a division.
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

    fn single(&mut self) -> u32 {
        self.parts(8, 23) as u32
    }

    fn double(&mut self) -> u64 {
        self.parts(11, 52)
    }
}

/// Sources of three numbers: some are others of them, or as far from them as decides something.
fn numbers(random: &mut Random, is_double: bool, lane: &mut [u64; 3]) {
    let bits = if is_double { 52 } else { 23 };
    let number = |random: &mut Random| if is_double { random.double() } else { random.single().into() };
    for i in 0..3 {
        lane[i] = match random.below(6) {
            0 if i > 0 => lane[i - 1],
            1 if i > 1 => lane[i - 2],
            2 if i > 0 => {
                let border = if is_double { [1022, 768, 969] } else { [126, 96, 103] }[usize::from(random.below(3))];
                let by = (border + u64::from(random.below(3)) - 1) << bits;
                let other = if random.chance(2) { lane[i - 1].wrapping_add(by) } else { lane[i - 1].wrapping_sub(by) };
                other & if is_double { u64::MAX } else { u32::MAX.into() }
            }
            _ => number(random),
        };
    }
}

/// Each of these by itself, with the same registers in both ways.
fn same_numbers(operations: &[Op], mode: Mode) {
    if simd() != Simd::Avx512 || cfg!(miri) {
        return;
    }
    let mut random = Random(7);
    for &op in operations {
        let is_double = op.mnemonic().ends_with("_f64");
        let step = if is_double { 2 } else { 1 };
        for round in 0..600 {
            let mut inst = example(op);
            let mut before = Wave { mode, ..random.wave() };
            for lane in 0..64 {
                let mut values = [0; 3];
                numbers(&mut random, is_double, &mut values);
                for (value, first) in values.into_iter().zip((8..).step_by(step)) {
                    before.vgpr[first].0[lane] = value as u32;
                    before.vgpr[first + 1].0[lane] = if is_double { (value >> 32) as u32 } else { 0 };
                }
            }
            if random.chance(2) {
                before.set_exec(u64::MAX);
            }
            let first = |i: u8| Operand::Vgpr { first: 8 + i * step as u8, count: step as u8 };
            for (i, source) in (0..3).zip(&mut inst.src) {
                if *source != Operand::None {
                    *source = first(i);
                }
            }
            inst.dst[0] =
                if random.chance(2) { first(random.below(3)) } else { Operand::Vgpr { first: 20, count: step as u8 } };
            if let Operand::Sgpr { .. } = inst.dst[1] {
                inst.dst[1] = Operand::Special { reg: Special::VccLo, count: 2 };
            }
            if random.chance(3) {
                inst.mods = Mods::Vop3 {
                    neg: random.below(8),
                    abs: if inst.dst[1] == Operand::None { random.below(8) } else { 0 },
                    clamp: false,
                    omod: 0,
                    op_sel: 0,
                };
            }
            let slots = slots(&[inst, example(Op::VMovB32)]);
            let compiled = compile(&inst, mode == FLUSHING);
            assert!(compiled.is_some(), "{inst}");
            let (mut wave, mut expected, mut left) = (copy(&before), copy(&before), 2);
            assert_eq!(run_regions(&slots, &mut wave, &mut left), 2);
            slots.iter().for_each(|slot| single(slot, &mut expected));
            if let Some(what) = difference(&wave, &expected) {
                let lane = (0..64).find(|&lane| {
                    (0..64).any(|register: usize| wave.vgpr[register].0[lane] != expected.vgpr[register].0[lane])
                });
                let sources =
                    (8..8 + 3 * step).map(|register| format!("{:#x}", before.vgpr[register].0[lane.unwrap_or(0)]));
                panic!(
                    "round {round}, EXEC {:#x}, VCC {:#x}: {what}\n{inst}\n{:?}",
                    before.exec(),
                    before.vcc(),
                    sources.collect::<Vec<_>>()
                );
            }
        }
    }
}

#[test]
fn steps_of_divisions_are_those_of_single_instructions() {
    use Op::*;
    let singles = [VDivScaleF32, VDivFmasF32, VDivFixupF32, VRsqF32];
    same_numbers(&singles, USUAL);
    same_numbers(&singles, FLUSHING);
    // The other mode has no f64.
    same_numbers(&[VDivScaleF64, VDivFixupF64, VRcpF64, VSqrtF64, VRsqF64], USUAL);
}
