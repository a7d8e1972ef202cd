//! 64-bit integer operations.

use crate::valu::*;

kernels! {
    VMadU64U32 @hot |e, a: u32, b: u32, c: u64| -> (u64, bool) {
        let (sum, carry) = (u64::from(a) * u64::from(b)).overflowing_add(c);
        (if e.saturate() && carry { u64::MAX } else { sum }, carry)
    }
    VMadI64I32 |e, a: i32, b: i32, c: i64| -> (i64, bool) {
        let product = i64::from(a) * i64::from(b);
        let (sum, overflow) = product.overflowing_add(c);
        // The sign of the exact sum.
        let negative = (sum < 0) != overflow;
        let limit = if negative { i64::MIN } else { i64::MAX };
        (if e.saturate() && overflow { limit } else { sum }, negative)
    }
    VLshlrevB64 @hot |e, a: u32, b: Pair| -> Pair { shifted_left(b, a) }
    VMovB64 @hot |e, a: Pair| -> Pair { a }
    // Of the distance, three bits count (AMD's CDNA3 manual).
    VLshlAddU64 @hot |e, a: u64, b: u32, c: u64| -> u64 { (a << (b & 7)).wrapping_add(c) }
    VLshrrevB64 |e, a: u32, b: u64| -> u64 { b >> (a & 63) }
    VAshrrevI64 |e, a: u32, b: i64| -> i64 { b >> (a & 63) }
}

/// Of the distance, six bits count.
#[inline(always)]
fn shifted_left(value: Pair, distance: u32) -> Pair {
    let within = distance & 31;
    // In two steps, as a shift by 32 is not defined.
    let carried = value.lo >> 1 >> (31 - within);
    let (lo, hi) = (value.lo << within, value.hi << within | carried);
    if distance & 32 == 0 { Pair { lo, hi } } else { Pair { lo: 0, hi: lo } }
}

#[cfg(test)]
mod tests {
    use super::{Pair, shifted_left};

    #[test]
    fn every_distance() {
        for value in [0u64, 1, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000, 0x0123_4567_89ab_cdef, u64::MAX] {
            for distance in (0..=64).chain([95, 96, u32::MAX]) {
                let shifted = value << (distance & 63);
                let pair = Pair { lo: value as u32, hi: (value >> 32) as u32 };
                let expected = Pair { lo: shifted as u32, hi: (shifted >> 32) as u32 };
                assert_eq!(shifted_left(pair, distance), expected, "{value:#x} << {distance}");
            }
        }
    }
}
