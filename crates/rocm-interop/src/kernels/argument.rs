//! What kernels are given.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;

use crate::memory::Memory;
use crate::session::Core;
use crate::{Buffer, OpenCl, Result, Slice};

/// An argument of a kernel of `Side`: a buffer whose turn it is, or a [part](crate::Slice) of one, a value, or for OpenCL an amount of local memory.
///
/// Made of a buffer by `into`, which the kernel gets as a pointer. So are `u32`, `i32` and `f32`: literals are of 32 bits. Any other value says
/// its type, as the kernel gets its bytes as they are:
/// ```
/// use rocm_interop::{Argument, Hip};
///
/// let arguments: [Argument<'_, Hip>; 4] = [7.into(), 2.5.into(), Argument::value(&-1i64), Argument::value(&[1.0f64; 3])];
/// ```
#[derive(Debug)]
pub struct Argument<'b, Side> {
    kind: Kind<'b>,
    side: PhantomData<Side>,
}

#[derive(Debug)]
pub(crate) enum Kind<'b> {
    /// A value of 4 bytes.
    Word([u8; 4]),
    Value(&'b [u8]),
    /// From this address on.
    Memory(&'b Memory, u64),
    Local(usize),
}

impl<'b, Side> Argument<'b, Side> {
    /// The bytes of a number, or of a struct that is laid out as the kernel's (`repr(C)`, without padding).
    pub fn value<T: Pod>(value: &'b T) -> Self {
        Argument::of(Kind::Value(bytemuck::bytes_of(value)))
    }

    /// Memory from `address` on, which is in it.
    pub(crate) fn memory(memory: &'b Memory, address: u64) -> Self {
        Argument::of(Kind::Memory(memory, address))
    }

    fn of(kind: Kind<'b>) -> Self {
        Argument { kind, side: PhantomData }
    }

    pub(crate) fn kind(&self) -> &Kind<'b> {
        &self.kind
    }

    /// Refuses memory of other sessions than `core`.
    pub(crate) fn check_session(&self, core: &Arc<Core>) -> Result<()> {
        match self.kind {
            Kind::Memory(memory, _) => memory.check_session(core),
            _ => Ok(()),
        }
    }
}

impl<'b> Argument<'b, OpenCl> {
    /// Refuses memory that OpenCL's kernels of `core` are not to be given.
    pub(crate) fn check_opencl(&self, core: &Arc<Core>) -> Result<()> {
        self.check_session(core)?;
        match self.kind {
            Kind::Memory(memory, _) => memory.check_opencl(),
            _ => Ok(()),
        }
    }

    /// `bytes` bytes of local memory for each work-group, for a parameter `local T *`. A launch refuses more than a packet can say, 4 GiB in all, of which
    /// AMD's OpenCL would take the lower 32 bits, and OpenCL more than the GPU has.
    pub fn local(bytes: usize) -> Self {
        Argument::of(Kind::Local(bytes))
    }
}

impl<'b, T: Pod, Side> From<&'b Buffer<T, Side>> for Argument<'b, Side> {
    fn from(buffer: &'b Buffer<T, Side>) -> Self {
        Argument::memory(&buffer.memory, buffer.address())
    }
}
/// As stages of a [`Pipeline`](crate::Pipeline) have it.
impl<'b, T: Pod, Side> From<&'b mut Buffer<T, Side>> for Argument<'b, Side> {
    fn from(buffer: &'b mut Buffer<T, Side>) -> Self {
        Argument::from(&*buffer)
    }
}
impl<'b, T: Pod, Side> From<Slice<'b, T, Side>> for Argument<'b, Side> {
    fn from(slice: Slice<'b, T, Side>) -> Self {
        Argument::memory(slice.memory(), slice.address())
    }
}
impl<Side> From<u32> for Argument<'_, Side> {
    fn from(value: u32) -> Self {
        Argument::of(Kind::Word(value.to_ne_bytes()))
    }
}
impl<Side> From<i32> for Argument<'_, Side> {
    fn from(value: i32) -> Self {
        Argument::of(Kind::Word(value.to_ne_bytes()))
    }
}
impl<Side> From<f32> for Argument<'_, Side> {
    fn from(value: f32) -> Self {
        Argument::of(Kind::Word(value.to_ne_bytes()))
    }
}
