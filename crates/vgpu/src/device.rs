//! The GPUs and what a process holds of them.

use crate::backing::Backing;
use crate::errno::Errno;
use crate::events::Events;
use crate::memory::AddressSpace;
use crate::profile::Profile;
use std::sync::Arc;

/// Size of a process's doorbell slice on a GPU: 1024 doorbells of 8 bytes.
pub const DOORBELL_BYTES: u64 = 1024 * 8;

/// One GPU, as one process sees it: its page table and doorbells are the process's own.
#[derive(Debug)]
pub struct Gpu {
    /// Number among the GPUs, from 0. Its topology node is one more (node 0 is the CPU).
    pub index: u32,
    /// The id by which ioctls name it.
    pub gpu_id: u32,
    /// What it is.
    pub profile: &'static Profile,
    /// Its page table.
    pub space: AddressSpace,
    /// The process's events, to raise interrupts.
    pub events: Arc<Events>,
    doorbells: Backing,
}

impl Gpu {
    /// GPU number `index`.
    ///
    /// # Errors
    /// What the host says when the doorbell page cannot be made.
    pub fn new(index: u32, profile: &'static Profile, events: Arc<Events>) -> Result<Gpu, Errno> {
        let doorbells = Backing::new(c"vgpu-doorbells", DOORBELL_BYTES)?;
        // The first doorbell of a queue is 0, so that no doorbell yet must read as something else.
        // SAFETY: the mapping is that long, and nobody else knows it yet.
        unsafe { std::ptr::write_bytes(doorbells.host(), 0xff, DOORBELL_BYTES as usize) };
        Ok(Gpu { index, gpu_id: 51110 + index, profile, space: AddressSpace::new(), events, doorbells })
    }

    /// The doorbell page: 1024 aligned 64-bit slots, each `u64::MAX` until it is first rung. The program stores to it at any time.
    pub fn doorbells(&self) -> *mut u64 {
        self.doorbells.host().cast()
    }
}
