//! The entry points of an OpenCL layer: Khronos' layer interface (`cl_layer.h`), supported by ocl-icd since 2.3 and by
//! Khronos' loader since 2020.

use cl_sys::*;
use interposition::caught;
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use crate::functions::OPENCL;
use crate::loader;
use crate::log::log;
use crate::results::answer;

// From cl_layer.h.
const CL_LAYER_API_VERSION: cl_uint = 0x4240;
const CL_LAYER_NAME: cl_uint = 0x4241;
const CL_LAYER_API_VERSION_100: cl_uint = 100;

const NAME: &CStr = c"cl-external-memory: cl_khr_external_memory_dma_buf for AMD's OpenCL";

/// The addresses of the layer's functions in the loader's slots, up to the last function that the layer replaces. The
/// loader fills empty slots with the next layer's functions, so that the layer sees no calls of them.
fn slots() -> &'static [usize] {
    static SLOTS: OnceLock<Vec<usize>> = OnceLock::new();
    SLOTS.get_or_init(|| {
        let own = OPENCL.functions().iter().filter_map(|function| function.slot.zip(function.own()));
        own.fold(Vec::new(), |mut slots, (slot, own)| {
            slots.resize(slots.len().max(slot + 1), 0);
            slots[slot] = own.addr();
            slots
        })
    })
}

/// The slots of a layer that sees no call.
static NOTHING: OnceLock<Vec<usize>> = OnceLock::new();

/// Answers the loader's queries before it loads the layer: the interface's version, and the layer's name.
///
/// # Safety
/// `value` is null or valid for `size` bytes, `needed` null or valid for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetLayerInfo(name: cl_uint, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int {
    // SAFETY: as promised by the caller.
    unsafe {
        match name {
            CL_LAYER_API_VERSION => answer(&CL_LAYER_API_VERSION_100.to_ne_bytes(), size, value, needed),
            CL_LAYER_NAME => answer(NAME.to_bytes_with_nul(), size, value, needed),
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
        let slots = if loader::is_active() {
            log!("preloaded already, so not used as a layer too");
            NOTHING.get_or_init(|| vec![0; slots().len()])
        } else {
            for function in OPENCL.functions() {
                if let Some(slot) = function.slot.filter(|slot| *slot < entries as usize) {
                    // SAFETY: the slot is in the table.
                    function.keep(unsafe { *target.add(slot) });
                }
            }
            log!("used as a layer of a loader with {entries} functions");
            slots()
        };
        // SAFETY: not null, and valid as promised by the caller.
        unsafe {
            *entries_of_layer = slots.len() as cl_uint;
            *layer = slots.as_ptr().cast();
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
    fn the_loader_gets_the_functions_that_the_layer_replaces() {
        let filled: Vec<usize> = (0..slots().len()).filter(|slot| slots()[*slot] != 0).collect();
        assert_eq!(filled, [1, 3, 20, 21, 42, 43, 44, 65, 107, 146, 147]);
        assert_eq!(slots()[43], crate::functions::clRetainEvent as *const () as usize);
        assert!(OPENCL.functions().is_sorted_by_key(|function| function.slot));
    }
}
