//! Typed memory.

use std::marker::PhantomData;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::Pod;

use crate::driver::{PAGE, fence};
use crate::raw::Memory;
use crate::typed::uses::UsedMemory;
use crate::typed::volatile;
use crate::{Device, Error, Heap, Placement, Result};

/// `len` values of `T` in memory that GPUs reach, at the same address as for the host.
///
/// It is freed when it is dropped, or when the GPU is done with what was submitted with it, whichever is later. A queue
/// notices that its work is done when something is submitted to it or it is waited for, not by waits for tickets and
/// signals: a queue that is not used any more keeps the memory.
///
/// A slice of it cannot be held while a launch writes to it:
///
/// ```compile_fail,E0502
/// # use kfd::*;
/// # fn example(queue: &mut Queue, kernel: &Kernel, grid: aql::Geometry, buffer: &mut Buffer<f32>) -> Result<()> {
/// let host = buffer.host()?;
/// let pending = unsafe { queue.launch(kernel, grid)?.buffer_mut(buffer).submit()? };
/// println!("{}", host[0]);
/// # Ok(()) }
/// ```
///
/// nor the buffer dropped while a `Pending` borrows it:
///
/// ```compile_fail,E0505
/// # use kfd::*;
/// # fn example(queue: &mut Queue, kernel: &Kernel, grid: aql::Geometry, mut buffer: Buffer<f32>) -> Result<()> {
/// let pending = unsafe { queue.launch(kernel, grid)?.buffer_mut(&mut buffer).submit()? };
/// drop(buffer);
/// queue.wait(&pending, Wait::FOREVER)?;
/// # Ok(()) }
/// ```
///
/// Waiting gives it back:
///
/// ```no_run
/// # use kfd::*;
/// # fn example(queue: &mut Queue, kernel: &Kernel, grid: aql::Geometry, buffer: &mut Buffer<f32>) -> Result<()> {
/// let pending = unsafe { queue.launch(kernel, grid)?.buffer_mut(buffer).submit()? };
/// queue.wait(&pending, Wait::FOREVER)?;
/// println!("{}", buffer.host()?[0]);
/// # Ok(()) }
/// ```
///
/// Memory comes in pages, so values may be aligned to 4096 bytes at most. More does not compile:
///
/// ```compile_fail,E0080
/// # use kfd::*;
/// #[derive(Clone, Copy)]
/// #[repr(C, align(8192))]
/// struct Large([u8; 8192]);
/// # // SAFETY: bytes.
/// # unsafe impl bytemuck::Zeroable for Large {}
/// # // SAFETY: bytes.
/// # unsafe impl bytemuck::Pod for Large {}
/// # fn main() { let _ = example as fn(Device) -> Result<()>; }
///
/// # fn example(gpu: Device) -> Result<()> {
/// let buffer = Buffer::<Large>::new(gpu, 1, Placement::HOST)?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Buffer<T> {
    memory: Arc<UsedMemory>,
    /// Bytes of the memory before the first value.
    offset: usize,
    len: usize,
    values: PhantomData<T>,
}

// SAFETY: the memory may be used from any thread; the values are plain data.
unsafe impl<T: Send> Send for Buffer<T> {}
// SAFETY: as above; writing through a shared reference is by volatile accesses.
unsafe impl<T: Sync> Sync for Buffer<T> {}

/// What a fill stores for each value: GPUs fill aligned words of 4 bytes.
pub(crate) fn word<T: Pod>(value: T) -> u32 {
    const { assert!(size_of::<T>() == 4 && align_of::<T>() == 4, "values of 4 bytes, aligned to 4, can be filled with") };
    bytemuck::cast(value)
}

/// Where a copy reads and writes, by device addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub source: u64,
    pub target: u64,
    pub bytes: u64,
}

impl Places {
    /// Those of `count` values. Refuses what is outside of the buffers, and two places of one buffer that overlap:
    /// nothing says in which order the values of a copy are moved.
    pub fn of<T: Pod>(
        from: &Buffer<T>,
        from_index: usize,
        to: &Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Places> {
        let distance = from_index.abs_diff(to_index);
        if std::ptr::eq(from, to) && distance < count {
            let (subject, expected) = (
                "the distance of the two places of a copy within a buffer, in values",
                "at least as many as are copied",
            );
            return Err(Error::Value { subject, value: distance as u64, expected });
        }
        let (source, bytes) = from.bytes_at(from_index, count)?;
        let (target, _) = to.bytes_at(to_index, count)?;
        Ok(Places { source, target, bytes })
    }
}

impl<T: Pod> Buffer<T> {
    /// Memory starts at a page, so values may be aligned to one at most. For each constructor to look at.
    const ALIGNED: () = assert!(align_of::<T>() <= PAGE, "a Buffer's values may be aligned to 4096 bytes at most");

    /// Allocates memory for `len` values, mapped to `device`. What is in it first is not defined: VRAM of others before
    /// is not cleared by every driver.
    ///
    /// # Errors
    /// [`Error::Value`] for no or too many values, [`Error::Unsupported`] for a placement that the GPU has not,
    /// [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    #[doc(alias = "hsa_amd_memory_pool_allocate")]
    #[doc(alias = "hipMalloc")]
    pub fn new(device: Device, len: usize, placement: Placement) -> Result<Buffer<T>> {
        let () = Self::ALIGNED;
        let bytes = len.saturating_mul(size_of::<T>());
        let memory = Memory::new(device, bytes, placement)?;
        Ok(Buffer { memory: UsedMemory::new(memory), offset: 0, len, values: PhantomData })
    }

    /// Maps values that the program has to `device`, without a copy (a "user pointer"). The GPU has them at an address
    /// of its own, [`address`](Self::address). The host has them by the program's own pointer: slices of this buffer
    /// are [`Error::NotVisible`].
    ///
    /// # Safety
    /// The memory stays where it is until the buffer is dropped and all work with it is done, and while work runs that
    /// writes to it, nothing else touches it.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub unsafe fn of_program(
        device: Device,
        values: NonNull<T>,
        len: usize,
        placement: Placement,
    ) -> Result<Buffer<T>> {
        let () = Self::ALIGNED;
        let bytes = len.saturating_mul(size_of::<T>());
        let offset = values.addr().get() % PAGE;
        // Wrapping: the start of the page may be outside the allocation that the values are in.
        let start = NonNull::new(values.as_ptr().cast::<u8>().wrapping_sub(offset)).ok_or(Error::Value {
            subject: "the address of the program's values",
            value: values.addr().get() as u64,
            expected: "behind the first page of the address space",
        })?;
        // SAFETY: the caller's promise, for whole pages.
        let memory = unsafe { Memory::of_program(device, start, bytes.saturating_add(offset), placement) }?;
        Ok(Buffer { memory: UsedMemory::new(memory), offset, len, values: PhantomData })
    }

    /// The memory behind a dma-buf, mapped to `device`: as many values as it holds. The descriptor may be closed
    /// afterwards. The host does not see it through this buffer.
    ///
    /// # Safety
    /// Others have the memory too. While they, in this process or another, hold slices of it or run work with it,
    /// nothing conflicts with what is done with this buffer.
    ///
    /// # Errors
    /// [`Error::Request`] for descriptors that are no dma-buf of an AMD GPU, [`Error::Lost`], [`Error::Forked`].
    pub unsafe fn import(device: Device, dmabuf: BorrowedFd<'_>) -> Result<Buffer<T>> {
        let () = Self::ALIGNED;
        let memory = Memory::import(device, dmabuf)?;
        let len = memory.bytes() / size_of::<T>().max(1);
        Ok(Buffer { memory: UsedMemory::new(memory), offset: 0, len, values: PhantomData })
    }

    /// A dma-buf of it, for other drivers and processes. It keeps the memory even when the buffer is dropped. Who
    /// imports it sees all of the buffer's pages.
    ///
    /// # Safety
    /// As of [`import`](Self::import), from the other side: while slices of this buffer are held or work runs with it,
    /// what others do with the memory does not conflict.
    ///
    /// # Errors
    /// [`Error::Unsupported`] before version 1.12 of the driver's interface, [`Error::Request`], [`Error::Forked`].
    pub unsafe fn export(&self) -> Result<OwnedFd> {
        self.memory.export()
    }

    /// Maps it to another GPU, which then has it at the same address. Drivers can do so between GPUs that reach each
    /// other by xGMI or PCIe.
    ///
    /// # Errors
    /// [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    pub fn map_to(&self, device: Device) -> Result<()> {
        self.memory.map_to(device)
    }

    /// The same memory as values of another type, of which there are as many as its bytes are.
    ///
    /// # Errors
    /// [`Error::Value`] if its bytes are not whole values of the other type, or its address is not aligned for them.
    /// The buffer is dropped then.
    ///
    /// ```no_run
    /// # use kfd::*;
    /// # fn example(gpu: Device) -> Result<()> {
    /// let bytes = Buffer::<u8>::new(gpu, 4096, Placement::HOST)?;
    /// let floats = bytes.cast::<f32>()?;
    /// assert_eq!(floats.len(), 1024);
    /// # Ok(()) }
    /// ```
    pub fn cast<U: Pod>(self) -> Result<Buffer<U>> {
        let () = Buffer::<U>::ALIGNED;
        let bytes = self.len * size_of::<T>();
        let refuse = |subject, value, expected| Err(Error::Value { subject, value, expected });
        if size_of::<U>() == 0 || !bytes.is_multiple_of(size_of::<U>()) {
            return refuse("a buffer's size in bytes", bytes as u64, "a multiple of that of the other type's values");
        }
        if !self.address().is_multiple_of(align_of::<U>() as u64) {
            return refuse("a buffer's address", self.address(), "aligned for the other type's values");
        }
        let len = bytes / size_of::<U>();
        Ok(Buffer { memory: self.memory, offset: self.offset, len, values: PhantomData })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Device address of the first value.
    pub fn address(&self) -> u64 {
        self.memory.address() + self.offset as u64
    }

    /// Which memory it is in.
    pub fn heap(&self) -> Heap {
        self.memory.heap()
    }

    /// The device that it was allocated on.
    pub fn device(&self) -> Device {
        self.memory.device()
    }

    /// The values, as long as no work can write to them. Asks the queues how far they are, whoever waited for what;
    /// makes no system call.
    ///
    /// # Errors
    /// [`Error::NotVisible`]; [`Error::InUse`] while work that writes to it is not done; [`Error::Forked`].
    pub fn host(&self) -> Result<&[T]> {
        let start = self.host_start()?;
        if self.memory.uses.any_writes() {
            return Err(Error::InUse);
        }
        self.before_loads();
        // SAFETY: mapped, aligned as `ALIGNED` says, values of plain data. No work writes to it: what was submitted is
        // done, and what will be needs `&mut self`, which this borrow excludes.
        Ok(unsafe { std::slice::from_raw_parts(start.as_ptr(), self.len) })
    }

    /// The values, to change them. In [`Placement::VISIBLE`] GPUs see the changes when this thread next submits
    /// something to any queue or sets a [`Signal`](crate::Signal).
    ///
    /// # Errors
    /// [`Error::NotVisible`]; [`Error::InUse`] while work that uses it is not done; [`Error::Forked`].
    pub fn host_mut(&mut self) -> Result<&mut [T]> {
        // Before all others: the first error of a child of a fork, and of memory that the host does not see.
        self.host_start()?;
        if self.memory.uses.any() {
            return Err(Error::InUse);
        }
        self.before_loads();
        // SAFETY: the offset is below the memory's size.
        let start = unsafe { self.memory.host()?.add(self.offset) }.cast::<T>();
        // SAFETY: as in `host`, and no work reads it.
        Ok(unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), self.len) })
    }

    /// Copies values out, beginning with number `from`. Work may write them meanwhile: each naturally aligned word of
    /// up to 8 bytes is read by one access, and so an integer or float is whole, of some moment. Larger values may be
    /// of several.
    ///
    /// # Errors
    /// [`Error::NotVisible`], [`Error::Range`], [`Error::Forked`].
    pub fn read(&self, from: usize, into: &mut [T]) -> Result<()> {
        self.check_range(from, into.len())?;
        // SAFETY: inside the buffer, by the check.
        let source = unsafe { self.host_start()?.add(from) };
        self.before_loads();
        // SAFETY: both are valid for the bytes; plain data.
        unsafe { volatile::read(source.as_ptr().cast(), into.as_mut_ptr().cast(), size_of_val(into)) };
        Ok(())
    }

    /// Copies values in, beginning with number `at`. Work that reads them meanwhile sees each naturally aligned word of
    /// up to 8 bytes as it was before or as it is after, and when this returns, as it is after.
    ///
    /// # Errors
    /// [`Error::NotVisible`], [`Error::Range`], [`Error::Forked`].
    pub fn write(&mut self, at: usize, values: &[T]) -> Result<()> {
        self.check_range(at, values.len())?;
        // SAFETY: inside the buffer, by the check.
        let target = unsafe { self.host_start()?.add(at) };
        // SAFETY: both are valid for the bytes; plain data.
        unsafe { volatile::write(values.as_ptr().cast(), target.as_ptr().cast(), size_of_val(values)) };
        self.memory.flush();
        Ok(())
    }

    /// Keeps what is loaded next behind what was looked at before, such as how far a queue is. Cores do so for ordinary
    /// memory. Loads of write-combining memory they may do early, and nothing tells them that it has changed since
    /// (Intel's manual, LFENCE and "weakly ordered memory types").
    fn before_loads(&self) {
        if self.heap() == Heap::VisibleVram {
            fence();
        }
    }

    pub(crate) fn memory(&self) -> &Arc<UsedMemory> {
        &self.memory
    }

    /// Device address of `count` values from number `from` on, and their bytes.
    pub(crate) fn bytes_at(&self, from: usize, count: usize) -> Result<(u64, u64)> {
        self.check_range(from, count)?;
        Ok((self.address() + (from * size_of::<T>()) as u64, (count * size_of::<T>()) as u64))
    }

    fn check_range(&self, start: usize, count: usize) -> Result<()> {
        match start.checked_add(count) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(Error::Range { start, count, len: self.len }),
        }
    }

    fn host_start(&self) -> Result<NonNull<T>> {
        // SAFETY: the offset is below the memory's size.
        Ok(unsafe { self.memory.host_start()?.add(self.offset) }.cast())
    }
}
