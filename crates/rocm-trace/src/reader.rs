//! Reads the files that the recorder left, whatever state the process ended in.

use crate::clock::{Moment, Scale};
use crate::raw::{CHUNK_BYTES, ChunkHeader, Header, Kind, MAGIC, of_first_word};
use crate::tables;
use rustix::fs::{Mode, OFlags};
use rustix::mm::{MapFlags, ProtFlags};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("cannot read {path}: {reason}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// It is no file of the recorder.
    #[error("{0} is not a recorder's file")]
    Foreign(PathBuf),
    /// It is of another build.
    #[error("{0} was written by another build of rocm-trace, whose numbers of functions this one does not know")]
    OtherBuild(PathBuf),
}

/// What one process recorded.
#[derive(Debug)]
pub struct ProcessFile {
    /// The process.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// When its file was made.
    pub made: Moment,
    /// Its arguments.
    pub command: Vec<String>,
    /// Events that were not recorded.
    pub lost: u64,
    /// When it was opened.
    opened: Moment,
    words: &'static [u64],
}

/// A thread's part of the records.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The kernel's number of the thread.
    pub tid: u32,
    /// What `pthread_self` gave.
    pub pthread: u64,
    /// The thread's name.
    pub name: String,
    words: &'static [u64],
}

/// A record with its words, the first included.
#[derive(Clone, Copy, Debug)]
pub struct RawRecord {
    /// What it is of.
    pub kind: Kind,
    /// What the first word says besides, which is up to the kind.
    pub what: u32,
    /// All words.
    pub words: &'static [u64],
}

impl ProcessFile {
    /// Opens a file. It stays mapped until the program ends.
    ///
    /// # Errors
    /// If it cannot be read, or is none of this build's.
    pub fn open(path: &Path) -> Result<ProcessFile, ReadError> {
        let io = |reason: rustix::io::Errno| ReadError::Io { path: path.to_owned(), reason: reason.into() };
        let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).map_err(io)?;
        let bytes = rustix::fs::fstat(&file).map_err(io)?.st_size as usize;
        if bytes < CHUNK_BYTES {
            return Err(ReadError::Foreign(path.to_owned()));
        }
        // Private: what a child that still runs writes from now on may or may not be seen, as a whole word.
        // SAFETY: a new mapping at an address that the kernel chooses.
        let mapped = unsafe { rustix::mm::mmap(null_mut(), bytes, ProtFlags::READ, MapFlags::PRIVATE, &file, 0) };
        // SAFETY: the mapping has so many bytes, is page-aligned and never unmapped.
        let words = unsafe { std::slice::from_raw_parts(mapped.map_err(io)?.cast::<u64>(), bytes / 8) };
        ProcessFile::parse(words).map_err(|error| error(path.to_owned()))
    }

    /// Takes the words of a file.
    ///
    /// # Errors
    /// If they are none of this build's; what is returned makes the error of the file's path.
    pub fn parse(words: &'static [u64]) -> Result<ProcessFile, fn(PathBuf) -> ReadError> {
        const { assert!(size_of::<Header>() <= CHUNK_BYTES) };
        if words.len() < CHUNK_BYTES / 8 {
            return Err(ReadError::Foreign);
        }
        // SAFETY: there are as many words as a header has, which any bytes may be.
        let header = unsafe { &*words.as_ptr().cast::<Header>() };
        if header.magic != MAGIC {
            return Err(ReadError::Foreign);
        }
        if header.tables != tables::digest() {
            return Err(ReadError::OtherBuild);
        }
        let chunks = (*header_word(&header.next)).min(header.chunks) as usize;
        let command = &header.command[..(header.command_bytes as usize).min(header.command.len())];
        let command = command.split(|byte| *byte == 0).filter(|argument| !argument.is_empty());
        Ok(ProcessFile {
            pid: header.pid as u32,
            parent: header.parent as u32,
            made: header.made,
            opened: Moment::now(header.counter != 0),
            command: command.map(|argument| String::from_utf8_lossy(argument).into_owned()).collect(),
            lost: *header_word(&header.lost),
            words: &words[..words.len().min(chunks.saturating_mul(CHUNK_BYTES / 8))],
        })
    }

    /// Turns the times of its records into `CLOCK_MONOTONIC_RAW`.
    pub fn clock(&self) -> Scale {
        Scale::new((self.made.ticks, self.made.raw_ns), (self.opened.ticks, self.opened.raw_ns))
    }

    /// Turns times of `CLOCK_MONOTONIC` into `CLOCK_MONOTONIC_RAW`: the one is slewed, the other is not.
    pub fn monotonic(&self) -> Scale {
        Scale::new((self.made.monotonic_ns, self.made.raw_ns), (self.opened.monotonic_ns, self.opened.raw_ns))
    }

    /// The threads' chunks, in the order in which they were taken.
    pub fn chunks(&self) -> impl Iterator<Item = Chunk> + use<> {
        self.words.chunks_exact(CHUNK_BYTES / 8).skip(1).filter_map(|words| {
            let [tid, pthread, first, second] = *words.first_chunk()?;
            let name: Vec<u8> = [first.to_le_bytes(), second.to_le_bytes()].concat();
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            let name = String::from_utf8_lossy(name).into_owned();
            // Taken, and not used before the process ended.
            (tid != 0).then(|| Chunk { tid: tid as u32, pthread, name, words: &words[size_of::<ChunkHeader>() / 8..] })
        })
    }
}

/// What an atomic of a file that nobody changes any more holds.
fn header_word(atomic: &std::sync::atomic::AtomicU64) -> &u64 {
    // SAFETY: the file is mapped for reading, and an atomic has the layout of its number.
    unsafe { &*atomic.as_ptr() }
}

impl Chunk {
    /// Bytes that its records take.
    pub fn bytes(&self) -> u64 {
        self.records().map(|record| 8 * record.words.len() as u64).sum()
    }

    /// The records, up to the first that was not finished.
    pub fn records(&self) -> impl Iterator<Item = RawRecord> + use<> {
        let mut rest = self.words;
        std::iter::from_fn(move || {
            let (length, kind, what) = of_first_word(*rest.first()?);
            if length < 2 || length > rest.len() {
                return None;
            }
            let (words, behind) = rest.split_at(length);
            rest = behind;
            Some((Kind::from_number(kind), what, words))
        })
        // Records of a kind that this version does not know are passed over.
        .filter_map(|(kind, what, words)| Some(RawRecord { kind: kind?, what, words }))
    }
}
