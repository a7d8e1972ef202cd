//! Faults of a GPU and of a queue.

use std::fmt;

use crate::error::debug_is_display;

/// Why a device is lost.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A kernel, copy or packet used an address that it may not.
    Memory(MemoryFault),
    /// The driver reset the GPU.
    Reset {
        /// Whether the contents of VRAM are gone.
        memory_lost: bool,
    },
    /// Memory of the card has an error that it could not correct. The program is not to blame.
    Ecc {
        /// A wave or a copy used what the card had marked as wrong before (`KFD_MEM_ERR_POISON_CONSUMED`). Linux also
        /// sends SIGBUS to the process then. Otherwise the driver found the error and reset the GPU
        /// (`KFD_MEM_ERR_SRAM_ECC`).
        poison: bool,
    },
}

/// A wrong access. GPUs report the page, not the byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MemoryFault {
    /// Device address of the page.
    pub address: u64,
    /// Nothing is mapped there.
    pub not_present: bool,
    /// A write to memory that is read-only.
    pub read_only: bool,
    /// Code was fetched from memory that is not executable. Linux never says so of a GPU of the gfx9 family (up to 6.12
    /// at least): such a fault gives no reason there.
    pub no_execute: bool,
    /// Whose memory of this process is there, or was: one that the program has, the guard behind it, or one that it
    /// dropped.
    pub allocation: Option<Allocation>,
}

/// Memory of this process at the address of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its first byte.
    pub address: u64,
    /// Its bytes, whole pages.
    pub bytes: u64,
    /// Which memory it is in.
    pub memory: &'static str,
    /// Where the fault is.
    pub place: FaultPlace,
}

/// Where in an [`Allocation`] an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// In it: it is read-only, or not mapped to the GPU that used it.
    Inside,
    /// In the page behind it, which is left free so that running over its end is a fault.
    Guard,
    /// It was there, and the program dropped it.
    Freed,
}

/// Why a queue stopped: the bits that the command processor or a trap handler stores into `queue_inactive_signal`, with
/// the meaning that ROCr gives them (`DynamicQueueEventsHandler` of `amd_aql_queue.cpp`).
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueError {
    /// More scratch memory is needed than the queue has.
    Scratch,
    /// A dispatch without or with wrong dimensions.
    Dimensions,
    /// More LDS than a work-group can have.
    GroupMemory,
    /// No kernel descriptor, or one that cannot run.
    Code,
    /// A packet that the queue does not process.
    Packet,
    /// A work-group with too many work-items.
    WorkgroupSize,
    /// A work-group whose waves need more vector registers than a compute unit has.
    Registers,
    /// A flat access outside the apertures.
    Aperture,
    /// An illegal instruction.
    IllegalInstruction,
    /// A trap, such as that of an assertion or `__builtin_trap`.
    Trap,
    /// A combination of bits that this crate does not know.
    Other(u64),
}

impl QueueError {
    pub(crate) fn from_bits(bits: u64) -> QueueError {
        // In ROCr's order. 0x400 is a lack of scratch of waves of 32 lanes.
        match bits {
            _ if bits & 0x401 != 0 => QueueError::Scratch,
            _ if bits & 0x2 != 0 => QueueError::Dimensions,
            _ if bits & 0x4 != 0 => QueueError::GroupMemory,
            _ if bits & 0x8 != 0 => QueueError::Code,
            _ if bits & 0x120 != 0 => QueueError::Packet,
            _ if bits & 0x40 != 0 => QueueError::WorkgroupSize,
            _ if bits & 0x80 != 0 => QueueError::Registers,
            _ if bits & 0x2000_0000 != 0 => QueueError::Aperture,
            _ if bits & 0x4000_0000 != 0 => QueueError::IllegalInstruction,
            _ if bits & 0x8000_0000 != 0 => QueueError::Trap,
            _ => QueueError::Other(bits),
        }
    }
}

impl Fault {
    /// How to go on.
    pub fn advice(&self) -> &'static str {
        match self {
            Fault::Memory(_) => "the driver runs nothing more of this process on it: start again in a new process",
            Fault::Reset { .. } => "start again in a new process",
            Fault::Ecc { .. } => {
                "start again in a new process; the kernel's log (dmesg) says where the error is; a card that has more of them needs to be replaced"
            }
        }
    }
}

impl std::error::Error for Fault {}
impl std::error::Error for MemoryFault {}
impl std::error::Error for QueueError {}

debug_is_display!(Fault MemoryFault QueueError);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Memory(fault) => fault.fmt(f),
            Fault::Reset { memory_lost: true } => {
                f.write_str("the driver reset the GPU, the contents of its memory are gone")
            }
            Fault::Reset { memory_lost: false } => f.write_str("the driver reset the GPU"),
            Fault::Ecc { poison: false } => f.write_str("memory of the card has an uncorrectable error (ECC)"),
            Fault::Ecc { poison: true } => {
                f.write_str("memory of the card has an uncorrectable error (ECC), and its data was used (poison)")
            }
        }
    }
}

impl fmt::Display for MemoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            MemoryFault { no_execute: true, .. } => "not executable",
            MemoryFault { read_only: true, .. } => "read-only",
            MemoryFault { not_present: true, .. } => "nothing is mapped there",
            _ => "no reason given",
        };
        write!(f, "memory fault in the page at {:#x} ({why})", self.address)?;
        let Some(Allocation { address, bytes, memory, place }) = self.allocation else { return Ok(()) };
        let subject = format!("{bytes} bytes of {memory} at {address:#x}");
        match place {
            FaultPlace::Inside => write!(f, ", byte {} of {subject}", self.address - address),
            FaultPlace::Guard => write!(f, ", behind the end of {subject}"),
            FaultPlace::Freed => write!(f, ", byte {} of {subject} that were dropped before", self.address - address),
        }
    }
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QueueError::Scratch => "a dispatch needs more scratch memory than the queue has",
            QueueError::Dimensions => "a dispatch with wrong dimensions",
            QueueError::GroupMemory => "a dispatch with more LDS than a work-group can have",
            QueueError::Code => "a dispatch of a kernel object that is none",
            QueueError::Packet => "a packet that GPUs do not process",
            QueueError::WorkgroupSize => "a work-group with too many work-items",
            QueueError::Registers => "a work-group that needs more vector registers than there are",
            QueueError::Aperture => "a flat access outside the apertures",
            QueueError::IllegalInstruction => "an illegal instruction",
            QueueError::Trap => "a trap",
            QueueError::Other(bits) => return write!(f, "error {bits:#x}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits, and what `DynamicQueueEventsHandler` of ROCr makes of them; the order is that of its comparisons.
    #[test]
    fn errors_of_queues_are_those_of_rocr() {
        use QueueError::*;
        let known = [
            (0x1, Scratch),
            (0x400, Scratch),
            (0x2, Dimensions),
            (0x4, GroupMemory),
            (0x8, Code),
            (0x20, Packet),
            (0x100, Packet),
            (0x40, WorkgroupSize),
            (0x80, Registers),
            (0x2000_0000, Aperture),
            (0x4000_0000, IllegalInstruction),
            (0x8000_0000, Trap),
        ];
        for (at, (bits, error)) in known.into_iter().enumerate() {
            let later: u64 = known[at..].iter().map(|(bits, _)| bits).sum();
            assert_eq!([bits, later].map(QueueError::from_bits), [error; 2], "{bits:#x}");
        }
        for bits in [0, 0x10, 0x200, 0x1000_0000, 1 << 32] {
            assert_eq!(QueueError::from_bits(bits), Other(bits));
        }
    }
}
