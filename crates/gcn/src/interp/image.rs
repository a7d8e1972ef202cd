//! Image instructions (MIMG), which address an image by coordinates through a resource and, to filter, a sampler.
//!
//! What is undefined or left out ends in an exception that names it; see the documentation of [`crate::exec`].

mod address;
mod descriptor;
mod filter;
mod full_wave;
mod modifiers;
mod sampler;
mod swizzle;
#[cfg(test)]
mod tests;
mod texel;

use crate::interp::atomic::Atomic;
use crate::interp::image::address::{Extras, Place, Reader};
use crate::interp::image::descriptor::Image;
use crate::interp::image::filter::Lookup;
use crate::interp::image::modifiers::Modifiers;
use crate::interp::image::sampler::Sampler;
pub use crate::interp::image::swizzle::GB_ADDR_CONFIG;
use crate::interp::vmem::{lanes, vector};
use crate::machine::bus::Path;
use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use crate::machine::memory::Memory;
use gcn_alu::simd::{Vectored, vectored};
use gcn_alu::wave::{LANES, Wave};
use gcn_isa::inst::{Cache, Inst};
use std::marker::PhantomData;

/// The function of a MIMG instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    let name = inst.op.mnemonic().strip_prefix("image_")?;
    Some(match name {
        "load" if full_wave::suits(inst) => {
            |w, i, m| full_wave::run::<full_wave::Load>(w, i, m, |w, i, m| load(w, i, m, false))
        }
        "load" => |w, i, m| load(w, i, m, false),
        "load_mip" => |w, i, m| load(w, i, m, true),
        "store" if full_wave::suits(inst) => {
            |w, i, m| full_wave::run::<full_wave::Store>(w, i, m, |w, i, m| store(w, i, m, false))
        }
        "store" => |w, i, m| store(w, i, m, false),
        "store_mip" => |w, i, m| store(w, i, m, true),
        "get_resinfo" => resource_info,
        "get_lod" => by_lanes::<LevelOfDetail>,
        _ if name.starts_with("sample") => {
            Extras::of(name)?;
            sampler_function::<Sample>(inst)
        }
        _ if name.strip_prefix("gather4").is_some_and(|rest| rest.is_empty() || rest.starts_with('_')) => {
            Extras::of(name)?;
            sampler_function::<Gather>(inst)
        }
        _ => {
            Atomic::of(inst.op)?;
            atomic
        }
    })
}

/// The function of an instruction that looks at places as `L` says.
fn sampler_function<L: Looks>(inst: &Inst) -> CoreFn {
    if !full_wave::suits(inst) {
        return by_lanes::<L>;
    }
    |w, i, m| full_wave::run::<full_wave::Sample>(w, i, m, by_lanes::<L>)
}

fn load(wave: &mut Wave, inst: &Inst, machine: &mut Machine, level: bool) -> Result<Flow, Stop> {
    let modifiers = Modifiers::of(inst)?;
    let image = Image::read(wave, inst.src[1])?;
    let (register, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    machine.memory.path = Path::of_vector(modifiers.cache);
    // The result may overwrite the address, but a lane's address is read before its result is written.
    lanes(wave.exec(), |lane| {
        let mut reader = Reader { wave, lane, register, halves: modifiers.halves };
        let position = reader.position(image.kind, modifiers.array, level);
        let mut values = [0; 4];
        if modifiers.mask != 0 && position.level == 0 && image.contains(position.texel) {
            values = texel::read(&image, &mut machine.memory, position.texel)?;
        }
        let values = image.format.select(values, image.select);
        modifiers.write(wave, first, lane, image.format, values, modifiers.mask);
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

fn store(wave: &mut Wave, inst: &Inst, machine: &mut Machine, level: bool) -> Result<Flow, Stop> {
    let modifiers = Modifiers::of(inst)?;
    let image = Image::read(wave, inst.src[2])?;
    let (register, first) = (vector(inst.src[1])?, vector(inst.src[0])?);
    if modifiers.mask == 0 {
        return Ok(Flow::Next);
    }
    lanes(wave.exec(), |lane| {
        let mut reader = Reader { wave, lane, register, halves: modifiers.halves };
        let position = reader.position(image.kind, modifiers.array, level);
        if position.level == 0 && image.contains(position.texel) {
            let values = modifiers.read(wave, first, lane, image.format);
            texel::write(&image, &mut machine.memory, position.texel, values)?;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

fn atomic(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let modifiers = Modifiers::of(inst)?;
    let atomic = Atomic::of_inst(inst)?;
    let image = Image::read(wave, inst.src[2])?;
    let (register, first) = (vector(inst.src[1])?, vector(inst.src[0])?);
    let operands = if atomic == Atomic::Cmpswap { 2 } else { 1 };
    let wide = modifiers.mask.count_ones() == 2 * operands;
    if image.format.bytes() != if wide { 8 } else { 4 } {
        return Err(Stop::Illegal("the resource's texels are not as large as the data"));
    }
    lanes(wave.exec(), |lane| {
        let mut reader = Reader { wave, lane, register, halves: modifiers.halves };
        let position = reader.position(image.kind, modifiers.array, false);
        let word = |k: usize| wave.vgpr[first + k].0[lane];
        let pair = |k: usize| u64::from(word(k)) | u64::from(word(k + 1)) << 32;
        let old = if !image.contains(position.texel) {
            0
        } else if wide {
            let (at, a, b) = (image.address(position.texel), pair(0), pair(2));
            machine.memory.atomic64(at, |old| atomic.apply64(old, a, b))?
        } else {
            let (at, a, b) = (image.address(position.texel), word(0), word(1));
            u64::from(machine.memory.atomic32(at, |old| atomic.apply32(old, a, b))?)
        };
        if modifiers.cache.has(Cache::GLC) {
            wave.vgpr[first].0[lane] = old as u32;
            if wide {
                wave.vgpr[first + 1].0[lane] = (old >> 32) as u32;
            }
        }
        if modifiers.status {
            wave.vgpr[first + modifiers.mask.count_ones() as usize].0[lane] = 0;
        }
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// Width, height, depth or slices, and mip levels.
fn resource_info(wave: &mut Wave, inst: &Inst, _: &mut Machine) -> Result<Flow, Stop> {
    let modifiers = Modifiers::of(inst)?;
    let image = Image::read(wave, inst.src[1])?;
    let (register, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let deep = if image.kind.is_array() { image.slices } else { image.size[2] };
    lanes(wave.exec(), |lane| {
        let level = Reader { wave, lane, register, halves: modifiers.halves }.integers::<1>(1)[0];
        let [width, height, deep] = if level == 0 { [image.size[0], image.size[1], deep] } else { [0; 3] };
        modifiers.write(wave, first, lane, image.format, [width, height, deep, 1], modifiers.mask);
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

/// What an instruction with a sampler gets at a place.
trait Looks: 'static {
    /// The registers of a lane. `lod` is the level of detail.
    fn look(
        modifiers: &Modifiers,
        lookup: &Lookup,
        memory: &mut Memory,
        place: &Place,
        lod: f32,
    ) -> Result<[u32; 4], Stop>;
}

/// An instruction with a sampler, lane by lane.
fn by_lanes<L: Looks>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    vectored(Sampled::<L> { wave, inst, machine, looks: PhantomData })
}

/// The same, compiled for each instruction set, most of all for the rounding of coordinates.
struct Sampled<'a, 'b, L> {
    wave: &'a mut Wave,
    inst: &'a Inst,
    machine: &'a mut Machine<'b>,
    looks: PhantomData<L>,
}

impl<L: Looks> Vectored for Sampled<'_, '_, L> {
    type Out = Result<Flow, Stop>;
    #[inline(always)]
    fn run(self) -> Result<Flow, Stop> {
        sampled::<L>(self.wave, self.inst, self.machine)
    }
}

#[inline(always)]
fn sampled<L: Looks>(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let modifiers = Modifiers::of(inst)?;
    let name = inst.op.mnemonic().strip_prefix("image_").unwrap_or_default();
    let gathers = name.starts_with("gather4");
    let extras = if name == "get_lod" { Some(Extras::default()) } else { Extras::of(name) };
    let extras = extras.ok_or(Stop::Illegal("no such variant"))?;
    let image = Image::read(wave, inst.src[1])?;
    let mut sampler = Sampler::read(wave, inst.src[2])?;
    sampler.normalized &= !modifiers.unnormalized;
    let (register, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let mask = modifiers.mask;
    machine.memory.path = Path::of_vector(modifiers.cache);
    let lookup = Lookup { image: &image, sampler: &sampler, compare: extras.compare };
    let place_of = |wave: &Wave, lane| {
        Reader { wave, lane, register, halves: modifiers.halves }.place(image.kind, extras, modifiers.array)
    };
    // There is one level. So what the level of detail is for is to choose a filter.
    let needs_level = name == "get_lod" || !gathers && sampler.magnify != sampler.minify;
    // All lanes first: a lane's derivatives are made from its neighbours' coordinates.
    let places: Option<[Place; LANES]> = needs_level.then(|| std::array::from_fn(|lane| place_of(wave, lane)));
    lanes(wave.exec(), |lane| {
        let alone;
        let place = match &places {
            Some(places) => &places[lane],
            None => {
                alone = place_of(wave, lane);
                &alone
            }
        };
        let lod = places.as_ref().map_or(0.0, |places| {
            let derivatives = place.derivatives.unwrap_or_else(|| address::differences(places, lane));
            filter::level_of_detail(&image, &sampler, place, derivatives)
        });
        let values =
            if mask == 0 && !gathers { [0; 4] } else { L::look(&modifiers, &lookup, &mut machine.memory, place, lod)? };
        // Of a gather the mask has chosen a component.
        modifiers.write(wave, first, lane, image.format, values, if gathers { 15 } else { mask });
        Ok::<(), Stop>(())
    })?;
    Ok(Flow::Next)
}

struct Sample;

impl Looks for Sample {
    #[inline(always)]
    fn look(_: &Modifiers, lookup: &Lookup, memory: &mut Memory, place: &Place, lod: f32) -> Result<[u32; 4], Stop> {
        Ok(lookup.sample(memory, place, lod)?)
    }
}

struct Gather;

impl Looks for Gather {
    #[inline(always)]
    fn look(
        modifiers: &Modifiers,
        lookup: &Lookup,
        memory: &mut Memory,
        place: &Place,
        _: f32,
    ) -> Result<[u32; 4], Stop> {
        let component = modifiers.mask.trailing_zeros().min(3) as usize;
        Ok(lookup.gather(memory, place, component)?)
    }
}

/// The level that would be read, and the level of detail before it is limited to those that there are.
struct LevelOfDetail;

impl Looks for LevelOfDetail {
    #[inline(always)]
    fn look(_: &Modifiers, _: &Lookup, _: &mut Memory, _: &Place, lod: f32) -> Result<[u32; 4], Stop> {
        Ok([0f32.to_bits(), lod.to_bits(), 0, 0])
    }
}
