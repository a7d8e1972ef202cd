//! The layer for loaders without layers: when preloaded, its functions replace the loader's.
//!
//! Programs that are linked with `libOpenCL` find the exported functions of this library by themselves. Those that load
//! it find them by [`dlsym`]. As a layer the library is loaded for the loader alone, and nobody finds what it exports.

use std::ffi::{CStr, c_void};

use crate::functions::OPENCL;

interposition::interpose_dlsym!(lookup);

fn lookup(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the handle is the program's.
    unsafe { OPENCL.lookup(handle, name) }
}
