//! Compiled instructions against the functions that the run loop calls, on random registers.

use crate::interp::select::lower;
use crate::jit::part::Compiled;
use crate::jit::translate::compile;
use crate::jit::{Block, Entry, Exit, Region};
use crate::machine::bus::Window;
use crate::machine::context;
use crate::machine::context::Slot;
use crate::machine::exit_mask::ExitMask;
use crate::machine::memory::WINDOWS;
use gcn_alu::wave::{ACCUMULATION, Mode, Wave};
use gcn_isa::inst::{Cache, DstUnused, Format, Inst, Mods, Operand, Sdwa, Sel, Special};
use gcn_isa::op::Op;

/// The modes that have regions: with denormals of f32, and without.
const USUAL: Mode = Mode(0x3f0);
const FLUSHING: Mode = Mode(0x3c0);

/// No memory.
const NOWHERE: [Window; WINDOWS] =
    [const { Window { start: 0, end: 0, host: std::ptr::null_mut(), writable: false } }; WINDOWS];

/// Returns from a test of compiled code where there is none.
macro_rules! skip_unless_available {
    () => {
        if !$crate::jit::is_available() {
            test_skip::skip!("code is compiled for hosts with AVX2 or AVX-512 only");
        }
    };
}

mod buffer;
mod encoding;
mod fp;
mod vmem;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: u64) -> u8 {
        (self.next() % end) as u8
    }

    fn chance(&mut self, of: u64) -> bool {
        self.next().is_multiple_of(of)
    }

    /// Bits, or what is special as a number.
    fn value(&mut self) -> u32 {
        #[rustfmt::skip]
        const SPECIAL: [u32; 16] = [
            0, 1, 2, 31, 32, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0x3f80_0000, 0x7f80_0000, 0xff80_0000, 0x0080_0000,
            // NaN, quiet and signaling.
            0x7fc0_1234, 0xffc0_0001, 0x7f80_0042, 0xff80_4321,
        ];
        /// Halves: numbers that are special, NaN quiet and signaling, denormals.
        const HALVES: [u32; 16] = [
            0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7bff, 0x0400, 0x03ff, 0x8001, 0x7e01, 0xfe23, 0x7c01, 0xfd00,
            0x0001, 0x3c01,
        ];
        match self.below(6) {
            // Denormals of f32, and the smallest of the others.
            5 => self.next() as u32 & 0x80ff_ffff,
            4 => {
                let mut half = || match self.below(3) {
                    0 => HALVES[usize::from(self.below(16))],
                    // Near 1.
                    1 => self.next() as u32 & 0x83ff | 0x3800,
                    _ => self.next() as u32 & 0xffff,
                };
                half() | half() << 16
            }
            0 => SPECIAL[usize::from(self.below(16))],
            // Floats near 1.
            1 => self.next() as u32 & 0x80ff_ffff | 0x3f00_0000,
            _ => self.next() as u32,
        }
    }

    fn constant(&mut self) -> Operand {
        match self.below(3) {
            0 => Operand::Int(self.below(81) as i8 - 16),
            1 => Operand::Float(240 + self.below(9)),
            _ => Operand::Literal(self.value()),
        }
    }

    /// One of few, so that instructions have to do with each other.
    fn scalar(&mut self, count: u8) -> Operand {
        match self.below(8) {
            0 => Operand::Special { reg: Special::VccLo, count },
            1 if count == 1 => Operand::Special { reg: Special::VccHi, count },
            2 if count == 1 => Operand::Special { reg: Special::M0, count },
            _ => Operand::Sgpr { first: self.below(8) & if count == 2 { 0xfe } else { 0xff }, count },
        }
    }

    fn vector(&mut self, count: u8) -> Operand {
        if self.chance(16) {
            return Operand::Agpr { first: self.below(4), count };
        }
        // More of them than the host has registers, now and then.
        let first = if self.chance(4) { self.below(60) } else { self.below(6) };
        Operand::Vgpr { first, count }
    }

    fn inst(&mut self, op: Op) -> Inst {
        let mut inst = gcn_isa::inst::Inst::example(op);
        let is_vector = op.mnemonic().starts_with("v_");
        let is_field = op.mnemonic().starts_with("v_bfe");
        let is_wide = |end: &str| op.mnemonic().starts_with("v_cmp_") && op.mnemonic().ends_with(end);
        let compares_wide = is_wide("_u64") || is_wide("_i64");
        let is_packed = op.mnemonic().starts_with("v_pk_");
        let is_double = op.mnemonic().ends_with("_f64");
        for source in &mut inst.src {
            *source = match *source {
                Operand::Vgpr { count: 1, .. } if self.chance(if is_field { 2 } else { 4 }) => self.constant(),
                Operand::Vgpr { count: 1, .. } if self.chance(4) => self.scalar(1),
                Operand::Vgpr { .. } if compares_wide && self.chance(4) => Operand::Int(self.below(81) as i8 - 16),
                Operand::Vgpr { .. } if is_double && self.chance(6) => self.constant(),
                Operand::Vgpr { .. } if (compares_wide || is_double) && self.chance(4) => self.scalar(2),
                Operand::Vgpr { count: 2, .. } if is_packed && self.chance(4) => self.scalar(2),
                Operand::Vgpr { count, .. } => self.vector(count),
                // As a mask, EXEC too.
                Operand::Sgpr { count: 2, .. } if self.chance(8) => Operand::Special { reg: Special::ExecLo, count: 2 },
                Operand::Sgpr { .. } if !is_vector && self.chance(3) => self.constant(),
                Operand::Sgpr { count, .. } => self.scalar(count),
                Operand::Imm(_) => Operand::Imm(self.next() as i16 as i32),
                other => other,
            };
        }
        for to in &mut inst.dst {
            *to = match *to {
                Operand::Vgpr { count, .. } => self.vector(count),
                Operand::Sgpr { count: 2, .. } if !is_vector && self.chance(4) => {
                    Operand::Special { reg: Special::ExecLo, count: 2 }
                }
                Operand::Sgpr { count, .. } => self.scalar(count),
                other => other,
            };
        }
        if is_vector && self.chance(2) {
            inst.mods = self.modifiers(op);
        }
        inst
    }

    /// Of a vector instruction, also such as are not compiled.
    fn modifiers(&mut self, op: Op) -> Mods {
        let name = op.mnemonic();
        let has_float = ["_f16", "_f32", "_f64"].iter().any(|ty| name.contains(ty));
        let (neg, abs) = if has_float && self.chance(2) { (self.below(8), self.below(8)) } else { (0, 0) };
        let (clamp, omod) = (has_float && self.chance(6), if self.chance(6) { self.below(4) } else { 0 });
        match op.info().format {
            Format::Vop3p => {
                let (op_sel, op_sel_hi) = (self.below(8), if self.chance(2) { 7 } else { self.below(8) });
                Mods::Vop3p { op_sel, op_sel_hi, neg_lo: neg, neg_hi: abs, clamp }
            }
            Format::Vop1 | Format::Vop2 | Format::Vopc if self.chance(3) => {
                // Also between rows, and what is none.
                let ctrl = match self.below(3) {
                    0 => self.next() as u16 & 0xff,
                    1 => 0x100 + u16::from(self.below(0x30)),
                    _ => 0x130 + u16::from(self.below(0x30)),
                };
                let mut mask = || if self.chance(2) { 15 } else { self.below(16) };
                let (row_mask, bank_mask) = (mask(), mask());
                Mods::Dpp { ctrl, row_mask, bank_mask, bound_ctrl: self.chance(2), neg, abs }
            }
            Format::Vop1 | Format::Vop2 | Format::Vopc if self.chance(2) => {
                let mut sel = || match self.below(8) {
                    0 => Sel::Byte0,
                    1 => Sel::Byte1,
                    2 => Sel::Byte2,
                    3 => Sel::Byte3,
                    4 => Sel::Word0,
                    5 => Sel::Word1,
                    _ => Sel::Dword,
                };
                let (dst_sel, src_sel) = (sel(), [sel(), sel()]);
                let dst_unused = [DstUnused::Pad, DstUnused::Sext, DstUnused::Preserve][usize::from(self.below(3))];
                Mods::Sdwa(Sdwa { dst_sel, dst_unused, src_sel, sext: self.below(4), neg, abs, clamp, omod })
            }
            _ => {
                let op_sel = if name.contains("f16") { self.below(16) } else { 0 };
                Mods::Vop3 { neg, abs, clamp, omod, op_sel }
            }
        }
    }

    fn wave(&mut self) -> Wave {
        let mut wave = Wave { mode: USUAL, ..Wave::default() };
        // Those that instructions name here, with what is behind them.
        let (vectors, accumulation) = wave.vgpr.split_at_mut(ACCUMULATION);
        for register in vectors[..64].iter_mut().chain(&mut accumulation[..8]) {
            register.0.iter_mut().for_each(|lane| *lane = self.value());
        }
        wave.sgpr.iter_mut().for_each(|register| *register = self.value());
        wave.scc = self.chance(2);
        let exec = match self.below(4) {
            0 => u64::MAX,
            1 => 0xffff << (16 * self.below(4)),
            2 => 0,
            _ => self.next(),
        };
        wave.set_exec(exec);
        wave
    }
}

fn copy(wave: &Wave) -> Wave {
    let mut copy = Wave { mode: wave.mode, scc: wave.scc, sgpr: wave.sgpr, ..Wave::default() };
    copy.vgpr.copy_from_slice(&wave.vgpr[..]);
    copy
}

/// All operations that are compiled for waves in this mode.
fn operations(mode: Mode) -> Vec<Op> {
    let is_compiled = |op: &Op| {
        let mut inst = gcn_isa::inst::Inst::example(*op);
        // One that is only compiled with constants.
        if matches!(op, Op::VBfeU32 | Op::VBfeI32) {
            (inst.src[1], inst.src[2]) = (Operand::Int(3), Operand::Int(5));
        }
        matches!(compile(&inst, mode == FLUSHING), Some(Compiled::Vector(_) | Compiled::Scalar(_) | Compiled::Lane(_)))
    };
    Op::ALL.iter().copied().filter(is_compiled).collect()
}

fn slots(program: &[Inst]) -> Vec<Slot> {
    program.iter().map(|&inst| Slot { step: lower(&inst).expect("executed"), inst }).collect()
}

/// The block that the program begins with.
fn block_of(slots: &[Slot], mode: Mode) -> Option<Block> {
    let entry = Entry::default();
    entry.block(0, || Region::new(0, mode, ExitMask::default(), |index| slots.get(index)), |_| None)?;
    entry.block.into_inner().flatten()
}

/// A block that begins with an access.
fn block_of_access(access: Inst) -> Block {
    // Others behind it, as a region is longer than one.
    block_of(
        &slots(&[access, gcn_isa::inst::Inst::example(Op::SNop), gcn_isa::inst::Inst::example(Op::VMovB32)]),
        USUAL,
    )
    .expect("compiled")
}

/// Runs the access that a block begins with; whether that is done.
fn access_of(block: &Block, wave: &mut Wave, lds: &mut [u8], windows: &[Window; WINDOWS]) -> bool {
    // What is behind it moves a register to itself.
    match block.run(block.start(), wave, lds, windows, false, &mut 3) {
        Exit::Singles { index: 0, count: 1, rest: 2, resume: Some(_) } => false,
        Exit::Elsewhere(3) => true,
        other => panic!("{other:?}"),
    }
}

fn single(slot: &Slot, wave: &mut Wave) {
    match slot.step {
        context::Step::Alu(run) => run(wave, &slot.inst),
        context::Step::Core(_) => panic!("{} needs more than its wave", slot.inst),
    }
}

/// Runs a program from its first instruction on by regions, while instructions are `left`. Gives where it is then.
fn run_regions(slots: &[Slot], wave: &mut Wave, left: &mut u64) -> i64 {
    let entries: Vec<Entry> = slots.iter().map(|_| Entry::default()).collect();
    let mut at = 0;
    while let Ok(index) = usize::try_from(at)
        && let Some(entry) = entries.get(index)
        && let Some(block) = entry.block(
            0,
            || Region::new(index, wave.mode, ExitMask::default(), |index| slots.get(index)),
            |index| entries.get(index),
        )
        && *left >= block.instructions()
    {
        let mut start = block.start();
        at = loop {
            match block.run(start, wave, &mut [], &NOWHERE, false, left) {
                Exit::Elsewhere(index) => break index,
                Exit::End(index) => break i64::from(index),
                Exit::Singles { index, count, resume, .. } => {
                    slots[index as usize..][..count as usize].iter().for_each(|slot| single(slot, wave));
                    match resume {
                        Some(resume) => start = resume,
                        None => break i64::from(index + count),
                    }
                }
            }
        };
    }
    at
}

/// What differs first.
fn difference(compiled: &Wave, expected: &Wave) -> Option<String> {
    if compiled.scc != expected.scc {
        return Some(format!("SCC is {}", compiled.scc));
    }
    let mut scalars = compiled.sgpr.iter().zip(expected.sgpr.iter()).enumerate();
    if let Some((n, (got, expected))) = scalars.find(|(_, (got, expected))| got != expected) {
        return Some(format!("s{n} is {got:#x}, not {expected:#x}"));
    }
    for (n, (got, expected)) in compiled.vgpr.iter().zip(expected.vgpr.iter()).enumerate() {
        for (lane, (got, expected)) in got.0.iter().zip(&expected.0).enumerate() {
            if got != expected {
                return Some(format!("v{n} (a0 is v{ACCUMULATION}), lane {lane} is {got:#x}, not {expected:#x}"));
            }
        }
    }
    None
}

fn text(program: &[Inst]) -> String {
    program.iter().map(Inst::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn compiled_instructions_do_what_single_ones_do() {
    skip_unless_available!();
    same_as_single_ones(USUAL);
}

#[test]
fn compiled_instructions_do_what_single_ones_do_without_denormals() {
    skip_unless_available!();
    same_as_single_ones(FLUSHING);
}

fn same_as_single_ones(mode: Mode) {
    let operations = operations(mode);
    assert!(operations.len() > 100, "{}", operations.len());
    let mut random = Random(1);
    let mut compiled = vec![0; operations.len()];
    let [mut sdwa, mut dpp] = [0; 2];
    for round in 0..20_000 {
        let before = Wave { mode, ..random.wave() };
        let count = if round % 2 == 0 { 2 } else { 2 + random.next() % 60 };
        let program: Vec<Inst> = (0..count)
            .map(|_| {
                let which = (random.next() % operations.len() as u64) as usize;
                let inst = random.inst(operations[which]);
                if compile(&inst, mode == FLUSHING).is_some() {
                    compiled[which] += 1;
                    sdwa += u32::from(matches!(inst.mods, Mods::Sdwa(_)));
                    dpp += u32::from(matches!(inst.mods, Mods::Dpp { .. }));
                }
                inst
            })
            .collect();
        let slots = slots(&program);
        if block_of(&slots, mode).is_none() {
            continue;
        }
        let (mut wave, mut expected, mut left) = (copy(&before), copy(&before), count);
        assert_eq!(run_regions(&slots, &mut wave, &mut left), count as i64);
        assert_eq!(left, 0);
        slots.iter().for_each(|slot| single(slot, &mut expected));
        if let Some(what) = difference(&wave, &expected) {
            panic!("round {round}, EXEC {:#x}: {what}\n{}", before.exec(), text(&program));
        }
    }
    assert!(sdwa > 5000 && dpp > 5000, "{sdwa} with SDWA, {dpp} with DPP");
    let seldom = operations.iter().zip(&compiled).filter(|(_, count)| **count < 100).map(|(op, _)| op.mnemonic());
    assert_eq!(seldom.collect::<Vec<_>>(), [""; 0]);
}

/// Runs a program of one dword an instruction, one by one, while instructions are `left`. Gives where it is then.
fn run_singles(slots: &[Slot], wave: &mut Wave, left: &mut u64) -> i64 {
    let mut at = 0;
    while *left > 0
        && let Some(slot) = usize::try_from(at).ok().and_then(|index| slots.get(index))
    {
        *left -= 1;
        at += 1;
        let taken = match slot.inst.op {
            Op::SBranch => true,
            Op::SCbranchScc0 => !wave.scc,
            Op::SCbranchScc1 => wave.scc,
            Op::SCbranchVccz => wave.vcc() == 0,
            Op::SCbranchVccnz => wave.vcc() != 0,
            Op::SCbranchExecz => wave.exec() == 0,
            Op::SCbranchExecnz => wave.exec() != 0,
            _ => {
                single(slot, wave);
                continue;
            }
        };
        let Operand::Imm(distance) = slot.inst.src[0] else { panic!("{}", slot.inst) };
        at += if taken { i64::from(distance) } else { 0 };
    }
    at
}

#[test]
fn branches_go_where_single_ones_go() {
    const BRANCHES: [Op; 7] = [
        Op::SBranch,
        Op::SCbranchScc0,
        Op::SCbranchScc1,
        Op::SCbranchVccz,
        Op::SCbranchVccnz,
        Op::SCbranchExecz,
        Op::SCbranchExecnz,
    ];
    skip_unless_available!();
    let mut random = Random(5);
    let operations = operations(USUAL);
    let (mut ends, mut turns, mut loops) = (0, 0, 0);
    for round in 0..20_000 {
        let mut before = random.wave();
        // What some branches ask.
        if random.chance(2) {
            before.set_vcc(0);
        }
        let count = 3 + random.next() as usize % 40;
        let program: Vec<Inst> = (0..count)
            .map(|at| {
                let which = (random.next() % operations.len() as u64) as usize;
                let mut inst = match random.below(6) {
                    0 => gcn_isa::inst::Inst::example(BRANCHES[usize::from(random.below(7))]),
                    // Not compiled, and executed by themselves.
                    1 => random.inst(Op::VMbcntLoU32B32),
                    2 => random.inst(Op::SBrevB32),
                    _ => random.inst(operations[which]),
                };
                inst.len = 4;
                if BRANCHES.contains(&inst.op) {
                    // Somewhere in the program, or just out of it.
                    let to = (random.next() % (count as u64 + 2)) as i32 - 1;
                    inst.src[0] = Operand::Imm(to - at as i32 - 1);
                }
                inst
            })
            .collect();
        let slots = slots(&program);
        let turn = random.next() % 300;
        let (mut wave, mut left) = (copy(&before), turn);
        let at = run_regions(&slots, &mut wave, &mut left);
        let done = turn - left;
        let (mut expected, mut rest) = (copy(&before), done);
        assert_eq!(run_singles(&slots, &mut expected, &mut rest), at, "round {round}\n{}", text(&program));
        assert_eq!(rest, 0, "round {round}: {done} instructions\n{}", text(&program));
        if let Some(what) = difference(&wave, &expected) {
            panic!("round {round}, {done} instructions: {what}\n{}", text(&program));
        }
        let is_outside = usize::try_from(at).map_or(true, |at| at >= count);
        ends += u32::from(is_outside);
        turns += u32::from(!is_outside && left > 0 && done > 0);
        loops += u32::from(done > count as u64);
    }
    assert!(ends > 1000 && turns > 1000 && loops > 1000, "{ends} ends, {turns} turns, {loops} loops");
}

#[test]
fn masks_that_nobody_reads_are_not_computed() {
    skip_unless_available!();
    let vcc = Operand::Special { reg: Special::VccLo, count: 2 };
    let carrying = |op: Op| {
        let mut inst = gcn_isa::inst::Inst::example(op);
        (inst.dst[1], inst.src[2]) = (vcc, if inst.src[2] == Operand::None { Operand::None } else { vcc });
        inst
    };
    let (add, add_carry) = (carrying(Op::VAddCoU32), carrying(Op::VAddcCoU32));
    let mut compare = gcn_isa::inst::Inst::example(Op::VCmpLtU32);
    compare.dst[0] = vcc;
    let mut wait = gcn_isa::inst::Inst::example(Op::SWaitcnt);
    wait.src[0] = Operand::Imm(0);
    // It finds no memory here.
    let mut load = gcn_isa::inst::Inst::example(Op::GlobalLoadDword);
    load.mods = Mods::Flat { offset: 0, cache: Cache::default(), lds: false, nv: false };
    (load.src[0], load.src[1]) = (Operand::Vgpr { first: 2, count: 2 }, Operand::None);
    for (program, is_dead) in [
        (vec![add_carry, load, compare], true),
        (vec![add_carry, load, add, compare], true),
        (vec![add_carry, load, add_carry, compare], false),
        // Where the code does not go on, or not only there, it may be read.
        (vec![add_carry, load, gcn_isa::inst::Inst::example(Op::VMovB32)], false),
        (vec![add_carry, load, gcn_isa::inst::Inst::example(Op::SEndpgm)], false),
        (vec![add_carry, load, gcn_isa::inst::Inst::example(Op::SCbranchScc0), compare], false),
        (vec![add_carry, load, gcn_isa::inst::Inst::example(Op::SBrevB32), compare], false),
        (vec![add_carry, load, wait, compare], false),
    ] {
        let block = block_of(&slots(&program), USUAL).expect("compiled");
        let mut before = Random(6).wave();
        before.set_exec(u64::MAX);
        let (mut wave, mut expected) = (copy(&before), copy(&before));
        let mut left = program.len() as u64;
        let exit = block.run(block.start(), &mut wave, &mut [], &NOWHERE, false, &mut left);
        assert!(matches!(exit, Exit::Singles { index: 1, .. }), "{exit:?}\n{}", text(&program));
        single(&slots(&[add_carry])[0], &mut expected);
        assert!(wave.vgpr == expected.vgpr, "{}", text(&program));
        assert_ne!(expected.vcc(), before.vcc());
        let vcc = if is_dead { before.vcc() } else { expected.vcc() };
        assert_eq!(wave.vcc(), vcc, "{}", text(&program));
    }
}

#[test]
fn scalar_loads_are_those_of_single_dwords_or_none() {
    const OPERATIONS: [(Op, usize); 5] = [
        (Op::SLoadDword, 1),
        (Op::SLoadDwordx2, 2),
        (Op::SLoadDwordx4, 4),
        (Op::SLoadDwordx8, 8),
        (Op::SLoadDwordx16, 16),
    ];
    const BYTES: usize = 512;
    const DEVICE: u64 = 0x7fff_ffff_f000;
    skip_unless_available!();
    let mut random = Random(4);
    let mut done = [0; OPERATIONS.len()];
    for round in 0..10_000 {
        let which = round % OPERATIONS.len();
        let (op, dwords) = OPERATIONS[which];
        let mut before = random.wave();
        let memory: Vec<u32> = (0..BYTES / 4).map(|_| random.next() as u32).collect();
        let mut windows = NOWHERE;
        let host = memory.as_ptr().cast_mut().cast();
        let writable = random.chance(2);
        windows[usize::from(random.below(8))] = Window { start: DEVICE, end: DEVICE + BYTES as u64, host, writable };

        let mut inst = gcn_isa::inst::Inst::example(op);
        let first = random.below(20) * 4;
        inst.dst[0] = Operand::Sgpr { first, count: dwords as u8 };
        inst.src = [Operand::Sgpr { first: 90, count: 2 }, Operand::None, Operand::None, Operand::None];
        let base = DEVICE - 64 + u64::from(random.below(200));
        (before.sgpr[90], before.sgpr[91]) = (base as u32, (base >> 32) as u32);
        before.sgpr[92] = u32::from(random.below(255)) * 2;
        let mut offset = 0;
        if random.chance(2) {
            inst.src[1] = Operand::Sgpr { first: 92, count: 1 };
            offset = i64::from(before.sgpr[92]);
        }
        if offset == 0 || random.chance(2) {
            let immediate = i32::from(random.next() as i16 % 300);
            inst.src[usize::from(offset != 0) + 1] = Operand::Imm(immediate);
            offset += i64::from(immediate);
        }
        let block = block_of_access(inst);
        let (mut compiled, mut expected) = (copy(&before), copy(&before));
        let at = (base & !3).wrapping_add_signed(offset & !3).wrapping_sub(DEVICE) as usize;
        let is_inside = at <= BYTES && at + 4 * dwords <= BYTES;
        assert_eq!(access_of(&block, &mut compiled, &mut [], &windows), is_inside, "round {round}: {inst}");
        if is_inside {
            done[which] += 1;
            expected.sgpr[usize::from(first)..][..dwords].copy_from_slice(&memory[at / 4..][..dwords]);
        }
        assert_eq!(compiled.sgpr, expected.sgpr, "round {round}: {inst}");
        assert!(compiled.vgpr == expected.vgpr && compiled.scc == expected.scc, "round {round}: {inst}");
    }
    assert!(done.iter().all(|&count| count > 300), "{done:?}");
}

#[test]
fn a_turn_ends_at_a_wait_for_vector_memory_if_it_has_to() {
    skip_unless_available!();
    let mut wait = gcn_isa::inst::Inst::example(Op::SWaitcnt);
    wait.src[0] = Operand::Imm(0);
    let program = [
        gcn_isa::inst::Inst::example(Op::VMovB32),
        wait,
        gcn_isa::inst::Inst::example(Op::VMovB32),
        gcn_isa::inst::Inst::example(Op::VMovB32),
    ];
    for mode in [USUAL, FLUSHING] {
        let block = block_of(&slots(&program), mode).expect("compiled");
        let run = |start, leaving, left: &mut u64| {
            block.run(start, &mut Wave { mode, ..Wave::default() }, &mut [], &NOWHERE, leaving, left)
        };
        let mut left = 9;
        assert!(matches!(run(block.start(), false, &mut left), Exit::Elsewhere(4)));
        assert_eq!(left, 5);
        let mut left = 9;
        let Exit::Singles { index: 1, count: 1, rest: 2, resume: Some(resume) } = run(block.start(), true, &mut left)
        else {
            panic!("goes on");
        };
        assert_eq!(left, 5);
        assert!(matches!(run(resume, true, &mut left), Exit::Elsewhere(4)));
    }
}
