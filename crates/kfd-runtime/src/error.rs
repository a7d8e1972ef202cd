//! Errors.

use crate::ArenaStats;

/// The result of everything in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something could not be done.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of `kfd`.
    #[error(transparent)]
    Kfd(#[from] kfd::Error),
    /// An arena has no room for a fragment and gets no more.
    #[error(
        "no room for a fragment of {bytes} bytes: the arena has {arena}; its limit is {limit} bytes{}; drop fragments, \
         wait for work that uses them, or raise the limit",
        vram.map(|vram| format!(", and the GPU has {vram} bytes of VRAM left")).unwrap_or_default()
    )]
    NoRoom {
        /// The requested bytes.
        bytes: u64,
        /// The arena's limit, in bytes.
        limit: u64,
        /// How full it is.
        arena: ArenaStats,
        /// Bytes of VRAM that are left for everybody, if the arena is of that and the driver reports them.
        vram: Option<u64>,
    },
    /// A graph was to be changed while its last submission may still run.
    #[error("the graph is used by a submission that is not done: wait for it first, or use two graphs in turn")]
    InUse,
    /// A step that the graph does not have, or of another kind than was asked for.
    #[error("step {index} is not {expected}")]
    Step {
        /// Its number in the graph that it is of.
        index: usize,
        /// The expected kind of step.
        expected: &'static str,
    },
}

impl From<aql::GeometryError> for Error {
    fn from(error: aql::GeometryError) -> Error {
        Error::Kfd(error.into())
    }
}

impl From<kfd::code::LaunchError> for Error {
    fn from(error: kfd::code::LaunchError) -> Error {
        Error::Kfd(error.into())
    }
}

/// The text of `Display`: a `main` that returns an error, `unwrap` and `expect` print it by `Debug`.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// For a size, count or number that cannot be.
pub(crate) fn value(subject: &'static str, value: u64, expected: &'static str) -> Error {
    Error::Kfd(kfd::Error::Value { subject, value, expected })
}
