//! HIP and HIPRTC bindings (`libamdhip64`, `libhiprtc`): every function, type and constant of the headers of HIP 5.2,
//! 5.7, 6.4, 7.1 and 7.2.
//!
//! Nothing needs to be installed to build this crate. [`Hip::load`] searches for the library, and each function is
//! looked up at its first call. A missing library or function is a [`LoadError`] with the names that were tried and the
//! package to install.
//!
//! ```
//! use hip_sys::{Hip, hipError_t};
//!
//! let hip = match Hip::load() {
//!     Ok(hip) => hip,
//!     Err(error) => return println!("{error}"),
//! };
//! let mut count = 0;
//! // SAFETY: the pointer is valid for one c_int.
//! match unsafe { hip.hipGetDeviceCount(&mut count) } {
//!     Ok(hipError_t::hipSuccess) => println!("{count} devices"),
//!     Ok(error) => println!("hipGetDeviceCount: {error:?}"),
//!     Err(missing) => println!("{missing}"),
//! }
//! ```
//!
//! # Search order
//! 1. The file that the environment variable `HIP_SYS_LIBRARY` names, and no other.
//! 2. A copy that this process has loaded already.
//! 3. `libamdhip64.so.7`, `.so.6` and `.so.5`, then newer versions, then `.so`, in the loader's path, Debian's
//!    multiarch folder, `lib` and `lib64` of `HIP_PATH` and of `ROCM_PATH`, `/opt/rocm`, `/opt/rocm/core*` and
//!    `/opt/rocm-*`, in this order. A version that this crate does not know is used too.
//!
//! [`rocm_loader`] has the details: an empty variable counts as unset, a root must be an absolute path, and a program
//! with more privileges than its user ignores both.
//!
//! [`Hiprtc::load`] searches for `libhiprtc` in the same way, with `HIPRTC_SYS_LIBRARY`. If there is none, it uses
//! HIP's library of HIP 5 or 6, which has the same functions.
//!
//! # One program for HIP 5, 6 and 7
//! Function signatures are those of the newest header. [`compat`] covers changes of
//! HIP 6 and 7 under the same name: `hipDeviceProp_t`, `hipMemoryType`, `HIP_MEMCPY3D`, and the parameters of a few
//! functions, whose documentation says so.
//!
//! Types and constants are generated (`bindings.txt` names the headers, and lists the differences between versions);
//! enums are newtypes, so a value that the headers do not know is only a number without a name.
#[macro_use]
extern crate rocm_loader;

#[rustfmt::skip]
mod bindings;
#[rustfmt::skip]
mod bindings_functions;
pub mod compat;

/// Ordinary foreign functions, for programs that link `libamdhip64` and `libhiprtc`.
///
/// The build script links those of the two that it finds where a development package puts them. A function that the
/// linked library lacks is an error of the linker, and only if it is used.
#[cfg(feature = "link")]
pub mod linked;

pub use bindings::*;
/// As since HIP 6; the struct of HIP 5 is [`hipDeviceProp_tR0000`].
#[allow(non_camel_case_types)]
pub type hipDeviceProp_t = hipDeviceProp_tR0600;
pub use rocm_loader::{Function, LoadError};

use rocm_loader::Names;

loaded_library! {
    /// The HIP runtime of this machine: a method for each function, looked up when it is first called.
    Hip {
        library: "the HIP runtime (libamdhip64)",
        variable: "HIP_SYS_LIBRARY",
        names: &[Names { stem: "libamdhip64", known: 5..=7, newer: true }],
        roots: &["HIP_PATH", "ROCM_PATH"],
        help: "install libamdhip64-5, -6 or -7 (Debian, Ubuntu) or hip-runtime-amd (AMD's packages), or set HIP_SYS_LIBRARY to the file",
    }
}

loaded_library! {
    /// hiprtc, HIP's compiler at run time: a library of its own, and in HIP 5 and 6 also part of the runtime.
    Hiprtc {
        library: "hiprtc (libhiprtc)",
        variable: "HIPRTC_SYS_LIBRARY",
        names: &[
            Names { stem: "libhiprtc", known: 5..=7, newer: true },
            Names { stem: "libamdhip64", known: 5..=6, newer: false },
        ],
        roots: &["HIP_PATH", "ROCM_PATH"],
        help: "install libhiprtc7, libhiprtc6 or libamdhip64-5 (Debian, Ubuntu) or hip-runtime-amd (AMD's packages), or set HIPRTC_SYS_LIBRARY \
               to the file",
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
