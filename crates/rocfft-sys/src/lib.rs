// Written by `cargo xtask bindgen` from a row of xtask/src/bindgen/libraries.rs; do not edit.
//! rocFFT (`librocfft`), fast Fourier transforms on AMD's GPUs.
//!
//! The crate has every function, type and constant of `rocfft/rocfft.h` of ROCm 6.1, 6.4 and 7.2.
//!
//! Nothing needs to be installed to build this crate. The library is looked for when [`Rocfft::load`] is called and each
//! function when it is first called. A missing library or function is a [`LoadError`] that says what was tried and what
//! to install.
//!
//! ```
//! use rocfft_sys::{LoadError, Rocfft};
//!
//! match Rocfft::load() {
//!     Ok(library) => println!("{}", library.library()),
//!     Err(error @ LoadError::LibraryNotFound { .. }) => println!("{error}"),
//!     Err(error) => unreachable!("{error}"),
//! }
//! ```
//!
//! # Where the library is looked for
//! 1. The file that the environment variable `ROCFFT_SYS_LIBRARY` names, and no other.
//! 2. A copy that this process has loaded already.
//! 3. `librocfft.so.0`, then older versions down to `0`, newer ones, and `.so`, in the loader's path,
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
//! | 6.1 | `librocfft.so.0` | 25 | 4 |
//! | 6.4 | `librocfft.so.0` | 29 | 0 |
//! | 7.2 | `librocfft.so.0` | 29 | 0 |
//!
//! Enums are newtypes of integers: a value that the headers do not know is a number without a name.
#[macro_use]
extern crate rocm_loader;

#[rustfmt::skip]
mod bindings;
#[rustfmt::skip]
mod bindings_functions;

/// Ordinary foreign functions, for programs that link `librocfft`.
///
/// The build script links the library if it finds it where a development package puts it. A function that the linked
/// library lacks is an error of the linker, and only if it is used.
#[cfg(feature = "link")]
pub mod linked;

pub use bindings::*;
pub use rocm_loader::{Function, LoadError};

use rocm_loader::Names;

loaded_library! {
    /// The rocFFT of this machine: a method for each function, looked up when it is first called.
    Rocfft {
        library: "rocFFT (librocfft)",
        variable: "ROCFFT_SYS_LIBRARY",
        names: &[Names { stem: "librocfft", known: 0..=0, newer: true }],
        roots: &["ROCM_PATH"],
        help: "install librocfft0 (Debian, Ubuntu) or rocfft (AMD's packages), or set ROCFFT_SYS_LIBRARY to the file",
    }
}
