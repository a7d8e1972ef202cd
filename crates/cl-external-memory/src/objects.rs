//! The memory objects that were created on dma-bufs.

use cl_sys::*;
use interposition::caught;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::amd;
use crate::functions::next;

/// The layer's record of a memory object on a dma-buf.
#[derive(Clone, Debug)]
pub struct Object {
    /// The context's address.
    pub context: usize,
    /// The properties that the program passed, including the zero at the end.
    pub properties: Vec<cl_mem_properties>,
    /// Whether it is an image, on a buffer that the program does not know.
    pub image: bool,
}

fn objects() -> MutexGuard<'static, BTreeMap<usize, Object>> {
    static OBJECTS: Mutex<BTreeMap<usize, Object>> = Mutex::new(BTreeMap::new());
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records a new object until AMD's OpenCL reports that it is freed.
///
/// # Safety
/// `memory` is a memory object that nobody else has yet.
pub unsafe fn add(memory: cl_mem, object: Object) -> Result<(), cl_int> {
    unsafe extern "C" fn gone(memory: cl_mem, _: *mut c_void) {
        caught(|| {
            // AMD's OpenCL frees the memory next.
            amd::keep_hooks();
            objects().remove(&(memory as usize));
        });
    }
    objects().insert(memory as usize, object);
    // SAFETY: as promised by the caller; the function is never unloaded (build.rs).
    match unsafe { next::clSetMemObjectDestructorCallback(memory, Some(gone), null_mut()) } {
        CL_SUCCESS => Ok(()),
        code => {
            objects().remove(&(memory as usize));
            Err(code)
        }
    }
}

/// The record of an object, if there is one. Any address is accepted.
pub fn find(memory: cl_mem) -> Option<Object> {
    objects().get(&(memory as usize)).cloned()
}
