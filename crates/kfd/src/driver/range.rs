//! Ranges of addresses. The host's and the GPUs' are the same, so a range that is reserved here is free there.

use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;

use crate::{Error, Result};
use kfd_sys::Errno;

/// What a buffer of at least this size is aligned to, so that the GPU's page tables can use large pages.
const LARGE_PAGE: usize = 2 << 20;
/// Bytes left free behind each range, so that running over one is a memory fault.
pub(crate) const GUARD: usize = 4096;

/// Addresses that nothing else gets. Memory of the driver may be mapped over them.
#[derive(Debug)]
pub(crate) struct AddressRange {
    start: NonNull<u8>,
    bytes: usize,
    kept: bool,
}

// SAFETY: a range of addresses; who uses the memory there has to see to races.
unsafe impl Send for AddressRange {}
// SAFETY: as above.
unsafe impl Sync for AddressRange {}

impl AddressRange {
    /// Reserves `bytes`, a multiple of the page size.
    pub fn reserve(bytes: usize) -> Result<AddressRange> {
        AddressRange::reserve_aligned(bytes, crate::driver::PAGE)
    }

    /// Reserves them at a multiple of `align`, a power of two and at least a page.
    pub fn reserve_aligned(bytes: usize, align: usize) -> Result<AddressRange> {
        let align = if bytes >= LARGE_PAGE { align.max(LARGE_PAGE) } else { align };
        let whole = bytes + GUARD + align;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, wherever the kernel puts it.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0) };
        let (Some(at), true) = (NonNull::new(at.cast::<u8>()), at != libc::MAP_FAILED) else {
            return Err(Error::request("mmap", "addresses for a buffer", Errno::last()));
        };
        let before = at.addr().get().next_multiple_of(align) - at.addr().get();
        // SAFETY: `before` is below `align`, and the mapping has `align` bytes more than are needed.
        let start = unsafe { at.add(before) };
        if before != 0 {
            unmap(at, before);
        }
        if align - before != 0 {
            // SAFETY: within the mapping.
            unmap(unsafe { start.add(bytes + GUARD) }, align - before);
        }
        Ok(AddressRange { start, bytes, kept: true })
    }

    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// The address as the driver and GPUs take it.
    pub fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    /// Maps the buffer at `offset` of a render node over the range. Children of a fork do not get it: their writes
    /// would be seen by the GPU, and they have no driver to ask for anything. That is for good: Linux refuses
    /// MADV_DOFORK for mappings of devices (`VM_IO`, which TTM sets).
    pub fn map_file(&mut self, file: &OwnedFd, offset: u64) -> Result<()> {
        const WHAT: &str = "a buffer for the host";
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        let at = self.start.as_ptr().cast();
        // SAFETY: over this range, which is reserved for it.
        let mapped = unsafe { libc::mmap(at, self.bytes, protection, flags, file.as_raw_fd(), offset as libc::off_t) };
        if mapped == libc::MAP_FAILED {
            let errno = Errno::last();
            self.reserve_again();
            return Err(Error::request("mmap", WHAT, errno));
        }
        // SAFETY: the mapping just made.
        match unsafe { libc::madvise(at, self.bytes, libc::MADV_DONTFORK) } {
            0 => Ok(()),
            _ => Err(Error::request("madvise", WHAT, Errno::last())),
        }
    }

    /// After a mapping over the range failed: Linux unmaps what was there before it asks the driver. What is there by
    /// now may be another thread's, and then the range is never given back.
    fn reserve_again(&mut self) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
        let at = self.start.as_ptr().cast();
        // SAFETY: over nothing that is there.
        self.kept = unsafe { libc::mmap(at, self.bytes, libc::PROT_NONE, flags, -1, 0) } == at;
    }

    /// Never gives the addresses back.
    pub fn forget(&mut self) {
        self.kept = false;
    }
}

impl Drop for AddressRange {
    fn drop(&mut self) {
        if self.kept {
            unmap(self.start, self.bytes + GUARD);
        }
    }
}

fn unmap(start: NonNull<u8>, bytes: usize) {
    // SAFETY: of a mapping that this module made, which nothing refers to any more. It can only fail for want of memory
    // to split a mapping, and then leaves the addresses taken.
    unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
}
