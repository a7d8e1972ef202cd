//! Reads the coordinates of an image instruction from its vector registers.

use gcn_alu::wave::{LANES, Wave};

use crate::interp::image::descriptor::Kind;

/// Reads a lane's address registers one after the other.
pub(super) struct Reader<'a> {
    pub wave: &'a Wave,
    pub lane: usize,
    /// The next register.
    pub register: usize,
    /// A16: two values a register.
    pub halves: bool,
}

impl Reader<'_> {
    /// A whole register.
    pub fn dword(&mut self) -> u32 {
        let value = self.wave.vgpr[self.register].0[self.lane];
        self.register += 1;
        value
    }

    /// The next `count` values as they are in registers; halves begin in a new register and end one.
    #[inline(always)]
    fn values<const N: usize>(&mut self, count: usize) -> [u32; N] {
        let mut values = [0; N];
        for i in (0..count.min(N)).step_by(if self.halves { 2 } else { 1 }) {
            let dword = self.dword();
            if !self.halves {
                values[i] = dword;
                continue;
            }
            values[i] = dword & 0xffff;
            if i + 1 < N {
                values[i + 1] = dword >> 16;
            }
        }
        values
    }

    /// `count` unsigned integers; the rest are 0.
    #[inline(always)]
    pub fn integers<const N: usize>(&mut self, count: usize) -> [u32; N] {
        self.values(count)
    }

    /// `count` floating-point numbers; what the rest are means nothing.
    #[inline(always)]
    pub fn floats<const N: usize>(&mut self, count: usize) -> [f32; N] {
        let halves = self.halves;
        self.values(count).map(|bits| self::float(bits, halves))
    }

    /// One floating-point number in a register of its own.
    pub fn float(&mut self) -> f32 {
        let halves = self.halves;
        float(self.dword(), halves)
    }
}

fn float(bits: u32, half: bool) -> f32 {
    if half { crate::interp::atomic::f16_to_f64(bits as u16) as f32 } else { f32::from_bits(bits) }
}

/// What follows the coordinates of an instruction that gets texels by their position.
pub(super) struct Position {
    /// x, y, and z or the slice.
    pub texel: [u32; 3],
    /// The mip level; 0 if the instruction has none.
    pub level: u32,
}

impl Reader<'_> {
    /// The position that an instruction without a sampler names. `array`: the instruction has a slice (`da`), which
    /// counts if the image has slices.
    pub fn position(&mut self, kind: Kind, array: bool, level: bool) -> Position {
        let dimensions = kind.dimensions();
        let has_slice = array && dimensions < 3;
        let count = dimensions + usize::from(has_slice);
        let values: [u32; 4] = self.integers(count + usize::from(level));
        let mut texel = [0; 3];
        texel[..dimensions].copy_from_slice(&values[..dimensions]);
        if has_slice && kind.is_array() {
            texel[2] = values[dimensions];
        }
        Position { texel, level: if level { values[count] } else { 0 } }
    }
}

/// What an instruction with a sampler says besides its coordinates, by its name: `image_sample_c_d_cl_o` has all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extras {
    pub offset: bool,
    pub bias: bool,
    pub compare: bool,
    pub derivatives: bool,
    /// The level of detail itself.
    pub lod: bool,
    /// The level of detail is 0.
    pub lod_zero: bool,
    /// A lower bound of the level of detail.
    pub clamp: bool,
}

impl Extras {
    /// By what follows `image_sample` or `image_gather4` in the name.
    pub fn of(name: &str) -> Option<Extras> {
        let mut extras = Extras::default();
        for part in name.split('_').skip(1) {
            *match part {
                "o" => &mut extras.offset,
                "b" => &mut extras.bias,
                "c" => &mut extras.compare,
                // The derivatives of coarse ones may be less exact.
                "d" | "cd" => &mut extras.derivatives,
                "l" => &mut extras.lod,
                "lz" => &mut extras.lod_zero,
                "cl" => &mut extras.clamp,
                _ => return None,
            } = true;
        }
        Some(extras)
    }
}

/// The address of an instruction with a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// Whole texels that are added.
    pub offset: [i32; 3],
    pub bias: f32,
    pub reference: f32,
    /// Derivatives of the coordinates, horizontal and vertical. `None`: from the neighbouring lanes.
    pub derivatives: Option<[[f32; 3]; 2]>,
    pub coordinates: [f32; 3],
    pub slice: f32,
    /// The level of detail, if the instruction has one.
    pub lod: Option<f32>,
    pub clamp: f32,
}

impl Reader<'_> {
    /// Reads the address in the layout of `extras`; `array` as for [`Reader::position`].
    #[inline(always)]
    pub fn place(&mut self, kind: Kind, extras: Extras, array: bool) -> Place {
        let dimensions = kind.dimensions();
        let offset = if extras.offset { self.dword() } else { 0 };
        let bias = if extras.bias { self.float() } else { 0.0 };
        let reference = if extras.compare { f32::from_bits(self.dword()) } else { 0.0 };
        let derivatives = extras.derivatives.then(|| {
            let mut group = || {
                let mut values: [f32; 3] = self.floats(dimensions);
                values[dimensions..].fill(0.0);
                values
            };
            [group(), group()]
        });
        let has_slice = array && dimensions < 3;
        let count = dimensions + usize::from(has_slice);
        let last = extras.lod || extras.clamp;
        let values: [f32; 4] = self.floats(count + usize::from(last));
        let mut coordinates = [0.0; 3];
        coordinates[..dimensions].copy_from_slice(&values[..dimensions]);
        Place {
            // Six bits each, signed.
            offset: std::array::from_fn(|i| ((offset >> (8 * i)) << 26) as i32 >> 26),
            bias,
            reference,
            derivatives,
            coordinates,
            slice: if has_slice && kind.is_array() { values[dimensions] } else { 0.0 },
            lod: if extras.lod_zero { Some(0.0) } else { extras.lod.then(|| values[count]) },
            clamp: if extras.clamp { values[count] } else { 0.0 },
        }
    }
}

/// Differences of a coordinate within each lane's group of four, which stand for two rows of two pixels: to the right,
/// downwards.
pub(super) fn differences(places: &[Place; LANES], lane: usize) -> [[f32; 3]; 2] {
    let group = lane & !3;
    let from = places[group].coordinates;
    [1, 2].map(|to| std::array::from_fn(|i| places[group + to].coordinates[i] - from[i]))
}
