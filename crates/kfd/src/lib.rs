//! AMD GPUs through the kernel driver alone: memory, queues, signals and kernels, with no AMD library in the process.
//!
//! It needs the driver, amdgpu with compute support, and permission to open `/dev/kfd` and the render nodes. It
//! supports GPUs of gfx9: its tests run on gfx908 (MI100), gfx90a (MI210) and gfx942 (MI300X), all virtual. Others are
//! refused by name.
//!
//! - [`Topology`]: the machine's GPUs. [`Driver`], [`Device`]: those that this process has opened.
//! - [`Buffer`]: memory of GPUs and host at one address (pages of the program have their own on the GPU). [`Module`],
//!   [`Kernel`]: code.
//! - [`Queue`]: runs kernels ([`Launch`]) in order. [`SdmaQueue`]: copies. [`Signal`]: how queues notify each other and
//!   the host.
//! - [`Pending`]: submitted work, which borrows its buffers; [`Ticket`]: the same without the borrow; [`Tickets`]:
//!   those of several queues.
//! - [`Copier`]: copies by a kernel or a copy engine, whichever suits.
//! - [`raw`]: the same by packets, commands and addresses, for frameworks; all the above stands on it. The crate
//!   `kfd-runtime` has an allocator and graphs for it.
//! - [`Error`], [`Fault`]: what goes wrong, with what to do.
//!
//! # Example
//! `y = a * x + y` by a kernel `saxpy(int n, float a, const float *x, float *y)` in a code object:
//! ```no_run
//! use kfd::{Buffer, Driver, Module, Placement, Queue, Topology, Wait};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let topology = Topology::read()?;
//! let gpu = Driver::open()?.device(topology.gpus().next().ok_or("no GPU")?)?;
//! let module = Module::load(gpu, &std::fs::read("saxpy.co")?)?;
//! let saxpy = module.kernel("saxpy")?;
//!
//! let n = 1 << 20;
//! let mut x = Buffer::new(gpu, n, Placement::HOST)?;
//! let mut y = Buffer::new(gpu, n, Placement::HOST)?;
//! x.host_mut()?.fill(1.0f32);
//! y.host_mut()?.fill(2.0f32);
//!
//! let mut queue = Queue::new(gpu)?;
//! let launch = queue.launch(&saxpy, aql::Geometry::covering([n as u32], [256])?)?;
//! // SAFETY: the kernel accesses the first `n` values of both buffers and writes `y`.
//! let work = unsafe { launch.argument(n as i32).argument(3.0f32).buffer(&x).buffer_mut(&mut y).submit() }?;
//! queue.wait(&work, Wait::FOREVER)?;
//! assert!(y.host()?.iter().all(|&y| y == 5.0));
//! # Ok(()) }
//! ```
//!
//! # Threads and processes
//! All types can be sent to other threads. [`Driver`], [`Device`], [`Signal`] and [`Kernel`] are shared by copies; a
//! [`Queue`] is used by one thread at a time. After a `fork` the objects are the parent's: using them in the child is
//! [`Error::Forked`], dropping them does nothing, and none of their memory is mapped there: a slice of a buffer must
//! not be touched, and a signal's value is 0. The child may open the driver for itself.

mod driver;
mod error;
mod family;
mod fault;
mod fork;
mod memory;
mod queues;
pub mod raw;
mod typed;

pub use amdgpu_code_object as code;
pub use aql;

pub use bytemuck;
pub use code::{Arg, Service};
pub use driver::clock::DispatchTime;
pub use error::{Error, Result};
pub use fault::{Allocation, Fault, FaultPlace, MemoryFault, QueueError};
pub use kfd_sys::{self, Errno};
pub use kfd_topology::{self, Cache, HeapType, Link, MemoryBank, Node, PciAddress, Topology};
pub use memory::{Heap, Placement};
pub use queues::compute::QueueOptions;
pub use queues::device::{Device, Driver};
pub use queues::module::{Kernel, Module, ModuleOptions};
pub use queues::sdma::hardware::Engine;
pub use queues::signal::Signal;
pub use queues::ticket::{Ticket, Tickets};
pub use queues::wait::Wait;
pub use typed::buffer::Buffer;
pub use typed::copier::{Choice, Copier, Copying};
pub use typed::launch::Launch;
pub use typed::queue::{Pending, Queue};
pub use typed::sdma::SdmaQueue;

/// The oldest minor version of the driver's interface (`KFD_IOCTL_MINOR_VERSION`) that is spoken: what ROCm 5.2
/// accepted.
pub const OLDEST_MINOR: u32 = 4;
