//! x86-64 machine code, as far as blocks need it.
//!
//! Vector instructions are those of AVX-512 (EVEX prefix; Intel's manual, volume 2, "Intel AVX-512 encoding"), whole
//! 512-bit registers. Displacements always have 32 bits, so that none is scaled.

use crate::jit::x64::avx512::{
    AND, BROADCAST, BROADCAST_Q, LOAD, LOAD_UNALIGNED, OR, PICK, SCALE_D, SUB, TEST, Vector,
};
use crate::jit::x64::cond::Condition;
use crate::jit::x64::frame::Context;
use gcn_alu::simd::Simd;
use gcn_alu::wave::reg;
use std::mem::offset_of;

/// Registers of the host with what a region works on: the wave's scalar and vector registers and SCC, LDS and its size,
/// and the list of windows.
pub(crate) const SGPR: u8 = RDI;
pub(crate) const VGPR: u8 = 6; // rsi
pub(crate) const SCC: u8 = 2; // rdx
pub(crate) const LDS: u8 = RBX;
pub(crate) const LDS_BYTES: u8 = RBP;
pub(crate) const WINDOWS: u8 = R13;

/// The one with the instructions that are left of the turn.
const LEFT: u8 = R15;

/// Those that hold nothing from one instruction to the next, with 8 to 11 and 14.
pub(crate) const RAX: u8 = 0;
pub(crate) const RCX: u8 = 1;

const RBX: u8 = 3;
const RBP: u8 = 5;
const RDI: u8 = 7;
/// Where the frame is that code without AVX-512 has.
pub(crate) const FRAME: u8 = R12;

const R12: u8 = 12;
const R13: u8 = 13;
const R15: u8 = 15;

/// The mask register that disables nothing.
pub(crate) const ALL: u8 = 0;

/// Conditions of jumps, as the second byte of their opcode.
pub(crate) const BELOW: Option<u8> = Some(0x82);
pub(crate) const NOT_BELOW: Option<u8> = Some(0x83);
pub(crate) const ZERO: Option<u8> = Some(0x84);
pub(crate) const NOT_ZERO: Option<u8> = Some(0x85);
pub(crate) const ABOVE: Option<u8> = Some(0x87);
/// Behind a test of masks: all bits are set, or not all.
pub(crate) const ALL_SET: Option<u8> = BELOW;
pub(crate) const NOT_ALL: Option<u8> = NOT_BELOW;

/// The last operand of a vector instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rm {
    /// A vector register, or a mask register.
    Register(u8),
    /// A vector register, and how the result is rounded.
    Rounded(u8, Rounding),
    /// Memory at a register of the host plus a displacement.
    Memory(u8, i32),
    /// The dword of [`Rm::Memory`], in all elements.
    Broadcast(u8, i32),
    /// Memory at the sum of two registers of the host plus a displacement.
    Indexed(u8, u8, i32),
    /// The same for each element, with its own index in a vector register.
    Lanes(u8, u8, i32),
    /// A constant for each element.
    Table(&'static [u32]),
    /// A constant, in all elements.
    Constant(u32),
    /// A constant of 64 bits, in all elements.
    Wide(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounding {
    Down = 1,
    Up = 2,
}

/// A jump that does not yet know where: the end of its instruction.
#[derive(Debug)]
#[must_use]
pub(crate) struct Jump(usize);

/// Machine code in the making.
pub(crate) struct Code {
    /// The instructions that it may have.
    isa: Simd,
    /// Without AVX-512: a vector instruction is one of eight lanes, not two.
    is_single: bool,
    /// Something was asked for that this encodes nothing for.
    lacks: bool,
    bytes: Vec<u8>,
    constants: Vec<u32>,
    /// Where displacements to constants are, and the number of the constant. A displacement counts from the end of its
    /// instruction.
    uses: Vec<(usize, usize, usize)>,
    /// Jumps to where the function returns.
    returns: Vec<Jump>,
}

impl Code {
    /// Code for processors with these instructions: AVX2 or AVX-512.
    pub fn new(isa: Simd) -> Code {
        Code {
            isa,
            is_single: false,
            lacks: false,
            bytes: Vec::new(),
            constants: Vec::new(),
            uses: Vec::new(),
            returns: Vec::new(),
        }
    }

    pub fn isa(&self) -> Simd {
        self.isa
    }

    /// Says that something is not in the code.
    pub fn lack(&mut self) {
        self.lacks = true;
    }

    /// Whether all that `emit` asks for has an encoding with these instructions.
    pub fn encodes(isa: Simd, emit: impl FnOnce(&mut Code)) -> bool {
        let mut trial = Code::new(isa);
        // AVX-512 has everything.
        if trial.has_halves() {
            emit(&mut trial);
        }
        !trial.lacks
    }

    /// Whether it has all that was asked for.
    pub fn is_whole(&self) -> bool {
        !self.lacks
    }

    pub fn has_halves(&self) -> bool {
        self.isa < Simd::Avx512
    }

    /// Whether what comes has eight lanes, not 16. With AVX-512 it always has 16.
    pub fn has_single_halves(&self) -> bool {
        self.is_single
    }

    pub fn set_single_halves(&mut self, is_single: bool) {
        self.is_single = is_single;
    }

    /// The code, with its constants behind it.
    pub fn finish(mut self) -> Vec<u8> {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0xcc);
        }
        let start = self.bytes.len();
        for (at, end, constant) in self.uses {
            let displacement = (start + 4 * constant) as i64 - end as i64;
            self.bytes[at..at + 4].copy_from_slice(&(displacement as i32).to_le_bytes());
        }
        self.bytes.extend(self.constants.iter().flat_map(|constant| constant.to_le_bytes()));
        self.bytes
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    fn dword(&mut self, value: i32) {
        self.bytes.extend(value.to_le_bytes());
    }

    /// `instruction reg{mask}, first, rm`, and an immediate byte if it has one. `reg` may be a mask register or a part
    /// of the opcode. Masked elements keep what they are; those of a mask register become 0.
    pub fn vector(&mut self, instruction: Vector, reg: u8, mask: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        if self.has_halves() {
            return self.vector_by_halves(instruction, reg, mask, first, rm, immediate);
        }
        let Vector(map, prefix, opcode, wide) = instruction;
        let bit = |value: u8, n: u8| value >> n & 1;
        // The highest bit of an index is where that of the first source would be.
        let first = if let Rm::Lanes(_, index, _) = rm { index & 16 } else { first };
        let (x, b, broadcast) = match rm {
            Rm::Register(r) => (bit(r, 4), bit(r, 3), 0),
            Rm::Rounded(r, _) => (bit(r, 4), bit(r, 3), 1),
            Rm::Memory(base, _) => (0, bit(base, 3), 0),
            Rm::Indexed(base, index, _) | Rm::Lanes(base, index, _) => (bit(index, 3), bit(base, 3), 0),
            Rm::Table(_) => (0, 0, 0),
            Rm::Broadcast(base, _) => (0, bit(base, 3), 1),
            Rm::Constant(_) | Rm::Wide(_) => (0, 0, 1),
        };
        let [r, r_high] = [bit(reg, 3), bit(reg, 4)];
        self.bytes.push(0x62);
        self.bytes.push((!r & 1) << 7 | (!x & 1) << 6 | (!b & 1) << 5 | (!r_high & 1) << 4 | map);
        self.bytes.push(u8::from(wide) << 7 | (!first & 15) << 3 | 1 << 2 | prefix);
        // These have no other operand.
        let broadcast = if matches!(instruction, BROADCAST | BROADCAST_Q) { 0 } else { broadcast };
        // 512 bits, which those that say how they round have anyway.
        let length = if let Rm::Rounded(_, how) = rm { how as u8 } else { 2 };
        self.bytes.push(length << 5 | broadcast << 4 | (!bit(first, 4) & 1) << 3 | mask);
        self.bytes.push(opcode);
        let tail = usize::from(immediate.is_some());
        self.operand(reg, rm, tail);
        self.bytes.extend(immediate);
    }

    /// An instruction with VEX prefix, of 256 bits or 128: operands are registers of the host.
    pub fn vex(&mut self, is_256: bool, instruction: Vector, reg: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        let Vector(map, prefix, opcode, wide) = instruction;
        let (x, b) = match rm {
            Rm::Register(r) | Rm::Rounded(r, _) => (0, r >> 3),
            Rm::Memory(base, _) | Rm::Broadcast(base, _) => (0, base >> 3),
            Rm::Indexed(base, index, _) | Rm::Lanes(base, index, _) => (index >> 3, base >> 3),
            Rm::Table(_) | Rm::Constant(_) | Rm::Wide(_) => (0, 0),
        };
        self.bytes.push(0xc4);
        self.bytes.push((!(reg >> 3) & 1) << 7 | (!x & 1) << 6 | (!b & 1) << 5 | map);
        self.bytes.push(u8::from(wide) << 7 | (!first & 15) << 3 | u8::from(is_256) << 2 | prefix);
        self.bytes.push(opcode);
        self.operand(reg, rm, usize::from(immediate.is_some()));
        self.bytes.extend(immediate);
    }

    /// ModRM and displacement, with `tail` bytes behind them.
    fn operand(&mut self, reg: u8, rm: Rm, tail: usize) {
        let reg = (reg & 7) << 3;
        match rm {
            Rm::Register(r) | Rm::Rounded(r, _) => self.bytes.push(3 << 6 | reg | r & 7),
            Rm::Memory(base, displacement) | Rm::Broadcast(base, displacement) => {
                self.bytes.push(2 << 6 | reg | base & 7);
                if base & 7 == R12 & 7 {
                    // No index.
                    self.bytes.push(4 << 3 | 4);
                }
                self.dword(displacement);
            }
            Rm::Indexed(base, index, displacement) | Rm::Lanes(base, index, displacement) => {
                self.bytes.extend([2 << 6 | reg | 4, (index & 7) << 3 | base & 7]);
                self.dword(displacement);
            }
            Rm::Table(values) => self.constant_operand(reg, values, tail),
            // No instruction of AVX2 takes one for all lanes.
            Rm::Constant(value) if self.has_halves() => self.constant_operand(reg, &[value; 8], tail),
            Rm::Wide(value) if self.has_halves() => {
                let [low, high] = [value as u32, (value >> 32) as u32];
                self.constant_operand(reg, &[low, high, low, high, low, high, low, high], tail);
            }
            Rm::Constant(value) => self.constant_operand(reg, &[value], tail),
            Rm::Wide(value) => self.constant_operand(reg, &[value as u32, (value >> 32) as u32], tail),
        }
    }

    /// [`Code::operand`] of an instruction that is put together elsewhere.
    pub fn host_operand(&mut self, reg: u8, rm: Rm, tail: usize) {
        self.operand(reg, rm, tail);
    }

    /// `mov [rm], register`, of 8 or 16 bits, for one of the first four registers.
    pub fn store_low(&mut self, is_byte: bool, register: u8, rm: Rm) {
        if !is_byte {
            self.raw(&[0x66]);
        }
        self.store_opcode(if is_byte { 0x88 } else { 0x89 }, register, rm);
    }

    /// `mov [rm], register`, of 32 bits, for one of the first four registers.
    pub fn store_dword(&mut self, register: u8, rm: Rm) {
        self.store_opcode(0x89, register, rm);
    }

    fn store_opcode(&mut self, opcode: u8, register: u8, rm: Rm) {
        if let Rm::Indexed(base, index, _) = rm {
            self.raw(&[0x40 | (index >> 3) << 1 | base >> 3, opcode]);
            self.operand(register, rm, 0);
        }
    }

    fn constant_operand(&mut self, reg: u8, value: &[u32], tail: usize) {
        self.bytes.push(reg | 5);
        let known = self.constants.windows(value.len()).position(|constant| constant == value);
        let number = known.unwrap_or_else(|| {
            self.constants.extend(value);
            self.constants.len() - value.len()
        });
        let at = self.bytes.len();
        self.dword(0);
        self.uses.push((at, at + 4 + tail, number));
    }

    /// `kmovw mask, [base + displacement]`.
    pub fn load_mask(&mut self, mask: u8, base: u8, displacement: i32) {
        if self.has_halves() {
            return self.mask_from_bits(mask, Rm::Memory(base, displacement));
        }
        self.raw(&[0xc5, 0xf8, 0x90]);
        self.operand(mask, Rm::Memory(base, displacement), 0);
    }

    /// `kmovw to, from`.
    pub fn copy_mask(&mut self, to: u8, from: u8) {
        if self.has_halves() {
            return self.copy_mask_by_halves(to, from);
        }
        self.raw(&[0xc5, 0xf8, 0x90, 3 << 6 | to << 3 | from]);
    }

    /// `knotw to, from`.
    pub fn not_mask(&mut self, to: u8, from: u8) {
        if self.has_halves() {
            return self.not_mask_by_halves(to, from);
        }
        self.raw(&[0xc5, 0xf8, 0x44, 3 << 6 | to << 3 | from]);
    }

    /// `kshiftrw to, from, bits`.
    pub fn shift_mask_right(&mut self, to: u8, from: u8, bits: u8) {
        if self.has_halves() {
            return if bits == 8 { self.high_half_of_mask(to, from) } else { self.lack() };
        }
        self.raw(&[0xc4, 0xe3, 0xf9, 0x30, 3 << 6 | to << 3 | from, bits]);
    }

    /// Elements of two registers, by a table: those of the second one count from 16 on.
    pub fn pick(&mut self, to: u8, table: &'static [u32; 16], first: u8, second: u8) {
        if self.has_halves() {
            return self.pick_by_halves(to, table, first, second);
        }
        self.vector(LOAD_UNALIGNED, to, ALL, 0, Rm::Table(table), None);
        self.vector(PICK, to, ALL, first, Rm::Register(second), None);
    }

    /// `kmovw register, mask`, for one of the first eight registers.
    pub fn mask_to_register(&mut self, register: u8, mask: u8) {
        if self.has_halves() {
            return self.bits_of_mask(register, mask);
        }
        self.raw(&[0xc5, 0xf8, 0x93, 3 << 6 | register << 3 | mask]);
    }

    /// `kortestw a, b`: the zero flag says that no bit is set.
    pub fn test_masks(&mut self, a: u8, b: u8) {
        if self.has_halves() {
            return self.test_masks_by_halves(a, b);
        }
        self.raw(&[0xc5, 0xf8, 0x98, 3 << 6 | a << 3 | b]);
    }

    /// `mov to, value`, whose sign goes on in the high half.
    pub fn set(&mut self, to: u8, value: i32) {
        self.raw(&[0x48 | to >> 3, 0xc7, 3 << 6 | to & 7]);
        self.dword(value);
    }

    /// `sub register, value`.
    pub fn subtract(&mut self, register: u8, value: i32) {
        self.raw(&[0x48 | register >> 3, 0x81, 3 << 6 | 5 << 3 | register & 7]);
        self.dword(value);
    }

    /// `add register, value`, of 32 bits, for one of the first eight registers.
    pub fn add32(&mut self, register: u8, value: i32) {
        self.raw(&[0x81, 3 << 6 | register]);
        self.dword(value);
    }

    /// `cmp register, value`, of 64 bits.
    pub fn compare_value(&mut self, register: u8, value: i32) {
        self.raw(&[0x48 | register >> 3, 0x81, 3 << 6 | 7 << 3 | register & 7]);
        self.dword(value);
    }

    /// `shl register, bits`.
    pub fn shift_left(&mut self, register: u8, bits: u8) {
        self.raw(&[0x48 | register >> 3, 0xc1, 3 << 6 | 4 << 3 | register & 7, bits]);
    }

    /// `tzcnt register, register`, for one of the first eight registers.
    pub fn trailing_zeros(&mut self, register: u8) {
        self.raw(&[0xf3, 0x48, 0x0f, 0xbc, 3 << 6 | register << 3 | register]);
    }

    /// `opcode register, [VGPR + 4 * rcx + displacement]`, of 32 bits: the lane whose number is in RCX.
    pub fn lane(&mut self, opcode: &[u8], register: u8, displacement: i32) {
        if register >= 8 {
            self.raw(&[0x44]);
        }
        self.raw(opcode);
        self.raw(&[2 << 6 | (register & 7) << 3 | 4, 2 << 6 | RCX << 3 | VGPR]);
        self.dword(displacement);
    }

    /// `cmp qword [base + displacement], value`, for a base of the first eight registers.
    pub fn compare(&mut self, base: u8, displacement: i32, value: i8) {
        self.raw(&[0x48, 0x83]);
        self.operand(7, Rm::Memory(base, displacement), 1);
        self.raw(&value.to_le_bytes());
    }

    /// `test dword [base + displacement], bits`, for a base of the first eight registers.
    pub fn test_bits(&mut self, base: u8, displacement: i32, bits: u32) {
        self.raw(&[0xf7]);
        self.operand(0, Rm::Memory(base, displacement), 4);
        self.raw(&bits.to_le_bytes());
    }

    /// A call of what [`Code::land`] says.
    pub fn call(&mut self) -> Jump {
        self.raw(&[0xe8]);
        self.dword(0);
        Jump(self.bytes.len())
    }

    /// `ret`.
    pub fn end_routine(&mut self) {
        self.raw(&[0xc3]);
    }

    /// `lea to, [from + value]`.
    pub fn sum(&mut self, to: u8, from: u8, value: i32) {
        self.scalar(true, &[0x8d], to, from, value);
    }

    /// A jump, if a condition holds, to where [`Code::land`] says.
    pub fn jump(&mut self, condition: Option<u8>) -> Jump {
        match condition {
            Some(condition) => self.raw(&[0x0f, condition]),
            None => self.raw(&[0xe9]),
        }
        self.dword(0);
        Jump(self.bytes.len())
    }

    /// The jump comes here.
    pub fn land(&mut self, jump: Jump) {
        self.land_at(jump, self.bytes.len());
    }

    /// The jump goes to what was appended at `to`.
    pub fn land_at(&mut self, jump: Jump, to: usize) {
        let distance = (to as i64 - jump.0 as i64) as i32;
        self.bytes[jump.0 - 4..jump.0].copy_from_slice(&distance.to_le_bytes());
    }

    /// The beginning of a function in System V's calling convention: with a [`Context`], and the address of the code
    /// that it goes to. `flushes`: f32 sources that are denormal are zero from there on, and f64 ones too.
    pub fn enter(&mut self, flushes: bool) {
        // push rbx, rbp, r13, r14, r15, rdi
        self.raw(&[0x53, 0x55, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x57]);
        if self.has_halves() {
            // push r12, between those that are as without it
            self.raw(&[0x5f, 0x41, 0x54, 0x57]);
            self.scalar(true, &[0x8b], FRAME, RDI, offset_of!(Context, frame) as i32);
        }
        self.between(true, &[0x8b], RAX, VGPR);
        for (register, field) in [
            (SCC, offset_of!(Context, scc)),
            (LDS, offset_of!(Context, lds)),
            (LDS_BYTES, offset_of!(Context, lds_bytes)),
            (WINDOWS, offset_of!(Context, windows)),
            (LEFT, offset_of!(Context, left)),
            (VGPR, offset_of!(Context, vgpr)),
            // Last, as the context is there.
            (SGPR, offset_of!(Context, sgpr)),
        ] {
            self.scalar(true, &[0x8b], register, RDI, field as i32);
        }
        if flushes {
            // push rcx; stmxcsr [rsp]; mov ecx, [rsp]; or ecx, DAZ; mov [rsp + 4], ecx; ldmxcsr [rsp + 4]
            self.raw(&[0x51, 0x0f, 0xae, 0x1c, 0x24, 0x8b, 0x0c, 0x24, 0x83, 0xc9, 0x40]);
            self.raw(&[0x89, 0x4c, 0x24, 4, 0x0f, 0xae, 0x54, 0x24, 4]);
        }
        // jmp rax
        self.raw(&[0xff, 0xe0]);
    }

    /// The function returns `value`.
    pub fn leave(&mut self, value: u32) {
        self.constant(RAX, value.into());
        let jump = self.jump(None);
        self.returns.push(jump);
    }

    /// The end of the function, which began with the same `flushes`.
    pub fn end(&mut self, flushes: bool) {
        for jump in std::mem::take(&mut self.returns) {
            self.land(jump);
        }
        if flushes {
            // ldmxcsr [rsp]; pop rcx
            self.raw(&[0x0f, 0xae, 0x14, 0x24, 0x59]);
        }
        // pop rcx, where the context is
        self.raw(&[0x59]);
        self.scalar(true, &[0x89], LEFT, RCX, offset_of!(Context, left) as i32);
        if self.has_halves() {
            // pop r12
            self.raw(&[0x41, 0x5c]);
        }
        // pop r15, r14, r13, rbp, rbx; vzeroupper; ret
        self.raw(&[0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x5d, 0x5b, 0xc5, 0xf8, 0x77, 0xc3]);
    }

    /// The jump is for turns that end where a wave waits for vector memory. `flushes`: as the function began.
    pub fn leaving(&mut self, flushes: bool) -> Jump {
        // mov rcx, [rsp], or what is above it, where the context is; cmp byte [rcx + leaving], 0
        self.raw(&[0x48, 0x8b, 0x4c, 0x24, if flushes { 8 } else { 0 }]);
        self.raw(&[0x80, 0x79, offset_of!(Context, leaving) as u8, 0]);
        self.jump(NOT_ZERO)
    }

    /// Takes instructions from what is left of the turn. The jump is for where fewer are left.
    pub fn take(&mut self, instructions: u32) -> Jump {
        self.raw(&[0x49, 0x81, 0xe8 | LEFT & 7]);
        self.dword(instructions as i32);
        self.jump(BELOW)
    }

    /// The turn has these instructions again.
    pub fn give_back(&mut self, instructions: u32) {
        self.raw(&[0x49, 0x81, 0xc0 | LEFT & 7]);
        self.dword(instructions as i32);
    }

    /// A jump, if the condition holds.
    pub fn branch(&mut self, condition: Option<Condition>) -> Jump {
        let is_set = match condition {
            None => return self.jump(None),
            Some(Condition::Scc(is_set)) => {
                // cmp byte [SCC], 0
                self.raw(&[0x80, 0x38 | SCC, 0]);
                is_set
            }
            Some(Condition::AnyOf { pair, is_set }) => {
                self.compare(SGPR, 4 * i32::from(pair), 0);
                is_set
            }
        };
        self.jump(if is_set { NOT_ZERO } else { ZERO })
    }

    /// The jump is for where a lane that is enabled has its bit in a pair of scalar registers.
    pub fn any_enabled(&mut self, pair: u8) -> Jump {
        self.scalar(true, &[0x8b], RAX, SGPR, 4 * i32::from(pair));
        // test [exec], rax
        self.scalar(true, &[0x85], RAX, SGPR, 4 * reg::EXEC as i32);
        self.jump(NOT_ZERO)
    }

    /// The jump is for where a vector register has any bit. The mask register of its number is lost.
    pub fn any_bits(&mut self, register: u8) -> Jump {
        if self.has_halves() {
            self.test_bits_by_halves(register);
        } else {
            self.vector(TEST, register, ALL, register, Rm::Register(register), None);
            self.test_masks(register, register);
        }
        self.jump(NOT_ZERO)
    }

    /// The jump is for where a lane is not enabled.
    pub fn unless_all_enabled(&mut self) -> Jump {
        self.compare(SGPR, 4 * reg::EXEC as i32, -1);
        self.jump(NOT_ZERO)
    }

    /// The jump is for where none of eight lanes is enabled.
    pub fn unless_any_enabled(&mut self, strip: i32) -> Jump {
        // cmp byte [exec + strip], 0
        self.raw(&[0x80]);
        self.operand(7, Rm::Memory(SGPR, 4 * reg::EXEC as i32 + strip), 1);
        self.raw(&[0]);
        self.jump(ZERO)
    }

    /// `kmovw mask, register`, for one of the first eight registers.
    pub fn register_to_mask(&mut self, mask: u8, register: u8) {
        if self.has_halves() {
            return self.mask_from_bits(mask, Rm::Register(register));
        }
        self.raw(&[0xc5, 0xf8, 0x92, 3 << 6 | mask << 3 | register]);
    }

    /// f64 times two to the power of whole f64, where neither power nor result is out of range.
    pub fn scale_near(&mut self, to: u8, from: u8, power: u8) {
        if self.has_halves() {
            return self.scale_near_by_halves(to, from, power);
        }
        self.vector(SCALE_D, to, ALL, from, Rm::Register(power), None);
    }

    /// `to` becomes `from`, plus 1 where `carry` is set.
    pub fn add_carry(&mut self, to: u8, from: u8, carry: u8) {
        if self.has_halves() {
            return self.subtract_mask(to, from, carry);
        }
        if to != from {
            self.vector(LOAD, to, ALL, 0, Rm::Register(from), None);
        }
        self.vector(SUB, to, carry, from, Rm::Constant(!0), None);
    }

    /// `kandw to, a, b`.
    pub fn and_masks(&mut self, to: u8, a: u8, b: u8) {
        if self.has_halves() {
            return self.combine_masks(AND, to, a, b);
        }
        self.raw(&[0xc5, 0x84 | (!a & 15) << 3, 0x41, 3 << 6 | to << 3 | b]);
    }

    /// `korw to, a, b`.
    pub fn or_masks(&mut self, to: u8, a: u8, b: u8) {
        if self.has_halves() {
            return self.combine_masks(OR, to, a, b);
        }
        self.raw(&[0xc5, 0x84 | (!a & 15) << 3, 0x45, 3 << 6 | to << 3 | b]);
    }

    /// `opcode register, [base + displacement]`, of 64 bits or 32.
    pub fn scalar(&mut self, wide: bool, opcode: &[u8], register: u8, base: u8, displacement: i32) {
        let (r, b) = (register >> 3 & 1, base >> 3 & 1);
        if wide || r != 0 || b != 0 {
            self.bytes.push(0x40 | u8::from(wide) << 3 | r << 2 | b);
        }
        self.raw(opcode);
        self.operand(register, Rm::Memory(base, displacement), 0);
    }

    /// `opcode to, from`, or with an opcode that goes the other way the reverse.
    pub fn between(&mut self, wide: bool, opcode: &[u8], reg: u8, rm: u8) {
        let (r, b) = (reg >> 3 & 1, rm >> 3 & 1);
        if wide || r != 0 || b != 0 {
            self.bytes.push(0x40 | u8::from(wide) << 3 | r << 2 | b);
        }
        self.raw(opcode);
        self.operand(reg, Rm::Register(rm), 0);
    }

    /// `mov register, value`, for one of the first eight registers.
    pub fn constant(&mut self, register: u8, value: u64) {
        if let Ok(value) = u32::try_from(value) {
            self.bytes.push(0xb8 + register);
            self.bytes.extend(value.to_le_bytes());
        } else {
            self.raw(&[0x48, 0xb8 + register]);
            self.bytes.extend(value.to_le_bytes());
        }
    }
}
