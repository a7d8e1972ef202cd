//! What OpenCL's compiler is given.

use std::convert::Infallible;
use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use cl_sys::{cl_int, cl_program};

use crate::apis::call::{Release, Status, call, check, close, create, first, log, present, text};
use crate::session::{Core, c_string};
use crate::{Error, Result};

/// OpenCL C for [`OpenClProgram::build`](crate::opencl::OpenClProgram::build): a text, and headers as texts. A text
/// alone is one too.
///
/// ```
/// # use rocm_interop::{Result, Session};
/// # use rocm_interop::opencl::{OpenClKernel, OpenClProgram, OpenClSource};
/// fn scale(session: &Session) -> Result<OpenClKernel> {
///     let source = OpenClSource::new(
///         r#"#include "lib/scale.h"
///            kernel void scale(global float *x) { x[get_global_id(0)] *= FACTOR; }"#,
///     );
///     let source = source.header("lib/scale.h", "#define FACTOR 3");
///     OpenClProgram::build(session, source, "-cl-std=CL2.0")?.kernel("scale")
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenClSource {
    text: String,
    /// Names and texts.
    headers: Vec<(String, String)>,
}

impl From<&str> for OpenClSource {
    fn from(text: &str) -> OpenClSource {
        OpenClSource::new(text)
    }
}
impl From<&String> for OpenClSource {
    fn from(text: &String) -> OpenClSource {
        OpenClSource::new(text)
    }
}

impl OpenClSource {
    /// A text without headers.
    pub fn new(text: impl Into<String>) -> OpenClSource {
        OpenClSource { text: text.into(), headers: Vec::new() }
    }

    /// What `#include "name"` is, in the text and in other headers.
    pub fn header(mut self, name: impl Into<String>, text: impl Into<String>) -> OpenClSource {
        self.headers.push((name.into(), text.into()));
        self
    }

    /// The program, built with `options`.
    pub(crate) fn compile(&self, core: &Arc<Core>, options: &str) -> Result<Program> {
        let options = c_string("build options", options)?;
        let program = Program::of_text(core, "source", &self.text)?;
        if self.headers.is_empty() {
            program.build(&options)?;
            return Ok(program);
        }
        let texts = self.headers.iter().map(|(name, text)| {
            // AMD's OpenCL takes no empty text.
            let text = if text.is_empty() { "\n" } else { text };
            Ok((c_string("header name", name)?, Program::of_text(core, "header", text)?))
        });
        let (names, texts): (Vec<CString>, Vec<Program>) = texts.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let compiled = program.compile(&options, &names, &texts).and_then(|()| program.link());
        // Each is tried, and the first failure is told.
        texts.into_iter().chain([program]).map(Program::close).fold(compiled, |linked, closed| match (linked, closed) {
            (Ok(linked), closed) => closed.map(|()| linked),
            (failed, closed) => {
                log(closed);
                failed
            }
        })
    }
}

/// What OpenCL returns if the texts or options are not right.
const OF_SOURCE: [cl_int; 6] = [
    cl_sys::CL_BUILD_PROGRAM_FAILURE,
    cl_sys::CL_INVALID_BUILD_OPTIONS,
    cl_sys::CL_COMPILE_PROGRAM_FAILURE,
    cl_sys::CL_INVALID_COMPILER_OPTIONS,
    cl_sys::CL_LINK_PROGRAM_FAILURE,
    cl_sys::CL_INVALID_LINKER_OPTIONS,
];

/// OpenCL's object, given back when dropped.
#[derive(Debug)]
pub(crate) struct Program {
    core: Arc<Core>,
    program: cl_program,
}

// SAFETY: OpenCL's programs may be used by any thread; its functions that take one are thread-safe.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Program {
    fn of_text(core: &Arc<Core>, subject: &'static str, text: &str) -> Result<Program> {
        let text = c_string(subject, text)?;
        let mut text = text.as_ptr();
        // SAFETY: one string that ends in 0: a length would not do, of which OpenCL takes 0 as none given.
        let program =
            unsafe { create!(core.libraries.cl, clCreateProgramWithSource(core.context, 1, &raw mut text, null())) }?;
        Ok(Program { core: Arc::clone(core), program })
    }

    /// Of a code object for the device, which OpenCL copies.
    ///
    /// # Safety
    /// A compiler made it.
    pub(crate) unsafe fn of_code(core: &Arc<Core>, code: &[u8]) -> Result<Program> {
        let (cl, device, size, mut start) = (&core.libraries.cl, core.device.opencl(), code.len(), code.as_ptr());
        let mut of_device = cl_sys::CL_SUCCESS;
        // SAFETY: one device of the context, and a code object of that size.
        let program = unsafe {
            create!(cl, clCreateProgramWithBinary(core.context, 1, &device, &size, &mut start, &mut of_device))
        }?;
        let program = Program { core: Arc::clone(core), program };
        program.build(c"")?;
        Ok(program)
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) fn raw(&self) -> cl_program {
        self.program
    }

    fn build(&self, options: &CStr) -> Result<()> {
        let (cl, device) = (&self.core.libraries.cl, self.core.device.opencl());
        // SAFETY: the program's own device; options end in 0.
        let code = unsafe { cl.clBuildProgram(self.program, 1, &device, options.as_ptr(), None, null_mut()) };
        self.check_compiled("clBuildProgram", present::<cl_int, _, _>(code)?, options)
    }

    fn compile(&self, options: &CStr, names: &[CString], headers: &[Program]) -> Result<()> {
        let (cl, device) = (&self.core.libraries.cl, self.core.device.opencl());
        let mut names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let headers: Vec<cl_program> = headers.iter().map(Program::raw).collect();
        let (count, text) = (headers.len() as u32, options.as_ptr());
        let (headers, names) = (headers.as_ptr(), names.as_mut_ptr());
        // SAFETY: the program's own device, as many headers as names, and texts that end in 0.
        let code =
            unsafe { cl.clCompileProgram(self.program, 1, &device, text, count, headers, names, None, null_mut()) };
        self.check_compiled("clCompileProgram", present::<cl_int, _, _>(code)?, options)
    }

    fn link(&self) -> Result<Program> {
        let (core, cl, device) = (&self.core, &self.core.libraries.cl, self.core.device.opencl());
        let mut code = cl_sys::CL_SUCCESS;
        // SAFETY: one device of the context, and a program that was compiled for it.
        let linked = unsafe {
            cl.clLinkProgram(core.context, 1, &device, c"".as_ptr(), 1, &self.program, None, null_mut(), &mut code)
        };
        let program = present::<cl_int, _, _>(linked)?;
        if program.is_null() {
            // AMD's OpenCL keeps the log to itself then.
            let log =
                "clLinkProgram gave no program and no log; is a function declared, and defined nowhere?".to_owned();
            return Err(match code.code() {
                code if !OF_SOURCE.contains(&(code.number() as cl_int)) => Error::Call { call: "clLinkProgram", code },
                code => Error::Compile { code, log },
            });
        }
        // By OpenCL's specification, there may be one also if linking failed, which has the log.
        let linked = Program { core: Arc::clone(core), program };
        linked.check_compiled("clLinkProgram", code, c"")?;
        Ok(linked)
    }

    /// What the compiler said is in the error; where it said nothing, what it was given.
    fn check_compiled(&self, call: &'static str, code: cl_int, options: &CStr) -> Result<()> {
        if OF_SOURCE.contains(&code) {
            let log = match (self.log(), options.to_string_lossy()) {
                (Ok(log), _) if !log.is_empty() => log,
                (Err(error), options) if options.is_empty() => format!("{call} left no log ({error})"),
                (_, options) if options.is_empty() => format!("{call} left no log"),
                // AMD's OpenCL keeps no log of options that it refuses, and says no more of it than a code.
                (_, options) => format!("{call} left no log; the options are `{options}`"),
            };
            return Err(Error::Compile { code: code.code(), log });
        }
        check::<_, Infallible>(call, Ok(code))
    }

    /// The code object.
    pub(crate) fn read_image(&self) -> Result<Vec<u8>> {
        let cl = &self.core.libraries.cl;
        let (info, mut size) = (cl_sys::CL_PROGRAM_BINARY_SIZES, 0usize);
        let to = (&raw mut size).cast();
        // SAFETY: the program is for one device, so the attribute is one size.
        unsafe { call!(cl, clGetProgramInfo(self.program, info, size_of::<usize>(), to, null_mut())) }?;
        let mut image = vec![0u8; size];
        let (info, mut start) = (cl_sys::CL_PROGRAM_BINARIES, image.as_mut_ptr());
        let to = (&raw mut start).cast();
        // SAFETY: as above, with room for as much as OpenCL asks for.
        unsafe { call!(cl, clGetProgramInfo(self.program, info, size_of::<*mut u8>(), to, null_mut())) }?;
        Ok(image)
    }

    fn log(&self) -> Result<String> {
        let (cl, device) = (&self.core.libraries.cl, self.core.device.opencl());
        let info = cl_sys::CL_PROGRAM_BUILD_LOG;
        let mut size = 0;
        // SAFETY: writes the size only.
        unsafe { call!(cl, clGetProgramBuildInfo(self.program, device, info, 0, null_mut(), &mut size)) }?;
        let mut log = vec![0u8; size];
        // SAFETY: room as stated.
        unsafe {
            call!(cl, clGetProgramBuildInfo(self.program, device, info, size, log.as_mut_ptr().cast(), null_mut()))
        }?;
        Ok(text(&log).trim_end().to_owned())
    }

    /// Gives it back; a session that is given back with it too.
    pub(crate) fn close(mut self) -> Result<()> {
        let core = Arc::clone(&self.core);
        let released = self.release();
        drop(self);
        first([released, close(core)])
    }
}

impl Release for Program {
    fn release(&mut self) -> Result<()> {
        let program = std::mem::replace(&mut self.program, null_mut());
        if program.is_null() {
            return Ok(());
        }
        // SAFETY: made by this type. Its kernels retain it themselves, and a linked program what it was linked of.
        unsafe { call!(self.core.libraries.cl, clReleaseProgram(program)) }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        log(self.release());
    }
}
