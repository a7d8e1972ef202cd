//! The OpenCL loader that this library forwards to, and whether the whole program resolves functions to this library
//! first.

use bundled_preload::dlsym::{find, next as behind, object_of, or_forget_error};
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

/// The loader's function of this name, in a library after this one in the search order, or in a loader with local
/// scope, as the modules of interpreters load it.
pub fn next(name: &CStr) -> Option<*mut c_void> {
    behind(name).or_else(|| {
        // SAFETY: only a library that is there already is opened.
        let loader = unsafe { libc::dlopen(c"libOpenCL.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        // The handle is kept, and with it the library whose functions are.
        let loader = or_forget_error(loader)?;
        // SAFETY: it was just opened.
        unsafe { find(loader, name) }
    })
}
