//! Kernels of both APIs, and what they are given.

mod argument;
mod hip;
mod opencl;
mod parameter;
mod work_size;

pub use argument::Argument;
pub use hip::{Dim3, HipKernel, HipModule};
pub use opencl::{OpenClKernel, OpenClProgram};
