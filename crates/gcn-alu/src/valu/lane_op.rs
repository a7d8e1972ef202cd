//! Defines an operation as a [`Kernel`], and the tables that list them.

use crate::simd::Isa;
use crate::valu::operand::Source;
use crate::valu::types::{Output, Value};
use crate::valu::vectorize::{Results, lanes_in};
use crate::valu::{Env, Native};

/// An operation, defined by its result in one lane.
pub trait Kernel: Sized + 'static {
    type A: Value;
    type B: Value;
    type C: Value;
    type D: Output;
    /// Compilers emit it all the time: worth its own copy of everything.
    const HOT: bool = false;
    /// The last source is the destination.
    const ACCUMULATE: bool = false;
    /// A 16-bit result leaves the other half of the register as it is.
    const KEEP_HALF: bool = false;
    /// The result goes to the high half (with `KEEP_HALF`).
    const HIGH_HALF: bool = false;
    /// The last source comes with VCC ([`WithVcc`]).
    const VCC: bool = false;
    /// The mask is written to EXEC too.
    const TO_EXEC: bool = false;
    fn lane<E: Env>(e: E, a: Self::A, b: Self::B, c: Self::C) -> Self::D;
    /// All lanes in the usual modes. Those of f16 that are arithmetic on floats, rounded, are done so.
    #[inline(always)]
    fn all_lanes<I: Isa>(a: Source, b: Source, c: Source, out: &mut Results) {
        lanes_in::<Self, Native, I>(Native, a, b, c, out);
    }
}

/// Constants of `Kernel` by the words used in the tables.
macro_rules! kernel_flag {
    (hot) => {
        const HOT: bool = true;
    };
    (accumulate) => {
        const ACCUMULATE: bool = true;
    };
    (keep_half) => {
        const KEEP_HALF: bool = true;
    };
    (high_half) => {
        const KEEP_HALF: bool = true;
        const HIGH_HALF: bool = true;
    };
    (vcc) => {
        const VCC: bool = true;
    };
    (half_add) => {
        kernel_flag!(by |a, b, _| $crate::fp::first_nan(a, a + b));
    };
    (half_sub) => {
        kernel_flag!(by |a, b, _| a - b);
    };
    (half_subrev) => {
        kernel_flag!(by |a, b, _| b - a);
    };
    (half_mul) => {
        kernel_flag!(by |a, b, _| $crate::fp::first_nan(a, a * b));
    };
    (half_fma) => {
        kernel_flag!(by $crate::fp::fma_odd);
    };
    (by $operation:expr) => {
        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn all_lanes<I: $crate::simd::Isa>(a: Source, b: Source, c: Source, out: &mut Results) {
            $crate::valu::vectorize::halves::<Self, I>($operation, a, b, c, out);
        }
    };
    (to_exec) => {
        const TO_EXEC: bool = true;
    };
}

/// A table of operations: name, flags, and what one lane does with its sources in environment `e`.
macro_rules! kernels {
    ($($op:ident $(@$flag:ident)* |$e:ident, $a:ident: $ta:ty $(, $b:ident: $tb:ty $(, $c:ident: $tc:ty)?)?| -> $td:ty $body:block)*) => {
        mod ops {
            $(pub struct $op;)*
        }
        $(impl Kernel for ops::$op {
            type A = $ta;
            type B = kernels!(@or_unit $($tb)?);
            type C = kernels!(@or_unit $($($tc)?)?);
            type D = $td;
            $(kernel_flag!($flag);)*
            #[allow(unused_variables)]
            #[inline(always)]
            fn lane<E: Env>($e: E, $a: $ta, b: Self::B, c: Self::C) -> $td {
                $(let $b = b; $(let $c = c;)?)?
                $body
            }
        })*

        /// The function that executes `inst`, if it is one of this table.
        pub fn lower(inst: &Inst) -> Option<AluFn> {
            Some(match inst.op {
                $(Op::$op => lower_kernel::<ops::$op>(inst),)*
                _ => return None,
            })
        }
    };
    (@or_unit) => { () };
    (@or_unit $t:ty) => { $t };
}
pub(crate) use {kernel_flag, kernels};
