//! The recorder's own file, one a process: what the recorder writes and the reader reads.
//!
//! The file is chunks of [`CHUNK_BYTES`]. The first holds the [`Header`], each other one belongs to a thread: a [`ChunkHeader`], then records. A
//! record is 8-byte words; the low half of the first is the record's length in words, the next byte its [`Kind`]. It is written last, so a record of
//! length 0 is the end of the chunk, whatever ended the process. Records of calls are written when the call begins and completed when it
//! returns: the end is 0 until then.

use std::sync::atomic::AtomicU64;

/// Bytes of a chunk.
pub const CHUNK_BYTES: usize = 64 << 10;
/// Most bytes of a text argument that are kept.
pub const TEXT_BYTES: usize = 512;
/// Most bytes of the arguments in a packet's kernarg segment that are kept.
pub const KERNARG_BYTES: usize = 1024;
/// First bytes of the file: the name and the version of the format.
pub const MAGIC: u64 = u64::from_le_bytes(*b"rocmtrc1");

/// The first chunk of the file.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u64,
    /// Of the functions and requests that this build knows by number.
    pub tables: u64,
    /// The process.
    pub pid: u64,
    /// Its parent.
    pub parent: u64,
    /// `CLOCK_MONOTONIC_RAW` when the file was made, in nanoseconds.
    pub raw_ns: u64,
    /// `CLOCK_REALTIME` at that time.
    pub real_ns: u64,
    /// `CLOCK_MONOTONIC` at that time.
    pub monotonic_ns: u64,
    /// Chunks of the file, this one included.
    pub chunks: u64,
    /// The next chunk that a thread takes; may grow past `chunks`.
    pub next: AtomicU64,
    /// Events that found no room, or came from a signal handler in the middle of another event's recording.
    pub lost: AtomicU64,
    /// Bytes of `command` that are used.
    pub command_bytes: u64,
    /// The arguments of the process, each with a NUL.
    pub command: [u8; 4096],
}

/// The beginning of a thread's chunk.
#[repr(C)]
#[derive(Debug)]
pub struct ChunkHeader {
    /// The kernel's number of the thread.
    pub tid: u64,
    /// What `pthread_self` gives, by which the runtimes' logs name threads.
    pub pthread: u64,
    /// The thread's name at that time, padded with NULs.
    pub name: [u8; 16],
}

/// What a record is of.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call of a function: start, end, function, result (2 words), arguments, values behind `out` arguments, texts.
    Call = 1,
    /// An `ioctl`: start, end, request, descriptor and size of the argument, result, argument before, argument after.
    Ioctl = 2,
    /// Another system call: start, end, [`SystemCall`], result, 6 words of arguments, a text.
    System = 3,
    /// A queue was made: time, address, base of the ring, signal of the doorbell, number of packets, id.
    Queue = 4,
    /// A packet whose doorbell is about to ring: time, address of the queue, index, the 64 bytes, the kernarg segment as far as it is known.
    Packet = 5,
    /// What a kernel object is: time, symbol, kernel object, bytes of its kernarg segment.
    Kernel = 6,
    /// The library that a function was found in: time, function, path.
    Library = 7,
    /// The times that the GPU left in a signal: time, signal, start, end (in the GPU's ticks).
    Ticks = 8,
    /// A kernel of a code object: time, bytes of its kernarg segment, a text of its name and a line for each [`KernelArgument`].
    Metadata = 9,
}

impl Kind {
    /// The kind with this number.
    pub fn from_number(number: u8) -> Option<Kind> {
        use Kind::*;
        [Call, Ioctl, System, Queue, Packet, Kernel, Library, Ticks, Metadata]
            .into_iter()
            .find(|kind| *kind as u8 == number)
    }
}

/// An argument of a kernel, as its code object's metadata has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArgument {
    /// Where it is in the kernarg segment, in bytes.
    pub offset: usize,
    /// Its size in bytes.
    pub bytes: usize,
    /// It is an address.
    pub address: bool,
    /// Its type, if the compiler kept it.
    pub ty: String,
    /// Its name, if the compiler kept it.
    pub name: String,
}

impl std::fmt::Display for KernelArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let KernelArgument { offset, bytes, address, ty, name } = self;
        write!(f, "{offset}\t{bytes}\t{}\t{ty}\t{name}", u8::from(*address))
    }
}

impl std::str::FromStr for KernelArgument {
    type Err = ();

    fn from_str(line: &str) -> Result<KernelArgument, ()> {
        let mut fields = line.split('\t');
        let mut next = || fields.next().ok_or(());
        Ok(KernelArgument {
            offset: next()?.parse().map_err(|_| ())?,
            bytes: next()?.parse().map_err(|_| ())?,
            address: next()? == "1",
            ty: next()?.to_owned(),
            name: next()?.to_owned(),
        })
    }
}

/// System calls besides `ioctl` that are recorded.
#[repr(u64)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCall {
    /// `open` and its kin, of a device's file.
    Open = 1,
    /// `close` of such a file.
    Close = 2,
    /// `mmap` of such a file, or within a recorded call.
    Mmap = 3,
    /// `munmap` within a recorded call.
    Munmap = 4,
}

impl SystemCall {
    /// The call with this number.
    pub fn from_number(number: u64) -> Option<SystemCall> {
        use SystemCall::*;
        [Open, Close, Mmap, Munmap].into_iter().find(|call| *call as u64 == number)
    }

    /// Its name and those of its arguments.
    pub fn names(self) -> (&'static str, &'static [&'static str]) {
        match self {
            SystemCall::Open => ("open", &["flags"]),
            SystemCall::Close => ("close", &["fd"]),
            SystemCall::Mmap => ("mmap", &["address", "length", "protection", "flags", "fd", "offset"]),
            SystemCall::Munmap => ("munmap", &["address", "length"]),
        }
    }
}

/// Words that `bytes` bytes take.
pub const fn words(bytes: usize) -> usize {
    bytes.div_ceil(8)
}
