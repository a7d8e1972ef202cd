//! Runs tests as programs on the virtual GPU, and the ioctls they use.
#![allow(dead_code)] // Each test file uses a part.

pub mod queues;

use kfd_sys::*;
use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::Command;

/// As [`on_gpu`], with GPUs of these models.
pub fn on_models(models: &str, name: &str, body: fn()) {
    by(vgpu(&["--gpu", models]), name, body);
}

/// As [`on_models`], with cards that cannot use each other's memory.
pub fn on_unlinked_models(models: &str, name: &str, body: fn()) {
    by(vgpu(&["--gpu", models, "--unlinked"]), name, body);
}

/// Runs `body` in a process that has the virtual GPU: this test again, under `vgpu run`. `name` is the test's.
pub fn on_gpus(gpus: u32, name: &str, body: fn()) {
    by(vgpu(&["--gpus", &gpus.to_string()]), name, body);
}

/// As [`on_gpus`], with two that cannot use each other's memory.
pub fn on_unlinked_gpus(name: &str, body: fn()) {
    by(vgpu(&["--gpus", "2", "--unlinked"]), name, body);
}

fn by(mut vgpu: Command, name: &str, body: fn()) {
    if std::env::var_os("VGPU_GPU").is_some() {
        return body();
    }
    let output = vgpu.arg(std::env::current_exe().unwrap()).args(["--exact", name, "--nocapture"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{}\n{text}", output.status);
}

/// As [`on_gpu`], with faults.
pub fn with_faults(faults: &str, name: &str, body: fn()) {
    by(vgpu(&["--faults", faults]), name, body);
}

/// As [`on_gpus`], with one GPU.
pub fn on_gpu(name: &str, body: fn()) {
    on_gpus(1, name, body);
}

/// Where cargo has put the program, and this test in the folder `deps`. Not what is compiled in: in a copy of the
/// project that is the original's.
fn built() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned()
}

/// The program `vgpu`.
pub fn program() -> PathBuf {
    built().join("vgpu")
}

/// A folder for files of tests.
pub fn temporary() -> PathBuf {
    let folder = built().join("vgpu-tests");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// `vgpu run OPTIONS --`.
pub fn vgpu(options: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.arg("run").args(options).arg("--");
    command
}

/// The name of the errno of a failed call.
pub fn errno<T: std::fmt::Debug>(result: io::Result<T>) -> i32 {
    result.unwrap_err().raw_os_error().unwrap()
}

/// The id of GPU `index`, from its topology node.
pub fn gpu_id(index: u32) -> u32 {
    let path = format!("/sys/class/kfd/kfd/topology/nodes/{}/gpu_id", index + 1);
    std::fs::read_to_string(path).unwrap().trim().parse().unwrap()
}

/// An open device: `/dev/kfd` and the render nodes, with the VMs acquired.
pub struct Device {
    pub kfd: OwnedFd,
    pub render: Vec<OwnedFd>,
    pub gpu_ids: Vec<u32>,
}

pub const VRAM: u32 = KFD_IOC_ALLOC_MEM_FLAGS_VRAM
    | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC
    | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE
    | KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE;
pub const GTT: u32 = KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
pub const USERPTR: u32 = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;

impl Device {
    pub fn open(gpus: u32) -> Device {
        let device = Device::without_vm(gpus);
        for (gpu_id, render) in device.gpu_ids.iter().zip(&device.render) {
            device.acquire_vm(*gpu_id, render.as_fd()).unwrap();
        }
        device
    }

    pub fn without_vm(gpus: u32) -> Device {
        Device {
            kfd: open_kfd().unwrap(),
            render: (0..gpus).map(|index| open_render_node(128 + index).unwrap()).collect(),
            gpu_ids: (0..gpus).map(gpu_id).collect(),
        }
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        self.kfd.as_fd()
    }

    pub fn acquire_vm(&self, gpu_id: u32, render: BorrowedFd<'_>) -> io::Result<()> {
        let mut args = kfd_ioctl_acquire_vm_args { drm_fd: render.as_raw_fd() as u32, gpu_id };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_acquire_vm(self.fd(), &mut args) }
    }

    pub fn alloc(
        &self,
        gpu: usize,
        va: u64,
        size: u64,
        flags: u32,
        host: u64,
    ) -> io::Result<kfd_ioctl_alloc_memory_of_gpu_args> {
        let gpu_id = self.gpu_ids[gpu];
        let mut args = kfd_ioctl_alloc_memory_of_gpu_args {
            va_addr: va,
            size,
            mmap_offset: host,
            gpu_id,
            flags,
            ..Default::default()
        };
        // SAFETY: the device only reads `host` if it is mapped.
        unsafe { amdkfd_ioc_alloc_memory_of_gpu(self.fd(), &mut args) }?;
        Ok(args)
    }

    pub fn map(&self, handle: u64, gpu_ids: &[u32]) -> io::Result<u32> {
        let mut args = kfd_ioctl_map_memory_to_gpu_args {
            handle,
            device_ids_array_ptr: gpu_ids.as_ptr().addr() as u64,
            n_devices: gpu_ids.len() as u32,
            n_success: 0,
        };
        // SAFETY: the array is readable.
        unsafe { amdkfd_ioc_map_memory_to_gpu(self.fd(), &mut args) }.map(|()| args.n_success)
    }

    pub fn unmap(&self, handle: u64, gpu_ids: &[u32]) -> io::Result<u32> {
        let mut args = kfd_ioctl_unmap_memory_from_gpu_args {
            handle,
            device_ids_array_ptr: gpu_ids.as_ptr().addr() as u64,
            n_devices: gpu_ids.len() as u32,
            n_success: 0,
        };
        // SAFETY: the array is readable.
        unsafe { amdkfd_ioc_unmap_memory_from_gpu(self.fd(), &mut args) }.map(|()| args.n_success)
    }

    pub fn free(&self, handle: u64) -> io::Result<()> {
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_free_memory_of_gpu(self.fd(), &mut kfd_ioctl_free_memory_of_gpu_args { handle }) }
    }

    pub fn available(&self, gpu: usize) -> u64 {
        let mut args = kfd_ioctl_get_available_memory_args { gpu_id: self.gpu_ids[gpu], ..Default::default() };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_available_memory(self.fd(), &mut args) }.unwrap();
        args.available
    }

    pub fn export(&self, handle: u64) -> io::Result<OwnedFd> {
        let mut args = kfd_ioctl_export_dmabuf_args { handle, flags: libc::O_CLOEXEC as u32, dmabuf_fd: 0 };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_export_dmabuf(self.fd(), &mut args) }?;
        // SAFETY: new and ours.
        Ok(unsafe { OwnedFd::from_raw_fd(args.dmabuf_fd as i32) })
    }

    pub fn import(&self, gpu: usize, va: u64, dmabuf: &OwnedFd) -> io::Result<u64> {
        let mut args = kfd_ioctl_import_dmabuf_args {
            va_addr: va,
            handle: 0,
            gpu_id: self.gpu_ids[gpu],
            dmabuf_fd: dmabuf.as_raw_fd() as u32,
        };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_import_dmabuf(self.fd(), &mut args) }.map(|()| args.handle)
    }
}

/// Reserves `size` bytes of addresses, as AMD's thunk does before it allocates.
pub fn reserve(size: usize) -> u64 {
    map_host(std::ptr::null_mut(), size, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
}

/// Maps a buffer object for the host at its device address.
pub fn map_object(va: u64, size: usize, render: &OwnedFd, offset: u64) -> *mut u8 {
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    let at = std::ptr::without_provenance_mut(va as usize);
    let address = map_host(at, size, libc::PROT_READ | libc::PROT_WRITE, flags, render.as_raw_fd(), offset);
    std::ptr::with_exposed_provenance_mut(address as usize)
}

pub fn map_host(at: *mut c_void, size: usize, protection: i32, flags: i32, fd: i32, offset: u64) -> u64 {
    // SAFETY: a new mapping, or over a reservation of this test's.
    let address = unsafe { libc::mmap(at, size, protection, flags, fd, offset as i64) };
    assert_ne!(address, libc::MAP_FAILED, "{}", io::Error::last_os_error());
    address.expose_provenance() as u64
}

/// The errno of an `mmap` of a device file; `None` if it succeeds.
pub fn mmap(file: &OwnedFd, offset: u64, length: usize, protection: i32, flags: i32) -> Option<i32> {
    // SAFETY: a new mapping.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, file.as_raw_fd(), offset as i64) };
    (at == libc::MAP_FAILED).then(|| std::io::Error::last_os_error().raw_os_error().unwrap())
}

pub fn shared(file: &OwnedFd, offset: u64, length: usize) -> Option<i32> {
    mmap(file, offset, length, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED)
}

/// Memory of the test's own.
pub fn host_memory(size: usize, protection: i32) -> u64 {
    map_host(std::ptr::null_mut(), size, protection, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
}

/// Asks for attributes of shared virtual memory, or sets them: types and values.
pub fn svm(
    device: &Device,
    start: u64,
    size: u64,
    op: kfd_ioctl_svm_op,
    attributes: &mut [[u32; 2]],
) -> io::Result<()> {
    let mut args = kfd_ioctl_svm_args { start_addr: start, size, op: op.0, ..Default::default() };
    let mut list: Vec<_> = attributes.iter().map(|&[type_, value]| kfd_ioctl_svm_attribute { type_, value }).collect();
    // SAFETY: the attributes hold no addresses.
    unsafe { amdkfd_ioc_svm(device.fd(), &mut args, &mut list) }?;
    for (to, from) in attributes.iter_mut().zip(list) {
        *to = [from.type_, from.value];
    }
    Ok(())
}

/// `AMDKFD_IOC_SMI_EVENTS`: a monitor of all events of GPU `gpu`.
pub fn monitor(device: &Device, gpu: usize) -> OwnedFd {
    let mut args = kfd_ioctl_smi_events_args { gpuid: device.gpu_ids[gpu], anon_fd: 0 };
    // SAFETY: no addresses; the descriptor is new and ours.
    let monitor = unsafe {
        amdkfd_ioc_smi_events(device.fd(), &mut args).unwrap();
        OwnedFd::from_raw_fd(args.anon_fd as i32)
    };
    // SAFETY: eight bytes.
    assert_eq!(unsafe { libc::write(monitor.as_raw_fd(), u64::MAX.to_ne_bytes().as_ptr().cast(), 8) }, 8);
    monitor
}

/// The events that a monitor has not read yet, without their times.
pub fn events(monitor: &OwnedFd) -> Vec<String> {
    let mut text = [0u8; 4096];
    // SAFETY: `text` has that many bytes.
    let length = unsafe { libc::read(monitor.as_raw_fd(), text.as_mut_ptr().cast(), text.len()) };
    let text = String::from_utf8_lossy(&text[..usize::try_from(length).unwrap_or(0)]);
    let without_time = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        assert!(words.remove(1).parse::<u64>().unwrap() > 0, "{line}");
        words.join(" ")
    };
    text.lines().map(without_time).collect()
}
