//! `open`, `fopen` and similar functions; `popen` of `lsmod`.
//!
//! Threads may be cancelled in these, which unwinds through them.

use super::paths::{self, Own};
use crate::driver::config::Config;
use crate::driver::device;
use crate::driver::drm::RenderFile;
use crate::driver::files::{self, Opened};
use crate::driver::sysfs::pci::{DRM_MAJOR, KFD_MAJOR};
use crate::driver::sysfs::tree::Node;
use crate::errno::Errno;
use crate::real;
use libc::{FILE, c_char, c_int, mode_t};
use std::ffi::{CStr, CString};

/// Opens a path by `machine`, or as a virtual one.
///
/// # Safety
/// `path` is null or a C string.
unsafe fn open_either(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    machine: impl Fn(c_int, *const c_char) -> c_int,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe { paths::either(directory, path, flags & libc::O_NOFOLLOW == 0, |found| open_own(found, flags), machine) }
}

fn open_own(found: Own, flags: c_int) -> Result<c_int, Errno> {
    match found {
        Ok((path, node)) => open_node(&path, &node, flags),
        Err(_) if flags & libc::O_CREAT != 0 => Err(Errno::EACCES),
        Err(errno) => Err(errno),
    }
}

fn open_node(path: &str, node: &Node, flags: c_int) -> Result<c_int, Errno> {
    // With `O_PATH` only these count.
    let flags = match flags & libc::O_PATH {
        0 => flags,
        _ => flags & (libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC),
    };
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
    let creates = flags & libc::O_CREAT != 0;
    let directory = matches!(node, Node::Directory(_) | Node::Made(_));
    if flags & libc::O_DIRECTORY != 0 && !directory {
        return Err(Errno::ENOTDIR);
    }
    if flags & libc::O_PATH != 0 && !directory {
        return files::open_content(path, &[], flags);
    }
    if creates && flags & libc::O_EXCL != 0 {
        return Err(Errno(libc::EEXIST));
    }
    match node {
        Node::Directory(_) | Node::Made(_) if writes || creates => Err(Errno::EISDIR),
        Node::Directory(_) | Node::Made(_) => files::open(Opened::Directory(path.into()), flags),
        Node::File(_) | Node::Live { .. } if writes => Err(Errno::EACCES),
        Node::Live { read, gpu } => files::open_content(path, &read(*gpu), flags),
        Node::File(content) => files::open_content(path, content, flags),
        Node::Link(_) => Err(Errno(libc::ELOOP)),
        Node::Device { major: KFD_MAJOR, .. } => {
            device::open_kfd()?;
            files::open(Opened::Kfd, flags)
        }
        Node::Device { major: DRM_MAJOR, minor } => {
            device::prepare()?;
            let index = minor - Config::render_minor(0);
            files::open(Opened::Render(RenderFile::new(index)), flags)
        }
        Node::Device { .. } => Err(Errno::ENXIO),
    }
}

macro_rules! open {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            // SAFETY: the caller's arguments are passed on.
            unsafe { open_either(libc::AT_FDCWD, path, flags, |_, path| real::open(path, flags, mode)) }
        }
    )*};
}
open!(open open64);

macro_rules! openat {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(directory: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
            // SAFETY: the caller's arguments are passed on.
            unsafe { open_either(directory, path, flags, |directory, path| real::openat(directory, path, flags, mode)) }
        }
    )*};
}
openat!(openat openat64);

macro_rules! creat {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(path: *const c_char, mode: mode_t) -> c_int {
            // SAFETY: the caller's arguments are passed on.
            unsafe { open(path, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode) }
        }
    )*};
}
creat!(creat creat64);

macro_rules! open_2 {
    ($($name:ident)*) => {$(
        /// Interposes the fortified form of `open`.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(path: *const c_char, flags: c_int) -> c_int {
            // SAFETY: the caller's arguments are passed on.
            unsafe { open(path, flags, 0) }
        }
    )*};
}
open_2!(__open_2 __open64_2);

macro_rules! openat_2 {
    ($($name:ident)*) => {$(
        /// Interposes the fortified form of `openat`.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(directory: c_int, path: *const c_char, flags: c_int) -> c_int {
            // SAFETY: the caller's arguments are passed on.
            unsafe { openat(directory, path, flags, 0) }
        }
    )*};
}
openat_2!(__openat_2 __openat64_2);

/// The flags of `open` for a mode of `fopen`.
fn open_flags(mode: &[u8]) -> c_int {
    let access = match mode.first() {
        _ if mode.contains(&b'+') => libc::O_RDWR,
        Some(b'r') => libc::O_RDONLY,
        _ => libc::O_WRONLY,
    };
    access | if mode.contains(&b'e') { libc::O_CLOEXEC } else { 0 }
}

macro_rules! fopen {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(path: *const c_char, mode: *const c_char) -> *mut FILE {
            // SAFETY: the caller's arguments are passed on, which are C strings.
            unsafe {
                let flags = open_flags(CStr::from_ptr(mode).to_bytes());
                let own = |found| {
                    let fd = open_own(found, flags)?;
                    let stream = libc::fdopen(fd, mode);
                    if !stream.is_null() {
                        return Ok(stream);
                    }
                    let errno = Errno::last();
                    real::close(fd);
                    Err(errno)
                };
                paths::either(libc::AT_FDCWD, path, true, own, |_, path| real::fopen(path, mode))
            }
        }
    )*};
}
fopen!(fopen fopen64);

macro_rules! freopen {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE {
            // SAFETY: the caller's arguments are passed on, which are C strings and a stream.
            unsafe {
                let own = |found| {
                    let opened = open_own(found, open_flags(CStr::from_ptr(mode).to_bytes()));
                    let path = opened.map_or(c"".to_owned(), |fd| {
                        CString::new(format!("/proc/self/fd/{fd}")).unwrap_or_default()
                    });
                    // It closes the stream also where there is nothing to open.
                    let stream = real::freopen(path.as_ptr(), mode, stream);
                    let errno = Errno::last();
                    real::close(opened?);
                    if stream.is_null() { Err(errno) } else { Ok(stream) }
                };
                let reopened = paths::either(libc::AT_FDCWD, path, true, own, |_, path| real::freopen(path, mode, stream));
                files::any_changed();
                reopened
            }
        }
    )*};
}
freopen!(freopen freopen64);

/// Interposes `popen`, because ROCm 5's rocminfo searches for the driver by `lsmod`.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn popen(command: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: `command` is a C string.
    let text = unsafe { CStr::from_ptr(command) };
    let text = if Config::get().is_some() && text.to_bytes().starts_with(b"lsmod") {
        let with_driver = "lsmod() { command lsmod 2>/dev/null; echo 'amdgpu 15933440 0'; }; ";
        CString::new([with_driver.as_bytes(), text.to_bytes()].concat()).unwrap_or_else(|_| text.to_owned())
    } else {
        text.to_owned()
    };
    // SAFETY: both are C strings.
    unsafe { real::popen(text.as_ptr(), mode) }
}
