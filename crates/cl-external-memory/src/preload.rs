//! The layer for loaders without layers: when preloaded, its functions replace the loader's.
//!
//! Programs that are linked with `libOpenCL` find the exported functions of this library by themselves. Those that load
//! it find them by [`dlsym`]. As a layer the library is loaded for the loader alone, and nobody finds what it exports.

use bundled_preload::dlsym::{for_program, object_of};
use std::ffi::{CStr, c_void};

use crate::layer::IN_FRONT;
use crate::{loader, next};

bundled_preload::interpose_dlsym!(answer);

fn answer(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // Most lookups are not of these functions.
    let own = IN_FRONT.iter().find(|front| front.name == name)?.function;
    if handle == libc::RTLD_DEFAULT {
        // Where no loader is there, the lookup is to fail, and `dlerror` to say so.
        return Some(match loader::next(name) {
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
