//! Fills and copies that the GPU makes of buffers, on the turn of either API.

use std::ops::RangeBounds;

use bytemuck::Pod;

use crate::buffer::Slice;
use crate::buffer::Turn;
use crate::{Buffer, Error, Result};

impl<T: Pod, Side: Turn> Buffer<T, Side> {
    /// Makes all elements `value`, on the GPU, between the work before and behind it in the session's queue or stream.
    /// Waits for nothing.
    ///
    /// # Errors
    /// [`Error::Argument`] if OpenCL is to fill with elements of more than 128 bytes; or HIP with elements of other
    /// than 1, 2 or 4, or memory that is not of [`allocate_hip`](crate::Session::allocate_hip); [`Error::Compile`],
    /// [`Error::Call`].
    #[doc(alias = "clEnqueueFillBuffer")]
    #[doc(alias = "hipMemsetAsync")]
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.fill_range(.., value)
    }

    /// The same of a part.
    ///
    /// # Errors
    /// As of [`fill`](Buffer::fill), and [`Error::Argument`] if the range is not in the buffer, or empty.
    pub fn fill_range(&mut self, range: impl RangeBounds<usize>, value: T) -> Result<()> {
        let part = self.slice(range)?;
        let (at, size) = (offset(self, &part), size_of::<T>());
        // SAFETY: the part is in the memory.
        unsafe { self.memory.enqueue_fill(Side::API, at, part.len() * size, bytemuck::bytes_of(&value)) }
    }

    /// Copies `from` to here, from the element `at` on, on the GPU, between the work before and behind it in the
    /// session's queue or stream. Waits for nothing.
    ///
    /// ```
    /// # use rocm_interop::{Buffer, OpenCl, Result};
    /// fn keep_the_first_half(history: &mut Buffer<f32, OpenCl>, batch: &Buffer<f32, OpenCl>) -> Result<()> {
    ///     history.copy_from(0, &batch.slice(..batch.len() / 2)?)
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if it does not fit, or the buffers are of two sessions ([`copy_peer`](Buffer::copy_peer) and
    /// [`copy_staged`](Buffer::copy_staged) are for those); on HIP's turn, if one of both is not of
    /// [`allocate_hip`](crate::Session::allocate_hip); [`Error::Compile`], [`Error::Call`].
    #[doc(alias = "clEnqueueCopyBuffer")]
    #[doc(alias = "hipMemcpyAsync")]
    pub fn copy_from(&mut self, at: usize, from: &Slice<'_, T, Side>) -> Result<()> {
        self.fits(at, from.len())?;
        from.memory().check_session(self.memory.core())?;
        let (size, source) = (size_of::<T>(), from.memory());
        let offsets = [(from.start() - source.address()) as usize, at * size];
        // SAFETY: both are inside, by the checks, and of two buffers, as this one is borrowed alone. But two views may
        // be of the same bytes.
        self.apart(source.address() + offsets[0] as u64, at, from.len())?;
        // SAFETY: as above.
        unsafe { self.memory.enqueue_copy_from(Side::API, source, offsets, from.len() * size) }
    }

    /// Copies a part of this buffer to another place in it; else as [`copy_from`](Buffer::copy_from).
    ///
    /// # Errors
    /// As of [`copy_from`](Buffer::copy_from), and [`Error::Argument`] if the two parts overlap, which GPUs copy in no
    /// known order.
    pub fn copy_within(&mut self, range: impl RangeBounds<usize>, at: usize) -> Result<()> {
        let part = self.slice(range)?;
        let (from, len, size) = (offset(self, &part), part.len(), size_of::<T>());
        self.fits(at, len)?;
        self.apart(self.memory.address() + from as u64, at, len)?;
        // SAFETY: both are inside and do not overlap, by the checks.
        unsafe { self.memory.enqueue_copy_from(Side::API, &self.memory, [from, at * size], len * size) }
    }

    /// Refuses to copy `len` elements at the address `from` to what overlaps them.
    fn apart(&self, from: u64, at: usize, len: usize) -> Result<()> {
        let (to, bytes) = (self.memory.address() + (at * size_of::<T>()) as u64, (len * size_of::<T>()) as u64);
        if from.abs_diff(to) >= bytes {
            return Ok(());
        }
        let reason = format!(
            "{bytes} bytes at {from:#x} and at {to:#x} overlap, which a GPU copies in no known order: copy to another buffer first"
        );
        Err(Error::Argument { subject: "range", reason })
    }
}

/// In bytes.
fn offset<T: Pod, Side>(buffer: &Buffer<T, Side>, part: &Slice<'_, T, Side>) -> usize {
    (part.start() - buffer.memory.address()) as usize
}
