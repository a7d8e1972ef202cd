//! A buffer whose turn passes between two processes.

use std::ops::{Deref, DerefMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use bytemuck::Pod;
use dmabuf_channel::{Channel, DmaBuf};

use crate::{Buffer, Error, Refused, Result, Turn};

/// A buffer of two processes, in this one's turn: a [`Buffer`] to use as any other, until [`give`](Held::give) passes
/// it on.
///
/// One process makes it of a buffer by [`offer`](Held::offer), the other one maps the same bytes by [`Away::accept`].
/// Each has its own end of one Unix socket, which is for this buffer alone: the memory's descriptor goes over it, then
/// a message for each hand-over. Two pipes, made by `offer`, say whether the other process is still there.
///
/// ```no_run
/// # use std::{os::unix::net::UnixStream, time::Duration};
/// # use rocm_interop::{Buffer, OpenCl, Result, Session};
/// # use rocm_interop::share::{Away, Held};
/// const LIMIT: Duration = Duration::from_secs(10);
///
/// fn one(session: &Session, socket: UnixStream) -> Result<()> {
///     let mut mine = Held::offer(session.allocate::<u32>(1 << 20)?, socket)?;
///     mine.write(&[7; 1 << 20])?;
///     let theirs = mine.give()?; // waits for OpenCL
///     let mine = theirs.take(LIMIT)?; // waits for the other process
///     mine.read(&mut [0; 1 << 20])
/// }
///
/// fn other(session: &Session, socket: UnixStream) -> Result<()> {
///     let theirs = Away::accept(socket, LIMIT, |memory| session.import::<u32>(memory))?;
///     let on_hip = theirs.take(LIMIT)?.with(Buffer::into_hip)?;
///     // Kernels of HIP's get `(&*on_hip).into()`.
///     on_hip.give()?; // waits for HIP
///     Ok(())
/// }
/// ```
///
/// # What the other process can do
/// Whoever has the memory's descriptor can read and write all of the bytes at any time: turns are kept by both
/// programs, not by the GPU. So give them to programs that you trust with the contents. Nothing else of this process
/// depends on what the other one sends: a message that is not the next one is an error, and every wait has its time
/// limit.
///
/// # When a process ends
/// Either may be killed at any moment. The other one's [`take`](Away::take) or [`give`](Held::give) says
/// [`Error::Channel`] with [`PeerGone`](crate::share::ChannelError::PeerGone) then, and `reclaim` gives it the buffer.
/// A socket that was shut down by a process that goes on is [`Error::Channel`] with
/// [`Socket`](crate::share::ChannelError::Socket), told within a second. Dropping either type does the same to the
/// other process: this one's work is waited for, then the socket is closed. A child of `fork` that does not `exec`
/// keeps the socket open.
#[derive(Debug)]
pub struct Held<T: Pod, Side> {
    // Dropped in this order: the other process is told when this one's work has ended.
    buffer: Buffer<T, Side>,
    channel: Channel,
    at: u64,
}

/// A buffer of two processes, in the other one's turn. It cannot be used here until [`take`](Away::take) gives the turn
/// back.
///
/// An event loop may wait for its descriptor to be readable, and call `take` with no time then.
///
/// ```compile_fail,E0599
/// # use rocm_interop::{OpenCl, Result};
/// # use rocm_interop::share::Away;
/// fn read(theirs: &Away<u32, OpenCl>) -> Result<()> {
///     theirs.read(&mut [0]) // it is not this process's turn
/// }
/// ```
/// ```compile_fail,E0382
/// # use rocm_interop::{OpenCl, Result};
/// # use rocm_interop::share::Held;
/// fn write(mut mine: Held<u32, OpenCl>) -> Result<()> {
///     let _theirs = mine.give()?;
///     mine.write(&[0]) // moved
/// }
/// ```
#[derive(Debug)]
pub struct Away<T: Pod, Side> {
    buffer: Buffer<T, Side>,
    channel: Channel,
    at: u64,
}

impl<T: Pod, Side> Held<T, Side> {
    /// Sends the memory of a buffer to the process at the other end of a connected Unix socket (a stream, or
    /// `SOCK_SEQPACKET`), which calls [`Away::accept`]. The turn stays here until [`give`](Held::give).
    ///
    /// # Errors
    /// As [`Buffer::export`], which wants more than 2 MiB, and [`Error::Channel`] with
    /// [`Socket`](crate::share::ChannelError::Socket), with the buffer: nothing is waited for if the socket is full.
    /// The socket is closed then.
    pub fn offer(
        buffer: Buffer<T, Side>,
        socket: impl Into<OwnedFd>,
    ) -> Result<Held<T, Side>, Refused<Buffer<T, Side>>> {
        match buffer.export().and_then(|memory| Ok(Channel::offer(socket, &memory)?)) {
            Ok(channel) => Ok(Held::of(buffer, channel)),
            Err(error) => Err(Refused::new(error, buffer)),
        }
    }

    fn of(buffer: Buffer<T, Side>, channel: Channel) -> Self {
        let at = buffer.memory.address();
        Held { buffer, channel, at }
    }

    /// Does with the buffer what takes and gives it by value, within this process: hands it to the other API, uploads,
    /// sees its elements as others.
    ///
    /// ```
    /// # use rocm_interop::{Buffer, Hip, OpenCl, Result};
    /// # use rocm_interop::share::Held;
    /// fn on_hip(mine: Held<u8, OpenCl>) -> Result<Held<u32, Hip>> {
    ///     Ok(mine.with(Buffer::cast::<u32>)?.with(Buffer::into_hip)?)
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of `step`, with the buffer as `step` gave it back.
    pub fn with<U: Pod, Other>(
        self,
        step: impl FnOnce(Buffer<T, Side>) -> Result<Buffer<U, Other>, Refused<Buffer<T, Side>>>,
    ) -> Result<Held<U, Other>, Refused<Held<T, Side>>> {
        let Held { buffer, channel, at } = self;
        match step(buffer) {
            Ok(buffer) => Ok(Held { buffer, channel, at }),
            Err(refused) => {
                let (error, buffer) = refused.into_parts();
                Err(Refused::new(error, Held { buffer, channel, at }))
            }
        }
    }

    /// Gives the turn to the other process, when the session's work that may use the buffer has ended: its OpenCL or
    /// HIP work, whichever has it.
    ///
    /// # Errors
    /// [`Error::Channel`] with [`PeerGone`](crate::share::ChannelError::PeerGone) if nobody would take it;
    /// [`Error::Failed`], [`Error::TimedOut`], [`Error::StillRunning`] of the work; [`Error::Argument`] if the buffer
    /// was swapped for another one; [`Error::Channel`] with [`Socket`](crate::share::ChannelError::Socket),
    /// [`Error::Call`]. With the turn, which is still this process's.
    pub fn give(mut self) -> Result<Away<T, Side>, Refused<Self>>
    where
        Side: Turn,
    {
        let ready = self.check().and_then(|()| self.buffer.memory.finish_uses(Side::API));
        if let Err(error) = ready.and_then(|()| Ok(self.channel.give()?)) {
            return Err(Refused::new(error, self));
        }
        let Held { buffer, channel, at } = self;
        Ok(Away { buffer, channel, at })
    }

    /// `DerefMut` lets a program put another buffer here.
    fn check(&self) -> Result<()> {
        if self.buffer.memory.address() == self.at {
            return Ok(());
        }
        let reason = "is another one than the other process has".to_owned();
        Err(Error::Argument { subject: "buffer", reason })
    }

    /// The buffer alone, once the other process is gone.
    ///
    /// # Errors
    /// [`Error::Argument`] while it is there, with the turn.
    pub fn reclaim(self) -> Result<Buffer<T, Side>, Refused<Self>> {
        match nobody_at(&self.channel) {
            Ok(()) => Ok(self.buffer),
            Err(error) => Err(Refused::new(error, self)),
        }
    }
}

impl<T: Pod, Side> Away<T, Side> {
    /// Takes the memory that the other process [offers](Held::offer) over a connected Unix socket, and maps it by
    /// `import`: [`Session::import`](crate::Session::import) or [`import_hip`](crate::Session::import_hip). The
    /// descriptor is held until that has returned. The first turn is the other process's.
    ///
    /// `limit` is for the descriptor to come. Import nothing else: turns are of what `import` returns.
    ///
    /// # Errors
    /// [`Error::Channel`] with [`NotYet`](crate::share::ChannelError::NotYet) if it does not come in time;
    /// [`Error::Channel`] with [`Socket`](crate::share::ChannelError::Socket): `UnexpectedEof` if the other process is
    /// gone, `InvalidData` if it sent something else; those of `import`. The socket is closed then, which tells the
    /// other process.
    pub fn accept(
        socket: impl Into<OwnedFd>,
        limit: Duration,
        import: impl FnOnce(&DmaBuf) -> Result<Buffer<T, Side>>,
    ) -> Result<Away<T, Side>> {
        let (channel, memory) = Channel::accept(socket, limit)?;
        let buffer = import(&memory)?;
        let at = buffer.memory.address();
        Ok(Away { buffer, channel, at })
    }

    /// Waits until the other process gives the turn, for `limit` at most.
    ///
    /// # Errors
    /// With what is still the other process's: [`Error::Channel`] with [`NotYet`](crate::share::ChannelError::NotYet)
    /// if the time is over, after which it may be waited for once more; [`Error::Channel`] with
    /// [`PeerGone`](crate::share::ChannelError::PeerGone) if the other process ended without giving it;
    /// [`Error::Channel`] with [`Socket`](crate::share::ChannelError::Socket) if it sent something else, or the message
    /// of an old turn, after which there is no other turn.
    pub fn take(mut self, limit: Duration) -> Result<Held<T, Side>, Refused<Self>> {
        match self.channel.take(limit) {
            Ok(()) => {
                let Away { buffer, channel, at } = self;
                Ok(Held { buffer, channel, at })
            }
            Err(error) => Err(Refused::new(error.into(), self)),
        }
    }

    /// The buffer alone, once the other process is gone. What is in it is what that process left, half of a result if
    /// it was killed.
    ///
    /// Work of that process may still write for a moment: Linux's driver stops the queues of a process that was killed
    /// in a thread of its own (`kfd_process_wq_release`), maybe after its sockets were closed. The same is true if it
    /// gave up waiting for its work. Who has no use for the contents drops this, and allocates another buffer.
    ///
    /// # Errors
    /// [`Error::Argument`] while it is there.
    pub fn reclaim(self) -> Result<Buffer<T, Side>, Refused<Self>> {
        match nobody_at(&self.channel) {
            Ok(()) => Ok(self.buffer),
            Err(error) => Err(Refused::new(error, self)),
        }
    }
}

fn nobody_at(channel: &Channel) -> Result<()> {
    if channel.is_gone()? {
        return Ok(());
    }
    let reason = "is the other process's too, which has not gone".to_owned();
    Err(Error::Argument { subject: "buffer", reason })
}

impl<T: Pod, Side> Deref for Held<T, Side> {
    type Target = Buffer<T, Side>;

    fn deref(&self) -> &Buffer<T, Side> {
        &self.buffer
    }
}

impl<T: Pod, Side> DerefMut for Held<T, Side> {
    fn deref_mut(&mut self) -> &mut Buffer<T, Side> {
        &mut self.buffer
    }
}

impl<T: Pod, Side> AsFd for Away<T, Side> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}
