//! Commands of copy engines (SDMA).

use crate::queues::sdma::packet;
use crate::{Error, Result};

/// What a copy engine is to do, by addresses of the device.
///
/// The commands of one piece of work are begun in their order. Nothing public promises that a copy or fill is done
/// before the next one begins: one that needs the result of another comes in a later piece of work, or behind a
/// [`Fence`](Self::Fence), an [`Atomic`](Self::Atomic) or a [`Timestamp`](Self::Timestamp), which are done when
/// everything before them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// Copies bytes. The ranges may have any alignment; they must not overlap.
    Copy {
        /// The first byte that is read.
        from: u64,
        /// The first byte that is written.
        to: u64,
        /// How many; none is nothing to do.
        bytes: u64,
    },
    /// Writes a value again and again.
    Fill {
        /// The first byte that is written, a multiple of 4.
        to: u64,
        /// What is written.
        value: u32,
        /// How many bytes, a multiple of 4.
        bytes: u64,
    },
    /// Stores a value when everything before is done.
    Fence {
        /// Where, a multiple of 4.
        to: u64,
        /// What.
        value: u32,
    },
    /// Stores the GPU's clock when everything before is done: 64 bits, whose time is
    /// [`Device::time`](crate::Device::time).
    Timestamp {
        /// Where, a multiple of 8, as ROCr says of gfx9 (`SharedSignal::GetSdmaTsAddresses`).
        to: u64,
    },
    /// Changes 64 bits in one step when everything before is done.
    Atomic {
        /// Where, a multiple of 8.
        at: u64,
        /// How.
        operation: Atomic,
        /// With what.
        value: u64,
    },
}

/// How an atomic command makes the new value from the old one and its own. Numbered as by `TC_OP_ATOMIC_*_RTN_64` of
/// AMD's register headers.
///
/// PCI Express has only [`Add`](Self::Add) and [`Swap`](Self::Swap): the others are for the GPU's own memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Atomic {
    /// The command's.
    Swap = 0x27,
    /// Their sum, wrapping.
    Add = packet::ADD_64,
    /// The old one less the command's, wrapping.
    Sub = 0x30,
    /// The lesser of the two, with signs.
    SignedMin = 0x31,
    /// The lesser of the two, without signs.
    Min = 0x32,
    /// The greater of the two, with signs.
    SignedMax = 0x33,
    /// The greater of the two, without signs.
    Max = 0x34,
    /// The bits that both have.
    And = 0x35,
    /// The bits that one of them has.
    Or = 0x36,
    /// The bits that exactly one of them has.
    Xor = 0x37,
}

impl Command {
    /// Refuses what engines do not do, as [`SdmaQueue::submit`](super::SdmaQueue::submit) does.
    ///
    /// # Errors
    /// [`Error::Value`]
    pub fn check(&self) -> Result<()> {
        let aligned = |subject, value: u64, align: u64, expected| {
            if value.is_multiple_of(align) { Ok(()) } else { Err(Error::Value { subject, value, expected }) }
        };
        const FOUR: &str = "a multiple of 4";
        match *self {
            Command::Copy { from, to, bytes } => {
                let outside = |start: u64| start.checked_add(bytes).is_none();
                if outside(from) || outside(to) {
                    let (subject, expected) =
                        ("the bytes of a copy", "so few that both ranges end within the address space");
                    return Err(Error::Value { subject, value: bytes, expected });
                }
                Ok(())
            }
            Command::Fill { to, bytes, .. } => {
                aligned("the address of a fill", to, 4, FOUR)?;
                aligned("the bytes of a fill", bytes, 4, FOUR)?;
                if to.checked_add(bytes).is_none() {
                    let (subject, expected) = ("the bytes of a fill", "so few that it ends within the address space");
                    return Err(Error::Value { subject, value: bytes, expected });
                }
                Ok(())
            }
            Command::Fence { to, .. } => aligned("the address of a fence", to, 4, FOUR),
            Command::Timestamp { to } => aligned("the address of a timestamp", to, 8, "a multiple of 8"),
            Command::Atomic { at, .. } => aligned("the address of an atomic operation", at, 8, "a multiple of 8"),
        }
    }

    /// What it takes in the ring of a copy engine, in dwords (4 bytes): see [`Room`](super::Room).
    pub fn dwords(&self) -> u64 {
        match self {
            Command::Copy { bytes, .. } => bytes.div_ceil(packet::CHUNK) * 7,
            Command::Fill { bytes, .. } => bytes.div_ceil(packet::CHUNK) * 5,
            Command::Fence { .. } => 4,
            Command::Timestamp { .. } => 3,
            Command::Atomic { .. } => 8,
        }
    }

    /// Hands its packets to `put`.
    pub(crate) fn packets(&self, mut put: impl FnMut(&[u32])) {
        let parts = |bytes: u64| {
            let starts = (0..bytes.div_ceil(packet::CHUNK)).map(|part| part * packet::CHUNK);
            starts.map(move |at| (at, packet::CHUNK.min(bytes - at)))
        };
        match *self {
            Command::Copy { from, to, bytes } => {
                parts(bytes).for_each(|(at, bytes)| put(&packet::copy(from + at, to + at, bytes)));
            }
            Command::Fill { to, value, bytes } => {
                parts(bytes).for_each(|(at, bytes)| put(&packet::fill(to + at, value, bytes)));
            }
            Command::Fence { to, value } => put(&packet::fence(to, value)),
            Command::Timestamp { to } => put(&packet::timestamp(to)),
            Command::Atomic { at, operation, value } => put(&packet::atomic(at, operation as u8, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: [Command; 6] = [
        Command::Copy { from: 3, to: 1 << 40, bytes: packet::CHUNK * 2 + 1 },
        Command::Copy { from: 3, to: 5, bytes: 0 },
        Command::Fill { to: 4, value: 9, bytes: packet::CHUNK + 4 },
        Command::Fence { to: 4, value: 9 },
        Command::Timestamp { to: 8 },
        Command::Atomic { at: 16, operation: Atomic::Add, value: 1 },
    ];

    #[test]
    fn commands_take_as_many_dwords_as_they_say() {
        for command in COMMANDS {
            let mut dwords = 0;
            command.packets(|packet| dwords += packet.len() as u64);
            assert_eq!(dwords, command.dwords(), "{command:?}");
            command.check().unwrap();
        }
    }

    #[test]
    fn parts_of_a_copy_are_all_of_it() {
        let mut seen = Vec::new();
        COMMANDS[0].packets(|packet| seen.push((packet[1] + 1, packet[3], packet[5])));
        let part = packet::CHUNK as u32;
        assert_eq!(seen, [(part, 3, 0), (part, 3 + part, part), (1, 3 + 2 * part, 2 * part)]);
    }

    #[test]
    fn what_engines_do_not_do_is_refused() {
        for command in [
            Command::Copy { from: u64::MAX, to: 0, bytes: 1 },
            Command::Copy { from: 0, to: 8, bytes: u64::MAX },
            Command::Fill { to: 2, value: 0, bytes: 4 },
            Command::Fill { to: 4, value: 0, bytes: 6 },
            Command::Fill { to: u64::MAX - 3, value: 0, bytes: 4 },
            Command::Fence { to: 1, value: 0 },
            Command::Timestamp { to: 4 },
            Command::Atomic { at: 4, operation: Atomic::Swap, value: 0 },
        ] {
            assert!(matches!(command.check(), Err(Error::Value { .. })), "{command:?}");
        }
    }
}
