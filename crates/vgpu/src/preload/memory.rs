//! Memory calls of the program (`munmap`, `mprotect` and similar) on memory that devices use.
//!
//! Mappings of devices have `VM_IO`, `VM_PFNMAP`, `VM_DONTEXPAND` and `VM_DONTDUMP` (`ttm_bo_mmap_obj`,
//! `kfd_doorbell_mmap`, `kfd_event_mmap`), by which Linux refuses for them what it does for other memory. Here they are
//! memory files, so it is refused before the host sees it.

use super::mappings::MAPPED;
use super::{fail, integer, uncancelled};
use crate::backing::PAGE;
use crate::driver::{device, user};
use crate::errno::Errno;
use crate::hardware::checks::{allocations_mut, frees};
use crate::real;
use libc::{c_int, c_ulong, c_void, iovec};

/// No memory.
const NOWHERE: (u64, u64) = (0, 0);

/// What was where the host has put a new mapping is gone, also if it went unseen: `free` unmaps by a call inside the C
/// library.
pub(super) fn forget(mapped: *mut c_void, length: usize) {
    _ = replaced(mapped, length, || Ok(()));
}

/// A device is mapped there now, and what was there is gone.
pub(super) fn note(mapped: *mut c_void, length: usize) {
    forget(mapped, length);
    MAPPED.add(mapped.addr() as u64, length as u64);
}

/// Makes a `change` by which what was there goes, if it succeeds.
pub(super) fn replaced<T>(
    address: *mut c_void,
    length: usize,
    change: impl FnOnce() -> Result<T, Errno>,
) -> Result<T, Errno> {
    let (start, size) = (address.addr() as u64, length as u64);
    user::memory_changed(start, size);
    uncancelled(|| device::host_replaced([(start, size), NOWHERE], change)).inspect(|_| MAPPED.remove(start, size))
}

/// What a call that returns memory says.
pub(super) fn memory(mapped: *mut c_void) -> Result<*mut c_void, Errno> {
    if mapped == libc::MAP_FAILED { Err(Errno::last()) } else { Ok(mapped) }
}

/// What is mapped there, of an allocation that the runtime frees, is gone for the program, and its addresses are not
/// given out again. The program's own memory, which GPUs have by its addresses, stays.
fn reserve(address: *mut c_void, length: usize) -> Result<c_int, Errno> {
    const FLAGS: c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    if is_of_device(address, length) {
        MAPPED.remove(address.addr() as u64, length as u64);
        replaced(address, length, || {
            // SAFETY: the caller gives up what is there.
            memory(unsafe { real::mmap(address, length, libc::PROT_NONE, FLAGS, -1, 0) })
        })?;
    }
    allocations_mut().reserve(address.addr() as u64, length as u64);
    Ok(0)
}

/// What is reserved at `start` may be given out again.
pub(super) fn unmap_kept(start: u64) {
    let size = allocations_mut().take_reserved(start);
    if let Some(size) = size {
        // SAFETY: the program has given it up, and nobody has got it since.
        unsafe { munmap(std::ptr::without_provenance_mut(start as usize), size as usize) };
    }
}

fn is_of_device(address: *mut c_void, length: usize) -> bool {
    MAPPED.overlaps(address.addr() as u64, length as u64)
}

/// Interposes the libc function of this name: shared virtual memory leaves the GPU's page table with the host's.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn munmap(address: *mut c_void, length: usize) -> c_int {
    if frees::is_kept(address.addr() as u64) {
        return integer(reserve(address, length));
    }
    // Before: others may have devices mapped there at once.
    MAPPED.remove(address.addr() as u64, length as u64);
    integer(replaced(address, length, || {
        // SAFETY: the caller's arguments are passed on.
        if unsafe { real::munmap(address, length) } == 0 { Ok(0) } else { Err(Errno::last()) }
    }))
}

/// Interposes the libc function of this name: GPUs may do with host memory what the program may.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mprotect(address: *mut c_void, length: usize, protection: c_int) -> c_int {
    user::memory_changed(address.addr() as u64, length as u64);
    integer(uncancelled(|| {
        device::host_protected(address.addr() as u64, length as u64, protection, || {
            // SAFETY: the caller's arguments are passed on.
            if unsafe { real::mprotect(address, length, protection) } == 0 { Ok(0) } else { Err(Errno::last()) }
        })
    }))
}

/// What Linux says to this advice about a mapping of a device, if it refuses it (`madvise_vma_behavior`,
/// `madvise_remove`).
fn refusal(advice: c_int) -> Option<Errno> {
    match advice {
        // There is nothing to take pages from, or to read them from; a forked child does not get after all what it did
        // not get.
        libc::MADV_DONTNEED
        | libc::MADV_DONTNEED_LOCKED
        | libc::MADV_FREE
        | libc::MADV_COLD
        | libc::MADV_PAGEOUT
        | libc::MADV_POPULATE_READ
        | libc::MADV_POPULATE_WRITE
        | libc::MADV_COLLAPSE
        | libc::MADV_DODUMP
        | libc::MADV_DOFORK => Some(Errno::EINVAL),
        libc::MADV_REMOVE => Some(Errno::ENODEV),
        _ => None,
    }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int {
    if let Some(errno) = refusal(advice)
        && is_of_device(address, length)
    {
        return fail(errno, -1);
    }
    // SAFETY: the caller's arguments are passed on.
    unsafe { real::madvise(address, length, advice) }
}

/// Interposes the libc function of this name: nothing can be written back to a device (`vfs_fsync_range`). Threads may
/// be cancelled in it.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn msync(address: *mut c_void, length: usize, flags: c_int) -> c_int {
    if flags & libc::MS_SYNC != 0 && is_of_device(address, length) {
        return fail(Errno::EINVAL, -1);
    }
    // SAFETY: the caller's arguments are passed on.
    unsafe { real::msync(address, length, flags) }
}

/// Interposes the libc function of this name: what moves, or is cut off, goes as by `munmap`. Mappings of devices do
/// not grow (`vma_to_resize`).
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mremap(
    address: *mut c_void,
    old: usize,
    new: usize,
    flags: c_int,
    target: *mut c_void,
) -> *mut c_void {
    let of_device = is_of_device(address, old.max(1));
    if of_device && flags & libc::MREMAP_DONTUNMAP != 0 {
        return fail(Errno::EINVAL, libc::MAP_FAILED);
    }
    let pages = |bytes: usize| bytes.div_ceil(PAGE as usize);
    if of_device && pages(new) > pages(old) {
        return fail(Errno::EFAULT, libc::MAP_FAILED);
    }
    let (from, before, after) = (address.addr() as u64, old as u64, new as u64);
    let cut = if after < before { (from.wrapping_add(after), before - after) } else { NOWHERE };
    let over = if flags & libc::MREMAP_FIXED != 0 { (target.addr() as u64, after) } else { NOWHERE };
    user::memory_changed(from, before.max(after));
    user::memory_changed(over.0, over.1);
    // As in `munmap`.
    MAPPED.remove(cut.0, cut.1);
    let moved = uncancelled(|| {
        // SAFETY: the caller's arguments are passed on. The fifth is looked at with MREMAP_FIXED only.
        device::host_replaced([cut, over], || memory(unsafe { real::mremap(address, old, new, flags, target) }))
    });
    let mapped = match moved {
        Ok(mapped) => mapped,
        Err(errno) => return fail(errno, libc::MAP_FAILED),
    };
    if mapped != address {
        let to = mapped.addr() as u64;
        MAPPED.remove(from, before);
        MAPPED.remove(to, after);
        uncancelled(|| device::host_moved((from, before), (to, after)));
        if of_device {
            MAPPED.add(to, after);
        }
    }
    mapped
}

/// How many of the elements come before the first with a mapping of a device, where they are known to be this
/// process's. Handlers of signals ask too, so this allocates nothing.
fn before_device(process: libc::pid_t, remote: *const iovec, remotes: c_ulong) -> c_ulong {
    // SAFETY: plain system calls.
    let this = unsafe { process == libc::getpid() || process == libc::gettid() };
    // The kernel refuses more (`UIO_MAXIOV`), and what cannot be read.
    if !this || !MAPPED.any() || remotes > 1024 {
        return remotes;
    }
    let of_device = |index: &c_ulong| {
        let mut element = [0; size_of::<iovec>()];
        let at = remote.wrapping_add(*index as usize).addr() as u64;
        if user::read_in_handler(&mut element, at).is_err() {
            return false;
        }
        let [start, size] = [0, 8].map(|at| u64::from_ne_bytes(std::array::from_fn(|byte| element[at + byte])));
        let within = start % PAGE;
        size != 0 && MAPPED.overlaps(start - within, size.saturating_add(within))
    };
    (0..remotes).find(of_device).unwrap_or(remotes)
}

macro_rules! process_vm {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name: the kernel does not get hold of a device's pages
        /// (`check_vma_flags`). What comes before them is transferred, in whole elements.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            process: libc::pid_t,
            local: *const iovec,
            locals: c_ulong,
            remote: *const iovec,
            remotes: c_ulong,
            flags: c_ulong,
        ) -> isize {
            let remotes = match before_device(process, remote, remotes) {
                0 if remotes != 0 => return fail(Errno::EFAULT, -1),
                before => before,
            };
            // SAFETY: the caller's arguments are passed on.
            unsafe { real::$name(process, local, locals, remote, remotes, flags) }
        }
    )*};
}
process_vm!(process_vm_readv process_vm_writev);
