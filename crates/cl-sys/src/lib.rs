//! OpenCL 3.0 (`libOpenCL`) and the extensions of `cl_ext.h`, AMD's among them: every function, type and constant of the headers.
#[macro_use]
mod macros;
#[macro_use]
mod functions;
mod library;

#[allow(missing_docs, non_camel_case_types, non_upper_case_globals, non_snake_case)]
mod bindings {
    use core::ffi::*;
    include!("bindings.rs");
}
mod tables {
    use crate::*;
    use core::ffi::*;
    include!("bindings_functions.rs");
}
pub use bindings::*;
pub use library::{Function, LoadError};

use library::{Search, Symbols};
use std::ffi::c_void;
use std::path::Path;
use std::ptr::NonNull;

loaded_library! {
    /// OpenCL
    Cl, Search {
        library: "the OpenCL loader (libOpenCL)",
        variable: "CL_SYS_LIBRARY",
        names: &["libOpenCL.so.1", "libOpenCL.so"],
        roots: &["OCL_ROOT", "ROCM_PATH"],
        help: "install ocl-icd-libopencl1 and an implementation such as mesa-opencl-icd, pocl-opencl-icd or rocm-opencl-icd, or set CL_SYS_LIBRARY to the file",
    }
}
loaded_library! {
    /// ext
    ClExtensions, Search {
        library: "the OpenCL loader (libOpenCL)",
        variable: "CL_SYS_LIBRARY",
        names: &["libOpenCL.so.1", "libOpenCL.so"],
        roots: &["OCL_ROOT", "ROCM_PATH"],
        help: "",
    }
}
