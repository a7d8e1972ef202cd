//! What hiprtc compiles.

use std::ffi::{CStr, CString, c_char};
use std::ptr::null_mut;

use hip_sys::{hiprtcProgram, hiprtcResult};

use crate::apis::call::{Status, call, check, log, present};
use crate::session::{Core, c_string};
use crate::{Error, Result};

/// HIP C++ for [`HipModule::build`](crate::hip::HipModule::build): a text, and what the compiler is given with it. A
/// text alone is one too.
///
/// ```
/// # use rocm_interop::{Result, Session};
/// # use rocm_interop::hip::{HipKernel, HipModule, HipSource};
/// fn scale(session: &Session) -> Result<HipKernel> {
///     let source = HipSource::new(
///         r#"#include "scale.h"
///            template <typename T> __global__ void scale(T *x, T a) { x[blockIdx.x * WIDTH + threadIdx.x] *= a; }"#,
///     );
///     let source = source.header("scale.h", "#define WIDTH 64").option("-O3").instance("scale<double>");
///     HipModule::build(session, source)?.kernel("scale<double>")
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HipSource {
    text: String,
    options: Vec<String>,
    /// Names and texts.
    headers: Vec<(String, String)>,
    instances: Vec<String>,
}

impl From<&str> for HipSource {
    fn from(text: &str) -> HipSource {
        HipSource::new(text)
    }
}
impl From<&String> for HipSource {
    fn from(text: &String) -> HipSource {
        HipSource::new(text)
    }
}

impl HipSource {
    /// A text without options and headers. hiprtc knows HIP's own device functions without an `#include`.
    pub fn new(text: impl Into<String>) -> HipSource {
        HipSource { text: text.into(), ..HipSource::default() }
    }

    /// An option of the compiler, as `-O3`, `-DWIDTH=64` or `-I/usr/include/mine`. Without `--offload-arch` it compiles
    /// for the session's GPU.
    pub fn option(mut self, option: impl Into<String>) -> HipSource {
        self.options.push(option.into());
        self
    }

    /// What `#include "name"` is.
    pub fn header(mut self, name: impl Into<String>, text: impl Into<String>) -> HipSource {
        self.headers.push((name.into(), text.into()));
        self
    }

    /// An instance of a template, or a kernel that is not `extern "C"`, as `scale<double>` or `filters::blur`: to be
    /// compiled, and found by that name.
    pub fn instance(mut self, expression: impl Into<String>) -> HipSource {
        self.instances.push(expression.into());
        self
    }

    /// The code object for the session's GPU, and the symbols of the instances.
    pub(crate) fn compile(&self, core: &Core) -> Result<(Vec<u8>, Symbols)> {
        let rtc = &core.libraries.hiprtc;
        let text = c_string("source", &self.text)?;
        let texts = |subject, texts: &mut dyn Iterator<Item = &String>| -> Result<Vec<CString>> {
            texts.map(|text| c_string(subject, text)).collect()
        };
        let names = texts("header name", &mut self.headers.iter().map(|(name, _)| name))?;
        let headers = texts("header", &mut self.headers.iter().map(|(_, text)| text))?;
        let options = texts("compiler option", &mut self.options.iter())?;
        let instances = texts("kernel name", &mut self.instances.iter())?;
        let (mut names, mut headers) = (pointers(&names), pointers(&headers));
        let mut program: hiprtcProgram = null_mut();
        let (name, count) = (c"kernel.hip".as_ptr(), headers.len() as i32);
        // SAFETY: texts that end in 0, and as many headers as names.
        unsafe {
            let (headers, names) = (headers.as_mut_ptr(), names.as_mut_ptr());
            call!(rtc, hiprtcCreateProgram(&mut program, text.as_ptr(), name, count, headers, names))
        }?;
        let compiled = compile(core, program, &options, &instances);
        // SAFETY: made above.
        let destroyed = unsafe { call!(rtc, hiprtcDestroyProgram(&mut program)) };
        match compiled {
            Ok((code, symbols)) => destroyed.map(|()| (code, self.instances.iter().cloned().zip(symbols).collect())),
            Err(error) => {
                log(destroyed);
                Err(error)
            }
        }
    }
}

/// Of instances, by their names in the source.
pub(crate) type Symbols = Vec<(String, String)>;

/// As hiprtc takes them; it writes to none.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

fn compile(
    core: &Core,
    program: hiprtcProgram,
    options: &[CString],
    instances: &[CString],
) -> Result<(Vec<u8>, Vec<String>)> {
    let rtc = &core.libraries.hiprtc;
    for instance in instances {
        // SAFETY: a program that was not compiled yet, and a text that ends in 0.
        unsafe { call!(rtc, hiprtcAddNameExpression(program, instance.as_ptr())) }?;
    }
    // Without the option, hiprtc compiles for the current device.
    core.select_device()?;
    let (mut options, count) = (pointers(options), options.len() as i32);
    // SAFETY: a program that was just made, and as many texts.
    let code =
        present::<hiprtcResult, _, _>(unsafe { rtc.hiprtcCompileProgram(program, count, options.as_mut_ptr()) })?;
    if matches!(code, hiprtcResult::HIPRTC_ERROR_COMPILATION | hiprtcResult::HIPRTC_ERROR_INVALID_OPTION) {
        let mut log = Vec::new();
        let mut size = 0;
        // SAFETY: room for as much as hiprtc asks for, and a 0 that stays.
        let read = unsafe {
            call!(rtc, hiprtcGetProgramLogSize(program, &mut size)).and_then(|()| {
                log.resize(size + 1, 0);
                call!(rtc, hiprtcGetProgramLog(program, log.as_mut_ptr().cast()))
            })
        };
        let log = match read {
            Ok(()) => CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().into_owned(),
            Err(error) => format!("the compiler's log could not be read: {error}"),
        };
        return Err(Error::Compile { code: code.code(), log });
    }
    check::<_, std::convert::Infallible>("hiprtcCompileProgram", Ok(code))?;
    let symbols = instances.iter().map(|instance| {
        let mut symbol = std::ptr::null();
        // SAFETY: a compiled program, and an expression that it was given; the symbol is the program's.
        unsafe {
            call!(rtc, hiprtcGetLoweredName(program, instance.as_ptr(), &mut symbol))?;
            Ok(CStr::from_ptr(symbol).to_string_lossy().into_owned())
        }
    });
    let symbols = symbols.collect::<Result<_>>()?;
    let mut size = 0;
    // SAFETY: writes one size.
    unsafe { call!(rtc, hiprtcGetCodeSize(program, &mut size)) }?;
    let mut code = vec![0u8; size];
    // SAFETY: room as hiprtc asked.
    unsafe { call!(rtc, hiprtcGetCode(program, code.as_mut_ptr().cast())) }?;
    Ok((code, symbols))
}
