//! Bindings for RCCL (`librccl`), collectives between AMD GPUs: every function, type and constant of `rccl.h` of ROCm
//! 5.4 (RCCL 2.13) and 7.2 (RCCL 2.27), by NCCL's names, which are RCCL's too.
//!
//! Nothing needs to be installed to build this crate. [`Rccl::load`] searches for the library, and each function is
//! looked up at its first call. A missing library or function is a [`LoadError`] with the names that were tried and the
//! package to install.
//!
//! ```
//! use rccl_sys::{Rccl, ncclResult_t};
//!
//! let rccl = match Rccl::load() {
//!     Ok(rccl) => rccl,
//!     Err(error) => return println!("{error}"),
//! };
//! let mut version = 0;
//! // SAFETY: the pointer is valid for one c_int.
//! match unsafe { rccl.ncclGetVersion(&mut version) } {
//!     Ok(ncclResult_t::ncclSuccess) => println!("RCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100),
//!     Ok(error) => println!("ncclGetVersion: {error:?}"),
//!     Err(missing) => println!("{missing}"),
//! }
//! ```
//!
//! # Search order
//! 1. The file that the environment variable `RCCL_SYS_LIBRARY` names, and no other.
//! 2. A copy that this process has loaded already.
//! 3. `librccl.so.1`, then newer versions, then `.so`, in the loader's path, Debian's multiarch folder, `lib` and
//!    `lib64` of `ROCM_PATH`, `/opt/rocm`, `/opt/rocm/core*` and `/opt/rocm-*`, in this order.
//!
//! [`rocm_loader`] has the details: an empty variable counts as unset, a root must be an absolute path, and a program
//! with more privileges than its user ignores both.
//!
//! It has to be the RCCL of the HIP that the process uses: a stream of one HIP is no stream of another. One that was
//! built for another HIP loads that one too.
//!
//! # Threads
//! The functions may be called by several threads, with one exception: a communicator is used by one thread at a time.
//! A thread that uses several in turn, and ranks that make calls in different orders, wait for each other for ever
//! unless the calls are in a group (`ncclGroupStart`, `ncclGroupEnd`).
//!
//! # Versions
//! Signatures and structs are those of the newest header; no function changed its parameters. What the versions have
//! apart:
//!
//! | | 5.4 | 7.2 |
//! |---|---|---|
//! | configured, split, finalised and shrunk communicators (`ncclCommInitRankConfig`, `ncclCommSplit`, ..), registered buffers, `ncclMemAlloc` | no: calls return [`LoadError::FunctionMissing`] | yes |
//! | `ncclCommInitRankMulti` (several ranks a GPU) | yes | no, likewise |
//! | the number 7 as a result | none: `ncclNumResults` was 7 | `ncclInProgress` |
//! | the numbers 10 and 11 as a type of data | refused: `ncclNumTypes` was 10 | `ncclFloat8e4m3` and `ncclFloat8e5m2` |
//!
//! The names with a `p` (`pncclAllReduce`) are for profilers that replace those without it. Debian's libraries export
//! none of them.
//!
//! [`ncclConfig_t`] and [`ncclSimInfo_t`] begin as [`NCCL_CONFIG_INITIALIZER`] and [`NCCL_SIM_INFO_INITIALIZER`]; RCCL
//! refuses what `Default` gives, which is all zero.
//!
//! Types and constants are generated (`bindings.txt` says from what, and lists how the versions differ); enums are
//! newtypes, so a value that the headers do not know is only a number without a name.
#[macro_use]
extern crate rocm_loader;

#[rustfmt::skip]
mod bindings;
#[rustfmt::skip]
mod bindings_functions;
mod initializers;

/// Ordinary foreign functions, for programs that link `librccl`.
///
/// The build script links the library if it finds it where a development package puts it. A function that the linked
/// library lacks is an error of the linker, and only if it is used.
#[cfg(feature = "link")]
pub mod linked;

pub use bindings::*;
pub use hip_sys::hipStream_t;
pub use initializers::*;
pub use rocm_loader::{Function, LoadError};

use rocm_loader::Names;

loaded_library! {
    /// The RCCL of this machine: a method for each function, looked up when it is first called.
    Rccl {
        library: "RCCL (librccl)",
        variable: "RCCL_SYS_LIBRARY",
        names: &[Names { stem: "librccl", known: 1..=1, newer: true }],
        roots: &["ROCM_PATH"],
        help: "install librccl1 (Debian, Ubuntu) or rccl (AMD's packages), or set RCCL_SYS_LIBRARY to the file",
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
