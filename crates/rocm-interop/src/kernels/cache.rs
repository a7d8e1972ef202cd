//! Compiled programs, kept on disk.

mod entry;
mod key;

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use kfd::code::CodeObject;

use crate::kernels::parameter::code_for;
use crate::session::Core;
use crate::{Error, Result};
pub(crate) use entry::Compiled;
pub(crate) use key::Inputs;

/// Compiled programs in a folder, for [`HipModule::build_cached`](crate::HipModule::build_cached) and [`OpenClProgram::build_cached`](crate::OpenClProgram::build_cached).
///
/// Code is found again if all is the same that it depends on: the source, its headers and options, the kernels' names, the API, the GPU's instruction set, the files of the compiler, and the
/// variables that give it options. What may depend on more is compiled each time: options that may read a file (`-I`, and all that this crate does not know), and an `#include` of
/// what is not given as a text.
///
/// Threads and processes may share a folder, each with a value of its own or not. A file appears whole, and is read only if it has the checksum that it was written with, and code for the session's GPU; one
/// that is torn or changed is told of, compiled again and replaced.
///
/// Nothing fails because the cache does: the source is compiled then. [`counts`](CodeCache::counts) tells how often, and `tracing` why, as a warning.
///
/// Who can write to the folder decides what runs on the GPU, so it belongs to this user or root, and nobody else may write there.
///
/// ```no_run
/// # use rocm_interop::{CodeCache, HipModule, Session};
/// # fn f(session: &Session) -> Result<(), Box<dyn std::error::Error>> {
/// let cache = CodeCache::open("/home/me/.cache/my-program", 256 << 20)?;
/// let module = HipModule::build_cached(session, "extern \"C\" __global__ void k() {}", &cache)?;
/// println!("{:?}", cache.counts());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct CodeCache {
    folder: PathBuf,
    limit: u64,
    found: AtomicU64,
    compiled: AtomicU64,
    refused: AtomicU64,
    not_kept: AtomicU64,
}

/// What became of programs that were asked for, since the [`CodeCache`] was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheCounts {
    /// Found, and not compiled.
    pub found: u64,
    /// Compiled, as they were not there.
    pub compiled: u64,
    /// Files that were there and not taken: torn, changed, not to be read, or not loaded by the API. Their programs were compiled.
    pub refused: u64,
    /// Compiled and not kept: they may depend on files, or could not be written.
    pub not_kept: u64,
}

/// End of the names of the cache's files.
const EXTENSION: &str = "code";
/// The same of files that are being written.
const UNFINISHED: &str = "unfinished";
/// Whoever wrote such a file for so long has ended.
const ABANDONED: Duration = Duration::from_secs(3600);

impl CodeCache {
    /// A folder, which is made if it is not there. When a program is added, those that were not used for longest are removed until all have `max_bytes` or less. Other files in the folder are
    /// left alone.
    ///
    /// # Errors
    /// [`Error::Cache`] if it cannot be made or read, is no folder, belongs to another user, or others may write to it.
    pub fn open(folder: impl Into<PathBuf>, max_bytes: u64) -> Result<CodeCache> {
        let folder = folder.into();
        let refuse = |reason: String| Error::Cache { path: folder.clone(), reason };
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.map_err(|error| refuse(error.to_string()))?;
        let about = std::fs::metadata(&folder).map_err(|error| refuse(error.to_string()))?;
        let user = rustix::process::geteuid().as_raw();
        if ![0, user].contains(&about.uid()) {
            return Err(refuse(format!(
                "belongs to user {}, who decides what it has: choose a folder of your own",
                about.uid()
            )));
        }
        if about.mode() & 0o022 != 0 {
            let mode = about.mode() & 0o7777;
            return Err(refuse(format!(
                "others may write to it (mode {mode:o}), and so decide what it has: chmod go-w"
            )));
        }
        let none = AtomicU64::default;
        let (found, compiled, refused, not_kept) = (none(), none(), none(), none());
        Ok(CodeCache { folder, limit: max_bytes, found, compiled, refused, not_kept })
    }

    /// What it was good for so far.
    pub fn counts(&self) -> CacheCounts {
        let [found, compiled, refused, not_kept] =
            [&self.found, &self.compiled, &self.refused, &self.not_kept].map(|count| count.load(Ordering::Relaxed));
        CacheCounts { found, compiled, refused, not_kept }
    }

    /// Where what is compiled of `inputs` is, or goes.
    pub(crate) fn place<'c>(&'c self, core: &'c Core, inputs: &Inputs<'_>) -> Place<'c> {
        let key = key::key(core, inputs).inspect_err(|reason| {
            tracing::info!(reason, api = %inputs.api, "not cached, as it may depend on what is not known");
        });
        let path = key.as_ref().map(|key| self.folder.join(format!("{:016x}.{EXTENSION}", entry::checksum(key))));
        Place { cache: self, core, path: path.unwrap_or_default(), key: key.ok() }
    }

    /// Removes what was not used for longest.
    fn shrink(&self) -> std::io::Result<()> {
        let (mut files, mut all) = (Vec::new(), 0);
        for file in std::fs::read_dir(&self.folder)? {
            let path = file?.path();
            // Others may remove it meanwhile.
            let Ok(about) = std::fs::symlink_metadata(&path) else { continue };
            let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match path.extension().and_then(|extension| extension.to_str()) {
                Some(EXTENSION) => {
                    all += about.len();
                    files.push((used, about.len(), path));
                }
                Some(UNFINISHED) if used.elapsed().is_ok_and(|age| age > ABANDONED) => remove(&path)?,
                _ => {}
            }
        }
        files.sort();
        for (_, bytes, path) in files {
            if all <= self.limit {
                break;
            }
            tracing::debug!(path = %path.display(), bytes, "removed from the cache, which is full");
            remove(&path)?;
            all -= bytes;
        }
        Ok(())
    }
}

/// Unless somebody else just did.
fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Of one program in a cache.
pub(crate) struct Place<'c> {
    cache: &'c CodeCache,
    core: &'c Core,
    path: PathBuf,
    /// `None` if it cannot be cached.
    key: Option<Vec<u8>>,
}

impl Place<'_> {
    /// What is there, if it is whole and for this GPU.
    pub(crate) fn find(&self) -> Option<Compiled> {
        let key = self.key.as_ref()?;
        let bytes = match self.read() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                self.refuse(&error);
                return None;
            }
        };
        match entry::decode(&bytes, key) {
            Ok(Some(found)) => match code_for(self.core, &found.code) {
                Ok(_) => {
                    tracing::debug!(path = %self.path.display(), "compiled before");
                    self.cache.found.fetch_add(1, Ordering::Relaxed);
                    return Some(found);
                }
                Err(error) => self.refuse(&error),
            },
            // Another program has the same name for its file, and gives way.
            Ok(None) => {}
            Err(reason) => self.refuse(&reason),
        }
        None
    }

    fn read(&self) -> std::io::Result<Vec<u8>> {
        // What is no file may block for ever.
        let file = File::options().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(&self.path)?;
        let about = file.metadata()?;
        if !about.is_file() || about.len() > self.cache.limit {
            return Err(std::io::Error::other(format!("no file, or one of more than {} bytes", self.cache.limit)));
        }
        let mut bytes = Vec::with_capacity(about.len() as usize);
        (&file).take(self.cache.limit).read_to_end(&mut bytes)?;
        // It is the last to be removed now.
        if let Err(error) = file.set_modified(SystemTime::now()) {
            tracing::debug!(path = %self.path.display(), %error, "nobody will see that this was used");
        }
        Ok(bytes)
    }

    /// What was found is not taken, and what is compiled replaces it.
    pub(crate) fn refuse(&self, reason: &dyn std::fmt::Display) {
        tracing::warn!(path = %self.path.display(), %reason, "a file of the cache is not taken; its program is compiled again");
        self.cache.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// What was found was not loaded by the API.
    pub(crate) fn refuse_found(&self, reason: &Error) {
        self.cache.found.fetch_sub(1, Ordering::Relaxed);
        self.refuse(reason);
    }

    /// Keeps what was compiled.
    pub(crate) fn keep(&self, code: &[u8], symbols: &[(String, String)]) {
        self.cache.compiled.fetch_add(1, Ordering::Relaxed);
        let outcome = match &self.key {
            Some(key) => self.try_keep(key, code, symbols),
            None => {
                self.cache.not_kept.fetch_add(1, Ordering::Relaxed);
                return;
            }
        };
        if let Err(reason) = outcome {
            tracing::warn!(path = %self.path.display(), reason, "not kept in the cache");
            self.cache.not_kept.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn try_keep(&self, key: &[u8], code: &[u8], symbols: &[(String, String)]) -> Result<(), String> {
        // Of another form, nobody could see what it is when it is read.
        CodeObject::parse(code).map_err(|error| error.to_string())?;
        let bytes = entry::encode(key, code, symbols);
        if bytes.len() as u64 > self.cache.limit {
            return Err(format!("{} bytes are more than all may have, {}", bytes.len(), self.cache.limit));
        }
        self.write(&bytes).and_then(|()| self.cache.shrink()).map_err(|error| error.to_string())
    }

    /// So that a reader sees all of it or none.
    fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        static WRITTEN: AtomicU64 = AtomicU64::new(0);
        let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.path.with_extension(format!("{}-{number}.{UNFINISHED}", std::process::id()));
        // Left by a process of the same number.
        remove(&unfinished)?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
        let written = file.write_all(bytes).and_then(|()| std::fs::rename(&unfinished, &self.path));
        if written.is_err() {
            remove(&unfinished)?;
        }
        written
    }
}
