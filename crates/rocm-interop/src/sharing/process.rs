//! Sharing with other processes: dma-bufs over a Unix socket, and HIP's own handles.

use std::fmt;
use std::io::{Error as IoError, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::null_mut;

use bytemuck::Pod;
use hip_sys::{hipError_t, hipIpcMemHandle_t};
use hsa_sys::hsa_amd_ipc_memory_t;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};

use crate::apis::call::call;
use crate::buffer::whole_elements;
use crate::memory::{Memory, Owner};
use crate::{Buffer, Code, DmaBuf, Error, Hip, Result, Session};

/// `hipIpcMemLazyEnablePeerAccess`, the only flag that HIP takes, as hip_runtime_api.h of HIP 6.4 and 7 has it, and that of 5. Each
/// refuses the other's before it looks at the handle.
const LAZY_PEER_ACCESS: [u32; 2] = [1, 0];

/// Begins each message, so that other data is not taken for one.
const MAGIC: [u8; 8] = *b"dma-buf\x01";
/// The magic number, offset and bytes, little endian.
const MESSAGE: usize = 24;

impl DmaBuf {
    /// Sends the descriptor and which bytes are meant over a Unix socket (a stream, or `SOCK_SEQPACKET`), to [`receive`](DmaBuf::receive) in another
    /// process. Blocks while the socket is full; on one that does not block, what was sent by then is lost. The descriptor stays open here too.
    ///
    /// # Errors
    /// [`Error::Socket`], `EPIPE` if the other process is gone.
    pub fn send(&self, socket: impl AsFd) -> Result<()> {
        let message = [MAGIC, self.offset().to_le_bytes(), self.bytes().to_le_bytes()].concat();
        let descriptors = [self.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
        let mut sent = loop {
            match rustix::net::sendmsg(&socket, &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL) {
                Err(rustix::io::Errno::INTR) => {}
                outcome => break outcome.map_err(broken)?,
            }
        };
        // The descriptor went with the first byte.
        while sent < message.len() {
            match rustix::net::send(&socket, &message[sent..], SendFlags::NOSIGNAL) {
                Err(rustix::io::Errno::INTR) => {}
                outcome => sent += outcome.map_err(broken)?,
            }
        }
        Ok(())
    }

    /// Takes what another process [sent](DmaBuf::send), and blocks until it is there. The descriptor is closed on `exec`.
    ///
    /// The sender is not trusted: what it says of sizes is checked against the descriptor, and what the descriptor is when it is imported. Only how long
    /// it takes is up to the sender, unless the socket has a time limit (`SO_RCVTIMEO`). After any error the rest of a stream is of no use.
    ///
    /// # Errors
    /// [`Error::Socket`]: `UnexpectedEof` if the other process is gone, `InvalidData` if it sent something else; descriptors that came
    /// with that are closed. [`Error::Argument`] if the bytes are not inside their buffer object.
    pub fn receive(socket: impl AsFd) -> Result<DmaBuf> {
        DmaBuf::receive_when(socket.as_fd(), RecvFlags::empty(), || Ok(()))
    }

    /// The same; `ready` is called before each call of the socket, and says when to give up.
    pub(super) fn receive_when(
        socket: BorrowedFd<'_>,
        flags: RecvFlags,
        mut ready: impl FnMut() -> Result<()>,
    ) -> Result<DmaBuf> {
        let mut message = [0; MESSAGE];
        let mut descriptors: Vec<OwnedFd> = Vec::new();
        let mut received = 0;
        while received < MESSAGE {
            // Room for one more than there should be, so that it is noticed.
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let mut rest = [IoSliceMut::new(&mut message[received..])];
            ready()?;
            let outcome = match rustix::net::recvmsg(socket, &mut rest, &mut control, flags | RecvFlags::CMSG_CLOEXEC) {
                Err(rustix::io::Errno::INTR) => continue,
                // `ready` saw what is there no more.
                Err(rustix::io::Errno::WOULDBLOCK) if flags.contains(RecvFlags::DONTWAIT) => continue,
                outcome => outcome.map_err(broken)?,
            };
            for part in control.drain() {
                if let RecvAncillaryMessage::ScmRights(some) = part {
                    descriptors.extend(some);
                }
            }
            // A stream leaves what is behind the message; a socket of packets throws it away.
            if outcome.flags.contains(ReturnFlags::TRUNC) {
                return Err(torn("a packet that is longer than the message"));
            }
            if outcome.flags.contains(ReturnFlags::CTRUNC) {
                return Err(torn("more than one descriptor, or none was free here"));
            }
            if outcome.bytes == 0 {
                let reason = format!("{received} bytes of a message of {MESSAGE}, then the end");
                return Err(Error::Socket { reason: IoError::new(ErrorKind::UnexpectedEof, reason) });
            }
            received += outcome.bytes;
        }
        let (offset, bytes) = parse(&message)?;
        let Ok([fd]) = <[OwnedFd; 1]>::try_from(descriptors) else { return Err(torn("not one descriptor")) };
        DmaBuf::from_fd(fd, offset, bytes)
    }
}

/// Offset and bytes.
fn parse(message: &[u8; MESSAGE]) -> Result<(u64, u64)> {
    let (words, _) = message.as_chunks::<8>();
    if words[0] != MAGIC {
        return Err(torn("a message that is none of `DmaBuf::send`"));
    }
    Ok((u64::from_le_bytes(words[1]), u64::from_le_bytes(words[2])))
}

pub(super) fn torn(subject: &str) -> Error {
    Error::Socket { reason: IoError::new(ErrorKind::InvalidData, subject) }
}

pub(super) fn broken(errno: rustix::io::Errno) -> Error {
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
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::sharing::line::killed::COPIES;

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
            let got = DmaBuf::receive(&other).expect("received");
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
        assert_eq!(DmaBuf::receive(&other).expect("received").offset(), 8);
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
            let error = DmaBuf::receive(&other).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
            // No writer is left, so the pipe is at its end at once.
            assert_eq!(std::io::Read::read(&mut { reader }, &mut [0]).expect("read"), 0, "{words}");
        };
        let good = message(0, 4096);
        let other = [&b"GET / HT"[..], &good[8..]].concat();
        refused(&other, 1, "a message that is none of `DmaBuf::send`");
        refused(&good, 0, "not one descriptor");
        refused(&good, 2, "not one descriptor");
        refused(&good, 8, "more than one descriptor");
        refused(&good[..23], 1, "23 bytes of a message of 24, then the end");
        refused(&good, 1, "the descriptor has no size");
        let (one, other) = pair();
        send(&one, &message(1, 4096), &[object(4096)]);
        let error = DmaBuf::receive(&other).expect_err("outside").to_string();
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
        let error = DmaBuf::receive(&other).expect_err("gone");
        assert!(matches!(&error, Error::Socket { reason } if reason.kind() == ErrorKind::UnexpectedEof), "{error}");
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
