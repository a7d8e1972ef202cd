//! Scalar memory instructions (SMEM).

use crate::interp::atomic::Atomic;
use crate::machine::bus::{Access, Path};
use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use gcn_alu::wave::{Wave, reg, scalar_index};
use gcn_isa::inst::{Inst, Operand};
use gcn_isa::op::Op;

/// The function of an SMEM instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    use Op::*;
    Some(match inst.op {
        SMemtime => |w, i, m| {
            w.write_scalar64(i.dst[0], m.memory.bus.memtime());
            Ok(Flow::Next)
        },
        SMemrealtime => |w, i, m| {
            w.write_scalar64(i.dst[0], m.memory.bus.realtime());
            Ok(Flow::Next)
        },
        SDcacheInv | SDcacheInvVol => |_, _, m| {
            m.memory.invalidate(Path::Scalar);
            Ok(Flow::Next)
        },
        // Stores do not stay in the cache; probes only warm translations.
        SDcacheWb | SDcacheWbVol | SDcacheDiscard | SDcacheDiscardX2 | SAtcProbe | SAtcProbeBuffer => {
            |_, _, _| Ok(Flow::Next)
        }
        SLoadDword => load::<1, { PLAIN }>,
        SLoadDwordx2 => load::<2, { PLAIN }>,
        SLoadDwordx4 => load::<4, { PLAIN }>,
        SLoadDwordx8 => load::<8, { PLAIN }>,
        SLoadDwordx16 => load::<16, { PLAIN }>,
        SScratchLoadDword => load::<1, { SCRATCH }>,
        SScratchLoadDwordx2 => load::<2, { SCRATCH }>,
        SScratchLoadDwordx4 => load::<4, { SCRATCH }>,
        SBufferLoadDword => load::<1, { BUFFER }>,
        SBufferLoadDwordx2 => load::<2, { BUFFER }>,
        SBufferLoadDwordx4 => load::<4, { BUFFER }>,
        SBufferLoadDwordx8 => load::<8, { BUFFER }>,
        SBufferLoadDwordx16 => load::<16, { BUFFER }>,
        SStoreDword => store::<1, { PLAIN }>,
        SStoreDwordx2 => store::<2, { PLAIN }>,
        SStoreDwordx4 => store::<4, { PLAIN }>,
        SScratchStoreDword => store::<1, { SCRATCH }>,
        SScratchStoreDwordx2 => store::<2, { SCRATCH }>,
        SScratchStoreDwordx4 => store::<4, { SCRATCH }>,
        SBufferStoreDword => store::<1, { BUFFER }>,
        SBufferStoreDwordx2 => store::<2, { BUFFER }>,
        SBufferStoreDwordx4 => store::<4, { BUFFER }>,
        op => {
            let name = op.mnemonic();
            match (name.strip_prefix("s_atomic_"), name.strip_prefix("s_buffer_atomic_"), name.ends_with("_x2")) {
                (Some(_), _, false) => atomic::<{ PLAIN }, false>,
                (Some(_), _, true) => atomic::<{ PLAIN }, true>,
                (_, Some(_), false) => atomic::<{ BUFFER }, false>,
                (_, Some(_), true) => atomic::<{ BUFFER }, true>,
                _ => return None,
            }
        }
    })
}

const PLAIN: u8 = 0;
/// Offsets count 64 bytes.
const SCRATCH: u8 = 1;
/// The base is a buffer resource.
const BUFFER: u8 = 2;

/// Address of the first dword, and bytes that may be accessed from there.
#[inline(always)]
fn address<const SPACE: u8>(wave: &Wave, base: Operand, offsets: [Operand; 2]) -> (u64, u64) {
    let scale = if SPACE == SCRATCH { 64 } else { 1 };
    let mut offset = 0u64;
    for operand in offsets {
        match operand {
            Operand::None => {}
            // 21 bits, signed.
            Operand::Imm(v) => offset = offset.wrapping_add(i64::from(v) as u64),
            other => offset = offset.wrapping_add(u64::from(wave.read_scalar32(other)) * scale),
        }
    }
    if SPACE == BUFFER {
        let first = scalar_index(base).unwrap_or(0);
        let word = |i: usize| wave.sgpr[(first + i) & 127];
        let stride = u64::from(word(1) >> 16 & 0x3fff);
        let size = u64::from(word(2)) * stride.max(1);
        let offset = offset & 0xffff_ffff & !3;
        let start = u64::from(word(0)) | u64::from(word(1) & 0xffff) << 32;
        (start.wrapping_add(offset) & !3, size.saturating_sub(offset))
    } else {
        // The low bits of base and offset are ignored.
        ((wave.read_scalar64(base) & !3).wrapping_add(offset & !3), u64::MAX)
    }
}

/// Where a scalar load begins whose base is an address. `None`: it is none.
pub(crate) fn plain_load(wave: &Wave, inst: &Inst) -> Option<u64> {
    let is_load = inst.op.mnemonic().starts_with("s_load_");
    is_load.then(|| address::<PLAIN>(wave, inst.src[0], [inst.src[1], inst.src[2]]).0)
}

/// Where a scalar load begins whose base is an address or a buffer resource, how many bytes it may load, and how many
/// its registers have. `None`: it is none.
pub(crate) fn device_load(wave: &Wave, inst: &Inst) -> Option<(u64, u64, u64)> {
    let (Operand::Sgpr { count, .. } | Operand::Special { count, .. }) = inst.dst[0] else { return None };
    let offsets = [inst.src[1], inst.src[2]];
    let (at, size) = match inst.op.mnemonic() {
        name if name.starts_with("s_load_") => address::<PLAIN>(wave, inst.src[0], offsets),
        name if name.starts_with("s_buffer_load_") => address::<BUFFER>(wave, inst.src[0], offsets),
        _ => return None,
    };
    Some((at, size, u64::from(count) * 4))
}

/// Whether a scalar load that is refused at `refused` only reads ahead: it begins before, and is aligned to its size,
/// so it cannot leave the page. Compilers make such loads of shorter ones, as they never fault.
pub(crate) fn reads_ahead(wave: &Wave, inst: &Inst, refused: u64) -> bool {
    device_load(wave, inst).is_some_and(|(at, _, bytes)| at < refused && at.is_multiple_of(bytes))
}

fn load<const N: usize, const SPACE: u8>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (at, size) = address::<SPACE>(wave, inst.src[0], [inst.src[1], inst.src[2]]);
    let Some(first) = scalar_index(inst.dst[0]) else {
        return Err(Stop::Illegal("a scalar register is needed here"));
    };
    let mut values = [0; N];
    let bytes = N as u64 * 4;
    machine.memory.path = Path::Scalar;
    if bytes <= size
        && let Some(host) = machine.memory.find(at, bytes, Access::Read)?
    {
        for i in 0..N {
            wave.sgpr[(first + i) & 127] = host.read32(i * 4);
        }
        machine.memory.path = Path::Vector;
        return Ok(Flow::Next);
    }
    for (i, value) in values.iter_mut().enumerate() {
        let offset = i as u64 * 4;
        if offset + 4 <= size {
            *value = machine.memory.read32(at.wrapping_add(offset))?;
        }
    }
    machine.memory.path = Path::Vector;
    for (i, value) in values.into_iter().enumerate() {
        wave.sgpr[(first + i) & 127] = value;
    }
    Ok(Flow::Next)
}

fn store<const N: usize, const SPACE: u8>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (at, size) = address::<SPACE>(wave, inst.src[1], [inst.src[2], inst.src[3]]);
    let first = scalar_index(inst.src[0]).unwrap_or(reg::M0);
    machine.memory.path = Path::Scalar;
    for i in 0..N {
        let offset = i as u64 * 4;
        if offset + 4 <= size {
            machine.memory.write32(at.wrapping_add(offset), wave.sgpr[(first + i) & 127])?;
        }
    }
    machine.memory.path = Path::Vector;
    Ok(Flow::Next)
}

fn atomic<const SPACE: u8, const WIDE: bool>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
) -> Result<Flow, Stop> {
    let atomic = Atomic::of_inst(inst)?;
    let (at, size) = address::<SPACE>(wave, inst.src[1], [inst.src[2], inst.src[3]]);
    let bytes = if WIDE { 8 } else { 4 };
    machine.memory.path = Path::Scalar;
    let old = if size < bytes {
        0
    } else if WIDE {
        let a = wave.read_scalar64(inst.src[0]);
        let first = scalar_index(inst.src[0]).unwrap_or(0);
        let b = u64::from(wave.sgpr[(first + 2) & 127]) | u64::from(wave.sgpr[(first + 3) & 127]) << 32;
        machine.memory.atomic64(at, |old| atomic.apply64(old, a, b))?
    } else {
        let a = wave.read_scalar32(inst.src[0]);
        let first = scalar_index(inst.src[0]).unwrap_or(0);
        let b = wave.sgpr[(first + 1) & 127];
        u64::from(machine.memory.atomic32(at, |old| atomic.apply32(old, a, b))?)
    };
    machine.memory.path = Path::Vector;
    if WIDE {
        wave.write_scalar64(inst.dst[0], old);
    } else {
        wave.write_scalar32(inst.dst[0], old as u32);
    }
    Ok(Flow::Next)
}
