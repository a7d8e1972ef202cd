//! One allocation, used by OpenCL, HIP and HSA without a copy.
//!
//! - [`Libraries`], [`Device`]: the APIs of this process and the GPUs that all of them see, matched by PCI address.
//! - [`Session`]: a GPU with an OpenCL queue and a HIP stream, own or from somebody else's handles.
//! - [`Buffer`]: coarse-grained SVM ([`Session::allocate`]) or an existing `cl_mem` ([`Session::view`]), proven to be in the GPU's memory;
//!   its type says whose turn it is.
//! - [`OpenClProgram`], [`HipModule`]: kernels compiled at run time.
//!
//! - [`Probe`]: what this machine offers, also as the program `rocm-probe`.
//!
//! The libraries must share one HSA runtime: two in one process have two address spaces. There is no fallback to a copy or to host
//! memory: what cannot be shared is an [`Error`] that says why.
mod buffer;
mod call;
mod error;
mod kernel;
mod libraries;
mod probe;
mod session;

pub use buffer::{Buffer, Element, Hip, OpenCl};
pub use error::{Api, Error, Result};
pub use kernel::{HipArgument, HipKernel, HipModule, OpenClKernel, OpenClProgram};
pub use libraries::{Libraries, OpenClDevice, PciAddress};
pub use probe::{Finding, Probe};
pub use session::{Device, Residency, Session};
