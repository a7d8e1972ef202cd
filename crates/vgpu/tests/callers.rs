//! Calls from places where a program can do little: handlers of signals, small stacks, children of `vfork`; and calls
//! with bad pointers.
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

/// What is missing at each of these, from the root, the working directory or an open one, is asked for with little
/// stack.
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

/// What a child is to look for at a path from a working directory of its own, and what it found.
struct Child {
    to: *const libc::c_char,
    path: *const libc::c_char,
    found: c_int,
}

extern "C" fn look_from_elsewhere(child: *mut c_void) -> c_int {
    // SAFETY: the parent's, which waits.
    unsafe {
        let child = &mut *child.cast::<Child>();
        if libc::chdir(child.to) == 0 {
            child.found = libc::access(child.path, libc::F_OK);
        }
        libc::_exit(0)
    }
}

/// A child of `vfork` has the parent's memory, but a working directory of its own: Python starts programs so.
#[test]
fn a_child_that_shares_memory_has_its_own_working_directory() {
    on_gpu("a_child_that_shares_memory_has_its_own_working_directory", || {
        let here = || std::env::current_dir().unwrap().to_str().unwrap().to_owned();
        let gpu_id = || std::fs::read_to_string("kfd/kfd/topology/nodes/1/gpu_id").map_err(|error| error.kind());
        let in_child = |to: &CStr, path: &CStr| {
            let mut child = Child { to: to.as_ptr(), path: path.as_ptr(), found: -1 };
            let mut stack = vec![0u128; 8192];
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            // SAFETY: this thread waits until the child, which has a stack of its own, has ended.
            unsafe {
                let top = stack.as_mut_ptr_range().end;
                let pid = libc::clone(look_from_elsewhere, top.cast(), flags, (&raw mut child).cast());
                let mut status = -1;
                assert_eq!((libc::waitpid(pid, &mut status, 0), status), (pid, 0));
            }
            child.found
        };
        std::env::set_current_dir("/proc/self").unwrap();
        let topology = c"kfd/topology/generation_id";
        for to in [c"/sys/class/kfd", c"/sys/class", c"/"] {
            in_child(to, topology);
            assert!(here().starts_with("/proc/"), "{to:?}: {}", here());
            assert_eq!(gpu_id(), Err(std::io::ErrorKind::NotFound), "{to:?}");
        }
        std::env::set_current_dir("/sys/class").unwrap();
        in_child(c"/tmp", topology);
        assert_eq!((here().as_str(), gpu_id().as_deref()), ("/sys/class", Ok("51110\n")));
        std::env::set_current_dir("/sys/class/kfd").unwrap();
        in_child(c"/tmp", topology);
        assert_eq!(here(), "/sys/class/kfd");
        // The child itself is where it went.
        assert_eq!(in_child(c"/proc/self", c"maps"), 0);
        assert_eq!(in_child(c"/sys/class", c"kfd/kfd/topology/generation_id"), 0);
        assert_eq!(in_child(c"/sys/class/kfd", topology), 0);
        assert_eq!(in_child(c"/proc/self", topology), -1);
        assert_eq!(std::fs::read_to_string("kfd/topology/nodes/1/gpu_id").unwrap(), "51110\n");
    });
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
