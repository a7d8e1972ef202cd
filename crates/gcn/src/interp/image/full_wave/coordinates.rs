//! Converts the coordinates of all lanes to texels, as [`crate::interp::image::filter`] does for one lane.

use crate::interp::image::filter::Axis;
use crate::interp::image::sampler::Edge;
use gcn_alu::wave::{LANES, Lanes};

/// How much a texel counts that counts alone: filters know places to a 256th of a texel.
pub(super) const ONE: u32 = 256;

/// Places are less than so many texels from the first one. Indices and quotients of them are exact in f32 then, and
/// products with [`ONE`] have 32 bits.
const FAR: f64 = (1 << 21) as f64;

/// The nearest integer, which is less than 2^31, in low bits of the sum. Conversions to integers saturate, for which
/// processors have no vectors.
#[inline(always)]
pub(super) fn nearest(value: f64) -> i32 {
    const UNITS: f64 = (3u64 << 51) as f64;
    (value + UNITS).to_bits() as i32
}

/// As [`nearest`], of what is less than 2^22.
#[inline(always)]
fn nearest_f32(value: f32) -> i32 {
    const UNITS: f32 = (3 << 22) as f32;
    (value + UNITS).to_bits().wrapping_sub(UNITS.to_bits()) as i32
}

/// A texel of one axis, in each lane.
#[derive(Clone, Copy)]
pub(super) struct Texels {
    /// The position; 0 for the border.
    pub at: Lanes,
    /// All ones inside the image, 0 for the border.
    pub inside: Lanes,
    /// How much it counts, in parts of [`ONE`].
    pub weight: Lanes,
}

impl Texels {
    /// Room for some. All zeros, as others take longer to fill.
    pub const ROOM: Texels = Texels { at: Lanes::ZERO, inside: Lanes::ZERO, weight: Lanes::ZERO };

    /// The single texels at `at`, all inside the image.
    #[inline(always)]
    pub fn alone(at: &Lanes) -> Texels {
        let mut texels = Texels::ROOM;
        for lane in 0..LANES {
            texels.at.0[lane] = at.0[lane];
            texels.inside.0[lane] = u32::MAX;
            texels.weight.0[lane] = ONE;
        }
        texels
    }
}

/// What of an axis matters to find the texels around places on it.
pub(super) struct Scale {
    pub axis: Axis,
    /// Texels of a coordinate's unit.
    pub unit: f64,
    /// Places are cut to whole texels, without a filter.
    pub cut: bool,
}

impl Scale {
    /// The texels around places: two with a filter, else the first of `texels`. False if a place of a lane of `active`
    /// is far away.
    #[inline(always)]
    pub fn texels(&self, coordinates: &Lanes, active: &Lanes, texels: &mut [Texels; 2]) -> bool {
        let Axis { size, edge, linear } = self.axis;
        let end = f64::from(size);
        let (least, most) = match edge {
            Edge::HalfBorder { mirror_once: false } => (0.0, end),
            Edge::HalfBorder { mirror_once: true } => (-end, end),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let cuts = self.cut && !linear;
        let mut fixed = [0i32; LANES];
        let mut far = 0;
        for (lane, fixed) in fixed.iter_mut().enumerate() {
            let coordinate = f32::from_bits(coordinates.0[lane]);
            // What is no number is at 0, as are lanes that are off.
            let coordinate = if active.0[lane] != 0 && !coordinate.is_nan() { coordinate } else { 0.0 };
            let place = (f64::from(coordinate) * self.unit).clamp(least, most);
            far |= u32::from(place.abs() >= FAR);
            *fixed = nearest(if cuts { place.floor() } else { place } * f64::from(ONE));
        }
        if far != 0 {
            return false;
        }
        let back = if linear { ONE as i32 / 2 } else { 0 };
        for (n, texel) in texels.iter_mut().enumerate().take(1 + usize::from(linear)) {
            let mut index = [0; LANES];
            for (lane, index) in index.iter_mut().enumerate() {
                let from = fixed[lane] - back;
                *index = (from >> 8) + n as i32;
                let second = (from & 255) as u32;
                let weight = if n == 0 { ONE - second } else { second };
                texel.weight.0[lane] = if linear { weight } else { ONE };
            }
            wrap(self.axis, &mut index);
            for (lane, index) in index.into_iter().enumerate() {
                let is_inside = (index as u32) < size;
                texel.at.0[lane] = if is_inside { index as u32 } else { 0 };
                texel.inside.0[lane] = u32::from(is_inside).wrapping_neg();
            }
        }
        true
    }
}

/// The texels that indices stand for; what is past the ends is the border.
#[inline(always)]
fn wrap(axis: Axis, index: &mut [i32; LANES]) {
    let size = axis.size as i32;
    let (mirror_once, limit) = match axis.edge {
        Edge::Repeat => return remainders(index, size),
        Edge::Mirror => {
            remainders(index, 2 * size);
            return index.iter_mut().for_each(|i| *i = if *i < size { *i } else { 2 * size - 1 - *i });
        }
        Edge::Clamp { mirror_once } => (mirror_once, true),
        // Without a filter it cannot be reached.
        Edge::HalfBorder { mirror_once } => (mirror_once, !axis.linear),
        Edge::Border { mirror_once } => (mirror_once, false),
    };
    if mirror_once {
        index.iter_mut().for_each(|i| *i = if *i < 0 { -1 - *i } else { *i });
    }
    if limit {
        index.iter_mut().for_each(|i| *i = (*i).max(0).min(size - 1));
    }
}

/// Remainders of numbers and quotients that [`nearest_f32`] takes. Processors have no vectors of integer divisions.
#[inline(always)]
fn remainders(numbers: &mut [i32; LANES], divisor: i32) {
    let inverse = 1.0 / divisor as f32;
    for number in numbers {
        // It is the nearest one, or next to it: the rest is less than the divisor.
        let quotient = nearest_f32(*number as f32 * inverse);
        let rest = *number - quotient * divisor;
        *number = if rest < 0 { rest + divisor } else { rest };
    }
}

/// The slices of an array that coordinates stand for: past the ends the nearest one.
#[inline(always)]
pub(super) fn slices(coordinates: &Lanes, count: u32) -> Lanes {
    let last = count.saturating_sub(1) as f32;
    let mut slices = Lanes::ZERO;
    for lane in 0..LANES {
        slices.0[lane] = nearest_f32(f32::from_bits(coordinates.0[lane]).max(0.0).min(last)) as u32;
    }
    slices
}
