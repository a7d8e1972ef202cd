//! Writes events into a mapped file without locks or allocations; each thread makes one system call for every 64 KiB.

use crate::clock::{self, Moment};
use crate::raw::{CHUNK_BYTES, ChunkHeader, Header, Kind, MAGIC, first_word};
use crate::{environment, tables};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags};
use std::cell::Cell;
use std::ffi::c_void;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering, compiler_fence};

/// Nothing is recorded.
const OFF: u8 = 0;
/// Nobody has looked yet whether anything is.
const UNKNOWN: u8 = 1;
/// The file is made with the first event.
const WAITING: u8 = 2;
const STARTING: u8 = 3;
const ON: u8 = 4;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
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

/// The calling thread's place. Nothing else happens in `with`, which is not inlined where it has more to do, and an
/// event would be written through pointers to all that it needs.
#[inline(always)]
fn thread() -> &'static Thread {
    let thread = THREAD.with(std::ptr::from_ref);
    // SAFETY: without a destructor it is there as long as the thread, and the reference is used by this thread only.
    unsafe { &*thread }
}

/// Whether anything is recorded, which is found out at the first sight of something to record: constructors of
/// libraries call functions before this library's own runs. So it is not to be asked where a program may hold a lock of
/// its `malloc`, as in `mmap`, before it is clear that there is something.
#[inline]
pub fn enabled() -> bool {
    // What `initialise` did comes before; it is the same instruction as a relaxed load on x86-64.
    match STATE.load(Ordering::Acquire) {
        OFF => false,
        UNKNOWN => initialise(),
        _ => true,
    }
}

/// Records from now on, if the environment says so. The file is made with the first event, so that programs which have
/// none leave none.
#[cold]
fn initialise() -> bool {
    // Meanwhile it is off: for other threads, and for what is called here.
    if STATE.compare_exchange(UNKNOWN, OFF, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        && environment::settings().is_some()
    {
        clock::choose();
        // SAFETY: the handler is a function of this library, which is never unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) };
        STATE.store(WAITING, Ordering::Release);
    }
    STATE.load(Ordering::Acquire) != OFF
}

/// The parent's file stays mapped, because a call that began before the fork may still look at its record; it is not
/// written to.
extern "C" fn after_fork_in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    FILE.store(null_mut(), Ordering::Relaxed);
    if STATE.load(Ordering::Relaxed) != OFF {
        STATE.store(WAITING, Ordering::Release);
    }
}

/// Whether this is a child by `vfork`: it has the memory of its parent, and descriptors of its own.
pub fn in_vfork_child() -> bool {
    let pid = rustix::process::getpid().as_raw_nonzero().get() as u64;
    header().is_some_and(|header| header.pid != pid)
}

/// Whether the thread is in a recorded call.
pub fn in_call() -> bool {
    thread().depth.get() > 0
}

/// A recorded call has begun (1) or ended (-1) on this thread. One that ends may have begun when nothing was recorded
/// yet.
#[inline]
pub fn nest(step: i32) {
    let depth = &thread().depth;
    depth.set(depth.get().saturating_add_signed(step));
}

/// Where records of calls have their end.
const END: usize = 2;

/// A record that may still be completed.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    words: *mut u64,
    generation: u32,
}

impl Record {
    /// Nothing was recorded.
    pub const NONE: Record = Record { words: null_mut(), generation: 0 };

    /// Whether there is a record, and still this process's.
    #[inline]
    pub fn is_ours(self) -> bool {
        !self.words.is_null() && self.generation == GENERATION.load(Ordering::Relaxed)
    }

    /// Sets words of the record.
    ///
    /// # Safety
    /// It [is ours](Self::is_ours), and has the words from `at` on.
    #[inline]
    pub unsafe fn set(self, at: usize, values: &[u64]) {
        // SAFETY: the file stays mapped, and the caller says that the words are the record's; only this thread writes
        // them.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.words.add(at), values.len()) };
    }

    /// Sets the time at which a call returned, after all else: a call that has an end has its results.
    ///
    /// # Safety
    /// It [is ours](Self::is_ours), and a record of a call.
    #[inline]
    pub unsafe fn set_end(self, ticks: u64) {
        // SAFETY: as above; records of calls have it there.
        unsafe { AtomicU64::from_ptr(self.words.add(END)) }.store(ticks, Ordering::Release);
    }
}

/// Writes a record of `length` words, the first included, which `fill` sets from the second on. They are 0 before.
#[inline]
pub fn record(kind: Kind, what: u32, length: usize, fill: impl FnOnce(&mut [u64])) -> Record {
    let thread = thread();
    if thread.busy.replace(true) {
        count_lost();
        return Record::NONE;
    }
    // For signal handlers, which must find it set.
    compiler_fence(Ordering::SeqCst);
    let record = reserve(thread, length);
    if !record.words.is_null() {
        // SAFETY: `reserve` gave that many words, which are mapped and nobody else's.
        let words = unsafe { std::slice::from_raw_parts_mut(record.words, length) };
        fill(&mut words[1..]);
        // SAFETY: as above. Whoever reads the file of a killed process finds the record whole or not at all.
        let first = unsafe { AtomicU64::from_ptr(record.words) };
        first.store(first_word(length, kind, what), Ordering::Release);
    }
    compiler_fence(Ordering::SeqCst);
    thread.busy.set(false);
    record
}

/// Puts a text into a record: the number of its bytes, then the bytes.
pub fn put_text(words: &mut [u64], text: &[u8]) {
    let (length, rest) = words.split_at_mut(1);
    length[0] = text.len() as u64;
    for (word, bytes) in rest.iter_mut().zip(text.chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(padded);
    }
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
    if header.full.load(Ordering::Relaxed) != 0 || header.next.load(Ordering::Relaxed) >= header.chunks {
        return;
    }
    let chunk = header.next.fetch_add(1, Ordering::Relaxed);
    if chunk >= header.chunks {
        return;
    }
    // SAFETY: the chunk is within the file, and nobody else's.
    let start = unsafe { FILE.load(Ordering::Relaxed).add(chunk as usize * CHUNK_BYTES) };
    // SAFETY: as above.
    if !unsafe { populate(start) } {
        header.full.store(1, Ordering::Relaxed);
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

/// Takes the file's blocks of a chunk now: where there are none left, a store would end the program by SIGBUS. Kernels
/// before 5.14 refuse, and then the store does it.
///
/// # Safety
/// The chunk is mapped.
unsafe fn populate(chunk: *mut u8) -> bool {
    let populate = rustix::mm::Advice::LinuxPopulateWrite;
    // SAFETY: as promised by the caller.
    let populated = unsafe { rustix::mm::madvise(chunk.cast(), CHUNK_BYTES, populate) };
    !populated.is_err_and(|error| error != Errno::INVAL)
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

/// Makes the file of this process, as large as it may become, without taking room on the disk. The system calls are
/// made directly: those of libc may be interposed, and this process may just be starting.
fn make_file() -> Option<*mut u8> {
    let settings = environment::settings()?;
    let counter = clock::is_counter();
    let made = Moment::now(counter);
    let pid = rustix::process::getpid();
    let path = settings.folder.join(format!("{}-{}.raw", pid.as_raw_nonzero(), made.raw_ns));
    let (mapped, chunks) = match map_new(&path, settings.limit) {
        Ok(mapped) => mapped,
        Err(error) => {
            environment::say(format_args!("cannot write {}: {error}; this process is not recorded", path.display()));
            return None;
        }
    };
    let mut command = [0; 4096];
    let command_bytes = command_line(&mut command) as u64;
    let header = Header {
        magic: MAGIC,
        tables: tables::digest(),
        pid: pid.as_raw_nonzero().get() as u64,
        parent: rustix::process::getppid().map_or(0, |parent| parent.as_raw_nonzero().get() as u64),
        counter: counter.into(),
        made,
        chunks,
        next: AtomicU64::new(1),
        lost: AtomicU64::new(0),
        full: AtomicU64::new(0),
        command_bytes,
        command,
    };
    // SAFETY: the mapping is larger than a header, and nobody else knows of it.
    unsafe { mapped.cast::<Header>().write(header) };
    Some(mapped.cast())
}

/// A new file, mapped, and how many chunks it has. The first has its blocks.
fn map_new(path: &Path, limit: u64) -> Result<(*mut c_void, u64), Errno> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?;
    let mapped = map(&file, limit);
    if mapped.is_err() {
        _ = rustix::fs::unlink(path);
    }
    mapped
}

fn map(file: &OwnedFd, limit: u64) -> Result<(*mut c_void, u64), Errno> {
    const CHUNK: u64 = CHUNK_BYTES as u64;
    // A larger file would be refused with a signal.
    let allowed = rustix::process::getrlimit(rustix::process::Resource::Fsize).current.unwrap_or(u64::MAX);
    let chunks = (limit / CHUNK).max(1).min(allowed / CHUNK);
    if chunks == 0 {
        return Err(Errno::FBIG);
    }
    let bytes = (chunks * CHUNK) as usize;
    rustix::fs::ftruncate(file, bytes as u64)?;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a new mapping at an address that the kernel chooses.
    let mapped = unsafe { rustix::mm::mmap(null_mut(), bytes, protection, MapFlags::SHARED, file, 0) }?;
    // SAFETY: the chunk is mapped; nobody knows of the mapping yet.
    unsafe {
        if !populate(mapped.cast()) {
            _ = rustix::mm::munmap(mapped, bytes);
            return Err(Errno::NOSPC);
        }
    }
    Ok((mapped, chunks))
}

fn command_line(bytes: &mut [u8]) -> usize {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open("/proc/self/cmdline", flags, Mode::empty()) else { return 0 };
    rustix::io::read(&file, bytes).unwrap_or(0)
}
