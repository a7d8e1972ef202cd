// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, clippy::all)]
use core::ffi::*;
pub const GENERIC_GRID_LAUNCH: u32 = 1;
pub const HIP_ERROR_INVALID_VALUE: _bindgen_ty_2 = _bindgen_ty_2(1);
pub const HIP_ERROR_LAUNCH_OUT_OF_RESOURCES: _bindgen_ty_2 = _bindgen_ty_2(3);
pub const HIP_ERROR_NOT_INITIALIZED: _bindgen_ty_2 = _bindgen_ty_2(2);
pub const HIP_IMAGE_OBJECT_SIZE_DWORD: u32 = 12;
pub const HIP_IPC_HANDLE_SIZE: u32 = 64;
pub const HIP_SAMPLER_OBJECT_OFFSET_DWORD: u32 = 12;
pub const HIP_SAMPLER_OBJECT_SIZE_DWORD: u32 = 8;
pub const HIP_SUCCESS: _bindgen_ty_2 = _bindgen_ty_2(0);
pub const HIP_TEXTURE_OBJECT_SIZE_DWORD: u32 = 20;
pub const HIP_TRSA_OVERRIDE_FORMAT: u32 = 1;
pub const HIP_TRSF_NORMALIZED_COORDINATES: u32 = 2;
pub const HIP_TRSF_READ_AS_INTEGER: u32 = 1;
pub const HIP_TRSF_SRGB: u32 = 16;
pub const HIP_VERSION: u32 = 70253211;
pub const HIP_VERSION_BUILD_ID: u32 = 0;
pub const HIP_VERSION_BUILD_NAME: &[u8; 1] = b"\0";
pub const HIP_VERSION_GITHASH: &[u8; 1] = b"\0";
pub const HIP_VERSION_MAJOR: u32 = 7;
pub const HIP_VERSION_MINOR: u32 = 2;
pub const HIP_VERSION_PATCH: u32 = 53211;
pub const USE_PEER_NON_UNIFIED: u32 = 1;
pub const __HIP_ARCH_HAS_3DGRID__: u32 = 0;
pub const __HIP_ARCH_HAS_DOUBLES__: u32 = 0;
pub const __HIP_ARCH_HAS_DYNAMIC_PARALLEL__: u32 = 0;
pub const __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__: u32 = 0;
pub const __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__: u32 = 0;
pub const __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__: u32 = 0;
pub const __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__: u32 = 0;
pub const __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__: u32 = 0;
pub const __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__: u32 = 0;
pub const __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__: u32 = 0;
pub const __HIP_ARCH_HAS_SURFACE_FUNCS__: u32 = 0;
pub const __HIP_ARCH_HAS_SYNC_THREAD_EXT__: u32 = 0;
pub const __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__: u32 = 0;
pub const __HIP_ARCH_HAS_WARP_BALLOT__: u32 = 0;
pub const __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__: u32 = 0;
pub const __HIP_ARCH_HAS_WARP_SHUFFLE__: u32 = 0;
pub const __HIP_ARCH_HAS_WARP_VOTE__: u32 = 0;
pub const __HIP_HAS_GET_PCH: u32 = 1;
pub const __HIP_USE_NATIVE_VECTOR__: u32 = 1;
pub const hipArrayCubemap: u32 = 4;
pub const hipArrayDefault: u32 = 0;
pub const hipArrayLayered: u32 = 1;
pub const hipArraySurfaceLoadStore: u32 = 2;
pub const hipArrayTextureGather: u32 = 8;
pub const hipCooperativeLaunchMultiDeviceNoPostSync: u32 = 2;
pub const hipCooperativeLaunchMultiDeviceNoPreSync: u32 = 1;
pub const hipDeviceLmemResizeToMax: u32 = 16;
pub const hipDeviceMallocContiguous: u32 = 4;
pub const hipDeviceMallocDefault: u32 = 0;
pub const hipDeviceMallocFinegrained: u32 = 1;
pub const hipDeviceMallocUncached: u32 = 3;
pub const hipDeviceMapHost: u32 = 8;
pub const hipDeviceScheduleAuto: u32 = 0;
pub const hipDeviceScheduleBlockingSync: u32 = 4;
pub const hipDeviceScheduleMask: u32 = 7;
pub const hipDeviceScheduleSpin: u32 = 1;
pub const hipDeviceScheduleYield: u32 = 2;
pub const hipEnableDefault: u32 = 0;
pub const hipEnableLegacyStream: u32 = 1;
pub const hipEnablePerThreadDefaultStream: u32 = 2;
pub const hipEventBlockingSync: u32 = 1;
pub const hipEventDefault: u32 = 0;
pub const hipEventDisableSystemFence: u32 = 536870912;
pub const hipEventDisableTiming: u32 = 2;
pub const hipEventInterprocess: u32 = 4;
pub const hipEventRecordDefault: u32 = 0;
pub const hipEventRecordExternal: u32 = 1;
pub const hipEventReleaseToDevice: u32 = 1073741824;
pub const hipEventReleaseToSystem: u32 = 2147483648;
pub const hipEventWaitDefault: u32 = 0;
pub const hipEventWaitExternal: u32 = 1;
pub const hipExtAnyOrderLaunch: u32 = 1;
pub const hipExtHostRegisterCoarseGrained: u32 = 8;
pub const hipExtHostRegisterUncached: u32 = 2147483648;
pub const hipExternalMemoryDedicated: u32 = 1;
pub const hipGraphKernelNodePortDefault: u32 = 0;
pub const hipGraphKernelNodePortLaunchCompletion: u32 = 2;
pub const hipGraphKernelNodePortProgrammatic: u32 = 1;
pub const hipHostAllocDefault: u32 = 0;
pub const hipHostAllocMapped: u32 = 2;
pub const hipHostAllocPortable: u32 = 1;
pub const hipHostAllocUncached: u32 = 268435456;
pub const hipHostAllocWriteCombined: u32 = 4;
pub const hipHostMallocCoherent: u32 = 1073741824;
pub const hipHostMallocDefault: u32 = 0;
pub const hipHostMallocMapped: u32 = 2;
pub const hipHostMallocNonCoherent: u32 = 2147483648;
pub const hipHostMallocNumaUser: u32 = 536870912;
pub const hipHostMallocPortable: u32 = 1;
pub const hipHostMallocUncached: u32 = 268435456;
pub const hipHostMallocWriteCombined: u32 = 4;
pub const hipHostRegisterDefault: u32 = 0;
pub const hipHostRegisterIoMemory: u32 = 4;
pub const hipHostRegisterMapped: u32 = 2;
pub const hipHostRegisterPortable: u32 = 1;
pub const hipHostRegisterReadOnly: u32 = 8;
pub const hipIpcMemLazyEnablePeerAccess: u32 = 1;
pub const hipMallocSignalMemory: u32 = 2;
pub const hipMemAttachGlobal: u32 = 1;
pub const hipMemAttachHost: u32 = 2;
pub const hipMemAttachSingle: u32 = 4;
pub const hipOccupancyDefault: u32 = 0;
pub const hipOccupancyDisableCachingOverride: u32 = 1;
pub const hipStreamDefault: u32 = 0;
pub const hipStreamNonBlocking: u32 = 1;
pub const hipStreamWaitValueAnd: u32 = 2;
pub const hipStreamWaitValueEq: u32 = 1;
pub const hipStreamWaitValueGte: u32 = 0;
pub const hipStreamWaitValueNor: u32 = 3;
pub const hipTextureType1D: u32 = 1;
pub const hipTextureType1DLayered: u32 = 241;
pub const hipTextureType2D: u32 = 2;
pub const hipTextureType2DLayered: u32 = 242;
pub const hipTextureType3D: u32 = 3;
pub const hipTextureTypeCubemap: u32 = 12;
pub const hipTextureTypeCubemapLayered: u32 = 252;
pub type GLenum = c_uint;
pub type GLuint = c_uint;
pub type HIP_LAUNCH_CONFIG = HIP_LAUNCH_CONFIG_st;
pub type HIP_RESOURCE_DESC = HIP_RESOURCE_DESC_st;
pub type HIP_RESOURCE_VIEW_DESC = HIP_RESOURCE_VIEW_DESC_st;
pub type HIP_TEXTURE_DESC = HIP_TEXTURE_DESC_st;
pub type HIPaddress_mode = HIPaddress_mode_enum;
pub type HIPfilter_mode = HIPfilter_mode_enum;
pub type HIPresourceViewFormat = HIPresourceViewFormat_enum;
pub type HIPresourcetype = HIPresourcetype_enum;
pub type hipArray_const_t = *const hipArray;
pub type hipArray_t = *mut hipArray;
pub type hipComplex = hipFloatComplex;
pub type hipCtx_t = *mut ihipCtx_t;
pub type hipDevice_t = c_int;
pub type hipDeviceptr_t = *mut c_void;
pub type hipDoubleComplex = double2;
pub type hipEvent_t = *mut ihipEvent_t;
pub type hipExternalMemoryBufferDesc = hipExternalMemoryBufferDesc_st;
pub type hipExternalMemoryHandleDesc = hipExternalMemoryHandleDesc_st;
pub type hipExternalMemoryHandleType = hipExternalMemoryHandleType_enum;
pub type hipExternalMemoryMipmappedArrayDesc = hipExternalMemoryMipmappedArrayDesc_st;
pub type hipExternalMemory_t = *mut c_void;
pub type hipExternalSemaphoreHandleDesc = hipExternalSemaphoreHandleDesc_st;
pub type hipExternalSemaphoreHandleType = hipExternalSemaphoreHandleType_enum;
pub type hipExternalSemaphoreSignalParams = hipExternalSemaphoreSignalParams_st;
pub type hipExternalSemaphoreWaitParams = hipExternalSemaphoreWaitParams_st;
pub type hipExternalSemaphore_t = *mut c_void;
pub type hipFloatComplex = float2;
pub type hipFunctionLaunchParams = hipFunctionLaunchParams_t;
pub type hipFunction_t = *mut ihipModuleSymbol_t;
pub type hipGraphExec_t = *mut hipGraphExec;
pub type hipGraphNode_t = *mut hipGraphNode;
pub type hipGraph_t = *mut ihipGraph;
pub type hipGraphicsResource = _hipGraphicsResource;
pub type hipGraphicsResource_t = *mut hipGraphicsResource;
pub type hipHostFn_t = Option<unsafe extern "C" fn(userData: *mut c_void)>;
pub type hipIpcEventHandle_t = hipIpcEventHandle_st;
pub type hipIpcMemHandle_t = hipIpcMemHandle_st;
pub type hipKernel_t = *mut ihipKernel_t;
pub type hipLaunchAttribute = hipLaunchAttribute_st;
pub type hipLaunchConfig_t = hipLaunchConfig_st;
pub type hipLaunchParams = hipLaunchParams_t;
pub type hipLibraryOption = hipLibraryOption_e;
pub type hipLibrary_t = *mut ihipLibrary_t;
pub type hipLinkState_t = *mut ihipLinkState_t;
pub type hipMemGenericAllocationHandle_t = *mut ihipMemGenericAllocationHandle;
pub type hipMemPool_t = *mut ihipMemPoolHandle_t;
pub type hipMipmappedArray_const_t = *const hipMipmappedArray;
pub type hipMipmappedArray_t = *mut hipMipmappedArray;
pub type hipModule_t = *mut ihipModule_t;
pub type hipResourcetype = HIPresourcetype_enum;
pub type hipStreamBatchMemOpParams = hipStreamBatchMemOpParams_union;
pub type hipStreamCallback_t = Option<unsafe extern "C" fn(stream: hipStream_t, status: hipError_t, userData: *mut c_void)>;
pub type hipStream_t = *mut ihipStream_t;
pub type hipSurfaceObject_t = *mut __hip_surface;
pub type hipTextureObject_t = *mut __hip_texture;
pub type hipUUID = hipUUID_t;
pub type hipUserObject_t = *mut hipUserObject;
pub type hiparray = hipArray_t;
pub type hipmipmappedArray = hipMipmappedArray_t;
pub type hiprtcLinkState = *mut ihiprtcLinkState;
pub type hiprtcProgram = *mut _hiprtcProgram;
c_enums! {
    HIPaddress_mode_enum: c_uint {
        HIP_TR_ADDRESS_MODE_WRAP = 0,
        HIP_TR_ADDRESS_MODE_CLAMP = 1,
        HIP_TR_ADDRESS_MODE_MIRROR = 2,
        HIP_TR_ADDRESS_MODE_BORDER = 3,
    }
    HIPfilter_mode_enum: c_uint {
        HIP_TR_FILTER_MODE_POINT = 0,
        HIP_TR_FILTER_MODE_LINEAR = 1,
    }
    HIPresourceViewFormat_enum: c_uint {
        HIP_RES_VIEW_FORMAT_NONE = 0,
        HIP_RES_VIEW_FORMAT_UINT_1X8 = 1,
        HIP_RES_VIEW_FORMAT_UINT_2X8 = 2,
        HIP_RES_VIEW_FORMAT_UINT_4X8 = 3,
        HIP_RES_VIEW_FORMAT_SINT_1X8 = 4,
        HIP_RES_VIEW_FORMAT_SINT_2X8 = 5,
        HIP_RES_VIEW_FORMAT_SINT_4X8 = 6,
        HIP_RES_VIEW_FORMAT_UINT_1X16 = 7,
        HIP_RES_VIEW_FORMAT_UINT_2X16 = 8,
        HIP_RES_VIEW_FORMAT_UINT_4X16 = 9,
        HIP_RES_VIEW_FORMAT_SINT_1X16 = 10,
        HIP_RES_VIEW_FORMAT_SINT_2X16 = 11,
        HIP_RES_VIEW_FORMAT_SINT_4X16 = 12,
        HIP_RES_VIEW_FORMAT_UINT_1X32 = 13,
        HIP_RES_VIEW_FORMAT_UINT_2X32 = 14,
        HIP_RES_VIEW_FORMAT_UINT_4X32 = 15,
        HIP_RES_VIEW_FORMAT_SINT_1X32 = 16,
        HIP_RES_VIEW_FORMAT_SINT_2X32 = 17,
        HIP_RES_VIEW_FORMAT_SINT_4X32 = 18,
        HIP_RES_VIEW_FORMAT_FLOAT_1X16 = 19,
        HIP_RES_VIEW_FORMAT_FLOAT_2X16 = 20,
        HIP_RES_VIEW_FORMAT_FLOAT_4X16 = 21,
        HIP_RES_VIEW_FORMAT_FLOAT_1X32 = 22,
        HIP_RES_VIEW_FORMAT_FLOAT_2X32 = 23,
        HIP_RES_VIEW_FORMAT_FLOAT_4X32 = 24,
        HIP_RES_VIEW_FORMAT_UNSIGNED_BC1 = 25,
        HIP_RES_VIEW_FORMAT_UNSIGNED_BC2 = 26,
        HIP_RES_VIEW_FORMAT_UNSIGNED_BC3 = 27,
        HIP_RES_VIEW_FORMAT_UNSIGNED_BC4 = 28,
        HIP_RES_VIEW_FORMAT_SIGNED_BC4 = 29,
        HIP_RES_VIEW_FORMAT_UNSIGNED_BC5 = 30,
        HIP_RES_VIEW_FORMAT_SIGNED_BC5 = 31,
        HIP_RES_VIEW_FORMAT_UNSIGNED_BC6H = 32,
        HIP_RES_VIEW_FORMAT_SIGNED_BC6H = 33,
        HIP_RES_VIEW_FORMAT_UNSIGNED_BC7 = 34,
    }
    HIPresourcetype_enum: c_uint {
        HIP_RESOURCE_TYPE_ARRAY = 0,
        HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
        HIP_RESOURCE_TYPE_LINEAR = 2,
        HIP_RESOURCE_TYPE_PITCH2D = 3,
    }
    _bindgen_ty_1: c_uint {
    }
    _bindgen_ty_2: c_uint {
    }
    hipAccessProperty: c_uint {
        hipAccessPropertyNormal = 0,
        hipAccessPropertyStreaming = 1,
        hipAccessPropertyPersisting = 2,
    }
    hipArraySparseSubresourceType: c_uint {
        hipArraySparseSubresourceTypeSparseLevel = 0,
        hipArraySparseSubresourceTypeMiptail = 1,
    }
    hipArray_Format: c_uint {
        HIP_AD_FORMAT_UNSIGNED_INT8 = 1,
        HIP_AD_FORMAT_UNSIGNED_INT16 = 2,
        HIP_AD_FORMAT_UNSIGNED_INT32 = 3,
        HIP_AD_FORMAT_SIGNED_INT8 = 8,
        HIP_AD_FORMAT_SIGNED_INT16 = 9,
        HIP_AD_FORMAT_SIGNED_INT32 = 10,
        HIP_AD_FORMAT_HALF = 16,
        HIP_AD_FORMAT_FLOAT = 32,
    }
    hipChannelFormatKind: c_uint {
        hipChannelFormatKindSigned = 0,
        hipChannelFormatKindUnsigned = 1,
        hipChannelFormatKindFloat = 2,
        hipChannelFormatKindNone = 3,
    }
    hipComputeMode: c_uint {
        hipComputeModeDefault = 0,
        hipComputeModeExclusive = 1,
        hipComputeModeProhibited = 2,
        hipComputeModeExclusiveProcess = 3,
    }
    hipDataType: c_uint {
        HIP_R_32F = 0,
        HIP_R_64F = 1,
        HIP_R_16F = 2,
        HIP_R_8I = 3,
        HIP_C_32F = 4,
        HIP_C_64F = 5,
        HIP_C_16F = 6,
        HIP_C_8I = 7,
        HIP_R_8U = 8,
        HIP_C_8U = 9,
        HIP_R_32I = 10,
        HIP_C_32I = 11,
        HIP_R_32U = 12,
        HIP_C_32U = 13,
        HIP_R_16BF = 14,
        HIP_C_16BF = 15,
        HIP_R_4I = 16,
        HIP_C_4I = 17,
        HIP_R_4U = 18,
        HIP_C_4U = 19,
        HIP_R_16I = 20,
        HIP_C_16I = 21,
        HIP_R_16U = 22,
        HIP_C_16U = 23,
        HIP_R_64I = 24,
        HIP_C_64I = 25,
        HIP_R_64U = 26,
        HIP_C_64U = 27,
        HIP_R_8F_E4M3 = 28,
        HIP_R_8F_E5M2 = 29,
        HIP_R_8F_UE8M0 = 30,
        HIP_R_6F_E2M3 = 31,
        HIP_R_6F_E3M2 = 32,
        HIP_R_4F_E2M1 = 33,
        HIP_R_8F_E4M3_FNUZ = 1000,
        HIP_R_8F_E5M2_FNUZ = 1001,
    }
    hipDeviceAttribute_t: c_uint {
        hipDeviceAttributeCudaCompatibleBegin = 0,
        hipDeviceAttributeEccEnabled = 0,
        hipDeviceAttributeAccessPolicyMaxWindowSize = 1,
        hipDeviceAttributeAsyncEngineCount = 2,
        hipDeviceAttributeCanMapHostMemory = 3,
        hipDeviceAttributeCanUseHostPointerForRegisteredMem = 4,
        hipDeviceAttributeClockRate = 5,
        hipDeviceAttributeComputeMode = 6,
        hipDeviceAttributeComputePreemptionSupported = 7,
        hipDeviceAttributeConcurrentKernels = 8,
        hipDeviceAttributeConcurrentManagedAccess = 9,
        hipDeviceAttributeCooperativeLaunch = 10,
        hipDeviceAttributeCooperativeMultiDeviceLaunch = 11,
        hipDeviceAttributeDeviceOverlap = 12,
        hipDeviceAttributeDirectManagedMemAccessFromHost = 13,
        hipDeviceAttributeGlobalL1CacheSupported = 14,
        hipDeviceAttributeHostNativeAtomicSupported = 15,
        hipDeviceAttributeIntegrated = 16,
        hipDeviceAttributeIsMultiGpuBoard = 17,
        hipDeviceAttributeKernelExecTimeout = 18,
        hipDeviceAttributeL2CacheSize = 19,
        hipDeviceAttributeLocalL1CacheSupported = 20,
        hipDeviceAttributeLuid = 21,
        hipDeviceAttributeLuidDeviceNodeMask = 22,
        hipDeviceAttributeComputeCapabilityMajor = 23,
        hipDeviceAttributeManagedMemory = 24,
        hipDeviceAttributeMaxBlocksPerMultiProcessor = 25,
        hipDeviceAttributeMaxBlockDimX = 26,
        hipDeviceAttributeMaxBlockDimY = 27,
        hipDeviceAttributeMaxBlockDimZ = 28,
        hipDeviceAttributeMaxGridDimX = 29,
        hipDeviceAttributeMaxGridDimY = 30,
        hipDeviceAttributeMaxGridDimZ = 31,
        hipDeviceAttributeMaxSurface1D = 32,
        hipDeviceAttributeMaxSurface1DLayered = 33,
        hipDeviceAttributeMaxSurface2D = 34,
        hipDeviceAttributeMaxSurface2DLayered = 35,
        hipDeviceAttributeMaxSurface3D = 36,
        hipDeviceAttributeMaxSurfaceCubemap = 37,
        hipDeviceAttributeMaxSurfaceCubemapLayered = 38,
        hipDeviceAttributeMaxTexture1DWidth = 39,
        hipDeviceAttributeMaxTexture1DLayered = 40,
        hipDeviceAttributeMaxTexture1DLinear = 41,
        hipDeviceAttributeMaxTexture1DMipmap = 42,
        hipDeviceAttributeMaxTexture2DWidth = 43,
        hipDeviceAttributeMaxTexture2DHeight = 44,
        hipDeviceAttributeMaxTexture2DGather = 45,
        hipDeviceAttributeMaxTexture2DLayered = 46,
        hipDeviceAttributeMaxTexture2DLinear = 47,
        hipDeviceAttributeMaxTexture2DMipmap = 48,
        hipDeviceAttributeMaxTexture3DWidth = 49,
        hipDeviceAttributeMaxTexture3DHeight = 50,
        hipDeviceAttributeMaxTexture3DDepth = 51,
        hipDeviceAttributeMaxTexture3DAlt = 52,
        hipDeviceAttributeMaxTextureCubemap = 53,
        hipDeviceAttributeMaxTextureCubemapLayered = 54,
        hipDeviceAttributeMaxThreadsDim = 55,
        hipDeviceAttributeMaxThreadsPerBlock = 56,
        hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
        hipDeviceAttributeMaxPitch = 58,
        hipDeviceAttributeMemoryBusWidth = 59,
        hipDeviceAttributeMemoryClockRate = 60,
        hipDeviceAttributeComputeCapabilityMinor = 61,
        hipDeviceAttributeMultiGpuBoardGroupID = 62,
        hipDeviceAttributeMultiprocessorCount = 63,
        hipDeviceAttributeUnused1 = 64,
        hipDeviceAttributePageableMemoryAccess = 65,
        hipDeviceAttributePageableMemoryAccessUsesHostPageTables = 66,
        hipDeviceAttributePciBusId = 67,
        hipDeviceAttributePciDeviceId = 68,
        hipDeviceAttributePciDomainId = 69,
        hipDeviceAttributePciDomainID = 69,
        hipDeviceAttributePersistingL2CacheMaxSize = 70,
        hipDeviceAttributeMaxRegistersPerBlock = 71,
        hipDeviceAttributeMaxRegistersPerMultiprocessor = 72,
        hipDeviceAttributeReservedSharedMemPerBlock = 73,
        hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
        hipDeviceAttributeSharedMemPerBlockOptin = 75,
        hipDeviceAttributeSharedMemPerMultiprocessor = 76,
        hipDeviceAttributeSingleToDoublePrecisionPerfRatio = 77,
        hipDeviceAttributeStreamPrioritiesSupported = 78,
        hipDeviceAttributeSurfaceAlignment = 79,
        hipDeviceAttributeTccDriver = 80,
        hipDeviceAttributeTextureAlignment = 81,
        hipDeviceAttributeTexturePitchAlignment = 82,
        hipDeviceAttributeTotalConstantMemory = 83,
        hipDeviceAttributeTotalGlobalMem = 84,
        hipDeviceAttributeUnifiedAddressing = 85,
        hipDeviceAttributeUnused2 = 86,
        hipDeviceAttributeWarpSize = 87,
        hipDeviceAttributeMemoryPoolsSupported = 88,
        hipDeviceAttributeVirtualMemoryManagementSupported = 89,
        hipDeviceAttributeHostRegisterSupported = 90,
        hipDeviceAttributeMemoryPoolSupportedHandleTypes = 91,
        hipDeviceAttributeHostNumaId = 92,
        hipDeviceAttributeCudaCompatibleEnd = 9999,
        hipDeviceAttributeAmdSpecificBegin = 10000,
        hipDeviceAttributeClockInstructionRate = 10000,
        hipDeviceAttributeUnused3 = 10001,
        hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002,
        hipDeviceAttributeUnused4 = 10003,
        hipDeviceAttributeUnused5 = 10004,
        hipDeviceAttributeHdpMemFlushCntl = 10005,
        hipDeviceAttributeHdpRegFlushCntl = 10006,
        hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc = 10007,
        hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim = 10008,
        hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim = 10009,
        hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem = 10010,
        hipDeviceAttributeIsLargeBar = 10011,
        hipDeviceAttributeAsicRevision = 10012,
        hipDeviceAttributeCanUseStreamWaitValue = 10013,
        hipDeviceAttributeImageSupport = 10014,
        hipDeviceAttributePhysicalMultiProcessorCount = 10015,
        hipDeviceAttributeFineGrainSupport = 10016,
        hipDeviceAttributeWallClockRate = 10017,
        hipDeviceAttributeNumberOfXccs = 10018,
        hipDeviceAttributeMaxAvailableVgprsPerThread = 10019,
        hipDeviceAttributePciChipId = 10020,
        hipDeviceAttributeAmdSpecificEnd = 19999,
        hipDeviceAttributeVendorSpecificBegin = 20000,
        hipDeviceAttributeName = 64,
        hipDeviceAttributeUuid = 86,
        hipDeviceAttributeArch = 10001,
        hipDeviceAttributeGcnArch = 10003,
        hipDeviceAttributeGcnArchName = 10004,
    }
    hipDeviceP2PAttr: c_uint {
        hipDevP2PAttrPerformanceRank = 0,
        hipDevP2PAttrAccessSupported = 1,
        hipDevP2PAttrNativeAtomicSupported = 2,
        hipDevP2PAttrHipArrayAccessSupported = 3,
    }
    hipDriverEntryPointQueryResult: c_uint {
        hipDriverEntryPointSuccess = 0,
        hipDriverEntryPointSymbolNotFound = 1,
        hipDriverEntryPointVersionNotSufficent = 2,
    }
    hipDriverProcAddressQueryResult: c_uint {
        HIP_GET_PROC_ADDRESS_SUCCESS = 0,
        HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
        HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
    }
    #[must_use = "it says whether the call succeeded"]
    hipError_t: c_uint {
        hipSuccess = 0,
        hipErrorInvalidValue = 1,
        hipErrorOutOfMemory = 2,
        hipErrorMemoryAllocation = 2,
        hipErrorNotInitialized = 3,
        hipErrorInitializationError = 3,
        hipErrorDeinitialized = 4,
        hipErrorProfilerDisabled = 5,
        hipErrorProfilerNotInitialized = 6,
        hipErrorProfilerAlreadyStarted = 7,
        hipErrorProfilerAlreadyStopped = 8,
        hipErrorInvalidConfiguration = 9,
        hipErrorInvalidPitchValue = 12,
        hipErrorInvalidSymbol = 13,
        hipErrorInvalidDevicePointer = 17,
        hipErrorInvalidMemcpyDirection = 21,
        hipErrorInsufficientDriver = 35,
        hipErrorMissingConfiguration = 52,
        hipErrorPriorLaunchFailure = 53,
        hipErrorInvalidDeviceFunction = 98,
        hipErrorNoDevice = 100,
        hipErrorInvalidDevice = 101,
        hipErrorInvalidImage = 200,
        hipErrorInvalidContext = 201,
        hipErrorContextAlreadyCurrent = 202,
        hipErrorMapFailed = 205,
        hipErrorMapBufferObjectFailed = 205,
        hipErrorUnmapFailed = 206,
        hipErrorArrayIsMapped = 207,
        hipErrorAlreadyMapped = 208,
        hipErrorNoBinaryForGpu = 209,
        hipErrorAlreadyAcquired = 210,
        hipErrorNotMapped = 211,
        hipErrorNotMappedAsArray = 212,
        hipErrorNotMappedAsPointer = 213,
        hipErrorECCNotCorrectable = 214,
        hipErrorUnsupportedLimit = 215,
        hipErrorContextAlreadyInUse = 216,
        hipErrorPeerAccessUnsupported = 217,
        hipErrorInvalidKernelFile = 218,
        hipErrorInvalidGraphicsContext = 219,
        hipErrorInvalidSource = 300,
        hipErrorFileNotFound = 301,
        hipErrorSharedObjectSymbolNotFound = 302,
        hipErrorSharedObjectInitFailed = 303,
        hipErrorOperatingSystem = 304,
        hipErrorInvalidHandle = 400,
        hipErrorInvalidResourceHandle = 400,
        hipErrorIllegalState = 401,
        hipErrorNotFound = 500,
        hipErrorNotReady = 600,
        hipErrorIllegalAddress = 700,
        hipErrorLaunchOutOfResources = 701,
        hipErrorLaunchTimeOut = 702,
        hipErrorPeerAccessAlreadyEnabled = 704,
        hipErrorPeerAccessNotEnabled = 705,
        hipErrorSetOnActiveProcess = 708,
        hipErrorContextIsDestroyed = 709,
        hipErrorAssert = 710,
        hipErrorHostMemoryAlreadyRegistered = 712,
        hipErrorHostMemoryNotRegistered = 713,
        hipErrorLaunchFailure = 719,
        hipErrorCooperativeLaunchTooLarge = 720,
        hipErrorNotSupported = 801,
        hipErrorStreamCaptureUnsupported = 900,
        hipErrorStreamCaptureInvalidated = 901,
        hipErrorStreamCaptureMerge = 902,
        hipErrorStreamCaptureUnmatched = 903,
        hipErrorStreamCaptureUnjoined = 904,
        hipErrorStreamCaptureIsolation = 905,
        hipErrorStreamCaptureImplicit = 906,
        hipErrorCapturedEvent = 907,
        hipErrorStreamCaptureWrongThread = 908,
        hipErrorGraphExecUpdateFailure = 910,
        hipErrorInvalidChannelDescriptor = 911,
        hipErrorInvalidTexture = 912,
        hipErrorUnknown = 999,
        hipErrorRuntimeMemory = 1052,
        hipErrorRuntimeOther = 1053,
        hipErrorTbd = 1054,
    }
    hipExternalMemoryHandleType_enum: c_uint {
        hipExternalMemoryHandleTypeOpaqueFd = 1,
        hipExternalMemoryHandleTypeOpaqueWin32 = 2,
        hipExternalMemoryHandleTypeOpaqueWin32Kmt = 3,
        hipExternalMemoryHandleTypeD3D12Heap = 4,
        hipExternalMemoryHandleTypeD3D12Resource = 5,
        hipExternalMemoryHandleTypeD3D11Resource = 6,
        hipExternalMemoryHandleTypeD3D11ResourceKmt = 7,
        hipExternalMemoryHandleTypeNvSciBuf = 8,
    }
    hipExternalSemaphoreHandleType_enum: c_uint {
        hipExternalSemaphoreHandleTypeOpaqueFd = 1,
        hipExternalSemaphoreHandleTypeOpaqueWin32 = 2,
        hipExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3,
        hipExternalSemaphoreHandleTypeD3D12Fence = 4,
        hipExternalSemaphoreHandleTypeD3D11Fence = 5,
        hipExternalSemaphoreHandleTypeNvSciSync = 6,
        hipExternalSemaphoreHandleTypeKeyedMutex = 7,
        hipExternalSemaphoreHandleTypeKeyedMutexKmt = 8,
        hipExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9,
        hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 10,
    }
    hipFlushGPUDirectRDMAWritesOptions: c_uint {
        hipFlushGPUDirectRDMAWritesOptionHost = 1,
        hipFlushGPUDirectRDMAWritesOptionMemOps = 2,
    }
    hipFuncAttribute: c_uint {
        hipFuncAttributeMaxDynamicSharedMemorySize = 8,
        hipFuncAttributePreferredSharedMemoryCarveout = 9,
        hipFuncAttributeMax = 10,
    }
    hipFuncCache_t: c_uint {
        hipFuncCachePreferNone = 0,
        hipFuncCachePreferShared = 1,
        hipFuncCachePreferL1 = 2,
        hipFuncCachePreferEqual = 3,
    }
    hipFunction_attribute: c_uint {
        HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
        HIP_FUNC_ATTRIBUTE_PTX_VERSION = 5,
        HIP_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
        HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
        HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
        HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
        HIP_FUNC_ATTRIBUTE_MAX = 10,
    }
    hipGLDeviceList: c_uint {
        hipGLDeviceListAll = 1,
        hipGLDeviceListCurrentFrame = 2,
        hipGLDeviceListNextFrame = 3,
    }
    hipGPUDirectRDMAWritesOrdering: c_uint {
        hipGPUDirectRDMAWritesOrderingNone = 0,
        hipGPUDirectRDMAWritesOrderingOwner = 100,
        hipGPUDirectRDMAWritesOrderingAllDevices = 200,
    }
    hipGraphDebugDotFlags: c_uint {
        hipGraphDebugDotFlagsVerbose = 1,
        hipGraphDebugDotFlagsKernelNodeParams = 4,
        hipGraphDebugDotFlagsMemcpyNodeParams = 8,
        hipGraphDebugDotFlagsMemsetNodeParams = 16,
        hipGraphDebugDotFlagsHostNodeParams = 32,
        hipGraphDebugDotFlagsEventNodeParams = 64,
        hipGraphDebugDotFlagsExtSemasSignalNodeParams = 128,
        hipGraphDebugDotFlagsExtSemasWaitNodeParams = 256,
        hipGraphDebugDotFlagsKernelNodeAttributes = 512,
        hipGraphDebugDotFlagsHandles = 1024,
    }
    hipGraphDependencyType: c_uint {
        hipGraphDependencyTypeDefault = 0,
        hipGraphDependencyTypeProgrammatic = 1,
    }
    hipGraphExecUpdateResult: c_uint {
        hipGraphExecUpdateSuccess = 0,
        hipGraphExecUpdateError = 1,
        hipGraphExecUpdateErrorTopologyChanged = 2,
        hipGraphExecUpdateErrorNodeTypeChanged = 3,
        hipGraphExecUpdateErrorFunctionChanged = 4,
        hipGraphExecUpdateErrorParametersChanged = 5,
        hipGraphExecUpdateErrorNotSupported = 6,
        hipGraphExecUpdateErrorUnsupportedFunctionChange = 7,
    }
    hipGraphInstantiateFlags: c_uint {
        hipGraphInstantiateFlagAutoFreeOnLaunch = 1,
        hipGraphInstantiateFlagUpload = 2,
        hipGraphInstantiateFlagDeviceLaunch = 4,
        hipGraphInstantiateFlagUseNodePriority = 8,
    }
    hipGraphInstantiateResult: c_uint {
        hipGraphInstantiateSuccess = 0,
        hipGraphInstantiateError = 1,
        hipGraphInstantiateInvalidStructure = 2,
        hipGraphInstantiateNodeOperationNotSupported = 3,
        hipGraphInstantiateMultipleDevicesNotSupported = 4,
    }
    hipGraphMemAttributeType: c_uint {
        hipGraphMemAttrUsedMemCurrent = 0,
        hipGraphMemAttrUsedMemHigh = 1,
        hipGraphMemAttrReservedMemCurrent = 2,
        hipGraphMemAttrReservedMemHigh = 3,
    }
    hipGraphNodeType: c_uint {
        hipGraphNodeTypeKernel = 0,
        hipGraphNodeTypeMemcpy = 1,
        hipGraphNodeTypeMemset = 2,
        hipGraphNodeTypeHost = 3,
        hipGraphNodeTypeGraph = 4,
        hipGraphNodeTypeEmpty = 5,
        hipGraphNodeTypeWaitEvent = 6,
        hipGraphNodeTypeEventRecord = 7,
        hipGraphNodeTypeExtSemaphoreSignal = 8,
        hipGraphNodeTypeExtSemaphoreWait = 9,
        hipGraphNodeTypeMemAlloc = 10,
        hipGraphNodeTypeMemFree = 11,
        hipGraphNodeTypeMemcpyFromSymbol = 12,
        hipGraphNodeTypeMemcpyToSymbol = 13,
        hipGraphNodeTypeBatchMemOp = 14,
        hipGraphNodeTypeCount = 15,
        hipGraphNodeTypeMemcpy1D = 9,
    }
    hipGraphicsRegisterFlags: c_uint {
        hipGraphicsRegisterFlagsNone = 0,
        hipGraphicsRegisterFlagsReadOnly = 1,
        hipGraphicsRegisterFlagsWriteDiscard = 2,
        hipGraphicsRegisterFlagsSurfaceLoadStore = 4,
        hipGraphicsRegisterFlagsTextureGather = 8,
    }
    hipJitCacheMode: c_uint {
        hipJitCacheOptionNone = 0,
        hipJitCacheOptionCG = 1,
        hipJitCacheOptionCA = 2,
    }
    hipJitFallback: c_uint {
        hipJitPreferPTX = 0,
        hipJitPreferBinary = 1,
    }
    hipJitInputType: c_uint {
        hipJitInputCubin = 0,
        hipJitInputPtx = 1,
        hipJitInputFatBinary = 2,
        hipJitInputObject = 3,
        hipJitInputLibrary = 4,
        hipJitInputNvvm = 5,
        hipJitNumLegacyInputTypes = 6,
        hipJitInputLLVMBitcode = 100,
        hipJitInputLLVMBundledBitcode = 101,
        hipJitInputLLVMArchivesOfBundledBitcode = 102,
        hipJitInputSpirv = 103,
        hipJitNumInputTypes = 10,
    }
    hipJitOption: c_uint {
        hipJitOptionMaxRegisters = 0,
        hipJitOptionThreadsPerBlock = 1,
        hipJitOptionWallTime = 2,
        hipJitOptionInfoLogBuffer = 3,
        hipJitOptionInfoLogBufferSizeBytes = 4,
        hipJitOptionErrorLogBuffer = 5,
        hipJitOptionErrorLogBufferSizeBytes = 6,
        hipJitOptionOptimizationLevel = 7,
        hipJitOptionTargetFromContext = 8,
        hipJitOptionTarget = 9,
        hipJitOptionFallbackStrategy = 10,
        hipJitOptionGenerateDebugInfo = 11,
        hipJitOptionLogVerbose = 12,
        hipJitOptionGenerateLineInfo = 13,
        hipJitOptionCacheMode = 14,
        hipJitOptionSm3xOpt = 15,
        hipJitOptionFastCompile = 16,
        hipJitOptionGlobalSymbolNames = 17,
        hipJitOptionGlobalSymbolAddresses = 18,
        hipJitOptionGlobalSymbolCount = 19,
        hipJitOptionLto = 20,
        hipJitOptionFtz = 21,
        hipJitOptionPrecDiv = 22,
        hipJitOptionPrecSqrt = 23,
        hipJitOptionFma = 24,
        hipJitOptionPositionIndependentCode = 25,
        hipJitOptionMinCTAPerSM = 26,
        hipJitOptionMaxThreadsPerBlock = 27,
        hipJitOptionOverrideDirectiveValues = 28,
        hipJitOptionNumOptions = 29,
        hipJitOptionIRtoISAOptExt = 10000,
        hipJitOptionIRtoISAOptCountExt = 10001,
    }
    hipKernelNodeAttrID: c_uint {
        hipKernelNodeAttributeAccessPolicyWindow = 1,
        hipKernelNodeAttributeCooperative = 2,
    }
    hipLaunchAttributeID: c_uint {
        hipLaunchAttributeAccessPolicyWindow = 1,
        hipLaunchAttributeCooperative = 2,
        hipLaunchAttributeSynchronizationPolicy = 3,
        hipLaunchAttributePriority = 8,
        hipLaunchAttributeMemSyncDomainMap = 9,
        hipLaunchAttributeMemSyncDomain = 10,
        hipLaunchAttributeMax = 11,
    }
    hipLaunchMemSyncDomain: c_uint {
        hipLaunchMemSyncDomainDefault = 0,
        hipLaunchMemSyncDomainRemote = 1,
    }
    hipLibraryOption_e: c_uint {
        hipLibraryHostUniversalFunctionAndDataTable = 0,
        hipLibraryBinaryIsPreserved = 1,
    }
    hipLibraryPropertyType: c_uint {
        HIP_LIBRARY_MAJOR_VERSION = 0,
        HIP_LIBRARY_MINOR_VERSION = 1,
        HIP_LIBRARY_PATCH_LEVEL = 2,
    }
    hipLimit_t: c_uint {
        hipLimitStackSize = 0,
        hipLimitPrintfFifoSize = 1,
        hipLimitMallocHeapSize = 2,
        hipExtLimitScratchMin = 4096,
        hipExtLimitScratchMax = 4097,
        hipExtLimitScratchCurrent = 4098,
        hipLimitRange = 4099,
    }
    hipMemAccessFlags: c_uint {
        hipMemAccessFlagsProtNone = 0,
        hipMemAccessFlagsProtRead = 1,
        hipMemAccessFlagsProtReadWrite = 3,
    }
    hipMemAllocationGranularity_flags: c_uint {
        hipMemAllocationGranularityMinimum = 0,
        hipMemAllocationGranularityRecommended = 1,
    }
    hipMemAllocationHandleType: c_uint {
        hipMemHandleTypeNone = 0,
        hipMemHandleTypePosixFileDescriptor = 1,
        hipMemHandleTypeWin32 = 2,
        hipMemHandleTypeWin32Kmt = 4,
    }
    hipMemAllocationType: c_uint {
        hipMemAllocationTypeInvalid = 0,
        hipMemAllocationTypePinned = 1,
        hipMemAllocationTypeUncached = 1073741824,
        hipMemAllocationTypeMax = 2147483647,
    }
    hipMemHandleType: c_uint {
        hipMemHandleTypeGeneric = 0,
    }
    hipMemLocationType: c_uint {
        hipMemLocationTypeInvalid = 0,
        hipMemLocationTypeNone = 0,
        hipMemLocationTypeDevice = 1,
        hipMemLocationTypeHost = 2,
        hipMemLocationTypeHostNuma = 3,
        hipMemLocationTypeHostNumaCurrent = 4,
    }
    hipMemOperationType: c_uint {
        hipMemOperationTypeMap = 1,
        hipMemOperationTypeUnmap = 2,
    }
    hipMemPoolAttr: c_uint {
        hipMemPoolReuseFollowEventDependencies = 1,
        hipMemPoolReuseAllowOpportunistic = 2,
        hipMemPoolReuseAllowInternalDependencies = 3,
        hipMemPoolAttrReleaseThreshold = 4,
        hipMemPoolAttrReservedMemCurrent = 5,
        hipMemPoolAttrReservedMemHigh = 6,
        hipMemPoolAttrUsedMemCurrent = 7,
        hipMemPoolAttrUsedMemHigh = 8,
    }
    hipMemRangeAttribute: c_uint {
        hipMemRangeAttributeReadMostly = 1,
        hipMemRangeAttributePreferredLocation = 2,
        hipMemRangeAttributeAccessedBy = 3,
        hipMemRangeAttributeLastPrefetchLocation = 4,
        hipMemRangeAttributeCoherencyMode = 100,
    }
    hipMemRangeCoherencyMode: c_uint {
        hipMemRangeCoherencyModeFineGrain = 0,
        hipMemRangeCoherencyModeCoarseGrain = 1,
        hipMemRangeCoherencyModeIndeterminate = 2,
    }
    hipMemRangeFlags: c_uint {
        hipMemRangeFlagDmaBufMappingTypePcie = 1,
        hipMemRangeFlagsMax = 2147483647,
    }
    hipMemRangeHandleType: c_uint {
        hipMemRangeHandleTypeDmaBufFd = 1,
        hipMemRangeHandleTypeMax = 2147483647,
    }
    hipMemcpy3DOperandType: c_uint {
        hipMemcpyOperandTypePointer = 1,
        hipMemcpyOperandTypeArray = 2,
        hipMemcpyOperandTypeMax = 2147483647,
    }
    hipMemcpyFlags: c_uint {
        hipMemcpyFlagDefault = 0,
        hipMemcpyFlagPreferOverlapWithCompute = 1,
    }
    hipMemcpyKind: c_uint {
        hipMemcpyHostToHost = 0,
        hipMemcpyHostToDevice = 1,
        hipMemcpyDeviceToHost = 2,
        hipMemcpyDeviceToDevice = 3,
        hipMemcpyDefault = 4,
        hipMemcpyDeviceToDeviceNoCU = 1024,
    }
    hipMemcpySrcAccessOrder: c_uint {
        hipMemcpySrcAccessOrderInvalid = 0,
        hipMemcpySrcAccessOrderStream = 1,
        hipMemcpySrcAccessOrderDuringApiCall = 2,
        hipMemcpySrcAccessOrderAny = 3,
        hipMemcpySrcAccessOrderMax = 2147483647,
    }
    hipMemoryAdvise: c_uint {
        hipMemAdviseSetReadMostly = 1,
        hipMemAdviseUnsetReadMostly = 2,
        hipMemAdviseSetPreferredLocation = 3,
        hipMemAdviseUnsetPreferredLocation = 4,
        hipMemAdviseSetAccessedBy = 5,
        hipMemAdviseUnsetAccessedBy = 6,
        hipMemAdviseSetCoarseGrain = 100,
        hipMemAdviseUnsetCoarseGrain = 101,
    }
    hipMemoryType: c_uint {
        hipMemoryTypeUnregistered = 0,
        hipMemoryTypeHost = 1,
        hipMemoryTypeDevice = 2,
        hipMemoryTypeManaged = 3,
        hipMemoryTypeArray = 10,
        hipMemoryTypeUnified = 11,
    }
    hipPointer_attribute: c_uint {
        HIP_POINTER_ATTRIBUTE_CONTEXT = 1,
        HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
        HIP_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
        HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4,
        HIP_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
        HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
        HIP_POINTER_ATTRIBUTE_BUFFER_ID = 7,
        HIP_POINTER_ATTRIBUTE_IS_MANAGED = 8,
        HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
        HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE = 10,
        HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
        HIP_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
        HIP_POINTER_ATTRIBUTE_MAPPED = 13,
        HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
        HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
        HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
        HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
    }
    hipResourceType: c_uint {
        hipResourceTypeArray = 0,
        hipResourceTypeMipmappedArray = 1,
        hipResourceTypeLinear = 2,
        hipResourceTypePitch2D = 3,
    }
    hipResourceViewFormat: c_uint {
        hipResViewFormatNone = 0,
        hipResViewFormatUnsignedChar1 = 1,
        hipResViewFormatUnsignedChar2 = 2,
        hipResViewFormatUnsignedChar4 = 3,
        hipResViewFormatSignedChar1 = 4,
        hipResViewFormatSignedChar2 = 5,
        hipResViewFormatSignedChar4 = 6,
        hipResViewFormatUnsignedShort1 = 7,
        hipResViewFormatUnsignedShort2 = 8,
        hipResViewFormatUnsignedShort4 = 9,
        hipResViewFormatSignedShort1 = 10,
        hipResViewFormatSignedShort2 = 11,
        hipResViewFormatSignedShort4 = 12,
        hipResViewFormatUnsignedInt1 = 13,
        hipResViewFormatUnsignedInt2 = 14,
        hipResViewFormatUnsignedInt4 = 15,
        hipResViewFormatSignedInt1 = 16,
        hipResViewFormatSignedInt2 = 17,
        hipResViewFormatSignedInt4 = 18,
        hipResViewFormatHalf1 = 19,
        hipResViewFormatHalf2 = 20,
        hipResViewFormatHalf4 = 21,
        hipResViewFormatFloat1 = 22,
        hipResViewFormatFloat2 = 23,
        hipResViewFormatFloat4 = 24,
        hipResViewFormatUnsignedBlockCompressed1 = 25,
        hipResViewFormatUnsignedBlockCompressed2 = 26,
        hipResViewFormatUnsignedBlockCompressed3 = 27,
        hipResViewFormatUnsignedBlockCompressed4 = 28,
        hipResViewFormatSignedBlockCompressed4 = 29,
        hipResViewFormatUnsignedBlockCompressed5 = 30,
        hipResViewFormatSignedBlockCompressed5 = 31,
        hipResViewFormatUnsignedBlockCompressed6H = 32,
        hipResViewFormatSignedBlockCompressed6H = 33,
        hipResViewFormatUnsignedBlockCompressed7 = 34,
    }
    hipSharedMemConfig: c_uint {
        hipSharedMemBankSizeDefault = 0,
        hipSharedMemBankSizeFourByte = 1,
        hipSharedMemBankSizeEightByte = 2,
    }
    hipStreamBatchMemOpType: c_uint {
        hipStreamMemOpWaitValue32 = 1,
        hipStreamMemOpWriteValue32 = 2,
        hipStreamMemOpWaitValue64 = 4,
        hipStreamMemOpWriteValue64 = 5,
        hipStreamMemOpBarrier = 6,
        hipStreamMemOpFlushRemoteWrites = 3,
    }
    hipStreamCaptureMode: c_uint {
        hipStreamCaptureModeGlobal = 0,
        hipStreamCaptureModeThreadLocal = 1,
        hipStreamCaptureModeRelaxed = 2,
    }
    hipStreamCaptureStatus: c_uint {
        hipStreamCaptureStatusNone = 0,
        hipStreamCaptureStatusActive = 1,
        hipStreamCaptureStatusInvalidated = 2,
    }
    hipStreamUpdateCaptureDependenciesFlags: c_uint {
        hipStreamAddCaptureDependencies = 0,
        hipStreamSetCaptureDependencies = 1,
    }
    hipSurfaceBoundaryMode: c_uint {
        hipBoundaryModeZero = 0,
        hipBoundaryModeTrap = 1,
        hipBoundaryModeClamp = 2,
    }
    hipSynchronizationPolicy: c_uint {
        hipSyncPolicyAuto = 1,
        hipSyncPolicySpin = 2,
        hipSyncPolicyYield = 3,
        hipSyncPolicyBlockingSync = 4,
    }
    hipTextureAddressMode: c_uint {
        hipAddressModeWrap = 0,
        hipAddressModeClamp = 1,
        hipAddressModeMirror = 2,
        hipAddressModeBorder = 3,
    }
    hipTextureFilterMode: c_uint {
        hipFilterModePoint = 0,
        hipFilterModeLinear = 1,
    }
    hipTextureReadMode: c_uint {
        hipReadModeElementType = 0,
        hipReadModeNormalizedFloat = 1,
    }
    hipUserObjectFlags: c_uint {
        hipUserObjectNoDestructorSync = 1,
    }
    hipUserObjectRetainFlags: c_uint {
        hipGraphUserObjectMove = 1,
    }
    hiprtcJITInputType: c_uint {
        HIPRTC_JIT_INPUT_CUBIN = 0,
        HIPRTC_JIT_INPUT_PTX = 1,
        HIPRTC_JIT_INPUT_FATBINARY = 2,
        HIPRTC_JIT_INPUT_OBJECT = 3,
        HIPRTC_JIT_INPUT_LIBRARY = 4,
        HIPRTC_JIT_INPUT_NVVM = 5,
        HIPRTC_JIT_NUM_LEGACY_INPUT_TYPES = 6,
        HIPRTC_JIT_INPUT_LLVM_BITCODE = 100,
        HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE = 101,
        HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE = 102,
        HIPRTC_JIT_NUM_INPUT_TYPES = 9,
    }
    hiprtcJIT_option: c_uint {
        HIPRTC_JIT_MAX_REGISTERS = 0,
        HIPRTC_JIT_THREADS_PER_BLOCK = 1,
        HIPRTC_JIT_WALL_TIME = 2,
        HIPRTC_JIT_INFO_LOG_BUFFER = 3,
        HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
        HIPRTC_JIT_ERROR_LOG_BUFFER = 5,
        HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
        HIPRTC_JIT_OPTIMIZATION_LEVEL = 7,
        HIPRTC_JIT_TARGET_FROM_HIPCONTEXT = 8,
        HIPRTC_JIT_TARGET = 9,
        HIPRTC_JIT_FALLBACK_STRATEGY = 10,
        HIPRTC_JIT_GENERATE_DEBUG_INFO = 11,
        HIPRTC_JIT_LOG_VERBOSE = 12,
        HIPRTC_JIT_GENERATE_LINE_INFO = 13,
        HIPRTC_JIT_CACHE_MODE = 14,
        HIPRTC_JIT_NEW_SM3X_OPT = 15,
        HIPRTC_JIT_FAST_COMPILE = 16,
        HIPRTC_JIT_GLOBAL_SYMBOL_NAMES = 17,
        HIPRTC_JIT_GLOBAL_SYMBOL_ADDRESS = 18,
        HIPRTC_JIT_GLOBAL_SYMBOL_COUNT = 19,
        HIPRTC_JIT_LTO = 20,
        HIPRTC_JIT_FTZ = 21,
        HIPRTC_JIT_PREC_DIV = 22,
        HIPRTC_JIT_PREC_SQRT = 23,
        HIPRTC_JIT_FMA = 24,
        HIPRTC_JIT_NUM_OPTIONS = 25,
        HIPRTC_JIT_IR_TO_ISA_OPT_EXT = 10000,
        HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT = 10001,
    }
    #[must_use = "it says whether the call succeeded"]
    hiprtcResult: c_uint {
        HIPRTC_SUCCESS = 0,
        HIPRTC_ERROR_OUT_OF_MEMORY = 1,
        HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
        HIPRTC_ERROR_INVALID_INPUT = 3,
        HIPRTC_ERROR_INVALID_PROGRAM = 4,
        HIPRTC_ERROR_INVALID_OPTION = 5,
        HIPRTC_ERROR_COMPILATION = 6,
        HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
        HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
        HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
        HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
        HIPRTC_ERROR_INTERNAL_ERROR = 11,
        HIPRTC_ERROR_LINKING = 100,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_ARRAY3D_DESCRIPTOR {
    pub Width: usize,
    pub Height: usize,
    pub Depth: usize,
    pub Format: hipArray_Format,
    pub NumChannels: c_uint,
    pub Flags: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_ARRAY_DESCRIPTOR {
    pub Width: usize,
    pub Height: usize,
    pub Format: hipArray_Format,
    pub NumChannels: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_LAUNCH_CONFIG_st {
    pub gridDimX: c_uint,
    pub gridDimY: c_uint,
    pub gridDimZ: c_uint,
    pub blockDimX: c_uint,
    pub blockDimY: c_uint,
    pub blockDimZ: c_uint,
    pub sharedMemBytes: c_uint,
    pub hStream: hipStream_t,
    pub attrs: *mut hipLaunchAttribute,
    pub numAttrs: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_MEMCPY3D {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcZ: usize,
    pub srcLOD: usize,
    pub srcMemoryType: hipMemoryType,
    pub srcHost: *const c_void,
    pub srcDevice: hipDeviceptr_t,
    pub srcArray: hipArray_t,
    pub srcPitch: usize,
    pub srcHeight: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstZ: usize,
    pub dstLOD: usize,
    pub dstMemoryType: hipMemoryType,
    pub dstHost: *mut c_void,
    pub dstDevice: hipDeviceptr_t,
    pub dstArray: hipArray_t,
    pub dstPitch: usize,
    pub dstHeight: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
    pub Depth: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_MEMCPY3D_HIP5 {
    pub srcXInBytes: c_uint,
    pub srcY: c_uint,
    pub srcZ: c_uint,
    pub srcLOD: c_uint,
    pub srcMemoryType: hipMemoryType,
    pub srcHost: *const c_void,
    pub srcDevice: hipDeviceptr_t,
    pub srcArray: hipArray_t,
    pub srcPitch: c_uint,
    pub srcHeight: c_uint,
    pub dstXInBytes: c_uint,
    pub dstY: c_uint,
    pub dstZ: c_uint,
    pub dstLOD: c_uint,
    pub dstMemoryType: hipMemoryType,
    pub dstHost: *mut c_void,
    pub dstDevice: hipDeviceptr_t,
    pub dstArray: hipArray_t,
    pub dstPitch: c_uint,
    pub dstHeight: c_uint,
    pub WidthInBytes: c_uint,
    pub Height: c_uint,
    pub Depth: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_MEMSET_NODE_PARAMS {
    pub dst: hipDeviceptr_t,
    pub pitch: usize,
    pub value: c_uint,
    pub elementSize: c_uint,
    pub width: usize,
    pub height: usize,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HIP_RESOURCE_DESC_st {
    pub resType: HIPresourcetype,
    pub res: HIP_RESOURCE_DESC_st__bindgen_ty_1,
    pub flags: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union HIP_RESOURCE_DESC_st__bindgen_ty_1 {
    pub array: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    pub mipmap: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2,
    pub linear: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3,
    pub pitch2D: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4,
    pub reserved: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    pub hArray: hipArray_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
    pub hMipmappedArray: hipMipmappedArray_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
    pub devPtr: hipDeviceptr_t,
    pub format: hipArray_Format,
    pub numChannels: c_uint,
    pub sizeInBytes: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
    pub devPtr: hipDeviceptr_t,
    pub format: hipArray_Format,
    pub numChannels: c_uint,
    pub width: usize,
    pub height: usize,
    pub pitchInBytes: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 {
    pub reserved: [c_int; 32],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_RESOURCE_VIEW_DESC_st {
    pub format: HIPresourceViewFormat,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub firstMipmapLevel: c_uint,
    pub lastMipmapLevel: c_uint,
    pub firstLayer: c_uint,
    pub lastLayer: c_uint,
    pub reserved: [c_uint; 16],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HIP_TEXTURE_DESC_st {
    pub addressMode: [HIPaddress_mode; 3],
    pub filterMode: HIPfilter_mode,
    pub flags: c_uint,
    pub maxAnisotropy: c_uint,
    pub mipmapFilterMode: HIPfilter_mode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub borderColor: [f32; 4],
    pub reserved: [c_int; 12],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __hip_surface {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct __hip_texture {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _hipGraphicsResource {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _hiprtcProgram {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct char1 {
    pub x: c_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct char2 {
    pub x: c_char,
    pub y: c_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct char3 {
    pub x: c_char,
    pub y: c_char,
    pub z: c_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct char4 {
    pub x: c_char,
    pub y: c_char,
    pub z: c_char,
    pub w: c_char,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct double1 {
    pub x: f64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct double2 {
    pub x: f64,
    pub y: f64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct double3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct double4 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub w: f64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct float1 {
    pub x: f32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct float2 {
    pub x: f32,
    pub y: f32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct float3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct float4 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
    pub w: f32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipAccessPolicyWindow {
    pub base_ptr: *mut c_void,
    pub hitProp: hipAccessProperty,
    pub hitRatio: f32,
    pub missProp: hipAccessProperty,
    pub num_bytes: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipArray {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipArrayMapInfo {
    pub resourceType: hipResourceType,
    pub resource: hipArrayMapInfo__bindgen_ty_1,
    pub subresourceType: hipArraySparseSubresourceType,
    pub subresource: hipArrayMapInfo__bindgen_ty_2,
    pub memOperationType: hipMemOperationType,
    pub memHandleType: hipMemHandleType,
    pub memHandle: hipArrayMapInfo__bindgen_ty_3,
    pub offset: c_ulonglong,
    pub deviceBitMask: c_uint,
    pub flags: c_uint,
    pub reserved: [c_uint; 2],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipArrayMapInfo__bindgen_ty_1 {
    pub mipmap: hipMipmappedArray,
    pub array: hipArray_t,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipArrayMapInfo__bindgen_ty_2 {
    pub sparseLevel: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1,
    pub miptail: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1 {
    pub level: c_uint,
    pub layer: c_uint,
    pub offsetX: c_uint,
    pub offsetY: c_uint,
    pub offsetZ: c_uint,
    pub extentWidth: c_uint,
    pub extentHeight: c_uint,
    pub extentDepth: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2 {
    pub layer: c_uint,
    pub offset: c_ulonglong,
    pub size: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipArrayMapInfo__bindgen_ty_3 {
    pub memHandle: hipMemGenericAllocationHandle_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipBatchMemOpNodeParams {
    pub ctx: hipCtx_t,
    pub count: c_uint,
    pub paramArray: *mut hipStreamBatchMemOpParams,
    pub flags: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipChannelFormatDesc {
    pub x: c_int,
    pub y: c_int,
    pub z: c_int,
    pub w: c_int,
    pub f: hipChannelFormatKind,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipChildGraphNodeParams {
    pub graph: hipGraph_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipDeviceArch_t {
    pub _bindgen_align: [u32; 0],
    pub _bitfield_1: [u8; 3],
    pub __bindgen_padding_0: u8,
}
bitfields! { hipDeviceArch_t
    hasGlobalInt32Atomics: _bitfield_1 0 1;
    hasGlobalFloatAtomicExch: _bitfield_1 1 1;
    hasSharedInt32Atomics: _bitfield_1 2 1;
    hasSharedFloatAtomicExch: _bitfield_1 3 1;
    hasFloatAtomicAdd: _bitfield_1 4 1;
    hasGlobalInt64Atomics: _bitfield_1 5 1;
    hasSharedInt64Atomics: _bitfield_1 6 1;
    hasDoubles: _bitfield_1 7 1;
    hasWarpVote: _bitfield_1 8 1;
    hasWarpBallot: _bitfield_1 9 1;
    hasWarpShuffle: _bitfield_1 10 1;
    hasFunnelShift: _bitfield_1 11 1;
    hasThreadFenceSystem: _bitfield_1 12 1;
    hasSyncThreadsExt: _bitfield_1 13 1;
    hasSurfaceFuncs: _bitfield_1 14 1;
    has3dGrid: _bitfield_1 15 1;
    hasDynamicParallelism: _bitfield_1 16 1;
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipDeviceProp_tR0000 {
    pub name: [c_char; 256],
    pub totalGlobalMem: usize,
    pub sharedMemPerBlock: usize,
    pub regsPerBlock: c_int,
    pub warpSize: c_int,
    pub maxThreadsPerBlock: c_int,
    pub maxThreadsDim: [c_int; 3],
    pub maxGridSize: [c_int; 3],
    pub clockRate: c_int,
    pub memoryClockRate: c_int,
    pub memoryBusWidth: c_int,
    pub totalConstMem: usize,
    pub major: c_int,
    pub minor: c_int,
    pub multiProcessorCount: c_int,
    pub l2CacheSize: c_int,
    pub maxThreadsPerMultiProcessor: c_int,
    pub computeMode: c_int,
    pub clockInstructionRate: c_int,
    pub arch: hipDeviceArch_t,
    pub concurrentKernels: c_int,
    pub pciDomainID: c_int,
    pub pciBusID: c_int,
    pub pciDeviceID: c_int,
    pub maxSharedMemoryPerMultiProcessor: usize,
    pub isMultiGpuBoard: c_int,
    pub canMapHostMemory: c_int,
    pub gcnArch: c_int,
    pub gcnArchName: [c_char; 256],
    pub integrated: c_int,
    pub cooperativeLaunch: c_int,
    pub cooperativeMultiDeviceLaunch: c_int,
    pub maxTexture1DLinear: c_int,
    pub maxTexture1D: c_int,
    pub maxTexture2D: [c_int; 2],
    pub maxTexture3D: [c_int; 3],
    pub hdpMemFlushCntl: *mut c_uint,
    pub hdpRegFlushCntl: *mut c_uint,
    pub memPitch: usize,
    pub textureAlignment: usize,
    pub texturePitchAlignment: usize,
    pub kernelExecTimeoutEnabled: c_int,
    pub ECCEnabled: c_int,
    pub tccDriver: c_int,
    pub cooperativeMultiDeviceUnmatchedFunc: c_int,
    pub cooperativeMultiDeviceUnmatchedGridDim: c_int,
    pub cooperativeMultiDeviceUnmatchedBlockDim: c_int,
    pub cooperativeMultiDeviceUnmatchedSharedMem: c_int,
    pub isLargeBar: c_int,
    pub asicRevision: c_int,
    pub managedMemory: c_int,
    pub directManagedMemAccessFromHost: c_int,
    pub concurrentManagedAccess: c_int,
    pub pageableMemoryAccess: c_int,
    pub pageableMemoryAccessUsesHostPageTables: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipDeviceProp_tR0600 {
    pub name: [c_char; 256],
    pub uuid: hipUUID,
    pub luid: [c_char; 8],
    pub luidDeviceNodeMask: c_uint,
    pub totalGlobalMem: usize,
    pub sharedMemPerBlock: usize,
    pub regsPerBlock: c_int,
    pub warpSize: c_int,
    pub memPitch: usize,
    pub maxThreadsPerBlock: c_int,
    pub maxThreadsDim: [c_int; 3],
    pub maxGridSize: [c_int; 3],
    pub clockRate: c_int,
    pub totalConstMem: usize,
    pub major: c_int,
    pub minor: c_int,
    pub textureAlignment: usize,
    pub texturePitchAlignment: usize,
    pub deviceOverlap: c_int,
    pub multiProcessorCount: c_int,
    pub kernelExecTimeoutEnabled: c_int,
    pub integrated: c_int,
    pub canMapHostMemory: c_int,
    pub computeMode: c_int,
    pub maxTexture1D: c_int,
    pub maxTexture1DMipmap: c_int,
    pub maxTexture1DLinear: c_int,
    pub maxTexture2D: [c_int; 2],
    pub maxTexture2DMipmap: [c_int; 2],
    pub maxTexture2DLinear: [c_int; 3],
    pub maxTexture2DGather: [c_int; 2],
    pub maxTexture3D: [c_int; 3],
    pub maxTexture3DAlt: [c_int; 3],
    pub maxTextureCubemap: c_int,
    pub maxTexture1DLayered: [c_int; 2],
    pub maxTexture2DLayered: [c_int; 3],
    pub maxTextureCubemapLayered: [c_int; 2],
    pub maxSurface1D: c_int,
    pub maxSurface2D: [c_int; 2],
    pub maxSurface3D: [c_int; 3],
    pub maxSurface1DLayered: [c_int; 2],
    pub maxSurface2DLayered: [c_int; 3],
    pub maxSurfaceCubemap: c_int,
    pub maxSurfaceCubemapLayered: [c_int; 2],
    pub surfaceAlignment: usize,
    pub concurrentKernels: c_int,
    pub ECCEnabled: c_int,
    pub pciBusID: c_int,
    pub pciDeviceID: c_int,
    pub pciDomainID: c_int,
    pub tccDriver: c_int,
    pub asyncEngineCount: c_int,
    pub unifiedAddressing: c_int,
    pub memoryClockRate: c_int,
    pub memoryBusWidth: c_int,
    pub l2CacheSize: c_int,
    pub persistingL2CacheMaxSize: c_int,
    pub maxThreadsPerMultiProcessor: c_int,
    pub streamPrioritiesSupported: c_int,
    pub globalL1CacheSupported: c_int,
    pub localL1CacheSupported: c_int,
    pub sharedMemPerMultiprocessor: usize,
    pub regsPerMultiprocessor: c_int,
    pub managedMemory: c_int,
    pub isMultiGpuBoard: c_int,
    pub multiGpuBoardGroupID: c_int,
    pub hostNativeAtomicSupported: c_int,
    pub singleToDoublePrecisionPerfRatio: c_int,
    pub pageableMemoryAccess: c_int,
    pub concurrentManagedAccess: c_int,
    pub computePreemptionSupported: c_int,
    pub canUseHostPointerForRegisteredMem: c_int,
    pub cooperativeLaunch: c_int,
    pub cooperativeMultiDeviceLaunch: c_int,
    pub sharedMemPerBlockOptin: usize,
    pub pageableMemoryAccessUsesHostPageTables: c_int,
    pub directManagedMemAccessFromHost: c_int,
    pub maxBlocksPerMultiProcessor: c_int,
    pub accessPolicyMaxWindowSize: c_int,
    pub reservedSharedMemPerBlock: usize,
    pub hostRegisterSupported: c_int,
    pub sparseHipArraySupported: c_int,
    pub hostRegisterReadOnlySupported: c_int,
    pub timelineSemaphoreInteropSupported: c_int,
    pub memoryPoolsSupported: c_int,
    pub gpuDirectRDMASupported: c_int,
    pub gpuDirectRDMAFlushWritesOptions: c_uint,
    pub gpuDirectRDMAWritesOrdering: c_int,
    pub memoryPoolSupportedHandleTypes: c_uint,
    pub deferredMappingHipArraySupported: c_int,
    pub ipcEventSupported: c_int,
    pub clusterLaunch: c_int,
    pub unifiedFunctionPointers: c_int,
    pub reserved: [c_int; 63],
    pub hipReserved: [c_int; 32],
    pub gcnArchName: [c_char; 256],
    pub maxSharedMemoryPerMultiProcessor: usize,
    pub clockInstructionRate: c_int,
    pub arch: hipDeviceArch_t,
    pub hdpMemFlushCntl: *mut c_uint,
    pub hdpRegFlushCntl: *mut c_uint,
    pub cooperativeMultiDeviceUnmatchedFunc: c_int,
    pub cooperativeMultiDeviceUnmatchedGridDim: c_int,
    pub cooperativeMultiDeviceUnmatchedBlockDim: c_int,
    pub cooperativeMultiDeviceUnmatchedSharedMem: c_int,
    pub isLargeBar: c_int,
    pub asicRevision: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipEventRecordNodeParams {
    pub event: hipEvent_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipEventWaitNodeParams {
    pub event: hipEvent_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExtent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalMemoryBufferDesc_st {
    pub offset: c_ulonglong,
    pub size: c_ulonglong,
    pub flags: c_uint,
    pub reserved: [c_uint; 16],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipExternalMemoryHandleDesc_st {
    pub type_: hipExternalMemoryHandleType,
    pub handle: hipExternalMemoryHandleDesc_st__bindgen_ty_1,
    pub size: c_ulonglong,
    pub flags: c_uint,
    pub reserved: [c_uint; 16],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipExternalMemoryHandleDesc_st__bindgen_ty_1 {
    pub fd: c_int,
    pub win32: hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciBufObject: *const c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1 {
    pub handle: *mut c_void,
    pub name: *const c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalMemoryMipmappedArrayDesc_st {
    pub offset: c_ulonglong,
    pub formatDesc: hipChannelFormatDesc,
    pub extent: hipExtent,
    pub flags: c_uint,
    pub numLevels: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipExternalSemaphoreHandleDesc_st {
    pub type_: hipExternalSemaphoreHandleType,
    pub handle: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1,
    pub flags: c_uint,
    pub reserved: [c_uint; 16],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipExternalSemaphoreHandleDesc_st__bindgen_ty_1 {
    pub fd: c_int,
    pub win32: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    pub NvSciSyncObj: *const c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1 {
    pub handle: *mut c_void,
    pub name: *const c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalSemaphoreSignalNodeParams {
    pub extSemArray: *mut hipExternalSemaphore_t,
    pub paramsArray: *const hipExternalSemaphoreSignalParams,
    pub numExtSems: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipExternalSemaphoreSignalParams_st {
    pub params: hipExternalSemaphoreSignalParams_st__bindgen_ty_1,
    pub flags: c_uint,
    pub reserved: [c_uint; 16],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipExternalSemaphoreSignalParams_st__bindgen_ty_1 {
    pub fence: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciSync: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2,
    pub keyedMutex: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3,
    pub reserved: [c_uint; 12],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1 {
    pub value: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2 {
    pub fence: *mut c_void,
    pub reserved: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3 {
    pub key: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalSemaphoreWaitNodeParams {
    pub extSemArray: *mut hipExternalSemaphore_t,
    pub paramsArray: *const hipExternalSemaphoreWaitParams,
    pub numExtSems: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipExternalSemaphoreWaitParams_st {
    pub params: hipExternalSemaphoreWaitParams_st__bindgen_ty_1,
    pub flags: c_uint,
    pub reserved: [c_uint; 16],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipExternalSemaphoreWaitParams_st__bindgen_ty_1 {
    pub fence: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciSync: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2,
    pub keyedMutex: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3,
    pub reserved: [c_uint; 10],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1 {
    pub value: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2 {
    pub fence: *mut c_void,
    pub reserved: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3 {
    pub key: c_ulonglong,
    pub timeoutMs: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipFuncAttributes {
    pub binaryVersion: c_int,
    pub cacheModeCA: c_int,
    pub constSizeBytes: usize,
    pub localSizeBytes: usize,
    pub maxDynamicSharedSizeBytes: c_int,
    pub maxThreadsPerBlock: c_int,
    pub numRegs: c_int,
    pub preferredShmemCarveout: c_int,
    pub ptxVersion: c_int,
    pub sharedSizeBytes: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipFunctionLaunchParams_t {
    pub function: hipFunction_t,
    pub gridDimX: c_uint,
    pub gridDimY: c_uint,
    pub gridDimZ: c_uint,
    pub blockDimX: c_uint,
    pub blockDimY: c_uint,
    pub blockDimZ: c_uint,
    pub sharedMemBytes: c_uint,
    pub hStream: hipStream_t,
    pub kernelParams: *mut *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipGraphEdgeData {
    pub from_port: c_uchar,
    pub reserved: [c_uchar; 5],
    pub to_port: c_uchar,
    pub type_: c_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipGraphExec {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipGraphInstantiateParams {
    pub errNode_out: hipGraphNode_t,
    pub flags: c_ulonglong,
    pub result_out: hipGraphInstantiateResult,
    pub uploadStream: hipStream_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipGraphNode {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipGraphNodeParams {
    pub type_: hipGraphNodeType,
    pub reserved0: [c_int; 3],
    pub __bindgen_anon_1: hipGraphNodeParams__bindgen_ty_1,
    pub reserved2: c_longlong,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipGraphNodeParams__bindgen_ty_1 {
    pub reserved1: [c_longlong; 29],
    pub kernel: hipKernelNodeParams,
    pub memcpy: hipMemcpyNodeParams,
    pub memset: hipMemsetParams,
    pub host: hipHostNodeParams,
    pub graph: hipChildGraphNodeParams,
    pub eventWait: hipEventWaitNodeParams,
    pub eventRecord: hipEventRecordNodeParams,
    pub extSemSignal: hipExternalSemaphoreSignalNodeParams,
    pub extSemWait: hipExternalSemaphoreWaitNodeParams,
    pub alloc: hipMemAllocNodeParams,
    pub free: hipMemFreeNodeParams,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipHostNodeParams {
    pub fn_: hipHostFn_t,
    pub userData: *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipIpcEventHandle_st {
    pub reserved: [c_char; 64],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipIpcMemHandle_st {
    pub reserved: [c_char; 64],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipKernelNodeAttrValue {
    pub accessPolicyWindow: hipAccessPolicyWindow,
    pub cooperative: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipKernelNodeParams {
    pub blockDim: dim3,
    pub extra: *mut *mut c_void,
    pub func: *mut c_void,
    pub gridDim: dim3,
    pub kernelParams: *mut *mut c_void,
    pub sharedMemBytes: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipLaunchAttributeValue {
    pub pad: [c_char; 64],
    pub accessPolicyWindow: hipAccessPolicyWindow,
    pub cooperative: c_int,
    pub priority: c_int,
    pub syncPolicy: hipSynchronizationPolicy,
    pub memSyncDomainMap: hipLaunchMemSyncDomainMap,
    pub memSyncDomain: hipLaunchMemSyncDomain,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipLaunchAttribute_st {
    pub id: hipLaunchAttributeID,
    pub pad: [c_char; 4],
    pub __bindgen_anon_1: hipLaunchAttribute_st__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipLaunchAttribute_st__bindgen_ty_1 {
    pub val: hipLaunchAttributeValue,
    pub value: hipLaunchAttributeValue,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipLaunchConfig_st {
    pub gridDim: dim3,
    pub blockDim: dim3,
    pub dynamicSmemBytes: usize,
    pub stream: hipStream_t,
    pub attrs: *mut hipLaunchAttribute,
    pub numAttrs: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipLaunchMemSyncDomainMap {
    pub default_: c_uchar,
    pub remote: c_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipLaunchParams_t {
    pub func: *mut c_void,
    pub gridDim: dim3,
    pub blockDim: dim3,
    pub args: *mut *mut c_void,
    pub sharedMem: usize,
    pub stream: hipStream_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemAccessDesc {
    pub location: hipMemLocation,
    pub flags: hipMemAccessFlags,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemAllocNodeParams {
    pub poolProps: hipMemPoolProps,
    pub accessDescs: *const hipMemAccessDesc,
    pub accessDescCount: usize,
    pub bytesize: usize,
    pub dptr: *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemAllocationProp {
    pub type_: hipMemAllocationType,
    pub requestedHandleType: hipMemAllocationHandleType,
    pub location: hipMemLocation,
    pub win32HandleMetaData: *mut c_void,
    pub allocFlags: hipMemAllocationProp__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemAllocationProp__bindgen_ty_1 {
    pub compressionType: c_uchar,
    pub gpuDirectRDMACapable: c_uchar,
    pub usage: c_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemFreeNodeParams {
    pub dptr: *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemLocation {
    pub type_: hipMemLocationType,
    pub id: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemPoolProps {
    pub allocType: hipMemAllocationType,
    pub handleTypes: hipMemAllocationHandleType,
    pub location: hipMemLocation,
    pub win32SecurityAttributes: *mut c_void,
    pub maxSize: usize,
    pub reserved: [c_uchar; 56],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemPoolPtrExportData {
    pub reserved: [c_uchar; 64],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipMemcpy3DBatchOp {
    pub src: hipMemcpy3DOperand,
    pub dst: hipMemcpy3DOperand,
    pub extent: hipExtent,
    pub srcAccessOrder: hipMemcpySrcAccessOrder,
    pub flags: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipMemcpy3DOperand {
    pub type_: hipMemcpy3DOperandType,
    pub op: hipMemcpy3DOperand__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipMemcpy3DOperand__bindgen_ty_1 {
    pub ptr: hipMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1,
    pub array: hipMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1 {
    pub ptr: *mut c_void,
    pub rowLength: usize,
    pub layerHeight: usize,
    pub locHint: hipMemLocation,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2 {
    pub array: hipArray_t,
    pub offset: hipOffset3D,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemcpy3DParms {
    pub srcArray: hipArray_t,
    pub srcPos: hipPos,
    pub srcPtr: hipPitchedPtr,
    pub dstArray: hipArray_t,
    pub dstPos: hipPos,
    pub dstPtr: hipPitchedPtr,
    pub extent: hipExtent,
    pub kind: hipMemcpyKind,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemcpy3DPeerParms {
    pub srcArray: hipArray_t,
    pub srcPos: hipPos,
    pub srcPtr: hipPitchedPtr,
    pub srcDevice: c_int,
    pub dstArray: hipArray_t,
    pub dstPos: hipPos,
    pub dstPtr: hipPitchedPtr,
    pub dstDevice: c_int,
    pub extent: hipExtent,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemcpyAttributes {
    pub srcAccessOrder: hipMemcpySrcAccessOrder,
    pub srcLocHint: hipMemLocation,
    pub dstLocHint: hipMemLocation,
    pub flags: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemcpyNodeParams {
    pub flags: c_int,
    pub reserved: [c_int; 3],
    pub copyParams: hipMemcpy3DParms,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMemsetParams {
    pub dst: *mut c_void,
    pub elementSize: c_uint,
    pub height: usize,
    pub pitch: usize,
    pub value: c_uint,
    pub width: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipMipmappedArray {
    pub data: *mut c_void,
    pub desc: hipChannelFormatDesc,
    pub type_: c_uint,
    pub width: c_uint,
    pub height: c_uint,
    pub depth: c_uint,
    pub min_mipmap_level: c_uint,
    pub max_mipmap_level: c_uint,
    pub flags: c_uint,
    pub format: hipArray_Format,
    pub num_channels: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipOffset3D {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipPitchedPtr {
    pub ptr: *mut c_void,
    pub pitch: usize,
    pub xsize: usize,
    pub ysize: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipPointerAttribute_t {
    pub type_: hipMemoryType,
    pub device: c_int,
    pub devicePointer: *mut c_void,
    pub hostPointer: *mut c_void,
    pub isManaged: c_int,
    pub allocationFlags: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipPos {
    pub x: usize,
    pub y: usize,
    pub z: usize,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipResourceDesc {
    pub resType: hipResourceType,
    pub res: hipResourceDesc__bindgen_ty_1,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipResourceDesc__bindgen_ty_1 {
    pub array: hipResourceDesc__bindgen_ty_1__bindgen_ty_1,
    pub mipmap: hipResourceDesc__bindgen_ty_1__bindgen_ty_2,
    pub linear: hipResourceDesc__bindgen_ty_1__bindgen_ty_3,
    pub pitch2D: hipResourceDesc__bindgen_ty_1__bindgen_ty_4,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_1 {
    pub array: hipArray_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_2 {
    pub mipmap: hipMipmappedArray_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_3 {
    pub devPtr: *mut c_void,
    pub desc: hipChannelFormatDesc,
    pub sizeInBytes: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_4 {
    pub devPtr: *mut c_void,
    pub desc: hipChannelFormatDesc,
    pub width: usize,
    pub height: usize,
    pub pitchInBytes: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipResourceViewDesc {
    pub format: hipResourceViewFormat,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub firstMipmapLevel: c_uint,
    pub lastMipmapLevel: c_uint,
    pub firstLayer: c_uint,
    pub lastLayer: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipStreamBatchMemOpParams_union {
    pub operation: hipStreamBatchMemOpType,
    pub waitValue: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t,
    pub writeValue: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t,
    pub flushRemoteWrites: hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t,
    pub memoryBarrier: hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t,
    pub pad: [u64; 6],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t {
    pub operation: hipStreamBatchMemOpType,
    pub flags: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t {
    pub operation: hipStreamBatchMemOpType,
    pub flags: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t {
    pub operation: hipStreamBatchMemOpType,
    pub address: hipDeviceptr_t,
    pub __bindgen_anon_1: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1,
    pub flags: c_uint,
    pub alias: hipDeviceptr_t,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1 {
    pub value: u32,
    pub value64: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t {
    pub operation: hipStreamBatchMemOpType,
    pub address: hipDeviceptr_t,
    pub __bindgen_anon_1: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1,
    pub flags: c_uint,
    pub alias: hipDeviceptr_t,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1 {
    pub value: u32,
    pub value64: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipTextureDesc {
    pub addressMode: [hipTextureAddressMode; 3],
    pub filterMode: hipTextureFilterMode,
    pub readMode: hipTextureReadMode,
    pub sRGB: c_int,
    pub borderColor: [f32; 4],
    pub normalizedCoords: c_int,
    pub maxAnisotropy: c_uint,
    pub mipmapFilterMode: hipTextureFilterMode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipUUID_t {
    pub bytes: [c_char; 16],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipUserObject {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hip_Memcpy2D {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcMemoryType: hipMemoryType,
    pub srcHost: *const c_void,
    pub srcDevice: hipDeviceptr_t,
    pub srcArray: hipArray_t,
    pub srcPitch: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstMemoryType: hipMemoryType,
    pub dstHost: *mut c_void,
    pub dstDevice: hipDeviceptr_t,
    pub dstArray: hipArray_t,
    pub dstPitch: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hip_bfloat16 {
    pub data: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipCtx_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipEvent_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipGraph {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipKernel_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipLibrary_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipLinkState_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipMemGenericAllocationHandle {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipMemPoolHandle_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipModuleSymbol_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipModule_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihipStream_t {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ihiprtcLinkState {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct int1 {
    pub x: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct int2 {
    pub x: c_int,
    pub y: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct int3 {
    pub x: c_int,
    pub y: c_int,
    pub z: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct int4 {
    pub x: c_int,
    pub y: c_int,
    pub z: c_int,
    pub w: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct long1 {
    pub x: c_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct long2 {
    pub x: c_long,
    pub y: c_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct long3 {
    pub x: c_long,
    pub y: c_long,
    pub z: c_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct long4 {
    pub x: c_long,
    pub y: c_long,
    pub z: c_long,
    pub w: c_long,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct longlong1 {
    pub x: c_longlong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct longlong2 {
    pub x: c_longlong,
    pub y: c_longlong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct longlong3 {
    pub x: c_longlong,
    pub y: c_longlong,
    pub z: c_longlong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct longlong4 {
    pub x: c_longlong,
    pub y: c_longlong,
    pub z: c_longlong,
    pub w: c_longlong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct short1 {
    pub x: c_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct short2 {
    pub x: c_short,
    pub y: c_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct short3 {
    pub x: c_short,
    pub y: c_short,
    pub z: c_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct short4 {
    pub x: c_short,
    pub y: c_short,
    pub z: c_short,
    pub w: c_short,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct surfaceReference {
    pub surfaceObject: hipSurfaceObject_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct textureReference {
    pub normalized: c_int,
    pub readMode: hipTextureReadMode,
    pub filterMode: hipTextureFilterMode,
    pub addressMode: [hipTextureAddressMode; 3],
    pub channelDesc: hipChannelFormatDesc,
    pub sRGB: c_int,
    pub maxAnisotropy: c_uint,
    pub mipmapFilterMode: hipTextureFilterMode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub textureObject: hipTextureObject_t,
    pub numChannels: c_int,
    pub format: hipArray_Format,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uchar1 {
    pub x: c_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uchar2 {
    pub x: c_uchar,
    pub y: c_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uchar3 {
    pub x: c_uchar,
    pub y: c_uchar,
    pub z: c_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uchar4 {
    pub x: c_uchar,
    pub y: c_uchar,
    pub z: c_uchar,
    pub w: c_uchar,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uint1 {
    pub x: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uint2 {
    pub x: c_uint,
    pub y: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uint3 {
    pub x: c_uint,
    pub y: c_uint,
    pub z: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct uint4 {
    pub x: c_uint,
    pub y: c_uint,
    pub z: c_uint,
    pub w: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ulong1 {
    pub x: c_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ulong2 {
    pub x: c_ulong,
    pub y: c_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ulong3 {
    pub x: c_ulong,
    pub y: c_ulong,
    pub z: c_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ulong4 {
    pub x: c_ulong,
    pub y: c_ulong,
    pub z: c_ulong,
    pub w: c_ulong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ulonglong1 {
    pub x: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ulonglong2 {
    pub x: c_ulonglong,
    pub y: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ulonglong3 {
    pub x: c_ulonglong,
    pub y: c_ulonglong,
    pub z: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ulonglong4 {
    pub x: c_ulonglong,
    pub y: c_ulonglong,
    pub z: c_ulonglong,
    pub w: c_ulonglong,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ushort1 {
    pub x: c_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ushort2 {
    pub x: c_ushort,
    pub y: c_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ushort3 {
    pub x: c_ushort,
    pub y: c_ushort,
    pub z: c_ushort,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ushort4 {
    pub x: c_ushort,
    pub y: c_ushort,
    pub z: c_ushort,
    pub w: c_ushort,
}
zeroed_default! {
    HIP_ARRAY3D_DESCRIPTOR,
    HIP_ARRAY_DESCRIPTOR,
    HIP_LAUNCH_CONFIG_st,
    HIP_MEMCPY3D,
    HIP_MEMCPY3D_HIP5,
    HIP_MEMSET_NODE_PARAMS,
    HIP_RESOURCE_DESC_st,
    HIP_RESOURCE_DESC_st__bindgen_ty_1,
    HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2,
    HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3,
    HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4,
    HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
    HIP_RESOURCE_VIEW_DESC_st,
    HIP_TEXTURE_DESC_st,
    __hip_surface,
    __hip_texture,
    _hipGraphicsResource,
    _hiprtcProgram,
    char1,
    char2,
    char3,
    char4,
    dim3,
    double1,
    double2,
    double3,
    double4,
    float1,
    float2,
    float3,
    float4,
    hipAccessPolicyWindow,
    hipArray,
    hipArrayMapInfo,
    hipArrayMapInfo__bindgen_ty_1,
    hipArrayMapInfo__bindgen_ty_2,
    hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1,
    hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2,
    hipArrayMapInfo__bindgen_ty_3,
    hipBatchMemOpNodeParams,
    hipChannelFormatDesc,
    hipChildGraphNodeParams,
    hipDeviceArch_t,
    hipDeviceProp_tR0000,
    hipDeviceProp_tR0600,
    hipEventRecordNodeParams,
    hipEventWaitNodeParams,
    hipExtent,
    hipExternalMemoryBufferDesc_st,
    hipExternalMemoryHandleDesc_st,
    hipExternalMemoryHandleDesc_st__bindgen_ty_1,
    hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    hipExternalMemoryMipmappedArrayDesc_st,
    hipExternalSemaphoreHandleDesc_st,
    hipExternalSemaphoreHandleDesc_st__bindgen_ty_1,
    hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    hipExternalSemaphoreSignalNodeParams,
    hipExternalSemaphoreSignalParams_st,
    hipExternalSemaphoreSignalParams_st__bindgen_ty_1,
    hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1,
    hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2,
    hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3,
    hipExternalSemaphoreWaitNodeParams,
    hipExternalSemaphoreWaitParams_st,
    hipExternalSemaphoreWaitParams_st__bindgen_ty_1,
    hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1,
    hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2,
    hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3,
    hipFuncAttributes,
    hipFunctionLaunchParams_t,
    hipGraphEdgeData,
    hipGraphExec,
    hipGraphInstantiateParams,
    hipGraphNode,
    hipGraphNodeParams,
    hipGraphNodeParams__bindgen_ty_1,
    hipHostNodeParams,
    hipIpcEventHandle_st,
    hipIpcMemHandle_st,
    hipKernelNodeAttrValue,
    hipKernelNodeParams,
    hipLaunchAttributeValue,
    hipLaunchAttribute_st,
    hipLaunchAttribute_st__bindgen_ty_1,
    hipLaunchConfig_st,
    hipLaunchMemSyncDomainMap,
    hipLaunchParams_t,
    hipMemAccessDesc,
    hipMemAllocNodeParams,
    hipMemAllocationProp,
    hipMemAllocationProp__bindgen_ty_1,
    hipMemFreeNodeParams,
    hipMemLocation,
    hipMemPoolProps,
    hipMemPoolPtrExportData,
    hipMemcpy3DBatchOp,
    hipMemcpy3DOperand,
    hipMemcpy3DOperand__bindgen_ty_1,
    hipMemcpy3DOperand__bindgen_ty_1__bindgen_ty_1,
    hipMemcpy3DOperand__bindgen_ty_1__bindgen_ty_2,
    hipMemcpy3DParms,
    hipMemcpy3DPeerParms,
    hipMemcpyAttributes,
    hipMemcpyNodeParams,
    hipMemsetParams,
    hipMipmappedArray,
    hipOffset3D,
    hipPitchedPtr,
    hipPointerAttribute_t,
    hipPos,
    hipResourceDesc,
    hipResourceDesc__bindgen_ty_1,
    hipResourceDesc__bindgen_ty_1__bindgen_ty_1,
    hipResourceDesc__bindgen_ty_1__bindgen_ty_2,
    hipResourceDesc__bindgen_ty_1__bindgen_ty_3,
    hipResourceDesc__bindgen_ty_1__bindgen_ty_4,
    hipResourceViewDesc,
    hipStreamBatchMemOpParams_union,
    hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t,
    hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t,
    hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t,
    hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1,
    hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t,
    hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1,
    hipTextureDesc,
    hipUUID_t,
    hipUserObject,
    hip_Memcpy2D,
    hip_bfloat16,
    ihipCtx_t,
    ihipEvent_t,
    ihipGraph,
    ihipKernel_t,
    ihipLibrary_t,
    ihipLinkState_t,
    ihipMemGenericAllocationHandle,
    ihipMemPoolHandle_t,
    ihipModuleSymbol_t,
    ihipModule_t,
    ihipStream_t,
    ihiprtcLinkState,
    int1,
    int2,
    int3,
    int4,
    long1,
    long2,
    long3,
    long4,
    longlong1,
    longlong2,
    longlong3,
    longlong4,
    short1,
    short2,
    short3,
    short4,
    surfaceReference,
    textureReference,
    uchar1,
    uchar2,
    uchar3,
    uchar4,
    uint1,
    uint2,
    uint3,
    uint4,
    ulong1,
    ulong2,
    ulong3,
    ulong4,
    ulonglong1,
    ulonglong2,
    ulonglong3,
    ulonglong4,
    ushort1,
    ushort2,
    ushort3,
    ushort4,
}
