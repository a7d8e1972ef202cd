//! Render nodes (`/dev/dri/renderD*`): the requests that libdrm makes for compute.

mod context;
mod gem;
mod info;
mod lists;
mod rings;
mod submit;
mod sync_object;
mod syncobj;

use crate::backing::Backing;
use crate::driver::config::Config;
use crate::driver::device::{PerGpu, Process, State};
use crate::driver::kfd::memory::{Memory, caching};
use crate::driver::kfd::{COPIES_IN, COPIES_OUT, dmabuf, size};
use crate::driver::user;
use crate::errno::Errno;
use crate::hardware::address_space::{AddressSpace, Permissions, Target};
use crate::hardware::gpu::Gpu;
use crate::locks::lock;
use crate::log::{self, Topic};
use crate::support::Support;
use crate::trace;
use context::Context;
use kfd_sys::*;
use rings::{Fence, Name, Rings};
use std::collections::BTreeMap;
use std::ffi::c_ulong;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Version of the driver's interface, that of Linux 6.12.
const VERSION: (i32, i32, i32) = (3, 59, 0);

/// A buffer object, as an open render node has it.
#[derive(Debug)]
struct Handle {
    memory: Arc<Backing>,
    /// `KFD_IOC_ALLOC_MEM_FLAGS_*` of the memory's first allocation.
    origin: u32,
    /// Where it is mapped to the GPU by this handle.
    mapped: BTreeMap<u64, Mapped>,
    /// Bytes of VRAM that go with the handle.
    vram: u64,
    /// The last job of each ring that was submitted with it.
    jobs: BTreeMap<Name, Fence>,
}

/// A mapping that begins at some device address.
#[derive(Clone, Copy, Debug)]
struct Mapped {
    size: u64,
    /// Where in the buffer object.
    offset: u64,
    permissions: Permissions,
}

/// An open render node.
#[derive(Debug)]
pub struct RenderFile {
    index: u32,
    handles: Mutex<BTreeMap<u32, Handle>>,
    contexts: Mutex<BTreeMap<u32, Context>>,
    /// Lists of buffers, by their handles: the buffers' handles.
    lists: Mutex<BTreeMap<u32, Vec<u32>>>,
    syncobjs: Mutex<syncobj::SyncObjects>,
    /// Where jobs are submitted, once one was.
    rings: Mutex<Option<Arc<Rings>>>,
    /// Its address space is a process's: no other can acquire it.
    acquired: AtomicBool,
    /// The address space before.
    space: Arc<AddressSpace>,
}

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
            // SAFETY: the arguments are the kernel's structures of integers and of pointers that are never followed
            // here.
            call: |file, process, bytes| unsafe { user::with::<$args>(bytes, |args| $handler(file, process, args)) },
        },)*];
    };
}

table! {
    DRM_IOCTL_VERSION drm_version RenderFile::version, Support::Full;
    DRM_IOCTL_GET_CAP drm_get_cap RenderFile::get_cap, Support::Partial(
        "TIMESTAMP_MONOTONIC, PRIME, SYNCOBJ, SYNCOBJ_TIMELINE; EOPNOTSUPP for others, as a driver without displays"
    );
    DRM_IOCTL_GEM_CLOSE drm_gem_close RenderFile::close, Support::Full;
    DRM_IOCTL_PRIME_FD_TO_HANDLE drm_prime_handle RenderFile::import, Support::Partial("buffers of this device only");
    DRM_IOCTL_PRIME_HANDLE_TO_FD drm_prime_handle RenderFile::export, Support::Partial(
        "each descriptor has the access that it is asked with, where the driver keeps that of a dma-buf which there is already"
    );
    DRM_IOCTL_SYNCOBJ_CREATE drm_syncobj_create RenderFile::syncobj_create, Support::Full;
    DRM_IOCTL_SYNCOBJ_DESTROY drm_syncobj_destroy RenderFile::syncobj_destroy, Support::Full;
    DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD drm_syncobj_handle RenderFile::syncobj_to_fd, Support::Partial(
        "a sync file has a fence that is signaled, can be imported and polled, but not by epoll, and has no requests of its own"
    );
    DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE drm_syncobj_handle RenderFile::syncobj_of_fd, Support::Partial("sync files of this device only");
    DRM_IOCTL_SYNCOBJ_TRANSFER drm_syncobj_transfer RenderFile::syncobj_transfer, Support::Partial(
        "a binary fence of a point before the last one has no number that QUERY tells"
    );
    DRM_IOCTL_SYNCOBJ_WAIT drm_syncobj_wait RenderFile::syncobj_wait, Support::Full;
    DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT drm_syncobj_timeline_wait RenderFile::syncobj_timeline_wait, Support::Partial(
        "a point of a timeline that is taken away at once (RESET) may not be seen"
    );
    DRM_IOCTL_SYNCOBJ_RESET drm_syncobj_array RenderFile::syncobj_reset, Support::Full;
    DRM_IOCTL_SYNCOBJ_SIGNAL drm_syncobj_array RenderFile::syncobj_signal, Support::Full;
    DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL drm_syncobj_timeline_array RenderFile::syncobj_timeline_signal, Support::Full;
    DRM_IOCTL_SYNCOBJ_QUERY drm_syncobj_timeline_array RenderFile::syncobj_query, Support::Full;
    DRM_IOCTL_AMDGPU_INFO drm_amdgpu_info RenderFile::info, Support::Partial(
        "ACCEL_WORKING, DEV_INFO, HW_IP_COUNT and HW_IP_INFO (0 for units that are not there: video), READ_MMR_REG of GB_ADDR_CONFIG, MEMORY, \
         VRAM_GTT, VRAM_USAGE, VIS_VRAM_USAGE, GTT_USAGE, FW_VERSION of MEC, SDMA, VCE and UVD (which it has not: 0), TIMESTAMP; EINVAL for others, \
         EFAULT for other registers"
    );
    DRM_IOCTL_AMDGPU_GEM_CREATE drm_amdgpu_gem_create RenderFile::gem_create, Support::Partial(
        "of GDS, GWS and OA: ENOMEM; `VM_ALWAYS_VALID` has no effect but that such a buffer is not exported"
    );
    DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE drm_amdgpu_gem_wait_idle RenderFile::gem_wait_idle, Support::Partial(
        "waits for what this open file submitted, not for other files and processes"
    );
    DRM_IOCTL_AMDGPU_CTX drm_amdgpu_ctx RenderFile::context, Support::Partial(
        "priorities have no effect, and high ones are for root only; clocks cannot be set: EINVAL"
    );
    DRM_IOCTL_AMDGPU_BO_LIST drm_amdgpu_bo_list RenderFile::bo_list, Support::Full;
    DRM_IOCTL_AMDGPU_CS drm_amdgpu_cs RenderFile::submit, Support::Partial(
        "compute and DMA rings; EINVAL for others, as on a GPU without graphics, for sync objects, and for buffers of several rings in one request; all memory is \
         always there, listed or not, but what is closed or unmapped is gone at once, where the driver waits for the jobs; nothing waits for other files' jobs; a fault ends all jobs of the file at once (ENODATA), where the driver waits for its time \
         limit; an SDMA engine that hangs is never reset"
    );
    DRM_IOCTL_AMDGPU_WAIT_CS drm_amdgpu_wait_cs RenderFile::wait_cs, Support::Full;
    DRM_IOCTL_AMDGPU_WAIT_FENCES drm_amdgpu_wait_fences RenderFile::wait_fences, Support::Full;
    DRM_IOCTL_AMDGPU_GEM_MMAP drm_amdgpu_gem_mmap RenderFile::gem_mmap, Support::Full;
    DRM_IOCTL_AMDGPU_GEM_METADATA drm_amdgpu_gem_metadata RenderFile::gem_metadata, Support::Partial(
        "on hosts before Linux 6.6 buffers cannot have any: EOPNOTSUPP"
    );
    DRM_IOCTL_AMDGPU_GEM_OP drm_amdgpu_gem_op RenderFile::gem_op, Support::Partial("GET_GEM_CREATE_INFO; EINVAL for others");
    DRM_IOCTL_AMDGPU_GEM_VA drm_amdgpu_gem_va RenderFile::gem_va, Support::Partial(
        "MAP and UNMAP; EINVAL for others, and for PRT pages; pages are readable whether the flags say so or not; `DELAY_UPDATE` delays nothing"
    );
}

impl RenderFile {
    /// A new open file of GPU `index`'s render node.
    pub fn new(index: u32) -> Arc<RenderFile> {
        RenderFile::with(index, false)
    }

    /// A forked child's state of the parent's open file: the node, without the parent's buffer objects.
    pub fn inherited(&self) -> Arc<RenderFile> {
        RenderFile::with(self.index, self.acquired.load(Ordering::Relaxed))
    }

    fn with(index: u32, acquired: bool) -> Arc<RenderFile> {
        Arc::new(RenderFile {
            index,
            handles: Mutex::default(),
            contexts: Mutex::default(),
            lists: Mutex::default(),
            syncobjs: Mutex::default(),
            rings: Mutex::default(),
            acquired: AtomicBool::new(acquired),
            space: Arc::default(),
        })
    }

    /// Gives the file's address space to this process, on whose GPU `gpu` it becomes the process's.
    ///
    /// # Errors
    /// `EINVAL` if it has been given away, to this process or to the one that it was forked from.
    pub fn acquire(&self, gpu: &Gpu) -> Result<(), Errno> {
        if self.acquired.swap(true, Ordering::Relaxed) {
            return Err(Errno::EINVAL);
        }
        for handle in self.handles().values() {
            for (at, mapped) in &handle.mapped {
                let target = Target::Object(handle.memory.clone(), mapped.offset);
                gpu.space.map(*at, mapped.size, target, mapped.permissions, caching(handle.origin, gpu.profile))?;
            }
        }
        // What was submitted before goes on where it is.
        *lock(&self.rings) = None;
        Ok(())
    }

    /// Minor number of the node.
    pub fn minor(&self) -> u32 {
        Config::render_minor(self.index)
    }

    fn handles(&self) -> std::sync::MutexGuard<'_, BTreeMap<u32, Handle>> {
        lock(&self.handles)
    }

    fn object(&self, handle: u32) -> Result<Arc<Backing>, Errno> {
        self.handles()
            .get(&handle)
            .map(|handle| handle.memory.clone())
            .ok_or(Errno::ENOENT.because("no buffer object has this handle"))
    }

    /// Serves an ioctl on the node.
    ///
    /// # Errors
    /// `EINVAL` for an unknown request (as the kernel's DRM layer), `EFAULT` for a bad address, otherwise as the
    /// request's.
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
    /// `EINVAL` if no such buffer object has this offset, `EACCES` if it is one that this open file has nothing to do
    /// with.
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

    /// The file's address space.
    fn space<'s>(&'s self, state: &'s State) -> &'s Arc<AddressSpace> {
        let gpu = &state.gpus[self.index as usize];
        if self.has_vm(gpu) { &gpu.gpu.space } else { &self.space }
    }

    /// Whether the process's VM on its GPU is this file's.
    fn has_vm(&self, gpu: &PerGpu) -> bool {
        gpu.vm == Some(std::ptr::from_ref(self).addr())
    }

    fn close(&self, process: &Process, close: &mut drm_gem_close) -> Result<(), Errno> {
        let handle =
            self.handles().remove(&close.handle).ok_or(Errno::EINVAL.because("no buffer object has this handle"))?;
        let mut state = process.lock();
        let space = self.space(&state);
        handle.mapped.into_iter().for_each(|(start, mapped)| _ = space.unmap(start, mapped.size));
        state.give_vram_back(Config::gpu_id(self.index), handle.vram);
        Ok(())
    }

    fn import(&self, process: &Process, prime: &mut drm_prime_handle) -> Result<(), Errno> {
        let (memory, origin) = dmabuf::open(&process.lock(), prime.fd)?;
        let mut handles = self.handles();
        // A file knows an object by one handle only.
        let known = handles.iter().find(|(_, known)| known.memory.inode() == memory.inode()).map(|(handle, _)| *handle);
        prime.handle = known.unwrap_or_else(|| {
            let (mapped, jobs) = Default::default();
            insert(&mut handles, Handle { memory, origin: origin.flags, mapped, vram: 0, jobs })
        });
        Ok(())
    }

    fn export(&self, _: &Process, prime: &mut drm_prime_handle) -> Result<(), Errno> {
        if prime.flags & !((libc::O_CLOEXEC | libc::O_RDWR) as u32) != 0 {
            return Err(Errno::EINVAL);
        }
        let memory = self.object(prime.handle)?;
        // `amdgpu_gem_prime_export`
        if dmabuf::origin(memory.fd())?.as_created().1 & u64::from(AMDGPU_GEM_CREATE_VM_ALWAYS_VALID) != 0 {
            return Err(Errno::EPERM);
        }
        let flags = prime.flags as i32;
        prime.fd = dmabuf::give(&memory, flags & libc::O_RDWR != 0, flags & libc::O_CLOEXEC)?;
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
}

/// The number of a new handle.
fn insert(handles: &mut BTreeMap<u32, Handle>, handle: Handle) -> u32 {
    let number = (1..).find(|number| !handles.contains_key(number)).unwrap_or(u32::MAX);
    handles.insert(number, handle);
    number
}
