//! Interrupts, by which the hardware notifies the driver.

use gcn::bus::MemoryFault;
use std::fmt::Debug;

/// Why an access of the GPU faulted, as far as a gfx9's interrupt has it: not that a page is not executable
/// (`event_interrupt_wq_v9`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultReason {
    /// No page is mapped there.
    pub not_present: bool,
    /// A store or an atomic to a read-only page.
    pub read_only: bool,
}

/// The driver's answer to an access that the page table refuses, on a GPU that repeats such accesses (XNACK).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// The memory is mapped now.
    Mapped,
    /// The driver is busy: the GPU repeats the access and asks again.
    Later,
    /// There is no such memory: it is a memory fault.
    Refused,
}

/// The queue whose wave sends an interrupt.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sender {
    /// Number of its doorbell among the process's.
    pub doorbell: u32,
    /// Device address of its context save area.
    pub context_save: u64,
}

/// The driver's interrupt handlers for one GPU. The hardware's threads call them, while they use no device memory.
pub trait Interrupts: Debug + Send + Sync {
    /// A queue, an SDMA engine or a wave (`s_sendmsg MSG_INTERRUPT`) raised event `event_id`.
    fn event(&self, event_id: u32);

    /// A wave in a trap handler sent `message`, 24 bits. Only after
    /// [`Gpu::report_exceptions`](super::gpu::Gpu::report_exceptions) asked for it; else it is an event.
    fn trap(&self, message: u32, sender: Sender);

    /// An access was refused that is to be repeated. Only after [`Gpu::retry_faults`](super::gpu::Gpu::retry_faults)
    /// asked for it. Never waits for a request of the program's: that may be waiting for the thread that calls.
    fn retry_fault(&self, fault: MemoryFault) -> Retry {
        let _ = fault;
        Retry::Refused
    }

    /// An access to `address` faulted. No queue runs on the GPU any more.
    fn memory_fault(&self, address: u64, reason: FaultReason);

    /// The queue whose context save area is at device address `context_save` stopped with `error`, one of
    /// [`crate::queue_error`]. Only after [`Gpu::report_exceptions`](super::gpu::Gpu::report_exceptions) asked for it.
    fn queue_error(&self, context_save: u64, error: u64);
}
