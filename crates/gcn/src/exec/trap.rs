//! From an exception to a trap handler.
//!
//! The driver's own handler comes first. It is not run as code: what it does is done here, as Linux 6.12 has it
//! (`cwsr_trap_handler_gfx9.asm`). It hands on to the process's handler with
//!
//! | register | content |
//! |---|---|
//! | ttmp0, ttmp1\[15:0\] | program counter: of an `s_trap` or an illegal instruction, behind any other |
//! | ttmp1\[23:16\] | the immediate of `s_trap`, else 0 |
//! | ttmp12 | STATUS, which the handler writes back before it returns by `s_rfe_b64` |
//! | ttmp14, ttmp15 | the address that the process gave with its handler (TMA) |
//!
//! TRAPSTS says which exception it was. While the handler runs, STATUS.HALT does not stop the wave.

use super::outcome::Exception;
use super::wave::{Wave, reg};
use crate::bus::Traps;

/// TRAPSTS.MEM_VIOL.
const MEM_VIOL: u32 = 1 << 8;
/// TRAPSTS.ILLEGAL_INST.
const ILLEGAL_INST: u32 = 1 << 11;
/// Bits of a program counter.
const PC: u64 = 0xffff_ffff_ffff;

/// Takes a wave, which raised `exception`, to what handles it. Returns false if nothing does: the work-group is over.
pub(crate) fn take(wave: &mut Wave, exception: &Exception, traps: Traps, in_group: bool) -> bool {
    let (cause, id, pc) = match *exception {
        // The driver takes all queues off the GPU, whatever a handler would do.
        Exception::MemoryFault { .. } => return false,
        Exception::IllegalInstruction { pc, .. } => (ILLEGAL_INST, 0, pc),
        // Hardware notices it some time later, too.
        Exception::ApertureViolation { .. } => (MEM_VIOL, 0, wave.pc),
        Exception::Trap { id, pc } => (0, id, pc),
    };
    match traps {
        Traps::End => return false,
        // The wave would enter the handler for ever, having lost where it came from.
        _ if wave.privileged => (wave.privileged, wave.halted) = (false, true),
        Traps::Handler { code, memory } => {
            wave.trapsts |= cause;
            wave.privileged = true;
            wave.set_ttmp64(0, pc & PC | u64::from(id) << 48);
            wave.sgpr[reg::TTMP + 12] = wave.status(in_group);
            wave.set_ttmp64(14, memory);
            wave.pc = code;
        }
        Traps::NoHandler => {
            wave.trapsts |= cause;
            wave.halted = !matches!(exception, Exception::Trap { .. });
        }
    }
    true
}
