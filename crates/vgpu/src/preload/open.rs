//! `open`, `fopen` and their families; `popen` of `lsmod`.
//!
//! Threads may be cancelled in these, which unwinds through them.

use super::{fail, find, integer, uncancelled};
use crate::driver::config::Config;
use crate::driver::device;
use crate::driver::drm::RenderFile;
use crate::driver::files::{self, Opened};
use crate::driver::sysfs::pci::{DRM_MAJOR, KFD_MAJOR};
use crate::driver::sysfs::tree::{Found, Node};
use crate::errno::Errno;
use crate::real;
use libc::{FILE, c_char, c_int, mode_t};
use std::ffi::{CStr, CString};

/// Opens a virtual path; `None` if the path is the machine's.
///
/// # Safety
/// `path` is null or a C string.
unsafe fn open_virtual(directory: c_int, path: *const c_char, flags: c_int) -> Option<Result<c_int, Errno>> {
    // SAFETY: as promised by the caller.
    match unsafe { find(directory, path, flags & libc::O_NOFOLLOW == 0) }? {
        Found::Node(_, Node::Directory(directory)) if directory.overlay => None,
        Found::Node(path, node) => Some(uncancelled(|| open_node(&path, node, flags))),
        Found::Missing(errno) => Some(Err(if flags & libc::O_CREAT != 0 { Errno::EACCES } else { errno })),
        Found::Real => None,
    }
}

fn open_node(path: &str, node: &Node, flags: c_int) -> Result<c_int, Errno> {
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
    let close_on_exec = flags & libc::O_CLOEXEC != 0;
    if flags & libc::O_DIRECTORY != 0 && !matches!(node, Node::Directory(_)) {
        return Err(Errno::ENOTDIR);
    }
    match node {
        Node::Directory(_) if writes => Err(Errno::EISDIR),
        Node::Directory(_) => files::open(c"vgpu-directory", Opened::Directory(path.into()), close_on_exec),
        Node::File(_) if writes => Err(Errno::EACCES),
        Node::File(content) => files::open_content(path, content, close_on_exec),
        Node::Link(_) => Err(Errno(libc::ELOOP)),
        Node::Device { major: KFD_MAJOR, .. } => {
            device::prepare()?;
            files::open(c"vgpu-kfd", Opened::Kfd, close_on_exec)
        }
        Node::Device { major: DRM_MAJOR, minor } => {
            device::prepare()?;
            let index = minor - Config::render_minor(0);
            files::open(c"vgpu-render", Opened::Render(RenderFile::new(index)), close_on_exec)
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
            unsafe { open_virtual(libc::AT_FDCWD, path, flags).map_or_else(|| real::open(path, flags, mode), integer) }
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
            unsafe {
                open_virtual(directory, path, flags).map_or_else(|| real::openat(directory, path, flags, mode), integer)
            }
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
                match open_virtual(libc::AT_FDCWD, path, open_flags(CStr::from_ptr(mode).to_bytes())) {
                    None => real::fopen(path, mode),
                    Some(Ok(fd)) => {
                        let stream = libc::fdopen(fd, mode);
                        if stream.is_null() {
                            real::close(fd);
                        }
                        stream
                    }
                    Some(Err(errno)) => fail(errno, std::ptr::null_mut()),
                }
            }
        }
    )*};
}
fopen!(fopen fopen64);

/// Interposes `popen`: ROCm 5's rocminfo looks for the driver by `lsmod`.
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
