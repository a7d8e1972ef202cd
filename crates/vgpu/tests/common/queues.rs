//! Queues made by the driver's requests alone, and memory for them.

use super::{Device, GTT, map_host, map_object, reserve};
use kfd_sys::*;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A buffer of the first GPU's, mapped for both at the same address, and its handle.
pub fn buffer(device: &Device, size: usize) -> (u64, u64) {
    buffer_of(device, size, GTT | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
}

/// As [`buffer`], made with these `KFD_IOC_ALLOC_MEM_FLAGS_*`.
pub fn buffer_of(device: &Device, size: usize, flags: u32) -> (u64, u64) {
    let va = reserve(size);
    let object = device.alloc(0, va, size as u64, flags, 0).unwrap();
    device.map(object.handle, &device.gpu_ids[..1]).unwrap();
    map_object(va, size, &device.render[0], object.mmap_offset);
    (va, object.handle)
}

pub fn dword(address: u64) -> &'static AtomicU32 {
    // SAFETY: of a buffer that this process never unmaps.
    unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
}

pub fn qword(address: u64) -> &'static AtomicU64 {
    // SAFETY: as above.
    unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
}

/// Sizes of a compute queue's context save area, of the control stack in it, and of what debuggers need behind it.
///
/// The first two are in the topology. The tests do not ask `vgpu` itself: a program that has it inside is not in front
/// of it any more.
fn context_save() -> (u32, u32, u32) {
    let text = std::fs::read_to_string("/sys/class/kfd/kfd/topology/nodes/1/properties").unwrap();
    let value = |key: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u32>().ok());
        found.unwrap_or_else(|| panic!("no {key} in\n{text}"))
    };
    // 32 bytes a wave, of which a gfx908 has 40 in each compute unit, and 512 in each shader engine at most.
    let waves = (value("simd_count ") / value("simd_per_cu ") * 40).min(value("array_count ") * 512);
    (value("cwsr_size "), value("ctl_stack_size "), (waves * 32).next_multiple_of(64))
}

/// Bytes of a queue's ring.
pub const RING: u32 = 4096;

/// A queue of the first GPU with its ring and its pointers in buffers of their own.
pub fn queue(device: &Device, queue_type: u32) -> kfd_ioctl_create_queue_args {
    queue_with(device, queue_type, |_| {})
}

/// As [`queue`], with something changed in the request.
pub fn queue_with(
    device: &Device,
    queue_type: u32,
    change: impl FnOnce(&mut kfd_ioctl_create_queue_args),
) -> kfd_ioctl_create_queue_args {
    try_queue_with(device, queue_type, change).unwrap()
}

/// As [`queue_with`], of a request that may be refused.
pub fn try_queue_with(
    device: &Device,
    queue_type: u32,
    change: impl FnOnce(&mut kfd_ioctl_create_queue_args),
) -> std::io::Result<kfd_ioctl_create_queue_args> {
    let (area_size, control_stack, _) = context_save();
    let (ring, _) = buffer(device, RING as usize);
    let (pointers, _) = buffer(device, 4096);
    let (area, _) = buffer(device, context_save_bytes());
    let mut queue = kfd_ioctl_create_queue_args {
        gpu_id: device.gpu_ids[0],
        queue_type,
        queue_percentage: 100,
        queue_priority: 7,
        ring_size: RING,
        ring_base_address: ring,
        read_pointer_address: pointers,
        write_pointer_address: pointers + 8,
        ctx_save_restore_address: area,
        ctx_save_restore_size: area_size,
        ctl_stack_size: control_stack,
        ..Default::default()
    };
    change(&mut queue);
    // SAFETY: the addresses are of the GPU, and checked.
    unsafe { amdkfd_ioc_create_queue(device.fd(), &mut queue) }.map(|()| queue)
}

/// Bytes that the driver wants mapped at a compute queue's context save area, what debuggers need included.
pub fn context_save_bytes() -> usize {
    let (area_size, _, debugger) = context_save();
    (area_size + debugger).next_multiple_of(4096) as usize
}

/// Puts `dwords` into a new queue, whose doorbells count `unit` bytes, and rings.
pub fn submit(device: &Device, queue: &kfd_ioctl_create_queue_args, dwords: &[u32], unit: u64) {
    for (index, dword_value) in dwords.iter().enumerate() {
        dword(queue.ring_base_address + 4 * index as u64).store(*dword_value, Ordering::Relaxed);
    }
    let offset = queue.doorbell_offset & !0x1fff;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let doorbells = map_host(std::ptr::null_mut(), 8192, access, libc::MAP_SHARED, device.kfd.as_raw_fd(), offset);
    let written = dwords.len() as u64 * 4 / unit;
    qword(queue.write_pointer_address).store(written, Ordering::Release);
    qword(doorbells + (queue.doorbell_offset & 0x1fff)).store(written, Ordering::Release);
}

pub fn destroy(device: &Device, queue: &kfd_ioctl_create_queue_args) {
    let mut args = kfd_ioctl_destroy_queue_args { queue_id: queue.queue_id, ..Default::default() };
    // SAFETY: no addresses.
    unsafe { amdkfd_ioc_destroy_queue(device.fd(), &mut args) }.unwrap();
}
