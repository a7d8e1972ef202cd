//! `ioctl` and `mmap` on the devices.

use super::memory::{forget, note};
use super::{fail, integer, uncancelled};
use crate::backing::Backing;
use crate::driver::files::{self, Opened};
use crate::driver::kfd::dmabuf;
use crate::driver::{device, kfd};
use crate::errno::Errno;
use crate::real;
use libc::{c_int, c_void};
use std::os::fd::AsRawFd;
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

/// What a mapping of a device maps.
enum Target {
    /// This memory, from its beginning.
    Memory(Arc<Backing>),
    /// The dma-buf itself, from the offset asked for.
    DmaBuf,
}

/// What `length` bytes at `offset` of `fd` are. `None`: it is nothing of a device.
fn target(fd: c_int, opened: Option<&Opened>, offset: u64, length: u64) -> Option<Result<Target, Errno>> {
    match opened {
        Some(Opened::Kfd | Opened::Inherited) => Some(device::kfd_mapping(offset, length).map(Target::Memory)),
        Some(Opened::Render(file)) => Some(file.mapping(offset, length).map(Target::Memory)),
        Some(Opened::Directory(_)) => None,
        None => Some(dmabuf::check_mapping(fd, offset, length)?.map(|()| Target::DmaBuf)),
    }
}

/// Maps a target at the program's wish.
///
/// # Safety
/// That of `mmap`.
unsafe fn map(
    (address, length, protection, flags): (*mut c_void, usize, c_int, c_int),
    (fd, offset): (c_int, i64),
    buffer_object: bool,
) -> Result<*mut c_void, Errno> {
    let read_only;
    let (fd, flags) = if buffer_object && flags & libc::MAP_TYPE == libc::MAP_PRIVATE {
        // Buffer objects are never copied on write. A private mapping without any access, as AMD's thunk makes for debuggers, can never become
        // writable: like a shared one of a file that is open for reading.
        if protection & (libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) != 0 {
            return Err(Errno::EINVAL);
        }
        read_only = dmabuf::reopen(fd, libc::O_RDONLY | libc::O_CLOEXEC)?;
        (read_only.as_raw_fd(), flags & !libc::MAP_TYPE | libc::MAP_SHARED)
    } else {
        (fd, flags)
    };
    // SAFETY: the caller's arguments, with the file that stands for the device's memory.
    let mapped = unsafe { real::mmap(address, length, protection, flags, fd, offset) };
    if mapped == libc::MAP_FAILED { Err(Errno::last()) } else { Ok(mapped) }
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
            let of_file = flags & libc::MAP_ANONYMOUS == 0;
            let opened = if of_file { files::lookup(fd) } else { None };
            if of_file && let Some(target) = uncancelled(|| target(fd, opened.as_ref(), offset as u64, length as u64)) {
                let wish = (address, length, protection, flags);
                let buffer_object = matches!(opened, None | Some(Opened::Render(_)));
                let mapped = target.and_then(|target| {
                    let file = match &target {
                        Target::Memory(memory) => (memory.fd(), 0),
                        Target::DmaBuf => (fd, offset),
                    };
                    // SAFETY: as promised by the caller.
                    uncancelled(|| unsafe { map(wish, file, buffer_object) })
                });
                let mapped = match mapped {
                    Ok(mapped) => mapped,
                    Err(errno) => return fail(errno, libc::MAP_FAILED),
                };
                note(mapped, length);
                if !buffer_object {
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
