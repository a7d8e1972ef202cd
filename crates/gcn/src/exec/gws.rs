//! Global wave sync: barriers between all waves of a cooperative launch.

use super::machine::{CoreFn, Flow, Machine, Stop};
use super::wave::Wave;
use crate::inst::{Inst, Mods, Operand};
use crate::op::Op;

/// The function of a global wave sync instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    match inst.op {
        Op::DsGwsInit => Some(init),
        Op::DsGwsBarrier => Some(barrier),
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
    let value = match inst.src[0] {
        Operand::Vgpr { first, .. } => wave.vgpr[usize::from(first)].0[lane],
        _ => 0,
    };
    ((wave.sgpr[M0] >> 16 & 63).wrapping_add(offset) & 63, value)
}

fn init(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (resource, value) = operands(wave, inst);
    match machine.memory.bus.gws_init(resource, value) {
        true => Ok(Flow::Next),
        false => Err(Stop::Illegal("there is no global wave sync")),
    }
}

/// The wave executes the instruction again until the barrier opens.
fn barrier(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (resource, value) = operands(wave, inst);
    let ticket = wave.gws_ticket.take().or_else(|| machine.memory.bus.gws_arrive(resource, value));
    match ticket {
        Some(ticket) if !machine.memory.bus.gws_open(resource, ticket) => {
            wave.gws_ticket = Some(ticket);
            wave.pc = wave.pc.wrapping_sub(u64::from(inst.len));
            machine.slept = true;
            Ok(Flow::Pause)
        }
        _ => Ok(Flow::Next),
    }
}
