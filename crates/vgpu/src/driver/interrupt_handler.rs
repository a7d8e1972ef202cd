//! The driver's interrupt handler.

use crate::driver::config::Config;
use crate::driver::device;
use crate::driver::events::Events;
use crate::driver::kfd::exceptions;
use crate::hardware::interrupts::{FaultReason, Interrupts, Retry, Sender};
use gcn::bus::MemoryFault;
use std::sync::Arc;

/// The handlers for one GPU, as one process uses it.
#[derive(Debug)]
pub struct InterruptHandler {
    gpu_id: u32,
    events: Arc<Events>,
}

impl InterruptHandler {
    /// Interrupts of GPU `gpu_id` raise `events`.
    pub fn new(gpu_id: u32, events: Arc<Events>) -> InterruptHandler {
        InterruptHandler { gpu_id, events }
    }
}

impl Interrupts for InterruptHandler {
    fn event(&self, event_id: u32) {
        self.events.interrupt(event_id);
    }

    fn trap(&self, message: u32, sender: Sender) {
        // As `event_interrupt_wq_v9` of `kfd_int_process_v9.c` reads it: a doorbell and the exceptions of its queue, or
        // an event.
        let (doorbell, exceptions) = (message & 0x3ff, u64::from(message >> 10 & 0x1ff));
        match exceptions & exceptions::OF_WAVES {
            0 => self.events.interrupt(message),
            _ if doorbell != sender.doorbell => self.events.interrupt(message),
            exceptions => exceptions::raise(&self.events, sender.context_save, exceptions),
        }
    }

    fn retry_fault(&self, fault: MemoryFault) -> Retry {
        device::retry_fault(self.gpu_id - Config::gpu_id(0), fault)
    }

    fn memory_fault(&self, address: u64, reason: FaultReason) {
        self.events.memory_fault(self.gpu_id, address, reason);
    }

    fn queue_error(&self, context_save: u64, error: u64) {
        exceptions::raise_error(&self.events, context_save, error);
    }
}
