//! Copies through the host: the last resort, where two buffers cannot be one.

use bytemuck::Pod;

use crate::allocation::HostCopy;
use crate::error::Api;
use crate::session::Place;
use crate::{Buffer, Error, Hip, OpenCl, Result};

/// What a copy through the host moved over PCI Express. A buffer in host memory moves nothing there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Staged {
    /// Bytes that came from a GPU's memory to the host.
    pub down: u64,
    /// Bytes that went from the host to a GPU's memory.
    pub up: u64,
}

impl<T: Pod> Buffer<T, OpenCl> {
    /// Copies all elements to the start of a buffer of HIP's, through `staging` on the host, in pieces as long as that.
    /// Waits for the work that was given one of both buffers, or may have been (as of [`upload`](Buffer::upload)), and
    /// returns when the bytes are there.
    ///
    /// This is the last resort, for two buffers that cannot be one: they may be of different sessions, and so of GPUs
    /// that do not see each other. Nobody can launch on either meanwhile, which both are borrowed for:
    /// ```compile_fail,E0502
    /// # use rocm_interop::{Buffer, Hip, OpenCl};
    /// # use rocm_interop::opencl::OpenClKernel;
    /// fn race(mut from: Buffer<u32, OpenCl>, to: &mut Buffer<u32, Hip>, kernel: &OpenClKernel) {
    ///     std::thread::scope(|threads| {
    ///         threads.spawn(|| unsafe { kernel.launch(&[64], None, &[(&from).into()]) });
    ///         threads.spawn(|| from.copy_staged(to, &mut [0; 64]));
    ///     });
    /// }
    /// ```
    /// Within one session a hand-over ([`into_hip`](Buffer::into_hip)) copies nothing, and a kernel copies without the
    /// host.
    ///
    /// # Errors
    /// [`Error::Failed`] and [`Error::TimedOut`] if work with one of both failed or ran too early; [`Error::Argument`]
    /// if `to` is shorter or `staging` is empty; [`Error::Call`], after which `to` may have a part of the elements.
    pub fn copy_staged(&mut self, to: &mut Buffer<T, Hip>, staging: &mut [T]) -> Result<Staged> {
        self.memory.finish_uses(Api::OpenCl)?;
        to.memory.finish_uses(Api::Hip)?;
        through(self, to, staging)
    }
}

impl<T: Pod> Buffer<T, Hip> {
    /// Copies all elements to the start of a buffer of OpenCL's, through `staging` on the host: as the other
    /// [`copy_staged`](Buffer::copy_staged), the other way.
    ///
    /// # Errors
    /// [`Error::Failed`] and [`Error::TimedOut`] if work with one of both failed or ran too early; [`Error::Argument`]
    /// if `to` is shorter or `staging` is empty; [`Error::Call`], after which `to` may have a part of the elements.
    pub fn copy_staged(&mut self, to: &mut Buffer<T, OpenCl>, staging: &mut [T]) -> Result<Staged> {
        self.memory.finish_uses(Api::Hip)?;
        to.memory.finish_uses(Api::OpenCl)?;
        through(self, to, staging)
    }
}

/// Each end by the API that made its memory. No work uses either.
fn through<T: Pod, A, B>(from: &Buffer<T, A>, to: &Buffer<T, B>, staging: &mut [T]) -> Result<Staged> {
    if to.len() < from.len() {
        let reason = format!("has {} elements, but {} are to be copied to it", to.len(), from.len());
        return Err(Error::Argument { subject: "to", reason });
    }
    if staging.is_empty() {
        let reason = "is empty; a piece of 1 to 32 MiB is a good size".to_owned();
        return Err(Error::Argument { subject: "staging", reason });
    }
    let crosses = |place| u64::from(place != Place::Host);
    let (down, up) = (crosses(from.residency().place), crosses(to.residency().place));
    let mut staged = Staged::default();
    for start in (0..from.len()).step_by(staging.len()) {
        let length = usize::min(from.len() - start, staging.len());
        let piece = &mut staging[..length];
        let offset = start * size_of::<T>();
        let piece: &mut [u8] = bytemuck::cast_slice_mut(piece);
        // SAFETY: both buffers have the piece there; the copies are done when they return.
        unsafe {
            from.memory.copy_on(None, HostCopy::down(offset, piece))?;
            to.memory.copy_on(None, HostCopy::up(offset, piece))?;
        }
        staged.down += down * piece.len() as u64;
        staged.up += up * piece.len() as u64;
    }
    Ok(staged)
}
