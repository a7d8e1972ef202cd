//! Fast path: image instructions on all lanes at once, for common images and samplers. Results equal those of the
//! functions for single lanes bit by bit. An unsupported instruction is declined before any of it is done.

mod coordinates;
#[cfg(test)]
mod tests;
mod texel_format;
mod texels;

use crate::interp::image::descriptor::Image;
use crate::interp::image::filter;
use crate::interp::image::full_wave::coordinates::{ONE, Scale, Texels};
use crate::interp::image::full_wave::texel_format::{Border, Colours};
use crate::interp::image::full_wave::texels::{Spot, Surface};
use crate::interp::image::modifiers::Modifiers;
use crate::interp::image::sampler::{Reduction, Sampler};
use crate::interp::vmem::vector;
use crate::machine::bus::Access;
use crate::machine::context::{CoreFn, Flow, Machine, Stop};
use crate::machine::memory::Host;
use gcn_alu::simd::{Simd, Vectored, simd, vectored};
use gcn_alu::wave::{LANES, Lanes, Wave};
use gcn_isa::inst::{Inst, Mods};
use gcn_isa::op::Op;
use std::marker::PhantomData;

/// Whether the instruction is one of those here.
pub(super) fn suits(inst: &Inst) -> bool {
    let plain = matches!(inst.mods, Mods::Image { dmask: 1.., a16: false, tfe: false, lwe: false, d16: false, .. });
    // What is here wants fused multiplications.
    plain
        && simd() > Simd::Baseline
        && (matches!(inst.op, Op::ImageLoad | Op::ImageStore) || Sampling::of(inst.op).is_some())
}

/// An instruction for all lanes.
pub(super) trait Whole: 'static {
    /// Executes it, or returns false with nothing done. To be `#[inline(always)]`.
    fn attempt(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<bool, Stop>;
}

/// [`Whole::attempt`], compiled for each instruction set that has what is needed.
struct Attempt<'a, 'b, W> {
    wave: &'a mut Wave,
    inst: &'a Inst,
    machine: &'a mut Machine<'b>,
    whole: PhantomData<W>,
}

impl<W: Whole> Vectored for Attempt<'_, '_, W> {
    type Out = Result<bool, Stop>;
    #[inline(always)]
    fn run(self) -> Result<bool, Stop> {
        W::attempt(self.wave, self.inst, self.machine)
    }
    #[inline(always)]
    fn run_baseline(self) -> Result<bool, Stop> {
        Ok(false)
    }
}

/// Executes `W`, for all lanes at once if it can be.
pub(super) fn run<W: Whole>(
    wave: &mut Wave,
    inst: &Inst,
    machine: &mut Machine,
    by_lanes: CoreFn,
) -> Result<Flow, Stop> {
    // Where accesses are looked at, or go through caches, they are made one by one.
    if !machine.device.checked
        && !machine.memory.has_caches()
        && vectored(Attempt::<W> { wave, inst, machine, whole: PhantomData })?
    {
        return Ok(Flow::Next);
    }
    by_lanes(wave, inst, machine)
}

pub(super) struct Load;

impl Whole for Load {
    #[inline(always)]
    fn attempt(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<bool, Stop> {
        let modifiers = Modifiers::of(inst)?;
        let image = Image::read(wave, inst.src[1])?;
        let Some((surface, colours, host)) = found(&image, machine, Access::Read) else { return Ok(false) };
        let spot = texels(wave, &image, &surface, vector(inst.src[0])?, modifiers.array);
        let mut raw = [Lanes::ZERO; 4];
        surface.fetch(host, &spot, &mut raw);
        let active = active(wave.exec());
        let target = vector(inst.dst[0])?;
        for (k, component) in components(modifiers.mask) {
            let values = colours.component(&raw, component, &spot.inside, None);
            put(&mut wave.vgpr[target + k], &values, &active);
        }
        Ok(true)
    }
}

pub(super) struct Store;

impl Whole for Store {
    #[inline(always)]
    fn attempt(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<bool, Stop> {
        let modifiers = Modifiers::of(inst)?;
        let image = Image::read(wave, inst.src[2])?;
        let Some((surface, colours, host)) = found(&image, machine, Access::Write) else { return Ok(false) };
        let spot = texels(wave, &image, &surface, vector(inst.src[1])?, modifiers.array);
        let mut enabled = active(wave.exec());
        for lane in 0..LANES {
            enabled.0[lane] &= spot.inside.0[lane];
        }
        let mut values = [None; 4];
        let source = vector(inst.src[0])?;
        for (k, component) in components(modifiers.mask) {
            values[component] = Some(wave.vgpr[source + k]);
        }
        surface.store(host, &spot, &enabled, &colours.raw(&values));
        Ok(true)
    }
}

/// What a wave's instruction with a sampler is, if it is one of those here. Those with offsets and comparisons are not.
#[derive(Clone, Copy)]
struct Sampling {
    gathers: bool,
    /// A bias is in front of the coordinates.
    bias: bool,
    /// Derivatives are.
    derivatives: bool,
}

impl Sampling {
    #[inline(always)]
    fn of(op: Op) -> Option<Sampling> {
        let sampling = Sampling { gathers: false, bias: false, derivatives: false };
        Some(match op {
            Op::ImageSample | Op::ImageSampleL | Op::ImageSampleLz => sampling,
            Op::ImageSampleB => Sampling { bias: true, ..sampling },
            Op::ImageSampleD => Sampling { derivatives: true, ..sampling },
            Op::ImageGather4 | Op::ImageGather4L | Op::ImageGather4Lz => Sampling { gathers: true, ..sampling },
            _ => return None,
        })
    }
}

/// An instruction with a sampler.
pub(super) struct Sample;

impl Whole for Sample {
    #[inline(always)]
    fn attempt(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<bool, Stop> {
        let modifiers = Modifiers::of(inst)?;
        let Some(sampling) = Sampling::of(inst.op) else { return Ok(false) };
        let image = Image::read(wave, inst.src[1])?;
        let mut sampler = Sampler::read(wave, inst.src[2])?;
        sampler.normalized &= !modifiers.unnormalized;
        let gathers = sampling.gathers;
        // With two filters the level of detail chooses.
        if sampler.reduction != Reduction::Blend || !gathers && sampler.magnify != sampler.minify {
            return Ok(false);
        }
        let Some((surface, colours, host)) = found(&image, machine, Access::Read) else { return Ok(false) };
        let dimensions = image.kind.dimensions();
        let derivatives = if sampling.derivatives { 2 * dimensions } else { 0 };
        let first = vector(inst.src[0])? + usize::from(sampling.bias) + derivatives;
        let active = active(wave.exec());
        let axes = if gathers {
            filter::gathered_axes(&image, &sampler)
        } else {
            filter::axes(&image, &sampler, sampler.magnify)
        };
        let mut along = [[Spot::ROOM; 2]; 3];
        let mut counts = [1; 3];
        let mut texels = [Texels::ROOM; 2];
        for i in 0..dimensions {
            let unit = if sampler.normalized { image.size[i].into() } else { 1.0 };
            let scale = Scale { axis: axes[i], unit, cut: sampler.truncate };
            if !scale.texels(&wave.vgpr[first + i], &active, &mut texels) {
                return Ok(false);
            }
            counts[i] = if axes[i].linear { 2 } else { 1 };
            for n in 0..counts[i] {
                surface.locate(i, &texels[n], &mut along[i][n]);
            }
        }
        // What stands for the dimensions that the image does not have.
        for (i, along) in along.iter_mut().enumerate().skip(dimensions) {
            let slices = if i == 2 && modifiers.array && image.kind.is_array() {
                coordinates::slices(&wave.vgpr[first + dimensions], image.slices)
            } else {
                Lanes::ZERO
            };
            surface.locate(i, &Texels::alone(&slices), &mut along[0]);
        }
        let [across, down, deep] = &along;
        let border = Border::of(&image, &sampler);
        let target = vector(inst.dst[0])?;
        let mut raw = [Lanes::ZERO; 4];
        if gathers {
            let component = modifiers.mask.trailing_zeros().min(3) as usize;
            for (k, [x, y]) in [[0, 1], [1, 1], [1, 0], [0, 0]].into_iter().enumerate() {
                let y = if dimensions > 1 { y } else { 0 };
                let spot = across[x].with(&down[y].with(&deep[0]));
                surface.fetch(host, &spot, &mut raw);
                let values = colours.component(&raw, component, &spot.inside, Some(&border));
                put(&mut wave.vgpr[target + k], &values, &active);
            }
            return Ok(true);
        }
        let filters = axes.iter().any(|axis| axis.linear);
        let mut sums = [[0f64; LANES]; 4];
        for z in &deep[..counts[2]] {
            for y in &down[..counts[1]] {
                let row = y.with(z);
                for x in &across[..counts[0]] {
                    let spot = x.with(&row);
                    surface.fetch(host, &spot, &mut raw);
                    let weights = fractions(&spot.weight);
                    for (k, component) in components(modifiers.mask) {
                        let values = colours.component(&raw, component, &spot.inside, Some(&border));
                        if filters {
                            add(&mut sums[k], &values, &weights);
                        } else {
                            put(&mut wave.vgpr[target + k], &values, &active);
                        }
                    }
                }
            }
        }
        if filters {
            for (k, _) in components(modifiers.mask) {
                put(&mut wave.vgpr[target + k], &Lanes(sums[k].map(filter::rounded)), &active);
            }
        }
        Ok(true)
    }
}

/// Where the image is, if it is one of those here and all of it is in one window.
#[inline(always)]
fn found<'a>(image: &'a Image, machine: &mut Machine, access: Access) -> Option<(Surface<'a>, Colours, Host)> {
    let (surface, colours) = (Surface::of(image)?, Colours::of(image)?);
    let host = machine.memory.find(surface.base, surface.bytes, access).ok()??;
    Some((surface, colours, host))
}

/// All ones for each lane of `mask`, else 0.
#[inline(always)]
fn active(mask: u64) -> Lanes {
    let mut active = Lanes::ZERO;
    for (half, mask) in [mask as u32, (mask >> 32) as u32].into_iter().enumerate() {
        for lane in 0..32 {
            active.0[32 * half + lane] = (mask >> lane & 1).wrapping_neg();
        }
    }
    active
}

/// The components that registers hold, numbered from the first register on.
#[inline(always)]
fn components(mask: u8) -> impl Iterator<Item = (usize, usize)> {
    (0..4).filter(move |component| mask >> component & 1 != 0).enumerate()
}

#[inline(always)]
fn put(register: &mut Lanes, values: &Lanes, active: &Lanes) {
    let mut merged = *register;
    for lane in 0..LANES {
        merged.0[lane] ^= (merged.0[lane] ^ values.0[lane]) & active.0[lane];
    }
    *register = merged;
}

/// Products of three weights as fractions of what counts alone.
#[inline(always)]
fn fractions(weights: &Lanes) -> [f64; LANES] {
    let mut fractions = [0.0; LANES];
    for (fraction, &weight) in fractions.iter_mut().zip(&weights.0) {
        *fraction = f64::from(weight as i32) * (1.0 / f64::from(ONE * ONE * ONE));
    }
    fractions
}

/// Adds `values`, which are floats. What does not count is not added: it could be infinite.
#[inline(always)]
fn add(sums: &mut [f64; LANES], values: &Lanes, weights: &[f64; LANES]) {
    for (sum, (&value, &weight)) in sums.iter_mut().zip(values.0.iter().zip(weights)) {
        let more = *sum + f64::from(f32::from_bits(value)) * weight;
        *sum = if weight == 0.0 { *sum } else { more };
    }
}

/// The texels of an instruction without a sampler; those that are not in the image are the first.
#[inline(always)]
fn texels(wave: &Wave, image: &Image, surface: &Surface, first: usize, array: bool) -> Spot {
    let dimensions = image.kind.dimensions();
    let has_slice = array && image.kind.is_array();
    let deep = if image.kind.is_array() { image.slices } else { image.size[2] };
    let limits = [image.size[0], image.size[1], deep];
    let mut spot = Spot::ROOM;
    for (i, limit) in limits.into_iter().enumerate() {
        // x, and y and z if they are there, or the slice.
        let register = match i {
            2 if has_slice => Some(first + dimensions),
            _ => (i < dimensions).then_some(first + i),
        };
        let coordinate = register.map_or(&Lanes::ZERO, |register| &wave.vgpr[register]);
        let mut texels = Texels::ROOM;
        for lane in 0..LANES {
            let is_inside = coordinate.0[lane] < limit;
            texels.at.0[lane] = if is_inside { coordinate.0[lane] } else { 0 };
            texels.inside.0[lane] = u32::from(is_inside).wrapping_neg();
        }
        let mut part = Spot::ROOM;
        surface.locate(i, &texels, &mut part);
        spot = if i == 0 { part } else { spot.with(&part) };
    }
    spot
}
