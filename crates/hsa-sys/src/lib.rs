//! Bindings for the HSA runtime (`libhsa-runtime64`, ROCr) with AMD's extensions: every function, type and constant of
//! the headers of ROCr 5.2, 6.1, 6.4, 7.1 and 7.2. The headers are `hsa.h`, `hsa_ext_amd.h`, `hsa_ext_image.h`,
//! `hsa_ven_amd_loader.h`, the layouts of AMD's queues, signals and kernel code, and the tables of `hsa_api_trace.h`.
//!
//! Nothing needs to be installed to build this crate. [`Hsa::load`] searches for the library, and each function is
//! looked up at its first call. A missing library or function is a [`LoadError`] with the names that were tried and the
//! package to install.
//!
//! ```
//! use hsa_sys::{Hsa, hsa_status_t};
//!
//! let hsa = match Hsa::load() {
//!     Ok(hsa) => hsa,
//!     Err(error) => return println!("{error}"),
//! };
//! // SAFETY: hsa_init has no preconditions.
//! match unsafe { hsa.hsa_init() } {
//!     // SAFETY: each successful hsa_init is to be paired with one hsa_shut_down.
//!     Ok(hsa_status_t::HSA_STATUS_SUCCESS) => println!("{:?}", unsafe { hsa.hsa_shut_down() }),
//!     // Without /dev/kfd this is HSA_STATUS_ERROR_OUT_OF_RESOURCES.
//!     Ok(error) => println!("hsa_init: {error:?}"),
//!     Err(missing) => println!("{missing}"),
//! }
//! ```
//!
//! # Search order
//! 1. The file that the environment variable `HSA_SYS_LIBRARY` names, and no other.
//! 2. A copy that this process has loaded already.
//! 3. `libhsa-runtime64.so.1`, then newer versions, then `.so`, in the loader's path, Debian's multiarch folder, `lib`
//!    and `lib64` of `ROCM_PATH`, `/opt/rocm`, `/opt/rocm/core*` and `/opt/rocm-*`, in this order.
//!
//! [`rocm_loader`] has the details: an empty variable counts as unset, a root must be an absolute path, and a program
//! with more privileges than its user ignores both.
//!
//! # Threads
//! HSA's functions may be called by several threads, with one exception: in ROCr 6.4 a process's first `hsa_init` must
//! have returned before another thread calls it. It makes the lock that it takes in an unguarded static variable, so
//! two first calls can make one each and both initialise the runtime: one then returns
//! `HSA_STATUS_ERROR_OUT_OF_RESOURCES`, later calls `HSA_STATUS_ERROR_NOT_INITIALIZED`, or the runtime aborts. The
//! first use of HIP, and of AMD's OpenCL, calls it too.
//!
//! # Versions
//! Structs are those of the newest header, except that fields which a newer header moved into an unnamed union, to give
//! another view of them, stay where all programs name them: `header` and `setup` of `hsa_kernel_dispatch_packet_t`. The
//! ones that grew carry their size (`hsa_amd_pointer_info_t`) or are extended only at the end (the function tables),
//! except `hsa_amd_aie_ert_start_kernel_data_s`; set a `size` field to what the struct has here, the runtime fills in
//! no more than it knows.
//!
//! Types and constants are generated (`bindings.txt` says from what, and lists how the versions differ); enums are
//! newtypes, so a value that the headers do not know is only a number without a name.
#[macro_use]
extern crate rocm_loader;

#[rustfmt::skip]
mod bindings;
#[rustfmt::skip]
mod bindings_functions;

/// Ordinary foreign functions, for programs that link `libhsa-runtime64`.
///
/// The build script links the library if it finds it where a development package puts it. A function that the linked
/// library lacks is an error of the linker, and only if it is used.
#[cfg(feature = "link")]
pub mod linked;

pub use bindings::*;
pub use rocm_loader::{Function, LoadError};

use rocm_loader::Names;

loaded_library! {
    /// The HSA runtime of this machine: a method for each function, looked up when it is first called.
    Hsa {
        library: "the HSA runtime (libhsa-runtime64)",
        variable: "HSA_SYS_LIBRARY",
        names: &[Names { stem: "libhsa-runtime64", known: 1..=1, newer: true }],
        roots: &["ROCM_PATH"],
        help: "install libhsa-runtime64-1 (Debian, Ubuntu) or hsa-rocr (AMD's packages), or set HSA_SYS_LIBRARY to the file",
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
