//! Waits with a deadline, and the errors of a socket.

use std::io::{Error as IoError, ErrorKind};
use std::time::Instant;

use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

use crate::{Error, Result};

/// Waits until one of them has what is asked for, or its other end is closed. `false` if that did not happen by
/// `deadline`; without one there is no limit.
pub(crate) fn wait(any: &mut [PollFd<'_>], deadline: Option<Instant>) -> Result<bool> {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // What is too long for the kernel has no limit either.
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(any, timeout.as_ref()) {
            Err(Errno::INTR) => {}
            Err(errno) => return Err(broken(errno)),
            Ok(0) if left.is_some_and(|left| left.is_zero()) => return Ok(false),
            Ok(0) => {}
            Ok(_) => return Ok(true),
        }
    }
}

/// Others may take what a wait saw, so after one that took all the time there is no next one.
pub(crate) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

pub(crate) fn torn(subject: &str) -> Error {
    Error::Socket { reason: IoError::new(ErrorKind::InvalidData, subject) }
}

pub(crate) fn broken(errno: Errno) -> Error {
    Error::Socket { reason: errno.into() }
}
