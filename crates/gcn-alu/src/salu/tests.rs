//! Scalar operations against the same operations in 128 bits.

use crate::select as alu;
use crate::wave::{Mode, Wave, reg};
use gcn_isa::inst::{Inst, Mods, Operand, Special};
use gcn_isa::op::Op;
use gcn_isa::target::Target;

const D: Operand = Operand::Sgpr { first: 10, count: 2 };
const A: Operand = Operand::Sgpr { first: 20, count: 2 };
const B: Operand = Operand::Sgpr { first: 30, count: 2 };

fn inst(op: Op, dst: Operand, src: &[Operand]) -> Inst {
    let mut all = [Operand::None; 4];
    all[..src.len()].copy_from_slice(src);
    Inst {
        op,
        format: op.info().format,
        target: Target::Gfx908,
        len: 4,
        dst: [dst, Operand::None],
        src: all,
        mods: Mods::None,
    }
}

fn run(w: &mut Wave, i: &Inst) {
    alu(i).unwrap_or_else(|| panic!("{} is not executed", i.op.mnemonic()))(w, i);
}

fn values() -> Vec<u64> {
    let mut state = 7u64;
    let mut all = vec![
        0,
        1,
        2,
        31,
        32,
        63,
        0x7f_0008,
        0x20_001f,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        1 << 32,
        i64::MIN as u64,
        u64::MAX,
    ];
    for _ in 0..40 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        all.push(state ^ state >> 29);
    }
    all
}

fn s32(x: u64) -> i128 {
    i128::from(x as i32)
}

fn u32(x: u64) -> i128 {
    i128::from(x as u32)
}

/// `width` bits from `offset` on.
fn field(x: i128, offset: i128, width: i128, signed: bool) -> i128 {
    let kept = x >> offset & ((1 << width) - 1);
    if signed && width != 0 && kept >> (width - 1) != 0 { kept - (1 << width) } else { kept }
}

/// What SCC becomes.
enum Scc {
    Same,
    NonZero,
    Is(bool),
}
use Scc::{Is, NonZero, Same};

/// Sources, SCC in, to the result and SCC out.
type Reference = fn(u64, u64, bool) -> (i128, Scc);

fn unsigned_overflow(x: i128) -> (i128, Scc) {
    (x, Is(!(0..1 << 32).contains(&x)))
}

fn signed_overflow(x: i128) -> (i128, Scc) {
    (x, Is(i32::try_from(x).is_err()))
}

#[rustfmt::skip]
const RESULTS_OF_32_BITS: &[(Op, Reference)] = &[
    (Op::SAddU32, |a, b, _| unsigned_overflow(u32(a) + u32(b))), (Op::SSubU32, |a, b, _| unsigned_overflow(u32(a) - u32(b))),
    (Op::SAddcU32, |a, b, c| unsigned_overflow(u32(a) + u32(b) + i128::from(c))), (Op::SSubbU32, |a, b, c| unsigned_overflow(u32(a) - u32(b) - i128::from(c))),
    (Op::SAddI32, |a, b, _| signed_overflow(s32(a) + s32(b))), (Op::SSubI32, |a, b, _| signed_overflow(s32(a) - s32(b))),
    (Op::SMinI32, |a, b, _| (s32(a).min(s32(b)), Is(s32(a) < s32(b)))), (Op::SMaxI32, |a, b, _| (s32(a).max(s32(b)), Is(s32(a) > s32(b)))),
    (Op::SMinU32, |a, b, _| (u32(a).min(u32(b)), Is(u32(a) < u32(b)))), (Op::SMaxU32, |a, b, _| (u32(a).max(u32(b)), Is(u32(a) > u32(b)))),
    (Op::SCselectB32, |a, b, c| (if c { u32(a) } else { u32(b) }, Same)),
    (Op::SAndB32, |a, b, _| (u32(a & b), NonZero)), (Op::SOrB32, |a, b, _| (u32(a | b), NonZero)), (Op::SXorB32, |a, b, _| (u32(a ^ b), NonZero)),
    (Op::SAndn2B32, |a, b, _| (u32(a & !b), NonZero)), (Op::SOrn2B32, |a, b, _| (u32(a | !b), NonZero)), (Op::SNandB32, |a, b, _| (u32(!(a & b)), NonZero)),
    (Op::SNorB32, |a, b, _| (u32(!(a | b)), NonZero)), (Op::SXnorB32, |a, b, _| (u32(!(a ^ b)), NonZero)),
    (Op::SLshlB32, |a, b, _| (u32(a) << (b & 31), NonZero)), (Op::SLshrB32, |a, b, _| (u32(a) >> (b & 31), NonZero)), (Op::SAshrI32, |a, b, _| (s32(a) >> (b & 31), NonZero)),
    (Op::SBfmB32, |a, b, _| (((1 << (a & 31)) - 1) << (b & 31), Same)), (Op::SMulI32, |a, b, _| (u32(a) * u32(b), Same)),
    (Op::SMulHiU32, |a, b, _| ((u32(a) * u32(b)) >> 32, Same)), (Op::SMulHiI32, |a, b, _| ((s32(a) * s32(b)) >> 32, Same)),
    (Op::SBfeU32, |a, b, _| (field(u32(a), u32(b) & 31, (u32(b) >> 16 & 127).min(64), false) & 0xffff_ffff, NonZero)),
    (Op::SBfeI32, |a, b, _| (field(s32(a), u32(b) & 31, (u32(b) >> 16 & 127).min(64), true), NonZero)),
    // The difference wraps: S_ABSDIFF_I32(0x80000000, 1) is 0x7fffffff.
    (Op::SAbsdiffI32, |a, b, _| (s32(a.wrapping_sub(b)).abs(), NonZero)),
    (Op::SLshl1AddU32, |a, b, _| unsigned_overflow((u32(a) << 1) + u32(b))), (Op::SLshl4AddU32, |a, b, _| unsigned_overflow((u32(a) << 4) + u32(b))),
    (Op::SLshl2AddU32, |a, b, _| unsigned_overflow((u32(a) << 2) + u32(b))), (Op::SLshl3AddU32, |a, b, _| unsigned_overflow((u32(a) << 3) + u32(b))),
    (Op::SPackLlB32B16, |a, b, _| (i128::from(a as u16) | i128::from(b as u16) << 16, Same)),
    (Op::SPackLhB32B16, |a, b, _| (i128::from(a as u16) | u32(b) >> 16 << 16, Same)), (Op::SPackHhB32B16, |a, b, _| (u32(a) >> 16 | u32(b) >> 16 << 16, Same)),
    (Op::SMovB32, |a, _, _| (u32(a), Same)), (Op::SNotB32, |a, _, _| (u32(!a), NonZero)), (Op::SBrevB32, |a, _, _| ((0..32).map(|n| (u32(a) >> n & 1) << (31 - n)).sum(), Same)),
    (Op::SBcnt0I32B32, |a, _, _| ((0..32).filter(|n| a >> n & 1 == 0).count() as i128, NonZero)), (Op::SBcnt1I32B32, |a, _, _| ((0..32).filter(|n| a >> n & 1 == 1).count() as i128, NonZero)),
    (Op::SBcnt0I32B64, |a, _, _| ((0..64).filter(|n| a >> n & 1 == 0).count() as i128, NonZero)), (Op::SBcnt1I32B64, |a, _, _| ((0..64).filter(|n| a >> n & 1 == 1).count() as i128, NonZero)),
    (Op::SFf0I32B32, |a, _, _| ((0..32).find(|n| a >> n & 1 == 0).unwrap_or(-1), Same)), (Op::SFf0I32B64, |a, _, _| ((0..64).find(|n| a >> n & 1 == 0).unwrap_or(-1), Same)),
    (Op::SFf1I32B32, |a, _, _| ((0..32).find(|n| a >> n & 1 == 1).unwrap_or(-1), Same)), (Op::SFf1I32B64, |a, _, _| ((0..64).find(|n| a >> n & 1 == 1).unwrap_or(-1), Same)),
    (Op::SFlbitI32B32, |a, _, _| ((0..32).find(|n| a >> (31 - n) & 1 == 1).unwrap_or(-1), Same)), (Op::SFlbitI32B64, |a, _, _| ((0..64).find(|n| a >> (63 - n) & 1 == 1).unwrap_or(-1), Same)),
    (Op::SFlbitI32, |a, _, _| ((0..32).find(|n| a >> (31 - n) & 1 != a >> 31 & 1).unwrap_or(-1), Same)), (Op::SFlbitI32I64, |a, _, _| ((0..64).find(|n| a >> (63 - n) & 1 != a >> 63).unwrap_or(-1), Same)),
    (Op::SSextI32I8, |a, _, _| (i128::from(a as i8), Same)), (Op::SSextI32I16, |a, _, _| (i128::from(a as i16), Same)),
    (Op::SAbsI32, |a, _, _| (s32(a).abs(), NonZero)),
    (Op::SWqmB32, |a, _, _| ((0..32).filter(|n| a >> (n / 4 * 4) & 15 != 0).map(|n| 1 << n).sum(), NonZero)),
    (Op::SQuadmaskB32, |a, _, _| ((0..8).filter(|n| a >> (n * 4) & 15 != 0).map(|n| 1 << n).sum(), NonZero)),
];

#[rustfmt::skip]
const RESULTS_OF_64_BITS: &[(Op, Reference)] = &[
    (Op::SCselectB64, |a, b, c| (i128::from(if c { a } else { b }), Same)),
    (Op::SAndB64, |a, b, _| (i128::from(a & b), NonZero)), (Op::SOrB64, |a, b, _| (i128::from(a | b), NonZero)), (Op::SXorB64, |a, b, _| (i128::from(a ^ b), NonZero)),
    (Op::SAndn2B64, |a, b, _| (i128::from(a & !b), NonZero)), (Op::SOrn2B64, |a, b, _| (i128::from(a | !b), NonZero)), (Op::SNandB64, |a, b, _| (i128::from(!(a & b)), NonZero)),
    (Op::SNorB64, |a, b, _| (i128::from(!(a | b)), NonZero)), (Op::SXnorB64, |a, b, _| (i128::from(!(a ^ b)), NonZero)),
    (Op::SLshlB64, |a, b, _| (i128::from(a) << (b & 63), NonZero)), (Op::SLshrB64, |a, b, _| (i128::from(a) >> (b & 63), NonZero)), (Op::SAshrI64, |a, b, _| (i128::from(a as i64) >> (b & 63), NonZero)),
    (Op::SBfmB64, |a, b, _| (((1 << (a & 63)) - 1) << (b & 63), Same)),
    (Op::SBfeU64, |a, b, _| (field(i128::from(a), i128::from(b & 63), i128::from(b >> 16 & 127).min(64), false), NonZero)),
    (Op::SBfeI64, |a, b, _| (field(i128::from(a as i64), i128::from(b & 63), i128::from(b >> 16 & 127).min(64), true), NonZero)),
    (Op::SMovB64, |a, _, _| (i128::from(a), Same)), (Op::SNotB64, |a, _, _| (i128::from(!a), NonZero)),
    (Op::SBrevB64, |a, _, _| ((0..64).map(|n| i128::from(a >> n & 1) << (63 - n)).sum(), Same)),
    (Op::SWqmB64, |a, _, _| ((0..64).filter(|n| a >> (n / 4 * 4) & 15 != 0).map(|n| 1 << n).sum(), NonZero)),
    (Op::SQuadmaskB64, |a, _, _| ((0..16).filter(|n| a >> (n * 4) & 15 != 0).map(|n| 1 << n).sum(), NonZero)),
    (Op::SBitreplicateB64B32, |a, _, _| ((0..64).filter(|n| a >> (n / 2) & 1 != 0).map(|n| 1 << n).sum(), Same)),
];

#[test]
fn results_and_scc() {
    let mut w = Wave::default();
    for (table, bits) in [(RESULTS_OF_32_BITS, 32), (RESULTS_OF_64_BITS, 64)] {
        for (op, reference) in table {
            for a in values() {
                for b in values() {
                    for scc in [false, true] {
                        w.scc = scc;
                        w.write_scalar64(A, a);
                        w.write_scalar64(B, b);
                        w.write_scalar64(D, 0x5555_5555_5555_5555);
                        run(&mut w, &inst(*op, D, &[A, B]));
                        let (value, expected_scc) = reference(a, b, scc);
                        let kept =
                            if bits == 32 { 0x5555_5555u64 << 32 | u64::from(value as u32) } else { value as u64 };
                        let what = format!("{}({a:#x}, {b:#x}) SCC {scc}", op.mnemonic());
                        assert_eq!(w.read_scalar64(D), kept, "{what}");
                        let low = if bits == 32 { u64::from(value as u32) } else { value as u64 };
                        let expected_scc = match expected_scc {
                            Same => scc,
                            NonZero => low != 0,
                            Is(scc) => scc,
                        };
                        assert_eq!(w.scc, expected_scc, "{what}: SCC");
                    }
                }
            }
        }
    }
}

#[test]
fn comparisons() {
    type Test = fn(i128, i128) -> bool;
    #[rustfmt::skip]
    let tests: [(Test, [Option<Op>; 4]); 6] = [
        (|a, b| a == b, [Some(Op::SCmpEqI32), Some(Op::SCmpEqU32), Some(Op::SCmpkEqI32), Some(Op::SCmpkEqU32)]),
        (|a, b| a != b, [Some(Op::SCmpLgI32), Some(Op::SCmpLgU32), Some(Op::SCmpkLgI32), Some(Op::SCmpkLgU32)]),
        (|a, b| a > b, [Some(Op::SCmpGtI32), Some(Op::SCmpGtU32), Some(Op::SCmpkGtI32), Some(Op::SCmpkGtU32)]),
        (|a, b| a >= b, [Some(Op::SCmpGeI32), Some(Op::SCmpGeU32), Some(Op::SCmpkGeI32), Some(Op::SCmpkGeU32)]),
        (|a, b| a < b, [Some(Op::SCmpLtI32), Some(Op::SCmpLtU32), Some(Op::SCmpkLtI32), Some(Op::SCmpkLtU32)]),
        (|a, b| a <= b, [Some(Op::SCmpLeI32), Some(Op::SCmpLeU32), Some(Op::SCmpkLeI32), Some(Op::SCmpkLeU32)]),
    ];
    let mut w = Wave::default();
    for (test, ops) in tests {
        for (n, op) in ops.into_iter().enumerate() {
            let Some(op) = op else { continue };
            let (signed, immediate) = (n % 2 == 0, n >= 2);
            for a in values() {
                for b in values() {
                    w.write_scalar64(A, a);
                    w.write_scalar64(B, b);
                    let second = if immediate { Operand::Imm(i32::from(b as i16)) } else { B };
                    run(&mut w, &inst(op, Operand::None, &[A, second]));
                    let b = match (immediate, signed) {
                        (true, true) => i128::from(b as i16),
                        (true, false) => i128::from(b as u16),
                        (false, true) => s32(b),
                        (false, false) => u32(b),
                    };
                    assert_eq!(
                        w.scc,
                        test(if signed { s32(a) } else { u32(a) }, b),
                        "{}({a:#x}, {b:#x})",
                        op.mnemonic()
                    );
                }
            }
        }
    }
    for a in values() {
        for b in values() {
            w.write_scalar64(A, a);
            w.write_scalar64(B, b);
            for (op, expected) in [
                (Op::SCmpEqU64, a == b),
                (Op::SCmpLgU64, a != b),
                (Op::SBitcmp0B32, a >> (b & 31) & 1 == 0),
                (Op::SBitcmp1B32, a >> (b & 31) & 1 == 1),
                (Op::SBitcmp0B64, a >> (b & 63) & 1 == 0),
                (Op::SBitcmp1B64, a >> (b & 63) & 1 == 1),
            ] {
                run(&mut w, &inst(op, Operand::None, &[A, B]));
                assert_eq!(w.scc, expected, "{}({a:#x}, {b:#x})", op.mnemonic());
            }
        }
    }
}

#[test]
fn exec_masks() {
    type Mask = fn(u64, u64) -> u64;
    #[rustfmt::skip]
    let table: [(Op, bool, Mask); 12] = [
        (Op::SAndSaveexecB64, true, |s, e| s & e), (Op::SOrSaveexecB64, true, |s, e| s | e), (Op::SXorSaveexecB64, true, |s, e| s ^ e),
        (Op::SAndn2SaveexecB64, true, |s, e| s & !e), (Op::SOrn2SaveexecB64, true, |s, e| s | !e), (Op::SNandSaveexecB64, true, |s, e| !(s & e)),
        (Op::SNorSaveexecB64, true, |s, e| !(s | e)), (Op::SXnorSaveexecB64, true, |s, e| !(s ^ e)), (Op::SAndn1SaveexecB64, true, |s, e| !s & e),
        (Op::SOrn1SaveexecB64, true, |s, e| !s | e), (Op::SAndn1WrexecB64, false, |s, e| !s & e), (Op::SAndn2WrexecB64, false, |s, e| s & !e),
    ];
    let mut w = Wave::default();
    for (op, saves, mask) in table {
        for s in values() {
            for e in values() {
                w.set_exec(e);
                w.write_scalar64(A, s);
                run(&mut w, &inst(op, D, &[A]));
                let new = mask(s, e);
                assert_eq!((w.exec(), w.scc), (new, new != 0), "{}", op.mnemonic());
                assert_eq!(w.read_scalar64(D), if saves { e } else { new }, "{}", op.mnemonic());
            }
        }
    }
}

#[test]
fn immediates_bits_and_relative_registers() {
    let mut w = Wave::default();
    run(&mut w, &inst(Op::SMovkI32, D, &[Operand::Imm(-5)]));
    assert_eq!(w.sgpr[10] as i32, -5);
    run(&mut w, &inst(Op::SAddkI32, D, &[Operand::Imm(7)]));
    assert_eq!((w.sgpr[10], w.scc), (2, false));
    w.sgpr[10] = i32::MAX as u32;
    run(&mut w, &inst(Op::SAddkI32, D, &[Operand::Imm(1)]));
    assert_eq!((w.sgpr[10], w.scc), (0x8000_0000, true));
    w.sgpr[10] = 3;
    run(&mut w, &inst(Op::SMulkI32, D, &[Operand::Imm(-4)]));
    assert_eq!(w.sgpr[10] as i32, -12);
    for scc in [false, true] {
        (w.scc, w.sgpr[10], w.sgpr[20]) = (scc, 1, 2);
        run(&mut w, &inst(Op::SCmovB32, D, &[A]));
        assert_eq!(w.sgpr[10], if scc { 2 } else { 1 });
        run(&mut w, &inst(Op::SCmovkI32, D, &[Operand::Imm(9)]));
        assert_eq!(w.sgpr[10], if scc { 9 } else { 1 });
    }
    w.write_scalar64(D, 0);
    w.write_scalar64(A, 35);
    run(&mut w, &inst(Op::SBitset1B64, D, &[A]));
    assert_eq!(w.read_scalar64(D), 1 << 35);
    run(&mut w, &inst(Op::SBitset1B32, D, &[A]));
    assert_eq!(w.read_scalar64(D), 1 << 35 | 1 << 3);
    run(&mut w, &inst(Op::SBitset0B64, D, &[A]));
    assert_eq!(w.read_scalar64(D), 1 << 3);

    w.sgpr[reg::M0] = 4;
    (w.sgpr[24], w.sgpr[25]) = (77, 78);
    run(&mut w, &inst(Op::SMovrelsB64, D, &[A]));
    assert_eq!((w.sgpr[10], w.sgpr[11]), (77, 78));
    run(&mut w, &inst(Op::SMovreldB32, B, &[D]));
    assert_eq!(w.sgpr[34], 77);
}

/// Past the last register: a source is s0, a destination is not written.
#[test]
fn relative_registers_out_of_range() {
    let mut w = Wave::default();
    (w.sgpr[0], w.sgpr[1], w.sgpr[20], w.sgpr[21]) = (70, 71, 5, 6);
    // M0 registers after s20 is the last one; none.
    for (m0, whole) in [(107, true), (108, false), (u32::MAX, false)] {
        w.sgpr[reg::M0] = m0;
        w.set_exec(0x1_0000_0002);
        run(&mut w, &inst(Op::SMovrelsB32, D, &[A]));
        assert_eq!(w.sgpr[10], if whole { 1 } else { 70 }, "M0 {m0}");
        run(&mut w, &inst(Op::SMovrelsB64, D, &[A]));
        assert_eq!((w.sgpr[10], w.sgpr[11]), (70, 71), "M0 {m0}");
        run(&mut w, &inst(Op::SMovreldB64, A, &[D]));
        assert_eq!(w.exec(), 0x1_0000_0002, "M0 {m0}");
        assert_eq!((w.sgpr[0], w.sgpr[1]), (70, 71), "M0 {m0}");
        run(&mut w, &inst(Op::SMovreldB32, A, &[D]));
        assert_eq!(w.exec(), if whole { 70 << 32 | 2 } else { 0x1_0000_0002 }, "M0 {m0}");
    }
}

#[test]
fn modes() {
    let mut w = Wave::default();
    (w.sgpr[20], w.sgpr[reg::M0]) = (0x1ff, 0xabcd_0000);
    run(&mut w, &inst(Op::SSetGprIdxOn, Operand::None, &[A, Operand::Imm(9)]));
    assert_eq!((w.m0(), w.mode.gpr_idx_en()), (0xabcd_90ff, true));
    run(&mut w, &inst(Op::SSetGprIdxMode, Operand::None, &[Operand::Imm(1)]));
    assert_eq!(w.m0(), 0xabcd_10ff);
    w.sgpr[20] = 0x3_12;
    run(&mut w, &inst(Op::SSetGprIdxIdx, Operand::None, &[A]));
    assert_eq!(w.m0(), 0xabcd_1012);
    run(&mut w, &inst(Op::SSetGprIdxOff, Operand::None, &[]));
    assert_eq!(w.mode, Mode(0));
    run(&mut w, &inst(Op::SSetvskip, Operand::None, &[Operand::Int(4), Operand::Int(2)]));
    assert!(w.mode.vskip());
    run(&mut w, &inst(Op::SSetvskip, Operand::None, &[Operand::Int(4), Operand::Int(1)]));
    assert!(!w.mode.vskip());
    // Special registers are sources and destinations as well.
    let vcc = Operand::Special { reg: Special::VccLo, count: 2 };
    run(&mut w, &inst(Op::SMovB64, vcc, &[Operand::Int(-1)]));
    assert_eq!(w.vcc(), u64::MAX);
}

/// A literal is sign-extended where the operation is signed, zero-extended where it is not.
#[test]
fn literals_of_64_bits() {
    let mut w = Wave::default();
    let literal = Operand::Literal(0x8000_0000);
    for (op, second, expected) in [
        (Op::SMovB64, Operand::None, 0x8000_0000u64),
        (Op::SLshlB64, Operand::Int(4), 0x8_0000_0000),
        (Op::SLshrB64, Operand::Int(4), 0x800_0000),
        (Op::SAshrI64, Operand::Int(4), 0xffff_ffff_f800_0000),
        // 8 bits from bit 28 on.
        (Op::SBfeU64, Operand::Literal(28 | 8 << 16), 8),
        (Op::SBfeI64, Operand::Literal(28 | 8 << 16), 0xffff_ffff_ffff_fff8),
        (Op::SOrB64, Operand::Int(0), 0x8000_0000),
    ] {
        run(&mut w, &inst(op, D, &[literal, second]));
        assert_eq!(w.read_scalar64(D), expected, "{}", op.mnemonic());
    }
    for (op, expected) in [(Op::SFlbitI32B64, 32), (Op::SFlbitI32I64, 33)] {
        run(&mut w, &inst(op, D, &[literal]));
        assert_eq!(w.sgpr[10], expected, "{}", op.mnemonic());
    }
    w.write_scalar64(B, 0xffff_ffff_8000_0000);
    run(&mut w, &inst(Op::SCmpEqU64, Operand::None, &[literal, B]));
    assert!(!w.scc, "unsigned");
}
