//! The same results whatever order of work the device chooses, of those that are legal, and whatever its caches keep.
//! The machine's own GPU has an order of its own each time.
use std::thread;

use aql::Geometry;
use kfd::{Buffer, Choice, Copier, Engine, Placement, Queue, Result, Signal, Wait};
use kfd_tests::{again, gpu, inside, isa, module, needs_vgpu, text_of};

/// Seeds of schedules.
const SEEDS: u32 = 200;
/// Seeds of caches.
const CACHES: u32 = 40;

#[test]
fn work() {
    if inside() {
        thread::scope(|scope| {
            for part in [dependencies, groups, copies] {
                scope.spawn(move || part().unwrap());
            }
        });
    }
}

/// Each of three queues continues what the one before has done.
fn dependencies() -> Result<()> {
    const ROUNDS: u32 = 20;
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?, Queue::new(gpu)?];
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::VISIBLE)?;
    counter.host_mut()?[0] = 0;
    let mut last = Signal::new(gpu, 0)?;
    for round in 0..ROUNDS {
        let queue = &mut queues[(round * round % 3) as usize];
        queue.wait_for(&[&last])?;
        last = Signal::new(gpu, 1)?;
        // SAFETY: the kernel changes the first value, and the launches come one after the other.
        let work = unsafe {
            queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).completes(&last).submit()
        };
        drop(work?);
    }
    queues.iter_mut().try_for_each(|queue| queue.wait_idle(Wait::FOREVER))?;
    assert_eq!(counter.host()?[0], ROUNDS);
    Ok(())
}

/// Groups with barriers, and groups that add up.
fn groups() -> Result<()> {
    const GROUPS: usize = 40;
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (reduce, histogram) = (module.kernel("reduce")?, module.kernel("histogram")?);
    let mut queue = Queue::new(gpu)?;
    let mut input = Buffer::<u32>::new(gpu, GROUPS * 256, Placement::HOST)?;
    let mut sums = Buffer::<u32>::new(gpu, GROUPS, Placement::HOST)?;
    let mut bins = Buffer::<u32>::new(gpu, 16, Placement::HOST)?;
    input.host_mut()?.iter_mut().enumerate().for_each(|(i, value)| *value = (i * 5 % 37) as u32);
    bins.host_mut()?.fill(0);
    let n = input.len() as u32;
    let grid = Geometry::one(n, 256)?;
    // SAFETY: a sum for each group.
    drop(unsafe { queue.launch(&reduce, grid)?.buffer(&input).buffer_mut(&mut sums).submit() }?);
    // SAFETY: n values are read, 16 are changed.
    drop(unsafe { queue.launch(&histogram, grid)?.argument(n).buffer(&input).buffer_mut(&mut bins).submit() }?);
    queue.wait_idle(Wait::FOREVER)?;
    let input = input.host()?;
    assert!(sums.host()?.iter().zip(input.chunks(256)).all(|(sum, group)| *sum == group.iter().sum::<u32>()));
    let mut expected = [0; 16];
    input.iter().for_each(|value| expected[(value & 15) as usize] += 1);
    assert_eq!(bins.host()?, expected);
    Ok(())
}

/// What kernels and a copy engine do in turn is done in order.
fn copies() -> Result<()> {
    const LARGE: usize = 5000;
    let gpu = gpu()?;
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let mut far = Buffer::<u32>::new(gpu, LARGE, Placement::VRAM)?;
    let mut near = Buffer::<u32>::new(gpu, LARGE, Placement::HOST)?;
    let mut few = Buffer::<u32>::new(gpu, 100, Placement::HOST)?;
    for round in 1..=10 {
        let filled = copier.fill(&mut far, 0, LARGE, round)?;
        assert!(filled.choice().is_kernel());
        // An engine copies what is done already, and a kernel what may have to be waited for.
        let is_done = round % 2 == 0;
        if is_done {
            copier.wait(&filled, Wait::FOREVER)?;
        }
        drop(filled);
        let copied = copier.copy(&far, 0, &mut near, 0, LARGE)?;
        match copied.choice() {
            Choice::EngineAcrossLink => {}
            Choice::KernelToWait => assert!(!is_done),
            other => panic!("{other}"),
        }
        drop(copied);
        let work = copier.copy(&near, LARGE - 100, &mut few, 0, 100)?;
        assert!(work.choice().is_kernel());
        copier.wait(&work, Wait::FOREVER)?;
        assert_eq!(few.host()?, [round; 100]);
    }
    Ok(())
}

#[test]
fn a3_right_results_with_every_seed() {
    if inside() {
        return;
    }
    for seed in 1..=SEEDS {
        let output = again(&["--schedule", &seed.to_string()], "work");
        let text = text_of(&output);
        assert!(output.status.success() && text.contains("1 passed"), "seed {seed}: {}\n{text}", output.status);
    }
}

/// Old lines that caches keep are never what a launch or a copy sees.
#[test]
fn a3_right_results_with_any_caches() {
    if inside() {
        return;
    }
    needs_vgpu!();
    if isa() == "gfx942" {
        test_skip::skip!("vgpu has no model of an MI300X's caches");
    }
    for seed in 1..=CACHES {
        let output = again(&["--caches", &seed.to_string()], "work");
        let text = text_of(&output);
        assert!(output.status.success() && text.contains("1 passed"), "seed {seed}: {}\n{text}", output.status);
    }
}

/// Two queues, the second rung when the first has been: what the first does is there when the second is done only if
/// the second waits for it. How often it was not, of 100 times.
fn missed(waits: bool) -> Result<u32> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (write, increment) = (module.kernel("wild")?, module.kernel("increment")?);
    let (mut first, mut second) = (Queue::new(gpu)?, Queue::new(gpu)?);
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut missed = 0;
    for _ in 0..100 {
        let mut value = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
        value.host_mut()?[0] = 0;
        let done = Signal::new(gpu, 1)?;
        // SAFETY: the kernel writes 1 at the address, which lasts until `first` is idle.
        let launch =
            unsafe { first.launch(&write, Geometry::one(1, 1)?)?.argument(value.address()).completes(&done).submit() };
        drop(launch?);
        if waits {
            second.wait_for(&[&done])?;
        }
        // SAFETY: the kernel changes the first value.
        let work = unsafe { second.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
        second.wait(&work, Wait::FOREVER)?;
        // By a copy, as the GPU may write it now.
        let mut seen = [7];
        value.read(0, &mut seen)?;
        assert!(seen[0] <= 1, "{seen:?}");
        missed += 1 - seen[0];
        first.wait_idle(Wait::FOREVER)?;
    }
    Ok(missed)
}

#[test]
fn rung_in_turn() {
    if inside() {
        println!("missed {} and {}", missed(false).unwrap(), missed(true).unwrap());
    }
}

/// A program that takes a doorbell for a launch that has begun is wrong on hardware, where stores to a device are on
/// their way for a while.
#[test]
fn a3_doorbells_that_arrive_late() {
    if inside() {
        return;
    }
    needs_vgpu!();
    let output = again(&["--hardware-bugs=late-doorbells"], "rung_in_turn");
    let text = text_of(&output);
    assert!(output.status.success(), "{}\n{text}", output.status);
    let (wrong, right) = text.split_once("missed ").and_then(|(_, rest)| rest.split_once(" and ")).expect("it says so");
    assert!(wrong.parse::<u32>().is_ok_and(|wrong| wrong > 10), "{text}");
    assert_eq!(right.split_whitespace().next(), Some("0"), "{text}");
    for options in [&["--hardware-bugs"][..], &["--hardware-bugs=late-doorbells", "--strict-doorbells"]] {
        let output = again(options, "work");
        let text = text_of(&output);
        assert!(output.status.success() && text.contains("1 passed"), "{options:?}: {}\n{text}", output.status);
        assert!(!text.contains("wait for a doorbell"), "{options:?}: {text}");
    }
}

/// The device then looks no further than the doorbells say, as hardware does, and names packets that none reached.
#[test]
fn a3_every_packet_has_its_doorbell() {
    if inside() {
        return;
    }
    needs_vgpu!();
    let output = again(&["--strict-doorbells"], "work");
    let text = text_of(&output);
    assert!(output.status.success() && text.contains("1 passed"), "{}\n{text}", output.status);
    assert!(!text.contains("wait for a doorbell"), "{text}");
}
