//! Accesses that a device refuses though memory is there: the device is told, and they are made all the same.
//!
//! Nothing is looked at before an access: it is made as on any device, and if it is refused it is undone and made again. So what loads have written to
//! registers is put back, as their addresses may be in the same ones, and atomics go on with the lane that was refused.

use super::atomic::Atomic;
use super::machine::{CoreFn, Flow, Machine, Stop};
use super::smem;
use super::wave::{Lanes, Wave, vector_index};
use crate::bus::Stray;
use crate::inst::{Format, Inst, Operand};

/// Registers that the widest load writes: four and the status of an image's texels.
const WIDEST: usize = 5;

/// Vector registers as they were before a load.
struct Registers {
    first: usize,
    count: usize,
    content: [Lanes; WIDEST],
}

impl Registers {
    /// Those that the instruction writes to.
    #[inline(always)]
    fn of(wave: &Wave, inst: &Inst) -> Option<Registers> {
        let (Operand::Vgpr { count, .. } | Operand::Agpr { count, .. }) = inst.dst[0] else { return None };
        let first = vector_index(inst.dst[0])?;
        let count = usize::from(count).min(WIDEST);
        let mut content = [Lanes::ZERO; WIDEST];
        content[..count].copy_from_slice(&wave.vgpr[first..first + count]);
        Some(Registers { first, count, content })
    }

    fn put_back(&self, wave: &mut Wave) {
        wave.vgpr[self.first..self.first + self.count].copy_from_slice(&self.content[..self.count]);
    }
}

/// Runs an instruction of a device that checks accesses.
pub(crate) fn run(core: CoreFn, wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let accesses_memory = !matches!(inst.format, Format::Sopp | Format::Sop1 | Format::Sopk | Format::Ds);
    let before = if accesses_memory { Registers::of(wave, inst) } else { None };
    let result = core(wave, inst, machine);
    let Err(Stop::Memory(fault)) = result else { return result };
    let Some(checks) = machine.memory.bus.checks() else { return result };
    if checks.mapped(fault.address, fault.access()).is_err() {
        return result;
    }
    if inst.format != Format::Smem || !smem::reads_ahead(wave, inst, fault.address) {
        let pc = wave.pc.wrapping_sub(inst.len.into());
        let (wave, lane) = (wave.index, fault.lane());
        checks.stray(&Stray { pc, instruction: inst, wave, lane, fault: fault.into() });
    }
    let exec = wave.exec();
    match (before, fault.lane()) {
        // The lanes below it are done.
        (_, Some(lane)) if Atomic::of(inst.op).is_some() => wave.set_exec(exec & u64::MAX << lane),
        (Some(before), _) => before.put_back(wave),
        (None, _) => {}
    }
    machine.memory.set_unchecked(true);
    let result = core(wave, inst, machine);
    machine.memory.set_unchecked(false);
    wave.set_exec(exec);
    result
}
