// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, clippy::all)]
use core::ffi::*;
pub const AMD_AQL_FORMAT_INTERCEPT_MARKER: u32 = 254;
pub const AMD_CONTROL_DIRECTIVES_ALIGN_BYTES: u32 = 64;
pub const AMD_HSA_ABI_VERSION: &[u8; 43] = b"AMD GPU Architecture v0.35 (June 25, 2015)\0";
pub const AMD_ISA_ALIGN_BYTES: u32 = 256;
pub const AMD_KERNEL_CODE_ALIGN_BYTES: u32 = 64;
pub const AMD_QUEUE_ALIGN_BYTES: u32 = 64;
pub const AMD_SIGNAL_ALIGN_BYTES: u32 = 64;
pub const HSA_AMD_EXT_API_TABLE_MAJOR_VERSION: u32 = 2;
pub const HSA_AMD_EXT_API_TABLE_STEP_VERSION: u32 = 8;
pub const HSA_AMD_INTERFACE_VERSION_MAJOR: u32 = 1;
pub const HSA_AMD_INTERFACE_VERSION_MINOR: u32 = 15;
pub const HSA_API_TABLE_MAJOR_VERSION: u32 = 3;
pub const HSA_API_TABLE_STEP_VERSION: u32 = 1;
pub const HSA_AQLPROFILE_API_TABLE_MAJOR_VERSION: u32 = 1;
pub const HSA_AQLPROFILE_API_TABLE_STEP_VERSION: u32 = 0;
pub const HSA_AQLPROFILE_VERSION_MAJOR: u32 = 2;
pub const HSA_AQLPROFILE_VERSION_MINOR: u32 = 0;
pub const HSA_CORE_API_TABLE_MAJOR_VERSION: u32 = 2;
pub const HSA_CORE_API_TABLE_STEP_VERSION: u32 = 0;
pub const HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS: _bindgen_ty_2 = _bindgen_ty_2(12289);
pub const HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS: _bindgen_ty_2 = _bindgen_ty_2(12290);
pub const HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS: _bindgen_ty_2 = _bindgen_ty_2(12288);
pub const HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS: _bindgen_ty_2 = _bindgen_ty_2(12294);
pub const HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS: _bindgen_ty_2 = _bindgen_ty_2(12292);
pub const HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS: _bindgen_ty_2 = _bindgen_ty_2(12293);
pub const HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS: _bindgen_ty_2 = _bindgen_ty_2(12291);
pub const HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS: _bindgen_ty_2 = _bindgen_ty_2(12295);
pub const HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS: _bindgen_ty_2 = _bindgen_ty_2(12296);
pub const HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT: _bindgen_ty_2 = _bindgen_ty_2(12300);
pub const HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES: _bindgen_ty_2 = _bindgen_ty_2(12297);
pub const HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES: _bindgen_ty_2 = _bindgen_ty_2(12298);
pub const HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS: _bindgen_ty_2 = _bindgen_ty_2(12299);
pub const HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH: _bindgen_ty_4 = _bindgen_ty_4(8198);
pub const HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED: _bindgen_ty_4 = _bindgen_ty_4(8197);
pub const HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED: _bindgen_ty_1 = _bindgen_ty_1(12288);
pub const HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED: _bindgen_ty_1 = _bindgen_ty_1(12290);
pub const HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED: _bindgen_ty_1 = _bindgen_ty_1(12289);
pub const HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE: _bindgen_ty_4 = _bindgen_ty_4(8194);
pub const HSA_EXT_STATUS_ERROR_INVALID_MODULE: _bindgen_ty_4 = _bindgen_ty_4(8193);
pub const HSA_EXT_STATUS_ERROR_INVALID_PROGRAM: _bindgen_ty_4 = _bindgen_ty_4(8192);
pub const HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED: _bindgen_ty_4 = _bindgen_ty_4(8195);
pub const HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED: _bindgen_ty_1 = _bindgen_ty_1(12291);
pub const HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH: _bindgen_ty_4 = _bindgen_ty_4(8196);
pub const HSA_FINALIZER_API_TABLE_MAJOR_VERSION: u32 = 2;
pub const HSA_FINALIZER_API_TABLE_STEP_VERSION: u32 = 0;
pub const HSA_IMAGE_API_TABLE_MAJOR_VERSION: u32 = 2;
pub const HSA_IMAGE_API_TABLE_STEP_VERSION: u32 = 1;
pub const HSA_IMAGE_EXT_API_TABLE_STEP_VERSION: u32 = 1;
pub const HSA_PC_SAMPLING_API_TABLE_MAJOR_VERSION: u32 = 1;
pub const HSA_PC_SAMPLING_API_TABLE_STEP_VERSION: u32 = 0;
pub const HSA_STATUS_CU_MASK_REDUCED: _bindgen_ty_3 = _bindgen_ty_3(44);
pub const HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: _bindgen_ty_3 = _bindgen_ty_3(42);
pub const HSA_STATUS_ERROR_INVALID_MEMORY_POOL: _bindgen_ty_3 = _bindgen_ty_3(40);
pub const HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: _bindgen_ty_3 = _bindgen_ty_3(41);
pub const HSA_STATUS_ERROR_MEMORY_FAULT: _bindgen_ty_3 = _bindgen_ty_3(43);
pub const HSA_STATUS_ERROR_NOT_SUPPORTED: _bindgen_ty_3 = _bindgen_ty_3(47);
pub const HSA_STATUS_ERROR_OUT_OF_REGISTERS: _bindgen_ty_3 = _bindgen_ty_3(45);
pub const HSA_STATUS_ERROR_RESOURCE_BUSY: _bindgen_ty_3 = _bindgen_ty_3(46);
pub const HSA_TOOLS_API_TABLE_MAJOR_VERSION: u32 = 1;
pub const HSA_TOOLS_API_TABLE_STEP_VERSION: u32 = 0;
pub const HSA_VEN_AMD_AQLPROFILE_LEGACY_PM4_PACKET_SIZE: c_uint = 192;
pub const HSA_VERSION_1_0: u32 = 1;
pub const MAX_NUM_XCC: u32 = 128;
pub const hsa_ven_amd_aqlprofile_VERSION_MAJOR: u32 = 1;
pub const hsa_ven_amd_loader: u32 = 515;
pub const kAqlProfileLib: &[u8; 27] = b"libhsa-amd-aqlprofile64.so\0";
pub type BrigModule_t = *mut BrigModuleHeader;
pub type amd_aql_intercept_marker_t = amd_aql_intercept_marker_s;
pub type amd_compute_pgm_rsrc_one32_t = u32;
pub type amd_compute_pgm_rsrc_two32_t = u32;
pub type amd_control_directives_t = amd_control_directives_s;
pub type amd_enabled_control_directive64_t = u64;
pub type amd_exception_kind16_t = u16;
pub type amd_intercept_marker_handler = Option<unsafe extern "C" fn(packet: *const amd_aql_intercept_marker_s, queue: *mut hsa_queue_t, packet_id: u64)>;
pub type amd_kernel_code_properties32_t = u32;
pub type amd_kernel_code_t = amd_kernel_code_s;
pub type amd_kernel_code_version32_t = u32;
pub type amd_machine_kind16_t = u16;
pub type amd_machine_version16_t = u16;
pub type amd_powertwo8_t = u8;
pub type amd_queue_capabilities32_t = u32;
pub type amd_queue_properties32_t = u32;
pub type amd_queue_t = amd_queue_s;
pub type amd_queue_v2_t = amd_queue_v2_s;
pub type amd_runtime_loader_debug_info_t = amd_runtime_loader_debug_info_s;
pub type amd_signal_kind64_t = i64;
pub type amd_signal_t = amd_signal_s;
pub type hsa_agent_dispatch_packet_t = hsa_agent_dispatch_packet_s;
pub type hsa_agent_t = hsa_agent_s;
pub type hsa_amd_agent_info_t = hsa_amd_agent_info_s;
pub type hsa_amd_agent_memory_properties_t = hsa_amd_agent_memory_properties_s;
pub type hsa_amd_aie_ert_command_chain_data_t = hsa_amd_aie_ert_command_chain_data_s;
pub type hsa_amd_aie_ert_packet_t = hsa_amd_aie_ert_packet_s;
pub type hsa_amd_aie_ert_start_kernel_data_t = hsa_amd_aie_ert_start_kernel_data_s;
pub type hsa_amd_aie_ert_start_kernel_header_t = hsa_amd_aie_ert_start_kernel_header_s;
pub type hsa_amd_ais_file_handle_t = hsa_amd_ais_file_handle_s;
pub type hsa_amd_barrier_value_packet_t = hsa_amd_barrier_value_packet_s;
pub type hsa_amd_clock_counters_t = hsa_amd_clock_counters_s;
pub type hsa_amd_coherency_type_t = hsa_amd_coherency_type_s;
pub type hsa_amd_deallocation_callback_t = Option<unsafe extern "C" fn(ptr: *mut c_void, user_data: *mut c_void)>;
pub type hsa_amd_dma_buf_mapping_type_t = hsa_amd_dma_buf_mapping_type_s;
pub type hsa_amd_event_t = hsa_amd_event_s;
pub type hsa_amd_event_type_t = hsa_amd_event_type_s;
pub type hsa_amd_gpu_hw_exception_info_t = hsa_amd_gpu_hw_exception_info_s;
pub type hsa_amd_gpu_memory_error_info_t = hsa_amd_gpu_memory_error_info_s;
pub type hsa_amd_gpu_memory_fault_info_t = hsa_amd_gpu_memory_fault_info_s;
pub type hsa_amd_hdp_flush_t = hsa_amd_hdp_flush_s;
pub type hsa_amd_image_descriptor_t = hsa_amd_image_descriptor_s;
pub type hsa_amd_ipc_memory_t = hsa_amd_ipc_memory_s;
pub type hsa_amd_ipc_signal_t = hsa_amd_ipc_memory_t;
pub type hsa_amd_log_flag_t = hsa_amd_log_flag_s;
pub type hsa_amd_memory_access_desc_t = hsa_amd_memory_access_desc_s;
pub type hsa_amd_memory_pool_flag_t = hsa_amd_memory_pool_flag_s;
pub type hsa_amd_memory_pool_global_flag_t = hsa_amd_memory_pool_global_flag_s;
pub type hsa_amd_memory_pool_link_info_t = hsa_amd_memory_pool_link_info_s;
pub type hsa_amd_memory_pool_location_t = hsa_amd_memory_pool_location_s;
pub type hsa_amd_memory_pool_t = hsa_amd_memory_pool_s;
pub type hsa_amd_packet_type8_t = u8;
pub type hsa_amd_pointer_info_t = hsa_amd_pointer_info_s;
pub type hsa_amd_profiling_async_copy_time_t = hsa_amd_profiling_async_copy_time_s;
pub type hsa_amd_profiling_dispatch_time_t = hsa_amd_profiling_dispatch_time_s;
pub type hsa_amd_queue_intercept_handler = Option<unsafe extern "C" fn(pkts: *const c_void, pkt_count: u64, user_pkt_index: u64, data: *mut c_void, writer: hsa_amd_queue_intercept_packet_writer)>;
pub type hsa_amd_queue_intercept_packet_writer = Option<unsafe extern "C" fn(pkts: *const c_void, pkt_count: u64)>;
pub type hsa_amd_queue_priority_t = hsa_amd_queue_priority_s;
pub type hsa_amd_region_info_t = hsa_amd_region_info_s;
pub type hsa_amd_runtime_queue_notifier = Option<unsafe extern "C" fn(queue: *const hsa_queue_t, agent: hsa_agent_t, data: *mut c_void)>;
pub type hsa_amd_sdma_engine_id_t = hsa_amd_sdma_engine_id;
pub type hsa_amd_signal_handler = Option<unsafe extern "C" fn(value: hsa_signal_value_t, arg: *mut c_void) -> bool>;
pub type hsa_amd_svm_attribute_pair_t = hsa_amd_svm_attribute_pair_s;
pub type hsa_amd_svm_attribute_t = hsa_amd_svm_attribute_s;
pub type hsa_amd_svm_model_t = hsa_amd_svm_model_s;
pub type hsa_amd_system_event_callback_t = Option<unsafe extern "C" fn(event: *const hsa_amd_event_t, data: *mut c_void) -> hsa_status_t>;
pub type hsa_amd_tool_event = Option<unsafe extern "C" fn(arg1: hsa_amd_tool_event_t) -> hsa_status_t>;
pub type hsa_amd_vendor_packet_header_t = hsa_amd_packet_header_s;
pub type hsa_amd_vmem_address_reserve_flag_t = hsa_amd_vmem_address_reserve_flag_s;
pub type hsa_amd_vmem_alloc_handle_t = hsa_amd_vmem_alloc_handle_s;
pub type hsa_barrier_and_packet_t = hsa_barrier_and_packet_s;
pub type hsa_barrier_or_packet_t = hsa_barrier_or_packet_s;
pub type hsa_cache_t = hsa_cache_s;
pub type hsa_callback_data_t = hsa_callback_data_s;
pub type hsa_code_object_reader_t = hsa_code_object_reader_s;
pub type hsa_code_object_t = hsa_code_object_s;
pub type hsa_code_symbol_t = hsa_code_symbol_s;
pub type hsa_dim3_t = hsa_dim3_s;
pub type hsa_executable_symbol_t = hsa_executable_symbol_s;
pub type hsa_executable_t = hsa_executable_s;
pub type hsa_ext_control_directives_t = hsa_ext_control_directives_s;
pub type hsa_ext_finalizer_1_00_pfn_t = hsa_ext_finalizer_1_00_pfn_s;
pub type hsa_ext_image_channel_order32_t = u32;
pub type hsa_ext_image_channel_type32_t = u32;
pub type hsa_ext_image_data_info_t = hsa_ext_image_data_info_s;
pub type hsa_ext_image_descriptor_t = hsa_ext_image_descriptor_s;
pub type hsa_ext_image_format_t = hsa_ext_image_format_s;
pub type hsa_ext_image_region_t = hsa_ext_image_region_s;
pub type hsa_ext_image_t = hsa_ext_image_s;
pub type hsa_ext_images_1_00_pfn_t = hsa_ext_images_1_00_pfn_s;
pub type hsa_ext_images_1_pfn_t = hsa_ext_images_1_pfn_s;
pub type hsa_ext_module_t = BrigModule_t;
pub type hsa_ext_program_t = hsa_ext_program_s;
pub type hsa_ext_sampler_addressing_mode32_t = u32;
pub type hsa_ext_sampler_coordinate_mode32_t = u32;
pub type hsa_ext_sampler_descriptor_t = hsa_ext_sampler_descriptor_s;
pub type hsa_ext_sampler_descriptor_v2_t = hsa_ext_sampler_descriptor_v2_s;
pub type hsa_ext_sampler_filter_mode32_t = u32;
pub type hsa_ext_sampler_t = hsa_ext_sampler_s;
pub type hsa_file_t = c_int;
pub type hsa_handle_t = c_int;
pub type hsa_isa_t = hsa_isa_s;
pub type hsa_kernel_dispatch_packet_t = hsa_kernel_dispatch_packet_s;
pub type hsa_loaded_code_object_t = hsa_loaded_code_object_s;
pub type hsa_pitched_ptr_t = hsa_pitched_ptr_s;
pub type hsa_queue_t = hsa_queue_s;
pub type hsa_queue_type32_t = u32;
pub type hsa_region_t = hsa_region_s;
pub type hsa_signal_condition32_t = u32;
pub type hsa_signal_group_t = hsa_signal_group_s;
pub type hsa_signal_t = hsa_signal_s;
pub type hsa_signal_value_t = i64;
pub type hsa_ven_amd_aqlprofile_1_00_pfn_t = hsa_ven_amd_aqlprofile_1_00_pfn_s;
pub type hsa_ven_amd_aqlprofile_coordinate_callback_t = Option<unsafe extern "C" fn(position: c_int, id: c_int, extent: c_int, coordinate: c_int, name: *const c_char, userdata: *mut c_void) -> hsa_status_t>;
pub type hsa_ven_amd_aqlprofile_data_callback_t = Option<unsafe extern "C" fn(info_type: hsa_ven_amd_aqlprofile_info_type_t, info_data: *mut hsa_ven_amd_aqlprofile_info_data_t, callback_data: *mut c_void) -> hsa_status_t>;
pub type hsa_ven_amd_aqlprofile_eventname_callback_t = Option<unsafe extern "C" fn(id: c_int, name: *const c_char) -> hsa_status_t>;
pub type hsa_ven_amd_aqlprofile_pfn_t = hsa_ven_amd_aqlprofile_1_00_pfn_t;
pub type hsa_ven_amd_loader_1_00_pfn_t = hsa_ven_amd_loader_1_00_pfn_s;
pub type hsa_ven_amd_loader_1_01_pfn_t = hsa_ven_amd_loader_1_01_pfn_s;
pub type hsa_ven_amd_loader_1_02_pfn_t = hsa_ven_amd_loader_1_02_pfn_s;
pub type hsa_ven_amd_loader_1_03_pfn_t = hsa_ven_amd_loader_1_03_pfn_s;
pub type hsa_ven_amd_loader_loaded_code_object_info_t = hsa_ven_amd_loader_loaded_code_object_info_e;
pub type hsa_ven_amd_loader_segment_descriptor_t = hsa_ven_amd_loader_segment_descriptor_s;
pub type hsa_ven_amd_pcs_data_copy_callback_t = Option<unsafe extern "C" fn(hsa_callback_data: *mut c_void, data_size: usize, destination: *mut c_void) -> hsa_status_t>;
pub type hsa_ven_amd_pcs_data_ready_callback_t = Option<unsafe extern "C" fn(client_callback_data: *mut c_void, data_size: usize, lost_sample_count: usize, data_copy_callback: hsa_ven_amd_pcs_data_copy_callback_t, hsa_callback_data: *mut c_void)>;
pub type hsa_ven_amd_pcs_iterate_configuration_callback_t = Option<unsafe extern "C" fn(configuration: *const hsa_ven_amd_pcs_configuration_t, callback_data: *mut c_void) -> hsa_status_t>;
pub type hsa_wavefront_t = hsa_wavefront_s;
pub type scratch_last_used_index_xcc_t = scratch_last_used_index_xcc_s;
c_enums! {
    _bindgen_ty_1: c_uint {
    }
    _bindgen_ty_2: c_uint {
    }
    _bindgen_ty_3: c_uint {
    }
    _bindgen_ty_4: c_uint {
    }
    amd_compute_pgm_rsrc_one_t: c_int {
        AMD_COMPUTE_PGM_RSRC_ONE_GRANULATED_WORKITEM_VGPR_COUNT_SHIFT = 0,
        AMD_COMPUTE_PGM_RSRC_ONE_GRANULATED_WORKITEM_VGPR_COUNT_WIDTH = 6,
        AMD_COMPUTE_PGM_RSRC_ONE_GRANULATED_WORKITEM_VGPR_COUNT = 63,
        AMD_COMPUTE_PGM_RSRC_ONE_GRANULATED_WAVEFRONT_SGPR_COUNT_SHIFT = 6,
        AMD_COMPUTE_PGM_RSRC_ONE_GRANULATED_WAVEFRONT_SGPR_COUNT_WIDTH = 4,
        AMD_COMPUTE_PGM_RSRC_ONE_GRANULATED_WAVEFRONT_SGPR_COUNT = 960,
        AMD_COMPUTE_PGM_RSRC_ONE_PRIORITY_SHIFT = 10,
        AMD_COMPUTE_PGM_RSRC_ONE_PRIORITY_WIDTH = 2,
        AMD_COMPUTE_PGM_RSRC_ONE_PRIORITY = 3072,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_ROUND_MODE_32_SHIFT = 12,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_ROUND_MODE_32_WIDTH = 2,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_ROUND_MODE_32 = 12288,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_ROUND_MODE_16_64_SHIFT = 14,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_ROUND_MODE_16_64_WIDTH = 2,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_ROUND_MODE_16_64 = 49152,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_DENORM_MODE_32_SHIFT = 16,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_DENORM_MODE_32_WIDTH = 2,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_DENORM_MODE_32 = 196608,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_DENORM_MODE_16_64_SHIFT = 18,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_DENORM_MODE_16_64_WIDTH = 2,
        AMD_COMPUTE_PGM_RSRC_ONE_FLOAT_DENORM_MODE_16_64 = 786432,
        AMD_COMPUTE_PGM_RSRC_ONE_PRIV_SHIFT = 20,
        AMD_COMPUTE_PGM_RSRC_ONE_PRIV_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_ONE_PRIV = 1048576,
        AMD_COMPUTE_PGM_RSRC_ONE_ENABLE_DX10_CLAMP_SHIFT = 21,
        AMD_COMPUTE_PGM_RSRC_ONE_ENABLE_DX10_CLAMP_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_ONE_ENABLE_DX10_CLAMP = 2097152,
        AMD_COMPUTE_PGM_RSRC_ONE_DEBUG_MODE_SHIFT = 22,
        AMD_COMPUTE_PGM_RSRC_ONE_DEBUG_MODE_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_ONE_DEBUG_MODE = 4194304,
        AMD_COMPUTE_PGM_RSRC_ONE_ENABLE_IEEE_MODE_SHIFT = 23,
        AMD_COMPUTE_PGM_RSRC_ONE_ENABLE_IEEE_MODE_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_ONE_ENABLE_IEEE_MODE = 8388608,
        AMD_COMPUTE_PGM_RSRC_ONE_BULKY_SHIFT = 24,
        AMD_COMPUTE_PGM_RSRC_ONE_BULKY_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_ONE_BULKY = 16777216,
        AMD_COMPUTE_PGM_RSRC_ONE_CDBG_USER_SHIFT = 25,
        AMD_COMPUTE_PGM_RSRC_ONE_CDBG_USER_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_ONE_CDBG_USER = 33554432,
        AMD_COMPUTE_PGM_RSRC_ONE_RESERVED1_SHIFT = 26,
        AMD_COMPUTE_PGM_RSRC_ONE_RESERVED1_WIDTH = 6,
        AMD_COMPUTE_PGM_RSRC_ONE_RESERVED1 = -67108864,
    }
    amd_compute_pgm_rsrc_two_t: c_int {
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_PRIVATE_SEGMENT_WAVE_BYTE_OFFSET_SHIFT = 0,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_PRIVATE_SEGMENT_WAVE_BYTE_OFFSET_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_PRIVATE_SEGMENT_WAVE_BYTE_OFFSET = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_USER_SGPR_COUNT_SHIFT = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_USER_SGPR_COUNT_WIDTH = 5,
        AMD_COMPUTE_PGM_RSRC_TWO_USER_SGPR_COUNT = 62,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_TRAP_HANDLER_SHIFT = 6,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_TRAP_HANDLER_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_TRAP_HANDLER = 64,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_X_SHIFT = 7,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_X_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_X = 128,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_Y_SHIFT = 8,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_Y_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_Y = 256,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_Z_SHIFT = 9,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_Z_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_ID_Z = 512,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_INFO_SHIFT = 10,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_INFO_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_SGPR_WORKGROUP_INFO = 1024,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_VGPR_WORKITEM_ID_SHIFT = 11,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_VGPR_WORKITEM_ID_WIDTH = 2,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_VGPR_WORKITEM_ID = 6144,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_ADDRESS_WATCH_SHIFT = 13,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_ADDRESS_WATCH_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_ADDRESS_WATCH = 8192,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_MEMORY_VIOLATION_SHIFT = 14,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_MEMORY_VIOLATION_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_MEMORY_VIOLATION = 16384,
        AMD_COMPUTE_PGM_RSRC_TWO_GRANULATED_LDS_SIZE_SHIFT = 15,
        AMD_COMPUTE_PGM_RSRC_TWO_GRANULATED_LDS_SIZE_WIDTH = 9,
        AMD_COMPUTE_PGM_RSRC_TWO_GRANULATED_LDS_SIZE = 16744448,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION_SHIFT = 24,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION = 16777216,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_FP_DENORMAL_SOURCE_SHIFT = 25,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_FP_DENORMAL_SOURCE_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_FP_DENORMAL_SOURCE = 33554432,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO_SHIFT = 26,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO = 67108864,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW_SHIFT = 27,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW = 134217728,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW_SHIFT = 28,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW = 268435456,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_INEXACT_SHIFT = 29,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_INEXACT_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_IEEE_754_FP_INEXACT = 536870912,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_INT_DIVISION_BY_ZERO_SHIFT = 30,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_INT_DIVISION_BY_ZERO_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_ENABLE_EXCEPTION_INT_DIVISION_BY_ZERO = 1073741824,
        AMD_COMPUTE_PGM_RSRC_TWO_RESERVED1_SHIFT = 31,
        AMD_COMPUTE_PGM_RSRC_TWO_RESERVED1_WIDTH = 1,
        AMD_COMPUTE_PGM_RSRC_TWO_RESERVED1 = -2147483648,
    }
    amd_element_byte_size_t: c_uint {
        AMD_ELEMENT_BYTE_SIZE_2 = 0,
        AMD_ELEMENT_BYTE_SIZE_4 = 1,
        AMD_ELEMENT_BYTE_SIZE_8 = 2,
        AMD_ELEMENT_BYTE_SIZE_16 = 3,
    }
    amd_enabled_control_directive_t: c_uint {
        AMD_ENABLED_CONTROL_DIRECTIVE_ENABLE_BREAK_EXCEPTIONS = 1,
        AMD_ENABLED_CONTROL_DIRECTIVE_ENABLE_DETECT_EXCEPTIONS = 2,
        AMD_ENABLED_CONTROL_DIRECTIVE_MAX_DYNAMIC_GROUP_SIZE = 4,
        AMD_ENABLED_CONTROL_DIRECTIVE_MAX_FLAT_GRID_SIZE = 8,
        AMD_ENABLED_CONTROL_DIRECTIVE_MAX_FLAT_WORKGROUP_SIZE = 16,
        AMD_ENABLED_CONTROL_DIRECTIVE_REQUIRED_DIM = 32,
        AMD_ENABLED_CONTROL_DIRECTIVE_REQUIRED_GRID_SIZE = 64,
        AMD_ENABLED_CONTROL_DIRECTIVE_REQUIRED_WORKGROUP_SIZE = 128,
        AMD_ENABLED_CONTROL_DIRECTIVE_REQUIRE_NO_PARTIAL_WORKGROUPS = 256,
    }
    amd_exception_kind_t: c_uint {
        AMD_EXCEPTION_KIND_INVALID_OPERATION = 1,
        AMD_EXCEPTION_KIND_DIVISION_BY_ZERO = 2,
        AMD_EXCEPTION_KIND_OVERFLOW = 4,
        AMD_EXCEPTION_KIND_UNDERFLOW = 8,
        AMD_EXCEPTION_KIND_INEXACT = 16,
    }
    amd_float_denorm_mode_t: c_uint {
        AMD_FLOAT_DENORM_MODE_FLUSH_SOURCE_OUTPUT = 0,
        AMD_FLOAT_DENORM_MODE_FLUSH_OUTPUT = 1,
        AMD_FLOAT_DENORM_MODE_FLUSH_SOURCE = 2,
        AMD_FLOAT_DENORM_MODE_NO_FLUSH = 3,
    }
    amd_float_round_mode_t: c_uint {
        AMD_FLOAT_ROUND_MODE_NEAREST_EVEN = 0,
        AMD_FLOAT_ROUND_MODE_PLUS_INFINITY = 1,
        AMD_FLOAT_ROUND_MODE_MINUS_INFINITY = 2,
        AMD_FLOAT_ROUND_MODE_ZERO = 3,
    }
    amd_kernel_code_properties_t: c_int {
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER_SHIFT = 0,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_DISPATCH_PTR_SHIFT = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_DISPATCH_PTR_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_DISPATCH_PTR = 2,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_QUEUE_PTR_SHIFT = 2,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_QUEUE_PTR_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_QUEUE_PTR = 4,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_KERNARG_SEGMENT_PTR_SHIFT = 3,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_KERNARG_SEGMENT_PTR_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_KERNARG_SEGMENT_PTR = 8,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_DISPATCH_ID_SHIFT = 4,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_DISPATCH_ID_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_DISPATCH_ID = 16,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_FLAT_SCRATCH_INIT_SHIFT = 5,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_FLAT_SCRATCH_INIT_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_FLAT_SCRATCH_INIT = 32,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE_SHIFT = 6,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE = 64,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_X_SHIFT = 7,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_X_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_X = 128,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_Y_SHIFT = 8,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_Y_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_Y = 256,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_Z_SHIFT = 9,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_Z_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_SGPR_GRID_WORKGROUP_COUNT_Z = 512,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_WAVEFRONT_SIZE32_SHIFT = 10,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_WAVEFRONT_SIZE32_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_WAVEFRONT_SIZE32 = 1024,
        AMD_KERNEL_CODE_PROPERTIES_RESERVED1_SHIFT = 11,
        AMD_KERNEL_CODE_PROPERTIES_RESERVED1_WIDTH = 5,
        AMD_KERNEL_CODE_PROPERTIES_RESERVED1 = 63488,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_ORDERED_APPEND_GDS_SHIFT = 16,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_ORDERED_APPEND_GDS_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_ENABLE_ORDERED_APPEND_GDS = 65536,
        AMD_KERNEL_CODE_PROPERTIES_PRIVATE_ELEMENT_SIZE_SHIFT = 17,
        AMD_KERNEL_CODE_PROPERTIES_PRIVATE_ELEMENT_SIZE_WIDTH = 2,
        AMD_KERNEL_CODE_PROPERTIES_PRIVATE_ELEMENT_SIZE = 393216,
        AMD_KERNEL_CODE_PROPERTIES_IS_PTR64_SHIFT = 19,
        AMD_KERNEL_CODE_PROPERTIES_IS_PTR64_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_IS_PTR64 = 524288,
        AMD_KERNEL_CODE_PROPERTIES_IS_DYNAMIC_CALLSTACK_SHIFT = 20,
        AMD_KERNEL_CODE_PROPERTIES_IS_DYNAMIC_CALLSTACK_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_IS_DYNAMIC_CALLSTACK = 1048576,
        AMD_KERNEL_CODE_PROPERTIES_IS_DEBUG_ENABLED_SHIFT = 21,
        AMD_KERNEL_CODE_PROPERTIES_IS_DEBUG_ENABLED_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_IS_DEBUG_ENABLED = 2097152,
        AMD_KERNEL_CODE_PROPERTIES_IS_XNACK_ENABLED_SHIFT = 22,
        AMD_KERNEL_CODE_PROPERTIES_IS_XNACK_ENABLED_WIDTH = 1,
        AMD_KERNEL_CODE_PROPERTIES_IS_XNACK_ENABLED = 4194304,
        AMD_KERNEL_CODE_PROPERTIES_RESERVED2_SHIFT = 23,
        AMD_KERNEL_CODE_PROPERTIES_RESERVED2_WIDTH = 9,
        AMD_KERNEL_CODE_PROPERTIES_RESERVED2 = -8388608,
    }
    amd_kernel_code_version_t: c_uint {
        AMD_KERNEL_CODE_VERSION_MAJOR = 1,
        AMD_KERNEL_CODE_VERSION_MINOR = 1,
    }
    amd_machine_kind_t: c_uint {
        AMD_MACHINE_KIND_UNDEFINED = 0,
        AMD_MACHINE_KIND_AMDGPU = 1,
    }
    amd_powertwo_t: c_uint {
        AMD_POWERTWO_1 = 0,
        AMD_POWERTWO_2 = 1,
        AMD_POWERTWO_4 = 2,
        AMD_POWERTWO_8 = 3,
        AMD_POWERTWO_16 = 4,
        AMD_POWERTWO_32 = 5,
        AMD_POWERTWO_64 = 6,
        AMD_POWERTWO_128 = 7,
        AMD_POWERTWO_256 = 8,
    }
    amd_queue_capabilities_t: c_uint {
        AMD_QUEUE_CAPS_CP_ASYNC_RECLAIM_SHIFT = 0,
        AMD_QUEUE_CAPS_CP_ASYNC_RECLAIM_WIDTH = 1,
        AMD_QUEUE_CAPS_CP_ASYNC_RECLAIM = 1,
        AMD_QUEUE_CAPS_SW_ASYNC_RECLAIM_SHIFT = 1,
        AMD_QUEUE_CAPS_SW_ASYNC_RECLAIM_WIDTH = 1,
        AMD_QUEUE_CAPS_SW_ASYNC_RECLAIM = 2,
        AMD_QUEUE_CAPS_ASYNC_RECLAIM_SHIFT = 0,
        AMD_QUEUE_CAPS_ASYNC_RECLAIM_WIDTH = 1,
        AMD_QUEUE_CAPS_ASYNC_RECLAIM = 1,
    }
    amd_queue_properties_t: c_int {
        AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_SHIFT = 0,
        AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_WIDTH = 1,
        AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER = 1,
        AMD_QUEUE_PROPERTIES_IS_PTR64_SHIFT = 1,
        AMD_QUEUE_PROPERTIES_IS_PTR64_WIDTH = 1,
        AMD_QUEUE_PROPERTIES_IS_PTR64 = 2,
        AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS_SHIFT = 2,
        AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS_WIDTH = 1,
        AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS = 4,
        AMD_QUEUE_PROPERTIES_ENABLE_PROFILING_SHIFT = 3,
        AMD_QUEUE_PROPERTIES_ENABLE_PROFILING_WIDTH = 1,
        AMD_QUEUE_PROPERTIES_ENABLE_PROFILING = 8,
        AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE_SHIFT = 4,
        AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE_WIDTH = 1,
        AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE = 16,
        AMD_QUEUE_PROPERTIES_RESERVED1_SHIFT = 5,
        AMD_QUEUE_PROPERTIES_RESERVED1_WIDTH = 27,
        AMD_QUEUE_PROPERTIES_RESERVED1 = -32,
    }
    amd_signal_kind_t: c_int {
        AMD_SIGNAL_KIND_INVALID = 0,
        AMD_SIGNAL_KIND_USER = 1,
        AMD_SIGNAL_KIND_DOORBELL = -1,
        AMD_SIGNAL_KIND_LEGACY_DOORBELL = -2,
    }
    amd_system_vgpr_workitem_id_t: c_uint {
        AMD_SYSTEM_VGPR_WORKITEM_ID_X = 0,
        AMD_SYSTEM_VGPR_WORKITEM_ID_X_Y = 1,
        AMD_SYSTEM_VGPR_WORKITEM_ID_X_Y_Z = 2,
        AMD_SYSTEM_VGPR_WORKITEM_ID_UNDEFINED = 3,
    }
    hsa_access_permission_t: c_uint {
        HSA_ACCESS_PERMISSION_NONE = 0,
        HSA_ACCESS_PERMISSION_RO = 1,
        HSA_ACCESS_PERMISSION_WO = 2,
        HSA_ACCESS_PERMISSION_RW = 3,
    }
    hsa_agent_feature_t: c_uint {
        HSA_AGENT_FEATURE_KERNEL_DISPATCH = 1,
        HSA_AGENT_FEATURE_AGENT_DISPATCH = 2,
    }
    hsa_agent_info_t: c_uint {
        HSA_AGENT_INFO_NAME = 0,
        HSA_AGENT_INFO_VENDOR_NAME = 1,
        HSA_AGENT_INFO_FEATURE = 2,
        HSA_AGENT_INFO_MACHINE_MODEL = 3,
        HSA_AGENT_INFO_PROFILE = 4,
        HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 5,
        HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES = 23,
        HSA_AGENT_INFO_FAST_F16_OPERATION = 24,
        HSA_AGENT_INFO_WAVEFRONT_SIZE = 6,
        HSA_AGENT_INFO_WORKGROUP_MAX_DIM = 7,
        HSA_AGENT_INFO_WORKGROUP_MAX_SIZE = 8,
        HSA_AGENT_INFO_GRID_MAX_DIM = 9,
        HSA_AGENT_INFO_GRID_MAX_SIZE = 10,
        HSA_AGENT_INFO_FBARRIER_MAX_SIZE = 11,
        HSA_AGENT_INFO_QUEUES_MAX = 12,
        HSA_AGENT_INFO_QUEUE_MIN_SIZE = 13,
        HSA_AGENT_INFO_QUEUE_MAX_SIZE = 14,
        HSA_AGENT_INFO_QUEUE_TYPE = 15,
        HSA_AGENT_INFO_NODE = 16,
        HSA_AGENT_INFO_DEVICE = 17,
        HSA_AGENT_INFO_CACHE_SIZE = 18,
        HSA_AGENT_INFO_ISA = 19,
        HSA_AGENT_INFO_EXTENSIONS = 20,
        HSA_AGENT_INFO_VERSION_MAJOR = 21,
        HSA_AGENT_INFO_VERSION_MINOR = 22,
        HSA_AGENT_INFO_LAST = 2147483647,
    }
    hsa_amd_agent_info_s: c_uint {
        HSA_AMD_AGENT_INFO_CHIP_ID = 40960,
        HSA_AMD_AGENT_INFO_CACHELINE_SIZE = 40961,
        HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT = 40962,
        HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY = 40963,
        HSA_AMD_AGENT_INFO_DRIVER_NODE_ID = 40964,
        HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS = 40965,
        HSA_AMD_AGENT_INFO_BDFID = 40966,
        HSA_AMD_AGENT_INFO_MEMORY_WIDTH = 40967,
        HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY = 40968,
        HSA_AMD_AGENT_INFO_PRODUCT_NAME = 40969,
        HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU = 40970,
        HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU = 40971,
        HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES = 40972,
        HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE = 40973,
        HSA_AMD_AGENT_INFO_HDP_FLUSH = 40974,
        HSA_AMD_AGENT_INFO_DOMAIN = 40975,
        HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES = 40976,
        HSA_AMD_AGENT_INFO_UUID = 40977,
        HSA_AMD_AGENT_INFO_ASIC_REVISION = 40978,
        HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS = 40979,
        HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT = 40980,
        HSA_AMD_AGENT_INFO_MEMORY_AVAIL = 40981,
        HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY = 40982,
        HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID = 41223,
        HSA_AMD_AGENT_INFO_UCODE_VERSION = 41224,
        HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION = 41225,
        HSA_AMD_AGENT_INFO_NUM_SDMA_ENG = 41226,
        HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG = 41227,
        HSA_AMD_AGENT_INFO_IOMMU_SUPPORT = 41232,
        HSA_AMD_AGENT_INFO_NUM_XCC = 41233,
        HSA_AMD_AGENT_INFO_DRIVER_UID = 41234,
        HSA_AMD_AGENT_INFO_NEAREST_CPU = 41235,
        HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES = 41236,
        HSA_AMD_AGENT_INFO_AQL_EXTENSIONS = 41237,
        HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX = 41238,
        HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT = 41239,
        HSA_AMD_AGENT_INFO_CLOCK_COUNTERS = 41240,
    }
    hsa_amd_agent_memory_pool_info_t: c_uint {
        HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS = 0,
        HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS = 1,
        HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO = 2,
    }
    hsa_amd_agent_memory_properties_s: c_uint {
        HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU = 1,
    }
    hsa_amd_aie_ert_cmd_opcode_t: c_uint {
        HSA_AMD_AIE_ERT_START_CU = 0,
        HSA_AMD_AIE_ERT_START_KERNEL = 0,
        HSA_AMD_AIE_ERT_CONFIGURE = 2,
        HSA_AMD_AIE_ERT_EXIT = 3,
        HSA_AMD_AIE_ERT_ABORT = 4,
        HSA_AMD_AIE_ERT_EXEC_WRITE = 5,
        HSA_AMD_AIE_ERT_CU_STAT = 6,
        HSA_AMD_AIE_ERT_START_COPYBO = 7,
        HSA_AMD_AIE_ERT_SK_CONFIG = 8,
        HSA_AMD_AIE_ERT_SK_START = 9,
        HSA_AMD_AIE_ERT_SK_UNCONFIG = 10,
        HSA_AMD_AIE_ERT_INIT_CU = 11,
        HSA_AMD_AIE_ERT_START_FA = 12,
        HSA_AMD_AIE_ERT_CLK_CALIB = 13,
        HSA_AMD_AIE_ERT_MB_VALIDATE = 14,
        HSA_AMD_AIE_ERT_START_KEY_VAL = 15,
        HSA_AMD_AIE_ERT_ACCESS_TEST_C = 16,
        HSA_AMD_AIE_ERT_ACCESS_TEST = 17,
        HSA_AMD_AIE_ERT_START_DPU = 18,
        HSA_AMD_AIE_ERT_CMD_CHAIN = 19,
        HSA_AMD_AIE_ERT_START_NPU = 20,
        HSA_AMD_AIE_ERT_START_NPU_PREEMPT = 21,
    }
    hsa_amd_aie_ert_cmd_type_t: c_uint {
        HSA_AMD_AIE_ERT_CMD_TYPE_DEFAULT = 0,
        HSA_AMD_AIE_ERT_CMD_TYPE_KDS_LOCAL = 1,
        HSA_AMD_AIE_ERT_CMD_TYPE_CTRL = 2,
        HSA_AMD_AIE_ERT_CMD_TYPE_CU = 3,
        HSA_AMD_AIE_ERT_CMD_TYPE_SCU = 4,
    }
    hsa_amd_aie_ert_state: c_uint {
        HSA_AMD_AIE_ERT_STATE_NEW = 1,
        HSA_AMD_AIE_ERT_STATE_QUEUED = 2,
        HSA_AMD_AIE_ERT_STATE_RUNNING = 3,
        HSA_AMD_AIE_ERT_STATE_COMPLETED = 4,
        HSA_AMD_AIE_ERT_STATE_ERROR = 5,
        HSA_AMD_AIE_ERT_STATE_ABORT = 6,
        HSA_AMD_AIE_ERT_STATE_SUBMITTED = 7,
        HSA_AMD_AIE_ERT_STATE_TIMEOUT = 8,
        HSA_AMD_AIE_ERT_STATE_NORESPONSE = 9,
        HSA_AMD_AIE_ERT_STATE_SKERROR = 10,
        HSA_AMD_AIE_ERT_STATE_SKCRASHED = 11,
        HSA_AMD_AIE_ERT_STATE_MAX = 12,
    }
    hsa_amd_coherency_type_s: c_uint {
        HSA_AMD_COHERENCY_TYPE_COHERENT = 0,
        HSA_AMD_COHERENCY_TYPE_NONCOHERENT = 1,
    }
    hsa_amd_copy_direction_t: c_uint {
        hsaHostToHost = 0,
        hsaHostToDevice = 1,
        hsaDeviceToHost = 2,
        hsaDeviceToDevice = 3,
    }
    hsa_amd_dma_buf_mapping_type_s: c_int {
        HSA_AMD_DMABUF_MAPPING_TYPE_NONE = 0,
        HSA_AMD_DMABUF_MAPPING_TYPE_PCIE = 1,
    }
    hsa_amd_event_scratch_alloc_flag_t: c_uint {
        HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_NONE = 0,
        HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_USE_ONCE = 1,
        HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_ALT = 2,
    }
    hsa_amd_event_type_s: c_uint {
        HSA_AMD_GPU_MEMORY_FAULT_EVENT = 0,
        HSA_AMD_GPU_HW_EXCEPTION_EVENT = 1,
        HSA_AMD_GPU_MEMORY_ERROR_EVENT = 2,
        HSA_AMD_SYSTEM_SHUTDOWN_EVENT = 3,
    }
    hsa_amd_hw_exception_reset_cause_t: c_uint {
        HSA_AMD_HW_EXCEPTION_CAUSE_GPU_HANG = 1,
        HSA_AMD_HW_EXCEPTION_CAUSE_ECC = 2,
    }
    hsa_amd_hw_exception_reset_type_t: c_uint {
        HSA_AMD_HW_EXCEPTION_RESET_TYPE_OTHER = 1,
    }
    hsa_amd_iommu_version_t: c_uint {
        HSA_IOMMU_SUPPORT_NONE = 0,
        HSA_IOMMU_SUPPORT_V2 = 1,
    }
    hsa_amd_link_info_type_t: c_uint {
        HSA_AMD_LINK_INFO_TYPE_HYPERTRANSPORT = 0,
        HSA_AMD_LINK_INFO_TYPE_QPI = 1,
        HSA_AMD_LINK_INFO_TYPE_PCIE = 2,
        HSA_AMD_LINK_INFO_TYPE_INFINBAND = 3,
        HSA_AMD_LINK_INFO_TYPE_XGMI = 4,
    }
    hsa_amd_log_flag_s: c_uint {
        HSA_AMD_LOG_FLAG_BLIT_KERNEL_PKTS = 0,
        HSA_AMD_LOG_FLAG_AQL = 0,
        HSA_AMD_LOG_FLAG_SDMA = 1,
        HSA_AMD_LOG_FLAG_INFO = 2,
    }
    hsa_amd_memory_error_reason_t: c_uint {
        HSA_AMD_MEMORY_ERROR_MEMORY_IN_USE = 1,
    }
    hsa_amd_memory_fault_reason_t: c_uint {
        HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT = 1,
        HSA_AMD_MEMORY_FAULT_READ_ONLY = 2,
        HSA_AMD_MEMORY_FAULT_NX = 4,
        HSA_AMD_MEMORY_FAULT_HOST_ONLY = 8,
        HSA_AMD_MEMORY_FAULT_DRAMECC = 16,
        HSA_AMD_MEMORY_FAULT_IMPRECISE = 32,
        HSA_AMD_MEMORY_FAULT_SRAMECC = 64,
        HSA_AMD_MEMORY_FAULT_HANG = 2147483648,
    }
    hsa_amd_memory_pool_access_t: c_uint {
        HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED = 0,
        HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT = 1,
        HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT = 2,
    }
    hsa_amd_memory_pool_flag_s: c_uint {
        HSA_AMD_MEMORY_POOL_STANDARD_FLAG = 0,
        HSA_AMD_MEMORY_POOL_PCIE_FLAG = 1,
        HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG = 2,
        HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG = 4,
        HSA_AMD_MEMORY_POOL_UNCACHED_FLAG = 8,
    }
    hsa_amd_memory_pool_global_flag_s: c_uint {
        HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT = 1,
        HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED = 2,
        HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED = 4,
        HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED = 8,
    }
    hsa_amd_memory_pool_info_t: c_uint {
        HSA_AMD_MEMORY_POOL_INFO_SEGMENT = 0,
        HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS = 1,
        HSA_AMD_MEMORY_POOL_INFO_SIZE = 2,
        HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED = 5,
        HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE = 6,
        HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT = 7,
        HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL = 15,
        HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE = 16,
        HSA_AMD_MEMORY_POOL_INFO_LOCATION = 17,
        HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE = 18,
    }
    hsa_amd_memory_pool_location_s: c_uint {
        HSA_AMD_MEMORY_POOL_LOCATION_CPU = 0,
        HSA_AMD_MEMORY_POOL_LOCATION_GPU = 1,
    }
    hsa_amd_memory_type_t: c_uint {
        MEMORY_TYPE_NONE = 0,
        MEMORY_TYPE_PINNED = 1,
    }
    hsa_amd_packet_type_t: c_uint {
        HSA_AMD_PACKET_TYPE_BARRIER_VALUE = 2,
        HSA_AMD_PACKET_TYPE_AIE_ERT = 3,
    }
    hsa_amd_pointer_type_t: c_uint {
        HSA_EXT_POINTER_TYPE_UNKNOWN = 0,
        HSA_EXT_POINTER_TYPE_HSA = 1,
        HSA_EXT_POINTER_TYPE_LOCKED = 2,
        HSA_EXT_POINTER_TYPE_GRAPHICS = 3,
        HSA_EXT_POINTER_TYPE_IPC = 4,
        HSA_EXT_POINTER_TYPE_RESERVED_ADDR = 5,
        HSA_EXT_POINTER_TYPE_HSA_VMEM = 6,
    }
    hsa_amd_queue_create_flag_t: c_uint {
        HSA_AMD_QUEUE_CREATE_SYSTEM_MEM = 0,
        HSA_AMD_QUEUE_CREATE_DEVICE_MEM_RING_BUF = 1,
        HSA_AMD_QUEUE_CREATE_DEVICE_MEM_QUEUE_DESCRIPTOR = 2,
    }
    hsa_amd_queue_priority_s: c_uint {
        HSA_AMD_QUEUE_PRIORITY_LOW = 0,
        HSA_AMD_QUEUE_PRIORITY_NORMAL = 1,
        HSA_AMD_QUEUE_PRIORITY_HIGH = 2,
    }
    hsa_amd_region_info_s: c_int {
        HSA_AMD_REGION_INFO_HOST_ACCESSIBLE = 40960,
        HSA_AMD_REGION_INFO_BASE = 40961,
        HSA_AMD_REGION_INFO_BUS_WIDTH = 40962,
        HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY = 40963,
    }
    hsa_amd_sdma_engine_id: c_uint {
        HSA_AMD_SDMA_ENGINE_0 = 1,
        HSA_AMD_SDMA_ENGINE_1 = 2,
        HSA_AMD_SDMA_ENGINE_2 = 4,
        HSA_AMD_SDMA_ENGINE_3 = 8,
        HSA_AMD_SDMA_ENGINE_4 = 16,
        HSA_AMD_SDMA_ENGINE_5 = 32,
        HSA_AMD_SDMA_ENGINE_6 = 64,
        HSA_AMD_SDMA_ENGINE_7 = 128,
        HSA_AMD_SDMA_ENGINE_8 = 256,
        HSA_AMD_SDMA_ENGINE_9 = 512,
        HSA_AMD_SDMA_ENGINE_10 = 1024,
        HSA_AMD_SDMA_ENGINE_11 = 2048,
        HSA_AMD_SDMA_ENGINE_12 = 4096,
        HSA_AMD_SDMA_ENGINE_13 = 8192,
        HSA_AMD_SDMA_ENGINE_14 = 16384,
        HSA_AMD_SDMA_ENGINE_15 = 32768,
    }
    hsa_amd_segment_t: c_uint {
        HSA_AMD_SEGMENT_GLOBAL = 0,
        HSA_AMD_SEGMENT_READONLY = 1,
        HSA_AMD_SEGMENT_PRIVATE = 2,
        HSA_AMD_SEGMENT_GROUP = 3,
    }
    hsa_amd_signal_attribute_t: c_uint {
        HSA_AMD_SIGNAL_AMD_GPU_ONLY = 1,
        HSA_AMD_SIGNAL_IPC = 2,
    }
    hsa_amd_svm_attribute_s: c_uint {
        HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG = 0,
        HSA_AMD_SVM_ATTRIB_READ_ONLY = 1,
        HSA_AMD_SVM_ATTRIB_HIVE_LOCAL = 2,
        HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY = 3,
        HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION = 4,
        HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION = 5,
        HSA_AMD_SVM_ATTRIB_READ_MOSTLY = 6,
        HSA_AMD_SVM_ATTRIB_GPU_EXEC = 7,
        HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE = 512,
        HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE = 513,
        HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS = 514,
        HSA_AMD_SVM_ATTRIB_ACCESS_QUERY = 515,
    }
    hsa_amd_svm_model_s: c_uint {
        HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED = 0,
        HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED = 1,
        HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE = 2,
    }
    hsa_amd_tool_event_kind_t: c_uint {
        HSA_AMD_TOOL_EVENT_MIN = 0,
        HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START = 1,
        HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END = 2,
        HSA_AMD_TOOL_EVENT_SCRATCH_FREE_START = 3,
        HSA_AMD_TOOL_EVENT_SCRATCH_FREE_END = 4,
        HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START = 5,
        HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_END = 6,
        HSA_AMD_TOOL_EVENT_MAX = 7,
    }
    hsa_amd_vmem_address_reserve_flag_s: c_uint {
        HSA_AMD_VMEM_ADDRESS_NO_REGISTER = 1,
    }
    hsa_cache_info_t: c_uint {
        HSA_CACHE_INFO_NAME_LENGTH = 0,
        HSA_CACHE_INFO_NAME = 1,
        HSA_CACHE_INFO_LEVEL = 2,
        HSA_CACHE_INFO_SIZE = 3,
    }
    hsa_code_object_info_t: c_uint {
        HSA_CODE_OBJECT_INFO_VERSION = 0,
        HSA_CODE_OBJECT_INFO_TYPE = 1,
        HSA_CODE_OBJECT_INFO_ISA = 2,
        HSA_CODE_OBJECT_INFO_MACHINE_MODEL = 3,
        HSA_CODE_OBJECT_INFO_PROFILE = 4,
        HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 5,
    }
    hsa_code_object_type_t: c_uint {
        HSA_CODE_OBJECT_TYPE_PROGRAM = 0,
    }
    hsa_code_symbol_info_t: c_uint {
        HSA_CODE_SYMBOL_INFO_TYPE = 0,
        HSA_CODE_SYMBOL_INFO_NAME_LENGTH = 1,
        HSA_CODE_SYMBOL_INFO_NAME = 2,
        HSA_CODE_SYMBOL_INFO_MODULE_NAME_LENGTH = 3,
        HSA_CODE_SYMBOL_INFO_MODULE_NAME = 4,
        HSA_CODE_SYMBOL_INFO_LINKAGE = 5,
        HSA_CODE_SYMBOL_INFO_IS_DEFINITION = 17,
        HSA_CODE_SYMBOL_INFO_VARIABLE_ALLOCATION = 6,
        HSA_CODE_SYMBOL_INFO_VARIABLE_SEGMENT = 7,
        HSA_CODE_SYMBOL_INFO_VARIABLE_ALIGNMENT = 8,
        HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE = 9,
        HSA_CODE_SYMBOL_INFO_VARIABLE_IS_CONST = 10,
        HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE = 11,
        HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT = 12,
        HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE = 13,
        HSA_CODE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE = 14,
        HSA_CODE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK = 15,
        HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION = 18,
        HSA_CODE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION = 16,
        HSA_CODE_SYMBOL_INFO_KERNEL_WAVEFRONT_SIZE = 19,
    }
    hsa_default_float_rounding_mode_t: c_uint {
        HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT = 0,
        HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO = 1,
        HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR = 2,
    }
    hsa_device_type_t: c_uint {
        HSA_DEVICE_TYPE_CPU = 0,
        HSA_DEVICE_TYPE_GPU = 1,
        HSA_DEVICE_TYPE_DSP = 2,
        HSA_DEVICE_TYPE_AIE = 3,
    }
    hsa_endianness_t: c_uint {
        HSA_ENDIANNESS_LITTLE = 0,
        HSA_ENDIANNESS_BIG = 1,
    }
    hsa_exception_policy_t: c_uint {
        HSA_EXCEPTION_POLICY_BREAK = 1,
        HSA_EXCEPTION_POLICY_DETECT = 2,
    }
    hsa_executable_info_t: c_uint {
        HSA_EXECUTABLE_INFO_PROFILE = 1,
        HSA_EXECUTABLE_INFO_STATE = 2,
        HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 3,
    }
    hsa_executable_state_t: c_uint {
        HSA_EXECUTABLE_STATE_UNFROZEN = 0,
        HSA_EXECUTABLE_STATE_FROZEN = 1,
    }
    hsa_executable_symbol_info_t: c_uint {
        HSA_EXECUTABLE_SYMBOL_INFO_TYPE = 0,
        HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH = 1,
        HSA_EXECUTABLE_SYMBOL_INFO_NAME = 2,
        HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH = 3,
        HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME = 4,
        HSA_EXECUTABLE_SYMBOL_INFO_AGENT = 20,
        HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS = 21,
        HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE = 5,
        HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION = 17,
        HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION = 6,
        HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT = 7,
        HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT = 8,
        HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE = 9,
        HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST = 10,
        HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT = 22,
        HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE = 11,
        HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT = 12,
        HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE = 13,
        HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE = 14,
        HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK = 15,
        HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION = 18,
        HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT = 23,
        HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION = 16,
    }
    hsa_ext_finalizer_call_convention_t: c_int {
        HSA_EXT_FINALIZER_CALL_CONVENTION_AUTO = -1,
    }
    hsa_ext_image_capability_t: c_uint {
        HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED = 0,
        HSA_EXT_IMAGE_CAPABILITY_READ_ONLY = 1,
        HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY = 2,
        HSA_EXT_IMAGE_CAPABILITY_READ_WRITE = 4,
        HSA_EXT_IMAGE_CAPABILITY_READ_MODIFY_WRITE = 8,
        HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT = 16,
    }
    hsa_ext_image_channel_order_t: c_uint {
        HSA_EXT_IMAGE_CHANNEL_ORDER_A = 0,
        HSA_EXT_IMAGE_CHANNEL_ORDER_R = 1,
        HSA_EXT_IMAGE_CHANNEL_ORDER_RX = 2,
        HSA_EXT_IMAGE_CHANNEL_ORDER_RG = 3,
        HSA_EXT_IMAGE_CHANNEL_ORDER_RGX = 4,
        HSA_EXT_IMAGE_CHANNEL_ORDER_RA = 5,
        HSA_EXT_IMAGE_CHANNEL_ORDER_RGB = 6,
        HSA_EXT_IMAGE_CHANNEL_ORDER_RGBX = 7,
        HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA = 8,
        HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA = 9,
        HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB = 10,
        HSA_EXT_IMAGE_CHANNEL_ORDER_ABGR = 11,
        HSA_EXT_IMAGE_CHANNEL_ORDER_SRGB = 12,
        HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBX = 13,
        HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA = 14,
        HSA_EXT_IMAGE_CHANNEL_ORDER_SBGRA = 15,
        HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY = 16,
        HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE = 17,
        HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH = 18,
        HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL = 19,
    }
    hsa_ext_image_channel_type_t: c_uint {
        HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8 = 0,
        HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16 = 1,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8 = 2,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16 = 3,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24 = 4,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_555 = 5,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565 = 6,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_101010 = 7,
        HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8 = 8,
        HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16 = 9,
        HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32 = 10,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8 = 11,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16 = 12,
        HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32 = 13,
        HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT = 14,
        HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT = 15,
    }
    hsa_ext_image_data_layout_t: c_uint {
        HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE = 0,
        HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR = 1,
    }
    hsa_ext_image_geometry_t: c_uint {
        HSA_EXT_IMAGE_GEOMETRY_1D = 0,
        HSA_EXT_IMAGE_GEOMETRY_2D = 1,
        HSA_EXT_IMAGE_GEOMETRY_3D = 2,
        HSA_EXT_IMAGE_GEOMETRY_1DA = 3,
        HSA_EXT_IMAGE_GEOMETRY_2DA = 4,
        HSA_EXT_IMAGE_GEOMETRY_1DB = 5,
        HSA_EXT_IMAGE_GEOMETRY_2DDEPTH = 6,
        HSA_EXT_IMAGE_GEOMETRY_2DADEPTH = 7,
    }
    hsa_ext_program_info_t: c_uint {
        HSA_EXT_PROGRAM_INFO_MACHINE_MODEL = 0,
        HSA_EXT_PROGRAM_INFO_PROFILE = 1,
        HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE = 2,
    }
    hsa_ext_sampler_addressing_mode_t: c_uint {
        HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED = 0,
        HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE = 1,
        HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER = 2,
        HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT = 3,
        HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT = 4,
    }
    hsa_ext_sampler_coordinate_mode_t: c_uint {
        HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED = 0,
        HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED = 1,
    }
    hsa_ext_sampler_filter_mode_t: c_uint {
        HSA_EXT_SAMPLER_FILTER_MODE_NEAREST = 0,
        HSA_EXT_SAMPLER_FILTER_MODE_LINEAR = 1,
    }
    hsa_extension_t: c_uint {
        HSA_EXTENSION_FINALIZER = 0,
        HSA_EXTENSION_IMAGES = 1,
        HSA_EXTENSION_PERFORMANCE_COUNTERS = 2,
        HSA_EXTENSION_PROFILING_EVENTS = 3,
        HSA_EXTENSION_STD_LAST = 3,
        HSA_AMD_FIRST_EXTENSION = 512,
        HSA_EXTENSION_AMD_PROFILER = 512,
        HSA_EXTENSION_AMD_LOADER = 513,
        HSA_EXTENSION_AMD_AQLPROFILE = 514,
        HSA_EXTENSION_AMD_PC_SAMPLING = 515,
        HSA_AMD_LAST_EXTENSION = 515,
    }
    hsa_fence_scope_t: c_uint {
        HSA_FENCE_SCOPE_NONE = 0,
        HSA_FENCE_SCOPE_AGENT = 1,
        HSA_FENCE_SCOPE_SYSTEM = 2,
    }
    hsa_flush_mode_t: c_uint {
        HSA_FLUSH_MODE_FTZ = 1,
        HSA_FLUSH_MODE_NON_FTZ = 2,
    }
    hsa_fp_type_t: c_uint {
        HSA_FP_TYPE_16 = 1,
        HSA_FP_TYPE_32 = 2,
        HSA_FP_TYPE_64 = 4,
    }
    hsa_isa_info_t: c_uint {
        HSA_ISA_INFO_NAME_LENGTH = 0,
        HSA_ISA_INFO_NAME = 1,
        HSA_ISA_INFO_CALL_CONVENTION_COUNT = 2,
        HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE = 3,
        HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT = 4,
        HSA_ISA_INFO_MACHINE_MODELS = 5,
        HSA_ISA_INFO_PROFILES = 6,
        HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES = 7,
        HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES = 8,
        HSA_ISA_INFO_FAST_F16_OPERATION = 9,
        HSA_ISA_INFO_WORKGROUP_MAX_DIM = 12,
        HSA_ISA_INFO_WORKGROUP_MAX_SIZE = 13,
        HSA_ISA_INFO_GRID_MAX_DIM = 14,
        HSA_ISA_INFO_GRID_MAX_SIZE = 16,
        HSA_ISA_INFO_FBARRIER_MAX_SIZE = 17,
    }
    hsa_kernel_dispatch_packet_setup_t: c_uint {
        HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS = 0,
    }
    hsa_kernel_dispatch_packet_setup_width_t: c_uint {
        HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS = 2,
    }
    hsa_machine_model_t: c_uint {
        HSA_MACHINE_MODEL_SMALL = 0,
        HSA_MACHINE_MODEL_LARGE = 1,
    }
    hsa_packet_header_t: c_uint {
        HSA_PACKET_HEADER_TYPE = 0,
        HSA_PACKET_HEADER_BARRIER = 8,
        HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE = 9,
        HSA_PACKET_HEADER_ACQUIRE_FENCE_SCOPE = 9,
        HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE = 11,
        HSA_PACKET_HEADER_RELEASE_FENCE_SCOPE = 11,
    }
    hsa_packet_header_width_t: c_uint {
        HSA_PACKET_HEADER_WIDTH_TYPE = 8,
        HSA_PACKET_HEADER_WIDTH_BARRIER = 1,
        HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE = 2,
        HSA_PACKET_HEADER_WIDTH_ACQUIRE_FENCE_SCOPE = 2,
        HSA_PACKET_HEADER_WIDTH_SCRELEASE_FENCE_SCOPE = 2,
        HSA_PACKET_HEADER_WIDTH_RELEASE_FENCE_SCOPE = 2,
    }
    hsa_packet_type_t: c_uint {
        HSA_PACKET_TYPE_VENDOR_SPECIFIC = 0,
        HSA_PACKET_TYPE_INVALID = 1,
        HSA_PACKET_TYPE_KERNEL_DISPATCH = 2,
        HSA_PACKET_TYPE_BARRIER_AND = 3,
        HSA_PACKET_TYPE_AGENT_DISPATCH = 4,
        HSA_PACKET_TYPE_BARRIER_OR = 5,
    }
    hsa_profile_t: c_uint {
        HSA_PROFILE_BASE = 0,
        HSA_PROFILE_FULL = 1,
    }
    hsa_queue_feature_t: c_uint {
        HSA_QUEUE_FEATURE_KERNEL_DISPATCH = 1,
        HSA_QUEUE_FEATURE_AGENT_DISPATCH = 2,
    }
    hsa_queue_info_attribute_t: c_uint {
        HSA_AMD_QUEUE_INFO_AGENT = 0,
        HSA_AMD_QUEUE_INFO_DOORBELL_ID = 1,
    }
    hsa_queue_type_t: c_uint {
        HSA_QUEUE_TYPE_MULTI = 0,
        HSA_QUEUE_TYPE_SINGLE = 1,
        HSA_QUEUE_TYPE_COOPERATIVE = 2,
    }
    hsa_region_global_flag_t: c_uint {
        HSA_REGION_GLOBAL_FLAG_KERNARG = 1,
        HSA_REGION_GLOBAL_FLAG_FINE_GRAINED = 2,
        HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED = 4,
        HSA_REGION_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED = 8,
    }
    hsa_region_info_t: c_int {
        HSA_REGION_INFO_SEGMENT = 0,
        HSA_REGION_INFO_GLOBAL_FLAGS = 1,
        HSA_REGION_INFO_SIZE = 2,
        HSA_REGION_INFO_ALLOC_MAX_SIZE = 4,
        HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE = 8,
        HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED = 5,
        HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE = 6,
        HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT = 7,
    }
    hsa_region_segment_t: c_uint {
        HSA_REGION_SEGMENT_GLOBAL = 0,
        HSA_REGION_SEGMENT_READONLY = 1,
        HSA_REGION_SEGMENT_PRIVATE = 2,
        HSA_REGION_SEGMENT_GROUP = 3,
        HSA_REGION_SEGMENT_KERNARG = 4,
    }
    hsa_round_method_t: c_uint {
        HSA_ROUND_METHOD_SINGLE = 1,
        HSA_ROUND_METHOD_DOUBLE = 2,
    }
    hsa_signal_condition_t: c_uint {
        HSA_SIGNAL_CONDITION_EQ = 0,
        HSA_SIGNAL_CONDITION_NE = 1,
        HSA_SIGNAL_CONDITION_LT = 2,
        HSA_SIGNAL_CONDITION_GTE = 3,
    }
    #[must_use = "it says whether the call succeeded"]
    hsa_status_t: c_uint {
        HSA_STATUS_SUCCESS = 0,
        HSA_STATUS_INFO_BREAK = 1,
        HSA_STATUS_ERROR = 4096,
        HSA_STATUS_ERROR_INVALID_ARGUMENT = 4097,
        HSA_STATUS_ERROR_INVALID_QUEUE_CREATION = 4098,
        HSA_STATUS_ERROR_INVALID_ALLOCATION = 4099,
        HSA_STATUS_ERROR_INVALID_AGENT = 4100,
        HSA_STATUS_ERROR_INVALID_REGION = 4101,
        HSA_STATUS_ERROR_INVALID_SIGNAL = 4102,
        HSA_STATUS_ERROR_INVALID_QUEUE = 4103,
        HSA_STATUS_ERROR_OUT_OF_RESOURCES = 4104,
        HSA_STATUS_ERROR_INVALID_PACKET_FORMAT = 4105,
        HSA_STATUS_ERROR_RESOURCE_FREE = 4106,
        HSA_STATUS_ERROR_NOT_INITIALIZED = 4107,
        HSA_STATUS_ERROR_REFCOUNT_OVERFLOW = 4108,
        HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS = 4109,
        HSA_STATUS_ERROR_INVALID_INDEX = 4110,
        HSA_STATUS_ERROR_INVALID_ISA = 4111,
        HSA_STATUS_ERROR_INVALID_ISA_NAME = 4119,
        HSA_STATUS_ERROR_INVALID_CODE_OBJECT = 4112,
        HSA_STATUS_ERROR_INVALID_EXECUTABLE = 4113,
        HSA_STATUS_ERROR_FROZEN_EXECUTABLE = 4114,
        HSA_STATUS_ERROR_INVALID_SYMBOL_NAME = 4115,
        HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED = 4116,
        HSA_STATUS_ERROR_VARIABLE_UNDEFINED = 4117,
        HSA_STATUS_ERROR_EXCEPTION = 4118,
        HSA_STATUS_ERROR_INVALID_CODE_SYMBOL = 4120,
        HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL = 4121,
        HSA_STATUS_ERROR_INVALID_FILE = 4128,
        HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER = 4129,
        HSA_STATUS_ERROR_INVALID_CACHE = 4130,
        HSA_STATUS_ERROR_INVALID_WAVEFRONT = 4131,
        HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP = 4132,
        HSA_STATUS_ERROR_INVALID_RUNTIME_STATE = 4133,
        HSA_STATUS_ERROR_FATAL = 4134,
    }
    hsa_symbol_kind_t: c_uint {
        HSA_SYMBOL_KIND_VARIABLE = 0,
        HSA_SYMBOL_KIND_KERNEL = 1,
        HSA_SYMBOL_KIND_INDIRECT_FUNCTION = 2,
    }
    hsa_symbol_linkage_t: c_uint {
        HSA_SYMBOL_LINKAGE_MODULE = 0,
        HSA_SYMBOL_LINKAGE_PROGRAM = 1,
    }
    hsa_system_info_t: c_uint {
        HSA_SYSTEM_INFO_VERSION_MAJOR = 0,
        HSA_SYSTEM_INFO_VERSION_MINOR = 1,
        HSA_SYSTEM_INFO_TIMESTAMP = 2,
        HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY = 3,
        HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT = 4,
        HSA_SYSTEM_INFO_ENDIANNESS = 5,
        HSA_SYSTEM_INFO_MACHINE_MODEL = 6,
        HSA_SYSTEM_INFO_EXTENSIONS = 7,
        HSA_AMD_SYSTEM_INFO_BUILD_VERSION = 512,
        HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED = 513,
        HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT = 514,
        HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED = 515,
        HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED = 516,
        HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED = 517,
        HSA_AMD_SYSTEM_INFO_XNACK_ENABLED = 518,
        HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR = 519,
        HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR = 520,
    }
    hsa_variable_allocation_t: c_uint {
        HSA_VARIABLE_ALLOCATION_AGENT = 0,
        HSA_VARIABLE_ALLOCATION_PROGRAM = 1,
    }
    hsa_variable_segment_t: c_uint {
        HSA_VARIABLE_SEGMENT_GLOBAL = 0,
        HSA_VARIABLE_SEGMENT_READONLY = 1,
    }
    hsa_ven_amd_aqlprofile_att_marker_channel_t: c_uint {
        HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_0 = 0,
        HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_1 = 1,
        HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_2 = 2,
        HSA_VEN_AMD_AQLPROFILE_ATT_CHANNEL_3 = 3,
    }
    hsa_ven_amd_aqlprofile_block_name_t: c_uint {
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_CPC = 0,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_CPF = 1,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GDS = 2,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GRBM = 3,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GRBMSE = 4,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SPI = 5,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ = 6,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQCS = 7,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SRBM = 8,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SX = 9,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TA = 10,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCA = 11,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCC = 12,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCP = 13,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TD = 14,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCARB = 15,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCHUB = 16,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCMCBVM = 17,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCSEQ = 18,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCVML2 = 19,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MCXBAR = 20,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_ATC = 21,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_ATCL2 = 22,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GCEA = 23,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_RPB = 24,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SDMA = 25,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GL1A = 26,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GL1C = 27,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GL2A = 28,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GL2C = 29,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GCR = 30,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_GUS = 31,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_UMC = 32,
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_MMEA = 33,
        HSA_VEN_AMD_AQLPROFILE_BLOCKS_NUMBER = 34,
    }
    hsa_ven_amd_aqlprofile_event_type_t: c_uint {
        HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_PMC = 0,
        HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE = 1,
    }
    hsa_ven_amd_aqlprofile_info_type_t: c_uint {
        HSA_VEN_AMD_AQLPROFILE_INFO_COMMAND_BUFFER_SIZE = 0,
        HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA_SIZE = 1,
        HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA = 2,
        HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA = 3,
        HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_COUNTERS = 4,
        HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_ID = 5,
        HSA_VEN_AMD_AQLPROFILE_INFO_ENABLE_CMD = 6,
        HSA_VEN_AMD_AQLPROFILE_INFO_DISABLE_CMD = 7,
    }
    hsa_ven_amd_aqlprofile_parameter_name_t: c_uint {
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_COMPUTE_UNIT_TARGET = 0,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_VM_ID_MASK = 1,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_MASK = 2,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_TOKEN_MASK = 3,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_TOKEN_MASK2 = 4,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK = 5,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SAMPLE_RATE = 6,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_K_CONCURRENT = 7,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SIMD_SELECTION = 8,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_OCCUPANCY_MODE = 9,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE = 10,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_MASK = 240,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_CTRL = 241,
        HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_NAME = 242,
    }
    hsa_ven_amd_loader_code_object_storage_type_t: c_uint {
        HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_NONE = 0,
        HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE = 1,
        HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY = 2,
    }
    hsa_ven_amd_loader_loaded_code_object_info_e: c_uint {
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE = 1,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND = 2,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT = 3,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE = 4,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE = 5,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE = 6,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE = 7,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA = 8,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE = 9,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE = 10,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH = 11,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI = 12,
    }
    hsa_ven_amd_loader_loaded_code_object_kind_t: c_uint {
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_PROGRAM = 1,
        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT = 2,
    }
    hsa_ven_amd_pcs_configuration_flags_t: c_uint {
        HSA_VEN_AMD_PCS_CONFIGURATION_FLAGS_INTERVAL_POWER_OF_2 = 1,
    }
    hsa_ven_amd_pcs_method_kind_t: c_uint {
        HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1 = 0,
        HSA_VEN_AMD_PCS_METHOD_STOCHASTIC_V1 = 1,
    }
    hsa_ven_amd_pcs_units_t: c_uint {
        HSA_VEN_AMD_PCS_INTERVAL_UNITS_MICRO_SECONDS = 0,
        HSA_VEN_AMD_PCS_INTERVAL_UNITS_CLOCK_CYCLES = 1,
        HSA_VEN_AMD_PCS_INTERVAL_UNITS_INSTRUCTIONS = 2,
    }
    hsa_wait_state_t: c_uint {
        HSA_WAIT_STATE_BLOCKED = 0,
        HSA_WAIT_STATE_ACTIVE = 1,
    }
    hsa_wavefront_info_t: c_uint {
        HSA_WAVEFRONT_INFO_SIZE = 0,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AmdExtTable {
    pub version: ApiTableVersion,
    pub hsa_amd_coherency_get_type_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *mut hsa_amd_coherency_type_t) -> hsa_status_t>,
    pub hsa_amd_coherency_set_type_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_amd_coherency_type_t) -> hsa_status_t>,
    pub hsa_amd_profiling_set_profiler_enabled_fn: Option<unsafe extern "C" fn(arg1: *mut hsa_queue_t, arg2: c_int) -> hsa_status_t>,
    pub hsa_amd_profiling_async_copy_enable_fn: Option<unsafe extern "C" fn(arg1: bool) -> hsa_status_t>,
    pub hsa_amd_profiling_get_dispatch_time_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_signal_t, arg3: *mut hsa_amd_profiling_dispatch_time_t) -> hsa_status_t>,
    pub hsa_amd_profiling_get_async_copy_time_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: *mut hsa_amd_profiling_async_copy_time_t) -> hsa_status_t>,
    pub hsa_amd_profiling_convert_tick_to_system_domain_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: u64, arg3: *mut u64) -> hsa_status_t>,
    pub hsa_amd_signal_async_handler_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_condition_t, arg3: hsa_signal_value_t, arg4: hsa_amd_signal_handler, arg5: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_async_function_fn: Option<unsafe extern "C" fn(arg1 :Option<unsafe extern "C" fn(arg1: *mut c_void)>, arg2: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_signal_wait_any_fn: Option<unsafe extern "C" fn(arg1: u32, arg2: *mut hsa_signal_t, arg3: *mut hsa_signal_condition_t, arg4: *mut hsa_signal_value_t, arg5: u64, arg6: hsa_wait_state_t, arg7: *mut hsa_signal_value_t) -> u32>,
    pub hsa_amd_queue_cu_set_mask_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u32, arg3: *const u32) -> hsa_status_t>,
    pub hsa_amd_memory_pool_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_memory_pool_t, arg2: hsa_amd_memory_pool_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_agent_iterate_memory_pools_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_amd_memory_pool_t, arg2: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_memory_pool_allocate_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_memory_pool_t, arg2: usize, arg3: u32, arg4: *mut *mut c_void) -> hsa_status_t>,
    pub hsa_amd_memory_pool_free_fn: Option<unsafe extern "C" fn(arg1: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_memory_async_copy_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: hsa_agent_t, arg3: *const c_void, arg4: hsa_agent_t, arg5: usize, arg6: u32, arg7: *const hsa_signal_t, arg8: hsa_signal_t) -> hsa_status_t>,
    pub hsa_amd_memory_async_copy_on_engine_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: hsa_agent_t, arg3: *const c_void, arg4: hsa_agent_t, arg5: usize, arg6: u32, arg7: *const hsa_signal_t, arg8: hsa_signal_t, arg9: hsa_amd_sdma_engine_id_t, arg10: bool) -> hsa_status_t>,
    pub hsa_amd_memory_copy_engine_status_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_agent_t, arg3: *mut u32) -> hsa_status_t>,
    pub hsa_amd_agent_memory_pool_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_amd_memory_pool_t, arg3: hsa_amd_agent_memory_pool_info_t, arg4: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_agents_allow_access_fn: Option<unsafe extern "C" fn(arg1: u32, arg2: *const hsa_agent_t, arg3: *const u32, arg4: *const c_void) -> hsa_status_t>,
    pub hsa_amd_memory_pool_can_migrate_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_memory_pool_t, arg2: hsa_amd_memory_pool_t, arg3: *mut bool) -> hsa_status_t>,
    pub hsa_amd_memory_migrate_fn: Option<unsafe extern "C" fn(arg1: *const c_void, arg2: hsa_amd_memory_pool_t, arg3: u32) -> hsa_status_t>,
    pub hsa_amd_memory_lock_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: *mut hsa_agent_t, arg4: c_int, arg5: *mut *mut c_void) -> hsa_status_t>,
    pub hsa_amd_memory_unlock_fn: Option<unsafe extern "C" fn(arg1: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_memory_fill_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: u32, arg3: usize) -> hsa_status_t>,
    pub hsa_amd_interop_map_buffer_fn: Option<unsafe extern "C" fn(arg1: u32, arg2: *mut hsa_agent_t, arg3: hsa_handle_t, arg4: u32, arg5: *mut usize, arg6: *mut *mut c_void, arg7: *mut usize, arg8: *mut *const c_void) -> hsa_status_t>,
    pub hsa_amd_interop_unmap_buffer_fn: Option<unsafe extern "C" fn(arg1: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_image_create_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *const hsa_ext_image_descriptor_t, arg3: *const hsa_amd_image_descriptor_t, arg4: *const c_void, arg5: hsa_access_permission_t, arg6: *mut hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_amd_pointer_info_fn: Option<unsafe extern "C" fn(arg1: *const c_void, arg2: *mut hsa_amd_pointer_info_t, arg3 :Option<unsafe extern "C" fn(arg1: usize) -> *mut c_void>, arg4: *mut u32, arg5: *mut *mut hsa_agent_t) -> hsa_status_t>,
    pub hsa_amd_pointer_info_set_userdata_fn: Option<unsafe extern "C" fn(arg1: *const c_void, arg2: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_ipc_memory_create_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: *mut hsa_amd_ipc_memory_t) -> hsa_status_t>,
    pub hsa_amd_ipc_memory_attach_fn: Option<unsafe extern "C" fn(arg1: *const hsa_amd_ipc_memory_t, arg2: usize, arg3: u32, arg4: *const hsa_agent_t, arg5: *mut *mut c_void) -> hsa_status_t>,
    pub hsa_amd_ipc_memory_detach_fn: Option<unsafe extern "C" fn(arg1: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_signal_create_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_value_t, arg2: u32, arg3: *const hsa_agent_t, arg4: u64, arg5: *mut hsa_signal_t) -> hsa_status_t>,
    pub hsa_amd_ipc_signal_create_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: *mut hsa_amd_ipc_signal_t) -> hsa_status_t>,
    pub hsa_amd_ipc_signal_attach_fn: Option<unsafe extern "C" fn(arg1: *const hsa_amd_ipc_signal_t, arg2: *mut hsa_signal_t) -> hsa_status_t>,
    pub hsa_amd_register_system_event_handler_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_system_event_callback_t, arg2: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_queue_intercept_create_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: u32, arg3: hsa_queue_type32_t, arg4 :Option<unsafe extern "C" fn(arg1: hsa_status_t, arg2: *mut hsa_queue_t, arg3: *mut c_void)>, arg5: *mut c_void, arg6: u32, arg7: u32, arg8: *mut *mut hsa_queue_t) -> hsa_status_t>,
    pub hsa_amd_queue_intercept_register_fn: Option<unsafe extern "C" fn(arg1: *mut hsa_queue_t, arg2: hsa_amd_queue_intercept_handler, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_queue_set_priority_fn: Option<unsafe extern "C" fn(arg1: *mut hsa_queue_t, arg2: hsa_amd_queue_priority_t) -> hsa_status_t>,
    pub hsa_amd_memory_async_copy_rect_fn: Option<unsafe extern "C" fn(arg1: *const hsa_pitched_ptr_t, arg2: *const hsa_dim3_t, arg3: *const hsa_pitched_ptr_t, arg4: *const hsa_dim3_t, arg5: *const hsa_dim3_t, arg6: hsa_agent_t, arg7: hsa_amd_copy_direction_t, arg8: u32, arg9: *const hsa_signal_t, arg10: hsa_signal_t) -> hsa_status_t>,
    pub hsa_amd_runtime_queue_create_register_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_runtime_queue_notifier, arg2: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_memory_lock_to_pool_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: *mut hsa_agent_t, arg4: c_int, arg5: hsa_amd_memory_pool_t, arg6: u32, arg7: *mut *mut c_void) -> hsa_status_t>,
    pub hsa_amd_register_deallocation_callback_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: hsa_amd_deallocation_callback_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_deregister_deallocation_callback_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: hsa_amd_deallocation_callback_t) -> hsa_status_t>,
    pub hsa_amd_signal_value_pointer_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: *mut *mut hsa_signal_value_t) -> hsa_status_t>,
    pub hsa_amd_svm_attributes_set_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: *mut hsa_amd_svm_attribute_pair_t, arg4: usize) -> hsa_status_t>,
    pub hsa_amd_svm_attributes_get_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: *mut hsa_amd_svm_attribute_pair_t, arg4: usize) -> hsa_status_t>,
    pub hsa_amd_svm_prefetch_async_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: hsa_agent_t, arg4: u32, arg5: *const hsa_signal_t, arg6: hsa_signal_t) -> hsa_status_t>,
    pub hsa_amd_spm_acquire_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t) -> hsa_status_t>,
    pub hsa_amd_spm_release_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t) -> hsa_status_t>,
    pub hsa_amd_spm_set_dest_buffer_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: usize, arg3: *mut u32, arg4: *mut u32, arg5: *mut c_void, arg6: *mut bool) -> hsa_status_t>,
    pub hsa_amd_queue_cu_get_mask_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u32, arg3: *mut u32) -> hsa_status_t>,
    pub hsa_amd_portable_export_dmabuf_fn: Option<unsafe extern "C" fn(arg1: *const c_void, arg2: usize, arg3: *mut c_int, arg4: *mut u64) -> hsa_status_t>,
    pub hsa_amd_portable_close_dmabuf_fn: Option<unsafe extern "C" fn(arg1: c_int) -> hsa_status_t>,
    pub hsa_amd_vmem_address_reserve_fn: Option<unsafe extern "C" fn(arg1: *mut *mut c_void, arg2: usize, arg3: u64, arg4: u64) -> hsa_status_t>,
    pub hsa_amd_vmem_address_free_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize) -> hsa_status_t>,
    pub hsa_amd_vmem_handle_create_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_memory_pool_t, arg2: usize, arg3: hsa_amd_memory_type_t, arg4: u64, arg5: *mut hsa_amd_vmem_alloc_handle_t) -> hsa_status_t>,
    pub hsa_amd_vmem_handle_release_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_vmem_alloc_handle_t) -> hsa_status_t>,
    pub hsa_amd_vmem_map_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: usize, arg4: hsa_amd_vmem_alloc_handle_t, arg5: u64) -> hsa_status_t>,
    pub hsa_amd_vmem_unmap_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize) -> hsa_status_t>,
    pub hsa_amd_vmem_set_access_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: *const hsa_amd_memory_access_desc_t, arg4: usize) -> hsa_status_t>,
    pub hsa_amd_vmem_get_access_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: *mut hsa_access_permission_t, arg3: hsa_agent_t) -> hsa_status_t>,
    pub hsa_amd_vmem_export_shareable_handle_fn: Option<unsafe extern "C" fn(arg1: *mut c_int, arg2: hsa_amd_vmem_alloc_handle_t, arg3: u64) -> hsa_status_t>,
    pub hsa_amd_vmem_import_shareable_handle_fn: Option<unsafe extern "C" fn(arg1: c_int, arg2: *mut hsa_amd_vmem_alloc_handle_t) -> hsa_status_t>,
    pub hsa_amd_vmem_retain_alloc_handle_fn: Option<unsafe extern "C" fn(arg1: *mut hsa_amd_vmem_alloc_handle_t, arg2: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_vmem_get_alloc_properties_from_handle_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_vmem_alloc_handle_t, arg2: *mut hsa_amd_memory_pool_t, arg3: *mut hsa_amd_memory_type_t) -> hsa_status_t>,
    pub hsa_amd_agent_set_async_scratch_limit_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: usize) -> hsa_status_t>,
    pub hsa_amd_queue_get_info_fn: Option<unsafe extern "C" fn(arg1: *mut hsa_queue_t, arg2: hsa_queue_info_attribute_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_vmem_address_reserve_align_fn: Option<unsafe extern "C" fn(arg1: *mut *mut c_void, arg2: usize, arg3: u64, arg4: u64, arg5: u64) -> hsa_status_t>,
    pub hsa_amd_enable_logging_fn: Option<unsafe extern "C" fn(arg1: *mut u8, arg2: *mut c_void) -> hsa_status_t>,
    pub hsa_amd_signal_wait_all_fn: Option<unsafe extern "C" fn(arg1: u32, arg2: *mut hsa_signal_t, arg3: *mut hsa_signal_condition_t, arg4: *mut hsa_signal_value_t, arg5: u64, arg6: hsa_wait_state_t, arg7: *mut hsa_signal_value_t) -> u32>,
    pub hsa_amd_memory_get_preferred_copy_engine_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_agent_t, arg3: *mut u32) -> hsa_status_t>,
    pub hsa_amd_portable_export_dmabuf_v2_fn: Option<unsafe extern "C" fn(arg1: *const c_void, arg2: usize, arg3: *mut c_int, arg4: *mut u64, arg5: u64) -> hsa_status_t>,
    pub hsa_amd_ais_file_write_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_ais_file_handle_t, arg2: *mut c_void, arg3: u64, arg4: i64, arg5: *mut u64, arg6: *mut i32) -> hsa_status_t>,
    pub hsa_amd_ais_file_read_fn: Option<unsafe extern "C" fn(arg1: hsa_amd_ais_file_handle_t, arg2: *mut c_void, arg3: u64, arg4: i64, arg5: *mut u64, arg6: *mut i32) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ApiTableVersion {
    pub major_id: u32,
    pub minor_id: u32,
    pub step_id: u32,
    pub reserved: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BrigModuleHeader {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CoreApiTable {
    pub version: ApiTableVersion,
    pub hsa_init_fn: Option<unsafe extern "C" fn() -> hsa_status_t>,
    pub hsa_shut_down_fn: Option<unsafe extern "C" fn() -> hsa_status_t>,
    pub hsa_system_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_system_info_t, arg2: *mut c_void) -> hsa_status_t>,
    pub hsa_system_extension_supported_fn: Option<unsafe extern "C" fn(arg1: u16, arg2: u16, arg3: u16, arg4: *mut bool) -> hsa_status_t>,
    pub hsa_system_get_extension_table_fn: Option<unsafe extern "C" fn(arg1: u16, arg2: u16, arg3: u16, arg4: *mut c_void) -> hsa_status_t>,
    pub hsa_iterate_agents_fn: Option<unsafe extern "C" fn(arg1 :Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *mut c_void) -> hsa_status_t>, arg2: *mut c_void) -> hsa_status_t>,
    pub hsa_agent_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_agent_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_queue_create_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: u32, arg3: hsa_queue_type32_t, arg4 :Option<unsafe extern "C" fn(arg1: hsa_status_t, arg2: *mut hsa_queue_t, arg3: *mut c_void)>, arg5: *mut c_void, arg6: u32, arg7: u32, arg8: *mut *mut hsa_queue_t) -> hsa_status_t>,
    pub hsa_soft_queue_create_fn: Option<unsafe extern "C" fn(arg1: hsa_region_t, arg2: u32, arg3: hsa_queue_type32_t, arg4: u32, arg5: hsa_signal_t, arg6: *mut *mut hsa_queue_t) -> hsa_status_t>,
    pub hsa_queue_destroy_fn: Option<unsafe extern "C" fn(arg1: *mut hsa_queue_t) -> hsa_status_t>,
    pub hsa_queue_inactivate_fn: Option<unsafe extern "C" fn(arg1: *mut hsa_queue_t) -> hsa_status_t>,
    pub hsa_queue_load_read_index_scacquire_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t) -> u64>,
    pub hsa_queue_load_read_index_relaxed_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t) -> u64>,
    pub hsa_queue_load_write_index_scacquire_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t) -> u64>,
    pub hsa_queue_load_write_index_relaxed_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t) -> u64>,
    pub hsa_queue_store_write_index_relaxed_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64)>,
    pub hsa_queue_store_write_index_screlease_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64)>,
    pub hsa_queue_cas_write_index_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64, arg3: u64) -> u64>,
    pub hsa_queue_cas_write_index_scacquire_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64, arg3: u64) -> u64>,
    pub hsa_queue_cas_write_index_relaxed_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64, arg3: u64) -> u64>,
    pub hsa_queue_cas_write_index_screlease_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64, arg3: u64) -> u64>,
    pub hsa_queue_add_write_index_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64) -> u64>,
    pub hsa_queue_add_write_index_scacquire_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64) -> u64>,
    pub hsa_queue_add_write_index_relaxed_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64) -> u64>,
    pub hsa_queue_add_write_index_screlease_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64) -> u64>,
    pub hsa_queue_store_read_index_relaxed_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64)>,
    pub hsa_queue_store_read_index_screlease_fn: Option<unsafe extern "C" fn(arg1: *const hsa_queue_t, arg2: u64)>,
    pub hsa_agent_iterate_regions_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_region_t, arg2: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_region_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_region_t, arg2: hsa_region_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_agent_get_exception_policies_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_profile_t, arg3: *mut u16) -> hsa_status_t>,
    pub hsa_agent_extension_supported_fn: Option<unsafe extern "C" fn(arg1: u16, arg2: hsa_agent_t, arg3: u16, arg4: u16, arg5: *mut bool) -> hsa_status_t>,
    pub hsa_memory_register_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize) -> hsa_status_t>,
    pub hsa_memory_deregister_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize) -> hsa_status_t>,
    pub hsa_memory_allocate_fn: Option<unsafe extern "C" fn(arg1: hsa_region_t, arg2: usize, arg3: *mut *mut c_void) -> hsa_status_t>,
    pub hsa_memory_free_fn: Option<unsafe extern "C" fn(arg1: *mut c_void) -> hsa_status_t>,
    pub hsa_memory_copy_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: *const c_void, arg3: usize) -> hsa_status_t>,
    pub hsa_memory_assign_agent_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: hsa_agent_t, arg3: hsa_access_permission_t) -> hsa_status_t>,
    pub hsa_signal_create_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_value_t, arg2: u32, arg3: *const hsa_agent_t, arg4: *mut hsa_signal_t) -> hsa_status_t>,
    pub hsa_signal_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t) -> hsa_status_t>,
    pub hsa_signal_load_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t) -> hsa_signal_value_t>,
    pub hsa_signal_load_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t) -> hsa_signal_value_t>,
    pub hsa_signal_store_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_store_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_wait_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_condition_t, arg3: hsa_signal_value_t, arg4: u64, arg5: hsa_wait_state_t) -> hsa_signal_value_t>,
    pub hsa_signal_wait_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_condition_t, arg3: hsa_signal_value_t, arg4: u64, arg5: hsa_wait_state_t) -> hsa_signal_value_t>,
    pub hsa_signal_and_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_and_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_and_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_and_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_or_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_or_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_or_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_or_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_xor_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_xor_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_xor_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_xor_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_exchange_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t) -> hsa_signal_value_t>,
    pub hsa_signal_exchange_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t) -> hsa_signal_value_t>,
    pub hsa_signal_exchange_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t) -> hsa_signal_value_t>,
    pub hsa_signal_exchange_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t) -> hsa_signal_value_t>,
    pub hsa_signal_add_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_add_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_add_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_add_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_subtract_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_subtract_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_subtract_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_subtract_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_cas_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t, arg3: hsa_signal_value_t) -> hsa_signal_value_t>,
    pub hsa_signal_cas_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t, arg3: hsa_signal_value_t) -> hsa_signal_value_t>,
    pub hsa_signal_cas_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t, arg3: hsa_signal_value_t) -> hsa_signal_value_t>,
    pub hsa_signal_cas_scacq_screl_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t, arg3: hsa_signal_value_t) -> hsa_signal_value_t>,
    pub hsa_isa_from_name_fn: Option<unsafe extern "C" fn(arg1: *const c_char, arg2: *mut hsa_isa_t) -> hsa_status_t>,
    pub hsa_isa_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_isa_t, arg2: hsa_isa_info_t, arg3: u32, arg4: *mut c_void) -> hsa_status_t>,
    pub hsa_isa_compatible_fn: Option<unsafe extern "C" fn(arg1: hsa_isa_t, arg2: hsa_isa_t, arg3: *mut bool) -> hsa_status_t>,
    pub hsa_code_object_serialize_fn: Option<unsafe extern "C" fn(arg1: hsa_code_object_t, arg2 :Option<unsafe extern "C" fn(arg1: usize, arg2: hsa_callback_data_t, arg3: *mut *mut c_void) -> hsa_status_t>, arg3: hsa_callback_data_t, arg4: *const c_char, arg5: *mut *mut c_void, arg6: *mut usize) -> hsa_status_t>,
    pub hsa_code_object_deserialize_fn: Option<unsafe extern "C" fn(arg1: *mut c_void, arg2: usize, arg3: *const c_char, arg4: *mut hsa_code_object_t) -> hsa_status_t>,
    pub hsa_code_object_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_code_object_t) -> hsa_status_t>,
    pub hsa_code_object_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_code_object_t, arg2: hsa_code_object_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_code_object_get_symbol_fn: Option<unsafe extern "C" fn(arg1: hsa_code_object_t, arg2: *const c_char, arg3: *mut hsa_code_symbol_t) -> hsa_status_t>,
    pub hsa_code_symbol_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_code_symbol_t, arg2: hsa_code_symbol_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_code_object_iterate_symbols_fn: Option<unsafe extern "C" fn(arg1: hsa_code_object_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_code_object_t, arg2: hsa_code_symbol_t, arg3: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_executable_create_fn: Option<unsafe extern "C" fn(arg1: hsa_profile_t, arg2: hsa_executable_state_t, arg3: *const c_char, arg4: *mut hsa_executable_t) -> hsa_status_t>,
    pub hsa_executable_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t) -> hsa_status_t>,
    pub hsa_executable_load_code_object_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_agent_t, arg3: hsa_code_object_t, arg4: *const c_char) -> hsa_status_t>,
    pub hsa_executable_freeze_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: *const c_char) -> hsa_status_t>,
    pub hsa_executable_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_executable_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_executable_global_variable_define_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: *const c_char, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_executable_agent_global_variable_define_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_agent_t, arg3: *const c_char, arg4: *mut c_void) -> hsa_status_t>,
    pub hsa_executable_readonly_variable_define_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_agent_t, arg3: *const c_char, arg4: *mut c_void) -> hsa_status_t>,
    pub hsa_executable_validate_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: *mut u32) -> hsa_status_t>,
    pub hsa_executable_get_symbol_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: *const c_char, arg3: *const c_char, arg4: hsa_agent_t, arg5: i32, arg6: *mut hsa_executable_symbol_t) -> hsa_status_t>,
    pub hsa_executable_symbol_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_symbol_t, arg2: hsa_executable_symbol_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_executable_iterate_symbols_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_executable_symbol_t, arg3: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_status_string_fn: Option<unsafe extern "C" fn(arg1: hsa_status_t, arg2: *mut *const c_char) -> hsa_status_t>,
    pub hsa_extension_get_name_fn: Option<unsafe extern "C" fn(arg1: u16, arg2: *mut *const c_char) -> hsa_status_t>,
    pub hsa_system_major_extension_supported_fn: Option<unsafe extern "C" fn(arg1: u16, arg2: u16, arg3: *mut u16, arg4: *mut bool) -> hsa_status_t>,
    pub hsa_system_get_major_extension_table_fn: Option<unsafe extern "C" fn(arg1: u16, arg2: u16, arg3: usize, arg4: *mut c_void) -> hsa_status_t>,
    pub hsa_agent_major_extension_supported_fn: Option<unsafe extern "C" fn(arg1: u16, arg2: hsa_agent_t, arg3: u16, arg4: *mut u16, arg5: *mut bool) -> hsa_status_t>,
    pub hsa_cache_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_cache_t, arg2: hsa_cache_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_agent_iterate_caches_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_cache_t, arg2: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_signal_silent_store_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_silent_store_screlease_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_t, arg2: hsa_signal_value_t)>,
    pub hsa_signal_group_create_fn: Option<unsafe extern "C" fn(arg1: u32, arg2: *const hsa_signal_t, arg3: u32, arg4: *const hsa_agent_t, arg5: *mut hsa_signal_group_t) -> hsa_status_t>,
    pub hsa_signal_group_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_group_t) -> hsa_status_t>,
    pub hsa_signal_group_wait_any_scacquire_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_group_t, arg2: *const hsa_signal_condition_t, arg3: *const hsa_signal_value_t, arg4: hsa_wait_state_t, arg5: *mut hsa_signal_t, arg6: *mut hsa_signal_value_t) -> hsa_status_t>,
    pub hsa_signal_group_wait_any_relaxed_fn: Option<unsafe extern "C" fn(arg1: hsa_signal_group_t, arg2: *const hsa_signal_condition_t, arg3: *const hsa_signal_value_t, arg4: hsa_wait_state_t, arg5: *mut hsa_signal_t, arg6: *mut hsa_signal_value_t) -> hsa_status_t>,
    pub hsa_agent_iterate_isas_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_isa_t, arg2: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_isa_get_info_alt_fn: Option<unsafe extern "C" fn(arg1: hsa_isa_t, arg2: hsa_isa_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_isa_get_exception_policies_fn: Option<unsafe extern "C" fn(arg1: hsa_isa_t, arg2: hsa_profile_t, arg3: *mut u16) -> hsa_status_t>,
    pub hsa_isa_get_round_method_fn: Option<unsafe extern "C" fn(arg1: hsa_isa_t, arg2: hsa_fp_type_t, arg3: hsa_flush_mode_t, arg4: *mut hsa_round_method_t) -> hsa_status_t>,
    pub hsa_wavefront_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_wavefront_t, arg2: hsa_wavefront_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_isa_iterate_wavefronts_fn: Option<unsafe extern "C" fn(arg1: hsa_isa_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_wavefront_t, arg2: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_code_object_get_symbol_from_name_fn: Option<unsafe extern "C" fn(arg1: hsa_code_object_t, arg2: *const c_char, arg3: *const c_char, arg4: *mut hsa_code_symbol_t) -> hsa_status_t>,
    pub hsa_code_object_reader_create_from_file_fn: Option<unsafe extern "C" fn(arg1: hsa_file_t, arg2: *mut hsa_code_object_reader_t) -> hsa_status_t>,
    pub hsa_code_object_reader_create_from_memory_fn: Option<unsafe extern "C" fn(arg1: *const c_void, arg2: usize, arg3: *mut hsa_code_object_reader_t) -> hsa_status_t>,
    pub hsa_code_object_reader_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_code_object_reader_t) -> hsa_status_t>,
    pub hsa_executable_create_alt_fn: Option<unsafe extern "C" fn(arg1: hsa_profile_t, arg2: hsa_default_float_rounding_mode_t, arg3: *const c_char, arg4: *mut hsa_executable_t) -> hsa_status_t>,
    pub hsa_executable_load_program_code_object_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_code_object_reader_t, arg3: *const c_char, arg4: *mut hsa_loaded_code_object_t) -> hsa_status_t>,
    pub hsa_executable_load_agent_code_object_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_agent_t, arg3: hsa_code_object_reader_t, arg4: *const c_char, arg5: *mut hsa_loaded_code_object_t) -> hsa_status_t>,
    pub hsa_executable_validate_alt_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: *const c_char, arg3: *mut u32) -> hsa_status_t>,
    pub hsa_executable_get_symbol_by_name_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: *const c_char, arg3: *const hsa_agent_t, arg4: *mut hsa_executable_symbol_t) -> hsa_status_t>,
    pub hsa_executable_iterate_agent_symbols_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_agent_t, arg3 :Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_agent_t, arg3: hsa_executable_symbol_t, arg4: *mut c_void) -> hsa_status_t>, arg4: *mut c_void) -> hsa_status_t>,
    pub hsa_executable_iterate_program_symbols_fn: Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_executable_t, arg2: hsa_executable_symbol_t, arg3: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FinalizerExtTable {
    pub version: ApiTableVersion,
    pub hsa_ext_program_create_fn: Option<unsafe extern "C" fn(arg1: hsa_machine_model_t, arg2: hsa_profile_t, arg3: hsa_default_float_rounding_mode_t, arg4: *const c_char, arg5: *mut hsa_ext_program_t) -> hsa_status_t>,
    pub hsa_ext_program_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_ext_program_t) -> hsa_status_t>,
    pub hsa_ext_program_add_module_fn: Option<unsafe extern "C" fn(arg1: hsa_ext_program_t, arg2: hsa_ext_module_t) -> hsa_status_t>,
    pub hsa_ext_program_iterate_modules_fn: Option<unsafe extern "C" fn(arg1: hsa_ext_program_t, arg2 :Option<unsafe extern "C" fn(arg1: hsa_ext_program_t, arg2: hsa_ext_module_t, arg3: *mut c_void) -> hsa_status_t>, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_ext_program_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_ext_program_t, arg2: hsa_ext_program_info_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_ext_program_finalize_fn: Option<unsafe extern "C" fn(arg1: hsa_ext_program_t, arg2: hsa_isa_t, arg3: i32, arg4: hsa_ext_control_directives_t, arg5: *const c_char, arg6: hsa_code_object_type_t, arg7: *mut hsa_code_object_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HsaApiTable {
    pub version: ApiTableVersion,
    pub core_: *mut CoreApiTable,
    pub amd_ext_: *mut AmdExtTable,
    pub finalizer_ext_: *mut FinalizerExtTable,
    pub image_ext_: *mut ImageExtTable,
    pub tools_: *mut ToolsApiTable,
    pub pc_sampling_ext_: *mut PcSamplingExtTable,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HsaApiTableContainer {
    pub root: HsaApiTable,
    pub core: CoreApiTable,
    pub amd_ext: AmdExtTable,
    pub finalizer_ext: FinalizerExtTable,
    pub image_ext: ImageExtTable,
    pub tools: ToolsApiTable,
    pub pc_sampling_ext: PcSamplingExtTable,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ImageExtTable {
    pub version: ApiTableVersion,
    pub hsa_ext_image_get_capability_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ext_image_geometry_t, arg3: *const hsa_ext_image_format_t, arg4: *mut u32) -> hsa_status_t>,
    pub hsa_ext_image_data_get_info_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *const hsa_ext_image_descriptor_t, arg3: hsa_access_permission_t, arg4: *mut hsa_ext_image_data_info_t) -> hsa_status_t>,
    pub hsa_ext_image_create_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *const hsa_ext_image_descriptor_t, arg3: *const c_void, arg4: hsa_access_permission_t, arg5: *mut hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_ext_image_import_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *const c_void, arg3: usize, arg4: usize, arg5: hsa_ext_image_t, arg6: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_image_export_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ext_image_t, arg3: *mut c_void, arg4: usize, arg5: usize, arg6: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_image_copy_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ext_image_t, arg3: *const hsa_dim3_t, arg4: hsa_ext_image_t, arg5: *const hsa_dim3_t, arg6: *const hsa_dim3_t) -> hsa_status_t>,
    pub hsa_ext_image_clear_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ext_image_t, arg3: *const c_void, arg4: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_image_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_ext_sampler_create_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *const hsa_ext_sampler_descriptor_t, arg3: *mut hsa_ext_sampler_t) -> hsa_status_t>,
    pub hsa_ext_sampler_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ext_sampler_t) -> hsa_status_t>,
    pub hsa_ext_image_get_capability_with_layout_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ext_image_geometry_t, arg3: *const hsa_ext_image_format_t, arg4: hsa_ext_image_data_layout_t, arg5: *mut u32) -> hsa_status_t>,
    pub hsa_ext_image_data_get_info_with_layout_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *const hsa_ext_image_descriptor_t, arg3: hsa_access_permission_t, arg4: hsa_ext_image_data_layout_t, arg5: usize, arg6: usize, arg7: *mut hsa_ext_image_data_info_t) -> hsa_status_t>,
    pub hsa_ext_image_create_with_layout_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *const hsa_ext_image_descriptor_t, arg3: *const c_void, arg4: hsa_access_permission_t, arg5: hsa_ext_image_data_layout_t, arg6: usize, arg7: usize, arg8: *mut hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_ext_sampler_create_v2_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: *const hsa_ext_sampler_descriptor_v2_t, arg3: *mut hsa_ext_sampler_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PcSamplingExtTable {
    pub version: ApiTableVersion,
    pub hsa_ven_amd_pcs_iterate_configuration_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ven_amd_pcs_iterate_configuration_callback_t, arg3: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_create_fn: Option<unsafe extern "C" fn(arg1: hsa_agent_t, arg2: hsa_ven_amd_pcs_method_kind_t, arg3: hsa_ven_amd_pcs_units_t, arg4: usize, arg5: usize, arg6: usize, arg7: hsa_ven_amd_pcs_data_ready_callback_t, arg8: *mut c_void, arg9: *mut hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_create_from_id_fn: Option<unsafe extern "C" fn(arg1: u32, arg2: hsa_agent_t, arg3: hsa_ven_amd_pcs_method_kind_t, arg4: hsa_ven_amd_pcs_units_t, arg5: usize, arg6: usize, arg7: usize, arg8: hsa_ven_amd_pcs_data_ready_callback_t, arg9: *mut c_void, arg10: *mut hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_destroy_fn: Option<unsafe extern "C" fn(arg1: hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_start_fn: Option<unsafe extern "C" fn(arg1: hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_stop_fn: Option<unsafe extern "C" fn(arg1: hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_flush_fn: Option<unsafe extern "C" fn(arg1: hsa_ven_amd_pcs_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ToolsApiTable {
    pub version: ApiTableVersion,
    pub hsa_amd_tool_scratch_event_alloc_start_fn: hsa_amd_tool_event,
    pub hsa_amd_tool_scratch_event_alloc_end_fn: hsa_amd_tool_event,
    pub hsa_amd_tool_scratch_event_free_start_fn: hsa_amd_tool_event,
    pub hsa_amd_tool_scratch_event_free_end_fn: hsa_amd_tool_event,
    pub hsa_amd_tool_scratch_event_async_reclaim_start_fn: hsa_amd_tool_event,
    pub hsa_amd_tool_scratch_event_async_reclaim_end_fn: hsa_amd_tool_event,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amd_aql_intercept_marker_s {
    pub header: u16,
    pub format: u8,
    pub reserved: [u8; 5],
    pub callback: amd_intercept_marker_handler,
    pub user_data: [u64; 6],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amd_control_directives_s {
    pub enabled_control_directives: amd_enabled_control_directive64_t,
    pub enable_break_exceptions: u16,
    pub enable_detect_exceptions: u16,
    pub max_dynamic_group_size: u32,
    pub max_flat_grid_size: u64,
    pub max_flat_workgroup_size: u32,
    pub required_dim: u8,
    pub reserved1: [u8; 3],
    pub required_grid_size: [u64; 3],
    pub required_workgroup_size: [u32; 3],
    pub reserved2: [u8; 60],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amd_kernel_code_s {
    pub amd_kernel_code_version_major: amd_kernel_code_version32_t,
    pub amd_kernel_code_version_minor: amd_kernel_code_version32_t,
    pub amd_machine_kind: amd_machine_kind16_t,
    pub amd_machine_version_major: amd_machine_version16_t,
    pub amd_machine_version_minor: amd_machine_version16_t,
    pub amd_machine_version_stepping: amd_machine_version16_t,
    pub kernel_code_entry_byte_offset: i64,
    pub kernel_code_prefetch_byte_offset: i64,
    pub kernel_code_prefetch_byte_size: u64,
    pub max_scratch_backing_memory_byte_size: u64,
    pub compute_pgm_rsrc1: amd_compute_pgm_rsrc_one32_t,
    pub compute_pgm_rsrc2: amd_compute_pgm_rsrc_two32_t,
    pub kernel_code_properties: amd_kernel_code_properties32_t,
    pub workitem_private_segment_byte_size: u32,
    pub workgroup_group_segment_byte_size: u32,
    pub gds_segment_byte_size: u32,
    pub kernarg_segment_byte_size: u64,
    pub workgroup_fbarrier_count: u32,
    pub wavefront_sgpr_count: u16,
    pub workitem_vgpr_count: u16,
    pub reserved_vgpr_first: u16,
    pub reserved_vgpr_count: u16,
    pub reserved_sgpr_first: u16,
    pub reserved_sgpr_count: u16,
    pub debug_wavefront_private_segment_offset_sgpr: u16,
    pub debug_private_segment_buffer_sgpr: u16,
    pub kernarg_segment_alignment: amd_powertwo8_t,
    pub group_segment_alignment: amd_powertwo8_t,
    pub private_segment_alignment: amd_powertwo8_t,
    pub wavefront_size: amd_powertwo8_t,
    pub call_convention: i32,
    pub reserved1: [u8; 12],
    pub runtime_loader_kernel_symbol: u64,
    pub control_directives: amd_control_directives_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amd_queue_s {
    pub hsa_queue: hsa_queue_t,
    pub caps: u32,
    pub reserved1: [u32; 3],
    pub write_dispatch_id: u64,
    pub group_segment_aperture_base_hi: u32,
    pub private_segment_aperture_base_hi: u32,
    pub max_cu_id: u32,
    pub max_wave_id: u32,
    pub max_legacy_doorbell_dispatch_id_plus_1: u64,
    pub legacy_doorbell_lock: u32,
    pub reserved2: [u32; 9],
    pub read_dispatch_id: u64,
    pub read_dispatch_id_field_base_byte_offset: u32,
    pub compute_tmpring_size: u32,
    pub scratch_resource_descriptor: [u32; 4],
    pub scratch_backing_memory_location: u64,
    pub reserved3: [u32; 2],
    pub scratch_wave64_lane_byte_size: u32,
    pub queue_properties: amd_queue_properties32_t,
    pub reserved4: [u32; 2],
    pub queue_inactive_signal: hsa_signal_t,
    pub reserved5: [u32; 14],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amd_queue_v2_s {
    pub hsa_queue: hsa_queue_t,
    pub caps: u32,
    pub reserved1: [u32; 3],
    pub write_dispatch_id: u64,
    pub group_segment_aperture_base_hi: u32,
    pub private_segment_aperture_base_hi: u32,
    pub max_cu_id: u32,
    pub max_wave_id: u32,
    pub max_legacy_doorbell_dispatch_id_plus_1: u64,
    pub legacy_doorbell_lock: u32,
    pub reserved2: [u32; 9],
    pub read_dispatch_id: u64,
    pub read_dispatch_id_field_base_byte_offset: u32,
    pub compute_tmpring_size: u32,
    pub scratch_resource_descriptor: [u32; 4],
    pub scratch_backing_memory_location: u64,
    pub scratch_backing_memory_byte_size: u64,
    pub scratch_wave64_lane_byte_size: u32,
    pub queue_properties: amd_queue_properties32_t,
    pub scratch_max_use_index: u64,
    pub queue_inactive_signal: hsa_signal_t,
    pub alt_scratch_max_use_index: u64,
    pub alt_scratch_resource_descriptor: [u32; 4],
    pub alt_scratch_backing_memory_location: u64,
    pub alt_scratch_dispatch_limit_x: u32,
    pub alt_scratch_dispatch_limit_y: u32,
    pub alt_scratch_dispatch_limit_z: u32,
    pub alt_scratch_wave64_lane_byte_size: u32,
    pub alt_compute_tmpring_size: u32,
    pub reserved5: u32,
    pub scratch_last_used_index: [scratch_last_used_index_xcc_t; 128],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct amd_runtime_loader_debug_info_s {
    pub elf_raw: *const c_void,
    pub elf_size: usize,
    pub kernel_name: *const c_char,
    pub owning_segment: *const c_void,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct amd_signal_s {
    pub kind: amd_signal_kind64_t,
    pub __bindgen_anon_1: amd_signal_s__bindgen_ty_1,
    pub event_mailbox_ptr: u64,
    pub event_id: u32,
    pub reserved1: u32,
    pub start_ts: u64,
    pub end_ts: u64,
    pub __bindgen_anon_2: amd_signal_s__bindgen_ty_2,
    pub reserved3: [u32; 2],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union amd_signal_s__bindgen_ty_1 {
    pub value: i64,
    pub hardware_doorbell_ptr: *mut u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union amd_signal_s__bindgen_ty_2 {
    pub queue_ptr: *mut amd_queue_v2_t,
    pub reserved2: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_agent_dispatch_packet_s {
    pub header: u16,
    pub type_: u16,
    pub reserved0: u32,
    pub return_address: *mut c_void,
    pub arg: [u64; 4],
    pub reserved2: u64,
    pub completion_signal: hsa_signal_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_agent_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_aie_ert_command_chain_data_s {
    pub command_count: u32,
    pub submit_index: u32,
    pub error_index: u32,
    pub reserved: [u32; 3],
    pub data: [u64; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_aie_ert_packet_s {
    pub header: hsa_amd_vendor_packet_header_t,
    pub __bindgen_anon_1: hsa_amd_aie_ert_packet_s__bindgen_ty_1,
    pub reserved0: u64,
    pub reserved1: u64,
    pub reserved2: u64,
    pub reserved3: u64,
    pub reserved4: u64,
    pub reserved5: u64,
    pub payload_data: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_aie_ert_packet_s__bindgen_ty_1 {
    pub _bindgen_align: [u32; 0],
    pub _bitfield_1: [u8; 4],
}
bitfields! { hsa_amd_aie_ert_packet_s__bindgen_ty_1
    state: _bitfield_1 0 4;
    custom: _bitfield_1 4 8;
    count: _bitfield_1 12 11;
    opcode: _bitfield_1 23 5;
    type_: _bitfield_1 28 4;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_aie_ert_start_kernel_data_s {
    pub pdi_addr: *mut c_void,
    pub data: [u32; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_aie_ert_start_kernel_header_s {
    pub _bindgen_align: [u32; 0],
    pub _bitfield_1: [u8; 4],
}
bitfields! { hsa_amd_aie_ert_start_kernel_header_s
    state: _bitfield_1 0 4;
    stat_enabled: _bitfield_1 4 1;
    unused: _bitfield_1 5 5;
    extra_cu_masks: _bitfield_1 10 2;
    count: _bitfield_1 12 11;
    opcode: _bitfield_1 23 5;
    type_: _bitfield_1 28 4;
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hsa_amd_ais_file_handle_s {
    pub __bindgen_anon_1: hsa_amd_ais_file_handle_s__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hsa_amd_ais_file_handle_s__bindgen_ty_1 {
    pub handle: *mut c_void,
    pub fd: c_int,
    pub pad: [u8; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_barrier_value_packet_s {
    pub header: hsa_amd_vendor_packet_header_t,
    pub reserved0: u32,
    pub signal: hsa_signal_t,
    pub value: hsa_signal_value_t,
    pub mask: hsa_signal_value_t,
    pub cond: hsa_signal_condition32_t,
    pub reserved1: u32,
    pub reserved2: u64,
    pub reserved3: u64,
    pub completion_signal: hsa_signal_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_clock_counters_s {
    pub gpu_clock_counter: u64,
    pub cpu_clock_counter: u64,
    pub system_clock_counter: u64,
    pub system_clock_frequency: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hsa_amd_event_s {
    pub event_type: hsa_amd_event_type_t,
    pub __bindgen_anon_1: hsa_amd_event_s__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hsa_amd_event_s__bindgen_ty_1 {
    pub memory_fault: hsa_amd_gpu_memory_fault_info_t,
    pub hw_exception: hsa_amd_gpu_hw_exception_info_t,
    pub memory_error: hsa_amd_gpu_memory_error_info_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_event_scratch_alloc_end_t {
    pub kind: hsa_amd_tool_event_kind_t,
    pub queue: *const hsa_queue_t,
    pub flags: hsa_amd_event_scratch_alloc_flag_t,
    pub dispatch_id: u64,
    pub size: usize,
    pub num_slots: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_event_scratch_alloc_start_t {
    pub kind: hsa_amd_tool_event_kind_t,
    pub queue: *const hsa_queue_t,
    pub flags: hsa_amd_event_scratch_alloc_flag_t,
    pub dispatch_id: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_event_scratch_async_reclaim_end_t {
    pub kind: hsa_amd_tool_event_kind_t,
    pub queue: *const hsa_queue_t,
    pub flags: hsa_amd_event_scratch_alloc_flag_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_event_scratch_async_reclaim_start_t {
    pub kind: hsa_amd_tool_event_kind_t,
    pub queue: *const hsa_queue_t,
    pub flags: hsa_amd_event_scratch_alloc_flag_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_event_scratch_free_end_t {
    pub kind: hsa_amd_tool_event_kind_t,
    pub queue: *const hsa_queue_t,
    pub flags: hsa_amd_event_scratch_alloc_flag_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_event_scratch_free_start_t {
    pub kind: hsa_amd_tool_event_kind_t,
    pub queue: *const hsa_queue_t,
    pub flags: hsa_amd_event_scratch_alloc_flag_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_gpu_hw_exception_info_s {
    pub agent: hsa_agent_t,
    pub reset_type: hsa_amd_hw_exception_reset_type_t,
    pub reset_cause: hsa_amd_hw_exception_reset_cause_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_gpu_memory_error_info_s {
    pub agent: hsa_agent_t,
    pub virtual_address: u64,
    pub error_reason_mask: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_gpu_memory_fault_info_s {
    pub agent: hsa_agent_t,
    pub virtual_address: u64,
    pub fault_reason_mask: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_hdp_flush_s {
    pub HDP_MEM_FLUSH_CNTL: *mut u32,
    pub HDP_REG_FLUSH_CNTL: *mut u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_image_descriptor_s {
    pub version: u32,
    pub deviceID: u32,
    pub data: [u32; 1],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_ipc_memory_s {
    pub handle: [u32; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_memory_access_desc_s {
    pub permissions: hsa_access_permission_t,
    pub agent_handle: hsa_agent_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_memory_pool_link_info_s {
    pub min_latency: u32,
    pub max_latency: u32,
    pub min_bandwidth: u32,
    pub max_bandwidth: u32,
    pub atomic_support_32bit: bool,
    pub atomic_support_64bit: bool,
    pub coherent_support: bool,
    pub link_type: hsa_amd_link_info_type_t,
    pub numa_distance: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_memory_pool_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_packet_header_s {
    pub header: u16,
    pub AmdFormat: hsa_amd_packet_type8_t,
    pub reserved: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_pointer_info_s {
    pub size: u32,
    pub type_: hsa_amd_pointer_type_t,
    pub agentBaseAddress: *mut c_void,
    pub hostBaseAddress: *mut c_void,
    pub sizeInBytes: usize,
    pub userData: *mut c_void,
    pub agentOwner: hsa_agent_t,
    pub global_flags: u32,
    pub registered: bool,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_profiling_async_copy_time_s {
    pub start: u64,
    pub end: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_profiling_dispatch_time_s {
    pub start: u64,
    pub end: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_svm_attribute_pair_s {
    pub attribute: u64,
    pub value: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_tool_event_none_t {
    pub kind: hsa_amd_tool_event_kind_t,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hsa_amd_tool_event_t {
    pub none: *const hsa_amd_tool_event_none_t,
    pub scratch_alloc_start: *const hsa_amd_event_scratch_alloc_start_t,
    pub scratch_alloc_end: *const hsa_amd_event_scratch_alloc_end_t,
    pub scratch_free_start: *const hsa_amd_event_scratch_free_start_t,
    pub scratch_free_end: *const hsa_amd_event_scratch_free_end_t,
    pub scratch_async_reclaim_start: *const hsa_amd_event_scratch_async_reclaim_start_t,
    pub scratch_async_reclaim_end: *const hsa_amd_event_scratch_async_reclaim_end_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_amd_vmem_alloc_handle_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_barrier_and_packet_s {
    pub header: u16,
    pub reserved0: u16,
    pub reserved1: u32,
    pub dep_signal: [hsa_signal_t; 5],
    pub reserved2: u64,
    pub completion_signal: hsa_signal_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_barrier_or_packet_s {
    pub header: u16,
    pub reserved0: u16,
    pub reserved1: u32,
    pub dep_signal: [hsa_signal_t; 5],
    pub reserved2: u64,
    pub completion_signal: hsa_signal_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_cache_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_callback_data_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_code_object_reader_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_code_object_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_code_symbol_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_dim3_s {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_executable_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_executable_symbol_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_amd_aql_pm4_packet_t {
    pub header: u16,
    pub pm4_command: [u16; 27],
    pub completion_signal: hsa_signal_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_control_directives_s {
    pub control_directives_mask: u64,
    pub break_exceptions_mask: u16,
    pub detect_exceptions_mask: u16,
    pub max_dynamic_group_size: u32,
    pub max_flat_grid_size: u64,
    pub max_flat_workgroup_size: u32,
    pub reserved1: u32,
    pub required_grid_size: [u64; 3],
    pub required_workgroup_size: hsa_dim3_t,
    pub required_dim: u8,
    pub reserved2: [u8; 75],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_finalizer_1_00_pfn_s {
    pub hsa_ext_program_create: Option<unsafe extern "C" fn(machine_model: hsa_machine_model_t, profile: hsa_profile_t, default_float_rounding_mode: hsa_default_float_rounding_mode_t, options: *const c_char, program: *mut hsa_ext_program_t) -> hsa_status_t>,
    pub hsa_ext_program_destroy: Option<unsafe extern "C" fn(program: hsa_ext_program_t) -> hsa_status_t>,
    pub hsa_ext_program_add_module: Option<unsafe extern "C" fn(program: hsa_ext_program_t, module: hsa_ext_module_t) -> hsa_status_t>,
    pub hsa_ext_program_iterate_modules: Option<unsafe extern "C" fn(program: hsa_ext_program_t, callback :Option<unsafe extern "C" fn(program: hsa_ext_program_t, module: hsa_ext_module_t, data: *mut c_void) -> hsa_status_t>, data: *mut c_void) -> hsa_status_t>,
    pub hsa_ext_program_get_info: Option<unsafe extern "C" fn(program: hsa_ext_program_t, attribute: hsa_ext_program_info_t, value: *mut c_void) -> hsa_status_t>,
    pub hsa_ext_program_finalize: Option<unsafe extern "C" fn(program: hsa_ext_program_t, isa: hsa_isa_t, call_convention: i32, control_directives: hsa_ext_control_directives_t, options: *const c_char, code_object_type: hsa_code_object_type_t, code_object: *mut hsa_code_object_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_image_data_info_s {
    pub size: usize,
    pub alignment: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_image_descriptor_s {
    pub geometry: hsa_ext_image_geometry_t,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub array_size: usize,
    pub format: hsa_ext_image_format_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_image_format_s {
    pub channel_type: hsa_ext_image_channel_type32_t,
    pub channel_order: hsa_ext_image_channel_order32_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_image_region_s {
    pub offset: hsa_dim3_t,
    pub range: hsa_dim3_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_image_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_images_1_00_pfn_s {
    pub hsa_ext_image_get_capability: Option<unsafe extern "C" fn(agent: hsa_agent_t, geometry: hsa_ext_image_geometry_t, image_format: *const hsa_ext_image_format_t, capability_mask: *mut u32) -> hsa_status_t>,
    pub hsa_ext_image_data_get_info: Option<unsafe extern "C" fn(agent: hsa_agent_t, image_descriptor: *const hsa_ext_image_descriptor_t, access_permission: hsa_access_permission_t, image_data_info: *mut hsa_ext_image_data_info_t) -> hsa_status_t>,
    pub hsa_ext_image_create: Option<unsafe extern "C" fn(agent: hsa_agent_t, image_descriptor: *const hsa_ext_image_descriptor_t, image_data: *const c_void, access_permission: hsa_access_permission_t, image: *mut hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_ext_image_destroy: Option<unsafe extern "C" fn(agent: hsa_agent_t, image: hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_ext_image_copy: Option<unsafe extern "C" fn(agent: hsa_agent_t, src_image: hsa_ext_image_t, src_offset: *const hsa_dim3_t, dst_image: hsa_ext_image_t, dst_offset: *const hsa_dim3_t, range: *const hsa_dim3_t) -> hsa_status_t>,
    pub hsa_ext_image_import: Option<unsafe extern "C" fn(agent: hsa_agent_t, src_memory: *const c_void, src_row_pitch: usize, src_slice_pitch: usize, dst_image: hsa_ext_image_t, image_region: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_image_export: Option<unsafe extern "C" fn(agent: hsa_agent_t, src_image: hsa_ext_image_t, dst_memory: *mut c_void, dst_row_pitch: usize, dst_slice_pitch: usize, image_region: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_image_clear: Option<unsafe extern "C" fn(agent: hsa_agent_t, image: hsa_ext_image_t, data: *const c_void, image_region: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_sampler_create: Option<unsafe extern "C" fn(agent: hsa_agent_t, sampler_descriptor: *const hsa_ext_sampler_descriptor_t, sampler: *mut hsa_ext_sampler_t) -> hsa_status_t>,
    pub hsa_ext_sampler_destroy: Option<unsafe extern "C" fn(agent: hsa_agent_t, sampler: hsa_ext_sampler_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_images_1_pfn_s {
    pub hsa_ext_image_get_capability: Option<unsafe extern "C" fn(agent: hsa_agent_t, geometry: hsa_ext_image_geometry_t, image_format: *const hsa_ext_image_format_t, capability_mask: *mut u32) -> hsa_status_t>,
    pub hsa_ext_image_data_get_info: Option<unsafe extern "C" fn(agent: hsa_agent_t, image_descriptor: *const hsa_ext_image_descriptor_t, access_permission: hsa_access_permission_t, image_data_info: *mut hsa_ext_image_data_info_t) -> hsa_status_t>,
    pub hsa_ext_image_create: Option<unsafe extern "C" fn(agent: hsa_agent_t, image_descriptor: *const hsa_ext_image_descriptor_t, image_data: *const c_void, access_permission: hsa_access_permission_t, image: *mut hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_ext_image_destroy: Option<unsafe extern "C" fn(agent: hsa_agent_t, image: hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_ext_image_copy: Option<unsafe extern "C" fn(agent: hsa_agent_t, src_image: hsa_ext_image_t, src_offset: *const hsa_dim3_t, dst_image: hsa_ext_image_t, dst_offset: *const hsa_dim3_t, range: *const hsa_dim3_t) -> hsa_status_t>,
    pub hsa_ext_image_import: Option<unsafe extern "C" fn(agent: hsa_agent_t, src_memory: *const c_void, src_row_pitch: usize, src_slice_pitch: usize, dst_image: hsa_ext_image_t, image_region: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_image_export: Option<unsafe extern "C" fn(agent: hsa_agent_t, src_image: hsa_ext_image_t, dst_memory: *mut c_void, dst_row_pitch: usize, dst_slice_pitch: usize, image_region: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_image_clear: Option<unsafe extern "C" fn(agent: hsa_agent_t, image: hsa_ext_image_t, data: *const c_void, image_region: *const hsa_ext_image_region_t) -> hsa_status_t>,
    pub hsa_ext_sampler_create: Option<unsafe extern "C" fn(agent: hsa_agent_t, sampler_descriptor: *const hsa_ext_sampler_descriptor_t, sampler: *mut hsa_ext_sampler_t) -> hsa_status_t>,
    pub hsa_ext_sampler_destroy: Option<unsafe extern "C" fn(agent: hsa_agent_t, sampler: hsa_ext_sampler_t) -> hsa_status_t>,
    pub hsa_ext_image_get_capability_with_layout: Option<unsafe extern "C" fn(agent: hsa_agent_t, geometry: hsa_ext_image_geometry_t, image_format: *const hsa_ext_image_format_t, image_data_layout: hsa_ext_image_data_layout_t, capability_mask: *mut u32) -> hsa_status_t>,
    pub hsa_ext_image_data_get_info_with_layout: Option<unsafe extern "C" fn(agent: hsa_agent_t, image_descriptor: *const hsa_ext_image_descriptor_t, access_permission: hsa_access_permission_t, image_data_layout: hsa_ext_image_data_layout_t, image_data_row_pitch: usize, image_data_slice_pitch: usize, image_data_info: *mut hsa_ext_image_data_info_t) -> hsa_status_t>,
    pub hsa_ext_image_create_with_layout: Option<unsafe extern "C" fn(agent: hsa_agent_t, image_descriptor: *const hsa_ext_image_descriptor_t, image_data: *const c_void, access_permission: hsa_access_permission_t, image_data_layout: hsa_ext_image_data_layout_t, image_data_row_pitch: usize, image_data_slice_pitch: usize, image: *mut hsa_ext_image_t) -> hsa_status_t>,
    pub hsa_ext_sampler_create_v2: Option<unsafe extern "C" fn(agent: hsa_agent_t, sampler_descriptor: *const hsa_ext_sampler_descriptor_v2_t, sampler: *mut hsa_ext_sampler_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_program_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_sampler_descriptor_s {
    pub coordinate_mode: hsa_ext_sampler_coordinate_mode32_t,
    pub filter_mode: hsa_ext_sampler_filter_mode32_t,
    pub address_mode: hsa_ext_sampler_addressing_mode32_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_sampler_descriptor_v2_s {
    pub coordinate_mode: hsa_ext_sampler_coordinate_mode32_t,
    pub filter_mode: hsa_ext_sampler_filter_mode32_t,
    pub address_modes: [hsa_ext_sampler_addressing_mode32_t; 3],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ext_sampler_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_isa_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_kernel_dispatch_packet_s {
    pub header: u16,
    pub setup: u16,
    pub workgroup_size_x: u16,
    pub workgroup_size_y: u16,
    pub workgroup_size_z: u16,
    pub reserved0: u16,
    pub grid_size_x: u32,
    pub grid_size_y: u32,
    pub grid_size_z: u32,
    pub private_segment_size: u32,
    pub group_segment_size: u32,
    pub kernel_object: u64,
    pub kernarg_address: *mut c_void,
    pub reserved2: u64,
    pub completion_signal: hsa_signal_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_loaded_code_object_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_pitched_ptr_s {
    pub base: *mut c_void,
    pub pitch: usize,
    pub slice: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_queue_s {
    pub type_: hsa_queue_type32_t,
    pub features: u32,
    pub base_address: *mut c_void,
    pub doorbell_signal: hsa_signal_t,
    pub size: u32,
    pub reserved1: u32,
    pub id: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_region_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_signal_group_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_signal_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_aqlprofile_1_00_pfn_s {
    pub hsa_ven_amd_aqlprofile_version_major: Option<unsafe extern "C" fn() -> u32>,
    pub hsa_ven_amd_aqlprofile_version_minor: Option<unsafe extern "C" fn() -> u32>,
    pub hsa_ven_amd_aqlprofile_error_string: Option<unsafe extern "C" fn(str_: *mut *const c_char) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_validate_event: Option<unsafe extern "C" fn(agent: hsa_agent_t, event: *const hsa_ven_amd_aqlprofile_event_t, result: *mut bool) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_start: Option<unsafe extern "C" fn(profile: *mut hsa_ven_amd_aqlprofile_profile_t, aql_start_packet: *mut hsa_ext_amd_aql_pm4_packet_t) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_stop: Option<unsafe extern "C" fn(profile: *const hsa_ven_amd_aqlprofile_profile_t, aql_stop_packet: *mut hsa_ext_amd_aql_pm4_packet_t) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_read: Option<unsafe extern "C" fn(profile: *const hsa_ven_amd_aqlprofile_profile_t, aql_read_packet: *mut hsa_ext_amd_aql_pm4_packet_t) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_legacy_get_pm4: Option<unsafe extern "C" fn(aql_packet: *const hsa_ext_amd_aql_pm4_packet_t, data: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_get_info: Option<unsafe extern "C" fn(profile: *const hsa_ven_amd_aqlprofile_profile_t, attribute: hsa_ven_amd_aqlprofile_info_type_t, value: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_iterate_data: Option<unsafe extern "C" fn(profile: *const hsa_ven_amd_aqlprofile_profile_t, callback: hsa_ven_amd_aqlprofile_data_callback_t, data: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_iterate_event_ids: Option<unsafe extern "C" fn(arg1: hsa_ven_amd_aqlprofile_eventname_callback_t) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_iterate_event_coord: Option<unsafe extern "C" fn(agent: hsa_agent_t, event: hsa_ven_amd_aqlprofile_event_t, sample_id: u32, callback: hsa_ven_amd_aqlprofile_coordinate_callback_t, userdata: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_aqlprofile_att_marker: Option<unsafe extern "C" fn(profile: *mut hsa_ven_amd_aqlprofile_profile_t, aql_packet: *mut hsa_ext_amd_aql_pm4_packet_t, data: u32, channel: hsa_ven_amd_aqlprofile_att_marker_channel_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_aqlprofile_descriptor_t {
    pub ptr: *mut c_void,
    pub size: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_aqlprofile_event_t {
    pub block_name: hsa_ven_amd_aqlprofile_block_name_t,
    pub block_index: u32,
    pub counter_id: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_aqlprofile_id_query_t {
    pub name: *const c_char,
    pub id: u32,
    pub instance_count: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hsa_ven_amd_aqlprofile_info_data_t {
    pub sample_id: u32,
    pub __bindgen_anon_1: hsa_ven_amd_aqlprofile_info_data_t__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hsa_ven_amd_aqlprofile_info_data_t__bindgen_ty_1 {
    pub pmc_data: hsa_ven_amd_aqlprofile_info_data_t__bindgen_ty_1__bindgen_ty_1,
    pub trace_data: hsa_ven_amd_aqlprofile_descriptor_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_aqlprofile_info_data_t__bindgen_ty_1__bindgen_ty_1 {
    pub event: hsa_ven_amd_aqlprofile_event_t,
    pub result: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_aqlprofile_parameter_t {
    pub parameter_name: hsa_ven_amd_aqlprofile_parameter_name_t,
    pub value: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_aqlprofile_profile_t {
    pub agent: hsa_agent_t,
    pub type_: hsa_ven_amd_aqlprofile_event_type_t,
    pub events: *const hsa_ven_amd_aqlprofile_event_t,
    pub event_count: u32,
    pub parameters: *const hsa_ven_amd_aqlprofile_parameter_t,
    pub parameter_count: u32,
    pub output_buffer: hsa_ven_amd_aqlprofile_descriptor_t,
    pub command_buffer: hsa_ven_amd_aqlprofile_descriptor_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_loader_1_00_pfn_s {
    pub hsa_ven_amd_loader_query_host_address: Option<unsafe extern "C" fn(device_address: *const c_void, host_address: *mut *const c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_query_segment_descriptors: Option<unsafe extern "C" fn(segment_descriptors: *mut hsa_ven_amd_loader_segment_descriptor_t, num_segment_descriptors: *mut usize) -> hsa_status_t>,
    pub hsa_ven_amd_loader_query_executable: Option<unsafe extern "C" fn(device_address: *const c_void, executable: *mut hsa_executable_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_loader_1_01_pfn_s {
    pub hsa_ven_amd_loader_query_host_address: Option<unsafe extern "C" fn(device_address: *const c_void, host_address: *mut *const c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_query_segment_descriptors: Option<unsafe extern "C" fn(segment_descriptors: *mut hsa_ven_amd_loader_segment_descriptor_t, num_segment_descriptors: *mut usize) -> hsa_status_t>,
    pub hsa_ven_amd_loader_query_executable: Option<unsafe extern "C" fn(device_address: *const c_void, executable: *mut hsa_executable_t) -> hsa_status_t>,
    pub hsa_ven_amd_loader_executable_iterate_loaded_code_objects: Option<unsafe extern "C" fn(executable: hsa_executable_t, callback :Option<unsafe extern "C" fn(executable: hsa_executable_t, loaded_code_object: hsa_loaded_code_object_t, data: *mut c_void) -> hsa_status_t>, data: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_loaded_code_object_get_info: Option<unsafe extern "C" fn(loaded_code_object: hsa_loaded_code_object_t, attribute: hsa_ven_amd_loader_loaded_code_object_info_t, value: *mut c_void) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_loader_1_02_pfn_s {
    pub hsa_ven_amd_loader_query_host_address: Option<unsafe extern "C" fn(device_address: *const c_void, host_address: *mut *const c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_query_segment_descriptors: Option<unsafe extern "C" fn(segment_descriptors: *mut hsa_ven_amd_loader_segment_descriptor_t, num_segment_descriptors: *mut usize) -> hsa_status_t>,
    pub hsa_ven_amd_loader_query_executable: Option<unsafe extern "C" fn(device_address: *const c_void, executable: *mut hsa_executable_t) -> hsa_status_t>,
    pub hsa_ven_amd_loader_executable_iterate_loaded_code_objects: Option<unsafe extern "C" fn(executable: hsa_executable_t, callback :Option<unsafe extern "C" fn(executable: hsa_executable_t, loaded_code_object: hsa_loaded_code_object_t, data: *mut c_void) -> hsa_status_t>, data: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_loaded_code_object_get_info: Option<unsafe extern "C" fn(loaded_code_object: hsa_loaded_code_object_t, attribute: hsa_ven_amd_loader_loaded_code_object_info_t, value: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size: Option<unsafe extern "C" fn(file: hsa_file_t, offset: usize, size: usize, code_object_reader: *mut hsa_code_object_reader_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_loader_1_03_pfn_s {
    pub hsa_ven_amd_loader_query_host_address: Option<unsafe extern "C" fn(device_address: *const c_void, host_address: *mut *const c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_query_segment_descriptors: Option<unsafe extern "C" fn(segment_descriptors: *mut hsa_ven_amd_loader_segment_descriptor_t, num_segment_descriptors: *mut usize) -> hsa_status_t>,
    pub hsa_ven_amd_loader_query_executable: Option<unsafe extern "C" fn(device_address: *const c_void, executable: *mut hsa_executable_t) -> hsa_status_t>,
    pub hsa_ven_amd_loader_executable_iterate_loaded_code_objects: Option<unsafe extern "C" fn(executable: hsa_executable_t, callback :Option<unsafe extern "C" fn(executable: hsa_executable_t, loaded_code_object: hsa_loaded_code_object_t, data: *mut c_void) -> hsa_status_t>, data: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_loaded_code_object_get_info: Option<unsafe extern "C" fn(loaded_code_object: hsa_loaded_code_object_t, attribute: hsa_ven_amd_loader_loaded_code_object_info_t, value: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size: Option<unsafe extern "C" fn(file: hsa_file_t, offset: usize, size: usize, code_object_reader: *mut hsa_code_object_reader_t) -> hsa_status_t>,
    pub hsa_ven_amd_loader_iterate_executables: Option<unsafe extern "C" fn(callback :Option<unsafe extern "C" fn(executable: hsa_executable_t, data: *mut c_void) -> hsa_status_t>, data: *mut c_void) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_loader_segment_descriptor_s {
    pub agent: hsa_agent_t,
    pub executable: hsa_executable_t,
    pub code_object_storage_type: hsa_ven_amd_loader_code_object_storage_type_t,
    pub code_object_storage_base: *const c_void,
    pub code_object_storage_size: usize,
    pub code_object_storage_offset: usize,
    pub segment_base: *const c_void,
    pub segment_size: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_pc_sampling_1_00_pfn_t {
    pub hsa_ven_amd_pcs_iterate_configuration: Option<unsafe extern "C" fn(agent: hsa_agent_t, configuration_callback: hsa_ven_amd_pcs_iterate_configuration_callback_t, callback_data: *mut c_void) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_create: Option<unsafe extern "C" fn(agent: hsa_agent_t, method: hsa_ven_amd_pcs_method_kind_t, units: hsa_ven_amd_pcs_units_t, interval: usize, latency: usize, buffer_size: usize, data_ready_callback: hsa_ven_amd_pcs_data_ready_callback_t, client_callback_data: *mut c_void, pc_sampling: *mut hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_create_from_id: Option<unsafe extern "C" fn(pcs_id: u32, agent: hsa_agent_t, method: hsa_ven_amd_pcs_method_kind_t, units: hsa_ven_amd_pcs_units_t, interval: usize, latency: usize, buffer_size: usize, data_ready_callback: hsa_ven_amd_pcs_data_ready_callback_t, client_callback_data: *mut c_void, pc_sampling: *mut hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_destroy: Option<unsafe extern "C" fn(pc_sampling: hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_start: Option<unsafe extern "C" fn(pc_sampling: hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_stop: Option<unsafe extern "C" fn(pc_sampling: hsa_ven_amd_pcs_t) -> hsa_status_t>,
    pub hsa_ven_amd_pcs_flush: Option<unsafe extern "C" fn(pc_sampling: hsa_ven_amd_pcs_t) -> hsa_status_t>,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_pcs_configuration_t {
    pub method: hsa_ven_amd_pcs_method_kind_t,
    pub units: hsa_ven_amd_pcs_units_t,
    pub min_interval: usize,
    pub max_interval: usize,
    pub flags: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_ven_amd_pcs_t {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hsa_wavefront_s {
    pub handle: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct perf_sample_hosttrap_v1_t {
    pub pc: u64,
    pub exec_mask: u64,
    pub workgroup_id_x: u32,
    pub workgroup_id_y: u32,
    pub workgroup_id_z: u32,
    pub _bitfield_1: [u8; 4],
    pub hw_id: u32,
    pub reserved0: u32,
    pub reserved1: u64,
    pub timestamp: u64,
    pub correlation_id: u64,
}
bitfields! { perf_sample_hosttrap_v1_t
    wave_in_wg: _bitfield_1 0 6;
    chiplet: _bitfield_1 6 3;
    reserved: _bitfield_1 9 23;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct perf_sample_snapshot_v1_t {
    pub pc: u64,
    pub exec_mask: u64,
    pub workgroup_id_x: u32,
    pub workgroup_id_y: u32,
    pub workgroup_id_z: u32,
    pub _bitfield_1: [u8; 4],
    pub hw_id: u32,
    pub perf_snapshot_data: u32,
    pub perf_snapshot_data1: u32,
    pub perf_snapshot_data2: u32,
    pub timestamp: u64,
    pub correlation_id: u64,
}
bitfields! { perf_sample_snapshot_v1_t
    wave_in_wg: _bitfield_1 0 6;
    chiplet: _bitfield_1 6 3;
    reserved: _bitfield_1 9 23;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct scratch_last_used_index_xcc_s {
    pub main: u64,
    pub alt: u64,
}
zeroed_default! {
    AmdExtTable,
    ApiTableVersion,
    BrigModuleHeader,
    CoreApiTable,
    FinalizerExtTable,
    HsaApiTable,
    HsaApiTableContainer,
    ImageExtTable,
    PcSamplingExtTable,
    ToolsApiTable,
    amd_aql_intercept_marker_s,
    amd_control_directives_s,
    amd_kernel_code_s,
    amd_queue_s,
    amd_queue_v2_s,
    amd_runtime_loader_debug_info_s,
    amd_signal_s,
    amd_signal_s__bindgen_ty_1,
    amd_signal_s__bindgen_ty_2,
    hsa_agent_dispatch_packet_s,
    hsa_agent_s,
    hsa_amd_aie_ert_command_chain_data_s,
    hsa_amd_aie_ert_packet_s,
    hsa_amd_aie_ert_packet_s__bindgen_ty_1,
    hsa_amd_aie_ert_start_kernel_data_s,
    hsa_amd_aie_ert_start_kernel_header_s,
    hsa_amd_ais_file_handle_s,
    hsa_amd_ais_file_handle_s__bindgen_ty_1,
    hsa_amd_barrier_value_packet_s,
    hsa_amd_clock_counters_s,
    hsa_amd_event_s,
    hsa_amd_event_s__bindgen_ty_1,
    hsa_amd_event_scratch_alloc_end_t,
    hsa_amd_event_scratch_alloc_start_t,
    hsa_amd_event_scratch_async_reclaim_end_t,
    hsa_amd_event_scratch_async_reclaim_start_t,
    hsa_amd_event_scratch_free_end_t,
    hsa_amd_event_scratch_free_start_t,
    hsa_amd_gpu_hw_exception_info_s,
    hsa_amd_gpu_memory_error_info_s,
    hsa_amd_gpu_memory_fault_info_s,
    hsa_amd_hdp_flush_s,
    hsa_amd_image_descriptor_s,
    hsa_amd_ipc_memory_s,
    hsa_amd_memory_access_desc_s,
    hsa_amd_memory_pool_link_info_s,
    hsa_amd_memory_pool_s,
    hsa_amd_packet_header_s,
    hsa_amd_pointer_info_s,
    hsa_amd_profiling_async_copy_time_s,
    hsa_amd_profiling_dispatch_time_s,
    hsa_amd_svm_attribute_pair_s,
    hsa_amd_tool_event_none_t,
    hsa_amd_tool_event_t,
    hsa_amd_vmem_alloc_handle_s,
    hsa_barrier_and_packet_s,
    hsa_barrier_or_packet_s,
    hsa_cache_s,
    hsa_callback_data_s,
    hsa_code_object_reader_s,
    hsa_code_object_s,
    hsa_code_symbol_s,
    hsa_dim3_s,
    hsa_executable_s,
    hsa_executable_symbol_s,
    hsa_ext_amd_aql_pm4_packet_t,
    hsa_ext_control_directives_s,
    hsa_ext_finalizer_1_00_pfn_s,
    hsa_ext_image_data_info_s,
    hsa_ext_image_descriptor_s,
    hsa_ext_image_format_s,
    hsa_ext_image_region_s,
    hsa_ext_image_s,
    hsa_ext_images_1_00_pfn_s,
    hsa_ext_images_1_pfn_s,
    hsa_ext_program_s,
    hsa_ext_sampler_descriptor_s,
    hsa_ext_sampler_descriptor_v2_s,
    hsa_ext_sampler_s,
    hsa_isa_s,
    hsa_kernel_dispatch_packet_s,
    hsa_loaded_code_object_s,
    hsa_pitched_ptr_s,
    hsa_queue_s,
    hsa_region_s,
    hsa_signal_group_s,
    hsa_signal_s,
    hsa_ven_amd_aqlprofile_1_00_pfn_s,
    hsa_ven_amd_aqlprofile_descriptor_t,
    hsa_ven_amd_aqlprofile_event_t,
    hsa_ven_amd_aqlprofile_id_query_t,
    hsa_ven_amd_aqlprofile_info_data_t,
    hsa_ven_amd_aqlprofile_info_data_t__bindgen_ty_1,
    hsa_ven_amd_aqlprofile_info_data_t__bindgen_ty_1__bindgen_ty_1,
    hsa_ven_amd_aqlprofile_parameter_t,
    hsa_ven_amd_aqlprofile_profile_t,
    hsa_ven_amd_loader_1_00_pfn_s,
    hsa_ven_amd_loader_1_01_pfn_s,
    hsa_ven_amd_loader_1_02_pfn_s,
    hsa_ven_amd_loader_1_03_pfn_s,
    hsa_ven_amd_loader_segment_descriptor_s,
    hsa_ven_amd_pc_sampling_1_00_pfn_t,
    hsa_ven_amd_pcs_configuration_t,
    hsa_ven_amd_pcs_t,
    hsa_wavefront_s,
    perf_sample_hosttrap_v1_t,
    perf_sample_snapshot_v1_t,
    scratch_last_used_index_xcc_s,
}
