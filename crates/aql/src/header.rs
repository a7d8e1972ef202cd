//! The 16-bit header at the beginning of every packet.

/// Bit of the header that makes a packet wait for all earlier packets of its queue
/// (`HSA_PACKET_HEADER_BARRIER`).
const BARRIER: u16 = 1 << 8;
/// First bit of the acquire scope (`HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE`).
const ACQUIRE_SHIFT: u32 = 9;
/// First bit of the release scope (`HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE`).
const RELEASE_SHIFT: u32 = 11;
/// Bits of the header that HSA 1.2 gives a meaning to.
const DEFINED: u16 = 0x1fff;

/// Packet types as `hsa_packet_type_t` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PacketType {
    /// `HSA_PACKET_TYPE_VENDOR_SPECIFIC`: on AMD, the byte after the header tells the format.
    VendorSpecific = 0,
    /// `HSA_PACKET_TYPE_INVALID`: an empty slot. The packet processor stops in front of it.
    Invalid = 1,
    /// `HSA_PACKET_TYPE_KERNEL_DISPATCH`.
    KernelDispatch = 2,
    /// `HSA_PACKET_TYPE_BARRIER_AND`.
    BarrierAnd = 3,
    /// `HSA_PACKET_TYPE_AGENT_DISPATCH`: processed by host agents, not by GPUs.
    AgentDispatch = 4,
    /// `HSA_PACKET_TYPE_BARRIER_OR`.
    BarrierOr = 5,
}

impl PacketType {
    /// The type with this number, if HSA defines one.
    pub const fn from_bits(bits: u8) -> Option<PacketType> {
        Some(match bits {
            0 => PacketType::VendorSpecific,
            1 => PacketType::Invalid,
            2 => PacketType::KernelDispatch,
            3 => PacketType::BarrierAnd,
            4 => PacketType::AgentDispatch,
            5 => PacketType::BarrierOr,
            _ => return None,
        })
    }
}

/// How far a memory fence of a packet reaches (`hsa_fence_scope_t`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Scope {
    /// `HSA_FENCE_SCOPE_NONE`: no fence.
    #[default]
    None = 0,
    /// `HSA_FENCE_SCOPE_AGENT`: the caches of this GPU. Enough between kernels of one GPU on its own memory.
    Agent = 1,
    /// `HSA_FENCE_SCOPE_SYSTEM`: also the host and the other GPUs.
    System = 2,
}

impl Scope {
    const fn from_bits(bits: u16) -> Option<Scope> {
        Some(match bits & 3 {
            0 => Scope::None,
            1 => Scope::Agent,
            2 => Scope::System,
            _ => return None,
        })
    }
}

/// The fields of a header apart from the packet's type.
///
/// ```
/// use aql::{Control, PacketType, Scope};
/// let control = Control { barrier: true, acquire: Scope::System, release: Scope::System };
/// assert_eq!(control.header(PacketType::KernelDispatch), 0x1502);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Control {
    /// Wait for all earlier packets of the queue before this one is launched.
    pub barrier: bool,
    /// Fence before the packet's work: what others wrote becomes visible to it.
    pub acquire: Scope,
    /// Fence after the packet's work, which makes its writes visible to others.
    pub release: Scope,
}

impl Control {
    /// Barrier bit and system scope on both sides: always correct, never the fastest.
    pub const SYSTEM: Control = Control { barrier: true, acquire: Scope::System, release: Scope::System };

    /// The header of a packet of type `packet`.
    pub const fn header(self, packet: PacketType) -> u16 {
        packet as u16
            | if self.barrier { BARRIER } else { 0 }
            | (self.acquire as u16) << ACQUIRE_SHIFT
            | (self.release as u16) << RELEASE_SHIFT
    }

    /// Whether `header` has the barrier bit if this does, and fences that reach as far as these or further.
    #[inline]
    pub(crate) const fn is_met_by(self, header: u16) -> bool {
        (header & BARRIER != 0 || !self.barrier)
            && (header >> ACQUIRE_SHIFT & 3) >= self.acquire as u16
            && (header >> RELEASE_SHIFT & 3) >= self.release as u16
    }

    /// The control bits of `header`, or the name of the part that HSA does not define.
    pub(crate) const fn from_header(header: u16) -> Result<Control, (&'static str, u16)> {
        if header & !DEFINED != 0 {
            return Err(("header reserved bits 15:13", header >> 13));
        }
        let acquire = match Scope::from_bits(header >> ACQUIRE_SHIFT) {
            Some(scope) => scope,
            None => return Err(("header acquire fence scope", 3)),
        };
        let release = match Scope::from_bits(header >> RELEASE_SHIFT) {
            Some(scope) => scope,
            None => return Err(("header release fence scope", 3)),
        };
        Ok(Control { barrier: header & BARRIER != 0, acquire, release })
    }
}
