//! Loads and stores of dwords in device memory, as machine code for what most are: the lanes of each quarter access dwords side by side, or all load the same one, and
//! all of them in one window that was found before.
//!
//! As in [`local`](super::local), the code looks before it changes anything.

use super::encode::{ALL, Code, Jump, RAX, RCX, Rm, SGPR, VGPR, WINDOWS as LIST};
use super::local::{ABOVE, ALWAYS, NOT_ZERO, SIDE_BY_SIDE};
use super::vector::operations::{BROADCAST, COMPARE_I, LOAD, LOAD_UNALIGNED, STORE, STORE_UNALIGNED, SUB, TEST};
use crate::bus::Window;
use crate::exec::memory::WINDOWS;
use crate::exec::wave::{reg, scalar_index, vector_index};
use crate::inst::{Format, Inst, Mods, Operand};
use crate::op::Op;
use std::mem::offset_of;

/// Registers of the host: where the window begins and ends, and what makes a host address of a device address.
const START: u8 = 8;
pub(super) const END: u8 = 10;
pub(super) const DISTANCE: u8 = 11;

/// A load or store of a dword in each lane.
pub(super) struct Global {
    /// The first register of the addresses: pairs, or offsets from a pair of scalar registers.
    address: usize,
    base: Option<usize>,
    offset: i32,
    register: usize,
    is_load: bool,
}

impl Global {
    /// `None` if `inst` is not compiled.
    pub fn of(inst: &Inst) -> Option<Global> {
        let Mods::Flat { offset, lds: false, .. } = inst.mods else { return None };
        let (is_load, scalar) = match inst.op {
            Op::GlobalLoadDword => (true, inst.src[1]),
            Op::GlobalStoreDword => (false, inst.src[2]),
            Op::FlatLoadDword => (true, Operand::None),
            Op::FlatStoreDword => (false, Operand::None),
            _ => return None,
        };
        if !matches!(inst.format, Format::Global | Format::Flat) {
            return None;
        }
        let base = match scalar {
            Operand::None => None,
            scalar => Some(scalar_index(scalar).filter(|index| *index < 127)?),
        };
        let register = vector_index(if is_load { inst.dst[0] } else { inst.src[1] })?;
        Some(Global { address: vector_index(inst.src[0])?, base, offset: offset.into(), register, is_load })
    }

    /// Appends the code. The jumps are for what it does not do.
    pub fn emit(&self, code: &mut Code) -> Vec<Jump> {
        let mut failures = Vec::new();
        // Everything is looked at and loaded before anything changes. Register 4 + n has what quarter n loads; mask 4 + n is its part of EXEC.
        for quarter in 0..4u8 {
            code.load_mask(4 + quarter, SGPR, 4 * reg::EXEC as i32 + 2 * i32::from(quarter));
            self.address(code, quarter);
            code.vector(BROADCAST, 1, ALL, 0, Rm::Register(0), None);
            code.vector(SUB, 1, ALL, 0, Rm::Register(1), None);
            if self.base.is_none() {
                // The high halves are the same.
                code.vector(BROADCAST, 3, ALL, 0, Rm::Register(2), None);
                code.vector(COMPARE_I, 3, 4 + quarter, 2, Rm::Register(3), Some(4));
                code.test_masks(3, 3);
                failures.push(code.jump(NOT_ZERO));
            }
            // The low halves do not overflow.
            code.first_lane(RCX);
            code.raw(&[0x83, 0xc0 | RCX, 63]);
            failures.push(code.jump(CARRY));
            if quarter == 0 {
                failures.push(window(code, self.is_load));
            }
            code.between(true, &[0x3b], RAX, START);
            failures.push(code.jump(BELOW));
            // What is added to it further down does not overflow: lanes that are off may have any address.
            code.between(true, &[0x3b], RAX, END);
            failures.push(code.jump(NOT_BELOW));
            code.vector(COMPARE_I, 2, 4 + quarter, 1, Rm::Table(&SIDE_BY_SIDE), Some(4));
            code.test_masks(2, 2);
            let elsewhere = code.jump(NOT_ZERO);
            code.sum(RCX, RAX, 64);
            code.between(true, &[0x3b], RCX, END);
            failures.push(code.jump(ABOVE));
            if !self.is_load {
                failures.push(elsewhere);
                continue;
            }
            code.vector(LOAD_UNALIGNED, 4 + quarter, ALL, 0, Rm::Indexed(DISTANCE, RAX, 0), None);
            let done = code.jump(ALWAYS);
            code.land(elsewhere);
            code.vector(TEST, 2, 4 + quarter, 1, Rm::Register(1), None);
            code.test_masks(2, 2);
            failures.push(code.jump(NOT_ZERO));
            code.sum(RCX, RAX, 4);
            code.between(true, &[0x3b], RCX, END);
            failures.push(code.jump(ABOVE));
            code.vector(BROADCAST, 4 + quarter, ALL, 0, Rm::Indexed(DISTANCE, RAX, 0), None);
            code.land(done);
        }
        for quarter in 0..4u8 {
            let mine = place(self.register, quarter);
            if self.is_load {
                code.vector(STORE, 4 + quarter, 4 + quarter, 0, mine, None);
            } else {
                self.address(code, quarter);
                code.vector(LOAD, 0, ALL, 0, mine, None);
                code.vector(STORE_UNALIGNED, 0, 4 + quarter, 0, Rm::Indexed(DISTANCE, RAX, 0), None);
            }
        }
        failures
    }

    /// The address of the quarter's first lane in RAX, the low halves of all in register 0, the high ones in register 2.
    fn address(&self, code: &mut Code, quarter: u8) {
        code.vector(LOAD, 0, ALL, 0, place(self.address, quarter), None);
        code.first_lane(RAX);
        match self.base {
            Some(base) => code.scalar(true, &[0x03], RAX, SGPR, 4 * base as i32),
            None => {
                code.vector(LOAD, 2, ALL, 0, place(self.address + 1, quarter), None);
                // vmovd ecx, xmm2; shl rcx, 32; or rax, rcx
                code.raw(&[0xc5, 0xf9, 0x7e, 0xd1, 0x48, 0xc1, 0xe1, 32]);
                code.between(true, &[0x0b], RAX, RCX);
            }
        }
        if self.offset != 0 {
            code.sum(RAX, RAX, self.offset);
        }
    }
}

/// Finds the window that has the address in RAX: [`START`] and [`END`], and [`DISTANCE`]. Gives the jump for where there is none.
pub(super) fn window(code: &mut Code, is_load: bool) -> Jump {
    let mut found = Vec::new();
    for n in 0..WINDOWS {
        let field = |offset: usize| (n * size_of::<Window>() + offset) as i32;
        code.scalar(true, &[0x8b], START, LIST, field(offset_of!(Window, start)));
        code.between(true, &[0x3b], RAX, START);
        let below = code.jump(BELOW);
        code.scalar(true, &[0x8b], END, LIST, field(offset_of!(Window, end)));
        code.between(true, &[0x3b], RAX, END);
        let behind = code.jump(NOT_BELOW);
        let refused = (!is_load).then(|| {
            // cmp byte [writable], 0
            code.raw(&[0x41, 0x80, 0xb8 | LIST & 7]);
            code.raw(&field(offset_of!(Window, writable)).to_le_bytes());
            code.raw(&[0]);
            code.jump(ZERO)
        });
        code.scalar(true, &[0x8b], DISTANCE, LIST, field(offset_of!(Window, host)));
        code.between(true, &[0x2b], DISTANCE, START);
        found.push(code.jump(ALWAYS));
        [Some(below), Some(behind), refused].into_iter().flatten().for_each(|jump| code.land(jump));
    }
    let nowhere = code.jump(ALWAYS);
    found.into_iter().for_each(|jump| code.land(jump));
    nowhere
}

/// A quarter of a vector register.
fn place(index: usize, quarter: u8) -> Rm {
    Rm::Memory(VGPR, index as i32 * 256 + i32::from(quarter) * 64)
}

const BELOW: Option<u8> = Some(0x82);
const CARRY: Option<u8> = BELOW;
const NOT_BELOW: Option<u8> = Some(0x83);
const ZERO: Option<u8> = Some(0x84);
