//! Loads, stores and atomics of a wave, once its lanes' addresses are known.

use super::machine::{Lds, Stop};
use super::memory::{Host, Memory};
use super::piece::Piece;
use super::simd::ROW;
use super::wave::{LANES, Wave};
use crate::bus::{Access, MemoryFault};
use crate::inst::Operand;

/// Where the lanes of an instruction access memory.
pub(crate) struct Addresses {
    /// Device address of each lane's first byte. Those of lanes that are not in a mask mean nothing.
    pub at: [u64; LANES],
    /// By dword of the access: the lanes that access memory. Loads give other lanes of EXEC 0.
    pub mask: [u64; 4],
    /// Distance of a lane's consecutive dwords: 4, or 256 where the dwords of a wave are interleaved (private memory).
    pub stride: u32,
}

impl Addresses {
    #[inline(always)]
    pub fn all(at: [u64; LANES], mask: u64) -> Addresses {
        Addresses { at, mask: [mask; 4], stride: 4 }
    }

    /// If all lanes access all dwords at addresses of equal distance: that distance.
    #[inline(always)]
    fn step(&self) -> Option<u64> {
        if self.mask != [u64::MAX; 4] {
            return None;
        }
        let step = self.at[1].wrapping_sub(self.at[0]);
        // Longer distances gain nothing, and those of 32 bits multiply fast.
        let short = u64::from(step as u32);
        let mut differs = step ^ short;
        for (i, at) in self.at.iter().enumerate() {
            differs |= at.wrapping_sub(self.at[0]) ^ (i as u64 * short);
        }
        (differs == 0).then_some(step)
    }

    /// The host memory of all lanes' accesses of `registers` dwords (or one piece of `bytes`), if it is one piece.
    #[inline(always)]
    fn uniform(
        &self,
        memory: &mut Memory,
        registers: usize,
        bytes: u64,
        access: Access,
    ) -> Result<Option<(Host, usize)>, MemoryFault> {
        let Some(step) = self.step() else { return Ok(None) };
        if self.stride != 4 && (self.at[0] | step) & (bytes - 1) & 3 != 0 {
            return Ok(None);
        }
        let length = step * (LANES as u64 - 1) + u64::from(self.stride) * (registers as u64 - 1) + bytes;
        Ok(memory.find(self.at[0], length, access)?.map(|host| (host, step as usize)))
    }
}

/// All lanes of a row.
pub(crate) const FULL_ROW: u64 = (1 << ROW) - 1;

/// The accesses of a wave that are all in one window.
struct Together<'a> {
    at: &'a [u64; LANES],
    /// The lanes that access memory.
    mask: u64,
    /// Device and host address of the window.
    start: u64,
    host: Host,
}

/// How the lanes of a row access dwords.
pub(crate) enum Row {
    /// Side by side.
    Consecutive,
    /// All the same.
    Same,
    Other,
}

impl Row {
    #[inline(always)]
    pub fn of(consecutive: bool, same: bool) -> Row {
        match (consecutive, same) {
            (true, _) => Row::Consecutive,
            (_, true) => Row::Same,
            _ => Row::Other,
        }
    }
}

impl<'a> Together<'a> {
    /// One check per wave, in a loop without branches, instead of one per lane. `None` if they are not in one window.
    #[inline(always)]
    fn find<P: Piece, const N: usize>(
        addresses: &'a Addresses,
        memory: &mut Memory,
        access: Access,
    ) -> Result<Option<Together<'a>>, MemoryFault> {
        let mask = addresses.mask[0];
        if mask == 0 || addresses.mask != [mask; 4] {
            return Ok(None);
        }
        memory.find(addresses.at[mask.trailing_zeros() as usize], 1, access)?;
        let (start, length, host) = memory.newest();
        let extent = u64::from(addresses.stride) * (N as u64 - 1) + P::BYTES;
        let Some(limit) = length.checked_sub(extent) else { return Ok(None) };
        // The bytes of a misaligned access are not side by side where dwords are not.
        let misaligned = if addresses.stride == 4 { 0 } else { 3 & (P::BYTES - 1) };
        let mut outside = 0;
        for (i, at) in addresses.at.iter().enumerate() {
            let enabled = (mask >> i & 1).wrapping_neg();
            outside |= (u64::from(at.wrapping_sub(start) > limit) | at & misaligned) & enabled;
        }
        Ok((outside == 0).then_some(Together { at: &addresses.at, mask, start, host }))
    }

    /// Offset of a lane in the window.
    #[inline(always)]
    fn offset(&self, lane: usize) -> usize {
        self.at[lane].wrapping_sub(self.start) as usize
    }

    /// The lanes of row `row` that access memory.
    #[inline(always)]
    fn enabled(&self, row: usize) -> u64 {
        (self.mask >> (ROW * row)) & FULL_ROW
    }

    #[inline(always)]
    fn row(&self, row: usize) -> Row {
        let at: &[u64; ROW] = self.at[ROW * row..].first_chunk().unwrap_or(&[0; ROW]);
        let (mut apart, mut differs) = (0, 0);
        for (i, lane) in at.iter().enumerate() {
            let distance = lane.wrapping_sub(at[0]);
            apart |= distance ^ (4 * i as u64);
            differs |= distance;
        }
        Row::of(apart == 0, differs == 0)
    }
}

/// Calls `f` with each lane of `mask`, lowest first.
#[inline]
pub(crate) fn lanes<E>(mask: u64, mut f: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
    let mut rest = mask;
    while rest != 0 {
        f(rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
    }
    Ok(())
}

/// The address of byte `index` of an access whose dwords are `stride` apart.
#[inline]
fn byte_address(at: u64, index: u64, stride: u32) -> u64 {
    let position = (at & 3) + index;
    (at & !3).wrapping_add((position >> 2) * u64::from(stride) + (position & 3))
}

/// Loads `N` registers from `first` on: registers of one piece each.
#[inline(always)]
pub(crate) fn load<P: Piece, const N: usize>(
    wave: &mut Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), MemoryFault> {
    let stride = addresses.stride as usize;
    if let Some((host, step)) = addresses.uniform(memory, N, P::BYTES, Access::Read)? {
        load_run::<P, N>(wave, host, step, stride, first);
        return Ok(());
    }
    load_apart::<P, N>(wave, memory, addresses, first)
}

/// [`load`] where the lanes are known not to be at equal distances in one window.
#[inline(always)]
pub(crate) fn load_apart<P: Piece, const N: usize>(
    wave: &mut Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), MemoryFault> {
    let stride = addresses.stride as usize;
    // Lanes of EXEC that are out of a buffer's range get 0 below.
    if addresses.mask[0] == wave.exec()
        && let Some(lanes) = Together::find::<P, N>(addresses, memory, Access::Read)?
    {
        load_rows::<P, N>(wave, &lanes, stride, first);
        return Ok(());
    }
    load_any::<P, N>(wave, memory, addresses, first)
}

/// Loads all lanes from addresses of distance `step`.
#[inline(always)]
pub(crate) fn load_run<P: Piece, const N: usize>(
    wave: &mut Wave,
    host: Host,
    step: usize,
    stride: usize,
    first: usize,
) {
    for k in 0..N {
        let register = &mut wave.vgpr[first + k].0;
        if step == 4 && P::BYTES == 4 {
            host.copy_out(k * stride, register);
        } else if step == 0 {
            let value = P::read(host, k * stride);
            for lane in register.iter_mut() {
                *lane = P::insert(*lane, value);
            }
        } else {
            for (i, lane) in register.iter_mut().enumerate() {
                *lane = P::insert(*lane, P::read(host, i * step + k * stride));
            }
        }
    }
}

#[inline(always)]
fn load_rows<P: Piece, const N: usize>(wave: &mut Wave, lanes: &Together, stride: usize, first: usize) {
    for row in 0..LANES / ROW {
        let (start, enabled) = (ROW * row, lanes.enabled(row));
        if enabled == FULL_ROW {
            let pattern = if P::BYTES == 4 { lanes.row(row) } else { Row::Other };
            for k in 0..N {
                let Some(register) = wave.vgpr[first + k].0[start..].first_chunk_mut::<ROW>() else { continue };
                let at = lanes.offset(start) + k * stride;
                match pattern {
                    Row::Consecutive => lanes.host.copy_out(at, register),
                    Row::Same => *register = [lanes.host.read32(at); ROW],
                    Row::Other => {
                        for (i, lane) in register.iter_mut().enumerate() {
                            *lane = P::insert(*lane, P::read(lanes.host, lanes.offset(start + i) + k * stride));
                        }
                    }
                }
            }
            continue;
        }
        let mut rest = enabled;
        while rest != 0 {
            let i = start + rest.trailing_zeros() as usize % ROW;
            for k in 0..N {
                let lane = &mut wave.vgpr[first + k].0[i];
                *lane = P::insert(*lane, P::read(lanes.host, lanes.offset(i) + k * stride));
            }
            rest &= rest - 1;
        }
    }
}

/// [`load`] a lane at a time, wherever the lanes are.
#[inline(never)]
pub(crate) fn load_any<P: Piece, const N: usize>(
    wave: &mut Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), MemoryFault> {
    let (exec, stride) = (wave.exec(), addresses.stride as usize);
    for k in 0..N {
        let mask = addresses.mask[k];
        let register = &mut wave.vgpr[first + k].0;
        lanes(exec & !mask, |i| {
            register[i] = P::insert(register[i], 0);
            Ok::<(), MemoryFault>(())
        })?;
        lanes(mask, |i| {
            let at = addresses.at[i].wrapping_add((k * stride) as u64);
            let value = if stride == 4 || at & 3 & (P::BYTES - 1) == 0 {
                match memory.find(at, P::BYTES, Access::Read)? {
                    Some(host) => P::read(host, 0),
                    None => read_pieces::<P>(memory, at, addresses.stride)?,
                }
            } else {
                read_pieces::<P>(memory, at, addresses.stride)?
            };
            register[i] = P::insert(register[i], value);
            Ok::<(), MemoryFault>(())
        })?;
    }
    Ok(())
}

#[cold]
fn read_pieces<P: Piece>(memory: &mut Memory, at: u64, stride: u32) -> Result<u32, MemoryFault> {
    let mut bytes = [0; 4];
    for i in 0..P::BYTES {
        bytes[i as usize] = memory.read8(byte_address(at, i, stride))?;
    }
    Ok(P::from_bytes(bytes))
}

#[cold]
fn write_pieces<P: Piece>(memory: &mut Memory, at: u64, stride: u32, register: u32) -> Result<(), MemoryFault> {
    let bytes = P::to_bytes(register);
    // All of it first: a lane that faults changes nothing.
    for i in 0..P::BYTES {
        memory.find(byte_address(at, i, stride), 1, Access::Write)?;
    }
    for i in 0..P::BYTES {
        memory.write8(byte_address(at, i, stride), bytes[i as usize])?;
    }
    Ok(())
}

/// Stores `N` registers from `first` on. Lanes that write the same address do it in order, the highest last.
#[inline(always)]
pub(crate) fn store<P: Piece, const N: usize>(
    wave: &Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), MemoryFault> {
    let stride = addresses.stride as usize;
    if let Some((host, step)) = addresses.uniform(memory, N, P::BYTES, Access::Write)? {
        store_run::<P, N>(wave, host, step, stride, first);
        return Ok(());
    }
    store_apart::<P, N>(wave, memory, addresses, first)
}

/// [`store`] where the lanes are known not to be at equal distances in one window.
#[inline(always)]
pub(crate) fn store_apart<P: Piece, const N: usize>(
    wave: &Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), MemoryFault> {
    let stride = addresses.stride as usize;
    if let Some(lanes) = Together::find::<P, N>(addresses, memory, Access::Write)? {
        store_rows::<P, N>(wave, &lanes, stride, first);
        return Ok(());
    }
    store_any::<P, N>(wave, memory, addresses, first)
}

/// Stores all lanes to addresses of distance `step`.
#[inline(always)]
pub(crate) fn store_run<P: Piece, const N: usize>(wave: &Wave, host: Host, step: usize, stride: usize, first: usize) {
    for k in 0..N {
        let register = &wave.vgpr[first + k].0;
        if step == 4 && P::BYTES == 4 {
            host.copy_in(k * stride, register);
        } else {
            for (i, &lane) in register.iter().enumerate() {
                P::write(host, i * step + k * stride, lane);
            }
        }
    }
}

#[inline(always)]
fn store_rows<P: Piece, const N: usize>(wave: &Wave, lanes: &Together, stride: usize, first: usize) {
    // All of a register before the next one: the registers of two lanes may overlap in memory.
    for k in 0..N {
        for row in 0..LANES / ROW {
            let (start, enabled) = (ROW * row, lanes.enabled(row));
            let Some(register) = wave.vgpr[first + k].0[start..].first_chunk::<ROW>() else { continue };
            if P::BYTES == 4 && enabled == FULL_ROW && matches!(lanes.row(row), Row::Consecutive) {
                lanes.host.copy_in(lanes.offset(start) + k * stride, register);
                continue;
            }
            let mut rest = enabled;
            while rest != 0 {
                let i = rest.trailing_zeros() as usize % ROW;
                P::write(lanes.host, lanes.offset(start + i) + k * stride, register[i]);
                rest &= rest - 1;
            }
        }
    }
}

/// [`store`] a lane at a time, wherever the lanes are.
#[inline(never)]
pub(crate) fn store_any<P: Piece, const N: usize>(
    wave: &Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), MemoryFault> {
    let stride = addresses.stride as usize;
    for k in 0..N {
        let register = &wave.vgpr[first + k].0;
        lanes(addresses.mask[k], |i| {
            let at = addresses.at[i].wrapping_add((k * stride) as u64);
            if (stride == 4 || at & 3 & (P::BYTES - 1) == 0)
                && let Some(host) = memory.find(at, P::BYTES, Access::Write)?
            {
                P::write(host, 0, register[i]);
                return Ok(());
            }
            write_pieces::<P>(memory, at, addresses.stride, register[i])
        })?;
    }
    Ok(())
}

/// Loads from LDS offsets. Bytes past the end are 0.
pub(crate) fn load_lds<P: Piece>(lds: &Lds, old: u32, offset: u32) -> u32 {
    let bytes: [u8; 4] = if P::BYTES == 4 {
        lds.read(offset)
    } else if P::BYTES == 2 {
        let [a, b] = lds.read(offset);
        [a, b, 0, 0]
    } else {
        let [a] = lds.read(offset);
        [a, 0, 0, 0]
    };
    P::insert(old, P::from_bytes(bytes))
}

/// Stores to an LDS offset; dropped past the end.
pub(crate) fn store_lds<P: Piece>(lds: &mut Lds, offset: u32, register: u32) {
    let [a, b, c, d] = P::to_bytes(register);
    match P::BYTES {
        4 => lds.write(offset, [a, b, c, d]),
        2 => lds.write(offset, [a, b]),
        _ => lds.write(offset, [a]),
    }
}

/// The first register of a vector operand.
pub(crate) fn vector(operand: Operand) -> Result<usize, Stop> {
    match operand {
        Operand::Vgpr { first, .. } => Ok(usize::from(first)),
        Operand::None => Ok(0),
        _ => Err(Stop::Illegal("a vector register is needed here")),
    }
}
