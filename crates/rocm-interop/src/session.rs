//! One GPU, opened by OpenCL and HIP.

use std::ffi::{CString, c_void};
use std::sync::Arc;

use cl_sys::{cl_command_queue, cl_context, cl_device_id};
use hip_sys::hipStream_t;
use hsa_sys::{hsa_amd_pointer_info_t, hsa_amd_pointer_type_t};

use crate::call::{call, create};
use crate::{Error, Libraries, PciAddress, Result};

/// A GPU that OpenCL, HIP and HSA all see, matched by its place on the PCI bus.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// OpenCL's handle.
    pub opencl: cl_device_id,
    /// HIP's ordinal.
    pub hip: i32,
    /// Where it is.
    pub pci: PciAddress,
}

impl Device {
    /// All GPUs that the three APIs share.
    ///
    /// # Errors
    /// [`Error::Call`] of the enumeration that failed.
    pub fn all(libraries: &Libraries) -> Result<Vec<Device>> {
        let opencl = libraries.opencl_devices()?;
        let hsa = libraries.hsa_gpus()?;
        let hip = libraries.hip_devices()?;
        let agrees = |pci: &PciAddress| hsa.iter().any(|(_, other)| other == pci);
        // OpenCL gives no domain: with several domains, two devices may look alike, and neither is safe to choose.
        let same = |pci: PciAddress| opencl.iter().filter(move |cl| cl.pci.is_some_and(|at| pci.matches_opencl(&at)));
        let unique = |pci: &PciAddress| hip.iter().filter(|(_, other)| other.matches_opencl(pci)).count() == 1;
        Ok(hip
            .iter()
            .filter(|(_, pci)| agrees(pci) && unique(pci))
            .filter_map(|&(hip, pci)| same(pci).next().map(|cl| Device { opencl: cl.device, hip, pci }))
            .collect())
    }
}

/// An OpenCL context of exactly one device, an in-order queue and a HIP stream, all on one GPU.
///
/// One device, because in a context of several OpenCL keeps copies of its memory per device. Buffers borrow the session, so the
/// context outlives them. To be used from one thread at a time: HIP's current device belongs to a thread.
#[derive(Debug)]
pub struct Session {
    pub(crate) libraries: Arc<Libraries>,
    device: Device,
    pub(crate) context: cl_context,
    pub(crate) queue: cl_command_queue,
    pub(crate) stream: hipStream_t,
    owns_stream: bool,
}

/// Where an address is, as HSA's runtime says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Owner of the memory.
    pub gpu: PciAddress,
    /// Start of the allocation.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Session {
    /// Opens a GPU with a context, queue and stream of its own.
    ///
    /// # Errors
    /// [`Error::Call`]; what was made before is released.
    pub fn open(libraries: Arc<Libraries>, device: Device) -> Result<Session> {
        let cl = &libraries.cl;
        // SAFETY: no properties, one device, no callback.
        let context =
            unsafe { create!(cl, clCreateContext(std::ptr::null(), 1, &device.opencl, None, std::ptr::null_mut())) }?;
        // SAFETY: context and device belong together; property 0 is an in-order queue. The older call is the one that 1.x to 3.x have.
        let queue = match unsafe { create!(cl, clCreateCommandQueue(context, device.opencl, 0)) } {
            Ok(queue) => queue,
            Err(error) => {
                // SAFETY: made above.
                _ = unsafe { cl.clReleaseContext(context) };
                return Err(error);
            }
        };
        let mut session =
            Session { libraries, device, context, queue, stream: std::ptr::null_mut(), owns_stream: false };
        session.select_device()?;
        // SAFETY: writes one handle.
        unsafe { call!(session.libraries.hip, hipStreamCreate(&mut session.stream)) }?;
        session.owns_stream = true;
        Ok(session)
    }

    /// Takes a context and queue of somebody else's OpenCL code and a stream of somebody else's HIP code (null: the default stream).
    /// The OpenCL objects are retained; the stream stays the caller's.
    ///
    /// # Errors
    /// [`Error::Argument`] if the context has several devices or the queue is of another context; [`Error::NoDevice`] if HIP and HSA do not
    /// have the device; [`Error::Call`].
    ///
    /// # Safety
    /// The handles are valid, and the stream outlives the session and is one of the same GPU.
    pub unsafe fn from_raw(
        libraries: Arc<Libraries>,
        context: cl_context,
        queue: cl_command_queue,
        stream: hipStream_t,
    ) -> Result<Session> {
        let cl = &libraries.cl;
        let (mut devices, mut of_queue): (u32, cl_context) = (0, std::ptr::null_mut());
        let mut opencl: cl_device_id = std::ptr::null_mut();
        let null = std::ptr::null_mut();
        // SAFETY: the caller's handles; each output has the size given.
        unsafe {
            call!(cl, clGetContextInfo(context, cl_sys::CL_CONTEXT_NUM_DEVICES, 4, (&raw mut devices).cast(), null))?;
            let (context, device) = ((&raw mut of_queue).cast(), (&raw mut opencl).cast());
            call!(cl, clGetCommandQueueInfo(queue, cl_sys::CL_QUEUE_CONTEXT, size_of::<cl_context>(), context, null))?;
            call!(cl, clGetCommandQueueInfo(queue, cl_sys::CL_QUEUE_DEVICE, size_of::<cl_device_id>(), device, null))?;
        }
        if devices != 1 || of_queue != context {
            let reason = format!(
                "has {devices} devices, or the queue is of another context; one device and its own queue are needed"
            );
            return Err(Error::Argument { what: "OpenCL context", reason });
        }
        let device = Device::all(&libraries)?.into_iter().find(|device| device.opencl == opencl);
        let device =
            device.ok_or_else(|| Error::NoDevice("the context's device is not one that HIP and HSA see".to_owned()))?;
        // SAFETY: the caller's handles, released in `drop`.
        unsafe {
            call!(cl, clRetainContext(context))?;
            if let Err(error) = call!(cl, clRetainCommandQueue(queue)) {
                _ = cl.clReleaseContext(context);
                return Err(error);
            }
        }
        let session = Session { libraries, device, context, queue, stream, owns_stream: false };
        session.select_device()?;
        Ok(session)
    }

    /// The GPU.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The OpenCL context, for use with other crates. It stays the session's.
    pub fn context(&self) -> cl_context {
        self.context
    }

    /// The OpenCL queue, for use with other crates. It stays the session's.
    pub fn queue(&self) -> cl_command_queue {
        self.queue
    }

    /// The HIP stream, for use with other crates. It stays the session's.
    pub fn stream(&self) -> hipStream_t {
        self.stream
    }

    pub(crate) fn select_device(&self) -> Result<()> {
        // SAFETY: no preconditions.
        unsafe { call!(self.libraries.hip, hipSetDevice(self.device.hip)) }
    }

    /// Waits for all OpenCL work of the queue; the host and HIP see its results afterwards.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn finish(&self) -> Result<()> {
        // SAFETY: the queue lives as long as the session.
        unsafe { call!(self.libraries.cl, clFinish(self.queue)) }
    }

    /// Waits for all HIP work of the stream; the host and OpenCL see its results afterwards.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream lives as long as the session.
        unsafe { call!(self.libraries.hip, hipStreamSynchronize(self.stream)) }
    }

    /// Proves that `bytes` bytes at `address` are memory of this session's GPU, by the runtime's own bookkeeping.
    ///
    /// # Errors
    /// [`Error::NotResident`] says where they are instead.
    pub fn residency(&self, address: u64, bytes: usize) -> Result<Residency> {
        let mut info =
            hsa_amd_pointer_info_t { size: size_of::<hsa_amd_pointer_info_t>() as u32, ..Default::default() };
        let pointer = std::ptr::without_provenance::<c_void>(address as usize);
        let null = std::ptr::null_mut();
        // SAFETY: `info` has the size it states; the pointer is looked up, not followed.
        unsafe { call!(self.libraries.hsa, hsa_amd_pointer_info(pointer, &mut info, None, null, null.cast())) }?;
        let refuse = |reason: String| Err(Error::NotResident { address, bytes, reason });
        if info.type_ != hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_HSA {
            return refuse(format!("HSA's runtime knows it as {:?}, not as an allocation of its own", info.type_));
        }
        let owner = self.libraries.hsa_gpus()?.into_iter().find(|(agent, _)| agent.handle == info.agentOwner.handle);
        let Some((_, gpu)) = owner else {
            return refuse("its owner is not a GPU: host memory, which a GPU reads over PCI Express".to_owned());
        };
        if gpu != self.device.pci {
            return refuse(format!("it belongs to the GPU at {gpu}, not to the one at {}", self.device.pci));
        }
        let base = info.agentBaseAddress.addr() as u64;
        if address < base || address - base + bytes as u64 > info.sizeInBytes as u64 {
            return refuse(format!("the allocation is only {} bytes at {base:#x}", info.sizeInBytes));
        }
        Ok(Residency { gpu, base, bytes: info.sizeInBytes })
    }

    pub(crate) fn c_string(what: &'static str, text: &str) -> Result<CString> {
        CString::new(text).map_err(|error| Error::Argument { what, reason: error.to_string() })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Buffers and kernels borrow the session, so nothing uses these any more. Errors have nobody to go to.
        // SAFETY: retained or made by this session, released once.
        unsafe {
            if self.owns_stream {
                _ = self.libraries.hip.hipStreamDestroy(self.stream);
            }
            _ = self.libraries.cl.clReleaseCommandQueue(self.queue);
            _ = self.libraries.cl.clReleaseContext(self.context);
        }
    }
}
