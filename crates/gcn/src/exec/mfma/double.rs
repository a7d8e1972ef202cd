//! MFMA of doubles (gfx90a), whose lanes hold one element each and lie otherwise than those of other types:
//!
//! - A(i, k) of a block is in lane `i + size * block + 16 * k`, B(k, j) in lane `j + size * block + 16 * k`;
//! - D(i, j) of the 16 x 16 matrix is in lane `j + 16 * (i % 4)`, register pair `i / 4`; of a block of 4 x 4 it is in lane `j + 4 * block + 16 * i`.
//!
//! Both were measured on hardware by others: the larger on an MI250, the smaller on an MI350.

use crate::exec::wave::{AluFn, LANES, Lanes, Wave, vector_index};
use crate::inst::{Inst, Mods, Operand};
use crate::op::{Op, flags};

/// What this moves elements by (CBSZ, ABID) is for other types, and of gfx90a's BLGP the manuals differ: with any of them nothing is executed. BLGP
/// of gfx942 is the signs of the sources.
pub(super) fn lower(inst: &Inst) -> Option<AluFn> {
    let signs = inst.op.info().has(flags::MFMA_NEG);
    match inst.op {
        _ if matches!(inst.mods, Mods::Mfma { cbsz, abid, blgp } if cbsz | abid != 0 || blgp != 0 && !signs) => None,
        Op::VMfmaF6416x16x4f64 | Op::VMfmaF6416x16x4F64 => Some(|w, i| multiply::<4>(w, i, 16)),
        Op::VMfmaF644x4x4f64 | Op::VMfmaF644x4x44bF64 => Some(|w, i| multiply::<1>(w, i, 4)),
        _ => None,
    }
}

/// `PAIRS` register pairs of sums; matrices of `size` rows, as many as 16 rows hold.
fn multiply<const PAIRS: usize>(wave: &mut Wave, inst: &Inst, size: usize) {
    const K: usize = 4;
    let signs = if let Mods::Mfma { blgp, .. } = inst.mods { blgp } else { 0 };
    let source = |index: usize, pair| {
        let values = doubles(wave, inst.src[index], pair);
        if signs >> index & 1 != 0 { values.map(|value| -value) } else { values }
    };
    let (a, b) = (source(0, 0), source(1, 0));
    let mut sums: [[f64; LANES]; PAIRS] = std::array::from_fn(|pair| source(2, pair));
    for (pair, sums) in sums.iter_mut().enumerate() {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let (group, column) = (lane / 16, lane % 16);
            let row = (group + 4 * pair) % size;
            let block = column / size * size;
            for k in 0..K {
                *sum = a[row + block + 16 * k].mul_add(b[column + 16 * k], *sum);
            }
        }
    }
    let Some(first) = vector_index(inst.dst[0]) else { return };
    for (registers, sums) in wave.vgpr[first..].chunks_exact_mut(2).zip(sums) {
        for (lane, sum) in sums.into_iter().enumerate() {
            registers[0].0[lane] = sum.to_bits() as u32;
            registers[1].0[lane] = (sum.to_bits() >> 32) as u32;
        }
    }
}

/// Register pair `pair` of an operand, a constant in all lanes.
fn doubles(wave: &Wave, operand: Operand, pair: usize) -> [f64; LANES] {
    let Some(first) = vector_index(operand) else {
        return [f64::from_bits(wave.read_scalar64(operand)); LANES];
    };
    let [Lanes(low), Lanes(high)] = [0, 1].map(|word| wave.vgpr[first + 2 * pair + word]);
    std::array::from_fn(|lane| f64::from_bits(u64::from(low[lane]) | u64::from(high[lane]) << 32))
}
