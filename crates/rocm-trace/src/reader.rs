//! Reads the recorder's files, in whatever state a process left them.

use crate::clock::{Moment, Scale};
use crate::raw::{CHUNK_BYTES, ChunkHeader, Header, Kind, MAGIC, of_first_word};
use crate::tables;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// A file that cannot be read.
#[derive(thiserror::Error)]
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
    /// It was made, and nothing was written to it.
    #[error("{0} is empty: its process ended when it had just begun")]
    Empty(PathBuf),
    /// It is of another build.
    #[error("{0} was written by another build of rocm-trace, whose numbers of functions this one does not know")]
    OtherBuild(PathBuf),
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The records of one process.
#[derive(Debug)]
pub struct ProcessFile {
    /// The process.
    pub pid: u32,
    /// The parent.
    pub parent: u32,
    /// When its file was made.
    pub made: Moment,
    /// The arguments.
    pub command: Vec<String>,
    /// Events that were not recorded.
    pub lost: u64,
    /// Whether that is because the disk was full.
    pub disk_full: bool,
    /// When it was opened.
    opened: Moment,
    words: &'static [u64],
}

/// A thread's part of the records.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The kernel's number of the thread.
    pub tid: u32,
    /// The thread's `pthread_self`.
    pub pthread: u64,
    /// The thread's name.
    pub name: String,
    words: &'static [u64],
}

/// A record with its words, the first included.
#[derive(Clone, Copy, Debug)]
pub struct RawRecord {
    /// The kind of record.
    pub kind: Kind,
    /// The upper half of the first word, whose meaning depends on the kind.
    pub what: u32,
    /// All words.
    pub words: &'static [u64],
}

impl ProcessFile {
    /// Reads the used part of a file into memory, where it stays until the program ends. The file is not mapped,
    /// because another process may be writing it, and on a full tmpfs reading a hole of a mapping needs space.
    ///
    /// # Errors
    /// If it cannot be read, or is none of this build's.
    pub fn open(path: &Path) -> Result<ProcessFile, ReadError> {
        let io = |reason: std::io::Error| match reason.kind() {
            ErrorKind::UnexpectedEof => ReadError::Foreign(path.to_owned()),
            _ => ReadError::Io { path: path.to_owned(), reason },
        };
        let of_path = |error: fn(PathBuf) -> ReadError| error(path.to_owned());
        let file = File::open(path).map_err(io)?;
        let bytes = file.metadata().map_err(io)?.len();
        if bytes == 0 {
            return Err(ReadError::Empty(path.to_owned()));
        }
        let first = words_of(&file, CHUNK_BYTES).map_err(io)?;
        let used = used_chunks(header(&first).map_err(of_path)?).saturating_mul(CHUNK_BYTES);
        let words = words_of(&file, used.max(CHUNK_BYTES).min(bytes as usize)).map_err(io)?;
        ProcessFile::parse(words.leak()).map_err(of_path)
    }

    /// Parses the words of a file.
    ///
    /// # Errors
    /// If they are none of this build's; what is returned makes the error of the file's path.
    pub fn parse(words: &'static [u64]) -> Result<ProcessFile, fn(PathBuf) -> ReadError> {
        let header = header(words)?;
        let command = &header.command[..(header.command_bytes as usize).min(header.command.len())];
        let command = command.split(|byte| *byte == 0).filter(|argument| !argument.is_empty());
        Ok(ProcessFile {
            pid: header.pid as u32,
            parent: header.parent as u32,
            made: header.made,
            opened: Moment::now(header.counter != 0),
            command: command.map(|argument| String::from_utf8_lossy(argument).into_owned()).collect(),
            lost: *header_word(&header.lost),
            disk_full: *header_word(&header.full) != 0,
            words: &words[..words.len().min(used_chunks(header).saturating_mul(CHUNK_BYTES / 8))],
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

/// The first bytes of a file.
fn words_of(file: &File, bytes: usize) -> std::io::Result<Vec<u64>> {
    let mut words = vec![0_u64; bytes / 8];
    // SAFETY: they are the bytes of the words, which may be any.
    let to = unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), 8 * words.len()) };
    file.read_exact_at(to, 0)?;
    Ok(words)
}

/// The header of a file, if it is one of this build's.
fn header(words: &[u64]) -> Result<&Header, fn(PathBuf) -> ReadError> {
    const { assert!(size_of::<Header>() <= CHUNK_BYTES) };
    if words.len() < CHUNK_BYTES / 8 {
        return Err(ReadError::Foreign);
    }
    // SAFETY: there are as many words as a header has, which any bytes may be.
    let header = unsafe { &*words.as_ptr().cast::<Header>() };
    match header.magic {
        MAGIC if header.tables == tables::digest() => Ok(header),
        MAGIC => Err(ReadError::OtherBuild),
        // The process was killed before it had written it.
        0 => Err(ReadError::Empty),
        _ => Err(ReadError::Foreign),
    }
}

fn used_chunks(header: &Header) -> usize {
    (*header_word(&header.next)).min(header.chunks) as usize
}

/// What an atomic of a copy that nobody changes holds.
fn header_word(atomic: &AtomicU64) -> &u64 {
    // SAFETY: an atomic has the layout of its number.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::file;

    #[test]
    fn files_of_another_build_or_program_are_refused() {
        let parse = |words: Vec<u64>| ProcessFile::parse(words.leak()).map_err(|error| error(PathBuf::new()));
        assert_eq!(parse(file(tables::digest(), 7, 1, &[])).expect("this build's").pid, 7);
        let error = parse(file(tables::digest() + 1, 7, 1, &[])).expect_err("other tables");
        assert!(matches!(error, ReadError::OtherBuild(_)), "{error}");
        assert_eq!(format!("{error:?}"), error.to_string());
        let mut foreign = file(tables::digest(), 7, 1, &[]);
        foreign[0] += 1;
        assert!(matches!(parse(foreign), Err(ReadError::Foreign(_))));
        let cut_off = file(tables::digest(), 7, 1, &[])[..CHUNK_BYTES / 8 - 1].to_vec();
        assert!(matches!(parse(cut_off), Err(ReadError::Foreign(_))));
    }
}
