//! 16-bit integer operations, one value per register.

use crate::valu::*;

kernels! {
    VAddU16 |e, a: u16, b: u16| -> u16 { add_u16(e, a, b) }
    VSubU16 |e, a: u16, b: u16| -> u16 { sub_u16(e, a, b) }
    VSubrevU16 |e, a: u16, b: u16| -> u16 { sub_u16(e, b, a) }
    VAddI16 @keep_half |e, a: i16, b: i16| -> i16 { add_i16(e, a, b) }
    VSubI16 @keep_half |e, a: i16, b: i16| -> i16 { sub_i16(e, a, b) }
    VMulLoU16 |e, a: u16, b: u16| -> u16 { a.wrapping_mul(b) }
    VMadU16 @keep_half |e, a: u16, b: u16, c: u16| -> u16 { mad_u16(e, a, b, c) }
    VMadLegacyU16 |e, a: u16, b: u16, c: u16| -> u16 { mad_u16(e, a, b, c) }
    VMadI16 @keep_half |e, a: i16, b: i16, c: i16| -> i16 { mad_i16(e, a, b, c) }
    VMadLegacyI16 |e, a: i16, b: i16, c: i16| -> i16 { mad_i16(e, a, b, c) }
    VLshlrevB16 |e, a: u16, b: u16| -> u16 { b << (a & 15) }
    VLshrrevB16 |e, a: u16, b: u16| -> u16 { b >> (a & 15) }
    VAshrrevI16 |e, a: u16, b: i16| -> i16 { b >> (a & 15) }
    VMinU16 |e, a: u16, b: u16| -> u16 { a.min(b) }
    VMaxU16 |e, a: u16, b: u16| -> u16 { a.max(b) }
    VMinI16 |e, a: i16, b: i16| -> i16 { a.min(b) }
    VMaxI16 |e, a: i16, b: i16| -> i16 { a.max(b) }
    VMin3U16 @keep_half |e, a: u16, b: u16, c: u16| -> u16 { a.min(b).min(c) }
    VMax3U16 @keep_half |e, a: u16, b: u16, c: u16| -> u16 { a.max(b).max(c) }
    VMed3U16 @keep_half |e, a: u16, b: u16, c: u16| -> u16 { a.min(b).max(a.max(b).min(c)) }
    VMin3I16 @keep_half |e, a: i16, b: i16, c: i16| -> i16 { a.min(b).min(c) }
    VMax3I16 @keep_half |e, a: i16, b: i16, c: i16| -> i16 { a.max(b).max(c) }
    VMed3I16 @keep_half |e, a: i16, b: i16, c: i16| -> i16 { a.min(b).max(a.max(b).min(c)) }
}

#[inline(always)]
pub fn add_u16<E: Env>(e: E, a: u16, b: u16) -> u16 {
    if e.saturate() { a.saturating_add(b) } else { a.wrapping_add(b) }
}

#[inline(always)]
pub fn sub_u16<E: Env>(e: E, a: u16, b: u16) -> u16 {
    if e.saturate() { a.saturating_sub(b) } else { a.wrapping_sub(b) }
}

#[inline(always)]
pub fn add_i16<E: Env>(e: E, a: i16, b: i16) -> i16 {
    if e.saturate() { a.saturating_add(b) } else { a.wrapping_add(b) }
}

#[inline(always)]
pub fn sub_i16<E: Env>(e: E, a: i16, b: i16) -> i16 {
    if e.saturate() { a.saturating_sub(b) } else { a.wrapping_sub(b) }
}

#[inline(always)]
pub fn mad_u16<E: Env>(e: E, a: u16, b: u16, c: u16) -> u16 {
    if e.saturate() {
        (u32::from(a) * u32::from(b) + u32::from(c)).min(0xffff) as u16
    } else {
        a.wrapping_mul(b).wrapping_add(c)
    }
}

#[inline(always)]
pub fn mad_i16<E: Env>(e: E, a: i16, b: i16, c: i16) -> i16 {
    if e.saturate() {
        (i32::from(a) * i32::from(b) + i32::from(c)).clamp(-0x8000, 0x7fff) as i16
    } else {
        a.wrapping_mul(b).wrapping_add(c)
    }
}
