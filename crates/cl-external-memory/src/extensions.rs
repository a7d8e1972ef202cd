//! The extensions that the layer adds.

use cl_sys::cl_version;
use std::ffi::CStr;

/// An extension that the layer adds.
pub struct Extension {
    /// As programs look for it.
    pub name: &'static CStr,
    /// By `CL_MAKE_VERSION`.
    pub version: cl_version,
}

/// What the layer adds, in the versions of the specification's revisions that it follows.
pub const EXTENSIONS: [Extension; 2] = [
    Extension { name: c"cl_khr_external_memory", version: version(1, 0, 1) },
    Extension { name: c"cl_khr_external_memory_dma_buf", version: version(1, 0, 0) },
];

/// `CL_MAKE_VERSION` of cl_version.h.
const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    major << 22 | minor << 12 | patch
}
