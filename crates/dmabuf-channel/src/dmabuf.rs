//! Memory behind a descriptor, which passes over a Unix socket.

use std::io::{Error as IoError, ErrorKind, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{ReturnFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};

use crate::descriptor::{self, Descriptor};
use crate::socket::{broken, is_over, torn, wait};
use crate::{Error, Result};

/// What begins each message, so that other data is not taken for one.
pub(crate) type Magic = [u8; 8];
/// Of [`DmaBuf::send`].
const MAGIC: Magic = *b"dma-buf\x01";
/// The magic number, offset and bytes, little endian.
const MESSAGE: usize = 24;

/// Bytes of a buffer object of a driver, behind a descriptor that other APIs, drivers and processes take.
///
/// A process that has the descriptor can use the whole buffer object, not only these bytes;
/// [`object_bytes`](DmaBuf::object_bytes) says how long it is. The object stays as long as any descriptor or mapping of
/// it, whatever happens to the buffer that it was made of. Dropping this closes the descriptor.
///
/// When bytes may be written is an agreement of those who share them; a [`Channel`](crate::Channel) keeps one.
#[derive(Debug)]
pub struct DmaBuf {
    fd: Descriptor,
    offset: u64,
    bytes: u64,
    object: u64,
}

impl DmaBuf {
    /// Takes a descriptor of another API or process, and which bytes behind it are meant. Vulkan's drivers for AMD GPUs
    /// give a dma-buf as an opaque descriptor too (`VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`).
    ///
    /// A file in memory (`memfd_create`) is taken as well: only the driver that imports it knows whose memory it is. No
    /// other process can hold this call up, whatever the descriptor is, nor the drop.
    ///
    /// # Errors
    /// [`Error::DmaBuf`] if there are no bytes, or they are not all in the buffer object, or the descriptor has no
    /// size.
    pub fn from_fd(fd: OwnedFd, offset: u64, bytes: u64) -> Result<DmaBuf> {
        DmaBuf::of(fd.into(), offset, bytes)
    }

    pub(crate) fn of(fd: Descriptor, offset: u64, bytes: u64) -> Result<DmaBuf> {
        let refuse = |reason| Err(Error::DmaBuf { reason });
        let object = match fd.size() {
            Ok(object) => object,
            Err(why) => return refuse(format!("the descriptor has no size ({why}), so it is no dma-buf")),
        };
        if bytes == 0 || offset.checked_add(bytes).is_none_or(|end| end > object) {
            return refuse(format!("{bytes} bytes at {offset} are not inside the buffer object of {object} bytes"));
        }
        Ok(DmaBuf { fd, offset, bytes, object })
    }

    /// Gives up the descriptor.
    pub fn into_fd(self) -> OwnedFd {
        self.fd.into_fd()
    }

    /// Where the bytes begin in the buffer object.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many there are.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Size of the whole buffer object, to which the descriptor gives access.
    pub fn object_bytes(&self) -> u64 {
        self.object
    }

    /// Sends the descriptor and which bytes are meant over a Unix socket (a stream, or `SOCK_SEQPACKET`), to
    /// [`receive`](DmaBuf::receive) in another process. Waits for nothing. The descriptor stays open here too.
    ///
    /// # Errors
    /// [`Error::Socket`]: `EPIPE` if the other process is gone, `WouldBlock` if it does not read and the socket is
    /// full, which may be polled then.
    #[doc(alias = "SCM_RIGHTS")]
    pub fn send(&self, socket: impl AsFd) -> Result<()> {
        self.send_as(socket, &MAGIC, &[self.as_fd()])
    }

    /// Which bytes are meant, behind `magic`, with these descriptors, of which the first is this one's.
    pub(crate) fn send_as(&self, socket: impl AsFd, magic: &Magic, descriptors: &[BorrowedFd<'_>]) -> Result<()> {
        let message = [*magic, self.offset().to_le_bytes(), self.bytes().to_le_bytes()].concat();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(descriptors));
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        loop {
            match rustix::net::sendmsg(&socket, &[IoSlice::new(&message)], &mut control, flags) {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(broken(errno)),
                // A message that is so short goes whole or not at all.
                Ok(MESSAGE) => return Ok(()),
                Ok(_) => return Err(torn("a part of a message was sent")),
            }
        }
    }

    /// Takes what another process [sent](DmaBuf::send), and waits for it for `limit` at most. The descriptor is closed
    /// on `exec`.
    ///
    /// The sender is not trusted. Sizes are checked against the descriptor; what the descriptor is, the driver says
    /// when it is imported. Whatever the sender sends and however slowly, this takes no longer than `limit`. After any
    /// error but [`Error::NotYet`] the rest of a stream is of no use.
    ///
    /// # Errors
    /// [`Error::NotYet`] if nothing came in time. [`Error::Socket`]: `UnexpectedEof` if the other process is gone,
    /// `TimedOut` if only a part came in time, `InvalidData` if it sent something else; descriptors that came with that
    /// are closed. [`Error::DmaBuf`] if the bytes are not inside their buffer object.
    pub fn receive(socket: impl AsFd, limit: Duration) -> Result<DmaBuf> {
        let (memory, []) = DmaBuf::receive_as(socket.as_fd(), limit, &MAGIC)?;
        Ok(memory)
    }

    /// What [`send_as`](DmaBuf::send_as) sent, with the descriptors behind the first.
    pub(crate) fn receive_as<const N: usize>(
        socket: BorrowedFd<'_>,
        limit: Duration,
        magic: &Magic,
    ) -> Result<(DmaBuf, [Descriptor; N])> {
        let deadline = Instant::now().checked_add(limit);
        let mut message = [0; MESSAGE];
        let mut descriptors = Vec::new();
        let (mut received, mut is_late) = (0, false);
        while received < MESSAGE {
            let got = match descriptor::receive(socket, &mut message[received..]) {
                Err(Errno::INTR) => continue,
                Err(Errno::WOULDBLOCK)
                    if !is_late && wait(&mut [PollFd::from_borrowed_fd(socket, PollFlags::IN)], deadline)? =>
                {
                    is_late = is_over(deadline);
                    continue;
                }
                Err(Errno::WOULDBLOCK) if received == 0 => return Err(Error::NotYet { limit }),
                Err(Errno::WOULDBLOCK) => {
                    let reason = format!("{received} bytes of a message of {MESSAGE} within {limit:?}");
                    return Err(Error::Socket { reason: IoError::new(ErrorKind::TimedOut, reason) });
                }
                outcome => outcome.map_err(broken)?,
            };
            descriptors.extend(got.descriptors);
            // A stream leaves what is behind the message; a socket of packets throws it away.
            if got.flags.contains(ReturnFlags::TRUNC) {
                return Err(torn("a packet that is longer than the message"));
            }
            if got.flags.contains(ReturnFlags::CTRUNC) {
                return Err(torn("descriptors for which none was free here"));
            }
            if got.bytes == 0 {
                let reason = format!("{received} bytes of a message of {MESSAGE}, then the end");
                return Err(Error::Socket { reason: IoError::new(ErrorKind::UnexpectedEof, reason) });
            }
            received += got.bytes;
        }
        let (words, _) = message.as_chunks::<8>();
        if words[0] != *magic {
            return Err(torn("a message of another function than the one that belongs to this"));
        }
        let wanted = 1 + N;
        if descriptors.len() != wanted {
            return Err(torn(&format!("{} descriptors, not {wanted}", descriptors.len())));
        }
        let others = descriptors.split_off(1);
        let Some((fd, others)) = descriptors.pop().zip(<[Descriptor; N]>::try_from(others).ok()) else {
            return Err(torn("no descriptor"));
        };
        Ok((DmaBuf::of(fd, u64::from_le_bytes(words[1]), u64::from_le_bytes(words[2]))?, others))
    }
}

impl AsFd for DmaBuf {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::thread;

    use rustix::net::sockopt;

    use super::*;
    use crate::channel::killed::COPIES;

    const LONG: Duration = Duration::from_secs(60);

    fn object(bytes: u64) -> OwnedFd {
        let file = rustix::fs::memfd_create("dmabuf-channel", rustix::fs::MemfdFlags::CLOEXEC).expect("memfd");
        rustix::fs::ftruncate(&file, bytes).expect("a size");
        file
    }

    fn pair() -> (UnixStream, UnixStream) {
        UnixStream::pair().expect("sockets")
    }

    /// Any message with any descriptors.
    fn send(socket: &UnixStream, message: &[u8], descriptors: &[OwnedFd]) {
        let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            control.push(SendAncillaryMessage::ScmRights(&descriptors));
        }
        rustix::net::sendmsg(socket, &[IoSlice::new(message)], &mut control, SendFlags::empty()).expect("sent");
    }

    fn message(offset: u64, bytes: u64) -> Vec<u8> {
        [MAGIC, offset.to_le_bytes(), bytes.to_le_bytes()].concat()
    }

    #[test]
    fn what_was_sent_is_received() {
        let (one, other) = pair();
        for (offset, bytes) in [(0, 4096), (4000, 96)] {
            DmaBuf::from_fd(object(4096), offset, bytes).expect("inside").send(&one).expect("sent");
        }
        for (offset, bytes) in [(0, 4096), (4000, 96)] {
            let got = DmaBuf::receive(&other, LONG).expect("received");
            assert_eq!((got.offset(), got.bytes(), got.object_bytes()), (offset, bytes, 4096));
            let flags = rustix::io::fcntl_getfd(&got).expect("flags");
            assert!(flags.contains(rustix::io::FdFlags::CLOEXEC), "programs that are started do not get it");
        }
    }

    #[test]
    fn a_message_in_two_parts_is_put_together() {
        let (one, other) = pair();
        let message = message(8, 16);
        send(&one, &message[..3], &[object(4096)]);
        (&one).write_all(&message[3..]).expect("sent");
        assert_eq!(DmaBuf::receive(&other, LONG).expect("received").offset(), 8);
    }

    #[test]
    fn what_is_no_dma_buf_is_refused_and_its_descriptors_are_closed() {
        let _no_copies = COPIES.read();
        let refused = |message: &[u8], descriptors: usize, words: &str| {
            let (one, other) = pair();
            let (reader, writer) = std::io::pipe().expect("a pipe");
            let writers: Vec<OwnedFd> =
                (0..descriptors).map(|_| writer.try_clone().expect("a descriptor").into()).collect();
            send(&one, message, &writers);
            drop((one, writer, writers));
            let error = DmaBuf::receive(&other, LONG).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
            // No writer is left, so the pipe is at its end at once.
            assert_eq!(std::io::Read::read(&mut { reader }, &mut [0]).expect("read"), 0, "{words}");
        };
        let good = message(0, 4096);
        let other = [&b"GET / HT"[..], &good[8..]].concat();
        refused(&other, 1, "a message of another function");
        refused(&good, 0, "0 descriptors, not 1");
        refused(&good, 2, "2 descriptors, not 1");
        refused(&good, 8, "8 descriptors, not 1");
        refused(&good[..23], 1, "23 bytes of a message of 24, then the end");
        refused(&good, 1, "the descriptor has no size");
        let (one, other) = pair();
        send(&one, &message(1, 4096), &[object(4096)]);
        let error = DmaBuf::receive(&other, LONG).expect_err("outside").to_string();
        assert!(error.contains("4096 bytes at 1 are not inside"), "{error}");
    }

    #[test]
    fn a_process_that_is_gone_is_an_error_on_both_sides() {
        let _no_copies = COPIES.read();
        let (one, other) = pair();
        drop(other);
        let error = DmaBuf::from_fd(object(1), 0, 1).expect("inside").send(&one).expect_err("gone");
        assert!(matches!(&error, Error::Socket { reason } if reason.kind() == ErrorKind::BrokenPipe), "{error}");
        let (one, other) = pair();
        drop(one);
        let error = DmaBuf::receive(&other, LONG).expect_err("gone");
        assert!(matches!(&error, Error::Socket { reason } if reason.kind() == ErrorKind::UnexpectedEof), "{error}");
    }

    /// A byte at a time, half a message, nothing: none is waited for longer than the limit.
    #[test]
    fn a_slow_sender_is_waited_for_in_time_only() {
        const LIMIT: Duration = Duration::from_millis(50);
        let timed = |sent: &(dyn Fn(&UnixStream) + Sync)| {
            let (one, other) = pair();
            thread::scope(|scope| {
                scope.spawn(|| sent(&one));
                let started = Instant::now();
                let error = DmaBuf::receive(&other, LIMIT).expect_err("not in time");
                assert!((LIMIT..LIMIT * 20).contains(&started.elapsed()), "{:?}: {error}", started.elapsed());
                (error, other)
            })
        };
        let (error, other) = timed(&|_| thread::sleep(2 * LIMIT));
        assert!(matches!(error, Error::NotYet { limit: LIMIT }), "{error}");
        drop(other);
        for slowly in [false, true] {
            let (error, _other) = timed(&|one| {
                send(one, &message(0, 1)[..1], &[object(4096)]);
                for byte in message(0, 1).into_iter().skip(1).take(if slowly { 22 } else { 0 }) {
                    thread::sleep(LIMIT / 4);
                    _ = { one }.write_all(&[byte]);
                }
                thread::sleep(LIMIT);
            });
            let timed_out = matches!(&error, Error::Socket { reason } if reason.kind() == ErrorKind::TimedOut);
            assert!(timed_out && error.to_string().contains("bytes of a message of 24 within 50ms"), "{error}");
        }
    }

    #[test]
    fn a_receiver_that_does_not_read_is_not_waited_for() {
        let (one, _other) = pair();
        sockopt::set_socket_send_buffer_size(&one, 4096).expect("a small buffer");
        let memory = DmaBuf::from_fd(object(1), 0, 1).expect("inside");
        let error = std::iter::repeat_with(|| memory.send(&one)).find_map(Result::err).expect("it is full at last");
        assert!(matches!(&error, Error::Socket { reason } if reason.kind() == ErrorKind::WouldBlock), "{error}");
    }

    /// To close the last descriptor of a socket that lingers waits for its other end, which does not read.
    #[test]
    fn descriptors_that_linger_are_closed_by_nobody_who_waits() {
        let lingering = || -> (OwnedFd, TcpStream) {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let sender = TcpStream::connect(listener.local_addr().expect("its address")).expect("connected");
            let (unread, _) = listener.accept().expect("connected");
            sockopt::set_socket_linger(&sender, Some(Duration::from_secs(30))).expect("an option");
            sender.set_nonblocking(true).expect("a flag");
            while { &sender }.write(&[0; 1 << 16]).is_ok() {}
            (sender.into(), unread)
        };
        let timed = |message: &[u8], descriptors: usize, words: &str| {
            let (one, other) = pair();
            let (senders, _unread): (Vec<OwnedFd>, Vec<TcpStream>) = (0..descriptors).map(|_| lingering()).unzip();
            send(&one, message, &senders);
            drop(senders);
            let started = Instant::now();
            let error = DmaBuf::receive(&other, LONG).expect_err("no dma-buf").to_string();
            assert!(error.contains(words), "{error}");
            assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        };
        timed(&message(0, 1), 1, "the descriptor has no size (it is a Socket)");
        timed(&message(0, 1), 2, "2 descriptors, not 1");
        timed(&message(0, 1), 5, "5 descriptors, not 1");
        timed(b"GET / HTTP/1.1\r\n\r\n......", 1, "a message of another function");
    }

    #[test]
    fn bytes_are_inside_their_object() {
        for (offset, bytes) in [(0, 4096), (4095, 1), (1024, 3072)] {
            let taken = DmaBuf::from_fd(object(4096), offset, bytes).expect("inside");
            assert_eq!((taken.offset(), taken.bytes(), taken.object_bytes()), (offset, bytes, 4096));
        }
        for (offset, bytes) in [(0, 0), (0, 4097), (4096, 1), (4095, 2), (u64::MAX, 1), (1, u64::MAX)] {
            let error = DmaBuf::from_fd(object(4096), offset, bytes).expect_err("outside").to_string();
            let want = format!("{bytes} bytes at {offset} are not inside the buffer object of 4096 bytes");
            assert!(error.contains(&want), "{error}");
        }
        let (pipe, _writer) = std::io::pipe().expect("a pipe");
        let error = DmaBuf::from_fd(pipe.into(), 0, 1).expect_err("a pipe").to_string();
        assert!(error.contains("no size (it is a Fifo), so it is no dma-buf"), "{error}");
    }
}
