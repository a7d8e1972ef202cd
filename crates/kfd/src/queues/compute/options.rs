//! Options of a compute queue.

use kfd_sys::KFD_MAX_QUEUE_PRIORITY;

use super::layout::Scratch;
use crate::driver::PAGE;
use crate::{Error, Result};

/// What a queue is to be like. By default as most programs want it.
#[must_use = "`with_...` returns the changed value"]
#[derive(Clone, Debug)]
pub struct QueueOptions {
    pub(crate) packets: u32,
    pub(crate) priority: u32,
    pub(crate) cu_mask: Vec<u32>,
    pub(crate) private_bytes: u32,
    pub(crate) argument_bytes: usize,
}

/// Compute units that a mask can have. The driver leaves out the bits behind them (`kfd_ioctl_set_cu_mask` of Linux).
const MAX_CUS: usize = 1024;

impl Default for QueueOptions {
    fn default() -> QueueOptions {
        QueueOptions {
            packets: 1024,
            priority: QueueOptions::NORMAL_PRIORITY,
            cu_mask: Vec::new(),
            private_bytes: 0,
            argument_bytes: 256 << 10,
        }
    }
}

impl QueueOptions {
    /// The priority that AMD's runtime gives queues without one.
    pub const NORMAL_PRIORITY: u32 = 7;

    /// Packets that the ring holds: a power of two from 64 to 2^20.
    pub fn with_packets(mut self, packets: u32) -> QueueOptions {
        self.packets = packets;
        self
    }

    /// 0 to 15; a queue is only served when none of higher priority has work.
    pub fn with_priority(mut self, priority: u32) -> QueueOptions {
        self.priority = priority;
        self
    }

    /// The compute units that its kernels may run on, a bit each, as the driver numbers them, 1024 at most; empty for
    /// all.
    ///
    /// On a GPU of several XCCs (`num_xcc` of its node: eight of an MI300X) bit n is a unit of XCC n modulo their
    /// number. Each XCC has its share of a kernel's work-groups and needs a unit for them: a mask that leaves one
    /// without is refused.
    pub fn with_cu_mask(mut self, mask: &[u32]) -> QueueOptions {
        self.cu_mask = mask.to_vec();
        self
    }

    /// Scratch memory of a work-item in bytes. A queue gets more when a kernel needs it, by another queue of the driver
    /// that continues it.
    pub fn with_private_bytes(mut self, bytes: u32) -> QueueOptions {
        self.private_bytes = bytes;
        self
    }

    /// Memory for kernel arguments of work that is not done.
    pub fn with_argument_bytes(mut self, bytes: usize) -> QueueOptions {
        self.argument_bytes = bytes;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |subject, value: usize, expected| Err(Error::Value { subject, value: value as u64, expected });
        if !self.packets.is_power_of_two() || !(64..=1 << 20).contains(&self.packets) {
            return refuse("a queue's number of packets", self.packets as usize, "a power of two from 64 to 2^20");
        }
        if self.priority > KFD_MAX_QUEUE_PRIORITY {
            return refuse("a queue's priority", self.priority as usize, "0 to 15");
        }
        if self.cu_mask.len() > MAX_CUS / 32 {
            let bits = self.cu_mask.len().saturating_mul(32);
            return refuse("the number of compute units of a mask", bits, "at most 1024");
        }
        if u64::from(self.private_bytes) * 64 > Scratch::MAX_WAVE_BYTES {
            return refuse("the scratch memory of a work-item", self.private_bytes as usize, "at most 131056 bytes");
        }
        if !(PAGE..=1 << 30).contains(&self.argument_bytes) {
            return refuse("a queue's memory for arguments", self.argument_bytes, "4 KiB to 1 GiB");
        }
        Ok(())
    }
}
