//! What there is, what there is not, and what others have taken.
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

use aql::Geometry;
use kfd::{
    Buffer, Driver, Error, HeapType, OLDEST_MINOR, Placement, Queue, QueueOptions, Result, Signal, Topology, Wait,
};
use kfd_tests::{gpu, inside, isa, kind, model, module, needs_vgpu, on_gpu, on_gpu_with};

#[test]
fn a3_topology_of_two_gpus() {
    needs_vgpu!();
    on_gpu_with(&["--gpu", model(), "--gpus", "2"], "a3_topology_of_two_gpus", || topology().unwrap());
}

fn topology() -> Result<()> {
    let topology = Topology::read()?;
    assert!(!topology.nodes()[0].is_gpu() && topology.nodes()[0].pci_address().is_none());
    let gpus: Vec<_> = topology.gpus().collect();
    assert_eq!(gpus.len(), 2);
    for (gpu, other) in [(gpus[0], gpus[1]), (gpus[1], gpus[0])] {
        let (version, name, units, vram, l2) = match &*isa() {
            "gfx908" => ((9, 0, 8), "arcturus", 120, 34_342_961_152, 8192),
            "gfx90a" => ((9, 0, 10), "aldebaran", 104, 68_702_699_520, 8192),
            "gfx942" => ((9, 4, 2), "ip discovery", 304, 206_141_652_992, 4096),
            other => panic!("what a {other} has is not written down here"),
        };
        assert_eq!((gpu.gfx_version(), gpu.name()), (version, name));
        assert_eq!((gpu.compute_units(), gpu.property("lds_size_in_kb")), (units, Some(64)));
        assert_eq!(gpu.memory_banks()[0].heap, HeapType::VisibleVram);
        assert!(gpu.vram() == vram && gpu.has_visible_vram());
        assert!(gpu.caches().iter().any(|cache| cache.level == 2 && cache.kib == l2));
        // xGMI.
        assert!(gpu.links().iter().any(|link| link.to == other.number() && link.kind == 11), "{:?}", gpu.links());
        let address = gpu.pci_address().expect("GPUs have one");
        assert_eq!(topology.gpu_at(address).map(|found| found.gpu_id()), Some(gpu.gpu_id()));
        let device = Driver::open()?.device(gpu)?;
        assert_eq!(device, Driver::open()?.device(gpu)?);
        assert_eq!(device.node().gpu_id(), gpu.gpu_id());
    }
    assert!(Driver::open()?.version() >= (1, OLDEST_MINOR));
    let cpu = Driver::open()?.device(&topology.nodes()[0]).unwrap_err().to_string();
    assert!(cpu.contains("CPU"), "{cpu}");
    Ok(())
}

#[test]
fn a5_machine_without_a_driver() {
    if Path::new("/dev/kfd").exists() && !inside() {
        test_skip::skip!("this machine has a GPU");
    }
    let error = Topology::read().unwrap_err();
    assert!(
        matches!(error, kfd::kfd_topology::Error::NoDriver { .. }) && error.to_string().contains("no amdgpu driver"),
        "{error}"
    );
    let error = Driver::open().unwrap_err();
    assert!(matches!(error, Error::Open(_)) && error.to_string().contains("/dev/kfd"), "{error}");
}

#[test]
fn a5_another_client_has_the_address_space() {
    on_gpu("a5_another_client_has_the_address_space", || another_client().unwrap());
}

fn another_client() -> Result<()> {
    let topology = Topology::read()?;
    let node = topology.gpus().next().expect("a GPU");
    let minor = node.property("drm_render_minor").expect("GPUs have a render node") as u32;
    let (kfd, render) = (kfd_sys::open_kfd()?, kfd_sys::open_render_node(minor)?);
    let mut args = kfd_sys::kfd_ioctl_acquire_vm_args { drm_fd: render.as_raw_fd() as u32, gpu_id: node.gpu_id() };
    // SAFETY: the arguments hold no addresses.
    unsafe { kfd_sys::amdkfd_ioc_acquire_vm(kfd.as_fd(), &mut args) }.expect("nobody has it");
    let error = Driver::open()?.device(node).unwrap_err().to_string();
    assert!(error.contains("AMDKFD_IOC_ACQUIRE_VM") && error.contains("EBUSY"), "{error}");
    assert!(error.contains("another client") && error.contains("ROCr"), "{error}");
    Ok(())
}

#[test]
fn a5_little_memory() {
    // A queue of an MI300X that is not divided has eight areas to save waves to, 178 MiB together.
    let memory = if kind() == "mi300x" { "vram=512M" } else { "vram=256M" };
    on_gpu_with(&["--faults", memory], "a5_little_memory", || little_memory().unwrap());
}

fn little_memory() -> Result<()> {
    const N: usize = 20_000;
    let gpu = gpu()?;
    let error = Buffer::<u8>::new(gpu, 600 << 20, Placement::VRAM).unwrap_err().to_string();
    assert!(error.contains("ENOMEM") && error.contains("available_vram"), "{error}");
    // Scratch memory for all waves would be 304 MiB (of one XCC) or more: the queue gets less, runs fewer waves at a
    // time, and is right.
    let mut queue = Queue::with(gpu, QueueOptions::default().with_private_bytes(4096))?;
    let before = gpu.available_vram()?;
    assert!(before < 160 << 20, "{before}");
    let kernel = module(gpu, "basic")?.kernel("scratchy")?;
    let mut out = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    out.host_mut()?.fill(u32::MAX);
    // SAFETY: a value for each work-item.
    let work = unsafe { queue.launch(&kernel, Geometry::one(N as u32, 32)?)?.buffer_mut(&mut out).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    let first = out.host()?.to_vec();
    // The same by a queue with as much scratch as the kernel asks for.
    drop(queue);
    let mut queue = Queue::new(gpu)?;
    out.host_mut()?.fill(u32::MAX);
    // SAFETY: as above.
    let work = unsafe { queue.launch(&kernel, Geometry::one(N as u32, 32)?)?.buffer_mut(&mut out).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    assert_eq!(out.host()?, first);
    assert!(first.iter().filter(|value| **value != u32::MAX).count() > N / 2);
    Ok(())
}

#[test]
fn a5_queue_that_the_driver_keeps() {
    let options = ["--faults", "ioctl:DESTROY_QUEUE:1=ENOMEM"];
    on_gpu_with(&options, "a5_queue_that_the_driver_keeps", || kept_queue().unwrap());
}

fn kept_queue() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (gate, increment) = (module.kernel("gate")?, module.kernel("increment")?);
    let mut flag = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    flag.host_mut()?[0] = 0;
    counter.host_mut()?[0] = 0;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the kernels access the first value.
    drop(unsafe { queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?);
    // SAFETY: as above.
    drop(unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?);
    drop(queue);
    // It still runs. What it counts in is nobody else's.
    let signals = (0..200).map(|_| Signal::polled(gpu, 5)).collect::<Result<Vec<_>>>()?;
    flag.write(0, &[1])?;
    let mut value = [0];
    while value == [0] {
        counter.read(0, &mut value)?;
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(signals.iter().all(|signal| signal.value() == 5));
    // It counts what it does, too.
    while matches!(counter.host(), Err(Error::InUse)) {}
    assert_eq!(counter.host()?, [1]);
    Ok(())
}
