//! Parses the PM4 packets of a compute queue's ring or of an indirect buffer.
//!
//! Layouts: `soc15d.h` of Linux's amdgpu; for what differs on the compute engine (MEC) `pm4_pkt_struct_common.h` and
//! `pm4_pkt_struct_ai.h` of ROCr (libhsakmt/tests).

/// Dwords of a packet that [`decode`] reads: the length of the longest packet without trailing data.
pub const HEAD: usize = 9;

/// First of the persistent (`SH`) registers, and the one behind them (`PACKET3_SET_SH_REG_START`, `_END`).
const SH: [u32; 2] = [0x2c00, 0x3000];
/// First of the user configuration registers, and the one behind all that a packet can name.
const UCONFIG: [u32; 2] = [0xc000, 0x1_c000];
/// `CS_PARTIAL_FLUSH` of `VGT_EVENT_TYPE`.
const CS_PARTIAL_FLUSH: u32 = 7;

/// What `RELEASE_MEM` does to the L2.
const EOP_TC_WB_ACTION_EN: u32 = 1 << 15;
const EOP_TC_ACTION_EN: u32 = 1 << 17;

/// Actions of `ACQUIRE_MEM`: `PACKET3_ACQUIRE_MEM_CP_COHER_CNTL_TC_WB_ACTION_ENA` and so on.
pub mod coher_cntl {
    /// Write the L2 back.
    pub const TC_WB_ACTION_ENA: u32 = 1 << 18;
    /// Empty the vector L1s.
    pub const TCL1_ACTION_ENA: u32 = 1 << 22;
    /// Empty the L2.
    pub const TC_ACTION_ENA: u32 = 1 << 23;
    /// Empty the scalar L1s.
    pub const SH_KCACHE_ACTION_ENA: u32 = 1 << 27;
}

/// Where data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At this device address.
    Memory(u64),
    /// In the register of this number.
    Register(u32),
}

/// Where `COPY_DATA` takes its data from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Memory or a register.
    Place(Place),
    /// The packet itself.
    Immediate(u64),
    /// The constant clock.
    Clock,
}

/// The data of `RELEASE_MEM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// Nothing.
    None,
    /// 32 bits.
    Low(u32),
    /// 64 bits.
    Wide(u64),
    /// The constant clock, 64 bits.
    Clock,
}

/// The actions after all earlier dispatches have completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Where to write.
    pub to: u64,
    /// The data to write.
    pub data: Data,
    /// Raise an interrupt with this context id.
    pub interrupt: Option<u32>,
    /// Write the L2 back first.
    pub write_back: bool,
    /// And empty it.
    pub invalidate: bool,
}

/// A packet, with all that its fields mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Nothing to do.
    Nop,
    /// Cache maintenance: the bits of `CP_COHER_CNTL`.
    AcquireMem(u32),
    /// Go on with the packets of a buffer, and return, unless `chain`.
    IndirectBuffer {
        /// The device address.
        address: u64,
        /// How many dwords.
        dwords: u32,
        /// Never come back to where this packet is.
        chain: bool,
    },
    /// Store the dwords after the first two to registers from this one on.
    SetRegisters(u32),
    /// Run the kernel that the registers describe.
    Dispatch {
        /// Work-groups, or work-items, in x, y and z.
        size: [u32; 3],
        /// `COMPUTE_DISPATCH_INITIATOR`.
        initiator: u32,
    },
    /// The same with the size in memory.
    DispatchIndirect {
        /// Device address of the size.
        address: u64,
        /// `COMPUTE_DISPATCH_INITIATOR`.
        initiator: u32,
    },
    /// Signal the end of all earlier dispatches.
    ReleaseMem(Release),
    /// Wait for the end of all earlier dispatches.
    Flush,
    /// Store the dwords after the first four, all to one place if not `increment`.
    WriteData {
        /// Where to.
        to: Place,
        /// Each to the next dword.
        increment: bool,
    },
    /// Copy 32 or 64 bits.
    CopyData {
        /// Where from.
        from: Source,
        /// Where to.
        to: Place,
        /// 64 bits.
        wide: bool,
    },
    /// An atomic operation on memory, numbered as for SDMA.
    Atomic {
        /// The operation.
        operation: u8,
        /// Where.
        address: u64,
        /// Operand.
        data: u64,
        /// What a compare-and-swap compares with.
        compare: u64,
        /// Until the comparison holds.
        repeat: bool,
    },
    /// Skip the following dwords on other XCCs than these.
    Predicate {
        /// A bit for each, by its number in the partition.
        xccs: u32,
        /// How many.
        dwords: u32,
    },
    /// Wait until masked data compares with a value.
    Wait {
        /// Where the data is.
        place: Place,
        /// `WAIT_REG_MEM_FUNCTION`.
        function: u8,
        /// What to compare with.
        reference: u32,
        /// Which bits to compare.
        mask: u32,
        /// Store the reference to this register first.
        write: Option<u32>,
    },
    /// Copy, or fill with a dword.
    Dma {
        /// Device address, or the dword.
        from: Result<u64, u32>,
        /// Device address.
        to: u64,
        /// How much.
        bytes: u32,
    },
}

/// Why a packet cannot be processed.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Neither a filler nor a packet of type 3.
    #[error("{0:#010x} begins no PM4 packet of type 2 or 3")]
    Type(u32),
    /// An operation that is not there.
    #[error("PM4 packet {header:#010x} has opcode {opcode:#04x}, which is unknown here")]
    Opcode {
        /// The packet's first dword.
        header: u32,
        /// The opcode.
        opcode: u32,
    },
    /// A packet of the wrong length.
    #[error("PM4 {name} has {dwords} dwords, not as many as it needs")]
    Length {
        /// The name.
        name: &'static str,
        /// The length, as the header says.
        dwords: u32,
    },
    /// A field with a value that is not served.
    #[error("PM4 {name}: {field} {value:#x} is not served")]
    Field {
        /// The packet's name.
        name: &'static str,
        /// What the field is called.
        field: &'static str,
        /// The value.
        value: u32,
    },
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// An operation: its code, its name in `soc15d.h`, and how many dwords it has at least and at most.
struct Operation(u32, &'static str, u32, u32);

const ANY: u32 = u32::MAX;
const OPERATIONS: &[Operation] = &[
    Operation(0x10, "NOP", 1, ANY),
    Operation(0x15, "DISPATCH_DIRECT", 5, 5),
    Operation(0x16, "DISPATCH_INDIRECT", 4, 4),
    Operation(0x1e, "ATOMIC_MEM", 9, 9),
    Operation(0x23, "PRED_EXEC", 2, 2),
    Operation(0x37, "WRITE_DATA", 5, ANY),
    Operation(0x3c, "WAIT_REG_MEM", 7, 7),
    Operation(0x3f, "INDIRECT_BUFFER", 4, 4),
    Operation(0x40, "COPY_DATA", 6, 6),
    Operation(0x46, "EVENT_WRITE", 2, 4),
    Operation(0x49, "RELEASE_MEM", 8, 8),
    Operation(0x50, "DMA_DATA", 7, 7),
    Operation(0x58, "ACQUIRE_MEM", 7, 7),
    Operation(0x76, "SET_SH_REG", 3, ANY),
    Operation(0x79, "SET_UCONFIG_REG", 3, ANY),
];

fn operation(header: u32) -> Result<&'static Operation, Error> {
    let opcode = header >> 8 & 0xff;
    OPERATIONS.iter().find(|operation| operation.0 == opcode).ok_or(Error::Opcode { header, opcode })
}

/// The name of the packet that begins with `header`, for people.
pub fn name(header: u32) -> &'static str {
    if header >> 30 == 2 { "NOP" } else { operation(header).map_or("unknown", |operation| operation.1) }
}

/// How many dwords the packet has that begins with `header`.
///
/// # Errors
/// If it is unknown, or has a length that it cannot have.
pub fn length(header: u32) -> Result<u32, Error> {
    match header >> 30 {
        2 => return Ok(1),
        3 => {}
        _ => return Err(Error::Type(header)),
    }
    let Operation(_, name, least, most) = *operation(header)?;
    // The count is that of the dwords behind the header, less one; a NOP with the largest is the header alone.
    let count = header >> 16 & 0x3fff;
    let dwords = if name == "NOP" && count == 0x3fff { 1 } else { count + 2 };
    if dwords < least || dwords > most { Err(Error::Length { name, dwords }) } else { Ok(dwords) }
}

fn address(low: u32, high: u32) -> u64 {
    // As the hardware, without the low bits, and 48 bits wide.
    u64::from(low & !3) | u64::from(high & 0xffff) << 32
}

fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Decodes the packet that begins with `d`. Dwords after a shorter packet are ignored.
///
/// # Errors
/// If it is unknown, or asks for what is not served.
pub fn decode(d: &[u32; HEAD]) -> Result<Packet, Error> {
    let dwords = length(d[0])?;
    if d[0] >> 30 == 2 {
        return Ok(Packet::Nop);
    }
    let Operation(opcode, name, ..) = *operation(d[0])?;
    let refuse = |field, value| Error::Field { name, field, value };
    let registers = |[start, end]: [u32; 2]| {
        let first = start + (d[1] & 0xffff);
        if first + (dwords - 2) > end { Err(refuse("register offset", d[1] & 0xffff)) } else { Ok(first) }
    };
    Ok(match opcode {
        0x10 => Packet::Nop,
        0x15 => Packet::Dispatch { size: [d[1], d[2], d[3]], initiator: d[4] },
        0x16 => Packet::DispatchIndirect { address: address(d[1], d[2]), initiator: d[3] },
        0x1e => {
            let operation = d[1] & 0x7f;
            // Those that return nothing are numbered 64 higher.
            let plain = (operation & 0x3f) as u8;
            if !super::super::atomic::exists(plain) {
                return Err(refuse("atomic", operation));
            }
            let command = d[1] >> 8 & 15;
            if command > 1 {
                return Err(refuse("command", command));
            }
            Packet::Atomic {
                operation: plain,
                address: address(d[2], d[3]),
                data: wide(d[4], d[5]),
                compare: wide(d[6], d[7]),
                repeat: command == 1,
            }
        }
        // `PACKET3_PRED_EXEC__VIRTUAL_XCC_ID_SELECT` and `__EXEC_COUNT`.
        0x23 => Packet::Predicate { xccs: d[1] >> 24, dwords: d[1] & 0x3fff },
        0x37 => Packet::WriteData { to: destination(d, name, d[2], d[3])?, increment: d[1] & 1 << 16 == 0 },
        0x3c => {
            let (function, space, operation) = (d[1] & 7, d[1] >> 4 & 3, d[1] >> 6 & 3);
            if function == 7 {
                return Err(refuse("function", function));
            }
            let register = |dword: u32| dword & 0x3_ffff;
            let (place, write) = match (space, operation) {
                // The last is the one that lets other queues run meanwhile.
                (1, 0 | 3) => (Place::Memory(address(d[2], d[3])), None),
                (0, 0) => (Place::Register(register(d[2])), None),
                (0, 1) => (Place::Register(register(d[3])), Some(register(d[2]))),
                _ => return Err(refuse("memory space and operation", d[1] >> 4 & 15)),
            };
            Packet::Wait { place, function: function as u8, reference: d[4], mask: d[5], write }
        }
        0x3f => {
            Packet::IndirectBuffer { address: address(d[1], d[2]), dwords: d[3] & 0xf_ffff, chain: d[3] & 1 << 20 != 0 }
        }
        0x40 => {
            let from = match d[1] & 15 {
                0 => Source::Place(Place::Register(d[2] & 0x3_ffff)),
                1 | 2 => Source::Place(Place::Memory(address(d[2], d[3]))),
                5 => Source::Immediate(wide(d[2], d[3])),
                9 => Source::Clock,
                other => return Err(refuse("source", other)),
            };
            Packet::CopyData { from, to: destination(d, name, d[4], d[5])?, wide: d[1] & 1 << 16 != 0 }
        }
        0x46 => match (d[1] >> 8 & 15, d[1] & 0x3f) {
            (4, CS_PARTIAL_FLUSH) => Packet::Flush,
            // Of caches, or of the graphics pipeline.
            (0 | 4 | 7, _) => Packet::Nop,
            (index, _) => return Err(refuse("event index", index)),
        },
        0x49 => release(d, name)?,
        0x50 => {
            let (from, to) = (d[1] >> 29 & 3, d[1] >> 20 & 3);
            if !matches!(to, 0 | 3) {
                return Err(refuse("destination", to));
            }
            // Registers, and addresses that stay the same.
            let special = d[6] >> 26 & 15;
            if special != 0 {
                return Err(refuse("command", special));
            }
            let from = match from {
                0 | 3 => Ok(wide(d[2], d[3] & 0xffff)),
                2 => Err(d[2]),
                other => return Err(refuse("source", other)),
            };
            Packet::Dma { from, to: wide(d[4], d[5] & 0xffff), bytes: d[6] & 0x3ff_ffff }
        }
        0x58 => Packet::AcquireMem(d[1]),
        0x76 => Packet::SetRegisters(registers(SH)?),
        _ => Packet::SetRegisters(registers(UCONFIG)?),
    })
}

/// The place that bits 8 to 11 of the second dword and two more name.
fn destination(d: &[u32; HEAD], name: &'static str, low: u32, high: u32) -> Result<Place, Error> {
    match d[1] >> 8 & 15 {
        0 => Ok(Place::Register(low & 0x3_ffff)),
        2 | 5 => Ok(Place::Memory(address(low, high))),
        value => Err(Error::Field { name, field: "destination", value }),
    }
}

fn release(d: &[u32; HEAD], name: &'static str) -> Result<Packet, Error> {
    let refuse = |field, value| Error::Field { name, field, value };
    let (index, to, interrupt, data) = (d[1] >> 8 & 15, d[2] >> 16 & 3, d[2] >> 24 & 7, d[2] >> 29);
    if !matches!(index, 5 | 6) {
        return Err(refuse("event index", index));
    }
    if to > 1 {
        return Err(refuse("destination", to));
    }
    let interrupt = match interrupt {
        0 | 3 => None,
        1 | 2 | 4 => Some(d[7]),
        other => return Err(refuse("interrupt", other)),
    };
    let data = match data {
        0 => Data::None,
        1 => Data::Low(d[5]),
        2 => Data::Wide(wide(d[5], d[6])),
        3 => Data::Clock,
        other => return Err(refuse("data", other)),
    };
    let invalidate = d[1] & EOP_TC_ACTION_EN != 0;
    let write_back = d[1] & EOP_TC_WB_ACTION_EN != 0;
    Ok(Packet::ReleaseMem(Release { to: address(d[3], d[4]), data, interrupt, write_back, invalidate }))
}

/// Whether `value` compares so with `reference` (`WAIT_REG_MEM_FUNCTION`).
pub fn compares(function: u8, value: u32, reference: u32) -> bool {
    match function {
        0 => true,
        1 => value < reference,
        2 => value <= reference,
        3 => value == reference,
        4 => value != reference,
        5 => value >= reference,
        _ => value > reference,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(dwords: &[u32]) -> [u32; HEAD] {
        std::array::from_fn(|index| dwords.get(index).copied().unwrap_or(0))
    }

    #[test]
    fn packets_as_kfdtest_and_tinygrad_write_them() {
        let end = Release {
            to: 0x12_3456_7000,
            data: Data::Wide(0x2_0000_0001),
            interrupt: Some(7),
            write_back: true,
            invalidate: true,
        };
        let packet = [0xc006_4900, 0x2_8514, 2 << 29 | 2 << 24, 0x3456_7000, 0x12, 1, 2, 7];
        assert_eq!(decode(&head(&packet)), Ok(Packet::ReleaseMem(end)));
        let wait = Packet::Wait {
            place: Place::Memory(0x7f00_0000_1004),
            function: 3,
            reference: 0xdead_beef,
            mask: u32::MAX,
            write: None,
        };
        assert_eq!(decode(&head(&[0xc005_3c02, 0x13, 0x1004, 0x7f00, 0xdead_beef, u32::MAX, 4])), Ok(wait));
        let flush = Packet::Wait {
            place: Place::Register(0xe27),
            function: 5,
            reference: u32::MAX,
            mask: u32::MAX,
            write: Some(0xe26),
        };
        assert_eq!(decode(&head(&[0xc005_3c00, 0x45, 0xe26, 0xe27, u32::MAX, u32::MAX, 4])), Ok(flush));
        assert_eq!(decode(&head(&[0xc000_4602, 0x407])), Ok(Packet::Flush));
        assert_eq!(decode(&head(&[0xc006_7602, 0x204])), Ok(Packet::SetRegisters(0x2e04)));
        assert_eq!(length(0xffff_1000), Ok(1));
        assert_eq!(length(0x8000_0000), Ok(1));
    }

    #[test]
    fn what_is_not_served_is_named() {
        for (dwords, what) in [
            (&[0x0000_1000][..], "type 2 or 3"),
            (&[0xc000_2800, 0], "opcode 0x28"),
            (&[0xc006_5800, 0], "ACQUIRE_MEM has 8 dwords"),
            (&[0xc003_3700, 3 << 8, 0, 0, 0], "WRITE_DATA: destination 0x3"),
            (&[0xc004_4000, 6 | 5 << 8, 0, 0, 0, 0], "COPY_DATA: source 0x6"),
            (&[0xc007_1e00, 9, 0, 0, 0, 0, 0, 0, 0], "ATOMIC_MEM: atomic 0x9"),
            (&[0xc006_4900, 0x514, 4 << 29, 0, 0, 0, 0, 0], "RELEASE_MEM: data 0x4"),
            (&[0xc001_7600, 0x400, 0], "SET_SH_REG: register offset 0x400"),
            (&[0xc005_5000, 1 << 29, 0, 0, 0, 0, 4], "DMA_DATA: source 0x1"),
        ] {
            let text = format!("{:?}", decode(&head(dwords)).unwrap_err());
            assert!(text.contains(what), "{text}");
        }
    }

    /// Any dwords mean something, if only that they are not served.
    #[test]
    fn random_packets() {
        let mut random = crate::hardware::random::Random::new(3);
        let mut next = || random.below(u64::MAX) as u32;
        let mut names = std::collections::BTreeSet::new();
        for _ in 0..400_000 {
            let mut d: [u32; HEAD] = std::array::from_fn(|_| next());
            if next() % 8 != 0 {
                let Operation(opcode, _, least, most) = OPERATIONS[next() as usize % OPERATIONS.len()];
                let dwords = least + next() % (most.min(least + 8) - least + 1);
                d[0] = 3 << 30 | dwords.saturating_sub(2) << 16 | opcode << 8;
                // Mostly few optional bits.
                d[1] &= next() & next();
                d[2] &= next();
                d[6] &= 0x3ff_ffff;
            }
            match decode(&d) {
                Ok(packet) => {
                    names.insert(name(d[0]));
                    let place = match packet {
                        Packet::IndirectBuffer { address, .. }
                        | Packet::DispatchIndirect { address, .. }
                        | Packet::Atomic { address, .. } => Place::Memory(address),
                        Packet::WriteData { to, .. } | Packet::CopyData { to, .. } => to,
                        Packet::SetRegisters(first) => {
                            assert!(first + length(d[0]).unwrap() - 2 <= UCONFIG[1]);
                            continue;
                        }
                        _ => continue,
                    };
                    assert!(
                        matches!(place, Place::Register(_))
                            || matches!(place, Place::Memory(at) if at < 1 << 48 && at % 4 == 0)
                    );
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        assert_eq!(names.len(), OPERATIONS.len(), "{names:?}");
    }
}
