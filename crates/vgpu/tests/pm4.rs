//! A PM4 compute queue through the driver's interface, as a client without AMD's runtime uses it.

mod common;

use common::{Device, GTT, map_host, map_object, on_gpu, reserve};
use kfd_sys::*;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use vgpu::hardware::profile::MI100;

/// A buffer of the GPU's, mapped for both at the same address.
fn buffer(device: &Device, size: usize) -> (u64, u64) {
    let va = reserve(size);
    let object = device.alloc(0, va, size as u64, GTT, 0).unwrap();
    device.map(object.handle, &device.gpu_ids).unwrap();
    map_object(va, size, &device.render[0], object.mmap_offset);
    (va, object.handle)
}

fn dword(address: u64) -> &'static AtomicU32 {
    // SAFETY: of a buffer that this process never unmaps.
    unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
}

fn qword(address: u64) -> &'static AtomicU64 {
    // SAFETY: as above.
    unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
}

#[test]
fn a_pm4_queue_writes_and_raises_an_event() {
    on_gpu("a_pm4_queue_writes_and_raises_an_event", || {
        let device = Device::open(1);
        let save = MI100.context_save();
        let (ring, _) = buffer(&device, 4096);
        let (pointers, _) = buffer(&device, 4096);
        let (out, _) = buffer(&device, 4096);
        let (area, _) = buffer(&device, (save.area + save.debugger).next_multiple_of(4096) as usize);
        let (slots, page) = buffer(&device, 8 * 4096);
        let mut event = kfd_ioctl_create_event_args {
            event_page_offset: page,
            event_type: KFD_IOC_EVENT_SIGNAL,
            auto_reset: 1,
            ..Default::default()
        };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_create_event(device.fd(), &mut event) }.unwrap();
        let mut queue = kfd_ioctl_create_queue_args {
            gpu_id: device.gpu_ids[0],
            queue_type: KFD_IOC_QUEUE_TYPE_COMPUTE,
            queue_percentage: 100,
            queue_priority: 7,
            ring_size: 4096,
            ring_base_address: ring,
            read_pointer_address: pointers,
            write_pointer_address: pointers + 8,
            ctx_save_restore_address: area,
            ctx_save_restore_size: save.area,
            ctl_stack_size: save.control_stack,
            ..Default::default()
        };
        // SAFETY: the addresses are of the GPU, and checked.
        unsafe { amdkfd_ioc_create_queue(device.fd(), &mut queue) }.unwrap();
        let offset = queue.doorbell_offset & !0x1fff;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let doorbells = map_host(std::ptr::null_mut(), 8192, access, libc::MAP_SHARED, device.kfd.as_raw_fd(), offset);
        let doorbell = qword(doorbells + (queue.doorbell_offset & 0x1fff));
        let [low, high] = [|address: u64| address as u32, |address: u64| (address >> 32) as u32];
        let slot = slots + 8 * u64::from(event.event_slot_index);
        let packets = [
            // WRITE_DATA of two dwords; RELEASE_MEM of the event's id to its slot, with an interrupt.
            [0xc004_3702, 5 << 8, low(out), high(out), 7, 8].as_slice(),
            &[0xc006_4902, 0x14 | 5 << 8, 1 << 29 | 2 << 24, low(slot), high(slot), event.event_id, 0, event.event_id],
        ]
        .concat();
        for (index, packet) in packets.iter().enumerate() {
            dword(ring + 4 * index as u64).store(*packet, Ordering::Relaxed);
        }
        qword(pointers + 8).store(packets.len() as u64, Ordering::Release);
        doorbell.store(packets.len() as u64, Ordering::Release);
        let mut data = kfd_event_data { event_id: event.event_id, ..Default::default() };
        let mut wait = kfd_ioctl_wait_events_args {
            events_ptr: std::ptr::from_mut(&mut data).expose_provenance() as u64,
            num_events: 1,
            wait_for_all: 1,
            timeout: 30_000,
            ..Default::default()
        };
        // SAFETY: `data` is writable while the request lasts.
        unsafe { amdkfd_ioc_wait_events(device.fd(), &mut wait) }.unwrap();
        assert_eq!(wait.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
        assert_eq!([0, 4].map(|at| dword(out + at).load(Ordering::Acquire)), [7, 8]);
        assert_eq!(dword(pointers).load(Ordering::Acquire) as usize, packets.len());
        // SAFETY: no addresses.
        unsafe {
            amdkfd_ioc_destroy_queue(
                device.fd(),
                &mut kfd_ioctl_destroy_queue_args { queue_id: queue.queue_id, ..Default::default() },
            )
        }
        .unwrap();
    });
}
