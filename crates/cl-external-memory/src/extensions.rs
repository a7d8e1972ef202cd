//! The extensions that the layer adds.

use cl_sys::cl_version;
use std::ffi::CStr;

/// An extension that the layer adds.
pub struct Extension {
    /// The name for which programs search.
    pub name: &'static CStr,
    /// By `CL_MAKE_VERSION`.
    pub version: cl_version,
}

/// The extensions of the layer, with the versions of the specification that it implements.
pub const EXTENSIONS: [Extension; 2] = [
    Extension { name: c"cl_khr_external_memory", version: version(1, 0, 1) },
    Extension { name: c"cl_khr_external_memory_dma_buf", version: version(1, 0, 0) },
];

/// `CL_MAKE_VERSION` of cl_version.h.
const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    major << 22 | minor << 12 | patch
}
