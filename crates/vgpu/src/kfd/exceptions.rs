//! Exceptions of waves, as the driver passes them to the runtime once that has asked for them (`AMDKFD_IOC_RUNTIME_ENABLE`).
//!
//! Without the request, the runtime's own trap handler writes them to the queue's `queue_inactive_signal`, as it does for errors of
//! packets in any case.

use crate::device::Gpu;
use crate::engine::packet::error;
use crate::user::{self, Plain};
use kfd_sys::{kfd_context_save_area_header, kfd_dbg_trap_exception_code as Code};
use std::mem::offset_of;

/// Offset of the address of the error word in the header of a context save area.
const PAYLOAD: u64 = offset_of!(kfd_context_save_area_header, err_payload_addr) as u64;
/// Offset of the id of the event to raise.
const EVENT: u64 = offset_of!(kfd_context_save_area_header, err_event_id) as u64;

/// The driver's code of a queue error that a wave raises.
fn code(queue_error: u64) -> Option<Code> {
    match queue_error {
        error::ILLEGAL_INSTRUCTION => Some(Code::EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION),
        error::APERTURE_VIOLATION => Some(Code::EC_QUEUE_WAVE_APERTURE_VIOLATION),
        error::TRAP => Some(Code::EC_QUEUE_WAVE_TRAP),
        _ => None,
    }
}

fn read<T: Plain>(address: u64) -> Option<T> {
    user::read_value(address).ok()
}

/// Reports an error of a queue with this context save area, if it is one that goes this way; returns whether it did.
pub fn report(gpu: &Gpu, context_save: u64, queue_error: u64) -> bool {
    let Some(code) = code(queue_error).filter(|_| gpu.reports_exceptions() && context_save != 0) else { return false };
    // As the driver: a runtime that gave no place for the error hears nothing of it.
    let Some(payload) = read::<u64>(context_save + PAYLOAD).filter(|payload| *payload != 0) else { return true };
    let Some(reasons) = read::<u64>(payload) else { return true };
    let mask = 1u64 << (u64::from(code.0) - 1);
    if user::write_value(payload, &(reasons | mask)).is_ok()
        && let Some(event) = read::<u32>(context_save + EVENT)
    {
        // An event that is gone is nobody's loss.
        let _ = gpu.events.set(event);
    }
    true
}
