//! One allocation, used by OpenCL and HIP without a copy; the HSA runtime below both is asked where it is.
//!
//! - [`Libraries`], [`Device`]: the APIs of this process and the GPUs that all of them see, matched by PCI address.
//! - [`Session`]: a GPU with an OpenCL queue and a HIP stream, own or from somebody else's handles.
//! - [`Buffer`]: coarse-grained SVM ([`Session::allocate`]) or an existing `cl_mem` ([`Session::view`]), proven to be in the GPU's memory;
//!   its type says whose turn it is.
//! - [`Upload`]: a buffer that is being filled while others are computed on.
//! - [`OpenClProgram`], [`HipModule`]: kernels compiled at run time.
//!
//! - [`Probe`]: what this machine offers, also as the program `rocm-probe`.
//!
//! The libraries must share one HSA runtime: two in one process have two address spaces. There is no fallback to a copy or to host
//! memory: what cannot be shared is an [`Error`] that says why.
//!
//! What a value took is given back when it is dropped; failures of that are logged by `tracing` (and lost without a
//! subscriber). `close` returns them instead.
//!
//! # Example
//! OpenCL adds, HIP scales, on the same bytes:
//! ```no_run
//! use std::sync::Arc;
//!
//! use rocm_interop::{Device, HipModule, Libraries, OpenClProgram, Session};
//!
//! const ADD: &str = "kernel void add(global float *x, float a) { x[get_global_id(0)] += a; }";
//! const SCALE: &str = r#"extern "C" __global__ void scale(float *x, float a) { x[blockIdx.x * 64 + threadIdx.x] *= a; }"#;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let libraries = Arc::new(Libraries::load()?);
//! let device = *Device::all(&libraries)?.first().ok_or("no GPU")?;
//! let session = Session::open(libraries, device)?;
//! let program = OpenClProgram::build(&session, ADD, "")?;
//! let module = HipModule::build(&session, SCALE)?;
//! let (add, scale) = (program.kernel("add")?, module.kernel("scale")?);
//!
//! let mut buffer = session.allocate::<f32>(1024)?;
//! buffer.write(&[1.0; 1024])?;
//! add.set_buffer(0, &buffer)?;
//! // SAFETY: argument 1 is a number.
//! unsafe { add.set_value(1, 2.0f32) }?;
//! // SAFETY: the arguments are what the kernel declares, with one work-item an element.
//! unsafe { add.launch(&[1024], None) }?;
//!
//! let on_hip = buffer.into_hip()?; // waits for OpenCL
//! // SAFETY: as above.
//! unsafe { scale.launch(1024 / 64, 64, &[(&on_hip).into(), 10.0.into()]) }?;
//! let buffer = on_hip.into_opencl()?; // waits for HIP
//!
//! let mut result = [0.0; 1024];
//! buffer.read(&mut result)?;
//! assert_eq!(result, [30.0; 1024]);
//! # Ok(()) }
//! ```
mod buffer;
mod call;
mod error;
mod kernel;
mod kfd;
mod libraries;
mod probe;
mod session;
mod upload;
#[cfg(doctest)]
mod wrong_uses;

pub use buffer::{Buffer, Element, Hip, OpenCl};
pub use error::{Api, Error, Result};
pub use kernel::{HipArgument, HipKernel, HipModule, OpenClKernel, OpenClProgram};
pub use kfd::KfdGpu;
pub use libraries::{Libraries, OpenClDevice, PciAddress};
pub use probe::{Finding, Findings, Probe};
pub use session::{Device, Residency, Session};
pub use upload::Upload;
