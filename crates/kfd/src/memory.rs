//! Memory of the driver: allocated, mapped to GPUs, given back.

mod part;

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use kfd_sys::*;

use crate::driver::range::AddressRange;
use crate::driver::{HostPath, Mapped, OpenGpu, PAGE, lock, request};
use crate::{Error, Result};
use kfd_sys::Errno;
pub use part::Part;

/// Where memory is and how GPUs use it.
///
/// The constants are what most programs need; `with_*` changes one thing.
#[must_use = "`with_...` returns the changed value"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    pub(crate) heap: Heap,
    coherent: bool,
    extended: bool,
    uncached: bool,
    executable: bool,
    read_only: bool,
}

/// Which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// The GPU's own, not mapped for the host.
    Vram,
    /// The GPU's own, mapped for the host through the PCIe BAR: write-combining, fast to write in order, very slow to
    /// read.
    VisibleVram,
    /// The host's, mapped for the GPU (GTT).
    Host,
}

impl Placement {
    /// VRAM that the host does not see.
    pub const VRAM: Placement = Placement::of(Heap::Vram, false);
    /// VRAM that the host sees through the BAR, on GPUs whose whole memory it can
    /// ([`Node::has_visible_vram`](crate::Node::has_visible_vram)). Not in SR-IOV guests, which cannot flush what they
    /// write through it.
    ///
    /// What the host writes there by [`Buffer::write`](crate::Buffer::write), GPUs see when that returns; what it
    /// writes to a slice, when the same thread next submits something to a queue or sets a signal. Each waits for a
    /// read across PCIe.
    pub const VISIBLE: Placement = Placement::of(Heap::VisibleVram, false);
    /// Memory of the host, coherent: host and GPU see each other's writes while a kernel runs.
    pub const HOST: Placement = Placement::of(Heap::Host, true);

    const fn of(heap: Heap, coherent: bool) -> Placement {
        Placement { heap, coherent, extended: false, uncached: false, executable: false, read_only: false }
    }

    /// Whether GPUs and host see each other's accesses while kernels run (fine-grained), or when they end
    /// (coarse-grained, faster).
    pub const fn with_coherent(mut self, coherent: bool) -> Placement {
        self.coherent = coherent;
        self
    }

    /// Coherent as by [`with_coherent`](Self::with_coherent), and what kernels do in the scope of the device too is
    /// seen by the host and all GPUs: AMD's "extended scope fine-grained" memory, for gfx94x. On gfx908 and gfx90a it
    /// is the same as coherent (`gmc_v9_0_get_coherence_flags` of Linux). Refused on a gfx94x before version 1.15 of
    /// the driver's interface, which is sure to know it.
    pub const fn with_extended_coherence(mut self, extended: bool) -> Placement {
        self.extended = extended;
        self
    }

    /// Not kept in the GPUs' caches at all.
    pub const fn with_uncached(mut self, uncached: bool) -> Placement {
        self.uncached = uncached;
        self
    }

    /// GPUs may fetch code from it.
    pub const fn with_executable(mut self, executable: bool) -> Placement {
        self.executable = executable;
        self
    }

    /// GPUs may only read it.
    pub const fn with_read_only(mut self, read_only: bool) -> Placement {
        self.read_only = read_only;
        self
    }

    /// Which memory it is.
    pub const fn heap(self) -> Heap {
        self.heap
    }

    fn flags(self, gpu: &OpenGpu) -> Result<u32> {
        let heap = match self.heap {
            // NO_SUBSTITUTE: not host memory when VRAM is full.
            Heap::Vram => KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE,
            Heap::VisibleVram => {
                KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC
            }
            Heap::Host => KFD_IOC_ALLOC_MEM_FLAGS_GTT,
        };
        Ok(self.access_flags(gpu)? | heap)
    }

    fn access_flags(self, gpu: &OpenGpu) -> Result<u32> {
        /// Of the first Linux behind the one that added KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT. Drivers that do not know
        /// a flag pass over it.
        const EXTENDED: u32 = 15;
        let extended = self.extended && gpu.family().has_extended_coherence;
        if extended && gpu.driver.minor() < EXTENDED {
            let why = format!(
                "the driver's interface is 1.{}, it is sure to be there from 1.{EXTENDED} on",
                gpu.driver.minor()
            );
            return Err(Error::Unsupported { subject: "memory of extended coherence", why });
        }
        let when = |set: bool, flag: u32| if set { flag } else { 0 };
        let flags = when(self.coherent || self.extended, KFD_IOC_ALLOC_MEM_FLAGS_COHERENT)
            | when(extended, KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT)
            | when(self.uncached, KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED)
            | when(self.executable, KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
            | when(!self.read_only, KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE);
        Ok(flags)
    }
}

/// A buffer object of the driver, at the same address for the host and all GPUs that it is mapped to.
#[derive(Debug)]
pub(crate) struct Memory {
    gpu: &'static OpenGpu,
    range: AddressRange,
    handle: u64,
    /// Device address: that of `range`, except for pages of the program.
    address: u64,
    bytes: usize,
    heap: Heap,
    visible: bool,
    /// Ids of the GPUs that it is mapped to.
    mapped: Mutex<Vec<u32>>,
    /// Never to be given back.
    forgotten: bool,
    /// The host has had a slice to write that GPUs do not see at once.
    slice: AtomicBool,
}

impl Memory {
    /// Allocates `bytes`, rounded up to pages, and maps them to `gpu`.
    pub fn new(gpu: &'static OpenGpu, bytes: usize, placement: Placement) -> Result<Memory> {
        Memory::aligned(gpu, bytes, PAGE, placement)
    }

    /// The same at a multiple of `align`, a power of two and at least a page.
    pub fn aligned(gpu: &'static OpenGpu, bytes: usize, align: usize, placement: Placement) -> Result<Memory> {
        let bytes = whole_pages(bytes)?;
        gpu.check_usable()?;
        if placement.heap == Heap::VisibleVram {
            let refuse = |why: &str| Err(Error::Unsupported { subject: "VRAM that the host sees", why: why.into() });
            if !gpu.node().has_visible_vram() {
                return refuse("the host cannot map all of this GPU's memory (no large BAR)");
            }
            if !gpu.open_host_path()? {
                return refuse(
                    "the driver refused AMDKFD_IOC_ALLOC_MEMORY_OF_GPU (the register that flushes host writes) with ENOMEM, as in virtual \
                     machines that have part of a GPU (SR-IOV) and on hosts with pages larger than 4 KiB; use Placement::HOST, or copies to \
                     Placement::VRAM",
                );
            }
        }
        Memory::allocate(gpu, bytes, align, placement)
    }

    /// The same of whole pages, whether the GPU can have them so or not.
    pub fn allocate(gpu: &'static OpenGpu, bytes: usize, align: usize, placement: Placement) -> Result<Memory> {
        let range = AddressRange::reserve_aligned(bytes, align)?;
        let mut args = kfd_ioctl_alloc_memory_of_gpu_args {
            va_addr: range.address(),
            size: bytes as u64,
            gpu_id: gpu.id(),
            flags: placement.flags(gpu)?,
            ..Default::default()
        };
        request!(gpu.driver, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, amdkfd_ioc_alloc_memory_of_gpu, "memory", &mut args)?;
        let mut memory = Memory::owned(gpu, range, args.handle, bytes, placement.heap);
        if placement.heap != Heap::Vram {
            memory.range.map_file(gpu.render(), args.mmap_offset)?;
            memory.visible = true;
        }
        memory.map_to(gpu)?;
        Ok(memory)
    }

    /// Maps the pages of the program from `start` on to `gpu`, at an address of their own.
    ///
    /// # Safety
    /// The pages stay mapped while this lives, and nothing relies on Rust's rules for what a GPU does with them.
    pub unsafe fn of_program(
        gpu: &'static OpenGpu,
        start: NonNull<u8>,
        bytes: usize,
        placement: Placement,
    ) -> Result<Memory> {
        let bytes = whole_pages(bytes)?;
        gpu.check_usable()?;
        let range = AddressRange::reserve(bytes)?;
        let mut args = kfd_ioctl_alloc_memory_of_gpu_args {
            va_addr: range.address(),
            size: bytes as u64,
            mmap_offset: start.as_ptr().expose_provenance() as u64,
            gpu_id: gpu.id(),
            flags: placement.access_flags(gpu)? | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR,
            ..Default::default()
        };
        let subject = "pages of the program";
        request!(gpu.driver, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, amdkfd_ioc_alloc_memory_of_gpu, subject, &mut args)?;
        let memory = Memory::owned(gpu, range, args.handle, bytes, Heap::Host);
        memory.map_to(gpu)?;
        Ok(memory)
    }

    /// Maps the buffer behind a dma-buf to `gpu`.
    pub fn import(gpu: &'static OpenGpu, dmabuf: BorrowedFd<'_>) -> Result<Memory> {
        gpu.check_usable()?;
        let descriptor = dmabuf.as_raw_fd() as u32;
        let subject = "a dma-buf of an AMD GPU";
        // SAFETY: the driver's descriptor.
        let info = unsafe { dmabuf_info(gpu.driver.fd(), dmabuf) }
            .map_err(|error| Error::request("AMDKFD_IOC_GET_DMABUF_INFO", subject, Errno::of(&error)))?;
        let bytes = whole_pages(usize::try_from(info.size).unwrap_or(0))?;
        let range = AddressRange::reserve(bytes)?;
        let mut args = kfd_ioctl_import_dmabuf_args {
            va_addr: range.address(),
            handle: 0,
            gpu_id: gpu.id(),
            dmabuf_fd: descriptor,
        };
        request!(gpu.driver, AMDKFD_IOC_IMPORT_DMABUF, amdkfd_ioc_import_dmabuf, subject, &mut args)?;
        let heap = if info.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM != 0 { Heap::Vram } else { Heap::Host };
        let memory = Memory::owned(gpu, range, args.handle, bytes, heap);
        memory.map_to(gpu)?;
        Ok(memory)
    }

    fn owned(gpu: &'static OpenGpu, range: AddressRange, handle: u64, bytes: usize, heap: Heap) -> Memory {
        let address = range.address();
        let memory = match heap {
            Heap::Vram => "VRAM",
            Heap::VisibleVram => "VRAM that the host sees",
            Heap::Host => "host memory",
        };
        gpu.driver.allocations().add(address, bytes as u64, memory);
        Memory {
            gpu,
            range,
            handle,
            address,
            bytes,
            heap,
            visible: false,
            mapped: Mutex::default(),
            forgotten: false,
            slice: AtomicBool::new(false),
        }
    }

    /// A dma-buf of it.
    pub fn export(&self) -> Result<OwnedFd> {
        /// From this version on: `KFD_IOCTL_MINOR_VERSION` of the kernel that added AMDKFD_IOC_EXPORT_DMABUF.
        const EXPORT: u32 = 12;
        if self.gpu.driver.minor() < EXPORT {
            let why = format!(
                "the driver's interface is 1.{}, dma-bufs are exported from 1.{EXPORT} on",
                self.gpu.driver.minor()
            );
            return Err(Error::Unsupported { subject: "exporting a dma-buf", why });
        }
        let mut args =
            kfd_ioctl_export_dmabuf_args { handle: self.handle, flags: libc::O_CLOEXEC as u32, dmabuf_fd: 0 };
        request!(
            self.gpu.driver,
            AMDKFD_IOC_EXPORT_DMABUF,
            amdkfd_ioc_export_dmabuf,
            "a dma-buf of a buffer",
            &mut args
        )?;
        // SAFETY: the driver made the descriptor for this call.
        Ok(unsafe { OwnedFd::from_raw_fd(args.dmabuf_fd as i32) })
    }

    /// Maps it to a GPU, if it is not yet.
    pub fn map_to(&self, gpu: &OpenGpu) -> Result<()> {
        self.gpu.driver.check_fork()?;
        let mut mapped = lock(&self.mapped);
        if mapped.contains(&gpu.id()) {
            return Ok(());
        }
        let ids = [gpu.id()];
        let mut args = kfd_ioctl_map_memory_to_gpu_args {
            handle: self.handle,
            device_ids_array_ptr: ids.as_ptr().expose_provenance() as u64,
            n_devices: 1,
            n_success: 0,
        };
        request!(self.gpu.driver, AMDKFD_IOC_MAP_MEMORY_TO_GPU, amdkfd_ioc_map_memory_to_gpu, "memory", &mut args)?;
        mapped.push(gpu.id());
        Ok(())
    }

    /// Refuses a GPU that cannot get at it, and memory of a parent process.
    #[inline]
    pub fn check_mapped(&self, gpu: &OpenGpu) -> Result<()> {
        // To its own GPU it always is: it was made so.
        if std::ptr::eq(self.gpu, gpu) {
            return Ok(());
        }
        // Before the lock, which may have been held when the process forked.
        self.gpu.driver.check_fork()?;
        if lock(&self.mapped).contains(&gpu.id()) { Ok(()) } else { Err(Error::OtherDevice("a buffer")) }
    }

    pub fn gpu(&self) -> &'static OpenGpu {
        self.gpu
    }

    pub fn handle(&self) -> u64 {
        self.handle
    }

    pub fn address(&self) -> u64 {
        self.address
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn heap(&self) -> Heap {
        self.heap
    }

    /// Where the host sees it. Not in a forked child, which has not got the mapping.
    pub fn host(&self) -> Result<NonNull<u8>> {
        self.gpu.driver.check_fork()?;
        if self.visible { Ok(self.range.start()) } else { Err(Error::NotVisible) }
    }

    /// Where the host sees it, to write there at any time.
    pub fn host_slice(&self) -> Result<NonNull<u8>> {
        let start = self.host()?;
        // Relaxed: only who has the buffer for itself asks for it.
        if self.heap == Heap::VisibleVram && !self.slice.swap(true, Ordering::Relaxed) {
            self.gpu.add_slice();
        }
        Ok(start)
    }

    /// Keeps it for ever, because a GPU may do so too.
    pub fn forget(&mut self) {
        self.forgotten = true;
    }

    fn release(&mut self) -> Result<()> {
        let driver = self.gpu.driver;
        let ids = std::mem::take(&mut *lock(&self.mapped));
        if !ids.is_empty() {
            let mut args = kfd_ioctl_unmap_memory_from_gpu_args {
                handle: self.handle,
                device_ids_array_ptr: ids.as_ptr().expose_provenance() as u64,
                n_devices: ids.len() as u32,
                n_success: 0,
            };
            request!(driver, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, amdkfd_ioc_unmap_memory_from_gpu, "memory", &mut args)?;
        }
        let mut args = kfd_ioctl_free_memory_of_gpu_args { handle: self.handle };
        request!(driver, AMDKFD_IOC_FREE_MEMORY_OF_GPU, amdkfd_ioc_free_memory_of_gpu, "memory", &mut args)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if *self.slice.get_mut() {
            // Who imported it still has it. A GPU that is lost is left alone, and a child of a fork has not got the
            // register.
            if self.gpu.check_usable().is_ok() {
                self.gpu.flush_host_writes();
            }
            self.gpu.remove_slice();
        }
        // In a forked child it is the parent's, and something else may be at these addresses.
        if self.forgotten || self.gpu.driver.is_forked() {
            return self.range.forget();
        }
        if let Err(error) = self.release() {
            // The GPU may still reach it: nothing else may get these addresses.
            self.range.forget();
            tracing::error!(%error, address = self.address, bytes = self.bytes, "memory was not given back");
        } else {
            self.gpu.driver.allocations().remove(self.address);
        }
    }
}

fn whole_pages(bytes: usize) -> Result<usize> {
    /// Half of the addresses that GPUs have: more can only be a mistake.
    const MAX: usize = 1 << 46;
    if bytes == 0 || bytes > MAX {
        return Err(Error::Value { subject: "a buffer's size in bytes", value: bytes as u64, expected: "1 to 2^46" });
    }
    Ok(bytes.next_multiple_of(PAGE))
}

impl OpenGpu {
    /// Makes sure that host writes can be flushed. Whether they can: SR-IOV guests do not get the register.
    pub fn open_host_path(&'static self) -> Result<bool> {
        let mut register = lock(&self.flush_register);
        if self.host_path.get().is_some() {
            return Ok(true);
        }
        if register.is_none() {
            *register = self.map_flush_register()?;
        }
        let Some(register) = *register else { return Ok(false) };
        let page = Memory::allocate(self, PAGE, PAGE, Placement::VISIBLE)?;
        let vram = Mapped(page.host()?);
        std::mem::forget(page);
        let path = *self.host_path.get_or_init(|| Box::leak(Box::new(HostPath::new(register, vram))));
        self.driver.add_host_path(path);
        Ok(true)
    }
}
