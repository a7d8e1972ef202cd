//! Comparisons that write a mask; the `x` forms also write EXEC.

#![allow(
    clippy::double_comparisons,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nonminimal_bool,
    reason = "each comparison is written as the ISA defines it for NaN"
)]

use crate::fp::{Float, class, input};
use crate::valu::*;

kernels! {
    VCmpFF32 |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| false) }
    VCmpLtF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a < b) }
    VCmpEqF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a == b) }
    VCmpLeF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a <= b) }
    VCmpGtF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a > b) }
    VCmpLgF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a < b || a > b) }
    VCmpGeF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a >= b) }
    VCmpOF32 |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !a.is_nan() && !b.is_nan()) }
    VCmpUF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a.is_nan() || b.is_nan()) }
    VCmpNgeF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a >= b)) }
    VCmpNlgF32 |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a < b || a > b)) }
    VCmpNgtF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a > b)) }
    VCmpNleF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a <= b)) }
    VCmpNeqF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a != b) }
    VCmpNltF32 @hot |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a < b)) }
    VCmpTruF32 |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| true) }
    VCmpxFF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| false) }
    VCmpxLtF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a < b) }
    VCmpxEqF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a == b) }
    VCmpxLeF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a <= b) }
    VCmpxGtF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a > b) }
    VCmpxLgF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a < b || a > b) }
    VCmpxGeF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a >= b) }
    VCmpxOF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !a.is_nan() && !b.is_nan()) }
    VCmpxUF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a.is_nan() || b.is_nan()) }
    VCmpxNgeF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a >= b)) }
    VCmpxNlgF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a < b || a > b)) }
    VCmpxNgtF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a > b)) }
    VCmpxNleF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a <= b)) }
    VCmpxNeqF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| a != b) }
    VCmpxNltF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| !(a < b)) }
    VCmpxTruF32 @to_exec |e, a: f32, b: f32| -> bool { float_compare(e, a, b, |a, b| true) }
    VCmpClassF32 |e, a: f32, b: u32| -> bool { class(a) & b != 0 }
    VCmpxClassF32 @to_exec |e, a: f32, b: u32| -> bool { class(a) & b != 0 }

    VCmpFF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| false) }
    VCmpLtF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a < b) }
    VCmpEqF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a == b) }
    VCmpLeF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a <= b) }
    VCmpGtF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a > b) }
    VCmpLgF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a < b || a > b) }
    VCmpGeF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a >= b) }
    VCmpOF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !a.is_nan() && !b.is_nan()) }
    VCmpUF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a.is_nan() || b.is_nan()) }
    VCmpNgeF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a >= b)) }
    VCmpNlgF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a < b || a > b)) }
    VCmpNgtF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a > b)) }
    VCmpNleF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a <= b)) }
    VCmpNeqF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a != b) }
    VCmpNltF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a < b)) }
    VCmpTruF64 |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| true) }
    VCmpxFF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| false) }
    VCmpxLtF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a < b) }
    VCmpxEqF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a == b) }
    VCmpxLeF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a <= b) }
    VCmpxGtF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a > b) }
    VCmpxLgF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a < b || a > b) }
    VCmpxGeF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a >= b) }
    VCmpxOF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !a.is_nan() && !b.is_nan()) }
    VCmpxUF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a.is_nan() || b.is_nan()) }
    VCmpxNgeF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a >= b)) }
    VCmpxNlgF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a < b || a > b)) }
    VCmpxNgtF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a > b)) }
    VCmpxNleF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a <= b)) }
    VCmpxNeqF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| a != b) }
    VCmpxNltF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| !(a < b)) }
    VCmpxTruF64 @to_exec |e, a: f64, b: f64| -> bool { float_compare(e, a, b, |a, b| true) }
    VCmpClassF64 |e, a: f64, b: u32| -> bool { class(a) & b != 0 }
    VCmpxClassF64 @to_exec |e, a: f64, b: u32| -> bool { class(a) & b != 0 }

    VCmpFF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| false) }
    VCmpLtF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a < b) }
    VCmpEqF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a == b) }
    VCmpLeF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a <= b) }
    VCmpGtF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a > b) }
    VCmpLgF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a < b || a > b) }
    VCmpGeF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a >= b) }
    VCmpOF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !a.is_nan() && !b.is_nan()) }
    VCmpUF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a.is_nan() || b.is_nan()) }
    VCmpNgeF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a >= b)) }
    VCmpNlgF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a < b || a > b)) }
    VCmpNgtF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a > b)) }
    VCmpNleF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a <= b)) }
    VCmpNeqF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a != b) }
    VCmpNltF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a < b)) }
    VCmpTruF16 |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| true) }
    VCmpxFF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| false) }
    VCmpxLtF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a < b) }
    VCmpxEqF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a == b) }
    VCmpxLeF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a <= b) }
    VCmpxGtF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a > b) }
    VCmpxLgF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a < b || a > b) }
    VCmpxGeF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a >= b) }
    VCmpxOF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !a.is_nan() && !b.is_nan()) }
    VCmpxUF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a.is_nan() || b.is_nan()) }
    VCmpxNgeF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a >= b)) }
    VCmpxNlgF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a < b || a > b)) }
    VCmpxNgtF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a > b)) }
    VCmpxNleF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a <= b)) }
    VCmpxNeqF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| a != b) }
    VCmpxNltF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| !(a < b)) }
    VCmpxTruF16 @to_exec |e, a: F16, b: F16| -> bool { float_compare(e, a, b, |a, b| true) }
    VCmpClassF16 |e, a: F16, b: u32| -> bool { class(a) & b != 0 }
    VCmpxClassF16 @to_exec |e, a: F16, b: u32| -> bool { class(a) & b != 0 }

    VCmpFI32 |e, a: i32, b: i32| -> bool { false }
    VCmpLtI32 @hot |e, a: i32, b: i32| -> bool { a < b }
    VCmpEqI32 @hot |e, a: i32, b: i32| -> bool { a == b }
    VCmpLeI32 @hot |e, a: i32, b: i32| -> bool { a <= b }
    VCmpGtI32 @hot |e, a: i32, b: i32| -> bool { a > b }
    VCmpNeI32 @hot |e, a: i32, b: i32| -> bool { a != b }
    VCmpGeI32 @hot |e, a: i32, b: i32| -> bool { a >= b }
    VCmpTI32 |e, a: i32, b: i32| -> bool { true }
    VCmpxFI32 @to_exec |e, a: i32, b: i32| -> bool { false }
    VCmpxLtI32 @to_exec |e, a: i32, b: i32| -> bool { a < b }
    VCmpxEqI32 @to_exec |e, a: i32, b: i32| -> bool { a == b }
    VCmpxLeI32 @to_exec |e, a: i32, b: i32| -> bool { a <= b }
    VCmpxGtI32 @to_exec |e, a: i32, b: i32| -> bool { a > b }
    VCmpxNeI32 @to_exec |e, a: i32, b: i32| -> bool { a != b }
    VCmpxGeI32 @to_exec |e, a: i32, b: i32| -> bool { a >= b }
    VCmpxTI32 @to_exec |e, a: i32, b: i32| -> bool { true }

    VCmpFU32 |e, a: u32, b: u32| -> bool { false }
    VCmpLtU32 @hot |e, a: u32, b: u32| -> bool { a < b }
    VCmpEqU32 @hot |e, a: u32, b: u32| -> bool { a == b }
    VCmpLeU32 @hot |e, a: u32, b: u32| -> bool { a <= b }
    VCmpGtU32 @hot |e, a: u32, b: u32| -> bool { a > b }
    VCmpNeU32 @hot |e, a: u32, b: u32| -> bool { a != b }
    VCmpGeU32 @hot |e, a: u32, b: u32| -> bool { a >= b }
    VCmpTU32 |e, a: u32, b: u32| -> bool { true }
    VCmpxFU32 @to_exec |e, a: u32, b: u32| -> bool { false }
    VCmpxLtU32 @to_exec |e, a: u32, b: u32| -> bool { a < b }
    VCmpxEqU32 @to_exec |e, a: u32, b: u32| -> bool { a == b }
    VCmpxLeU32 @to_exec |e, a: u32, b: u32| -> bool { a <= b }
    VCmpxGtU32 @to_exec |e, a: u32, b: u32| -> bool { a > b }
    VCmpxNeU32 @to_exec |e, a: u32, b: u32| -> bool { a != b }
    VCmpxGeU32 @to_exec |e, a: u32, b: u32| -> bool { a >= b }
    VCmpxTU32 @to_exec |e, a: u32, b: u32| -> bool { true }

    VCmpFI16 |e, a: i16, b: i16| -> bool { false }
    VCmpLtI16 |e, a: i16, b: i16| -> bool { a < b }
    VCmpEqI16 |e, a: i16, b: i16| -> bool { a == b }
    VCmpLeI16 |e, a: i16, b: i16| -> bool { a <= b }
    VCmpGtI16 |e, a: i16, b: i16| -> bool { a > b }
    VCmpNeI16 |e, a: i16, b: i16| -> bool { a != b }
    VCmpGeI16 |e, a: i16, b: i16| -> bool { a >= b }
    VCmpTI16 |e, a: i16, b: i16| -> bool { true }
    VCmpxFI16 @to_exec |e, a: i16, b: i16| -> bool { false }
    VCmpxLtI16 @to_exec |e, a: i16, b: i16| -> bool { a < b }
    VCmpxEqI16 @to_exec |e, a: i16, b: i16| -> bool { a == b }
    VCmpxLeI16 @to_exec |e, a: i16, b: i16| -> bool { a <= b }
    VCmpxGtI16 @to_exec |e, a: i16, b: i16| -> bool { a > b }
    VCmpxNeI16 @to_exec |e, a: i16, b: i16| -> bool { a != b }
    VCmpxGeI16 @to_exec |e, a: i16, b: i16| -> bool { a >= b }
    VCmpxTI16 @to_exec |e, a: i16, b: i16| -> bool { true }

    VCmpFU16 |e, a: u16, b: u16| -> bool { false }
    VCmpLtU16 |e, a: u16, b: u16| -> bool { a < b }
    VCmpEqU16 |e, a: u16, b: u16| -> bool { a == b }
    VCmpLeU16 |e, a: u16, b: u16| -> bool { a <= b }
    VCmpGtU16 |e, a: u16, b: u16| -> bool { a > b }
    VCmpNeU16 |e, a: u16, b: u16| -> bool { a != b }
    VCmpGeU16 |e, a: u16, b: u16| -> bool { a >= b }
    VCmpTU16 |e, a: u16, b: u16| -> bool { true }
    VCmpxFU16 @to_exec |e, a: u16, b: u16| -> bool { false }
    VCmpxLtU16 @to_exec |e, a: u16, b: u16| -> bool { a < b }
    VCmpxEqU16 @to_exec |e, a: u16, b: u16| -> bool { a == b }
    VCmpxLeU16 @to_exec |e, a: u16, b: u16| -> bool { a <= b }
    VCmpxGtU16 @to_exec |e, a: u16, b: u16| -> bool { a > b }
    VCmpxNeU16 @to_exec |e, a: u16, b: u16| -> bool { a != b }
    VCmpxGeU16 @to_exec |e, a: u16, b: u16| -> bool { a >= b }
    VCmpxTU16 @to_exec |e, a: u16, b: u16| -> bool { true }

    VCmpFI64 |e, a: i64, b: i64| -> bool { false }
    VCmpLtI64 |e, a: i64, b: i64| -> bool { a < b }
    VCmpEqI64 |e, a: i64, b: i64| -> bool { a == b }
    VCmpLeI64 |e, a: i64, b: i64| -> bool { a <= b }
    VCmpGtI64 |e, a: i64, b: i64| -> bool { a > b }
    VCmpNeI64 |e, a: i64, b: i64| -> bool { a != b }
    VCmpGeI64 |e, a: i64, b: i64| -> bool { a >= b }
    VCmpTI64 |e, a: i64, b: i64| -> bool { true }
    VCmpxFI64 @to_exec |e, a: i64, b: i64| -> bool { false }
    VCmpxLtI64 @to_exec |e, a: i64, b: i64| -> bool { a < b }
    VCmpxEqI64 @to_exec |e, a: i64, b: i64| -> bool { a == b }
    VCmpxLeI64 @to_exec |e, a: i64, b: i64| -> bool { a <= b }
    VCmpxGtI64 @to_exec |e, a: i64, b: i64| -> bool { a > b }
    VCmpxNeI64 @to_exec |e, a: i64, b: i64| -> bool { a != b }
    VCmpxGeI64 @to_exec |e, a: i64, b: i64| -> bool { a >= b }
    VCmpxTI64 @to_exec |e, a: i64, b: i64| -> bool { true }

    VCmpFU64 |e, a: u64, b: u64| -> bool { false }
    VCmpLtU64 @hot |e, a: u64, b: u64| -> bool { a < b }
    VCmpEqU64 @hot |e, a: u64, b: u64| -> bool { a == b }
    VCmpLeU64 @hot |e, a: u64, b: u64| -> bool { a <= b }
    VCmpGtU64 @hot |e, a: u64, b: u64| -> bool { a > b }
    VCmpNeU64 @hot |e, a: u64, b: u64| -> bool { a != b }
    VCmpGeU64 @hot |e, a: u64, b: u64| -> bool { a >= b }
    VCmpTU64 |e, a: u64, b: u64| -> bool { true }
    VCmpxFU64 @to_exec |e, a: u64, b: u64| -> bool { false }
    VCmpxLtU64 @to_exec |e, a: u64, b: u64| -> bool { a < b }
    VCmpxEqU64 @to_exec |e, a: u64, b: u64| -> bool { a == b }
    VCmpxLeU64 @to_exec |e, a: u64, b: u64| -> bool { a <= b }
    VCmpxGtU64 @to_exec |e, a: u64, b: u64| -> bool { a > b }
    VCmpxNeU64 @to_exec |e, a: u64, b: u64| -> bool { a != b }
    VCmpxGeU64 @to_exec |e, a: u64, b: u64| -> bool { a >= b }
    VCmpxTU64 @to_exec |e, a: u64, b: u64| -> bool { true }
}

#[inline(always)]
fn float_compare<E: Env, F: Float>(e: E, a: F, b: F, test: impl Fn(F, F) -> bool) -> bool {
    test(input(e, a), input(e, b))
}
