//! The error bits that a stopped queue reports in `queue_inactive_signal`, with ROCr's meanings.

/// The dispatch needs more scratch memory than the queue has. The queue continues when the signal is 0 again.
pub const INSUFFICIENT_SCRATCH: u64 = 0x1;
/// Dimension count or a size of zero.
pub const INVALID_DIMENSIONS: u64 = 0x2;
/// More LDS than a work-group can have.
pub const INVALID_GROUP_MEMORY: u64 = 0x4;
/// No kernel object, or one that cannot run.
pub const INVALID_CODE: u64 = 0x8;
/// A packet type that the queue does not process.
pub const INVALID_PACKET: u64 = 0x20;
/// More work-items in a work-group than fit.
pub const WORKGROUP_TOO_LARGE: u64 = 0x40;
/// The waves of a work-group need more vector registers than a compute unit has.
pub const OUT_OF_REGISTERS: u64 = 0x80;
/// A vendor packet that the queue does not process.
pub const INVALID_VENDOR_PACKET: u64 = 0x100;
/// The dispatch that used the scratch memory has completed (`AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE`). The queue
/// continues like after the first.
pub const SCRATCH_RECLAIM: u64 = 0x200;
/// A FLAT access outside the apertures.
pub const APERTURE_VIOLATION: u64 = 0x2000_0000;
/// An illegal instruction.
pub const ILLEGAL_INSTRUCTION: u64 = 0x4000_0000;
/// `s_trap`.
pub const TRAP: u64 = 0x8000_0000;

/// Errors that stop a queue for good.
pub const STOPPING: [u64; 10] = [
    INVALID_DIMENSIONS,
    INVALID_GROUP_MEMORY,
    INVALID_CODE,
    INVALID_PACKET,
    WORKGROUP_TOO_LARGE,
    OUT_OF_REGISTERS,
    INVALID_VENDOR_PACKET,
    APERTURE_VIOLATION,
    ILLEGAL_INSTRUCTION,
    TRAP,
];

/// Whether a wave raised the error. The runtime's trap handler then reports it, or the driver if the runtime asked for
/// that. The command processor itself reports errors of packets in any case.
pub fn is_of_wave(error: u64) -> bool {
    matches!(error, TRAP | ILLEGAL_INSTRUCTION | APERTURE_VIOLATION)
}
