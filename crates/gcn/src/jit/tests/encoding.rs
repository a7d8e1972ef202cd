//! What the encoder emits, as a disassembler reads it. Runs on any host, as nothing is executed.

use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::vmem::{Access, Routines};
use crate::jit::tests::Random;
use crate::jit::x64::assembler::Code;
use crate::jit::x64::strip::{Strip, Width};
use gcn_alu::simd::Simd;
use gcn_isa::inst::{Inst, Operand};
use gcn_isa::op::Op;
use iced_x86::{CpuidFeature, Decoder, DecoderOptions, EncodingKind};
use std::collections::BTreeSet;

/// Instructions, one behind the other up to the last byte, that processors with `isa` have. Gives how many.
fn check(isa: Simd, emit: impl FnOnce(&mut Code)) -> usize {
    let mut code = Code::new(isa);
    emit(&mut code);
    // What lacks something is never executed.
    if !code.is_whole() {
        return 0;
    }
    let length = code.len();
    let bytes = code.finish();
    let mut decoder = Decoder::with_ip(64, &bytes[..length], 0, DecoderOptions::NONE);
    let mut instructions = 0;
    while decoder.can_decode() {
        let instruction = decoder.decode();
        assert!(!instruction.is_invalid(), "at {} of {:02x?}", instruction.ip(), &bytes[..length]);
        let (encoding, needs) = (instruction.encoding(), instruction.cpuid_features());
        if isa == Simd::Avx2 && encoding != EncodingKind::Legacy {
            use CpuidFeature::{AVX, AVX2, BMI1, BMI2, F16C, FMA};
            let has = |feature: &CpuidFeature| [AVX, AVX2, BMI1, BMI2, F16C, FMA].contains(feature);
            assert!(encoding == EncodingKind::VEX && needs.iter().all(has), "{:?}: {needs:?}", instruction.code());
        }
        instructions += 1;
    }
    instructions
}

/// The widths of a strip that code for `isa` has.
fn widths(isa: Simd) -> &'static [Width] {
    match isa {
        Simd::Avx512 => &[Width::Sixteen],
        _ => &[Width::Sixteen, Width::Eight, Width::EightEnabled],
    }
}

#[test]
fn a_disassembler_reads_instructions_that_the_processor_has() {
    let mut random = Random(0xec0d_e000);
    let mut seen = BTreeSet::new();
    for isa in [Simd::Avx2, Simd::Avx512] {
        for &op in Op::ALL {
            for _ in 0..16 {
                let mut inst = random.inst(op);
                if matches!(op, Op::VBfeU32 | Op::VBfeI32) {
                    (inst.src[1], inst.src[2]) = (Operand::Int(3), Operand::Int(5));
                }
                for flushes in [false, true] {
                    let Some(lanewise) = Lanewise::of(&inst, flushes) else { continue };
                    for &width in widths(isa) {
                        let instructions = check(isa, |code| {
                            let mut lanes = Strip::new(code, width, 1);
                            lanes.begin();
                            lanewise.emit(&mut lanes);
                            for (_, mask) in lanes.finish() {
                                code.mask_to_register(0, mask);
                            }
                        });
                        if instructions > 0 {
                            seen.insert((isa as u8, op as u16));
                        }
                    }
                }
            }
            let Some(access) = Access::of(&Inst::example(op)) else { continue };
            check(isa, |code| {
                let mut routines = Routines::default();
                access.emit(code, &mut routines);
                access.rest(code, &mut routines);
                routines.emit(code);
            });
        }
    }
    // As many as are compiled, so that one that no longer is, is missed.
    let emitted = |isa: Simd| seen.iter().filter(|(of, _)| *of == isa as u8).count();
    let [avx2, avx512] = [Simd::Avx2, Simd::Avx512].map(emitted);
    assert!(avx2 >= 189 && avx512 >= 199, "{avx2} with AVX2, {avx512} with AVX-512");
}

/// A region is compiled for all lanes enabled and for some, from one trial of the latter.
#[test]
fn code_for_all_lanes_lacks_nothing_that_code_for_some_has() {
    let mut random = Random(0xec0d_e001);
    for &op in Op::ALL {
        for _ in 0..16 {
            let inst = random.inst(op);
            let Some(lanewise) = Lanewise::of(&inst, false).filter(|lanewise| lanewise.row.is_none()) else { continue };
            let lacks = [Width::Eight, Width::EightEnabled].map(|width| {
                let mut code = Code::new(Simd::Avx2);
                let mut lanes = Strip::new(&mut code, width, 7);
                lanes.begin();
                lanewise.emit(&mut lanes);
                lanes.finish();
                !code.is_whole()
            });
            assert!(lacks[0] || !lacks[1], "{inst:?}");
        }
    }
}
