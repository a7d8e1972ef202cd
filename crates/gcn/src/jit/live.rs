//! A set of scalar registers that are still read.

/// Scalar registers, a bit each.
#[derive(Clone, Copy)]
pub(crate) struct Live(u128);

impl Live {
    pub const ALL: Live = Live(!0);

    /// Whether any register of a pair is.
    pub fn has_pair(self, first: u8) -> bool {
        self.0 >> first & 3 != 0
    }

    /// Registers are read: the first ones, and how many from there on.
    pub fn read(self, registers: impl IntoIterator<Item = (u8, u8)>) -> Live {
        Live(self.0 | bits(registers))
    }

    /// Registers are written, likewise.
    pub fn write(self, registers: impl IntoIterator<Item = (u8, u8)>) -> Live {
        Live(self.0 & !bits(registers))
    }
}

fn bits(registers: impl IntoIterator<Item = (u8, u8)>) -> u128 {
    registers.into_iter().fold(0, |bits, (first, count)| bits | ((1 << count) - 1) << first)
}
