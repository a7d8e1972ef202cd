//! The arithmetic of atomic read-modify-write operations.

use once_cell::race::OnceBox;

use crate::machine::context::Stop;
use gcn_alu::fp::{bf16_to_f32, f32_to_bf16};
use gcn_isa::inst::Inst;
use gcn_isa::op::Op;

/// An atomic operation, the same for buffer, flat, scalar and LDS memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Atomic {
    Swap,
    Cmpswap,
    Add,
    Sub,
    /// Source minus memory.
    Rsub,
    Smin,
    Umin,
    Smax,
    Umax,
    And,
    Or,
    Xor,
    /// Add 1, back to 0 past the source.
    Inc,
    /// Subtract 1, back to the source at 0 or past it.
    Dec,
    /// Clear the bits of the first source, set those of the second.
    Mskor,
    /// Floating-point compare and swap.
    FCmpswap,
    FMin,
    FMax,
    /// Flushes denormals unless the flag is set. Those of f64 never are.
    FAdd {
        denormals: bool,
    },
    PkAddF16,
    PkAddBf16,
    /// Subtract if not less, else add the second source.
    Wrap,
}

/// The match arms that both widths share, and those of one width.
macro_rules! apply {
    ($self:ident, $old:ident, $a:ident, $b:ident, $unsigned:ty, $signed:ty, $float:ty, { $($other:tt)* }) => {{
        let float = <$float>::from_bits;
        let a_if = |condition: bool| if condition { $a } else { $old };
        match $self {
            Atomic::Swap => $a,
            Atomic::Cmpswap => a_if($old == $b),
            Atomic::Add => $old.wrapping_add($a),
            Atomic::Sub => $old.wrapping_sub($a),
            Atomic::Rsub => $a.wrapping_sub($old),
            Atomic::Smin => ($old as $signed).min($a as $signed) as $unsigned,
            Atomic::Umin => $old.min($a),
            Atomic::Smax => ($old as $signed).max($a as $signed) as $unsigned,
            Atomic::Umax => $old.max($a),
            Atomic::And => $old & $a,
            Atomic::Or => $old | $a,
            Atomic::Xor => $old ^ $a,
            Atomic::Inc => {
                if $old >= $a {
                    0
                } else {
                    $old + 1
                }
            }
            Atomic::Dec => {
                if $old == 0 || $old > $a {
                    $a
                } else {
                    $old - 1
                }
            }
            Atomic::Mskor => $old & !$a | $b,
            Atomic::FCmpswap => a_if(float($old) == float($b)),
            Atomic::FMin => a_if(float($a) < float($old)),
            Atomic::FMax => a_if(float($a) > float($old)),
            $($other)*
        }
    }};
}

/// What `of` makes of each operation, indexed by [`Op`]: mnemonics are not taken apart while code runs.
pub(crate) fn by_op<T>(of: fn(Op) -> Option<T>) -> Vec<Option<T>> {
    Op::ALL.iter().map(|&op| of(op)).collect()
}

impl Atomic {
    /// The operation of an atomic instruction of any memory format except DS. `None`: not an atomic.
    pub fn of(op: Op) -> Option<Atomic> {
        static ALL: OnceBox<Vec<Option<Atomic>>> = OnceBox::new();
        ALL.get_or_init(|| Box::new(by_op(Atomic::from_mnemonic)))[op as usize]
    }

    /// As [`Atomic::of`], for a function that was chosen because it is one.
    pub fn of_inst(inst: &Inst) -> Result<Atomic, Stop> {
        Atomic::of(inst.op).ok_or(Stop::Illegal("unknown atomic"))
    }

    /// With denormals kept by f32 addition, on a chip whose memory does (LLVM's feature
    /// `memory-atomic-fadd-f32-denormal-support`).
    #[inline(always)]
    pub fn with_denormals<const KEPT: bool>(self) -> Atomic {
        match self {
            Atomic::FAdd { .. } if KEPT => Atomic::FAdd { denormals: true },
            other => other,
        }
    }

    /// Whether an atomic of any memory format but DS is of 64 bits.
    pub fn is_wide(op: Op) -> bool {
        let name = op.mnemonic();
        name.ends_with("_x2") || name.ends_with("_f64")
    }

    fn from_mnemonic(op: Op) -> Option<Atomic> {
        let (_, name) = op.mnemonic().split_once("atomic_")?;
        Some(match name.strip_suffix("_x2").unwrap_or(name) {
            "swap" => Atomic::Swap,
            "cmpswap" => Atomic::Cmpswap,
            "add" => Atomic::Add,
            "sub" => Atomic::Sub,
            "smin" => Atomic::Smin,
            "umin" => Atomic::Umin,
            "smax" => Atomic::Smax,
            "umax" => Atomic::Umax,
            "and" => Atomic::And,
            "or" => Atomic::Or,
            "xor" => Atomic::Xor,
            "inc" => Atomic::Inc,
            "dec" => Atomic::Dec,
            "add_f32" | "add_f64" => Atomic::FAdd { denormals: false },
            "min_f64" => Atomic::FMin,
            "max_f64" => Atomic::FMax,
            "pk_add_f16" => Atomic::PkAddF16,
            "pk_add_bf16" => Atomic::PkAddBf16,
            _ => return None,
        })
    }

    /// The new value of memory. `a` is the (first) data operand; `b` the second: the comparand of `Cmpswap`, the value
    /// to set of `Mskor`.
    #[inline]
    pub fn apply32(self, old: u32, a: u32, b: u32) -> u32 {
        apply!(self, old, a, b, u32, i32, f32, {
            Atomic::FAdd { denormals } => {
                let keep = |bits: u32| if denormals || bits & 0x7f80_0000 != 0 { bits } else { bits & 0x8000_0000 };
                keep((f32::from_bits(keep(old)) + f32::from_bits(keep(a))).to_bits())
            }
            Atomic::PkAddF16 => by_half(old, a, add_f16),
            Atomic::PkAddBf16 => by_half(old, a, |a, b| f32_to_bf16(bf16_to_f32(a) + bf16_to_f32(b))),
            Atomic::Wrap => {
                if old >= a {
                    old - a
                } else {
                    old.wrapping_add(b)
                }
            }
        })
    }

    /// As [`Atomic::apply32`] on 64 bits; floating-point operations are f64.
    #[inline]
    pub fn apply64(self, old: u64, a: u64, b: u64) -> u64 {
        apply!(self, old, a, b, u64, i64, f64, {
            Atomic::FAdd { .. } => (f64::from_bits(old) + f64::from_bits(a)).to_bits(),
            // No 64-bit form exists.
            Atomic::PkAddF16 | Atomic::PkAddBf16 | Atomic::Wrap => old,
        })
    }
}

fn by_half(old: u32, a: u32, add: fn(u16, u16) -> u16) -> u32 {
    let (low, high) = (add(old as u16, a as u16), add((old >> 16) as u16, (a >> 16) as u16));
    u32::from(low) | u32::from(high) << 16
}

/// f16 addition with one rounding: the sum of two f16 is exact in f64.
fn add_f16(a: u16, b: u16) -> u16 {
    f64_to_f16(f16_to_f64(a) + f16_to_f64(b))
}

/// Exact.
pub(crate) fn f16_to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    match bits >> 10 & 31 {
        0 => sign * fraction * 2f64.powi(-24),
        31 if bits & 0x3ff == 0 => sign * f64::INFINITY,
        31 => f64::NAN.copysign(sign),
        e => sign * (1024.0 + fraction) * 2f64.powi(i32::from(e) - 25),
    }
}

/// Rounds to nearest even.
pub(crate) fn f64_to_f16(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The unit in the last place of the result; adding and dropping the implicit bit makes carries into the exponent
    // right.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(-14);
    let units = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    sign | ((exponent + 14) as u16 * 1024).wrapping_add(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_round_trip() {
        for bits in 0..=u16::MAX {
            let value = f16_to_f64(bits);
            if value.is_nan() {
                assert!(f16_to_f64(f64_to_f16(value)).is_nan());
            } else {
                assert_eq!(f64_to_f16(value), bits, "{bits:#x} {value}");
            }
        }
    }

    #[test]
    fn halves_round_to_nearest_even() {
        assert_eq!(f64_to_f16(1.0 + 2f64.powi(-11)), 0x3c00);
        assert_eq!(f64_to_f16(1.0 + 3.0 * 2f64.powi(-11)), 0x3c02);
        assert_eq!(f64_to_f16(65519.0), 0x7bff);
        assert_eq!(f64_to_f16(65520.0), 0x7c00);
        assert_eq!(f64_to_f16(2f64.powi(-25)), 0);
        assert_eq!(f64_to_f16(1.5 * 2f64.powi(-25)), 1);
    }

    #[test]
    fn wrapping_counters() {
        assert_eq!(Atomic::Inc.apply32(3, 3, 0), 0);
        assert_eq!(Atomic::Inc.apply32(2, 3, 0), 3);
        assert_eq!(Atomic::Dec.apply32(0, 3, 0), 3);
        assert_eq!(Atomic::Dec.apply32(9, 3, 0), 3);
        assert_eq!(Atomic::Dec.apply32(2, 3, 0), 1);
    }
}
