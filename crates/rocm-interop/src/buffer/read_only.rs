//! What both APIs and several sessions read at once.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;

use crate::allocation::{Allocation, HostCopy};
use crate::buffer::Turn;
use crate::session::Residency;
use crate::{Buffer, Error, OpenCl, Refused, Result};

/// Elements that kernels of both APIs, of this session and [others](ReadOnly::for_session), read at the same time, and
/// nobody writes: coefficients, tables, filters. Comes from [`Buffer::into_read_only`](Buffer#method.into_read_only).
///
/// It has no turn, so there is nothing to hand over, and nothing to wait for. `clone` gives another reference to the
/// same bytes; the last one that goes waits for the work that may use them, and gives them back.
///
/// As an argument (`into`), it is for parameters that the kernel does not write. Of OpenCL's kernels a launch refuses
/// those that do not declare it `const`; HIP's code objects do not say.
///
/// ```no_run
/// # use rocm_interop::{Buffer, Hip, OpenCl, Result, Session};
/// # use rocm_interop::hip::HipKernel;
/// # use rocm_interop::memory::ReadOnly;
/// # use rocm_interop::opencl::OpenClKernel;
/// # fn f(session: &Session, fir: &OpenClKernel, fft: &HipKernel, x: &Buffer<f32, OpenCl>, y: &Buffer<f32, Hip>) -> Result<()> {
/// let mut table = session.allocate::<f32>(1024)?;
/// table.write(&[0.5; 1024])?;
/// let table = table.into_read_only()?;
/// // SAFETY: one work-item an element of `x` and `y`; both kernels only read the table.
/// unsafe {
///     fir.launch(&[4096], None, &[(&table).into(), x.into()])?;
///     fft.launch(4096 / 64, 64, 0, &[(&table).into(), y.into()])?; // at the same time
/// }
/// # Ok(()) }
/// ```
/// There is no way to write it meanwhile:
/// ```compile_fail,E0599
/// # use rocm_interop::Result;
/// # use rocm_interop::memory::ReadOnly;
/// fn overwrite(mut table: ReadOnly<f32>) -> Result<()> {
///     table.write(&[1.0])
/// }
/// ```
#[derive(Debug)]
pub struct ReadOnly<T: Pod> {
    memory: Arc<Allocation>,
    len: usize,
    marker: PhantomData<T>,
}

impl<T: Pod> Clone for ReadOnly<T> {
    fn clone(&self) -> Self {
        ReadOnly::of(Arc::clone(&self.memory), self.len)
    }
}

impl<T: Pod, Side: Turn> Buffer<T, Side> {
    /// From now on everybody may read it, and nobody write. Waits for the work that was given the buffer, as
    /// [`read`](Buffer::read) does.
    ///
    /// # Errors
    /// [`Error::Failed`] if work with this buffer failed, [`Error::TimedOut`] if some ran too early, [`Error::Call`];
    /// with the buffer.
    pub fn into_read_only(self) -> Result<ReadOnly<T>, Refused<Self>> {
        match self.memory.finish_uses(Side::API) {
            Ok(()) => {
                let len = self.len();
                Ok(ReadOnly::of(Arc::new(self.memory), len))
            }
            Err(error) => Err(Refused::new(error, self)),
        }
    }
}

impl<T: Pod> ReadOnly<T> {
    pub(crate) fn of(memory: Arc<Allocation>, len: usize) -> Self {
        ReadOnly { memory, len, marker: PhantomData }
    }

    pub(crate) fn memory(&self) -> &Arc<Allocation> {
        &self.memory
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the bytes are, as of [`Buffer::residency`].
    pub fn residency(&self) -> Residency {
        self.memory.residency()
    }

    /// Fills `data` on the host from the start; returns when it is there. Waits for no kernel.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are fewer elements, [`Error::Failed`] if the copy failed, [`Error::Call`].
    #[doc(alias = "clEnqueueReadBuffer")]
    #[doc(alias = "hipMemcpy")]
    pub fn read(&self, data: &mut [T]) -> Result<()> {
        self.read_at(0, data)
    }

    /// The same, from the element `at` on.
    ///
    /// # Errors
    /// As of [`read`](ReadOnly::read).
    pub fn read_at(&self, at: usize, data: &mut [T]) -> Result<()> {
        if at.checked_add(data.len()).is_none_or(|end| end > self.len) {
            let reason = format!("{} elements from element {at} on, but there are {}", data.len(), self.len);
            return Err(Error::Argument { subject: "data", reason });
        }
        // SAFETY: they are inside.
        unsafe { self.memory.copy_on(None, HostCopy::down(at * size_of::<T>(), bytemuck::cast_slice_mut(data))) }
    }

    /// A buffer again, if this is the only reference: waits for the work that may use it.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are other references, or this one is another session's
    /// ([`for_session`](ReadOnly::for_session)); [`Error::Call`]; with this reference.
    pub fn into_buffer(self) -> Result<Buffer<T, OpenCl>, Refused<Self>> {
        let refuse = |reason: &str| Error::Argument { subject: "read-only buffer", reason: reason.to_owned() };
        let (memory, len) = (self.memory, self.len);
        match Arc::try_unwrap(memory) {
            Err(memory) => Err(Refused::new(
                refuse("has other references, which may be in use: drop those first"),
                ReadOnly::of(memory, len),
            )),
            Ok(memory) => {
                let ready = if memory.is_shared() {
                    Err(refuse("is made by another session: make it a buffer there"))
                } else {
                    memory.wait_for_uses()
                };
                match ready {
                    Ok(()) => Ok(Buffer::of(memory, len)),
                    Err(error) => Err(Refused::new(error, ReadOnly::of(Arc::new(memory), len))),
                }
            }
        }
    }
}
