//! Single-block instructions on types whose products are summed in aligned groups.

use crate::mfma::single_block::{Element, Lines, MAX_K, MAX_SIZE, Term, row_of};
use crate::mfma::sum_aligned;
use crate::mfma::sum_aligned::{Factors, Number, SUMS};
use crate::simd::{Simd, simd};
use crate::wave::LANES;

macro_rules! element {
    ($name:ident, $bits:literal, $products:literal, $bytes:literal, |$word:ident| $decode:expr) => {
        pub struct $name;
        impl Element for $name {
            const BITS: usize = $bits;
            type Factor = Number;
            type Sum = f32;
            #[inline(always)]
            fn decode($word: u32) -> Number {
                $decode
            }
            fn add(
                size: usize,
                terms: &Lines<Term<Number>>,
                count: usize,
                rows: &[[Number; MAX_SIZE]; MAX_K],
                results: &mut [[f32; LANES]],
            ) {
                add::<$products, $bytes>(simd(), size, terms, count, rows, results);
            }
        }
    };
}

element!(Fp8, 8, 16, true, |bits| Number::fnuz::<4, 3>(bits));
element!(Bf8, 8, 16, true, |bits| Number::fnuz::<5, 2>(bits));
// An f32 of which ten bits of fraction count: the others are cut off, as the reference of AMD's Tensile does it
// (`DataTypes_XFloat32.hpp`).
element!(Xf32, 32, 4, false, |bits| Number::ieee::<8, 10>(bits >> 13));

/// Adds groups of `N` products with the instructions of `simd`, which the processor must have.
fn add<const N: usize, const BYTES: bool>(
    simd: Simd,
    size: usize,
    terms: &Lines<Term<Number>>,
    count: usize,
    rows: &[[Number; MAX_SIZE]; MAX_K],
    results: &mut [[f32; LANES]],
) {
    for (register, result) in results.iter_mut().enumerate() {
        for (chunk, sums) in result.as_chunks_mut::<SUMS>().0.iter_mut().enumerate() {
            let lane = SUMS * chunk;
            let terms = &terms[row_of(size, register, lane / size)][..count];
            for terms in terms.as_chunks::<N>().0 {
                let factors = terms.map(|(_, factor)| [factor; SUMS]);
                let values: [&Factors; N] = terms.map(|(place, _)| &rows[place].as_chunks().0[lane % size / SUMS]);
                sum_aligned::add::<N, BYTES>(simd, &factors, &values, sums);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare<E: Element<Factor = Number>, const N: usize, const BYTES: bool>(
        size: usize,
        count: usize,
        seed: &mut u32,
    ) {
        let mut next = || {
            *seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            seed.rotate_right(8)
        };
        let terms: Lines<Term<Number>> =
            std::array::from_fn(|_| std::array::from_fn(|place| (place, E::decode(next()))));
        let rows: [[Number; MAX_SIZE]; MAX_K] = std::array::from_fn(|_| std::array::from_fn(|_| E::decode(next())));
        let before: Vec<[f32; LANES]> =
            (0..size * size / LANES).map(|_| std::array::from_fn(|_| f32::from_bits(next()))).collect();
        let sums = |level| {
            let mut sums = before.clone();
            add::<N, BYTES>(level, size, &terms, count, &rows, &mut sums);
            sums.concat().into_iter().map(|sum| if sum.is_nan() { u32::MAX } else { sum.to_bits() }).collect::<Vec<_>>()
        };
        for level in Simd::usable().filter(|&level| level > Simd::Baseline) {
            assert_eq!(sums(level), sums(Simd::Baseline), "{level:?}");
        }
    }

    #[test]
    fn instruction_sets_of_the_host_give_the_same_sums() {
        let mut seed = 7;
        for _ in 0..20 {
            for (size, count) in [(16, 32), (32, 16)] {
                compare::<Fp8, 16, true>(size, count, &mut seed);
                compare::<Bf8, 16, true>(size, count, &mut seed);
                compare::<Xf32, 4, false>(size, count / 4, &mut seed);
            }
        }
    }
}
