//! Every `open` of a device's file, every `mmap` and every `madvise` made to fail: an error that names it, nothing
//! leaked, and the next try works.
//!
//! The functions here come before those of libc, and of a device that is loaded in front of it.
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use kfd::{Buffer, Engine, Error, Placement, Queue, Result, SdmaQueue, Signal, Topology};
use kfd_tests::everything::{everything, left};
use kfd_tests::{gpu, on_gpu, on_gpu_with, on_machines_gpu};

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
static ADVICES: Calls = Calls::new();
/// Where the last `mmap` over something else failed, and its bytes.
static HOLE: Mutex<(usize, usize)> = Mutex::new((0, 0));
/// Whether another thread's memory is there when such an `mmap` returns.
static OTHERS_ARE_QUICK: AtomicBool = AtomicBool::new(false);
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
    type Mmap = extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void;
    // SAFETY: the next `mmap` is called as this one was.
    let mmap = unsafe { std::mem::transmute::<*mut c_void, Mmap>(next_in_line(c"mmap")) };
    if MAPS.next() {
        if flags & libc::MAP_FIXED != 0 {
            // Linux unmaps what was there before it asks the driver (`mmap_region`).
            // SAFETY: the caller gives it up.
            assert_eq!(unsafe { libc::munmap(at, bytes) }, 0);
            *HOLE.lock().expect("nobody panicked") = (at.expose_provenance(), bytes);
            if OTHERS_ARE_QUICK.load(Ordering::Relaxed) {
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
                assert_eq!(mmap(at, bytes, libc::PROT_READ, flags, -1, 0), at);
            }
        }
        set_errno(libc::ENOMEM);
        return libc::MAP_FAILED;
    }
    mmap(at, bytes, protection, flags, fd, offset)
}

/// As libc's.
#[unsafe(no_mangle)]
extern "C" fn madvise(at: *mut c_void, bytes: usize, advice: c_int) -> c_int {
    if advice == libc::MADV_DONTFORK && ADVICES.next() {
        set_errno(libc::ENOMEM);
        return -1;
    }
    type Madvise = extern "C" fn(*mut c_void, usize, c_int) -> c_int;
    // SAFETY: the next `madvise`, called as this one was.
    unsafe { std::mem::transmute::<*mut c_void, Madvise>(next_in_line(c"madvise"))(at, bytes, advice) }
}

#[test]
fn a5_every_open_and_mmap_fails_at_each_of_its_calls() {
    if on_machines_gpu() {
        test_skip::skip!(
            "counts the VRAM that is left, of which other programs take and give on the machine's own GPU"
        );
    }
    on_gpu("a5_every_open_and_mmap_fails_at_each_of_its_calls", || {
        // Each node has one file without which it goes as well.
        let names = Topology::read().expect("nothing fails yet").nodes().len() as u32;
        let opens = each_fails(&OPENS, names, |error| {
            let path = REFUSED.lock().expect("nobody panicked").clone();
            match error {
                Some(error @ (Error::Open(_) | Error::Topology(_))) => error.to_string().contains(&path),
                Some(_) => false,
                // Older drivers have no names of nodes.
                None => path.ends_with("/name"),
            }
        });
        let maps = each_fails(&MAPS, 4, |error| {
            let error = error.map(Error::to_string);
            // Scratch memory that is not to be had is tried again in a smaller size.
            error.is_none_or(|error| error.contains("mmap") && error.contains("ENOMEM"))
        });
        let advices = each_fails(&ADVICES, 4, |error| {
            let error = error.map(Error::to_string);
            error.is_none_or(|error| error.contains("madvise") && error.contains("ENOMEM"))
        });
        assert!(opens > 20 && maps > 20 && advices > 10, "{opens} {maps} {advices}");
    });
}

/// Lets call after call fail, until the program makes no more; at most so many may fail unnoticed. Returns how many it
/// makes.
fn each_fails(calls: &Calls, most_unnoticed: u32, is_right: impl Fn(Option<&Error>) -> bool) -> u32 {
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
    assert!(unnoticed <= most_unnoticed, "{unnoticed} calls failed unnoticed");
    everything().expect("nothing fails");
    let (made, before) = (calls.made(), left());
    everything().expect("nothing fails");
    assert_eq!(left(), before);
    made
}

/// Bytes that are mapped from `start` on, of `bytes`.
fn mapped(start: usize, bytes: usize) -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the kernel shows it");
    let range = |line: &str| {
        let (from, rest) = line.split_once('-').expect("a range");
        let to = rest.split(' ').next().expect("a range");
        [from, to].map(|address| usize::from_str_radix(address, 16).expect("an address"))
    };
    let within = |[from, to]: [usize; 2]| to.min(start + bytes).saturating_sub(from.max(start));
    maps.lines().map(range).map(within).sum()
}

#[test]
fn a5_what_another_thread_maps_in_a_hole_stays() {
    on_gpu("a5_what_another_thread_maps_in_a_hole_stays", || another_threads_memory().unwrap());
}

fn another_threads_memory() -> Result<()> {
    const PAGE: usize = 4096;
    let gpu = gpu()?;
    for quick in [true, false] {
        OTHERS_ARE_QUICK.store(quick, Ordering::Relaxed);
        // The first reserves the addresses.
        MAPS.fail(2);
        let result = Buffer::<u8>::new(gpu, 3 * PAGE, Placement::HOST);
        MAPS.fail(0);
        let error = result.expect_err("a mapping failed").to_string();
        assert!(error.contains("mmap") && error.contains("ENOMEM"), "{error}");
        let (start, bytes) = *HOLE.lock().expect("nobody panicked");
        assert_eq!(bytes, 3 * PAGE);
        if quick {
            assert_eq!(mapped(start, bytes), bytes, "the other thread's memory");
        } else {
            assert_eq!(mapped(start, bytes + PAGE), 0, "the range was given back, with the page behind it");
        }
    }
    Ok(())
}

/// Makes the mapping of doorbells fail in `make`, after which the queue is destroyed.
fn without_doorbells<T>(make: impl Fn() -> Result<T>) {
    for number in 1.. {
        MAPS.fail(number);
        let result = make();
        MAPS.fail(0);
        let error = result.map(drop).expect_err("a mapping failed").to_string();
        if error.contains("doorbells") {
            return;
        }
    }
}

/// Only the destruction of the first queue fails.
const GIVEN_UP: [&str; 2] = ["--faults", "ioctl:DESTROY_QUEUE:1=ETIME"];

#[test]
fn a5_an_unfinished_queue_that_is_not_destroyed_keeps_its_memory() {
    on_gpu_with(&GIVEN_UP, "a5_an_unfinished_queue_that_is_not_destroyed_keeps_its_memory", || {
        let gpu = gpu().expect("a GPU");
        let vram = || gpu.available_vram().expect("the device is there");
        let before = vram();
        without_doorbells(|| Queue::new(gpu));
        let kept = before - vram();
        assert!(kept > 0, "the queue may still save its waves");
        without_doorbells(|| Queue::new(gpu));
        assert_eq!(before - vram(), kept, "this one was destroyed");
        Queue::new(gpu).expect("nothing fails");
    });
}

#[test]
fn a5_an_unfinished_copy_queue_that_is_not_destroyed_keeps_its_memory() {
    on_gpu_with(&GIVEN_UP, "a5_an_unfinished_copy_queue_that_is_not_destroyed_keeps_its_memory", || {
        let gpu = gpu().expect("a GPU");
        let counted = || left().split_once(", ").expect("descriptors first").1.to_owned();
        // Signals keep their memory for the next.
        drop([Signal::new(gpu, 0), Signal::new(gpu, 0)]);
        let before = counted();
        without_doorbells(|| SdmaQueue::new(gpu, Engine::Any));
        let kept = counted();
        assert_ne!(kept, before, "the engine may still read its ring");
        without_doorbells(|| SdmaQueue::new(gpu, Engine::Any));
        assert_eq!(counted(), kept, "this one was destroyed");
        SdmaQueue::new(gpu, Engine::Any).expect("nothing fails");
    });
}
