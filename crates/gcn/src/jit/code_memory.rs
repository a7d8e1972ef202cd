//! Memory for machine code: written first, then executable and never written again.

use memmap2::{Mmap, MmapMut};

/// Machine code that can be called.
pub(super) struct Executable(Mmap);

impl Executable {
    /// `None` where the system has no memory for it, or lets nobody have it.
    pub fn new(code: &[u8]) -> Option<Executable> {
        let mut memory = MmapMut::map_anon(code.len().max(1)).ok()?;
        memory.get_mut(..code.len())?.copy_from_slice(code);
        Some(Executable(memory.make_exec().ok()?))
    }

    /// The address of byte `offset`.
    pub fn at(&self, offset: usize) -> *const u8 {
        self.0.as_ptr().wrapping_add(offset)
    }
}
