//! Additions and subtractions with carry or borrow, one bit per lane.

use crate::valu::*;

kernels! {
    VAddCoU32 @hot |e, a: u32, b: u32| -> (u32, bool) { add_carry(e, a, b, false) }
    VSubCoU32 |e, a: u32, b: u32| -> (u32, bool) { sub_borrow(e, a, b, false) }
    VSubrevCoU32 |e, a: u32, b: u32| -> (u32, bool) { sub_borrow(e, b, a, false) }
    VAddcCoU32 @hot |e, a: u32, b: u32, c: bool| -> (u32, bool) { add_carry(e, a, b, c) }
    VSubbCoU32 |e, a: u32, b: u32, c: bool| -> (u32, bool) { sub_borrow(e, a, b, c) }
    VSubbrevCoU32 |e, a: u32, b: u32, c: bool| -> (u32, bool) { sub_borrow(e, b, a, c) }
}

#[inline(always)]
fn add_carry<E: Env>(e: E, a: u32, b: u32, carry: bool) -> (u32, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u32::from(carry));
    let overflow = first | second;
    (if e.saturate() && overflow { u32::MAX } else { sum }, overflow)
}

#[inline(always)]
fn sub_borrow<E: Env>(e: E, a: u32, b: u32, borrow: bool) -> (u32, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(u32::from(borrow));
    let overflow = first | second;
    (if e.saturate() && overflow { 0 } else { difference }, overflow)
}
