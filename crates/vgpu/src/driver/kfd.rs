//! `/dev/kfd`: the table of its ioctls, and the dispatcher.

pub mod dmabuf;
pub mod events;
pub mod exceptions;
pub mod ipc;
pub mod memory;
pub mod process;
pub mod queues;
pub mod smi;
pub mod svm;
pub mod tools;

use crate::driver::device::Process;
use crate::driver::user;
use crate::errno::Errno;
use crate::log::{self, Topic};
use crate::support::Support;
use crate::{faults, trace};
use kfd_sys::*;
use std::ffi::c_ulong;
use std::fmt::Debug;

/// One ioctl of `/dev/kfd`.
pub struct Ioctl {
    /// Request number.
    pub request: c_ulong,
    /// Name in the kernel's header, or in that of AMD's DKMS driver.
    pub name: &'static str,
    /// How it is served.
    pub support: Support,
    /// The last argument is how many bytes the caller gave.
    call: fn(&Process, &mut [u8], usize) -> Result<(), Errno>,
    /// The arguments as text, for the trace.
    describe: fn(&[u8]) -> String,
}

/// The fields of `T` in `bytes`.
///
/// # Safety
/// As [`user::with`].
unsafe fn describe<T: Copy + Debug>(bytes: &[u8]) -> String {
    assert!(bytes.len() >= size_of::<T>(), "the buffer is as long as the driver's structure");
    // SAFETY: long enough, and as promised by the caller.
    let text = format!("{:?}", unsafe { bytes.as_ptr().cast::<T>().read_unaligned() });
    // The request says which structure it is.
    match text.split_once('{') {
        Some((_, fields)) => fields.trim_end_matches('}').trim().to_owned(),
        None => text,
    }
}

macro_rules! table {
    ($($request:ident $args:ident $handler:path, $support:expr;)*) => {
        /// Every ioctl that `/dev/kfd` knows, in the order of their numbers.
        pub static IOCTLS: &[Ioctl] = &[$(
            Ioctl {
                request: $request,
                name: stringify!($request),
                support: $support,
                // SAFETY: the arguments are the kernel's structures of integers.
                call: |process, bytes, _| unsafe { user::with::<$args>(bytes, |args| $handler(process, args)) },
                // SAFETY: as above.
                describe: |bytes| unsafe { describe::<$args>(bytes) },
            },
        )*
            Ioctl {
                request: AMDKFD_IOC_SVM,
                name: "AMDKFD_IOC_SVM",
                support: SVM,
                call: svm::ioctl,
                // SAFETY: as above.
                describe: |bytes| unsafe { describe::<kfd_ioctl_svm_args>(bytes) },
            },
            Ioctl {
                request: AMDKFD_IOC_DBG_TRAP,
                name: "AMDKFD_IOC_DBG_TRAP",
                support: NO_DEBUGGER,
                // SAFETY: as above.
                call: |process, bytes, _| unsafe { user::with(bytes, |args| tools::debug_trap(process, args)) },
                // SAFETY: as above. What follows depends on the operation.
                describe: |bytes| unsafe { describe::<[u32; 2]>(bytes) },
            },
        ];
    };
}

const SVM: Support = Support::Partial(
    "memory stays in the host; a preferred or prefetch location is noted and reported only, the latter to monitors too, and a preferred one decides \
     with XNACK on who may use it; EFAULT for memory without `PROT_READ`, but for some with XNACK on, where a range is mapped at once; with XNACK off memory that loses `PROT_READ` later is a memory fault, where the driver stops the queues until it is back; `mprotect` and `mremap` inside \
     the C library are not noticed; access that is taken away ends at once; EINVAL for access of a GPU without a VM",
);
const NO_DEBUGGER: Support = Support::Refused(
    "no debugger: ENODEV to attach one, as for a GPU that has none; EINVAL for the rest, as without one; ESRCH for a process other than the caller",
);
const DEPRECATED: Support = Support::Refused("as every driver since Linux 5.19: EPERM");

table! {
    AMDKFD_IOC_GET_VERSION kfd_ioctl_get_version_args process::get_version, Support::Full;
    AMDKFD_IOC_CREATE_QUEUE kfd_ioctl_create_queue_args queues::create, Support::Partial(
        "buffers must be mapped by MAP_MEMORY_TO_GPU, not by AMDGPU_GEM_VA; SDMA queues run out by process, on the driver for all processes together"
    );
    AMDKFD_IOC_DESTROY_QUEUE kfd_ioctl_destroy_queue_args queues::destroy, Support::Full;
    AMDKFD_IOC_SET_MEMORY_POLICY kfd_ioctl_set_memory_policy_args process::set_memory_policy, Support::Partial("checked; has no effect, also with --caches");
    AMDKFD_IOC_GET_CLOCK_COUNTERS kfd_ioctl_get_clock_counters_args process::get_clock_counters, Support::Full;
    AMDKFD_IOC_GET_PROCESS_APERTURES kfd_ioctl_get_process_apertures_args process::get_apertures, Support::Full;
    AMDKFD_IOC_UPDATE_QUEUE kfd_ioctl_update_queue_args queues::update, Support::Full;
    AMDKFD_IOC_CREATE_EVENT kfd_ioctl_create_event_args events::create, Support::Partial(
        "4095 signal events, though the program brings a longer page; HW_EXCEPTION events are never raised: the GPU is never reset"
    );
    AMDKFD_IOC_DESTROY_EVENT kfd_ioctl_destroy_event_args events::destroy, Support::Full;
    AMDKFD_IOC_SET_EVENT kfd_ioctl_set_event_args events::set, Support::Full;
    AMDKFD_IOC_RESET_EVENT kfd_ioctl_reset_event_args events::reset, Support::Full;
    AMDKFD_IOC_WAIT_EVENTS kfd_ioctl_wait_events_args events::wait, Support::Full;
    AMDKFD_IOC_DBG_REGISTER_DEPRECATED kfd_ioctl_dbg_register_args process::deprecated, DEPRECATED;
    AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED kfd_ioctl_dbg_unregister_args process::deprecated, DEPRECATED;
    AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED kfd_ioctl_dbg_address_watch_args process::deprecated, DEPRECATED;
    AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED kfd_ioctl_dbg_wave_control_args process::deprecated, DEPRECATED;
    AMDKFD_IOC_SET_SCRATCH_BACKING_VA kfd_ioctl_set_scratch_backing_va_args process::set_scratch_backing_va, Support::Partial("checked; each queue's scratch is described in its amd_queue_t");
    AMDKFD_IOC_GET_TILE_CONFIG kfd_ioctl_get_tile_config_args process::get_tile_config, Support::Full;
    AMDKFD_IOC_SET_TRAP_HANDLER kfd_ioctl_set_trap_handler_args process::set_trap_handler, Support::Full;
    AMDKFD_IOC_GET_PROCESS_APERTURES_NEW kfd_ioctl_get_process_apertures_new_args process::get_apertures_new, Support::Full;
    AMDKFD_IOC_ACQUIRE_VM kfd_ioctl_acquire_vm_args process::acquire_vm, Support::Partial(
        "EINVAL for the render node of another GPU, which the driver does not notice"
    );
    AMDKFD_IOC_ALLOC_MEMORY_OF_GPU kfd_ioctl_alloc_memory_of_gpu_args memory::alloc, Support::Partial(
        "host memory that the program frees while the GPU uses it may crash the program; what it freed before is a memory fault, \
         except for rings, queues' pointers and the signals of AQL packets, which may crash it; \
         host memory of user pointers begins with a page, else EINVAL; no limit for GTT and user pointers but the host's memory, where the driver gives ENOMEM: \
         to all processes together it lets the host's memory less a 64th and 1.5 GiB, of which GTT is what TTM may have; \
         offsets of user pointers and doorbells cannot be mapped: EINVAL"
    );
    AMDKFD_IOC_FREE_MEMORY_OF_GPU kfd_ioctl_free_memory_of_gpu_args memory::free, Support::Full;
    AMDKFD_IOC_MAP_MEMORY_TO_GPU kfd_ioctl_map_memory_to_gpu_args memory::map, Support::Partial(
        "EINVAL for addresses of the upper half; doorbells and registers of another GPU work where it is linked, which only hardware can tell"
    );
    AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU kfd_ioctl_unmap_memory_from_gpu_args memory::unmap, Support::Full;
    AMDKFD_IOC_SET_CU_MASK kfd_ioctl_set_cu_mask_args queues::set_cu_mask, Support::Full;
    AMDKFD_IOC_GET_QUEUE_WAVE_STATE kfd_ioctl_get_queue_wave_state_args queues::get_wave_state, Support::Partial("the waves of a kernel that was interrupted stay in the device: EINVAL, as for an active queue");
    AMDKFD_IOC_GET_DMABUF_INFO kfd_ioctl_get_dmabuf_info_args dmabuf::info, Support::Full;
    AMDKFD_IOC_IMPORT_DMABUF kfd_ioctl_import_dmabuf_args dmabuf::import, Support::Partial("buffers of this device only");
    AMDKFD_IOC_ALLOC_QUEUE_GWS kfd_ioctl_alloc_queue_gws_args queues::alloc_gws, Support::Full;
    AMDKFD_IOC_SMI_EVENTS kfd_ioctl_smi_events_args smi::events, Support::Partial(
        "delivers VMFAULT, MIGRATE_START and MIGRATE_END of prefetches, PAGE_FAULT_START and PAGE_FAULT_END to monitors in the process itself, with the process where the driver has the thread that acquired the VM; nothing is throttled, reset or evicted, and no page fault moves memory. A mask shorter than 8 bytes is not EFAULT"
    );
    AMDKFD_IOC_SET_XNACK_MODE kfd_ioctl_set_xnack_mode_args process::set_xnack_mode, Support::Partial(
        "as with the driver's option `noretry` not given"
    );
    AMDKFD_IOC_CRIU_OP kfd_ioctl_criu_args process::criu, Support::Refused("no checkpoints: EACCES, as without the capability");
    AMDKFD_IOC_AVAILABLE_MEMORY kfd_ioctl_get_available_memory_args memory::available, Support::Partial(
        "counts the processes of one `vgpu run` that belong to one user, and small buffers by their size instead of 2 MiB each; \
         what is freed counts no more, even if a dma-buf or a mapping still shows it"
    );
    AMDKFD_IOC_EXPORT_DMABUF kfd_ioctl_export_dmabuf_args dmabuf::export, Support::Partial(
        "EINVAL for doorbells and registers"
    );
    AMDKFD_IOC_RUNTIME_ENABLE kfd_ioctl_runtime_enable_args process::runtime_enable, Support::Full;
    AMDKFD_IOC_IPC_IMPORT_HANDLE kfd_ioctl_ipc_import_handle_args ipc::import, Support::Partial(
        "of AMD's DKMS driver; both processes belong to one user, and the exporter has not freed the memory"
    );
    AMDKFD_IOC_IPC_EXPORT_HANDLE kfd_ioctl_ipc_export_handle_args ipc::export, Support::Partial("of AMD's DKMS driver; both processes belong to one user");
    AMDKFD_IOC_PC_SAMPLE kfd_ioctl_pc_sample_args tools::pc_sample, Support::Refused("of AMD's DKMS driver: EOPNOTSUPP, as for a gfx908");
}

use ipc::{
    AMDKFD_IOC_IPC_EXPORT_HANDLE, AMDKFD_IOC_IPC_IMPORT_HANDLE, kfd_ioctl_ipc_export_handle_args,
    kfd_ioctl_ipc_import_handle_args,
};
use tools::{AMDKFD_IOC_PC_SAMPLE, kfd_ioctl_pc_sample_args};

/// Whether this is a request of `/dev/kfd`'s: other drivers' and the kernel's own with the letter have no arguments, or
/// no such numbers.
pub fn is_request(request: u32) -> bool {
    // `_IOC_TYPE` of `asm-generic/ioctl.h`.
    let letter = (request >> 8 & 0xff) as u8;
    letter == b'K' && size(request) != 0 && IOCTLS.iter().any(|ioctl| number(ioctl.request as u32) == number(request))
}

/// Fields of a request number.
fn number(request: u32) -> u32 {
    request & 0xff
}

/// How many bytes of arguments a request has.
pub(crate) fn size(request: u32) -> usize {
    (request >> 16 & 0x3fff) as usize
}

/// The arguments are read.
pub(crate) const COPIES_IN: u32 = 1 << 30;
/// The arguments are written.
pub(crate) const COPIES_OUT: u32 = 2 << 30;

/// Why a request fails that `--faults` names.
const INJECTED: &str = "asked for by --faults";

/// Serves an ioctl on `/dev/kfd`. The request is known by its number alone: sizes differ between releases, and fields
/// that the caller does not have are 0.
///
/// # Errors
/// `ENOTTY` for an unknown request, `EBADF` if the file was opened by a parent process, `EFAULT` for a bad address,
/// otherwise as the request's.
pub fn ioctl(request: u32, argument: u64, inherited: bool) -> Result<i32, Errno> {
    let Some(ioctl) = IOCTLS.iter().find(|ioctl| number(ioctl.request as u32) == number(request)) else {
        log::write(Topic::Unknown, format_args!("/dev/kfd: unknown ioctl {:#04x} ({request:#x})", number(request)));
        return Err(Errno::ENOTTY);
    };
    if inherited {
        return Err(Errno::EBADF);
    }
    let known = ioctl.request as u32;
    let mut bytes = vec![0; size(request).max(size(known))];
    if known & COPIES_IN != 0 {
        user::read(&mut bytes[..size(request)], argument)?;
    }
    let name = ioctl.name.trim_start_matches("AMDKFD_IOC_");
    let mut call = || {
        let process = Process::current()?;
        if matches!(name, "WAIT_EVENTS" | "SET_EVENT") {
            process.hint();
        }
        (ioctl.call)(process, &mut bytes, size(request))
    };
    let result = match faults::ioctl(name) {
        Some(errno) if faults::answers_after_the_work(name, errno) => call().and(Err(errno.because(INJECTED))),
        Some(errno) => Err(errno.because(INJECTED)),
        None => call(),
    };
    trace::request(|e| e.text("name", name).result(&result).text("args", (ioctl.describe)(&bytes)));
    if known & COPIES_OUT != 0 {
        user::write(argument, &bytes[..size(request)])?;
    }
    match (&result, ioctl.support) {
        (Err(_), Support::Refused(reason)) => {
            log::write(Topic::Unknown, format_args!("{} refused: {reason}", ioctl.name));
        }
        _ if !log::wanted(Topic::Ioctl) => {}
        _ => log::write(Topic::Ioctl, format_args!("{}: {result:?} {}", ioctl.name, (ioctl.describe)(&bytes))),
    }
    result.map(|()| 0)
}
