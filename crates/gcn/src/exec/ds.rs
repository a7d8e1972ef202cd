//! DS: the local data share, and the lane permutations that use its crossbar.

use super::access::{self, Dword, High, Low, Piece, Sbyte, Sshort, Ubyte, Ushort, vector};
use super::atomic::Atomic;
use super::machine::{CoreFn, Flow, Machine, Stop};
use super::wave::{LANES, Wave};
use crate::inst::{Inst, Mods, Operand};
use crate::op::Op;

/// The function of a DS instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    use Op::*;
    if let Some(sync) = super::gws::lower(inst) {
        return Some(sync);
    }
    if let Mods::Ds { gds: true, .. } = inst.mods {
        return Some(|_, _, _| Err(Stop::Illegal("there is no global data share")));
    }
    Some(match inst.op {
        DsNop => |_, _, _| Ok(Flow::Next),
        DsReadB32 => read::<Dword, 1>,
        DsReadB64 => read::<Dword, 2>,
        DsReadB96 => read::<Dword, 3>,
        DsReadB128 => read::<Dword, 4>,
        DsReadI8 => read::<Sbyte, 1>,
        DsReadU8 => read::<Ubyte, 1>,
        DsReadI16 => read::<Sshort, 1>,
        DsReadU16 => read::<Ushort, 1>,
        DsReadU8D16 => read::<Low<Ubyte>, 1>,
        DsReadU8D16Hi => read::<High<Ubyte>, 1>,
        DsReadI8D16 => read::<Low<Sbyte>, 1>,
        DsReadI8D16Hi => read::<High<Sbyte>, 1>,
        DsReadU16D16 => read::<Low<Ushort>, 1>,
        DsReadU16D16Hi => read::<High<Ushort>, 1>,
        DsWriteB32 => write::<Dword, 1>,
        DsWriteB64 => write::<Dword, 2>,
        DsWriteB96 => write::<Dword, 3>,
        DsWriteB128 => write::<Dword, 4>,
        DsWriteB8 => write::<Ubyte, 1>,
        DsWriteB16 => write::<Ushort, 1>,
        DsWriteB8D16Hi => write::<High<Ubyte>, 1>,
        DsWriteB16D16Hi => write::<High<Ushort>, 1>,
        DsRead2B32 => read2::<1, 4>,
        DsRead2st64B32 => read2::<1, 256>,
        DsRead2B64 => read2::<2, 8>,
        DsRead2st64B64 => read2::<2, 512>,
        DsWrite2B32 => write2::<1, 4>,
        DsWrite2st64B32 => write2::<1, 256>,
        DsWrite2B64 => write2::<2, 8>,
        DsWrite2st64B64 => write2::<2, 512>,
        DsWrxchg2RtnB32 => exchange2::<1, 4>,
        DsWrxchg2st64RtnB32 => exchange2::<1, 256>,
        DsWrxchg2RtnB64 => exchange2::<2, 8>,
        DsWrxchg2st64RtnB64 => exchange2::<2, 512>,
        DsPermuteB32 => permute,
        DsBpermuteB32 => bpermute,
        DsSwizzleB32 => swizzle,
        DsReadAddtidB32 => read_addtid,
        DsWriteAddtidB32 => write_addtid,
        DsAppend => append::<true>,
        DsConsume => append::<false>,
        DsCondxchg32RtnB64 => conditional_exchange,
        op => {
            let (_, wide, source2) = read_modify_write(op)?;
            match (wide, source2) {
                (false, false) => atomic32,
                (true, false) => atomic64,
                (false, true) => source2_32,
                (true, true) => source2_64,
            }
        }
    })
}

/// The operation of a read-modify-write by its mnemonic, whether it is 64 bits wide, and whether its source is in LDS too (`src2`).
fn read_modify_write(op: Op) -> Option<(Atomic, bool, bool)> {
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

fn offsets(inst: &Inst) -> (u32, u32) {
    match inst.mods {
        Mods::Ds { offset0, offset1, .. } => (u32::from(offset0), u32::from(offset1)),
        _ => (0, 0),
    }
}

/// The LDS as dwords and the dword number of lane 0, if all lanes access aligned consecutive groups of `N` dwords inside it.
#[inline]
fn consecutive<const N: usize>(wave: &Wave, address: usize, offset: u32, size: usize) -> Option<usize> {
    if wave.exec() != u64::MAX {
        return None;
    }
    let register = &wave.vgpr[address].0;
    let first = register[0].wrapping_add(offset);
    let mut differs = 0;
    for (i, &lane) in register.iter().enumerate() {
        differs |= lane.wrapping_sub(register[0]) ^ (i * N * 4) as u32;
    }
    (differs == 0 && first as usize + LANES * N * 4 <= size).then_some(first as usize)
}

/// Reads a dword per lane at `addresses` + `offset`.
#[inline]
fn gather(machine: &Machine, register: &mut [u32; LANES], addresses: &[u32; LANES], offset: u32, mask: u64) {
    let bytes = machine.lds.bytes();
    let mut highest = 0;
    for &address in addresses {
        highest = highest.max(u64::from(address) + u64::from(offset));
    }
    if mask == u64::MAX && highest + 4 <= bytes.len() as u64 {
        for (lane, &address) in register.iter_mut().zip(addresses) {
            let at = (address + offset) as usize;
            *lane = bytes.get(at..at + 4).map_or(0, dword);
        }
        return;
    }
    let mut rest = mask;
    while rest != 0 {
        let i = rest.trailing_zeros() as usize & (LANES - 1);
        register[i] = machine.lds.read32(addresses[i].wrapping_add(offset));
        rest &= rest - 1;
    }
}

fn dword(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn read<P: Piece, const N: usize>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let (offset, _) = offsets(inst);
    if N == 1
        && P::BYTES == 4
        && let Some(start) = consecutive::<1>(wave, address, offset, machine.lds.len())
    {
        let bytes = &machine.lds.bytes()[start..start + LANES * 4];
        for (lane, bytes) in wave.vgpr[first].0.iter_mut().zip(bytes.chunks_exact(4)) {
            *lane = dword(bytes);
        }
        return Ok(Flow::Next);
    }
    let addresses = wave.vgpr[address].0;
    let mask = wave.exec();
    if mask == u64::MAX && P::BYTES == 4 && addresses == [addresses[0]; LANES] {
        for k in 0..N {
            let value = machine.lds.read32(addresses[0].wrapping_add(offset).wrapping_add(k as u32 * 4));
            wave.vgpr[first + k].0 = [value; LANES];
        }
        return Ok(Flow::Next);
    }
    for k in 0..N {
        let register = &mut wave.vgpr[first + k].0;
        if P::BYTES == 4 {
            gather(machine, register, &addresses, offset.wrapping_add(k as u32 * 4), mask);
            continue;
        }
        access::lanes(mask, |i| {
            let at = addresses[i].wrapping_add(offset).wrapping_add(k as u32 * 4);
            register[i] = access::load_lds::<P>(machine.lds, register[i], at);
            Ok::<(), Stop>(())
        })?;
    }
    Ok(Flow::Next)
}

fn write<P: Piece, const N: usize>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.src[1])?);
    let (offset, _) = offsets(inst);
    if N == 1
        && P::BYTES == 4
        && let Some(start) = consecutive::<1>(wave, address, offset, machine.lds.len())
    {
        let bytes = &mut machine.lds.bytes_mut()[start..start + LANES * 4];
        for (lane, bytes) in wave.vgpr[first].0.iter().zip(bytes.chunks_exact_mut(4)) {
            bytes.copy_from_slice(&lane.to_le_bytes());
        }
        return Ok(Flow::Next);
    }
    for k in 0..N {
        access::lanes(wave.exec(), |i| {
            let at = wave.vgpr[address].0[i].wrapping_add(offset).wrapping_add(k as u32 * 4);
            access::store_lds::<P>(machine.lds, at, wave.vgpr[first + k].0[i]);
            Ok::<(), Stop>(())
        })?;
    }
    Ok(Flow::Next)
}

/// Two reads of `N` dwords each; offsets count `SCALE` bytes.
fn read2<const N: usize, const SCALE: u32>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let (offset0, offset1) = offsets(inst);
    let addresses = wave.vgpr[address].0;
    let mask = wave.exec();
    for (part, offset) in [offset0 * SCALE, offset1 * SCALE].into_iter().enumerate() {
        if mask == u64::MAX && addresses == [addresses[0]; LANES] {
            for k in 0..N {
                let value = machine.lds.read32(addresses[0].wrapping_add(offset).wrapping_add(k as u32 * 4));
                wave.vgpr[first + part * N + k].0 = [value; LANES];
            }
            continue;
        }
        for k in 0..N {
            let register = &mut wave.vgpr[first + part * N + k].0;
            gather(machine, register, &addresses, offset + k as u32 * 4, mask);
        }
    }
    Ok(Flow::Next)
}

fn write2<const N: usize, const SCALE: u32>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let address = vector(inst.src[0])?;
    let data = [vector(inst.src[1])?, vector(inst.src[2])?];
    let (offset0, offset1) = offsets(inst);
    for (data, offset) in data.into_iter().zip([offset0 * SCALE, offset1 * SCALE]) {
        access::lanes(wave.exec(), |i| {
            let at = wave.vgpr[address].0[i].wrapping_add(offset);
            for k in 0..N {
                machine.lds.write32(at.wrapping_add(k as u32 * 4), wave.vgpr[data + k].0[i]);
            }
            Ok::<(), Stop>(())
        })?;
    }
    Ok(Flow::Next)
}

fn exchange2<const N: usize, const SCALE: u32>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let data = [vector(inst.src[1])?, vector(inst.src[2])?];
    let (offset0, offset1) = offsets(inst);
    access::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i];
        let new: [[u32; 2]; 2] = data.map(|d| [wave.vgpr[d].0[i], wave.vgpr[d + 1].0[i]]);
        for (part, offset) in [offset0 * SCALE, offset1 * SCALE].into_iter().enumerate() {
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

fn atomic32(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = operation(wave, inst)?;
    let (address, data0, data1) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.src[2])?);
    let result = result(inst)?;
    let (offset, _) = offsets(inst);
    access::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i].wrapping_add(offset) & !3;
        let (a, b) = in_order(atomic, wave.vgpr[data0].0[i], wave.vgpr[data1].0[i]);
        let old = machine.lds.read32(at);
        machine.lds.write32(at, atomic.apply32(old, a, b));
        if let Some(result) = result {
            wave.vgpr[result].0[i] = old;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

fn atomic64(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = operation(wave, inst)?;
    let (address, data0, data1) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.src[2])?);
    let result = result(inst)?;
    let (offset, _) = offsets(inst);
    access::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i].wrapping_add(offset) & !7;
        let pair = |r: usize| u64::from(wave.vgpr[r].0[i]) | u64::from(wave.vgpr[r + 1].0[i]) << 32;
        let (a, b) = in_order(atomic, pair(data0), pair(data1));
        let old = machine.lds.read64(at);
        machine.lds.write64(at, atomic.apply64(old, a, b));
        if let Some(result) = result {
            wave.vgpr[result].0[i] = old as u32;
            wave.vgpr[result + 1].0[i] = (old >> 32) as u32;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Addresses of both sources of the `src2` operations. The second is a signed number of dwords away from the first; the number is
/// in the offset, or (if that has bit 15) in the address above its 17 bits.
fn source2_addresses(address: u32, inst: &Inst) -> (u32, u32) {
    let (offset, _) = offsets(inst);
    let (first, distance) = match offset & 0x8000 {
        0 => (address, (offset << 17) as i32 >> 17),
        _ => (address & 0x1_ffff, address as i32 >> 17),
    };
    (first, first.wrapping_add_signed(distance.wrapping_mul(4)))
}

fn source2_32(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = operation(wave, inst)?;
    let address = vector(inst.src[0])?;
    access::lanes(wave.exec(), |i| {
        let (at, source) = source2_addresses(wave.vgpr[address].0[i], inst);
        let source = machine.lds.read32(source & !3);
        let old = machine.lds.read32(at & !3);
        machine.lds.write32(at & !3, atomic.apply32(old, source, 0));
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

fn source2_64(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = operation(wave, inst)?;
    let address = vector(inst.src[0])?;
    access::lanes(wave.exec(), |i| {
        let (at, source) = source2_addresses(wave.vgpr[address].0[i], inst);
        let source = machine.lds.read64(source & !7);
        let old = machine.lds.read64(at & !7);
        machine.lds.write64(at & !7, atomic.apply64(old, source, 0));
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Two dwords, each exchanged if bit 31 of its data is set.
fn conditional_exchange(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, data, first) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.dst[0])?);
    let (offset, _) = offsets(inst);
    access::lanes(wave.exec(), |i| {
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

/// Every active lane sends; lanes that none sends to get 0. Of several senders the highest lane wins.
fn permute(wave: &mut Wave, inst: &Inst, _: &mut Machine) -> Result<Flow, Stop> {
    let (address, data, first) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.dst[0])?);
    let (offset, _) = offsets(inst);
    let exec = wave.exec();
    let mut sent = [0; LANES];
    access::lanes(exec, |i| {
        let to = wave.vgpr[address].0[i].wrapping_add(offset) >> 2 & 63;
        sent[to as usize] = wave.vgpr[data].0[i];
        Ok::<(), Stop>(())
    })?;
    write_active(wave, first, &sent);
    Ok(Flow::Next)
}

/// Every active lane fetches from another; inactive ones give 0.
fn bpermute(wave: &mut Wave, inst: &Inst, _: &mut Machine) -> Result<Flow, Stop> {
    let (address, data, first) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.dst[0])?);
    let (offset, _) = offsets(inst);
    let exec = wave.exec();
    let fetched = std::array::from_fn(|i| {
        let from = (wave.vgpr[address].0[i].wrapping_add(offset) >> 2 & 63) as usize;
        if exec >> from & 1 != 0 { wave.vgpr[data].0[from] } else { 0 }
    });
    write_active(wave, first, &fetched);
    Ok(Flow::Next)
}

fn write_active(wave: &mut Wave, first: usize, values: &[u32; LANES]) {
    let exec = wave.exec();
    for (i, lane) in wave.vgpr[first].0.iter_mut().enumerate() {
        if exec >> i & 1 != 0 {
            *lane = values[i];
        }
    }
}

/// The lane that `lane` fetches from, by the offset field of `ds_swizzle_b32`.
fn swizzle_source(pattern: u32, lane: usize) -> usize {
    let group = lane & !31;
    let lane32 = (lane & 31) as u32;
    if pattern & 0xe000 == 0xe000 {
        // FFT: the number of the lane is reversed, but for the high bits in the mask, which stay.
        let mask = pattern & 31;
        let reversed = lane32.reverse_bits() >> 27 >> mask.count_ones();
        return group | (reversed | lane32 & mask) as usize;
    }
    if pattern & 0xe000 == 0xc000 {
        // Rotate within 32 lanes; lanes whose mask bit is set keep their place.
        let (left, amount, mask) = (pattern >> 10 & 1 == 0, pattern >> 5 & 31, pattern & 31);
        let turned = if left { lane32.wrapping_add(amount) } else { lane32.wrapping_sub(amount) } & 31;
        return group | (lane32 & mask | turned & !mask & 31) as usize;
    }
    if pattern & 0x8000 != 0 {
        // Full permutation within groups of four.
        return lane & !3 | (pattern >> (2 * (lane & 3)) & 3) as usize;
    }
    let (and, or, xor) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
    group | ((lane32 & and | or) ^ xor) as usize
}

fn swizzle(wave: &mut Wave, inst: &Inst, _: &mut Machine) -> Result<Flow, Stop> {
    let (source, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let (pattern, _) = offsets(inst);
    let exec = wave.exec();
    let values = std::array::from_fn(|i| {
        let from = swizzle_source(pattern, i);
        if exec >> from & 1 != 0 { wave.vgpr[source].0[from] } else { 0 }
    });
    write_active(wave, first, &values);
    Ok(Flow::Next)
}

/// Address: M0\[15:0\] + offset + lane * 4.
fn read_addtid(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let first = vector(inst.dst[0])?;
    let base = (wave.m0() & 0xffff).wrapping_add(offsets(inst).0);
    access::lanes(wave.exec(), |i| {
        wave.vgpr[first].0[i] = machine.lds.read32(base.wrapping_add(i as u32 * 4));
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

fn write_addtid(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let first = vector(inst.src[0])?;
    let base = (wave.m0() & 0xffff).wrapping_add(offsets(inst).0);
    access::lanes(wave.exec(), |i| {
        machine.lds.write32(base.wrapping_add(i as u32 * 4), wave.vgpr[first].0[i]);
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Adds or subtracts the number of active lanes, once per wave, at M0\[31:16\] + offset; every active lane gets the old value.
fn append<const ADD: bool>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let first = vector(inst.dst[0])?;
    let at = (wave.m0() >> 16).wrapping_add(offsets(inst).0) & !3;
    let count = wave.exec().count_ones();
    let old = machine.lds.read32(at);
    machine.lds.write32(at, if ADD { old.wrapping_add(count) } else { old.wrapping_sub(count) });
    write_active(wave, first, &[old; LANES]);
    Ok(Flow::Next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzle_patterns() {
        // Swap neighbours; broadcast lane 0 of each 32; quad permutation 3,2,1,0; rotate left by one.
        assert_eq!(swizzle_source(0x1f | 1 << 10, 6), 7);
        assert_eq!(swizzle_source(0, 45), 32);
        assert_eq!(swizzle_source(0x8000 | 0b00_01_10_11, 5), 6);
        assert_eq!(swizzle_source(0xc000 | 1 << 5, 31), 0);
        assert_eq!(swizzle_source(0xe000, 1), 16);
    }

    #[test]
    fn every_lds_operation_has_a_function() {
        for &op in Op::ALL {
            let name = op.mnemonic();
            let info = op.info();
            if info.format != crate::inst::Format::Ds || info.has(crate::op::flags::GDS) {
                continue;
            }
            let inst = Inst {
                op,
                format: info.format,
                len: 8,
                dst: [Operand::None; 2],
                src: [Operand::None; 4],
                mods: Mods::Ds { offset0: 0, offset1: 0, gds: false },
            };
            assert!(lower(&inst).is_some(), "{name}");
        }
    }
}
