//! The sampler of gfx9 (S#): four scalar registers with the filter and the addressing mode for reads between texels and
//! past edges.

use crate::machine::context::Stop;
use gcn_alu::wave::{Wave, scalar_index};
use gcn_isa::inst::Operand;

/// What stands past the edge of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Repeat,
    Mirror,
    /// The last texel.
    Clamp {
        mirror_once: bool,
    },
    /// A border that is half a texel wide.
    HalfBorder {
        mirror_once: bool,
    },
    Border {
        mirror_once: bool,
    },
}

/// How the texels around a place become one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    Blend,
    Minimum,
    Maximum,
}

/// A colour for the border: red, green, blue, alpha are 0 or 1.
type Border = [bool; 4];

/// A sampler, as its registers describe it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampler {
    /// By coordinate.
    pub edge: [Edge; 3],
    pub normalized: bool,
    /// Coordinates are cut to whole texels instead of being rounded to the precision of filters first.
    pub truncate: bool,
    /// Comparison of `image_sample_c`: bit 0 less, bit 1 equal, bit 2 greater.
    pub compare: u8,
    pub reduction: Reduction,
    /// Linear filters in x and y, when the image is shown enlarged and reduced.
    pub magnify: bool,
    pub minify: bool,
    /// Linear filter in z, if it is not the one of x and y.
    pub deep: Option<bool>,
    /// Level of detail: lowest, highest, bias.
    pub lod: (f32, f32),
    pub bias: f32,
    pub border: Border,
}

impl Sampler {
    /// The sampler in the scalar registers from `operand` on.
    pub fn read(wave: &Wave, operand: Operand) -> Result<Sampler, Stop> {
        let Some(first) = scalar_index(operand) else {
            return Err(Stop::Illegal("the sampler must be in scalar registers"));
        };
        Sampler::new(std::array::from_fn(|i| wave.sgpr[(first + i) & 127]))
    }

    /// By the words of the sampler.
    pub fn new(words: [u32; 4]) -> Result<Sampler, Stop> {
        let field = |word: usize, first: u32, bits: u32| words[word] >> first & (u32::MAX >> (32 - bits));
        let linear = |code: u32| code & 1 != 0;
        let (magnify, minify) = (field(2, 20, 2), field(2, 22, 2));
        if (magnify | minify) & 2 != 0 && field(0, 9, 3) != 0 {
            return Err(Stop::Illegal("anisotropic filters are not supported"));
        }
        Ok(Sampler {
            edge: std::array::from_fn(|i| match field(0, 3 * i as u32, 3) {
                0 => Edge::Repeat,
                1 => Edge::Mirror,
                code @ (2 | 3) => Edge::Clamp { mirror_once: code == 3 },
                code @ (4 | 5) => Edge::HalfBorder { mirror_once: code == 5 },
                code => Edge::Border { mirror_once: code == 7 },
            }),
            normalized: field(0, 15, 1) == 0,
            truncate: field(0, 27, 1) != 0,
            compare: field(0, 12, 3) as u8,
            reduction: match field(0, 29, 2) {
                0 => Reduction::Blend,
                1 => Reduction::Minimum,
                2 => Reduction::Maximum,
                _ => return Err(Stop::Illegal("the sampler's filter mode is reserved")),
            },
            magnify: linear(magnify),
            minify: linear(minify),
            deep: match field(2, 24, 2) {
                0 => None,
                1 => Some(false),
                2 => Some(true),
                _ => return Err(Stop::Illegal("the sampler's z filter is reserved")),
            },
            lod: (field(1, 0, 12) as f32 / 256.0, field(1, 12, 12) as f32 / 256.0),
            // Signed, 8 bits behind the point.
            bias: ((field(2, 0, 14) << 18) as i32 >> 18) as f32 / 256.0,
            border: match field(3, 30, 2) {
                0 => [false; 4],
                1 => [false, false, false, true],
                2 => [true; 4],
                _ => return Err(Stop::Illegal("border colours from a table are not supported")),
            },
        })
    }

    /// Whether the comparison of `reference` with a texel holds.
    pub fn compares(&self, reference: f32, texel: f32) -> bool {
        match reference.partial_cmp(&texel) {
            Some(order) => self.compare >> (order as i8 + 1) & 1 != 0,
            // Not a number is only unequal.
            None => matches!(self.compare, 5 | 7),
        }
    }
}
