//! Anonymous memory files, which back buffer objects, doorbell pages and virtual files.
//!
//! Each is a memfd of its own, so that it can be given to other processes as a real file descriptor, and vanishes with
//! the last process that holds it. The device reads and writes it through a mapping of its own, which no `munmap` of
//! the program can take away.

use crate::descriptors::Descriptor;
use crate::errno::Errno;
use std::ffi::CStr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Page size of the host and of the device's page tables, in bytes.
pub const PAGE: u64 = 4096;

/// Whether all of the program's memory from host address `start` on, `size` bytes in whole pages, is mapped.
pub fn is_mapped(start: u64, size: u64) -> bool {
    let start = std::ptr::without_provenance_mut(start as usize);
    // It has nothing to do for memory that is there, and fails for memory that is not.
    // SAFETY: it reads and writes nothing.
    unsafe { crate::real::msync(start, size as usize, libc::MS_ASYNC) == 0 }
}

/// A memory file, mapped for the device. Reads as zero until written; takes memory only where it was written.
#[derive(Debug)]
pub struct Backing {
    file: Descriptor,
    host: *mut u8,
    size: u64,
    inode: u64,
}

// SAFETY: the mapping is shared memory that any thread may access; who accesses it how is up to the users of `host()`.
unsafe impl Send for Backing {}
// SAFETY: as above.
unsafe impl Sync for Backing {}

impl Backing {
    /// Creates a memory file of `size` bytes (rounded up to whole pages). The `name` is shown in `/proc/PID/fd`.
    ///
    /// # Errors
    /// `EINVAL` for size 0, otherwise what the host says (`EMFILE`, `ENOMEM`).
    pub fn new(name: &CStr, size: u64) -> Result<Backing, Errno> {
        let file = Descriptor::new(memfd_low(name, true)?);
        let size = size.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL)?;
        // SAFETY: plain system call on a descriptor that we own.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size as i64) } != 0 {
            return Err(Errno::last());
        }
        fix_size(file.as_raw_fd())?;
        Backing::map(file, size)
    }

    /// Uses a memory file that another device made, possibly in another process. Its size is fixed from then on.
    ///
    /// # Errors
    /// `EINVAL` if it is empty, not a whole number of pages, or of a size that cannot be fixed; otherwise what the host
    /// says.
    pub fn from_fd(file: OwnedFd) -> Result<Backing, Errno> {
        let size = || Ok(crate::real::host_stat(file.as_raw_fd())?.st_size as u64);
        // Whoever makes it has not given it a size yet.
        if size()? == 0 {
            return Err(Errno::EINVAL);
        }
        fix_size(file.as_raw_fd())?;
        let size = size()?;
        if !size.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        Backing::map(Descriptor::new(file), size)
    }

    fn map(file: Descriptor, size: u64) -> Result<Backing, Errno> {
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
        unsafe { crate::real::madvise(host, length, libc::MADV_DONTFORK) };
        let inode = crate::real::host_stat(file.as_raw_fd())?.st_ino;
        Ok(Backing { file, host: host.cast(), size, inode })
    }

    /// The device's mapping: readable and writable for [`Backing::size`] bytes while `self` lives.
    pub fn host(&self) -> *mut u8 {
        self.host
    }

    /// Allocates memory for all of these bytes now. Returns whether it succeeded.
    pub fn populate(&self, start: u64, size: u64) -> bool {
        let first = start - start % PAGE;
        let end = start.saturating_add(size).next_multiple_of(PAGE);
        // SAFETY: advice about a part of the mapping, or refused.
        end <= self.size
            && unsafe {
                let at = self.host.add(first as usize).cast();
                crate::real::madvise(at, (end - first) as usize, libc::MADV_POPULATE_READ) == 0
            }
    }

    /// Size in bytes, whole pages.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Inode of the memory file, which identifies it in every process.
    pub fn inode(&self) -> u64 {
        self.inode
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

/// Fixes the size of a memory file: the program has descriptors of it as dma-bufs, and what it cut off would crash the
/// device.
fn fix_size(fd: RawFd) -> Result<(), Errno> {
    const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: plain system call.
    let sealed = unsafe { crate::real::fcntl(fd, libc::F_GET_SEALS, 0) };
    if sealed >= 0 && sealed & libc::F_SEAL_SHRINK != 0 {
        return Ok(());
    }
    // SAFETY: plain system call.
    let done = unsafe { crate::real::fcntl(fd, libc::F_ADD_SEALS, SEALS as usize) };
    if done == 0 { Ok(()) } else { Err(Errno::EINVAL) }
}

/// Creates an empty memory file at the lowest free descriptor number.
///
/// # Errors
/// What the host says.
pub fn memfd_low(name: &CStr, close_on_exec: bool) -> Result<OwnedFd, Errno> {
    let flags = libc::MFD_ALLOW_SEALING | if close_on_exec { libc::MFD_CLOEXEC } else { 0 };
    // Where an administrator asks for it (`vm.memfd_noexec`), there are no others. Linux before 6.3 does not know it.
    // SAFETY: `name` is a C string.
    let mut fd = unsafe { libc::memfd_create(name.as_ptr(), flags | libc::MFD_NOEXEC_SEAL) };
    if fd < 0 && Errno::last() == Errno::EINVAL {
        // SAFETY: as above.
        fd = unsafe { libc::memfd_create(name.as_ptr(), flags) };
    }
    if fd < 0 {
        return Err(Errno::last());
    }
    // SAFETY: `fd` is new and ours.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_and_shared() {
        let backing = Backing::new(c"vgpu-test", 5000).unwrap();
        assert_eq!(backing.size(), 8192);
        // SAFETY: within the mapping.
        unsafe {
            assert_eq!(backing.host().read(), 0);
            backing.host().add(8191).write(7);
        }
        let mut byte = [0u8];
        // SAFETY: one byte at the end of the file.
        assert_eq!(unsafe { libc::pread(backing.fd(), byte.as_mut_ptr().cast(), 1, 8191) }, 1);
        assert_eq!(byte, [7]);
        assert!(crate::descriptors::is_own(backing.fd()));
        assert_eq!(Backing::new(c"vgpu-test", 0).err(), Some(Errno::EINVAL));
    }

    #[test]
    fn memory_files_can_never_be_programs() {
        let file = memfd_low(c"vgpu-test", true).unwrap();
        // SAFETY: plain system calls.
        let [seals, known] = unsafe {
            let known = libc::memfd_create(c"test".as_ptr(), libc::MFD_NOEXEC_SEAL | libc::MFD_CLOEXEC);
            assert_eq!(libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, libc::F_SEAL_SHRINK), 0);
            [libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS), libc::close(known)]
        };
        // F_SEAL_EXEC of linux/fcntl.h, where the kernel knows it.
        let executable = if known == 0 { 0x20 } else { 0 };
        assert_eq!(seals, libc::F_SEAL_SHRINK | executable);
    }
}
