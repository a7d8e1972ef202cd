//! Memory that comes from Vulkan and goes to it by descriptor.
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};

use ash::{khr, vk};

use crate::example::device::{Buffer, Vulkan};

impl Vulkan {
    /// A buffer in memory of its own, and the descriptor by which others get it.
    pub fn exported(
        &self,
        bytes: usize,
        kind: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<(Buffer<'_>, OwnedFd), vk::Result> {
        let (buffer, requirements) = self.storage_buffer(bytes, kind);
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(kind);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size)
            .memory_type_index(requirements.memory_type_bits.trailing_zeros())
            .push_next(&mut export);
        // SAFETY: of a type that the buffer can have.
        let buffer = self.bind(buffer, || unsafe { self.device.allocate_memory(&allocate, None) })?;
        let get = vk::MemoryGetFdInfoKHR::default().memory(buffer.memory).handle_type(kind);
        // SAFETY: memory that was made to be exported so; the descriptor is this program's.
        let fd = unsafe {
            let fd = khr::external_memory_fd::Device::new(&self.instance, &self.device).get_memory_fd(&get)?;
            OwnedFd::from_raw_fd(fd)
        };
        Ok((buffer, fd))
    }

    /// A buffer in somebody else's memory. Vulkan owns the descriptor if it takes it.
    pub fn imported(&self, fd: OwnedFd, bytes: usize) -> Result<Buffer<'_>, vk::Result> {
        let kind = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
        let (buffer, requirements) = self.storage_buffer(bytes, kind);
        let fd = fd.into_raw_fd();
        let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(kind).fd(fd);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(requirements.size)
            .memory_type_index(requirements.memory_type_bits.trailing_zeros())
            .push_next(&mut import);
        // SAFETY: a descriptor of this program, which is Vulkan's from here on if it succeeds.
        let buffer = self.bind(buffer, || unsafe { self.device.allocate_memory(&allocate, None) });
        if buffer.is_err() {
            // SAFETY: it is still this program's.
            drop(unsafe { OwnedFd::from_raw_fd(fd) });
        }
        buffer
    }

    /// Whether buffers can be exported and imported by such handles, as the driver says.
    pub fn supports(&self, kind: vk::ExternalMemoryHandleTypeFlags) -> vk::ExternalMemoryFeatureFlags {
        let about = vk::PhysicalDeviceExternalBufferInfo::default()
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER)
            .handle_type(kind);
        let mut properties = vk::ExternalBufferProperties::default();
        // SAFETY: of the instance.
        unsafe { self.instance.get_physical_device_external_buffer_properties(self.physical, &about, &mut properties) };
        properties.external_memory_properties.external_memory_features
    }
}
