// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
use crate::*;
use core::ffi::*;
functions! { Rocfft {
    rocfft_brick_create "6.1" "7.2" (brick: *mut rocfft_brick, field_lower: *const usize, field_upper: *const usize, brick_stride: *const usize, dim_with_batch: usize, deviceID: c_int) -> rocfft_status;
    rocfft_brick_destroy "6.1" "7.2" (brick: rocfft_brick) -> rocfft_status;
    rocfft_cache_buffer_free "6.4" "7.2" (buffer: *mut c_void) -> rocfft_status;
    rocfft_cache_deserialize "6.4" "7.2" (buffer: *const c_void, buffer_len_bytes: usize) -> rocfft_status;
    rocfft_cache_serialize "6.4" "7.2" (buffer: *mut *mut c_void, buffer_len_bytes: *mut usize) -> rocfft_status;
    rocfft_cleanup "6.1" "7.2" () -> rocfft_status;
    rocfft_execute "6.1" "7.2" (plan: rocfft_plan, in_buffer: *mut *mut c_void, out_buffer: *mut *mut c_void, info: rocfft_execution_info) -> rocfft_status;
    rocfft_execution_info_create "6.1" "7.2" (info: *mut rocfft_execution_info) -> rocfft_status;
    rocfft_execution_info_destroy "6.1" "7.2" (info: rocfft_execution_info) -> rocfft_status;
    rocfft_execution_info_set_load_callback "6.1" "7.2" (info: rocfft_execution_info, cb_functions: *mut *mut c_void, cb_data: *mut *mut c_void, shared_mem_bytes: usize) -> rocfft_status;
    rocfft_execution_info_set_store_callback "6.1" "7.2" (info: rocfft_execution_info, cb_functions: *mut *mut c_void, cb_data: *mut *mut c_void, shared_mem_bytes: usize) -> rocfft_status;
    rocfft_execution_info_set_stream "6.1" "7.2" (info: rocfft_execution_info, stream: *mut c_void) -> rocfft_status;
    rocfft_execution_info_set_work_buffer "6.1" "7.2" (info: rocfft_execution_info, work_buffer: *mut c_void, size_in_bytes: usize) -> rocfft_status;
    rocfft_field_add_brick "6.1" "7.2" (field: rocfft_field, brick: rocfft_brick) -> rocfft_status;
    rocfft_field_create "6.1" "7.2" (field: *mut rocfft_field) -> rocfft_status;
    rocfft_field_destroy "6.1" "7.2" (field: rocfft_field) -> rocfft_status;
    rocfft_get_version_string "6.1" "7.2" (buf: *mut c_char, len: usize) -> rocfft_status;
    rocfft_plan_create "6.1" "7.2" (plan: *mut rocfft_plan, placement: rocfft_result_placement, transform_type: rocfft_transform_type, precision: rocfft_precision, dimensions: usize, lengths: *const usize, number_of_transforms: usize, description: rocfft_plan_description) -> rocfft_status;
    rocfft_plan_description_add_infield "6.1" "7.2" (description: rocfft_plan_description, field: rocfft_field) -> rocfft_status;
    rocfft_plan_description_add_outfield "6.1" "7.2" (description: rocfft_plan_description, field: rocfft_field) -> rocfft_status;
    rocfft_plan_description_create "6.1" "7.2" (description: *mut rocfft_plan_description) -> rocfft_status;
    rocfft_plan_description_destroy "6.1" "7.2" (description: rocfft_plan_description) -> rocfft_status;
    rocfft_plan_description_set_comm "6.4" "7.2" (description: rocfft_plan_description, comm_type: rocfft_comm_type, comm_handle: *mut c_void) -> rocfft_status;
    rocfft_plan_description_set_data_layout "6.1" "7.2" (description: rocfft_plan_description, in_array_type: rocfft_array_type, out_array_type: rocfft_array_type, in_offsets: *const usize, out_offsets: *const usize, in_strides_size: usize, in_strides: *const usize, in_distance: usize, out_strides_size: usize, out_strides: *const usize, out_distance: usize) -> rocfft_status;
    rocfft_plan_description_set_scale_factor "6.1" "7.2" (description: rocfft_plan_description, scale_factor: f64) -> rocfft_status;
    rocfft_plan_destroy "6.1" "7.2" (plan: rocfft_plan) -> rocfft_status;
    rocfft_plan_get_print "6.1" "7.2" (plan: rocfft_plan) -> rocfft_status;
    rocfft_plan_get_work_buffer_size "6.1" "7.2" (plan: rocfft_plan, size_in_bytes: *mut usize) -> rocfft_status;
    rocfft_setup "6.1" "7.2" () -> rocfft_status;
}}
