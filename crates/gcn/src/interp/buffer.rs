//! Buffer instructions (MUBUF and MTBUF): memory through a buffer resource.

use crate::interp::atomic::Atomic;
use crate::interp::data_format::{Format as Texel, component_bits};
use crate::interp::vmem;
use crate::interp::vmem::element::{Byte, Dword, High, Part, Piece, Short, insert_half};
use crate::interp::vmem::{Addresses, vector};
use crate::machine::bus::{Access, Path};
use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use gcn_alu::simd::{Vectored, vectored};
use gcn_alu::wave::{LANES, Lanes, Wave, scalar_index};
use gcn_isa::inst::{Cache, Format, Inst, Mods, Operand};
use gcn_isa::op::Op;
use std::ops::Range;

/// The function of a MUBUF or MTBUF instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    let (_, name) = inst.op.mnemonic().split_once("buffer_")?;
    if let Mods::Buffer { lds: true, .. } = inst.mods {
        return match name {
            "load_dword" => Some(|w, i, m| load_to_lds::<Dword>(w, i, m, |dword| dword)),
            "load_ubyte" => Some(|w, i, m| load_to_lds::<Byte>(w, i, m, |byte| byte)),
            "load_sbyte" => Some(|w, i, m| load_to_lds::<Byte>(w, i, m, |byte| byte as i8 as u32)),
            "load_ushort" => Some(|w, i, m| load_to_lds::<Short>(w, i, m, |short| short)),
            "load_sshort" => Some(|w, i, m| load_to_lds::<Short>(w, i, m, |short| short as i16 as u32)),
            "store_lds_dword" => Some(store_from_lds),
            _ => None,
        };
    }
    Some(match name {
        "wbinvl1" | "wbinvl1_vol" => invalidate,
        // SC1: for more than the work-group, which has one compute unit. With SC0: for more than the device (CDNA3 ISA,
        // tables 50 and 51).
        "inv" | "wbl2" if inst.target.properties().scopes && !has(inst, Cache::SCC) => |_, _, _| Ok(Flow::Next),
        "inv" if has(inst, Cache::GLC) => |w, i, m| {
            m.memory.invalidate_l2();
            invalidate(w, i, m)
        },
        "inv" => invalidate,
        "wbl2" => |_, _, m| {
            m.memory.write_back_l2();
            Ok(Flow::Next)
        },
        "invl2" => |_, _, m| {
            m.memory.invalidate_l2();
            Ok(Flow::Next)
        },
        "load_ubyte" => load::<Byte, 1>,
        "load_ushort" => load::<Short, 1>,
        "load_dword" => load::<Dword, 1>,
        "load_dwordx2" => load::<Dword, 2>,
        "load_dwordx3" => load::<Dword, 3>,
        "load_dwordx4" => load::<Dword, 4>,
        "load_sbyte" => |w, i, m| vmem::load_part(load::<Byte, 1>, w, i, m, Part::Signed8),
        "load_sshort" => |w, i, m| vmem::load_part(load::<Short, 1>, w, i, m, Part::Signed16),
        "load_ubyte_d16" => |w, i, m| vmem::load_part(load::<Byte, 1>, w, i, m, Part::Low),
        "load_ubyte_d16_hi" => |w, i, m| vmem::load_part(load::<Byte, 1>, w, i, m, Part::High),
        "load_sbyte_d16" => |w, i, m| vmem::load_part(load::<Byte, 1>, w, i, m, Part::LowSigned8),
        "load_sbyte_d16_hi" => |w, i, m| vmem::load_part(load::<Byte, 1>, w, i, m, Part::HighSigned8),
        "load_short_d16" => |w, i, m| vmem::load_part(load::<Short, 1>, w, i, m, Part::Low),
        "load_short_d16_hi" => |w, i, m| vmem::load_part(load::<Short, 1>, w, i, m, Part::High),
        "store_byte" => store::<Byte, 1>,
        "store_byte_d16_hi" => store::<High<Byte>, 1>,
        "store_short" => store::<Short, 1>,
        "store_short_d16_hi" => store::<High<Short>, 1>,
        "store_dword" => store::<Dword, 1>,
        "store_dwordx2" => store::<Dword, 2>,
        "store_dwordx3" => store::<Dword, 3>,
        "store_dwordx4" => store::<Dword, 4>,
        _ if name.starts_with("load_format_") => load_format,
        _ if name.starts_with("store_format_") => store_format,
        _ => {
            Atomic::of(inst.op)?;
            match inst.target.properties().atomic_add_f32_denormals {
                _ if Atomic::is_wide(inst.op) => atomic64,
                true => atomic32::<true>,
                false => atomic32::<false>,
            }
        }
    })
}

/// A buffer resource of gfx9, as four scalar registers hold it.
struct Resource {
    base: u64,
    stride: u32,
    swizzle: bool,
    records: u32,
    num_format: u8,
    data_format: u8,
    /// Sources of x, y, z, w: 0, 1, or 4 to 7 for the components in memory.
    select: [u8; 4],
    /// Base-2 logarithm of the records that are interleaved.
    index_shift: u32,
    add_lane: bool,
}

impl Resource {
    /// For MUBUF its format is the invalid one, by which assembly switches loads and stores off: all is out of range.
    fn is_unbound(&self, inst: &Inst) -> bool {
        self.data_format == 0 && !self.add_lane && inst.format == Format::Mubuf
    }

    fn read(wave: &Wave, operand: Operand) -> Result<Resource, Stop> {
        let Some(first) = scalar_index(operand) else {
            return Err(Stop::Illegal("the resource must be in scalar registers"));
        };
        let word = |i: usize| wave.sgpr[(first + i) & 127];
        let flags = word(3);
        let add_lane = flags >> 23 & 1 != 0;
        let mut stride = word(1) >> 16 & 0x3fff;
        if add_lane {
            // The data format field holds more bits of the stride.
            stride |= (flags >> 15 & 15) << 14;
        }
        Ok(Resource {
            base: u64::from(word(0)) | u64::from(word(1) & 0xffff) << 32,
            stride,
            swizzle: word(1) >> 31 != 0,
            records: word(2),
            num_format: (flags >> 12 & 7) as u8,
            data_format: (flags >> 15 & 15) as u8,
            select: std::array::from_fn(|i| (flags >> (3 * i) & 7) as u8),
            index_shift: 3 + (flags >> 21 & 3),
            add_lane,
        })
    }
}

/// Element size of swizzled buffers on gfx9.
const ELEMENT: u32 = 4;

/// Addresses of `dwords` dwords (or one piece of `bytes`) per lane. `operands`: address, resource, scalar offset.
fn addresses_of(wave: &Wave, inst: &Inst, operands: &[Operand], dwords: u32, bytes: u32) -> Result<Addresses, Stop> {
    Ok(vectored(place(wave, inst, operands, dwords, bytes)?))
}

/// What makes [`addresses_of`]. (Not they: a `Result` of them would be moved.)
#[inline(always)]
fn place<'a>(wave: &'a Wave, inst: &Inst, operands: &[Operand], dwords: u32, bytes: u32) -> Result<Place<'a>, Stop> {
    let Mods::Buffer { offset, offen, idxen, .. } = inst.mods else {
        return Err(Stop::Illegal("not a buffer instruction"));
    };
    let resource = Resource::read(wave, operands[1])?;
    let scalar = if operands[2] == Operand::None { 0 } else { wave.read_scalar32(operands[2]) };
    let first = vector(operands[0])?;
    let (indices, offsets) = match (idxen, offen) {
        (true, true) => (&wave.vgpr[first], &wave.vgpr[first + 1]),
        (true, false) => (&wave.vgpr[first], &Lanes::ZERO),
        (false, true) => (&Lanes::ZERO, &wave.vgpr[first]),
        (false, false) => (&Lanes::ZERO, &Lanes::ZERO),
    };
    let structured = resource.stride != 0 && (idxen || resource.add_lane || resource.swizzle);
    let exec = if resource.is_unbound(inst) { 0 } else { wave.exec() };
    let (dwords, bytes, offset) = (dwords as usize, u64::from(bytes), u32::from(offset));
    Ok(Place { resource, structured, scalar, indices, offsets, offset, dwords, bytes, exec })
}

/// Accesses through a resource of `dwords` times `bytes`.
struct Place<'a> {
    resource: Resource,
    structured: bool,
    scalar: u32,
    indices: &'a Lanes,
    offsets: &'a Lanes,
    offset: u32,
    dwords: usize,
    bytes: u64,
    exec: u64,
}

impl Vectored for Place<'_> {
    type Out = Addresses;
    #[inline(always)]
    fn run(self) -> Addresses {
        let mut addresses = Addresses::all([0; LANES], self.exec);
        if self.resource.swizzle {
            addresses.stride = ELEMENT << self.resource.index_shift;
        }
        if self.structured || self.resource.swizzle {
            self.records(&mut addresses);
        } else {
            self.lines(&mut addresses);
        }
        addresses
    }
}

impl Place<'_> {
    fn base(&self) -> u64 {
        self.resource.base.wrapping_add(u64::from(self.scalar))
    }

    /// Raw, in lines: records have no size, or there is one only. Every dword is checked, and the scalar offset counts.
    #[inline(always)]
    fn lines(&self, Addresses { at, mask, .. }: &mut Addresses) {
        let (base, mut highest) = (self.base(), 0);
        for (at, lane) in at.iter_mut().zip(self.offsets.0) {
            let linear = lane.wrapping_add(self.offset);
            *at = base.wrapping_add(u64::from(linear));
            highest = highest.max(linear);
        }
        let end = |linear: u32, k: usize| u64::from(linear) + u64::from(self.scalar) + k as u64 * 4 + self.bytes;
        let records = u64::from(self.resource.records);
        if end(highest, self.dwords - 1) <= records {
            return;
        }
        for (k, mask) in mask.iter_mut().enumerate() {
            for (i, lane) in self.offsets.0.iter().enumerate() {
                let linear = lane.wrapping_add(self.offset);
                *mask &= !(u64::from(end(linear, k.min(self.dwords - 1)) > records) << i);
            }
        }
    }

    /// To records of a size, or to lines that are interleaved.
    #[inline(always)]
    fn records(&self, Addresses { at, mask, .. }: &mut Addresses) {
        let (resource, base) = (&self.resource, self.base());
        for (i, at) in at.iter_mut().enumerate() {
            let index = self.indices.0[i].wrapping_add(if resource.add_lane { i as u32 } else { 0 });
            let offset = self.offsets.0[i].wrapping_add(self.offset);
            let place = if resource.swizzle {
                let (index_high, index_low) =
                    (index >> resource.index_shift, index & ((1 << resource.index_shift) - 1));
                let (offset_high, offset_low) = (offset / ELEMENT, offset % ELEMENT);
                let block = u64::from(index_high) * u64::from(resource.stride) + u64::from(offset_high * ELEMENT);
                (block << resource.index_shift) + u64::from(index_low * ELEMENT + offset_low)
            } else {
                u64::from(index) * u64::from(resource.stride) + u64::from(offset)
            };
            *at = base.wrapping_add(place);
            if self.structured {
                if index >= resource.records || resource.swizzle && offset >= resource.stride {
                    mask.iter_mut().for_each(|mask| *mask &= !(1 << i));
                }
            } else {
                // In private memory the scalar offset is the wave's and does not count.
                for (k, mask) in mask.iter_mut().enumerate().take(self.dwords) {
                    if u64::from(offset) + k as u64 * 4 + self.bytes > u64::from(resource.records) {
                        *mask &= !(1 << i);
                    }
                }
            }
        }
    }
}

/// The lanes of an access to private memory, and each lane's device address: their resource interleaves lanes, as no
/// other does, and begins in `scratch`.
pub(crate) fn private_lanes(
    wave: &Wave,
    inst: &Inst,
    access: Access,
    scratch: &Range<u64>,
) -> Result<(u64, [u64; LANES]), Stop> {
    let operands = if access == Access::Read { &inst.src[..3] } else { &inst.src[1..] };
    let Resource { base, swizzle, add_lane, .. } = Resource::read(wave, operands[1])?;
    if !swizzle || !add_lane || !scratch.contains(&base) {
        return Ok((0, [0; LANES]));
    }
    // Also those that are beyond the resource, which access nothing.
    Ok((wave.exec(), addresses_of(wave, inst, operands, 1, 1)?.at))
}

/// Where the lanes' pieces of `bytes` bytes are.
pub(crate) fn memory_lanes(wave: &Wave, inst: &Inst, access: Access, bytes: u8) -> Result<Addresses, Stop> {
    let operands = if access == Access::Read { &inst.src[..3] } else { &inst.src[1..] };
    let bytes = u32::from(bytes);
    match access {
        // All of it is inside, or none.
        Access::Atomic => addresses_of(wave, inst, operands, 1, bytes),
        _ => addresses_of(wave, inst, operands, bytes.div_ceil(4), bytes.min(4)),
    }
}

/// Whether `inst` empties the L1 of its compute unit of what other ones may have changed, for more than the work-group.
pub(crate) fn invalidates(inst: &Inst) -> bool {
    match inst.op {
        Op::BufferWbinvl1 | Op::BufferWbinvl1Vol => true,
        Op::BufferInv => has(inst, Cache::SCC),
        _ => false,
    }
}

/// The lanes of an access to memory other than private of which all `bytes` are in range, each lane's device address,
/// and what they go through.
pub(crate) fn device_lanes(
    wave: &Wave,
    inst: &Inst,
    access: Access,
    bytes: u8,
    scratch: &Range<u64>,
) -> Result<(u64, [u64; LANES], Path), Stop> {
    let Resource { base, swizzle, .. } = Resource::read(wave, inst.src[if access == Access::Read { 1 } else { 2 }])?;
    // What is swizzled is private memory, or no array of a lane's bytes.
    if swizzle || scratch.contains(&base) {
        return Ok((0, [0; LANES], Path::Vector));
    }
    let addresses = memory_lanes(wave, inst, access, bytes)?;
    let last = if access == Access::Atomic { 0 } else { usize::from(bytes.div_ceil(4)) - 1 };
    Ok((addresses.mask[last], addresses.at, path(inst)))
}

fn has(inst: &Inst, bit: Cache) -> bool {
    matches!(inst.mods, Mods::Buffer { cache, .. } if cache.has(bit))
}

/// What an access goes through.
#[inline(always)]
fn path(inst: &Inst) -> Path {
    match inst.mods {
        Mods::Buffer { cache, .. } => Path::of_vector(cache),
        _ => Path::Vector,
    }
}

fn invalidate(_: &mut Wave, _: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    machine.memory.invalidate(Path::Vector);
    Ok(Flow::Next)
}

fn load<P: Piece, const N: usize>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let addresses = vectored(place(wave, inst, &inst.src[..3], N as u32, P::BYTES as u32)?);
    machine.memory.path = path(inst);
    vmem::load::<P, N>(wave, &mut machine.memory, &addresses, vector(inst.dst[0])?)?;
    Ok(Flow::Next)
}

fn store<P: Piece, const N: usize>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let addresses = vectored(place(wave, inst, &inst.src[1..], N as u32, P::BYTES as u32)?);
    machine.memory.path = path(inst);
    vmem::store::<P, N>(wave, &mut machine.memory, &addresses, vector(inst.src[0])?)?;
    Ok(Flow::Next)
}

fn atomic32<const DENORMALS: bool>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = Atomic::of_inst(inst)?.with_denormals::<DENORMALS>();
    let addresses = addresses_of(wave, inst, &inst.src[1..], 1, 4)?;
    let data = vector(inst.src[0])?;
    let result = if inst.dst[0] == Operand::None { None } else { Some(vector(inst.dst[0])?) };
    vmem::lanes(wave.exec(), |i| {
        let mut old = 0;
        if addresses.mask[0] >> i & 1 != 0 {
            let (a, b) = (wave.vgpr[data].0[i], wave.vgpr[data + 1].0[i]);
            old = machine.memory.atomic32(addresses.at[i], |old| atomic.apply32(old, a, b))?;
        }
        if let Some(result) = result {
            wave.vgpr[result].0[i] = old;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

fn atomic64(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let atomic = Atomic::of_inst(inst)?;
    let addresses = addresses_of(wave, inst, &inst.src[1..], 1, 8)?;
    let data = vector(inst.src[0])?;
    let result = if inst.dst[0] == Operand::None { None } else { Some(vector(inst.dst[0])?) };
    vmem::lanes(wave.exec(), |i| {
        let mut old = 0;
        if addresses.mask[0] >> i & 1 != 0 {
            let pair = |k: usize| u64::from(wave.vgpr[data + k].0[i]) | u64::from(wave.vgpr[data + k + 1].0[i]) << 32;
            let (a, b) = (pair(0), pair(2));
            old = machine.memory.atomic64(addresses.at[i], |old| atomic.apply64(old, a, b))?;
        }
        if let Some(result) = result {
            wave.vgpr[result].0[i] = old as u32;
            wave.vgpr[result + 1].0[i] = (old >> 32) as u32;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// LDS address of a lane: M0\[15:0\] + offset field + lane * 4.
pub(crate) fn lds_address(wave: &Wave, inst: &Inst, lane: usize) -> u32 {
    let Mods::Buffer { offset, .. } = inst.mods else { return 0 };
    (wave.m0() & 0xffff).wrapping_add(u32::from(offset)).wrapping_add(lane as u32 * 4)
}

/// Loads a piece a lane, of which `extend` makes a dword.
fn load_to_lds<P: Piece>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
    extend: fn(u32) -> u32,
) -> Result<Flow, Stop> {
    let addresses = addresses_of(wave, inst, &inst.src[..3], 1, P::BYTES as u32)?;
    machine.memory.path = path(inst);
    vmem::lanes(wave.exec(), |i| {
        let mut value = 0;
        if addresses.mask[0] >> i & 1 != 0 {
            value = extend(vmem::read_piece::<P>(&mut machine.memory, addresses.at[i], addresses.stride)?);
        }
        machine.lds.write32(lds_address(wave, inst, i), value);
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// There is no address register: lanes get addresses of their own if the resource has ADD_TID_ENABLE.
fn store_from_lds(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let operands = [Operand::None, inst.src[0], inst.src[1]];
    let addresses = addresses_of(wave, inst, &operands, 1, 4)?;
    vmem::lanes(addresses.mask[0], |i| {
        let value = machine.lds.read32(lds_address(wave, inst, i));
        machine.memory.write32(addresses.at[i], value)?;
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// The data format of one component of 32 bits.
const DWORD: u8 = 4;

/// Format, selection, component count and whether registers hold halves.
fn format_of(inst: &Inst, resource: &Resource) -> Result<(Texel, [u8; 4], usize, Half), Stop> {
    let Mods::Buffer { dfmt, nfmt, .. } = inst.mods else {
        return Err(Stop::Illegal("not a buffer instruction"));
    };
    let name = inst.op.mnemonic();
    let typed = name.starts_with("tbuffer");
    let (data, number) = match typed {
        true => (dfmt, nfmt),
        // Any, as nothing is loaded or stored; of its number format is a 1 that is selected.
        false if resource.is_unbound(inst) => (DWORD, resource.num_format),
        false => (resource.data_format, resource.num_format),
    };
    let format = Texel::new(data, number).ok_or(Stop::Illegal("the resource's format is not one of buffers"))?;
    let components = match name.rsplit_once('_').map(|(_, c)| c) {
        Some("x") => 1,
        Some("xy") => 2,
        Some("xyz") => 3,
        _ => 4,
    };
    let half = match (name.contains("d16_hi"), name.contains("d16")) {
        (true, _) => Half::High,
        (_, true) => Half::Packed,
        _ => Half::No,
    };
    // Typed instructions take the components as they are; those that the format lacks are 0 (AMD's ISA manuals,
    // "DST_SEL identity").
    let select = if typed { format.identity() } else { resource.select };
    Ok((format, select, components, half))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    No,
    Packed,
    High,
}

fn load_format(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let resource = Resource::read(wave, inst.src[1])?;
    let (format, select, count, half) = format_of(inst, &resource)?;
    let addresses = addresses_of(wave, inst, &inst.src[..3], 1, format.bytes() as u32)?;
    let (first, kept) = (vector(inst.dst[0])?, wave.kept_bits());
    machine.memory.path = path(inst);
    vmem::lanes(wave.exec(), |i| {
        let mut components = [0; 4];
        if addresses.mask[0] >> i & 1 != 0 {
            let mut bytes = [0; 16];
            for (k, byte) in bytes.iter_mut().enumerate().take(format.bytes()) {
                *byte = machine.memory.read8(addresses.at[i].wrapping_add(k as u64))?;
            }
            components = format.decode(&bytes);
        }
        // What is out of range is 0, except for a 1 that is selected (AMD's ISA manuals, "Range Checking").
        let values = format.select(components, select);
        for (k, &value) in values[..count].iter().enumerate() {
            match half {
                Half::No => wave.vgpr[first + k].0[i] = value,
                Half::Packed => {
                    let register = &mut wave.vgpr[first + k / 2].0[i];
                    // The low half is there already when the high one comes.
                    let kept = if k % 2 == 0 { kept } else { u32::MAX };
                    *register = insert_half(*register, kept, component_bits(format, value), k % 2 != 0);
                }
                Half::High => {
                    let register = &mut wave.vgpr[first].0[i];
                    *register = insert_half(*register, kept, component_bits(format, value), true);
                }
            }
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

fn store_format(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let resource = Resource::read(wave, inst.src[2])?;
    let (format, select, count, half) = format_of(inst, &resource)?;
    let addresses = addresses_of(wave, inst, &inst.src[1..], 1, format.bytes() as u32)?;
    machine.memory.path = path(inst);
    let first = vector(inst.src[0])?;
    vmem::lanes(addresses.mask[0], |i| {
        let mut values = [0; 4];
        for (k, value) in values[..count].iter_mut().enumerate() {
            *value = match half {
                Half::No => wave.vgpr[first + k].0[i],
                Half::Packed => format.widen((wave.vgpr[first + k / 2].0[i] >> (16 * (k % 2))) as u16),
                Half::High => format.widen((wave.vgpr[first].0[i] >> 16) as u16),
            };
        }
        let bytes = format.encode(format.arrange(values, select));
        for (k, &byte) in bytes.iter().enumerate().take(format.bytes()) {
            machine.memory.write8(addresses.at[i].wrapping_add(k as u64), byte)?;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}
