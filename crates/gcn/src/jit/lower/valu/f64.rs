//! f64, in two registers each.

use crate::jit::lower::valu::divide::{Scaling, fixup, scale};
use crate::jit::lower::valu::emit_ctx::Last;
use crate::jit::lower::valu::fp::Floats;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::valu::operand::Change;
use crate::jit::lower::valu::patterns::Operation;
use crate::jit::lower::valu::transcendental::roots;
use crate::jit::x64::assembler::{Rm, SGPR};
use crate::jit::x64::avx512::Vector;
use crate::jit::x64::avx512::*;
use crate::jit::x64::source::Source;
use crate::jit::x64::strip::{SCRATCH_MASK, Strip, TEMPORARY};

/// Half of the lanes: of each four the lower two, or the others.
#[derive(Clone, Copy)]
struct Half {
    /// What puts their registers together.
    unpack: Vector,
    /// Which they are, twice.
    lanes: &'static [u32; 16],
}

static LOW: Half = Half { unpack: UNPACK_LOW, lanes: &[0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13] };
static HIGH: Half = Half { unpack: UNPACK_HIGH, lanes: &[2, 3, 6, 7, 10, 11, 14, 15, 2, 3, 6, 7, 10, 11, 14, 15] };

/// Source `i` in one register, of half of the lanes, to the second of the registers.
fn single_source(this: &Lanewise, lanes: &mut Strip, i: usize, half: Half, [temporary, to]: [u8; 2]) {
    let register = this.register(i, lanes, temporary);
    lanes.all(LOAD_UNALIGNED, to, 0, Rm::Table(half.lanes), None);
    lanes.all(PERMUTE, to, to, Rm::Register(register), None);
}

/// An f64 source `i`, with its sign, to `to`: of four lanes in 128 bits the lower two ([`UNPACK_LOW`]), or the others.
fn double_source(this: &Lanewise, lanes: &mut Strip, i: usize, unpack: Vector, to: u8) {
    match this.sources[i] {
        Source::Vector(low) => {
            let (low, high) = (lanes.register(low), lanes.register(low + 1));
            lanes.all(unpack, to, low, Rm::Register(high), None);
        }
        Source::Scalar(index) => lanes.all(BROADCAST_Q, to, 0, Rm::Memory(SGPR, 4 * i32::from(index)), None),
        Source::Constant(_) => {}
        Source::Wide(value) => lanes.all(BROADCAST_Q, to, 0, Rm::Wide(value), None),
    }
    let Change { keep, flip, .. } = this.changes[i];
    // The sign is in each second dword.
    if keep != !0 {
        lanes.all(SHIFT_Q, 6, to, Rm::Register(to), Some(1));
        lanes.all(SHIFT_Q, 2, to, Rm::Register(to), Some(1));
    }
    if flip != 0 {
        lanes.all(XOR_Q, to, to, Rm::Wide(1 << 63), None);
    }
}

/// Compares f64.
pub(super) fn compare_double(this: &Lanewise, lanes: &mut Strip, predicate: u8) {
    let [t0, t1, t2, t3, ..] = TEMPORARY;
    for (unpack, result) in [(UNPACK_LOW, t2), (UNPACK_HIGH, t3)] {
        double_source(this, lanes, 0, unpack, t0);
        double_source(this, lanes, 1, unpack, t1);
        lanes.all(COMPARE_D, SCRATCH_MASK, t0, Rm::Register(t1), Some(predicate));
        lanes.all(MASK_TO_Q, result, 0, Rm::Register(SCRATCH_MASK), None);
    }
    join_masks(lanes, [t2, t3], this.mask_out.unwrap_or(0));
}

/// f64 arithmetic.
pub(super) fn double(operation: Operation, this: &Lanewise, lanes: &mut Strip) {
    let Some(to) = this.to else { return };
    let [t0, t1, t2, t3, t4, t5, t6, t7] = TEMPORARY;
    for (half, result) in [(LOW, t3), (HIGH, t4)] {
        let source = |lanes: &mut Strip, i: usize, to: u8| double_source(this, lanes, i, half.unpack, to);
        match operation {
            Operation::Double(instruction) => {
                source(lanes, 0, t0);
                source(lanes, 1, t1);
                lanes.all(instruction, result, t0, Rm::Register(t1), None);
            }
            Operation::FmaDouble => {
                source(lanes, 0, t0);
                source(lanes, 1, t1);
                source(lanes, 2, result);
                lanes.all(FMA_D, result, t0, Rm::Register(t1), None);
            }
            Operation::RangeDouble(which) => {
                source(lanes, 0, t0);
                source(lanes, 1, t1);
                // As of f32.
                lanes.all(RANGE_D, result, t1, Rm::Register(t0), Some(which));
                lanes.all(CLASS_D, SCRATCH_MASK, 0, Rm::Register(t0), Some(0x80));
                lanes.code.vector(ADD_D, result, SCRATCH_MASK, t0, Rm::Register(t0), None);
            }
            Operation::RoundDouble(how) => {
                source(lanes, 0, t0);
                lanes.all(ROUND_D, result, 0, Rm::Register(t0), Some(how));
            }
            Operation::ScaleDouble => {
                source(lanes, 0, t0);
                single_source(this, lanes, 1, half, [t1, t2]);
                lanes.all(INTEGER_TO_DOUBLE, t2, 0, Rm::Register(t2), None);
                lanes.all(SCALE_D, result, t0, Rm::Register(t2), None);
            }
            Operation::ToDouble(instruction) => {
                single_source(this, lanes, 0, half, [t0, t1]);
                lanes.all(instruction, result, 0, Rm::Register(t1), None);
            }
            Operation::Roots(instructions) => {
                source(lanes, 0, t0);
                roots(lanes.code, instructions, t0, t1);
                lanes.all(LOAD, result, 0, Rm::Register(t0), None);
            }
            Operation::DivScale(_) => {
                (0..3).zip([t0, t1, t2]).for_each(|(i, to)| source(lanes, i, to));
                let back = lanes.new_mask(this.mask_out.unwrap_or(0));
                let scaling = Scaling { value: t0, den: t1, num: t2, result, back, free: [t5, t6] };
                scale(lanes.code, Floats::Double, scaling);
                // The mask of the first half is kept.
                let mask = if result == t3 { t7 } else { t0 };
                lanes.all(MASK_TO_Q, mask, 0, Rm::Register(back), None);
            }
            _ => {
                (0..3).zip([t0, t1, t2]).for_each(|(i, to)| source(lanes, i, to));
                fixup(lanes.code, Floats::Double, [t0, t1, t2], result, [t5, t6]);
            }
        }
    }
    if let Some(mask) = this.mask_out {
        join_masks(lanes, [t7, t0], mask);
    }
    lanes.write(to, SHUFFLE, t3, Rm::Register(t4), Some(0x88));
    lanes.write(to + 1, SHUFFLE, t3, Rm::Register(t4), Some(0xdd));
}

/// An f64 made f32.
pub(super) fn narrow_double(this: &Lanewise, lanes: &mut Strip) -> Last {
    static TOGETHER: [u32; 16] = [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23];
    let [t0, _, _, t3, t4, ..] = TEMPORARY;
    for (half, result) in [(LOW, t3), (HIGH, t4)] {
        double_source(this, lanes, 0, half.unpack, result);
        lanes.all(DOUBLE_TO_FLOAT, result, 0, Rm::Register(result), None);
    }
    lanes.code.pick(t0, &TOGETHER, t3, t4);
    (LOAD, 0, Rm::Register(t0), None)
}

/// To the mask of a pair of scalar registers, of lanes that are enabled, those of which all bits are set in what was
/// computed of [`UNPACK_LOW`] and [`UNPACK_HIGH`].
fn join_masks(lanes: &mut Strip, [low, high]: [u8; 2], pair: u8) {
    lanes.all(SHUFFLE, low, low, Rm::Register(high), Some(0x88));
    let mask = lanes.new_mask(pair);
    lanes.enabled(TEST, mask, low, Rm::Register(low), None);
}
