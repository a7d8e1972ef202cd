//! Extra actions at some functions, beyond recording the call.

use super::{dlsym, kernels, packets};
use crate::tables;
use hsa_sys::{hsa_executable_symbol_info_t, hsa_extension_t, hsa_ven_amd_loader_1_03_pfn_t};
use std::ffi::{CStr, c_char, c_void};
use std::mem::offset_of;

/// An action at a function, which gets the words of the arguments.
#[derive(Clone, Copy, Debug)]
pub struct Hook {
    /// Selects calls that are forwarded without a record. Not even the time is read, because that prevents the
    /// processor from overlapping the cache misses of consecutive calls.
    pub quiet: Option<fn(&[u64]) -> bool>,
    /// Before the function is called, with the time at which the call began.
    pub before: Option<fn(&[u64], u64)>,
    /// After it succeeded, with where its result is.
    pub after: Option<fn(&[u64], *mut u8)>,
}

const NONE: Hook = Hook { quiet: None, before: None, after: None };

/// The hook of the function of this name.
pub const fn of(name: &str) -> Hook {
    match name.as_bytes() {
        b"hsa_queue_create" => Hook { after: Some(packets::queue_made), ..NONE },
        b"hsa_queue_destroy" => Hook { before: Some(packets::queue_ends), ..NONE },
        b"hsa_signal_store_relaxed" | b"hsa_signal_store_release" | b"hsa_signal_store_screlease" => {
            Hook { before: Some(packets::signal_stored), ..NONE }
        }
        b"hsa_signal_wait_acquire" | b"hsa_signal_wait_scacquire" | b"hsa_signal_wait_relaxed" => {
            Hook { after: Some(packets::signal_waited), ..NONE }
        }
        b"hsa_amd_profiling_get_dispatch_time" => Hook { after: Some(packets::times_asked), ..NONE },
        b"hsa_code_object_reader_create_from_memory" => Hook { after: Some(kernels::code_read), ..NONE },
        b"hsa_executable_get_symbol_by_name" => Hook { after: Some(kernels::symbol_found), ..NONE },
        b"hsa_executable_symbol_get_info" => {
            Hook { quiet: Some(asks_of_a_variable), after: Some(kernels::symbol_info), ..NONE }
        }
        b"hsa_system_get_major_extension_table" => Hook { after: Some(extension_table), ..NONE },
        b"clGetExtensionFunctionAddress" => Hook { after: Some(extension), ..NONE },
        b"clGetExtensionFunctionAddressForPlatform" => Hook { after: Some(extension_of_platform), ..NONE },
        b"hipGetProcAddress" => Hook { after: Some(hip_address), ..NONE },
        _ => NONE,
    }
}

/// HIP 5.7 asks this of every symbol of a code object for each of its kernels: tens of millions of times for rocBLAS.
#[inline]
fn asks_of_a_variable(arguments: &[u64]) -> bool {
    arguments[1] == u64::from(hsa_executable_symbol_info_t::HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST.0)
}

/// The functions of ROCr's loader, NUL-terminated, with their positions in the table through which programs get them;
/// ROCr exports none of them.
macro_rules! of_the_loader {
    ($($name:ident)*) => {
        [$((concat!(stringify!($name), "\0"), offset_of!(hsa_ven_amd_loader_1_03_pfn_t, $name)),)*]
    };
}
const LOADER: [(&str, usize); 7] = of_the_loader! {
    hsa_ven_amd_loader_query_host_address
    hsa_ven_amd_loader_query_segment_descriptors
    hsa_ven_amd_loader_query_executable
    hsa_ven_amd_loader_executable_iterate_loaded_code_objects
    hsa_ven_amd_loader_loaded_code_object_get_info
    hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size
    hsa_ven_amd_loader_iterate_executables
};

/// A table of `bytes` bytes has been filled, by which the program will call an extension.
fn extension_table(arguments: &[u64], _: *mut u8) {
    let [extension, version, bytes, table] = *arguments else { return };
    if extension != u64::from(hsa_extension_t::HSA_EXTENSION_AMD_LOADER.0) || version != 1 {
        return;
    }
    for (name, offset) in LOADER {
        if (offset + size_of::<*mut c_void>()) as u64 <= bytes {
            replace(name.as_ptr() as u64, (table as usize + offset) as *mut *mut c_void);
        }
    }
}

fn extension(arguments: &[u64], result: *mut u8) {
    replace(arguments[0], result.cast());
}

fn extension_of_platform(arguments: &[u64], result: *mut u8) {
    replace(arguments[1], result.cast());
}

fn hip_address(arguments: &[u64], _: *mut u8) {
    replace(arguments[0], arguments[1] as *mut *mut c_void);
}

/// Puts the wrapper in the place of the function called `name`.
fn replace(name: u64, place: *mut *mut c_void) {
    // SAFETY: the name is a C string, as the library got it or above, and the library gave the address there.
    let (name, found) = unsafe {
        let Some(found) = place.as_mut().filter(|found| !found.is_null()) else { return };
        (CStr::from_ptr(name as *const c_char), found)
    };
    if let Some((id, function)) = tables::find(name) {
        *found = dlsym::wrap(id, function, *found);
    }
}
