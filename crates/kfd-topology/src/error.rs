//! Errors of reading the topology.

use std::fmt;

/// The result of reading the topology.
pub type Result<T> = std::result::Result<T, Error>;

/// Why the topology cannot be read.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The driver has no topology: it is not loaded, or lacks support for compute.
    NoDriver {
        /// The folder that is missing.
        path: String,
    },
    /// A file of the topology cannot be read, or its content makes no sense.
    File {
        /// The file or folder, below `/sys`.
        path: String,
        /// What is wrong.
        subject: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoDriver { path } => {
                write!(f, "no GPU: {path} is not there: no amdgpu driver with compute support is loaded")
            }
            Error::File { path, subject } => write!(f, "topology: {path}: {subject}"),
        }
    }
}

// A `main` that returns an error prints it by `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
