//! All lanes enabled, those of each quarter side by side or at one place, for hosts without masks.
//!
//! Work-groups that are 16 wide have such accesses. With AVX-512 the code for lanes that are enabled in part takes them
//! as fast.

use crate::jit::lower::vmem::full_wave::{LOADED, OR_DIFFERENCE};
use crate::jit::lower::vmem::regs::{HOST, LIMIT};
use crate::jit::lower::vmem::{Access, Routines, place};
use crate::jit::x64::assembler::{ABOVE, ALL, Code, Jump, NOT_ZERO, RAX, RCX, Rm, VGPR};
use crate::jit::x64::avx512::*;

impl Access {
    /// Appends the code. The first jumps are for where all is done, the others for other lanes. Nothing is changed
    /// before all is known.
    pub fn emit_rows(&self, code: &mut Code, routines: &mut Routines, failures: &mut Vec<Jump>) -> [Vec<Jump>; 2] {
        let [mut done, mut others] = [Vec::new(), Vec::new()];
        let Some(row) = self.element.row() else { return [done, others] };
        // Which of two lanes' dwords comes last is seen where rows overlap.
        if !self.is_load && self.element.registers() > 1 {
            return [done, others];
        }
        others.push(code.unless_all_enabled());
        let nobody = self.find(code, routines, failures);
        others.extend(nobody);
        // Mostly the last lane of the first quarter says how all lie.
        let low = 256 * self.address as i32;
        code.scalar(false, &[0x8b], RCX, VGPR, low + 4 * 15);
        code.scalar(false, &[0x2b], RCX, VGPR, low);
        if self.is_load {
            code.between(false, &[0x85], RCX, RCX);
            let is_row = code.jump(NOT_ZERO);
            self.check_high(code);
            for quarter in 0..4 {
                code.vector(BROADCAST, 1, ALL, 0, place(self.address, quarter), None);
                code.vector(LOGIC, 2, ALL, 1, place(self.address, quarter), Some(OR_DIFFERENCE));
                others.push(self.first_inside(code, quarter));
            }
            others.push(code.any_bits(2));
            let dwords = self.element.registers();
            for quarter in 0..4 {
                self.first_distance(code, quarter);
                for (from, &(_, first)) in self.displacements().zip(&self.parts) {
                    for k in 0..dwords {
                        self.load_same(code, LOADED, from + 4 * k as i32);
                        code.vector(STORE, LOADED, ALL, 0, place(first + k, quarter), None);
                    }
                }
            }
            done.push(code.jump(None));
            code.land(is_row);
        }
        code.add32(RCX, -15 * self.element.size());
        others.push(code.jump(NOT_ZERO));
        self.check_high(code);
        for quarter in 0..4 {
            code.vector(BROADCAST, 1, ALL, 0, place(self.address, quarter), None);
            code.vector(ADD, 0, ALL, 1, Rm::Table(row), None);
            code.vector(LOGIC, 2, ALL, 0, place(self.address, quarter), Some(OR_DIFFERENCE));
            others.push(self.first_inside(code, quarter));
            others.extend(self.bounds(code, quarter));
        }
        others.push(code.any_bits(2));
        if self.is_load {
            for quarter in 0..4 {
                self.first_distance(code, quarter);
                for (from, &(_, first)) in self.displacements().zip(&self.parts) {
                    self.load_row(code, LOADED, from);
                    for (k, loaded) in (LOADED..).enumerate().take(self.element.registers()) {
                        code.vector(STORE, loaded, ALL, 0, place(first + k, quarter), None);
                    }
                }
            }
        } else {
            for (from, &(_, first)) in self.displacements().zip(&self.parts) {
                for quarter in 0..4 {
                    self.first_distance(code, quarter);
                    self.store_row(code, first, quarter, ALL, from);
                }
            }
        }
        done.push(code.jump(None));
        [done, others]
    }

    /// Register 2 gets bits where lanes have another high half than the first one has, and none elsewhere.
    fn check_high(&self, code: &mut Code) {
        code.vector(XOR, 2, ALL, 2, Rm::Register(2), None);
        if self.has_high() {
            code.vector(BROADCAST, 3, ALL, 0, place(self.address + 1, 0), None);
            for quarter in 0..4 {
                code.vector(LOGIC, 2, ALL, 3, place(self.address + 1, quarter), Some(OR_DIFFERENCE));
            }
        }
    }

    /// The distance of the quarter's first lane in RAX. The jump is for where it is not inside.
    pub(super) fn first_inside(&self, code: &mut Code, quarter: u8) -> Jump {
        self.first_distance(code, quarter);
        code.between(true, &[0x3b], RAX, LIMIT);
        code.jump(ABOVE)
    }

    /// What is at the distance in RAX plus `from`, for all lanes.
    fn load_same(&self, code: &mut Code, to: u8, from: i32) {
        code.vector(BROADCAST, to, ALL, 0, Rm::Indexed(HOST, RAX, from), None);
        self.extend(code, to);
    }
}
