//! The machine code of each operation.

use crate::jit::lower::valu::divide::{Scaling, fixup, fmas, scale};
use crate::jit::lower::valu::emit_ctx::{Last, add_carry, flush};
use crate::jit::lower::valu::f64::{compare_double, double, narrow_double};
use crate::jit::lower::valu::fp::{Floats, Steps};
use crate::jit::lower::valu::fp_class::class;
use crate::jit::lower::valu::int64::{compare_wide, mad_wide, products, shift_left_64};
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::valu::operand::Change;
use crate::jit::lower::valu::packed::pack_toward_zero;
use crate::jit::lower::valu::patterns::Operation;
use crate::jit::lower::valu::predicate::{AT_LEAST, BELOW};
use crate::jit::lower::valu::transcendental::{power, reciprocal_root};
use crate::jit::lower::valu::ty::Shift;
use crate::jit::x64::assembler::{Rm, Rounding};
use crate::jit::x64::avx512::*;
use crate::jit::x64::source::Source;
use crate::jit::x64::strip::{SCRATCH_MASK, Strip, TEMPORARY};

impl Operation {
    /// Appends the code of `this` instruction for a strip, up to the last one.
    pub fn emit(self, this: &Lanewise, lanes: &mut Strip) -> Option<Last> {
        let [t0, t1, t2, t3, t4, t5, t6, _] = TEMPORARY;
        // Sources first: the destination may be one of them, and what is in the host's registers must stay there until
        // it is read.
        Some(match self {
            Operation::Move => match this.rm(0, lanes, t0) {
                Rm::Register(register) => (LOAD, 0, Rm::Register(register), None),
                other => (BROADCAST, 0, other, None),
            },
            Operation::Unary(instruction) => (instruction, 0, this.rm(0, lanes, t0), None),
            Operation::Binary(instruction) => {
                let first = this.register(0, lanes, t0);
                (instruction, first, this.rm(1, lanes, t1), None)
            }
            Operation::Reversed(instruction) => {
                let first = this.register(1, lanes, t0);
                (instruction, first, this.rm(0, lanes, t1), None)
            }
            Operation::Not => {
                let first = this.register(0, lanes, t0);
                (XOR, first, Rm::Constant(!0), None)
            }
            Operation::Shift(shift) => {
                let value = this.register(1, lanes, t0);
                if this.changes[0] == Change::NONE {
                    shifted(lanes, shift, t0, value, this.sources[0]);
                } else {
                    this.copy(0, lanes, t1);
                    lanes.all(AND, t1, t1, Rm::Constant(31), None);
                    lanes.all(shift.variable(), t0, value, Rm::Register(t1), None);
                }
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Then(first, second) => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                lanes.all(first, t0, a, b, None);
                (second, t0, this.rm(2, lanes, t1), None)
            }
            Operation::ShiftThen(second) => {
                let value = this.register(0, lanes, t0);
                shifted(lanes, Shift::Left, t0, value, this.sources[1]);
                (second, t0, this.rm(2, lanes, t1), None)
            }
            Operation::AddShift => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                lanes.all(ADD, t0, a, b, None);
                shifted(lanes, Shift::Left, t0, t0, this.sources[2]);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Mul24 { signed, adds } => {
                for (i, to) in [(0, t0), (1, t1)] {
                    let value = this.register(i, lanes, to);
                    if signed {
                        lanes.all(SHIFT_BY, Shift::Left.digit(), to, Rm::Register(value), Some(8));
                        lanes.all(SHIFT_BY, Shift::Signed.digit(), to, Rm::Register(to), Some(8));
                    } else {
                        lanes.all(AND, to, value, Rm::Constant(0xff_ffff), None);
                    }
                }
                if adds {
                    lanes.all(MUL_LOW, t0, t0, Rm::Register(t1), None);
                    (ADD, t0, this.rm(2, lanes, t1), None)
                } else {
                    (MUL_LOW, t0, Rm::Register(t1), None)
                }
            }
            Operation::MulHigh => {
                let (_, high) = products(this, lanes);
                (LOAD, 0, Rm::Register(high), None)
            }
            Operation::MadWide => {
                mad_wide(this, lanes);
                return None;
            }
            Operation::Insert => {
                this.copy(0, lanes, t0);
                let b = this.register(1, lanes, t1);
                let c = this.rm(2, lanes, t2);
                lanes.all(LOGIC, t0, b, c, Some(0xca));
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Range(which) => {
                let a = this.register(0, lanes, t0);
                let b = this.register(1, lanes, t1);
                // Of two NaN the host takes its first, as `b` is taken here; of two signaling ones `a` is.
                lanes.all(RANGE_F, t2, b, Rm::Register(a), Some(which));
                lanes.all(CLASS_F, SCRATCH_MASK, 0, Rm::Register(a), Some(0x80));
                lanes.code.vector(ADD_F, t2, SCRATCH_MASK, a, Rm::Register(a), None);
                (LOAD, 0, Rm::Register(t2), None)
            }
            Operation::Round(how) => (ROUND_F, 0, this.rm(0, lanes, t0), Some(how)),
            Operation::ToInteger { signed: false } => {
                let a = this.register(0, lanes, t0);
                // Of a NaN and a number the host takes the last.
                lanes.all(MAX_F, t0, a, Rm::Constant(0), None);
                (TO_U, 0, Rm::Register(t0), None)
            }
            Operation::ToInteger { signed: true } => {
                let a = this.register(0, lanes, t0);
                lanes.all(TO_I, t1, 0, Rm::Register(a), None);
                // At least 2^31, then NaN.
                lanes.all(COMPARE_F, SCRATCH_MASK, a, Rm::Constant(0x4f00_0000), Some(AT_LEAST));
                lanes.code.vector(OR, t1, SCRATCH_MASK, t1, Rm::Constant(0x7fff_ffff), None);
                lanes.code.vector(AND, t1, SCRATCH_MASK, t1, Rm::Constant(0x7fff_ffff), None);
                lanes.all(COMPARE_F, SCRATCH_MASK, a, Rm::Register(a), Some(3));
                lanes.code.vector(XOR, t1, SCRATCH_MASK, t1, Rm::Register(t1), None);
                (LOAD, 0, Rm::Register(t1), None)
            }
            Operation::Fma => {
                this.copy(2, lanes, t0);
                let a = this.register(0, lanes, t1);
                let b = this.rm(1, lanes, t2);
                lanes.all(FMA_F, t0, a, b, None);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::FmaOdd => {
                let [a, b, c] = this.registers(lanes);
                for (to, rounding) in [(t3, Rounding::Up), (t4, Rounding::Down)] {
                    lanes.all(LOAD, to, 0, Rm::Register(c), None);
                    lanes.all(FMA_F, to, a, Rm::Rounded(b, rounding), None);
                }
                Steps { code: lanes.code, floats: Floats::Single }.odd(t3, t4);
                (LOAD, 0, Rm::Register(t3), None)
            }
            Operation::Fmac => {
                // It adds to what the destination has, which is there then.
                this.register(2, lanes, t2);
                let a = this.register(0, lanes, t0);
                (FMA_F, a, this.rm(1, lanes, t1), None)
            }
            Operation::PackTowardZero => pack_toward_zero(this, lanes),
            // The host takes denormals for zero by itself.
            Operation::Mad if this.place.flushes => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                lanes.all(MUL_F, t0, a, b, None);
                (ADD_F, t0, this.rm(2, lanes, t1), None)
            }
            Operation::Mad => {
                for (i, to) in [(0, t0), (1, t1), (2, t2)] {
                    this.copy(i, lanes, to);
                    flush(lanes, to);
                }
                lanes.all(MUL_F, t0, t0, Rm::Register(t1), None);
                flush(lanes, t0);
                lanes.all(ADD_F, t0, t0, Rm::Register(t2), None);
                flush(lanes, t0);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Scale => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                lanes.all(FROM_I, t1, 0, b, None);
                (SCALE_F, a, Rm::Register(t1), None)
            }
            Operation::Fraction => {
                let a = this.register(0, lanes, t0);
                lanes.all(ROUND_F, t1, 0, Rm::Register(a), Some(9));
                lanes.all(SUB_F, t0, a, Rm::Register(t1), None);
                // The largest number below 1, unless it is less, or NaN.
                let below = lanes.in_register(Source::Constant(0x3f7f_ffff), t1);
                (MIN_F, below, Rm::Register(t0), None)
            }
            Operation::Exponent => {
                let a = this.register(0, lanes, t1);
                lanes.all(EXPONENT_F, t0, 0, Rm::Register(a), None);
                lanes.all(TO_I, t0, 0, Rm::Register(t0), None);
                lanes.all(ADD, t0, t0, Rm::Constant(1), None);
                // NaN, infinities and zeros have none.
                lanes.all(CLASS_F, SCRATCH_MASK, 0, Rm::Register(a), Some(0x9f));
                lanes.code.vector(XOR, t0, SCRATCH_MASK, t0, Rm::Register(t0), None);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Mantissa => {
                let a = this.register(0, lanes, t1);
                // Between 1/2 and 1, with the sign.
                lanes.all(MANTISSA_F, t0, 0, Rm::Register(a), Some(2));
                // Zeros and infinities stay.
                lanes.all(CLASS_F, SCRATCH_MASK, 0, Rm::Register(a), Some(0x1e));
                lanes.code.vector(LOAD, t0, SCRATCH_MASK, 0, Rm::Register(a), None);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Flushed(instruction) => {
                this.copy(0, lanes, t0);
                flush(lanes, t0);
                if instruction == DIV_F {
                    let one = lanes.in_register(Source::Constant(1f32.to_bits()), t1);
                    lanes.all(DIV_F, t0, one, Rm::Register(t0), None);
                    flush(lanes, t0);
                } else {
                    lanes.all(instruction, t0, 0, Rm::Register(t0), None);
                }
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::ReciprocalRoot => {
                reciprocal_root(this, lanes);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Power => {
                power(this, lanes);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::DivScale(Floats::Single) => {
                let [value, den, num] = this.registers(lanes);
                let back = lanes.new_mask(this.mask_out.unwrap_or(0));
                let scaling = Scaling { value, den, num, result: t3, back, free: [t4, t5] };
                scale(lanes.code, Floats::Single, scaling);
                lanes.and_exec(back, back);
                if this.place.flushes {
                    flush(lanes, t3);
                }
                // What is not scaled may be a signaling NaN, which stays one: there is no arithmetic behind.
                lanes.write(this.to?, LOAD, 0, Rm::Register(t3), None);
                return None;
            }
            Operation::DivFmas => {
                let sources = this.registers(lanes);
                let mask = lanes.mask(this.mask_in.unwrap_or(0));
                lanes.and_exec(SCRATCH_MASK, mask);
                fmas(lanes.code, sources, t3, [t4, t5, t6]);
                (LOAD, 0, Rm::Register(t3), None)
            }
            Operation::DivFixup(Floats::Single) => {
                let sources = this.registers(lanes);
                fixup(lanes.code, Floats::Single, sources, t3, [t4, t5]);
                (LOAD, 0, Rm::Register(t3), None)
            }
            Operation::Select => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                let mask = lanes.mask(this.mask_in.unwrap_or(0));
                lanes.code.vector(BLEND, t0, mask, a, b, None);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Field { signed: true } => {
                let value = this.register(0, lanes, t0);
                let [Source::Constant(offset), Source::Constant(width)] = this.sources[1..] else { return None };
                // What lies past the top are copies of the sign already. Distances of 32 give 0.
                let above = Some((32 - (width & 31)) as u8);
                lanes.all(SHIFT_BY, Shift::Signed.digit(), t0, Rm::Register(value), Some((offset & 31) as u8));
                lanes.all(SHIFT_BY, Shift::Left.digit(), t0, Rm::Register(t0), above);
                lanes.all(SHIFT_BY, Shift::Signed.digit(), t0, Rm::Register(t0), above);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Align => {
                let (high, low) = (this.register(0, lanes, t0), this.register(1, lanes, t1));
                match this.sources[2] {
                    Source::Constant(distance) => {
                        let distance = (distance & 31) as u8;
                        lanes.all(SHIFT_BY, Shift::Left.digit(), t0, Rm::Register(high), Some(32 - distance));
                        lanes.all(SHIFT_BY, Shift::Right.digit(), t1, Rm::Register(low), Some(distance));
                    }
                    distance => {
                        let distance = lanes.in_register(distance, t2);
                        lanes.all(AND, t2, distance, Rm::Constant(31), None);
                        lanes.all(SHIFT_RIGHT, t1, low, Rm::Register(t2), None);
                        // By 32 less the distance: 32 gives 0.
                        lanes.all(XOR, t3, t3, Rm::Register(t3), None);
                        lanes.all(SUB, t2, t3, Rm::Register(t2), None);
                        lanes.all(ADD, t2, t2, Rm::Constant(32), None);
                        lanes.all(SHIFT_LEFT, t0, high, Rm::Register(t2), None);
                    }
                }
                (OR, t0, Rm::Register(t1), None)
            }
            Operation::Double(_)
            | Operation::FmaDouble
            | Operation::RangeDouble(_)
            | Operation::RoundDouble(_)
            | Operation::ScaleDouble
            | Operation::ToDouble(_)
            | Operation::Roots(_)
            | Operation::DivScale(Floats::Double)
            | Operation::DivFixup(Floats::Double) => {
                double(self, this, lanes);
                return None;
            }
            Operation::Field { signed: false } => {
                let value = this.register(0, lanes, t0);
                let [Source::Constant(offset), Source::Constant(width)] = this.sources[1..] else { return None };
                shifted(lanes, Shift::Right, t0, value, Source::Constant(offset));
                (AND, t0, Rm::Constant((1 << (width & 31)) - 1), None)
            }
            Operation::Compare(instruction, predicate) => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                let mask = lanes.new_mask(this.mask_out.unwrap_or(0));
                lanes.enabled(instruction, mask, a, b, Some(predicate));
                return None;
            }
            Operation::CompareWide(instruction, predicate) => {
                compare_wide(this, lanes, instruction, predicate);
                return None;
            }
            Operation::NarrowDouble => narrow_double(this, lanes),
            Operation::Class(floats) => {
                class(this, lanes, floats);
                return None;
            }
            Operation::CompareDouble(predicate) => {
                compare_double(this, lanes, predicate);
                return None;
            }
            Operation::AddCarry { carries } => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                if carries {
                    let carry = lanes.mask(this.mask_in.unwrap_or(0));
                    lanes.all(ADD, t2, a, b, None);
                    let to = if this.mask_out.is_some() { t3 } else { t2 };
                    add_carry(this, lanes, (t2, a), carry, to);
                    return Some((LOAD, 0, Rm::Register(to), None));
                }
                let Some(pair) = this.mask_out else { return Some((ADD, a, b, None)) };
                lanes.all(ADD, t2, a, b, None);
                let mask = lanes.new_mask(pair);
                lanes.enabled(COMPARE_U, mask, t2, Rm::Register(a), Some(BELOW));
                (LOAD, 0, Rm::Register(t2), None)
            }
            Operation::SubBorrow { reversed, borrows } => {
                let [a, b] = if reversed { [1, 0] } else { [0, 1] };
                let a = this.register(a, lanes, t0);
                let b = this.rm(b, lanes, t1);
                if !borrows {
                    if let Some(pair) = this.mask_out {
                        let mask = lanes.new_mask(pair);
                        lanes.enabled(COMPARE_U, mask, a, b, Some(BELOW));
                    }
                    return Some((SUB, a, b, None));
                }
                let borrow = lanes.mask(this.mask_in.unwrap_or(0));
                lanes.all(SUB, t2, a, b, None);
                lanes.all(LOAD, t3, 0, Rm::Register(t2), None);
                lanes.code.vector(ADD, t3, borrow, t2, Rm::Constant(!0), None);
                if let Some(pair) = this.mask_out {
                    lanes.enabled(COMPARE_U, SCRATCH_MASK, a, b, Some(BELOW));
                    let mask = lanes.new_mask(pair);
                    lanes.enabled(COMPARE_U, mask, t2, Rm::Register(t3), Some(BELOW));
                    lanes.code.or_masks(mask, mask, SCRATCH_MASK);
                }
                (LOAD, 0, Rm::Register(t3), None)
            }
            Operation::ShiftLeft64 => {
                shift_left_64(this, lanes);
                return None;
            }
        })
    }
}

/// `value` by the low five bits of `distance`, to `to`. `value` may be `to`, and neither the second temporary register.
fn shifted(lanes: &mut Strip, shift: Shift, to: u8, value: u8, distance: Source) {
    if let Source::Constant(distance) = distance {
        return lanes.all(SHIFT_BY, shift.digit(), to, Rm::Register(value), Some((distance & 31) as u8));
    }
    let [_, t1, ..] = TEMPORARY;
    let distance = lanes.in_register(distance, t1);
    lanes.all(AND, t1, distance, Rm::Constant(31), None);
    lanes.all(shift.variable(), to, value, Rm::Register(t1), None);
}
