//! Addresses and bytes of the texels of all lanes.

use crate::interp::image::descriptor::Image;
use crate::interp::image::full_wave::coordinates::Texels;
use crate::machine::memory::Host;
use gcn_alu::wave::{LANES, Lanes};

/// Bytes of the largest images here: offsets in them are dwords.
const LARGEST: u64 = 1 << 31;

/// An image whose texels are at offsets of 32 bits.
pub(super) struct Surface<'a> {
    image: &'a Image,
    pub base: u64,
    /// Bytes from the base to the end of the last texel.
    pub bytes: u64,
    steps: [Step; 3],
    /// Bits of offsets in a block that the image's address toggles.
    toggled: u32,
}

/// How a coordinate moves a texel.
#[derive(Clone, Copy)]
struct Step {
    /// Is added first.
    first: u32,
    /// Base-2 logarithm of a block's extent.
    shift: u32,
    /// From block to block.
    stride: u32,
    /// Bits of the coordinate that can be set.
    bits: u32,
}

/// Where texels are, in each lane, as far as some of their coordinates say.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    /// Is added to the offset of the block.
    added: Lanes,
    /// Bits of the offset in the block that are toggled.
    toggled: Lanes,
    /// All ones inside the image, 0 for the border.
    pub inside: Lanes,
    /// The filter weight: the product of the weights along the axes.
    pub weight: Lanes,
}

impl Spot {
    /// Room for one. All zeros, as others take longer to fill.
    pub const ROOM: Spot = Spot { added: Lanes::ZERO, toggled: Lanes::ZERO, inside: Lanes::ZERO, weight: Lanes::ZERO };

    /// Combines two conditions.
    #[inline(always)]
    pub fn with(&self, other: &Spot) -> Spot {
        let mut both = Spot::ROOM;
        for lane in 0..LANES {
            both.added.0[lane] = self.added.0[lane].wrapping_add(other.added.0[lane]);
            both.toggled.0[lane] = self.toggled.0[lane] ^ other.toggled.0[lane];
            both.inside.0[lane] = self.inside.0[lane] & other.inside.0[lane];
            both.weight.0[lane] = self.weight.0[lane].wrapping_mul(other.weight.0[lane]);
        }
        both
    }
}

impl<'a> Surface<'a> {
    /// `None` if offsets do not have 32 bits, or texels no power of two bytes.
    #[inline(always)]
    pub fn of(image: &'a Image) -> Option<Surface<'a>> {
        let texel = image.format.bytes() as u64;
        if !texel.is_power_of_two() {
            return None;
        }
        let (block, unit, mixed) =
            image.tiles.map_or(([0; 3], texel, false), |tiles| (tiles.block, 1 << tiles.bytes, tiles.mixed));
        let deep = image.first_slice + if image.kind.is_array() { image.slices.max(1) } else { image.size[2] };
        let counts = [image.size[0], image.size[1], deep];
        let blocks = |i: usize, count: u32| u64::from((count - 1) >> block[i]) + 1;
        let row = blocks(0, image.pitch) * unit;
        let slice = row * blocks(1, image.size[1]);
        let last =
            (blocks(2, deep) - 1) * slice + (blocks(1, image.size[1]) - 1) * row + blocks(0, image.size[0]) * unit;
        if last > LARGEST {
            return None;
        }
        let strides = [unit, row, slice];
        let steps = std::array::from_fn(|i| Step {
            first: if i == 2 { image.first_slice } else { 0 },
            shift: block[i],
            stride: strides[i] as u32,
            bits: if image.tiles.is_some() { u32::BITS - (counts[i] - 1).leading_zeros() } else { 0 },
        });
        let inside = if mixed { unit - 1 } else { 0 };
        let base = image.base & !inside;
        Some(Surface { image, base, bytes: last, steps, toggled: (image.base & inside) as u32 })
    }

    /// Adds the position of the texels along an axis.
    #[inline(always)]
    pub fn locate(&self, axis: usize, texels: &Texels, spot: &mut Spot) {
        let step = self.steps[axis];
        for lane in 0..LANES {
            let block = texels.at.0[lane].wrapping_add(step.first) >> step.shift;
            spot.added.0[lane] = block.wrapping_mul(step.stride);
            spot.toggled.0[lane] = 0;
            spot.inside.0[lane] = texels.inside.0[lane];
            spot.weight.0[lane] = texels.weight.0[lane];
        }
        let Some(tiles) = self.image.tiles else { return };
        for bit in 0..step.bits {
            let toggle = tiles.toggle(axis, bit);
            for lane in 0..LANES {
                let is_set = texels.at.0[lane].wrapping_add(step.first) >> bit & 1 != 0;
                spot.toggled.0[lane] ^= if is_set { toggle } else { 0 };
            }
        }
    }

    /// The offset from the base.
    #[inline(always)]
    fn offset(&self, spot: &Spot) -> Lanes {
        let mut offset = Lanes::ZERO;
        for lane in 0..LANES {
            offset.0[lane] = spot.added.0[lane].wrapping_add(spot.toggled.0[lane] ^ self.toggled);
        }
        offset
    }

    /// The texels, by dwords, or as one that is filled up with zeros. `host` is where the base is.
    #[inline(always)]
    pub fn fetch(&self, host: Host, spot: &Spot, raw: &mut [Lanes; 4]) {
        let at = self.offset(spot);
        let [a, b, c, d] = raw;
        match self.image.format.bytes() {
            1 => {
                for lane in 0..LANES {
                    a.0[lane] = host.read8(at.0[lane] as usize).into();
                }
            }
            2 => {
                for lane in 0..LANES {
                    a.0[lane] = host.read16(at.0[lane] as usize).into();
                }
            }
            4 => host.gather32(&at.0, &mut a.0),
            8 => host.gather64(&at.0, 0, [&mut a.0, &mut b.0]),
            _ => {
                host.gather64(&at.0, 0, [&mut a.0, &mut b.0]);
                host.gather64(&at.0, 8, [&mut c.0, &mut d.0]);
            }
        }
    }

    /// The reverse of [`Surface::fetch`], for the lanes of `enabled`, the lowest first.
    #[inline(always)]
    pub fn store(&self, host: Host, spot: &Spot, enabled: &Lanes, raw: &[Lanes; 4]) {
        let offset = self.offset(spot);
        let bytes = self.image.format.bytes();
        for lane in 0..LANES {
            if enabled.0[lane] == 0 {
                continue;
            }
            let at = offset.0[lane] as usize;
            match bytes {
                1 => host.write8(at, raw[0].0[lane] as u8),
                2 => host.write16(at, raw[0].0[lane] as u16),
                _ => raw
                    .iter()
                    .take(bytes / 4)
                    .enumerate()
                    .for_each(|(i, dword)| host.write32(at + 4 * i, dword.0[lane])),
            }
        }
    }
}
