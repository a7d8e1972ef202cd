//! Memory and graphs of work for frameworks that submit to AMD GPUs by [`kfd::raw`], without AMD's libraries.
//!
//! - [`Arena`]: large blocks of memory, given out in [`Fragment`]s. A dropped fragment is given out again when the work
//!   that used it has completed.
//! - [`Graph`]: [`Step`]s for several queues, recorded once and submitted often, with changed arguments.
//! - [`ArenaStats`]: how full an arena is. [`Error`]: an error of `kfd`, an arena without room, or
//!   a mistake with a graph's step.
//!
//! # Example
//! A kernel `scale(float *x, float factor)` runs twice on memory of an arena, as a graph that is submitted 100 times:
//! ```no_run
//! use kfd::aql::Geometry;
//! use kfd::code::{Arg, Launch};
//! use kfd::raw::Queue;
//! use kfd::{Driver, Module, Placement, Topology, Wait};
//! use kfd_runtime::{Arena, Graph};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let topology = Topology::read()?;
//! let gpu = Driver::open()?.device(topology.gpus().next().ok_or("no GPU")?)?;
//! let module = Module::load(gpu, &std::fs::read("scale.co")?)?;
//! let scale = module.kernel("scale")?;
//!
//! let arena = Arena::new(gpu, Placement::VRAM, 1 << 30); // at most 1 GiB
//! let mut x = arena.get(4 << 20)?; // bytes of 2^20 floats
//!
//! let grid = Geometry::covering([1 << 20], [256])?;
//! let arguments = [Arg::pointer(x.address()), 2.0f32.into()];
//! let mut graph = Graph::new(gpu, 4096)?; // bytes for arguments
//! let first = graph.launch(0, &[], &scale, &Launch::new(grid, &arguments))?; // in queue 0
//! let second = graph.launch(0, &[first], &scale, &Launch::new(grid, &arguments))?; // after `first`
//!
//! let mut queues = [Queue::new(gpu)?];
//! for _ in 0..100 {
//!     // SAFETY: the kernel accesses the 2^20 floats of `x`, which lives until the work is done.
//!     unsafe { graph.submit(&mut queues, &mut []) }?;
//!     graph.wait(Wait::FOREVER)?;
//! }
//! x.used_by(graph.ticket(second).ok_or("not submitted")?); // may be dropped at any time from here on
//! # Ok(()) }
//! ```
//!
//! # What the crate does not do
//! It keeps no memory alive and checks no kernel: the safety contracts of [`Graph::submit`] and of `kfd`'s queues are
//! promises of the caller. It has no thread, and frees nothing that work may use: an arena that is dropped under work
//! keeps that memory for ever.
//!
//! The crate uses the public interface of `kfd` alone, so another allocator or graph can be written in the same way.

mod arena;
mod error;
mod graph;
mod stats;

pub use arena::{Arena, Fragment};
pub use error::{Error, Result};
pub use graph::{Graph, Step};
pub use kfd;
pub use stats::ArenaStats;
