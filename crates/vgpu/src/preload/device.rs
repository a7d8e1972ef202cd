//! `ioctl` and `mmap` on the devices; what becomes of memory that they use.

use super::{fail, integer, uncancelled};
use crate::backing::Backing;
use crate::driver::files::{self, Opened};
use crate::driver::{device, kfd, user};
use crate::errno::Errno;
use crate::real;
use libc::{c_int, c_void};
use std::sync::Arc;

/// Requests that the kernel answers for every file, before it asks the driver (`do_vfs_ioctl` in `fs/ioctl.c`).
const OF_EVERY_FILE: [u32; 4] =
    [libc::FIOCLEX as u32, libc::FIONCLEX as u32, libc::FIONBIO as u32, libc::FIOASYNC as u32];

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(fd: c_int, request: u64, argument: *mut c_void) -> c_int {
    match files::lookup(fd).filter(|_| !OF_EVERY_FILE.contains(&(request as u32))) {
        Some(opened @ (Opened::Kfd | Opened::Inherited)) => {
            let inherited = matches!(opened, Opened::Inherited);
            integer(uncancelled(|| kfd::ioctl(request as u32, argument.addr() as u64, inherited)))
        }
        Some(Opened::Render(file)) => integer(uncancelled(|| file.ioctl(request as u32, argument.addr() as u64))),
        // SAFETY: the caller's arguments are passed on.
        Some(Opened::Directory(_)) | None => unsafe { real::ioctl(fd, request, argument) },
    }
}

/// The memory file behind `length` bytes at `offset` of a device. `None`: `opened` is no device.
fn target(
    opened: &Opened,
    offset: u64,
    length: u64,
    protection: c_int,
    flags: c_int,
) -> Option<Result<Arc<Backing>, Errno>> {
    match opened {
        Opened::Kfd | Opened::Inherited => Some(device::kfd_mapping(offset, length)),
        // Buffer objects are never copied on write. (A private mapping without any access is how AMD's thunk maps them for debuggers.)
        Opened::Render(file) => Some(file.mapping(offset, length).and_then(|memory| {
            let copies = flags & libc::MAP_TYPE == libc::MAP_PRIVATE && protection != libc::PROT_NONE;
            if copies { Err(Errno::EINVAL) } else { Ok(memory) }
        })),
        Opened::Directory(_) => None,
    }
}

macro_rules! mmap {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            address: *mut c_void,
            length: usize,
            protection: c_int,
            flags: c_int,
            fd: c_int,
            offset: i64,
        ) -> *mut c_void {
            if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) == libc::MAP_FIXED {
                uncancelled(|| device::host_unmapped(address.addr() as u64, length as u64));
            }
            if flags & libc::MAP_ANONYMOUS == 0
                && let Some(opened) = files::lookup(fd)
                && let Some(target) = uncancelled(|| target(&opened, offset as u64, length as u64, protection, flags))
            {
                let backing = match target {
                    Ok(backing) => backing,
                    Err(errno) => return fail(errno, libc::MAP_FAILED),
                };
                // SAFETY: the caller's arguments, with the memory file that the device answers for this offset.
                let mapped = unsafe { real::mmap(address, length, protection, flags, backing.fd(), 0) };
                forget(mapped, length);
                if mapped != libc::MAP_FAILED && !matches!(opened, Opened::Render(_)) {
                    uncancelled(|| device::kfd_mapped(offset as u64, mapped.addr() as u64, length as u64));
                }
                return mapped;
            }
            // SAFETY: the caller's arguments are passed on.
            let mapped = unsafe { real::mmap(address, length, protection, flags, fd, offset) };
            forget(mapped, length);
            mapped
        }
    )*};
}
mmap!(mmap mmap64);

/// What was where the host has put a new mapping is gone, also if it went unseen: `free` unmaps by a call inside the C library.
fn forget(mapped: *mut c_void, length: usize) {
    if mapped != libc::MAP_FAILED {
        uncancelled(|| device::host_unmapped(mapped.addr() as u64, length as u64));
    }
}

/// Interposes the libc function of this name: shared virtual memory leaves the GPU's page table with the host's.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn munmap(address: *mut c_void, length: usize) -> c_int {
    uncancelled(|| device::host_unmapped(address.addr() as u64, length as u64));
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

/// Interposes the libc function of this name: what a forked child did not get of a device, it does not get after all. Linux refuses
/// `MADV_DOFORK` for mappings with `VM_IO`, as both drivers make them (`madvise_vma_behavior`, `ttm_bo_mmap_obj`, `kfd_doorbell_mmap`).
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int {
    let of_device = || user::has_device_memory(address.addr() as u64, length as u64);
    if advice == libc::MADV_DOFORK && uncancelled(of_device) {
        return fail(Errno::EINVAL, -1);
    }
    // SAFETY: the caller's arguments are passed on.
    unsafe { real::madvise(address, length, advice) }
}

/// Interposes the libc function of this name: what moves, or is cut off, goes as by `munmap`.
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
    if new < old {
        uncancelled(|| device::host_unmapped((address.addr() + new) as u64, (old - new) as u64));
    }
    if flags & libc::MREMAP_FIXED != 0 {
        uncancelled(|| device::host_unmapped(target.addr() as u64, new as u64));
    }
    // SAFETY: the caller's arguments are passed on. The fifth is looked at with MREMAP_FIXED only.
    let mapped = unsafe { real::mremap(address, old, new, flags, target) };
    if mapped != libc::MAP_FAILED && mapped != address {
        uncancelled(|| device::host_unmapped(address.addr() as u64, old as u64));
        forget(mapped, new);
    }
    mapped
}
