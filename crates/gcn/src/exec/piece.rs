//! What loads and stores move: dwords, and parts of them.

use super::memory::Host;

/// What a lane moves between one register and memory.
pub(crate) trait Piece: 'static {
    /// In memory.
    const BYTES: u64;
    /// As a register gets it, without the bits that it keeps.
    fn read(host: Host, offset: usize) -> u32;
    /// The register after a load. Of `old` the bits in `kept` stay where the load has none; see [`Wave::kept_bits`].
    ///
    /// [`Wave::kept_bits`]: super::wave::Wave::kept_bits
    #[inline]
    fn insert(_old: u32, _kept: u32, new: u32) -> u32 {
        new
    }
    /// Writes the register's part that is stored.
    fn write(host: Host, offset: usize, register: u32);
    /// The same from little-endian bytes, for LDS and accesses that are not in one piece.
    fn from_bytes(bytes: [u8; 4]) -> u32;
    /// Bytes to store; the first [`Piece::BYTES`] count.
    fn to_bytes(register: u32) -> [u8; 4] {
        register.to_le_bytes()
    }
}

/// A register after a load to its low or its `high` half; of the other half of `old` the bits in `kept` stay.
#[inline]
pub(crate) fn insert_half(old: u32, kept: u32, half: u16, high: bool) -> u32 {
    let (half, other) = if high { (u32::from(half) << 16, 0xffff) } else { (u32::from(half), 0xffff_0000) };
    old & kept & other | half
}

pub(crate) struct Dword;
pub(crate) struct Ubyte;
pub(crate) struct Sbyte;
pub(crate) struct Ushort;
pub(crate) struct Sshort;
/// The low half of the register (D16).
pub(crate) struct Low<P>(P);
/// The high half of the register (D16).
pub(crate) struct High<P>(P);

impl Piece for Dword {
    const BYTES: u64 = 4;
    #[inline]
    fn read(host: Host, offset: usize) -> u32 {
        host.read32(offset)
    }
    #[inline]
    fn write(host: Host, offset: usize, register: u32) {
        host.write32(offset, register);
    }
    fn from_bytes(bytes: [u8; 4]) -> u32 {
        u32::from_le_bytes(bytes)
    }
}

macro_rules! small {
    ($name:ident, $bytes:literal, $read:ident, $write:ident, $signed:ty, $unsigned:ty) => {
        impl Piece for $name {
            const BYTES: u64 = $bytes;
            #[inline]
            fn read(host: Host, offset: usize) -> u32 {
                host.$read(offset) as $signed as i32 as u32
            }
            #[inline]
            fn write(host: Host, offset: usize, register: u32) {
                host.$write(offset, register as $unsigned);
            }
            fn from_bytes(bytes: [u8; 4]) -> u32 {
                u32::from_le_bytes(bytes) as $unsigned as $signed as i32 as u32
            }
        }
    };
}
small!(Ubyte, 1, read8, write8, u8, u8);
small!(Sbyte, 1, read8, write8, i8, u8);
small!(Ushort, 2, read16, write16, u16, u16);
small!(Sshort, 2, read16, write16, i16, u16);

impl<P: Piece> Piece for Low<P> {
    const BYTES: u64 = P::BYTES;
    fn read(host: Host, offset: usize) -> u32 {
        P::read(host, offset)
    }
    fn insert(old: u32, kept: u32, new: u32) -> u32 {
        insert_half(old, kept, new as u16, false)
    }
    fn write(host: Host, offset: usize, register: u32) {
        P::write(host, offset, register);
    }
    fn from_bytes(bytes: [u8; 4]) -> u32 {
        P::from_bytes(bytes)
    }
}

impl<P: Piece> Piece for High<P> {
    const BYTES: u64 = P::BYTES;
    fn read(host: Host, offset: usize) -> u32 {
        P::read(host, offset)
    }
    fn insert(old: u32, kept: u32, new: u32) -> u32 {
        insert_half(old, kept, new as u16, true)
    }
    fn write(host: Host, offset: usize, register: u32) {
        P::write(host, offset, register >> 16);
    }
    fn from_bytes(bytes: [u8; 4]) -> u32 {
        P::from_bytes(bytes)
    }
    fn to_bytes(register: u32) -> [u8; 4] {
        (register >> 16).to_le_bytes()
    }
}
