//! Copies between the device and addresses that the program gave it: a bad address is `EFAULT`, as from the kernel, not a crash.

use crate::errno::Errno;
use libc::{c_void, iovec};

/// Plain data of the kernel interface.
///
/// # Safety
/// Any bytes are a valid value, and every byte of a value is initialised (no padding).
pub unsafe trait Plain: Copy {}

/// Largest array that a caller may ask to be copied, in bytes.
const MAX_BYTES: usize = 64 << 20;

type Transfer = unsafe extern "C" fn(libc::pid_t, *const iovec, u64, *const iovec, u64, u64) -> isize;

fn transfer(function: Transfer, local: *mut c_void, remote: u64, length: usize) -> Result<(), Errno> {
    if length == 0 {
        return Ok(());
    }
    let local = iovec { iov_base: local, iov_len: length };
    let remote = iovec { iov_base: std::ptr::without_provenance_mut(remote as usize), iov_len: length };
    // SAFETY: `local` is valid for `length` bytes; the kernel checks `remote`.
    let done = unsafe { function(libc::getpid(), &local, 1, &remote, 1, 0) };
    if done == length as isize { Ok(()) } else { Err(Errno::EFAULT) }
}

/// Fills `to` from the program's memory.
///
/// # Errors
/// `EFAULT` if some of it cannot be read.
pub fn read(to: &mut [u8], from: u64) -> Result<(), Errno> {
    transfer(libc::process_vm_readv, to.as_mut_ptr().cast(), from, to.len())
}

/// Writes `from` to the program's memory.
///
/// # Errors
/// `EFAULT` if some of it cannot be written.
pub fn write(to: u64, from: &[u8]) -> Result<(), Errno> {
    transfer(libc::process_vm_writev, from.as_ptr().cast_mut().cast(), to, from.len())
}

/// Reads `count` values.
///
/// # Errors
/// `EFAULT` if they cannot be read, `ENOMEM` for an absurd count.
pub fn read_array<T: Plain>(from: u64, count: usize) -> Result<Vec<T>, Errno> {
    let bytes = count.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= MAX_BYTES).ok_or(Errno::ENOMEM)?;
    let mut values: Vec<T> = Vec::with_capacity(count);
    transfer(libc::process_vm_readv, values.as_mut_ptr().cast(), from, bytes)?;
    // SAFETY: the transfer filled `count` values, of which any bytes are valid.
    unsafe { values.set_len(count) };
    Ok(values)
}

/// Writes `values`.
///
/// # Errors
/// `EFAULT` if they cannot be written.
pub fn write_array<T: Plain>(to: u64, values: &[T]) -> Result<(), Errno> {
    transfer(libc::process_vm_writev, values.as_ptr().cast_mut().cast(), to, size_of_val(values))
}

/// Reads one value.
///
/// # Errors
/// `EFAULT` if it cannot be read.
pub fn read_value<T: Plain>(from: u64) -> Result<T, Errno> {
    let mut value = std::mem::MaybeUninit::<T>::uninit();
    transfer(libc::process_vm_readv, value.as_mut_ptr().cast(), from, size_of::<T>())?;
    // SAFETY: the transfer filled it, and any bytes are valid.
    Ok(unsafe { value.assume_init() })
}

/// Writes one value.
///
/// # Errors
/// `EFAULT` if it cannot be written.
pub fn write_value<T: Plain>(to: u64, value: &T) -> Result<(), Errno> {
    transfer(libc::process_vm_writev, std::ptr::from_ref(value).cast_mut().cast(), to, size_of::<T>())
}

// SAFETY: integers.
unsafe impl Plain for u8 {}
// SAFETY: integers.
unsafe impl Plain for u32 {}
// SAFETY: integers.
unsafe impl Plain for u64 {}

/// Whether all of `size` bytes at `start` are mapped in this process, readable and, if `write`, writable.
pub fn host_accessible(start: u64, size: u64, write: bool) -> bool {
    let Some(end) = start.checked_add(size) else { return false };
    let Some(maps) = crate::real::read_file(c"/proc/self/maps") else { return false };
    let mut at = start;
    for line in maps.split(|byte| *byte == b'\n') {
        let Some((from, to, flags)) = parse_map(line) else { continue };
        if to <= at {
            continue;
        }
        if from > at || flags[0] != b'r' || (write && flags[1] != b'w') {
            return false;
        }
        at = to;
        if at >= end {
            return true;
        }
    }
    false
}

/// First address, end and permissions of a line of `/proc/PID/maps`.
fn parse_map(line: &[u8]) -> Option<(u64, u64, [u8; 2])> {
    let line = std::str::from_utf8(line.get(..line.len().min(64))?).ok()?;
    let (range, rest) = line.split_once(' ')?;
    let (from, to) = range.split_once('-')?;
    let flags = rest.as_bytes();
    Some((u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?, [*flags.first()?, *flags.get(1)?]))
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
    fn host_ranges_are_checked_whole() {
        let memory = vec![0u8; 3 * 4096];
        let start = memory.as_ptr().addr() as u64;
        assert!(host_accessible(start, 3 * 4096, true));
        assert!(!host_accessible(0, 4096, false));
        let code = host_ranges_are_checked_whole as fn() as usize as u64;
        assert!(host_accessible(code, 16, false) && !host_accessible(code, 16, true));
    }
}
