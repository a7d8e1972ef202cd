//! Element types of loads and stores: dwords, halves and bytes.

use crate::machine::memory::Host;
use gcn_alu::wave::{LANES, Lanes};

/// What a lane moves between one register and memory. Loads fill the rest of the register with zeros; see [`Part`] for
/// those that do not.
pub(crate) trait Piece: 'static {
    /// In memory.
    const BYTES: u64;
    fn read(host: Host, offset: usize) -> u32;
    /// Writes the register's part that is stored.
    fn write(host: Host, offset: usize, register: u32);
    /// The bytes to store; the first [`Piece::BYTES`] count.
    fn to_bytes(register: u32) -> [u8; 4] {
        register.to_le_bytes()
    }
}

pub(crate) struct Dword;
pub(crate) struct Short;
pub(crate) struct Byte;
/// From the high half of the register, for stores.
pub(crate) struct High<P>(P);

macro_rules! piece {
    ($name:ident, $bytes:literal, $read:ident, $write:ident, $type:ty) => {
        impl Piece for $name {
            const BYTES: u64 = $bytes;
            #[inline]
            fn read(host: Host, offset: usize) -> u32 {
                host.$read(offset).into()
            }
            #[inline]
            fn write(host: Host, offset: usize, register: u32) {
                host.$write(offset, register as $type);
            }
        }
    };
}
piece!(Dword, 4, read32, write32, u32);
piece!(Short, 2, read16, write16, u16);
piece!(Byte, 1, read8, write8, u8);

impl<P: Piece> Piece for High<P> {
    const BYTES: u64 = P::BYTES;
    fn read(host: Host, offset: usize) -> u32 {
        P::read(host, offset)
    }
    fn write(host: Host, offset: usize, register: u32) {
        P::write(host, offset, register >> 16);
    }
    fn to_bytes(register: u32) -> [u8; 4] {
        (register >> 16).to_le_bytes()
    }
}

/// What a load makes of a register, other than filling it with zeros from above the piece.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// The sign of a byte fills the register.
    Signed8,
    /// The sign of 16 bits fills the register.
    Signed16,
    /// D16: the low half.
    Low,
    /// D16: the low half, a byte with its sign.
    LowSigned8,
    /// D16: the high half.
    High,
    /// D16: the high half, a byte with its sign.
    HighSigned8,
}

impl Part {
    /// Merges loaded values into `register`: lanes in `exec` keep the loaded value, the others get `old`. `kept` is
    /// [`gcn_alu::wave::Wave::kept_bits`].
    pub fn place(self, register: &mut Lanes, old: &Lanes, exec: u64, kept: u32) {
        /// Arithmetic instead of a condition: the compiler makes vectors of it.
        #[inline(always)]
        fn each(register: &mut Lanes, old: &Lanes, exec: u64, place: impl Fn(u32, u32) -> u32) {
            for half in 0..2 {
                let bits = (exec >> (32 * half)) as u32;
                for lane in 0..LANES / 2 {
                    let disabled = (bits >> lane & 1).wrapping_sub(1);
                    let (old, new) = (old.0[32 * half + lane], register.0[32 * half + lane]);
                    register.0[32 * half + lane] = old & disabled | place(old, new) & !disabled;
                }
            }
        }
        let sign8 = |new: u32| new as u8 as i8 as u16;
        match self {
            Part::Signed8 => each(register, old, exec, |_, new| new as u8 as i8 as u32),
            Part::Signed16 => each(register, old, exec, |_, new| new as u16 as i16 as u32),
            Part::Low => each(register, old, exec, |old, new| insert_half(old, kept, new as u16, false)),
            Part::LowSigned8 => each(register, old, exec, |old, new| insert_half(old, kept, sign8(new), false)),
            Part::High => each(register, old, exec, |old, new| insert_half(old, kept, new as u16, true)),
            Part::HighSigned8 => each(register, old, exec, |old, new| insert_half(old, kept, sign8(new), true)),
        }
    }
}

/// A register after a load to its low or its `high` half; of the other half of `old` the bits in `kept` stay.
#[inline]
pub(crate) fn insert_half(old: u32, kept: u32, half: u16, high: bool) -> u32 {
    let (half, other) = if high { (u32::from(half) << 16, 0xffff) } else { (u32::from(half), 0xffff_0000) };
    old & kept & other | half
}
