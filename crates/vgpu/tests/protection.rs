//! GPUs may do with the program's memory what the program may: `mprotect` of memory that they use.
mod common;

use common::*;
use kfd_sys::*;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};

const PAGE: usize = 4096;
const READ_WRITE: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// A device with an SDMA queue and an event for memory faults.
struct Copier {
    device: Device,
    ring: *mut u32,
    pointers: u64,
    doorbell: u64,
    written: u64,
    event: u32,
}

fn counter(address: u64) -> &'static AtomicU64 {
    // SAFETY: of a mapping that this process keeps.
    unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(address as usize)) }
}

impl Copier {
    fn new() -> Copier {
        let device = Device::open(1);
        let buffer = || {
            let va = reserve(PAGE);
            let object = device.alloc(0, va, PAGE as u64, GTT, 0).unwrap();
            device.map(object.handle, &device.gpu_ids).unwrap();
            (va, map_object(va, PAGE, &device.render[0], object.mmap_offset))
        };
        let ((ring, words), (pointers, _)) = (buffer(), buffer());
        let mut event = kfd_ioctl_create_event_args { event_type: KFD_IOC_EVENT_MEMORY, ..Default::default() };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_create_event(device.fd(), &mut event) }.unwrap();
        let mut queue = kfd_ioctl_create_queue_args {
            gpu_id: device.gpu_ids[0],
            queue_type: KFD_IOC_QUEUE_TYPE_SDMA,
            queue_percentage: 100,
            queue_priority: 7,
            ring_size: PAGE as u32,
            ring_base_address: ring,
            read_pointer_address: pointers,
            write_pointer_address: pointers + 8,
            ..Default::default()
        };
        // SAFETY: the addresses are of the GPU, and checked.
        unsafe { amdkfd_ioc_create_queue(device.fd(), &mut queue) }.unwrap();
        let offset = queue.doorbell_offset & !0x1fff;
        let doorbells =
            map_host(std::ptr::null_mut(), 8192, READ_WRITE, libc::MAP_SHARED, device.kfd.as_raw_fd(), offset);
        let doorbell = doorbells + (queue.doorbell_offset & 0x1fff);
        Copier { device, ring: words.cast(), pointers, doorbell, written: 0, event: event.event_id }
    }

    /// Begins to copy `bytes` bytes.
    fn start(&mut self, to: u64, from: u64, bytes: usize) {
        let [low, high] = [|address: u64| address as u32, |address: u64| (address >> 32) as u32];
        let packet = [1, bytes as u32 - 1, 0, low(from), high(from), low(to), high(to)];
        for (at, word) in packet.into_iter().enumerate() {
            // SAFETY: the ring has room for all packets of these tests.
            unsafe { self.ring.add(self.written as usize / 4 + at).write_volatile(word) };
        }
        self.written += 4 * packet.len() as u64;
        counter(self.pointers + 8).store(self.written, Ordering::Release);
        counter(self.doorbell).store(self.written, Ordering::Release);
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) {
        self.start(to, from, bytes);
        let start = std::time::Instant::now();
        while counter(self.pointers).load(Ordering::Acquire) != self.written {
            assert!(start.elapsed().as_secs() < 60, "the copy does not end");
            std::thread::yield_now();
        }
    }

    /// Begins to copy what must not be, and waits for the memory fault.
    fn fault(&mut self, to: u64, from: u64, bytes: usize) -> kfd_hsa_memory_exception_data {
        self.start(to, from, bytes);
        let mut data = kfd_event_data { event_id: self.event, ..Default::default() };
        let mut wait = kfd_ioctl_wait_events_args {
            events_ptr: std::ptr::from_mut(&mut data).expose_provenance() as u64,
            num_events: 1,
            wait_for_all: 1,
            timeout: 60_000,
            ..Default::default()
        };
        // SAFETY: `data` is writable while the request lasts.
        unsafe { amdkfd_ioc_wait_events(self.device.fd(), &mut wait) }.unwrap();
        assert_eq!(wait.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
        // SAFETY: what the driver fills in for this kind of event.
        unsafe { data.__bindgen_anon_1.memory_exception_data }
    }

    /// Memory of the program that the GPU shares.
    fn shared(&self, pages: usize) -> u64 {
        let at = host(pages);
        let mut args = kfd_ioctl_svm_args {
            start_addr: at,
            size: (pages * PAGE) as u64,
            op: kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR.0,
            ..Default::default()
        };
        let access = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS.0;
        let mut list = [kfd_ioctl_svm_attribute { type_: access, value: self.device.gpu_ids[0] }];
        // SAFETY: the attributes hold no addresses.
        unsafe { amdkfd_ioc_svm(self.device.fd(), &mut args, &mut list) }.unwrap();
        at
    }
}

fn host(pages: usize) -> u64 {
    map_host(std::ptr::null_mut(), pages * PAGE, READ_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
}

fn bytes(at: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(at as usize)
}

fn protect(at: u64, pages: usize, protection: i32) -> i32 {
    // SAFETY: this test's own mapping.
    unsafe { libc::mprotect(bytes(at).cast(), pages * PAGE, protection) }
}

fn filled(at: u64, value: u8) -> bool {
    // SAFETY: a page of this test's.
    (0..PAGE).all(|i| unsafe { bytes(at).add(i).read_volatile() } == value)
}

fn fill(at: u64, value: u8) {
    // SAFETY: a page of this test's.
    unsafe { bytes(at).write_bytes(value, PAGE) }
}

#[test]
fn shared_memory_that_became_read_only() {
    on_gpu("shared_memory_that_became_read_only", || {
        let mut copier = Copier::new();
        let (memory, other) = (copier.shared(3), copier.shared(1));
        fill(memory + PAGE as u64, 0x55);
        let middle = memory + PAGE as u64;
        assert_eq!(protect(middle, 1, libc::PROT_READ), 0);
        // It can be read, and its neighbours written.
        copier.copy(other, middle, PAGE);
        assert!(filled(other, 0x55));
        copier.copy(memory, other, PAGE);
        copier.copy(middle + PAGE as u64, other, PAGE);
        assert!(filled(memory, 0x55) && filled(middle + PAGE as u64, 0x55));
        // What the kernel refuses changes nothing.
        assert_eq!(protect(memory + 1, 1, libc::PROT_NONE), -1);
        assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::EINVAL));
        // Writable again.
        assert_eq!(protect(middle, 1, READ_WRITE), 0);
        fill(other, 0x66);
        copier.copy(middle, other, PAGE);
        assert!(filled(middle, 0x66));
        assert_eq!(protect(middle, 1, libc::PROT_READ), 0);
        fill(other, 0xaa);
        let fault = copier.fault(middle, other, PAGE);
        assert_eq!((fault.va, fault.failure.ReadOnly, fault.failure.NotPresent), (middle, 1, 0));
        assert!(filled(middle, 0x66));
    });
}

#[test]
fn shared_memory_that_cannot_be_read() {
    on_gpu("shared_memory_that_cannot_be_read", || {
        let mut copier = Copier::new();
        let (memory, other) = (copier.shared(2), copier.shared(1));
        fill(memory, 0x11);
        assert_eq!(protect(memory, 2, libc::PROT_NONE), 0);
        assert_eq!(protect(memory, 1, READ_WRITE), 0);
        copier.copy(other, memory, PAGE);
        assert!(filled(other, 0x11));
        let fault = copier.fault(other, memory + PAGE as u64, 4);
        assert_eq!((fault.va, fault.failure.NotPresent), (memory + PAGE as u64, 1));
    });
}

#[test]
fn user_memory_is_used_while_all_of_it_is_writable() {
    on_gpu("user_memory_is_used_while_all_of_it_is_writable", || {
        let mut copier = Copier::new();
        let (memory, other) = (host(2), copier.shared(1));
        let object = copier.device.alloc(0, memory, 2 * PAGE as u64, USERPTR, memory).unwrap();
        copier.device.map(object.handle, &copier.device.gpu_ids).unwrap();
        fill(memory, 0x21);
        assert_eq!(protect(memory + PAGE as u64, 1, libc::PROT_READ), 0);
        assert_eq!(protect(memory + PAGE as u64, 1, READ_WRITE), 0);
        copier.copy(other, memory, PAGE);
        assert!(filled(other, 0x21));
        assert_eq!(protect(memory + PAGE as u64, 1, libc::PROT_READ), 0);
        let fault = copier.fault(other, memory, 4);
        assert_eq!((fault.va, fault.failure.NotPresent), (memory, 1));
        assert_eq!(copier.device.unmap(object.handle, &copier.device.gpu_ids).unwrap(), 1);
    });
}

/// Memory of which two objects are made, one of them gone.
#[test]
fn user_memory_of_two_objects_is_the_others_when_one_is_freed() {
    on_gpu("user_memory_of_two_objects_is_the_others_when_one_is_freed", || {
        let mut copier = Copier::new();
        let (memory, other) = (host(3), copier.shared(1));
        let alias = reserve(2 * PAGE);
        let page = PAGE as u64;
        let gpus = copier.device.gpu_ids.clone();
        // All three pages, and the last two of them elsewhere.
        let all = copier.device.alloc(0, memory, 3 * page, USERPTR, memory).unwrap();
        let last = copier.device.alloc(0, alias, 2 * page, USERPTR, memory + page).unwrap();
        copier.device.map(all.handle, &gpus).unwrap();
        copier.device.map(last.handle, &gpus).unwrap();
        fill(memory + page, 0x51);
        copier.copy(other, alias, PAGE);
        assert!(filled(other, 0x51));
        copier.device.unmap(all.handle, &gpus).unwrap();
        copier.device.free(all.handle).unwrap();
        // What nobody uses any more may become anything.
        assert_eq!(protect(memory, 1, libc::PROT_READ), 0);
        fill(memory + page, 0x52);
        copier.copy(other, alias, PAGE);
        assert!(filled(other, 0x52));
        assert_eq!(protect(memory + 2 * page, 1, libc::PROT_READ), 0);
        let fault = copier.fault(other, alias, 4);
        assert_eq!((fault.va, fault.failure.NotPresent), (alias, 1));
        assert!(filled(other, 0x52));
    });
}

/// Also the doorbells.
#[test]
fn what_the_kernel_does_not_map_leaves_what_was_there() {
    on_gpu("what_the_kernel_does_not_map_leaves_what_was_there", || {
        let mut copier = Copier::new();
        let (memory, other) = (copier.shared(3), copier.shared(1));
        fill(memory, 0x41);
        let error = || std::io::Error::last_os_error().raw_os_error();
        for at in [memory, copier.doorbell & !0x1fff] {
            let flags = libc::MAP_SHARED | libc::MAP_FIXED;
            // SAFETY: no file has this number.
            let mapped = unsafe { libc::mmap(bytes(at).cast(), 2 * PAGE, READ_WRITE, flags, 999, 0) };
            assert_eq!((mapped, error()), (libc::MAP_FAILED, Some(libc::EBADF)));
        }
        copier.copy(other, memory, PAGE);
        assert!(filled(other, 0x41));
        // Onto a part of itself, and at no page.
        let (flags, onto) = (libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED, memory + PAGE as u64);
        // SAFETY: both are refused.
        unsafe {
            let moved = libc::mremap(bytes(memory).cast(), 2 * PAGE, 2 * PAGE, flags, bytes(onto));
            assert_eq!((moved, error()), (libc::MAP_FAILED, Some(libc::EINVAL)));
            assert_eq!((libc::munmap(bytes(memory + 1).cast(), PAGE), error()), (-1, Some(libc::EINVAL)));
        }
        fill(memory, 0x42);
        copier.copy(onto, memory, PAGE);
        assert!(filled(onto, 0x42));
        // What is mapped after all takes it away.
        let anonymous = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        map_host(bytes(memory).cast(), PAGE, READ_WRITE, anonymous, -1, 0);
        let fault = copier.fault(memory, other, PAGE);
        assert_eq!((fault.va, fault.failure.NotPresent), (memory, 1));
        assert!(filled(memory, 0));
    });
}

#[test]
fn shared_memory_that_moved() {
    on_gpu("shared_memory_that_moved", || {
        let mut copier = Copier::new();
        let (memory, other) = (copier.shared(2), copier.shared(1));
        fill(memory, 0x31);
        copier.copy(other, memory, PAGE);
        assert!(filled(other, 0x31));
        let target = reserve(2 * PAGE);
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        // SAFETY: this test's own mappings.
        let moved =
            unsafe { libc::mremap(bytes(memory).cast(), 2 * PAGE, 2 * PAGE, flags, bytes(target).cast::<u8>()) };
        assert_eq!(moved.expose_provenance() as u64, target);
        // Somebody else has the old address now: it is not the GPU's to write to.
        let again = std::ptr::with_exposed_provenance_mut(memory as usize);
        let anonymous = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        assert_eq!(map_host(again, PAGE, READ_WRITE, anonymous, -1, 0), memory);
        let fault = copier.fault(memory, other, PAGE);
        assert_eq!((fault.va, fault.failure.NotPresent), (memory, 1));
        assert!(filled(memory, 0) && filled(target, 0x31));
    });
}
