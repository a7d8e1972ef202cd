//! Writing events: into memory that is a file, without a lock, an allocation or a system call but for one each 64 KiB of a thread.

use crate::raw::{CHUNK_BYTES, ChunkHeader, Header, Kind, MAGIC};
use crate::{environment, tables};
use rustix::fs::{Mode, OFlags};
use rustix::mm::{MapFlags, ProtFlags};
use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// Nothing is recorded.
const OFF: u8 = 0;
/// The file is made with the first event.
const WAITING: u8 = 1;
const STARTING: u8 = 2;
const ON: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(OFF);
static FILE: AtomicPtr<u8> = AtomicPtr::new(null_mut());
/// Grows with each fork, in the child: what a thread knew of its chunk is then the parent's.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// A thread's place in the file.
struct Thread {
    /// Where the next record begins.
    next: Cell<*mut u64>,
    /// Words from there to the end of the chunk.
    left: Cell<usize>,
    generation: Cell<u32>,
    /// An event is being written: one of a signal handler would be written over it.
    busy: Cell<bool>,
    /// Recorded calls that have begun and not ended.
    depth: Cell<u32>,
}

thread_local! {
    // Without a destructor, so that it can be used at any time in a thread's life and takes no memory.
    static THREAD: Thread = const {
        Thread {
            next: Cell::new(null_mut()),
            left: Cell::new(0),
            generation: Cell::new(0),
            busy: Cell::new(false),
            depth: Cell::new(0),
        }
    };
}

/// Whether anything is recorded.
#[inline]
pub fn enabled() -> bool {
    STATE.load(Ordering::Relaxed) != OFF
}

/// Records from now on, if the environment says so. The file is made with the first event, so that programs which have none leave none.
pub fn initialise() {
    if environment::settings().is_none() || STATE.load(Ordering::Relaxed) != OFF {
        return;
    }
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) };
    STATE.store(WAITING, Ordering::Release);
}

/// The parent's file stays mapped, because a call that began before the fork may still look at its record; it is not written to.
extern "C" fn after_fork_in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    FILE.store(null_mut(), Ordering::Relaxed);
    if STATE.load(Ordering::Relaxed) != OFF {
        STATE.store(WAITING, Ordering::Release);
    }
}

/// `CLOCK_MONOTONIC_RAW` in nanoseconds, the clock of the driver and of the virtual GPU's trace.
#[inline]
pub fn now() -> u64 {
    clock(libc::CLOCK_MONOTONIC_RAW)
}

fn clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Whether the thread is in a recorded call.
pub fn in_call() -> bool {
    THREAD.with(|thread| thread.depth.get() > 0)
}

/// A recorded call has begun (1) or ended (-1) on this thread.
#[inline]
pub fn nest(step: i32) {
    THREAD.with(|thread| thread.depth.set(thread.depth.get().wrapping_add_signed(step)));
}

/// A record that may still be completed.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    words: *mut u64,
    generation: u32,
}

impl Record {
    /// Nothing was recorded.
    pub const NONE: Record = Record { words: null_mut(), generation: 0 };

    /// Sets words of the record, if it is still this process's.
    ///
    /// # Safety
    /// The record has the words from `at` on.
    #[inline]
    pub unsafe fn set(self, at: usize, values: &[u64]) {
        if self.words.is_null() || self.generation != GENERATION.load(Ordering::Relaxed) {
            return;
        }
        // SAFETY: the file stays mapped, and the caller says that the words are the record's; only this thread writes them.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.words.add(at), values.len()) };
    }
}

/// Writes a record of `length` words, the first included, which `fill` sets from the second on. They are 0 before.
#[inline]
pub fn record(kind: Kind, length: usize, fill: impl FnOnce(&mut [u64])) -> Record {
    THREAD.with(|thread| {
        if thread.busy.replace(true) {
            count_lost();
            return Record::NONE;
        }
        let record = reserve(thread, length);
        if !record.words.is_null() {
            // SAFETY: `reserve` gave that many words, which are mapped and nobody else's.
            let words = unsafe { std::slice::from_raw_parts_mut(record.words, length) };
            fill(&mut words[1..]);
            // SAFETY: as above. Whoever reads the file of a killed process finds the record whole or not at all.
            let first = unsafe { AtomicU64::from_ptr(record.words) };
            first.store(length as u64 | (kind as u64) << 32, Ordering::Release);
        }
        thread.busy.set(false);
        record
    })
}

#[inline]
fn reserve(thread: &Thread, length: usize) -> Record {
    let generation = GENERATION.load(Ordering::Relaxed);
    if thread.left.get() < length || thread.generation.get() != generation {
        take_chunk(thread, generation);
        if thread.left.get() < length {
            count_lost();
            return Record::NONE;
        }
    }
    let words = thread.next.get();
    // SAFETY: that many words are left.
    thread.next.set(unsafe { words.add(length) });
    thread.left.set(thread.left.get() - length);
    Record { words, generation }
}

/// The file's header, if there is a file.
fn header() -> Option<&'static Header> {
    // SAFETY: the file stays mapped and begins with a header, of which others change only the atomics.
    unsafe { FILE.load(Ordering::Acquire).cast::<Header>().as_ref() }
}

#[cold]
fn count_lost() {
    if let Some(header) = header() {
        header.lost.fetch_add(1, Ordering::Relaxed);
    }
}

#[cold]
fn take_chunk(thread: &Thread, generation: u32) {
    thread.left.set(0);
    thread.generation.set(generation);
    let Some(header) = started() else { return };
    if header.next.load(Ordering::Relaxed) >= header.chunks {
        return;
    }
    let chunk = header.next.fetch_add(1, Ordering::Relaxed);
    if chunk >= header.chunks {
        return;
    }
    // SAFETY: the chunk is within the file, and nobody else's.
    let start = unsafe { FILE.load(Ordering::Relaxed).add(chunk as usize * CHUNK_BYTES) };
    // Takes the file's blocks now: where there are none left, a store would end the program by SIGBUS. Kernels before 5.14 refuse, and then the store does it.
    let populate = rustix::mm::Advice::LinuxPopulateWrite;
    // SAFETY: the chunk is mapped.
    let populated = unsafe { rustix::mm::madvise(start.cast(), CHUNK_BYTES, populate) };
    if populated.is_err_and(|error| error != rustix::io::Errno::INVAL) {
        return;
    }
    let mut name = [0; 16];
    // SAFETY: PR_GET_NAME writes 16 bytes.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    // SAFETY: pthread_self and gettid have no preconditions.
    let (tid, pthread) = unsafe { (libc::gettid() as u64, libc::pthread_self() as u64) };
    // SAFETY: as above.
    unsafe { start.cast::<ChunkHeader>().write(ChunkHeader { tid, pthread, name }) };
    let used = size_of::<ChunkHeader>();
    // SAFETY: within the chunk.
    thread.next.set(unsafe { start.add(used) }.cast());
    thread.left.set((CHUNK_BYTES - used) / 8);
}

/// The header of the file, which is made if there is none yet.
fn started() -> Option<&'static Header> {
    loop {
        match STATE.compare_exchange(WAITING, STARTING, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                let file = make_file();
                FILE.store(file.unwrap_or(null_mut()), Ordering::Release);
                STATE.store(if file.is_some() { ON } else { OFF }, Ordering::Release);
            }
            Err(STARTING) => std::thread::yield_now(),
            Err(ON) => return header(),
            Err(_) => return None,
        }
    }
}

/// Makes the file of this process, as large as it may become, without taking room on the disk. The system calls are made directly: those of
/// libc may be interposed, and this process may just be starting.
fn make_file() -> Option<*mut u8> {
    let settings = environment::settings()?;
    let (raw_ns, real_ns) = (now(), clock(libc::CLOCK_REALTIME));
    let pid = rustix::process::getpid();
    let path = settings.folder.join(format!("{}-{raw_ns}.raw", pid.as_raw_nonzero()));
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => file,
        Err(error) => {
            environment::say(format_args!("cannot write {}: {error}; this process is not recorded", path.display()));
            return None;
        }
    };
    // A larger file would be refused with a signal.
    let allowed = rustix::process::getrlimit(rustix::process::Resource::Fsize).current.unwrap_or(u64::MAX);
    let chunks = (settings.limit.min(allowed) / CHUNK_BYTES as u64).max(1);
    let bytes = chunks * CHUNK_BYTES as u64;
    rustix::fs::ftruncate(&file, bytes).ok()?;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping at an address that the kernel chooses.
    let mapped =
        unsafe { rustix::mm::mmap(null_mut(), bytes as usize, protection, MapFlags::SHARED, &file, 0) }.ok()?;
    let mut command = [0; 4096];
    let command_bytes = command_line(&mut command) as u64;
    let header = Header {
        magic: MAGIC,
        tables: tables::digest(),
        pid: pid.as_raw_nonzero().get() as u64,
        parent: rustix::process::getppid().map_or(0, |parent| parent.as_raw_nonzero().get() as u64),
        raw_ns,
        real_ns,
        monotonic_ns: clock(libc::CLOCK_MONOTONIC),
        chunks,
        next: AtomicU64::new(1),
        lost: AtomicU64::new(0),
        command_bytes,
        command,
    };
    // SAFETY: the mapping is larger than a header, and nobody else knows of it.
    unsafe { mapped.cast::<Header>().write(header) };
    Some(mapped.cast())
}

fn command_line(bytes: &mut [u8]) -> usize {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open("/proc/self/cmdline", flags, Mode::empty()) else { return 0 };
    rustix::io::read(&file, bytes).unwrap_or(0)
}
