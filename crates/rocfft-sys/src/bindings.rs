// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub type rocfft_array_type = rocfft_array_type_e;
pub type rocfft_brick = *mut rocfft_brick_t;
pub type rocfft_comm_type = rocfft_comm_type_e;
pub type rocfft_execution_info = *mut rocfft_execution_info_t;
pub type rocfft_field = *mut rocfft_field_t;
pub type rocfft_plan = *mut rocfft_plan_t;
pub type rocfft_plan_description = *mut rocfft_plan_description_t;
pub type rocfft_precision = rocfft_precision_e;
pub type rocfft_result_placement = rocfft_result_placement_e;
pub type rocfft_status = rocfft_status_e;
pub type rocfft_transform_type = rocfft_transform_type_e;
c_enums! {
    rocfft_array_type_e: c_uint {
        rocfft_array_type_complex_interleaved = 0,
        rocfft_array_type_complex_planar = 1,
        rocfft_array_type_real = 2,
        rocfft_array_type_hermitian_interleaved = 3,
        rocfft_array_type_hermitian_planar = 4,
        rocfft_array_type_unset = 5,
    }
    rocfft_comm_type_e: c_uint {
        rocfft_comm_none = 0,
        rocfft_comm_mpi = 1,
    }
    rocfft_precision_e: c_uint {
        rocfft_precision_single = 0,
        rocfft_precision_double = 1,
        rocfft_precision_half = 2,
    }
    rocfft_result_placement_e: c_uint {
        rocfft_placement_inplace = 0,
        rocfft_placement_notinplace = 1,
    }
    rocfft_status_e: c_uint {
        rocfft_status_success = 0,
        rocfft_status_failure = 1,
        rocfft_status_invalid_arg_value = 2,
        rocfft_status_invalid_dimensions = 3,
        rocfft_status_invalid_array_type = 4,
        rocfft_status_invalid_strides = 5,
        rocfft_status_invalid_distance = 6,
        rocfft_status_invalid_offset = 7,
        rocfft_status_invalid_work_buffer = 8,
    }
    rocfft_transform_type_e: c_uint {
        rocfft_transform_type_complex_forward = 0,
        rocfft_transform_type_complex_inverse = 1,
        rocfft_transform_type_real_forward = 2,
        rocfft_transform_type_real_inverse = 3,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocfft_brick_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocfft_execution_info_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocfft_field_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocfft_plan_description_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocfft_plan_t {
    pub _unused: [u8; 0],
}
zeroed_default! {
    rocfft_brick_t,
    rocfft_execution_info_t,
    rocfft_field_t,
    rocfft_plan_description_t,
    rocfft_plan_t,
}
