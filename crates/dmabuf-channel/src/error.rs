//! What can go wrong between two processes.

use std::fmt;
use std::io;
use std::time::Duration;

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why memory or a turn did not pass. The text says all of it: no [`source`](std::error::Error::source) repeats a part.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A message to or from the other process did not get through, or is none of this crate's.
    #[error(
        "socket: {reason}; does the other process still run, and does it use the matching function for the other end?"
    )]
    Socket {
        /// What the socket said, or what is wrong with the message.
        reason: io::Error,
    },
    /// The other process has not sent the memory, or given the turn, within the time limit. Nothing is lost: the call
    /// may be made once more.
    #[error("the other process has not sent the memory, or given the turn, within {limit:?}; wait for it once more")]
    NotYet {
        /// How long this process waited.
        limit: Duration,
    },
    /// The other process is gone: it ended, was killed, or dropped its end.
    #[error("{}", gone(*in_its_turn))]
    PeerGone {
        /// Whether it had the turn: then the contents are what it left, which may be half of a result. Otherwise they
        /// are as this process left them.
        in_its_turn: bool,
    },
    /// A descriptor, offset and length that are no part of a dma-buf.
    #[error("dma-buf: {reason}")]
    DmaBuf {
        /// What is wrong with them.
        reason: String,
    },
}

/// The text of `Display`, as `main` prints an error by this.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn gone(in_its_turn: bool) -> &'static str {
    if in_its_turn {
        "the other process ended, or dropped the memory, in its turn, so the contents are what it left, which may be \
         half of a result; take the memory back"
    } else {
        "the other process ended, or dropped the memory, so it cannot take the turn; the contents are whole; take the \
         memory back"
    }
}
