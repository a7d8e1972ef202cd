//! f16 and bf16 as factors of groups.

use super::{Eight, Group, Number, add};
use crate::exec::mfma::flushed::Half;
use crate::exec::mfma::{COLUMNS, Element, Unpacked, part};
use crate::exec::simd::Isa;
use crate::exec::wave::{LANES, Lanes};
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
        [(0, 0), (0, 16), (1, 0), (1, 16)].map(|(word, bit)| words[word].0.map(|word| E::number(word >> bit)))
    }

    #[inline(always)]
    fn add_steps<const SIZE: usize>(
        steps: usize,
        a: &Unpacked<Number>,
        a_at: usize,
        b: &Unpacked<Number>,
        b_at: usize,
        rows: &mut [[f32; COLUMNS]; 4],
    ) {
        let all = steps * E::PACK;
        for first in (0..all).step_by(Eight::PRODUCTS) {
            for (index, row) in rows.iter_mut().enumerate() {
                let factors = |k: usize| {
                    let (step, k) = ((first + k) / E::PACK, (first + k) % E::PACK);
                    let factors: &[Number; 4] = part(&a[k], a_at + SIZE * step);
                    [[factors[index]; COLUMNS], *part(&b[k], b_at + SIZE * step)]
                };
                add::<Eight, COLUMNS>((all - first).min(Eight::PRODUCTS), factors, row);
            }
        }
    }

    #[inline(always)]
    fn add_lanes(
        a: &Unpacked<Number>,
        spread: impl Fn(&[Number; LANES]) -> [Number; LANES],
        b: &Unpacked<Number>,
        sums: &mut [f32; LANES],
    ) {
        let a: Unpacked<Number> = std::array::from_fn(|k| spread(&a[k]));
        for (chunk, sums) in sums.as_chunks_mut::<COLUMNS>().0.iter_mut().enumerate() {
            let factors = |k: usize| [&a, b].map(|of| *part(&of[k % 4], COLUMNS * chunk));
            add::<Eight, COLUMNS>(E::PACK, factors, sums);
        }
    }
}
