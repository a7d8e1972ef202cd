//! Checks loads for uninitialised bytes, in all memories except LDS.

use crate::machine::bus::MemoryFault;
use crate::machine::context::Machine;
use crate::sanitizer::init::poison;
use crate::sanitizer::init::shadow_bits::Written;
use crate::sanitizer::report::{Checks, Space, Storage, Stray};
use crate::sanitizer::trace::scratch_operands::Private;
use gcn_alu::wave::Wave;
use gcn_isa::inst::Inst;

/// What an instruction is about to do.
pub(crate) struct Unwritten {
    /// In a box, as it is large, and most have none.
    private: Option<Box<Private>>,
    /// A load of device memory, by which lane.
    device: Option<(Option<u8>, MemoryFault)>,
}

impl Unwritten {
    /// Records the accesses of `inst` before it is executed.
    ///
    /// Not inlined: what devices do that look for other things must not become slower.
    #[inline(never)]
    pub fn before(wave: &Wave, inst: &Inst, machine: &mut Machine, checks: &dyn Checks) -> Unwritten {
        let device = poison::unwritten(machine.segments, wave, inst, &mut machine.memory, checks);
        Unwritten { private: Private::of(machine.segments, wave, inst).map(Box::new), device }
    }

    /// Reports the uninitialised bytes that the instruction loaded, after it was executed.
    pub fn tell(&self, wave: &Wave, inst: &Inst, machine: &mut Machine, written: &mut Written, checks: &dyn Checks) {
        if let Some((lane, fault)) = self.device {
            tell(wave, inst, Storage::Device, lane, fault, checks);
        }
        let private = self.private.as_ref();
        if let Some(touch) = private.and_then(|private| written.add_private(wave.index, private.touches())) {
            tell(wave, inst, Storage::Private, Some(touch.lane), touch.fault(), checks);
        }
        poison::note_stores(machine.segments, wave, inst, &mut machine.memory, checks);
    }
}

/// Tells of a load.
pub(crate) fn tell(
    wave: &Wave,
    inst: &Inst,
    storage: Storage,
    lane: Option<u8>,
    fault: MemoryFault,
    checks: &dyn Checks,
) {
    let pc = wave.pc.wrapping_sub(inst.len.into());
    let space = Space::Unwritten(storage);
    checks.stray(&Stray { pc, instruction: inst, wave: wave.index, lane, space, fault });
}
