//! The functions of HIP that this library replaces or calls.

use hip_sys::*;
use interposition::dlsym::next_or_loaded;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::{graphs, operations};

interposition::functions! {
    /// By name.
    pub static HIP: found by find, in "libamdhip64.so";
    fn hipDestroyExternalSemaphore(semaphore: hipExternalSemaphore_t) -> hipError_t, else hipError_t::hipErrorNotSupported
        => operations::destroy_semaphore(semaphore);
    fn hipExtMallocWithFlags(memory: *mut *mut c_void, bytes: usize, flags: c_uint) -> hipError_t, else hipError_t::hipErrorNotSupported;
    fn hipGetProcAddress(name: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64, status: *mut hipDriverProcAddressQueryResult) -> hipError_t, else hipError_t::hipErrorNotSupported
        => get_proc_address(name, found, version, flags, status);
    fn hipGraphAddExternalSemaphoresSignalNode(node: *mut hipGraphNode_t, graph: hipGraph_t, after: *const hipGraphNode_t, count: usize, params: *const hipExternalSemaphoreSignalNodeParams) -> hipError_t, else hipError_t::hipErrorNotSupported
        => graphs::add_signal_node(node, graph, after, count, params);
    fn hipGraphAddExternalSemaphoresWaitNode(node: *mut hipGraphNode_t, graph: hipGraph_t, after: *const hipGraphNode_t, count: usize, params: *const hipExternalSemaphoreWaitNodeParams) -> hipError_t, else hipError_t::hipErrorNotSupported
        => graphs::add_wait_node(node, graph, after, count, params);
    fn hipGraphAddNode(node: *mut hipGraphNode_t, graph: hipGraph_t, after: *const hipGraphNode_t, count: usize, params: *mut c_void) -> hipError_t, else hipError_t::hipErrorNotSupported
        => graphs::add_node(node, graph, after, count, params);
    fn hipImportExternalSemaphore(semaphore: *mut hipExternalSemaphore_t, description: *const hipExternalSemaphoreHandleDesc) -> hipError_t, else hipError_t::hipErrorNotSupported
        => operations::import_semaphore(semaphore, description);
    fn hipLaunchHostFunc(stream: hipStream_t, function: hipHostFn_t, data: *mut c_void) -> hipError_t, else hipError_t::hipErrorNotSupported;
    fn hipRuntimeGetVersion(version: *mut c_int) -> hipError_t, else hipError_t::hipErrorNotSupported;
    fn hipSignalExternalSemaphoresAsync(semaphores: *const hipExternalSemaphore_t, params: *const hipExternalSemaphoreSignalParams, count: c_uint, stream: hipStream_t) -> hipError_t, else hipError_t::hipErrorNotSupported
        => operations::signal_semaphores(semaphores, params, count, stream);
    fn hipStreamIsCapturing(stream: hipStream_t, status: *mut hipStreamCaptureStatus) -> hipError_t, else hipError_t::hipErrorNotSupported;
    fn hipStreamWaitValue64(stream: hipStream_t, memory: *mut c_void, value: u64, flags: c_uint, mask: u64) -> hipError_t, else hipError_t::hipErrorNotSupported;
    fn hipWaitExternalSemaphoresAsync(semaphores: *const hipExternalSemaphore_t, params: *const hipExternalSemaphoreWaitParams, count: c_uint, stream: hipStream_t) -> hipError_t, else hipError_t::hipErrorNotSupported
        => operations::wait_for_semaphores(semaphores, params, count, stream);
}

fn find(name: &CStr) -> Option<*mut c_void> {
    next_or_loaded(name, "libamdhip64.so")
}

interposition::interpose_dlsym!(lookup);

fn lookup(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the handle is the program's.
    unsafe { HIP.lookup(handle, name) }
}

/// Returns this library's functions instead of HIP's.
///
/// # Safety
/// That of HIP's function.
pub unsafe fn get_proc_address(
    name: *const c_char,
    found: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut hipDriverProcAddressQueryResult,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    let code = unsafe { next::hipGetProcAddress(name, found, version, flags, status) };
    if code == hipError_t::hipSuccess && !name.is_null() && !found.is_null() {
        // SAFETY: HIP has taken both for what they are.
        unsafe { *found = HIP.in_front(CStr::from_ptr(name), *found) };
    }
    code
}
