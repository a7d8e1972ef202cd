//! The HIP functions that this library forwards to.

use bundled_preload::dlsym;
use hip_sys::*;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::functions::without_signals;
use crate::log::log;
use crate::semaphores;

/// HIP's function of this name, in a library after this one in the search order, or in one with local scope, as the
/// modules of interpreters load it.
pub fn find(name: &CStr) -> Option<*mut c_void> {
    const LIBRARIES: [&CStr; 3] = [c"libamdhip64.so.7", c"libamdhip64.so.6", c"libamdhip64.so.5"];
    dlsym::next(name).or_else(|| {
        LIBRARIES.into_iter().find_map(|library| {
            // SAFETY: only a library that is there already is opened. The handle is kept, and with it the library whose
            // functions are.
            let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            // SAFETY: it was just opened.
            unsafe { dlsym::find(dlsym::or_forget_error(handle)?, name) }
        })
    })
}

/// Whether HIP has external semaphores itself: then it is asked instead of this library. AMD's on Linux has the
/// functions, and they return `hipErrorNotSupported` for whatever they are given.
pub fn has_semaphores() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    if let Some(has) = HAS.get() {
        return *has;
    }
    // Without a semaphore to ask with there is none to import either.
    let Ok(descriptor) = semaphores::descriptor() else { return false };
    let ask = move || {
        let mut description: hipExternalSemaphoreHandleDesc =
            // SAFETY: numbers and addresses, of which all zeros are one.
            unsafe { std::mem::zeroed() };
        description.type_ = hipExternalSemaphoreHandleType::hipExternalSemaphoreHandleTypeOpaqueFd;
        description.handle.fd = descriptor.as_raw_fd();
        let mut semaphore = null_mut();
        // SAFETY: a place for a semaphore, and a description of one.
        let code = unsafe { hipImportExternalSemaphore(&mut semaphore, &description) };
        if code == hipError_t::hipSuccess {
            // SAFETY: imported above, and nobody else has it.
            _ = unsafe { hipDestroyExternalSemaphore(semaphore) };
            // It may have been taken, as CUDA does: the number may be another file's by now.
            std::mem::forget(descriptor);
        }
        code
    };
    // In a thread of its own: HIP keeps each thread's last error, and the program's is not to change.
    let thread = std::thread::Builder::new().name("hip-semaphore".to_owned()).spawn(|| without_signals(ask));
    let has = match thread.map(|thread| thread.join()) {
        Ok(Ok(hipError_t::hipSuccess)) => true,
        Ok(Ok(hipError_t::hipErrorNotSupported)) => false,
        // HIP cannot say for now, for want of a GPU or of memory. What it says to the program's own call is the answer
        // to that.
        _ => return true,
    };
    if *HAS.get_or_init(|| has) {
        log!("HIP has external semaphores itself, so they are left to it");
    }
    has
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            /// # Safety
            /// That of HIP's function.
            #[allow(non_snake_case)]
            pub unsafe fn $name($($argument: $type),*) -> hipError_t {
                static ADDRESS: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
                const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("no zero in a name"),
                };
                let mut address = ADDRESS.load(Ordering::Acquire);
                if address.is_null() {
                    let Some(found) = find(NAME) else { return hipError_t::hipErrorNotSupported };
                    ADDRESS.store(found, Ordering::Release);
                    address = found;
                }
                // SAFETY: the function of this name has this type.
                let next = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> hipError_t>(address) };
                // SAFETY: as promised by the caller.
                unsafe { next($($argument),*) }
            }
        )*
    };
}

/// Sets the result of the program's `hipGetLastError` to a code of this library, by a HIP call that fails with this
/// code and does nothing else. There is such a call for two codes.
pub fn remember(code: hipError_t) {
    // SAFETY: no semaphore, and a place for one that is not made: no descriptor is negative.
    _ = unsafe {
        match code {
            hipError_t::hipErrorInvalidValue => hipDestroyExternalSemaphore(null_mut()),
            hipError_t::hipErrorNotSupported => {
                let mut description: hipExternalSemaphoreHandleDesc = std::mem::zeroed();
                description.type_ = hipExternalSemaphoreHandleType::hipExternalSemaphoreHandleTypeOpaqueFd;
                description.handle.fd = -1;
                hipImportExternalSemaphore(&mut null_mut(), &description)
            }
            _ => return,
        }
    };
}

functions! {
    hipDestroyExternalSemaphore(semaphore: hipExternalSemaphore_t);
    hipExtMallocWithFlags(memory: *mut *mut c_void, bytes: usize, flags: c_uint);
    hipGetProcAddress(name: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64, status: *mut hipDriverProcAddressQueryResult);
    hipGraphAddExternalSemaphoresSignalNode(node: *mut hipGraphNode_t, graph: hipGraph_t, after: *const hipGraphNode_t, count: usize, params: *const hipExternalSemaphoreSignalNodeParams);
    hipGraphAddExternalSemaphoresWaitNode(node: *mut hipGraphNode_t, graph: hipGraph_t, after: *const hipGraphNode_t, count: usize, params: *const hipExternalSemaphoreWaitNodeParams);
    hipGraphAddNode(node: *mut hipGraphNode_t, graph: hipGraph_t, after: *const hipGraphNode_t, count: usize, params: *mut c_void);
    hipImportExternalSemaphore(semaphore: *mut hipExternalSemaphore_t, description: *const hipExternalSemaphoreHandleDesc);
    hipLaunchHostFunc(stream: hipStream_t, function: hipHostFn_t, data: *mut c_void);
    hipRuntimeGetVersion(version: *mut c_int);
    hipSignalExternalSemaphoresAsync(semaphores: *const hipExternalSemaphore_t, params: *const hipExternalSemaphoreSignalParams, count: c_uint, stream: hipStream_t);
    hipStreamIsCapturing(stream: hipStream_t, status: *mut hipStreamCaptureStatus);
    hipStreamWaitValue64(stream: hipStream_t, memory: *mut c_void, value: u64, flags: c_uint, mask: u64);
    hipWaitExternalSemaphoresAsync(semaphores: *const hipExternalSemaphore_t, params: *const hipExternalSemaphoreWaitParams, count: c_uint, stream: hipStream_t);
}
