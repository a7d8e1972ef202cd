//! Queues by packets and commands, memory by address: for whoever builds a framework.
//!
//! What is here knows addresses, no values and no buffers that are kept alive. So submitting is `unsafe`, and each
//! function says what its caller promises. [`Buffer`](crate::Buffer), [`Queue`](crate::Queue) and the others above are
//! made of it and use nothing else to hand work over.
//!
//! - [`Queue`]: any AQL packet, with its own barrier bit and fence scopes. [`SdmaQueue`]: lists of [`Command`]s for a
//!   copy engine.
//! - Both give a [`Ticket`](crate::Ticket) for each piece of work: any thread may ask it and wait for it, and other
//!   queues wait for it on the GPU. [`Tickets`](crate::Tickets) are the last of several queues.
//! - [`Submission`]: what a queue is given at once, with the signals that it completes and waits for ([`SignalLink`]).
//! - [`Room`]: what several submissions take of a queue, asked before the first of them.
//! - [`Memory`]: a range that is mapped, and parts of it.
//! - [`ArgumentRing`]: memory for kernel arguments, taken in order and used again likewise.
//! - [`Signal`](crate::Signal)s and [`Module`](crate::Module)s are the same in both layers.

mod arguments;
mod command;
mod memory;
mod queue;
mod sdma;
mod submission;
mod submitted;

pub use crate::memory::Part;
pub use crate::queues::progress::SignalLink;
pub use arguments::ArgumentRing;
pub(crate) use arguments::{ArgumentMemory, MAX_ALIGN};
pub use command::{Atomic, Command};
pub use memory::Memory;
pub use queue::Queue;
pub use sdma::SdmaQueue;
pub use submission::{Room, Submission};
pub(crate) use submitted::{RawQueue, Submitted};

pub(crate) use crate::queues::blit::Blit;
pub(crate) use crate::queues::device::Gpu;
pub(crate) use crate::queues::module::Code;
pub(crate) use crate::queues::sdma::packet::CHUNK;
