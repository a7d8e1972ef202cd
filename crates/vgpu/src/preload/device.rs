//! `ioctl` and `mmap` on device files.

use super::memory::{forget, memory, note, replaced};
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
    let opened = if kfd::is_request(request as u32) { files::lookup_for_kfd(fd) } else { files::lookup(fd) };
    match opened.filter(|_| !OF_EVERY_FILE.contains(&(request as u32))) {
        Some(opened @ (Opened::Kfd | Opened::Inherited)) => {
            let inherited = matches!(opened, Opened::Inherited);
            integer(uncancelled(|| kfd::ioctl(request as u32, argument.addr() as u64, inherited)))
        }
        Some(Opened::Render(file)) => integer(uncancelled(|| file.ioctl(request as u32, argument.addr() as u64))),
        Some(Opened::Buffer(_)) => integer(uncancelled(|| dmabuf::ioctl(request as u32, argument.addr() as u64))),
        // SAFETY: the caller's arguments are passed on.
        Some(Opened::Directory(_) | Opened::File(_)) | None => unsafe { real::ioctl(fd, request, argument) },
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
        Some(Opened::Buffer(origin)) => {
            Some(dmabuf::check_mapping(fd, *origin, offset, length).map(|()| Target::DmaBuf))
        }
        Some(Opened::Directory(_) | Opened::File(_)) | None => None,
    }
}

/// The arguments of an `mmap`, but for the file.
struct MmapRequest {
    address: *mut c_void,
    length: usize,
    protection: c_int,
    flags: c_int,
}

impl MmapRequest {
    /// Maps a file.
    ///
    /// # Safety
    /// That of `mmap`.
    unsafe fn map(&self, fd: c_int, offset: i64) -> Result<*mut c_void, Errno> {
        let map = || {
            // SAFETY: as promised by the caller.
            memory(unsafe { real::mmap(self.address, self.length, self.protection, self.flags, fd, offset) })
        };
        if self.flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) == libc::MAP_FIXED {
            replaced(self.address, self.length, map)
        } else {
            map()
        }
    }

    /// Maps a buffer object.
    ///
    /// # Safety
    /// That of `mmap`.
    unsafe fn map_object(&self, fd: c_int, offset: i64) -> Result<*mut c_void, Errno> {
        let MmapRequest { address, length, protection, flags } = *self;
        if flags & libc::MAP_TYPE != libc::MAP_PRIVATE {
            // SAFETY: as promised by the caller.
            return unsafe { self.map(fd, offset) };
        }
        // Buffer objects are never copied on write. A private mapping without any access, as AMD's thunk makes for
        // debuggers, can never become writable: like a shared one of a file that is open for reading.
        if protection & (libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC) != 0 {
            return Err(Errno::EINVAL);
        }
        let read_only = dmabuf::reopen(fd, libc::O_RDONLY | libc::O_CLOEXEC)?;
        let flags = flags & !libc::MAP_TYPE | libc::MAP_SHARED;
        // SAFETY: as promised by the caller.
        unsafe { MmapRequest { address, length, protection, flags }.map(read_only.as_raw_fd(), offset) }
    }

    /// Maps what the program asks for, which may be of a device.
    ///
    /// # Safety
    /// That of `mmap`.
    unsafe fn grant(&self, fd: c_int, offset: i64) -> Result<*mut c_void, Errno> {
        let of_file = self.flags & libc::MAP_ANONYMOUS == 0;
        let opened = if of_file { files::lookup(fd) } else { None };
        let target = || target(fd, opened.as_ref(), offset as u64, self.length as u64);
        let Some(target) = of_file.then(target).flatten() else {
            // SAFETY: as promised by the caller.
            return unsafe { self.map(fd, offset) }.inspect(|mapped| forget(*mapped, self.length));
        };
        let (fd, from) = match target? {
            Target::Memory(memory) => (memory.fd(), 0),
            Target::DmaBuf => (fd, offset),
        };
        let device = matches!(opened, Some(Opened::Kfd | Opened::Inherited));
        // SAFETY: as promised by the caller, with the file that stands for the device's memory.
        let mapped = unsafe { if device { self.map(fd, from) } else { self.map_object(fd, from) } }?;
        note(mapped, self.length);
        if device {
            device::kfd_mapped(offset as u64, mapped.addr() as u64, self.length as u64);
        }
        Ok(mapped)
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
            let request = MmapRequest { address, length, protection, flags };
            // SAFETY: the caller's arguments are passed on.
            uncancelled(|| unsafe { request.grant(fd, offset) }).unwrap_or_else(|errno| fail(errno, libc::MAP_FAILED))
        }
    )*};
}
mmap!(mmap mmap64);
