// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const ROCSOLVER_VERSION_MAJOR: u32 = 3;
pub const ROCSOLVER_VERSION_MINOR: u32 = 32;
pub const ROCSOLVER_VERSION_PATCH: u32 = 0;
pub type rocblas_direct = rocblas_direct_;
pub type rocblas_eform = rocblas_eform_;
pub type rocblas_eorder = rocblas_eorder_;
pub type rocblas_erange = rocblas_erange_;
pub type rocblas_esort = rocblas_esort_;
pub type rocblas_evect = rocblas_evect_;
pub type rocblas_layer_mode_ex = rocblas_layer_mode_ex_;
pub type rocblas_layer_mode_flags = u32;
pub type rocblas_pivot = rocblas_pivot_;
pub type rocblas_srange = rocblas_srange_;
pub type rocblas_storev = rocblas_storev_;
pub type rocblas_svect = rocblas_svect_;
pub type rocblas_workmode = rocblas_workmode_;
pub type rocsolver_alg_mode = rocsolver_alg_mode_;
pub type rocsolver_diagonal = rocblas_diagonal;
pub type rocsolver_direction = rocblas_direct;
pub type rocsolver_double_complex = rocblas_double_complex;
pub type rocsolver_fill = rocblas_fill;
pub type rocsolver_float_complex = rocblas_float_complex;
pub type rocsolver_function = rocsolver_function_;
pub type rocsolver_half = rocblas_half;
pub type rocsolver_handle = rocblas_handle;
pub type rocsolver_int = rocblas_int;
pub type rocsolver_layer_mode = rocblas_layer_mode;
pub type rocsolver_operation = rocblas_operation;
pub type rocsolver_rfinfo = *mut rocsolver_rfinfo_;
pub type rocsolver_rfinfo_mode = rocsolver_rfinfo_mode_;
pub type rocsolver_side = rocblas_side;
pub type rocsolver_status = rocblas_status;
pub type rocsolver_storev = rocblas_storev;
pub type rocsolver_stride = rocblas_stride;
c_enums! {
    rocblas_direct_: c_uint {
        rocblas_forward_direction = 171,
        rocblas_backward_direction = 172,
    }
    rocblas_eform_: c_uint {
        rocblas_eform_ax = 221,
        rocblas_eform_abx = 222,
        rocblas_eform_bax = 223,
    }
    rocblas_eorder_: c_uint {
        rocblas_eorder_blocks = 241,
        rocblas_eorder_entire = 242,
    }
    rocblas_erange_: c_uint {
        rocblas_erange_all = 231,
        rocblas_erange_value = 232,
        rocblas_erange_index = 233,
    }
    rocblas_esort_: c_uint {
        rocblas_esort_none = 251,
        rocblas_esort_ascending = 252,
    }
    rocblas_evect_: c_uint {
        rocblas_evect_original = 211,
        rocblas_evect_tridiagonal = 212,
        rocblas_evect_none = 213,
    }
    rocblas_layer_mode_ex_: c_uint {
        rocblas_layer_mode_ex_log_kernel = 16,
    }
    rocblas_pivot_: c_uint {
        rocblas_pivot_variable = 281,
        rocblas_pivot_top = 282,
        rocblas_pivot_bottom = 283,
    }
    rocblas_srange_: c_uint {
        rocblas_srange_all = 261,
        rocblas_srange_value = 262,
        rocblas_srange_index = 263,
    }
    rocblas_storev_: c_uint {
        rocblas_column_wise = 181,
        rocblas_row_wise = 182,
    }
    rocblas_svect_: c_uint {
        rocblas_svect_all = 191,
        rocblas_svect_singular = 192,
        rocblas_svect_overwrite = 193,
        rocblas_svect_none = 194,
    }
    rocblas_workmode_: c_uint {
        rocblas_outofplace = 201,
        rocblas_inplace = 202,
    }
    rocsolver_alg_mode_: c_uint {
        rocsolver_alg_mode_gpu = 291,
        rocsolver_alg_mode_hybrid = 292,
        rocsolver_alg_mode_mixed = 293,
    }
    rocsolver_function_: c_uint {
        rocsolver_function_bdsqr = 401,
        rocsolver_function_gesvd = 402,
        rocsolver_function_sterf = 403,
        rocsolver_function_steqr = 404,
        rocsolver_function_syev_heev = 405,
    }
    rocsolver_rfinfo_mode_: c_uint {
        rocsolver_rfinfo_mode_lu = 271,
        rocsolver_rfinfo_mode_cholesky = 272,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocsolver_rfinfo_ {
    pub _unused: [u8; 0],
}
zeroed_default! {
    rocsolver_rfinfo_,
}
