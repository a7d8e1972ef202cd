// Written by `cargo xtask bindgen` from a row of xtask/src/bindgen/libraries.rs; do not edit.
//! rocSPARSE (`librocsparse`), sparse linear algebra on AMD's GPUs.
//!
//! The crate has every function, type and constant of `rocsparse/rocsparse.h` of ROCm 5.7, 6.4 and 7.2.
//!
//! Nothing needs to be installed to build this crate. The library is looked for when [`Rocsparse::load`] is called and each
//! function when it is first called. A missing library or function is a [`LoadError`] that says what was tried and what
//! to install.
//!
//! ```
//! use rocsparse_sys::{LoadError, Rocsparse};
//!
//! match Rocsparse::load() {
//!     Ok(library) => println!("{}", library.library()),
//!     Err(error @ LoadError::LibraryNotFound { .. }) => println!("{error}"),
//!     Err(error) => unreachable!("{error}"),
//! }
//! ```
//!
//! # Where the library is looked for
//! 1. The file that the environment variable `ROCSPARSE_SYS_LIBRARY` names, and no other.
//! 2. A copy that this process has loaded already.
//! 3. `librocsparse.so.1`, then older versions down to `0`, newer ones, and `.so`, in the loader's path,
//!    Debian's multiarch folder, `lib` and `lib64` of `ROCM_PATH`, `/opt/rocm`, `/opt/rocm/core*` and `/opt/rocm-*`, in
//!    this order.
//!
//! [`rocm_loader`] has the details.
//!
//! # Versions
//! Signatures, structs and numbers of enum values are those of the newest header. `bindings.txt` lists how older headers
//! differ, and the functions that each version lacks.
//!
//! A call of a missing function returns [`LoadError::FunctionMissing`]. So does a call of a function that takes something
//! else in an older library: other parameters, structs with fields of other types, or enum values of other numbers.
//!
//! | ROCm | file in Debian | functions that it has | functions here that it lacks |
//! |---|---|---|---|
//! | 5.7 | `librocsparse.so.0` | 588 | 123 |
//! | 6.4 | `librocsparse.so.1` | 676 | 35 |
//! | 7.2 | `librocsparse.so.1` | 700 | 11 |
//!
//! Enums are newtypes of integers: a value that the headers do not know is a number without a name.
#[macro_use]
extern crate rocm_loader;

#[rustfmt::skip]
mod bindings;
#[rustfmt::skip]
mod bindings_functions;

/// Ordinary foreign functions, for programs that link `librocsparse`.
///
/// The build script links the library if it finds it where a development package puts it. A function that the linked
/// library lacks is an error of the linker, and only if it is used.
#[cfg(feature = "link")]
pub mod linked;

pub use bindings::*;
pub use hip_sys::hipStream_t;
pub use rocm_loader::{Function, LoadError};

use rocm_loader::Names;

loaded_library! {
    /// The rocSPARSE of this machine: a method for each function, looked up when it is first called.
    Rocsparse {
        library: "rocSPARSE (librocsparse)",
        variable: "ROCSPARSE_SYS_LIBRARY",
        names: &[Names { stem: "librocsparse", known: 0..=1, newer: true }],
        roots: &["ROCM_PATH"],
        help: "install librocsparse0 or librocsparse1 (Debian, Ubuntu) or rocsparse (AMD's packages), or set ROCSPARSE_SYS_LIBRARY to the file",
    }
}
