//! One GPU, opened by OpenCL and HIP.

use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::sync::Arc;

use cl_sys::{cl_command_queue, cl_context, cl_device_id};
use hip_sys::hipStream_t;
use hsa_sys::{hsa_agent_t, hsa_amd_pointer_info_t, hsa_amd_pointer_type_t};

use crate::call::{call, create, first, log};
use crate::{Error, KfdGpu, Libraries, PciAddress, Result};

/// A GPU that OpenCL, HIP, HSA and the kernel driver all see, matched by its place on the PCI bus.
///
/// Comes only from [`Device::all`]: its handles are those that the libraries gave. It stays on its thread, as OpenCL's handle is a pointer;
/// another thread asks [`Device::all`] itself.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    opencl: cl_device_id,
    hip: i32,
    hsa: hsa_agent_t,
    kfd: KfdGpu,
    pci: PciAddress,
}

impl Device {
    /// All GPUs that the three APIs and the driver share, in the order of HIP: none, if no GPU is seen by all.
    ///
    /// The APIs number GPUs differently, and not alike from one process to the next: `ROCR_VISIBLE_DEVICES` hides and reorders them for
    /// all three APIs, `HIP_VISIBLE_DEVICES` for HIP, `GPU_DEVICE_ORDINAL` for OpenCL.
    ///
    /// # Errors
    /// [`Error::Call`], [`Error::Load`] or [`Error::Topology`] of the enumeration that failed.
    pub fn all(libraries: &Libraries) -> Result<Vec<Device>> {
        let opencl = libraries.opencl_devices()?;
        let hsa = libraries.hsa_gpus()?;
        let hip = libraries.hip_devices()?;
        let kfd = KfdGpu::all()?;
        // OpenCL gives no domain: with several domains, two GPUs may look alike to it, and neither is safe to choose. The driver has
        // them all, also those that an environment variable hides from HIP.
        let alike = |at: PciAddress| kfd.iter().filter(|gpu| gpu.pci.matches_opencl(&at)).count();
        let mut devices: Vec<Device> = kfd
            .iter()
            .filter(|gpu| alike(gpu.pci) == 1)
            .filter_map(|&kfd| {
                let pci = kfd.pci;
                Some(Device {
                    opencl: opencl.iter().find(|cl| cl.pci.is_some_and(|at| pci.matches_opencl(&at)))?.device,
                    hip: hip.iter().find(|(_, at)| *at == pci)?.0,
                    hsa: hsa.iter().find(|(_, at)| *at == pci)?.0,
                    kfd,
                    pci,
                })
            })
            .collect();
        devices.sort_by_key(|device| device.hip);
        Ok(devices)
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

    /// The driver's GPU.
    pub fn kfd(&self) -> KfdGpu {
        self.kfd
    }

    /// Where it is.
    pub fn pci(&self) -> PciAddress {
        self.pci
    }
}

/// An OpenCL context of exactly one device, an in-order queue and a HIP stream, all on one GPU.
///
/// One device, because in a context of several OpenCL keeps copies of its memory per device. Buffers borrow the session, so the
/// context outlives them. It stays on its thread: HIP's current device belongs to a thread, and is the session's after each of its calls
/// that use HIP.
#[derive(Debug)]
pub struct Session {
    pub(crate) libraries: Arc<Libraries>,
    device: Device,
    pub(crate) context: cl_context,
    pub(crate) queue: cl_command_queue,
    /// A second queue, made when it is first needed.
    transfer: Cell<cl_command_queue>,
    pub(crate) stream: hipStream_t,
    owns_stream: bool,
}

/// Where an address is, as HSA's runtime says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Owner of the memory.
    pub gpu: PciAddress,
    /// Address of the start of the allocation, for GPU and host alike.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Session {
    /// Opens a GPU with a context, queue and stream of its own.
    ///
    /// # Errors
    /// [`Error::Call`] or [`Error::Load`]; what was made before is released.
    pub fn open(libraries: Arc<Libraries>, device: Device) -> Result<Session> {
        let mut session = Session::empty(libraries, device);
        let cl = &session.libraries.cl;
        // SAFETY: no properties, one device, no callback.
        session.context =
            unsafe { create!(cl, clCreateContext(std::ptr::null(), 1, &device.opencl, None, std::ptr::null_mut())) }?;
        // SAFETY: context and device belong together; property 0 is an in-order queue. The older call is the one that 1.x to 3.x have.
        session.queue = unsafe { create!(cl, clCreateCommandQueue(session.context, device.opencl, 0)) }?;
        session.select_device()?;
        // SAFETY: writes one handle.
        unsafe { call!(session.libraries.hip, hipStreamCreate(&mut session.stream)) }?;
        session.owns_stream = true;
        Ok(session)
    }

    /// Without anything to give back.
    fn empty(libraries: Arc<Libraries>, device: Device) -> Session {
        let (context, queue, stream) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
        Session {
            libraries,
            device,
            context,
            queue,
            transfer: Cell::new(std::ptr::null_mut()),
            stream,
            owns_stream: false,
        }
    }

    /// Takes a context and queue of somebody else's OpenCL code and a stream of somebody else's HIP code (null: the default stream).
    /// The OpenCL objects are retained; the stream stays the caller's. HIP's current device of this thread becomes the session's.
    ///
    /// # Errors
    /// [`Error::Argument`] if the context has several devices, the queue is of another context, or runs out of order;
    /// [`Error::NoDevice`] if HIP, HSA and KFD do not have the device; those of [`Device::all`].
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
        let mut properties: cl_sys::cl_command_queue_properties = 0;
        // SAFETY: the caller's handles; each output has the size given.
        unsafe {
            context_info(cl, context, cl_sys::CL_CONTEXT_NUM_DEVICES, &mut devices)?;
            queue_info(cl, queue, cl_sys::CL_QUEUE_CONTEXT, &mut of_queue)?;
            queue_info(cl, queue, cl_sys::CL_QUEUE_DEVICE, &mut opencl)?;
            queue_info(cl, queue, cl_sys::CL_QUEUE_PROPERTIES, &mut properties)?;
        }
        let refuse = |what, reason: String| Err(Error::Argument { what, reason });
        if devices != 1 {
            return refuse(
                "OpenCL context",
                format!("has {devices} devices, and with several OpenCL keeps a copy for each; create it for one"),
            );
        }
        if of_queue != context {
            return refuse("OpenCL queue", "is of another context than the one given with it".to_owned());
        }
        if properties & cl_sys::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0 {
            let reason =
                "runs out of order, but commands of a session follow each other without events; create it without \
                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE"
                    .to_owned();
            return refuse("OpenCL queue", reason);
        }
        let device = Device::all(&libraries)?.into_iter().find(|device| device.opencl == opencl);
        let device = device
            .ok_or_else(|| Error::NoDevice("the context's device is not one that HIP, HSA and KFD see".to_owned()))?;
        let mut session = Session::empty(libraries, device);
        session.stream = stream;
        let cl = &session.libraries.cl;
        // SAFETY: the caller's handles, given back in `release`.
        unsafe {
            call!(cl, clRetainContext(context))?;
            session.context = context;
            call!(cl, clRetainCommandQueue(queue))?;
            session.queue = queue;
        }
        session.select_device()?;
        Ok(session)
    }

    /// Gives everything back that the session made or retained. Work that raw handles enqueued is not waited for; see
    /// [`finish`](Session::finish) and [`synchronize`](Session::synchronize). Dropping does too, but can only log an error, by `tracing`.
    ///
    /// ```compile_fail,E0505
    /// # use rocm_interop::{Result, Session};
    /// fn close_under_a_buffer(session: Session) -> Result<()> {
    ///     let buffer = session.allocate::<f32>(16)?;
    ///     session.close()?; // the buffer still needs it
    ///     buffer.close()
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Call`] of the first release that failed. The others were tried too.
    pub fn close(mut self) -> Result<()> {
        self.release()
    }

    fn release(&mut self) -> Result<()> {
        // Taken, so that each is given back once whatever happens.
        let stream = std::mem::take(&mut self.owns_stream).then_some(self.stream);
        let queue = std::mem::replace(&mut self.queue, std::ptr::null_mut());
        let transfer = self.transfer.replace(std::ptr::null_mut());
        let context = std::mem::replace(&mut self.context, std::ptr::null_mut());
        let Libraries { cl, hip, .. } = &*self.libraries;
        // SAFETY: retained or made by this session; what borrows it is gone.
        unsafe {
            first([
                stream.map_or(Ok(()), |stream| call!(hip, hipStreamDestroy(stream))),
                if transfer.is_null() { Ok(()) } else { call!(cl, clReleaseCommandQueue(transfer)) },
                if queue.is_null() { Ok(()) } else { call!(cl, clReleaseCommandQueue(queue)) },
                if context.is_null() { Ok(()) } else { call!(cl, clReleaseContext(context)) },
            ])
        }
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

    /// The queue for copies that run beside the other one.
    pub(crate) fn transfer_queue(&self) -> Result<cl_command_queue> {
        if self.transfer.get().is_null() {
            // SAFETY: as in `open`.
            let queue =
                unsafe { create!(self.libraries.cl, clCreateCommandQueue(self.context, self.device.opencl, 0)) }?;
            self.transfer.set(queue);
        }
        Ok(self.transfer.get())
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
        // The default stream is that of the thread's current device, which may be another session's by now.
        self.select_device()?;
        // SAFETY: the stream lives as long as the session.
        unsafe { call!(self.libraries.hip, hipStreamSynchronize(self.stream)) }
    }

    /// Proves that `bytes` bytes at `address` are memory of this session's GPU, by the runtime's own bookkeeping. Any address may be asked
    /// about; nothing is read there.
    ///
    /// # Errors
    /// [`Error::NotResident`] says where they are instead; [`Error::Call`].
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
        let end = address.checked_sub(base).and_then(|offset| offset.checked_add(bytes as u64));
        if end.is_none_or(|end| end > info.sizeInBytes as u64) {
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
        log(self.release());
    }
}

/// # Safety
/// `info` of a valid `context` has the type of `value`.
unsafe fn context_info<T>(cl: &cl_sys::Cl, context: cl_context, info: u32, value: &mut T) -> Result<()> {
    let null = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe { call!(cl, clGetContextInfo(context, info, size_of::<T>(), std::ptr::from_mut(value).cast(), null)) }
}

/// # Safety
/// `info` of a valid `queue` has the type of `value`.
unsafe fn queue_info<T>(cl: &cl_sys::Cl, queue: cl_command_queue, info: u32, value: &mut T) -> Result<()> {
    let null = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe { call!(cl, clGetCommandQueueInfo(queue, info, size_of::<T>(), std::ptr::from_mut(value).cast(), null)) }
}
