//! Integers of 64 bits, in two registers each.

use crate::jit::lower::valu::emit_ctx::add_carry;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::valu::predicate::{BELOW, EQUAL, NOT_EQUAL};
use crate::jit::lower::valu::ty::Shift;
use crate::jit::x64::assembler::Rm;
use crate::jit::x64::avx512::Vector;
use crate::jit::x64::avx512::*;
use crate::jit::x64::source::Source;
use crate::jit::x64::strip::{SCRATCH_MASK, Strip, TEMPORARY};

/// A register pair, shifted to the left.
pub(super) fn shift_left_64(this: &Lanewise, lanes: &mut Strip) {
    let (Some(to), [distance, low, _]) = (this.to, this.sources) else { return };
    let Some(high) = low.next() else { return };
    let [t0, t1, t2, t3, ..] = TEMPORARY;
    let low = lanes.in_register(low, t0);
    let high = lanes.in_register(high, t0);
    match distance {
        Source::Constant(distance) => {
            let by = |lanes: &mut Strip, shift: Shift, to: u8, value: u8, distance: u32| {
                lanes.all(SHIFT_BY, shift.digit(), to, Rm::Register(value), Some(distance.min(32) as u8));
            };
            let distance = distance & 63;
            // Distances of 32 and more give 0.
            by(lanes, Shift::Left, t0, low, distance);
            by(lanes, Shift::Left, t1, high, distance);
            if distance >= 32 {
                by(lanes, Shift::Left, t2, low, distance - 32);
            } else {
                by(lanes, Shift::Right, t2, low, 32 - distance);
            }
        }
        _ => {
            let distance = lanes.in_register(distance, t3);
            lanes.all(AND, t3, distance, Rm::Constant(63), None);
            lanes.all(SHIFT_LEFT, t0, low, Rm::Register(t3), None);
            lanes.all(SHIFT_LEFT, t1, high, Rm::Register(t3), None);
            // What leaves the low half, by 32 less the distance, and what the low half's own bits are beyond 32. A
            // distance that is negative gives 0.
            lanes.all(SUB, t3, t3, Rm::Constant(32), None);
            lanes.all(SHIFT_LEFT, t2, low, Rm::Register(t3), None);
            lanes.all(OR, t1, t1, Rm::Register(t2), None);
            lanes.all(XOR, t2, t2, Rm::Register(t2), None);
            lanes.all(SUB, t3, t2, Rm::Register(t3), None);
            lanes.all(SHIFT_RIGHT, t2, low, Rm::Register(t3), None);
        }
    }
    lanes.write(to, LOAD, 0, Rm::Register(t0), None);
    lanes.write(to + 1, OR, t1, Rm::Register(t2), None);
}

/// Compares integers of two registers each.
pub(super) fn compare_wide(this: &Lanewise, lanes: &mut Strip, instruction: Vector, predicate: u8) {
    let [t0, t1, ..] = TEMPORARY;
    let high = |source: Source| match source {
        Source::Constant(value) => Source::Constant((value as i32 >> 31) as u32),
        register => register.next().unwrap_or(register),
    };
    let [a, b, _] = this.sources;
    let a = [lanes.in_register(a, t0), lanes.in_register(high(a), t1)];
    let b = [lanes.rm(b), lanes.rm(high(b))];
    let mask = lanes.new_mask(this.mask_out.unwrap_or(0));
    match predicate {
        EQUAL => {
            lanes.enabled(COMPARE_U, SCRATCH_MASK, a[1], b[1], Some(EQUAL));
            lanes.code.vector(COMPARE_U, mask, SCRATCH_MASK, a[0], b[0], Some(EQUAL));
        }
        NOT_EQUAL => {
            lanes.enabled(COMPARE_U, SCRATCH_MASK, a[1], b[1], Some(NOT_EQUAL));
            lanes.enabled(COMPARE_U, mask, a[0], b[0], Some(NOT_EQUAL));
            lanes.code.or_masks(mask, mask, SCRATCH_MASK);
        }
        _ => {
            // The low halves decide where the high ones are equal.
            lanes.enabled(COMPARE_U, SCRATCH_MASK, a[1], b[1], Some(EQUAL));
            lanes.code.vector(COMPARE_U, SCRATCH_MASK, SCRATCH_MASK, a[0], b[0], Some(predicate));
            // Less, or greater.
            let strict = if predicate < 4 { 1 } else { 6 };
            lanes.enabled(instruction, mask, a[1], b[1], Some(strict));
            lanes.code.or_masks(mask, mask, SCRATCH_MASK);
        }
    }
}

/// The high halves of products, those of even lanes in one register and those of odd ones in another.
static HIGH_HALVES: [u32; 16] = [1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31];

/// The low and high halves of the products of the first two sources, in the first two temporary registers.
pub(super) fn products(this: &Lanewise, lanes: &mut Strip) -> (u8, u8) {
    let [t0, t1, t2, t3, ..] = TEMPORARY;
    let a = this.register(0, lanes, t0);
    let b = this.register(1, lanes, t1);
    // Of odd lanes, then of even ones, of which the low halves are products of 32 bits.
    lanes.all(SHIFT_Q, 2, t2, Rm::Register(a), Some(32));
    lanes.all(SHIFT_Q, 2, t3, Rm::Register(b), Some(32));
    lanes.all(MUL_WIDE, t3, t2, Rm::Register(t3), None);
    lanes.all(MUL_WIDE, t2, a, Rm::Register(b), None);
    lanes.all(MUL_LOW, t0, a, Rm::Register(b), None);
    lanes.code.pick(t1, &HIGH_HALVES, t2, t3);
    (t0, t1)
}

/// A product of 32 bits each plus 64 bits.
pub(super) fn mad_wide(this: &Lanewise, lanes: &mut Strip) {
    let Some(to) = this.to else { return };
    let [_, _, t2, t3, ..] = TEMPORARY;
    let (low, high) = products(this, lanes);
    let (low, high) = match this.sources[2].next() {
        None => {
            // No sum, no carry.
            if let Some(pair) = this.mask_out {
                let mask = lanes.new_mask(pair);
                lanes.enabled(COMPARE_U, mask, low, Rm::Register(low), Some(BELOW));
            }
            (low, high)
        }
        Some(more) => {
            let c = lanes.rm(this.sources[2]);
            lanes.all(ADD, t2, low, c, None);
            let c = lanes.rm(more);
            lanes.all(ADD, t3, high, c, None);
            // The low half carries into the high one, which may carry then or have carried before.
            lanes.all(COMPARE_U, SCRATCH_MASK, t2, Rm::Register(low), Some(BELOW));
            add_carry(this, lanes, (t3, high), SCRATCH_MASK, low);
            (t2, low)
        }
    };
    for (register, value) in [(to, low), (to + 1, high)] {
        lanes.write(register, LOAD, 0, Rm::Register(value), None);
    }
}
