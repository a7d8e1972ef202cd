//! Vector loads, stores and atomics, after the addresses of the lanes are known.
mod addresses;
pub(crate) mod element;
pub(crate) mod strided;

mod coalesced;
#[cfg(test)]
mod tests;

pub(crate) use crate::interp::vmem::addresses::Addresses;
use crate::interp::vmem::coalesced::Coalesced;
pub(crate) use crate::interp::vmem::coalesced::{FULL_ROW, Row};
use crate::interp::vmem::element::{Part, Piece};
use crate::machine::bus::Access;
use crate::machine::context::{CoreFn, Flow, Lds, Machine, Stop};
use crate::machine::memory::{Fault, Host, Memory, OfLane};
use gcn_alu::simd::{ROW, Vectored, vectored};
use gcn_alu::wave::{LANES, Wave, vector_index};
use gcn_alu::{simd, wave};
use gcn_isa::inst::{Inst, Operand};

impl Addresses {
    #[inline(always)]
    pub fn all(at: [u64; LANES], mask: u64) -> Addresses {
        Addresses { at, mask: [mask; 4], stride: 4 }
    }

    /// If all lanes access all dwords at addresses of equal distance: that distance.
    fn step(&self) -> Option<u64> {
        (self.mask == [u64::MAX; 4]).then(|| vectored(Step(&self.at))).flatten()
    }

    /// The host memory of all lanes' accesses of `registers` dwords (or one piece of `bytes`), if it is one piece.
    fn uniform(
        &self,
        memory: &mut Memory,
        registers: usize,
        bytes: u64,
        access: Access,
    ) -> Result<Option<(Host, usize)>, Fault> {
        let Some(step) = self.step() else { return Ok(None) };
        if self.stride != 4 && (self.at[0] | step) & (bytes - 1) & 3 != 0 {
            return Ok(None);
        }
        let length = step * (LANES as u64 - 1) + u64::from(self.stride) * (registers as u64 - 1) + bytes;
        // What is not mapped is so at the first address that is looked up, the first lane's.
        let host = memory.find(self.at[0], length, access).map_err(|fault| fault.of_lane(0))?;
        Ok(host.map(|host| (host, step as usize)))
    }
}

/// The distance of all lanes' addresses, if it is one.
struct Step<'a>(&'a [u64; LANES]);

impl Vectored for Step<'_> {
    type Out = Option<u64>;
    #[inline(always)]
    fn run(self) -> Option<u64> {
        let step = self.0[1].wrapping_sub(self.0[0]);
        // Longer distances gain nothing, and those of 32 bits multiply fast.
        let short = u64::from(step as u32);
        let mut differs = step ^ short;
        for (i, at) in self.0.iter().enumerate() {
            differs |= at.wrapping_sub(self.0[0]) ^ (i as u64 * short);
        }
        (differs == 0).then_some(step)
    }
}

/// Calls `f` with each lane of `mask`, lowest first. Its error is that lane's.
#[inline(always)]
pub(crate) fn lanes<E: OfLane>(mask: u64, mut f: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
    let mut rest = mask;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        f(lane).map_err(|error| error.of_lane(lane))?;
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

/// Whether registers `k` and `k + 1` of an access of `N` move together, as 64 bits. Where those are aligned, no other
/// wave, GPU or thread of the host sees half of them: LLVM's atomic loads and stores of 64 bits rely on that.
#[inline(always)]
fn paired<const N: usize>(k: usize, stride: usize) -> bool {
    stride == 4 && k + 1 < N
}

/// Registers `k` and `k + 1`.
#[inline(always)]
fn pair(registers: &mut [wave::Lanes], k: usize) -> Option<[&mut [u32; LANES]; 2]> {
    let [low, high] = registers.get_mut(k..)?.first_chunk_mut::<2>()?;
    Some([&mut low.0, &mut high.0])
}

/// Loads both dwords of each lane, from where `offset` says; `same` if that is one place.
#[inline(always)]
fn load_pair(host: Host, low: &mut [u32], high: &mut [u32], same: bool, offset: impl Fn(usize) -> usize) {
    let mut value = host.read64(offset(0));
    for (i, (low, high)) in low.iter_mut().zip(high).enumerate() {
        if !same {
            value = host.read64(offset(i));
        }
        (*low, *high) = (value as u32, (value >> 32) as u32);
    }
}

/// Whether lanes `step` bytes apart have all of their `N` dwords side by side, none between them and none twice.
#[inline(always)]
fn side_by_side<P: Piece, const N: usize>(step: usize, stride: usize) -> bool {
    N > 1 && P::BYTES == 4 && stride == 4 && step == 4 * N
}

/// Loads `N` registers of row `row`, whose lanes' dwords are side by side, in vectors. Returns false if that cannot be.
#[inline(never)]
fn load_row<const N: usize>(wave: &mut Wave, host: Host, offset: usize, row: usize, first: usize) -> bool {
    let mut dwords = [0; 4 * ROW];
    let Some(registers) = wave.vgpr.get_mut(first..).and_then(|registers| registers.first_chunk_mut::<N>()) else {
        return false;
    };
    let loaded = host.copy_rows_out(offset, &mut dwords, N);
    if loaded {
        simd::part_row(&dwords, registers, row);
    }
    loaded
}

/// The reverse of [`load_row`].
#[inline(never)]
fn store_row<const N: usize>(wave: &Wave, host: Host, offset: usize, row: usize, first: usize) -> bool {
    let registers = wave.vgpr.get(first..).and_then(|registers| registers.first_chunk::<N>());
    registers.is_some_and(|registers| host.copy_rows_in(offset, &simd::join_row(registers, row), N))
}

#[inline(always)]
fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Loads `N` registers from `first` on: registers of one piece each.
pub(crate) fn load<P: Piece, const N: usize>(
    wave: &mut Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), Fault> {
    let stride = addresses.stride as usize;
    if let Some((host, step)) = addresses.uniform(memory, N, P::BYTES, Access::Read)? {
        load_run::<P, N>(wave, host, step, stride, first);
        return Ok(());
    }
    load_apart::<P, N>(wave, memory, addresses, first)
}

/// [`load`] where the lanes are known not to be at equal distances in one window.
pub(crate) fn load_apart<P: Piece, const N: usize>(
    wave: &mut Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), Fault> {
    let stride = addresses.stride as usize;
    // Lanes of EXEC that are out of a buffer's range get 0 below.
    if addresses.mask[0] == wave.exec()
        && let Some(lanes) = find_rows::<P, N>(addresses, memory)?
    {
        load_rows::<P, N>(wave, &lanes, stride, first);
        return Ok(());
    }
    load_any::<P, N>(wave, memory, addresses, first)
}

/// The rows of a load, with rows of all registers' dwords side by side where that can be.
#[inline(always)]
fn find_rows<'a, P: Piece, const N: usize>(
    addresses: &'a Addresses,
    memory: &mut Memory,
) -> Result<Option<Coalesced<'a>>, Fault> {
    let whole = side_by_side::<P, N>(4 * N, addresses.stride as usize);
    let find = match N {
        2 if whole => Coalesced::find::<8>,
        3 if whole => Coalesced::find::<12>,
        4 if whole => Coalesced::find::<16>,
        _ => Coalesced::find::<4>,
    };
    find(addresses, memory, Access::Read, N, P::BYTES)
}

/// Loads all lanes from addresses of distance `step`.
pub(crate) fn load_run<P: Piece, const N: usize>(
    wave: &mut Wave,
    host: Host,
    step: usize,
    stride: usize,
    first: usize,
) {
    if side_by_side::<P, N>(step, stride)
        && (0..LANES / ROW).all(|row| load_row::<N>(wave, host, row * ROW * step, row, first))
    {
        return;
    }
    let mut k = 0;
    while k < N {
        if paired::<N>(k, stride)
            && let Some([low, high]) = pair(&mut wave.vgpr[..], first + k)
        {
            load_pair(host, low, high, step == 0, |i| i * step + k * 4);
            k += 2;
            continue;
        }
        let register = &mut wave.vgpr[first + k].0;
        if step == 4 && P::BYTES == 4 {
            host.copy_out(k * stride, register);
        } else if step == 0 {
            let value = P::read(host, k * stride);
            for lane in register.iter_mut() {
                *lane = value;
            }
        } else {
            for (i, lane) in register.iter_mut().enumerate() {
                *lane = P::read(host, i * step + k * stride);
            }
        }
        k += 1;
    }
}

fn load_rows<P: Piece, const N: usize>(wave: &mut Wave, lanes: &Coalesced, stride: usize, first: usize) {
    for row in 0..LANES / ROW {
        let (start, enabled) = (ROW * row, lanes.enabled(row));
        if enabled == FULL_ROW {
            let whole = side_by_side::<P, N>(4 * N, stride);
            let pattern = if P::BYTES == 4 { lanes.row(row) } else { Row::Other };
            if whole
                && matches!(pattern, Row::Consecutive)
                && load_row::<N>(wave, lanes.host, lanes.offset(start), row, first)
            {
                continue;
            }
            let mut k = 0;
            while k < N {
                if paired::<N>(k, stride)
                    && let Some([low, high]) = pair(&mut wave.vgpr[..], first + k)
                {
                    let (low, high) = (&mut low[start..start + ROW], &mut high[start..start + ROW]);
                    let same = matches!(pattern, Row::Same);
                    load_pair(lanes.host, low, high, same, |i| lanes.offset(start + i) + k * 4);
                    k += 2;
                    continue;
                }
                let Some(register) = wave.vgpr[first + k].0[start..].first_chunk_mut::<ROW>() else { break };
                let at = lanes.offset(start) + k * stride;
                match pattern {
                    Row::Consecutive if !whole => lanes.host.copy_out(at, register),
                    Row::Same => *register = [lanes.host.read32(at); ROW],
                    Row::Consecutive | Row::Other => {
                        for (i, lane) in register.iter_mut().enumerate() {
                            *lane = P::read(lanes.host, lanes.offset(start + i) + k * stride);
                        }
                    }
                }
                k += 1;
            }
            continue;
        }
        let mut rest = enabled;
        while rest != 0 {
            let i = start + rest.trailing_zeros() as usize % ROW;
            let mut k = 0;
            while k < N {
                let at = lanes.offset(i) + k * stride;
                if paired::<N>(k, stride) {
                    let value = lanes.host.read64(at);
                    wave.vgpr[first + k].0[i] = value as u32;
                    wave.vgpr[first + k + 1].0[i] = (value >> 32) as u32;
                    k += 2;
                    continue;
                }
                let lane = &mut wave.vgpr[first + k].0[i];
                *lane = P::read(lanes.host, at);
                k += 1;
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
) -> Result<(), Fault> {
    let (exec, stride) = (wave.exec(), addresses.stride as usize);
    let mut k = 0;
    while k < N {
        let mask = addresses.mask[k];
        let count = if paired::<N>(k, stride) && addresses.mask[k + 1] == mask { 2 } else { 1 };
        let Some(registers) = wave.vgpr.get_mut(first + k..first + k + count) else { break };
        lanes(exec & !mask, |i| {
            registers.iter_mut().for_each(|register| register.0[i] = 0);
            Ok::<(), Fault>(())
        })?;
        lanes(mask, |i| {
            let at = addresses.at[i].wrapping_add((k * stride) as u64);
            if let [low, high] = registers
                && let Some(host) = memory.find(at, 8, Access::Read)?
            {
                let value = host.read64(0);
                (low.0[i], high.0[i]) = (value as u32, (value >> 32) as u32);
                return Ok(());
            }
            for (n, register) in registers.iter_mut().enumerate() {
                let value = read_piece::<P>(memory, at.wrapping_add(4 * n as u64), addresses.stride)?;
                register.0[i] = value;
            }
            Ok::<(), Fault>(())
        })?;
        k += count;
    }
    Ok(())
}

/// The piece at `at`, filled up with zeros, where a lane's consecutive dwords are `stride` apart.
#[inline]
pub(crate) fn read_piece<P: Piece>(memory: &mut Memory, at: u64, stride: u32) -> Result<u32, Fault> {
    if (stride == 4 || at & 3 & (P::BYTES - 1) == 0)
        && let Some(host) = memory.find(at, P::BYTES, Access::Read)?
    {
        return Ok(P::read(host, 0));
    }
    read_pieces::<P>(memory, at, stride)
}

#[cold]
fn read_pieces<P: Piece>(memory: &mut Memory, at: u64, stride: u32) -> Result<u32, Fault> {
    let mut bytes = [0; 4];
    for i in 0..P::BYTES {
        bytes[i as usize] = memory.read8(byte_address(at, i, stride))?;
    }
    Ok(u32::from_le_bytes(bytes))
}

#[cold]
fn write_pieces<P: Piece>(memory: &mut Memory, at: u64, stride: u32, register: u32) -> Result<(), Fault> {
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
pub(crate) fn store<P: Piece, const N: usize>(
    wave: &Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), Fault> {
    let stride = addresses.stride as usize;
    if let Some((host, step)) = addresses.uniform(memory, N, P::BYTES, Access::Write)? {
        store_run::<P, N>(wave, host, step, stride, first);
        return Ok(());
    }
    store_apart::<P, N>(wave, memory, addresses, first)
}

/// [`store`] where the lanes are known not to be at equal distances in one window.
pub(crate) fn store_apart<P: Piece, const N: usize>(
    wave: &Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), Fault> {
    let stride = addresses.stride as usize;
    if let Some(lanes) = Coalesced::find::<4>(addresses, memory, Access::Write, N, P::BYTES)? {
        store_rows::<P, N>(wave, &lanes, stride, first);
        return Ok(());
    }
    store_any::<P, N>(wave, memory, addresses, first)
}

/// Stores all lanes to addresses of distance `step`.
pub(crate) fn store_run<P: Piece, const N: usize>(wave: &Wave, host: Host, step: usize, stride: usize, first: usize) {
    if side_by_side::<P, N>(step, stride)
        && (0..LANES / ROW).all(|row| store_row::<N>(wave, host, row * ROW * step, row, first))
    {
        return;
    }
    let mut k = 0;
    while k < N {
        let register = &wave.vgpr[first + k].0;
        if paired::<N>(k, stride) {
            for (i, (&low, &high)) in register.iter().zip(&wave.vgpr[first + k + 1].0).enumerate() {
                host.write64(i * step + k * 4, wide(low, high));
            }
            k += 2;
            continue;
        }
        if step == 4 && P::BYTES == 4 {
            host.copy_in(k * stride, register);
        } else {
            for (i, &lane) in register.iter().enumerate() {
                P::write(host, i * step + k * stride, lane);
            }
        }
        k += 1;
    }
}

fn store_rows<P: Piece, const N: usize>(wave: &Wave, lanes: &Coalesced, stride: usize, first: usize) {
    // All of a register, or of a pair, before the next one: the registers of two lanes may overlap in memory.
    let mut k = 0;
    while k < N {
        let paired = paired::<N>(k, stride);
        for row in 0..LANES / ROW {
            let (start, enabled) = (ROW * row, lanes.enabled(row));
            let Some(register) = wave.vgpr[first + k].0[start..].first_chunk::<ROW>() else { continue };
            if !paired && P::BYTES == 4 && enabled == FULL_ROW && matches!(lanes.row(row), Row::Consecutive) {
                lanes.host.copy_in(lanes.offset(start) + k * stride, register);
                continue;
            }
            let mut rest = enabled;
            while rest != 0 {
                let i = rest.trailing_zeros() as usize % ROW;
                let at = lanes.offset(start + i) + k * stride;
                if paired {
                    lanes.host.write64(at, wide(register[i], wave.vgpr[first + k + 1].0[start + i]));
                } else {
                    P::write(lanes.host, at, register[i]);
                }
                rest &= rest - 1;
            }
        }
        k += 1 + usize::from(paired);
    }
}

/// [`store`] a lane at a time, wherever the lanes are.
#[inline(never)]
pub(crate) fn store_any<P: Piece, const N: usize>(
    wave: &Wave,
    memory: &mut Memory,
    addresses: &Addresses,
    first: usize,
) -> Result<(), Fault> {
    let stride = addresses.stride as usize;
    let mut k = 0;
    while k < N {
        let mask = addresses.mask[k];
        let count = if paired::<N>(k, stride) && addresses.mask[k + 1] == mask { 2 } else { 1 };
        let Some(registers) = wave.vgpr.get(first + k..first + k + count) else { break };
        lanes(mask, |i| {
            let at = addresses.at[i].wrapping_add((k * stride) as u64);
            if let [low, high] = registers
                && let Some(host) = memory.find(at, 8, Access::Write)?
            {
                host.write64(0, wide(low.0[i], high.0[i]));
                return Ok(());
            }
            for (n, register) in registers.iter().enumerate() {
                write_piece::<P>(memory, at.wrapping_add(4 * n as u64), addresses.stride, register.0[i])?;
            }
            Ok::<(), Fault>(())
        })?;
        k += count;
    }
    Ok(())
}

#[inline]
fn write_piece<P: Piece>(memory: &mut Memory, at: u64, stride: u32, register: u32) -> Result<(), Fault> {
    if (stride == 4 || at & 3 & (P::BYTES - 1) == 0)
        && let Some(host) = memory.find(at, P::BYTES, Access::Write)?
    {
        P::write(host, 0, register);
        return Ok(());
    }
    write_pieces::<P>(memory, at, stride, register)
}

/// Runs `load`, which loads one register, and makes `part` of that.
pub(crate) fn load_part(
    load: CoreFn,
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
    part: Part,
) -> Result<Flow, Stop> {
    let register = vector(inst.dst[0])?;
    let old = wave.vgpr[register];
    let flow = load(wave, inst, machine)?;
    let (exec, kept) = (wave.exec(), wave.kept_bits());
    part.place(&mut wave.vgpr[register], &old, exec, kept);
    Ok(flow)
}

/// Loads from LDS offsets. Bytes past the end are 0.
pub(crate) fn load_lds<P: Piece>(lds: &Lds, offset: u32) -> u32 {
    match P::BYTES {
        4 => u32::from_le_bytes(lds.read(offset)),
        2 => u32::from(u16::from_le_bytes(lds.read(offset))),
        _ => u32::from(u8::from_le_bytes(lds.read(offset))),
    }
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
        Operand::None => Ok(0),
        _ => vector_index(operand).ok_or(Stop::Illegal("a vector register is needed here")),
    }
}
