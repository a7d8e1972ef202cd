//! Copies between the device and addresses from the program. A bad address gives `EFAULT`, as from the kernel, and does
//! not crash.
//!
//! The kernel is asked to copy. Where the caller's own stack holds the bytes, as it does the arguments of nearly all
//! requests, that is not necessary. Nothing else can be known to be there: the program's allocator unmaps memory inside
//! the C library, and a handler of faults would not run in threads that block its signal.

mod stack;

use crate::errno::Errno;
use crate::real;
use libc::{c_void, iovec};
use std::sync::atomic::{AtomicI32, Ordering};

pub use stack::changed as memory_changed;

/// Plain data of the kernel interface.
///
/// # Safety
/// Any bytes are a valid value. (Bytes between fields are no matter: the kernel copies values, nothing here looks at
/// their bytes.)
pub unsafe trait Plain: Copy {}

/// Largest array that a caller may ask to be copied, in bytes.
const MAX_BYTES: usize = 64 << 20;

type Transfer = unsafe fn(libc::pid_t, *const iovec, u64, *const iovec, u64, u64) -> isize;

/// This process's number, 0 if it was not asked for yet.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// Forgets the parent's number, in a forked child.
pub fn forget_in_child() {
    PROCESS.store(0, Ordering::Relaxed);
}

fn process() -> libc::pid_t {
    match PROCESS.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: plain system call.
            let process = unsafe { libc::getpid() };
            PROCESS.store(process, Ordering::Relaxed);
            process
        }
        known => known,
    }
}

fn transfer(function: Transfer, local: *mut c_void, remote: u64, length: usize) -> Result<(), Errno> {
    if length == 0 {
        return Ok(());
    }
    let local = iovec { iov_base: local, iov_len: length };
    let remote = iovec { iov_base: std::ptr::without_provenance_mut(remote as usize), iov_len: length };
    // SAFETY: `local` is valid for `length` bytes; the kernel checks `remote`.
    let done = unsafe { function(process(), &local, 1, &remote, 1, 0) };
    if done == length as isize { Ok(()) } else { Err(Errno::EFAULT) }
}

/// # Safety
/// `to` is valid for writing `length` bytes.
unsafe fn copy_in(to: *mut c_void, from: u64, length: usize) -> Result<(), Errno> {
    if !stack::holds(from, length) {
        return transfer(real::process_vm_readv, to, from, length);
    }
    // SAFETY: stack of callers is readable, and the caller promises the rest. What this crate has on the stack is
    // below.
    unsafe { std::ptr::copy_nonoverlapping(std::ptr::with_exposed_provenance(from as usize), to.cast::<u8>(), length) };
    Ok(())
}

/// # Safety
/// `from` is valid for reading `length` bytes.
unsafe fn copy_out(to: u64, from: *const c_void, length: usize) -> Result<(), Errno> {
    if !stack::holds(to, length) {
        return transfer(real::process_vm_writev, from.cast_mut(), to, length);
    }
    // SAFETY: stack of callers is writable, and the caller promises the rest. What this crate has on the stack is
    // below.
    unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), std::ptr::with_exposed_provenance_mut(to as usize), length);
    };
    Ok(())
}

/// Fills `to` from the program's memory.
///
/// # Errors
/// `EFAULT` if some of it cannot be read.
pub fn read(to: &mut [u8], from: u64) -> Result<(), Errno> {
    // SAFETY: a slice of that length.
    unsafe { copy_in(to.as_mut_ptr().cast(), from, to.len()) }
}

/// As [`read`], and allocates nothing, as handlers of signals must not.
///
/// # Errors
/// As of [`read`].
pub fn read_in_handler(to: &mut [u8], from: u64) -> Result<(), Errno> {
    transfer(real::process_vm_readv, to.as_mut_ptr().cast(), from, to.len())
}

/// Writes `from` to the program's memory.
///
/// # Errors
/// `EFAULT` if some of it cannot be written.
pub fn write(to: u64, from: &[u8]) -> Result<(), Errno> {
    // SAFETY: a slice of that length.
    unsafe { copy_out(to, from.as_ptr().cast(), from.len()) }
}

/// Reads `count` values.
///
/// # Errors
/// `EFAULT` if they cannot be read, `ENOMEM` for an absurd count.
pub fn read_array<T: Plain>(from: u64, count: usize) -> Result<Vec<T>, Errno> {
    let bytes = count
        .checked_mul(size_of::<T>())
        .filter(|bytes| *bytes <= MAX_BYTES)
        .ok_or(Errno::ENOMEM.because("the array is too large"))?;
    let mut values: Vec<T> = Vec::with_capacity(count);
    // SAFETY: there is room for so many bytes.
    unsafe { copy_in(values.as_mut_ptr().cast(), from, bytes) }?;
    // SAFETY: the copy filled `count` values, of which any bytes are valid.
    unsafe { values.set_len(count) };
    Ok(values)
}

/// Writes `values`.
///
/// # Errors
/// `EFAULT` if they cannot be written.
pub fn write_array<T: Plain>(to: u64, values: &[T]) -> Result<(), Errno> {
    // SAFETY: a slice of that size.
    unsafe { copy_out(to, values.as_ptr().cast(), size_of_val(values)) }
}

/// Reads one value.
///
/// # Errors
/// `EFAULT` if it cannot be read.
pub fn read_value<T: Plain>(from: u64) -> Result<T, Errno> {
    let mut value = std::mem::MaybeUninit::<T>::uninit();
    // SAFETY: a value of that size.
    unsafe { copy_in(value.as_mut_ptr().cast(), from, size_of::<T>()) }?;
    // SAFETY: the copy filled it, and any bytes are valid.
    Ok(unsafe { value.assume_init() })
}

/// Writes one value.
///
/// # Errors
/// `EFAULT` if it cannot be written.
pub fn write_value<T: Plain>(to: u64, value: &T) -> Result<(), Errno> {
    write_start(to, value, size_of::<T>())
}

/// Writes the first `length` bytes of `value`, or all if there are less.
///
/// # Errors
/// `EFAULT` if they cannot be written.
pub fn write_start<T: Plain>(to: u64, value: &T, length: usize) -> Result<(), Errno> {
    // SAFETY: within the value.
    unsafe { copy_out(to, std::ptr::from_ref(value).cast(), length.min(size_of::<T>())) }
}

// SAFETY: integers.
unsafe impl Plain for u8 {}
// SAFETY: integers.
unsafe impl Plain for u32 {}
// SAFETY: integers.
unsafe impl Plain for u64 {}

/// Calls `call` with the arguments of a request, which are copied in and out byte by byte.
///
/// # Errors
/// Those of `call`.
///
/// # Safety
/// `T` is plain data of the kernel's interface, and `bytes` holds at least one.
pub unsafe fn with<T: Copy>(bytes: &mut [u8], call: impl FnOnce(&mut T) -> Result<(), Errno>) -> Result<(), Errno> {
    assert!(bytes.len() >= size_of::<T>(), "the buffer is as long as the driver's structure");
    // SAFETY: long enough, and as promised by the caller.
    let mut args = unsafe { bytes.as_ptr().cast::<T>().read_unaligned() };
    let result = call(&mut args);
    // SAFETY: as above.
    unsafe { bytes.as_mut_ptr().cast::<T>().write_unaligned(args) };
    result
}

/// A part of the program's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRange {
    /// First address.
    pub start: u64,
    /// Address after the last byte.
    pub end: u64,
    /// `PROT_READ`.
    pub read: bool,
    /// `PROT_WRITE`.
    pub write: bool,
    /// Memory of this device, mapped through its files.
    pub device: bool,
    /// The heap that `brk` ends, or the first thread's stack.
    pub initial: bool,
}

/// The parts that make up the `size` bytes at `start`, in order; `None` if some bytes are not mapped.
pub fn host_ranges(start: u64, size: u64) -> Option<Vec<HostRange>> {
    let ranges = mapped(start, size)?;
    let mut at = start;
    for range in &ranges {
        if range.start > at {
            return None;
        }
        at = range.end;
    }
    (at >= start + size).then_some(ranges)
}

/// The mapped parts of the `size` bytes at `start`, in order; `None` if there are no such addresses.
pub fn mapped(start: u64, size: u64) -> Option<Vec<HostRange>> {
    let end = start.checked_add(size)?;
    let maps = real::read_file(c"/proc/self/maps")?;
    let mut behind = start;
    let all = maps.split(|byte| *byte == b'\n').filter_map(parse_map);
    // Linux from 6.17 on shows a mapping again that has merged with the next one since it was shown.
    let new = all.filter_map(|range| {
        let range = HostRange { start: range.start.max(behind), end: range.end.min(end), ..range };
        behind = behind.max(range.end);
        (range.start < range.end).then_some(range)
    });
    Some(new.collect())
}

/// All memory of this device that the process has mapped, in order.
pub fn device_ranges() -> Vec<HostRange> {
    mapped(0, u64::MAX).unwrap_or_default().into_iter().filter(|range| range.device).collect()
}

/// What a line of `/proc/PID/maps` says.
fn parse_map(line: &[u8]) -> Option<HostRange> {
    let line = String::from_utf8_lossy(line);
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let flags = fields.next()?.as_bytes();
    // Behind the offset, the device's number and the inode.
    let name = fields.nth(3).unwrap_or_default();
    Some(HostRange {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        read: *flags.first()? == b'r',
        write: *flags.get(1)? == b'w',
        device: name.starts_with("/memfd:vgpu-"),
        initial: name == "[heap]" || name == "[stack]",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_addresses_are_efault() {
        assert_eq!(read_value::<u64>(8).err(), Some(Errno::EFAULT));
        assert_eq!(write_value(8, &1u64).err(), Some(Errno::EFAULT));
        let value = 7u64;
        assert_eq!(read_value::<u64>(std::ptr::from_ref(&value).addr() as u64), Ok(7));
    }

    #[test]
    fn host_ranges_are_found_whole() {
        let memory = vec![0u8; 3 * 4096];
        let start = memory.as_ptr().addr() as u64;
        let ranges = host_ranges(start, 3 * 4096).unwrap();
        assert!(ranges.iter().all(|range| range.read && range.write && !range.device));
        assert_eq!((ranges[0].start, ranges.last().unwrap().end), (start, start + 3 * 4096));
        assert_eq!(host_ranges(0, 4096), None);
        assert_eq!(host_ranges(u64::MAX - 4095, 8192), None);
        let code = host_ranges_are_found_whole as fn() as usize as u64;
        let code = host_ranges(code, 16).unwrap()[0];
        assert!(code.read && !code.write);
    }

    #[test]
    fn ranges_do_not_overlap_while_mappings_change() {
        use std::sync::atomic::{AtomicBool, Ordering};

        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), 3 * 4096, access, kind, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let first = start.expose_provenance();
        let done = &AtomicBool::new(false);
        let overlapping = std::thread::scope(|scope| {
            scope.spawn(move || {
                let middle = std::ptr::with_exposed_provenance_mut(first + 4096);
                while !done.load(Ordering::Relaxed) {
                    for protection in [libc::PROT_READ, access] {
                        // SAFETY: a page of the mapping, which nobody else uses.
                        unsafe { libc::mprotect(middle, 4096, protection) };
                    }
                }
            });
            let overlaps = |pair: &&[HostRange]| pair[0].end > pair[1].start;
            let found = (0..3000).find_map(|_| {
                let ranges = host_ranges(first as u64, 3 * 4096)?;
                ranges.windows(2).find(overlaps).map(|pair| [pair[0], pair[1]])
            });
            done.store(true, Ordering::Relaxed);
            found
        });
        assert!(overlapping.is_none(), "{overlapping:x?}");
        // SAFETY: mapped above.
        unsafe { libc::munmap(start, 3 * 4096) };
    }

    #[test]
    fn memory_of_the_device_is_known_by_its_name() {
        let line = b"7f0000000000-7f0000200000 rw-s 00000000 00:01 1033 /memfd:vgpu-vram-51110-c0000001 (deleted)";
        let range = parse_map(line).unwrap();
        assert!(range.device && range.read && range.write);
        assert_eq!((range.start, range.end), (0x7f00_0000_0000, 0x7f00_0020_0000));
        assert!(!parse_map(b"7f0000000000-7f0000200000 ---p 00000000 00:00 0").unwrap().device);
    }
}
