//! Opens folders and files that only this user and root can change, by descriptors from the root folder on.
//!
//! A path that is looked at and opened later may name another file by then. Here each folder is opened in the one
//! before it, looked at through its own descriptor, and is the place where the next one is opened. A folder in which
//! others can neither rename nor create anything keeps its entries, so the path that comes out still names the same
//! file when the dynamic linker opens it.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// As many as the kernel follows in one path.
const MOST_LINKS: u32 = 40;

/// A folder in which only this user and root can replace files, as in all folders above it.
#[derive(Debug)]
pub struct Folder {
    /// Opened with `O_PATH`.
    descriptor: File,
    /// The path by which it was opened. What of it are symbolic links cannot be changed by others either.
    path: PathBuf,
}

impl Folder {
    /// Opens the folder of this absolute path.
    ///
    /// # Errors
    /// If there is none, or others can change what the path leads to.
    pub fn open(path: &Path) -> io::Result<Folder> {
        Self::walk(path, false)
    }

    /// Opens the folder of this absolute path, and makes it and those above it where they are missing. Others can write
    /// nothing in it.
    ///
    /// # Errors
    /// As of [`Folder::open`], if it belongs to another user, or if it cannot be made.
    pub fn own(path: &Path) -> io::Result<Folder> {
        let folder = Self::walk(path, true)?;
        let about = folder.descriptor.metadata()?;
        if about.uid() != user() || about.mode() & 0o022 != 0 {
            return Err(untrusted(&folder.path, &about));
        }
        Ok(folder)
    }

    fn walk(path: &Path, make: bool) -> io::Result<Folder> {
        let mut here = Self::root()?;
        let mut left = Vec::new();
        push_names(&mut left, path);
        let mut links = 0;
        while let Some(name) = left.pop() {
            let descriptor = match here.at(&name, libc::O_PATH, 0) {
                Err(error) if make && error.kind() == io::ErrorKind::NotFound => {
                    here.make(&name)?;
                    here.at(&name, libc::O_PATH, 0)?
                }
                opened => opened?,
            };
            let about = descriptor.metadata()?;
            let mut path = here.path.clone();
            match name.as_bytes() {
                b".." => _ = path.pop(),
                _ => path.push(&name),
            }
            if about.file_type().is_symlink() {
                links += 1;
                if links > MOST_LINKS {
                    return Err(io::Error::from_raw_os_error(libc::ELOOP));
                }
                if !is_trusted(about.uid()) {
                    return Err(untrusted(&path, &about));
                }
                let target = target(&descriptor)?;
                if target.is_absolute() {
                    here = Self::root()?;
                }
                push_names(&mut left, &target);
                continue;
            }
            here = Self { descriptor, path };
            here.check(&about)?;
        }
        here.path = path.to_owned();
        Ok(here)
    }

    fn root() -> io::Result<Folder> {
        let descriptor = openat(libc::AT_FDCWD, OsStr::new("/"), libc::O_PATH, 0)?;
        let root = Folder { descriptor, path: "/".into() };
        root.check(&root.descriptor.metadata()?)?;
        Ok(root)
    }

    fn check(&self, about: &Metadata) -> io::Result<()> {
        if !about.is_dir() {
            return Err(io::Error::from_raw_os_error(libc::ENOTDIR));
        }
        // Where the sticky bit is set, others can create entries, but rename and remove only their own.
        let others_replace = about.mode() & 0o022 != 0 && about.mode() & libc::S_ISVTX == 0;
        if is_trusted(about.uid()) && !others_replace { Ok(()) } else { Err(untrusted(&self.path, about)) }
    }

    /// The path of a file in it.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether it has a file of this name with just these bytes, which only this user and root can change.
    pub fn has(&self, name: &str, bytes: &[u8]) -> bool {
        // A named pipe is not to be waited for.
        self.at(OsStr::new(name), libc::O_RDONLY | libc::O_NONBLOCK, 0)
            .and_then(|file| {
                let about = file.metadata()?;
                let trusted = about.is_file() && is_trusted(about.uid()) && about.mode() & 0o022 == 0;
                Ok(trusted && about.len() == bytes.len() as u64 && is_equal(file, bytes)?)
            })
            .unwrap_or(false)
    }

    /// Writes a file of this name atomically, replacing an existing one. Other programs never see a partial file, and
    /// those with the old one open keep it.
    ///
    /// # Errors
    /// The system's.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        // Processes of containers that share the folder may have the same number.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let new = OsString::from(format!("{}-{}.new", std::process::id(), now.as_nanos()));
        let mut file = self.at(&new, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL, 0o600)?;
        let renamed = file.write_all(bytes).and_then(|()| {
            let (from, to) = (c_string(&new)?, c_string(OsStr::new(name))?);
            let folder = self.descriptor.as_raw_fd();
            // SAFETY: an open descriptor and two C strings.
            succeeded(unsafe { libc::renameat(folder, from.as_ptr(), folder, to.as_ptr()) })
        });
        renamed.inspect_err(|_| {
            if let Ok(new) = c_string(&new) {
                // SAFETY: an open descriptor and a C string.
                unsafe { libc::unlinkat(self.descriptor.as_raw_fd(), new.as_ptr(), 0) };
            }
        })
    }

    fn at(&self, name: &OsStr, flags: i32, mode: libc::mode_t) -> io::Result<File> {
        openat(self.descriptor.as_raw_fd(), name, flags | libc::O_NOFOLLOW, mode)
    }

    /// Makes a folder in it, unless somebody else just did.
    fn make(&self, name: &OsStr) -> io::Result<()> {
        let name = c_string(name)?;
        // SAFETY: an open descriptor and a C string.
        match succeeded(unsafe { libc::mkdirat(self.descriptor.as_raw_fd(), name.as_ptr(), 0o700) }) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }
}

/// Whether a user can do nothing that this process could not suffer from anyway.
fn is_trusted(owner: u32) -> bool {
    owner == 0 || owner == user()
}

fn user() -> u32 {
    // SAFETY: only returns a number.
    unsafe { libc::geteuid() }
}

fn untrusted(path: &Path, about: &Metadata) -> io::Error {
    let (path, owner) = (path.display(), about.uid());
    let reason = if is_trusted(owner) {
        format!("others may write to {path} (mode {:04o})", about.mode() & 0o7777)
    } else {
        format!("{path} belongs to user {owner}")
    };
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

/// Puts a path's names on a stack, the first on top.
fn push_names(stack: &mut Vec<OsString>, path: &Path) {
    stack.extend(path.components().rev().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    }));
}

/// Where a symbolic link leads.
fn target(link: &File) -> io::Result<PathBuf> {
    let mut target = vec![0u8; libc::PATH_MAX as usize];
    // SAFETY: an open descriptor, an empty C string for what it stands for itself, and a buffer with its length.
    let length = unsafe { libc::readlinkat(link.as_raw_fd(), c"".as_ptr(), target.as_mut_ptr().cast(), target.len()) };
    target.truncate(usize::try_from(length).map_err(|_| io::Error::last_os_error())?);
    Ok(OsString::from_vec(target).into())
}

fn openat(folder: i32, name: &OsStr, flags: i32, mode: libc::mode_t) -> io::Result<File> {
    let name = c_string(name)?;
    loop {
        // SAFETY: a descriptor or the number for none, and a C string.
        match unsafe { libc::openat(folder, name.as_ptr(), flags | libc::O_CLOEXEC, mode) } {
            -1 => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            },
            // SAFETY: just opened, and nobody else has it.
            opened => return Ok(unsafe { File::from_raw_fd(opened) }),
        }
    }
}

fn c_string(name: &OsStr) -> io::Result<CString> {
    Ok(CString::new(name.as_bytes())?)
}

fn succeeded(returned: i32) -> io::Result<()> {
    if returned == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether a file that is as long as `bytes` has them.
fn is_equal(mut file: File, bytes: &[u8]) -> io::Result<bool> {
    let mut read = vec![0; bytes.len().min(1 << 20)];
    for part in bytes.chunks(1 << 20) {
        let read = &mut read[..part.len()];
        file.read_exact(read)?;
        if read != part {
            return Ok(false);
        }
    }
    Ok(true)
}
