//! Checks on the accesses of a work-group's waves: bounds, initialisation, races, barriers and waits.
//!
//! An access that the device refuses though memory is there is reported and made all the same: it is undone and made
//! again without bounds. LDS refuses nothing, nor does what is around private memory and a kernel's arguments, nor
//! memory that nobody has written. What an instruction will access there is noted before it, and reported when it is
//! done.

mod allocations;
pub(crate) mod bounds;
mod group_state;
pub(crate) mod init;
pub(crate) mod race;
mod report;
pub(crate) mod sync;
pub(crate) mod trace;

pub use allocations::Allocations;
pub use race::footprint::{Footprint, Run};
pub use race::shadow::Shadow;
pub use report::{Checks, Race, Racer, Registers, Space, Storage, Stray, Unordered, Wanted, poison};

use crate::interp::replay::{self, Checkpoint};
use crate::interp::{buffer, control, smem};
use crate::machine::bus::{Access, MemoryFault};
use crate::machine::context::{CoreFn, Flow, Machine, Stop, Tool};
use bounds::{Outside, outside};
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Format, Inst};
use gcn_isa::op::Op;
use gcn_isa::waitcnt::{ALL_LGKMCNT, left};
pub(crate) use group_state::{Group, GroupState};
use init::check::{self, Unwritten};
use init::shadow_bits::Written;
use race::global::{At, Sharing};
use race::intra_wave;
use race::lds::Races;
use sync::barrier::Barriers;
use sync::waitcnt::Waits;
use trace::global::Touch;
use trace::lds::Touches;
use trace::{global_operands, lds_operands};

/// The sanitizer of one work-group, while it runs.
pub(crate) struct Sanitizer<'a> {
    /// Who is told.
    checks: &'a dyn Checks,
    wanted: Wanted,
    /// The work-group, if the device looks for races.
    raced: Option<&'a [u32; 3]>,
    /// Who accessed LDS, if the device looks for races and there are several waves.
    races: Option<&'a mut Races>,
    /// What the waves did to device memory, if the device looks for races there.
    sharing: Option<&'a mut Sharing>,
    /// Which bytes of LDS and of private memory were written, if the device looks for loads of others.
    written: Option<&'a mut Written>,
    /// Who came to which barrier, if the device looks for those that not all come to and there are several waves.
    barriers: Option<&'a mut Barriers>,
    /// What the waves have begun to load, if the device looks for waits that are missing.
    waits: Option<&'a mut Waits>,
}

impl Tool for Sanitizer<'_> {
    fn follows(&self) -> bool {
        self.checks.follows() || self.waits.is_some()
    }

    fn step(&mut self, wave: &Wave, pc: u64, inst: &Inst) {
        self.checks.step(wave.index, pc);
        if let Some(waits) = &mut self.waits {
            waits.step(wave, pc, inst, self.checks);
        }
    }

    fn barrier(&mut self) {
        self.races.iter_mut().for_each(|races| races.barrier());
        self.sharing.iter_mut().for_each(|sharing| sharing.barrier());
        self.barriers.iter().for_each(|barriers| barriers.open(self.checks));
    }

    fn wants_lds(&mut self) -> bool {
        self.written.as_mut().is_some_and(|written| !written.lds.is_complete())
    }

    fn execute(&mut self, core: CoreFn, wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
        let before = Checkpoint::of(wave, inst);
        let bus = machine.memory.bus;
        let checks = self.checks;
        let strays = self.wanted.strays;
        let touches = if strays || self.raced.is_some() || self.written.is_some() {
            lds_operands::touches(wave, inst)
        } else {
            None
        };
        let unwritten = self.before_load(wave, inst, machine);
        let mut outside = if strays { outside(machine.segments, wave, inst) } else { None };
        let syncs = matches!(inst.op, Op::DsGwsBarrier);
        if let Some(races) = self.races.as_mut().filter(|_| syncs) {
            races.arrive(wave.index);
        }
        if self.barriers.is_some() {
            self.note_barriers(wave, inst, machine);
        }
        // The end of a wave waits for all.
        let waits = inst.op == Op::SWaitcnt && left(inst)[1] < ALL_LGKMCNT || inst.op == Op::SEndpgm;
        if let Some(races) = self.races.as_mut().filter(|_| waits) {
            races.wait(wave.index);
        }
        let shared = self.before_sharing(wave, inst, machine);
        let mut result = core(wave, inst, machine);
        if let Err(Stop::Memory(fault)) = result
            && bus.mapped(fault.address, fault.access()).is_ok()
        {
            if inst.format != Format::Smem || !smem::reads_ahead(wave, inst, fault.address) {
                let pc = wave.pc.wrapping_sub(inst.len.into());
                let (wave, lane) = (wave.index, fault.lane());
                checks.stray(&Stray { pc, instruction: inst, wave, lane, space: Space::Device, fault: fault.into() });
                // One of them is enough.
                outside = None;
            }
            replay::undo(before.as_ref(), wave, inst, fault.lane());
            machine.memory.set_unchecked(true);
            result = core(wave, inst, machine);
            machine.memory.set_unchecked(false);
        }
        let is_done = !bus.replays() || !matches!(result, Err(Stop::Memory(_)));
        if let Some(Outside { lane, space, fault }) = outside.filter(|_| is_done) {
            let pc = wave.pc.wrapping_sub(inst.len.into());
            checks.stray(&Stray { pc, instruction: inst, wave: wave.index, lane, space, fault });
        }
        // Otherwise it will be done again.
        if !matches!(result, Err(Stop::Memory(_))) {
            touches.iter().for_each(|touches| self.tell_of_lds(wave, inst, machine, touches));
            unwritten.iter().for_each(|unwritten| self.tell_unwritten(unwritten, wave, inst, machine));
        }
        if self.sharing.is_some()
            && let Ok(flow) = result
        {
            self.after_sharing(wave, inst, machine, shared, flow);
        }
        if let Some(races) = self.races.as_mut().filter(|_| syncs && result == Ok(Flow::Next)) {
            races.leave(wave.index);
        }
        replay::finish(result, before.as_ref(), wave, inst, bus.replays())
    }
}

impl Sanitizer<'_> {
    /// Notes who comes to a barrier, or ends, and tells of lanes that did not come to one before.
    fn note_barriers(&mut self, wave: &Wave, inst: &Inst, machine: &mut Machine) {
        let checks = self.checks;
        let Some(barriers) = &mut self.barriers else { return };
        let at = (wave.pc.wrapping_sub(inst.len.into()), *inst);
        match inst.op {
            Op::SBarrier => {
                barriers.come(wave.index, at, wave.exec(), checks);
                // It will not wait.
                if machine.waves == 1 {
                    barriers.open(checks);
                }
            }
            Op::SEndpgm | Op::SEndpgmSaved | Op::SEndpgmOrderedPsDone | Op::SSetkill => barriers.end(wave.index, at),
            op if inst.format == Format::Global && matches!(lds_operands::piece(op), Some((Access::Write, _))) => {
                barriers.act(wave.index, at, wave.exec(), checks);
            }
            _ => {}
        }
    }

    /// What an instruction is about to do to device memory, if races are looked for there, with what it stores and what
    /// it gives noted.
    fn before_sharing(&mut self, wave: &Wave, inst: &Inst, machine: &mut Machine) -> Option<Touch> {
        let checks = self.checks;
        let sharing = self.sharing.as_mut()?;
        let shadow = checks.shadow()?;
        if inst.op == Op::DsGwsBarrier && wave.gws_ticket.is_none() {
            sharing.arrive(wave.index, shadow);
        }
        let touch = global_operands::touch(wave, inst, || sharing.runs())?;
        if let Some(&workgroup) = self.raced {
            intra_wave::tell(&intra_wave::At { wave, inst, workgroup }, &touch, checks);
        }
        sharing.before(&At { wave, inst, shadow, checks, caches: machine.memory.bus.caches() }, &touch);
        Some(touch)
    }

    /// Notes what it loaded and what it was given, and what orders accesses.
    fn after_sharing(&mut self, wave: &Wave, inst: &Inst, machine: &mut Machine, touch: Option<Touch>, flow: Flow) {
        let checks = self.checks;
        let Some(sharing) = &mut self.sharing else { return };
        let Some(shadow) = checks.shadow() else { return };
        match (inst.op, touch) {
            (_, Some(touch)) => {
                sharing.after(&At { wave, inst, shadow, checks, caches: machine.memory.bus.caches() }, touch);
            }
            (Op::SWaitcnt, _) => sharing.wait(wave.index, control::vmcnt(inst)),
            (Op::DsGwsBarrier, _) if flow == Flow::Next => sharing.leave(wave.index, shadow),
            _ if buffer::invalidates(inst) => sharing.invalidate(),
            _ => {}
        }
    }

    /// Tells what an instruction has done to LDS outside of it, and inside of it what another wave did too, or where
    /// none has written.
    fn tell_of_lds(&mut self, wave: &Wave, inst: &Inst, machine: &mut Machine, touches: &Touches) {
        let pc = wave.pc.wrapping_sub(inst.len.into());
        let checks = self.checks;
        let bytes = machine.lds.len() as u32;
        if self.wanted.strays
            && let Some(touch) = touches.outside(bytes)
        {
            let fault = MemoryFault { address: touch.address.max(bytes).into(), ..touch.fault() };
            let (wave, lane, space) = (wave.index, Some(touch.lane), Space::Lds { bytes });
            checks.stray(&Stray { pc, instruction: inst, wave, lane, space, fault });
        }
        if let Some(touch) = self.written.as_mut().and_then(|written| written.lds.add_rows(touches)) {
            check::tell(wave, inst, Storage::Lds, Some(touch.lane), touch.fault(), checks);
        }
        if let Some(sharing) = &mut self.sharing
            && touches.are_atomic()
        {
            sharing.add_local(wave.index, &touches.all().collect::<Vec<_>>());
        }
        if let Some(&workgroup) = self.raced {
            intra_wave::tell_of_lds(&intra_wave::At { wave, inst, workgroup }, touches, bytes, checks);
        }
        if let Some(races) = self.races.as_mut() {
            races.add(wave.index, pc, inst, touches, machine.lds.bytes(), checks);
        }
    }

    /// What an instruction is about to load, if loads of what nobody has written are looked for.
    #[inline(always)]
    fn before_load(&mut self, wave: &Wave, inst: &Inst, machine: &mut Machine) -> Option<Unwritten> {
        let accesses_memory =
            matches!(inst.format, Format::Smem | Format::Flat | Format::Global | Format::Scratch | Format::Mubuf);
        if self.written.is_none() || !accesses_memory {
            return None;
        }
        Some(Unwritten::before(wave, inst, machine, self.checks))
    }

    /// Tells what of it was a load of what nobody has written, when it is done.
    #[inline(never)]
    fn tell_unwritten(&mut self, unwritten: &Unwritten, wave: &Wave, inst: &Inst, machine: &mut Machine) {
        if let Some(written) = &mut self.written {
            unwritten.tell(wave, inst, machine, written, self.checks);
        }
    }
}
