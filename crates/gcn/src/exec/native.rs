//! Blocks: rows of instructions that ran often, with what can be compiled as machine code of the host.
//!
//! A block begins where a wave's turn begins or a branch goes, and ends behind the next branch or what else needs the run loop. Vector and scalar instructions that work on
//! registers alone are compiled; the others are executed as the run loop executes them. So a block is an optimisation and never a second meaning: what it does
//! not have, the run loop does, from any instruction on.
//!
//! Only the usual modes have blocks, and only processors with AVX-512. Devices that check or replay accesses have none, and a wave whose turn is shorter than the block goes on by
//! single instructions.

use super::control::waits_for_vector_memory;
use super::float;
use super::machine::{self, Slot};
use super::memory::WINDOWS;
use super::simd::{Simd, simd};
use super::wave::{Lanes, Mode, Wave};
use crate::bus::Window;
use crate::inst::{Format, Inst};
use crate::op::Op;
use constant::Constant;
use encode::Code;
use global::Global;
use lanes::Lanewise;
use local::Local;
use memory::Executable;
use scalar::Scalar;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use vector::Phase;

mod constant;
mod encode;
mod global;
mod lanes;
mod local;
mod memory;
mod scalar;
mod vector;

/// Instructions of the longest block.
const LONGEST: u64 = 512;

/// Blocks of all devices of the process: each has pages of its own, of which Linux gives a process 65,530 in all.
const MOST: usize = 8192;

static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// Where a block may begin.
#[derive(Default)]
pub(crate) struct Entry {
    /// How often a wave came here.
    visits: AtomicU32,
    block: OnceLock<Option<Block>>,
}

impl Entry {
    /// The block that begins here, at dword `index` of what has the instructions `slot`, once waves have come here `often` enough.
    #[inline]
    pub fn block<'a>(&self, index: usize, often: u32, slot: impl Fn(usize) -> Option<&'a Slot>) -> Option<&Block> {
        if let Some(block) = self.block.get() {
            return block.as_ref();
        }
        // Visits that two threads count as one are none too few.
        let visits = self.visits.load(Ordering::Relaxed);
        self.visits.store(visits.saturating_add(1), Ordering::Relaxed);
        if visits < often { None } else { self.block.get_or_init(|| Block::new(index, slot)).as_ref() }
    }
}

/// A row of instructions, compiled.
pub(crate) struct Block {
    pub steps: Vec<Step>,
    /// How many instructions these are.
    pub instructions: u64,
    /// The dword behind the last one.
    pub end: usize,
    /// An instruction waits for vector memory.
    waits: bool,
    code: Executable,
}

/// A part of a block.
pub(crate) enum Step {
    /// Machine code, from this offset on, of so many instructions.
    Native { start: usize, instructions: u32 },
    /// The instruction at this dword of the page.
    Single(u32),
    /// The same, if the machine code from this offset on does not do it.
    Try { start: usize, index: u32 },
}

/// What is compiled.
enum Compiled {
    Vector(Lanewise),
    Scalar(Scalar),
    /// Changes nothing.
    Nothing,
}

impl Block {
    /// The one that begins at dword `start` of what has these instructions. `None` where too little is compiled, or the system gives no memory for it.
    #[cold]
    fn new<'a>(start: usize, slot: impl Fn(usize) -> Option<&'a Slot>) -> Option<Block> {
        if simd() != Simd::Avx512 || BLOCKS.load(Ordering::Relaxed) >= MOST {
            return None;
        }
        let mut code = Code::default();
        let mut steps = Vec::new();
        let mut native: Option<(usize, u32)> = None;
        let mut phase = Phase::default();
        let (mut index, mut instructions, mut compiled, mut waits) = (start, 0, 0, false);
        while let Some(slot) = slot(index).filter(|_| instructions < LONGEST) {
            instructions += 1;
            waits |= slot.inst.op == Op::SWaitcnt && waits_for_vector_memory(&slot.inst);
            if let Some(what) = compile(&slot.inst) {
                let (_, count) = native.get_or_insert((code.len(), 0));
                *count += 1;
                match what {
                    Compiled::Nothing => {}
                    Compiled::Vector(instruction) => {
                        compiled += 1;
                        if !phase.takes(&instruction) {
                            phase.emit(&mut code);
                        }
                        phase.push(instruction);
                    }
                    Compiled::Scalar(instruction) => {
                        compiled += 1;
                        if !phase.is_empty() {
                            phase.emit(&mut code);
                        }
                        instruction.emit(&mut code);
                    }
                }
            } else {
                end_native(&mut native, &mut phase, &mut code, &mut steps);
                let (start, single) = (code.len(), index as u32);
                steps.push(if access(&slot.inst, &mut code) {
                    compiled += 1;
                    Step::Try { start, index: single }
                } else {
                    Step::Single(single)
                });
                if ends(slot) {
                    index += usize::from(slot.inst.len / 4);
                    break;
                }
            }
            index += usize::from(slot.inst.len / 4);
        }
        end_native(&mut native, &mut phase, &mut code, &mut steps);
        if compiled < 2 {
            return None;
        }
        let code = Executable::new(&code.finish())?;
        BLOCKS.fetch_add(1, Ordering::Relaxed);
        Some(Block { steps, instructions, end: index, waits, code })
    }

    /// Whether it does what the run loop would do with a wave in this mode. `leaving`: as [`machine::Machine::leaving`].
    #[inline]
    pub fn is_for(&self, mode: Mode, leaving: bool) -> bool {
        !(leaving && self.waits) && float::is_native(mode) && mode.0 & (Mode::GPR_IDX_EN | Mode::VSKIP) == 0
    }

    /// Runs the machine code from `start` on, with the work-group's LDS and what windows of memory were found. Gives whether it did what a [`Step::Try`] has to do.
    #[inline]
    pub fn run(&self, start: usize, wave: &mut Wave, lds: &mut [u8], windows: &[Window; WINDOWS]) -> bool {
        type Function =
            unsafe extern "sysv64" fn(*mut u32, *mut Lanes, *mut bool, *mut u8, usize, *const [Window; WINDOWS]) -> u32;
        // SAFETY: `start` is one that `Block::new` gave to this block's steps, so a function with this signature begins there. It needs AVX-512, which the processor has. It reads
        // and writes scalar registers 0 to 127, vector registers that operands can name, all of which the wave has, SCC, to which it writes 0 or 1, LDS inside of its size, and
        // memory inside of windows, which is there as long as they are (`Bus::window`) and which no reference of Rust is to.
        unsafe {
            let function: Function = std::mem::transmute(self.code.at(start));
            let (sgpr, vgpr) = (wave.sgpr.as_mut_ptr(), wave.vgpr.as_mut_ptr());
            function(sgpr, vgpr, &mut wave.scc, lds.as_mut_ptr(), lds.len(), windows) != 0
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        BLOCKS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Ends the function that was begun, if one was.
fn end_native(native: &mut Option<(usize, u32)>, phase: &mut Phase, code: &mut Code, steps: &mut Vec<Step>) {
    let Some((start, instructions)) = native.take() else { return };
    if !phase.is_empty() {
        phase.emit(code);
    }
    code.end();
    steps.push(Step::Native { start, instructions });
}

fn compile(inst: &Inst) -> Option<Compiled> {
    if is_nothing(inst) {
        return Some(Compiled::Nothing);
    }
    Lanewise::of(inst).map(Compiled::Vector).or_else(|| Scalar::of(inst).map(Compiled::Scalar))
}

/// Appends a function that tries to access memory as `inst` does, if there is one.
fn access(inst: &Inst, code: &mut Code) -> bool {
    if let Some(local) = Local::of(inst) {
        local.emit(code);
    } else if let Some(global) = Global::of(inst) {
        global.emit(code);
    } else if let Some(constant) = Constant::of(inst) {
        constant.emit(code);
    } else {
        return false;
    }
    true
}

/// Whether the instruction changes nothing: every access is complete before the next instruction.
fn is_nothing(inst: &Inst) -> bool {
    matches!(inst.op, Op::SNop | Op::SWaitcnt | Op::SSetprio)
}

/// Whether the run loop has to go on behind the instruction: it goes elsewhere, ends the turn, or changes modes.
fn ends(slot: &Slot) -> bool {
    let is_control =
        matches!(slot.inst.format, Format::Sopp | Format::Sopk | Format::Sop1 | Format::Sop2 | Format::Sopc);
    let changes_mode = matches!(
        slot.inst.op,
        Op::SSetvskip | Op::SSetGprIdxOn | Op::SSetGprIdxOff | Op::SSetGprIdxMode | Op::SSetGprIdxIdx
    );
    is_control && matches!(slot.step, machine::Step::Core(_)) || changes_mode
}

#[cfg(test)]
mod tests;
