//! The number of bytes that each lane of an instruction accesses.

/// Bytes of a lane: 1, 2, or up to 64 of whole dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    bytes: u32,
    /// 1 / `bytes` in 2^16ths, rounded up. Exact for places below `MOST`.
    inverse: u32,
}

/// Bytes of all lanes of an instruction.
const MOST: u32 = 1024;

impl Unit {
    pub const fn new(bytes: u32) -> Unit {
        Unit { bytes, inverse: 65536_u32.div_ceil(bytes) }
    }

    /// Bytes of a lane.
    #[inline]
    pub const fn bytes(self) -> u32 {
        self.bytes
    }

    /// The lane whose access contains the byte at `place`, and the byte's offset in that access.
    #[inline]
    pub const fn of(self, place: u32) -> (u8, u32) {
        debug_assert!(place < 2 * MOST, "more than all lanes have");
        let lane = (place * self.inverse) >> 16;
        (lane as u8, place - lane * self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_of_lanes() {
        for bytes in [1, 2, 4, 8, 12, 16, 64] {
            let unit = Unit::new(bytes);
            (0..2 * MOST).for_each(|place| assert_eq!(unit.of(place), ((place / bytes) as u8, place % bytes)));
        }
    }
}
