//! `dlsym` for preloaded libraries that interpose functions of other libraries.
//!
//! Programs that are linked with the others' libraries find the preloaded functions by themselves. Those that look
//! functions up find them only if the preloaded library has a `dlsym` of its own, which
//! [`interpose_dlsym!`](crate::interpose_dlsym) makes. It is for x86-64 with glibc.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// libc's `dlsym`, or that of another library that interposes it.
#[doc(hidden)]
pub static REAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// The next step of the shim.
#[doc(hidden)]
#[repr(C)]
pub struct Answer {
    /// What `dlsym` returns.
    address: *mut c_void,
    /// Not 0: the next `dlsym` is to be asked instead.
    pass_on: usize,
}

/// Defines the library's `dlsym`.
///
/// `$answer` is a `fn(handle: *mut c_void, name: &CStr) -> Option<*mut c_void>`: what is found, null if nothing is to
/// be, `None` if the next `dlsym` is to be asked. It is not asked for functions behind somebody else's (`RTLD_NEXT`).
/// If it panics, the next `dlsym` is asked.
#[macro_export]
macro_rules! interpose_dlsym {
    ($answer:path) => {
        const _: () = {
            /// # Safety
            /// `name` is null or a C string.
            unsafe extern "C" fn asked(
                handle: *mut ::core::ffi::c_void,
                name: *const ::core::ffi::c_char,
            ) -> $crate::dlsym::Answer {
                // SAFETY: as promised by the caller.
                unsafe { $crate::dlsym::answer(handle, name, $answer) }
            }

            /// Interposes `dlsym`. The next one is jumped to, not called, so that it sees its caller: `RTLD_NEXT` and
            /// `RTLD_DEFAULT` depend on it.
            ///
            /// # Safety
            /// That of the function.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn dlsym(
                handle: *mut ::core::ffi::c_void,
                name: *const ::core::ffi::c_char,
            ) -> *mut ::core::ffi::c_void {
                ::core::arch::naked_asm!(
                    "push rdi",
                    "push rsi",
                    // The stack is aligned to 16 bytes at calls.
                    "sub rsp, 8",
                    "call {answer}",
                    "add rsp, 8",
                    "pop rsi",
                    "pop rdi",
                    "test rdx, rdx",
                    "jnz 2f",
                    "ret",
                    "2:",
                    "jmp qword ptr [rip + {real}]",
                    answer = sym asked,
                    real = sym $crate::dlsym::REAL,
                )
            }
        };
    };
}

/// Decides the next step of the shim.
///
/// # Safety
/// `name` is null or a C string.
#[doc(hidden)]
pub unsafe fn answer(
    handle: *mut c_void,
    name: *const c_char,
    answer: impl FnOnce(*mut c_void, &CStr) -> Option<*mut c_void>,
) -> Answer {
    const PASS_ON: Answer = Answer { address: null_mut(), pass_on: 1 };
    resolve();
    if handle == libc::RTLD_NEXT || name.is_null() {
        return PASS_ON;
    }
    // SAFETY: as promised by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    match crate::caught(|| answer(handle, name)).flatten() {
        Some(address) => Answer { address, pass_on: 0 },
        None => PASS_ON,
    }
}

/// Looks libc's function up, so that it need not be done later.
pub fn resolve() {
    if !REAL.load(Ordering::Acquire).is_null() {
        return;
    }
    unsafe extern "C" {
        fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
    }
    // glibc 2.34 moved it from libdl to libc.
    for version in [c"GLIBC_2.34", c"GLIBC_2.2.5"] {
        // SAFETY: both are C strings.
        let found = unsafe { dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), version.as_ptr()) };
        if let Some(of_libc) = or_forget_error(found) {
            // SAFETY: `dlsym` has this type.
            let look_up = unsafe { std::mem::transmute::<*mut c_void, Dlsym>(of_libc) };
            // One of another preloaded library has no version, and stands in front of libc's.
            // SAFETY: a number that stands for the libraries behind, and a C string.
            let next = or_forget_error(unsafe { look_up(libc::RTLD_NEXT, c"dlsym".as_ptr()) });
            REAL.store(next.unwrap_or(of_libc), Ordering::Release);
            return;
        }
    }
}

/// The result of libc's `dlsym` for the program, with libc's error if there is none.
///
/// # Safety
/// `handle` is one that `dlsym` takes: of a library that is open, or one of the numbers that stand for others.
pub unsafe fn for_program(handle: *mut c_void, name: &CStr) -> *mut c_void {
    resolve();
    let real = REAL.load(Ordering::Acquire);
    if real.is_null() {
        return null_mut();
    }
    // SAFETY: `dlsym` has this type.
    let real = unsafe { std::mem::transmute::<*mut c_void, Dlsym>(real) };
    // SAFETY: the name is a C string, and the handle is as promised by the caller.
    unsafe { real(handle, name.as_ptr()) }
}

/// Looks a function up for the preloaded library itself.
///
/// # Safety
/// As of [`for_program`].
pub unsafe fn find(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: as promised by the caller.
    or_forget_error(unsafe { for_program(handle, name) })
}

/// The function of this name in the libraries after this one in the search order.
pub fn next(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a number that stands for the libraries behind.
    unsafe { find(libc::RTLD_NEXT, name) }
}

/// [`next`], or else the function of this name in a library that is loaded with local scope, as the modules of
/// interpreters load theirs, and whose file name begins so. That library is not unloaded any more.
pub fn next_or_loaded(name: &CStr, file: &str) -> Option<*mut c_void> {
    next(name).or_else(|| {
        loaded_files(|loaded| is_called(loaded, file)).iter().find_map(|loaded| {
            // SAFETY: a C string; only a library that is there already is opened.
            let handle = unsafe { libc::dlopen(loaded.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            // SAFETY: it was just opened, and is not closed.
            unsafe { find(or_forget_error(handle)?, name) }
        })
    })
}

/// The files of the loaded libraries that `is_wanted` accepts, in the order in which they were loaded. `is_wanted` must
/// not look functions up: the locks of the dynamic linker's list and of its lookups are taken in the other order.
pub fn loaded_files(is_wanted: impl Fn(&CStr) -> bool) -> Vec<CString> {
    struct Search<F> {
        is_wanted: F,
        found: Vec<CString>,
    }
    unsafe extern "C" fn look<F: Fn(&CStr) -> bool>(
        info: *mut libc::dl_phdr_info,
        _: usize,
        search: *mut c_void,
    ) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes both on.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search<F>>()) };
        if !info.dlpi_name.is_null() {
            // SAFETY: the name is a C string.
            let file = unsafe { CStr::from_ptr(info.dlpi_name) };
            crate::caught(|| {
                if (search.is_wanted)(file) {
                    search.found.push(file.to_owned());
                }
            });
        }
        0
    }
    fn walk<F: Fn(&CStr) -> bool>(mut search: Search<F>) -> Vec<CString> {
        // SAFETY: the callback gets what it expects.
        unsafe { libc::dl_iterate_phdr(Some(look::<F>), (&raw mut search).cast()) };
        search.found
    }
    walk(Search { is_wanted, found: Vec::new() })
}

/// Whether the name of a file, which has folders before it, begins with `start`.
pub fn is_called(file: &CStr, start: &str) -> bool {
    file.to_bytes().rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(start.as_bytes()))
}

/// A result of `dlsym` for the preloaded library itself. Clears libc's error, which the program (`dlerror`) must not
/// see.
pub fn or_forget_error(found: *mut c_void) -> Option<*mut c_void> {
    if found.is_null() {
        // SAFETY: it has no preconditions.
        unsafe { libc::dlerror() };
    }
    Some(found).filter(|found| !found.is_null())
}

/// The file of the library or program that has this address. It lives as long as that is loaded.
pub fn object_of(address: usize) -> Option<&'static CStr> {
    // SAFETY: all zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: `info` is valid for writing; any address may be asked for.
    if unsafe { libc::dladdr(std::ptr::without_provenance(address), &mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name is a C string that lives as long as the library is loaded.
    Some(unsafe { CStr::from_ptr(info.dli_fname) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_answered_is_passed_on() {
        let ask = |handle, answer: fn(*mut c_void, &CStr) -> Option<*mut c_void>| {
            // SAFETY: a C string.
            let answer = unsafe { super::answer(handle, c"some_function".as_ptr(), answer) };
            (answer.address.addr(), answer.pass_on)
        };
        let found = |_: *mut c_void, name: &CStr| Some(std::ptr::without_provenance_mut(name.count_bytes()));
        assert_eq!(ask(libc::RTLD_DEFAULT, found), (13, 0));
        assert_eq!(ask(libc::RTLD_DEFAULT, |_, _| Some(null_mut())), (0, 0));
        assert_eq!(ask(libc::RTLD_DEFAULT, |_, _| None), (0, 1));
        assert_eq!(ask(libc::RTLD_NEXT, found), (0, 1));
        assert_eq!(ask(libc::RTLD_DEFAULT, |_, _| panic!("not the program's affair")), (0, 1));
        // SAFETY: a name may be null.
        assert_eq!(unsafe { super::answer(null_mut(), std::ptr::null(), found) }.pass_on, 1);
    }

    #[test]
    fn functions_behind_are_found_and_their_files_named() {
        let found = next(c"getpid").expect("libc has it");
        let file = object_of(found.addr()).expect("of a library").to_string_lossy().into_owned();
        assert!(file.contains("libc.so"), "{file}");
        let files = loaded_files(|file| is_called(file, "libc.so"));
        assert!(files.len() == 1 && files[0].to_string_lossy().contains("/libc.so"), "{files:?}");
        assert_eq!(next_or_loaded(c"getpid", "libc.so"), Some(found));
        assert!(next(c"no_such_function").is_none() && object_of(1).is_none());
        // SAFETY: the error of this thread's last lookup, if it was not forgotten.
        assert!(unsafe { libc::dlerror() }.is_null());
    }
}
