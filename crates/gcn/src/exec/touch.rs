//! What an instruction does to device memory, for devices that look for races there.

use super::wave::{Wave, vector_index};
use crate::bus::Access;
use crate::inst::{Format, Inst};

/// Bytes of a dword.
pub(crate) const DWORD: u64 = 4;

/// What lanes do to a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Device address of the dword.
    pub address: u64,
    /// Which bytes of it, a bit each.
    pub bytes: u8,
    pub lane: u8,
}

/// What an instruction is about to do to device memory.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub access: Access,
    /// An atomic gives what was there before; a load sees what other compute units have stored.
    pub takes: bool,
    /// In the order of the lanes.
    pub parts: Vec<Part>,
}

impl Touch {
    /// What a store is about to put to `part`, of the bytes that it writes.
    pub fn stored(&self, wave: &Wave, inst: &Inst, part: usize) -> Option<u32> {
        let Part { address, bytes, lane } = self.parts[part];
        let data = if inst.format == Format::Mubuf { inst.src[0] } else { inst.src[1] };
        let first = vector_index(data)?;
        let of_lane = |part: &&Part| part.lane == lane;
        let start = self.parts.iter().find(of_lane)?;
        let begin = start.address + u64::from(start.bytes.trailing_zeros());
        // A register for each dword from the first byte on.
        let register = |offset: u64| Some(wave.vgpr.get(first + (offset / DWORD) as usize)?.0[usize::from(lane)]);
        let high = if inst.op.mnemonic().ends_with("_d16_hi") { 2 } else { 0 };
        (0..DWORD).filter(|i| bytes >> i & 1 != 0).try_fold(0, |all, i| {
            let offset = (address + i).checked_sub(begin)?;
            let byte = register(offset)? >> (8 * ((offset + high) % DWORD)) & 0xff;
            Some(all | byte << (8 * i))
        })
    }
}
