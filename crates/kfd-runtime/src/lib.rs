//! Memory and work for frameworks on [`kfd::raw`].
//!
//! - [`Arena`]: memory in large blocks. A [`Fragment`] of it is used again when it was dropped and the work that used
//!   it has ended.
//! - [`Graph`]: [`Step`]s for several queues, recorded once and submitted often, with changed arguments.
//! - [`ArenaStats`]: how full an arena is. [`Error`]: what `kfd` answered, or that an arena has no room.
//!
//! After the first submission a graph is submitted again without an allocation and without a system call.
//!
//! The crate uses the public interface of `kfd` alone, and guards nothing: what work uses is the caller's promise, by
//! the safety contracts of [`Graph::submit`] and of `kfd`'s queues.

mod arena;
mod error;
mod graph;
mod stats;

pub use arena::{Arena, Fragment};
pub use error::{Error, Result};
pub use graph::{Graph, Step};
pub use kfd;
pub use stats::ArenaStats;
