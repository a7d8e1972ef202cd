//! Anonymous memory files: what buffer objects, doorbell pages and virtual files are made of.
//!
//! Each is a memfd of its own, so that it can be given to other processes as a real file descriptor, and vanishes with the last
//! process that holds it. The device reads and writes it through a mapping of its own, which no `munmap` of the program can take away.

use crate::errno::Errno;
use std::ffi::CStr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Page size of the host and of the device's page tables, in bytes.
pub const PAGE: u64 = 4096;

/// File descriptors of the device are at or above this number if the limit allows: low ones are the program's own.
const FIRST_FD: RawFd = 1024;

/// A memory file, mapped for the device. Reads as zero until written; takes memory only where it was written.
#[derive(Debug)]
pub struct Backing {
    file: OwnedFd,
    host: *mut u8,
    size: u64,
}

// SAFETY: the mapping is shared memory that any thread may access; who accesses it how is up to the users of `host()`.
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

impl Backing {
    /// Makes a memory file of `size` bytes (rounded up to whole pages). The `name` is shown in `/proc/PID/fd`.
    ///
    /// # Errors
    /// `EINVAL` for size 0, otherwise what the host says (`EMFILE`, `ENOMEM`).
    pub fn new(name: &CStr, size: u64) -> Result<Backing, Errno> {
        let file = memfd(name)?;
        let size = size.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL)?;
        // SAFETY: plain system call on a descriptor that we own.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size as i64) } != 0 {
            return Err(Errno::last());
        }
        Backing::map(file, size)
    }

    /// Takes a memory file that another device made (of another process, perhaps).
    ///
    /// # Errors
    /// `EINVAL` if it is empty or not a whole number of pages, otherwise what the host says.
    pub fn from_fd(file: OwnedFd) -> Result<Backing, Errno> {
        // SAFETY: all zero is a valid `stat`, and it is only written to.
        let mut stat: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: `stat` is valid for writing.
        if unsafe { crate::real::fstat(file.as_raw_fd(), &mut stat) } != 0 {
            return Err(Errno::last());
        }
        if !(stat.st_size as u64).is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        Backing::map(file, stat.st_size as u64)
    }

    fn map(file: OwnedFd, size: u64) -> Result<Backing, Errno> {
        if size == 0 {
            return Err(Errno::EINVAL);
        }
        let length = usize::try_from(size).map_err(|_| Errno::EINVAL)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new shared mapping at an address of the kernel's choice.
        let host = unsafe {
            crate::real::mmap(
                std::ptr::null_mut(),
                length,
                protection,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
                file.as_raw_fd(),
                0,
            )
        };
        if host == libc::MAP_FAILED {
            return Err(Errno::last());
        }
        // A forked child has no GPU memory, as with the real driver.
        // SAFETY: advice about the mapping just made.
        unsafe { libc::madvise(host, length, libc::MADV_DONTFORK) };
        Ok(Backing { file, host: host.cast(), size })
    }

    /// The device's mapping: readable and writable for [`Backing::size`] bytes while `self` lives.
    pub fn host(&self) -> *mut u8 {
        self.host
    }

    /// Size in bytes, whole pages.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The memory file.
    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `map` mapped; nobody uses `host()` any more.
        unsafe { crate::real::munmap(self.host.cast(), self.size as usize) };
    }
}

/// Makes an empty memory file at a high descriptor number.
pub fn memfd(name: &CStr) -> Result<OwnedFd, Errno> {
    // SAFETY: `name` is a C string.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(Errno::last());
    }
    // SAFETY: `fd` is new and ours.
    let low = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: plain system call.
    let high = unsafe { crate::real::fcntl(fd, libc::F_DUPFD_CLOEXEC, FIRST_FD as usize) };
    if high < 0 {
        return Ok(low);
    }
    // SAFETY: `high` is new and ours.
    Ok(unsafe { OwnedFd::from_raw_fd(high) })
}
