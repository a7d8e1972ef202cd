//! The program's allocations of device memory.

use std::ops::Range;

/// What the program has of device memory, and what it uses to synchronise: where races are looked for.
pub trait Allocations {
    /// The addresses around `address` that the program has for its data. `None`: it is not the program's, and nobody looks for races there.
    fn allocation(&self, address: u64) -> Option<Range<u64>> {
        let _ = address;
        None
    }
    /// The addresses that begin in `range` and of which the program says that waves synchronise by them, though by plain accesses.
    fn flags(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let _ = range;
        Vec::new()
    }
}
