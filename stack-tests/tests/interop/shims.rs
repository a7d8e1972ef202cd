//! Every function of the four libraries, wrapped: calls are counted, and a chosen one fails.
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_char, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cl_sys::{Cl, cl_int};
use hip_sys::{Hip, Hiprtc, hipError_t, hiprtcResult};
use hsa_sys::{Hsa, hsa_status_t};
use rocm_interop::{Error, Libraries};

/// What has to be given back: what it is, the functions that take it, the one that gives it back.
pub const OWNED: [(&str, &[&str], &str); 12] = [
    ("contexts", &["clCreateContext", "clRetainContext"], "clReleaseContext"),
    ("queues", &["clCreateCommandQueue", "clRetainCommandQueue"], "clReleaseCommandQueue"),
    ("buffer objects", &["clCreateBuffer", "clRetainMemObject"], "clReleaseMemObject"),
    ("SVM", &["clSVMAlloc"], "clSVMFree"),
    ("OpenCL programs", &["clCreateProgramWithSource"], "clReleaseProgram"),
    ("OpenCL kernels", &["clCreateKernel"], "clReleaseKernel"),
    ("hiprtc programs", &["hiprtcCreateProgram"], "hiprtcDestroyProgram"),
    ("HIP memory", &["hipMalloc", "hipMallocManaged"], "hipFree"),
    ("registered pages", &["hipHostRegister"], "hipHostUnregister"),
    ("HIP modules", &["hipModuleLoadData"], "hipModuleUnload"),
    ("HIP streams", &["hipStreamCreate"], "hipStreamDestroy"),
    ("HSA", &["hsa_init"], "hsa_shut_down"),
];

/// Calls of one function since [`start`].
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub made: usize,
    pub succeeded: usize,
}

pub type Counts = BTreeMap<&'static str, Count>;

struct State {
    counts: Counts,
    /// Which calls fail, counted from 1.
    fail: Vec<(&'static str, usize)>,
    /// Queues and streams whose work was not waited for.
    busy: BTreeSet<Worker>,
    /// Functions that gave back what work of these may use.
    freed_in_use: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worker {
    Queue(usize),
    Stream(usize),
}

static STATE: Mutex<State> =
    Mutex::new(State { counts: Counts::new(), fail: Vec::new(), busy: BTreeSet::new(), freed_in_use: Vec::new() });

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

impl State {
    /// Follows who works and who was waited for, by a call that succeeded.
    fn follow(&mut self, function: &'static str, arguments: &[&dyn Any]) {
        let queue = || Worker::Queue(argument::<cl_sys::cl_command_queue>(arguments, 0).addr());
        let stream = |index| Worker::Stream(argument::<hip_sys::hipStream_t>(arguments, index).addr());
        let blocks = |index| argument::<cl_sys::cl_bool>(arguments, index) == cl_sys::CL_TRUE;
        let (worker, works) = match function {
            "clEnqueueNDRangeKernel" => (queue(), true),
            "clEnqueueSVMMemcpy" => (queue(), !blocks(1)),
            "clEnqueueReadBuffer" | "clEnqueueWriteBuffer" => (queue(), !blocks(2)),
            "clFinish" | "clReleaseCommandQueue" => (queue(), false),
            "hipModuleLaunchKernel" => (stream(8), true),
            "hipMemcpyPeerAsync" => (stream(5), true),
            "hipStreamSynchronize" | "hipStreamDestroy" => (stream(0), false),
            _ => return,
        };
        if works {
            self.busy.insert(worker)
        } else {
            self.busy.remove(&worker)
        };
    }

    /// Notes what is given back too early. OpenCL's commands hold buffer objects themselves.
    fn give_back(&mut self, function: &'static str) {
        let in_use = match function {
            "clSVMFree" | "hipFree" | "hipHostUnregister" => !self.busy.is_empty(),
            "clReleaseMemObject" | "hipModuleUnload" => {
                self.busy.iter().any(|worker| matches!(worker, Worker::Stream(_)))
            }
            _ => false,
        };
        if in_use {
            self.freed_in_use.push(function);
        }
    }
}

fn argument<T: Copy + 'static>(arguments: &[&dyn Any], index: usize) -> T {
    *arguments[index].downcast_ref::<T>().expect("the function has such an argument there")
}

/// The machine's libraries behind the shims.
pub fn libraries() -> Result<Libraries, Error> {
    // SAFETY: each shim has the type of the function that it wraps.
    unsafe {
        Libraries::new(
            Cl::from_resolver("shimmed OpenCL", Cl::shim),
            Hip::from_resolver("shimmed HIP", Hip::shim),
            Hiprtc::from_resolver("shimmed hiprtc", Hiprtc::shim),
            Hsa::from_resolver("shimmed HSA", Hsa::shim),
        )
    }
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
}

macro_rules! cannot_fail { ($($value:ty)*) => { $(impl Outcome for $value {})* } }
cannot_fail! { () u32 u64 hsa_sys::hsa_signal_value_t *const c_char hip_sys::hipChannelFormatDesc }

fn intercept<R: Outcome>(function: &'static str, arguments: &[&dyn Any], call: impl FnOnce() -> R) -> R {
    let fails = {
        let mut state = state();
        let count = state.counts.entry(function).or_default();
        count.made += 1;
        let this = (function, count.made);
        state.give_back(function);
        state.fail.contains(&this)
    };
    if fails && let Some(failure) = R::failure(arguments) {
        // What is given back is gone, so that the test does not leak it; only the code says otherwise.
        if OWNED.iter().any(|(_, _, gives_back)| *gives_back == function) {
            call();
        }
        return failure;
    }
    let outcome = call();
    if outcome.is_success() {
        let mut state = state();
        state.counts.entry(function).or_default().succeeded += 1;
        state.follow(function, arguments);
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
    include!("../../../crates/cl-sys/src/bindings_functions.rs");
    include!("../../../crates/hip-sys/src/bindings_functions.rs");
    include!("../../../crates/hsa-sys/src/bindings_functions.rs");
}
