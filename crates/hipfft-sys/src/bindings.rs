// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const HIPFFT_BACKWARD: u32 = 1;
pub const HIPFFT_FORWARD: i32 = -1;
pub const MAX_HIP_DESCRIPTOR_GPUS: u32 = 64;
pub const hipfftVersionMajor: u32 = 1;
pub const hipfftVersionMinor: u32 = 0;
pub const hipfftVersionPatch: u32 = 22;
pub type hipLibXtDesc = hipLibXtDesc_t;
pub type hipXtDesc = hipXtDesc_t;
pub type hipfftCallbackLoadC = Option<unsafe extern "C" fn(dataIn: *mut c_void, offset: usize, callerInfo: *mut c_void, sharedPointer: *mut c_void) -> hipfftComplex>;
pub type hipfftCallbackLoadD = Option<unsafe extern "C" fn(dataIn: *mut c_void, offset: usize, callerInfo: *mut c_void, sharedPointer: *mut c_void) -> hipfftDoubleReal>;
pub type hipfftCallbackLoadR = Option<unsafe extern "C" fn(dataIn: *mut c_void, offset: usize, callerInfo: *mut c_void, sharedPointer: *mut c_void) -> hipfftReal>;
pub type hipfftCallbackLoadZ = Option<unsafe extern "C" fn(dataIn: *mut c_void, offset: usize, callerInfo: *mut c_void, sharedPointer: *mut c_void) -> hipfftDoubleComplex>;
pub type hipfftCallbackStoreC = Option<unsafe extern "C" fn(dataOut: *mut c_void, offset: usize, element: hipfftComplex, callerInfo: *mut c_void, sharedPointer: *mut c_void)>;
pub type hipfftCallbackStoreD = Option<unsafe extern "C" fn(dataOut: *mut c_void, offset: usize, element: hipfftDoubleReal, callerInfo: *mut c_void, sharedPointer: *mut c_void)>;
pub type hipfftCallbackStoreR = Option<unsafe extern "C" fn(dataOut: *mut c_void, offset: usize, element: hipfftReal, callerInfo: *mut c_void, sharedPointer: *mut c_void)>;
pub type hipfftCallbackStoreZ = Option<unsafe extern "C" fn(dataOut: *mut c_void, offset: usize, element: hipfftDoubleComplex, callerInfo: *mut c_void, sharedPointer: *mut c_void)>;
pub type hipfftComplex = hipComplex;
pub type hipfftDoubleComplex = hipDoubleComplex;
pub type hipfftDoubleReal = f64;
pub type hipfftHandle = *mut hipfftHandle_t;
pub type hipfftLibraryPropertyType = hipfftLibraryPropertyType_t;
pub type hipfftReal = f32;
pub type hipfftResult = hipfftResult_t;
pub type hipfftType = hipfftType_t;
pub type hipfftXtCallbackType = hipfftXtCallbackType_t;
pub type hipfftXtCopyType = hipfftXtCopyType_t;
pub type hipfftXtSubFormat = hipfftXtSubFormat_t;
pub type hiplibFormat = hiplibFormat_t;
c_enums! {
    hipfftLibraryPropertyType_t: c_uint {
        HIPFFT_MAJOR_VERSION = 0,
        HIPFFT_MINOR_VERSION = 1,
        HIPFFT_PATCH_LEVEL = 2,
    }
    #[must_use = "it says whether the call succeeded"]
    hipfftResult_t: c_uint {
        HIPFFT_SUCCESS = 0,
        HIPFFT_INVALID_PLAN = 1,
        HIPFFT_ALLOC_FAILED = 2,
        HIPFFT_INVALID_TYPE = 3,
        HIPFFT_INVALID_VALUE = 4,
        HIPFFT_INTERNAL_ERROR = 5,
        HIPFFT_EXEC_FAILED = 6,
        HIPFFT_SETUP_FAILED = 7,
        HIPFFT_INVALID_SIZE = 8,
        HIPFFT_UNALIGNED_DATA = 9,
        HIPFFT_INCOMPLETE_PARAMETER_LIST = 10,
        HIPFFT_INVALID_DEVICE = 11,
        HIPFFT_PARSE_ERROR = 12,
        HIPFFT_NO_WORKSPACE = 13,
        HIPFFT_NOT_IMPLEMENTED = 14,
        HIPFFT_NOT_SUPPORTED = 16,
    }
    hipfftType_t: c_uint {
        HIPFFT_R2C = 42,
        HIPFFT_C2R = 44,
        HIPFFT_C2C = 41,
        HIPFFT_D2Z = 106,
        HIPFFT_Z2D = 108,
        HIPFFT_Z2Z = 105,
    }
    hipfftXtCallbackType_t: c_uint {
        HIPFFT_CB_LD_COMPLEX = 0,
        HIPFFT_CB_LD_COMPLEX_DOUBLE = 1,
        HIPFFT_CB_LD_REAL = 2,
        HIPFFT_CB_LD_REAL_DOUBLE = 3,
        HIPFFT_CB_ST_COMPLEX = 4,
        HIPFFT_CB_ST_COMPLEX_DOUBLE = 5,
        HIPFFT_CB_ST_REAL = 6,
        HIPFFT_CB_ST_REAL_DOUBLE = 7,
        HIPFFT_CB_UNDEFINED = 8,
    }
    hipfftXtCopyType_t: c_uint {
        HIPFFT_COPY_HOST_TO_DEVICE = 0,
        HIPFFT_COPY_DEVICE_TO_HOST = 1,
        HIPFFT_COPY_DEVICE_TO_DEVICE = 2,
        HIPFFT_COPY_UNDEFINED = 3,
    }
    hipfftXtSubFormat_t: c_uint {
        HIPFFT_XT_FORMAT_INPUT = 0,
        HIPFFT_XT_FORMAT_OUTPUT = 1,
        HIPFFT_XT_FORMAT_INPLACE = 2,
        HIPFFT_XT_FORMAT_INPLACE_SHUFFLED = 3,
        HIPFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 4,
        HIPFFT_FORMAT_UNDEFINED = 5,
    }
    hiplibFormat_t: c_uint {
        HIPLIB_FORMAT_HIPFFT = 0,
        HIPLIB_FORMAT_UNDEFINED = 1,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipLibXtDesc_t {
    pub version: c_int,
    pub descriptor: *mut hipXtDesc,
    pub library: hiplibFormat,
    pub subFormat: c_int,
    pub libDescriptor: *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipXtDesc_t {
    pub version: c_int,
    pub nGPUs: c_int,
    pub GPUs: [c_int; 64],
    pub data: [*mut c_void; 64],
    pub size: [usize; 64],
    pub hipXtState: *mut c_void,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipfftHandle_t {
    pub _unused: [u8; 0],
}
zeroed_default! {
    hipLibXtDesc_t,
    hipXtDesc_t,
    hipfftHandle_t,
}
