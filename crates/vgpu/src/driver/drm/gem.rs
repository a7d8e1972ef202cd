//! Buffer objects of a render node.

use super::rings::Fence;
use super::submit::deadline;
use super::{Handle, Mapped, RenderFile, insert};
use crate::backing::{Backing, PAGE};
use crate::driver::config::Config;
use crate::driver::device::Process;
use crate::driver::kfd::dmabuf::{self, Origin};
use crate::driver::kfd::memory::caching;
use crate::driver::kfd::process::{GPUVM_BASE, GPUVM_LIMIT};
use crate::driver::metadata::Metadata;
use crate::driver::user::{self, Plain};
use crate::errno::Errno;
use crate::hardware::address_space::{Permissions, Target};
use kfd_sys::*;
use std::sync::Arc;

// SAFETY: the kernel's structure of integers.
unsafe impl Plain for drm_amdgpu_gem_create_in {}

/// What buffer objects may be made with (`amdgpu_gem_create_ioctl`). Encryption is not among it, as on a GPU without
/// TMZ.
const FLAGS: u32 = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED
    | AMDGPU_GEM_CREATE_NO_CPU_ACCESS
    | AMDGPU_GEM_CREATE_CPU_GTT_USWC
    | AMDGPU_GEM_CREATE_VRAM_CLEARED
    | AMDGPU_GEM_CREATE_VM_ALWAYS_VALID
    | AMDGPU_GEM_CREATE_EXPLICIT_SYNC
    | AMDGPU_GEM_CREATE_GFX12_DCC
    | AMDGPU_GEM_CREATE_DISCARDABLE;
/// Memory as programs know it.
const MEMORY: u32 = AMDGPU_GEM_DOMAIN_CPU | AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM;
/// Memory of the GPU's own units.
const SPECIAL: u32 = AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS | AMDGPU_GEM_DOMAIN_OA;

impl RenderFile {
    pub(super) fn gem_create(&self, process: &Process, args: &mut drm_amdgpu_gem_create) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let wanted = unsafe { args.in_ };
        let (Ok(domains), Ok(flags)) = (u32::try_from(wanted.domains), u32::try_from(wanted.domain_flags)) else {
            return Err(Errno::EINVAL.because("domains or flags are too large"));
        };
        let special = domains & SPECIAL;
        // One special domain, and no other beside it (`amdgpu_gem_are_domains_valid`).
        let mixed = special != 0 && (domains & MEMORY != 0 || !special.is_power_of_two());
        if flags & !FLAGS != 0 || domains & !(MEMORY | SPECIAL) != 0 || mixed {
            return Err(Errno::EINVAL.because("a domain or flag is unknown, or domains do not go together"));
        }
        if special != 0 {
            return Err(if flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID != 0 { Errno::EINVAL } else { Errno::ENOMEM });
        }
        let size = wanted
            .bo_size
            .checked_next_multiple_of(PAGE)
            .filter(|size| *size != 0)
            .ok_or(Errno::EINVAL.because("bo_size is 0 or too large"))?;
        let gpu_id = Config::gpu_id(self.index);
        let mut state = process.lock();
        let usable = process.config.usable_vram_bytes(self.index);
        // What does not fit into VRAM is host memory that the GPU reaches.
        let wants_vram = domains & AMDGPU_GEM_DOMAIN_VRAM != 0;
        let vram = match wants_vram.then(|| state.take_vram(gpu_id, size, usable)) {
            None => 0,
            Some(Ok(())) => size,
            Some(Err(_)) if size < process.config.vram_bytes(self.index) => 0,
            Some(Err(errno)) => return Err(errno),
        };
        let flags = flags | AMDGPU_GEM_CREATE_VRAM_CLEARED | AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE;
        let origin = Origin::of_gem(gpu_id, vram != 0, domains, flags);
        let memory = Backing::new(&origin.file_name(), size);
        let memory = Arc::new(memory.inspect_err(|_| state.give_vram_back(gpu_id, vram))?);
        let (mapped, jobs) = Default::default();
        let handle = insert(&mut self.handles(), Handle { memory, origin: origin.flags, mapped, vram, jobs });
        args.out = drm_amdgpu_gem_create_out { handle, _pad: 0 };
        Ok(())
    }

    pub(super) fn gem_wait_idle(&self, _: &Process, args: &mut drm_amdgpu_gem_wait_idle) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let wanted = unsafe { args.in_ };
        let jobs: Vec<Fence> = {
            let handles = self.handles();
            handles
                .get(&wanted.handle)
                .ok_or(Errno::ENOENT.because("no buffer object has this handle"))?
                .jobs
                .values()
                .cloned()
                .collect()
        };
        let deadline = deadline(wanted.timeout);
        let mut status = 0;
        for job in jobs {
            // Whether it ended well is not asked here.
            if let Ok(None) = Fence::wait_any(&[job], deadline) {
                status = 1;
            }
        }
        args.out = drm_amdgpu_gem_wait_idle_out { status, domain: 0 };
        Ok(())
    }

    pub(super) fn gem_mmap(&self, process: &Process, args: &mut drm_amdgpu_gem_mmap) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let memory = self.object(unsafe { args.in_.handle })?;
        // `amdgpu_mode_dumb_mmap`
        if dmabuf::origin(memory.fd())?.as_created().1 & u64::from(AMDGPU_GEM_CREATE_NO_CPU_ACCESS) != 0 {
            return Err(Errno::EPERM.because("the host has no access to it"));
        }
        let addr_ptr = process.lock().offsets.add(self.index, &memory)?;
        args.out = drm_amdgpu_gem_mmap_out { addr_ptr };
        Ok(())
    }

    pub(super) fn gem_metadata(&self, _: &Process, args: &mut drm_amdgpu_gem_metadata) -> Result<(), Errno> {
        let memory = self.object(args.handle)?;
        let there = Metadata::of(memory.fd());
        match args.op {
            AMDGPU_GEM_METADATA_OP_GET_METADATA => there.fill(&mut args.data),
            AMDGPU_GEM_METADATA_OP_SET_METADATA => there.changed_by(&args.data)?.write(memory.fd())?,
            // As the driver does.
            _ => {}
        }
        Ok(())
    }

    pub(super) fn gem_op(&self, _: &Process, args: &mut drm_amdgpu_gem_op) -> Result<(), Errno> {
        let memory = self.object(args.handle)?;
        if args.op != AMDGPU_GEM_OP_GET_GEM_CREATE_INFO {
            return Err(Errno::EINVAL.because("op is unknown"));
        }
        let (domains, domain_flags) = dmabuf::origin(memory.fd())?.as_created();
        let info = drm_amdgpu_gem_create_in { bo_size: memory.size(), alignment: PAGE, domains, domain_flags };
        user::write_value(args.value, &info)
    }

    pub(super) fn gem_va(&self, process: &Process, args: &mut drm_amdgpu_gem_va) -> Result<(), Errno> {
        const FLAGS: u32 = AMDGPU_VM_DELAY_UPDATE
            | AMDGPU_VM_PAGE_READABLE
            | AMDGPU_VM_PAGE_WRITEABLE
            | AMDGPU_VM_PAGE_EXECUTABLE
            | AMDGPU_VM_MTYPE_MASK
            | AMDGPU_VM_PAGE_NOALLOC;
        let size = args.map_size;
        let end = args
            .va_address
            .checked_add(size)
            .ok_or(Errno::EINVAL.because("va_address and map_size go beyond the address space"))?;
        if args.va_address < GPUVM_BASE || end > GPUVM_LIMIT + 1 || args.flags & !FLAGS != 0 {
            return Err(Errno::EINVAL.because("the addresses are not the GPU's, or a flag is unknown"));
        }
        if ![AMDGPU_VA_OP_MAP, AMDGPU_VA_OP_UNMAP].contains(&args.operation) {
            return Err(Errno::EINVAL.because("operation is unknown"));
        }
        let state = process.lock();
        let space = self.space(&state);
        let mut handles = self.handles();
        let handle = handles.get_mut(&args.handle).ok_or(Errno::ENOENT.because("no buffer object has this handle"))?;
        if args.operation == AMDGPU_VA_OP_UNMAP {
            // All of a mapping goes, by where it begins.
            let mapped = handle
                .mapped
                .remove(&args.va_address)
                .ok_or(Errno::ENOENT.because("nothing is mapped at va_address"))?;
            space.unmap(args.va_address, mapped.size);
            return Ok(());
        }
        if !args.offset_in_bo.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.because("offset_in_bo is not whole pages"));
        }
        let permissions = Permissions {
            write: args.flags & AMDGPU_VM_PAGE_WRITEABLE != 0,
            execute: args.flags & AMDGPU_VM_PAGE_EXECUTABLE != 0,
        };
        let target = Target::Object(handle.memory.clone(), args.offset_in_bo);
        let caching = caching(handle.origin, process.config.profile(self.index));
        space.map(args.va_address, size, target, permissions, caching)?;
        handle.mapped.insert(args.va_address, Mapped { size, offset: args.offset_in_bo, permissions });
        Ok(())
    }
}
