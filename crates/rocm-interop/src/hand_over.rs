//! How the turn passes from one API to the other.

pub(crate) mod data;
mod flag;
mod pending;
mod raw;
mod transfer;

use std::sync::Arc;

use bytemuck::Pod;
use sealed::{Memories, Waited};

use crate::memory::Memory;
use crate::session::event::Event;
use crate::session::times::HAND_OVER;
use crate::session::undelivered::Addresses;
use crate::{Api, Buffer, Error, Hip, OpenCl, Refused, Result, Session};
pub use data::HostData;
pub use flag::Flags;
pub use pending::{Pending, WhenReady};
pub use raw::RawHip;
pub use transfer::Transfer;

impl<T: Pod> Buffer<T, OpenCl> {
    /// Hands the buffer to HIP: waits until OpenCL's work on the session's queue is done that was given the buffer, or may have been (as of [`upload`](Buffer::upload)). Kernels on other buffers that were
    /// launched later do not hold it up. Work on other queues is not waited for.
    ///
    /// If there is no such work, nothing is called; see [`Session::queue`] for who may enqueue.
    ///
    /// # Errors
    /// [`Error::Failed`] if work with this buffer failed, [`Error::TimedOut`] if some ran too early, [`Error::Call`]; with the buffer, which is still
    /// OpenCL's.
    pub fn into_hip(self) -> Result<Buffer<T, Hip>, Refused<Self>> {
        match hand_over(&self.memory, Api::OpenCl) {
            Ok(()) => Ok(self.turned()),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// Begins to hand the buffer to HIP, after OpenCL's work that [`into_hip`](Buffer::into_hip) would wait for now; waits for nothing.
    ///
    /// # Errors
    /// [`Error::Call`], with the buffer, which is still OpenCL's.
    pub fn into_hip_later(self) -> Result<Pending<Buffer<T, Hip>>, Refused<Self>> {
        to_hip(self)
    }
}

impl<T: Pod> Buffer<T, Hip> {
    /// Hands the buffer to OpenCL: if work of HIP's on the session's stream was given the buffer, or may have been, and was not waited for, waits for all that is in the stream, as HIP has no event for each kernel; else
    /// nothing is called. Work on other streams is not waited for.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if some of that work ran too early, [`Error::Failed`] if OpenCL's before a flag failed, [`Error::Call`]; with the buffer, which
    /// is still HIP's.
    pub fn into_opencl(self) -> Result<Buffer<T, OpenCl>, Refused<Self>> {
        match hand_over(&self.memory, Api::Hip) {
            Ok(()) => Ok(self.turned()),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// Begins to hand the buffer to OpenCL, after HIP's work that [`into_opencl`](Buffer::into_opencl) would wait for now; waits for nothing.
    ///
    /// # Errors
    /// [`Error::Call`], with the buffer, which is still HIP's.
    pub fn into_opencl_later(self) -> Result<Pending<Buffer<T, OpenCl>>, Refused<Self>> {
        to_opencl(self)
    }
}

fn hand_over(memory: &Memory, side: Api) -> Result<()> {
    memory.core().waiting(HAND_OVER, side, || memory.end_turn(side))
}

/// Behind OpenCL's work that may use it.
pub(crate) fn behind_opencl<V: Shared<OpenCl>>(value: &V) -> Result<Event> {
    let (session, memory) = (value.session()?, value.memory());
    let end = memory.iter().map(|memory| memory.unused_from()).max().unwrap_or(0);
    Event::in_queue(&session.0, end, addresses(&memory))
}

/// Behind HIP's work, if some may use it. Its turn ends with that.
fn behind_hip<V: Shared<Hip>>(value: &V) -> Result<Event> {
    let (session, memory) = (value.session()?, value.memory());
    // What a library launched is not counted, and comes before this.
    let last = memory.iter().any(|memory| memory.may_be_used_in_stream()).then(|| session.0.in_stream.launched());
    let event = Event::in_stream(&session.0, last, addresses(&memory))?;
    memory.iter().for_each(|memory| memory.unused_in_stream_behind(last.unwrap_or(0)));
    Ok(event)
}

fn addresses(memory: &[&Memory]) -> Addresses {
    memory.iter().map(|memory| memory.address()).collect()
}

pub(crate) fn to_hip<V: Shared<OpenCl>>(value: V) -> Result<Pending<V::On<Hip>>, Refused<V>> {
    match behind_opencl(&value) {
        Ok(event) => Ok(Pending::new(event, value.turn(Waited(())))),
        Err(error) => Err(Refused::new(error, value)),
    }
}

pub(crate) fn to_opencl<V: Shared<Hip>>(value: V) -> Result<Pending<V::On<OpenCl>>, Refused<V>> {
    match behind_hip(&value) {
        Ok(event) => Ok(Pending::new(event, value.turn(Waited(())))),
        Err(error) => Err(Refused::new(error, value)),
    }
}

/// What is handed over as one: a [`Buffer`], or a pair of such whose turn is the same `Side`'s. Nothing else implements it.
///
/// ```compile_fail,E0277
/// # use rocm_interop::{Buffer, Hip, OpenCl, Shared};
/// fn one_side<Side, V: Shared<Side>>(_: V) {}
/// fn two_sides(a: Buffer<f32, OpenCl>, b: Buffer<f32, Hip>) {
///     one_side::<OpenCl, _>((a, b));
/// }
/// ```
pub trait Shared<Side>: Sized + sealed::Sealed<Side> {
    /// The same on another side.
    type On<Other>: Shared<Other>;

    /// Passes the turn on.
    #[doc(hidden)]
    fn turn<Other>(self, _: sealed::Waited) -> Self::On<Other>;
}

pub(crate) mod sealed {
    use smallvec::SmallVec;

    use crate::memory::Memory;
    use crate::{Result, Session};

    /// Of all that is handed over as one.
    pub type Memories<'v> = SmallVec<[&'v Memory; 2]>;

    pub trait Sealed<Side> {
        /// The one whose queue and stream are waited for.
        fn session(&self) -> Result<Session>;

        /// What its buffers are views of.
        fn memory(&self) -> Memories<'_>;

        /// The same, taken from it.
        fn into_memory(self, to: &mut Vec<Memory>);
    }

    /// Made by what waits, or has somebody else wait, and by nobody outside of this crate: the methods of a public trait are everybody's to call.
    #[derive(Debug)]
    pub struct Waited(pub(crate) ());
}

impl<T: Pod, Side> sealed::Sealed<Side> for Buffer<T, Side> {
    fn session(&self) -> Result<Session> {
        Ok(Session(Arc::clone(self.memory.core())))
    }

    fn memory(&self) -> Memories<'_> {
        Memories::from_slice(&[&self.memory])
    }

    fn into_memory(self, to: &mut Vec<Memory>) {
        to.push(self.memory);
    }
}

impl<T: Pod, Side> Shared<Side> for Buffer<T, Side> {
    type On<Other> = Buffer<T, Other>;

    fn turn<Other>(self, _: Waited) -> Buffer<T, Other> {
        self.turned()
    }
}

impl<Side, A: Shared<Side>, B: Shared<Side>> sealed::Sealed<Side> for (A, B) {
    fn session(&self) -> Result<Session> {
        let (one, other) = (self.0.session()?, self.1.session()?);
        if Arc::ptr_eq(&one.0, &other.0) {
            return Ok(one);
        }
        let reason =
            "are of two sessions, but a hand-over waits for one queue or stream: make both with one session".to_owned();
        Err(Error::Argument { subject: "buffers", reason })
    }

    fn memory(&self) -> Memories<'_> {
        self.0.memory().into_iter().chain(self.1.memory()).collect()
    }

    fn into_memory(self, to: &mut Vec<Memory>) {
        self.0.into_memory(to);
        self.1.into_memory(to);
    }
}

impl<Side, A: Shared<Side>, B: Shared<Side>> Shared<Side> for (A, B) {
    type On<Other> = (A::On<Other>, B::On<Other>);

    fn turn<Other>(self, _: Waited) -> Self::On<Other> {
        (self.0.turn(Waited(())), self.1.turn(Waited(())))
    }
}
