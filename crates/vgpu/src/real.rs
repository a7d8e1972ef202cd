//! libc's own functions, which the interposed functions call.
//!
//! Code of this crate calls these, never `libc::open` and the like, which would come back to the interposed ones.

use crate::errno::Errno;
use libc::{c_char, c_int, c_long, c_ulong, c_void, dirent, iovec};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of the next library in search order, looked up when it is first called or by [`resolve`].
struct Next {
    name: &'static std::ffi::CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    /// The function called `name`.
    const fn new(name: &'static std::ffi::CStr) -> Next {
        Next { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// The address; null if no other library has it.
    fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        // SAFETY: `name` is a C string.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(found, Ordering::Release);
        found
    }
}

/// What a function of libc returns when it fails.
trait Failure {
    const FAILURE: Self;
}
impl Failure for c_int {
    const FAILURE: c_int = -1;
}
impl Failure for isize {
    const FAILURE: isize = -1;
}
impl Failure for c_long {
    const FAILURE: c_long = -1;
}
impl Failure for () {
    const FAILURE: () = ();
}
impl<T> Failure for *mut T {
    // As `MAP_FAILED` for mmap; the other functions that return pointers are in every glibc.
    const FAILURE: *mut T = std::ptr::without_provenance_mut(usize::MAX);
}

macro_rules! next {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        #[allow(non_upper_case_globals)]
        mod next {
            use super::Next;
            $(pub static $name: Next = {
                const NAME: &str = concat!(stringify!($name), "\0");
                match std::ffi::CStr::from_bytes_with_nul(NAME.as_bytes()) {
                    Ok(name) => Next::new(name),
                    Err(_) => panic!("the name ends in its only NUL"),
                }
            };)*
        }

        /// Looks all functions up: later, a caller may be in a signal handler or hold the loader's lock.
        pub fn resolve() {
            $(next::$name.address();)*
        }

        $(
            $(#[$meta])*
            ///
            /// # Safety
            /// That of the libc function of this name.
            pub unsafe fn $name($($argument: $type),*) -> $result {
                let address = next::$name.address();
                if address.is_null() {
                    // SAFETY: errno is the calling thread's own.
                    unsafe { *libc::__errno_location() = libc::ENOSYS };
                    return <$result as Failure>::FAILURE;
                }
                // SAFETY: libc's function of this name has this signature on x86-64 (variadic arguments pass like fixed
                // ones there).
                let function: unsafe extern "C-unwind" fn($($type),*) -> $result = unsafe { std::mem::transmute(address) };
                // SAFETY: as promised by the caller.
                unsafe { function($($argument),*) }
            }
        )*
    };
}

/// The callback of `glob` for unreadable directories.
pub type GlobError = Option<unsafe extern "C" fn(*const c_char, c_int) -> c_int>;
/// Selects the entries that `scandir` returns.
pub type Filter = Option<unsafe extern "C" fn(*const dirent) -> c_int>;
/// The order in which `scandir` returns entries.
pub type Compare = Option<unsafe extern "C" fn(*mut *const dirent, *mut *const dirent) -> c_int>;

next! {
    /// `fstat(2)`.
    fn fstat(fd: c_int, buffer: *mut libc::stat) -> c_int;
    /// `stat(2)`.
    fn stat(path: *const c_char, buffer: *mut libc::stat) -> c_int;
    /// `lstat(2)`.
    fn lstat(path: *const c_char, buffer: *mut libc::stat) -> c_int;
    /// `fstatat(2)`.
    fn fstatat(directory: c_int, path: *const c_char, buffer: *mut libc::stat, flags: c_int) -> c_int;
    /// `statx(2)`.
    fn statx(directory: c_int, path: *const c_char, flags: c_int, mask: u32, buffer: *mut libc::statx) -> c_int;
    /// `access(2)`.
    fn access(path: *const c_char, mode: c_int) -> c_int;
    /// `faccessat(2)`.
    fn faccessat(directory: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int;
    /// `euidaccess(3)`.
    fn euidaccess(path: *const c_char, mode: c_int) -> c_int;
    /// `readlink(2)`.
    fn readlink(path: *const c_char, buffer: *mut c_char, size: usize) -> isize;
    /// `readlinkat(2)`.
    fn readlinkat(directory: c_int, path: *const c_char, buffer: *mut c_char, size: usize) -> isize;
    /// `chdir(2)`.
    fn chdir(path: *const c_char) -> c_int;
    /// `fchdir(2)`.
    fn fchdir(fd: c_int) -> c_int;
    /// `getcwd(3)`.
    fn getcwd(buffer: *mut c_char, size: usize) -> *mut c_char;
    /// `get_current_dir_name(3)`.
    fn get_current_dir_name() -> *mut c_char;
    /// `realpath(3)`.
    fn realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char;
    /// `mmap(2)`.
    fn mmap(address: *mut c_void, length: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void;
    /// `munmap(2)`.
    fn munmap(address: *mut c_void, length: usize) -> c_int;
    /// `mprotect(2)`.
    fn mprotect(address: *mut c_void, length: usize, protection: c_int) -> c_int;
    /// `madvise(2)`.
    fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    /// `msync(2)`.
    fn msync(address: *mut c_void, length: usize, flags: c_int) -> c_int;
    /// `process_vm_readv(2)`.
    fn process_vm_readv(process: libc::pid_t, local: *const iovec, locals: c_ulong, remote: *const iovec, remotes: c_ulong, flags: c_ulong) -> isize;
    /// `process_vm_writev(2)`.
    fn process_vm_writev(process: libc::pid_t, local: *const iovec, locals: c_ulong, remote: *const iovec, remotes: c_ulong, flags: c_ulong) -> isize;
    /// `mremap(2)`.
    fn mremap(address: *mut c_void, old: usize, new: usize, flags: c_int, target: *mut c_void) -> *mut c_void;
    /// `ioctl(2)`.
    fn ioctl(fd: c_int, request: u64, argument: *mut c_void) -> c_int;
    /// `close(2)`.
    fn close(fd: c_int) -> c_int;
    /// `close_range(2)`.
    fn close_range(first: u32, last: u32, flags: c_int) -> c_int;
    /// `dup2(2)`.
    fn dup2(old: c_int, new: c_int) -> c_int;
    /// `dup3(2)`.
    fn dup3(old: c_int, new: c_int, flags: c_int) -> c_int;
    /// `fcntl(2)`.
    fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_int;
    /// `open(2)`.
    fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int;
    /// `openat(2)`.
    fn openat(directory: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int;
    /// `fopen(3)`.
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE;
    /// `fclose(3)`.
    fn fclose(stream: *mut libc::FILE) -> c_int;
    /// `freopen(3)`.
    fn freopen(path: *const c_char, mode: *const c_char, stream: *mut libc::FILE) -> *mut libc::FILE;
    /// `glob(3)`.
    fn glob(pattern: *const c_char, flags: c_int, error: GlobError, found: *mut c_void) -> c_int;
    /// `popen(3)`.
    fn popen(command: *const c_char, mode: *const c_char) -> *mut libc::FILE;
    /// `opendir(3)`.
    fn opendir(path: *const c_char) -> *mut libc::DIR;
    /// `fdopendir(3)`.
    fn fdopendir(fd: c_int) -> *mut libc::DIR;
    /// `readdir(3)`.
    fn readdir(directory: *mut libc::DIR) -> *mut dirent;
    /// `readdir_r(3)`.
    fn readdir_r(directory: *mut libc::DIR, entry: *mut dirent, result: *mut *mut dirent) -> c_int;
    /// `telldir(3)`.
    fn telldir(directory: *mut libc::DIR) -> c_long;
    /// `seekdir(3)`.
    fn seekdir(directory: *mut libc::DIR, position: c_long) -> ();
    /// `closedir(3)`.
    fn closedir(directory: *mut libc::DIR) -> c_int;
    /// `rewinddir(3)`.
    fn rewinddir(directory: *mut libc::DIR) -> ();
    /// `dirfd(3)`.
    fn dirfd(directory: *mut libc::DIR) -> c_int;
    /// `scandir(3)`.
    fn scandir(path: *const c_char, list: *mut *mut *mut dirent, filter: Filter, compare: Compare) -> c_int;
    /// `scandirat(3)`.
    fn scandirat(directory: c_int, path: *const c_char, list: *mut *mut *mut dirent, filter: Filter, compare: Compare) -> c_int;
    /// `readlink(2)` of programs that were compiled with `_FORTIFY_SOURCE`.
    fn __readlink_chk(path: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize;
    /// `readlinkat(2)`, likewise.
    fn __readlinkat_chk(directory: c_int, path: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize;
    /// `getcwd(3)`, likewise.
    fn __getcwd_chk(buffer: *mut c_char, size: usize, room: usize) -> *mut c_char;
}

/// The content of a small file of the machine, if it can be read.
pub fn read_file(path: &std::ffi::CStr) -> Option<Vec<u8>> {
    use std::io::Read;
    use std::os::fd::FromRawFd;
    // SAFETY: `path` is a C string.
    let fd = unsafe { open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC, 0) };
    if fd < 0 {
        return None;
    }
    // SAFETY: `fd` is new and ours.
    let mut file = unsafe { std::fs::File::from_raw_fd(fd) };
    let mut content = Vec::new();
    // `read_to_end` asks for the size first, through the interposed `fstat` perhaps, which answers without coming here.
    file.read_to_end(&mut content).ok()?;
    Some(content)
}

/// A file status with nothing in it.
pub fn empty_stat() -> libc::stat {
    // SAFETY: all zero is a valid `stat`.
    unsafe { std::mem::zeroed() }
}

/// The status of `fd`, as the host has it.
///
/// # Errors
/// What `fstat` says.
pub fn host_stat(fd: RawFd) -> Result<libc::stat, Errno> {
    let mut stat = empty_stat();
    // SAFETY: `stat` is valid for writing.
    if unsafe { fstat(fd, &mut stat) } != 0 {
        return Err(Errno::last());
    }
    Ok(stat)
}
