//! Calls from places where a program can do little: handlers of signals and small stacks; and calls with bad pointers.
mod common;

use common::*;
use libc::{c_int, c_void};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};

fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap()
}

const MISSING: [&CStr; 3] = [c"/no/such/file", c"/sys/no/such/file", c"no/such/file"];

/// What is missing at each of these, from the root, the working directory or an open one, is asked for with little stack.
fn ask_for_missing(directory: c_int) -> bool {
    // SAFETY: C strings.
    MISSING.iter().all(|path| unsafe {
        libc::access(path.as_ptr(), libc::F_OK) == -1
            && *libc::__errno_location() == libc::ENOENT
            && libc::openat(directory, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) == -1
            && *libc::__errno_location() == libc::ENOENT
    })
}

fn on_small_stacks() {
    // SAFETY: a C string.
    let directory = unsafe { libc::open(c"/tmp".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    extern "C" fn thread(directory: *mut c_void) -> *mut c_void {
        std::ptr::without_provenance_mut(ask_for_missing(directory.addr() as c_int).into())
    }
    // SAFETY: the thread gets what it wants, and is waited for.
    unsafe {
        let (mut attributes, mut id, mut result) = (std::mem::zeroed(), 0, null_mut());
        assert_eq!(libc::pthread_attr_init(&mut attributes), 0);
        assert_eq!(libc::pthread_attr_setstacksize(&mut attributes, libc::PTHREAD_STACK_MIN), 0);
        let argument = std::ptr::without_provenance_mut(directory as usize);
        assert_eq!(libc::pthread_create(&mut id, &attributes, thread, argument), 0);
        assert_eq!(libc::pthread_join(id, &mut result), 0);
        assert_eq!(result.addr(), 1);
    }
    static DIRECTORY: AtomicI32 = AtomicI32::new(-1);
    static ANSWER: AtomicI32 = AtomicI32::new(-1);
    extern "C" fn handler(_: c_int) {
        ANSWER.store(ask_for_missing(DIRECTORY.load(Ordering::Relaxed)).into(), Ordering::Relaxed);
    }
    DIRECTORY.store(directory, Ordering::Relaxed);
    // As large as programs make it: `SIGSTKSZ` of `signal.h`.
    let mut stack = [0u8; libc::SIGSTKSZ];
    // SAFETY: the stack lives until it is given up, and the handler calls what handlers may.
    unsafe {
        let (size, mut before) = (stack.len(), std::mem::zeroed());
        let alternative = libc::stack_t { ss_sp: stack.as_mut_ptr().cast(), ss_flags: 0, ss_size: size };
        assert_eq!(libc::sigaltstack(&alternative, &mut before), 0);
        let mut action: libc::sigaction = std::mem::zeroed();
        (action.sa_sigaction, action.sa_flags) = (handler as extern "C" fn(c_int) as usize, libc::SA_ONSTACK);
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, null_mut()), 0);
        assert_eq!(libc::raise(libc::SIGUSR1), 0);
        assert_eq!(libc::sigaltstack(&before, null_mut()), 0);
    }
    assert_eq!(ANSWER.load(Ordering::Relaxed), 1);
}

#[test]
fn missing_files_take_little_stack() {
    on_gpu("missing_files_take_little_stack", on_small_stacks);
}

#[test]
fn bad_paths_are_efault() {
    on_gpu("bad_paths_are_efault", || {
        for address in [0, 1, 4096, 1 << 47, 1 << 48, usize::MAX] {
            let path = std::ptr::without_provenance(address);
            // SAFETY: what is there is the kernel's to say.
            unsafe {
                let mut status = std::mem::zeroed();
                assert_eq!((libc::access(path, libc::F_OK), last_errno()), (-1, libc::EFAULT), "{path:?}");
                assert_eq!((libc::open(path, libc::O_RDONLY), last_errno()), (-1, libc::EFAULT), "{path:?}");
                assert_eq!((libc::stat(path, &mut status), last_errno()), (-1, libc::EFAULT), "{path:?}");
                assert_eq!((libc::chdir(path), last_errno()), (-1, libc::EFAULT), "{path:?}");
            }
        }
    });
}
