//! Specialised code for some modes, against the code for any mode.

use crate::valu::tests::*;

/// Denormals of f32 are zero.
const FLUSHING: Mode = Mode(0x3c0);
/// The same, and f16 and f64 are rounded up: another path for what is of f32 only.
const FLUSHING_AND_F64_UP: Mode = Mode(0x3c4);
/// The same, and f32 is rounded up: another path for what is of f16 and f64 only.
const FLUSHING_AND_F32_UP: Mode = Mode(0x3c1);

/// Random numbers, a quarter of them denormal or zero.
fn numbers(random: &mut Random, fraction: u32) -> Lanes {
    Lanes(std::array::from_fn(|_| {
        let bits = random.next();
        let sign_and_fraction = 1 << 31 | fraction;
        bits as u32 & if bits >> 62 == 0 { sign_and_fraction } else { !0 }
    }))
}

/// Which NaN comes out is the host's choice.
fn same(mnemonic: &str, left: [u32; 2], right: [u32; 2]) -> bool {
    let nan32 = |bits: u32| f32::from_bits(bits).is_nan();
    let nan64 = |[low, high]: [u32; 2]| f64::from_bits(u64::from(low) | u64::from(high) << 32).is_nan();
    let nan16 = |bits: u32| bits & 0x7fff > 0x7c00;
    let halves = |bits: u32| [bits & 0xffff, bits >> 16];
    let half_pairs = |a: u32, b: u32| halves(a).into_iter().zip(halves(b)).all(|(a, b)| a == b || nan16(a) && nan16(b));
    left == right
        || mnemonic.contains("f64") && nan64(left) && nan64(right)
        || mnemonic.contains("f32") && left.iter().zip(right).all(|(a, b)| *a == b || nan32(*a) && nan32(b))
        || mnemonic.contains("f16") && left[1] == right[1] && half_pairs(left[0], right[0])
}

#[test]
fn flushed_denormals_of_f32_are_as_in_any_other_mode() {
    let mut random = Random(70);
    let mut w = wave(71);
    let mut compared = [0; 2];
    for op in Op::ALL {
        let mnemonic = op.mnemonic();
        let of_f32 = mnemonic.contains("f32");
        let of_others = mnemonic.contains("f16") || mnemonic.contains("f64");
        if !mnemonic.starts_with("v_") || of_f32 == of_others || mnemonic.contains("mfma") {
            continue;
        }
        let instruction = inst(*op, Mods::None);
        let Some(function) = alu(&instruction) else { continue };
        compared[usize::from(of_f32)] += 1;
        let other = if of_f32 { FLUSHING_AND_F64_UP } else { FLUSHING_AND_F32_UP };
        for _ in 0..40 {
            // Of f64, the upper registers have the exponents.
            let fraction = if of_f32 {
                0x007f_ffff
            } else if mnemonic.contains("f64") {
                0x000f_ffff
            } else {
                0x83ff_83ff
            };
            let registers: [Lanes; 12] = std::array::from_fn(|_| numbers(&mut random, fraction));
            let vcc = random.next();
            let mut run = |mode| {
                w.mode = mode;
                w.vgpr[..12].copy_from_slice(&registers);
                w.write_scalar64(VCC, vcc);
                function(&mut w, &instruction);
                (w.vgpr[10], w.vgpr[11], w.vcc())
            };
            let (got, want) = (run(FLUSHING), run(other));
            assert_eq!(got.2, want.2, "{mnemonic}: mask");
            for lane in 0..64 {
                let pair = |(low, high, _): &(Lanes, Lanes, u64)| [low.0[lane], high.0[lane]];
                let sources = [1, 2, 3, 4, 5, 6].map(|register: usize| registers[register].0[lane]);
                let (got, want) = (pair(&got), pair(&want));
                assert!(same(mnemonic, got, want), "{mnemonic} of {sources:x?}: {got:x?}, in any mode {want:x?}");
            }
        }
    }
    assert!(compared[0] > 100 && compared[1] > 100, "{compared:?}");
}
