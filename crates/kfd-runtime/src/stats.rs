//! Statistics of an arena.

use std::fmt;

/// How full an [`Arena`](crate::Arena) is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArenaStats {
    /// Blocks that the driver gave.
    pub blocks: usize,
    /// Fragments that programs have.
    pub fragments: usize,
    /// Bytes of the blocks.
    pub reserved_bytes: u64,
    /// Bytes of the fragments that programs have.
    pub used_bytes: u64,
    /// Bytes that were given back and that work may still use.
    pub waiting_bytes: u64,
    /// Bytes that nobody has.
    pub free_bytes: u64,
    /// The largest piece of those.
    pub largest_free_bytes: u64,
    /// The most bytes that fragments ever had at a time, with those that waited.
    pub most_used_bytes: u64,
}

impl fmt::Display for ArenaStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArenaStats { blocks, fragments, reserved_bytes, used_bytes, waiting_bytes, free_bytes, .. } = self;
        write!(
            f,
            "{blocks} blocks of {reserved_bytes} bytes: {used_bytes} in {fragments} fragments, {waiting_bytes} given back and waiting for \
             the GPU, {free_bytes} free, at most {} of them in one piece",
            self.largest_free_bytes
        )
    }
}
