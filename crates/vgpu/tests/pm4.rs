//! A PM4 compute queue through the driver's interface, as a client without AMD's runtime uses it.

mod common;

use common::queues::{buffer, destroy, dword, queue, submit};
use common::{Device, on_gpu};
use kfd_sys::*;
use std::sync::atomic::Ordering;

/// `get_wave_state` of `kfd_device_queue_manager.c` and of `kfd_mqd_manager_v9.c`.
#[test]
fn the_wave_state_of_a_queue_without_waves_is_empty() {
    on_gpu("the_wave_state_of_a_queue_without_waves_is_empty", || {
        let device = Device::open(1);
        let compute = queue(&device, KFD_IOC_QUEUE_TYPE_COMPUTE);
        let sdma = queue(&device, KFD_IOC_QUEUE_TYPE_SDMA);
        let state = |queue_id, ctl_stack_address| {
            let mut args = kfd_ioctl_get_queue_wave_state_args { queue_id, ctl_stack_address, ..Default::default() };
            (args.ctl_stack_used_size, args.save_area_used_size) = (7, 7);
            // SAFETY: the driver writes to an address only if it can.
            let result = unsafe { amdkfd_ioc_get_queue_wave_state(device.fd(), &mut args) };
            let errno = result.err().map(|error| error.raw_os_error().unwrap());
            (errno, args.ctl_stack_used_size, args.save_area_used_size)
        };
        let percentage = |queue: &kfd_ioctl_create_queue_args, queue_percentage| {
            let mut update = kfd_ioctl_update_queue_args {
                queue_id: queue.queue_id,
                ring_base_address: queue.ring_base_address,
                ring_size: queue.ring_size,
                queue_percentage,
                queue_priority: 7,
            };
            // SAFETY: the address is of the GPU, and checked.
            unsafe { amdkfd_ioc_update_queue(device.fd(), &mut update) }.unwrap();
        };
        let header = compute.ctx_save_restore_address;
        let words = || [0, 4, 8, 12, 16].map(|at| dword(header + at).load(Ordering::Relaxed));
        [0, 4, 8, 12, 16].iter().for_each(|at| dword(header + at).store(7, Ordering::Relaxed));
        assert_eq!(state(99, header).0, Some(libc::EFAULT));
        assert_eq!(state(compute.queue_id, header).0, Some(libc::EINVAL), "it is active");
        percentage(&sdma, 0);
        assert_eq!(state(sdma.queue_id, header).0, Some(libc::EINVAL), "it has no waves");
        assert_eq!(words(), [7; 5]);
        percentage(&compute, 0);
        assert_eq!(state(compute.queue_id, 64), (Some(libc::EFAULT), 0, 0));
        assert_eq!(state(compute.queue_id, header), (None, 0, 0));
        let end = compute.ctl_stack_size;
        assert_eq!(words(), [end, 0, end, 0, 7]);
        percentage(&compute, 100);
        assert_eq!(state(compute.queue_id, header).0, Some(libc::EINVAL), "it is active again");
    });
}

#[test]
fn a_pm4_queue_writes_and_raises_an_event() {
    on_gpu("a_pm4_queue_writes_and_raises_an_event", || {
        let device = Device::open(1);
        let (out, _) = buffer(&device, 4096);
        let (slots, page) = buffer(&device, 8 * 4096);
        let mut event = kfd_ioctl_create_event_args {
            event_page_offset: page,
            event_type: KFD_IOC_EVENT_SIGNAL,
            auto_reset: 1,
            ..Default::default()
        };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_create_event(device.fd(), &mut event) }.unwrap();
        let queue = queue(&device, KFD_IOC_QUEUE_TYPE_COMPUTE);
        let [low, high] = [|address: u64| address as u32, |address: u64| (address >> 32) as u32];
        let slot = slots + 8 * u64::from(event.event_slot_index);
        let packets = [
            // WRITE_DATA of two dwords; RELEASE_MEM of the event's id to its slot, with an interrupt.
            [0xc004_3702, 5 << 8, low(out), high(out), 7, 8].as_slice(),
            &[0xc006_4902, 0x14 | 5 << 8, 1 << 29 | 2 << 24, low(slot), high(slot), event.event_id, 0, event.event_id],
        ]
        .concat();
        submit(&device, &queue, &packets, 4);
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
        assert_eq!(dword(queue.read_pointer_address).load(Ordering::Acquire) as usize, packets.len());
        destroy(&device, &queue);
    });
}
