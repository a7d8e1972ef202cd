//! Which operations are compiled, and what they are.

use crate::jit::lower::valu::fp::Floats;
use crate::jit::lower::valu::predicate;
use crate::jit::lower::valu::ty::{Shift, Type};
use crate::jit::x64::avx512::Vector;
use crate::jit::x64::avx512::*;
use gcn_isa::inst::Sel;
use gcn_isa::op::Op;

/// What an instruction does in a lane; its sources are `a`, `b`, `c`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    /// `a`.
    Move,
    /// Of `a` alone.
    Unary(Vector),
    /// Of `a` and `b`, in this order.
    Binary(Vector),
    /// Of `b` and `a`.
    Reversed(Vector),
    /// `a` inverted.
    Not,
    /// `b` by the low bits of `a`, by an instruction with variable and one with constant distances.
    Shift(Shift),
    /// Two of them: the second takes the first's result and `c`.
    Then(Vector, Vector),
    /// `a` by the low bits of `b`, then with `c`.
    ShiftThen(Vector),
    /// `a + b`, by the low bits of `c`.
    AddShift,
    /// The product of the low 24 bits, and with `adds` the sum with `c`.
    Mul24 {
        signed: bool,
        adds: bool,
    },
    /// The high half of the product.
    MulHigh,
    /// The product plus the 64 bits `c`, and a carry to the mask.
    MadWide,
    /// `b` where `a` has bits, else `c`.
    Insert,
    /// The smaller or larger of two floats, as an immediate of [`RANGE_F`].
    Range(u8),
    /// To a whole number, as an immediate of [`ROUND_F`].
    Round(u8),
    /// To an integer, toward zero; what is beyond it becomes the nearest one, NaN 0.
    ToInteger {
        signed: bool,
    },
    /// `a * b + c`, rounded once.
    Fma,
    /// The same, and the destination is `c`.
    Fmac,
    /// `a * b + c`, the product exact: cut off, its last bit set if anything was, so that it can be rounded again.
    FmaOdd,
    /// `a * b + c`, rounded twice, where denormals are zero whatever the mode says.
    Mad,
    /// The reciprocal or the root of `a`, where denormals are zero whatever the mode says.
    Flushed(Vector),
    /// The reciprocal of the root of `a` by f64, where denormals are zero whatever the mode says.
    ReciprocalRoot,
    /// As [`Operation::Range`], [`Operation::Round`] and [`Operation::Scale`], of f64.
    RangeDouble(u8),
    RoundDouble(u8),
    ScaleDouble,
    /// `a` in one register made an f64, and an f64 made an f32.
    ToDouble(Vector),
    NarrowDouble,
    /// Two to the power of `a` by f64, where denormals are zero whatever the mode says.
    Power,
    /// Reciprocals and roots of `a` in two registers, one behind the other.
    Roots(&'static [Vector]),
    /// The steps of a division: `a`, scaled for the quotient of `c` and `b`; `a * b + c`, scaled back where the mask is
    /// set; the quotient `a` of `c` and `b`, or what is special.
    DivScale(Floats),
    DivFmas,
    DivFixup(Floats),
    /// Two f16 of `a` and `b`, rounded toward zero.
    PackTowardZero,
    /// `a` times two to the power of the integer `b`.
    Scale,
    /// `a` less the whole number below.
    Fraction,
    /// The power of two of `a` as a fraction between 1/2 and 1, and that fraction.
    Exponent,
    Mantissa,
    /// `b` where the mask is set, else `a`.
    Select,
    /// Bits of `a` from the constant `b` on, as many as the constant `c` says.
    Field {
        signed: bool,
    },
    /// 32 bits of `a` and `b` together, from the bit on that the low bits of `c` say.
    Align,
    /// Of `a` and `b`, each in two registers.
    Double(Vector),
    /// `a * b + c`, each in two registers.
    FmaDouble,
    /// Sets the mask where `b` has the bit of the class of `a`.
    Class(Floats),
    /// Sets the mask; the predicate is the host's.
    Compare(Vector, u8),
    /// The same of two registers each: an instruction for the high halves, and the predicate.
    CompareWide(Vector, u8),
    /// The same of two registers each, as f64.
    CompareDouble(u8),
    /// `a + b`, and a carry to the mask. `carries`: with one from a mask.
    AddCarry {
        carries: bool,
    },
    /// `a - b`, and a borrow to the mask. `borrows`: with one from a mask.
    SubBorrow {
        reversed: bool,
        borrows: bool,
    },
    /// A register pair `b` by the constant or variable `a`.
    ShiftLeft64,
}

/// What is known of an operation.
pub(super) struct Form {
    pub operation: Operation,
    pub from: Type,
    pub to: Type,
    /// The last source is the destination.
    pub accumulates: bool,
    /// The half of the register that stays what it was.
    pub keeps: Option<Kept>,
}

/// Which half of a register stays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    High,
    Low,
}

impl Operation {
    /// Whether its numbers are f32.
    fn is_float(self) -> bool {
        use Operation::*;
        matches!(
            self,
            Binary(ADD_F | MUL_F | SUB_F)
                | Reversed(SUB_F)
                | Fma
                | Fmac
                | Mad
                | PackTowardZero
                | ReciprocalRoot
                | Power
                | DivScale(Floats::Single)
                | DivFmas
                | DivFixup(Floats::Single)
                | Class(Floats::Single)
                | Scale
                | Fraction
                | Exponent
                | Mantissa
                | Flushed(_)
                | Range(_)
                | Round(_)
                | ToInteger { .. }
                | Compare(COMPARE_F, _)
        )
    }

    fn is_double(self) -> bool {
        use Operation::*;
        matches!(
            self,
            Double(_)
                | FmaDouble
                | CompareDouble(_)
                | RangeDouble(_)
                | RoundDouble(_)
                | ScaleDouble
                | NarrowDouble
                | Class(Floats::Double)
                | Roots(_)
                | DivScale(Floats::Double)
                | DivFixup(Floats::Double)
        )
    }

    /// Whether a source or the result is in two registers.
    fn is_wide(self) -> bool {
        matches!(self, Operation::ShiftLeft64 | Operation::MadWide | Operation::CompareWide(..))
    }
}

/// `None` if it is not compiled.
pub(super) fn form(op: Op) -> Option<Form> {
    mixed(op).or_else(|| {
        let operation = operation(op)?;
        let from = match operation {
            _ if operation.is_double() => Type::Double,
            _ if operation.is_wide() => Type::Wide,
            _ if operation.is_float() || op == Op::VCvtF64F32 => Type::Float,
            // Their bits have the modifiers of floats.
            Operation::Select => Type::Float,
            _ => Type::Integer,
        };
        let to = match operation {
            Operation::ToInteger { .. }
            | Operation::Exponent
            | Operation::Compare(..)
            | Operation::Class(_)
            | Operation::Select
            | Operation::PackTowardZero => Type::Integer,
            Operation::NarrowDouble => Type::Float,
            Operation::ToDouble(_) => Type::Double,
            _ => from,
        };
        let accumulates = matches!(op, Op::VFmacF32 | Op::VMacF32);
        Some(Form { operation, from, to, accumulates, keeps: None })
    })
}

/// The byte of its source that an operation makes a float of.
pub(super) fn byte(op: Op) -> Option<Sel> {
    Some(match op {
        Op::VCvtF32Ubyte0 => Sel::Byte0,
        Op::VCvtF32Ubyte1 => Sel::Byte1,
        Op::VCvtF32Ubyte2 => Sel::Byte2,
        Op::VCvtF32Ubyte3 => Sel::Byte3,
        _ => return None,
    })
}

/// Those with f16, or with two numbers.
fn mixed(op: Op) -> Option<Form> {
    use Operation::*;
    use Type::{Float, Half, Integer, Mix, PackedFloat, PackedHalf, PackedWord};
    if let Some((Half, predicate)) = predicate::of_floats(op) {
        let operation = Compare(COMPARE_F, predicate);
        return Some(Form { operation, from: Half, to: Integer, accumulates: false, keeps: None });
    }
    let (operation, from, to, keeps) = match op {
        Op::VCvtF16F32 => (Move, Float, Half, None),
        Op::VCvtF32F16 => (Move, Half, Float, None),
        Op::VFmaMixF32 => (Fma, Mix, Float, None),
        Op::VFmaMixloF16 => (Fma, Mix, Half, Some(Kept::High)),
        Op::VFmaMixhiF16 => (Fma, Mix, Half, Some(Kept::Low)),
        Op::VAddF16 => (Binary(ADD_F), Half, Half, None),
        Op::VSubF16 => (Binary(SUB_F), Half, Half, None),
        Op::VSubrevF16 => (Reversed(SUB_F), Half, Half, None),
        Op::VMulF16 => (Binary(MUL_F), Half, Half, None),
        Op::VFmaF16 => (FmaOdd, Half, Half, Some(Kept::High)),
        Op::VFmaLegacyF16 => (FmaOdd, Half, Half, None),
        Op::VPkAddF16 => (Binary(ADD_F), PackedHalf, PackedHalf, None),
        Op::VPkMulF16 => (Binary(MUL_F), PackedHalf, PackedHalf, None),
        Op::VPkFmaF16 => (FmaOdd, PackedHalf, PackedHalf, None),
        Op::VFloorF16 => (Round(9), Half, Half, None),
        Op::VCeilF16 => (Round(10), Half, Half, None),
        Op::VTruncF16 => (Round(11), Half, Half, None),
        Op::VRndneF16 => (Round(8), Half, Half, None),
        Op::VRcpF16 => (Flushed(DIV_F), Half, Half, None),
        Op::VSqrtF16 => (Flushed(SQRT_F), Half, Half, None),
        Op::VPkAddF32 => (Binary(ADD_F), PackedFloat, PackedFloat, None),
        Op::VPkMulF32 => (Binary(MUL_F), PackedFloat, PackedFloat, None),
        Op::VPkFmaF32 => (Fma, PackedFloat, PackedFloat, None),
        Op::VPkMovB32 => (Move, PackedWord, PackedWord, None),
        _ => return None,
    };
    Some(Form { operation, from, to, accumulates: false, keeps })
}

fn operation(op: Op) -> Option<Operation> {
    use Operation::*;
    let binary = |instruction| Binary(instruction);
    let reversed = |instruction| Reversed(instruction);
    let unsigned = |predicate| Compare(COMPARE_U, predicate);
    let signed = |predicate| Compare(COMPARE_I, predicate);
    let unsigned_wide = |predicate| CompareWide(COMPARE_U, predicate);
    let signed_wide = |predicate| CompareWide(COMPARE_I, predicate);
    match predicate::of_floats(op) {
        Some((Type::Float, predicate)) => return Some(Compare(COMPARE_F, predicate)),
        Some((Type::Double, predicate)) => return Some(CompareDouble(predicate)),
        _ => {}
    }
    Some(match op {
        Op::VMovB32 | Op::VAccvgprReadB32 | Op::VAccvgprWriteB32 => Move,
        Op::VNotB32 => Not,
        Op::VAndB32 => binary(AND),
        Op::VOrB32 => binary(OR),
        Op::VXorB32 => binary(XOR),
        Op::VAddU32 => binary(ADD),
        Op::VSubU32 => binary(SUB),
        Op::VSubrevU32 => reversed(SUB),
        Op::VMulLoU32 => binary(MUL_LOW),
        Op::VMinU32 => binary(MIN_U),
        Op::VMaxU32 => binary(MAX_U),
        Op::VMinI32 => binary(MIN_I),
        Op::VMaxI32 => binary(MAX_I),
        Op::VMin3U32 => Then(MIN_U, MIN_U),
        Op::VMax3U32 => Then(MAX_U, MAX_U),
        Op::VMin3I32 => Then(MIN_I, MIN_I),
        Op::VMax3I32 => Then(MAX_I, MAX_I),
        Op::VMulHiU32 => MulHigh,
        Op::VMadU64U32 => MadWide,
        Op::VBfiB32 => Insert,
        Op::VMinF32 => Range(4),
        Op::VMaxF32 => Range(5),
        Op::VRndneF32 => Round(8),
        Op::VFloorF32 => Round(9),
        Op::VCeilF32 => Round(10),
        Op::VTruncF32 => Round(11),
        Op::VCvtI32F32 => ToInteger { signed: true },
        Op::VCvtU32F32 => ToInteger { signed: false },
        Op::VMulU32U24 => Mul24 { signed: false, adds: false },
        Op::VMadU32U24 => Mul24 { signed: false, adds: true },
        Op::VMulI32I24 => Mul24 { signed: true, adds: false },
        Op::VMadI32I24 => Mul24 { signed: true, adds: true },
        Op::VAdd3U32 => Then(ADD, ADD),
        Op::VOr3B32 => Then(OR, OR),
        Op::VAndOrB32 => Then(AND, OR),
        Op::VXadU32 => Then(XOR, ADD),
        Op::VLshlAddU32 => ShiftThen(ADD),
        Op::VLshlOrB32 => ShiftThen(OR),
        Op::VAddLshlU32 => AddShift,
        Op::VBfeU32 => Field { signed: false },
        Op::VBfeI32 => Field { signed: true },
        Op::VAlignbitB32 => Align,
        Op::VLshlrevB32 => Shift(self::Shift::Left),
        Op::VLshrrevB32 => Shift(self::Shift::Right),
        Op::VAshrrevI32 => Shift(self::Shift::Signed),
        Op::VLshlrevB64 => ShiftLeft64,
        Op::VCndmaskB32 => Select,
        Op::VAddCoU32 => AddCarry { carries: false },
        Op::VAddcCoU32 => AddCarry { carries: true },
        Op::VSubCoU32 => SubBorrow { reversed: false, borrows: false },
        Op::VSubrevCoU32 => SubBorrow { reversed: true, borrows: false },
        Op::VSubbCoU32 => SubBorrow { reversed: false, borrows: true },
        Op::VSubbrevCoU32 => SubBorrow { reversed: true, borrows: true },
        Op::VAddF32 => binary(ADD_F),
        Op::VSubF32 => binary(SUB_F),
        Op::VSubrevF32 => reversed(SUB_F),
        Op::VMulF32 => binary(MUL_F),
        Op::VMadF32 | Op::VMadmkF32 | Op::VMadakF32 | Op::VMacF32 => Mad,
        Op::VLdexpF32 => Scale,
        Op::VFractF32 => Fraction,
        Op::VFrexpExpI32F32 => Exponent,
        Op::VFrexpMantF32 => Mantissa,
        Op::VCvtPkrtzF16F32 => PackTowardZero,
        Op::VFmaF32 | Op::VFmamkF32 | Op::VFmaakF32 => Fma,
        Op::VFmacF32 => Fmac,
        Op::VRcpF32 | Op::VRcpIflagF32 => Flushed(DIV_F),
        Op::VSqrtF32 => Flushed(SQRT_F),
        Op::VRsqF32 => ReciprocalRoot,
        Op::VExpF32 | Op::VExpLegacyF32 => Power,
        Op::VRcpF64 => Roots(&[DIV_D]),
        Op::VSqrtF64 => Roots(&[SQRT_D]),
        Op::VRsqF64 => Roots(&[SQRT_D, DIV_D]),
        Op::VDivScaleF32 => DivScale(Floats::Single),
        Op::VDivScaleF64 => DivScale(Floats::Double),
        Op::VDivFmasF32 => DivFmas,
        Op::VDivFixupF32 => DivFixup(Floats::Single),
        Op::VDivFixupF64 => DivFixup(Floats::Double),
        Op::VAddF64 => Double(ADD_D),
        Op::VMulF64 => Double(MUL_D),
        Op::VFmaF64 | Op::VDivFmasF64 => FmaDouble,
        Op::VMinF64 => RangeDouble(4),
        Op::VMaxF64 => RangeDouble(5),
        Op::VRndneF64 => RoundDouble(8),
        Op::VFloorF64 => RoundDouble(9),
        Op::VCeilF64 => RoundDouble(10),
        Op::VTruncF64 => RoundDouble(11),
        Op::VLdexpF64 => ScaleDouble,
        Op::VCvtF64F32 => ToDouble(FLOAT_TO_DOUBLE),
        Op::VCvtF64I32 => ToDouble(INTEGER_TO_DOUBLE),
        Op::VCvtF64U32 => ToDouble(UNSIGNED_TO_DOUBLE),
        Op::VCvtF32F64 => NarrowDouble,
        Op::VCmpClassF32 => Class(Floats::Single),
        Op::VCmpClassF64 => Class(Floats::Double),
        Op::VCvtF32U32 | Op::VCvtF32Ubyte0 | Op::VCvtF32Ubyte1 | Op::VCvtF32Ubyte2 | Op::VCvtF32Ubyte3 => Unary(FROM_U),
        Op::VCvtF32I32 => Unary(FROM_I),
        Op::VCmpEqU32 | Op::VCmpEqI32 => unsigned(0),
        Op::VCmpLtU32 => unsigned(1),
        Op::VCmpLeU32 => unsigned(2),
        Op::VCmpNeU32 | Op::VCmpNeI32 => unsigned(4),
        Op::VCmpGeU32 => unsigned(5),
        Op::VCmpGtU32 => unsigned(6),
        Op::VCmpLtI32 => signed(1),
        Op::VCmpLeI32 => signed(2),
        Op::VCmpGeI32 => signed(5),
        Op::VCmpGtI32 => signed(6),
        Op::VCmpEqU64 | Op::VCmpEqI64 => unsigned_wide(0),
        Op::VCmpLtU64 => unsigned_wide(1),
        Op::VCmpLeU64 => unsigned_wide(2),
        Op::VCmpNeU64 | Op::VCmpNeI64 => unsigned_wide(4),
        Op::VCmpGeU64 => unsigned_wide(5),
        Op::VCmpGtU64 => unsigned_wide(6),
        Op::VCmpLtI64 => signed_wide(1),
        Op::VCmpLeI64 => signed_wide(2),
        Op::VCmpGeI64 => signed_wide(5),
        Op::VCmpGtI64 => signed_wide(6),
        _ => return None,
    })
}
