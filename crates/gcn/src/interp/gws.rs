//! Global wave sync (GWS): barriers and semaphores for all waves of a cooperative launch.

use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use gcn_alu::wave::{Wave, vector_index};
use gcn_isa::inst::{Inst, Mods};
use gcn_isa::op::Op;

/// The function of a global wave sync instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    match inst.op {
        Op::DsGwsInit => Some(init),
        Op::DsGwsBarrier => Some(barrier),
        Op::DsGwsSemaP => Some(pass),
        Op::DsGwsSemaV => Some(|wave, inst, machine| release(wave, inst, machine, |_| 1)),
        Op::DsGwsSemaBr => Some(|wave, inst, machine| release(wave, inst, machine, |value| value)),
        Op::DsGwsSemaReleaseAll => Some(release_all),
        _ => None,
    }
}

/// The resource that the instruction names, and its operand: that of the first active lane.
fn operands(wave: &Wave, inst: &Inst) -> (u32, u32) {
    const M0: usize = 124;
    let offset = match inst.mods {
        Mods::Ds { offset0, .. } => u32::from(offset0),
        _ => 0,
    };
    let lane = wave.exec().trailing_zeros() as usize & 63;
    let value = vector_index(inst.src[0]).map_or(0, |register| wave.vgpr[register].0[lane]);
    ((wave.sgpr[M0] >> 16 & 63).wrapping_add(offset) & 63, value)
}

const ABSENT: Stop = Stop::Illegal("there is no global wave sync");

fn init(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (resource, value) = operands(wave, inst);
    if machine.memory.bus.gws_init(resource, value) { Ok(Flow::Next) } else { Err(ABSENT) }
}

fn release(wave: &mut Wave, inst: &Inst, machine: &mut Machine, count: fn(u32) -> u32) -> Result<Flow, Stop> {
    let (resource, value) = operands(wave, inst);
    if machine.memory.bus.gws_release(resource, count(value)) { Ok(Flow::Next) } else { Err(ABSENT) }
}

fn release_all(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (resource, _) = operands(wave, inst);
    if machine.memory.bus.gws_release_all(resource) { Ok(Flow::Next) } else { Err(ABSENT) }
}

/// The wave executes the instruction again until it may pass the semaphore.
fn pass(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (resource, _) = operands(wave, inst);
    match machine.memory.bus.gws_pass(resource, wave.gws_ticket.take()).ok_or(ABSENT)? {
        Ok(()) => Ok(Flow::Next),
        Err(ticket) => Ok(again(wave, inst, machine, ticket)),
    }
}

/// The wave waits, and then executes the instruction again with `ticket`.
fn again(wave: &mut Wave, inst: &Inst, machine: &mut Machine, ticket: u64) -> Flow {
    wave.gws_ticket = Some(ticket);
    wave.pc = wave.pc.wrapping_sub(u64::from(inst.len));
    machine.slept = true;
    Flow::Pause
}

/// The wave executes the instruction again until the barrier opens.
fn barrier(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (resource, value) = operands(wave, inst);
    let ticket = wave.gws_ticket.take().or_else(|| machine.memory.bus.gws_arrive(resource, value));
    match ticket {
        Some(ticket) if !machine.memory.bus.gws_open(resource, ticket) => Ok(again(wave, inst, machine, ticket)),
        _ => Ok(Flow::Next),
    }
}
