//! Running code: waves, work-groups, and what a dispatch gives them.
//!
//! A caller makes one [`Code`] per device, one [`Launch`] per dispatch and one [`Workgroup`] per worker thread; it starts each
//! work-group of the grid in a [`Workgroup`] and runs it until it is done, a quantum at a time.
//!
//! Not executed, each an [`Exception::IllegalInstruction`] that names the instruction: exports and interpolation (graphics only),
//! the global data share (`gds`), `ds_gws_sema_*`, `ds_ordered_count`, messages other than `MSG_INTERRUPT`,
//! returns from a trap handler (there is none: `s_trap` is reported to the caller, except 3, which does nothing), and of images `image_*_pck`,
//! `image_gather4h`, and resources with cubes, several samples, mip levels above the first, compression, anisotropic filters or
//! border colours from a table.
//! The memory model is stronger than the hardware's: every access is complete before the next instruction, nothing is cached.

mod access;
mod alu;
mod atomic;
mod buffer;
mod code;
mod control;
mod ds;
mod flat;
mod float;
mod format;
mod gws;
mod image;
mod launch;
mod machine;
mod memory;
mod mfma;
mod order;
mod piece;
mod relative;
mod run;
mod salu;
mod simd;
mod smem;
mod valu;
pub mod wave;
mod workgroup;

#[cfg(test)]
pub(crate) use alu::example as alu_example;
pub use alu::{AluFn, alu};
pub use code::Code;
pub use image::GB_ADDR_CONFIG;
pub use launch::{Launch, LaunchError, LaunchParameters, Scratch};
pub use order::Order;
pub use workgroup::Workgroup;

use crate::bus::MemoryFault;
use crate::inst::Inst;
use machine::Step;

/// Why [`Workgroup::run`] returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Every wave ended.
    Done,
    /// The budget is used up, or every wave that can run sleeps or polls. Run other work-groups, then this one again.
    Yielded,
    /// A wave raised an exception. The work-group cannot go on.
    Exception(Exception),
}

/// What stops a wave.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Exception {
    /// An undefined or unsupported instruction.
    #[error("illegal instruction at {pc:#x}: {text} (bytes {bytes:02x?})")]
    IllegalInstruction {
        /// Where it is.
        pc: u64,
        /// Its first bytes, as many as could be read.
        bytes: Vec<u8>,
        /// Its text where it decodes, else why it does not.
        text: String,
    },
    /// An access to memory that is not mapped, or not for this access.
    #[error("memory fault at {:#x} ({:?}) by the instruction at {pc:#x}", .fault.address, .fault.access)]
    MemoryFault {
        /// The instruction.
        pc: u64,
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
    /// `s_trap`. By convention of the compiler 2 is `llvm.trap`; 3 is `llvm.debugtrap`, which does nothing without a debugger.
    #[error("s_trap {id} at {pc:#x}")]
    Trap {
        /// The immediate of the instruction.
        id: u8,
        /// The instruction.
        pc: u64,
    },
}

/// What executes `inst`; `None` if nothing does.
fn lower(inst: &Inst) -> Option<Step> {
    use crate::inst::Format;
    let core = match inst.format {
        Format::Smem => smem::lower(inst),
        Format::Ds => ds::lower(inst),
        Format::Flat | Format::Global | Format::Scratch => flat::lower(inst),
        Format::Mubuf | Format::Mtbuf => buffer::lower(inst),
        Format::Mimg => image::lower(inst),
        Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk | Format::Sopp => control::lower(inst),
        _ => None,
    };
    core.map(Step::Core).or_else(|| alu(inst).map(Step::Alu))
}
