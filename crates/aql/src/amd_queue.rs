//! Queues that AMD's HSA runtime created.

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::NonNull;

use crate::ring::Slot;
use crate::sync::AtomicU64;
use crate::{MmioDoorbell, Ring, RingError};

/// The parts of `amd_queue_t` (which begins with `hsa_queue_t`) that submitting needs.
#[repr(C)]
struct AmdQueue {
    queue_type: u32,
    features: u32,
    base_address: *mut c_void,
    doorbell_signal: u64,
    size: u32,
    reserved1: u32,
    id: u64,
    reserved2: [u32; 4],
    write_dispatch_id: AtomicU64,
    unused: [u64; 8],
    read_dispatch_id: AtomicU64,
}

/// The parts of `amd_signal_t` that submitting needs.
#[repr(C)]
struct AmdSignal {
    kind: i64,
    hardware_doorbell_ptr: *mut u64,
}

const _: () = {
    assert!(offset_of!(AmdQueue, base_address) == 8);
    assert!(offset_of!(AmdQueue, doorbell_signal) == 16);
    assert!(offset_of!(AmdQueue, size) == 24);
    assert!(offset_of!(AmdQueue, write_dispatch_id) == 0x38);
    assert!(offset_of!(AmdQueue, read_dispatch_id) == 0x80);
    assert!(offset_of!(AmdSignal, hardware_doorbell_ptr) == 8);
};

/// `HSA_QUEUE_TYPE_SINGLE`.
const QUEUE_TYPE_SINGLE: u32 = 1;
/// `AMD_SIGNAL_KIND_DOORBELL`: a 64-bit register that takes the last packet's id.
const SIGNAL_KIND_DOORBELL: i64 = -1;

impl<'q> Ring<'q, MmioDoorbell> {
    /// The ring of a queue that `hsa_queue_create` of AMD's runtime returned. Submitting then calls nothing of the runtime.
    ///
    /// # Safety
    /// `queue` is such a queue, on a GPU, and is not destroyed while `'q` lasts. Nobody else submits to it, unless by the runtime's
    /// functions and this ring is used as [`MultiProducer`](crate::MultiProducer): both reserve by atomic operations on the same index.
    /// The ring is in the host's memory, where ROCr puts it unless `HSA_ALLOCATE_QUEUE_DEV_MEM=1` is set (6.4 and later; see
    /// [`Ring::new`]).
    ///
    /// # Errors
    /// [`RingError::Queue`] names the field of the queue that cannot be used, [`RingError::Size`] is for its size. Doorbells of gfx7 and gfx8
    /// (`AMD_SIGNAL_KIND_LEGACY_DOORBELL`) are refused.
    pub unsafe fn from_amd_queue(queue: NonNull<c_void>) -> Result<Ring<'q, MmioDoorbell>, RingError> {
        // SAFETY: an hsa_queue_t of AMD's runtime is the start of an amd_queue_t, valid while 'q lasts. The mutable parts are atomics.
        let queue = unsafe { queue.cast::<AmdQueue>().as_ref() };
        let base = queue.base_address;
        let refuse = |field, value, must| Err(RingError::Queue { field, value, must });
        if base.is_null() || !base.addr().is_multiple_of(crate::PACKET_BYTES) {
            return refuse("base_address", base.addr() as u64, "not null and aligned to 64 bytes");
        }
        let signal = queue.doorbell_signal as usize;
        if signal == 0 || !signal.is_multiple_of(64) {
            return refuse("doorbell_signal", queue.doorbell_signal, "an amd_signal_t");
        }
        // SAFETY: the handle of a signal is the address of its amd_signal_t, which lives as long as the queue.
        let signal = unsafe { &*core::ptr::with_exposed_provenance::<AmdSignal>(signal) };
        if signal.kind != SIGNAL_KIND_DOORBELL {
            return refuse(
                "doorbell_signal's kind",
                signal.kind as u64,
                "-1, AMD_SIGNAL_KIND_DOORBELL (gfx9 and later)",
            );
        }
        let Some(register) = NonNull::new(signal.hardware_doorbell_ptr) else {
            return refuse("hardware_doorbell_ptr", 0, "the mapped doorbell");
        };
        // SAFETY: the runtime maps the doorbell for as long as the queue lives.
        let doorbell = unsafe { MmioDoorbell::new(register) };
        // SAFETY: the runtime allocated `size` packets at `base`; every access goes through `Slot`'s atomics and cells.
        let slots = unsafe { core::slice::from_raw_parts(base.cast::<Slot>(), queue.size as usize) };
        // SAFETY: forwarded from this function's contract; the command processor keeps the protocol.
        let mut ring = unsafe { Ring::new(slots, &queue.write_dispatch_id, &queue.read_dispatch_id, doorbell) }?;
        ring.single_only = queue.queue_type == QUEUE_TYPE_SINGLE;
        Ok(ring)
    }
}
