//! Initialisers of structs, which the header has as macros. RCCL refuses a zeroed struct.
use crate::{NCCL_VERSION_CODE, ncclConfig_t, ncclSimInfo_t};
use core::ffi::c_int;
use core::ptr::null;

/// `NCCL_CONFIG_UNDEF_INT`: RCCL chooses.
pub const NCCL_CONFIG_UNDEF_INT: c_int = c_int::MIN;

/// The initial value of a communicator's configuration: RCCL chooses everything.
pub const NCCL_CONFIG_INITIALIZER: ncclConfig_t = ncclConfig_t {
    size: size_of::<ncclConfig_t>(),
    magic: 0xcafe_beef,
    version: NCCL_VERSION_CODE,
    blocking: NCCL_CONFIG_UNDEF_INT,
    cgaClusterSize: NCCL_CONFIG_UNDEF_INT,
    minCTAs: NCCL_CONFIG_UNDEF_INT,
    maxCTAs: NCCL_CONFIG_UNDEF_INT,
    netName: null(),
    splitShare: NCCL_CONFIG_UNDEF_INT,
    trafficClass: NCCL_CONFIG_UNDEF_INT,
    commName: null(),
    collnetEnable: NCCL_CONFIG_UNDEF_INT,
    CTAPolicy: NCCL_CONFIG_UNDEF_INT,
    shrinkShare: NCCL_CONFIG_UNDEF_INT,
    nvlsCTAs: NCCL_CONFIG_UNDEF_INT,
};

/// The initial value for the result of a simulated group (`ncclGroupSimulateEnd`).
pub const NCCL_SIM_INFO_INITIALIZER: ncclSimInfo_t = ncclSimInfo_t {
    size: size_of::<ncclSimInfo_t>(),
    magic: 0x7468_5283,
    version: NCCL_VERSION_CODE,
    estimatedTime: -1.0,
};
