//! The ring from which launches take memory for their arguments.

use crate::Result;
use crate::raw::Memory;
use crate::{Device, Placement};

/// Kernel arguments begin with a cache line, so that two launches do not share one.
const ALIGN: u64 = 64;
/// What arguments can be aligned to: the memory is.
pub(crate) const MOST_ALIGN: u64 = crate::driver::PAGE as u64;

/// Memory used in order and given back in order. Positions only grow; the place is the position modulo the size.
#[derive(Debug)]
pub(crate) struct Arguments {
    memory: Memory,
    /// Where the next arguments go.
    next: u64,
    /// Where those that were taken last end.
    last_end: u64,
}

/// A place for arguments.
pub(crate) struct Place<'a> {
    /// Device address.
    pub address: u64,
    /// As the host sees it.
    pub bytes: &'a mut [u8],
    /// Position behind it.
    pub end: u64,
}

impl Arguments {
    /// Coherent memory of the host: kernels see arguments without a fence that empties their caches.
    pub fn new(device: Device, bytes: usize) -> Result<Arguments> {
        Ok(Arguments { memory: Memory::new(device, bytes, Placement::HOST)?, next: 0, last_end: 0 })
    }

    pub fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Bytes that one launch can have.
    pub fn capacity(&self) -> usize {
        self.memory.bytes()
    }

    /// A place for `bytes`, if there is one; everything below `free` is free. It is taken by [`take`](Self::take). Its address is a
    /// multiple of `align`, a power of two up to [`MOST_ALIGN`].
    pub fn place(&mut self, bytes: usize, align: u64, free: u64) -> Option<Place<'_>> {
        // Whole pages, so that what a position is a multiple of, its place is too.
        let capacity = self.memory.bytes() as u64;
        let bytes = bytes as u64;
        let next = self.next.next_multiple_of(align);
        let within = next % capacity;
        // Arguments are in one piece.
        let start = if within + bytes > capacity { next + capacity - within } else { next };
        let end = start + bytes;
        let in_use = free < self.last_end;
        if bytes > capacity || in_use && end - free > capacity {
            return None;
        }
        let offset = (start % capacity) as usize;
        let host = self.memory.host_start().ok()?;
        // SAFETY: inside the memory, and nobody else's: work that had it is done, and the borrow of `self` excludes other places.
        let slice = unsafe { std::slice::from_raw_parts_mut(host.add(offset).as_ptr(), bytes as usize) };
        Some(Place { address: self.memory.address() + offset as u64, bytes: slice, end })
    }

    /// Takes what was placed last.
    pub fn take(&mut self, end: u64) {
        self.last_end = end;
        self.next = end.next_multiple_of(ALIGN);
    }

    /// Up to where it was taken.
    pub fn end(&self) -> u64 {
        self.next
    }
}
