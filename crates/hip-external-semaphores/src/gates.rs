//! Gates: words of memory at which streams wait until a thread of the host opens them.

use crate::functions::next;
use hip_sys::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A word, and the value that opens it. It is used again with the next value when its stream is through.
#[derive(Debug)]
pub struct Gate {
    /// An address of HIP's signal memory, which stays for as long as the process runs.
    word: usize,
    value: u64,
}

fn unused() -> MutexGuard<'static, Vec<Gate>> {
    static UNUSED: Mutex<Vec<Gate>> = Mutex::new(Vec::new());
    UNUSED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gate {
    /// A closed gate.
    ///
    /// # Errors
    /// HIP's.
    pub fn closed() -> Result<Gate, hipError_t> {
        if let Some(gate) = unused().pop() {
            return Ok(gate);
        }
        let mut word = null_mut();
        // SAFETY: writes the address. Signal memory is 8 bytes that the GPU's packet processor and the host share.
        match unsafe { next::hipExtMallocWithFlags(&mut word, size_of::<u64>(), hipMallocSignalMemory) } {
            hipError_t::hipSuccess => {}
            code => return Err(code),
        }
        let gate = Gate { word: word.expose_provenance(), value: 1 };
        gate.word().store(0, Ordering::Release);
        Ok(gate)
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: memory of the host, aligned, never freed; all use it by atomics.
        unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(self.word)) }
    }

    /// Makes a stream wait at this gate.
    ///
    /// # Errors
    /// HIP's.
    ///
    /// # Safety
    /// `stream` is a stream, as HIP takes them.
    pub unsafe fn hold(&self, stream: hipStream_t) -> Result<(), hipError_t> {
        let at: *mut c_void = std::ptr::with_exposed_provenance_mut(self.word);
        // SAFETY: memory of HIP's that stays; the stream as promised by the caller.
        match unsafe { next::hipStreamWaitValue64(stream, at, self.value, hipStreamWaitValueGte, u64::MAX) } {
            hipError_t::hipSuccess => Ok(()),
            code => Err(code),
        }
    }

    /// Lets the stream through.
    pub fn open(&self) {
        self.word().store(self.value, Ordering::Release);
    }

    /// The stream is through, or never came.
    pub fn reuse(mut self) {
        self.value += 1;
        unused().push(self);
    }
}
