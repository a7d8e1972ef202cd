//! The requests of debuggers and profilers.

use crate::driver::device::Process;
use crate::driver::user;
use crate::errno::Errno;
use kfd_sys::*;
use std::ffi::c_ulong;

/// `AMDKFD_IOC_PC_SAMPLE` of AMD's DKMS driver.
pub const AMDKFD_IOC_PC_SAMPLE: c_ulong = 0xc020_4b85;

/// Arguments of [`AMDKFD_IOC_PC_SAMPLE`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types)] // As in the driver's header.
pub struct kfd_ioctl_pc_sample_args {
    /// Address of descriptions of kinds of sampling.
    pub sample_info_ptr: u64,
    /// How many.
    pub num_sample_info: u32,
    /// The operation.
    pub op: u32,
    /// The GPU.
    pub gpu_id: u32,
    /// The session.
    pub trace_id: u32,
    /// For queries.
    pub flags: u32,
    /// Nothing.
    pub reserved: u32,
}

const _: () = assert!(size_of::<kfd_ioctl_pc_sample_args>() == 0x20);

/// As `kfd_pc_sample` of the DKMS driver answers for a gfx908, which has no kind of sampling.
pub(super) fn pc_sample(process: &Process, args: &mut kfd_ioctl_pc_sample_args) -> Result<(), Errno> {
    const QUERY: u32 = 0;
    const CREATE: u32 = 1;
    /// Bytes of a description (`struct kfd_pc_sample_info`).
    const INFO: usize = 40;
    let mut state = process.lock();
    state.gpu(args.gpu_id)?;
    state.bound(args.gpu_id).map_err(|_| Errno::ESRCH)?;
    match args.op {
        QUERY => {
            // Its version of the interface, which it tells here: 1.1.
            args.reserved = 1 << 16 | 1;
            Err(Errno::EOPNOTSUPP)
        }
        CREATE if args.num_sample_info == 1 => {
            user::read(&mut [0; INFO], args.sample_info_ptr)?;
            Err(Errno::EOPNOTSUPP)
        }
        // There are no sessions.
        _ => Err(Errno::EINVAL.because("op is unknown, or there is no session")),
    }
}

/// As `kfd_ioctl_set_debug_trap` answers for a process that no debugger is attached to. To attach one fails as on a GPU
/// that cannot be debugged (`kfd_dbg_trap_enable`).
pub(super) fn debug_trap(_: &Process, args: &mut kfd_ioctl_dbg_trap_args) -> Result<(), Errno> {
    // Of all processes this one is the only one known to have opened the device: as the driver, by any of its threads.
    // SAFETY: signal 0 only asks whether the thread is there.
    if unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), args.pid as libc::pid_t, 0) } != 0 {
        return Err(Errno::ESRCH.because("pid is no thread of this process"));
    }
    let enable = kfd_dbg_trap_operations::KFD_IOC_DBG_TRAP_ENABLE.0;
    if args.op == enable {
        Err(Errno::ENODEV.because("the GPU cannot be debugged"))
    } else {
        Err(Errno::EINVAL.because("no debugger is attached"))
    }
}
