//! Every function of the four libraries, wrapped: calls are counted, and a chosen one fails.
mod busy;

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use busy::Busy;
use cl_sys::{Cl, cl_int};
use hip_sys::{Hip, Hiprtc, hipError_t, hiprtcResult};
use hsa_sys::{Hsa, hsa_status_t};
use rocm_interop::{Error, Libraries};

/// What has to be given back: what it is, the functions that take it, the one that gives it back.
pub const OWNED: [(&str, &[&str], &str); 18] = [
    ("contexts", &["clCreateContext", "clRetainContext"], "clReleaseContext"),
    ("queues", &["clCreateCommandQueue", "clRetainCommandQueue"], "clReleaseCommandQueue"),
    ("buffer objects", &["clCreateBuffer", "clRetainMemObject"], "clReleaseMemObject"),
    ("SVM", &["clSVMAlloc"], "clSVMFree"),
    (
        "OpenCL programs",
        &["clCreateProgramWithBinary", "clCreateProgramWithSource", "clLinkProgram"],
        "clReleaseProgram",
    ),
    ("OpenCL kernels", &["clCreateKernel"], "clReleaseKernel"),
    (
        "OpenCL events",
        &[
            "clEnqueueBarrierWithWaitList",
            "clEnqueueCopyBuffer",
            "clEnqueueFillBuffer",
            "clEnqueueMarkerWithWaitList",
            "clEnqueueNDRangeKernel",
            "clEnqueueReadBuffer",
            "clEnqueueSVMMemFill",
            "clEnqueueSVMMemcpy",
            "clEnqueueWriteBuffer",
        ],
        "clReleaseEvent",
    ),
    ("hiprtc programs", &["hiprtcCreateProgram"], "hiprtcDestroyProgram"),
    ("HIP memory", &["hipMalloc", "hipMallocManaged", "hipExternalMemoryGetMappedBuffer"], "hipFree"),
    ("opened memory", &["hipIpcOpenMemHandle"], "hipIpcCloseMemHandle"),
    ("external memory", &["hipImportExternalMemory"], "hipDestroyExternalMemory"),
    ("mappings", &["hsa_amd_interop_map_buffer"], "hsa_amd_interop_unmap_buffer"),
    ("registered pages", &["hipHostRegister"], "hipHostUnregister"),
    ("HIP host memory", &["hipHostMalloc"], "hipHostFree"),
    ("HIP modules", &["hipModuleLoadData"], "hipModuleUnload"),
    ("HIP events", &["hipEventCreateWithFlags"], "hipEventDestroy"),
    ("HIP streams", &["hipStreamCreate", "hipStreamCreateWithFlags"], "hipStreamDestroy"),
    ("HSA", &["hsa_init"], "hsa_shut_down"),
];

/// Calls of one function since [`start`].
#[derive(Clone, Copy, Default, Debug)]
pub struct Count {
    pub made: usize,
    pub succeeded: usize,
}

pub type Counts = BTreeMap<&'static str, Count>;

struct State {
    counts: Counts,
    /// Which calls fail, counted from 1.
    fail: Vec<(&'static str, usize)>,
    busy: Busy,
    /// Functions that gave back what work of these may use.
    freed_in_use: Vec<&'static str>,
}

static STATE: Mutex<State> =
    Mutex::new(State { counts: Counts::new(), fail: Vec::new(), busy: Busy::new(), freed_in_use: Vec::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts from 0 again. These calls of functions, counted from 1, will fail.
pub fn start(fail: impl IntoIterator<Item = (&'static str, usize)>) {
    let mut state = state();
    (state.counts, state.fail) = (Counts::new(), fail.into_iter().collect());
    state.freed_in_use.clear();
}

pub fn counts() -> Counts {
    state().counts.clone()
}

/// Functions that gave back, since [`start`], what work that was not waited for may use.
pub fn freed_in_use() -> Vec<&'static str> {
    state().freed_in_use.clone()
}

/// The machine's libraries behind the shims.
pub fn libraries() -> Result<Libraries, Error> {
    // SAFETY: each shim has the type of the function that it wraps.
    unsafe {
        Libraries::new(
            opencl(),
            Hip::from_resolver("shimmed HIP", Hip::shim),
            Hiprtc::from_resolver("shimmed hiprtc", Hiprtc::shim),
            Hsa::from_resolver("shimmed HSA", Hsa::shim),
        )
    }
}

/// The machine's OpenCL behind the shims.
pub fn opencl() -> Cl {
    // SAFETY: as above.
    unsafe { Cl::from_resolver("shimmed OpenCL", Cl::shim) }
}

/// A type that functions return.
trait Outcome: Sized {
    /// The error that a call with these arguments returns when it is made to fail; `None` if the type has none.
    fn failure(_arguments: &[&dyn Any]) -> Option<Self> {
        None
    }
    fn is_success(&self) -> bool {
        true
    }
    /// If it is a pointer.
    fn address(&self) -> usize {
        0
    }
}

macro_rules! codes { ($($code:ty: $success:expr, $failure:expr;)*) => { $(
    impl Outcome for $code {
        fn failure(_: &[&dyn Any]) -> Option<Self> {
            Some($failure)
        }
        fn is_success(&self) -> bool {
            *self == $success
        }
    }
)* } }
codes! {
    cl_int: cl_sys::CL_SUCCESS, cl_sys::CL_OUT_OF_RESOURCES;
    hipError_t: hipError_t::hipSuccess, hipError_t::hipErrorUnknown;
    hiprtcResult: hiprtcResult::HIPRTC_SUCCESS, hiprtcResult::HIPRTC_ERROR_INTERNAL_ERROR;
    hsa_status_t: hsa_status_t::HSA_STATUS_SUCCESS, hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/// OpenCL's objects and memory: null, and the code through `errcode_ret` if the function has one.
impl<T> Outcome for *mut T {
    fn failure(arguments: &[&dyn Any]) -> Option<Self> {
        if let Some(code) = arguments.last().and_then(|last| last.downcast_ref::<*mut cl_int>()) {
            // SAFETY: `errcode_ret`: null, or valid for one code.
            _ = unsafe { code.as_mut() }.map(|code| *code = cl_sys::CL_OUT_OF_RESOURCES);
        }
        Some(null_mut())
    }
    fn is_success(&self) -> bool {
        !self.is_null()
    }
    fn address(&self) -> usize {
        self.addr()
    }
}

macro_rules! cannot_fail { ($($value:ty)*) => { $(impl Outcome for $value {})* } }
cannot_fail! { () u32 u64 hsa_sys::hsa_signal_value_t *const c_char hip_sys::hipChannelFormatDesc }

fn intercept<R: Outcome>(function: &'static str, arguments: &[&dyn Any], call: impl FnOnce() -> R) -> R {
    let fails = {
        let mut state = state();
        let count = state.counts.entry(function).or_default();
        count.made += 1;
        let this = (function, count.made);
        if state.busy.gives_back_in_use(function, arguments) {
            state.freed_in_use.push(function);
        }
        state.fail.contains(&this)
    };
    if fails && let Some(failure) = R::failure(arguments) {
        // What is given back is gone, so that the test does not leak it; only the code says otherwise.
        if OWNED.iter().any(|(_, _, gives_back)| *gives_back == function) {
            call();
            // A queue that is gone has no work that a later one at its address would be taken to have.
            state().busy.follow(function, arguments, 0);
        }
        return failure;
    }
    let outcome = call();
    if outcome.is_success() {
        let mut state = state();
        state.counts.entry(function).or_default().succeeded += 1;
        state.busy.follow(function, arguments, outcome.address());
    }
    outcome
}

/// A library whose functions are wrapped.
trait Shimmed {
    /// The address of the shim of a function that this machine's library has.
    fn shim(function: &str) -> Option<NonNull<c_void>>;
}

macro_rules! functions {
    (ClExtensions $functions:tt) => {};
    ($library:ident { $($(#[$doc:meta])* $name:ident $since:tt $until:literal ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)* }) => {
        const _: () = {
            fn real() -> &'static $library {
                static REAL: OnceLock<$library> = OnceLock::new();
                REAL.get_or_init(|| $library::load().expect("the stack has the library"))
            }

            $(
                #[allow(clippy::too_many_arguments)]
                unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
                    // SAFETY: the caller's arguments, passed on.
                    let call = || unsafe { real().$name($($arg),*) }.expect("`shim` has found its address");
                    intercept(stringify!($name), &[$(&$arg),*], call)
                }
            )*

            impl Shimmed for $library {
                fn shim(function: &str) -> Option<NonNull<c_void>> {
                    real().address(function)?;
                    match function {
                        $(stringify!($name) => NonNull::new($name as *mut c_void),)*
                        _ => None,
                    }
                }
            }
        };
    };
}

/// The tables from which the sys crates make their methods.
#[allow(non_snake_case, unused_imports)]
mod tables {
    use super::*;
    use cl_sys::*;
    use core::ffi::*;
    use hip_sys::*;
    use hsa_sys::*;
    include!("../../../../crates/cl-sys/src/bindings_functions.rs");
    include!("../../../../crates/hip-sys/src/bindings_functions.rs");
    include!("../../../../crates/hsa-sys/src/bindings_functions.rs");
}
