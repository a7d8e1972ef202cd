//! Parses the AQL packets in a compute queue's ring.
//!
//! Layouts: HSA Platform System Architecture 1.2 section 2.9, `hsa.h`, and AMD's vendor packets in `hsa_ext_amd.h`.

use crate::queue_error;

/// Bytes of a packet.
pub const PACKET_BYTES: u64 = 64;
/// `HSA_PACKET_TYPE_INVALID` as a whole header.
pub const INVALID: u16 = 1;

/// How far a fence of a packet reaches (`hsa_fence_scope_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// There is none.
    None,
    /// The waves of this GPU.
    Agent,
    /// The host and other agents too.
    System,
}

impl Scope {
    /// What the lowest two bits of `bits` mean. 3 is reserved.
    fn of(bits: u8) -> Scope {
        match bits & 3 {
            0 => Scope::None,
            1 => Scope::Agent,
            _ => Scope::System,
        }
    }
}

/// A packet, with all that its type means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Wait for all earlier packets of the queue.
    pub barrier: bool,
    /// Scope of the acquire fence before the packet's work.
    pub acquire: Scope,
    /// Scope of the release fence after the packet's work.
    pub release: Scope,
    /// Device address of the `amd_signal_t` to decrement when it is complete, or 0.
    pub completion: u64,
    /// The work.
    pub body: Body,
}

/// The work of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Run a kernel: the packet's bytes.
    Dispatch([u8; 64]),
    /// Wait until all signals are 0. Null signals count as 0.
    BarrierAnd([u64; 5]),
    /// Wait until one signal is 0. Null signals do not count; with none at all there is nothing to wait for.
    BarrierOr([u64; 5]),
    /// Wait until the signal's value, masked, compares with a value.
    BarrierValue {
        /// Device address of the `amd_signal_t`, or 0 for nothing to wait for.
        signal: u64,
        /// What to compare with.
        value: i64,
        /// Which bits to compare.
        mask: i64,
        /// How to compare.
        condition: Condition,
    },
    /// Run PM4 packets.
    IndirectBuffer {
        /// Their device address.
        address: u64,
        /// How many dwords.
        dwords: u32,
    },
    /// Nothing that this queue can process: it stops with this error.
    Unsupported(u64),
}

/// `hsa_signal_condition_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Condition {
    Eq,
    Ne,
    Lt,
    Gte,
}

impl Condition {
    /// The name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Condition::Eq => "eq",
            Condition::Ne => "ne",
            Condition::Lt => "lt",
            Condition::Gte => "gte",
        }
    }

    /// Whether `left` compares so with `right`.
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Condition::Eq => left == right,
            Condition::Ne => left != right,
            Condition::Lt => left < right,
            Condition::Gte => left >= right,
        }
    }
}

/// The little-endian dword at byte `at`.
pub fn u32_at(bytes: &[u8; 64], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The little-endian quadword at byte `at`.
pub fn u64_at(bytes: &[u8; 64], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

impl Packet {
    /// The packet's type is `HSA_PACKET_TYPE_INVALID`: the slot is empty.
    pub fn is_empty_slot(header: u32) -> bool {
        header & 0xff == u32::from(INVALID)
    }

    /// Parses the bytes of a slot.
    pub fn parse(bytes: &[u8; 64]) -> Packet {
        let signals = || std::array::from_fn(|i| u64_at(bytes, 8 + 8 * i));
        let body = match bytes[0] {
            0 => vendor(bytes),
            2 => Body::Dispatch(*bytes),
            3 => Body::BarrierAnd(signals()),
            5 => Body::BarrierOr(signals()),
            // Agent dispatch (4) is for queues that the host serves.
            _ => Body::Unsupported(queue_error::INVALID_PACKET),
        };
        let (acquire, release) = (Scope::of(bytes[1] >> 1), Scope::of(bytes[1] >> 3));
        Packet { barrier: bytes[1] & 1 != 0, acquire, release, completion: u64_at(bytes, 56), body }
    }

    /// The type, for people.
    pub fn name(&self) -> &'static str {
        match self.body {
            Body::Dispatch(_) => "kernel_dispatch",
            Body::BarrierAnd(_) => "barrier_and",
            Body::BarrierOr(_) => "barrier_or",
            Body::BarrierValue { .. } => "barrier_value",
            Body::IndirectBuffer { .. } => "pm4_ib",
            Body::Unsupported(_) => "unsupported",
        }
    }
}

/// AMD's packets of type `HSA_PACKET_TYPE_VENDOR_SPECIFIC`, told apart by the byte behind the header.
fn vendor(bytes: &[u8; 64]) -> Body {
    /// PM4 `INDIRECT_BUFFER` with three dwords behind it.
    const INDIRECT_BUFFER: u32 = 0xc002_3f00;
    match bytes[2] {
        1 if u32_at(bytes, 4) == INDIRECT_BUFFER => {
            Body::IndirectBuffer { address: u64_at(bytes, 8) & 0xffff_ffff_fffc, dwords: u32_at(bytes, 16) & 0xf_ffff }
        }
        2 => {
            let condition = match u32_at(bytes, 32) {
                0 => Condition::Eq,
                1 => Condition::Ne,
                2 => Condition::Lt,
                3 => Condition::Gte,
                _ => return Body::Unsupported(queue_error::INVALID_VENDOR_PACKET),
            };
            let value = u64_at(bytes, 16) as i64;
            Body::BarrierValue { signal: u64_at(bytes, 8), value, mask: u64_at(bytes, 24) as i64, condition }
        }
        _ => Body::Unsupported(queue_error::INVALID_VENDOR_PACKET),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(words: &[(usize, u64)]) -> [u8; 64] {
        let mut bytes = [0; 64];
        for (at, value) in words {
            bytes[*at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn barrier_and_has_five_signals() {
        let packet = Packet::parse(&with(&[(0, 0x1503), (8, 1), (16, 2), (24, 3), (32, 4), (40, 5), (56, 6)]));
        let body = Body::BarrierAnd([1, 2, 3, 4, 5]);
        let system = Scope::System;
        assert_eq!(packet, Packet { barrier: true, acquire: system, release: system, completion: 6, body });
        let (none, agent) = (Scope::None, Scope::Agent);
        for (header, scopes) in
            [(0x0a03, (agent, agent)), (0x0c03, (system, agent)), (0x1203, (agent, system)), (0x0103, (none, none))]
        {
            let packet = Packet::parse(&with(&[(0, header)]));
            assert_eq!((packet.acquire, packet.release), scopes, "{header:#x}");
        }
    }

    #[test]
    fn indirect_buffer_as_rocr_writes_it() {
        let packet =
            Packet::parse(&with(&[(0, 0xc002_3f00_0001_1500), (8, 0x7f00_1234_5000), (16, 0x0000_000a_0080_0007)]));
        assert_eq!(packet.body, Body::IndirectBuffer { address: 0x7f00_1234_5000, dwords: 7 });
        assert!(packet.barrier);
    }

    #[test]
    fn barrier_value() {
        let packet = Packet::parse(&with(&[(0, 0x0002_0000), (8, 64), (16, 7), (24, 0xff), (32, 3)]));
        let body = Body::BarrierValue { signal: 64, value: 7, mask: 0xff, condition: Condition::Gte };
        assert_eq!(packet.body, body);
    }

    #[test]
    fn what_no_queue_processes() {
        assert_eq!(Packet::parse(&with(&[(0, 4)])).body, Body::Unsupported(queue_error::INVALID_PACKET));
        assert_eq!(Packet::parse(&with(&[(0, 0x77)])).body, Body::Unsupported(queue_error::INVALID_PACKET));
        assert_eq!(
            Packet::parse(&with(&[(0, 0x0009_0000)])).body,
            Body::Unsupported(queue_error::INVALID_VENDOR_PACKET)
        );
    }

    /// Any 64 bytes mean something, if only that they are not supported; addresses of what is run are valid ones.
    #[test]
    fn random_packets() {
        let mut random = crate::hardware::random::Random::new(2);
        let mut next = || random.below(u64::MAX);
        let mut names = std::collections::BTreeSet::new();
        for _ in 0..200_000 {
            let mut bytes = [0; 64];
            bytes.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&next().to_le_bytes()));
            bytes[0] %= 7;
            if next() % 4 == 0 {
                bytes[2] %= 3;
                bytes[4..8].copy_from_slice(&0xc002_3f00u32.to_le_bytes());
                bytes[33..36].fill(0);
                bytes[32] %= 5;
            }
            let packet = Packet::parse(&bytes);
            names.insert(packet.name());
            if let Body::IndirectBuffer { address, dwords } = packet.body {
                assert!(address < 1 << 48 && address % 4 == 0 && dwords < 1 << 20);
            }
        }
        assert_eq!(names.len(), 6, "{names:?}");
    }
}
