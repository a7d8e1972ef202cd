//! Powers of two, in the same steps as in compiled code.

/// Coefficients of the power series of 2^x: powers of ln 2, each divided by a factorial. For exponents up to one half,
/// the omitted terms are far below the last bit.
pub const SERIES: [f64; 14] = [
    1.0,
    std::f64::consts::LN_2,
    0.24022650695910072,
    0.05550410866482158,
    0.009618129107628477,
    0.0013333558146428443,
    0.0001540353039338161,
    1.5252733804059841e-05,
    1.321548679014431e-06,
    1.01780860092397e-07,
    7.054911620801123e-09,
    4.4455382718708116e-10,
    2.5678435993488206e-11,
    1.3691488853904128e-12,
];

/// Exponents beyond are as good as these to f32.
pub const FARTHEST: f32 = 200.0;

/// `2^exponent`, within an f64's last bits.
#[inline(always)]
pub fn power_of_two_near(exponent: f32) -> f64 {
    let mut exponent = exponent;
    exponent = if exponent > FARTHEST { FARTHEST } else { exponent };
    exponent = if exponent < -FARTHEST { -FARTHEST } else { exponent };
    let exponent = f64::from(exponent);
    let whole = exponent.round_ties_even();
    let part = exponent - whole;
    let mut sum = SERIES[SERIES.len() - 1];
    for coefficient in SERIES[..SERIES.len() - 1].iter().rev() {
        sum = sum.mul_add(part, *coefficient);
    }
    sum * crate::fp::power_of_two(whole as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_host() {
        for step in -160_000..=160_000 {
            let exponent = step as f32 * 0.000_976_1;
            let (got, expected) = (power_of_two_near(exponent), f64::from(exponent).exp2());
            assert!((got - expected).abs() <= expected * f64::EPSILON, "2^{exponent}: {got:e}, expected {expected:e}");
        }
        for exponent in -200..=200i16 {
            assert_eq!(power_of_two_near(f32::from(exponent)), 2f64.powi(exponent.into()));
        }
        assert_eq!(power_of_two_near(f32::INFINITY) as f32, f32::INFINITY);
        assert_eq!(power_of_two_near(f32::NEG_INFINITY) as f32, 0.0);
        assert!(power_of_two_near(f32::NAN).is_nan());
    }
}
