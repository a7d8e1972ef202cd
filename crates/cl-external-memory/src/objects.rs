//! The memory objects that were created on dma-bufs.

use bundled_preload::caught;
use cl_sys::*;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{amd, next};

/// What the layer knows of a memory object that it made of a dma-buf.
#[derive(Clone, Debug)]
pub struct Object {
    /// The context's address.
    pub context: usize,
    /// What the program passed, with the zero at the end.
    pub properties: Vec<cl_mem_properties>,
    /// Whether it is an image, on a buffer that the program does not know.
    pub image: bool,
}

fn objects() -> MutexGuard<'static, BTreeMap<usize, Object>> {
    static OBJECTS: Mutex<BTreeMap<usize, Object>> = Mutex::new(BTreeMap::new());
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps what is known of a new object, until AMD's OpenCL says that it is gone.
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

/// What is known of an object. Any address may be asked for.
pub fn find(memory: cl_mem) -> Option<Object> {
    objects().get(&(memory as usize)).cloned()
}
