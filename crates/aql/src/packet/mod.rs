//! The 64-byte packets, one type for each format.
//!
//! A value of a packet type is always well-formed: fields are private, constructors check. So submitting cannot fail on
//! a packet's content. A device may still refuse a packet: an agent dispatch in a GPU's queue, more LDS than it has, a
//! kernel object that is none.

use crate::{Control, PacketType, Signal};

mod agent;
mod barrier;
mod dispatch;
mod vendor;

pub use agent::AgentDispatch;
pub use barrier::{BarrierAnd, BarrierOr};
pub use dispatch::{Geometry, GeometryError, KernelDispatch, MAX_WORKGROUP_ITEMS};
pub use vendor::{BarrierValue, Condition, IndirectBufferError, Pm4Ib};
pub(crate) use vendor::{FORMAT_BARRIER_VALUE, FORMAT_PM4_IB, IB_VALID, PM4_IB_DWORDS_REMAIN, PM4_INDIRECT_BUFFER};

/// Bytes in a packet.
pub const PACKET_BYTES: usize = 64;

/// A valid packet of any type, ready to be submitted.
///
/// Made from one of the typed packets; [`decode`](Packet::decode) gives the type back.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct Packet {
    /// Header in bits 15:0; bits 31:16 are the setup (kernel dispatch), the type (agent dispatch) or the AMD format.
    pub(crate) head: u32,
    pub(crate) body: Body,
}

/// Everything after the first four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C, align(4))]
pub(crate) struct Body(pub [u32; 15]);

const _: () = {
    assert!(size_of::<Packet>() == PACKET_BYTES && align_of::<Packet>() == PACKET_BYTES);
    assert!(size_of::<Body>() == PACKET_BYTES - 4);
    assert!(core::mem::offset_of!(Packet, body) == 4);
};

impl Packet {
    /// The packet as the packet processor reads it.
    pub const fn to_bytes(&self) -> [u8; PACKET_BYTES] {
        // SAFETY: Packet is 64 bytes of u32 fields without padding (asserted above).
        unsafe { core::mem::transmute_copy::<Packet, [u8; PACKET_BYTES]>(self) }
    }

    /// The first 16 bits: type, barrier bit and fence scopes.
    pub const fn header(&self) -> u16 {
        self.head as u16
    }

    /// Handle of the completion signal, 0 if there is none.
    pub const fn completion_signal(&self) -> u64 {
        let [.., low, high] = self.body.0;
        low as u64 | (high as u64) << 32
    }

    /// Sets the signal that is decremented when the packet has completed.
    #[must_use = "the packet with the signal is returned"]
    pub const fn with_completion(mut self, signal: Signal) -> Packet {
        let [.., low, high] = &mut self.body.0;
        *low = signal.get() as u32;
        *high = (signal.get() >> 32) as u32;
        self
    }

    /// The packet's type.
    pub const fn packet_type(&self) -> PacketType {
        match PacketType::from_bits(self.head as u8) {
            Some(packet) => packet,
            None => PacketType::Invalid,
        }
    }

    /// Whether it is one of HSA's packets that GPUs process (kernel dispatch, barrier-AND, barrier-OR) and its barrier
    /// bit and fences are `control`'s or stronger. AMD's own packets are not: nothing says which fences they obey.
    #[inline]
    pub const fn has_at_least(&self, control: Control) -> bool {
        use PacketType::{BarrierAnd, BarrierOr, KernelDispatch};
        matches!(self.packet_type(), KernelDispatch | BarrierAnd | BarrierOr) && control.is_met_by(self.header())
    }
}

/// Gives `$name` the methods of all packets and a conversion to [`Packet`]. The type is repr(C), 64 bytes without
/// padding; its first field is `header: u16`, with type `$type`, and its last `completion_signal: u64`.
macro_rules! packet {
    ($name:ident: $type:ident { $($field:ident @ $offset:literal),* $(,)? }) => {
        const _: () = {
            assert!(size_of::<$name>() == crate::PACKET_BYTES && align_of::<$name>() == crate::PACKET_BYTES);
            $(assert!(core::mem::offset_of!($name, $field) == $offset);)*
        };

        impl $name {
            /// Sets barrier bit and fence scopes.
            pub const fn with_control(mut self, control: crate::Control) -> Self {
                self.header = control.header(crate::PacketType::$type);
                self
            }

            /// Sets the signal that is decremented when the packet has completed.
            pub const fn with_completion(mut self, signal: crate::Signal) -> Self {
                self.completion_signal = signal.get();
                self
            }

            /// Handle of the completion signal, 0 if there is none.
            pub const fn completion_signal(&self) -> u64 {
                self.completion_signal
            }
        }

        impl AsRef<crate::Packet> for $name {
            fn as_ref(&self) -> &crate::Packet {
                // SAFETY: both are 64 bytes, aligned to 64, made of integers without padding.
                unsafe { &*core::ptr::from_ref(self).cast::<crate::Packet>() }
            }
        }

        impl From<$name> for crate::Packet {
            fn from(packet: $name) -> crate::Packet {
                *packet.as_ref()
            }
        }
    };
}
pub(crate) use packet;

impl AsRef<Packet> for Packet {
    fn as_ref(&self) -> &Packet {
        self
    }
}
