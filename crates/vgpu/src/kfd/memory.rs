//! Buffer objects: allocating, mapping, freeing.

use crate::backing::{Backing, PAGE};
use crate::device::{DOORBELL_BYTES, Gpu, KfdMapping, PerGpu, Process, State};
use crate::errno::Errno;
use crate::memory::{Permissions, Target};
use crate::user;
use kfd_sys::*;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Arc;

use super::process::{GPUVM_BASE, GPUVM_LIMIT};

/// Most buffer objects of a process on a GPU: handles are 32 bits wide, and this many only a leak makes.
const MAX_OBJECTS: u32 = 1 << 24;
/// Available memory is reported in steps of this many bytes.
const AVAILABLE_STEP: u64 = 2 << 20;

/// What a buffer object is made of.
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

/// A buffer object.
#[derive(Debug)]
pub struct Object {
    /// Device address at which it is mapped.
    pub va: u64,
    /// Size of its range of addresses, in bytes.
    pub size: u64,
    /// `KFD_IOC_ALLOC_MEM_FLAGS_*`.
    pub flags: u32,
    /// What it is made of.
    pub memory: Memory,
    /// Bytes of VRAM that it takes.
    pub vram: u64,
    /// GPUs that it was ever mapped to, a bit each.
    pub attached: u32,
    /// GPUs that it is mapped to.
    pub mapped: u32,
}

impl Object {
    /// Bytes of memory behind the range: an AQL ring with the flag for it appears twice.
    fn backed(&self) -> u64 {
        if self.flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM != 0 { self.size / 2 } else { self.size }
    }

    fn map(&mut self, gpu: &Gpu) -> Result<(), Errno> {
        let bit = 1 << gpu.index;
        if self.mapped & bit != 0 {
            return Ok(());
        }
        let last = self.va.checked_add(self.size - 1).ok_or(Errno::EINVAL)?;
        if self.va < GPUVM_BASE || last > GPUVM_LIMIT {
            return Err(Errno::EINVAL);
        }
        let permissions = Permissions {
            write: self.flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE != 0,
            execute: self.flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE != 0,
        };
        let backed = self.backed().next_multiple_of(PAGE);
        let size = self.size.next_multiple_of(PAGE);
        for at in (0..size).step_by(backed as usize) {
            let target = match &self.memory {
                Memory::Buffer(memory) | Memory::Doorbells(memory) | Memory::Registers(memory) => {
                    Target::Object(memory.clone(), 0)
                }
                Memory::User(address) => Target::Host(*address),
            };
            if let Err(errno) = gpu.space.map(self.va + at, backed, target, permissions) {
                gpu.space.unmap(self.va, at);
                return Err(errno);
            }
        }
        self.attached |= bit;
        self.mapped |= bit;
        Ok(())
    }

    fn unmap(&mut self, gpu: &Gpu) {
        let bit = 1 << gpu.index;
        if self.mapped & bit != 0 {
            gpu.space.unmap(self.va, self.size.next_multiple_of(PAGE));
            self.mapped &= !bit;
        }
    }
}

/// Offsets in render files at which buffer objects can be mapped.
#[derive(Debug)]
pub struct Offsets {
    next: u64,
    objects: BTreeMap<u64, Arc<Backing>>,
}

impl Default for Offsets {
    fn default() -> Offsets {
        // The kernel's graphics drivers begin at 4 GiB too.
        Offsets { next: 1 << 32, objects: BTreeMap::new() }
    }
}

impl Offsets {
    /// The offset at which `memory` is mapped.
    pub fn add(&mut self, memory: &Arc<Backing>) -> u64 {
        if let Some((offset, _)) = self.objects.iter().find(|(_, known)| Arc::ptr_eq(known, memory)) {
            return *offset;
        }
        let offset = self.next;
        self.next += memory.size();
        self.objects.insert(offset, memory.clone());
        offset
    }

    /// Forgets `memory` if only this table still holds it beside one other owner, who is about to let go.
    fn remove(&mut self, memory: &Arc<Backing>) {
        self.objects.retain(|_, known| !Arc::ptr_eq(known, memory));
    }

    /// The memory at `offset`, and the offset in it.
    ///
    /// # Errors
    /// `EINVAL` if there is none, or less than `length` bytes.
    pub fn find(&self, offset: u64, length: u64) -> Result<(Arc<Backing>, u64), Errno> {
        let (start, memory) = self.objects.range(..=offset).next_back().ok_or(Errno::EINVAL)?;
        let within = offset - start;
        let fits = within.checked_add(length).is_some_and(|end| end <= memory.size());
        if fits { Ok((memory.clone(), within)) } else { Err(Errno::EINVAL) }
    }
}

/// Name of the memory file of a buffer object. It tells the process that imports the file what it is.
pub fn file_name(kind: &str, gpu_id: u32, flags: u32) -> CString {
    CString::new(format!("vgpu-{kind}-{gpu_id}-{flags:08x}")).unwrap_or_default()
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
        return Err(Errno::EFAULT);
    }
    gpu.objects.insert(low, object);
    Ok(u64::from(gpu.gpu.gpu_id) << 32 | u64::from(low))
}

pub(super) fn alloc(process: &Process, args: &mut kfd_ioctl_alloc_memory_of_gpu_args) -> Result<(), Errno> {
    let has = |flag| args.flags & flag != 0;
    if args.size == 0 {
        return Err(Errno::EINVAL);
    }
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    let without_va = args.va_addr == 0 && has(KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    if !without_va && state.svm.overlaps(args.va_addr, args.size) {
        return Err(Errno::EADDRINUSE);
    }
    if has(KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) && state.svm.overlaps(args.mmap_offset, args.size) {
        return Err(Errno::EADDRINUSE);
    }
    let gpu = state.bound(args.gpu_id)?;
    let gpu_id = args.gpu_id;
    let backed = if has(KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM) { args.size / 2 } else { args.size };
    let backed = backed.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL)?;
    if backed == 0 {
        return Err(Errno::EINVAL);
    }
    let mut vram = 0;
    let memory = if has(KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
        if args.size != DOORBELL_BYTES {
            return Err(Errno::EINVAL);
        }
        Memory::Doorbells(gpu.gpu.doorbell_memory().clone())
    } else if has(KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) {
        if args.size != PAGE {
            return Err(Errno::EINVAL);
        }
        Memory::Registers(gpu.gpu.mmio_memory().clone())
    } else if has(KFD_IOC_ALLOC_MEM_FLAGS_VRAM) {
        state.take_vram(gpu_id, backed, process.config.vram_bytes())?;
        vram = backed;
        let memory = Backing::new(&file_name("vram", gpu_id, args.flags), backed);
        Memory::Buffer(Arc::new(memory.inspect_err(|_| state.give_vram_back(gpu_id, backed))?))
    } else if has(KFD_IOC_ALLOC_MEM_FLAGS_GTT) {
        Memory::Buffer(Arc::new(Backing::new(&file_name("gtt", gpu_id, args.flags), backed)?))
    } else if has(KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
        if args.mmap_offset == 0 || !args.mmap_offset.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        if !user::host_accessible(args.mmap_offset, backed, has(KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)) {
            return Err(Errno::EFAULT);
        }
        Memory::User(args.mmap_offset)
    } else {
        return Err(Errno::EINVAL);
    };
    let object = Object { va: args.va_addr, size: args.size, flags: args.flags, memory, vram, attached: 0, mapped: 0 };
    args.mmap_offset = match &object.memory {
        Memory::Buffer(memory) => state.offsets.add(memory),
        Memory::Doorbells(_) => KfdMapping::Doorbell.offset(gpu_id),
        Memory::Registers(_) => KfdMapping::Mmio.offset(gpu_id),
        Memory::User(_) => 0,
    };
    let inserted = insert(state.gpu(gpu_id)?, object);
    args.handle = inserted.inspect_err(|_| state.give_vram_back(gpu_id, vram))?;
    Ok(())
}

pub(super) fn free(process: &Process, args: &mut kfd_ioctl_free_memory_of_gpu_args) -> Result<(), Errno> {
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    if state.event_page == Some(args.handle) {
        return Err(Errno::EPERM);
    }
    let object = state.object(args.handle)?.ok_or(Errno::EINVAL)?;
    if object.mapped != 0 {
        return Err(Errno::EBUSY);
    }
    let gpu = state.gpu((args.handle >> 32) as u32)?;
    let Some(object) = gpu.objects.remove(&(args.handle as u32)) else { return Err(Errno::EINVAL) };
    let gpu_id = gpu.gpu.gpu_id;
    state.give_vram_back(gpu_id, object.vram);
    if let Memory::Buffer(memory) = &object.memory {
        state.offsets.remove(memory);
    }
    Ok(())
}

/// The GPUs that `ids` names, from `args.n_success` on.
fn devices(ids: u64, count: u32, done: u32) -> Result<Vec<u32>, Errno> {
    if count == 0 || done > count {
        return Err(Errno::EINVAL);
    }
    user::read_array(ids, count as usize)
}

pub(super) fn map(process: &Process, args: &mut kfd_ioctl_map_memory_to_gpu_args) -> Result<(), Errno> {
    let ids = devices(args.device_ids_array_ptr, args.n_devices, args.n_success)?;
    let mut state = process.lock();
    state.bound((args.handle >> 32) as u32)?;
    state.object(args.handle)?.ok_or(Errno::ENOMEM)?;
    for (position, id) in ids.iter().enumerate().skip(args.n_success as usize) {
        let gpu = state.bound(*id)?.gpu.clone();
        state.object(args.handle)?.ok_or(Errno::ENOMEM)?.map(&gpu)?;
        args.n_success = position as u32 + 1;
    }
    Ok(())
}

pub(super) fn unmap(process: &Process, args: &mut kfd_ioctl_unmap_memory_from_gpu_args) -> Result<(), Errno> {
    let ids = devices(args.device_ids_array_ptr, args.n_devices, args.n_success)?;
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    state.object(args.handle)?.ok_or(Errno::ENOMEM)?;
    for (position, id) in ids.iter().enumerate().skip(args.n_success as usize) {
        let gpu = state.gpu(*id)?.gpu.clone();
        let object = state.object(args.handle)?.ok_or(Errno::ENOMEM)?;
        if object.attached & (1 << gpu.index) == 0 {
            return Err(Errno::EINVAL);
        }
        let (va, mapped) = (object.va, object.mapped & (1 << gpu.index) != 0);
        if mapped && state.queues.uses(gpu.index, va) {
            return Err(Errno::EBUSY);
        }
        if let Some(object) = state.object(args.handle)? {
            object.unmap(&gpu);
        }
        args.n_success = position as u32 + 1;
    }
    Ok(())
}

pub(super) fn available(process: &Process, args: &mut kfd_ioctl_get_available_memory_args) -> Result<(), Errno> {
    let taken = process.lock().vram_taken(args.gpu_id)?;
    let free = process.config.vram_bytes().saturating_sub(taken);
    args.available = free / AVAILABLE_STEP * AVAILABLE_STEP;
    Ok(())
}
