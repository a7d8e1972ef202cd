//! Program flow, barriers, messages, and the hardware registers.

use crate::machine::bus::Traps;
use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use gcn_alu::wave::{Mode, Wave, reg};
use gcn_isa::inst::{Inst, Operand};
use gcn_isa::op::Op;
use gcn_isa::waitcnt;

/// The function of a control instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    use Op::*;
    Some(match inst.op {
        SBranch => |w, i, _| branch_if(w, i, true),
        SCbranchScc0 => |w, i, _| branch_if(w, i, !w.scc),
        SCbranchScc1 => |w, i, _| branch_if(w, i, w.scc),
        SCbranchVccz => |w, i, _| branch_if(w, i, w.vcc() == 0),
        SCbranchVccnz => |w, i, _| branch_if(w, i, w.vcc() != 0),
        SCbranchExecz => |w, i, _| branch_if(w, i, w.exec() == 0),
        SCbranchExecnz => |w, i, _| branch_if(w, i, w.exec() != 0),
        // The conditional debug flags are set by a debugger only.
        SCbranchCdbgsys | SCbranchCdbguser | SCbranchCdbgsysOrUser | SCbranchCdbgsysAndUser => |_, _, _| Ok(Flow::Next),
        SGetpcB64 => |w, i, _| {
            w.write_scalar64(i.dst[0], w.pc);
            Ok(Flow::Next)
        },
        SSetpcB64 => |w, i, _| {
            w.pc = w.read_scalar64(i.src[0]);
            Ok(Flow::Branch)
        },
        SSwappcB64 => |w, i, _| {
            let target = w.read_scalar64(i.src[0]);
            w.write_scalar64(i.dst[0], w.pc);
            w.pc = target;
            Ok(Flow::Branch)
        },
        SCallB64 => |w, i, _| {
            w.write_scalar64(i.dst[0], w.pc);
            branch_if(w, i, true)
        },
        SCbranchGFork => |w, i, _| {
            let target = w.read_scalar64(i.src[1]);
            fork(w, w.read_scalar64(i.src[0]), target)
        },
        SCbranchIFork => |w, i, _| {
            let mask =
                if i.src[0] != Operand::None && !matches!(i.src[0], Operand::Imm(_)) { i.src[0] } else { i.dst[0] };
            let target = w.pc.wrapping_add_signed(i64::from(immediate(i)) * 4);
            fork(w, w.read_scalar64(mask), target)
        },
        SCbranchJoin => join,
        SEndpgm | SEndpgmSaved | SEndpgmOrderedPsDone => |w, _, m| {
            end(w, m);
            Ok(Flow::Pause)
        },
        SSetkill => |w, i, m| {
            if immediate(i) & 1 == 0 {
                return Ok(Flow::Next);
            }
            end(w, m);
            Ok(Flow::Pause)
        },
        SBarrier => |w, _, m| {
            if m.waves == 1 {
                return Ok(Flow::Next);
            }
            w.at_barrier = true;
            m.at_barrier += 1;
            Ok(Flow::Pause)
        },
        // Every access is complete before the next instruction starts.
        SWaitcnt => |_, i, m| Ok(if m.leaving && waits_for_vector_memory(i) { Flow::Pause } else { Flow::Next }),
        // Sleeping waves of the group can be woken at any time.
        SNop | SWakeup | STtracedata | SIncperflevel | SDecperflevel => |_, _, _| Ok(Flow::Next),
        SSetprio => |_, _, _| Ok(Flow::Next),
        SSleep => |_, _, m| {
            m.slept = true;
            Ok(Flow::Pause)
        },
        SSethalt => |w, i, _| {
            w.halted = immediate(i) & 1 != 0;
            Ok(if w.runs() { Flow::Next } else { Flow::Pause })
        },
        SIcacheInv => |_, _, _| Ok(Flow::Refetch),
        SSendmsg => |w, i, m| {
            message(w, i, m)?;
            Ok(Flow::Next)
        },
        SSendmsghalt => |w, i, m| {
            message(w, i, m)?;
            w.halted = true;
            Ok(if w.runs() { Flow::Next } else { Flow::Pause })
        },
        // llvm.debugtrap does nothing without a debugger, if nobody else has a say.
        STrap if immediate(inst) == 3 => |_, _, m| match m.memory.bus.traps() {
            Traps::End => Ok(Flow::Next),
            _ => Err(Stop::Trap(3)),
        },
        STrap => |_, i, _| Err(Stop::Trap(immediate(i) as u8)),
        SGetregB32 => |w, i, m| {
            let value = Field::of(i)?.read(w, m)?;
            w.write_scalar32(i.dst[0], value);
            Ok(Flow::Next)
        },
        SSetregB32 => |w, i, m| {
            let register = i.src.iter().chain(&i.dst).find(|o| !matches!(o, Operand::Imm(_) | Operand::None));
            let value = register.map_or(0, |&o| w.read_scalar32(o));
            Field::of(i)?.write(w, m, value)
        },
        SSetregImm32B32 => |w, i, m| {
            let literal = i.src.iter().find_map(|o| if let Operand::Literal(v) = o { Some(*v) } else { None });
            // Without a literal operand the value is the second immediate.
            let immediates =
                || i.src.iter().filter_map(|o| if let Operand::Imm(v) = o { Some(*v as u32) } else { None });
            let value = literal.or_else(|| immediates().nth(1)).unwrap_or(0);
            Field::of(i)?.write(w, m, value)
        },
        SSetGprIdxOff => |w, _, _| {
            w.mode.0 &= !Mode::GPR_IDX_EN;
            Ok(Flow::Next)
        },
        SSetGprIdxMode => |w, i, _| {
            w.sgpr[reg::M0] = w.m0() & !0xf000 | (immediate(i) as u32 & 15) << 12;
            Ok(Flow::Next)
        },
        SSetGprIdxIdx => |w, i, _| {
            w.sgpr[reg::M0] = w.m0() & !0xff | w.read_scalar32(i.src[0]) & 0xff;
            Ok(Flow::Next)
        },
        SSetGprIdxOn => |w, i, _| {
            let enables = match i.src[1] {
                Operand::Imm(v) => v as u32,
                other => w.read_scalar32(other),
            };
            w.sgpr[reg::M0] = w.m0() & !0xf0ff | w.read_scalar32(i.src[0]) & 0xff | (enables & 15) << 12;
            w.mode.0 |= Mode::GPR_IDX_EN;
            Ok(Flow::Next)
        },
        SSetvskip => |w, i, _| {
            let bit = w.read_scalar32(i.src[1]) & 31;
            let skip = w.read_scalar32(i.src[0]) >> bit & 1 != 0;
            w.mode.0 = w.mode.0 & !Mode::VSKIP | if skip { Mode::VSKIP } else { 0 };
            Ok(Flow::Next)
        },
        SRfeB64 => |w, i, _| {
            if !w.privileged {
                return Err(Stop::Illegal("only a trap handler may return from an exception"));
            }
            w.privileged = false;
            w.pc = w.read_scalar64(i.src[0]);
            Ok(if w.runs() { Flow::Branch } else { Flow::Pause })
        },
        SRfeRestoreB64 => |_, _, _| Err(Stop::Illegal("gfx9 has it no more")),
        _ => return None,
    })
}

/// How many instructions of vector memory may be left when an `s_waitcnt` ends.
pub(crate) fn vmcnt(inst: &Inst) -> u32 {
    waitcnt::left(inst)[0]
}

/// Whether `s_waitcnt` lets fewer vector memory accesses be under way than there can be.
pub(crate) fn waits_for_vector_memory(inst: &Inst) -> bool {
    vmcnt(inst) != waitcnt::ALL_VMCNT
}

/// The immediate operand; 0 if there is none.
fn immediate(inst: &Inst) -> i32 {
    inst.src.iter().chain(&inst.dst).find_map(|o| if let Operand::Imm(v) = o { Some(*v) } else { None }).unwrap_or(0)
}

#[inline]
fn branch_if(wave: &mut Wave, inst: &Inst, taken: bool) -> Result<Flow, Stop> {
    if taken {
        wave.pc = wave.pc.wrapping_add_signed(i64::from(immediate(inst)) * 4);
    }
    // What is behind a branch may be compiled too.
    Ok(Flow::Branch)
}

/// The wave ends.
pub(crate) fn end(wave: &mut Wave, machine: &mut Machine) {
    wave.ended = true;
    machine.waves = machine.waves.saturating_sub(1);
}

/// Depth of the fork stack, MODE.CSP.
fn stack_depth(wave: &Wave) -> u32 {
    wave.mode.0 >> 29
}

fn set_stack_depth(wave: &mut Wave, depth: u32) {
    wave.mode.0 = wave.mode.0 & !(7 << 29) | (depth & 7) << 29;
}

/// The smaller side runs first; the other is pushed in four SGPRs.
fn fork(wave: &mut Wave, condition: u64, target: u64) -> Result<Flow, Stop> {
    let exec = wave.exec();
    let (pass, fail) = (condition & exec, !condition & exec);
    if pass == exec {
        wave.pc = target;
        return Ok(Flow::Branch);
    }
    if fail == exec {
        return Ok(Flow::Next);
    }
    let depth = stack_depth(wave);
    let (run, pushed_mask, pushed_pc, flow) = if fail.count_ones() < pass.count_ones() {
        (fail, pass, target, Flow::Next)
    } else {
        (pass, fail, wave.pc, Flow::Branch)
    };
    let slot = depth as usize * 4;
    for (i, value) in [pushed_mask, pushed_pc].into_iter().enumerate() {
        wave.sgpr[slot + i * 2] = value as u32;
        wave.sgpr[slot + i * 2 + 1] = (value >> 32) as u32;
    }
    set_stack_depth(wave, depth + 1);
    wave.set_exec(run);
    if flow == Flow::Branch {
        wave.pc = target;
    }
    Ok(flow)
}

fn join(wave: &mut Wave, inst: &Inst, _: &mut Machine) -> Result<Flow, Stop> {
    let saved = wave.read_scalar32(inst.src[0]) & 7;
    let depth = stack_depth(wave);
    if depth == saved {
        return Ok(Flow::Next);
    }
    let depth = depth.wrapping_sub(1) & 7;
    set_stack_depth(wave, depth);
    let slot = depth as usize * 4;
    let pair = |i: usize| u64::from(wave.sgpr[slot + i]) | u64::from(wave.sgpr[slot + i + 1]) << 32;
    let (exec, pc) = (pair(0), pair(2));
    wave.set_exec(exec);
    wave.pc = pc;
    Ok(Flow::Branch)
}

fn message(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<(), Stop> {
    const INTERRUPT: i32 = 1;
    const GET_DOORBELL: i32 = 10;
    match immediate(inst) & 15 {
        INTERRUPT => machine.memory.bus.interrupt(wave.m0(), wave.privileged),
        GET_DOORBELL => wave.sgpr[reg::EXEC] = machine.memory.bus.doorbell(),
        _ => return Err(Stop::Illegal("only MSG_INTERRUPT and MSG_GET_DOORBELL are served")),
    }
    Ok(())
}

/// A bit field of a hardware register: id\[5:0\], offset\[10:6\], size-1\[15:11\].
struct Field {
    id: u32,
    offset: u32,
    mask: u32,
}

mod hwreg {
    pub const MODE: u32 = 1;
    pub const STATUS: u32 = 2;
    pub const TRAPSTS: u32 = 3;
    pub const HW_ID: u32 = 4;
    pub const GPR_ALLOC: u32 = 5;
    pub const LDS_ALLOC: u32 = 6;
    pub const IB_STS: u32 = 7;
    pub const SH_MEM_BASES: u32 = 15;
    pub const TBA_LO: u32 = 16;
    pub const TMA_HI: u32 = 19;
    pub const XCC_ID: u32 = 20;
}

impl Field {
    fn of(inst: &Inst) -> Result<Field, Stop> {
        let code = immediate(inst) as u32;
        let size = (code >> 11 & 31) + 1;
        Ok(Field { id: code & 63, offset: code >> 6 & 31, mask: u32::MAX >> (32 - size) })
    }

    fn register(&self, wave: &Wave, machine: &Machine) -> Result<u32, Stop> {
        Ok(match self.id {
            hwreg::MODE => wave.mode.0,
            hwreg::STATUS => wave.status(machine.waves > 1),
            hwreg::TRAPSTS => wave.trapsts,
            hwreg::HW_ID => wave.hw_id,
            hwreg::GPR_ALLOC => 0,
            // In units of 128 dwords at bit 12; the base is 0.
            hwreg::LDS_ALLOC => (machine.lds.len() as u32).div_ceil(512) << 12,
            hwreg::IB_STS => 0,
            hwreg::SH_MEM_BASES => (wave.private_base >> 48) as u32 | (wave.shared_base >> 48 << 16) as u32,
            hwreg::TBA_LO..=hwreg::TMA_HI => 0,
            hwreg::XCC_ID => wave.xcc_id.ok_or(Stop::Illegal("no such hardware register"))?,
            _ => return Err(Stop::Illegal("no such hardware register")),
        })
    }

    fn read(&self, wave: &Wave, machine: &Machine) -> Result<u32, Stop> {
        Ok(self.register(wave, machine)? >> self.offset & self.mask)
    }

    fn write(&self, wave: &mut Wave, machine: &Machine, value: u32) -> Result<Flow, Stop> {
        let old = self.register(wave, machine)?;
        let mask = self.mask << self.offset;
        let new = old & !mask | value << self.offset & mask;
        // The others are read-only outside a trap handler.
        match self.id {
            hwreg::MODE => wave.mode.0 = new,
            hwreg::TRAPSTS => wave.trapsts = new,
            hwreg::STATUS if wave.privileged => wave.set_status(new),
            _ => {}
        }
        Ok(Flow::Next)
    }
}
