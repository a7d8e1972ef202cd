//! The requests on buffer objects: allocate, map, unmap, free.

use crate::backing::{Backing, PAGE};
use crate::driver::device::{KfdMapping, PerGpu, Process, State};
use crate::driver::user;
use crate::errno::Errno;
use crate::hardware::address_space::{Caching, Permissions, Target};
use crate::hardware::checks::{allocations_mut, findings, frees};
use crate::hardware::gpu::{DOORBELL_BYTES, Gpu};
use crate::hardware::profile::Profile;
use kfd_sys::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use super::dmabuf::Origin;
use super::process::GPUVM_LIMIT;

/// Most buffer objects of a process on a GPU: handles are 32 bits wide, and this many only a leak makes.
const MAX_OBJECTS: u32 = 1 << 24;
/// Available memory is reported in steps of this many bytes.
const AVAILABLE_STEP: u64 = 2 << 20;

/// The memory of a buffer object.
#[derive(Clone, Debug)]
pub enum Memory {
    /// VRAM or GTT memory.
    Buffer(Arc<Backing>),
    /// Memory of the program at this host address.
    User(u64),
    /// The doorbell page.
    Doorbells(Arc<Backing>),
    /// The register page.
    Registers(Arc<Backing>),
}

/// How a GPU caches memory that was allocated with these `KFD_IOC_ALLOC_MEM_FLAGS_*` (`gmc_v9_0_get_coherence_flags` of
/// `gmc_v9_0.c`). From GC 9.4.3 on VRAM that is coherent is cached too, and the host's memory never.
pub fn caching(flags: u32, profile: &Profile) -> Caching {
    const NEVER: u32 = KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT
        | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED
        | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL
        | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;
    let uncached = match profile.target {
        gcn::target::Target::Gfx942 => NEVER | KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR,
        _ => NEVER | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT,
    };
    if flags & uncached == 0 { Caching::Cached } else { Caching::Uncached }
}

/// A buffer object.
#[derive(Debug)]
pub struct Object {
    /// Device address at which it is mapped.
    pub va: u64,
    /// Size of its range of addresses, in bytes.
    pub size: u64,
    /// `KFD_IOC_ALLOC_MEM_FLAGS_*`.
    pub flags: u32,
    /// `KFD_IOC_ALLOC_MEM_FLAGS_*` of the memory's first allocation, which decide how GPUs cache it.
    pub origin: u32,
    /// The memory.
    pub memory: Memory,
    /// Bytes of VRAM that it takes.
    pub vram: u64,
    /// GPUs that it is mapped to, a bit each.
    pub mapped: u32,
    /// The flags with which a process exported it by an IPC handle.
    pub ipc_flags: Option<u32>,
}

impl Object {
    /// How often its memory appears, one after the other: an AQL ring with the flag for it does twice.
    fn appearances(&self) -> u64 {
        if self.flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM != 0 { 2 } else { 1 }
    }

    /// Bytes of its memory, whole pages.
    pub(super) fn backed(&self) -> u64 {
        (self.size / self.appearances()).next_multiple_of(PAGE)
    }

    /// Whether it is in the memory of its GPU.
    pub fn is_vram(&self) -> bool {
        self.origin & KFD_IOC_ALLOC_MEM_FLAGS_VRAM != 0
    }

    /// The memory and where `address` is in that, if it is the host's that the driver has allocated.
    pub fn pinned(&self, address: u64) -> Option<(&Arc<Backing>, u64)> {
        match &self.memory {
            Memory::Buffer(memory) if self.origin & KFD_IOC_ALLOC_MEM_FLAGS_GTT != 0 && self.has(address) => {
                Some((memory, address - self.va))
            }
            _ => None,
        }
    }

    /// Whether it is memory that the program has registered.
    pub fn is_registered(&self) -> bool {
        matches!(self.memory, Memory::User(_))
    }

    /// Whether this device address is in it.
    pub fn has(&self, address: u64) -> bool {
        (self.va..self.va.saturating_add(self.span())).contains(&address)
    }

    /// Whether it appears from this device address on.
    pub(super) fn begins_at(&self, address: u64) -> bool {
        (0..self.appearances()).any(|number| self.va.checked_add(number * self.backed()) == Some(address))
    }

    /// Bytes of device addresses that it takes when it is mapped.
    fn span(&self) -> u64 {
        self.backed().saturating_mul(self.appearances())
    }

    fn map(&mut self, gpu: &Gpu) -> Result<(), Errno> {
        let bit = 1 << gpu.index;
        if self.mapped & bit != 0 {
            return Ok(());
        }
        let last = self
            .va
            .checked_add(self.span() - 1)
            .ok_or(Errno::EINVAL.because("va_addr and size go beyond the address space"))?;
        if self.va == 0 || last > GPUVM_LIMIT {
            return Err(Errno::EINVAL.because("va_addr is 0 or beyond the GPU's address space"));
        }
        let permissions = Permissions {
            write: self.flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE != 0,
            execute: self.flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE != 0,
        };
        let backed = self.backed();
        for at in (0..self.appearances()).map(|number| number * backed) {
            let target = match &self.memory {
                Memory::Buffer(memory) | Memory::Doorbells(memory) | Memory::Registers(memory) => {
                    Target::Object(memory.clone(), 0)
                }
                Memory::User(address) => Target::Host(*address),
            };
            if let Err(errno) =
                gpu.space.map(self.va + at, backed, target, permissions, caching(self.origin, gpu.profile))
            {
                gpu.space.unmap(self.va, at);
                return Err(errno);
            }
        }
        self.mapped |= bit;
        Ok(())
    }

    fn unmap(&mut self, gpu: &Gpu) {
        let bit = 1 << gpu.index;
        if self.mapped & bit != 0 {
            // The page table has the memory then, also when the object is freed.
            if !frees::is_kept(self.va) {
                gpu.space.unmap(self.va, self.span());
            }
            self.mapped &= !bit;
        }
    }
}

/// Offsets in render files at which buffer objects can be mapped. One lasts as long as anything has the memory.
#[derive(Debug)]
pub struct Offsets {
    next: u64,
    /// By offset: the index of the GPU whose nodes map it, and the memory.
    objects: BTreeMap<u64, (u32, Weak<Backing>)>,
}

impl Default for Offsets {
    fn default() -> Offsets {
        // The kernel's graphics drivers begin at 4 GiB too.
        Offsets { next: 1 << 32, objects: BTreeMap::new() }
    }
}

impl Offsets {
    /// An offset for `size` bytes that nothing can be mapped at: the driver gives one to every object, mappable or not.
    fn unmappable(&mut self, size: u64) -> Result<u64, Errno> {
        let offset = self.next;
        self.next = offset.checked_add(size).ok_or(Errno::ENOSPC)?;
        Ok(offset)
    }

    /// The offset at which nodes of GPU `index` map `memory`.
    ///
    /// # Errors
    /// `ENOSPC` if all have been given out: none is given twice.
    pub fn add(&mut self, index: u32, memory: &Arc<Backing>) -> Result<u64, Errno> {
        self.objects.retain(|_, (_, known)| known.strong_count() != 0);
        let known =
            self.objects.iter().find(|(_, (gpu, known))| *gpu == index && known.as_ptr() == Arc::as_ptr(memory));
        if let Some((offset, _)) = known {
            return Ok(*offset);
        }
        let offset = self.unmappable(memory.size())?;
        self.objects.insert(offset, (index, Arc::downgrade(memory)));
        Ok(offset)
    }

    /// The memory that nodes of GPU `index` map at `offset`, where it begins.
    ///
    /// # Errors
    /// `EINVAL` if none begins there, or less than `length` bytes.
    pub fn find(&self, index: u32, offset: u64, length: u64) -> Result<Arc<Backing>, Errno> {
        let (gpu, memory) = self.objects.get(&offset).ok_or(Errno::EINVAL)?;
        let memory = memory.upgrade().ok_or(Errno::EINVAL)?;
        if *gpu == index && length <= memory.size() { Ok(memory) } else { Err(Errno::EINVAL) }
    }
}

/// The handle for a new object, put into `gpu`'s table.
pub(super) fn insert(gpu: &mut PerGpu, object: Object) -> Result<u64, Errno> {
    let mut low = 0;
    for used in gpu.objects.keys() {
        if *used != low {
            break;
        }
        low += 1;
    }
    if low >= MAX_OBJECTS {
        return Err(Errno::EFAULT.because("there are too many buffer objects"));
    }
    gpu.objects.insert(low, object);
    Ok(u64::from(gpu.gpu_id()) << 32 | u64::from(low))
}

pub(super) fn alloc(process: &Process, args: &mut kfd_ioctl_alloc_memory_of_gpu_args) -> Result<(), Errno> {
    let has = |flag| args.flags & flag != 0;
    if args.size == 0 {
        return Err(Errno::EINVAL.because("size is 0"));
    }
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    let without_va = args.va_addr == 0 && has(KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    if !without_va && state.svm.overlaps(args.va_addr, args.size) {
        return Err(Errno::EADDRINUSE.because("shared virtual memory has these addresses"));
    }
    if has(KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) && state.svm.overlaps(args.mmap_offset, args.size) {
        return Err(Errno::EADDRINUSE.because("the host memory is registered as shared virtual memory"));
    }
    let gpu = state.bound(args.gpu_id)?;
    let gpu_id = args.gpu_id;
    // The sizes of these two are checked whatever memory the other flags then ask for.
    let wanted = match () {
        () if has(KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) => DOORBELL_BYTES,
        () if has(KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) => PAGE,
        () => args.size,
    };
    let backed = if has(KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM) { args.size / 2 } else { args.size };
    let backed = backed.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL.because("size is too large"))?;
    if args.size != wanted || backed == 0 {
        return Err(Errno::EINVAL.because("doorbells or registers have another size"));
    }
    let index = gpu.gpu.index;
    let mut vram = 0;
    let memory = if has(KFD_IOC_ALLOC_MEM_FLAGS_VRAM) {
        state.take_vram(gpu_id, backed, process.config.usable_vram_bytes(index))?;
        vram = backed;
        let memory = Backing::new(&Origin::new(gpu_id, args.flags).file_name(), backed);
        Memory::Buffer(Arc::new(memory.inspect_err(|_| state.give_vram_back(gpu_id, backed))?))
    } else if has(KFD_IOC_ALLOC_MEM_FLAGS_GTT) {
        Memory::Buffer(Arc::new(Backing::new(&Origin::new(gpu_id, args.flags).file_name(), backed)?))
    } else if has(KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
        if args.mmap_offset == 0 || !args.mmap_offset.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.because("the host memory is not at the start of a page"));
        }
        check_user_memory(args.mmap_offset, backed)?;
        if !process.user_memory.add(args.mmap_offset, backed) {
            return Err(Errno::ENOMEM.because("too many ranges of host memory are registered"));
        }
        Memory::User(args.mmap_offset)
    } else if has(KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
        Memory::Doorbells(gpu.gpu.doorbell_memory().clone())
    } else if has(KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) {
        Memory::Registers(gpu.gpu.mmio_memory().clone())
    } else {
        return Err(Errno::EINVAL.because("flags name no kind of memory"));
    };
    let (va, size, flags, origin) = (args.va_addr, args.size, args.flags, args.flags);
    let object = Object { va, size, flags, origin, memory, vram, mapped: 0, ipc_flags: None };
    let offset = match &object.memory {
        Memory::Buffer(memory) => state.offsets.add(index, memory),
        Memory::Doorbells(_) | Memory::Registers(_) | Memory::User(_) => state.offsets.unmappable(backed),
    };
    let offset = offset.inspect_err(|_| state.give_vram_back(gpu_id, vram))?;
    let inserted = insert(state.gpu(gpu_id)?, object);
    args.handle = inserted.inspect_err(|_| state.give_vram_back(gpu_id, vram))?;
    args.mmap_offset = if has(KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) { KfdMapping::Mmio.offset(gpu_id) } else { offset };
    Ok(())
}

/// The program's memory must be there, and the driver wants to write to all of it, whatever the GPU may.
fn check_user_memory(start: u64, size: u64) -> Result<(), Errno> {
    for part in user::host_ranges(start, size).ok_or(Errno::EFAULT.because("the host memory is not mapped"))? {
        if part.device || !part.read {
            return Err(Errno::EFAULT.because("the host memory is a device's, or cannot be read"));
        }
        if !part.write {
            return Err(Errno::EPERM.because("the host memory cannot be written"));
        }
    }
    Ok(())
}

/// The objects made of the program's memory of which some is in the `size` bytes at `start`.
fn of_host_memory(state: &mut State, start: u64, size: u64) -> impl Iterator<Item = &mut Object> {
    let end = start + size;
    let objects = state.gpus.iter_mut().flat_map(|gpu| gpu.objects.values_mut());
    objects.filter(move |object| match object.memory {
        Memory::User(address) => address < end && address.saturating_add(object.backed()) > start,
        Memory::Buffer(_) | Memory::Doorbells(_) | Memory::Registers(_) => false,
    })
}

/// The program is about to lose the right to write to, or to use at all, `size` bytes of host memory at `start`. The
/// driver wants to write to all of an object made of it: otherwise any use of the object is a memory fault
/// (`update_invalid_user_pages`).
pub fn host_protecting(state: &mut State, start: u64, size: u64) {
    let gpus: Vec<Arc<Gpu>> = state.gpus.iter().map(|gpu| gpu.gpu.clone()).collect();
    for object in of_host_memory(state, start, size) {
        gpus.iter()
            .filter(|gpu| object.mapped & 1 << gpu.index != 0)
            .for_each(|gpu| _ = gpu.space.unmap(object.va, object.span()));
    }
}

/// The program's access rights to `size` bytes of host memory at `start` have changed.
pub fn host_protected(state: &mut State, start: u64, size: u64) {
    let gpus: Vec<Arc<Gpu>> = state.gpus.iter().map(|gpu| gpu.gpu.clone()).collect();
    for object in of_host_memory(state, start, size) {
        let Memory::User(address) = object.memory else { continue };
        let usable = check_user_memory(address, object.backed()).is_ok();
        let mapped = object.mapped;
        for gpu in gpus.iter().filter(|gpu| mapped & 1 << gpu.index != 0) {
            if !usable {
                gpu.space.unmap(object.va, object.span());
            } else if gpu.space.is_free(object.va, object.va + object.span()) {
                object.mapped &= !(1 << gpu.index);
                // It was mapped there: nothing refuses it now.
                let _ = object.map(gpu);
            }
        }
    }
}

pub(super) fn free(process: &Process, args: &mut kfd_ioctl_free_memory_of_gpu_args) -> Result<(), Errno> {
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    if state.event_page == Some(args.handle) {
        return Err(Errno::EPERM.because("it is the page of events"));
    }
    let object = state.object(args.handle)?.ok_or(Errno::EINVAL.because("no buffer object has this handle"))?;
    if object.mapped != 0 {
        return Err(Errno::EBUSY.because("it is mapped to a GPU"));
    }
    let gpu_id = (args.handle >> 32) as u32;
    let Some(object) = state.gpu(gpu_id)?.objects.remove(&(args.handle as u32)) else {
        return Err(Errno::EINVAL.because("no buffer object has this handle"));
    };
    if let Memory::User(address) = object.memory {
        process.user_memory.remove(address, object.backed());
        // Others may be made of the same memory.
        for other in of_host_memory(state, address, object.backed()) {
            if let Memory::User(address) = other.memory {
                process.user_memory.add(address, other.backed());
            }
        }
    }
    state.give_vram_back(gpu_id, object.vram);
    Ok(())
}

/// The GPUs that `ids` names, from `args.n_success` on.
fn devices(ids: u64, count: u32, done: u32) -> Result<Vec<u32>, Errno> {
    if count == 0 || done > count {
        return Err(Errno::EINVAL.because("n_devices is 0, or less than n_success"));
    }
    user::read_array(ids, count as usize)
}

/// Kinds of memory that are a GPU's own, which others reach through its PCI address or xGMI.
const BEHIND_BAR: u32 =
    KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;

pub(super) fn map(process: &Process, args: &mut kfd_ioctl_map_memory_to_gpu_args) -> Result<(), Errno> {
    let ids = devices(args.device_ids_array_ptr, args.n_devices, args.n_success)?;
    let mut state = process.lock();
    state.bound((args.handle >> 32) as u32)?;
    let object = state.object(args.handle)?.ok_or(Errno::ENOMEM.because("no buffer object has this handle"))?;
    let range = object.va..object.va.saturating_add(object.span());
    if findings::wanted().is_some_and(|wanted| wanted.strays) {
        // A runtime that gives addresses out by itself gives out some of which the memory was kept.
        let kept = allocations_mut().take_freed_in(&range);
        for kept in kept {
            state.gpus.iter().for_each(|gpu| _ = gpu.gpu.space.unmap(kept.start, kept.end - kept.start));
            allocations_mut().take_reserved(kept.start);
        }
    }
    for (position, id) in ids.iter().enumerate().skip(args.n_success as usize) {
        let gpu = state.bound(*id)?.gpu.clone();
        let object = state.object(args.handle)?.ok_or(Errno::ENOMEM.because("no buffer object has this handle"))?;
        // kfd_mem_attach: what is behind the other GPU's PCI address.
        let reaches = |owner| process.config.reaches(gpu.index, owner);
        let owner = process.config.gpu_index((args.handle >> 32) as u32);
        if object.flags & BEHIND_BAR != 0 && !owner.is_some_and(reaches) {
            return Err(Errno::EINVAL.because("the GPU does not reach the memory of the one that has it"));
        }
        object.map(&gpu)?;
        args.n_success = position as u32 + 1;
    }
    Ok(())
}

pub(super) fn unmap(process: &Process, args: &mut kfd_ioctl_unmap_memory_from_gpu_args) -> Result<(), Errno> {
    let ids = devices(args.device_ids_array_ptr, args.n_devices, args.n_success)?;
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    state.object(args.handle)?.ok_or(Errno::ENOMEM.because("no buffer object has this handle"))?;
    for (position, id) in ids.iter().enumerate().skip(args.n_success as usize) {
        let gpu = state.gpu(*id)?.gpu.clone();
        let object = state.object(args.handle)?.ok_or(Errno::ENOMEM.because("no buffer object has this handle"))?;
        if object.mapped & (1 << gpu.index) == 0 {
            return Err(Errno::EINVAL.because("it is not mapped to this GPU"));
        }
        let va = object.va;
        if state.queues.uses(gpu.index, va) {
            return Err(Errno::EBUSY.because("a queue uses it"));
        }
        if let Some(object) = state.object(args.handle)? {
            object.unmap(&gpu);
        }
        args.n_success = position as u32 + 1;
    }
    Ok(())
}

pub(super) fn available(process: &Process, args: &mut kfd_ioctl_get_available_memory_args) -> Result<(), Errno> {
    let index = process.config.gpu_index(args.gpu_id).ok_or(Errno::EINVAL.because("no GPU has this gpu_id"))?;
    let taken = process.lock().vram_taken(args.gpu_id)?;
    let free = process.config.usable_vram_bytes(index).saturating_sub(taken);
    args.available = free / AVAILABLE_STEP * AVAILABLE_STEP;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::profile::PROFILES;
    use gcn::target::Target;

    /// MTYPE RW and NC on one side, CC and UC on the other.
    #[test]
    fn what_is_cached_follows_from_heap_and_flags() {
        let vram = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
        let of_host = [KFD_IOC_ALLOC_MEM_FLAGS_GTT, KFD_IOC_ALLOC_MEM_FLAGS_USERPTR];
        let is_cached = |flags: u32, profile: &Profile| caching(flags, profile) == Caching::Cached;
        for profile in PROFILES {
            let is_gfx942 = profile.target == Target::Gfx942;
            for heap in [vram, of_host[0], of_host[1]] {
                let may_be_cached = heap == vram || !is_gfx942;
                assert_eq!(is_cached(heap | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE, profile), may_be_cached, "{heap:#x}");
                let coherent = heap | KFD_IOC_ALLOC_MEM_FLAGS_COHERENT;
                assert_eq!(is_cached(coherent, profile), is_gfx942 && heap == vram, "{heap:#x}");
                for flag in [KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT, KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED] {
                    assert!(!is_cached(heap | flag, profile), "{heap:#x} {flag:#x}");
                }
            }
            assert!(!is_cached(KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, profile));
            assert!(!is_cached(KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, profile));
        }
    }

    #[test]
    fn no_offset_is_given_twice() {
        let mut offsets = Offsets::default();
        let memory = |size| Arc::new(Backing::new(c"vgpu-test", size).unwrap());
        let first = memory(PAGE);
        let offset = offsets.add(0, &first).unwrap();
        assert_eq!(offsets.add(0, &first), Ok(offset));
        offsets.unmappable(u64::MAX - (offset + 2 * PAGE)).unwrap();
        assert_eq!(offsets.add(0, &memory(2 * PAGE)), Err(Errno::ENOSPC));
        assert!(Arc::ptr_eq(&offsets.find(0, offset, PAGE).unwrap(), &first));
    }
}
