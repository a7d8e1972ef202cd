//! Parts of buffers, as arguments of kernels and of calls of HIP's libraries.

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use bytemuck::Pod;

use crate::allocation::Allocation;
use crate::{Buffer, Error, Result};

/// A part of a [`Buffer`], which a kernel gets as a pointer to its first element: an [`Argument`](crate::Argument) by
/// `into`. A library of HIP gets it by [`RawHip::slice_pointer`](crate::hip::RawHip::slice_pointer).
///
/// The kernel gets no more than the address. Hand-overs and errors are of the whole buffer. OpenCL does not know that a
/// part of a `cl_mem` ([`Session::view`](crate::Session::view), [`Session::view_pages`](crate::Session::view_pages)) is
/// one, unless it begins at the start: its queue is flushed before and behind the kernel.
///
/// ```
/// use rocm_interop::{Buffer, Hip, Result};
/// use rocm_interop::hip::HipKernel;
///
/// /// Adds the second half to the first, by `extern "C" __global__ void add(float *to, const float *from)`.
/// fn fold(add: &HipKernel, buffer: &Buffer<f32, Hip>) -> Result<()> {
///     let half = buffer.len() / 2;
///     let (to, from) = (buffer.slice(..half)?, buffer.slice(half..2 * half)?);
///     // SAFETY: one work-item an element of each half.
///     unsafe { add.launch(half as u32 / 64, 64, 0, &[to.into(), from.into()]) }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Slice<'b, T: Pod, Side> {
    memory: &'b Allocation,
    address: u64,
    len: usize,
    marker: PhantomData<(T, Side)>,
}

impl<T: Pod, Side> Buffer<T, Side> {
    /// The elements of `range`, for a kernel.
    ///
    /// # Errors
    /// [`Error::Argument`] if they are not all in the buffer, or there are none.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Slice<'_, T, Side>> {
        let len = self.len();
        let start = match range.start_bound() {
            Bound::Included(&start) => Some(start),
            Bound::Excluded(&start) => start.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match range.end_bound() {
            Bound::Included(&end) => end.checked_add(1),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => Some(len),
        };
        match (start, end) {
            (Some(start), Some(end)) if start < end && end <= len => Ok(Slice {
                memory: &self.memory,
                address: self.memory.address() + (start * size_of::<T>()) as u64,
                len: end - start,
                marker: PhantomData,
            }),
            _ => {
                // In words of Rust's own, as `60..70` and `..=9`.
                let from = match range.start_bound() {
                    Bound::Included(start) => start.to_string(),
                    Bound::Excluded(start) => format!("({start} excluded)"),
                    Bound::Unbounded => String::new(),
                };
                let to = match range.end_bound() {
                    Bound::Included(end) => format!("={end}"),
                    Bound::Excluded(end) => end.to_string(),
                    Bound::Unbounded => String::new(),
                };
                let reason = format!("{from}..{to} of a buffer of {len} elements: must be inside it, and not empty");
                Err(Error::Argument { subject: "range", reason })
            }
        }
    }
}

impl<'b, T: Pod, Side> Slice<'b, T, Side> {
    /// Number of elements, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The address of the first element in both APIs' kernels, as [`Buffer::address`] of the buffer.
    pub fn address(&self) -> u64 {
        self.memory.give_address();
        self.address
    }

    /// For an argument.
    pub(crate) fn start(&self) -> u64 {
        self.address
    }

    pub(crate) fn memory(&self) -> &'b Allocation {
        self.memory
    }
}

/// A part of a [`Buffer`] that nothing else uses while this value lives, for calls of HIP's libraries that write there
/// ([`RawHip::slice_pointer_mut`](crate::hip::RawHip::slice_pointer_mut)).
///
/// Two parts of one buffer come from [`split_at`](SliceMut::split_at):
/// ```
/// # use rocm_interop::{Buffer, Hip, Result};
/// # use rocm_interop::memory::SliceMut;
/// fn halves(buffer: &mut Buffer<f32, Hip>) -> Result<(SliceMut<'_, f32, Hip>, SliceMut<'_, f32, Hip>)> {
///     let half = buffer.len() / 2;
///     buffer.slice_mut(..)?.split_at(half)
/// }
/// ```
/// The buffer cannot be used meanwhile:
/// ```compile_fail,E0502
/// # use rocm_interop::{Buffer, Hip, Result};
/// fn both(buffer: &mut Buffer<f32, Hip>) -> Result<usize> {
///     let part = buffer.slice_mut(..4)?;
///     let whole = buffer.slice(..)?;
///     Ok(part.len() + whole.len())
/// }
/// ```
/// Nor are there two such parts that are taken one after the other, which may overlap:
/// ```compile_fail,E0499
/// # use rocm_interop::{Buffer, Hip, Result};
/// fn both(buffer: &mut Buffer<f32, Hip>) -> Result<usize> {
///     let first = buffer.slice_mut(..4)?;
///     let second = buffer.slice_mut(4..)?;
///     Ok(first.len() + second.len())
/// }
/// ```
/// The buffer is handed over when no part of it is left:
/// ```compile_fail,E0505
/// # use rocm_interop::{Buffer, Hip, OpenCl};
/// fn too_early(mut buffer: Buffer<f32, Hip>) -> Buffer<f32, OpenCl> {
///     let part = buffer.slice_mut(..4).unwrap();
///     let buffer = buffer.into_opencl().unwrap();
///     drop(part);
///     buffer
/// }
/// ```
#[derive(Debug)]
pub struct SliceMut<'b, T: Pod, Side> {
    part: Slice<'b, T, Side>,
    alone: PhantomData<&'b mut T>,
}

impl<T: Pod, Side> Buffer<T, Side> {
    /// The elements of `range`, for a call that writes them.
    ///
    /// # Errors
    /// As of [`slice`](Buffer::slice).
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<SliceMut<'_, T, Side>> {
        Ok(SliceMut { part: self.slice(range)?, alone: PhantomData })
    }
}

impl<'b, T: Pod, Side> SliceMut<'b, T, Side> {
    /// Number of elements, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.part.len
    }

    /// The same elements, to be read while this value is borrowed.
    pub fn as_slice(&self) -> Slice<'_, T, Side> {
        Slice { memory: self.part.memory, address: self.part.address, len: self.part.len, marker: PhantomData }
    }

    /// The same elements, for a value that is to be given away.
    pub fn reborrow(&mut self) -> SliceMut<'_, T, Side> {
        SliceMut { part: self.as_slice(), alone: PhantomData }
    }

    /// The elements before `at`, and those from there on.
    ///
    /// # Errors
    /// [`Error::Argument`] if one of the two would have no element.
    pub fn split_at(self, at: usize) -> Result<(SliceMut<'b, T, Side>, SliceMut<'b, T, Side>)> {
        let Slice { memory, address, len, .. } = self.part;
        if at == 0 || at >= len {
            let reason = format!("{at} of {len} elements: each of the two parts must have one");
            return Err(Error::Argument { subject: "at", reason });
        }
        let part =
            |address, len| SliceMut { part: Slice { memory, address, len, marker: PhantomData }, alone: PhantomData };
        Ok((part(address, at), part(address + (at * size_of::<T>()) as u64, len - at)))
    }
}
