//! A GPU with this process's address space on it.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, OnceLock};

use kfd_sys::*;

use crate::blit::Blit;
use crate::clock::Clock;
use crate::code::Limits;
use crate::driver::{Shared, lock, request};
use crate::events::Sleeper;
use crate::host_writes::Making;
use crate::memory::map_device;
use crate::trap::Reports;
use crate::{Driver, Error, Fault, Node, Result};

/// Bytes of a process's doorbells on a GPU of gfx9: 1024 of 8 (`kfd_doorbell_process_slice` of Linux).
pub(crate) const DOORBELL_BYTES: usize = 8192;

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

#[derive(Debug)]
pub(crate) struct Gpu {
    pub driver: &'static Shared,
    node: Node,
    render: OwnedFd,
    apertures: kfd_process_device_apertures,
    doorbells: Mutex<Option<Mapped>>,
    /// Where the trap handler looks, once there is one.
    reports: Mutex<Option<Reports>>,
    pub host_path: Making,
    /// Why it is lost.
    fault: OnceLock<Fault>,
    pub clock: Mutex<Clock>,
    /// Counts code that was loaded: a queue that has not seen the latest must empty the instruction caches.
    pub code_loaded: AtomicU64,
    /// What a launch can have.
    pub limits: Limits,
    /// The kernels that copy, once they were needed.
    pub blit: OnceLock<Blit>,
}

/// A mapping of device registers or memory, for as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapped(pub NonNull<u8>);

// SAFETY: an address; what is there may be accessed from any thread.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Gpu {
    /// Opens the render node and acquires the address space. The result is leaked, as the kernel's state is.
    pub fn acquire(driver: &'static Shared, node: &Node) -> Result<&'static Gpu> {
        let refuse = |why: String| Err(Error::Unsupported { what: "this node", why });
        if !node.is_gpu() {
            return refuse(format!("node {} is a CPU", node.number()));
        }
        if node.gfx_version().0 != 9 {
            return refuse(format!("{} is not of gfx9, the only family that this crate speaks to", node.isa()));
        }
        let minor = node.value("drm_render_minor");
        let apertures = apertures(driver, node)?;
        let render = kfd_sys::open_render_node(minor)?;
        let mut args = kfd_ioctl_acquire_vm_args { drm_fd: render.as_raw_fd() as u32, gpu_id: node.gpu_id() };
        request!(driver, AMDKFD_IOC_ACQUIRE_VM, amdkfd_ioc_acquire_vm, "the GPU's address space", &mut args)?;
        Ok(Box::leak(Box::new(Gpu {
            driver,
            node: node.clone(),
            render,
            apertures,
            doorbells: Mutex::default(),
            reports: Mutex::default(),
            host_path: Making::default(),
            fault: OnceLock::new(),
            clock: Mutex::default(),
            code_loaded: AtomicU64::new(0),
            limits: Limits::GFX9.with_group_bytes(node.group_bytes()),
            blit: OnceLock::new(),
        })))
    }

    pub fn id(&self) -> u32 {
        self.node.gpu_id()
    }

    pub fn node(&self) -> &Node {
        &self.node
    }

    pub fn render(&self) -> &OwnedFd {
        &self.render
    }

    /// Upper halves of the addresses of LDS and scratch, as `amd_queue_t` has them.
    pub fn aperture_bases(&self) -> (u32, u32) {
        ((self.apertures.lds_base >> 32) as u32, (self.apertures.scratch_base >> 32) as u32)
    }

    /// The register of a queue's doorbell; `offset` is what CREATE_QUEUE returned.
    pub fn doorbell(&self, offset: u64) -> Result<NonNull<u64>> {
        let within = offset as usize % DOORBELL_BYTES;
        let mut doorbells = lock(&self.doorbells);
        let page = match *doorbells {
            Some(page) => page,
            None => {
                let start = offset - within as u64;
                let page = Mapped(map_device(self.driver.fd(), start, DOORBELL_BYTES, "doorbells")?);
                *doorbells = Some(page);
                page
            }
        };
        // SAFETY: within the mapping.
        Ok(unsafe { page.0.add(within) }.cast())
    }

    /// Where the trap handler looks, which is installed if there is none.
    pub fn reports(&'static self) -> Result<Reports> {
        let mut reports = lock(&self.reports);
        match *reports {
            Some(reports) => Ok(reports),
            None => Ok(*reports.insert(Reports::install(self)?)),
        }
    }

    /// Notes why the GPU cannot go on. The first reason stays.
    pub fn lose(&self, fault: Fault) {
        if self.fault.set(fault).is_ok() {
            tracing::error!(%fault, gpu = self.id(), "the GPU is lost");
        }
    }

    /// Why it cannot go on, if so.
    #[inline]
    pub fn fault(&self) -> Option<Fault> {
        self.fault.get().copied()
    }

    /// The error of a lost device, of one of a parent process, or none.
    #[inline]
    pub fn check_usable(&self) -> Result<()> {
        self.driver.check_fork()?;
        match self.fault() {
            Some(fault) => Err(Error::Lost { fault }),
            None => Ok(()),
        }
    }
}

/// The process's apertures on a GPU.
fn apertures(driver: &Shared, node: &Node) -> Result<kfd_process_device_apertures> {
    let what = "the GPU's apertures";
    let mut count = kfd_ioctl_get_process_apertures_new_args::default();
    request!(driver, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, amdkfd_ioc_get_process_apertures_new, what, &mut count)?;
    let mut all = vec![kfd_process_device_apertures::default(); count.num_of_nodes as usize];
    let mut args = kfd_ioctl_get_process_apertures_new_args {
        kfd_process_device_apertures_ptr: all.as_mut_ptr().expose_provenance() as u64,
        num_of_nodes: count.num_of_nodes,
        pad: 0,
    };
    request!(driver, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, amdkfd_ioc_get_process_apertures_new, what, &mut args)?;
    let own = all.iter().take(args.num_of_nodes as usize).find(|one| one.gpu_id == node.gpu_id());
    own.copied().ok_or_else(|| Error::NoGpu(format!("the driver does not give GPU {} to this process", node.gpu_id())))
}

impl Device {
    /// The driver that it was opened by.
    pub fn driver(self) -> Driver {
        Driver(self.0.driver)
    }

    /// What the topology said of it when it was opened.
    pub fn node(self) -> &'static Node {
        &self.0.node
    }

    /// Why the device cannot go on, if so. Asks the driver for faults that nobody waited for. No process recovers from them. What stops a single queue
    /// ([`Error::Stopped`]) is none.
    ///
    /// # Errors
    /// [`Error::Request`], [`Error::Forked`]
    pub fn fault(self) -> Result<Option<Fault>> {
        // Before the locks: they may have been held when the process forked.
        self.0.driver.check_fork()?;
        Sleeper::new(self.0.driver, std::iter::empty()).sleep(std::time::Duration::ZERO)?;
        Ok(self.0.fault())
    }

    /// Bytes of VRAM that are left for everybody.
    ///
    /// # Errors
    /// [`Error::Unsupported`] before version 1.9 of the driver's interface, [`Error::Request`], [`Error::Forked`].
    pub fn available_vram(self) -> Result<u64> {
        /// `KFD_IOCTL_MINOR_VERSION` of the kernel that added AMDKFD_IOC_AVAILABLE_MEMORY.
        const AVAILABLE: u32 = 9;
        if self.0.driver.minor() < AVAILABLE {
            let why =
                format!("the driver's interface is 1.{}, it is told from 1.{AVAILABLE} on", self.0.driver.minor());
            return Err(Error::Unsupported { what: "how much VRAM is left", why });
        }
        let mut args = kfd_ioctl_get_available_memory_args { gpu_id: self.0.id(), ..Default::default() };
        let what = "how much VRAM is left";
        request!(self.0.driver, AMDKFD_IOC_AVAILABLE_MEMORY, amdkfd_ioc_available_memory, what, &mut args)?;
        Ok(args.available)
    }
}

impl AsFd for Device {
    /// The render node.
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.0.render.as_fd()
    }
}
