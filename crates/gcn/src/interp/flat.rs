//! FLAT, GLOBAL and SCRATCH instructions.

use crate::interp::atomic::Atomic;
use crate::interp::vmem;
use crate::interp::vmem::element::{Byte, Dword, High, Part, Piece, Short};
use crate::interp::vmem::strided::Run;
use crate::interp::vmem::{Addresses, vector};
use crate::machine::bus::{Access, Path};
use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use gcn_alu::simd::{Vectored, vectored};
use gcn_alu::wave::{LANES, Wave, reg};
use gcn_isa::inst::{Format, Inst, Mods, Operand};
use gcn_isa::op::Op;
use gcn_isa::target::Target;

/// The function of a FLAT, GLOBAL or SCRATCH instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    let (_, name) = inst.op.mnemonic().split_once('_')?;
    let to_lds = name.strip_prefix("load_lds_");
    if to_lds.is_some() || matches!(inst.mods, Mods::Flat { lds: true, .. }) {
        let name = to_lds.or_else(|| name.strip_prefix("load_"))?;
        return match inst.format {
            Format::Global => lds_by_name::<Global>(name),
            Format::Scratch => lds_by_name::<Scratch>(name),
            _ => None,
        };
    }
    match inst.format {
        Format::Flat => by_name::<Flat>(inst.target, inst.op, name),
        Format::Global => by_name::<Global>(inst.target, inst.op, name),
        Format::Scratch => by_name::<Scratch>(inst.target, inst.op, name),
        _ => None,
    }
}

fn by_name<S: Space>(target: Target, op: Op, name: &str) -> Option<CoreFn> {
    Some(match name {
        "load_ubyte" => load::<S, Byte, 1>,
        "load_ushort" => load::<S, Short, 1>,
        "load_dword" => load::<S, Dword, 1>,
        "load_dwordx2" => load::<S, Dword, 2>,
        "load_dwordx3" => load::<S, Dword, 3>,
        "load_dwordx4" => load::<S, Dword, 4>,
        "load_sbyte" => |w, i, m| vmem::load_part(load::<S, Byte, 1>, w, i, m, Part::Signed8),
        "load_sshort" => |w, i, m| vmem::load_part(load::<S, Short, 1>, w, i, m, Part::Signed16),
        "load_ubyte_d16" => |w, i, m| vmem::load_part(load::<S, Byte, 1>, w, i, m, Part::Low),
        "load_ubyte_d16_hi" => |w, i, m| vmem::load_part(load::<S, Byte, 1>, w, i, m, Part::High),
        "load_sbyte_d16" => |w, i, m| vmem::load_part(load::<S, Byte, 1>, w, i, m, Part::LowSigned8),
        "load_sbyte_d16_hi" => |w, i, m| vmem::load_part(load::<S, Byte, 1>, w, i, m, Part::HighSigned8),
        "load_short_d16" => |w, i, m| vmem::load_part(load::<S, Short, 1>, w, i, m, Part::Low),
        "load_short_d16_hi" => |w, i, m| vmem::load_part(load::<S, Short, 1>, w, i, m, Part::High),
        "store_byte" => store::<S, Byte, 1>,
        "store_byte_d16_hi" => store::<S, High<Byte>, 1>,
        "store_short" => store::<S, Short, 1>,
        "store_short_d16_hi" => store::<S, High<Short>, 1>,
        "store_dword" => store::<S, Dword, 1>,
        "store_dwordx2" => store::<S, Dword, 2>,
        "store_dwordx3" => store::<S, Dword, 3>,
        "store_dwordx4" => store::<S, Dword, 4>,
        _ => {
            Atomic::of(op)?;
            match target.properties().atomic_add_f32_denormals {
                _ if Atomic::is_wide(op) => atomic64::<S>,
                true => atomic32::<S, true>,
                false => atomic32::<S, false>,
            }
        }
    })
}

fn lds_by_name<S: Space>(name: &str) -> Option<CoreFn> {
    Some(match name {
        "dword" => |w, i, m| load_to_lds::<S, Dword>(w, i, m, |dword| dword),
        "ubyte" => |w, i, m| load_to_lds::<S, Byte>(w, i, m, |byte| byte),
        "sbyte" => |w, i, m| load_to_lds::<S, Byte>(w, i, m, |byte| byte as i8 as u32),
        "ushort" => |w, i, m| load_to_lds::<S, Short>(w, i, m, |short| short),
        "sshort" => |w, i, m| load_to_lds::<S, Short>(w, i, m, |short| short as i16 as u32),
        _ => return None,
    })
}

/// How a format makes addresses.
trait Space: 'static {
    /// The addresses can be in the apertures of LDS and private memory.
    const APERTURES: bool = false;
    /// [`Space::run`] finds runs.
    const RUNS: bool = true;
    /// Makes the addresses.
    type Place<'a>: Vectored<Out = Addresses>;

    /// What makes them. (Not they: a `Result` of them would be moved in the pieces that it shares with the error.)
    fn place(wave: &Wave, address: Operand, scalar: Operand, offset: i16) -> Result<Self::Place<'_>, Stop>;

    /// The same addresses, if this format often has runs and these are one, all of it in device memory.
    #[inline(always)]
    fn run(_: &Wave, _: Operand, _: Operand, _: i16) -> Result<Option<Run>, Stop> {
        Ok(None)
    }
}

struct Flat;
struct Global;
struct Scratch;

fn offset(inst: &Inst) -> i16 {
    match inst.mods {
        Mods::Flat { offset, .. } => offset,
        _ => 0,
    }
}

/// What an access goes through.
#[inline(always)]
fn path(inst: &Inst) -> Path {
    match inst.mods {
        Mods::Flat { cache, .. } => Path::of_vector(cache),
        _ => Path::Vector,
    }
}

/// `base` plus an offset in each lane, of 32 bits if there is no high half.
struct Offsets<'a> {
    base: u64,
    low: &'a [u32; LANES],
    high: Option<&'a [u32; LANES]>,
    exec: u64,
}

impl Vectored for Offsets<'_> {
    type Out = Addresses;
    #[inline(always)]
    fn run(self) -> Addresses {
        let mut addresses = Addresses::all([0; LANES], self.exec);
        match self.high {
            Some(high) => {
                for (i, at) in addresses.at.iter_mut().enumerate() {
                    *at = self.base.wrapping_add(u64::from(self.low[i]) | u64::from(high[i]) << 32);
                }
            }
            None => {
                for (at, &low) in addresses.at.iter_mut().zip(self.low) {
                    *at = self.base.wrapping_add(u64::from(low));
                }
            }
        }
        addresses
    }
}

/// 64-bit addresses in a register pair, plus `add`.
#[inline(always)]
fn place_pair(wave: &Wave, address: Operand, add: u64) -> Result<Offsets<'_>, Stop> {
    let first = vector(address)?;
    let (low, high) = (&wave.vgpr[first].0, Some(&wave.vgpr[first + 1].0));
    Ok(Offsets { base: add, low, high, exec: wave.exec() })
}

/// [`place_pair`] as a run.
#[inline(always)]
fn run_pair(wave: &Wave, address: Operand, add: u64) -> Result<Option<Run>, Stop> {
    let first = vector(address)?;
    let (low, high) = (&wave.vgpr[first].0, &wave.vgpr[first + 1].0);
    Ok(Run::of(add, low, Some(high)))
}

impl Space for Global {
    type Place<'a> = Offsets<'a>;

    #[inline(always)]
    fn place(wave: &Wave, address: Operand, scalar: Operand, offset: i16) -> Result<Offsets<'_>, Stop> {
        let offset = i64::from(offset) as u64;
        if scalar == Operand::None {
            return place_pair(wave, address, offset);
        }
        let base = wave.read_scalar64(scalar).wrapping_add(offset);
        Ok(Offsets { base, low: &wave.vgpr[vector(address)?].0, high: None, exec: wave.exec() })
    }

    #[inline(always)]
    fn run(wave: &Wave, address: Operand, scalar: Operand, offset: i16) -> Result<Option<Run>, Stop> {
        let offset = i64::from(offset) as u64;
        if scalar == Operand::None {
            return run_pair(wave, address, offset);
        }
        let base = wave.read_scalar64(scalar).wrapping_add(offset);
        Ok(Run::of(base, &wave.vgpr[vector(address)?].0, None))
    }
}

/// Device address of `offset` in the private memory of `lane`: consecutive lanes' dwords are side by side.
#[inline(always)]
fn private_address(base: u64, offset: u32, lane: usize) -> u64 {
    base.wrapping_add(u64::from(offset & !3) * 64 + lane as u64 * 4 + u64::from(offset & 3))
}

fn flat_scratch(wave: &Wave) -> u64 {
    u64::from(wave.sgpr[reg::FLAT_SCRATCH]) | u64::from(wave.sgpr[reg::FLAT_SCRATCH + 1]) << 32
}

/// Offsets in the private memory of each lane, which begins at `base`: what is the same for all lanes, and what is not.
struct PrivateOffsets<'a> {
    base: u64,
    uniform: u32,
    offsets: Option<&'a [u32; LANES]>,
    exec: u64,
}

impl Vectored for PrivateOffsets<'_> {
    type Out = Addresses;
    #[inline(always)]
    fn run(self) -> Addresses {
        let mut at = [0; LANES];
        for (i, at) in at.iter_mut().enumerate() {
            let offset = self.offsets.map_or(0, |register| register[i]).wrapping_add(self.uniform);
            *at = private_address(self.base, offset, i);
        }
        Addresses { at, mask: [self.exec; 4], stride: 256 }
    }
}

impl Space for Scratch {
    const RUNS: bool = false;
    type Place<'a> = PrivateOffsets<'a>;

    #[inline(always)]
    fn place(wave: &Wave, address: Operand, scalar: Operand, offset: i16) -> Result<PrivateOffsets<'_>, Stop> {
        let mut uniform = i32::from(offset) as u32;
        if scalar != Operand::None {
            uniform = uniform.wrapping_add(wave.read_scalar32(scalar));
        }
        let offsets = if address == Operand::None { None } else { Some(&wave.vgpr[vector(address)?].0) };
        Ok(PrivateOffsets { base: flat_scratch(wave), uniform, offsets, exec: wave.exec() })
    }
}

impl Space for Flat {
    const APERTURES: bool = true;

    type Place<'a> = Offsets<'a>;

    #[inline(always)]
    fn place(wave: &Wave, address: Operand, _: Operand, offset: i16) -> Result<Offsets<'_>, Stop> {
        place_pair(wave, address, i64::from(offset) as u64)
    }

    #[inline(always)]
    fn run(wave: &Wave, address: Operand, _: Operand, offset: i16) -> Result<Option<Run>, Stop> {
        let run = run_pair(wave, address, i64::from(offset) as u64)?;
        Ok(run.filter(|run| (run.start | run.last()) >> 48 == 0))
    }
}

/// Which lanes of a FLAT access go where.
struct Split {
    /// Device memory.
    memory: Addresses,
    /// Private memory.
    private: Option<Addresses>,
    /// Lanes whose address is an offset in LDS.
    lds: u64,
    lds_offset: [u32; LANES],
}

/// Where one lane goes.
enum Goal {
    /// Its offset is that of [`lds_offset`].
    Lds,
    /// Device address, of private memory too.
    Memory(u64),
}

impl Split {
    fn place(&self, lane: usize) -> Goal {
        match &self.private {
            _ if self.lds >> lane & 1 != 0 => Goal::Lds,
            Some(private) if private.mask[0] >> lane & 1 != 0 => Goal::Memory(private.at[lane]),
            _ => Goal::Memory(self.memory.at[lane]),
        }
    }

    /// `None` if all is in device memory: neither aperture is in the lower 48 bits.
    #[inline(always)]
    fn of<S: Space>(wave: &Wave, addresses: &Addresses) -> Result<Option<Split>, Stop> {
        if !S::APERTURES || addresses.at.iter().fold(0, |all, a| all | a) >> 48 == 0 {
            return Ok(None);
        }
        Split::by_lane(wave, addresses).map(Some)
    }

    #[inline(never)]
    fn by_lane(wave: &Wave, addresses: &Addresses) -> Result<Split, Stop> {
        let (at, exec) = (addresses.at, wave.exec());
        let (mut lds, mut private, mut lds_offset) = (0, 0, [0; LANES]);
        let mut private_at = at;
        let base = flat_scratch(wave);
        vmem::lanes(exec, |i| {
            let (high, low) = (at[i] & !0xffff_ffff, at[i] as u32);
            if high == wave.shared_base {
                lds |= 1 << i;
                lds_offset[i] = low;
            } else if high == wave.private_base {
                private |= 1 << i;
                private_at[i] = private_address(base, low, i);
            } else if at[i] >> 48 == wave.shared_base >> 48 || at[i] >> 48 == wave.private_base >> 48 {
                return Err(Stop::Aperture(at[i]));
            }
            Ok(())
        })?;
        Ok(Split {
            memory: Addresses::all(at, exec & !lds & !private),
            private: (private != 0).then_some(Addresses { at: private_at, mask: [private; 4], stride: 256 }),
            lds,
            lds_offset,
        })
    }
}

/// The masks tell which lanes of EXEC get a value; a lane in neither memory nor LDS cannot exist, so lanes outside a
/// part's mask must keep what another part loads.
fn load_masked<P: Piece, const N: usize>(
    wave: &mut Wave,
    machine: &mut Machine,
    part: &Addresses,
    first: usize,
) -> Result<(), Stop> {
    let exec = wave.exec();
    wave.set_exec(part.mask[0]);
    let result = vmem::load_any::<P, N>(wave, &mut machine.memory, part, first);
    wave.set_exec(exec);
    Ok(result?)
}

fn load<S: Space, P: Piece, const N: usize>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let first = vector(inst.dst[0])?;
    machine.memory.path = path(inst);
    if wave.exec() == u64::MAX
        && let Some(run) = S::run(wave, inst.src[0], inst.src[1], offset(inst))?
        && let Some(host) = run.find(&mut machine.memory, 4 * (N as u64 - 1) + P::BYTES, Access::Read)?
    {
        vmem::load_run::<P, N>(wave, host, run.step as usize, 4, first);
        return Ok(Flow::Next);
    }
    let addresses = vectored(S::place(wave, inst.src[0], inst.src[1], offset(inst))?);
    match Split::of::<S>(wave, &addresses)? {
        None if S::RUNS => vmem::load_apart::<P, N>(wave, &mut machine.memory, &addresses, first)?,
        None => vmem::load::<P, N>(wave, &mut machine.memory, &addresses, first)?,
        Some(split) => load_split::<P, N>(wave, machine, &split, first)?,
    }
    Ok(Flow::Next)
}

#[inline(never)]
fn load_split<P: Piece, const N: usize>(
    wave: &mut Wave,
    machine: &mut Machine,
    split: &Split,
    first: usize,
) -> Result<(), Stop> {
    load_masked::<P, N>(wave, machine, &split.memory, first)?;
    if let Some(private) = &split.private {
        load_masked::<P, N>(wave, machine, private, first)?;
    }
    for k in 0..N {
        let register = &mut wave.vgpr[first + k].0;
        vmem::lanes(split.lds, |i| {
            let at = lds_offset::<P>(machine, split, i, N)?;
            register[i] = vmem::load_lds::<P>(machine.lds, at + k as u32 * 4);
            Ok::<(), Stop>(())
        })?;
    }
    Ok(())
}

/// FLAT accesses outside the work-group's LDS are violations, unlike those of DS instructions.
fn lds_offset<P: Piece>(machine: &Machine, split: &Split, lane: usize, registers: usize) -> Result<u32, Stop> {
    let at = split.lds_offset[lane];
    let bytes = if registers == 1 { P::BYTES as usize } else { registers * 4 };
    if at as usize + bytes > machine.lds.len() {
        return Err(Stop::Aperture(machine.shared_base | u64::from(at)));
    }
    Ok(at)
}

fn store<S: Space, P: Piece, const N: usize>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
) -> Result<Flow, Stop> {
    let first = vector(inst.src[1])?;
    machine.memory.path = path(inst);
    if wave.exec() == u64::MAX
        && let Some(run) = S::run(wave, inst.src[0], inst.src[2], offset(inst))?
        && let Some(host) = run.find(&mut machine.memory, 4 * (N as u64 - 1) + P::BYTES, Access::Write)?
    {
        vmem::store_run::<P, N>(wave, host, run.step as usize, 4, first);
        return Ok(Flow::Next);
    }
    let addresses = vectored(S::place(wave, inst.src[0], inst.src[2], offset(inst))?);
    match Split::of::<S>(wave, &addresses)? {
        None if S::RUNS => vmem::store_apart::<P, N>(wave, &mut machine.memory, &addresses, first)?,
        None => vmem::store::<P, N>(wave, &mut machine.memory, &addresses, first)?,
        Some(split) => store_split::<P, N>(wave, machine, &split, first)?,
    }
    Ok(Flow::Next)
}

#[inline(never)]
fn store_split<P: Piece, const N: usize>(
    wave: &Wave,
    machine: &mut Machine,
    split: &Split,
    first: usize,
) -> Result<(), Stop> {
    vmem::store_any::<P, N>(wave, &mut machine.memory, &split.memory, first)?;
    if let Some(private) = &split.private {
        vmem::store_any::<P, N>(wave, &mut machine.memory, private, first)?;
    }
    vmem::lanes(split.lds, |i| {
        let at = lds_offset::<P>(machine, split, i, N)?;
        for k in 0..N {
            vmem::store_lds::<P>(machine.lds, at + k as u32 * 4, wave.vgpr[first + k].0[i]);
        }
        Ok::<(), Stop>(())
    })
}

/// The addresses of an atomic or of a load to LDS, by where they are.
fn split_all<S: Space>(wave: &Wave, inst: &Inst, scalar: Operand) -> Result<Split, Stop> {
    let addresses = vectored(S::place(wave, inst.src[0], scalar, offset(inst))?);
    let split = Split::of::<S>(wave, &addresses)?;
    Ok(split.unwrap_or(Split { memory: addresses, private: None, lds: 0, lds_offset: [0; LANES] }))
}

fn atomic32<S: Space, const DENORMALS: bool>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
) -> Result<Flow, Stop> {
    let atomic = Atomic::of_inst(inst)?.with_denormals::<DENORMALS>();
    let split = split_all::<S>(wave, inst, inst.src[2])?;
    let data = vector(inst.src[1])?;
    let result = if inst.dst[0] == Operand::None { None } else { Some(vector(inst.dst[0])?) };
    // Lane by lane, wherever they go: `checked` relies on it.
    vmem::lanes(wave.exec(), |i| {
        let (a, b) = (wave.vgpr[data].0[i], wave.vgpr[data + 1].0[i]);
        let old = match split.place(i) {
            Goal::Lds => {
                let at = lds_offset::<Dword>(machine, &split, i, 1)? & !3;
                machine.lds.atomic32(at, |old| atomic.apply32(old, a, b))
            }
            Goal::Memory(at) => machine.memory.atomic32(at, |old| atomic.apply32(old, a, b))?,
        };
        if let Some(result) = result {
            wave.vgpr[result].0[i] = old;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

fn atomic64<S: Space>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = Atomic::of_inst(inst)?;
    let split = split_all::<S>(wave, inst, inst.src[2])?;
    if split.private.is_some() {
        return Err(Stop::Illegal("64-bit atomics on interleaved private memory are not possible"));
    }
    let data = vector(inst.src[1])?;
    let result = if inst.dst[0] == Operand::None { None } else { Some(vector(inst.dst[0])?) };
    let operands = |wave: &Wave, i: usize| {
        let pair = |k: usize| u64::from(wave.vgpr[data + k].0[i]) | u64::from(wave.vgpr[data + k + 1].0[i]) << 32;
        (pair(0), pair(2))
    };
    let give = |wave: &mut Wave, i: usize, old: u64| {
        if let Some(result) = result {
            wave.vgpr[result].0[i] = old as u32;
            wave.vgpr[result + 1].0[i] = (old >> 32) as u32;
        }
    };
    vmem::lanes(wave.exec(), |i| {
        let (a, b) = operands(wave, i);
        let old = match split.place(i) {
            Goal::Lds => {
                let at = lds_offset::<Dword>(machine, &split, i, 2)? & !7;
                machine.lds.atomic64(at, |old| atomic.apply64(old, a, b))
            }
            Goal::Memory(at) => machine.memory.atomic64(at, |old| atomic.apply64(old, a, b))?,
        };
        give(wave, i, old);
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// The lanes of a FLAT access that go to LDS, and each lane's offset there.
pub(crate) fn lds_lanes(wave: &Wave, inst: &Inst) -> Result<(u64, [u32; LANES]), Stop> {
    let split = split_all::<Flat>(wave, inst, Operand::None)?;
    Ok((split.lds, split.lds_offset))
}

/// The lanes of a FLAT or SCRATCH access that go to private memory, and each lane's device address there.
pub(crate) fn private_lanes(wave: &Wave, inst: &Inst, access: Access) -> Result<(u64, [u64; LANES]), Stop> {
    if inst.format == Format::Scratch {
        let scalar = if access == Access::Read { inst.src[1] } else { inst.src[2] };
        let addresses = vectored(Scratch::place(wave, inst.src[0], scalar, offset(inst))?);
        return Ok((wave.exec(), addresses.at));
    }
    let split = split_all::<Flat>(wave, inst, Operand::None)?;
    Ok(split.private.map_or((0, [0; LANES]), |private| (private.mask[0], private.at)))
}

/// Where the lanes of a FLAT or GLOBAL access are in device memory.
pub(crate) fn memory_lanes(wave: &Wave, inst: &Inst, access: Access) -> Result<Addresses, Stop> {
    if inst.format == Format::Global {
        let scalar = if access == Access::Read { inst.src[1] } else { inst.src[2] };
        return Ok(split_all::<Global>(wave, inst, scalar)?.memory);
    }
    Ok(split_all::<Flat>(wave, inst, Operand::None)?.memory)
}

/// The lanes of a FLAT or GLOBAL access that go to device memory, each lane's address, and what they go through.
pub(crate) fn device_lanes(wave: &Wave, inst: &Inst, access: Access) -> Result<(u64, [u64; LANES], Path), Stop> {
    let memory = memory_lanes(wave, inst, access)?;
    Ok((memory.mask[0], memory.at, path(inst)))
}

/// Where a load to LDS puts what lane 0 loads.
pub(crate) fn lds_base(wave: &Wave, inst: &Inst) -> u32 {
    (wave.m0() & 0xffff).wrapping_add_signed(offset(inst).into())
}

/// Loads a piece a lane, of which `extend` makes a dword, to LDS: at M0\[15:0\] + offset + lane * 4. The offset counts
/// in both addresses (LLVM: `llvm.amdgcn.global.load.lds`).
fn load_to_lds<S: Space, P: Piece>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
    extend: fn(u32) -> u32,
) -> Result<Flow, Stop> {
    let split = split_all::<S>(wave, inst, inst.src[1])?;
    let base = lds_base(wave, inst);
    machine.memory.path = path(inst);
    vmem::lanes(split.memory.mask[0], |i| {
        let value = vmem::read_piece::<P>(&mut machine.memory, split.memory.at[i], split.memory.stride)?;
        machine.lds.write32(base.wrapping_add(i as u32 * 4), extend(value));
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}
