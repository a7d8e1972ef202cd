//! `glob`, which calls libc internally unless a program passes other functions.

use super::directory;
use super::status;
use crate::driver::config::Config;
use crate::real::{self, GlobError};
use libc::{DIR, c_char, c_int, c_void, dirent, stat};

/// glob.h of glibc, as is the structure.
const GLOB_ALTDIRFUNC: c_int = 1 << 9;

/// The functions of a `glob_t` that are called with `GLOB_ALTDIRFUNC`; without the flag they are not read.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Functions {
    closedir: Option<unsafe extern "C" fn(*mut DIR)>,
    readdir: Option<unsafe extern "C" fn(*mut DIR) -> *mut dirent>,
    opendir: Option<unsafe extern "C" fn(*const c_char) -> *mut DIR>,
    lstat: Option<unsafe extern "C" fn(*const c_char, *mut stat) -> c_int>,
    stat: Option<unsafe extern "C" fn(*const c_char, *mut stat) -> c_int>,
}

/// `glob_t`.
#[repr(C)]
pub struct Found {
    count: usize,
    paths: *mut *mut c_char,
    reserved: usize,
    flags: c_int,
    functions: Functions,
}

unsafe extern "C" fn closedir(stream: *mut DIR) {
    // SAFETY: the caller's stream, which `opendir` made.
    unsafe { directory::closedir(stream) };
}

macro_rules! glob {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name, unless the program brings functions.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(pattern: *const c_char, flags: c_int, error: GlobError, found: *mut Found) -> c_int {
            if Config::has_none() || flags & GLOB_ALTDIRFUNC != 0 || found.is_null() {
                // SAFETY: the caller's arguments are passed on.
                return unsafe { real::glob(pattern, flags, error, found.cast::<c_void>()) };
            }
            // SAFETY: the caller's structure, of which these fields are nobody's without the flag.
            unsafe {
                (*found).functions = Functions {
                    closedir: Some(closedir),
                    readdir: Some(directory::readdir),
                    opendir: Some(directory::opendir),
                    lstat: Some(status::lstat),
                    stat: Some(status::stat),
                };
                let result = real::glob(pattern, flags | GLOB_ALTDIRFUNC, error, found.cast::<c_void>());
                (*found).flags &= !GLOB_ALTDIRFUNC;
                result
            }
        }
    )*};
}
glob!(glob glob64);
