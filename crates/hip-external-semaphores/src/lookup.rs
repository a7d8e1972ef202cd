//! Returns this library's functions to programs that look HIP's functions up by name.

use crate::functions::*;
use crate::graphs::*;
use crate::next;
use bundled_preload::dlsym::{for_program, object_of};
use hip_sys::*;
use std::ffi::{CStr, c_char, c_int, c_void};

/// The functions that stand in front of HIP's.
const IN_FRONT: [(&CStr, *const c_void); 8] = [
    (c"hipImportExternalSemaphore", hipImportExternalSemaphore as *const c_void),
    (c"hipSignalExternalSemaphoresAsync", hipSignalExternalSemaphoresAsync as *const c_void),
    (c"hipWaitExternalSemaphoresAsync", hipWaitExternalSemaphoresAsync as *const c_void),
    (c"hipDestroyExternalSemaphore", hipDestroyExternalSemaphore as *const c_void),
    (c"hipGraphAddExternalSemaphoresSignalNode", hipGraphAddExternalSemaphoresSignalNode as *const c_void),
    (c"hipGraphAddExternalSemaphoresWaitNode", hipGraphAddExternalSemaphoresWaitNode as *const c_void),
    (c"hipGraphAddNode", hipGraphAddNode as *const c_void),
    (c"hipGetProcAddress", hipGetProcAddress as *const c_void),
];

bundled_preload::interpose_dlsym!(answer);

fn own(name: &CStr) -> Option<*mut c_void> {
    IN_FRONT.iter().find(|(known, _)| *known == name).map(|(_, own)| own.cast_mut())
}

fn answer(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    let own = own(name)?;
    if handle == libc::RTLD_DEFAULT {
        // Where no library of HIP's is there, the lookup is to fail, and `dlerror` to say so.
        // SAFETY: a number that stands for the libraries behind.
        return Some(if next::find(name).is_some() { own } else { unsafe { for_program(libc::RTLD_NEXT, name) } });
    }
    // SAFETY: the handle is the program's.
    let found = unsafe { for_program(handle, name) };
    let file = object_of(found.addr()).map(CStr::to_bytes).unwrap_or_default();
    let is_hips = file.rsplit(|byte| *byte == b'/').next().is_some_and(|file| file.starts_with(b"libamdhip64.so"));
    Some(if is_hips { own } else { found })
}

/// Returns this library's functions instead of HIP's.
///
/// # Safety
/// That of HIP's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGetProcAddress(
    name: *const c_char,
    found: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut hipDriverProcAddressQueryResult,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    let code = unsafe { next::hipGetProcAddress(name, found, version, flags, status) };
    if code == hipError_t::hipSuccess && !name.is_null() && !found.is_null() {
        // SAFETY: HIP has taken both for what they are.
        unsafe {
            if let Some(own) = own(CStr::from_ptr(name)).filter(|_| !(*found).is_null()) {
                *found = own;
            }
        }
    }
    code
}
