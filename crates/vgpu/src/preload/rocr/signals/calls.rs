//! The HIP call that a thread is in. A signal that the runtime reads in an enqueuing call is not known to the program.
//!
//! HIP offers tools to be called at the begin and the end of each call (`hipRegisterTracerCallback`), with its
//! arguments. Where it does not, or another tool takes its place, all that is seen counts as seen by the program.

use crate::driver::device::{self, MemoryAt};
use crate::hardware::checks::order::{self, Reader};
use std::cell::Cell;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A call, by what the program knows when it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// Nothing new. It enqueues in the stream whose handle is at this offset in the arguments.
    Enqueues(usize),
    /// A copy, which may be enqueued only, unless one side is memory that the runtime copies itself and waits for. Both
    /// addresses are first.
    Copies(usize),
    /// A wait until all work in the stream whose handle is at this offset, or in the null stream, has completed.
    Waits(Option<usize>),
    /// A query, which knows of completion that it or the runtime has observed.
    Asks,
    /// Nothing, and it enqueues nothing that the program asked for.
    Neither,
    /// It is not known.
    Other,
}

/// Calls by their names.
const CALLS: &[(&str, Call)] = &[
    ("hipLaunchKernel", Call::Enqueues(56)),
    ("hipExtLaunchKernel", Call::Enqueues(56)),
    ("hipLaunchCooperativeKernel", Call::Enqueues(56)),
    ("hipModuleLaunchKernel", Call::Enqueues(40)),
    ("hipModuleLaunchCooperativeKernel", Call::Enqueues(40)),
    ("hipExtModuleLaunchKernel", Call::Enqueues(40)),
    ("hipHccModuleLaunchKernel", Call::Enqueues(40)),
    ("hipMemcpyAsync", Call::Copies(32)),
    ("hipMemcpyHtoDAsync", Call::Copies(24)),
    ("hipMemcpyDtoHAsync", Call::Copies(24)),
    ("hipMemcpyDtoDAsync", Call::Copies(24)),
    ("hipMemsetAsync", Call::Enqueues(24)),
    ("hipMemsetD8Async", Call::Enqueues(24)),
    ("hipMemsetD16Async", Call::Enqueues(24)),
    ("hipMemsetD32Async", Call::Enqueues(24)),
    ("hipEventRecord", Call::Enqueues(8)),
    ("hipEventRecordWithFlags", Call::Enqueues(8)),
    ("hipStreamWaitEvent", Call::Enqueues(0)),
    ("hipStreamSynchronize", Call::Waits(Some(0))),
    ("hipMemcpy", Call::Waits(None)),
    ("hipMemcpyHtoD", Call::Waits(None)),
    ("hipMemcpyDtoH", Call::Waits(None)),
    ("hipMemset", Call::Waits(None)),
    ("hipEventQuery", Call::Asks),
    ("hipEventSynchronize", Call::Asks),
    ("hipStreamQuery", Call::Asks),
];

/// How the names begin of calls that neither wait nor ask.
const NEITHER: &[&str] = &[
    "__hip",
    "hipDeviceGet",
    "hipEventCreate",
    "hipExtMalloc",
    "hipFuncGet",
    "hipGet",
    "hipHostMalloc",
    "hipInit",
    "hipModuleGet",
    "hipOccupancy",
    "hipPeekAtLastError",
    "hipPointerGet",
    "hipSetDevice",
    "hipStreamCreate",
    "hipStreamGet",
];

impl Call {
    fn of(name: &str) -> Call {
        match CALLS.iter().find(|(known, _)| *known == name) {
            Some((_, call)) => *call,
            // Not `hipMallocAsync`: memory of the stream's pool may be what another stream has given back.
            None if name == "hipMalloc" || NEITHER.iter().any(|start| name.starts_with(start)) => Call::Neither,
            None => Call::Other,
        }
    }
}

/// The call that this thread is in.
#[derive(Clone, Copy)]
struct Current {
    /// Calls may call others: the first one counts.
    depth: u32,
    id: u32,
    call: Call,
    stream: u64,
    /// It has looked at a signal.
    looked: bool,
}

thread_local! {
    static CURRENT: Cell<Current> = const {
        Cell::new(Current { depth: 0, id: 0, call: Call::Other, stream: 0, looked: false })
    };
}

/// The reader on whose behalf this thread polls signals and enqueues.
pub fn reader() -> Reader {
    let Current { depth, call, stream, .. } = CURRENT.get();
    match call {
        _ if depth == 0 => Reader::Program,
        Call::Enqueues(_) | Call::Copies(_) => Reader::Stream(stream),
        Call::Waits(_) => Reader::Waiter(stream),
        Call::Neither => Reader::Runtime,
        Call::Asks | Call::Other => Reader::Program,
    }
}

/// As [`reader`], for a thread that polls a signal.
pub fn looks() -> Reader {
    let current = CURRENT.get();
    if current.depth > 0 && !current.looked {
        CURRENT.set(Current { looked: true, ..current });
    }
    reader()
}

/// As [`reader`], of a thread that has a function called once a signal has changed.
pub fn reader_of_handler() -> Reader {
    let Current { depth, call, .. } = CURRENT.get();
    match call {
        // A function of the program's may be called then, which tells the program.
        Call::Other => Reader::Program,
        _ if depth == 0 => Reader::Program,
        _ => Reader::Runtime,
    }
}

/// How the name of HIP's file begins.
const LIBRARY: &str = "libamdhip64.so";

/// Runs a [handler](reader_of_handler) on behalf of `reader`, including its own polls.
pub fn on_behalf<T>(reader: Reader, run: impl FnOnce() -> T) -> T {
    if reader != Reader::Runtime {
        return run();
    }
    let before = CURRENT.replace(Current { depth: 1, id: 0, call: Call::Neither, stream: 0, looked: false });
    let result = run();
    CURRENT.set(before);
    result
}

/// `hip_api_trace_data_t` begins with `hip_api_data_t`: two numbers, and the arguments of the call.
const ARGUMENTS: usize = 16;

/// What is behind the arguments, whose size is that of the longest.
struct Layout {
    enter: usize,
    exit: usize,
}

impl Layout {
    /// Of the HIP in this file, whose name ends with its version: HIP's function that gives it waits until HIP is
    /// initialised. The longest arguments have `hipDeviceProp_t`, which changes with major versions only.
    fn of(library: &Path) -> Option<Layout> {
        let name = library.file_name()?.to_str()?;
        let arguments = match name.strip_prefix(LIBRARY)?.strip_prefix('.')?.split('.').next()? {
            "5" => 816,
            "6" | "7" => 1496,
            _ => return None,
        };
        // A pointer of tools, a time and a word of theirs.
        let behind = ARGUMENTS + arguments + 8 + 2 * 8;
        Some(Layout { enter: behind, exit: behind + 8 })
    }
}

/// What HIP's numbers of calls mean, and where it wants its functions.
static HIP: OnceLock<(Vec<Call>, Ids, Layout)> = OnceLock::new();

/// Numbers of calls of which more is to be known.
#[derive(Default)]
struct Ids {
    creates_with_flags: Option<usize>,
    creates_with_priority: Option<usize>,
    destroys: Option<usize>,
}

/// Asks HIP to report calls, if HIP is loaded and was not asked before.
pub fn watch() {
    // How many libraries were there when it was looked for.
    static LOADED: AtomicU64 = AtomicU64::new(0);
    if HIP.get().is_some() {
        return;
    }
    let mut search = Search { loaded: 0, path: None };
    // SAFETY: the function is as libc wants it, and gets this.
    unsafe { libc::dl_iterate_phdr(Some(find), (&raw mut search).cast()) };
    if LOADED.swap(search.loaded, Ordering::Relaxed) == search.loaded {
        return;
    }
    let Some(path) = search.path else { return };
    let file = std::fs::canonicalize(OsStr::from_bytes(path.to_bytes()));
    let Some(layout) = file.ok().and_then(|file| Layout::of(&file)) else { return };
    // SAFETY: a text that ends, of a library that is loaded.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if library.is_null() {
        return;
    }
    // SAFETY: names that end.
    let [name, register] =
        [c"hipApiName", c"hipRegisterTracerCallback"].map(|name| unsafe { libc::dlsym(library, name.as_ptr()) });
    if name.is_null() || register.is_null() {
        return;
    }
    // SAFETY: HIP's functions of these names have these types in all versions.
    let (name, register) = unsafe {
        (
            std::mem::transmute::<*mut c_void, extern "C" fn(u32) -> *const c_char>(name),
            std::mem::transmute::<*mut c_void, extern "C" fn(Callback)>(register),
        )
    };
    let (mut calls, mut ids) = (Vec::new(), Ids::default());
    /// More than there are.
    const CALLS: u32 = 2048;
    for id in 0..CALLS {
        // SAFETY: a text of HIP's, which stays.
        let name = unsafe { CStr::from_ptr(name(id)) }.to_str().unwrap_or_default();
        match name {
            "hipStreamCreateWithFlags" => ids.creates_with_flags = Some(id as usize),
            "hipStreamCreateWithPriority" => ids.creates_with_priority = Some(id as usize),
            "hipStreamDestroy" => ids.destroys = Some(id as usize),
            _ => {}
        }
        calls.push(Call::of(name));
    }
    if HIP.set((calls, ids, layout)).is_ok() {
        register(called);
    }
}

struct Search {
    loaded: u64,
    path: Option<std::ffi::CString>,
}

unsafe extern "C" fn find(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: libc's, and what `watch` gave it.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    search.loaded = info.dlpi_adds;
    if info.dlpi_name.is_null() {
        return 0;
    }
    // SAFETY: a text that ends.
    let path = unsafe { CStr::from_ptr(info.dlpi_name) };
    let name = path.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    if name.starts_with(LIBRARY.as_bytes()) {
        search.path = Some(path.to_owned());
    }
    0
}

type Callback = extern "C" fn(u32, u32, *mut c_void) -> c_int;

/// A call begins. Gives 0 to be called further.
extern "C" fn called(domain: u32, _: u32, data: *mut c_void) -> c_int {
    /// `ACTIVITY_DOMAIN_HIP_API`.
    const CALLS: u32 = 3;
    let Some((_, _, layout)) = HIP.get().filter(|_| domain == CALLS && !data.is_null()) else { return 1 };
    let data = data.cast::<u8>();
    // SAFETY: HIP's structure, whose first number a tool sets, and which has these fields there.
    unsafe {
        data.cast::<u64>().write(0);
        data.add(layout.enter).cast::<Phase>().write(enters);
        data.add(layout.exit).cast::<Phase>().write(exits);
    }
    0
}

type Phase = unsafe extern "C" fn(u32, *mut c_void);

/// The argument at an offset.
///
/// # Safety
/// The structure is HIP's, of a call that has one there, and its arguments are set.
unsafe fn argument(data: *mut c_void, offset: usize) -> u64 {
    // SAFETY: as the caller promised.
    unsafe { data.cast::<u8>().add(ARGUMENTS + offset).cast::<u64>().read_unaligned() }
}

unsafe extern "C" fn enters(id: u32, data: *mut c_void) {
    let current = CURRENT.get();
    if current.depth > 0 {
        CURRENT.set(Current { depth: current.depth + 1, ..current });
        return;
    }
    let call = HIP.get().and_then(|(calls, ..)| calls.get(id as usize)).copied().unwrap_or(Call::Other);
    // SAFETY: HIP calls this with its structure, and has set the arguments.
    let argument = |offset| unsafe { argument(data, offset) };
    let stream = match call {
        Call::Enqueues(offset) | Call::Copies(offset) | Call::Waits(Some(offset)) => argument(offset),
        _ => 0,
    };
    let is_devices = |offset| {
        let memory: Option<MemoryAt> = device::memory_at(argument(offset), 1);
        memory.is_some()
    };
    let call = match call {
        Call::Copies(_) if !is_devices(0) || !is_devices(8) => Call::Waits(None),
        call => call,
    };
    CURRENT.set(Current { depth: 1, id, call, stream, looked: false });
}

unsafe extern "C" fn exits(_: u32, data: *mut c_void) {
    let Current { depth, id, call, stream, looked } = CURRENT.get();
    CURRENT.set(Current { depth: depth.saturating_sub(1), ..CURRENT.get() });
    if depth != 1 {
        return;
    }
    match call {
        Call::Waits(_) => order::awaited(stream),
        Call::Asks if looked => {}
        Call::Asks | Call::Other => order::learned_by_runtime(),
        Call::Enqueues(_) | Call::Copies(_) | Call::Neither => {}
    }
    let Some((_, ids, _)) = HIP.get() else { return };
    let id = Some(id as usize);
    // SAFETY: HIP calls this with its structure, of a call with these arguments.
    unsafe {
        if id == ids.creates_with_flags || id == ids.creates_with_priority {
            /// `hipStreamNonBlocking`.
            const APART: u64 = 1;
            let place: *const u64 = std::ptr::with_exposed_provenance(argument(data, 0) as usize);
            if !place.is_null() && argument(data, 16) & APART != 0 {
                // It wrote the handle there, or nothing if it failed.
                order::stream_is_apart(place.read());
            }
        } else if id == ids.destroys {
            order::forget_stream(argument(data, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_known_by_their_names() {
        for (name, call) in [
            ("hipLaunchKernel", Call::Enqueues(56)),
            ("hipStreamWaitEvent", Call::Enqueues(0)),
            ("hipGetDevice", Call::Neither),
            ("__hipPushCallConfiguration", Call::Neither),
            ("hipMallocAsync", Call::Other),
            ("hipDeviceSynchronize", Call::Other),
            ("unknown", Call::Other),
        ] {
            assert_eq!(Call::of(name), call, "{name}");
        }
    }

    #[test]
    fn the_layout_is_that_of_the_version() {
        let of = |name: &str| Layout::of(Path::new(name)).map(|layout| (layout.enter, layout.exit));
        assert_eq!(of("/usr/lib/libamdhip64.so.5.7.31921"), Some((856, 864)));
        assert_eq!(of("/usr/lib/libamdhip64.so.7.2.53211"), Some((1536, 1544)));
        assert_eq!(of("/usr/lib/libamdhip64.so.8.0.1"), None);
        assert_eq!(of("/usr/lib/libamdhip64.so"), None);
    }
}
