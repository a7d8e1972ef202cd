//! The libraries of the three APIs, and the GPUs that all of them see.

pub(crate) mod call;
pub(crate) mod device;
pub(crate) mod layers;
pub(crate) mod libraries;

pub use device::Device;
pub use libraries::{Libraries, OpenClDevice};
