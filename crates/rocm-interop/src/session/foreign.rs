//! Sessions on what somebody else's code has.

use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cl_sys::{cl_command_queue, cl_context, cl_device_id};
use hip_sys::hipStream_t;

use crate::apis::call::call;
use crate::session::Core;
use crate::{Device, Error, Libraries, Result, Session};

/// `hipStreamPerThread` of hip_runtime_api.h: in each thread a stream of its own.
const STREAM_PER_THREAD: usize = 2;

impl Session {
    /// Takes a context and queue of somebody else's OpenCL code and a stream of somebody else's HIP code (null: the
    /// default stream). The OpenCL objects are retained; the stream stays the caller's. HIP's current device of this
    /// thread becomes the session's.
    ///
    /// [`from_opencl`](Session::from_opencl) is for OpenCL code that has no stream, [`keep_alive`](Session::keep_alive)
    /// for a stream whose owner would go too early.
    ///
    /// # Errors
    /// [`Error::Argument`] if the context has several devices, the queue is of another context or runs out of order, or
    /// the stream is `hipStreamPerThread`; [`Error::NoDevice`] if HIP, HSA and KFD do not have the device;
    /// [`Error::SeveralRuntimes`]; those of [`Device::all`].
    ///
    /// # Safety
    /// The handles are of these libraries and valid, and the stream is one of the same GPU and outlives the session and
    /// all that was made with it.
    pub unsafe fn from_raw(
        libraries: &Arc<Libraries>,
        context: cl_context,
        queue: cl_command_queue,
        stream: hipStream_t,
    ) -> Result<Session> {
        if stream.addr() == STREAM_PER_THREAD {
            let reason =
                "is hipStreamPerThread, another one in each thread that uses the session; create one".to_owned();
            return Err(Error::Argument { subject: "HIP stream", reason });
        }
        // SAFETY: the caller's promise.
        let mut core = unsafe { Core::of_opencl(libraries, context, queue) }?;
        core.stream = stream;
        core.uses_stream(stream);
        core.shared_stream = AtomicBool::new(true);
        Ok(Session(Arc::new(core)))
    }

    /// Takes a context and queue of somebody else's OpenCL code, and makes a HIP stream of its own on the same GPU. The
    /// OpenCL objects are retained.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use rocm_interop::{Buffer, Libraries, OpenCl, Result, Session};
    /// # use rocm_interop::sys::cl_sys;
    /// # fn moves_in(context: cl_sys::cl_context, queue: cl_sys::cl_command_queue, mem: cl_sys::cl_mem) -> Result<Buffer<f32, OpenCl>> {
    /// let libraries = Arc::new(Libraries::load()?);
    /// // SAFETY: live handles of the program's OpenCL code, which uses `mem` only while the view is not HIP's.
    /// let session = unsafe { Session::from_opencl(&libraries, context, queue) }?;
    /// let view = unsafe { session.view::<f32>(mem) }?;
    /// # Ok(view) }
    /// ```
    ///
    /// # Errors
    /// As of [`from_raw`](Session::from_raw).
    ///
    /// # Safety
    /// The handles are of these libraries and valid.
    pub unsafe fn from_opencl(
        libraries: &Arc<Libraries>,
        context: cl_context,
        queue: cl_command_queue,
    ) -> Result<Session> {
        // SAFETY: the caller's promise.
        let mut core = unsafe { Core::of_opencl(libraries, context, queue) }?;
        core.make_stream()?;
        Ok(Session(Arc::new(core)))
    }

    /// Keeps `owner` until the session has given everything back: whatever owns the stream of
    /// [`from_raw`](Session::from_raw), so that it outlives the session and all that was made with it, and the program
    /// need not see to that. It is dropped behind the session's last call, in the thread of who has the last reference;
    /// if the session is [leaked](Error::Leaked), never. May be called several times, each for one more.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use rocm_interop::{Libraries, Result, Session};
    /// # use rocm_interop::sys::{cl_sys, hip_sys};
    /// /// Destroys the stream when it is dropped.
    /// struct Stream(hip_sys::hipStream_t);
    /// # unsafe impl Send for Stream {}
    /// # unsafe impl Sync for Stream {}
    /// # fn moves_in(libraries: &Arc<Libraries>, context: cl_sys::cl_context, queue: cl_sys::cl_command_queue, stream: Arc<Stream>) -> Result<Session> {
    /// // SAFETY: live handles; the stream is kept by the session itself.
    /// let session = unsafe { Session::from_raw(libraries, context, queue, stream.0) }?;
    /// session.keep_alive(stream);
    /// # Ok(session) }
    /// ```
    pub fn keep_alive(&self, owner: impl Send + 'static) {
        self.0.owners.0.lock().push(Box::new(owner));
    }
}

impl Core {
    /// Of somebody else's context and queue, without a stream.
    ///
    /// # Safety
    /// The handles are of these libraries and valid.
    unsafe fn of_opencl(libraries: &Arc<Libraries>, context: cl_context, queue: cl_command_queue) -> Result<Core> {
        let refuse = |subject, reason: String| Err(Error::Argument { subject, reason });
        let cl = &libraries.cl;
        let (mut devices, mut of_queue): (u32, cl_context) = (0, null_mut());
        let mut opencl: cl_device_id = null_mut();
        let mut properties: cl_sys::cl_command_queue_properties = 0;
        // SAFETY: the caller's handles; each output has the size given.
        unsafe {
            context_info(cl, context, cl_sys::CL_CONTEXT_NUM_DEVICES, &mut devices)?;
            queue_info(cl, queue, cl_sys::CL_QUEUE_CONTEXT, &mut of_queue)?;
            queue_info(cl, queue, cl_sys::CL_QUEUE_DEVICE, &mut opencl)?;
            queue_info(cl, queue, cl_sys::CL_QUEUE_PROPERTIES, &mut properties)?;
        }
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
                "runs out of order, but commands of a session follow each other without events; give one that is created without \
                 CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, and let `queue_waits_for` and `queue_event` put its commands behind and before those of this one"
                    .to_owned();
            return refuse("OpenCL queue", reason);
        }
        let device = Device::all(libraries)?.into_iter().find(|device| device.opencl() == opencl);
        let device = device
            .ok_or_else(|| Error::NoDevice("the context's device is not one that HIP, HSA and KFD see".to_owned()))?;
        let mut core = Core::empty(device);
        core.profiles = properties & cl_sys::CL_QUEUE_PROFILING_ENABLE != 0;
        core.shared_queue = AtomicBool::new(true);
        // SAFETY: the caller's handles, given back in `release`.
        unsafe {
            call!(cl, clRetainContext(context))?;
            core.context = context;
            call!(cl, clRetainCommandQueue(queue))?;
            core.queue = queue;
        }
        core.select_device()?;
        Ok(core)
    }
}

/// # Safety
/// `info` of a valid `context` has the type of `value`.
unsafe fn context_info<T>(cl: &cl_sys::Cl, context: cl_context, info: u32, value: &mut T) -> Result<()> {
    let null = null_mut();
    // SAFETY: the caller's promise.
    unsafe { call!(cl, clGetContextInfo(context, info, size_of::<T>(), std::ptr::from_mut(value).cast(), null)) }
}

/// # Safety
/// `info` of a valid `queue` has the type of `value`.
unsafe fn queue_info<T>(cl: &cl_sys::Cl, queue: cl_command_queue, info: u32, value: &mut T) -> Result<()> {
    let null = null_mut();
    // SAFETY: the caller's promise.
    unsafe { call!(cl, clGetCommandQueueInfo(queue, info, size_of::<T>(), std::ptr::from_mut(value).cast(), null)) }
}
