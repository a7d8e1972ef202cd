//! The kernarg segment (arguments) and the private segment (scratch) of a work-group.

use std::ops::Range;

/// Bytes behind the arguments in which a load is meant for one of them. More than any kernel's arguments are in HIP and
/// OpenCL; farther off may be what an offset leads to that is no argument's.
pub(crate) const BEHIND_KERNARG: u64 = 4096;

/// What the waves of a work-group have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segments {
    /// Device address of the kernel's arguments.
    pub kernarg: u64,
    /// Bytes of the kernarg segment, including hidden arguments. 0: unknown.
    pub kernarg_bytes: u32,
    /// Device addresses of all private memory of the dispatch.
    pub scratch: Range<u64>,
    /// Device address of the first wave's.
    pub private: u64,
    /// Distance from a wave's to the next one's.
    pub private_step: u64,
    /// Bytes of a work-item's. Its dwords are 256 bytes apart.
    pub private_bytes: u32,
}

impl Segments {
    /// Whether `base` is the arguments' address and no other pointer, and their size is known.
    pub fn is_kernarg(&self, base: u64) -> bool {
        self.kernarg_bytes != 0 && base == self.kernarg
    }
}
