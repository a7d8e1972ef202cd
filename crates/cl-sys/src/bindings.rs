// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, clippy::all)]
use core::ffi::*;
pub const CL_A: cl_channel_order = 4273;
pub const CL_ABGR: cl_channel_order = 4291;
pub const CL_ACCELERATOR_CONTEXT_INTEL: cl_accelerator_info_intel = 16530;
pub const CL_ACCELERATOR_DESCRIPTOR_INTEL: cl_accelerator_info_intel = 16528;
pub const CL_ACCELERATOR_REFERENCE_COUNT_INTEL: cl_accelerator_info_intel = 16529;
pub const CL_ACCELERATOR_TYPE_INTEL: cl_accelerator_info_intel = 16531;
pub const CL_ACCELERATOR_TYPE_MOTION_ESTIMATION_INTEL: cl_accelerator_type_intel = 0;
pub const CL_ACCELERATOR_TYPE_NOT_SUPPORTED_INTEL: cl_int = -1097;
pub const CL_ADDRESS_CLAMP: cl_addressing_mode = 4402;
pub const CL_ADDRESS_CLAMP_TO_EDGE: cl_addressing_mode = 4401;
pub const CL_ADDRESS_MIRRORED_REPEAT: cl_addressing_mode = 4404;
pub const CL_ADDRESS_NONE: cl_addressing_mode = 4400;
pub const CL_ADDRESS_REPEAT: cl_addressing_mode = 4403;
pub const CL_AFFINITY_DOMAIN_L1_CACHE_EXT: cl_device_partition_property_ext = 1;
pub const CL_AFFINITY_DOMAIN_L2_CACHE_EXT: cl_device_partition_property_ext = 2;
pub const CL_AFFINITY_DOMAIN_L3_CACHE_EXT: cl_device_partition_property_ext = 3;
pub const CL_AFFINITY_DOMAIN_L4_CACHE_EXT: cl_device_partition_property_ext = 4;
pub const CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT: cl_device_partition_property_ext = 256;
pub const CL_AFFINITY_DOMAIN_NUMA_EXT: cl_device_partition_property_ext = 16;
pub const CL_AMD_DEVICE_ATTRIBUTE_QUERY_EXTENSION_NAME: &[u8; 30] = b"cl_amd_device_attribute_query\0";
pub const CL_APPLE_CONTEXTLOGGINGFUNCTIONS_EXTENSION_NAME: &[u8; 33] = b"cl_APPLE_ContextLoggingFunctions\0";
pub const CL_APPLE_SETMEMOBJECTDESTRUCTOR_EXTENSION_NAME: &[u8; 32] = b"cl_APPLE_SetMemObjectDestructor\0";
pub const CL_ARGB: cl_channel_order = 4279;
pub const CL_ARM_CONTROLLED_KERNEL_TERMINATION_EXTENSION_NAME: &[u8; 37] = b"cl_arm_controlled_kernel_termination\0";
pub const CL_ARM_GET_CORE_ID_EXTENSION_NAME: &[u8; 19] = b"cl_arm_get_core_id\0";
pub const CL_ARM_IMPORT_MEMORY_EXTENSION_NAME: &[u8; 21] = b"cl_arm_import_memory\0";
pub const CL_ARM_JOB_SLOT_SELECTION_EXTENSION_NAME: &[u8; 26] = b"cl_arm_job_slot_selection\0";
pub const CL_ARM_PRINTF_EXTENSION_NAME: &[u8; 14] = b"cl_arm_printf\0";
pub const CL_ARM_PROTECTED_MEMORY_ALLOCATION_EXTENSION_NAME: &[u8; 35] = b"cl_arm_protected_memory_allocation\0";
pub const CL_ARM_SCHEDULING_CONTROLS_EXTENSION_NAME: &[u8; 27] = b"cl_arm_scheduling_controls\0";
pub const CL_ARM_SHARED_VIRTUAL_MEMORY_EXTENSION_NAME: &[u8; 29] = b"cl_arm_shared_virtual_memory\0";
pub const CL_AVC_ME_BIDIR_WEIGHT_HALF_INTEL: u32 = 32;
pub const CL_AVC_ME_BIDIR_WEIGHT_QUARTER_INTEL: u32 = 16;
pub const CL_AVC_ME_BIDIR_WEIGHT_THIRD_INTEL: u32 = 21;
pub const CL_AVC_ME_BIDIR_WEIGHT_THREE_QUARTER_INTEL: u32 = 48;
pub const CL_AVC_ME_BIDIR_WEIGHT_TWO_THIRD_INTEL: u32 = 43;
pub const CL_AVC_ME_BLOCK_BASED_SKIP_4x4_INTEL: u32 = 0;
pub const CL_AVC_ME_BLOCK_BASED_SKIP_8x8_INTEL: u32 = 128;
pub const CL_AVC_ME_BORDER_REACHED_BOTTOM_INTEL: u32 = 8;
pub const CL_AVC_ME_BORDER_REACHED_LEFT_INTEL: u32 = 0;
pub const CL_AVC_ME_BORDER_REACHED_RIGHT_INTEL: u32 = 2;
pub const CL_AVC_ME_BORDER_REACHED_TOP_INTEL: u32 = 4;
pub const CL_AVC_ME_CHROMA_PREDICTOR_MODE_DC_INTEL: u32 = 0;
pub const CL_AVC_ME_CHROMA_PREDICTOR_MODE_HORIZONTAL_INTEL: u32 = 1;
pub const CL_AVC_ME_CHROMA_PREDICTOR_MODE_PLANE_INTEL: u32 = 3;
pub const CL_AVC_ME_CHROMA_PREDICTOR_MODE_VERTICAL_INTEL: u32 = 2;
pub const CL_AVC_ME_COST_PRECISION_DPEL_INTEL: u32 = 3;
pub const CL_AVC_ME_COST_PRECISION_HPEL_INTEL: u32 = 1;
pub const CL_AVC_ME_COST_PRECISION_PEL_INTEL: u32 = 2;
pub const CL_AVC_ME_COST_PRECISION_QPEL_INTEL: u32 = 0;
pub const CL_AVC_ME_FRAME_BACKWARD_INTEL: u32 = 2;
pub const CL_AVC_ME_FRAME_DUAL_INTEL: u32 = 3;
pub const CL_AVC_ME_FRAME_FORWARD_INTEL: u32 = 1;
pub const CL_AVC_ME_INTERLACED_SCAN_BOTTOM_FIELD_INTEL: u32 = 1;
pub const CL_AVC_ME_INTERLACED_SCAN_TOP_FIELD_INTEL: u32 = 0;
pub const CL_AVC_ME_INTRA_16x16_INTEL: u32 = 0;
pub const CL_AVC_ME_INTRA_4x4_INTEL: u32 = 2;
pub const CL_AVC_ME_INTRA_8x8_INTEL: u32 = 1;
pub const CL_AVC_ME_INTRA_LUMA_PARTITION_MASK_16x16_INTEL: u32 = 6;
pub const CL_AVC_ME_INTRA_LUMA_PARTITION_MASK_4x4_INTEL: u32 = 3;
pub const CL_AVC_ME_INTRA_LUMA_PARTITION_MASK_8x8_INTEL: u32 = 5;
pub const CL_AVC_ME_INTRA_NEIGHBOR_LEFT_MASK_ENABLE_INTEL: u32 = 96;
pub const CL_AVC_ME_INTRA_NEIGHBOR_UPPER_LEFT_MASK_ENABLE_INTEL: u32 = 4;
pub const CL_AVC_ME_INTRA_NEIGHBOR_UPPER_MASK_ENABLE_INTEL: u32 = 16;
pub const CL_AVC_ME_INTRA_NEIGHBOR_UPPER_RIGHT_MASK_ENABLE_INTEL: u32 = 8;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_DC_INTEL: u32 = 2;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_LEFT_INTEL: u32 = 3;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_RIGHT_INTEL: u32 = 4;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_DOWN_INTEL: u32 = 6;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_INTEL: u32 = 1;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_UP_INTEL: u32 = 8;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_PLANE_INTEL: u32 = 4;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_VERTICAL_INTEL: u32 = 0;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_VERTICAL_LEFT_INTEL: u32 = 7;
pub const CL_AVC_ME_LUMA_PREDICTOR_MODE_VERTICAL_RIGHT_INTEL: u32 = 5;
pub const CL_AVC_ME_MAJOR_16x16_INTEL: u32 = 0;
pub const CL_AVC_ME_MAJOR_16x8_INTEL: u32 = 1;
pub const CL_AVC_ME_MAJOR_8x16_INTEL: u32 = 2;
pub const CL_AVC_ME_MAJOR_8x8_INTEL: u32 = 3;
pub const CL_AVC_ME_MAJOR_BACKWARD_INTEL: u32 = 1;
pub const CL_AVC_ME_MAJOR_BIDIRECTIONAL_INTEL: u32 = 2;
pub const CL_AVC_ME_MAJOR_FORWARD_INTEL: u32 = 0;
pub const CL_AVC_ME_MINOR_4x4_INTEL: u32 = 3;
pub const CL_AVC_ME_MINOR_4x8_INTEL: u32 = 2;
pub const CL_AVC_ME_MINOR_8x4_INTEL: u32 = 1;
pub const CL_AVC_ME_MINOR_8x8_INTEL: u32 = 0;
pub const CL_AVC_ME_PARTITION_MASK_16x16_INTEL: u32 = 126;
pub const CL_AVC_ME_PARTITION_MASK_16x8_INTEL: u32 = 125;
pub const CL_AVC_ME_PARTITION_MASK_4x4_INTEL: u32 = 63;
pub const CL_AVC_ME_PARTITION_MASK_4x8_INTEL: u32 = 95;
pub const CL_AVC_ME_PARTITION_MASK_8x16_INTEL: u32 = 123;
pub const CL_AVC_ME_PARTITION_MASK_8x4_INTEL: u32 = 111;
pub const CL_AVC_ME_PARTITION_MASK_8x8_INTEL: u32 = 119;
pub const CL_AVC_ME_PARTITION_MASK_ALL_INTEL: u32 = 0;
pub const CL_AVC_ME_SAD_ADJUST_MODE_HAAR_INTEL: u32 = 2;
pub const CL_AVC_ME_SAD_ADJUST_MODE_NONE_INTEL: u32 = 0;
pub const CL_AVC_ME_SEARCH_WINDOW_16x12_RADIUS_INTEL: u32 = 9;
pub const CL_AVC_ME_SEARCH_WINDOW_2x2_RADIUS_INTEL: u32 = 10;
pub const CL_AVC_ME_SEARCH_WINDOW_4x4_RADIUS_INTEL: u32 = 2;
pub const CL_AVC_ME_SEARCH_WINDOW_CUSTOM_INTEL: u32 = 8;
pub const CL_AVC_ME_SEARCH_WINDOW_DIAMOND_INTEL: u32 = 4;
pub const CL_AVC_ME_SEARCH_WINDOW_EXHAUSTIVE_INTEL: u32 = 0;
pub const CL_AVC_ME_SEARCH_WINDOW_EXTRA_TINY_INTEL: u32 = 3;
pub const CL_AVC_ME_SEARCH_WINDOW_LARGE_DIAMOND_INTEL: u32 = 5;
pub const CL_AVC_ME_SEARCH_WINDOW_RESERVED0_INTEL: u32 = 6;
pub const CL_AVC_ME_SEARCH_WINDOW_RESERVED1_INTEL: u32 = 7;
pub const CL_AVC_ME_SEARCH_WINDOW_SMALL_INTEL: u32 = 1;
pub const CL_AVC_ME_SEARCH_WINDOW_TINY_INTEL: u32 = 2;
pub const CL_AVC_ME_SKIP_BLOCK_16x16_BACKWARD_ENABLE_INTEL: u32 = 33554432;
pub const CL_AVC_ME_SKIP_BLOCK_16x16_DUAL_ENABLE_INTEL: u32 = 50331648;
pub const CL_AVC_ME_SKIP_BLOCK_16x16_FORWARD_ENABLE_INTEL: u32 = 16777216;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_0_BACKWARD_ENABLE_INTEL: u32 = 33554432;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_0_FORWARD_ENABLE_INTEL: u32 = 16777216;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_1_BACKWARD_ENABLE_INTEL: u32 = 134217728;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_1_FORWARD_ENABLE_INTEL: u32 = 67108864;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_2_BACKWARD_ENABLE_INTEL: u32 = 536870912;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_2_FORWARD_ENABLE_INTEL: u32 = 268435456;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_3_BACKWARD_ENABLE_INTEL: u32 = 2147483648;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_3_FORWARD_ENABLE_INTEL: u32 = 1073741824;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_BACKWARD_ENABLE_INTEL: u32 = 2852126720;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_DUAL_ENABLE_INTEL: u32 = 4278190080;
pub const CL_AVC_ME_SKIP_BLOCK_8x8_FORWARD_ENABLE_INTEL: u32 = 1426063360;
pub const CL_AVC_ME_SKIP_BLOCK_PARTITION_16x16_INTEL: u32 = 0;
pub const CL_AVC_ME_SKIP_BLOCK_PARTITION_8x8_INTEL: u32 = 16384;
pub const CL_AVC_ME_SLICE_TYPE_BPRED_INTEL: u32 = 1;
pub const CL_AVC_ME_SLICE_TYPE_INTRA_INTEL: u32 = 2;
pub const CL_AVC_ME_SLICE_TYPE_PRED_INTEL: u32 = 0;
pub const CL_AVC_ME_SUBPIXEL_MODE_HPEL_INTEL: u32 = 1;
pub const CL_AVC_ME_SUBPIXEL_MODE_INTEGER_INTEL: u32 = 0;
pub const CL_AVC_ME_SUBPIXEL_MODE_QPEL_INTEL: u32 = 3;
pub const CL_AVC_ME_VERSION_0_INTEL: u32 = 0;
pub const CL_AVC_ME_VERSION_1_INTEL: u32 = 1;
pub const CL_BGRA: cl_channel_order = 4278;
pub const CL_BLOCKING: cl_bool = 1;
pub const CL_BUFFER_CREATE_TYPE_REGION: cl_buffer_create_type = 4640;
pub const CL_BUILD_ERROR: i32 = -2;
pub const CL_BUILD_IN_PROGRESS: i32 = -3;
pub const CL_BUILD_NONE: i32 = -1;
pub const CL_BUILD_PROGRAM_FAILURE: cl_int = -11;
pub const CL_BUILD_SUCCESS: cl_build_status = 0;
pub const CL_CANCELLED_IMG: cl_int = -1126;
pub const CL_CGL_SHAREGROUP_KHR: u32 = 8204;
pub const CL_CHAR_BIT: u32 = 8;
pub const CL_CHAR_MAX: u32 = 127;
pub const CL_CHAR_MIN: i32 = -128;
pub const CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR: u32 = 8237;
pub const CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR: cl_command_type = 8263;
pub const CL_COMMAND_ACQUIRE_GL_OBJECTS: cl_command_type = 4607;
pub const CL_COMMAND_ACQUIRE_GRALLOC_OBJECTS_IMG: cl_command_type = 16594;
pub const CL_COMMAND_BARRIER: cl_command_type = 4613;
pub const CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR: cl_device_command_buffer_capabilities_khr = 2;
pub const CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR: cl_device_command_buffer_capabilities_khr = 1;
pub const CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR: cl_device_command_buffer_capabilities_khr = 16;
pub const CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR: cl_device_command_buffer_capabilities_khr = 4;
pub const CL_COMMAND_BUFFER_CONTEXT_KHR: cl_command_buffer_info_khr = 4761;
pub const CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR: cl_command_buffer_flags_khr = 4;
pub const CL_COMMAND_BUFFER_FLAGS_KHR: cl_command_buffer_properties_khr = 4755;
pub const CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: cl_command_buffer_properties_khr = 4791;
pub const CL_COMMAND_BUFFER_MUTABLE_KHR: cl_command_buffer_flags_khr = 2;
pub const CL_COMMAND_BUFFER_NUM_QUEUES_KHR: cl_command_buffer_info_khr = 4757;
pub const CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR: cl_platform_command_buffer_capabilities_khr = 4;
pub const CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR: cl_platform_command_buffer_capabilities_khr = 2;
pub const CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR: cl_platform_command_buffer_capabilities_khr = 1;
pub const CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR: cl_command_buffer_info_khr = 4760;
pub const CL_COMMAND_BUFFER_QUEUES_KHR: cl_command_buffer_info_khr = 4756;
pub const CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: cl_command_buffer_info_khr = 4758;
pub const CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR: cl_command_buffer_flags_khr = 1;
pub const CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR: cl_command_buffer_state_khr = 1;
pub const CL_COMMAND_BUFFER_STATE_KHR: cl_command_buffer_info_khr = 4759;
pub const CL_COMMAND_BUFFER_STATE_PENDING_KHR: cl_command_buffer_state_khr = 2;
pub const CL_COMMAND_BUFFER_STATE_RECORDING_KHR: cl_command_buffer_state_khr = 0;
pub const CL_COMMAND_COMMAND_BUFFER_KHR: cl_command_type = 4776;
pub const CL_COMMAND_COPY_BUFFER: cl_command_type = 4597;
pub const CL_COMMAND_COPY_BUFFER_RECT: cl_command_type = 4611;
pub const CL_COMMAND_COPY_BUFFER_TO_IMAGE: cl_command_type = 4602;
pub const CL_COMMAND_COPY_IMAGE: cl_command_type = 4600;
pub const CL_COMMAND_COPY_IMAGE_TO_BUFFER: cl_command_type = 4601;
pub const CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR: u32 = 8239;
pub const CL_COMMAND_FILL_BUFFER: cl_command_type = 4615;
pub const CL_COMMAND_FILL_IMAGE: cl_command_type = 4616;
pub const CL_COMMAND_GENERATE_MIPMAP_IMG: cl_command_type = 16598;
pub const CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR: u32 = 8205;
pub const CL_COMMAND_MAP_BUFFER: cl_command_type = 4603;
pub const CL_COMMAND_MAP_IMAGE: cl_command_type = 4604;
pub const CL_COMMAND_MARKER: cl_command_type = 4606;
pub const CL_COMMAND_MEMADVISE_INTEL: cl_command_type = 16903;
pub const CL_COMMAND_MEMCPY_INTEL: cl_command_type = 16901;
pub const CL_COMMAND_MEMFILL_INTEL: cl_command_type = 16900;
pub const CL_COMMAND_MIGRATEMEM_INTEL: cl_command_type = 16902;
pub const CL_COMMAND_MIGRATE_MEM_OBJECTS: cl_command_type = 4614;
pub const CL_COMMAND_MIGRATE_MEM_OBJECT_EXT: cl_command_type = 16448;
pub const CL_COMMAND_NATIVE_KERNEL: cl_command_type = 4594;
pub const CL_COMMAND_NDRANGE_KERNEL: cl_command_type = 4592;
pub const CL_COMMAND_READ_BUFFER: cl_command_type = 4595;
pub const CL_COMMAND_READ_BUFFER_RECT: cl_command_type = 4609;
pub const CL_COMMAND_READ_HOST_PIPE_INTEL: u32 = 16916;
pub const CL_COMMAND_READ_IMAGE: cl_command_type = 4598;
pub const CL_COMMAND_RELEASE_EGL_OBJECTS_KHR: u32 = 8238;
pub const CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR: cl_command_type = 8264;
pub const CL_COMMAND_RELEASE_GL_OBJECTS: cl_command_type = 4608;
pub const CL_COMMAND_RELEASE_GRALLOC_OBJECTS_IMG: cl_command_type = 16595;
pub const CL_COMMAND_SEMAPHORE_SIGNAL_KHR: cl_command_type = 8259;
pub const CL_COMMAND_SEMAPHORE_WAIT_KHR: cl_command_type = 8258;
pub const CL_COMMAND_SVM_FREE: cl_command_type = 4617;
pub const CL_COMMAND_SVM_FREE_ARM: cl_command_type = 16570;
pub const CL_COMMAND_SVM_MAP: cl_command_type = 4620;
pub const CL_COMMAND_SVM_MAP_ARM: cl_command_type = 16573;
pub const CL_COMMAND_SVM_MEMCPY: cl_command_type = 4618;
pub const CL_COMMAND_SVM_MEMCPY_ARM: cl_command_type = 16571;
pub const CL_COMMAND_SVM_MEMFILL: cl_command_type = 4619;
pub const CL_COMMAND_SVM_MEMFILL_ARM: cl_command_type = 16572;
pub const CL_COMMAND_SVM_MIGRATE_MEM: cl_command_type = 4622;
pub const CL_COMMAND_SVM_UNMAP: cl_command_type = 4621;
pub const CL_COMMAND_SVM_UNMAP_ARM: cl_command_type = 16574;
pub const CL_COMMAND_TASK: cl_command_type = 4593;
pub const CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM: cl_int = -1108;
pub const CL_COMMAND_TERMINATION_COMPLETION_ARM: u32 = 0;
pub const CL_COMMAND_TERMINATION_CONTROLLED_FAILURE_ARM: u32 = 2;
pub const CL_COMMAND_TERMINATION_CONTROLLED_SUCCESS_ARM: u32 = 1;
pub const CL_COMMAND_TERMINATION_ERROR_ARM: u32 = 3;
pub const CL_COMMAND_UNMAP_MEM_OBJECT: cl_command_type = 4605;
pub const CL_COMMAND_USER: cl_command_type = 4612;
pub const CL_COMMAND_WRITE_BUFFER: cl_command_type = 4596;
pub const CL_COMMAND_WRITE_BUFFER_RECT: cl_command_type = 4610;
pub const CL_COMMAND_WRITE_HOST_PIPE_INTEL: u32 = 16917;
pub const CL_COMMAND_WRITE_IMAGE: cl_command_type = 4599;
pub const CL_COMPILER_NOT_AVAILABLE: cl_int = -3;
pub const CL_COMPILE_PROGRAM_FAILURE: cl_int = -15;
pub const CL_COMPLETE: cl_int = 0;
pub const CL_CONTEXT_DEVICES: cl_context_info = 4225;
pub const CL_CONTEXT_DIAGNOSTICS_LEVEL_ALL_INTEL: cl_diagnostic_verbose_level_intel = 255;
pub const CL_CONTEXT_DIAGNOSTICS_LEVEL_BAD_INTEL: cl_diagnostic_verbose_level_intel = 2;
pub const CL_CONTEXT_DIAGNOSTICS_LEVEL_GOOD_INTEL: cl_diagnostic_verbose_level_intel = 1;
pub const CL_CONTEXT_DIAGNOSTICS_LEVEL_NEUTRAL_INTEL: cl_diagnostic_verbose_level_intel = 4;
pub const CL_CONTEXT_INTEROP_USER_SYNC: cl_context_properties = 4229;
pub const CL_CONTEXT_MEMORY_INITIALIZE_KHR: cl_context_properties = 8240;
pub const CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR: cl_context_memory_initialize_khr = 1;
pub const CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR: cl_context_memory_initialize_khr = 2;
pub const CL_CONTEXT_NUM_DEVICES: cl_context_info = 4227;
pub const CL_CONTEXT_OFFLINE_DEVICES_AMD: u32 = 16447;
pub const CL_CONTEXT_PERF_HINT_QCOM: cl_context_info = 16578;
pub const CL_CONTEXT_PLATFORM: cl_context_properties = 4228;
pub const CL_CONTEXT_PROPERTIES: cl_context_info = 4226;
pub const CL_CONTEXT_REFERENCE_COUNT: cl_context_info = 4224;
pub const CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL: cl_context_properties = 16646;
pub const CL_CONTEXT_TERMINATED_KHR: cl_int = -1121;
pub const CL_CONTEXT_TERMINATE_KHR: cl_context_properties = 8242;
pub const CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR: u32 = 8198;
pub const CL_DBL_DIG: u32 = 15;
pub const CL_DBL_MANT_DIG: u32 = 53;
pub const CL_DBL_MAX: f64 = 179769313486231570000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000.0;
pub const CL_DBL_MAX_10_EXP: u32 = 308;
pub const CL_DBL_MAX_EXP: u32 = 1024;
pub const CL_DBL_MIN_10_EXP: i32 = -307;
pub const CL_DBL_MIN_EXP: i32 = -1021;
pub const CL_DBL_RADIX: u32 = 2;
pub const CL_DEPTH: cl_channel_order = 4285;
pub const CL_DEPTH_STENCIL: u32 = 4286;
pub const CL_DEVICES_FOR_GL_CONTEXT_KHR: u32 = 8199;
pub const CL_DEVICE_ADDRESS_BITS: cl_device_info = 4109;
pub const CL_DEVICE_AFFINITY_DOMAINS_EXT: cl_device_info = 16470;
pub const CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE: cl_device_affinity_domain = 16;
pub const CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE: cl_device_affinity_domain = 8;
pub const CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE: cl_device_affinity_domain = 4;
pub const CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE: cl_device_affinity_domain = 2;
pub const CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE: cl_device_affinity_domain = 32;
pub const CL_DEVICE_AFFINITY_DOMAIN_NUMA: cl_device_affinity_domain = 1;
pub const CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: u32 = 4196;
pub const CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: u32 = 4195;
pub const CL_DEVICE_ATOMIC_ORDER_ACQ_REL: cl_device_atomic_capabilities = 2;
pub const CL_DEVICE_ATOMIC_ORDER_RELAXED: cl_device_atomic_capabilities = 1;
pub const CL_DEVICE_ATOMIC_ORDER_SEQ_CST: cl_device_atomic_capabilities = 4;
pub const CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES: cl_device_atomic_capabilities = 64;
pub const CL_DEVICE_ATOMIC_SCOPE_DEVICE: cl_device_atomic_capabilities = 32;
pub const CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP: cl_device_atomic_capabilities = 16;
pub const CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM: cl_device_atomic_capabilities = 8;
pub const CL_DEVICE_AVAILABLE: cl_device_info = 4135;
pub const CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD: cl_device_info = 16460;
pub const CL_DEVICE_AVC_ME_SUPPORTS_PREEMPTION_INTEL: cl_device_info = 16653;
pub const CL_DEVICE_AVC_ME_SUPPORTS_TEXTURE_SAMPLER_USE_INTEL: cl_device_info = 16652;
pub const CL_DEVICE_AVC_ME_VERSION_INTEL: cl_device_info = 16651;
pub const CL_DEVICE_BOARD_NAME_AMD: cl_device_info = 16440;
pub const CL_DEVICE_BUILT_IN_KERNELS: u32 = 4159;
pub const CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: u32 = 4194;
pub const CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR: cl_device_info = 4194;
pub const CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: cl_device_info = 4777;
pub const CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR: cl_device_info = 4779;
pub const CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: cl_device_info = 4778;
pub const CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: cl_device_info = 4762;
pub const CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR: cl_device_info = 4780;
pub const CL_DEVICE_COMPILER_AVAILABLE: cl_device_info = 4136;
pub const CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV: cl_device_info = 16384;
pub const CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV: cl_device_info = 16385;
pub const CL_DEVICE_COMPUTE_UNITS_BITFIELD_ARM: cl_device_info = 16575;
pub const CL_DEVICE_CONTROLLED_TERMINATION_CAPABILITIES_ARM: cl_device_info = 16878;
pub const CL_DEVICE_CONTROLLED_TERMINATION_FAILURE_ARM: cl_device_controlled_termination_capabilities_arm = 2;
pub const CL_DEVICE_CONTROLLED_TERMINATION_QUERY_ARM: cl_device_controlled_termination_capabilities_arm = 4;
pub const CL_DEVICE_CONTROLLED_TERMINATION_SUCCESS_ARM: cl_device_controlled_termination_capabilities_arm = 1;
pub const CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_device_info = 16787;
pub const CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT: cl_device_info = 16944;
pub const CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: u32 = 4208;
pub const CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL: cl_device_info = 16785;
pub const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 16946;
pub const CL_DEVICE_DOUBLE_FP_CONFIG: cl_device_info = 4146;
pub const CL_DEVICE_ENDIAN_LITTLE: cl_device_info = 4134;
pub const CL_DEVICE_ERROR_CORRECTION_SUPPORT: cl_device_info = 4132;
pub const CL_DEVICE_EXECUTION_CAPABILITIES: cl_device_info = 4137;
pub const CL_DEVICE_EXTENSIONS: cl_device_info = 4144;
pub const CL_DEVICE_EXTENSIONS_WITH_VERSION: u32 = 4192;
pub const CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR: cl_device_info = 4192;
pub const CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR: cl_device_info = 8274;
pub const CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR: cl_device_info = 8271;
pub const CL_DEVICE_EXT_MEM_PADDING_IN_BYTES_QCOM: cl_device_info = 16544;
pub const CL_DEVICE_FEATURE_CAPABILITIES_INTEL: cl_device_info = 16982;
pub const CL_DEVICE_FEATURE_FLAG_DP4A_INTEL: cl_device_feature_capabilities_intel = 1;
pub const CL_DEVICE_FEATURE_FLAG_DPAS_INTEL: cl_device_feature_capabilities_intel = 2;
pub const CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: u32 = 4201;
pub const CL_DEVICE_GFXIP_MAJOR_AMD: cl_device_info = 16458;
pub const CL_DEVICE_GFXIP_MINOR_AMD: cl_device_info = 16459;
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT: cl_device_fp_atomic_capabilities_ext = 2;
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT: cl_device_fp_atomic_capabilities_ext = 1;
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT: cl_device_fp_atomic_capabilities_ext = 4;
pub const CL_DEVICE_GLOBAL_FREE_MEMORY_AMD: cl_device_info = 16441;
pub const CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: cl_device_info = 4125;
pub const CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: cl_device_info = 4126;
pub const CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: cl_device_info = 4124;
pub const CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD: cl_device_info = 16452;
pub const CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD: cl_device_info = 16453;
pub const CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD: cl_device_info = 16454;
pub const CL_DEVICE_GLOBAL_MEM_SIZE: cl_device_info = 4127;
pub const CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: u32 = 4180;
pub const CL_DEVICE_GPU_OVERLAP_NV: cl_device_info = 16388;
pub const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 16947;
pub const CL_DEVICE_HALF_FP_CONFIG: cl_device_info = 4147;
pub const CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL: cl_device_info = 16784;
pub const CL_DEVICE_HOST_UNIFIED_MEMORY: u32 = 4149;
pub const CL_DEVICE_ID_INTEL: cl_device_info = 16977;
pub const CL_DEVICE_ILS_WITH_VERSION: u32 = 4193;
pub const CL_DEVICE_ILS_WITH_VERSION_KHR: cl_device_info = 4193;
pub const CL_DEVICE_IL_VERSION: u32 = 4187;
pub const CL_DEVICE_IL_VERSION_KHR: cl_device_info = 4187;
pub const CL_DEVICE_IMAGE2D_MAX_HEIGHT: cl_device_info = 4114;
pub const CL_DEVICE_IMAGE2D_MAX_WIDTH: cl_device_info = 4113;
pub const CL_DEVICE_IMAGE3D_MAX_DEPTH: cl_device_info = 4117;
pub const CL_DEVICE_IMAGE3D_MAX_HEIGHT: cl_device_info = 4116;
pub const CL_DEVICE_IMAGE3D_MAX_WIDTH: cl_device_info = 4115;
pub const CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: u32 = 4171;
pub const CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT_KHR: cl_device_info = 4171;
pub const CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: u32 = 4161;
pub const CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: u32 = 4160;
pub const CL_DEVICE_IMAGE_PITCH_ALIGNMENT: u32 = 4170;
pub const CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR: cl_device_info = 4170;
pub const CL_DEVICE_IMAGE_SUPPORT: cl_device_info = 4118;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: cl_device_info = 4213;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR: cl_device_info = 4212;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR: cl_device_info = 4211;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR: cl_device_integer_dot_product_capabilities_khr = 2;
pub const CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR: cl_device_integer_dot_product_capabilities_khr = 1;
pub const CL_DEVICE_INTEGRATED_MEMORY_NV: cl_device_info = 16390;
pub const CL_DEVICE_IP_VERSION_INTEL: cl_device_info = 16976;
pub const CL_DEVICE_JOB_SLOTS_ARM: cl_device_info = 16864;
pub const CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR: cl_device_info = 4214;
pub const CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR: cl_device_kernel_clock_capabilities_khr = 1;
pub const CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR: cl_device_kernel_clock_capabilities_khr = 4;
pub const CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR: cl_device_kernel_clock_capabilities_khr = 2;
pub const CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV: cl_device_info = 16389;
pub const CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: u32 = 4210;
pub const CL_DEVICE_LINKER_AVAILABLE: u32 = 4158;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT: cl_device_fp_atomic_capabilities_ext = 131072;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT: cl_device_fp_atomic_capabilities_ext = 65536;
pub const CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT: cl_device_fp_atomic_capabilities_ext = 262144;
pub const CL_DEVICE_LOCAL_MEM_BANKS_AMD: cl_device_info = 16456;
pub const CL_DEVICE_LOCAL_MEM_SIZE: cl_device_info = 4131;
pub const CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD: cl_device_info = 16455;
pub const CL_DEVICE_LOCAL_MEM_TYPE: cl_device_info = 4130;
pub const CL_DEVICE_LUID_KHR: cl_device_info = 4205;
pub const CL_DEVICE_LUID_VALID_KHR: cl_device_info = 4204;
pub const CL_DEVICE_MAX_ATOMIC_COUNTERS_EXT: cl_device_info = 16434;
pub const CL_DEVICE_MAX_CLOCK_FREQUENCY: cl_device_info = 4108;
pub const CL_DEVICE_MAX_COMPUTE_UNITS: cl_device_info = 4098;
pub const CL_DEVICE_MAX_CONSTANT_ARGS: cl_device_info = 4129;
pub const CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: cl_device_info = 4128;
pub const CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE: u32 = 4173;
pub const CL_DEVICE_MAX_MEM_ALLOC_SIZE: cl_device_info = 4112;
pub const CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR: cl_device_info = 8245;
pub const CL_DEVICE_MAX_NUM_SUB_GROUPS: u32 = 4188;
pub const CL_DEVICE_MAX_ON_DEVICE_EVENTS: u32 = 4178;
pub const CL_DEVICE_MAX_ON_DEVICE_QUEUES: u32 = 4177;
pub const CL_DEVICE_MAX_PARAMETER_SIZE: cl_device_info = 4119;
pub const CL_DEVICE_MAX_PIPE_ARGS: u32 = 4181;
pub const CL_DEVICE_MAX_READ_IMAGE_ARGS: cl_device_info = 4110;
pub const CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS: u32 = 4172;
pub const CL_DEVICE_MAX_SAMPLERS: cl_device_info = 4120;
pub const CL_DEVICE_MAX_WARP_COUNT_ARM: cl_device_info = 16874;
pub const CL_DEVICE_MAX_WORK_GROUP_SIZE: cl_device_info = 4100;
pub const CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD: cl_device_info = 16433;
pub const CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: cl_device_info = 4099;
pub const CL_DEVICE_MAX_WORK_ITEM_SIZES: cl_device_info = 4101;
pub const CL_DEVICE_MAX_WRITE_IMAGE_ARGS: cl_device_info = 4111;
pub const CL_DEVICE_MEMORY_CAPABILITIES_IMG: cl_device_info = 16600;
pub const CL_DEVICE_MEM_BASE_ADDR_ALIGN: cl_device_info = 4121;
pub const CL_DEVICE_ME_VERSION_INTEL: cl_device_info = 16510;
pub const CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: cl_device_info = 4122;
pub const CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: cl_device_info = 4784;
pub const CL_DEVICE_NAME: cl_device_info = 4139;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR: u32 = 4150;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: u32 = 4155;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: u32 = 4154;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: u32 = 4156;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_INT: u32 = 4152;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG: u32 = 4153;
pub const CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT: u32 = 4151;
pub const CL_DEVICE_NODE_MASK_KHR: cl_device_info = 4206;
pub const CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: u32 = 4197;
pub const CL_DEVICE_NOT_AVAILABLE: cl_int = -2;
pub const CL_DEVICE_NOT_FOUND: cl_int = -1;
pub const CL_DEVICE_NUMERIC_VERSION: u32 = 4190;
pub const CL_DEVICE_NUMERIC_VERSION_KHR: cl_device_info = 4190;
pub const CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL: cl_device_info = 16980;
pub const CL_DEVICE_NUM_SIMULTANEOUS_INTEROPS_INTEL: cl_device_info = 16645;
pub const CL_DEVICE_NUM_SLICES_INTEL: cl_device_info = 16978;
pub const CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL: cl_device_info = 16979;
pub const CL_DEVICE_NUM_THREADS_PER_EU_INTEL: cl_device_info = 16981;
pub const CL_DEVICE_OPENCL_C_ALL_VERSIONS: u32 = 4198;
pub const CL_DEVICE_OPENCL_C_FEATURES: u32 = 4207;
pub const CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: cl_device_info = 4191;
pub const CL_DEVICE_OPENCL_C_VERSION: u32 = 4157;
pub const CL_DEVICE_PAGE_SIZE_QCOM: cl_device_info = 16545;
pub const CL_DEVICE_PARENT_DEVICE: u32 = 4162;
pub const CL_DEVICE_PARENT_DEVICE_EXT: cl_device_info = 16468;
pub const CL_DEVICE_PARTITION_AFFINITY_DOMAIN: u32 = 4165;
pub const CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: cl_device_partition_property = 4232;
pub const CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT: cl_device_partition_property_ext = 16467;
pub const CL_DEVICE_PARTITION_BY_COUNTS: cl_device_partition_property = 4231;
pub const CL_DEVICE_PARTITION_BY_COUNTS_EXT: cl_device_partition_property_ext = 16465;
pub const CL_DEVICE_PARTITION_BY_COUNTS_LIST_END: cl_device_partition_property = 0;
pub const CL_DEVICE_PARTITION_BY_NAMES_EXT: cl_device_partition_property_ext = 16466;
pub const CL_DEVICE_PARTITION_BY_NAMES_INTEL: u32 = 16466;
pub const CL_DEVICE_PARTITION_EQUALLY: cl_device_partition_property = 4230;
pub const CL_DEVICE_PARTITION_EQUALLY_EXT: cl_device_partition_property_ext = 16464;
pub const CL_DEVICE_PARTITION_FAILED: cl_int = -18;
pub const CL_DEVICE_PARTITION_FAILED_EXT: cl_int = -1057;
pub const CL_DEVICE_PARTITION_MAX_SUB_DEVICES: u32 = 4163;
pub const CL_DEVICE_PARTITION_PROPERTIES: u32 = 4164;
pub const CL_DEVICE_PARTITION_STYLE_EXT: cl_device_info = 16472;
pub const CL_DEVICE_PARTITION_TYPE: u32 = 4166;
pub const CL_DEVICE_PARTITION_TYPES_EXT: cl_device_info = 16469;
pub const CL_DEVICE_PCIE_ID_AMD: cl_device_info = 16436;
pub const CL_DEVICE_PCI_BUS_INFO_KHR: cl_device_info = 16655;
pub const CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: u32 = 4182;
pub const CL_DEVICE_PIPE_MAX_PACKET_SIZE: u32 = 4183;
pub const CL_DEVICE_PIPE_SUPPORT: u32 = 4209;
pub const CL_DEVICE_PLANAR_YUV_MAX_HEIGHT_INTEL: cl_device_info = 16767;
pub const CL_DEVICE_PLANAR_YUV_MAX_WIDTH_INTEL: cl_device_info = 16766;
pub const CL_DEVICE_PLATFORM: cl_device_info = 4145;
pub const CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD: cl_device_info = 16435;
pub const CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT: u32 = 4185;
pub const CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: u32 = 4168;
pub const CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: u32 = 4186;
pub const CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT: u32 = 4184;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR: cl_device_info = 4102;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE: cl_device_info = 4107;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT: cl_device_info = 4106;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF: u32 = 4148;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT: cl_device_info = 4104;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG: cl_device_info = 4105;
pub const CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT: cl_device_info = 4103;
pub const CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD: cl_device_info = 16432;
pub const CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: u32 = 4199;
pub const CL_DEVICE_PRINTF_BUFFER_SIZE: u32 = 4169;
pub const CL_DEVICE_PROFILE: cl_device_info = 4142;
pub const CL_DEVICE_PROFILING_TIMER_OFFSET_AMD: cl_device_info = 16438;
pub const CL_DEVICE_PROFILING_TIMER_RESOLUTION: cl_device_info = 4133;
pub const CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL: cl_device_info = 16779;
pub const CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: u32 = 4176;
pub const CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE: u32 = 4175;
pub const CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES: u32 = 4174;
pub const CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: cl_device_info = 4138;
pub const CL_DEVICE_QUEUE_PROPERTIES: cl_device_info = 4138;
pub const CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT: cl_device_device_enqueue_capabilities = 2;
pub const CL_DEVICE_QUEUE_SUPPORTED: cl_device_device_enqueue_capabilities = 1;
pub const CL_DEVICE_REFERENCE_COUNT: u32 = 4167;
pub const CL_DEVICE_REFERENCE_COUNT_EXT: cl_device_info = 16471;
pub const CL_DEVICE_REGISTERS_PER_BLOCK_NV: cl_device_info = 16386;
pub const CL_DEVICE_SCHEDULING_COMPUTE_UNIT_BATCH_QUEUE_SIZE_ARM: cl_device_scheduling_controls_capabilities_arm = 64;
pub const CL_DEVICE_SCHEDULING_COMPUTE_UNIT_LIMIT_ARM: cl_device_scheduling_controls_capabilities_arm = 128;
pub const CL_DEVICE_SCHEDULING_CONTROLS_CAPABILITIES_ARM: cl_device_info = 16868;
pub const CL_DEVICE_SCHEDULING_DEFERRED_FLUSH_ARM: cl_device_scheduling_controls_capabilities_arm = 8;
pub const CL_DEVICE_SCHEDULING_KERNEL_BATCHING_ARM: cl_device_scheduling_controls_capabilities_arm = 1;
pub const CL_DEVICE_SCHEDULING_REGISTER_ALLOCATION_ARM: cl_device_scheduling_controls_capabilities_arm = 16;
pub const CL_DEVICE_SCHEDULING_WARP_THROTTLING_ARM: cl_device_scheduling_controls_capabilities_arm = 32;
pub const CL_DEVICE_SCHEDULING_WORKGROUP_BATCH_SIZE_ARM: cl_device_scheduling_controls_capabilities_arm = 2;
pub const CL_DEVICE_SCHEDULING_WORKGROUP_BATCH_SIZE_MODIFIER_ARM: cl_device_scheduling_controls_capabilities_arm = 4;
pub const CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_device_info = 8270;
pub const CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR: cl_device_info = 8269;
pub const CL_DEVICE_SEMAPHORE_TYPES_KHR: cl_device_info = 8268;
pub const CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: cl_device_info = 16788;
pub const CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD: cl_device_info = 16450;
pub const CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD: cl_device_info = 16448;
pub const CL_DEVICE_SIMD_WIDTH_AMD: cl_device_info = 16449;
pub const CL_DEVICE_SIMULTANEOUS_INTEROPS_INTEL: cl_device_info = 16644;
pub const CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL: cl_device_info = 16786;
pub const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 16945;
pub const CL_DEVICE_SINGLE_FP_CONFIG: cl_device_info = 4123;
pub const CL_DEVICE_SPIRV_CAPABILITIES_KHR: cl_device_info = 4795;
pub const CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR: cl_device_info = 4793;
pub const CL_DEVICE_SPIRV_EXTENSIONS_KHR: cl_device_info = 4794;
pub const CL_DEVICE_SPIR_VERSIONS: cl_device_info = 16608;
pub const CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: u32 = 4189;
pub const CL_DEVICE_SUB_GROUP_SIZES_INTEL: cl_device_info = 16648;
pub const CL_DEVICE_SUPPORTED_REGISTER_ALLOCATIONS_ARM: cl_device_info = 16875;
pub const CL_DEVICE_SVM_ATOMICS: cl_device_svm_capabilities = 8;
pub const CL_DEVICE_SVM_ATOMICS_ARM: cl_device_svm_capabilities_arm = 8;
pub const CL_DEVICE_SVM_CAPABILITIES: u32 = 4179;
pub const CL_DEVICE_SVM_CAPABILITIES_ARM: cl_device_info = 16566;
pub const CL_DEVICE_SVM_COARSE_GRAIN_BUFFER: cl_device_svm_capabilities = 1;
pub const CL_DEVICE_SVM_COARSE_GRAIN_BUFFER_ARM: cl_device_svm_capabilities_arm = 1;
pub const CL_DEVICE_SVM_FINE_GRAIN_BUFFER: cl_device_svm_capabilities = 2;
pub const CL_DEVICE_SVM_FINE_GRAIN_BUFFER_ARM: cl_device_svm_capabilities_arm = 2;
pub const CL_DEVICE_SVM_FINE_GRAIN_SYSTEM: cl_device_svm_capabilities = 4;
pub const CL_DEVICE_SVM_FINE_GRAIN_SYSTEM_ARM: cl_device_svm_capabilities_arm = 4;
pub const CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR: cl_device_terminate_capability_khr = 1;
pub const CL_DEVICE_TERMINATE_CAPABILITY_KHR: cl_device_info = 8241;
pub const CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD: cl_device_info = 16457;
pub const CL_DEVICE_TOPOLOGY_AMD: cl_device_info = 16439;
pub const CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD: cl_device_info = 1;
pub const CL_DEVICE_TYPE: cl_device_info = 4096;
pub const CL_DEVICE_TYPE_ACCELERATOR: cl_device_type = 8;
pub const CL_DEVICE_TYPE_ALL: cl_device_type = 4294967295;
pub const CL_DEVICE_TYPE_CPU: cl_device_type = 2;
pub const CL_DEVICE_TYPE_CUSTOM: cl_device_type = 16;
pub const CL_DEVICE_TYPE_DEFAULT: cl_device_type = 1;
pub const CL_DEVICE_TYPE_GPU: cl_device_type = 4;
pub const CL_DEVICE_UUID_KHR: cl_device_info = 4202;
pub const CL_DEVICE_VENDOR: cl_device_info = 4140;
pub const CL_DEVICE_VENDOR_ID: cl_device_info = 4097;
pub const CL_DEVICE_VERSION: cl_device_info = 4143;
pub const CL_DEVICE_WARP_SIZE_NV: cl_device_info = 16387;
pub const CL_DEVICE_WAVEFRONT_WIDTH_AMD: cl_device_info = 16451;
pub const CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: u32 = 4200;
pub const CL_DRIVER_UUID_KHR: cl_device_info = 4203;
pub const CL_DRIVER_VERSION: cl_device_info = 4141;
pub const CL_EGL_DISPLAY_KHR: u32 = 8201;
pub const CL_EGL_RESOURCE_NOT_ACQUIRED_KHR: i32 = -1092;
pub const CL_EGL_YUV_PLANE_INTEL: cl_egl_image_properties_khr = 16647;
pub const CL_EVENT_COMMAND_EXECUTION_STATUS: cl_event_info = 4563;
pub const CL_EVENT_COMMAND_QUEUE: cl_event_info = 4560;
pub const CL_EVENT_COMMAND_TERMINATION_REASON_ARM: cl_event_info = 16877;
pub const CL_EVENT_COMMAND_TYPE: cl_event_info = 4561;
pub const CL_EVENT_CONTEXT: cl_event_info = 4564;
pub const CL_EVENT_REFERENCE_COUNT: cl_event_info = 4562;
pub const CL_EXEC_KERNEL: cl_device_exec_capabilities = 1;
pub const CL_EXEC_NATIVE_KERNEL: cl_device_exec_capabilities = 2;
pub const CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: cl_int = -14;
pub const CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR: cl_external_memory_handle_type_khr = 8304;
pub const CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR: cl_external_memory_handle_type_khr = 8295;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR: cl_external_memory_handle_type_khr = 8288;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KHR: cl_external_memory_handle_type_khr = 8289;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_KMT_KHR: cl_external_memory_handle_type_khr = 8290;
pub const CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_WIN32_NAME_KHR: cl_external_memory_handle_type_khr = 8297;
pub const CL_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME: &[u8; 29] = b"cl_ext_buffer_device_address\0";
pub const CL_EXT_CXX_FOR_OPENCL_EXTENSION_NAME: &[u8; 22] = b"cl_ext_cxx_for_opencl\0";
pub const CL_EXT_DEVICE_FISSION_EXTENSION_NAME: &[u8; 22] = b"cl_ext_device_fission\0";
pub const CL_EXT_FLOAT_ATOMICS_EXTENSION_NAME: &[u8; 21] = b"cl_ext_float_atomics\0";
pub const CL_EXT_IMAGE_FROM_BUFFER_EXTENSION_NAME: &[u8; 25] = b"cl_ext_image_from_buffer\0";
pub const CL_EXT_IMAGE_RAW10_RAW12_EXTENSION_NAME: &[u8; 25] = b"cl_ext_image_raw10_raw12\0";
pub const CL_EXT_IMAGE_REQUIREMENTS_INFO_EXTENSION_NAME: &[u8; 31] = b"cl_ext_image_requirements_info\0";
pub const CL_EXT_IMAGE_UNORM_INT_2_101010_EXTENSION_NAME: &[u8; 32] = b"cl_ext_image_unorm_int_2_101010\0";
pub const CL_EXT_IMAGE_UNSIGNED_10X6_12X4_14X2_EXTENSION_NAME: &[u8; 37] = b"cl_ext_image_unsigned_10x6_12x4_14x2\0";
pub const CL_EXT_IMMUTABLE_MEMORY_OBJECTS_EXTENSION_NAME: &[u8; 32] = b"cl_ext_immutable_memory_objects\0";
pub const CL_EXT_MIGRATE_MEMOBJECT_EXTENSION_NAME: &[u8; 25] = b"cl_ext_migrate_memobject\0";
pub const CL_FALSE: cl_bool = 0;
pub const CL_FILTER_LINEAR: cl_filter_mode = 4417;
pub const CL_FILTER_NEAREST: cl_filter_mode = 4416;
pub const CL_FLOAT: cl_channel_type = 4318;
pub const CL_FLT_DIG: u32 = 6;
pub const CL_FLT_MANT_DIG: u32 = 24;
pub const CL_FLT_MAX: f64 = 340282346638528860000000000000000000000.0;
pub const CL_FLT_MAX_10_EXP: u32 = 38;
pub const CL_FLT_MAX_EXP: u32 = 128;
pub const CL_FLT_MIN_10_EXP: i32 = -37;
pub const CL_FLT_MIN_EXP: i32 = -125;
pub const CL_FLT_RADIX: u32 = 2;
pub const CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT: cl_device_fp_config = 128;
pub const CL_FP_DENORM: cl_device_fp_config = 1;
pub const CL_FP_FMA: cl_device_fp_config = 32;
pub const CL_FP_INF_NAN: cl_device_fp_config = 2;
pub const CL_FP_ROUND_TO_INF: cl_device_fp_config = 16;
pub const CL_FP_ROUND_TO_NEAREST: cl_device_fp_config = 4;
pub const CL_FP_ROUND_TO_ZERO: cl_device_fp_config = 8;
pub const CL_FP_SOFT_FLOAT: cl_device_fp_config = 64;
pub const CL_GLOBAL: cl_device_local_mem_type = 2;
pub const CL_GLX_DISPLAY_KHR: u32 = 8202;
pub const CL_GL_CONTEXT_KHR: u32 = 8200;
pub const CL_GL_MIPMAP_LEVEL: u32 = 8197;
pub const CL_GL_NUM_SAMPLES: u32 = 8210;
pub const CL_GL_OBJECT_BUFFER: u32 = 8192;
pub const CL_GL_OBJECT_RENDERBUFFER: u32 = 8195;
pub const CL_GL_OBJECT_TEXTURE1D: u32 = 8207;
pub const CL_GL_OBJECT_TEXTURE1D_ARRAY: u32 = 8208;
pub const CL_GL_OBJECT_TEXTURE2D: u32 = 8193;
pub const CL_GL_OBJECT_TEXTURE2D_ARRAY: u32 = 8206;
pub const CL_GL_OBJECT_TEXTURE3D: u32 = 8194;
pub const CL_GL_OBJECT_TEXTURE_BUFFER: u32 = 8209;
pub const CL_GL_TEXTURE_TARGET: u32 = 8196;
pub const CL_GRALLOC_RESOURCE_NOT_ACQUIRED_IMG: cl_int = 16596;
pub const CL_HALF_DIG: u32 = 3;
pub const CL_HALF_FLOAT: cl_channel_type = 4317;
pub const CL_HALF_MANT_DIG: u32 = 11;
pub const CL_HALF_MAX: f64 = 65504.0;
pub const CL_HALF_MAX_10_EXP: u32 = 4;
pub const CL_HALF_MAX_EXP: u32 = 16;
pub const CL_HALF_MIN_10_EXP: i32 = -4;
pub const CL_HALF_MIN_EXP: i32 = -13;
pub const CL_HALF_RADIX: u32 = 2;
pub const CL_HAS_HI_LO_VECTOR_FIELDS: u32 = 1;
pub const CL_HAS_NAMED_VECTOR_FIELDS: u32 = 1;
pub const CL_ICDL_NAME: cl_icdl_info = 3;
pub const CL_ICDL_OCL_VERSION: cl_icdl_info = 1;
pub const CL_ICDL_VENDOR: cl_icdl_info = 4;
pub const CL_ICDL_VERSION: cl_icdl_info = 2;
pub const CL_IMAGE_ARRAY_SIZE: cl_image_info = 4375;
pub const CL_IMAGE_BUFFER: cl_image_info = 4376;
pub const CL_IMAGE_DEPTH: cl_image_info = 4374;
pub const CL_IMAGE_ELEMENT_SIZE: cl_image_info = 4369;
pub const CL_IMAGE_FORMAT: cl_image_info = 4368;
pub const CL_IMAGE_FORMAT_MISMATCH: cl_int = -9;
pub const CL_IMAGE_FORMAT_NOT_SUPPORTED: cl_int = -10;
pub const CL_IMAGE_HEIGHT: cl_image_info = 4373;
pub const CL_IMAGE_NUM_MIP_LEVELS: cl_image_info = 4377;
pub const CL_IMAGE_NUM_SAMPLES: cl_image_info = 4378;
pub const CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT: cl_image_requirements_info_ext = 4754;
pub const CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT: cl_image_requirements_info_ext = 4790;
pub const CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT: cl_image_requirements_info_ext = 4789;
pub const CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT: cl_image_requirements_info_ext = 4788;
pub const CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT: cl_image_requirements_info_ext = 4787;
pub const CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT: cl_image_requirements_info_ext = 4752;
pub const CL_IMAGE_REQUIREMENTS_SIZE_EXT: cl_image_requirements_info_ext = 4786;
pub const CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT: cl_image_requirements_info_ext = 4753;
pub const CL_IMAGE_ROW_ALIGNMENT_QCOM: cl_image_pitch_info_qcom = 16546;
pub const CL_IMAGE_ROW_PITCH: cl_image_info = 4370;
pub const CL_IMAGE_SLICE_ALIGNMENT_QCOM: cl_image_pitch_info_qcom = 16547;
pub const CL_IMAGE_SLICE_PITCH: cl_image_info = 4371;
pub const CL_IMAGE_WIDTH: cl_image_info = 4372;
pub const CL_IMG_CACHED_ALLOCATIONS_EXTENSION_NAME: &[u8; 26] = b"cl_img_cached_allocations\0";
pub const CL_IMG_CANCEL_COMMAND_EXTENSION_NAME: &[u8; 22] = b"cl_img_cancel_command\0";
pub const CL_IMG_GENERATE_MIPMAP_EXTENSION_NAME: &[u8; 23] = b"cl_img_generate_mipmap\0";
pub const CL_IMG_MEM_PROPERTIES_EXTENSION_NAME: &[u8; 22] = b"cl_img_mem_properties\0";
pub const CL_IMG_USE_GRALLOC_PTR_EXTENSION_NAME: &[u8; 23] = b"cl_img_use_gralloc_ptr\0";
pub const CL_IMG_YUV_IMAGE_EXTENSION_NAME: &[u8; 17] = b"cl_img_yuv_image\0";
pub const CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM: cl_import_properties_arm = 16880;
pub const CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM: cl_import_properties_arm = 16879;
pub const CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM: cl_import_properties_arm = 16867;
pub const CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM: i32 = -1;
pub const CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM: cl_import_properties_arm = 16866;
pub const CL_IMPORT_TYPE_ARM: cl_import_properties_arm = 16562;
pub const CL_IMPORT_TYPE_DMA_BUF_ARM: cl_import_properties_arm = 16564;
pub const CL_IMPORT_TYPE_HOST_ARM: cl_import_properties_arm = 16563;
pub const CL_IMPORT_TYPE_PROTECTED_ARM: cl_import_properties_arm = 16565;
pub const CL_INCOMPATIBLE_COMMAND_QUEUE_KHR: cl_int = -1140;
pub const CL_INTEL_ACCELERATOR_EXTENSION_NAME: &[u8; 21] = b"cl_intel_accelerator\0";
pub const CL_INTEL_ADVANCED_MOTION_ESTIMATION_EXTENSION_NAME: &[u8; 36] = b"cl_intel_advanced_motion_estimation\0";
pub const CL_INTEL_COMMAND_QUEUE_FAMILIES_EXTENSION_NAME: &[u8; 32] = b"cl_intel_command_queue_families\0";
pub const CL_INTEL_CREATE_BUFFER_WITH_PROPERTIES_EXTENSION_NAME: &[u8; 39] = b"cl_intel_create_buffer_with_properties\0";
pub const CL_INTEL_CREATE_MEM_OBJECT_PROPERTIES_EXTENSION_NAME: &[u8; 38] = b"cl_intel_create_mem_object_properties\0";
pub const CL_INTEL_DEVICE_ATTRIBUTE_QUERY_EXTENSION_NAME: &[u8; 32] = b"cl_intel_device_attribute_query\0";
pub const CL_INTEL_DEVICE_PARTITION_BY_NAMES_EXTENSION_NAME: &[u8; 35] = b"cl_intel_device_partition_by_names\0";
pub const CL_INTEL_DEVICE_SIDE_AVC_MOTION_ESTIMATION_EXTENSION_NAME: &[u8; 43] = b"cl_intel_device_side_avc_motion_estimation\0";
pub const CL_INTEL_DRIVER_DIAGNOSTICS_EXTENSION_NAME: &[u8; 28] = b"cl_intel_driver_diagnostics\0";
pub const CL_INTEL_EGL_IMAGE_YUV_EXTENSION_NAME: &[u8; 23] = b"cl_intel_egl_image_yuv\0";
pub const CL_INTEL_EXEC_BY_LOCAL_THREAD_EXTENSION_NAME: &[u8; 30] = b"cl_intel_exec_by_local_thread\0";
pub const CL_INTEL_MEM_ALLOC_BUFFER_LOCATION_EXTENSION_NAME: &[u8; 35] = b"cl_intel_mem_alloc_buffer_location\0";
pub const CL_INTEL_MEM_CHANNEL_PROPERTY_EXTENSION_NAME: &[u8; 30] = b"cl_intel_mem_channel_property\0";
pub const CL_INTEL_MEM_FORCE_HOST_MEMORY_EXTENSION_NAME: &[u8; 31] = b"cl_intel_mem_force_host_memory\0";
pub const CL_INTEL_MOTION_ESTIMATION_EXTENSION_NAME: &[u8; 27] = b"cl_intel_motion_estimation\0";
pub const CL_INTEL_PACKED_YUV_EXTENSION_NAME: &[u8; 20] = b"cl_intel_packed_yuv\0";
pub const CL_INTEL_PLANAR_YUV_EXTENSION_NAME: &[u8; 20] = b"cl_intel_planar_yuv\0";
pub const CL_INTEL_PROGRAM_SCOPE_HOST_PIPE_EXTENSION_NAME: &[u8; 33] = b"cl_intel_program_scope_host_pipe\0";
pub const CL_INTEL_QUEUE_NO_SYNC_OPERATIONS_EXTENSION_NAME: &[u8; 34] = b"cl_intel_queue_no_sync_operations\0";
pub const CL_INTEL_REQUIRED_SUBGROUP_SIZE_EXTENSION_NAME: &[u8; 32] = b"cl_intel_required_subgroup_size\0";
pub const CL_INTEL_SHARING_FORMAT_QUERY_EXTENSION_NAME: &[u8; 30] = b"cl_intel_sharing_format_query\0";
pub const CL_INTEL_SHARING_FORMAT_QUERY_GL_EXTENSION_NAME: &[u8; 33] = b"cl_intel_sharing_format_query_gl\0";
pub const CL_INTEL_SIMULTANEOUS_SHARING_EXTENSION_NAME: &[u8; 30] = b"cl_intel_simultaneous_sharing\0";
pub const CL_INTEL_UNIFIED_SHARED_MEMORY_EXTENSION_NAME: &[u8; 31] = b"cl_intel_unified_shared_memory\0";
pub const CL_INTENSITY: cl_channel_order = 4280;
pub const CL_INT_MAX: u32 = 2147483647;
pub const CL_INT_MIN: i32 = -2147483648;
pub const CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL: cl_int = -1096;
pub const CL_INVALID_ACCELERATOR_INTEL: cl_int = -1094;
pub const CL_INVALID_ACCELERATOR_TYPE_INTEL: cl_int = -1095;
pub const CL_INVALID_ARG_INDEX: cl_int = -49;
pub const CL_INVALID_ARG_SIZE: cl_int = -51;
pub const CL_INVALID_ARG_VALUE: cl_int = -50;
pub const CL_INVALID_BINARY: cl_int = -42;
pub const CL_INVALID_BUFFER_SIZE: cl_int = -61;
pub const CL_INVALID_BUILD_OPTIONS: cl_int = -43;
pub const CL_INVALID_COMMAND_BUFFER_KHR: cl_int = -1138;
pub const CL_INVALID_COMMAND_QUEUE: cl_int = -36;
pub const CL_INVALID_COMPILER_OPTIONS: cl_int = -66;
pub const CL_INVALID_CONTEXT: cl_int = -34;
pub const CL_INVALID_DEVICE: cl_int = -33;
pub const CL_INVALID_DEVICE_PARTITION_COUNT: cl_int = -68;
pub const CL_INVALID_DEVICE_QUEUE: cl_int = -70;
pub const CL_INVALID_DEVICE_TYPE: cl_int = -31;
pub const CL_INVALID_EGL_OBJECT_KHR: i32 = -1093;
pub const CL_INVALID_EVENT: cl_int = -58;
pub const CL_INVALID_EVENT_WAIT_LIST: cl_int = -57;
pub const CL_INVALID_GLOBAL_OFFSET: cl_int = -56;
pub const CL_INVALID_GLOBAL_WORK_SIZE: cl_int = -63;
pub const CL_INVALID_GL_OBJECT: cl_int = -60;
pub const CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR: i32 = -1000;
pub const CL_INVALID_GRALLOC_OBJECT_IMG: cl_int = 16597;
pub const CL_INVALID_HOST_PTR: cl_int = -37;
pub const CL_INVALID_IMAGE_DESCRIPTOR: cl_int = -65;
pub const CL_INVALID_IMAGE_FORMAT_DESCRIPTOR: cl_int = -39;
pub const CL_INVALID_IMAGE_SIZE: cl_int = -40;
pub const CL_INVALID_KERNEL: cl_int = -48;
pub const CL_INVALID_KERNEL_ARGS: cl_int = -52;
pub const CL_INVALID_KERNEL_DEFINITION: cl_int = -47;
pub const CL_INVALID_KERNEL_NAME: cl_int = -46;
pub const CL_INVALID_LINKER_OPTIONS: cl_int = -67;
pub const CL_INVALID_MEM_OBJECT: cl_int = -38;
pub const CL_INVALID_MIP_LEVEL: cl_int = -62;
pub const CL_INVALID_MUTABLE_COMMAND_KHR: cl_int = -1141;
pub const CL_INVALID_OPERATION: cl_int = -59;
pub const CL_INVALID_PARTITION_COUNT_EXT: cl_int = -1058;
pub const CL_INVALID_PARTITION_NAME_EXT: cl_int = -1059;
pub const CL_INVALID_PIPE_SIZE: cl_int = -69;
pub const CL_INVALID_PLATFORM: cl_int = -32;
pub const CL_INVALID_PROGRAM: cl_int = -44;
pub const CL_INVALID_PROGRAM_EXECUTABLE: cl_int = -45;
pub const CL_INVALID_PROPERTY: cl_int = -64;
pub const CL_INVALID_QUEUE_PROPERTIES: cl_int = -35;
pub const CL_INVALID_SAMPLER: cl_int = -41;
pub const CL_INVALID_SEMAPHORE_KHR: cl_int = -1142;
pub const CL_INVALID_SPEC_ID: cl_int = -71;
pub const CL_INVALID_SYNC_POINT_WAIT_LIST_KHR: cl_int = -1139;
pub const CL_INVALID_VALUE: cl_int = -30;
pub const CL_INVALID_WORK_DIMENSION: cl_int = -53;
pub const CL_INVALID_WORK_GROUP_SIZE: cl_int = -54;
pub const CL_INVALID_WORK_ITEM_SIZE: cl_int = -55;
pub const CL_KERNEL_ARG_ACCESS_NONE: cl_kernel_arg_access_qualifier = 4515;
pub const CL_KERNEL_ARG_ACCESS_QUALIFIER: cl_kernel_arg_info = 4503;
pub const CL_KERNEL_ARG_ACCESS_READ_ONLY: cl_kernel_arg_access_qualifier = 4512;
pub const CL_KERNEL_ARG_ACCESS_READ_WRITE: cl_kernel_arg_access_qualifier = 4514;
pub const CL_KERNEL_ARG_ACCESS_WRITE_ONLY: cl_kernel_arg_access_qualifier = 4513;
pub const CL_KERNEL_ARG_ADDRESS_CONSTANT: cl_kernel_arg_address_qualifier = 4509;
pub const CL_KERNEL_ARG_ADDRESS_GLOBAL: cl_kernel_arg_address_qualifier = 4507;
pub const CL_KERNEL_ARG_ADDRESS_LOCAL: cl_kernel_arg_address_qualifier = 4508;
pub const CL_KERNEL_ARG_ADDRESS_PRIVATE: cl_kernel_arg_address_qualifier = 4510;
pub const CL_KERNEL_ARG_ADDRESS_QUALIFIER: cl_kernel_arg_info = 4502;
pub const CL_KERNEL_ARG_INFO_NOT_AVAILABLE: cl_int = -19;
pub const CL_KERNEL_ARG_NAME: cl_kernel_arg_info = 4506;
pub const CL_KERNEL_ARG_TYPE_CONST: cl_kernel_arg_type_qualifier = 1;
pub const CL_KERNEL_ARG_TYPE_NAME: cl_kernel_arg_info = 4504;
pub const CL_KERNEL_ARG_TYPE_NONE: cl_kernel_arg_type_qualifier = 0;
pub const CL_KERNEL_ARG_TYPE_PIPE: cl_kernel_arg_type_qualifier = 8;
pub const CL_KERNEL_ARG_TYPE_QUALIFIER: cl_kernel_arg_info = 4505;
pub const CL_KERNEL_ARG_TYPE_RESTRICT: cl_kernel_arg_type_qualifier = 2;
pub const CL_KERNEL_ARG_TYPE_VOLATILE: cl_kernel_arg_type_qualifier = 4;
pub const CL_KERNEL_ATTRIBUTES: cl_kernel_info = 4501;
pub const CL_KERNEL_COMPILE_NUM_SUB_GROUPS: cl_kernel_sub_group_info = 4538;
pub const CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: cl_kernel_sub_group_info = 16650;
pub const CL_KERNEL_COMPILE_WORK_GROUP_SIZE: cl_kernel_work_group_info = 4529;
pub const CL_KERNEL_CONTEXT: cl_kernel_info = 4499;
pub const CL_KERNEL_EXEC_INFO_COMPUTE_UNIT_MAX_QUEUED_BATCHES_ARM: cl_kernel_exec_info = 16881;
pub const CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT: cl_kernel_exec_info = 20482;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL: cl_kernel_exec_info = 16897;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL: cl_kernel_exec_info = 16896;
pub const CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL: cl_kernel_exec_info = 16898;
pub const CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: cl_kernel_exec_info = 4535;
pub const CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM_ARM: cl_kernel_exec_info_arm = 16569;
pub const CL_KERNEL_EXEC_INFO_SVM_PTRS: cl_kernel_exec_info = 4534;
pub const CL_KERNEL_EXEC_INFO_SVM_PTRS_ARM: cl_kernel_exec_info_arm = 16568;
pub const CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL: cl_kernel_exec_info = 16899;
pub const CL_KERNEL_EXEC_INFO_WARP_COUNT_LIMIT_ARM: cl_kernel_exec_info = 16872;
pub const CL_KERNEL_EXEC_INFO_WORKGROUP_BATCH_SIZE_ARM: cl_kernel_exec_info = 16869;
pub const CL_KERNEL_EXEC_INFO_WORKGROUP_BATCH_SIZE_MODIFIER_ARM: cl_kernel_exec_info = 16870;
pub const CL_KERNEL_FUNCTION_NAME: cl_kernel_info = 4496;
pub const CL_KERNEL_GLOBAL_WORK_SIZE: cl_kernel_work_group_info = 4533;
pub const CL_KERNEL_LOCAL_MEM_SIZE: cl_kernel_work_group_info = 4530;
pub const CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: cl_kernel_sub_group_info = 4536;
pub const CL_KERNEL_MAX_NUM_SUB_GROUPS: cl_kernel_sub_group_info = 4537;
pub const CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: cl_kernel_sub_group_info = 8243;
pub const CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR: cl_kernel_sub_group_info = 8243;
pub const CL_KERNEL_MAX_WARP_COUNT_ARM: cl_kernel_info = 16873;
pub const CL_KERNEL_NUM_ARGS: cl_kernel_info = 4497;
pub const CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: cl_kernel_work_group_info = 4531;
pub const CL_KERNEL_PRIVATE_MEM_SIZE: cl_kernel_work_group_info = 4532;
pub const CL_KERNEL_PROGRAM: cl_kernel_info = 4500;
pub const CL_KERNEL_REFERENCE_COUNT: cl_kernel_info = 4498;
pub const CL_KERNEL_SPILL_MEM_SIZE_INTEL: cl_kernel_work_group_info = 16649;
pub const CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: cl_kernel_sub_group_info = 8244;
pub const CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR: cl_kernel_sub_group_info = 8244;
pub const CL_KERNEL_WORK_GROUP_SIZE: cl_kernel_work_group_info = 4528;
pub const CL_KHRONOS_VENDOR_ID_CODEPLAY: cl_khronos_vendor_id = 65540;
pub const CL_KHR_3D_IMAGE_WRITES_EXTENSION_NAME: &[u8; 23] = b"cl_khr_3d_image_writes\0";
pub const CL_KHR_ASYNC_WORK_GROUP_COPY_FENCE_EXTENSION_NAME: &[u8; 35] = b"cl_khr_async_work_group_copy_fence\0";
pub const CL_KHR_BYTE_ADDRESSABLE_STORE_EXTENSION_NAME: &[u8; 30] = b"cl_khr_byte_addressable_store\0";
pub const CL_KHR_COMMAND_BUFFER_EXTENSION_NAME: &[u8; 22] = b"cl_khr_command_buffer\0";
pub const CL_KHR_COMMAND_BUFFER_MULTI_DEVICE_EXTENSION_NAME: &[u8; 35] = b"cl_khr_command_buffer_multi_device\0";
pub const CL_KHR_COMMAND_BUFFER_MUTABLE_DISPATCH_EXTENSION_NAME: &[u8; 39] = b"cl_khr_command_buffer_mutable_dispatch\0";
pub const CL_KHR_CREATE_COMMAND_QUEUE_EXTENSION_NAME: &[u8; 28] = b"cl_khr_create_command_queue\0";
pub const CL_KHR_DEPTH_IMAGES_EXTENSION_NAME: &[u8; 20] = b"cl_khr_depth_images\0";
pub const CL_KHR_DEVICE_ENQUEUE_LOCAL_ARG_TYPES_EXTENSION_NAME: &[u8; 38] = b"cl_khr_device_enqueue_local_arg_types\0";
pub const CL_KHR_DEVICE_UUID_EXTENSION_NAME: &[u8; 19] = b"cl_khr_device_uuid\0";
pub const CL_KHR_EGL_EVENT_EXTENSION_NAME: &[u8; 17] = b"cl_khr_egl_event\0";
pub const CL_KHR_EGL_IMAGE_EXTENSION_NAME: &[u8; 17] = b"cl_khr_egl_image\0";
pub const CL_KHR_EXPECT_ASSUME_EXTENSION_NAME: &[u8; 21] = b"cl_khr_expect_assume\0";
pub const CL_KHR_EXTENDED_ASYNC_COPIES_EXTENSION_NAME: &[u8; 29] = b"cl_khr_extended_async_copies\0";
pub const CL_KHR_EXTENDED_BIT_OPS_EXTENSION_NAME: &[u8; 24] = b"cl_khr_extended_bit_ops\0";
pub const CL_KHR_EXTENDED_VERSIONING_EXTENSION_NAME: &[u8; 27] = b"cl_khr_extended_versioning\0";
pub const CL_KHR_EXTERNAL_MEMORY_ANDROID_HARDWARE_BUFFER_EXTENSION_NAME: &[u8; 47] = b"cl_khr_external_memory_android_hardware_buffer\0";
pub const CL_KHR_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME: &[u8; 31] = b"cl_khr_external_memory_dma_buf\0";
pub const CL_KHR_EXTERNAL_MEMORY_EXTENSION_NAME: &[u8; 23] = b"cl_khr_external_memory\0";
pub const CL_KHR_EXTERNAL_MEMORY_OPAQUE_FD_EXTENSION_NAME: &[u8; 33] = b"cl_khr_external_memory_opaque_fd\0";
pub const CL_KHR_EXTERNAL_MEMORY_WIN32_EXTENSION_NAME: &[u8; 29] = b"cl_khr_external_memory_win32\0";
pub const CL_KHR_EXTERNAL_SEMAPHORE_DX_FENCE_EXTENSION_NAME: &[u8; 35] = b"cl_khr_external_semaphore_dx_fence\0";
pub const CL_KHR_EXTERNAL_SEMAPHORE_EXTENSION_NAME: &[u8; 26] = b"cl_khr_external_semaphore\0";
pub const CL_KHR_EXTERNAL_SEMAPHORE_OPAQUE_FD_EXTENSION_NAME: &[u8; 36] = b"cl_khr_external_semaphore_opaque_fd\0";
pub const CL_KHR_EXTERNAL_SEMAPHORE_SYNC_FD_EXTENSION_NAME: &[u8; 34] = b"cl_khr_external_semaphore_sync_fd\0";
pub const CL_KHR_EXTERNAL_SEMAPHORE_WIN32_EXTENSION_NAME: &[u8; 32] = b"cl_khr_external_semaphore_win32\0";
pub const CL_KHR_FP16_EXTENSION_NAME: &[u8; 12] = b"cl_khr_fp16\0";
pub const CL_KHR_FP64_EXTENSION_NAME: &[u8; 12] = b"cl_khr_fp64\0";
pub const CL_KHR_GLOBAL_INT32_BASE_ATOMICS_EXTENSION_NAME: &[u8; 33] = b"cl_khr_global_int32_base_atomics\0";
pub const CL_KHR_GLOBAL_INT32_EXTENDED_ATOMICS_EXTENSION_NAME: &[u8; 37] = b"cl_khr_global_int32_extended_atomics\0";
pub const CL_KHR_GL_DEPTH_IMAGES_EXTENSION_NAME: &[u8; 23] = b"cl_khr_gl_depth_images\0";
pub const CL_KHR_GL_EVENT_EXTENSION_NAME: &[u8; 16] = b"cl_khr_gl_event\0";
pub const CL_KHR_GL_MSAA_SHARING_EXTENSION_NAME: &[u8; 23] = b"cl_khr_gl_msaa_sharing\0";
pub const CL_KHR_GL_SHARING_EXTENSION_NAME: &[u8; 18] = b"cl_khr_gl_sharing\0";
pub const CL_KHR_ICD_EXTENSION_NAME: &[u8; 11] = b"cl_khr_icd\0";
pub const CL_KHR_IL_PROGRAM_EXTENSION_NAME: &[u8; 18] = b"cl_khr_il_program\0";
pub const CL_KHR_IMAGE2D_FROM_BUFFER_EXTENSION_NAME: &[u8; 27] = b"cl_khr_image2d_from_buffer\0";
pub const CL_KHR_INITIALIZE_MEMORY_EXTENSION_NAME: &[u8; 25] = b"cl_khr_initialize_memory\0";
pub const CL_KHR_INT64_BASE_ATOMICS_EXTENSION_NAME: &[u8; 26] = b"cl_khr_int64_base_atomics\0";
pub const CL_KHR_INT64_EXTENDED_ATOMICS_EXTENSION_NAME: &[u8; 30] = b"cl_khr_int64_extended_atomics\0";
pub const CL_KHR_INTEGER_DOT_PRODUCT_EXTENSION_NAME: &[u8; 27] = b"cl_khr_integer_dot_product\0";
pub const CL_KHR_KERNEL_CLOCK_EXTENSION_NAME: &[u8; 20] = b"cl_khr_kernel_clock\0";
pub const CL_KHR_LOCAL_INT32_BASE_ATOMICS_EXTENSION_NAME: &[u8; 32] = b"cl_khr_local_int32_base_atomics\0";
pub const CL_KHR_LOCAL_INT32_EXTENDED_ATOMICS_EXTENSION_NAME: &[u8; 36] = b"cl_khr_local_int32_extended_atomics\0";
pub const CL_KHR_MIPMAP_IMAGE_EXTENSION_NAME: &[u8; 20] = b"cl_khr_mipmap_image\0";
pub const CL_KHR_MIPMAP_IMAGE_WRITES_EXTENSION_NAME: &[u8; 27] = b"cl_khr_mipmap_image_writes\0";
pub const CL_KHR_PCI_BUS_INFO_EXTENSION_NAME: &[u8; 20] = b"cl_khr_pci_bus_info\0";
pub const CL_KHR_PRIORITY_HINTS_EXTENSION_NAME: &[u8; 22] = b"cl_khr_priority_hints\0";
pub const CL_KHR_SELECT_FPROUNDING_MODE_EXTENSION_NAME: &[u8; 30] = b"cl_khr_select_fprounding_mode\0";
pub const CL_KHR_SEMAPHORE_EXTENSION_NAME: &[u8; 17] = b"cl_khr_semaphore\0";
pub const CL_KHR_SPIRV_EXTENDED_DEBUG_INFO_EXTENSION_NAME: &[u8; 33] = b"cl_khr_spirv_extended_debug_info\0";
pub const CL_KHR_SPIRV_LINKONCE_ODR_EXTENSION_NAME: &[u8; 26] = b"cl_khr_spirv_linkonce_odr\0";
pub const CL_KHR_SPIRV_NO_INTEGER_WRAP_DECORATION_EXTENSION_NAME: &[u8; 40] = b"cl_khr_spirv_no_integer_wrap_decoration\0";
pub const CL_KHR_SPIRV_QUERIES_EXTENSION_NAME: &[u8; 21] = b"cl_khr_spirv_queries\0";
pub const CL_KHR_SPIR_EXTENSION_NAME: &[u8; 12] = b"cl_khr_spir\0";
pub const CL_KHR_SRGB_IMAGE_WRITES_EXTENSION_NAME: &[u8; 25] = b"cl_khr_srgb_image_writes\0";
pub const CL_KHR_SUBGROUPS_EXTENSION_NAME: &[u8; 17] = b"cl_khr_subgroups\0";
pub const CL_KHR_SUBGROUP_BALLOT_EXTENSION_NAME: &[u8; 23] = b"cl_khr_subgroup_ballot\0";
pub const CL_KHR_SUBGROUP_CLUSTERED_REDUCE_EXTENSION_NAME: &[u8; 33] = b"cl_khr_subgroup_clustered_reduce\0";
pub const CL_KHR_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME: &[u8; 31] = b"cl_khr_subgroup_extended_types\0";
pub const CL_KHR_SUBGROUP_NAMED_BARRIER_EXTENSION_NAME: &[u8; 30] = b"cl_khr_subgroup_named_barrier\0";
pub const CL_KHR_SUBGROUP_NON_UNIFORM_ARITHMETIC_EXTENSION_NAME: &[u8; 39] = b"cl_khr_subgroup_non_uniform_arithmetic\0";
pub const CL_KHR_SUBGROUP_NON_UNIFORM_VOTE_EXTENSION_NAME: &[u8; 33] = b"cl_khr_subgroup_non_uniform_vote\0";
pub const CL_KHR_SUBGROUP_ROTATE_EXTENSION_NAME: &[u8; 23] = b"cl_khr_subgroup_rotate\0";
pub const CL_KHR_SUBGROUP_SHUFFLE_EXTENSION_NAME: &[u8; 24] = b"cl_khr_subgroup_shuffle\0";
pub const CL_KHR_SUBGROUP_SHUFFLE_RELATIVE_EXTENSION_NAME: &[u8; 33] = b"cl_khr_subgroup_shuffle_relative\0";
pub const CL_KHR_SUGGESTED_LOCAL_WORK_SIZE_EXTENSION_NAME: &[u8; 33] = b"cl_khr_suggested_local_work_size\0";
pub const CL_KHR_TERMINATE_CONTEXT_EXTENSION_NAME: &[u8; 25] = b"cl_khr_terminate_context\0";
pub const CL_KHR_THROTTLE_HINTS_EXTENSION_NAME: &[u8; 22] = b"cl_khr_throttle_hints\0";
pub const CL_KHR_WORK_GROUP_UNIFORM_ARITHMETIC_EXTENSION_NAME: &[u8; 37] = b"cl_khr_work_group_uniform_arithmetic\0";
pub const CL_LINKER_NOT_AVAILABLE: cl_int = -16;
pub const CL_LINK_PROGRAM_FAILURE: cl_int = -17;
pub const CL_LOADER_INFO_EXTENSION_NAME: &[u8; 15] = b"cl_loader_info\0";
pub const CL_LOCAL: cl_device_local_mem_type = 1;
pub const CL_LUID_SIZE_KHR: u32 = 8;
pub const CL_LUMINANCE: cl_channel_order = 4281;
pub const CL_MAP_FAILURE: cl_int = -12;
pub const CL_MAP_READ: cl_map_flags = 1;
pub const CL_MAP_WRITE: cl_map_flags = 2;
pub const CL_MAP_WRITE_INVALIDATE_REGION: cl_map_flags = 4;
pub const CL_MAXFLOAT: f64 = 340282346638528860000000000000000000000.0;
pub const CL_MAX_SIZE_RESTRICTION_EXCEEDED: cl_int = -72;
pub const CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL: cl_mem_flags = 33554432;
pub const CL_MEM_ALLOC_BASE_PTR_INTEL: u32 = 16795;
pub const CL_MEM_ALLOC_BUFFER_LOCATION_INTEL: cl_mem_properties_intel = 16798;
pub const CL_MEM_ALLOC_CPU_LOCAL_IMG: u32 = 8;
pub const CL_MEM_ALLOC_DEVICE_INTEL: u32 = 16797;
pub const CL_MEM_ALLOC_FLAGS_IMG: cl_mem_properties = 16599;
pub const CL_MEM_ALLOC_FLAGS_INTEL: cl_mem_properties_intel = 16789;
pub const CL_MEM_ALLOC_GPU_CACHED_IMG: u32 = 4;
pub const CL_MEM_ALLOC_GPU_LOCAL_IMG: u32 = 16;
pub const CL_MEM_ALLOC_GPU_PRIVATE_IMG: u32 = 32;
pub const CL_MEM_ALLOC_GPU_WRITE_COMBINE_IMG: u32 = 2;
pub const CL_MEM_ALLOC_HOST_PTR: cl_mem_flags = 16;
pub const CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL: cl_mem_alloc_flags_intel = 2;
pub const CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL: cl_mem_alloc_flags_intel = 4;
pub const CL_MEM_ALLOC_RELAX_REQUIREMENTS_IMG: u32 = 1;
pub const CL_MEM_ALLOC_SIZE_INTEL: u32 = 16796;
pub const CL_MEM_ALLOC_TYPE_INTEL: u32 = 16794;
pub const CL_MEM_ALLOC_WRITE_COMBINED_INTEL: cl_mem_alloc_flags_intel = 1;
pub const CL_MEM_ANDROID_NATIVE_BUFFER_HOST_PTR_QCOM: cl_uint = 16582;
pub const CL_MEM_ASSOCIATED_MEMOBJECT: cl_mem_info = 4359;
pub const CL_MEM_CHANNEL_INTEL: cl_mem_properties_intel = 16915;
pub const CL_MEM_CONTEXT: cl_mem_info = 4358;
pub const CL_MEM_COPY_HOST_PTR: cl_mem_flags = 32;
pub const CL_MEM_COPY_OVERLAP: cl_int = -8;
pub const CL_MEM_DEVICE_ADDRESS_EXT: cl_mem_info = 20481;
pub const CL_MEM_DEVICE_HANDLE_LIST_END_KHR: cl_mem_properties = 0;
pub const CL_MEM_DEVICE_HANDLE_LIST_KHR: cl_mem_properties = 8273;
pub const CL_MEM_DEVICE_ID_INTEL: cl_mem_properties = 16921;
pub const CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: cl_mem_properties = 20480;
pub const CL_MEM_EXT_HOST_PTR_QCOM: cl_mem_flags = 536870912;
pub const CL_MEM_FLAGS: cl_mem_info = 4353;
pub const CL_MEM_FORCE_HOST_MEMORY_INTEL: cl_mem_flags = 1048576;
pub const CL_MEM_HOST_IOCOHERENT_QCOM: cl_uint = 16553;
pub const CL_MEM_HOST_NO_ACCESS: u32 = 512;
pub const CL_MEM_HOST_PTR: cl_mem_info = 4355;
pub const CL_MEM_HOST_READ_ONLY: u32 = 256;
pub const CL_MEM_HOST_UNCACHED_QCOM: cl_uint = 16548;
pub const CL_MEM_HOST_WRITEBACK_QCOM: cl_uint = 16549;
pub const CL_MEM_HOST_WRITETHROUGH_QCOM: cl_uint = 16550;
pub const CL_MEM_HOST_WRITE_COMBINING_QCOM: cl_uint = 16551;
pub const CL_MEM_HOST_WRITE_ONLY: u32 = 128;
pub const CL_MEM_IMMUTABLE_EXT: cl_mem_flags = 64;
pub const CL_MEM_ION_HOST_PTR_QCOM: cl_uint = 16552;
pub const CL_MEM_KERNEL_READ_AND_WRITE: u32 = 4096;
pub const CL_MEM_LOCALLY_UNCACHED_RESOURCE_INTEL: cl_mem_properties = 16920;
pub const CL_MEM_MAP_COUNT: cl_mem_info = 4356;
pub const CL_MEM_NO_ACCESS_INTEL: cl_mem_flags = 16777216;
pub const CL_MEM_OBJECT_ALLOCATION_FAILURE: cl_int = -4;
pub const CL_MEM_OBJECT_BUFFER: cl_mem_object_type = 4336;
pub const CL_MEM_OBJECT_IMAGE1D: cl_mem_object_type = 4340;
pub const CL_MEM_OBJECT_IMAGE1D_ARRAY: cl_mem_object_type = 4341;
pub const CL_MEM_OBJECT_IMAGE1D_BUFFER: cl_mem_object_type = 4342;
pub const CL_MEM_OBJECT_IMAGE2D: cl_mem_object_type = 4337;
pub const CL_MEM_OBJECT_IMAGE2D_ARRAY: cl_mem_object_type = 4339;
pub const CL_MEM_OBJECT_IMAGE3D: cl_mem_object_type = 4338;
pub const CL_MEM_OBJECT_PIPE: cl_mem_object_type = 4343;
pub const CL_MEM_OFFSET: cl_mem_info = 4360;
pub const CL_MEM_PROPERTIES: cl_mem_info = 4362;
pub const CL_MEM_READ_ONLY: cl_mem_flags = 4;
pub const CL_MEM_READ_WRITE: cl_mem_flags = 1;
pub const CL_MEM_REFERENCE_COUNT: cl_mem_info = 4357;
pub const CL_MEM_SIZE: cl_mem_info = 4354;
pub const CL_MEM_SVM_ATOMICS: u32 = 2048;
pub const CL_MEM_SVM_ATOMICS_ARM: cl_svm_mem_flags_arm = 2048;
pub const CL_MEM_SVM_FINE_GRAIN_BUFFER: u32 = 1024;
pub const CL_MEM_SVM_FINE_GRAIN_BUFFER_ARM: cl_svm_mem_flags_arm = 1024;
pub const CL_MEM_TYPE: cl_mem_info = 4352;
pub const CL_MEM_TYPE_DEVICE_INTEL: cl_unified_shared_memory_type_intel = 16792;
pub const CL_MEM_TYPE_HOST_INTEL: cl_unified_shared_memory_type_intel = 16791;
pub const CL_MEM_TYPE_SHARED_INTEL: cl_unified_shared_memory_type_intel = 16793;
pub const CL_MEM_TYPE_UNKNOWN_INTEL: cl_unified_shared_memory_type_intel = 16790;
pub const CL_MEM_USES_SVM_POINTER: cl_mem_info = 4361;
pub const CL_MEM_USES_SVM_POINTER_ARM: cl_mem_info = 16567;
pub const CL_MEM_USE_CACHED_CPU_MEMORY_IMG: cl_mem_flags = 134217728;
pub const CL_MEM_USE_GRALLOC_PTR_IMG: cl_mem_flags = 268435456;
pub const CL_MEM_USE_HOST_PTR: cl_mem_flags = 8;
pub const CL_MEM_USE_PERSISTENT_MEM_AMD: u32 = 64;
pub const CL_MEM_USE_UNCACHED_CPU_MEMORY_IMG: cl_mem_flags = 67108864;
pub const CL_MEM_WRITE_ONLY: cl_mem_flags = 2;
pub const CL_ME_BACKWARD_INPUT_MODE_INTEL: cl_device_info = 2;
pub const CL_ME_BIDIRECTION_INPUT_MODE_INTEL: cl_device_info = 3;
pub const CL_ME_BIDIR_WEIGHT_HALF_INTEL: cl_device_info = 32;
pub const CL_ME_BIDIR_WEIGHT_QUARTER_INTEL: cl_device_info = 16;
pub const CL_ME_BIDIR_WEIGHT_THIRD_INTEL: cl_device_info = 21;
pub const CL_ME_BIDIR_WEIGHT_THREE_QUARTER_INTEL: cl_device_info = 48;
pub const CL_ME_BIDIR_WEIGHT_TWO_THIRD_INTEL: cl_device_info = 43;
pub const CL_ME_CHROMA_INTRA_PREDICT_ENABLED_INTEL: cl_device_info = 1;
pub const CL_ME_CHROMA_PREDICTOR_MODE_DC_INTEL: cl_device_info = 0;
pub const CL_ME_CHROMA_PREDICTOR_MODE_HORIZONTAL_INTEL: cl_device_info = 1;
pub const CL_ME_CHROMA_PREDICTOR_MODE_PLANE_INTEL: cl_device_info = 3;
pub const CL_ME_CHROMA_PREDICTOR_MODE_VERTICAL_INTEL: cl_device_info = 2;
pub const CL_ME_COST_PENALTY_HIGH_INTEL: cl_device_info = 3;
pub const CL_ME_COST_PENALTY_LOW_INTEL: cl_device_info = 1;
pub const CL_ME_COST_PENALTY_NONE_INTEL: cl_device_info = 0;
pub const CL_ME_COST_PENALTY_NORMAL_INTEL: cl_device_info = 2;
pub const CL_ME_COST_PRECISION_DPEL_INTEL: cl_device_info = 3;
pub const CL_ME_COST_PRECISION_HPEL_INTEL: cl_device_info = 1;
pub const CL_ME_COST_PRECISION_PEL_INTEL: cl_device_info = 2;
pub const CL_ME_COST_PRECISION_QPEL_INTEL: cl_device_info = 0;
pub const CL_ME_FORWARD_INPUT_MODE_INTEL: cl_device_info = 1;
pub const CL_ME_LUMA_INTRA_PREDICT_ENABLED_INTEL: cl_device_info = 2;
pub const CL_ME_LUMA_PREDICTOR_MODE_DC_INTEL: cl_device_info = 2;
pub const CL_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_LEFT_INTEL: cl_device_info = 3;
pub const CL_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_RIGHT_INTEL: cl_device_info = 4;
pub const CL_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_DOWN_INTEL: cl_device_info = 6;
pub const CL_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_INTEL: cl_device_info = 1;
pub const CL_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_UP_INTEL: cl_device_info = 8;
pub const CL_ME_LUMA_PREDICTOR_MODE_PLANE_INTEL: cl_device_info = 4;
pub const CL_ME_LUMA_PREDICTOR_MODE_VERTICAL_INTEL: cl_device_info = 0;
pub const CL_ME_LUMA_PREDICTOR_MODE_VERTICAL_LEFT_INTEL: cl_device_info = 7;
pub const CL_ME_LUMA_PREDICTOR_MODE_VERTICAL_RIGHT_INTEL: cl_device_info = 5;
pub const CL_ME_MB_TYPE_16x16_INTEL: cl_uint = 0;
pub const CL_ME_MB_TYPE_4x4_INTEL: cl_uint = 2;
pub const CL_ME_MB_TYPE_8x8_INTEL: cl_uint = 1;
pub const CL_ME_SAD_ADJUST_MODE_HAAR_INTEL: cl_uint = 1;
pub const CL_ME_SAD_ADJUST_MODE_NONE_INTEL: cl_uint = 0;
pub const CL_ME_SEARCH_PATH_RADIUS_16_12_INTEL: cl_uint = 5;
pub const CL_ME_SEARCH_PATH_RADIUS_2_2_INTEL: cl_uint = 0;
pub const CL_ME_SEARCH_PATH_RADIUS_4_4_INTEL: cl_uint = 1;
pub const CL_ME_SKIP_BLOCK_TYPE_16x16_INTEL: cl_device_info = 0;
pub const CL_ME_SKIP_BLOCK_TYPE_8x8_INTEL: cl_device_info = 4;
pub const CL_ME_SUBPIXEL_MODE_HPEL_INTEL: cl_uint = 1;
pub const CL_ME_SUBPIXEL_MODE_INTEGER_INTEL: cl_uint = 0;
pub const CL_ME_SUBPIXEL_MODE_QPEL_INTEL: cl_uint = 2;
pub const CL_ME_VERSION_ADVANCED_VER_1_INTEL: cl_device_info = 1;
pub const CL_ME_VERSION_ADVANCED_VER_2_INTEL: cl_device_info = 2;
pub const CL_ME_VERSION_LEGACY_INTEL: cl_device_info = 0;
pub const CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED: cl_mem_migration_flags = 2;
pub const CL_MIGRATE_MEM_OBJECT_HOST: cl_mem_migration_flags = 1;
pub const CL_MIGRATE_MEM_OBJECT_HOST_EXT: cl_mem_migration_flags_ext = 1;
pub const CL_MIPMAP_FILTER_ANY_IMG: cl_mipmap_filter_mode_img = 0;
pub const CL_MIPMAP_FILTER_BOX_IMG: cl_mipmap_filter_mode_img = 1;
pub const CL_MISALIGNED_SUB_BUFFER_OFFSET: cl_int = -13;
pub const CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: cl_mutable_command_info_khr = 4769;
pub const CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: cl_mutable_command_info_khr = 4768;
pub const CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: cl_mutable_command_info_khr = 4781;
pub const CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR: cl_mutable_command_info_khr = 4770;
pub const CL_MUTABLE_DISPATCH_ARGUMENTS_KHR: cl_mutable_dispatch_fields_khr = 8;
pub const CL_MUTABLE_DISPATCH_ASSERTS_KHR: cl_command_properties_khr = 4792;
pub const CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR: cl_mutable_dispatch_asserts_khr = 1;
pub const CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: cl_mutable_command_info_khr = 4772;
pub const CL_MUTABLE_DISPATCH_EXEC_INFO_KHR: cl_mutable_dispatch_fields_khr = 16;
pub const CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR: cl_mutable_dispatch_fields_khr = 1;
pub const CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR: cl_mutable_dispatch_fields_khr = 2;
pub const CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: cl_mutable_command_info_khr = 4773;
pub const CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: cl_mutable_command_info_khr = 4774;
pub const CL_MUTABLE_DISPATCH_KERNEL_KHR: cl_mutable_command_info_khr = 4771;
pub const CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR: cl_mutable_dispatch_fields_khr = 4;
pub const CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: cl_mutable_command_info_khr = 4775;
pub const CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR: cl_command_properties_khr = 4785;
pub const CL_M_1_PI: f64 = 0.3183098861837907;
pub const CL_M_1_PI_F: f64 = 0.318309886;
pub const CL_M_2_PI: f64 = 0.6366197723675814;
pub const CL_M_2_PI_F: f64 = 0.636619772;
pub const CL_M_2_SQRTPI: f64 = 1.1283791670955126;
pub const CL_M_2_SQRTPI_F: f64 = 1.128379167;
pub const CL_M_E: f64 = 2.718281828459045;
pub const CL_M_E_F: f64 = 2.718281828;
pub const CL_M_LN10: f64 = 2.302585092994046;
pub const CL_M_LN10_F: f64 = 2.302585093;
pub const CL_M_LN2: f64 = 0.6931471805599453;
pub const CL_M_LN2_F: f64 = 0.693147181;
pub const CL_M_LOG10E: f64 = 0.4342944819032518;
pub const CL_M_LOG10E_F: f64 = 0.434294482;
pub const CL_M_LOG2E: f64 = 1.4426950408889634;
pub const CL_M_LOG2E_F: f64 = 1.442695041;
pub const CL_M_PI: f64 = 3.141592653589793;
pub const CL_M_PI_2: f64 = 1.5707963267948966;
pub const CL_M_PI_2_F: f64 = 1.570796327;
pub const CL_M_PI_4: f64 = 0.7853981633974483;
pub const CL_M_PI_4_F: f64 = 0.785398163;
pub const CL_M_PI_F: f64 = 3.141592654;
pub const CL_M_SQRT1_2: f64 = 0.7071067811865476;
pub const CL_M_SQRT1_2_F: f64 = 0.707106781;
pub const CL_M_SQRT2: f64 = 1.4142135623730951;
pub const CL_M_SQRT2_F: f64 = 1.414213562;
pub const CL_NAME_VERSION_MAX_NAME_SIZE: u32 = 64;
pub const CL_NAME_VERSION_MAX_NAME_SIZE_KHR: u32 = 64;
pub const CL_NONE: cl_device_mem_cache_type = 0;
pub const CL_NON_BLOCKING: cl_bool = 0;
pub const CL_NV12_INTEL: cl_channel_order = 16654;
pub const CL_NV21_IMG: cl_channel_order = 16592;
pub const CL_NV_DEVICE_ATTRIBUTE_QUERY_EXTENSION_NAME: &[u8; 29] = b"cl_nv_device_attribute_query\0";
pub const CL_OUT_OF_HOST_MEMORY: cl_int = -6;
pub const CL_OUT_OF_RESOURCES: cl_int = -5;
pub const CL_PARTITION_BY_NAMES_LIST_END_INTEL: i32 = -1;
pub const CL_PERF_HINT_HIGH_QCOM: cl_perf_hint_qcom = 16579;
pub const CL_PERF_HINT_LOW_QCOM: cl_perf_hint_qcom = 16581;
pub const CL_PERF_HINT_NORMAL_QCOM: cl_perf_hint_qcom = 16580;
pub const CL_PIPE_MAX_PACKETS: cl_pipe_info = 4385;
pub const CL_PIPE_PACKET_SIZE: cl_pipe_info = 4384;
pub const CL_PIPE_PROPERTIES: cl_pipe_info = 4386;
pub const CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR: cl_platform_info = 2312;
pub const CL_PLATFORM_EXTENSIONS: cl_platform_info = 2308;
pub const CL_PLATFORM_EXTENSIONS_WITH_VERSION: cl_platform_info = 2311;
pub const CL_PLATFORM_EXTENSIONS_WITH_VERSION_KHR: cl_platform_info = 2311;
pub const CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR: cl_platform_info = 8260;
pub const CL_PLATFORM_HOST_TIMER_RESOLUTION: cl_platform_info = 2309;
pub const CL_PLATFORM_ICD_SUFFIX_KHR: cl_platform_info = 2336;
pub const CL_PLATFORM_NAME: cl_platform_info = 2306;
pub const CL_PLATFORM_NOT_FOUND_KHR: cl_int = -1001;
pub const CL_PLATFORM_NUMERIC_VERSION: cl_platform_info = 2310;
pub const CL_PLATFORM_NUMERIC_VERSION_KHR: cl_platform_info = 2310;
pub const CL_PLATFORM_PROFILE: cl_platform_info = 2304;
pub const CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_platform_info = 8248;
pub const CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR: cl_platform_info = 8247;
pub const CL_PLATFORM_SEMAPHORE_TYPES_KHR: cl_platform_info = 8246;
pub const CL_PLATFORM_VENDOR: cl_platform_info = 2307;
pub const CL_PLATFORM_VERSION: cl_platform_info = 2305;
pub const CL_POCL_CONTENT_SIZE_EXTENSION_NAME: &[u8; 21] = b"cl_pocl_content_size\0";
pub const CL_PRINTF_BUFFERSIZE_ARM: cl_context_properties = 16561;
pub const CL_PRINTF_CALLBACK_ARM: cl_context_properties = 16560;
pub const CL_PROFILING_COMMAND_COMPLETE: cl_profiling_info = 4740;
pub const CL_PROFILING_COMMAND_END: cl_profiling_info = 4739;
pub const CL_PROFILING_COMMAND_QUEUED: cl_profiling_info = 4736;
pub const CL_PROFILING_COMMAND_START: cl_profiling_info = 4738;
pub const CL_PROFILING_COMMAND_SUBMIT: cl_profiling_info = 4737;
pub const CL_PROFILING_INFO_NOT_AVAILABLE: cl_int = -7;
pub const CL_PROGRAM_BINARIES: cl_program_info = 4454;
pub const CL_PROGRAM_BINARY_SIZES: cl_program_info = 4453;
pub const CL_PROGRAM_BINARY_TYPE: cl_program_build_info = 4484;
pub const CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT: cl_program_binary_type = 1;
pub const CL_PROGRAM_BINARY_TYPE_EXECUTABLE: cl_program_binary_type = 4;
pub const CL_PROGRAM_BINARY_TYPE_INTERMEDIATE: cl_program_binary_type = 16609;
pub const CL_PROGRAM_BINARY_TYPE_LIBRARY: cl_program_binary_type = 2;
pub const CL_PROGRAM_BINARY_TYPE_NONE: cl_program_binary_type = 0;
pub const CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: cl_program_build_info = 4485;
pub const CL_PROGRAM_BUILD_LOG: cl_program_build_info = 4483;
pub const CL_PROGRAM_BUILD_OPTIONS: cl_program_build_info = 4482;
pub const CL_PROGRAM_BUILD_STATUS: cl_program_build_info = 4481;
pub const CL_PROGRAM_CONTEXT: cl_program_info = 4449;
pub const CL_PROGRAM_DEVICES: cl_program_info = 4451;
pub const CL_PROGRAM_HOST_PIPE_NAMES_INTEL: u32 = 16919;
pub const CL_PROGRAM_IL: cl_program_info = 4457;
pub const CL_PROGRAM_IL_KHR: cl_program_info = 4457;
pub const CL_PROGRAM_KERNEL_NAMES: cl_program_info = 4456;
pub const CL_PROGRAM_NUM_DEVICES: cl_program_info = 4450;
pub const CL_PROGRAM_NUM_HOST_PIPES_INTEL: u32 = 16918;
pub const CL_PROGRAM_NUM_KERNELS: cl_program_info = 4455;
pub const CL_PROGRAM_REFERENCE_COUNT: cl_program_info = 4448;
pub const CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: cl_program_info = 4458;
pub const CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: cl_program_info = 4459;
pub const CL_PROGRAM_SOURCE: cl_program_info = 4452;
pub const CL_QCOM_ANDROID_NATIVE_BUFFER_HOST_PTR_EXTENSION_NAME: &[u8; 39] = b"cl_qcom_android_native_buffer_host_ptr\0";
pub const CL_QCOM_EXT_HOST_PTR_EXTENSION_NAME: &[u8; 21] = b"cl_qcom_ext_host_ptr\0";
pub const CL_QCOM_EXT_HOST_PTR_IOCOHERENT_EXTENSION_NAME: &[u8; 32] = b"cl_qcom_ext_host_ptr_iocoherent\0";
pub const CL_QCOM_ION_HOST_PTR_EXTENSION_NAME: &[u8; 21] = b"cl_qcom_ion_host_ptr\0";
pub const CL_QCOM_PERF_HINT_EXTENSION_NAME: &[u8; 18] = b"cl_qcom_perf_hint\0";
pub const CL_QUEUED: cl_int = 3;
pub const CL_QUEUE_CAPABILITY_BARRIER_INTEL: cl_command_queue_capabilities_intel = 33554432;
pub const CL_QUEUE_CAPABILITY_CREATE_CROSS_QUEUE_EVENTS_INTEL: cl_command_queue_capabilities_intel = 2;
pub const CL_QUEUE_CAPABILITY_CREATE_SINGLE_QUEUE_EVENTS_INTEL: cl_command_queue_capabilities_intel = 1;
pub const CL_QUEUE_CAPABILITY_CROSS_QUEUE_EVENT_WAIT_LIST_INTEL: cl_command_queue_capabilities_intel = 8;
pub const CL_QUEUE_CAPABILITY_FILL_BUFFER_INTEL: cl_command_queue_capabilities_intel = 2048;
pub const CL_QUEUE_CAPABILITY_FILL_IMAGE_INTEL: cl_command_queue_capabilities_intel = 16384;
pub const CL_QUEUE_CAPABILITY_KERNEL_INTEL: cl_command_queue_capabilities_intel = 67108864;
pub const CL_QUEUE_CAPABILITY_MAP_BUFFER_INTEL: cl_command_queue_capabilities_intel = 1024;
pub const CL_QUEUE_CAPABILITY_MAP_IMAGE_INTEL: cl_command_queue_capabilities_intel = 8192;
pub const CL_QUEUE_CAPABILITY_MARKER_INTEL: cl_command_queue_capabilities_intel = 16777216;
pub const CL_QUEUE_CAPABILITY_SINGLE_QUEUE_EVENT_WAIT_LIST_INTEL: cl_command_queue_capabilities_intel = 4;
pub const CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_IMAGE_INTEL: cl_command_queue_capabilities_intel = 32768;
pub const CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_INTEL: cl_command_queue_capabilities_intel = 256;
pub const CL_QUEUE_CAPABILITY_TRANSFER_BUFFER_RECT_INTEL: cl_command_queue_capabilities_intel = 512;
pub const CL_QUEUE_CAPABILITY_TRANSFER_IMAGE_BUFFER_INTEL: cl_command_queue_capabilities_intel = 65536;
pub const CL_QUEUE_CAPABILITY_TRANSFER_IMAGE_INTEL: cl_command_queue_capabilities_intel = 4096;
pub const CL_QUEUE_COMPUTE_UNIT_LIMIT_ARM: cl_queue_properties = 16883;
pub const CL_QUEUE_CONTEXT: cl_command_queue_info = 4240;
pub const CL_QUEUE_DEFAULT_CAPABILITIES_INTEL: cl_command_queue_capabilities_intel = 0;
pub const CL_QUEUE_DEFERRED_FLUSH_ARM: cl_queue_properties = 16876;
pub const CL_QUEUE_DEVICE: cl_command_queue_info = 4241;
pub const CL_QUEUE_DEVICE_DEFAULT: cl_command_queue_info = 4245;
pub const CL_QUEUE_FAMILY_INTEL: cl_queue_properties = 16780;
pub const CL_QUEUE_FAMILY_MAX_NAME_SIZE_INTEL: u32 = 64;
pub const CL_QUEUE_INDEX_INTEL: cl_queue_properties = 16781;
pub const CL_QUEUE_JOB_SLOT_ARM: cl_queue_properties = 16865;
pub const CL_QUEUE_KERNEL_BATCHING_ARM: cl_queue_properties = 16871;
pub const CL_QUEUE_NO_SYNC_OPERATIONS_INTEL: cl_command_queue_properties = 536870912;
pub const CL_QUEUE_ON_DEVICE: cl_command_queue_properties = 4;
pub const CL_QUEUE_ON_DEVICE_DEFAULT: cl_command_queue_properties = 8;
pub const CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE: cl_command_queue_properties = 1;
pub const CL_QUEUE_PRIORITY_HIGH_KHR: cl_queue_priority_khr = 1;
pub const CL_QUEUE_PRIORITY_KHR: cl_queue_properties = 4246;
pub const CL_QUEUE_PRIORITY_LOW_KHR: cl_queue_priority_khr = 4;
pub const CL_QUEUE_PRIORITY_MED_KHR: cl_queue_priority_khr = 2;
pub const CL_QUEUE_PROFILING_ENABLE: cl_command_queue_properties = 2;
pub const CL_QUEUE_PROPERTIES: cl_command_queue_info = 4243;
pub const CL_QUEUE_PROPERTIES_ARRAY: cl_command_queue_info = 4248;
pub const CL_QUEUE_REFERENCE_COUNT: cl_command_queue_info = 4242;
pub const CL_QUEUE_SIZE: cl_command_queue_info = 4244;
pub const CL_QUEUE_THROTTLE_HIGH_KHR: cl_queue_throttle_khr = 1;
pub const CL_QUEUE_THROTTLE_KHR: cl_queue_properties = 4247;
pub const CL_QUEUE_THROTTLE_LOW_KHR: cl_queue_throttle_khr = 4;
pub const CL_QUEUE_THROTTLE_MED_KHR: cl_queue_throttle_khr = 2;
pub const CL_R: cl_channel_order = 4272;
pub const CL_RA: cl_channel_order = 4275;
pub const CL_READ_ONLY_CACHE: cl_device_mem_cache_type = 1;
pub const CL_READ_WRITE_CACHE: cl_device_mem_cache_type = 2;
pub const CL_RG: cl_channel_order = 4274;
pub const CL_RGB: cl_channel_order = 4276;
pub const CL_RGBA: cl_channel_order = 4277;
pub const CL_RGBx: cl_channel_order = 4284;
pub const CL_RGx: cl_channel_order = 4283;
pub const CL_RUNNING: cl_int = 1;
pub const CL_Rx: cl_channel_order = 4282;
pub const CL_SAMPLER_ADDRESSING_MODE: cl_sampler_info = 4435;
pub const CL_SAMPLER_CONTEXT: cl_sampler_info = 4433;
pub const CL_SAMPLER_FILTER_MODE: cl_sampler_info = 4436;
pub const CL_SAMPLER_LOD_MAX: u32 = 4439;
pub const CL_SAMPLER_LOD_MAX_KHR: cl_sampler_properties = 4439;
pub const CL_SAMPLER_LOD_MIN: u32 = 4438;
pub const CL_SAMPLER_LOD_MIN_KHR: cl_sampler_properties = 4438;
pub const CL_SAMPLER_MIP_FILTER_MODE: u32 = 4437;
pub const CL_SAMPLER_MIP_FILTER_MODE_KHR: cl_sampler_properties = 4437;
pub const CL_SAMPLER_NORMALIZED_COORDS: cl_sampler_info = 4434;
pub const CL_SAMPLER_PROPERTIES: u32 = 4440;
pub const CL_SAMPLER_REFERENCE_COUNT: cl_sampler_info = 4432;
pub const CL_SCHAR_MAX: u32 = 127;
pub const CL_SCHAR_MIN: i32 = -128;
pub const CL_SEMAPHORE_CONTEXT_KHR: cl_semaphore_info_khr = 8249;
pub const CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR: cl_semaphore_info_khr = 0;
pub const CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR: cl_semaphore_info_khr = 8275;
pub const CL_SEMAPHORE_EXPORTABLE_KHR: cl_semaphore_info_khr = 8276;
pub const CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR: cl_semaphore_properties_khr = 8255;
pub const CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR: cl_semaphore_properties_khr = 0;
pub const CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR: cl_external_semaphore_handle_type_khr = 8281;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR: cl_external_semaphore_handle_type_khr = 8277;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR: cl_external_semaphore_handle_type_khr = 8278;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR: cl_external_semaphore_handle_type_khr = 8279;
pub const CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR: cl_external_semaphore_handle_type_khr = 8296;
pub const CL_SEMAPHORE_HANDLE_SYNC_FD_KHR: cl_external_semaphore_handle_type_khr = 8280;
pub const CL_SEMAPHORE_PAYLOAD_KHR: cl_semaphore_info_khr = 8252;
pub const CL_SEMAPHORE_PROPERTIES_KHR: cl_semaphore_info_khr = 8251;
pub const CL_SEMAPHORE_REFERENCE_COUNT_KHR: cl_semaphore_info_khr = 8250;
pub const CL_SEMAPHORE_TYPE_BINARY_KHR: u32 = 1;
pub const CL_SEMAPHORE_TYPE_KHR: cl_semaphore_info_khr = 8253;
pub const CL_SHRT_MAX: u32 = 32767;
pub const CL_SHRT_MIN: i32 = -32768;
pub const CL_SIGNED_INT16: cl_channel_type = 4312;
pub const CL_SIGNED_INT32: cl_channel_type = 4313;
pub const CL_SIGNED_INT8: cl_channel_type = 4311;
pub const CL_SNORM_INT16: cl_channel_type = 4305;
pub const CL_SNORM_INT8: cl_channel_type = 4304;
pub const CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR: cl_command_buffer_update_type_khr = 0;
pub const CL_SUBMITTED: cl_int = 2;
pub const CL_SUCCESS: cl_int = 0;
pub const CL_TRUE: cl_bool = 1;
pub const CL_UCHAR_MAX: u32 = 255;
pub const CL_UINT_MAX: u32 = 4294967295;
pub const CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL: u32 = 1;
pub const CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL: u32 = 2;
pub const CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL: u32 = 4;
pub const CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL: u32 = 8;
pub const CL_UNORM_INT10X6_EXT: cl_channel_type = 4321;
pub const CL_UNORM_INT12X4_EXT: cl_channel_type = 4329;
pub const CL_UNORM_INT14X2_EXT: cl_channel_type = 4330;
pub const CL_UNORM_INT16: cl_channel_type = 4307;
pub const CL_UNORM_INT24: u32 = 4319;
pub const CL_UNORM_INT8: cl_channel_type = 4306;
pub const CL_UNORM_INT_101010: cl_channel_type = 4310;
pub const CL_UNORM_INT_101010_2: cl_channel_type = 4320;
pub const CL_UNORM_INT_2_101010_EXT: cl_channel_type = 4325;
pub const CL_UNORM_SHORT_555: cl_channel_type = 4309;
pub const CL_UNORM_SHORT_565: cl_channel_type = 4308;
pub const CL_UNSIGNED_INT10X6_EXT: cl_channel_type = 4326;
pub const CL_UNSIGNED_INT12X4_EXT: cl_channel_type = 4327;
pub const CL_UNSIGNED_INT14X2_EXT: cl_channel_type = 4328;
pub const CL_UNSIGNED_INT16: cl_channel_type = 4315;
pub const CL_UNSIGNED_INT32: cl_channel_type = 4316;
pub const CL_UNSIGNED_INT8: cl_channel_type = 4314;
pub const CL_UNSIGNED_INT_RAW10_EXT: cl_channel_type = 4323;
pub const CL_UNSIGNED_INT_RAW12_EXT: cl_channel_type = 4324;
pub const CL_USHRT_MAX: u32 = 65535;
pub const CL_UUID_SIZE_KHR: u32 = 16;
pub const CL_UYVY_INTEL: cl_channel_order = 16503;
pub const CL_VERSION_1_0: u32 = 1;
pub const CL_VERSION_1_1: u32 = 1;
pub const CL_VERSION_1_2: u32 = 1;
pub const CL_VERSION_2_0: u32 = 1;
pub const CL_VERSION_2_1: u32 = 1;
pub const CL_VERSION_2_2: u32 = 1;
pub const CL_VERSION_3_0: u32 = 1;
pub const CL_VERSION_MAJOR_BITS: cl_version = 10;
pub const CL_VERSION_MAJOR_BITS_KHR: u32 = 10;
pub const CL_VERSION_MAJOR_MASK: cl_version = 1023;
pub const CL_VERSION_MAJOR_MASK_KHR: u32 = 1023;
pub const CL_VERSION_MINOR_BITS: cl_version = 10;
pub const CL_VERSION_MINOR_BITS_KHR: u32 = 10;
pub const CL_VERSION_MINOR_MASK: cl_version = 1023;
pub const CL_VERSION_MINOR_MASK_KHR: u32 = 1023;
pub const CL_VERSION_PATCH_BITS: cl_version = 12;
pub const CL_VERSION_PATCH_BITS_KHR: u32 = 12;
pub const CL_VERSION_PATCH_MASK: cl_version = 4095;
pub const CL_VERSION_PATCH_MASK_KHR: u32 = 4095;
pub const CL_VYUY_INTEL: cl_channel_order = 16505;
pub const CL_WGL_HDC_KHR: u32 = 8203;
pub const CL_YUYV_INTEL: cl_channel_order = 16502;
pub const CL_YV12_IMG: cl_channel_order = 16593;
pub const CL_YVYU_INTEL: cl_channel_order = 16504;
pub const CL_sBGRA: cl_channel_order = 4290;
pub const CL_sRGB: cl_channel_order = 4287;
pub const CL_sRGBA: cl_channel_order = 4289;
pub const CL_sRGBx: cl_channel_order = 4288;
pub const __CL_CHAR16__: u32 = 1;
pub const __CL_CHAR8__: u32 = 1;
pub const __CL_DOUBLE2__: u32 = 1;
pub const __CL_FLOAT2__: u32 = 1;
pub const __CL_FLOAT4__: u32 = 1;
pub const __CL_HAS_ANON_STRUCT__: u32 = 1;
pub const __CL_INT2__: u32 = 1;
pub const __CL_INT4__: u32 = 1;
pub const __CL_LONG1__: u32 = 1;
pub const __CL_LONG2__: u32 = 1;
pub const __CL_SHORT4__: u32 = 1;
pub const __CL_SHORT8__: u32 = 1;
pub const __CL_UCHAR16__: u32 = 1;
pub const __CL_UCHAR8__: u32 = 1;
pub const __CL_UINT2__: u32 = 1;
pub const __CL_UINT4__: u32 = 1;
pub const __CL_ULONG1__: u32 = 1;
pub const __CL_ULONG2__: u32 = 1;
pub const __CL_USHORT4__: u32 = 1;
pub const __CL_USHORT8__: u32 = 1;
pub const cl_APPLE_ContextLoggingFunctions: u32 = 1;
pub const cl_APPLE_SetMemObjectDestructor: u32 = 1;
pub const cl_amd_device_attribute_query: u32 = 1;
pub const cl_amd_device_memory_flags: u32 = 1;
pub const cl_arm_controlled_kernel_termination: u32 = 1;
pub const cl_arm_get_core_id: u32 = 1;
pub const cl_arm_import_memory: u32 = 1;
pub const cl_arm_job_slot_selection: u32 = 1;
pub const cl_arm_printf: u32 = 1;
pub const cl_arm_protected_memory_allocation: u32 = 1;
pub const cl_arm_scheduling_controls: u32 = 1;
pub const cl_arm_shared_virtual_memory: u32 = 1;
pub const cl_ext_buffer_device_address: u32 = 1;
pub const cl_ext_cxx_for_opencl: u32 = 1;
pub const cl_ext_device_fission: u32 = 1;
pub const cl_ext_float_atomics: u32 = 1;
pub const cl_ext_image_from_buffer: u32 = 1;
pub const cl_ext_image_raw10_raw12: u32 = 1;
pub const cl_ext_image_requirements_info: u32 = 1;
pub const cl_ext_image_unorm_int_2_101010: u32 = 1;
pub const cl_ext_image_unsigned_10x6_12x4_14x2: u32 = 1;
pub const cl_ext_immutable_memory_objects: u32 = 1;
pub const cl_ext_migrate_memobject: u32 = 1;
pub const cl_img_cached_allocations: u32 = 1;
pub const cl_img_cancel_command: u32 = 1;
pub const cl_img_generate_mipmap: u32 = 1;
pub const cl_img_mem_properties: u32 = 1;
pub const cl_img_use_gralloc_ptr: u32 = 1;
pub const cl_img_yuv_image: u32 = 1;
pub const cl_intel_accelerator: u32 = 1;
pub const cl_intel_advanced_motion_estimation: u32 = 1;
pub const cl_intel_command_queue_families: u32 = 1;
pub const cl_intel_create_buffer_with_properties: u32 = 1;
pub const cl_intel_create_mem_object_properties: u32 = 1;
pub const cl_intel_device_attribute_query: u32 = 1;
pub const cl_intel_device_partition_by_names: u32 = 1;
pub const cl_intel_device_side_avc_motion_estimation: u32 = 1;
pub const cl_intel_driver_diagnostics: u32 = 1;
pub const cl_intel_egl_image_yuv: u32 = 1;
pub const cl_intel_exec_by_local_thread: u32 = 1;
pub const cl_intel_mem_alloc_buffer_location: u32 = 1;
pub const cl_intel_mem_channel_property: u32 = 1;
pub const cl_intel_mem_force_host_memory: u32 = 1;
pub const cl_intel_motion_estimation: u32 = 1;
pub const cl_intel_packed_yuv: u32 = 1;
pub const cl_intel_planar_yuv: u32 = 1;
pub const cl_intel_program_scope_host_pipe: u32 = 1;
pub const cl_intel_queue_no_sync_operations: u32 = 1;
pub const cl_intel_required_subgroup_size: u32 = 1;
pub const cl_intel_sharing_format_query: u32 = 1;
pub const cl_intel_sharing_format_query_gl: u32 = 1;
pub const cl_intel_simultaneous_sharing: u32 = 1;
pub const cl_intel_unified_shared_memory: u32 = 1;
pub const cl_khr_3d_image_writes: u32 = 1;
pub const cl_khr_async_work_group_copy_fence: u32 = 1;
pub const cl_khr_byte_addressable_store: u32 = 1;
pub const cl_khr_command_buffer: u32 = 1;
pub const cl_khr_command_buffer_multi_device: u32 = 1;
pub const cl_khr_command_buffer_mutable_dispatch: u32 = 1;
pub const cl_khr_create_command_queue: u32 = 1;
pub const cl_khr_depth_images: u32 = 1;
pub const cl_khr_device_enqueue_local_arg_types: u32 = 1;
pub const cl_khr_device_uuid: u32 = 1;
pub const cl_khr_egl_event: u32 = 1;
pub const cl_khr_egl_image: u32 = 1;
pub const cl_khr_expect_assume: u32 = 1;
pub const cl_khr_extended_async_copies: u32 = 1;
pub const cl_khr_extended_bit_ops: u32 = 1;
pub const cl_khr_extended_versioning: u32 = 1;
pub const cl_khr_external_memory: u32 = 1;
pub const cl_khr_external_memory_android_hardware_buffer: u32 = 1;
pub const cl_khr_external_memory_dma_buf: u32 = 1;
pub const cl_khr_external_memory_opaque_fd: u32 = 1;
pub const cl_khr_external_memory_win32: u32 = 1;
pub const cl_khr_external_semaphore: u32 = 1;
pub const cl_khr_external_semaphore_dx_fence: u32 = 1;
pub const cl_khr_external_semaphore_opaque_fd: u32 = 1;
pub const cl_khr_external_semaphore_sync_fd: u32 = 1;
pub const cl_khr_external_semaphore_win32: u32 = 1;
pub const cl_khr_fp16: u32 = 1;
pub const cl_khr_fp64: u32 = 1;
pub const cl_khr_gl_depth_images: u32 = 1;
pub const cl_khr_gl_event: u32 = 1;
pub const cl_khr_gl_msaa_sharing: u32 = 1;
pub const cl_khr_gl_sharing: u32 = 1;
pub const cl_khr_global_int32_base_atomics: u32 = 1;
pub const cl_khr_global_int32_extended_atomics: u32 = 1;
pub const cl_khr_icd: u32 = 1;
pub const cl_khr_il_program: u32 = 1;
pub const cl_khr_image2d_from_buffer: u32 = 1;
pub const cl_khr_initialize_memory: u32 = 1;
pub const cl_khr_int64_base_atomics: u32 = 1;
pub const cl_khr_int64_extended_atomics: u32 = 1;
pub const cl_khr_integer_dot_product: u32 = 1;
pub const cl_khr_kernel_clock: u32 = 1;
pub const cl_khr_local_int32_base_atomics: u32 = 1;
pub const cl_khr_local_int32_extended_atomics: u32 = 1;
pub const cl_khr_mipmap_image: u32 = 1;
pub const cl_khr_mipmap_image_writes: u32 = 1;
pub const cl_khr_pci_bus_info: u32 = 1;
pub const cl_khr_priority_hints: u32 = 1;
pub const cl_khr_select_fprounding_mode: u32 = 1;
pub const cl_khr_semaphore: u32 = 1;
pub const cl_khr_spir: u32 = 1;
pub const cl_khr_spirv_extended_debug_info: u32 = 1;
pub const cl_khr_spirv_linkonce_odr: u32 = 1;
pub const cl_khr_spirv_no_integer_wrap_decoration: u32 = 1;
pub const cl_khr_spirv_queries: u32 = 1;
pub const cl_khr_srgb_image_writes: u32 = 1;
pub const cl_khr_subgroup_ballot: u32 = 1;
pub const cl_khr_subgroup_clustered_reduce: u32 = 1;
pub const cl_khr_subgroup_extended_types: u32 = 1;
pub const cl_khr_subgroup_named_barrier: u32 = 1;
pub const cl_khr_subgroup_non_uniform_arithmetic: u32 = 1;
pub const cl_khr_subgroup_non_uniform_vote: u32 = 1;
pub const cl_khr_subgroup_rotate: u32 = 1;
pub const cl_khr_subgroup_shuffle: u32 = 1;
pub const cl_khr_subgroup_shuffle_relative: u32 = 1;
pub const cl_khr_subgroups: u32 = 1;
pub const cl_khr_suggested_local_work_size: u32 = 1;
pub const cl_khr_terminate_context: u32 = 1;
pub const cl_khr_throttle_hints: u32 = 1;
pub const cl_khr_work_group_uniform_arithmetic: u32 = 1;
pub const cl_loader_info: u32 = 1;
pub const cl_nv_device_attribute_query: u32 = 1;
pub const cl_pocl_content_size: u32 = 1;
pub const cl_qcom_android_native_buffer_host_ptr: u32 = 1;
pub const cl_qcom_ext_host_ptr: u32 = 1;
pub const cl_qcom_ext_host_ptr_iocoherent: u32 = 1;
pub const cl_qcom_ion_host_ptr: u32 = 1;
pub const cl_qcom_perf_hint: u32 = 1;
pub type CLeglDisplayKHR = *mut c_void;
pub type CLeglImageKHR = *mut c_void;
pub type CLeglSyncKHR = *mut c_void;
pub type __cl_char16 = [cl_char; 16];
pub type __cl_char8 = [cl_char; 8];
pub type __cl_double2 = [cl_double; 2];
pub type __cl_float2 = [cl_float; 2];
pub type __cl_float4 = [f32; 4];
pub type __cl_int2 = [cl_int; 2];
pub type __cl_int4 = [cl_int; 4];
pub type __cl_long1 = [cl_long; 1];
pub type __cl_long2 = [cl_long; 2];
pub type __cl_short4 = [cl_short; 4];
pub type __cl_short8 = [cl_short; 8];
pub type __cl_uchar16 = [cl_uchar; 16];
pub type __cl_uchar8 = [cl_uchar; 8];
pub type __cl_uint2 = [cl_uint; 2];
pub type __cl_uint4 = [cl_uint; 4];
pub type __cl_ulong1 = [cl_ulong; 1];
pub type __cl_ulong2 = [cl_ulong; 2];
pub type __cl_ushort4 = [cl_ushort; 4];
pub type __cl_ushort8 = [cl_ushort; 8];
pub type clCancelCommandsIMG_fn = clCancelCommandsIMG_t;
pub type clCancelCommandsIMG_t = Option<unsafe extern "C" fn(event_list: *const cl_event, num_events_in_list: usize) -> cl_int>;
pub type clCommandBarrierWithWaitListKHR_fn = clCommandBarrierWithWaitListKHR_t;
pub type clCommandBarrierWithWaitListKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandCopyBufferKHR_fn = clCommandCopyBufferKHR_t;
pub type clCommandCopyBufferKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize, dst_offset: usize, size: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandCopyBufferRectKHR_fn = clCommandCopyBufferRectKHR_t;
pub type clCommandCopyBufferRectKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize, src_row_pitch: usize, src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandCopyBufferToImageKHR_fn = clCommandCopyBufferToImageKHR_t;
pub type clCommandCopyBufferToImageKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize, dst_origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandCopyImageKHR_fn = clCommandCopyImageKHR_t;
pub type clCommandCopyImageKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, src_image: cl_mem, dst_image: cl_mem, src_origin: *const usize, dst_origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandCopyImageToBufferKHR_fn = clCommandCopyImageToBufferKHR_t;
pub type clCommandCopyImageToBufferKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const usize, region: *const usize, dst_offset: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandFillBufferKHR_fn = clCommandFillBufferKHR_t;
pub type clCommandFillBufferKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, buffer: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize, size: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandFillImageKHR_fn = clCommandFillImageKHR_t;
pub type clCommandFillImageKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, image: cl_mem, fill_color: *const c_void, origin: *const usize, region: *const usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandNDRangeKernelKHR_fn = clCommandNDRangeKernelKHR_t;
pub type clCommandNDRangeKernelKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize, global_work_size: *const usize, local_work_size: *const usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandSVMMemFillKHR_fn = clCommandSVMMemFillKHR_t;
pub type clCommandSVMMemFillKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCommandSVMMemcpyKHR_fn = clCommandSVMMemcpyKHR_t;
pub type clCommandSVMMemcpyKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, command_queue: cl_command_queue, properties: *const cl_command_properties_khr, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_sync_points_in_wait_list: cl_uint, sync_point_wait_list: *const cl_sync_point_khr, sync_point: *mut cl_sync_point_khr, mutable_handle: *mut cl_mutable_command_khr) -> cl_int>;
pub type clCreateAcceleratorINTEL_fn = clCreateAcceleratorINTEL_t;
pub type clCreateAcceleratorINTEL_t = Option<unsafe extern "C" fn(context: cl_context, accelerator_type: cl_accelerator_type_intel, descriptor_size: usize, descriptor: *const c_void, errcode_ret: *mut cl_int) -> cl_accelerator_intel>;
pub type clCreateBufferWithPropertiesINTEL_fn = clCreateBufferWithPropertiesINTEL_t;
pub type clCreateBufferWithPropertiesINTEL_t = Option<unsafe extern "C" fn(context: cl_context, properties: *const cl_mem_properties_intel, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void, errcode_ret: *mut cl_int) -> cl_mem>;
pub type clCreateCommandBufferKHR_fn = clCreateCommandBufferKHR_t;
pub type clCreateCommandBufferKHR_t = Option<unsafe extern "C" fn(num_queues: cl_uint, queues: *const cl_command_queue, properties: *const cl_command_buffer_properties_khr, errcode_ret: *mut cl_int) -> cl_command_buffer_khr>;
pub type clCreateCommandQueueWithPropertiesKHR_fn = clCreateCommandQueueWithPropertiesKHR_t;
pub type clCreateCommandQueueWithPropertiesKHR_t = Option<unsafe extern "C" fn(context: cl_context, device: cl_device_id, properties: *const cl_queue_properties_khr, errcode_ret: *mut cl_int) -> cl_command_queue>;
pub type clCreateEventFromEGLSyncKHR_fn = clCreateEventFromEGLSyncKHR_t;
pub type clCreateEventFromEGLSyncKHR_t = Option<unsafe extern "C" fn(context: cl_context, sync: CLeglSyncKHR, display: CLeglDisplayKHR, errcode_ret: *mut cl_int) -> cl_event>;
pub type clCreateEventFromGLsyncKHR_fn = clCreateEventFromGLsyncKHR_t;
pub type clCreateEventFromGLsyncKHR_t = Option<unsafe extern "C" fn(context: cl_context, sync: cl_GLsync, errcode_ret: *mut cl_int) -> cl_event>;
pub type clCreateFromEGLImageKHR_fn = clCreateFromEGLImageKHR_t;
pub type clCreateFromEGLImageKHR_t = Option<unsafe extern "C" fn(context: cl_context, egldisplay: CLeglDisplayKHR, eglimage: CLeglImageKHR, flags: cl_mem_flags, properties: *const cl_egl_image_properties_khr, errcode_ret: *mut cl_int) -> cl_mem>;
pub type clCreateFromGLBuffer_fn = clCreateFromGLBuffer_t;
pub type clCreateFromGLBuffer_t = Option<unsafe extern "C" fn(context: cl_context, flags: cl_mem_flags, bufobj: cl_GLuint, errcode_ret: *mut cl_int) -> cl_mem>;
pub type clCreateFromGLRenderbuffer_fn = clCreateFromGLRenderbuffer_t;
pub type clCreateFromGLRenderbuffer_t = Option<unsafe extern "C" fn(context: cl_context, flags: cl_mem_flags, renderbuffer: cl_GLuint, errcode_ret: *mut cl_int) -> cl_mem>;
pub type clCreateFromGLTexture2D_fn = clCreateFromGLTexture2D_t;
pub type clCreateFromGLTexture2D_t = Option<unsafe extern "C" fn(context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint, errcode_ret: *mut cl_int) -> cl_mem>;
pub type clCreateFromGLTexture3D_fn = clCreateFromGLTexture3D_t;
pub type clCreateFromGLTexture3D_t = Option<unsafe extern "C" fn(context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint, errcode_ret: *mut cl_int) -> cl_mem>;
pub type clCreateFromGLTexture_fn = clCreateFromGLTexture_t;
pub type clCreateFromGLTexture_t = Option<unsafe extern "C" fn(context: cl_context, flags: cl_mem_flags, target: cl_GLenum, miplevel: cl_GLint, texture: cl_GLuint, errcode_ret: *mut cl_int) -> cl_mem>;
pub type clCreateProgramWithILKHR_fn = clCreateProgramWithILKHR_t;
pub type clCreateProgramWithILKHR_t = Option<unsafe extern "C" fn(context: cl_context, il: *const c_void, length: usize, errcode_ret: *mut cl_int) -> cl_program>;
pub type clCreateSemaphoreWithPropertiesKHR_fn = clCreateSemaphoreWithPropertiesKHR_t;
pub type clCreateSemaphoreWithPropertiesKHR_t = Option<unsafe extern "C" fn(context: cl_context, sema_props: *const cl_semaphore_properties_khr, errcode_ret: *mut cl_int) -> cl_semaphore_khr>;
pub type clCreateSubDevicesEXT_fn = clCreateSubDevicesEXT_t;
pub type clCreateSubDevicesEXT_t = Option<unsafe extern "C" fn(in_device: cl_device_id, properties: *const cl_device_partition_property_ext, num_entries: cl_uint, out_devices: *mut cl_device_id, num_devices: *mut cl_uint) -> cl_int>;
pub type clDeviceMemAllocINTEL_fn = clDeviceMemAllocINTEL_t;
pub type clDeviceMemAllocINTEL_t = Option<unsafe extern "C" fn(context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize, alignment: cl_uint, errcode_ret: *mut cl_int) -> *mut c_void>;
pub type clEnqueueAcquireEGLObjectsKHR_fn = clEnqueueAcquireEGLObjectsKHR_t;
pub type clEnqueueAcquireEGLObjectsKHR_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueAcquireExternalMemObjectsKHR_fn = clEnqueueAcquireExternalMemObjectsKHR_t;
pub type clEnqueueAcquireExternalMemObjectsKHR_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueAcquireGLObjects_fn = clEnqueueAcquireGLObjects_t;
pub type clEnqueueAcquireGLObjects_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueAcquireGrallocObjectsIMG_fn = clEnqueueAcquireGrallocObjectsIMG_t;
pub type clEnqueueAcquireGrallocObjectsIMG_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueCommandBufferKHR_fn = clEnqueueCommandBufferKHR_t;
pub type clEnqueueCommandBufferKHR_t = Option<unsafe extern "C" fn(num_queues: cl_uint, queues: *mut cl_command_queue, command_buffer: cl_command_buffer_khr, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueGenerateMipmapIMG_fn = clEnqueueGenerateMipmapIMG_t;
pub type clEnqueueGenerateMipmapIMG_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, src_image: cl_mem, dst_image: cl_mem, mipmap_filter_mode: cl_mipmap_filter_mode_img, array_region: *const usize, mip_region: *const usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueMemAdviseINTEL_fn = clEnqueueMemAdviseINTEL_t;
pub type clEnqueueMemAdviseINTEL_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, ptr: *const c_void, size: usize, advice: cl_mem_advice_intel, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueMemFillINTEL_fn = clEnqueueMemFillINTEL_t;
pub type clEnqueueMemFillINTEL_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, dst_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueMemcpyINTEL_fn = clEnqueueMemcpyINTEL_t;
pub type clEnqueueMemcpyINTEL_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, blocking: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueMemsetINTEL_fn = clEnqueueMemsetINTEL_t;
pub type clEnqueueMemsetINTEL_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, dst_ptr: *mut c_void, value: cl_int, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueMigrateMemINTEL_fn = clEnqueueMigrateMemINTEL_t;
pub type clEnqueueMigrateMemINTEL_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, ptr: *const c_void, size: usize, flags: cl_mem_migration_flags, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueMigrateMemObjectEXT_fn = clEnqueueMigrateMemObjectEXT_t;
pub type clEnqueueMigrateMemObjectEXT_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem, flags: cl_mem_migration_flags_ext, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueReadHostPipeINTEL_fn = clEnqueueReadHostPipeINTEL_t;
pub type clEnqueueReadHostPipeINTEL_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, program: cl_program, pipe_symbol: *const c_char, blocking_read: cl_bool, ptr: *mut c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueReleaseEGLObjectsKHR_fn = clEnqueueReleaseEGLObjectsKHR_t;
pub type clEnqueueReleaseEGLObjectsKHR_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueReleaseExternalMemObjectsKHR_fn = clEnqueueReleaseExternalMemObjectsKHR_t;
pub type clEnqueueReleaseExternalMemObjectsKHR_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_mem_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueReleaseGLObjects_fn = clEnqueueReleaseGLObjects_t;
pub type clEnqueueReleaseGLObjects_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueReleaseGrallocObjectsIMG_fn = clEnqueueReleaseGrallocObjectsIMG_t;
pub type clEnqueueReleaseGrallocObjectsIMG_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_objects: cl_uint, mem_objects: *const cl_mem, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueSVMFreeARM_fn = clEnqueueSVMFreeARM_t;
pub type clEnqueueSVMFreeARM_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void, pfn_free_func :Option<unsafe extern "C" fn(queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void, user_data: *mut c_void)>, user_data: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueSVMMapARM_fn = clEnqueueSVMMapARM_t;
pub type clEnqueueSVMMapARM_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, blocking_map: cl_bool, flags: cl_map_flags, svm_ptr: *mut c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueSVMMemFillARM_fn = clEnqueueSVMMemFillARM_t;
pub type clEnqueueSVMMemFillARM_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, svm_ptr: *mut c_void, pattern: *const c_void, pattern_size: usize, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueSVMMemcpyARM_fn = clEnqueueSVMMemcpyARM_t;
pub type clEnqueueSVMMemcpyARM_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, blocking_copy: cl_bool, dst_ptr: *mut c_void, src_ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueSVMUnmapARM_fn = clEnqueueSVMUnmapARM_t;
pub type clEnqueueSVMUnmapARM_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, svm_ptr: *mut c_void, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueSignalSemaphoresKHR_fn = clEnqueueSignalSemaphoresKHR_t;
pub type clEnqueueSignalSemaphoresKHR_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr, sema_payload_list: *const cl_semaphore_payload_khr, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueWaitSemaphoresKHR_fn = clEnqueueWaitSemaphoresKHR_t;
pub type clEnqueueWaitSemaphoresKHR_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, num_sema_objects: cl_uint, sema_objects: *const cl_semaphore_khr, sema_payload_list: *const cl_semaphore_payload_khr, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clEnqueueWriteHostPipeINTEL_fn = clEnqueueWriteHostPipeINTEL_t;
pub type clEnqueueWriteHostPipeINTEL_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, program: cl_program, pipe_symbol: *const c_char, blocking_write: cl_bool, ptr: *const c_void, size: usize, num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event) -> cl_int>;
pub type clFinalizeCommandBufferKHR_fn = clFinalizeCommandBufferKHR_t;
pub type clFinalizeCommandBufferKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr) -> cl_int>;
pub type clGetAcceleratorInfoINTEL_fn = clGetAcceleratorInfoINTEL_t;
pub type clGetAcceleratorInfoINTEL_t = Option<unsafe extern "C" fn(accelerator: cl_accelerator_intel, param_name: cl_accelerator_info_intel, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetCommandBufferInfoKHR_fn = clGetCommandBufferInfoKHR_t;
pub type clGetCommandBufferInfoKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, param_name: cl_command_buffer_info_khr, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetDeviceImageInfoQCOM_fn = clGetDeviceImageInfoQCOM_t;
pub type clGetDeviceImageInfoQCOM_t = Option<unsafe extern "C" fn(device: cl_device_id, image_width: usize, image_height: usize, image_format: *const cl_image_format, param_name: cl_image_pitch_info_qcom, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetGLContextInfoKHR_fn = clGetGLContextInfoKHR_t;
pub type clGetGLContextInfoKHR_t = Option<unsafe extern "C" fn(properties: *const cl_context_properties, param_name: cl_gl_context_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetGLObjectInfo_fn = clGetGLObjectInfo_t;
pub type clGetGLObjectInfo_t = Option<unsafe extern "C" fn(memobj: cl_mem, gl_object_type: *mut cl_gl_object_type, gl_object_name: *mut cl_GLuint) -> cl_int>;
pub type clGetGLTextureInfo_fn = clGetGLTextureInfo_t;
pub type clGetGLTextureInfo_t = Option<unsafe extern "C" fn(memobj: cl_mem, param_name: cl_gl_texture_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetICDLoaderInfoOCLICD_fn = clGetICDLoaderInfoOCLICD_t;
pub type clGetICDLoaderInfoOCLICD_t = Option<unsafe extern "C" fn(param_name: cl_icdl_info, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetImageRequirementsInfoEXT_fn = clGetImageRequirementsInfoEXT_t;
pub type clGetImageRequirementsInfoEXT_t = Option<unsafe extern "C" fn(context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, image_format: *const cl_image_format, image_desc: *const cl_image_desc, param_name: cl_image_requirements_info_ext, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetKernelSubGroupInfoKHR_fn = clGetKernelSubGroupInfoKHR_t;
pub type clGetKernelSubGroupInfoKHR_t = Option<unsafe extern "C" fn(in_kernel: cl_kernel, in_device: cl_device_id, param_name: cl_kernel_sub_group_info, input_value_size: usize, input_value: *const c_void, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetKernelSuggestedLocalWorkSizeKHR_fn = clGetKernelSuggestedLocalWorkSizeKHR_t;
pub type clGetKernelSuggestedLocalWorkSizeKHR_t = Option<unsafe extern "C" fn(command_queue: cl_command_queue, kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize, global_work_size: *const usize, suggested_local_work_size: *mut usize) -> cl_int>;
pub type clGetMemAllocInfoINTEL_fn = clGetMemAllocInfoINTEL_t;
pub type clGetMemAllocInfoINTEL_t = Option<unsafe extern "C" fn(context: cl_context, ptr: *const c_void, param_name: cl_mem_info_intel, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetMutableCommandInfoKHR_fn = clGetMutableCommandInfoKHR_t;
pub type clGetMutableCommandInfoKHR_t = Option<unsafe extern "C" fn(command: cl_mutable_command_khr, param_name: cl_mutable_command_info_khr, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetSemaphoreHandleForTypeKHR_fn = clGetSemaphoreHandleForTypeKHR_t;
pub type clGetSemaphoreHandleForTypeKHR_t = Option<unsafe extern "C" fn(sema_object: cl_semaphore_khr, device: cl_device_id, handle_type: cl_external_semaphore_handle_type_khr, handle_size: usize, handle_ptr: *mut c_void, handle_size_ret: *mut usize) -> cl_int>;
pub type clGetSemaphoreInfoKHR_fn = clGetSemaphoreInfoKHR_t;
pub type clGetSemaphoreInfoKHR_t = Option<unsafe extern "C" fn(sema_object: cl_semaphore_khr, param_name: cl_semaphore_info_khr, param_value_size: usize, param_value: *mut c_void, param_value_size_ret: *mut usize) -> cl_int>;
pub type clGetSupportedGLTextureFormatsINTEL_fn = clGetSupportedGLTextureFormatsINTEL_t;
pub type clGetSupportedGLTextureFormatsINTEL_t = Option<unsafe extern "C" fn(context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint, gl_formats: *mut cl_GLenum, num_texture_formats: *mut cl_uint) -> cl_int>;
pub type clHostMemAllocINTEL_fn = clHostMemAllocINTEL_t;
pub type clHostMemAllocINTEL_t = Option<unsafe extern "C" fn(context: cl_context, properties: *const cl_mem_properties_intel, size: usize, alignment: cl_uint, errcode_ret: *mut cl_int) -> *mut c_void>;
pub type clIcdGetFunctionAddressForPlatformKHR_fn = clIcdGetFunctionAddressForPlatformKHR_t;
pub type clIcdGetFunctionAddressForPlatformKHR_t = Option<unsafe extern "C" fn(platform: cl_platform_id, func_name: *const c_char) -> *mut c_void>;
pub type clIcdGetPlatformIDsKHR_fn = clIcdGetPlatformIDsKHR_t;
pub type clIcdGetPlatformIDsKHR_t = Option<unsafe extern "C" fn(num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint) -> cl_int>;
pub type clIcdSetPlatformDispatchDataKHR_fn = clIcdSetPlatformDispatchDataKHR_t;
pub type clIcdSetPlatformDispatchDataKHR_t = Option<unsafe extern "C" fn(platform: cl_platform_id, dispatch_data: *mut c_void) -> cl_int>;
pub type clImportMemoryARM_fn = clImportMemoryARM_t;
pub type clImportMemoryARM_t = Option<unsafe extern "C" fn(context: cl_context, flags: cl_mem_flags, properties: *const cl_import_properties_arm, memory: *mut c_void, size: usize, errcode_ret: *mut cl_int) -> cl_mem>;
pub type clLogMessagesToStderrAPPLE_fn = clLogMessagesToStderrAPPLE_t;
pub type clLogMessagesToStderrAPPLE_t = Option<unsafe extern "C" fn(errstr: *const c_char, private_info: *const c_void, cb: usize, user_data: *mut c_void)>;
pub type clLogMessagesToStdoutAPPLE_fn = clLogMessagesToStdoutAPPLE_t;
pub type clLogMessagesToStdoutAPPLE_t = Option<unsafe extern "C" fn(errstr: *const c_char, private_info: *const c_void, cb: usize, user_data: *mut c_void)>;
pub type clLogMessagesToSystemLogAPPLE_fn = clLogMessagesToSystemLogAPPLE_t;
pub type clLogMessagesToSystemLogAPPLE_t = Option<unsafe extern "C" fn(errstr: *const c_char, private_info: *const c_void, cb: usize, user_data: *mut c_void)>;
pub type clMemBlockingFreeINTEL_fn = clMemBlockingFreeINTEL_t;
pub type clMemBlockingFreeINTEL_t = Option<unsafe extern "C" fn(context: cl_context, ptr: *mut c_void) -> cl_int>;
pub type clMemFreeINTEL_fn = clMemFreeINTEL_t;
pub type clMemFreeINTEL_t = Option<unsafe extern "C" fn(context: cl_context, ptr: *mut c_void) -> cl_int>;
pub type clReImportSemaphoreSyncFdKHR_fn = clReImportSemaphoreSyncFdKHR_t;
pub type clReImportSemaphoreSyncFdKHR_t = Option<unsafe extern "C" fn(sema_object: cl_semaphore_khr, reimport_props: *mut cl_semaphore_reimport_properties_khr, fd: c_int) -> cl_int>;
pub type clReleaseAcceleratorINTEL_fn = clReleaseAcceleratorINTEL_t;
pub type clReleaseAcceleratorINTEL_t = Option<unsafe extern "C" fn(accelerator: cl_accelerator_intel) -> cl_int>;
pub type clReleaseCommandBufferKHR_fn = clReleaseCommandBufferKHR_t;
pub type clReleaseCommandBufferKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr) -> cl_int>;
pub type clReleaseDeviceEXT_fn = clReleaseDeviceEXT_t;
pub type clReleaseDeviceEXT_t = Option<unsafe extern "C" fn(device: cl_device_id) -> cl_int>;
pub type clReleaseSemaphoreKHR_fn = clReleaseSemaphoreKHR_t;
pub type clReleaseSemaphoreKHR_t = Option<unsafe extern "C" fn(sema_object: cl_semaphore_khr) -> cl_int>;
pub type clRemapCommandBufferKHR_fn = clRemapCommandBufferKHR_t;
pub type clRemapCommandBufferKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, automatic: cl_bool, num_queues: cl_uint, queues: *const cl_command_queue, num_handles: cl_uint, handles: *const cl_mutable_command_khr, handles_ret: *mut cl_mutable_command_khr, errcode_ret: *mut cl_int) -> cl_command_buffer_khr>;
pub type clRetainAcceleratorINTEL_fn = clRetainAcceleratorINTEL_t;
pub type clRetainAcceleratorINTEL_t = Option<unsafe extern "C" fn(accelerator: cl_accelerator_intel) -> cl_int>;
pub type clRetainCommandBufferKHR_fn = clRetainCommandBufferKHR_t;
pub type clRetainCommandBufferKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr) -> cl_int>;
pub type clRetainDeviceEXT_fn = clRetainDeviceEXT_t;
pub type clRetainDeviceEXT_t = Option<unsafe extern "C" fn(device: cl_device_id) -> cl_int>;
pub type clRetainSemaphoreKHR_fn = clRetainSemaphoreKHR_t;
pub type clRetainSemaphoreKHR_t = Option<unsafe extern "C" fn(sema_object: cl_semaphore_khr) -> cl_int>;
pub type clSVMAllocARM_fn = clSVMAllocARM_t;
pub type clSVMAllocARM_t = Option<unsafe extern "C" fn(context: cl_context, flags: cl_svm_mem_flags_arm, size: usize, alignment: cl_uint) -> *mut c_void>;
pub type clSVMFreeARM_fn = clSVMFreeARM_t;
pub type clSVMFreeARM_t = Option<unsafe extern "C" fn(context: cl_context, svm_pointer: *mut c_void)>;
pub type clSetContentSizeBufferPoCL_fn = clSetContentSizeBufferPoCL_t;
pub type clSetContentSizeBufferPoCL_t = Option<unsafe extern "C" fn(buffer: cl_mem, content_size_buffer: cl_mem) -> cl_int>;
pub type clSetKernelArgDevicePointerEXT_fn = clSetKernelArgDevicePointerEXT_t;
pub type clSetKernelArgDevicePointerEXT_t = Option<unsafe extern "C" fn(kernel: cl_kernel, arg_index: cl_uint, arg_value: cl_mem_device_address_ext) -> cl_int>;
pub type clSetKernelArgMemPointerINTEL_fn = clSetKernelArgMemPointerINTEL_t;
pub type clSetKernelArgMemPointerINTEL_t = Option<unsafe extern "C" fn(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) -> cl_int>;
pub type clSetKernelArgSVMPointerARM_fn = clSetKernelArgSVMPointerARM_t;
pub type clSetKernelArgSVMPointerARM_t = Option<unsafe extern "C" fn(kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void) -> cl_int>;
pub type clSetKernelExecInfoARM_fn = clSetKernelExecInfoARM_t;
pub type clSetKernelExecInfoARM_t = Option<unsafe extern "C" fn(kernel: cl_kernel, param_name: cl_kernel_exec_info_arm, param_value_size: usize, param_value: *const c_void) -> cl_int>;
pub type clSetMemObjectDestructorAPPLE_fn = clSetMemObjectDestructorAPPLE_t;
pub type clSetMemObjectDestructorAPPLE_t = Option<unsafe extern "C" fn(memobj: cl_mem, pfn_notify :Option<unsafe extern "C" fn(memobj: cl_mem, user_data: *mut c_void)>, user_data: *mut c_void) -> cl_int>;
pub type clSetPerfHintQCOM_fn = clSetPerfHintQCOM_t;
pub type clSetPerfHintQCOM_t = Option<unsafe extern "C" fn(context: cl_context, perf_hint: cl_perf_hint_qcom) -> cl_int>;
pub type clSharedMemAllocINTEL_fn = clSharedMemAllocINTEL_t;
pub type clSharedMemAllocINTEL_t = Option<unsafe extern "C" fn(context: cl_context, device: cl_device_id, properties: *const cl_mem_properties_intel, size: usize, alignment: cl_uint, errcode_ret: *mut cl_int) -> *mut c_void>;
pub type clTerminateContextKHR_fn = clTerminateContextKHR_t;
pub type clTerminateContextKHR_t = Option<unsafe extern "C" fn(context: cl_context) -> cl_int>;
pub type clUpdateMutableCommandsKHR_fn = clUpdateMutableCommandsKHR_t;
pub type clUpdateMutableCommandsKHR_t = Option<unsafe extern "C" fn(command_buffer: cl_command_buffer_khr, num_configs: cl_uint, config_types: *const cl_command_buffer_update_type_khr, configs: *mut *const c_void) -> cl_int>;
pub type cl_GLenum = c_uint;
pub type cl_GLint = c_int;
pub type cl_GLsync = *mut __GLsync;
pub type cl_GLuint = c_uint;
pub type cl_accelerator_info_intel = cl_uint;
pub type cl_accelerator_intel = *mut _cl_accelerator_intel;
pub type cl_accelerator_type_intel = cl_uint;
pub type cl_addressing_mode = cl_uint;
pub type cl_bitfield = cl_ulong;
pub type cl_bool = cl_uint;
pub type cl_buffer_create_type = cl_uint;
pub type cl_buffer_region = _cl_buffer_region;
pub type cl_build_status = cl_int;
pub type cl_channel_order = cl_uint;
pub type cl_channel_type = cl_uint;
pub type cl_char = i8;
pub type cl_char3 = cl_char4;
pub type cl_command_buffer_flags_khr = cl_bitfield;
pub type cl_command_buffer_info_khr = cl_uint;
pub type cl_command_buffer_khr = *mut _cl_command_buffer_khr;
pub type cl_command_buffer_properties_khr = cl_properties;
pub type cl_command_buffer_state_khr = cl_uint;
pub type cl_command_buffer_update_type_khr = cl_uint;
pub type cl_command_properties_khr = cl_properties;
pub type cl_command_queue = *mut _cl_command_queue;
pub type cl_command_queue_capabilities_intel = cl_bitfield;
pub type cl_command_queue_info = cl_uint;
pub type cl_command_queue_properties = cl_bitfield;
pub type cl_command_type = cl_uint;
pub type cl_context = *mut _cl_context;
pub type cl_context_info = cl_uint;
pub type cl_context_memory_initialize_khr = cl_bitfield;
pub type cl_context_properties = isize;
pub type cl_device_affinity_domain = cl_bitfield;
pub type cl_device_atomic_capabilities = cl_bitfield;
pub type cl_device_command_buffer_capabilities_khr = cl_bitfield;
pub type cl_device_controlled_termination_capabilities_arm = cl_bitfield;
pub type cl_device_device_enqueue_capabilities = cl_bitfield;
pub type cl_device_exec_capabilities = cl_bitfield;
pub type cl_device_feature_capabilities_intel = cl_bitfield;
pub type cl_device_fp_atomic_capabilities_ext = cl_bitfield;
pub type cl_device_fp_config = cl_bitfield;
pub type cl_device_id = *mut _cl_device_id;
pub type cl_device_info = cl_uint;
pub type cl_device_integer_dot_product_acceleration_properties_khr = _cl_device_integer_dot_product_acceleration_properties_khr;
pub type cl_device_integer_dot_product_capabilities_khr = cl_bitfield;
pub type cl_device_kernel_clock_capabilities_khr = cl_bitfield;
pub type cl_device_local_mem_type = cl_uint;
pub type cl_device_mem_cache_type = cl_uint;
pub type cl_device_partition_property = isize;
pub type cl_device_partition_property_ext = cl_ulong;
pub type cl_device_pci_bus_info_khr = _cl_device_pci_bus_info_khr;
pub type cl_device_scheduling_controls_capabilities_arm = cl_bitfield;
pub type cl_device_svm_capabilities = cl_bitfield;
pub type cl_device_svm_capabilities_arm = cl_bitfield;
pub type cl_device_terminate_capability_khr = cl_bitfield;
pub type cl_device_type = cl_bitfield;
pub type cl_device_unified_shared_memory_capabilities_intel = cl_bitfield;
pub type cl_diagnostic_verbose_level_intel = cl_bitfield;
pub type cl_double = f64;
pub type cl_double3 = cl_double4;
pub type cl_egl_image_properties_khr = isize;
pub type cl_event = *mut _cl_event;
pub type cl_event_info = cl_uint;
pub type cl_external_memory_handle_type_khr = cl_uint;
pub type cl_external_semaphore_handle_type_khr = cl_uint;
pub type cl_filter_mode = cl_uint;
pub type cl_float = f32;
pub type cl_float3 = cl_float4;
pub type cl_gl_context_info = cl_uint;
pub type cl_gl_object_type = cl_uint;
pub type cl_gl_platform_info = cl_uint;
pub type cl_gl_texture_info = cl_uint;
pub type cl_half = u16;
pub type cl_half3 = cl_half4;
pub type cl_icdl_info = cl_uint;
pub type cl_image_desc = _cl_image_desc;
pub type cl_image_format = _cl_image_format;
pub type cl_image_info = cl_uint;
pub type cl_image_pitch_info_qcom = cl_uint;
pub type cl_image_requirements_info_ext = cl_uint;
pub type cl_import_properties_arm = isize;
pub type cl_int = i32;
pub type cl_int3 = cl_int4;
pub type cl_kernel = *mut _cl_kernel;
pub type cl_kernel_arg_access_qualifier = cl_uint;
pub type cl_kernel_arg_address_qualifier = cl_uint;
pub type cl_kernel_arg_info = cl_uint;
pub type cl_kernel_arg_type_qualifier = cl_bitfield;
pub type cl_kernel_exec_info = cl_uint;
pub type cl_kernel_exec_info_arm = cl_uint;
pub type cl_kernel_info = cl_uint;
pub type cl_kernel_sub_group_info = cl_uint;
pub type cl_kernel_work_group_info = cl_uint;
pub type cl_khronos_vendor_id = cl_uint;
pub type cl_long = i64;
pub type cl_long3 = cl_long4;
pub type cl_map_flags = cl_bitfield;
pub type cl_mem = *mut _cl_mem;
pub type cl_mem_advice_intel = cl_uint;
pub type cl_mem_alloc_flags_intel = cl_bitfield;
pub type cl_mem_android_native_buffer_host_ptr = _cl_mem_android_native_buffer_host_ptr;
pub type cl_mem_device_address_ext = cl_ulong;
pub type cl_mem_ext_host_ptr = _cl_mem_ext_host_ptr;
pub type cl_mem_flags = cl_bitfield;
pub type cl_mem_info = cl_uint;
pub type cl_mem_info_intel = cl_uint;
pub type cl_mem_ion_host_ptr = _cl_mem_ion_host_ptr;
pub type cl_mem_migration_flags = cl_bitfield;
pub type cl_mem_migration_flags_ext = cl_bitfield;
pub type cl_mem_object_type = cl_uint;
pub type cl_mem_properties = cl_properties;
pub type cl_mem_properties_intel = cl_properties;
pub type cl_mipmap_filter_mode_img = cl_uint;
pub type cl_motion_estimation_desc_intel = _cl_motion_estimation_desc_intel;
pub type cl_mutable_command_info_khr = cl_uint;
pub type cl_mutable_command_khr = *mut _cl_mutable_command_khr;
pub type cl_mutable_dispatch_arg_khr = _cl_mutable_dispatch_arg_khr;
pub type cl_mutable_dispatch_asserts_khr = cl_bitfield;
pub type cl_mutable_dispatch_config_khr = _cl_mutable_dispatch_config_khr;
pub type cl_mutable_dispatch_exec_info_khr = _cl_mutable_dispatch_exec_info_khr;
pub type cl_mutable_dispatch_fields_khr = cl_bitfield;
pub type cl_name_version = _cl_name_version;
pub type cl_name_version_khr = _cl_name_version_khr;
pub type cl_perf_hint_qcom = cl_uint;
pub type cl_pipe_info = cl_uint;
pub type cl_pipe_properties = isize;
pub type cl_platform_command_buffer_capabilities_khr = cl_bitfield;
pub type cl_platform_id = *mut _cl_platform_id;
pub type cl_platform_info = cl_uint;
pub type cl_profiling_info = cl_uint;
pub type cl_program = *mut _cl_program;
pub type cl_program_binary_type = cl_uint;
pub type cl_program_build_info = cl_uint;
pub type cl_program_info = cl_uint;
pub type cl_properties = cl_ulong;
pub type cl_queue_family_properties_intel = _cl_queue_family_properties_intel;
pub type cl_queue_priority_khr = cl_uint;
pub type cl_queue_properties = cl_properties;
pub type cl_queue_properties_khr = cl_properties;
pub type cl_queue_throttle_khr = cl_uint;
pub type cl_sampler = *mut _cl_sampler;
pub type cl_sampler_info = cl_uint;
pub type cl_sampler_properties = cl_properties;
pub type cl_semaphore_info_khr = cl_uint;
pub type cl_semaphore_khr = *mut _cl_semaphore_khr;
pub type cl_semaphore_payload_khr = cl_ulong;
pub type cl_semaphore_properties_khr = cl_properties;
pub type cl_semaphore_reimport_properties_khr = cl_properties;
pub type cl_semaphore_type_khr = cl_uint;
pub type cl_short = i16;
pub type cl_short3 = cl_short4;
pub type cl_svm_mem_flags = cl_bitfield;
pub type cl_svm_mem_flags_arm = cl_bitfield;
pub type cl_sync_point_khr = cl_uint;
pub type cl_uchar = u8;
pub type cl_uchar3 = cl_uchar4;
pub type cl_uint = u32;
pub type cl_uint3 = cl_uint4;
pub type cl_ulong = u64;
pub type cl_ulong3 = cl_ulong4;
pub type cl_unified_shared_memory_type_intel = cl_uint;
pub type cl_ushort = u16;
pub type cl_ushort3 = cl_ushort4;
pub type cl_version = cl_uint;
pub type cl_version_khr = cl_uint;
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __GLsync {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_accelerator_intel {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_buffer_region {
    pub origin: usize,
    pub size: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_command_buffer_khr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_command_queue {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_context {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_device_id {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_device_integer_dot_product_acceleration_properties_khr {
    pub signed_accelerated: cl_bool,
    pub unsigned_accelerated: cl_bool,
    pub mixed_signedness_accelerated: cl_bool,
    pub accumulating_saturating_signed_accelerated: cl_bool,
    pub accumulating_saturating_unsigned_accelerated: cl_bool,
    pub accumulating_saturating_mixed_signedness_accelerated: cl_bool,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_device_pci_bus_info_khr {
    pub pci_domain: cl_uint,
    pub pci_bus: cl_uint,
    pub pci_device: cl_uint,
    pub pci_function: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_event {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct _cl_image_desc {
    pub image_type: cl_mem_object_type,
    pub image_width: usize,
    pub image_height: usize,
    pub image_depth: usize,
    pub image_array_size: usize,
    pub image_row_pitch: usize,
    pub image_slice_pitch: usize,
    pub num_mip_levels: cl_uint,
    pub num_samples: cl_uint,
    pub __bindgen_anon_1: _cl_image_desc__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union _cl_image_desc__bindgen_ty_1 {
    pub buffer: cl_mem,
    pub mem_object: cl_mem,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_image_format {
    pub image_channel_order: cl_channel_order,
    pub image_channel_data_type: cl_channel_type,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_kernel {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_mem {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_mem_android_native_buffer_host_ptr {
    pub ext_host_ptr: cl_mem_ext_host_ptr,
    pub anb_ptr: *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_mem_ext_host_ptr {
    pub allocation_type: cl_uint,
    pub host_cache_policy: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_mem_ion_host_ptr {
    pub ext_host_ptr: cl_mem_ext_host_ptr,
    pub ion_filedesc: c_int,
    pub ion_hostptr: *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_motion_estimation_desc_intel {
    pub mb_block_type: cl_uint,
    pub subpixel_mode: cl_uint,
    pub sad_adjust_mode: cl_uint,
    pub search_path_type: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_mutable_command_khr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_mutable_dispatch_arg_khr {
    pub arg_index: cl_uint,
    pub arg_size: usize,
    pub arg_value: *const c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_mutable_dispatch_config_khr {
    pub command: cl_mutable_command_khr,
    pub num_args: cl_uint,
    pub num_svm_args: cl_uint,
    pub num_exec_infos: cl_uint,
    pub work_dim: cl_uint,
    pub arg_list: *const cl_mutable_dispatch_arg_khr,
    pub arg_svm_list: *const cl_mutable_dispatch_arg_khr,
    pub exec_info_list: *const cl_mutable_dispatch_exec_info_khr,
    pub global_work_offset: *const usize,
    pub global_work_size: *const usize,
    pub local_work_size: *const usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_mutable_dispatch_exec_info_khr {
    pub param_name: cl_uint,
    pub param_value_size: usize,
    pub param_value: *const c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_name_version {
    pub version: cl_version,
    pub name: [c_char; 64],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_name_version_khr {
    pub version: cl_version_khr,
    pub name: [c_char; 64],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_platform_id {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_program {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_queue_family_properties_intel {
    pub properties: cl_command_queue_properties,
    pub capabilities: cl_command_queue_capabilities_intel,
    pub count: cl_uint,
    pub name: [c_char; 64],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_sampler {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _cl_semaphore_khr {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_char16 {
    pub s: [cl_char; 16],
    pub __bindgen_anon_1: cl_char16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_char16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_char16__bindgen_ty_3,
    pub v8: [__cl_char8; 2],
    pub v16: __cl_char16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char16__bindgen_ty_1 {
    pub x: cl_char,
    pub y: cl_char,
    pub z: cl_char,
    pub w: cl_char,
    pub __spacer4: cl_char,
    pub __spacer5: cl_char,
    pub __spacer6: cl_char,
    pub __spacer7: cl_char,
    pub __spacer8: cl_char,
    pub __spacer9: cl_char,
    pub sa: cl_char,
    pub sb: cl_char,
    pub sc: cl_char,
    pub sd: cl_char,
    pub se: cl_char,
    pub sf: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char16__bindgen_ty_2 {
    pub s0: cl_char,
    pub s1: cl_char,
    pub s2: cl_char,
    pub s3: cl_char,
    pub s4: cl_char,
    pub s5: cl_char,
    pub s6: cl_char,
    pub s7: cl_char,
    pub s8: cl_char,
    pub s9: cl_char,
    pub sA: cl_char,
    pub sB: cl_char,
    pub sC: cl_char,
    pub sD: cl_char,
    pub sE: cl_char,
    pub sF: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_char16__bindgen_ty_3 {
    pub lo: cl_char8,
    pub hi: cl_char8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_char2 {
    pub s: [cl_char; 2],
    pub __bindgen_anon_1: cl_char2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_char2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_char2__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char2__bindgen_ty_1 {
    pub x: cl_char,
    pub y: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char2__bindgen_ty_2 {
    pub s0: cl_char,
    pub s1: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char2__bindgen_ty_3 {
    pub lo: cl_char,
    pub hi: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_char4 {
    pub s: [cl_char; 4],
    pub __bindgen_anon_1: cl_char4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_char4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_char4__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char4__bindgen_ty_1 {
    pub x: cl_char,
    pub y: cl_char,
    pub z: cl_char,
    pub w: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char4__bindgen_ty_2 {
    pub s0: cl_char,
    pub s1: cl_char,
    pub s2: cl_char,
    pub s3: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_char4__bindgen_ty_3 {
    pub lo: cl_char2,
    pub hi: cl_char2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_char8 {
    pub s: [cl_char; 8],
    pub __bindgen_anon_1: cl_char8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_char8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_char8__bindgen_ty_3,
    pub v8: __cl_char8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char8__bindgen_ty_1 {
    pub x: cl_char,
    pub y: cl_char,
    pub z: cl_char,
    pub w: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_char8__bindgen_ty_2 {
    pub s0: cl_char,
    pub s1: cl_char,
    pub s2: cl_char,
    pub s3: cl_char,
    pub s4: cl_char,
    pub s5: cl_char,
    pub s6: cl_char,
    pub s7: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_char8__bindgen_ty_3 {
    pub lo: cl_char4,
    pub hi: cl_char4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_device_topology_amd {
    pub raw: cl_device_topology_amd__bindgen_ty_1,
    pub pcie: cl_device_topology_amd__bindgen_ty_2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_device_topology_amd__bindgen_ty_1 {
    pub type_: cl_uint,
    pub data: [cl_uint; 5],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_device_topology_amd__bindgen_ty_2 {
    pub type_: cl_uint,
    pub unused: [cl_char; 17],
    pub bus: cl_char,
    pub device: cl_char,
    pub function: cl_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_double16 {
    pub s: [cl_double; 16],
    pub __bindgen_anon_1: cl_double16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_double16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_double16__bindgen_ty_3,
    pub v2: [__cl_double2; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double16__bindgen_ty_1 {
    pub x: cl_double,
    pub y: cl_double,
    pub z: cl_double,
    pub w: cl_double,
    pub __spacer4: cl_double,
    pub __spacer5: cl_double,
    pub __spacer6: cl_double,
    pub __spacer7: cl_double,
    pub __spacer8: cl_double,
    pub __spacer9: cl_double,
    pub sa: cl_double,
    pub sb: cl_double,
    pub sc: cl_double,
    pub sd: cl_double,
    pub se: cl_double,
    pub sf: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double16__bindgen_ty_2 {
    pub s0: cl_double,
    pub s1: cl_double,
    pub s2: cl_double,
    pub s3: cl_double,
    pub s4: cl_double,
    pub s5: cl_double,
    pub s6: cl_double,
    pub s7: cl_double,
    pub s8: cl_double,
    pub s9: cl_double,
    pub sA: cl_double,
    pub sB: cl_double,
    pub sC: cl_double,
    pub sD: cl_double,
    pub sE: cl_double,
    pub sF: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_double16__bindgen_ty_3 {
    pub lo: cl_double8,
    pub hi: cl_double8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_double2 {
    pub s: [cl_double; 2],
    pub __bindgen_anon_1: cl_double2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_double2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_double2__bindgen_ty_3,
    pub v2: __cl_double2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double2__bindgen_ty_1 {
    pub x: cl_double,
    pub y: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double2__bindgen_ty_2 {
    pub s0: cl_double,
    pub s1: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double2__bindgen_ty_3 {
    pub lo: cl_double,
    pub hi: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_double4 {
    pub s: [cl_double; 4],
    pub __bindgen_anon_1: cl_double4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_double4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_double4__bindgen_ty_3,
    pub v2: [__cl_double2; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double4__bindgen_ty_1 {
    pub x: cl_double,
    pub y: cl_double,
    pub z: cl_double,
    pub w: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double4__bindgen_ty_2 {
    pub s0: cl_double,
    pub s1: cl_double,
    pub s2: cl_double,
    pub s3: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_double4__bindgen_ty_3 {
    pub lo: cl_double2,
    pub hi: cl_double2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_double8 {
    pub s: [cl_double; 8],
    pub __bindgen_anon_1: cl_double8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_double8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_double8__bindgen_ty_3,
    pub v2: [__cl_double2; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double8__bindgen_ty_1 {
    pub x: cl_double,
    pub y: cl_double,
    pub z: cl_double,
    pub w: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_double8__bindgen_ty_2 {
    pub s0: cl_double,
    pub s1: cl_double,
    pub s2: cl_double,
    pub s3: cl_double,
    pub s4: cl_double,
    pub s5: cl_double,
    pub s6: cl_double,
    pub s7: cl_double,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_double8__bindgen_ty_3 {
    pub lo: cl_double4,
    pub hi: cl_double4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_float16 {
    pub s: [cl_float; 16],
    pub __bindgen_anon_1: cl_float16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_float16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_float16__bindgen_ty_3,
    pub v2: [__cl_float2; 8],
    pub v4: [__cl_float4; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float16__bindgen_ty_1 {
    pub x: cl_float,
    pub y: cl_float,
    pub z: cl_float,
    pub w: cl_float,
    pub __spacer4: cl_float,
    pub __spacer5: cl_float,
    pub __spacer6: cl_float,
    pub __spacer7: cl_float,
    pub __spacer8: cl_float,
    pub __spacer9: cl_float,
    pub sa: cl_float,
    pub sb: cl_float,
    pub sc: cl_float,
    pub sd: cl_float,
    pub se: cl_float,
    pub sf: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float16__bindgen_ty_2 {
    pub s0: cl_float,
    pub s1: cl_float,
    pub s2: cl_float,
    pub s3: cl_float,
    pub s4: cl_float,
    pub s5: cl_float,
    pub s6: cl_float,
    pub s7: cl_float,
    pub s8: cl_float,
    pub s9: cl_float,
    pub sA: cl_float,
    pub sB: cl_float,
    pub sC: cl_float,
    pub sD: cl_float,
    pub sE: cl_float,
    pub sF: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_float16__bindgen_ty_3 {
    pub lo: cl_float8,
    pub hi: cl_float8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_float2 {
    pub s: [cl_float; 2],
    pub __bindgen_anon_1: cl_float2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_float2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_float2__bindgen_ty_3,
    pub v2: __cl_float2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float2__bindgen_ty_1 {
    pub x: cl_float,
    pub y: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float2__bindgen_ty_2 {
    pub s0: cl_float,
    pub s1: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float2__bindgen_ty_3 {
    pub lo: cl_float,
    pub hi: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_float4 {
    pub s: [cl_float; 4],
    pub __bindgen_anon_1: cl_float4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_float4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_float4__bindgen_ty_3,
    pub v2: [__cl_float2; 2],
    pub v4: __cl_float4,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float4__bindgen_ty_1 {
    pub x: cl_float,
    pub y: cl_float,
    pub z: cl_float,
    pub w: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float4__bindgen_ty_2 {
    pub s0: cl_float,
    pub s1: cl_float,
    pub s2: cl_float,
    pub s3: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_float4__bindgen_ty_3 {
    pub lo: cl_float2,
    pub hi: cl_float2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_float8 {
    pub s: [cl_float; 8],
    pub __bindgen_anon_1: cl_float8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_float8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_float8__bindgen_ty_3,
    pub v2: [__cl_float2; 4],
    pub v4: [__cl_float4; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float8__bindgen_ty_1 {
    pub x: cl_float,
    pub y: cl_float,
    pub z: cl_float,
    pub w: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_float8__bindgen_ty_2 {
    pub s0: cl_float,
    pub s1: cl_float,
    pub s2: cl_float,
    pub s3: cl_float,
    pub s4: cl_float,
    pub s5: cl_float,
    pub s6: cl_float,
    pub s7: cl_float,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_float8__bindgen_ty_3 {
    pub lo: cl_float4,
    pub hi: cl_float4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_half16 {
    pub s: [cl_half; 16],
    pub __bindgen_anon_1: cl_half16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_half16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_half16__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half16__bindgen_ty_1 {
    pub x: cl_half,
    pub y: cl_half,
    pub z: cl_half,
    pub w: cl_half,
    pub __spacer4: cl_half,
    pub __spacer5: cl_half,
    pub __spacer6: cl_half,
    pub __spacer7: cl_half,
    pub __spacer8: cl_half,
    pub __spacer9: cl_half,
    pub sa: cl_half,
    pub sb: cl_half,
    pub sc: cl_half,
    pub sd: cl_half,
    pub se: cl_half,
    pub sf: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half16__bindgen_ty_2 {
    pub s0: cl_half,
    pub s1: cl_half,
    pub s2: cl_half,
    pub s3: cl_half,
    pub s4: cl_half,
    pub s5: cl_half,
    pub s6: cl_half,
    pub s7: cl_half,
    pub s8: cl_half,
    pub s9: cl_half,
    pub sA: cl_half,
    pub sB: cl_half,
    pub sC: cl_half,
    pub sD: cl_half,
    pub sE: cl_half,
    pub sF: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_half16__bindgen_ty_3 {
    pub lo: cl_half8,
    pub hi: cl_half8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_half2 {
    pub s: [cl_half; 2],
    pub __bindgen_anon_1: cl_half2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_half2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_half2__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half2__bindgen_ty_1 {
    pub x: cl_half,
    pub y: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half2__bindgen_ty_2 {
    pub s0: cl_half,
    pub s1: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half2__bindgen_ty_3 {
    pub lo: cl_half,
    pub hi: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_half4 {
    pub s: [cl_half; 4],
    pub __bindgen_anon_1: cl_half4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_half4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_half4__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half4__bindgen_ty_1 {
    pub x: cl_half,
    pub y: cl_half,
    pub z: cl_half,
    pub w: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half4__bindgen_ty_2 {
    pub s0: cl_half,
    pub s1: cl_half,
    pub s2: cl_half,
    pub s3: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_half4__bindgen_ty_3 {
    pub lo: cl_half2,
    pub hi: cl_half2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_half8 {
    pub s: [cl_half; 8],
    pub __bindgen_anon_1: cl_half8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_half8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_half8__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half8__bindgen_ty_1 {
    pub x: cl_half,
    pub y: cl_half,
    pub z: cl_half,
    pub w: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_half8__bindgen_ty_2 {
    pub s0: cl_half,
    pub s1: cl_half,
    pub s2: cl_half,
    pub s3: cl_half,
    pub s4: cl_half,
    pub s5: cl_half,
    pub s6: cl_half,
    pub s7: cl_half,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_half8__bindgen_ty_3 {
    pub lo: cl_half4,
    pub hi: cl_half4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_int16 {
    pub s: [cl_int; 16],
    pub __bindgen_anon_1: cl_int16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_int16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_int16__bindgen_ty_3,
    pub v2: [__cl_int2; 8],
    pub v4: [__cl_int4; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int16__bindgen_ty_1 {
    pub x: cl_int,
    pub y: cl_int,
    pub z: cl_int,
    pub w: cl_int,
    pub __spacer4: cl_int,
    pub __spacer5: cl_int,
    pub __spacer6: cl_int,
    pub __spacer7: cl_int,
    pub __spacer8: cl_int,
    pub __spacer9: cl_int,
    pub sa: cl_int,
    pub sb: cl_int,
    pub sc: cl_int,
    pub sd: cl_int,
    pub se: cl_int,
    pub sf: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int16__bindgen_ty_2 {
    pub s0: cl_int,
    pub s1: cl_int,
    pub s2: cl_int,
    pub s3: cl_int,
    pub s4: cl_int,
    pub s5: cl_int,
    pub s6: cl_int,
    pub s7: cl_int,
    pub s8: cl_int,
    pub s9: cl_int,
    pub sA: cl_int,
    pub sB: cl_int,
    pub sC: cl_int,
    pub sD: cl_int,
    pub sE: cl_int,
    pub sF: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_int16__bindgen_ty_3 {
    pub lo: cl_int8,
    pub hi: cl_int8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_int2 {
    pub s: [cl_int; 2],
    pub __bindgen_anon_1: cl_int2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_int2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_int2__bindgen_ty_3,
    pub v2: __cl_int2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int2__bindgen_ty_1 {
    pub x: cl_int,
    pub y: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int2__bindgen_ty_2 {
    pub s0: cl_int,
    pub s1: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int2__bindgen_ty_3 {
    pub lo: cl_int,
    pub hi: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_int4 {
    pub s: [cl_int; 4],
    pub __bindgen_anon_1: cl_int4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_int4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_int4__bindgen_ty_3,
    pub v2: [__cl_int2; 2],
    pub v4: __cl_int4,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int4__bindgen_ty_1 {
    pub x: cl_int,
    pub y: cl_int,
    pub z: cl_int,
    pub w: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int4__bindgen_ty_2 {
    pub s0: cl_int,
    pub s1: cl_int,
    pub s2: cl_int,
    pub s3: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_int4__bindgen_ty_3 {
    pub lo: cl_int2,
    pub hi: cl_int2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_int8 {
    pub s: [cl_int; 8],
    pub __bindgen_anon_1: cl_int8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_int8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_int8__bindgen_ty_3,
    pub v2: [__cl_int2; 4],
    pub v4: [__cl_int4; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int8__bindgen_ty_1 {
    pub x: cl_int,
    pub y: cl_int,
    pub z: cl_int,
    pub w: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_int8__bindgen_ty_2 {
    pub s0: cl_int,
    pub s1: cl_int,
    pub s2: cl_int,
    pub s3: cl_int,
    pub s4: cl_int,
    pub s5: cl_int,
    pub s6: cl_int,
    pub s7: cl_int,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_int8__bindgen_ty_3 {
    pub lo: cl_int4,
    pub hi: cl_int4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_long16 {
    pub s: [cl_long; 16],
    pub __bindgen_anon_1: cl_long16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_long16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_long16__bindgen_ty_3,
    pub v2: [__cl_long2; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long16__bindgen_ty_1 {
    pub x: cl_long,
    pub y: cl_long,
    pub z: cl_long,
    pub w: cl_long,
    pub __spacer4: cl_long,
    pub __spacer5: cl_long,
    pub __spacer6: cl_long,
    pub __spacer7: cl_long,
    pub __spacer8: cl_long,
    pub __spacer9: cl_long,
    pub sa: cl_long,
    pub sb: cl_long,
    pub sc: cl_long,
    pub sd: cl_long,
    pub se: cl_long,
    pub sf: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long16__bindgen_ty_2 {
    pub s0: cl_long,
    pub s1: cl_long,
    pub s2: cl_long,
    pub s3: cl_long,
    pub s4: cl_long,
    pub s5: cl_long,
    pub s6: cl_long,
    pub s7: cl_long,
    pub s8: cl_long,
    pub s9: cl_long,
    pub sA: cl_long,
    pub sB: cl_long,
    pub sC: cl_long,
    pub sD: cl_long,
    pub sE: cl_long,
    pub sF: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_long16__bindgen_ty_3 {
    pub lo: cl_long8,
    pub hi: cl_long8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_long2 {
    pub s: [cl_long; 2],
    pub __bindgen_anon_1: cl_long2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_long2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_long2__bindgen_ty_3,
    pub v2: __cl_long2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long2__bindgen_ty_1 {
    pub x: cl_long,
    pub y: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long2__bindgen_ty_2 {
    pub s0: cl_long,
    pub s1: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long2__bindgen_ty_3 {
    pub lo: cl_long,
    pub hi: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_long4 {
    pub s: [cl_long; 4],
    pub __bindgen_anon_1: cl_long4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_long4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_long4__bindgen_ty_3,
    pub v2: [__cl_long2; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long4__bindgen_ty_1 {
    pub x: cl_long,
    pub y: cl_long,
    pub z: cl_long,
    pub w: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long4__bindgen_ty_2 {
    pub s0: cl_long,
    pub s1: cl_long,
    pub s2: cl_long,
    pub s3: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_long4__bindgen_ty_3 {
    pub lo: cl_long2,
    pub hi: cl_long2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_long8 {
    pub s: [cl_long; 8],
    pub __bindgen_anon_1: cl_long8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_long8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_long8__bindgen_ty_3,
    pub v2: [__cl_long2; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long8__bindgen_ty_1 {
    pub x: cl_long,
    pub y: cl_long,
    pub z: cl_long,
    pub w: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_long8__bindgen_ty_2 {
    pub s0: cl_long,
    pub s1: cl_long,
    pub s2: cl_long,
    pub s3: cl_long,
    pub s4: cl_long,
    pub s5: cl_long,
    pub s6: cl_long,
    pub s7: cl_long,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_long8__bindgen_ty_3 {
    pub lo: cl_long4,
    pub hi: cl_long4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_short16 {
    pub s: [cl_short; 16],
    pub __bindgen_anon_1: cl_short16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_short16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_short16__bindgen_ty_3,
    pub v4: [__cl_short4; 4],
    pub v8: [__cl_short8; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short16__bindgen_ty_1 {
    pub x: cl_short,
    pub y: cl_short,
    pub z: cl_short,
    pub w: cl_short,
    pub __spacer4: cl_short,
    pub __spacer5: cl_short,
    pub __spacer6: cl_short,
    pub __spacer7: cl_short,
    pub __spacer8: cl_short,
    pub __spacer9: cl_short,
    pub sa: cl_short,
    pub sb: cl_short,
    pub sc: cl_short,
    pub sd: cl_short,
    pub se: cl_short,
    pub sf: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short16__bindgen_ty_2 {
    pub s0: cl_short,
    pub s1: cl_short,
    pub s2: cl_short,
    pub s3: cl_short,
    pub s4: cl_short,
    pub s5: cl_short,
    pub s6: cl_short,
    pub s7: cl_short,
    pub s8: cl_short,
    pub s9: cl_short,
    pub sA: cl_short,
    pub sB: cl_short,
    pub sC: cl_short,
    pub sD: cl_short,
    pub sE: cl_short,
    pub sF: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_short16__bindgen_ty_3 {
    pub lo: cl_short8,
    pub hi: cl_short8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_short2 {
    pub s: [cl_short; 2],
    pub __bindgen_anon_1: cl_short2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_short2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_short2__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short2__bindgen_ty_1 {
    pub x: cl_short,
    pub y: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short2__bindgen_ty_2 {
    pub s0: cl_short,
    pub s1: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short2__bindgen_ty_3 {
    pub lo: cl_short,
    pub hi: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_short4 {
    pub s: [cl_short; 4],
    pub __bindgen_anon_1: cl_short4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_short4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_short4__bindgen_ty_3,
    pub v4: __cl_short4,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short4__bindgen_ty_1 {
    pub x: cl_short,
    pub y: cl_short,
    pub z: cl_short,
    pub w: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short4__bindgen_ty_2 {
    pub s0: cl_short,
    pub s1: cl_short,
    pub s2: cl_short,
    pub s3: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_short4__bindgen_ty_3 {
    pub lo: cl_short2,
    pub hi: cl_short2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_short8 {
    pub s: [cl_short; 8],
    pub __bindgen_anon_1: cl_short8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_short8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_short8__bindgen_ty_3,
    pub v4: [__cl_short4; 2],
    pub v8: __cl_short8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short8__bindgen_ty_1 {
    pub x: cl_short,
    pub y: cl_short,
    pub z: cl_short,
    pub w: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_short8__bindgen_ty_2 {
    pub s0: cl_short,
    pub s1: cl_short,
    pub s2: cl_short,
    pub s3: cl_short,
    pub s4: cl_short,
    pub s5: cl_short,
    pub s6: cl_short,
    pub s7: cl_short,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_short8__bindgen_ty_3 {
    pub lo: cl_short4,
    pub hi: cl_short4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_uchar16 {
    pub s: [cl_uchar; 16],
    pub __bindgen_anon_1: cl_uchar16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_uchar16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_uchar16__bindgen_ty_3,
    pub v8: [__cl_uchar8; 2],
    pub v16: __cl_uchar16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar16__bindgen_ty_1 {
    pub x: cl_uchar,
    pub y: cl_uchar,
    pub z: cl_uchar,
    pub w: cl_uchar,
    pub __spacer4: cl_uchar,
    pub __spacer5: cl_uchar,
    pub __spacer6: cl_uchar,
    pub __spacer7: cl_uchar,
    pub __spacer8: cl_uchar,
    pub __spacer9: cl_uchar,
    pub sa: cl_uchar,
    pub sb: cl_uchar,
    pub sc: cl_uchar,
    pub sd: cl_uchar,
    pub se: cl_uchar,
    pub sf: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar16__bindgen_ty_2 {
    pub s0: cl_uchar,
    pub s1: cl_uchar,
    pub s2: cl_uchar,
    pub s3: cl_uchar,
    pub s4: cl_uchar,
    pub s5: cl_uchar,
    pub s6: cl_uchar,
    pub s7: cl_uchar,
    pub s8: cl_uchar,
    pub s9: cl_uchar,
    pub sA: cl_uchar,
    pub sB: cl_uchar,
    pub sC: cl_uchar,
    pub sD: cl_uchar,
    pub sE: cl_uchar,
    pub sF: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_uchar16__bindgen_ty_3 {
    pub lo: cl_uchar8,
    pub hi: cl_uchar8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_uchar2 {
    pub s: [cl_uchar; 2],
    pub __bindgen_anon_1: cl_uchar2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_uchar2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_uchar2__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar2__bindgen_ty_1 {
    pub x: cl_uchar,
    pub y: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar2__bindgen_ty_2 {
    pub s0: cl_uchar,
    pub s1: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar2__bindgen_ty_3 {
    pub lo: cl_uchar,
    pub hi: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_uchar4 {
    pub s: [cl_uchar; 4],
    pub __bindgen_anon_1: cl_uchar4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_uchar4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_uchar4__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar4__bindgen_ty_1 {
    pub x: cl_uchar,
    pub y: cl_uchar,
    pub z: cl_uchar,
    pub w: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar4__bindgen_ty_2 {
    pub s0: cl_uchar,
    pub s1: cl_uchar,
    pub s2: cl_uchar,
    pub s3: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_uchar4__bindgen_ty_3 {
    pub lo: cl_uchar2,
    pub hi: cl_uchar2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_uchar8 {
    pub s: [cl_uchar; 8],
    pub __bindgen_anon_1: cl_uchar8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_uchar8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_uchar8__bindgen_ty_3,
    pub v8: __cl_uchar8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar8__bindgen_ty_1 {
    pub x: cl_uchar,
    pub y: cl_uchar,
    pub z: cl_uchar,
    pub w: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uchar8__bindgen_ty_2 {
    pub s0: cl_uchar,
    pub s1: cl_uchar,
    pub s2: cl_uchar,
    pub s3: cl_uchar,
    pub s4: cl_uchar,
    pub s5: cl_uchar,
    pub s6: cl_uchar,
    pub s7: cl_uchar,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_uchar8__bindgen_ty_3 {
    pub lo: cl_uchar4,
    pub hi: cl_uchar4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_uint16 {
    pub s: [cl_uint; 16],
    pub __bindgen_anon_1: cl_uint16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_uint16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_uint16__bindgen_ty_3,
    pub v2: [__cl_uint2; 8],
    pub v4: [__cl_uint4; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint16__bindgen_ty_1 {
    pub x: cl_uint,
    pub y: cl_uint,
    pub z: cl_uint,
    pub w: cl_uint,
    pub __spacer4: cl_uint,
    pub __spacer5: cl_uint,
    pub __spacer6: cl_uint,
    pub __spacer7: cl_uint,
    pub __spacer8: cl_uint,
    pub __spacer9: cl_uint,
    pub sa: cl_uint,
    pub sb: cl_uint,
    pub sc: cl_uint,
    pub sd: cl_uint,
    pub se: cl_uint,
    pub sf: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint16__bindgen_ty_2 {
    pub s0: cl_uint,
    pub s1: cl_uint,
    pub s2: cl_uint,
    pub s3: cl_uint,
    pub s4: cl_uint,
    pub s5: cl_uint,
    pub s6: cl_uint,
    pub s7: cl_uint,
    pub s8: cl_uint,
    pub s9: cl_uint,
    pub sA: cl_uint,
    pub sB: cl_uint,
    pub sC: cl_uint,
    pub sD: cl_uint,
    pub sE: cl_uint,
    pub sF: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_uint16__bindgen_ty_3 {
    pub lo: cl_uint8,
    pub hi: cl_uint8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_uint2 {
    pub s: [cl_uint; 2],
    pub __bindgen_anon_1: cl_uint2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_uint2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_uint2__bindgen_ty_3,
    pub v2: __cl_uint2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint2__bindgen_ty_1 {
    pub x: cl_uint,
    pub y: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint2__bindgen_ty_2 {
    pub s0: cl_uint,
    pub s1: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint2__bindgen_ty_3 {
    pub lo: cl_uint,
    pub hi: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_uint4 {
    pub s: [cl_uint; 4],
    pub __bindgen_anon_1: cl_uint4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_uint4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_uint4__bindgen_ty_3,
    pub v2: [__cl_uint2; 2],
    pub v4: __cl_uint4,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint4__bindgen_ty_1 {
    pub x: cl_uint,
    pub y: cl_uint,
    pub z: cl_uint,
    pub w: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint4__bindgen_ty_2 {
    pub s0: cl_uint,
    pub s1: cl_uint,
    pub s2: cl_uint,
    pub s3: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_uint4__bindgen_ty_3 {
    pub lo: cl_uint2,
    pub hi: cl_uint2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_uint8 {
    pub s: [cl_uint; 8],
    pub __bindgen_anon_1: cl_uint8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_uint8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_uint8__bindgen_ty_3,
    pub v2: [__cl_uint2; 4],
    pub v4: [__cl_uint4; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint8__bindgen_ty_1 {
    pub x: cl_uint,
    pub y: cl_uint,
    pub z: cl_uint,
    pub w: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_uint8__bindgen_ty_2 {
    pub s0: cl_uint,
    pub s1: cl_uint,
    pub s2: cl_uint,
    pub s3: cl_uint,
    pub s4: cl_uint,
    pub s5: cl_uint,
    pub s6: cl_uint,
    pub s7: cl_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_uint8__bindgen_ty_3 {
    pub lo: cl_uint4,
    pub hi: cl_uint4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_ulong16 {
    pub s: [cl_ulong; 16],
    pub __bindgen_anon_1: cl_ulong16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_ulong16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_ulong16__bindgen_ty_3,
    pub v2: [__cl_ulong2; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong16__bindgen_ty_1 {
    pub x: cl_ulong,
    pub y: cl_ulong,
    pub z: cl_ulong,
    pub w: cl_ulong,
    pub __spacer4: cl_ulong,
    pub __spacer5: cl_ulong,
    pub __spacer6: cl_ulong,
    pub __spacer7: cl_ulong,
    pub __spacer8: cl_ulong,
    pub __spacer9: cl_ulong,
    pub sa: cl_ulong,
    pub sb: cl_ulong,
    pub sc: cl_ulong,
    pub sd: cl_ulong,
    pub se: cl_ulong,
    pub sf: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong16__bindgen_ty_2 {
    pub s0: cl_ulong,
    pub s1: cl_ulong,
    pub s2: cl_ulong,
    pub s3: cl_ulong,
    pub s4: cl_ulong,
    pub s5: cl_ulong,
    pub s6: cl_ulong,
    pub s7: cl_ulong,
    pub s8: cl_ulong,
    pub s9: cl_ulong,
    pub sA: cl_ulong,
    pub sB: cl_ulong,
    pub sC: cl_ulong,
    pub sD: cl_ulong,
    pub sE: cl_ulong,
    pub sF: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_ulong16__bindgen_ty_3 {
    pub lo: cl_ulong8,
    pub hi: cl_ulong8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_ulong2 {
    pub s: [cl_ulong; 2],
    pub __bindgen_anon_1: cl_ulong2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_ulong2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_ulong2__bindgen_ty_3,
    pub v2: __cl_ulong2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong2__bindgen_ty_1 {
    pub x: cl_ulong,
    pub y: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong2__bindgen_ty_2 {
    pub s0: cl_ulong,
    pub s1: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong2__bindgen_ty_3 {
    pub lo: cl_ulong,
    pub hi: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_ulong4 {
    pub s: [cl_ulong; 4],
    pub __bindgen_anon_1: cl_ulong4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_ulong4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_ulong4__bindgen_ty_3,
    pub v2: [__cl_ulong2; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong4__bindgen_ty_1 {
    pub x: cl_ulong,
    pub y: cl_ulong,
    pub z: cl_ulong,
    pub w: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong4__bindgen_ty_2 {
    pub s0: cl_ulong,
    pub s1: cl_ulong,
    pub s2: cl_ulong,
    pub s3: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_ulong4__bindgen_ty_3 {
    pub lo: cl_ulong2,
    pub hi: cl_ulong2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_ulong8 {
    pub s: [cl_ulong; 8],
    pub __bindgen_anon_1: cl_ulong8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_ulong8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_ulong8__bindgen_ty_3,
    pub v2: [__cl_ulong2; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong8__bindgen_ty_1 {
    pub x: cl_ulong,
    pub y: cl_ulong,
    pub z: cl_ulong,
    pub w: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ulong8__bindgen_ty_2 {
    pub s0: cl_ulong,
    pub s1: cl_ulong,
    pub s2: cl_ulong,
    pub s3: cl_ulong,
    pub s4: cl_ulong,
    pub s5: cl_ulong,
    pub s6: cl_ulong,
    pub s7: cl_ulong,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_ulong8__bindgen_ty_3 {
    pub lo: cl_ulong4,
    pub hi: cl_ulong4,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_ushort16 {
    pub s: [cl_ushort; 16],
    pub __bindgen_anon_1: cl_ushort16__bindgen_ty_1,
    pub __bindgen_anon_2: cl_ushort16__bindgen_ty_2,
    pub __bindgen_anon_3: cl_ushort16__bindgen_ty_3,
    pub v4: [__cl_ushort4; 4],
    pub v8: [__cl_ushort8; 2],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort16__bindgen_ty_1 {
    pub x: cl_ushort,
    pub y: cl_ushort,
    pub z: cl_ushort,
    pub w: cl_ushort,
    pub __spacer4: cl_ushort,
    pub __spacer5: cl_ushort,
    pub __spacer6: cl_ushort,
    pub __spacer7: cl_ushort,
    pub __spacer8: cl_ushort,
    pub __spacer9: cl_ushort,
    pub sa: cl_ushort,
    pub sb: cl_ushort,
    pub sc: cl_ushort,
    pub sd: cl_ushort,
    pub se: cl_ushort,
    pub sf: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort16__bindgen_ty_2 {
    pub s0: cl_ushort,
    pub s1: cl_ushort,
    pub s2: cl_ushort,
    pub s3: cl_ushort,
    pub s4: cl_ushort,
    pub s5: cl_ushort,
    pub s6: cl_ushort,
    pub s7: cl_ushort,
    pub s8: cl_ushort,
    pub s9: cl_ushort,
    pub sA: cl_ushort,
    pub sB: cl_ushort,
    pub sC: cl_ushort,
    pub sD: cl_ushort,
    pub sE: cl_ushort,
    pub sF: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_ushort16__bindgen_ty_3 {
    pub lo: cl_ushort8,
    pub hi: cl_ushort8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_ushort2 {
    pub s: [cl_ushort; 2],
    pub __bindgen_anon_1: cl_ushort2__bindgen_ty_1,
    pub __bindgen_anon_2: cl_ushort2__bindgen_ty_2,
    pub __bindgen_anon_3: cl_ushort2__bindgen_ty_3,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort2__bindgen_ty_1 {
    pub x: cl_ushort,
    pub y: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort2__bindgen_ty_2 {
    pub s0: cl_ushort,
    pub s1: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort2__bindgen_ty_3 {
    pub lo: cl_ushort,
    pub hi: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_ushort4 {
    pub s: [cl_ushort; 4],
    pub __bindgen_anon_1: cl_ushort4__bindgen_ty_1,
    pub __bindgen_anon_2: cl_ushort4__bindgen_ty_2,
    pub __bindgen_anon_3: cl_ushort4__bindgen_ty_3,
    pub v4: __cl_ushort4,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort4__bindgen_ty_1 {
    pub x: cl_ushort,
    pub y: cl_ushort,
    pub z: cl_ushort,
    pub w: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort4__bindgen_ty_2 {
    pub s0: cl_ushort,
    pub s1: cl_ushort,
    pub s2: cl_ushort,
    pub s3: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_ushort4__bindgen_ty_3 {
    pub lo: cl_ushort2,
    pub hi: cl_ushort2,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union cl_ushort8 {
    pub s: [cl_ushort; 8],
    pub __bindgen_anon_1: cl_ushort8__bindgen_ty_1,
    pub __bindgen_anon_2: cl_ushort8__bindgen_ty_2,
    pub __bindgen_anon_3: cl_ushort8__bindgen_ty_3,
    pub v4: [__cl_ushort4; 2],
    pub v8: __cl_ushort8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort8__bindgen_ty_1 {
    pub x: cl_ushort,
    pub y: cl_ushort,
    pub z: cl_ushort,
    pub w: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cl_ushort8__bindgen_ty_2 {
    pub s0: cl_ushort,
    pub s1: cl_ushort,
    pub s2: cl_ushort,
    pub s3: cl_ushort,
    pub s4: cl_ushort,
    pub s5: cl_ushort,
    pub s6: cl_ushort,
    pub s7: cl_ushort,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cl_ushort8__bindgen_ty_3 {
    pub lo: cl_ushort4,
    pub hi: cl_ushort4,
}
zeroed_default! {
    __GLsync,
    _cl_accelerator_intel,
    _cl_buffer_region,
    _cl_command_buffer_khr,
    _cl_command_queue,
    _cl_context,
    _cl_device_id,
    _cl_device_integer_dot_product_acceleration_properties_khr,
    _cl_device_pci_bus_info_khr,
    _cl_event,
    _cl_image_desc,
    _cl_image_desc__bindgen_ty_1,
    _cl_image_format,
    _cl_kernel,
    _cl_mem,
    _cl_mem_android_native_buffer_host_ptr,
    _cl_mem_ext_host_ptr,
    _cl_mem_ion_host_ptr,
    _cl_motion_estimation_desc_intel,
    _cl_mutable_command_khr,
    _cl_mutable_dispatch_arg_khr,
    _cl_mutable_dispatch_config_khr,
    _cl_mutable_dispatch_exec_info_khr,
    _cl_name_version,
    _cl_name_version_khr,
    _cl_platform_id,
    _cl_program,
    _cl_queue_family_properties_intel,
    _cl_sampler,
    _cl_semaphore_khr,
    cl_char16,
    cl_char16__bindgen_ty_1,
    cl_char16__bindgen_ty_2,
    cl_char16__bindgen_ty_3,
    cl_char2,
    cl_char2__bindgen_ty_1,
    cl_char2__bindgen_ty_2,
    cl_char2__bindgen_ty_3,
    cl_char4,
    cl_char4__bindgen_ty_1,
    cl_char4__bindgen_ty_2,
    cl_char4__bindgen_ty_3,
    cl_char8,
    cl_char8__bindgen_ty_1,
    cl_char8__bindgen_ty_2,
    cl_char8__bindgen_ty_3,
    cl_device_topology_amd,
    cl_device_topology_amd__bindgen_ty_1,
    cl_device_topology_amd__bindgen_ty_2,
    cl_double16,
    cl_double16__bindgen_ty_1,
    cl_double16__bindgen_ty_2,
    cl_double16__bindgen_ty_3,
    cl_double2,
    cl_double2__bindgen_ty_1,
    cl_double2__bindgen_ty_2,
    cl_double2__bindgen_ty_3,
    cl_double4,
    cl_double4__bindgen_ty_1,
    cl_double4__bindgen_ty_2,
    cl_double4__bindgen_ty_3,
    cl_double8,
    cl_double8__bindgen_ty_1,
    cl_double8__bindgen_ty_2,
    cl_double8__bindgen_ty_3,
    cl_float16,
    cl_float16__bindgen_ty_1,
    cl_float16__bindgen_ty_2,
    cl_float16__bindgen_ty_3,
    cl_float2,
    cl_float2__bindgen_ty_1,
    cl_float2__bindgen_ty_2,
    cl_float2__bindgen_ty_3,
    cl_float4,
    cl_float4__bindgen_ty_1,
    cl_float4__bindgen_ty_2,
    cl_float4__bindgen_ty_3,
    cl_float8,
    cl_float8__bindgen_ty_1,
    cl_float8__bindgen_ty_2,
    cl_float8__bindgen_ty_3,
    cl_half16,
    cl_half16__bindgen_ty_1,
    cl_half16__bindgen_ty_2,
    cl_half16__bindgen_ty_3,
    cl_half2,
    cl_half2__bindgen_ty_1,
    cl_half2__bindgen_ty_2,
    cl_half2__bindgen_ty_3,
    cl_half4,
    cl_half4__bindgen_ty_1,
    cl_half4__bindgen_ty_2,
    cl_half4__bindgen_ty_3,
    cl_half8,
    cl_half8__bindgen_ty_1,
    cl_half8__bindgen_ty_2,
    cl_half8__bindgen_ty_3,
    cl_int16,
    cl_int16__bindgen_ty_1,
    cl_int16__bindgen_ty_2,
    cl_int16__bindgen_ty_3,
    cl_int2,
    cl_int2__bindgen_ty_1,
    cl_int2__bindgen_ty_2,
    cl_int2__bindgen_ty_3,
    cl_int4,
    cl_int4__bindgen_ty_1,
    cl_int4__bindgen_ty_2,
    cl_int4__bindgen_ty_3,
    cl_int8,
    cl_int8__bindgen_ty_1,
    cl_int8__bindgen_ty_2,
    cl_int8__bindgen_ty_3,
    cl_long16,
    cl_long16__bindgen_ty_1,
    cl_long16__bindgen_ty_2,
    cl_long16__bindgen_ty_3,
    cl_long2,
    cl_long2__bindgen_ty_1,
    cl_long2__bindgen_ty_2,
    cl_long2__bindgen_ty_3,
    cl_long4,
    cl_long4__bindgen_ty_1,
    cl_long4__bindgen_ty_2,
    cl_long4__bindgen_ty_3,
    cl_long8,
    cl_long8__bindgen_ty_1,
    cl_long8__bindgen_ty_2,
    cl_long8__bindgen_ty_3,
    cl_short16,
    cl_short16__bindgen_ty_1,
    cl_short16__bindgen_ty_2,
    cl_short16__bindgen_ty_3,
    cl_short2,
    cl_short2__bindgen_ty_1,
    cl_short2__bindgen_ty_2,
    cl_short2__bindgen_ty_3,
    cl_short4,
    cl_short4__bindgen_ty_1,
    cl_short4__bindgen_ty_2,
    cl_short4__bindgen_ty_3,
    cl_short8,
    cl_short8__bindgen_ty_1,
    cl_short8__bindgen_ty_2,
    cl_short8__bindgen_ty_3,
    cl_uchar16,
    cl_uchar16__bindgen_ty_1,
    cl_uchar16__bindgen_ty_2,
    cl_uchar16__bindgen_ty_3,
    cl_uchar2,
    cl_uchar2__bindgen_ty_1,
    cl_uchar2__bindgen_ty_2,
    cl_uchar2__bindgen_ty_3,
    cl_uchar4,
    cl_uchar4__bindgen_ty_1,
    cl_uchar4__bindgen_ty_2,
    cl_uchar4__bindgen_ty_3,
    cl_uchar8,
    cl_uchar8__bindgen_ty_1,
    cl_uchar8__bindgen_ty_2,
    cl_uchar8__bindgen_ty_3,
    cl_uint16,
    cl_uint16__bindgen_ty_1,
    cl_uint16__bindgen_ty_2,
    cl_uint16__bindgen_ty_3,
    cl_uint2,
    cl_uint2__bindgen_ty_1,
    cl_uint2__bindgen_ty_2,
    cl_uint2__bindgen_ty_3,
    cl_uint4,
    cl_uint4__bindgen_ty_1,
    cl_uint4__bindgen_ty_2,
    cl_uint4__bindgen_ty_3,
    cl_uint8,
    cl_uint8__bindgen_ty_1,
    cl_uint8__bindgen_ty_2,
    cl_uint8__bindgen_ty_3,
    cl_ulong16,
    cl_ulong16__bindgen_ty_1,
    cl_ulong16__bindgen_ty_2,
    cl_ulong16__bindgen_ty_3,
    cl_ulong2,
    cl_ulong2__bindgen_ty_1,
    cl_ulong2__bindgen_ty_2,
    cl_ulong2__bindgen_ty_3,
    cl_ulong4,
    cl_ulong4__bindgen_ty_1,
    cl_ulong4__bindgen_ty_2,
    cl_ulong4__bindgen_ty_3,
    cl_ulong8,
    cl_ulong8__bindgen_ty_1,
    cl_ulong8__bindgen_ty_2,
    cl_ulong8__bindgen_ty_3,
    cl_ushort16,
    cl_ushort16__bindgen_ty_1,
    cl_ushort16__bindgen_ty_2,
    cl_ushort16__bindgen_ty_3,
    cl_ushort2,
    cl_ushort2__bindgen_ty_1,
    cl_ushort2__bindgen_ty_2,
    cl_ushort2__bindgen_ty_3,
    cl_ushort4,
    cl_ushort4__bindgen_ty_1,
    cl_ushort4__bindgen_ty_2,
    cl_ushort4__bindgen_ty_3,
    cl_ushort8,
    cl_ushort8__bindgen_ty_1,
    cl_ushort8__bindgen_ty_2,
    cl_ushort8__bindgen_ty_3,
}
