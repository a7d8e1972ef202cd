//! Memory by address.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::ptr::NonNull;

use crate::memory::{self, Part};
use crate::{Device, Heap, Placement, Result};

/// A range of memory that is mapped to GPUs, at one address for all of them and the host (pages of the program have
/// their own on the GPU).
///
/// It is given back when it is dropped, whatever still uses it: who submits work with its address promises that it
/// lasts until the work is [over](crate::Ticket::is_over). It can be shared by threads.
///
/// # Example
/// ```no_run
/// use kfd::raw::{Command, Memory, SdmaQueue};
/// use kfd::{Engine, Placement, Wait};
/// # fn example(gpu: kfd::Device) -> kfd::Result<()> {
/// let memory = Memory::new(gpu, 1 << 20, Placement::VRAM)?;
/// let (inputs, results) = (memory.part(0, 4096)?, memory.part(4096, 4096)?);
/// let mut queue = SdmaQueue::new(gpu, Engine::Any)?;
/// let copy = Command::Copy { from: inputs.address, to: results.address, bytes: results.bytes };
/// // SAFETY: both parts are in the memory, which is kept until the work is done.
/// let ticket = unsafe { queue.submit(&[copy]) }?;
/// ticket.wait(Wait::FOREVER)
/// # }
/// ```
#[derive(Debug)]
pub struct Memory {
    inner: memory::Memory,
    device: Device,
}

impl Memory {
    /// Allocates `bytes`, rounded up to pages of 4096, and maps them to `device`. What is in it first is not defined:
    /// VRAM of others before is not cleared by every driver.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) for no or too many bytes,
    /// [`Error::Unsupported`](crate::Error::Unsupported) for a placement that the GPU has not,
    /// [`Error::Request`](crate::Error::Request), [`Error::Lost`](crate::Error::Lost),
    /// [`Error::Forked`](crate::Error::Forked).
    #[doc(alias = "AMDKFD_IOC_ALLOC_MEMORY_OF_GPU")]
    #[doc(alias = "hsa_amd_memory_pool_allocate")]
    pub fn new(device: Device, bytes: usize, placement: Placement) -> Result<Memory> {
        Ok(Memory { inner: memory::Memory::new(device.0, bytes, placement)?, device })
    }

    /// Maps pages of the program from `start` on, which is at a page's start, to `device`, at an address of their own.
    ///
    /// # Safety
    /// The pages stay mapped while this lives, and nothing relies on Rust's rules for what GPUs do with them.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub unsafe fn of_program(device: Device, start: NonNull<u8>, bytes: usize, placement: Placement) -> Result<Memory> {
        // SAFETY: the caller's promise.
        let inner = unsafe { memory::Memory::of_program(device.0, start, bytes, placement) }?;
        Ok(Memory { inner, device })
    }

    /// Maps the memory behind a dma-buf to `device`. The descriptor may be closed afterwards. The host does not see it
    /// through this.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for descriptors that are no dma-buf of an AMD GPU,
    /// [`Error::Lost`](crate::Error::Lost), [`Error::Forked`](crate::Error::Forked).
    #[doc(alias = "dma-buf")]
    #[doc(alias = "IPC")]
    pub fn import(device: Device, dmabuf: BorrowedFd<'_>) -> Result<Memory> {
        Ok(Memory { inner: memory::Memory::import(device.0, dmabuf)?, device })
    }

    /// A dma-buf of it, for other drivers and processes, which find what the host wrote before. It keeps the memory
    /// even when this is dropped.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) before version 1.12 of the driver's interface,
    /// [`Error::Request`](crate::Error::Request), [`Error::Forked`](crate::Error::Forked).
    #[doc(alias = "dma-buf")]
    #[doc(alias = "IPC")]
    #[doc(alias = "AMDKFD_IOC_EXPORT_DMABUF")]
    pub fn export(&self) -> Result<OwnedFd> {
        let driver = self.inner.gpu().driver;
        // Before the flush: a child of a fork has not got the register.
        driver.check_fork()?;
        driver.publish_host_writes();
        self.inner.export()
    }

    /// Maps it to another GPU, which then has it at the same address. Drivers can do so between GPUs that reach each
    /// other by xGMI or PCIe.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request), [`Error::Lost`](crate::Error::Lost),
    /// [`Error::Forked`](crate::Error::Forked).
    pub fn map_to(&self, device: Device) -> Result<()> {
        device.0.check_usable()?;
        self.inner.map_to(device.0)
    }

    /// Refuses a device that cannot get at it.
    ///
    /// # Errors
    /// [`Error::OtherDevice`](crate::Error::OtherDevice), [`Error::Forked`](crate::Error::Forked).
    #[inline]
    pub fn check_mapped(&self, device: Device) -> Result<()> {
        self.inner.check_mapped(device.0)
    }

    /// The device that it was made for.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Device address of the first byte.
    #[inline]
    pub fn address(&self) -> u64 {
        self.inner.address()
    }

    /// How many bytes it has: whole pages.
    pub fn bytes(&self) -> usize {
        self.inner.bytes()
    }

    /// All of it.
    pub fn whole(&self) -> Part {
        Part { address: self.address(), bytes: self.bytes() as u64 }
    }

    /// The `bytes` from byte `offset` on.
    ///
    /// # Errors
    /// [`Error::Range`](crate::Error::Range), in bytes.
    pub fn part(&self, offset: u64, bytes: u64) -> Result<Part> {
        self.whole().part(offset, bytes)
    }

    /// Which memory it is in.
    pub fn heap(&self) -> Heap {
        self.inner.heap()
    }

    /// Where the host sees it, to read and write while this lives. Of [`Placement::VISIBLE`], GPUs see what a thread
    /// wrote when that thread next submits something, sets a [`Signal`](crate::Signal), or calls
    /// [`flush`](Self::flush).
    ///
    /// # Errors
    /// [`Error::NotVisible`](crate::Error::NotVisible), [`Error::Forked`](crate::Error::Forked).
    pub fn host(&self) -> Result<NonNull<u8>> {
        self.inner.host_slice()
    }

    /// Makes GPUs see what this thread wrote to memory of [`Placement::VISIBLE`] before. Others need none.
    pub fn flush(&self) {
        if self.heap() == Heap::VisibleVram && self.inner.gpu().check_usable().is_ok() {
            self.inner.gpu().flush_host_writes();
        }
    }

    /// Where the host sees it, for who reads only or flushes itself.
    pub(crate) fn host_start(&self) -> Result<NonNull<u8>> {
        self.inner.host()
    }

    /// Keeps it for ever, because a GPU may do so too.
    pub(crate) fn forget(&mut self) {
        self.inner.forget();
    }
}
