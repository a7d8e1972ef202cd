// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const BUILD_SHARED_LIBS: u32 = 1;
pub const HIP_OC_COMPILER: &[u8; 18] = b"/usr/bin/clang-22\0";
pub const HIP_PACKAGE_VERSION_FLAT: u64 = 7002053211;
pub const HIP_PACKAGE_VERSION_MAJOR: u32 = 7;
pub const HIP_PACKAGE_VERSION_MINOR: u32 = 2;
pub const HIP_PACKAGE_VERSION_PATCH: u32 = 53211;
pub const MIOPEN_ALLOC_BUFFERS: u32 = 0;
pub const MIOPEN_AMD_COMGR_VERSION_MAJOR: u32 = 3;
pub const MIOPEN_AMD_COMGR_VERSION_MINOR: u32 = 0;
pub const MIOPEN_AMD_COMGR_VERSION_PATCH: u32 = 0;
pub const MIOPEN_API_VERSION_REDUCE_TENSOR: u32 = 1;
pub const MIOPEN_BACKEND_HIP: u32 = 1;
pub const MIOPEN_BACKEND_OPENCL: u32 = 0;
pub const MIOPEN_BUILD_DEV: u32 = 0;
pub const MIOPEN_BUILD_DRIVER: u32 = 1;
pub const MIOPEN_CACHE_DIR: &[u8; 17] = b"~/.cache/miopen/\0";
pub const MIOPEN_DEBUG_FIND_DB_CACHING: u32 = 1;
pub const MIOPEN_DISABLE_SYSDB: u32 = 0;
pub const MIOPEN_DISABLE_USERDB: u32 = 0;
pub const MIOPEN_EMBED_DB: u32 = 0;
pub const MIOPEN_ENABLE_AI_IMMED_MODE_FALLBACK: u32 = 1;
pub const MIOPEN_ENABLE_AI_KERNEL_TUNING: u32 = 1;
pub const MIOPEN_ENABLE_FIN_INTERFACE: u32 = 0;
pub const MIOPEN_ENABLE_SQLITE: u32 = 1;
pub const MIOPEN_ENABLE_SQLITE_BACKOFF: u32 = 1;
pub const MIOPEN_ENABLE_SQLITE_KERN_CACHE: u32 = 1;
pub const MIOPEN_FP8_CLIPPING: u32 = 1;
pub const MIOPEN_FP8_IEEE_EXPONENT_BIAS: u32 = 0;
pub const MIOPEN_GOLDEN_DB_VERSION: u32 = 21;
pub const MIOPEN_GPU_SYNC: u32 = 0;
pub const MIOPEN_HIP_COMPILER: &[u8; 20] = b"/usr/bin/clang++-22\0";
pub const MIOPEN_HIP_COMPILER_HAS_OPTION_OFFLOAD_UNIFORM_BLOCK: u32 = 1;
pub const MIOPEN_LOG_FUNC_TIME_ENABLE: u32 = 0;
pub const MIOPEN_MODE_NOGPU: u32 = 0;
pub const MIOPEN_NDEBUG: u32 = 0;
pub const MIOPEN_OFFLINE_COMPILER_PATHS_V2: u32 = 0;
pub const MIOPEN_ROCBLAS_VERSION_FLAT: u32 = 5002000;
pub const MIOPEN_ROCBLAS_VERSION_MAJOR: u32 = 5;
pub const MIOPEN_ROCBLAS_VERSION_MINOR: u32 = 2;
pub const MIOPEN_ROCBLAS_VERSION_PATCH: u32 = 0;
pub const MIOPEN_USE_COMGR: u32 = 1;
pub const MIOPEN_USE_COMPOSABLEKERNEL: u32 = 0;
pub const MIOPEN_USE_HIPBLASLT: u32 = 0;
pub const MIOPEN_USE_HIPRTC: u32 = 1;
pub const MIOPEN_USE_HIP_KERNELS: u32 = 1;
pub const MIOPEN_USE_MLIR: u32 = 0;
pub const MIOPEN_USE_RNE_BFLOAT16: u32 = 1;
pub const MIOPEN_USE_ROCBLAS: u32 = 1;
pub const MIOPEN_USE_ROCTRACER: u32 = 1;
pub const MIOPEN_USE_SQLITE_PERFDB: u32 = 0;
pub const MIOPEN_WORKAROUND_USE_BOOST_FILESYSTEM: u32 = 0;
pub type miopenAcceleratorQueue_t = hipStream_t;
pub type miopenActivationDescriptor_t = *mut miopenActivationDescriptor;
pub type miopenAllocatorFunction = Option<unsafe extern "C" fn(context: *mut c_void, sizeBytes: usize) -> *mut c_void>;
pub type miopenBackendDescriptor_t = *mut miopenBackendDescriptor;
pub type miopenCTCLossDescriptor_t = *mut miopenCTCLossDescriptor;
pub type miopenConvolutionDescriptor_t = *mut miopenConvolutionDescriptor;
pub type miopenDeallocatorFunction = Option<unsafe extern "C" fn(context: *mut c_void, memory: *mut c_void)>;
pub type miopenDropoutDescriptor_t = *mut miopenDropoutDescriptor;
pub type miopenFindOptions_t = *mut miopenFindOptions;
pub type miopenFusionOpDescriptor_t = *mut miopenFusionOpDescriptor;
pub type miopenFusionPlanDescriptor_t = *mut miopenFusionPlanDescriptor;
pub type miopenHandle_t = *mut miopenHandle;
pub type miopenLRNDescriptor_t = *mut miopenLRNDescriptor;
pub type miopenMhaDescriptor_t = *mut miopenMhaDescriptor;
pub type miopenOperatorArgs_t = *mut miopenOperatorArgs;
pub type miopenOperatorDescriptor_t = *mut miopenOperatorDescriptor;
pub type miopenPoolingDescriptor_t = *mut miopenPoolingDescriptor;
pub type miopenProblem_t = *mut miopenProblem;
pub type miopenRNNDescriptor_t = *mut miopenRNNDescriptor;
pub type miopenReduceTensorDescriptor_t = *mut miopenReduceTensorDescriptor;
pub type miopenSeqTensorDescriptor_t = *mut miopenSeqTensorDescriptor;
pub type miopenSoftmaxDescriptor_t = *mut miopenSoftmaxDescriptor;
pub type miopenSolution_t = *mut miopenSolution;
pub type miopenTensorDescriptor_t = *mut miopenTensorDescriptor;
c_enums! {
    miopenActivationMode_t: c_uint {
        miopenActivationPASTHRU = 0,
        miopenActivationLOGISTIC = 1,
        miopenActivationTANH = 2,
        miopenActivationRELU = 3,
        miopenActivationSOFTRELU = 4,
        miopenActivationABS = 5,
        miopenActivationPOWER = 6,
        miopenActivationCLIPPEDRELU = 7,
        miopenActivationLEAKYRELU = 8,
        miopenActivationELU = 9,
        miopenActivationCLAMP = 10,
    }
    miopenAlphaBetaCase_t: c_uint {
        DEFAULT = 0,
        SCALE = 1,
        BILINEAR = 2,
        ERROR_STATE = 3,
    }
    miopenBackendAttributeName_t: c_uint {
        MIOPEN_ATTR_POINTWISE_MODE = 0,
        MIOPEN_ATTR_POINTWISE_MATH_PREC = 1,
        MIOPEN_ATTR_POINTWISE_NAN_PROPAGATION = 2,
        MIOPEN_ATTR_POINTWISE_RELU_LOWER_CLIP = 3,
        MIOPEN_ATTR_POINTWISE_RELU_UPPER_CLIP = 4,
        MIOPEN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE = 5,
        MIOPEN_ATTR_POINTWISE_ELU_ALPHA = 6,
        MIOPEN_ATTR_POINTWISE_SOFTPLUS_BETA = 7,
        MIOPEN_ATTR_POINTWISE_SWISH_BETA = 8,
        MIOPEN_ATTR_POINTWISE_AXIS = 9,
        MIOPEN_ATTR_CONVOLUTION_COMP_TYPE = 100,
        MIOPEN_ATTR_CONVOLUTION_CONV_MODE = 101,
        MIOPEN_ATTR_CONVOLUTION_DILATIONS = 102,
        MIOPEN_ATTR_CONVOLUTION_FILTER_STRIDES = 103,
        MIOPEN_ATTR_CONVOLUTION_POST_PADDINGS = 104,
        MIOPEN_ATTR_CONVOLUTION_PRE_PADDINGS = 105,
        MIOPEN_ATTR_CONVOLUTION_SPATIAL_DIMS = 106,
        MIOPEN_ATTR_ENGINEHEUR_MODE = 200,
        MIOPEN_ATTR_ENGINEHEUR_OPERATION_GRAPH = 201,
        MIOPEN_ATTR_ENGINEHEUR_RESULTS = 202,
        MIOPEN_ATTR_ENGINEHEUR_SM_COUNT_TARGET = 203,
        MIOPEN_ATTR_ENGINECFG_ENGINE = 300,
        MIOPEN_ATTR_ENGINECFG_INTERMEDIATE_INFO = 301,
        MIOPEN_ATTR_ENGINECFG_KNOB_CHOICES = 302,
        MIOPEN_ATTR_EXECUTION_PLAN_HANDLE = 400,
        MIOPEN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG = 401,
        MIOPEN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE = 402,
        MIOPEN_ATTR_EXECUTION_PLAN_COMPUTED_INTERMEDIATE_UIDS = 403,
        MIOPEN_ATTR_EXECUTION_PLAN_RUN_ONLY_INTERMEDIATE_UIDS = 404,
        MIOPEN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION = 405,
        MIOPEN_ATTR_INTERMEDIATE_INFO_UNIQUE_ID = 500,
        MIOPEN_ATTR_INTERMEDIATE_INFO_SIZE = 501,
        MIOPEN_ATTR_INTERMEDIATE_INFO_DEPENDENT_DATA_UIDS = 502,
        MIOPEN_ATTR_INTERMEDIATE_INFO_DEPENDENT_ATTRIBUTES = 503,
        MIOPEN_ATTR_KNOB_CHOICE_KNOB_TYPE = 600,
        MIOPEN_ATTR_KNOB_CHOICE_KNOB_VALUE = 601,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA = 700,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA = 701,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC = 702,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_FORWARD_W = 703,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_FORWARD_X = 704,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y = 705,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA = 706,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA = 707,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC = 708,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W = 709,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX = 710,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY = 711,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA = 712,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA = 713,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC = 714,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW = 715,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X = 716,
        MIOPEN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY = 717,
        MIOPEN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR = 750,
        MIOPEN_ATTR_OPERATION_POINTWISE_XDESC = 751,
        MIOPEN_ATTR_OPERATION_POINTWISE_BDESC = 752,
        MIOPEN_ATTR_OPERATION_POINTWISE_YDESC = 753,
        MIOPEN_ATTR_OPERATION_POINTWISE_ALPHA1 = 754,
        MIOPEN_ATTR_OPERATION_POINTWISE_ALPHA2 = 755,
        MIOPEN_ATTR_OPERATION_POINTWISE_DXDESC = 756,
        MIOPEN_ATTR_OPERATION_POINTWISE_DYDESC = 757,
        MIOPEN_ATTR_OPERATION_POINTWISE_TDESC = 758,
        MIOPEN_ATTR_OPERATION_GENSTATS_MODE = 770,
        MIOPEN_ATTR_OPERATION_GENSTATS_MATH_PREC = 771,
        MIOPEN_ATTR_OPERATION_GENSTATS_XDESC = 772,
        MIOPEN_ATTR_OPERATION_GENSTATS_SUMDESC = 773,
        MIOPEN_ATTR_OPERATION_GENSTATS_SQSUMDESC = 774,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_STATS_MODE = 780,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_MATH_PREC = 781,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_Y_SUM_DESC = 782,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_Y_SQ_SUM_DESC = 783,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_SCALE_DESC = 784,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_BIAS_DESC = 785,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_MEAN_DESC = 786,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_PREV_RUNNING_VAR_DESC = 787,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_MEAN_DESC = 788,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_UPDATED_RUNNING_VAR_DESC = 789,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_SAVED_MEAN_DESC = 790,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_SAVED_INV_STD_DESC = 791,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_EQ_SCALE_DESC = 792,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_EQ_BIAS_DESC = 793,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_ACCUM_COUNT_DESC = 794,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_EPSILON_DESC = 795,
        MIOPEN_ATTR_OPERATION_BN_FINALIZE_EXP_AVERATE_FACTOR_DESC = 796,
        MIOPEN_ATTR_OPERATIONGRAPH_HANDLE = 800,
        MIOPEN_ATTR_OPERATIONGRAPH_OPS = 801,
        MIOPEN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT = 802,
        MIOPEN_ATTR_TENSOR_BYTE_ALIGNMENT = 900,
        MIOPEN_ATTR_TENSOR_DATA_TYPE = 901,
        MIOPEN_ATTR_TENSOR_DIMENSIONS = 902,
        MIOPEN_ATTR_TENSOR_STRIDES = 903,
        MIOPEN_ATTR_TENSOR_VECTOR_COUNT = 904,
        MIOPEN_ATTR_TENSOR_VECTORIZED_DIMENSION = 905,
        MIOPEN_ATTR_TENSOR_UNIQUE_ID = 906,
        MIOPEN_ATTR_TENSOR_IS_VIRTUAL = 907,
        MIOPEN_ATTR_TENSOR_IS_BY_VALUE = 908,
        MIOPEN_ATTR_TENSOR_REORDERING_MODE = 909,
        MIOPEN_ATTR_TENSOR_RAGGED_OFFSET_DESC = 910,
        MIOPEN_ATTR_VARIANT_PACK_UNIQUE_IDS = 1000,
        MIOPEN_ATTR_VARIANT_PACK_DATA_POINTERS = 1001,
        MIOPEN_ATTR_VARIANT_PACK_INTERMEDIATES = 1002,
        MIOPEN_ATTR_VARIANT_PACK_WORKSPACE = 1003,
        MIOPEN_ATTR_LAYOUT_INFO_TENSOR_UID = 1100,
        MIOPEN_ATTR_LAYOUT_INFO_TYPES = 1101,
        MIOPEN_ATTR_KNOB_INFO_TYPE = 1200,
        MIOPEN_ATTR_KNOB_INFO_MAXIMUM_VALUE = 1201,
        MIOPEN_ATTR_KNOB_INFO_MINIMUM_VALUE = 1202,
        MIOPEN_ATTR_KNOB_INFO_STRIDE = 1203,
        MIOPEN_ATTR_ENGINE_OPERATION_GRAPH = 1300,
        MIOPEN_ATTR_ENGINE_GLOBAL_INDEX = 1301,
        MIOPEN_ATTR_ENGINE_KNOB_INFO = 1302,
        MIOPEN_ATTR_ENGINE_NUMERICAL_NOTE = 1303,
        MIOPEN_ATTR_ENGINE_LAYOUT_INFO = 1304,
        MIOPEN_ATTR_ENGINE_BEHAVIOR_NOTE = 1305,
        MIOPEN_ATTR_ENGINE_SM_COUNT_TARGET = 1306,
        MIOPEN_ATTR_MATMUL_COMP_TYPE = 1500,
        MIOPEN_ATTR_MATMUL_PADDING_VALUE = 1501,
        MIOPEN_ATTR_OPERATION_MATMUL_ADESC = 1520,
        MIOPEN_ATTR_OPERATION_MATMUL_BDESC = 1521,
        MIOPEN_ATTR_OPERATION_MATMUL_CDESC = 1522,
        MIOPEN_ATTR_OPERATION_MATMUL_DESC = 1523,
        MIOPEN_ATTR_OPERATION_MATMUL_IRREGULARLY_STRIDED_BATCH_COUNT = 1524,
        MIOPEN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC = 1525,
        MIOPEN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC = 1526,
        MIOPEN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC = 1527,
        MIOPEN_ATTR_REDUCTION_OPERATOR = 1600,
        MIOPEN_ATTR_REDUCTION_COMP_TYPE = 1601,
        MIOPEN_ATTR_OPERATION_REDUCTION_XDESC = 1610,
        MIOPEN_ATTR_OPERATION_REDUCTION_YDESC = 1611,
        MIOPEN_ATTR_OPERATION_REDUCTION_DESC = 1612,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_MATH_PREC = 1620,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_MEAN_DESC = 1621,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_INVSTD_DESC = 1622,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_BN_SCALE_DESC = 1623,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_X_DESC = 1624,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_DY_DESC = 1625,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_SCALE_DESC = 1626,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_DBN_BIAS_DESC = 1627,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_DY_SCALE_DESC = 1628,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_X_SCALE_DESC = 1629,
        MIOPEN_ATTR_OPERATION_BN_BWD_WEIGHTS_EQ_BIAS = 1630,
        MIOPEN_ATTR_RESAMPLE_MODE = 1700,
        MIOPEN_ATTR_RESAMPLE_COMP_TYPE = 1701,
        MIOPEN_ATTR_RESAMPLE_SPATIAL_DIMS = 1702,
        MIOPEN_ATTR_RESAMPLE_POST_PADDINGS = 1703,
        MIOPEN_ATTR_RESAMPLE_PRE_PADDINGS = 1704,
        MIOPEN_ATTR_RESAMPLE_STRIDES = 1705,
        MIOPEN_ATTR_RESAMPLE_WINDOW_DIMS = 1706,
        MIOPEN_ATTR_RESAMPLE_NAN_PROPAGATION = 1707,
        MIOPEN_ATTR_RESAMPLE_PADDING_MODE = 1708,
        MIOPEN_ATTR_OPERATION_RESAMPLE_FWD_XDESC = 1710,
        MIOPEN_ATTR_OPERATION_RESAMPLE_FWD_YDESC = 1711,
        MIOPEN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC = 1712,
        MIOPEN_ATTR_OPERATION_RESAMPLE_FWD_ALPHA = 1713,
        MIOPEN_ATTR_OPERATION_RESAMPLE_FWD_BETA = 1714,
        MIOPEN_ATTR_OPERATION_RESAMPLE_FWD_DESC = 1716,
        MIOPEN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC = 1720,
        MIOPEN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC = 1721,
        MIOPEN_ATTR_OPERATION_RESAMPLE_BWD_IDXDESC = 1722,
        MIOPEN_ATTR_OPERATION_RESAMPLE_BWD_ALPHA = 1723,
        MIOPEN_ATTR_OPERATION_RESAMPLE_BWD_BETA = 1724,
        MIOPEN_ATTR_OPERATION_RESAMPLE_BWD_DESC = 1725,
        MIOPEN_ATTR_OPERATION_RESAMPLE_BWD_XDESC = 1726,
        MIOPEN_ATTR_OPERATION_RESAMPLE_BWD_YDESC = 1727,
        MIOPEN_ATTR_OPERATION_CONCAT_AXIS = 1800,
        MIOPEN_ATTR_OPERATION_CONCAT_INPUT_DESCS = 1801,
        MIOPEN_ATTR_OPERATION_CONCAT_INPLACE_INDEX = 1802,
        MIOPEN_ATTR_OPERATION_CONCAT_OUTPUT_DESC = 1803,
        MIOPEN_ATTR_OPERATION_SIGNAL_MODE = 1900,
        MIOPEN_ATTR_OPERATION_SIGNAL_FLAGDESC = 1901,
        MIOPEN_ATTR_OPERATION_SIGNAL_VALUE = 1902,
        MIOPEN_ATTR_OPERATION_SIGNAL_XDESC = 1903,
        MIOPEN_ATTR_OPERATION_SIGNAL_YDESC = 1904,
        MIOPEN_ATTR_OPERATION_NORM_FWD_MODE = 2000,
        MIOPEN_ATTR_OPERATION_NORM_FWD_PHASE = 2001,
        MIOPEN_ATTR_OPERATION_NORM_FWD_XDESC = 2002,
        MIOPEN_ATTR_OPERATION_NORM_FWD_MEAN_DESC = 2003,
        MIOPEN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC = 2004,
        MIOPEN_ATTR_OPERATION_NORM_FWD_SCALE_DESC = 2005,
        MIOPEN_ATTR_OPERATION_NORM_FWD_BIAS_DESC = 2006,
        MIOPEN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC = 2007,
        MIOPEN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC = 2008,
        MIOPEN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC = 2009,
        MIOPEN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC = 2010,
        MIOPEN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC = 2011,
        MIOPEN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC = 2012,
        MIOPEN_ATTR_OPERATION_NORM_FWD_YDESC = 2013,
        MIOPEN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS = 2014,
        MIOPEN_ATTR_OPERATION_NORM_BWD_MODE = 2100,
        MIOPEN_ATTR_OPERATION_NORM_BWD_XDESC = 2101,
        MIOPEN_ATTR_OPERATION_NORM_BWD_MEAN_DESC = 2102,
        MIOPEN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC = 2103,
        MIOPEN_ATTR_OPERATION_NORM_BWD_DYDESC = 2104,
        MIOPEN_ATTR_OPERATION_NORM_BWD_SCALE_DESC = 2105,
        MIOPEN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC = 2106,
        MIOPEN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC = 2107,
        MIOPEN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC = 2108,
        MIOPEN_ATTR_OPERATION_NORM_BWD_DXDESC = 2109,
        MIOPEN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS = 2110,
        MIOPEN_ATTR_OPERATION_RESHAPE_XDESC = 2200,
        MIOPEN_ATTR_OPERATION_RESHAPE_YDESC = 2201,
        MIOPEN_ATTR_RNG_DISTRIBUTION = 2300,
        MIOPEN_ATTR_RNG_NORMAL_DIST_MEAN = 2301,
        MIOPEN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION = 2302,
        MIOPEN_ATTR_RNG_UNIFORM_DIST_MAXIMUM = 2303,
        MIOPEN_ATTR_RNG_UNIFORM_DIST_MINIMUM = 2304,
        MIOPEN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY = 2305,
        MIOPEN_ATTR_OPERATION_RNG_YDESC = 2310,
        MIOPEN_ATTR_OPERATION_RNG_SEED = 2311,
        MIOPEN_ATTR_OPERATION_RNG_DESC = 2312,
        MIOPEN_ATTR_OPERATION_RNG_OFFSET_DESC = 2313,
    }
    miopenBackendAttributeType_t: c_uint {
        MIOPEN_TYPE_HANDLE = 0,
        MIOPEN_TYPE_DATA_TYPE = 1,
        MIOPEN_TYPE_BOOLEAN = 2,
        MIOPEN_TYPE_INT64 = 3,
        MIOPEN_TYPE_FLOAT = 4,
        MIOPEN_TYPE_DOUBLE = 5,
        MIOPEN_TYPE_VOID_PTR = 6,
        MIOPEN_TYPE_CONVOLUTION_MODE = 7,
        MIOPEN_TYPE_HEUR_MODE = 8,
        MIOPEN_TYPE_KNOB_TYPE = 9,
        MIOPEN_TYPE_NAN_PROPOGATION = 10,
        MIOPEN_TYPE_NUMERICAL_NOTE = 11,
        MIOPEN_TYPE_LAYOUT_TYPE = 12,
        MIOPEN_TYPE_ATTRIB_NAME = 13,
        MIOPEN_TYPE_POINTWISE_MODE = 14,
        MIOPEN_TYPE_BACKEND_DESCRIPTOR = 15,
        MIOPEN_TYPE_GENSTATS_MODE = 16,
        MIOPEN_TYPE_BN_FINALIZE_STATS_MODE = 17,
        MIOPEN_TYPE_REDUCTION_OPERATOR_TYPE = 18,
        MIOPEN_TYPE_BEHAVIOR_NOTE = 19,
        MIOPEN_TYPE_TENSOR_REORDERING_MODE = 20,
        MIOPEN_TYPE_RESAMPLE_MODE = 21,
        MIOPEN_TYPE_PADDING_MODE = 22,
        MIOPEN_TYPE_INT32 = 23,
        MIOPEN_TYPE_CHAR = 24,
        MIOPEN_TYPE_SIGNAL_MODE = 25,
        MIOPEN_TYPE_FRACTION = 26,
        MIOPEN_TYPE_NORM_MODE = 27,
        MIOPEN_TYPE_NORM_FWD_PHASE = 28,
        MIOPEN_TYPE_RNG_DISTRIBUTION = 29,
    }
    miopenBackendDescriptorType_t: c_uint {
        MIOPEN_BACKEND_CONVOLUTION_DESCRIPTOR = 0,
        MIOPEN_BACKEND_ENGINE_DESCRIPTOR = 1,
        MIOPEN_BACKEND_ENGINECFG_DESCRIPTOR = 2,
        MIOPEN_BACKEND_ENGINEHEUR_DESCRIPTOR = 3,
        MIOPEN_BACKEND_EXECUTION_PLAN_DESCRIPTOR = 4,
        MIOPEN_BACKEND_INTERMEDIATE_INFO_DESCRIPTOR = 5,
        MIOPEN_BACKEND_KNOB_CHOICE_DESCRIPTOR = 6,
        MIOPEN_BACKEND_KNOB_INFO_DESCRIPTOR = 7,
        MIOPEN_BACKEND_LAYOUT_INFO_DESCRIPTOR = 8,
        MIOPEN_BACKEND_MATMUL_DESCRIPTOR = 9,
        MIOPEN_BACKEND_OPERATION_CONCAT_DESCRIPTOR = 10,
        MIOPEN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR = 11,
        MIOPEN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR = 12,
        MIOPEN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR = 13,
        MIOPEN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR = 14,
        MIOPEN_BACKEND_OPERATION_MATMUL_DESCRIPTOR = 15,
        MIOPEN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR = 16,
        MIOPEN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR = 17,
        MIOPEN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR = 18,
        MIOPEN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR = 19,
        MIOPEN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR = 20,
        MIOPEN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR = 21,
        MIOPEN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR = 22,
        MIOPEN_BACKEND_OPERATION_RNG_DESCRIPTOR = 23,
        MIOPEN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR = 24,
        MIOPEN_BACKEND_OPERATIONGRAPH_DESCRIPTOR = 25,
        MIOPEN_BACKEND_POINTWISE_DESCRIPTOR = 26,
        MIOPEN_BACKEND_REDUCTION_DESCRIPTOR = 27,
        MIOPEN_BACKEND_RESAMPLE_DESCRIPTOR = 28,
        MIOPEN_BACKEND_RNG_DESCRIPTOR = 29,
        MIOPEN_BACKEND_TENSOR_DESCRIPTOR = 30,
        MIOPEN_BACKEND_VARIANT_PACK_DESCRIPTOR = 31,
    }
    miopenBackendHeurMode_t: c_uint {
        MIOPEN_HEUR_MODE_INSTANT = 0,
        MIOPEN_HEUR_MODE_B = 1,
        MIOPEN_HEUR_MODE_FALLBACK = 2,
        MIOPEN_HEUR_MODE_A = 3,
        MIOPEN_HEUR_MODES_COUNT = 4,
    }
    miopenBatchNormMode_t: c_uint {
        miopenBNPerActivation = 0,
        miopenBNSpatial = 1,
    }
    miopenCTCLossAlgo_t: c_uint {
        MIOPEN_CTC_LOSS_ALGO_DETERMINISTIC = 0,
    }
    miopenConvAlgorithm_t: c_uint {
        miopenConvolutionAlgoGEMM = 0,
        miopenConvolutionAlgoDirect = 1,
        miopenConvolutionAlgoFFT = 2,
        miopenConvolutionAlgoWinograd = 3,
        miopenConvolutionAlgoImplicitGEMM = 5,
    }
    miopenConvBwdDataAlgorithm_t: c_uint {
        miopenConvolutionBwdDataAlgoGEMM = 0,
        miopenConvolutionBwdDataAlgoDirect = 1,
        miopenConvolutionBwdDataAlgoFFT = 2,
        miopenConvolutionBwdDataAlgoWinograd = 3,
        miopenTransposeBwdDataAlgoGEMM = 4,
        miopenConvolutionBwdDataAlgoImplicitGEMM = 5,
    }
    miopenConvBwdWeightsAlgorithm_t: c_uint {
        miopenConvolutionBwdWeightsAlgoGEMM = 0,
        miopenConvolutionBwdWeightsAlgoDirect = 1,
        miopenConvolutionBwdWeightsAlgoWinograd = 3,
        miopenConvolutionBwdWeightsAlgoImplicitGEMM = 5,
    }
    miopenConvFwdAlgorithm_t: c_uint {
        miopenConvolutionFwdAlgoGEMM = 0,
        miopenConvolutionFwdAlgoDirect = 1,
        miopenConvolutionFwdAlgoFFT = 2,
        miopenConvolutionFwdAlgoWinograd = 3,
        miopenConvolutionFwdAlgoImplicitGEMM = 5,
    }
    miopenConvolutionAttrib_t: c_uint {
        MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL = 0,
        MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC = 1,
        MIOPEN_CONVOLUTION_ATTRIB_FP8_ROUNDING_MODE = 2,
    }
    miopenConvolutionFindMode_t: c_uint {
        miopenConvolutionFindModeNormal = 1,
        miopenConvolutionFindModeFast = 2,
        miopenConvolutionFindModeHybrid = 3,
        miopenConvolutionFindModeDynamicHybrid = 5,
        miopenConvolutionFindModeTrustVerify = 6,
        miopenConvolutionFindModeTrustVerifyFull = 7,
        miopenConvolutionFindModeDefault = 5,
    }
    miopenConvolutionMode_t: c_uint {
        miopenConvolution = 0,
        miopenTranspose = 1,
        miopenGroupConv = 2,
        miopenDepthwise = 3,
    }
    miopenDataType_t: c_uint {
        miopenHalf = 0,
        miopenFloat = 1,
        miopenInt32 = 2,
        miopenInt8 = 3,
        miopenBFloat16 = 5,
        miopenDouble = 6,
        miopenFloat8_fnuz = 7,
        miopenBFloat8_fnuz = 8,
        miopenInt64 = 9,
        miopenFloat8 = 7,
        miopenBFloat8 = 8,
    }
    miopenF8RoundingMode_t: c_uint {
        miopenF8RoundingModeStandard = 0,
        miopenF8RoundingModeStochastic = 1,
    }
    miopenFindResultsOrder_t: c_uint {
        miopenFindResultsOrderByTime = 0,
        miopenFindResultsOrderByWorkspaceSize = 1,
    }
    miopenFusionDirection_t: c_uint {
        miopenVerticalFusion = 0,
        miopenHorizontalFusion = 1,
    }
    miopenIndexType_t: c_uint {
        miopenIndexUint8 = 0,
        miopenIndexUint16 = 1,
        miopenIndexUint32 = 2,
        miopenIndexUint64 = 3,
    }
    miopenIndicesType_t: c_uint {
        MIOPEN_32BIT_INDICES = 0,
        MIOPEN_64BIT_INDICES = 1,
        MIOPEN_16BIT_INDICES = 2,
        MIOPEN_8BIT_INDICES = 3,
    }
    miopenLRNMode_t: c_uint {
        miopenLRNWithinChannel = 0,
        miopenLRNCrossChannel = 1,
    }
    miopenLossReductionMode_t: c_uint {
        MIOPEN_LOSS_REDUCTION_NONE = 0,
        MIOPEN_LOSS_REDUCTION_SUM = 1,
        MIOPEN_LOSS_REDUCTION_MEAN = 2,
    }
    miopenMhaMask_t: c_uint {
        miopenMhaMaskNone = 0,
        miopenMhaMaskCausal = 1,
    }
    miopenNanPropagation_t: c_uint {
        MIOPEN_NOT_PROPAGATE_NAN = 0,
        MIOPEN_PROPAGATE_NAN = 1,
    }
    miopenNormMode_t: c_uint {
        MIOPEN_ELEMENTWISE_AFFINE = 0,
        MIOPEN_WEIGHT_BIAS = 1,
        MIOPEN_ELEMENTWISE_AFFINE_FUSED_ADD = 2,
        MIOPEN_WEIGHT_BIAS_FUSED_ADD = 3,
        MIOPEN_ELEMENTWISE_AFFINE_T5 = 4,
        MIOPEN_WEIGHT_BIAS_T5 = 5,
    }
    miopenPaddingMode_t: c_uint {
        miopenPaddingDefault = 0,
        miopenPaddingSame = 1,
        miopenPaddingValid = 2,
    }
    miopenPointwiseMode_t: c_uint {
        MIOPEN_POINTWISE_ADD = 0,
        MIOPEN_POINTWISE_ADD_SQUARE = 1,
        MIOPEN_POINTWISE_DIV = 2,
        MIOPEN_POINTWISE_MAX = 3,
        MIOPEN_POINTWISE_MIN = 4,
        MIOPEN_POINTWISE_MOD = 5,
        MIOPEN_POINTWISE_MUL = 6,
        MIOPEN_POINTWISE_POW = 7,
        MIOPEN_POINTWISE_SUB = 8,
        MIOPEN_POINTWISE_ABS = 9,
        MIOPEN_POINTWISE_CEIL = 10,
        MIOPEN_POINTWISE_COS = 11,
        MIOPEN_POINTWISE_EXP = 12,
        MIOPEN_POINTWISE_FLOOR = 13,
        MIOPEN_POINTWISE_LOG = 14,
        MIOPEN_POINTWISE_NEG = 15,
        MIOPEN_POINTWISE_RSQRT = 16,
        MIOPEN_POINTWISE_SIN = 17,
        MIOPEN_POINTWISE_SQRT = 18,
        MIOPEN_POINTWISE_TAN = 19,
        MIOPEN_POINTWISE_ERF = 20,
        MIOPEN_POINTWISE_IDENTITY = 21,
        MIOPEN_POINTWISE_RELU_FWD = 22,
        MIOPEN_POINTWISE_TANH_FWD = 23,
        MIOPEN_POINTWISE_SIGMOID_FWD = 24,
        MIOPEN_POINTWISE_ELU_FWD = 25,
        MIOPEN_POINTWISE_GELU_FWD = 26,
        MIOPEN_POINTWISE_SOFTPLUS_FWD = 27,
        MIOPEN_POINTWISE_SWISH_FWD = 28,
        MIOPEN_POINTWISE_GELU_APPROX_TANH_FWD = 29,
        MIOPEN_POINTWISE_RELU_BWD = 30,
        MIOPEN_POINTWISE_TANH_BWD = 31,
        MIOPEN_POINTWISE_SIGMOID_BWD = 32,
        MIOPEN_POINTWISE_ELU_BWD = 33,
        MIOPEN_POINTWISE_GELU_BWD = 34,
        MIOPEN_POINTWISE_SOFTPLUS_BWD = 35,
        MIOPEN_POINTWISE_SWISH_BWD = 36,
        MIOPEN_POINTWISE_GELU_APPROX_TANH_BWD = 37,
        MIOPEN_POINTWISE_CMP_EQ = 38,
        MIOPEN_POINTWISE_CMP_NEQ = 39,
        MIOPEN_POINTWISE_CMP_GT = 40,
        MIOPEN_POINTWISE_CMP_GE = 41,
        MIOPEN_POINTWISE_CMP_LT = 42,
        MIOPEN_POINTWISE_CMP_LE = 43,
        MIOPEN_POINTWISE_LOGICAL_AND = 44,
        MIOPEN_POINTWISE_LOGICAL_OR = 45,
        MIOPEN_POINTWISE_LOGICAL_NOT = 46,
        MIOPEN_POINTWISE_GEN_INDEX = 47,
        MIOPEN_POINTWISE_BINARY_SELECT = 48,
        MIOPEN_POINTWISE_RECIPROCAL = 49,
    }
    miopenPoolingMode_t: c_uint {
        miopenPoolingMax = 0,
        miopenPoolingAverage = 1,
        miopenPoolingAverageInclusive = 2,
    }
    miopenPoolingWorkspaceIndexMode_t: c_uint {
        miopenPoolingWorkspaceIndexMask = 0,
        miopenPoolingWorkspaceIndexImage = 1,
    }
    miopenProblemDirection_t: c_uint {
        miopenProblemDirectionForward = 0,
        miopenProblemDirectionBackward = 1,
        miopenProblemDirectionBackwardWeights = 2,
        miopenProblemDirectionInference = 4,
    }
    miopenRNGType_t: c_uint {
        MIOPEN_RNG_PSEUDO_XORWOW = 0,
    }
    miopenRNNAlgo_t: c_uint {
        miopenRNNdefault = 0,
        miopenRNNfundamental = 1,
        miopenRNNroundedDynamic = 2,
    }
    miopenRNNBaseLayout_t: c_uint {
        miopenRNNDataUnknownLayout = 0,
        miopenRNNDataSeqMajorNotPadded = 1,
        miopenRNNDataSeqMajorPadded = 2,
        miopenRNNDataBatchMajorPadded = 3,
    }
    miopenRNNBiasMode_t: c_uint {
        miopenRNNNoBias = 0,
        miopenRNNwithBias = 1,
    }
    miopenRNNDirectionMode_t: c_uint {
        miopenRNNunidirection = 0,
        miopenRNNbidirection = 1,
    }
    miopenRNNFWDMode_t: c_uint {
        miopenRNNTraining = 0,
        miopenRNNInference = 1,
    }
    miopenRNNGEMMalgoMode_t: c_uint {
        miopenRNNAlgoGEMM = 0,
    }
    miopenRNNInputMode_t: c_uint {
        miopenRNNlinear = 0,
        miopenRNNskip = 1,
    }
    miopenRNNMode_t: c_uint {
        miopenRNNRELU = 0,
        miopenRNNTANH = 1,
        miopenLSTM = 2,
        miopenGRU = 3,
    }
    miopenRNNPaddingMode_t: c_uint {
        miopenRNNIONotPadded = 0,
        miopenRNNIOWithPadding = 1,
    }
    miopenReduceCalculationNanPropagation_t: c_uint {
        MIOPEN_REDUCE_CALCULATION_NOT_PROPAGATE_NAN = 0,
        MIOPEN_REDUCE_CALCULATION_PROPAGATE_NAN = 1,
    }
    miopenReduceCalculationOp_t: c_uint {
        MIOPEN_REDUCE_CALCULATION_PROD = 1,
        MIOPEN_REDUCE_CALCULATION_SUM = 2,
    }
    miopenReduceExtremeOp_t: c_uint {
        MIOPEN_REDUCE_EXTREME_ARGMIN = 1,
        MIOPEN_REDUCE_EXTREME_ARGMAX = 2,
        MIOPEN_REDUCE_EXTREME_MIN = 3,
        MIOPEN_REDUCE_EXTREME_MAX = 4,
    }
    miopenReduceTensorIndices_t: c_uint {
        MIOPEN_REDUCE_TENSOR_NO_INDICES = 0,
        MIOPEN_REDUCE_TENSOR_FLATTENED_INDICES = 1,
    }
    miopenReduceTensorOp_t: c_uint {
        MIOPEN_REDUCE_TENSOR_ADD = 0,
        MIOPEN_REDUCE_TENSOR_MUL = 1,
        MIOPEN_REDUCE_TENSOR_MIN = 2,
        MIOPEN_REDUCE_TENSOR_MAX = 3,
        MIOPEN_REDUCE_TENSOR_AMAX = 4,
        MIOPEN_REDUCE_TENSOR_AVG = 5,
        MIOPEN_REDUCE_TENSOR_NORM1 = 6,
        MIOPEN_REDUCE_TENSOR_NORM2 = 7,
    }
    miopenRngDistribution_t: c_uint {
        MIOPEN_RNG_DISTRIBUTION_BERNOULLI = 0,
        MIOPEN_RNG_DISTRIBUTION_UNIFORM = 1,
        MIOPEN_RNG_DISTRIBUTION_NORMAL = 2,
    }
    miopenSoftmaxAlgorithm_t: c_uint {
        MIOPEN_SOFTMAX_FAST = 0,
        MIOPEN_SOFTMAX_ACCURATE = 1,
        MIOPEN_SOFTMAX_LOG = 2,
    }
    miopenSoftmaxMode_t: c_uint {
        MIOPEN_SOFTMAX_MODE_INSTANCE = 0,
        MIOPEN_SOFTMAX_MODE_CHANNEL = 1,
    }
    #[must_use = "it says whether the call succeeded"]
    miopenStatus_t: c_uint {
        miopenStatusSuccess = 0,
        miopenStatusNotInitialized = 1,
        miopenStatusInvalidValue = 2,
        miopenStatusBadParm = 3,
        miopenStatusAllocFailed = 4,
        miopenStatusInternalError = 5,
        miopenStatusNotImplemented = 6,
        miopenStatusUnknownError = 7,
        miopenStatusUnsupportedOp = 8,
        miopenStatusGpuOperationsSkipped = 9,
        miopenStatusVersionMismatch = 10,
    }
    miopenTensorArgumentId_t: c_uint {
        miopenTensorArgumentIdInvalid = 0,
        miopenTensorConvolutionX = 1,
        miopenTensorConvolutionW = 2,
        miopenTensorConvolutionY = 3,
        miopenTensorMhaK = 4,
        miopenTensorMhaQ = 5,
        miopenTensorMhaV = 6,
        miopenTensorMhaDescaleK = 7,
        miopenTensorMhaDescaleQ = 8,
        miopenTensorMhaDescaleV = 9,
        miopenTensorMhaDescaleS = 10,
        miopenTensorMhaScaleS = 11,
        miopenTensorMhaScaleO = 12,
        miopenTensorMhaDropoutProbability = 13,
        miopenTensorMhaDropoutSeed = 14,
        miopenTensorMhaDropoutOffset = 15,
        miopenTensorMhaO = 16,
        miopenTensorMhaAmaxO = 17,
        miopenTensorMhaAmaxS = 18,
        miopenTensorMhaM = 19,
        miopenTensorMhaZInv = 20,
        miopenTensorMhaDO = 21,
        miopenTensorMhaDescaleO = 22,
        miopenTensorMhaDescaleDO = 23,
        miopenTensorMhaDescaleDS = 24,
        miopenTensorMhaScaleDS = 25,
        miopenTensorMhaScaleDQ = 26,
        miopenTensorMhaScaleDK = 27,
        miopenTensorMhaScaleDV = 28,
        miopenTensorMhaDQ = 29,
        miopenTensorMhaDK = 30,
        miopenTensorMhaDV = 31,
        miopenTensorMhaAmaxDQ = 32,
        miopenTensorMhaAmaxDK = 33,
        miopenTensorMhaAmaxDV = 34,
        miopenTensorMhaAmaxDS = 35,
        miopenTensorMhaBias = 36,
        miopenTensorActivationX = 37,
        miopenTensorActivationY = 38,
        miopenTensorActivationDX = 39,
        miopenTensorActivationDY = 40,
        miopenTensorBiasX = 41,
        miopenTensorBiasY = 42,
        miopenTensorBias = 43,
        miopenTensorSoftmaxX = 44,
        miopenTensorSoftmaxY = 45,
        miopenTensorSoftmaxDX = 46,
        miopenTensorSoftmaxDY = 47,
        miopenTensorBatchnormX = 48,
        miopenTensorBatchnormY = 49,
        miopenTensorBatchnormRunningMean = 50,
        miopenTensorBatchnormRunningVariance = 51,
        miopenTensorBatchnormSavedMean = 52,
        miopenTensorBatchnormSavedVariance = 53,
        miopenTensorBatchnormScale = 54,
        miopenTensorBatchnormScaleDiff = 55,
        miopenTensorBatchnormEstimatedMean = 56,
        miopenTensorBatchnormEstimatedVariance = 57,
        miopenTensorBatchnormBias = 58,
        miopenTensorBatchnormBiasDiff = 59,
        miopenTensorBatchnormDX = 60,
        miopenTensorBatchnormDY = 61,
        miopenTensorArgumentIsScalar = 2147483648,
        miopenTensorMhaMask = 2147483649,
        miopenScalarBatchnormExpAvgFactor = 2147483650,
        miopenScalarBatchnormEpsilon = 2147483651,
    }
    miopenTensorLayout_t: c_uint {
        miopenTensorNCHW = 0,
        miopenTensorNHWC = 1,
        miopenTensorCHWN = 2,
        miopenTensorNCHWc4 = 3,
        miopenTensorNCHWc8 = 4,
        miopenTensorCHWNc4 = 5,
        miopenTensorCHWNc8 = 6,
        miopenTensorNCDHW = 7,
        miopenTensorNDHWC = 8,
    }
    miopenTensorOp_t: c_uint {
        miopenTensorOpAdd = 0,
        miopenTensorOpMul = 1,
        miopenTensorOpMin = 2,
        miopenTensorOpMax = 3,
    }
    miopenTuningPolicy_t: c_uint {
        miopenTuningPolicyNone = 1,
        miopenTuningPolicyDbUpdate = 2,
        miopenTuningPolicySearch = 3,
        miopenTuningPolicySearchDbUpdate = 4,
        miopenTuningPolicyDbClean = 5,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenActivationDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenBackendDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenCTCLossDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct miopenConvAlgoPerf_t {
    pub __bindgen_anon_1: miopenConvAlgoPerf_t__bindgen_ty_1,
    pub time: f32,
    pub memory: usize,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union miopenConvAlgoPerf_t__bindgen_ty_1 {
    pub fwd_algo: miopenConvFwdAlgorithm_t,
    pub bwd_weights_algo: miopenConvBwdWeightsAlgorithm_t,
    pub bwd_data_algo: miopenConvBwdDataAlgorithm_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenConvSolution_t {
    pub time: f32,
    pub workspace_size: usize,
    pub solution_id: u64,
    pub algorithm: miopenConvAlgorithm_t,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenConvolutionDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenDropoutDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenFindOptions {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenFusionOpDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenFusionPlanDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenHandle {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenLRNDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenMhaDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenOperatorArgs {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenOperatorDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenPoolingDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenProblem {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenRNNDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenReduceTensorDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenSeqTensorDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenSoftmaxDescriptor {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenSolution {
    pub _address: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenTensorArgument_t {
    pub id: miopenTensorArgumentId_t,
    pub descriptor: *mut miopenTensorDescriptor_t,
    pub buffer: *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct miopenTensorDescriptor {
    pub _address: u8,
}
zeroed_default! {
    miopenActivationDescriptor,
    miopenBackendDescriptor,
    miopenCTCLossDescriptor,
    miopenConvAlgoPerf_t,
    miopenConvAlgoPerf_t__bindgen_ty_1,
    miopenConvSolution_t,
    miopenConvolutionDescriptor,
    miopenDropoutDescriptor,
    miopenFindOptions,
    miopenFusionOpDescriptor,
    miopenFusionPlanDescriptor,
    miopenHandle,
    miopenLRNDescriptor,
    miopenMhaDescriptor,
    miopenOperatorArgs,
    miopenOperatorDescriptor,
    miopenPoolingDescriptor,
    miopenProblem,
    miopenRNNDescriptor,
    miopenReduceTensorDescriptor,
    miopenSeqTensorDescriptor,
    miopenSoftmaxDescriptor,
    miopenSolution,
    miopenTensorArgument_t,
    miopenTensorDescriptor,
}
