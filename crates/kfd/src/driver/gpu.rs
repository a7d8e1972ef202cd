//! A render node with this process's address space on its GPU.

use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::{Mutex, OnceLock};

use kfd_sys::*;

use super::clock::Clock;
use super::host_path::HostPath;
use super::{Connection, Mapped, lock, map_device, request};
use crate::family::{DOORBELL_BYTES, Family};
use crate::{Error, Fault, Node, Result};

/// What is opened of a GPU, for as long as the process lives.
pub(crate) struct OpenGpu {
    pub driver: &'static Connection,
    node: Node,
    family: &'static Family,
    render: OwnedFd,
    apertures: kfd_process_device_apertures,
    doorbells: Mutex<Option<Mapped>>,
    /// The way of the host's writes into its memory, once there is one.
    pub host_path: OnceLock<&'static HostPath>,
    /// The register of that way, mapped first. Held while the way is opened.
    pub flush_register: Mutex<Option<Mapped>>,
    /// Why it is lost.
    fault: OnceLock<Fault>,
    pub clock: Mutex<Clock>,
}

impl std::fmt::Debug for OpenGpu {
    // Whatever a program prints has its GPU somewhere.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OpenGpu").field(&self.id()).finish()
    }
}

impl OpenGpu {
    /// Opens the render node and acquires the address space, which the kernel keeps until the process ends.
    pub fn acquire(driver: &'static Connection, node: &Node) -> Result<OpenGpu> {
        let refuse = |why: String| Err(Error::Unsupported { subject: "this node", why });
        if !node.is_gpu() {
            return refuse(format!("node {} is a CPU", node.number()));
        }
        let family = match Family::of(node.gfx_version()) {
            Ok(family) => family,
            Err(why) => return refuse(format!("{} is {why}", node.isa())),
        };
        let minor = node.value("drm_render_minor");
        let apertures = apertures(driver, node)?;
        let render = kfd_sys::open_render_node(minor)?;
        let mut args = kfd_ioctl_acquire_vm_args { drm_fd: render.as_raw_fd() as u32, gpu_id: node.gpu_id() };
        request!(driver, AMDKFD_IOC_ACQUIRE_VM, amdkfd_ioc_acquire_vm, "the GPU's address space", &mut args)?;
        Ok(OpenGpu {
            driver,
            node: node.clone(),
            family,
            render,
            apertures,
            doorbells: Mutex::default(),
            host_path: OnceLock::new(),
            flush_register: Mutex::default(),
            fault: OnceLock::new(),
            clock: Mutex::default(),
        })
    }

    pub fn id(&self) -> u32 {
        self.node.gpu_id()
    }

    pub fn node(&self) -> &Node {
        &self.node
    }

    pub fn family(&self) -> &'static Family {
        self.family
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
fn apertures(driver: &Connection, node: &Node) -> Result<kfd_process_device_apertures> {
    let subject = "the GPU's apertures";
    let mut count = kfd_ioctl_get_process_apertures_new_args::default();
    request!(driver, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, amdkfd_ioc_get_process_apertures_new, subject, &mut count)?;
    let mut all = vec![kfd_process_device_apertures::default(); count.num_of_nodes as usize];
    let mut args = kfd_ioctl_get_process_apertures_new_args {
        kfd_process_device_apertures_ptr: all.as_mut_ptr().expose_provenance() as u64,
        num_of_nodes: count.num_of_nodes,
        pad: 0,
    };
    request!(driver, AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, amdkfd_ioc_get_process_apertures_new, subject, &mut args)?;
    let own = all.iter().take(args.num_of_nodes as usize).find(|one| one.gpu_id == node.gpu_id());
    own.copied().ok_or_else(|| Error::NoGpu(format!("the driver does not give GPU {} to this process", node.gpu_id())))
}
