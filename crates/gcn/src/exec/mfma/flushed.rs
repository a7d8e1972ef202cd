//! MFMA of halves on gfx90a, which know no denormals.
//!
//! AMD says so of an MI200's f16 and bf16 (MIOpen's page "MI200 MFMA Behavior Specifics", PyTorch's "Numerical accuracy"): denormals that they are given and
//! that come out are zero. In which order they add, and what becomes of signs, others measured on an MI200 (microsoft/MMA-Sim, `MMA_FTZ_MUL_ADD`):
//! elements of A, B and C without a normal magnitude are +0; a product, a sum of two products, and each sum after that is rounded and, if it is denormal,
//! a zero of its sign.

use super::{Bf16, Bf16x4, Element, F16, Unpacked};
use crate::exec::simd::Isa;
use crate::exec::wave::Lanes;
use std::marker::PhantomData;

/// A type of 16 bits whose products are sums of f32.
pub trait Half: Element<Sum = f32> {
    /// The smallest magnitude that is no denormal.
    const NORMAL: f32;
}

impl Half for F16 {
    /// 2^-14.
    const NORMAL: f32 = f32::from_bits((127 - 14) << 23);
}

impl Half for Bf16 {
    const NORMAL: f32 = f32::MIN_POSITIVE;
}

impl Half for Bf16x4 {
    const NORMAL: f32 = f32::MIN_POSITIVE;
}

/// Elements of which denormals are zero, as is everything that becomes one.
pub struct Flushed<E>(PhantomData<E>);

impl<E: Half> Element for Flushed<E> {
    const PACK: usize = E::PACK;
    const REGISTERS: usize = E::REGISTERS;
    type Sum = f32;

    #[inline(always)]
    fn unpack<I: Isa>(words: [&Lanes; 2]) -> Unpacked<f32> {
        E::unpack::<I>(words).map(|elements| elements.map(|element| given(element, E::NORMAL)))
    }

    #[inline(always)]
    fn addend(c: f32) -> f32 {
        given(c, f32::MIN_POSITIVE)
    }

    #[inline(always)]
    fn add_products(a: [f32; 4], b: [f32; 4], sum: f32) -> f32 {
        let product = |k: usize| flush(a[k] * b[k]);
        let pair = |k: usize| flush(product(k) + product(k + 1));
        let products = if E::PACK == 4 { flush(pair(0) + pair(2)) } else { pair(0) };
        flush(sum + products)
    }
}

/// What counts of a number that an instruction is given.
#[inline(always)]
fn given(value: f32, normal: f32) -> f32 {
    if value.abs() < normal { 0.0 } else { value }
}

/// A denormal becomes a zero of its sign.
#[inline(always)]
fn flush(value: f32) -> f32 {
    if value.abs() < f32::MIN_POSITIVE { 0f32.copysign(value) } else { value }
}
