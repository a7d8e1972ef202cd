//! Calls of the three APIs, with their codes as errors by name.

use std::sync::Arc;

use cl_sys::cl_int;
use hip_sys::{hipError_t, hiprtcResult};
use hsa_sys::hsa_status_t;

use crate::error::{Api, Code};
use crate::{Error, Result};

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
        $crate::apis::call::check(stringify!($function), $library.$function($($argument),*))
    };
}
pub(crate) use call;

/// Calls an OpenCL function that returns an object and stores its code through the last argument.
macro_rules! create {
    ($library:expr, $function:ident ( $($argument:expr),* $(,)? )) => {{
        let mut code = cl_sys::CL_SUCCESS;
        $crate::apis::call::present::<cl_sys::cl_int, _, _>($library.$function($($argument,)* &mut code))
            .and_then(|object| $crate::apis::call::check::<_, std::convert::Infallible>(stringify!($function), Ok(code)).map(|()| object))
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
    use super::text;

    #[test]
    fn texts_end_at_their_0() {
        assert_eq!((text(b"log\0rest"), text(b"")), ("log".to_owned(), String::new()));
    }
}
