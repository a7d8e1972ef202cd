// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const HIPBLASLT_VERSION_MAJOR: u32 = 1;
pub const HIPBLASLT_VERSION_MINOR: u32 = 2;
pub const HIPBLASLT_VERSION_PATCH: u32 = 2;
pub const HIP_R_4F_E2M1_EXT: c_int = 33;
pub const HIP_R_6F_E2M3_EXT: c_int = 31;
pub const HIP_R_6F_E3M2_EXT: c_int = 32;
pub type hipblasLtBfloat16 = hip_bfloat16;
pub type hipblasLtFloat = f32;
pub type hipblasLtHalf = _hipblasLtHalf;
pub type hipblasLtHandle_t = *mut c_void;
pub type hipblasLtInt32 = i32;
pub type hipblasLtInt8 = i8;
pub type hipblasLtMatmulAlgo_t = _hipblasLtMatmulAlgo_t;
pub type hipblasLtMatmulDesc_t = *mut hipblasLtMatmulDescOpaque_t;
pub type hipblasLtMatmulHeuristicResult_t = _hipblasLtMatmulHeuristicResult_t;
pub type hipblasLtMatmulPreference_t = *mut hipblasLtMatmulPreferenceOpaque_t;
pub type hipblasLtMatrixLayout_t = *mut hipblasLtMatrixLayoutOpaque_t;
pub type hipblasLtMatrixTransformDesc_t = *mut hipblasLtMatrixTransformDescOpaque_t;
c_enums! {
    hipblasLtEpilogue_t: c_uint {
        HIPBLASLT_EPILOGUE_DEFAULT = 1,
        HIPBLASLT_EPILOGUE_RELU = 2,
        HIPBLASLT_EPILOGUE_BIAS = 4,
        HIPBLASLT_EPILOGUE_RELU_BIAS = 6,
        HIPBLASLT_EPILOGUE_GELU = 32,
        HIPBLASLT_EPILOGUE_GELU_BIAS = 36,
        HIPBLASLT_EPILOGUE_RELU_AUX = 130,
        HIPBLASLT_EPILOGUE_RELU_AUX_BIAS = 134,
        HIPBLASLT_EPILOGUE_GELU_AUX = 160,
        HIPBLASLT_EPILOGUE_GELU_AUX_BIAS = 164,
        HIPBLASLT_EPILOGUE_DGELU = 192,
        HIPBLASLT_EPILOGUE_DGELU_BGRAD = 208,
        HIPBLASLT_EPILOGUE_BGRADA = 256,
        HIPBLASLT_EPILOGUE_BGRADB = 512,
        HIPBLASLT_EPILOGUE_SWISH_EXT = 65536,
        HIPBLASLT_EPILOGUE_SWISH_BIAS_EXT = 65540,
        HIPBLASLT_EPILOGUE_CLAMP_EXT = 131072,
        HIPBLASLT_EPILOGUE_CLAMP_BIAS_EXT = 131076,
        HIPBLASLT_EPILOGUE_CLAMP_AUX_EXT = 131200,
        HIPBLASLT_EPILOGUE_CLAMP_AUX_BIAS_EXT = 131204,
        HIPBLASLT_EPILOGUE_SIGMOID_EXT = 262144,
        HIPBLASLT_EPILOGUE_SIGMOID_BIAS_EXT = 262148,
    }
    hipblasLtMatmulDescAttributes_t: c_uint {
        HIPBLASLT_MATMUL_DESC_TRANSA = 0,
        HIPBLASLT_MATMUL_DESC_TRANSB = 1,
        HIPBLASLT_MATMUL_DESC_EPILOGUE = 2,
        HIPBLASLT_MATMUL_DESC_BIAS_POINTER = 3,
        HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE = 4,
        HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER = 5,
        HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER = 6,
        HIPBLASLT_MATMUL_DESC_C_SCALE_POINTER = 7,
        HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER = 8,
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER = 9,
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 10,
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 11,
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE = 12,
        HIPBLASLT_MATMUL_DESC_POINTER_MODE = 13,
        HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER = 14,
        HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE = 22,
        HIPBLASLT_MATMUL_DESC_A_SCALE_MODE = 31,
        HIPBLASLT_MATMUL_DESC_B_SCALE_MODE = 32,
        HIPBLASLT_MATMUL_DESC_COMPUTE_INPUT_TYPE_A_EXT = 100,
        HIPBLASLT_MATMUL_DESC_COMPUTE_INPUT_TYPE_B_EXT = 101,
        HIPBLASLT_MATMUL_DESC_EPILOGUE_ACT_ARG0_EXT = 102,
        HIPBLASLT_MATMUL_DESC_EPILOGUE_ACT_ARG1_EXT = 103,
        HIPBLASLT_MATMUL_DESC_MAX = 104,
    }
    hipblasLtMatmulMatrixScale_t: c_uint {
        HIPBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F = 0,
        HIPBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 = 1,
        HIPBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 = 2,
        HIPBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F = 3,
        HIPBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F = 4,
        HIPBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F = 5,
        HIPBLASLT_MATMUL_MATRIX_SCALE_END = 6,
    }
    hipblasLtMatmulPreferenceAttributes_t: c_uint {
        HIPBLASLT_MATMUL_PREF_SEARCH_MODE = 0,
        HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
        HIPBLASLT_MATMUL_PREF_MAX = 2,
    }
    hipblasLtMatrixLayoutAttribute_t: c_uint {
        HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 0,
        HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 1,
        HIPBLASLT_MATRIX_LAYOUT_TYPE = 2,
        HIPBLASLT_MATRIX_LAYOUT_ORDER = 3,
        HIPBLASLT_MATRIX_LAYOUT_ROWS = 4,
        HIPBLASLT_MATRIX_LAYOUT_COLS = 5,
        HIPBLASLT_MATRIX_LAYOUT_LD = 6,
    }
    hipblasLtMatrixTransformDescAttributes_t: c_uint {
        HIPBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE = 0,
        HIPBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE = 1,
        HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSA = 2,
        HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSB = 3,
    }
    hipblasLtOrder_t: c_uint {
        HIPBLASLT_ORDER_COL = 0,
        HIPBLASLT_ORDER_ROW = 1,
        HIPBLASLT_ORDER_COL16_4R16 = 100,
        HIPBLASLT_ORDER_COL16_4R8 = 101,
        HIPBLASLT_ORDER_COL16_4R4 = 102,
        HIPBLASLT_ORDER_COL16_4R2 = 103,
    }
    hipblasLtPointerMode_t: c_uint {
        HIPBLASLT_POINTER_MODE_HOST = 0,
        HIPBLASLT_POINTER_MODE_DEVICE = 1,
        HIPBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST = 4,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _hipblasLtHalf {
    pub data: u16,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _hipblasLtMatmulAlgo_t {
    pub data: [u8; 16],
    pub max_workspace_bytes: usize,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct _hipblasLtMatmulHeuristicResult_t {
    pub algo: hipblasLtMatmulAlgo_t,
    pub workspaceSize: usize,
    pub state: hipblasStatus_t,
    pub wavesCount: f32,
    pub reserved: [c_int; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblasLtMatmulDescOpaque_t {
    pub data: [u64; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblasLtMatmulPreferenceOpaque_t {
    pub data: [u64; 5],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblasLtMatrixLayoutOpaque_t {
    pub data: [u64; 4],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblasLtMatrixTransformDescOpaque_t {
    pub data: [u64; 8],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblaslt_bf8 {
    pub __x: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblaslt_bf8_fnuz {
    pub __x: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblaslt_f8 {
    pub __x: u8,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipblaslt_f8_fnuz {
    pub __x: u8,
}
zeroed_default! {
    _hipblasLtHalf,
    _hipblasLtMatmulAlgo_t,
    _hipblasLtMatmulHeuristicResult_t,
    hipblasLtMatmulDescOpaque_t,
    hipblasLtMatmulPreferenceOpaque_t,
    hipblasLtMatrixLayoutOpaque_t,
    hipblasLtMatrixTransformDescOpaque_t,
    hipblaslt_bf8,
    hipblaslt_bf8_fnuz,
    hipblaslt_f8,
    hipblaslt_f8_fnuz,
}
