//! The entry points of an OpenCL layer: Khronos' layer interface (`cl_layer.h`), supported by ocl-icd since 2.3 and by
//! Khronos' loader since 2020.

use bundled_preload::caught;
use cl_sys::*;
use std::ffi::{CStr, c_void};
use std::ptr::null;

use crate::log::log;
use crate::{commands, create, loader, next, queries};

// From cl_layer.h.
const CL_LAYER_API_VERSION: cl_uint = 0x4240;
const CL_LAYER_NAME: cl_uint = 0x4241;
const CL_LAYER_API_VERSION_100: cl_uint = 100;

const NAME: &CStr = c"cl-external-memory: cl_khr_external_memory_dma_buf for AMD's OpenCL";

/// An OpenCL function that the layer intercepts.
pub struct InFront {
    /// The OpenCL name of the function.
    pub name: &'static CStr,
    /// The place in the loader's table.
    slot: usize,
    /// The layer's own.
    pub function: *const c_void,
}

/// All of them, in the loader's order.
pub const IN_FRONT: [InFront; 11] = [
    InFront { name: c"clGetPlatformInfo", slot: 1, function: queries::clGetPlatformInfo as _ },
    InFront { name: c"clGetDeviceInfo", slot: 3, function: queries::clGetDeviceInfo as _ },
    InFront { name: c"clGetMemObjectInfo", slot: 20, function: queries::clGetMemObjectInfo as _ },
    InFront { name: c"clGetImageInfo", slot: 21, function: queries::clGetImageInfo as _ },
    InFront { name: c"clGetEventInfo", slot: 42, function: commands::clGetEventInfo as _ },
    InFront { name: c"clRetainEvent", slot: 43, function: commands::clRetainEvent as _ },
    InFront { name: c"clReleaseEvent", slot: 44, function: commands::clReleaseEvent as _ },
    InFront { name: c"clGetExtensionFunctionAddress", slot: 65, function: queries::clGetExtensionFunctionAddress as _ },
    InFront {
        name: c"clGetExtensionFunctionAddressForPlatform",
        slot: 107,
        function: queries::clGetExtensionFunctionAddressForPlatform as _,
    },
    InFront { name: c"clCreateBufferWithProperties", slot: 146, function: create::clCreateBufferWithProperties as _ },
    InFront { name: c"clCreateImageWithProperties", slot: 147, function: create::clCreateImageWithProperties as _ },
];

/// Slots of the loader's table up to the last function that the layer stands in front of.
const SLOTS: usize = IN_FRONT[IN_FRONT.len() - 1].slot + 1;

/// The layer's functions in the loader's order. The loader fills empty slots with the next layer's functions, so what
/// the layer does not want to see never comes here.
#[repr(transparent)]
struct Table([*const c_void; SLOTS]);

// SAFETY: addresses of functions, that nobody writes to.
unsafe impl Sync for Table {}

static TABLE: Table = {
    let mut slots = [null(); SLOTS];
    let mut nth = 0;
    while nth < IN_FRONT.len() {
        slots[IN_FRONT[nth].slot] = IN_FRONT[nth].function;
        nth += 1;
    }
    Table(slots)
};

/// The table of a layer that sees no call.
static NOTHING: Table = Table([null(); SLOTS]);

/// Answers the loader's queries before it loads the layer: the interface's version, and the layer's name.
///
/// # Safety
/// `value` is null or valid for `size` bytes, `needed` null or valid for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetLayerInfo(name: cl_uint, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int {
    // SAFETY: as promised by the caller.
    unsafe {
        match name {
            CL_LAYER_API_VERSION => next::answer(&CL_LAYER_API_VERSION_100.to_ne_bytes(), size, value, needed),
            CL_LAYER_NAME => next::answer(NAME.to_bytes_with_nul(), size, value, needed),
            _ => CL_INVALID_VALUE,
        }
    }
}

/// Puts the layer in front of the functions of `target`, which has `entries` slots, and gives the loader the layer's
/// own.
///
/// # Safety
/// `target` is valid for `entries` slots of the loader's order for as long as the process runs; the other pointers are
/// null or valid for one value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clInitLayer(
    entries: cl_uint,
    target: *const *mut c_void,
    entries_of_layer: *mut cl_uint,
    layer: *mut *const c_void,
) -> cl_int {
    caught(|| {
        if target.is_null() || entries_of_layer.is_null() || layer.is_null() {
            return CL_INVALID_VALUE;
        }
        let table = if loader::is_active() {
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
    })
    .unwrap_or(CL_OUT_OF_RESOURCES)
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

/// Called when the loader has finished with the layer. Objects that AMD's OpenCL frees later still come here, so the
/// layer keeps its state.
#[unsafe(no_mangle)]
pub extern "C" fn clDeinitLayer() -> cl_int {
    CL_SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layer_stands_where_the_loader_has_the_function() {
        for front in IN_FRONT {
            let next = next::FUNCTIONS.iter().find(|next| next.name == front.name).expect("what stands behind");
            assert_eq!(front.slot, next.slot, "{:?}", front.name);
            assert_eq!(TABLE.0[next.slot], front.function, "{:?}", front.name);
        }
        assert_eq!(TABLE.0.iter().filter(|slot| !slot.is_null()).count(), IN_FRONT.len());
        assert!(NOTHING.0.iter().all(|slot| slot.is_null()));
    }
}
