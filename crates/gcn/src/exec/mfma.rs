//! Matrix multiply-accumulate (MFMA) and the accumulation registers.
//!
//! One instruction multiplies up to 16 pairs of small matrices ("blocks") and adds them to an accumulator: D = A x B + C. Where the
//! elements are, for M x N x K matrices in a wave of 64 lanes whose lanes hold `PACK` consecutive elements along K each:
//!
//! - A(i, k) of a block is in lane `i + M * group`, B(k, j) in lane `j + N * group`, at element `k % PACK`, where `group` counts first the
//!   steps of `PACK` along K, then the blocks;
//! - C and D have the rows of all blocks one below the other: lane `j + N * g` holds column j, and its register r is row
//!   `4 * g + r % 4 + 4 * (64 / N) * (r / 4)`.
//!
//! Those of doubles are in `double`, those that came with gfx942 in `one_block`.
//!
//! EXEC and MODE do not matter. Products and sums are fused and rounded to nearest even in the order of K; the order in which the
//! hardware adds is not public, so its last bits may differ for sums of more than one product.

mod double;
mod one_block;

use super::float::{bf16_to_f32, f16_to_f32};
use super::wave::{AluFn, LANES, Lanes, Wave, vector_index};
use crate::inst::{Inst, Mods, Operand};
use crate::op::Op;

/// The shape of an MFMA operation.
#[derive(Clone, Copy)]
struct Shape {
    /// Rows of A and columns of B: 32, 16 or 4.
    size: usize,
    /// Products per element of D.
    k: usize,
    /// Independent matrices.
    blocks: usize,
}

/// The function that executes `inst`; `None` if it is not an MFMA or accumulation register instruction.
pub(super) fn lower(inst: &Inst) -> Option<AluFn> {
    Some(match inst.op {
        Op::VAccvgprReadB32 | Op::VAccvgprWriteB32 | Op::VAccvgprMovB32 => move_accumulator,
        Op::VMfmaF3232x32x1f32 | Op::VMfmaF3232x32x12bF32 => {
            |w, i| mfma::<F32>(w, i, Shape { size: 32, k: 1, blocks: 2 })
        }
        Op::VMfmaF3216x16x1f32 | Op::VMfmaF3216x16x14bF32 => {
            |w, i| mfma::<F32>(w, i, Shape { size: 16, k: 1, blocks: 4 })
        }
        Op::VMfmaF324x4x1f32 | Op::VMfmaF324x4x116bF32 => |w, i| mfma::<F32>(w, i, Shape { size: 4, k: 1, blocks: 16 }),
        Op::VMfmaF3232x32x2f32 | Op::VMfmaF3232x32x2F32 => {
            |w, i| mfma::<F32>(w, i, Shape { size: 32, k: 2, blocks: 1 })
        }
        Op::VMfmaF3216x16x4f32 | Op::VMfmaF3216x16x4F32 => {
            |w, i| mfma::<F32>(w, i, Shape { size: 16, k: 4, blocks: 1 })
        }
        Op::VMfmaF3232x32x4f16 | Op::VMfmaF3232x32x42bF16 => {
            |w, i| mfma::<F16>(w, i, Shape { size: 32, k: 4, blocks: 2 })
        }
        Op::VMfmaF3216x16x4f16 | Op::VMfmaF3216x16x44bF16 => {
            |w, i| mfma::<F16>(w, i, Shape { size: 16, k: 4, blocks: 4 })
        }
        Op::VMfmaF324x4x4f16 | Op::VMfmaF324x4x416bF16 => |w, i| mfma::<F16>(w, i, Shape { size: 4, k: 4, blocks: 16 }),
        Op::VMfmaF3232x32x8f16 | Op::VMfmaF3232x32x8F16 => {
            |w, i| mfma::<F16>(w, i, Shape { size: 32, k: 8, blocks: 1 })
        }
        Op::VMfmaF3216x16x16f16 | Op::VMfmaF3216x16x16F16 => {
            |w, i| mfma::<F16>(w, i, Shape { size: 16, k: 16, blocks: 1 })
        }
        Op::VMfmaF3232x32x4bf161k | Op::VMfmaF3232x32x42bBf16 => {
            |w, i| mfma::<Bf16x4>(w, i, Shape { size: 32, k: 4, blocks: 2 })
        }
        Op::VMfmaF3216x16x4bf161k | Op::VMfmaF3216x16x44bBf16 => {
            |w, i| mfma::<Bf16x4>(w, i, Shape { size: 16, k: 4, blocks: 4 })
        }
        Op::VMfmaF324x4x4bf161k | Op::VMfmaF324x4x416bBf16 => {
            |w, i| mfma::<Bf16x4>(w, i, Shape { size: 4, k: 4, blocks: 16 })
        }
        Op::VMfmaF3232x32x8bf161k | Op::VMfmaF3232x32x8Bf16 => {
            |w, i| mfma::<Bf16x4>(w, i, Shape { size: 32, k: 8, blocks: 1 })
        }
        Op::VMfmaF3216x16x16bf161k | Op::VMfmaF3216x16x16Bf16 => {
            |w, i| mfma::<Bf16x4>(w, i, Shape { size: 16, k: 16, blocks: 1 })
        }
        Op::VMfmaF6416x16x4f64 | Op::VMfmaF644x4x4f64 => return double::lower(inst),
        Op::VMfmaF6416x16x4F64 | Op::VMfmaF644x4x44bF64 => return double::lower(inst),
        Op::VMfmaI3232x32x4i8 | Op::VMfmaI3232x32x42bI8 => |w, i| mfma::<I8>(w, i, Shape { size: 32, k: 4, blocks: 2 }),
        Op::VMfmaI3216x16x4i8 | Op::VMfmaI3216x16x44bI8 => |w, i| mfma::<I8>(w, i, Shape { size: 16, k: 4, blocks: 4 }),
        Op::VMfmaI324x4x4i8 | Op::VMfmaI324x4x416bI8 => |w, i| mfma::<I8>(w, i, Shape { size: 4, k: 4, blocks: 16 }),
        Op::VMfmaI3232x32x8i8 => |w, i| mfma::<I8>(w, i, Shape { size: 32, k: 8, blocks: 1 }),
        Op::VMfmaI3216x16x16i8 => |w, i| mfma::<I8>(w, i, Shape { size: 16, k: 16, blocks: 1 }),
        Op::VMfmaF3232x32x2bf16 => |w, i| mfma::<Bf16>(w, i, Shape { size: 32, k: 2, blocks: 2 }),
        Op::VMfmaF3216x16x2bf16 => |w, i| mfma::<Bf16>(w, i, Shape { size: 16, k: 2, blocks: 4 }),
        Op::VMfmaF324x4x2bf16 => |w, i| mfma::<Bf16>(w, i, Shape { size: 4, k: 2, blocks: 16 }),
        Op::VMfmaF3232x32x4bf16 => |w, i| mfma::<Bf16>(w, i, Shape { size: 32, k: 4, blocks: 1 }),
        Op::VMfmaF3216x16x8bf16 => |w, i| mfma::<Bf16>(w, i, Shape { size: 16, k: 8, blocks: 1 }),
        _ => return one_block::lower(inst),
    })
}

/// `v_accvgpr_read_b32`, `v_accvgpr_write_b32` and `v_accvgpr_mov_b32`: a move that obeys EXEC.
fn move_accumulator(wave: &mut Wave, inst: &Inst) {
    let exec = wave.exec();
    let source = lanes(wave, inst.src[0], 0);
    let Some(destination) = vector_index(inst.dst[0]) else { return };
    let destination = &mut wave.vgpr[destination];
    for lane in 0..LANES {
        if exec >> lane & 1 != 0 {
            destination.0[lane] = source.0[lane];
        }
    }
}

/// Register `part` of an operand, constants spread over the lanes.
fn lanes(wave: &Wave, operand: Operand, part: usize) -> Lanes {
    match vector_index(operand) {
        Some(first) => wave.vgpr[first + part],
        None => Lanes([wave.read_scalar32(operand); LANES]),
    }
}

/// What products are made of and sums are kept in.
trait Sum: Copy {
    const ZERO: Self;
    fn from_bits(bits: u32) -> Self;
    fn to_bits(self) -> u32;
    /// a * b + c
    fn multiply_add(a: Self, b: Self, c: Self) -> Self;
}

impl Sum for f32 {
    const ZERO: f32 = 0.0;
    fn from_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    fn to_bits(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

impl Sum for i32 {
    const ZERO: i32 = 0;
    fn from_bits(bits: u32) -> i32 {
        bits as i32
    }
    fn to_bits(self) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn multiply_add(a: i32, b: i32, c: i32) -> i32 {
        a.wrapping_mul(b).wrapping_add(c)
    }
}

/// An element type: how many a lane holds, and in how many registers.
trait Element {
    /// Elements along K in one lane.
    const PACK: usize;
    /// Registers that hold them.
    const REGISTERS: usize;
    type Sum: Sum;
    /// Element `index` of a lane whose registers are `words`.
    fn unpack(words: [u32; 2], index: usize) -> Self::Sum;
}

struct F32;
struct F16;
struct Bf16;
/// The operations called `_1k`.
struct Bf16x4;
struct I8;

macro_rules! float_element {
    ($name:ident, $pack:literal, $registers:literal, |$words:ident, $index:ident| $unpack:expr) => {
        impl Element for $name {
            const PACK: usize = $pack;
            const REGISTERS: usize = $registers;
            type Sum = f32;
            fn unpack($words: [u32; 2], $index: usize) -> f32 {
                $unpack
            }
        }
    };
}

float_element!(F32, 1, 1, |words, _index| f32::from_bits(words[0]));
float_element!(F16, 4, 2, |words, index| f16_to_f32(half_word(words, index)));
float_element!(Bf16, 2, 1, |words, index| bf16_to_f32(half_word(words, index)));
float_element!(Bf16x4, 4, 2, |words, index| bf16_to_f32(half_word(words, index)));

fn half_word(words: [u32; 2], index: usize) -> u16 {
    (words[index / 2] >> (16 * (index % 2))) as u16
}

impl Element for I8 {
    const PACK: usize = 4;
    const REGISTERS: usize = 1;
    type Sum = i32;
    fn unpack(words: [u32; 2], index: usize) -> i32 {
        i32::from((words[0] >> (8 * index)) as i8)
    }
}

/// The elements of A or B: by position in the lane, then by lane. No element type has more than 4 in a lane.
type Unpacked<S> = [[S; LANES]; 4];

/// Blocks of the smallest matrices.
const MAX_BLOCKS: usize = 16;

/// Registers of the widest accumulator.
const MAX_ACCUMULATORS: usize = 32;

fn mfma<E: Element>(wave: &mut Wave, inst: &Inst, shape: Shape) {
    let (cbsz, abid, blgp) = match inst.mods {
        Mods::Mfma { cbsz, abid, blgp } => (cbsz, abid, blgp),
        _ => (0, 0, 0),
    };
    let a = unpack::<E>(wave, inst.src[0], |lane| lane);
    let b = unpack::<E>(wave, inst.src[1], |lane| b_lane(blgp, lane));
    let registers = shape.size * shape.size * shape.blocks / LANES;
    let mut sums = [[E::Sum::ZERO; LANES]; MAX_ACCUMULATORS];
    for (part, sum) in sums.iter_mut().enumerate().take(registers) {
        *sum = lanes(wave, inst.src[2], part).0.map(E::Sum::from_bits);
    }
    let blocks = a_blocks(shape.blocks, cbsz, abid);

    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the features that the function is compiled for.
        unsafe { multiply_fma::<E>(shape, &blocks, &a, &b, &mut sums[..registers]) };
        store_sums(wave, inst.dst[0], &sums[..registers]);
        return;
    }
    multiply::<E>(shape, &blocks, &a, &b, &mut sums[..registers]);
    store_sums(wave, inst.dst[0], &sums[..registers]);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn multiply_fma<E: Element>(
    shape: Shape,
    blocks: &[usize],
    a: &Unpacked<E::Sum>,
    b: &Unpacked<E::Sum>,
    sums: &mut [[E::Sum; LANES]],
) {
    multiply::<E>(shape, blocks, a, b, sums);
}

#[inline(always)]
fn multiply<E: Element>(
    shape: Shape,
    a_blocks: &[usize],
    a: &Unpacked<E::Sum>,
    b: &Unpacked<E::Sum>,
    sums: &mut [[E::Sum; LANES]],
) {
    let Shape { size, k, blocks } = shape;
    let steps = k / E::PACK;
    let column_groups = LANES / size;
    for (register, sum) in sums.iter_mut().enumerate() {
        for (group, columns) in sum.chunks_exact_mut(size).enumerate() {
            let row = 4 * group + register % 4 + 4 * column_groups * (register / 4);
            let (block, row) = (row / size % blocks, row % size);
            for step in 0..steps {
                let a_lane = row + size * (step + steps * a_blocks[block]);
                let b_first = size * (step + steps * block);
                for element in 0..E::PACK {
                    let factor = a[element][a_lane];
                    for (column, &value) in columns.iter_mut().zip(&b[element][b_first..b_first + size]) {
                        *column = E::Sum::multiply_add(factor, value, *column);
                    }
                }
            }
        }
    }
}

fn store_sums<S: Sum>(wave: &mut Wave, destination: Operand, sums: &[[S; LANES]]) {
    let Some(first) = vector_index(destination) else { return };
    for (register, sum) in wave.vgpr[first..].iter_mut().zip(sums) {
        register.0 = sum.map(S::to_bits);
    }
}

fn unpack<E: Element>(wave: &Wave, operand: Operand, lane_of: impl Fn(usize) -> usize) -> Unpacked<E::Sum> {
    let low = lanes(wave, operand, 0);
    let high = if E::REGISTERS == 2 { lanes(wave, operand, 1) } else { Lanes::ZERO };
    let mut unpacked = [[E::Sum::ZERO; LANES]; 4];
    for (index, elements) in unpacked.iter_mut().enumerate().take(E::PACK) {
        for (lane, element) in elements.iter_mut().enumerate() {
            let from = lane_of(lane);
            *element = E::unpack([low.0[from], high.0[from]], index);
        }
    }
    unpacked
}

/// Which block of A each block of the product uses: groups of `2^cbsz` blocks share the one that `abid` names.
fn a_blocks(blocks: usize, cbsz: u8, abid: u8) -> [usize; MAX_BLOCKS] {
    let group = (1 << cbsz.min(4)).min(blocks);
    std::array::from_fn(|block| if group == 1 { block } else { block / group * group + usize::from(abid) % group })
}

/// The lane whose B element lane `lane` uses (the BLGP field).
fn b_lane(blgp: u8, lane: usize) -> usize {
    match blgp {
        0 => lane,
        1 => lane % 32,
        2 => lane % 32 + 32,
        3 => (lane + 16) % LANES,
        group => lane % 16 + 16 * usize::from((group - 4) & 3),
    }
}

#[cfg(test)]
mod tests;
