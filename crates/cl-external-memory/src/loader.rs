//! The OpenCL loader that this library forwards to, and whether the whole program resolves functions to this library
//! first.

use interposition::dlsym::{find, next_or_loaded, object_of};
use std::ffi::{CStr, c_void};
use std::ptr::null;
use std::sync::OnceLock;

/// Whether the library was preloaded: then the whole program finds its functions.
pub fn is_active() -> bool {
    static ACTIVE: OnceLock<bool> = OnceLock::new();
    *ACTIVE.get_or_init(|| {
        // Not `RTLD_DEFAULT`, which finds the caller's own functions too, whoever loaded it. The handle is the
        // program's, which is never unloaded. SAFETY: null stands for the program.
        let program = unsafe { libc::dlopen(null(), libc::RTLD_LAZY) };
        // SAFETY: it was just opened.
        let found = unsafe { find(program, c"clGetLayerInfo") };
        let own: fn() -> bool = is_active;
        found.is_some_and(|found| object_of(found.addr()) == object_of(own as usize))
    })
}

/// The function of this name of the loader that this library is preloaded in front of.
pub fn next(name: &CStr) -> Option<*mut c_void> {
    if is_active() { next_or_loaded(name, "libOpenCL.so") } else { None }
}
