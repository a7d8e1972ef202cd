//! What can go wrong, with the layer that said so.

use std::fmt;

/// Result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The layer an error comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Why something was refused. The text says all of it: no [`source`](std::error::Error::source) repeats a part.
#[derive(Debug, thiserror::Error)]
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
    #[error("{api}: {call} returned {code}; {}", advice(call, code))]
    Call {
        /// The layer.
        api: Api,
        /// The function.
        call: &'static str,
        /// The code by its name in that API.
        code: String,
    },
    /// A kernel's source was refused by the compiler.
    #[error("{api}: kernel does not compile ({code}):\n{log}")]
    Compile {
        /// The layer.
        api: Api,
        /// The code by its name in that API.
        code: String,
        /// What the compiler printed.
        log: String,
    },
    /// The kernel driver's description of the machine cannot be read.
    #[error("KFD: {}: {reason}; is the amdgpu driver loaded?", path.display())]
    Topology {
        /// The file or folder.
        path: std::path::PathBuf,
        /// What reading it said.
        reason: std::io::Error,
    },
    /// No AMD GPU that all three APIs and the driver see.
    #[error("no GPU is visible to OpenCL, HIP, HSA and KFD alike: {0}; run `rocm-probe` for details")]
    NoDevice(String),
    /// The bytes are not where sharing needs them.
    #[error(
        "address {address:#x}, {bytes} bytes: {reason}; sharing without a copy needs memory of the GPU that HIP uses, allocated through \
             ROCr"
    )]
    NotResident {
        /// Device address asked about.
        address: u64,
        /// Size asked about.
        bytes: usize,
        /// What `hsa_amd_pointer_info` says instead.
        reason: String,
    },
    /// An argument that no layer was asked about, because it is wrong in itself.
    #[error("{what}: {reason}")]
    Argument {
        /// The argument.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    pub(crate) fn load(api: Api) -> impl FnOnce(Box<dyn std::error::Error + Send + Sync>) -> Error {
        move |reason| Error::Load { api, reason }
    }
}

/// What to do about a code, by what the names of all three APIs have in common.
fn advice(call: &str, code: &str) -> &'static str {
    let is = |parts: &[&str]| parts.iter().any(|part| code.contains(part));
    if call == "hsa_init" {
        // HSA_STATUS_ERROR_OUT_OF_RESOURCES, whatever keeps the driver from being opened.
        "is the amdgpu driver loaded, and may this user open /dev/kfd (group `render`)?"
    } else if is(&["OUT_OF", "OutOfMemory", "ALLOCATION_FAILURE", "NULL"]) {
        "free memory and queues of the GPU, also in other processes, or ask for less"
    } else if is(&["INVALID", "Invalid", "NotFound"]) {
        "check what was passed to it, and that it is of this session"
    } else {
        "`rocm-probe` shows what works here, the kernel's log (`dmesg`) what the driver says"
    }
}

#[cfg(test)]
mod tests {
    use super::{Api, Error};

    #[test]
    fn no_source_repeats_what_the_text_says() {
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let errors = [
            Error::load(Api::Hip)(Box::new(missing())),
            Error::Topology { path: "/sys/class/kfd".into(), reason: missing() },
        ];
        for error in errors {
            assert!(error.to_string().contains("entity not found"), "{error}");
            assert!(std::error::Error::source(&error).is_none(), "{error}");
        }
    }

    #[test]
    fn a_missing_driver_is_not_taken_for_a_lack_of_memory() {
        let code = |call| Error::Call { api: Api::Hsa, call, code: "HSA_STATUS_ERROR_OUT_OF_RESOURCES".to_owned() };
        let (init, queue) = (code("hsa_init").to_string(), code("hsa_queue_create").to_string());
        assert!(
            init.starts_with("HSA: hsa_init returned HSA_STATUS_ERROR_OUT_OF_RESOURCES; is the amdgpu driver loaded"),
            "{init}"
        );
        assert!(queue.ends_with("HSA_STATUS_ERROR_OUT_OF_RESOURCES; free memory and queues of the GPU, also in other processes, or ask for less"));
    }
}
