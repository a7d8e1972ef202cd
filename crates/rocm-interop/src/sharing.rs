//! Memory of others, and others' access to the session's: what one GPU, API, driver or process made and another uses.

mod dmabuf;
mod held;
mod host;
mod ipc;
mod peer;
mod staged;
mod staging;
mod view;

pub use dmabuf_channel::{DmaBuf, Error as ChannelError};
pub use held::{Away, Held};
pub use ipc::IpcHandle;
pub use staged::Staged;
pub use staging::Staging;
