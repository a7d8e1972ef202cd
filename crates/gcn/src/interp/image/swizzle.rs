//! Swizzle modes of gfx9: the position of a texel in its block.
//!
//! A tiled image is made of blocks of 256 bytes, 4 KiB or 64 KiB. In a block, every bit of a texel's offset is the
//! exclusive or of bits of its coordinates. In the `_X` and `_T` modes the bits above the pipe interleave, which choose
//! the memory channel, are mixed with higher ones; how many there are is in GB_ADDR_CONFIG.

use once_cell::race::OnceBox;

/// GB_ADDR_CONFIG of the MI100: the number of pipes, banks and shader engines, which the `_X` and `_T` swizzle modes
/// depend on.
///
/// AMD's userspace gets it from the driver (`AMDKFD_IOC_GET_TILE_CONFIG`) and lays out images by it.
pub const GB_ADDR_CONFIG: u32 = 0x2a11_4042;

/// Bits that choose a pipe of a shader engine.
const PIPE_BITS: usize = (GB_ADDR_CONFIG & 7) as usize + (GB_ADDR_CONFIG >> 19 & 3) as usize;
/// Bits that choose a bank.
const BANK_BITS: usize = (GB_ADDR_CONFIG >> 12 & 7) as usize;
/// Base-2 logarithm of the bytes that lie side by side in one pipe.
const INTERLEAVE: usize = 8 + (GB_ADDR_CONFIG >> 3 & 7) as usize;

/// How texels are placed in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Z,
    Standard,
    Display,
    Rotated,
}

/// What the memory channel bits are mixed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mix {
    Nothing,
    /// `_T`: bits of the same block.
    Block,
    /// `_X`: bits of other blocks and slices too.
    All,
}

/// The offset of a texel in its block.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    /// Bits of the offset that four bits of x, y and z toggle: which of the four, and their value.
    toggles: [[[u32; 16]; 4]; 3],
    /// Base-2 logarithm of a block's extent in x, y and z.
    pub block: [u32; 3],
    /// Base-2 logarithm of a block's bytes.
    pub bytes: u32,
    /// Low bits of the image's base address toggle bits of the offset too (`_X`).
    pub mixed: bool,
}

/// Bits of the offset that bit `i` of x, y and z toggles.
type Toggles = [[u32; 16]; 3];

/// A bit of a coordinate: which (0 to 2 for x, y, z), and which of its bits.
type Bit = (usize, usize);

impl Equation {
    /// The offset in its block of the texel at `coordinates`.
    #[inline]
    pub fn offset(&self, coordinates: [u32; 3]) -> u32 {
        let mut offset = 0;
        for (toggles, coordinate) in self.toggles.iter().zip(coordinates) {
            for (i, toggles) in toggles.iter().enumerate() {
                offset ^= toggles[(coordinate >> (4 * i) & 15) as usize];
            }
        }
        offset
    }

    /// The bits of the offset that bit `bit` of coordinate `axis` toggles.
    #[inline(always)]
    pub fn toggle(&self, axis: usize, bit: u32) -> u32 {
        self.toggles[axis][bit as usize / 4 % 4][1 << (bit % 4)]
    }

    /// By the mode's number, the base-2 logarithm of a texel's bytes, and whether the image is three-dimensional.
    /// `None` if gfx9 has no such thing.
    pub fn find(mode: u32, texel: usize, volume: bool) -> Option<&'static Equation> {
        static ALL: OnceBox<Vec<Option<Equation>>> = OnceBox::new();
        let all = || (0..32 * 10).map(|i| Equation::new(i / 10, i as usize % 10 / 2, i % 2 == 1)).collect();
        ALL.get_or_init(|| Box::new(all())).get(mode as usize * 10 + texel * 2 + usize::from(volume))?.as_ref()
    }

    fn new(mode: u32, texel: usize, volume: bool) -> Option<Equation> {
        let (bytes, mix) = match mode {
            1..=3 => (8, Mix::Nothing),
            4..=7 => (12, Mix::Nothing),
            8..=11 => (16, Mix::Nothing),
            16..=19 => (16, Mix::Block),
            20..=23 => (12, Mix::All),
            24..=27 => (16, Mix::All),
            _ => return None,
        };
        let order = [Order::Z, Order::Standard, Order::Display, Order::Rotated][mode as usize & 3];
        let thick = volume && matches!(order, Order::Z | Order::Standard);
        let exists = match (volume, order) {
            (false, Order::Z | Order::Rotated) => texel < 4,
            (true, Order::Rotated) => false,
            (true, _) => bytes > 8,
            _ => true,
        };
        if !exists {
            return None;
        }
        // The slices of a three-dimensional image are laid out like standard ones in the display modes.
        let order = if volume && order == Order::Display { Order::Standard } else { order };
        let bits = if thick { thick_bits(order, texel) } else { thin_bits(order, texel) };
        let (mut toggles, mut block): (Toggles, _) = ([[0; 16]; 3], [0; 3]);
        for (i, &(axis, bit)) in bits[..bytes - texel].iter().enumerate() {
            toggles[axis][bit] = 1 << (texel + i);
            block[axis] += 1;
        }
        if mix != Mix::Nothing {
            Equation::mix(&mut toggles, mix, &bits, texel, bytes, thick);
        }
        let inside = (1 << bytes) - 1;
        let toggles = toggles.map(|toggles| {
            std::array::from_fn(|i| {
                std::array::from_fn(|value: usize| {
                    let bits = (0..4).filter(|bit| value >> bit & 1 != 0);
                    bits.fold(0, |offset, bit| offset ^ toggles[4 * i + bit]) & inside
                })
            })
        });
        Some(Equation { toggles, block, bytes: bytes as u32, mixed: mix == Mix::All })
    }

    fn mix(toggles: &mut Toggles, mix: Mix, bits: &[Bit], texel: usize, bytes: usize, thick: bool) {
        let pipe = PIPE_BITS.min(bytes - INTERLEAVE);
        let bank = BANK_BITS.min(bytes - INTERLEAVE - pipe);
        // The coordinate bit at a position of the offset, past the end of the block if the mode looks there.
        let source = |position: usize| (position < bytes || mix == Mix::All).then(|| bits[position - texel]);
        for (start, count, slice) in [(INTERLEAVE, pipe, 0), (INTERLEAVE + pipe, bank, pipe)] {
            for i in 0..count {
                let sources = if thick {
                    [source(start + 3 * count - 1 - 2 * i), source(start + 3 * count - 2 - 2 * i)]
                } else {
                    // The slice of an array is mixed in reversed.
                    let slice = (mix == Mix::All).then_some((2, slice + count - 1 - i));
                    [source(start + 2 * count - 1 - i), slice]
                };
                for (axis, bit) in sources.into_iter().flatten() {
                    toggles[axis][bit] ^= 1 << (start + i);
                }
            }
        }
    }
}

/// Reads `x0 y1 ...`.
fn pattern(text: &str) -> Vec<Bit> {
    text.split(' ').map(|bit| (usize::from(bit.as_bytes()[0] - b'x'), usize::from(bit.as_bytes()[1] - b'0'))).collect()
}

/// Bits of the offset of a texel, from the lowest; `order` begins and the rest are its axes in turns.
fn continued(mut bits: Vec<Bit>, texel: usize, turns: &[usize]) -> Vec<Bit> {
    // The bits that the mixing modes take from behind the block reach up to here.
    const END: usize = 24;
    let mut next = [0; 3];
    for &(axis, _) in &bits {
        next[axis] += 1;
    }
    for position in bits.len() + texel..END {
        let axis = turns[position % turns.len()];
        bits.push((axis, next[axis]));
        next[axis] += 1;
    }
    bits
}

/// Blocks of one slice.
fn thin_bits(order: Order, texel: usize) -> Vec<Bit> {
    let micro = match (order, texel) {
        (Order::Z, _) => return continued((0..6 - texel).map(|i| (i % 2, i / 2)).collect(), texel, &[1, 0]),
        (Order::Standard, 0) => "x0 x1 x2 x3 y0 y1 y2 y3",
        (Order::Standard, 1) => "x0 x1 x2 y0 y1 y2 x3",
        (Order::Standard, 2) => "x0 x1 y0 y1 y2 x2",
        (Order::Standard, 3) => "x0 y0 y1 x1 x2",
        (Order::Standard, _) => "y0 y1 x0 x1",
        (Order::Display, 0) => "x0 x1 x2 y1 y0 y2 x3 y3",
        (Order::Display, 1) => "x0 x1 x2 y0 y1 y2 x3",
        (Order::Display, 2) => "x0 x1 y0 x2 y1 y2",
        (Order::Display, 3) => "x0 y0 x1 x2 y1",
        (Order::Display, _) => "x0 y0 x1 y1",
        (Order::Rotated, 0) => "y0 y1 y2 x1 x0 x2 x3 y3",
        (Order::Rotated, 1) => "y0 y1 y2 x0 x1 x2 x3",
        (Order::Rotated, 2) => "y0 y1 x0 y2 x1 x2",
        (Order::Rotated, _) => "y0 x0 y1 x1 x2",
    };
    continued(pattern(micro), texel, &[1, 0])
}

/// Blocks of several slices.
fn thick_bits(order: Order, texel: usize) -> Vec<Bit> {
    let micro = match (order, texel) {
        (Order::Z, 0) => "x0 y0 x1 y1 z0 z1 x2 z2 y2 x3",
        (Order::Z, 1) => "x0 y0 x1 y1 z0 z1 z2 y2 x2",
        (Order::Z, 2) => "x0 y0 x1 z0 y1 z1 y2 x2",
        (Order::Z, 3) => "x0 y0 z0 x1 z1 y1 x2",
        (Order::Z, _) => "x0 y0 z0 z1 y1 x1",
        (_, 0) => "x0 x1 x2 x3 y0 y1 z0 z1 z2 y2",
        (_, 1) => "x0 x1 x2 y0 y1 z0 z1 z2 y2",
        (_, 2) => "x0 x1 y0 y1 z0 z1 y2 x2",
        (_, 3) => "x0 y0 y1 z0 z1 x1 x2",
        (_, _) => "y0 y1 z0 z1 x0 x1",
    };
    continued(pattern(micro), texel, &[0, 2, 1])
}
