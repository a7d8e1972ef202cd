//! Matrix instructions that gfx942 adds: one pair of matrices with narrow elements, of which the first may be sparse
//! (SMFMAC).
//!
//! A lane's elements are consecutive along K: of a dense M x K matrix lane `i + size * group` holds row i from `group *
//! K * size / 64` on. Sums lie as those of other MFMA. Of a sparse matrix two of four elements along K are there, each
//! with two bits that say which of the four it is; the bits of a lane's elements are in the same lane of the index
//! register, from the first element on (AMD's matrix instruction calculator, `--register-layout --compression`). That
//! register has several sets of them: ABID says which, and it is the first if CBSZ is not 0 (composable_kernel's
//! `amd_smfmac.hpp`; MLIR's `amdgpu.sparse_mfma`).

mod aligned;

use crate::fp::{bf16_to_f32, f16_to_f32, fp8_to_f32};
use crate::mfma::{Sum, lanes};
use crate::simd::{Simd, simd};
use crate::wave::{AluFn, LANES, Lanes, Wave, vector_index};
use gcn_isa::inst::{Inst, Mods, Operand};
use gcn_isa::op::Op;

/// The function that executes `inst`, if it is one of these. Modifiers that move elements of other MFMA have no meaning
/// here; with them nothing is executed.
pub fn lower(inst: &Inst) -> Option<AluFn> {
    let function: AluFn = match inst.op {
        Op::VMfmaF3216x16x8Xf32 => |w, i| dense::<aligned::Xf32, aligned::Xf32>(w, i, 16, 8),
        Op::VMfmaF3232x32x4Xf32 => |w, i| dense::<aligned::Xf32, aligned::Xf32>(w, i, 32, 4),
        Op::VMfmaI3216x16x32I8 => |w, i| dense::<I8, I8>(w, i, 16, 32),
        Op::VMfmaI3232x32x16I8 => |w, i| dense::<I8, I8>(w, i, 32, 16),
        Op::VMfmaF3216x16x32Bf8Bf8 => |w, i| dense::<aligned::Bf8, aligned::Bf8>(w, i, 16, 32),
        Op::VMfmaF3216x16x32Bf8Fp8 => |w, i| dense::<aligned::Bf8, aligned::Fp8>(w, i, 16, 32),
        Op::VMfmaF3216x16x32Fp8Bf8 => |w, i| dense::<aligned::Fp8, aligned::Bf8>(w, i, 16, 32),
        Op::VMfmaF3216x16x32Fp8Fp8 => |w, i| dense::<aligned::Fp8, aligned::Fp8>(w, i, 16, 32),
        Op::VMfmaF3232x32x16Bf8Bf8 => |w, i| dense::<aligned::Bf8, aligned::Bf8>(w, i, 32, 16),
        Op::VMfmaF3232x32x16Bf8Fp8 => |w, i| dense::<aligned::Bf8, aligned::Fp8>(w, i, 32, 16),
        Op::VMfmaF3232x32x16Fp8Bf8 => |w, i| dense::<aligned::Fp8, aligned::Bf8>(w, i, 32, 16),
        Op::VMfmaF3232x32x16Fp8Fp8 => |w, i| dense::<aligned::Fp8, aligned::Fp8>(w, i, 32, 16),
        _ => return lower_sparse(inst),
    };
    matches!(inst.mods, Mods::Mfma { cbsz: 0, abid: 0, blgp: 0 } | Mods::None).then_some(function)
}

fn lower_sparse(inst: &Inst) -> Option<AluFn> {
    Some(match inst.op {
        Op::VSmfmacF3216x16x32F16 => |w, i| sparse::<F16, F16>(w, i, 16, 32),
        Op::VSmfmacF3232x32x16F16 => |w, i| sparse::<F16, F16>(w, i, 32, 16),
        Op::VSmfmacF3216x16x32Bf16 => |w, i| sparse::<Bf16, Bf16>(w, i, 16, 32),
        Op::VSmfmacF3232x32x16Bf16 => |w, i| sparse::<Bf16, Bf16>(w, i, 32, 16),
        Op::VSmfmacI3216x16x64I8 => |w, i| sparse::<I8, I8>(w, i, 16, 64),
        Op::VSmfmacI3232x32x32I8 => |w, i| sparse::<I8, I8>(w, i, 32, 32),
        Op::VSmfmacF3216x16x64Bf8Bf8 => |w, i| sparse::<Bf8, Bf8>(w, i, 16, 64),
        Op::VSmfmacF3216x16x64Bf8Fp8 => |w, i| sparse::<Bf8, Fp8>(w, i, 16, 64),
        Op::VSmfmacF3216x16x64Fp8Bf8 => |w, i| sparse::<Fp8, Bf8>(w, i, 16, 64),
        Op::VSmfmacF3216x16x64Fp8Fp8 => |w, i| sparse::<Fp8, Fp8>(w, i, 16, 64),
        Op::VSmfmacF3232x32x32Bf8Bf8 => |w, i| sparse::<Bf8, Bf8>(w, i, 32, 32),
        Op::VSmfmacF3232x32x32Bf8Fp8 => |w, i| sparse::<Bf8, Fp8>(w, i, 32, 32),
        Op::VSmfmacF3232x32x32Fp8Bf8 => |w, i| sparse::<Fp8, Bf8>(w, i, 32, 32),
        Op::VSmfmacF3232x32x32Fp8Fp8 => |w, i| sparse::<Fp8, Fp8>(w, i, 32, 32),
        _ => return None,
    })
}

/// A type of elements.
trait Element {
    const BITS: usize;
    /// An element, as it is multiplied.
    type Factor: Copy + Default;
    type Sum: Sum;
    /// Of its bits, the lowest ones of these.
    fn decode(bits: u32) -> Self::Factor;
    /// Adds the products of the first `count` terms of each row of A with `rows` of B, by their place along K, to the
    /// sums.
    fn add(
        size: usize,
        terms: &Lines<Term<Self::Factor>>,
        count: usize,
        rows: &[[Self::Factor; MAX_SIZE]; MAX_K],
        results: &mut [[Self::Sum; LANES]],
    );
}

macro_rules! element {
    ($name:ident, $bits:literal, $sum:ty, |$word:ident| $decode:expr) => {
        struct $name;
        impl Element for $name {
            const BITS: usize = $bits;
            type Factor = $sum;
            type Sum = $sum;
            #[inline(always)]
            fn decode($word: u32) -> $sum {
                $decode
            }
            fn add(
                size: usize,
                terms: &Lines<Term<$sum>>,
                count: usize,
                rows: &[[$sum; MAX_SIZE]; MAX_K],
                results: &mut [[$sum; LANES]],
            ) {
                add(size, terms, count, rows, results);
            }
        }
    };
}

element!(Fp8, 8, f32, |bits| fp8_to_f32::<3>(bits as u8));
element!(Bf8, 8, f32, |bits| fp8_to_f32::<2>(bits as u8));
element!(I8, 8, i32, |bits| i32::from(bits as i8));
element!(F16, 16, f32, |bits| f16_to_f32(bits as u16));
element!(Bf16, 16, f32, |bits| bf16_to_f32(bits as u16));

/// Rows or columns at most.
const MAX_SIZE: usize = 32;
/// Elements along K that a matrix has at most, dense.
const MAX_K: usize = 64;

/// Rows of A or columns of B, by what is in them along K.
type Lines<T> = [[T; MAX_K]; MAX_SIZE];

/// Gives each line what `element` makes of a lane's registers: its number among the lane's `count` and its bits.
fn lines<E: Element, T: Copy>(
    registers: &[Lanes],
    size: usize,
    count: usize,
    zero: T,
    element: impl Fn(usize, usize, u32) -> T,
) -> Lines<T> {
    let mut lines = [[zero; MAX_K]; MAX_SIZE];
    for lane in 0..LANES {
        for n in 0..count {
            let bit = n * E::BITS;
            let bits = registers[bit / 32].0[lane] >> (bit % 32);
            lines[lane % size][lane / size * count + n] = element(lane, n, bits);
        }
    }
    lines
}

/// An element of A and where it is along K.
type Term<F> = (usize, F);

fn dense<A: Element, B: Element<Factor = A::Factor>>(wave: &mut Wave, inst: &Inst, size: usize, k: usize) {
    let count = k * size / LANES;
    let registers = [0, 1].map(|part| lanes(wave, inst.src[0], part));
    let terms = lines::<A, _>(&registers, size, count, (0, A::Factor::default()), |lane, n, bits| {
        (lane / size * count + n, A::decode(bits))
    });
    let sums = |wave: &Wave, part| lanes(wave, inst.src[2], part);
    multiply::<A, B>(wave, inst, (size, k), (&terms, k), sums);
}

fn sparse<A: Element, B: Element<Factor = A::Factor>>(wave: &mut Wave, inst: &Inst, size: usize, k: usize) {
    let Mods::Mfma { cbsz, abid, .. } = inst.mods else { return };
    let count = k * size / LANES / 2;
    let sets = 32 / (2 * count);
    let set = if cbsz == 0 { usize::from(abid) % sets } else { 0 };
    let index = lanes(wave, inst.src[2], 0);
    let registers = [0, 1].map(|part| lanes(wave, inst.src[0], part));
    let terms = lines::<A, _>(&registers, size, count, (0, A::Factor::default()), |lane, n, bits| {
        let place = index.0[lane] >> (2 * (set * count + n)) & 3;
        (lane / size * 2 * count + n / 2 * 4 + place as usize, A::decode(bits))
    });
    // The sums are added to what they replace.
    let sums = |wave: &Wave, part| lanes(wave, inst.dst[0], part);
    multiply::<A, B>(wave, inst, (size, k), (&terms, k / 2), sums);
}

/// Adds the products of the first `count` terms of each row to the sums.
fn multiply<A: Element, B: Element<Factor = A::Factor>>(
    wave: &mut Wave,
    inst: &Inst,
    (size, k): (usize, usize),
    (terms, count): (&Lines<Term<A::Factor>>, usize),
    sums: impl Fn(&Wave, usize) -> Lanes,
) {
    let registers = [0, 1, 2, 3].map(|part| lanes(wave, inst.src[1], part));
    let columns = lines::<B, _>(&registers, size, k * size / LANES, A::Factor::default(), |_, _, bits| B::decode(bits));
    // Transposed: what one row of A is multiplied with at each place.
    let mut rows = [[A::Factor::default(); MAX_SIZE]; MAX_K];
    for (place, row) in rows.iter_mut().enumerate().take(k) {
        for (element, column) in row.iter_mut().zip(&columns) {
            *element = column[place];
        }
    }
    let mut results = [[A::Sum::ZERO; LANES]; MAX_SIZE * MAX_SIZE / LANES];
    let results = &mut results[..size * size / LANES];
    for (part, result) in results.iter_mut().enumerate() {
        *result = sums(wave, part).0.map(A::Sum::from_bits);
    }
    A::add(size, terms, count, &rows, results);
    store_sums(wave, inst.dst[0], results);
}

fn add<S: Sum>(
    size: usize,
    terms: &Lines<Term<S>>,
    count: usize,
    rows: &[[S; MAX_SIZE]; MAX_K],
    results: &mut [[S; LANES]],
) {
    #[cfg(target_arch = "x86_64")]
    if simd() >= Simd::Avx2 {
        // SAFETY: the processor has what `simd` found.
        return unsafe { add_fma(size, terms, count, rows, results) };
    }
    add_here(size, terms, count, rows, results);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_fma<S: Sum>(
    size: usize,
    terms: &Lines<Term<S>>,
    count: usize,
    rows: &[[S; MAX_SIZE]; MAX_K],
    results: &mut [[S; LANES]],
) {
    add_here(size, terms, count, rows, results);
}

#[inline(always)]
fn add_here<S: Sum>(
    size: usize,
    terms: &Lines<Term<S>>,
    count: usize,
    rows: &[[S; MAX_SIZE]; MAX_K],
    results: &mut [[S; LANES]],
) {
    for (register, result) in results.iter_mut().enumerate() {
        for (group, columns) in result.chunks_exact_mut(size).enumerate() {
            for &(place, factor) in &terms[row_of(size, register, group)][..count] {
                for (column, &value) in columns.iter_mut().zip(&rows[place]) {
                    *column = S::multiply_add(factor, value, *column);
                }
            }
        }
    }
}

/// The row that is in `register` of the lanes of `group`.
#[inline(always)]
fn row_of(size: usize, register: usize, group: usize) -> usize {
    4 * group + register % 4 + 4 * (LANES / size) * (register / 4)
}

fn store_sums<S: Sum>(wave: &mut Wave, destination: Operand, sums: &[[S; LANES]]) {
    let Some(first) = vector_index(destination) else { return };
    for (register, sum) in wave.vgpr[first..].iter_mut().zip(sums) {
        register.0 = sum.map(S::to_bits);
    }
}
