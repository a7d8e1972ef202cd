//! What accesses of a region have in common: windows, and lanes anywhere in memory.

use crate::jit::lower::vmem::regs::{BY_TURNS, HOST, LIMIT, TEMPORARY, TO_DISTANCE};
use crate::jit::x64::assembler::{ALL, Code, Jump, NOT_ZERO, RAX, Rm};
use crate::jit::x64::avx512::*;
use crate::jit::x64::tlb_lookup::window;

/// The mask register with the lanes that a [`Routine`] looks at.
pub const LANES: u8 = 3;
/// The vector register with the high halves of addresses; the low ones are in register 0.
pub const HIGH: u8 = 2;
/// Where a [`Routine`] has the dword that it stores.
pub const STORED: u8 = 3;
/// The first register with what a [`Routine`] loads.
pub const LOADED: u8 = 24;

/// What a region has once, for all its accesses.
#[derive(Clone, PartialEq, Eq)]
pub enum Routine {
    /// Finds the window of memory that has an address.
    Window { is_load: bool },
    /// Loads the dwords at these distances from the addresses of lanes anywhere.
    Load(Vec<i32>),
    /// Whether lanes anywhere are inside.
    Look,
    /// Stores a dword of lanes anywhere. Of lanes that store the same place the highest is the last.
    Store,
}

/// Routines that a region calls, and the calls.
#[derive(Default)]
pub struct Routines(pub Vec<(Routine, Jump)>);

impl Routines {
    /// Appends a call of [`window`]. The jump is for where there is none.
    pub fn window(&mut self, code: &mut Code, is_load: bool) -> Jump {
        self.0.push((Routine::Window { is_load }, code.call()));
        code.jump(NOT_ZERO)
    }

    /// Appends them.
    pub fn emit(mut self, code: &mut Code) {
        while let Some((routine, call)) = self.0.pop() {
            code.land(call);
            let (same, other): (Vec<_>, Vec<_>) = self.0.into_iter().partition(|(called, _)| *called == routine);
            self.0 = other;
            same.into_iter().for_each(|(_, call)| code.land(call));
            routine.emit(code);
        }
    }
}

impl Routine {
    /// The zero flag says that it was done.
    fn emit(&self, code: &mut Code) {
        match self {
            Routine::Window { is_load } => window(code, *is_load),
            _ => self.emit_anywhere(code),
        }
    }

    /// Lanes 0 to 7 in register [`TEMPORARY`], the others in the next one.
    fn emit_anywhere(&self, code: &mut Code) {
        const LOW: u8 = TEMPORARY;
        const REST: u8 = TEMPORARY + 1;
        const LOW_LANES: u8 = 1;
        const REST_LANES: u8 = 2;
        code.vector(BROADCAST_REGISTER, 1, ALL, 0, Rm::Register(TO_DISTANCE), None);
        for (n, table) in (0..).zip(&BY_TURNS) {
            code.pick(LOW + n, table, 0, HIGH);
            code.vector(ADD_Q, LOW + n, ALL, LOW + n, Rm::Register(1), None);
        }
        code.vector(BROADCAST_REGISTER, 1, ALL, 0, Rm::Register(LIMIT), None);
        code.shift_mask_right(REST_LANES, LANES, 8);
        code.vector(COMPARE_UQ, 0, LANES, LOW, Rm::Register(1), Some(6));
        code.vector(COMPARE_UQ, LOW_LANES, REST_LANES, REST, Rm::Register(1), Some(6));
        // The higher eight bits of a mask of eight elements are not looked at.
        code.test_masks(0, LOW_LANES);
        let outside = code.jump(NOT_ZERO);
        match self {
            Routine::Load(dwords) => {
                for (to, &at) in (LOADED..).zip(dwords) {
                    for (indexes, mask, to) in [(LOW, LANES, TEMPORARY + 2), (REST, REST_LANES, TEMPORARY + 3)] {
                        code.copy_mask(LOW_LANES, mask);
                        code.vector(GATHER, to, LOW_LANES, 0, Rm::Lanes(HOST, indexes, at), None);
                    }
                    let rest = Rm::Register(TEMPORARY + 3);
                    code.vector(INSERT_HALF, to, ALL, TEMPORARY + 2, rest, Some(1));
                }
            }
            Routine::Look | Routine::Window { .. } => {}
            Routine::Store => {
                code.copy_mask(LOW_LANES, LANES);
                code.vector(SCATTER, STORED, LOW_LANES, 0, Rm::Lanes(HOST, LOW, 0), None);
                code.vector(EXTRACT_HALF, STORED, ALL, 0, Rm::Register(TEMPORARY + 2), Some(1));
                code.copy_mask(LOW_LANES, REST_LANES);
                code.vector(SCATTER, TEMPORARY + 2, LOW_LANES, 0, Rm::Lanes(HOST, REST, 0), None);
            }
        }
        // Sets the zero flag.
        code.between(false, &[0x33], RAX, RAX);
        code.land(outside);
        code.end_routine();
    }
}
