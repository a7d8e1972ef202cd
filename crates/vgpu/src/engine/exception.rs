//! Exceptions of queues as the driver tells a runtime that asked for them (`AMDKFD_IOC_RUNTIME_ENABLE`): through the header of the
//! queue's context save area, which names an event and where the bits of the exceptions go.

use super::Engine;
use super::packet::error;
use crate::queue::QueueArgs;
use crate::{trace, user};

const ERR_PAYLOAD_ADDR: u64 = 24;
const ERR_EVENT_ID: u64 = 32;

/// The driver's number of an error (`kfd_dbg_trap_exception_code`).
fn code(error: u64) -> Option<u32> {
    Some(match error {
        error::TRAP => 1,
        error::ILLEGAL_INSTRUCTION => 4,
        error::APERTURE_VIOLATION => 6,
        error::INVALID_DIMENSIONS => 16,
        error::INVALID_GROUP_MEMORY => 17,
        error::INVALID_CODE => 18,
        error::INVALID_PACKET => 20,
        error::WORKGROUP_TOO_LARGE => 21,
        error::OUT_OF_REGISTERS => 22,
        error::INVALID_VENDOR_PACKET => 23,
        _ => return None,
    })
}

/// Tells the program, if its header says where.
pub fn raise(engine: &Engine, args: &QueueArgs, error: u64) {
    let Some(code) = code(error) else { return };
    // Like the driver, by the program's own addresses; a header that cannot be read asks for nothing.
    let payload = user::read_value::<u64>(args.context_save + ERR_PAYLOAD_ADDR).unwrap_or(0);
    let event = user::read_value::<u32>(args.context_save + ERR_EVENT_ID).unwrap_or(0);
    if args.context_save == 0 || payload == 0 || event == 0 {
        return;
    }
    let bits = user::read_value::<u64>(payload).unwrap_or(0) | 1 << (code - 1);
    if user::write_value(payload, &bits).is_ok() {
        trace::emit("interrupt", |e| e.text("source", "exception").number("event_id", event).number("code", code));
        // Not an interrupt of the GPU, which would look for a mailbox. An event that is gone is nobody's loss.
        let _ = engine.gpu.events.set(event);
    }
}
