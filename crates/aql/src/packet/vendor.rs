//! AMD's vendor-specific packets: barrier-value and PM4-IB.

use core::fmt;

use super::packet;
use crate::{IndirectBuffer, PacketType, Signal};

/// `AmdFormat` of a barrier-value packet (`HSA_AMD_PACKET_TYPE_BARRIER_VALUE`).
pub(crate) const FORMAT_BARRIER_VALUE: u16 = 2;
/// `AmdFormat` of a PM4-IB packet (ROCr's `AMD_AQL_FORMAT_PM4_IB`).
pub(crate) const FORMAT_PM4_IB: u16 = 1;
/// PM4 type-3 header of INDIRECT_BUFFER (opcode 0x3f) with three dwords after it.
pub(crate) const PM4_INDIRECT_BUFFER: u32 = 3 << 30 | 2 << 16 | 0x3f << 8;
/// IB_VALID in the last dword of INDIRECT_BUFFER.
pub(crate) const IB_VALID: u32 = 1 << 23;
/// What `dw_cnt_remain` must be: dwords of the packet that follow it.
pub(crate) const PM4_IB_DWORDS_REMAIN: u32 = 10;

/// How a barrier-value packet compares (`hsa_signal_condition_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Condition {
    /// Equal.
    Eq = 0,
    /// Not equal.
    Ne = 1,
    /// Less than, signed.
    Lt = 2,
    /// Greater than or equal, signed.
    Gte = 3,
}

impl Condition {
    pub(crate) const fn from_bits(bits: u32) -> Option<Condition> {
        Some(match bits {
            0 => Condition::Eq,
            1 => Condition::Ne,
            2 => Condition::Lt,
            3 => Condition::Gte,
            _ => return None,
        })
    }
}

/// Barrier-value packet (`hsa_amd_barrier_value_packet_t`): waits until `(value of signal & mask) condition value`.
#[must_use = "a packet does nothing before it is submitted"]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct BarrierValue {
    header: u16,
    /// Format in bits 7:0, reserved above.
    amd_format: u16,
    reserved0: u32,
    signal: u64,
    value: i64,
    mask: i64,
    cond: u32,
    reserved1: u32,
    reserved2: u64,
    reserved3: u64,
    completion_signal: u64,
}

impl BarrierValue {
    /// Waits for `signal condition value`, all bits compared.
    pub const fn new(signal: Signal, condition: Condition, value: i64) -> BarrierValue {
        BarrierValue {
            header: PacketType::VendorSpecific as u16,
            amd_format: FORMAT_BARRIER_VALUE,
            reserved0: 0,
            signal: signal.get(),
            value,
            mask: -1,
            cond: condition as u32,
            reserved1: 0,
            reserved2: 0,
            reserved3: 0,
            completion_signal: 0,
        }
    }

    /// Compares only the bits set in `mask`.
    pub const fn with_mask(mut self, mask: i64) -> Self {
        self.mask = mask;
        self
    }

    /// Handle of the signal that is compared.
    pub const fn signal(&self) -> u64 {
        self.signal
    }

    /// The comparison; a decoded or built packet always has one.
    pub const fn condition(&self) -> Condition {
        match Condition::from_bits(self.cond) {
            Some(condition) => condition,
            None => Condition::Eq,
        }
    }

    /// The value compared with.
    pub const fn value(&self) -> i64 {
        self.value
    }

    /// The bits compared.
    pub const fn mask(&self) -> i64 {
        self.mask
    }
}

packet!(BarrierValue: VendorSpecific {
    header @ 0, amd_format @ 2, reserved0 @ 4, signal @ 8, value @ 16, mask @ 24, cond @ 32, reserved1 @ 36,
    reserved2 @ 40, reserved3 @ 48, completion_signal @ 56,
});

/// A size that an indirect buffer cannot have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IndirectBufferError {
    /// The size asked for, in dwords.
    pub dwords: u32,
}

impl fmt::Display for IndirectBufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an indirect buffer has 1 to {} dwords, not {}", Pm4Ib::MAX_DWORDS, self.dwords)
    }
}

impl core::error::Error for IndirectBufferError {}

crate::debug_is_display!(IndirectBufferError);

/// PM4-IB packet: runs PM4 commands from memory in an AQL queue, as ROCr does to invalidate caches.
///
/// gfx9's command processor knows it; its completion signal must be polled where the queue cannot decrement it.
#[must_use = "a packet does nothing before it is submitted"]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct Pm4Ib {
    header: u16,
    amd_format: u16,
    /// PM4 INDIRECT_BUFFER: header, address low, address high, size and IB_VALID.
    ib_jump_cmd: [u32; 4],
    dw_cnt_remain: u32,
    reserved: [u32; 8],
    completion_signal: u64,
}

impl Pm4Ib {
    /// Largest size: IB_SIZE has 20 bits.
    pub const MAX_DWORDS: u32 = (1 << 20) - 1;

    /// Runs the `dwords` dwords at `commands`.
    ///
    /// # Errors
    /// When `dwords` is 0 or above [`MAX_DWORDS`](Pm4Ib::MAX_DWORDS).
    pub const fn new(commands: IndirectBuffer, dwords: u32) -> Result<Pm4Ib, IndirectBufferError> {
        if dwords == 0 || dwords > Pm4Ib::MAX_DWORDS {
            return Err(IndirectBufferError { dwords });
        }
        let address = commands.get();
        Ok(Pm4Ib {
            header: PacketType::VendorSpecific as u16,
            amd_format: FORMAT_PM4_IB,
            ib_jump_cmd: [PM4_INDIRECT_BUFFER, address as u32, (address >> 32) as u32, dwords | IB_VALID],
            dw_cnt_remain: PM4_IB_DWORDS_REMAIN,
            reserved: [0; 8],
            completion_signal: 0,
        })
    }

    /// Address of the commands.
    pub const fn commands(&self) -> u64 {
        self.ib_jump_cmd[1] as u64 | (self.ib_jump_cmd[2] as u64) << 32
    }

    /// Their size in dwords.
    pub const fn dwords(&self) -> u32 {
        self.ib_jump_cmd[3] & Pm4Ib::MAX_DWORDS
    }
}

packet!(Pm4Ib: VendorSpecific {
    header @ 0, amd_format @ 2, ib_jump_cmd @ 4, dw_cnt_remain @ 20, reserved @ 24, completion_signal @ 56,
});
