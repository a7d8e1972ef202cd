//! HIP's kernels, compiled at run time or before.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hip_sys::{hipFunction_t, hipModule_t};
use smallvec::SmallVec;

use crate::apis::call::{Release, call, close, first, log};
use crate::error::Api;
use crate::kernels::argument::Kind;
use crate::kernels::hip_source::{HipSource, Symbols};
use crate::kernels::parameter::{Signature, code_for, given, no_kernel, not_loaded, refuse_constructors};
use crate::kernels::work_size;
use crate::session::times::Work;
use crate::session::{Core, c_string};
use crate::{Argument, Error, Hip, Result, Session};

/// HIP's code, compiled by hiprtc or before, loaded on the session's device.
#[derive(Debug)]
pub struct HipModule(Arc<Module>);

/// What a module and its kernels share.
#[derive(Debug)]
struct Module {
    core: Arc<Core>,
    module: hipModule_t,
    /// HIP keeps a pointer to it.
    image: Vec<u8>,
    symbols: Symbols,
    /// Number of the last work of the session's stream that runs it.
    in_stream: AtomicU64,
}

// SAFETY: HIP's modules and functions belong to a device, not to a thread, and its functions that take one are
// thread-safe.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl HipModule {
    /// Compiles and loads.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log, [`Error::CodeObject`] if an option made it compile for other GPUs,
    /// [`Error::Argument`] if a text contains a 0, or the source constructors or destructors, which would run without a
    /// launch; [`Error::Call`].
    #[doc(alias = "hiprtcCompileProgram")]
    pub fn build(session: &Session, source: impl Into<HipSource>) -> Result<HipModule> {
        let (code, symbols) = source.into().compile(&session.0)?;
        HipModule::of_code(&session.0, code, symbols)
    }

    /// Loads what was compiled before: a code object for the session's GPU, as [`code`](HipModule::code) gives it or
    /// `clang -x hip --cuda-device-only` writes it, or an offload bundle with one (`hipcc --genco`), compressed or not.
    /// Kernels have the names of its symbols: those of `extern "C"`, or mangled ones.
    ///
    /// # Errors
    /// [`Error::CodeObject`] if it is neither, or for other GPUs; [`Error::CodeVersion`] if it is newer than HIP;
    /// [`Error::Argument`] if it has constructors or destructors; [`Error::Call`].
    ///
    /// # Safety
    /// A compiler made it: HIP's loader believes what the file says of itself.
    #[doc(alias = "hipModuleLoadData")]
    pub unsafe fn load(session: &Session, code: &[u8]) -> Result<HipModule> {
        let code = code_for(&session.0, code)?;
        HipModule::of_code(&session.0, code, Vec::new())
    }

    fn of_code(core: &Arc<Core>, image: Vec<u8>, symbols: Symbols) -> Result<HipModule> {
        refuse_constructors(&image)?;
        core.select_device()?;
        let mut module =
            Module { core: Arc::clone(core), module: null_mut(), image, symbols, in_stream: AtomicU64::new(0) };
        // SAFETY: a code object of a compiler's, which stays where it is until the module is unloaded.
        unsafe {
            let image = module.image.as_ptr().cast();
            call!(module.core.libraries.hip, hipModuleLoadData(&mut module.module, image))
        }
        .map_err(|error| not_loaded(core, &module.image, error))?;
        Ok(HipModule(Arc::new(module)))
    }

    /// The code object, for [`load`](HipModule::load) in another run, which takes a small part of the time of a
    /// [`build`](HipModule::build).
    ///
    /// Whoever keeps it decides when it is out of date. It depends on the text, headers, options and instances; on
    /// files that these name; on the GPU's [instruction set](crate::Device::isa), which `load` checks; on the
    /// compiler's version; and on environment variables that add options (`HIPRTC_COMPILE_OPTIONS_APPEND`).
    pub fn code(&self) -> &[u8] {
        &self.0.image
    }

    /// The name of the kernel that the source calls `name` in the [code](HipModule::code). By this name,
    /// [`kernel`](HipModule::kernel) finds it in a module of [`load`](HipModule::load) too.
    ///
    /// An instance of a template and a kernel that is not `extern "C"` ([`HipSource::instance`]) have a mangled name;
    /// all others have their own.
    ///
    /// ```
    /// # use rocm_interop::{Result, Session};
    /// # use rocm_interop::hip::{HipKernel, HipModule, HipSource};
    /// fn in_another_session(session: &Session, other: &Session, source: HipSource) -> Result<HipKernel> {
    ///     let module = HipModule::build(session, source.instance("scale<double>"))?;
    ///     let (code, symbol) = (module.code(), module.symbol("scale<double>")); // for a file, say
    ///     // SAFETY: a compiler made it.
    ///     unsafe { HipModule::load(other, code) }?.kernel(symbol)
    /// }
    /// ```
    pub fn symbol<'n>(&'n self, name: &'n str) -> &'n str {
        self.0.symbols.iter().find(|(instance, _)| instance == name).map_or(name, |(_, symbol)| symbol)
    }

    /// A kernel by name: declared `extern "C"`, or of [`HipSource::instance`]. It keeps the module loaded.
    ///
    /// # Errors
    /// [`Error::NoKernel`] if there is none of that name, [`Error::Argument`] if it contains a 0, [`Error::Call`].
    #[doc(alias = "hipModuleGetFunction")]
    pub fn kernel(&self, name: &str) -> Result<HipKernel> {
        let symbol = self.symbol(name);
        let (c_name, signature) = (c_string("kernel name", symbol)?, Signature::of(&self.0.image, symbol));
        let module = Arc::clone(&self.0);
        // HIP ends the process if another device is current than the one that the module was loaded on.
        module.core.select_device()?;
        let mut function: hipFunction_t = null_mut();
        // SAFETY: a loaded module and a name that ends in 0.
        unsafe {
            call!(module.core.libraries.hip, hipModuleGetFunction(&mut function, module.module, c_name.as_ptr()))
        }
        .map_err(|error| no_kernel(error, &module.image, name))?;
        Ok(HipKernel { module, function, name: name.into(), signature })
    }

    /// Gives up the module. The last of it and its kernels waits for the session's stream, if that may still run them,
    /// and unloads it; its `close` returns how that went. Dropping does too, but can only log an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::Leaked`] if the wait failed, [`Error::Call`]; else [`Error::TimedOut`] if some of the stream's work ran
    /// too early.
    pub fn close(self) -> Result<()> {
        give_up(self.0)
    }
}

fn give_up(module: Arc<Module>) -> Result<()> {
    let core = Arc::clone(&module.core);
    // The last has waited, and tells.
    let unloaded = Arc::into_inner(module)
        .map_or(Ok(()), |mut last| last.release().and_then(|()| last.core.report_late(Api::Hip)));
    first([unloaded, close(core)])
}

impl Release for Module {
    fn release(&mut self) -> Result<()> {
        let module = std::mem::replace(&mut self.module, null_mut());
        if module.is_null() {
            return Ok(());
        }
        let may_run = self.core.in_stream.may_run(*self.in_stream.get_mut());
        if let Err(reason) = if may_run { self.core.wait(Api::Hip) } else { self.core.check_abandoned(Api::Hip) } {
            // Its code may still run.
            std::mem::forget(std::mem::take(&mut self.image));
            return Err(Error::Leaked { subject: "a HIP module".to_owned(), reason: Box::new(reason) });
        }
        // SAFETY: loaded by `build`; its kernels held a reference to this and are gone, and what they launched is done.
        let unloaded = unsafe { call!(self.core.libraries.hip, hipModuleUnload(module)) };
        if unloaded.is_err() {
            // HIP may still have its address.
            std::mem::forget(std::mem::take(&mut self.image));
        }
        unloaded
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        log(self.release());
    }
}

/// Numbers in up to three dimensions, of work-groups or work-items: made of a number, or of an array of 1 to 3.
///
/// ```
/// use rocm_interop::hip::Dim3;
///
/// assert_eq!((Dim3::from(64), Dim3::from([8, 8])), (Dim3 { x: 64, y: 1, z: 1 }, Dim3 { x: 8, y: 8, z: 1 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// In the dimension that varies fastest.
    pub x: u32,
    /// 1 if there is no second.
    pub y: u32,
    /// 1 if there is no third.
    pub z: u32,
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Dim3 {
        Dim3 { x, y: 1, z: 1 }
    }
}
impl From<[u32; 1]> for Dim3 {
    fn from([x]: [u32; 1]) -> Dim3 {
        Dim3 { x, y: 1, z: 1 }
    }
}
impl From<[u32; 2]> for Dim3 {
    fn from([x, y]: [u32; 2]) -> Dim3 {
        Dim3 { x, y, z: 1 }
    }
}
impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Dim3 {
        Dim3 { x, y, z }
    }
}

/// A kernel of a [`HipModule`].
#[derive(Debug)]
pub struct HipKernel {
    module: Arc<Module>,
    function: hipFunction_t,
    name: Arc<str>,
    /// `None` if the code object is of a form that is not known here.
    signature: Option<Signature>,
}

// SAFETY: as for `Module`, which owns the function.
unsafe impl Send for HipKernel {}
// SAFETY: as above.
unsafe impl Sync for HipKernel {}

impl HipKernel {
    /// Launches a `grid` of blocks (work-groups) of `block` threads (work-items) each on the session's stream, with
    /// `shared_mem_bytes` of dynamic LDS (`extern __shared__`) for each block. Returns when it is enqueued.
    ///
    /// Number, kind and size of the arguments are checked against what the code object declares.
    ///
    /// ```compile_fail,E0277
    /// # use rocm_interop::{Buffer, OpenCl, Result};
    /// # use rocm_interop::hip::HipKernel;
    /// fn on_opencls_turn(kernel: &HipKernel, buffer: &Buffer<f32, OpenCl>) -> Result<()> {
    ///     unsafe { kernel.launch(1, 64, 0, &[buffer.into()]) }
    /// }
    /// ```
    /// ```compile_fail,E0505
    /// # use rocm_interop::{Argument, Buffer, Hip, Result};
    /// # use rocm_interop::hip::HipKernel;
    /// fn argument_of_a_buffer_given_back(kernel: &HipKernel, buffer: Buffer<f32, Hip>) -> Result<()> {
    ///     let argument = Argument::from(&buffer);
    ///     let _on_opencl = buffer.into_opencl()?;
    ///     unsafe { kernel.launch(1, 64, 0, &[argument]) }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for a size of 0 (leave out a launch of nothing) or of more work-items than a packet can say
    /// (2³²-1 in a dimension), work-groups that HIP refuses as too large, arguments that are not what the kernel
    /// declares, and a buffer of another session, whose hand-over would not wait for this kernel; [`Error::Call`].
    ///
    /// # Safety
    /// The kernel stays inside its buffers and their parts, writes nothing that it got as
    /// [`ReadOnly`](crate::memory::ReadOnly), and the LDS, and of structs that it takes by value the fields are where
    /// it has them. A code object of a form that is not known here is not checked: then the arguments are also those
    /// that the kernel declares.
    #[doc(alias = "hipModuleLaunchKernel")]
    pub unsafe fn launch(
        &self,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        shared_mem_bytes: u32,
        arguments: &[Argument<'_, Hip>],
    ) -> Result<()> {
        let (grid, block) = (grid.into(), block.into());
        let [blocks, threads] = [grid, block].map(|Dim3 { x, y, z }| [x, y, z].map(u64::from));
        let global: [u64; 3] = std::array::from_fn(|i| blocks[i] * threads[i]);
        let asked = || format!("{blocks:?} groups of {threads:?} work-items");
        work_size::check(global, threads, asked)?;
        let core = &self.module.core;
        arguments.iter().try_for_each(|argument| argument.check_session(core))?;
        self.signature.as_ref().map_or(Ok(()), |signature| signature.check(arguments))?;
        core.check_abandoned(Api::Hip)?;
        core.select_device()?;
        let given = given(arguments, self.signature.as_ref());
        let mut pointers: SmallVec<[*mut c_void; 16]> = arguments.iter().map(address).collect();
        let (function, stream, none) = (self.function, core.stream, null_mut());
        let (hip, pointers) = (&core.libraries.hip, pointers.as_mut_ptr());
        let (Dim3 { x: gx, y: gy, z: gz }, Dim3 { x, y, z }) = (grid, block);
        let _order = core.launching_hip.lock();
        // SAFETY: HIP reads the arguments during the call, as many and as long as the kernel declares.
        let launch = || unsafe {
            call!(hip, hipModuleLaunchKernel(function, gx, gy, gz, x, y, z, shared_mem_bytes, stream, pointers, none))
        };
        core.on_stream(core.stream, || Work::Kernel(Arc::clone(&self.name)), launch).map_err(|error| {
            let Some(signature) = &self.signature else { return error };
            let items = threads.iter().fold(1u64, |all, items| all.saturating_mul(*items));
            signature.with_limit(error, core.device.lds_bytes(), asked, Some(items), shared_mem_bytes.into())
        })?;
        core.turns.launched(&given);
        let number = core.launched_in_stream(arguments.iter().filter_map(Argument::memory));
        self.module.in_stream.fetch_max(number, Ordering::Relaxed);
        Ok(())
    }

    /// Gives up the kernel; see [`HipModule::close`].
    ///
    /// # Errors
    /// [`Error::Leaked`], [`Error::Call`], [`Error::TimedOut`]
    pub fn close(self) -> Result<()> {
        give_up(self.module)
    }
}

/// Where the bytes of an argument are, for HIP to read.
fn address(argument: &Argument<'_, Hip>) -> *mut c_void {
    let bytes: *const u8 = match argument.kind() {
        Kind::Word(value) => value.as_ptr(),
        Kind::Value(value) => value.as_ptr(),
        Kind::Memory(_, address) => std::ptr::from_ref(address).cast(),
        // `Argument::local` is OpenCL's.
        Kind::Local(_) => std::ptr::null(),
    };
    bytes.cast_mut().cast()
}
