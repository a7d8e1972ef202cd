//! A3: a queue made by requests to the driver, with no AMD library in the process.
use std::os::fd::AsFd;
use std::ptr::NonNull;

use aql::Geometry;
use kfd::{Arg, Buffer, Engine, Error, Placement, Queue, QueueOptions, Result, SdmaQueue, Signal, Wait};
use kfd_tests::{gpu, isa, module, nth_gpu, on_gpu, on_gpu_with};

#[test]
fn a3_saxpy() {
    on_gpu("a3_saxpy", || saxpy().unwrap());
}

fn saxpy() -> Result<()> {
    const N: usize = 100_000;
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("saxpy")?;
    let mut queue = Queue::new(gpu)?;
    for placement in [Placement::HOST, Placement::VISIBLE] {
        let mut x = Buffer::new(gpu, N, placement)?;
        let mut y = Buffer::new(gpu, N, placement)?;
        for (i, (x, y)) in x.host_mut()?.iter_mut().zip(y.host_mut()?).enumerate() {
            (*x, *y) = (i as f32, (i % 7) as f32);
        }
        let launch = queue.launch(&kernel, Geometry::one(N as u32, 256)?)?;
        // SAFETY: the kernel accesses the first N values of both buffers and writes the second.
        let work = unsafe { launch.argument(N as i32).argument(3.0f32).buffer(&x).buffer_mut(&mut y).submit() }?;
        queue.wait(&work, Wait::FOREVER)?;
        for (i, y) in y.host()?.iter().enumerate() {
            assert_eq!(*y, 3.0 * i as f32 + (i % 7) as f32, "value {i} in {placement:?}");
        }
    }
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the kernel shows it");
    for library in ["libhsa", "libamd", "libdrm", "libhip", "libOpenCL"] {
        assert!(!maps.contains(library), "{library} is in the process");
    }
    Ok(())
}

#[test]
fn a3_reduction_with_lds_and_barriers() {
    on_gpu("a3_reduction_with_lds_and_barriers", || reduction().unwrap());
}

fn reduction() -> Result<()> {
    const GROUPS: usize = 300;
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (reduce, reverse) = (module.kernel("reduce")?, module.kernel("reverse")?);
    let mut queue = Queue::new(gpu)?;
    let mut input = Buffer::<u32>::new(gpu, GROUPS * 256, Placement::HOST)?;
    let mut sums = Buffer::<u32>::new(gpu, GROUPS, Placement::HOST)?;
    input.host_mut()?.iter_mut().enumerate().for_each(|(i, value)| *value = i as u32 * 3 + 1);
    let launch = queue.launch(&reduce, Geometry::one((GROUPS * 256) as u32, 256)?)?;
    // SAFETY: one value of `sums` for each group of `input`.
    let work = unsafe { launch.buffer(&input).buffer_mut(&mut sums).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    for (sum, group) in sums.host()?.iter().zip(input.host()?.chunks(256)) {
        assert_eq!(*sum, group.iter().sum::<u32>());
    }
    // LDS that the launch gives.
    let launch = queue.launch(&reverse, Geometry::one(64, 64)?)?;
    // SAFETY: 64 values of `input`, and as many of LDS.
    let work = unsafe { launch.buffer_mut(&mut input).argument(Arg::local(256)).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    let expected: Vec<u32> = (0..64).rev().map(|i| i * 3 + 1).collect();
    assert_eq!(input.host()?[..64], expected);
    Ok(())
}

#[test]
fn a3_scratch_and_a_call() {
    on_gpu("a3_scratch_and_a_call", || scratch().unwrap());
}

fn scratch() -> Result<()> {
    const N: usize = 10_000;
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("scratchy")?;
    assert!(kernel.description().private_bytes() >= 256, "the test is of a kernel that needs scratch");
    // One queue gets it from the start, one when the kernel comes, after other work.
    let other = module(gpu, "basic")?.kernel("increment")?;
    let ample = QueueOptions::default().with_private_bytes(kernel.description().private_bytes());
    for options in [ample, QueueOptions::default().with_packets(64)] {
        let mut queue = Queue::with(gpu, options)?;
        let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
        counter.host_mut()?[0] = 0;
        // SAFETY: the kernel changes the first value.
        drop(unsafe { queue.launch(&other, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?);
        let mut out = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
        for _ in 0..2 {
            out.host_mut()?.fill(0);
            let launch = queue.launch(&kernel, Geometry::one(N as u32, 64)?)?;
            // SAFETY: a value of `out` for each work-item of whole groups, and the grid ends with the buffer.
            let work = unsafe { launch.buffer_mut(&mut out).submit() }?;
            queue.wait(&work, Wait::FOREVER)?;
            for (i, value) in out.host()?.iter().enumerate() {
                assert_eq!(*value, scratchy(i as u32), "value {i}");
            }
        }
        queue.wait_idle(Wait::FOREVER)?;
        assert_eq!(counter.host()?[0], 1);
    }
    Ok(())
}

/// What the kernel of that name computes.
fn scratchy(i: u32) -> u32 {
    let mut values: [u32; 64] = std::array::from_fn(|k| i.wrapping_add(k as u32));
    for k in 0..64_u32 {
        let place = &mut values[(k.wrapping_mul(7).wrapping_add(i) & 63) as usize];
        *place = place.wrapping_add(k.wrapping_mul(i));
    }
    values[(i & 63) as usize]
}

#[test]
fn a3_grid_of_three_dimensions_with_partial_groups() {
    on_gpu("a3_grid_of_three_dimensions_with_partial_groups", || three_dimensions().unwrap());
}

fn three_dimensions() -> Result<()> {
    const SIZE: [u32; 3] = [37, 19, 11];
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("box3")?;
    let mut queue = Queue::new(gpu)?;
    let mut out = Buffer::<u32>::new(gpu, (SIZE[0] * SIZE[1] * SIZE[2]) as usize, Placement::HOST)?;
    out.host_mut()?.fill(u32::MAX);
    let launch = queue.launch(&kernel, Geometry::three(SIZE, [8, 4, 2])?)?;
    // SAFETY: the kernel writes only inside the box, which the buffer has room for.
    let work = unsafe { launch.argument(SIZE[0]).argument(SIZE[1]).argument(SIZE[2]).buffer_mut(&mut out).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    let host = out.host()?;
    for z in 0..SIZE[2] {
        for y in 0..SIZE[1] {
            for x in 0..SIZE[0] {
                assert_eq!(host[((z * SIZE[1] + y) * SIZE[0] + x) as usize], x | y << 10 | z << 20);
            }
        }
    }
    Ok(())
}

#[test]
fn a3_grids_of_any_size() {
    on_gpu("a3_grids_of_any_size", || grids().unwrap());
}

/// Which work-items ran: none too many, none too few, each in the work-group that it belongs to.
fn grids() -> Result<()> {
    const ROOM: usize = 2048;
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (items, below) = (module.kernel("items")?, module.kernel("items_below")?);
    let mut queue = Queue::new(gpu)?;
    let mut out = Buffer::<u32>::new(gpu, ROOM, Placement::HOST)?;
    let mut ran = |geometry: Geometry, n: Option<u32>, expected: u32| -> Result<()> {
        out.host_mut()?.fill(0);
        let launch = queue.launch(if n.is_some() { &below } else { &items }, geometry)?.buffer_mut(&mut out);
        let launch = if let Some(n) = n { launch.argument(n) } else { launch };
        // SAFETY: each work-item writes its own place, for which there is room.
        let work = unsafe { launch.submit() }?;
        queue.wait(&work, Wait::FOREVER)?;
        for (i, &found) in (0..).zip(out.host()?) {
            let wanted = if i < expected { (i / 256) << 16 | (i % 256 + 1) } else { 0 };
            assert_eq!(found, wanted, "work-item {i} of {geometry:?}");
        }
        Ok(())
    };
    // Partial work-groups, of a kernel that was compiled for them.
    for n in [256, 257, 511, 512, 1000] {
        ran(Geometry::one(n, 256)?, None, n)?;
    }
    for groups in [1, 4, 8] {
        ran(Geometry::groups([groups], [256])?, None, groups * 256)?;
    }
    for (n, rounded) in [(1, 256), (100, 256), (256, 256), (1000, 1024)] {
        ran(Geometry::covering([n], [256])?, None, rounded)?;
        ran(Geometry::covering([n], [256])?, Some(n), n)?;
    }
    Ok(())
}

#[test]
fn a3_atomics_of_memory_and_lds() {
    on_gpu("a3_atomics_of_memory_and_lds", || atomics().unwrap());
}

fn atomics() -> Result<()> {
    const N: usize = 50_000;
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("histogram")?;
    let mut queue = Queue::new(gpu)?;
    let mut input = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    let mut bins = Buffer::<u32>::new(gpu, 16, Placement::VISIBLE)?;
    input.host_mut()?.iter_mut().enumerate().for_each(|(i, value)| *value = (i * i / 7) as u32);
    bins.host_mut()?.fill(0);
    let launch = queue.launch(&kernel, Geometry::one(N as u32, 256)?)?;
    // SAFETY: the kernel reads N values and changes 16.
    let work = unsafe { launch.argument(N as u32).buffer(&input).buffer_mut(&mut bins).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    let mut expected = [0; 16];
    input.host()?.iter().for_each(|value| expected[(value & 15) as usize] += 1);
    assert_eq!(bins.host()?, expected);
    Ok(())
}

#[test]
fn a3_matrix_instructions() {
    if !["gfx908", "gfx90a", "gfx942", "gfx950"].contains(&&*isa()) {
        test_skip::skip!("needs matrix instructions, which a {} does not have", isa());
    }
    on_gpu("a3_matrix_instructions", || matrix().unwrap());
}

fn matrix() -> Result<()> {
    const N: usize = 32;
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("mfma")?;
    let mut queue = Queue::new(gpu)?;
    let mut buffers = [(); 3].map(|()| Buffer::<f32>::new(gpu, N * N, Placement::HOST));
    let [Ok(a), Ok(b), Ok(c)] = &mut buffers else { return buffers.into_iter().collect::<Result<Vec<_>>>().map(drop) };
    // Small whole numbers: sums are exact in any order.
    a.host_mut()?.iter_mut().enumerate().for_each(|(i, value)| *value = (i % 13) as f32 - 6.0);
    b.host_mut()?.iter_mut().enumerate().for_each(|(i, value)| *value = (i % 11) as f32 - 5.0);
    c.host_mut()?.fill(f32::NAN);
    // SAFETY: one wave, 32 by 32 values in each buffer, the last is written.
    let work = unsafe { queue.launch(&kernel, Geometry::one(64, 64)?)?.buffer(a).buffer(b).buffer_mut(c).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    let (a, b, c) = (a.host()?, b.host()?, c.host()?);
    for row in 0..N {
        for column in 0..N {
            let expected: f32 = (0..N).map(|k| a[row * N + k] * b[k * N + column]).sum();
            assert_eq!(c[row * N + column], expected, "row {row}, column {column}");
        }
    }
    Ok(())
}

#[test]
fn a3_chain_of_dispatches_over_two_queues() {
    on_gpu("a3_chain_of_dispatches_over_two_queues", || chain().unwrap());
}

fn chain() -> Result<()> {
    const LINKS: u32 = 200;
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("increment")?;
    let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?];
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 0;
    // Each link waits for the one before, in the other queue; the increments are not atomic. The last one waits for the
    // host too.
    let mut last: Option<Signal> = None;
    let looked = Signal::polled(gpu, 1)?;
    for link in 0..LINKS {
        let queue = &mut queues[link as usize % 2];
        if link == LINKS - 1 {
            queue.wait_for(&[&looked])?;
        }
        if let Some(last) = &last {
            queue.wait_for(&[last])?;
        }
        let done = Signal::polled(gpu, 1)?;
        let launch = queue.launch(&kernel, Geometry::one(1, 1)?)?;
        // SAFETY: the kernel changes the first value; the launches come one after the other.
        drop(unsafe { launch.buffer_mut(&mut counter).completes(&done).submit() }?);
        last = Some(done);
    }
    assert!(matches!(counter.host(), Err(Error::InUse)), "dropping the work does not give the buffer back");
    looked.set(0);
    queues.iter_mut().try_for_each(|queue| queue.wait_idle(Wait::FOREVER))?;
    assert_eq!(counter.host()?[0], LINKS);
    Ok(())
}

#[test]
fn a3_two_gpus_use_each_others_memory() {
    on_gpu_with(&["--gpus", "2"], "a3_two_gpus_use_each_others_memory", || two_gpus().unwrap());
}

fn two_gpus() -> Result<()> {
    let gpus = [nth_gpu(0)?, nth_gpu(1)?];
    let mut counter = Buffer::<u32>::new(gpus[0], 1, Placement::VISIBLE)?;
    counter.host_mut()?[0] = 40;
    let second = module(gpus[1], "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpus[1])?;
    // SAFETY: nothing runs, as each is refused.
    let refused = unsafe { queue.launch(&second, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() };
    assert!(matches!(refused, Err(Error::OtherDevice("a buffer"))));
    assert!(matches!(
        Queue::new(gpus[0])?.launch(&second, Geometry::one(1, 1)?),
        Err(Error::OtherDevice("the kernel"))
    ));
    counter.map_to(gpus[1])?;
    for (gpu, expected) in [(gpus[1], 41), (gpus[0], 42)] {
        let kernel = module(gpu, "basic")?.kernel("increment")?;
        let mut queue = Queue::new(gpu)?;
        // SAFETY: the kernel changes the first value.
        let work = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
        queue.wait(&work, Wait::FOREVER)?;
        assert_eq!(counter.host()?[0], expected);
    }
    Ok(())
}

#[test]
fn a3_memory_of_all_kinds() {
    on_gpu("a3_memory_of_all_kinds", || memory().unwrap());
}

fn memory() -> Result<()> {
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpu)?;
    let mut increment = |buffer: &mut Buffer<u32>| -> Result<()> {
        // SAFETY: the kernel changes the first value.
        let work = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(buffer).submit() }?;
        queue.wait(&work, Wait::FOREVER)
    };
    for placement in [
        Placement::HOST,
        Placement::HOST.with_uncached(true),
        Placement::VISIBLE.with_coherent(true),
        Placement::VISIBLE.with_extended_coherence(true),
    ] {
        let mut buffer = Buffer::new(gpu, 3, placement)?;
        buffer.write(0, &[6, 7, 8])?;
        increment(&mut buffer)?;
        let mut values = [0; 2];
        buffer.read(0, &mut values)?;
        assert_eq!(values, [7, 7], "{placement:?}");
        assert!(matches!(buffer.read(2, &mut values), Err(Error::Range { start: 2, count: 2, len: 3 })));
    }
    // The program's own pages, in the middle of one.
    let mut own = vec![0_u32; 5000];
    let start = NonNull::from(&mut own[1001]);
    // SAFETY: the vector outlives the buffer, and is looked at only when nothing runs.
    let mut buffer = unsafe { Buffer::of_program(gpu, start, 10, Placement::HOST) }?;
    assert!(matches!(buffer.host(), Err(Error::NotVisible)));
    increment(&mut buffer)?;
    drop(buffer);
    assert_eq!((own[1001], own.iter().sum::<u32>()), (1, 1));
    // VRAM that the host does not see, through a dma-buf and back by another name.
    let mut private = Buffer::<u32>::new(gpu, 1024, Placement::VRAM)?;
    assert!(matches!(private.host(), Err(Error::NotVisible)));
    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    let work = sdma.fill(&mut private, 0, 1024, 9)?;
    sdma.wait(&work, Wait::FOREVER)?;
    // SAFETY: it is used by one of its names at a time.
    let descriptor = unsafe { private.export() }?;
    // SAFETY: as above.
    let mut imported = unsafe { Buffer::<u32>::import(gpu, descriptor.as_fd()) }?;
    drop(descriptor);
    assert_eq!(imported.len(), 1024);
    assert_ne!(imported.address(), private.address());
    increment(&mut imported)?;
    drop(imported);
    let mut seen = Buffer::<u32>::new(gpu, 2, Placement::HOST)?;
    let work = sdma.copy(&private, 0, &mut seen, 0, 2)?;
    sdma.wait(&work, Wait::FOREVER)?;
    assert_eq!(seen.host()?, [10, 9]);
    Ok(())
}
