//! Imported memory: mapped when AMD's OpenCL allocates for it, unmapped when AMD's OpenCL frees it.

use hsa_sys::{hsa_amd_memory_pool_t, hsa_status_t};
use interposition::caught;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::runtime::{Runtime, SUCCESS};
use crate::log::log;

/// The outcome of an import of a dma-buf into AMD's OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// AMD's OpenCL allocated no memory of a GPU.
    Not,
    /// It is the buffer's memory, at this address of the GPU.
    Given(usize),
    /// HSA's runtime does not take it.
    Refused(hsa_status_t),
    /// It is shorter than the buffer. This is its length in bytes.
    TooShort(usize),
}

/// A dma-buf for the next allocation of this thread.
#[derive(Clone, Copy)]
struct Pending {
    fd: c_int,
    /// Of the buffer.
    bytes: usize,
    asked: Asked,
}

thread_local! {
    static PENDING: Cell<Option<Pending>> = const { Cell::new(None) };
}

/// The addresses of imported memory.
static MAPPED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
/// How many there are, so that nobody needs the lock where there are none.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Runs `create`, in which AMD's OpenCL allocates the dma-buf of this descriptor instead of new memory. Returns the
/// outcome.
pub fn import<T>(fd: c_int, bytes: usize, create: impl FnOnce() -> T) -> (T, Asked) {
    PENDING.set(Some(Pending { fd, bytes, asked: Asked::Not }));
    let created = create();
    let asked = PENDING.take().map_or(Asked::Not, |pending| pending.asked);
    (created, asked)
}

/// The replacement for `hsa_amd_memory_pool_allocate` in AMD's OpenCL.
///
/// # Safety
/// That of HSA's function.
pub unsafe extern "C" fn allocate(
    pool: hsa_amd_memory_pool_t,
    bytes: usize,
    flags: u32,
    address: *mut *mut c_void,
) -> hsa_status_t {
    caught(|| {
        let Some(runtime) = Runtime::in_use() else { return hsa_status_t::HSA_STATUS_ERROR_NOT_INITIALIZED };
        let Some(mut pending) = PENDING.get() else {
            // SAFETY: as promised by the caller.
            return unsafe { (runtime.allocate)(pool, bytes, flags, address) };
        };
        // Where it gets no memory of the GPU, AMD's OpenCL would take the host's instead, and that is another one.
        let refused = hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        if pending.asked != Asked::Not || bytes < pending.bytes || address.is_null() {
            return refused;
        }
        let Some(mut gpu) = runtime.gpu_of(pool) else { return refused };
        let (mut object, mut base) = (0, null_mut());
        // SAFETY: one agent, a descriptor of the program's, and places for size and address; no metadata is asked for.
        let status =
            unsafe { (runtime.map)(1, &mut gpu, pending.fd, 0, &mut object, &mut base, null_mut(), null_mut()) };
        pending.asked = if status != SUCCESS {
            Asked::Refused(status)
        } else if object < bytes {
            // SAFETY: mapped above.
            let unmapped = unsafe { (runtime.unmap)(base) };
            if unmapped != SUCCESS {
                log!("HSA's runtime does not unmap the dma-buf at {base:p}: {unmapped:?}");
            }
            Asked::TooShort(object)
        } else {
            MAPPED.lock().unwrap_or_else(PoisonError::into_inner).insert(base as usize);
            COUNT.fetch_add(1, Ordering::Release);
            // SAFETY: not null, so a place for an address.
            unsafe { *address = base };
            Asked::Given(base as usize)
        };
        PENDING.set(Some(pending));
        if matches!(pending.asked, Asked::Given(_)) { SUCCESS } else { refused }
    })
    .unwrap_or(hsa_status_t::HSA_STATUS_ERROR)
}

/// The replacement for `hsa_amd_memory_pool_free` in AMD's OpenCL.
///
/// # Safety
/// That of HSA's function.
pub unsafe extern "C" fn free(address: *mut c_void) -> hsa_status_t {
    caught(|| {
        let Some(runtime) = Runtime::in_use() else { return hsa_status_t::HSA_STATUS_ERROR_NOT_INITIALIZED };
        // SAFETY: as promised by the caller.
        unsafe { unmap(runtime, address as usize) }.unwrap_or_else(|| unsafe { (runtime.free)(address) })
    })
    .unwrap_or(hsa_status_t::HSA_STATUS_ERROR)
}

/// Sees to it that imported memory is unmapped where AMD's OpenCL frees it next.
pub fn keep_hooks() {
    if let Some(Err(reason)) = Runtime::in_use().map(Runtime::hook) {
        log!("imported memory may stay mapped: {reason}");
    }
}

/// Unmaps imported memory that AMD's OpenCL did not give back, since it did not create the buffer after all.
///
/// # Safety
/// Nobody uses it any more.
pub unsafe fn give_back(address: usize) {
    if let Some(runtime) = Runtime::in_use() {
        // SAFETY: as promised by the caller.
        unsafe { unmap(runtime, address) };
    }
}

/// Unmaps memory if it is imported.
///
/// # Safety
/// Nobody uses it any more.
unsafe fn unmap(runtime: &Runtime, address: usize) -> Option<hsa_status_t> {
    if COUNT.load(Ordering::Acquire) == 0 {
        return None;
    }
    // The lock is free again before another can be given the same address.
    if !MAPPED.lock().unwrap_or_else(PoisonError::into_inner).remove(&address) {
        return None;
    }
    COUNT.fetch_sub(1, Ordering::Release);
    // SAFETY: mapped by `allocate` and not unmapped yet, and as promised by the caller.
    let status = unsafe { (runtime.unmap)(address as *mut c_void) };
    match status {
        SUCCESS => log!("unmapped the dma-buf at {address:#x}"),
        _ => log!("HSA's runtime does not unmap the dma-buf at {address:#x}: {status:?}"),
    }
    Some(status)
}
