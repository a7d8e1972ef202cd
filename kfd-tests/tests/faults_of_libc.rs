//! Every `open` of a device's file and every `mmap` made to fail: an error that names it, nothing leaked, and the next try works.
//!
//! The two functions here come before those of libc, and of a device that is loaded in front of it.
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use kfd::Error;
use kfd_tests::everything::{everything, left};
use kfd_tests::{on_gpu, on_machines_gpu};

/// Calls of a function, and the one that fails; 0 for none.
struct Calls {
    made: AtomicU32,
    fails: AtomicU32,
}

impl Calls {
    const fn new() -> Calls {
        Calls { made: AtomicU32::new(0), fails: AtomicU32::new(0) }
    }

    fn fail(&self, number: u32) {
        self.made.store(0, Ordering::Relaxed);
        self.fails.store(number, Ordering::Relaxed);
    }

    /// Counts a call; whether it fails.
    fn next(&self) -> bool {
        self.made.fetch_add(1, Ordering::Relaxed) + 1 == self.fails.load(Ordering::Relaxed)
    }

    fn made(&self) -> u32 {
        self.made.load(Ordering::Relaxed)
    }
}

static OPENS: Calls = Calls::new();
static MAPS: Calls = Calls::new();
/// The path of the `open` that failed.
static REFUSED: Mutex<String> = Mutex::new(String::new());

fn next_in_line(name: &CStr) -> *mut c_void {
    // SAFETY: a name that ends with a null.
    let function = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!function.is_null(), "{name:?}");
    function
}

fn set_errno(errno: c_int) {
    // SAFETY: this thread's.
    unsafe { *libc::__errno_location() = errno };
}

/// As libc's; the mode is passed as if it were always there, which is the same to the machine.
#[unsafe(no_mangle)]
extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
    // SAFETY: the caller of `open64` gives a path.
    let text = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    let of_device = ["/dev/kfd", "/dev/dri", "/sys/class/kfd"].iter().any(|start| text.starts_with(start));
    if of_device && OPENS.next() {
        *REFUSED.lock().expect("nobody panicked") = text.into_owned();
        set_errno(libc::EMFILE);
        return -1;
    }
    type Open = extern "C" fn(*const c_char, c_int, c_int) -> c_int;
    // SAFETY: the next `open64`, called as this one was.
    unsafe { std::mem::transmute::<*mut c_void, Open>(next_in_line(c"open64"))(path, flags, mode) }
}

/// As libc's.
#[unsafe(no_mangle)]
extern "C" fn mmap(
    at: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    if MAPS.next() {
        set_errno(libc::ENOMEM);
        return libc::MAP_FAILED;
    }
    type Mmap = extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void;
    // SAFETY: the next `mmap`, called as this one was.
    unsafe { std::mem::transmute::<*mut c_void, Mmap>(next_in_line(c"mmap"))(at, bytes, protection, flags, fd, offset) }
}

#[test]
fn a5_every_open_and_mmap_fails_at_each_of_its_calls() {
    if on_machines_gpu() {
        test_skip::skip!(
            "counts the VRAM that is left, of which other programs take and give on the machine's own GPU"
        );
    }
    on_gpu("a5_every_open_and_mmap_fails_at_each_of_its_calls", || {
        let opens = each_fails(&OPENS, |error| {
            let path = REFUSED.lock().expect("nobody panicked").clone();
            match error {
                Some(error @ (Error::Open(_) | Error::Topology { .. })) => error.to_string().contains(&path),
                Some(_) => false,
                // Older drivers have no names of nodes.
                None => path.ends_with("/name"),
            }
        });
        let maps = each_fails(&MAPS, |error| {
            let error = error.map(Error::to_string);
            // Scratch memory that is not to be had is tried again in a smaller size.
            error.is_none_or(|error| error.contains("mmap") && error.contains("ENOMEM"))
        });
        assert!(opens > 20 && maps > 20, "{opens} {maps}");
    });
}

/// Lets call after call fail, until the program makes no more. Returns how many it makes.
fn each_fails(calls: &Calls, is_right: impl Fn(Option<&Error>) -> bool) -> u32 {
    let mut unnoticed = 0;
    for number in 1.. {
        calls.fail(number);
        let result = everything();
        let made = calls.made();
        calls.fail(0);
        if made < number {
            result.expect("nothing failed");
            break;
        }
        assert!(is_right(result.as_ref().err()), "call {number}: {result:?}");
        unnoticed += u32::from(result.is_ok());
    }
    assert!(unnoticed <= 4, "{unnoticed} calls failed unnoticed");
    everything().expect("nothing fails");
    let (made, before) = (calls.made(), left());
    everything().expect("nothing fails");
    assert_eq!(left(), before);
    made
}
