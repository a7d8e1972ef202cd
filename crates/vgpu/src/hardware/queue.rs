//! A queue, as the ioctls create it and the engine runs it.

use super::profile::Profile;
use std::ops::Range;

/// Kinds of queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueKind {
    /// Compute queue with PM4 packets, all of whose work runs on one XCC.
    Pm4 {
        /// The XCC.
        xcc: u32,
    },
    /// Compute queue with AQL packets, whose work-groups are spread over all XCCs.
    Aql,
    /// A queue of this SDMA engine (PCIe engines first, then xGMI ones).
    Sdma {
        /// The engine.
        engine: u32,
    },
}

/// A queue, as `AMDKFD_IOC_CREATE_QUEUE` describes it. Every buffer is mapped to the GPU and stays so until the queue
/// is destroyed.
#[derive(Clone, Debug)]
pub struct QueueArgs {
    /// The id in the process (over all GPUs).
    pub id: u32,
    /// The kind.
    pub kind: QueueKind,
    /// Device address of the ring.
    pub ring: u64,
    /// Size of the ring in bytes, a power of two; 0 suspends the queue.
    pub ring_size: u32,
    /// Device address of the read pointer, which the engine advances: packets for AQL, dwords for PM4, bytes for SDMA.
    pub read_pointer: u64,
    /// Device address of the write pointer.
    pub write_pointer: u64,
    /// Index of its 64-bit slot in the doorbell page.
    pub doorbell: u32,
    /// 0 to 15, the higher the sooner.
    pub priority: u32,
    /// 0 to 100; 0 suspends the queue.
    pub percentage: u32,
    /// Device address of the context save area, 0 for SDMA queues.
    pub context_save: u64,
}

impl QueueArgs {
    /// The XCCs of a GPU of this model over which the work-groups of its dispatches are spread.
    pub fn xccs(&self, profile: &Profile) -> Range<u32> {
        match self.kind {
            QueueKind::Pm4 { xcc } => xcc..xcc + 1,
            _ => 0..profile.xccs,
        }
    }

    /// Whether it runs (`QUEUE_IS_ACTIVE` of the driver), as far as its user decides.
    pub fn is_active(&self) -> bool {
        self.ring != 0 && self.ring_size != 0 && self.percentage != 0
    }
}

/// The changes of `AMDKFD_IOC_UPDATE_QUEUE`.
#[derive(Clone, Copy, Debug)]
pub struct QueueUpdate {
    /// Device address of the ring; 0 suspends the queue.
    pub ring: u64,
    /// Size of the ring in bytes.
    pub ring_size: u32,
    /// 0 to 15.
    pub priority: u32,
    /// 0 to 100; 0 suspends the queue.
    pub percentage: u32,
    /// The XCC of a queue with PM4 packets.
    pub xcc: u32,
}
