//! Queue errors, passed to a runtime that asked for them (`AMDKFD_IOC_RUNTIME_ENABLE`). The header of the queue's
//! context save area names an event, and the address for the exceptions' bits (`kfd_send_exception_to_runtime` of
//! `kfd_debug.c`).

use crate::driver::events::Events;
use crate::driver::user;
use crate::{queue_error, trace};
use kfd_sys::{kfd_context_save_area_header, kfd_dbg_trap_exception_code as Code};
use std::mem::offset_of;

/// Offset of the address of the error word in the header of a context save area.
const PAYLOAD: u64 = offset_of!(kfd_context_save_area_header, err_payload_addr) as u64;
/// Offset of the id of the event to raise.
const EVENT: u64 = offset_of!(kfd_context_save_area_header, err_event_id) as u64;

/// The driver's code of a queue error.
fn code(queue_error: u64) -> Option<Code> {
    Some(match queue_error {
        queue_error::TRAP => Code::EC_QUEUE_WAVE_TRAP,
        queue_error::ILLEGAL_INSTRUCTION => Code::EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION,
        queue_error::APERTURE_VIOLATION => Code::EC_QUEUE_WAVE_APERTURE_VIOLATION,
        queue_error::INVALID_DIMENSIONS => Code::EC_QUEUE_PACKET_DISPATCH_DIM_INVALID,
        queue_error::INVALID_GROUP_MEMORY => Code::EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID,
        queue_error::INVALID_CODE => Code::EC_QUEUE_PACKET_DISPATCH_CODE_INVALID,
        queue_error::INVALID_PACKET => Code::EC_QUEUE_PACKET_UNSUPPORTED,
        queue_error::WORKGROUP_TOO_LARGE => Code::EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID,
        queue_error::OUT_OF_REGISTERS => Code::EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID,
        queue_error::INVALID_VENDOR_PACKET => Code::EC_QUEUE_PACKET_VENDOR_UNSUPPORTED,
        _ => return None,
    })
}

/// The bits of exceptions that waves raise, as their trap handlers send them.
pub const OF_WAVES: u64 = bit(Code::EC_QUEUE_WAVE_ABORT)
    | bit(Code::EC_QUEUE_WAVE_TRAP)
    | bit(Code::EC_QUEUE_WAVE_MATH_ERROR)
    | bit(Code::EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION)
    | bit(Code::EC_QUEUE_WAVE_MEMORY_VIOLATION)
    | bit(Code::EC_QUEUE_WAVE_APERTURE_VIOLATION);

/// `KFD_EC_MASK`.
const fn bit(code: Code) -> u64 {
    1 << (code.0 - 1)
}

/// Notifies the runtime of an error of the queue with this context save area.
pub fn raise_error(events: &Events, context_save: u64, queue_error: u64) {
    if let Some(code) = code(queue_error) {
        raise(events, context_save, bit(code));
    }
}

/// Notifies the runtime of exceptions of the queue with this context save area. As from the driver, a runtime whose
/// header cannot be read or has no address for them is not notified.
pub fn raise(events: &Events, context_save: u64, raised: u64) {
    if context_save == 0 {
        return;
    }
    let payload = user::read_value::<u64>(context_save + PAYLOAD).unwrap_or(0);
    let Ok(exceptions) = user::read_value::<u64>(payload) else { return };
    let Ok(event) = user::read_value::<u32>(context_save + EVENT) else { return };
    if user::write_value(payload, &(exceptions | raised)).is_ok() {
        trace::emit("interrupt", |e| {
            e.text("source", "exception").number("event_id", event).address("exceptions", raised)
        });
        trace::flush();
        // Not an interrupt of the GPU, which would look for a mailbox. An event that is gone is nobody's loss.
        let _ = events.set(event);
    }
}
