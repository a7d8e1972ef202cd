//! LDS loads and stores.

use crate::interp::ds::operands::{accesses, offsets};
use crate::interp::vmem;
use crate::interp::vmem::element::Piece;
use crate::interp::vmem::{FULL_ROW, Row, vector};
use crate::machine::context::{Flow, Lds, Machine, Stop};
use gcn_alu::simd;
use gcn_alu::simd::{ROW, Vectored, vectored};
use gcn_alu::wave::{LANES, Lanes, Wave};
use gcn_isa::inst::Inst;

/// Whether every enabled lane's dword at its address plus `offset` is inside `size` bytes.
#[inline(always)]
fn inside(addresses: &[u32; LANES], offset: u32, mask: u64, size: usize) -> bool {
    // LDS has 64 KiB, so the limit fits.
    let Some(limit) = size.checked_sub(offset as usize + 4) else { return false };
    let mut outside = 0;
    for half in 0..2 {
        let bits = (mask >> (32 * half)) as u32;
        for lane in 0..32 {
            outside |= u32::from(addresses[32 * half + lane] > limit as u32) & bits >> lane;
        }
    }
    outside & 1 == 0
}

/// How the lanes of a row access `size` bytes each.
#[inline(always)]
fn pattern(addresses: &[u32; ROW], size: u32) -> Row {
    let (mut apart, mut differs) = (0, 0);
    for (i, address) in addresses.iter().enumerate() {
        let distance = address.wrapping_sub(addresses[0]);
        apart |= distance ^ (size * i as u32);
        differs |= distance;
    }
    Row::of(apart == 0, differs == 0)
}

/// The dwords of `bytes` at `at`.
#[inline(always)]
fn dwords(bytes: &[u8], at: usize) -> Option<[u32; ROW]> {
    let bytes: &[u8; 4 * ROW] = bytes.get(at..)?.first_chunk()?;
    let mut row = [0; ROW];
    for (dword, bytes) in row.iter_mut().zip(bytes.chunks_exact(4)) {
        *dword = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    Some(row)
}

/// The first lanes' addresses, by rows, if all lanes access `N` dwords each and those of a row are side by side.
#[inline(always)]
fn rows_side_by_side<const N: usize>(addresses: &[u32; LANES], offset: u32, mask: u64) -> Option<[usize; LANES / ROW]> {
    let mut starts = [0; LANES / ROW];
    for (start, row) in starts.iter_mut().zip(addresses.as_chunks::<ROW>().0) {
        if N < 2 || mask != u64::MAX || !matches!(pattern(row, 4 * N as u32), Row::Consecutive) {
            return None;
        }
        *start = row[0].checked_add(offset)? as usize;
    }
    Some(starts)
}

/// Reads `N` dwords per lane at `addresses` + `offset`.
#[inline(always)]
fn gather_all<const N: usize>(lds: &Lds, registers: &mut [Lanes], addresses: &[u32; LANES], offset: u32, mask: u64) {
    if let Some(starts) = rows_side_by_side::<N>(addresses, offset, mask)
        && starts.iter().all(|start| start + 4 * ROW * N <= lds.len())
        && let Some(registers) = registers.first_chunk_mut::<N>()
    {
        for (row, start) in starts.into_iter().enumerate() {
            let mut dwords = [0; 4 * ROW];
            for (dword, bytes) in dwords.iter_mut().zip(lds.bytes()[start..start + 4 * ROW * N].as_chunks().0) {
                *dword = u32::from_le_bytes(*bytes);
            }
            simd::part_row(&dwords, registers, row);
        }
        return;
    }
    for (k, register) in registers.iter_mut().enumerate().take(N) {
        gather(lds, &mut register.0, addresses, offset + k as u32 * 4, mask);
    }
}

/// Reads a dword per lane at `addresses` + `offset`.
#[inline(always)]
fn gather(lds: &Lds, register: &mut [u32; LANES], addresses: &[u32; LANES], offset: u32, mask: u64) {
    if !inside(addresses, offset, mask, lds.len()) {
        return gather_any(lds, register, addresses, offset, mask);
    }
    let bytes = lds.bytes();
    let rows = register.as_chunks_mut::<ROW>().0.iter_mut().zip(addresses.as_chunks::<ROW>().0);
    for (n, (register, addresses)) in rows.enumerate() {
        let enabled = (mask >> (ROW * n)) & FULL_ROW;
        let at = |i: usize| (addresses[i] + offset) as usize;
        let row = if enabled == FULL_ROW { pattern(addresses, 4) } else { Row::Other };
        match row {
            Row::Consecutive => *register = dwords(bytes, at(0)).unwrap_or([0; ROW]),
            Row::Same => *register = [dword(bytes, at(0)); ROW],
            Row::Other => {
                let mut rest = enabled;
                while rest != 0 {
                    let i = rest.trailing_zeros() as usize % ROW;
                    register[i] = dword(bytes, at(i));
                    rest &= rest - 1;
                }
            }
        }
    }
}

/// [`gather`] where lanes may be outside.
#[inline(never)]
fn gather_any(lds: &Lds, register: &mut [u32; LANES], addresses: &[u32; LANES], offset: u32, mask: u64) {
    let mut rest = mask;
    while rest != 0 {
        let i = rest.trailing_zeros() as usize % LANES;
        register[i] = lds.read32(addresses[i].wrapping_add(offset));
        rest &= rest - 1;
    }
}

#[inline(always)]
fn dword(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |&bytes| u32::from_le_bytes(bytes))
}

/// Writes a dword per lane at `addresses` + `offset`. Of lanes that write the same place the highest is the last.
#[inline(always)]
fn scatter(lds: &mut Lds, register: &[u32; LANES], addresses: &[u32; LANES], offset: u32, mask: u64) {
    for (n, (register, addresses)) in
        register.as_chunks::<ROW>().0.iter().zip(addresses.as_chunks::<ROW>().0).enumerate()
    {
        let enabled = (mask >> (ROW * n)) & FULL_ROW;
        if enabled == FULL_ROW
            && matches!(pattern(addresses, 4), Row::Consecutive)
            && let Some(bytes) = lds.bytes_mut().get_mut(addresses[0].wrapping_add(offset) as usize..)
            && let Some(bytes) = bytes.first_chunk_mut::<{ 4 * ROW }>()
        {
            for (bytes, value) in bytes.chunks_exact_mut(4).zip(register) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
            continue;
        }
        let mut rest = enabled;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize % ROW;
            lds.write32(addresses[i].wrapping_add(offset), register[i]);
            rest &= rest - 1;
        }
    }
}

/// Loads of `N` dwords from the addresses in one register: to which registers, and with which offset.
struct Gather<'a, const N: usize> {
    lds: &'a Lds,
    wave: &'a mut Wave,
    address: usize,
    loads: &'a [(usize, u32)],
}

impl<const N: usize> Vectored for Gather<'_, N> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        // The registers may be where the addresses are. To be copied here: vectors of another size would wait for what
        // is in narrower ones.
        let (addresses, mask) = (self.wave.vgpr[self.address].0, self.wave.exec());
        for &(first, offset) in self.loads {
            gather_all::<N>(self.lds, &mut self.wave.vgpr[first..first + N], &addresses, offset, mask);
        }
    }
}

/// Writes `N` dwords per lane at `addresses` + `offset`, one after the other. Of lanes that write the same place the
/// highest is the last.
struct Scatter<'a, const N: usize> {
    lds: &'a mut Lds,
    registers: &'a [Lanes],
    addresses: &'a [u32; LANES],
    offset: u32,
    mask: u64,
}

impl<const N: usize> Vectored for Scatter<'_, N> {
    type Out = ();
    #[inline(always)]
    fn run(self) {
        let Scatter { lds, registers, addresses, offset, mask } = self;
        let apart = |starts: &[usize; LANES / ROW]| starts.is_sorted_by(|a, b| a + 4 * ROW * N <= *b);
        if let Some(starts) = rows_side_by_side::<N>(addresses, offset, mask).filter(apart)
            && starts[LANES / ROW - 1] + 4 * ROW * N <= lds.len()
            && let Some(registers) = registers.first_chunk::<N>()
        {
            for (row, start) in starts.into_iter().enumerate() {
                let dwords = simd::join_row(registers, row);
                let bytes = lds.bytes_mut()[start..start + 4 * ROW * N].as_chunks_mut().0;
                for (bytes, dword) in bytes.iter_mut().zip(dwords) {
                    *bytes = dword.to_le_bytes();
                }
            }
            return;
        }
        for (k, register) in registers.iter().enumerate().take(N) {
            scatter(lds, &register.0, addresses, offset + k as u32 * 4, mask);
        }
    }
}

/// A load of `N` dwords.
pub(super) fn read<const N: usize>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let loads = &[(first, offsets(inst).0)];
    vectored(Gather::<N> { lds: machine.lds, wave, address, loads });
    Ok(Flow::Next)
}

/// A load of a piece that is no dword.
pub(super) fn read_part<P: Piece>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let (offset, _) = offsets(inst);
    vmem::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i].wrapping_add(offset);
        wave.vgpr[first].0[i] = vmem::load_lds::<P>(machine.lds, at);
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// A store of `N` dwords.
pub(super) fn write<const N: usize>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.src[1])?);
    let (addresses, mask, (offset, _)) = (&wave.vgpr[address].0, wave.exec(), offsets(inst));
    vectored(Scatter::<N> { lds: machine.lds, registers: &wave.vgpr[first..first + N], addresses, offset, mask });
    Ok(Flow::Next)
}

/// A store of a piece that is no dword.
pub(super) fn write_part<P: Piece>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.src[1])?);
    let (offset, _) = offsets(inst);
    vmem::lanes(wave.exec(), |i| {
        let at = wave.vgpr[address].0[i].wrapping_add(offset);
        vmem::store_lds::<P>(machine.lds, at, wave.vgpr[first].0[i]);
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Two loads of `N` dwords each; offsets count `SCALE` bytes.
pub(super) fn read2<const N: usize, const SCALE: u32>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
) -> Result<Flow, Stop> {
    let (address, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let (offset0, offset1) = offsets(inst);
    let loads = &[(first, offset0 * SCALE), (first + N, offset1 * SCALE)];
    vectored(Gather::<N> { lds: machine.lds, wave, address, loads });
    Ok(Flow::Next)
}

/// Two stores of `N` dwords each; one if the offsets are equal.
pub(super) fn write2<const N: usize, const SCALE: u32>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
) -> Result<Flow, Stop> {
    let addresses = &wave.vgpr[vector(inst.src[0])?].0;
    let data = [vector(inst.src[1])?, vector(inst.src[2])?];
    let ((offset0, offset1), mask) = (offsets(inst), wave.exec());
    for (data, offset) in data.into_iter().zip([offset0 * SCALE, offset1 * SCALE]).take(accesses(inst)) {
        let registers = &wave.vgpr[data..data + N];
        vectored(Scatter::<N> { lds: machine.lds, registers, addresses, offset, mask });
    }
    Ok(Flow::Next)
}

/// Address: M0\[15:0\] + offset + lane * 4.
pub(super) fn read_addtid(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let first = vector(inst.dst[0])?;
    let base = (wave.m0() & 0xffff).wrapping_add(offsets(inst).0);
    vmem::lanes(wave.exec(), |i| {
        wave.vgpr[first].0[i] = machine.lds.read32(base.wrapping_add(i as u32 * 4));
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

pub(super) fn write_addtid(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let first = vector(inst.src[0])?;
    let base = (wave.m0() & 0xffff).wrapping_add(offsets(inst).0);
    vmem::lanes(wave.exec(), |i| {
        machine.lds.write32(base.wrapping_add(i as u32 * 4), wave.vgpr[first].0[i]);
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole_accesses<const N: usize>() {
        let size = 4 * N as u32;
        let by_rows = |distance: u32| move |lane: u32| lane / ROW as u32 * distance + lane % ROW as u32 * size;
        let rows = ROW as u32 * size;
        for (distance, odd) in [(rows, None), (rows + 12, None), (rows - 4, None), (0, None), (rows, Some(37))] {
            for (offset, mask, length) in
                [(0, u64::MAX, 8192), (6, u64::MAX, 8192), (8, 0xffff_7fff_ffff_ffff, 8192), (16, u64::MAX, 2048)]
            {
                let addresses: [u32; LANES] =
                    std::array::from_fn(|lane| by_rows(distance)(lane as u32) + if odd == Some(lane) { 4 } else { 0 });
                let mut lds = Lds::default();
                lds.reset(length);
                lds.bytes_mut().iter_mut().enumerate().for_each(|(i, byte)| *byte = (i * 7 + i / 256) as u8);
                let mut registers = [Lanes::ZERO; N];
                gather_all::<N>(&lds, &mut registers, &addresses, offset, mask);
                for (k, register) in registers.iter().enumerate() {
                    for (lane, &got) in register.0.iter().enumerate() {
                        let value = lds.read32(addresses[lane] + offset + 4 * k as u32);
                        assert_eq!(
                            got,
                            if mask >> lane & 1 != 0 { value } else { 0 },
                            "{N} {distance} {odd:?} {offset} {k} {lane}"
                        );
                    }
                }
                let mut expected = Lds::default();
                expected.reset(length);
                let data: [Lanes; N] =
                    std::array::from_fn(|k| Lanes(std::array::from_fn(|lane| (1000 * (k + 1) + lane) as u32)));
                for (k, register) in data.iter().enumerate() {
                    for lane in (0..LANES).filter(|lane| mask >> lane & 1 != 0) {
                        expected.write32(addresses[lane] + offset + 4 * k as u32, register.0[lane]);
                    }
                }
                lds.reset(length);
                Scatter::<N> { lds: &mut lds, registers: &data, addresses: &addresses, offset, mask }.run();
                assert!(lds.bytes() == expected.bytes(), "{N} {distance} {odd:?} {offset}");
            }
        }
    }

    #[test]
    fn wide_accesses_are_those_of_single_lanes() {
        whole_accesses::<1>();
        whole_accesses::<2>();
        whole_accesses::<4>();
    }
}
