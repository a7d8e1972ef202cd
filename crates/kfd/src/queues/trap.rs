//! The trap handler: code that waves run when they raise an exception, so that the host hears of it.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use kfd_sys::*;

use crate::Result;
use crate::driver::{PAGE, request};
use crate::family::DOORBELL_BYTES;
use crate::memory::{Memory, Placement};
use crate::queues::device::Gpu;

/// For each doorbell of the process on a GPU the device address of its queue's error signal, by which the handler
/// reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reports(NonNull<AtomicU64>);

// SAFETY: an address of atomics that live as long as the process.
unsafe impl Send for Reports {}
// SAFETY: as above.
unsafe impl Sync for Reports {}

impl Reports {
    /// Gives the driver the handler, for as long as the process lives.
    pub fn install(gpu: &'static Gpu) -> Result<Reports> {
        let memory = Memory::new(gpu, PAGE + DOORBELL_BYTES, Placement::HOST.with_executable(true))?;
        let host = memory.host()?;
        let code = gpu.family().trap_handler;
        // SAFETY: in the memory, which no GPU uses yet.
        unsafe {
            host.write_bytes(0, memory.bytes());
            host.copy_from_nonoverlapping(NonNull::from(code).cast(), code.len());
        }
        let mut args = kfd_ioctl_set_trap_handler_args {
            tba_addr: memory.address(),
            tma_addr: memory.address() + PAGE as u64,
            gpu_id: gpu.id(),
            pad: 0,
        };
        let subject = "the trap handler";
        request!(gpu.driver, AMDKFD_IOC_SET_TRAP_HANDLER, amdkfd_ioc_set_trap_handler, subject, &mut args)?;
        std::mem::forget(memory);
        gpu.note_new_code();
        // SAFETY: inside the memory.
        Ok(Reports(unsafe { host.add(PAGE) }.cast()))
    }

    /// Exceptions of the queue whose doorbell CREATE_QUEUE put at `offset` change `signal`. What was there for a queue
    /// that is gone does not matter.
    pub fn route(self, offset: u64, signal: u64) {
        let doorbell = offset as usize % DOORBELL_BYTES / size_of::<u64>();
        // SAFETY: there is a place for each doorbell, and all accesses are atomic.
        let place = unsafe { self.0.add(doorbell).as_ref() };
        // Relaxed: a doorbell, which is rung behind it, is a release.
        place.store(signal, Ordering::Relaxed);
    }
}
