//! Memory of others, and others' access to the session's: what one GPU, API, driver or process made and another uses.

mod descriptor;
mod dmabuf;
mod held;
mod host;
mod line;
mod peer;
mod process;
mod staged;
mod staging;
mod view;

pub use dmabuf::DmaBuf;
pub use held::{Away, Held};
pub use process::IpcHandle;
pub use staged::Staged;
pub use staging::Staging;
