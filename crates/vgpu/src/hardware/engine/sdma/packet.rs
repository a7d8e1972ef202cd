//! Parses the SDMA v4 packets of an SDMA ring.
//!
//! Field positions: Linux `vega10_sdma_pkt_open.h`, ROCr `sdma_registers.h`.

/// Dwords of the longest packet.
pub const LONGEST: usize = 14;

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Nothing, for this many dwords.
    Nop,
    /// Copy bytes.
    CopyLinear {
        /// Source address.
        from: u64,
        /// Destination address.
        to: u64,
        /// Another destination, of a broadcast.
        also: Option<u64>,
        /// Bytes.
        bytes: u64,
    },
    /// Copy a box out of one pitched volume into another.
    CopySubWindow(SubWindow),
    /// Repeat a value.
    Fill {
        /// Destination address.
        to: u64,
        /// Bytes, a multiple of `size`.
        bytes: u64,
        /// The value; `size` bytes of it are repeated.
        value: [u8; 4],
        /// 1, 2 or 4.
        size: u8,
    },
    /// Store 32 bits after all earlier packets have completed.
    Fence {
        /// Where.
        to: u64,
        /// What.
        value: u32,
    },
    /// Interrupt with this event id.
    Trap(u32),
    /// Store the constant clock.
    Timestamp {
        /// Where 64 bits go.
        to: u64,
    },
    /// Atomic operation on memory, result not wanted.
    Atomic {
        /// The operation, as the TC unit numbers it.
        operation: u8,
        /// Where.
        address: u64,
        /// Operand.
        data: u64,
        /// What a compare-and-swap compares with.
        compare: u64,
        /// Repeat until the comparison succeeds.
        repeat: bool,
    },
    /// Wait until memory, masked, compares with a value.
    Poll {
        /// Where.
        address: u64,
        /// What to compare with.
        value: u32,
        /// Which bits to compare.
        mask: u32,
        /// The comparison, as the hardware numbers it.
        function: u8,
    },
    /// Flush of the host data path, as ROCr writes it: the poll of a register, nothing to do here.
    HdpFlush,
    /// Store dwords that follow the packet.
    Write {
        /// Where.
        to: u64,
        /// How many dwords follow.
        dwords: u32,
    },
    /// Run the dwords in another buffer.
    Indirect {
        /// Where they are.
        address: u64,
        /// How many.
        dwords: u32,
    },
}

/// A box copied between two pitched volumes. Counts are elements of `1 << element` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubWindow {
    /// log2 of the bytes of an element.
    pub element: u8,
    /// Source.
    pub from: Volume,
    /// Destination.
    pub to: Volume,
    /// Width, height, depth.
    pub size: [u32; 3],
}

/// One side of a sub-window copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    /// Address.
    pub base: u64,
    /// x, y, z of the box's first element.
    pub offset: [u32; 3],
    /// Elements from row to row.
    pub pitch: u64,
    /// Elements from slice to slice.
    pub slice_pitch: u64,
}

impl Volume {
    /// Address of the first element of row `y` of slice `z` of the box.
    pub fn row(&self, y: u32, z: u32, element: u8) -> u64 {
        let elements = u64::from(self.offset[0])
            + u64::from(self.offset[1] + y) * self.pitch
            + u64::from(self.offset[2] + z) * self.slice_pitch;
        self.base.wrapping_add(elements << element)
    }
}

/// Why dwords are no packet.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Undecodable {
    /// No such operation on this engine.
    #[error("SDMA v4 has no operation {op} with sub-operation {sub_op}")]
    Operation {
        /// `op`.
        op: u8,
        /// `sub_op`.
        sub_op: u8,
    },
    /// The operation exists, but a field has no meaning.
    #[error("SDMA operation {op}: {what}")]
    Field {
        /// `op`.
        op: u8,
        /// The field.
        what: &'static str,
    },
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for Undecodable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// In the header of a linear copy: there are two destinations.
const BROADCAST: u32 = 1 << 27;

/// How many dwords of `dwords` must be there to decode the packet that begins with `first`; what [`decode`] needs.
pub fn length(first: u32) -> Result<usize, Undecodable> {
    let (op, sub_op) = (first as u8, (first >> 8) as u8);
    Ok(match (op, sub_op) {
        (0, _) => 1,
        (1, 0) if first & BROADCAST != 0 => 9,
        (1, 0) => 7,
        (1, 4) => 13,
        (2, 0) => 4,
        (4, 0) => 6,
        (5, 0) => 4,
        (6, 0) => 2,
        (8, 0) => 6,
        (10, 0) => 8,
        (11, 0) => 5,
        (13, 0..=2) => 3,
        _ => return Err(Undecodable::Operation { op, sub_op }),
    })
}

/// Decodes the packet in `d`, of which [`length`] dwords are there, for an engine whose linear copies count bytes in
/// `copy_bits` bits. Returns it and its whole length in dwords.
pub fn decode(d: &[u32; LONGEST], copy_bits: u32) -> Result<(Packet, u32), Undecodable> {
    let op = d[0] as u8;
    let field = |what| Err(Undecodable::Field { op, what });
    // Two-bit fields, in one dword of several operations.
    const SWAPS: u32 = 3 << 16 | 3 << 24;
    const PROTECTED: u32 = 1 << 16 | 1 << 18;
    let address = |at: usize| u64::from(d[at]) | u64::from(d[at + 1]) << 32;
    let mut dwords = length(d[0])? as u32;
    let packet = match (op, (d[0] >> 8) as u8) {
        (0, _) => {
            dwords += d[0] >> 16 & 0x3fff;
            Packet::Nop
        }
        (1, 0) if d[0] & PROTECTED != 0 => return field("encrypted copy"),
        (1 | 2 | 10, _) if d[0] & 1 << 18 != 0 => return field("access to protected memory"),
        (2, _) if d[0] & PROTECTED != 0 => return field("encrypted write"),
        (1, 0) if d[2] & (SWAPS | 3 << 8) != 0 => return field("swapped bytes"),
        (1, 4) if d[12] & SWAPS != 0 => return field("swapped bytes"),
        (2, _) if d[3] & SWAPS & 0xff00_0000 != 0 => return field("swapped bytes"),
        (11, _) if d[0] & SWAPS & 0x00ff_0000 != 0 => return field("swapped bytes"),
        (1, 0) => Packet::CopyLinear {
            from: address(3),
            to: address(5),
            also: (d[0] & BROADCAST != 0).then(|| address(7)),
            bytes: u64::from(d[1] & ((1 << copy_bits) - 1)) + 1,
        },
        (1, _) => {
            let volume = |at: usize| Volume {
                base: address(at),
                offset: [d[at + 2] & 0x3fff, d[at + 2] >> 16 & 0x3fff, d[at + 3] & 0x7ff],
                pitch: u64::from(d[at + 3] >> 13) + 1,
                slice_pitch: u64::from(d[at + 4] & 0xfff_ffff) + 1,
            };
            let element = (d[0] >> 29) as u8;
            if element > 4 {
                return field("element size above 16 bytes");
            }
            Packet::CopySubWindow(SubWindow {
                element,
                from: volume(1),
                to: volume(6),
                size: [(d[11] & 0x3fff) + 1, (d[11] >> 16 & 0x3fff) + 1, (d[12] & 0x7ff) + 1],
            })
        }
        (2, _) => {
            let count = (d[3] & 0xf_ffff) + 1;
            dwords += count;
            Packet::Write { to: address(1), dwords: count }
        }
        (4, _) => Packet::Indirect { address: address(1) & !0x1f, dwords: d[3] & 0xf_ffff },
        (5, _) => Packet::Fence { to: address(1), value: d[3] },
        (6, _) => Packet::Trap(d[1] & 0xfff_ffff),
        (8, _) if d[0] == 8 && address(1) == 0x8000_0000 << 32 => Packet::HdpFlush,
        (8, _) if d[0] >> 31 == 0 => return field("poll of a register"),
        (8, _) => {
            let function = (d[0] >> 28 & 7) as u8;
            if function == 7 {
                return field("comparison 7 is undefined");
            }
            Packet::Poll { address: address(1), value: d[3], mask: d[4], function }
        }
        (10, _) => Packet::Atomic {
            operation: (d[0] >> 25) as u8,
            address: address(1),
            data: address(3),
            compare: address(5),
            repeat: d[0] & 1 << 16 != 0,
        },
        (11, _) => {
            if d[0] >> 30 == 3 {
                return field("fill size 3 is undefined");
            }
            let size = 1 << (d[0] >> 30);
            // Bytes less one (kfdtest) or less one element (ROCr): the low bits do not count.
            let bytes = (u64::from(d[4] & 0x3f_ffff) & !(size - 1)) + size;
            Packet::Fill { to: address(1), bytes, value: d[3].to_le_bytes(), size: size as u8 }
        }
        // Only "get global": the other two set and read a counter of the engine's own.
        (13, 2) => Packet::Timestamp { to: address(1) },
        _ => return field("only GET_GLOBAL timestamps are supported"),
    };
    Ok((packet, dwords))
}

/// Whether `left` compares with `right` as POLL_REGMEM numbers comparisons.
pub fn compares(function: u8, left: u32, right: u32) -> bool {
    match function {
        0 => true,
        1 => left < right,
        2 => left <= right,
        3 => left == right,
        4 => left != right,
        5 => left >= right,
        _ => left > right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(d: &[u32; LONGEST]) -> Result<(Packet, u32), Undecodable> {
        super::decode(d, 22)
    }

    fn dwords(words: &[u32]) -> [u32; LONGEST] {
        let mut d = [0; LONGEST];
        d[..words.len()].copy_from_slice(words);
        d
    }

    #[test]
    fn copies() {
        let (packet, length) = decode(&dwords(&[1, 0x3f_ffdf, 0, 0x1000, 0x7f, 0x2000, 0x80])).unwrap();
        let (from, to) = (0x7f_0000_1000, 0x80_0000_2000);
        assert_eq!(packet, Packet::CopyLinear { from, to, also: None, bytes: 0x3f_ffe0 });
        assert_eq!(length, 7);
        let two = dwords(&[1 | 1 << 27, 0x3f_ffdf, 0, 0x1000, 0x7f, 0x2000, 0x80, 0x3000, 0x81]);
        let (packet, length) = decode(&two).unwrap();
        assert_eq!(packet, Packet::CopyLinear { from, to, also: Some(0x81_0000_3000), bytes: 0x3f_ffe0 });
        assert_eq!(length, 9);
    }

    #[test]
    fn the_engine_decides_how_much_a_copy_moves() {
        let d = dwords(&[1, 0xffff_ffff, 0, 0x1000, 0x7f, 0x2000, 0x80]);
        for bits in [22, 30] {
            let (packet, _) = super::decode(&d, bits).unwrap();
            assert!(matches!(packet, Packet::CopyLinear { bytes, .. } if bytes == 1 << bits), "{packet:?}");
        }
    }

    #[test]
    fn hdp_flush_has_no_address() {
        let (packet, length) = decode(&dwords(&[8, 0, 0x8000_0000, 0, 0, 0])).unwrap();
        assert_eq!((packet, length), (Packet::HdpFlush, 6));
    }

    #[test]
    fn lengths_that_depend_on_fields() {
        assert_eq!(decode(&dwords(&[0x0003_0000])).unwrap(), (Packet::Nop, 4));
        assert_eq!(decode(&dwords(&[2, 64, 0, 9])).unwrap(), (Packet::Write { to: 64, dwords: 10 }, 14));
    }

    #[test]
    fn signal_decrement() {
        let packet = decode(&dwords(&[10 | 47 << 25, 0x1008, 0, u32::MAX, u32::MAX, 0, 0, 0])).unwrap().0;
        let expected = Packet::Atomic { operation: 47, address: 0x1008, data: u64::MAX, compare: 0, repeat: false };
        assert_eq!(packet, expected);
    }

    /// The same fill as ROCr and as kfdtest write it.
    #[test]
    fn fills_of_whole_elements() {
        let bytes = |header: u32, count| match decode(&dwords(&[header, 64, 0, 7, count])).unwrap().0 {
            Packet::Fill { bytes, .. } => bytes,
            other => panic!("{other:?}"),
        };
        assert_eq!((bytes(11 | 2 << 30, 4 * (10 - 1)), bytes(11 | 2 << 30, 4 * 10 - 1)), (40, 40));
        assert_eq!((bytes(11 | 1 << 30, 2 * (10 - 1)), bytes(11 | 1 << 30, 2 * 10 - 1)), (20, 20));
        assert_eq!((bytes(11, 9), bytes(11, 0), bytes(11 | 2 << 30, 0x3f_ffff)), (10, 1, 1 << 22));
    }

    #[test]
    fn fields_that_are_not_served_are_refused() {
        let last = |at: usize, dword| {
            let mut d = [0; LONGEST];
            d[at] = dword;
            d
        };
        for (header, d) in [
            (1 | 1 << 16, last(2, 0)),
            (1 | 1 << 18, last(2, 0)),
            (1 | 1 << 27, last(2, 1 << 8)),
            (1, last(2, 1 << 16)),
            (1, last(2, 2 << 24)),
            (1 | 4 << 8 | 1 << 18, last(2, 0)),
            (1 | 4 << 8, last(12, 1 << 17)),
            (1 | 4 << 8, last(12, 1 << 24)),
            (1 | 4 << 8 | 5 << 29, last(12, 0)),
            (2 | 1 << 16, last(3, 0)),
            (2, last(3, 1 << 25)),
            (8, last(1, 0x1234)),
            (8 | 3 << 28, last(2, 0x8000_0000)),
            (8 | 1 << 26, last(2, 0x8000_0000)),
            (8 | 1 << 31 | 7 << 28, last(1, 0x1234)),
            (10 | 1 << 18 | 47 << 25, last(1, 0x1000)),
            (11 | 1 << 16, last(1, 0x1000)),
            (11 | 3 << 30, last(1, 0x1000)),
            (13, last(1, 0x1000)),
            (13 | 1 << 8, last(1, 0x1000)),
        ] {
            let mut d = d;
            d[0] = header;
            assert!(matches!(decode(&d), Err(Undecodable::Field { .. })), "{header:#x} {:?}", decode(&d));
        }
    }

    #[test]
    fn what_the_engine_does_not_have() {
        assert_eq!(decode(&dwords(&[17])), Err(Undecodable::Operation { op: 17, sub_op: 0 }));
        assert_eq!(decode(&dwords(&[0x101])), Err(Undecodable::Operation { op: 1, sub_op: 1 }));
        let unknown = (0..=255u32)
            .filter(|&op| decode(&dwords(&[op])) == Err(Undecodable::Operation { op: op as u8, sub_op: 0 }));
        assert_eq!(unknown.count(), 256 - 10, "ten operations");
    }

    /// Any dwords: refused, or a packet at least as long as what was read of it, whose addresses can be computed.
    #[test]
    fn random_packets() {
        let mut random = crate::hardware::random::Random::new(1);
        let mut next = || random.below(u64::MAX);
        let mut decoded = 0;
        for _ in 0..200_000 {
            let mut d: [u32; LONGEST] = std::array::from_fn(|_| next() as u32);
            // Mostly operations that exist, with few of their optional bits.
            d[0] = (next() % 14) as u32 | ((next() % 5) as u32) << 8 | (d[0] & d[1] & 0xffff_0000);
            match decode(&d) {
                Ok((packet, dwords)) => {
                    decoded += 1;
                    assert!(dwords as usize >= length(d[0]).expect("decoded"), "{packet:?}");
                    if let Packet::CopySubWindow(SubWindow { element, from, to, size }) = packet {
                        from.row(size[1], size[2], element);
                        to.row(size[1], size[2], element);
                    }
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        assert!(decoded > 20_000, "only {decoded}");
    }
}
