//! dma-bufs: a GPU's memory behind a descriptor, for other APIs, drivers and processes.

use std::ffi::c_void;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;

use bytemuck::Pod;
use dmabuf_channel::DmaBuf;
use hip_sys::{hipExternalMemoryBufferDesc, hipExternalMemoryHandleDesc, hipExternalMemoryHandleType};
use kfd_sys::{KFD_IOC_ALLOC_MEM_FLAGS_VRAM, dmabuf_info};

use crate::allocation::{Allocation, Owner};
use crate::apis::call::{call, log};
use crate::apis::device;
use crate::session::{Place, Residency};
use crate::{Buffer, Error, Hip, OpenCl, Result, Session};

impl Place {
    /// Whose memory a dma-buf is, by the driver that made it.
    ///
    /// # Errors
    /// [`Error::Driver`] if the driver cannot be asked or does not know it; [`Error::Open`], [`Error::Topology`].
    pub fn of_dma_buf(dma_buf: &DmaBuf) -> Result<Place> {
        let kfd = kfd_sys::open_kfd().map_err(Error::Open)?;
        // SAFETY: opened above.
        let info = unsafe { dmabuf_info(kfd.as_fd(), dma_buf.as_fd()) }
            .map_err(|reason| Error::Driver { request: "AMDKFD_IOC_GET_DMABUF_INFO", reason })?;
        if info.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM == 0 {
            return Ok(Place::Host);
        }
        let gpu = device::gpus()?.into_iter().find(|(_, node)| node.gpu_id() == info.gpu_id);
        let unknown =
            || Error::NoDevice(format!("the dma-buf is of a GPU that this process may not see ({})", info.gpu_id));
        gpu.map(|(pci, _)| Place::Gpu(pci)).ok_or_else(unknown)
    }
}

/// The blocks of HSA's runtime (`block_size_` of `MemoryRegion::BlockAllocator`, amd_memory_region.h): it cuts
/// allocations out of them, and one that was all of a block leaves it for others when it is freed. What is longer has
/// an object of whole blocks that nobody else ever has (`SimpleHeap` of simple_heap.h).
const BLOCK: u64 = 2 << 20;

impl<T: Pod, Side> Buffer<T, Side> {
    /// A dma-buf of a buffer object in which no other buffer is, or will be.
    ///
    /// HSA's runtime cuts allocations of up to 2 MiB out of blocks that it keeps: also those of exactly 2 MiB, whose
    /// block it gives to others when they are freed, while the dma-buf still shows it. So a buffer that is to be
    /// exported has more than 2 MiB.
    ///
    /// A buffer of a [`BufferPool`](crate::memory::BufferPool) that was exported does not go back to the pool: whoever
    /// has the descriptor would share the next user's contents.
    ///
    /// # Errors
    /// [`Error::Argument`] if the buffer has no more than 2 MiB
    /// ([`export_with_neighbours`](Buffer::export_with_neighbours)), and for memory that was imported or is the host's;
    /// [`Error::Call`].
    #[doc(alias = "hsa_amd_portable_export_dmabuf")]
    pub fn export(&self) -> Result<DmaBuf> {
        let exported = self.export_with_neighbours()?;
        if exported.bytes() > BLOCK && exported.object_bytes() == exported.bytes().next_multiple_of(BLOCK) {
            return Ok(exported);
        }
        let reason = format!(
            "the descriptor would give access to {} bytes, in which other buffers are, or will be when this one of {} bytes is dropped; allocate more than 2 MiB, or \
             call `export_with_neighbours`",
            exported.object_bytes(),
            exported.bytes()
        );
        Err(Error::Argument { subject: "export", reason })
    }

    /// A dma-buf of the whole buffer object that these bytes are in. Whoever gets the descriptor can read and write all
    /// of it: also other buffers of this process that are in it now or later. [`DmaBuf::object_bytes`] says how much
    /// that is.
    ///
    /// # Errors
    /// [`Error::Argument`] for memory that was imported, whose first descriptor will do, or is the host's;
    /// [`Error::Call`].
    pub fn export_with_neighbours(&self) -> Result<DmaBuf> {
        let refuse = |reason: String| Err(Error::Argument { subject: "export", reason });
        // HSA's runtime ends the process at what it did not allocate itself.
        if self.memory.is_imported() {
            return refuse("the buffer was imported; pass on the dma-buf that it was made of".to_owned());
        }
        if self.residency().place == Place::Host {
            return refuse("the buffer is host memory, of which the driver gives no dma-buf".to_owned());
        }
        let (hsa, pointer) = (&self.memory.core().libraries.hsa, self.memory.pointer());
        let bytes = self.len() * size_of::<T>();
        let (mut fd, mut offset) = (-1, 0);
        // SAFETY: `bytes` bytes of an allocation; writes a descriptor and an offset.
        unsafe { call!(hsa, hsa_amd_portable_export_dmabuf(pointer, bytes, &mut fd, &mut offset)) }?;
        // Who imports it here has the bytes at another address.
        self.memory.give_address();
        self.memory.leave_home();
        // SAFETY: made for this call.
        Ok(DmaBuf::from_fd(unsafe { OwnedFd::from_raw_fd(fd) }, offset, bytes as u64)?)
    }
}

impl Session {
    /// A buffer on the bytes of a dma-buf, by HSA's runtime, of as many whole elements as there are. Both APIs' kernels
    /// use it; HIP's memory functions do not know it. The dma-buf is not needed afterwards.
    ///
    /// OpenCL does not know this memory; kernels are kept in order as with [`allocate_hip`](Session::allocate_hip).
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no whole element, or the bytes are not aligned for it; [`Error::NotResident`] if
    /// they are another GPU's; [`Error::Driver`] if the driver does not take the descriptor; [`Error::Call`].
    #[doc(alias = "hsa_amd_interop_map_buffer")]
    pub fn import<T: Pod>(&self, from: &DmaBuf) -> Result<Buffer<T, OpenCl>> {
        let len = elements::<T>(from)?;
        let place = self.place_of(from)?;
        let (mut agent, hsa) = (self.device().hsa(), &self.0.libraries.hsa);
        let (mut size, mut base, no_metadata) = (0, null_mut::<c_void>(), null_mut());
        let fd = from.as_fd().as_raw_fd();
        // SAFETY: one agent; a descriptor that the driver knows, and that stays ours; writes size and address.
        unsafe {
            call!(hsa, hsa_amd_interop_map_buffer(1, &mut agent, fd, 0, &mut size, &mut base, no_metadata, null_mut()))
        }?;
        let base = base.expose_provenance();
        let (address, bytes) = (base as u64 + from.offset(), from.bytes() as usize);
        let residency = Residency { place, base: base as u64, bytes: size };
        let memory =
            Allocation::proven(&self.0, Owner::Mapped(base), address, bytes, || residency.inside(address, bytes))?;
        Buffer::new(memory, len)
    }

    /// A buffer on the bytes of a dma-buf, by HIP, for code that needs memory which HIP's own functions know; else
    /// [`import`](Session::import) is the better choice. The dma-buf is not needed afterwards.
    ///
    /// HIP 7.2 keeps the buffer object mapped for the rest of the process after the buffer was given back.
    ///
    /// # Errors
    /// As [`import`](Session::import). HIP says `hipErrorOutOfMemory` whatever the cause.
    #[doc(alias = "hipImportExternalMemory")]
    pub fn import_hip<T: Pod>(&self, from: &DmaBuf) -> Result<Buffer<T, Hip>> {
        let len = elements::<T>(from)?;
        // Also since HIP 5 and 6 can end the process at a descriptor that the driver does not take, if an earlier
        // import was given back.
        let place = self.place_of(from)?;
        self.0.select_device()?;
        let hip = &self.0.libraries.hip;
        let mut handle = hipExternalMemoryHandleDesc {
            type_: hipExternalMemoryHandleType::hipExternalMemoryHandleTypeOpaqueFd,
            size: from.object_bytes(),
            ..Default::default()
        };
        handle.handle.fd = from.as_fd().as_raw_fd();
        let mut memory = null_mut();
        // SAFETY: a descriptor that the driver knows, and its size; it stays ours.
        unsafe { call!(hip, hipImportExternalMemory(&mut memory, &handle)) }?;
        let part = hipExternalMemoryBufferDesc { offset: from.offset(), size: from.bytes(), ..Default::default() };
        let mut pointer = null_mut();
        // SAFETY: imported above; the part is inside.
        let mapped = unsafe { call!(hip, hipExternalMemoryGetMappedBuffer(&mut pointer, memory, &part)) };
        mapped.inspect_err(|_| {
            // SAFETY: imported above, not mapped.
            log(unsafe { call!(hip, hipDestroyExternalMemory(memory)) });
        })?;
        let (address, bytes) = (pointer.expose_provenance() as u64, from.bytes() as usize);
        let memory = Allocation::proven(&self.0, Owner::External(memory), address, bytes, || {
            let found = self.0.imported(address, place)?;
            found.inside(address, bytes)
        })?;
        Buffer::new(memory, len)
    }

    /// Whose memory it is: this session's GPU's or the host's.
    fn place_of(&self, from: &DmaBuf) -> Result<Place> {
        let (place, own) = (Place::of_dma_buf(from)?, self.device().pci());
        if [Place::Host, Place::Gpu(own)].contains(&place) {
            return Ok(place);
        }
        let reason = format!("the dma-buf is {place}, not of the GPU at {own}; import it in a session on that GPU");
        Err(Error::NotResident { address: from.offset(), bytes: from.bytes() as usize, reason })
    }
}

/// How many elements the bytes are.
fn elements<T>(from: &DmaBuf) -> Result<usize> {
    let size = size_of::<T>() as u64;
    if size == 0 || from.bytes() < size || !from.offset().is_multiple_of(align_of::<T>() as u64) {
        let reason = format!(
            "{} bytes at {} have no whole element of {size} bytes aligned to {}",
            from.bytes(),
            from.offset(),
            align_of::<T>()
        );
        return Err(Error::Argument { subject: "dma-buf", reason });
    }
    // An object is shorter than the address space.
    Ok((from.bytes() / size) as usize)
}

#[cfg(test)]
mod tests {
    use super::{DmaBuf, OwnedFd, elements};

    fn object(bytes: u64) -> OwnedFd {
        let file = rustix::fs::memfd_create("rocm-interop", rustix::fs::MemfdFlags::CLOEXEC).expect("memfd");
        rustix::fs::ftruncate(&file, bytes).expect("a size");
        file
    }

    #[test]
    fn elements_are_whole_and_aligned() {
        let part = |offset, bytes| DmaBuf::from_fd(object(4096), offset, bytes).expect("inside");
        assert_eq!(elements::<u32>(&part(8, 4088)).expect("elements"), 1022);
        assert_eq!(elements::<u32>(&part(4, 7)).expect("elements"), 1);
        assert_eq!(elements::<[u8; 3]>(&part(1, 7)).expect("elements"), 2);
        for (offset, bytes) in [(4, 3), (2, 8)] {
            let error = elements::<u32>(&part(offset, bytes)).expect_err("none").to_string();
            assert!(error.contains("have no whole element of 4 bytes aligned to 4"), "{error}");
        }
        elements::<[u32; 0]>(&part(0, 8)).expect_err("elements without bytes");
    }
}
