//! AQL packets, rings and doorbells: how work reaches an HSA queue, without a call into any runtime.
//!
//! - [`KernelDispatch`], [`BarrierAnd`], [`BarrierOr`], [`AgentDispatch`], [`BarrierValue`], [`Pm4Ib`]: packets that
//!   are always well-formed.
//! - [`Packet`]: any of them; [`Packet::from_bytes`] and [`Decoded`] for looking at a queue.
//! - [`Ring`]: a queue's memory, indices and doorbell, as [`SingleProducer`] or [`MultiProducer`].
//! - [`SoftQueue`], [`Consumer`]: the other side in software, for host agents, emulators and tests.
//!
//! Submitting costs one index, 60 bytes of stores, one 32-bit release store and one doorbell store. A full queue
//! refuses a packet and stays as it was. `no_std`, no dependencies.
//!
//! # What it does not do
//! It does not create queues, load kernels or wait for signals: a runtime (`hsa-sys`) or a client of the driver (`kfd`)
//! does that. It checks a packet's content, not what the content points to. The caller is responsible for that, so
//! submitting is `unsafe` ([`SingleProducer::try_submit`]).
//!
//! # Example
//! A queue in memory of one's own, with a consumer that returns the packets:
//! ```
//! use aql::{Control, Decoded, Geometry, KernelDispatch, KernelObject, Kernarg, SoftQueue};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut queue = SoftQueue::<64>::new();
//! let last = std::cell::Cell::new(None);
//! let (ring, mut gpu) = queue.split(|id| last.set(Some(id)))?;
//! let mut producer = ring.single_producer();
//!
//! // 1024 work-items in groups of 256, waiting for all earlier packets.
//! let packet = KernelDispatch::new(KernelObject::new(0x7f00_0000_1040)?, Geometry::one(1024, 256)?)
//!     .with_kernarg(Kernarg::new(0x7f00_0000_2000)?)
//!     .with_control(Control::SYSTEM);
//! // SAFETY: the consumer below only looks at the packet; nothing follows the addresses.
//! let id = unsafe { producer.try_submit(&packet) }?;
//! assert_eq!(last.get(), Some(id), "the doorbell got the packet's id");
//!
//! let (id, bytes) = gpu.take().ok_or("no packet")?;
//! assert_eq!((id, Decoded::from_bytes(&bytes)?), (0, Decoded::KernelDispatch(packet)));
//! assert!(gpu.take().is_none());
//! # Ok(()) }
//! ```
//! A producer can be handed to other code, which then answers for what it submits. Without `unsafe` this does not
//! compile:
//! ```compile_fail,E0133
//! fn launch<D: aql::Doorbell>(producer: &aql::MultiProducer<'_, D>, packet: aql::Packet) {
//!     _ = producer.try_submit(&packet);
//! }
//! ```
#![cfg_attr(not(aql_loom), no_std)]

/// Makes `Debug` of an error what `Display` is: a `main` that returns it, `unwrap` and `expect` print it by `Debug`.
macro_rules! debug_is_display {
    ($error:ty) => {
        impl core::fmt::Debug for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }
    };
}
pub(crate) use debug_is_display;

mod amd_queue;
mod decode;
mod doorbell;
mod handle;
mod header;
mod packet;
mod producer;
mod ring;
mod soft;
mod sync;

pub use decode::{DecodeError, Decoded};
pub use doorbell::{Doorbell, MmioDoorbell};
pub use handle::{AddressError, IndirectBuffer, Kernarg, KernelObject, Signal};
pub use header::{Control, PacketType, Scope};
pub use packet::{
    AgentDispatch, BarrierAnd, BarrierOr, BarrierValue, Condition, Geometry, GeometryError, IndirectBufferError,
    KernelDispatch, MAX_WORKGROUP_ITEMS, PACKET_BYTES, Packet, Pm4Ib,
};
pub use producer::{MultiProducer, SingleProducer};
pub use ring::{Ring, RingError, Slot, SubmitError};
pub use soft::{Consumer, SoftQueue};

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", miri)))]
compile_error!(
    "the store fence in front of a doorbell is written for x86_64 and aarch64; add this target's in doorbell.rs"
);
