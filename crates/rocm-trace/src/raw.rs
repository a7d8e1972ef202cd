//! The recorder's binary file format, with one file for each process.
//!
//! The file is chunks of [`CHUNK_BYTES`]. The first holds the [`Header`], each other one belongs to a thread: a
//! [`ChunkHeader`], then records. A record is 8-byte words, the first of which [`first_word`] makes. It is written
//! last, so a record of length 0 is the end of the chunk, whatever ended the process. Records of calls are written when
//! the call begins and completed when it returns: the end is 0 until then. Times are ticks of the
//! [`clock`](crate::clock).

use crate::clock::Moment;
use std::sync::atomic::AtomicU64;

/// Bytes of a chunk.
pub const CHUNK_BYTES: usize = 64 << 10;
/// Most bytes of a text argument that are kept.
pub const TEXT_BYTES: usize = 512;
/// Most bytes of the arguments in a packet's kernarg segment that are kept.
pub const KERNARG_BYTES: usize = 1024;
/// First bytes of the file: the name and the version of the format.
pub const MAGIC: u64 = u64::from_le_bytes(*b"rocmtrc3");

/// The first chunk of the file.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u64,
    /// Digest of the tables of functions and requests that this build numbers.
    pub tables: u64,
    /// The process.
    pub pid: u64,
    /// The parent.
    pub parent: u64,
    /// Whether times are the processor's counter's: 1 if they are, 0 if those of `CLOCK_MONOTONIC_RAW`.
    pub counter: u64,
    /// When the file was made.
    pub made: Moment,
    /// Chunks of the file, this one included.
    pub chunks: u64,
    /// The next chunk that a thread takes; may grow past `chunks`.
    pub next: AtomicU64,
    /// Events that found no room, or came from a signal handler in the middle of another event's recording.
    pub lost: AtomicU64,
    /// 1: the disk had no room for another chunk.
    pub full: AtomicU64,
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
    /// The thread's `pthread_self`, by which the runtimes' logs name threads.
    pub pthread: u64,
    /// The thread's name at that time, padded with NULs.
    pub name: [u8; 16],
}

/// The kind of a record.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call of the function of this number: start, end, result, arguments, values behind `out` arguments, texts.
    Call = 1,
    /// An `ioctl` with the request of this number: start, end, result, descriptor and size of the argument, argument
    /// before, argument after.
    Ioctl = 2,
    /// Another system call, the [`SystemCall`] of this number: start, end, result, 6 words of arguments, a text.
    System = 3,
    /// A queue was made: time, address, base of the ring, signal of the doorbell, number of packets, id.
    Queue = 4,
    /// A packet whose doorbell is about to ring, with so many bytes of its kernarg segment: time, address of the queue,
    /// index, the 64 bytes, the kernarg segment.
    Packet = 5,
    /// What a kernel object is: time, symbol, kernel object, bytes of its kernarg segment.
    Kernel = 6,
    /// The library in which the function of this number was found: time, path.
    Library = 7,
    /// The times that the GPU left in a signal: time, signal, start, end (in the GPU's ticks).
    Ticks = 8,
    /// A kernel of a code object, with a kernarg segment of so many bytes: time, a text of its name and a line for each
    /// [`KernelArgument`].
    Metadata = 9,
}

/// The first word of a record: its length in words (16 bits), its kind (8 bits), and in the upper half a value whose
/// meaning depends on the kind.
pub const fn first_word(length: usize, kind: Kind, what: u32) -> u64 {
    length as u16 as u64 | (kind as u64) << 16 | (what as u64) << 32
}

/// Length, number of the kind, and the upper half of a record's first word.
pub const fn of_first_word(word: u64) -> (usize, u8, u32) {
    (word as u16 as usize, (word >> 16) as u8, (word >> 32) as u32)
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
    /// The size in bytes.
    pub bytes: usize,
    /// It is an address.
    pub address: bool,
    /// The type, if the compiler kept it.
    pub ty: String,
    /// The name, if the compiler kept it.
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

/// Recorded system calls other than `ioctl`.
#[repr(u32)]
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
    pub fn from_number(number: u32) -> Option<SystemCall> {
        use SystemCall::*;
        [Open, Close, Mmap, Munmap].into_iter().find(|call| *call as u32 == number)
    }

    /// The name and those of its arguments.
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
