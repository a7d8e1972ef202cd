//! Vector instructions that are compiled, and the machine code of each.

use super::encode::{Rm, Vector};
use super::vector::operations::*;
use super::vector::{Quarter, SCRATCH_MASK, TEMPORARY};
use crate::exec::wave::{inline_f32, inline_f64, scalar_index, vector_index};
use crate::inst::{Inst, Mods, Operand};
use crate::op::Op;
use wide::{compare_double, compare_wide, double, mad_wide, products, shift_left_64};

mod wide;

/// A source: the first register, if it has 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A vector register, accumulation registers behind the others.
    Vector(u16),
    /// A scalar register.
    Scalar(u8),
    Constant(u32),
    /// A constant of 64 bits.
    Wide(u64),
}

impl Source {
    fn of(operand: Operand) -> Option<Source> {
        if let Some(index) = vector_index(operand) {
            return Some(Source::Vector(index as u16));
        }
        if let Some(index) = scalar_index(operand) {
            return Some(Source::Scalar(index as u8));
        }
        Some(Source::Constant(match operand {
            Operand::Int(value) => i32::from(value) as u32,
            Operand::Float(code) => inline_f32(code),
            Operand::Literal(value) => value,
            _ => return None,
        }))
    }

    /// As [`Source::of`], of an f64.
    fn of_double(operand: Operand) -> Option<Source> {
        Some(Source::Wide(match operand {
            Operand::Int(value) => i64::from(value) as u64,
            Operand::Float(code) => inline_f64(code),
            Operand::Literal(high) => u64::from(high) << 32,
            register => {
                return Source::of(register).filter(|source| match source {
                    Source::Scalar(index) => index.is_multiple_of(2),
                    _ => true,
                });
            }
        }))
    }

    /// The register behind it.
    fn next(self) -> Option<Source> {
        match self {
            Source::Vector(index) => Some(Source::Vector(index + 1)),
            Source::Scalar(index) if index < 127 => Some(Source::Scalar(index + 1)),
            _ => None,
        }
    }
}

/// What an instruction does in a lane; its sources are `a`, `b`, `c`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
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
    Mul24 { signed: bool, adds: bool },
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
    ToInteger { signed: bool },
    /// `a * b + c`, rounded once.
    Fma,
    /// The same, and the destination is `c`.
    Fmac,
    /// The reciprocal or the root of `a`, where denormals are zero whatever the mode says.
    Flushed(Vector),
    /// `b` where the mask is set, else `a`.
    Select,
    /// Bits of `a` from the constant `b` on, as many as the constant `c` says.
    Field { signed: bool },
    /// 32 bits of `a` and `b` together, from the bit on that the low bits of `c` say.
    Align,
    /// Of `a` and `b`, each in two registers.
    Double(Vector),
    /// `a * b + c`, each in two registers.
    FmaDouble,
    /// Sets the mask; the predicate is the host's.
    Compare(Vector, u8),
    /// The same of two registers each: an instruction for the high halves, and the predicate.
    CompareWide(Vector, u8),
    /// The same of two registers each, as f64.
    CompareDouble(u8),
    /// `a + b`, and a carry to the mask. `carries`: with one from a mask.
    AddCarry { carries: bool },
    /// `a - b`, and a borrow to the mask.
    SubBorrow { reversed: bool },
    /// A register pair `b` by the constant or variable `a`.
    ShiftLeft64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Shift {
    Left,
    Right,
    Signed,
}

impl Shift {
    fn variable(self) -> Vector {
        match self {
            Shift::Left => SHIFT_LEFT,
            Shift::Right => SHIFT_RIGHT,
            Shift::Signed => SHIFT_SIGNED,
        }
    }

    /// What [`SHIFT_BY`] has in the place of a register.
    fn digit(self) -> u8 {
        match self {
            Shift::Left => 6,
            Shift::Right => 2,
            Shift::Signed => 4,
        }
    }
}

/// A vector instruction that is compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanewise {
    pub operation: Operation,
    /// The vector register that is written, if any.
    to: Option<u16>,
    pub sources: [Source; 3],
    /// Signs of sources are changed: what is kept, then what is flipped.
    signs: [(u32, u32); 3],
    pub mask_in: Option<u8>,
    pub mask_out: Option<u8>,
}

impl Lanewise {
    /// `None` if `inst` is not compiled.
    pub fn of(inst: &Inst) -> Option<Lanewise> {
        let operation = operation(inst.op)?;
        let is_double = matches!(operation, Operation::Double(_) | Operation::FmaDouble | Operation::CompareDouble(_));
        let is_float = is_double
            || matches!(
                operation,
                Operation::Binary(ADD_F | MUL_F | SUB_F)
                    | Operation::Reversed(SUB_F)
                    | Operation::Fma
                    | Operation::Fmac
                    | Operation::Flushed(_)
                    | Operation::Range(_)
                    | Operation::Round(_)
                    | Operation::ToInteger { .. }
                    | Operation::Compare(COMPARE_F, _)
            );
        let (neg, abs) = match inst.mods {
            Mods::None => (0, 0),
            Mods::Vop3 { neg, abs, clamp: false, omod: 0, op_sel: 0 } if is_float => (neg, abs),
            Mods::Vop3 { neg: 0, abs: 0, clamp: false, omod: 0, op_sel: 0 } => (0, 0),
            _ => return None,
        };
        let signs = std::array::from_fn(|i| {
            let bit = |mask: u8| u32::from(mask >> i & 1) << 31;
            (!bit(abs), bit(neg))
        });
        let takes_mask = matches!(operation, Operation::Select | Operation::AddCarry { carries: true });
        let is_compare =
            matches!(operation, Operation::Compare(..) | Operation::CompareWide(..) | Operation::CompareDouble(_));
        let gives_mask = is_compare
            || matches!(operation, Operation::AddCarry { .. } | Operation::SubBorrow { .. } | Operation::MadWide);
        let numbers = if takes_mask { &inst.src[..2] } else { &inst.src[..3] };
        let mut sources = [Source::Constant(0); 3];
        for (source, operand) in sources.iter_mut().zip(numbers) {
            if *operand != Operand::None {
                *source = if is_double { Source::of_double(*operand)? } else { Source::of(*operand)? };
            }
        }
        let pair = |operand: Operand| {
            let index = scalar_index(operand).filter(|index| index.is_multiple_of(2))?;
            u8::try_from(index).ok()
        };
        let mask_in = if takes_mask { Some(pair(inst.src[2])?) } else { None };
        let mask_out = if gives_mask {
            // Not EXEC, nor what is next to it.
            Some(pair(inst.dst[usize::from(!is_compare)]).filter(|pair| *pair <= 122)?)
        } else {
            None
        };
        let to = if is_compare { None } else { Some(vector_index(inst.dst[0])? as u16) };
        let is_vector = |source: &Source| matches!(source, Source::Vector(_));
        // Of other constants the high half would be a question of their kind.
        let is_wide = |source| match source {
            Source::Vector(_) | Source::Constant(0) => true,
            Source::Scalar(index) => index.is_multiple_of(2),
            Source::Constant(_) | Source::Wide(_) => false,
        };
        let is_whole = |operand: &Operand| match Source::of(*operand) {
            Some(Source::Constant(_)) => matches!(operand, Operand::Int(_)),
            Some(source) => source.next().is_some(),
            None => false,
        };
        match operation {
            Operation::ShiftLeft64 if !is_vector(&sources[1]) => return None,
            Operation::MadWide if !is_wide(sources[2]) => return None,
            // Of integers the sign goes on in the high half.
            Operation::CompareWide(..) if !inst.src[..2].iter().all(is_whole) => return None,
            Operation::Field { .. } if !matches!(sources[1..], [Source::Constant(_), Source::Constant(_)]) => {
                return None;
            }
            _ => {}
        }
        Some(Lanewise { operation, to, sources, signs, mask_in, mask_out })
    }

    /// Pairs of scalar registers that are masks.
    pub fn masks(&self) -> impl Iterator<Item = u8> {
        self.mask_in.into_iter().chain(self.mask_out)
    }
}

fn operation(op: Op) -> Option<Operation> {
    use Operation::*;
    let binary = |instruction| Binary(instruction);
    let reversed = |instruction| Reversed(instruction);
    let float = |predicate| Compare(COMPARE_F, predicate);
    let unsigned = |predicate| Compare(COMPARE_U, predicate);
    let signed = |predicate| Compare(COMPARE_I, predicate);
    let unsigned_wide = |predicate| CompareWide(COMPARE_U, predicate);
    let signed_wide = |predicate| CompareWide(COMPARE_I, predicate);
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
        Op::VSubCoU32 => SubBorrow { reversed: false },
        Op::VSubrevCoU32 => SubBorrow { reversed: true },
        Op::VAddF32 => binary(ADD_F),
        Op::VSubF32 => binary(SUB_F),
        Op::VSubrevF32 => reversed(SUB_F),
        Op::VMulF32 => binary(MUL_F),
        Op::VFmaF32 | Op::VFmamkF32 | Op::VFmaakF32 => Fma,
        Op::VFmacF32 => Fmac,
        Op::VRcpF32 | Op::VRcpIflagF32 => Flushed(DIV_F),
        Op::VSqrtF32 => Flushed(SQRT_F),
        Op::VAddF64 => Double(ADD_D),
        Op::VMulF64 => Double(MUL_D),
        Op::VFmaF64 => FmaDouble,
        Op::VCvtF32U32 => Unary(FROM_U),
        Op::VCvtF32I32 => Unary(FROM_I),
        // Ordered ones are false, and the others true, where a source is NaN; none raises an exception.
        Op::VCmpLtF32 => float(0x11),
        Op::VCmpEqF32 => float(0x00),
        Op::VCmpLeF32 => float(0x12),
        Op::VCmpGtF32 => float(0x1e),
        Op::VCmpLgF32 => float(0x0c),
        Op::VCmpGeF32 => float(0x1d),
        Op::VCmpOF32 => float(0x07),
        Op::VCmpUF32 => float(0x03),
        Op::VCmpNgeF32 => float(0x19),
        Op::VCmpNlgF32 => float(0x08),
        Op::VCmpNgtF32 => float(0x1a),
        Op::VCmpNleF32 => float(0x16),
        Op::VCmpNeqF32 => float(0x04),
        Op::VCmpNltF32 => float(0x15),
        Op::VCmpLtF64 => CompareDouble(0x11),
        Op::VCmpEqF64 => CompareDouble(0x00),
        Op::VCmpLeF64 => CompareDouble(0x12),
        Op::VCmpGtF64 => CompareDouble(0x1e),
        Op::VCmpLgF64 => CompareDouble(0x0c),
        Op::VCmpGeF64 => CompareDouble(0x1d),
        Op::VCmpOF64 => CompareDouble(0x07),
        Op::VCmpUF64 => CompareDouble(0x03),
        Op::VCmpNgeF64 => CompareDouble(0x19),
        Op::VCmpNlgF64 => CompareDouble(0x08),
        Op::VCmpNgtF64 => CompareDouble(0x1a),
        Op::VCmpNleF64 => CompareDouble(0x16),
        Op::VCmpNeqF64 => CompareDouble(0x04),
        Op::VCmpNltF64 => CompareDouble(0x15),
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

const LESS: Option<u8> = Some(1);

impl Lanewise {
    /// Source `i` as the host's last operand, with its sign. What has one is in `temporary`.
    fn rm(&self, i: usize, lanes: &mut Quarter, temporary: u8) -> Rm {
        let (keep, flip) = self.signs[i];
        if (keep, flip) == (!0, 0) {
            return lanes.rm(self.sources[i]);
        }
        let register = lanes.in_register(self.sources[i], temporary);
        lanes.all(AND, temporary, register, Rm::Constant(keep), None);
        if flip != 0 {
            lanes.all(XOR, temporary, temporary, Rm::Constant(flip), None);
        }
        Rm::Register(temporary)
    }

    /// As [`Lanewise::rm`], in a register.
    fn register(&self, i: usize, lanes: &mut Quarter, temporary: u8) -> u8 {
        if self.signs[i] == (!0, 0) {
            return lanes.in_register(self.sources[i], temporary);
        }
        match self.rm(i, lanes, temporary) {
            Rm::Register(register) => register,
            _ => temporary,
        }
    }
}

impl Operation {
    /// Appends the code of `this` instruction for 16 lanes.
    pub fn emit(self, this: &Lanewise, lanes: &mut Quarter) {
        let [t0, t1, t2, t3] = TEMPORARY;
        // Sources first: the destination may be one of them, and what is in the host's registers must stay there until it is read.
        let (instruction, first, rm, immediate) = match self {
            Operation::Move => {
                let register = this.register(0, lanes, t0);
                (LOAD, 0, Rm::Register(register), None)
            }
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
                return shift_to(this, lanes, shift, value, this.sources[0]);
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
                return shift_to(this, lanes, Shift::Left, t0, this.sources[2]);
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
            Operation::MadWide => return mad_wide(this, lanes),
            Operation::Insert => {
                let a = this.register(0, lanes, t0);
                if a != t0 {
                    lanes.all(LOAD, t0, 0, Rm::Register(a), None);
                }
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
                lanes.all(COMPARE_F, SCRATCH_MASK, a, Rm::Constant(0x4f00_0000), Some(0x1d));
                lanes.code.vector(OR, t1, SCRATCH_MASK, t1, Rm::Constant(0x7fff_ffff), None);
                lanes.code.vector(AND, t1, SCRATCH_MASK, t1, Rm::Constant(0x7fff_ffff), None);
                lanes.all(COMPARE_F, SCRATCH_MASK, a, Rm::Register(a), Some(3));
                lanes.code.vector(XOR, t1, SCRATCH_MASK, t1, Rm::Register(t1), None);
                (LOAD, 0, Rm::Register(t1), None)
            }
            Operation::Fma => {
                let c = this.register(2, lanes, t0);
                if c != t0 {
                    lanes.all(LOAD, t0, 0, Rm::Register(c), None);
                }
                let a = this.register(0, lanes, t1);
                let b = this.rm(1, lanes, t2);
                lanes.all(FMA_F, t0, a, b, None);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Fmac => {
                let a = this.register(0, lanes, t0);
                (FMA_F, a, this.rm(1, lanes, t1), None)
            }
            Operation::Flushed(instruction) => {
                let a = this.register(0, lanes, t0);
                if a != t0 {
                    lanes.all(LOAD, t0, 0, Rm::Register(a), None);
                }
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
            Operation::Select => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                let mask = lanes.mask(this.mask_in.unwrap_or(0));
                lanes.code.vector(BLEND, t0, mask, a, b, None);
                (LOAD, 0, Rm::Register(t0), None)
            }
            Operation::Field { signed: true } => {
                let value = this.register(0, lanes, t0);
                let [Source::Constant(offset), Source::Constant(width)] = this.sources[1..] else { return };
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
            Operation::Double(_) | Operation::FmaDouble => return double(self, this, lanes),
            Operation::Field { signed: false } => {
                let value = this.register(0, lanes, t0);
                let [Source::Constant(offset), Source::Constant(width)] = this.sources[1..] else { return };
                shifted(lanes, Shift::Right, t0, value, Source::Constant(offset));
                (AND, t0, Rm::Constant((1 << (width & 31)) - 1), None)
            }
            Operation::Compare(instruction, predicate) => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                let mask = lanes.new_mask(this.mask_out.unwrap_or(0));
                return lanes.enabled(instruction, mask, a, b, Some(predicate));
            }
            Operation::CompareWide(instruction, predicate) => return compare_wide(this, lanes, instruction, predicate),
            Operation::CompareDouble(predicate) => return compare_double(this, lanes, predicate),
            Operation::AddCarry { carries } => {
                let a = this.register(0, lanes, t0);
                let b = this.rm(1, lanes, t1);
                lanes.all(ADD, t2, a, b, None);
                if carries {
                    let carry = lanes.mask(this.mask_in.unwrap_or(0));
                    add_carry(this, lanes, (t2, a), carry, t3);
                    (LOAD, 0, Rm::Register(t3), None)
                } else {
                    let mask = lanes.new_mask(this.mask_out.unwrap_or(0));
                    lanes.enabled(COMPARE_U, mask, t2, Rm::Register(a), LESS);
                    (LOAD, 0, Rm::Register(t2), None)
                }
            }
            Operation::SubBorrow { reversed } => {
                let [a, b] = if reversed { [1, 0] } else { [0, 1] };
                let a = this.register(a, lanes, t0);
                let b = this.rm(b, lanes, t1);
                let mask = lanes.new_mask(this.mask_out.unwrap_or(0));
                lanes.enabled(COMPARE_U, mask, a, b, LESS);
                (SUB, a, b, None)
            }
            Operation::ShiftLeft64 => return shift_left_64(this, lanes),
        };
        if let Some(to) = this.to {
            let to = lanes.changed(to);
            lanes.enabled(instruction, to, first, rm, immediate);
        }
    }
}

/// Makes denormals zeros with their signs.
fn flush(lanes: &mut Quarter, register: u8) {
    const DENORMAL: u8 = 0x20;
    lanes.all(CLASS_F, SCRATCH_MASK, 0, Rm::Register(register), Some(DENORMAL));
    lanes.code.vector(AND, register, SCRATCH_MASK, register, Rm::Constant(1 << 31), None);
}

/// To `to` a sum, which comes with its first part, plus 1 where `carry` is set. The mask of the instruction has where either sum is too large.
fn add_carry(this: &Lanewise, lanes: &mut Quarter, (sum, first): (u8, u8), carry: u8, to: u8) {
    lanes.all(LOAD, to, 0, Rm::Register(sum), None);
    lanes.code.vector(SUB, to, carry, sum, Rm::Constant(!0), None);
    lanes.enabled(COMPARE_U, SCRATCH_MASK, sum, Rm::Register(first), LESS);
    let mask = lanes.new_mask(this.mask_out.unwrap_or(0));
    lanes.enabled(COMPARE_U, mask, to, Rm::Register(sum), LESS);
    lanes.code.or_masks(mask, mask, SCRATCH_MASK);
}

/// `value` by the low five bits of `distance`, to `to`. `value` may be `to`, and neither the second temporary register.
fn shifted(lanes: &mut Quarter, shift: Shift, to: u8, value: u8, distance: Source) {
    if let Source::Constant(distance) = distance {
        return lanes.all(SHIFT_BY, shift.digit(), to, Rm::Register(value), Some((distance & 31) as u8));
    }
    let [_, t1, ..] = TEMPORARY;
    let distance = lanes.in_register(distance, t1);
    lanes.all(AND, t1, distance, Rm::Constant(31), None);
    lanes.all(shift.variable(), to, value, Rm::Register(t1), None);
}

/// The same, to the destination.
fn shift_to(this: &Lanewise, lanes: &mut Quarter, shift: Shift, value: u8, distance: Source) {
    let [t0, ..] = TEMPORARY;
    shifted(lanes, shift, t0, value, distance);
    if let Some(to) = this.to {
        let to = lanes.changed(to);
        lanes.enabled(LOAD, to, 0, Rm::Register(t0), None);
    }
}
