//! The libc functions that this library interposes when it is loaded in front of a program.
//!
//! Each asks first whether the call concerns the device (a path below `/dev` or `/sys`, a descriptor of ours) and otherwise goes
//! straight to the next library's function. Calls that glibc makes inside itself (`glob`, `nftw`) and raw system calls do not come here.
//!
//! Variadic functions are defined with fixed arguments, which the x86-64 calling convention passes the same way.

mod device;
mod directory;
mod open;
mod status;

use crate::errno::Errno;
use crate::files::{self, Opened};
use crate::sysfs::{self, tree::Found};
use libc::{c_char, c_int};
use std::ffi::CStr;

/// Sets `errno` and gives the value that goes with it.
fn fail<T>(errno: Errno, value: T) -> T {
    // SAFETY: errno is the calling thread's own.
    unsafe { *libc::__errno_location() = errno.0 };
    value
}

/// The value of a call that returns an integer.
fn integer(result: Result<c_int, Errno>) -> c_int {
    result.unwrap_or_else(|errno| fail(errno, -1))
}

/// Looks `path` up in the virtual tree. `None`: it is the machine's.
///
/// # Safety
/// `path` is null or a C string.
unsafe fn find(directory: c_int, path: *const c_char, follow: bool) -> Option<Found<'static>> {
    if path.is_null() {
        return None;
    }
    // SAFETY: a C string has at least its NUL.
    let first = unsafe { *path } as u8;
    let joined;
    let path = if first == b'/' {
        // SAFETY: the byte before was not the NUL.
        let second = unsafe { *path.add(1) } as u8;
        if second != b'd' && second != b's' {
            return None;
        }
        // SAFETY: as promised by the caller.
        let path = unsafe { CStr::from_ptr(path) }.to_bytes();
        if !path.starts_with(b"/dev") && !path.starts_with(b"/sys") {
            return None;
        }
        std::str::from_utf8(path).ok()?
    } else {
        if directory == libc::AT_FDCWD || first == 0 {
            return None;
        }
        let Some(Opened::Directory(base)) = files::lookup(directory) else { return None };
        // SAFETY: as promised by the caller.
        joined = format!("{base}/{}", unsafe { CStr::from_ptr(path) }.to_str().ok()?);
        &joined
    };
    match sysfs::tree()?.find(path, follow) {
        Found::Real => None,
        found => Some(found),
    }
}
