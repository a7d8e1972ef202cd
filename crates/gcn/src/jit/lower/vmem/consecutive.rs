//! Lanes side by side.

use crate::jit::lower::vmem::regs::{BY_TURNS, HOST, TEMPORARY};
use crate::jit::lower::vmem::{Access, Element, place};
use crate::jit::x64::assembler::{ALL, Code, RAX, Rm};
use crate::jit::x64::avx512::*;

impl Access {
    /// Loads lanes side by side, `from` bytes behind the distance in RAX.
    pub fn load_row(&self, code: &mut Code, to: u8, from: i32) {
        let at = |bytes: i32| Rm::Indexed(HOST, RAX, from + bytes);
        match self.element {
            Element::Byte { signed } => code.vector(extension(1, signed), to, ALL, 0, at(0), None),
            Element::Short { signed } => code.vector(extension(2, signed), to, ALL, 0, at(0), None),
            Element::Dwords(2) => {
                for n in 0..2 {
                    code.vector(LOAD_UNALIGNED, TEMPORARY + n, ALL, 0, at(64 * i32::from(n)), None);
                }
                for (n, table) in (0..).zip(&EVERY_SECOND) {
                    code.pick(to + n, table, TEMPORARY, TEMPORARY + 1);
                }
            }
            Element::Dwords(4) => {
                for n in 0..4 {
                    code.vector(LOAD_UNALIGNED, TEMPORARY + n, ALL, 0, at(64 * i32::from(n)), None);
                }
                // Elements 0 and 1 of lanes 0 to 7, then 2 and 3; the same of the others.
                for (n, pair) in [(0, 0), (1, 0), (2, 2), (3, 2)] {
                    let table = &EVERY_FOURTH[usize::from(n & 1)];
                    code.pick(TEMPORARY + 4 + n, table, TEMPORARY + pair, TEMPORARY + pair + 1);
                }
                for n in 0..4 {
                    let first = TEMPORARY + 4 + n / 2;
                    code.pick(to + n, &HALVES[usize::from(n & 1)], first, first + 2);
                }
            }
            Element::Dwords(_) => code.vector(LOAD_UNALIGNED, to, ALL, 0, at(0), None),
        }
    }

    /// Stores a quarter's lanes of `mask` side by side, `to` bytes behind the distance in RAX.
    pub fn store_row(&self, code: &mut Code, register: usize, quarter: u8, mask: u8, to: i32) {
        let at = |bytes: i32| Rm::Indexed(HOST, RAX, to + bytes);
        for k in 0..self.element.registers() {
            code.vector(LOAD, TEMPORARY + k as u8, ALL, 0, place(register + k, quarter), None);
        }
        match self.element {
            Element::Byte { .. } => code.vector(STORE_BYTES, TEMPORARY, mask, 0, at(0), None),
            Element::Short { .. } => code.vector(STORE_SHORTS, TEMPORARY, mask, 0, at(0), None),
            Element::Dwords(2) => {
                for (n, table) in (0..).zip(&BY_TURNS) {
                    code.pick(TEMPORARY + 4 + n, table, TEMPORARY, TEMPORARY + 1);
                    code.vector(STORE_UNALIGNED, TEMPORARY + 4 + n, ALL, 0, at(64 * i32::from(n)), None);
                }
            }
            Element::Dwords(4) => {
                // Elements 0 and 1 by turns, of lanes 0 to 7 and of the others, then 2 and 3.
                for (n, pair) in [(0, 0), (1, 0), (2, 2), (3, 2)] {
                    let table = &BY_TURNS[usize::from(n & 1)];
                    code.pick(TEMPORARY + 4 + n, table, TEMPORARY + pair, TEMPORARY + pair + 1);
                }
                for n in 0..4 {
                    let first = TEMPORARY + 4 + n / 2;
                    code.pick(TEMPORARY, &PAIRS_BY_TURNS[usize::from(n & 1)], first, first + 2);
                    code.vector(STORE_UNALIGNED, TEMPORARY, ALL, 0, at(64 * i32::from(n)), None);
                }
            }
            Element::Dwords(_) => code.vector(STORE_UNALIGNED, TEMPORARY, mask, 0, at(0), None),
        }
    }
}

/// Which elements of two registers come where: those of the second one count from 16 on.
static EVERY_SECOND: [[u32; 16]; 2] = [
    [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30],
    [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31],
];
static EVERY_FOURTH: [[u32; 16]; 2] = [
    [0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29],
    [2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31],
];
static HALVES: [[u32; 16]; 2] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23],
    [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31],
];

static PAIRS_BY_TURNS: [[u32; 16]; 2] = [
    [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23],
    [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31],
];
