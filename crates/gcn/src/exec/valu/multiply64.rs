//! 64-bit integer operations.

use super::*;

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
    VLshlrevB64 @hot |e, a: u32, b: u64| -> u64 { b << (a & 63) }
    VLshrrevB64 |e, a: u32, b: u64| -> u64 { b >> (a & 63) }
    VAshrrevI64 |e, a: u32, b: i64| -> i64 { b >> (a & 63) }
}
