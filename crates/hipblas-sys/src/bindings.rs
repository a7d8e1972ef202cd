// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const hipblasVersionMajor: u32 = 3;
pub const hipblasVersionMinor: u32 = 2;
pub const hipblasVersionPatch: u32 = 0;
pub const hipblaseVersionMinor: u32 = 2;
pub type hipblasHalf = u16;
pub type hipblasHandle_t = *mut c_void;
pub type hipblasInt8 = i8;
pub type hipblasStride = i64;
c_enums! {
    hipblasAtomicsMode_t: c_uint {
        HIPBLAS_ATOMICS_NOT_ALLOWED = 0,
        HIPBLAS_ATOMICS_ALLOWED = 1,
    }
    hipblasComputeType_t: c_uint {
        HIPBLAS_COMPUTE_16F = 0,
        HIPBLAS_COMPUTE_16F_PEDANTIC = 1,
        HIPBLAS_COMPUTE_32F = 2,
        HIPBLAS_COMPUTE_32F_PEDANTIC = 3,
        HIPBLAS_COMPUTE_32F_FAST_16F = 4,
        HIPBLAS_COMPUTE_32F_FAST_16BF = 5,
        HIPBLAS_COMPUTE_32F_FAST_TF32 = 6,
        HIPBLAS_COMPUTE_64F = 7,
        HIPBLAS_COMPUTE_64F_PEDANTIC = 8,
        HIPBLAS_COMPUTE_32I = 9,
        HIPBLAS_COMPUTE_32I_PEDANTIC = 10,
        HIPBLAS_COMPUTE_32F_FAST_8F_FNUZ = 100,
        HIPBLAS_COMPUTE_32F_FAST_8BF_FNUZ = 101,
        HIPBLAS_COMPUTE_32F_FAST_8F8BF_FNUZ = 102,
        HIPBLAS_COMPUTE_32F_FAST_8BF8F_FNUZ = 103,
    }
    hipblasDatatype_t: c_uint {
        HIPBLAS_R_16F = 150,
        HIPBLAS_R_32F = 151,
        HIPBLAS_R_64F = 152,
        HIPBLAS_C_16F = 153,
        HIPBLAS_C_32F = 154,
        HIPBLAS_C_64F = 155,
        HIPBLAS_R_8I = 160,
        HIPBLAS_R_8U = 161,
        HIPBLAS_R_32I = 162,
        HIPBLAS_R_32U = 163,
        HIPBLAS_C_8I = 164,
        HIPBLAS_C_8U = 165,
        HIPBLAS_C_32I = 166,
        HIPBLAS_C_32U = 167,
        HIPBLAS_R_16B = 168,
        HIPBLAS_C_16B = 169,
        HIPBLAS_DATATYPE_INVALID = 255,
    }
    hipblasDiagType_t: c_uint {
        HIPBLAS_DIAG_NON_UNIT = 131,
        HIPBLAS_DIAG_UNIT = 132,
    }
    hipblasFillMode_t: c_uint {
        HIPBLAS_FILL_MODE_UPPER = 121,
        HIPBLAS_FILL_MODE_LOWER = 122,
        HIPBLAS_FILL_MODE_FULL = 123,
    }
    hipblasGemmAlgo_t: c_uint {
        HIPBLAS_GEMM_DEFAULT = 160,
    }
    hipblasGemmFlags_t: c_uint {
        HIPBLAS_GEMM_FLAGS_NONE = 0,
        HIPBLAS_GEMM_FLAGS_USE_CU_EFFICIENCY = 2,
        HIPBLAS_GEMM_FLAGS_FP16_ALT_IMPL = 4,
        HIPBLAS_GEMM_FLAGS_CHECK_SOLUTION_INDEX = 8,
        HIPBLAS_GEMM_FLAGS_FP16_ALT_IMPL_RNZ = 16,
    }
    hipblasInt8Datatype_t: c_uint {
        HIPBLAS_INT8_DATATYPE_DEFAULT = 0,
        HIPBLAS_INT8_DATATYPE_INT8 = 1,
        HIPBLAS_INT8_DATATYPE_PACK_INT8x4 = 2,
    }
    hipblasMath_t: c_uint {
        HIPBLAS_DEFAULT_MATH = 0,
        HIPBLAS_XF32_XDL_MATH = 1,
        HIPBLAS_PEDANTIC_MATH = 2,
        HIPBLAS_TF32_TENSOR_OP_MATH = 3,
        HIPBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 4,
        HIPBLAS_TENSOR_OP_MATH = 5,
    }
    hipblasOperation_t: c_uint {
        HIPBLAS_OP_N = 111,
        HIPBLAS_OP_T = 112,
        HIPBLAS_OP_C = 113,
    }
    hipblasPointerMode_t: c_uint {
        HIPBLAS_POINTER_MODE_HOST = 0,
        HIPBLAS_POINTER_MODE_DEVICE = 1,
    }
    hipblasSideMode_t: c_uint {
        HIPBLAS_SIDE_LEFT = 141,
        HIPBLAS_SIDE_RIGHT = 142,
        HIPBLAS_SIDE_BOTH = 143,
    }
    #[must_use = "it says whether the call succeeded"]
    hipblasStatus_t: c_uint {
        HIPBLAS_STATUS_SUCCESS = 0,
        HIPBLAS_STATUS_NOT_INITIALIZED = 1,
        HIPBLAS_STATUS_ALLOC_FAILED = 2,
        HIPBLAS_STATUS_INVALID_VALUE = 3,
        HIPBLAS_STATUS_MAPPING_ERROR = 4,
        HIPBLAS_STATUS_EXECUTION_FAILED = 5,
        HIPBLAS_STATUS_INTERNAL_ERROR = 6,
        HIPBLAS_STATUS_NOT_SUPPORTED = 7,
        HIPBLAS_STATUS_ARCH_MISMATCH = 8,
        HIPBLAS_STATUS_HANDLE_IS_NULLPTR = 9,
        HIPBLAS_STATUS_INVALID_ENUM = 10,
        HIPBLAS_STATUS_UNKNOWN = 11,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblasBfloat16 {
    pub data: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblasComplex {
    pub x: f32,
    pub y: f32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblasDoubleComplex {
    pub x: f64,
    pub y: f64,
}
zeroed_default! {
    hipblasBfloat16,
    hipblasComplex,
    hipblasDoubleComplex,
}
