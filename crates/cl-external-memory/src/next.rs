//! The functions that this layer forwards to: those of the next layer, or of the loader itself.

use cl_sys::*;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::loader;

/// The callback of AMD's OpenCL when a memory object is freed.
pub type Destructor = unsafe extern "C" fn(memory: cl_mem, data: *mut c_void);

/// A function that this layer forwards to.
pub struct Next {
    /// The OpenCL name of the function.
    pub name: &'static CStr,
    /// The place in the loader's table.
    pub slot: usize,
    /// Null as long as it is not known.
    address: AtomicPtr<c_void>,
}

impl Next {
    /// Stores the address, unless one is stored already. Returns the stored one.
    pub fn take(&self, address: *mut c_void) -> *mut c_void {
        match self.address.compare_exchange(null_mut(), address, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => address,
            Err(first) => first,
        }
    }

    /// The address; null if there is no such function.
    fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Acquire);
        if !known.is_null() || !loader::is_active() {
            return known;
        }
        loader::next(self.name).map_or(null_mut(), |found| self.take(found))
    }
}

/// Defines how each function is called. After a function's name is its slot in the loader's table (`cl_icd_dispatch` of
/// Khronos' `cl_icd.h`), and after `else` the result if the function is missing.
macro_rules! functions {
    ($($name:ident $slot:literal ($($argument:ident: $type:ty),*) -> $result:ty, else $missing:expr;)*) => {
        #[allow(non_camel_case_types, clippy::enum_variant_names, reason = "OpenCL's names")]
        enum Index { $($name),* }

        /// All of them.
        pub static FUNCTIONS: [Next; [$($slot),*].len()] = [$(Next {
            name: match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("no zero in a name"),
            },
            slot: $slot,
            address: AtomicPtr::new(null_mut()),
        }),*];

        $(
            /// # Safety
            /// That of OpenCL's function.
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub unsafe fn $name($($argument: $type),*) -> $result {
                let address = FUNCTIONS[Index::$name as usize].address();
                if address.is_null() {
                    return $missing;
                }
                // SAFETY: the function of this name, or in this slot, has this type.
                let next = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $result>(address) };
                // SAFETY: as promised by the caller.
                unsafe { next($($argument),*) }
            }
        )*
    };
}

functions! {
    clGetPlatformIDs 0 (count: cl_uint, platforms: *mut cl_platform_id, found: *mut cl_uint) -> cl_int, else CL_INVALID_OPERATION;
    clGetPlatformInfo 1 (platform: cl_platform_id, name: cl_platform_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    clGetDeviceInfo 3 (device: cl_device_id, name: cl_device_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    clGetContextInfo 8 (context: cl_context, name: cl_context_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    clGetCommandQueueInfo 12 (queue: cl_command_queue, name: cl_command_queue_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    clCreateBuffer 14 (context: cl_context, flags: cl_mem_flags, size: usize, host: *mut c_void, error: *mut cl_int) -> cl_mem, else null_mut();
    clReleaseMemObject 18 (memory: cl_mem) -> cl_int, else CL_INVALID_OPERATION;
    clGetMemObjectInfo 20 (memory: cl_mem, name: cl_mem_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    clGetImageInfo 21 (image: cl_mem, name: cl_image_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    clGetEventInfo 42 (event: cl_event, name: cl_event_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    clRetainEvent 43 (event: cl_event) -> cl_int, else CL_INVALID_OPERATION;
    clReleaseEvent 44 (event: cl_event) -> cl_int, else CL_INVALID_OPERATION;
    clFlush 46 (queue: cl_command_queue) -> cl_int, else CL_INVALID_OPERATION;
    clGetExtensionFunctionAddress 65 (name: *const c_char) -> *mut c_void, else null_mut();
    clSetMemObjectDestructorCallback 83 (memory: cl_mem, callback: Option<Destructor>, data: *mut c_void) -> cl_int, else CL_INVALID_OPERATION;
    clCreateImage 96 (context: cl_context, flags: cl_mem_flags, format: *const cl_image_format, description: *const cl_image_desc, host: *mut c_void, error: *mut cl_int) -> cl_mem, else null_mut();
    clEnqueueMarkerWithWaitList 105 (queue: cl_command_queue, count: cl_uint, events: *const cl_event, event: *mut cl_event) -> cl_int, else CL_INVALID_OPERATION;
    clGetExtensionFunctionAddressForPlatform 107 (platform: cl_platform_id, name: *const c_char) -> *mut c_void, else null_mut();
    clCreateBufferWithProperties 146 (context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: usize, host: *mut c_void, error: *mut cl_int) -> cl_mem, else fail(error, CL_INVALID_OPERATION);
    clCreateImageWithProperties 147 (context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, format: *const cl_image_format, description: *const cl_image_desc, host: *mut c_void, error: *mut cl_int) -> cl_mem, else fail(error, CL_INVALID_OPERATION);
}

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
