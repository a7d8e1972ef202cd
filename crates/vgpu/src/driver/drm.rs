//! `/dev/dri/renderD*`: what libdrm asks of an amdgpu render node when ROCm uses it.

use crate::backing::{Backing, PAGE};
use crate::driver::config::Config;
use crate::driver::device::{PerGpu, Process, State};
use crate::driver::kfd::memory::{Memory, caching};
use crate::driver::kfd::process::{GPUVM_BASE, GPUVM_LIMIT};
use crate::driver::kfd::{COPIES_IN, COPIES_OUT, dmabuf, size};
use crate::driver::metadata::Metadata;
use crate::driver::user::{self, Plain};
use crate::errno::Errno;
use crate::hardware::address_space::{Caching, Permissions, Target};
use crate::hardware::gpu::Gpu;
use crate::log::{self, Topic};
use crate::support::Support;
use crate::trace;
use kfd_sys::*;
use std::collections::BTreeMap;
use std::ffi::c_ulong;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Version of the driver's interface, that of Linux 6.12.
const VERSION: (i32, i32, i32) = (3, 59, 0);
/// `AMDGPU_FAMILY_AI`: Vega and its successors up to MI300.
const FAMILY_AI: u32 = 141;
/// `AMDGPU_VRAM_TYPE_HBM`.
const VRAM_TYPE_HBM: u32 = 6;
/// Register that libdrm reads to know the tiling.
const GB_ADDR_CONFIG: u32 = 0x263e;
/// Shader engines that the driver can address (`AMDGPU_GFX_MAX_SE`).
const MAX_SHADER_ENGINES: u32 = 4;
/// Shader arrays of an engine that the driver can address (`AMDGPU_GFX_MAX_SH_PER_SE`).
const MAX_SHADER_ARRAYS: u32 = 2;
/// Registers that one request may read.
const MAX_REGISTERS: u32 = 128;

/// A buffer object, as an open render node has it.
#[derive(Debug)]
struct Handle {
    memory: Arc<Backing>,
    caching: Caching,
    /// Where it is mapped to the GPU by this handle: sizes by device address.
    mapped: BTreeMap<u64, u64>,
}

/// An open render node.
#[derive(Debug)]
pub struct RenderFile {
    index: u32,
    handles: Mutex<BTreeMap<u32, Handle>>,
    /// Its address space is a process's: no other can acquire it.
    acquired: AtomicBool,
}

// SAFETY: the kernel's structures of integers.
unsafe impl Plain for drm_amdgpu_gem_create_in {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_info_device {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_memory_info {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_info_vram_gtt {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_info_firmware {}
/// One request that render nodes serve.
pub struct Request {
    /// Request number.
    pub request: c_ulong,
    /// Name in the kernel's header.
    pub name: &'static str,
    /// How it is served.
    pub support: Support,
    call: fn(&RenderFile, &Process, &mut [u8]) -> Result<(), Errno>,
}

macro_rules! table {
    ($($request:ident $args:ident $handler:path, $support:expr;)*) => {
        /// Every request that render nodes serve.
        pub static REQUESTS: &[Request] = &[$(Request {
            request: $request,
            name: stringify!($request),
            support: $support,
            // SAFETY: the arguments are the kernel's structures of integers and of pointers that are never followed here.
            call: |file, process, bytes| unsafe { user::with::<$args>(bytes, |args| $handler(file, process, args)) },
        },)*];
    };
}

table! {
    DRM_IOCTL_VERSION drm_version RenderFile::version, Support::Full;
    DRM_IOCTL_GEM_CLOSE drm_gem_close RenderFile::close, Support::Full;
    DRM_IOCTL_PRIME_FD_TO_HANDLE drm_prime_handle RenderFile::import, Support::Partial("buffers of this device only");
    DRM_IOCTL_PRIME_HANDLE_TO_FD drm_prime_handle RenderFile::export, Support::Full;
    DRM_IOCTL_AMDGPU_INFO drm_amdgpu_info RenderFile::info, Support::Partial(
        "ACCEL_WORKING, DEV_INFO, HW_IP_COUNT (0: no submission through the node), READ_MMR_REG of GB_ADDR_CONFIG, MEMORY, \
         VRAM_GTT, VRAM_USAGE, VIS_VRAM_USAGE, GTT_USAGE, FW_VERSION of MEC and SDMA, TIMESTAMP; EINVAL for others, EFAULT for other registers"
    );
    DRM_IOCTL_AMDGPU_GEM_MMAP drm_amdgpu_gem_mmap RenderFile::gem_mmap, Support::Full;
    DRM_IOCTL_AMDGPU_GEM_METADATA drm_amdgpu_gem_metadata RenderFile::gem_metadata, Support::Partial(
        "on hosts before Linux 6.6 buffers cannot have any: EOPNOTSUPP"
    );
    DRM_IOCTL_AMDGPU_GEM_OP drm_amdgpu_gem_op RenderFile::gem_op, Support::Partial("GET_GEM_CREATE_INFO; EINVAL for others");
    DRM_IOCTL_AMDGPU_GEM_VA drm_amdgpu_gem_va RenderFile::gem_va, Support::Partial(
        "MAP and UNMAP in the VM that `AMDKFD_IOC_ACQUIRE_VM` gave to the process; EINVAL for others, and for PRT pages; \
         pages are readable whether the flags say so or not"
    );
}

impl RenderFile {
    /// A new open file of GPU `index`'s render node.
    pub fn new(index: u32) -> Arc<RenderFile> {
        Arc::new(RenderFile { index, handles: Mutex::default(), acquired: AtomicBool::new(false) })
    }

    /// What a forked child has of the parent's open file: the node, without the parent's buffer objects.
    pub fn inherited(&self) -> Arc<RenderFile> {
        let acquired = AtomicBool::new(self.acquired.load(Ordering::Relaxed));
        Arc::new(RenderFile { index: self.index, handles: Mutex::default(), acquired })
    }

    /// Gives the file's address space to this process.
    ///
    /// # Errors
    /// `EINVAL` if it has been given away, to this process or to the one that it was forked from.
    pub fn acquire(&self) -> Result<(), Errno> {
        if self.acquired.swap(true, Ordering::Relaxed) { Err(Errno::EINVAL) } else { Ok(()) }
    }

    /// Minor number of the node.
    pub fn minor(&self) -> u32 {
        Config::render_minor(self.index)
    }

    fn handles(&self) -> std::sync::MutexGuard<'_, BTreeMap<u32, Handle>> {
        self.handles.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn object(&self, handle: u32) -> Result<Arc<Backing>, Errno> {
        self.handles().get(&handle).map(|handle| handle.memory.clone()).ok_or(Errno::ENOENT)
    }

    /// Serves an ioctl on the node.
    ///
    /// # Errors
    /// `EINVAL` for an unknown request (as the kernel's DRM layer), `EFAULT` for a bad address, otherwise as the request's.
    pub fn ioctl(&self, request: u32, argument: u64) -> Result<i32, Errno> {
        let nr = request & 0xff;
        let Some(entry) = REQUESTS.iter().find(|entry| entry.request as u32 & 0xff == nr) else {
            log::write(Topic::Unknown, format_args!("render node: unknown ioctl {nr:#04x} ({request:#x})"));
            return Err(Errno::EINVAL);
        };
        // What a caller with a shorter structure does not have is 0.
        let (known, given) = (entry.request as u32, size(request));
        let mut bytes = vec![0; given.max(size(known))];
        if request & known & COPIES_IN != 0 {
            user::read(&mut bytes[..given], argument)?;
        }
        let result = Process::current().and_then(|process| (entry.call)(self, process, &mut bytes));
        trace::request(|e| e.text("name", entry.name).result(&result));
        log::write(Topic::Ioctl, format_args!("{}: {result:?}", entry.name));
        if request & known & COPIES_OUT != 0 {
            user::write(argument, &bytes[..given])?;
        }
        result.map(|()| 0)
    }

    /// The memory of which the node maps `length` bytes at `offset`.
    ///
    /// # Errors
    /// `EINVAL` if no such buffer object has this offset, `EACCES` if it is one that this open file has nothing to do with.
    pub fn mapping(&self, offset: u64, length: u64) -> Result<Arc<Backing>, Errno> {
        let process = Process::current()?;
        let state = process.lock();
        let memory = state.offsets.find(self.index, offset, length)?;
        let is_it = |known: &Arc<Backing>| Arc::ptr_eq(known, &memory);
        let gpu = &state.gpus[self.index as usize];
        let allocated = self.has_vm(gpu)
            && gpu.objects.values().any(|object| matches!(&object.memory, Memory::Buffer(known) if is_it(known)));
        if allocated || self.handles().values().any(|handle| is_it(&handle.memory)) {
            Ok(memory)
        } else {
            Err(Errno::EACCES)
        }
    }

    /// Whether the process's VM on its GPU is this file's.
    fn has_vm(&self, gpu: &PerGpu) -> bool {
        gpu.vm == Some(std::ptr::from_ref(self).addr())
    }

    fn close(&self, process: &Process, close: &mut drm_gem_close) -> Result<(), Errno> {
        let handle = self.handles().remove(&close.handle).ok_or(Errno::EINVAL)?;
        let space = &process.gpus[self.index as usize].space;
        handle.mapped.into_iter().for_each(|(start, size)| {
            space.unmap(start, size);
        });
        Ok(())
    }

    fn import(&self, process: &Process, prime: &mut drm_prime_handle) -> Result<(), Errno> {
        let (memory, origin) = dmabuf::open(&process.lock(), prime.fd)?;
        let mut handles = self.handles();
        // A file knows an object by one handle only.
        let known = handles.iter().find(|(_, known)| known.memory.inode() == memory.inode()).map(|(handle, _)| *handle);
        prime.handle = known.unwrap_or_else(|| (1..).find(|handle| !handles.contains_key(handle)).unwrap_or(u32::MAX));
        handles.entry(prime.handle).or_insert(Handle {
            memory,
            caching: caching(origin.flags),
            mapped: BTreeMap::new(),
        });
        Ok(())
    }

    fn export(&self, _: &Process, prime: &mut drm_prime_handle) -> Result<(), Errno> {
        if prime.flags & !((libc::O_CLOEXEC | libc::O_RDWR) as u32) != 0 {
            return Err(Errno::EINVAL);
        }
        let memory = self.object(prime.handle)?;
        prime.fd = dmabuf::duplicate(memory.fd(), prime.flags as i32 & libc::O_CLOEXEC != 0)?;
        Ok(())
    }

    fn gem_mmap(&self, process: &Process, args: &mut drm_amdgpu_gem_mmap) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let memory = self.object(unsafe { args.in_.handle })?;
        let addr_ptr = process.lock().offsets.add(self.index, &memory)?;
        args.out = drm_amdgpu_gem_mmap_out { addr_ptr };
        Ok(())
    }

    fn gem_metadata(&self, _: &Process, args: &mut drm_amdgpu_gem_metadata) -> Result<(), Errno> {
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

    fn gem_op(&self, _: &Process, args: &mut drm_amdgpu_gem_op) -> Result<(), Errno> {
        let memory = self.object(args.handle)?;
        if args.op != AMDGPU_GEM_OP_GET_GEM_CREATE_INFO {
            return Err(Errno::EINVAL);
        }
        let (domains, domain_flags) = dmabuf::origin(memory.fd())?.as_created();
        let info = drm_amdgpu_gem_create_in { bo_size: memory.size(), alignment: PAGE, domains, domain_flags };
        user::write_value(args.value, &info)
    }

    fn gem_va(&self, process: &Process, args: &mut drm_amdgpu_gem_va) -> Result<(), Errno> {
        const FLAGS: u32 = AMDGPU_VM_DELAY_UPDATE
            | AMDGPU_VM_PAGE_READABLE
            | AMDGPU_VM_PAGE_WRITEABLE
            | AMDGPU_VM_PAGE_EXECUTABLE
            | AMDGPU_VM_MTYPE_MASK
            | AMDGPU_VM_PAGE_NOALLOC;
        let size = args.map_size;
        let end = args.va_address.checked_add(size).ok_or(Errno::EINVAL)?;
        if args.va_address < GPUVM_BASE || end > GPUVM_LIMIT + 1 || args.flags & !FLAGS != 0 {
            return Err(Errno::EINVAL);
        }
        if ![AMDGPU_VA_OP_MAP, AMDGPU_VA_OP_UNMAP].contains(&args.operation) {
            return Err(Errno::EINVAL);
        }
        let state = process.lock();
        let gpu = &state.gpus[self.index as usize];
        let space = &gpu.gpu.space;
        let mut handles = self.handles();
        let handle = handles.get_mut(&args.handle).ok_or(Errno::ENOENT)?;
        if !self.has_vm(gpu) {
            return Err(Errno::EINVAL);
        }
        if args.operation == AMDGPU_VA_OP_UNMAP {
            // All of a mapping goes, by where it begins.
            let size = handle.mapped.remove(&args.va_address).ok_or(Errno::ENOENT)?;
            space.unmap(args.va_address, size);
            return Ok(());
        }
        if !args.offset_in_bo.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL);
        }
        let permissions = Permissions {
            write: args.flags & AMDGPU_VM_PAGE_WRITEABLE != 0,
            execute: args.flags & AMDGPU_VM_PAGE_EXECUTABLE != 0,
        };
        let target = Target::Object(handle.memory.clone(), args.offset_in_bo);
        space.map(args.va_address, size, target, permissions, handle.caching)?;
        handle.mapped.insert(args.va_address, size);
        Ok(())
    }

    fn version(&self, _: &Process, version: &mut drm_version) -> Result<(), Errno> {
        (version.version_major, version.version_minor, version.version_patchlevel) = VERSION;
        // The caller asks twice: for the lengths, then with room for the texts.
        let copy = |text: &str, to: *mut std::ffi::c_char, room: &mut usize| {
            let length = text.len().min(*room);
            *room = text.len();
            if to.is_null() { Ok(()) } else { user::write(to.addr() as u64, &text.as_bytes()[..length]) }
        };
        copy("amdgpu", version.name, &mut version.name_len)?;
        copy("20150101", version.date, &mut version.date_len)?;
        copy("AMD GPU", version.desc, &mut version.desc_len)
    }

    fn info(&self, process: &Process, query: &mut drm_amdgpu_info) -> Result<(), Errno> {
        let query: &drm_amdgpu_info = query;
        if query.return_size == 0 || query.return_pointer == 0 {
            return Err(Errno::EINVAL);
        }
        let mut guard = process.lock();
        let state: &mut State = &mut guard;
        let used = state.vram_taken(Config::gpu_id(self.index))?;
        let gpu = state.gpu(Config::gpu_id(self.index))?;
        let profile = gpu.gpu.profile;
        let (total, usable) = (process.config.vram_bytes(), process.config.usable_vram_bytes());
        match query.query {
            AMDGPU_INFO_ACCEL_WORKING => reply(query, &1u32),
            AMDGPU_INFO_DEV_INFO => reply(query, &device_info(&gpu.gpu)),
            // SAFETY: every member of the union is integers.
            AMDGPU_INFO_HW_IP_COUNT if unsafe { query.__bindgen_anon_1.query_hw_ip.type_ } >= AMDGPU_HW_IP_NUM => {
                Err(Errno::EINVAL)
            }
            AMDGPU_INFO_HW_IP_COUNT => reply(query, &0u32),
            AMDGPU_INFO_TIMESTAMP => reply(query, &crate::hardware::clock::gpu_ticks()),
            AMDGPU_INFO_VRAM_USAGE | AMDGPU_INFO_VIS_VRAM_USAGE => reply(query, &used),
            AMDGPU_INFO_GTT_USAGE => reply(query, &0u64),
            AMDGPU_INFO_VRAM_GTT => reply(
                query,
                &drm_amdgpu_info_vram_gtt { vram_size: usable, vram_cpu_accessible_size: usable, gtt_size: total },
            ),
            AMDGPU_INFO_MEMORY => {
                let heap = |total_heap_size: u64, usable_heap_size: u64, heap_usage: u64| drm_amdgpu_heap_info {
                    total_heap_size,
                    usable_heap_size,
                    heap_usage,
                    max_allocation: usable_heap_size * 3 / 4,
                };
                let (vram, gtt) = (heap(total, usable, used), heap(total, total, 0));
                reply(query, &drm_amdgpu_memory_info { vram, cpu_accessible_vram: vram, gtt })
            }
            AMDGPU_INFO_FW_VERSION => {
                // SAFETY: every member of the union is integers.
                let wanted = unsafe { query.__bindgen_anon_1.query_fw };
                let ver = match (wanted.fw_type, wanted.index) {
                    _ if wanted.ip_instance != 0 => return Err(Errno::EINVAL),
                    (AMDGPU_INFO_FW_GFX_MEC, 0 | 1) => profile.firmware,
                    (AMDGPU_INFO_FW_SDMA, engine) if engine < profile.sdma_engines + profile.sdma_xgmi_engines => {
                        profile.sdma_firmware
                    }
                    _ => return Err(Errno::EINVAL),
                };
                reply(query, &drm_amdgpu_info_firmware { ver, feature: 0 })
            }
            AMDGPU_INFO_READ_MMR_REG => {
                // SAFETY: every member of the union is integers.
                let register = unsafe { query.__bindgen_anon_1.read_mmr_reg };
                let valid = |shift: u32, mask: u32, limit: u32| {
                    let index = register.instance >> shift & mask;
                    // All bits set: whichever there is.
                    index == mask || index < limit
                };
                if !valid(AMDGPU_INFO_MMR_SE_INDEX_SHIFT, AMDGPU_INFO_MMR_SE_INDEX_MASK, MAX_SHADER_ENGINES)
                    || !valid(AMDGPU_INFO_MMR_SH_INDEX_SHIFT, AMDGPU_INFO_MMR_SH_INDEX_MASK, MAX_SHADER_ARRAYS)
                    || register.count > MAX_REGISTERS
                {
                    return Err(Errno::EINVAL);
                }
                match (register.dword_offset, register.count) {
                    (_, 0) => Ok(()),
                    (GB_ADDR_CONFIG, 1) => reply(query, &profile.gb_addr_config),
                    _ => Err(Errno::EFAULT),
                }
            }
            other => {
                log::write(Topic::Unknown, format_args!("render node: unknown AMDGPU_INFO query {other:#x}"));
                Err(Errno::EINVAL)
            }
        }
    }
}

/// Writes as much of the answer as the caller has room for: newer kernels have longer structures.
fn reply<T: Plain>(query: &drm_amdgpu_info, value: &T) -> Result<(), Errno> {
    user::write_start(query.return_pointer, value, query.return_size as usize)
}

fn device_info(gpu: &Gpu) -> drm_amdgpu_info_device {
    let profile = gpu.profile;
    // SAFETY: the structure is integers, of which zeroes are valid.
    let mut info: drm_amdgpu_info_device = unsafe { std::mem::zeroed() };
    info.device_id = profile.device_id;
    info.chip_rev = profile.chip_revision;
    info.external_rev = profile.external_revision;
    info.pci_rev = profile.pci_revision;
    info.family = FAMILY_AI;
    info.num_shader_engines = profile.shader_engines;
    info.num_shader_arrays_per_engine = 1;
    info.gpu_counter_freq = (crate::hardware::clock::GPU_CLOCK_HZ / 1000) as u32;
    info.max_engine_clock = u64::from(profile.core_clock_mhz) * 1000;
    info.max_memory_clock = u64::from(profile.memory_clock_mhz) * 1000;
    info.cu_active_number = profile.compute_units;
    info.virtual_address_offset = GPUVM_BASE;
    info.virtual_address_max = GPUVM_LIMIT + 1;
    info.virtual_address_alignment = PAGE as u32;
    info.pte_fragment_size = 2 << 20;
    info.gart_page_size = PAGE as u32;
    info.vram_type = VRAM_TYPE_HBM;
    info.vram_bit_width = profile.memory_width;
    info.wave_front_size = 64;
    info.num_cu_per_sh = profile.cus_per_array;
    info
}
