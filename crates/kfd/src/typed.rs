//! What programs use: buffers of values, launches that are checked, copies, and work that keeps what it needs.

pub(crate) mod blit;
pub(crate) mod buffer;
pub(crate) mod copier;
pub(crate) mod in_flight;
pub(crate) mod launch;
pub(crate) mod queue;
pub(crate) mod sdma;
mod tracked;
mod uses;
mod volatile;
