//! Sums of gfx942's MFMA of f16, bf16, XF32, FP8 and BF8, as others measured them on an MI300 (microsoft/MMA-Sim: its later revisions' TR-FDPA and GTR-FDPA).
//!
//! A few products are added at once (a group), then the next few to what has come of these and C. The exponent of a product is the sum of its factors'
//! exponents, those of denormals being that of the smallest normal number of their type, however large the product of the significands is:
//!
//! 1. Each product is cut off, toward zero, 24 bits below the largest exponent among the group's products that are not zero. What is left is added
//!    exactly. Of FP8 and BF8, products of even and of odd place are added apart; both sums are rounded down 24 bits below the larger exponent and added.
//! 2. The sum is rounded down (toward minus infinity) 32 bits below the larger exponent of its own and C's, and C 24 bits below it. With FP8 and BF8,
//!    C is zero instead if its exponent is more than 25 below that.
//! 3. The two are added, rounded down 31 bits below the exponent of what comes out, and that to the nearest f32, even.
//!
//! A product of 2^128 and more is infinite; infinities and NaN add up as usual. Zeros that come out are positive, unless something has been rounded to them.

mod halves;

pub use halves::Grouped;

/// A factor: a significand with a sign and ten bits of fraction in the lower half, its exponent in the upper half.
#[derive(Clone, Copy, Default)]
pub struct Number(i32);

/// The exponent of zeros, so low that a product with one is below any other.
const ZERO: i32 = -512;
/// The exponent of infinities and NaN, so high that a product with one is above any other, even if the other factor is zero.
const SPECIAL: i32 = 1000;
/// Bits of the fraction of a significand.
const FRACTION: u32 = 10;
/// That of an infinity; NaN have others.
const INFINITE: i32 = 1 << FRACTION;

impl Number {
    #[inline(always)]
    fn new(negative: bool, magnitude: u32, exponent: i32) -> Number {
        let significand = if negative { -(magnitude as i32) } else { magnitude as i32 };
        let exponent = if magnitude == 0 { ZERO } else { exponent };
        Number(exponent << 16 | significand & 0xffff)
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

/// A type whose products are added so.
pub trait Group {
    /// Those that are added at once, at most.
    const PRODUCTS: usize;
    /// Even and odd ones are added apart, and C is zero if it is far below them.
    const APART: bool;
}

/// The products of f16 and bf16.
pub struct Eight;

impl Group for Eight {
    const PRODUCTS: usize = 8;
    const APART: bool = false;
}

/// Adds a group of `count` products to each of `N` sums: `factors` gives the factors of product `k` of all of them.
#[inline(always)]
pub fn add<G: Group, const N: usize>(count: usize, factors: impl Fn(usize) -> [[Number; N]; 2], sums: &mut [f32; N]) {
    let products = match G::APART {
        true => joined(cut((0..count).step_by(2), &factors), cut((1..count).step_by(2), &factors)),
        false => cut(0..count, &factors),
    };
    let before = *sums;
    for (lane, sum) in sums.iter_mut().enumerate() {
        *sum = rounded::<G>(products.sums[lane], products.exponents[lane], *sum);
    }
    let highest = products.exponents.iter().fold(ZERO, |highest, &exponent| highest.max(exponent));
    let infinite = before.iter().fold(0, |highest, c| highest.max(c.to_bits() & !(1 << 31))) >= f32::INFINITY.to_bits();
    // Rare, so that the rest needs to know nothing of it: from this exponent on a product may be 2^128.
    if highest >= 127 || infinite {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let products = (0..count).map(|k| factors(k).map(|factors| factors[lane]));
            *sum = infinite_sum(products, before[lane]).unwrap_or(*sum);
        }
    }
}

/// Sums of products in units of 2^-24 below their exponents.
struct Products<const N: usize> {
    sums: [i32; N],
    exponents: [i32; N],
}

#[inline(always)]
fn cut<const N: usize>(
    places: impl Iterator<Item = usize> + Clone,
    factors: impl Fn(usize) -> [[Number; N]; 2],
) -> Products<N> {
    let mut exponents = [2 * ZERO; N];
    for k in places.clone() {
        let [a, b] = factors(k);
        for (lane, exponent) in exponents.iter_mut().enumerate() {
            *exponent = (a[lane].exponent() + b[lane].exponent()).max(*exponent);
        }
    }
    let mut sums = [0; N];
    for k in places {
        let [a, b] = factors(k);
        for (lane, sum) in sums.iter_mut().enumerate() {
            let below = exponents[lane] - (a[lane].exponent() + b[lane].exponent());
            let product = a[lane].significand() * b[lane].significand();
            let magnitude = (product.unsigned_abs() << (24 - 2 * FRACTION) >> below.min(31)) as i32;
            *sum += if product < 0 { -magnitude } else { magnitude };
        }
    }
    Products { sums, exponents }
}

/// The sums of both, each rounded down.
#[inline(always)]
fn joined<const N: usize>(even: Products<N>, odd: Products<N>) -> Products<N> {
    let exponents = std::array::from_fn(|lane| even.exponents[lane].max(odd.exponents[lane]));
    let down = |of: &Products<N>, lane: usize| of.sums[lane] >> (exponents[lane] - of.exponents[lane]).min(31);
    Products { sums: std::array::from_fn(|lane| down(&even, lane) + down(&odd, lane)), exponents }
}

/// C and the sum of a group.
#[inline(always)]
fn rounded<G: Group>(sum: i32, exponent: i32, c: f32) -> f32 {
    let c_exponent = (c.to_bits() >> 23 & 0xff).max(1) as i32 - 127;
    let largest = exponent.max(c_exponent);
    // Sums that are further below are rounded to the same.
    let products = (f64::from(sum) * power(8 - (largest - exponent).min(64))).floor();
    let c = (f64::from(c) * power(24 - largest)).floor();
    let c = if G::APART && c_exponent < largest - 25 { 0.0 } else { c };
    let total = (products + c * power(8)) * power(largest - 32);
    let exponent = (total.to_bits() >> 52 & 0x7ff).max(1023 - 126) as i32 - 1023;
    ((total * power(31 - exponent)).floor() * power(exponent - 31)) as f32
}

/// The sum, if it is infinite or NaN because a product or C is.
#[cold]
fn infinite_sum(products: impl Iterator<Item = [Number; 2]>, c: f32) -> Option<f32> {
    let products = products.map(|[a, b]| a.value() * b.value());
    let products = products.map(|p| if p.abs() >= power(128) { f64::INFINITY.copysign(p) } else { p });
    let sum: f64 = products.chain([f64::from(c)]).filter(|term| !term.is_finite()).sum();
    (!sum.is_finite()).then_some(sum as f32)
}
