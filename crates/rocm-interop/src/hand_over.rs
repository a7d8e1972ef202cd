//! How the turn passes from one API to the other without blocking the thread, and for several buffers at once.
//!
//! | you want | start at |
//! |---|---|
//! | to wait later, with a limit, or by `.await` | [`HandOver`], of [`Buffer::into_hip_later`](Buffer#method.into_hip_later) |
//! | the GPU to wait, so that the host never does | [`Flags`] |
//! | several buffers handed over as one | [`Shared`], for tuples, arrays and `Vec`s |
//! | to know that no work uses a buffer | [`Idle`] |

pub(crate) mod data;
mod flag;
mod idle;
mod pending;
pub(crate) mod raw;
pub(crate) mod transfer;

use std::sync::Arc;

use bytemuck::Pod;
use sealed::{Allocations, Waited};

use crate::allocation::Allocation;
use crate::buffer::Turn;
use crate::error::Api;
use crate::session::event::Event;
use crate::session::failures::Addresses;
use crate::session::times::HAND_OVER;
use crate::{Buffer, Error, Hip, OpenCl, Refused, Result, Session};
pub use flag::Flags;
pub use idle::Idle;
pub use pending::{HandOver, WhenReady};

impl<T: Pod> Buffer<T, OpenCl> {
    /// Hands the buffer to HIP: waits until OpenCL's work on the session's queue is done that was given the buffer, or
    /// may have been (as of [`upload`](Buffer::upload)). Kernels on other buffers that were launched later do not hold
    /// it up. Work on other queues is not waited for.
    ///
    /// If there is no such work, nothing is called; see [`Session::queue`] for who may enqueue.
    ///
    /// # Errors
    /// [`Error::Failed`] if work with this buffer failed, [`Error::TimedOut`] if some ran too early, [`Error::Call`];
    /// with the buffer, which is still OpenCL's.
    pub fn into_hip(self) -> Result<Buffer<T, Hip>, Refused<Self>> {
        Shared::into_hip(self)
    }

    /// Begins to hand the buffer to HIP, after OpenCL's work that [`into_hip`](Buffer::into_hip) would wait for now;
    /// waits for nothing.
    ///
    /// # Errors
    /// [`Error::Call`], with the buffer, which is still OpenCL's.
    pub fn into_hip_later(self) -> Result<HandOver<Buffer<T, Hip>>, Refused<Self>> {
        to_hip(self)
    }
}

impl<T: Pod> Buffer<T, Hip> {
    /// Hands the buffer to OpenCL: if work of HIP's on the session's stream was given the buffer, or may have been, and
    /// was not waited for, waits for all that is in the stream, as HIP has no event for each kernel; else nothing is
    /// called. Work on other streams is not waited for.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if some of that work ran too early, [`Error::Failed`] if OpenCL's before a flag failed,
    /// [`Error::Call`]; with the buffer, which is still HIP's.
    pub fn into_opencl(self) -> Result<Buffer<T, OpenCl>, Refused<Self>> {
        Shared::into_opencl(self)
    }

    /// Begins to hand the buffer to OpenCL, after HIP's work that [`into_opencl`](Buffer::into_opencl) would wait for
    /// now; waits for nothing.
    ///
    /// # Errors
    /// [`Error::Call`], with the buffer, which is still HIP's.
    pub fn into_opencl_later(self) -> Result<HandOver<Buffer<T, OpenCl>>, Refused<Self>> {
        to_opencl(self)
    }
}

impl<T: Pod, Side: Turn> Buffer<T, Side> {
    /// Waits for the work of the side that has the turn, as a hand-over does, and keeps the turn from both: see
    /// [`Idle`].
    ///
    /// # Errors
    /// As of [`into_hip`](Buffer::into_hip) or [`into_opencl`](Buffer::into_opencl), with the buffer. [`Error::Failed`]
    /// and [`Error::TimedOut`] are told once: a second call waits for what still runs, and succeeds.
    pub fn into_idle(self) -> Result<Idle<Self>, Refused<Self>> {
        Shared::into_idle(self)
    }
}

/// Waits for the work of all of them; at the first failure the others keep theirs for who asks next.
fn hand_over<Side, V: Shared<Side>>(value: &V, side: Api) -> Result<()> {
    let memory = value.memory();
    // Of none, there is nothing to wait for.
    if memory.is_empty() {
        return Ok(());
    }
    value.session()?.0.waiting(HAND_OVER, side, || memory.iter().try_for_each(|memory| memory.end_turn(side)))
}

/// Behind OpenCL's work that may use it.
fn behind_opencl<Side, V: Shared<Side>>(value: &V) -> Result<Event> {
    let (session, memory) = (value.session()?, value.memory());
    let end = memory.iter().map(|memory| memory.unused_from()).max().unwrap_or(0);
    Event::in_queue(&session.0, end, addresses(&memory))
}

/// Behind HIP's work, if some may use it, with the number of the last.
fn behind_hip<Side, V: Shared<Side>>(value: &V) -> Result<(Event, u64)> {
    let (session, memory) = (value.session()?, value.memory());
    // What a library launched is not counted, and comes before this.
    let last = memory.iter().any(|memory| memory.may_be_used_in_stream()).then(|| session.0.in_stream.launched());
    Ok((Event::in_stream(&session.0, last, addresses(&memory))?, last.unwrap_or(0)))
}

/// HIP's turn has ended behind its work of this number.
fn end_hips_turn<Side, V: Shared<Side>>(value: &V, last: u64) {
    value.memory().iter().for_each(|memory| memory.unused_in_stream_behind(last));
}

fn addresses(memory: &[&Allocation]) -> Addresses {
    memory.iter().map(|memory| memory.address()).collect()
}

fn to_hip<V: Shared<OpenCl>>(value: V) -> Result<HandOver<V::On<Hip>>, Refused<V>> {
    match behind_opencl::<OpenCl, _>(&value) {
        Ok(event) => Ok(HandOver::new(event, value.turn(Waited(())))),
        Err(error) => Err(Refused::new(error, value)),
    }
}

fn to_opencl<V: Shared<Hip>>(value: V) -> Result<HandOver<V::On<OpenCl>>, Refused<V>> {
    match behind_hip::<Hip, _>(&value) {
        Ok((event, last)) => {
            end_hips_turn::<Hip, _>(&value, last);
            Ok(HandOver::new(event, value.turn(Waited(()))))
        }
        Err(error) => Err(Refused::new(error, value)),
    }
}

/// What is handed over as one: a [`Buffer`]; or a tuple of two to four of such, an array or a `Vec` of them, whose turn
/// is the same `Side`'s and which are of one session. Nothing else implements it.
///
/// The turn of all passes, or of none: if a hand-over fails, all buffers are in its [`Refused`], and it is still the
/// turn of the side that had them.
/// ```
/// # use rocm_interop::{Buffer, Hip, OpenCl, Result};
/// # use rocm_interop::hand_over::Shared;
/// type Weights<Side> = (Buffer<f32, Side>, Buffer<u32, Side>, [Buffer<u8, Side>; 2]);
///
/// fn there_and_back(weights: Weights<OpenCl>, work: impl Fn(&Weights<Hip>) -> Result<()>) -> Result<Weights<OpenCl>> {
///     let weights = weights.into_hip()?;
///     work(&weights)?;
///     Ok(weights.into_opencl()?)
/// }
/// ```
/// Not of two sides:
/// ```compile_fail,E0277
/// # use rocm_interop::{Buffer, Hip, OpenCl};
/// # use rocm_interop::hand_over::Shared;
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

    /// [`Buffer::into_hip`] of all.
    ///
    /// # Errors
    /// As of that, of the first that failed, and [`Error::Argument`] if they are of several sessions; with all of them,
    /// which are still OpenCL's. The failures of the others are told by the next call that waits for them.
    fn into_hip(self) -> Result<<Self as Shared<OpenCl>>::On<Hip>, Refused<Self>>
    where
        Self: Shared<OpenCl>,
    {
        match hand_over::<OpenCl, _>(&self, Api::OpenCl) {
            Ok(()) => Ok(<Self as Shared<OpenCl>>::turn(self, sealed::Waited(()))),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// [`Buffer::into_opencl`] of all.
    ///
    /// # Errors
    /// As of that, and as of [`into_hip`](Shared::into_hip); with all of them, which are still HIP's.
    fn into_opencl(self) -> Result<<Self as Shared<Hip>>::On<OpenCl>, Refused<Self>>
    where
        Self: Shared<Hip>,
    {
        match hand_over::<Hip, _>(&self, Api::Hip) {
            Ok(()) => Ok(<Self as Shared<Hip>>::turn(self, sealed::Waited(()))),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// [`Buffer::into_idle`] of all: waits behind the work of each.
    ///
    /// # Errors
    /// As of that; [`Error::Argument`] if they are of several sessions, or none; with all of them.
    fn into_idle(self) -> Result<Idle<Self>, Refused<Self>>
    where
        Side: Turn,
    {
        let ended = match Side::API {
            Api::Hip => behind_hip::<Side, _>(&self).and_then(|(mut event, last)| {
                event.wait()?;
                end_hips_turn::<Side, _>(&self, last);
                Ok(())
            }),
            _ => behind_opencl::<Side, _>(&self).and_then(|mut event| event.wait()),
        };
        let ended = ended.and_then(|()| self.memory().iter().try_for_each(|memory| memory.finish_overtaken(Side::API)));
        match ended {
            Ok(()) => Ok(Idle::new(self, sealed::Waited(()))),
            Err(error) => Err(Refused::new(error, self)),
        }
    }

    /// [`Buffer::into_hip_later`] of all: one hand-over that is under way, behind the work of each.
    ///
    /// # Errors
    /// [`Error::Call`]; [`Error::Argument`] if they are of several sessions, or none; with all of them.
    fn into_hip_later(self) -> Result<HandOver<<Self as Shared<OpenCl>>::On<Hip>>, Refused<Self>>
    where
        Self: Shared<OpenCl>,
    {
        to_hip(self)
    }

    /// [`Buffer::into_opencl_later`] of all.
    ///
    /// # Errors
    /// As of [`into_hip_later`](Shared::into_hip_later).
    fn into_opencl_later(self) -> Result<HandOver<<Self as Shared<Hip>>::On<OpenCl>>, Refused<Self>>
    where
        Self: Shared<Hip>,
    {
        to_opencl(self)
    }
}

pub(crate) mod sealed {
    use smallvec::SmallVec;

    use crate::allocation::Allocation;
    use crate::{Result, Session};

    /// Of all that is handed over as one.
    pub type Allocations<'v> = SmallVec<[&'v Allocation; 2]>;

    pub trait Sealed<Side> {
        /// The one whose queue and stream are waited for.
        fn session(&self) -> Result<Session>;

        /// What its buffers are views of.
        fn memory(&self) -> Allocations<'_>;

        /// The same, taken from it.
        fn into_memory(self, to: &mut Vec<Allocation>);
    }

    /// Made by what waits, or has somebody else wait, and by nobody outside of this crate: the methods of a public
    /// trait are everybody's to call.
    #[derive(Debug)]
    pub struct Waited(pub(crate) ());
}

impl<T: Pod, Side> sealed::Sealed<Side> for Buffer<T, Side> {
    fn session(&self) -> Result<Session> {
        Ok(Session(Arc::clone(self.memory.core())))
    }

    fn memory(&self) -> Allocations<'_> {
        Allocations::from_slice(&[&self.memory])
    }

    fn into_memory(self, to: &mut Vec<Allocation>) {
        to.push(self.memory);
    }
}

impl<T: Pod, Side> Shared<Side> for Buffer<T, Side> {
    type On<Other> = Buffer<T, Other>;

    fn turn<Other>(self, _: Waited) -> Buffer<T, Other> {
        self.turned()
    }
}

/// The one session of several values.
fn one(sessions: impl IntoIterator<Item = Result<Session>>) -> Result<Session> {
    let refuse = |reason: &str| Error::Argument { subject: "buffers", reason: reason.to_owned() };
    let mut sessions = sessions.into_iter();
    let one = sessions.next().unwrap_or_else(|| Err(refuse("are none, so that there is nothing to wait for")))?;
    for other in sessions {
        if !Arc::ptr_eq(&one.0, &other?.0) {
            return Err(refuse(
                "are of two sessions, but a hand-over waits for one queue or stream: make both with one session",
            ));
        }
    }
    Ok(one)
}

macro_rules! tuples { ($(($($value:ident $at:tt),+))*) => { $(
    impl<Side, $($value: Shared<Side>),+> sealed::Sealed<Side> for ($($value,)+) {
        fn session(&self) -> Result<Session> {
            one([$(self.$at.session()),+])
        }

        fn memory(&self) -> Allocations<'_> {
            let mut all = Allocations::new();
            $(all.extend(self.$at.memory());)+
            all
        }

        fn into_memory(self, to: &mut Vec<Allocation>) {
            $(self.$at.into_memory(to);)+
        }
    }

    impl<Side, $($value: Shared<Side>),+> Shared<Side> for ($($value,)+) {
        type On<Other> = ($($value::On<Other>,)+);

        fn turn<Other>(self, _: Waited) -> Self::On<Other> {
            ($(self.$at.turn(Waited(())),)+)
        }
    }
)* } }
tuples! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }

macro_rules! sequence { ([$($length:tt)*] $values:ty) => {
    impl<Side, V: Shared<Side>, $($length)*> sealed::Sealed<Side> for $values {
        fn session(&self) -> Result<Session> {
            one(self.iter().map(|value| value.session()))
        }

        fn memory(&self) -> Allocations<'_> {
            self.iter().flat_map(|value| value.memory()).collect()
        }

        fn into_memory(self, to: &mut Vec<Allocation>) {
            self.into_iter().for_each(|value| value.into_memory(to));
        }
    }
} }
sequence!([const N: usize] [V; N]);
sequence!([] Vec<V>);

impl<Side, V: Shared<Side>, const N: usize> Shared<Side> for [V; N] {
    type On<Other> = [V::On<Other>; N];

    fn turn<Other>(self, _: Waited) -> Self::On<Other> {
        self.map(|value| value.turn(Waited(())))
    }
}

impl<Side, V: Shared<Side>> Shared<Side> for Vec<V> {
    type On<Other> = Vec<V::On<Other>>;

    fn turn<Other>(self, _: Waited) -> Self::On<Other> {
        self.into_iter().map(|value| value.turn(Waited(()))).collect()
    }
}
