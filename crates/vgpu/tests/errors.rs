//! The errno of everything that the driver refuses.
mod common;

use common::*;
use kfd_sys::*;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::atomic::Ordering;

#[test]
fn unknown_requests_are_enotty() {
    on_gpu("unknown_requests_are_enotty", || {
        let device = Device::open(1);
        let mut bytes = [0u8; 256];
        let mut call = |fd, request| {
            errno(unsafe {
                // SAFETY: the buffer is longer than the size in any of these requests.
                ioctl(fd, request, bytes.as_mut_ptr().cast())
            })
        };
        for number in (0x27..0x80).chain(0x82..0x85).chain(0x86..=0xff).chain([0]) {
            assert_eq!(call(device.fd(), 0xc008_4b00 | number), libc::ENOTTY, "{number:#x}");
        }
        // The DRM layer's answer.
        assert_eq!(call(device.render[0].as_fd(), 0xc008_6470), libc::EINVAL);
    });
}

#[test]
fn bad_addresses_are_efault() {
    on_gpu("bad_addresses_are_efault", || {
        let device = Device::open(1);
        // SAFETY: the device must not crash on a bad address.
        let result = unsafe { ioctl(device.fd(), AMDKFD_IOC_GET_VERSION, std::ptr::without_provenance_mut(8)) };
        assert_eq!(errno(result), libc::EFAULT);
        let mut wait = kfd_ioctl_wait_events_args { events_ptr: 8, num_events: 1, ..Default::default() };
        // SAFETY: as above.
        assert_eq!(errno(unsafe { amdkfd_ioc_wait_events(device.fd(), &mut wait) }), libc::EFAULT);
        // More than the driver can keep track of.
        for (events, expected) in [(74_898, libc::EFAULT), (74_899, libc::ENOMEM), (u32::MAX, libc::ENOMEM)] {
            wait.num_events = events;
            // SAFETY: as above.
            assert_eq!(errno(unsafe { amdkfd_ioc_wait_events(device.fd(), &mut wait) }), expected, "{events}");
            assert_eq!(wait.wait_result, KFD_IOC_WAIT_RESULT_FAIL);
        }
        let object = device.alloc(0, reserve(4096), 4096, GTT, 0).unwrap();
        let mut map = kfd_ioctl_map_memory_to_gpu_args {
            handle: object.handle,
            device_ids_array_ptr: 8,
            n_devices: 1,
            n_success: 0,
        };
        // SAFETY: as above.
        assert_eq!(errno(unsafe { amdkfd_ioc_map_memory_to_gpu(device.fd(), &mut map) }), libc::EFAULT);
    });
}

#[test]
fn the_vm_comes_first_and_once() {
    on_gpus(2, "the_vm_comes_first_and_once", || {
        let device = Device::without_vm(2);
        let [first, second] = device.gpu_ids[..] else { panic!("two GPUs") };
        assert_eq!(errno(device.alloc(0, 0x10_0000, 4096, GTT, 0)), libc::ENODEV);
        assert_eq!(errno(device.acquire_vm(1, device.render[0].as_fd())), libc::EINVAL);
        assert_eq!(errno(device.acquire_vm(second, device.render[0].as_fd())), libc::EINVAL);
        assert_eq!(errno(device.acquire_vm(first, device.kfd.as_fd())), libc::EINVAL);
        device.acquire_vm(first, device.render[0].as_fd()).unwrap();
        device.acquire_vm(first, device.render[0].as_fd()).unwrap();
        let other = open_render_node(128).unwrap();
        assert_eq!(errno(device.acquire_vm(first, other.as_fd())), libc::EBUSY);
        let object = device.alloc(0, 0x10_0000, 4096, GTT, 0).unwrap();
        // The second GPU has no VM yet: the first mapping is kept, as `n_success` says.
        assert_eq!(errno(device.map(object.handle, &device.gpu_ids)), libc::ENODEV);
        assert_eq!(errno(device.free(object.handle)), libc::EBUSY);
    });
}

#[test]
fn gpus_without_links_map_the_hosts_memory_only() {
    on_unlinked_gpus("gpus_without_links_map_the_hosts_memory_only", || {
        let device = Device::open(2);
        let [first, second] = device.gpu_ids[..] else { panic!("two GPUs") };
        let vram = device.alloc(0, reserve(4096), 4096, VRAM, 0).unwrap();
        assert_eq!(device.map(vram.handle, &[first]).unwrap(), 1);
        assert_eq!(errno(device.map(vram.handle, &[second])), libc::EINVAL);
        let host = device.alloc(0, reserve(4096), 4096, GTT, 0).unwrap();
        assert_eq!(device.map(host.handle, &[first, second]).unwrap(), 2);
    });
}

#[test]
fn memory_requests_are_checked() {
    on_gpu("memory_requests_are_checked", || {
        let device = Device::open(1);
        let gpu = device.gpu_ids[0];
        let alloc = |size, flags, host| errno(device.alloc(0, 0x10_0000, size, flags, host));
        assert_eq!(alloc(0, VRAM, 0), libc::EINVAL);
        assert_eq!(alloc(4096, KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, 0), libc::EINVAL);
        assert_eq!(alloc(4096, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, 0), libc::EINVAL);
        assert_eq!(alloc(8192, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, 0), libc::EINVAL);
        assert_eq!(alloc(4096, USERPTR, 0), libc::EINVAL);
        assert_eq!(alloc(4096, USERPTR, 0x1000), libc::EFAULT);
        assert_eq!(alloc(u64::MAX, GTT, 0), libc::EINVAL);
        assert_eq!(alloc(u64::MAX - 4096, VRAM, 0), libc::ENOMEM);

        let object = device.alloc(0, 0x10_0000, 8192, GTT, 0).unwrap();
        assert_eq!(errno(device.unmap(object.handle, &[gpu])), libc::EINVAL);
        assert_eq!(errno(device.map(object.handle, &[])), libc::EINVAL);
        assert_eq!(errno(device.map(object.handle, &[gpu, 1])), libc::EINVAL);
        assert_eq!(errno(device.map(object.handle + 1, &[gpu])), libc::ENOMEM);
        assert_eq!(errno(device.map(7 << 32, &[gpu])), libc::EINVAL);
        // The GPU's page table holds one mapping for an address.
        let other = device.alloc(0, 0x10_1000, 4096, GTT, 0).unwrap();
        assert_eq!(errno(device.map(other.handle, &[gpu])), libc::EINVAL);
        device.unmap(object.handle, &[gpu]).unwrap();
        device.map(other.handle, &[gpu]).unwrap();
        // Outside of the virtual memory of the GPU.
        for va in [0, 1 << 47, 0x7fff_ffff_f000] {
            let object = device.alloc(0, va, 8192, GTT, 0).unwrap();
            assert_eq!(errno(device.map(object.handle, &[gpu])), libc::EINVAL, "{va:#x}");
        }
    });
}

fn queue(
    device: &Device,
    change: impl FnOnce(&mut kfd_ioctl_create_queue_args),
) -> io::Result<kfd_ioctl_create_queue_args> {
    let mut args = kfd_ioctl_create_queue_args {
        gpu_id: device.gpu_ids[0],
        queue_type: KFD_IOC_QUEUE_TYPE_SDMA,
        queue_percentage: 100,
        queue_priority: 7,
        ring_size: 4096,
        ring_base_address: 0x10_0000,
        read_pointer_address: 0x10_1000,
        write_pointer_address: 0x10_1008,
        ..Default::default()
    };
    change(&mut args);
    // SAFETY: the addresses are of the GPU, and checked.
    unsafe { amdkfd_ioc_create_queue(device.fd(), &mut args) }.map(|()| args)
}

/// Maps what [`queue`] asks for.
fn map_queue_buffers(device: &Device) {
    for va in [0x10_0000, 0x10_1000] {
        let object = device.alloc(0, va, 4096, GTT, 0).unwrap();
        device.map(object.handle, &device.gpu_ids).unwrap();
    }
}

#[test]
fn queue_requests_are_checked() {
    on_gpu("queue_requests_are_checked", || {
        let device = Device::open(1);
        let wrong = |change: fn(&mut kfd_ioctl_create_queue_args)| errno(queue(&device, change));
        assert_eq!(wrong(|args| args.queue_percentage = 101), libc::EINVAL);
        assert_eq!(wrong(|args| args.queue_priority = 16), libc::EINVAL);
        assert_eq!(wrong(|args| args.ring_size = 3000), libc::EINVAL);
        assert_eq!(wrong(|args| args.ring_base_address = 1 << 50), libc::EFAULT);
        assert_eq!(wrong(|args| args.ring_base_address = (1 << 47) - 4096), libc::EFAULT);
        // What is wrong first counts.
        assert_eq!(wrong(|args| (args.ring_base_address, args.ring_size) = (1 << 50, 3000)), libc::EFAULT);
        assert_eq!(wrong(|args| (args.read_pointer_address, args.ring_size) = (1 << 50, 3000)), libc::EINVAL);
        assert_eq!(wrong(|args| (args.read_pointer_address, args.queue_type) = (1 << 50, 9)), libc::EFAULT);
        assert_eq!(wrong(|args| args.queue_type = 9), 524);
        assert_eq!(wrong(|args| args.gpu_id = 1), libc::EINVAL);
        // Nothing is mapped at these addresses.
        assert_eq!(wrong(|_| {}), libc::EINVAL);
        // A ring whose mapping has another size.
        map_queue_buffers(&device);
        assert_eq!(wrong(|args| args.ring_size = 8192), libc::EINVAL);
        // Compute queues bring a context save area of the driver's size.
        assert_eq!(wrong(|args| args.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL), libc::EINVAL);

        // SAFETY: no addresses.
        assert_eq!(errno(unsafe { amdkfd_ioc_destroy_queue(device.fd(), &mut Default::default()) }), libc::EINVAL);
        let mut update = kfd_ioctl_update_queue_args { queue_id: 3, ..Default::default() };
        // SAFETY: as above.
        assert_eq!(errno(unsafe { amdkfd_ioc_update_queue(device.fd(), &mut update) }), libc::EFAULT);
        let mut mask = kfd_ioctl_set_cu_mask_args { num_cu_mask: 31, ..Default::default() };
        // SAFETY: as above.
        assert_eq!(errno(unsafe { amdkfd_ioc_set_cu_mask(device.fd(), &mut mask) }), libc::EINVAL);
        // SAFETY: as above.
        assert_eq!(errno(unsafe { amdkfd_ioc_alloc_queue_gws(device.fd(), &mut Default::default()) }), libc::EINVAL);
    });
}

#[test]
fn buffers_of_compute_queues_are_checked() {
    on_gpu("buffers_of_compute_queues_are_checked", || {
        const AQL: u32 = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
        let device = Device::open(1);
        // The EOP buffer has a page and is mapped so. Of its size the driver keeps the lower half. (Whether more is
        // refused depends on the version of Linux.)
        let (page, _) = queues::buffer(&device, 4096);
        let (pages, _) = queues::buffer(&device, 8192);
        let eop = |address: u64, size: u64| {
            let queue = queues::try_queue_with(&device, AQL, |args| {
                (args.eop_buffer_address, args.eop_buffer_size) = (address, size);
            });
            queue.map(|queue| queues::destroy(&device, &queue))
        };
        for (address, size) in [(page, 4096), (page, 1 << 32 | 4096), (0, 0), (0, 1)] {
            eop(address, size).unwrap_or_else(|error| panic!("{size:#x} bytes: {error}"));
        }
        for (address, size) in
            [(page, 0), (page, 1), (page, 2048), (page, 4095), (page, 1 << 32), (page, 8192), (pages, 4096)]
        {
            assert_eq!(errno(eop(address, size)), libc::EINVAL, "{size:#x} bytes");
        }
        assert_eq!(errno(eop(reserve(4096), 4096)), libc::EINVAL, "of no mapping");
        // The context save area and the control stack have the driver's sizes.
        let sized = |change: fn(&mut kfd_ioctl_create_queue_args)| errno(queues::try_queue_with(&device, AQL, change));
        assert_eq!(sized(|args| args.ctl_stack_size -= 4096), libc::EINVAL);
        assert_eq!(sized(|args| args.ctl_stack_size += 4096), libc::EINVAL);
        assert_eq!(sized(|args| args.ctx_save_restore_size -= 4096), libc::EINVAL);
        assert_eq!(sized(|args| args.ctx_save_restore_size += 4096), libc::EINVAL, "more than is mapped");
        assert_eq!(sized(|args| args.ctx_save_restore_address += 4096), libc::EINVAL);
    });
}

/// A context save area in memory of the program that all GPUs may always use, as ROCr makes it.
#[test]
fn a_context_save_area_of_shared_memory_has_no_gaps() {
    on_gpu("a_context_save_area_of_shared_memory_has_no_gaps", || {
        const PAGE: u64 = 4096;
        let device = Device::open(1);
        let size = queues::context_save_bytes() as u64;
        let register = |from: u64, to: u64, flags: u32| {
            let mut args = kfd_ioctl_svm_args {
                start_addr: from,
                size: to - from,
                op: kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR.0,
                ..Default::default()
            };
            let mut list = [
                (kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS.0, device.gpu_ids[0]),
                (kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_SET_FLAGS.0, flags),
            ]
            .map(|(type_, value)| kfd_ioctl_svm_attribute { type_, value });
            // SAFETY: the attributes hold no addresses.
            unsafe { amdkfd_ioc_svm(device.fd(), &mut args, &mut list) }.unwrap();
        };
        const ALWAYS: u32 = KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED;
        /// Parts from page to page, of which the last counts from the end, and what they are registered with.
        type Parts = fn(u64) -> Vec<(u64, u64, u32)>;
        let cases: [(&str, Parts, bool); 7] = [
            ("one part", |end| vec![(0, end, ALWAYS)], true),
            ("two parts", |end| vec![(0, 3, ALWAYS), (3, end, ALWAYS | KFD_IOCTL_SVM_FLAG_GPU_EXEC)], true),
            ("a gap", |end| vec![(0, 3, ALWAYS), (4, end, ALWAYS)], false),
            ("a part that may be unmapped", |end| vec![(0, 3, ALWAYS), (3, 4, 0), (4, end, ALWAYS)], false),
            ("no first page", |end| vec![(1, end, ALWAYS)], false),
            ("no last page", |end| vec![(0, end - 1, ALWAYS)], false),
            ("none", |_| Vec::new(), false),
        ];
        for (name, parts, usable) in cases {
            let area = host_memory(size as usize, libc::PROT_READ | libc::PROT_WRITE);
            for (from, to, flags) in parts(size / PAGE) {
                register(area + from * PAGE, area + to * PAGE, flags);
            }
            let queue = queues::try_queue_with(&device, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, |args| {
                args.ctx_save_restore_address = area;
            });
            match queue {
                Ok(queue) => {
                    assert!(usable, "{name} was accepted");
                    queues::destroy(&device, &queue);
                }
                Err(error) => assert!(!usable && error.raw_os_error() == Some(libc::EINVAL), "{name}: {error}"),
            }
        }
    });
}

/// 127 on a GPU, whatever their kind (`max_queues` of `pqm_create_queue`).
#[test]
fn a_process_has_so_many_queues_on_a_gpu() {
    on_gpu("a_process_has_so_many_queues_on_a_gpu", || {
        let device = Device::open(1);
        // One that runs nothing, whose buffers the others share.
        let first = queues::queue_with(&device, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, |args| args.queue_percentage = 0);
        let again = || {
            let mut args = kfd_ioctl_create_queue_args { queue_id: 0, doorbell_offset: 0, ..first };
            // SAFETY: the addresses are of the GPU, and checked.
            unsafe { amdkfd_ioc_create_queue(device.fd(), &mut args) }.map(|()| args)
        };
        let mut all = vec![first];
        all.extend((1..127).map(|number| again().unwrap_or_else(|error| panic!("queue {number}: {error}"))));
        let mut ids: Vec<u32> = all.iter().map(|queue| queue.queue_id).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..127), "each has a number of its own");
        let mut doorbells: Vec<u64> = all.iter().map(|queue| queue.doorbell_offset).collect();
        doorbells.sort_unstable();
        doorbells.dedup();
        assert_eq!(doorbells.len(), 127);
        assert_eq!(errno(again()), libc::ENOSPC);
        map_queue_buffers(&device);
        assert_eq!(errno(queue(&device, |_| {})), libc::ENOSPC, "SDMA queues count too");
        queues::destroy(&device, &all[40]);
        let new = again().unwrap();
        assert_eq!((new.queue_id, new.doorbell_offset), (all[40].queue_id, all[40].doorbell_offset));
    });
}

/// Memory of the program's for its events: which may be that, how often, and that it stays.
#[test]
fn the_page_of_events_is_checked() {
    on_gpu("the_page_of_events_is_checked", || {
        let device = Device::open(1);
        let event = |page: u64| {
            let mut args = kfd_ioctl_create_event_args { event_page_offset: page, auto_reset: 1, ..Default::default() };
            // SAFETY: no addresses.
            unsafe { amdkfd_ioc_create_event(device.fd(), &mut args) }.map(|()| args)
        };
        // 4096 slots of 8 bytes.
        const BYTES: usize = 4096 * 8;
        let (_, small) = queues::buffer(&device, BYTES - 4096);
        let own = host_memory(BYTES, libc::PROT_READ | libc::PROT_WRITE);
        let user = device.alloc(0, own, BYTES as u64, USERPTR, own).unwrap();
        let (va, page) = queues::buffer(&device, BYTES);
        for wrong in [small, user.handle, page + 100, page ^ 1 << 32] {
            assert_eq!(errno(event(wrong)), libc::EINVAL, "{wrong:#x}");
        }
        let first = event(page).unwrap();
        // Its slot is in that memory: nothing was written to it yet.
        assert_eq!((first.event_id, first.event_slot_index), (1, 1));
        assert_eq!(queues::qword(va + 8).load(Ordering::Acquire), u64::MAX);
        assert_eq!(errno(event(page)), libc::EINVAL, "a second time");
        assert_eq!(event(0).unwrap().event_id, 2, "none was made meanwhile");
        assert_eq!(errno(device.free(page)), libc::EPERM);
        device.unmap(page, &device.gpu_ids).unwrap();
        assert_eq!(errno(device.free(page)), libc::EPERM);
        device.unmap(small, &device.gpu_ids).unwrap();
        device.free(small).unwrap();
    });
}

#[test]
fn a_ring_that_appears_twice_is_two_mappings() {
    on_gpu("a_ring_that_appears_twice_is_two_mappings", || {
        const RING: u64 = 0x20_0000;
        let device = Device::open(1);
        map_queue_buffers(&device);
        let ring = device.alloc(0, RING, 8192, GTT | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM, 0).unwrap();
        device.map(ring.handle, &device.gpu_ids).unwrap();
        let with = |address, size| {
            queue(&device, |args| (args.ring_base_address, args.ring_size) = (address, size)).map(|args| args.queue_id)
        };
        assert_eq!(errno(with(RING, 8192)), libc::EINVAL);
        let first = with(RING, 4096).unwrap();
        let second = with(RING + 4096, 4096).unwrap();
        assert_eq!(errno(device.unmap(ring.handle, &device.gpu_ids)), libc::EBUSY);
        let update = |queue_id, ring_base_address, ring_size| {
            let mut args = kfd_ioctl_update_queue_args {
                queue_id,
                ring_base_address,
                ring_size,
                queue_percentage: 100,
                queue_priority: 7,
            };
            // SAFETY: the addresses are of the GPU, and checked.
            unsafe { amdkfd_ioc_update_queue(device.fd(), &mut args) }
        };
        assert_eq!(errno(update(first, RING, 8192)), libc::EFAULT);
        update(first, RING + 4096, 4096).unwrap();
        update(first, 0x10_0000, 4096).unwrap();
        update(second, 0x10_0000, 4096).unwrap();
        device.unmap(ring.handle, &device.gpu_ids).unwrap();
    });
}

#[test]
fn a_ring_begins_at_a_multiple_of_256_bytes() {
    on_gpu("a_ring_begins_at_a_multiple_of_256_bytes", || {
        let device = Device::open(1);
        let (result, _) = queues::buffer(&device, 4096);
        let mut queue = queues::queue_with(&device, KFD_IOC_QUEUE_TYPE_SDMA, |args| args.ring_base_address += 0xff);
        let asked = queue.ring_base_address;
        queue.ring_base_address &= !0xff;
        // FENCE
        queues::submit(&device, &queue, &[5, result as u32, (result >> 32) as u32, 7], 1);
        while queues::qword(queue.read_pointer_address).load(Ordering::Acquire) != 16 {
            std::thread::yield_now();
        }
        assert_eq!(queues::dword(result).load(Ordering::Acquire), 7);
        // The same when it is changed.
        let mut update = kfd_ioctl_update_queue_args {
            queue_id: queue.queue_id,
            ring_base_address: asked,
            ring_size: queue.ring_size,
            queue_percentage: 100,
            queue_priority: 7,
        };
        // SAFETY: the ring is the queue's own.
        unsafe { amdkfd_ioc_update_queue(device.fd(), &mut update) }.unwrap();
        queues::dword(result).store(0, Ordering::Relaxed);
        for (index, dword) in [5, result as u32, (result >> 32) as u32, 8].into_iter().enumerate() {
            queues::dword(queue.ring_base_address + 16 + 4 * index as u64).store(dword, Ordering::Relaxed);
        }
        let offset = queue.doorbell_offset & !0x1fff;
        let doorbells = map_host(std::ptr::null_mut(), 8192, 3, libc::MAP_SHARED, device.kfd.as_raw_fd(), offset);
        queues::qword(queue.write_pointer_address).store(32, Ordering::Release);
        queues::qword(doorbells + (queue.doorbell_offset & 0x1fff)).store(32, Ordering::Release);
        while queues::qword(queue.read_pointer_address).load(Ordering::Acquire) != 32 {
            std::thread::yield_now();
        }
        assert_eq!(queues::dword(result).load(Ordering::Acquire), 8);
        queues::destroy(&device, &queue);
    });
}

#[test]
fn sdma_queues_are_given_by_engine_and_run_out() {
    on_gpu("sdma_queues_are_given_by_engine_and_run_out", || {
        let device = Device::open(1);
        map_queue_buffers(&device);
        let doorbell = |args: kfd_ioctl_create_queue_args| (args.doorbell_offset & 0x1fff) / 8;
        // The ring gets the least size, of which the caller is told.
        let first = queue(&device, |args| args.ring_size = 0).unwrap();
        assert_eq!((first.queue_id, first.ring_size, doorbell(first)), (0, 1024, 0x100));
        // Doorbells of an engine: even queues in the first page, odd ones in the second. Engines take turns.
        let next: Vec<u64> = (1..5).map(|_| doorbell(queue(&device, |_| {}).unwrap())).collect();
        assert_eq!(next, [0x10a, 0x300, 0x30a, 0x101]);
        let xgmi = |args: &mut kfd_ioctl_create_queue_args| args.queue_type = KFD_IOC_QUEUE_TYPE_SDMA_XGMI;
        assert_eq!(doorbell(queue(&device, xgmi).unwrap()), 0x114);
        let engine = |id| {
            move |args: &mut kfd_ioctl_create_queue_args| {
                (args.queue_type, args.sdma_engine_id) = (KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, id);
            }
        };
        let seventh: Vec<u64> = (0..8).map(|_| doorbell(queue(&device, engine(7)).unwrap())).collect();
        assert_eq!(seventh, [0x146, 0x346, 0x147, 0x347, 0x148, 0x348, 0x149, 0x349]);
        assert_eq!(errno(queue(&device, engine(7))), libc::ENOMEM);
        assert_eq!(errno(queue(&device, engine(8))), libc::EINVAL);
        for _ in 5..16 {
            queue(&device, |_| {}).unwrap();
        }
        assert_eq!(errno(queue(&device, |_| {})), libc::ENOMEM);
        // Buffers are looked at before the engines.
        assert_eq!(errno(queue(&device, |args| args.ring_size = 8192)), libc::EINVAL);
        let mut destroy = kfd_ioctl_destroy_queue_args { queue_id: 1, pad: 0 };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_destroy_queue(device.fd(), &mut destroy) }.unwrap();
        let again = queue(&device, |_| {}).unwrap();
        assert_eq!((again.queue_id, doorbell(again)), (1, 0x10a));
    });
}

#[test]
fn one_queue_of_a_gpu_has_global_wave_sync() {
    on_gpu("one_queue_of_a_gpu_has_global_wave_sync", || {
        let device = Device::open(1);
        map_queue_buffers(&device);
        let [first, second] = [(); 2].map(|()| queue(&device, |_| {}).unwrap().queue_id);
        let alloc = |queue_id, num_gws| {
            let mut args = kfd_ioctl_alloc_queue_gws_args { queue_id, num_gws, first_gws: 7, pad: 0 };
            // SAFETY: no addresses.
            let result = unsafe { amdkfd_ioc_alloc_queue_gws(device.fd(), &mut args) };
            (result.err().and_then(|error| error.raw_os_error()), args.first_gws)
        };
        assert_eq!(alloc(first, 0), (Some(libc::EINVAL), 0));
        assert_eq!(alloc(first, 64), (None, 0));
        assert_eq!(alloc(first, 64), (Some(libc::EBUSY), 0));
        assert_eq!(alloc(second, 64), (Some(libc::EBUSY), 0));
        assert_eq!(alloc(99, 64), (Some(libc::EINVAL), 7));
        assert_eq!(alloc(first, 0), (None, 0));
        assert_eq!(alloc(second, 1), (None, 0));
        // It is free again when the queue is.
        let mut destroy = kfd_ioctl_destroy_queue_args { queue_id: second, pad: 0 };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_destroy_queue(device.fd(), &mut destroy) }.unwrap();
        assert_eq!(alloc(first, 1), (None, 0));
    });
}

#[test]
fn render_node_queries_are_checked() {
    on_gpu("render_node_queries_are_checked", || {
        let device = Device::open(1);
        let ask = |query, room: usize, change: fn(&mut drm_amdgpu_info)| {
            let mut answer = [0u32; 2];
            // SAFETY: integers, of which zeroes are valid.
            let mut info: drm_amdgpu_info = unsafe { std::mem::zeroed() };
            (info.query, info.return_size) = (query, room as u32);
            info.return_pointer = answer.as_mut_ptr().addr() as u64;
            change(&mut info);
            // SAFETY: `answer` has room for what is asked for.
            let result = unsafe { drm_ioctl_amdgpu_info(device.render[0].as_fd(), &mut info) };
            result.map(|()| answer[0]).map_err(|error| error.raw_os_error().unwrap())
        };
        assert_eq!(ask(AMDGPU_INFO_ACCEL_WORKING, 4, |_| {}), Ok(1));
        assert_eq!(ask(AMDGPU_INFO_ACCEL_WORKING, 0, |_| {}), Err(libc::EINVAL));
        assert_eq!(ask(AMDGPU_INFO_ACCEL_WORKING, 4, |info| info.return_pointer = 0), Err(libc::EINVAL));
        assert_eq!(ask(AMDGPU_INFO_ACCEL_WORKING, 4, |info| info.return_pointer = 8), Err(libc::EFAULT));
        macro_rules! register {
            ($offset:expr, $count:expr, $instance:expr) => {
                ask(AMDGPU_INFO_READ_MMR_REG, 4, |info| {
                    info.__bindgen_anon_1.read_mmr_reg = drm_amdgpu_info__bindgen_ty_1__bindgen_ty_3 {
                        dword_offset: $offset,
                        count: $count,
                        instance: $instance,
                        flags: 0,
                    }
                })
            };
        }
        assert_eq!(register!(0x263e, 1, u32::MAX), Ok(0x2a11_4042));
        assert_eq!(register!(0x263e, 1, 0x0103), Ok(0x2a11_4042));
        assert_eq!(register!(0x263e, 1, 0xff04), Err(libc::EINVAL));
        assert_eq!(register!(0x263e, 1, 0x02ff), Err(libc::EINVAL));
        assert_eq!(register!(0x263e, 129, u32::MAX), Err(libc::EINVAL));
        assert_eq!(register!(0x263f, 1, u32::MAX), Err(libc::EFAULT));
        assert_eq!(register!(1, 0, u32::MAX), Ok(0));
        macro_rules! firmware {
            ($kind:expr, $index:expr, $instance:expr) => {
                ask(AMDGPU_INFO_FW_VERSION, 8, |info| {
                    info.__bindgen_anon_1.query_fw =
                        drm_amdgpu_query_fw { fw_type: $kind, ip_instance: $instance, index: $index, _pad: 0 }
                })
            };
        }
        assert_eq!(firmware!(AMDGPU_INFO_FW_GFX_MEC, 0, 0), Ok(65));
        assert_eq!(firmware!(AMDGPU_INFO_FW_GFX_MEC, 2, 0), Err(libc::EINVAL));
        assert_eq!(firmware!(AMDGPU_INFO_FW_SDMA, 7, 0), Ok(18));
        assert_eq!(firmware!(AMDGPU_INFO_FW_SDMA, 8, 0), Err(libc::EINVAL));
        assert_eq!(firmware!(AMDGPU_INFO_FW_SDMA, 0, 1), Err(libc::EINVAL));
        // None of what an Arcturus has not, and no version of what is not modelled.
        assert_eq!(firmware!(AMDGPU_INFO_FW_VCE, 0, 0), Ok(0));
        assert_eq!(firmware!(AMDGPU_INFO_FW_GMC, 0, 0), Err(libc::EINVAL));
    });
}

#[test]
fn the_rest_answers_like_the_driver() {
    on_gpu("the_rest_answers_like_the_driver", || {
        let device = Device::open(1);
        let fd = device.fd();
        let gpu_id = device.gpu_ids[0];
        // SAFETY: none of these requests is given an address.
        unsafe {
            let mut version = kfd_ioctl_get_version_args::default();
            amdkfd_ioc_get_version(fd, &mut version).unwrap();
            assert_eq!(version.major_version, 1);
            assert!(version.minor_version >= 12);
            // gfx908 cannot switch XNACK.
            let mut xnack = kfd_ioctl_set_xnack_mode_args { xnack_enabled: -1 };
            amdkfd_ioc_set_xnack_mode(fd, &mut xnack).unwrap();
            assert_eq!(xnack.xnack_enabled, 0);
            xnack.xnack_enabled = 1;
            assert_eq!(errno(amdkfd_ioc_set_xnack_mode(fd, &mut xnack)), libc::EPERM);
            assert_eq!(errno(amdkfd_ioc_dbg_register_deprecated(fd, &mut Default::default())), libc::EPERM);
            let mut policy = kfd_ioctl_set_memory_policy_args { gpu_id, default_policy: 5, ..Default::default() };
            assert_eq!(errno(amdkfd_ioc_set_memory_policy(fd, &mut policy)), libc::EINVAL);
            assert_eq!(errno(amdkfd_ioc_set_trap_handler(fd, &mut Default::default())), libc::EINVAL);
            assert_eq!(
                errno(amdkfd_ioc_set_event(fd, &mut kfd_ioctl_set_event_args { event_id: 77, pad: 0 })),
                libc::EINVAL
            );
            assert_eq!(errno(amdkfd_ioc_get_tile_config(fd, &mut Default::default())), libc::EINVAL);
            let mut tables = [[7u32; 40]; 2];
            let mut tiles = kfd_ioctl_get_tile_config_args {
                gpu_id,
                tile_config_ptr: tables[0].as_mut_ptr().addr() as u64,
                macro_tile_config_ptr: tables[1].as_mut_ptr().addr() as u64,
                num_tile_configs: 40,
                num_macro_tile_configs: 10,
                ..Default::default()
            };
            amdkfd_ioc_get_tile_config(fd, &mut tiles).unwrap();
            assert_eq!(
                (tiles.gb_addr_config, tiles.num_tile_configs, tiles.num_macro_tile_configs),
                (0x2a11_4042, 32, 10)
            );
            let filled = |table: [u32; 40]| table.iter().position(|&value| value != 0);
            assert_eq!(tables.map(filled), [Some(32), Some(10)]);
            tiles.tile_config_ptr = 8;
            assert_eq!(errno(amdkfd_ioc_get_tile_config(fd, &mut tiles)), libc::EFAULT);
            assert_eq!((tiles.num_tile_configs, tiles.num_macro_tile_configs), (0, 10));
            assert_eq!(errno(amdkfd_ioc_criu_op(fd, &mut Default::default())), libc::EACCES);
            let mut debug = kfd_ioctl_dbg_trap_args { pid: 0x7fff_fff0, ..Default::default() };
            assert_eq!(errno(amdkfd_ioc_dbg_trap(fd, &mut debug)), libc::ESRCH);
            let (enable, disable) = (
                kfd_dbg_trap_operations::KFD_IOC_DBG_TRAP_ENABLE.0,
                kfd_dbg_trap_operations::KFD_IOC_DBG_TRAP_DISABLE.0,
            );
            for (pid, op, expected) in [
                (0, enable, libc::ESRCH),
                (1, disable, libc::ESRCH),
                (std::process::id(), enable, libc::ENODEV),
                (std::process::id(), disable, libc::EINVAL),
                (libc::gettid() as u32, enable, libc::ENODEV),
                (libc::gettid() as u32, 99, libc::EINVAL),
            ] {
                (debug.pid, debug.op) = (pid, op);
                assert_eq!(errno(amdkfd_ioc_dbg_trap(fd, &mut debug)), expected, "{pid} {op}");
            }
            // AMD's DKMS driver samples program counters on GPUs from gfx90a on: address and number of descriptions,
            // operation, GPU, session.
            let info = [0u64; 5];
            let sample = |address: u64, count, op, gpu_id, trace_id| {
                let mut args = [address as u32, (address >> 32) as u32, count, op, gpu_id, trace_id, 0, 0];
                errno(ioctl(fd, 0xc020_4b85, args.as_mut_ptr().cast()))
            };
            let at = info.as_ptr().expose_provenance() as u64;
            assert_eq!(sample(0, 0, 0, gpu_id, 0), libc::EOPNOTSUPP);
            assert_eq!(sample(at, 1, 1, gpu_id, 0), libc::EOPNOTSUPP);
            assert_eq!(sample(at, 2, 1, gpu_id, 0), libc::EINVAL);
            assert_eq!(sample(8, 1, 1, gpu_id, 0), libc::EFAULT);
            assert_eq!(sample(0, 0, 3, gpu_id, 1), libc::EINVAL);
            assert_eq!(sample(0, 0, 0, 7, 0), libc::EINVAL);
            let mut enable =
                kfd_ioctl_runtime_enable_args { mode_mask: KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK, ..Default::default() };
            amdkfd_ioc_runtime_enable(fd, &mut enable).unwrap();
            assert_eq!(errno(amdkfd_ioc_runtime_enable(fd, &mut enable)), libc::EBUSY);

            let mut clocks = kfd_ioctl_get_clock_counters_args { gpu_id, ..Default::default() };
            amdkfd_ioc_get_clock_counters(fd, &mut clocks).unwrap();
            // The GPU's ticks are the host's time in units of 10 ns.
            assert!(clocks.cpu_clock_counter.abs_diff(clocks.gpu_clock_counter * 10) < 100_000_000);
        }
    });
}

#[test]
fn wrong_mappings_are_refused() {
    on_gpu("wrong_mappings_are_refused", || {
        let device = Device::open(1);
        let map = |fd: i32, offset: u64, length| {
            // SAFETY: a new mapping.
            let address = unsafe { libc::mmap(std::ptr::null_mut(), length, 3, libc::MAP_SHARED, fd, offset as i64) };
            if address == libc::MAP_FAILED { io::Error::last_os_error().raw_os_error() } else { None }
        };
        let (kfd, render) = (device.kfd.as_raw_fd(), device.render[0].as_raw_fd());
        let gpu = u64::from(device.gpu_ids[0]) << 46;
        assert_eq!(map(kfd, 3 << 62 | gpu, 8192), None);
        // A part of a page counts as one; the offset of a queue's doorbell is not that of the page.
        assert_eq!(map(kfd, 3 << 62 | gpu, 8000), None);
        assert_eq!(map(kfd, 3 << 62 | gpu | 8, 8192), Some(libc::EINVAL));
        assert_eq!(map(kfd, 3 << 62 | gpu, 4096), Some(libc::EINVAL));
        assert_eq!(map(kfd, 3 << 62 | 1 << 46, 8192), Some(libc::ENODEV));
        assert_eq!(map(kfd, 2 << 62, 4096), Some(libc::EINVAL));
        assert_eq!(map(kfd, 1 << 62, 4096), Some(libc::ENODEV));
        assert_eq!(map(kfd, 1 << 62 | gpu, 4096), Some(libc::EINVAL));
        assert_eq!(map(render, 1 << 40, 4096), Some(libc::EINVAL));
    });
}
