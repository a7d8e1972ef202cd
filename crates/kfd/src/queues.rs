//! Hardware queues, signals, events and loaded code.

pub(crate) mod blit;
pub(crate) mod compute;
pub(crate) mod device;
pub(crate) mod events;
pub(crate) mod module;
pub(crate) mod progress;
pub(crate) mod sdma;
pub(crate) mod signal;
pub(crate) mod ticket;
mod trap;
pub(crate) mod wait;
