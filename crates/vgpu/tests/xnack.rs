//! XNACK, by the driver's requests alone: who may switch it on, and what engines then find by their faults.
mod common;

use common::queues::{buffer, buffer_of, destroy, dword, queue, submit};
use common::*;
use kfd_sys::*;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const PAGE: u64 = 4096;
const SPAN: u64 = 2 << 20;
const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;
const ACCESS: u32 = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS.0;
const NO_ACCESS: u32 = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_NO_ACCESS.0;
const PREFERRED: u32 = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_PREFERRED_LOC.0;
const GRANULARITY: u32 = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_GRANULARITY.0;
const SET: kfd_ioctl_svm_op = kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR;
const GET: kfd_ioctl_svm_op = kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_GET_ATTR;

/// Switches XNACK on or off, or asks (-1). Returns what is said then.
fn xnack(device: &Device, mode: i32) -> std::io::Result<i32> {
    let mut args = kfd_ioctl_set_xnack_mode_args { xnack_enabled: mode };
    // SAFETY: no addresses.
    unsafe { amdkfd_ioc_set_xnack_mode(device.fd(), &mut args) }.map(|()| args.xnack_enabled)
}

/// The answer of the driver for one attribute.
fn attribute(device: &Device, start: u64, asked: [u32; 2]) -> [u32; 2] {
    let mut answer = [asked];
    svm(device, start, PAGE, GET, &mut answer).unwrap();
    answer[0]
}

/// Three times 2 MiB that begin with a multiple of it.
fn spans() -> u64 {
    let at = host_memory(4 * SPAN as usize, READ_WRITE);
    at.next_multiple_of(SPAN)
}

fn chooses() {
    let device = Device::open(1);
    let gpu = device.gpu_ids[0];
    let memory = host_memory(PAGE as usize, READ_WRITE);
    let access = || attribute(&device, memory, [ACCESS, gpu])[0];
    assert_eq!((xnack(&device, -1).unwrap(), access()), (0, NO_ACCESS));
    xnack(&device, 1).unwrap();
    assert_eq!((xnack(&device, -1).unwrap(), access()), (1, ACCESS));
    xnack(&device, 0).unwrap();
    assert_eq!((xnack(&device, -1).unwrap(), access()), (0, NO_ACCESS));
    let queue = queue(&device, KFD_IOC_QUEUE_TYPE_SDMA);
    assert_eq!([0, 1].map(|mode| errno(xnack(&device, mode))), [libc::EBUSY; 2]);
    assert_eq!(xnack(&device, -1).unwrap(), 0);
    destroy(&device, &queue);
    xnack(&device, 1).unwrap();
    // A range that was made with it on stays open to the GPU.
    svm(&device, memory, PAGE, SET, &mut [[GRANULARITY, 3]]).unwrap();
    xnack(&device, 0).unwrap();
    assert_eq!((access(), attribute(&device, memory, [GRANULARITY, 0])), (ACCESS, [GRANULARITY, 3]));
}

#[test]
fn a_process_on_an_mi210_chooses_before_it_has_queues() {
    on_models("mi210", "a_process_on_an_mi210_chooses_before_it_has_queues", chooses);
}

#[test]
fn a_process_on_an_mi300x_chooses_before_it_has_queues() {
    on_models("mi300x", "a_process_on_an_mi300x_chooses_before_it_has_queues", chooses);
}

#[test]
fn one_gpu_that_cannot_keeps_all_from_it() {
    on_models("mi210,mi100", "one_gpu_that_cannot_keeps_all_from_it", || {
        let device = Device::open(2);
        assert_eq!(errno(xnack(&device, 1)), libc::EPERM);
        xnack(&device, 0).unwrap();
        assert_eq!(xnack(&device, -1).unwrap(), 0);
    });
}

/// A device with XNACK on.
fn device() -> Device {
    let device = Device::open(1);
    xnack(&device, 1).unwrap();
    device
}

/// Has a new queue copy `dwords` and then write a fence.
fn copy(device: &Device, to: u64, from: u64, dwords: u64) -> (&'static AtomicU32, kfd_ioctl_create_queue_args) {
    let (fence, _) = buffer(device, PAGE as usize);
    let words = |address: u64| [address as u32, (address >> 32) as u32];
    let ([f0, f1], [t0, t1], [d0, d1]) = (words(from), words(to), words(fence));
    let queue = queue(device, KFD_IOC_QUEUE_TYPE_SDMA);
    submit(device, &queue, &[1, 4 * dwords as u32 - 1, 0, f0, f1, t0, t1, 5, d0, d1, 1], 1);
    (dword(fence), queue)
}

/// Copies words of the host's memory that differ from each other to `to`, which is the test's own, and checks that they
/// are there.
fn arrives(device: &Device, to: u64, dwords: u64, mark: u32) {
    let from = host_memory(4 * dwords as usize, READ_WRITE);
    let values = || (0..dwords).map(|index| (index as u32).wrapping_mul(0x9e37_79b9) ^ mark);
    values().zip(0..).for_each(|(value, index): (u32, u64)| dword(from + 4 * index).store(value, Ordering::Relaxed));
    let (fence, queue) = copy(device, to, from, dwords);
    while fence.load(Ordering::Acquire) == 0 {
        std::thread::yield_now();
    }
    destroy(device, &queue);
    assert!(values().zip(0..).all(|(value, index)| dword(to + 4 * index as u64).load(Ordering::Relaxed) == value));
}

#[test]
fn engines_find_memory_by_their_faults() {
    on_models("mi210", "engines_find_memory_by_their_faults", || {
        let device = device();
        let (gpu, pid) = (device.gpu_ids[0], std::process::id());
        let monitor = monitor(&device, 0);
        let memory = spans();
        let to = memory + SPAN - PAGE - 8;
        let served = |address: u64, access| {
            let what = format!("-{pid} @{:x}({gpu:x})", address / PAGE);
            let [start, end] =
                [kfd_smi_event::KFD_SMI_EVENT_PAGE_FAULT_START.0, kfd_smi_event::KFD_SMI_EVENT_PAGE_FAULT_END.0];
            [format!("{start:x} {what} {access}"), format!("{end:x} {what} U")]
        };
        let heard = || {
            let all = events(&monitor);
            all.into_iter().filter(|event| event.ends_with(['W', 'U'])).collect::<Vec<String>>()
        };
        // Into two ranges of 2 MiB.
        arrives(&device, to, 3 * PAGE / 4, 1);
        let all = heard();
        for event in [served(to, 'W'), served(memory + SPAN, 'W')].concat() {
            assert_eq!(all.iter().filter(|heard| **heard == event).count(), 1, "{event} in {all:?}");
        }
        for start in [to & !(PAGE - 1), memory, memory + 2 * SPAN - PAGE] {
            assert_eq!(attribute(&device, start, [ACCESS, gpu]), [ACCESS, gpu]);
        }
        // What is mapped is not asked for again.
        arrives(&device, to, 3 * PAGE / 4, 2);
        let again = heard();
        assert!(!again.contains(&served(to, 'W')[0]), "{again:?}");
        // Other memory at the same place is.
        let at = std::ptr::with_exposed_provenance_mut((memory + SPAN) as usize);
        map_host(at, PAGE as usize, READ_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED, -1, 0);
        assert_eq!(dword(memory + SPAN).load(Ordering::Relaxed), 0);
        arrives(&device, to, 3 * PAGE / 4, 3);
        let again = heard();
        assert!(again.contains(&served(memory + SPAN, 'W')[0]) && !again.contains(&served(to, 'W')[0]), "{again:?}");
    });
}

/// Requests and changes of mappings hold the driver's lock and wait for engines, which ask the driver meanwhile.
#[test]
fn mappings_change_while_engines_ask() {
    on_models("mi210", "mappings_change_while_engines_ask", || {
        let device = &device();
        let done = &AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    let at = host_memory(4 * PAGE as usize, READ_WRITE);
                    svm(device, at, 4 * PAGE, SET, &mut [[ACCESS, device.gpu_ids[0]]]).unwrap();
                    // SAFETY: the test's own mapping.
                    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(at as usize), 4 * PAGE as usize) };
                }
            });
            // In many ranges each.
            (0..20).for_each(|mark| arrives(device, host_memory(16 * SPAN as usize, READ_WRITE), SPAN, mark));
            done.store(true, Ordering::Relaxed);
        });
    });
}

#[test]
fn a_preferred_place_gives_access_too() {
    on_models("mi210", "a_preferred_place_gives_access_too", || {
        let device = device();
        let gpu = device.gpu_ids[0];
        for place in [gpu, 0] {
            let memory = host_memory(PAGE as usize, READ_WRITE);
            svm(&device, memory, PAGE, SET, &mut [[NO_ACCESS, gpu], [PREFERRED, place]]).unwrap();
            arrives(&device, memory, 16, place);
        }
    });
}

/// Memory that cannot be read is registered all the same, and found when it can be.
#[test]
fn protection_counts_when_memory_is_accessed() {
    on_models("mi210", "protection_counts_when_memory_is_accessed", || {
        let device = device();
        let memory = host_memory(2 * PAGE as usize, libc::PROT_NONE);
        svm(&device, memory, 2 * PAGE, SET, &mut [[GRANULARITY, 0]]).unwrap();
        let in_place = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE.0;
        let refused = svm(&device, memory, 2 * PAGE, SET, &mut [[in_place, device.gpu_ids[0]]]);
        assert_eq!(errno(refused), libc::EFAULT, "it would be mapped now");
        let at = std::ptr::with_exposed_provenance_mut(memory as usize);
        // SAFETY: the test's own mapping.
        assert_eq!(unsafe { libc::mprotect(at, 2 * PAGE as usize, READ_WRITE) }, 0);
        arrives(&device, memory, 2 * PAGE / 4, 5);
    });
}

/// The address of the memory fault that a store to `to` is.
fn fault(device: &Device, to: u64) -> u64 {
    let mut event = kfd_ioctl_create_event_args { event_type: KFD_IOC_EVENT_MEMORY, ..Default::default() };
    // SAFETY: no addresses.
    unsafe { amdkfd_ioc_create_event(device.fd(), &mut event) }.unwrap();
    let (from, _) = buffer(device, PAGE as usize);
    let (fence, _) = copy(device, to, from, 1);
    let mut data = kfd_event_data { event_id: event.event_id, ..Default::default() };
    let mut args = kfd_ioctl_wait_events_args {
        events_ptr: std::ptr::from_mut(&mut data).expose_provenance() as u64,
        num_events: 1,
        wait_for_all: 1,
        timeout: 20_000,
        wait_result: 9,
    };
    // SAFETY: `data` is one event.
    unsafe { amdkfd_ioc_wait_events(device.fd(), &mut args) }.unwrap();
    assert_eq!((args.wait_result, fence.load(Ordering::Acquire)), (KFD_IOC_WAIT_RESULT_COMPLETE, 0));
    // SAFETY: the event is one of memory.
    unsafe { data.__bindgen_anon_1.memory_exception_data.va }
}

/// Room of which the kernel fills the end first: what is mapped later is far from its second page.
const HOLE: usize = 512 * PAGE as usize;

/// Has `munmap` take all but the first page of such a room.
fn unmap_behind_the_first_page(at: u64, munmap: unsafe extern "C" fn(*mut std::ffi::c_void, usize) -> i32) {
    let behind = std::ptr::with_exposed_provenance_mut((at + PAGE) as usize);
    // SAFETY: the test's own mapping.
    assert_eq!(unsafe { munmap(behind, HOLE - PAGE as usize) }, 0);
}

/// The system call, which nobody in front of the C library sees.
unsafe extern "C" fn munmap_unseen(at: *mut std::ffi::c_void, size: usize) -> i32 {
    // SAFETY: the caller's arguments are passed on.
    unsafe { libc::syscall(libc::SYS_munmap, at, size) as i32 }
}

/// Tests with a GPU of which each store to an address that `memory` gives is a memory fault there.
macro_rules! faults {
    ($($test:ident: $memory:expr;)*) => {
        $(
            #[test]
            fn $test() {
                on_models("mi210", stringify!($test), || {
                    let device = device();
                    let memory: fn(&Device) -> u64 = $memory;
                    let to = memory(&device);
                    assert_eq!(fault(&device, to), to);
                });
            }
        )*
    };
}

faults! {
    without_a_mapping_there_is_a_fault: |_| {
        let at = host_memory(HOLE, READ_WRITE);
        unmap_behind_the_first_page(at, libc::munmap);
        at + PAGE
    };
    what_was_found_and_is_unmapped_is_a_fault: |device| {
        let at = host_memory(HOLE, READ_WRITE);
        arrives(device, at, 2 * PAGE / 4, 1);
        unmap_behind_the_first_page(at, libc::munmap);
        arrives(device, at, PAGE / 4, 2);
        at + PAGE
    };
    what_was_unmapped_unseen_is_a_fault: |device| {
        let at = host_memory(HOLE, READ_WRITE);
        arrives(device, at, 2 * PAGE / 4, 1);
        unmap_behind_the_first_page(at, munmap_unseen);
        arrives(device, at, PAGE / 4, 2);
        at + PAGE
    };
    a_store_to_what_the_program_may_only_read_is_a_fault: |_| host_memory(PAGE as usize, libc::PROT_READ);
    what_the_program_may_not_use_is_a_fault: |_| host_memory(PAGE as usize, libc::PROT_NONE);
    a_range_without_access_is_a_fault: |device| {
        let at = host_memory(PAGE as usize, READ_WRITE);
        svm(device, at, PAGE, SET, &mut [[NO_ACCESS, device.gpu_ids[0]]]).unwrap();
        at
    };
    a_buffer_that_the_gpu_has_not_mapped_is_a_fault: |device| {
        let (at, handle) = buffer_of(device, PAGE as usize, VRAM);
        device.unmap(handle, &device.gpu_ids[..1]).unwrap();
        at
    };
    behind_the_end_of_a_file_there_is_a_fault: |device| {
        // SAFETY: a new file.
        let file = unsafe { OwnedFd::from_raw_fd(libc::memfd_create(c"test".as_ptr(), 0)) };
        // SAFETY: plain system call.
        assert_eq!(unsafe { libc::ftruncate(file.as_raw_fd(), PAGE as i64) }, 0);
        let shared = libc::MAP_SHARED;
        let at = map_host(std::ptr::null_mut(), 3 * PAGE as usize, READ_WRITE, shared, file.as_raw_fd(), 0);
        arrives(device, at, PAGE / 4, 1);
        at + PAGE
    };
}
