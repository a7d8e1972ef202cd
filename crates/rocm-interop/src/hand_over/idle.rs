//! Buffers that no work uses.

use crate::hand_over::Shared;
use crate::hand_over::sealed::Waited;
use crate::{Hip, OpenCl};

/// Buffers that no work uses, neither OpenCL's nor HIP's. Comes from [`Buffer::into_idle`](crate::Buffer::into_idle)
/// and [`Shared::into_idle`], which wait for the work before.
///
/// Work on other queues and streams, and of others who have the address or a dma-buf, is not waited for. Whoever
/// enqueues such work while the buffers are idle waits for it too.
///
/// Nobody has the turn, so nothing can be launched on them. Either side gets the turn without another wait, also where
/// others have the session's queue or stream ([`Session::queue`](crate::Session::queue)), for whose work a hand-over
/// would wait. A runtime on top of this crate passes them between its own threads, and knows that they may be reused or
/// freed.
///
/// ```
/// use rocm_interop::{Buffer, Error, Hip, OpenCl};
/// use rocm_interop::hand_over::Idle;
///
/// /// A stage of OpenCL's ends in one thread; a stage of HIP's begins in another.
/// fn end(batch: Buffer<f32, OpenCl>) -> Result<Idle<Buffer<f32, OpenCl>>, Error> {
///     Ok(batch.into_idle()?) // waits for OpenCL
/// }
/// fn begin(batch: Idle<Buffer<f32, OpenCl>>) -> Buffer<f32, Hip> {
///     batch.into_hip().into_inner() // waits for nothing
/// }
/// ```
/// ```compile_fail,E0277
/// # use rocm_interop::{Buffer, OpenCl, Result};
/// # use rocm_interop::hand_over::Idle;
/// # use rocm_interop::opencl::OpenClKernel;
/// fn launch(batch: &Idle<Buffer<f32, OpenCl>>, kernel: &OpenClKernel) -> Result<()> {
///     unsafe { kernel.launch(&[64], None, &[batch.into()]) } // nobody has the turn
/// }
/// ```
#[derive(Debug)]
#[must_use = "dropping it frees the buffers"]
pub struct Idle<V>(V);

impl<V> Idle<V> {
    /// Of what was waited for.
    pub(super) fn new(value: V, _: Waited) -> Idle<V> {
        Idle(value)
    }

    /// The buffers, whose turn is the side's that had it before.
    pub fn into_inner(self) -> V {
        self.0
    }

    /// The same on HIP's side. Waits for nothing.
    pub fn into_hip(self) -> Idle<V::On<Hip>>
    where
        V: Shared<OpenCl>,
    {
        Idle(self.0.turn::<Hip>(Waited(())))
    }

    /// The same on OpenCL's side. Waits for nothing.
    pub fn into_opencl(self) -> Idle<V::On<OpenCl>>
    where
        V: Shared<Hip>,
    {
        Idle(self.0.turn::<OpenCl>(Waited(())))
    }
}
