//! Every function of the four libraries, wrapped: calls are counted, and a chosen one fails.
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cl_sys::{Cl, cl_event, cl_int};
use hip_sys::{Hip, Hiprtc, hipError_t, hipEvent_t, hiprtcResult};
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
    ("HIP streams", &["hipStreamCreate"], "hipStreamDestroy"),
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
    /// Queues and streams whose work was not waited for, with the number of the last of it.
    busy: BTreeMap<Worker, usize>,
    /// What the APIs' events wait for: the work up to a number.
    events: BTreeMap<usize, (Worker, usize)>,
    works: usize,
    /// Functions that gave back what work of these may use.
    freed_in_use: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worker {
    Queue(usize),
    Stream(usize),
}

static STATE: Mutex<State> = Mutex::new(State {
    counts: Counts::new(),
    fail: Vec::new(),
    busy: BTreeMap::new(),
    events: BTreeMap::new(),
    works: 0,
    freed_in_use: Vec::new(),
});

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
        // SAFETY: the function stored an event there.
        let stored = |index| unsafe { argument::<*mut cl_event>(arguments, index).read() }.addr();
        match function {
            "clEnqueueNDRangeKernel" | "clEnqueueCopyBuffer" | "clEnqueueFillBuffer" => {
                self.work(queue());
                self.mark(stored(8), queue());
            }
            "clEnqueueSVMMemFill" => {
                self.work(queue());
                self.mark(stored(7), queue());
            }
            "clEnqueueMarkerWithWaitList" | "clEnqueueBarrierWithWaitList" => self.mark(stored(3), queue()),
            "clEnqueueSVMMemcpy" if !blocks(1) => {
                self.work(queue());
                self.mark(stored(7), queue());
            }
            "clEnqueueReadBuffer" | "clEnqueueWriteBuffer" if !blocks(2) => {
                self.work(queue());
                self.mark(stored(8), queue());
            }
            "clEnqueueSVMMemcpy"
            | "clEnqueueReadBuffer"
            | "clEnqueueWriteBuffer"
            | "clFinish"
            | "clReleaseCommandQueue" => {
                self.busy.remove(&queue());
            }
            "clWaitForEvents" => {
                let events = argument::<*const cl_event>(arguments, 1);
                // SAFETY: the function was given that many.
                let events = unsafe { std::slice::from_raw_parts(events, argument::<u32>(arguments, 0) as usize) };
                events.iter().for_each(|event| self.reached(event.addr()));
            }
            "hipModuleLaunchKernel" => self.work(stream(8)),
            "hipMemcpyPeerAsync" => self.work(stream(5)),
            "hipMemcpyDtoDAsync" | "hipMemsetD8Async" | "hipMemsetD16Async" | "hipMemsetD32Async" => {
                self.work(stream(3))
            }
            "hipEventRecord" => self.mark(argument::<hipEvent_t>(arguments, 0).addr(), stream(1)),
            "hipEventSynchronize" => self.reached(argument::<hipEvent_t>(arguments, 0).addr()),
            "hipStreamSynchronize" | "hipStreamDestroy" => {
                self.busy.remove(&stream(0));
            }
            _ => {}
        }
    }

    fn work(&mut self, worker: Worker) {
        self.works += 1;
        self.busy.insert(worker, self.works);
    }

    /// The event is reached when what the worker has now is done.
    fn mark(&mut self, event: usize, worker: Worker) {
        self.events.insert(event, (worker, self.works));
    }

    fn reached(&mut self, event: usize) {
        if let Some((worker, until)) = self.events.get(&event)
            && self.busy.get(worker).is_some_and(|last| last <= until)
        {
            self.busy.remove(worker);
        }
    }

    /// Notes what is given back too early. OpenCL's commands hold buffer objects themselves.
    fn give_back(&mut self, function: &'static str) {
        let in_use = match function {
            "clSVMFree"
            | "hipFree"
            | "hipHostFree"
            | "hipHostUnregister"
            | "hipDestroyExternalMemory"
            | "hipIpcCloseMemHandle"
            | "hsa_amd_interop_unmap_buffer" => !self.busy.is_empty(),
            "clReleaseMemObject" | "hipModuleUnload" => {
                self.busy.keys().any(|worker| matches!(worker, Worker::Stream(_)))
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
            // A queue that is gone has no work that a later one at its address would be taken to have.
            state().follow(function, arguments);
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
    include!("../../../../crates/cl-sys/src/bindings_functions.rs");
    include!("../../../../crates/hip-sys/src/bindings_functions.rs");
    include!("../../../../crates/hsa-sys/src/bindings_functions.rs");
}
