//! OpenCL's kernels, compiled at run time or before.

use std::ptr::{null, null_mut};
use std::sync::Arc;

use cl_sys::cl_kernel;
use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::apis::call::{Release, call, close, create, first, log};
use crate::kernels::argument::Kind;
use crate::kernels::opencl_source::{OpenClSource, Program};
use crate::kernels::parameter::{Signature, code_for, given, no_kernel, not_loaded, refuse_constructors};
use crate::kernels::work_size;
use crate::session::times::Work;
use crate::session::{Core, c_string};
use crate::{Argument, Error, OpenCl, Result, Session};

/// OpenCL C, compiled for the session's device, at run time or before.
#[derive(Debug)]
pub struct OpenClProgram {
    program: Program,
    /// The code object, as what OpenCL itself says of a parameter does not tell a sampler by another name from a value.
    image: Vec<u8>,
}

impl OpenClProgram {
    /// Compiles `source` with `options`, as `clBuildProgram` takes them; if it has headers, by `clCompileProgram` and
    /// `clLinkProgram`.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log, [`Error::Argument`] if one of the texts contains a 0, or the source
    /// constructors or destructors, which would run without a launch; [`Error::Call`].
    #[doc(alias = "clBuildProgram")]
    pub fn build(session: &Session, source: impl Into<OpenClSource>, options: &str) -> Result<OpenClProgram> {
        let program = source.into().compile(&session.0, options)?;
        let image = program.read_image()?;
        refuse_constructors(&image)?;
        Ok(OpenClProgram { program, image })
    }

    /// Loads what was compiled before: a code object for the session's GPU, as [`code`](OpenClProgram::code) gives it
    /// or `clang -x cl -target amdgcn-amd-amdhsa` writes it, or an offload bundle with one, compressed or not.
    ///
    /// # Errors
    /// [`Error::CodeObject`] if it is neither, or for other GPUs; [`Error::CodeVersion`] if it is newer than OpenCL;
    /// [`Error::Argument`] if it has constructors or destructors; [`Error::Compile`] if OpenCL refuses it,
    /// [`Error::Call`].
    ///
    /// # Safety
    /// A compiler made it: OpenCL's loader believes what the file says of itself.
    pub unsafe fn load(session: &Session, code: &[u8]) -> Result<OpenClProgram> {
        let image = code_for(&session.0, code)?;
        refuse_constructors(&image)?;
        // SAFETY: the caller's promise.
        let program = unsafe { Program::of_code(&session.0, &image) };
        Ok(OpenClProgram { program: program.map_err(|error| not_loaded(&session.0, &image, error))?, image })
    }

    /// The code object, for [`load`](OpenClProgram::load) in another run, which takes a small part of the time of a
    /// [`build`](OpenClProgram::build).
    ///
    /// Whoever keeps it decides when it is out of date. It depends on the text, headers and options; on files that
    /// these name; on the GPU's [instruction set](crate::Device::isa), which `load` checks; on the compiler's version;
    /// and on environment variables that add options (`AMD_OCL_BUILD_OPTIONS`, `AMD_OCL_BUILD_OPTIONS_APPEND`).
    pub fn code(&self) -> &[u8] {
        &self.image
    }

    /// A kernel by name.
    ///
    /// # Errors
    /// [`Error::NoKernel`] if there is none of that name, [`Error::Argument`] if it contains a 0, [`Error::Call`].
    #[doc(alias = "clCreateKernel")]
    pub fn kernel(&self, name: &str) -> Result<OpenClKernel> {
        let c_name = c_string("kernel name", name)?;
        let core = Arc::clone(self.program.core());
        // SAFETY: a built program and a name that ends in 0.
        let kernel = unsafe { create!(core.libraries.cl, clCreateKernel(self.program.raw(), c_name.as_ptr())) }
            .map_err(|error| no_kernel(error, &self.image, name))?;
        let signature = Signature::of(&self.image, name);
        Ok(OpenClKernel { core, kernel, name: name.into(), signature, launching: Mutex::new(()) })
    }

    /// Releases the program; its kernels stay usable. Dropping does too, but can only log an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn close(self) -> Result<()> {
        self.program.close()
    }
}

/// A kernel of an [`OpenClProgram`].
#[derive(Debug)]
pub struct OpenClKernel {
    core: Arc<Core>,
    kernel: cl_kernel,
    name: Arc<str>,
    /// `None` if the code object is of a form that is not known here.
    signature: Option<Signature>,
    /// Held while arguments are set and the kernel is enqueued with them.
    launching: Mutex<()>,
}

// SAFETY: OpenCL's kernels may be used by any thread, but not given arguments by two at a time, which `launching` sees
// to.
unsafe impl Send for OpenClKernel {}
// SAFETY: as above.
unsafe impl Sync for OpenClKernel {}

impl OpenClKernel {
    /// OpenCL's handle; it stays the kernel's. Whoever gives it arguments does so while no thread launches it.
    pub fn raw(&self) -> cl_kernel {
        self.kernel
    }

    /// Releases the kernel. Dropping does too, but can only log an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::Call`]
    pub fn close(mut self) -> Result<()> {
        let core = Arc::clone(&self.core);
        let released = self.release();
        drop(self);
        first([released, close(core)])
    }

    /// Enqueues the kernel with `arguments`: `global` work-items in each of 1 to 3 dimensions, in work-groups of
    /// `local` (the runtime's choice if `None`). Returns when it is enqueued.
    ///
    /// Number, kind and size of the arguments are checked against what the code object declares.
    ///
    /// ```compile_fail,E0277
    /// # use rocm_interop::{Buffer, Hip, Result};
    /// # use rocm_interop::opencl::OpenClKernel;
    /// fn on_hips_turn(kernel: &OpenClKernel, buffer: &Buffer<f32, Hip>) -> Result<()> {
    ///     unsafe { kernel.launch(&[64], None, &[buffer.into()]) }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for other numbers of dimensions, a size of 0 (leave out a launch of nothing) or of more
    /// work-items than a packet can say (2³²-1 in a dimension), arguments that are not what the kernel declares, images
    /// and samplers, a buffer of another session, whose hand-over would not wait for this kernel, and SVM that was made
    /// for another GPU, of which OpenCL would make a copy ([`into_session`](crate::Buffer#method.into_session));
    /// [`Error::Call`]. A kernel that fails after it was enqueued ends the process, or is [`Error::Failed`], as the
    /// runtime has it: once for each buffer that it was given, by what next waits for that, or by [`Session::finish`].
    /// A kernel behind it that was given such a buffer counts as failed too. Buffers that a kernel declares `const` are
    /// left out, as it does not write there.
    ///
    /// # Safety
    /// The kernel stays inside its buffers and their parts, writes nothing that it got as
    /// [`ReadOnly`](crate::memory::ReadOnly), and its local memory, and of structs that it takes by value the fields
    /// are where it has them. A code object of a form that is not known here is not checked: then the arguments are
    /// also those that the kernel declares.
    #[doc(alias = "clEnqueueNDRangeKernel")]
    pub unsafe fn launch(
        &self,
        global: &[usize],
        local: Option<&[usize]>,
        arguments: &[Argument<'_, OpenCl>],
    ) -> Result<()> {
        let asked = || format!("global {global:?}, local {local:?}");
        if !(1..=3).contains(&global.len()) || local.is_some_and(|local| local.len() != global.len()) {
            let reason = format!("{}: needs 1 to 3 dimensions, as many in both", asked());
            return Err(Error::Argument { subject: "work size", reason });
        }
        let sizes = |sizes: &[usize]| SmallVec::<[u64; 3]>::from_iter(sizes.iter().map(|size| *size as u64));
        work_size::check(sizes(global), sizes(local.unwrap_or_default()), asked)?;
        arguments.iter().try_for_each(|argument| argument.check_opencl(&self.core))?;
        self.signature.as_ref().map_or(Ok(()), |signature| signature.check(arguments))?;
        let (queue, dimensions) = (self.core.queue, global.len() as u32);
        let items = local.map(|local| local.iter().fold(1u64, |all, items| all.saturating_mul(*items as u64)));
        let local_sizes = local.map_or(null(), <[usize]>::as_ptr);
        let (cl, offset, none) = (&self.core.libraries.cl, null(), null());
        let _launching = self.launching.lock();
        for (index, argument) in arguments.iter().enumerate() {
            self.set(index as u32, argument)?;
        }
        // OpenCL puts a barrier between kernels only for memory that it knows; a flush is one for all.
        let given = given(arguments, self.signature.as_ref());
        let (mut all_known, mut by_address) = (true, false);
        for argument in arguments {
            if let &Kind::Memory(memory, address) = argument.kind() {
                all_known &= !memory.takes_flushes();
                by_address |= memory.hides_from_opencl(address);
            }
        }
        let flush = || self.core.flush(queue);
        let sizes = global.as_ptr();
        let work = || Some(Work::Kernel(Arc::clone(&self.name)));
        self.core
            .enqueue_as(work, given, |event| {
                // Behind the kernels that OpenCL knows to use a buffer object of which this one has the address.
                if by_address {
                    flush()?;
                }
                // SAFETY: both sizes have `dimensions` elements, and the kernel its arguments; the rest is the caller's
                // promise.
                unsafe {
                    call!(
                        cl,
                        clEnqueueNDRangeKernel(
                            queue,
                            self.kernel,
                            dimensions,
                            offset,
                            sizes,
                            local_sizes,
                            0,
                            none,
                            event
                        )
                    )
                }?;
                if all_known && !by_address { Ok(()) } else { flush() }
            })
            .map_err(|error| {
                let Some(signature) = &self.signature else { return error };
                let of_argument = |argument: &Argument<'_, OpenCl>| match argument.kind() {
                    Kind::Local(bytes) => *bytes as u64,
                    _ => 0,
                };
                let lds = arguments.iter().map(of_argument).fold(0, u64::saturating_add);
                signature.with_limit(error, self.core.device.lds_bytes(), asked, items, lds)
            })
    }

    fn set(&self, index: u32, argument: &Argument<'_, OpenCl>) -> Result<()> {
        let (cl, kernel) = (&self.core.libraries.cl, self.kernel);
        let (size, value) = match argument.kind() {
            Kind::Word(value) => (value.len(), value.as_ptr()),
            Kind::Value(value) => (value.len(), value.as_ptr()),
            &Kind::Memory(memory, address) => return memory.set_argument(kernel, index, address),
            Kind::Local(bytes) => (*bytes, null()),
        };
        // SAFETY: the signature was checked: the parameter is a value, which OpenCL copies, or local memory, which has
        // none.
        unsafe { call!(cl, clSetKernelArg(kernel, index, size, value.cast())) }
    }
}

impl Release for OpenClKernel {
    fn release(&mut self) -> Result<()> {
        let kernel = std::mem::replace(&mut self.kernel, null_mut());
        if kernel.is_null() {
            return Ok(());
        }
        // SAFETY: made by `OpenClProgram::kernel`. What is enqueued holds the kernel itself.
        unsafe { call!(self.core.libraries.cl, clReleaseKernel(kernel)) }
    }
}

impl Drop for OpenClKernel {
    fn drop(&mut self) {
        log(self.release());
    }
}
