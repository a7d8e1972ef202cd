//! Predicates of the host's comparisons, and those that operations have. None raises an exception.

use crate::jit::lower::valu::ty::Type;
use gcn_isa::op::Op;

/// Of floats, false where a source is NaN.
pub const LESS: u8 = 0x11;
pub const AT_LEAST: u8 = 0x1d;
pub const GREATER: u8 = 0x1e;
pub const DIFFERENT: u8 = 0x0c;
pub const ORDERED: u8 = 0x07;
/// Of floats and integers, the one false where a source is NaN and the other true.
pub const EQUAL: u8 = 0x00;
pub const NOT_EQUAL: u8 = 0x04;
/// Of integers, with a sign or without.
pub const BELOW: u8 = 1;
pub const NOT_BELOW: u8 = 5;
pub const ABOVE: u8 = 6;

/// What a comparison of f16, f32 or f64 compares, and its predicate.
pub fn of_floats(op: Op) -> Option<(Type, u8)> {
    use Op::*;
    const TYPES: [Type; 3] = [Type::Half, Type::Float, Type::Double];
    static COMPARISONS: [([Op; 3], u8); 14] = [
        ([VCmpLtF16, VCmpLtF32, VCmpLtF64], LESS),
        ([VCmpEqF16, VCmpEqF32, VCmpEqF64], EQUAL),
        ([VCmpLeF16, VCmpLeF32, VCmpLeF64], 0x12),
        ([VCmpGtF16, VCmpGtF32, VCmpGtF64], GREATER),
        ([VCmpLgF16, VCmpLgF32, VCmpLgF64], DIFFERENT),
        ([VCmpGeF16, VCmpGeF32, VCmpGeF64], AT_LEAST),
        ([VCmpOF16, VCmpOF32, VCmpOF64], ORDERED),
        ([VCmpUF16, VCmpUF32, VCmpUF64], 0x03),
        ([VCmpNgeF16, VCmpNgeF32, VCmpNgeF64], 0x19),
        ([VCmpNlgF16, VCmpNlgF32, VCmpNlgF64], 0x08),
        ([VCmpNgtF16, VCmpNgtF32, VCmpNgtF64], 0x1a),
        ([VCmpNleF16, VCmpNleF32, VCmpNleF64], 0x16),
        ([VCmpNeqF16, VCmpNeqF32, VCmpNeqF64], NOT_EQUAL),
        ([VCmpNltF16, VCmpNltF32, VCmpNltF64], 0x15),
    ];
    COMPARISONS.iter().find_map(|(ops, predicate)| {
        let which = ops.iter().position(|known| *known == op)?;
        Some((TYPES[which], *predicate))
    })
}
