//! Forks while another thread is in the middle of a request: its locks stay locked in the child, where nothing may wait
//! for them.
//!
//! The `ioctl` here comes before that of libc, and of a device that is loaded in front of it.
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use kfd::aql::Geometry;
use kfd::{Buffer, Error, Module, Placement, Queue, Result, Signal, Wait};
use kfd_runtime::Arena;
use kfd_tests::{code_object, gpu, isa, module, needs_vgpu, on_gpu};

/// The request that is held, 0 for none.
static HELD: AtomicU64 = AtomicU64::new(0);
/// Whether a thread is in it.
static INSIDE: AtomicBool = AtomicBool::new(false);

/// Whether the driver's interface is 1.4.
static IS_OLD: AtomicBool = AtomicBool::new(false);

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
    let result = unsafe { std::mem::transmute::<*mut c_void, Ioctl>(function)(fd, request, argument) };
    if request == kfd_sys::AMDKFD_IOC_GET_VERSION && IS_OLD.load(Ordering::Relaxed) {
        // SAFETY: the request's arguments.
        unsafe { (*argument.cast::<kfd_sys::kfd_ioctl_get_version_args>()).minor_version = 4 };
    }
    result
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

    // The arena is locked while the driver makes a block.
    let arena = Arena::new(gpu, Placement::HOST, 1 << 30);
    let new_block = || drop(arena.get(64 << 20).expect("room"));
    fork_in(kfd_sys::AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, new_block, || {
        matches!(arena.statistics(), Err(kfd_runtime::Error::Kfd(Error::Forked)))
            && matches!(arena.trim(), Err(kfd_runtime::Error::Kfd(Error::Forked)))
            && matches!(arena.get(256), Err(kfd_runtime::Error::Kfd(Error::Forked)))
            && matches!(arena.get(u64::MAX), Err(kfd_runtime::Error::Kfd(Error::Forked)))
    });
    assert_eq!(arena.statistics().expect("the parent's").reserved_bytes, 64 << 20, "the parent goes on");
    Ok(())
}

/// Such drivers are not asked for the XNACK mode, where a child is noticed with others.
#[test]
fn a5_children_load_no_code_of_their_parents_with_old_drivers() {
    needs_vgpu!();
    on_gpu("a5_children_load_no_code_of_their_parents_with_old_drivers", || old_driver().unwrap());
}

fn old_driver() -> Result<()> {
    IS_OLD.store(true, Ordering::Relaxed);
    let gpu = gpu()?;
    let code = code_object("basic", &isa());
    let visible = || drop(Buffer::<u32>::new(gpu, 1, Placement::VISIBLE).expect("a large BAR"));
    let load = || matches!(Module::load(gpu, &code), Err(Error::Forked));
    fork_in(kfd_sys::AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, visible, load);
    Ok(())
}

/// What was put together before the fork, too.
#[test]
fn a5_children_submit_no_launch_of_their_parents() {
    on_gpu("a5_children_submit_no_launch_of_their_parents", || launch().unwrap());
}

fn launch() -> Result<()> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut queue = Queue::new(gpu)?;
    let launch = queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter);
    let new_event = || drop(Signal::new(gpu, 0).expect("an event"));
    // SAFETY: refused.
    let submit = || matches!(unsafe { launch.submit() }, Err(Error::Forked));
    fork_in(kfd_sys::AMDKFD_IOC_CREATE_EVENT, new_event, submit);
    Ok(())
}
