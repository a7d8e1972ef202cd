//! Kernels of both APIs, and what they are given.

mod argument;
mod hip;
mod hip_source;
mod opencl;
mod opencl_source;
mod parameter;
mod scalar;
mod work_size;

pub use argument::Argument;
pub use hip::{Dim3, HipKernel, HipModule};
pub use hip_source::HipSource;
pub use opencl::{OpenClKernel, OpenClProgram};
pub use opencl_source::OpenClSource;
