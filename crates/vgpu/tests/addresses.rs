//! Bad addresses in requests are EFAULT wherever the program makes them: on any stack, with all signals blocked,
//! whatever it did to its own stack.
mod common;

use common::*;
use kfd_sys::*;
use libc::{c_int, c_void};
use std::collections::BTreeSet;
use std::os::fd::{AsRawFd, RawFd};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

const PAGE: usize = 4096;
const READ_WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;

/// `_IOWR('K', number, size)` of `asm-generic/ioctl.h`.
fn request(number: u32, size: u32) -> u64 {
    u64::from(3 << 30 | size << 16 | u32::from(b'K') << 8 | number)
}

/// What the request says to arguments at this address.
fn errno_at(kfd: RawFd, request: u64, address: usize) -> c_int {
    // SAFETY: the device must not crash on a bad address.
    let result = unsafe { libc::ioctl(kfd, request, std::ptr::with_exposed_provenance_mut::<c_void>(address)) };
    if result == 0 { 0 } else { std::io::Error::last_os_error().raw_os_error().unwrap() }
}

fn version_at(kfd: RawFd, address: usize) -> c_int {
    errno_at(kfd, AMDKFD_IOC_GET_VERSION, address)
}

/// Three pages of which the middle one can be taken away.
#[repr(C, align(4096))]
struct Pages([u8; 3 * PAGE]);

/// Asks with arguments that are not there, partly there, and read-only, and with such on the caller's own stack, which
/// `kind` names.
fn ask(kfd: RawFd, kind: &str) {
    let none = host_memory(2 * PAGE, READ_WRITE) as usize;
    protect(none + PAGE, libc::PROT_NONE);
    let known: BTreeSet<u32> =
        (0..256).filter(|number| errno_at(kfd, request(*number, 8), 8) != libc::ENOTTY).collect();
    for address in [0, 8, none + PAGE, none + PAGE - 4, usize::MAX - 3, 1 << 47] {
        for number in &known {
            let errno = errno_at(kfd, request(*number, 8), address);
            assert_eq!(errno, libc::EFAULT, "{kind}: request {number:#x} at {address:#x}");
        }
    }
    // `AMDKFD_COMMAND_START` and `_END` of `linux/kfd_ioctl.h`.
    assert!((1..0x27).all(|number| known.contains(&number)), "{kind}: {known:x?}");
    let read_only = host_memory(PAGE, libc::PROT_READ) as usize;
    assert_eq!(version_at(kfd, read_only), libc::EFAULT, "{kind}: read-only");
    assert_eq!(version_at(kfd, none), 0, "{kind}: the heap");
    let mut here = kfd_ioctl_get_version_args::default();
    assert_eq!(version_at(kfd, std::ptr::from_mut(&mut here).expose_provenance()), 0, "{kind}: the stack");
    assert_eq!(here.major_version, 1, "{kind}");
    // SAFETY: addresses of its own.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(none), 2 * PAGE) };
}

/// Takes pages of its own stack away, and gives them back.
#[inline(never)]
fn ask_on_taken_pages(kfd: RawFd, kind: &str) {
    let mut pages = Pages([0; 3 * PAGE]);
    let start = std::ptr::from_mut(&mut pages).expose_provenance();
    let middle = start + PAGE;
    for (protection, errno) in [(libc::PROT_NONE, libc::EFAULT), (libc::PROT_READ, libc::EFAULT), (READ_WRITE, 0)] {
        protect(middle, protection);
        // The last one is behind the middle page from here, but for its beginning.
        for (address, expected) in [(start, 0), (middle, errno), (middle + PAGE - 4, errno), (middle + PAGE, 0)] {
            assert_eq!(version_at(kfd, address), expected, "{kind}: {protection} at {:#x}", address - start);
        }
    }
    std::hint::black_box(&mut pages);
}

fn protect(page: usize, protection: c_int) {
    // SAFETY: a page of the test's own, which nobody else uses now.
    assert_eq!(unsafe { libc::mprotect(std::ptr::with_exposed_provenance_mut(page), PAGE, protection) }, 0);
}

fn ask_in_new_thread(kfd: RawFd, kind: &'static str, ask: fn(RawFd, &str)) {
    std::thread::scope(|scope| scope.spawn(move || ask(kfd, kind)).join().unwrap());
}

/// What ran on a stack of the test's: a panic must not leave it.
static SAID: Mutex<Option<std::thread::Result<()>>> = Mutex::new(None);
static KFD: AtomicI32 = AtomicI32::new(-1);

extern "C" fn on_other_stack() {
    let kfd = KFD.load(Ordering::Relaxed);
    let said = std::panic::catch_unwind(|| ask(kfd, "another stack"));
    *SAID.lock().unwrap() = Some(said);
}

fn has_asked() {
    SAID.lock().unwrap().take().expect("it ran").unwrap();
}

/// Bytes of a stack of the test's, below which is a page that cannot be used.
const STACK: usize = 512 << 10;

fn stack() -> libc::stack_t {
    let start = host_memory(PAGE + STACK, READ_WRITE) as usize;
    protect(start, libc::PROT_NONE);
    libc::stack_t { ss_sp: std::ptr::with_exposed_provenance_mut(start + PAGE), ss_flags: 0, ss_size: STACK }
}

fn ask_in_coroutine() {
    // SAFETY: contexts that live until the coroutine has ended, with a stack of its own.
    unsafe {
        let (mut here, mut there): (libc::ucontext_t, libc::ucontext_t) = (std::mem::zeroed(), std::mem::zeroed());
        assert_eq!(libc::getcontext(&mut there), 0);
        (there.uc_stack, there.uc_link) = (stack(), &mut here);
        libc::makecontext(&mut there, on_other_stack, 0);
        assert_eq!(libc::swapcontext(&mut here, &there), 0);
    }
    has_asked();
}

fn ask_in_handler() {
    extern "C" fn handler(_: c_int) {
        on_other_stack();
    }
    // SAFETY: the stack is never unmapped, and `raise` calls the handler here, where no lock is held.
    unsafe {
        let (alternative, mut before) = (stack(), std::mem::zeroed());
        assert_eq!(libc::sigaltstack(&alternative, &mut before), 0);
        let mut action: libc::sigaction = std::mem::zeroed();
        (action.sa_sigaction, action.sa_flags) = (handler as extern "C" fn(c_int) as usize, libc::SA_ONSTACK);
        libc::sigfillset(&mut action.sa_mask);
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, null_mut()), 0);
        assert_eq!(libc::raise(libc::SIGUSR1), 0);
        assert_eq!(libc::sigaltstack(&before, null_mut()), 0);
    }
    has_asked();
}

fn ask_with_signals_blocked(kfd: RawFd, kind: &str) {
    // SAFETY: sets that are written before they are read.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        assert_eq!(libc::pthread_sigmask(libc::SIG_SETMASK, &all, null_mut()), 0);
    }
    ask(kfd, kind);
}

fn ask_everywhere() {
    let device = Device::without_vm(1);
    let kfd = device.kfd.as_raw_fd();
    KFD.store(kfd, Ordering::Relaxed);
    // Before the thread has made a request, and after.
    ask_in_new_thread(kfd, "the first request", ask_on_taken_pages);
    ask(kfd, "this thread");
    ask_on_taken_pages(kfd, "this thread");
    ask(kfd, "this thread again");
    ask_in_coroutine();
    ask_in_handler();
    ask_in_new_thread(kfd, "signals blocked", ask_with_signals_blocked);
}

#[test]
fn bad_addresses_are_efault_everywhere() {
    on_gpu("bad_addresses_are_efault_everywhere", ask_everywhere);
}

/// Set where a process is to ask in its first thread, whose stack grows, before `main`: tests run in others.
const IN_FIRST_THREAD: &str = "ASK_IN_FIRST_THREAD";
const ASKED: c_int = 42;

#[used]
#[unsafe(link_section = ".init_array")]
static FIRST_THREAD: extern "C" fn() = first_thread;

extern "C" fn first_thread() {
    if std::env::var_os(IN_FIRST_THREAD).is_some() {
        let good = std::panic::catch_unwind(ask_everywhere).is_ok();
        std::process::exit(if good { ASKED } else { 1 });
    }
}

#[test]
fn bad_addresses_are_efault_in_the_first_thread() {
    let mut program: Command = vgpu(&[]);
    let output = program.arg(std::env::current_exe().unwrap()).env(IN_FIRST_THREAD, "1").output().unwrap();
    assert_eq!(output.status.code(), Some(ASKED), "{}", String::from_utf8_lossy(&output.stderr));
}
