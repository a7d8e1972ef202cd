//! The program's allocations of device memory.

use std::ops::Range;

/// The program's allocations of device memory and its synchronisation flags, for race detection.
pub trait Allocations {
    /// The addresses around `address` that the program has for its data. `None`: it is not the program's, and nobody
    /// looks for races there.
    fn allocation(&self, address: u64) -> Option<Range<u64>> {
        let _ = address;
        None
    }
    /// The addresses that begin in `range` and of which the program says that waves synchronise by them, though by
    /// plain accesses.
    fn flags(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let _ = range;
        Vec::new()
    }
}
