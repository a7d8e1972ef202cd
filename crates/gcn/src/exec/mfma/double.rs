//! MFMA of doubles (gfx90a), whose lanes hold one element each and lie otherwise than those of other types:
//!
//! - A(i, k) of a block is in lane `i + size * block + 16 * k`, B(k, j) in lane `j + size * block + 16 * k`;
//! - D(i, j) of the 16 x 16 matrix is in lane `j + 16 * (i % 4)`, register pair `i / 4`; of a block of 4 x 4 it is in lane `j + 4 * block + 16 * i`.
//!
//! Both were measured on hardware by others: the larger on an MI250, the smaller on an MI350.

use super::{Product, compiled, part};
use crate::exec::simd::{Isa, Simd, array, each};
use crate::exec::wave::{AluFn, LANES, Lanes, Wave, vector_index};
use crate::inst::{Inst, Mods, Operand};
use crate::op::{Op, flags};

/// What this moves elements by (CBSZ, ABID) is for other types, and of gfx90a's BLGP the manuals differ: with any of them nothing is executed. BLGP
/// of gfx942 is the signs of the sources. The processor must have `simd`.
pub(super) fn lower(inst: &Inst, simd: Simd) -> Option<AluFn> {
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
        let signs = if let Mods::Mfma { blgp, .. } = inst.mods { blgp } else { 0 };
        let source = |wave: &Wave, index: usize, pair| {
            let values = doubles(wave, inst.src[index], pair);
            if signs >> index & 1 != 0 { each(&values, |value| -value) } else { values }
        };
        let (a, b) = (source(wave, 0, 0), source(wave, 1, 0));
        let mut sums = [[0.0; LANES]; 4];
        let sums = &mut sums[..SIZE / 4];
        for (pair, sum) in sums.iter_mut().enumerate() {
            *sum = source(wave, 2, pair);
        }
        multiply::<SIZE>(&a, &b, sums);
        let Some(first) = vector_index(inst.dst[0]) else { return };
        for (registers, sum) in wave.vgpr[first..].as_chunks_mut::<2>().0.iter_mut().zip(sums.iter()) {
            registers[0].0 = each(sum, |value| value.to_bits() as u32);
            registers[1].0 = each(sum, |value| (value.to_bits() >> 32) as u32);
        }
    }
}

#[inline(always)]
fn multiply<const SIZE: usize>(a: &[f64; LANES], b: &[f64; LANES], sums: &mut [[f64; LANES]]) {
    for (pair, sums) in sums.iter_mut().enumerate() {
        for (group, sums) in sums.as_chunks_mut::<COLUMNS>().0.iter_mut().enumerate() {
            let row = (group + 4 * pair) % SIZE;
            for k in 0..K {
                let (a, b): (&[f64; COLUMNS], &[f64; COLUMNS]) = (part(a, COLUMNS * k), part(b, COLUMNS * k));
                // Each block has its own row.
                let factors: [f64; COLUMNS] = array(|column| a[(row + column / SIZE * SIZE) % COLUMNS]);
                for ((sum, &factor), &value) in sums.iter_mut().zip(&factors).zip(b) {
                    *sum = factor.mul_add(value, *sum);
                }
            }
        }
    }
}

/// Register pair `pair` of an operand, a constant in all lanes.
#[inline(always)]
fn doubles(wave: &Wave, operand: Operand, pair: usize) -> [f64; LANES] {
    let Some(first) = vector_index(operand) else {
        return [f64::from_bits(wave.read_scalar64(operand)); LANES];
    };
    let (Lanes(low), Lanes(high)) = (&wave.vgpr[first + 2 * pair], &wave.vgpr[first + 2 * pair + 1]);
    array(|lane| f64::from_bits(u64::from(low[lane]) | u64::from(high[lane]) << 32))
}
