//! Sharing with other processes: dma-bufs over a Unix socket, and HIP's own handles.

use std::fmt;
use std::io::{Error as IoError, ErrorKind, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use bytemuck::Pod;
use hip_sys::{hipError_t, hipIpcMemHandle_t};
use hsa_sys::hsa_amd_ipc_memory_t;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{ReturnFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};

use crate::apis::call::call;
use crate::buffer::whole_elements;
use crate::memory::{Memory, Owner};
use crate::sharing::descriptor::{self, Descriptor};
use crate::{Buffer, Code, DmaBuf, Error, Hip, Result, Session};

/// `hipIpcMemLazyEnablePeerAccess`, the only flag that HIP takes, as hip_runtime_api.h of HIP 6.4 and 7 has it, and that of 5. Each
/// refuses the other's before it looks at the handle.
const LAZY_PEER_ACCESS: [u32; 2] = [1, 0];

/// What begins each message, so that other data is not taken for one.
pub(super) type Magic = [u8; 8];
/// Of [`DmaBuf::send`].
const MAGIC: Magic = *b"dma-buf\x01";
/// The magic number, offset and bytes, little endian.
const MESSAGE: usize = 24;

impl DmaBuf {
    /// Sends the descriptor and which bytes are meant over a Unix socket (a stream, or `SOCK_SEQPACKET`), to [`receive`](DmaBuf::receive) in another
    /// process. Waits for nothing. The descriptor stays open here too.
    ///
    /// # Errors
    /// [`Error::Socket`]: `EPIPE` if the other process is gone, `WouldBlock` if it does not read and the socket is full, which may be polled then.
    pub fn send(&self, socket: impl AsFd) -> Result<()> {
        self.send_as(socket, &MAGIC, &[self.as_fd()])
    }

    /// Which bytes are meant, behind `magic`, with these descriptors, of which the first is this one's.
    pub(super) fn send_as(&self, socket: impl AsFd, magic: &Magic, descriptors: &[BorrowedFd<'_>]) -> Result<()> {
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

    /// Takes what another process [sent](DmaBuf::send), and waits for it for `limit` at most. The descriptor is closed on `exec`.
    ///
    /// The sender is not trusted: what it says of sizes is checked against the descriptor, and what the descriptor is when it is imported. Nothing here waits for the sender but for `limit`, whatever
    /// it sends and however slowly. After any error but [`Error::StillAway`] the rest of a stream is of no use.
    ///
    /// # Errors
    /// [`Error::StillAway`] if nothing came in time. [`Error::Socket`]: `UnexpectedEof` if the other process is gone, `TimedOut` if only a part came in time, `InvalidData` if it sent something
    /// else; descriptors that came with that are closed. [`Error::Argument`] if the bytes are not inside their buffer object.
    pub fn receive(socket: impl AsFd, limit: Duration) -> Result<DmaBuf> {
        let (memory, []) = DmaBuf::receive_as(socket.as_fd(), limit, &MAGIC)?;
        Ok(memory)
    }

    /// What [`send_as`](DmaBuf::send_as) sent, with the descriptors behind the first.
    pub(super) fn receive_as<const N: usize>(
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
                Err(Errno::WOULDBLOCK) if received == 0 => return Err(Error::StillAway { limit }),
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

/// Waits until one of them has what is asked for, or its other end is closed. `false` if that did not happen by `deadline`; without one there is no limit.
pub(super) fn wait(any: &mut [PollFd<'_>], deadline: Option<Instant>) -> Result<bool> {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // What is too long for the kernel has no limit either.
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(any, timeout.as_ref()) {
            Err(Errno::INTR) => {}
            Err(errno) => return Err(broken(errno)),
            Ok(0) if left.is_some_and(|left| left.is_zero()) => return Ok(false),
            Ok(0) => {}
            Ok(_) => return Ok(true),
        }
    }
}

/// Others may take what a wait saw, so after one that took all the time there is no next one.
pub(super) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

pub(super) fn torn(subject: &str) -> Error {
    Error::Socket { reason: IoError::new(ErrorKind::InvalidData, subject) }
}

pub(super) fn broken(errno: Errno) -> Error {
    Error::Socket { reason: errno.into() }
}

/// Names memory of HIP in one process, for another process to open; plain bytes, which go any way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IpcHandle([u8; IpcHandle::SIZE]);

impl IpcHandle {
    /// Length of its bytes: HIP's handle, and how many bytes it names.
    pub const SIZE: usize = 64 + 8;

    /// As they were sent.
    pub fn from_bytes(bytes: [u8; IpcHandle::SIZE]) -> IpcHandle {
        IpcHandle(bytes)
    }

    /// To be sent.
    pub fn to_bytes(self) -> [u8; IpcHandle::SIZE] {
        self.0
    }

    fn new(handle: &hipIpcMemHandle_t, bytes: u64) -> IpcHandle {
        let mut all = [0; IpcHandle::SIZE];
        all[..64].copy_from_slice(bytemuck::cast_slice(&handle.reserved));
        all[64..].copy_from_slice(&bytes.to_le_bytes());
        IpcHandle(all)
    }

    fn parts(&self) -> (hipIpcMemHandle_t, u64) {
        let (handle, bytes) = self.0.split_at(64);
        let mut reserved = [0; 64];
        reserved.copy_from_slice(bytemuck::cast_slice(handle));
        let mut word = [0; 8];
        word.copy_from_slice(bytes);
        (hipIpcMemHandle_t { reserved }, u64::from_le_bytes(word))
    }
}

impl fmt::Debug for IpcHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IpcHandle").field("bytes", &self.parts().1).finish_non_exhaustive()
    }
}

impl<T: Pod> Buffer<T, Hip> {
    /// A handle of HIP's (`hipIpcGetMemHandle`), with which another process opens the memory. It names all of the buffer object, so the buffer has
    /// more than 2 MiB, as for [`export`](Buffer::export).
    ///
    /// Before ROCm 7 this needs AMD's own kernel module; dma-bufs do not.
    ///
    /// # Errors
    /// [`Error::Argument`] if the memory is not of [`Session::allocate_hip`], as HIP does not know any other, and as for `export`;
    /// [`Error::NoIpcHandle`] without that kernel module, [`Error::Call`].
    pub fn ipc_handle(&self) -> Result<IpcHandle> {
        if !self.memory.is_hips() {
            let reason =
                "is not memory of HIP, which gives handles of its own only; make it by `allocate_hip`, or `export` it"
                    .to_owned();
            return Err(Error::Argument { subject: "buffer", reason });
        }
        let bytes = self.export()?.bytes();
        let mut handle = hipIpcMemHandle_t { reserved: [0; 64] };
        let hip = &self.memory.core().libraries.hip;
        // SAFETY: memory of HIP's; writes one handle.
        let code = match unsafe { call!(hip, hipIpcGetMemHandle(&mut handle, self.memory.pointer())) } {
            Ok(()) => Code::Hip(hipError_t::hipSuccess),
            Err(Error::Call { code: code @ Code::Hip(hipError_t::hipErrorInvalidValue), .. }) => code,
            Err(error) => return Err(error),
        };
        // The runtime's own handle (`hsa_amd_ipc_memory_t`) comes first, and is never all zeros.
        if handle.reserved[..size_of::<hsa_amd_ipc_memory_t>()].iter().all(|byte| *byte == 0) {
            return Err(Error::NoIpcHandle { code });
        }
        Ok(IpcHandle::new(&handle, bytes))
    }
}

impl Session {
    /// Opens memory of HIP of another process (`hipIpcOpenMemHandle`), of as many whole elements as it has.
    ///
    /// From HIP 7 on, the other process is asked for it, and if it ends in just that moment, or has freed the memory, this never returns. A dma-buf
    /// ([`Buffer::export`]) and a turn ([`Held`](crate::Held)) keep the memory that they are of.
    ///
    /// # Errors
    /// [`Error::Call`]: HIP's error if the other process is gone, and `hipErrorInvalidContext` if it is this one. [`Error::Argument`] if there
    /// is no whole element, [`Error::NotResident`] if the memory is another GPU's or shorter than the handle says.
    ///
    /// # Safety
    /// The handle is one of [`ipc_handle`](Buffer::ipc_handle), unchanged: HIP follows what is in it.
    pub unsafe fn open_ipc<T: Pod>(&self, handle: &IpcHandle) -> Result<Buffer<T, Hip>> {
        let (handle, bytes) = handle.parts();
        let len = whole_elements::<T>("handle", bytes)?;
        self.0.select_device()?;
        let mut pointer = null_mut();
        let mut open = |flags| {
            // SAFETY: the caller's handle; writes one pointer.
            unsafe { call!(self.0.libraries.hip, hipIpcOpenMemHandle(&mut pointer, handle, flags)) }
        };
        let [newer, older] = LAZY_PEER_ACCESS;
        open(newer).or_else(|error| match error {
            Error::Call { code: Code::Hip(hipError_t::hipErrorInvalidValue), .. } => {
                self.0.libraries.forget_hips_error();
                open(older)
            }
            error => Err(error),
        })?;
        let (address, bytes) = (pointer.expose_provenance() as u64, bytes as usize);
        let memory = Memory::proven(&self.0, Owner::Opened, address, bytes, || self.0.opened(address, bytes))?;
        Buffer::new(memory, len)
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
    use crate::sharing::line::killed::COPIES;

    const LONG: Duration = Duration::from_secs(60);

    fn object(bytes: u64) -> OwnedFd {
        let file = rustix::fs::memfd_create("rocm-interop", rustix::fs::MemfdFlags::CLOEXEC).expect("memfd");
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
        assert!(matches!(error, Error::StillAway { limit: LIMIT }), "{error}");
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
    fn handles_go_as_bytes() {
        let reserved = std::array::from_fn(|i| i as std::ffi::c_char);
        let handle = IpcHandle::from_bytes(IpcHandle::new(&hipIpcMemHandle_t { reserved }, 1 << 40).to_bytes());
        let (got, bytes) = handle.parts();
        assert_eq!((got.reserved, bytes), (reserved, 1 << 40));
        assert_eq!(format!("{handle:?}"), "IpcHandle { bytes: 1099511627776, .. }");
    }
}
