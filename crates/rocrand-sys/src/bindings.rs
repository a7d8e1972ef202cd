// Written by `cargo xtask bindgen` from the headers that bindings.txt names; do not edit.
#![allow(missing_docs, nonstandard_style, unused_imports, clippy::all)]
use crate::*;
use core::ffi::*;
pub const ROCRAND_DEFAULT_MAX_BLOCK_SIZE: u32 = 256;
pub const ROCRAND_VERSION: u32 = 400200;
pub type __half = c_ushort;
pub type half = __half;
pub type rocrand_discrete_distribution = *mut rocrand_discrete_distribution_st;
pub type rocrand_generator = *mut rocrand_generator_base_type;
c_enums! {
    rocrand_direction_vector_set: c_uint {
        ROCRAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
        ROCRAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
        ROCRAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
        ROCRAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104,
    }
    rocrand_ordering: c_uint {
        ROCRAND_ORDERING_PSEUDO_BEST = 100,
        ROCRAND_ORDERING_PSEUDO_DEFAULT = 101,
        ROCRAND_ORDERING_PSEUDO_SEEDED = 102,
        ROCRAND_ORDERING_PSEUDO_LEGACY = 103,
        ROCRAND_ORDERING_PSEUDO_DYNAMIC = 104,
        ROCRAND_ORDERING_QUASI_DEFAULT = 201,
    }
    rocrand_rng_type: c_uint {
        ROCRAND_RNG_PSEUDO_DEFAULT = 400,
        ROCRAND_RNG_PSEUDO_XORWOW = 401,
        ROCRAND_RNG_PSEUDO_MRG32K3A = 402,
        ROCRAND_RNG_PSEUDO_MTGP32 = 403,
        ROCRAND_RNG_PSEUDO_PHILOX4_32_10 = 404,
        ROCRAND_RNG_PSEUDO_MRG31K3P = 405,
        ROCRAND_RNG_PSEUDO_LFSR113 = 406,
        ROCRAND_RNG_PSEUDO_MT19937 = 407,
        ROCRAND_RNG_PSEUDO_THREEFRY2_32_20 = 408,
        ROCRAND_RNG_PSEUDO_THREEFRY2_64_20 = 409,
        ROCRAND_RNG_PSEUDO_THREEFRY4_32_20 = 410,
        ROCRAND_RNG_PSEUDO_THREEFRY4_64_20 = 411,
        ROCRAND_RNG_QUASI_DEFAULT = 500,
        ROCRAND_RNG_QUASI_SOBOL32 = 501,
        ROCRAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 502,
        ROCRAND_RNG_QUASI_SOBOL64 = 504,
        ROCRAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 505,
    }
    #[must_use = "it says whether the call succeeded"]
    rocrand_status: c_uint {
        ROCRAND_STATUS_SUCCESS = 0,
        ROCRAND_STATUS_VERSION_MISMATCH = 100,
        ROCRAND_STATUS_NOT_CREATED = 101,
        ROCRAND_STATUS_ALLOCATION_FAILED = 102,
        ROCRAND_STATUS_TYPE_ERROR = 103,
        ROCRAND_STATUS_OUT_OF_RANGE = 104,
        ROCRAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
        ROCRAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
        ROCRAND_STATUS_LAUNCH_FAILURE = 107,
        ROCRAND_STATUS_INTERNAL_ERROR = 108,
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocrand_discrete_distribution_st {
    pub size: c_uint,
    pub offset: c_uint,
    pub alias: *mut c_uint,
    pub probability: *mut f64,
    pub cdf: *mut f64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocrand_generator_base_type {
    pub _unused: [u8; 0],
}
zeroed_default! {
    rocrand_discrete_distribution_st,
    rocrand_generator_base_type,
}
