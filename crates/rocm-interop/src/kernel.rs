//! Kernels of both APIs, compiled at run time.

use std::convert::Infallible;
use std::ffi::{CStr, c_void};

use cl_sys::{cl_int, cl_kernel, cl_program};
use hip_sys::{hipFunction_t, hipModule_t, hiprtcProgram, hiprtcResult};

use crate::call::{Code, call, check, create, first, log, present};
use crate::{Api, Buffer, Element, Error, Hip, OpenCl, Result, Session};

/// OpenCL C, compiled for the session's device.
#[derive(Debug)]
pub struct OpenClProgram<'s> {
    session: &'s Session,
    program: cl_program,
}

impl<'s> OpenClProgram<'s> {
    /// Compiles `source` with `options`, as `clBuildProgram` takes them.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log, [`Error::Argument`] if one of the texts contains a 0, [`Error::Call`].
    pub fn build(session: &'s Session, source: &str, options: &str) -> Result<OpenClProgram<'s>> {
        let cl = &session.libraries.cl;
        let (source, options) = (Session::c_string("source", source)?, Session::c_string("build options", options)?);
        let mut text = source.as_ptr();
        // SAFETY: one string that ends in 0: a length would not do, of which OpenCL takes 0 as none given.
        let program =
            unsafe { create!(cl, clCreateProgramWithSource(session.context, 1, &raw mut text, std::ptr::null())) }?;
        let program = OpenClProgram { session, program };
        let (device, null) = (session.device().opencl(), std::ptr::null_mut());
        // SAFETY: the program's own device; options end in 0.
        let code = present::<cl_int, _, _>(unsafe {
            cl.clBuildProgram(program.program, 1, &device, options.as_ptr(), None, null)
        })?;
        if matches!(code, cl_sys::CL_BUILD_PROGRAM_FAILURE | cl_sys::CL_INVALID_BUILD_OPTIONS) {
            return Err(Error::Compile { api: Api::OpenCl, code: code.name(), log: readable(program.log()) });
        }
        check::<_, Infallible>("clBuildProgram", Ok(code)).map(|()| program)
    }

    fn log(&self) -> Result<String> {
        let (cl, device) = (&self.session.libraries.cl, self.session.device().opencl());
        let mut log = vec![0u8; 1 << 16];
        let info = cl_sys::CL_PROGRAM_BUILD_LOG;
        let (room, mut written) = (log.len(), 0);
        // SAFETY: room as stated.
        unsafe {
            call!(cl, clGetProgramBuildInfo(self.program, device, info, room, log.as_mut_ptr().cast(), &mut written))
        }?;
        log.truncate(written.min(room));
        Ok(String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_owned())
    }

    /// A kernel by name.
    ///
    /// # Errors
    /// [`Error::Call`], `CL_INVALID_KERNEL_NAME` if there is none of that name; [`Error::Argument`] if it contains a 0.
    pub fn kernel(&self, name: &str) -> Result<OpenClKernel<'_>> {
        let name = Session::c_string("kernel name", name)?;
        // SAFETY: a built program and a name that ends in 0.
        let kernel = unsafe { create!(self.session.libraries.cl, clCreateKernel(self.program, name.as_ptr())) }?;
        Ok(OpenClKernel { session: self.session, kernel, _program: self })
    }

    /// Releases the program. Dropping does too, but can only log an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn close(mut self) -> Result<()> {
        self.release()
    }

    fn release(&mut self) -> Result<()> {
        let program = std::mem::replace(&mut self.program, std::ptr::null_mut());
        if program.is_null() {
            return Ok(());
        }
        // SAFETY: made by `build`; its kernels borrow it, so they are gone.
        unsafe { call!(self.session.libraries.cl, clReleaseProgram(program)) }
    }
}

impl Drop for OpenClProgram<'_> {
    fn drop(&mut self) {
        log(self.release());
    }
}

/// A kernel of an [`OpenClProgram`].
#[derive(Debug)]
pub struct OpenClKernel<'p> {
    session: &'p Session,
    kernel: cl_kernel,
    _program: &'p OpenClProgram<'p>,
}

impl OpenClKernel<'_> {
    /// OpenCL's handle; it stays the kernel's.
    pub fn raw(&self) -> cl_kernel {
        self.kernel
    }

    /// Releases the kernel. Dropping does too, but can only log an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn close(mut self) -> Result<()> {
        self.release()
    }

    fn release(&mut self) -> Result<()> {
        let kernel = std::mem::replace(&mut self.kernel, std::ptr::null_mut());
        if kernel.is_null() {
            return Ok(());
        }
        // SAFETY: made by `OpenClProgram::kernel`. What is enqueued holds the kernel itself.
        unsafe { call!(self.session.libraries.cl, clReleaseKernel(kernel)) }
    }

    /// Sets argument `index` to a buffer that OpenCL owns.
    ///
    /// ```compile_fail,E0308
    /// # use rocm_interop::{Buffer, Hip, OpenClKernel, Result};
    /// fn on_hips_turn(kernel: &OpenClKernel<'_>, buffer: &Buffer<'_, f32, Hip>) -> Result<()> {
    ///     kernel.set_buffer(0, buffer)
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if the buffer is of another session, whose hand-over would not wait for this kernel; [`Error::Call`].
    pub fn set_buffer<T: Element>(&self, index: u32, buffer: &Buffer<'_, T, OpenCl>) -> Result<()> {
        same_session(self.session, buffer.session())?;
        buffer.set_argument(self.kernel, index)
    }

    /// Sets argument `index` to a value.
    ///
    /// # Errors
    /// [`Error::Call`], `CL_INVALID_ARG_SIZE` if the kernel's argument has another size.
    ///
    /// # Safety
    /// The kernel's argument is a value: for a pointer, an image or a sampler, OpenCL would take the bytes of `value` as a handle of its own and
    /// follow it.
    pub unsafe fn set_value<T: Element>(&self, index: u32, value: T) -> Result<()> {
        // SAFETY: the value is read during the call, and by the contract of this function as a value.
        unsafe {
            call!(
                self.session.libraries.cl,
                clSetKernelArg(self.kernel, index, size_of::<T>(), (&raw const value).cast())
            )
        }
    }

    /// Enqueues the kernel: `global` work-items in each of 1 to 3 dimensions, in work-groups of `local` (the runtime's choice if `None`).
    /// Returns when it is enqueued.
    ///
    /// # Errors
    /// [`Error::Argument`] for other numbers of dimensions, [`Error::Call`]. A kernel that fails while it runs is an error of a later call, or
    /// ends the process, as the runtime has it.
    ///
    /// # Safety
    /// All arguments are set, to buffers that still exist and that HIP has not been given since, and the kernel stays inside them.
    pub unsafe fn launch(&self, global: &[usize], local: Option<&[usize]>) -> Result<()> {
        if !(1..=3).contains(&global.len()) || local.is_some_and(|local| local.len() != global.len()) {
            return Err(Error::Argument {
                what: "work size",
                reason: format!("global {global:?}, local {local:?}: needs 1 to 3 dimensions, as many in both"),
            });
        }
        let (queue, dimensions) = (self.session.queue, global.len() as u32);
        let local = local.map_or(std::ptr::null(), <[usize]>::as_ptr);
        let (none, event) = (std::ptr::null(), std::ptr::null_mut());
        let cl = &self.session.libraries.cl;
        // SAFETY: both sizes have `dimensions` elements; the rest is the caller's promise.
        unsafe {
            call!(
                cl,
                clEnqueueNDRangeKernel(
                    queue,
                    self.kernel,
                    dimensions,
                    std::ptr::null(),
                    global.as_ptr(),
                    local,
                    0,
                    none,
                    event
                )
            )
        }
    }
}

impl Drop for OpenClKernel<'_> {
    fn drop(&mut self) {
        log(self.release());
    }
}

/// HIP C++, compiled by hiprtc and loaded on the session's device.
#[derive(Debug)]
pub struct HipModule<'s> {
    session: &'s Session,
    module: hipModule_t,
}

impl<'s> HipModule<'s> {
    /// Compiles and loads.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log, [`Error::Argument`] if the source contains a 0, [`Error::Call`].
    pub fn build(session: &'s Session, source: &str) -> Result<HipModule<'s>> {
        let rtc = &session.libraries.hiprtc;
        let source = Session::c_string("source", source)?;
        let mut program: hiprtcProgram = std::ptr::null_mut();
        let null = std::ptr::null_mut;
        // SAFETY: one source, no headers.
        unsafe {
            call!(rtc, hiprtcCreateProgram(&mut program, source.as_ptr(), c"kernel.hip".as_ptr(), 0, null(), null()))
        }?;
        let code = compile(session, program);
        // SAFETY: made above.
        let destroyed = unsafe { call!(rtc, hiprtcDestroyProgram(&mut program)) };
        let code = match code {
            Ok(code) => destroyed.map(|()| code),
            Err(error) => {
                log(destroyed);
                Err(error)
            }
        }?;
        session.select_device()?;
        let mut module: hipModule_t = std::ptr::null_mut();
        // SAFETY: a code object that hiprtc made.
        unsafe { call!(session.libraries.hip, hipModuleLoadData(&mut module, code.as_ptr().cast())) }?;
        Ok(HipModule { session, module })
    }

    /// A kernel by name (declare it `extern "C"`).
    ///
    /// # Errors
    /// [`Error::Call`], `hipErrorNotFound` if there is none of that name; [`Error::Argument`] if it contains a 0.
    pub fn kernel(&self, name: &str) -> Result<HipKernel<'_>> {
        let name = Session::c_string("kernel name", name)?;
        // HIP ends the process if another device is current than the one that the module was loaded on.
        self.session.select_device()?;
        let mut function: hipFunction_t = std::ptr::null_mut();
        // SAFETY: a loaded module and a name that ends in 0.
        unsafe { call!(self.session.libraries.hip, hipModuleGetFunction(&mut function, self.module, name.as_ptr())) }?;
        Ok(HipKernel { session: self.session, function, _module: self })
    }

    /// Waits for the session's stream, which may still run the module's kernels, and unloads it. Dropping does too, but can only log
    /// an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn close(mut self) -> Result<()> {
        self.release()
    }

    fn release(&mut self) -> Result<()> {
        let module = std::mem::replace(&mut self.module, std::ptr::null_mut());
        if module.is_null() {
            return Ok(());
        }
        let waited = self.session.synchronize();
        // SAFETY: loaded by `build`; its kernels borrow it, so nobody launches them any more.
        first([waited, unsafe { call!(self.session.libraries.hip, hipModuleUnload(module)) }])
    }
}

fn same_session(kernel: &Session, buffer: &Session) -> Result<()> {
    if std::ptr::eq(kernel, buffer) {
        return Ok(());
    }
    let reason =
        "is of another session than the kernel, but its hand-over waits for its own session's queue and stream only: \
                  make both with one session"
            .to_owned();
    Err(Error::Argument { what: "buffer", reason })
}

/// A compiler's log, or why there is none.
fn readable(log: Result<String>) -> String {
    log.unwrap_or_else(|error| format!("the compiler's log could not be read: {error}"))
}

fn compile(session: &Session, program: hiprtcProgram) -> Result<Vec<u8>> {
    let rtc = &session.libraries.hiprtc;
    // No options: hiprtc compiles for the current device.
    session.select_device()?;
    // SAFETY: a program that was just made.
    let code = present::<hiprtcResult, _, _>(unsafe { rtc.hiprtcCompileProgram(program, 0, std::ptr::null_mut()) })?;
    if matches!(code, hiprtcResult::HIPRTC_ERROR_COMPILATION | hiprtcResult::HIPRTC_ERROR_INVALID_OPTION) {
        let mut log = vec![0u8; 1 << 16];
        let mut size = 0;
        // SAFETY: the log is read only if it fits; the last byte stays 0.
        let read = unsafe {
            call!(rtc, hiprtcGetProgramLogSize(program, &mut size)).and_then(|()| {
                if size >= log.len() {
                    log.resize(size + 1, 0);
                }
                call!(rtc, hiprtcGetProgramLog(program, log.as_mut_ptr().cast()))
            })
        };
        let log = read.map(|()| CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned());
        return Err(Error::Compile { api: Api::Hiprtc, code: Code::name(code), log: readable(log) });
    }
    check::<_, Infallible>("hiprtcCompileProgram", Ok(code))?;
    let mut size = 0;
    // SAFETY: writes one size.
    unsafe { call!(rtc, hiprtcGetCodeSize(program, &mut size)) }?;
    let mut code = vec![0u8; size];
    // SAFETY: room as hiprtc asked.
    unsafe { call!(rtc, hiprtcGetCode(program, code.as_mut_ptr().cast())) }?;
    Ok(code)
}

impl Drop for HipModule<'_> {
    fn drop(&mut self) {
        log(self.release());
    }
}

/// A kernel of a [`HipModule`].
#[derive(Debug)]
pub struct HipKernel<'m> {
    session: &'m Session,
    function: hipFunction_t,
    _module: &'m HipModule<'m>,
}

/// An argument of a HIP kernel. Made of a `u32`, an `f32`, or a buffer that HIP owns, which the kernel gets as a pointer.
#[derive(Clone, Copy, Debug)]
pub struct HipArgument<'b> {
    bits: u64,
    /// Of the buffer that `bits` is the address of; borrowed with it.
    session: Option<&'b Session>,
}

impl<'b, T: Element> From<&'b Buffer<'_, T, Hip>> for HipArgument<'b> {
    fn from(buffer: &'b Buffer<'_, T, Hip>) -> Self {
        HipArgument { bits: buffer.address(), session: Some(buffer.session()) }
    }
}
impl From<u32> for HipArgument<'_> {
    fn from(value: u32) -> Self {
        HipArgument { bits: value.into(), session: None }
    }
}
impl From<f32> for HipArgument<'_> {
    fn from(value: f32) -> Self {
        HipArgument::from(value.to_bits())
    }
}

impl HipKernel<'_> {
    /// Launches `groups` work-groups of `items` work-items on the session's stream, in one dimension. Returns when it is enqueued.
    ///
    /// ```compile_fail,E0277
    /// # use rocm_interop::{Buffer, HipKernel, OpenCl, Result};
    /// fn on_opencls_turn(kernel: &HipKernel<'_>, buffer: &Buffer<'_, f32, OpenCl>) -> Result<()> {
    ///     unsafe { kernel.launch(1, 64, &[buffer.into()]) }
    /// }
    /// ```
    /// ```compile_fail,E0505
    /// # use rocm_interop::{Buffer, Hip, HipArgument, HipKernel, Result};
    /// fn argument_of_a_buffer_given_back(kernel: &HipKernel<'_>, buffer: Buffer<'_, f32, Hip>) -> Result<()> {
    ///     let argument = HipArgument::from(&buffer);
    ///     let _on_opencl = buffer.into_opencl()?;
    ///     unsafe { kernel.launch(1, 64, &[argument]) }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if a buffer is of another session, whose hand-over would not wait for this kernel; [`Error::Call`].
    ///
    /// # Safety
    /// The arguments are those that the kernel declares, and it stays inside the buffers.
    pub unsafe fn launch(&self, groups: u32, items: u32, arguments: &[HipArgument<'_>]) -> Result<()> {
        arguments.iter().filter_map(|argument| argument.session).try_for_each(|of| same_session(self.session, of))?;
        self.session.select_device()?;
        let mut values: Vec<u64> = arguments.iter().map(|argument| argument.bits).collect();
        // Little-endian: a 4-byte argument is at the start of its 8 bytes.
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        let (stream, none) = (self.session.stream, std::ptr::null_mut());
        let hip = &self.session.libraries.hip;
        let pointers = pointers.as_mut_ptr();
        // SAFETY: HIP copies the arguments during the call, as many as the kernel declares.
        unsafe {
            call!(hip, hipModuleLaunchKernel(self.function, groups, 1, 1, items, 1, 1, 0, stream, pointers, none))
        }
    }
}
