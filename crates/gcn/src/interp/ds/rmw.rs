//! LDS read-modify-write operations.

use crate::interp::atomic::{Atomic, by_op};
use crate::interp::ds::operands::{accesses, offsets, write_active};
use crate::interp::vmem;
use crate::interp::vmem::vector;
use crate::machine::context::{Flow, Machine, Stop};
use gcn_alu::wave::{LANES, Wave};
use gcn_isa::inst::{Inst, Operand};
use gcn_isa::op::Op;
use once_cell::race::OnceBox;

/// The operation of a read-modify-write, whether it is 64 bits wide, and whether its source is in LDS too (`src2`).
pub(crate) fn read_modify_write(op: Op) -> Option<(Atomic, bool, bool)> {
    static ALL: OnceBox<Vec<Option<(Atomic, bool, bool)>>> = OnceBox::new();
    ALL.get_or_init(|| Box::new(by_op(from_mnemonic)))[op as usize]
}

fn from_mnemonic(op: Op) -> Option<(Atomic, bool, bool)> {
    let name = op.mnemonic().strip_prefix("ds_")?;
    let (name, kind) = name.rsplit_once('_')?;
    let (name, source2) = match name.strip_suffix("_src2") {
        Some(name) => (name, true),
        None => (name.strip_suffix("_rtn").unwrap_or(name), false),
    };
    let atomic = match (name, kind.as_bytes().first()?) {
        ("add", b'f') => Atomic::FAdd { denormals: true },
        ("min", b'f') => Atomic::FMin,
        ("max", b'f') => Atomic::FMax,
        ("cmpst", b'f') => Atomic::FCmpswap,
        ("min", b'i') => Atomic::Smin,
        ("max", b'i') => Atomic::Smax,
        ("min", _) => Atomic::Umin,
        ("max", _) => Atomic::Umax,
        ("pk_add", b'f') => Atomic::PkAddF16,
        ("pk_add", _) => Atomic::PkAddBf16,
        ("add", _) => Atomic::Add,
        ("sub", _) => Atomic::Sub,
        ("rsub", _) => Atomic::Rsub,
        ("inc", _) => Atomic::Inc,
        ("dec", _) => Atomic::Dec,
        ("and", _) => Atomic::And,
        ("or", _) => Atomic::Or,
        ("xor", _) => Atomic::Xor,
        ("mskor", _) => Atomic::Mskor,
        ("wrxchg", _) => Atomic::Swap,
        ("write", _) if source2 => Atomic::Swap,
        ("cmpst", _) => Atomic::Cmpswap,
        ("wrap", _) => Atomic::Wrap,
        _ => return None,
    };
    Some((atomic, kind.ends_with("64"), source2))
}

/// Two exchanges of `N` dwords each; one if the offsets are equal, which leaves the result of the other as it is.
pub(super) fn exchange2<const N: usize, const SCALE: u32>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let data = [vector(inst.src[1])?, vector(inst.src[2])?];
    let (offset0, offset1) = offsets(inst);
    let accesses = accesses(inst);
    vmem::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i];
        let new: [[u32; 2]; 2] = data.map(|d| [wave.vgpr[d].0[i], wave.vgpr[d + 1].0[i]]);
        for (part, offset) in [offset0 * SCALE, offset1 * SCALE].into_iter().enumerate().take(accesses) {
            for (k, &value) in new[part][..N].iter().enumerate() {
                let at = at.wrapping_add(offset).wrapping_add(k as u32 * 4);
                wave.vgpr[first + part * N + k].0[i] = machine.lds.read32(at);
                machine.lds.write32(at, value);
            }
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Operands of a read-modify-write in the order of [`Atomic::apply32`]: DS has the comparand first.
fn in_order<T>(atomic: Atomic, data0: T, data1: T) -> (T, T) {
    match atomic {
        Atomic::Cmpswap | Atomic::FCmpswap => (data1, data0),
        _ => (data0, data1),
    }
}

/// The operation; `ds_add_f32` follows the denormal mode.
fn operation(wave: &Wave, inst: &Inst) -> Result<Atomic, Stop> {
    let (atomic, _, _) = read_modify_write(inst.op).ok_or(Stop::Illegal("unknown LDS operation"))?;
    Ok(match atomic {
        Atomic::FAdd { .. } => Atomic::FAdd { denormals: wave.mode.denorm_f32() == 3 },
        other => other,
    })
}

fn result(inst: &Inst) -> Result<Option<usize>, Stop> {
    match inst.dst[0] {
        Operand::None => Ok(None),
        other => vector(other).map(Some),
    }
}

pub(super) fn atomic32(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = operation(wave, inst)?;
    let (address, data0, data1) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.src[2])?);
    let result = result(inst)?;
    let (offset, _) = offsets(inst);
    vmem::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i].wrapping_add(offset) & !3;
        let (a, b) = in_order(atomic, wave.vgpr[data0].0[i], wave.vgpr[data1].0[i]);
        let old = machine.lds.atomic32(at, |old| atomic.apply32(old, a, b));
        if let Some(result) = result {
            wave.vgpr[result].0[i] = old;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

pub(super) fn atomic64(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = operation(wave, inst)?;
    let (address, data0, data1) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.src[2])?);
    let result = result(inst)?;
    let (offset, _) = offsets(inst);
    vmem::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i].wrapping_add(offset) & !7;
        let pair = |r: usize| u64::from(wave.vgpr[r].0[i]) | u64::from(wave.vgpr[r + 1].0[i]) << 32;
        let (a, b) = in_order(atomic, pair(data0), pair(data1));
        let old = machine.lds.atomic64(at, |old| atomic.apply64(old, a, b));
        if let Some(result) = result {
            wave.vgpr[result].0[i] = old as u32;
            wave.vgpr[result + 1].0[i] = (old >> 32) as u32;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Addresses of both sources of the `src2` operations. The second is a signed number of dwords away from the first; the
/// number is in the offset, or (if that has bit 15) in the address above its 17 bits.
pub(crate) fn source2_addresses(address: u32, inst: &Inst) -> (u32, u32) {
    let (offset, _) = offsets(inst);
    let (first, distance) = match offset & 0x8000 {
        0 => (address, (offset << 17) as i32 >> 17),
        _ => (address & 0x1_ffff, address as i32 >> 17),
    };
    (first, first.wrapping_add_signed(distance.wrapping_mul(4)))
}

pub(super) fn source2_32(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = operation(wave, inst)?;
    let address = vector(inst.src[0])?;
    vmem::lanes(wave.exec(), |i| {
        let (at, source) = source2_addresses(wave.vgpr[address].0[i], inst);
        let source = machine.lds.read32(source & !3);
        machine.lds.atomic32(at & !3, |old| atomic.apply32(old, source, 0));
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

pub(super) fn source2_64(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = operation(wave, inst)?;
    let address = vector(inst.src[0])?;
    vmem::lanes(wave.exec(), |i| {
        let (at, source) = source2_addresses(wave.vgpr[address].0[i], inst);
        let source = machine.lds.read64(source & !7);
        machine.lds.atomic64(at & !7, |old| atomic.apply64(old, source, 0));
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Two dwords, each exchanged if bit 31 of its data is set.
pub(super) fn conditional_exchange(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, data, first) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.dst[0])?);
    let (offset, _) = offsets(inst);
    vmem::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i].wrapping_add(offset) & !7;
        let new = [wave.vgpr[data].0[i], wave.vgpr[data + 1].0[i]];
        for (k, value) in new.into_iter().enumerate() {
            let at = at.wrapping_add(k as u32 * 4);
            wave.vgpr[first + k].0[i] = machine.lds.read32(at);
            if value & 1 << 31 != 0 {
                machine.lds.write32(at, value & !(1 << 31));
            }
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Adds or subtracts the number of active lanes, once per wave, at M0\[31:16\] + offset; every active lane gets the old
/// value.
pub(super) fn append<const ADD: bool>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let first = vector(inst.dst[0])?;
    let at = (wave.m0() >> 16).wrapping_add(offsets(inst).0) & !3;
    let count = wave.exec().count_ones();
    let old = machine.lds.read32(at);
    machine.lds.write32(at, if ADD { old.wrapping_add(count) } else { old.wrapping_sub(count) });
    write_active(wave, first, &[old; LANES]);
    Ok(Flow::Next)
}
