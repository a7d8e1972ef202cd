// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const ROCBLAS_VERSION_MAJOR: u32 = 5;
pub const ROCBLAS_VERSION_MINOR: u32 = 2;
pub const ROCBLAS_VERSION_PATCH: u32 = 0;
pub type rocblas_atomics_mode = rocblas_atomics_mode_;
pub type rocblas_check_numerics_mode = rocblas_check_numerics_mode_;
pub type rocblas_computetype = rocblas_computetype_;
pub type rocblas_datatype = rocblas_datatype_;
pub type rocblas_diagonal = rocblas_diagonal_;
pub type rocblas_double = f64;
pub type rocblas_fill = rocblas_fill_;
pub type rocblas_float = f32;
pub type rocblas_geam_ex_operation = rocblas_geam_ex_operation_;
pub type rocblas_gemm_algo = rocblas_gemm_algo_;
pub type rocblas_gemm_flags = rocblas_gemm_flags_;
pub type rocblas_handle = *mut _rocblas_handle;
pub type rocblas_int = i32;
pub type rocblas_int8_type_for_hipblas = rocblas_int8_type_for_hipblas_;
pub type rocblas_layer_mode = rocblas_layer_mode_;
pub type rocblas_math_mode = rocblas_math_mode_;
pub type rocblas_operation = rocblas_operation_;
pub type rocblas_performance_metric = rocblas_performance_metric_;
pub type rocblas_pointer_mode = rocblas_pointer_mode_;
pub type rocblas_side = rocblas_side_;
pub type rocblas_status = rocblas_status_;
pub type rocblas_stride = i64;
pub type rocblas_union_t = rocblas_union_u;
c_enums! {
    rocblas_atomics_mode_: c_uint {
        rocblas_atomics_not_allowed = 0,
        rocblas_atomics_allowed = 1,
    }
    rocblas_check_numerics_mode_: c_uint {
        rocblas_check_numerics_mode_no_check = 0,
        rocblas_check_numerics_mode_info = 1,
        rocblas_check_numerics_mode_warn = 2,
        rocblas_check_numerics_mode_fail = 4,
        rocblas_check_numerics_mode_only_nan_inf = 8,
    }
    rocblas_computetype_: c_uint {
        rocblas_compute_type_f32 = 300,
        rocblas_compute_type_f8_f8_f32 = 301,
        rocblas_compute_type_f8_bf8_f32 = 302,
        rocblas_compute_type_bf8_f8_f32 = 303,
        rocblas_compute_type_bf8_bf8_f32 = 304,
        rocblas_compute_type_invalid = 455,
    }
    rocblas_datatype_: c_uint {
        rocblas_datatype_f16_r = 150,
        rocblas_datatype_f32_r = 151,
        rocblas_datatype_f64_r = 152,
        rocblas_datatype_f16_c = 153,
        rocblas_datatype_f32_c = 154,
        rocblas_datatype_f64_c = 155,
        rocblas_datatype_i8_r = 160,
        rocblas_datatype_u8_r = 161,
        rocblas_datatype_i32_r = 162,
        rocblas_datatype_u32_r = 163,
        rocblas_datatype_i8_c = 164,
        rocblas_datatype_u8_c = 165,
        rocblas_datatype_i32_c = 166,
        rocblas_datatype_u32_c = 167,
        rocblas_datatype_bf16_r = 168,
        rocblas_datatype_bf16_c = 169,
        rocblas_datatype_invalid = 255,
        rocblas_datatype_f8_r = 170,
        rocblas_datatype_bf8_r = 171,
    }
    rocblas_diagonal_: c_uint {
        rocblas_diagonal_non_unit = 131,
        rocblas_diagonal_unit = 132,
    }
    rocblas_fill_: c_uint {
        rocblas_fill_upper = 121,
        rocblas_fill_lower = 122,
        rocblas_fill_full = 123,
    }
    rocblas_geam_ex_operation_: c_uint {
        rocblas_geam_ex_operation_min_plus = 0,
        rocblas_geam_ex_operation_plus_min = 1,
    }
    rocblas_gemm_algo_: c_uint {
        rocblas_gemm_algo_standard = 0,
        rocblas_gemm_algo_solution_index = 1,
    }
    rocblas_gemm_flags_: c_uint {
        rocblas_gemm_flags_none = 0,
        rocblas_gemm_flags_use_cu_efficiency = 2,
        rocblas_gemm_flags_fp16_alt_impl = 4,
        rocblas_gemm_flags_check_solution_index = 8,
        rocblas_gemm_flags_fp16_alt_impl_rnz = 16,
        rocblas_gemm_flags_stochastic_rounding = 32,
        rocblas_gemm_flags_pack_int8x4 = 1,
    }
    rocblas_int8_type_for_hipblas_: c_uint {
        rocblas_int8_type_for_hipblas_default = 0,
        rocblas_int8_type_for_hipblas_int8 = 1,
        rocblas_int8_type_for_hipblas_pack_int8x4 = 2,
    }
    rocblas_layer_mode_: c_uint {
        rocblas_layer_mode_none = 0,
        rocblas_layer_mode_log_trace = 1,
        rocblas_layer_mode_log_bench = 2,
        rocblas_layer_mode_log_profile = 4,
        rocblas_layer_mode_log_internal = 8,
    }
    rocblas_math_mode_: c_uint {
        rocblas_default_math = 0,
        rocblas_xf32_xdl_math_op = 1,
    }
    rocblas_operation_: c_uint {
        rocblas_operation_none = 111,
        rocblas_operation_transpose = 112,
        rocblas_operation_conjugate_transpose = 113,
    }
    rocblas_performance_metric_: c_uint {
        rocblas_default_performance_metric = 0,
        rocblas_device_efficiency_performance_metric = 1,
        rocblas_cu_efficiency_performance_metric = 2,
    }
    rocblas_pointer_mode_: c_uint {
        rocblas_pointer_mode_host = 0,
        rocblas_pointer_mode_device = 1,
    }
    rocblas_side_: c_uint {
        rocblas_side_left = 141,
        rocblas_side_right = 142,
        rocblas_side_both = 143,
    }
    rocblas_status_: c_uint {
        rocblas_status_success = 0,
        rocblas_status_invalid_handle = 1,
        rocblas_status_not_implemented = 2,
        rocblas_status_invalid_pointer = 3,
        rocblas_status_invalid_size = 4,
        rocblas_status_memory_error = 5,
        rocblas_status_internal_error = 6,
        rocblas_status_perf_degraded = 7,
        rocblas_status_size_query_mismatch = 8,
        rocblas_status_size_increased = 9,
        rocblas_status_size_unchanged = 10,
        rocblas_status_invalid_value = 11,
        rocblas_status_continue = 12,
        rocblas_status_check_numerics_fail = 13,
        rocblas_status_excluded_from_build = 14,
        rocblas_status_arch_mismatch = 15,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocblas_handle {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_bf8 {
    pub data: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_bfloat16 {
    pub data: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_device_malloc_base {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_double_complex {
    pub x: f64,
    pub y: f64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_f8 {
    pub data: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_float_complex {
    pub x: f32,
    pub y: f32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_half {
    pub data: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_int8x4 {
    pub a: i8,
    pub b: i8,
    pub c: i8,
    pub d: i8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union rocblas_union_u {
    pub h: rocblas_half,
    pub s: f32,
    pub d: f64,
    pub i: i32,
    pub c: rocblas_float_complex,
    pub z: rocblas_double_complex,
}
zeroed_default! {
    _rocblas_handle,
    rocblas_bf8,
    rocblas_bfloat16,
    rocblas_device_malloc_base,
    rocblas_double_complex,
    rocblas_f8,
    rocblas_float_complex,
    rocblas_half,
    rocblas_int8x4,
    rocblas_union_u,
}
