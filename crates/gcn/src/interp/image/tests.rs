//! Resources, layouts and samplers alone; the module `instructions` executes them.

pub(super) mod instructions;

use crate::interp::image::descriptor::{Image, Kind};
use crate::interp::image::sampler::{Edge, Sampler};
use crate::interp::image::swizzle::Equation;
use crate::machine::context::Stop;

/// The fields of an image resource that the tests vary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub base: u64,
    pub data: u32,
    pub number: u32,
    pub size: [u32; 3],
    pub select: u32,
    pub mode: u32,
    pub kind: u32,
    pub pitch: u32,
}

pub(super) const LINE: u32 = 8;
pub(super) const PLANE: u32 = 9;
pub(super) const VOLUME: u32 = 10;
pub(super) const LINE_ARRAY: u32 = 12;
pub(super) const PLANE_ARRAY: u32 = 13;

/// Components as they are in memory.
pub(super) const XYZW: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;

/// A linear plane of one f32 a texel.
pub(super) const PLAIN: Fields =
    Fields { base: 0, data: 4, number: 7, size: [8, 4, 1], select: XYZW, mode: 0, kind: PLANE, pitch: 64 };

impl Fields {
    pub fn words(self) -> [u32; 8] {
        let [width, height, depth] = self.size.map(|size| size - 1);
        [
            (self.base >> 8) as u32,
            (self.base >> 40) as u32 | self.data << 20 | self.number << 26,
            width | height << 14,
            self.select | self.mode << 20 | self.kind << 28,
            depth | (self.pitch - 1) << 13,
            0,
            0,
            0,
        ]
    }

    fn image(self) -> Image {
        Image::new(self.words()).unwrap_or_else(|stop| panic!("{stop:?}"))
    }
}

/// Addresses as AMD's address library computes them for this GB_ADDR_CONFIG: swizzle mode, base-2 logarithm of a
/// texel's bytes, three-dimensional, size, pitch, coordinates, address.
type Known = (u32, usize, bool, [u32; 3], u32, [u32; 3], u64);

const KNOWN: [Known; 20] = [
    (0, 3, false, [700, 300, 1], 704, [359, 99, 0], 560_440),
    (0, 3, true, [130, 70, 40], 160, [43, 51, 21], 1_947_224),
    (3, 3, false, [700, 300, 1], 704, [631, 221, 0], 1_259_224),
    (5, 1, false, [700, 300, 1], 704, [598, 232, 0], 353_036),
    (5, 1, true, [130, 70, 40], 136, [126, 33, 23], 549_340),
    (9, 4, false, [129, 77, 9], 192, [71, 20, 6], 2_429_888),
    (9, 4, true, [500, 300, 100], 512, [424, 170, 14], 22_733_984),
    (18, 2, false, [3000, 2100, 40], 3072, [1521, 1784, 21], 582_742_532),
    (20, 0, false, [700, 300, 1], 704, [143, 264, 0], 188_885),
    (20, 0, true, [130, 70, 40], 144, [30, 8, 27], 192_116),
    (20, 1, false, [129, 77, 9], 192, [76, 66, 8], 325_552),
    (20, 1, true, [500, 300, 100], 504, [284, 239, 77], 23_367_860),
    (20, 2, false, [3000, 2100, 40], 3008, [938, 430, 4], 106_773_872),
    (20, 4, true, [130, 70, 40], 132, [67, 42, 39], 5_608_144),
    (22, 2, false, [129, 77, 9], 160, [93, 68, 4], 297_892),
    (22, 2, true, [500, 300, 100], 512, [262, 167, 36], 23_956_216),
    (24, 0, false, [3000, 2100, 40], 3072, [1667, 393, 0], 1_200_967),
    (24, 1, false, [700, 300, 1], 768, [201, 75, 0], 59_030),
    (24, 1, true, [130, 70, 40], 160, [125, 14, 11], 258_674),
    (24, 2, false, [129, 77, 9], 256, [91, 26, 6], 821_300),
];

#[test]
fn known_addresses() {
    for (mode, texel, volume, size, pitch, at, address) in KNOWN {
        let kind = if volume { VOLUME } else { PLANE_ARRAY };
        let image = Fields { data: [1, 2, 4, 11, 14][texel], number: 4, size, mode, kind, pitch, ..PLAIN }.image();
        assert_eq!(image.address(at), address, "mode {mode}, {} bytes at {at:?}", 1 << texel);
    }
}

/// In every swizzle mode the texels of a block, and those of blocks next to each other, have places of their own.
#[test]
fn no_two_texels_share_a_place() {
    let mut modes = 0;
    for mode in 1..32 {
        for texel in 0..5 {
            for volume in [false, true] {
                let Some(equation) = Equation::find(mode, texel, volume) else { continue };
                modes += 1;
                let extent = equation.block.map(|log| 1 << log);
                assert_eq!(extent.iter().product::<u32>() << texel, 1 << equation.bytes);
                for block in [[0; 3], extent, [extent[0] * 5, extent[1] * 3, 7 * extent[2]]] {
                    let mut seen = vec![false; 1 << equation.bytes];
                    for i in 0..1 << (equation.bytes as usize - texel) {
                        let [x, y, _] = equation.block;
                        let at = [i & (extent[0] - 1), i >> x & (extent[1] - 1), i >> (x + y)];
                        let offset = equation.offset(std::array::from_fn(|i| block[i] + at[i])) as usize;
                        assert!(!std::mem::replace(&mut seen[offset], true), "mode {mode} {texel} {volume}: {at:?}");
                        assert_eq!(offset % (1 << texel), 0);
                    }
                }
            }
        }
    }
    // 14 of 256 bytes, and five kinds of larger ones with 18 for planes and 15 for volumes.
    assert_eq!(modes, 14 + 5 * (18 + 15));
}

fn refused(fields: Fields, change: impl Fn(&mut [u32; 8])) -> &'static str {
    let mut words = fields.words();
    change(&mut words);
    match Image::new(words) {
        Err(Stop::Illegal(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_resource_says() {
    let mut words = Fields { base: 0x1234_5678_9a00, size: [100, 50, 9], kind: PLANE_ARRAY, ..PLAIN }.words();
    // First slice.
    words[5] = 4;
    let Ok(image) = Image::new(words) else { panic!("a good resource") };
    assert_eq!((image.kind, image.size, image.slices), (Kind::PlaneArray, [100, 50, 1], 5));
    assert!(image.contains([99, 49, 4]));
    assert!(!image.contains([99, 49, 5]) && !image.contains([100, 0, 0]) && !image.contains([0, u32::MAX, 0]));
    assert_eq!(image.address([3, 2, 1]), 0x1234_5678_9a00 + ((5 * 50 + 2) * 64 + 3) * 4);
    let line = Fields { kind: LINE, ..PLAIN }.image();
    assert_eq!((line.size, line.slices), ([8, 1, 1], 1));
}

#[test]
fn what_is_refused_is_named() {
    assert!(refused(Fields { kind: 0, ..PLAIN }, |_| ()).contains("not one of an image"));
    assert!(refused(Fields { kind: 11, ..PLAIN }, |_| ()).contains("cube"));
    assert!(refused(Fields { kind: 14, ..PLAIN }, |_| ()).contains("samples"));
    assert!(refused(Fields { data: 0, ..PLAIN }, |_| ()).contains("format"));
    assert!(refused(Fields { number: 0, ..PLAIN }, |_| ()).contains("format"));
    assert!(refused(Fields { mode: 13, ..PLAIN }, |_| ()).contains("swizzle"));
    // Texels of 96 bits are in rows only.
    assert!(refused(Fields { mode: 9, data: 13, ..PLAIN }, |_| ()).contains("swizzle"));
    assert!(refused(PLAIN, |words| words[3] |= 1 << 12).contains("mip"));
    assert!(refused(PLAIN, |words| words[3] |= 1 << 16).contains("mip"));
    assert!(refused(PLAIN, |words| words[5] |= 1 << 28).contains("mip"));
    assert!(refused(PLAIN, |words| words[6] |= 1 << 21).contains("DCC"));
    assert!(refused(PLAIN, |words| words[4] |= 7 << 29).contains("border"));
}

#[test]
fn what_a_sampler_says() {
    let words = [7 << 6 | 2 << 3 | 1 | 1 << 15, 256 | 0x300 << 12, 1 << 20 | 0x3f00, 2 << 30];
    let Ok(sampler) = Sampler::new(words) else { panic!("a good sampler") };
    assert_eq!(sampler.edge, [Edge::Mirror, Edge::Clamp { mirror_once: false }, Edge::Border { mirror_once: true }]);
    assert!(!sampler.normalized && sampler.magnify && !sampler.minify);
    assert_eq!((sampler.lod, sampler.bias, sampler.border), ((1.0, 3.0), -1.0, [true; 4]));
    let refused = |words| match Sampler::new(words) {
        Err(Stop::Illegal(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused([1 << 9, 0, 3 << 20, 0]).contains("anisotropic"));
    assert!(refused([3 << 29, 0, 0, 0]).contains("filter mode"));
    assert!(refused([0, 0, 3 << 24, 0]).contains("z filter"));
    assert!(refused([0, 0, 0, 3 << 30]).contains("border"));
}

#[test]
fn comparisons() {
    let holds = |code: u32, reference, texel| {
        let Ok(sampler) = Sampler::new([code << 12, 0, 0, 0]) else { panic!("a good sampler") };
        sampler.compares(reference, texel)
    };
    for (code, expected) in
        [(0, "---"), (1, "<--"), (2, "-=-"), (3, "<=-"), (4, "-->"), (5, "<->"), (6, "-=>"), (7, "<=>")]
    {
        let mut text = String::new();
        for (texel, sign) in [(2.0, '<'), (1.0, '='), (0.0, '>')] {
            text.push(if holds(code, 1.0, texel) { sign } else { '-' });
        }
        assert_eq!(text, expected);
        assert_eq!(holds(code, f32::NAN, 1.0), matches!(code, 5 | 7));
    }
}
