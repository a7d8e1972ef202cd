//! Recognises loads that the source declares atomic though the code has plain loads, by the instructions after them.
//! Such loads are not reported as races.
//!
//! - In front of a compare-and-swap of the same place: compilers begin such a loop with a load, for atomics that the
//!   chip does not have. So do tables of hashes, which look at the next place if they find another key, so that a
//!   loop's end may be between.
//! - In a loop that accesses nothing else and does not change the address: what is no atomic (nor `volatile`) is loaded
//!   in front of such a loop. Compilers make the first round apart, so the load may be in front of one that is.

use crate::machine::bus::Access;
use crate::machine::memory::Host;
use crate::sanitizer::report::Checks;
use gcn_isa::decode::decode;
use gcn_isa::inst::{Format, Inst, Mods, Operand};
use gcn_isa::op::Op;

/// How many instructions are looked at.
const MOST: usize = 32;

/// Whether the load at `pc` is one.
#[cold]
pub(crate) fn is_atomic(pc: u64, load: &Inst, checks: &dyn Checks) -> bool {
    let mut at = pc.wrapping_add(load.len.into());
    let mut is_behind_a_loop = false;
    for _ in 0..MOST {
        let Some(inst) = instruction(at, load, checks) else { return false };
        if is_compare_and_swap(inst.op) && is_same_place(&inst, load) {
            return true;
        }
        match target(at, &inst) {
            Some(start) if start <= at => {
                if !is_behind_a_loop && only_loads(start..at, load, checks) {
                    return true;
                }
                // Behind this one comes nothing of it.
                if inst.op == Op::SBranch {
                    return false;
                }
                is_behind_a_loop = true;
            }
            _ if ends(inst.op) || changes_place(&inst, load) => return false,
            _ => {}
        }
        at = at.wrapping_add(inst.len.into());
    }
    false
}

/// Whether the code of a loop loads what `load` does, and accesses no other memory.
fn only_loads(code: std::ops::Range<u64>, load: &Inst, checks: &dyn Checks) -> bool {
    let mut at = code.start;
    let mut loads = 0;
    for _ in 0..MOST {
        if at >= code.end {
            return loads != 0;
        }
        let Some(inst) = instruction(at, load, checks) else { return false };
        let is_load = inst.op == load.op && is_same_place(&inst, load);
        if ends(inst.op) || changes_place(&inst, load) || !is_load && accesses_memory(&inst) {
            return false;
        }
        loads += u32::from(is_load);
        at = at.wrapping_add(inst.len.into());
    }
    false
}

fn instruction(at: u64, of: &Inst, checks: &dyn Checks) -> Option<Inst> {
    const LONGEST: u64 = 12;
    let window = checks.mapped(at, Access::Execute).ok()?;
    let host = Host::new(&window, at);
    let mut bytes = [0; LONGEST as usize];
    let inside = window.end.checked_sub(at)?.min(LONGEST) as usize;
    (0..inside).for_each(|i| bytes[i] = host.read8(i));
    decode(of.target, &bytes[..inside]).ok()
}

/// Where a branch goes.
fn target(at: u64, inst: &Inst) -> Option<u64> {
    let is_branch = inst.format == Format::Sopp && inst.op.mnemonic().contains("branch");
    let Operand::Imm(words) = inst.src[0] else { return None };
    is_branch.then(|| at.wrapping_add(inst.len.into()).wrapping_add_signed(i64::from(words) * 4))
}

/// Whether what is behind it is another time, or may be anything.
fn ends(op: Op) -> bool {
    matches!(op, Op::SBarrier | Op::SEndpgm | Op::SSetpcB64 | Op::SSwappcB64)
}

pub(crate) fn is_compare_and_swap(op: Op) -> bool {
    op.mnemonic().contains("_cmpst_") || op.mnemonic().contains("_cmpswap")
}

/// Registers of the address.
fn address(inst: &Inst) -> [Operand; 2] {
    let [at, second, third, _] = inst.src;
    match inst.format {
        Format::Global if inst.op.mnemonic().contains("_load_") => [at, second],
        Format::Global => [at, third],
        _ => [at, Operand::None],
    }
}

fn is_same_place(inst: &Inst, load: &Inst) -> bool {
    let offset = |inst: &Inst| match inst.mods {
        Mods::Ds { offset0, offset1, gds } => Some((i32::from(offset0), offset1, gds)),
        Mods::Flat { offset, .. } => Some((offset.into(), 0, false)),
        _ => None,
    };
    inst.format == load.format
        && address(inst) == address(load)
        && offset(inst).is_some()
        && offset(inst) == offset(load)
}

/// Whether it writes a register of the address.
fn changes_place(inst: &Inst, load: &Inst) -> bool {
    let range = |operand: Operand| match operand {
        Operand::Vgpr { first, count } => Some((true, first..first.saturating_add(count))),
        Operand::Sgpr { first, count } => Some((false, first..first.saturating_add(count))),
        _ => None,
    };
    let overlap = |a, b| match (range(a), range(b)) {
        (Some((is_a, a)), Some((is_b, b))) => is_a == is_b && a.start < b.end && b.start < a.end,
        _ => false,
    };
    inst.dst.iter().any(|&written| address(load).iter().any(|&of| overlap(written, of)))
}

fn accesses_memory(inst: &Inst) -> bool {
    use Format::{Ds, Exp, Flat, Global, Mimg, Mtbuf, Mubuf, Scratch, Smem};
    // Fences are of this format too.
    let is_fence = matches!(inst.op, Op::BufferWbinvl1 | Op::BufferWbinvl1Vol | Op::BufferInv | Op::BufferInvl2);
    matches!(inst.format, Ds | Exp | Flat | Global | Mimg | Mtbuf | Mubuf | Scratch | Smem) && !is_fence
}
