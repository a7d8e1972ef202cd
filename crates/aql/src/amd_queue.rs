//! Queues that AMD's HSA runtime created.

use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr::{NonNull, with_exposed_provenance, with_exposed_provenance_mut};

use crate::ring::Slot;
use crate::sync::AtomicU64;
use crate::{MmioDoorbell, Ring, RingError};

/// The parts of `amd_queue_t` (which begins with `hsa_queue_t`) that submitting needs. Addresses are integers here: the
/// memory they point to was given out by the runtime, so pointers to it are made from exposed provenance.
#[repr(C)]
struct AmdQueue {
    queue_type: u32,
    features: u32,
    base_address: u64,
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
    hardware_doorbell_ptr: u64,
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
    /// The ring of a queue that `hsa_queue_create` of AMD's runtime returned. Submitting then calls nothing of the
    /// runtime.
    ///
    /// # Safety
    /// `queue` is the pointer that the runtime returned for such a queue, on a GPU, which is not destroyed while `'q`
    /// lasts. A pointer made from a reference to `hsa_queue_t` will not do: it reaches the 40 bytes of that type, and
    /// this reads the runtime's `amd_queue_t` around it, 0x88 bytes.
    ///
    /// Nobody else submits to the queue, unless by the runtime's functions while this ring is used as
    /// [`MultiProducer`](crate::MultiProducer): both reserve by atomic operations on the same index. The ring is in the
    /// host's memory, where ROCr puts it unless `HSA_ALLOCATE_QUEUE_DEV_MEM=1` is set (6.4 and later; see
    /// [`Ring::new`]).
    ///
    /// # Errors
    /// [`RingError::Queue`] names the field of the queue that cannot be used, [`RingError::Size`] is for its size.
    /// Doorbells of gfx7 and gfx8 (`AMD_SIGNAL_KIND_LEGACY_DOORBELL`) are refused.
    pub unsafe fn from_amd_queue(queue: NonNull<c_void>) -> Result<Ring<'q, MmioDoorbell>, RingError> {
        let queue = queue.cast::<AmdQueue>().as_ptr();
        // SAFETY: an hsa_queue_t of AMD's runtime is the start of an amd_queue_t. These fields stay as the runtime made
        // them; the others change, so there is never a reference to the whole.
        let (queue_type, base, signal, size) = unsafe {
            (
                (&raw const (*queue).queue_type).read(),
                (&raw const (*queue).base_address).read(),
                (&raw const (*queue).doorbell_signal).read(),
                (&raw const (*queue).size).read(),
            )
        };
        let refuse = |field, value, expected| Err(RingError::Queue { field, value, expected });
        if base == 0 || !base.is_multiple_of(crate::PACKET_BYTES as u64) {
            return refuse("base_address", base, "not null and aligned to 64 bytes");
        }
        if signal == 0 || !signal.is_multiple_of(64) {
            return refuse("doorbell_signal", signal, "an amd_signal_t");
        }
        let signal = with_exposed_provenance::<AmdSignal>(signal as usize);
        // SAFETY: the handle of a signal is the address of its amd_signal_t, which lives as long as the queue.
        let (kind, register) =
            unsafe { ((&raw const (*signal).kind).read(), (&raw const (*signal).hardware_doorbell_ptr).read()) };
        if kind != SIGNAL_KIND_DOORBELL {
            return refuse("doorbell_signal's kind", kind as u64, "-1, AMD_SIGNAL_KIND_DOORBELL (gfx9 and later)");
        }
        let doorbell = match NonNull::new(with_exposed_provenance_mut::<u64>(register as usize)) {
            // SAFETY: the runtime maps the doorbell for as long as the queue lives.
            Some(register) if register.is_aligned() => unsafe { MmioDoorbell::new(register) },
            _ => return refuse("hardware_doorbell_ptr", register, "the mapped doorbell, aligned to 8 bytes"),
        };
        let slots = size as usize;
        // Before there is a reference to that many; a queue's size is a power of two.
        if !slots.is_power_of_two() {
            return Err(RingError::Size { slots });
        }
        // SAFETY: the runtime allocated this many packets at `base`; every access goes through `Slot`'s atomics and
        // cells.
        let slots = unsafe { core::slice::from_raw_parts(with_exposed_provenance::<Slot>(base as usize), slots) };
        // SAFETY: both are accessed by atomic operations only, here and by the runtime, and live as long as the queue.
        let (write_index, read_index) = unsafe { (&(*queue).write_dispatch_id, &(*queue).read_dispatch_id) };
        // SAFETY: forwarded from this function's contract; the command processor keeps the protocol.
        let mut ring = unsafe { Ring::new(slots, write_index, read_index, doorbell) }?;
        ring.single_only = queue_type == QUEUE_TYPE_SINGLE;
        Ok(ring)
    }
}
