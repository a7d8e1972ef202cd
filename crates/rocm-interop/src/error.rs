//! What can go wrong, with the layer that said so.

mod cl_name;

use std::fmt;

use cl_sys::cl_int;
use hip_sys::{hipError_t, hiprtcResult};
use hsa_sys::hsa_status_t;

use cl_name::cl_name;

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The layer an error comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Api {
    /// `libOpenCL` and the implementation behind it.
    OpenCl,
    /// `libamdhip64`.
    Hip,
    /// `libhiprtc`.
    Hiprtc,
    /// `libhsa-runtime64`.
    Hsa,
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Api::OpenCl => "OpenCL",
            Api::Hip => "HIP",
            Api::Hiprtc => "hiprtc",
            Api::Hsa => "HSA",
        })
    }
}

/// What a function of one of the APIs returned. Shown by its name in that API.
///
/// ```
/// # use rocm_interop::sys::{Api, Code};
/// let code = Code::OpenCl(-38);
/// assert_eq!((code.api(), code.number(), code.name()), (Api::OpenCl, -38, Some("CL_INVALID_MEM_OBJECT")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    /// `CL_...`
    OpenCl(cl_int),
    /// `hipError...`
    Hip(hipError_t),
    /// `HIPRTC_ERROR_...`
    Hiprtc(hiprtcResult),
    /// `HSA_STATUS_ERROR_...`
    Hsa(hsa_status_t),
}

impl Code {
    /// The layer that returned it.
    pub fn api(self) -> Api {
        match self {
            Code::OpenCl(_) => Api::OpenCl,
            Code::Hip(_) => Api::Hip,
            Code::Hiprtc(_) => Api::Hiprtc,
            Code::Hsa(_) => Api::Hsa,
        }
    }

    /// Its value in that API's headers.
    pub fn number(self) -> i64 {
        match self {
            Code::OpenCl(code) => code.into(),
            Code::Hip(code) => code.0.into(),
            Code::Hiprtc(code) => code.0.into(),
            Code::Hsa(code) => code.0.into(),
        }
    }

    /// Its name in that API's headers; `None` if they have none for it.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Code::OpenCl(code) => cl_name(code),
            Code::Hip(code) => code.name(),
            Code::Hiprtc(code) => code.name(),
            Code::Hsa(code) => code.name(),
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "code {}", self.number()),
        }
    }
}

/// Why something was refused. The text says all of it: no [`source`](std::error::Error::source) repeats a part.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A library or one of its functions is missing.
    #[error("{api}: {reason}")]
    Load {
        /// The layer.
        api: Api,
        /// Which file or function, what was tried, what to install.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A call returned an error.
    #[error("{}: {call} returned {code}; {}", code.api(), advice(call, *code))]
    Call {
        /// The function.
        call: &'static str,
        /// What it returned.
        code: Code,
    },
    /// Work that was accepted failed later. Everything before this wait has ended, so what failed may be tried again;
    /// its results are missing.
    ///
    /// It is told once for each buffer where they are, and where what was computed from them is, and once by
    /// [`Session::finish`](crate::Session::finish) if nobody was told.
    #[error("{}: work that was enqueued earlier ended with {code}; {}", code.api(), advice("", *code))]
    Failed {
        /// How it ended.
        code: Code,
    },
    /// The GPU gave up waiting for a flag, so that the queues go on. What was launched behind that hand-over ran on
    /// data that was not ready.
    #[error(
        "{api}: a hand-over by a flag was not reached within {limit:?}, or was abandoned; what was launched behind it ran too early: do not let \
             the work before it wait for the host, or give `Flags` more time"
    )]
    TimedOut {
        /// The side that waited.
        api: Api,
        /// How long it waits.
        limit: std::time::Duration,
    },
    /// Work has not ended within the time that the host waits for it
    /// ([`Session::set_wait_limit`](crate::Session::set_wait_limit), or the call's own limit). Nothing is lost: it may
    /// be waited for once more.
    #[error(
        "{api}: work that was enqueued earlier had not ended after {limit:?}; wait for it once more, or call `Session::abandon` before you drop what it uses, since a drop waits too"
    )]
    StillRunning {
        /// The side whose work it is.
        api: Api,
        /// How long the host waited.
        limit: std::time::Duration,
    },
    /// The session's work was given up by [`Session::abandon`](crate::Session::abandon), so nobody waits for it and
    /// nothing more is enqueued. Or it is another session on the same GPU, and what is to be given back would wait for
    /// that work: HIP's functions that free wait for all streams of a GPU.
    #[error(
        "{api}: work on this GPU was given up by `Session::abandon`, and this would wait for it; start a new process to use the GPU again in full"
    )]
    Abandoned {
        /// The side that would wait.
        api: Api,
    },
    /// OpenCL gave no memory, for which its function has no code.
    #[error("OpenCL: {call} returned NULL for {bytes} bytes; {FREE_MEMORY}, or the device has no memory of this kind")]
    NoMemory {
        /// The function.
        call: &'static str,
        /// Size asked for.
        bytes: usize,
    },
    /// Several HSA runtimes are loaded in this process. Each has an address space of its own, and none knows the
    /// others' memory.
    #[error(
        "{} HSA runtimes are loaded in this process: {}; let OpenCL and HIP use one: a bundled copy (of a Python wheel, say) or a variable \
         such as LD_LIBRARY_PATH or HSA_SYS_LIBRARY brought the other",
        files.len(),
        files.join(" and ")
    )]
    SeveralRuntimes {
        /// The file of each; one that is loaded twice is there twice.
        files: Vec<String>,
    },
    /// A kernel's source was refused by the compiler.
    #[error("{}: kernel does not compile ({code}):\n{log}{}", code.api(), header_advice(code.api(), log))]
    Compile {
        /// What the compiler returned.
        code: Code,
        /// What the compiler printed.
        log: String,
    },
    /// What was to be loaded is no code for this GPU.
    #[error("code object: {0}")]
    CodeObject(amdgpu_code_object::Error),
    /// What was to be loaded is for this GPU, but of a newer version of code objects than this HIP or OpenCL reads.
    #[error(
        "{}: {call} returned {code}: the code object has version {version}, which HIP and OpenCL read from 6.4 on at the latest, and this is HIP {hip}; compile it with \
         `-mcode-object-version=5`",
        code.api()
    )]
    CodeVersion {
        /// The function.
        call: &'static str,
        /// What it returned.
        code: Code,
        /// Of the code object.
        version: u32,
        /// Major and minor version of the library.
        hip: String,
    },
    /// A program has no kernel of that name.
    #[error(
        "{}: {call} returned {code}: there is no kernel `{name}`, but {}; in HIP, declare it `extern \"C\"`, or name it by `HipSource::instance`",
        code.api(),
        if present.is_empty() { "none at all".to_owned() } else { present.join(", ") }
    )]
    NoKernel {
        /// The function.
        call: &'static str,
        /// What it returned.
        code: Code,
        /// The kernel asked for.
        name: String,
        /// Those that the program has; none if its code object is of a form that is not known.
        present: Vec<String>,
    },
    /// The kernel driver's description of the machine cannot be read.
    #[error("KFD: {0}")]
    Topology(kfd_topology::Error),
    /// `/dev/kfd` could not be opened.
    #[error("KFD: {0}")]
    Open(kfd_sys::OpenError),
    /// The kernel driver refused a request.
    #[error(
        "KFD: {request}: {}; is the descriptor memory of an AMD GPU, and of one that this process may use?",
        kfd_sys::Errno::of(reason)
    )]
    Driver {
        /// The request.
        request: &'static str,
        /// What it returned.
        reason: std::io::Error,
    },
    /// Memory or a turn did not pass between two processes: the socket failed, or the other process is late, or gone.
    #[error(transparent)]
    Channel(#[from] dmabuf_channel::Error),
    /// What the kernel says of this process cannot be read.
    #[error("{}: {reason}; mount /proc", path.display())]
    Process {
        /// The file.
        path: std::path::PathBuf,
        /// What reading it said.
        reason: std::io::Error,
    },
    /// Something was not given back, since waiting for the work that may use it failed. It stays for the rest of the
    /// process.
    #[error("{subject} may still be in use and is leaked: {reason}")]
    Leaked {
        /// What it is.
        subject: String,
        /// Why it is not known to be unused.
        reason: Box<Error>,
    },
    /// HIP made no handle for other processes. HIP 5 may say `hipSuccess` then, as it drops what the runtime below says
    /// (`amd::Device::IpcCreate`).
    #[error(
        "HIP: hipIpcGetMemHandle returned {code} and no handle; before ROCm 7 it takes AMDKFD_IOC_IPC_EXPORT_HANDLE, which only AMD's own kernel \
         module (amdgpu-dkms) answers; give the other process a dma-buf (`Buffer::export`), which every driver makes"
    )]
    NoIpcHandle {
        /// What it returned.
        code: Code,
    },
    /// No AMD GPU that all three APIs and the driver see.
    #[error("no GPU is visible to OpenCL, HIP, HSA and KFD alike: {0}; run `rocm-probe` for details")]
    NoDevice(String),
    /// The bytes are not where sharing needs them.
    #[error("address {address:#x}, {bytes} bytes: {reason}")]
    NotResident {
        /// Device address asked about.
        address: u64,
        /// Size asked about.
        bytes: usize,
        /// What `hsa_amd_pointer_info` says instead, and what is needed.
        reason: String,
    },
    /// One GPU cannot use the memory of another.
    #[error(
        "GPU {user} cannot use memory of GPU {owner}: hipDeviceCanAccessPeer says that no link between them allows it; it takes xGMI, or \
         PCI Express with all of the memory in its BAR and bridges that pass requests on; copy it instead (`copy_peer`)"
    )]
    NoLink {
        /// The GPU that was to use the memory.
        user: kfd_topology::PciAddress,
        /// The GPU whose memory it is.
        owner: kfd_topology::PciAddress,
    },
    /// An argument that no layer was asked about, because it is wrong in itself.
    #[error("{subject}: {reason}")]
    Argument {
        /// The argument.
        subject: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

/// The text of `Display`, as `main` prints an error by this.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    pub(crate) fn load(api: Api) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> Error {
        move |reason| Error::Load { api, reason }
    }

    /// Whether memory or another resource of the GPU or the host ran out, whichever layer says so: less of it, or
    /// another time, may do.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::NoMemory { .. } => true,
            Error::Call { call, code } => *call != HSA_INIT && names_a_shortage(*code),
            _ => false,
        }
    }

    /// This crate's error in what a function returned, as `Box<dyn Error>` or `anyhow::Error` have it: itself, or among
    /// its sources.
    ///
    /// ```
    /// # use rocm_interop::Error;
    /// fn may_be_tried_with_less(error: &(dyn std::error::Error + 'static)) -> bool {
    ///     Error::find(error).is_some_and(Error::is_out_of_memory)
    /// }
    /// # let error: Box<dyn std::error::Error> = Error::NoMemory { call: "clSVMAlloc", bytes: 1 }.into();
    /// assert!(may_be_tried_with_less(error.as_ref()));
    /// ```
    pub fn find<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e Error> {
        std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref())
    }

    /// Whether it tells how work ended ([`Failed`](Error::Failed), [`TimedOut`](Error::TimedOut)), not that a wait for
    /// it failed.
    pub fn is_of_work_that_ended(&self) -> bool {
        matches!(self, Error::Failed { .. } | Error::TimedOut { .. })
    }
}

/// Behind a log of a compiler that did not find a header.
fn header_advice(api: Api, log: &str) -> String {
    let Some((before, _)) = log.split_once("' file not found") else { return String::new() };
    let name = before.rsplit('\'').next().unwrap_or_default();
    let by = if api == Api::OpenCl { "OpenClSource::header" } else { "HipSource::header" };
    format!("\ngive `{name}` by `{by}`, or its folder by the option `-I`")
}

const FREE_MEMORY: &str = "free memory and queues of the GPU, also in other processes, or ask for less";

/// It returns HSA_STATUS_ERROR_OUT_OF_RESOURCES whatever keeps the driver from being opened.
const HSA_INIT: &str = "hsa_init";

fn names_a_shortage(code: Code) -> bool {
    let name = code.name().unwrap_or_default();
    ["OUT_OF", "OutOfMemory", "ALLOCATION_FAILURE"].iter().any(|part| name.contains(part))
}

/// What to do about a code, by what the names of all APIs have in common.
fn advice(call: &str, code: Code) -> &'static str {
    let name = code.name().unwrap_or_default();
    let is = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if call == HSA_INIT {
        "is the amdgpu driver loaded, and may this user open /dev/kfd (group `render`)?"
    } else if names_a_shortage(code) {
        FREE_MEMORY
    } else if is(&["INVALID", "Invalid", "NotFound"]) {
        "check what was passed to it, and that it is of this session"
    } else {
        "`rocm-probe` shows what works here, the kernel's log (`dmesg`) what the driver says"
    }
}

/// An [`Error`], and what the call that failed would have consumed: nothing is lost with it.
///
/// `?` keeps the error alone where a function returns [`Error`]; the value is dropped then. Where it returns `Box<dyn
/// Error>` or `anyhow::Error`, `?` keeps all of this, so a buffer stays allocated as long as the error; [`Error::find`]
/// finds the reason in it, which is its [`source`](std::error::Error::source). To drop the value there too, say so:
///
/// ```
/// # use rocm_interop::{Buffer, Hip, OpenCl, Refused};
/// fn hand_over(buffer: Buffer<f32, OpenCl>) -> Result<Buffer<f32, Hip>, Box<dyn std::error::Error>> {
///     Ok(buffer.into_hip().map_err(Refused::into_error)?)
/// }
/// ```
pub struct Refused<V>(Box<(Error, V)>);

impl<V> Refused<V> {
    pub(crate) fn new(error: Error, value: V) -> Refused<V> {
        Refused(Box::new((error, value)))
    }

    /// Why.
    pub fn error(&self) -> &Error {
        &self.0.0
    }

    /// The error alone. The value is dropped, which for a buffer waits and frees it.
    pub fn into_error(self) -> Error {
        self.into_parts().0
    }

    /// The error and the value.
    pub fn into_parts(self) -> (Error, V) {
        *self.0
    }
}

impl<V> From<Refused<V>> for Error {
    fn from(refused: Refused<V>) -> Error {
        refused.into_error()
    }
}

/// The text of `Display`, as of [`Error`]: a value may hold gigabytes.
impl<V> fmt::Debug for Refused<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<V> fmt::Display for Refused<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error().fmt(f)
    }
}

/// The source is the [`Error`], whose text this has too.
impl<V> std::error::Error for Refused<V> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.error())
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Api, Code, Error, Refused};

    /// As a function of a user's has it that returns `Box<dyn Error>`.
    #[test]
    fn the_reason_is_found_behind_a_question_mark() {
        let missing = || Error::NoMemory { call: "clSVMAlloc", bytes: 1 };
        let value = Rc::new(());
        let refused = || Refused::new(missing(), Rc::clone(&value));
        let whole = || -> Result<(), Box<dyn std::error::Error>> { Ok(Err(refused())?) };
        let boxed = whole().expect_err("refused");
        assert!(Error::find(&*boxed).is_some_and(Error::is_out_of_memory), "{boxed}");
        assert!(boxed.source().is_some_and(|source| source.is::<Error>()));
        assert_eq!(boxed.to_string(), missing().to_string());
        assert_eq!(Rc::strong_count(&value), 2, "it is kept");
        drop(boxed);

        let call = || Err::<(), _>(refused());
        let alone = || -> Result<(), Box<dyn std::error::Error>> { Ok(call().map_err(Refused::into_error)?) };
        let boxed = alone().expect_err("refused");
        assert!(boxed.downcast_ref().is_some_and(Error::is_out_of_memory), "{boxed}");
        assert_eq!(Rc::strong_count(&value), 1, "it is dropped");

        assert!(Error::find(&std::fmt::Error).is_none());
    }

    #[test]
    fn no_source_repeats_what_the_text_says() {
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let errors = [
            Error::load(Api::Hip)(Box::new(missing())),
            Error::Topology(kfd_topology::Error::File { path: "/sys".into(), subject: missing().to_string() }),
            Error::Process { path: "/proc/self/maps".into(), reason: missing() },
        ];
        for error in errors {
            assert!(error.to_string().contains("entity not found"), "{error}");
            assert!(std::error::Error::source(&error).is_none(), "{error}");
        }
    }

    /// As a `main` that returns `Box<dyn Error>` prints them.
    #[test]
    fn debug_has_the_text_with_its_advice() {
        let error = || Error::Call { call: "f", code: Code::OpenCl(-38) };
        const TEXT: &str =
            "OpenCL: f returned CL_INVALID_MEM_OBJECT; check what was passed to it, and that it is of this session";
        let boxed: Box<dyn std::error::Error> = error().into();
        assert_eq!(format!("{boxed:?}"), TEXT);
        assert_eq!(format!("{:?}", Refused::new(error(), ())), TEXT);
    }

    #[test]
    fn a_header_that_is_missing_is_told_with_where_it_goes() {
        let said = |code, log: &str| Error::Compile { code, log: log.to_owned() }.to_string();
        let hiprtc = Code::Hiprtc(hip_sys::hiprtcResult(6));
        let log = "kernel.hip:1:10: fatal error: 'my.h' file not found\n#include \"my.h\"\n";
        let text = said(hiprtc, log);
        assert!(text.ends_with("\n\ngive `my.h` by `HipSource::header`, or its folder by the option `-I`"), "{text}");
        assert!(said(Code::OpenCl(-11), log).contains("give `my.h` by `OpenClSource::header`"));
        assert!(said(hiprtc, "error: no").ends_with("error: no"));
    }

    #[test]
    fn a_code_is_a_number_and_a_name() {
        let codes = [
            (Code::OpenCl(-4), Api::OpenCl, -4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
            (Code::Hip(hip_sys::hipError_t(2)), Api::Hip, 2, "hipErrorOutOfMemory"),
            (Code::Hiprtc(hip_sys::hiprtcResult(6)), Api::Hiprtc, 6, "HIPRTC_ERROR_COMPILATION"),
            (Code::Hsa(hsa_sys::hsa_status_t(0x1008)), Api::Hsa, 0x1008, "HSA_STATUS_ERROR_OUT_OF_RESOURCES"),
        ];
        for (code, api, number, name) in codes {
            assert_eq!((code.api(), code.number(), code.name()), (api, number, Some(name)));
            assert_eq!(code.to_string(), name);
        }
        let unknown = Code::OpenCl(-9999);
        assert_eq!((unknown.name(), unknown.to_string()), (None, "code -9999".to_owned()));
    }

    #[test]
    fn advice_is_by_what_names_have_in_common() {
        let says = |code, words: &str| {
            let text = Error::Call { call: "f", code }.to_string();
            assert!(text.contains(words), "{text}");
        };
        says(Code::OpenCl(-4), "OpenCL: f returned CL_MEM_OBJECT_ALLOCATION_FAILURE; free memory");
        says(Code::OpenCl(-6), "free memory");
        says(Code::Hip(hip_sys::hipError_t(2)), "HIP: f returned hipErrorOutOfMemory; free memory");
        says(Code::OpenCl(-38), "check what was passed");
        says(Code::Hip(hip_sys::hipError_t(500)), "hipErrorNotFound; check what was passed");
        says(Code::Hip(hip_sys::hipError_t(999)), "hipErrorUnknown; `rocm-probe` shows");
        says(Code::OpenCl(-9999), "code -9999; `rocm-probe` shows");
    }

    #[test]
    fn a_shortage_is_one_whichever_layer_says_so() {
        let code = |code| Error::Call { call: "f", code };
        let out_of = hsa_sys::hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        let short = [
            Error::NoMemory { call: "clSVMAlloc", bytes: 1 },
            code(Code::OpenCl(cl_sys::CL_MEM_OBJECT_ALLOCATION_FAILURE)),
            code(Code::Hip(hip_sys::hipError_t::hipErrorOutOfMemory)),
            code(Code::Hsa(out_of)),
        ];
        assert!(short.iter().all(Error::is_out_of_memory));
        let other = [
            code(Code::OpenCl(cl_sys::CL_INVALID_VALUE)),
            Error::Call { call: "hsa_init", code: Code::Hsa(out_of) },
            Error::NoDevice(String::new()),
        ];
        assert!(!other.iter().any(Error::is_out_of_memory));
    }

    #[test]
    fn a_missing_driver_is_not_taken_for_a_lack_of_memory() {
        let code =
            |call| Error::Call { call, code: Code::Hsa(hsa_sys::hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES) };
        let (init, queue) = (code("hsa_init").to_string(), code("hsa_queue_create").to_string());
        assert!(
            init.starts_with("HSA: hsa_init returned HSA_STATUS_ERROR_OUT_OF_RESOURCES; is the amdgpu driver loaded"),
            "{init}"
        );
        assert!(queue.ends_with("HSA_STATUS_ERROR_OUT_OF_RESOURCES; free memory and queues of the GPU, also in other processes, or ask for less"));
    }
}
