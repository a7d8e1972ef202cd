#![doc = include_str!("../README.md")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

unsafe extern "C" {
    /// From `dlfcn.h`.
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The address of a function of the device, which is loaded in front of programs that run on it. 0: it is not.
fn find(known: &OnceLock<usize>, name: &CStr) -> usize {
    // SAFETY: null is `RTLD_DEFAULT`, and the name ends with a zero.
    *known.get_or_init(|| unsafe { dlsym(null_mut(), name.as_ptr()) }.expose_provenance())
}

/// The device's function of this name, if the program runs on one.
macro_rules! device {
    ($name:literal, $type:ty) => {{
        static KNOWN: OnceLock<usize> = OnceLock::new();
        let address = find(&KNOWN, $name);
        // SAFETY: the device's function of this name has this type. Null is `None`.
        unsafe { std::mem::transmute::<*const c_void, Option<$type>>(std::ptr::with_exposed_provenance(address)) }
    }};
}

/// Declares that an allocator has handed out `bytes` bytes of device memory at `start`, a piece of an allocation.
///
/// From the first piece on, an access to the allocation outside of all pieces is `out-of-bounds`, so what kernels use
/// of it has to be given out. What lands in another piece is not found: leave some bytes between them, 16 or more.
/// Under `--only init` the piece is taken as not written. A piece at the same place is gone, and all go with the
/// allocation.
///
/// # Safety
/// Nobody uses the memory during the call, and nobody needs what it holds: it may be overwritten.
pub unsafe fn allocated(start: *const c_void, bytes: usize) {
    if let Some(allocated) = device!(c"vgpu_check_allocated", unsafe extern "C" fn(*const c_void, usize)) {
        // SAFETY: as the caller promises.
        unsafe { allocated(start, bytes) };
    }
}

/// The allocator takes back the piece at `start`.
///
/// An access to it is `use-after-free` from now on, until the place is given out again. So the last work that uses the
/// piece has to be done, and not only submitted.
pub fn freed(start: *const c_void) {
    if let Some(freed) = device!(c"vgpu_check_freed", extern "C" fn(*const c_void)) {
        freed(start);
    }
}

/// Waves synchronise by plain loads and stores of the `bytes` bytes of device memory at `start`, in whole dwords.
///
/// They are no races, and order what is around them as atomics do. It ends with the piece or the allocation. Kernels
/// that run already may not know it.
pub fn flag(start: *const c_void, bytes: usize) {
    if let Some(flag) = device!(c"vgpu_check_flag", extern "C" fn(*const c_void, usize)) {
        flag(start, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_function_is_found_by_its_name() {
        assert!(device!(c"dlsym", unsafe extern "C" fn()).is_some());
    }

    #[test]
    fn without_a_device_nothing_happens() {
        let memory = [7u8; 16];
        // SAFETY: it is this function's.
        unsafe { allocated(memory.as_ptr().cast(), 16) };
        freed(memory.as_ptr().cast());
        flag(memory.as_ptr().cast(), 16);
        assert_eq!(memory, [7; 16]);
        assert!(device!(c"vgpu_check_flag", extern "C" fn(*const c_void, usize)).is_none());
    }
}
