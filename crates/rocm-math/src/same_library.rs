//! Whether a library works with the copies of HIP and rocBLAS that are in use: a process can have several loaded.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use rocm_interop::Session;

use crate::{Error, Result};

/// Refuses a library that works with another HIP than the session, whose stream it is to get.
pub(crate) fn check_hip(library: &'static str, function: Option<NonNull<c_void>>, session: &Session) -> Result<()> {
    let used = session.device().libraries().hip.address("hipStreamSynchronize");
    check(library, function, "HIP", c"hipStreamSynchronize", used)
}

/// Refuses a library, which has `function`, if the `symbol` that it finds through the libraries it is linked to is in
/// another file than `used`.
pub(crate) fn check(
    library: &'static str,
    function: Option<NonNull<c_void>>,
    dependency: &'static str,
    symbol: &CStr,
    used: Option<NonNull<c_void>>,
) -> Result<()> {
    let object = function.and_then(object_of);
    let its = object.and_then(|object| object.find(symbol)).and_then(object_of);
    let used = used.and_then(object_of);
    if its.is_some_and(|its| used.is_some_and(|used| its.base == used.base)) {
        return Ok(());
    }
    let file = |object: Option<Object>| object.map_or("no file".to_owned(), |object| object.file());
    let (file, its, used) = (file(object), file(its), file(used));
    Err(Error::OtherCopy { library, file, dependency, its, used })
}

/// A file that the dynamic linker loaded.
#[derive(Clone, Copy)]
struct Object {
    base: *mut c_void,
    /// The dynamic linker's name of it, which is there as long as the object is loaded.
    name: *const libc::c_char,
}

/// The object that an address is in. Functions are in objects that stay loaded.
fn object_of(address: NonNull<c_void>) -> Option<Object> {
    // SAFETY: all-zero bits are a value of the struct.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked about; the struct is writable.
    let known = unsafe { libc::dladdr(address.as_ptr(), &mut found) } != 0 && !found.dli_fname.is_null();
    known.then_some(Object { base: found.dli_fbase, name: found.dli_fname })
}

impl Object {
    fn file(self) -> String {
        // SAFETY: the object stays loaded.
        unsafe { CStr::from_ptr(self.name) }.to_string_lossy().into_owned()
    }

    /// A symbol of the object or of those that it is linked to, in the order of the dynamic linker.
    fn find(self, symbol: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the name ends with 0; nothing is loaded, so that no code of a library runs.
        let handle = unsafe { libc::dlopen(self.name, libc::RTLD_NOLOAD | libc::RTLD_NOW) };
        if handle.is_null() {
            return None;
        }
        // SAFETY: the handle is open.
        let found = unsafe { libc::dlsym(handle, symbol.as_ptr()) };
        // SAFETY: as above; the object stays loaded by the handle of its table.
        unsafe { libc::dlclose(handle) };
        NonNull::new(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_process(symbol: &CStr) -> Option<NonNull<c_void>> {
        // SAFETY: the name ends with 0.
        NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, symbol.as_ptr()) })
    }

    /// libgcc_s, which each program in Rust is linked to, is linked to the C library.
    #[test]
    fn a_library_that_works_with_another_copy_is_refused() {
        let unwind = of_process(c"_Unwind_Backtrace");
        let malloc = of_process(c"malloc");
        assert!(check("a", unwind, "C", c"malloc", malloc).is_ok());
        let here = NonNull::new(object_of as *mut c_void);
        for (symbol, used, words) in [
            (c"malloc", here, ["works with C of /", "libc.so"]),
            (c"malloc", None, ["libc.so", "but no file is in use"]),
            (c"no_such_symbol", malloc, ["works with C of no file, but /", "libc.so"]),
        ] {
            let error = check("a", unwind, "C", symbol, used).expect_err("another copy").to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
            assert!(error.starts_with("a (/") && error.contains("libgcc_s.so"), "{error}");
        }
        assert!(check("a", None, "C", c"malloc", malloc).is_err(), "no function of it is known");
    }
}
