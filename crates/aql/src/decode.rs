//! From 64 bytes back to a typed packet.

use core::fmt;

use crate::packet::{
    AgentDispatch, BarrierAnd, BarrierOr, BarrierValue, Condition, Geometry, GeometryError, KernelDispatch,
    PACKET_BYTES, Packet, Pm4Ib,
};
use crate::{AddressError, Control, IndirectBuffer, Kernarg, KernelObject, PacketType, Signal};

/// A packet with its type known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decoded {
    /// Type 2.
    KernelDispatch(KernelDispatch),
    /// Type 3.
    BarrierAnd(BarrierAnd),
    /// Type 4.
    AgentDispatch(AgentDispatch),
    /// Type 5.
    BarrierOr(BarrierOr),
    /// Type 0, AMD format 2.
    BarrierValue(BarrierValue),
    /// Type 0, AMD format 1.
    Pm4Ib(Pm4Ib),
}

/// Bytes that are no valid packet: which field, what it holds, and what it must be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DecodeError {
    /// Name of the field in AMD's and HSA's headers.
    pub field: &'static str,
    /// What it holds.
    pub value: u64,
    /// What it must be.
    pub expected: &'static str,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {:#x}, must be {}", self.field, self.value, self.expected)
    }
}

impl core::error::Error for DecodeError {}

crate::debug_is_display!(DecodeError);

/// The bytes of one packet, read field by field.
struct Bytes<'a>(&'a [u8; PACKET_BYTES]);

impl Bytes<'_> {
    // The offsets below are constants within the 64 bytes.
    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }
    fn u32(&self, at: usize) -> u32 {
        u32::from(self.u16(at)) | u32::from(self.u16(at + 2)) << 16
    }
    fn u64(&self, at: usize) -> u64 {
        u64::from(self.u32(at)) | u64::from(self.u32(at + 4)) << 32
    }
    fn zero16(&self, at: usize, field: &'static str) -> Result<(), DecodeError> {
        require(self.u16(at) == 0, field, self.u16(at).into(), "0")
    }
    fn zero32(&self, at: usize, field: &'static str) -> Result<(), DecodeError> {
        require(self.u32(at) == 0, field, self.u32(at).into(), "0")
    }
    fn zero64(&self, at: usize, field: &'static str) -> Result<(), DecodeError> {
        require(self.u64(at) == 0, field, self.u64(at), "0")
    }
    fn signal(&self, at: usize, field: &'static str) -> Result<Option<Signal>, DecodeError> {
        let value = self.u64(at);
        optional(value, Signal::new).map_err(|_| DecodeError {
            field,
            value,
            expected: "a signal: 0 or aligned to 64 bytes",
        })
    }
}

/// `None` for a null address.
fn optional<T>(address: u64, new: fn(u64) -> Result<T, AddressError>) -> Result<Option<T>, AddressError> {
    if address == 0 { Ok(None) } else { new(address).map(Some) }
}

fn require(holds: bool, field: &'static str, value: u64, expected: &'static str) -> Result<(), DecodeError> {
    if holds { Ok(()) } else { Err(DecodeError { field, value, expected }) }
}

impl Packet {
    /// Checks 64 bytes, for instance of somebody else's queue. Fields are little-endian; what they point to is not
    /// looked at.
    ///
    /// # Errors
    /// Names the first field that HSA or AMD's packet formats do not allow. An `INVALID` slot is an error too: it holds
    /// no packet.
    pub fn from_bytes(bytes: &[u8; PACKET_BYTES]) -> Result<Packet, DecodeError> {
        Decoded::from_bytes(bytes).map(Packet::from)
    }

    /// The packet with its type known.
    ///
    /// # Errors
    /// Never for a packet that was built by this crate.
    pub fn decode(&self) -> Result<Decoded, DecodeError> {
        Decoded::from_bytes(&self.to_bytes())
    }
}

impl From<Decoded> for Packet {
    fn from(decoded: Decoded) -> Packet {
        match decoded {
            Decoded::KernelDispatch(packet) => packet.into(),
            Decoded::BarrierAnd(packet) => packet.into(),
            Decoded::AgentDispatch(packet) => packet.into(),
            Decoded::BarrierOr(packet) => packet.into(),
            Decoded::BarrierValue(packet) => packet.into(),
            Decoded::Pm4Ib(packet) => packet.into(),
        }
    }
}

impl Decoded {
    /// Reads a packet.
    ///
    /// # Errors
    /// See [`Packet::from_bytes`].
    pub fn from_bytes(bytes: &[u8; PACKET_BYTES]) -> Result<Decoded, DecodeError> {
        let bytes = Bytes(bytes);
        let header = bytes.u16(0);
        let packet_type = PacketType::from_bits(header as u8).ok_or(DecodeError {
            field: "header type",
            value: u64::from(header & 0xff),
            expected: "0 (vendor specific) to 5 (barrier-OR)",
        })?;
        let control = Control::from_header(header).map_err(|(field, value)| DecodeError {
            field,
            value: value.into(),
            expected: "0 (none), 1 (agent) or 2 (system) for a scope, 0 for reserved bits",
        })?;
        match packet_type {
            PacketType::KernelDispatch => kernel_dispatch(&bytes, control).map(Decoded::KernelDispatch),
            PacketType::AgentDispatch => agent_dispatch(&bytes, control).map(Decoded::AgentDispatch),
            PacketType::BarrierAnd => {
                let (dependencies, completion, reserved2) = barrier(&bytes)?;
                let packet = BarrierAnd::new(dependencies).with_control(control).with_reserved2(reserved2);
                Ok(Decoded::BarrierAnd(completion.map_or(packet, |signal| packet.with_completion(signal))))
            }
            PacketType::BarrierOr => {
                let (dependencies, completion, reserved2) = barrier(&bytes)?;
                let packet = BarrierOr::new(dependencies).with_control(control).with_reserved2(reserved2);
                Ok(Decoded::BarrierOr(completion.map_or(packet, |signal| packet.with_completion(signal))))
            }
            PacketType::VendorSpecific => match bytes.u16(2) {
                crate::packet::FORMAT_BARRIER_VALUE => barrier_value(&bytes, control).map(Decoded::BarrierValue),
                crate::packet::FORMAT_PM4_IB => pm4_ib(&bytes, control).map(Decoded::Pm4Ib),
                value => Err(DecodeError {
                    field: "AmdFormat",
                    value: value.into(),
                    expected: "1 (PM4-IB) or 2 (barrier-value)",
                }),
            },
            PacketType::Invalid => {
                Err(DecodeError { field: "header type", value: 1, expected: "a packet (1 marks an empty slot)" })
            }
        }
    }
}

fn kernel_dispatch(bytes: &Bytes, control: Control) -> Result<KernelDispatch, DecodeError> {
    let setup = bytes.u16(2);
    let grid = [bytes.u32(12), bytes.u32(16), bytes.u32(20)];
    let workgroup = [bytes.u16(4), bytes.u16(6), bytes.u16(8)];
    let unused = |dimension: usize, field_grid: &'static str, field_workgroup: &'static str| {
        require(grid[dimension] == 1, field_grid, grid[dimension].into(), "1 in an unused dimension")?;
        require(workgroup[dimension] == 1, field_workgroup, workgroup[dimension].into(), "1 in an unused dimension")
    };
    require((1..=3).contains(&setup), "setup", setup.into(), "1, 2 or 3 dimensions, with all other bits 0")?;
    if setup < 2 {
        unused(1, "grid_size_y", "workgroup_size_y")?;
    }
    if setup < 3 {
        unused(2, "grid_size_z", "workgroup_size_z")?;
    }
    let geometry = match setup {
        1 => Geometry::one(grid[0], workgroup[0]),
        2 => Geometry::two([grid[0], grid[1]], [workgroup[0], workgroup[1]]),
        _ => Geometry::three(grid, workgroup),
    }
    .map_err(|error| geometry_field(error, &grid, &workgroup))?;
    bytes.zero16(10, "reserved0")?;
    let kernel = KernelObject::new(bytes.u64(32)).map_err(|error| DecodeError {
        field: "kernel_object",
        value: error.address,
        expected: "the address of a kernel descriptor, aligned to 64 bytes",
    })?;
    let kernarg = optional(bytes.u64(40), Kernarg::new).map_err(|error| DecodeError {
        field: "kernarg_address",
        value: error.address,
        expected: "0 or aligned to 16 bytes",
    })?;
    let mut packet = KernelDispatch::new(kernel, geometry)
        .with_control(control)
        .with_private_segment(bytes.u32(24))
        .with_group_segment(bytes.u32(28))
        .with_reserved2(bytes.u64(48));
    if let Some(kernarg) = kernarg {
        packet = packet.with_kernarg(kernarg);
    }
    if let Some(signal) = bytes.signal(56, "completion_signal")? {
        packet = packet.with_completion(signal);
    }
    Ok(packet)
}

fn geometry_field(error: GeometryError, grid: &[u32; 3], workgroup: &[u16; 3]) -> DecodeError {
    const GRID: [&str; 3] = ["grid_size_x", "grid_size_y", "grid_size_z"];
    const WORKGROUP: [&str; 3] = ["workgroup_size_x", "workgroup_size_y", "workgroup_size_z"];
    match error {
        GeometryError::Zero { dimension } if workgroup[dimension] == 0 => {
            DecodeError { field: WORKGROUP[dimension], value: 0, expected: "above 0" }
        }
        GeometryError::Zero { dimension } | GeometryError::GridBelowWorkgroup { dimension, .. } => DecodeError {
            field: GRID[dimension],
            value: grid[dimension].into(),
            expected: "above 0 and not below the work-group's size",
        },
        GeometryError::GridTooLarge { dimension, items } => {
            DecodeError { field: GRID[dimension], value: items, expected: "at most 2^32 - 1 work-items" }
        }
        GeometryError::WorkgroupTooLarge { items } => {
            DecodeError { field: "workgroup_size", value: items, expected: "at most 1024 work-items" }
        }
    }
}

type Barrier = ([Option<Signal>; 5], Option<Signal>, u64);

fn barrier(bytes: &Bytes) -> Result<Barrier, DecodeError> {
    bytes.zero16(2, "reserved0")?;
    bytes.zero32(4, "reserved1")?;
    let mut dependencies = [None; 5];
    for (i, dependency) in dependencies.iter_mut().enumerate() {
        *dependency = bytes.signal(8 + 8 * i, "dep_signal")?;
    }
    Ok((dependencies, bytes.signal(56, "completion_signal")?, bytes.u64(48)))
}

fn agent_dispatch(bytes: &Bytes, control: Control) -> Result<AgentDispatch, DecodeError> {
    bytes.zero32(4, "reserved0")?;
    bytes.zero64(48, "reserved2")?;
    let arg = [bytes.u64(16), bytes.u64(24), bytes.u64(32), bytes.u64(40)];
    let packet = AgentDispatch::new(bytes.u16(2), arg).with_control(control).with_return_address(bytes.u64(8));
    Ok(bytes.signal(56, "completion_signal")?.map_or(packet, |signal| packet.with_completion(signal)))
}

fn barrier_value(bytes: &Bytes, control: Control) -> Result<BarrierValue, DecodeError> {
    bytes.zero32(4, "reserved0")?;
    let signal = bytes.signal(8, "signal")?.ok_or(DecodeError { field: "signal", value: 0, expected: "a signal" })?;
    let cond = bytes.u32(32);
    let condition = Condition::from_bits(cond).ok_or(DecodeError {
        field: "cond",
        value: cond.into(),
        expected: "0 (eq), 1 (ne), 2 (lt) or 3 (gte)",
    })?;
    bytes.zero32(36, "reserved1")?;
    bytes.zero64(40, "reserved2")?;
    bytes.zero64(48, "reserved3")?;
    let packet = BarrierValue::new(signal, condition, bytes.u64(16) as i64)
        .with_mask(bytes.u64(24) as i64)
        .with_control(control);
    Ok(bytes.signal(56, "completion_signal")?.map_or(packet, |signal| packet.with_completion(signal)))
}

fn pm4_ib(bytes: &Bytes, control: Control) -> Result<Pm4Ib, DecodeError> {
    use crate::packet::{IB_VALID, PM4_IB_DWORDS_REMAIN, PM4_INDIRECT_BUFFER};
    let command = bytes.u32(4);
    require(command == PM4_INDIRECT_BUFFER, "ib_jump_cmd[0]", command.into(), "PM4 INDIRECT_BUFFER, 0xc0023f00")?;
    let address = u64::from(bytes.u32(8)) | u64::from(bytes.u32(12)) << 32;
    let commands = IndirectBuffer::new(address).map_err(|_| DecodeError {
        field: "ib_jump_cmd address",
        value: address,
        expected: "not null and aligned to 4 bytes",
    })?;
    let control_word = bytes.u32(16);
    let size_error = DecodeError {
        field: "ib_jump_cmd[3]",
        value: control_word.into(),
        expected: "1 to 0xfffff dwords with IB_VALID and no other bit",
    };
    if control_word & !Pm4Ib::MAX_DWORDS != IB_VALID {
        return Err(size_error);
    }
    let packet = Pm4Ib::new(commands, control_word & Pm4Ib::MAX_DWORDS).map_err(|_| size_error)?.with_control(control);
    let remain = bytes.u32(20);
    require(remain == PM4_IB_DWORDS_REMAIN, "dw_cnt_remain", remain.into(), "10")?;
    for at in (24..56).step_by(4) {
        bytes.zero32(at, "reserved")?;
    }
    Ok(bytes.signal(56, "completion_signal")?.map_or(packet, |signal| packet.with_completion(signal)))
}

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.decode() {
            Ok(decoded) => decoded.fmt(f),
            Err(error) => fmt::Debug::fmt(&error, f),
        }
    }
}
