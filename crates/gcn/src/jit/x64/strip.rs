//! Registers of the wave and masks in registers of the host, for a strip of 16 or eight lanes.

use crate::jit::x64::assembler::{ALL, ALL_SET, Code, Rm, SGPR, VGPR};
use crate::jit::x64::avx2::SINGLE_ROOM;
use crate::jit::x64::avx512::{self, Vector};
use crate::jit::x64::source::Source;
use gcn_alu::wave::reg;

/// The mask register that holds EXEC.
pub(crate) const EXEC: u8 = 1;
/// Those that hold masks of the wave.
pub(crate) const MASKS: [u8; 5] = [2, 3, 4, 5, 6];
/// One that holds nothing from one instruction to the next.
pub(crate) const SCRATCH_MASK: u8 = 7;
/// Registers of the host that may hold registers of the wave; those from here on hold nothing from one instruction to
/// the next.
const CACHED: usize = 24;
/// Those.
pub(crate) const TEMPORARY: [u8; 8] = [24, 25, 26, 27, 28, 29, 30, 31];

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

/// The lanes that code is for at a time, and what is known of EXEC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// 16 lanes, any of which may be disabled.
    Sixteen,
    /// Eight lanes, any of which may be disabled.
    Eight,
    /// Eight lanes, all of which are enabled.
    EightEnabled,
}

impl Width {
    pub fn lanes(self) -> i32 {
        if self == Width::Sixteen { 16 } else { 8 }
    }
}

/// The code for 16 lanes, or eight.
pub(crate) struct Strip<'a> {
    pub code: &'a mut Code,
    width: Width,
    /// How many strips are in front of this one.
    number: i32,
    /// Of these there are as many as the [width](Width::room) has room for.
    cached: [Option<Cached>; CACHED],
    now: u32,
    /// [`EXEC`] may be a part of the lanes that are enabled.
    is_part: bool,
    /// Pairs of scalar registers, and the mask registers that hold their part.
    masks: Vec<(u8, u8)>,
}

impl Width {
    /// How many registers of the wave are in registers of the host.
    fn room(self) -> usize {
        match self {
            Width::Sixteen => CACHED,
            Width::Eight => SINGLE_ROOM.into(),
            Width::EightEnabled => usize::from(SINGLE_ROOM) + 1,
        }
    }
}

impl<'a> Strip<'a> {
    /// Begins a strip, from 0 on.
    pub fn new(code: &'a mut Code, width: Width, number: i32) -> Strip<'a> {
        code.set_single_halves(width != Width::Sixteen);
        let mut lanes =
            Strip { code, width, number, cached: [None; CACHED], now: 0, is_part: false, masks: Vec::new() };
        lanes.load_exec();
        lanes
    }

    /// Begins the next instruction.
    pub fn begin(&mut self) {
        self.now += 1;
    }

    /// Ends it: stores what registers of the host have. Gives the masks, as pairs of scalar registers and the mask
    /// registers that hold their part.
    pub fn finish(&mut self) -> Vec<(u8, u8)> {
        self.store_all();
        std::mem::take(&mut self.masks)
    }

    /// Which strip it is.
    pub fn number(&self) -> u8 {
        self.number as u8
    }

    /// Which lanes are enabled, to the mask register that says so.
    pub fn load_exec(&mut self) {
        if self.width != Width::EightEnabled {
            self.code.load_mask(EXEC, SGPR, self.mask_at(reg::EXEC as i32));
        }
    }

    /// Where the bits are that a pair of scalar registers has of these lanes.
    fn mask_at(&self, pair: i32) -> i32 {
        4 * pair + self.number * self.width.lanes() / 8
    }

    fn place(&self, index: u16) -> Rm {
        Rm::Memory(VGPR, i32::from(index) * 256 + self.number * 4 * self.width.lanes())
    }

    /// The mask of instructions that write to lanes that are enabled.
    fn enabled_mask(&self) -> u8 {
        if self.width == Width::EightEnabled { ALL } else { EXEC }
    }

    /// Of a mask, the lanes that are enabled.
    pub fn and_exec(&mut self, to: u8, mask: u8) {
        if self.width != Width::EightEnabled {
            self.code.and_masks(to, mask, EXEC);
        } else if to != mask {
            self.code.copy_mask(to, mask);
        }
    }

    /// Stores what a register of the host has, if that of the wave has something else.
    fn store(&mut self, register: usize) {
        let Some(Cached { index, state, .. }) = self.cached[register] else { return };
        let mask = match state {
            State::Same => return,
            State::Changed => ALL,
            // Whole here: what begins a part leaves none in this state.
            State::Enabled => self.enabled_mask(),
        };
        let place = self.place(index);
        if mask != ALL && self.code.has_single_halves() {
            self.fill(register);
            return self.code.vector(avx512::STORE, register as u8, ALL, 0, place, None);
        }
        self.code.vector(avx512::STORE, register as u8, mask, 0, place, None);
    }

    fn store_all(&mut self) {
        self.complete();
        (0..self.width.room()).for_each(|register| self.store(register));
    }

    /// Fills lanes that are not enabled with what the wave's registers have. Mostly there are none. Stores with a mask
    /// would do it too, but what loads from there next waits longer.
    fn complete(&mut self) {
        if !self.cached.iter().flatten().any(|cached| cached.state == State::Enabled) {
            return;
        }
        if self.code.has_single_halves() {
            for register in 0..self.width.room() {
                if self.cached[register].is_some_and(|cached| cached.state == State::Enabled) {
                    self.fill(register);
                }
            }
            return;
        }
        self.code.test_masks(EXEC, EXEC);
        let all = self.code.jump(ALL_SET);
        self.code.not_mask(SCRATCH_MASK, EXEC);
        for register in 0..CACHED {
            if let Some(Cached { index, state: State::Enabled, used }) = self.cached[register] {
                let place = self.place(index);
                self.code.vector(avx512::LOAD, register as u8, SCRATCH_MASK, 0, place, None);
                self.cached[register] = Some(Cached { index, state: State::Changed, used });
            }
        }
        self.code.land(all);
    }

    /// Fills lanes that are not enabled of one register.
    fn fill(&mut self, register: usize) {
        let Some(cached) = self.cached[register] else { return };
        let place = self.place(cached.index);
        self.code.fill_disabled(register as u8, place);
        self.cached[register] = Some(Cached { state: State::Changed, ..cached });
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
        // The one that was not used for longest. Sources of this instruction go only once they are in temporary
        // registers: the last writes of eight registers do that.
        let oldest =
            (0..self.width.room()).min_by_key(|&n| self.cached[n].map_or(0, |cached| cached.used)).unwrap_or(0);
        self.store(oldest);
        self.cached[oldest] = Some(Cached { index, state, used: self.now });
        oldest
    }

    /// The register of the host that has vector register `index` of the wave.
    pub fn register(&mut self, index: u16) -> u8 {
        let register = self.find(index).unwrap_or_else(|| {
            let register = self.make_room(index, State::Same);
            let place = self.place(index);
            self.code.vector(avx512::LOAD, register as u8, ALL, 0, place, None);
            register
        });
        if let Some(cached) = &mut self.cached[register] {
            cached.used = self.now;
        }
        register as u8
    }

    /// `instruction register{EXEC}, first, rm` to what has vector register `index` of the wave, which may be a source
    /// too.
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
        let state = if self.width == Width::EightEnabled { State::Changed } else { State::Enabled };
        let to = self.make_room(index, state);
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
                self.code.vector(avx512::BROADCAST, temporary, ALL, 0, other, None);
                temporary
            }
        }
    }

    /// The mask register that has this strip's part of the pair of scalar registers.
    pub fn mask(&mut self, pair: u8) -> u8 {
        if let Some(&(_, mask)) = self.masks.iter().find(|(known, _)| *known == pair) {
            return mask;
        }
        let mask = self.new_mask(pair);
        self.code.load_mask(mask, SGPR, self.mask_at(pair.into()));
        mask
    }

    /// As [`Strip::mask`], to be written.
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
        let mask = self.enabled_mask();
        self.code.vector(instruction, to, mask, first, rm, immediate);
    }

    /// The same in all lanes.
    pub fn all(&mut self, instruction: Vector, to: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        self.code.vector(instruction, to, ALL, first, rm, immediate);
    }
}
