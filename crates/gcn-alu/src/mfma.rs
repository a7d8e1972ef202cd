//! Matrix multiply-accumulate (MFMA) and the accumulation registers.
//!
//! One instruction multiplies up to 16 pairs of small matrices ("blocks") and adds them to an accumulator: D = A x B +
//! C. Where the elements are, for M x N x K matrices in a wave of 64 lanes whose lanes hold `PACK` consecutive elements
//! along K each:
//!
//! - A(i, k) of a block is in lane `i + M * group`, B(k, j) in lane `j + N * group`, at element `k % PACK`, where
//!   `group` counts first the steps of `PACK` along K, then the blocks;
//! - C and D have the rows of all blocks one below the other: lane `j + N * g` holds column j, and its register r is
//!   row `4 * g + r % 4 + 4 * (64 / N) * (r / 4)`.
//!
//! Those of doubles are in `double`, those that came with gfx942 in `one_block`.
//!
//! EXEC and MODE do not matter. Products and sums of f32 and f64 are fused and rounded to nearest even in the order of
//! K (`in_order`). In which order chips add shorter types, and how they round, AMD does not say, but others measured
//! it: what they found of gfx90a is in `flushed`, of gfx942 in `groups`. gfx908 rounds f16 and bf16 as f32 here, though
//! they found it to add four products of f16, or two of bf16, and C exactly and to round once. So the last bits of its
//! sums can differ from hardware's, as can those of SMFMAC, of which nobody has said how they add.

mod f64;
mod single_block;
mod sum_aligned;
mod sum_pairwise_ftz;
mod sum_sequential;

use crate::fp::bf16_to_f32;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512};
use crate::simd::{Baseline, Isa, Simd, array, each, simd, widen};
use crate::wave::{AluFn, LANES, Lanes, Wave, vector_index};
use gcn_isa::inst::{Inst, Mods, Operand};
use gcn_isa::op::Op;
use gcn_isa::target::HalfSums;
use std::marker::PhantomData;

/// The function that executes `inst`; `None` if it is not an MFMA or accumulation register instruction.
pub fn lower(inst: &Inst) -> Option<AluFn> {
    lower_for(inst, simd())
}

/// [`lower`] for `simd`, which the processor must have.
fn lower_for(inst: &Inst, simd: Simd) -> Option<AluFn> {
    Some(match inst.op {
        Op::VAccvgprReadB32 | Op::VAccvgprWriteB32 | Op::VAccvgprMovB32 => move_accumulator,
        Op::VMfmaF3232x32x1f32 | Op::VMfmaF3232x32x12bF32 | Op::VMfmaF3232x32x2f32 | Op::VMfmaF3232x32x2F32 => {
            compiled::<Blocks<F32, 32>>(simd)
        }
        Op::VMfmaF3216x16x1f32 | Op::VMfmaF3216x16x14bF32 | Op::VMfmaF3216x16x4f32 | Op::VMfmaF3216x16x4F32 => {
            compiled::<Blocks<F32, 16>>(simd)
        }
        Op::VMfmaF324x4x1f32 | Op::VMfmaF324x4x116bF32 => compiled::<Blocks<F32, 4>>(simd),
        Op::VMfmaF3232x32x4f16 | Op::VMfmaF3232x32x42bF16 | Op::VMfmaF3232x32x8f16 | Op::VMfmaF3232x32x8F16 => {
            halves::<F16, 32>(inst, simd)
        }
        Op::VMfmaF3216x16x4f16 | Op::VMfmaF3216x16x44bF16 | Op::VMfmaF3216x16x16f16 | Op::VMfmaF3216x16x16F16 => {
            halves::<F16, 16>(inst, simd)
        }
        Op::VMfmaF324x4x4f16 | Op::VMfmaF324x4x416bF16 => halves::<F16, 4>(inst, simd),
        Op::VMfmaF3232x32x2bf16 | Op::VMfmaF3232x32x4bf16 => halves::<Bf16, 32>(inst, simd),
        Op::VMfmaF3216x16x2bf16 | Op::VMfmaF3216x16x8bf16 => halves::<Bf16, 16>(inst, simd),
        Op::VMfmaF324x4x2bf16 => halves::<Bf16, 4>(inst, simd),
        Op::VMfmaF3232x32x4bf161k | Op::VMfmaF3232x32x42bBf16 | Op::VMfmaF3232x32x8bf161k | Op::VMfmaF3232x32x8Bf16 => {
            halves::<Bf16x4, 32>(inst, simd)
        }
        Op::VMfmaF3216x16x4bf161k
        | Op::VMfmaF3216x16x44bBf16
        | Op::VMfmaF3216x16x16bf161k
        | Op::VMfmaF3216x16x16Bf16 => halves::<Bf16x4, 16>(inst, simd),
        Op::VMfmaF324x4x4bf161k | Op::VMfmaF324x4x416bBf16 => halves::<Bf16x4, 4>(inst, simd),
        Op::VMfmaI3232x32x4i8 | Op::VMfmaI3232x32x42bI8 | Op::VMfmaI3232x32x8i8 => integers::<32>(simd),
        Op::VMfmaI3216x16x4i8 | Op::VMfmaI3216x16x44bI8 | Op::VMfmaI3216x16x16i8 => integers::<16>(simd),
        Op::VMfmaI324x4x4i8 | Op::VMfmaI324x4x416bI8 => integers::<4>(simd),
        _ => return f64::lower(inst, simd).or_else(|| single_block::lower(inst)),
    })
}

/// Products of halves, as the chip makes them.
fn halves<E: sum_pairwise_ftz::Half, const SIZE: usize>(inst: &Inst, simd: Simd) -> AluFn {
    match inst.target.properties().mfma_halves {
        HalfSums::InOrder => compiled::<Blocks<E, SIZE>>(simd),
        HalfSums::FlushedPairs => compiled::<Blocks<sum_pairwise_ftz::Flushed<E>, SIZE>>(simd),
        HalfSums::CutGroups => compiled::<Blocks<sum_aligned::Grouped<E>, SIZE>>(simd),
    }
}

/// Products of integers. With AVX-512 the compiler makes no vectors of them, and they take 15 times as long as with
/// AVX2.
fn integers<const SIZE: usize>(simd: Simd) -> AluFn {
    #[cfg(target_arch = "x86_64")]
    let simd = simd.min(Simd::Avx2);
    compiled::<Blocks<I8, SIZE>>(simd)
}

/// A product, as code that is compiled for every instruction set of the host.
trait Product: 'static {
    /// To be `#[inline(always)]`, and everything of weight in it. Runs only where the processor has `I`.
    fn run<I: Isa>(wave: &mut Wave, inst: &Inst);
}

/// `P` compiled for `simd`, which the processor must have.
fn compiled<P: Product>(simd: Simd) -> AluFn {
    match simd {
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => |wave, inst| {
            // SAFETY: the processor has the features, as `lower_for` asks.
            unsafe { avx512::<P>(wave, inst) }
        },
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => |wave, inst| {
            // SAFETY: as above.
            unsafe { avx2::<P>(wave, inst) }
        },
        _ => P::run::<Baseline>,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn avx2<P: Product>(wave: &mut Wave, inst: &Inst) {
    P::run::<Avx2>(wave, inst);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt")]
fn avx512<P: Product>(wave: &mut Wave, inst: &Inst) {
    P::run::<Avx512>(wave, inst);
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
trait Sum: Copy + Default {
    const ZERO: Self;
    fn from_bits(bits: u32) -> Self;
    fn to_bits(self) -> u32;
    /// a * b + c
    fn multiply_add(a: Self, b: Self, c: Self) -> Self;
}

impl Sum for f32 {
    const ZERO: f32 = 0.0;
    #[inline(always)]
    fn from_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[inline(always)]
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
    #[inline(always)]
    fn from_bits(bits: u32) -> i32 {
        bits as i32
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn multiply_add(a: i32, b: i32, c: i32) -> i32 {
        a.wrapping_mul(b).wrapping_add(c)
    }
}

/// An element type: how many a lane holds, and in how many registers.
trait Element: 'static {
    /// Elements along K in one lane.
    const PACK: usize;
    /// Registers that hold them.
    const REGISTERS: usize;
    /// An element, as it is multiplied.
    type Factor: Copy + Default;
    type Sum: Sum;
    /// The elements of all lanes, whose registers are `words`.
    fn unpack<I: Isa>(words: [&Lanes; 2]) -> Unpacked<Self::Factor>;
    /// What of an element of C counts.
    #[inline(always)]
    fn addend(c: Self::Sum) -> Self::Sum {
        c
    }
    /// Adds to four rows the products of `steps` times [`Element::PACK`] elements along K: of elements of A from lane
    /// `a_at` on, and of B from lane `b_at` on. Those of the next step are `SIZE` lanes further on.
    fn add_steps<I: Isa, const SIZE: usize>(
        steps: usize,
        a: &Unpacked<Self::Factor>,
        a_at: usize,
        b: &Unpacked<Self::Factor>,
        b_at: usize,
        rows: &mut [[Self::Sum; COLUMNS]; 4],
    );
    /// Adds to C, the sums of all lanes, the products of their elements of B with what `spread` makes of those of A.
    fn add_lanes<I: Isa>(
        a: &Unpacked<Self::Factor>,
        spread: impl Fn(&[Self::Factor; LANES]) -> [Self::Factor; LANES],
        b: &Unpacked<Self::Factor>,
        sums: &mut [Self::Sum; LANES],
    );
}

/// The elements of A or B: by position in the lane, then by lane. No element type has more than 4 in a lane.
type Unpacked<F> = [[F; LANES]; 4];

struct F32;
struct F16;
struct Bf16;
/// The operations called `_1k`.
struct Bf16x4;
struct I8;

macro_rules! element {
    ($name:ident, $pack:literal, $registers:literal, $sum:ty, |$words:ident| $unpack:expr) => {
        impl Element for $name {
            const PACK: usize = $pack;
            const REGISTERS: usize = $registers;
            type Factor = $sum;
            type Sum = $sum;
            #[inline(always)]
            fn unpack<I: Isa>($words: [&Lanes; 2]) -> Unpacked<$sum> {
                $unpack
            }
            #[inline(always)]
            fn add_steps<I: Isa, const SIZE: usize>(
                steps: usize,
                a: &Unpacked<$sum>,
                a_at: usize,
                b: &Unpacked<$sum>,
                b_at: usize,
                rows: &mut [[$sum; COLUMNS]; 4],
            ) {
                sum_sequential::add_steps::<$name, $sum, SIZE>(steps, a, a_at, b, b_at, rows);
            }
            #[inline(always)]
            fn add_lanes<I: Isa>(
                a: &Unpacked<$sum>,
                spread: impl Fn(&[$sum; LANES]) -> [$sum; LANES],
                b: &Unpacked<$sum>,
                sums: &mut [$sum; LANES],
            ) {
                sum_sequential::add_lanes::<$name, $sum>(a, spread, b, sums);
            }
        }
    };
}

element!(F32, 1, 1, f32, |words| [each(&words[0].0, f32::from_bits), [0.0; LANES], [0.0; LANES], [0.0; LANES]]);
element!(F16, 4, 2, f32, |words| {
    let wide = |words, high| each(&widen::<I>(words, high).0, f32::from_bits);
    [wide(words[0], false), wide(words[0], true), wide(words[1], false), wide(words[1], true)]
});
element!(Bf16, 2, 1, f32, |words| [low_bf16(words[0]), high_bf16(words[0]), [0.0; LANES], [0.0; LANES]]);
element!(Bf16x4, 4, 2, f32, |words| {
    [low_bf16(words[0]), high_bf16(words[0]), low_bf16(words[1]), high_bf16(words[1])]
});
element!(I8, 4, 1, i32, |words| {
    let bytes = |bit: u32| each(&words[0].0, |word| i32::from((word >> bit) as i8));
    [bytes(0), bytes(8), bytes(16), bytes(24)]
});

#[inline(always)]
fn low_bf16(words: &Lanes) -> [f32; LANES] {
    each(&words.0, |word| bf16_to_f32(word as u16))
}

#[inline(always)]
fn high_bf16(words: &Lanes) -> [f32; LANES] {
    each(&words.0, |word| bf16_to_f32((word >> 16) as u16))
}

/// Blocks of the smallest matrices.
const MAX_BLOCKS: usize = 16;

/// Products of matrices with `SIZE` rows of A and columns of B: 32, 16 or 4. The registers of the sums say of how many,
/// and a register of B has `64 / SIZE` times [`Element::PACK`] rows of all of them together.
struct Blocks<E, const SIZE: usize>(PhantomData<E>);

impl<E: Element, const SIZE: usize> Product for Blocks<E, SIZE> {
    #[inline(always)]
    fn run<I: Isa>(wave: &mut Wave, inst: &Inst) {
        let (Operand::Vgpr { count, .. } | Operand::Agpr { count, .. }) = inst.dst[0] else { return };
        let (cbsz, abid, blgp) = match inst.mods {
            Mods::Mfma { cbsz, abid, blgp } => (cbsz, abid, blgp),
            _ => (0, 0, 0),
        };
        let source =
            |index: usize, part| if part < E::REGISTERS { lanes(wave, inst.src[index], part) } else { Lanes::ZERO };
        let a = E::unpack::<I>([&source(0, 0), &source(0, 1)]);
        let b = E::unpack::<I>([&of_group(blgp, source(1, 0)), &of_group(blgp, source(1, 1))]);
        let registers = usize::from(count);
        let blocks = registers * LANES / (SIZE * SIZE);
        let constant = |wave: &Wave| [Lanes([wave.read_scalar32(inst.src[2]); LANES])];
        let Some(sums) = take_sums(wave, inst, registers, constant) else { return };
        let a_blocks = a_blocks(blocks, cbsz, abid);
        if SIZE == 4 {
            multiply_small::<E, I>(&a_blocks, &a, &b, sums);
        } else {
            multiply::<E, I, SIZE>(LANES / SIZE / blocks.max(1), &a_blocks, &a, &b, sums);
        }
    }
}

/// Moves C to where D goes, and gives that: what follows adds to it in place. A and B may be there too, so they are
/// read before. `constant` gives the `N` registers of an element that is the same in all lanes.
#[inline(always)]
fn take_sums<'a, const N: usize>(
    wave: &'a mut Wave,
    inst: &Inst,
    registers: usize,
    constant: impl Fn(&Wave) -> [Lanes; N],
) -> Option<&'a mut [Lanes]> {
    let to = vector_index(inst.dst[0])?;
    match vector_index(inst.src[2]) {
        Some(from) if from == to => {}
        Some(from) => wave.vgpr.copy_within(from..from + registers, to),
        None => {
            let constant = constant(wave);
            wave.vgpr[to..to + registers].as_chunks_mut().0.fill(constant);
        }
    }
    Some(&mut wave.vgpr[to..to + registers])
}

/// The `N` values from `at` on, which is a multiple of `N`.
#[inline(always)]
fn part<T, const N: usize>(values: &[T; LANES], at: usize) -> &[T; N] {
    &values.as_chunks().0[at / N % (LANES / N)]
}

/// As [`part`].
#[inline(always)]
fn part_mut<T, const N: usize>(values: &mut [T; LANES], at: usize) -> &mut [T; N] {
    &mut values.as_chunks_mut().0[at / N % (LANES / N)]
}

/// Columns that are added to at once: what the widest vectors of hosts have.
const COLUMNS: usize = 16;

/// Adds the products of `steps` times [`Element::PACK`] elements along K. Four registers are four rows, whose sums stay
/// in registers of the host.
#[inline(always)]
fn multiply<E: Element, I: Isa, const SIZE: usize>(
    steps: usize,
    a_blocks: &[usize; MAX_BLOCKS],
    a: &Unpacked<E::Factor>,
    b: &Unpacked<E::Factor>,
    sums: &mut [Lanes],
) {
    let groups = LANES / SIZE;
    for (quad, registers) in sums.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        for group in 0..groups {
            let row = 4 * group + 4 * groups * quad;
            let (block, row) = (row / SIZE, row % SIZE);
            let a_first = row + SIZE * steps * a_blocks[block % MAX_BLOCKS];
            for columns in (0..SIZE).step_by(COLUMNS) {
                let b_first = columns + SIZE * steps * block;
                let at = columns + SIZE * group;
                let mut rows = [[E::Sum::ZERO; COLUMNS]; 4];
                for (row, register) in rows.iter_mut().zip(registers.iter()) {
                    *row = each(part::<_, COLUMNS>(&register.0, at), |bits| E::addend(E::Sum::from_bits(bits)));
                }
                E::add_steps::<I, SIZE>(steps, a, a_first, b, b_first, &mut rows);
                for (row, register) in rows.iter().zip(registers.iter_mut()) {
                    *part_mut::<_, COLUMNS>(&mut register.0, at) = each(row, E::Sum::to_bits);
                }
            }
        }
    }
}

/// [`multiply`] for 16 blocks of 4 x 4: register r is row r, and the lanes are the columns of all blocks, of the sums
/// as of B.
#[inline(always)]
fn multiply_small<E: Element, I: Isa>(
    a_blocks: &[usize; MAX_BLOCKS],
    a: &Unpacked<E::Factor>,
    b: &Unpacked<E::Factor>,
    sums: &mut [Lanes],
) {
    for (row, register) in sums.iter_mut().enumerate() {
        let mut sum = each(&register.0, E::Sum::from_bits);
        let spread = |a: &[E::Factor; LANES]| {
            let mut factors = [E::Factor::default(); LANES];
            for (columns, &block) in factors.as_chunks_mut::<4>().0.iter_mut().zip(a_blocks) {
                *columns = [a[(row + 4 * block) % LANES]; 4];
            }
            factors
        };
        E::add_lanes::<I>(a, spread, b, &mut sum);
        register.0 = each(&sum, E::Sum::to_bits);
    }
}

/// Which block of A each block of the product uses: groups of `2^cbsz` blocks share the one that `abid` names.
#[inline(always)]
fn a_blocks(blocks: usize, cbsz: u8, abid: u8) -> [usize; MAX_BLOCKS] {
    let group = (1 << cbsz.min(4)).min(blocks);
    std::array::from_fn(|block| if group <= 1 { block } else { block / group * group + usize::from(abid) % group })
}

/// B as the BLGP field moves its lanes.
#[inline(always)]
fn of_group(blgp: u8, lanes: Lanes) -> Lanes {
    if blgp == 0 { lanes } else { Lanes(array(|lane| lanes.0[b_lane(blgp, lane)])) }
}

/// The lane whose B element lane `lane` uses.
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
