// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const ROCSPARSE_VERSION_MAJOR: u32 = 4;
pub const ROCSPARSE_VERSION_MINOR: u32 = 2;
pub const ROCSPARSE_VERSION_PATCH: u32 = 0;
pub type rocsparse_action = rocsparse_action_;
pub type rocsparse_analysis_policy = rocsparse_analysis_policy_;
pub type rocsparse_check_spmat_stage = rocsparse_check_spmat_stage_;
pub type rocsparse_color_info = *mut _rocsparse_color_info;
pub type rocsparse_const_dnmat_descr = *const _rocsparse_dnmat_descr;
pub type rocsparse_const_dnvec_descr = *const _rocsparse_dnvec_descr;
pub type rocsparse_const_spmat_descr = *const _rocsparse_spmat_descr;
pub type rocsparse_const_spvec_descr = *const _rocsparse_spvec_descr;
pub type rocsparse_data_status = rocsparse_data_status_;
pub type rocsparse_datatype = rocsparse_datatype_;
pub type rocsparse_dense_to_sparse_alg = rocsparse_dense_to_sparse_alg_;
pub type rocsparse_diag_type = rocsparse_diag_type_;
pub type rocsparse_direction = rocsparse_direction_;
pub type rocsparse_dnmat_descr = *mut _rocsparse_dnmat_descr;
pub type rocsparse_dnvec_descr = *mut _rocsparse_dnvec_descr;
pub type rocsparse_error = *mut _rocsparse_error;
pub type rocsparse_extract_alg = rocsparse_extract_alg_;
pub type rocsparse_extract_descr = *mut _rocsparse_extract_descr;
pub type rocsparse_extract_stage = rocsparse_extract_stage_;
pub type rocsparse_fill_mode = rocsparse_fill_mode_;
pub type rocsparse_format = rocsparse_format_;
pub type rocsparse_gpsv_interleaved_alg = rocsparse_gpsv_interleaved_alg_;
pub type rocsparse_gtsv_interleaved_alg = rocsparse_gtsv_interleaved_alg_;
pub type rocsparse_handle = *mut _rocsparse_handle;
pub type rocsparse_hyb_mat = *mut _rocsparse_hyb_mat;
pub type rocsparse_hyb_partition = rocsparse_hyb_partition_;
pub type rocsparse_index_base = rocsparse_index_base_;
pub type rocsparse_indextype = rocsparse_indextype_;
pub type rocsparse_int = i32;
pub type rocsparse_itilu0_alg = rocsparse_itilu0_alg_;
pub type rocsparse_itilu0_option = rocsparse_itilu0_option_;
pub type rocsparse_mat_descr = *mut _rocsparse_mat_descr;
pub type rocsparse_mat_info = *mut _rocsparse_mat_info;
pub type rocsparse_matrix_type = rocsparse_matrix_type_;
pub type rocsparse_operation = rocsparse_operation_;
pub type rocsparse_order = rocsparse_order_;
pub type rocsparse_pointer_mode = rocsparse_pointer_mode_;
pub type rocsparse_sddmm_alg = rocsparse_sddmm_alg_;
pub type rocsparse_solve_policy = rocsparse_solve_policy_;
pub type rocsparse_sparse_to_dense_alg = rocsparse_sparse_to_dense_alg_;
pub type rocsparse_sparse_to_sparse_alg = rocsparse_sparse_to_sparse_alg_;
pub type rocsparse_sparse_to_sparse_descr = *mut _rocsparse_sparse_to_sparse_descr;
pub type rocsparse_sparse_to_sparse_stage = rocsparse_sparse_to_sparse_stage_;
pub type rocsparse_spgeam_alg = rocsparse_spgeam_alg_;
pub type rocsparse_spgeam_descr = *mut _rocsparse_spgeam_descr;
pub type rocsparse_spgeam_input = rocsparse_spgeam_input_;
pub type rocsparse_spgeam_output = rocsparse_spgeam_output_;
pub type rocsparse_spgeam_stage = rocsparse_spgeam_stage_;
pub type rocsparse_spgemm_alg = rocsparse_spgemm_alg_;
pub type rocsparse_spgemm_stage = rocsparse_spgemm_stage_;
pub type rocsparse_spitsv_alg = rocsparse_spitsv_alg_;
pub type rocsparse_spitsv_stage = rocsparse_spitsv_stage_;
pub type rocsparse_spmat_attribute = rocsparse_spmat_attribute_;
pub type rocsparse_spmat_descr = *mut _rocsparse_spmat_descr;
pub type rocsparse_spmm_alg = rocsparse_spmm_alg_;
pub type rocsparse_spmm_stage = rocsparse_spmm_stage_;
pub type rocsparse_spmv_alg = rocsparse_spmv_alg_;
pub type rocsparse_spmv_descr = *mut _rocsparse_spmv_descr;
pub type rocsparse_spmv_input = rocsparse_spmv_input_;
pub type rocsparse_spmv_stage = rocsparse_spmv_stage_;
pub type rocsparse_spsm_alg = rocsparse_spsm_alg_;
pub type rocsparse_spsm_stage = rocsparse_spsm_stage_;
pub type rocsparse_spsv_alg = rocsparse_spsv_alg_;
pub type rocsparse_spsv_stage = rocsparse_spsv_stage_;
pub type rocsparse_sptrsm_alg = rocsparse_sptrsm_alg_;
pub type rocsparse_sptrsm_descr = *mut _rocsparse_sptrsm_descr;
pub type rocsparse_sptrsm_input = rocsparse_sptrsm_input_;
pub type rocsparse_sptrsm_output = rocsparse_sptrsm_output_;
pub type rocsparse_sptrsm_stage = rocsparse_sptrsm_stage_;
pub type rocsparse_sptrsv_alg = rocsparse_sptrsv_alg_;
pub type rocsparse_sptrsv_descr = *mut _rocsparse_sptrsv_descr;
pub type rocsparse_sptrsv_input = rocsparse_sptrsv_input_;
pub type rocsparse_sptrsv_output = rocsparse_sptrsv_output_;
pub type rocsparse_sptrsv_stage = rocsparse_sptrsv_stage_;
pub type rocsparse_spvec_descr = *mut _rocsparse_spvec_descr;
pub type rocsparse_status = rocsparse_status_;
pub type rocsparse_storage_mode = rocsparse_storage_mode_;
pub type rocsparse_v2_spmv_stage = rocsparse_v2_spmv_stage_;
c_enums! {
    rocsparse_action_: c_uint {
        rocsparse_action_symbolic = 0,
        rocsparse_action_numeric = 1,
    }
    rocsparse_analysis_policy_: c_uint {
        rocsparse_analysis_policy_reuse = 0,
        rocsparse_analysis_policy_force = 1,
    }
    rocsparse_check_spmat_stage_: c_uint {
        rocsparse_check_spmat_stage_buffer_size = 0,
        rocsparse_check_spmat_stage_compute = 1,
    }
    rocsparse_data_status_: c_uint {
        rocsparse_data_status_success = 0,
        rocsparse_data_status_inf = 1,
        rocsparse_data_status_nan = 2,
        rocsparse_data_status_invalid_offset_ptr = 3,
        rocsparse_data_status_invalid_index = 4,
        rocsparse_data_status_duplicate_entry = 5,
        rocsparse_data_status_invalid_sorting = 6,
        rocsparse_data_status_invalid_fill = 7,
    }
    rocsparse_datatype_: c_uint {
        rocsparse_datatype_f16_r = 150,
        rocsparse_datatype_f32_r = 151,
        rocsparse_datatype_f64_r = 152,
        rocsparse_datatype_f32_c = 154,
        rocsparse_datatype_f64_c = 155,
        rocsparse_datatype_i8_r = 160,
        rocsparse_datatype_u8_r = 161,
        rocsparse_datatype_i32_r = 162,
        rocsparse_datatype_u32_r = 163,
        rocsparse_datatype_bf16_r = 168,
    }
    rocsparse_dense_to_sparse_alg_: c_uint {
        rocsparse_dense_to_sparse_alg_default = 0,
    }
    rocsparse_diag_type_: c_uint {
        rocsparse_diag_type_non_unit = 0,
        rocsparse_diag_type_unit = 1,
    }
    rocsparse_direction_: c_uint {
        rocsparse_direction_row = 0,
        rocsparse_direction_column = 1,
    }
    rocsparse_extract_alg_: c_uint {
        rocsparse_extract_alg_default = 0,
    }
    rocsparse_extract_stage_: c_uint {
        rocsparse_extract_stage_analysis = 0,
        rocsparse_extract_stage_compute = 1,
    }
    rocsparse_fill_mode_: c_uint {
        rocsparse_fill_mode_lower = 0,
        rocsparse_fill_mode_upper = 1,
    }
    rocsparse_format_: c_uint {
        rocsparse_format_coo = 0,
        rocsparse_format_coo_aos = 1,
        rocsparse_format_csr = 2,
        rocsparse_format_csc = 3,
        rocsparse_format_ell = 4,
        rocsparse_format_bell = 5,
        rocsparse_format_bsr = 6,
        rocsparse_format_sell = 7,
    }
    rocsparse_gpsv_interleaved_alg_: c_uint {
        rocsparse_gpsv_interleaved_alg_default = 0,
        rocsparse_gpsv_interleaved_alg_qr = 1,
    }
    rocsparse_gtsv_interleaved_alg_: c_uint {
        rocsparse_gtsv_interleaved_alg_default = 0,
        rocsparse_gtsv_interleaved_alg_thomas = 1,
        rocsparse_gtsv_interleaved_alg_lu = 2,
        rocsparse_gtsv_interleaved_alg_qr = 3,
    }
    rocsparse_hyb_partition_: c_uint {
        rocsparse_hyb_partition_auto = 0,
        rocsparse_hyb_partition_user = 1,
        rocsparse_hyb_partition_max = 2,
    }
    rocsparse_index_base_: c_uint {
        rocsparse_index_base_zero = 0,
        rocsparse_index_base_one = 1,
    }
    rocsparse_indextype_: c_uint {
        rocsparse_indextype_u16 = 1,
        rocsparse_indextype_i32 = 2,
        rocsparse_indextype_i64 = 3,
    }
    rocsparse_itilu0_alg_: c_uint {
        rocsparse_itilu0_alg_default = 0,
        rocsparse_itilu0_alg_async_inplace = 1,
        rocsparse_itilu0_alg_async_split = 2,
        rocsparse_itilu0_alg_sync_split = 3,
        rocsparse_itilu0_alg_sync_split_fusion = 4,
    }
    rocsparse_itilu0_option_: c_uint {
        rocsparse_itilu0_option_verbose = 1,
        rocsparse_itilu0_option_stopping_criteria = 2,
        rocsparse_itilu0_option_compute_nrm_correction = 4,
        rocsparse_itilu0_option_compute_nrm_residual = 8,
        rocsparse_itilu0_option_convergence_history = 16,
        rocsparse_itilu0_option_coo_format = 32,
    }
    rocsparse_layer_mode: c_uint {
        rocsparse_layer_mode_none = 0,
        rocsparse_layer_mode_log_trace = 1,
        rocsparse_layer_mode_log_bench = 2,
        rocsparse_layer_mode_log_debug = 4,
    }
    rocsparse_matrix_type_: c_uint {
        rocsparse_matrix_type_general = 0,
        rocsparse_matrix_type_symmetric = 1,
        rocsparse_matrix_type_hermitian = 2,
        rocsparse_matrix_type_triangular = 3,
    }
    rocsparse_operation_: c_uint {
        rocsparse_operation_none = 111,
        rocsparse_operation_transpose = 112,
        rocsparse_operation_conjugate_transpose = 113,
    }
    rocsparse_order_: c_uint {
        rocsparse_order_row = 0,
        rocsparse_order_column = 1,
    }
    rocsparse_pointer_mode_: c_uint {
        rocsparse_pointer_mode_host = 0,
        rocsparse_pointer_mode_device = 1,
    }
    rocsparse_sddmm_alg_: c_uint {
        rocsparse_sddmm_alg_default = 0,
        rocsparse_sddmm_alg_dense = 1,
    }
    rocsparse_solve_policy_: c_uint {
        rocsparse_solve_policy_auto = 0,
    }
    rocsparse_sparse_to_dense_alg_: c_uint {
        rocsparse_sparse_to_dense_alg_default = 0,
    }
    rocsparse_sparse_to_sparse_alg_: c_uint {
        rocsparse_sparse_to_sparse_alg_default = 0,
    }
    rocsparse_sparse_to_sparse_stage_: c_uint {
        rocsparse_sparse_to_sparse_stage_analysis = 0,
        rocsparse_sparse_to_sparse_stage_compute = 1,
    }
    rocsparse_spgeam_alg_: c_uint {
        rocsparse_spgeam_alg_default = 0,
    }
    rocsparse_spgeam_input_: c_uint {
        rocsparse_spgeam_input_alg = 0,
        rocsparse_spgeam_input_scalar_datatype = 1,
        rocsparse_spgeam_input_compute_datatype = 2,
        rocsparse_spgeam_input_operation_A = 3,
        rocsparse_spgeam_input_operation_B = 4,
        rocsparse_spgeam_input_scalar_alpha = 5,
        rocsparse_spgeam_input_scalar_beta = 6,
    }
    rocsparse_spgeam_output_: c_uint {
        rocsparse_spgeam_output_nnz = 0,
    }
    rocsparse_spgeam_stage_: c_uint {
        rocsparse_spgeam_stage_analysis = 1,
        rocsparse_spgeam_stage_compute = 2,
        rocsparse_spgeam_stage_symbolic_analysis = 3,
        rocsparse_spgeam_stage_symbolic_compute = 4,
        rocsparse_spgeam_stage_numeric_analysis = 5,
        rocsparse_spgeam_stage_numeric_compute = 6,
    }
    rocsparse_spgemm_alg_: c_uint {
        rocsparse_spgemm_alg_default = 0,
    }
    rocsparse_spgemm_stage_: c_uint {
        rocsparse_spgemm_stage_buffer_size = 1,
        rocsparse_spgemm_stage_nnz = 2,
        rocsparse_spgemm_stage_compute = 3,
        rocsparse_spgemm_stage_symbolic = 4,
        rocsparse_spgemm_stage_numeric = 5,
        rocsparse_spgemm_stage_auto = 0,
    }
    rocsparse_spitsv_alg_: c_uint {
        rocsparse_spitsv_alg_default = 0,
    }
    rocsparse_spitsv_stage_: c_uint {
        rocsparse_spitsv_stage_buffer_size = 1,
        rocsparse_spitsv_stage_preprocess = 2,
        rocsparse_spitsv_stage_compute = 3,
        rocsparse_spitsv_stage_auto = 0,
    }
    rocsparse_spmat_attribute_: c_uint {
        rocsparse_spmat_fill_mode = 0,
        rocsparse_spmat_diag_type = 1,
        rocsparse_spmat_matrix_type = 2,
        rocsparse_spmat_storage_mode = 3,
    }
    rocsparse_spmm_alg_: c_uint {
        rocsparse_spmm_alg_default = 0,
        rocsparse_spmm_alg_csr = 1,
        rocsparse_spmm_alg_coo_segmented = 2,
        rocsparse_spmm_alg_coo_atomic = 3,
        rocsparse_spmm_alg_csr_row_split = 4,
        rocsparse_spmm_alg_csr_merge = 5,
        rocsparse_spmm_alg_coo_segmented_atomic = 6,
        rocsparse_spmm_alg_bell = 7,
        rocsparse_spmm_alg_bsr = 8,
        rocsparse_spmm_alg_csr_merge_path = 9,
        rocsparse_spmm_alg_csr_nnz_split = 5,
    }
    rocsparse_spmm_stage_: c_uint {
        rocsparse_spmm_stage_buffer_size = 1,
        rocsparse_spmm_stage_preprocess = 2,
        rocsparse_spmm_stage_compute = 3,
        rocsparse_spmm_stage_auto = 0,
    }
    rocsparse_spmv_alg_: c_uint {
        rocsparse_spmv_alg_default = 0,
        rocsparse_spmv_alg_coo = 1,
        rocsparse_spmv_alg_csr_adaptive = 2,
        rocsparse_spmv_alg_csr_rowsplit = 3,
        rocsparse_spmv_alg_ell = 4,
        rocsparse_spmv_alg_coo_atomic = 5,
        rocsparse_spmv_alg_bsr = 6,
        rocsparse_spmv_alg_csr_lrb = 7,
        rocsparse_spmv_alg_csr_nnzsplit = 8,
        rocsparse_spmv_alg_sell = 9,
        rocsparse_spmv_alg_csr_stream = 3,
    }
    rocsparse_spmv_input_: c_uint {
        rocsparse_spmv_input_alg = 0,
        rocsparse_spmv_input_operation = 1,
        rocsparse_spmv_input_scalar_datatype = 2,
        rocsparse_spmv_input_compute_datatype = 3,
        rocsparse_spmv_input_nnz_use_starting_block_ids = 4,
    }
    rocsparse_spmv_stage_: c_uint {
        rocsparse_spmv_stage_buffer_size = 1,
        rocsparse_spmv_stage_preprocess = 2,
        rocsparse_spmv_stage_compute = 3,
        rocsparse_spmv_stage_auto = 0,
    }
    rocsparse_spsm_alg_: c_uint {
        rocsparse_spsm_alg_default = 0,
    }
    rocsparse_spsm_stage_: c_uint {
        rocsparse_spsm_stage_buffer_size = 1,
        rocsparse_spsm_stage_preprocess = 2,
        rocsparse_spsm_stage_compute = 3,
        rocsparse_spsm_stage_auto = 0,
    }
    rocsparse_spsv_alg_: c_uint {
        rocsparse_spsv_alg_default = 0,
    }
    rocsparse_spsv_stage_: c_uint {
        rocsparse_spsv_stage_buffer_size = 1,
        rocsparse_spsv_stage_preprocess = 2,
        rocsparse_spsv_stage_compute = 3,
        rocsparse_spsv_stage_auto = 0,
    }
    rocsparse_sptrsm_alg_: c_uint {
        rocsparse_sptrsm_alg_default = 0,
    }
    rocsparse_sptrsm_input_: c_uint {
        rocsparse_sptrsm_input_alg = 0,
        rocsparse_sptrsm_input_operation_A = 1,
        rocsparse_sptrsm_input_operation_X = 2,
        rocsparse_sptrsm_input_compute_datatype = 3,
        rocsparse_sptrsm_input_scalar_datatype = 4,
        rocsparse_sptrsm_input_scalar_alpha = 5,
        rocsparse_sptrsm_input_analysis_policy = 6,
    }
    rocsparse_sptrsm_output_: c_uint {
        rocsparse_sptrsm_output_zero_pivot_position = 0,
    }
    rocsparse_sptrsm_stage_: c_uint {
        rocsparse_sptrsm_stage_analysis = 0,
        rocsparse_sptrsm_stage_compute = 1,
    }
    rocsparse_sptrsv_alg_: c_uint {
        rocsparse_sptrsv_alg_default = 0,
    }
    rocsparse_sptrsv_input_: c_uint {
        rocsparse_sptrsv_input_alg = 0,
        rocsparse_sptrsv_input_operation = 1,
        rocsparse_sptrsv_input_scalar_datatype = 2,
        rocsparse_sptrsv_input_compute_datatype = 3,
        rocsparse_sptrsv_input_scalar_alpha = 4,
        rocsparse_sptrsv_input_analysis_policy = 5,
    }
    rocsparse_sptrsv_output_: c_uint {
        rocsparse_sptrsv_output_zero_pivot_position = 0,
    }
    rocsparse_sptrsv_stage_: c_uint {
        rocsparse_sptrsv_stage_analysis = 0,
        rocsparse_sptrsv_stage_compute = 1,
    }
    rocsparse_status_: c_uint {
        rocsparse_status_success = 0,
        rocsparse_status_invalid_handle = 1,
        rocsparse_status_not_implemented = 2,
        rocsparse_status_invalid_pointer = 3,
        rocsparse_status_invalid_size = 4,
        rocsparse_status_memory_error = 5,
        rocsparse_status_internal_error = 6,
        rocsparse_status_invalid_value = 7,
        rocsparse_status_arch_mismatch = 8,
        rocsparse_status_zero_pivot = 9,
        rocsparse_status_not_initialized = 10,
        rocsparse_status_type_mismatch = 11,
        rocsparse_status_requires_sorted_storage = 12,
        rocsparse_status_thrown_exception = 13,
        rocsparse_status_continue = 14,
    }
    rocsparse_storage_mode_: c_uint {
        rocsparse_storage_mode_sorted = 0,
        rocsparse_storage_mode_unsorted = 1,
    }
    rocsparse_v2_spmv_stage_: c_uint {
        rocsparse_v2_spmv_stage_analysis = 0,
        rocsparse_v2_spmv_stage_compute = 1,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_color_info {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_dnmat_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_dnvec_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_error {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_extract_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_handle {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_hyb_mat {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_mat_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_mat_info {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_sparse_to_sparse_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_spgeam_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_spmat_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_spmv_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_sptrsm_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_sptrsv_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _rocsparse_spvec_descr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocsparse_bfloat16 {
    pub data: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocsparse_double_complex {
    pub x: f64,
    pub y: f64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocsparse_float_complex {
    pub x: f32,
    pub y: f32,
}
zeroed_default! {
    _rocsparse_color_info,
    _rocsparse_dnmat_descr,
    _rocsparse_dnvec_descr,
    _rocsparse_error,
    _rocsparse_extract_descr,
    _rocsparse_handle,
    _rocsparse_hyb_mat,
    _rocsparse_mat_descr,
    _rocsparse_mat_info,
    _rocsparse_sparse_to_sparse_descr,
    _rocsparse_spgeam_descr,
    _rocsparse_spmat_descr,
    _rocsparse_spmv_descr,
    _rocsparse_sptrsm_descr,
    _rocsparse_sptrsv_descr,
    _rocsparse_spvec_descr,
    rocsparse_bfloat16,
    rocsparse_double_complex,
    rocsparse_float_complex,
}
