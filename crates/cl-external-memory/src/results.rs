//! The results of OpenCL's functions: errors of new objects, and answers to queries.

use cl_sys::*;
use std::ffi::c_void;
use std::ptr::null_mut;

/// No object, and why.
pub fn fail(error: *mut cl_int, code: cl_int) -> cl_mem {
    if !error.is_null() {
        // SAFETY: OpenCL has the caller pass null or a pointer to one code.
        unsafe { *error = code };
    }
    null_mut()
}

/// Reads one value of an object through an OpenCL query function.
///
/// # Safety
/// `T` is the type of the value that is asked for, and all zeros are one.
pub unsafe fn value<T: Copy>(ask: impl FnOnce(usize, *mut c_void, *mut usize) -> cl_int) -> Result<T, cl_int> {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    match ask(size_of::<T>(), value.as_mut_ptr().cast(), null_mut()) {
        // SAFETY: zeros or what was written, both of which are values as promised.
        CL_SUCCESS => Ok(unsafe { value.assume_init() }),
        code => Err(code),
    }
}

/// Reads a list or a text through an OpenCL query function.
///
/// # Safety
/// `T` is the type of the values that are asked for.
pub unsafe fn list<T: Copy + Default>(
    ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int,
) -> Result<Vec<T>, cl_int> {
    let mut bytes = 0;
    match ask(0, null_mut(), &mut bytes) {
        CL_SUCCESS => {}
        code => return Err(code),
    }
    let mut values = Vec::new();
    // Whatever the implementation says.
    values.try_reserve_exact(bytes / size_of::<T>()).map_err(|_| CL_OUT_OF_HOST_MEMORY)?;
    values.resize(bytes / size_of::<T>(), T::default());
    match ask(size_of_val(&values[..]), values.as_mut_ptr().cast(), null_mut()) {
        CL_SUCCESS => Ok(values),
        code => Err(code),
    }
}

/// Answers a query as OpenCL's functions do.
///
/// # Safety
/// `value` is null or valid for `size` bytes, `needed` null or valid for one number.
pub unsafe fn answer(bytes: &[u8], size: usize, value: *mut c_void, needed: *mut usize) -> cl_int {
    if !value.is_null() && size < bytes.len() {
        return CL_INVALID_VALUE;
    }
    // SAFETY: as promised by the caller; it is long enough.
    unsafe {
        if !value.is_null() {
            value.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        if !needed.is_null() {
            *needed = bytes.len();
        }
    }
    CL_SUCCESS
}
