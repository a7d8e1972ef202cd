//! One allocation, used by OpenCL and HIP without a copy. OpenCL adds, HIP scales, on the same bytes of the GPU's memory:
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
//! let session = Session::open(&Device::first(&libraries)?)?;
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
//!
//! | you have or want | start at |
//! |---|---|
//! | the GPUs that all APIs of this process see, matched by PCI address | [`Libraries`], [`Device`] |
//! | a GPU with an OpenCL queue and a HIP stream, new or from handles that exist | [`Session`] |
//! | memory of the GPU: coarse-grained SVM, a `cl_mem` that exists, memory of `hipMalloc` | [`Buffer`]: [`Session::allocate`], [`Session::view`], [`Session::allocate_hip`] |
//! | host memory that both APIs use | [`Session::allocate_host`], [`Session::view_pages`], [`Session::allocate_managed`] |
//! | memory of other APIs, drivers and processes | [`DmaBuf`]; [`IpcHandle`] for HIP's own handles |
//! | a buffer whose turn passes between two processes | [`Held`], [`Away`] |
//! | the same bytes on another GPU | [`Buffer::into_session`](Buffer#method.into_session) |
//! | a hand-over that does not block the thread; one that the GPU waits for | [`Pending`]; [`Flags`] |
//! | a buffer filled or read while others are computed on; host memory for that | [`Transfer`]; [`Staging`] |
//! | buffers of one size, used again | [`Pool`] |
//! | tables that both APIs, and several sessions, read at once | [`ReadOnly`] |
//! | fills and copies on the GPU | [`Buffer::fill`](Buffer#method.fill), [`Buffer::copy_from`](Buffer#method.copy_from) |
//! | buffers that no work uses, for runtimes on top | [`Idle`] |
//! | kernels compiled at run time or before, and their arguments | [`OpenClProgram`], [`OpenClSource`], [`HipModule`], [`HipSource`]; [`Argument`], [`Slice`] |
//! | compiled kernels kept for the next run | [`HipModule::code`], [`OpenClProgram::code`] |
//! | rocBLAS and other libraries of HIP on these buffers | [`RawHip`] |
//! | several queues and streams on one GPU | [`Session::beside`] |
//! | events of other code, and events for it | [`Session::queue_waits_for`], [`Session::stream_waits_for`], [`OpenClEvent`], [`HipEvent`] |
//! | how long kernels, copies and hand-overs took | [`Session::record_times`] |
//! | a report of what this machine can share | the program `rocm-probe` |
//!
//! A buffer's type says which API may use it now. The crate asks the HSA runtime below both APIs where the bytes are. The libraries must share one HSA runtime: two in one
//! process have two address spaces. Nothing falls back to a copy or to host memory: what cannot be shared is an [`Error`] that says why.
//! [`Buffer::copy_staged`] copies explicitly.
//!
//! # Threads and lifetimes
//! | type | `Send` | `Sync` | borrows |
//! |---|---|---|---|
//! | [`RawHip`] | no | no | its session |
//! | [`Argument`], [`Slice`] | yes | yes | a buffer or value |
//! | all others | yes | yes | nothing: a session is a counted reference, held by its buffers, programs, modules and kernels |
//!
//! Dropping a value releases its resources. `tracing` logs failures of the release, which are lost without a subscriber; `close` returns them instead. Each
//! type says who frees what, and which calls wait.
mod apis;
mod buffer;
mod error;
mod hand_over;
mod kernels;
mod memory;
mod session;
mod sharing;
#[cfg(doctest)]
mod wrong_uses;

pub use apis::{Device, Libraries, OpenClDevice};
pub use buffer::{Buffer, Hip, OpenCl, Pool, PoolStatistics, ReadOnly, Slice, Turn};
pub use bytemuck::{self, Pod};
pub use cl_sys;
pub use error::{Api, Code, Error, Refused, Result};
pub use hand_over::{Flags, HostData, Idle, Pending, RawHip, Shared, Transfer, WhenReady};
pub use hip_sys;
pub use hsa_sys;
pub use kernels::{Argument, Dim3, HipKernel, HipModule, HipSource, OpenClKernel, OpenClProgram, OpenClSource};
pub use kfd_topology::{self, PciAddress};
pub use session::{HipEvent, OpenClEvent, Place, Residency, Session, Time, Times, Work};
pub use sharing::{Away, ChannelError, DmaBuf, Held, IpcHandle, Staged, Staging};
