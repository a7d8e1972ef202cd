//! Accesses of dwords in LDS, as machine code for what most are: the lanes of each quarter access dwords side by side, or all the same one.
//!
//! The code looks before it changes anything. What is not so, is executed as the run loop executes it.

use super::encode::{ALL, Code, Jump, LDS, LDS_BYTES, RAX, Rm, SGPR, VGPR};
use super::vector::operations::{BROADCAST, COMPARE_I, LOAD, LOAD_UNALIGNED, STORE, STORE_UNALIGNED, SUB, TEST};
use crate::exec::wave::{reg, vector_index};
use crate::inst::{Inst, Mods};
use crate::op::Op;

/// Distances of lanes that access dwords side by side.
pub(super) static SIDE_BY_SIDE: [u32; 16] = [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60];

const SUM: u8 = 9;

/// An instruction that loads or stores one or two dwords in each lane.
pub(super) struct Local {
    address: usize,
    /// Offset in bytes, and the vector register that is loaded or stored.
    parts: [Option<(u32, usize)>; 2],
    is_load: bool,
}

impl Local {
    /// `None` if `inst` is not compiled.
    pub fn of(inst: &Inst) -> Option<Local> {
        let Mods::Ds { offset0, offset1, gds: false } = inst.mods else { return None };
        let (first, second) = (u32::from(offset0), u32::from(offset1));
        let (is_load, scale) = match inst.op {
            Op::DsReadB32 => (true, 0),
            Op::DsRead2B32 => (true, 4),
            Op::DsRead2st64B32 => (true, 256),
            Op::DsWriteB32 => (false, 0),
            Op::DsWrite2B32 => (false, 4),
            Op::DsWrite2st64B32 => (false, 256),
            _ => return None,
        };
        let address = vector_index(inst.src[0])?;
        let to = vector_index(if is_load { inst.dst[0] } else { inst.src[1] })?;
        let parts = match scale {
            0 => [Some((first, to)), None],
            // Equal offsets ask for one store.
            _ if !is_load && first == second => [Some((first * scale, to)), None],
            _ => {
                let behind = if is_load { to + 1 } else { vector_index(inst.src[2])? };
                [Some((first * scale, to)), Some((second * scale, behind))]
            }
        };
        Some(Local { address, parts, is_load })
    }

    /// Appends the code. The jumps are for what it does not do.
    pub fn emit(&self, code: &mut Code) -> Vec<Jump> {
        let parts = || self.parts.into_iter().flatten();
        let last = parts().map(|(offset, _)| offset).max().unwrap_or(0) as i32;
        let place = |index: usize, quarter: i32| Rm::Memory(VGPR, index as i32 * 256 + quarter * 64);
        let mut failures = Vec::new();
        // Everything is looked at and loaded before anything changes. Register 4 + n has what quarter n loads first, 8 + n what it loads then; mask 4 + n is its part of EXEC, and
        // register 9 + n of the host, when it stores, where.
        for quarter in 0..4u8 {
            let part = i32::from(quarter);
            code.load_mask(4 + quarter, SGPR, 4 * reg::EXEC as i32 + 2 * part);
            code.vector(LOAD, 0, ALL, 0, place(self.address, part), None);
            code.first_lane(RAX);
            code.vector(BROADCAST, 1, ALL, 0, Rm::Register(0), None);
            code.vector(SUB, 1, ALL, 0, Rm::Register(1), None);
            code.vector(COMPARE_I, 2, 4 + quarter, 1, Rm::Table(&SIDE_BY_SIDE), Some(4));
            code.test_masks(2, 2);
            let elsewhere = code.jump(NOT_ZERO);
            code.sum(SUM, RAX, last + 64);
            code.between(true, &[0x3b], SUM, LDS_BYTES);
            failures.push(code.jump(ABOVE));
            if !self.is_load {
                code.between(true, &[0x8b], STARTS[usize::from(quarter)], RAX);
                failures.push(elsewhere);
                continue;
            }
            for ((offset, _), to) in parts().zip([4 + quarter, 8 + quarter]) {
                code.vector(LOAD_UNALIGNED, to, ALL, 0, Rm::Indexed(LDS, RAX, offset as i32), None);
            }
            let done = code.jump(ALWAYS);
            code.land(elsewhere);
            code.vector(TEST, 2, 4 + quarter, 1, Rm::Register(1), None);
            code.test_masks(2, 2);
            failures.push(code.jump(NOT_ZERO));
            code.sum(SUM, RAX, last + 4);
            code.between(true, &[0x3b], SUM, LDS_BYTES);
            failures.push(code.jump(ABOVE));
            for ((offset, _), to) in parts().zip([4 + quarter, 8 + quarter]) {
                code.vector(BROADCAST, to, ALL, 0, Rm::Indexed(LDS, RAX, offset as i32), None);
            }
            code.land(done);
        }
        for ((offset, register), first) in parts().zip([4, 8]) {
            for quarter in 0..4u8 {
                let mine = place(register, i32::from(quarter));
                if self.is_load {
                    code.vector(STORE, first + quarter, 4 + quarter, 0, mine, None);
                } else {
                    let to = Rm::Indexed(LDS, STARTS[usize::from(quarter)], offset as i32);
                    code.vector(LOAD, 0, ALL, 0, mine, None);
                    code.vector(STORE_UNALIGNED, 0, 4 + quarter, 0, to, None);
                }
            }
        }
        failures
    }
}

/// Conditions of jumps, as the second byte of their opcode.
pub(super) const NOT_ZERO: Option<u8> = Some(0x85);
pub(super) const ABOVE: Option<u8> = Some(0x87);
pub(super) const ALWAYS: Option<u8> = None;

/// Where the quarters store.
const STARTS: [u8; 4] = [8, 10, 11, 14];
