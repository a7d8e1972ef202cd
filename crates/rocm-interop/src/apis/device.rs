//! A GPU that every layer sees.

use std::sync::Arc;

use cl_sys::cl_device_id;
use hsa_sys::hsa_agent_t;
use kfd_topology::{Node, Topology};

use crate::apis::layers::{Enumerated, Layers};
use crate::{Error, Libraries, Result};
use kfd_topology::PciAddress;

/// A GPU that OpenCL, HIP, HSA and the kernel driver all see, matched by its place on the PCI bus.
///
/// Comes only from [`Device::first`] and [`Device::all`]. It keeps the libraries that gave its handles, so that these
/// stay valid and reach no other library.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) libraries: Arc<Libraries>,
    pub(super) opencl: cl_device_id,
    pub(super) hip: i32,
    pub(super) hsa: hsa_agent_t,
    pub(super) kfd: Node,
    pub(super) pci: PciAddress,
}

// SAFETY: OpenCL's root devices are valid in all threads as long as the library is loaded, and its functions are
// thread-safe.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

impl Device {
    /// All GPUs that the three APIs and the driver share, in the order of HIP: none, if no GPU is seen by all.
    ///
    /// OpenCL does not say in which PCI domain a GPU is. GPUs that differ by nothing else are left out, as none could
    /// be chosen safely; the program `rocm-probe` shows them.
    ///
    /// The APIs number GPUs differently, and not alike from one process to the next: `ROCR_VISIBLE_DEVICES` hides and
    /// reorders them for all three APIs, `HIP_VISIBLE_DEVICES` for HIP, `GPU_DEVICE_ORDINAL` for OpenCL.
    ///
    /// # Errors
    /// [`SeveralRuntimes`](crate::Error::SeveralRuntimes) if HIP and OpenCL do not use one HSA runtime;
    /// [`Call`](crate::Error::Call), [`Load`](crate::Error::Load) or [`Topology`](crate::Error::Topology) of the
    /// enumeration that failed.
    #[doc(alias = "clGetDeviceIDs")]
    #[doc(alias = "hipGetDeviceCount")]
    #[doc(alias = "hsa_iterate_agents")]
    pub fn all(libraries: &Arc<Libraries>) -> Result<Vec<Device>> {
        Ok(Device::enumerate(libraries)?.shared(libraries))
    }

    /// The first of [`all`](Device::all).
    ///
    /// # Errors
    /// [`NoDevice`](crate::Error::NoDevice) if there is none. It says which layer does not see which GPU of the driver,
    /// and which variable hides it. Those of `all`.
    pub fn first(libraries: &Arc<Libraries>) -> Result<Device> {
        let found = Device::enumerate(libraries)?;
        let first = found.shared(libraries).into_iter().next();
        first.ok_or_else(|| Error::NoDevice(found.missing(|name| std::env::var_os(name))))
    }

    fn enumerate(libraries: &Arc<Libraries>) -> Result<Enumerated> {
        let layers = Layers::ask(libraries);
        // OpenCL's implementation is loaded by now. With two runtimes the driver knows one of them only, so the other
        // sees no GPU.
        one_runtime()?;
        layers.whole()
    }

    /// The libraries that it was found with.
    pub fn libraries(&self) -> &Arc<Libraries> {
        &self.libraries
    }

    /// OpenCL's handle, valid as long as its library is loaded.
    pub fn opencl(&self) -> cl_device_id {
        self.opencl
    }

    /// HIP's ordinal in this process.
    pub fn hip(&self) -> i32 {
        self.hip
    }

    /// HSA's agent, valid until `hsa_shut_down`, which the last of the [`Libraries`] calls.
    pub fn hsa(&self) -> hsa_agent_t {
        self.hsa
    }

    /// What the card is called, as `AMD Instinct MI100`; empty if AMD's runtime does not know.
    ///
    /// # Errors
    /// [`Call`](crate::Error::Call)
    pub fn name(&self) -> Result<String> {
        self.libraries.agent_product(self.hsa)
    }

    /// Its instruction set, as compilers take it: `gfx908`.
    ///
    /// # Errors
    /// As of [`name`](Device::name).
    pub fn isa(&self) -> Result<String> {
        self.libraries.agent_isa(self.hsa)
    }

    /// Bytes of its memory that are free at present, for all programs together. The largest buffer may be smaller.
    ///
    /// # Errors
    /// [`Call`](crate::Error::Call): `HSA_STATUS_ERROR_INVALID_ARGUMENT` from HSA runtimes before ROCm 5.3, which do
    /// not know.
    #[doc(alias = "hipMemGetInfo")]
    pub fn available_memory(&self) -> Result<u64> {
        self.libraries.agent_memory(self.hsa)
    }

    /// What the driver says of it.
    pub fn kfd(&self) -> &Node {
        &self.kfd
    }

    /// LDS of a work-group, at most.
    pub(crate) fn lds_bytes(&self) -> u64 {
        self.kfd.property("lds_size_in_kb").unwrap_or(0) << 10
    }

    /// Where it is.
    pub fn pci(&self) -> PciAddress {
        self.pci
    }
}

/// The driver's GPUs, by node. No library is asked, and no environment variable hides any.
pub(crate) fn gpus() -> Result<Vec<(PciAddress, Node)>> {
    let topology = Topology::read().map_err(Error::Topology)?;
    Ok(topology.gpus_by_address().map(|(address, node)| (address, node.clone())).collect())
}

/// Refuses two HSA runtimes in this process, which have two address spaces.
pub(crate) fn one_runtime() -> Result<()> {
    let loaded = rocm_loader::loaded_hsa_runtimes();
    let files = loaded.map_err(|reason| Error::Process { path: "/proc/self/maps".into(), reason })?;
    if files.len() > 1 { Err(Error::SeveralRuntimes { files }) } else { Ok(()) }
}
