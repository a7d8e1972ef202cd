//! What must hold whatever another process sends. The fuzz target in `fuzz/` runs this function; `tests/corpus.rs` runs
//! it on the inputs that fuzzing has found.
use std::fs::File;
use std::io::{IoSlice, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::{Duration, Instant};

use dmabuf_channel::{DmaBuf, Error};
use rustix::fs::{FileType, MemfdFlags, Mode, OFlags};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sendmsg, socketpair,
};

/// Length of the message of `DmaBuf::send`.
const MESSAGE: usize = 24;
/// Nothing has to be waited for: all is sent by then.
const LIMIT: Duration = Duration::from_secs(10);
/// Parts that are sent at most.
const PARTS: usize = 12;

/// What is sent at once.
struct Part {
    data: Vec<u8>,
    descriptors: Vec<OwnedFd>,
}

/// `bytes` are a kind of socket and what is sent over it, in parts: data and descriptors. What comes out is what a
/// reader of the documentation expects, nothing is left open, and nothing panics.
pub fn receive(bytes: &[u8]) {
    let before = open_descriptors();
    {
        let mut bytes = bytes;
        let by_packets = take(&mut bytes).is_some_and(|kind| kind & 1 != 0);
        let parts = parts(bytes);
        let expected = expected(&parts, by_packets);
        let kind = if by_packets { SocketType::SEQPACKET } else { SocketType::STREAM };
        let (ours, theirs) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).expect("sockets");
        parts.iter().for_each(|part| part.send(&theirs));
        drop((parts, theirs));
        match (DmaBuf::receive(&ours, LIMIT), expected) {
            (Ok(received), Expected::Bytes { offset, bytes, object }) => {
                assert_eq!((received.offset(), received.bytes(), received.object_bytes()), (offset, bytes, object));
                assert!(bytes != 0 && offset.checked_add(bytes).is_some_and(|end| end <= object));
                let flags = rustix::io::fcntl_getfd(received.as_fd()).expect("flags");
                assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
            }
            (Err(Error::Socket { reason }), Expected::Refused(kind)) => assert_eq!(reason.kind(), kind, "{reason}"),
            (Err(Error::DmaBuf { .. }), Expected::OutOfBounds) => {}
            (received, expected) => panic!("{received:?}, not {expected:?}"),
        }
    }
    // Some are closed by threads of their own.
    let started = Instant::now();
    while open_descriptors() != before {
        assert!(started.elapsed() < LIMIT, "every descriptor is closed: {} of {before} are open", open_descriptors());
        thread::sleep(Duration::from_millis(1));
    }
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("the kernel shows it").count()
}

fn take(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

/// Each is a byte that says what it is, a length, and data.
fn parts(mut bytes: &[u8]) -> Vec<Part> {
    let good = good_message();
    let mut parts: Vec<Part> = Vec::new();
    while let (true, Some(what), Some(length)) = (parts.len() < PARTS, take(&mut bytes), take(&mut bytes)) {
        let (sent, length) = (parts.iter().map(|part| part.data.len()).sum::<usize>(), usize::from(length & 63));
        // As `DmaBuf::send` would go on here, or what the input has.
        let data = if what & 0x80 != 0 {
            good.iter().copied().cycle().skip(sent % MESSAGE).take(length).collect()
        } else {
            let (data, rest) = bytes.split_at(length.min(bytes.len()));
            bytes = rest;
            data.to_vec()
        };
        let descriptors = (0..what & 3).map(|_| descriptor(what >> 2 & 7)).collect();
        parts.push(Part { data, descriptors });
    }
    parts
}

/// What `DmaBuf::send` sends for part of a page.
fn good_message() -> [u8; MESSAGE] {
    let (mut ours, theirs) = UnixStream::pair().expect("sockets");
    DmaBuf::from_fd(memory(4096), 1024, 3072).and_then(|part| part.send(&theirs)).expect("sent");
    let mut message = [0; MESSAGE];
    ours.read_exact(&mut message).expect("a whole message");
    message
}

fn memory(bytes: u64) -> OwnedFd {
    let file = rustix::fs::memfd_create("untrusted", MemfdFlags::CLOEXEC).expect("a memory file");
    rustix::fs::ftruncate(&file, bytes).expect("a size");
    file
}

/// Something that another process may have open.
fn descriptor(kind: u8) -> OwnedFd {
    let open = |path: &str| File::open(path).expect("every Linux has it").into();
    match kind {
        0 => memory(4096),
        1 => memory(i64::MAX as u64),
        2 => memory(0),
        3 => std::io::pipe().expect("a pipe").1.into(),
        4 => UnixStream::pair().expect("sockets").0.into(),
        5 => open("/dev/null"),
        6 => open("/"),
        _ => rustix::fs::open("/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).expect("every Linux has it"),
    }
}

impl Part {
    fn send(&self, socket: &OwnedFd) {
        let descriptors: Vec<_> = self.descriptors.iter().map(AsFd::as_fd).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)), "there is room");
        }
        let sent = sendmsg(socket, &[IoSlice::new(&self.data)], &mut control, SendFlags::NOSIGNAL);
        assert_eq!(sent, Ok(self.data.len()), "so little goes at once");
    }
}

/// What `DmaBuf::receive` is to say.
#[derive(Debug)]
enum Expected {
    Bytes {
        offset: u64,
        bytes: u64,
        object: u64,
    },
    /// By an error of the socket's.
    Refused(std::io::ErrorKind),
    OutOfBounds,
}

fn expected(parts: &[Part], by_packets: bool) -> Expected {
    let refused = Expected::Refused;
    let (mut message, mut descriptors) = (Vec::new(), Vec::new());
    for Part { data, descriptors: with } in parts {
        let missing = MESSAGE - message.len();
        if missing == 0 {
            break;
        }
        match data.len() {
            // A packet without data is how the end looks; in a stream it is nothing.
            0 if by_packets => return refused(std::io::ErrorKind::UnexpectedEof),
            0 => continue,
            length if by_packets && length > missing => return refused(std::io::ErrorKind::InvalidData),
            length => message.extend_from_slice(&data[..length.min(missing)]),
        }
        descriptors.extend(with);
    }
    let Ok(message) = <[u8; MESSAGE]>::try_from(message) else { return refused(std::io::ErrorKind::UnexpectedEof) };
    let ([magic, offset, bytes], []) = message.as_chunks::<8>() else { unreachable!("three words") };
    let ([descriptor], true) = (&descriptors[..], *magic == good_message()[..8]) else {
        return refused(std::io::ErrorKind::InvalidData);
    };
    let (offset, bytes) = (u64::from_le_bytes(*offset), u64::from_le_bytes(*bytes));
    let known = rustix::fs::fstat(descriptor).expect("it is open");
    match FileType::from_raw_mode(known.st_mode) {
        FileType::RegularFile
            if bytes != 0 && offset.checked_add(bytes).is_some_and(|end| end <= known.st_size as u64) =>
        {
            Expected::Bytes { offset, bytes, object: known.st_size as u64 }
        }
        _ => Expected::OutOfBounds,
    }
}
