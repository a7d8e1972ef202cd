//! The requests about the process: version, apertures, VM, clocks and memory policy.

use crate::driver::config::Config;
use crate::driver::device::{PerGpu, Process};
use crate::driver::files::{self, Opened};
use crate::driver::user;
use crate::errno::Errno;
use crate::hardware::clock;
use crate::{real, time};
use kfd_sys::*;
use std::sync::Arc;

/// Version of the interface, that of Linux 6.12.
///
/// Clients choose by it what they use: from 1.12 on dma-buf export, from 1.14 on waits with event ages (which close a
/// race between looking at a signal and going to sleep), from 1.15 on HIP's virtual memory management over render-node
/// requests. ROCr 6.4 has a mistake in its use of ages that makes its event thread call again and again while it waits
/// for one signal twice; it does so on the driver too.
pub const VERSION: (u32, u32) = (1, 17);

/// First address of the GPUs' virtual memory (`AMDGPU_VA_RESERVED_BOTTOM`).
pub const GPUVM_BASE: u64 = 1 << 16;
/// Last address: the lower half of the 48-bit space.
pub const GPUVM_LIMIT: u64 = (1 << 47) - 1;
/// LDS aperture of gfx9.
pub const LDS_BASE: u64 = 1 << 48;
/// Scratch aperture of gfx9.
pub const SCRATCH_BASE: u64 = 2 << 48;
/// Last byte of an aperture, from its first.
pub const APERTURE_LAST: u64 = 0xffff_ffff;

pub(super) fn get_version(_: &Process, args: &mut kfd_ioctl_get_version_args) -> Result<(), Errno> {
    (args.major_version, args.minor_version) = VERSION;
    Ok(())
}

fn apertures(gpu: &PerGpu) -> kfd_process_device_apertures {
    kfd_process_device_apertures {
        lds_base: LDS_BASE,
        lds_limit: LDS_BASE + APERTURE_LAST,
        scratch_base: SCRATCH_BASE,
        scratch_limit: SCRATCH_BASE + APERTURE_LAST,
        gpuvm_base: GPUVM_BASE,
        gpuvm_limit: GPUVM_LIMIT,
        gpu_id: gpu.gpu_id(),
        pad: 0,
    }
}

fn all_apertures(process: &Process) -> Vec<kfd_process_device_apertures> {
    process.lock().gpus.iter().map(apertures).collect()
}

pub(super) fn get_apertures(process: &Process, args: &mut kfd_ioctl_get_process_apertures_args) -> Result<(), Errno> {
    args.num_of_nodes = 0;
    for (to, from) in args.process_apertures.iter_mut().zip(all_apertures(process)) {
        *to = from;
        args.num_of_nodes += 1;
    }
    Ok(())
}

// SAFETY: the kernel's structure of integers.
unsafe impl user::Plain for kfd_process_device_apertures {}

pub(super) fn get_apertures_new(
    process: &Process,
    args: &mut kfd_ioctl_get_process_apertures_new_args,
) -> Result<(), Errno> {
    let all = all_apertures(process);
    if args.num_of_nodes == 0 {
        args.num_of_nodes = all.len() as u32;
        return Ok(());
    }
    // The caller may ask for as many as there are topology nodes, the CPU's included.
    if args.num_of_nodes > process.config.gpus() + 1 {
        return Err(Errno::EINVAL.because("num_of_nodes is more than there are"));
    }
    let count = all.len().min(args.num_of_nodes as usize);
    args.num_of_nodes = count as u32;
    user::write_array(args.kfd_process_device_apertures_ptr, &all[..count])
}

pub(super) fn acquire_vm(process: &Process, args: &mut kfd_ioctl_acquire_vm_args) -> Result<(), Errno> {
    let opened = files::lookup(args.drm_fd as i32);
    if opened.is_none() && real::host_stat(args.drm_fd as i32).is_err() {
        return Err(Errno::EINVAL.because("drm_fd is no descriptor"));
    }
    let mut state = process.lock();
    let gpu = state.gpu(args.gpu_id)?;
    let file = match &opened {
        Some(Opened::Render(file)) => file,
        _ if gpu.vm.is_some() => return Err(Errno::EBUSY.because("the process has a VM on this GPU, of another file")),
        _ => return Err(Errno::EINVAL.because("drm_fd is no render node")),
    };
    let address = Arc::as_ptr(file).addr();
    match gpu.vm {
        Some(known) if known == address => Ok(()),
        Some(_) => Err(Errno::EBUSY.because("the process has a VM on this GPU, of another file")),
        // A render file has one VM, and the one of another GPU is not this GPU's.
        None if file.minor() != Config::render_minor(gpu.gpu.index) => {
            Err(Errno::EINVAL.because("drm_fd is the render node of another GPU"))
        }
        None => {
            file.acquire(&gpu.gpu)?;
            gpu.vm = Some(address);
            Ok(())
        }
    }
}

pub(super) fn set_memory_policy(process: &Process, args: &mut kfd_ioctl_set_memory_policy_args) -> Result<(), Errno> {
    let known = [KFD_IOC_CACHE_POLICY_COHERENT, KFD_IOC_CACHE_POLICY_NONCOHERENT];
    if !known.contains(&args.default_policy) || !known.contains(&args.alternate_policy) {
        return Err(Errno::EINVAL.because("a policy is unknown"));
    }
    let mut state = process.lock();
    state.gpu(args.gpu_id)?;
    state.bound(args.gpu_id).map(|_| ()).map_err(|_| Errno::ESRCH)
}

pub(super) fn set_trap_handler(process: &Process, args: &mut kfd_ioctl_set_trap_handler_args) -> Result<(), Errno> {
    let mut state = process.lock();
    state.gpu(args.gpu_id)?;
    state.bound(args.gpu_id).map_err(|_| Errno::ESRCH)?.gpu.set_trap_handler(args.tba_addr, args.tma_addr);
    Ok(())
}

pub(super) fn set_scratch_backing_va(
    process: &Process,
    args: &mut kfd_ioctl_set_scratch_backing_va_args,
) -> Result<(), Errno> {
    process.lock().bound(args.gpu_id).map(|_| ())
}

pub(super) fn get_clock_counters(process: &Process, args: &mut kfd_ioctl_get_clock_counters_args) -> Result<(), Errno> {
    let known = process.lock().gpu(args.gpu_id).is_ok();
    args.gpu_clock_counter = if known { clock::gpu_ticks() } else { 0 };
    args.cpu_clock_counter = time::monotonic_raw_ns();
    args.system_clock_counter = time::boottime_ns();
    args.system_clock_freq = 1_000_000_000;
    Ok(())
}

pub(super) fn get_tile_config(process: &Process, args: &mut kfd_ioctl_get_tile_config_args) -> Result<(), Errno> {
    // The driver's tables of tile modes, which it fills for older GPUs only; nor does it set banks and ranks for gfx9.
    const TILE_MODES: [u32; 32] = [0; 32];
    const MACRO_TILE_MODES: [u32; 16] = [0; 16];
    let profile = process.lock().gpu(args.gpu_id)?.gpu.profile;
    args.gb_addr_config = profile.gb_addr_config;
    (args.num_banks, args.num_ranks) = (0, 0);
    fill(args.tile_config_ptr, &mut args.num_tile_configs, &TILE_MODES)?;
    fill(args.macro_tile_config_ptr, &mut args.num_macro_tile_configs, &MACRO_TILE_MODES)
}

/// Writes as many of `values` as the caller has room for, and how many it got: none if it gave a bad address.
fn fill(to: u64, count: &mut u32, values: &[u32]) -> Result<(), Errno> {
    *count = (*count).min(values.len() as u32);
    user::write_array(to, &values[..*count as usize]).inspect_err(|_| *count = 0)
}

/// As `kfd_ioctl_set_xnack_mode`. By the driver's default (its option `noretry`) accesses that fault are not repeated.
pub(super) fn set_xnack_mode(process: &Process, args: &mut kfd_ioctl_set_xnack_mode_args) -> Result<(), Errno> {
    let mut state = process.lock();
    let on = match args.xnack_enabled {
        ..0 => {
            args.xnack_enabled = state.svm.is_on_demand().into();
            return Ok(());
        }
        _ if state.queues.any() => return Err(Errno::EBUSY.because("there are queues already")),
        0 => false,
        // All GPUs of the machine must have it.
        1.. if state.gpus.iter().all(|gpu| gpu.gpu.profile.xnack_of_process()) => true,
        1.. => return Err(Errno::EPERM.because("a GPU of the machine has no XNACK that a process can switch")),
    };
    state.enable_retries(on);
    Ok(())
}

pub(super) fn runtime_enable(process: &Process, args: &mut kfd_ioctl_runtime_enable_args) -> Result<(), Errno> {
    let mut state = process.lock();
    if args.mode_mask & KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK == 0 {
        state.enable_runtime(false);
        return Ok(());
    }
    if state.runtime_enabled {
        return Err(Errno::EBUSY.because("the runtime is enabled already"));
    }
    if state.queues.any() {
        return Err(Errno::EEXIST.because("there are queues already"));
    }
    state.enable_runtime(true);
    Ok(())
}

pub(super) fn criu(_: &Process, _: &mut kfd_ioctl_criu_args) -> Result<(), Errno> {
    Err(Errno::EACCES)
}

pub(super) fn deprecated<T>(_: &Process, _: &mut T) -> Result<(), Errno> {
    Err(Errno::EPERM)
}
