//! Loads of what nobody has written, of all memories but LDS, for devices that look for them.

use crate::machine::bus::{Checks, MemoryFault, Space, Storage, Stray};
use crate::machine::context::Machine;
use crate::sanitizer::init::poison;
use crate::sanitizer::trace::scratch_operands::Private;
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Format, Inst};

/// What an instruction is about to do.
pub(crate) struct Unwritten {
    /// In a box, as it is large, and most have none.
    private: Option<Box<Private>>,
    /// A load of device memory, by which lane.
    device: Option<(Option<u8>, MemoryFault)>,
}

impl Unwritten {
    /// What `inst` is about to do. `None`: nobody looks for it.
    #[inline(always)]
    pub fn before(wave: &Wave, inst: &Inst, machine: &mut Machine) -> Option<Unwritten> {
        let accesses_memory =
            matches!(inst.format, Format::Smem | Format::Flat | Format::Global | Format::Scratch | Format::Mubuf);
        if machine.watching.written.is_none() || !accesses_memory { None } else { Unwritten::look(wave, inst, machine) }
    }

    /// Not inlined: what devices do that look for other things must not become slower.
    #[inline(never)]
    fn look(wave: &Wave, inst: &Inst, machine: &mut Machine) -> Option<Unwritten> {
        let checks = machine.device.checks?;
        let device = poison::unwritten(machine.segments, wave, inst, &mut machine.memory, checks);
        Some(Unwritten { private: Private::of(machine.segments, wave, inst).map(Box::new), device })
    }

    /// Tells what of it was a load of what nobody has written, when it is done.
    #[inline(never)]
    pub fn tell(&self, wave: &Wave, inst: &Inst, machine: &mut Machine, checks: &dyn Checks) {
        if let Some((lane, fault)) = self.device {
            tell(wave, inst, Storage::Device, lane, fault, checks);
        }
        let private = self.private.as_ref().zip(machine.watching.written.as_mut());
        if let Some(touch) = private.and_then(|(private, written)| written.add_private(wave.index, private.touches())) {
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
