//! The vector instructions of the host: AVX-512, with EVEX prefix.

/// A vector instruction without its operands: opcode map (1: 0F, 2: 0F38, 3: 0F3A), prefix (0: none, 1: 66, 2: F3, 3:
/// F2), opcode, and whether its elements have 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector(pub u8, pub u8, pub u8, pub bool);

pub const LOAD: Vector = Vector(1, 1, 0x6f, false);
pub const STORE: Vector = Vector(1, 1, 0x7f, false);
pub const LOAD_UNALIGNED: Vector = Vector(1, 2, 0x6f, false);
pub const STORE_UNALIGNED: Vector = Vector(1, 2, 0x7f, false);
/// Bytes or shorts of memory, made dwords.
pub const fn extension(bytes: u8, signed: bool) -> Vector {
    let opcode = if bytes == 1 { 0x21 } else { 0x23 };
    Vector(2, 1, if signed { opcode } else { opcode + 0x10 }, false)
}
pub const STORE_BYTES: Vector = Vector(2, 2, 0x31, false);
pub const STORE_SHORTS: Vector = Vector(2, 2, 0x33, false);
/// Eight dwords at indexes of 64 bits. The mask is empty then.
pub const GATHER: Vector = Vector(2, 1, 0x91, false);
pub const SCATTER: Vector = Vector(2, 1, 0xa1, false);
/// Elements of two registers, by indexes in the destination.
pub const PICK: Vector = Vector(2, 1, 0x76, false);
/// A register of the host in all elements of 64 bits.
pub const BROADCAST_REGISTER: Vector = Vector(2, 1, 0x7c, true);
pub const INSERT_HALF: Vector = Vector(3, 1, 0x3a, true);
pub const EXTRACT_HALF: Vector = Vector(3, 1, 0x3b, true);
pub const ADD_Q: Vector = Vector(1, 1, 0xd4, true);
pub const COMPARE_UQ: Vector = Vector(3, 1, 0x1e, true);
/// Which elements have a bit in common.
pub const TEST: Vector = Vector(2, 1, 0x27, false);
pub const BROADCAST: Vector = Vector(2, 1, 0x58, false);
pub const AND: Vector = Vector(1, 1, 0xdb, false);
pub const OR: Vector = Vector(1, 1, 0xeb, false);
pub const XOR: Vector = Vector(1, 1, 0xef, false);
pub const ADD: Vector = Vector(1, 1, 0xfe, false);
pub const SUB: Vector = Vector(1, 1, 0xfa, false);
pub const MUL_LOW: Vector = Vector(2, 1, 0x40, false);
pub const MIN_U: Vector = Vector(2, 1, 0x3b, false);
pub const MAX_U: Vector = Vector(2, 1, 0x3f, false);
pub const MIN_I: Vector = Vector(2, 1, 0x39, false);
pub const MAX_I: Vector = Vector(2, 1, 0x3d, false);
pub const SHIFT_LEFT: Vector = Vector(2, 1, 0x47, false);
pub const SHIFT_RIGHT: Vector = Vector(2, 1, 0x45, false);
pub const SHIFT_SIGNED: Vector = Vector(2, 1, 0x46, false);
/// Shifts by an immediate; which one is in the place of the register.
pub const SHIFT_BY: Vector = Vector(1, 1, 0x72, false);
pub const ADD_F: Vector = Vector(1, 0, 0x58, false);
pub const MUL_F: Vector = Vector(1, 0, 0x59, false);
pub const SUB_F: Vector = Vector(1, 0, 0x5c, false);
pub const DIV_F: Vector = Vector(1, 0, 0x5e, false);
pub const SQRT_F: Vector = Vector(1, 0, 0x51, false);
pub const BROADCAST_Q: Vector = Vector(2, 1, 0x59, true);
pub const FMA_F: Vector = Vector(2, 1, 0xb8, false);
pub const COMPARE_F: Vector = Vector(1, 0, 0xc2, false);
pub const COMPARE_U: Vector = Vector(3, 1, 0x1e, false);
pub const COMPARE_I: Vector = Vector(3, 1, 0x1f, false);
pub const BLEND: Vector = Vector(2, 1, 0x64, false);
/// The destination's other elements come from the first source.
pub const INSERT_ROW: Vector = Vector(3, 1, 0x1a, false);
pub const FLOAT_TO_DOUBLE: Vector = Vector(1, 0, 0x5a, false);
pub const DOUBLE_TO_FLOAT: Vector = Vector(1, 1, 0x5a, true);
pub const ADD_D: Vector = Vector(1, 1, 0x58, true);
pub const DIV_D: Vector = Vector(1, 1, 0x5e, true);
pub const SQRT_D: Vector = Vector(1, 1, 0x51, true);
pub const SUB_D: Vector = Vector(1, 1, 0x5c, true);
/// The destination times the first source, plus the other.
pub const FMA_BY_D: Vector = Vector(2, 1, 0xa8, true);
pub const RANGE_D: Vector = Vector(3, 1, 0x50, true);
pub const CLASS_D: Vector = Vector(3, 1, 0x66, true);
pub const ROUND_D: Vector = Vector(3, 1, 0x09, true);
pub const SCALE_D: Vector = Vector(2, 1, 0x2c, true);
pub const INTEGER_TO_DOUBLE: Vector = Vector(1, 2, 0xe6, false);
pub const UNSIGNED_TO_DOUBLE: Vector = Vector(1, 2, 0x7a, false);
pub const MUL_D: Vector = Vector(1, 1, 0x59, true);
pub const FMA_D: Vector = Vector(2, 1, 0xb8, true);
pub const COMPARE_D: Vector = Vector(1, 1, 0xc2, true);
/// One register's elements, by indexes in the first source.
pub const PERMUTE: Vector = Vector(2, 1, 0x36, false);
/// All bits of 32, or of 64, where a mask is set.
pub const MASK_TO_D: Vector = Vector(2, 2, 0x38, false);
pub const MASK_TO_Q: Vector = Vector(2, 2, 0x38, true);
pub const UNPACK_LOW: Vector = Vector(1, 1, 0x62, false);
pub const UNPACK_HIGH: Vector = Vector(1, 1, 0x6a, false);
pub const SHUFFLE: Vector = Vector(1, 0, 0xc6, false);
/// Shifts of 64 bits by an immediate; which one is in the place of the register.
pub const SHIFT_Q: Vector = Vector(1, 1, 0x73, true);
pub const XOR_Q: Vector = Vector(1, 1, 0xef, true);
/// The product of the low halves of 64 bits.
pub const MUL_WIDE: Vector = Vector(1, 1, 0xf4, true);
/// By a table of the three bits of destination and sources.
pub const LOGIC: Vector = Vector(3, 1, 0x25, false);
pub const MAX_F: Vector = Vector(1, 0, 0x5f, false);
/// The first one times two to the power of the whole number below the other.
pub const SCALE_F: Vector = Vector(2, 1, 0x2c, false);
pub const EXPONENT_F: Vector = Vector(2, 1, 0x42, false);
pub const MANTISSA_F: Vector = Vector(3, 1, 0x26, false);
pub const MIN_F: Vector = Vector(1, 0, 0x5d, false);
/// f16 side by side to f32, and the other way, with how it is rounded.
pub const WIDEN: Vector = Vector(2, 1, 0x13, false);
pub const NARROW: Vector = Vector(3, 1, 0x1d, false);
pub const TO_NEAREST: u8 = 0;
pub const TOWARD_ZERO: u8 = 3;
/// The smaller or larger one, by the rules of IEEE 754-2008.
pub const RANGE_F: Vector = Vector(3, 1, 0x50, false);
pub const CLASS_F: Vector = Vector(3, 1, 0x66, false);
pub const ROUND_F: Vector = Vector(3, 1, 0x08, false);
pub const TO_I: Vector = Vector(1, 2, 0x5b, false);
pub const TO_U: Vector = Vector(1, 0, 0x78, false);
pub const FROM_U: Vector = Vector(1, 3, 0x7a, false);
pub const FROM_I: Vector = Vector(1, 0, 0x5b, false);
