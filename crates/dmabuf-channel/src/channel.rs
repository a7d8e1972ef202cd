//! Whose turn it is, between two processes: one message on a Unix socket for each hand-over, and a pipe in each
//! direction that tells whether the other process is there.
//!
//! The kernel queues a message whole or not at all. So a process that is killed leaves no half-written state, and what
//! it had sent before still arrives. No memory of both processes holds the turn, so the other process cannot change it
//! while it is read.
//!
//! A socket that was shut down looks like one whose other end is closed. A pipe does not: its reader hears that no
//! writer is left when the last descriptor of the writing end is closed.

#[cfg(test)]
pub(crate) mod killed;

use std::io::{Error as IoError, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::descriptor::{self, Descriptor};
use crate::dmabuf::Magic;
use crate::socket::{broken, is_over, torn, wait};
use crate::{DmaBuf, Error, Result};

/// Begins the message with the memory. Its descriptors: the memory; the pipe by which the other process sees this one's
/// end; the pipe whose other end this process has.
const OFFER: Magic = *b"offer\0\0\x01";
/// Begins each message of a turn, so that other data is not taken for one.
const MAGIC: Magic = *b"turn\0\0\0\x01";
/// The magic number, and which hand-over it is, little endian.
const MESSAGE: usize = 16;
/// A process that ends closes its descriptors one after the other: how long the end of its pipe is waited for, once its
/// socket is closed.
const ENDING: Duration = Duration::from_secs(1);

/// One end of a channel between two processes that use one memory in turn.
///
/// The process that [offers](Channel::offer) the memory has the first turn. Then each gives the turn and takes it back.
/// A process that calls [`give`](Channel::give) twice in a row makes the other one's `take` fail later, as messages are
/// numbered; a wrapper can let types say whose turn it is, as `Held` and `Away` of `rocm-interop` do.
///
/// Its descriptor is readable when there is a message to [`take`](Channel::take), so that an event loop can wait for
/// it. Dropping a channel tells the other process that this one is gone. Close your copy of the other end: an end of
/// which a process has a copy never closes. A child of `fork` that does not `exec` keeps such copies.
#[derive(Debug)]
pub struct Channel {
    /// The writing end of a pipe whose other end the other process has. First, so that it is closed before the socket:
    /// no process can hold that up.
    _here: OwnedFd,
    /// The reading end of the other process's.
    there: Descriptor,
    socket: Descriptor,
    /// Number of the last hand-over, in either direction.
    generation: u64,
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Channel {
    fn new(socket: Descriptor, here: OwnedFd, there: Descriptor) -> Channel {
        Channel { _here: here, there, socket, generation: 0 }
    }

    /// Sends the memory to the process at the other end of a connected Unix socket (a stream, or `SOCK_SEQPACKET`),
    /// which calls [`accept`](Channel::accept). Waits for nothing. The turn stays here. The socket is the channel's
    /// from now on.
    ///
    /// # Errors
    /// [`Error::Socket`]: `EPIPE` if the other process is gone, `WouldBlock` if the socket is full. The socket is
    /// closed.
    #[doc(alias = "SCM_RIGHTS")]
    pub fn offer(socket: impl Into<OwnedFd>, memory: &DmaBuf) -> Result<Channel> {
        let pipe = || std::io::pipe().map_err(|reason| Error::Socket { reason });
        let ((sees_this, here), (there, theirs)) = (pipe()?, pipe()?);
        let socket = Descriptor::own(socket.into());
        memory.send_as(&socket, &OFFER, &[memory.as_fd(), sees_this.as_fd(), theirs.as_fd()])?;
        Ok(Channel::new(socket, here.into(), OwnedFd::from(there).into()))
    }

    /// Waits for the memory that the other process [offers](Channel::offer), for `limit` at most. The first turn is the
    /// other process's.
    ///
    /// # Errors
    /// [`Error::NotYet`] if nothing comes in time; [`Error::Socket`]: `UnexpectedEof` if the other process is gone,
    /// `InvalidData` if it sent something else; [`Error::DmaBuf`]. The socket is closed, which tells the other process.
    pub fn accept(socket: impl Into<OwnedFd>, limit: Duration) -> Result<(Channel, DmaBuf)> {
        let socket = Descriptor::own(socket.into());
        let (memory, [there, here]) = DmaBuf::receive_as(socket.as_fd(), limit, &OFFER)?;
        if !there.is_pipe() || !here.is_pipe() {
            return Err(torn("what came with the memory is not two pipes"));
        }
        Ok((Channel::new(socket, here.into_fd(), there), memory))
    }

    /// Gives the turn to the other process, and does not wait until it is taken: there is room for the message, as each
    /// is taken before the next.
    ///
    /// # Errors
    /// [`Error::PeerGone`] if no process would take it; [`Error::Socket`], which takes up to a second if the socket was
    /// shut down. The turn stays here.
    pub fn give(&mut self) -> Result<()> {
        if self.is_gone()? {
            return Err(Error::PeerGone { in_its_turn: false });
        }
        let next = self.generation + 1;
        let mut message = [0; MESSAGE];
        message[..8].copy_from_slice(&MAGIC);
        message[8..].copy_from_slice(&next.to_le_bytes());
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let sent = loop {
            match rustix::net::send(&self.socket, &message, flags) {
                Err(Errno::INTR) => {}
                outcome => break outcome,
            }
        };
        match sent {
            Ok(MESSAGE) => {
                self.generation = next;
                Ok(())
            }
            Ok(_) => Err(torn("a part of a message was sent")),
            Err(Errno::PIPE | Errno::CONNRESET) => Err(self.closed(false)),
            Err(errno) => Err(broken(errno)),
        }
    }

    /// Waits until the other process gives the turn, for `limit` at most.
    ///
    /// # Errors
    /// [`Error::NotYet`] at the end of the limit, after which it may be called once more; [`Error::PeerGone`] if the
    /// other process ended without giving the turn; [`Error::Socket`] if it sent something else, or the message of an
    /// old turn, after which no other turn comes.
    pub fn take(&mut self, limit: Duration) -> Result<()> {
        let deadline = Instant::now().checked_add(limit);
        let (mut message, mut is_late) = ([0; MESSAGE], false);
        loop {
            // Asked first: what the other process sent before its end is there then.
            let is_gone = self.is_gone()?;
            match descriptor::receive(&self.socket, &mut message) {
                // The other process is gone, and had something to read; what it had sent is still there.
                Err(Errno::INTR | Errno::CONNRESET) => {}
                Err(Errno::WOULDBLOCK) if is_gone => return Err(Error::PeerGone { in_its_turn: true }),
                Err(Errno::WOULDBLOCK) => {
                    // Of the pipe nothing but its end is asked for: the other process can write to it.
                    let mut either =
                        [PollFd::new(&self.socket, PollFlags::IN), PollFd::new(&self.there, PollFlags::empty())];
                    if is_late || !wait(&mut either, deadline)? {
                        return Err(Error::NotYet { limit });
                    }
                    is_late = is_over(deadline);
                }
                Err(errno) => return Err(broken(errno)),
                Ok(got) if got.bytes == 0 && self.is_closed()? => return Err(self.closed(true)),
                Ok(got) if got.bytes == MESSAGE && got.is_data_alone() => break,
                Ok(_) => return Err(torn("no whole message of a turn")),
            }
        }
        let (words, _) = message.as_chunks::<8>();
        let generation = u64::from_le_bytes(words[1]);
        if words[0] != MAGIC {
            return Err(torn("a message that is none of `Channel::give`"));
        }
        if generation != self.generation + 1 {
            let wanted = self.generation + 1;
            return Err(torn(&format!(
                "hand-over {generation} in place of {wanted}: an old token, or two processes with one token"
            )));
        }
        self.generation = generation;
        Ok(())
    }

    /// Whether the other process has ended, or dropped its end, so that it can neither take nor give the turn any more.
    ///
    /// # Errors
    /// [`Error::Socket`] if the kernel cannot say.
    pub fn is_gone(&self) -> Result<bool> {
        Ok(now(&self.there, PollFlags::empty())?.intersects(PollFlags::HUP | PollFlags::ERR))
    }

    /// Whether nothing more will come over the socket.
    fn is_closed(&self) -> Result<bool> {
        Ok(now(&self.socket, PollFlags::RDHUP)?.intersects(PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR))
    }

    /// Why the socket is closed.
    fn closed(&self, in_its_turn: bool) -> Error {
        match wait(&mut [PollFd::new(&self.there, PollFlags::empty())], Instant::now().checked_add(ENDING)) {
            Ok(true) => Error::PeerGone { in_its_turn },
            Ok(false) => {
                let reason = "the other process has shut the socket down and goes on, so no turn can pass any more";
                Error::Socket { reason: IoError::new(ErrorKind::BrokenPipe, reason) }
            }
            Err(error) => error,
        }
    }
}

/// What there is of `wanted` by now.
fn now(of: impl AsFd, wanted: PollFlags) -> Result<PollFlags> {
    let mut polled = [PollFd::new(&of, wanted)];
    loop {
        match poll(&mut polled, Some(&Timespec::default())) {
            Err(Errno::INTR) => {}
            outcome => return outcome.map(|_| polled[0].revents()).map_err(broken),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read, Write};
    use std::mem::MaybeUninit;
    use std::os::unix::net::UnixStream;
    use std::thread;

    use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType, socketpair};

    use super::killed::COPIES;
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn channel(socket: OwnedFd, here: io::PipeWriter, there: io::PipeReader) -> Channel {
        Channel::new(Descriptor::own(socket), here.into(), OwnedFd::from(there).into())
    }

    /// Both ends of what two processes have.
    pub(crate) fn channels((one, other): (OwnedFd, OwnedFd)) -> (Channel, Channel) {
        let ((there, here), (from, to)) = (io::pipe().expect("a pipe"), io::pipe().expect("a pipe"));
        (channel(one, here, from), channel(other, to, there))
    }

    /// One end, and the socket and the pipes of a process that speaks for itself.
    fn channel_and((one, other): (OwnedFd, OwnedFd)) -> (Channel, (OwnedFd, io::PipeWriter, io::PipeReader)) {
        let ((there, here), (from, to)) = (io::pipe().expect("a pipe"), io::pipe().expect("a pipe"));
        (channel(one, here, from), (other, to, there))
    }

    /// Both ends, of each kind of socket that has connections.
    fn pairs() -> [(OwnedFd, OwnedFd); 2] {
        [SocketType::STREAM, SocketType::SEQPACKET]
            .map(|kind| socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).expect("sockets"))
    }

    fn message(magic: &[u8; 8], generation: u64) -> Vec<u8> {
        [*magic, generation.to_le_bytes()].concat()
    }

    fn refused(outcome: Result<()>, words: &str) {
        match outcome {
            Err(Error::Socket { reason }) if reason.kind() == ErrorKind::InvalidData => {
                assert!(reason.to_string().contains(words), "{reason}");
            }
            outcome => panic!("{outcome:?}"),
        }
    }

    #[test]
    fn turns_pass_in_order() {
        for pair in pairs() {
            let (mut one, mut other) = channels(pair);
            thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        other.take(LONG).expect("the turn");
                        other.give().expect("somebody takes it");
                    }
                });
                for _ in 0..1000 {
                    one.give().expect("somebody takes it");
                    one.take(LONG).expect("the turn");
                }
            });
            assert_eq!((one.generation, other.generation), (2000, 2000));
        }
    }

    #[test]
    fn who_never_answers_is_waited_for_in_time_only() {
        for pair in pairs() {
            let (mut one, mut other) = channels(pair);
            for limit in [Duration::ZERO, Duration::from_millis(20)] {
                let started = Instant::now();
                assert!(matches!(one.take(limit), Err(Error::NotYet { limit: said }) if said == limit));
                assert!(started.elapsed() >= limit);
            }
            assert!(!one.is_gone().expect("asked"));
            // Nothing was lost by that.
            other.give().expect("somebody takes it");
            one.take(Duration::ZERO).expect("the turn");
            // No limit that a clock could tell is none.
            one.give().expect("somebody takes it");
            other.take(Duration::MAX).expect("the turn");
        }
    }

    #[test]
    fn what_was_sent_by_who_is_gone_comes_first() {
        let _no_copies = COPIES.read();
        for pair in pairs() {
            let (mut one, mut other) = channels(pair);
            one.give().expect("somebody takes it");
            // It has a message that it has not read, too.
            other.give().expect("somebody takes it");
            drop(one);
            other.generation = 0;
            other.take(LONG).expect("the turn");
            assert!(matches!(other.take(LONG), Err(Error::PeerGone { in_its_turn: true })));
            assert!(matches!(other.give(), Err(Error::PeerGone { in_its_turn: false })));
            assert!(other.is_gone().expect("asked"));
        }
    }

    /// As when a process with the turn forks, and both go on.
    #[test]
    fn an_old_token_is_refused() {
        for (one, other) in pairs() {
            let twin = one.try_clone().expect("a descriptor");
            let (mut one, mut other) = channels((one, other));
            let (from, _to) = io::pipe().expect("a pipe");
            let mut twin = channel(twin, io::pipe().expect("a pipe").1, from);
            one.give().expect("somebody takes it");
            twin.give().expect("somebody takes it");
            other.take(LONG).expect("the turn");
            other.give().expect("somebody takes it");
            refused(other.take(LONG), "hand-over 1 in place of 3");
            one.take(LONG).expect("the turn");
        }
    }

    #[test]
    fn what_is_no_turn_is_refused() {
        let sent: [(&[u8], &str); 5] = [
            (&message(b"turn\0\0\0\x02", 1), "none of `Channel::give`"),
            (&message(&MAGIC, 0), "hand-over 0 in place of 1"),
            (&message(&MAGIC, u64::MAX), "in place of 1"),
            (&message(&MAGIC, 1)[..15], "no whole message"),
            (&[0], "no whole message"),
        ];
        for (data, words) in sent {
            for pair in pairs() {
                let (mut channel, (socket, ..)) = channel_and(pair);
                rustix::net::send(&socket, data, SendFlags::empty()).expect("sent");
                refused(channel.take(LONG), words);
            }
        }
        let [_, pair] = pairs();
        let (mut channel, (socket, ..)) = channel_and(pair);
        for data in [&[0; 17][..], &[]] {
            rustix::net::send(&socket, data, SendFlags::empty()).expect("sent");
            refused(channel.take(LONG), "no whole message");
        }
    }

    #[test]
    fn a_socket_that_is_shut_down_is_no_end_of_the_process() {
        let _no_copies = COPIES.read();
        for how in [Shutdown::Write, Shutdown::Both] {
            for pair in pairs() {
                let (mut channel, (socket, here, there)) = channel_and(pair);
                rustix::net::shutdown(&socket, how).expect("shut down");
                // What it writes to the pipe says nothing either.
                { &here }.write_all(&[1]).expect("room");
                let outcomes = match how {
                    Shutdown::Both => vec![channel.take(LONG), channel.give()],
                    _ => vec![channel.take(LONG)],
                };
                for outcome in outcomes {
                    let Err(Error::Socket { reason }) = outcome else { panic!("{outcome:?}") };
                    assert!(reason.to_string().contains("shut the socket down and goes on"), "{reason}");
                }
                assert!(!channel.is_gone().expect("asked"), "it may still have the memory");
                // Its socket may stay open in a child.
                drop((here, there));
                assert!(channel.is_gone().expect("asked"));
                assert!(matches!(channel.take(LONG), Err(Error::PeerGone { in_its_turn: true })));
            }
        }
    }

    /// The other process can write to its pipe, which is no turn and does not keep this one busy.
    #[test]
    fn bytes_in_the_pipe_do_not_lengthen_a_wait() {
        for pair in pairs() {
            let (mut channel, (_socket, here, _there)) = channel_and(pair);
            { &here }.write_all(&[1]).expect("room");
            let started = Instant::now();
            assert!(matches!(channel.take(Duration::from_millis(50)), Err(Error::NotYet { .. })));
            assert!(started.elapsed() >= Duration::from_millis(50), "{:?}", started.elapsed());
        }
    }

    #[test]
    fn memory_comes_with_two_pipes_or_is_refused() {
        let _no_copies = COPIES.read();
        let memory = || {
            let file = rustix::fs::memfd_create("dmabuf-channel", rustix::fs::MemfdFlags::CLOEXEC).expect("memfd");
            rustix::fs::ftruncate(&file, 4096).expect("a size");
            DmaBuf::from_fd(file, 0, 4096).expect("inside")
        };
        for (one, other) in pairs() {
            let mut offered = Channel::offer(one, &memory()).expect("room");
            let (mut accepted, memory) = Channel::accept(other, LONG).expect("memory");
            assert_eq!(memory.object_bytes(), 4096);
            offered.give().expect("somebody takes it");
            accepted.take(LONG).expect("the turn");
            drop(offered);
            assert!(accepted.is_gone().expect("asked"));
        }
        for (one, other) in pairs() {
            let (memory, file) = (memory(), std::fs::File::open("/").expect("a folder"));
            memory.send_as(&one, &OFFER, &[memory.as_fd(), file.as_fd(), file.as_fd()]).expect("room");
            refused(Channel::accept(other, LONG).map(drop), "not two pipes");
        }
        for (_one, other) in pairs() {
            let limit = Duration::from_millis(20);
            assert!(matches!(Channel::accept(other, limit), Err(Error::NotYet { limit: said }) if said == limit));
        }
    }

    #[test]
    fn a_descriptor_with_a_turn_is_closed() {
        let _no_copies = COPIES.read();
        use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage};
        for pair in pairs() {
            let (mut channel, (other, ..)) = channel_and(pair);
            let (ours, theirs) = UnixStream::pair().expect("sockets");
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            let descriptors = [theirs.as_fd()];
            control.push(SendAncillaryMessage::ScmRights(&descriptors));
            let data = message(&MAGIC, 1);
            let parts = [std::io::IoSlice::new(&data)];
            rustix::net::sendmsg(&other, &parts, &mut control, SendFlags::empty()).expect("sent");
            refused(channel.take(LONG), "no whole message");
            drop(theirs);
            assert_eq!((&ours).read(&mut [0]).expect("the end"), 0, "nobody has the other end");
        }
    }

    /// The other process does not read, so there is no room at last: an error, no wait.
    #[test]
    fn a_socket_without_room_is_an_error() {
        for pair in pairs() {
            let (mut channel, _other) = channel_and(pair);
            let error = loop {
                if let Err(error) = channel.give() {
                    break error;
                }
            };
            assert!(matches!(&error, Error::Socket { reason } if reason.kind() == ErrorKind::WouldBlock), "{error}");
        }
    }
}
