//! dma-bufs: a buffer object's memory file, exported as another descriptor.

use crate::backing::{Backing, PAGE};
use crate::driver::device::{Process, State};
use crate::driver::metadata::Metadata;
use crate::driver::user;
use crate::errno::Errno;
use crate::real;
use kfd_sys::*;
use std::ffi::{CStr, CString, c_int};
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use super::memory::{Memory, Object, insert};

/// Facts about a buffer object, encoded in the name of its memory file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The GPU that it was allocated on.
    pub gpu_id: u32,
    /// `KFD_IOC_ALLOC_MEM_FLAGS_*` it was allocated with.
    pub flags: u32,
    /// `AMDGPU_GEM_DOMAIN_*` and `AMDGPU_GEM_CREATE_*`, if a render node made it.
    gem: Option<(u32, u32)>,
}

impl Origin {
    /// The origin of a buffer object that is allocated on GPU `gpu_id` with `KFD_IOC_ALLOC_MEM_FLAGS_*`.
    pub fn new(gpu_id: u32, flags: u32) -> Origin {
        Origin { gpu_id, flags, gem: None }
    }

    /// The origin of a buffer object that GPU `gpu_id`'s render node creates.
    pub fn of_gem(gpu_id: u32, vram: bool, domains: u32, created: u32) -> Origin {
        const VRAM: u32 = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
        let flags = if vram { VRAM } else { KFD_IOC_ALLOC_MEM_FLAGS_GTT };
        Origin { gpu_id, flags, gem: Some((domains, created)) }
    }

    /// Name of the memory file of such a buffer object, from which an importing process reads the facts.
    pub fn file_name(self) -> CString {
        let kind = if self.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM != 0 { "vram" } else { "gtt" };
        let gem = self.gem.map_or(String::new(), |(domains, flags)| format!("-{domains:x}-{flags:x}"));
        CString::new(format!("vgpu-{kind}-{}-{:08x}{gem}", self.gpu_id, self.flags)).unwrap_or_default()
    }

    /// Parses the name of a memory file from its link in `/proc`.
    pub fn of_name(link: &str) -> Option<Origin> {
        let name = link.strip_prefix("/memfd:vgpu-")?;
        let name = name.strip_suffix(" (deleted)").unwrap_or(name);
        let mut parts = name.split('-');
        if !matches!(parts.next()?, "vram" | "gtt") {
            return None;
        }
        let gpu_id = parts.next()?.parse().ok()?;
        let number = |part: &str| u32::from_str_radix(part, 16).ok();
        let flags = number(parts.next()?)?;
        let gem = match parts.next() {
            Some(domains) => Some((number(domains)?, number(parts.next()?)?)),
            None => None,
        };
        Some(Origin { gpu_id, flags, gem })
    }

    /// `AMDGPU_GEM_DOMAIN_*` and `AMDGPU_GEM_CREATE_*` with which amdkfd makes such a buffer object
    /// (`amdgpu_amdkfd_gpuvm_alloc_memory_of_gpu`).
    pub fn as_created(self) -> (u64, u64) {
        if let Some((domains, flags)) = self.gem {
            return (domains.into(), flags.into());
        }
        let has = |flag: u32, create: u32| if self.flags & flag != 0 { create } else { 0 };
        let common = has(KFD_IOC_ALLOC_MEM_FLAGS_COHERENT, AMDGPU_GEM_CREATE_COHERENT)
            | has(KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT, AMDGPU_GEM_CREATE_EXT_COHERENT)
            | has(KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED, AMDGPU_GEM_CREATE_UNCACHED);
        if self.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM == 0 {
            return (AMDGPU_GEM_DOMAIN_GTT.into(), common.into());
        }
        let host = has(KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED);
        let vram = AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE | AMDGPU_GEM_CREATE_VRAM_CLEARED;
        (AMDGPU_GEM_DOMAIN_VRAM.into(), (common | host | vram).into())
    }
}

/// The origin of the memory file of `fd`.
///
/// # Errors
/// `EBADF` if `fd` is not open, `EINVAL` if it is not a buffer object of this device.
pub fn origin(fd: RawFd) -> Result<Origin, Errno> {
    let path = CString::new(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::EINVAL)?;
    named(&path)
}

/// What the file behind this link of `/proc` says that it is.
///
/// # Errors
/// `EBADF` if there is no such link, `EINVAL` if it does not lead to a buffer object.
pub(super) fn named(path: &CStr) -> Result<Origin, Errno> {
    let mut target = [0u8; 128];
    // SAFETY: `path` is a C string and `target` is writable.
    let length = unsafe { real::readlink(path.as_ptr(), target.as_mut_ptr().cast(), target.len()) };
    let length = usize::try_from(length).map_err(|_| Errno::EBADF)?;
    std::str::from_utf8(&target[..length])
        .ok()
        .and_then(Origin::of_name)
        .ok_or(Errno::EINVAL.because("the descriptor is no dma-buf of this device"))
}

/// The buffer object of `fd`: one of this process, or a mapping of another process's.
///
/// # Errors
/// As [`origin`], otherwise what the host says.
pub fn open(state: &State, fd: RawFd) -> Result<(Arc<Backing>, Origin), Errno> {
    let origin = origin(fd)?;
    let inode = crate::real::host_stat(fd)?.st_ino;
    let own = state.gpus.iter().flat_map(|gpu| gpu.objects.values()).find_map(|object| match &object.memory {
        Memory::Buffer(memory) if memory.inode() == inode => Some(memory.clone()),
        _ => None,
    });
    if let Some(memory) = own {
        return Ok((memory, origin));
    }
    // The GPU writes to it whatever this descriptor allows the host.
    let file = reopen(fd, libc::O_RDWR | libc::O_CLOEXEC)?;
    Ok((Arc::new(Backing::from_fd(file)?), origin))
}

/// Which kind of memory, as the driver reports it for a dma-buf: only that of VRAM is told to be for the host or not.
fn domain(flags: u32) -> u32 {
    const VRAM: u32 = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    if flags & VRAM != 0 { flags & (VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) } else { KFD_IOC_ALLOC_MEM_FLAGS_GTT }
}

pub(super) fn info(process: &Process, args: &mut kfd_ioctl_get_dmabuf_info_args) -> Result<(), Errno> {
    let origin = origin(args.dmabuf_fd as RawFd)?;
    args.size = crate::real::host_stat(args.dmabuf_fd as RawFd)?.st_size as u64;
    // The room has to be enough also where the metadata is not asked for (`amdgpu_amdkfd_get_dmabuf_info`).
    let metadata = Metadata::of(args.dmabuf_fd as RawFd);
    let size = metadata.data().len() as u32;
    if std::mem::replace(&mut args.metadata_size, size) < size {
        return Err(Errno::EINVAL.because("metadata_size is too small"));
    }
    if args.metadata_ptr != 0 {
        user::write(args.metadata_ptr, metadata.data())?;
    }
    // A GPU that this process does not have is reported as its first one.
    let known = process.config.gpu_index(origin.gpu_id).is_some();
    args.gpu_id = if known { origin.gpu_id } else { crate::driver::config::Config::gpu_id(0) };
    args.flags = domain(origin.flags);
    Ok(())
}

/// Makes `memory` an object of GPU `gpu_id` at `va`, which came by an IPC handle with flags or without.
pub(super) fn adopt(
    state: &mut State,
    gpu_id: u32,
    va: u64,
    memory: Arc<Backing>,
    origin: Origin,
    ipc_flags: Option<u32>,
) -> Result<u64, Errno> {
    let vram_or_gtt = origin.flags & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT);
    let flags = vram_or_gtt | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
    let (size, origin, memory) = (memory.size(), origin.flags, Memory::Buffer(memory));
    let object = Object { va, size, flags, origin, memory, vram: 0, mapped: 0, ipc_flags };
    insert(state.gpu(gpu_id)?, object)
}

pub(super) fn import(process: &Process, args: &mut kfd_ioctl_import_dmabuf_args) -> Result<(), Errno> {
    let mut state = process.lock();
    state.bound(args.gpu_id)?;
    let (memory, origin) = open(&state, args.dmabuf_fd as RawFd)?;
    args.handle = adopt(&mut state, args.gpu_id, args.va_addr, memory, origin, None)?;
    Ok(())
}

pub(super) fn export(process: &Process, args: &mut kfd_ioctl_export_dmabuf_args) -> Result<(), Errno> {
    let mut state = process.lock();
    let object = state.object(args.handle)?.ok_or(Errno::EINVAL.because("no buffer object has this handle"))?;
    let memory = match &object.memory {
        Memory::Buffer(memory) => memory.clone(),
        Memory::User(_) => return Err(Errno::EPERM.because("it is host memory of the program")),
        Memory::Doorbells(_) | Memory::Registers(_) => {
            return Err(Errno::EINVAL.because("it is doorbells or registers"));
        }
    };
    let writable = object.flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE != 0;
    // The driver looks at no other flag.
    args.dmabuf_fd = give(&memory, writable, args.flags as i32 & libc::O_CLOEXEC)? as u32;
    Ok(())
}

/// Checks a mapping of `length` bytes at `offset` of `fd`, a dma-buf, by the host.
///
/// # Errors
/// `EINVAL` if it has not so many bytes (`dma_buf_mmap_internal`), `EPERM` if the host has no access
/// (`amdgpu_gem_object_mmap`).
pub fn check_mapping(fd: RawFd, origin: Origin, offset: u64, length: u64) -> Result<(), Errno> {
    let size = real::host_stat(fd)?.st_size as u64;
    let end = length.checked_next_multiple_of(PAGE).and_then(|length| offset.checked_add(length));
    if end.is_none_or(|end| end > size) {
        return Err(Errno::EINVAL);
    }
    let hidden = origin.as_created().1 & u64::from(AMDGPU_GEM_CREATE_NO_CPU_ACCESS) != 0;
    if hidden { Err(Errno::EPERM) } else { Ok(()) }
}

/// Serves an ioctl on a dma-buf (`dma_buf_ioctl` of `drivers/dma-buf/dma-buf.c`). The host sees what the GPU's memory
/// holds, so there is nothing to do before it looks or after it wrote.
///
/// # Errors
/// `EINVAL` for flags that there are not, `EFAULT` for a bad address, `ENOTTY` for all but `DMA_BUF_IOCTL_SYNC`.
pub fn ioctl(request: u32, argument: u64) -> Result<i32, Errno> {
    // linux/dma-buf.h
    const DMA_BUF_IOCTL_SYNC: u32 = 0x4008_6200;
    const DMA_BUF_SYNC_RW: u64 = 3;
    const DMA_BUF_SYNC_END: u64 = 1 << 2;
    if request != DMA_BUF_IOCTL_SYNC {
        return Err(Errno::ENOTTY);
    }
    let flags: u64 = user::read_value(argument)?;
    let known = flags & !(DMA_BUF_SYNC_RW | DMA_BUF_SYNC_END) == 0;
    if known && flags & DMA_BUF_SYNC_RW != 0 { Ok(0) } else { Err(Errno::EINVAL) }
}

/// Opens the memory file of `fd` again, for reading or for both, at the lowest free number.
///
/// # Errors
/// What the host says.
pub fn reopen(fd: RawFd, flags: c_int) -> Result<OwnedFd, Errno> {
    let path = CString::new(format!("/proc/self/fd/{fd}")).map_err(|_| Errno::EINVAL)?;
    // SAFETY: `path` is a C string.
    let file = unsafe { real::open(path.as_ptr(), flags, 0) };
    // SAFETY: new and ours.
    if file < 0 { Err(Errno::last()) } else { Ok(unsafe { OwnedFd::from_raw_fd(file) }) }
}

/// A new descriptor for the program, by which the host may write to the memory or only read it.
///
/// # Errors
/// What the host says.
pub fn give(memory: &Backing, writable: bool, close_on_exec: c_int) -> Result<RawFd, Errno> {
    let access = if writable { libc::O_RDWR } else { libc::O_RDONLY };
    reopen(memory.fd(), access | close_on_exec).map(IntoRawFd::into_raw_fd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_origin() {
        assert_eq!(
            Origin::of_name("/memfd:vgpu-vram-51110-c0000001 (deleted)"),
            Some(Origin { gpu_id: 51110, flags: 0xc000_0001, gem: None })
        );
        let gem = Origin::of_gem(51110, true, 4, 0x208);
        assert_eq!(Origin::of_name(&format!("/memfd:{} (deleted)", gem.file_name().to_str().unwrap())), Some(gem));
        assert_eq!(Origin::of_name("/memfd:vgpu-doorbells (deleted)"), None);
        assert_eq!(Origin::of_name("/dev/null"), None);
        assert_eq!(Origin::of_name("/memfd:vgpu-gtt-x-0"), None);
    }
}
