//! libc's own functions behind those that this library interposes.
//!
//! Code of this crate calls these, never `libc::open` and the like, which would come back to the interposed ones.

use libc::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of the next library in search order, looked up when it is first called.
pub struct Next {
    name: &'static std::ffi::CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    /// The function called `name`.
    pub const fn new(name: &'static std::ffi::CStr) -> Next {
        Next { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Its address; null if no other library has it.
    pub fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Acquire);
        if !known.is_null() {
            return known;
        }
        // SAFETY: `name` is a C string. dlsym takes no lock that a caller of these functions could hold.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(found, Ordering::Release);
        found
    }
}

macro_rules! next {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        $(#[$meta])*
        ///
        /// # Safety
        /// That of the libc function of this name.
        pub unsafe fn $name($($argument: $type),*) -> $result {
            static NEXT: Next = {
                const NAME: &str = concat!(stringify!($name), "\0");
                match std::ffi::CStr::from_bytes_with_nul(NAME.as_bytes()) {
                    Ok(name) => Next::new(name),
                    Err(_) => panic!("the name ends in its only NUL"),
                }
            };
            let address = NEXT.address();
            if address.is_null() {
                // SAFETY: errno is the calling thread's own.
                unsafe { *libc::__errno_location() = libc::ENOSYS };
                // SAFETY: every result type here is an integer or a pointer, for which all ones is the value that reports failure
                // (for functions returning a pointer other than mmap, glibc always has them).
                return unsafe { std::mem::transmute_copy(&!0usize) };
            }
            // SAFETY: libc's function of this name has this signature on x86-64 (variadic arguments pass like fixed ones there).
            let function: unsafe extern "C" fn($($type),*) -> $result = unsafe { std::mem::transmute(address) };
            // SAFETY: as promised by the caller.
            unsafe { function($($argument),*) }
        }
    )*};
}

next! {
    /// `fstat(2)`.
    fn fstat(fd: c_int, buffer: *mut libc::stat) -> c_int;
    /// `mmap(2)`.
    fn mmap(address: *mut c_void, length: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void;
    /// `munmap(2)`.
    fn munmap(address: *mut c_void, length: usize) -> c_int;
    /// `fcntl(2)`.
    fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_int;
    /// `open(2)`.
    fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int;
}
