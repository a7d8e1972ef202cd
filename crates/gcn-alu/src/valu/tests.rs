//! Vector operations against references that share no code with them.

mod convert;
mod divide;
mod f16;
mod f32;
mod fuzz;
mod integer;
mod llvm;
mod modes;
mod modifiers;
mod nan;
mod transcendental;

use crate::select as alu;
use crate::wave::{Lanes, Mode, Wave};
use gcn_isa::inst::{Inst, Mods, Operand, Special};
use gcn_isa::op::Op;

/// What compilers set.
const USUAL: Mode = Mode(0x3f0);

const VCC: Operand = Operand::Special { reg: Special::VccLo, count: 2 };

fn v(first: u8) -> Operand {
    Operand::Vgpr { first, count: 1 }
}

/// A small deterministic generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn lanes(&mut self) -> Lanes {
        Lanes(std::array::from_fn(|_| self.next() as u32))
    }
}

/// A wave whose registers are random, in the usual mode, with every lane enabled.
fn wave(seed: u64) -> Wave {
    let mut random = Random(seed);
    let mut w = Wave { mode: USUAL, ..Wave::default() };
    w.vgpr.iter_mut().for_each(|r| *r = random.lanes());
    w.sgpr.iter_mut().for_each(|r| *r = random.next() as u32);
    w.set_exec(u64::MAX);
    w
}

/// `op` with vector sources 1, 3, 5 (pairs fit), destination 10, mask destination VCC, mask source VCC.
fn inst(op: Op, mods: Mods) -> Inst {
    let mut inst = gcn_isa::inst::Inst::example(op);
    let mut next = 1;
    for source in &mut inst.src {
        match source {
            Operand::Vgpr { first, count } => {
                *first = next;
                next += (*count).max(2);
            }
            Operand::Sgpr { .. } => *source = VCC,
            _ => {}
        }
    }
    for (n, dst) in inst.dst.iter_mut().enumerate() {
        match dst {
            Operand::Vgpr { first, .. } => *first = 10 + n as u8,
            Operand::Sgpr { count: 2, .. } => *dst = VCC,
            _ => {}
        }
    }
    inst.mods = mods;
    inst
}

fn run(w: &mut Wave, inst: &Inst) {
    let function = alu(inst).unwrap_or_else(|| panic!("{} is not executed", inst.op.mnemonic()));
    function(w, inst);
}

/// Runs `op` on the given sources (one register each, from v1 in steps of 2) and returns v10.
fn compute(w: &mut Wave, op: Op, mods: Mods, sources: &[Lanes]) -> Lanes {
    for (n, source) in sources.iter().enumerate() {
        w.vgpr[1 + 2 * n] = *source;
    }
    run(w, &inst(op, mods));
    w.vgpr[10]
}

/// As [`compute`], for 64-bit values.
fn compute64(w: &mut Wave, op: Op, sources: &[[u64; 64]]) -> [u64; 64] {
    for (n, source) in sources.iter().enumerate() {
        w.vgpr[1 + 2 * n] = Lanes(source.map(|x| x as u32));
        w.vgpr[2 + 2 * n] = Lanes(source.map(|x| (x >> 32) as u32));
    }
    run(w, &inst(op, Mods::None));
    std::array::from_fn(|n| u64::from(w.vgpr[10].0[n]) | u64::from(w.vgpr[11].0[n]) << 32)
}

#[test]
fn disabled_lanes_keep_their_value() {
    for exec in [0, 1, 1 << 63, 0x00ff_ff00_1234_5678, u64::MAX] {
        let mut w = wave(1);
        let (a, b, old) = (w.vgpr[1], w.vgpr[3], w.vgpr[10]);
        w.set_exec(exec);
        run(&mut w, &inst(Op::VAddU32, Mods::None));
        for lane in 0..64 {
            let sum = a.0[lane].wrapping_add(b.0[lane]);
            let expected = if exec >> lane & 1 != 0 { sum } else { old.0[lane] };
            assert_eq!(w.vgpr[10].0[lane], expected, "lane {lane} of {exec:#x}");
        }
    }
}

#[test]
fn masks_have_zeros_in_disabled_lanes() {
    let mut w = wave(2);
    w.set_exec(0xf0f0_f0f0_f0f0_f0f0);
    w.set_vcc(u64::MAX);
    run(&mut w, &inst(Op::VCmpTU32, Mods::None));
    assert_eq!(w.vcc(), 0xf0f0_f0f0_f0f0_f0f0);
    run(&mut w, &inst(Op::VCmpxFU32, Mods::None));
    assert_eq!((w.vcc(), w.exec()), (0, 0));
}

#[test]
fn constants_have_the_type_of_the_source() {
    let mut w = wave(3);
    let half = Operand::Float(240);
    let mut i = inst(Op::VMovB32, Mods::None);
    i.src[0] = half;
    run(&mut w, &i);
    assert_eq!(w.vgpr[10].0[7], 0x3f00_0000);
    let mut i = inst(Op::VFloorF16, Mods::None);
    i.op = Op::VMaxF16;
    i.src = [half, half, Operand::None, Operand::None];
    run(&mut w, &i);
    assert_eq!(w.vgpr[10].0[7], 0x3800);
    let mut i = inst(Op::VMaxF64, Mods::None);
    i.src = [half, half, Operand::None, Operand::None];
    run(&mut w, &i);
    assert_eq!((w.vgpr[10].0[7], w.vgpr[11].0[7]), (0, 0x3fe0_0000));
    i.src[0] = Operand::Literal(0x4008_0000);
    run(&mut w, &i);
    assert_eq!((w.vgpr[10].0[7], w.vgpr[11].0[7]), (0, 0x4008_0000), "a literal is the high half of a double");
    // One of an integer is its low half, extended as the type is.
    for (op, high) in [(Op::VCmpEqI64, u32::MAX), (Op::VCmpEqU64, 0), (Op::VCmpxEqI64, u32::MAX)] {
        let mut i = inst(op, Mods::None);
        i.src[0] = Operand::Literal(0x8000_0000);
        w.vgpr[3] = Lanes([0x8000_0000; 64]);
        w.vgpr[4] = Lanes(std::array::from_fn(|lane| if lane % 2 == 0 { high } else { !high }));
        run(&mut w, &i);
        assert_eq!(w.vcc(), 0x5555_5555_5555_5555, "{op:?}");
    }
}

#[test]
fn lane_access() {
    let mut w = wave(4);
    let r = w.vgpr[1];
    let s = Operand::Sgpr { first: 20, count: 1 };
    let mut i = inst(Op::VReadfirstlaneB32, Mods::None);
    i.dst[0] = s;
    for (exec, lane) in [(u64::MAX, 0), (1 << 40 | 1 << 41, 40), (0, 0)] {
        w.set_exec(exec);
        run(&mut w, &i);
        assert_eq!(w.sgpr[20], r.0[lane]);
    }
    let mut i = inst(Op::VReadlaneB32, Mods::None);
    (i.dst[0], i.src[1]) = (s, Operand::Int(64));
    run(&mut w, &i);
    assert_eq!(w.sgpr[20], r.0[0], "lane numbers have 6 bits");
    let mut i = inst(Op::VWritelaneB32, Mods::None);
    (i.src[0], i.src[1]) = (Operand::Int(-1), Operand::Int(33));
    let before = w.vgpr[10];
    run(&mut w, &i);
    assert_eq!(w.vgpr[10].0[33], u32::MAX, "whatever EXEC is");
    assert_eq!((w.vgpr[10].0[32], w.vgpr[10].0[34]), (before.0[32], before.0[34]));

    w.set_exec(u64::MAX);
    for (op, shift) in [(Op::VMbcntLoU32B32, 0), (Op::VMbcntHiU32B32, 32)] {
        let (mask, add) = (w.vgpr[1], w.vgpr[3]);
        run(&mut w, &inst(op, Mods::None));
        for lane in 0..64u32 {
            let below = (u128::from(mask.0[lane as usize]) << shift & ((1 << lane) - 1)).count_ones();
            assert_eq!(w.vgpr[10].0[lane as usize], below.wrapping_add(add.0[lane as usize]), "{op:?} lane {lane}");
        }
    }
    let (a, b) = (w.vgpr[10], w.vgpr[1]);
    run(&mut w, &inst(Op::VSwapB32, Mods::None));
    assert_eq!((w.vgpr[10], w.vgpr[1]), (b, a));
}
