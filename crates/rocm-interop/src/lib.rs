//! One allocation, used by OpenCL and HIP without a copy; the HSA runtime below both is asked where it is.
//!
//! - [`Libraries`], [`Device`]: the APIs of this process and the GPUs that all of them see, matched by PCI address.
//! - [`Session`]: a GPU with an OpenCL queue and a HIP stream, own or from somebody else's handles.
//! - [`Buffer`]: coarse-grained SVM ([`Session::allocate`]), an existing `cl_mem` ([`Session::view`]) or memory of `hipMalloc`
//!   ([`Session::allocate_hip`]), proven to be in the GPU's memory, or host memory that says so ([`Session::allocate_host`],
//!   [`Session::view_pages`], [`Session::allocate_managed`]); its type says whose turn it is.
//! - [`DmaBuf`]: a buffer behind a descriptor, for other APIs, drivers and processes; [`IpcHandle`]: HIP's way to other processes.
//! - [`Pending`]: a hand-over that nobody waits for until asked to; [`Flags`]: one that the GPU waits for.
//! - [`Transfer`]: a buffer that is being filled or read while others are computed on.
//! - [`Pipeline`]: stages of both, through which batches pass.
//! - [`OpenClProgram`], [`HipModule`]: kernels compiled at run time; [`Argument`], [`Slice`]: what they are given, a slice being a part of a buffer.
//! - [`Buffer::into_session`](Buffer#method.into_session): the same bytes on another GPU.
//! - [`RawHip`]: buffers in calls of HIP's libraries, such as rocBLAS.
//! - [`Probe`]: what this machine offers, also as the program `rocm-probe`.
//!
//! The libraries must share one HSA runtime: two in one process have two address spaces. Nothing falls back to a copy or to host
//! memory by itself: what cannot be shared is an [`Error`] that says why. [`Buffer::copy_staged`] copies where that is wanted.
//!
//! All of them but [`RawHip`] are `Send`, all but [`RawHip`], a [`Pipeline`] and its ends are `Sync`, and none but [`Argument`], [`Slice`] and [`RawHip`] borrows another: a session is a counted
//! reference, of which buffers, programs, modules and kernels hold one each. Who frees what, and which calls wait, is said at each.
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
//! let session = Session::open(Device::all(&libraries)?.first().ok_or("no GPU")?)?;
//! let program = OpenClProgram::build(&session, ADD, "")?;
//! let module = HipModule::build(&session, SCALE)?;
//! let (add, scale) = (program.kernel("add")?, module.kernel("scale")?);
//!
//! let mut buffer = session.allocate::<f32>(1024)?;
//! buffer.write(&[1.0; 1024])?;
//! // SAFETY: one work-item an element.
//! unsafe { add.launch(&[1024], None, &[(&buffer).into(), 2.0.into()]) }?;
//!
//! let on_hip = buffer.into_hip()?; // waits for OpenCL
//! // SAFETY: the arguments are what the kernel declares, with one work-item an element.
//! unsafe { scale.launch(1024 / 64, 64, 0, &[(&on_hip).into(), 10.0.into()]) }?;
//! let buffer = on_hip.into_opencl()?; // waits for HIP
//!
//! let mut result = [0.0; 1024];
//! buffer.read(&mut result)?;
//! assert_eq!(result, [30.0; 1024]);
//! # Ok(()) }
//! ```
mod argument;
mod buffer;
mod call;
mod device;
mod dmabuf;
mod enqueued;
mod error;
mod flag;
mod hand_over;
mod hip_kernel;
mod host;
mod libraries;
mod mark;
mod memory;
mod meter;
mod opencl_kernel;
mod parameter;
mod peer;
mod pending;
mod pipeline;
mod probe;
mod process;
mod raw;
mod residency;
mod runtime;
mod session;
mod slice;
mod staged;
mod transfer;
mod untold;
#[cfg(doctest)]
mod wrong_uses;

pub use argument::Argument;
pub use buffer::{Buffer, Hip, OpenCl};
pub use bytemuck::{self, Pod};
pub use cl_sys;
pub use device::Device;
pub use dmabuf::DmaBuf;
pub use error::{Api, Code, Error, Refused, Result};
pub use flag::Flags;
pub use hand_over::Shared;
pub use hip_kernel::{Dim3, HipKernel, HipModule};
pub use hip_sys;
pub use hsa_sys;
pub use kfd::{self, PciAddress};
pub use libraries::{Libraries, OpenClDevice};
pub use opencl_kernel::{OpenClKernel, OpenClProgram};
pub use pending::{Pending, WhenReady};
pub use pipeline::{Input, Output, Pipeline, Report, StageFailed, StageReport};
pub use probe::{Finding, Findings, Probe};
pub use process::IpcHandle;
pub use raw::RawHip;
pub use residency::{Place, Residency};
pub use session::Session;
pub use slice::Slice;
pub use staged::Staged;
pub use transfer::Transfer;
