//! Every operation has a function that executes it, or is listed here with the reason.

use crate::interp::select::lower;
use crate::machine::context::Step;
use gcn_isa::inst::{Format, Inst, Mods, Operand, Special};
use gcn_isa::op::Op;

/// Operations that this device does not execute, and why. They raise an illegal instruction exception.
const NOT_EXECUTED: &[(&str, &str)] = &[
    ("v_screen_partition_4se_b32", "graphics: assigns screen tiles to shader engines"),
    ("v_interp_", "graphics: parameter interpolation"),
];

#[test]
fn every_alu_operation_is_executed_or_listed() {
    use Format::*;
    let alu =
        |op: &&Op| matches!(op.info().format, Sop1 | Sop2 | Sopc | Sopk | Sopp | Vop1 | Vop2 | Vopc | Vop3 | Vop3p);
    let listed = |op: &Op| NOT_EXECUTED.iter().any(|(name, _)| op.mnemonic().starts_with(name));
    let (executed, missing): (Vec<Op>, Vec<Op>) =
        Op::ALL.iter().filter(alu).partition(|op| lower(&Inst::example(**op)).is_some());
    let unlisted: Vec<_> = missing.iter().filter(|op| !listed(op)).map(|op| op.mnemonic()).collect();
    assert_eq!(unlisted, [""; 0], "not executed and not listed ({} are executed)", executed.len());
    let wrong: Vec<_> = executed.iter().filter(|op| listed(op)).map(|op| op.mnemonic()).collect();
    assert_eq!(wrong, [""; 0], "executed, so not to be listed");
}

#[test]
fn scalar_and_vector_alu_are_not_taken_for_control() {
    for op in [Op::SAddU32, Op::VAddF32, Op::VMfmaF3232x32x1f32] {
        assert!(matches!(lower(&Inst::example(op)), Some(Step::Alu(_))), "{}", op.mnemonic());
    }
}

#[test]
fn sources_that_are_not_defined_are_refused() {
    let with = |op, number: usize, reg| {
        let mut inst = Inst::example(op);
        inst.src[number] = Operand::Special { reg, count: 1 };
        inst
    };
    let refused = |inst: &Inst| lower(inst).is_none();
    assert!(refused(&with(Op::VMovB32, 0, Special::PopsExitingWaveId)), "of pixel shaders");
    assert!(matches!(lower(&with(Op::VAddU32, 0, Special::LdsDirect)), Some(Step::Core(_))));
    assert!(refused(&with(Op::VAddU32, 1, Special::LdsDirect)), "the second source");
    assert!(refused(&with(Op::VLshlrevB32, 0, Special::LdsDirect)), "reversed sources");
    assert!(refused(&with(Op::SMovB32, 0, Special::LdsDirect)), "scalar");
}

#[test]
fn signs_of_two_halves_by_one_bit_are_refused() {
    let dot = |neg, abs| Inst {
        mods: Mods::Vop3 { neg, abs, clamp: false, omod: 0, op_sel: 0 },
        ..Inst::example(Op::VDot2cF32F16)
    };
    assert!(matches!(lower(&dot(0, 0)), Some(Step::Alu(_))));
    for (neg, abs) in [(1, 0), (2, 0), (0, 1), (0, 2)] {
        assert!(lower(&dot(neg, abs)).is_none(), "neg {neg}, abs {abs}");
        let mods = Mods::Dpp { ctrl: 0xe4, row_mask: 15, bank_mask: 15, bound_ctrl: false, neg, abs };
        assert!(lower(&Inst { mods, ..dot(0, 0) }).is_none(), "DPP, neg {neg}, abs {abs}");
    }
}
