//! How the execution of a wave, a work-group or a dispatch ends.

use crate::machine::bus::MemoryFault;
use crate::machine::context::Stop;
use gcn_isa::inst::Inst;

/// Why [`Workgroup::run`](crate::exec::Workgroup::run) returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Every wave ended.
    Done,
    /// The budget is used up, or every wave that can run sleeps or polls. Run other work-groups, then this one again.
    Yielded,
    /// A wave raised an exception and is in a trap handler now, or was left as the driver's leaves it
    /// ([`Traps`](crate::machine::bus::Traps)). Run the work-group again.
    Trapped(Exception),
    /// A device that [replays](crate::machine::bus::Bus::replays) accesses refused this one with a memory fault. The
    /// wave is before the instruction again. Run the work-group again once the memory is mapped; otherwise it cannot
    /// continue.
    Faulted(Exception),
    /// A wave raised an exception. The work-group cannot continue.
    Exception(Exception),
}

/// Exceptions that stop a wave.
#[derive(Clone, PartialEq, thiserror::Error)]
pub enum Exception {
    /// An undefined or unsupported instruction.
    #[error("illegal instruction at {pc:#x}: {text} (bytes {bytes:02x?})")]
    IllegalInstruction {
        /// Where it is.
        pc: u64,
        /// The first bytes, as many as could be read.
        bytes: Vec<u8>,
        /// The text where it decodes, else why it does not.
        text: String,
    },
    /// An access to memory that is not mapped, or not for this access.
    #[error(
        "memory fault at {:#x} ({:?}) by {} at {pc:#x}{}", .fault.address, .fault.access,
        instruction.as_deref().unwrap_or("the instruction"), lane.map(|lane| format!(", lane {lane}")).unwrap_or_default()
    )]
    MemoryFault {
        /// The instruction.
        pc: u64,
        /// The text, as LLVM prints it. `None` if it could not be fetched, which is the fault then.
        instruction: Option<String>,
        /// The lane, 0 to 63. `None` for a scalar access and for what could not be fetched: those are the wave's.
        lane: Option<u8>,
        /// The access. With several faulting lanes, the lowest one's.
        fault: MemoryFault,
    },
    /// A FLAT access to the LDS or private aperture that is out of range or not allowed there.
    #[error("aperture violation at {address:#x} by the instruction at {pc:#x}")]
    ApertureViolation {
        /// The instruction.
        pc: u64,
        /// The FLAT address.
        address: u64,
    },
    /// `s_trap`. By convention of the compiler 2 is `llvm.trap`, 3 is `llvm.debugtrap`.
    #[error("s_trap {id} at {pc:#x}")]
    Trap {
        /// The immediate of the instruction.
        id: u8,
        /// The instruction.
        pc: u64,
    },
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for Exception {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Exception {
    /// Whether a wave continues after this exception in a process without a trap handler
    /// ([`Traps::NoHandler`](crate::machine::bus::Traps::NoHandler)).
    pub fn is_passed_over(&self) -> bool {
        matches!(self, Exception::Trap { id: 1.., .. })
    }
}

impl Stop {
    /// What a wave raises that stopped at this, of the instruction at `pc`.
    pub(crate) fn exception(self, pc: u64, inst: &Inst, bytes: Vec<u8>) -> Exception {
        match self {
            Stop::Memory(fault) => Exception::MemoryFault {
                pc,
                instruction: Some(inst.to_string()),
                lane: fault.lane(),
                fault: fault.into(),
            },
            Stop::Aperture(address) => Exception::ApertureViolation { pc, address },
            Stop::Illegal(why) => {
                Exception::IllegalInstruction { pc, bytes, text: format!("{}: {why}", inst.op.mnemonic()) }
            }
            Stop::Trap(id) => Exception::Trap { id, pc },
        }
    }
}
