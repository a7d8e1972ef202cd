//! Buffer objects, dma-bufs, IPC handles and shared virtual memory, as a program sees them.
mod common;

use common::*;
use kfd_sys::*;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

const SIZE: usize = 2 << 20;

#[test]
fn vram_is_mapped_for_the_host_and_counted() {
    on_gpu("vram_is_mapped_for_the_host_and_counted", || {
        let device = Device::open(1);
        let free = device.available(0);
        let va = reserve(SIZE);
        let object = device.alloc(0, va, SIZE as u64, VRAM, 0).unwrap();
        assert_eq!(free - device.available(0), SIZE as u64);
        let bytes = map_object(va, SIZE, &device.render[0], object.mmap_offset);
        // SAFETY: the mapping is SIZE bytes long.
        unsafe {
            assert_eq!(bytes.read(), 0);
            bytes.add(SIZE - 1).write(42);
            assert_eq!(bytes.add(SIZE - 1).read(), 42);
        }
        assert_eq!(device.map(object.handle, &device.gpu_ids).unwrap(), 1);
        assert_eq!(errno(device.free(object.handle)), libc::EBUSY);
        assert_eq!(device.unmap(object.handle, &device.gpu_ids).unwrap(), 1);
        device.free(object.handle).unwrap();
        assert_eq!(device.available(0), free);
        assert_eq!(errno(device.free(object.handle)), libc::EINVAL);
    });
}

#[test]
fn more_than_the_memory_is_refused() {
    on_gpu("more_than_the_memory_is_refused", || {
        let device = Device::open(1);
        // The driver keeps 8 MiB for page tables.
        let all = 34_342_961_152 - (8 << 20);
        assert_eq!(device.available(0), all);
        assert_eq!(errno(device.alloc(0, 0x10_0000_0000, all + 4096, VRAM, 0)), libc::ENOMEM);
        let most = device.alloc(0, 0x10_0000_0000, all - (1 << 20), VRAM, 0).unwrap();
        assert_eq!(errno(device.alloc(0, 0x20_0000_0000, 2 << 20, VRAM, 0)), libc::ENOMEM);
        device.free(most.handle).unwrap();
        assert!(device.alloc(0, 0x20_0000_0000, 2 << 20, VRAM, 0).is_ok());
    });
}

#[test]
fn a_dmabuf_is_the_same_memory() {
    on_gpus(2, "a_dmabuf_is_the_same_memory", || {
        let device = Device::open(2);
        let va = reserve(SIZE);
        let object = device.alloc(0, va, SIZE as u64, VRAM, 0).unwrap();
        let bytes = map_object(va, SIZE, &device.render[0], object.mmap_offset);
        // SAFETY: within the mapping.
        unsafe { bytes.add(4096).write(9) };
        let dmabuf = device.export(object.handle).unwrap();
        // SAFETY: plain system call.
        assert_eq!(unsafe { libc::lseek(dmabuf.as_raw_fd(), 0, libc::SEEK_END) }, SIZE as i64);
        let mut info = kfd_ioctl_get_dmabuf_info_args { dmabuf_fd: dmabuf.as_raw_fd() as u32, ..Default::default() };
        // SAFETY: no metadata is asked for.
        unsafe { amdkfd_ioc_get_dmabuf_info(device.fd(), &mut info) }.unwrap();
        assert_eq!((info.size, info.gpu_id), (SIZE as u64, device.gpu_ids[0]));
        assert_eq!(info.flags, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);

        let peer = device.import(1, reserve(SIZE), &dmabuf).unwrap();
        device.map(peer, &device.gpu_ids[1..]).unwrap();
        device.unmap(peer, &device.gpu_ids[1..]).unwrap();
        device.free(peer).unwrap();
        // SAFETY: within the mapping, which outlives the import.
        assert_eq!(unsafe { bytes.add(4096).read() }, 9);

        // libdrm's way to the same memory.
        let mut prime = drm_prime_handle { handle: 0, flags: 0, fd: dmabuf.as_raw_fd() };
        // SAFETY: no addresses.
        unsafe { drm_ioctl_prime_fd_to_handle(device.render[0].as_fd(), &mut prime) }.unwrap();
        let mut mmap = drm_amdgpu_gem_mmap { in_: drm_amdgpu_gem_mmap_in { handle: prime.handle, _pad: 0 } };
        // SAFETY: no addresses.
        unsafe { drm_ioctl_amdgpu_gem_mmap(device.render[0].as_fd(), &mut mmap) }.unwrap();
        // SAFETY: the driver has written the output.
        let offset = unsafe { mmap.out.addr_ptr };
        let again = map_object(reserve(SIZE), SIZE, &device.render[0], offset);
        // SAFETY: within the mapping.
        assert_eq!(unsafe { again.add(4096).read() }, 9);
    });
}

#[test]
fn metadata_belongs_to_the_buffer() {
    on_gpu("metadata_belongs_to_the_buffer", || {
        let device = Device::open(1);
        let object = device.alloc(0, reserve(SIZE), SIZE as u64, VRAM, 0).unwrap();
        let dmabuf = device.export(object.handle).unwrap();
        let other = open_render_node(128).unwrap();
        let handle_on = |node: &OwnedFd| {
            let mut prime = drm_prime_handle { handle: 0, flags: 0, fd: dmabuf.as_raw_fd() };
            // SAFETY: no addresses.
            unsafe { drm_ioctl_prime_fd_to_handle(node.as_fd(), &mut prime) }.unwrap();
            prime.handle
        };
        let metadata = |node: &OwnedFd, op, tiling_info, words: &[u32]| {
            let mut args = drm_amdgpu_gem_metadata { handle: handle_on(node), op, ..Default::default() };
            (args.data.flags, args.data.tiling_info, args.data.data_size_bytes) =
                (3, tiling_info, size_of_val(words) as u32);
            args.data.data.iter_mut().zip(words).for_each(|(to, from)| *to = *from);
            // SAFETY: no addresses.
            unsafe { drm_ioctl_amdgpu_gem_metadata(node.as_fd(), &mut args) }.map(|()| args.data)
        };
        let get = || metadata(&other, AMDGPU_GEM_METADATA_OP_GET_METADATA, 0, &[]).unwrap();
        let set = |tiling, words: &[u32]| {
            metadata(&device.render[0], AMDGPU_GEM_METADATA_OP_SET_METADATA, tiling, words).map(|_| ())
        };
        assert_eq!((get().flags, get().tiling_info, get().data_size_bytes), (0, 0, 0));
        if let Err(error) = set(5, &[0xdead_beef, 7])
            && error.raw_os_error() == Some(libc::EOPNOTSUPP)
        {
            test_skip::skip!("this kernel keeps no attributes of memory files");
        }
        assert_eq!((get().flags, get().tiling_info, get().data_size_bytes), (3, 5, 8));
        assert_eq!(get().data[..3], [0xdead_beef, 7, 0]);
        assert_eq!(errno(set(5, &[1; 65])), libc::EINVAL);

        // The other driver sees it too.
        let mut words = [0u32; 2];
        let ask = |to: *mut u32, room| {
            let mut info =
                kfd_ioctl_get_dmabuf_info_args { dmabuf_fd: dmabuf.as_raw_fd() as u32, ..Default::default() };
            (info.metadata_ptr, info.metadata_size) = (to.expose_provenance() as u64, room);
            // SAFETY: `words`, which has as much room as is told, or nothing.
            let asked = unsafe { amdkfd_ioc_get_dmabuf_info(device.fd(), &mut info) };
            (asked.map_err(|error| error.raw_os_error().unwrap()), info.metadata_size)
        };
        // Too little room is told with the size that is needed, also if nothing would be written.
        assert_eq!(ask(words.as_mut_ptr(), 4), (Err(libc::EINVAL), 8));
        assert_eq!(ask(std::ptr::null_mut(), 0), (Err(libc::EINVAL), 8));
        assert_eq!(ask(std::ptr::null_mut(), 8), (Ok(()), 8));
        assert_eq!(ask(words.as_mut_ptr(), 8), (Ok(()), 8));
        assert_eq!(words, [0xdead_beef, 7]);
        // SAFETY: the device's descriptor.
        assert_eq!(unsafe { dmabuf_info(device.fd(), dmabuf.as_fd()) }.unwrap().size, SIZE as u64);

        set(6, &[]).unwrap();
        assert_eq!((get().flags, get().tiling_info, get().data_size_bytes), (3, 6, 0));

        let mut created = drm_amdgpu_gem_create_in::default();
        let mut ask = drm_amdgpu_gem_op {
            handle: handle_on(&other),
            op: AMDGPU_GEM_OP_GET_GEM_CREATE_INFO,
            value: (&raw mut created).expose_provenance() as u64,
            ..Default::default()
        };
        // SAFETY: `created` is what this request writes.
        unsafe { drm_ioctl_amdgpu_gem_op(other.as_fd(), &mut ask) }.unwrap();
        assert_eq!((created.bo_size, created.domains), (SIZE as u64, AMDGPU_GEM_DOMAIN_VRAM.into()));
        let flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED
            | AMDGPU_GEM_CREATE_VRAM_WIPE_ON_RELEASE
            | AMDGPU_GEM_CREATE_VRAM_CLEARED;
        assert_eq!((created.alignment, created.domain_flags), (4096, flags.into()));
        ask.op = AMDGPU_GEM_OP_SET_PLACEMENT;
        // SAFETY: no addresses.
        assert_eq!(errno(unsafe { drm_ioctl_amdgpu_gem_op(other.as_fd(), &mut ask) }), libc::EINVAL);
    });
}

#[test]
fn only_buffers_of_this_device_are_dmabufs() {
    on_gpu("only_buffers_of_this_device_are_dmabufs", || {
        let device = Device::open(1);
        let null = std::fs::File::open("/dev/null").unwrap().into();
        assert_eq!(errno(device.import(0, 0x10_0000, &null)), libc::EINVAL);
        let host = reserve(4096);
        // SAFETY: a page of this test's.
        unsafe { libc::mprotect(std::ptr::with_exposed_provenance_mut(host as usize), 4096, 3) };
        let user = device.alloc(0, host, 4096, USERPTR, host).unwrap();
        assert_eq!(errno(device.export(user.handle)), libc::EPERM);
    });
}

#[test]
fn buffers_keep_their_size() {
    on_gpu("buffers_keep_their_size", || {
        let device = Device::open(1);
        let va = reserve(SIZE);
        let object = device.alloc(0, va, SIZE as u64, VRAM, 0).unwrap();
        let bytes = map_object(va, SIZE, &device.render[0], object.mmap_offset);
        // SAFETY: within the mapping.
        unsafe { bytes.add(SIZE - 1).write(42) };
        let resize = |file: &OwnedFd, size| {
            // SAFETY: plain system call.
            let done = unsafe { libc::ftruncate(file.as_raw_fd(), size) };
            (done != 0).then(|| std::io::Error::last_os_error().raw_os_error().unwrap())
        };
        let dmabuf = device.export(object.handle).unwrap();
        for size in [0, 2 * SIZE as i64] {
            assert_eq!(resize(&dmabuf, size), Some(libc::EPERM));
        }
        // SAFETY: within the mapping.
        assert_eq!(unsafe { bytes.add(SIZE - 1).read() }, 42);

        // A file that only looks like one of the device's.
        let name = std::ffi::CString::new(format!("vgpu-vram-{}-c0000001", device.gpu_ids[0])).unwrap();
        let forged = |flags| {
            // SAFETY: `name` is a C string, and the descriptor is new.
            let file = unsafe { OwnedFd::from_raw_fd(libc::memfd_create(name.as_ptr(), flags)) };
            assert_eq!(resize(&file, SIZE as i64), None);
            file
        };
        assert_eq!(errno(device.import(0, reserve(SIZE), &forged(0))), libc::EINVAL);
        let sealable = forged(libc::MFD_ALLOW_SEALING);
        device.import(0, reserve(SIZE), &sealable).unwrap();
        assert_eq!(resize(&sealable, 0), Some(libc::EPERM));
    });
}

#[repr(C)]
#[derive(Default)]
struct IpcExport {
    handle: u64,
    share: [u32; 4],
    gpu_id: u32,
    flags: u32,
}

#[repr(C)]
#[derive(Default)]
struct IpcImport {
    handle: u64,
    va: u64,
    mmap_offset: u64,
    share: [u32; 4],
    gpu_id: u32,
    flags: u32,
}

fn export(device: &Device, handle: u64, gpu_id: u32) -> std::io::Result<[u32; 4]> {
    export_with(device, handle, gpu_id, 0)
}

fn export_with(device: &Device, handle: u64, gpu_id: u32, flags: u32) -> std::io::Result<[u32; 4]> {
    let mut args = IpcExport { handle, gpu_id, flags, ..Default::default() };
    // SAFETY: the structure is the driver's, and holds no addresses.
    unsafe { ioctl(device.fd(), 0xc020_4b81, std::ptr::from_mut(&mut args).cast()) }.map(|()| args.share)
}

fn import(device: &Device, share: [u32; 4], va: u64) -> std::io::Result<IpcImport> {
    let mut args = IpcImport { share, gpu_id: device.gpu_ids[0], va, ..Default::default() };
    // SAFETY: the structure is the driver's, and holds no addresses.
    unsafe { ioctl(device.fd(), 0xc030_4b80, std::ptr::from_mut(&mut args).cast()) }.map(|()| args)
}

const SHARE: &str = "VGPU_TEST_SHARE";

#[test]
fn ipc_handles_name_memory_of_another_process() {
    on_gpu("ipc_handles_name_memory_of_another_process", || {
        let device = Device::open(1);
        let va = reserve(SIZE);
        if let Ok(share) = std::env::var(SHARE) {
            let share: Vec<u32> = share.split(' ').map(|word| word.parse().unwrap()).collect();
            let share: [u32; 4] = share.try_into().unwrap();
            let object = import(&device, share, va).unwrap();
            // The exporter's, not the ones that the object was made with; and again what is passed on.
            assert_eq!(object.flags, 0x00ff_1234);
            let passed_on = export_with(&device, object.handle, device.gpu_ids[0], 9).unwrap();
            assert_eq!(import(&device, passed_on, reserve(SIZE)).unwrap().flags, 0x00ff_1234);
            device.map(object.handle, &device.gpu_ids).unwrap();
            let bytes = map_object(va, SIZE, &device.render[0], object.mmap_offset);
            // SAFETY: within the mapping.
            unsafe { bytes.write(bytes.read() + 1) };
            return;
        }
        let object = device.alloc(0, va, SIZE as u64, VRAM, 0).unwrap();
        let bytes = map_object(va, SIZE, &device.render[0], object.mmap_offset);
        // SAFETY: within the mapping.
        unsafe { bytes.write(5) };
        let words = export_with(&device, object.handle, device.gpu_ids[0], 0x00ff_1234).unwrap();
        // It is exported once, with what came first.
        assert_eq!(export(&device, object.handle, device.gpu_ids[0]).unwrap(), words);
        let share = words.map(|word| word.to_string()).join(" ");
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ipc_handles_name_memory_of_another_process"])
            .env(SHARE, share)
            .status();
        assert!(status.unwrap().success());
        // SAFETY: within the mapping.
        assert_eq!(unsafe { bytes.read() }, 6);
        device.free(object.handle).unwrap();
        assert_eq!(errno(import(&device, words, va).map(|_| ())), libc::EINVAL);
    });
}

#[test]
fn a_refused_change_of_shared_virtual_memory_changes_nothing() {
    on_gpus(2, "a_refused_change_of_shared_virtual_memory_changes_nothing", || {
        let device = Device::open(2);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let at = map_host(std::ptr::null_mut(), SIZE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        let [first, second] = device.gpu_ids[..] else { panic!("two GPUs") };
        let access = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS.0;
        let none = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_NO_ACCESS.0;
        let (set, get) = (kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR, kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_GET_ATTR);
        // Registered, and in use by no GPU: a buffer object can still be mapped there, through a render node.
        svm(&device, at, SIZE as u64, set, &mut [[none, first], [none, second]]).unwrap();
        let object = device.alloc(1, reserve(SIZE), SIZE as u64, VRAM, 0).unwrap();
        let dmabuf = device.export(object.handle).unwrap();
        let mut prime = drm_prime_handle { handle: 0, flags: 0, fd: dmabuf.as_raw_fd() };
        // SAFETY: no addresses.
        unsafe { drm_ioctl_prime_fd_to_handle(device.render[1].as_fd(), &mut prime) }.unwrap();
        let va = |operation| {
            let mut va = drm_amdgpu_gem_va {
                handle: prime.handle,
                operation,
                flags: AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE,
                va_address: at + 4096,
                map_size: 4096,
                ..Default::default()
            };
            // SAFETY: the driver's structure; its address is the GPU's.
            unsafe { ioctl(device.render[1].as_fd(), DRM_IOCTL_AMDGPU_GEM_VA, std::ptr::from_mut(&mut va).cast()) }
        };
        va(AMDGPU_VA_OP_MAP).unwrap();
        let both = || [[access, first], [access, second]];
        assert_eq!(errno(svm(&device, at, SIZE as u64, set, &mut both())), libc::EADDRINUSE);
        let mut answer = both();
        svm(&device, at, SIZE as u64, get, &mut answer).unwrap();
        assert_eq!(answer, [[none, first], [none, second]]);
        // Nor is anything left in the page tables.
        va(AMDGPU_VA_OP_UNMAP).unwrap();
        svm(&device, at, SIZE as u64, set, &mut both()).unwrap();
        let mut answer = both();
        svm(&device, at, SIZE as u64, get, &mut answer).unwrap();
        assert_eq!(answer, both());
    });
}

#[test]
fn ipc_requests_are_checked() {
    on_gpus(2, "ipc_requests_are_checked", || {
        let device = Device::without_vm(2);
        let [first, second] = device.gpu_ids[..] else { panic!("two GPUs") };
        // What it is a handle of is looked at before the VM.
        assert_eq!(errno(import(&device, [0; 4], 0x10_0000).map(|_| ())), libc::EINVAL);
        assert_eq!(errno(export(&device, 0, first)), libc::ENODEV);
        assert_eq!(errno(export(&device, 0, 7)), libc::EINVAL);
        device.acquire_vm(first, device.render[0].as_fd()).unwrap();
        device.acquire_vm(second, device.render[1].as_fd()).unwrap();
        // Another kind of file is not opened: readers of this pipe would see a writer come and go.
        let pipe = temporary().join("ipc-pipe");
        let _ = std::fs::remove_file(&pipe);
        let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
        // SAFETY: a C string.
        let reader = unsafe {
            assert_eq!(libc::mkfifo(name.as_ptr(), 0o600), 0);
            libc::open(name.as_ptr(), libc::O_RDONLY | libc::O_NONBLOCK)
        };
        assert!(reader >= 0);
        let share = [std::process::id(), reader as u32, 0, 0];
        assert_eq!(errno(import(&device, share, 0x10_0000).map(|_| ())), libc::EINVAL);
        let mut poll = libc::pollfd { fd: reader, events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry.
        assert_eq!((unsafe { libc::poll(&mut poll, 1, 0) }, poll.revents), (0, 0));
        let object = device.alloc(0, reserve(SIZE), SIZE as u64, VRAM, 0).unwrap();
        // The GPU in the handle is not looked at.
        export(&device, object.handle & 0xffff_ffff, first).unwrap();
        assert_eq!(errno(export(&device, object.handle, second)), libc::EINVAL);
        let host = map_host(std::ptr::null_mut(), 4096, 3, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        let user = device.alloc(0, host, 4096, USERPTR, host).unwrap();
        assert_eq!(errno(export(&device, user.handle, first)), libc::EPERM);
    });
}

#[test]
fn monitors_hear_of_prefetched_memory() {
    on_gpus(2, "monitors_hear_of_prefetched_memory", || {
        let device = Device::open(2);
        let monitors = [0, 1].map(|gpu| monitor(&device, gpu));
        let heard = || [0, 1].map(|gpu: usize| events(&monitors[gpu]));
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let at = map_host(std::ptr::null_mut(), SIZE, protection, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        let [first, second] = [0, 1].map(|gpu| device.gpu_ids[gpu]);
        let set = kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR;
        let access = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS.0;
        let prefetch = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_PREFETCH_LOC.0;
        svm(&device, at, SIZE as u64, set, &mut [[access, first]]).unwrap();
        assert_eq!(heard(), [[""; 0]; 2], "nothing has moved");

        let pid = std::process::id();
        let moved = |from: u32, to: u32, wanted: u32| {
            let what = format!("-{pid} @{:x}({:x}) {from:x}->{to:x}", at / 4096, SIZE / 4096);
            vec![format!("5 {what} {wanted:x}:ffffffff 0"), format!("6 {what} 0")]
        };
        for _ in 0..2 {
            svm(&device, at, SIZE as u64, set, &mut [[prefetch, first]]).unwrap();
            assert_eq!(heard(), [moved(0, first, first), vec![]], "the driver looks at the pages each time");
        }
        svm(&device, at, SIZE as u64, set, &mut [[prefetch, second]]).unwrap();
        assert_eq!(heard(), [moved(first, 0, second), moved(0, second, second)], "by way of the host");
        svm(&device, at, SIZE as u64, set, &mut [[prefetch, 0]]).unwrap();
        assert_eq!(heard(), [vec![], moved(second, 0, 0)]);
        svm(&device, at, SIZE as u64, set, &mut [[prefetch, 0]]).unwrap();
        assert_eq!(heard(), [[""; 0]; 2], "it is there");
    });
}

#[test]
fn shared_virtual_memory_follows_the_host() {
    on_gpu("shared_virtual_memory_follows_the_host", || {
        let device = Device::open(1);
        const MAP: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let at = map_host(std::ptr::null_mut(), SIZE, libc::PROT_READ | libc::PROT_WRITE, MAP, -1, 0);
        let gpu = device.gpu_ids[0];
        let access = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_ACCESS.0;
        let none = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_NO_ACCESS.0;
        let (set, get) = (kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR, kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_GET_ATTR);
        svm(&device, at, SIZE as u64, set, &mut [[access, gpu]]).unwrap();
        let mut answer = [[access, gpu]];
        svm(&device, at + 4096, 4096, get, &mut answer).unwrap();
        assert_eq!(answer, [[access, gpu]]);
        // As many attributes as a request can have.
        let flags = kfd_ioctl_svm_attr_type::KFD_IOCTL_SVM_ATTR_SET_FLAGS.0;
        let mut many = vec![[flags, 0]; 2044];
        svm(&device, at, SIZE as u64, get, &mut many).unwrap();
        let default = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
        assert_eq!(many[2043], [flags, default]);
        // A buffer object cannot be where shared memory is.
        assert_eq!(errno(device.alloc(0, at, 4096, GTT, 0)), libc::EADDRINUSE);
        // Without access the range is known but not mapped.
        svm(&device, at, 4096, set, &mut [[none, gpu]]).unwrap();
        let mut answer = [[access, gpu]];
        svm(&device, at, 4096, get, &mut answer).unwrap();
        assert_eq!(answer, [[none, gpu]]);
        // SAFETY: this test's own mapping.
        assert_eq!(unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(at as usize), SIZE) }, 0);
        assert_eq!(errno(svm(&device, at, 4096, get, &mut answer)), libc::EFAULT);
        assert!(device.alloc(0, at, 4096, GTT, 0).is_ok());

        // As `free` does it: by a call that nobody sees. Who gets the address next has it for himself.
        let at = map_host(std::ptr::null_mut(), SIZE, libc::PROT_READ | libc::PROT_WRITE, MAP, -1, 0);
        svm(&device, at, SIZE as u64, set, &mut [[access, gpu]]).unwrap();
        // SAFETY: this test's own mapping.
        assert_eq!(unsafe { libc::syscall(libc::SYS_munmap, at, SIZE) }, 0);
        let hint = std::ptr::with_exposed_provenance_mut(at as usize);
        assert_eq!(map_host(hint, SIZE, libc::PROT_NONE, MAP, -1, 0), at);
        let object = device.alloc(0, at, SIZE as u64, GTT, 0).unwrap();
        assert_eq!(device.map(object.handle, &[gpu]).unwrap(), 1);
        assert_eq!(errno(svm(&device, at, 4095, set, &mut [])), libc::EINVAL);
        assert_eq!(errno(svm(&device, at, 4096, set, &mut [[access, 1]])), libc::EINVAL);
        assert_eq!(errno(svm(&device, at, 4096, set, &mut [[99, gpu]])), libc::EINVAL);
    });
}
