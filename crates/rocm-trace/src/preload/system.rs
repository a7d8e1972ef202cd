//! Wrappers of the system calls through which the runtimes reach the driver.

use super::{dlsym, readable};
use crate::raw::{Kind, SystemCall, TEXT_BYTES, words};
use crate::recorder::{self, Record};
use crate::{clock, environment, tables};
use libc::{FILE, c_char, c_int, c_uint, c_void, mode_t};
use std::sync::atomic::{AtomicU8, Ordering};

interposition::functions! {
    /// libc's functions. Variadic ones have fixed arguments here, which x86-64 passes in the same way.
    pub unwinding static LIBC: found by dlsym::next, in "libc.so";
    fn open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int, else missing(-1)
        => opened(path, flags, || next::open(path, flags, mode));
    fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int, else missing(-1)
        => opened(path, flags, || next::open64(path, flags, mode));
    fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int, else missing(-1)
        => opened(path, flags, || next::openat(folder, path, flags, mode));
    fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int, else missing(-1)
        => opened(path, flags, || next::openat64(folder, path, flags, mode));
    fn __open_2(path: *const c_char, flags: c_int) -> c_int, else missing(-1)
        => opened(path, flags, || next::__open_2(path, flags));
    fn __open64_2(path: *const c_char, flags: c_int) -> c_int, else missing(-1)
        => opened(path, flags, || next::__open64_2(path, flags));
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE, else missing(std::ptr::null_mut())
        => next::fopen(path, mode_for(path, mode));
    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE, else missing(std::ptr::null_mut())
        => next::fopen64(path, mode_for(path, mode));
    fn close(fd: c_int) -> c_int, else missing(-1)
        => closed(fd, || next::close(fd));
    fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int, else missing(-1)
        => closed_all(first, last, flags, || next::close_range(first, last, flags));
    fn dup(fd: c_int) -> c_int, else missing(-1)
        => duplicated(fd, || next::dup(fd));
    fn dup2(fd: c_int, to: c_int) -> c_int, else missing(-1)
        => duplicated(fd, || next::dup2(fd, to));
    fn dup3(fd: c_int, to: c_int, flags: c_int) -> c_int, else missing(-1)
        => duplicated(fd, || next::dup3(fd, to, flags));
    fn fcntl(fd: c_int, command: c_int, argument: *mut c_void) -> c_int, else missing(-1)
        => controlled(fd, command, || next::fcntl(fd, command, argument));
    fn fcntl64(fd: c_int, command: c_int, argument: *mut c_void) -> c_int, else missing(-1)
        => controlled(fd, command, || next::fcntl64(fd, command, argument));
    fn ioctl(fd: c_int, request: u64, argument: *mut c_void) -> c_int, else missing(-1)
        => requested(fd, request, argument, || next::ioctl(fd, request, argument));
    fn mmap(address: *mut c_void, length: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void, else missing(libc::MAP_FAILED)
        => mapped([address as u64, length as u64, protection as u64, flags as u64, fd as u64, offset as u64], || next::mmap(address, length, protection, flags, fd, offset));
    fn mmap64(address: *mut c_void, length: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void, else missing(libc::MAP_FAILED)
        => mapped([address as u64, length as u64, protection as u64, flags as u64, fd as u64, offset as u64], || next::mmap64(address, length, protection, flags, fd, offset));
    fn munmap(address: *mut c_void, length: usize) -> c_int, else missing(-1)
        => unmapped(address as u64, length as u64, || next::munmap(address, length));
}

/// What a function returns that no library has.
fn missing<T>(failure: T) -> T {
    // SAFETY: errno is the calling thread's own.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    failure
}

/// Descriptors of the driver's files. Those above are recognised by their requests alone.
static DEVICES: [AtomicU8; 1 << 16] = [const { AtomicU8::new(0) }; 1 << 16];

fn is_device(fd: c_int) -> bool {
    usize::try_from(fd).ok().and_then(|fd| DEVICES.get(fd)).is_some_and(|device| device.load(Ordering::Relaxed) != 0)
}

fn set_device(fd: c_int, device: bool) {
    if device != is_device(fd)
        && !recorder::in_vfork_child()
        && let Some(place) = usize::try_from(fd).ok().and_then(|fd| DEVICES.get(fd))
    {
        place.store(device.into(), Ordering::Relaxed);
    }
}

fn begin(call: SystemCall, arguments: &[u64], text: &[u8]) -> Record {
    recorder::record(Kind::System, call as u32, 11 + words(text.len()), |record| {
        record[0] = clock::now();
        record[3..][..arguments.len()].copy_from_slice(arguments);
        recorder::put_text(&mut record[9..], text);
    })
}

/// The call has returned; an error is recorded as the negative errno.
fn end(record: Record, result: i64, failed: bool) {
    // SAFETY: errno is the calling thread's own.
    let result = if failed { -i64::from(unsafe { *libc::__errno_location() }) } else { result };
    if record.is_ours() {
        // SAFETY: both kinds of records have these words.
        unsafe {
            record.set(3, &[result as u64]);
            record.set_end(clock::now());
        }
    }
}

/// How a file is opened: the runtimes' log to be appended to. HIP and OpenCL have a copy each of what writes it, and
/// both open the same file to write from its beginning.
fn mode_for(path: *const c_char, mode: *const c_char) -> *const c_char {
    // SAFETY: the caller gives a C string, or the kernel finds that it cannot be read.
    let path = unsafe { readable::text(path) };
    if path.is_some_and(environment::is_log) { c"ae".as_ptr() } else { mode }
}

fn opened(path: *const c_char, flags: c_int, next: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: as above.
    let name = unsafe { readable::text(path) };
    let of_the_driver = |name: &&[u8]| *name == b"/dev/kfd" || name.starts_with(b"/dev/dri/");
    let Some(name) = name.filter(of_the_driver).filter(|_| recorder::enabled()) else { return next() };
    let record = begin(SystemCall::Open, &[flags as u64], &name[..name.len().min(TEXT_BYTES)]);
    let fd = next();
    end(record, fd.into(), fd < 0);
    if fd >= 0 {
        set_device(fd, true);
    }
    fd
}

fn closed(fd: c_int, next: impl FnOnce() -> c_int) -> c_int {
    if !is_device(fd) || !recorder::enabled() || recorder::in_vfork_child() {
        return next();
    }
    set_device(fd, false);
    let record = begin(SystemCall::Close, &[fd as u64], &[]);
    let result = next();
    end(record, result.into(), result < 0);
    result
}

/// Not recorded, as they are often all that there may be.
fn closed_all(first: c_uint, last: c_uint, flags: c_int, next: impl FnOnce() -> c_int) -> c_int {
    let result = next();
    if result == 0 && flags as c_uint & libc::CLOSE_RANGE_CLOEXEC == 0 {
        let last = last.min(DEVICES.len() as c_uint - 1);
        (first..=last).for_each(|fd| set_device(fd as c_int, false));
    }
    result
}

fn duplicated(fd: c_int, next: impl FnOnce() -> c_int) -> c_int {
    let new = next();
    set_device(new, is_device(fd));
    new
}

fn controlled(fd: c_int, command: c_int, next: impl FnOnce() -> c_int) -> c_int {
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => duplicated(fd, next),
        _ => next(),
    }
}

/// Words of a record of a request before its argument.
const REQUEST_WORDS: usize = 5;
/// Most bytes of an argument that are kept.
const ARGUMENT_BYTES: usize = 1024;

fn requested(fd: c_int, request: u64, argument: *mut c_void, next: impl FnOnce() -> c_int) -> c_int {
    if !is_device(fd) && tables::request(request).is_none() || !recorder::enabled() {
        return next();
    }
    let bytes = (request as usize >> 16 & 0x3fff).min(ARGUMENT_BYTES);
    // What is wrong with the argument is for the driver to say.
    let can_be_read = |bytes: usize| readable::is_readable(argument as u64, bytes);
    let bytes = if can_be_read(bytes) { bytes } else { 0 };
    let half = words(bytes);
    let copy = |to: &mut [u64]| {
        // SAFETY: so many bytes were just found readable, and there is room for them.
        unsafe { std::ptr::copy_nonoverlapping(argument.cast::<u8>(), to.as_mut_ptr().cast::<u8>(), bytes) };
    };
    let record = recorder::record(Kind::Ioctl, request as u32, REQUEST_WORDS + 2 * half, |record| {
        record[0] = clock::now();
        record[3] = fd as u32 as u64 | (bytes as u64) << 32;
        copy(&mut record[4..][..half]);
    });
    let result = next();
    if bytes > 0 && record.is_ours() && can_be_read(bytes) {
        let mut after = [0; words(ARGUMENT_BYTES)];
        copy(&mut after[..half]);
        // SAFETY: the record has the argument twice.
        unsafe { record.set(REQUEST_WORDS + half, &after[..half]) };
    }
    end(record, result.into(), result < 0);
    result
}

fn mapped(arguments: [u64; 6], next: impl FnOnce() -> *mut c_void) -> *mut c_void {
    // In the place of what was there.
    if arguments[3] as c_int & libc::MAP_FIXED != 0 {
        readable::forget();
    }
    if !recorder::in_call() && !is_device(arguments[4] as c_int) || !recorder::enabled() {
        return next();
    }
    let record = begin(SystemCall::Mmap, &arguments, &[]);
    let result = next();
    end(record, result as i64, result == libc::MAP_FAILED);
    result
}

fn unmapped(address: u64, length: u64, next: impl FnOnce() -> c_int) -> c_int {
    readable::forget();
    if !recorder::in_call() || !recorder::enabled() {
        return next();
    }
    let record = begin(SystemCall::Munmap, &[address, length], &[]);
    let result = next();
    end(record, result.into(), result < 0);
    result
}
