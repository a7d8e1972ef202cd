// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
use cl_sys::*;
use core::ffi::*;
named! {
    cl_accelerator_info_intel:
        CL_ACCELERATOR_CONTEXT_INTEL,
        CL_ACCELERATOR_DESCRIPTOR_INTEL,
        CL_ACCELERATOR_REFERENCE_COUNT_INTEL,
        CL_ACCELERATOR_TYPE_INTEL,
    ;
    cl_accelerator_type_intel:
        CL_ACCELERATOR_TYPE_MOTION_ESTIMATION_INTEL,
    ;
    cl_addressing_mode:
        CL_ADDRESS_CLAMP,
        CL_ADDRESS_CLAMP_TO_EDGE,
        CL_ADDRESS_MIRRORED_REPEAT,
        CL_ADDRESS_NONE,
        CL_ADDRESS_REPEAT,
    ;
    cl_bool:
        CL_FALSE,
        CL_TRUE,
    ;
    cl_buffer_create_type:
        CL_BUFFER_CREATE_TYPE_REGION,
    ;
    cl_command_buffer_info_khr:
        CL_COMMAND_BUFFER_CONTEXT_KHR,
        CL_COMMAND_BUFFER_NUM_QUEUES_KHR,
        CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR,
        CL_COMMAND_BUFFER_QUEUES_KHR,
        CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR,
        CL_COMMAND_BUFFER_STATE_KHR,
    ;
    cl_command_queue_info:
        CL_QUEUE_CONTEXT,
        CL_QUEUE_DEVICE,
        CL_QUEUE_DEVICE_DEFAULT,
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_PROPERTIES_ARRAY,
        CL_QUEUE_REFERENCE_COUNT,
        CL_QUEUE_SIZE,
    ;
    cl_command_queue_properties:
        CL_QUEUE_NO_SYNC_OPERATIONS_INTEL,
        CL_QUEUE_ON_DEVICE,
        CL_QUEUE_ON_DEVICE_DEFAULT,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        CL_QUEUE_PROFILING_ENABLE,
    ;
    cl_context_info:
        CL_CONTEXT_DEVICES,
        CL_CONTEXT_NUM_DEVICES,
        CL_CONTEXT_PERF_HINT_QCOM,
        CL_CONTEXT_PROPERTIES,
        CL_CONTEXT_REFERENCE_COUNT,
    ;
    cl_device_info:
        CL_DEVICE_ADDRESS_BITS,
        CL_DEVICE_AFFINITY_DOMAINS_EXT,
        CL_DEVICE_AVAILABLE,
        CL_DEVICE_AVAILABLE_ASYNC_QUEUES_AMD,
        CL_DEVICE_AVC_ME_SUPPORTS_PREEMPTION_INTEL,
        CL_DEVICE_AVC_ME_SUPPORTS_TEXTURE_SAMPLER_USE_INTEL,
        CL_DEVICE_AVC_ME_VERSION_INTEL,
        CL_DEVICE_BOARD_NAME_AMD,
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION_KHR,
        CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
        CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR,
        CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR,
        CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
        CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR,
        CL_DEVICE_COMPILER_AVAILABLE,
        CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV,
        CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV,
        CL_DEVICE_COMPUTE_UNITS_BITFIELD_ARM,
        CL_DEVICE_CONTROLLED_TERMINATION_CAPABILITIES_ARM,
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT,
        CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT,
        CL_DEVICE_DOUBLE_FP_CONFIG,
        CL_DEVICE_ENDIAN_LITTLE,
        CL_DEVICE_ERROR_CORRECTION_SUPPORT,
        CL_DEVICE_EXECUTION_CAPABILITIES,
        CL_DEVICE_EXTENSIONS,
        CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR,
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR,
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
        CL_DEVICE_EXT_MEM_PADDING_IN_BYTES_QCOM,
        CL_DEVICE_FEATURE_CAPABILITIES_INTEL,
        CL_DEVICE_GFXIP_MAJOR_AMD,
        CL_DEVICE_GFXIP_MINOR_AMD,
        CL_DEVICE_GLOBAL_FREE_MEMORY_AMD,
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
        CL_DEVICE_GLOBAL_MEM_CHANNELS_AMD,
        CL_DEVICE_GLOBAL_MEM_CHANNEL_BANKS_AMD,
        CL_DEVICE_GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD,
        CL_DEVICE_GLOBAL_MEM_SIZE,
        CL_DEVICE_GPU_OVERLAP_NV,
        CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT,
        CL_DEVICE_HALF_FP_CONFIG,
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_ID_INTEL,
        CL_DEVICE_ILS_WITH_VERSION_KHR,
        CL_DEVICE_IL_VERSION_KHR,
        CL_DEVICE_IMAGE2D_MAX_HEIGHT,
        CL_DEVICE_IMAGE2D_MAX_WIDTH,
        CL_DEVICE_IMAGE3D_MAX_DEPTH,
        CL_DEVICE_IMAGE3D_MAX_HEIGHT,
        CL_DEVICE_IMAGE3D_MAX_WIDTH,
        CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT_KHR,
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT_KHR,
        CL_DEVICE_IMAGE_SUPPORT,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR,
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR,
        CL_DEVICE_INTEGRATED_MEMORY_NV,
        CL_DEVICE_IP_VERSION_INTEL,
        CL_DEVICE_JOB_SLOTS_ARM,
        CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR,
        CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV,
        CL_DEVICE_LOCAL_MEM_BANKS_AMD,
        CL_DEVICE_LOCAL_MEM_SIZE,
        CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD,
        CL_DEVICE_LOCAL_MEM_TYPE,
        CL_DEVICE_LUID_KHR,
        CL_DEVICE_LUID_VALID_KHR,
        CL_DEVICE_MAX_ATOMIC_COUNTERS_EXT,
        CL_DEVICE_MAX_CLOCK_FREQUENCY,
        CL_DEVICE_MAX_COMPUTE_UNITS,
        CL_DEVICE_MAX_CONSTANT_ARGS,
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
        CL_DEVICE_MAX_MEM_ALLOC_SIZE,
        CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR,
        CL_DEVICE_MAX_PARAMETER_SIZE,
        CL_DEVICE_MAX_READ_IMAGE_ARGS,
        CL_DEVICE_MAX_SAMPLERS,
        CL_DEVICE_MAX_WARP_COUNT_ARM,
        CL_DEVICE_MAX_WORK_GROUP_SIZE,
        CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD,
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
        CL_DEVICE_MAX_WORK_ITEM_SIZES,
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
        CL_DEVICE_MEMORY_CAPABILITIES_IMG,
        CL_DEVICE_MEM_BASE_ADDR_ALIGN,
        CL_DEVICE_ME_VERSION_INTEL,
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE,
        CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR,
        CL_DEVICE_NAME,
        CL_DEVICE_NODE_MASK_KHR,
        CL_DEVICE_NUMERIC_VERSION_KHR,
        CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL,
        CL_DEVICE_NUM_SIMULTANEOUS_INTEROPS_INTEL,
        CL_DEVICE_NUM_SLICES_INTEL,
        CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL,
        CL_DEVICE_NUM_THREADS_PER_EU_INTEL,
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR,
        CL_DEVICE_PAGE_SIZE_QCOM,
        CL_DEVICE_PARENT_DEVICE_EXT,
        CL_DEVICE_PARTITION_STYLE_EXT,
        CL_DEVICE_PARTITION_TYPES_EXT,
        CL_DEVICE_PCIE_ID_AMD,
        CL_DEVICE_PCI_BUS_INFO_KHR,
        CL_DEVICE_PLANAR_YUV_MAX_HEIGHT_INTEL,
        CL_DEVICE_PLANAR_YUV_MAX_WIDTH_INTEL,
        CL_DEVICE_PLATFORM,
        CL_DEVICE_PREFERRED_CONSTANT_BUFFER_SIZE_AMD,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_AMD,
        CL_DEVICE_PROFILE,
        CL_DEVICE_PROFILING_TIMER_OFFSET_AMD,
        CL_DEVICE_PROFILING_TIMER_RESOLUTION,
        CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL,
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
        CL_DEVICE_REFERENCE_COUNT_EXT,
        CL_DEVICE_REGISTERS_PER_BLOCK_NV,
        CL_DEVICE_SCHEDULING_CONTROLS_CAPABILITIES_ARM,
        CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
        CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
        CL_DEVICE_SEMAPHORE_TYPES_KHR,
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD,
        CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD,
        CL_DEVICE_SIMD_WIDTH_AMD,
        CL_DEVICE_SIMULTANEOUS_INTEROPS_INTEL,
        CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT,
        CL_DEVICE_SINGLE_FP_CONFIG,
        CL_DEVICE_SPIRV_CAPABILITIES_KHR,
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR,
        CL_DEVICE_SPIRV_EXTENSIONS_KHR,
        CL_DEVICE_SPIR_VERSIONS,
        CL_DEVICE_SUB_GROUP_SIZES_INTEL,
        CL_DEVICE_SUPPORTED_REGISTER_ALLOCATIONS_ARM,
        CL_DEVICE_SVM_CAPABILITIES_ARM,
        CL_DEVICE_TERMINATE_CAPABILITY_KHR,
        CL_DEVICE_THREAD_TRACE_SUPPORTED_AMD,
        CL_DEVICE_TOPOLOGY_AMD,
        CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD,
        CL_DEVICE_TYPE,
        CL_DEVICE_UUID_KHR,
        CL_DEVICE_VENDOR,
        CL_DEVICE_VENDOR_ID,
        CL_DEVICE_VERSION,
        CL_DEVICE_WARP_SIZE_NV,
        CL_DEVICE_WAVEFRONT_WIDTH_AMD,
        CL_DRIVER_UUID_KHR,
        CL_DRIVER_VERSION,
        CL_ME_BACKWARD_INPUT_MODE_INTEL,
        CL_ME_BIDIRECTION_INPUT_MODE_INTEL,
        CL_ME_BIDIR_WEIGHT_HALF_INTEL,
        CL_ME_BIDIR_WEIGHT_QUARTER_INTEL,
        CL_ME_BIDIR_WEIGHT_THIRD_INTEL,
        CL_ME_BIDIR_WEIGHT_THREE_QUARTER_INTEL,
        CL_ME_BIDIR_WEIGHT_TWO_THIRD_INTEL,
        CL_ME_CHROMA_PREDICTOR_MODE_DC_INTEL,
        CL_ME_LUMA_PREDICTOR_MODE_DIAGONAL_DOWN_RIGHT_INTEL,
        CL_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_DOWN_INTEL,
        CL_ME_LUMA_PREDICTOR_MODE_HORIZONTAL_UP_INTEL,
        CL_ME_LUMA_PREDICTOR_MODE_VERTICAL_LEFT_INTEL,
        CL_ME_LUMA_PREDICTOR_MODE_VERTICAL_RIGHT_INTEL,
    ;
    cl_device_type:
        CL_DEVICE_TYPE_ACCELERATOR,
        CL_DEVICE_TYPE_ALL,
        CL_DEVICE_TYPE_CPU,
        CL_DEVICE_TYPE_CUSTOM,
        CL_DEVICE_TYPE_DEFAULT,
        CL_DEVICE_TYPE_GPU,
    ;
    cl_event_info:
        CL_EVENT_COMMAND_EXECUTION_STATUS,
        CL_EVENT_COMMAND_QUEUE,
        CL_EVENT_COMMAND_TERMINATION_REASON_ARM,
        CL_EVENT_COMMAND_TYPE,
        CL_EVENT_CONTEXT,
        CL_EVENT_REFERENCE_COUNT,
    ;
    cl_external_semaphore_handle_type_khr:
        CL_SEMAPHORE_HANDLE_D3D12_FENCE_KHR,
        CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
        CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KHR,
        CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_KMT_KHR,
        CL_SEMAPHORE_HANDLE_OPAQUE_WIN32_NAME_KHR,
        CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
    ;
    cl_filter_mode:
        CL_FILTER_LINEAR,
        CL_FILTER_NEAREST,
    ;
    cl_icdl_info:
        CL_ICDL_NAME,
        CL_ICDL_OCL_VERSION,
        CL_ICDL_VENDOR,
        CL_ICDL_VERSION,
    ;
    cl_image_info:
        CL_IMAGE_ARRAY_SIZE,
        CL_IMAGE_BUFFER,
        CL_IMAGE_DEPTH,
        CL_IMAGE_ELEMENT_SIZE,
        CL_IMAGE_FORMAT,
        CL_IMAGE_HEIGHT,
        CL_IMAGE_NUM_MIP_LEVELS,
        CL_IMAGE_NUM_SAMPLES,
        CL_IMAGE_ROW_PITCH,
        CL_IMAGE_SLICE_PITCH,
        CL_IMAGE_WIDTH,
    ;
    cl_image_pitch_info_qcom:
        CL_IMAGE_ROW_ALIGNMENT_QCOM,
        CL_IMAGE_SLICE_ALIGNMENT_QCOM,
    ;
    cl_image_requirements_info_ext:
        CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT,
        CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
        CL_IMAGE_REQUIREMENTS_SIZE_EXT,
        CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT,
    ;
    cl_int:
        CL_ACCELERATOR_TYPE_NOT_SUPPORTED_INTEL,
        CL_BUILD_PROGRAM_FAILURE,
        CL_CANCELLED_IMG,
        CL_COMMAND_TERMINATED_ITSELF_WITH_FAILURE_ARM,
        CL_COMPILER_NOT_AVAILABLE,
        CL_COMPILE_PROGRAM_FAILURE,
        CL_CONTEXT_TERMINATED_KHR,
        CL_DEVICE_NOT_AVAILABLE,
        CL_DEVICE_NOT_FOUND,
        CL_DEVICE_PARTITION_FAILED,
        CL_DEVICE_PARTITION_FAILED_EXT,
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        CL_GRALLOC_RESOURCE_NOT_ACQUIRED_IMG,
        CL_IMAGE_FORMAT_MISMATCH,
        CL_IMAGE_FORMAT_NOT_SUPPORTED,
        CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
        CL_INVALID_ACCELERATOR_DESCRIPTOR_INTEL,
        CL_INVALID_ACCELERATOR_INTEL,
        CL_INVALID_ACCELERATOR_TYPE_INTEL,
        CL_INVALID_ARG_INDEX,
        CL_INVALID_ARG_SIZE,
        CL_INVALID_ARG_VALUE,
        CL_INVALID_BINARY,
        CL_INVALID_BUFFER_SIZE,
        CL_INVALID_BUILD_OPTIONS,
        CL_INVALID_COMMAND_BUFFER_KHR,
        CL_INVALID_COMMAND_QUEUE,
        CL_INVALID_COMPILER_OPTIONS,
        CL_INVALID_CONTEXT,
        CL_INVALID_DEVICE,
        CL_INVALID_DEVICE_PARTITION_COUNT,
        CL_INVALID_DEVICE_QUEUE,
        CL_INVALID_DEVICE_TYPE,
        CL_INVALID_EVENT,
        CL_INVALID_EVENT_WAIT_LIST,
        CL_INVALID_GLOBAL_OFFSET,
        CL_INVALID_GLOBAL_WORK_SIZE,
        CL_INVALID_GL_OBJECT,
        CL_INVALID_GRALLOC_OBJECT_IMG,
        CL_INVALID_HOST_PTR,
        CL_INVALID_IMAGE_DESCRIPTOR,
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        CL_INVALID_IMAGE_SIZE,
        CL_INVALID_KERNEL,
        CL_INVALID_KERNEL_ARGS,
        CL_INVALID_KERNEL_DEFINITION,
        CL_INVALID_KERNEL_NAME,
        CL_INVALID_LINKER_OPTIONS,
        CL_INVALID_MEM_OBJECT,
        CL_INVALID_MIP_LEVEL,
        CL_INVALID_MUTABLE_COMMAND_KHR,
        CL_INVALID_OPERATION,
        CL_INVALID_PARTITION_COUNT_EXT,
        CL_INVALID_PARTITION_NAME_EXT,
        CL_INVALID_PIPE_SIZE,
        CL_INVALID_PLATFORM,
        CL_INVALID_PROGRAM,
        CL_INVALID_PROGRAM_EXECUTABLE,
        CL_INVALID_PROPERTY,
        CL_INVALID_QUEUE_PROPERTIES,
        CL_INVALID_SAMPLER,
        CL_INVALID_SEMAPHORE_KHR,
        CL_INVALID_SPEC_ID,
        CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
        CL_INVALID_VALUE,
        CL_INVALID_WORK_DIMENSION,
        CL_INVALID_WORK_GROUP_SIZE,
        CL_INVALID_WORK_ITEM_SIZE,
        CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
        CL_LINKER_NOT_AVAILABLE,
        CL_LINK_PROGRAM_FAILURE,
        CL_MAP_FAILURE,
        CL_MAX_SIZE_RESTRICTION_EXCEEDED,
        CL_MEM_COPY_OVERLAP,
        CL_MEM_OBJECT_ALLOCATION_FAILURE,
        CL_MISALIGNED_SUB_BUFFER_OFFSET,
        CL_OUT_OF_HOST_MEMORY,
        CL_OUT_OF_RESOURCES,
        CL_PLATFORM_NOT_FOUND_KHR,
        CL_PROFILING_INFO_NOT_AVAILABLE,
        CL_QUEUED,
        CL_RUNNING,
        CL_SUBMITTED,
        CL_SUCCESS,
    ;
    cl_kernel_arg_info:
        CL_KERNEL_ARG_ACCESS_QUALIFIER,
        CL_KERNEL_ARG_ADDRESS_QUALIFIER,
        CL_KERNEL_ARG_NAME,
        CL_KERNEL_ARG_TYPE_NAME,
        CL_KERNEL_ARG_TYPE_QUALIFIER,
    ;
    cl_kernel_exec_info:
        CL_KERNEL_EXEC_INFO_COMPUTE_UNIT_MAX_QUEUED_BATCHES_ARM,
        CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT,
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
        CL_KERNEL_EXEC_INFO_SVM_PTRS,
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL,
        CL_KERNEL_EXEC_INFO_WARP_COUNT_LIMIT_ARM,
        CL_KERNEL_EXEC_INFO_WORKGROUP_BATCH_SIZE_ARM,
        CL_KERNEL_EXEC_INFO_WORKGROUP_BATCH_SIZE_MODIFIER_ARM,
    ;
    cl_kernel_exec_info_arm:
        CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM_ARM,
        CL_KERNEL_EXEC_INFO_SVM_PTRS_ARM,
    ;
    cl_kernel_info:
        CL_KERNEL_ATTRIBUTES,
        CL_KERNEL_CONTEXT,
        CL_KERNEL_FUNCTION_NAME,
        CL_KERNEL_MAX_WARP_COUNT_ARM,
        CL_KERNEL_NUM_ARGS,
        CL_KERNEL_PROGRAM,
        CL_KERNEL_REFERENCE_COUNT,
    ;
    cl_kernel_sub_group_info:
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
        CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL,
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
        CL_KERNEL_MAX_NUM_SUB_GROUPS,
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
    ;
    cl_kernel_work_group_info:
        CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
        CL_KERNEL_GLOBAL_WORK_SIZE,
        CL_KERNEL_LOCAL_MEM_SIZE,
        CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
        CL_KERNEL_PRIVATE_MEM_SIZE,
        CL_KERNEL_SPILL_MEM_SIZE_INTEL,
        CL_KERNEL_WORK_GROUP_SIZE,
    ;
    cl_map_flags:
        CL_MAP_READ,
        CL_MAP_WRITE,
        CL_MAP_WRITE_INVALIDATE_REGION,
    ;
    cl_mem_flags:
        CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL,
        CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_COPY_HOST_PTR,
        CL_MEM_EXT_HOST_PTR_QCOM,
        CL_MEM_FORCE_HOST_MEMORY_INTEL,
        CL_MEM_IMMUTABLE_EXT,
        CL_MEM_NO_ACCESS_INTEL,
        CL_MEM_READ_ONLY,
        CL_MEM_READ_WRITE,
        CL_MEM_USE_CACHED_CPU_MEMORY_IMG,
        CL_MEM_USE_GRALLOC_PTR_IMG,
        CL_MEM_USE_HOST_PTR,
        CL_MEM_USE_UNCACHED_CPU_MEMORY_IMG,
        CL_MEM_WRITE_ONLY,
    ;
    cl_mem_info:
        CL_MEM_ASSOCIATED_MEMOBJECT,
        CL_MEM_CONTEXT,
        CL_MEM_DEVICE_ADDRESS_EXT,
        CL_MEM_FLAGS,
        CL_MEM_HOST_PTR,
        CL_MEM_MAP_COUNT,
        CL_MEM_OFFSET,
        CL_MEM_PROPERTIES,
        CL_MEM_REFERENCE_COUNT,
        CL_MEM_SIZE,
        CL_MEM_TYPE,
        CL_MEM_USES_SVM_POINTER,
        CL_MEM_USES_SVM_POINTER_ARM,
    ;
    cl_mem_migration_flags:
        CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
        CL_MIGRATE_MEM_OBJECT_HOST,
    ;
    cl_mem_migration_flags_ext:
        CL_MIGRATE_MEM_OBJECT_HOST_EXT,
    ;
    cl_mem_object_type:
        CL_MEM_OBJECT_BUFFER,
        CL_MEM_OBJECT_IMAGE1D,
        CL_MEM_OBJECT_IMAGE1D_ARRAY,
        CL_MEM_OBJECT_IMAGE1D_BUFFER,
        CL_MEM_OBJECT_IMAGE2D,
        CL_MEM_OBJECT_IMAGE2D_ARRAY,
        CL_MEM_OBJECT_IMAGE3D,
        CL_MEM_OBJECT_PIPE,
    ;
    cl_mipmap_filter_mode_img:
        CL_MIPMAP_FILTER_ANY_IMG,
        CL_MIPMAP_FILTER_BOX_IMG,
    ;
    cl_mutable_command_info_khr:
        CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR,
        CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR,
        CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR,
        CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR,
        CL_MUTABLE_DISPATCH_DIMENSIONS_KHR,
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR,
        CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR,
        CL_MUTABLE_DISPATCH_KERNEL_KHR,
        CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR,
    ;
    cl_perf_hint_qcom:
        CL_PERF_HINT_HIGH_QCOM,
        CL_PERF_HINT_LOW_QCOM,
        CL_PERF_HINT_NORMAL_QCOM,
    ;
    cl_pipe_info:
        CL_PIPE_MAX_PACKETS,
        CL_PIPE_PACKET_SIZE,
        CL_PIPE_PROPERTIES,
    ;
    cl_platform_info:
        CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR,
        CL_PLATFORM_EXTENSIONS,
        CL_PLATFORM_EXTENSIONS_WITH_VERSION,
        CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
        CL_PLATFORM_HOST_TIMER_RESOLUTION,
        CL_PLATFORM_ICD_SUFFIX_KHR,
        CL_PLATFORM_NAME,
        CL_PLATFORM_NUMERIC_VERSION,
        CL_PLATFORM_PROFILE,
        CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
        CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
        CL_PLATFORM_SEMAPHORE_TYPES_KHR,
        CL_PLATFORM_VENDOR,
        CL_PLATFORM_VERSION,
    ;
    cl_profiling_info:
        CL_PROFILING_COMMAND_COMPLETE,
        CL_PROFILING_COMMAND_END,
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_SUBMIT,
    ;
    cl_program_build_info:
        CL_PROGRAM_BINARY_TYPE,
        CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
        CL_PROGRAM_BUILD_LOG,
        CL_PROGRAM_BUILD_OPTIONS,
        CL_PROGRAM_BUILD_STATUS,
    ;
    cl_program_info:
        CL_PROGRAM_BINARIES,
        CL_PROGRAM_BINARY_SIZES,
        CL_PROGRAM_CONTEXT,
        CL_PROGRAM_DEVICES,
        CL_PROGRAM_IL,
        CL_PROGRAM_KERNEL_NAMES,
        CL_PROGRAM_NUM_DEVICES,
        CL_PROGRAM_NUM_KERNELS,
        CL_PROGRAM_REFERENCE_COUNT,
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
        CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
        CL_PROGRAM_SOURCE,
    ;
    cl_sampler_info:
        CL_SAMPLER_ADDRESSING_MODE,
        CL_SAMPLER_CONTEXT,
        CL_SAMPLER_FILTER_MODE,
        CL_SAMPLER_NORMALIZED_COORDS,
        CL_SAMPLER_REFERENCE_COUNT,
    ;
    cl_semaphore_info_khr:
        CL_SEMAPHORE_CONTEXT_KHR,
        CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR,
        CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
        CL_SEMAPHORE_EXPORTABLE_KHR,
        CL_SEMAPHORE_PAYLOAD_KHR,
        CL_SEMAPHORE_PROPERTIES_KHR,
        CL_SEMAPHORE_REFERENCE_COUNT_KHR,
        CL_SEMAPHORE_TYPE_KHR,
    ;
    cl_svm_mem_flags_arm:
        CL_MEM_SVM_ATOMICS_ARM,
        CL_MEM_SVM_FINE_GRAIN_BUFFER_ARM,
    ;
}
wrappers! { opencl
    clBuildProgram(program: cl_program = [address], num_devices: cl_uint = [unsigned u32], device_list: *const cl_device_id = [address], options: *const c_char = [text], pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address]) -> cl_int = [named cl_int];
    clCloneKernel(source_kernel: cl_kernel = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_kernel = [address];
    clCompileProgram(program: cl_program = [address], num_devices: cl_uint = [unsigned u32], device_list: *const cl_device_id = [address], options: *const c_char = [text], num_input_headers: cl_uint = [unsigned u32], input_headers: *const cl_program = [address], header_include_names: *mut *const c_char = [address], pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address]) -> cl_int = [named cl_int];
    clCreateBuffer(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], size: usize = [unsigned usize], host_ptr: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateBufferWithProperties(context: cl_context = [address], properties: *const cl_mem_properties = [address], flags: cl_mem_flags = [flags cl_mem_flags], size: usize = [unsigned usize], host_ptr: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateCommandQueue(context: cl_context = [address], device: cl_device_id = [address], properties: cl_command_queue_properties = [flags cl_command_queue_properties], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_command_queue = [address];
    clCreateCommandQueueWithProperties(context: cl_context = [address], device: cl_device_id = [address], properties: *const cl_queue_properties = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_command_queue = [address];
    clCreateContext(properties: *const cl_context_properties = [address], num_devices: cl_uint = [unsigned u32], devices: *const cl_device_id = [address], pfn_notify: Option<unsafe extern "C" fn(errinfo: *const c_char, private_info: *const c_void, cb: usize, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_context = [address];
    clCreateContextFromType(properties: *const cl_context_properties = [address], device_type: cl_device_type = [flags cl_device_type], pfn_notify: Option<unsafe extern "C" fn(errinfo: *const c_char, private_info: *const c_void, cb: usize, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_context = [address];
    clCreateEventFromEGLSyncKHR(context: cl_context = [address], sync: CLeglSyncKHR = [address], display: CLeglDisplayKHR = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_event = [address];
    clCreateEventFromGLsyncKHR(context: cl_context = [address], sync: cl_GLsync = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_event = [address];
    clCreateFromEGLImageKHR(context: cl_context = [address], egldisplay: CLeglDisplayKHR = [address], eglimage: CLeglImageKHR = [address], flags: cl_mem_flags = [flags cl_mem_flags], properties: *const cl_egl_image_properties_khr = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateFromGLBuffer(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], bufobj: cl_GLuint = [unsigned c_uint], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateFromGLRenderbuffer(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], renderbuffer: cl_GLuint = [unsigned c_uint], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateFromGLTexture(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], target: cl_GLenum = [unsigned c_uint], miplevel: cl_GLint = [signed c_int], texture: cl_GLuint = [unsigned c_uint], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateFromGLTexture2D(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], target: cl_GLenum = [unsigned c_uint], miplevel: cl_GLint = [signed c_int], texture: cl_GLuint = [unsigned c_uint], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateFromGLTexture3D(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], target: cl_GLenum = [unsigned c_uint], miplevel: cl_GLint = [signed c_int], texture: cl_GLuint = [unsigned c_uint], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateImage(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], image_format: *const cl_image_format = [address], image_desc: *const cl_image_desc = [address], host_ptr: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateImage2D(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], image_format: *const cl_image_format = [address], image_width: usize = [unsigned usize], image_height: usize = [unsigned usize], image_row_pitch: usize = [unsigned usize], host_ptr: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateImage3D(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], image_format: *const cl_image_format = [address], image_width: usize = [unsigned usize], image_height: usize = [unsigned usize], image_depth: usize = [unsigned usize], image_row_pitch: usize = [unsigned usize], image_slice_pitch: usize = [unsigned usize], host_ptr: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateImageWithProperties(context: cl_context = [address], properties: *const cl_mem_properties = [address], flags: cl_mem_flags = [flags cl_mem_flags], image_format: *const cl_image_format = [address], image_desc: *const cl_image_desc = [address], host_ptr: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateKernel(program: cl_program = [address], kernel_name: *const c_char = [text], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_kernel = [address];
    clCreateKernelsInProgram(program: cl_program = [address], num_kernels: cl_uint = [unsigned u32], kernels: *mut cl_kernel = [out address], num_kernels_ret: *mut cl_uint = [out unsigned u32]) -> cl_int = [named cl_int];
    clCreatePipe(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], pipe_packet_size: cl_uint = [unsigned u32], pipe_max_packets: cl_uint = [unsigned u32], properties: *const cl_pipe_properties = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateProgramWithBinary(context: cl_context = [address], num_devices: cl_uint = [unsigned u32], device_list: *const cl_device_id = [address], lengths: *const usize = [address], binaries: *mut *const c_uchar = [out address], binary_status: *mut cl_int = [out named cl_int], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_program = [address];
    clCreateProgramWithBuiltInKernels(context: cl_context = [address], num_devices: cl_uint = [unsigned u32], device_list: *const cl_device_id = [address], kernel_names: *const c_char = [text], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_program = [address];
    clCreateProgramWithIL(context: cl_context = [address], il: *const c_void = [address], length: usize = [unsigned usize], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_program = [address];
    clCreateProgramWithSource(context: cl_context = [address], count: cl_uint = [unsigned u32], strings: *mut *const c_char = [address], lengths: *const usize = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_program = [address];
    clCreateSampler(context: cl_context = [address], normalized_coords: cl_bool = [named cl_bool], addressing_mode: cl_addressing_mode = [named cl_addressing_mode], filter_mode: cl_filter_mode = [named cl_filter_mode], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_sampler = [address];
    clCreateSamplerWithProperties(context: cl_context = [address], sampler_properties: *const cl_sampler_properties = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_sampler = [address];
    clCreateSubBuffer(buffer: cl_mem = [address], flags: cl_mem_flags = [flags cl_mem_flags], buffer_create_type: cl_buffer_create_type = [named cl_buffer_create_type], buffer_create_info: *const c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateSubDevices(in_device: cl_device_id = [address], properties: *const cl_device_partition_property = [address], num_devices: cl_uint = [unsigned u32], out_devices: *mut cl_device_id = [out address], num_devices_ret: *mut cl_uint = [out unsigned u32]) -> cl_int = [named cl_int];
    clCreateUserEvent(context: cl_context = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_event = [address];
    clEnqueueAcquireEGLObjectsKHR(command_queue: cl_command_queue = [address], num_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueAcquireGLObjects(command_queue: cl_command_queue = [address], num_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueBarrier(command_queue: cl_command_queue = [address]) -> cl_int = [named cl_int];
    clEnqueueBarrierWithWaitList(command_queue: cl_command_queue = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueCopyBuffer(command_queue: cl_command_queue = [address], src_buffer: cl_mem = [address], dst_buffer: cl_mem = [address], src_offset: usize = [unsigned usize], dst_offset: usize = [unsigned usize], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueCopyBufferRect(command_queue: cl_command_queue = [address], src_buffer: cl_mem = [address], dst_buffer: cl_mem = [address], src_origin: *const usize = [address], dst_origin: *const usize = [address], region: *const usize = [address], src_row_pitch: usize = [unsigned usize], src_slice_pitch: usize = [unsigned usize], dst_row_pitch: usize = [unsigned usize], dst_slice_pitch: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueCopyBufferToImage(command_queue: cl_command_queue = [address], src_buffer: cl_mem = [address], dst_image: cl_mem = [address], src_offset: usize = [unsigned usize], dst_origin: *const usize = [address], region: *const usize = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueCopyImage(command_queue: cl_command_queue = [address], src_image: cl_mem = [address], dst_image: cl_mem = [address], src_origin: *const usize = [address], dst_origin: *const usize = [address], region: *const usize = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueCopyImageToBuffer(command_queue: cl_command_queue = [address], src_image: cl_mem = [address], dst_buffer: cl_mem = [address], src_origin: *const usize = [address], region: *const usize = [address], dst_offset: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueFillBuffer(command_queue: cl_command_queue = [address], buffer: cl_mem = [address], pattern: *const c_void = [address], pattern_size: usize = [unsigned usize], offset: usize = [unsigned usize], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueFillImage(command_queue: cl_command_queue = [address], image: cl_mem = [address], fill_color: *const c_void = [address], origin: *const usize = [address], region: *const usize = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMapBuffer(command_queue: cl_command_queue = [address], buffer: cl_mem = [address], blocking_map: cl_bool = [named cl_bool], map_flags: cl_map_flags = [flags cl_map_flags], offset: usize = [unsigned usize], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address], errcode_ret: *mut cl_int = [out named cl_int]) -> *mut c_void = [address];
    clEnqueueMapImage(command_queue: cl_command_queue = [address], image: cl_mem = [address], blocking_map: cl_bool = [named cl_bool], map_flags: cl_map_flags = [flags cl_map_flags], origin: *const usize = [address], region: *const usize = [address], image_row_pitch: *mut usize = [out unsigned usize], image_slice_pitch: *mut usize = [out unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address], errcode_ret: *mut cl_int = [out named cl_int]) -> *mut c_void = [address];
    clEnqueueMarker(command_queue: cl_command_queue = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMarkerWithWaitList(command_queue: cl_command_queue = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMigrateMemObjects(command_queue: cl_command_queue = [address], num_mem_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], flags: cl_mem_migration_flags = [flags cl_mem_migration_flags], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueNDRangeKernel(command_queue: cl_command_queue = [address], kernel: cl_kernel = [address], work_dim: cl_uint = [unsigned u32], global_work_offset: *const usize = [address], global_work_size: *const usize = [address], local_work_size: *const usize = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueNativeKernel(command_queue: cl_command_queue = [address], user_func: Option<unsafe extern "C" fn(arg1: *mut c_void)> = [address], args: *mut c_void = [address], cb_args: usize = [unsigned usize], num_mem_objects: cl_uint = [unsigned u32], mem_list: *const cl_mem = [address], args_mem_loc: *mut *const c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueReadBuffer(command_queue: cl_command_queue = [address], buffer: cl_mem = [address], blocking_read: cl_bool = [named cl_bool], offset: usize = [unsigned usize], size: usize = [unsigned usize], ptr: *mut c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueReadBufferRect(command_queue: cl_command_queue = [address], buffer: cl_mem = [address], blocking_read: cl_bool = [named cl_bool], buffer_origin: *const usize = [address], host_origin: *const usize = [address], region: *const usize = [address], buffer_row_pitch: usize = [unsigned usize], buffer_slice_pitch: usize = [unsigned usize], host_row_pitch: usize = [unsigned usize], host_slice_pitch: usize = [unsigned usize], ptr: *mut c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueReadImage(command_queue: cl_command_queue = [address], image: cl_mem = [address], blocking_read: cl_bool = [named cl_bool], origin: *const usize = [address], region: *const usize = [address], row_pitch: usize = [unsigned usize], slice_pitch: usize = [unsigned usize], ptr: *mut c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueReleaseEGLObjectsKHR(command_queue: cl_command_queue = [address], num_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueReleaseGLObjects(command_queue: cl_command_queue = [address], num_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMFree(command_queue: cl_command_queue = [address], num_svm_pointers: cl_uint = [unsigned u32], svm_pointers: *mut *mut c_void = [address], pfn_free_func: Option<unsafe extern "C" fn(queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMMap(command_queue: cl_command_queue = [address], blocking_map: cl_bool = [named cl_bool], flags: cl_map_flags = [flags cl_map_flags], svm_ptr: *mut c_void = [address], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMMemFill(command_queue: cl_command_queue = [address], svm_ptr: *mut c_void = [address], pattern: *const c_void = [address], pattern_size: usize = [unsigned usize], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMMemcpy(command_queue: cl_command_queue = [address], blocking_copy: cl_bool = [named cl_bool], dst_ptr: *mut c_void = [address], src_ptr: *const c_void = [address], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMMigrateMem(command_queue: cl_command_queue = [address], num_svm_pointers: cl_uint = [unsigned u32], svm_pointers: *mut *const c_void = [address], sizes: *const usize = [address], flags: cl_mem_migration_flags = [flags cl_mem_migration_flags], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMUnmap(command_queue: cl_command_queue = [address], svm_ptr: *mut c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueTask(command_queue: cl_command_queue = [address], kernel: cl_kernel = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueUnmapMemObject(command_queue: cl_command_queue = [address], memobj: cl_mem = [address], mapped_ptr: *mut c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueWaitForEvents(command_queue: cl_command_queue = [address], num_events: cl_uint = [unsigned u32], event_list: *const cl_event = [address]) -> cl_int = [named cl_int];
    clEnqueueWriteBuffer(command_queue: cl_command_queue = [address], buffer: cl_mem = [address], blocking_write: cl_bool = [named cl_bool], offset: usize = [unsigned usize], size: usize = [unsigned usize], ptr: *const c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueWriteBufferRect(command_queue: cl_command_queue = [address], buffer: cl_mem = [address], blocking_write: cl_bool = [named cl_bool], buffer_origin: *const usize = [address], host_origin: *const usize = [address], region: *const usize = [address], buffer_row_pitch: usize = [unsigned usize], buffer_slice_pitch: usize = [unsigned usize], host_row_pitch: usize = [unsigned usize], host_slice_pitch: usize = [unsigned usize], ptr: *const c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueWriteImage(command_queue: cl_command_queue = [address], image: cl_mem = [address], blocking_write: cl_bool = [named cl_bool], origin: *const usize = [address], region: *const usize = [address], input_row_pitch: usize = [unsigned usize], input_slice_pitch: usize = [unsigned usize], ptr: *const c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clFinish(command_queue: cl_command_queue = [address]) -> cl_int = [named cl_int];
    clFlush(command_queue: cl_command_queue = [address]) -> cl_int = [named cl_int];
    clGetCommandQueueInfo(command_queue: cl_command_queue = [address], param_name: cl_command_queue_info = [named cl_command_queue_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetContextInfo(context: cl_context = [address], param_name: cl_context_info = [named cl_context_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetDeviceAndHostTimer(device: cl_device_id = [address], device_timestamp: *mut cl_ulong = [out unsigned u64], host_timestamp: *mut cl_ulong = [out unsigned u64]) -> cl_int = [named cl_int];
    clGetDeviceIDs(platform: cl_platform_id = [address], device_type: cl_device_type = [flags cl_device_type], num_entries: cl_uint = [unsigned u32], devices: *mut cl_device_id = [out address], num_devices: *mut cl_uint = [out unsigned u32]) -> cl_int = [named cl_int];
    clGetDeviceInfo(device: cl_device_id = [address], param_name: cl_device_info = [named cl_device_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetEventInfo(event: cl_event = [address], param_name: cl_event_info = [named cl_event_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetEventProfilingInfo(event: cl_event = [address], param_name: cl_profiling_info = [named cl_profiling_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetExtensionFunctionAddress(func_name: *const c_char = [text]) -> *mut c_void = [address];
    clGetExtensionFunctionAddressForPlatform(platform: cl_platform_id = [address], func_name: *const c_char = [text]) -> *mut c_void = [address];
    clGetGLContextInfoKHR(properties: *const cl_context_properties = [address], param_name: cl_gl_context_info = [unsigned u32], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetGLObjectInfo(memobj: cl_mem = [address], gl_object_type: *mut cl_gl_object_type = [out unsigned u32], gl_object_name: *mut cl_GLuint = [out unsigned c_uint]) -> cl_int = [named cl_int];
    clGetGLTextureInfo(memobj: cl_mem = [address], param_name: cl_gl_texture_info = [unsigned u32], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetHostTimer(device: cl_device_id = [address], host_timestamp: *mut cl_ulong = [out unsigned u64]) -> cl_int = [named cl_int];
    clGetImageInfo(image: cl_mem = [address], param_name: cl_image_info = [named cl_image_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetKernelArgInfo(kernel: cl_kernel = [address], arg_indx: cl_uint = [unsigned u32], param_name: cl_kernel_arg_info = [named cl_kernel_arg_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetKernelInfo(kernel: cl_kernel = [address], param_name: cl_kernel_info = [named cl_kernel_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetKernelSubGroupInfo(kernel: cl_kernel = [address], device: cl_device_id = [address], param_name: cl_kernel_sub_group_info = [named cl_kernel_sub_group_info], input_value_size: usize = [unsigned usize], input_value: *const c_void = [address], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetKernelWorkGroupInfo(kernel: cl_kernel = [address], device: cl_device_id = [address], param_name: cl_kernel_work_group_info = [named cl_kernel_work_group_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetMemObjectInfo(memobj: cl_mem = [address], param_name: cl_mem_info = [named cl_mem_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetPipeInfo(pipe: cl_mem = [address], param_name: cl_pipe_info = [named cl_pipe_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetPlatformIDs(num_entries: cl_uint = [unsigned u32], platforms: *mut cl_platform_id = [out address], num_platforms: *mut cl_uint = [out unsigned u32]) -> cl_int = [named cl_int];
    clGetPlatformInfo(platform: cl_platform_id = [address], param_name: cl_platform_info = [named cl_platform_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetProgramBuildInfo(program: cl_program = [address], device: cl_device_id = [address], param_name: cl_program_build_info = [named cl_program_build_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetProgramInfo(program: cl_program = [address], param_name: cl_program_info = [named cl_program_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetSamplerInfo(sampler: cl_sampler = [address], param_name: cl_sampler_info = [named cl_sampler_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetSupportedGLTextureFormatsINTEL(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], image_type: cl_mem_object_type = [named cl_mem_object_type], num_entries: cl_uint = [unsigned u32], gl_formats: *mut cl_GLenum = [out unsigned c_uint], num_texture_formats: *mut cl_uint = [out unsigned u32]) -> cl_int = [named cl_int];
    clGetSupportedImageFormats(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], image_type: cl_mem_object_type = [named cl_mem_object_type], num_entries: cl_uint = [unsigned u32], image_formats: *mut cl_image_format = [address], num_image_formats: *mut cl_uint = [out unsigned u32]) -> cl_int = [named cl_int];
    clLinkProgram(context: cl_context = [address], num_devices: cl_uint = [unsigned u32], device_list: *const cl_device_id = [address], options: *const c_char = [text], num_input_programs: cl_uint = [unsigned u32], input_programs: *const cl_program = [address], pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_program = [address];
    clReleaseCommandQueue(command_queue: cl_command_queue = [address]) -> cl_int = [named cl_int];
    clReleaseContext(context: cl_context = [address]) -> cl_int = [named cl_int];
    clReleaseDevice(device: cl_device_id = [address]) -> cl_int = [named cl_int];
    clReleaseEvent(event: cl_event = [address]) -> cl_int = [named cl_int];
    clReleaseKernel(kernel: cl_kernel = [address]) -> cl_int = [named cl_int];
    clReleaseMemObject(memobj: cl_mem = [address]) -> cl_int = [named cl_int];
    clReleaseProgram(program: cl_program = [address]) -> cl_int = [named cl_int];
    clReleaseSampler(sampler: cl_sampler = [address]) -> cl_int = [named cl_int];
    clRetainCommandQueue(command_queue: cl_command_queue = [address]) -> cl_int = [named cl_int];
    clRetainContext(context: cl_context = [address]) -> cl_int = [named cl_int];
    clRetainDevice(device: cl_device_id = [address]) -> cl_int = [named cl_int];
    clRetainEvent(event: cl_event = [address]) -> cl_int = [named cl_int];
    clRetainKernel(kernel: cl_kernel = [address]) -> cl_int = [named cl_int];
    clRetainMemObject(memobj: cl_mem = [address]) -> cl_int = [named cl_int];
    clRetainProgram(program: cl_program = [address]) -> cl_int = [named cl_int];
    clRetainSampler(sampler: cl_sampler = [address]) -> cl_int = [named cl_int];
    clSVMAlloc(context: cl_context = [address], flags: cl_svm_mem_flags = [unsigned u64], size: usize = [unsigned usize], alignment: cl_uint = [unsigned u32]) -> *mut c_void = [address];
    clSVMFree(context: cl_context = [address], svm_pointer: *mut c_void = [address]);
    clSetCommandQueueProperty(command_queue: cl_command_queue = [address], properties: cl_command_queue_properties = [flags cl_command_queue_properties], enable: cl_bool = [named cl_bool], old_properties: *mut cl_command_queue_properties = [out flags cl_command_queue_properties]) -> cl_int = [named cl_int];
    clSetContextDestructorCallback(context: cl_context = [address], pfn_notify: Option<unsafe extern "C" fn(context: cl_context, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address]) -> cl_int = [named cl_int];
    clSetDefaultDeviceCommandQueue(context: cl_context = [address], device: cl_device_id = [address], command_queue: cl_command_queue = [address]) -> cl_int = [named cl_int];
    clSetEventCallback(event: cl_event = [address], command_exec_callback_type: cl_int = [signed i32], pfn_notify: Option<unsafe extern "C" fn(event: cl_event, event_command_status: cl_int, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address]) -> cl_int = [named cl_int];
    clSetKernelArg(kernel: cl_kernel = [address], arg_index: cl_uint = [unsigned u32], arg_size: usize = [unsigned usize], arg_value: *const c_void = [address]) -> cl_int = [named cl_int];
    clSetKernelArgSVMPointer(kernel: cl_kernel = [address], arg_index: cl_uint = [unsigned u32], arg_value: *const c_void = [address]) -> cl_int = [named cl_int];
    clSetKernelExecInfo(kernel: cl_kernel = [address], param_name: cl_kernel_exec_info = [named cl_kernel_exec_info], param_value_size: usize = [unsigned usize], param_value: *const c_void = [address]) -> cl_int = [named cl_int];
    clSetMemObjectDestructorCallback(memobj: cl_mem = [address], pfn_notify: Option<unsafe extern "C" fn(memobj: cl_mem, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address]) -> cl_int = [named cl_int];
    clSetProgramReleaseCallback(program: cl_program = [address], pfn_notify: Option<unsafe extern "C" fn(program: cl_program, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address]) -> cl_int = [named cl_int];
    clSetProgramSpecializationConstant(program: cl_program = [address], spec_id: cl_uint = [unsigned u32], spec_size: usize = [unsigned usize], spec_value: *const c_void = [address]) -> cl_int = [named cl_int];
    clSetUserEventStatus(event: cl_event = [address], execution_status: cl_int = [signed i32]) -> cl_int = [named cl_int];
    clUnloadCompiler() -> cl_int = [named cl_int];
    clUnloadPlatformCompiler(platform: cl_platform_id = [address]) -> cl_int = [named cl_int];
    clWaitForEvents(num_events: cl_uint = [unsigned u32], event_list: *const cl_event = [address]) -> cl_int = [named cl_int];
}
wrappers! { opencl_extensions
    clCancelCommandsIMG(event_list: *const cl_event = [address], num_events_in_list: usize = [unsigned usize]) -> cl_int = [named cl_int];
    clCommandBarrierWithWaitListKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandCopyBufferKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], src_buffer: cl_mem = [address], dst_buffer: cl_mem = [address], src_offset: usize = [unsigned usize], dst_offset: usize = [unsigned usize], size: usize = [unsigned usize], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandCopyBufferRectKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], src_buffer: cl_mem = [address], dst_buffer: cl_mem = [address], src_origin: *const usize = [address], dst_origin: *const usize = [address], region: *const usize = [address], src_row_pitch: usize = [unsigned usize], src_slice_pitch: usize = [unsigned usize], dst_row_pitch: usize = [unsigned usize], dst_slice_pitch: usize = [unsigned usize], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandCopyBufferToImageKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], src_buffer: cl_mem = [address], dst_image: cl_mem = [address], src_offset: usize = [unsigned usize], dst_origin: *const usize = [address], region: *const usize = [address], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandCopyImageKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], src_image: cl_mem = [address], dst_image: cl_mem = [address], src_origin: *const usize = [address], dst_origin: *const usize = [address], region: *const usize = [address], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandCopyImageToBufferKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], src_image: cl_mem = [address], dst_buffer: cl_mem = [address], src_origin: *const usize = [address], region: *const usize = [address], dst_offset: usize = [unsigned usize], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandFillBufferKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], buffer: cl_mem = [address], pattern: *const c_void = [address], pattern_size: usize = [unsigned usize], offset: usize = [unsigned usize], size: usize = [unsigned usize], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandFillImageKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], image: cl_mem = [address], fill_color: *const c_void = [address], origin: *const usize = [address], region: *const usize = [address], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandNDRangeKernelKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], kernel: cl_kernel = [address], work_dim: cl_uint = [unsigned u32], global_work_offset: *const usize = [address], global_work_size: *const usize = [address], local_work_size: *const usize = [address], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandSVMMemFillKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], svm_ptr: *mut c_void = [address], pattern: *const c_void = [address], pattern_size: usize = [unsigned usize], size: usize = [unsigned usize], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCommandSVMMemcpyKHR(command_buffer: cl_command_buffer_khr = [address], command_queue: cl_command_queue = [address], properties: *const cl_command_properties_khr = [address], dst_ptr: *mut c_void = [address], src_ptr: *const c_void = [address], size: usize = [unsigned usize], num_sync_points_in_wait_list: cl_uint = [unsigned u32], sync_point_wait_list: *const cl_sync_point_khr = [address], sync_point: *mut cl_sync_point_khr = [out unsigned u32], mutable_handle: *mut cl_mutable_command_khr = [out address]) -> cl_int = [named cl_int];
    clCreateAcceleratorINTEL(context: cl_context = [address], accelerator_type: cl_accelerator_type_intel = [named cl_accelerator_type_intel], descriptor_size: usize = [unsigned usize], descriptor: *const c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_accelerator_intel = [address];
    clCreateBufferWithPropertiesINTEL(context: cl_context = [address], properties: *const cl_mem_properties_intel = [address], flags: cl_mem_flags = [flags cl_mem_flags], size: usize = [unsigned usize], host_ptr: *mut c_void = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clCreateCommandBufferKHR(num_queues: cl_uint = [unsigned u32], queues: *const cl_command_queue = [address], properties: *const cl_command_buffer_properties_khr = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_command_buffer_khr = [address];
    clCreateCommandQueueWithPropertiesKHR(context: cl_context = [address], device: cl_device_id = [address], properties: *const cl_queue_properties_khr = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_command_queue = [address];
    clCreateProgramWithILKHR(context: cl_context = [address], il: *const c_void = [address], length: usize = [unsigned usize], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_program = [address];
    clCreateSemaphoreWithPropertiesKHR(context: cl_context = [address], sema_props: *const cl_semaphore_properties_khr = [address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_semaphore_khr = [address];
    clCreateSubDevicesEXT(in_device: cl_device_id = [address], properties: *const cl_device_partition_property_ext = [address], num_entries: cl_uint = [unsigned u32], out_devices: *mut cl_device_id = [out address], num_devices: *mut cl_uint = [out unsigned u32]) -> cl_int = [named cl_int];
    clDeviceMemAllocINTEL(context: cl_context = [address], device: cl_device_id = [address], properties: *const cl_mem_properties_intel = [address], size: usize = [unsigned usize], alignment: cl_uint = [unsigned u32], errcode_ret: *mut cl_int = [out named cl_int]) -> *mut c_void = [address];
    clEnqueueAcquireExternalMemObjectsKHR(command_queue: cl_command_queue = [address], num_mem_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueAcquireGrallocObjectsIMG(command_queue: cl_command_queue = [address], num_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueCommandBufferKHR(num_queues: cl_uint = [unsigned u32], queues: *mut cl_command_queue = [out address], command_buffer: cl_command_buffer_khr = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueGenerateMipmapIMG(command_queue: cl_command_queue = [address], src_image: cl_mem = [address], dst_image: cl_mem = [address], mipmap_filter_mode: cl_mipmap_filter_mode_img = [named cl_mipmap_filter_mode_img], array_region: *const usize = [address], mip_region: *const usize = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMemAdviseINTEL(command_queue: cl_command_queue = [address], ptr: *const c_void = [address], size: usize = [unsigned usize], advice: cl_mem_advice_intel = [unsigned u32], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMemFillINTEL(command_queue: cl_command_queue = [address], dst_ptr: *mut c_void = [address], pattern: *const c_void = [address], pattern_size: usize = [unsigned usize], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMemcpyINTEL(command_queue: cl_command_queue = [address], blocking: cl_bool = [named cl_bool], dst_ptr: *mut c_void = [address], src_ptr: *const c_void = [address], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMemsetINTEL(command_queue: cl_command_queue = [address], dst_ptr: *mut c_void = [address], value: cl_int = [signed i32], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMigrateMemINTEL(command_queue: cl_command_queue = [address], ptr: *const c_void = [address], size: usize = [unsigned usize], flags: cl_mem_migration_flags = [flags cl_mem_migration_flags], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueMigrateMemObjectEXT(command_queue: cl_command_queue = [address], num_mem_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], flags: cl_mem_migration_flags_ext = [flags cl_mem_migration_flags_ext], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueReadHostPipeINTEL(command_queue: cl_command_queue = [address], program: cl_program = [address], pipe_symbol: *const c_char = [text], blocking_read: cl_bool = [named cl_bool], ptr: *mut c_void = [address], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueReleaseExternalMemObjectsKHR(command_queue: cl_command_queue = [address], num_mem_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueReleaseGrallocObjectsIMG(command_queue: cl_command_queue = [address], num_objects: cl_uint = [unsigned u32], mem_objects: *const cl_mem = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMFreeARM(command_queue: cl_command_queue = [address], num_svm_pointers: cl_uint = [unsigned u32], svm_pointers: *mut *mut c_void = [address], pfn_free_func: Option<unsafe extern "C" fn(queue: cl_command_queue, num_svm_pointers: cl_uint, svm_pointers: *mut *mut c_void, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMMapARM(command_queue: cl_command_queue = [address], blocking_map: cl_bool = [named cl_bool], flags: cl_map_flags = [flags cl_map_flags], svm_ptr: *mut c_void = [address], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMMemFillARM(command_queue: cl_command_queue = [address], svm_ptr: *mut c_void = [address], pattern: *const c_void = [address], pattern_size: usize = [unsigned usize], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMMemcpyARM(command_queue: cl_command_queue = [address], blocking_copy: cl_bool = [named cl_bool], dst_ptr: *mut c_void = [address], src_ptr: *const c_void = [address], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSVMUnmapARM(command_queue: cl_command_queue = [address], svm_ptr: *mut c_void = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueSignalSemaphoresKHR(command_queue: cl_command_queue = [address], num_sema_objects: cl_uint = [unsigned u32], sema_objects: *const cl_semaphore_khr = [address], sema_payload_list: *const cl_semaphore_payload_khr = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueWaitSemaphoresKHR(command_queue: cl_command_queue = [address], num_sema_objects: cl_uint = [unsigned u32], sema_objects: *const cl_semaphore_khr = [address], sema_payload_list: *const cl_semaphore_payload_khr = [address], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clEnqueueWriteHostPipeINTEL(command_queue: cl_command_queue = [address], program: cl_program = [address], pipe_symbol: *const c_char = [text], blocking_write: cl_bool = [named cl_bool], ptr: *const c_void = [address], size: usize = [unsigned usize], num_events_in_wait_list: cl_uint = [unsigned u32], event_wait_list: *const cl_event = [address], event: *mut cl_event = [out address]) -> cl_int = [named cl_int];
    clFinalizeCommandBufferKHR(command_buffer: cl_command_buffer_khr = [address]) -> cl_int = [named cl_int];
    clGetAcceleratorInfoINTEL(accelerator: cl_accelerator_intel = [address], param_name: cl_accelerator_info_intel = [named cl_accelerator_info_intel], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetCommandBufferInfoKHR(command_buffer: cl_command_buffer_khr = [address], param_name: cl_command_buffer_info_khr = [named cl_command_buffer_info_khr], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetDeviceImageInfoQCOM(device: cl_device_id = [address], image_width: usize = [unsigned usize], image_height: usize = [unsigned usize], image_format: *const cl_image_format = [address], param_name: cl_image_pitch_info_qcom = [named cl_image_pitch_info_qcom], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetICDLoaderInfoOCLICD(param_name: cl_icdl_info = [named cl_icdl_info], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetImageRequirementsInfoEXT(context: cl_context = [address], properties: *const cl_mem_properties = [address], flags: cl_mem_flags = [flags cl_mem_flags], image_format: *const cl_image_format = [address], image_desc: *const cl_image_desc = [address], param_name: cl_image_requirements_info_ext = [named cl_image_requirements_info_ext], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetKernelSubGroupInfoKHR(in_kernel: cl_kernel = [address], in_device: cl_device_id = [address], param_name: cl_kernel_sub_group_info = [named cl_kernel_sub_group_info], input_value_size: usize = [unsigned usize], input_value: *const c_void = [address], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetKernelSuggestedLocalWorkSizeKHR(command_queue: cl_command_queue = [address], kernel: cl_kernel = [address], work_dim: cl_uint = [unsigned u32], global_work_offset: *const usize = [address], global_work_size: *const usize = [address], suggested_local_work_size: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetMemAllocInfoINTEL(context: cl_context = [address], ptr: *const c_void = [address], param_name: cl_mem_info_intel = [unsigned u32], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetMutableCommandInfoKHR(command: cl_mutable_command_khr = [address], param_name: cl_mutable_command_info_khr = [named cl_mutable_command_info_khr], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetSemaphoreHandleForTypeKHR(sema_object: cl_semaphore_khr = [address], device: cl_device_id = [address], handle_type: cl_external_semaphore_handle_type_khr = [named cl_external_semaphore_handle_type_khr], handle_size: usize = [unsigned usize], handle_ptr: *mut c_void = [address], handle_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clGetSemaphoreInfoKHR(sema_object: cl_semaphore_khr = [address], param_name: cl_semaphore_info_khr = [named cl_semaphore_info_khr], param_value_size: usize = [unsigned usize], param_value: *mut c_void = [address], param_value_size_ret: *mut usize = [out unsigned usize]) -> cl_int = [named cl_int];
    clHostMemAllocINTEL(context: cl_context = [address], properties: *const cl_mem_properties_intel = [address], size: usize = [unsigned usize], alignment: cl_uint = [unsigned u32], errcode_ret: *mut cl_int = [out named cl_int]) -> *mut c_void = [address];
    clIcdGetFunctionAddressForPlatformKHR(platform: cl_platform_id = [address], func_name: *const c_char = [text]) -> *mut c_void = [address];
    clIcdGetPlatformIDsKHR(num_entries: cl_uint = [unsigned u32], platforms: *mut cl_platform_id = [out address], num_platforms: *mut cl_uint = [out unsigned u32]) -> cl_int = [named cl_int];
    clIcdSetPlatformDispatchDataKHR(platform: cl_platform_id = [address], dispatch_data: *mut c_void = [address]) -> cl_int = [named cl_int];
    clImportMemoryARM(context: cl_context = [address], flags: cl_mem_flags = [flags cl_mem_flags], properties: *const cl_import_properties_arm = [address], memory: *mut c_void = [address], size: usize = [unsigned usize], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_mem = [address];
    clLogMessagesToStderrAPPLE(errstr: *const c_char = [text], private_info: *const c_void = [address], cb: usize = [unsigned usize], user_data: *mut c_void = [address]);
    clLogMessagesToStdoutAPPLE(errstr: *const c_char = [text], private_info: *const c_void = [address], cb: usize = [unsigned usize], user_data: *mut c_void = [address]);
    clLogMessagesToSystemLogAPPLE(errstr: *const c_char = [text], private_info: *const c_void = [address], cb: usize = [unsigned usize], user_data: *mut c_void = [address]);
    clMemBlockingFreeINTEL(context: cl_context = [address], ptr: *mut c_void = [address]) -> cl_int = [named cl_int];
    clMemFreeINTEL(context: cl_context = [address], ptr: *mut c_void = [address]) -> cl_int = [named cl_int];
    clReImportSemaphoreSyncFdKHR(sema_object: cl_semaphore_khr = [address], reimport_props: *mut cl_semaphore_reimport_properties_khr = [out unsigned u64], fd: c_int = [signed c_int]) -> cl_int = [named cl_int];
    clReleaseAcceleratorINTEL(accelerator: cl_accelerator_intel = [address]) -> cl_int = [named cl_int];
    clReleaseCommandBufferKHR(command_buffer: cl_command_buffer_khr = [address]) -> cl_int = [named cl_int];
    clReleaseDeviceEXT(device: cl_device_id = [address]) -> cl_int = [named cl_int];
    clReleaseSemaphoreKHR(sema_object: cl_semaphore_khr = [address]) -> cl_int = [named cl_int];
    clRemapCommandBufferKHR(command_buffer: cl_command_buffer_khr = [address], automatic: cl_bool = [named cl_bool], num_queues: cl_uint = [unsigned u32], queues: *const cl_command_queue = [address], num_handles: cl_uint = [unsigned u32], handles: *const cl_mutable_command_khr = [address], handles_ret: *mut cl_mutable_command_khr = [out address], errcode_ret: *mut cl_int = [out named cl_int]) -> cl_command_buffer_khr = [address];
    clRetainAcceleratorINTEL(accelerator: cl_accelerator_intel = [address]) -> cl_int = [named cl_int];
    clRetainCommandBufferKHR(command_buffer: cl_command_buffer_khr = [address]) -> cl_int = [named cl_int];
    clRetainDeviceEXT(device: cl_device_id = [address]) -> cl_int = [named cl_int];
    clRetainSemaphoreKHR(sema_object: cl_semaphore_khr = [address]) -> cl_int = [named cl_int];
    clSVMAllocARM(context: cl_context = [address], flags: cl_svm_mem_flags_arm = [flags cl_svm_mem_flags_arm], size: usize = [unsigned usize], alignment: cl_uint = [unsigned u32]) -> *mut c_void = [address];
    clSVMFreeARM(context: cl_context = [address], svm_pointer: *mut c_void = [address]);
    clSetContentSizeBufferPoCL(buffer: cl_mem = [address], content_size_buffer: cl_mem = [address]) -> cl_int = [named cl_int];
    clSetKernelArgDevicePointerEXT(kernel: cl_kernel = [address], arg_index: cl_uint = [unsigned u32], arg_value: cl_mem_device_address_ext = [unsigned u64]) -> cl_int = [named cl_int];
    clSetKernelArgMemPointerINTEL(kernel: cl_kernel = [address], arg_index: cl_uint = [unsigned u32], arg_value: *const c_void = [address]) -> cl_int = [named cl_int];
    clSetKernelArgSVMPointerARM(kernel: cl_kernel = [address], arg_index: cl_uint = [unsigned u32], arg_value: *const c_void = [address]) -> cl_int = [named cl_int];
    clSetKernelExecInfoARM(kernel: cl_kernel = [address], param_name: cl_kernel_exec_info_arm = [named cl_kernel_exec_info_arm], param_value_size: usize = [unsigned usize], param_value: *const c_void = [address]) -> cl_int = [named cl_int];
    clSetMemObjectDestructorAPPLE(memobj: cl_mem = [address], pfn_notify: Option<unsafe extern "C" fn(memobj: cl_mem, user_data: *mut c_void)> = [address], user_data: *mut c_void = [address]) -> cl_int = [named cl_int];
    clSetPerfHintQCOM(context: cl_context = [address], perf_hint: cl_perf_hint_qcom = [named cl_perf_hint_qcom]) -> cl_int = [named cl_int];
    clSharedMemAllocINTEL(context: cl_context = [address], device: cl_device_id = [address], properties: *const cl_mem_properties_intel = [address], size: usize = [unsigned usize], alignment: cl_uint = [unsigned u32], errcode_ret: *mut cl_int = [out named cl_int]) -> *mut c_void = [address];
    clTerminateContextKHR(context: cl_context = [address]) -> cl_int = [named cl_int];
    clUpdateMutableCommandsKHR(command_buffer: cl_command_buffer_khr = [address], num_configs: cl_uint = [unsigned u32], config_types: *const cl_command_buffer_update_type_khr = [address], configs: *mut *const c_void = [out address]) -> cl_int = [named cl_int];
}
