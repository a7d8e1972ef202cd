//! From instructions to the code of a region.

use crate::interp::control::waits_for_vector_memory;
use crate::jit::code_memory::Executable;
use crate::jit::liveness::live_behind;
use crate::jit::lower::read_lane::LaneMove;
use crate::jit::lower::salu::Scalar;
use crate::jit::lower::smem::Constant;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::vmem::{Access, Routines};
use crate::jit::part::{Compiled, Memory, Part};
use crate::jit::phase::Phase;
use crate::jit::x64::assembler::{Code, Jump};
use crate::jit::x64::cond::Condition;
use crate::jit::x64::strip::{Strip, Width};
use crate::jit::{BYTES, Exit, Head, LEAST, MOST, Region, is_available};
use crate::machine::context::{Slot, Step};
use crate::machine::exit_mask::ExitMask;
use gcn_alu::fp;
use gcn_alu::simd::simd;
use gcn_alu::wave::Mode;
use gcn_isa::inst::{Format, Inst, Operand};
use gcn_isa::op::Op;
use std::iter;
use std::sync::atomic::Ordering;

/// Instructions of the longest region.
const LONGEST: usize = 512;

/// A block: where it begins, and its instructions.
struct Planned {
    at: usize,
    parts: Vec<(usize, Part)>,
}

impl Region {
    /// The one that begins at dword `start` of what has these instructions, for waves in this mode or, if that one has
    /// no regions, in the usual one, of a device that inspects this. `None` where too little is compiled, or the system
    /// gives no memory for it.
    #[cold]
    pub fn new<'a>(
        start: usize,
        mode: Mode,
        inspected: ExitMask,
        slot: impl Fn(usize) -> Option<&'a Slot>,
    ) -> Option<Region> {
        if !is_available() || BYTES.load(Ordering::Relaxed) >= MOST {
            return None;
        }
        let flushes = fp::is_flushing(mode);
        let Row { parts, behind } = row(start, flushes, inspected, slot);
        let compiled = parts.iter().filter(|(_, part)| !matches!(part, Part::Single | Part::Last | Part::End)).count();
        if compiled < 2 {
            return None;
        }
        let mut emitter = Emitter::new(flushes);
        emitter.code.enter(flushes);
        for block in blocks(parts) {
            emitter.block(&block);
        }
        let exit = emitter.exit(Exit::Elsewhere(behind as i64));
        emitter.code.leave(exit);
        let Emitter { code, heads, exits, .. } = emitter.finish();
        if !code.is_whole() {
            return None;
        }
        let code = code.finish();
        let bytes = code.len().max(LEAST);
        let code = Executable::new(&code)?;
        BYTES.fetch_add(bytes, Ordering::Relaxed);
        let mode = if flushes { fp::of_results(mode) } else { Mode(fp::MODE_NATIVE) };
        Some(Region { mode, inspected, heads, exits, code, bytes })
    }
}

/// Instructions one behind the other, with their dwords.
struct Row {
    parts: Vec<(usize, Part)>,
    /// The dword behind the last one.
    behind: usize,
}

/// The row from a dword on, as far as a wave can come from there. `flushes`: denormals of f32 are zero.
fn row<'a>(start: usize, flushes: bool, inspected: ExitMask, slot: impl Fn(usize) -> Option<&'a Slot>) -> Row {
    let mut row = Row { parts: Vec::new(), behind: start };
    let mut farthest = 0;
    while let Some(slot) = slot(row.behind).filter(|_| row.parts.len() < LONGEST) {
        let part = part(row.behind, flushes, inspected, slot);
        if let Part::Branch(_, target) = part {
            farthest = farthest.max(target);
        }
        row.parts.push((row.behind, part));
        row.behind += length(slot);
        if changes_mode(&slot.inst) || goes_away(&slot.inst) && farthest < row.behind as i64 {
            break;
        }
    }
    row
}

/// The same as blocks, which begin where something in it branches to, and behind branches and pauses.
fn blocks(parts: Vec<(usize, Part)>) -> Vec<Planned> {
    let target = |(_, part): &(usize, Part)| if let Part::Branch(_, target) = part { Some(*target) } else { None };
    let targets: Vec<i64> = parts.iter().filter_map(target).collect();
    let mut blocks: Vec<Planned> = Vec::new();
    let mut begins = true;
    for (at, part) in parts {
        if begins || targets.contains(&(at as i64)) {
            blocks.push(Planned { at, parts: Vec::new() });
        }
        begins = matches!(part, Part::Branch(..) | Part::Last | Part::End);
        if let Some(block) = blocks.last_mut() {
            block.parts.push((at, part));
        }
    }
    blocks
}

fn length(slot: &Slot) -> usize {
    usize::from(slot.inst.len / 4)
}

/// What becomes of the instruction at dword `at`.
fn part(at: usize, flushes: bool, inspected: ExitMask, slot: &Slot) -> Part {
    let inst = &slot.inst;
    if let Some(condition) = branch(inst.op) {
        let distance = inst.src.iter().chain(&inst.dst).find_map(|operand| match operand {
            Operand::Imm(distance) => Some(*distance),
            _ => None,
        });
        return Part::Branch(condition, (at + length(slot)) as i64 + i64::from(distance.unwrap_or(0)));
    }
    if inst.op == Op::SEndpgm {
        return if inspected == ExitMask::default() { Part::End } else { Part::Last };
    }
    if inspected.includes(inst) {
        return Part::Single;
    }
    if inst.op == Op::SWaitcnt && waits_for_vector_memory(inst) {
        return Part::Wait;
    }
    if let Some(compiled) = compile(inst, flushes) {
        return Part::Compiled(compiled);
    }
    let memory =
        Access::of(inst).filter(has_encoding_of).map(Memory::Vector).or_else(|| Constant::of(inst).map(Memory::Scalar));
    let is_control = matches!(inst.format, Format::Sopp | Format::Sopk | Format::Sop1 | Format::Sop2 | Format::Sopc);
    match memory {
        Some(memory) => Part::Memory(memory),
        None if is_control && matches!(slot.step, Step::Core(_)) => Part::Last,
        None => Part::Single,
    }
}

/// The condition of a branch, if there is one.
fn branch(op: Op) -> Option<Option<Condition>> {
    Some(match op {
        Op::SBranch => None,
        Op::SCbranchScc0 => Some(Condition::Scc(false)),
        Op::SCbranchScc1 => Some(Condition::Scc(true)),
        Op::SCbranchVccz => Some(Condition::vcc(false)),
        Op::SCbranchVccnz => Some(Condition::vcc(true)),
        Op::SCbranchExecz => Some(Condition::exec(false)),
        Op::SCbranchExecnz => Some(Condition::exec(true)),
        _ => return None,
    })
}

pub(super) fn compile(inst: &Inst, flushes: bool) -> Option<Compiled> {
    if is_nothing(inst) {
        return Some(Compiled::Nothing);
    }
    Lanewise::of(inst, flushes)
        .and_then(|whole| iter::once(whole).chain(whole.without_scaling_back()).find(has_encoding))
        .map(Compiled::Vector)
        .or_else(|| Scalar::of(inst).map(Compiled::Scalar))
        .or_else(|| LaneMove::of(inst).map(Compiled::Lane))
}

/// Whether the host has what the instruction needs.
fn has_encoding(instruction: &Lanewise) -> bool {
    Code::encodes(simd(), |code| {
        let width = if instruction.row.is_some() { Width::Sixteen } else { Width::Eight };
        let mut lanes = Strip::new(code, width, 0);
        lanes.begin();
        instruction.emit(&mut lanes);
        lanes.finish();
    })
}

/// The same of an access of all lanes.
fn has_encoding_of(access: &Access) -> bool {
    Code::encodes(simd(), |code| {
        access.emit(code, &mut Routines::default());
    })
}

/// Whether the instruction changes nothing: every access is complete before the next instruction.
fn is_nothing(inst: &Inst) -> bool {
    matches!(inst.op, Op::SNop | Op::SWaitcnt | Op::SSetprio)
}

/// Whether no wave comes to what is behind the instruction but by a branch.
fn goes_away(inst: &Inst) -> bool {
    use Op::*;
    matches!(
        inst.op,
        SBranch | SSetpcB64 | SSwappcB64 | SCallB64 | SRfeB64 | SEndpgm | SEndpgmSaved | SEndpgmOrderedPsDone
    )
}

/// Whether a region may not be the right one behind the instruction.
fn changes_mode(inst: &Inst) -> bool {
    use Op::*;
    matches!(
        inst.op,
        SSetregB32
            | SSetregImm32B32
            | SSetvskip
            | SSetGprIdxOn
            | SSetGprIdxOff
            | SSetGprIdxMode
            | SSetGprIdxIdx
            | SRfeB64
            | SCbranchGFork
            | SCbranchIFork
            | SCbranchJoin
    )
}

/// Code, and what in it is not done yet.
struct Emitter {
    /// Denormals of f32 are zero.
    flushes: bool,
    code: Code,
    heads: Vec<Head>,
    exits: Vec<Exit>,
    /// Jumps to dwords of the page.
    branches: Vec<(Jump, i64)>,
    /// Jumps to where the code is left, for which exit, and how many instructions the turn gets back.
    leaves: Vec<(Vec<Jump>, u32, u32)>,
    accesses: Vec<Rest>,
    routines: Routines,
}

/// What of an access seldom runs, and is behind all that often does.
struct Rest {
    access: Access,
    /// To there.
    jumps: Vec<Jump>,
    /// Where it goes on.
    resume: usize,
    /// For what is not done there either.
    exit: u32,
}

impl Emitter {
    fn new(flushes: bool) -> Emitter {
        Emitter {
            flushes,
            code: Code::new(simd()),
            heads: Vec::new(),
            exits: Vec::new(),
            branches: Vec::new(),
            leaves: Vec::new(),
            accesses: Vec::new(),
            routines: Routines::default(),
        }
    }

    fn exit(&mut self, exit: Exit) -> u32 {
        self.exits.push(exit);
        self.exits.len() as u32 - 1
    }

    fn block(&mut self, block: &Planned) {
        let live = live_behind(&block.parts);
        let instructions = block.parts.len() as u32;
        self.heads.push(Head { index: block.at as u32, start: self.code.len(), instructions });
        let too_few = self.code.take(instructions);
        let exit = self.exit(Exit::Elsewhere(block.at as i64));
        self.leaves.push((vec![too_few], exit, instructions));
        let mut phase = Phase::default();
        let mut parts = block.parts.iter().enumerate().peekable();
        while let Some((done, (at, part))) = parts.next() {
            match part {
                Part::Compiled(Compiled::Nothing) => continue,
                Part::Compiled(Compiled::Vector(instruction)) if instruction.unless.is_none() => {
                    let instruction = instruction.without_dead(live[done]);
                    if !phase.takes(&instruction) || self.code.has_halves() && phase.is_apart(&instruction) {
                        phase.emit(&mut self.code);
                    }
                    phase.push(instruction, live[done]);
                    continue;
                }
                Part::Compiled(Compiled::Scalar(instruction)) if phase.lets_pass(instruction) => {
                    instruction.emit(&mut self.code);
                    continue;
                }
                _ => phase.emit(&mut self.code),
            }
            let rest = instructions - done as u32 - 1;
            let index = *at as u32;
            match part {
                Part::Compiled(Compiled::Scalar(instruction)) => instruction.emit(&mut self.code),
                Part::Compiled(Compiled::Lane(instruction)) => instruction.emit(&mut self.code),
                Part::Compiled(Compiled::Vector(instruction)) => {
                    let failures = instruction.unless.map(|pair| self.code.any_enabled(pair));
                    phase.push(*instruction, live[done]);
                    phase.emit(&mut self.code);
                    let resume = Some(self.code.len());
                    let exit = self.exit(Exit::Singles { index, count: 1, rest, resume });
                    self.leaves.push((failures.into_iter().collect(), exit, 0));
                }
                Part::Compiled(Compiled::Nothing) => {}
                Part::Memory(Memory::Scalar(constant)) => {
                    let failures = constant.emit(&mut self.code, &mut self.routines);
                    let resume = self.code.len();
                    let exit = self.exit(Exit::Singles { index, count: 1, rest, resume: Some(resume) });
                    self.leaves.push((failures, exit, 0));
                }
                Part::Memory(Memory::Vector(access)) => {
                    let [jumps, failures] = access.emit(&mut self.code, &mut self.routines);
                    let resume = self.code.len();
                    let exit = self.exit(Exit::Singles { index, count: 1, rest, resume: Some(resume) });
                    self.leaves.push((failures, exit, 0));
                    self.accesses.push(Rest { access: access.clone(), jumps, resume, exit });
                }
                Part::Wait => {
                    let leaving = self.code.leaving(self.flushes);
                    let resume = Some(self.code.len());
                    let exit = self.exit(Exit::Singles { index, count: 1, rest, resume });
                    self.leaves.push((vec![leaving], exit, 0));
                }
                Part::Single => {
                    let mut count = 1;
                    while parts.next_if(|(_, (_, part))| matches!(part, Part::Single)).is_some() {
                        count += 1;
                    }
                    let exit = self.exits.len() as u32;
                    self.code.leave(exit);
                    let resume = Some(self.code.len());
                    self.exit(Exit::Singles { index, count, rest: rest + 1 - count, resume });
                }
                Part::End => {
                    let exit = self.exit(Exit::End(index + 1));
                    self.code.leave(exit);
                }
                Part::Last => {
                    let exit = self.exit(Exit::Singles { index, count: 1, rest, resume: None });
                    self.code.leave(exit);
                }
                Part::Branch(condition, target) => {
                    let jump = self.code.branch(*condition);
                    self.branches.push((jump, *target));
                }
            }
        }
        phase.emit(&mut self.code);
    }

    /// Says where all jumps go.
    fn finish(mut self) -> Emitter {
        for (jump, target) in std::mem::take(&mut self.branches) {
            match self.heads.iter().find(|head| i64::from(head.index) == target) {
                Some(head) => self.code.land_at(jump, head.start),
                None => {
                    let exit = self.exit(Exit::Elsewhere(target));
                    self.leaves.push((vec![jump], exit, 0));
                }
            }
        }
        for Rest { access, jumps, resume, exit } in std::mem::take(&mut self.accesses) {
            jumps.into_iter().for_each(|jump| self.code.land(jump));
            let failures = access.rest(&mut self.code, &mut self.routines);
            let back = self.code.jump(None);
            self.code.land_at(back, resume);
            self.leaves.push((failures, exit, 0));
        }
        for (jumps, exit, back) in std::mem::take(&mut self.leaves) {
            jumps.into_iter().for_each(|jump| self.code.land(jump));
            if back > 0 {
                self.code.give_back(back);
            }
            self.code.leave(exit);
        }
        self.code.end(self.flushes);
        std::mem::take(&mut self.routines).emit(&mut self.code);
        self
    }
}
