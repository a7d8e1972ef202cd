//! What a program does to memory that devices use.
//!
//! Mappings of devices have `VM_IO`, `VM_PFNMAP`, `VM_DONTEXPAND` and `VM_DONTDUMP` (`ttm_bo_mmap_obj`, `kfd_doorbell_mmap`, `kfd_event_mmap`), by which
//! Linux refuses for them what it does for other memory. Here they are memory files, so it is refused before the host sees it.

use super::{fail, integer, mappings, uncancelled};
use crate::backing::PAGE;
use crate::driver::{device, user};
use crate::errno::Errno;
use crate::real;
use libc::{c_int, c_ulong, c_void, iovec};

/// What was where the host has put a new mapping is gone, also if it went unseen: `free` unmaps by a call inside the C library.
pub(super) fn forget(mapped: *mut c_void, length: usize) {
    if mapped != libc::MAP_FAILED {
        gone(mapped, length);
    }
}

/// A device is mapped there now, and what was there is gone.
pub(super) fn note(mapped: *mut c_void, length: usize) {
    forget(mapped, length);
    mappings::add(mapped.addr() as u64, length as u64);
}

/// What was there goes, or has gone.
fn gone(address: *mut c_void, length: usize) {
    let (start, size) = (address.addr() as u64, length as u64);
    mappings::remove(start, size);
    uncancelled(|| device::host_unmapped(start, size));
}

fn is_of_device(address: *mut c_void, length: usize) -> bool {
    mappings::overlaps(address.addr() as u64, length as u64)
}

/// Interposes the libc function of this name: shared virtual memory leaves the GPU's page table with the host's.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn munmap(address: *mut c_void, length: usize) -> c_int {
    gone(address, length);
    // SAFETY: the caller's arguments are passed on.
    unsafe { real::munmap(address, length) }
}

/// Interposes the libc function of this name: GPUs may do with host memory what the program may.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mprotect(address: *mut c_void, length: usize, protection: c_int) -> c_int {
    integer(uncancelled(|| {
        device::host_protected(address.addr() as u64, length as u64, protection, || {
            // SAFETY: the caller's arguments are passed on.
            if unsafe { real::mprotect(address, length, protection) } == 0 { Ok(0) } else { Err(Errno::last()) }
        })
    }))
}

/// What Linux says to this advice about a mapping of a device, if it refuses it (`madvise_vma_behavior`, `madvise_remove`).
fn refusal(advice: c_int) -> Option<Errno> {
    match advice {
        // There is nothing to take pages from, or to read them from; a forked child does not get after all what it did not get.
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

/// Interposes the libc function of this name: nothing can be written back to a device (`vfs_fsync_range`). Threads may be cancelled in it.
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

/// Interposes the libc function of this name: what moves, or is cut off, goes as by `munmap`. Mappings of devices do not grow (`vma_to_resize`).
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
    if new < old {
        gone(address.wrapping_byte_add(new), old - new);
    }
    if flags & libc::MREMAP_FIXED != 0 {
        gone(target, new);
    }
    // SAFETY: the caller's arguments are passed on. The fifth is looked at with MREMAP_FIXED only.
    let mapped = unsafe { real::mremap(address, old, new, flags, target) };
    if mapped != libc::MAP_FAILED && mapped != address {
        let (from, to) = (address.addr() as u64, mapped.addr() as u64);
        mappings::remove(from, old as u64);
        mappings::remove(to, new as u64);
        uncancelled(|| device::host_moved((from, old as u64), (to, new as u64)));
        if of_device {
            mappings::add(to, new as u64);
        }
    }
    mapped
}

/// How many of the elements come before the first with a mapping of a device, where they are known to be this process's. Handlers of signals ask
/// too, so this allocates nothing.
fn before_device(process: libc::pid_t, remote: *const iovec, remotes: c_ulong) -> c_ulong {
    // SAFETY: plain system calls.
    let this = unsafe { process == libc::getpid() || process == libc::gettid() };
    // The kernel refuses more (`UIO_MAXIOV`), and what cannot be read.
    if !this || !mappings::any() || remotes > 1024 {
        return remotes;
    }
    let of_device = |index: &c_ulong| {
        let mut element = [0; size_of::<iovec>()];
        let at = remote.wrapping_add(*index as usize).addr() as u64;
        if user::read(&mut element, at).is_err() {
            return false;
        }
        let [start, size] = [0, 8].map(|at| u64::from_ne_bytes(std::array::from_fn(|byte| element[at + byte])));
        let within = start % PAGE;
        size != 0 && mappings::overlaps(start - within, size.saturating_add(within))
    };
    (0..remotes).find(of_device).unwrap_or(remotes)
}

macro_rules! process_vm {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name: the kernel does not get hold of a device's pages (`check_vma_flags`). What comes before them
        /// is transferred, in whole elements.
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
