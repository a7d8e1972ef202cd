//! A program that uses nearly all of the crate, for tests in which something is to fail.
use std::fs;
use std::os::fd::AsFd;
use std::sync::OnceLock;

use kfd::aql::{Condition, Geometry};
use kfd::{Buffer, Copier, Engine, Module, Placement, Queue, QueueOptions, Result, SdmaQueue, Signal, Wait};

use crate::{code_object, gpu};

/// What a program does with the crate, nearly all of it.
///
/// # Errors
/// The first that the crate returns.
///
/// # Panics
/// If a result is wrong.
pub fn everything() -> Result<()> {
    const N: usize = 1000;
    /// So many that a copy engine copies them.
    const LARGE: usize = 5000;
    let gpu = gpu()?;
    gpu.available_vram()?;
    static CODE: OnceLock<Vec<u8>> = OnceLock::new();
    let module = Module::load(gpu, CODE.get_or_init(|| code_object("basic", &gpu.node().isa())))?;
    let (saxpy, scratchy) = (module.kernel("saxpy")?, module.kernel("scratchy")?);
    let mut x = Buffer::<f32>::new(gpu, N, Placement::HOST)?;
    let mut y = Buffer::<f32>::new(gpu, N, Placement::VISIBLE)?;
    let mut out = Buffer::<u32>::new(gpu, 64, Placement::VRAM)?;
    x.host_mut()?.iter_mut().enumerate().for_each(|(i, x)| *x = i as f32);
    y.host_mut()?.fill(1.0);
    let mut queue = Queue::with(gpu, QueueOptions::default().with_cu_mask(&[u32::MAX; 4]))?;
    queue.set_priority(3)?;
    let done = Signal::new(gpu, 2)?;
    let launch = queue.launch(&saxpy, Geometry::one(N as u32, 256)?)?;
    // SAFETY: the kernel accesses N values of both buffers and writes the second.
    let work =
        unsafe { launch.argument(N as i32).argument(2.0f32).buffer(&x).buffer_mut(&mut y).completes(&done).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    done.dispatch_time(gpu)?;
    // Needs scratch memory, so another queue of the driver continues this one.
    // SAFETY: a value for each work-item.
    drop(unsafe { queue.launch(&scratchy, Geometry::one(64, 64)?)?.buffer_mut(&mut out).completes(&done).submit() }?);
    done.wait(Condition::Eq, 0, Wait::FOREVER)?;
    queue.wait_idle(Wait::FOREVER)?;
    // SAFETY: the import is only used while nothing else is done with the memory.
    let exported = unsafe { y.export() }?;
    // SAFETY: nothing else uses the memory meanwhile.
    let imported = unsafe { Buffer::<f32>::import(gpu, exported.as_fd()) }?;
    let mut back = Buffer::<f32>::new(gpu, N, Placement::HOST)?;
    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    let work = sdma.copy(&imported, 0, &mut back, 0, N)?;
    sdma.wait(&work, Wait::FOREVER)?;
    assert!(back.host()?.iter().enumerate().all(|(i, y)| *y == 2.0 * i as f32 + 1.0));
    // By a kernel, then by an engine, which waits for it.
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let mut far = Buffer::<u32>::new(gpu, LARGE, Placement::VRAM)?;
    let mut near = Buffer::<u32>::new(gpu, LARGE, Placement::HOST)?;
    drop(copier.fill(&mut far, 0, LARGE, 7)?);
    let work = copier.copy(&far, 0, &mut near, 0, LARGE)?;
    copier.wait(&work, Wait::FOREVER)?;
    assert!(near.host()?.iter().all(|value| *value == 7));
    assert_eq!(gpu.fault()?, None);
    Ok(())
}

/// What the process has of the driver: a leak would show.
///
/// # Panics
/// If the device does not answer.
pub fn left() -> String {
    let open = fs::read_dir("/proc/self/fd").expect("the kernel shows it").count();
    let maps = fs::read_to_string("/proc/self/maps").expect("the kernel shows it");
    let mapped = maps.lines().filter(|line| line.contains("memfd")).count();
    let vram = gpu().and_then(|gpu| gpu.available_vram()).expect("the device is there");
    format!("{open} descriptors, {mapped} mappings, {vram} bytes of VRAM free")
}
