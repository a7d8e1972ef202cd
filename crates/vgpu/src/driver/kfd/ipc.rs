//! The IPC requests of AMD's DKMS driver, which `hipIpcGetMemHandle` and `hipIpcOpenMemHandle` use.
//!
//! A handle names a memory file by process, descriptor and inode, and holds the exporter's flags; the importing process
//! opens the file through `/proc`, which the host allows to processes of the same user.

use crate::backing::Backing;
use crate::driver::device::Process;
use crate::errno::Errno;
use crate::real;
use std::ffi::{CString, c_ulong};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use super::dmabuf;
use super::memory::Memory;

/// `AMDKFD_IOC_IPC_IMPORT_HANDLE`.
pub const AMDKFD_IOC_IPC_IMPORT_HANDLE: c_ulong = 0xc030_4b80;
/// `AMDKFD_IOC_IPC_EXPORT_HANDLE`.
pub const AMDKFD_IOC_IPC_EXPORT_HANDLE: c_ulong = 0xc020_4b81;

/// Arguments of [`AMDKFD_IOC_IPC_EXPORT_HANDLE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types)] // As in the driver's header.
pub struct kfd_ioctl_ipc_export_handle_args {
    /// The buffer object.
    pub handle: u64,
    /// Returns the handle to give to others.
    pub share_handle: [u32; 4],
    /// The GPU.
    pub gpu_id: u32,
    /// Flags for importers, which the driver stores without reading them (the thunk passes its `HsaMemFlags`).
    pub flags: u32,
}

/// Arguments of [`AMDKFD_IOC_IPC_IMPORT_HANDLE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types)] // As in the driver's header.
pub struct kfd_ioctl_ipc_import_handle_args {
    /// Returns the buffer object.
    pub handle: u64,
    /// Device address to map it at.
    pub va_addr: u64,
    /// Returns the offset to map it for the host.
    pub mmap_offset: u64,
    /// The handle from the exporting process.
    pub share_handle: [u32; 4],
    /// The GPU.
    pub gpu_id: u32,
    /// Returns what the exporter gave.
    pub flags: u32,
}

const _: () = assert!(size_of::<kfd_ioctl_ipc_export_handle_args>() == 0x20);
const _: () = assert!(size_of::<kfd_ioctl_ipc_import_handle_args>() == 0x30);

pub(super) fn export(process: &Process, args: &mut kfd_ioctl_ipc_export_handle_args) -> Result<(), Errno> {
    let mut state = process.lock();
    // Which GPU's object it is says `gpu_id`, not the handle.
    let objects = &mut state.bound(args.gpu_id)?.objects;
    let object =
        objects.get_mut(&(args.handle as u32)).ok_or(Errno::EINVAL.because("no buffer object has this handle"))?;
    let memory = match &object.memory {
        Memory::Buffer(memory) => memory,
        Memory::User(_) => return Err(Errno::EPERM.because("it is host memory of the program")),
        Memory::Doorbells(_) | Memory::Registers(_) => {
            return Err(Errno::EINVAL.because("it is doorbells or registers"));
        }
    };
    // An object is exported once: what comes later gets the same again (`amdgpu_amdkfd_gpuvm_export_ipc_obj`).
    let flags = *object.ipc_flags.get_or_insert(args.flags);
    args.share_handle = [std::process::id(), memory.fd() as u32, memory.inode() as u32, flags];
    Ok(())
}

pub(super) fn import(process: &Process, args: &mut kfd_ioctl_ipc_import_handle_args) -> Result<(), Errno> {
    let mut state = process.lock();
    state.gpu(args.gpu_id)?;
    let [pid, fd, inode, flags] = args.share_handle;
    let path = CString::new(format!("/proc/{pid}/fd/{fd}")).map_err(|_| Errno::EINVAL)?;
    // Opening another kind of file may do something, or wait.
    dmabuf::named(&path).map_err(|_| {
        Errno::EINVAL.because("the exporter has ended, has freed the memory, or belongs to another user")
    })?;
    // It may have become another file meanwhile.
    let mode = libc::O_RDWR | libc::O_CLOEXEC | libc::O_NOCTTY | libc::O_NONBLOCK;
    // SAFETY: `path` is a C string.
    let file = unsafe { real::open(path.as_ptr(), mode, 0) };
    if file < 0 {
        return Err(Errno::EINVAL.because("the exporter has ended, has freed the memory, or belongs to another user"));
    }
    // SAFETY: `file` is new and ours.
    let file = unsafe { OwnedFd::from_raw_fd(file) };
    // The exporter may have ended, or freed the buffer, and its numbers may be in use for something else.
    if real::host_stat(file.as_raw_fd())?.st_ino as u32 != inode {
        return Err(Errno::EINVAL.because("the exporter has freed the memory"));
    }
    let origin = dmabuf::origin(file.as_raw_fd())?;
    let index = state.bound(args.gpu_id)?.gpu.index;
    let memory = Arc::new(Backing::from_fd(file)?);
    args.mmap_offset = state.offsets.add(index, &memory)?;
    args.handle = dmabuf::adopt(&mut state, args.gpu_id, args.va_addr, memory, origin, Some(flags))?;
    args.flags = flags;
    Ok(())
}
