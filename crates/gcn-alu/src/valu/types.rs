//! Types of operands and results, and their conversion from and to register lanes.

use crate::valu::F16;
use crate::valu::operand::Source;
use gcn_isa::inst::{Inst, Mods};

/// How the bits of an operand are to be read: which inline constants, how wide, what a negation flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Not there.
    Nothing,
    /// One bit per lane, in a scalar register pair.
    Mask,
    Int16,
    Float16,
    Int32,
    Float32,
    /// Unsigned, or nothing but bits: a literal is zero-extended.
    Int64,
    /// A literal is sign-extended.
    Signed64,
    Float64,
    /// Two 16-bit integers.
    PackedInt,
    /// Two halves.
    PackedFloat,
    /// Two floats, in two registers.
    PackedFloat32,
    /// Two 32-bit integers, in two registers.
    PackedInt32,
    /// A byte, which `op_sel` puts into its place; the other bytes stay.
    Byte,
    /// A float, or a half that `op_sel` chooses, widened to one.
    Mix,
}

impl Type {
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Type::Float16 | Type::Float32 | Type::Float64 | Type::PackedFloat | Type::PackedFloat32 | Type::Mix
        )
    }

    /// Whether the f32 fields of MODE apply.
    pub const fn has_f32(self) -> bool {
        matches!(self, Type::Float32 | Type::PackedFloat32 | Type::Mix)
    }

    /// Two values, in a register each.
    pub const fn is_packed32(self) -> bool {
        matches!(self, Type::PackedFloat32 | Type::PackedInt32)
    }

    pub const fn is_wide(self) -> bool {
        matches!(self, Type::Int64 | Type::Signed64 | Type::Float64) || self.is_packed32()
    }
}

/// A value that a kernel takes.
pub trait Value: Copy {
    const TYPE: Type;
    fn get(source: &Source, half: usize, lane: usize) -> Self;
    /// With the sign modifiers of VOP3, which other types than floats do not have.
    #[inline(always)]
    fn get_signed(source: &Source, half: usize, lane: usize, _: Sign) -> Self {
        Self::get(source, half, lane)
    }
}

/// Sign modifiers of a source, as what they do to the register that has the sign.
#[derive(Clone, Copy)]
pub struct Sign {
    keep: u32,
    flip: u32,
}

impl Sign {
    /// The sign modifiers of a VOP3 instruction's sources, in one function for all kernels.
    pub fn all_of(inst: &Inst) -> [Sign; 3] {
        let (neg, abs) = if let Mods::Vop3 { neg, abs, .. } = inst.mods { (neg, abs) } else { (0, 0) };
        let of = |index: u8| {
            let bit = |mask: u8| u32::from(mask >> index & 1) << 31;
            Sign { keep: !bit(abs), flip: bit(neg) }
        };
        [of(0), of(1), of(2)]
    }
}

/// The result type of a kernel: a value, a mask bit, or both.
pub trait Output: Copy {
    /// Type of the value; [`Type::Nothing`] if there is only a bit.
    const TYPE: Type;
    /// There is a bit.
    const MASK: bool;
    fn bits(self) -> (u32, u32, bool);
}

macro_rules! value {
    ($ty:ty, $kind:ident, |$lo:ident, $hi:ident| $from:expr, |$v:ident| $to:expr $(, sign in $top:ident)?) => {
        impl Value for $ty {
            const TYPE: Type = Type::$kind;
            #[inline(always)]
            fn get(source: &Source, half: usize, lane: usize) -> Self {
                let ($lo, $hi) = (source.lo.0[32 * half + lane], source.hi.0[32 * half + lane]);
                $from
            }
            $(
                #[inline(always)]
                fn get_signed(source: &Source, half: usize, lane: usize, sign: Sign) -> Self {
                    let ($lo, $hi) = (source.lo.0[32 * half + lane], source.hi.0[32 * half + lane]);
                    let $top = $top & sign.keep ^ sign.flip;
                    $from
                }
            )?
        }
        impl Output for $ty {
            const TYPE: Type = Type::$kind;
            const MASK: bool = false;
            #[inline(always)]
            fn bits(self) -> (u32, u32, bool) {
                let $v = self;
                let (lo, hi): (u32, u32) = $to;
                (lo, hi, false)
            }
        }
        impl Output for ($ty, bool) {
            const TYPE: Type = Type::$kind;
            const MASK: bool = true;
            #[inline(always)]
            fn bits(self) -> (u32, u32, bool) {
                let (lo, hi, _) = self.0.bits();
                (lo, hi, self.1)
            }
        }
    };
}

/// Two 16-bit integers in one register.
#[derive(Clone, Copy)]
pub struct Int16x2(pub u32);
/// Two halves in one register.
#[derive(Clone, Copy)]
pub struct F16x2(pub u32);
/// A 64-bit integer as its registers: what can be computed on these vectorises without putting them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub lo: u32,
    pub hi: u32,
}
/// Two floats in two registers.
#[derive(Clone, Copy)]
pub struct F32x2(pub [f32; 2]);
/// Two 32-bit integers in two registers.
#[derive(Clone, Copy)]
pub struct Int32x2(pub [u32; 2]);
/// A source of `v_fma_mix*`.
#[derive(Clone, Copy)]
pub struct Mix(pub f32);

value!(u32, Int32, |lo, _hi| lo, |v| (v, 0));
value!(i32, Int32, |lo, _hi| lo as i32, |v| (v as u32, 0));
value!(f32, Float32, |lo, _hi| f32::from_bits(lo), |v| (v.to_bits(), 0), sign in lo);
value!(u8, Byte, |lo, _hi| lo as u8, |v| (u32::from(v), 0));
value!(u16, Int16, |lo, _hi| lo as u16, |v| (u32::from(v), 0));
value!(i16, Int16, |lo, _hi| lo as i16, |v| (u32::from(v as u16), 0));
value!(F16, Float16, |lo, _hi| F16(lo as u16), |v| (u32::from(v.0), 0));
value!(u64, Int64, |lo, hi| u64::from(lo) | u64::from(hi) << 32, |v| (v as u32, (v >> 32) as u32));
value!(Pair, Int64, |lo, hi| Pair { lo, hi }, |v| (v.lo, v.hi));
value!(i64, Signed64, |lo, hi| (u64::from(lo) | u64::from(hi) << 32) as i64, |v| (v as u32, (v as u64 >> 32) as u32));
value!(f64, Float64, |lo, hi| f64::from_bits(u64::from(lo) | u64::from(hi) << 32), |v| {
    (v.to_bits() as u32, (v.to_bits() >> 32) as u32)
}, sign in hi);
value!(Int16x2, PackedInt, |lo, _hi| Int16x2(lo), |v| (v.0, 0));
value!(F16x2, PackedFloat, |lo, _hi| F16x2(lo), |v| (v.0, 0));
value!(F32x2, PackedFloat32, |lo, hi| F32x2([f32::from_bits(lo), f32::from_bits(hi)]), |v| (
    v.0[0].to_bits(),
    v.0[1].to_bits()
));
value!(Int32x2, PackedInt32, |lo, hi| Int32x2([lo, hi]), |v| (v.0[0], v.0[1]));
value!(Mix, Mix, |lo, _hi| Mix(f32::from_bits(lo)), |v| (v.0.to_bits(), 0));

impl Value for () {
    const TYPE: Type = Type::Nothing;
    #[inline(always)]
    fn get(_: &Source, _: usize, _: usize) -> Self {}
}

/// A value, and the lane's bit of VCC.
#[derive(Clone, Copy)]
pub struct WithVcc<V>(pub V, pub bool);

impl<V: Value> Value for WithVcc<V> {
    const TYPE: Type = V::TYPE;
    #[inline(always)]
    fn get(source: &Source, half: usize, lane: usize) -> Self {
        WithVcc(V::get(source, half, lane), source.mask[half] >> lane & 1 != 0)
    }
}

impl Value for bool {
    const TYPE: Type = Type::Mask;
    #[inline(always)]
    fn get(source: &Source, half: usize, lane: usize) -> Self {
        source.mask[half] >> lane & 1 != 0
    }
}

impl Output for bool {
    const TYPE: Type = Type::Nothing;
    const MASK: bool = true;
    #[inline(always)]
    fn bits(self) -> (u32, u32, bool) {
        (0, 0, self)
    }
}
