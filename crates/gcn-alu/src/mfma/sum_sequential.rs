//! Sums of products, added one by one in the order of K.

use crate::mfma::{COLUMNS, Element, Sum, Unpacked, part};
use crate::wave::LANES;

/// [`Element::add_steps`], each sum rounded after each product.
#[inline(always)]
pub fn add_steps<E: Element<Factor = S, Sum = S>, S: Sum, const SIZE: usize>(
    steps: usize,
    a: &Unpacked<S>,
    a_at: usize,
    b: &Unpacked<S>,
    b_at: usize,
    rows: &mut [[S; COLUMNS]; 4],
) {
    for step in 0..steps {
        for (a, b) in a.iter().zip(b).take(E::PACK) {
            let factors: &[S; 4] = part(a, a_at + SIZE * step);
            let values: &[S; COLUMNS] = part(b, b_at + SIZE * step);
            for (row, &factor) in rows.iter_mut().zip(factors) {
                for (sum, &value) in row.iter_mut().zip(values) {
                    *sum = S::multiply_add(factor, value, *sum);
                }
            }
        }
    }
}

/// [`Element::add_lanes`], each sum rounded after each product.
#[inline(always)]
pub fn add_lanes<E: Element<Factor = S, Sum = S>, S: Sum>(
    a: &Unpacked<S>,
    spread: impl Fn(&[S; LANES]) -> [S; LANES],
    b: &Unpacked<S>,
    sums: &mut [S; LANES],
) {
    for (a, b) in a.iter().zip(b).take(E::PACK) {
        let factors = spread(a);
        for ((sum, &factor), &value) in sums.iter_mut().zip(&factors).zip(b) {
            *sum = S::multiply_add(factor, value, *sum);
        }
    }
}
