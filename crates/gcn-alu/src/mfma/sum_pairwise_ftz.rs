//! MFMA on f16 and bf16 on gfx90a, which flushes denormals to zero and sums in pairs.
//!
//! AMD says so of an MI200's f16 and bf16 (MIOpen's page "MI200 MFMA Behavior Specifics", PyTorch's "Numerical
//! accuracy"): denormals that they are given and that come out are zero. In which order they add, and what becomes of
//! signs, others measured on an MI200 (microsoft/MMA-Sim, `MMA_FTZ_MUL_ADD`): elements of A, B and C without a normal
//! magnitude are +0; a product, a sum of two products, and each sum after that is rounded and, if it is denormal, a
//! zero of its sign.

use crate::mfma::sum_aligned::Number;
use crate::mfma::{Bf16, Bf16x4, COLUMNS, Element, F16, Unpacked, part};
use crate::simd::{Isa, array, each};
use crate::wave::{LANES, Lanes};
use std::marker::PhantomData;

/// A type of 16 bits whose products are sums of f32.
pub trait Half: Element<Factor = f32, Sum = f32> {
    /// The smallest magnitude that is no denormal.
    const NORMAL: f32;
    /// The number of which the lowest bits are these, for sums of groups.
    fn number(bits: u32) -> Number;
}

impl Half for F16 {
    /// 2^-14.
    const NORMAL: f32 = f32::from_bits((127 - 14) << 23);
    #[inline(always)]
    fn number(bits: u32) -> Number {
        Number::ieee::<5, 10>(bits)
    }
}

impl Half for Bf16 {
    const NORMAL: f32 = f32::MIN_POSITIVE;
    #[inline(always)]
    fn number(bits: u32) -> Number {
        Number::ieee::<8, 7>(bits)
    }
}

impl Half for Bf16x4 {
    const NORMAL: f32 = f32::MIN_POSITIVE;
    #[inline(always)]
    fn number(bits: u32) -> Number {
        Number::ieee::<8, 7>(bits)
    }
}

/// Elements of which denormals are zero, as is everything that becomes one.
pub struct Flushed<E>(PhantomData<E>);

impl<E: Half> Element for Flushed<E> {
    const PACK: usize = E::PACK;
    const REGISTERS: usize = E::REGISTERS;
    type Factor = f32;
    type Sum = f32;

    #[inline(always)]
    fn unpack<I: Isa>(words: [&Lanes; 2]) -> Unpacked<f32> {
        let mut unpacked = E::unpack::<I>(words);
        for elements in &mut unpacked {
            *elements = each(elements, |element| given(element, E::NORMAL));
        }
        unpacked
    }

    #[inline(always)]
    fn addend(c: f32) -> f32 {
        given(c, f32::MIN_POSITIVE)
    }

    #[inline(always)]
    fn add_steps<I: Isa, const SIZE: usize>(
        steps: usize,
        a: &Unpacked<f32>,
        a_at: usize,
        b: &Unpacked<f32>,
        b_at: usize,
        rows: &mut [[f32; COLUMNS]; 4],
    ) {
        for step in 0..steps {
            let factors: [[f32; 4]; 4] = array(|k| *part(&a[k], a_at + SIZE * step));
            let values: [[f32; COLUMNS]; 4] = array(|k| *part(&b[k], b_at + SIZE * step));
            for (index, row) in rows.iter_mut().enumerate() {
                let factors = array(|k| factors[k][index]);
                for (column, sum) in row.iter_mut().enumerate() {
                    *sum = add::<E>(factors, array(|k| values[k][column]), *sum);
                }
            }
        }
    }

    #[inline(always)]
    fn add_lanes<I: Isa>(
        a: &Unpacked<f32>,
        spread: impl Fn(&[f32; LANES]) -> [f32; LANES],
        b: &Unpacked<f32>,
        sums: &mut [f32; LANES],
    ) {
        let mut factors = [[0.0; LANES]; 4];
        factors.iter_mut().zip(a).take(E::PACK).for_each(|(factors, a)| *factors = spread(a));
        for (lane, sum) in sums.iter_mut().enumerate() {
            let (factors, values) = (array(|k| factors[k][lane]), array(|k| b[k][lane]));
            *sum = add::<E>(factors, values, Self::addend(*sum));
        }
    }
}

/// Adds products to a sum: the pairs first.
#[inline(always)]
fn add<E: Half>(a: [f32; 4], b: [f32; 4], sum: f32) -> f32 {
    let product = |k: usize| flush(a[k] * b[k]);
    let pair = |k: usize| flush(product(k) + product(k + 1));
    let products = if E::PACK == 4 { flush(pair(0) + pair(2)) } else { pair(0) };
    flush(sum + products)
}

/// What counts of a number that an instruction is given.
#[inline(always)]
fn given(value: f32, normal: f32) -> f32 {
    if value.abs() < normal { 0.0 } else { value }
}

/// A denormal becomes a zero of its sign.
#[inline(always)]
fn flush(value: f32) -> f32 {
    const EXPONENT: u32 = 0xff << 23;
    let bits = value.to_bits();
    f32::from_bits(if bits & EXPONENT == 0 { bits & 1 << 31 } else { bits })
}
