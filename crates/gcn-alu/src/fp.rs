//! Floating-point arithmetic with the rounding and denormal modes of a wave's MODE register.
//!
//! [`Native`] is what compilers set and the host's own arithmetic does: round to nearest even, denormals kept, IEEE and
//! DX10_CLAMP set. [`Flushing`] is that without denormals of f32, [`Nearest`] any other treatment of denormals and NaN,
//! [`Moded`] any rounding too: f16 and f32 by way of f64, f64 by software.

use crate::wave::Mode;

mod apfloat;
mod exp2;
mod f16;
mod fp8;
mod rounding;

pub use crate::fp::apfloat::{fma_scaled_f32, fma_scaled_f64};
pub use crate::fp::exp2::{FARTHEST, SERIES, power_of_two_near};
pub use crate::fp::f16::{F16, bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16, fma_odd};
pub use crate::fp::fp8::{Narrow, f32_to_fp8, fp8_to_f32};
pub use crate::fp::rounding::{narrow_f16, narrow_f32};

/// Rounding towards; the encoding of the MODE register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    Nearest,
    Up,
    Down,
    Zero,
}

impl Round {
    fn new(bits: u32) -> Round {
        match bits & 3 {
            0 => Round::Nearest,
            1 => Round::Up,
            2 => Round::Down,
            _ => Round::Zero,
        }
    }
}

/// The part of MODE that one floating-point type obeys.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    pub round: Round,
    /// Denormal sources count as zero.
    pub flush_in: bool,
    /// Denormal results become zero.
    pub flush_out: bool,
}

/// The environment an operation computes in.
pub trait Env: Copy {
    /// Everything is as compilers set it: host arithmetic gives the result.
    const NATIVE: bool;
    /// All types round to nearest even.
    const NEAREST: bool;
    /// MODE, and for [`Native`] the value it stands for.
    fn mode(self) -> Mode;
    /// Integer results saturate (the `clamp` modifier).
    fn saturate(self) -> bool;
}

/// Round to nearest even, denormals kept, DX10_CLAMP, IEEE.
#[derive(Clone, Copy, Debug)]
pub struct Native;

/// As [`Native`], but denormals of f32 are zero: what `-cl-denorms-are-zero` and `-fgpu-flush-denormals-to-zero` set.
#[derive(Clone, Copy, Debug)]
pub struct Flushing;

/// Any MODE, and the `clamp` modifier for integers.
#[derive(Clone, Copy, Debug)]
pub struct Moded {
    pub mode: Mode,
    pub saturate: bool,
}

/// [`Moded`] with all rounding to nearest even.
#[derive(Clone, Copy, Debug)]
pub struct Nearest(pub Moded);

/// The bits of MODE that change results.
const MODE_MASK: u32 = 1 << 23 | 0x3ff;
/// Their values in [`Native`].
pub const MODE_NATIVE: u32 = 0x3f0;

impl Env for Native {
    const NATIVE: bool = true;
    const NEAREST: bool = true;
    fn mode(self) -> Mode {
        Mode(MODE_NATIVE)
    }
    fn saturate(self) -> bool {
        false
    }
}

/// The same in [`Flushing`].
const MODE_FLUSHING: u32 = 0x3c0;

impl Env for Flushing {
    const NATIVE: bool = false;
    const NEAREST: bool = true;
    #[inline(always)]
    fn mode(self) -> Mode {
        Mode(MODE_FLUSHING)
    }
    fn saturate(self) -> bool {
        false
    }
}

impl Env for Nearest {
    const NATIVE: bool = false;
    const NEAREST: bool = true;
    fn mode(self) -> Mode {
        self.0.mode
    }
    fn saturate(self) -> bool {
        self.0.saturate
    }
}

impl Env for Moded {
    const NATIVE: bool = false;
    const NEAREST: bool = false;
    fn mode(self) -> Mode {
        self.mode
    }
    fn saturate(self) -> bool {
        self.saturate
    }
}

/// `mode` without what changes no result.
pub fn of_results(mode: Mode) -> Mode {
    Mode(mode.0 & MODE_MASK)
}

/// Whether [`Native`] describes `mode`.
pub fn is_native(mode: Mode) -> bool {
    mode.0 & MODE_MASK == MODE_NATIVE
}

/// Whether [`Flushing`] describes `mode`.
pub fn is_flushing(mode: Mode) -> bool {
    mode.0 & MODE_MASK == MODE_FLUSHING
}

/// Whether all types round to nearest even in `mode`.
pub fn is_nearest(mode: Mode) -> bool {
    mode.0 & 0xf == 0
}

/// A floating-point type of the ISA: f16, f32 or f64.
pub trait Float: Copy + PartialOrd + 'static {
    const ZERO: Self;
    const ONE: Self;
    /// The largest value below one.
    const BELOW_ONE: Self;
    /// The part of `mode` that this type obeys.
    fn control(mode: Mode) -> Control;
    fn to_f64(self) -> f64;
    /// To nearest even.
    fn from_f64(value: f64) -> Self;
    fn is_nan(self) -> bool;
    fn is_signaling(self) -> bool;
    fn is_denormal(self) -> bool;
    fn is_negative(self) -> bool;
    fn is_infinite(self) -> bool;
    /// A quiet NaN from any NaN.
    fn quiet(self) -> Self;
    /// Zero of the same sign.
    fn signed_zero(self) -> Self;
    fn negate(self) -> Self;
    fn absolute(self) -> Self;
    fn host_add(self, other: Self) -> Self;
    fn host_mul(self, other: Self) -> Self;
    fn host_fma(self, factor: Self, addend: Self) -> Self;
    fn host_floor(self) -> Self;
    fn host_ceil(self) -> Self;
    fn host_trunc(self) -> Self;
    fn host_rndne(self) -> Self;
    /// Less, with -0 below +0.
    #[inline(always)]
    fn below(self, other: Self) -> bool {
        self < other || (self == other && self.is_negative())
    }
    fn soft_add(self, other: Self, round: Round) -> Self;
    fn soft_mul(self, other: Self, round: Round) -> Self;
    fn soft_fma(self, factor: Self, addend: Self, round: Round) -> Self;
    /// `self * 2^exponent`, to nearest even.
    fn host_scale(self, exponent: i32) -> Self;
    /// `self * 2^exponent`.
    fn soft_scale(self, exponent: i32, round: Round) -> Self;
}

macro_rules! host_float {
    ($f:ident, $u:ident, $control:ident, $scale:ident, $soft:ident, $quiet:expr, $below_one:expr, $mantissa:expr) => {
        impl Float for $f {
            const ZERO: $f = 0.0;
            const ONE: $f = 1.0;
            const BELOW_ONE: $f = $f::from_bits($below_one);
            #[inline(always)]
            fn control(mode: Mode) -> Control {
                $control(mode)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $f
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }
            #[inline(always)]
            fn is_signaling(self) -> bool {
                self != self && self.to_bits() & $quiet == 0
            }
            #[inline(always)]
            fn is_denormal(self) -> bool {
                // One comparison, which the compiler makes vectors of.
                (self.to_bits() & ($u::MAX >> 1)).wrapping_sub(1) < (1 << $mantissa) - 1
            }
            #[inline(always)]
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
            #[inline(always)]
            fn is_infinite(self) -> bool {
                self.abs() == $f::INFINITY
            }
            #[inline(always)]
            fn quiet(self) -> Self {
                $f::from_bits(self.to_bits() | $quiet)
            }
            #[inline(always)]
            fn signed_zero(self) -> Self {
                $f::from_bits(self.to_bits() & !($u::MAX >> 1))
            }
            #[inline(always)]
            fn negate(self) -> Self {
                -self
            }
            #[inline(always)]
            fn absolute(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn host_add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn host_mul(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn host_fma(self, factor: Self, addend: Self) -> Self {
                self.mul_add(factor, addend)
            }
            #[inline(always)]
            fn host_floor(self) -> Self {
                self.floor()
            }
            #[inline(always)]
            fn host_ceil(self) -> Self {
                self.ceil()
            }
            #[inline(always)]
            fn host_trunc(self) -> Self {
                self.trunc()
            }
            #[inline(always)]
            fn host_rndne(self) -> Self {
                self.round_ties_even()
            }
            #[inline(always)]
            fn soft_add(self, other: Self, round: Round) -> Self {
                $soft::add(self, other, round)
            }
            #[inline(always)]
            fn soft_mul(self, other: Self, round: Round) -> Self {
                $soft::mul(self, other, round)
            }
            #[inline(always)]
            fn soft_fma(self, factor: Self, addend: Self, round: Round) -> Self {
                $soft::fma(self, factor, addend, round)
            }
            #[inline(always)]
            fn host_scale(self, exponent: i32) -> Self {
                $scale(self, exponent)
            }
            #[inline(always)]
            fn soft_scale(self, exponent: i32, round: Round) -> Self {
                $soft::scale(self, exponent, round)
            }
        }
    };
}

use crate::fp::rounding::f32 as directed_f32;

host_float!(f32, u32, control_f32, scale_f32, directed_f32, 1 << 22, 0x3f7f_ffff, 23);
host_float!(f64, u64, control_f16_f64, scale_f64, apfloat, 1 << 51, 0x3fef_ffff_ffff_ffff, 52);

/// 2^exponent, for a normal result.
#[inline(always)]
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Exact in f64 for every exponent that leaves anything, then rounded once.
#[inline(always)]
fn scale_f32(value: f32, exponent: i32) -> f32 {
    (f64::from(value) * power_of_two(exponent.clamp(-400, 400))) as f32
}

/// In three steps, of which only the last can be inexact: those before it leave 53 bits of room above the denormals.
#[inline(always)]
fn scale_f64(value: f64, exponent: i32) -> f64 {
    let mut rest = exponent.clamp(-2200, 2200);
    let mut value = value;
    for _ in 0..2 {
        let step = rest.clamp(-1022 + 53, 1023);
        let step = if (-1022..=1023).contains(&rest) { 0 } else { step };
        value *= power_of_two(step);
        rest -= step;
    }
    value * power_of_two(rest.clamp(-1022, 1023))
}

#[inline(always)]
fn control_f32(mode: Mode) -> Control {
    let denormals = mode.denorm_f32();
    Control { round: Round::new(mode.round_f32()), flush_in: denormals & 1 == 0, flush_out: denormals & 2 == 0 }
}

#[inline(always)]
fn control_f16_f64(mode: Mode) -> Control {
    let denormals = mode.denorm_f16_f64();
    Control { round: Round::new(mode.round_f16_f64()), flush_in: denormals & 1 == 0, flush_out: denormals & 2 == 0 }
}

/// `value`, or zero of its sign if it is denormal.
#[inline(always)]
pub fn flush<F: Float>(value: F) -> F {
    if value.is_denormal() { value.signed_zero() } else { value }
}

/// A source as the mode lets the operation see it.
#[inline(always)]
pub fn input<E: Env, F: Float>(e: E, value: F) -> F {
    if !E::NATIVE && F::control(e.mode()).flush_in { flush(value) } else { value }
}

/// A result as the mode lets it out.
#[inline(always)]
pub fn output<E: Env, F: Float>(e: E, value: F) -> F {
    if !E::NATIVE && F::control(e.mode()).flush_out { flush(value) } else { value }
}

#[inline(always)]
pub fn add<E: Env, F: Float>(e: E, a: F, b: F) -> F {
    if E::NATIVE {
        return a.host_add(b);
    }
    let (a, b) = (input(e, a), input(e, b));
    output(e, rounded(e, || first_nan(a, a.host_add(b)), |r| a.soft_add(b, r)))
}

#[inline(always)]
pub fn sub<E: Env, F: Float>(e: E, a: F, b: F) -> F {
    // The sign is changed last, which makes a subtraction of the host of both: of NaN it keeps the sign, in every mode.
    let (a, b) = (input(e, a), input(e, b));
    output(e, rounded(e, || a.host_add(b.negate()), |r| a.soft_add(b.negate(), r)))
}

#[inline(always)]
pub fn mul<E: Env, F: Float>(e: E, a: F, b: F) -> F {
    if E::NATIVE {
        return a.host_mul(b);
    }
    let (a, b) = (input(e, a), input(e, b));
    output(e, rounded(e, || first_nan(a, a.host_mul(b)), |r| a.soft_mul(b, r)))
}

/// Multiply-add with one rounding.
#[inline(always)]
pub fn fma<E: Env, F: Float>(e: E, a: F, b: F, c: F) -> F {
    if E::NATIVE {
        return a.host_fma(b, c);
    }
    let (a, b, c) = (input(e, a), input(e, b), input(e, c));
    output(e, rounded(e, || first_nan(a, first_nan(b, a.host_fma(b, c))), |r| a.soft_fma(b, c, r)))
}

/// Multiply-add with two roundings, which flushes denormals in every mode.
#[inline(always)]
pub fn mad<E: Env, F: Float>(e: E, a: F, b: F, c: F) -> F {
    let (a, b, c) = (flush(a), flush(b), flush(c));
    let product = flush(rounded(e, || a.host_mul(b), |r| a.soft_mul(b, r)));
    let sum = flush(rounded(e, || product.host_add(c), |r| product.soft_add(c, r)));
    first_nan(a, first_nan(b, first_nan(product, first_nan(c, sum))))
}

/// `a * b` where zero times anything is zero.
#[inline(always)]
pub fn mul_legacy<E: Env>(e: E, a: f32, b: f32) -> f32 {
    if input(e, a) == 0.0 || input(e, b) == 0.0 { 0.0 } else { mul(e, a, b) }
}

/// `result`, unless `operand` is no number, which it then is: of several the first one. The compiler may change the
/// order of factors, and of terms.
#[inline(always)]
pub fn first_nan<F: Float>(operand: F, result: F) -> F {
    if operand.is_nan() { operand.quiet() } else { result }
}

#[inline(always)]
fn rounded<E: Env, F: Float>(e: E, host: impl FnOnce() -> F, soft: impl FnOnce(Round) -> F) -> F {
    if E::NEAREST { host() } else { soft(F::control(e.mode()).round) }
}

/// `value * 2^exponent`.
#[inline]
pub fn ldexp<E: Env, F: Float>(e: E, value: F, exponent: i32) -> F {
    let value = input(e, value);
    if value.is_nan() {
        return value.quiet();
    }
    output(e, rounded(e, || value.host_scale(exponent), |r| value.soft_scale(exponent, r)))
}

/// The minimum by the NaN rules of `MODE.IEEE`; -0 is below +0.
#[inline(always)]
pub fn min<E: Env, F: Float>(e: E, a: F, b: F) -> F {
    let (a, b) = (input(e, a), input(e, b));
    let less = if a.below(b) { a } else { b };
    output(e, choose_number(e, a, b, less))
}

/// The maximum, as [`min`].
#[inline(always)]
pub fn max<E: Env, F: Float>(e: E, a: F, b: F) -> F {
    let (a, b) = (input(e, a), input(e, b));
    let more = if b.below(a) { a } else { b };
    output(e, choose_number(e, a, b, more))
}

/// `otherwise`, unless a NaN decides: IEEE mode lets a signaling NaN through (quiet); else the other source is the
/// result.
#[inline(always)]
fn choose_number<E: Env, F: Float>(e: E, a: F, b: F, otherwise: F) -> F {
    let mut result = otherwise;
    result = if b.is_nan() { a } else { result };
    result = if a.is_nan() { b } else { result };
    if e.mode().ieee() {
        result = if b.is_signaling() { b.quiet() } else { result };
        result = if a.is_signaling() { a.quiet() } else { result };
    }
    result
}

/// The median; with a NaN the minimum. Of zeros with both signs the result is the one that the ISA's definition by
/// [`max`] gives.
#[inline(always)]
pub fn med3<E: Env, F: Float>(e: E, a: F, b: F, c: F) -> F {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return min(e, min(e, a, b), c);
    }
    let (a, b, c) = (input(e, a), input(e, b), input(e, c));
    let highest = max(e, max(e, a, b), c);
    if highest == a {
        max(e, b, c)
    } else if highest == b {
        max(e, a, c)
    } else {
        max(e, a, b)
    }
}

/// `a` by one of the host's functions for whole numbers. Those of hosts without an instruction for it give signaling
/// NaN back as they are.
#[inline(always)]
fn whole<E: Env, F: Float>(e: E, a: F, host: impl FnOnce(F) -> F) -> F {
    let a = input(e, a);
    if !E::NATIVE && a.is_nan() { a.quiet() } else { host(a) }
}

#[inline(always)]
pub fn floor<E: Env, F: Float>(e: E, a: F) -> F {
    whole(e, a, F::host_floor)
}

#[inline(always)]
pub fn ceil<E: Env, F: Float>(e: E, a: F) -> F {
    whole(e, a, F::host_ceil)
}

#[inline(always)]
pub fn trunc<E: Env, F: Float>(e: E, a: F) -> F {
    whole(e, a, F::host_trunc)
}

#[inline(always)]
pub fn rndne<E: Env, F: Float>(e: E, a: F) -> F {
    whole(e, a, F::host_rndne)
}

/// The fraction, in \[0, 1).
#[inline(always)]
pub fn fract<E: Env, F: Float>(e: E, a: F) -> F {
    let a = input(e, a);
    let fraction = sub(e, a, a.host_floor());
    if fraction >= F::ONE { F::BELOW_ONE } else { fraction }
}

/// The `clamp` modifier: into \[0, 1\]; NaN becomes 0 if DX10_CLAMP is set.
#[inline(always)]
pub fn clamp<F: Float>(mode: Mode, value: F) -> F {
    if value.is_nan() {
        return if mode.dx10_clamp() { F::ZERO } else { value };
    }
    if value > F::ONE {
        F::ONE
    } else if value > F::ZERO {
        value
    } else {
        F::ZERO
    }
}

/// The output modifier `omod` (1: times 2, 2: times 4, 3: half). The hardware ignores it in IEEE mode and where
/// denormal results are kept.
#[inline]
pub fn output_modifier<F: Float>(mode: Mode, omod: u8, value: F) -> F {
    let control = F::control(mode);
    if omod == 0 || mode.ieee() || !control.flush_out || value.is_nan() {
        return value;
    }
    let exponent = match omod {
        1 => 1,
        2 => 2,
        _ => -1,
    };
    let scaled = flush(value.soft_scale(exponent, control.round));
    // Not IEEE in this either: there is no negative zero.
    if scaled == F::ZERO { F::ZERO } else { scaled }
}

/// Class bits in the order of `v_cmp_class`: signaling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal,
/// +normal, +inf. A denormal is one in every mode, as `llvm.is.fpclass` has it, which LLVM makes this operation of.
#[inline(always)]
pub fn class<F: Float>(value: F) -> u32 {
    if value.is_nan() {
        return if value.is_signaling() { 1 } else { 2 };
    }
    let magnitude = if value.is_infinite() {
        3
    } else if value.is_denormal() {
        1
    } else if value == F::ZERO {
        0
    } else {
        2
    };
    if value.is_negative() { 1 << (5 - magnitude) } else { 1 << (6 + magnitude) }
}
