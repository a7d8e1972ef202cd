//! FP8 and BF8 of gfx942: E4M3 and E5M2 with one zero, one NaN, no infinity, and a bias one above IEEE's (FNUZ).
//!
//! The formats: LLVM's `APFloat` (`Float8E4M3FNUZ`, `Float8E5M2FNUZ`). `M` is the bits of the fraction: 3 of FP8, 2 of
//! BF8.

/// The only NaN, where other formats have -0.
const NAN: u8 = 0x80;
/// The largest magnitude.
const MAX: u32 = 0x7f;

const fn bias(fraction: u32) -> i32 {
    1 << (7 - fraction - 1)
}

/// Exact.
#[inline(always)]
pub fn fp8_to_f32<const M: u32>(byte: u8) -> f32 {
    if byte == NAN {
        return f32::NAN;
    }
    let magnitude = u32::from(byte & 0x7f);
    // The fields are those of an f32 with a smaller bias; the product gives denormals their exponent.
    let rebias = f32::from_bits(((127 + 127 - bias(M)) as u32) << 23);
    let value = f32::from_bits(magnitude << (23 - M)) * rebias;
    if byte & 0x80 != 0 { -value } else { value }
}

/// How a conversion rounds.
#[derive(Clone, Copy)]
pub enum Narrow {
    /// To nearest even.
    Nearest,
    /// Stochastic rounding: the upper bits of this number are added to the dropped bits.
    Stochastic(u32),
}

/// A finite value that is too large becomes the largest one if `saturate`, else NaN. Infinities are NaN, and zeros
/// positive.
///
/// HIP's `amd_hip_fp8.h` clamps values before it converts them with these instructions, finite ones only; where
/// MODE.FP16_OVFL is set it need not (Triton's AMD backend: `SetFP8Clamping`). What stochastic rounding adds, and that
/// bits below the smallest denormal do not count there, was measured by others on RDNA4, whose manual has the bits:
/// \[31:12\] of the second source for FP8, \[31:11\] for BF8.
#[inline(always)]
pub fn f32_to_fp8<const M: u32>(value: f32, rounding: Narrow, saturate: bool) -> u8 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    if magnitude >= 0x7f80_0000 {
        return NAN;
    }
    let exponent = (magnitude >> 23) as i32 - 127 + bias(M);
    // An f32 denormal is too small to need its own exponent.
    let significand = magnitude & 0x7f_ffff | 0x80_0000;
    // Bits that denormals of the result drop besides.
    let denormal = (1 - exponent).max(0) as u32;
    let drop = 23 - M;
    let rounded = match rounding {
        Narrow::Nearest => {
            let shift = drop + denormal.min(30 - drop);
            let odd = significand >> shift & 1;
            (significand + (1 << (shift - 1)) - 1 + odd) >> shift
        }
        Narrow::Stochastic(random) => ((significand >> denormal.min(31)) + (random >> (9 + M))) >> drop,
    };
    // The leading one of a normal number, and what rounding carries, count in the exponent.
    let code = rounded + ((exponent.max(1) as u32 - 1) << M);
    match code {
        0 => 0,
        _ if code > MAX && !saturate => NAN,
        _ => (bits >> 24) as u8 & 0x80 | code.min(MAX) as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition of the format, in f64.
    fn value<const M: u32>(byte: u8) -> f64 {
        let (exponent, fraction) = (i32::from(byte & 0x7f) >> M, f64::from(byte & ((1 << M) - 1)) / f64::from(1 << M));
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(1 - bias(M)),
            _ => (1.0 + fraction) * 2f64.powi(exponent - bias(M)),
        };
        if byte & 0x80 != 0 { -magnitude } else { magnitude }
    }

    fn every_byte<const M: u32>() {
        for byte in 0..=255u8 {
            let converted = fp8_to_f32::<M>(byte);
            if byte == NAN {
                assert!(converted.is_nan());
                continue;
            }
            assert_eq!(f64::from(converted), value::<M>(byte), "{byte:#x}");
            for rounding in [Narrow::Nearest, Narrow::Stochastic(0), Narrow::Stochastic(u32::MAX)] {
                assert_eq!(f32_to_fp8::<M>(converted, rounding, false), byte, "{byte:#x}");
            }
        }
    }

    #[test]
    fn every_byte_is_what_the_format_says_and_survives_the_round_trip() {
        every_byte::<3>();
        every_byte::<2>();
        assert_eq!((fp8_to_f32::<3>(0x7f), fp8_to_f32::<2>(0x7f)), (240.0, 57344.0));
        assert_eq!((fp8_to_f32::<3>(0x01), fp8_to_f32::<2>(0x01)), (2f32.powi(-10), 2f32.powi(-17)));
        assert_eq!((fp8_to_f32::<3>(0x40), fp8_to_f32::<2>(0x40)), (1.0, 1.0));
    }

    /// Between any two neighbours, their middle and the numbers right beside it.
    fn neighbours<const M: u32>() {
        for low in 0..0x7fu8 {
            let (a, b) = (value::<M>(low), value::<M>(low + 1));
            let middle = ((a + b) / 2.0) as f32;
            for sign in [0, 0x80u8] {
                let signed = |byte: u8| if byte == 0 { 0 } else { byte | sign };
                let narrow = |v: f32| f32_to_fp8::<M>(if sign == 0 { v } else { -v }, Narrow::Nearest, false);
                assert_eq!(narrow(middle), signed(low + low % 2), "{middle}");
                assert_eq!(narrow(middle.next_down()), signed(low), "below {middle}");
                assert_eq!(narrow(middle.next_up()), signed(low + 1), "above {middle}");
            }
            // A quarter of the way up: a quarter of all random numbers round up.
            let quarter = (a + (b - a) / 4.0) as f32;
            let random = |random: u32| f32_to_fp8::<M>(quarter, Narrow::Stochastic(random), false);
            assert_eq!((random(0xbfff_ffff), random(0xc000_0000)), (low, low + 1), "{quarter}");
        }
    }

    #[test]
    fn rounding_is_to_nearest_even_or_by_chance() {
        neighbours::<3>();
        neighbours::<2>();
    }

    #[test]
    fn what_is_too_large_saturates_or_is_no_number() {
        for saturate in [false, true] {
            let [fp8, bf8] =
                [|v, s| f32_to_fp8::<3>(v, Narrow::Nearest, s), |v, s| f32_to_fp8::<2>(v, Narrow::Nearest, s)];
            assert_eq!((fp8(247.9, saturate), bf8(61439.0, saturate)), (0x7f, 0x7f));
            let beyond = |sign: u8| if saturate { sign | 0x7f } else { NAN };
            assert_eq!((fp8(248.0, saturate), bf8(61440.0, saturate)), (beyond(0), beyond(0)));
            assert_eq!((fp8(-1e30, saturate), bf8(f32::MIN, saturate)), (beyond(0x80), beyond(0x80)));
            for value in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
                assert_eq!((fp8(value, saturate), bf8(value, saturate)), (NAN, NAN));
            }
            for value in [-0.0, -1e-30, f32::from_bits(0x8000_0001), -(2f32.powi(-18))] {
                assert_eq!((fp8(value, saturate), bf8(value, saturate)), (0, 0), "there is no negative zero");
            }
        }
    }
}
