//! Samples an image at a coordinate: addressing modes, filters, depth comparison.

use crate::interp::data_format::Number;
use crate::interp::image::address::Place;
use crate::interp::image::descriptor::Image;
use crate::interp::image::sampler::{Edge, Reduction, Sampler};
use crate::interp::image::texel;
use crate::machine::memory::{Fault, Memory};

/// Filters know places to a 256th of a texel.
const PRECISION: f64 = 256.0;

/// A texel of one axis: its position, or `None` for the border, and how much it counts, in 256ths.
type Tap = (Option<u32>, u32);

/// What of a texel axis matters to find the texels around a place on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub size: u32,
    pub edge: Edge,
    pub linear: bool,
}

impl Axis {
    /// The texel that index `index` stands for.
    #[inline(always)]
    fn texel(self, index: i64) -> Option<u32> {
        let size = i64::from(self.size);
        let mirror = |once: bool| if once && index < 0 { -1 - index } else { index };
        let index = match self.edge {
            // Without a division, as most are.
            _ if (0..size).contains(&index) => index,
            Edge::Repeat => index.rem_euclid(size),
            Edge::Mirror => {
                let index = index.rem_euclid(2 * size);
                if index < size { index } else { 2 * size - 1 - index }
            }
            Edge::Clamp { mirror_once } => mirror(mirror_once).clamp(0, size - 1),
            // Without a filter the border cannot be reached.
            Edge::HalfBorder { mirror_once } if !self.linear => mirror(mirror_once).clamp(0, size - 1),
            Edge::HalfBorder { mirror_once } | Edge::Border { mirror_once } => mirror(mirror_once),
        };
        (0..size).contains(&index).then_some(index as u32)
    }

    /// The texels around `place`, which is in texels.
    #[inline(always)]
    fn taps(self, place: f64, offset: i32, truncate: bool) -> [Tap; 2] {
        let size = f64::from(self.size);
        let place = match self.edge {
            Edge::HalfBorder { mirror_once: false } => place.clamp(0.0, size),
            Edge::HalfBorder { mirror_once: true } => place.clamp(-size, size),
            _ => place,
        };
        // Far away or no number: `as` gives the nearest integer, or 0. The limit keeps the sums below from overflowing.
        let fixed = if truncate && !self.linear {
            (place.floor() * PRECISION) as i64
        } else {
            (place * PRECISION).round_ties_even() as i64
        }
        .clamp(-1 << 60, 1 << 60);
        if !self.linear {
            return [(self.texel((fixed >> 8) + i64::from(offset)), 256), (None, 0)];
        }
        let fixed = fixed - 128;
        let (index, weight) = ((fixed >> 8) + i64::from(offset), (fixed & 255) as u32);
        [(self.texel(index), 256 - weight), (self.texel(index + 1), weight)]
    }
}

/// The level of detail: above 0 the image is reduced.
pub(super) fn level_of_detail(image: &Image, sampler: &Sampler, place: &Place, derivatives: [[f32; 3]; 2]) -> f32 {
    let lod = place.lod.unwrap_or_else(|| {
        let length = |derivative: [f32; 3]| {
            let scaled = |i: usize| {
                let size = if sampler.normalized { f64::from(image.size[i]) } else { 1.0 };
                f64::from(derivative[i]) * size
            };
            (0..image.kind.dimensions()).map(|i| scaled(i) * scaled(i)).sum::<f64>().sqrt()
        };
        let longest = length(derivatives[0]).max(length(derivatives[1]));
        longest.log2() as f32 + sampler.bias + place.bias
    });
    lod.max(sampler.lod.0.max(place.clamp)).min(sampler.lod.1)
}

/// What a filter has computed, as registers get it. Of several NaN it is the host's choice which one comes out, so
/// there is one.
#[inline(always)]
pub(super) fn rounded(value: f64) -> u32 {
    let value = value as f32;
    if value.is_nan() { f32::NAN } else { value }.to_bits()
}

/// The axes of an image. `linear`: the filter in x and y is.
#[inline(always)]
pub(super) fn axes(image: &Image, sampler: &Sampler, linear: bool) -> [Axis; 3] {
    let filtered = !image.format.is_integer();
    std::array::from_fn(|i| {
        let linear = if i == 2 { sampler.deep.unwrap_or(linear) } else { linear };
        Axis { size: image.size[i], edge: sampler.edge[i], linear: linear && filtered }
    })
}

/// The axes for a gather, which takes the texels that a linear filter would.
#[inline(always)]
pub(super) fn gathered_axes(image: &Image, sampler: &Sampler) -> [Axis; 3] {
    let mut axes = axes(image, sampler, true);
    (axes[0].linear, axes[1].linear) = (true, true);
    axes
}

/// What an instruction with a sampler does at one place.
pub(super) struct Lookup<'a> {
    pub image: &'a Image,
    pub sampler: &'a Sampler,
    /// Compare texels with the reference value.
    pub compare: bool,
}

impl Lookup<'_> {
    /// The texels around a place by axis, and the slice of an array.
    #[inline(always)]
    fn taps(&self, place: &Place, axes: [Axis; 3]) -> ([[Tap; 2]; 3], u32) {
        let dimensions = self.image.kind.dimensions();
        let taps = std::array::from_fn(|i| {
            if i >= dimensions {
                return [(Some(0), 256), (None, 0)];
            }
            let scale = if self.sampler.normalized { f64::from(self.image.size[i]) } else { 1.0 };
            let at = f64::from(place.coordinates[i]) * scale;
            axes[i].taps(at, place.offset[i], self.sampler.truncate)
        });
        // Past the ends the nearest slice; `as` saturates.
        let slice = (place.slice.round_ties_even() as u32).min(self.image.slices.saturating_sub(1));
        (taps, slice)
    }

    /// One texel as registers would get it, or the border.
    #[inline(always)]
    fn value(
        &self,
        memory: &mut Memory,
        place: &Place,
        texel: [Option<u32>; 3],
        slice: u32,
    ) -> Result<[u32; 4], Fault> {
        let image = self.image;
        let values = match texel {
            [Some(x), Some(y), Some(z)] => {
                texel::read(image, memory, [x, y, if image.kind.is_array() { slice } else { z }])?
            }
            _ => {
                let one = if image.format.is_integer() { 1 } else { 1f32.to_bits() };
                image.border.map(|component| if self.sampler.border[component] { one } else { 0 })
            }
        };
        let mut values = image.format.select(values, image.select);
        if self.compare {
            let limited = matches!(image.format.number, Number::Unorm);
            let reference = if limited { place.reference.clamp(0.0, 1.0) } else { place.reference };
            let holds = self.sampler.compares(reference, f32::from_bits(values[0]));
            values = [if holds { 1f32.to_bits() } else { 0 }, 0, 0, 1f32.to_bits()];
        }
        Ok(values)
    }

    /// The filtered value at a place, as registers get it.
    #[inline(always)]
    pub fn sample(&self, memory: &mut Memory, place: &Place, lod: f32) -> Result<[u32; 4], Fault> {
        let linear = if lod > 0.0 { self.sampler.minify } else { self.sampler.magnify };
        let axes = axes(self.image, self.sampler, linear);
        let ([across, down, deep], slice) = self.taps(place, axes);
        if axes.iter().all(|axis| !axis.linear) {
            return self.value(memory, place, [across[0].0, down[0].0, deep[0].0], slice);
        }
        let mut sum = [0f64; 4];
        let mut least = [f64::INFINITY; 4];
        let mut most = [f64::NEG_INFINITY; 4];
        for &(z, depth) in &deep {
            for &(y, height) in &down {
                for &(x, width) in &across {
                    let weight = u64::from(depth) * u64::from(height) * u64::from(width);
                    // What does not count is not read either: it could be infinite, or not there.
                    if weight == 0 {
                        continue;
                    }
                    let values = self.value(memory, place, [x, y, z], slice)?;
                    for (i, bits) in values.into_iter().enumerate() {
                        let value = f64::from(f32::from_bits(bits));
                        sum[i] += value * (weight as f64 / (PRECISION * PRECISION * PRECISION));
                        least[i] = least[i].min(value);
                        most[i] = most[i].max(value);
                    }
                }
            }
        }
        let result = match self.sampler.reduction {
            Reduction::Blend => sum,
            Reduction::Minimum => least,
            Reduction::Maximum => most,
        };
        Ok(result.map(rounded))
    }

    /// One component of the four texels that a linear filter would use: lower left, lower right, upper right, upper
    /// left.
    #[inline(always)]
    pub fn gather(&self, memory: &mut Memory, place: &Place, component: usize) -> Result<[u32; 4], Fault> {
        let ([across, down, deep], slice) = self.taps(place, gathered_axes(self.image, self.sampler));
        let mut gathered = [0; 4];
        for (value, (x, y)) in gathered.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let y = if self.image.kind.dimensions() > 1 { y } else { 0 };
            *value = self.value(memory, place, [across[x].0, down[y].0, deep[0].0], slice)?[component];
        }
        Ok(gathered)
    }
}
