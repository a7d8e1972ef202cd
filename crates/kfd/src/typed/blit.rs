//! Copies and fills by kernels of this crate's own.

use aql::Geometry;
use bytemuck::Pod;

use crate::queues::blit::Blit;
use crate::queues::device::Gpu;
use crate::typed::buffer::word;
use crate::{Buffer, Pending, Queue, Result};

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
    /// Copies `count` values by a kernel, in order with what else runs in the queue. The buffers may be of any device or the host, if they
    /// are mapped to the queue's device. The device keeps the kernel, 12 KiB of memory, once it was used.
    ///
    /// [`SdmaQueue::copy`](crate::SdmaQueue::copy) copies beside kernels; a [`Copier`](crate::Copier) chooses.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range), [`Error::OtherDevice`](crate::Error::OtherDevice), [`Error::QueueFull`](crate::Error::QueueFull), [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked). Nothing was submitted then.
    /// [`Error::Unsupported`](crate::Error::Unsupported) on a GPU that is no gfx908; [`Error::Request`](crate::Error::Request) if the kernel could not be loaded.
    pub fn copy<'b, T: Pod>(
        &mut self,
        from: &'b Buffer<T>,
        from_index: usize,
        to: &'b mut Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Pending<'b>> {
        let (source, bytes) = from.bytes_at(from_index, count)?;
        let (target, _) = to.bytes_at(to_index, count)?;
        let (from_at, to_at) = (source - from.address(), target - to.address());
        let parts = Parts::of(target, bytes);
        let items = parts.items(self.gpu());
        let kernel = &Blit::of(self.gpu())?.copy;
        let launch = self.launch(kernel, Geometry::one(items, GROUP as u16)?)?;
        let launch = launch.buffer(from).argument(from_at).buffer_mut(to).argument(to_at);
        let launch = launch.argument(parts.head as u32).argument(parts.pieces).argument(parts.tail as u32);
        // SAFETY: the kernel reads `bytes` bytes at `source` and writes as many at `target`, which are in the buffers.
        unsafe { launch.argument(items).submit() }
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
