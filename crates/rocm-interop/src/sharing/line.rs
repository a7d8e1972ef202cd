//! Whose turn it is, between two processes: one message on a Unix socket for each hand-over.
//!
//! A message is queued by the kernel whole or not at all, so a process that is killed leaves no half of a state, and what it had sent before is still there. The same
//! socket tells that the other process is gone, and can be waited for with a time limit. Nothing is in memory of both, so there is nothing that the other process could
//! change while it is read, or take away.

#[cfg(test)]
pub(super) mod killed;

use std::io::IoSliceMut;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvFlags, ReturnFlags, SendFlags};

use super::process::{broken, torn};
use crate::{DmaBuf, Error, Result};

/// Begins each message, so that other data is not taken for one.
const MAGIC: [u8; 8] = *b"turn\0\0\0\x01";
/// The magic number, and which hand-over it is, little endian.
const MESSAGE: usize = 16;

/// One end of the socket.
#[derive(Debug)]
pub(super) struct Line {
    socket: OwnedFd,
    /// Number of the last hand-over, in either direction.
    generation: u64,
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Line {
    pub(super) fn new(socket: OwnedFd) -> Line {
        Line { socket, generation: 0 }
    }

    /// Waits for a dma-buf of the other process.
    pub(super) fn receive(&self, limit: Duration) -> Result<DmaBuf> {
        let deadline = Instant::now().checked_add(limit);
        DmaBuf::receive_when(self.socket.as_fd(), RecvFlags::DONTWAIT, || {
            if self.wait(deadline)? { Ok(()) } else { Err(Error::StillAway { limit }) }
        })
    }

    /// Tells the other process that it is its turn. Waits for nothing: there is room for the message, as each is taken before the next.
    pub(super) fn give(&mut self) -> Result<()> {
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
            Err(Errno::PIPE | Errno::CONNRESET) => Err(Error::PeerGone { in_its_turn: false }),
            Err(errno) => Err(broken(errno)),
        }
    }

    /// Waits for the turn.
    pub(super) fn take(&mut self, limit: Duration) -> Result<()> {
        let deadline = Instant::now().checked_add(limit);
        let mut message = [0; MESSAGE];
        loop {
            let mut control = RecvAncillaryBuffer::new(&mut []);
            let outcome = rustix::net::recvmsg(
                &self.socket,
                &mut [IoSliceMut::new(&mut message)],
                &mut control,
                RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC,
            );
            match outcome {
                // The other process is gone, and had something to read; what it had sent is still there.
                Err(Errno::INTR | Errno::CONNRESET) => {}
                Err(Errno::WOULDBLOCK) => {
                    if !self.wait(deadline)? {
                        return Err(Error::StillAway { limit });
                    }
                }
                Err(errno) => return Err(broken(errno)),
                Ok(got) if got.bytes == 0 && self.is_hung_up()? => return Err(Error::PeerGone { in_its_turn: true }),
                Ok(got) if got.bytes == MESSAGE && !got.flags.intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC) => {
                    break;
                }
                Ok(_) => return Err(torn("no whole message of a turn")),
            }
        }
        let (words, _) = message.as_chunks::<8>();
        let generation = u64::from_le_bytes(words[1]);
        if words[0] != MAGIC {
            return Err(torn("a message that is none of `Held::give`"));
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

    /// Whether the other end is closed, so that no other process can take or give the turn any more.
    pub(super) fn is_hung_up(&self) -> Result<bool> {
        let found = self.poll(Some(&Timespec::default())).map_err(broken)?;
        Ok(found.intersects(PollFlags::HUP | PollFlags::ERR))
    }

    /// What the socket has to tell by now, or within the time.
    fn poll(&self, timeout: Option<&Timespec>) -> Result<PollFlags, Errno> {
        let mut sockets = [PollFd::new(&self.socket, PollFlags::IN)];
        poll(&mut sockets, timeout)?;
        Ok(sockets[0].revents())
    }

    /// Waits until there is something to read, or the other end is closed. `false` if that did not happen by `deadline`; without one there is no limit.
    fn wait(&self, deadline: Option<Instant>) -> Result<bool> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            // What is too long for the kernel has no limit either.
            let timeout = left.and_then(|left| Timespec::try_from(left).ok());
            match self.poll(timeout.as_ref()) {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(broken(errno)),
                Ok(found) if !found.is_empty() => return Ok(true),
                Ok(_) if left.is_some_and(|left| left.is_zero()) => return Ok(false),
                Ok(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Write};
    use std::mem::MaybeUninit;
    use std::os::unix::net::UnixStream;
    use std::thread;

    use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType, socketpair};

    use super::killed::COPIES;
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

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
        for (one, other) in pairs() {
            let (mut one, mut other) = (Line::new(one), Line::new(other));
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
        for (one, other) in pairs() {
            let (mut one, mut other) = (Line::new(one), Line::new(other));
            for limit in [Duration::ZERO, Duration::from_millis(20)] {
                let started = Instant::now();
                assert!(matches!(one.take(limit), Err(Error::StillAway { limit: said }) if said == limit));
                assert!(started.elapsed() >= limit);
                assert!(matches!(one.receive(limit), Err(Error::StillAway { limit: said }) if said == limit));
            }
            assert!(!one.is_hung_up().expect("asked"));
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
        for (one, other) in pairs() {
            let (mut one, mut other) = (Line::new(one), Line::new(other));
            one.give().expect("somebody takes it");
            // It has a message that it has not read, too.
            other.give().expect("somebody takes it");
            drop(one);
            other.generation = 0;
            other.take(LONG).expect("the turn");
            assert!(matches!(other.take(LONG), Err(Error::PeerGone { in_its_turn: true })));
            assert!(matches!(other.give(), Err(Error::PeerGone { in_its_turn: false })));
            assert!(other.is_hung_up().expect("asked"));
            let error = other.receive(LONG).expect_err("nobody");
            assert!(matches!(&error, Error::Socket { reason } if reason.kind() == ErrorKind::UnexpectedEof), "{error}");
        }
    }

    /// As when a process with the turn forks, and both go on.
    #[test]
    fn an_old_token_is_refused() {
        for (one, other) in pairs() {
            let mut twin = Line::new(one.try_clone().expect("a descriptor"));
            let (mut one, mut other) = (Line::new(one), Line::new(other));
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
            (&message(b"turn\0\0\0\x02", 1), "none of `Held::give`"),
            (&message(&MAGIC, 0), "hand-over 0 in place of 1"),
            (&message(&MAGIC, u64::MAX), "in place of 1"),
            (&message(&MAGIC, 1)[..15], "no whole message"),
            (&[0], "no whole message"),
        ];
        for (data, words) in sent {
            for (one, other) in pairs() {
                rustix::net::send(&other, data, SendFlags::empty()).expect("sent");
                refused(Line::new(one).take(LONG), words);
            }
        }
        let [_, (one, other)] = pairs();
        rustix::net::send(&other, &[0; 17], SendFlags::empty()).expect("sent");
        refused(Line::new(one).take(LONG), "no whole message");
        let [_, (one, other)] = pairs();
        rustix::net::send(&other, &[], SendFlags::empty()).expect("sent");
        refused(Line::new(one).take(LONG), "no whole message");
        let [(one, other), _] = pairs();
        rustix::net::shutdown(&other, Shutdown::Write).expect("shut down");
        let mut line = Line::new(one);
        refused(line.take(LONG), "no whole message");
        assert!(!line.is_hung_up().expect("asked"), "it may still have the memory");
    }

    #[test]
    fn a_descriptor_with_a_turn_is_closed() {
        let _no_copies = COPIES.read();
        use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage};
        for (one, other) in pairs() {
            let (ours, theirs) = UnixStream::pair().expect("sockets");
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            let descriptors = [theirs.as_fd()];
            control.push(SendAncillaryMessage::ScmRights(&descriptors));
            let data = message(&MAGIC, 1);
            let parts = [std::io::IoSlice::new(&data)];
            rustix::net::sendmsg(&other, &parts, &mut control, SendFlags::empty()).expect("sent");
            refused(Line::new(one).take(LONG), "no whole message");
            drop(theirs);
            assert!((&ours).write(&[1]).is_err(), "nobody has the other end");
        }
    }

    /// The other process does not read, so there is no room at last: an error, no wait.
    #[test]
    fn a_socket_without_room_is_an_error() {
        for (one, _other) in pairs() {
            let mut line = Line::new(one);
            let error = loop {
                if let Err(error) = line.give() {
                    break error;
                }
            };
            assert!(matches!(&error, Error::Socket { reason } if reason.kind() == ErrorKind::WouldBlock), "{error}");
        }
    }
}
