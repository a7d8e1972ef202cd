//! Common parts of compute and SDMA queues: how a step of one ends.

use super::wave_fault::WaveFault;
use gcn::bus::MemoryFault;

/// The result of a step of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing to do until the next doorbell.
    Idle,
    /// Something must change in memory first (a signal, a polled word, the end of a dispatch).
    Waiting,
    /// It did something; there may be more.
    Made,
}

impl Progress {
    /// The livelier of two.
    pub fn or(self, other: Progress) -> Progress {
        match (self, other) {
            (Progress::Made, _) | (_, Progress::Made) => Progress::Made,
            (Progress::Waiting, _) | (_, Progress::Waiting) => Progress::Waiting,
            _ => Progress::Idle,
        }
    }
}

/// The reason why a queue stops.
#[derive(Clone, PartialEq, thiserror::Error)]
pub enum Stop {
    /// A compute queue stops with this bit of [`crate::queue_error`].
    #[error("queue error {0:#x}: {1}")]
    Error(u64, String),
    /// The queue's engine used memory that is not mapped.
    #[error("memory fault at {:#x} ({:?})", .0.address, .0.access)]
    Memory(MemoryFault),
    /// A wave did.
    #[error("memory fault at {:#x} ({:?})", .0.fault.address, .0.fault.access)]
    Wave(Box<WaveFault>),
    /// An SDMA engine hangs on a packet that it cannot decode.
    #[error("SDMA: {0}")]
    Sdma(String),
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl From<MemoryFault> for Stop {
    fn from(fault: MemoryFault) -> Stop {
        Stop::Memory(fault)
    }
}
