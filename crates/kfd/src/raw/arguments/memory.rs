//! The memory from which launches take places for their arguments, in order.

use crate::raw::Memory;
use crate::{Device, Placement, Result};

/// Kernel arguments begin with a cache line, so that two launches do not share one.
const ALIGN: u64 = 64;
/// What arguments can be aligned to: the memory is.
pub(crate) const MAX_ALIGN: u64 = crate::driver::PAGE as u64;

/// Memory used in order and given back in order. Positions only grow; the place is the position modulo the size.
#[derive(Debug)]
pub(crate) struct ArgumentMemory {
    memory: Memory,
    /// Where the next arguments go.
    next: u64,
    /// Where those that were taken last end.
    last_end: u64,
}

/// A place for arguments.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// In the memory.
    offset: u64,
    bytes: u64,
    /// Position behind it.
    pub end: u64,
}

impl ArgumentMemory {
    /// Coherent memory of the host: kernels see arguments without a fence that empties their caches.
    pub fn new(device: Device, bytes: usize) -> Result<ArgumentMemory> {
        Ok(ArgumentMemory { memory: Memory::new(device, bytes, Placement::HOST)?, next: 0, last_end: 0 })
    }

    pub fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Bytes that one launch can have.
    pub fn capacity(&self) -> usize {
        self.memory.bytes()
    }

    /// A place for `bytes`, at least 1, if there is one; everything below `free` is free. It is taken by
    /// [`take`](Self::take). Its address is a multiple of `align`, a power of two up to [`MAX_ALIGN`].
    pub fn place(&self, bytes: usize, align: u64, free: u64) -> Option<Place> {
        // Whole pages, so that what a position is a multiple of, its place is too.
        let capacity = self.memory.bytes() as u64;
        let bytes = bytes as u64;
        if bytes > capacity {
            return None;
        }
        let next = self.next.next_multiple_of(align);
        let within = next % capacity;
        // Arguments are in one piece.
        let start = if within + bytes > capacity { next + capacity - within } else { next };
        let end = start + bytes;
        let in_use = free < self.last_end;
        if in_use && end - free > capacity {
            return None;
        }
        Some(Place { offset: start % capacity, bytes, end })
    }

    /// Device address of a place.
    pub fn address(&self, place: Place) -> u64 {
        self.memory.address() + place.offset
    }

    /// The bytes of a place as the host sees it. A child of a fork has none.
    pub fn host(&mut self, place: Place) -> Result<&mut [u8]> {
        let start = self.memory.host_start()?;
        // SAFETY: inside the memory, and nobody else's: work that had it is done, and the borrow of `self` excludes
        // other places.
        Ok(unsafe { std::slice::from_raw_parts_mut(start.add(place.offset as usize).as_ptr(), place.bytes as usize) })
    }

    /// Takes what was placed last. With a lower position than before it gives back what was taken since.
    pub fn take(&mut self, end: u64) {
        self.last_end = end;
        self.next = end.next_multiple_of(ALIGN);
    }

    /// Up to where it was taken.
    pub fn end(&self) -> u64 {
        self.next
    }
}
