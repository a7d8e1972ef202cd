//! Operands of vector instructions: sources as 64 lanes, results written under a mask.

use crate::valu::types::Type;
use crate::wave::{ACCUMULATION, Lanes, Wave, inline_f16};
use gcn_isa::inst::Operand;

/// A source in all lanes.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub lo: &'a Lanes,
    /// The second register of a 64-bit source; else whatever `lo` is.
    pub hi: &'a Lanes,
    pub mask: [u32; 2],
}

/// Place for a source that is the same in all lanes.
#[derive(Default)]
pub struct Splat {
    pub lo: Option<Lanes>,
    pub hi: Option<Lanes>,
}

/// A source without modifiers. `splat` holds it if it is the same in all lanes.
#[inline(always)]
pub fn source<'a>(w: &'a Wave, operand: Operand, ty: Type, splat: &'a mut Splat) -> Source<'a> {
    if matches!(ty, Type::Nothing | Type::Mask) || matches!(operand, Operand::Vgpr { .. } | Operand::Agpr { .. }) {
        return register(w, operand, ty);
    }
    let value = scalar(w, operand, ty);
    let lo = splat.lo.insert(Lanes([value as u32; 64]));
    let hi = if ty.is_wide() { splat.hi.insert(Lanes([(value >> 32) as u32; 64])) } else { &Lanes::ZERO };
    Source { lo, hi, mask: [0; 2] }
}

/// A source in vector registers, or a mask, or nothing.
#[inline(always)]
pub fn register<'a>(w: &'a Wave, operand: Operand, ty: Type) -> Source<'a> {
    let first = match (ty, operand) {
        (Type::Nothing, _) => return Source { lo: &Lanes::ZERO, hi: &Lanes::ZERO, mask: [0; 2] },
        (Type::Mask, _) => {
            return Source { lo: &Lanes::ZERO, hi: &Lanes::ZERO, mask: halves(w.read_scalar64(operand)) };
        }
        (_, Operand::Vgpr { first, .. }) => usize::from(first),
        (_, Operand::Agpr { first, .. }) => ACCUMULATION + usize::from(first),
        _ => return Source { lo: &Lanes::ZERO, hi: &Lanes::ZERO, mask: [0; 2] },
    };
    Source { lo: &w.vgpr[first], hi: &w.vgpr[first + usize::from(ty.is_wide())], mask: [0; 2] }
}

pub fn halves(mask: u64) -> [u32; 2] {
    [mask as u32, (mask >> 32) as u32]
}

/// A source that is the same in all lanes.
#[inline]
pub fn scalar(w: &Wave, operand: Operand, ty: Type) -> u64 {
    match (ty, operand) {
        (Type::Float16 | Type::PackedFloat, Operand::Float(code)) => u64::from(inline_f16(code)),
        // A literal is the high half of a double.
        (Type::Float64, Operand::Literal(high)) => u64::from(high) << 32,
        (Type::Signed64, _) => w.read_scalar_i64(operand),
        // A constant is the low value. (Compilers select it for both results.)
        (_, Operand::Int(_) | Operand::Float(_)) if ty.is_packed32() => u64::from(w.read_scalar32(operand)),
        _ if ty.is_wide() => w.read_scalar64(operand),
        _ => u64::from(w.read_scalar32(operand)),
    }
}

/// Writes the lanes of a vector register that `mask` has.
#[inline(always)]
pub fn write(w: &mut Wave, operand: Operand, part: usize, mask: u64, value: &Lanes) {
    let register = match operand {
        Operand::Vgpr { first, .. } => &mut w.vgpr[usize::from(first) + (part & 31)],
        Operand::Agpr { first, .. } => &mut w.vgpr[ACCUMULATION + usize::from(first) + (part & 31)],
        _ => return,
    };
    if mask == u64::MAX {
        *register = *value;
        return;
    }
    // Arithmetic instead of a condition: the compiler makes vectors of it.
    for half in 0..2 {
        let bits = (mask >> (32 * half)) as u32;
        for lane in 0..32 {
            let keep = (bits >> lane & 1).wrapping_sub(1);
            let (old, new) = (register.0[32 * half + lane], value.0[32 * half + lane]);
            register.0[32 * half + lane] = old & keep | new & !keep;
        }
    }
}
