// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
use crate::*;
use core::ffi::*;
functions! { Hipblaslt {
    hipblasLtCreate "7.1" "7.2" (handle: *mut hipblasLtHandle_t) -> hipblasStatus_t;
    hipblasLtDestroy "7.1" "7.2" (handle: hipblasLtHandle_t) -> hipblasStatus_t;
    hipblasLtGetArchName "7.1" "7.2" (archName: *mut *mut c_char) -> hipblasStatus_t;
    hipblasLtGetGitRevision "7.1" "7.2" (handle: hipblasLtHandle_t, rev: *mut c_char) -> hipblasStatus_t;
    hipblasLtGetVersion "7.1" "7.2" (handle: hipblasLtHandle_t, version: *mut c_int) -> hipblasStatus_t;
    hipblasLtMatmul "7.1" "7.2" (handle: hipblasLtHandle_t, matmulDesc: hipblasLtMatmulDesc_t, alpha: *const c_void, A: *const c_void, Adesc: hipblasLtMatrixLayout_t, B: *const c_void, Bdesc: hipblasLtMatrixLayout_t, beta: *const c_void, C: *const c_void, Cdesc: hipblasLtMatrixLayout_t, D: *mut c_void, Ddesc: hipblasLtMatrixLayout_t, algo: *const hipblasLtMatmulAlgo_t, workspace: *mut c_void, workspaceSizeInBytes: usize, stream: hipStream_t) -> hipblasStatus_t;
    hipblasLtMatmulAlgoGetHeuristic "7.1" "7.2" (handle: hipblasLtHandle_t, matmulDesc: hipblasLtMatmulDesc_t, Adesc: hipblasLtMatrixLayout_t, Bdesc: hipblasLtMatrixLayout_t, Cdesc: hipblasLtMatrixLayout_t, Ddesc: hipblasLtMatrixLayout_t, pref: hipblasLtMatmulPreference_t, requestedAlgoCount: c_int, heuristicResultsArray: *mut hipblasLtMatmulHeuristicResult_t, returnAlgoCount: *mut c_int) -> hipblasStatus_t;
    hipblasLtMatmulDescCreate "7.1" "7.2" (matmulDesc: *mut hipblasLtMatmulDesc_t, computeType: hipblasComputeType_t, scaleType: hipDataType) -> hipblasStatus_t;
    hipblasLtMatmulDescDestroy "7.1" "7.2" (matmulDesc: hipblasLtMatmulDesc_t) -> hipblasStatus_t;
    hipblasLtMatmulDescGetAttribute "7.1" "7.2" (matmulDesc: hipblasLtMatmulDesc_t, attr: hipblasLtMatmulDescAttributes_t, buf: *mut c_void, sizeInBytes: usize, sizeWritten: *mut usize) -> hipblasStatus_t;
    hipblasLtMatmulDescSetAttribute "7.1" "7.2" (matmulDesc: hipblasLtMatmulDesc_t, attr: hipblasLtMatmulDescAttributes_t, buf: *const c_void, sizeInBytes: usize) -> hipblasStatus_t;
    hipblasLtMatmulPreferenceCreate "7.1" "7.2" (pref: *mut hipblasLtMatmulPreference_t) -> hipblasStatus_t;
    hipblasLtMatmulPreferenceDestroy "7.1" "7.2" (pref: hipblasLtMatmulPreference_t) -> hipblasStatus_t;
    hipblasLtMatmulPreferenceGetAttribute "7.1" "7.2" (pref: hipblasLtMatmulPreference_t, attr: hipblasLtMatmulPreferenceAttributes_t, buf: *mut c_void, sizeInBytes: usize, sizeWritten: *mut usize) -> hipblasStatus_t;
    hipblasLtMatmulPreferenceSetAttribute "7.1" "7.2" (pref: hipblasLtMatmulPreference_t, attr: hipblasLtMatmulPreferenceAttributes_t, buf: *const c_void, sizeInBytes: usize) -> hipblasStatus_t;
    hipblasLtMatrixLayoutCreate "7.1" "7.2" (matLayout: *mut hipblasLtMatrixLayout_t, type_: hipDataType, rows: u64, cols: u64, ld: i64) -> hipblasStatus_t;
    hipblasLtMatrixLayoutDestroy "7.1" "7.2" (matLayout: hipblasLtMatrixLayout_t) -> hipblasStatus_t;
    hipblasLtMatrixLayoutGetAttribute "7.1" "7.2" (matLayout: hipblasLtMatrixLayout_t, attr: hipblasLtMatrixLayoutAttribute_t, buf: *mut c_void, sizeInBytes: usize, sizeWritten: *mut usize) -> hipblasStatus_t;
    hipblasLtMatrixLayoutSetAttribute "7.1" "7.2" (matLayout: hipblasLtMatrixLayout_t, attr: hipblasLtMatrixLayoutAttribute_t, buf: *const c_void, sizeInBytes: usize) -> hipblasStatus_t;
    hipblasLtMatrixTransform "7.1" "7.2" (lightHandle: hipblasLtHandle_t, transformDesc: hipblasLtMatrixTransformDesc_t, alpha: *const c_void, A: *const c_void, Adesc: hipblasLtMatrixLayout_t, beta: *const c_void, B: *const c_void, Bdesc: hipblasLtMatrixLayout_t, C: *mut c_void, Cdesc: hipblasLtMatrixLayout_t, stream: hipStream_t) -> hipblasStatus_t;
    hipblasLtMatrixTransformDescCreate "7.1" "7.2" (transformDesc: *mut hipblasLtMatrixTransformDesc_t, scaleType: hipDataType) -> hipblasStatus_t;
    hipblasLtMatrixTransformDescDestroy "7.1" "7.2" (transformDesc: hipblasLtMatrixTransformDesc_t) -> hipblasStatus_t;
    hipblasLtMatrixTransformDescGetAttribute "7.1" "7.2" (transformDesc: hipblasLtMatrixTransformDesc_t, attr: hipblasLtMatrixTransformDescAttributes_t, buf: *mut c_void, sizeInBytes: usize, sizeWritten: *mut usize) -> hipblasStatus_t;
    hipblasLtMatrixTransformDescSetAttribute "7.1" "7.2" (transformDesc: hipblasLtMatrixTransformDesc_t, attr: hipblasLtMatrixTransformDescAttributes_t, buf: *const c_void, sizeInBytes: usize) -> hipblasStatus_t;
}}
