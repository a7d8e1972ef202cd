//! Enters the trap handler after an exception.
//!
//! The driver's own handler comes first. It is not run as code: what it does is done here, as Linux 6.12 has it
//! (`cwsr_trap_handler_gfx9.asm`). It hands on to the process's handler with
//!
//! | register | content |
//! |---|---|
//! | ttmp0, ttmp1\[15:0\] | program counter: of an `s_trap` or an illegal instruction, behind any other |
//! | ttmp1\[23:16\] | the immediate of `s_trap`, else 0; above it 0: nothing is rewound, no trap is the host's |
//! | ttmp2, ttmp3 | the address of the process's handler (TBA) |
//! | ttmp11\[31:26\], on gfx942 ttmp13's | IB_STS\[20:15\], which are 0 without XNACK |
//! | bit 23 of the same | 0: no debugger is there |
//! | ttmp12 | STATUS, which the handler writes back before it returns by `s_rfe_b64`: SCC is another one by then |
//! | ttmp14, ttmp15 | the address that the process gave with its handler (TMA) |
//!
//! TRAPSTS says which exception it was. While the handler runs, STATUS.HALT does not stop the wave. The others (ttmp4
//! to ttmp11, ttmp13, but for those bits) hold what they held. Hardware puts the wave's place in its dispatch there if
//! the process asked the driver for it (`KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK`), for debuggers.
//!
//! Without a handler of the process, a wave goes on behind an `s_trap`. It halts after anything else, and after `s_trap
//! 0`, which hardware keeps for itself; its program counter is 8 bytes lower then, as it may not be at an `s_endpgm`
//! when the driver saves it.

use crate::dispatch::outcome::Exception;
use crate::machine::bus::Traps;
use gcn_alu::wave::{Wave, reg};

/// TRAPSTS.MEM_VIOL.
const MEM_VIOL: u32 = 1 << 8;
/// TRAPSTS.ILLEGAL_INST.
const ILLEGAL_INST: u32 = 1 << 11;
/// Of ttmp11 or ttmp13: where the driver's handler keeps IB_STS, and whether a debugger is there.
const KEPT: u32 = 0xfc00_0000 | 1 << 23;
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
            wave.set_ttmp64(2, code);
            wave.sgpr[reg::TTMP + wave.trap_state] &= !KEPT;
            wave.sgpr[reg::TTMP + 12] = wave.status(in_group);
            wave.set_ttmp64(14, memory);
            // It looked last whether there is a handler.
            wave.scc = true;
            wave.pc = code;
        }
        Traps::NoHandler => {
            wave.trapsts |= cause;
            if !exception.is_passed_over() {
                wave.halted = true;
                wave.pc = pc.wrapping_sub(8);
            }
        }
    }
    true
}
