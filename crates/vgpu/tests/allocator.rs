//! A program whose allocator maps and unmaps memory at every call, through libc's functions and with a lock held, as
//! mimalloc and jemalloc do at times, and looks at files when it starts, as jemalloc does.
mod common;

use common::*;
use kfd_sys::*;
use libc::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bytes before a block, which hold its size. A multiple of all alignments that are asked for here.
const HEADER: usize = 4096;

static UNMAPPED: AtomicUsize = AtomicUsize::new(0);
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

/// What jemalloc does before its first block, holding a lock: asked for memory meanwhile, it waits for itself.
fn start() {
    static STARTED: AtomicBool = AtomicBool::new(false);
    static STARTING: AtomicBool = AtomicBool::new(false);
    if STARTING.load(Ordering::Relaxed) {
        let said = b"asked for memory while it starts\n";
        // SAFETY: the bytes are there.
        unsafe { libc::write(2, said.as_ptr().cast(), said.len()) };
        std::process::abort();
    }
    if STARTED.swap(true, Ordering::Relaxed) {
        return;
    }
    STARTING.store(true, Ordering::Relaxed);
    let mut bytes = [0u8; 64];
    // SAFETY: C strings, and a buffer of that size. Whatever blocks ends the test.
    unsafe {
        libc::alarm(60);
        libc::readlink(c"/etc/malloc.conf".as_ptr(), bytes.as_mut_ptr().cast(), bytes.len());
        let file = libc::open(c"/proc/sys/vm/overcommit_memory".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        libc::read(file, bytes.as_mut_ptr().cast(), bytes.len());
        libc::close(file);
        libc::alarm(0);
    }
    STARTING.store(false, Ordering::Relaxed);
}

/// Has the allocator's lock.
struct Locked;

static LOCK: AtomicBool = AtomicBool::new(false);

impl Locked {
    fn take() -> Locked {
        while LOCK.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        Locked
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        LOCK.store(false, Ordering::Release);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    start();
    ALLOCATED.fetch_add(1, Ordering::Relaxed);
    let (length, protection) = (HEADER + size, libc::PROT_READ | libc::PROT_WRITE);
    let _locked = Locked::take();
    // SAFETY: a new mapping, which has room for its size.
    unsafe {
        let block = libc::mmap(null_mut(), length, protection, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        if block == libc::MAP_FAILED {
            return null_mut();
        }
        block.cast::<usize>().write(size);
        block.byte_add(HEADER)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut c_void) {
    if !block.is_null() {
        UNMAPPED.fetch_add(1, Ordering::Relaxed);
        let _locked = Locked::take();
        // SAFETY: made by `malloc`.
        unsafe {
            let start = block.byte_sub(HEADER);
            libc::munmap(start, HEADER + start.cast::<usize>().read());
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: new mappings are zero.
    count.checked_mul(size).map_or(null_mut(), |bytes| unsafe { malloc(bytes) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: `block` is null or made by `malloc`, and both have the bytes that are copied.
    unsafe {
        let new = malloc(size);
        if !block.is_null() && !new.is_null() {
            let old = block.byte_sub(HEADER).cast::<usize>().read();
            std::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), old.min(size));
            free(block);
        }
        new
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(to: *mut *mut c_void, _: usize, size: usize) -> c_int {
    // SAFETY: the caller's pointer. Blocks begin with pages.
    unsafe { to.write(malloc(size)) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aligned_alloc(_: usize, size: usize) -> *mut c_void {
    // SAFETY: blocks begin with pages.
    unsafe { malloc(size) }
}

/// Gives the GPU two pages of the program's memory.
fn share(device: &Device) {
    let host = map_host(null_mut(), 8192, 3, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
    let access = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS.0;
    let set = kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR.0;
    let mut svm = [host as u32, (host >> 32) as u32, 8192, 0, set, 1, access, device.gpu_ids[0]];
    let request = AMDKFD_IOC_SVM & !(0x3fff << 16) | (size_of_val(&svm) as u64) << 16;
    // SAFETY: the driver's structure and one attribute.
    unsafe { ioctl(device.fd(), request, svm.as_mut_ptr().cast()) }.unwrap();
}

/// One that has its lock unmaps memory, another is in the device's work and allocates.
#[test]
fn threads_allocate_while_others_use_the_device() {
    on_gpu("threads_allocate_while_others_use_the_device", || {
        // SAFETY: plain system call. Whatever blocks ends the test.
        unsafe { libc::alarm(60) };
        let device = Device::open(1);
        share(&device);
        let user = host_memory(4096, 3);
        let done = AtomicBool::new(false);
        let blocks = std::thread::scope(|scope| {
            let allocates = scope.spawn(|| {
                let mut blocks = 0;
                while !done.load(Ordering::Relaxed) {
                    drop(std::hint::black_box(vec![blocks; 4096]));
                    blocks += 1;
                }
                blocks
            });
            for _ in 0..2000 {
                let object = device.alloc(0, 1 << 40, 4096, USERPTR, user).unwrap();
                device.free(object.handle).unwrap();
                share(&device);
            }
            done.store(true, Ordering::Relaxed);
            allocates.join().unwrap()
        });
        assert!(blocks > 100, "{blocks}");
    });
}

#[test]
fn the_device_may_allocate_with_the_programs_allocator() {
    on_gpu("the_device_may_allocate_with_the_programs_allocator", || {
        // SAFETY: plain system call. Whatever blocks ends the test.
        unsafe { libc::alarm(60) };
        let device = Device::open(1);
        // From now on it matters what becomes of the program's memory.
        share(&device);
        let before = UNMAPPED.load(Ordering::Relaxed);
        for round in 0..10 {
            let va = reserve(8192);
            let object = device.alloc(0, va, 8192, VRAM, 0).unwrap();
            assert_eq!(device.map(object.handle, &device.gpu_ids).unwrap(), 1);
            let bytes = map_object(va, 8192, &device.render[0], object.mmap_offset);
            // SAFETY: within the mapping.
            unsafe {
                bytes.write(round);
                assert_eq!(bytes.read(), round);
            }
            assert_eq!(device.unmap(object.handle, &device.gpu_ids).unwrap(), 1);
            device.free(object.handle).unwrap();
        }
        assert!(UNMAPPED.load(Ordering::Relaxed) > before + 10, "the device does not use this allocator");
    });
}

#[test]
fn the_machines_files_are_opened_without_allocating() {
    on_gpu("the_machines_files_are_opened_without_allocating", || {
        let before = ALLOCATED.load(Ordering::Relaxed);
        // As a signal handler may.
        // SAFETY: C strings, and a buffer for the status.
        unsafe {
            let mut status = std::mem::zeroed();
            for path in [c"/dev/null", c"/sys/class/net", c"/sys/devices/system/cpu/online"] {
                assert_eq!(libc::stat(path.as_ptr(), &mut status), 0, "{path:?}");
                assert_eq!(libc::access(path.as_ptr(), libc::R_OK), 0);
                let fd = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
                assert!(fd >= 0, "{path:?}");
                libc::close(fd);
            }
        }
        assert_eq!(ALLOCATED.load(Ordering::Relaxed), before);
        assert_eq!(open_kfd().map(drop).ok(), Some(()));
        assert!(ALLOCATED.load(Ordering::Relaxed) > before);
    });
}
