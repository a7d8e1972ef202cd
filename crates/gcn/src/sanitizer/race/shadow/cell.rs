//! Shadow cells: one access packed into a word, and the cells of a dword.

use crate::machine::bus::Access;

/// An access to a dword: 0 if there was none.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen(pub(super) u64);

impl Seen {
    /// Bits for the number of a work-group. Work-groups with higher numbers are not checked.
    pub const GROUP_BITS: u32 = 20;
    /// Bits of the number of an instruction.
    pub(super) const SITE_BITS: u32 = 12;

    pub fn new(group: u32, wave: u32, clock: u16, by: By) -> Seen {
        let By { site, lane, bytes } = by;
        let fields = u64::from(clock) << 24 | u64::from(lane) << 18 | u64::from(bytes) << 14 | u64::from(site) << 2;
        Seen(u64::from(group) << 44 | u64::from(wave & 15) << 40 | fields)
    }

    pub fn is_none(self) -> bool {
        self.0 & !(Seen::FLAG | Seen::TAKEN) == 0
    }

    pub fn group(self) -> u32 {
        (self.0 >> 44) as u32
    }

    pub fn wave(self) -> usize {
        (self.0 >> 40 & 15) as usize
    }

    pub fn clock(self) -> u16 {
        (self.0 >> 24) as u16
    }

    pub fn by(self) -> By {
        By {
            site: (self.0 >> 2) as u16 & ((1 << Seen::SITE_BITS) - 1),
            lane: (self.0 >> 18) as u8 & 63,
            bytes: (self.0 >> 14) as u8 & 15,
        }
    }

    /// The same by this lane, to these bytes.
    pub fn with(self, lane: u8, bytes: u8) -> Seen {
        Seen(self.0 | u64::from(lane) << 18 | u64::from(bytes) << 14)
    }

    /// The whole cell, for comparison.
    #[cfg(test)]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The same without lane and bytes.
    pub(super) fn without(self) -> Seen {
        Seen(self.0 & !(0x3ff << 14))
    }

    /// By which instruction, to which bytes, and the marks.
    pub(super) fn what(self) -> u64 {
        self.0 & ((1 << 18) - 1)
    }

    /// Whether it is another wave's, to a byte that `other` is to.
    #[inline]
    pub fn overlaps(self, other: Seen) -> bool {
        !self.is_none() && !self.is_of(other) && (self.0 & other.0) >> 14 & 15 != 0
    }

    /// Whether it is of the same wave.
    pub fn is_of(self, other: Seen) -> bool {
        (self.0 ^ other.0) >> 40 == 0
    }

    /// With the bytes of an earlier one, if that is of the same wave, and nothing came between that others might know.
    fn with_bytes(self, old: Seen) -> Seen {
        let is_same = (self.0 ^ old.0) >> 24 == 0;
        if is_same { Seen(self.0 | old.0 & 15 << 14) } else { self }
    }

    /// With the last store: the dword is a flag.
    const FLAG: u64 = 1;
    /// With it: somebody got what was there.
    const TAKEN: u64 = 2;
}

/// Who made an access, in its wave, and to what.
#[derive(Clone, Copy)]
pub(crate) struct By {
    /// Number of the instruction.
    pub site: u16,
    pub lane: u8,
    /// Bytes of the dword, a bit each.
    pub bytes: u8,
}

/// The last accesses to a dword.
#[derive(Clone, Copy, Default)]
pub(crate) struct Dword {
    pub store: Seen,
    pub load: Seen,
}

impl Dword {
    /// One that is a flag.
    pub(super) const A_FLAG: Dword = Dword { store: Seen(Seen::FLAG), load: Seen(0) };

    /// Whether waves have made atomics on it, or loads that see what other compute units have stored.
    pub fn is_flag(&self) -> bool {
        self.store.0 & Seen::FLAG != 0
    }

    /// Whether a wave has acquired through the flag.
    pub fn is_taken(&self) -> bool {
        self.store.0 & Seen::TAKEN != 0
    }

    /// Makes the dword a flag. Returns the access that stored its value.
    pub fn set_flag(&mut self) -> Option<Seen> {
        let old = self.store;
        self.store.0 |= Seen::FLAG;
        Some(old).filter(|store| !store.is_none())
    }

    /// Adds an access to a flag, for the footprint of the dispatch.
    pub fn add_to_flag(&mut self, new: Seen, access: Access, takes: bool) {
        let marks = self.store.0 & Seen::TAKEN | Seen::FLAG | if takes { Seen::TAKEN } else { 0 };
        let store = if access == Access::Read { self.store } else { new };
        self.store = Seen(store.0 | marks);
        if access == Access::Read {
            self.load = new;
        }
    }

    pub fn set_store(&mut self, new: Seen) {
        self.store = new.with_bytes(self.store);
    }

    pub fn set_load(&mut self, new: Seen) {
        self.load = new.with_bytes(self.load);
    }
}
