//! f16 and bf16 factors for aligned sums.

use crate::mfma::sum_aligned::{Factors, Number, SUMS, add};
use crate::mfma::sum_pairwise_ftz::Half;
use crate::mfma::{COLUMNS, Element, Unpacked, part};
use crate::simd::{Isa, each};
use crate::wave::{LANES, Lanes};
use std::marker::PhantomData;

/// Elements whose products are added in groups of eight, or of all along K if they are fewer.
pub struct Grouped<E>(PhantomData<E>);

impl<E: Half> Element for Grouped<E> {
    const PACK: usize = E::PACK;
    const REGISTERS: usize = E::REGISTERS;
    type Factor = Number;
    type Sum = f32;

    #[inline(always)]
    fn unpack<I: Isa>(words: [&Lanes; 2]) -> Unpacked<Number> {
        let numbers = |words: &Lanes, bit: u32| each(&words.0, |word| E::number(word >> bit));
        [numbers(words[0], 0), numbers(words[0], 16), numbers(words[1], 0), numbers(words[1], 16)]
    }

    #[inline(always)]
    fn add_steps<I: Isa, const SIZE: usize>(
        steps: usize,
        a: &Unpacked<Number>,
        a_at: usize,
        b: &Unpacked<Number>,
        b_at: usize,
        rows: &mut [[f32; COLUMNS]; 4],
    ) {
        match steps * E::PACK {
            0..=4 => add_groups::<E, I, SIZE, 4>(steps, a, a_at, b, b_at, rows),
            _ => add_groups::<E, I, SIZE, 8>(steps, a, a_at, b, b_at, rows),
        }
    }

    #[inline(always)]
    fn add_lanes<I: Isa>(
        a: &Unpacked<Number>,
        spread: impl Fn(&[Number; LANES]) -> [Number; LANES],
        b: &Unpacked<Number>,
        sums: &mut [f32; LANES],
    ) {
        let a: Unpacked<Number> = std::array::from_fn(|k| spread(&a[k]));
        for (chunk, sums) in sums.as_chunks_mut::<SUMS>().0.iter_mut().enumerate() {
            let factors: [Factors; 4] = std::array::from_fn(|k| *part(&a[k], SUMS * chunk));
            let values: [&Factors; 4] = std::array::from_fn(|k| part(&b[k], SUMS * chunk));
            add::<4, false>(I::SIMD, &factors, &values, sums);
        }
    }
}

/// [`Element::add_steps`] by groups of `N` products.
#[inline(always)]
fn add_groups<E: Half, I: Isa, const SIZE: usize, const N: usize>(
    steps: usize,
    a: &Unpacked<Number>,
    a_at: usize,
    b: &Unpacked<Number>,
    b_at: usize,
    rows: &mut [[f32; COLUMNS]; 4],
) {
    for first in 0..(steps * E::PACK).div_ceil(N) {
        let first = N / E::PACK * first;
        let mut values = [&[Number::NONE; SUMS]; N];
        let mut factors = [[[Number::NONE; SUMS]; N]; 4];
        for k in 0..N.min((steps - first) * E::PACK) {
            let lane = SIZE * (first + k / E::PACK);
            values[k] = part(&b[k % E::PACK], b_at + lane);
            let of_rows: &[Number; 4] = part(&a[k % E::PACK], a_at + lane);
            for (factors, &factor) in factors.iter_mut().zip(of_rows) {
                factors[k] = [factor; SUMS];
            }
        }
        for (factors, row) in factors.iter().zip(rows.iter_mut()) {
            add::<N, false>(I::SIMD, factors, &values, row);
        }
    }
}
