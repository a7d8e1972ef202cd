//! Clang's offload bundles: code objects for several targets in one file.

use std::ops::Range;

use crate::target_forms::Triple;
use crate::{Error, TargetId, compressed};

/// An offload bundle, as `clang --offload-arch=... --genco` writes it and HIP programs contain it ([format]).
///
/// It is not compressed: a compressed one is an error that says so, and [`unpack`](crate::unpack) makes one of it.
///
/// [format]: https://clang.llvm.org/docs/ClangOffloadBundler.html#bundled-code-object-file-layout
#[derive(Clone, Debug)]
pub struct Bundle<'data> {
    entries: Vec<Entry<'data>>,
}

/// A piece of code in a [`Bundle`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry<'data> {
    /// The entry ID: the kind of offloading, the target triple and the target ID, such as
    /// `hipv4-amdgcn-amd-amdhsa--gfx908:xnack-`, which LLVM 23 and later write as
    /// `hip-amdgpu9.08-amd-amdhsa--gfx908:xnack-`.
    pub id: &'data str,
    /// The contents: a code object, or nothing for a host's entry.
    pub bytes: &'data [u8],
}

impl Entry<'_> {
    /// The target of a code object for AMD GPUs; `None` for a host's entry and for other devices.
    pub fn target(&self) -> Option<TargetId> {
        let (_kind, target) = self.id.split_once('-')?;
        Triple::of(target)?;
        target.parse().ok()
    }
}

/// A bundle has an entry for each target that it was compiled for; more than this is not one.
const MAX_ENTRIES: u64 = 4096;
/// Longest entry ID in bytes.
const MAX_ID: u64 = 4096;

impl<'data> Bundle<'data> {
    /// The first bytes of a bundle.
    pub const MAGIC: &'static [u8] = compressed::BUNDLE_MAGIC;

    /// Whether `bytes` start as a bundle does, compressed or not.
    pub fn is_at(bytes: &[u8]) -> bool {
        bytes.starts_with(Self::MAGIC) || compressed::is_at(bytes)
    }

    /// Parses a bundle's table. Bytes after the bundle are ignored.
    ///
    /// # Errors
    /// [`Error::Unrecognised`], [`Error::Compressed`] or [`Error::Malformed`].
    pub fn parse(bytes: &'data [u8]) -> Result<Bundle<'data>, Error> {
        if compressed::is_at(bytes) {
            return Err(Error::Compressed { version: compressed::version(bytes) });
        }
        if !bytes.starts_with(Self::MAGIC) {
            return Err(Error::Unrecognised { start: bytes.iter().copied().take(4).collect() });
        }
        let mut table = Table { bytes, at: Self::MAGIC.len() };
        let count = table.int("the number of entries")?;
        if count > MAX_ENTRIES {
            let reason = format!("{count} entries, more than {MAX_ENTRIES}");
            return Err(malformed("offload bundle", Self::MAGIC.len() as u64, reason));
        }
        let mut entries: Vec<Entry<'data>> = Vec::new();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for _ in 0..count {
            let at = table.at as u64;
            let (offset, size) = (table.int("an entry's offset")?, table.int("an entry's size")?);
            let length = table.int("an entry ID's length")?;
            if length > MAX_ID {
                return Err(malformed("entry of the offload bundle", at, format!("its ID has {length} bytes")));
            }
            let id = table.take(length, "an entry ID")?;
            let id = std::str::from_utf8(id)
                .map_err(|_| malformed("entry of the offload bundle", at, "its ID is not UTF-8".to_owned()))?;
            let place = || format!("entry {id} of the offload bundle");
            let range = usize::try_from(offset).ok().zip(offset.checked_add(size).and_then(|end| end.try_into().ok()));
            let Some((range, contents)) =
                range.map(|(start, end)| start..end).and_then(|range| Some((range.clone(), bytes.get(range)?)))
            else {
                let reason = format!("{size} bytes at {offset:#x} are not within the {} bytes given", bytes.len());
                return Err(malformed(&place(), at, reason));
            };
            if entries.iter().any(|entry| entry.id == id) {
                return Err(malformed(&place(), at, "the ID is there twice".to_owned()));
            }
            if let Some(other) = ranges.iter().position(|other| overlap(other, &range)) {
                let reason = format!("its bytes overlap with entry {}", entries[other].id);
                return Err(malformed(&place(), at, reason));
            }
            entries.push(Entry { id, bytes: contents });
            ranges.push(range);
        }
        if let Some(index) = ranges.iter().position(|range| !range.is_empty() && range.start < table.at) {
            let reason = "its bytes overlap with the table of entries".to_owned();
            return Err(malformed(&format!("entry {} of the offload bundle", entries[index].id), 0, reason));
        }
        Ok(Bundle { entries })
    }

    /// The entries in the order of the file.
    pub fn entries(&self) -> &[Entry<'data>] {
        &self.entries
    }

    /// The code object for `device`. Of those that [run on it](TargetId::runs_on), code for the device's own processor
    /// is preferred to generic code, then the first with the most required settings.
    ///
    /// # Errors
    /// [`Error::NoCodeForTarget`], with what there is.
    pub fn code_for(&self, device: &TargetId) -> Result<&'data [u8], Error> {
        let mut best: Option<((bool, usize), &'data [u8])> = None;
        for entry in &self.entries {
            let Some(target) = entry.target().filter(|target| target.runs_on(device)) else { continue };
            if best.is_none_or(|(rank, _)| target.rank() > rank) {
                best = Some((target.rank(), entry.bytes));
            }
        }
        best.map(|(_, bytes)| bytes).ok_or_else(|| Error::NoCodeForTarget {
            device: device.clone(),
            present: self.entries.iter().take(16).map(|entry| entry.id.to_owned()).collect(),
        })
    }
}

/// Host entries are often empty; an empty range overlaps with nothing.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}

fn malformed(place: &str, offset: u64, reason: String) -> Error {
    Error::Malformed { place: place.to_owned(), offset: Some(offset), reason }
}

/// The table at a bundle's start.
struct Table<'data> {
    bytes: &'data [u8],
    at: usize,
}

impl<'data> Table<'data> {
    fn take(&mut self, length: u64, subject: &str) -> Result<&'data [u8], Error> {
        let taken = usize::try_from(length).ok().and_then(|length| self.bytes.get(self.at..)?.get(..length));
        let Some(taken) = taken else {
            let reason = format!("the {} bytes given end within {subject}", self.bytes.len());
            return Err(malformed("offload bundle", self.at as u64, reason));
        };
        self.at += taken.len();
        Ok(taken)
    }

    fn int(&mut self, subject: &str) -> Result<u64, Error> {
        let taken = self.take(8, subject)?;
        Ok(taken.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }
}
