//! `ioctl`, `mmap` and `munmap` on the devices.

use super::{fail, integer};
use crate::files::{self, Opened};
use crate::{device, kfd, real};
use libc::{c_int, c_void};

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(fd: c_int, request: u64, argument: *mut c_void) -> c_int {
    match files::lookup(fd) {
        Some(Opened::Kfd) => integer(kfd::ioctl(request as u32, argument.addr() as u64)),
        Some(Opened::Render(file)) => integer(file.ioctl(request as u32, argument.addr() as u64)),
        Some(Opened::Inherited) => fail(crate::errno::Errno::EBADF, -1),
        // SAFETY: the caller's arguments are passed on.
        Some(Opened::Directory(_)) | None => unsafe { real::ioctl(fd, request, argument) },
    }
}

/// Device files are only mapped at offsets from here up: those of render nodes begin at 4 GiB, those of `/dev/kfd` use the top bits.
const FIRST_OFFSET: u64 = 1 << 32;

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
            if flags & libc::MAP_FIXED != 0 {
                device::host_unmapped(address.addr() as u64, length as u64);
            }
            if fd >= 0 && offset as u64 >= FIRST_OFFSET {
                let opened = files::lookup(fd);
                let target = match &opened {
                    Some(Opened::Kfd) => Some(device::kfd_mapping(offset as u64, length as u64)),
                    Some(Opened::Render(file)) => Some(file.mapping(offset as u64, length as u64)),
                    _ => None,
                };
                match target {
                    Some(Ok((backing, within))) => {
                        // SAFETY: the caller's arguments, with the memory file that the device answers for this offset.
                        let mapped = unsafe {
                            real::mmap(address, length, protection, flags, backing.fd(), within as i64)
                        };
                        if mapped != libc::MAP_FAILED && matches!(opened, Some(Opened::Kfd)) {
                            device::kfd_mapped(offset as u64, mapped.addr() as u64, length as u64);
                        }
                        return mapped;
                    }
                    Some(Err(errno)) => return fail(errno, libc::MAP_FAILED),
                    None => {}
                }
            }
            // SAFETY: the caller's arguments are passed on.
            unsafe { real::mmap(address, length, protection, flags, fd, offset) }
        }
    )*};
}
mmap!(mmap mmap64);

/// Interposes the libc function of this name: shared virtual memory leaves the GPU's page table with the host's.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn munmap(address: *mut c_void, length: usize) -> c_int {
    device::host_unmapped(address.addr() as u64, length as u64);
    // SAFETY: the caller's arguments are passed on.
    unsafe { real::munmap(address, length) }
}
