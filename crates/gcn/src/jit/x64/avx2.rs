//! The operations of [`avx512`](crate::jit::x64::avx512) with the instructions of AVX2, FMA and F16C, as one vector of
//! eight lanes or two.
//!
//! The 32 registers and 8 masks of an operation are virtual: each half of a register has a register of the host, or a
//! slot of the [frame](Frame). A mask has two slots, with all bits of a lane's dword or none. An operation that has no
//! short sequence is not encoded, and [`Code::lacks`] says so: its instruction is executed by itself.

use crate::jit::x64::assembler::{ALL, Code, FRAME, Jump, RAX, RCX, Rm, ZERO};
use crate::jit::x64::avx512::*;
use crate::jit::x64::strip::{EXEC, MASKS as OF_WAVE};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Memory for virtual registers and masks. Code writes what it reads.
#[repr(align(64))]
pub(crate) struct Frame(#[expect(dead_code, reason = "only compiled code accesses it")] MaybeUninit<[u8; BYTES]>);

/// Above registers and masks, one slot holds nothing from one step to the next.
const BYTES: usize = 64 * (REGISTERS + MASKS + 1);
const REGISTERS: usize = 32;
const MASKS: usize = 8;

impl Frame {
    pub fn new() -> Frame {
        Frame(MaybeUninit::uninit())
    }
}

/// For 16 lanes: virtual registers that are in two registers of the host each. They are the first ones that a strip
/// gives to registers of the wave, and the first temporary one.
const HELD: [u8; 6] = [0, 1, 2, 3, 4, 24];
/// Where an operation has one half: how many virtual registers, from register 0 on, are in one register of the host
/// each. The next one is in the one with EXEC, so there is either. Behind it come those of the first three temporary
/// ones, then the first mask that a strip gives to one of the wave.
pub(crate) const SINGLE_ROOM: u8 = 7;
const FIRST_MASK: u8 = OF_WAVE[0];
/// Registers of the host that hold nothing from one operation to the next.
const S0: u8 = 12;
const S1: u8 = 13;
const S2: u8 = 14;
const S3: u8 = 15;

const BLEND_BY_SIGN: Vector = Vector(3, 1, 0x4a, false);
const STORE_MASKED: Vector = Vector(2, 1, 0x2e, false);
const EQUAL: Vector = Vector(1, 1, 0x76, false);
const GREATER: Vector = Vector(1, 1, 0x66, false);
const EQUAL_Q: Vector = Vector(2, 1, 0x29, false);
const GREATER_Q: Vector = Vector(2, 1, 0x37, false);
const BROADCAST_WORD: Vector = Vector(2, 1, 0x79, false);
const BROADCAST_BYTE: Vector = Vector(2, 1, 0x78, false);
/// The highest bits of dwords, to a register of the host.
const SIGNS: Vector = Vector(1, 0, 0x50, false);
const DOUBLE_TO_INTEGER: Vector = Vector(1, 3, 0xe6, false);
const BROADCAST_PAIR: Vector = Vector(2, 1, 0x59, false);
/// A register of the host to the low 32 or 64 bits.
const FROM_HOST: Vector = Vector(1, 1, 0x6e, true);
const EXTRACT_128: Vector = Vector(3, 1, 0x39, false);
const PERMUTE_Q: Vector = Vector(3, 1, 0x00, true);
const PACK_DWORDS: Vector = Vector(1, 1, 0x6b, false);
const PACK_WORDS: Vector = Vector(1, 1, 0x63, false);
const BITS_OF_BYTES: Vector = Vector(1, 1, 0xd7, false);
const TEST_ALL: Vector = Vector(2, 1, 0x17, false);
const EXTEND_SIGNED_PAIR: Vector = Vector(2, 1, 0x25, false);
const BLEND_BY_BITS: Vector = Vector(3, 1, 0x02, false);
const SHUFFLE_F: Vector = Vector(1, 0, 0xc6, false);
const INSERT_128: Vector = Vector(3, 1, 0x38, false);
const PACK_UNSIGNED_DWORDS: Vector = Vector(2, 1, 0x2b, false);
const PACK_UNSIGNED_WORDS: Vector = Vector(1, 1, 0x67, false);

const SPARE: u8 = (REGISTERS + MASKS) as u8;
/// How many bytes of a source a half is made of, where that is less than a half.
fn widening(Vector(map, prefix, opcode, wide): Vector) -> Option<i32> {
    Some(match (map, prefix, opcode, wide) {
        (2, 1, 0x21 | 0x31, false) => 8,
        (2, 1, 0x13 | 0x23 | 0x33, false) | (1, 0, 0x5a, false) | (1, 2, 0xe6, false) => 16,
        _ => return None,
    })
}

/// What an instruction that AVX2 has too does with its operands.
enum Shape {
    Unary,
    Binary,
    /// The destination is a source.
    Accumulate,
}

fn shape(Vector(map, prefix, opcode, wide): Vector) -> Option<Shape> {
    Some(match (map, prefix, opcode, wide) {
        (1, 1, 0xdb | 0xeb | 0xef | 0xfe | 0xfa | 0xd4 | 0xf4 | 0x62 | 0x6a, _) => Shape::Binary,
        (2, 1, 0x40 | 0x3b | 0x3f | 0x39 | 0x3d | 0x46, false) | (2, 1, 0x45 | 0x47, _) => Shape::Binary,
        (1, 0 | 1, 0x58 | 0x59 | 0x5c | 0x5e | 0x5d | 0x5f | 0xc6, _) => Shape::Binary,
        (1, 0 | 1, 0x51, _) | (1, 0 | 2, 0x5b, false) | (3, 1, 0x08 | 0x09, _) => Shape::Unary,
        (2, 1, 0xb8 | 0xa8, _) => Shape::Accumulate,
        _ => return None,
    })
}

static LOW_BITS: [u32; 16] = {
    let mut bits = [0; 16];
    let mut lane = 0;
    while lane < 16 {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

impl Code {
    /// The halves that an operation has: one, where a strip has eight lanes.
    fn halves(&self) -> Range<usize> {
        0..if self.has_single_halves() { 1 } else { 2 }
    }

    /// Where half of a virtual register is.
    fn home(&self, register: u8, half: usize) -> Rm {
        if self.has_single_halves() {
            return match register {
                0..=SINGLE_ROOM => Rm::Register(register),
                24..=26 => Rm::Register(register - 24 + SINGLE_ROOM + 1),
                _ => Rm::Memory(FRAME, 64 * i32::from(register)),
            };
        }
        match HELD.iter().position(|&held| held == register) {
            Some(n) => Rm::Register((2 * n + half) as u8),
            None => Rm::Memory(FRAME, 64 * i32::from(register) + 32 * half as i32),
        }
    }

    fn mask_home(&self, mask: u8, half: usize) -> Rm {
        match mask {
            EXEC if self.has_single_halves() => return Rm::Register(SINGLE_ROOM),
            FIRST_MASK if self.has_single_halves() => return Rm::Register(SINGLE_ROOM + 4),
            _ => {}
        }
        Rm::Memory(FRAME, 64 * (REGISTERS as i32 + i32::from(mask)) + 32 * half as i32)
    }

    /// What is some bytes behind the beginning of a mask. One that is in a register has no more than a half.
    fn mask_part(&self, mask: u8, bytes: i32) -> Rm {
        match self.mask_home(mask, 0) {
            Rm::Memory(base, displacement) => Rm::Memory(base, displacement + bytes),
            held => held,
        }
    }

    /// Lanes of a virtual register that is in one of the host become those of memory where they are not enabled.
    pub fn fill_disabled(&mut self, register: u8, from: Rm) {
        let (Rm::Register(held), Rm::Register(exec)) = (self.home(register, 0), self.mask_home(EXEC, 0)) else {
            return self.lack();
        };
        self.move_in(S1, from);
        self.vex(true, BLEND_BY_SIGN, held, S1, Rm::Register(held), Some(exec << 4));
    }

    /// As [`Code::vector`].
    pub fn vector_by_halves(
        &mut self,
        instruction: Vector,
        reg: u8,
        mask: u8,
        first: u8,
        rm: Rm,
        immediate: Option<u8>,
    ) {
        if matches!(rm, Rm::Rounded(..)) || matches!(rm, Rm::Lanes(..)) != matches!(instruction, GATHER | SCATTER) {
            self.lack();
            return;
        }
        if let Some(shape) = shape(instruction) {
            for half in self.halves() {
                let last = self.half(rm, half, instruction.3, S3);
                let a = match shape {
                    Shape::Unary => 0,
                    _ => self.in_host(self.home(first, half), S2),
                };
                let to = self.result(reg, half, mask);
                if let Shape::Accumulate = shape {
                    self.move_in(to, self.home(reg, half));
                }
                self.vex(true, instruction, to, a, last, immediate);
                self.put(reg, half, mask, to, instruction.3);
            }
            return;
        }
        if let Some(bytes) = widening(instruction) {
            // Both before one is written, as that may be the source.
            for half in self.halves() {
                let to = [S0, S1][half];
                let from = self.part(rm, bytes * half as i32, to);
                self.vex(true, instruction, to, 0, from, None);
            }
            for half in self.halves() {
                self.put(reg, half, mask, [S0, S1][half], false);
            }
            return;
        }
        match instruction {
            LOAD | LOAD_UNALIGNED => self.each_half(reg, mask, |code, half, to| {
                let from = code.half(rm, half, false, to);
                code.move_in(to, from);
            }),
            STORE | STORE_UNALIGNED => {
                for half in self.halves() {
                    let (Rm::Memory(..) | Rm::Indexed(..)) = rm else { return self.lack() };
                    let to = self.half(rm, half, false, S3);
                    let from = self.in_host(self.home(reg, half), S2);
                    if mask == ALL {
                        self.move_out(from, to);
                    } else {
                        let mask = self.in_host(self.mask_home(mask, half), S1);
                        self.vex(true, STORE_MASKED, from, mask, to, None);
                    }
                }
            }
            BROADCAST | BROADCAST_Q => {
                let wide = instruction == BROADCAST_Q;
                let from = if let Rm::Register(register) = rm { self.home(register, 0) } else { rm };
                if self.has_single_halves() {
                    return self.each_half(reg, mask, |code, _, to| code.broadcast(to, from, wide));
                }
                self.broadcast(S0, from, wide);
                self.each_half(reg, mask, |code, _, to| code.move_in(to, Rm::Register(S0)));
            }
            BROADCAST_REGISTER => {
                self.vex(false, FROM_HOST, S0, 0, rm, None);
                self.vex(true, BROADCAST_PAIR, S0, 0, Rm::Register(S0), None);
                self.each_half(reg, mask, |code, _, to| code.move_in(to, Rm::Register(S0)));
            }
            BLEND => {
                for half in self.halves() {
                    let last = self.half(rm, half, false, S3);
                    let a = self.in_host(self.home(first, half), S2);
                    let to = self.result(reg, half, ALL);
                    let mask = self.in_host(self.mask_home(mask, half), S0);
                    self.vex(true, BLEND_BY_SIGN, to, a, last, Some(mask << 4));
                    self.put(reg, half, ALL, to, false);
                }
            }
            SHIFT_BY | SHIFT_Q => {
                // The register that is written is in the place of the first source.
                for half in self.halves() {
                    let Rm::Register(from) = rm else { return self.lack() };
                    let from = self.in_host(self.home(from, half), S3);
                    let to = self.result(first, half, mask);
                    self.vex(true, instruction, reg, to, Rm::Register(from), immediate);
                    self.put(first, half, mask, to, instruction.3);
                }
            }
            LOGIC => self.logic(reg, mask, first, rm, immediate),
            Vector(1, 0 | 1, 0xc2, wide) => {
                for half in self.halves() {
                    let last = self.half(rm, half, wide, S3);
                    let a = self.in_host(self.home(first, half), S2);
                    self.vex(true, instruction, S1, a, last, immediate);
                    self.put_mask(reg, half, mask, wide);
                }
            }
            Vector(3, 1, 0x1e | 0x1f, false) => {
                for half in self.halves() {
                    self.compare_dwords(instruction == COMPARE_U, half, first, rm, immediate);
                    self.put_mask(reg, half, mask, false);
                }
            }
            Vector(3, 1, 0x1e | 0x1f, true) => {
                for half in self.halves() {
                    self.compare_qwords(instruction == COMPARE_UQ, half, first, rm, immediate);
                    self.put_mask(reg, half, mask, true);
                }
            }
            TEST => {
                for half in self.halves() {
                    let last = self.half(rm, half, false, S3);
                    let a = self.in_host(self.home(first, half), S2);
                    self.vex(true, AND, S1, a, last, None);
                    self.vex(true, XOR, S2, S2, Rm::Register(S2), None);
                    self.vex(true, EQUAL, S1, S1, Rm::Register(S2), None);
                    self.invert(S1);
                    self.put_mask(reg, half, mask, false);
                }
            }
            CLASS_F => {
                for half in self.halves() {
                    self.classify_half(half, rm, immediate.unwrap_or(0));
                    self.put_mask(reg, half, mask, false);
                }
            }
            MASK_TO_D => {
                let Rm::Register(from) = rm else { return self.lack() };
                self.each_half(reg, mask, |code, half, to| {
                    let from = code.mask_home(from, half);
                    code.move_in(to, from);
                });
            }
            PERMUTE => {
                let Rm::Register(from) = rm else { return self.lack() };
                if self.has_single_halves() {
                    let index = self.in_host(self.home(first, 0), S2);
                    self.vex(true, PERMUTE, S1, index, self.home(from, 0), None);
                    return self.put(reg, 0, mask, S1, false);
                }
                for (half, result) in [(0, S0), (1, S1)] {
                    let index = self.in_host(self.home(first, half), S2);
                    self.vex(true, PERMUTE, S3, index, self.home(from, 0), None);
                    self.vex(true, PERMUTE, result, index, self.home(from, 1), None);
                    // The bit that says which half is the highest one.
                    self.vex(true, SHIFT_BY, 6, S2, Rm::Register(index), Some(28));
                    self.vex(true, BLEND_BY_SIGN, result, S3, Rm::Register(result), Some(S2 << 4));
                }
                // The second one first, as the other needs the register that it is in.
                self.put(reg, 1, mask, S1, false);
                self.put(reg, 0, mask, S0, false);
            }
            FROM_U => {
                for half in self.halves() {
                    let from = self.half(rm, half, false, S3);
                    let from = self.in_host(from, S3);
                    // Both parts and the product are exact.
                    self.vex(true, SHIFT_BY, 2, S1, Rm::Register(from), Some(16));
                    self.vex(true, FROM_I, S1, 0, Rm::Register(S1), None);
                    self.vex(true, MUL_F, S1, S1, Rm::Constant(65536f32.to_bits()), None);
                    self.vex(true, AND, S2, from, Rm::Constant(0xffff), None);
                    self.vex(true, FROM_I, S2, 0, Rm::Register(S2), None);
                    self.vex(true, ADD_F, S1, S1, Rm::Register(S2), None);
                    self.put(reg, half, mask, S1, false);
                }
            }
            TO_U => {
                // Of numbers that are not negative: from 2^31 on it is that bit and what is above it.
                for half in self.halves() {
                    let from = self.half(rm, half, false, S3);
                    let from = self.in_host(from, S3);
                    self.vex(true, TO_I, S1, 0, Rm::Register(from), None);
                    self.vex(true, SUB_F, S2, from, Rm::Constant(0x4f00_0000), None);
                    self.vex(true, TO_I, S2, 0, Rm::Register(S2), None);
                    self.vex(true, SHIFT_BY, 4, S0, Rm::Register(S1), Some(31));
                    // What is beyond 2^32 has all bits.
                    self.vex(true, SHIFT_BY, 4, S3, Rm::Register(S2), Some(31));
                    self.vex(true, OR, S2, S2, Rm::Register(S3), None);
                    self.vex(true, AND, S2, S2, Rm::Register(S0), None);
                    self.vex(true, OR, S1, S1, Rm::Register(S2), None);
                    self.put(reg, half, mask, S1, false);
                }
            }
            INSERT_HALF | INSERT_ROW => {
                let (Rm::Register(from), Some(1), ALL) = (rm, immediate, mask) else { return self.lack() };
                if self.has_single_halves() {
                    let first = self.in_host(self.home(first, 0), S2);
                    self.vex(true, INSERT_128, S1, first, self.home(from, 0), Some(1));
                    return self.put(reg, 0, ALL, S1, false);
                }
                self.move_in(S0, self.home(first, 0));
                self.move_in(S1, self.home(from, 0));
                self.put(reg, 0, ALL, S0, false);
                self.put(reg, 1, ALL, S1, false);
            }
            EXTRACT_HALF => {
                let (Rm::Register(to), Some(1), ALL) = (rm, immediate, mask) else { return self.lack() };
                if self.has_single_halves() {
                    let from = self.in_host(self.home(reg, 0), S2);
                    self.vex(true, EXTRACT_128, from, 0, Rm::Register(S1), Some(1));
                    return self.put(to, 0, ALL, S1, false);
                }
                self.move_in(S0, self.home(reg, 1));
                self.put(to, 0, ALL, S0, false);
            }
            MASK_TO_Q => {
                let Rm::Register(from) = rm else { return self.lack() };
                self.each_half(reg, mask, |code, half, to| {
                    let part = code.mask_part(from, 16 * half as i32);
                    code.vex(true, EXTEND_SIGNED_PAIR, to, 0, part, None);
                });
            }
            NARROW => {
                // The source is in the place of the destination.
                let (Rm::Register(to), ALL) = (rm, mask) else { return self.lack() };
                for half in self.halves() {
                    let from = self.in_host(self.home(reg, half), S3);
                    self.vex(true, NARROW, from, 0, Rm::Register([S1, S2][half]), immediate);
                }
                self.join_128();
                self.put(to, 0, ALL, S1, false);
            }
            DOUBLE_TO_FLOAT => {
                let (Rm::Register(from), ALL) = (rm, mask) else { return self.lack() };
                for half in self.halves() {
                    let from = self.home(from, half);
                    self.vex(true, DOUBLE_TO_FLOAT, [S1, S2][half], 0, from, None);
                }
                self.join_128();
                self.put(reg, 0, ALL, S1, false);
            }
            STORE_BYTES | STORE_SHORTS => self.store_narrow(instruction == STORE_BYTES, reg, mask, rm),
            EXPONENT_F => {
                for half in self.halves() {
                    self.exponent(half, rm);
                    self.put(reg, half, mask, S1, false);
                }
            }
            SCALE_F => self.scale(reg, mask, first, rm),
            UNSIGNED_TO_DOUBLE if self.has_single_halves() => {
                // As with a sign, 2^31 less, which is exact.
                let from = self.part(rm, 0, S0);
                self.move_in(S0, from);
                self.vex(true, XOR, S0, S0, Rm::Constant(1 << 31), None);
                self.vex(true, INTEGER_TO_DOUBLE, S0, 0, Rm::Register(S0), None);
                self.vex(true, ADD_D, S0, S0, Rm::Wide(2f64.powi(31).to_bits()), None);
                self.put(reg, 0, mask, S0, false);
            }
            RANGE_F => self.range(reg, mask, first, rm, immediate),
            GATHER => self.gather(reg, mask, rm),
            SCATTER => self.scatter(reg, mask, rm),
            _ => self.lack(),
        }
    }

    /// Elements of two virtual registers, by a table.
    pub fn pick_by_halves(&mut self, to: u8, table: &'static [u32; 16], first: u8, second: u8) {
        if to == first || to == second {
            return self.lack();
        }
        if self.has_single_halves() {
            return self.pick_of_single(to, &table[..8], first, second);
        }
        for half in self.halves() {
            let indexes = &table[8 * half..][..8];
            let mut is_first = true;
            for (n, source) in [self.home(first, 0), self.home(first, 1), self.home(second, 0), self.home(second, 1)]
                .into_iter()
                .enumerate()
            {
                let taken =
                    (0..8).filter(|&lane| indexes[lane] as usize / 8 == n).fold(0, |bits, lane| bits | 1 << lane);
                if taken == 0 {
                    continue;
                }
                self.move_in(S2, Rm::Table(indexes));
                let result = if is_first { S1 } else { S2 };
                self.vex(true, PERMUTE, result, S2, source, None);
                if !is_first {
                    self.vex(true, BLEND_BY_BITS, S1, S1, Rm::Register(S2), Some(taken));
                }
                is_first = false;
            }
            self.put(to, half, ALL, S1, false);
        }
    }

    /// The same of eight elements each, those of the second one from 16 on.
    fn pick_of_single(&mut self, to: u8, table: &'static [u32], first: u8, second: u8) {
        if table.iter().any(|element| element & 8 != 0) {
            return self.lack();
        }
        let of_second = (0..8).filter(|&lane| table[lane] >= 16).fold(0, |bits, lane| bits | 1 << lane);
        self.move_in(S2, Rm::Table(table));
        self.vex(true, PERMUTE, S1, S2, self.home(first, 0), None);
        self.vex(true, PERMUTE, S2, S2, self.home(second, 0), None);
        self.vex(true, BLEND_BY_BITS, S1, S1, Rm::Register(S2), Some(of_second));
        self.put(to, 0, ALL, S1, false);
    }

    /// S1 becomes what of two halves is 128 bits each, in S1 and S2.
    fn join_128(&mut self) {
        if !self.has_single_halves() {
            self.vex(true, INSERT_128, S1, S1, Rm::Register(S2), Some(1));
        }
    }

    /// `each` writes a half of a virtual register, to the register of the host that it gets.
    fn each_half(&mut self, reg: u8, mask: u8, each: impl Fn(&mut Code, usize, u8)) {
        for half in self.halves() {
            let to = self.result(reg, half, mask);
            each(self, half, to);
            self.put(reg, half, mask, to, false);
        }
    }

    /// The register of the host for a result that [`Code::put`] takes.
    fn result(&self, reg: u8, half: usize, mask: u8) -> u8 {
        match self.home(reg, half) {
            Rm::Register(register) if mask == ALL => register,
            _ => S1,
        }
    }

    /// Half of an operand, where an instruction takes its last one. What is the same for all lanes is in `scratch`.
    fn half(&mut self, rm: Rm, half: usize, wide: bool, scratch: u8) -> Rm {
        let distance = 32 * half as i32;
        match rm {
            Rm::Register(register) => self.home(register, half),
            Rm::Memory(base, displacement) => Rm::Memory(base, displacement + distance),
            Rm::Indexed(base, index, displacement) => Rm::Indexed(base, index, displacement + distance),
            Rm::Table(table) => Rm::Table(&table[8 * half..][..8]),
            // Whole in memory.
            Rm::Constant(_) | Rm::Wide(_) => rm,
            Rm::Broadcast(..) => {
                self.broadcast(scratch, rm, wide);
                Rm::Register(scratch)
            }
            Rm::Rounded(..) | Rm::Lanes(..) => {
                self.lack();
                Rm::Register(scratch)
            }
        }
    }

    fn broadcast(&mut self, to: u8, from: Rm, wide: bool) {
        let from = if let Rm::Broadcast(base, displacement) = from { Rm::Memory(base, displacement) } else { from };
        let instruction = if wide { BROADCAST_PAIR } else { BROADCAST };
        self.vex(true, Vector(instruction.0, instruction.1, instruction.2, false), to, 0, from, None);
    }

    fn move_in(&mut self, to: u8, from: Rm) {
        if from != Rm::Register(to) {
            self.vex(true, LOAD_UNALIGNED, to, 0, from, None);
        }
    }

    fn move_out(&mut self, from: u8, to: Rm) {
        if to != Rm::Register(from) {
            self.vex(true, STORE_UNALIGNED, from, 0, to, None);
        }
    }

    /// What is at `from`, in a register of the host: in `scratch`, if it is in none.
    fn in_host(&mut self, from: Rm, scratch: u8) -> u8 {
        if let Rm::Register(register) = from {
            return register;
        }
        self.move_in(scratch, from);
        scratch
    }

    /// `result` becomes half of a virtual register, where the mask is set. `wide`: its elements have 64 bits.
    fn put(&mut self, reg: u8, half: usize, mask: u8, result: u8, wide: bool) {
        if mask != ALL {
            let mask = if wide {
                let part = self.mask_part(mask, 16 * half as i32);
                self.vex(true, EXTEND_SIGNED_PAIR, S3, 0, part, None);
                S3
            } else {
                self.in_host(self.mask_home(mask, half), S3)
            };
            let to = self.result(reg, half, ALL);
            let old = self.in_host(self.home(reg, half), S2);
            self.vex(true, BLEND_BY_SIGN, to, old, Rm::Register(result), Some(mask << 4));
            return self.move_out(to, self.home(reg, half));
        }
        self.move_out(result, self.home(reg, half));
    }

    /// S1, as a mask, becomes half of a virtual mask; where `mask` is not set there are zeros. `wide`: its elements
    /// have 64 bits.
    fn put_mask(&mut self, reg: u8, half: usize, mask: u8, wide: bool) {
        let offset = if wide { 16 } else { 32 } * half as i32;
        if wide {
            self.vex(true, EXTRACT_128, S1, 0, Rm::Register(S2), Some(1));
            self.vex(false, SHUFFLE_F, S1, S1, Rm::Register(S2), Some(0x88));
        }
        if mask != ALL {
            self.vex(!wide, AND, S1, S1, self.mask_part(mask, offset), None);
        }
        if self.has_single_halves() {
            return self.move_out(S1, self.mask_home(reg, 0));
        }
        self.vex(!wide, STORE_UNALIGNED, S1, 0, self.mask_part(reg, offset), None);
        if wide && half == 1 {
            self.vex(true, XOR, S1, S1, Rm::Register(S1), None);
            self.move_out(S1, self.mask_home(reg, 1));
        }
    }

    fn invert(&mut self, register: u8) {
        self.vex(true, XOR, register, register, Rm::Constant(!0), None);
    }

    /// Some bytes of an operand, of which a half is made.
    fn part(&mut self, rm: Rm, bytes: i32, scratch: u8) -> Rm {
        match rm {
            Rm::Register(register) => match self.home(register, 0) {
                Rm::Memory(base, displacement) => Rm::Memory(base, displacement + bytes),
                held if bytes == 0 => held,
                Rm::Register(held) => {
                    self.vex(true, EXTRACT_128, held, 0, Rm::Register(scratch), Some(1));
                    Rm::Register(scratch)
                }
                other => other,
            },
            Rm::Memory(base, displacement) => Rm::Memory(base, displacement + bytes),
            Rm::Indexed(base, index, displacement) => Rm::Indexed(base, index, displacement + bytes),
            _ => {
                self.lack();
                rm
            }
        }
    }

    /// The low bytes or shorts of a virtual register, side by side.
    fn store_narrow(&mut self, is_bytes: bool, reg: u8, mask: u8, to: Rm) {
        let low = Rm::Constant(if is_bytes { 0xff } else { 0xffff });
        if self.has_single_halves() {
            let (Rm::Register(to), ALL, false) = (to, mask, is_bytes) else { return self.lack() };
            let from = self.in_host(self.home(reg, 0), S3);
            self.vex(true, AND, S1, from, low, None);
            self.vex(true, PACK_UNSIGNED_DWORDS, S1, S1, Rm::Register(S1), None);
            self.vex(true, PERMUTE_Q, S1, 0, Rm::Register(S1), Some(8));
            return self.put(to, 0, ALL, S1, false);
        }
        for (half, result) in [(0, S1), (1, S2)] {
            let from = self.in_host(self.home(reg, half), S3);
            self.vex(true, AND, result, from, low, None);
        }
        self.vex(true, PACK_UNSIGNED_DWORDS, S1, S1, Rm::Register(S2), None);
        self.vex(true, PERMUTE_Q, S1, 0, Rm::Register(S1), Some(0xd8));
        if is_bytes {
            self.vex(true, EXTRACT_128, S1, 0, Rm::Register(S2), Some(1));
            self.vex(false, PACK_UNSIGNED_WORDS, S1, S1, Rm::Register(S2), None);
        }
        match to {
            Rm::Register(to) if mask == ALL && !is_bytes => self.put(to, 0, ALL, S1, false),
            Rm::Indexed(..) if mask == ALL => self.vex(!is_bytes, STORE_UNALIGNED, S1, 0, to, None),
            Rm::Indexed(base, index, displacement) => {
                // Lane by lane: no instruction stores bytes with a mask that stays in the cache.
                self.move_out(S1, self.home(SPARE, 0));
                let size = if is_bytes { 1 } else { 2 };
                for lane in 0..16 {
                    let skip = self.unless_lane(mask, lane);
                    let Rm::Memory(slots, at) = self.home(SPARE, 0) else { return };
                    let opcode: &[u8] = if is_bytes { &[0x0f, 0xb6] } else { &[0x0f, 0xb7] };
                    self.scalar(false, opcode, RCX, slots, at + size * lane);
                    self.store_low(is_bytes, RCX, Rm::Indexed(base, index, displacement + size * lane));
                    self.land(skip);
                }
            }
            _ => self.lack(),
        }
    }

    /// The jump is for where a lane is not in a mask.
    fn unless_lane(&mut self, mask: u8, lane: i32) -> Jump {
        let Rm::Memory(base, displacement) = self.mask_home(mask, 0) else { return self.jump(None) };
        // cmp dword [base + displacement], 0
        self.raw(&[0x41, 0x83]);
        self.host_operand(7, Rm::Memory(base, displacement + 4 * lane), 1);
        self.raw(&[0]);
        self.jump(ZERO)
    }

    /// The smaller or larger of two floats, as AVX-512 has it.
    fn range(&mut self, reg: u8, mask: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        let (Rm::Register(second), Some(which @ (4 | 5))) = (rm, immediate) else { return self.lack() };
        const UNORDERED: Option<u8> = Some(3);
        for half in self.halves() {
            self.move_in(S0, self.home(first, half));
            self.move_in(S3, self.home(second, half));
            // As integers with a sign they are in order once negative ones have all other bits inverted, zeros too.
            for (key, value) in [(S1, S0), (S2, S3)] {
                self.vex(true, SHIFT_BY, 4, key, Rm::Register(value), Some(31));
                self.vex(true, SHIFT_BY, 2, key, Rm::Register(key), Some(1));
                self.vex(true, XOR, key, key, Rm::Register(value), None);
            }
            self.vex(true, GREATER, S1, S1, Rm::Register(S2), None);
            let [otherwise, above] = if which == 4 { [S0, S3] } else { [S3, S0] };
            self.vex(true, BLEND_BY_SIGN, S1, otherwise, Rm::Register(above), Some(S1 << 4));
            // Of a quiet NaN and a number it is the number, of two NaN the first.
            for (nan, other) in [(S0, S3), (S3, S0)] {
                self.vex(true, COMPARE_F, S2, nan, Rm::Register(nan), UNORDERED);
                self.vex(true, BLEND_BY_SIGN, S1, S1, Rm::Register(other), Some(S2 << 4));
            }
            // A signaling NaN, made quiet, is the result.
            for value in [S3, S0] {
                self.vex(true, SHIFT_BY, 6, S2, Rm::Register(value), Some(9));
                self.vex(true, XOR, S2, S2, Rm::Constant(!0), None);
                self.move_out(S2, self.home(SPARE, 0));
                self.vex(true, COMPARE_F, S2, value, Rm::Register(value), UNORDERED);
                self.vex(true, AND, S2, S2, self.home(SPARE, 0), None);
                self.vex(true, OR, value, value, Rm::Constant(1 << 22), None);
                self.vex(true, BLEND_BY_SIGN, S1, S1, Rm::Register(value), Some(S2 << 4));
            }
            self.put(reg, half, mask, S1, false);
        }
    }

    fn logic(&mut self, reg: u8, mask: u8, first: u8, rm: Rm, immediate: Option<u8>) {
        for half in self.halves() {
            let c = self.half(rm, half, false, S3);
            let b = self.in_host(self.home(first, half), S2);
            let a = self.in_host(self.home(reg, half), S0);
            let to = self.result(reg, half, mask);
            match immediate {
                // `a` where the last one has no bits, else `b`: their difference, where it counts.
                Some(0xd8) => {
                    self.vex(true, XOR, S1, a, Rm::Register(b), None);
                    self.vex(true, AND, S1, S1, c, None);
                    self.vex(true, XOR, to, a, Rm::Register(S1), None);
                }
                // `b` where `a` has bits, else the last one.
                Some(0xca) => {
                    self.vex(true, XOR, S1, b, c, None);
                    self.vex(true, AND, S1, a, Rm::Register(S1), None);
                    self.vex(true, XOR, to, S1, c, None);
                }
                Some(0xf6) => {
                    self.vex(true, XOR, S1, b, c, None);
                    self.vex(true, OR, to, a, Rm::Register(S1), None);
                }
                _ => self.lack(),
            }
            self.put(reg, half, mask, to, false);
        }
    }

    /// Compares dwords, to S1.
    fn compare_dwords(&mut self, unsigned: bool, half: usize, first: u8, rm: Rm, predicate: Option<u8>) {
        let b = self.half(rm, half, false, S3);
        let a = self.in_host(self.home(first, half), S2);
        let [least, most] = if unsigned { [MIN_U, MAX_U] } else { [MIN_I, MAX_I] };
        let (extreme, inverted) = match predicate {
            Some(0) => (None, false),
            Some(4) => (None, true),
            // At most, and its opposite.
            Some(2) => (Some(least), false),
            Some(6) => (Some(least), true),
            Some(5) => (Some(most), false),
            Some(1) => (Some(most), true),
            _ => return self.lack(),
        };
        match extreme {
            Some(extreme) => {
                self.vex(true, extreme, S1, a, b, None);
                self.vex(true, EQUAL, S1, S1, Rm::Register(a), None);
            }
            None => self.vex(true, EQUAL, S1, a, b, None),
        }
        if inverted {
            self.invert(S1);
        }
    }

    /// Compares qwords, to S1.
    fn compare_qwords(&mut self, unsigned: bool, half: usize, first: u8, rm: Rm, predicate: Option<u8>) {
        let b = self.half(rm, half, true, S3);
        self.move_in(S3, b);
        self.move_in(S1, self.home(first, half));
        if unsigned {
            self.vex(true, XOR, S1, S1, Rm::Wide(1 << 63), None);
            self.vex(true, XOR, S3, S3, Rm::Wide(1 << 63), None);
        }
        let (instruction, [a, b], inverted) = match predicate {
            Some(0) => (EQUAL_Q, [S1, S3], false),
            Some(4) => (EQUAL_Q, [S1, S3], true),
            Some(6) => (GREATER_Q, [S1, S3], false),
            Some(2) => (GREATER_Q, [S1, S3], true),
            Some(1) => (GREATER_Q, [S3, S1], false),
            Some(5) => (GREATER_Q, [S3, S1], true),
            _ => return self.lack(),
        };
        self.vex(true, instruction, S1, a, Rm::Register(b), None);
        if inverted {
            self.invert(S1);
        }
    }

    /// Which numbers are of some classes, to S1.
    fn classify_half(&mut self, half: usize, rm: Rm, classes: u8) {
        let Rm::Register(value) = rm else { return self.lack() };
        let value = self.in_host(self.home(value, half), S0);
        self.vex(true, XOR, S1, S1, Rm::Register(S1), None);
        let mut left = classes;
        if left & 0x26 == 0x26 {
            // Zeros and denormals: no exponent.
            left &= !0x26;
            self.vex(true, AND, S2, value, Rm::Constant(0x7f80_0000), None);
            self.vex(true, EQUAL, S1, S1, Rm::Register(S2), None);
        }
        if left & 0x06 == 0x06 {
            left &= !0x06;
            // A comparison of floats takes denormals for zero where the mode does.
            self.vex(true, XOR, S2, S2, Rm::Register(S2), None);
            self.vex(true, COMPARE_F, S2, value, Rm::Register(S2), Some(0));
            self.vex(true, OR, S1, S1, Rm::Register(S2), None);
        }
        let [infinite, nan] = [0x18, 0x81].map(|both| left & both == both);
        if infinite || nan {
            self.vex(true, AND, S2, value, Rm::Constant(0x7fff_ffff), None);
            // Infinity, or what is just below: NaN is above infinity.
            let border = if infinite && nan { 0x7f7f_ffff } else { 0x7f80_0000 };
            if infinite {
                left &= !0x18;
            }
            if nan {
                left &= !0x81;
            }
            let instruction = if nan { GREATER } else { EQUAL };
            self.vex(true, instruction, S2, S2, Rm::Constant(border), None);
            self.vex(true, OR, S1, S1, Rm::Register(S2), None);
        }
        if left == 0x20 {
            // No exponent, and not zero, which a comparison of floats takes denormals for where the mode does.
            left = 0;
            self.vex(true, AND, S2, value, Rm::Constant(0x7f80_0000), None);
            self.vex(true, EQUAL, S2, S2, Rm::Constant(0), None);
            self.vex(true, COMPARE_F, S3, value, Rm::Constant(0), Some(4));
            self.vex(true, AND, S2, S2, Rm::Register(S3), None);
            self.vex(true, OR, S1, S1, Rm::Register(S2), None);
        }
        if left == 0x80 {
            // Signaling: a NaN without the bit of quiet ones.
            left = 0;
            self.vex(true, AND, S2, value, Rm::Constant(0x7fff_ffff), None);
            self.broadcast(S3, Rm::Constant(0x7fc0_0000), false);
            self.vex(true, GREATER, S3, S3, Rm::Register(S2), None);
            self.move_out(S3, self.home(SPARE, 0));
            self.vex(true, GREATER, S2, S2, Rm::Constant(0x7f80_0000), None);
            self.vex(true, AND, S2, S2, self.home(SPARE, 0), None);
            self.vex(true, OR, S1, S1, Rm::Register(S2), None);
        }
        if left != 0 {
            self.lack();
        }
    }

    /// The exponents of floats as floats, to S1. Zeros have the lowest number, infinities and NaN themselves without
    /// sign.
    fn exponent(&mut self, half: usize, rm: Rm) {
        let Rm::Register(value) = rm else { return self.lack() };
        let value = self.in_host(self.home(value, half), S0);
        self.vex(true, AND, S0, value, Rm::Constant(u32::MAX >> 1), None);
        // Denormals have that of what is 2^64 times as large.
        self.vex(true, MUL_F, S1, S0, Rm::Constant(2f32.powi(64).to_bits()), None);
        self.move_in(S2, Rm::Constant(0x0080_0000));
        self.vex(true, GREATER, S2, S2, Rm::Register(S0), None);
        self.vex(true, BLEND_BY_SIGN, S1, S0, Rm::Register(S1), Some(S2 << 4));
        self.vex(true, AND, S2, S2, Rm::Constant(64), None);
        self.vex(true, SHIFT_BY, 2, S3, Rm::Register(S1), Some(23));
        self.vex(true, SUB, S3, S3, Rm::Register(S2), None);
        self.vex(true, SUB, S3, S3, Rm::Constant(127), None);
        self.vex(true, FROM_I, S3, 0, Rm::Register(S3), None);
        self.vex(true, EQUAL, S2, S1, Rm::Constant(0), None);
        self.vex(true, BLEND_BY_SIGN, S3, S3, Rm::Constant(f32::NEG_INFINITY.to_bits()), Some(S2 << 4));
        self.vex(true, GREATER, S2, S0, Rm::Constant(0x7f7f_ffff), None);
        self.vex(true, ADD_F, S0, S0, Rm::Register(S0), None);
        self.vex(true, BLEND_BY_SIGN, S1, S3, Rm::Register(S0), Some(S2 << 4));
    }

    /// Floats times two to the power of whole ones, rounded once: as f64, of which four are a half of a half.
    fn scale(&mut self, reg: u8, mask: u8, first: u8, rm: Rm) {
        // Beyond, every result is 0 or infinite.
        const FARTHEST: f32 = 400.0;
        for half in self.halves() {
            let powers = self.half(rm, half, false, S3);
            let powers = self.in_host(powers, S3);
            self.vex(true, MIN_F, S3, powers, Rm::Constant(FARTHEST.to_bits()), None);
            self.vex(true, MAX_F, S3, S3, Rm::Constant((-FARTHEST).to_bits()), None);
            self.vex(true, TO_I, S3, 0, Rm::Register(S3), None);
            let values = self.in_host(self.home(first, half), S2);
            self.move_in(S2, Rm::Register(values));
            for result in [S0, S1] {
                let upper = result == S1;
                if upper {
                    self.vex(true, EXTRACT_128, S3, 0, Rm::Register(S3), Some(1));
                    self.vex(true, EXTRACT_128, S2, 0, Rm::Register(S2), Some(1));
                }
                self.vex(true, FLOAT_TO_DOUBLE, result, 0, Rm::Register(S2), None);
                self.move_out(S3, self.home(SPARE, 0));
                self.power_of_two(S3, S3);
                self.vex(true, MUL_D, result, result, Rm::Register(S3), None);
                self.vex(true, DOUBLE_TO_FLOAT, result, 0, Rm::Register(result), None);
                self.move_in(S3, self.home(SPARE, 0));
            }
            self.vex(true, INSERT_128, S1, S0, Rm::Register(S1), Some(1));
            self.put(reg, half, mask, S1, false);
        }
    }

    /// Of four dwords, not far from 0, the powers of two as f64.
    fn power_of_two(&mut self, to: u8, exponents: u8) {
        self.vex(true, EXTEND_SIGNED_PAIR, to, 0, Rm::Register(exponents), None);
        self.vex(true, ADD_Q, to, to, Rm::Wide(1023), None);
        self.vex(true, SHIFT_Q, 6, to, Rm::Register(to), Some(52));
    }

    /// As [`Code::scale_near`].
    pub fn scale_near_by_halves(&mut self, to: u8, from: u8, power: u8) {
        for half in self.halves() {
            self.vex(true, DOUBLE_TO_INTEGER, S1, 0, self.home(power, half), None);
            self.power_of_two(S1, S1);
            let from = self.in_host(self.home(from, half), S2);
            let result = self.result(to, half, ALL);
            self.vex(true, MUL_D, result, from, Rm::Register(S1), None);
            self.move_out(result, self.home(to, half));
        }
    }

    /// Eight dwords at eight indexes of 64 bits.
    fn gather(&mut self, reg: u8, mask: u8, rm: Rm) {
        if self.has_single_halves() {
            return self.lack();
        }
        let (Rm::Lanes(base, index, displacement), Rm::Memory(slot, at)) = (rm, self.home(reg, 0)) else {
            return self.lack();
        };
        let Rm::Memory(masks, first) = self.mask_home(mask, 0) else { return };
        for half in self.halves() {
            let part = 16 * half as i32;
            self.vex(false, LOAD_UNALIGNED, S1, 0, Rm::Memory(masks, first + part), None);
            self.vex(false, XOR, S2, S2, Rm::Register(S2), None);
            let indexes = self.in_host(self.home(index, half), S3);
            self.vex(true, GATHER, S2, S1, Rm::Indexed(base, indexes, displacement), None);
            self.vex(false, STORE_UNALIGNED, S2, 0, Rm::Memory(slot, at + part), None);
        }
    }

    /// Eight dwords to eight indexes of 64 bits, the last of them last. RAX and RCX are lost.
    fn scatter(&mut self, reg: u8, mask: u8, rm: Rm) {
        if self.has_single_halves() {
            return self.lack();
        }
        let Rm::Lanes(base, index, displacement) = rm else { return self.lack() };
        let Rm::Memory(slots, indexes) = self.home(index, 0) else { return self.lack() };
        let values = self.in_host(self.home(reg, 0), S1);
        self.move_out(values, self.home(SPARE, 0));
        let Rm::Memory(_, values) = self.home(SPARE, 0) else { return };
        for lane in 0..8 {
            let skip = self.unless_lane(mask, lane);
            self.scalar(true, &[0x8b], RCX, slots, indexes + 8 * lane);
            self.scalar(false, &[0x8b], RAX, slots, values + 4 * lane);
            self.store_dword(RAX, Rm::Indexed(base, RCX, displacement));
            self.land(skip);
        }
    }

    /// Sixteen bits of memory, or of a register of the host, become a virtual mask; eight where an operation has one
    /// half.
    pub fn mask_from_bits(&mut self, mask: u8, from: Rm) {
        if self.has_single_halves() {
            if let Rm::Register(_) = from {
                return self.lack();
            }
            let to = if let Rm::Register(held) = self.mask_home(mask, 0) { held } else { S1 };
            self.vex(true, BROADCAST_BYTE, to, 0, from, None);
            self.move_in(S3, Rm::Table(&LOW_BITS[..8]));
            self.vex(true, AND, to, to, Rm::Register(S3), None);
            self.vex(true, EQUAL, to, to, Rm::Register(S3), None);
            return self.move_out(to, self.mask_home(mask, 0));
        }
        match from {
            Rm::Register(_) => {
                self.vex(false, FROM_HOST, S1, 0, from, None);
                self.vex(true, BROADCAST_WORD, S1, 0, Rm::Register(S1), None);
            }
            from => self.vex(true, BROADCAST_WORD, S1, 0, from, None),
        }
        for half in self.halves() {
            self.move_in(S3, Rm::Table(&LOW_BITS[8 * half..][..8]));
            self.vex(true, AND, S2, S1, Rm::Register(S3), None);
            self.vex(true, EQUAL, S2, S2, Rm::Register(S3), None);
            self.move_out(S2, self.mask_home(mask, half));
        }
    }

    pub fn copy_mask_by_halves(&mut self, to: u8, from: u8) {
        for half in self.halves() {
            let from = self.in_host(self.mask_home(from, half), S1);
            self.move_out(from, self.mask_home(to, half));
        }
    }

    pub fn not_mask_by_halves(&mut self, to: u8, from: u8) {
        for half in self.halves() {
            self.move_in(S1, self.mask_home(from, half));
            self.invert(S1);
            self.move_out(S1, self.mask_home(to, half));
        }
    }

    /// The higher eight lanes become the lower ones, and none are above.
    pub fn high_half_of_mask(&mut self, to: u8, from: u8) {
        if self.has_single_halves() {
            return self.lack();
        }
        self.move_in(S1, self.mask_home(from, 1));
        self.move_out(S1, self.mask_home(to, 0));
        self.vex(true, XOR, S1, S1, Rm::Register(S1), None);
        self.move_out(S1, self.mask_home(to, 1));
    }

    /// The zero flag says that a virtual register has no bit.
    pub fn test_bits_by_halves(&mut self, register: u8) {
        self.move_in(S1, self.home(register, 0));
        if !self.has_single_halves() {
            self.vex(true, OR, S1, S1, self.home(register, 1), None);
        }
        self.vex(true, TEST_ALL, S1, 0, Rm::Register(S1), None);
    }

    /// As [`Code::add_carry`].
    pub fn subtract_mask(&mut self, to: u8, from: u8, carry: u8) {
        for half in self.halves() {
            let from = self.in_host(self.home(from, half), S2);
            let result = self.result(to, half, ALL);
            self.vex(true, SUB, result, from, self.mask_home(carry, half), None);
            self.move_out(result, self.home(to, half));
        }
    }

    /// `instruction` between masks.
    pub fn combine_masks(&mut self, instruction: Vector, to: u8, a: u8, b: u8) {
        for half in self.halves() {
            self.move_in(S1, self.mask_home(a, half));
            self.vex(true, instruction, S1, S1, self.mask_home(b, half), None);
            self.move_out(S1, self.mask_home(to, half));
        }
    }

    /// The bits of a mask, in a register of the host.
    pub fn bits_of_mask(&mut self, register: u8, mask: u8) {
        if self.has_single_halves() {
            let mask = self.in_host(self.mask_home(mask, 0), S1);
            return self.vex(true, SIGNS, register, 0, Rm::Register(mask), None);
        }
        self.move_in(S1, self.mask_home(mask, 0));
        self.vex(true, PACK_DWORDS, S1, S1, self.mask_home(mask, 1), None);
        self.vex(true, PERMUTE_Q, S1, 0, Rm::Register(S1), Some(0xd8));
        self.vex(true, EXTRACT_128, S1, 0, Rm::Register(S2), Some(1));
        self.vex(false, PACK_WORDS, S1, S1, Rm::Register(S2), None);
        self.vex(false, BITS_OF_BYTES, register, 0, Rm::Register(S1), None);
    }

    /// As [`Code::test_masks`].
    pub fn test_masks_by_halves(&mut self, a: u8, b: u8) {
        for half in self.halves() {
            let to = [S1, S2][half];
            self.move_in(to, self.mask_home(a, half));
            if a != b {
                self.vex(true, OR, to, to, self.mask_home(b, half), None);
            }
        }
        if self.has_single_halves() {
            self.vex(true, EQUAL, S2, S2, Rm::Register(S2), None);
            return self.vex(true, TEST_ALL, S1, 0, Rm::Register(S2), None);
        }
        self.vex(true, PACK_DWORDS, S1, S1, Rm::Register(S2), None);
        self.vex(true, EQUAL, S2, S2, Rm::Register(S2), None);
        self.vex(true, TEST_ALL, S1, 0, Rm::Register(S2), None);
    }
}
