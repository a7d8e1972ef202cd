//! MFMA on f64 (gfx90a). Each lane holds one element, and the layout differs from the one of other types:
//!
//! - A(i, k) of a block is in lane `i + size * block + 16 * k`, B(k, j) in lane `j + size * block + 16 * k`;
//! - D(i, j) of the 16 x 16 matrix is in lane `j + 16 * (i % 4)`, register pair `i / 4`; of a block of 4 x 4 it is in
//!   lane `j + 4 * block + 16 * i`.
//!
//! Both were measured on hardware by others: the larger on an MI250, the smaller on an MI350.

use crate::mfma::{Product, compiled, part, take_sums};
use crate::simd::{Isa, Simd, array, each};
use crate::wave::{AluFn, LANES, Lanes, Wave, vector_index};
use gcn_isa::inst::{Inst, Mods, Operand};
use gcn_isa::op::{Op, flags};
use std::hint::black_box;

/// The function of an MFMA instruction on f64. `None` with CBSZ or ABID, which are for other types, and with BLGP on
/// gfx90a, on which the manuals differ. On gfx942, BLGP negates sources. The processor must have `simd`.
pub fn lower(inst: &Inst, simd: Simd) -> Option<AluFn> {
    let signs = inst.op.info().has(flags::MFMA_NEG);
    match inst.op {
        _ if matches!(inst.mods, Mods::Mfma { cbsz, abid, blgp } if cbsz | abid != 0 || blgp != 0 && !signs) => None,
        Op::VMfmaF6416x16x4f64 | Op::VMfmaF6416x16x4F64 => Some(compiled::<Doubles<16>>(simd)),
        Op::VMfmaF644x4x4f64 | Op::VMfmaF644x4x44bF64 => Some(compiled::<Doubles<4>>(simd)),
        _ => None,
    }
}

/// Lanes that hold a row of each matrix.
const COLUMNS: usize = 16;

/// Elements along K.
const K: usize = 4;

/// Products of matrices of `SIZE` rows, as many as 16 columns hold.
struct Doubles<const SIZE: usize>;

impl<const SIZE: usize> Product for Doubles<SIZE> {
    #[inline(always)]
    fn run<I: Isa>(wave: &mut Wave, inst: &Inst) {
        let negated = |index: u32| matches!(inst.mods, Mods::Mfma { blgp, .. } if blgp >> index & 1 != 0);
        let a = signed(factors(wave, inst.src[0]), negated(0));
        let b = signed(factors(wave, inst.src[1]), negated(1));
        let constant = |wave: &Wave| {
            let bits = wave.read_scalar64(inst.src[2]);
            [bits as u32, (bits >> 32) as u32].map(|half| Lanes([half; LANES]))
        };
        let Some(sums) = take_sums(wave, inst, SIZE / 2, constant) else { return };
        for (pair, registers) in sums.as_chunks_mut().0.iter_mut().enumerate() {
            let mut sums = signed(join(registers), negated(2));
            if SIZE == 4 {
                multiply_small(&a, &b, &mut sums);
            } else {
                multiply(pair, &a, &b, &mut sums);
            }
            registers[0].0 = each(&sums, |value| value.to_bits() as u32);
            registers[1].0 = each(&sums, |value| (value.to_bits() >> 32) as u32);
        }
    }
}

/// Adds the products for a register pair, which has four rows of the matrix. Their sums stay in registers of the host.
#[inline(always)]
fn multiply(pair: usize, a: &[f64; LANES], b: &[f64; LANES], sums: &mut [f64; LANES]) {
    let mut rows: [[f64; COLUMNS]; 4] = array(|row| *part(sums, COLUMNS * row));
    // Of a number of steps that the compiler knows it makes vectors of rows instead, whose elements it has to collect.
    for k in 0..black_box(K) {
        let factors: &[f64; 4] = part(a, COLUMNS * k + 4 * pair);
        let values: &[f64; COLUMNS] = part(b, COLUMNS * k);
        for (row, &factor) in rows.iter_mut().zip(factors) {
            for (sum, &value) in row.iter_mut().zip(values) {
                *sum = factor.mul_add(value, *sum);
            }
        }
    }
    sums.as_chunks_mut().0.copy_from_slice(&rows);
}

/// [`multiply`] for four blocks of 4 x 4: each has its own element of A.
#[inline(always)]
fn multiply_small(a: &[f64; LANES], b: &[f64; LANES], sums: &mut [f64; LANES]) {
    for (row, sums) in sums.as_chunks_mut::<COLUMNS>().0.iter_mut().enumerate() {
        for k in 0..K {
            let (a, b): (&[f64; COLUMNS], &[f64; COLUMNS]) = (part(a, COLUMNS * k), part(b, COLUMNS * k));
            let factors: [f64; COLUMNS] = array(|column| a[(row + column / 4 * 4) % COLUMNS]);
            for ((sum, &factor), &value) in sums.iter_mut().zip(&factors).zip(b) {
                *sum = factor.mul_add(value, *sum);
            }
        }
    }
}

/// The elements of A or B.
#[inline(always)]
fn factors(wave: &Wave, operand: Operand) -> [f64; LANES] {
    match vector_index(operand) {
        Some(first) => join(&[wave.vgpr[first], wave.vgpr[first + 1]]),
        None => [f64::from_bits(wave.read_scalar64(operand)); LANES],
    }
}

#[inline(always)]
fn signed(values: [f64; LANES], negated: bool) -> [f64; LANES] {
    if negated { each(&values, |value| -value) } else { values }
}

/// What a register pair holds.
#[inline(always)]
fn join([low, high]: &[Lanes; 2]) -> [f64; LANES] {
    array(|lane| f64::from_bits(u64::from(low.0[lane]) | u64::from(high.0[lane]) << 32))
}
