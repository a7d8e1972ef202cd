//! A render node as libdrm's clients use it, without `/dev/kfd`.
mod common;

use common::*;
use kfd_sys::*;
use std::os::fd::{AsFd, OwnedFd};

/// A request's result, or its errno.
type Answer<T> = Result<T, i32>;

fn answer<T>(result: std::io::Result<T>) -> Answer<T> {
    result.map_err(|error| error.raw_os_error().unwrap())
}

fn create(node: &OwnedFd, bo_size: u64, domains: u32, domain_flags: u32) -> Answer<u32> {
    let (domains, domain_flags) = (domains.into(), domain_flags.into());
    let mut args =
        drm_amdgpu_gem_create { in_: drm_amdgpu_gem_create_in { bo_size, alignment: 4096, domains, domain_flags } };
    // SAFETY: no addresses; the driver fills the answer in.
    answer(unsafe { drm_ioctl_amdgpu_gem_create(node.as_fd(), &mut args).map(|()| args.out.handle) })
}

fn close(node: &OwnedFd, handle: u32) -> Answer<()> {
    // SAFETY: no addresses.
    answer(unsafe { drm_ioctl_gem_close(node.as_fd(), &mut drm_gem_close { handle, pad: 0 }) })
}

fn created(node: &OwnedFd, handle: u32) -> drm_amdgpu_gem_create_in {
    let mut info = drm_amdgpu_gem_create_in { bo_size: 0, alignment: 0, domains: 0, domain_flags: 0 };
    let value = std::ptr::from_mut(&mut info).expose_provenance() as u64;
    let mut args = drm_amdgpu_gem_op { handle, op: AMDGPU_GEM_OP_GET_GEM_CREATE_INFO, value, ..Default::default() };
    // SAFETY: `info` is writable.
    unsafe { drm_ioctl_amdgpu_gem_op(node.as_fd(), &mut args) }.unwrap();
    info
}

fn offset(node: &OwnedFd, handle: u32) -> Answer<u64> {
    let mut args = drm_amdgpu_gem_mmap { in_: drm_amdgpu_gem_mmap_in { handle, _pad: 0 } };
    // SAFETY: no addresses; the driver fills the answer in.
    answer(unsafe { drm_ioctl_amdgpu_gem_mmap(node.as_fd(), &mut args).map(|()| args.out.addr_ptr) })
}

fn va(node: &OwnedFd, handle: u32, operation: u32, va_address: u64) -> Answer<()> {
    let flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE;
    let mut args = drm_amdgpu_gem_va { handle, operation, flags, va_address, map_size: 8192, ..Default::default() };
    // SAFETY: the address is the GPU's.
    answer(unsafe { drm_ioctl_amdgpu_gem_va(node.as_fd(), &mut args) })
}

fn vram_used() -> u64 {
    let path = "/sys/class/drm/renderD128/device/mem_info_vram_used";
    std::fs::read_to_string(path).unwrap().trim().parse().unwrap()
}

#[test]
fn buffers_are_made_mapped_and_shared() {
    on_gpu("buffers_are_made_mapped_and_shared", || {
        const VRAM: u32 = AMDGPU_GEM_DOMAIN_VRAM;
        let node = open_render_node(128).unwrap();
        assert_eq!(vram_used(), 0);
        let buffer = create(&node, 5000, VRAM, AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED).unwrap();
        assert_eq!(vram_used(), 8192);
        // Another program sees it too, without using the device.
        let path = "/sys/class/drm/card0/device/mem_info_vram_used";
        let seen = std::process::Command::new("cat").arg(path).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&seen.stdout), "8192\n", "{seen:?}");
        let info = created(&node, buffer);
        assert_eq!((info.bo_size, info.domains), (8192, u64::from(VRAM)));
        let always = AMDGPU_GEM_CREATE_VRAM_CLEARED | AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE;
        assert_eq!(info.domain_flags, u64::from(AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | always));
        let bytes = map_object(reserve(8192), 8192, &node, offset(&node, buffer).unwrap());
        // SAFETY: within the mapping.
        unsafe {
            assert_eq!(bytes.read(), 0);
            bytes.add(8191).write(7);
        }
        // Another node has it by a dma-buf, with what it was made with.
        let mut prime = drm_prime_handle { handle: buffer, flags: (libc::O_CLOEXEC | libc::O_RDWR) as u32, fd: -1 };
        // SAFETY: no addresses.
        unsafe { drm_ioctl_prime_handle_to_fd(node.as_fd(), &mut prime) }.unwrap();
        let other = open_render_node(128).unwrap();
        // SAFETY: no addresses.
        unsafe { drm_ioctl_prime_fd_to_handle(other.as_fd(), &mut prime) }.unwrap();
        let again = created(&other, prime.handle);
        assert_eq!((again.domains, again.domain_flags), (info.domains, info.domain_flags));
        let shared = map_object(reserve(8192), 8192, &other, offset(&other, prime.handle).unwrap());
        // SAFETY: within the mapping.
        assert_eq!(unsafe { shared.add(8191).read() }, 7);
        // Memory that the host may not map, and memory of the host.
        let private = create(&node, 4096, VRAM, AMDGPU_GEM_CREATE_NO_CPU_ACCESS).unwrap();
        assert_eq!(offset(&node, private), Err(libc::EPERM));
        let host = create(&node, 4096, AMDGPU_GEM_DOMAIN_GTT, 0).unwrap();
        assert_eq!((vram_used(), created(&node, host).domains), (12288, u64::from(AMDGPU_GEM_DOMAIN_GTT)));
        let mut idle =
            drm_amdgpu_gem_wait_idle { in_: drm_amdgpu_gem_wait_idle_in { handle: host, flags: 0, timeout: 0 } };
        // SAFETY: no addresses; the driver fills the answer in.
        unsafe {
            drm_ioctl_amdgpu_gem_wait_idle(node.as_fd(), &mut idle).unwrap();
            assert_eq!(idle.out.status, 0);
        }
        for handle in [buffer, private, host] {
            close(&node, handle).unwrap();
        }
        assert_eq!((vram_used(), close(&node, host)), (0, Err(libc::EINVAL)));
    });
}

/// It neither takes of a GPU's memory nor gives any back, whether as much is left or not.
#[test]
fn host_memory_is_none_of_the_gpus() {
    with_faults("vram=64M", "host_memory_is_none_of_the_gpus", || {
        let node = open_render_node(128).unwrap();
        let vram = create(&node, 16 << 20, AMDGPU_GEM_DOMAIN_VRAM, 0).unwrap();
        for size in [4096, 128 << 20] {
            let host = create(&node, size, AMDGPU_GEM_DOMAIN_GTT, 0).unwrap();
            assert_eq!(vram_used(), 16 << 20, "{size}");
            close(&node, host).unwrap();
            assert_eq!(vram_used(), 16 << 20, "{size}");
        }
        close(&node, vram).unwrap();
        assert_eq!(vram_used(), 0);
    });
}

/// `amdgpu_gem_create_ioctl`.
#[test]
fn what_buffers_cannot_be_made_of() {
    on_gpu("what_buffers_cannot_be_made_of", || {
        let node = open_render_node(128).unwrap();
        let vram = AMDGPU_GEM_DOMAIN_VRAM;
        for (domains, flags) in [
            (AMDGPU_GEM_DOMAIN_DOORBELL, 0),
            (0x80, 0),
            (vram | AMDGPU_GEM_DOMAIN_GDS, 0),
            (AMDGPU_GEM_DOMAIN_GDS | AMDGPU_GEM_DOMAIN_GWS, 0),
            (AMDGPU_GEM_DOMAIN_GDS, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID),
            (vram, AMDGPU_GEM_CREATE_ENCRYPTED),
            (vram, AMDGPU_GEM_CREATE_UNCACHED),
        ] {
            assert_eq!(create(&node, 4096, domains, flags), Err(libc::EINVAL), "{domains:#x} {flags:#x}");
        }
        assert_eq!(create(&node, 4096, AMDGPU_GEM_DOMAIN_GDS, 0), Err(libc::ENOMEM));
        assert_eq!(create(&node, u64::MAX, vram, 0), Err(libc::EINVAL));
        assert_eq!(create(&node, 1 << 40, vram, 0), Err(libc::ENOMEM));
        // What does not fit beside the rest is host memory.
        let most = create(&node, 31 << 30, vram, 0).unwrap();
        let more = create(&node, 2 << 30, vram, 0).unwrap();
        assert_eq!(vram_used(), 31 << 30, "{most} {more}");
    });
}

#[test]
fn a_node_has_an_address_space_before_a_process_takes_it() {
    on_gpu("a_node_has_an_address_space_before_a_process_takes_it", || {
        let device = Device::without_vm(1);
        let node = &device.render[0];
        let buffer = create(node, 8192, AMDGPU_GEM_DOMAIN_GTT, 0).unwrap();
        let (map, unmap) = (AMDGPU_VA_OP_MAP, AMDGPU_VA_OP_UNMAP);
        let at = 0x10_0000;
        assert_eq!(va(node, buffer, map, at), Ok(()));
        assert_eq!(va(node, buffer, map, at + 4096), Err(libc::EINVAL));
        assert_eq!(va(node, buffer, unmap, at + 4096), Err(libc::ENOENT));
        // Another node's is another one.
        let other = open_render_node(128).unwrap();
        let elsewhere = create(&other, 8192, AMDGPU_GEM_DOMAIN_GTT, 0).unwrap();
        assert_eq!(va(&other, elsewhere, map, at), Ok(()));
        // What was mapped stays when the process takes it.
        device.acquire_vm(device.gpu_ids[0], node.as_fd()).unwrap();
        let object = device.alloc(0, at, 8192, GTT, 0).unwrap();
        assert_eq!(errno(device.map(object.handle, &device.gpu_ids)), libc::EINVAL);
        assert_eq!(va(node, buffer, unmap, at), Ok(()));
        assert_eq!(device.map(object.handle, &device.gpu_ids).unwrap(), 1);
        assert_eq!(va(node, buffer, map, at), Err(libc::EINVAL));
    });
}

/// `amdgpu_ctx_ioctl`.
#[test]
fn contexts() {
    on_gpu("contexts", || {
        let node = open_render_node(128).unwrap();
        let context = |op, flags, ctx_id, priority| {
            let mut args = drm_amdgpu_ctx { in_: drm_amdgpu_ctx_in { op, flags, ctx_id, priority } };
            // SAFETY: no addresses; the driver fills the answer in.
            answer(unsafe { drm_ioctl_amdgpu_ctx(node.as_fd(), &mut args).map(|()| args.out.alloc.ctx_id) })
        };
        let (alloc, free, query) = (AMDGPU_CTX_OP_ALLOC_CTX, AMDGPU_CTX_OP_FREE_CTX, AMDGPU_CTX_OP_QUERY_STATE2);
        assert_eq!(context(alloc, 1, 0, 0), Err(libc::EINVAL));
        assert_eq!(context(alloc, 0, 0, 0), Ok(1));
        // A number that is no priority is the normal one.
        assert_eq!(context(alloc, 0, 0, 12345), Ok(2));
        // SAFETY: plain system call.
        let high = if unsafe { libc::geteuid() } == 0 { Ok(3) } else { Err(libc::EACCES) };
        assert_eq!(context(alloc, 0, 0, 512), high);
        assert_eq!(context(query, 0, 1, 0), Ok(0));
        assert_eq!(context(AMDGPU_CTX_OP_GET_STABLE_PSTATE, 0, 1, 0), Ok(0));
        assert_eq!(context(AMDGPU_CTX_OP_SET_STABLE_PSTATE, 4, 1, 0), Err(libc::EINVAL));
        assert_eq!(context(free, 0, 1, 0).map(|_| ()), Ok(()));
        assert_eq!((context(free, 0, 1, 0), context(query, 0, 1, 0)), (Err(libc::EINVAL), Err(libc::EINVAL)));
        assert_eq!(context(alloc, 0, 0, 0), Ok(1));
        assert_eq!(context(99, 0, 1, 0), Err(libc::EINVAL));
        let last = std::iter::repeat_with(|| context(alloc, 0, 0, 0)).find(Result::is_err);
        assert_eq!(last, Some(Err(libc::ENOSPC)));
        // Major and minor version, flags, alignments of indirect buffers, rings, version: of compute, DMA, graphics and
        // video decoding.
        for (kind, wanted) in [
            (AMDGPU_HW_IP_COMPUTE, [9, 0, 0, 0, 32, 32, 0xf, 0x09_0401]),
            (AMDGPU_HW_IP_DMA, [4, 0, 0, 0, 256, 4, 3, 0x04_0202]),
            (AMDGPU_HW_IP_GFX, [9, 0, 0, 0, 32, 32, 0, 0x09_0401]),
            (AMDGPU_HW_IP_VCN_DEC, [0; 8]),
        ] {
            let mut info = drm_amdgpu_info { query: AMDGPU_INFO_HW_IP_INFO, ..unit_query(kind) };
            let mut unit = [7u32; 8];
            (info.return_size, info.return_pointer) = (32, unit.as_mut_ptr().expose_provenance() as u64);
            // SAFETY: `unit` has the room that is told.
            unsafe { drm_ioctl_amdgpu_info(node.as_fd(), &mut info) }.unwrap();
            assert_eq!(unit, wanted, "{kind}");
        }
    });
}

/// A query about units of a kind.
fn unit_query(kind: u32) -> drm_amdgpu_info {
    // SAFETY: integers, of which zeroes are valid.
    let mut info: drm_amdgpu_info = unsafe { std::mem::zeroed() };
    info.__bindgen_anon_1.query_hw_ip.type_ = kind;
    info
}
