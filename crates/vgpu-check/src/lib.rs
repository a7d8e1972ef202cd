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
/// From the first piece on, an access to the allocation outside of all pieces is `out-of-bounds`, so declare every
/// piece that kernels use. An access that lands in another piece is not found: leave at least 16 bytes between pieces.
/// Under `--only init` the piece begins uninitialised. It replaces a piece at the same place. All pieces end with the
/// allocation.
///
/// # Safety
/// No other code may use the memory during the call, and its content must not be needed: it may be overwritten.
pub unsafe fn allocated(start: *const c_void, bytes: usize) {
    if let Some(allocated) = device!(c"vgpu_check_allocated", unsafe extern "C" fn(*const c_void, usize)) {
        // SAFETY: as the caller promises.
        unsafe { allocated(start, bytes) };
    }
}

/// Declares that the piece at `start` was returned to the allocator.
///
/// An access to the piece is `use-after-free` from now on, until the place is handed out again. Therefore the last work
/// that uses the piece must have completed before the call, and not only be submitted.
pub fn freed(start: *const c_void) {
    if let Some(freed) = device!(c"vgpu_check_freed", extern "C" fn(*const c_void)) {
        freed(start);
    }
}

/// Declares that waves synchronise by plain loads and stores of the `bytes` bytes of device memory at `start`, in whole
/// dwords.
///
/// These accesses are no races, and order other accesses as atomics do. The declaration ends with the piece or the
/// allocation. Kernels that run already may not know it.
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
