// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, clippy::all)]
use core::ffi::*;
pub const NCCL_CTA_POLICY_DEFAULT: u32 = 0;
pub const NCCL_CTA_POLICY_EFFICIENCY: u32 = 1;
pub const NCCL_MAJOR: u32 = 2;
pub const NCCL_MINOR: u32 = 27;
pub const NCCL_PATCH: u32 = 7;
pub const NCCL_SHRINK_ABORT: u32 = 1;
pub const NCCL_SHRINK_DEFAULT: u32 = 0;
pub const NCCL_SPLIT_NOCOLOR: i32 = -1;
pub const NCCL_SUFFIX: &[u8; 1] = b"\0";
pub const NCCL_UNDEF_FLOAT: f64 = -1.0;
pub const NCCL_UNIQUE_ID_BYTES: u32 = 128;
pub const NCCL_VERSION_CODE: u32 = 22707;
pub const NCCL_WIN_COLL_SYMMETRIC: u32 = 1;
pub const NCCL_WIN_DEFAULT: u32 = 0;
pub const RCCL_ALLREDUCE_WITH_BIAS: u32 = 1;
pub const RCCL_ALLTOALLV: u32 = 1;
pub const RCCL_BFLOAT16: u32 = 1;
pub const RCCL_FLOAT8: u32 = 1;
pub const RCCL_GATHER_SCATTER: u32 = 1;
pub const RCCL_MULTIRANKPERGPU: u32 = 1;
pub type mscclAlgoHandle_t = c_int;
pub type ncclComm_t = *mut ncclComm;
pub type ncclConfig_t = ncclConfig_v22700;
pub type ncclSimInfo_t = ncclSimInfo_v22200;
pub type ncclWindow_t = *mut ncclWindow;
c_enums! {
    ncclDataType_t: c_uint {
        ncclInt8 = 0,
        ncclChar = 0,
        ncclUint8 = 1,
        ncclInt32 = 2,
        ncclInt = 2,
        ncclUint32 = 3,
        ncclInt64 = 4,
        ncclUint64 = 5,
        ncclFloat16 = 6,
        ncclHalf = 6,
        ncclFloat32 = 7,
        ncclFloat = 7,
        ncclFloat64 = 8,
        ncclDouble = 8,
        ncclBfloat16 = 9,
        ncclFloat8e4m3 = 10,
        ncclFloat8e5m2 = 11,
        ncclNumTypes = 12,
    }
    ncclRedOp_dummy_t: c_uint {
        ncclNumOps_dummy = 5,
    }
    ncclRedOp_t: c_uint {
        ncclSum = 0,
        ncclProd = 1,
        ncclMax = 2,
        ncclMin = 3,
        ncclAvg = 4,
        ncclNumOps = 5,
        ncclMaxRedOp = 2147483647,
    }
    #[must_use = "it says whether the call succeeded"]
    ncclResult_t: c_uint {
        ncclSuccess = 0,
        ncclUnhandledCudaError = 1,
        ncclSystemError = 2,
        ncclInternalError = 3,
        ncclInvalidArgument = 4,
        ncclInvalidUsage = 5,
        ncclRemoteError = 6,
        ncclInProgress = 7,
        ncclNumResults = 8,
    }
    ncclScalarResidence_t: c_uint {
        ncclScalarDevice = 0,
        ncclScalarHostImmediate = 1,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ncclComm {
    pub _unused: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ncclConfig_v22700 {
    pub size: usize,
    pub magic: c_uint,
    pub version: c_uint,
    pub blocking: c_int,
    pub cgaClusterSize: c_int,
    pub minCTAs: c_int,
    pub maxCTAs: c_int,
    pub netName: *const c_char,
    pub splitShare: c_int,
    pub trafficClass: c_int,
    pub commName: *const c_char,
    pub collnetEnable: c_int,
    pub CTAPolicy: c_int,
    pub shrinkShare: c_int,
    pub nvlsCTAs: c_int,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ncclSimInfo_v22200 {
    pub size: usize,
    pub magic: c_uint,
    pub version: c_uint,
    pub estimatedTime: f32,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ncclUniqueId {
    pub internal: [c_char; 128],
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ncclWindow {
    pub _unused: [u8; 0],
}
zeroed_default! {
    ncclComm,
    ncclConfig_v22700,
    ncclSimInfo_v22200,
    ncclUniqueId,
    ncclWindow,
}
