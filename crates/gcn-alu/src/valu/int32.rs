//! 32-bit integer and bit operations.

use crate::valu::*;

kernels! {
    VMovB32 @hot |e, a: u32| -> u32 { a }
    VNotB32 @hot |e, a: u32| -> u32 { !a }
    VAndB32 @hot |e, a: u32, b: u32| -> u32 { a & b }
    VOrB32 @hot |e, a: u32, b: u32| -> u32 { a | b }
    VXorB32 @hot |e, a: u32, b: u32| -> u32 { a ^ b }
    VXnorB32 |e, a: u32, b: u32| -> u32 { !(a ^ b) }
    VAndOrB32 @hot |e, a: u32, b: u32, c: u32| -> u32 { a & b | c }
    VOr3B32 @hot |e, a: u32, b: u32, c: u32| -> u32 { a | b | c }
    VBfiB32 @hot |e, a: u32, b: u32, c: u32| -> u32 { a & b | !a & c }
    VCndmaskB32 @hot |e, a: u32, b: u32, c: bool| -> u32 { if c { b } else { a } }

    VLshlrevB32 @hot |e, a: u32, b: u32| -> u32 { b << (a & 31) }
    VLshrrevB32 @hot |e, a: u32, b: u32| -> u32 { b >> (a & 31) }
    VAshrrevI32 @hot |e, a: u32, b: i32| -> i32 { b >> (a & 31) }
    VLshlOrB32 @hot |e, a: u32, b: u32, c: u32| -> u32 { a << (b & 31) | c }
    VLshlAddU32 @hot |e, a: u32, b: u32, c: u32| -> u32 { (a << (b & 31)).wrapping_add(c) }
    VAddLshlU32 @hot |e, a: u32, b: u32, c: u32| -> u32 { a.wrapping_add(b) << (c & 31) }
    VAlignbitB32 |e, a: u32, b: u32, c: u32| -> u32 { (joined(a, b) >> (c & 31)) as u32 }
    VAlignbyteB32 |e, a: u32, b: u32, c: u32| -> u32 { (joined(a, b) >> (8 * (c & 3))) as u32 }
    VBfeU32 @hot |e, a: u32, b: u32, c: u32| -> u32 { a >> (b & 31) & ((1 << (c & 31)) - 1) }
    VBfeI32 @hot |e, a: i32, b: u32, c: u32| -> i32 {
        let (offset, width) = (b & 31, c & 31);
        // What lies past the top are copies of the sign already.
        let above = 32 - width.max(1);
        let field = a >> offset << above >> above;
        if width == 0 { 0 } else { field }
    }
    VBfmB32 |e, a: u32, b: u32| -> u32 { ((1 << (a & 31)) - 1) << (b & 31) }
    VBfrevB32 |e, a: u32| -> u32 { a.reverse_bits() }
    VBcntU32B32 |e, a: u32, b: u32| -> u32 { a.count_ones().wrapping_add(b) }
    VFfbhU32 |e, a: u32| -> u32 { if a == 0 { u32::MAX } else { a.leading_zeros() } }
    VFfblB32 |e, a: u32| -> u32 { if a == 0 { u32::MAX } else { a.trailing_zeros() } }
    VFfbhI32 |e, a: i32| -> u32 {
        let changes = (a ^ a >> 31) as u32;
        if changes == 0 { u32::MAX } else { changes.leading_zeros() }
    }
    VPermB32 |e, a: u32, b: u32, c: u32| -> u32 {
        let bytes = joined(a, b);
        (0..4).fold(0, |all, n| all | u32::from(permuted_byte(bytes, (c >> (8 * n)) as u8)) << (8 * n))
    }

    VAddU32 @hot |e, a: u32, b: u32| -> u32 { if e.saturate() { a.saturating_add(b) } else { a.wrapping_add(b) } }
    VSubU32 @hot |e, a: u32, b: u32| -> u32 { if e.saturate() { a.saturating_sub(b) } else { a.wrapping_sub(b) } }
    VSubrevU32 @hot |e, a: u32, b: u32| -> u32 { if e.saturate() { b.saturating_sub(a) } else { b.wrapping_sub(a) } }
    VAddI32 |e, a: i32, b: i32| -> i32 { if e.saturate() { a.saturating_add(b) } else { a.wrapping_add(b) } }
    VSubI32 |e, a: i32, b: i32| -> i32 { if e.saturate() { a.saturating_sub(b) } else { a.wrapping_sub(b) } }
    VAdd3U32 @hot |e, a: u32, b: u32, c: u32| -> u32 { a.wrapping_add(b).wrapping_add(c) }
    VXadU32 |e, a: u32, b: u32, c: u32| -> u32 { (a ^ b).wrapping_add(c) }

    VMulLoU32 @hot |e, a: u32, b: u32| -> u32 { a.wrapping_mul(b) }
    VMulHiU32 @hot |e, a: u32, b: u32| -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
    VMulHiI32 |e, a: i32, b: i32| -> u32 { ((i64::from(a) * i64::from(b)) >> 32) as u32 }
    VMulU32U24 @hot |e, a: u32, b: u32| -> u32 { low24(a).wrapping_mul(low24(b)) }
    VMulI32I24 |e, a: u32, b: u32| -> i32 { signed24(a).wrapping_mul(signed24(b)) }
    VMulHiU32U24 |e, a: u32, b: u32| -> u32 { ((u64::from(low24(a)) * u64::from(low24(b))) >> 32) as u32 }
    VMulHiI32I24 |e, a: u32, b: u32| -> u32 { ((i64::from(signed24(a)) * i64::from(signed24(b))) >> 32) as u32 }
    VMadU32U24 @hot |e, a: u32, b: u32, c: u32| -> u32 {
        if e.saturate() {
            saturated_u32(u64::from(low24(a)) * u64::from(low24(b)) + u64::from(c))
        } else {
            low24(a).wrapping_mul(low24(b)).wrapping_add(c)
        }
    }
    VMadI32I24 |e, a: u32, b: u32, c: i32| -> i32 {
        if e.saturate() {
            saturated_i32(i64::from(signed24(a)) * i64::from(signed24(b)) + i64::from(c))
        } else {
            signed24(a).wrapping_mul(signed24(b)).wrapping_add(c)
        }
    }
    VMadU32U16 |e, a: u16, b: u16, c: u32| -> u32 {
        let product = u32::from(a) * u32::from(b);
        if e.saturate() { product.saturating_add(c) } else { product.wrapping_add(c) }
    }
    VMadI32I16 |e, a: i16, b: i16, c: i32| -> i32 {
        let product = i32::from(a) * i32::from(b);
        if e.saturate() { product.saturating_add(c) } else { product.wrapping_add(c) }
    }

    VMinU32 @hot |e, a: u32, b: u32| -> u32 { a.min(b) }
    VMaxU32 @hot |e, a: u32, b: u32| -> u32 { a.max(b) }
    VMinI32 @hot |e, a: i32, b: i32| -> i32 { a.min(b) }
    VMaxI32 @hot |e, a: i32, b: i32| -> i32 { a.max(b) }
    VMin3U32 |e, a: u32, b: u32, c: u32| -> u32 { a.min(b).min(c) }
    VMax3U32 |e, a: u32, b: u32, c: u32| -> u32 { a.max(b).max(c) }
    VMed3U32 |e, a: u32, b: u32, c: u32| -> u32 { a.min(b).max(a.max(b).min(c)) }
    VMin3I32 |e, a: i32, b: i32, c: i32| -> i32 { a.min(b).min(c) }
    VMax3I32 |e, a: i32, b: i32, c: i32| -> i32 { a.max(b).max(c) }
    VMed3I32 |e, a: i32, b: i32, c: i32| -> i32 { a.min(b).max(a.max(b).min(c)) }
}

fn joined(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub fn low24(value: u32) -> u32 {
    value & 0xff_ffff
}

pub fn signed24(value: u32) -> i32 {
    (value << 8) as i32 >> 8
}

pub fn saturated_u32(value: u64) -> u32 {
    value.min(u64::from(u32::MAX)) as u32
}

pub fn saturated_i32(value: i64) -> i32 {
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// One byte of `v_perm_b32`: 0..=7 choose a byte, 8..=11 the sign of an odd one, 12 is 0, more is 0xff.
fn permuted_byte(bytes: u64, selector: u8) -> u8 {
    match selector {
        0..=7 => (bytes >> (8 * selector)) as u8,
        8..=11 => (((bytes >> (16 * (selector - 8) + 8)) as i8) >> 7) as u8,
        12 => 0,
        _ => 0xff,
    }
}
