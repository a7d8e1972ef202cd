//! The processors behind the queues.

use crate::device::Gpu;
use crate::errno::Errno;
use crate::queue::{QueueArgs, QueueUpdate};
use std::sync::Arc;

/// The command processor and SDMA engines of a GPU.
#[derive(Debug)]
pub struct Engine {}

impl Engine {
    /// The engines of `gpu`.
    pub fn new(_gpu: Arc<Gpu>) -> Arc<Engine> {
        Arc::new(Engine {})
    }

    /// Begins to serve a queue.
    ///
    /// # Errors
    /// `ENODEV`: there is no engine yet.
    pub fn create_queue(&self, _args: QueueArgs) -> Result<(), Errno> {
        Err(Errno::ENODEV)
    }

    /// Changes a queue.
    ///
    /// # Errors
    /// As [`Engine::create_queue`].
    pub fn update_queue(&self, _id: u32, _update: QueueUpdate) -> Result<(), Errno> {
        Err(Errno::ENODEV)
    }

    /// Ends a queue; returns when nothing of it runs any more.
    ///
    /// # Errors
    /// As [`Engine::create_queue`].
    pub fn destroy_queue(&self, _id: u32) -> Result<(), Errno> {
        Err(Errno::ENODEV)
    }

    /// Restricts a queue to the compute units whose bits are set.
    ///
    /// # Errors
    /// As [`Engine::create_queue`].
    pub fn set_cu_mask(&self, _id: u32, _mask: &[u32]) -> Result<(), Errno> {
        Err(Errno::ENODEV)
    }
}
