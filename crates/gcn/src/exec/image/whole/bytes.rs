//! Filters along two axes, of texels whose components are fractions of eight bits.
//!
//! In f64 such a sum is exact: texels are multiples of 2^-31 and weights of 2^-16. So the exact sum is what is rounded, once, and any way to it gives the same bits.
//! This one has no f64. With `top(n)`, the highest bit of `n`, the float next to `n / 255` is `(65793 n + top(n) / 128) / 2^24`: `2^24 / 255` is 65793 and `1 / 255`, and what
//! `n / 255` has behind 24 bits is half of the last one or more, so it is always rounded up. Sums of `n` and of `top(n)` by weights are multiples of 2^-16 below 2^8, which f32 has exactly.

use super::colour::{Colours, Source};
use super::place::ONE;
use super::surface::{Spot, Surface};
use super::{components, put};
use crate::exec::memory::Host;
use crate::exec::wave::{LANES, Lanes, Wave};

/// `2^24 / 255`, rounded down, over 2^24.
const UNIT: f32 = 65793.0 / (1 << 24) as f32;
/// What a highest bit adds.
const TOP: f32 = 1.0 / (1u32 << 31) as f32;
/// The bits of a float that are the highest bit of an integer.
const EXPONENT: u32 = 0x7f80_0000;

/// `N` texels of each lane, and how much each counts.
pub(super) struct Taps<const N: usize> {
    texels: [Lanes; N],
    weights: [[f32; LANES]; N],
}

impl<const N: usize> Taps<N> {
    /// Those at two places `across` and, of four, at two `rows`. `filling` is what [`Colours::bytes`] gives.
    #[inline(always)]
    pub fn fetch(surface: &Surface, host: Host, across: &[Spot; 2], rows: &[Spot; 2], filling: [u32; 2]) -> Taps<N> {
        let [outside, missing] = filling;
        let mut taps = Taps { texels: [Lanes::ZERO; N], weights: [[0.0; LANES]; N] };
        for n in 0..N {
            let (x, row) = (&across[n & 1], &rows[n >> 1 & 1]);
            let (texels, weights) = (&mut taps.texels[n].0, &mut taps.weights[n]);
            surface.fetch_between(host, x, row, texels);
            for lane in 0..LANES {
                let is_inside = x.inside.0[lane] & row.inside.0[lane] != 0;
                texels[lane] = if is_inside { texels[lane] | missing } else { outside };
                weights[lane] = fraction(x.weight.0[lane].wrapping_mul(row.weight.0[lane]));
            }
        }
        taps
    }

    /// Gives the registers from `target` on the blended components of `mask`, or constants.
    #[inline(always)]
    pub fn put(&self, wave: &mut Wave, target: usize, mask: u8, active: &Lanes, colours: &Colours) {
        for (k, register) in components(mask) {
            let values = match colours.source(register) {
                Source::Constant(value) => Lanes([value; LANES]),
                Source::Component(component) => self.blended(component),
            };
            put(&mut wave.vgpr[target + k], &values, active);
        }
    }

    /// A component in memory, blended.
    #[inline(always)]
    fn blended(&self, component: usize) -> Lanes {
        let shift = 8 * component as u32;
        let mut values = Lanes::ZERO;
        for lane in 0..LANES {
            let (mut sum, mut tops) = (0.0f32, 0.0f32);
            for n in 0..N {
                let number = (self.texels[n].0[lane] >> shift & 0xff) as i32 as f32;
                let weight = self.weights[n][lane];
                sum = number.mul_add(weight, sum);
                tops = f32::from_bits(number.to_bits() & EXPONENT).mul_add(weight, tops);
            }
            values.0[lane] = quotient(sum, tops).to_bits();
        }
        values
    }
}

/// A product of weights as a fraction. Along two axes it has 17 bits, which f32 has exactly.
#[inline(always)]
fn fraction(weight: u32) -> f32 {
    weight as i32 as f32 * (1.0 / (ONE * ONE * ONE) as f32)
}

/// What the sums stand for, rounded once. What the product lacks is a multiple of 2^-40 and less than 2^-24, what the tops add one of 2^-47 and 2^-24 at most: their sum has 24 bits,
/// so only the last addition rounds.
#[inline(always)]
fn quotient(sum: f32, tops: f32) -> f32 {
    let near = sum * UNIT;
    near + tops.mul_add(TOP, sum.mul_add(UNIT, -near))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum in f64, whose texels are rounded by themselves.
    fn expected(numbers: &[u32], weights: &[u32]) -> f32 {
        let products = numbers
            .iter()
            .zip(weights)
            .map(|(&number, &weight)| f64::from(number as f32 / 255.0) * f64::from(weight) / 65536.0);
        products.sum::<f64>() as f32
    }

    /// Compares a lane for each of `cases`: texels and how much they count.
    fn compare<const N: usize>(cases: &[([u32; N], [u32; N])], component: usize) {
        let mut taps = Taps { texels: [Lanes([!(0xff << (8 * component)); LANES]); N], weights: [[0.0; LANES]; N] };
        for (lane, (numbers, weights)) in cases.iter().enumerate() {
            for n in 0..N {
                taps.texels[n].0[lane] |= numbers[n] << (8 * component);
                taps.weights[n][lane] = fraction(weights[n] * ONE);
            }
        }
        let blended = taps.blended(component);
        for (got, (numbers, weights)) in blended.0.iter().zip(cases) {
            let expected = expected(numbers, weights).to_bits();
            assert_eq!(*got, expected, "{numbers:?} by {weights:?}: {got:#x}, expected {expected:#x}");
        }
    }

    #[test]
    fn all_pairs_of_bytes_by_all_weights_are_rounded_once() {
        let mut cases = Vec::new();
        for pair in 0..1 << 16 {
            let numbers = [pair & 255, pair >> 8];
            cases.extend((0..=256).map(|weight| (numbers, [256 * (256 - weight), 256 * weight])));
            if cases.len() >= 1 << 12 || pair == (1 << 16) - 1 {
                cases.chunks(LANES).for_each(|cases| compare(cases, pair as usize & 3));
                cases.clear();
            }
        }
    }

    #[test]
    fn fours_of_bytes_are_rounded_once() {
        let mut random = 7u64;
        let mut word = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 32) as u32
        };
        for round in 0..40_000 {
            let cases: [_; LANES] = std::array::from_fn(|_| {
                let numbers = word();
                // Small ones too: sums that have few bits.
                let numbers = if round % 2 == 0 { numbers } else { numbers & word() & word() };
                let [x, y] = [word() % 257, word() % 257];
                let weights = [(256 - x) * (256 - y), x * (256 - y), (256 - x) * y, x * y];
                (std::array::from_fn(|n| numbers >> (8 * n) & 255), weights)
            });
            compare(&cases, round & 3);
        }
    }
}
