//! Sums of gfx942's MFMA on f16, bf16, XF32, FP8 and BF8, as measured on an MI300 by others (microsoft/MMA-Sim; TR-FDPA
//! and GTR-FDPA in its later revisions).
//!
//! A few products are added at once (a group), then the next few to what has come of these and C. The exponent of a
//! product is the sum of its factors' exponents, those of denormals being that of the smallest normal number of their
//! type, however large the product of the significands is:
//!
//! 1. Each product is cut off, toward zero, 24 bits below the largest exponent among the group's products that are not
//!    zero. What is left is added exactly. Of FP8 and BF8, products of even and of odd place are added apart; both sums
//!    are rounded down 24 bits below the larger exponent and added.
//! 2. The sum is rounded down (toward minus infinity) 32 bits below the larger exponent of its own and C's, and C 24
//!    bits below it. With FP8 and BF8, C is zero instead if its exponent is more than 25 below that.
//! 3. The two are added, rounded down 31 bits below the exponent of what comes out, and that to the nearest f32, even.
//!
//! A product of 2^128 and more is infinite; infinities and NaN add up as usual. Zeros that come out are positive,
//! unless something has been rounded to them.

mod f16;

pub use crate::mfma::sum_aligned::f16::Grouped;

use crate::simd::Simd;

/// A factor: a significand with a sign and ten bits of fraction in the lower half, its exponent in the upper half.
#[derive(Clone, Copy)]
pub struct Number(i32);

impl Default for Number {
    #[inline(always)]
    fn default() -> Number {
        Number::NONE
    }
}

/// The exponent of zeros, so low that a product with one is below any other.
const ZERO: i32 = -512;
/// The exponent of infinities and NaN, so high that a product with one is above any other, even if the other factor is
/// zero.
const SPECIAL: i32 = 1000;
/// Bits of the fraction of a significand.
const FRACTION: u32 = 10;
/// That of an infinity; NaN have others.
const INFINITE: i32 = 1 << FRACTION;

impl Number {
    /// Zero.
    const NONE: Number = Number(ZERO << 16);

    #[inline(always)]
    fn new(negative: bool, magnitude: u32, exponent: i32) -> Number {
        let significand = if negative { -(magnitude as i32) } else { magnitude as i32 };
        if magnitude == 0 { Number::NONE } else { Number(exponent << 16 | significand & 0xffff) }
    }

    /// The number of which the lowest bits are these: a sign, `E` bits of exponent and `F` of fraction.
    #[inline(always)]
    pub fn ieee<const E: u32, const F: u32>(bits: u32) -> Number {
        let (magnitude, field) = fields::<E, F>(bits);
        let exponent = if field == (1 << E) - 1 { SPECIAL } else { field.max(1) - ((1 << (E - 1)) - 1) };
        Number::new(bits >> (E + F) & 1 != 0, magnitude, exponent)
    }

    /// The same of a byte of FP8 or BF8 (FNUZ), which have no infinities, and NaN instead of a negative zero.
    #[inline(always)]
    pub fn fnuz<const E: u32, const F: u32>(bits: u32) -> Number {
        let (magnitude, field) = fields::<E, F>(bits);
        match bits & 0xff {
            0x80 => Number::new(false, 1, SPECIAL),
            _ => Number::new(bits & 0x80 != 0, magnitude, field.max(1) - (1 << (E - 1))),
        }
    }

    #[inline(always)]
    fn significand(self) -> i32 {
        i32::from(self.0 as i16)
    }

    #[inline(always)]
    fn exponent(self) -> i32 {
        self.0 >> 16
    }

    fn value(self) -> f64 {
        match (self.exponent(), self.significand()) {
            (SPECIAL, INFINITE) => f64::INFINITY,
            (SPECIAL, significand) if significand == -INFINITE => f64::NEG_INFINITY,
            (SPECIAL, _) => f64::NAN,
            (exponent, significand) => f64::from(significand) * power(exponent - FRACTION as i32),
        }
    }
}

/// The significand and the exponent's bits.
#[inline(always)]
fn fields<const E: u32, const F: u32>(bits: u32) -> (u32, i32) {
    let field = bits >> F & ((1 << E) - 1);
    let fraction = bits & ((1 << F) - 1);
    let magnitude = if field == 0 { fraction } else { fraction | 1 << F };
    (magnitude << (FRACTION - F), field as i32)
}

/// 2^exponent, of an exponent that an f64 has.
#[inline(always)]
fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Sums that are added to at once: what the widest vectors of hosts have.
pub const SUMS: usize = 16;

/// The factors of a product of each sum.
pub type Factors = [Number; SUMS];

/// Adds a group of `N` products to each sum, with the instructions of `simd`, which the processor must have. Products
/// of zeros do not change what comes out. `BYTES` is for those of FP8 and BF8.
#[inline(always)]
pub fn add<const N: usize, const BYTES: bool>(simd: Simd, a: &[Factors; N], b: &[&Factors; N], sums: &mut [f32; SUMS]) {
    match simd {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the features, as the caller promises.
        Simd::Avx512 => unsafe { add_avx512::<N, BYTES>(a, b, sums) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Simd::Avx2 => unsafe { add_avx2::<N, BYTES>(a, b, sums) },
        _ => add_here::<N, BYTES>(a, b, sums),
    }
}

// Not inlined: among other loops the compiler does not always make vectors of this one.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn add_avx512<const N: usize, const BYTES: bool>(a: &[Factors; N], b: &[&Factors; N], sums: &mut [f32; SUMS]) {
    add_here::<N, BYTES>(a, b, sums);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn add_avx2<const N: usize, const BYTES: bool>(a: &[Factors; N], b: &[&Factors; N], sums: &mut [f32; SUMS]) {
    add_here::<N, BYTES>(a, b, sums);
}

/// Loops, where iterators and closures would be shorter: those are not always inlined where a function has more of the
/// processor's features.
#[inline(always)]
fn add_here<const N: usize, const BYTES: bool>(a: &[Factors; N], b: &[&Factors; N], sums: &mut [f32; SUMS]) {
    let before = *sums;
    let mut highest = ZERO;
    for (lane, sum) in sums.iter_mut().enumerate() {
        let mut products = [Product::default(); N];
        for (product, (a, b)) in products.iter_mut().zip(a.iter().zip(b)) {
            *product = Product {
                value: a[lane].significand() * b[lane].significand(),
                exponent: a[lane].exponent() + b[lane].exponent(),
            };
        }
        let products = match BYTES {
            true => joined(cut::<N, 2>(&products, 0), cut::<N, 2>(&products, 1)),
            false => cut::<N, 1>(&products, 0),
        };
        *sum = rounded::<BYTES>(products, before[lane]);
        highest = products.exponent.max(highest);
    }
    // Rare, so that the rest needs to know nothing of it: from this exponent on a product may be 2^128. (A C that is
    // infinite or NaN stays so anyway.)
    if highest >= 127 {
        add_infinite(a, b, &before, sums);
    }
}

/// A product in units of 2^-20 below its exponent, or a sum of products in units of 2^-24.
#[derive(Clone, Copy, Default)]
struct Product {
    value: i32,
    exponent: i32,
}

/// The sum of each `STEP`th product from `first` on.
#[inline(always)]
fn cut<const N: usize, const STEP: usize>(products: &[Product; N], first: usize) -> Product {
    let mut exponent = 2 * ZERO;
    for k in 0..N / STEP {
        exponent = products[first + STEP * k].exponent.max(exponent);
    }
    let mut value = 0;
    for k in 0..N / STEP {
        let product = products[first + STEP * k];
        let magnitude = product.value.unsigned_abs() << (24 - 2 * FRACTION) >> (exponent - product.exponent).min(31);
        value += if product.value < 0 { -(magnitude as i32) } else { magnitude as i32 };
    }
    Product { value, exponent }
}

/// The sum of both, each rounded down.
#[inline(always)]
fn joined(even: Product, odd: Product) -> Product {
    let exponent = even.exponent.max(odd.exponent);
    let [even, odd] = [even, odd].map(|sum| sum.value >> (exponent - sum.exponent).min(31));
    Product { value: even + odd, exponent }
}

/// The sum of C and that of a group.
#[inline(always)]
fn rounded<const BYTES: bool>(products: Product, c: f32) -> f32 {
    let c_exponent = (c.to_bits() >> 23 & 0xff).max(1) as i32 - 127;
    let largest = products.exponent.max(c_exponent);
    // What is further below is rounded to the same.
    let below = (largest - products.exponent).min(64);
    let products = (f64::from(products.value) * power(8 - below)).floor();
    let c = (f64::from(c) * power(24 - largest)).floor();
    let c = if BYTES && c_exponent < largest - 25 { 0.0 } else { c };
    let total = (products + c * power(8)) * power(largest - 32);
    let exponent = (total.to_bits() >> 52 & 0x7ff).max(1023 - 126) as i32 - 1023;
    ((total * power(31 - exponent)).floor() * power(exponent - 31)) as f32
}

/// Gives sums that are infinite or NaN, because a product is, their values.
#[cold]
#[inline(never)]
fn add_infinite(a: &[Factors], b: &[&Factors], c: &[f32; SUMS], sums: &mut [f32; SUMS]) {
    for (lane, sum) in sums.iter_mut().enumerate() {
        let products = a.iter().zip(b).map(|(a, b)| a[lane].value() * b[lane].value());
        let products = products.map(|p| if p.abs() >= power(128) { f64::INFINITY.copysign(p) } else { p });
        let infinite: f64 = products.chain([f64::from(c[lane])]).filter(|term| !term.is_finite()).sum();
        if !infinite.is_finite() {
            *sum = infinite as f32;
        }
    }
}
