//! Queries that differ with the layer: the extensions of platforms and devices, and the properties of memory objects.

use cl_sys::*;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use crate::extensions::EXTENSIONS;
use crate::functions::next;
use crate::results::{answer, list};
use crate::{commands, objects, platforms};

/// The kinds of handles that can be imported. Images of them are linear.
const HANDLE_TYPES: [cl_external_memory_handle_type_khr; 1] = [CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR];

/// The bytes of values as they lie in memory.
fn bytes<T: Copy>(values: &[T]) -> &[u8] {
    // SAFETY: the values' own bytes; they are of types without padding, numbers and names with versions.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// A list of extensions' names with the layer's behind.
fn with_names(mut text: Vec<u8>) -> Vec<u8> {
    text.truncate(text.iter().position(|byte| *byte == 0).unwrap_or(text.len()));
    while text.last() == Some(&b' ') {
        text.pop();
    }
    for extension in EXTENSIONS {
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend(extension.name.to_bytes());
    }
    text.push(0);
    text
}

/// A list of names with versions, as bytes, with the layer's behind.
fn with_versions(mut listed: Vec<u8>) -> Vec<u8> {
    for extension in EXTENSIONS {
        let mut entry = cl_name_version { version: extension.version, name: [0; 64] };
        for (to, from) in entry.name.iter_mut().zip(extension.name.to_bytes()) {
            *to = *from as c_char;
        }
        listed.extend(bytes(&[entry]));
    }
    listed
}

/// The kind of answer to a query for a platform or device that the layer serves.
#[derive(Clone, Copy)]
enum Added {
    Names,
    Versions,
    HandleTypes,
}

/// # Safety
/// `ask` is one of OpenCL's functions of this kind, for what `added` says; `value` and `needed` as for [`answer`].
unsafe fn added(
    added: Added,
    ask: impl Fn(usize, *mut c_void, *mut usize) -> cl_int,
    (size, value, needed): (usize, *mut c_void, *mut usize),
) -> cl_int {
    // SAFETY: all that is asked for is bytes.
    let before = || unsafe { list::<u8>(&ask) };
    let now = match added {
        Added::Names => before().map(with_names),
        // An OpenCL that has no such query says so.
        Added::Versions => before().map(with_versions),
        Added::HandleTypes => Ok(bytes(&HANDLE_TYPES).to_vec()),
    };
    match now {
        // SAFETY: as promised by the caller.
        Ok(now) => unsafe { answer(&now, size, value, needed) },
        Err(code) => code,
    }
}

/// OpenCL's function, with the extension where the layer adds it.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn platform_info(
    platform: cl_platform_id,
    name: cl_platform_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    let kind = match name {
        CL_PLATFORM_EXTENSIONS => Some(Added::Names),
        CL_PLATFORM_EXTENSIONS_WITH_VERSION => Some(Added::Versions),
        CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => Some(Added::HandleTypes),
        _ => None,
    };
    // SAFETY: as promised by the caller.
    unsafe {
        let ask = |size, value, needed| next::clGetPlatformInfo(platform, name, size, value, needed);
        match kind.filter(|_| platforms::of_platform(platform).is_some()) {
            Some(kind) => added(kind, ask, (size, value, needed)),
            None => ask(size, value, needed),
        }
    }
}

/// OpenCL's function, with the extension where the layer adds it.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn device_info(
    device: cl_device_id,
    name: cl_device_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    let kind = match name {
        CL_DEVICE_EXTENSIONS => Some(Added::Names),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => Some(Added::Versions),
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR
        | CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR => Some(Added::HandleTypes),
        _ => None,
    };
    // SAFETY: as promised by the caller.
    unsafe {
        let ask = |size, value, needed| next::clGetDeviceInfo(device, name, size, value, needed);
        match kind.filter(|_| platforms::of_device(device).is_some()) {
            Some(kind) => added(kind, ask, (size, value, needed)),
            None => ask(size, value, needed),
        }
    }
}

/// OpenCL's function, which for objects of dma-bufs knows the properties that they were made with.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn mem_object_info(
    memory: cl_mem,
    name: cl_mem_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    let object = match name {
        CL_MEM_PROPERTIES | CL_MEM_ASSOCIATED_MEMOBJECT => objects::find(memory),
        _ => None,
    };
    // SAFETY: as promised by the caller.
    unsafe {
        match object {
            Some(object) if name == CL_MEM_PROPERTIES => answer(bytes(&object.properties), size, value, needed),
            // The buffer below an image is the layer's own.
            Some(object) if object.image => answer(bytes(&[0usize]), size, value, needed),
            _ => next::clGetMemObjectInfo(memory, name, size, value, needed),
        }
    }
}

/// OpenCL's function, which does not name the buffer below an image of a dma-buf.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn image_info(
    image: cl_mem,
    name: cl_image_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    // SAFETY: as promised by the caller.
    unsafe {
        match name {
            CL_IMAGE_BUFFER if objects::find(image).is_some() => answer(bytes(&[0usize]), size, value, needed),
            _ => next::clGetImageInfo(image, name, size, value, needed),
        }
    }
}

/// A function of the extension.
///
/// # Safety
/// `name` is null or a C string.
unsafe fn function(name: *const c_char) -> Option<*mut c_void> {
    if name.is_null() {
        return None;
    }
    // SAFETY: as promised by the caller.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"clEnqueueAcquireExternalMemObjectsKHR" => Some(commands::acquire as commands::Enqueue as *mut c_void),
        b"clEnqueueReleaseExternalMemObjectsKHR" => Some(commands::release as commands::Enqueue as *mut c_void),
        _ => None,
    }
}

/// OpenCL's function, which finds those of the extension where the layer adds it.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn extension_function_for_platform(platform: cl_platform_id, name: *const c_char) -> *mut c_void {
    // SAFETY: as promised by the caller.
    unsafe {
        match function(name).filter(|_| platforms::of_platform(platform).is_some()) {
            Some(function) => function,
            None => next::clGetExtensionFunctionAddressForPlatform(platform, name),
        }
    }
}

/// OpenCL's function, which finds those of the extension if a platform is there to which the layer adds it. They work
/// on the queues of all platforms.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn extension_function(name: *const c_char) -> *mut c_void {
    // SAFETY: as promised by the caller.
    unsafe {
        match function(name).filter(|_| any_platform()) {
            Some(function) => function,
            None => next::clGetExtensionFunctionAddress(name),
        }
    }
}

/// Whether the layer adds the extension to any platform.
fn any_platform() -> bool {
    let mut count = 0;
    // SAFETY: only the number is asked for.
    if unsafe { next::clGetPlatformIDs(0, null_mut(), &mut count) } != CL_SUCCESS {
        return false;
    }
    let mut found = vec![null_mut(); count as usize];
    // SAFETY: a place for so many.
    let code = unsafe { next::clGetPlatformIDs(count, found.as_mut_ptr(), null_mut()) };
    // SAFETY: platforms, or null where there are fewer now.
    code == CL_SUCCESS && found.into_iter().any(|platform| unsafe { platforms::of_platform(platform) }.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_added_once_and_separated_by_one_space() {
        for (before, after) in [
            (&b""[..], "cl_khr_external_memory cl_khr_external_memory_dma_buf\0"),
            (b"\0", "cl_khr_external_memory cl_khr_external_memory_dma_buf\0"),
            (b"cl_khr_a cl_khr_b \0", "cl_khr_a cl_khr_b cl_khr_external_memory cl_khr_external_memory_dma_buf\0"),
            (b"cl_khr_a", "cl_khr_a cl_khr_external_memory cl_khr_external_memory_dma_buf\0"),
        ] {
            assert_eq!(String::from_utf8(with_names(before.to_vec())).expect("text"), after);
        }
    }

    #[test]
    fn an_answer_that_does_not_fit_is_refused_and_writes_nothing() {
        let mut place = [7u8; 8];
        let mut needed = 99;
        let value = place.as_mut_ptr().cast::<c_void>();
        // SAFETY: places of this function's, and their sizes.
        unsafe {
            assert_eq!(answer(&[1, 2, 3], 2, value, &mut needed), CL_INVALID_VALUE);
            assert_eq!((place, needed), ([7; 8], 99));
            let value = place.as_mut_ptr().cast::<c_void>();
            assert_eq!(answer(&[1, 2, 3], 3, value, &mut needed), CL_SUCCESS);
            assert_eq!((place, needed), ([1, 2, 3, 7, 7, 7, 7, 7], 3));
            assert_eq!(answer(&[1, 2, 3, 4], 0, null_mut(), &mut needed), CL_SUCCESS);
            assert_eq!(needed, 4);
            assert_eq!(answer(&[1], 0, null_mut(), null_mut()), CL_SUCCESS);
        }
    }

    #[test]
    fn versions_are_those_of_the_specification() {
        let listed = with_versions(Vec::new());
        assert_eq!(listed.len(), 2 * 68);
        assert_eq!(listed[..4], (1u32 << 22 | 1).to_ne_bytes());
        assert_eq!(listed[68..72], (1u32 << 22).to_ne_bytes());
        assert_eq!(&listed[4..27], b"cl_khr_external_memory\0");
    }
}
