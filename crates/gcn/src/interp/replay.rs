//! Restarts an instruction whose access was refused: undoes its effects and waits before it until the device has the
//! memory (XNACK).
//!
//! Nothing is looked at before an access: it is made as on any device, and if it is refused it is undone. So what loads
//! have written to registers is put back, as their addresses may be in the same ones, and atomics go on with the lane
//! that was refused.

use crate::interp::atomic::Atomic;
use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use gcn_alu::wave::{Lanes, Wave, vector_index};
use gcn_isa::inst::{Format, Inst, Operand};

/// Registers that the widest load writes: four and the status of an image's texels.
const WIDEST: usize = 5;

/// Vector registers as they were before a load.
pub(crate) struct Checkpoint {
    first: usize,
    count: usize,
    content: [Lanes; WIDEST],
}

impl Checkpoint {
    /// The registers that the instruction overwrites, if it accesses memory.
    #[inline(always)]
    pub fn of(wave: &Wave, inst: &Inst) -> Option<Checkpoint> {
        if matches!(inst.format, Format::Sopp | Format::Sop1 | Format::Sopk | Format::Ds) {
            return None;
        }
        let (Operand::Vgpr { count, .. } | Operand::Agpr { count, .. }) = inst.dst[0] else { return None };
        let first = vector_index(inst.dst[0])?;
        let count = usize::from(count).min(WIDEST);
        let mut content = [Lanes::ZERO; WIDEST];
        content[..count].copy_from_slice(&wave.vgpr[first..first + count]);
        Some(Checkpoint { first, count, content })
    }

    fn put_back(&self, wave: &mut Wave) {
        wave.vgpr[self.first..self.first + self.count].copy_from_slice(&self.content[..self.count]);
    }
}

/// Takes back what an instruction has done before the access that was refused, so that it can be done again.
pub(crate) fn undo(before: Option<&Checkpoint>, wave: &mut Wave, inst: &Inst, refused: Option<u8>) {
    match (before, refused) {
        // The lanes below it are done.
        (_, Some(lane)) if Atomic::of(inst.op).is_some() => {
            let exec = wave.exec();
            wave.whole_exec.get_or_insert(exec);
            wave.set_exec(exec & u64::MAX << lane);
        }
        (Some(before), _) => before.put_back(wave),
        (None, _) => {}
    }
}

/// Ends an instruction: undone if its access was refused and it is to be done again, else with all the lanes enabled
/// that the program knows.
pub(crate) fn finish(
    result: Result<Flow, Stop>,
    before: Option<&Checkpoint>,
    wave: &mut Wave,
    inst: &Inst,
    replays: bool,
) -> Result<Flow, Stop> {
    match result {
        // The run loop takes the wave back to the instruction.
        Err(Stop::Memory(fault)) if replays => undo(before, wave, inst, fault.lane()),
        _ => _ = wave.whole_exec.take().map(|exec| wave.set_exec(exec)),
    }
    result
}

/// Executes an instruction on a device that [replays](crate::machine::bus::Bus::replays) accesses.
pub(crate) fn execute(core: CoreFn, wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let before = Checkpoint::of(wave, inst);
    let result = core(wave, inst, machine);
    finish(result, before.as_ref(), wave, inst, machine.memory.bus.replays())
}
