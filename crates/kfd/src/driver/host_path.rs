//! What the host writes to VRAM through the PCIe BAR, and when GPUs see it.
//!
//! Such writes wait in the combining buffers of the core, which an ordinary release does not empty, and in the chip's
//! host data path (HDP). [`Buffer::write`](crate::Buffer::write) sends its own on. Of slices nobody knows when they are
//! written, so while there is memory of which the host had one, all is sent on wherever work may begin to look: at each
//! submission, and when a signal is set.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use kfd_sys::*;

use super::range::AddressRange;
use super::{Connection, Mapped, OpenGpu, PAGE, map_device, request};
use crate::{Error, Result};
use kfd_sys::Errno;

/// The way of the host's writes into a GPU's memory.
#[derive(Debug)]
pub(crate) struct HostPath {
    /// The first register of the page: `KFD_MMIO_REMAP_HDP_MEM_FLUSH_CNTL`.
    register: Mapped,
    /// A page of the GPU's memory.
    vram: Mapped,
    /// Memory of which the host has had a slice to write.
    slices: AtomicUsize,
    next: OnceLock<&'static HostPath>,
}

/// Those of all GPUs that have one: a list that only grows, as submissions walk through it without a lock.
#[derive(Debug, Default)]
pub(crate) struct HostPaths {
    first: OnceLock<&'static HostPath>,
}

impl HostPath {
    /// By this register, with a page of the GPU's memory to read from.
    pub fn new(register: Mapped, vram: Mapped) -> HostPath {
        HostPath { register, vram, slices: AtomicUsize::new(0), next: OnceLock::new() }
    }

    /// Returns when the GPU has all that this thread wrote through the BAR.
    fn flush(&self) {
        let [register, vram] = [self.register, self.vram].map(|page| page.0.cast::<u32>().as_ptr());
        // The writes leave the core before the register is written.
        fence();
        // SAFETY: a mapped register. Any value will do.
        unsafe { register.write_volatile(1) };
        // The store is posted: it may be on its way when the GPU looks. A read of the same device does not overtake it,
        // so the answer comes after it. It is one of memory, as reads of the register itself cause problems on some
        // platforms (`hdp_v4_0_flush_hdp` of Linux).
        fence();
        // SAFETY: a mapped page, which nobody writes.
        unsafe { vram.read_volatile() };
    }
}

impl HostPaths {
    fn add(&self, path: &'static HostPath) {
        let mut end = &self.first;
        loop {
            let there = *end.get_or_init(|| path);
            if std::ptr::eq(there, path) {
                return;
            }
            end = &there.next;
        }
    }
}

impl Connection {
    /// Has host writes by this way published from now on.
    pub fn add_host_path(&self, path: &'static HostPath) {
        self.host_paths.add(path);
    }

    /// Makes what this thread wrote to slices visible to the GPUs. Without memory of which there were any, this is a
    /// load for each GPU.
    #[inline]
    pub fn publish_host_writes(&self) {
        let mut next = self.host_paths.first.get();
        while let Some(path) = next {
            // Relaxed: whoever has a slice got it from the thread that counted it, or is that thread.
            if path.slices.load(Ordering::Relaxed) != 0 {
                path.flush();
            }
            next = path.next.get();
        }
    }
}

impl OpenGpu {
    /// Maps the page of the register, if there is one.
    pub fn map_flush_register(&self) -> Result<Option<Mapped>> {
        let mut range = AddressRange::reserve(PAGE)?;
        let mut args = kfd_ioctl_alloc_memory_of_gpu_args {
            va_addr: range.address(),
            size: PAGE as u64,
            gpu_id: self.id(),
            flags: KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE,
            ..Default::default()
        };
        let subject = "the register that flushes host writes";
        match request!(self.driver, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, amdkfd_ioc_alloc_memory_of_gpu, subject, &mut args)
        {
            // How the driver says that there is no such page (`kfd_ioctl_alloc_memory_of_gpu`, `rmmio_remap.bus_addr`).
            // If it was short of memory, the next one who asks may be luckier.
            Err(Error::Request { errno: Errno(libc::ENOMEM), .. }) => return Ok(None),
            other => other?,
        }
        match map_device(self.driver.fd(), args.mmap_offset, PAGE, subject) {
            Ok(page) => {
                // The buffer object lasts as long as the mapping, for ever, and so do its addresses.
                range.forget();
                Ok(Some(Mapped(page)))
            }
            Err(error) => {
                let mut args = kfd_ioctl_free_memory_of_gpu_args { handle: args.handle };
                request!(
                    self.driver,
                    AMDKFD_IOC_FREE_MEMORY_OF_GPU,
                    amdkfd_ioc_free_memory_of_gpu,
                    subject,
                    &mut args
                )?;
                Err(error)
            }
        }
    }

    /// Makes what this thread wrote through the BAR visible to the GPU.
    pub fn flush_host_writes(&self) {
        if let Some(path) = self.host_path.get() {
            path.flush();
        }
    }

    /// Counts memory of which the host gets a slice to write.
    pub fn add_slice(&self) {
        if let Some(path) = self.host_path.get() {
            path.slices.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts memory no longer that [`add_slice`](Self::add_slice) counted.
    pub fn remove_slice(&self) {
        if let Some(path) = self.host_path.get() {
            path.slices.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Keeps accesses of the device and of its memory in order, stores and loads alike, and drains the core's
/// write-combining buffers.
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: mfence is part of x86-64's baseline and touches neither memory nor registers.
    unsafe {
        std::arch::asm!("mfence", options(nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above. Outer shareable, because the device is outside the cores' inner domain.
    unsafe {
        std::arch::asm!("dmb osh", options(nostack, preserves_flags));
    }
}
