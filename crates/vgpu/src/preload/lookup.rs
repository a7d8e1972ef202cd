//! `dlsym`: programs that look up functions in libc itself, as Python's `ctypes` does, get the interposed ones.
//!
//! Whoever looks a function up in all libraries (`RTLD_DEFAULT`, the program's own handle) finds the first one, which
//! is ours already. `RTLD_NEXT` and `dlvsym` say which function is meant, and are left alone.

use super::hip::HIP;
pub use interposition::dlsym::resolve;
use interposition::dlsym::{find, for_program, next};
use std::ffi::{CStr, c_void};

interposition::interpose_dlsym!(answer);

/// The functions of libc that this library interposes, sorted.
const INTERPOSED: &[&str] = &[
    "__fxstat",
    "__fxstat64",
    "__fxstatat",
    "__fxstatat64",
    "__getcwd_chk",
    "__lxstat",
    "__lxstat64",
    "__open64_2",
    "__open_2",
    "__openat64_2",
    "__openat_2",
    "__readlink_chk",
    "__readlinkat_chk",
    "__realpath_chk",
    "__xstat",
    "__xstat64",
    "access",
    "canonicalize_file_name",
    "chdir",
    "close",
    "close_range",
    "closedir",
    "closefrom",
    "creat",
    "creat64",
    "dirfd",
    "dup2",
    "dup3",
    "eaccess",
    "euidaccess",
    "faccessat",
    "fchdir",
    "fclose",
    "fdopendir",
    "fopen",
    "fopen64",
    "freopen",
    "freopen64",
    "fstat",
    "fstat64",
    "fstatat",
    "fstatat64",
    "get_current_dir_name",
    "getcwd",
    "glob",
    "glob64",
    "ioctl",
    "lstat",
    "lstat64",
    "madvise",
    "mmap",
    "mmap64",
    "mprotect",
    "mremap",
    "msync",
    "munmap",
    "open",
    "open64",
    "openat",
    "openat64",
    "opendir",
    "popen",
    "process_vm_readv",
    "process_vm_writev",
    "readdir",
    "readdir64",
    "readdir64_r",
    "readdir_r",
    "readlink",
    "readlinkat",
    "realpath",
    "rewinddir",
    "scandir",
    "scandir64",
    "scandirat",
    "scandirat64",
    "seekdir",
    "stat",
    "stat64",
    "statx",
    "telldir",
];

fn answer(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    if INTERPOSED.binary_search_by(|known| known.as_bytes().cmp(name.to_bytes())).is_err() {
        // SAFETY: the handle is the program's.
        return unsafe { HIP.lookup(handle, name) };
    }
    // SAFETY: the handle is the program's.
    let found = unsafe { for_program(handle, name) };
    if found.is_null() || next(name) != Some(found) {
        return Some(found);
    }
    // What is behind ours was found: the program gets what it would call if it were linked with it.
    // SAFETY: a number that stands for all libraries.
    Some(unsafe { find(libc::RTLD_DEFAULT, name) }.unwrap_or(found))
}
