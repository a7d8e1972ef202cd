//! Events of a process: what `AMDKFD_IOC_CREATE_EVENT` makes and `AMDKFD_IOC_WAIT_EVENTS` waits for.

/// Why an access of the GPU faulted (`kfd_memory_exception_failure`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultReason {
    /// No page is mapped there.
    pub not_present: bool,
    /// A store or an atomic to a read-only page.
    pub read_only: bool,
    /// Instruction fetch from a page that is not executable.
    pub no_execute: bool,
}

/// The events of a process, shared by its GPUs. All methods may be called from any thread.
#[derive(Debug, Default)]
pub struct Events {}

impl Events {
    /// An interrupt of a queue, an SDMA trap or `s_sendmsg MSG_INTERRUPT`: raises the signal event `event_id`, whose mailbox slot
    /// in the events page must have been written before. An unknown id is ignored, as by the driver.
    pub fn interrupt(&self, event_id: u32) {
        let _ = event_id;
    }

    /// A GPU's access to `address` faulted: raises the process's memory exception events.
    pub fn memory_fault(&self, gpu_id: u32, address: u64, reason: FaultReason) {
        let _ = (gpu_id, address, reason);
    }
}
