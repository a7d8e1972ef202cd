//! Vector instructions whose lanes have nothing to do with each other, as machine code for 16 lanes at a time.
//!
//! A phase is a row of such instructions. All of it is done for a quarter of the wave before the next quarter begins, so that registers stay in registers of the host from one
//! instruction to the next: what is loaded from the wave is loaded once, and what is written is stored once. That needs no lane to see another one's results, which only a
//! scalar source could have: a phase ends in front of an instruction that reads a mask of the same phase as a number.

use crate::jit::liveness::Live;
use crate::jit::lower::salu::Scalar;
use crate::jit::lower::valu::{Lanewise, Source};
use crate::jit::x64::assembler::{ALL, ALL_SET, Code, RAX, RCX, Rm, SGPR, VGPR, Vector};
use gcn_alu::wave::reg;

/// The mask register that holds EXEC.
pub(crate) const EXEC: u8 = 1;
/// Those that hold masks of the wave.
const MASKS: [u8; 5] = [2, 3, 4, 5, 6];
/// One that holds nothing from one instruction to the next.
pub(crate) const SCRATCH_MASK: u8 = 7;
/// Registers of the host that hold registers of the wave; those from here on hold nothing from one instruction to the next.
const CACHED: usize = 24;
/// Those.
pub(crate) const TEMPORARY: [u8; 8] = [24, 25, 26, 27, 28, 29, 30, 31];
/// Registers of the host in which masks of the whole wave are put together.
const WHOLE: [u8; MASKS.len()] = [RCX, 8, 9, 10, 11];

/// Instructions that are done quarter by quarter.
#[derive(Default)]
pub(crate) struct Phase {
    instructions: Vec<Lanewise>,
    /// First registers of the pairs of scalar registers that are read or written as masks.
    masks: Vec<u8>,
    written: Vec<u8>,
    /// What is still read behind the last instruction, if there is one.
    live: Option<Live>,
}

impl Phase {
    /// Whether `next` can be done in this phase.
    pub fn takes(&self, next: &Lanewise) -> bool {
        let overlaps = |a: u8, b: u8| a.abs_diff(b) < 2;
        let reads_number = |index: u8| self.written.iter().any(|&pair| index == pair || index == pair + 1);
        let numbers = next.scalars().any(reads_number);
        let pairs = || next.masks();
        let torn = pairs().any(|pair| self.masks.iter().any(|&known| known != pair && overlaps(known, pair)));
        let new = pairs().filter(|pair| !self.masks.contains(pair)).count();
        !numbers && !torn && self.masks.len() + new <= MASKS.len()
    }

    /// Whether a scalar instruction that comes next can be done before the phase, with the same results.
    pub fn lets_pass(&self, next: &Scalar) -> bool {
        let overlaps =
            |(first, is_pair): (u8, bool), other: u8| first <= other + 1 && other <= first + u8::from(is_pair);
        // Some numbers are in two registers.
        let reads = |registers| {
            self.instructions.iter().flat_map(Lanewise::scalars).any(|index| overlaps(registers, index))
                || self.masks.iter().any(|&pair| overlaps(registers, pair))
                || overlaps(registers, reg::EXEC as u8)
        };
        let writes = |registers| self.written.iter().any(|&pair| overlaps(registers, pair));
        !next.writes().any(reads) && !next.reads().any(writes)
    }

    /// `live`: what is still read behind it.
    pub fn push(&mut self, next: Lanewise, live: Live) {
        self.live = Some(live);
        for pair in next.masks() {
            if !self.masks.contains(&pair) {
                self.masks.push(pair);
            }
        }
        if let Some(pair) = next.mask_out.filter(|pair| !self.written.contains(pair)) {
            self.written.push(pair);
        }
        self.instructions.push(next);
    }

    /// Appends the machine code, if there is anything to do, and is empty again.
    pub fn emit(&mut self, code: &mut Code) {
        let mut phase = std::mem::take(self);
        let Some(live) = phase.live else { return };
        phase.written.retain(|&pair| live.has_pair(pair));
        for quarter in 0..4 {
            let mut lanes =
                Quarter { code, quarter, cached: [None; CACHED], now: 0, is_part: false, masks: Vec::new() };
            lanes.load_exec();
            for instruction in &phase.instructions {
                lanes.now += 1;
                instruction.emit(&mut lanes);
            }
            lanes.store_all();
            let masks = std::mem::take(&mut lanes.masks);
            for (pair, whole) in phase.written.iter().zip(WHOLE) {
                let mask = masks.iter().find(|(known, _)| known == pair).map_or(ALL, |&(_, mask)| mask);
                code.mask_to_register(RAX, mask);
                if quarter == 0 {
                    code.between(true, &[0x8b], whole, RAX);
                } else {
                    code.raw(&[0x48, 0xc1, 0xe0, 16 * quarter as u8]);
                    code.between(true, &[0x0b], whole, RAX);
                }
            }
        }
        for (&pair, whole) in phase.written.iter().zip(WHOLE) {
            code.scalar(true, &[0x89], whole, SGPR, 4 * i32::from(pair));
        }
    }
}

/// A register of the wave in one of the host.
#[derive(Clone, Copy)]
struct Cached {
    index: u16,
    state: State,
    /// The instruction that used it last.
    used: u32,
}

/// What a register of the host has, next to that of the wave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The same.
    Same,
    /// What that one is to become.
    Changed,
    /// The same in lanes that are enabled, and anything in others: it was written without being loaded.
    Enabled,
}

/// The code for 16 lanes.
pub(crate) struct Quarter<'a> {
    pub code: &'a mut Code,
    quarter: i32,
    cached: [Option<Cached>; CACHED],
    now: u32,
    /// [`EXEC`] may be a part of the lanes that are enabled.
    is_part: bool,
    /// Pairs of scalar registers, and the mask registers that hold their part.
    masks: Vec<(u8, u8)>,
}

impl Quarter<'_> {
    /// Which quarter it is.
    pub fn number(&self) -> u8 {
        self.quarter as u8
    }

    /// Which lanes are enabled, to the mask register that says so.
    pub fn load_exec(&mut self) {
        self.code.load_mask(EXEC, SGPR, 4 * reg::EXEC as i32 + 2 * self.quarter);
    }

    fn place(&self, index: u16) -> Rm {
        Rm::Memory(VGPR, i32::from(index) * 256 + self.quarter * 64)
    }

    /// Stores what a register of the host has, if that of the wave has something else.
    fn store(&mut self, register: usize) {
        let Some(Cached { index, state, .. }) = self.cached[register] else { return };
        let mask = match state {
            State::Same => return,
            State::Changed => ALL,
            // Whole here: what begins a part leaves none in this state.
            State::Enabled => EXEC,
        };
        let place = self.place(index);
        self.code.vector(operations::STORE, register as u8, mask, 0, place, None);
    }

    fn store_all(&mut self) {
        self.complete();
        (0..CACHED).for_each(|register| self.store(register));
    }

    /// Fills lanes that are not enabled with what the wave's registers have. Mostly there are none. Stores with a mask would do it too, but what loads from there next waits longer.
    fn complete(&mut self) {
        if !self.cached.iter().flatten().any(|cached| cached.state == State::Enabled) {
            return;
        }
        self.code.test_masks(EXEC, EXEC);
        let all = self.code.jump(ALL_SET);
        self.code.not_mask(SCRATCH_MASK, EXEC);
        for register in 0..CACHED {
            if let Some(Cached { index, state: State::Enabled, used }) = self.cached[register] {
                let place = self.place(index);
                self.code.vector(operations::LOAD, register as u8, SCRATCH_MASK, 0, place, None);
                self.cached[register] = Some(Cached { index, state: State::Changed, used });
            }
        }
        self.code.land(all);
    }

    /// From here on [`EXEC`] may become a part of the lanes that are enabled, which instructions write to then.
    pub fn begin_part(&mut self) {
        self.complete();
        self.is_part = true;
    }

    /// They write to all of them again.
    pub fn end_part(&mut self) {
        self.load_exec();
        self.is_part = false;
    }

    fn find(&self, index: u16) -> Option<usize> {
        self.cached.iter().position(|cached| cached.is_some_and(|cached| cached.index == index))
    }

    /// Makes room for vector register `index` of the wave in one of the host.
    fn make_room(&mut self, index: u16, state: State) -> usize {
        // The one that was not used for longest; never one of this instruction, which has fewer.
        let oldest = (0..CACHED).min_by_key(|&n| self.cached[n].map_or(0, |cached| cached.used)).unwrap_or(0);
        self.store(oldest);
        self.cached[oldest] = Some(Cached { index, state, used: self.now });
        oldest
    }

    /// The register of the host that has vector register `index` of the wave.
    pub fn register(&mut self, index: u16) -> u8 {
        let register = self.find(index).unwrap_or_else(|| {
            let register = self.make_room(index, State::Same);
            let place = self.place(index);
            self.code.vector(operations::LOAD, register as u8, ALL, 0, place, None);
            register
        });
        if let Some(cached) = &mut self.cached[register] {
            cached.used = self.now;
        }
        register as u8
    }

    /// `instruction register{EXEC}, first, rm` to what has vector register `index` of the wave, which may be a source too.
    pub fn change(&mut self, index: u16, instruction: Vector, first: u8, rm: Rm, immediate: Option<u8>) {
        let to = self.register(index);
        if let Some(cached @ Cached { state: State::Same, .. }) = &mut self.cached[usize::from(to)] {
            cached.state = State::Changed;
        }
        self.enabled(instruction, to, first, rm, immediate);
    }

    /// The same if what is there is no source, so that it need not be loaded.
    pub fn write(&mut self, index: u16, instruction: Vector, first: u8, rm: Rm, immediate: Option<u8>) {
        if self.is_part || self.find(index).is_some() {
            return self.change(index, instruction, first, rm, immediate);
        }
        let to = self.make_room(index, State::Enabled);
        self.all(instruction, to as u8, first, rm, immediate);
    }

    /// A source where an instruction of the host takes its last operand.
    pub fn rm(&mut self, source: Source) -> Rm {
        match source {
            Source::Vector(index) => Rm::Register(self.register(index)),
            Source::Scalar(index) => Rm::Broadcast(SGPR, 4 * i32::from(index)),
            Source::Constant(value) => Rm::Constant(value),
            Source::Wide(value) => Rm::Wide(value),
        }
    }

    /// A source in a register: in `temporary`, if it is in none.
    pub fn in_register(&mut self, source: Source, temporary: u8) -> u8 {
        match self.rm(source) {
            Rm::Register(register) => register,
            other => {
                self.code.vector(operations::BROADCAST, temporary, ALL, 0, other, None);
                temporary
            }
        }
    }

    /// The mask register that has this quarter's part of the pair of scalar registers.
    pub fn mask(&mut self, pair: u8) -> u8 {
        if let Some(&(_, mask)) = self.masks.iter().find(|(known, _)| *known == pair) {
            return mask;
        }
        let mask = self.new_mask(pair);
        self.code.load_mask(mask, SGPR, 4 * i32::from(pair) + 2 * self.quarter);
        mask
    }

    /// As [`Quarter::mask`], to be written.
    pub fn new_mask(&mut self, pair: u8) -> u8 {
        if let Some(&(_, mask)) = self.masks.iter().find(|(known, _)| *known == pair) {
            return mask;
        }
        // A phase has no more of them.
        let mask = MASKS[self.masks.len() % MASKS.len()];
        self.masks.push((pair, mask));
        mask
    }

    /// `instruction to{EXEC}, first, rm`.
    pub fn enabled(&mut self, instruction: Vector, to: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        self.code.vector(instruction, to, EXEC, first, rm, immediate);
    }

    /// The same in all lanes.
    pub fn all(&mut self, instruction: Vector, to: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        self.code.vector(instruction, to, ALL, first, rm, immediate);
    }
}

/// Instructions of the host.
pub(crate) mod operations {
    use crate::jit::x64::assembler::Vector;
    pub const LOAD: Vector = Vector(1, 1, 0x6f, false);
    pub const STORE: Vector = Vector(1, 1, 0x7f, false);
    pub const LOAD_UNALIGNED: Vector = Vector(1, 2, 0x6f, false);
    pub const STORE_UNALIGNED: Vector = Vector(1, 2, 0x7f, false);
    /// Bytes or shorts of memory, made dwords.
    pub const fn extension(bytes: u8, signed: bool) -> Vector {
        let opcode = if bytes == 1 { 0x21 } else { 0x23 };
        Vector(2, 1, if signed { opcode } else { opcode + 0x10 }, false)
    }
    pub const STORE_BYTES: Vector = Vector(2, 2, 0x31, false);
    pub const STORE_SHORTS: Vector = Vector(2, 2, 0x33, false);
    /// Eight dwords at indexes of 64 bits. The mask is empty then.
    pub const GATHER: Vector = Vector(2, 1, 0x91, false);
    pub const SCATTER: Vector = Vector(2, 1, 0xa1, false);
    /// Elements of two registers, by indexes in the destination.
    pub const PICK: Vector = Vector(2, 1, 0x76, false);
    /// A register of the host in all elements of 64 bits.
    pub const BROADCAST_REGISTER: Vector = Vector(2, 1, 0x7c, true);
    pub const INSERT_HALF: Vector = Vector(3, 1, 0x3a, true);
    pub const EXTRACT_HALF: Vector = Vector(3, 1, 0x3b, true);
    pub const ADD_Q: Vector = Vector(1, 1, 0xd4, true);
    pub const COMPARE_UQ: Vector = Vector(3, 1, 0x1e, true);
    /// Which elements have a bit in common.
    pub const TEST: Vector = Vector(2, 1, 0x27, false);
    pub const BROADCAST: Vector = Vector(2, 1, 0x58, false);
    pub const AND: Vector = Vector(1, 1, 0xdb, false);
    pub const OR: Vector = Vector(1, 1, 0xeb, false);
    pub const XOR: Vector = Vector(1, 1, 0xef, false);
    pub const ADD: Vector = Vector(1, 1, 0xfe, false);
    pub const SUB: Vector = Vector(1, 1, 0xfa, false);
    pub const MUL_LOW: Vector = Vector(2, 1, 0x40, false);
    pub const MIN_U: Vector = Vector(2, 1, 0x3b, false);
    pub const MAX_U: Vector = Vector(2, 1, 0x3f, false);
    pub const MIN_I: Vector = Vector(2, 1, 0x39, false);
    pub const MAX_I: Vector = Vector(2, 1, 0x3d, false);
    pub const SHIFT_LEFT: Vector = Vector(2, 1, 0x47, false);
    pub const SHIFT_RIGHT: Vector = Vector(2, 1, 0x45, false);
    pub const SHIFT_SIGNED: Vector = Vector(2, 1, 0x46, false);
    /// Shifts by an immediate; which one is in the place of the register.
    pub const SHIFT_BY: Vector = Vector(1, 1, 0x72, false);
    pub const ADD_F: Vector = Vector(1, 0, 0x58, false);
    pub const MUL_F: Vector = Vector(1, 0, 0x59, false);
    pub const SUB_F: Vector = Vector(1, 0, 0x5c, false);
    pub const DIV_F: Vector = Vector(1, 0, 0x5e, false);
    pub const SQRT_F: Vector = Vector(1, 0, 0x51, false);
    pub const BROADCAST_Q: Vector = Vector(2, 1, 0x59, true);
    pub const FMA_F: Vector = Vector(2, 1, 0xb8, false);
    pub const COMPARE_F: Vector = Vector(1, 0, 0xc2, false);
    pub const COMPARE_U: Vector = Vector(3, 1, 0x1e, false);
    pub const COMPARE_I: Vector = Vector(3, 1, 0x1f, false);
    pub const BLEND: Vector = Vector(2, 1, 0x64, false);
    /// The destination's other elements come from the first source.
    pub const INSERT_ROW: Vector = Vector(3, 1, 0x1a, false);
    pub const FLOAT_TO_DOUBLE: Vector = Vector(1, 0, 0x5a, false);
    pub const DOUBLE_TO_FLOAT: Vector = Vector(1, 1, 0x5a, true);
    pub const ADD_D: Vector = Vector(1, 1, 0x58, true);
    pub const DIV_D: Vector = Vector(1, 1, 0x5e, true);
    pub const SQRT_D: Vector = Vector(1, 1, 0x51, true);
    pub const SUB_D: Vector = Vector(1, 1, 0x5c, true);
    /// The destination times the first source, plus the other.
    pub const FMA_BY_D: Vector = Vector(2, 1, 0xa8, true);
    pub const RANGE_D: Vector = Vector(3, 1, 0x50, true);
    pub const CLASS_D: Vector = Vector(3, 1, 0x66, true);
    pub const ROUND_D: Vector = Vector(3, 1, 0x09, true);
    pub const SCALE_D: Vector = Vector(2, 1, 0x2c, true);
    pub const INTEGER_TO_DOUBLE: Vector = Vector(1, 2, 0xe6, false);
    pub const UNSIGNED_TO_DOUBLE: Vector = Vector(1, 2, 0x7a, false);
    pub const MUL_D: Vector = Vector(1, 1, 0x59, true);
    pub const FMA_D: Vector = Vector(2, 1, 0xb8, true);
    pub const COMPARE_D: Vector = Vector(1, 1, 0xc2, true);
    /// One register's elements, by indexes in the first source.
    pub const PERMUTE: Vector = Vector(2, 1, 0x36, false);
    /// All bits of 32, or of 64, where a mask is set.
    pub const MASK_TO_D: Vector = Vector(2, 2, 0x38, false);
    pub const MASK_TO_Q: Vector = Vector(2, 2, 0x38, true);
    pub const UNPACK_LOW: Vector = Vector(1, 1, 0x62, false);
    pub const UNPACK_HIGH: Vector = Vector(1, 1, 0x6a, false);
    pub const SHUFFLE: Vector = Vector(1, 0, 0xc6, false);
    /// Shifts of 64 bits by an immediate; which one is in the place of the register.
    pub const SHIFT_Q: Vector = Vector(1, 1, 0x73, true);
    pub const XOR_Q: Vector = Vector(1, 1, 0xef, true);
    /// The product of the low halves of 64 bits.
    pub const MUL_WIDE: Vector = Vector(1, 1, 0xf4, true);
    /// By a table of the three bits of destination and sources.
    pub const LOGIC: Vector = Vector(3, 1, 0x25, false);
    pub const MAX_F: Vector = Vector(1, 0, 0x5f, false);
    /// The first one times two to the power of the whole number below the other.
    pub const SCALE_F: Vector = Vector(2, 1, 0x2c, false);
    pub const EXPONENT_F: Vector = Vector(2, 1, 0x42, false);
    pub const MANTISSA_F: Vector = Vector(3, 1, 0x26, false);
    pub const MIN_F: Vector = Vector(1, 0, 0x5d, false);
    /// f16 side by side to f32, and the other way, with how it is rounded.
    pub const WIDEN: Vector = Vector(2, 1, 0x13, false);
    pub const NARROW: Vector = Vector(3, 1, 0x1d, false);
    pub const TO_NEAREST: u8 = 0;
    pub const TOWARD_ZERO: u8 = 3;
    /// The smaller or larger one, by the rules of IEEE 754-2008.
    pub const RANGE_F: Vector = Vector(3, 1, 0x50, false);
    pub const CLASS_F: Vector = Vector(3, 1, 0x66, false);
    pub const ROUND_F: Vector = Vector(3, 1, 0x08, false);
    pub const TO_I: Vector = Vector(1, 2, 0x5b, false);
    pub const TO_U: Vector = Vector(1, 0, 0x78, false);
    pub const FROM_U: Vector = Vector(1, 3, 0x7a, false);
    pub const FROM_I: Vector = Vector(1, 0, 0x5b, false);
}
