//! Types whose products are added in groups.

use super::{Element, Lines, MAX_K, MAX_SIZE, Term, row_of};
use crate::exec::mfma::groups::{self, Group, Number};
use crate::exec::simd::{Simd, simd};
use crate::exec::wave::LANES;

macro_rules! element {
    ($name:ident, $bits:literal, $products:literal, $apart:literal, |$word:ident| $decode:expr) => {
        pub struct $name;
        impl Group for $name {
            const PRODUCTS: usize = $products;
            const APART: bool = $apart;
        }
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
                add::<$name>(simd(), size, terms, count, rows, results);
            }
        }
    };
}

element!(Fp8, 8, 16, true, |bits| Number::fnuz::<4, 3>(bits));
element!(Bf8, 8, 16, true, |bits| Number::fnuz::<5, 2>(bits));
// An f32 of which ten bits of fraction count: the others are cut off, as the reference of AMD's Tensile does it (`DataTypes_XFloat32.hpp`).
element!(Xf32, 32, 4, false, |bits| Number::ieee::<8, 10>(bits >> 13));

/// Adds with the instructions of `simd`, which the processor must have.
fn add<G: Group>(
    simd: Simd,
    size: usize,
    terms: &Lines<Term<Number>>,
    count: usize,
    rows: &[[Number; MAX_SIZE]; MAX_K],
    results: &mut [[f32; LANES]],
) {
    match simd {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the features, as the caller promises.
        Simd::Avx512 => unsafe { add_avx512::<G>(size, terms, count, rows, results) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Simd::Avx2 => unsafe { add_avx2::<G>(size, terms, count, rows, results) },
        _ => add_here::<G>(size, terms, count, rows, results),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn add_avx512<G: Group>(
    size: usize,
    terms: &Lines<Term<Number>>,
    count: usize,
    rows: &[[Number; MAX_SIZE]; MAX_K],
    results: &mut [[f32; LANES]],
) {
    add_here::<G>(size, terms, count, rows, results);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn add_avx2<G: Group>(
    size: usize,
    terms: &Lines<Term<Number>>,
    count: usize,
    rows: &[[Number; MAX_SIZE]; MAX_K],
    results: &mut [[f32; LANES]],
) {
    add_here::<G>(size, terms, count, rows, results);
}

/// Columns that are added to at once.
const COLUMNS: usize = 16;

#[inline(always)]
fn add_here<G: Group>(
    size: usize,
    terms: &Lines<Term<Number>>,
    count: usize,
    rows: &[[Number; MAX_SIZE]; MAX_K],
    results: &mut [[f32; LANES]],
) {
    for (register, result) in results.iter_mut().enumerate() {
        for (chunk, sums) in result.as_chunks_mut::<COLUMNS>().0.iter_mut().enumerate() {
            let lane = COLUMNS * chunk;
            let terms = &terms[row_of(size, register, lane / size)][..count];
            for terms in terms.chunks(G::PRODUCTS) {
                let factors = |k: usize| {
                    let (place, factor) = terms[k];
                    [[factor; COLUMNS], rows[place].as_chunks().0[lane % size / COLUMNS]]
                };
                groups::add::<G, COLUMNS>(terms.len(), factors, sums);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare<E: Element<Factor = Number> + Group>(size: usize, count: usize, seed: &mut u32) {
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
            add::<E>(level, size, &terms, count, &rows, &mut sums);
            sums.concat().into_iter().map(|sum| if sum.is_nan() { u32::MAX } else { sum.to_bits() }).collect::<Vec<_>>()
        };
        for level in [Simd::Avx2, Simd::Avx512].into_iter().filter(|&level| level <= simd()) {
            assert_eq!(sums(level), sums(Simd::Baseline), "{level:?}");
        }
    }

    #[test]
    fn instruction_sets_of_the_host_give_the_same_sums() {
        let mut seed = 7;
        for _ in 0..20 {
            for (size, count) in [(16, 32), (32, 16)] {
                compare::<Fp8>(size, count, &mut seed);
                compare::<Bf8>(size, count, &mut seed);
                compare::<Xf32>(size, count / 4, &mut seed);
            }
        }
    }
}
