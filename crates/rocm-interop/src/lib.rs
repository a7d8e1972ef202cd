//! One allocation, used by OpenCL and HIP without a copy. OpenCL adds, HIP scales, on the same bytes of the GPU's
//! memory:
//! ```no_run
//! use std::sync::Arc;
//!
//! use rocm_interop::{Device, Libraries, Session};
//! use rocm_interop::hip::HipModule;
//! use rocm_interop::opencl::OpenClProgram;
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
//! | module | what is in it |
//! |---|---|
//! | (here) | [`Libraries`] finds the [`Device`]s; a [`Session`] is one of them with a queue and a stream, and makes each [`Buffer`] |
//! | [`opencl`], [`hip`] | programs, modules, kernels and events; other libraries of HIP on these buffers |
//! | [`hand_over`] | turns that pass without blocking the thread; several buffers as one; buffers that no work uses |
//! | [`transfer`] | uploads and downloads while kernels run, host memory for them, copies through the host |
//! | [`memory`] | where the bytes are, parts of buffers, tables that all may read, pools |
//! | [`share`] | dma-bufs, handles of HIP, a buffer whose turn passes between two processes |
//! | [`times`] | how long kernels, copies and hand-overs took |
//! | [`sys`] | the crates of the APIs below, and their codes |
//!
//! A buffer's type says which API may use it now. The HSA runtime below both APIs says where the bytes are, so both
//! must use one. Nothing falls back to a copy or to host memory: what cannot be shared is an [`Error`] that says why.
//!
//! All types are [`Send`] and [`Sync`], except [`RawHip`](hip::RawHip), which belongs to a thread. A session is a
//! counted reference, which all that is made with it holds. Dropping a value releases its resources; `tracing` logs a
//! failure of that, and `close` returns it.
mod allocation;
mod apis;
mod buffer;
mod error;
pub mod hand_over;
mod kernels;
mod session;
mod sharing;
#[cfg(doctest)]
mod wrong_uses;

pub use apis::{Device, Libraries};
pub use buffer::{Buffer, Hip, OpenCl, Turn};
pub use error::{Error, Refused, Result};
pub use kernels::Argument;
pub use session::Session;

/// OpenCL: programs, kernels, events and devices.
///
/// [`OpenClProgram`](opencl::OpenClProgram) compiles a text or [`OpenClSource`](opencl::OpenClSource), or loads what
/// was compiled before. Events of other code go in by [`Session::queue_waits_for`] and come out by
/// [`Session::queue_event`]; a `cl_mem` that exists goes in by [`Session::view`], a context and queue by
/// [`Session::from_raw`].
pub mod opencl {
    pub use crate::apis::OpenClDevice;
    pub use crate::kernels::{OpenClKernel, OpenClProgram, OpenClSource};
    pub use crate::session::OpenClEvent;
}

/// HIP: modules, kernels, events, and calls of libraries on top of HIP.
///
/// [`HipModule`](hip::HipModule) compiles a text or [`HipSource`](hip::HipSource), or loads what was compiled before.
/// [`RawHip`](hip::RawHip) gives rocBLAS and others the stream and the addresses of buffers. Events of other code go in
/// by [`Session::stream_waits_for`] and come out by [`Session::stream_event`].
pub mod hip {
    pub use crate::hand_over::raw::RawHip;
    pub use crate::kernels::{Dim3, HipKernel, HipModule, HipSource};
    pub use crate::session::HipEvent;
}

/// Where the bytes of buffers are, parts of buffers, and buffers for special uses.
///
/// [`Session::allocate`] makes a buffer in the GPU's memory, and [`Session::allocate_host`] in the host's, of which
/// [`Buffer::residency`] tells. [`Buffer::slice`] gives a kernel or a call of a library a part.
/// [`BufferPool`](memory::BufferPool) allocates nothing in a steady state.
pub mod memory {
    pub use crate::buffer::{BufferPool, BufferPoolStatistics, ReadOnly, Slice, SliceMut};
    pub use crate::session::{Place, Residency};
}

/// Copies between buffers and the host while kernels run.
///
/// [`Buffer::upload`] and [`Buffer::download`] give a [`Transfer`](transfer::Transfer) of a `Vec` or of
/// [`Staging`](transfer::Staging), which AMD's libraries copy in place. [`Buffer::write`] and [`Buffer::read`] copy at
/// once. [`Buffer::copy_staged`] copies from one side's memory to the other's through the host, and counts the bytes in
/// [`Staged`](transfer::Staged).
pub mod transfer {
    pub use crate::hand_over::data::HostData;
    pub use crate::hand_over::transfer::Transfer;
    pub use crate::sharing::{Staged, Staging};
}

/// Memory of other APIs, drivers and processes, and buffers for them.
///
/// [`Buffer::export`] and [`Session::import`] are for a [`DmaBuf`](share::DmaBuf), the way between APIs and processes.
/// [`Held`](share::Held) and [`Away`](share::Away) are a buffer of two processes, of which one has the turn.
pub mod share {
    pub use crate::sharing::{Away, ChannelError, DmaBuf, Held, IpcHandle};
}

/// How long work took: of a [`Session::open_timed`], what [`Session::take_times`] gives while
/// [`Session::record_times`] is on.
pub mod times {
    pub use crate::session::{Time, Times, Work};
}

/// The crates of the APIs below this one, and the codes that their functions return.
pub mod sys {
    pub use bytemuck::{self, Pod};
    pub use cl_sys;
    pub use hip_sys;
    pub use hsa_sys;
    pub use kfd_topology::{self, PciAddress};

    pub use crate::error::{Api, Code};
}
