//! Calls of the three APIs, with their codes as errors by name.

use std::sync::Arc;

use cl_sys::cl_int;
use hip_sys::{hipError_t, hiprtcResult};
use hsa_sys::hsa_status_t;

use crate::{Api, Code, Error, Result};

/// Name of an OpenCL code.
pub(crate) fn cl_name(code: cl_int) -> Option<&'static str> {
    macro_rules! names {
        ($($name:ident)*) => { match code { $(cl_sys::$name => Some(stringify!($name)),)* _ => None } };
    }
    names! {
        CL_SUCCESS CL_DEVICE_NOT_FOUND CL_DEVICE_NOT_AVAILABLE CL_COMPILER_NOT_AVAILABLE CL_MEM_OBJECT_ALLOCATION_FAILURE
        CL_OUT_OF_RESOURCES CL_OUT_OF_HOST_MEMORY CL_PROFILING_INFO_NOT_AVAILABLE CL_MEM_COPY_OVERLAP CL_IMAGE_FORMAT_MISMATCH
        CL_IMAGE_FORMAT_NOT_SUPPORTED CL_BUILD_PROGRAM_FAILURE CL_MAP_FAILURE CL_MISALIGNED_SUB_BUFFER_OFFSET
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST CL_COMPILE_PROGRAM_FAILURE CL_LINKER_NOT_AVAILABLE CL_LINK_PROGRAM_FAILURE
        CL_DEVICE_PARTITION_FAILED CL_KERNEL_ARG_INFO_NOT_AVAILABLE CL_INVALID_VALUE CL_INVALID_DEVICE_TYPE CL_INVALID_PLATFORM
        CL_INVALID_DEVICE CL_INVALID_CONTEXT CL_INVALID_QUEUE_PROPERTIES CL_INVALID_COMMAND_QUEUE CL_INVALID_HOST_PTR
        CL_INVALID_MEM_OBJECT CL_INVALID_IMAGE_FORMAT_DESCRIPTOR CL_INVALID_IMAGE_SIZE CL_INVALID_SAMPLER CL_INVALID_BINARY
        CL_INVALID_BUILD_OPTIONS CL_INVALID_PROGRAM CL_INVALID_PROGRAM_EXECUTABLE CL_INVALID_KERNEL_NAME
        CL_INVALID_KERNEL_DEFINITION CL_INVALID_KERNEL CL_INVALID_ARG_INDEX CL_INVALID_ARG_VALUE CL_INVALID_ARG_SIZE
        CL_INVALID_KERNEL_ARGS CL_INVALID_WORK_DIMENSION CL_INVALID_WORK_GROUP_SIZE CL_INVALID_WORK_ITEM_SIZE
        CL_INVALID_GLOBAL_OFFSET CL_INVALID_EVENT_WAIT_LIST CL_INVALID_EVENT CL_INVALID_OPERATION CL_INVALID_GL_OBJECT
        CL_INVALID_BUFFER_SIZE CL_INVALID_MIP_LEVEL CL_INVALID_GLOBAL_WORK_SIZE CL_INVALID_PROPERTY CL_INVALID_IMAGE_DESCRIPTOR
        CL_INVALID_COMPILER_OPTIONS CL_INVALID_LINKER_OPTIONS CL_INVALID_DEVICE_PARTITION_COUNT CL_INVALID_PIPE_SIZE
        CL_INVALID_DEVICE_QUEUE CL_INVALID_SPEC_ID CL_MAX_SIZE_RESTRICTION_EXCEEDED CL_PLATFORM_NOT_FOUND_KHR
    }
}

/// What functions return to say how they fared.
pub(crate) trait Status: Copy {
    const API: Api;
    fn succeeded(self) -> bool;
    fn code(self) -> Code;
}

macro_rules! statuses { ($($status:ty: $api:ident, $success:expr;)*) => { $(
    impl Status for $status {
        const API: Api = Api::$api;
        fn succeeded(self) -> bool {
            self == $success
        }
        fn code(self) -> Code {
            Code::$api(self)
        }
    }
)* } }
statuses! {
    cl_int: OpenCl, cl_sys::CL_SUCCESS;
    hipError_t: Hip, hipError_t::hipSuccess;
    hiprtcResult: Hiprtc, hiprtcResult::HIPRTC_SUCCESS;
    hsa_status_t: Hsa, hsa_status_t::HSA_STATUS_SUCCESS;
}

/// The outcome of a call that returns a code.
pub(crate) fn check<C: Status, L>(call: &'static str, outcome: std::result::Result<C, L>) -> Result<()>
where
    L: std::error::Error + Send + Sync + 'static,
{
    let code = present::<C, _, _>(outcome)?;
    if code.succeeded() { Ok(()) } else { Err(Error::Call { call, code: code.code() }) }
}

/// The outcome of a call of `C`'s API that may be missing from the library.
pub(crate) fn present<C: Status, T, L>(outcome: std::result::Result<T, L>) -> Result<T>
where
    L: std::error::Error + Send + Sync + 'static,
{
    outcome.map_err(|error| Error::load(C::API)(Box::new(error)))
}

/// Something that was taken from an API.
pub(crate) trait Release {
    /// Gives it back, once: later calls do nothing.
    fn release(&mut self) -> Result<()>;
}

/// Gives up one reference; the last one's holder gives back what it is to, and hears how that went.
pub(crate) fn close<R: Release>(shared: Arc<R>) -> Result<()> {
    Arc::into_inner(shared).map_or(Ok(()), |mut last| last.release())
}

/// The first error of several, which were all tried; the others are logged.
pub(crate) fn first<const N: usize>(outcomes: [Result<()>; N]) -> Result<()> {
    let mut errors = outcomes.into_iter().filter_map(Result::err);
    let first = errors.next();
    errors.for_each(|error| log(Err(error)));
    first.map_or(Ok(()), Err)
}

/// Logs an error that cannot be returned: in a destructor, or after one which is the one to tell.
pub(crate) fn log(outcome: Result<()>) {
    match outcome {
        Ok(()) => {}
        Err(error) if error.is_of_work_that_ended() => tracing::error!(%error, "results are missing"),
        Err(error) => tracing::error!(%error, "something was not given back"),
    }
}

/// Calls `$library.$function(...)`, which returns a code.
macro_rules! call {
    ($library:expr, $function:ident ( $($argument:expr),* $(,)? )) => {
        $crate::call::check(stringify!($function), $library.$function($($argument),*))
    };
}
pub(crate) use call;

/// Calls an OpenCL function that returns an object and stores its code through the last argument.
macro_rules! create {
    ($library:expr, $function:ident ( $($argument:expr),* $(,)? )) => {{
        let mut code = cl_sys::CL_SUCCESS;
        $crate::call::present::<cl_sys::cl_int, _, _>($library.$function($($argument,)* &mut code))
            .and_then(|object| $crate::call::check::<_, std::convert::Infallible>(stringify!($function), Ok(code)).map(|()| object))
    }};
}
pub(crate) use create;

/// A text that one of the APIs wrote, up to its 0.
pub(crate) fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{cl_name, text};

    #[test]
    fn texts_end_at_their_0() {
        assert_eq!((text(b"log\0rest"), text(b"")), ("log".to_owned(), String::new()));
    }

    #[test]
    fn every_error_code_of_opencl_has_its_name() {
        // OpenCL 3.0 has -1 to -19 and -30 to -72.
        for code in (1..=19).chain(30..=72) {
            assert!(cl_name(-code).is_some_and(|name| name.starts_with("CL_")), "{code}");
        }
        assert_eq!(cl_name(cl_sys::CL_INVALID_KERNEL_DEFINITION), Some("CL_INVALID_KERNEL_DEFINITION"));
        assert_eq!(cl_name(-9999), None);
    }
}
