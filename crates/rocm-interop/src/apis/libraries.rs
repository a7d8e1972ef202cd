//! The three libraries, opened.

use std::convert::Infallible;
use std::ffi::{CStr, c_void};

use bytemuck::Zeroable;
use cl_sys::{Cl, LoadError, cl_device_id, cl_int, cl_platform_id};
use hip_sys::{Hip, Hiprtc, hipError_t};
use hsa_sys::{Hsa, hsa_agent_info_t, hsa_agent_t, hsa_device_type_t, hsa_status_t};
use parking_lot::Mutex;

use crate::apis::call::{Release, Status, call, check, log, present, text};
use crate::error::Api;
use crate::{Error, Result};
use kfd_topology::PciAddress;

/// ROCr 6.4 makes the lock that `hsa_init` takes when it is first called, and two threads can make one each.
static STARTING: Mutex<()> = Mutex::new(());

/// OpenCL, HIP, hiprtc and HSA of this process. HSA is initialised while the value lives. Threads can share it.
///
/// Several threads may make one each at the same time. A program whose other threads use OpenCL, HIP or HSA without
/// this crate makes its first `Libraries` before they do: the first use of ROCr 6.4 in a process is not safe beside
/// another thread's ([`hsa_sys`](hsa_sys#threads)).
#[derive(Debug)]
pub struct Libraries {
    /// OpenCL's loader.
    pub cl: Cl,
    /// HIP.
    pub hip: Hip,
    /// HIP's compiler.
    pub hiprtc: Hiprtc,
    /// ROCr.
    pub hsa: Hsa,
    /// Whether `hsa_shut_down` is still to be called.
    started: bool,
}

impl Libraries {
    /// Opens this machine's libraries.
    ///
    /// # Errors
    /// [`Error::Load`] names the first that is missing and every file tried; as of [`new`](Libraries::new).
    pub fn load() -> Result<Libraries> {
        let cl = loaded(Api::OpenCl, Cl::load())?;
        let hip = loaded(Api::Hip, Hip::load())?;
        let hiprtc = loaded(Api::Hiprtc, Hiprtc::load())?;
        let hsa = loaded(Api::Hsa, Hsa::load())?;
        Libraries::new(cl, hip, hiprtc, hsa)
    }

    /// Takes libraries that the caller opened.
    ///
    /// # Errors
    /// [`Error::Open`] if HSA does not start and this process cannot open `/dev/kfd`, [`Error::Call`] if it does not
    /// start for another reason, [`Error::Load`] if `hsa_init` is missing.
    pub fn new(cl: Cl, hip: Hip, hiprtc: Hiprtc, hsa: Hsa) -> Result<Libraries> {
        start(&hsa)?;
        Ok(Libraries { cl, hip, hiprtc, hsa, started: true })
    }

    /// Ends this value's use of HSA. Dropping does too, but can only log an error, by `tracing`.
    ///
    /// The libraries stay loaded, as other code may use them.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn close(mut self) -> Result<()> {
        self.release()
    }

    /// All OpenCL devices with their platform; their `pci` is `None` where they do not say where they are, as on
    /// platforms that are not AMD's. None if the loader has no platform.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn opencl_devices(&self) -> Result<Vec<OpenClDevice>> {
        let mut count = 0;
        // SAFETY: counts only.
        match present::<cl_int, _, _>(unsafe { self.cl.clGetPlatformIDs(0, std::ptr::null_mut(), &mut count) })? {
            cl_sys::CL_PLATFORM_NOT_FOUND_KHR => return Ok(Vec::new()),
            code => check::<_, Infallible>("clGetPlatformIDs", Ok(code))?,
        }
        let mut platforms: Vec<cl_platform_id> = vec![std::ptr::null_mut(); count as usize];
        // SAFETY: room for `count`.
        unsafe { call!(self.cl, clGetPlatformIDs(count, platforms.as_mut_ptr(), std::ptr::null_mut())) }?;
        let mut found = Vec::new();
        for platform in platforms {
            let mut count = 0;
            let all = cl_sys::CL_DEVICE_TYPE_ALL;
            // SAFETY: counts only.
            match unsafe { self.cl.clGetDeviceIDs(platform, all, 0, std::ptr::null_mut(), &mut count) } {
                Ok(cl_sys::CL_SUCCESS) => {}
                Ok(cl_sys::CL_DEVICE_NOT_FOUND) => continue,
                Ok(code) => return Err(Error::Call { call: "clGetDeviceIDs", code: code.code() }),
                Err(error) => return Err(Error::load(Api::OpenCl)(Box::new(error))),
            }
            let mut devices: Vec<cl_device_id> = vec![std::ptr::null_mut(); count as usize];
            // SAFETY: room for `count`.
            unsafe {
                call!(self.cl, clGetDeviceIDs(platform, all, count, devices.as_mut_ptr(), std::ptr::null_mut()))
            }?;
            for device in devices {
                found.push(OpenClDevice { platform, device, pci: self.opencl_pci(device)? });
            }
        }
        Ok(found)
    }

    fn opencl_pci(&self, device: cl_device_id) -> Result<Option<PciAddress>> {
        // cl_device_topology_amd: type (1 is PCI Express) at 0; bus, device, function at 21.
        let mut topology = [0u8; 24];
        let (info, value) = (cl_sys::CL_DEVICE_TOPOLOGY_AMD, topology.as_mut_ptr().cast());
        // SAFETY: 24 bytes are what AMD's runtime writes; others refuse the query.
        let code = unsafe { self.cl.clGetDeviceInfo(device, info, topology.len(), value, std::ptr::null_mut()) };
        if matches!(code, Ok(cl_sys::CL_INVALID_VALUE)) {
            return Ok(None);
        }
        check("clGetDeviceInfo", code)?;
        Ok((topology[..4] == [1, 0, 0, 0]).then(|| PciAddress {
            domain: 0,
            bus: topology[21],
            device: topology[22],
            function: topology[23],
        }))
    }

    /// HIP's devices: ordinal in this process, and where it is. None if all are hidden from HIP.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn hip_devices(&self) -> Result<Vec<(i32, PciAddress)>> {
        let mut count = 0;
        // SAFETY: writes one int.
        let code = present::<hipError_t, _, _>(unsafe { self.hip.hipGetDeviceCount(&mut count) })?;
        // So says each call of a HIP without devices, `hipGetLastError` too: there is nothing to forget.
        if code == hipError_t::hipErrorNoDevice {
            return Ok(Vec::new());
        }
        check::<_, Infallible>("hipGetDeviceCount", Ok(code))?;
        (0..count)
            .map(|ordinal| {
                let mut text = [0u8; 32];
                // SAFETY: room for 32 characters; at most 31 are written, the rest stay zero.
                unsafe { call!(self.hip, hipDeviceGetPCIBusId(text.as_mut_ptr().cast(), 31, ordinal)) }?;
                let text = CStr::from_bytes_until_nul(&text).ok().and_then(|text| text.to_str().ok()).unwrap_or("");
                let pci = PciAddress::parse(text).ok_or_else(|| Error::Argument {
                    subject: "hipDeviceGetPCIBusId's answer",
                    reason: format!("{text:?} is no PCI address"),
                })?;
                Ok((ordinal, pci))
            })
            .collect()
    }

    /// HSA's GPU agents, and where they are. Agents are valid until the last of the [`Libraries`] is gone.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn hsa_gpus(&self) -> Result<Vec<(hsa_agent_t, PciAddress)>> {
        unsafe extern "C" fn collect(agent: hsa_agent_t, data: *mut c_void) -> hsa_status_t {
            // SAFETY: `data` is the vector below; HSA calls back on this thread before returning.
            unsafe { (*data.cast::<Vec<hsa_agent_t>>()).push(agent) };
            hsa_status_t::HSA_STATUS_SUCCESS
        }
        let mut agents: Vec<hsa_agent_t> = Vec::new();
        // SAFETY: the callback matches its data.
        unsafe { call!(self.hsa, hsa_iterate_agents(Some(collect), (&raw mut agents).cast())) }?;
        let mut gpus = Vec::new();
        for agent in agents {
            let device = self.agent_info(agent, hsa_agent_info_t::HSA_AGENT_INFO_DEVICE)?;
            if hsa_device_type_t(device) == hsa_device_type_t::HSA_DEVICE_TYPE_GPU {
                gpus.push((agent, self.agent_pci(agent)?));
            }
        }
        Ok(gpus)
    }

    pub(crate) fn agent_pci(&self, agent: hsa_agent_t) -> Result<PciAddress> {
        let info = |number| hsa_agent_info_t(number);
        let bdf: u32 = self.agent_info(agent, info(hsa_sys::hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_BDFID.0))?;
        let domain: u32 = self.agent_info(agent, info(hsa_sys::hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_DOMAIN.0))?;
        Ok(PciAddress::from_bdf(domain, bdf))
    }

    /// Ticks a second of the clock that the agent's kernels read.
    pub(crate) fn timestamp_frequency(&self, agent: hsa_agent_t) -> Result<u64> {
        let info = hsa_sys::hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY.0;
        self.agent_info(agent, hsa_agent_info_t(info))
    }

    /// Major and minor version of HIP, and its patch.
    pub(crate) fn hip_version(&self) -> Result<(i32, i32, i32)> {
        hip_version(&self.hip)
    }

    /// HIP keeps the last error of a thread for whoever calls `hipGetLastError` next, HIP 7 until then. After one that
    /// was expected and is told to nobody, so that other code does not take it for its own.
    pub(crate) fn forget_hips_error(&self) {
        // SAFETY: no preconditions. What it returns is what it forgets.
        _ = unsafe { self.hip.hipGetLastError() };
    }

    /// What the card is called.
    pub(crate) fn agent_product(&self, agent: hsa_agent_t) -> Result<String> {
        self.agent_text(agent, hsa_agent_info_t(hsa_sys::hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_PRODUCT_NAME.0))
    }

    /// What its instruction set is.
    pub(crate) fn agent_isa(&self, agent: hsa_agent_t) -> Result<String> {
        self.agent_text(agent, hsa_agent_info_t::HSA_AGENT_INFO_NAME)
    }

    fn agent_text(&self, agent: hsa_agent_t, info: hsa_agent_info_t) -> Result<String> {
        self.agent_info::<[u8; 64]>(agent, info).map(|bytes| text(&bytes))
    }

    /// Bytes of the agent's memory that are free.
    pub(crate) fn agent_memory(&self, agent: hsa_agent_t) -> Result<u64> {
        self.agent_info(agent, hsa_agent_info_t(hsa_sys::hsa_amd_agent_info_s::HSA_AMD_AGENT_INFO_MEMORY_AVAIL.0))
    }

    /// An attribute of an agent, whose type is `T` by `hsa.h` or `hsa_ext_amd.h`.
    fn agent_info<T: Zeroable>(&self, agent: hsa_agent_t, info: hsa_agent_info_t) -> Result<T> {
        let mut value = T::zeroed();
        // SAFETY: the callers ask for attributes whose type is T.
        unsafe { call!(self.hsa, hsa_agent_get_info(agent, info, (&raw mut value).cast())) }?;
        Ok(value)
    }
}

fn loaded<T>(api: Api, outcome: std::result::Result<T, LoadError>) -> Result<T> {
    outcome.map_err(|error| Error::load(api)(Box::new(error)))
}

fn start(hsa: &Hsa) -> Result<()> {
    let one_at_a_time = STARTING.lock();
    // Its code is one, whatever keeps it from opening the driver.
    // SAFETY: no preconditions; undone in `drop`.
    unsafe { call!(hsa, hsa_init()) }.map_err(|error| match (&error, kfd_sys::open_kfd()) {
        (Error::Call { .. }, Err(driver)) => Error::Open(driver),
        _ => error,
    })?;
    drop(one_at_a_time);
    Ok(())
}

/// Major and minor version of HIP, and its patch.
pub(crate) fn hip_version(hip: &Hip) -> Result<(i32, i32, i32)> {
    let mut version = 0;
    // SAFETY: writes one int.
    unsafe { call!(hip, hipRuntimeGetVersion(&mut version)) }?;
    Ok((version / 10_000_000, version / 100_000 % 100, version % 100_000))
}

impl Release for Libraries {
    fn release(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.started) {
            return Ok(());
        }
        // SAFETY: pairs with the hsa_init in `new`.
        unsafe { call!(self.hsa, hsa_shut_down()) }
    }
}

impl Drop for Libraries {
    fn drop(&mut self) {
        log(self.release());
    }
}

/// An OpenCL device.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct OpenClDevice {
    /// Its platform.
    pub platform: cl_platform_id,
    /// The device.
    pub device: cl_device_id,
    /// Where it is; `None` if the implementation does not have `CL_DEVICE_TOPOLOGY_AMD`, so is not AMD's.
    pub pci: Option<PciAddress>,
}
