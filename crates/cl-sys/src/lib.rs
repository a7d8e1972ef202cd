//! OpenCL bindings: every function, type and constant of the OpenCL 3.0 headers and of the extensions in `cl_ext.h`,
//! including AMD's.
//!
//! Nothing needs to be installed to build this crate. [`Cl::load`] searches for the loader (`libOpenCL`), and each
//! function is looked up at its first call. A missing library or function is a [`LoadError`] with the names that were
//! tried and the package to install.
//!
//! ```
//! use cl_sys::{CL_SUCCESS, Cl};
//!
//! let cl = match Cl::load() {
//!     Ok(cl) => cl,
//!     Err(error) => return println!("{error}"),
//! };
//! let mut count = 0;
//! // SAFETY: the pointer is valid for one cl_uint, and no platforms are asked for.
//! match unsafe { cl.clGetPlatformIDs(0, std::ptr::null_mut(), &mut count) } {
//!     Ok(CL_SUCCESS) => println!("{count} platforms"),
//!     // CL_PLATFORM_NOT_FOUND_KHR if no implementation is installed.
//!     Ok(error) => println!("clGetPlatformIDs: {error}"),
//!     Err(missing) => println!("{missing}"),
//! }
//! ```
//!
//! # Versions
//! An implementation of OpenCL 2.x has no entry for functions of 3.0, and a loader such as ocl-icd jumps through its
//! table all the same. AMD's implementation is one of 2.1. So before this crate calls a function that OpenCL 2.1, 2.2
//! or 3.0 added, it asks the platform of the function's first argument for its version; if that is too old, the call is
//! not made and the result is [`CallError::VersionTooOld`].
//!
//! # Extensions
//! [`ClExtensions`] has the functions of extensions, which the loader does not export: each platform gives their
//! addresses.
//!
//! # Search order
//! 1. The file that the environment variable `CL_SYS_LIBRARY` names, and no other.
//! 2. A copy that this process has loaded already.
//! 3. `libOpenCL.so.1`, then newer versions, then `.so`, in the loader's path, Debian's multiarch folder, `lib` and
//!    `lib64` of `ROCM_PATH`, `/opt/rocm`, `/opt/rocm/core*` and `/opt/rocm-*`, in this order.
//!
//! [`rocm_loader`] has the details: an empty variable counts as unset, a root must be an absolute path, and a program
//! with more privileges than its user ignores both.
#[macro_use]
extern crate rocm_loader;

#[macro_use]
mod version;

/// Core functions check the platform's version; those of extensions come from the platform itself.
macro_rules! functions {
    (Cl $table:tt) => {
        rocm_loader::functions! { checked by check_version -> CallError, Cl $table }
    };
    (ClExtensions $table:tt) => {
        rocm_loader::functions! { ClExtensions $table }
    };
}

#[rustfmt::skip]
mod bindings;
#[rustfmt::skip]
mod bindings_functions;

/// Ordinary foreign functions, for programs that link `libOpenCL`. They do not check the platform's version.
///
/// The build script links the library if it finds it where a development package puts it. A function that the linked
/// library lacks, as all of extensions, is an error of the linker, and only if it is used.
#[cfg(feature = "link")]
pub mod linked;

pub use bindings::*;
pub use rocm_loader::{Function, LoadError};
pub use version::CallError;

use rocm_loader::{Names, Symbols};
use std::ffi::{CString, c_void};
use std::ptr::NonNull;

loaded_library! {
    /// The OpenCL loader of this machine: a method for each core function, looked up when it is first called.
    Cl {
        library: "the OpenCL loader (libOpenCL)",
        variable: "CL_SYS_LIBRARY",
        names: &[Names { stem: "libOpenCL", known: 1..=1, newer: true }],
        roots: &["ROCM_PATH"],
        help: "install ocl-icd-libopencl1 and an implementation such as rocm-opencl-icd or pocl-opencl-icd (Debian, Ubuntu) or rocm-opencl \
               (AMD's packages), or set CL_SYS_LIBRARY to the file",
    }
}

/// The extension functions of one platform: a method for each, looked up when it is first called.
///
/// A platform may give an address for a function of an extension that it does not support, so look for the extension's
/// name in `CL_PLATFORM_EXTENSIONS` or `CL_DEVICE_EXTENSIONS` first.
#[derive(Debug)]
pub struct ClExtensions {
    symbols: Symbols,
}

impl ClExtensions {
    /// The extension functions of `platform`.
    ///
    /// # Errors
    /// [`LoadError::FunctionMissing`] if the loader lacks `clGetExtensionFunctionAddressForPlatform`, as one of OpenCL
    /// 1.1 does.
    ///
    /// # Safety
    /// `platform` must be a platform that `cl` gave.
    pub unsafe fn new(cl: &Cl, platform: cl_platform_id) -> Result<Self, LoadError> {
        type GetAddress = unsafe extern "C" fn(cl_platform_id, *const std::ffi::c_char) -> *mut c_void;
        const NAME: &str = "clGetExtensionFunctionAddressForPlatform";
        let Some(address) = cl.address(NAME) else {
            let function = Function { name: NAME, since: "1.2", until: "3.0", changed: false };
            return Err(LoadError::FunctionMissing { function, library: cl.library().to_owned() });
        };
        // SAFETY: the function of this name has this type.
        let get_address = unsafe { std::mem::transmute::<NonNull<c_void>, GetAddress>(address) };
        let platform = platform as usize;
        let resolve = move |name: &str| {
            let name = CString::new(name).ok()?;
            // SAFETY: platforms are never freed, and the name is a C string.
            NonNull::new(unsafe { get_address(platform as cl_platform_id, name.as_ptr()) })
        };
        Ok(Self { symbols: Symbols::of_resolver(Self::FUNCTIONS, "the OpenCL platform".into(), resolve) })
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
