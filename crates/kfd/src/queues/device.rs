//! The driver and the GPUs of this process.

use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use kfd_sys::*;

use super::blit::Blit;
use super::events::{Events, Sleeper};
use super::progress::QueueState;
use super::signal::FreeSignals;
use super::trap::Reports;
use crate::code::Limits;
use crate::driver::{Connection, OpenGpu, lock, request};
use crate::{Error, Fault, Node, Result, fork};

/// The open driver. There is one for each process; copies are the same.
///
/// It stays open until the process ends: the kernel's state of a process does too (`kfd_release` of `kfd_chardev.c`
/// gives back nothing but a reference), and the address space of a GPU cannot be acquired twice.
#[derive(Clone, Copy, Debug)]
pub struct Driver(pub(crate) &'static Process);

/// What a process has of the driver once.
///
/// Locks are taken in this order, if one is held while another is taken: a buffer's uses, `queues`, a queue's links
/// (one queue's at a time), `signals`, `events`, `gpus`, and a memory's list of GPUs. A signal that is let go takes
/// `signals`, memory its list. What a GPU has locks for (its doorbells, trap handler, host path, clock, kernels) comes
/// before that list too and is held with none of the others. No lock is held over a wait for a GPU.
#[derive(Debug)]
pub(crate) struct Process {
    pub driver: Connection,
    gpus: Mutex<Vec<&'static Gpu>>,
    pub events: Mutex<Events>,
    pub signals: Mutex<FreeSignals>,
    /// The queues that are there, of all GPUs.
    pub queues: Mutex<Vec<Arc<QueueState>>>,
    /// How many signals are abandoned.
    pub abandoned: AtomicUsize,
}

/// A GPU on which this process can have memory and queues. Copies are the same device.
///
/// Made by [`Driver::device`]; the address space on it lasts until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct Device(pub(crate) &'static Gpu);

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Device {}

/// A GPU that is open, with what its queues share. It is leaked, as the kernel's state is.
pub(crate) struct Gpu {
    open: OpenGpu,
    pub process: &'static Process,
    /// Where the trap handler looks, once there is one.
    reports: Mutex<Option<Reports>>,
    /// What a launch can have.
    pub limits: Limits,
    /// The kernels that copy, once they were needed.
    pub blit: OnceLock<Blit>,
    /// The kernels that are loaded: the addresses of their descriptors, and their names.
    kernels: Mutex<BTreeMap<u64, String>>,
    /// Counts code that was loaded: a queue that has not seen the latest must empty the instruction caches.
    code_loaded: AtomicU64,
}

impl std::fmt::Debug for Gpu {
    // Whatever a program prints has its GPU somewhere.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Gpu").field(&self.id()).finish()
    }
}

impl Deref for Gpu {
    type Target = OpenGpu;

    fn deref(&self) -> &OpenGpu {
        &self.open
    }
}

/// Where a process has its driver. A forked child gets another, whose lock nobody holds.
struct Slot {
    generation: u32,
    driver: Mutex<Option<&'static Process>>,
}

fn slot() -> &'static Slot {
    static SLOT: AtomicPtr<Slot> = AtomicPtr::new(std::ptr::null_mut());
    loop {
        let current = SLOT.load(Ordering::Acquire);
        // SAFETY: null, or a slot that was leaked below.
        if let Some(slot) = unsafe { current.as_ref() }.filter(|slot| slot.generation == fork::generation()) {
            return slot;
        }
        let new = Box::into_raw(Box::new(Slot { generation: fork::generation(), driver: Mutex::new(None) }));
        if SLOT.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: made above and given to nobody.
            drop(unsafe { Box::from_raw(new) });
        }
    }
}

impl Driver {
    /// Opens `/dev/kfd`, or gives the driver that this process has open already. A child of a fork opens its own.
    ///
    /// # Errors
    /// [`Error::Open`] without the device file or the rights to it, [`Error::Version`] for a driver that is too old,
    /// [`Error::Request`].
    pub fn open() -> Result<Driver> {
        fork::watch();
        let mut open = lock(&slot().driver);
        if let Some(process) = *open {
            return Ok(Driver(process));
        }
        let process = Box::leak(Box::new(Process {
            driver: Connection::open()?,
            gpus: Mutex::default(),
            events: Mutex::default(),
            signals: Mutex::default(),
            queues: Mutex::default(),
            abandoned: AtomicUsize::new(0),
        }));
        *open = Some(process);
        Ok(Driver(process))
    }

    /// Major and minor version of the driver's interface.
    pub fn version(self) -> (u32, u32) {
        self.0.driver.version()
    }

    /// This GPU, opened the first time it is asked for: its render node, this process's address space on it, events.
    ///
    /// # Errors
    /// [`Error::Open`] for the render node, [`Error::Unsupported`] for a node that is no GPU of gfx9,
    /// [`Error::Request`], [`Error::Forked`]. A try that failed can be repeated.
    pub fn device(self, node: &Node) -> Result<Device> {
        self.0.driver.check_fork()?;
        let mut gpus = lock(&self.0.gpus);
        let known = gpus.iter().copied().find(|gpu| gpu.id() == node.gpu_id());
        let gpu = match known {
            Some(gpu) => gpu,
            None => {
                let gpu = Gpu::open(self.0, node)?;
                // From here on the address space is acquired for good.
                gpus.push(gpu);
                gpu
            }
        };
        drop(gpus);
        lock(&self.0.events).reach(gpu)?;
        gpu.start_clock()?;
        Ok(Device(gpu))
    }
}

impl Process {
    /// The GPUs that are open.
    pub fn gpus(&self) -> Vec<&'static Gpu> {
        lock(&self.gpus).clone()
    }

    pub fn gpu(&self, id: u32) -> Option<&'static Gpu> {
        lock(&self.gpus).iter().copied().find(|gpu| gpu.id() == id)
    }

    /// Wakes the threads that sleep for anything, to look again.
    pub fn wake_sleepers(&self) {
        let event = lock(&self.events).process().queue;
        if let Err(error) = event.raise(&self.driver) {
            // They notice when they look again by themselves.
            tracing::warn!(%error, "threads that wait were not woken");
        }
    }
}

impl Gpu {
    fn open(process: &'static Process, node: &Node) -> Result<&'static Gpu> {
        let open = OpenGpu::acquire(&process.driver, node)?;
        let limits = Limits::GFX9.with_group_bytes(node.group_bytes());
        Ok(Box::leak(Box::new(Gpu {
            open,
            process,
            reports: Mutex::default(),
            limits,
            blit: OnceLock::new(),
            kernels: Mutex::default(),
            code_loaded: AtomicU64::new(0),
        })))
    }

    /// There is new code in its memory.
    pub fn note_new_code(&self) {
        // Release: a queue that sees the count finds the code written.
        self.code_loaded.fetch_add(1, Ordering::Release);
    }

    /// Notes kernels in its memory, by the addresses of their descriptors.
    pub fn note_kernels(&self, kernels: impl Iterator<Item = (u64, String)>) {
        lock(&self.kernels).extend(kernels);
    }

    /// Forgets those with a descriptor at these addresses.
    pub fn forget_kernels(&self, addresses: Range<u64>) {
        lock(&self.kernels).retain(|address, _| !addresses.contains(address));
    }

    /// The kernel with its descriptor there.
    pub fn kernel_at(&self, descriptor: u64) -> Option<String> {
        lock(&self.kernels).get(&descriptor).cloned()
    }

    /// How often there was.
    pub fn code_loaded(&self) -> u64 {
        self.code_loaded.load(Ordering::Acquire)
    }

    /// Where the trap handler looks, which is installed if there is none.
    pub fn reports(&'static self) -> Result<Reports> {
        let mut reports = lock(&self.reports);
        match *reports {
            Some(reports) => Ok(reports),
            None => Ok(*reports.insert(Reports::install(self)?)),
        }
    }
}

impl Device {
    /// The driver that it was opened by.
    pub fn driver(self) -> Driver {
        Driver(self.0.process)
    }

    /// What the topology said of it when it was opened.
    pub fn node(self) -> &'static Node {
        self.0.node()
    }

    /// Why the device cannot go on, if so. Asks the driver for faults that nobody waited for. No process recovers from
    /// them. What stops a single queue ([`Error::Stopped`]) is none.
    ///
    /// # Errors
    /// [`Error::Request`], [`Error::Forked`]
    pub fn fault(self) -> Result<Option<Fault>> {
        // Before the locks: they may have been held when the process forked.
        self.0.driver.check_fork()?;
        Sleeper::new(self.0.process, std::iter::empty()).sleep(std::time::Duration::ZERO)?;
        Ok(self.0.fault())
    }

    /// Refuses a device that cannot go on, as far as this process knows already. Makes no system call:
    /// [`fault`](Self::fault) asks the driver.
    ///
    /// # Errors
    /// [`Error::Lost`], [`Error::Forked`].
    #[inline]
    pub fn check_usable(self) -> Result<()> {
        self.0.check_usable()
    }

    /// The time of `CLOCK_MONOTONIC_RAW` at a count of the GPU's clock, such as
    /// [`raw::Command::Timestamp`](crate::raw::Command::Timestamp) stores.
    ///
    /// # Errors
    /// [`Error::Request`], when the clocks have to be compared anew; [`Error::Forked`].
    pub fn time(self, ticks: u64) -> Result<std::time::Duration> {
        self.0.monotonic_raw(ticks)
    }

    /// Bytes of VRAM that are left for everybody.
    ///
    /// # Errors
    /// [`Error::Unsupported`] before version 1.9 of the driver's interface, [`Error::Request`], [`Error::Forked`].
    #[doc(alias = "AMDKFD_IOC_AVAILABLE_MEMORY")]
    #[doc(alias = "hipMemGetInfo")]
    pub fn available_vram(self) -> Result<u64> {
        /// `KFD_IOCTL_MINOR_VERSION` of the kernel that added AMDKFD_IOC_AVAILABLE_MEMORY.
        const AVAILABLE: u32 = 9;
        if self.0.driver.minor() < AVAILABLE {
            let why =
                format!("the driver's interface is 1.{}, it is told from 1.{AVAILABLE} on", self.0.driver.minor());
            return Err(Error::Unsupported { subject: "how much VRAM is left", why });
        }
        let mut args = kfd_ioctl_get_available_memory_args { gpu_id: self.0.id(), ..Default::default() };
        let subject = "how much VRAM is left";
        request!(self.0.driver, AMDKFD_IOC_AVAILABLE_MEMORY, amdkfd_ioc_available_memory, subject, &mut args)?;
        Ok(args.available)
    }
}

impl AsFd for Device {
    /// The render node.
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.render().as_fd()
    }
}
