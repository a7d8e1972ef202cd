//! Forks while another thread is in the middle of a request: its locks stay locked in the child, where nothing may wait for them.
//!
//! The `ioctl` here comes before that of libc, and of a device that is loaded in front of it.
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use kfd::{Error, Queue, Result, Signal, Wait};
use kfd_tests::{gpu, on_gpu};

/// The request that is held, 0 for none.
static HELD: AtomicU64 = AtomicU64::new(0);
/// Whether a thread is in it.
static INSIDE: AtomicBool = AtomicBool::new(false);

/// As libc's.
#[unsafe(no_mangle)]
extern "C" fn ioctl(fd: c_int, request: u64, argument: *mut c_void) -> c_int {
    while HELD.load(Ordering::Acquire) == request {
        INSIDE.store(true, Ordering::Release);
        thread::sleep(Duration::from_millis(1));
    }
    // SAFETY: a name that ends with a null.
    let function = unsafe { libc::dlsym(libc::RTLD_NEXT, c"ioctl".as_ptr()) };
    assert!(!function.is_null());
    type Ioctl = extern "C" fn(c_int, u64, *mut c_void) -> c_int;
    // SAFETY: the next `ioctl`, called as this one was: the third argument is passed alike, named or not.
    unsafe { std::mem::transmute::<*mut c_void, Ioctl>(function)(fd, request, argument) }
}

/// Runs `child` in a child that was forked while another thread was held in `request` by `locked`.
fn fork_in(request: u64, locked: impl FnOnce() + Send, child: impl FnOnce() -> bool) {
    /// A child that waits for ever is ended.
    const SECONDS: u32 = 60;
    HELD.store(request, Ordering::Release);
    INSIDE.store(false, Ordering::Release);
    thread::scope(|scope| {
        scope.spawn(locked);
        while !INSIDE.load(Ordering::Acquire) {
            thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: the child uses nothing that other threads may have locked, if what is tested holds; then it exits.
        let pid = unsafe { libc::fork() };
        assert!(pid >= 0);
        if pid == 0 {
            // SAFETY: of this process.
            unsafe { libc::alarm(SECONDS) };
            let right = child();
            // SAFETY: ends the child.
            unsafe { libc::_exit(c_int::from(!right)) };
        }
        let mut status = -1;
        // SAFETY: waits for the child.
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
        HELD.store(0, Ordering::Release);
        assert_eq!(status, 0, "the child's exit status");
    });
}

#[test]
fn a5_children_wait_for_no_lock_of_their_parents() {
    on_gpu("a5_children_wait_for_no_lock_of_their_parents", || locks().unwrap());
}

fn locks() -> Result<()> {
    let gpu = gpu()?;
    let new_event = || drop(Signal::new(gpu, 0).expect("an event"));
    fork_in(kfd_sys::AMDKFD_IOC_CREATE_EVENT, new_event, || matches!(gpu.fault(), Err(Error::Forked)));

    let mut queue = Queue::new(gpu)?;
    let done = Signal::new(gpu, 1)?;
    queue.signal(&done)?;
    queue.wait_idle(Wait::FOREVER)?;
    let time = || assert!(done.dispatch_time(gpu).expect("a time").is_some());
    fork_in(kfd_sys::AMDKFD_IOC_GET_CLOCK_COUNTERS, time, || matches!(done.dispatch_time(gpu), Err(Error::Forked)));
    Ok(())
}
