//! Scalar loads, as machine code for those that are in one window that was found before.
//!
//! As in [`access`](crate::jit::lower::vmem), the code looks before it changes anything.

use crate::jit::lower::vmem::Routines;
use crate::jit::x64::assembler::{ABOVE, Code, Jump, RAX, RCX, SGPR};
use crate::jit::x64::tlb_lookup::{DISTANCE, END};
use gcn_alu::wave::scalar_index;
use gcn_isa::inst::{Inst, Operand};
use gcn_isa::op::Op;

/// A load of some dwords to scalar registers.
pub(crate) struct Constant {
    /// The first of the two registers that have the address, and one with an offset.
    base: usize,
    register_offset: Option<usize>,
    offset: i32,
    to: usize,
    dwords: usize,
}

impl Constant {
    /// `None` if `inst` is not compiled.
    pub fn of(inst: &Inst) -> Option<Constant> {
        let dwords = match inst.op {
            Op::SLoadDword => 1,
            Op::SLoadDwordx2 => 2,
            Op::SLoadDwordx4 => 4,
            Op::SLoadDwordx8 => 8,
            Op::SLoadDwordx16 => 16,
            _ => return None,
        };
        let (mut register_offset, mut offset) = (None, 0);
        for operand in [inst.src[1], inst.src[2]] {
            match operand {
                Operand::None => {}
                Operand::Imm(value) => offset = value,
                register if register_offset.is_none() => register_offset = Some(scalar_index(register)?),
                _ => return None,
            }
        }
        let base = scalar_index(inst.src[0]).filter(|index| *index < 127)?;
        // Up to VCC.
        let to = scalar_index(inst.dst[0]).filter(|index| index + dwords <= 108)?;
        Some(Constant { base, register_offset, offset, to, dwords })
    }

    /// Scalar registers that it reads: the first ones, and how many.
    pub fn reads(&self) -> impl Iterator<Item = (u8, u8)> {
        let offset = self.register_offset.map(|register| (register as u8, 1));
        [Some((self.base as u8, 2)), offset].into_iter().flatten()
    }

    /// Those that it writes.
    pub fn writes(&self) -> (u8, u8) {
        (self.to as u8, self.dwords as u8)
    }

    /// Appends the code. The jumps are for what it does not do.
    pub fn emit(&self, code: &mut Code, routines: &mut Routines) -> Vec<Jump> {
        code.scalar(true, &[0x8b], RAX, SGPR, 4 * self.base as i32);
        // The low bits of base and offset are ignored.
        align(code, RAX);
        match self.register_offset {
            Some(register) => {
                code.scalar(false, &[0x8b], RCX, SGPR, 4 * register as i32);
                code.sum(RCX, RCX, self.offset);
                align(code, RCX);
                code.between(true, &[0x03], RAX, RCX);
            }
            None => code.sum(RAX, RAX, self.offset & !3),
        }
        let nowhere = routines.window(code, true);
        code.sum(RCX, RAX, 4 * self.dwords as i32);
        code.between(true, &[0x3b], RCX, END);
        let behind = code.jump(ABOVE);
        code.between(true, &[0x03], DISTANCE, RAX);
        for at in (0..self.dwords).step_by(2) {
            let wide = at + 1 < self.dwords;
            code.scalar(wide, &[0x8b], RAX, DISTANCE, 4 * at as i32);
            code.scalar(wide, &[0x89], RAX, SGPR, 4 * (self.to + at) as i32);
        }
        vec![nowhere, behind]
    }
}

/// `and register, -4`, for one of the first eight registers.
fn align(code: &mut Code, register: u8) {
    code.raw(&[0x48, 0x83, 0xe0 | register, 0xfc]);
}
