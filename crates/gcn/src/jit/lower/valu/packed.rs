//! Two numbers in an instruction.

use crate::jit::lower::valu::emit_ctx::Last;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::valu::ty::Shift;
use crate::jit::x64::assembler::Rm;
use crate::jit::x64::avx512::*;
use crate::jit::x64::strip::{Strip, TEMPORARY};

/// Two f16 of two floats, rounded toward zero.
pub(super) fn pack_toward_zero(this: &Lanewise, lanes: &mut Strip) -> Last {
    let [t0, t1, ..] = TEMPORARY;
    for (i, to) in [(0, t0), (1, t1)] {
        let value = this.register(i, lanes, to);
        lanes.all(NARROW, value, 0, Rm::Register(to), Some(TOWARD_ZERO));
        lanes.all(extension(2, false), to, 0, Rm::Register(to), None);
    }
    lanes.all(SHIFT_BY, Shift::Left.digit(), t1, Rm::Register(t1), Some(16));
    (OR, t0, Rm::Register(t1), None)
}

/// An instruction that does the same twice: with its sources, and with those of `second`. Nothing is written before
/// both are done.
pub(super) fn packed(this: &Lanewise, second: &Lanewise, lanes: &mut Strip) {
    let Some(to) = this.to else { return };
    let [t0, .., last] = TEMPORARY;
    for (part, result) in [(this, last), (second, t0)] {
        if let Some((instruction, first, rm, immediate)) = part.operation.emit(part, lanes) {
            lanes.all(instruction, result, first, rm, immediate);
            part.place.change(lanes, result);
        }
    }
    if this.place.narrows {
        lanes.all(SHIFT_BY, Shift::Left.digit(), t0, Rm::Register(t0), Some(16));
        lanes.write(to, OR, t0, Rm::Register(last), None);
        return;
    }
    for (to, value) in [(to, last), (to + 1, t0)] {
        lanes.write(to, LOAD, 0, Rm::Register(value), None);
    }
}
