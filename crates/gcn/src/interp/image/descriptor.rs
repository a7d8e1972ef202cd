//! The image resource of gfx9 (T#): eight scalar registers with an image's format, size, layout and address.

use crate::interp::data_format::Format;
use crate::interp::image::swizzle::Equation;
use crate::machine::context::Stop;
use gcn_alu::wave::{Wave, scalar_index};
use gcn_isa::inst::Operand;

/// What kind of image it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Line,
    Plane,
    Volume,
    LineArray,
    PlaneArray,
}

impl Kind {
    /// Coordinates, the slice of an array not counted.
    pub fn dimensions(self) -> usize {
        match self {
            Kind::Line | Kind::LineArray => 1,
            Kind::Plane | Kind::PlaneArray => 2,
            Kind::Volume => 3,
        }
    }

    pub fn is_array(self) -> bool {
        matches!(self, Kind::LineArray | Kind::PlaneArray)
    }
}

/// An image, as its resource describes it.
#[derive(Clone, Debug)]
pub(super) struct Image {
    pub kind: Kind,
    pub format: Format,
    /// Sources of the components that registers get: 0, 1, or 4 to 7 for those in memory.
    pub select: [u8; 4],
    /// Width, height, depth in texels; 1 for dimensions that it does not have.
    pub size: [u32; 3],
    /// Slices of an array, else 1.
    pub slices: u32,
    /// Component of a border colour that each component in memory gets.
    pub border: [usize; 4],
    pub base: u64,
    pub first_slice: u32,
    /// Texels from row to row.
    pub pitch: u32,
    /// `None`: rows one after the other.
    pub tiles: Option<&'static Equation>,
}

/// The eight dwords of a resource.
struct Words([u32; 8]);

impl Words {
    fn field(&self, word: usize, first: u32, bits: u32) -> u32 {
        self.0[word] >> first & (u32::MAX >> (32 - bits))
    }
}

impl Image {
    /// The resource in the scalar registers from `operand` on.
    pub fn read(wave: &Wave, operand: Operand) -> Result<Image, Stop> {
        let Some(first) = scalar_index(operand) else {
            return Err(Stop::Illegal("the resource must be in scalar registers"));
        };
        Image::new(std::array::from_fn(|i| wave.sgpr[(first + i) & 127]))
    }

    /// By the words of the resource.
    pub fn new(words: [u32; 8]) -> Result<Image, Stop> {
        let words = Words(words);
        let kind = match words.field(3, 28, 4) {
            8 => Kind::Line,
            9 => Kind::Plane,
            10 => Kind::Volume,
            12 => Kind::LineArray,
            13 => Kind::PlaneArray,
            11 => return Err(Stop::Illegal("cube images are not supported")),
            14 | 15 => return Err(Stop::Illegal("images with several samples are not supported")),
            _ => return Err(Stop::Illegal("the resource is not one of an image")),
        };
        let format = Format::image(words.field(1, 20, 6) as u8, words.field(1, 26, 4) as u8);
        let format = format.ok_or(Stop::Illegal("the resource's format is not supported"))?;
        // Base level, last level, and the last one that there is.
        if words.field(3, 12, 8) != 0 || words.field(5, 28, 4) != 0 {
            return Err(Stop::Illegal("images with several mip levels are not supported"));
        }
        if words.field(6, 21, 1) != 0 {
            return Err(Stop::Illegal("compressed images (DCC) are not supported"));
        }
        let mode = words.field(3, 20, 5);
        let tiles = if mode == 0 {
            None
        } else {
            let bytes = format.bytes();
            let equation = bytes.is_power_of_two().then(|| bytes.trailing_zeros() as usize);
            let equation = equation.and_then(|texel| Equation::find(mode, texel, kind == Kind::Volume));
            Some(equation.ok_or(Stop::Illegal("the resource's swizzle mode does not exist for this kind of image"))?)
        };
        let depth = words.field(4, 0, 13) + 1;
        let first_slice = if kind == Kind::Volume { 0 } else { words.field(5, 0, 13) };
        let border = match words.field(4, 29, 3) {
            0 => [0, 1, 2, 3],
            1 => [0, 3, 1, 2],
            2 => [3, 2, 1, 0],
            3 => [3, 0, 1, 2],
            4 => [2, 1, 0, 3],
            5 => [1, 0, 3, 2],
            _ => return Err(Stop::Illegal("the resource's border colour order is reserved")),
        };
        let dimensions = kind.dimensions();
        Ok(Image {
            kind,
            format,
            select: std::array::from_fn(|i| words.field(3, 3 * i as u32, 3) as u8),
            size: [
                words.field(2, 0, 14) + 1,
                if dimensions > 1 { words.field(2, 14, 14) + 1 } else { 1 },
                if dimensions > 2 { depth } else { 1 },
            ],
            slices: if kind.is_array() { depth.saturating_sub(first_slice) } else { 1 },
            border,
            base: (u64::from(words.field(0, 0, 32)) | u64::from(words.field(1, 0, 8)) << 32) << 8,
            first_slice,
            pitch: words.field(4, 13, 16) + 1,
            tiles,
        })
    }

    /// Whether there is a texel at `texel`: x, y and z or the slice of an array.
    pub fn contains(&self, texel: [u32; 3]) -> bool {
        let last = if self.kind == Kind::Volume { self.size[2] } else { self.slices };
        texel[0] < self.size[0] && texel[1] < self.size[1] && texel[2] < last
    }

    /// Device address of a texel that the image contains.
    #[inline]
    pub fn address(&self, [x, y, z]: [u32; 3]) -> u64 {
        let z = z + self.first_slice;
        let wide = u64::from;
        let Some(tiles) = self.tiles else {
            let row = wide(z) * wide(self.size[1]) + wide(y);
            return self.base.wrapping_add((row * wide(self.pitch) + wide(x)) * self.format.bytes() as u64);
        };
        let [across, down, deep] = tiles.block;
        let blocks = |size: u32, log: u32| wide(size.div_ceil(1 << log));
        let row = wide(z >> deep) * blocks(self.size[1], down) + wide(y >> down);
        let block = row * blocks(self.pitch, across) + wide(x >> across);
        let mut offset = wide(tiles.offset([x, y, z]));
        let mut base = self.base;
        if tiles.mixed {
            let inside = (1 << tiles.bytes) - 1;
            offset ^= base & inside;
            base &= !inside;
        }
        base.wrapping_add((block << tiles.bytes) + offset)
    }
}
