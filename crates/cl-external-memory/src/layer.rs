//! What the OpenCL loader asks of a layer: Khronos' layer interface (`cl_layer.h`), as ocl-icd has it since 2.3 and Khronos' loader since 2020.

use cl_sys::*;
use std::ffi::{CStr, c_void};
use std::ptr::null;

use crate::log::log;
use crate::{commands, create, next, preload, queries};

// From cl_layer.h.
const CL_LAYER_API_VERSION: cl_uint = 0x4240;
const CL_LAYER_NAME: cl_uint = 0x4241;
const CL_LAYER_API_VERSION_100: cl_uint = 100;

const NAME: &CStr = c"cl-external-memory: cl_khr_external_memory_dma_buf for AMD's OpenCL";

/// Slots of the loader's table up to the last function that the layer stands in front of.
const SLOTS: usize = 148;

/// The layer's functions in the loader's order. The loader fills empty slots with the next layer's functions, so what the layer does not want to see never comes here.
#[repr(transparent)]
struct Table([*const c_void; SLOTS]);

// SAFETY: addresses of functions, that nobody writes to.
unsafe impl Sync for Table {}

static TABLE: Table = {
    let mut slots = [null(); SLOTS];
    slots[1] = queries::clGetPlatformInfo as *const c_void;
    slots[3] = queries::clGetDeviceInfo as *const c_void;
    slots[20] = queries::clGetMemObjectInfo as *const c_void;
    slots[21] = queries::clGetImageInfo as *const c_void;
    slots[42] = commands::clGetEventInfo as *const c_void;
    slots[43] = commands::clRetainEvent as *const c_void;
    slots[44] = commands::clReleaseEvent as *const c_void;
    slots[65] = queries::clGetExtensionFunctionAddress as *const c_void;
    slots[107] = queries::clGetExtensionFunctionAddressForPlatform as *const c_void;
    slots[146] = create::clCreateBufferWithProperties as *const c_void;
    slots[147] = create::clCreateImageWithProperties as *const c_void;
    Table(slots)
};

/// The table of a layer that sees no call.
static NOTHING: Table = Table([null(); SLOTS]);

/// Answers what the loader asks before it takes the layer: the interface's version, and the layer's name.
///
/// # Safety
/// `value` is null or valid for `size` bytes, `needed` null or valid for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetLayerInfo(name: cl_uint, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int {
    // SAFETY: as promised by the caller.
    unsafe {
        match name {
            CL_LAYER_API_VERSION => queries::answer(&CL_LAYER_API_VERSION_100.to_ne_bytes(), size, value, needed),
            CL_LAYER_NAME => queries::answer(NAME.to_bytes_with_nul(), size, value, needed),
            _ => CL_INVALID_VALUE,
        }
    }
}

/// Puts the layer in front of the functions of `target`, which has `entries` slots, and gives the loader the layer's own.
///
/// # Safety
/// `target` is valid for `entries` slots of the loader's order for as long as the process runs; the other pointers are null or valid for one value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clInitLayer(
    entries: cl_uint,
    target: *const *mut c_void,
    entries_of_layer: *mut cl_uint,
    layer: *mut *const c_void,
) -> cl_int {
    if target.is_null() || entries_of_layer.is_null() || layer.is_null() {
        return CL_INVALID_VALUE;
    }
    let table = if preload::is_active() {
        log!("preloaded already, so not used as a layer too");
        &NOTHING
    } else {
        for next in next::FUNCTIONS.iter().filter(|next| next.slot < entries as usize) {
            // SAFETY: the slot is in the table.
            next.take(unsafe { *target.add(next.slot) });
        }
        log!("used as a layer of a loader with {entries} functions");
        &TABLE
    };
    // SAFETY: not null, and valid as promised by the caller.
    unsafe {
        *entries_of_layer = SLOTS as cl_uint;
        *layer = (&raw const *table).cast();
    }
    CL_SUCCESS
}

/// [`clInitLayer`] of Khronos' loaders from 2024 on. The layer has no properties.
///
/// # Safety
/// As for [`clInitLayer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clInitLayerWithProperties(
    entries: cl_uint,
    target: *const *mut c_void,
    entries_of_layer: *mut cl_uint,
    layer: *mut *const c_void,
    _properties: *const c_void,
) -> cl_int {
    // SAFETY: as promised by the caller.
    unsafe { clInitLayer(entries, target, entries_of_layer, layer) }
}

/// The loader is done with the layer. What AMD's OpenCL gives back later still comes here, so the layer keeps all it has.
#[unsafe(no_mangle)]
pub extern "C" fn clDeinitLayer() -> cl_int {
    CL_SUCCESS
}
