//! The layer for loaders that know no layers: preloaded, its functions stand in front of the loader's.
//!
//! Programs that are linked with `libOpenCL` find the exported functions of this library by themselves. Those that load it find them by [`dlsym`].
//! As a layer the library is loaded for the loader alone, and nobody finds what it exports.

use bundled_preload::dlsym::{find, for_program, next as behind, object_of, or_forget_error};
use std::ffi::{CStr, c_void};
use std::ptr::null;
use std::sync::OnceLock;

use crate::layer::{self, IN_FRONT};
use crate::next;

bundled_preload::interpose_dlsym!(answer);

/// Whether the library was preloaded: then the whole program finds its functions.
pub fn is_active() -> bool {
    static ACTIVE: OnceLock<bool> = OnceLock::new();
    *ACTIVE.get_or_init(|| {
        // Not `RTLD_DEFAULT`, which finds the caller's own functions too, whoever loaded it. The handle is the program's, which is never unloaded.
        // SAFETY: null stands for the program.
        let program = unsafe { libc::dlopen(null(), libc::RTLD_LAZY) };
        let own: unsafe extern "C" fn(_, _, _, _) -> _ = layer::clGetLayerInfo;
        // SAFETY: it was just opened.
        let found = unsafe { find(program, c"clGetLayerInfo") };
        found.is_some_and(|found| std::ptr::eq(found, own as *const c_void))
    })
}

/// The loader's function of this name: of a library behind this one, or of a loader that was loaded for somebody else alone, as the modules of interpreters do.
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

fn answer(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // Most lookups are not of these functions.
    let own = IN_FRONT.iter().find(|front| front.name == name)?.function;
    if handle == libc::RTLD_DEFAULT {
        // Where no loader is there, the lookup is to fail, and `dlerror` to say so.
        return Some(match next(name) {
            Some(_) => own.cast_mut(),
            // SAFETY: a number that stands for the libraries behind.
            None => unsafe { for_program(libc::RTLD_NEXT, name) },
        });
    }
    // SAFETY: the handle is the program's.
    let found = unsafe { for_program(handle, name) };
    // The loader looks up functions of the same names in the implementations' libraries.
    let stands_behind = !found.is_null() && is_loaders(found) && {
        let next = next::FUNCTIONS.iter().find(|next| next.name == name);
        next.is_some_and(|next| next.take(found) == found)
    };
    Some(if stands_behind { own.cast_mut() } else { found })
}

/// Whether a function is of an OpenCL loader.
fn is_loaders(function: *mut c_void) -> bool {
    let file = object_of(function.addr()).map(CStr::to_bytes);
    let name = file.and_then(|file| file.rsplit(|byte| *byte == b'/').next());
    name.is_some_and(|name| name.starts_with(b"libOpenCL.so"))
}
