//! Whether HIP has external semaphores itself, and the errors that it keeps.

use hip_sys::*;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::sync::OnceLock;

use crate::functions::next::{hipDestroyExternalSemaphore, hipImportExternalSemaphore};
use crate::log::log;
use crate::operations::without_signals;
use crate::semaphores;

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
