//! What kernels are given.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;

use crate::allocation::Allocation;
use crate::buffer::{ReadOnly, Slice};
use crate::kernels::scalar::Scalar;
use crate::session::Core;
use crate::{Buffer, OpenCl, Result};

/// An argument of a kernel of `Side`: a buffer whose turn it is, or a [part](crate::memory::Slice) of one, a value, or
/// for OpenCL an amount of local memory.
///
/// Made of a buffer by `into`, which the kernel gets as a pointer. So are `u32`, `i32` and `f32`: literals are of 32
/// bits. Any other value says its type, as the kernel gets its bytes as they are.
///
/// Where the code object has the types of parameters, as OpenCL's have and HIP's have not, a launch refuses an integer
/// for a `float`, and a buffer of `f32` for a `double*`. Buffers of bytes are taken for all, and all buffers for bytes
/// (`char*`).
///
/// ```
/// use rocm_interop::{Argument, Hip};
///
/// let arguments: [Argument<'_, Hip>; 4] = [7.into(), 2.5.into(), Argument::value(&-1i64), Argument::value(&[1.0f64; 3])];
/// ```
#[derive(Debug)]
pub struct Argument<'b, Side> {
    kind: Kind<'b>,
    /// What it is, or is a buffer of, if that is known.
    scalar: Option<Scalar>,
    /// No kernel may write there.
    read_only: bool,
    side: PhantomData<Side>,
}

#[derive(Debug)]
pub(crate) enum Kind<'b> {
    /// A value of 4 bytes.
    Word([u8; 4]),
    Value(&'b [u8]),
    /// From this address on.
    Memory(&'b Allocation, u64),
    Local(usize),
}

impl<'b, Side> Argument<'b, Side> {
    /// The bytes of a number, or of a struct that is laid out as the kernel's (`repr(C)`, without padding).
    pub fn value<T: Pod>(value: &'b T) -> Self {
        Argument::of::<T>(Kind::Value(bytemuck::bytes_of(value)))
    }

    /// A value of `T`, or a buffer of such.
    fn of<T: 'static>(kind: Kind<'b>) -> Self {
        Argument { kind, scalar: Scalar::of::<T>(), read_only: false, side: PhantomData }
    }

    pub(crate) fn scalar(&self) -> Option<Scalar> {
        self.scalar
    }

    pub(crate) fn kind(&self) -> &Kind<'b> {
        &self.kind
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// That of a buffer.
    pub(crate) fn memory(&self) -> Option<&'b Allocation> {
        match self.kind {
            Kind::Memory(memory, _) => Some(memory),
            _ => None,
        }
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

    /// `bytes` bytes of local memory for each work-group, for a parameter `local T *`. A launch refuses more than a
    /// packet can say, 4 GiB in all, of which AMD's OpenCL would take the lower 32 bits, and OpenCL more than the GPU
    /// has.
    pub fn local(bytes: usize) -> Self {
        Argument { kind: Kind::Local(bytes), scalar: None, read_only: false, side: PhantomData }
    }
}

impl<'b, T: Pod, Side> From<&'b Buffer<T, Side>> for Argument<'b, Side> {
    fn from(buffer: &'b Buffer<T, Side>) -> Self {
        Argument::of::<T>(Kind::Memory(&buffer.memory, buffer.memory.address()))
    }
}
/// For both sides at once.
impl<'b, T: Pod, Side> From<&'b ReadOnly<T>> for Argument<'b, Side> {
    fn from(table: &'b ReadOnly<T>) -> Self {
        let memory = &**table.memory();
        Argument { read_only: true, ..Argument::of::<T>(Kind::Memory(memory, memory.address())) }
    }
}
/// As stages of a pipeline have it.
impl<'b, T: Pod, Side> From<&'b mut Buffer<T, Side>> for Argument<'b, Side> {
    fn from(buffer: &'b mut Buffer<T, Side>) -> Self {
        Argument::from(&*buffer)
    }
}
impl<'b, T: Pod, Side> From<Slice<'b, T, Side>> for Argument<'b, Side> {
    fn from(slice: Slice<'b, T, Side>) -> Self {
        Argument::of::<T>(Kind::Memory(slice.memory(), slice.start()))
    }
}
impl<Side> From<u32> for Argument<'_, Side> {
    fn from(value: u32) -> Self {
        Argument::of::<u32>(Kind::Word(value.to_ne_bytes()))
    }
}
impl<Side> From<i32> for Argument<'_, Side> {
    fn from(value: i32) -> Self {
        Argument::of::<i32>(Kind::Word(value.to_ne_bytes()))
    }
}
impl<Side> From<f32> for Argument<'_, Side> {
    fn from(value: f32) -> Self {
        Argument::of::<f32>(Kind::Word(value.to_ne_bytes()))
    }
}
