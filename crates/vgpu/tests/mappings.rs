//! What may be mapped where: by the host through render nodes, to the GPU, and as shared virtual memory.
mod common;

use common::*;
use kfd_sys::*;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

const SIZE: usize = 2 << 20;
const PAGE: u64 = 4096;

#[test]
fn a_render_node_maps_whole_buffers_of_its_own() {
    on_gpus(2, "a_render_node_maps_whole_buffers_of_its_own", || {
        let device = Device::open(2);
        let node = &device.render[0];
        let object = device.alloc(0, reserve(SIZE), SIZE as u64, VRAM, 0).unwrap();
        let offset = object.mmap_offset;
        assert_eq!(shared(node, offset, SIZE), None);
        assert_eq!(shared(node, offset, 4096), None);
        assert_eq!(shared(node, offset, SIZE + 4096), Some(libc::EINVAL));
        assert_eq!(shared(node, offset + PAGE, 4096), Some(libc::EINVAL));
        assert_eq!(shared(&device.render[1], offset, SIZE), Some(libc::EINVAL));
        assert_eq!(shared(&open_render_node(128).unwrap(), offset, SIZE), Some(libc::EACCES));
        let private = |protection| mmap(node, offset, SIZE, protection, libc::MAP_PRIVATE);
        assert_eq!(private(libc::PROT_READ | libc::PROT_WRITE), Some(libc::EINVAL));
        assert_eq!(private(libc::PROT_NONE), None);
        // Not the file that stands for the node.
        assert_eq!(shared(node, 0, 4096), Some(libc::EINVAL));
        assert_eq!(shared(&device.kfd, 0, 4096), Some(libc::ENODEV));
        // Another object of the same memory comes and goes.
        let dmabuf = device.export(object.handle).unwrap();
        let again = device.import(0, reserve(SIZE), &dmabuf).unwrap();
        device.free(again).unwrap();
        assert_eq!(shared(node, offset, SIZE), None);
        device.free(object.handle).unwrap();
        assert!(shared(node, offset, SIZE).is_some());
        // Every object has an offset, but host memory and doorbells cannot be mapped there.
        let host = host_memory(4096, 3);
        let user = device.alloc(0, host, PAGE, USERPTR, host).unwrap();
        assert!(user.mmap_offset != 0 && shared(node, user.mmap_offset, 4096).is_some());
        let doorbells = device.alloc(0, 0x10_0000, 8192, KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL, 0).unwrap();
        assert!(shared(&device.kfd, doorbells.mmap_offset, 8192).is_some());
    });
}

#[test]
fn a_ring_that_appears_twice_goes_as_a_whole() {
    on_gpu("a_ring_that_appears_twice_goes_as_a_whole", || {
        let device = Device::open(1);
        let gpu = &device.gpu_ids;
        // One and a half pages, twice: each appearance takes two.
        let ring = device.alloc(0, 0x10_0000, 3 * PAGE, GTT | KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM, 0).unwrap();
        let last = device.alloc(0, 0x10_3000, PAGE, GTT, 0).unwrap();
        device.map(ring.handle, gpu).unwrap();
        assert_eq!(errno(device.map(last.handle, gpu)), libc::EINVAL);
        device.unmap(ring.handle, gpu).unwrap();
        assert_eq!(errno(device.unmap(ring.handle, gpu)), libc::EINVAL);
        device.map(last.handle, gpu).unwrap();
    });
}

#[test]
fn host_memory_is_the_programs_and_writable() {
    on_gpu("host_memory_is_the_programs_and_writable", || {
        let device = Device::open(1);
        let user = |host| device.alloc(0, 0x10_0000, PAGE, USERPTR, host).map(|_| ());
        let read_only = host_memory(4096, libc::PROT_READ);
        assert_eq!(errno(user(read_only)), libc::EPERM);
        assert_eq!(errno(user(reserve(4096))), libc::EFAULT);
        let va = reserve(SIZE);
        let object = device.alloc(0, va, SIZE as u64, VRAM, 0).unwrap();
        map_object(va, SIZE, &device.render[0], object.mmap_offset);
        assert_eq!(errno(user(va)), libc::EFAULT);
        user(host_memory(4096, libc::PROT_READ | libc::PROT_WRITE)).unwrap();
    });
}

#[test]
fn the_kind_of_memory_is_the_first_that_the_flags_name() {
    on_gpu("the_kind_of_memory_is_the_first_that_the_flags_name", || {
        let device = Device::open(1);
        let info = |handle| {
            let dmabuf = device.export(handle).unwrap();
            let mut info =
                kfd_ioctl_get_dmabuf_info_args { dmabuf_fd: dmabuf.as_raw_fd() as u32, ..Default::default() };
            // SAFETY: no metadata is asked for.
            unsafe { amdkfd_ioc_get_dmabuf_info(device.fd(), &mut info) }.unwrap();
            (info.size, info.flags)
        };
        let doorbell = KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL;
        assert_eq!(errno(device.alloc(0, 0x10_0000, PAGE, GTT | doorbell, 0)), libc::EINVAL);
        let object = device.alloc(0, 0x10_0000, 2 * PAGE, GTT | doorbell, 0).unwrap();
        assert_eq!(info(object.handle), (2 * PAGE, KFD_IOC_ALLOC_MEM_FLAGS_GTT));
        let both = VRAM & !KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC | GTT;
        let object = device.alloc(0, 0x20_0000, PAGE, both, 0).unwrap();
        assert_eq!(info(object.handle), (PAGE, KFD_IOC_ALLOC_MEM_FLAGS_VRAM));
        let object = device.alloc(0, 0x30_0000, PAGE, GTT | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC, 0).unwrap();
        assert_eq!(info(object.handle), (PAGE, KFD_IOC_ALLOC_MEM_FLAGS_GTT));
    });
}

/// The request for shared virtual memory with one attribute, of which `given` bytes are said to be there.
fn svm(device: &Device, start: u64, size: u64, op: kfd_ioctl_svm_op, attribute: [u32; 2], given: u64) -> Option<i32> {
    let mut words =
        [start as u32, (start >> 32) as u32, size as u32, (size >> 32) as u32, op.0, 1, attribute[0], attribute[1]];
    let request = AMDKFD_IOC_SVM & !(0x3fff << 16) | given << 16;
    // SAFETY: `words` has the layout of the driver's structure.
    let result = unsafe { ioctl(device.fd(), request, words.as_mut_ptr().cast()) };
    result.err().map(|error| error.raw_os_error().unwrap())
}

#[test]
fn shared_virtual_memory_is_checked() {
    on_gpu("shared_virtual_memory_is_checked", || {
        let device = Device::without_vm(1);
        let gpu = device.gpu_ids[0];
        let (set, get) = (kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR, kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_GET_ATTR);
        let access = [kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS.0, gpu];
        let location = [kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_PREFERRED_LOC.0, 0];
        let host = host_memory(SIZE, libc::PROT_READ | libc::PROT_WRITE);
        let ask = |start, size, op| svm(&device, start, size, op, access, 32);
        assert_eq!(ask(host, PAGE, get), None);
        assert_eq!(svm(&device, host, PAGE, set, location, 32), Some(libc::EINVAL), "no VM");
        device.acquire_vm(gpu, device.render[0].as_fd()).unwrap();
        assert_eq!(svm(&device, host, PAGE, set, location, 32), None);
        for given in [16, 24, 31] {
            assert_eq!(svm(&device, host, PAGE, set, access, given), Some(libc::EINVAL), "{given} bytes");
        }
        for op in [set, get] {
            assert_eq!(ask(PAGE.wrapping_neg(), 2 * PAGE, op), Some(libc::EOVERFLOW));
            assert_eq!(ask(1 << 46, PAGE, op), Some(libc::EFAULT));
        }
        assert_eq!(svm(&device, PAGE.wrapping_neg(), 2 * PAGE, set, [99, gpu], 32), Some(libc::EINVAL));

        // Memory of the device is not the host's.
        let va = reserve(SIZE);
        let object = device.alloc(0, va, SIZE as u64, VRAM, 0).unwrap();
        map_object(va, SIZE, &device.render[0], object.mmap_offset);
        assert_eq!((ask(va, PAGE, set), ask(va, PAGE, get)), (Some(libc::EFAULT), Some(libc::EFAULT)));
        // Nor can it be where a buffer object is mapped, and then all stays as it was.
        let user = device.alloc(0, host + PAGE, PAGE, USERPTR, host + PAGE).unwrap();
        device.map(user.handle, &[gpu]).unwrap();
        let range = |op| ask(host, SIZE as u64, op);
        assert_eq!((range(set), range(get)), (Some(libc::EADDRINUSE), Some(libc::EADDRINUSE)));
        assert!(device.alloc(0, host + 2 * PAGE, PAGE, GTT, 0).is_ok());
        device.unmap(user.handle, &[gpu]).unwrap();
        assert_eq!(range(set), None);
        // What the host refuses to unmap stays.
        for (start, size) in [(host + 1, SIZE), (host, usize::MAX - 4095), (host, usize::MAX), (host, 0)] {
            // SAFETY: the kernel refuses all of these.
            let result = unsafe { libc::munmap(std::ptr::without_provenance_mut(start as usize), size) };
            assert_eq!(result, -1, "{start:#x} {size:#x}");
        }
        assert_eq!(errno(device.alloc(0, host + 2 * PAGE, PAGE, GTT, 0)), libc::EADDRINUSE);
    });
}

/// Maps or unmaps an object by libdrm's request.
fn gem_va(file: &OwnedFd, handle: u32, operation: u32, flags: u32, va_address: u64) -> std::io::Result<()> {
    let map_size = if operation == AMDGPU_VA_OP_MAP { PAGE } else { 0 };
    let mut args = drm_amdgpu_gem_va { handle, operation, flags, va_address, map_size, ..Default::default() };
    // SAFETY: no addresses.
    unsafe { ioctl(file.as_fd(), DRM_IOCTL_AMDGPU_GEM_VA, std::ptr::from_mut(&mut args).cast()) }
}

#[test]
fn a_handle_unmaps_what_it_mapped() {
    on_gpu("a_handle_unmaps_what_it_mapped", || {
        const FLAGS: u32 = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE;
        let device = Device::open(1);
        let node = &device.render[0];
        let handle_on = |node: &OwnedFd| {
            let object = device.alloc(0, 0, PAGE, VRAM, 0).unwrap();
            let mut prime =
                drm_prime_handle { handle: 0, flags: 0, fd: device.export(object.handle).unwrap().as_raw_fd() };
            // The descriptor is closed by now.
            // SAFETY: no addresses.
            assert_eq!(errno(unsafe { drm_ioctl_prime_fd_to_handle(node.as_fd(), &mut prime) }), libc::EBADF);
            let dmabuf = device.export(object.handle).unwrap();
            prime.fd = dmabuf.as_raw_fd();
            // SAFETY: no addresses.
            unsafe { drm_ioctl_prime_fd_to_handle(node.as_fd(), &mut prime) }.unwrap();
            prime.handle
        };
        let (first, second) = (handle_on(node), handle_on(node));
        let call = |handle, operation, flags, va| errno(gem_va(node, handle, operation, flags, va));
        let (map, unmap) = (AMDGPU_VA_OP_MAP, AMDGPU_VA_OP_UNMAP);
        gem_va(node, first, map, FLAGS, 0x10_0000).unwrap();
        assert_eq!(call(second, map, FLAGS, 0x10_0000), libc::EINVAL);
        assert_eq!(call(second, unmap, 0, 0x10_0000), libc::ENOENT);
        assert_eq!(call(first, unmap, 0, 0x10_1000), libc::ENOENT);
        assert_eq!(call(99, map, FLAGS, 0x20_0000), libc::ENOENT);
        assert_eq!(call(first, map, 1 << 20, 0x20_0000), libc::EINVAL);
        assert_eq!(call(first, map, FLAGS, 0x1000), libc::EINVAL);
        assert_eq!(call(first, 9, FLAGS, 0x20_0000), libc::EINVAL);
        gem_va(node, first, unmap, 0, 0x10_0000).unwrap();
        gem_va(node, second, map, FLAGS, 0x10_0000).unwrap();
        // With the handle goes what it mapped.
        let mut close = drm_gem_close { handle: second, pad: 0 };
        // SAFETY: no addresses.
        unsafe { ioctl(node.as_fd(), DRM_IOCTL_GEM_CLOSE, std::ptr::from_mut(&mut close).cast()) }.unwrap();
        gem_va(node, first, map, FLAGS, 0x10_0000).unwrap();
        // Another open file has a VM of its own.
        let other = open_render_node(128).unwrap();
        gem_va(&other, handle_on(&other), map, FLAGS, 0x10_0000).unwrap();
    });
}

#[test]
fn requests_are_as_long_as_they_say() {
    on_gpu("requests_are_as_long_as_they_say", || {
        let device = Device::open(1);
        let sized = |request: std::ffi::c_ulong, size: std::ffi::c_ulong| request & !(0x3fff << 16) | size << 16;
        // Shorter than the kernel's structure: what is not there is not written.
        let mut words = [7u32; 20];
        // SAFETY: the buffer is longer than any size given here.
        unsafe {
            ioctl(device.fd(), sized(AMDKFD_IOC_GET_VERSION, 4), words.as_mut_ptr().cast()).unwrap();
            assert_eq!(words[..2], [1, 7]);
            words = [0; 20];
            words[3..].fill(7);
            ioctl(device.render[0].as_fd(), sized(DRM_IOCTL_VERSION, 12), words.as_mut_ptr().cast()).unwrap();
            assert_eq!((words[0], &words[3..]), (3, &[7; 17][..]));
            // Longer: the rest stays.
            words = [9; 20];
            ioctl(device.fd(), sized(AMDKFD_IOC_GET_VERSION, 16), words.as_mut_ptr().cast()).unwrap();
            assert_eq!((words[0], words[4]), (1, 9));
        }
        let info = |query, size, pointer: *mut u32| {
            let mut info = drm_amdgpu_info::default();
            (info.query, info.return_size, info.return_pointer) = (query, size, pointer.expose_provenance() as u64);
            // SAFETY: the answers have at most as many bytes as the buffer.
            unsafe { ioctl(device.render[0].as_fd(), DRM_IOCTL_AMDGPU_INFO, std::ptr::from_mut(&mut info).cast()) }
        };
        let words = words.as_mut_ptr();
        info(AMDGPU_INFO_ACCEL_WORKING, 4, words).unwrap();
        assert_eq!(errno(info(AMDGPU_INFO_ACCEL_WORKING, 0, words)), libc::EINVAL);
        assert_eq!(errno(info(AMDGPU_INFO_ACCEL_WORKING, 4, std::ptr::null_mut())), libc::EINVAL);
        assert_eq!(errno(info(AMDGPU_INFO_ACCEL_WORKING, 4, std::ptr::without_provenance_mut(8))), libc::EFAULT);
        // No firmware has this number.
        assert_eq!(errno(info(AMDGPU_INFO_FW_VERSION, 8, words)), libc::EINVAL);
    });
}
