//! One GPU without the processors of its queues.

use crate::backing::{Backing, PAGE};
use crate::errno::Errno;
use crate::hardware::activity::Shown;
use crate::hardware::address_space::AddressSpace;
use crate::hardware::doorbells::Doorbells;
use crate::hardware::gws::GlobalWaveSync;
use crate::hardware::interrupts::Interrupts;
use crate::hardware::profile::Profile;
use crate::locks::lock;
use gcn::bus::Traps;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Size of a process's doorbell slice on a GPU: 1024 doorbells of 8 bytes.
pub const DOORBELL_BYTES: u64 = 1024 * 8;

/// One GPU, as one process sees it: its page table and doorbells are the process's own.
#[derive(Debug)]
pub struct Gpu {
    /// Number among the GPUs, from 0. Its topology node is one more (node 0 is the CPU).
    pub index: u32,
    /// The model.
    pub profile: &'static Profile,
    /// The page table.
    pub space: Arc<AddressSpace>,
    /// The receiver of interrupts.
    pub interrupts: Arc<dyn Interrupts>,
    /// The barriers between work-groups.
    pub gws: GlobalWaveSync,
    /// Where the program mapped its doorbells.
    pub watched_doorbells: Doorbells,
    /// The utilisation.
    pub activity: Arc<Shown>,
    doorbells: Arc<Backing>,
    mmio: Arc<Backing>,
    exceptions: AtomicBool,
    retries: AtomicBool,
    traps: Mutex<Traps>,
}

impl Gpu {
    /// GPU number `index`, which raises `interrupts` and shows its `activity`.
    ///
    /// # Errors
    /// What the host says when the doorbell page cannot be made.
    pub fn new(
        index: u32,
        profile: &'static Profile,
        interrupts: Arc<dyn Interrupts>,
        activity: Arc<Shown>,
    ) -> Result<Gpu, Errno> {
        Gpu::with_space(index, profile, interrupts, activity, Arc::default())
    }

    /// As [`Gpu::new`], with this page table.
    ///
    /// # Errors
    /// As of [`Gpu::new`].
    pub fn with_space(
        index: u32,
        profile: &'static Profile,
        interrupts: Arc<dyn Interrupts>,
        activity: Arc<Shown>,
        space: Arc<AddressSpace>,
    ) -> Result<Gpu, Errno> {
        let doorbells = Backing::new(c"vgpu-doorbells", DOORBELL_BYTES)?;
        // The first doorbell of a queue is 0, so that no doorbell yet must read as something else.
        // SAFETY: the mapping is that long, and nobody else knows it yet.
        unsafe { std::ptr::write_bytes(doorbells.host(), 0xff, DOORBELL_BYTES as usize) };
        Ok(Gpu {
            index,
            profile,
            space,
            interrupts,
            gws: Default::default(),
            watched_doorbells: Doorbells::default(),
            activity,
            doorbells: Arc::new(doorbells),
            mmio: Arc::new(Backing::new(c"vgpu-mmio", PAGE)?),
            exceptions: AtomicBool::new(false),
            retries: AtomicBool::new(false),
            traps: Mutex::new(Traps::NoHandler),
        })
    }

    /// The doorbell page: 1024 aligned 64-bit slots, each `u64::MAX` until it is first rung. The program stores to it
    /// at any time.
    pub fn doorbells(&self) -> *mut u64 {
        self.doorbells.host().cast()
    }

    /// Whether errors of queues are reported to the driver.
    pub fn reports_exceptions(&self) -> bool {
        self.exceptions.load(Ordering::Acquire)
    }

    /// Enables or disables reports of queue errors to the driver. Errors of waves are then left to the driver.
    pub fn report_exceptions(&self, wanted: bool) {
        self.exceptions.store(wanted, Ordering::Release);
    }

    /// Whether accesses that the page table refuses are repeated (XNACK).
    pub fn retries_faults(&self) -> bool {
        self.retries.load(Ordering::Acquire)
    }

    /// Begins or ends to repeat accesses that the page table refuses, while there is no queue.
    pub fn retry_faults(&self, wanted: bool) {
        self.retries.store(wanted, Ordering::Release);
    }

    /// The handling of wave exceptions.
    pub fn traps(&self) -> Traps {
        *lock(&self.traps)
    }

    /// The process's trap handler is at device address `code`, 0 for none, and gets `memory`.
    pub fn set_trap_handler(&self, code: u64, memory: u64) {
        let traps = if code == 0 { Traps::NoHandler } else { Traps::Handler { code, memory } };
        *lock(&self.traps) = traps;
    }

    /// The memory of the doorbell page.
    pub fn doorbell_memory(&self) -> &Arc<Backing> {
        &self.doorbells
    }

    /// The page of registers that programs may write (HDP flush): writes have no effect, for nothing here is cached.
    pub fn mmio_memory(&self) -> &Arc<Backing> {
        &self.mmio
    }
}
