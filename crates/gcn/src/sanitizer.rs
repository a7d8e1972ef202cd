//! Accesses that a device refuses though memory is there, or will be: they are made after all. Of the first kind the device is told, and they are made at
//! once; for the second the wave waits in front of its instruction until the device has the memory (XNACK).
//!
//! Nothing is looked at before an access: it is made as on any device, and if it is refused it is undone and made again. So what loads have written to
//! registers is put back, as their addresses may be in the same ones, and atomics go on with the lane that was refused.
//!
//! LDS refuses nothing, nor does what is around private memory and a kernel's arguments, nor memory that nobody has written. What an instruction will access there is noted before
//! it, and told when it is done.
pub(crate) mod bounds;
pub(crate) mod group_state;
pub(crate) mod init;
pub(crate) mod race;
pub(crate) mod sync;
pub(crate) mod trace;

use crate::interp::atomic::Atomic;
use crate::interp::{buffer, control, smem};
use crate::machine::bus::{Access, Checks, MemoryFault, Space, Storage, Stray};
use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use crate::sanitizer::bounds::{Outside, outside};
use crate::sanitizer::init::check;
use crate::sanitizer::init::check::Unwritten;
use crate::sanitizer::race::global::At;
use crate::sanitizer::race::intra_wave;
use crate::sanitizer::sync::waitcnt::{ALL_LGKMCNT, left};
use crate::sanitizer::trace::global::Touch;
use crate::sanitizer::trace::global_operands;
use crate::sanitizer::trace::lds::Touches;
use crate::sanitizer::trace::lds_operands;
use gcn_alu::wave::{Lanes, Wave, vector_index};
use gcn_isa::inst::{Format, Inst, Operand};
use gcn_isa::op::Op;

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

/// Takes back what an instruction has done before the access that was refused, so that it can be done again.
fn undo(before: Option<&Registers>, wave: &mut Wave, inst: &Inst, refused: Option<u8>) {
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

/// Runs an instruction of a device that checks accesses or replays them.
pub(crate) fn run(core: CoreFn, wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let accesses_memory = !matches!(inst.format, Format::Sopp | Format::Sop1 | Format::Sopk | Format::Ds);
    let before = if accesses_memory { Registers::of(wave, inst) } else { None };
    let bus = machine.memory.bus;
    let strays = machine.device.checks.filter(|_| machine.device.wanted.strays);
    let touches = if strays.is_some() || machine.watching.raced.is_some() || machine.watching.written.is_some() {
        lds_operands::touches(wave, inst)
    } else {
        None
    };
    let unwritten = Unwritten::before(wave, inst, machine);
    let mut outside = strays.and_then(|_| outside(machine.segments, wave, inst));
    let syncs = matches!(inst.op, Op::DsGwsBarrier);
    if let Some(races) = machine.watching.races.as_mut().filter(|_| syncs) {
        races.arrive(wave.index);
    }
    if machine.watching.barriers.is_some() {
        note_barriers(wave, inst, machine);
    }
    // The end of a wave waits for all.
    let waits = inst.op == Op::SWaitcnt && left(inst)[1] < ALL_LGKMCNT || inst.op == Op::SEndpgm;
    if let Some(races) = machine.watching.races.as_mut().filter(|_| waits) {
        races.wait(wave.index);
    }
    let shared = before_sharing(wave, inst, machine);
    let mut result = core(wave, inst, machine);
    if let Err(Stop::Memory(fault)) = result
        && let Some(checks) = machine.device.checks
        && checks.mapped(fault.address, fault.access()).is_ok()
    {
        if inst.format != Format::Smem || !smem::reads_ahead(wave, inst, fault.address) {
            let pc = wave.pc.wrapping_sub(inst.len.into());
            let (wave, lane) = (wave.index, fault.lane());
            checks.stray(&Stray { pc, instruction: inst, wave, lane, space: Space::Device, fault: fault.into() });
            // One of them is enough.
            outside = None;
        }
        undo(before.as_ref(), wave, inst, fault.lane());
        machine.memory.set_unchecked(true);
        result = core(wave, inst, machine);
        machine.memory.set_unchecked(false);
    }
    let is_done = !bus.replays() || !matches!(result, Err(Stop::Memory(_)));
    if let (Some(checks), Some(Outside { lane, space, fault })) = (strays, outside.filter(|_| is_done)) {
        let pc = wave.pc.wrapping_sub(inst.len.into());
        checks.stray(&Stray { pc, instruction: inst, wave: wave.index, lane, space, fault });
    }
    match (result, machine.device.checks) {
        // It will be done again.
        (Err(Stop::Memory(_)), _) | (_, None) => {}
        (_, Some(checks)) => {
            touches.iter().for_each(|touches| tell_of_lds(wave, inst, machine, touches, checks));
            unwritten.iter().for_each(|unwritten| unwritten.tell(wave, inst, machine, checks));
        }
    }
    if machine.watching.sharing.is_some()
        && let Ok(flow) = result
    {
        after_sharing(wave, inst, machine, shared, flow);
    }
    if let Some(races) = machine.watching.races.as_mut().filter(|_| syncs && result == Ok(Flow::Next)) {
        races.leave(wave.index);
    }
    match result {
        // The run loop takes the wave back to the instruction.
        Err(Stop::Memory(fault)) if bus.replays() => undo(before.as_ref(), wave, inst, fault.lane()),
        _ => _ = wave.whole_exec.take().map(|exec| wave.set_exec(exec)),
    }
    result
}

/// Notes who comes to a barrier, or ends, and tells of lanes that did not come to one before.
fn note_barriers(wave: &Wave, inst: &Inst, machine: &mut Machine) {
    let (Some(barriers), Some(checks)) = (&mut machine.watching.barriers, machine.device.checks) else { return };
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

/// What an instruction is about to do to device memory, if races are looked for there, with what it stores and what it gives noted.
fn before_sharing(wave: &Wave, inst: &Inst, machine: &mut Machine) -> Option<Touch> {
    let (Some(sharing), Some(checks)) = (&mut machine.watching.sharing, machine.device.checks) else {
        return None;
    };
    let shadow = checks.shadow()?;
    if inst.op == Op::DsGwsBarrier && wave.gws_ticket.is_none() {
        sharing.arrive(wave.index, shadow);
    }
    let touch = global_operands::touch(wave, inst, || sharing.runs())?;
    if let Some(&workgroup) = machine.watching.raced {
        intra_wave::tell(&intra_wave::At { wave, inst, workgroup }, &touch, checks);
    }
    sharing.before(&At { wave, inst, shadow, checks, caches: machine.memory.bus.caches() }, &touch);
    Some(touch)
}

/// Notes what it loaded and what it was given, and what orders accesses.
fn after_sharing(wave: &Wave, inst: &Inst, machine: &mut Machine, touch: Option<Touch>, flow: Flow) {
    let (Some(sharing), Some(checks)) = (&mut machine.watching.sharing, machine.device.checks) else { return };
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

/// Tells what an instruction has done to LDS outside of it, and inside of it what another wave did too, or where none has written.
fn tell_of_lds(wave: &Wave, inst: &Inst, machine: &mut Machine, touches: &Touches, checks: &dyn Checks) {
    let pc = wave.pc.wrapping_sub(inst.len.into());
    let bytes = machine.lds.len() as u32;
    if machine.device.wanted.strays
        && let Some(touch) = touches.outside(bytes)
    {
        let fault = MemoryFault { address: touch.address.max(bytes).into(), ..touch.fault() };
        let (wave, lane, space) = (wave.index, Some(touch.lane), Space::Lds { bytes });
        checks.stray(&Stray { pc, instruction: inst, wave, lane, space, fault });
    }
    if let Some(touch) = machine.watching.written.as_mut().and_then(|written| written.lds.add_rows(touches)) {
        check::tell(wave, inst, Storage::Lds, Some(touch.lane), touch.fault(), checks);
    }
    if let Some(sharing) = &mut machine.watching.sharing
        && touches.are_atomic()
    {
        sharing.add_local(wave.index, &touches.all().collect::<Vec<_>>());
    }
    if let Some(&workgroup) = machine.watching.raced {
        intra_wave::tell_of_lds(&intra_wave::At { wave, inst, workgroup }, touches, bytes, checks);
    }
    if let Some(races) = machine.watching.races.as_mut() {
        races.add(wave.index, pc, inst, touches, machine.lds.bytes(), checks);
    }
}
