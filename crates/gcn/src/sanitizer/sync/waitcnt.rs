//! Detects missing `s_waitcnt`: registers that are used before their load has completed.
//!
//! Here a load is done at once. On hardware it only begins, and `s_waitcnt` waits until at most so many instructions
//! are left (AMD's ISA manuals, "Data Dependency Resolution"). So what each wave has begun is kept, and what a counter
//! says to be done is forgotten. What finds a register of the rest is told, whichever value it got.
//!
//! Instructions of vector memory are done in order, and so are those of LDS among themselves. Scalar loads are done in
//! any order: only a wait for all waits for one.

use crate::machine::bus::Access;
use crate::sanitizer::report::{Checks, Race, Racer, Registers, Space, Unordered};
use gcn_alu::wave::{ACCUMULATION, VECTOR_REGISTERS, Wave, scalar_index, vector_index};
use gcn_isa::inst::{Format, Inst, Operand};
use gcn_isa::op::Op;
use gcn_isa::waitcnt::{ALL_LGKMCNT, ALL_VMCNT, left};
use std::collections::VecDeque;
use std::ops::Range;

/// Instructions that the counters count; the next one waits.
const MOST: [usize; 2] = [ALL_VMCNT as usize, ALL_LGKMCNT as usize];

/// A set of registers: vector registers by their place in [`Wave::vgpr`], and scalar ones behind them.
#[derive(Clone, Copy, Default)]
struct Set([u64; WORDS]);

const SCALARS: usize = 2 * VECTOR_REGISTERS;
const WORDS: usize = (SCALARS + 128).div_ceil(64);

impl Set {
    fn add(&mut self, registers: Range<usize>) {
        registers.for_each(|at| self.0[at / 64] |= 1 << (at % 64));
    }

    fn has_any(&self, mut registers: Range<usize>) -> bool {
        registers.any(|at| self.0[at / 64] >> (at % 64) & 1 != 0)
    }
}

/// The registers of an operand.
fn registers(operand: Operand) -> Range<usize> {
    let count = match operand {
        Operand::Vgpr { count, .. } | Operand::Agpr { count, .. } => count,
        Operand::Sgpr { count, .. } | Operand::Special { count, .. } => count,
        _ => 0,
    };
    let scalar = || scalar_index(operand).map(|index| SCALARS + index);
    let start = vector_index(operand).or_else(scalar).unwrap_or(0);
    start..(start + usize::from(count)).min(64 * WORDS)
}

/// Of which kind an instruction is that is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Vector,
    Local,
    /// By both counters.
    Flat,
    Scalar,
}

impl Counted {
    fn of(inst: &Inst) -> Option<Counted> {
        match inst.format {
            Format::Global | Format::Scratch | Format::Mubuf | Format::Mtbuf | Format::Mimg => {
                // What empties the L1 is not counted.
                let counts = !matches!(inst.op, Op::BufferWbinvl1 | Op::BufferWbinvl1Vol | Op::BufferInv);
                counts.then_some(Counted::Vector)
            }
            Format::Flat => Some(Counted::Flat),
            Format::Ds => Some(Counted::Local),
            Format::Smem => Some(Counted::Scalar),
            _ => None,
        }
    }

    /// Whether the second one writes to registers behind the first.
    fn is_in_order(self, next: Counted) -> bool {
        use Counted::*;
        matches!((self, next), (Vector | Flat, Vector | Flat) | (Local, Local))
    }
}

/// An instruction that is under way.
struct Begun {
    counted: Counted,
    pc: u64,
    instruction: Inst,
    /// What it writes to: nothing, if it is a store or was told.
    registers: Range<usize>,
    /// Those lanes.
    lanes: u64,
}

/// What a wave has begun.
#[derive(Default)]
struct Member {
    /// Of vector memory, FLAT too, the oldest first.
    vector: VecDeque<Begun>,
    /// Of LDS, likewise, and places for those of FLAT.
    local: VecDeque<Begun>,
    scalar: VecDeque<Begun>,
    /// What they write to.
    registers: Set,
}

impl Member {
    fn all(&mut self) -> impl Iterator<Item = &mut Begun> {
        self.vector.iter_mut().chain(&mut self.local).chain(&mut self.scalar)
    }

    fn begin(&mut self, new: Begun) {
        self.registers.add(new.registers.clone());
        match new.counted {
            Counted::Scalar => self.scalar.push_back(new),
            Counted::Local => self.local.push_back(new),
            Counted::Vector => self.vector.push_back(new),
            Counted::Flat => {
                let place = Begun { registers: 0..0, ..new };
                self.local.push_back(place);
                self.vector.push_back(new);
            }
        }
        self.leave(MOST);
        self.scalar.drain(..self.scalar.len().saturating_sub(MOST[1]));
    }

    /// All are done but as many as the counters say.
    fn wait(&mut self, left: [usize; 2]) {
        if left[1] == 0 {
            self.scalar.clear();
            // It is not known here whether they were to LDS, and then they are done.
            self.vector
                .iter_mut()
                .filter(|begun| begun.counted == Counted::Flat)
                .for_each(|begun| begun.registers = 0..0);
        }
        self.leave(left);
        let mut registers = Set::default();
        self.all().for_each(|begun| registers.add(begun.registers.clone()));
        self.registers = registers;
    }

    fn leave(&mut self, [vector, local]: [usize; 2]) {
        self.vector.drain(..self.vector.len().saturating_sub(vector));
        self.local.drain(..self.local.len().saturating_sub(local));
    }

    /// Tells of a load that is under way to one of the `registers` that an instruction, counted so, uses.
    #[cold]
    fn tell(&mut self, by: Racer, registers: Range<usize>, counted: Option<Counted>, exec: u64, checks: &dyn Checks) {
        let lanes = if is_of_all_lanes(by.instruction) { u64::MAX } else { exec };
        let is_hit = |begun: &&mut Begun| {
            let is_same = begun.registers.start < registers.end && registers.start < begun.registers.end;
            let is_behind =
                || by.access == Access::Write && counted.is_some_and(|next| begun.counted.is_in_order(next));
            is_same && begun.lanes & lanes != 0 && !is_behind()
        };
        let Some(begun) = self.all().find(is_hit) else { return };
        let first = registers.start.max(begun.registers.start);
        let (file, number, lane) = match first {
            at if at >= SCALARS => (Registers::Scalar, at - SCALARS, None),
            at if at >= ACCUMULATION => (Registers::Accumulation, at - ACCUMULATION, Some(begun.lanes & lanes)),
            at => (Registers::Vector, at, Some(begun.lanes & lanes)),
        };
        let lane = lane.map(|lanes| lanes.trailing_zeros() as u8);
        checks.race(&Race {
            space: Space::Register(file),
            address: number as u64,
            unordered: Unordered::Begun,
            first: Racer { pc: begun.pc, instruction: &begun.instruction, lane, access: Access::Read, ..by },
            second: Racer { lane, ..by },
        });
        // Once is enough.
        begun.registers = 0..0;
    }
}

/// What the waves of a work-group have begun.
#[derive(Default)]
pub(crate) struct Waits {
    workgroup: [u32; 3],
    members: Vec<Member>,
}

impl Waits {
    /// Starts a work-group of `waves` waves.
    pub fn start(&mut self, workgroup: [u32; 3], waves: usize) {
        self.workgroup = workgroup;
        self.members.clear();
        self.members.resize_with(waves, Member::default);
    }

    /// A wave is about to execute the instruction at `pc`.
    pub fn step(&mut self, wave: &Wave, pc: u64, inst: &Inst, checks: &dyn Checks) {
        let Some(member) = self.members.get_mut(wave.index as usize) else { return };
        if inst.op == Op::SWaitcnt {
            member.wait(left(inst).map(|left| left as usize));
            return;
        }
        let (counted, workgroup) = (Counted::of(inst), self.workgroup);
        let used = inst.src.iter().map(|source| (*source, Access::Read));
        for (operand, access) in used.chain(inst.dst.iter().map(|result| (*result, Access::Write))) {
            let registers = registers(operand);
            if member.registers.has_any(registers.clone()) && !is_relative(wave, inst) {
                let racer = Racer { pc, instruction: inst, workgroup, wave: wave.index, lane: None, access };
                member.tell(racer, registers, counted, wave.exec(), checks);
            }
        }
        if let Some(counted) = counted {
            let registers = registers(inst.dst[0]);
            let lanes = if counted == Counted::Scalar { u64::MAX } else { wave.exec() };
            member.begin(Begun { counted, pc, instruction: *inst, registers, lanes });
        } else if matches!(inst.op, Op::SSendmsg | Op::SSendmsghalt) {
            // It is counted, and done in any order.
            member.begin(Begun { counted: Counted::Scalar, pc, instruction: *inst, registers: 0..0, lanes: 0 });
        }
    }
}

/// Whether it is not known here which registers it uses: they are relative to M0, or it is skipped.
fn is_relative(wave: &Wave, inst: &Inst) -> bool {
    wave.mode.gpr_idx_en() || wave.mode.vskip() || inst.op.mnemonic().contains("movrel")
}

/// Whether it reads or writes lanes that are off.
fn is_of_all_lanes(inst: &Inst) -> bool {
    matches!(inst.op, Op::VReadlaneB32 | Op::VWritelaneB32) || inst.op.mnemonic().starts_with("v_mfma")
}
