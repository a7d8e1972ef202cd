//! All lanes of a wave side by side.

use crate::jit::lower::vmem::{Access, Routines, multiples, place};
use crate::jit::x64::assembler::{ALL, BELOW, Code, Jump, NOT_ZERO, RAX, RCX, Rm, SGPR, VGPR};
use crate::jit::x64::avx512::*;
use crate::jit::x64::tlb_lookup::END;
use gcn_alu::wave::reg;

impl Access {
    /// Appends the code. Gives jumps for other lanes.
    pub fn emit_whole(&self, code: &mut Code, routines: &mut Routines, failures: &mut Vec<Jump>) -> Vec<Jump> {
        // The first lane's address less those of all.
        static DISTANCES: [[u32; 64]; 5] = [
            multiples(1u32.wrapping_neg()),
            multiples(2u32.wrapping_neg()),
            multiples(4u32.wrapping_neg()),
            multiples(8u32.wrapping_neg()),
            multiples(16u32.wrapping_neg()),
        ];
        let Some(distances) = self.element.order().map(|order| &DISTANCES[order]) else {
            return vec![code.jump(None)];
        };
        let size = self.element.size();
        let low = 256 * self.address as i32;
        let mut others = Vec::new();
        code.compare(SGPR, 4 * reg::EXEC as i32, -1);
        others.push(code.jump(NOT_ZERO));
        // Mostly the last lane says already that it is not so: of work-groups that are 16 wide, for example. That low
        // halves overflow is left out too.
        code.scalar(false, &[0x8b], RCX, VGPR, low);
        code.add32(RCX, 63 * size);
        others.push(code.jump(BELOW));
        code.scalar(false, &[0x3b], RCX, VGPR, low + 4 * 63);
        others.push(code.jump(NOT_ZERO));
        self.first(code, 0);
        self.find_host(code, routines, failures);
        // Up to the end of the last lane.
        code.between(true, &[0x8b], RCX, END);
        code.between(true, &[0x2b], RCX, RAX);
        others.push(code.jump(BELOW));
        code.compare_value(RCX, 64 * size + self.displacements().max().unwrap_or(0));
        others.push(code.jump(BELOW));
        // Register 2 has a bit wherever a lane is elsewhere.
        code.vector(BROADCAST, 1, ALL, 0, Rm::Memory(VGPR, low), None);
        code.vector(XOR, 2, ALL, 2, Rm::Register(2), None);
        if self.has_high() {
            code.vector(BROADCAST, 3, ALL, 0, Rm::Memory(VGPR, low + 256), None);
        }
        for (quarter, distances) in (0..).zip(distances.as_chunks::<16>().0) {
            code.vector(SUB, 0, ALL, 1, place(self.address, quarter), None);
            code.vector(LOGIC, 2, ALL, 0, Rm::Table(distances), Some(OR_DIFFERENCE));
            if self.has_high() {
                code.vector(LOGIC, 2, ALL, 3, place(self.address + 1, quarter), Some(OR_DIFFERENCE));
            }
        }
        others.push(code.any_bits(2));
        let registers = self.element.registers();
        for quarter in 0..4u8 {
            for (from, &(_, first)) in self.displacements().zip(&self.parts) {
                let from = from + 16 * size * i32::from(quarter);
                if self.is_load {
                    self.load_row(code, LOADED, from);
                    for (k, loaded) in (LOADED..).enumerate().take(registers) {
                        code.vector(STORE, loaded, ALL, 0, place(first + k, quarter), None);
                    }
                } else {
                    self.store_row(code, first, quarter, ALL, from);
                }
            }
        }
        others
    }
}

/// Where a row is loaded to.
pub const LOADED: u8 = 4;

/// Of [`LOGIC`]: the first one, or where the others differ.
pub const OR_DIFFERENCE: u8 = 0xf6;
