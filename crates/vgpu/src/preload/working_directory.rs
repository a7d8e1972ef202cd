//! `chdir` and `getcwd`: virtual directories as working directories.
//!
//! The kernel knows nothing of them. While one is the program's working directory, the kernel's is `/proc`, where
//! nobody can make or remove anything, and relative paths are looked up from here. A program that is started then finds
//! the directory in `PWD`, which shells set.

use super::paths::{self, Own};
use super::{fail, integer, uncancelled};
use crate::driver::files::{self, Opened};
use crate::driver::sysfs;
use crate::driver::sysfs::tree::{Found, Node};
use crate::errno::Errno;
use crate::real;
use libc::{c_char, c_int, pid_t};
use std::cell::Cell;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

/// A working directory from which relative paths may lead to something virtual.
pub struct Base {
    /// Where it is.
    pub path: String,
    /// It is virtual.
    pub own: bool,
}

/// The kernel's working directory meanwhile.
const MEANWHILE: &std::ffi::CStr = c"/proc";

/// Null: nothing virtual is near. What is replaced is never freed, as another thread may look at it; programs change
/// their directory rarely.
static BASE: AtomicPtr<Base> = AtomicPtr::new(std::ptr::null_mut());

/// The process whose that is.
static PROCESS: AtomicI32 = AtomicI32::new(0);

thread_local! {
    // A child of `vfork` has its parent's memory, and this thread's variables, but a working directory of its own: the
    // child, and its directory once it has changed it.
    static CHILD: Cell<(pid_t, *const Base)> = const { Cell::new((0, std::ptr::null())) };
}

/// The working directory, if something virtual is near.
pub fn base() -> Option<&'static Base> {
    let (child, base) = CHILD.get();
    // SAFETY: plain system call.
    if child != 0 && child == unsafe { libc::getpid() } {
        // SAFETY: never freed.
        return unsafe { base.as_ref() };
    }
    // SAFETY: never freed.
    unsafe { BASE.load(Ordering::Acquire).as_ref() }
}

fn set(base: Option<Base>) {
    let base = base.map_or(std::ptr::null_mut(), |base| Box::into_raw(Box::new(base)));
    // SAFETY: plain system call.
    let process = unsafe { libc::getpid() };
    if process == PROCESS.load(Ordering::Relaxed) {
        BASE.store(base, Ordering::Release);
    } else {
        CHILD.set((process, base));
    }
}

/// Gives this process a working directory of its own, at its beginning and in a forked child.
pub fn own() {
    // SAFETY: plain system call.
    PROCESS.store(unsafe { libc::getpid() }, Ordering::Relaxed);
}

/// Takes over the working directory that the program was started in.
pub fn start() {
    own();
    look();
    let Some(path) = std::env::var("PWD").ok().filter(|_| machines() == MEANWHILE.to_str().ok().map(String::from))
    else {
        return;
    };
    if let Some(Found::Node(path, node)) = sysfs::tree().map(|tree| tree.find(&path, true))
        && let Node::Directory(directory) = &*node
        && !directory.overlay
    {
        set(Some(Base { path, own: true }));
    }
}

/// The kernel's working directory.
fn machines() -> Option<String> {
    let mut buffer = [0u8; libc::PATH_MAX as usize];
    // SAFETY: a buffer of that size.
    if unsafe { real::getcwd(buffer.as_mut_ptr().cast(), buffer.len()) }.is_null() {
        return None;
    }
    let path = std::ffi::CStr::from_bytes_until_nul(&buffer).ok()?;
    path.to_str().ok().map(String::from)
}

/// Looks where the kernel's working directory is now.
fn look() {
    let near = |path: &String| path == "/" || path.starts_with("/dev") || path.starts_with("/sys");
    set(machines().filter(near).map(|path| Base { path, own: false }));
}

fn enter(path: String) -> Result<c_int, Errno> {
    // SAFETY: a C string.
    if unsafe { real::chdir(MEANWHILE.as_ptr()) } != 0 {
        return Err(Errno::last());
    }
    set(Some(Base { path, own: true }));
    Ok(0)
}

fn enter_own(found: Own) -> Result<c_int, Errno> {
    let (path, node) = found?;
    if matches!(*node, Node::Directory(_)) { enter(path) } else { Err(Errno::ENOTDIR) }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chdir(path: *const c_char) -> c_int {
    let machine = |_, path| {
        // SAFETY: the caller's path, or the same from the root.
        let result = unsafe { real::chdir(path) };
        if result == 0 && sysfs::tree().is_some() {
            uncancelled(look);
        }
        result
    };
    // SAFETY: the caller's argument is passed on.
    unsafe { paths::either(libc::AT_FDCWD, path, true, enter_own, machine) }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fchdir(fd: c_int) -> c_int {
    if let Some(Opened::Directory(path)) = files::lookup(fd) {
        return integer(uncancelled(|| enter(path.to_string())));
    }
    // SAFETY: the caller's argument is passed on.
    let result = unsafe { real::fchdir(fd) };
    if result == 0 && sysfs::tree().is_some() {
        uncancelled(look);
    }
    result
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getcwd(buffer: *mut c_char, size: usize) -> *mut c_char {
    let Some(base) = base().filter(|base| base.own) else {
        // SAFETY: the caller's arguments are passed on.
        return unsafe { real::getcwd(buffer, size) };
    };
    let needed = base.path.len() + 1;
    let to = match (buffer.is_null(), size) {
        (false, 0) => return fail(Errno::EINVAL, std::ptr::null_mut()),
        (_, 1..) if size < needed => return fail(Errno(libc::ERANGE), std::ptr::null_mut()),
        (false, _) => buffer,
        // SAFETY: memory of malloc's, which the caller frees.
        (true, _) => unsafe { libc::malloc(size.max(needed)) }.cast(),
    };
    if to.is_null() {
        return fail(Errno::ENOMEM, to);
    }
    // SAFETY: there is room for the path and its end.
    unsafe {
        std::ptr::copy_nonoverlapping(base.path.as_ptr().cast(), to, base.path.len());
        to.add(base.path.len()).write(0);
    }
    to
}

/// Interposes the fortified form of `getcwd`.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __getcwd_chk(buffer: *mut c_char, size: usize, room: usize) -> *mut c_char {
    // libc ends programs that tell of more room than there is.
    // SAFETY: the caller's arguments are passed on.
    unsafe { if room < size { real::__getcwd_chk(buffer, size, room) } else { getcwd(buffer, size) } }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn get_current_dir_name() -> *mut c_char {
    match base().filter(|base| base.own) {
        // SAFETY: it gives memory of malloc's.
        Some(_) => unsafe { getcwd(std::ptr::null_mut(), 0) },
        // SAFETY: no arguments.
        None => unsafe { real::get_current_dir_name() },
    }
}
