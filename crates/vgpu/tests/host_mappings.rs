//! What a program may do with mappings of devices: Linux refuses for them what it does for other memory.
mod common;

use common::*;
use kfd_sys::*;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::Ordering;

const PAGE: u64 = 4096;

/// The errno of a call; `None` if it succeeds.
fn failure(result: i32) -> Option<i32> {
    (result != 0).then(|| std::io::Error::last_os_error().raw_os_error().unwrap())
}

fn advise(at: u64, size: u64, advice: i32) -> Option<i32> {
    // SAFETY: memory of the test's own, whose content it does not rely on.
    failure(unsafe { libc::madvise(std::ptr::with_exposed_provenance_mut(at as usize), size as usize, advice) })
}

fn synchronise(at: u64, size: u64, flags: i32) -> Option<i32> {
    // SAFETY: memory of the test's own.
    failure(unsafe { libc::msync(std::ptr::with_exposed_provenance_mut(at as usize), size as usize, flags) })
}

/// A buffer of a page that is mapped for the host at `at`, with a mark in it.
fn mapped_page(device: &Device, at: u64, flags: u32) -> kfd_ioctl_alloc_memory_of_gpu_args {
    let object = device.alloc(0, at, PAGE, flags, 0).unwrap();
    let memory = map_object(at, PAGE as usize, &device.render[0], object.mmap_offset);
    // SAFETY: the page just mapped.
    unsafe { memory.cast::<u64>().write_volatile(MARK) };
    object
}

const MARK: u64 = 0x6d61_726b;

fn value(at: u64) -> u64 {
    // SAFETY: the caller has it mapped.
    unsafe { std::ptr::with_exposed_provenance::<u64>(at as usize).read_volatile() }
}

#[test]
fn advice_about_mappings_of_devices_is_refused_as_linux_refuses_it() {
    on_gpu("advice_about_mappings_of_devices_is_refused_as_linux_refuses_it", || {
        let device = Device::open(1);
        // Behind a page of the test's own.
        let va = reserve(3 * PAGE as usize);
        mapped_page(&device, va + PAGE, VRAM);
        let mmio = device.alloc(0, reserve(4096), PAGE, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, 0).unwrap();
        let mmio = map_host(std::ptr::null_mut(), 4096, 3, libc::MAP_SHARED, device.kfd.as_raw_fd(), mmio.mmap_offset);
        let refused = [
            (libc::MADV_DONTNEED, libc::EINVAL),
            (libc::MADV_DONTNEED_LOCKED, libc::EINVAL),
            (libc::MADV_FREE, libc::EINVAL),
            (libc::MADV_COLD, libc::EINVAL),
            (libc::MADV_PAGEOUT, libc::EINVAL),
            (libc::MADV_POPULATE_READ, libc::EINVAL),
            (libc::MADV_POPULATE_WRITE, libc::EINVAL),
            (libc::MADV_COLLAPSE, libc::EINVAL),
            (libc::MADV_DODUMP, libc::EINVAL),
            // What a forked child did not get, it does not get after all.
            (libc::MADV_DOFORK, libc::EINVAL),
            (libc::MADV_REMOVE, libc::ENODEV),
        ];
        for (at, size) in [(va + PAGE, PAGE), (va + PAGE, 1), (va, 3 * PAGE), (mmio, PAGE)] {
            for (advice, errno) in refused {
                assert_eq!(advise(at, size, advice), Some(errno), "{advice} of {size:#x}");
            }
            for advice in [libc::MADV_NORMAL, libc::MADV_WILLNEED, libc::MADV_DONTDUMP, libc::MADV_DONTFORK] {
                assert_eq!(advise(at, size, advice), None, "{advice} of {size:#x}");
            }
            assert_eq!(synchronise(at, size, libc::MS_SYNC), Some(libc::EINVAL));
            assert_eq!(synchronise(at, size, libc::MS_ASYNC), None);
        }
        assert_eq!(value(va + PAGE), MARK);
        // The program's own memory is its own affair, also where a device was mapped.
        let own = host_memory(4096, 3);
        // SAFETY: the test's own mapping.
        assert_eq!(unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(mmio as usize), 4096) }, 0);
        let again = std::ptr::with_exposed_provenance_mut(mmio as usize);
        map_host(again, 4096, 3, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED, -1, 0);
        for at in [own, va, mmio] {
            for advice in [libc::MADV_DONTFORK, libc::MADV_DOFORK, libc::MADV_DONTNEED, libc::MADV_DODUMP] {
                assert_eq!(advise(at, PAGE, advice), None, "{advice}");
            }
            assert_eq!(synchronise(at, PAGE, libc::MS_SYNC), None);
        }
        assert_eq!(advise(va + PAGE + 1, PAGE, libc::MADV_REMOVE), Some(libc::EINVAL));
    });
}

#[test]
fn a_forked_child_may_use_the_addresses_that_it_did_not_get() {
    on_gpu("a_forked_child_may_use_the_addresses_that_it_did_not_get", || {
        let device = Device::open(1);
        let (kept, lost) = (reserve(PAGE as usize), reserve(PAGE as usize));
        for at in [kept, lost] {
            mapped_page(&device, at, GTT);
        }
        assert_eq!(advise(lost, PAGE, libc::MADV_DONTFORK), None);
        // SAFETY: the child makes system calls only, and exits.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
            let at = std::ptr::with_exposed_provenance_mut::<u8>(lost as usize);
            // SAFETY: nothing is mapped there.
            let own = unsafe { libc::syscall(libc::SYS_mmap, at, PAGE, 3, flags, -1, 0) } as u64;
            let right = own == lost
                && advise(own, PAGE, libc::MADV_DONTNEED).is_none()
                && advise(kept, PAGE, libc::MADV_DONTNEED) == Some(libc::EINVAL)
                && value(kept) == MARK;
            // SAFETY: ends the child.
            unsafe { libc::_exit(i32::from(!right)) };
        }
        let mut status = 0;
        // SAFETY: `status` is writable.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    });
}

#[test]
fn mappings_of_devices_move_but_do_not_grow() {
    on_gpu("mappings_of_devices_move_but_do_not_grow", || {
        let device = Device::open(1);
        let va = reserve(2 * PAGE as usize);
        mapped_page(&device, va, VRAM);
        let target = reserve(4 * PAGE as usize);
        let page = PAGE as usize;
        let moved = |at: u64, old: usize, new: usize, flags: i32| {
            let to = std::ptr::with_exposed_provenance_mut::<std::ffi::c_void>(target as usize);
            // SAFETY: the test's own mappings.
            let at = unsafe { libc::mremap(std::ptr::with_exposed_provenance_mut(at as usize), old, new, flags, to) };
            if at == libc::MAP_FAILED {
                Err(std::io::Error::last_os_error())
            } else {
                Ok(at.expose_provenance() as u64)
            }
        };
        let fixed = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        assert_eq!(errno(moved(va, page, 2 * page, libc::MREMAP_MAYMOVE)), libc::EFAULT);
        assert_eq!(errno(moved(va, page, 2 * page, fixed)), libc::EFAULT);
        // Another mapping of the same.
        assert_eq!(errno(moved(va, 0, page, libc::MREMAP_MAYMOVE)), libc::EFAULT);
        assert_eq!(errno(moved(va, page, page, fixed | libc::MREMAP_DONTUNMAP)), libc::EINVAL);
        assert_eq!(moved(va, page, page, fixed).unwrap(), target);
        assert_eq!(value(target), MARK);
        assert_eq!(advise(target, PAGE, libc::MADV_REMOVE), Some(libc::ENODEV));
        let own = std::ptr::with_exposed_provenance_mut(va as usize);
        map_host(own, page, 3, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED, -1, 0);
        assert_eq!(advise(va, PAGE, libc::MADV_DONTNEED), None);
        // The program's own memory grows.
        let own = host_memory(page, 3);
        assert!(moved(own, page, 3 * page, libc::MREMAP_MAYMOVE).is_ok());
    });
}

#[test]
fn doorbells_ring_where_they_were_moved() {
    on_gpu("doorbells_ring_where_they_were_moved", || {
        let device = Device::open(1);
        let queue = queues::queue(&device, KFD_IOC_QUEUE_TYPE_SDMA);
        let offset = queue.doorbell_offset & !0x1fff;
        let doorbells = map_host(std::ptr::null_mut(), 8192, 3, libc::MAP_SHARED, device.kfd.as_raw_fd(), offset);
        let to = std::ptr::with_exposed_provenance_mut::<std::ffi::c_void>(reserve(8192) as usize);
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let from = std::ptr::with_exposed_provenance_mut(doorbells as usize);
        // SAFETY: the test's own mappings.
        let doorbells = unsafe { libc::mremap(from, 8192, 8192, flags, to) }.expose_provenance() as u64;
        assert_eq!(doorbells, to.addr() as u64);
        for round in 1..=3u64 {
            // Until the GPU sleeps.
            std::thread::sleep(std::time::Duration::from_millis(30));
            // SDMA packets of no operation.
            queues::qword(queue.write_pointer_address).store(round * 4, Ordering::Release);
            queues::qword(doorbells + (queue.doorbell_offset & 0x1fff)).store(round * 4, Ordering::Release);
            while queues::qword(queue.read_pointer_address).load(Ordering::Acquire) != round * 4 {
                std::thread::yield_now();
            }
        }
        queues::destroy(&device, &queue);
    });
}

#[test]
fn the_kernel_does_not_get_hold_of_a_devices_pages() {
    on_gpu("the_kernel_does_not_get_hold_of_a_devices_pages", || {
        let device = Device::open(1);
        let va = reserve(PAGE as usize);
        mapped_page(&device, va, VRAM);
        let own = host_memory(4096, 3);
        let part = |at: u64, length: usize| libc::iovec {
            iov_base: std::ptr::with_exposed_provenance_mut(at as usize),
            iov_len: length,
        };
        let copy = |write: bool, process, local: libc::iovec, remote: &[libc::iovec]| {
            let function = if write { libc::process_vm_writev } else { libc::process_vm_readv };
            // SAFETY: memory of the test's own.
            let count = unsafe { function(process, &local, 1, remote.as_ptr(), remote.len() as u64, 0) };
            if count < 0 { Err(std::io::Error::last_os_error()) } else { Ok(count) }
        };
        // SAFETY: plain system calls.
        for process in unsafe { [libc::getpid(), libc::gettid()] } {
            for write in [false, true] {
                let copy = |local, remote: &[_]| copy(write, process, local, remote);
                assert_eq!(errno(copy(part(own, 8), &[part(va + 8, 8)])), libc::EFAULT);
                assert_eq!(errno(copy(part(own, 8), &[part(va - 8, 16)])), libc::EFAULT);
                // Whole elements before it.
                let remote = [part(own + 64, 8), part(own + 128, 8), part(va, 8), part(own + 192, 8)];
                assert_eq!(copy(part(own + 1024, 64), &remote).unwrap(), 16);
                // The near side is copied as any memory.
                assert_eq!(copy(part(va + 64, 8), &[part(own, 8), part(own + 8, 0)]).unwrap(), 8);
                assert_eq!(errno(copy(part(own, 8), &[part(8, 8)])), libc::EFAULT);
            }
        }
        assert_eq!(value(va), MARK);
        // The driver copies to and from it, as the kernel does from any memory.
        let ids = std::ptr::with_exposed_provenance_mut::<u32>(va as usize + 128);
        // SAFETY: of the page.
        unsafe { ids.write_volatile(device.gpu_ids[0]) };
        let object = device.alloc(0, reserve(4096), PAGE, GTT, 0).unwrap();
        // SAFETY: as above.
        assert_eq!(device.map(object.handle, unsafe { std::slice::from_raw_parts(ids, 1) }).unwrap(), 1);
    });
}

#[test]
fn a_dmabuf_is_mapped_as_the_buffer_object() {
    on_gpu("a_dmabuf_is_mapped_as_the_buffer_object", || {
        let device = Device::open(1);
        let va = reserve(2 * PAGE as usize);
        let object = device.alloc(0, va, 2 * PAGE, VRAM, 0).unwrap();
        let dmabuf = device.export(object.handle).unwrap();
        let (page, access) = (PAGE as usize, libc::PROT_READ | libc::PROT_WRITE);
        assert_eq!(shared(&dmabuf, 0, 2 * page + 1), Some(libc::EINVAL));
        assert_eq!(shared(&dmabuf, PAGE, 2 * page), Some(libc::EINVAL));
        assert_eq!(shared(&dmabuf, 2 * PAGE, page), Some(libc::EINVAL));
        for protection in [access, libc::PROT_READ, libc::PROT_EXEC] {
            assert_eq!(mmap(&dmabuf, 0, page, protection, libc::MAP_PRIVATE), Some(libc::EINVAL));
        }
        // The second page, and the same through the node.
        let second = map_host(std::ptr::null_mut(), page, access, libc::MAP_SHARED, dmabuf.as_raw_fd(), PAGE);
        let node = device.render[0].as_raw_fd();
        let all = map_host(std::ptr::null_mut(), 2 * page, access, libc::MAP_SHARED, node, object.mmap_offset);
        queues::qword(all + PAGE).store(MARK, Ordering::Relaxed);
        assert_eq!(value(second), MARK);
        assert_eq!(advise(second, PAGE, libc::MADV_REMOVE), Some(libc::ENODEV));
        // A private mapping without access becomes readable, but never writable.
        for (file, offset) in [(dmabuf.as_raw_fd(), 0), (node, object.mmap_offset)] {
            let at = map_host(std::ptr::null_mut(), 2 * page, libc::PROT_NONE, libc::MAP_PRIVATE, file, offset);
            let protect = |protection| {
                // SAFETY: the test's own mapping.
                failure(unsafe { libc::mprotect(std::ptr::with_exposed_provenance_mut(at as usize), page, protection) })
            };
            assert_eq!(protect(access), Some(libc::EACCES));
            assert_eq!(protect(libc::PROT_READ), None);
            queues::qword(all).store(offset + 1, Ordering::Relaxed);
            assert_eq!(value(at), offset + 1);
        }
        // Files that are no dma-bufs are the program's own affair.
        let file = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(mmap(&file.into(), 0, page, access, libc::MAP_PRIVATE), None);
    });
}

#[test]
fn a_dmabuf_without_access_for_the_host_is_not_mapped() {
    on_gpu("a_dmabuf_without_access_for_the_host_is_not_mapped", || {
        let device = Device::open(1);
        let node = &device.render[0];
        for (domain_flags, refused) in [(AMDGPU_GEM_CREATE_NO_CPU_ACCESS, Some(libc::EPERM)), (0, None)] {
            let dmabuf = prime_export(node, gem_create(node, domain_flags), libc::O_RDWR).unwrap();
            assert_eq!(shared(&dmabuf, 0, PAGE as usize), refused);
        }
    });
}

#[test]
fn a_dmabuf_is_writable_if_it_was_asked_to_be() {
    on_gpu("a_dmabuf_is_writable_if_it_was_asked_to_be", || {
        let device = Device::open(1);
        let node = &device.render[0];
        let read_only = VRAM & !KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
        let exported = |flags| device.export(device.alloc(0, reserve(4096), PAGE, flags, 0).unwrap().handle).unwrap();
        let prime = |flags| prime_export(node, gem_create(node, 0), flags).unwrap();
        for (dmabuf, writable) in [
            (exported(VRAM), true),
            (exported(read_only), false),
            (prime(libc::O_RDWR), true),
            (prime(libc::O_RDONLY), false),
        ] {
            assert_eq!(shared(&dmabuf, 0, PAGE as usize), (!writable).then_some(libc::EACCES));
            assert_eq!(mmap(&dmabuf, 0, PAGE as usize, libc::PROT_READ, libc::MAP_SHARED), None);
            assert_eq!(mmap(&dmabuf, 0, PAGE as usize, libc::PROT_READ, libc::MAP_PRIVATE), Some(libc::EINVAL));
            // It is the GPU's memory all the same, for the GPU to write to.
            let at = reserve(4096);
            let imported = device.import(0, at, &dmabuf).unwrap();
            device.map(imported, &device.gpu_ids).unwrap();
            let again = device.export(imported).unwrap();
            assert_eq!(shared(&again, 0, PAGE as usize), None);
        }
        let hidden = gem_create(node, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID);
        assert_eq!(errno(prime_export(node, hidden, libc::O_RDWR)), libc::EPERM);
    });
}

/// A page of a GPU's memory, made by libdrm's request.
fn gem_create(node: &OwnedFd, domain_flags: u32) -> u32 {
    let mut args = drm_amdgpu_gem_create {
        in_: drm_amdgpu_gem_create_in {
            bo_size: PAGE,
            alignment: PAGE,
            domains: AMDGPU_GEM_DOMAIN_VRAM.into(),
            domain_flags: domain_flags.into(),
        },
    };
    // SAFETY: no addresses.
    unsafe { ioctl(node.as_fd(), DRM_IOCTL_AMDGPU_GEM_CREATE, std::ptr::from_mut(&mut args).cast()) }.unwrap();
    // SAFETY: the driver has written it.
    unsafe { args.out.handle }
}

fn prime_export(node: &OwnedFd, handle: u32, flags: i32) -> std::io::Result<OwnedFd> {
    use std::os::fd::FromRawFd;
    let mut prime = drm_prime_handle { handle, flags: (flags | libc::O_CLOEXEC) as u32, fd: -1 };
    // SAFETY: no addresses.
    unsafe { ioctl(node.as_fd(), DRM_IOCTL_PRIME_HANDLE_TO_FD, std::ptr::from_mut(&mut prime).cast()) }?;
    // SAFETY: new and ours.
    Ok(unsafe { OwnedFd::from_raw_fd(prime.fd) })
}
