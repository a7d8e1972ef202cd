//! Copies and fills by kernels of this crate's own.

use aql::Geometry;
use bytemuck::Pod;

use crate::raw::{Blit, Gpu};
use crate::typed::buffer::{Places, word};
use crate::typed::in_flight::KeepAlive;
use crate::{Buffer, Pending, Queue, Result, Ticket};

/// Work-items of a work-group, as the kernels require.
const GROUP: u32 = 256;
/// Work-groups for a compute unit, at most: 32 waves, of the 40 that it holds.
const GROUPS_PER_UNIT: u32 = 8;
/// Bytes that a work-item moves at a time.
const PIECE: u64 = 16;

/// How a range is divided: what comes before the first aligned piece, the pieces, and what comes after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    head: u64,
    pieces: u64,
    tail: u64,
}

impl Parts {
    fn of(address: u64, bytes: u64) -> Parts {
        let head = (address.next_multiple_of(PIECE) - address).min(bytes);
        Parts { head, pieces: (bytes - head) / PIECE, tail: (bytes - head) % PIECE }
    }

    /// Work-items: one a piece, if the GPU can hold so many at a time.
    fn items(self, gpu: &Gpu) -> u32 {
        let most = u64::from(gpu.node().compute_units().saturating_mul(GROUPS_PER_UNIT).max(1));
        // At least one group, which has more work-items than a head or a tail has bytes.
        self.pieces.div_ceil(u64::from(GROUP)).clamp(1, most.min(u64::from(u32::MAX / GROUP))) as u32 * GROUP
    }
}

impl Queue {
    /// Copies `count` values by a kernel, in order with what else runs in the queue. The buffers may be of any device
    /// or the host, if they are mapped to the queue's device. The device keeps the kernel, 12 KiB of memory, once it
    /// was used.
    ///
    /// [`SdmaQueue::copy`](crate::SdmaQueue::copy) copies beside kernels; a [`Copier`](crate::Copier) chooses.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range), [`Error::OtherDevice`](crate::Error::OtherDevice),
    /// [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Lost`](crate::Error::Lost),
    /// [`Error::Forked`](crate::Error::Forked). Nothing was submitted then.
    /// [`Error::Unsupported`](crate::Error::Unsupported) on a GPU that is no gfx908, gfx90a or gfx942;
    /// [`Error::Request`](crate::Error::Request) if the kernel could not be loaded.
    pub fn copy<'b, T: Pod>(
        &mut self,
        from: &'b Buffer<T>,
        from_index: usize,
        to: &'b mut Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Pending<'b>> {
        let number = self.copy_values(from, from_index, to, to_index, count)?;
        Ok(self.tracked.pending(number))
    }

    /// Copies `count` values to another place of the same buffer, by a kernel. The two places must not overlap.
    ///
    /// # Errors
    /// As of [`copy`](Self::copy); [`Error::Value`](crate::Error::Value) for places that overlap.
    pub fn copy_within<'b, T: Pod>(
        &mut self,
        buffer: &'b mut Buffer<T>,
        from_index: usize,
        to_index: usize,
        count: usize,
    ) -> Result<Pending<'b>> {
        let number = self.copy_values(buffer, from_index, buffer, to_index, count)?;
        Ok(self.tracked.pending(number))
    }

    /// As [`copy`](Self::copy), into a buffer that others have too, such as one in an [`Arc`](std::sync::Arc): nothing
    /// is borrowed. The memory of both lasts until the work is done.
    ///
    /// # Safety
    /// While the work is not over, nobody has a slice of `to` ([`Buffer::host`]), or one of `from` to change
    /// ([`Buffer::host_mut`]), that was asked for before this call, and no other work conflicts with it. Slices asked
    /// for afterwards are refused until it is done.
    ///
    /// # Errors
    /// As of [`copy`](Self::copy); [`Error::Value`](crate::Error::Value) for places of one buffer that overlap.
    pub unsafe fn copy_shared<T: Pod>(
        &mut self,
        from: &Buffer<T>,
        from_index: usize,
        to: &Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Ticket> {
        let number = self.copy_values(from, from_index, to, to_index, count)?;
        Ok(self.tracked.submitted().ticket(number))
    }

    /// Returns the number of the work.
    fn copy_values<T: Pod>(
        &mut self,
        from: &Buffer<T>,
        from_index: usize,
        to: &Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<u64> {
        let Places { source, target, bytes } = Places::of(from, from_index, to, to_index, count)?;
        let (from_at, to_at) = (source - from.address(), target - to.address());
        let parts = Parts::of(target, bytes);
        let items = parts.items(self.gpu());
        let kernel = &Blit::of(self.gpu())?.copy;
        let launch = self.launch(kernel, Geometry::one(items, GROUP as u16)?)?;
        let launch = launch.address_of(from, KeepAlive::read).argument(from_at);
        let launch = launch.address_of(to, KeepAlive::write).argument(to_at);
        let launch = launch.argument(parts.head as u32).argument(parts.pieces).argument(parts.tail as u32);
        // SAFETY: the kernel reads `bytes` bytes at `source` and writes as many at `target`, which are in the buffers.
        unsafe { launch.argument(items).submit_number() }
    }

    /// Sets `count` values of 4 bytes to `value` by a kernel. Values of other sizes or alignments do not compile.
    ///
    /// # Errors
    /// As of [`copy`](Self::copy).
    pub fn fill<'b, T: Pod>(
        &mut self,
        to: &'b mut Buffer<T>,
        index: usize,
        count: usize,
        value: T,
    ) -> Result<Pending<'b>> {
        const WORD: u64 = size_of::<u32>() as u64;
        let (target, bytes) = to.bytes_at(index, count)?;
        let parts = Parts::of(target, bytes);
        let items = parts.items(self.gpu());
        let kernel = &Blit::of(self.gpu())?.fill;
        let launch = self.launch(kernel, Geometry::one(items, GROUP as u16)?)?;
        let launch = launch.buffer_mut(to).argument(index as u64).argument(word(value));
        let launch = launch.argument((parts.head / WORD) as u32).argument(parts.pieces);
        let launch = launch.argument((parts.tail / WORD) as u32).argument(items);
        // SAFETY: the kernel writes `count` words from number `index` of the buffer on, which has so many.
        unsafe { launch.submit() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_are_all_of_it_and_pieces_are_aligned(address in 1u64 << 40..(1 << 40) + 64, bytes in 0u64..100) {
            let Parts { head, pieces, tail } = Parts::of(address, bytes);
            prop_assert_eq!(head + pieces * PIECE + tail, bytes);
            prop_assert!(head < PIECE && tail < PIECE);
            prop_assert!(pieces == 0 || (address + head).is_multiple_of(PIECE));
        }
    }
}
